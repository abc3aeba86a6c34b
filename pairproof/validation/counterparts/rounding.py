"""Where a number is what is left of sums that cancel, its rounding is that of the sums.

A deviance of 0 (a saturated table, all items equal) is the sum of 2 y log(y / m) over the outcomes: every term is right to
about 2^-52 of its count y, and nothing is left of them, so two right programs can give 0, 1e-29 and -5e-15.  With N
comparisons the size of what cancels is N.  A log-likelihood that R gives as a Poisson one has had

    sum(n log n - n) - sum log y!

added, which grows as N log N and is taken off again; a binomial one sum log choose(n, wins).  Where all is nearly certain
(a million wins to one) the rest is a hundred-thousandth of that.  And a binomial glm takes the probability q of losing as
1 - mu, right to 2^-53 and not to that part of itself: log q, of which there are as many as losses, is off by 2^-53 / q.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlogy

from ...counting import CountedCells
from ...fit import Fit
from ..agreement import RCounterpart
from .witness import probabilities


def rounding(fit: Fit, cells: CountedCells, answer: RCounterpart, binomial: bool) -> dict[str, float]:
    """Size of the sums that cancel in R's deviance, llf and AIC, by quantity; nothing where R has none of them.

    `binomial` says that R computed the probability of losing as 1 - mu.
    """
    n = cells.counts.sum(axis=1)
    total = float(n.sum())
    if binomial:
        lost = cells.losses > 0
        total += float(np.sum(cells.losses[lost] / np.maximum(probabilities(fit, cells, fit.beta)[lost, -1], np.finfo(float).eps)))
    constants = float(np.sum(xlogy(n, n)) + total + np.sum(gammaln(cells.counts + 1.0)))
    sizes = {"deviance": total, "llf": total + constants, "aic": 2.0 * (total + constants)}
    return {name: size for name, size in sizes.items() if name in answer.values}
