"""Where a number is what is left of sums that cancel, its rounding is that of the sums.

A deviance of 0 (a saturated table, all items equal) is the sum of 2 y log(y / m) over the outcomes: every
term is right to about 2^-52 of its count y, and nothing is left of them, so two right programs can give 0,
1e-29 and -5e-15.  With N comparisons the size of what cancels is N.  A log-likelihood that R gives as a
Poisson one has had

    sum(n log n - n) - sum log y!

added, which grows as N log N and is taken off again; a binomial one sum log choose(n, wins).  Where all is
nearly certain (a million wins to one) the rest is a hundred-thousandth of that.  And a binomial glm takes the
probability q of losing as 1 - mu, right to 2^-53 and not to that part of itself: log q, of which there are as
many as losses, is off by 2^-53 / q; beyond log-odds of 30 it puts 2^-52 in the place of q.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from ...bridge.cells import CountedCells
from ...fit.fit import Fit
from ..verdicts.agreement import RCounterpart
from .stopped_short import probabilities

FloatArray = NDArray[np.float64]
#: R's C code of the logit link (`logit_linkinv`) keeps log-odds within 30.
CLAMPED = float(np.exp(-30.0))


def rounding(fit: Fit, cells: CountedCells, answer: RCounterpart, binomial: bool) -> dict[str, float]:
    """Size of the sums that cancel in R's deviance, llf and AIC, by quantity; nothing where R has none of
    them.

    `binomial` says that R computed the probability of losing as 1 - mu.
    """
    n = cells.counts.sum(axis=1)
    total = float(n.sum())
    if binomial:
        total += _of_small_probabilities(cells.losses, probabilities(fit, cells, fit.beta)[:, -1])
        total += _of_small_probabilities(cells.wins, probabilities(fit, cells, fit.beta)[:, 0], exact=True)
    constants = float(np.sum(xlogy(n, n)) + total + np.sum(gammaln(cells.counts + 1.0)))
    # A term of a deviance is 2 y log(y / m), and a Poisson one has 2 (y - m) taken off: twice the counts.
    # Seen on a balanced table of 32 comparisons: 4.0e-14 for 0 from llbtPC.fit, 2.8 units of 64's last place.
    sizes = {"deviance": 2.0 * total, "llf": total + constants, "aic": 2.0 * (total + constants)}
    return {name: size for name, size in sizes.items() if name in answer.values}


def _of_small_probabilities(count: FloatArray, q: FloatArray, exact: bool = False) -> float:
    """What a glm's probabilities cost: 2^-52 / q for each comparison that was lost, and all of log(2^-52 / q)
    beyond `CLAMPED`.

    `exact` says that q is computed as itself and not as 1 minus another.
    """
    last = np.finfo(float).eps
    q = np.maximum(q[count > 0], np.finfo(float).tiny)
    count = count[count > 0]
    clamped = (1.0 + np.abs(np.log(last / q))) / last
    return float(np.sum(count * np.where(q < CLAMPED, clamped, 0.0 if exact else 1.0 / q)))
