"""What R says about scalar annotation: base R's integrals, its own arithmetic, its sampling, and
TrueSkillThroughTime.

No R package has Sakaguchi and Van Durme's bounded model, so its equations are written out here in R, apart
from the native code and in another form (probabilities as the paper prints them), and the moments of every
distribution are integrals.  TrueSkillThroughTime (CRAN) has the unbounded model where nothing drifts: ``gamma
= 0`` there, its ``beta`` is the paper's gamma, and its ``p_draw`` is the chance that N(0, 2 gamma^2) lies
within epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from pairproof.bridge.packages.models import Floats, asks
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.records.result import RResult
from pairproof.bridge.values.values import RVector

Outcome = Literal["win", "tie"]
PACKAGE = "TrueSkillThroughTime"

MOMENTS = """
said <- function(d, r) if (outcome == "win") pnorm((d - epsilon) / r) else pnorm((epsilon - d) / r) - pnorm((-epsilon - d) / r)
whole <- function(f) integrate(f, -12, 12, rel.tol = 1e-13, subdivisions = 2000L)$value
# One item's skill is mean + sd z; the other's, and the noise of both performances, stand in r.
after <- function(mean, variance, other_mean, other_variance, side) {
  r <- sqrt(2 * gamma^2 + other_variance)
  weight <- function(z) dnorm(z) * said(side * (mean + sqrt(variance) * z - other_mean), r)
  mass <- whole(weight)
  first <- whole(function(z) z * weight(z)) / mass
  second <- whole(function(z) (z - first)^2 * weight(z)) / mass
  c(mean + sqrt(variance) * first, variance * second)
}
c(after(mean_i, var_i, mean_j, var_j, 1), after(mean_j, var_j, mean_i, var_i, -1))
"""


@asks()
def trueskill_moments(
    mean_i: float,
    var_i: float,
    mean_j: float,
    var_j: float,
    outcome: Outcome,
    gamma: float,
    epsilon: float,
    *,
    backend: BackendLike = None,
) -> tuple[Floats, RResult]:
    """Mean and variance of both skills after i wins or ties, by base R's ``integrate``.

    Returns
    -------
    float[4]
        mean_i, var_i, mean_j, var_j.
    RResult
    """
    _one_of(outcome)
    arguments = {
        "mean_i": float(mean_i),
        "var_i": float(var_i),
        "mean_j": float(mean_j),
        "var_j": float(var_j),
        "outcome": outcome,
        "gamma": float(gamma),
        "epsilon": float(epsilon),
    }
    return _floats(policy(backend).call(code=MOMENTS, args=arguments, label="stats::integrate, TrueSkill"))


THROUGH_TIME = """
ns <- asNamespace("TrueSkillThroughTime")
player <- function(mean, sd) ns$Player(ns$Gaussian(mean, sd), beta = gamma, gamma = 0)
p_draw <- 2 * stats::pnorm(epsilon / (sqrt(2) * gamma)) - 1
result <- if (outcome == "win") c(1, 0) else c(0, 0)
game <- ns$Game(list(list(player(mean_i, sqrt(var_i))), list(player(mean_j, sqrt(var_j)))), result, p_draw = p_draw)
p <- ns$posteriors(game)
unlist(lapply(p, function(team) c(team[[1]]@mu, team[[1]]@sigma^2)))
"""


@asks(PACKAGE)
def through_time(
    mean_i: float,
    var_i: float,
    mean_j: float,
    var_j: float,
    outcome: Outcome,
    gamma: float,
    epsilon: float,
    *,
    backend: BackendLike = None,
) -> tuple[Floats, RResult]:
    """The same by ``TrueSkillThroughTime::Game`` and ``posteriors``.

    Raises
    ------
    RUnavailable, RecordMissing
        Where the package is not installed and nothing is recorded.
    """
    _one_of(outcome)
    arguments = {
        "mean_i": float(mean_i),
        "var_i": float(var_i),
        "mean_j": float(mean_j),
        "var_j": float(var_j),
        "outcome": outcome,
        "gamma": float(gamma),
        "epsilon": float(epsilon),
    }
    return _floats(
        policy(backend).call(
            code=THROUGH_TIME, args=arguments, needs=(PACKAGE,), label=f"{PACKAGE}::posteriors"
        )
    )


BETA = """
whole <- function(f) integrate(f, 0, 1, rel.tol = 1e-13, subdivisions = 2000L)$value
one <- function(a, b) {
  mean <- whole(function(x) x * dbeta(x, a, b))
  top <- optimize(function(x) dbeta(x, a, b, log = TRUE), c(0, 1), maximum = TRUE, tol = 1e-12)$maximum
  c(mean, whole(function(x) (x - mean)^2 * dbeta(x, a, b)), top)
}
t(mapply(one, alpha, beta))
"""


@asks()
def beta_moments(
    alpha: Sequence[float], beta: Sequence[float], *, backend: BackendLike = None
) -> tuple[Floats, RResult]:
    """Mean and variance by ``integrate(dbeta)``, mode by ``optimize(dbeta)`` (8 digits, its own limit).

    Returns
    -------
    float[k, 3]
        mean, variance, mode.
    RResult
    """
    arguments = {"alpha": np.asarray(alpha, np.float64), "beta": np.asarray(beta, np.float64)}
    return _floats(policy(backend).call(code=BETA, args=arguments, label="stats::integrate, dbeta"))


RANKING = """
a <- rep(1, n_items); b <- rep(1, n_items)
top <- function(k) if (a[k] == 1 && b[k] == 1) 0.5 else (a[k] - 1) / (a[k] + b[k] - 2)
v <- function(k) a[k] * b[k] / ((a[k] + b[k])^2 * (a[k] + b[k] + 1))
out <- matrix(0, length(first), 2 * n_items)
for (s in seq_along(first)) {
  i <- first[s]; j <- second[s]
  if (outcome[s] == "loss") { i <- second[s]; j <- first[s] }
  m <- c(top(i), top(j)); vv <- c(v(i), v(j)); c0 <- sqrt(2 * gamma^2 + sum(vv))
  theta <- exp(epsilon); pi <- exp(m)
  p_win <- pi[1] / (pi[1] + theta * pi[2])
  p_tie <- (theta^2 - 1) * pi[1] * pi[2] / ((pi[1] + theta * pi[2]) * (theta * pi[1] + pi[2]))
  if (outcome[s] != "tie") {
    a[i] <- a[i] + vv[1] / c0 * (1 - p_win); b[j] <- b[j] + vv[2] / c0 * (1 - p_win)
  } else if (abs(m[1] - m[2]) <= epsilon) {
    up <- vv / c0 * (1 - p_tie)
    a[c(i, j)] <- a[c(i, j)] + up; b[c(i, j)] <- b[c(i, j)] + up
  } else {
    up <- vv / c0 * (1 - p_tie); high <- if (m[1] > m[2]) 1 else 2; who <- c(i, j)
    b[who[high]] <- b[who[high]] + up[high]; a[who[3 - high]] <- a[who[3 - high]] + up[3 - high]
  }
  out[s, ] <- c(a, b)
}
out
"""


@asks()
def bounded_ranking(
    n_items: int,
    first: Sequence[int],
    second: Sequence[int],
    outcome: Sequence[str],
    gamma: float,
    epsilon: float,
    *,
    backend: BackendLike = None,
) -> tuple[Floats, RResult]:
    """Equations 12 to 22 in base R, step by step.

    Parameters
    ----------
    first, second : sequence of int
        From 0.
    outcome : sequence of {"win", "tie", "loss"}

    Returns
    -------
    float[steps, 2 * n_items]
        alpha, then beta, after each judgment.
    RResult
    """
    arguments = {
        "n_items": int(n_items),
        "first": [k + 1 for k in first],
        "second": [k + 1 for k in second],
        "outcome": list(outcome),
        "gamma": float(gamma),
        "epsilon": float(epsilon),
    }
    return _floats(policy(backend).call(code=RANKING, args=arguments, label="base R, equations 12 to 22"))


SCORED = """
a <- rep(1, n_items); b <- rep(1, n_items)
for (s in seq_along(item)) { a[item[s]] <- a[item[s]] + score[s]; b[item[s]] <- b[item[s]] + (1 - score[s]) }
cbind(a, b, (a - 1) / (a + b - 2), a * b / ((a + b)^2 * (a + b + 1)), as.numeric(tapply(score, factor(item, seq_len(n_items)), mean)))
"""


@asks()
def scored(
    n_items: int, item: Sequence[int], score: Sequence[float], *, backend: BackendLike = None
) -> tuple[Floats, RResult]:
    """Equations 24 and 25 in base R, and ``tapply(score, item, mean)``.

    Returns
    -------
    float[n_items, 5]
        alpha, beta, mode (NaN at the start), variance, mean score (NA without one).
    RResult
    """
    arguments = {
        "n_items": int(n_items),
        "item": [k + 1 for k in item],
        "score": np.asarray(score, np.float64),
    }
    return _floats(policy(backend).call(code=SCORED, args=arguments, label="base R, equations 24 and 25"))


PARTNERS = """
k <- seq_along(quality)
drawn <- replicate(draws, sample(k, size, prob = quality))
table(factor(apply(matrix(drawn, nrow = size), 2, paste, collapse = " "), levels = patterns))
"""


@asks()
def partner_counts(
    quality: Sequence[float],
    size: int,
    draws: int,
    patterns: Sequence[str],
    seed: int,
    *,
    backend: BackendLike = None,
) -> tuple[Floats, RResult]:
    """How often ``sample(prob = quality)`` without replacement draws each pattern ("2 1": item 2, then item
    1, from 1).
    """
    arguments: dict[str, Any] = {
        "quality": np.asarray(quality, np.float64),
        "size": int(size),
        "draws": int(draws),
        "patterns": list(patterns),
    }
    return _floats(
        policy(backend).call(
            code=PARTNERS, args=arguments, extract="as.numeric(value)", seed=seed, label="base::sample"
        )
    )


@asks()
def rank_sum(x: Sequence[float], y: Sequence[float], *, backend: BackendLike = None) -> tuple[float, RResult]:
    """p of ``wilcox.test(x, y, exact = FALSE)``."""
    arguments = {"x": np.asarray(x, np.float64), "y": np.asarray(y, np.float64), "exact": False}
    value, result = _floats(policy(backend).call("stats::wilcox.test", arguments, extract="value$p.value"))
    return float(value.ravel()[0]), result


def _floats(result: RResult) -> tuple[Floats, RResult]:
    if not isinstance(result.value, RVector):
        raise TypeError(f"expected numbers from R, found {result.value!r}")
    return result.value.floats(), result


def _one_of(outcome: str) -> None:
    if outcome not in get_args(Outcome):
        raise ValueError(f"outcome is {outcome!r}; expected one of {get_args(Outcome)}")
