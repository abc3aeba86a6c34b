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

from ...errors import InputError
from ...fit.fit import Fit
from ..packages.asking import Estimates, program, reals
from ..process.policy import BackendLike
from ..values.convert import matrix
from .answer_inputs import Inputs, inputs_of, why_not
from .r_source import PRINT, by_cluster, comment, header, items_in, number, scalar, shown, text, vector

#: Lists possible answers (`spaces`), and what each answer leaves of them (`at`, `rows_of`, `weight`).
SPACES = program(__package__, "answers/spaces")

#: Newton's method: `phi`, `covariance`, `llf`.
NEWTON = program(__package__, "answers/newton")

#: `deviance` and `df` against free probabilities of all possible answers.
SATURATED = program(__package__, "answers/saturated")

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


#: Inputs that are tables.
_TABLES = ("answers", "ranks", "presented", "ranked")


@dataclass(frozen=True, eq=False)
class EnumeratedOptimum(Estimates):
    """A maximum as R reaches it by Newton's method.  coef, se float[n]; vcov float[n, n]."""

    llf: float
    deviance: float
    df: float
    largest_score: float
    iterations: int


def arguments(given: Inputs) -> dict[str, Any]:
    """The program's variables as R is to see them."""
    names = ("orders", "depends", *_TABLES, "n", "group")
    found: dict[str, Any] = {**given.scalars, **{name: reals(getattr(given, name)) for name in names}}
    found["depends"] = matrix(found["depends"], ["first", "second"])
    return {**found, "design": matrix(given.design, list(given.names))}


def enumerated(given: Inputs, *, backend: BackendLike = None) -> EnumeratedOptimum:
    """The maximum in R, from zeros."""
    label = "Newton in base R, all answers listed"
    return EnumeratedOptimum.ask(backend, label, PROGRAM, arguments(given))


def script_of(fit: Fit) -> str:
    """The R source."""
    refused = why_not(fit)
    if refused:
        raise InputError(f"no R script: {refused}")
    given = inputs_of(fit)
    return "\n".join([_header(fit), _data(given), SPACES, NEWTON, SATURATED, _to_the_fit(fit, given), PRINT])


def _header(fit: Fit) -> str:
    counted = f"{fit.n_persons:.10g} persons, {len(fit.items)} items,"
    return header(fit, counted, items_in(fit), clusters=by_cluster(fit, "the model's."))


def _data(given: Inputs) -> str:
    lines = ["# ---- the answers: a row is a distinct answer, n the persons who gave it"]
    for name, value in given.scalars.items():
        lines.append(f"{name} <- {scalar(value)}")
    lines.append(f"orders <- {_numbers(given.orders)}")
    for name in ("depends", *_TABLES):
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
    own = "log-odds" if fit.spec.family == "plackett-luce" else "lambda"
    names, map_ = shown(fit, given.names, own)
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
