"""Models of whole answers in base R by plain enumeration: an optimum of 9 digits and more beside prefmod's ``nlm``.

The answers that a person could have given, all of them, are the rows of a table; X holds their statistics
(Hatzinger & Dittrich 2012, J. Stat. Software 48(10)).  In
group s, with natural parameters X_s phi (X_s: the columns that the group's covariates leave),

    P(answer) = exp(x phi) / sum over all answers of exp(x phi),
    P(incomplete answer) = sum of P over the answers that it leaves possible (composite link).

    log L   = sum_i n_i (log sum_{y in S_i} exp(x_y phi) - log Z_s)
    score   = sum_i n_i (E[x | S_i] - E[x])
    Hessian = sum_i n_i (Cov[x | S_i] - Cov[x])

Newton's method with halved steps, from zeros, until no component of the score exceeds its rounding.  With incomplete
answers log L need not be concave: where -Hessian is not positive definite, R's ``chol`` fails and a multiple
of the identity is added.  Written from these equations, apart from the native code and without prefmod.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..packages.answers import Estimates, Floats, ask, asks, reals
from ..process.policy import BackendLike
from ..values.convert import matrix

NEWTON = """
rows <- nrow(X) / groups
exact <- function(phi) {
  ll <- 0; score <- numeric(ncol(X)); H <- matrix(0, ncol(X), ncol(X))
  for (s in seq_len(groups)) {
    x <- X[(s - 1L) * rows + seq_len(rows), , drop = FALSE]
    eta <- as.vector(x %*% phi)
    top <- max(eta)
    p <- exp(eta - top)
    logZ <- top + log(sum(p))
    p <- p / sum(p)
    mean_all <- colSums(x * p)
    centred <- sweep(x, 2L, mean_all)
    cov_all <- crossprod(centred, centred * p)
    for (i in which(group == s)) {
      at <- members[first[i]:last[i]]
      e <- eta[at]
      top <- max(e)
      q <- exp(e - top)
      ll <- ll + n[i] * (top + log(sum(q)) - logZ)
      q <- q / sum(q)
      xi <- x[at, , drop = FALSE]
      mean_i <- colSums(xi * q)
      score <- score + n[i] * (mean_i - mean_all)
      ci <- sweep(xi, 2L, mean_i)
      H <- H + n[i] * (crossprod(ci, ci * q) - cov_all)
    }
  }
  list(ll = ll, score = score, H = H)
}
phi <- start
here <- exact(phi)
steps <- 0L
while (max(abs(here$score)) > gradient && steps < most) {
  ridge <- 0
  repeat {
    U <- tryCatch(chol(-here$H + diag(ridge, ncol(X))), error = function(e) NULL)
    if (!is.null(U)) break
    ridge <- max(2 * ridge, 1e-3 * max(abs(diag(here$H))))
  }
  step <- backsolve(U, forwardsolve(t(U), here$score))
  half <- 1
  repeat {
    there <- exact(phi + half * step)
    ## At the end log L moves by its own rounding: the score decides.
    if (there$ll > here$ll || (there$ll > here$ll - 1e-13 * abs(here$ll) && max(abs(there$score)) < max(abs(here$score)))) break
    half <- half / 2
    if (half < 1e-6) break
  }
  if (half < 1e-6) break
  phi <- phi + half * step
  here <- there
  steps <- steps + 1L
}
V <- solve(-here$H)
list(names = colnames(X), coef = unname(phi), se = unname(sqrt(diag(V))), vcov = unname(V), llf = here$ll,
     largest_score = max(abs(here$score)), iterations = steps)
"""


@dataclass(frozen=True, eq=False)
class NewtonOptimum(Estimates):
    """The maximum of a model of whole answers, as R reaches it by Newton's method.

    names: of the columns of the design.  coef, se float[n].  vcov float[n, n]: inverse of minus the Hessian.
    llf: sum n log P, without constants.  largest_score: the largest component of the score there: how far
    from the maximum in log L a step of 1 would be.
    """

    llf: float
    largest_score: float
    iterations: int


@dataclass(frozen=True, eq=False)
class Enumerated:
    """All possible answers of a model and those given: what :func:`newton` takes.

    design float[groups * answers, parameters]: the statistics of every possible answer, a block for each
    covariate group.  names: of the parameters.  members: for each answer given, the rows of a block (from 0)
    that it leaves possible: one row for a complete answer.  counts float[given]: how many persons gave it.
    group int[given]: their covariate group, from 0.
    """

    design: Floats = field(repr=False)
    names: tuple[str, ...]
    members: Sequence[NDArray[np.int64]] = field(repr=False)
    counts: Floats = field(repr=False)
    group: NDArray[np.int64] = field(repr=False)


@asks()
def newton(
    model: Enumerated,
    *,
    start: Sequence[float] | None = None,
    gradient: float = 1e-12,
    most: int = 200,
    backend: BackendLike = None,
) -> NewtonOptimum:
    """The maximum of log L in R, by Newton's method from zeros or ``start``.

    start float[parameters].  gradient: the largest component of the score to stop at; it also stops where no
    step improves.  most: most steps.
    """
    groups = int(model.group.max(initial=0)) + 1
    given = len(model.members)
    if not given or given != len(model.counts) or given != len(model.group) or len(model.design) % groups:
        raise InputError(
            f"{given} answers, {len(model.counts)} counts, {len(model.group)} groups, and a design of "
            f"{len(model.design)} rows for {groups} groups do not fit each other"
        )
    last = np.cumsum([len(m) for m in model.members])
    arguments = {
        "X": matrix(model.design, list(model.names)),
        "groups": groups,
        "members": np.concatenate(model.members) + 1,
        "first": np.concatenate([[0], last[:-1]]) + 1,
        "last": last,
        "n": reals(model.counts),
        "group": model.group + 1,
        "start": reals(np.zeros(len(model.names)) if start is None else start),
        "gradient": float(gradient),
        "most": int(most),
    }
    return NewtonOptimum.read(ask(backend, "Newton in base R", NEWTON, arguments))
