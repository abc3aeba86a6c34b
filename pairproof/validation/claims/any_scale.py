"""Numbers on a scale that the claim leaves free: one factor and one constant, looked for in the printed intervals.

The estimates of items (and their contrasts) are printed as f x + c, their standard errors as f s; worths and their
errors as g w, exponentials as h e.  Every printed number is an interval, its rounding, so that a factor fits if

    low_i - high_j <= f (x_i - x_j)   for all i, j,      low <= f s <= high   for what has no constant,

which leaves an interval of factors, or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...fit.fit import Fit
from ...numerics.arrays import FloatArray
from .paper import PrintedQuantity
from .quantities import Quantity

#: Numbers that must remain when each free factor and constant has taken one.
FEWEST_LEFT = 2
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

    values: Mapping[Quantity, float]
    words: Mapping[Quantity, str]
    factor: Mapping[Quantity, float]
    too_few: frozenset[Quantity]


def on_any_scale(
    fit: Fit, numbers: Sequence[PrintedQuantity], values: Mapping[Quantity, float]
) -> OnAnyScale:
    """The computed numbers of a claim on the scale of its print, as near as one factor and constant bring them."""
    found, words, factors = dict(values), dict[Quantity, str](), dict[Quantity, float]()
    too_few = set[Quantity]()
    for kinds in _TOGETHER:
        own = [q for q in numbers if q.quantity.kind in kinds and _is_of_items(fit, q.quantity)]
        own = [q for q in own if np.isfinite(values[q.quantity])]
        shifted = np.array([_is_level(fit, q.quantity) for q in own], bool)
        if not own:
            continue
        if len(own) - 1 - shifted.any() < FEWEST_LEFT:
            too_few |= {q.quantity for q in own}
            continue
        x = np.array([values[q.quantity] for q in own])
        factor, constant = _scale(x, shifted, *_intervals(own))
        for q, moved in zip(own, shifted):
            found[q.quantity] = float(factor * values[q.quantity] + constant * moved)
            factors[q.quantity] = factor
            and_constant = f" and {constant:+.6g}" if shifted.any() else ""
            words[q.quantity] = f"on a free scale: ours times {factor:.6g}{and_constant}"
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
    ends = [
        (
            -np.inf if q.printed.low is None else float(q.printed.low),
            np.inf if q.printed.high is None else float(q.printed.high),
        )
        for q in numbers
    ]
    low, high = np.array(ends).T
    return low, high


def _scale(x: FloatArray, shifted: FloatArray, low: FloatArray, high: FloatArray) -> tuple[float, float]:
    """The factor and constant that bring all numbers out, or all but one; else those of the median of pairs."""
    everything = np.ones(len(x), bool)
    without_one = (everything & (np.arange(len(x)) != k) for k in range(len(x)))
    for kept in (everything, *(without_one if len(x) > 3 + shifted.any() else ())):
        found = _feasible(x[kept], shifted[kept], low[kept], high[kept])
        if found is not None:
            return found
    middle = np.where(np.isfinite(low) & np.isfinite(high), (low + high) / 2.0, np.nan)
    i, j = np.triu_indices(len(x), 1)
    level = shifted[i] & shifted[j] & (x[i] != x[j])
    slopes = np.concatenate(
        [
            (middle[i] - middle[j])[level] / (x[i] - x[j])[level],
            middle[~shifted & (x != 0)] / x[~shifted & (x != 0)],
        ]
    )
    slopes = slopes[np.isfinite(slopes) & (slopes > 0)]
    factor = float(np.median(slopes)) if len(slopes) else 1.0
    rest = (middle - factor * x)[shifted.astype(bool)]
    return factor, float(np.nanmedian(rest)) if np.isfinite(rest).any() else 0.0


def _feasible(
    x: FloatArray, shifted: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[float, float] | None:
    """A factor and a constant in the middle of those that bring every number into its interval; None if none do."""
    level, rest = np.asarray(shifted, bool), ~np.asarray(shifted, bool)
    steps = (x[level][:, None] - x[level][None, :]).ravel()
    least = (low[level][:, None] - high[level][None, :]).ravel()
    at = np.concatenate([steps, x[rest], -x[rest]])
    least = np.concatenate([least, low[rest], -high[rest]])
    slack = _SLACK * np.where(np.isfinite(least), np.abs(least), 0.0)
    if (least > slack)[at == 0].any():
        return None
    up, down = at > 0, at < 0
    bottom = float(np.max(((least - slack) / np.where(up, at, 1.0))[up], initial=0.0))
    top = float(np.min(((least - slack) / np.where(down, at, 1.0))[down], initial=np.inf))
    if not (top > 0 and bottom <= top):
        return None
    factor = bottom if not np.isfinite(top) else (bottom + top) / 2.0
    if not factor > 0:
        return None
    if not level.any():
        return factor, 0.0
    ends = [float(np.max(low[level] - factor * x[level])), float(np.min(high[level] - factor * x[level]))]
    inside = [end for end in ends if np.isfinite(end)]
    return factor, sum(inside) / len(inside) if inside else 0.0
