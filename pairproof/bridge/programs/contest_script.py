"""Writes a fit of contests as an R script: the contests as numbers, the R function that has the model, the fit's numbers.

BradleyTerry2's BTm where it has the model, brglm2 for reduced bias, gnm's GenDavidson for general ties, lme4's glmer
with its modules for Laplace's approximation; base R for the others (quadrature, ties with covariates, reduced bias with
ties).  The script prints what :func:`pairproof.bridge.script.to_r` says, and of random effects sigma and the effects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InputError
from ...fit.fit import Fit
from . import contest_models as models
from .contest_models import Inputs, mixed_variables, named_variables, variables
from .r_source import (
    PRINT,
    comment,
    comparisons_of,
    header,
    not_estimable,
    number,
    scalar,
    shown,
    text,
    vector,
)

#: After a package's own function: the columns in the order of X, and what the fit has of the likelihood.
OBSERVED = """\
# ---- standard errors of the observed information at these estimates, and the log-likelihood without constants
counts <- cbind(wins, ties, losses)
theta <- b
if (with_ties) theta[ncol(X) + 1L] <- b[ncol(X) + 1L] - log(2)
at <- evaluate(likelihood_of(link, with_ties, shift, scale), theta, X, offset, home, counts)
V <- solve(at$information, tol = 0)
llf <- at$llf
"""
ORDERED = """\
place <- match(as_btm, names_of_r)
b <- b[place]
if (nrow(V) == length(place)) V <- V[place, place, drop = FALSE]
"""
SIGMA = """\
say(component, sprintf("%.17g", sigma), sprintf("%.17g", sigma_se))
say(paste0("effect.", effect_names), sprintf("%.17g", effects))
"""
UNBOUNDED = """\
# No chain of wins leads from an item back to itself: the data bound sigma from below only, and it has no standard error.
sigma_se <- NA_real_"""


@dataclass(frozen=True)
class _Parts:
    """The variables of a program, its source, the fit's names of its coefficients, and the packages it calls."""

    variables: Mapping[str, Any]
    program: str
    names: Sequence[str]
    packages: Sequence[str] = ()


def script_of(fit: Fit) -> str:
    """The R source."""
    law = fit.spec.law
    if law is not None and not law.in_r:
        raise InputError(f"no R script: {fit.title}: no R program of {law.words} is known here")
    if len(fit.of_contests.random) > 1:
        raise InputError(f"no R script: {fit.title}: two components of variance were not written for R")
    if fit.data.n_rows * len(fit.terms) > models.MOST_NUMBERS / 10:
        size = f"{fit.data.n_rows:,} rows and {len(fit.terms):,} columns"
        most = f"at most {models.MOST_NUMBERS // 10:,} numbers are written"
        raise InputError(f"no R script: {fit.title}: {size}; {most}")
    given = models.inputs_of(fit)
    parts = _parts(fit, given)
    before = [_header(fit, parts), _data(parts.variables), parts.program]
    return "\n".join([*before, _to_the_fit(fit, given, parts), _print(fit, given)])


def _parts(fit: Fit, given: Inputs) -> _Parts:
    spec, limited = fit.of_contests, bool(given.certain.any())
    kept = [n for k, n in enumerate(given.names) if k not in given.undetermined]
    ties = [t.name for t in fit.terms if t.kind in ("tie", "tie-of")]
    rows = variables(given)
    if fit.random_effects is not None:
        return _mixed(fit, given, kept)
    if spec.reduction and given.with_ties:
        return _Parts(rows, models.jeffreys.code, [*kept, *ties])
    if spec.reduction:
        more = {"type": models.TYPES[spec.reduction], "epsilon": models.BRGLM2_EPSILON}
        return _Parts({**rows, **more}, models.brglm2.code, kept, ["brglm2"])
    free = all(t.kind in ("item", "order") for t in given.terms)
    if given.with_ties and free and given.reference and not spec.offset:
        ordered = any(t.kind == "order" for t in given.terms)
        items = [t.name for t in given.terms if t.kind == "item"]
        named = named_variables(given)
        more = {k: named[k] for k in ("items", "first", "second", "reference")}
        names = [*items, *(["order"] if ordered else []), *ties]
        program = models.gendavidson.code + models.LIKELIHOOD + OBSERVED
        return _Parts({**rows, **more, "ordered": ordered}, program, names, ["gnm", "BradleyTerry2"])
    if given.with_ties:
        return _Parts(rows, models.newton.code, [*kept, *ties])
    if limited:
        return _Parts(rows, models.glm.code, kept)
    program = models.BTM.code + ORDERED + models.LIKELIHOOD + OBSERVED
    return _Parts({**rows, **_named(given)}, program, kept, ["BradleyTerry2"])


def _mixed(fit: Fit, given: Inputs, kept: Sequence[str]) -> _Parts:
    method = fit.of_contests.method
    rows = mixed_variables(given)
    if method == "pql" and given.judges:
        return _Parts({**rows, "tight": True}, models.glmm_pql.code, kept, ["BradleyTerry2"])
    if method == "pql":
        seen = {**variables(given, limited=False), **_named(given)}
        return _Parts(seen, models.BTM.code + ORDERED, given.names, ["BradleyTerry2"])
    if method == "laplace":
        return _Parts(rows, models.laplace.code, kept, ["lme4"])
    return _Parts(rows, models.quadrature.code, kept)


def _named(given: Inputs) -> dict[str, Any]:
    """Variables of BTm, and R's names of the coefficients in the order of the columns."""
    contest = given.contest_terms()
    shared, _ = given.item_columns()
    as_btm = []
    for k, term in enumerate(given.terms):
        if k in contest:
            as_btm.append(f"z{contest.index(k) + 1}")
        elif term in shared:
            as_btm.append(f"w{shared.index(term) + 1}[player]")
        else:
            as_btm.append(f"player{term.item}")
    return {**named_variables(given), "tight": True, "br": False, "as_btm": as_btm}


# -- R source ------------------------------------------------------------------------------------------------


def _header(fit: Fit, parts: _Parts) -> str:
    constraint = f"{comment(fit.constraint[:1].upper() + fit.constraint[1:])}."
    needs = f" (needs {' and '.join(parts.packages) or 'base R'})"
    return header(fit, comparisons_of(fit), constraint, needs, parts.packages)


def _data(given: Mapping[str, Any]) -> str:
    said = (
        "# ---- the contests: counts, columns and random effects, a row for each pair and what goes with it"
    )
    return "\n".join([said, *(f"{name} <- {_literal(value)}" for name, value in given.items()), ""])


def _literal(value: Any) -> str:
    if isinstance(value, (bool, str)):
        return scalar(value)
    if isinstance(value, list):
        return vector(map(text, value), 0) if value else "character()"
    array = np.asarray(value, float)
    if array.ndim == 0:
        return number(float(array))
    flat = [("NA_real_" if np.isnan(v) else number(float(v))) for v in array.reshape(-1)]
    numbers = vector(flat, 0) if flat else "numeric()"
    if array.ndim == 1:
        return numbers
    return f"matrix({numbers}, nrow = {array.shape[0]}, ncol = {array.shape[1]}, byrow = TRUE)"


def _to_the_fit(fit: Fit, given: Inputs, parts: _Parts) -> str:
    names, map_ = shown(fit, parts.names, "log-odds")
    cells = len(fit.cell_table().observed) * (2 if given.with_ties else 1)
    mixed = fit.random_effects is not None
    lines = ["# ---- to the scale and the constraint of the fit"]
    lines += [
        f"shown <- {_literal(map_)}",
        "b[is.na(b)] <- 0",
        "b <- drop(shown %*% b)",
        f"names(b) <- {vector(map(text, names), 0) if names else 'character()'}",
        "V <- shown %*% V %*% t(shown)",
        f"df <- {cells - len(parts.names) - mixed - (0 if parts.names == given.names else fit.n_infinite)}",
    ]
    return "\n".join([*lines, *not_estimable(fit), ""])


def _print(fit: Fit, given: Inputs) -> str:
    if fit.random_effects is None:
        return PRINT
    unbounded = [] if fit.sigma == 0 or not np.isnan(fit.sigma_se) else [UNBOUNDED]
    lines = [
        *unbounded,
        f"component <- {text('sigma.' + fit.components[0].name)}",
        f"effect_names <- {vector(map(text, given.effect_names), 0)}",
        SIGMA,
    ]
    return "\n".join([PRINT, *lines])
