"""psychotools under its own names, as far as it is about paired comparisons: paircomp, btmodel, itempar, worth, estfun.

psychotools has no ``predict`` of a btmodel.
"""

from .items import (
    ItemParameters as ItemParameters,
    Scores as Scores,
    deviance as deviance,
    estfun as estfun,
    itempar as itempar,
    worth as worth,
)
from .models import BTModel as BTModel, btmodel as btmodel
from .paircomp import Paircomp as Paircomp, paircomp as paircomp, paircomp_from_counts as paircomp_from_counts
