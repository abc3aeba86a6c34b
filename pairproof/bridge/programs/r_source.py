"""R source that every script has: values that R reads back exactly, and parts that never change.

Text from a file cannot leave its string or its comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...fit.estimates.identification import over_which
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit

#: Older ones give other numbers: gnm 1.1-2 loses parameters, which are then 0 without a standard error.
LEAST = {"gnm": "1.1-3"}
#: Numbers on a line of R.
PER_LINE = 20


def text(value: str) -> str:
    """A string as R source in ASCII."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}

    def one(c: str) -> str:
        if c in escapes:
            return escapes[c]
        if " " <= c <= "~":
            return c
        return f"\\U{{{ord(c):x}}}" if ord(c) > 0xFFFF else f"\\u{{{ord(c):x}}}"

    return f'"{"".join(map(one, value))}"'


def comment(value: str) -> str:
    """Text for a comment: one line of ASCII, so that nothing in a name can end it."""
    plain = " ".join(value.split())
    return re.sub(r"[^ -~]", "?", plain)


def number(value: float) -> str:
    """A number that R reads back exactly: R rounds decimals of more than 15 digits wrongly now and then."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    short = f"{value:.15g}"
    return short if float(short) == value else float(value).hex()


def scalar(value: bool | str | float) -> str:
    """One value as R source."""
    if isinstance(value, bool):
        return str(value).upper()
    return text(value) if isinstance(value, str) else number(value)


def needed(packages: Sequence[str]) -> str:
    """R source that stops where a package is absent or too old, with the line that installs it."""
    if not packages:
        return ""
    least = ", ".join(f"{name} = {text(LEAST.get(name, '0'))}" for name in packages)
    return f"""\
# ---- the packages that this script calls, and their least versions
needed <- c({least})
usable <- function(name, version) requireNamespace(name, quietly = TRUE) && packageVersion(name) >= version
lacking <- names(needed)[!mapply(usable, names(needed), needed)]
if (length(lacking)) {{
  named <- ifelse(needed[lacking] == "0", lacking, paste(lacking, ">=", needed[lacking]))
  stop("not installed here, or too old: ", paste(named, collapse = ", "), ". In R:\\n",
    "  install.packages(", paste(deparse(lacking), collapse = ""), ")", call. = FALSE)
}}
"""


def vector(values: Iterable[str], indent: int = 2) -> str:
    """c(...) over as many lines as it takes."""
    items = list(values)
    lines = [", ".join(items[k : k + PER_LINE]) for k in range(0, len(items), PER_LINE)]
    return "c(" + (",\n" + " " * (indent + 2)).join(lines) + ")"


def header(
    fit: Fit,
    counted: str,
    constraint: str,
    needs: str = "",
    packages: Sequence[str] = (),
    clusters: Sequence[str] = (),
) -> str:
    """The head of a script.  counted: how many comparisons or persons.  clusters: by :func:`by_cluster`."""
    import pairproof

    lines = [
        f"# {comment(f'{fit.title}: {counted} from {fit.data.source}')}",
        f"# {constraint}",
        f"# Written by pairproof {pairproof.__version__}. Run it with: Rscript --vanilla THIS-FILE{needs}",
        *clusters,
        "options(warn = 1)  # warnings as they come",
        needed(packages),
    ]
    return "\n".join(lines)


def comparisons_of(fit: Fit) -> str:
    """How many comparisons, and of how many items."""
    return f"{fit.n_comparisons:g} comparisons of {len(fit.items)} items"


def items_in(fit: Fit) -> str:
    """The scale of the item terms, and their constraint."""
    scale = "lambda (log worth = 2 lambda)" if fit.scale == "lambda" else "log-odds"
    return f"Item terms in {scale}; {comment(fit.constraint)}."


def by_cluster(fit: Fit, *said: str) -> list[str]:
    """That the script's standard errors are those of the model, where the fit's are by cluster."""
    if fit.robust is None:
        return []
    first, *more = said
    return [
        f"# The fit's standard errors are {comment(fit.robust.title)}. Those of this script are {first}",
        *more,
        'message("standard errors are those of the model, not by cluster")',
    ]


def not_estimable(fit: Fit) -> list[str]:
    """The line that names the parameters that the data do not determine, and why."""
    if not fit.not_estimable:
        return []
    return [
        "# The data do not determine these; what R has for them depends on when it stopped, or on what it left out.",
        f"not_estimable <- {vector(map(text, fit.not_estimable), 0)}",
    ]


def shown(fit: Fit, program: Sequence[str], scale: str) -> tuple[list[str], NDArray[np.float64]]:
    """The fit's parameters but its references, and float[m, p]: them times those of a program on some scale."""
    place = {name: k for k, name in enumerate(program)}
    unit = LOG_WORTH_PER_UNIT[scale] / LOG_WORTH_PER_UNIT[fit.scale]
    names, rows = [], []
    for term, reference in zip(fit.terms, fit.is_reference):
        if reference:
            continue
        row = np.zeros(len(program))
        if term.name in place:
            row[place[term.name]] = 1.0
        if term.kind == "item" and fit.spec.reference == "sum":
            block = next(k for k, t in enumerate(fit.layout.blocks) if t.by == term.by)
            inside = over_which(fit)[block]
            summed = [fit.terms[k].name for k in fit.layout.places[block][inside]]
            row[[place[name] for name in summed if name in place]] -= 1.0 / len(summed)
        names.append(term.name)
        rows.append(row * (unit if term.kind in ("item", "covariate") else 1.0))
    return names, np.array(rows).reshape(len(names), len(program))


#: Makes the columns for subject covariates.
HELPERS = """\
# Subject covariates: levels of a factor but its first, numbers, products; names as :judge[3] or :age.
constant <- setNames(list(1), "")
by_level <- function(column, name) {
  levels <- levels(column)[-1]
  setNames(lapply(levels, function(l) as.numeric(column[row] == l)), paste0(":", name, "[", levels, "]"))
}
by_number <- function(column, name) setNames(list(column[row]), paste0(":", name))
times <- function(a, b) setNames(
  unlist(lapply(a, function(u) lapply(b, function(v) u * v)), recursive = FALSE), c(t(outer(names(a), names(b), paste0))))
spread <- function(columns, effects) do.call(cbind, Map(function(effect, name) {
  out <- columns * effect
  colnames(out) <- paste0(colnames(columns), name)
  out
}, effects, names(effects)))"""

#: The log-linear model with its constants eliminated by gnm.
GNM = """\
# ---- the fit: log-linear, one constant a cell, eliminated
suppressMessages(library(gnm))  # 1.1-3 or later
fit <- suppressWarnings(gnm(y ~ X - 1, eliminate = cell, family = poisson, tolerance = 1e-14, iterMax = 500, verbose = FALSE))
# Once more from its own solution by gnm's Newton method: its shortcut for linear models stops 4e-10 before the maximum.
X <- X[, !is.na(coef(fit)), drop = FALSE]
start <- c(attr(coef(fit), "eliminated"), coef(fit)[!is.na(coef(fit))])
fit <- suppressWarnings(gnm(y ~ X - 1, eliminate = cell, family = poisson, tolerance = 1e-14, iterMax = 500, verbose = FALSE,
  checkLinear = FALSE, start = unname(start)))
b <- setNames(as.numeric(coef(fit)), colnames(X))
V <- matrix(as.numeric(vcov(fit)), length(b))
"""

#: Deviance, df and log-likelihood of the log-linear model.
LOG_LINEAR = """\
deviance <- deviance(fit)
df <- df.residual(fit)
# Log-likelihood of the comparisons, given how many each cell has: no constants of the counts.
p <- fitted(fit) / ave(fitted(fit), cell, FUN = sum)
llf <- sum((y * log(p))[y > 0])
"""

#: Rao and Kupper's model, where ties are a threshold.
RAO_KUPPER = """\
# ---- the fit: logit P(first) = u - g, logit P(second) = -u - g, a tie is the rest, with u = b_i - b_j and g >= 0
tie_columns <- colnames(X) == "tie" | startsWith(colnames(X), "tie:")
of_first <- outcome == 1
D <- X[of_first, !tie_columns, drop = FALSE]   # u = D b
G <- X[outcome == 0, tie_columns, drop = FALSE]  # g = G d
D[, ] <- D / ifelse(grepl("^order(:|$)", colnames(D)) | colnames(D) %in% comparison, 0.5, 1)[col(D)]
# Columns that the data do not determine are left out.
D <- D[, sort(qr(D)$pivot[seq_len(qr(D)$rank)]), drop = FALSE]
if (ncol(G) == 1L) {
  # polr's thresholds are symmetric if every row stands there twice, the second time with its sides exchanged.
  suppressMessages(library(MASS))
  long <- data.frame(w = c(cells$wins, cells$ties, cells$losses) / 2)
  result <- rep(c(3, 2, 1), each = nrow(cells))
  Z <- rbind(D, D, D)
  twice <- data.frame(result = factor(c(result, 4 - result), levels = 1:3), w = c(long$w, long$w))
  twice$Z <- rbind(Z, -Z)
  # Half weights make R warn of successes that are not whole.
  first_fit <- suppressWarnings(polr(result ~ Z, data = twice[twice$w > 0, ], weights = w,
    control = list(reltol = 1e-16, maxit = 1000)))
  theta <- c(coef(first_fit), diff(first_fit$zeta) / 2)
} else theta <- c(numeric(ncol(D)), 0.2, numeric(ncol(G) - 1L))
# polr stops at 7 to 8 digits: Newton's method from there, on the log-likelihood itself
#   (wins + ties) log F(u - g) + (losses + ties) log F(-u - g) + ties log(exp(2 g) - 1),  F = plogis
A <- cells$wins + cells$ties
B <- cells$losses + cells$ties
loglik <- function(theta) {
  u <- drop(D %*% theta[seq_len(ncol(D))])
  g <- drop(G %*% theta[-seq_len(ncol(D))])
  if (any(g <= 0)) return(-Inf)
  sum(A * plogis(u - g, log.p = TRUE) + B * plogis(-u - g, log.p = TRUE) + cells$ties * log(expm1(2 * g)))
}
for (step in 1:50) {
  u <- drop(D %*% theta[seq_len(ncol(D))])
  g <- drop(G %*% theta[-seq_len(ncol(D))])
  q1 <- plogis(g - u)   # 1 - P(first)
  q2 <- plogis(g + u)   # 1 - P(second)
  score <- c(crossprod(D, A * q1 - B * q2), crossprod(G, -A * q1 - B * q2 - 2 * cells$ties / expm1(-2 * g)))
  w1 <- A * q1 * (1 - q1)
  w2 <- B * q2 * (1 - q2)
  information <- rbind(cbind(crossprod(D, D * (w1 + w2)), crossprod(D, G * (w2 - w1))),
                       cbind(crossprod(G, D * (w2 - w1)), crossprod(G, G * (w1 + w2 + cells$ties / sinh(g)^2))))
  move <- solve(information, score, tol = 0)
  while (isTRUE(loglik(theta + move) < loglik(theta) - 1e-9)) move <- move / 2
  theta <- theta + move
  if (sum(move * score) < 1e-24) break
}
b <- setNames(theta, c(colnames(D), colnames(G)))
V <- solve(information, tol = 0)   # of the observed information
p <- rbind(plogis(u - g), plogis(u - g) * plogis(-u - g) * expm1(2 * g), plogis(-u - g))
m <- c(p) * ave(y, cell, FUN = sum)
llf <- sum((y * log(c(p)))[y > 0])
deviance <- 2 * sum((y * log(y / m))[y > 0])
df <- 2 * nrow(cells) - length(b)
"""

#: From a reference item to abilities that sum to zero, over the items named.
CENTRE = """\
# OVER sum to zero within each term: every block of items less their mean, the reference's 0 counted in.
for (suffix in SUFFIXES) {
  over <- paste0(NAMES, suffix)
  at_zero <- setdiff(over, names(b))
  if (length(at_zero) > 1) next  # not all items of this term are determined
  n <- length(b)
  if (length(at_zero) == 1) {
    b <- c(b, setNames(0, at_zero))
    V <- rbind(cbind(V, numeric(n)), numeric(n + 1L))
  }
  C <- diag(length(b))
  here <- names(b) %in% paste0(items, suffix)
  C[here, names(b) %in% over] <- C[here, names(b) %in% over] - 1 / length(over)
  V <- C %*% V %*% t(C)
  b <- setNames(drop(C %*% b), names(b))
}"""

#: The numbers, tab-separated.
PRINT = """\
# ---- the numbers, to 17 digits
se <- sqrt(pmax(diag(V), 0))
if (exists("not_estimable")) {
  b[names(b) %in% not_estimable] <- se[names(b) %in% not_estimable] <- NA
  absent <- setdiff(not_estimable, names(b))
  b <- c(b, setNames(rep(NA, length(absent)), absent))
  se <- c(se, rep(NA, length(absent)))
}
say <- function(...) writeLines(enc2utf8(paste(..., sep = "\\t")), useBytes = TRUE)
say("name", "estimate", "se")
say(names(b), sprintf("%.17g", b), sprintf("%.17g", se))
say("deviance", sprintf("%.17g", deviance))
say("df_resid", sprintf("%.17g", df))
say("llf", sprintf("%.17g", llf))
"""
