"""R's sandwich: cluster-robust covariances, one way and two ways, of rows of comparisons with clusters.

A row is what one cluster gave in one design cell: counts of its outcomes, x for the log-odds of the item
named first, z for the tie parameter.  R fits ``glm(y ~ own + cell, poisson)`` (two outcomes, Davidson: log
m(first) = mu_cell + x'b/2, log m(tie) = mu_cell + z'g, log m(second) = mu_cell - x'b/2) or, for Rao and
Kupper's ties, ``MASS::polr`` on every outcome and its mirror image with half weights, then Newton steps.

``CONDITIONAL`` is the R code that turns the fit into whitened rows, an ordinary regression ``lm(response ~ W
- 1)`` whose coefficients, scores and information are those of the comparisons given that they took place:
Poisson rows about their mean within each row of counts (which is what a nuisance constant for each row does),
times the root of their working weights; of Rao and Kupper's likelihood the factors of its observed
information.  clubSandwich's CR2 is exact for such rows; on a raw glm it depends on how comparisons are cut
into rows.

``vcovCL`` takes the scores of the fitted glm itself, so it is a witness of CR0 and CR1 that no whitening
touches::

    type = "HC0", cadjust = FALSE    CR0
    type = "HC0"                     CR1, each way with its own G / (G - 1)

Its other types are none of ours: "HC1" has (N - 1) / (N - k) as well, N the number of rows, and changes when
a table is aggregated; "HC2" is no CR2 for a glm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..process.policy import BackendLike
from ..values.convert import data_frame, matrix
from ..values.nodes import factor
from .asking import EPSILON, MAXIT, REFIT, Floats, RAnswer, ask, asks, check_option, reals
from .mass import POLISHED

Model = Literal["poisson", "rao-kupper"]
IntArray = NDArray[np.int64]
#: glm carries a column for each design cell; beyond this many gnm eliminates them.
MOST_NUISANCE = 400

#: R: `own` (outcomes x parameters), `y`, `rows`, `g` (the fit, refitted from its solution), `b`, and `M`, the
#: covariance of b that supposes independent answers.  Everything that is not a parameter is named nuisance.
FIT = (
    REFIT
    + """
stopped <- function(...) stop(..., call. = FALSE)
n <- nrow(counts); outcomes <- ncol(counts); rows <- rep(seq_len(n), outcomes); y <- as.vector(counts)
half <- function(sign) cbind(sign * x / 2, 0 * z)
own <- if (outcomes == 3L) rbind(half(1), cbind(0 * x, z), half(-1)) else rbind(half(1), half(-1))
colnames(own) <- c(colnames(x), colnames(z))
k <- ncol(own); parameters <- paste0("own", colnames(own))
if (k == 1L) parameters <- "own"
fit_poisson <- function() {
  nuisance <- cell[rows]
  formula <- if (nlevels(cell) > 1L) y ~ own + nuisance - 1 else y ~ own
  control <- stats::glm.control(epsilon = epsilon, maxit = maxit)
  first <- stats::glm(formula, family = stats::poisson(), control = control, x = TRUE)
  if (anyNA(stats::coef(first))) stopped("glm finds aliased columns: ", toString(names(which(is.na(stats::coef(first))))))
  refit(first, epsilon, maxit)$model
}
"""
)

#: R: polr's estimates with Newton steps to the maximum, on each outcome and its mirror;
#: `one_by_one` has a row for each comparison, because sandwich's scores of a polr leave its weights out.
FIT_RAO_KUPPER = (
    """
fit_polr <- function(one_by_one = FALSE) {
  polish <- TRUE; step <- 1e-5
  at <- rep(rows, 2L); sign <- rep(c(1, -1), each = length(rows))
  outcome <- rep(rep(c(3L, 2L, 1L), each = n), 2L); outcome[sign < 0] <- 4L - outcome[sign < 0]
  count <- rep(y, 2L)
  used <- if (one_by_one) rep(seq_along(count), count) else which(count > 0)
  X <- (sign * x[at, , drop = FALSE])[used, , drop = FALSE]
  outcome <- factor(outcome, 1:3)[used]; w <- if (one_by_one) rep(0.5, length(used)) else count[used] / 2
"""
    + POLISHED
    + """
  data <- list(outcome = outcome, X = X, w = w)
  fit <- own(MASS::polr)(outcome ~ X, data = data, weights = w, Hess = TRUE, control = list(reltol = 1e-16, maxit = 1000L))
  list(fit = fit, at = at[used])
}
"""
)

#: R: `l`, the regression on whitened rows, and `at`, the row of counts that each belongs to.
CONDITIONAL = (
    FIT
    + FIT_RAO_KUPPER
    + """
poisson_rows <- function(b) {
  e <- exp(drop(own %*% b)); p <- e / stats::ave(e, rows, FUN = sum); mu <- p * stats::ave(y, rows, FUN = sum)
  X <- own - apply(own, 2L, function(v) stats::ave(v * p, rows, FUN = sum))
  kept <- mu > 0
  w <- sqrt(mu[kept])
  list(W = w * X[kept, , drop = FALSE], e = (y - mu)[kept] / w, at = rows[kept])
}
rao_kupper_rows <- function(b) {
  eta <- drop(x %*% b[seq_len(ncol(x))]); d <- drop(z %*% b[-seq_len(ncol(x))])
  p1 <- stats::plogis(eta - d); p2 <- stats::plogis(-eta - d)
  a <- counts[, 1L] + counts[, 2L]; o <- counts[, 3L] + counts[, 2L]; t <- counts[, 2L]
  part <- function(count, p, X) {
    w <- sqrt(count * p * (1 - p))
    list(W = w * X, e = ifelse(w > 0, count * (1 - p) / w, 0), at = seq_len(n))
  }
  bend <- sqrt(t) / sinh(d)
  tie <- list(W = bend * cbind(0 * x, z), e = ifelse(t > 0, t * 2 / -expm1(-2 * d) / bend, 0), at = seq_len(n))
  all <- list(part(a, p1, cbind(x, -z)), part(o, p2, cbind(-x, -z)), tie)
  r <- list(W = do.call(rbind, lapply(all, `[[`, "W")), e = unlist(lapply(all, `[[`, "e")), at = unlist(lapply(all, `[[`, "at")))
  kept <- rowSums(r$W != 0) > 0
  list(W = r$W[kept, , drop = FALSE], e = r$e[kept], at = r$at[kept])
}
start <- function() {
  if (model == "rao-kupper") {
    found <- fit_polr()$fit
    return(c(stats::coef(found), (found$zeta[[2L]] - found$zeta[[1L]]) / 2))
  }
  if (nlevels(cell) <= most_nuisance) return(stats::coef(fit_poisson())[parameters])
  nuisance <- cell[rows]
  stats::coef(gnm::gnm(y ~ own - 1, eliminate = nuisance, family = stats::poisson(), tolerance = 1e-12, verbose = FALSE))[seq_len(k)]
}
whitened <- if (model == "rao-kupper") rao_kupper_rows else poisson_rows
b <- stats::setNames(as.numeric(start()), colnames(own))
if (anyNA(b)) stopped("aliased columns: ", toString(names(b)[is.na(b)]))
# At its own solution: the regression's coefficients are one Newton step from b.
for (step in 1:8) {
  r <- whitened(b)
  moved <- stats::lm.fit(r$W, r$e)$coefficients
  b <- b + moved
  if (max(abs(moved)) < 1e-14 * max(1, abs(b))) break
}
r <- whitened(b)
W <- r$W; colnames(W) <- NULL
response <- drop(W %*% b) + r$e
l <- stats::lm(response ~ W - 1)
at <- r$at
"""
)


@dataclass(frozen=True, eq=False)
class ComparisonRows:
    """Counts of outcomes by cluster and design cell.

    counts float[n, 2 or 3]: first preferred, (tie,) second preferred.  x float[n, k]: what the parameters of
    the log-odds of the item named first are multiplied with.  z float[n, m]: the same of the tie parameters;
    m = 0 with two outcomes.  cell int[n]: design cell, from 0: rows with the same x and z may share one.
    clusters: cluster of each row, from 0, by the name of the column.  model: "poisson" is Davidson's model,
    or two outcomes.
    """

    counts: Floats
    x: Floats
    z: Floats
    cell: IntArray
    clusters: Mapping[str, IntArray] = field(default_factory=dict)
    model: Model = "poisson"

    def __post_init__(self) -> None:
        check_option("model", self.model, Model)
        n = len(self.counts)
        for name, array in {"x": self.x, "z": self.z, "cell": self.cell, **self.clusters}.items():
            if len(array) != n:
                raise ValueError(f"{name} has {len(array)} rows; counts has {n}")
        if self.counts.shape[1] == 2 and self.z.shape[1]:
            raise ValueError("tie parameters without a tie category")

    @property
    def names(self) -> tuple[str, ...]:
        """R's names of the parameters: b1, b2, ..., then t1, ..."""
        return tuple(
            [f"b{j + 1}" for j in range(self.x.shape[1])] + [f"t{j + 1}" for j in range(self.z.shape[1])]
        )

    @property
    def many_cells(self) -> bool:
        """Whether gnm fits the model, because glm would carry too many nuisance constants."""
        return self.model == "poisson" and len(np.unique(self.cell)) > MOST_NUISANCE

    def arguments(self) -> dict[str, Any]:
        """The variables that R's code finds."""
        n_x = self.x.shape[1]
        outcomes = ["first", "tie", "second"] if self.counts.shape[1] == 3 else ["first", "second"]
        cells, cell = np.unique(self.cell, return_inverse=True)
        return {
            "counts": matrix(reals(self.counts), outcomes),
            "x": matrix(reals(self.x), self.names[:n_x]),
            "z": matrix(reals(self.z), self.names[n_x:]),
            "cell": factor(np.ravel(cell), [f"c{k + 1}" for k in range(len(cells))]),
            "clusters": data_frame({f"g{j + 1}": c + 1 for j, c in enumerate(self.clusters.values())}),
            "model": self.model,
            "epsilon": EPSILON,
            "maxit": MAXIT,
            "most_nuisance": MOST_NUISANCE,
        }


NEEDS = ("sandwich",)

VCOVCL = (
    CONDITIONAL
    + """
ways <- clusters[, used, drop = FALSE]
covariance <- function(fit, at, fold, factor) {
  V <- sandwich::vcovCL(fit, cluster = ways[at, , drop = FALSE], type = type, cadjust = cadjust, fix = fix)
  factor * fold %*% V %*% t(fold)
}
if (model == "rao-kupper") {
  # The thresholds -delta and delta as one; a quarter is what weights of 1/2 leave: they are in polr's information and
  # not in the scores that sandwich takes, so that each comparison needs a row.
  found <- fit_polr(TRUE)
  fold <- cbind(diag(k), 0); fold[k, k + 0:1] <- c(-0.5, 0.5)
  V <- covariance(found$fit, found$at, fold, 4)
} else if (nlevels(cell) <= most_nuisance) {
  g <- fit_poisson()
  fold <- matrix(0, k, length(stats::coef(g))); fold[cbind(seq_len(k), match(parameters, names(stats::coef(g))))] <- 1
  V <- covariance(g, rows, fold, 1)
} else V <- covariance(l, at, diag(k), 1)
dimnames(V) <- list(names(b), names(b))
list(names = names(b), coef = unname(b), vcov = V, se = unname(sqrt(pmax(diag(V), 0))), model_vcov = unname(chol2inv(qr.R(l$qr))),
     n_clusters = as.numeric(vapply(ways, function(g) length(unique(g)), 0L)))
"""
)


@dataclass(frozen=True, eq=False)
class ClusteredCovariance(RAnswer):
    """Estimates with a cluster-robust covariance.

    names: those of :class:`ComparisonRows`.  coef, se float[k]: log-odds; `se` 0 where a two-way covariance
    has a negative variance.  vcov float[k, k].  model_vcov float[k, k]: the inverse information, which
    supposes independent answers.  n_clusters float[ways].
    """

    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    se: Floats
    model_vcov: Floats
    n_clusters: Floats


@asks(*NEEDS)
def vcovCL(
    rows: ComparisonRows,
    cluster: Sequence[str],
    type: str = "HC0",
    cadjust: bool = True,
    fix: bool = False,
    *,
    backend: BackendLike = None,
) -> ClusteredCovariance:
    """R's ``sandwich::vcovCL(fit, cluster, type, cadjust, fix)`` of the model of the rows.

    Parameters
    ----------
    rows : ComparisonRows
    cluster : sequence of str
        One or two of the columns of ``rows.clusters``.
    type : {"HC0", "HC1"}
        As in R.
    cadjust : bool
        G / (G - 1), in two ways each its own.
    fix : bool
        Set negative eigenvalues of a two-way covariance to 0, as R does: they depend on the reference item.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ClusteredCovariance

    Raises
    ------
    ValueError
        No such column.
    RError
        R's own.

    Examples
    --------
    >>> vcovCL(rows, ["judge"], cadjust=False).se  # doctest: +SKIP
    """
    arguments = {
        **rows.arguments(),
        "used": columns_of(rows, cluster),
        "type": type,
        "cadjust": cadjust,
        "fix": fix,
    }
    return ClusteredCovariance.read(ask(backend, "sandwich::vcovCL", VCOVCL, arguments, needed(rows, NEEDS)))


def columns_of(rows: ComparisonRows, cluster: Sequence[str]) -> list[str]:
    """Names of these clusters in R's data frame; refuses others than the rows have."""
    known = list(rows.clusters)
    unknown = [c for c in cluster if c not in known]
    if unknown or not cluster:
        raise ValueError(f"cluster is {list(cluster)}; the rows have {known}")
    return [f"g{known.index(c) + 1}" for c in cluster]


def needed(rows: ComparisonRows, packages: Sequence[str]) -> tuple[str, ...]:
    """The packages of a call, with that which fits the model."""
    return (
        *packages,
        *(("MASS",) if rows.model == "rao-kupper" else ()),
        *(("gnm",) if rows.many_cells else ()),
    )
