"""What base R says of annotators: one factor by factanal and by optim, agreement, repeats and degraded items.

The arithmetic is R's own wherever R has it: ``factanal``, ``aov``, ``scale``, ``cor``, ``wilcox.test``,
``qchisq``; Krippendorff's alpha is added up over all pairs of scores, which no formula by sums of squares is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..packages.asking import Floats, RAnswer, ask, asks, reals
from ..process.policy import BackendLike

FACTANAL = """
n <- nrow(M)
best <- NULL
for (lower in c(0.005, 1e-4)) {
  f <- stats::factanal(M, 1L, lower = lower, control = list(opt = list(factr = 10, pgtol = 0, maxit = 10000L)))
  if (is.null(best) || f$criteria[["objective"]] < best$criteria[["objective"]]) best <- f
}
sd <- apply(M, 2L, function(x) sqrt(mean((x - mean(x))^2)))
r <- as.numeric(best$loadings); u <- as.numeric(best$uniquenesses)
if (sum(r) < 0) r <- -r
V <- outer(r * sd, r * sd) + diag(u * sd^2)
S <- crossprod(sweep(M, 2L, colMeans(M))) / n
list(mean = as.numeric(colMeans(M)), correlation = r, loading = r * sd, noise = sqrt(u) * sd,
     loglik = -n / 2 * (ncol(M) * log(2 * pi) + as.numeric(determinant(V)$modulus) + sum(diag(solve(V, S)))))
"""

MARGINAL = """
k <- max(annotator)
by_item <- split(seq_along(y), item)
minus <- function(p) {
  mean <- p[seq_len(k)]; load <- p[k + seq_len(k)]; psi <- exp(p[2L * k + seq_len(k)])
  -sum(vapply(by_item, function(i) {
    a <- annotator[i]
    half <- chol(tcrossprod(load[a]) + diag(psi[a], length(a)))
    z <- backsolve(half, y[i] - mean[a], transpose = TRUE)
    -length(i) / 2 * log(2 * pi) - sum(log(diag(half))) - sum(z^2) / 2
  }, 0))
}
own <- function(f) as.numeric(tapply(y, annotator, f))
start <- c(own(mean), own(stats::sd) / 1.5, log(own(stats::var) / 2))
best <- list(par = start)
for (i in 1:4) best <- stats::nlminb(best$par, minus, control = list(rel.tol = 1e-15, x.tol = 1e-12, eval.max = 5000L, iter.max = 5000L))
p <- best$par
turn <- sign(sum(p[k + seq_len(k)]))
list(mean = p[seq_len(k)], loading = turn * p[k + seq_len(k)], noise = exp(p[2L * k + seq_len(k)] / 2),
     correlation = turn * p[k + seq_len(k)] / sqrt(p[k + seq_len(k)]^2 + exp(p[2L * k + seq_len(k)])), loglik = -best$objective)
"""


@dataclass(frozen=True, eq=False)
class OneFactor(RAnswer):
    """Annotators by one factor.  mean, loading, noise, correlation float[annotators]."""

    mean: Floats
    loading: Floats
    noise: Floats
    correlation: Floats
    loglik: float


@asks()
def factanal(scores: Floats, *, backend: BackendLike = None) -> OneFactor:
    """R's ``factanal(scores, 1)`` in the units of scores float[items, annotators]."""
    return OneFactor.read(ask(backend, "stats::factanal", FACTANAL, {"M": reals(scores)}))


@asks()
def one_factor_with_gaps(
    y: Floats, item: Sequence[int], annotator: Sequence[int], *, backend: BackendLike = None
) -> OneFactor:
    """The same of y, item, annotator [n] with gaps: ``nlminb`` by item, good to 5 digits or so."""
    arguments: dict[str, Any] = {"y": reals(y), **_codes(item=item, annotator=annotator)}
    return OneFactor.read(ask(backend, "stats::nlminb, one factor", MARGINAL, arguments))


AGREEMENT = """
f <- factor(item); a <- factor(annotator)
n <- as.numeric(table(f)[f]); paired <- n > 1
observed <- 0
for (i in split(y[paired], droplevels(f[paired]))) observed <- observed + sum(outer(i, i, "-")^2) / (length(i) - 1)
m <- sum(paired)
expected <- sum(outer(y[paired], y[paired], "-")^2) / (m - 1)
table2 <- tapply(y, list(a, f), mean)
rest <- vapply(seq_len(nrow(table2)), function(k) {
  others <- colMeans(table2[-k, , drop = FALSE], na.rm = TRUE)
  use <- !is.na(table2[k, ]) & !is.nan(others)
  # Means that are equal but for rounding are ties.
  if (sum(use) < 3L) NA_real_ else stats::cor(table2[k, use], round(others[use], 8), method = "spearman")
}, 0)
pairs <- utils::combn(nrow(table2), 2L, function(p) {
  use <- !is.na(table2[p[1L], ]) & !is.na(table2[p[2L], ])
  if (sum(use) < 3L) NA_real_ else suppressWarnings(stats::cor(table2[p[1L], use], table2[p[2L], use], method = "spearman"))
})
complete <- all(table(f, a) == 1L)
one <- two <- NA_real_
if (all(n == n[1L])) {
  k <- n[1L]
  ms <- summary(stats::aov(y ~ f))[[1L]][["Mean Sq"]]
  one <- (ms[1L] - ms[2L]) / (ms[1L] + (k - 1) * ms[2L])
  if (complete) {
    ms <- summary(stats::aov(y ~ f + a))[[1L]][["Mean Sq"]]
    two <- (ms[1L] - ms[3L]) / (ms[1L] + (k - 1) * ms[3L] + k * (ms[2L] - ms[3L]) / nlevels(f))
  }
}
z <- stats::ave(y, a, FUN = function(x) as.numeric(scale(x)))
list(alpha = 1 - observed / expected, rest = rest, pairwise = mean(pairs, na.rm = TRUE), icc_one = one, icc_two = two, z = z)
"""


@dataclass(frozen=True, eq=False)
class RAgreement(RAnswer):
    """How far annotators agree.  `rest` float[annotators]; z float[n]."""

    alpha: float
    rest: Floats
    pairwise: float
    icc_one: float
    icc_two: float
    z: Floats


@asks()
def agreement(
    y: Floats, item: Sequence[int], annotator: Sequence[int], *, backend: BackendLike = None
) -> RAgreement:
    """Alpha over all pairs of scores, ``cor(method = "spearman")``, ICCs by ``aov``, ``scale`` by annotator.
    y float[n]; item, annotator int[n].
    """
    arguments: dict[str, Any] = {"y": reals(y), **_codes(item=item, annotator=annotator)}
    return RAgreement.read(ask(backend, "base R, agreement", AGREEMENT, arguments))


REPEATS = """
d <- first - again
s <- as.numeric(tapply(d, annotator, function(x) sqrt(mean(x^2) / 2)))
n <- as.numeric(table(annotator))
list(sd = s, low = s * sqrt(n / stats::qchisq((1 + level) / 2, n)), high = s * sqrt(n / stats::qchisq((1 - level) / 2, n)))
"""
DEGRADED = """
p <- vapply(split(seq_along(original), annotator), function(i) {
  d <- original[i] - degraded[i]
  exact <- length(d) < 50 && all(d != 0) && !anyDuplicated(abs(d))
  stats::wilcox.test(original[i], degraded[i], paired = TRUE, alternative = "greater", exact = exact)$p.value
}, 0)
list(p = unname(p))
"""


@dataclass(frozen=True, eq=False)
class RWithin(RAnswer):
    """Standard deviations within annotators, from repeats.  sd, low, high float[annotators]."""

    sd: Floats
    low: Floats
    high: Floats


@asks()
def repeats(
    first: Floats,
    again: Floats,
    annotator: Sequence[int],
    level: float = 0.95,
    *,
    backend: BackendLike = None,
) -> RWithin:
    """sqrt(mean d^2 / 2) by annotator, with limits by ``qchisq``.  `first`, again float[n]; annotator int[n]."""
    arguments: dict[str, Any] = {
        "first": reals(first),
        "again": reals(again),
        **_codes(annotator=annotator),
        "level": level,
    }
    return RWithin.read(ask(backend, "base R, repeats", REPEATS, arguments))


@dataclass(frozen=True, eq=False)
class RSignedRank(RAnswer):
    """One-sided p-values of degraded items.  p float[annotators]."""

    p: Floats


@asks()
def signed_rank(
    original: Floats, degraded: Floats, annotator: Sequence[int], *, backend: BackendLike = None
) -> RSignedRank:
    """R's ``stats::wilcox.test(original, degraded, paired = TRUE, alternative = "greater")`` by annotator.
    original, degraded float[n]; annotator int[n].

    ``exact`` is given as R up to 4.5 chooses it itself: R 4.6 is exact with ties and zeros too.
    """
    arguments: dict[str, Any] = {
        "original": reals(original),
        "degraded": reals(degraded),
        **_codes(annotator=annotator),
    }
    return RSignedRank.read(ask(backend, "stats::wilcox.test", DEGRADED, arguments))


TWO_WAY = """
d <- data.frame(y = y, system = factor(system))
fit <- stats::lm(y ~ 0 + system, data = d)
V <- sandwich::vcovCL(fit, cluster = cbind(source, annotator), type = "HC0", cadjust = TRUE, multi0 = FALSE)
list(mean = unname(stats::coef(fit)), vcov = unname(as.matrix(V)))
"""


@dataclass(frozen=True, eq=False)
class RMeans(RAnswer):
    """Plain means of systems.  mean float[systems]; vcov float[systems, systems]."""

    mean: Floats
    vcov: Floats


@asks("sandwich")
def means_two_way(
    y: Floats,
    system: Sequence[int],
    source: Sequence[int],
    annotator: Sequence[int],
    *,
    backend: BackendLike = None,
) -> RMeans:
    """R's ``sandwich::vcovCL(lm(y ~ 0 + system), cbind(source, annotator), "HC0", cadjust = TRUE)``.  y
    float[n]; system, source, annotator int[n].
    """
    arguments: dict[str, Any] = {"y": reals(y), **_codes(system=system, source=source, annotator=annotator)}
    label = "sandwich::vcovCL, means of systems"
    return RMeans.read(ask(backend, label, TWO_WAY, arguments, ("sandwich",)))


def _codes(**columns: Sequence[int]) -> dict[str, Any]:
    """Codes from 0 as R's from 1."""
    return {name: np.asarray(codes, np.int64) + 1 for name, codes in columns.items()}
