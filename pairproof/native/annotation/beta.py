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

What the paper leaves open: M(1, 1) is 1/2; both items of a pair are updated from the values before it; equal
scores are a tie; a HIT's pairs go (1,2), (1,3), ..., (n-1,n).  The variance does not always decrease (B(1, 4)
to B(2, 4): .0267 to .0317).  From a = b = 1 the mode of EASL is exactly the mean of the scores.

Highest-density intervals l < m < u are found by their depth r, G(m) - G(l) = G(m) - G(u) = r^2 / 2 (G log
density), F(u) - F(l) = level: nearly the normal quantile, two to four Newton steps (signed root of the
likelihood ratio; Barndorff-Nielsen and Cox 1994, section 6.6).  Ends are roots of a function concave in log(x
/ (1 - x)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...numerics.arrays import FloatArray as FloatArray, IntArray as IntArray

#: Change of r, relative to the normal quantile, after which no further step is taken (Newton: the error is
#: then far smaller, and what rounding leaves in the incomplete beta function).
ACCURATE = 1e-11
MAX_STEPS = 60


def interval(alpha: ArrayLike, beta: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Highest-density interval of each beta distribution, which always holds its mode.
    The interval is not calibrated: it is as uncertain as the method takes itself to be (with
    `methods.calibration` it is).  alpha, beta float[k]: >= 1.  Returns low, high float[k]: in [0, 1].  Of the
    uniform distribution the middle."""
    own = np.atleast_1d(np.asarray(alpha, np.float64)) + 1j * np.atleast_1d(np.asarray(beta, np.float64))
    # Scores on a slider of a hundred steps give the same distribution again and again.
    distinct, back = np.unique(own, return_inverse=True)
    a, b = distinct.real.copy(), distinct.imag.copy()
    # One end of the scale has the highest density: the interval begins there.
    low = np.where(b == 1.0, (1.0 - level) ** (1.0 / a), 0.0)
    high = np.where(b == 1.0, 1.0, 1.0 - (1.0 - level) ** (1.0 / b))
    flat = (a == 1.0) & (b == 1.0)
    low[flat], high[flat] = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    inner = (a > 1.0) & (b > 1.0)
    if inner.any():
        low[inner], high[inner] = _inner(a[inner], b[inner], level)
    return low[back], high[back]


def _inner(a: FloatArray, b: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Ends where the mode is inside (0, 1)."""
    from scipy.special import betainc, betaln, ndtri

    quantile = float(ndtri(0.5 + level / 2.0))
    r = np.full(len(a), quantile)
    least, most = np.zeros(len(a)), np.full(len(a), np.inf)
    peak = _log_density(a, b, np.log(a - 1.0) - np.log(b - 1.0))
    constant = peak - betaln(a, b)
    low, high = np.empty(len(a)), np.empty(len(a))
    left, right = np.full(len(a), np.nan), np.full(len(a), np.nan)
    todo = np.arange(len(a))
    for _ in range(MAX_STEPS):
        p, q, depth = a[todo], b[todo], r[todo]
        target = peak[todo] - depth**2 / 2.0
        left[todo], right[todo] = _end(p, q, target), -_end(q, p, target)
        l, l_slope = _place(p, q, left[todo])
        u, u_slope = _place(p, q, right[todo])
        low[todo], high[todo] = l, u
        held = betainc(p, q, u) - betainc(p, q, l)
        short = held < level
        least[todo], most[todo] = np.where(short, depth, least[todo]), np.where(short, most[todo], depth)
        rate = np.exp(constant[todo] - depth**2 / 2.0) * depth * (l_slope - u_slope)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = ndtri(0.5 + held / 2.0)
            new = depth + (quantile - z) * 2.0 * np.exp(-z * z / 2.0) / np.sqrt(2.0 * np.pi) / rate
            outside = ~(new > least[todo]) | ~(new < most[todo])
            middle = np.where(
                np.isinf(most[todo]), 2.0 * depth, (least[todo] + np.minimum(most[todo], 1e300)) / 2.0
            )
        new = np.where(outside, middle, new)
        near = np.abs(new - depth) <= ACCURATE * quantile
        r[todo] = new
        todo = todo[~near]
        if not len(todo):
            break
    return low, high


def _log_density(a: FloatArray, b: FloatArray, y: FloatArray) -> FloatArray:
    """Log density at y = log(x / (1 - x)), without its constant."""
    rest = np.log1p(np.exp(-np.abs(y)))
    return np.asarray(-(a - 1.0) * (np.maximum(-y, 0.0) + rest) - (b - 1.0) * (np.maximum(y, 0.0) + rest))


def _end(a: FloatArray, b: FloatArray, target: FloatArray) -> FloatArray:
    """The y left of the mode at which the log density is `target`.
    The log density is below (a - 1) y, so the start is on the left of the root; it is concave, so every step
    ends on the left as well."""
    y = target / (a - 1.0)
    todo: IntArray = np.arange(len(a))
    for _ in range(MAX_STEPS):
        p, q, at = a[todo] - 1.0, b[todo] - 1.0, y[todo]
        x = 1.0 / (1.0 + np.exp(np.minimum(-at, 700.0)))
        step = (target[todo] - _log_density(p + 1.0, q + 1.0, at)) / (p * (1.0 - x) - q * x)
        y[todo] = at + step
        todo = todo[np.abs(step) > 1e-13 * (1.0 + np.abs(at))]
        if not len(todo):
            break
    return y


def _place(a: FloatArray, b: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """x, and (dx / dy) / (dG / dy), which times -r is dx / dr."""
    x = 1.0 / (1.0 + np.exp(np.minimum(-y, 700.0)))
    rest = 1.0 / (1.0 + np.exp(np.minimum(y, 700.0)))
    return x, x * rest / ((a - 1.0) * rest - (b - 1.0) * x)


#: What a judge said about two items, from the first's side.
PairOutcome = Literal["win", "tie", "loss"]

#: Skill chain and tie rate of the paper's experiments (section 5).
GAMMA, EPSILON = 0.1, 0.1
#: Where every item starts (section 5): the uniform distribution.
START = 1.0


def mode(alpha: ArrayLike, beta: ArrayLike) -> FloatArray:
    """Mode of a beta distribution, the item's score (equation 12); 1/2 at (1, 1).
    Returns float[...]: in [0, 1]."""
    a, b = np.asarray(alpha, np.float64), np.asarray(beta, np.float64)
    excess = (a - 1.0) + (b - 1.0)
    flat = excess == 0.0
    return np.where(flat, 0.5, (a - 1.0) / np.where(flat, 1.0, excess))


def variance(alpha: ArrayLike, beta: ArrayLike) -> FloatArray:
    """Variance of a beta distribution (equation 13).  Returns float[...]: in (0, 1/12]."""
    a, b = np.asarray(alpha, np.float64), np.asarray(beta, np.float64)
    total = a + b
    return np.asarray(a * b / (total * total * (total + 1.0)))


class Chances(NamedTuple):
    """Chances of the three outcomes of a pair; they sum to 1.
    win, tie, loss: of the first item winning, of a tie, of the second winning."""

    win: float
    tie: float
    loss: float


def chances(mode_i: float, mode_j: float, epsilon: float = EPSILON) -> Chances:
    """Chances of a pair of items by their modes (equations 20 to 22).
    At epsilon 0.1 a win has a chance in [.2497, .7109]: a surprise is never small, which narrows the range of
    RA's scores.  mode_i, mode_j: in [0, 1].  epsilon: tie rate, >= 0."""
    theta = math.exp(epsilon)
    ratio = math.exp(mode_j - mode_i)  # pi_j / pi_i
    win = 1.0 / (1.0 + theta * ratio)
    loss = ratio / (theta + ratio)
    return Chances(win, math.expm1(2.0 * epsilon) * win * loss, loss)


class Pair(NamedTuple):
    """The two beta distributions of a pair."""

    alpha_i: float
    beta_i: float
    alpha_j: float
    beta_j: float


def update_pair(pair: Pair, outcome: PairOutcome, gamma: float = GAMMA, epsilon: float = EPSILON) -> Pair:
    """One judgment of two items (equations 14 to 19).
    outcome: from the first item's side.  gamma, epsilon: skill chain > 0, tie rate >= 0."""
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


def _mode(alpha: float, beta: float) -> float:
    """:func:`mode` of one item, without NumPy's cost for a single number."""
    excess = (alpha - 1.0) + (beta - 1.0)
    return 0.5 if excess == 0.0 else (alpha - 1.0) / excess


def _variance(alpha: float, beta: float) -> float:
    total = alpha + beta
    return alpha * beta / (total * total * (total + 1.0))


def pairs_of_hit(scores: Sequence[float], tie_within: float = 0.0) -> list[tuple[int, int, PairOutcome]]:
    """The judged pairs of a HIT by place, (0,1), (0,2), ..., with what the scores say of each.
    scores float[n]: nan where the judge could not say: pairs of that item are left out.  tie_within: scores
    no further apart than this are a tie; 0: equal ones."""
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
    alpha, beta float[n_items]: not changed.  items int[k].  scores float[k]: in [0, 1]."""
    index = np.asarray(items, np.int64)
    total = exact_sums(index, np.asarray(scores, np.float64), len(alpha))
    count = np.bincount(index, minlength=len(alpha))
    return alpha + total, beta + (count - total)


def exact_sums(index: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Sums of values in [0, 1] by index, the same in whatever order they come.
    Each value is cut into multiples of 2^-26, of 2^-52 and a rest, whose sums are exact in doubles for up to
    2^26 values an index; only the last two additions round.  index int[k].  values float[k]: in [0, 1].
    Returns float[size]."""
    coarse = np.floor(values / 2.0**-26) * 2.0**-26
    fine = np.floor((values - coarse) / 2.0**-52) * 2.0**-52
    first, second, rest = (np.bincount(index, part, size) for part in (coarse, fine, values - coarse - fine))
    return np.asarray(rest + second + first)
