"""Sums over all rankings of every subset of the items, by a recursion over subsets.

With w_i = exp(2 lambda_i) the weight of a ranking in the pattern model is the product of w_i^(items below i).
The sum F(S) over the |S|! rankings of the items in S puts one item on top of the others (Hatzinger and
Dittrich 2012, Journal of Statistical Software 48(10)):

    F(S) = sum over i in S of F(S without i) w_i^(|S| - 1),    F(empty) = 1

takes 2^J J steps instead of J!.  The number of items below each has a mean and covariance that follow from
those of the smaller sets by the laws of total expectation and variance; every term is positive, so nothing
cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ....errors import TooLargeError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: 2^15 subsets with a covariance of 15 x 15 each are 60 MB; the time is some seconds a step.
MOST_ITEMS = 15

#: Numbers in the covariances of the groups that are done in one step: 16 MB.
MOST_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False)
class SubsetMoments:
    """Sum over the rankings of every subset, with the moments of the numbers of items below.

    log_total float[2^J]: log F(S); bit i of the index S is item i.  mean float[2^J, J]: of the number of
    items below each item, 0 outside S.  covariance float[2^J, J, J].
    """

    log_total: FloatArray
    mean: FloatArray
    covariance: FloatArray


@lru_cache(maxsize=16)
def levels(n_items: int) -> tuple[tuple[IntArray, IntArray], ...]:
    """The subsets of each size, and the items in each of them.

    Returns tuple of (int[n], int[n, size]): for sizes 1 to J.
    """
    if n_items > MOST_ITEMS:
        raise TooLargeError(
            f"{n_items} items have {2**n_items:,} subsets; the pattern model of rankings is fitted for up to"
            f" {MOST_ITEMS} items. Plackett and Luce's model has no such limit"
        )
    every = np.arange(2**n_items, dtype=np.int64)
    member = (every[:, None] >> np.arange(n_items)) & 1
    size = member.sum(axis=1)
    return tuple(
        (every[size == k], np.nonzero(member[size == k])[1].reshape(-1, k).astype(np.int64))
        for k in range(1, n_items + 1)
    )


def subset_moments(lam: FloatArray) -> SubsetMoments:
    """The recursion over all subsets.

    lam float[J]: the items' parameters; any level.
    """
    return moments_of_each(lam[None, :], np.arange(2 ** len(lam), dtype=np.int64))[0]


def moments_of_each(lam: FloatArray, kept: IntArray) -> list[SubsetMoments]:
    """The recursion at many parameters at once, of which some subsets are kept.

    Each of many covariate groups has its own parameters; one step of numpy for all of them takes little longer
    than one for a single group.

    lam float[G, J].  kept int[m]: the subsets whose moments are returned, in this order.  Returns list of
    SubsetMoments: one for each row of `lam`: float[m], float[m, J] and float[m, J, J].
    """
    n = lam.shape[1]
    levels(n)
    at_once = max(1, MOST_AT_ONCE // (2**n * n * n))
    found: list[SubsetMoments] = []
    for start in range(0, len(lam), at_once):
        log_total, mean, covariance = (part[:, kept] for part in _recursion(lam[start : start + at_once]))
        found += [SubsetMoments(*one) for one in zip(log_total, mean, covariance)]
    return found


def _recursion(lam: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """log F(S), mean and covariance, float[G, 2^J], float[G, 2^J, J], float[G, 2^J, J, J]."""
    groups, n = lam.shape
    log_total = np.zeros((groups, 2**n))
    mean = np.zeros((groups, 2**n, n))
    covariance = np.zeros((groups, 2**n, n, n))
    for below, (sets, items) in enumerate(levels(n)):
        without = sets[:, None] ^ (np.int64(1) << items)
        logs = log_total[:, without] + 2.0 * below * lam[:, items]
        top = logs.max(axis=2)
        share = np.exp(logs - top[:, :, None])
        total = share.sum(axis=2)
        share /= total[:, :, None]
        log_total[:, sets] = top + np.log(total)
        means = mean[:, without]
        means[:, np.arange(len(sets))[:, None], np.arange(below + 1)[None, :], items] += below
        m = (share[:, :, None, :] @ means)[:, :, 0, :]
        mean[:, sets] = m
        off = means - m[:, :, None, :]
        spread = (off * share[:, :, :, None]).swapaxes(2, 3) @ off
        for k in range(below + 1):
            spread += share[:, :, k, None, None] * covariance[:, without[:, k]]
        covariance[:, sets] = spread
    return log_total, mean, covariance
