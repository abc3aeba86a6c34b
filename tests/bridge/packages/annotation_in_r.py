"""Scalar annotation in base R: independent answers for the tests, by integrals, R's own arithmetic, its
sampling, and TrueSkillThroughTime.

No R package has Sakaguchi and Van Durme's bounded model, so its equations are written out here in R, apart
from the native code and in another form (probabilities as the paper prints them), and the moments of every
distribution are integrals.  TrueSkillThroughTime (CRAN) has the unbounded model where nothing drifts: ``gamma
= 0`` there, its ``beta`` is the paper's gamma, and its ``p_draw`` is the chance that N(0, 2 gamma^2) lies
within epsilon.

Every function gives R's numbers and the :class:`RResult` that they stand in.
"""

from __future__ import annotations

from collections.abc import Sequence

from pairproof.bridge.packages.asking import Floats, ask, reals, vector_of
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.records.calls import RResult

PACKAGE = "TrueSkillThroughTime"
#: mean_i, var_i, mean_j, var_j, gamma, epsilon.
Game = tuple[float, float, float, float, float, float]

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


def trueskill_moments(game: Game, outcome: str, *, backend: BackendLike) -> tuple[Floats, RResult]:
    """Mean and variance of i's and of j's skill, float[4], after i wins or ties, by base R's ``integrate``."""
    arguments = game_arguments(game, outcome)
    return floats(ask(backend, "stats::integrate, TrueSkill", MOMENTS, arguments))


THROUGH_TIME = """
ns <- asNamespace("TrueSkillThroughTime")
player <- function(mean, sd) ns$Player(ns$Gaussian(mean, sd), beta = gamma, gamma = 0)
p_draw <- 2 * stats::pnorm(epsilon / (sqrt(2) * gamma)) - 1
result <- if (outcome == "win") c(1, 0) else c(0, 0)
game <- ns$Game(list(list(player(mean_i, sqrt(var_i))), list(player(mean_j, sqrt(var_j)))), result, p_draw = p_draw)
p <- ns$posteriors(game)
unlist(lapply(p, function(team) c(team[[1]]@mu, team[[1]]@sigma^2)))
"""


def through_time(game: Game, outcome: str, *, backend: BackendLike) -> tuple[Floats, RResult]:
    """The same by ``TrueSkillThroughTime::Game`` and ``posteriors``."""
    arguments = game_arguments(game, outcome)
    return floats(ask(backend, f"{PACKAGE}::posteriors", THROUGH_TIME, arguments, (PACKAGE,)))


def game_arguments(game: Game, outcome: str) -> dict[str, object]:
    mean_i, var_i, mean_j, var_j, gamma, epsilon = map(float, game)
    skills = {"mean_i": mean_i, "var_i": var_i, "mean_j": mean_j, "var_j": var_j}
    return {**skills, "outcome": outcome, "gamma": gamma, "epsilon": epsilon}


BETA = """
whole <- function(f) integrate(f, 0, 1, rel.tol = 1e-13, subdivisions = 2000L)$value
one <- function(a, b) {
  mean <- whole(function(x) x * dbeta(x, a, b))
  top <- optimize(function(x) dbeta(x, a, b, log = TRUE), c(0, 1), maximum = TRUE, tol = 1e-12)$maximum
  c(mean, whole(function(x) (x - mean)^2 * dbeta(x, a, b)), top)
}
t(mapply(one, alpha, beta))
"""


def beta_moments(
    alpha: Sequence[float], beta: Sequence[float], *, backend: BackendLike
) -> tuple[Floats, RResult]:
    """float[k, 3]: mean and variance by ``integrate(dbeta)``, mode by ``optimize(dbeta)`` (8 digits, its own
    limit).
    """
    arguments = {"alpha": reals(alpha), "beta": reals(beta)}
    return floats(ask(backend, "stats::integrate, dbeta", BETA, arguments))


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


def bounded_ranking(
    n_items: int,
    first: Sequence[int],
    second: Sequence[int],
    outcome: Sequence[str],
    gamma: float,
    epsilon: float,
    *,
    backend: BackendLike,
) -> tuple[Floats, RResult]:
    """float[steps, 2 * n_items]: alpha, then beta, after each judgment of two items, by equations 12 to 22."""
    arguments = {
        "n_items": n_items,
        "first": [k + 1 for k in first],
        "second": [k + 1 for k in second],
        "outcome": list(outcome),
        "gamma": gamma,
        "epsilon": epsilon,
    }
    return floats(ask(backend, "base R, equations 12 to 22", RANKING, arguments))


SCORED = """
a <- rep(1, n_items); b <- rep(1, n_items)
for (s in seq_along(item)) { a[item[s]] <- a[item[s]] + score[s]; b[item[s]] <- b[item[s]] + (1 - score[s]) }
cbind(a, b, (a - 1) / (a + b - 2), a * b / ((a + b)^2 * (a + b + 1)), as.numeric(tapply(score, factor(item, seq_len(n_items)), mean)))
"""


def scored(
    n_items: int, item: Sequence[int], score: Sequence[float], *, backend: BackendLike
) -> tuple[Floats, RResult]:
    """float[n_items, 5]: alpha, beta, mode (NaN at the start), variance by equations 24 and 25, and the mean
    score (NA without one).
    """
    arguments = {"n_items": n_items, "item": [k + 1 for k in item], "score": reals(score)}
    return floats(ask(backend, "base R, equations 24 and 25", SCORED, arguments))


PARTNERS = """
k <- seq_along(quality)
drawn <- replicate(draws, sample(k, size, prob = quality))
table(factor(apply(matrix(drawn, nrow = size), 2, paste, collapse = " "), levels = patterns))
"""


def partner_counts(
    quality: Sequence[float],
    size: int,
    draws: int,
    patterns: Sequence[str],
    seed: int,
    *,
    backend: BackendLike,
) -> tuple[Floats, RResult]:
    """How often ``sample(prob = quality)`` without replacement draws each pattern ("2 1": item 2, then item
    1, from 1).
    """
    arguments = {"quality": reals(quality), "size": size, "draws": draws, "patterns": list(patterns)}
    asked = dict(code=PARTNERS, args=arguments, extract="as.numeric(value)", seed=seed, label="base::sample")
    return floats(policy(backend).call(**asked))


def rank_sum(x: Sequence[float], y: Sequence[float], *, backend: BackendLike) -> tuple[float, RResult]:
    """p of ``wilcox.test(x, y, exact = FALSE)``."""
    arguments = {"x": reals(x), "y": reals(y), "exact": False}
    value, result = floats(policy(backend).call("stats::wilcox.test", arguments, extract="value$p.value"))
    return float(value.ravel()[0]), result


def floats(result: RResult) -> tuple[Floats, RResult]:
    return vector_of(result).floats(), result
