"""Boundaries for a planned number of looks, equally spaced: O'Brien and Fleming (1979), Pocock (1977).

With K looks at equal steps, z_k = S_k / sqrt(k) and S_k a sum of independent standard normal increments,

    O'Brien-Fleming   stop if |z_k| >= C sqrt(K / k)        Pocock   stop if |z_k| >= C

and C is such that the probability of ever stopping is alpha when there is no difference. The probability is
found by the recursion of Armitage, McPherson and Rowe (1969): the density of S_k among those who have not
stopped is an integral of the density of S_{k-1}, here by Gauss-Legendre quadrature with 160 nodes, which has
12 digits.

These are for a study whose last look is fixed beforehand; a confidence sequence
(:mod:`pairproof.native.annotation.stopping.confidence_sequence`) needs no such plan, and is wider.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ....data.options import one_of, whole_number
from ....errors import InputError
from ..beta import FloatArray

Shape = Literal["obrien-fleming", "pocock"]
#: Nodes of the quadrature, and the most looks: beyond, take a confidence sequence.
NODES, MOST_LOOKS = 160, 200


def group_sequential(looks: int, alpha: float = 0.05, shape: Shape = "obrien-fleming") -> FloatArray:
    """Two-sided boundaries for z at each of K planned looks.

    looks: K, from 1 to 200.  alpha: probability of ever stopping without a difference, in (0, 1).  Returns
    float[looks]: stop at look k if |z| reaches the k-th.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    one_of("shape", shape, get_args(Shape))
    k = whole_number("looks", looks, 1)
    if k > MOST_LOOKS:
        raise InputError(
            f"looks={k}; expected {MOST_LOOKS} or fewer: a confidence sequence has no such number"
        )
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha!r}; expected a number between 0 and 1, such as 0.05")
    if k == 1:
        return np.array([-float(ndtri(alpha / 2))])
    once = -float(ndtri(alpha / 2))
    most = -float(ndtri(alpha / (2 * k)))  # Bonferroni

    def excess(c: float) -> float:
        return crossing(_boundaries(c, k, shape)) - alpha

    c = float(brentq(excess, 0.5 * once, 1.0001 * most + 1e-9, xtol=1e-13))
    return _boundaries(c, k, shape)


def _boundaries(c: float, k: int, shape: Shape) -> FloatArray:
    if shape == "pocock":
        return np.full(k, c)
    found: FloatArray = c * np.sqrt(k / np.arange(1.0, k + 1))
    return found


def crossing(boundaries: FloatArray) -> float:
    """Probability that |z_k| reaches its boundary at any of the looks, without a difference.

    boundaries float[looks]: of |z|, > 0, at looks after equal steps.
    """
    from scipy.special import ndtr, roots_legendre

    node, weight = roots_legendre(NODES)
    ends = np.asarray(boundaries, np.float64) * np.sqrt(np.arange(1.0, len(boundaries) + 1))
    stopped = 2.0 * float(ndtr(-ends[0]))
    x = ends[0] * node
    density = np.exp(-x * x / 2.0) / np.sqrt(2.0 * np.pi)
    mass = ends[0] * weight * density
    for k in range(1, len(ends)):
        stopped += float(mass @ (ndtr(-ends[k] - x) + ndtr(x - ends[k])))
        new = ends[k] * node
        density = np.exp(-((new[:, None] - x[None, :]) ** 2) / 2.0) @ mass / np.sqrt(2.0 * np.pi)
        x, mass = new, ends[k] * weight * density
    return stopped
