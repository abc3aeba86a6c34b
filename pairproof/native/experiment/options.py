"""The names of the preference models, and their options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ...data.options import whole_number
from ..irt.categorical import CategoricalModel
from ..irt.gaussian_model import GaussianModel
from ..irt.sampling import Items
from . import baselines

Baseline = Literal["uniform", "adjusted-uniform", "pairs"]
Students = Literal["students-asymmetric", "students-arithmetic", "students-geometric"]
ModelName = Literal[
    Baseline, Students, "irt-gaussian", "irt-categorical", "bradley-terry", "davidson", "rao-kupper", "llbt"
]
MODELS: tuple[ModelName, ...] = get_args(ModelName)


@dataclass(frozen=True)
class PreferenceOptions:
    """Options of the preference models.

    alpha: prior count of each outcome, > 0, in the baselines and in pooled rates.  raw_geometric: whether
    students-geometric is left without renormalisation.  gaussian: constants of irt-gaussian.  None: those of
    the paper, with radius 0 if there is no tie category.  categorical: constants of irt-categorical.  items:
    whether the latent quality of a system's output for a segment is one value for all its comparisons
    (shared) or drawn anew for each (fresh), in the item-response models.  None: shared if there is a source
    column.  average: whether the item-response models' predictions are averaged over the posterior draws
    (True) or made from posterior means (False).  None: means for irt-gaussian ("given the parameter
    estimates" in the paper), averages for irt-categorical.  chains, warmup, draws: numbers of chains, of
    discarded iterations and of kept iterations of the item-response models; at least 1, 0 and 1.
    """

    alpha: float = baselines.ALPHA
    raw_geometric: bool = False
    gaussian: GaussianModel | None = None
    categorical: CategoricalModel = CategoricalModel()
    items: Items | None = None
    average: bool | None = None
    chains: int = 4
    warmup: int = 100
    draws: int = 250

    def __post_init__(self) -> None:
        """Check the numbers, so that an experiment with wrong ones does not start."""
        whole_number("chains", self.chains, 1)
        whole_number("warmup", self.warmup, 0)
        whole_number("draws", self.draws, 1)
