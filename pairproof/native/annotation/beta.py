"""Bounded scores: every item a beta distribution, updated by pairs (RA) or by the scores themselves (EASL).

Sakaguchi and Van Durme (2018), Efficient Online Scalar Annotation with Bounded Support, ACL; their equation
numbers.

    mode  M = (a - 1) / (a + b - 2)                                                                  (12)
    variance  v = a b / ((a + b)^2 (a + b + 1))                                                      (13)
    c = sqrt(2 gamma^2 + v_i + v_j),  theta = exp(epsilon),  pi = exp(M),  D = M_i - M_j
    p(i > j) = pi_i / (pi_i + theta pi_j)                                                            (20)
    p(i = j) = (theta^2 - 1) pi_i pi_j / ((pi_i + theta pi_j) (theta pi_i + pi_j))                   (22)
    i wins:                  a_i += v_i/c (1 - p(i > j)),  b_j += v_j/c (1 - p(i > j))               (14, 15)
    tie, |D| > epsilon, M_i > M_j:  a_j += v_j/c (1 - p(i = j)),  b_i += v_i/c (1 - p(i = j))        (16, 17)
    tie, |D| <= epsilon:     a and b of both += v/c (1 - p(i = j))                                   (18, 19)
    EASL:                    a += s,  b += 1 - s,  s in [0, 1]                                       (24, 25)

What the paper leaves open, and what is done here: M(1, 1), which (12) makes 0/0, is 1/2; both items of a pair
are updated from the values before it; equal scores are a tie; the pairs of a HIT are taken one after the
other, in the order of presentation (1,2), (1,3), ..., (n-1,n).  Equation 15's p of "j loses to i" is equation
20's number.

Where the paper is wrong: the variance does not always decrease (B(1, 4) to B(2, 4) raises it from
.0267 to .0317; with a = 1 it rises with a wherever b > sqrt(3)); a and b never decrease, as it says.  From a
= b = 1 the mode of EASL is exactly the mean of the scores, so it differs from direct assessment by which
items are judged, not by the estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableSequence, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: What a judge said of two items, from the first's side.
PairOutcome = Literal["win", "tie", "loss"]

#: Skill chain and tie rate of the paper's experiments (section 5).
GAMMA, EPSILON = 0.1, 0.1
#: Where every item starts (section 5): the uniform distribution.
START = 1.0


def mode(alpha: ArrayLike, beta: ArrayLike) -> FloatArray:
    """Mode of a beta distribution, the item's score (equation 12); 1/2 at (1, 1).

    alpha, beta: >= 1.  Returns float[...]: in [0, 1].
    """
    a, b = np.asarray(alpha, np.float64), np.asarray(beta, np.float64)
    excess = (a - 1.0) + (b - 1.0)
    flat = excess == 0.0
    found: FloatArray = np.where(flat, 0.5, (a - 1.0) / np.where(flat, 1.0, excess))
    return found


def variance(alpha: ArrayLike, beta: ArrayLike) -> FloatArray:
    """Variance of a beta distribution (equation 13).

    alpha, beta: >= 1.  Returns float[...]: in (0, 1/12].
    """
    a, b = np.asarray(alpha, np.float64), np.asarray(beta, np.float64)
    total = a + b
    found: FloatArray = a * b / (total * total * (total + 1.0))
    return found


class Chances(NamedTuple):
    """Chances of the three outcomes of a pair; they sum to 1.

    win, tie, loss: of the first item winning, of a tie, of the second winning.
    """

    win: float
    tie: float
    loss: float


def chances(mode_i: float, mode_j: float, epsilon: float = EPSILON) -> Chances:
    """Chances of a pair of items by their modes (equations 20 to 22).

    At epsilon 0.1 a win has a chance in [.2497, .7109]: a surprise is never small, which narrows the range of
    RA's scores.

    mode_i, mode_j: in [0, 1].  epsilon: tie rate, >= 0.
    """
    theta = math.exp(epsilon)
    ratio = math.exp(mode_j - mode_i)  # pi_j / pi_i
    win = 1.0 / (1.0 + theta * ratio)
    loss = ratio / (theta + ratio)
    return Chances(win, math.expm1(2.0 * epsilon) * win * loss, loss)


class Pair(NamedTuple):
    """The two beta distributions of a pair.

    alpha_i, beta_i, alpha_j, beta_j: >= 1.
    """

    alpha_i: float
    beta_i: float
    alpha_j: float
    beta_j: float


def update_pair(pair: Pair, outcome: PairOutcome, gamma: float = GAMMA, epsilon: float = EPSILON) -> Pair:
    """One judgment of two items (equations 14 to 19).

    pair: before the judgment.  outcome: from the first item's side.  gamma, epsilon: skill chain > 0, tie
    rate >= 0.
    """
    ai, bi, aj, bj = pair
    if outcome == "loss":
        aj, bj, ai, bi = update_pair(Pair(aj, bj, ai, bi), "win", gamma, epsilon)
        return Pair(ai, bi, aj, bj)
    mi, mj, vi, vj = _mode(ai, bi), _mode(aj, bj), _variance(ai, bi), _variance(aj, bj)
    c = math.sqrt(2.0 * gamma * gamma + vi + vj)
    p = chances(mi, mj, epsilon)
    if outcome == "win":
        surprise = 1.0 - p.win
        return Pair(ai + vi / c * surprise, bi, aj, bj + vj / c * surprise)
    surprise = 1.0 - p.tie
    up_i, up_j = vi / c * surprise, vj / c * surprise
    if abs(mi - mj) <= epsilon:
        return Pair(ai + up_i, bi + up_i, aj + up_j, bj + up_j)
    if mi > mj:
        return Pair(ai, bi + up_i, aj + up_j, bj)
    return Pair(ai + up_i, bi, aj, bj + up_j)


def update_hit(
    a: MutableSequence[float] | FloatArray,
    b: MutableSequence[float] | FloatArray,
    items: Sequence[int],
    scores: Sequence[float],
    gamma: float = GAMMA,
    epsilon: float = EPSILON,
    tie_within: float = 0.0,
    update: Callable[..., tuple[float, float, float, float]] = update_pair,
) -> None:
    """All pairs of one HIT, one after the other; the items' states are changed in place.

    `a`, b float[n_items]: the states: alpha and beta, or what else `update` takes.  items int[n]: in the
    order of presentation.  scores float[n]: in [0, 1]; nan where the judge could not say, and then no pair of
    that item counts.  gamma, epsilon: skill chain > 0, tie rate >= 0.  tie_within: scores no further apart
    than this are a tie; 0: equal ones.  update: what one judgment of a pair changes: :func:`update_pair`
    (equations 14 to 19) or :func:`pairproof.native.annotation.trueskill.update_pair` (equations 3 to 10).
    """
    for k, l, outcome in pairs_of_hit(scores, tie_within):
        i, j = items[k], items[l]
        a[i], b[i], a[j], b[j] = update((a[i], b[i], a[j], b[j]), outcome, gamma, epsilon)


def pairs_of_hit(scores: Sequence[float], tie_within: float = 0.0) -> list[tuple[int, int, PairOutcome]]:
    """The judged pairs of a HIT by place, (0,1), (0,2), ..., with what the scores say of each.

    scores float[n]: nan where the judge could not say: pairs of that item are left out.  tie_within: scores
    no further apart than this are a tie; 0: equal ones.
    """
    found: list[tuple[int, int, PairOutcome]] = []
    for k, first in enumerate(scores):
        for l in range(k + 1, len(scores)):
            gap = first - scores[l]
            if not math.isnan(gap):
                found.append((k, l, "tie" if abs(gap) <= tie_within else "win" if gap > 0 else "loss"))
    return found


def add_scores(
    alpha: FloatArray, beta: FloatArray, items: ArrayLike, scores: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """EASL's update for many scores at once (equations 24 and 25), the same bits in whatever order they come.

    alpha, beta float[n_items]: not changed.  items int[k].  scores float[k]: in [0, 1].
    """
    index = np.asarray(items, np.int64)
    total = exact_sums(index, np.asarray(scores, np.float64), len(alpha))
    count = np.bincount(index, minlength=len(alpha))
    return alpha + total, beta + (count - total)


def exact_sums(index: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Sums of values in [0, 1] by index, the same in whatever order they come.

    Each value is cut into multiples of 2^-26, of 2^-52 and a rest, whose sums are exact in doubles for up to
    2^26 values an index; only the last two additions round.

    index int[k].  values float[k]: in [0, 1].  Returns float[size].
    """
    total: FloatArray = np.zeros(size)
    rest = values
    parts = []
    for unit in (2.0**-26, 2.0**-52):
        part = np.floor(rest / unit) * unit
        parts.append(np.bincount(index, part, size))
        rest = rest - part
    parts.append(np.bincount(index, rest, size))
    for part in reversed(parts):
        total = total + part
    return total


def _mode(alpha: float, beta: float) -> float:
    """:func:`mode` of one item, without NumPy's cost for a single number."""
    excess = (alpha - 1.0) + (beta - 1.0)
    return 0.5 if excess == 0.0 else (alpha - 1.0) / excess


def _variance(alpha: float, beta: float) -> float:
    total = alpha + beta
    return alpha * beta / (total * total * (total + 1.0))


def interval(alpha: ArrayLike, beta: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Highest-density interval of each beta distribution, which always holds its mode.

    Found by :func:`pairproof.native.annotation.highest_density.highest_density`.  The interval is not
    calibrated: it is as uncertain as the method takes itself to be
    (:func:`pairproof.native.annotation.calibrated_intervals.calibrated_interval` is).

    alpha, beta float[k]: >= 1.  Returns low, high float[k]: in [0, 1].
    """
    from .highest_density import highest_density

    a, b = np.atleast_1d(np.asarray(alpha, np.float64)), np.atleast_1d(np.asarray(beta, np.float64))
    return highest_density(a, b, level)
