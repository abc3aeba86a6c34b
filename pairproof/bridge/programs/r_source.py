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
from ..packages.asking import program

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
HELPERS = program(__package__, "script/helpers")

#: The log-linear model with its constants eliminated by gnm.
GNM = program(__package__, "script/gnm")

#: Deviance, df and log-likelihood of the log-linear model.
LOG_LINEAR = """\
deviance <- deviance(fit)
df <- df.residual(fit)
# Log-likelihood of the comparisons, given how many each cell has: no constants of the counts.
p <- fitted(fit) / ave(fitted(fit), cell, FUN = sum)
llf <- sum((y * log(p))[y > 0])
"""

#: Rao and Kupper's model, where ties are a threshold.
RAO_KUPPER = program(__package__, "script/rao_kupper")

#: From a reference item to abilities that sum to zero, over the items named.
CENTRE = program(__package__, "script/centre")

#: The numbers, tab-separated.
PRINT = program(__package__, "script/print")
