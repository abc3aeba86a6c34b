"""R's multcomp, mvtnorm and multcompView: many comparisons of a vector of estimates.

``glht(parm(b, V, df))`` supposes one df for all contrasts, or the normal (df = 0); it is right for a pooled variance,
and for standard errors by cluster only at df = 0.  Its single-step numbers are integrals by mvtnorm's randomised
quasi-Monte Carlo, so they come with mvtnorm's own error bound and are good to 1e-4 or so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..process.policy import BackendLike
from ..values.convert import matrix
from .asking import Floats, RAnswer, asks, program, reals, sent

Alternative = Literal["two.sided", "less", "greater"]

GLHT = program(__package__, "r/multcomp_glht")


@dataclass(frozen=True, eq=False)
class ManyComparisons(RAnswer):
    """A family of contrasts as multcomp tests it.

    estimate, se, statistic float[m].  separate, single_step, holm, bh float[m]: p-values: unadjusted,
    single-step, of Holm, of Benjamini and Hochberg.  error: mvtnorm's bound of the error of the single-step
    p-values (the largest; probability 99 %).  critical: the critical value of the simultaneous intervals.
    low, high float[m].
    """

    names: tuple[str, ...]
    estimate: Floats
    se: Floats
    statistic: Floats
    separate: Floats
    single_step: Floats
    holm: Floats
    bh: Floats
    error: float
    critical: float
    low: Floats
    high: Floats


@asks("multcomp", "mvtnorm")
def glht(
    coef: Floats,
    vcov: Floats,
    contrasts: Mapping[str, Sequence[float] | Floats],
    df: int = 0,
    alternative: Alternative = "two.sided",
    level: float = 0.95,
    *,
    abseps: float = 1e-4,
    maxpts: int = 500_000,
    seed: int = 1,
    backend: BackendLike = None,
) -> ManyComparisons:
    """R's ``multcomp::glht(parm(coef, vcov, df), linfct)`` with single-step, Holm's and BH's p-values.

    Parameters
    ----------
    coef : float[k]
    vcov : float[k, k]
    contrasts : mapping of str to float[k]
    df : int
        Of the multivariate t; 0 for the normal.
    alternative : {"two.sided", "less", "greater"}
    level : float
        Simultaneous confidence level, in (0, 1).
    abseps, maxpts : float, int
        mvtnorm's accuracy and its most points.
    seed : int
        Of R's random numbers, which mvtnorm shifts its points by.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ManyComparisons

    Raises
    ------
    ValueError
        Another alternative, or matrices that do not fit each other.
    RError
        R's own.

    Examples
    --------
    >>> glht([1.0, 0.2], [[0.1, 0], [0, 0.1]], {"A-B": [1, -1]}).single_step  # doctest: +SKIP
    """
    names = [f"b{j + 1}" for j in range(len(coef))]
    made: dict[str, Any] = {"V": matrix(vcov, names, names)}
    made |= {"K": matrix(reals(list(contrasts.values())), names, list(contrasts))}
    arguments = sent(backend, "coef V K df alternative level abseps maxpts", **made)
    return ManyComparisons.ask(backend, "multcomp::glht", GLHT, arguments, seed=seed)


CRITICAL = """
tail <- if (two_sided) "both.tails" else "lower.tail"
q <- mvtnorm::qmvnorm(level, corr = R, tail = tail, algorithm = mvtnorm::GenzBretz(maxpts = maxpts, abseps = abseps), ptol = 1e-7)
at <- q$quantile
back <- mvtnorm::pmvnorm(if (two_sided) -rep(at, nrow(R)) else -Inf, rep(at, nrow(R)), corr = R, algorithm = mvtnorm::GenzBretz(maxpts = maxpts, abseps = abseps))
list(quantile = at, probability = as.numeric(back), error = as.numeric(attr(back, "error")))
"""


@dataclass(frozen=True, eq=False)
class MaxNormal(RAnswer):
    """A point of the largest of several correlated normal scores.

    probability: what mvtnorm computes back at `quantile`.  error: mvtnorm's bound of the error of
    `probability`.
    """

    quantile: float
    probability: float
    error: float


@asks("mvtnorm")
def qmvnorm(
    correlation: Floats,
    level: float = 0.95,
    two_sided: bool = True,
    *,
    abseps: float = 1e-5,
    maxpts: int = 2_000_000,
    seed: int = 1,
    backend: BackendLike = None,
) -> MaxNormal:
    """R's ``mvtnorm::qmvnorm(level, tail, corr)``: the point that max |Z| (or max Z) stays below.

    Parameters
    ----------
    correlation : float[m, m]
    level : float
        In (0, 1).
    two_sided : bool
    abseps, maxpts, seed : float, int, int
        As for :func:`glht`.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    MaxNormal

    Raises
    ------
    ValueError
        Not a square matrix.
    RError
        R's own.

    Examples
    --------
    >>> qmvnorm([[1.0, 0.5], [0.5, 1.0]]).quantile  # doctest: +SKIP
    """
    table = matrix(correlation, [f"z{j + 1}" for j in range(len(correlation))])
    arguments = sent(backend, "R level two_sided abseps maxpts", R=table)
    return MaxNormal.ask(backend, "mvtnorm::qmvnorm", CRITICAL, arguments, seed=seed)


LETTERS = """
apart <- stats::setNames(p < threshold, paste(first, second, sep = "-"))
found <- multcompView::multcompLetters(apart)
list(items = names(found$Letters), letters = unname(found$Letters))
"""


@dataclass(frozen=True, eq=False)
class Letters(RAnswer):
    """Letters beside items: those that share one were not distinguished."""

    items: tuple[str, ...]
    letters: tuple[str, ...]


@asks("multcompView")
def multcompLetters(
    first: Sequence[str],
    second: Sequence[str],
    p: Sequence[float] | Floats,
    threshold: float = 0.05,
    *,
    backend: BackendLike = None,
) -> Letters:
    """R's ``multcompView::multcompLetters(p < threshold)``.

    Parameters
    ----------
    first, second : str[m]
        Items of each pair, without a hyphen in their names: R splits there.
    p : float[m]
    threshold : float
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Letters

    Raises
    ------
    ValueError
        A name with a hyphen.
    RError
        R's own.

    Examples
    --------
    >>> multcompLetters(["A"], ["B"], [0.01]).letters  # doctest: +SKIP
    """
    hyphens = sorted({name for name in (*first, *second) if "-" in name})
    if hyphens:
        raise ValueError(f"{hyphens} have a hyphen, at which multcompLetters splits the names of a pair")
    arguments = sent(backend, "first second p threshold")
    return Letters.ask(backend, "multcompView::multcompLetters", LETTERS, arguments)


def all_pairs(items: Sequence[str]) -> dict[str, Floats]:
    """Contrasts "A-B" of all items, for :func:`glht`: float[items] each."""
    unit = np.eye(len(items))
    return {f"{a}-{b}": unit[i] - unit[j] for i, a in enumerate(items) for j, b in enumerate(items) if i < j}
