"""Two systems' error rates in base R: an independent answer for the tests, by ``lm`` and ``var``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pairproof.bridge.packages.asking import RAnswer, ask, reals
from pairproof.bridge.process.policy import BackendLike

RATES = """
shares <- function(d, l) (d - sum(d) / sum(l) * l) / mean(l)
left <- function(d, l) vapply(seq_along(d), function(i) sum(d[-i]) / sum(l[-i]), 0)
mean_se <- function(u) sqrt(var(u) / length(u))
jackknife <- function(r) (length(r) - 1) * mean_se(r)
one <- function(d, l) {
  m <- lm(d / l ~ 1, weights = l)
  c(rate = unname(coef(m)), se_vilar = summary(m)$sigma / sqrt(sum(l) - 1), se_delta = mean_se(shares(d, l)), se_jackknife = jackknife(left(d, l)))
}
first <- one(d1, l1); second <- one(d2, l2)
list(first = first, second = second, difference = first[["rate"]] - second[["rate"]], se_delta = mean_se(shares(d1, l1) - shares(d2, l2)),
     se_jackknife = jackknife(left(d1, l1) - left(d2, l2)))
"""


@dataclass(frozen=True)
class RRate:
    """An error rate as the intercept of ``lm(d / l ~ 1, weights = l)``, and its standard errors.

    Attributes
    ----------
    rate : float
    se_vilar : float
        ``lm``'s residual standard deviation over sqrt(L - 1); ``lm`` itself divides by sqrt(L).
    se_delta : float
        Standard error of the mean of (d - R l) / mean(l), by ``var``.
    se_jackknife : float
        From the rates without each sentence, each summed anew, by ``var``.
    """

    rate: float
    se_vilar: float
    se_delta: float
    se_jackknife: float


@dataclass(frozen=True)
class RRates(RAnswer):
    """Two rates and their difference on the same sentences."""

    first: RRate
    second: RRate
    difference: float
    se_delta: float
    se_jackknife: float


def rate_difference(
    first_errors: Any,
    second_errors: Any,
    lengths: Any,
    second_lengths: Any = None,
    *,
    backend: BackendLike = None,
) -> RRates:
    """Two systems' error rates, each by itself and sentence by sentence.

    Parameters
    ----------
    first_errors, second_errors, lengths : float[m]
    second_lengths : float[m], optional
        Default: the same.
    """
    d1, d2, l1 = reals(first_errors), reals(second_errors), reals(lengths)
    l2 = l1 if second_lengths is None else reals(second_lengths)
    result = ask(backend, "stats::lm, var, error rates", RATES, {"d1": d1, "d2": d2, "l1": l1, "l2": l2})
    first, second = (RRate(*result.as_list().vector(side).floats()) for side in ("first", "second"))
    return RRates.read(result, first=first, second=second)
