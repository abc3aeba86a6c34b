"""The R program that fits a model of whole answers by listing every possible answer, also as a script.

The answers that were possible are the rows of S, their statistics.  With natural parameters beta_g = M_g phi
in group g,

    P(answer) = exp(s beta) / sum over all rows of exp(s beta),
    P(incomplete answer) = sum of P over the rows that it leaves possible,

and Newton's method with halved steps goes from zeros to the maximum of sum n log P.  A ranking under Plackett
and Luce's model is a series of such answers: at each stage a set is chosen from the items left, and its row
holds 1 / size for each of its items.  Rankings of some of the items have the orders of these items alone as
their rows.

Written from these equations in base R; nothing of pairproof's own fitters, of prefmod or of PlackettLuce is
in it.

The script needs base R alone.  It prints every parameter with its estimate and standard error on the fit's
scale and under its constraint, then deviance, df and log-likelihood, as
:func:`pairproof.bridge.programs.r_script.to_r` does for models of comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fit.estimates.identification import over_which
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit
from ..packages.asking import Estimates, ask, asks, reals
from ..process.policy import BackendLike
from ..values.convert import matrix
from .answer_inputs import Inputs, inputs_of, why_not
from .r_source import PRINT, comment, number, text, vector

#: Lists possible answers (`spaces`), and what each answer leaves of them (`at`, `rows_of`, `weight`).
SPACES = """\
# ---- every possible answer, as comparisons in the order (1 2)(1 3)(2 3)(1 4)...: 1 first, 0 neither, -1 second, 9 no answer
pair <- do.call(rbind, lapply(2:J, function(j) cbind(seq_len(j - 1L), j)))
C <- nrow(pair)
compared <- function(x) sign(x[, pair[, 2L], drop = FALSE] - x[, pair[, 1L], drop = FALSE])
arranged <- function(n) {
  if (n == 1L) return(matrix(1, 1L, 1L))
  p <- arranged(n - 1L)
  do.call(rbind, lapply(seq_len(n), function(k) cbind(p + (p >= k), k, deparse.level = 0L)))
}
every <- function(values, n) unname(as.matrix(expand.grid(rep(list(values), n))))
category <- if (ternary) c(1, 0, -1) else c(1, -1)
q <- nrow(design) / groups
spaces <- at <- in_group <- rows_of <- weight <- told <- list()
add <- function(space, g, rows, w, data = TRUE) {
  k <- length(at) + 1L
  at[[k]] <<- space; in_group[[k]] <<- g; rows_of[[k]] <<- rows; weight[[k]] <<- w; told[[k]] <<- data
}
known <- answers != 9
if (kind == "choices") {
  # ---- rankings by choices: from the items left, a set of 1 or of a number that can tie
  sizes <- c(1, orders)
  named <- character()
  of_left <- function(left) {
    key <- paste(left, collapse = " ")
    if (!key %in% named) {
      sets <- do.call(c, lapply(sizes[sizes <= length(left)], function(d) utils::combn(length(left), d, simplify = FALSE)))
      S <- t(vapply(sets, function(set) {
        s <- numeric(q)
        s[left[set]] <- 1 / length(set)
        if (length(set) > 1L) s[q - length(orders) + match(length(set), orders)] <- 1
        s
      }, numeric(q)))
      named <<- c(named, key)
      spaces[[length(named)]] <<- list(S = S, sets = vapply(sets, function(set) paste(left[set], collapse = " "), ""))
    }
    match(key, named)
  }
  choose_from <- function(g, left, chosen, w, data) {
    space <- of_left(left)
    add(space, g, match(paste(chosen, collapse = " "), spaces[[space]]$sets), w, data)
  }
  for (i in seq_along(n)) {
    left <- which(presented[i, ] == 1)
    while (length(left) > 1L && any(ranks[i, left] > 0)) {
      best <- min(ranks[i, left][ranks[i, left] > 0])
      chosen <- left[ranks[i, left] == best]
      choose_from(group[i], left, chosen, n[i], TRUE)
      left <- setdiff(left, chosen)
    }
  }
  # Pseudo-comparisons: every item wins and loses against a hypothetical one.
  if (pseudo > 0) for (j in seq_len(J)) for (winner in c(j, J + 1L)) choose_from(1L, c(j, J + 1L), winner, pseudo, FALSE)
  spaces <- lapply(spaces, `[[`, "S")
} else if (kind == "apart") {
  # ---- comparisons that do not depend on each other: each is an answer of its own
  for (k in seq_len(C)) {
    S <- matrix(0, length(category), q)
    S[, k] <- category
    if (ternary) S[category == 0, C + k] <- 1
    spaces[[k]] <- S
    for (g in seq_len(groups)) for (row in seq_along(category)) {
      w <- sum(n[group == g & answers[, k] == category[row]])
      if (w > 0) add(k, g, row, w)
    }
  }
} else {
  once <- switch(kind, rankings = compared(arranged(J)), ratings = unique(compared(every(seq_len(places), J))), every(category, C))
  statistics_of <- function(y) cbind(y, if (ternary) y == 0, y[, depends[, 1L], drop = FALSE] * y[, depends[, 2L], drop = FALSE])
  combined <- every(seq_len(nrow(once)), times)
  over_times <- function(x) do.call(cbind, lapply(seq_len(times), function(t) x[combined[, t], , drop = FALSE]))
  whole <- over_times(once)
  S <- over_times(statistics_of(once))
  if (times > 1L) {
    earlier <- seq_len(C * (times - 1L))
    S <- cbind(S, whole[, earlier, drop = FALSE] * whole[, C + earlier, drop = FALSE])
  }
  if (gaps) {
    # ---- answers and gaps together: r is 1 where a comparison is missing
    r <- every(c(0, 1), C)
    y <- rep(seq_len(nrow(whole)), each = nrow(r))
    r <- r[rep(seq_len(nrow(r)), nrow(whole)), , drop = FALSE]
    touches <- outer(seq_len(C), seq_len(J), function(k, j) as.numeric(pair[k, 1L] == j | pair[k, 2L] == j))
    product <- if (coded) (r %*% touches) * whole[y, seq_len(J), drop = FALSE] else r * whole[y, , drop = FALSE]
    S <- cbind(S[y, , drop = FALSE], r, product)
    whole <- ifelse(r == 1, 9, whole[y, , drop = FALSE])
  }
  # ---- rankings of some of the items: the orders of these items alone
  sets <- if (times == 1L && kind == "rankings") apply(presented, 1L, paste, collapse = " ") else rep("", length(n))
  for (s in unique(sets)) {
    here <- which(sets == s)
    table <- whole
    space <- S
    if (s != "" && any(presented[here[1L], ] == 0)) {
      inside <- presented[here[1L], pair[, 1L]] == 1 & presented[here[1L], pair[, 2L]] == 1
      table[, !inside] <- 9
      space[, !inside] <- 0
      kept <- !duplicated(table)
      table <- table[kept, , drop = FALSE]
      space <- space[kept, , drop = FALSE]
    }
    spaces[[length(spaces) + 1L]] <- space
    turned <- t(table)
    for (i in here) {
      asked <- if (gaps) rep(TRUE, ncol(answers)) else known[i, ]
      add(length(spaces), group[i], which(colSums(turned[asked, , drop = FALSE] != answers[i, asked]) == 0), n[i])
    }
  }
}
if (any(lengths(rows_of) == 0L)) stop("an answer is none of the possible ones")
at <- unlist(at); in_group <- unlist(in_group); weight <- unlist(weight); told <- unlist(told)
"""

#: Newton's method: `phi`, `covariance`, `llf`.
NEWTON = """\
# ---- the maximum of sum n log P, by Newton's method with halved steps
p <- ncol(design)
exact <- function(phi) {
  ll <- 0; llf <- 0; score <- numeric(p); hessian <- matrix(0, p, p)
  for (g in unique(in_group)) {
    M <- design[(g - 1L) * q + seq_len(q), , drop = FALSE]
    beta <- as.vector(M %*% phi)
    first <- numeric(q); second <- matrix(0, q, q)
    for (s in unique(at[in_group == g])) {
      S <- spaces[[s]]
      eta <- as.vector(S %*% beta)
      largest <- max(eta)
      prob <- exp(eta - largest)
      log_z <- largest + log(sum(prob))
      prob <- prob / sum(prob)
      mean_all <- colSums(S * prob)
      centred <- sweep(S, 2L, mean_all)
      cov_all <- crossprod(centred, centred * prob)
      for (i in which(in_group == g & at == s)) {
        rows <- rows_of[[i]]
        if (length(rows) == 1L) {
          log_p <- eta[rows] - log_z
          first <- first + weight[i] * centred[rows, ]
          second <- second - weight[i] * cov_all
        } else {
          top <- max(eta[rows])
          share <- exp(eta[rows] - top)
          log_p <- top + log(sum(share)) - log_z
          share <- share / sum(share)
          part <- centred[rows, , drop = FALSE]
          mean_i <- colSums(part * share)
          part <- sweep(part, 2L, mean_i)
          first <- first + weight[i] * mean_i
          second <- second + weight[i] * (crossprod(part, part * share) - cov_all)
        }
        ll <- ll + weight[i] * log_p
        if (told[i]) llf <- llf + weight[i] * log_p
      }
    }
    score <- score + as.vector(crossprod(M, first))
    hessian <- hessian + crossprod(M, second %*% M)
  }
  list(ll = ll, llf = llf, score = score, hessian = hessian)
}
phi <- numeric(p)
here <- exact(phi)
iterations <- 0L
while (max(abs(here$score)) > 1e-12 && iterations < 200L) {
  ridge <- 0
  repeat {
    U <- tryCatch(chol(-here$hessian + diag(ridge, p)), error = function(e) NULL)
    if (!is.null(U)) break
    ridge <- max(2 * ridge, 1e-3 * max(abs(diag(here$hessian))))
  }
  step <- backsolve(U, forwardsolve(t(U), here$score))
  part <- 1
  repeat {
    there <- exact(phi + part * step)
    # At the end the log-likelihood moves by its own rounding: the score decides.
    if (there$ll > here$ll + 1e-13 * abs(here$ll)) break
    if (there$ll > here$ll - 1e-13 * abs(here$ll) && max(abs(there$score)) < max(abs(here$score))) break
    part <- part / 2
    if (part < 1e-6) break
  }
  if (part < 1e-6) break
  phi <- phi + part * step
  here <- there
  iterations <- iterations + 1L
}
covariance <- solve(-here$hessian, tol = 0)
llf <- here$llf
"""

#: `deviance` and `df` against free probabilities of all possible answers.
SATURATED = """\
# ---- the deviance: against free probabilities of all answers that were possible for the same questions
arrangements <- function(k) {
  found <- 1
  for (m in seq_len(k)) found[m + 1L] <- sum(vapply(c(1, orders)[c(1, orders) <= m], function(d) choose(m, d) * found[m - d + 1L], 0))
  found[k + 1L]
}
of_time <- function(x, t) x[, (t - 1L) * (ncol(x) / times) + seq_len(ncol(x) / times), drop = FALSE]
if (gaps) {
  block <- group
  possible <- rep((length(category) + 1)^C, length(n))
} else if (kind == "choices" || kind == "rankings") {
  shown <- if (times == 1L) rowSums(presented) else rep(J, length(n))
  block <- paste(group, if (times == 1L) apply(presented, 1L, paste, collapse = " ") else "", apply(ranked, 1L, paste, collapse = " "))
  possible <- vapply(seq_along(n), function(i) prod(choose(shown[i], ranked[i, ]) * vapply(ranked[i, ], arrangements, 0)), 0)
} else {
  block <- paste(group, apply(known, 1L, paste, collapse = " "))
  possible <- length(category)^rowSums(known)
  if (kind == "ratings") possible <- vapply(seq_along(n), function(i) prod(vapply(seq_len(times), function(t) {
    asked <- of_time(known, t)[i, ]
    if (any(asked)) nrow(unique(once[, asked, drop = FALSE])) else 1
  }, 0)), 0)
}
deviance <- 2 * (sum(n * log(n / ave(n, block, FUN = sum))) - llf)
df <- sum(possible[!duplicated(block)] - 1) - (p - (pseudo > 0))
"""

#: The whole, for a call through the bridge.
PROGRAM = (
    SPACES
    + NEWTON
    + SATURATED
    + """\
list(names = colnames(design), coef = phi, se = sqrt(diag(covariance)), vcov = unname(covariance), llf = llf, deviance = deviance,
     df = df, largest_score = max(abs(here$score)), iterations = iterations)
"""
)


@dataclass(frozen=True, eq=False)
class EnumeratedOptimum(Estimates):
    """A maximum as R reaches it by Newton's method.

    names: as in the fit.  coef, se float[n].  vcov float[n, n]: inverse of minus the Hessian of what was
    maximised.  llf: of the answers, without pseudo-comparisons.  deviance: against free probabilities of all
    possible answers.  largest_score: the largest component of the gradient at the end.
    """

    llf: float
    deviance: float
    df: float
    largest_score: float
    iterations: int


def arguments(given: Inputs) -> dict[str, Any]:
    """The program's variables as R is to see them."""
    return {
        **given.scalars,
        "orders": reals(given.orders),
        "depends": matrix(reals(given.depends), ["first", "second"]),
        "answers": reals(given.answers),
        "ranks": reals(given.ranks),
        "presented": reals(given.presented),
        "ranked": reals(given.ranked),
        "n": reals(given.n),
        "group": reals(given.group),
        "design": matrix(given.design, list(given.names)),
    }


@asks()
def enumerated(given: Inputs, *, backend: BackendLike = None) -> EnumeratedOptimum:
    """The maximum in R, from zeros.

    given: of :func:`pairproof.bridge.programs.answer_inputs.inputs_of`.
    """
    found = ask(backend, "Newton in base R, all answers listed", PROGRAM, arguments(given))
    return EnumeratedOptimum.read(found)


FloatArray = NDArray[np.float64]


def script_of(fit: Fit) -> str:
    """The R source."""
    refused = why_not(fit)
    if refused:
        raise InputError(f"no R script: {refused}")
    given = inputs_of(fit)
    return "\n".join([_header(fit), _data(given), SPACES, NEWTON, SATURATED, _to_the_fit(fit, given), PRINT])


def _header(fit: Fit) -> str:
    import pairproof

    scale = "lambda (log worth = 2 lambda)" if fit.scale == "lambda" else "log-odds"
    what = f"{fit.title}: {fit.n_persons:.10g} persons, {len(fit.items)} items, from {fit.data.source}"
    lines = [
        f"# {comment(what)}",
        f"# Item terms in {scale}; {comment(fit.constraint)}.",
        f"# Written by pairproof {pairproof.__version__}. Run it with: Rscript --vanilla THIS-FILE",
    ]
    if fit.robust is not None:
        lines += [
            f"# The fit's standard errors are {comment(fit.robust.title)}. Those of this script are the model's.",
            'message("standard errors are those of the model, not by cluster")',
        ]
    return "\n".join([*lines, "options(warn = 1)  # warnings as they come", ""])


def _data(given: Inputs) -> str:
    lines = ["# ---- the answers: a row is a distinct answer, n the persons who gave it"]
    for name, value in given.scalars.items():
        if isinstance(value, bool):
            lines.append(f"{name} <- {str(value).upper()}")
        else:
            lines.append(f"{name} <- {text(value) if isinstance(value, str) else number(value)}")
    lines.append(f"orders <- {_numbers(given.orders)}")
    for name in ("depends", "answers", "ranks", "presented", "ranked"):
        lines.append(f"{name} <- {_matrix(getattr(given, name))}")
    lines += [f"n <- {_numbers(given.n)}", f"group <- {_numbers(given.group)}"]
    lines += [
        "# ---- from the parameters (columns) to those of the statistics below (rows), a block for each group:",
        f"#   {comment(', '.join(given.statistics[:40]))}{' ...' if len(given.statistics) > 40 else ''}",
        f"design <- {_matrix(given.design)}",
        f"colnames(design) <- {vector(map(text, given.names), 0)}",
    ]
    return "\n".join([*lines, ""])


def _numbers(values: object) -> str:
    found = np.asarray(values, dtype=float)
    return vector(map(number, found.tolist())) if found.size else "numeric()"


def _matrix(values: object) -> str:
    table = np.asarray(values, dtype=float)
    return f"matrix({_numbers(table.reshape(-1))}, ncol = {table.shape[1]}, byrow = TRUE)"


def _to_the_fit(fit: Fit, given: Inputs) -> str:
    """R source that moves estimates and covariance to the fit's scale and constraint."""
    names, map_ = shown(fit, given)
    return "\n".join(
        [
            "# ---- to the scale and the constraint of the fit",
            f"shown <- {_matrix(map_)}",
            "b <- drop(shown %*% phi)",
            f"names(b) <- {vector(map(text, names), 0)}",
            "V <- shown %*% covariance %*% t(shown)",
            "",
        ]
    )


def shown(fit: Fit, given: Inputs) -> tuple[list[str], FloatArray]:
    """The fit's parameters but its references, float[m, p] times those of the program."""
    program = {name: k for k, name in enumerate(given.names)}
    own = "log-odds" if fit.spec.family == "plackett-luce" else "lambda"
    unit = LOG_WORTH_PER_UNIT[own] / LOG_WORTH_PER_UNIT[fit.scale]
    names, rows = [], []
    for term, reference in zip(fit.terms, fit.is_reference):
        if reference:
            continue
        row = np.zeros(len(given.names))
        if term.name in program:
            row[program[term.name]] = 1.0
        if term.kind == "item" and fit.spec.reference == "sum":
            block = next(k for k, t in enumerate(fit.layout.blocks) if t.by == term.by)
            inside = over_which(fit)[block]
            summed = [fit.terms[k].name for k in fit.layout.places[block][inside]]
            row[[program[name] for name in summed if name in program]] -= 1.0 / len(summed)
        names.append(term.name)
        rows.append(row * (unit if term.kind in ("item", "covariate") else 1.0))
    return names, np.array(rows)
