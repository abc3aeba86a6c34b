"""A family of differences of items: simultaneous intervals and adjusted p-values.

Each difference is compared with its own t distribution and turned to a normal score, z_i = Phi^-1(1 - p_i /
2); with R the correlation of the differences and Z ~ N(0, R)::

    adjusted p_i = P(max_k |Z_k| >= z_i)
    interval     estimate_i -+ T^-1_{df_i}(Phi(c)) se_i,     P(max_k |Z_k| <= c) = level

With infinite degrees of freedom this is the single-step procedure of Hothorn, Bretz and Westfall (2008,
Biometrical J. 50, 346-363; R's multcomp).  Cluster-robust variances have errors and degrees of freedom of
their own, one for each difference, which a multivariate t with one df does not have; `df="common"` is that
multivariate t.

Adjustments that need no correlations (Holm, Benjamini and Hochberg) take log10 p: small p-values keep their
digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...data.options import one_of
from ...errors import InputError, NotEstimableError, TooLargeError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ..estimates.fit_record import find_item
from ..estimates.tails import log10_student_p, student_p
from .abilities import Abilities, critical_between, normal_score
from .comparison_results import Contrasts, groups_or_caution, letters
from .max_normal import MaxNormal


def log10_holm(log10_p: FloatArray) -> FloatArray:
    """Holm (1979, Scand. J. Statist. 6, 65-70): holds the probability of any false rejection.

    log10_p float[m]: at most 0, without nan.  Returns float[m]: log10 of the adjusted p-values.
    """
    order = np.argsort(log10_p, kind="stable")
    left = np.arange(len(log10_p), 0, -1)
    out = np.empty(len(log10_p))
    out[order] = np.minimum(0.0, np.maximum.accumulate(np.log10(left) + log10_p[order]))
    return out


def log10_benjamini_hochberg(log10_p: FloatArray) -> FloatArray:
    """Benjamini and Hochberg (1995, J. R. Statist. Soc. B 57, 289-300): holds the false discovery rate.

    log10_p float[m]: at most 0, without nan.  Returns float[m]: log10 of the adjusted p-values.
    """
    order = np.argsort(log10_p, kind="stable")[::-1]
    m = len(log10_p)
    out = np.empty(m)
    out[order] = np.minimum(0.0, np.minimum.accumulate(np.log10(m / np.arange(m, 0, -1)) + log10_p[order]))
    return out


Family = Literal["all pairs", "against one", "against the mean"]
Adjustment = Literal["single-step", "holm", "bh", "none"]
DegreesOfFreedom = Literal["own", "common"]
FAMILIES: tuple[Family, ...] = ("all pairs", "against one", "against the mean")
#: Items whose differences are tested all together; 300 take about ten seconds.
MOST_TOGETHER = 300
ADJUSTMENTS: tuple[Adjustment, ...] = ("single-step", "holm", "bh", "none")


def check_level(level: float) -> None:
    """Raise InputError unless the level is between 0.5 and 1."""
    if not 0.5 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0.5 and 1, 0.95 for 95 % intervals")


def check_size(n: int, instead: str) -> None:
    """Raise TooLargeError where the largest of all differences of n items would take minutes."""
    if n > MOST_TOGETHER:
        raise TooLargeError(
            f"{n:,} items have {n * (n - 1) // 2:,} differences; joint critical values are"
            f" simulated for at most {MOST_TOGETHER} items ({MOST_TOGETHER * (MOST_TOGETHER - 1) // 2:,} differences); {instead}"
        )


def quantile_of(c: float, df: FloatArray) -> FloatArray:
    """T^-1_df(Phi(c)) for each df."""
    from scipy.special import ndtr
    from scipy.stats import t as student

    finite = np.isfinite(df)
    return np.where(finite, student.isf(ndtr(-c), np.where(finite, df, 1.0)), c)


def contrasts(
    abilities: Abilities,
    family: Family = "all pairs",
    against: str | None = None,
    adjust: Adjustment = "single-step",
    level: float = 0.95,
    df: DegreesOfFreedom = "own",
    seed: int = 0,
) -> Contrasts:
    """Simultaneous inference for a family of differences of items.

    abilities: with the mean as its last, for the family "against the mean".  against: the item of the family
    "against one".  df: degrees of freedom of each difference, or of a multivariate t: the smallest in the
    family.
    """
    one_of("family", family, FAMILIES)
    one_of("adjust", adjust, ADJUSTMENTS)
    one_of("df", df, ("own", "common"))
    check_level(level)
    if df == "common" and adjust != "single-step":
        raise InputError(
            f"df='common' with adjust={adjust!r}; a multivariate t requires adjust='single-step'"
        )
    if family == "all pairs" and adjust == "single-step":
        check_size(len(abilities.items), "use adjust='holm' or 'bh', or compare against one item")
    first, second = _pairs(abilities, family, against)
    known = abilities.known[first, second]
    names = [*abilities.items, _name_of_mean(abilities.items)]
    left_out = tuple(
        (f"{names[i]} - {names[j]}", abilities.why.get((min(i, j), max(i, j)), "no standard error"))
        for i, j in zip(first[~known].tolist(), second[~known].tolist())
    )
    if not known.any():
        raise NotEstimableError(
            f"no difference of the family {family!r} has a standard error; {left_out[0][0]}: {left_out[0][1]}"
        )
    first, second = first[known], second[known]
    points = abilities.points(seed)
    own = _Tests(abilities, first, second, df)
    largest = MaxNormal(points, first, second, True, math.inf if df == "own" else own.common)
    made = _single_step(own, largest, level) if adjust == "single-step" else _one_by_one(own, adjust, level)
    apart = made.log10_adjusted < math.log10(1.0 - level)
    of_pairs = family == "all pairs"
    marks: tuple[str, ...] = ()
    too_many: tuple[str, ...] = ()
    if of_pairs:
        above = np.zeros((len(abilities.items),) * 2, bool)
        up = own.estimate[apart] > 0.0
        above[np.where(up, first[apart], second[apart]), np.where(up, second[apart], first[apart])] = True
        critical = _critical_between(
            abilities, made, largest if adjust == "single-step" else None, adjust, level
        )
        marks, too_many = _letters(abilities, above, critical)
    return Contrasts(
        tuple(names[k] for k in first), tuple(names[k] for k in second), own.estimate, own.se, own.df, own.t,
        student_p(own.t, own.df), own.log10_p, np.minimum(10.0**made.log10_adjusted, 1.0), made.log10_adjusted,
        own.estimate - made.half, own.estimate + made.half,
        family=family, against=against or "", adjust=adjust, level=level, critical=made.critical,
        critical_error=made.error, df_kind=df, items=abilities.items,
        letters=marks,
        left_out=left_out, covariance=abilities.covariance_title, cautions=abilities.all_cautions + too_many, group=abilities.group,
        per_unit=abilities.per_unit,
    )  # fmt: skip


class _Tests:
    """Each difference by itself."""

    def __init__(self, abilities: Abilities, first: IntArray, second: IntArray, df: DegreesOfFreedom) -> None:
        self.estimate: FloatArray = abilities.estimate[first] - abilities.estimate[second]
        self.se: FloatArray = abilities.se[first, second]
        own = abilities.df[first, second]
        self.common = float(own.min())
        self.df: FloatArray = own if df == "own" else np.full(len(own), self.common)
        self.t: FloatArray = self.estimate / self.se
        self.log10_p = log10_student_p(self.t, self.df)


@dataclass(frozen=True)
class _Adjusted:
    log10_adjusted: FloatArray
    half: FloatArray
    critical: float
    error: float


def _single_step(own: _Tests, largest: MaxNormal, level: float) -> _Adjusted:
    """Adjusted p-values and half widths by the largest of all."""
    critical, error = largest.quantile(level)
    if math.isinf(largest.df):
        scores, half = np.abs(normal_score(own.t, own.df)), quantile_of(critical, own.df) * own.se
    else:
        scores, half = np.abs(own.t), critical * own.se
    log10_adjusted = largest.log_tails(scores) / math.log(10.0)
    return _Adjusted(np.maximum(log10_adjusted, own.log10_p), half, critical, error)


def _one_by_one(own: _Tests, adjust: Adjustment, level: float) -> _Adjusted:
    """Adjusted p-values from p-values alone; each interval by itself."""
    from scipy.special import ndtri

    adjusted: dict[str, Callable[[FloatArray], FloatArray]] = {
        "holm": log10_holm,
        "bh": log10_benjamini_hochberg,
    }
    log10_adjusted = adjusted[adjust](own.log10_p) if adjust in adjusted else own.log10_p
    half = quantile_of(float(ndtri(0.5 + level / 2)), own.df) * own.se
    return _Adjusted(log10_adjusted, half, math.nan, 0.0)


def _pairs(abilities: Abilities, family: Family, against: str | None) -> tuple[IntArray, IntArray]:
    n, items = len(abilities.items), abilities.items
    if (family == "against one") != (against is not None):
        raise InputError(
            f"family={family!r} and against={against!r}; against is only for the family 'against one'"
        )
    if family == "all pairs":
        return np.triu_indices(n, 1)
    if family == "against the mean":
        if len(abilities.estimate) != n + 1:
            raise InputError("these abilities have no mean; abilities_of(fit, with_mean=True) adds it")
        return np.arange(n), np.full(n, n)
    k = find_item(items, str(against))
    others = np.delete(np.arange(n), k)
    return others, np.full(n - 1, k)


def _critical_between(
    abilities: Abilities, made: _Adjusted, largest: MaxNormal | None, adjust: Adjustment, level: float
) -> float:
    """Against it infinite differences are held: with an adjustment they belong to the family of all pairs."""
    from scipy.special import ndtri

    if abilities.between is None or not abilities.between.testable.any():
        return math.nan
    m = int(abilities.between.testable.sum())
    if largest is not None and math.isinf(largest.df):
        return critical_between(largest, made.critical, level, 2 * m)
    of_all = 1 if adjust == "none" else len(made.log10_adjusted) + m
    return float(-ndtri((1.0 - level) / (2 * of_all)))


def _letters(
    abilities: Abilities, above: BoolArray, critical: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The letters of each item, and no caution; or none, and why."""
    n, between = len(abilities.items), abilities.between
    if between is not None and not math.isnan(critical):
        above = above | (between.shown(critical, above) & between.testable)
    apart = [(int(i), int(j)) for i, j in np.argwhere(above)]
    columns, caution = groups_or_caution(n, apart, abilities.best_first())
    return (letters(n, columns) if columns else ()), caution


def _name_of_mean(items: tuple[str, ...]) -> str:
    """ "mean", or what no item is called."""
    names = ("mean", "mean of all", *(f"mean {k}" for k in range(len(items))))
    return next(name for name in names if name not in items)
