"""What the scripts of all kinds of fits share: their head, and the way to the fit's scale and constraint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...fit.estimates.identification import over_which
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit
from .r_source import comment, needed, text, vector


def header(
    fit: Fit,
    counted: str,
    constraint: str,
    needs: str = "",
    packages: Sequence[str] = (),
    clusters: Sequence[str] = (),
) -> str:
    """The head of a script.
    counted: how many comparisons or persons, and of what.  clusters: lines of :func:`by_cluster`."""
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
