"""R's boot: percentile and BCa limits of replicates made elsewhere.

``boot.ci`` finds the acceleration by a regression on the replicates, another value for each seed; given the
influence values ``L`` (of clusters: mean(theta_(-g)) - theta_(-g)) it has none of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..process.policy import BackendLike
from .asking import Floats, RAnswer, asks, sent

BOOT_CI = """
replicates <- structure(list(t0 = t0, t = matrix(t), R = length(t), data = seq_along(L), seed = NULL, statistic = function(d, i) NA_real_,
                             sim = "ordinary", stype = "i", call = quote(boot(data)), strata = rep(1, length(L)),
                             weights = rep(1 / length(L), length(L))), class = "boot")
found <- boot::boot.ci(replicates, conf = level, type = c("perc", "bca"), L = L)
list(percentile = as.numeric(found$percent[1L, 4:5]), bca = as.numeric(found$bca[1L, 4:5]), ranks = as.numeric(found$bca[1L, 2:3]))
"""


@dataclass(frozen=True, eq=False)
class BootLimits(RAnswer):
    """Limits of a bootstrap.

    ranks: which order statistics the BCa limits lie at.
    """

    percentile: Floats
    bca: Floats
    ranks: Floats


@asks("boot")
def boot_ci(
    estimate: float,
    replicates: Sequence[float] | Floats,
    influence: Sequence[float] | Floats,
    level: float = 0.95,
    *,
    backend: BackendLike = None,
) -> BootLimits:
    """R's ``boot::boot.ci(type = c("perc", "bca"), L = influence)``.

    Parameters
    ----------
    estimate : float
    replicates : float[R]
    influence : float[G]
        Influence values, of which the acceleration is sum L^3 / (6 (sum L^2)^(3/2)).
    level : float
        In (0, 1).
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    BootLimits

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> boot_ci(0.8, replicates, influence).bca  # doctest: +SKIP
    """
    arguments = sent(backend, "t0 t L level", t0=estimate, t=replicates, L=influence)
    return BootLimits.ask(backend, "boot::boot.ci", BOOT_CI, arguments)
