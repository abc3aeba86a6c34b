"""A fit as a plain R script: the comparisons in it, the model fitted by R, its numbers printed under the
fit's names.

The script needs R alone (gnm beyond 300 nuisance constants, MASS for Rao and Kupper's ties) and runs with
``Rscript --vanilla``.  It prints, tab-separated and to 17 digits, every parameter with its estimate and
standard error on the fit's scale and under its constraint, then deviance, df and log-likelihood on the fit's
definitions: what a reader of R can check line by line.

The model is the log-linear one, log m(outcome) = mu_cell + lambda_i - lambda_j ..., fitted by glm and once
more from its own solution, because R's glm takes its covariance from the weights of the step before the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..fit.predictions import item_covariate
from .cells import count

if TYPE_CHECKING:
    from ..fit.fit import Fit
    from ..fit.spec import Term
    from .cells import CountedCells

#: glm carries a column for each nuisance constant; beyond this many gnm eliminates them.
MOST_CONSTANTS = 300
#: Numbers on a line of R.
PER_LINE = 20


def r_script(fit: Fit) -> str:
    """An R script that reproduces a fit.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    str
        R source in ASCII, for ``Rscript --vanilla``.
    """
    cells = count(fit)
    at_boundary = fit.ties == "rao-kupper" and cells.ties is not None and not cells.ties.any()
    three = cells.ties is not None and not at_boundary
    parts = [_header(fit), _data(fit, cells, three), _columns(fit, cells, three)]
    if fit.ties == "rao-kupper" and three:
        parts += [_RAO_KUPPER]
    else:
        parts += [_GNM if len(cells) > MOST_CONSTANTS else _glm(cells), _LOG_LINEAR]
    if at_boundary:
        parts.append(
            "# No tie occurred: the tie parameter is at its boundary 0, and the ties' empty outcomes count in"
            " df.\ndf <- df + nrow(cells)\n"
        )
    return "\n".join([*parts, _to_the_fit(fit), _PRINT])


def to_r(fit: Fit) -> str:
    """An R script that reproduces a fit: :func:`r_script` under the name by which the package offers it."""
    return r_script(fit)


# -- words ---------------------------------------------------------------------------------------------------


def _text(value: str) -> str:
    """A string as R source in ASCII."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}

    def one(c: str) -> str:
        if c in escapes:
            return escapes[c]
        if " " <= c <= "~":
            return c
        return f"\\U{{{ord(c):x}}}" if ord(c) > 0xFFFF else f"\\u{{{ord(c):x}}}"

    return f'"{"".join(map(one, value))}"'


def _comment(value: str) -> str:
    """Text for a comment: one line of ASCII, so that nothing in a name can end it."""
    plain = " ".join(value.split())
    return re.sub(r"[^ -~]", "?", plain)


def _number(value: float) -> str:
    """A number that R reads back exactly: R rounds decimals of more than 15 digits wrongly now and then."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    short = f"{value:.15g}"
    return short if float(short) == value else float(value).hex()


def _vector(values: Iterable[str], indent: int = 2) -> str:
    """c(...) over as many lines as it takes."""
    items = list(values)
    lines = [", ".join(items[k : k + PER_LINE]) for k in range(0, len(items), PER_LINE)]
    return "c(" + (",\n" + " " * (indent + 2)).join(lines) + ")"


def _header(fit: Fit) -> str:
    import pairproof

    what = f"{fit.title}: {fit.n_comparisons:g} comparisons of {len(fit.items)} items from {fit.data.source}"
    scale = "lambda (log worth = 2 lambda)" if fit.scale == "lambda" else "log-odds"
    lines = [
        f"# {_comment(what)}",
        f"# Item terms in {scale}; {_comment(fit.constraint)}.",
        f"# Written by pairproof {pairproof.__version__}. Run it with: Rscript --vanilla THIS-FILE",
        "options(warn = 1)  # warnings as they come",
        "",
    ]
    return "\n".join(lines)


# -- data ----------------------------------------------------------------------------------------------------


def _data(fit: Fit, cells: CountedCells, three: bool) -> str:
    columns = {
        "first": _vector(str(int(k) + 1) for k in cells.first),
        "second": _vector(str(int(k) + 1) for k in cells.second),
        "wins": _vector(map(_number, cells.wins)),
    }
    if three and cells.ties is not None:
        columns["ties"] = _vector(map(_number, cells.ties))
    columns["losses"] = _vector(map(_number, cells.losses))
    if cells.order is not None:
        columns["order"] = _vector(map(_number, cells.order))
    for k, c in enumerate(cells.covariates):
        columns[f"covariate{k + 1}"] = (
            _vector(map(_number, c.values))
            if not c.categorical
            else (
                f"factor({_vector(str(int(v) + 1) for v in c.values)}, levels = seq_len({len(c.levels)}),\n"
                f"    labels = {_vector(map(_text, c.levels), 4)})"
            )
        )
    body = ",\n".join(f"  {name} = {value}" for name, value in columns.items())
    said = [f"#   covariate{k + 1}: {_comment(c.name)}" for k, c in enumerate(cells.covariates)]
    order = (
        ["#   order: 1 where `first` was named first, -1 where `second` was, 0 on neutral ground"]
        if cells.order is not None
        else []
    )
    return "\n".join(
        [
            (
                "# ---- the comparisons: a row is a cell, a pair of items and the covariates of the model;"
                " counts from first's side"
            ),
            f"items <- {_vector(map(_text, fit.items), 0)}",
            *order,
            *said,
            f"cells <- data.frame(\n{body})",
            "",
        ]
    )


def _columns(fit: Fit, cells: CountedCells, three: bool) -> str:
    """Columns of the design, under the fit's names."""
    side = (
        "c(1, 0, -1)  # first preferred, tie, second preferred"
        if three
        else "c(1, -1)  # first preferred, second preferred"
    )
    counts = 'c("wins", "ties", "losses")' if three else 'c("wins", "losses")'
    lines = [
        "# ---- the design: a row for each outcome of each cell",
        f"side <- {side}",
        "row <- rep(seq_len(nrow(cells)), each = length(side))",
        "outcome <- rep(side, nrow(cells))",
        f"y <- c(t(as.matrix(cells[{counts}])))",
        "cell <- factor(row)",
        "# For each outcome +1 for the item it prefers, -1 for the other; a tie prefers none.",
        (
            "own <- sapply(seq_along(items), function(i) ((cells$first == i) - (cells$second == i))[row] *"
            " outcome)"
        ),
        "colnames(own) <- items",
    ]
    if fit.spec.item_terms:
        lines += _item_covariates(fit)
    if cells.covariates:
        lines.append(_HELPERS)
    lines += [f"X <- cbind({_spread(fit, cells, ('item', 'covariate'), 'own')}"]
    for kind, column in (
        ("order", "cbind(order = outcome * cells$order[row] / 2)"),
        ("tie", "cbind(tie = as.numeric(outcome == 0))"),
    ):
        if any(t.kind == kind for t in fit.terms) and (kind != "tie" or three):
            lines[-1] += f",\n  {_spread(fit, cells, (kind,), column)}"
    lines[-1] += ")"
    return "\n".join([*lines, ""])


_HELPERS = """\
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


def _item_covariates(fit: Fit) -> list[str]:
    """Item covariates in place of the items: values of each item, then differences."""
    heads: dict[str, Term] = {}
    for term in fit.terms:
        if term.kind == "covariate":
            heads.setdefault(_head(term), term)
    rows = [f"  {_vector(map(_number, item_covariate(fit, term).tolist()))}" for term in heads.values()]
    names = _vector((_text(n) for n in heads), 0)
    return [
        "# The items' abilities are sums of their covariates: a row an item, a column a covariate.",
        "values <- cbind(\n" + ",\n".join(rows) + ")",
        f"colnames(values) <- {names}",
        "own <- own %*% values",
    ]


def _head(term: Term) -> str:
    """A term's name without its subject covariates."""
    if term.kind == "item" or term.covariate is None:
        return term.item or term.kind
    return term.covariate if term.covariate_level is None else f"{term.covariate}[{term.covariate_level}]"


def _spread(fit: Fit, cells: CountedCells, kinds: Sequence[str], columns: str) -> str:
    """spread(columns, effects): the columns themselves and their products with the subject covariates of
    these terms.
    """
    covariates = [c.name for c in cells.covariates]
    if "item" in kinds and not fit.spec.item_terms:
        columns = f"{columns}[, items != {_text(_reference(fit))}, drop = FALSE]"
    products = dict.fromkeys(
        tuple((name, level is None) for name, level in t.by) for t in fit.terms if t.kind in kinds
    )
    if list(products) == [()]:
        return columns
    effects = []
    for product in products:
        made = "constant"
        for k, (name, slope) in enumerate(product):
            part = (
                f"by_{'number' if slope else 'level'}(cells$covariate{covariates.index(name) + 1},"
                f" {_text(name)})"
            )
            made = part if k == 0 else f"times({made}, {part})"
        effects.append(made)
    return f"spread({columns}, c({', '.join(effects)}))"


def _reference(fit: Fit) -> str:
    """The item held at 0 in R."""
    return fit.spec.reference if fit.spec.reference in fit.items else fit.items[-1]


# -- fitting -------------------------------------------------------------------------------------------------


def _glm(cells: CountedCells) -> str:
    # A factor with one level has no contrasts in R; one cell needs the intercept alone.
    nuisance = "0 + cell + X" if len(cells) > 1 else "X"
    # Half wins: R would warn of each count that is not whole.
    quiet = ("", "") if cells.whole else ("suppressWarnings(", ")")
    return f"""\
# ---- the fit: log-linear, one constant a cell
fit <- {quiet[0]}glm(y ~ {nuisance}, family = poisson){quiet[1]}
# Columns that the data do not determine are left out, as glm finds them at its own tolerance.
constants <- seq_len(nlevels(cell))
X <- X[, !is.na(coef(fit)[-constants]), drop = FALSE]
# Then to full precision, and once more from its own solution.
for (again in 1:2) {{
  fit <- {quiet[0]}glm(y ~ {nuisance}, family = poisson, start = coef(fit)[!is.na(coef(fit))],
    control = glm.control(epsilon = 1e-14, maxit = 100)){quiet[1]}
}}
b <- setNames(coef(fit)[-constants], colnames(X))
V <- vcov(fit)[-constants, -constants, drop = FALSE]
"""


_GNM = """\
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

_LOG_LINEAR = """\
deviance <- deviance(fit)
df <- df.residual(fit)
# Log-likelihood of the comparisons, given how many each cell has: no constants of the counts.
p <- fitted(fit) / ave(fitted(fit), cell, FUN = sum)
llf <- sum((y * log(p))[y > 0])
"""

_RAO_KUPPER = """\
# ---- the fit: logit P(first) = u - g, logit P(second) = -u - g, a tie is the rest, with u = b_i - b_j and g >= 0
tie_columns <- colnames(X) == "tie" | startsWith(colnames(X), "tie:")
of_first <- outcome == 1
D <- X[of_first, !tie_columns, drop = FALSE]   # u = D b
G <- X[outcome == 0, tie_columns, drop = FALSE]  # g = G d
D[, ] <- D / ifelse(colnames(D)[col(D)] == "order" | startsWith(colnames(D)[col(D)], "order:"), 0.5, 1)
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


# -- to the fit's scale and constraint -----------------------------------------------------------------------


def _to_the_fit(fit: Fit) -> str:
    in_r = "log-odds" if fit.ties == "rao-kupper" and not _no_ties(fit) else "lambda"
    factor = {("lambda", "log-odds"): "2", ("log-odds", "lambda"): "1 / 2"}.get((in_r, fit.scale), "1")
    lines = ["# ---- to the scale and the constraint of the fit"]
    if factor != "1":
        lines += [
            (
                f"# {'log-odds are twice lambda' if factor == '2' else 'lambda is half the log-odds'}; tie"
                " and order are the same on both."
            ),
            'other <- grepl("^(tie|order)(:|$)", names(b))',
            f"unit <- ifelse(other, 1, {factor})",
            "b <- b * unit",
            "V <- V * outer(unit, unit)",
        ]
    if fit.spec.reference == "sum" and not fit.spec.item_terms:
        lines += [_CENTRE.replace("REFERENCE", _text(_reference(fit)))]
    lost = list(fit.not_estimable)
    if lost:
        lines += [
            (
                "# The data do not determine these; what R has for them depends on when it stopped, or on"
                " what it left out."
            ),
            f"not_estimable <- {_vector(map(_text, lost), 0)}",
        ]
    return "\n".join([*lines, ""])


def _no_ties(fit: Fit) -> bool:
    return not fit.data.ties.any()


_CENTRE = """\
# Items sum to zero within each term: every block of items less its mean, the reference's 0 counted in.
reference <- REFERENCE
for (suffix in unique(sub("^[^:]*", "", names(b)[!grepl("^(tie|order)(:|$)", names(b))]))) {
  here <- match(paste0(items, suffix), names(b))
  n <- length(b)
  if (is.na(here[items == reference])) {
    b <- c(b, setNames(0, paste0(reference, suffix)))
    V <- rbind(cbind(V, numeric(n)), numeric(n + 1L))
    here <- match(paste0(items, suffix), names(b))
  }
  if (anyNA(here)) next  # not all items of this term are determined
  C <- diag(length(b))
  C[here, here] <- C[here, here] - 1 / length(items)
  V <- C %*% V %*% t(C)
  b <- setNames(drop(C %*% b), names(b))
}"""

_PRINT = """\
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
