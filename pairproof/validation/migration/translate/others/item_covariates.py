"""PlackettLuce's pladmm in Python: rankings whose log worths are a sum of item covariates.

    log worth = X beta, X the model matrix of its formula without the constant
 which `fit_plackett_luce(item_terms=...)` maximises to the end; pladmm stops when worths change by less than
1e-4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .....bridge.capture.recorded import RecordedCall
from .....bridge.packages.pladmm import CovariateWorths
from .....bridge.values.values import RVector
from .....fit.answers.fit import AnswerFit
from ....r_answers.translate import RParameters, likelihood_values, parameter_values
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File
from ..registry import translates
from ..rows import at, count_rows, counterpart, fit_rows, named, row, rows_of
from ..translation import Context, Translation, outside
from ..tried import why_not_finite
from .answers import Rankings, rankings_of, recorded

PLADMM = "PlackettLuce::pladmm"
INTERCEPT = "(Intercept)"
RTOL, N_ITER, RHO = 1e-4, 500, 1.0
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@translates(PLADMM)
def pladmm(call: RecordedCall, context: Context) -> Translation:
    """`fit_plackett_luce(pairproof.read_respondents(..., item_data=), item_terms=[...])`, or R."""
    weights = recorded(call, "weights")
    data = rankings_of(recorded(call, "rankings"), weights if isinstance(weights, RVector) else None)
    x = call.vector("x")
    if data is None or x is None or x.values.ndim != 2 or not x.dimnames or x.dimnames[1] is None:
        return outside("its rankings or its item covariates were not recorded")
    kept = [k for k, name in enumerate(x.dimnames[1]) if name != INTERCEPT]
    if not kept or x.values.shape[0] != len(data.items):
        return outside("it has no item covariates")
    names = {x.dimnames[1][k]: f"x{n + 1}" for n, k in enumerate(kept)}
    taken = {*data.items, "item", "weight"}
    if all(_NAME.match(n) and n not in taken for n in names):
        names = {n: n for n in names}
    columns = {own: x.floats()[:, k].tolist() for (_, own), k in zip(names.items(), kept)}
    if data.tied:
        why = "pladmm has no ties: it takes tied items in the order of their columns, and does not say so"
        return _by_the_bridge(call, data, x.floats()[:, kept], list(names), why)
    table = data.code(call.variable)
    items = File({"item": list(data.items), **columns}, f"{call.variable}_items")
    options = {**table.keywords, "item_data": items}
    code = Call(
        "pairproof.fit_plackett_luce",
        (Call(table.function, table.arguments, options),),
        {"item_terms": list(columns)},
    )
    why = why_not_finite(code)
    if why:
        return _by_the_bridge(call, data, x.floats()[:, kept], list(names), f"Python refuses: {why}")
    notes = [f"{own} is {r}." for r, own in names.items() if own != r]
    return Translation("native", code, notes=tuple(notes), judge=lambda fit: _rows(call, fit, names))


def _rows(call: RecordedCall, fit: AnswerFit, names: dict[str, str]) -> Sequence[Agreement]:
    coefficients = named(call.vector("coef"))
    spread = call.vector("vcov")
    order = [n for n in coefficients if n in names]
    matrix = np.full((len(order), len(order)), np.nan)
    if spread is not None and spread.values.shape == matrix.shape:
        matrix = spread.floats()
    known = RParameters(
        tuple(names[n] for n in order), np.array([coefficients[n] for n in order]), matrix, "log-odds", ""
    )
    values = parameter_values(fit, known)
    if np.isnan(matrix).any():
        values = {q: v for q, v in values.items() if not q.startswith("se.")}
    llf = _last(call)
    if llf is not None:
        values.update(likelihood_values(llf, len(order)))
    said = "its (Intercept) makes worths add up to 1 and has no counterpart"
    return fit_rows(fit, counterpart(call, values, said)) + count_rows(call, fit)


def _last(call: RecordedCall) -> float | None:
    """The log-likelihood; recorded as the path of the iterations, its last value."""
    found = call.vector("loglik")
    return None if found is None or not len(found) else float(found.floats().ravel()[-1])


def _by_the_bridge(
    call: RecordedCall, data: Rankings, x: NDArray[np.float64], names: Sequence[str], why: str
) -> Translation:
    covariates: dict[str, list[Any]] = {n: x[:, k].tolist() for k, n in enumerate(names)}
    options: dict[str, Any] = {}
    if data.weights is not None:
        options["weights"] = [float(w) for w in data.weights]
    for name, default in (("rho", RHO), ("n_iter", N_ITER), ("rtol", RTOL)):
        given = call.values.get(name)
        if isinstance(given, RVector) and given.values.size == 1 and given.floats().ravel()[0] != default:
            value = float(given.floats().ravel()[0])
            options[name] = int(value) if name == "n_iter" else value
    frame = Call("pairproof.bridge.read_frame", (File(covariates, f"{call.variable}_items"),))
    code = Call("pairproof.bridge.plackettluce.pladmm", (data.frame_code(call.variable), frame), options)

    def judge(model: CovariateWorths) -> Sequence[Agreement]:
        r = {n: v for n, v in named(call.vector("coef")).items() if n != INTERCEPT}
        rows = rows_of("estimate", model.params(), r, PLADMM, places=at("coef", model.names))
        llf = _last(call)
        return rows + ([] if llf is None else [row("llf", model.loglik, llf, PLADMM, place="loglik")])

    return Translation("bridge", code, why, speaks="r", judge=judge)
