"""Numbers of a claim on a scale that is not the fit's own: ratings of a leaderboard ("elo"), or any scale ("any").

=============================  ====================================================================================
``estimate.A``, ``se.A``       rating of item A in points, and its standard error
``low.A``, ``high.A``          its limits at the claim's level
``rank_low.A``, ``rank_high.A``  the ranks that A may have, for all items simultaneously at that level
``votes.A``                    votes on A; also ``wins``, ``losses`` and ``ties``
=============================  ====================================================================================

All other numbers of a leaderboard are those of the fit, in log-odds (``estimate.order``, ``deviance``).

Of a claim that leaves its scale free, one factor and one constant are looked for in the printed intervals.  The
estimates of items (and their contrasts) are printed as f x + c, their standard errors as f s; worths and their
errors as g w, exponentials as h e.  Every printed number is an interval, its rounding, so that a factor fits if

    low_i - high_j <= f (x_i - x_j)   for all i, j,      low <= f s <= high   for what has no constant,

which leaves an interval of factors, or none.  There is no constant c where the reference is 0 or absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from ...numerics.arrays import BoolArray, FloatArray
from ...text import named
from .paper import ModelClaim, PrintedQuantity
from .quantities import OF_BOARD, Quantity, counts_of

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.many.comparison_results import RankSets

_RATINGS = {"estimate": "rating", "se": "se", "low": "low", "high": "high"}
_RANKS = {"rank_low": "low", "rank_high": "high"}


class BoardNumbers:
    """The numbers of one fit to one table as a board, each worked out when it is asked for."""

    def __init__(self, fit: Fit, table: Comparisons, model: ModelClaim) -> None:
        self._fit, self._table, self._model = fit, table, model
        self._level = float(model.level or "0.95")

    def has(self, q: Quantity) -> bool:
        """Whether the quantity is one of a board, and not of the fit in log-odds."""
        return q.kind in (*_RANKS, *OF_BOARD) or q.kind in _RATINGS and q.name in self._fit.items

    def value(self, q: Quantity) -> float:
        """The number; nan where an item has none."""
        if q.name not in self._fit.items:
            raise InputError(f"{str(q)!r}: no item {q.name!r}; there are {named(self._fit.items)}")
        place = self._fit.items.index(q.name)
        if q.kind in _RATINGS:
            return float(self._ratings[_RATINGS[q.kind]].iloc[place])
        if q.kind in _RANKS:
            return float(getattr(self._ranks, _RANKS[q.kind])[place])
        return counts_of(self._table, q.kind)[q.name]

    def error(self, q: Quantity) -> float:
        """The standard error of the item's rating, for a number in points; nan for others."""
        in_points = q.kind in ("estimate", "low", "high") and self.has(q)
        return self.value(q.of("se")) if in_points else float("nan")

    @cached_property
    def _ratings(self) -> pd.DataFrame:
        m, at = self._model, 1000.0 if self._model.at is None else self._model.at
        on = self._fit.on_scale("elo", anchor=m.anchor or None, at=at, expected=m.expected or "ability")
        return on.to_frame(1.0 - self._level)

    @cached_property
    def _ranks(self) -> RankSets:
        return self._fit.ranks(level=self._level)


# -- a free scale --------------------------------------------------------------------------------------------

#: Numbers that must remain when each free factor and constant has taken one.
FEWEST_LEFT = 2
#: Digits that these must have together: a factor and a constant bring out four numbers of two digits that
#: are hardly in the order of the estimates, and what a prior shrinks.
FEWEST_DIGITS = 5.0
_OF_ESTIMATES = ("estimate", "se", "contrast", "contrast_se")
#: Kinds of numbers that share a factor.
_TOGETHER = (_OF_ESTIMATES, ("worth", "worth_se"), ("exp",))
#: Relative slack of a comparison of doubles with ends that are exact decimals.
_SLACK = 1e-12


@dataclass(frozen=True)
class OnAnyScale:
    """values: computed numbers on the scale of the print.  words: by which factor and constant, a number each.
    factor: of the standard errors of these numbers.  too_few: the numbers that a free scale leaves nothing of.
    """

    values: Mapping[str, float]
    words: Mapping[str, str]
    factor: Mapping[str, float]
    too_few: frozenset[str]


def on_any_scale(
    fit: Fit, numbers: Sequence[PrintedQuantity], values: Mapping[str, float], reference: str = ""
) -> OnAnyScale:
    """The computed numbers of a claim on the scale of its print, as near as one factor and constant bring them."""
    printed = {q.quantity.name: q.printed.value for q in numbers if q.quantity.kind == "estimate"}
    fixed = reference in fit.items and not printed.get(reference)
    found, words, factors = dict(values), dict[str, str](), dict[str, float]()
    too_few = set[str]()
    for kinds in _TOGETHER:
        own = [q for q in numbers if q.quantity.kind in kinds and _is_of_items(fit, q.quantity)]
        own = [q for q in own if np.isfinite(values[q.quantity])]
        level = np.array([not fixed and _is_level(fit, q.quantity) for q in own], bool)
        if not own:
            continue
        x, (low, high) = np.array([values[q.quantity] for q in own]), _intervals(own)
        if len(own) - 1 - level.any() < FEWEST_LEFT or _digits(low, high, level) < FEWEST_DIGITS:
            too_few |= {q.quantity for q in own}
            continue
        factor, constant = _scale(x, level, low, high)
        for q, moved in zip(own, level):
            found[q.quantity] = float(factor * values[q.quantity] + constant * moved)
            factors[q.quantity] = factor
            and_constant = f" and {constant:+.6g}" if level.any() else ""
            words[q.quantity] = f"on a free scale: computed times {factor:.6g}{and_constant}"
    return OnAnyScale(found, words, factors, frozenset(too_few))


def _is_level(fit: Fit, q: Quantity) -> bool:
    """Whether the number has the free constant: an item's own estimate."""
    return q.kind == "estimate" and any(t.name == q.name and t.kind == "item" and not t.by for t in fit.terms)


def _is_of_items(fit: Fit, q: Quantity) -> bool:
    """Whether the number is on the scale of abilities; ties and the order effect are not."""
    if q.kind in ("estimate", "se", "exp"):
        return any(t.name == q.name and t.kind in ("item", "covariate") for t in fit.terms)
    return True


def _intervals(numbers: Sequence[PrintedQuantity]) -> tuple[FloatArray, FloatArray]:
    """The ends of what prints so; nan, which no comparison holds against a factor, where there is none."""
    ends = [(q.printed.low, q.printed.high) for q in numbers]
    low, high = np.array([[np.nan if end is None else float(end) for end in two] for two in ends]).T
    return low, high


def _digits(low: FloatArray, high: FloatArray, level: BoolArray) -> float:
    """The digits of the numbers that a factor, and a constant, leave."""
    middle, width = np.nan_to_num((low + high) / 2.0), np.maximum(high - low, 1e-15)
    sizes = np.where(level, np.ptp(middle), np.abs(middle))
    digits = np.sort(np.log10(np.maximum(sizes / width, 1.0)))
    return float(np.nansum(digits[: len(digits) - 1 - level.any()]))


def _scale(x: FloatArray, level: BoolArray, low: FloatArray, high: FloatArray) -> tuple[float, float]:
    """The factor and constant that bring out all numbers, or those that are left without the farthest off."""
    kept, middle = np.ones(len(x), bool), np.nan_to_num((low + high) / 2.0)
    best = 1.0, 0.0
    while kept.sum() >= FEWEST_LEFT + 1 + level[kept].any():
        found = _feasible(x[kept], level[kept], low[kept], high[kept])
        if found is not None:
            return found
        design = np.stack([x, level], axis=1)
        fitted, *_ = np.linalg.lstsq(design[kept], middle[kept], rcond=None)
        best = best if fitted[0] <= 0 else (float(fitted[0]), float(fitted[1]))
        kept[np.argmax(np.where(kept, np.abs(middle - design @ fitted), -1.0))] = False
    return best


def _feasible(
    x: FloatArray, level: BoolArray, low: FloatArray, high: FloatArray
) -> tuple[float, float] | None:
    """A factor and a constant in the middle of those that bring every number into its interval; None if none do."""
    steps = np.subtract.outer(x[level], x[level]).ravel()
    at = np.concatenate([steps, x[~level], -x[~level]])
    least = np.concatenate([np.subtract.outer(low[level], high[level]).ravel(), low[~level], -high[~level]])
    least -= _SLACK * np.abs(least)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = least / at
    bottom = np.nanmax(bounds[at > 0], initial=0.0)
    top = np.nanmin(bounds[at < 0], initial=np.inf)
    if (least > 0)[at == 0].any() or not 0 < top or bottom > top:
        return None
    factor = float((bottom + top) / 2.0 if np.isfinite(top) else bottom)
    if not level.any():
        return factor, 0.0
    least_c, most_c = (low - factor * x)[level], (high - factor * x)[level]
    ends = [np.nanmax(least_c, initial=-np.inf), np.nanmin(most_c, initial=np.inf)]
    finite = [float(end) for end in ends if np.isfinite(end)]
    return factor, sum(finite) / max(len(finite), 1)
