"""All differences of systems tested together: the largest of all statistics, as for pairwise comparisons.

Holm's correction takes p-values as they come; the single-step method uses that differences which share a system
are correlated, and gives intervals that hold all together (Hothorn, Bretz and Westfall 2008, Biometrical J. 50,
346-363). Every difference has the degrees of freedom of the systems model. With df "own" each t is turned to a
normal score, as where standard errors differ in their errors; with "common" all share one estimate of the
variance, a multivariate t, which is right for a mixed model whose variances scale alike and is narrower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ....fit.many.abilities import Abilities
    from ....fit.many.result import Contrasts
    from ....fit.many.simultaneous import Adjustment, DegreesOfFreedom, Family
    from .systems_model import SystemsModel


def abilities_of_systems(model: SystemsModel) -> Abilities:
    """The systems' means with covariance, standard errors and degrees of freedom of all differences."""
    from ....fit.many.abilities import Abilities

    n = len(model.systems)
    se, df = np.full((n, n), np.nan), np.full((n, n), model.df)
    place = {name: k for k, name in enumerate(model.systems)}
    for c in model.contrasts:
        i, j = place[c.first], place[c.second]
        se[i, j] = se[j, i] = c.se
    title = {
        "mixed": "restricted maximum likelihood, variances taken as known",
        "ols": "clustered by source and by annotator",
    }[model.way]
    return Abilities(
        model.systems, model.mean, model.covariance, se, df, covariance_title=title, cautions=model.cautions
    )


def contrasts_together(
    model: SystemsModel,
    family: Family = "all pairs",
    against: str | None = None,
    adjust: Adjustment = "single-step",
    level: float = 0.95,
    df: DegreesOfFreedom = "own",
    seed: int = 0,
) -> Contrasts:
    """Differences of systems with simultaneous intervals and adjusted p-values.

    against: the system of the family "against one".  df: see the module.
    """
    from ....fit.many.simultaneous import contrasts

    return contrasts(abilities_of_systems(model), family, against, adjust, level, df, seed)
