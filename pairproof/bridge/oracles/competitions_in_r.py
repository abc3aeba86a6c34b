"""What base R says of systems compared: rules of translation competitions, and two systems judged by several.

Competitions: baselines, rules that rank, the Gaussian model's mode, Vilar's comparison.  Two systems: t.test,
chisq.test, and a beta-binomial by optim.

Written apart from the native code and in another form: R's own ``pnorm``, ``optim``, ``t.test`` and
``binom.test`` do the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..packages.asking import Floats, RAnswer, ask, asks, reals, vector_of
from ..process.policy import BackendLike
from ..records.calls import RResult

BY_JUDGES = """
n <- a + b + t
means <- stats::t.test((a - b) / n)
table <- cbind(a, t, b)
differ <- stats::chisq.test(table[, colSums(table) > 0], correct = FALSE)
# Beta-binomial: a of a + b with mean mu and r = 1 / (alpha + beta), each on a scale without bounds.
loglik <- function(mu, r) sum(lchoose(a + b, a) + lbeta(a + mu / r, b + (1 - mu) / r) - lbeta(mu / r, (1 - mu) / r))
both <- function(p) -loglik(stats::plogis(p[1L]), exp(p[2L]))
best <- list(par = c(stats::qlogis(sum(a) / sum(a + b)), log(0.05)))
for (i in 1:3) best <- stats::optim(best$par, both, method = "BFGS", control = list(reltol = 1e-16, maxit = 1000L, ndeps = c(1e-5, 1e-5)))
null <- stats::optimize(function(lr) loglik(0.5, exp(lr)), c(-12, 5), maximum = TRUE, tol = 1e-12)
r <- exp(best$par[2L])
list(mean = unname(means$estimate), t = unname(means$statistic), df = unname(means$parameter), p = means$p.value,
     chi2 = unname(differ$statistic), chi2_df = unname(differ$parameter), chi2_p = differ$p.value,
     logit = best$par[1L], icc = r / (1 + r), loglik = -best$value,
     lr_p = stats::pchisq(2 * (-best$value - null$objective), 1, lower.tail = FALSE))
"""


@dataclass(frozen=True, eq=False)
class RByJudges(RAnswer):
    """Two systems by judges, in base R."""

    mean: float
    t: float
    df: float
    p: float
    chi2: float
    chi2_df: float
    chi2_p: float
    logit: float
    icc: float
    loglik: float
    lr_p: float


@asks()
def by_judges(
    a: Sequence[float], b: Sequence[float], t: Sequence[float], *, backend: BackendLike = None
) -> RByJudges:
    """Tests of two systems by judges in base R.  `a`, b, t float[judges]."""
    arguments = {"a": reals(a), "b": reals(b), "t": reals(t)}
    return RByJudges.read(ask(backend, "base R, two systems by judges", BY_JUDGES, arguments))


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
class RMode(RAnswer):
    """Mode of the abilities as ``optim`` finds it.  mode, sd float[n]."""

    mode: Floats
    sd: Floats
    objective: float
    converged: bool


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
    """The mode of the Gaussian model with fresh items, good to 6 digits or so: ``optim`` differentiates by
    differences.  counts float[n, n, 3].
    """
    arguments = {
        "n": reals(counts),
        "s0": float(sd_ability),
        "sa": float(sd_quality),
        "so": float(sd_noise),
        "d": float(radius),
    }
    return RMode.read(ask(backend, "stats::optim, irt-gaussian", MODE, arguments))


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
    """Name -> float[k, 3]: the baselines' P(tie), P(first), P(second), of counts float[n, n, 3]."""
    pairs = {"first": np.asarray(first) + 1, "second": np.asarray(second) + 1}
    arguments = {"n": reals(counts), **pairs, "alpha": float(alpha)}
    result = ask(backend, "base R, baselines", BASELINES, arguments)
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
class RHeuristics(RAnswer):
    """Scores and costs by the rules of shared tasks.  scores float[n_systems, 3]."""

    scores: Floats
    cheapest: Floats
    paid: Floats


@asks()
def heuristics(counts: Floats, lopez: Any, most_probable: Any, *, backend: BackendLike = None) -> RHeuristics:
    """Scores by rowSums, and costs of the best order, of all, and of two: counts float[n, n, 3]."""
    n = reals(counts)
    if len(n) > MOST_ORDERED:
        raise ValueError(
            f"{len(n)} systems; every order is tried, so at most {MOST_ORDERED} can be asked for"
        )
    orders = {"lopez": np.asarray(lopez, np.int64) + 1, "probable": np.asarray(most_probable, np.int64) + 1}
    return RHeuristics.read(ask(backend, "base R, heuristics", HEURISTICS, {"n": n, **orders}))


VILAR = """
one <- function(w, t, l) {
  r <- rep(c(1, 0, -1), c(w, t, l))
  m <- length(r)
  c(mean(r), t.test(r)$stderr, sqrt(sum((r - mean(r))^2)) / (m - 1), binom.test(w, w + l)$p.value)
}
t(mapply(one, wins, ties, losses))
"""


@dataclass(frozen=True, eq=False)
class RBinaries(RAnswer):
    """Vilar's comparisons of two systems, n of them.  R, se_mean, se_vilar, p_sign float[n]."""

    R: Floats
    se_mean: Floats
    se_vilar: Floats
    p_sign: Floats


@asks()
def binaries(wins: Any, ties: Any, losses: Any, *, backend: BackendLike = None) -> RBinaries:
    """Vilar's comparisons of two systems, from their single votes.  wins, ties, losses int[n]."""
    counts = (np.asarray(x, np.int64) for x in (wins, ties, losses))
    arguments = dict(zip(("wins", "ties", "losses"), counts))
    result = ask(backend, "stats::t.test, binom.test, a table", VILAR, arguments)
    return RBinaries(*vector_of(result).floats().T, result=result)
