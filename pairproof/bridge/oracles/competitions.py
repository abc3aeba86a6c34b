"""What base R says about translation competitions: baselines, rules that rank, the Gaussian model's mode,
Vilar's comparison.

Written apart from the native code and in another form: R's own ``pnorm``, ``optim``, ``t.test``,
``binom.test``, ``lm`` and ``var`` do the work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pairproof.bridge.packages.models import Floats, asks, number
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.records.result import RResult
from pairproof.bridge.values.values import RVector

MODE = """
tau <- sqrt(2 * (sa^2 + so^2))
objective <- function(mu) {
  total <- -sum(dnorm(mu, 0, s0, log = TRUE))
  for (i in seq_along(mu)) for (j in seq_along(mu)) if (i < j) {
    m <- mu[i] - mu[j]
    p <- c(pnorm((d - m) / tau) - pnorm((-d - m) / tau), pnorm((m - d) / tau), pnorm((-m - d) / tau))
    k <- n[i, j, ]
    total <- total - sum(k[k > 0] * log(p[k > 0]))
  }
  total
}
# Two rounds of quasi-Newton: the second forgets the first one's curvature.
one <- optim(rep(0, dim(n)[1]), objective, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000, ndeps = rep(1e-5, dim(n)[1])))
two <- optim(one$par, objective, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000, ndeps = rep(1e-5, dim(n)[1])))
# Wider differences for second derivatives: with 1e-5 rounding alone would cost four of their digits.
hessian <- optimHess(two$par, objective, control = list(ndeps = rep(1e-3, dim(n)[1])))
list(mode = two$par, sd = sqrt(diag(solve(hessian))), objective = two$value, converged = two$convergence == 0)
"""


@dataclass(frozen=True, eq=False)
class RMode:
    """Mode of the abilities, Laplace standard deviations, minus the log posterior there, as ``optim`` finds
    them.
    """

    mode: Floats
    sd: Floats
    objective: float
    converged: bool
    result: RResult = field(repr=False)


@asks()
def irt_gaussian_mode(
    counts: Floats,
    sd_ability: float = 1.0,
    sd_quality: float = 0.5,
    sd_noise: float = 1.0,
    radius: float = 0.4,
    *,
    backend: BackendLike = None,
) -> RMode:
    """The mode with fresh items by ``optim(method = "BFGS")``; its own derivatives are differences, so 6
    digits or so.

    Parameters
    ----------
    counts : float[n, n, 3]
        Tie, first preferred, second preferred; both orders of a pair pooled.
    """
    arguments = {
        "n": np.asarray(counts, np.float64),
        "s0": float(sd_ability),
        "sa": float(sd_quality),
        "so": float(sd_noise),
        "d": float(radius),
    }
    result = policy(backend).call(code=MODE, args=arguments, label="stats::optim, irt-gaussian")
    found = result.as_list()
    return RMode(
        found.vector("mode").floats(),
        found.vector("sd").floats(),
        number(found["objective"]),
        bool(found.vector("converged").scalar()),
        result,
    )


BASELINES = """
shares <- function(n) (alpha + n) / (3 * alpha + sum(n))
turned <- c(1, 3, 2)
row <- function(a, b) {
  of <- function(s) shares(apply(n[s, , , drop = FALSE], 3, sum))
  u <- of(a); v <- of(b)[turned]
  all <- apply(n, 3, sum) / 2
  t <- all[1] / sum(all)
  geo <- sqrt(u * v)
  c(t, (1 - t) / 2, (1 - t) / 2, shares(n[a, b, ]), u, (u + v) / 2, geo / sum(geo), geo)
}
t(mapply(row, first, second))
"""
#: What the columns of :func:`baselines` are, three each.
BASELINE_NAMES = (
    "adjusted-uniform",
    "pairs",
    "students-asymmetric",
    "students-arithmetic",
    "students-geometric",
    "students-geometric, raw",
)


@asks()
def baselines(
    counts: Floats, first: Any, second: Any, alpha: float = 1.0, *, backend: BackendLike = None
) -> tuple[dict[str, Floats], RResult]:
    """The baselines' P(tie), P(first), P(second) for pairs of systems, in base R.

    Parameters
    ----------
    counts : float[n, n, 3]
        As for :func:`irt_gaussian_mode`.
    first, second : int[k]
        Systems, from 0.

    Returns
    -------
    dict of name to float[k, 3]
        Names are `BASELINE_NAMES`.
    RResult
    """
    arguments = {
        "n": np.asarray(counts, np.float64),
        "first": np.asarray(first) + 1,
        "second": np.asarray(second) + 1,
        "alpha": float(alpha),
    }
    result = policy(backend).call(code=BASELINES, args=arguments, label="base R, baselines")
    table = vector_of(result).floats()
    return {name: table[:, 3 * k : 3 * k + 3] for k, name in enumerate(BASELINE_NAMES)}, result


HEURISTICS = """
won <- n[, , 2]
k <- nrow(won)
tie <- rowSums(n[, , 1]); win <- rowSums(won); loss <- rowSums(n[, , 3])
share <- won / (won + t(won))
scores <- cbind((win + tie) / (win + tie + loss), win / (win + loss), rowMeans(share, na.rm = TRUE))
orders <- function(x) if (length(x) == 1L) list(x) else do.call(c, lapply(seq_along(x), function(i) lapply(orders(x[-i]), function(rest) c(x[i], rest))))
# pays[t, s]: what it costs to put t below s
cost <- function(o, pays) { m <- pays[o, o]; sum(m[lower.tri(m)]) }
pays <- list(pmax(won - t(won), 0), -log(pbeta(0.5, 1 + t(won), 1 + won, lower.tail = FALSE)))
every <- orders(seq_len(k))
list(scores = scores, cheapest = vapply(pays, function(p) min(vapply(every, cost, 0, p)), 0), paid = c(cost(lopez, pays[[1]]), cost(probable, pays[[2]])))
"""
#: What the columns of :attr:`RHeuristics.scores` are.
SCORE_NAMES = ("origwmt", "bojar", "expected-wins")
#: All orders are tried: 8 systems have 40,320.
MOST_ORDERED = 8


@dataclass(frozen=True, eq=False)
class RHeuristics:
    """What the rules of shared tasks give.

    Attributes
    ----------
    scores : float[n_systems, 3]
        Columns `SCORE_NAMES`.
    cheapest : float[2]
        What the best of all orders pays: preferences contradicted (Lopez), minus log probability (most
        probable ranking).
    paid : float[2]
        What the two orders pay that were given.
    """

    scores: Floats
    cheapest: Floats
    paid: Floats
    result: RResult = field(repr=False)


@asks()
def heuristics(counts: Floats, lopez: Any, most_probable: Any, *, backend: BackendLike = None) -> RHeuristics:
    """Scores by rowSums, the cost of the best order, found by trying all of them, and that of two orders.

    Parameters
    ----------
    counts : float[n, n, 3]
        As for :func:`irt_gaussian_mode`; at most 8 systems.
    lopez, most_probable : int[n]
        Orders to be priced by either rule: systems from 0, best first.

    Raises
    ------
    ValueError
        More systems.
    """
    n = np.asarray(counts, np.float64)
    if len(n) > MOST_ORDERED:
        raise ValueError(
            f"{len(n)} systems; every order is tried, so at most {MOST_ORDERED} can be asked for"
        )
    arguments = {
        "n": n,
        "lopez": np.asarray(lopez, np.int64) + 1,
        "probable": np.asarray(most_probable, np.int64) + 1,
    }
    result = policy(backend).call(code=HEURISTICS, args=arguments, label="base R, heuristics")
    found = result.as_list()
    return RHeuristics(
        found.vector("scores").floats(),
        found.vector("cheapest").floats(),
        found.vector("paid").floats(),
        result,
    )


VILAR = """
one <- function(w, t, l) {
  r <- rep(c(1, 0, -1), c(w, t, l))
  m <- length(r)
  c(mean(r), t.test(r)$stderr, sqrt(sum((r - mean(r))^2)) / (m - 1), binom.test(w, w + l)$p.value)
}
t(mapply(one, wins, ties, losses))
"""


@dataclass(frozen=True, eq=False)
class RBinaries:
    """R, the standard error of a mean by ``t.test``, equation 4 from the single votes, and ``binom.test``'s
    p: float[n] each.
    """

    R: Floats
    se_mean: Floats
    se_vilar: Floats
    p_sign: Floats
    result: RResult = field(repr=False)


@asks()
def binaries(wins: Any, ties: Any, losses: Any, *, backend: BackendLike = None) -> RBinaries:
    """Vilar's comparisons of two systems, from their single votes; R stops where in one of them all are the
    same (``t.test``: data are constant).

    Parameters
    ----------
    wins, ties, losses : int[n]
    """
    counts = (np.asarray(x, np.int64) for x in (wins, ties, losses))
    result = policy(backend).call(
        code=VILAR,
        args=dict(zip(("wins", "ties", "losses"), counts)),
        label="stats::t.test, binom.test, a table",
    )
    table = vector_of(result).floats()
    return RBinaries(table[:, 0], table[:, 1], table[:, 2], table[:, 3], result)


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
class RRates:
    """Two rates and their difference on the same sentences."""

    first: RRate
    second: RRate
    difference: float
    se_delta: float
    se_jackknife: float
    result: RResult = field(repr=False)


@asks()
def rate_difference(
    first_errors: Any,
    second_errors: Any,
    lengths: Any,
    second_lengths: Any = None,
    *,
    backend: BackendLike = None,
) -> RRates:
    """Two systems' error rates in base R, each by itself and sentence by sentence.

    Parameters
    ----------
    first_errors, second_errors, lengths : float[m]
    second_lengths : float[m], optional
        Default: the same.
    """
    d1, d2, l1, l2 = (
        np.asarray(x, np.float64)
        for x in (first_errors, second_errors, lengths, lengths if second_lengths is None else second_lengths)
    )
    result = policy(backend).call(
        code=RATES, args={"d1": d1, "d2": d2, "l1": l1, "l2": l2}, label="stats::lm, var, error rates"
    )
    found = result.as_list()
    first, second = (RRate(*found.vector(side).floats().tolist()) for side in ("first", "second"))
    return RRates(
        first,
        second,
        number(found["difference"]),
        number(found["se_delta"]),
        number(found["se_jackknife"]),
        result,
    )


def vector_of(result: RResult) -> RVector:
    """The value, which must be a vector or matrix."""
    if not isinstance(result.value, RVector):
        raise TypeError(f"expected numbers from {result.call.name}, found {result.value!r}")
    return result.value
