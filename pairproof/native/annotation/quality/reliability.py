"""Intraclass correlations: the share of a score's variance that is the item's.

    one way      (MSR - MSW) / (MSR + (k - 1) MSW)        ICC(1)
    two way      (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)        ICC(2,1)

of n items with k scores each (Shrout and Fleiss 1979, Psychol. Bull. 86, 420-428). Where items have unequal
numbers of scores, or annotators left some out, the same shares are taken from the variances of a mixed model:
item / (item + residual) and item / (item + annotator + residual), restricted maximum likelihood.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ....errors import NotEstimableError
from ..beta import FloatArray
from ..coded_labels import coded, numbers
from ..models.mixed_model import mixed_model


@dataclass(frozen=True)
class Reliability:
    """An intraclass correlation of single scores.

    value: at most 1; negative where items differ less than scores of one item do.  `by`: mean squares for
    complete tables.  n_items: with a score.
    """

    value: float
    by: str
    n_items: int


def icc_one_way(item: Sequence[Hashable], score: ArrayLike) -> Reliability:
    """ICC(1): annotators may be others for every item.

    item: Label of each score.  score float[n].
    """
    y = numbers("score", score)
    items, what = coded("item", item, len(y))
    n = np.bincount(what)
    _check(n, y)
    if np.ptp(n) > 0:
        fit = mixed_model(y, [what])
        share = float(fit.variances[0] / (fit.variances[0] + fit.residual[0]))
        return Reliability(share, "mixed model", len(items))
    k = int(n[0])
    mean = np.bincount(what, y) / n
    within = float(np.sum((y - mean[what]) ** 2)) / (len(y) - len(items))
    rows = k * float(np.sum((mean - y.mean()) ** 2)) / (len(items) - 1)
    return Reliability((rows - within) / (rows + (k - 1) * within), "mean squares", len(items))


def icc_two_way(item: Sequence[Hashable], annotator: Sequence[Hashable], score: ArrayLike) -> Reliability:
    """ICC(2,1): the same annotators, whose different generosity counts as disagreement.

    item, annotator: labels of each score.  score float[n].
    """
    y = numbers("score", score)
    items, what = coded("item", item, len(y))
    people, who = coded("annotator", annotator, len(y))
    _check(np.bincount(what), y)
    if len(people) < 2:
        raise NotEstimableError(f"two-way agreement: one annotator ({people[0]}); expected two or more")
    cells = np.bincount(what * len(people) + who, minlength=len(items) * len(people))
    if (cells != 1).any():
        fit = mixed_model(y, [what, who], names=["item", "annotator"])
        total = float(fit.variances.sum() + fit.residual[0])
        return Reliability(float(fit.variances[0]) / total, "mixed model", len(items))
    table: FloatArray = np.empty((len(items), len(people)))
    table[what, who] = y
    return Reliability(_mean_squares(table), "mean squares", len(items))


def _mean_squares(table: FloatArray) -> float:
    n, k = table.shape
    row, column, all_ = table.mean(axis=1), table.mean(axis=0), float(table.mean())
    rows = k * float(np.sum((row - all_) ** 2)) / (n - 1)
    columns = n * float(np.sum((column - all_) ** 2)) / (k - 1)
    error = float(np.sum((table - row[:, None] - column[None, :] + all_) ** 2)) / ((n - 1) * (k - 1))
    return (rows - error) / (rows + (k - 1) * error + k * (columns - error) / n)


def _check(n: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]", y: FloatArray) -> None:
    if len(n) < 2 or n.max() < 2:
        raise NotEstimableError(
            f"agreement: {len(n)} item(s), {int((n > 1).sum())} of them scored twice; expected two items or more, some of"
            " them scored by several annotators"
        )
    if np.ptp(y) == 0.0:
        raise NotEstimableError(f"agreement: all {len(y)} scores are {y[0]:g}; nothing varies")
