"""Writes a fit as a plain R script, which contains the comparisons, fits the model in R, and prints its
numbers under the fit's names.

The script needs R alone (gnm beyond 300 nuisance constants, MASS for Rao and Kupper's ties) and runs with
``Rscript --vanilla``.  It prints, tab-separated and to 17 digits, every parameter with its estimate and
standard error on the fit's scale and under its constraint, then deviance, df and log-likelihood by the fit's
definitions, so that a reader of R can check every step.

The model is the log-linear one, log m(outcome) = mu_cell + lambda_i - lambda_j ..., fitted by glm and again
from its own solution, because R's glm computes its covariance with the weights of the step before the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...fit.estimates.identification import over_which
from ...fit.estimates.predictions import item_covariate
from ...fit.estimates.specification import by_suffix
from .counted_cells import count
from .r_source import (
    CENTRE,
    GNM,
    HELPERS,
    LOG_LINEAR,
    PRINT,
    RAO_KUPPER,
    by_cluster,
    comment,
    comparisons_of,
    header,
    items_in,
    not_estimable,
    number,
    text,
    vector,
)

if TYPE_CHECKING:
    from ...fit.estimates.specification import Term
    from ...fit.fit import Fit
    from .counted_cells import CountedCells


#: glm has a column for each nuisance constant; if there are more than this, gnm is used, which eliminates
#: them.
MOST_CONSTANTS = 300


def to_r(fit: Fit) -> str:
    """Write an R script that reproduces a fit.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    str
        R source in ASCII, for ``Rscript --vanilla``.  It prints every parameter, the deviance, df and the
        log-likelihood to 17 digits.  Standard errors are those of the model; for a fit with clustered standard
        errors the script says so.  Models of whole answers are fitted by listing every possible answer; models
        of contests (links, offsets, reduced bias, general ties, random effects) by BTm, brglm2, gnm or lme4.

    Raises
    ------
    InputError
        Latent classes, a prior, two components of variance, or more numbers than fit in a script.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [61], "losses": [35]})
    >>> print(pairproof.to_r(pairproof.fit_bradley_terry(table)).splitlines()[1])
    # Item terms in log-odds; reference A.
    """
    if fit.answers is not None:
        from .answer_script import script_of

        return script_of(fit)
    if fit.contests is not None:
        from . import contest_script as script

        return script.script_of(fit)
    cells = count(fit)
    at_boundary = fit.ties == "rao-kupper" and cells.ties is not None and not cells.ties.any()
    three = cells.ties is not None and not at_boundary
    packages = _packages(fit, cells, three)
    parts = [_header(fit, packages), _data(fit, cells, three), _columns(fit, cells, three)]
    if fit.ties == "rao-kupper" and three:
        parts += [RAO_KUPPER]
    else:
        parts += [GNM if "gnm" in packages else _glm(cells), LOG_LINEAR]
    if at_boundary:
        parts.append(
            "# No tie occurred: the tie parameter is at its boundary 0, and the ties' empty outcomes count in"
            " df.\ndf <- df + nrow(cells)\n"
        )
    return "\n".join([*parts, _to_the_fit(fit), PRINT])


def _packages(fit: Fit, cells: CountedCells, three: bool) -> list[str]:
    """The packages that the fit's program calls."""
    if fit.ties == "rao-kupper" and three:
        return ["MASS"] if sum(t.kind == "tie" for t in fit.terms) == 1 else []
    return ["gnm"] if len(cells) > MOST_CONSTANTS else []


# -- the header ---------------------------------------------------------------------------------------------


def _header(fit: Fit, packages: Sequence[str]) -> str:
    clusters = by_cluster(
        fit,
        "the model's, which",
        "# suppose independent answers; fit.verify() or --verify compares those by cluster with R's clubSandwich.",
    )
    return header(fit, comparisons_of(fit), items_in(fit), packages=packages, clusters=clusters)


# -- data ----------------------------------------------------------------------------------------------------


def _data(fit: Fit, cells: CountedCells, three: bool) -> str:
    columns = {
        "first": vector(str(int(k) + 1) for k in cells.first),
        "second": vector(str(int(k) + 1) for k in cells.second),
        "wins": vector(map(number, cells.wins)),
    }
    if three and cells.ties is not None:
        columns["ties"] = vector(map(number, cells.ties))
    columns["losses"] = vector(map(number, cells.losses))
    if cells.order is not None:
        columns["order"] = vector(map(number, cells.order))
    for k, values in enumerate(cells.comparison.values()):
        columns[f"comparison{k + 1}"] = vector(map(number, values))
    for k, c in enumerate(cells.covariates):
        if c.categorical:
            codes, labels = vector(str(int(v) + 1) for v in c.values), vector(map(text, c.levels), 4)
            column = f"factor({codes}, levels = seq_len({len(c.levels)}),\n    labels = {labels})"
        else:
            column = vector(map(number, c.values))
        columns[f"covariate{k + 1}"] = column
    body = ",\n".join(f"  {name} = {value}" for name, value in columns.items())
    said = [f"#   covariate{k + 1}: {comment(c.name)}" for k, c in enumerate(cells.covariates)]
    named = enumerate(cells.comparison, 1)
    said += [f"#   comparison{k}: {comment(name)}, in favour of `first`" for k, name in named]
    order = "#   order: 1 where `first` was named first, -1 where `second` was, 0 on neutral ground"
    lines = [
        "# ---- the comparisons: a row is a cell, a pair of items and the covariates of the model; counts "
        "from first's side",
        f"items <- {vector(map(text, fit.items), 0)}",
        *([] if cells.order is None else [order]),
        *said,
        f"cells <- data.frame(\n{body})",
    ]
    return "\n".join([*lines, ""])


def _columns(fit: Fit, cells: CountedCells, three: bool) -> str:
    """Columns of the design, under the fit's names."""
    side, counts = "c(1, -1)  # first preferred, second preferred", 'c("wins", "losses")'
    if three:
        side, counts = "c(1, 0, -1)  # first preferred, tie, second preferred", 'c("wins", "ties", "losses")'
    lines = [
        "# ---- the design: a row for each outcome of each cell",
        f"side <- {side}",
        "row <- rep(seq_len(nrow(cells)), each = length(side))",
        "outcome <- rep(side, nrow(cells))",
        f"y <- c(t(as.matrix(cells[{counts}])))",
        "cell <- factor(row)",
        "# For each outcome +1 for the item it prefers, -1 for the other; a tie prefers none.",
        "own <- sapply(seq_along(items), function(i) "
        "((cells$first == i) - (cells$second == i))[row] * outcome)",
        "colnames(own) <- items",
    ]
    of_all, selective = _by_reach(fit)
    if selective:
        lines += _item_covariates(selective, fit, "selected", "Terms of one item, or of one item covariate.")
    if fit.spec.item_terms:
        said = (
            "The items' abilities are sums of their covariates: one row per item, one column per covariate."
        )
        lines += _item_covariates([t for t in of_all if t.kind == "covariate"], fit, "own", said)
    if cells.covariates:
        lines.append(HELPERS)
    lines.append(f"comparison <- {vector(map(text, cells.comparison), 0)}")
    bound = [_spread(of_all, fit, cells, ("item", "covariate"), "own")]
    alike: dict[str, list[Term]] = {}
    for term in selective:
        alike.setdefault(_head(term), []).append(term)
    for head, terms in alike.items():
        columns = f"selected[, {vector([text(head)])}, drop = FALSE]"
        bound.append(_spread(terms, fit, cells, ("covariate",), columns))
    for k, name in enumerate(cells.comparison):
        column = f"outcome * cells$comparison{k + 1}[row] / 2"
        bound.append(f"matrix({column}, dimnames = list(NULL, {text(name)}))")
    if any(t.kind == "order" for t in fit.terms):
        column = "cbind(order = outcome * cells$order[row] / 2)"
        bound.append(_spread(fit.terms, fit, cells, ("order",), column))
    if three and any(t.kind == "tie" for t in fit.terms):
        column = "cbind(tie = as.numeric(outcome == 0))"
        bound.append(_spread(fit.terms, fit, cells, ("tie",), column))
    return "\n".join([*lines, "X <- cbind(" + ",\n  ".join(bound) + ")", ""])


def _by_reach(fit: Fit) -> tuple[list[Term], list[Term]]:
    """Terms of all items or of all item covariates of the model, and the selective ones."""
    products: dict[tuple[tuple[str, str | None], ...], set[str]] = {}
    for term in fit.terms:
        if term.kind in ("item", "covariate"):
            products.setdefault(term.by, set()).add(_head(term))
    everybody = products[()] if fit.spec.item_terms else None
    selective = [t for t in fit.terms if t.kind == "covariate" and products[t.by] != everybody]
    return [t for t in fit.terms if t not in selective], selective


def _item_covariates(terms: Sequence[Term], fit: Fit, name: str, said: str) -> list[str]:
    """Columns for item covariates: values of each item, then differences."""
    heads: dict[str, Term] = {}
    for term in terms:
        heads.setdefault(_head(term), term)
    rows = [f"  {vector(map(number, item_covariate(fit, term).tolist()))}" for term in heads.values()]
    names = vector((text(n) for n in heads), 0)
    return [
        f"# {said}",
        "values <- cbind(\n" + ",\n".join(rows) + ")",
        f"colnames(values) <- {names}",
        f"{name} <- own %*% values",
    ]


def _head(term: Term) -> str:
    """A term's name without its subject covariates."""
    if term.kind == "item" or term.covariate is None:
        return term.item or term.kind
    return term.covariate if term.covariate_level is None else f"{term.covariate}[{term.covariate_level}]"


def _spread(terms: Sequence[Term], fit: Fit, cells: CountedCells, kinds: Sequence[str], columns: str) -> str:
    """R source for the columns and their products with the subject covariates of these kinds of terms."""
    covariates = [c.name for c in cells.covariates]
    if "item" in kinds and not fit.spec.item_terms:
        columns = f"{columns}[, items != {text(_reference(fit))}, drop = FALSE]"
    of_kind = [t for t in terms if t.kind in kinds]
    products = dict.fromkeys(tuple((name, level is None) for name, level in t.by) for t in of_kind)
    if list(products) == [()]:
        return columns
    effects = []
    for product in products:
        made = "constant"
        for k, (name, slope) in enumerate(product):
            column = f"cells$covariate{covariates.index(name) + 1}"
            part = f"by_{'number' if slope else 'level'}({column}, {text(name)})"
            made = part if k == 0 else f"times({made}, {part})"
        effects.append(made)
    return f"spread({columns}, c({', '.join(effects)}))"


def _suffixes(fit: Fit) -> str:
    """What stands behind the items' names in each block of item terms."""
    return vector((text(by_suffix(term.by)) for term in fit.layout.blocks), 0)


def _centred(fit: Fit) -> list[str]:
    """From a reference item to items that sum to zero; over one set of them, block by block, if some are infinite."""
    over = over_which(fit)
    if over.all():
        return [_to_zero("Items", "items", _suffixes(fit))]
    blocks = []
    for term, inside in zip(fit.layout.blocks, over):
        items = vector((text(item) for item, here in zip(fit.items, inside) if here), 0)
        blocks.append(_to_zero("These items", items, text(by_suffix(term.by))))
    return blocks


def _to_zero(said: str, names: str, suffixes: str) -> str:
    return CENTRE.replace("OVER", said).replace("SUFFIXES", suffixes).replace("NAMES", names)


def _reference(fit: Fit) -> str:
    """The item held at 0 in R: of items that sum to zero the last, whose differences to the others are finite."""
    if fit.spec.reference in fit.items:
        return fit.spec.reference
    return [item for item, here in zip(fit.items, over_which(fit)[0]) if here][-1]


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


# -- to the fit's scale and constraint -----------------------------------------------------------------------


def _to_the_fit(fit: Fit) -> str:
    in_r = "log-odds" if fit.ties == "rao-kupper" and fit.data.ties.any() else "lambda"
    factor = {("lambda", "log-odds"): "2", ("log-odds", "lambda"): "1 / 2"}.get((in_r, fit.scale), "1")
    lines = ["# ---- to the scale and the constraint of the fit"]
    if factor != "1":
        lines += [
            f"# {'log-odds are twice lambda' if factor == '2' else 'lambda is half the log-odds'};"
            " tie and order are the same on both.",
            'other <- grepl("^(tie|order)(:|$)", names(b)) | names(b) %in% comparison',
            f"unit <- ifelse(other, 1, {factor})",
            "b <- b * unit",
            "V <- V * outer(unit, unit)",
        ]
    if fit.spec.reference == "sum" and not fit.spec.item_terms:
        lines += _centred(fit)
    return "\n".join([*lines, *not_estimable(fit), ""])
