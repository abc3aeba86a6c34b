"""Intervals of EASL's scores that hold as often as they say.

EASL adds a score s to alpha and 1 - s to beta, as if a score were a share of one coin thrown once. Its
variance then is m (1 - m) a judgment, m the item's score, where the judgments' own is s^2: the intervals are
far too wide (at a nominal 95 % they cover .999 to 1). With

    k = mean of m (1 - m) over judged items / s^2        Beta(1 + k (alpha - 1), 1 + k (beta - 1))

the distribution has the judgments' variance and the same mode (Sakaguchi and Van Durme 2018 have no such
factor). In simulations with noise of .1 to .3 and 3 to 20 judgments an item the intervals cover the expected
score in .92 to .96 of items. That is a mean over the scale: at noise .1 it is .88 to .90 for items in the outer
fifths and .97 in the middle, since items near an end have less room to vary than s says; at .2 it is .94 to .97
everywhere.

They assume that judgments of an item are independent with one spread s, and say how far more of *these*
annotators' judgments would move the score: an annotator's shift that all of an item's judgments share is not
in them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, NotEstimableError
from . import beta as beta_distributions
from .beta import FloatArray
from .coded_labels import coded, numbers


def spread_within_items(item: Sequence[Hashable], score: ArrayLike) -> float:
    """Pooled standard deviation of the scores of one item.

    item: Label of each score.  score float[n].
    """
    y = numbers("score", score)
    items, what = coded("item", item, len(y))
    free = len(y) - len(items)
    if free == 0:
        raise NotEstimableError(
            f"{len(y)} scores of {len(items)} items: no item was scored twice, so no spread"
        )
    mean = np.bincount(what, y) / np.bincount(what)
    return float(np.sqrt(np.sum((y - mean[what]) ** 2) / free))


def calibration(alpha: ArrayLike, beta: ArrayLike, spread: float) -> float:
    """The factor k: how many throws of a coin a judgment is worth.

    alpha, beta float[n_items]: EASL's state, >= 1; items at (1, 1) are not judged yet and left out.  spread:
    standard deviation of the judgments of an item, on the scale from 0 to 1.
    """
    if not (np.isfinite(spread) and spread > 0):
        raise InputError(
            f"spread={spread!r}; expected a number > 0: with no spread within items there is no interval"
        )
    a, b = np.asarray(alpha, np.float64), np.asarray(beta, np.float64)
    judged = (a > 1.0) | (b > 1.0)
    m = beta_distributions.mode(a[judged], b[judged])
    throws = float(np.mean(m * (1.0 - m))) if judged.any() else 0.0
    if throws == 0.0:
        raise NotEstimableError(
            f"calibration of {int(judged.sum())} judged items: none has a score between the ends of the scale"
        )
    return throws / spread**2


def calibrated_interval(
    alpha: ArrayLike, beta: ArrayLike, spread: float, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Highest-density interval of each item with the judgments' own spread; it holds the item's score.

    alpha, beta float[n_items]: EASL's state, >= 1.  spread: standard deviation of the judgments of an item:
    :func:`spread_within_items`, or the noise of an annotator model.  Returns low, high float[n_items]: in [0,
    1]; of an item that is not judged, the middle of the scale.
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
    k = calibration(alpha, beta, spread)
    a, b = np.atleast_1d(np.asarray(alpha, np.float64)), np.atleast_1d(np.asarray(beta, np.float64))
    return beta_distributions.interval(1.0 + k * (a - 1.0), 1.0 + k * (b - 1.0), level)
