"""Judgments as arrays: labels as whole numbers, and judged HITs as paired comparisons.

Labels are those of items, annotators and sources.  A HIT of n scores orders its items, ties included:
n(n-1)/2 comparisons, one row each, with the annotator as `judge` and the HIT as `source`, so that LLBT,
Davidson or Bradley-Terry can be fitted to the same judgments.  The rows of one HIT come from n numbers and
are not independent of each other, so standard errors of a model that takes them as such are too small; the
estimates are not affected by it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...data.columns import Factor, natural_order
from ...data.comparisons import Comparisons
from ...errors import InputError
from .beta import FloatArray, IntArray, pairs_of_hit

#: Labels of judgments, one each; arrays of whole numbers are the fastest.
Labels = Union[Sequence[Hashable], NDArray[Any]]
Coded = tuple[tuple[str, ...], IntArray]


def coded(name: str, labels: Labels, length: int) -> Coded:
    """The distinct labels in order, and the place of each row's label among them.
    The order is that of the labels, not of the rows, so that the same judgments in another order give the
    same result."""
    if len(labels) != length:
        raise InputError(f"{len(labels)} labels of the {name} and {length} scores; expected as many")
    if isinstance(labels, np.ndarray):
        if labels.dtype.kind in "iu":
            found, code = np.unique(labels, return_inverse=True)
            return tuple(map(str, found.tolist())), code.ravel().astype(np.int64)
        labels = labels.tolist()  # Python's own numbers are compared ten times as fast
    for k, label in enumerate(labels):
        if label is None or label == "" or label != label:
            raise InputError(f"row {k + 1}: no {name}; expected a label in every row")
    distinct = sorted(set(labels), key=_order)
    place = {label: k for k, label in enumerate(distinct)}
    return tuple(str(label) for label in distinct), np.array([place[label] for label in labels], np.int64)


def _order(label: Hashable) -> tuple[int, float, str]:
    if isinstance(label, (int, float, np.integer, np.floating)):
        return 0, float(label), ""
    return 1, 0.0, str(label)


def numbers(name: str, values: object, least: int = 1) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Finite numbers as an array.  values float[n].  Returns float[n]."""
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: not all are numbers; expected a list of numbers") from None
    if found.ndim != 1 or len(found) < least:
        raise InputError(f"{name}: {found.size} value(s); expected a list of {least} or more")
    if not np.isfinite(found).all():
        k = int(np.flatnonzero(~np.isfinite(found))[0])
        raise InputError(f"{name}: row {k + 1} is {found[k]}; expected a finite number (leave the row out)")
    return found


def coded_scores(score: object, **labels: Labels) -> tuple[FloatArray, list[Coded]]:
    """The scores, float[n], and for each column of labels the distinct ones and their places, int[n]."""
    y = numbers("score", score)
    return y, [coded(name, own, len(y)) for name, own in labels.items()]


def check_level(level: float) -> None:
    """Refuse a level that is no probability."""
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")


def comparisons_of_hits(
    items: Sequence[str],
    hits: Sequence[ArrayLike],
    scores: Sequence[ArrayLike],
    judges: Sequence[str | None] | None = None,
    sources: Sequence[str] | None = None,
    tie_within: float = 0.0,
    source: str = "annotated HITs",
) -> Comparisons:
    """A table of all pairs of items that were scored together.
    hits: positions in `items`, in the order of presentation; the one shown before the other is `first`.
    scores: nan where the judge could not say: the item's pairs are left out.  judges: of each HIT; None where
    unknown.  tie_within: scores no further apart are a tie; 0: equal ones.  Returns Comparisons: one row
    per pair."""
    if any(column is not None and len(column) != len(hits) for column in (scores, judges, sources)):
        raise InputError(
            f"{source}: {len(hits)} HITs, {len(scores)} rows of scores; expected as many of everything"
        )
    rows: list[tuple[int, ...]] = []
    for k, (hit, given) in enumerate(zip(hits, scores)):
        shown = np.asarray(hit, np.int64).tolist()
        for first, second, outcome in pairs_of_hit(np.asarray(given, np.float64).tolist(), tie_within):
            rows.append((shown[first], shown[second], *(outcome == o for o in ("win", "tie", "loss")), k))
    if not rows:
        raise InputError(
            f"{source}: no two items were scored in the same HIT, so nothing is compared; HITs of 2 or more"
            " items are needed"
        )
    *counts, of = np.array(rows, np.int64).T
    named = {"judge": judges, "source": sources}
    columns = {name: _factor([own[k] for k in of]) for name, own in named.items() if own is not None}
    return Comparisons.build(items, *counts, columns=columns, source=source)


def _factor(labels: Sequence[str | None]) -> Factor:
    levels = natural_order([label for label in labels if label])
    place = {level: k for k, level in enumerate(levels)}
    return Factor(np.array([place[label] if label else -1 for label in labels], np.int64), levels)
