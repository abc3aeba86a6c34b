"""When enough has been judged: rules that stay valid although one looks all the time.

Every rule asks the confidence sequences of :mod:`pairproof.native.annotation.stopping.confidence_sequence` whether its
goal is reached, and how many more judgments it expects to take if means and spreads stay as they are.

items short
    every item's half-width s_i B(n_i) is at most w; alpha is each item's. Before the third batch it is too
    early
items top k
    the k best items are told from the rest, or within delta: least lower limit of the top > greatest upper
    limit of the rest - delta; alpha over the number of items
systems short, top k, ranking
    the same for systems, by their differences within a source; terms are sources, and before 30 it is too
    early; alpha over the number of contrasts. The ranking is settled if every difference excludes 0 or lies
    in [-delta, delta]

An item's spread s_i is the larger of the pooled one and sqrt((10 s^2 + SS_i) / (9 + n_i)), which draws the
item's own towards it: with the pooled spread alone the sequences of 20 items erred twice as often (.04 to .05
against .02). Scores should be corrected for the annotators' locations, or every annotator judge every item: a
shift that all judgments of an item share is not seen by any of these rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ....data.options import whole_number
from ....errors import InputError, NotEstimableError
from ..beta import FloatArray, IntArray
from ..coded_labels import Labels, coded, numbers
from .confidence_sequence import boundary, enough

Verdict = Literal["stop", "go on", "too early"]
#: Batches before which items, and sources before which systems, are not looked at: the sequences are
#: asymptotic.
FEWEST_BATCHES, FEWEST_SOURCES = 3, 30
#: Judgments that the pooled spread counts for in an item's own.
PRIOR_JUDGMENTS = 10


@dataclass(frozen=True, eq=False)
class Look:
    """What a stopping rule says now.

    names: items, systems, or contrasts "A - B".  estimate, half float[k]: mean and half-width of its
    sequence; inf where there is one term or none.  n int[k]: judgments of the item, or sources.  settled
    bool[k]: whether this one fulfils the rule.  further: more judgments (of items) or sources (of systems)
    that are expected; 0 if settled, inf if the goal cannot be reached with means and spreads as they are.
    why: a sentence.
    """

    verdict: Verdict
    names: tuple[str, ...]
    estimate: FloatArray
    half: FloatArray
    n: IntArray
    settled: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"
    further: float
    why: str


@dataclass(frozen=True, eq=False)
class _Means:
    """Items with their sequences."""

    names: tuple[str, ...]
    estimate: FloatArray
    spread: FloatArray
    n: IntArray


def items_short(
    item: Labels,
    score: ArrayLike,
    half: float,
    batches: int,
    alpha: float = 0.05,
    planned: float = 10.0,
    items: Labels | None = None,
    widen: float = 1.0,
) -> Look:
    """Whether every item's interval is short enough.

    item: Label of each judgment.  score float[n]: corrected for the annotators' locations if they differ.
    half: half-width wanted, > 0, on the scale of the scores.  batches: returned so far; below 3 it is too
    early.  alpha: of each item's sequence.  planned: judgments an item at which the sequence is shortest; to
    be fixed beforehand.  widen: factor on all spreads, >= 1, for what the correction of scores has taken from
    them and added to their means (:func:`pairproof.native.annotation.quality.locations.shrunken_locations`).
    """
    _positive("half", half)
    means = _items(item, score, items, widen)
    widths = _half(means, alpha, planned)
    settled = widths <= half
    wanted = enough(np.full(len(widths), half), means.spread, alpha, planned)
    further = float(np.maximum(wanted - means.n, 0.0)[~settled].sum())
    why = f"{int(settled.sum())} of {len(settled)} items have a half-width of {half:g} or less"
    return _look(means, widths, settled, further, why, _early_batches(batches))


def items_top(
    item: Labels,
    score: ArrayLike,
    k: int,
    batches: int,
    delta: float = 0.0,
    alpha: float = 0.05,
    planned: float = 10.0,
    items: Labels | None = None,
    widen: float = 1.0,
) -> Look:
    """Whether the k best items are told from the rest.

    item: Label of each judgment.  score float[n]: corrected for the annotators' locations if they differ.  k:
    from 1 to the number of items - 1.  batches: returned so far; below 3 it is too early.  delta: a
    difference that does not matter, >= 0. With 0 items that are nearly alike keep the rule from ever
    stopping.  alpha: of any wrong statement about any item.  planned: judgments an item at which the sequence
    is shortest; to be fixed beforehand.  widen: factor on all spreads, >= 1, for what the correction of
    scores has taken from them and added to their means
    (:func:`pairproof.native.annotation.quality.locations.shrunken_locations`).  Returns Look: an item is
    settled if its interval does not cross the border between top and rest by more than delta.
    """
    means = _items(item, score, items, widen)
    count = len(means.names)
    if not 1 <= whole_number("k", k, 1) < count:
        raise InputError(f"k={k} of {count} items; expected 1 to {count - 1}")
    _positive("delta", delta, zero=True)
    widths = _half(means, alpha / count, planned)
    return _top(means, widths, k, delta, alpha / count, planned, _early_batches(batches))


def _top(
    means: _Means, widths: FloatArray, k: int, delta: float, alpha: float, planned: float, early: str
) -> Look:
    # Without a judgment an item may be anywhere.
    place = np.where(means.n > 0, means.estimate, -np.inf)
    order = np.argsort(-place, kind="stable")
    top, rest = order[:k], order[k:]
    with np.errstate(invalid="ignore"):
        low = np.where(np.isfinite(widths), means.estimate - widths, -np.inf)
        high = np.where(np.isfinite(widths), means.estimate + widths, np.inf)
    between = float(low[top].min() - high[rest].max())
    done = between > -delta
    border = (float(place[top].min()) + float(place[rest].max())) / 2.0
    settled = np.empty(len(order), bool)
    settled[top], settled[rest] = low[top] > border - delta / 2, high[rest] < border + delta / 2
    wanted = enough(np.abs(means.estimate - border) + delta / 2, means.spread, alpha, planned)
    further = (
        0.0 if done else float(np.maximum(np.where(np.isnan(wanted), np.inf, wanted) - means.n, 0.0).sum())
    )
    if done:
        why = f"the lower limits of the top {k} are {between:.2g} or more above the upper limits of the rest"
    else:
        why = f"limits of the top {k} and of the rest overlap by {-between:.2g}"
    return _look(means, widths, settled | done, further, f"{why} (delta {delta:g})", early)


def _items(item: Labels, score: ArrayLike, items: Labels | None, widen: float) -> _Means:
    if not widen >= 1.0:
        raise InputError(f"widen={widen!r}; expected a number >= 1")
    y = numbers("score", score)
    names, what = coded("item", item, len(y))
    if items is not None:
        every = coded("item", items, len(items))[0]
        absent = sorted(set(names) - set(every))
        if absent:
            raise InputError(f"item {absent[0]} is judged, but not in the list of items")
        place = {name: k for k, name in enumerate(every)}
        what, names = np.array([place[names[k]] for k in what], np.int64), every
    n = np.bincount(what, minlength=len(names))
    free = len(y) - int((n > 0).sum())
    if free == 0:
        raise NotEstimableError(
            f"stopping rule: {len(y)} judgments, no item was judged twice; expected some that are"
        )
    mean = np.bincount(what, y, len(names)) / np.maximum(n, 1)
    squares = np.bincount(what, (y - mean[what]) ** 2, len(names))
    pooled = float(squares.sum()) / free
    if pooled <= 1e-24 * float(y @ y) / len(y):
        raise NotEstimableError(
            f"stopping rule: all {free + int((n > 0).sum())} judgments agree with the others of the same item to the last"
            " digit; intervals of length 0 would follow: look whether annotators really answered"
        )
    own = (PRIOR_JUDGMENTS * pooled + squares) / (PRIOR_JUDGMENTS - 1 + np.maximum(n, 1))
    return _Means(names, np.where(n > 0, mean, np.nan), widen * np.sqrt(np.maximum(pooled, own)), n)


def _half(means: _Means, alpha: float, planned: float) -> FloatArray:
    width = means.spread * boundary(np.maximum(means.n, 1), alpha, planned)
    found: FloatArray = np.where(means.n > 0, width, np.inf)
    return found


def _look(
    means: _Means,
    widths: FloatArray,
    settled: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]",
    further: float,
    why: str,
    early: str,
) -> Look:
    verdict: Verdict = "too early" if early else "stop" if bool(settled.all()) else "go on"
    return Look(verdict, means.names, means.estimate, widths, means.n, settled, further, early or why)


def _early_batches(batches: int) -> str:
    if whole_number("batches", batches) >= FEWEST_BATCHES:
        return ""
    return f"{batches} batch(es) returned; rules on items are looked at from the {FEWEST_BATCHES}rd on"


def _positive(name: str, value: float, zero: bool = False) -> None:
    if not (np.isfinite(value) and (value > 0 or zero and value == 0)):
        raise InputError(f"{name}={value!r}; expected a number {'>= 0' if zero else '> 0'}")
