"""A family of contrasts of items: simultaneous intervals and adjusted p-values.

Each contrast is held against its own t distribution and turned to a normal score, z_i = Phi^-1(1 - p_i / 2); with
R the correlation of the contrasts and Z ~ N(0, R)::

    adjusted p_i = P(max_k |Z_k| >= z_i)
    interval     estimate_i -+ T^-1_{df_i}(Phi(c)) se_i,     P(max_k |Z_k| <= c) = level

With infinite degrees of freedom this is the single-step procedure of Hothorn, Bretz and Westfall (2008, Biometrical
J. 50, 346-363; R's multcomp).  Cluster-robust variances have errors and degrees of freedom of their own, one for
each contrast, which a multivariate t with one df does not have.

Against the best: Hsu's multiple comparisons with the best (1984, Ann. Statist. 12, 1136-1144) for unequal
covariances, with d_i the one-sided point of the family of all differences to item i::

    i may be the best if and only if b_j - b_i < d_i se_ij for every other j
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .max_normal import MaxNormal, root_of
from .p_values import benjamini_hochberg, holm

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Family = Literal["all pairs", "against one", "against the mean"]
Adjustment = Literal["single-step", "holm", "bh", "none"]
FAMILIES: tuple[Family, ...] = ("all pairs", "against one", "against the mean")
ADJUSTMENTS: tuple[Adjustment, ...] = ("single-step", "holm", "bh", "none")


@dataclass(frozen=True, eq=False)
class Abilities:
    """Estimated abilities of items with all that inference on their differences needs.

    Attributes
    ----------
    items : tuple of str
    estimate : float[n_items]
        Up to a common constant.
    covariance : float[n_items, n_items]
        Of the abilities under any one constraint.
    se, df : float[n_items, n_items]
        Standard error of each difference and its degrees of freedom (inf: normal); nan where there is none.
    """

    items: tuple[str, ...]
    estimate: FloatArray
    covariance: FloatArray
    se: FloatArray
    df: FloatArray

    def normal_scores(self) -> FloatArray:
        """float[n_items, n_items]: of row minus column, each turned to a normal score by its own df."""
        with np.errstate(invalid="ignore", divide="ignore"):
            t = (self.estimate[:, None] - self.estimate[None, :]) / self.se
        return normal_score(t, self.df)


def normal_score(t: FloatArray, df: FloatArray) -> FloatArray:
    """The normal score with the tail probability of t on df, sign kept."""
    from scipy.special import ndtri
    from scipy.stats import t as student

    finite = np.isfinite(df)
    out = np.array(t, dtype=float)
    out[finite] = -np.sign(t[finite]) * ndtri(student.sf(np.abs(t[finite]), df[finite]))
    return out


def two_sided_p(t: FloatArray, df: FloatArray) -> FloatArray:
    """2 P(T_df > |t|); normal where df is inf."""
    from scipy.special import ndtr
    from scipy.stats import t as student

    out = 2.0 * ndtr(-np.abs(t))
    finite = np.isfinite(df)
    out[finite] = 2.0 * student.sf(np.abs(t[finite]), df[finite])
    return out


def quantile_of(c: float, df: FloatArray) -> FloatArray:
    """T^-1_df(Phi(c)) for each df."""
    from scipy.special import ndtr
    from scipy.stats import t as student

    return np.where(np.isfinite(df), student.isf(ndtr(-c), np.where(np.isfinite(df), df, 1.0)), c)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Differences of items with simultaneous intervals and adjusted p-values.

    Attributes
    ----------
    what : tuple of str
        "A - B", "A - mean".
    estimate, se, df, t, p, adjusted, low, high : float[m]
        On the scale of the fit; `p` each by itself, `adjusted` over the family.
    family : str
    adjustment : str
    level : float
        Of all intervals together (single-step), or of each (others).
    critical : float
        c on the normal scale; nan unless single-step.
    critical_error : float
        Its Monte Carlo standard error; 0 where it is exact.
    left_out : tuple of str
        Contrasts that have no standard error.
    """

    what: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    t: FloatArray
    p: FloatArray
    adjusted: FloatArray
    low: FloatArray
    high: FloatArray
    family: str
    adjustment: str
    level: float
    critical: float
    critical_error: float
    left_out: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """A row a contrast: estimate, se, df, t, p, adjusted, low, high."""
        import pandas as pd

        names = ("estimate", "se", "df", "t", "p", "adjusted", "low", "high")
        return pd.DataFrame({name: getattr(self, name) for name in names}, index=list(self.what))


def contrasts(
    abilities: Abilities,
    family: Family = "all pairs",
    against: str | None = None,
    adjustment: Adjustment = "single-step",
    level: float = 0.95,
    seed: int = 0,
) -> Contrasts:
    """Simultaneous inference for a family of differences of items.

    Raises
    ------
    InputError
        An unknown family, adjustment or item, a level outside (0.5, 1), or no contrast with a standard error.
    """
    if family not in FAMILIES or adjustment not in ADJUSTMENTS:
        raise InputError(
            f"family={family!r}, adjustment={adjustment!r}; expected one of {', '.join(FAMILIES)} and one of"
            f" {', '.join(ADJUSTMENTS)}"
        )
    if not 0.5 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0.5 and 1, 0.95 for 95 % intervals")
    first, second, names = _pairs(abilities.items, family, against)
    points, value, se, df = _with_mean(abilities)
    estimate, se, df = value[first] - value[second], se[first, second], df[first, second]
    keep = np.isfinite(se) & (se > 0.0)
    if not keep.any():
        raise InputError(f"no contrast of the family {family!r} has a standard error")
    first, second, estimate, se, df = (a[keep] for a in (first, second, estimate, se, df))
    t = estimate / se
    p = two_sided_p(t, df)
    critical, error = float("nan"), 0.0
    if adjustment == "single-step":
        root = root_of(points)
        largest = MaxNormal(root, first, second, _distance(root, first, second), True, seed)
        critical, error = largest.quantile(level)
        adjusted = np.array([min(1.0, largest.tail(abs(z))) for z in normal_score(t, df)])
        adjusted = np.maximum(adjusted, p)
        half = quantile_of(critical, df) * se
    else:
        adjust = {"holm": holm, "bh": benjamini_hochberg, "none": np.array}[adjustment]
        adjusted = adjust(p)
        half = quantile_of(_point(level), df) * se
    what = tuple(name for name, kept in zip(names, keep) if kept)
    left_out = tuple(name for name, kept in zip(names, keep) if not kept)
    return Contrasts(
        what, estimate, se, df, t, p, adjusted, estimate - half, estimate + half, family, adjustment, level, critical,
        error, left_out,
    )  # fmt: skip


def _point(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def _distance(root: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    out: FloatArray = np.sqrt(((root[first] - root[second]) ** 2).sum(axis=1))
    return out


def _pairs(items: Sequence[str], family: Family, against: str | None) -> tuple[IntArray, IntArray, list[str]]:
    n = len(items)
    if family == "all pairs":
        first, second = np.triu_indices(n, 1)
    elif family == "against the mean":
        first, second = np.arange(n), np.full(n, n)
    else:
        if against not in items:
            raise InputError(f"against={against!r}; expected one of the items {', '.join(items[:20])}")
        first = np.array([k for k in range(n) if items[k] != against], dtype=np.int64)
        second = np.full(n - 1, items.index(str(against)))
    names = [*items, "mean"]
    return first, second, [f"{names[i]} - {names[j]}" for i, j in zip(first, second)]


def _with_mean(abilities: Abilities) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Covariance, estimates, standard errors and df with the mean of all items as one more point."""
    n = len(abilities.items)
    map_ = np.vstack([np.eye(n), np.full(n, 1.0 / n)])
    covariance = map_ @ abilities.covariance @ map_.T
    se, df = np.full((n + 1, n + 1), np.nan), np.full((n + 1, n + 1), np.inf)
    se[:n, :n], df[:n, :n] = abilities.se, abilities.df
    spread = np.diag(covariance)[:n] + covariance[n, n] - 2.0 * covariance[:n, n]
    se[:n, n] = np.sqrt(np.maximum(spread, 0.0))
    finite = np.isfinite(abilities.df)
    if (
        finite.any()
    ):  # the mean's own df would be that of a contrast of all items; the smallest pairwise is safe
        df[:n, n] = np.nanmin(np.where(finite, abilities.df, np.nan))
    return covariance, map_ @ abilities.estimate, se, df
