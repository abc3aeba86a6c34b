"""eba: elimination by aspects, preference trees, Thurstone's case V (Wickelmaier and Schmid 2004).

An item is a set of aspects; P(i over j) = sum of the aspects of i alone over the sum of those that only one of them has.  Without common aspects it
is the Bradley-Terry-Luce model.  eba's nlm stops early: against glm its worths are off by 3e-5 at 10 items and 1e-3 at 60.  Thurstone's
case V is a probit glm, P(i over j) = pnorm(s_i - s_j), as precise as glm is by default (1e-8 of the deviance).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import matrix
from .asking import Estimates, Floats, RAnswer, asks, optional, program, reals, sent

FIT = program(__package__, "r/eba_eba")


@dataclass(frozen=True, eq=False)
class AspectModel(Estimates):
    """An elimination-by-aspects model as eba's nlm left it.

    names: aspect1, aspect2, ...: one of an item alone is its worth.  coef, se float[aspects].  vcov
    float[aspects, aspects].  scale float[items]: worths that add up to 1.  deviance, df_residual, p_value:
    eba's goodness of fit. **df counts a parameter too few where the aspects of all items are nested**, as its
    help says.  fitted float[items, items]: expected wins.
    """

    items: tuple[str, ...]
    scale: Floats
    loglik: float
    loglik_saturated: float
    deviance: float
    df_residual: float
    p_value: float
    fitted: Floats


def _wins(table: Any, items: Sequence[str]) -> Any:
    counts = reals(table)
    if counts.shape != (len(items), len(items)):
        n = len(items)
        raise InputError(f"expected {n} x {n} wins, rows over columns; found {counts.shape}")
    return matrix(counts, list(items), list(items))


@asks("eba")
def eba(
    M: Any,
    items: Sequence[str],
    A: Sequence[Sequence[int]] | None = None,
    s: Sequence[float] | None = None,
    constrained: bool = True,
    *,
    backend: BackendLike = None,
) -> AspectModel:
    """R's ``eba::eba(M, A, s, constrained)``.

    Parameters
    ----------
    M : float[items, items]
        ``M[i, j]`` counts wins of i over j.
    items : sequence of str
    A : sequence of sequences of int, optional
        The aspects of each item, from 1; default one each.
    s : float[aspects], optional
        Where nlm starts.
    constrained : bool
        Aspects above 0.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    AspectModel

    Raises
    ------
    InputError, RError
        A table of another shape, aspects of other items; R's own.

    Examples
    --------
    >>> eba([[0, 6, 7], [4, 0, 8], [3, 2, 0]], ["a", "b", "c"]).scale  # doctest: +SKIP
    """
    if A is not None and len(A) != len(items):
        raise InputError(f"A has the aspects of {len(A)} items; there are {len(items)}")
    if A is not None and any(int(a) != a or a < 1 for own in A for a in own):
        raise InputError("aspects are whole numbers from 1")
    aspects = optional(lambda sets: [[float(a) for a in own] for own in sets], A)
    made: dict[str, Any] = {"M": _wins(M, items), "aspects": aspects, "start": s}
    return AspectModel.ask(backend, "eba::eba", FIT, sent(backend, "M aspects start constrained", **made))


#: eba's older name of the same function.
OptiPt = eba

THURSTONE = """
fit <- eba::thurstone(M)
V <- matrix(as.numeric(stats::vcov(fit$tm.glm)), ncol(M) - 1L)
list(names = names(fit$estimate), coef = as.numeric(fit$estimate), se = c(0, sqrt(diag(V))), vcov = rbind(0, cbind(0, V)),
     deviance = fit$goodness.of.fit[[1L]], df_residual = fit$goodness.of.fit[[2L]], p_value = fit$goodness.of.fit[[3L]])
"""


@dataclass(frozen=True, eq=False)
class ThurstoneModel(Estimates):
    """Thurstone's case V: places of the items on a line, the first at 0.

    names: the items.  coef, se float[items]: in units of the standard deviation of a difference.  vcov
    float[items, items].
    """

    deviance: float
    df_residual: float
    p_value: float


@asks("eba")
def thurstone(M: Any, items: Sequence[str], *, backend: BackendLike = None) -> ThurstoneModel:
    """R's ``eba::thurstone(M)``.

    Parameters
    ----------
    M : float[items, items]
        ``M[i, j]`` counts wins of i over j.
    items : sequence of str
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ThurstoneModel

    Raises
    ------
    InputError, RError
        A table of another shape; R's own.

    Examples
    --------
    >>> thurstone([[0, 6, 7], [4, 0, 8], [3, 2, 0]], ["a", "b", "c"]).coef  # doctest: +SKIP
    """
    return ThurstoneModel.ask(backend, "eba::thurstone", THURSTONE, {"M": _wins(M, items)})


STRANS = """
s <- eba::strans(M)
list(weak = s$weak, moderate = s$moderate, strong = s$strong, n_tests = s$n.tests, deviance = s$wst.fit[[1L]], df = s$wst.fit[[2L]],
     p_value = s$wst.fit[[3L]], ranking = s$ranking)
"""


@dataclass(frozen=True, eq=False)
class Transitivity(RAnswer):
    """Violations of stochastic transitivity in the observed proportions.

    weak, moderate, strong: of ``n_tests`` triples.  deviance, df, p_value: test of weak stochastic
    transitivity.
    """

    weak: int
    moderate: int
    strong: int
    n_tests: int
    deviance: float
    df: float
    p_value: float
    ranking: tuple[str, ...]


@asks("eba")
def strans(M: Any, items: Sequence[str], *, backend: BackendLike = None) -> Transitivity:
    """R's ``eba::strans(M)``.

    Parameters
    ----------
    M : float[items, items]
    items : sequence of str
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Transitivity

    Raises
    ------
    InputError, RError
        A table of another shape; R's own.

    Examples
    --------
    >>> strans([[0, 6, 7], [4, 0, 8], [3, 2, 0]], ["a", "b", "c"]).strong  # doctest: +SKIP
    """
    return Transitivity.ask(backend, "eba::strans", STRANS, {"M": _wins(M, items)})


KENDALL = """
k <- eba::kendall.u(M, correct = correct)
list(u = k$u, min_u = k$min.u, chi2 = k$chi, df = k$df, p_value = k$p.value)
"""


@dataclass(frozen=True, eq=False)
class AgreementU(RAnswer):
    """Kendall's coefficient of agreement of judges.

    u: 1 if all agree in every comparison; min_u: its least value.  chi2, df, p_value: test of no agreement.
    """

    u: float
    min_u: float
    chi2: float
    df: float
    p_value: float


@asks("eba")
def kendall_u(
    M: Any, items: Sequence[str], correct: bool = True, *, backend: BackendLike = None
) -> AgreementU:
    """R's ``eba::kendall.u(M, correct)``.

    Parameters
    ----------
    M : float[items, items]
        ``M[i, j]`` counts wins of i over j; each pair was compared equally often.
    items : sequence of str
    correct : bool
        Whether the test has a continuity correction.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    AgreementU

    Raises
    ------
    InputError, RError
        A table of another shape; R's own.

    Examples
    --------
    >>> kendall_u([[0, 6, 7], [4, 0, 8], [3, 2, 0]], ["a", "b", "c"]).u  # doctest: +SKIP
    """
    arguments = sent(backend, "M correct", M=_wins(M, items))
    return AgreementU.ask(backend, "eba::kendall.u", KENDALL, arguments)
