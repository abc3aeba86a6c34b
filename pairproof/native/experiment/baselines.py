"""The baselines of Hopkins and May (2013, sections 5 and 6): preference models from counts.

With n_p(s1, s2) the number of comparisons of s1 and s2 with outcome p (0 tie, 1 first, 2 second; both orders
pooled), n(s1, s2) their number, n_p(s) = sum over s2 of n_p(s, s2), and hat(0, 1, 2) = (0, 2, 1)::

    uniform            Q = 1/3
    adjusted uniform   Q(0) = |C0| / |C|,  Q(1) = Q(2) = (1 - Q(0)) / 2         not smoothed, as in the paper
    pairs              Q(p | s1, s2) = (alpha + n_p(s1, s2)) / (3 alpha + n(s1, s2))
    students           u_p(s) = (alpha + n_p(s)) / (3 alpha + n(s)), and of it
      asymmetric       Q(p | s1, s2) = u_p(s1)
      arithmetic       Q(p | s1, s2) = (u_p(s1) + u_hat(p)(s2)) / 2
      geometric        Q(p | s1, s2) = sqrt(u_p(s1) u_hat(p)(s2)),  renormalised

The geometric numbers sum to at most 1 (Cauchy-Schwarz), with equality only where u(s1) = hat u(s2).  The
paper does not say that it renormalises; its result "four models nearly indistinguishable" holds only if it
did.  Renormalised is the default here, raw an option.  The asymmetric form is not a preference model of
unordered pairs: Q(p | a, b) and Q(hat p | b, a) differ.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...data.judgments import HAT
from ...data.options import one_of
from ...errors import InputError

FloatArray = NDArray[np.float64]
Reconstruction = Literal["asymmetric", "arithmetic", "geometric"]

#: Strength of the symmetric Dirichlet prior, per category (the paper's footnote 13), so 3 alpha in the
#: denominator.
ALPHA = 1.0


def uniform(n_items: int) -> FloatArray:
    """float[n_items, n_items, 3]: 1/3 everywhere."""
    return np.full((n_items, n_items, 3), 1.0 / 3.0)


def adjusted_uniform(counts: FloatArray) -> FloatArray:
    """The observed rate of ties, the rest divided evenly.

    counts float[n_items, n_items, 3]: from :func:`pairproof.data.judgments.preference_counts`.  Returns
    float[n_items, n_items, 3]: not smoothed: without a tie in the training set a tie has probability 0.
    """
    total = counts.sum()
    if total <= 0:
        raise InputError("adjusted uniform: no training comparison, so the rate of ties has no estimate")
    tie = counts[:, :, 0].sum() / total
    return np.broadcast_to([tie, (1.0 - tie) / 2.0, (1.0 - tie) / 2.0], counts.shape).copy()


def independent_pairs(counts: FloatArray, alpha: float = ALPHA) -> FloatArray:
    """float[n_items, n_items, 3]: each pair by itself; a pair never compared has 1/3."""
    check_alpha(alpha)
    return np.asarray((alpha + counts) / (3.0 * alpha + counts.sum(axis=-1, keepdims=True)))


def universal_ability(counts: FloatArray, alpha: float = ALPHA) -> FloatArray:
    """u_p(s), float[n_items, 3]: outcomes of a system against all others; 1/3 for a system never compared."""
    check_alpha(alpha)
    n = counts.sum(axis=1)
    return np.asarray((alpha + n) / (3.0 * alpha + n.sum(axis=-1, keepdims=True)))


def independent_students(
    counts: FloatArray, reconstruction: Reconstruction, alpha: float = ALPHA, *, raw: bool = False
) -> FloatArray:
    """A preference model put together from universal abilities.

    counts float[n_items, n_items, 3].  alpha: > 0, per category.  raw: geometric only: leave the square roots
    as they are, summing to less than 1.  Returns float[n_items, n_items, 3].
    """
    one_of("reconstruction", reconstruction, get_args(Reconstruction))
    if raw and reconstruction != "geometric":
        raise InputError(
            f"raw=True is for the geometric reconstruction; the {reconstruction} one sums to 1 as it is"
        )
    u = universal_ability(counts, alpha)
    own, other = u[:, None, :], u[:, HAT][None, :, :]
    if reconstruction == "asymmetric":
        return np.broadcast_to(own, counts.shape).copy()
    if reconstruction == "arithmetic":
        return np.asarray((own + other) / 2.0)
    root = np.sqrt(own * other)
    return np.asarray(root if raw else root / root.sum(axis=-1, keepdims=True))


def check_alpha(alpha: float) -> None:
    if not (np.isfinite(alpha) and alpha > 0):
        raise InputError(
            f"alpha={alpha}; the strength of the prior must be finite and > 0 (without it an outcome that was"
            " not seen would be impossible)"
        )
