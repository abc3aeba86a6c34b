"""psychotools' btmodel and itempar in Python: Bradley and Terry's model, with Davidson's ties.
 btmodel works in log-odds, as `fit_bradley_terry` does; its "(undecided)" is our `tie`; its reference is the
last item unless said; with `undecided = FALSE` ties on the scale are left out.  It keeps glm's warnings to
itself, so that where estimates are infinite its numbers are those at which its iteration stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.psychotools import BTModel, ItemParameters
from ...bridge.values.nodes import RVector
from ...fit.fit import Fit
from ...validation.r_answers.translate import likelihood_values, parameter_values
from ...validation.verdicts.agreement import Agreement
from .python_code import Call, File, Method, Result, attribute
from .recorded_answers import Pairs, pairs_of, recorded, unknown
from .rows import at, by_item, count_rows, counterpart, fit_rows, named, parameters, row, rows_of
from .translation import Context, Step, Translation, outside, translates, why_not_finite

BTMODEL = "psychotools::btmodel"
DEFAULT = f"{BTMODEL}, default epsilon"
UNDECIDED = "(undecided)"
#: btmodel's own default stop is glm's, 1e-8; asked for again with the same one, R gives the same numbers.
EPSILON = 1e-8
MAXIT = 25


@translates(BTMODEL)
def btmodel(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(pairproof.read(..., layout="prefmod"), reference=, ties=)`."""
    data = _data(call)
    if data is None:
        return outside("its comparisons were not recorded as a paircomp with the answers >, = and <")
    undecided = UNDECIDED in named(call.vector("coef"))
    reference = (call.strings("ref") or (data.items[-1],))[0]
    why = _not_estimable(data, undecided)
    if why:
        return _by_the_bridge(call, data, why)
    options: dict[str, Any] = {"reference": reference}
    if undecided:
        options["ties"] = "davidson"
    elif data.ties:
        options["ties"] = "drop"
    code = Call("pairproof.fit_bradley_terry", (data.code(call.variable),), options)
    why = why_not_finite(code) if undecided else ""
    if why:
        return _by_the_bridge(call, data, f"R's numbers are where its iteration stopped: {why}")
    notes = (
        ["btmodel was told undecided = FALSE: comparisons without a preference are left out."]
        if options.get("ties") == "drop"
        else []
    )
    return Translation("native", code, notes=tuple(notes), judge=lambda fit: _rows(call, fit, reference))


def _data(call: RecordedCall) -> Pairs | None:
    return pairs_of(recorded(call, "y"), _vector(recorded(call, "weights")))


def _rows(call: RecordedCall, fit: Fit, reference: str) -> Sequence[Agreement]:
    coefficients = named(call.vector("coef"))
    names = {n: "tie" if n == UNDECIDED else n for n in coefficients}
    known = parameters(call, names, "log-odds", reference)
    values = parameter_values(fit, known)
    llf = call.number("loglik")
    if llf is not None:
        values.update(likelihood_values(llf, len(coefficients)))
    said = ["(undecided) is tie"] if UNDECIDED in names else []
    if np.isnan(known.vcov).any():
        values = {q: v for q, v in values.items() if not q.startswith("se.")}
        said.append("it was told not to compute the covariance")
    return fit_rows(fit, counterpart(call, values, *said, name=DEFAULT)) + count_rows(call, fit)


def _not_estimable(data: Pairs, undecided: bool) -> str:
    """Why the estimates are infinite, or not determined; "" if they exist (Zermelo's and Ford's condition)."""
    n = len(data.items)
    beats = np.zeros((n, n))
    weights = np.ones(len(data.signs)) if data.weights is None else data.weights
    k = 0
    for j in range(n):
        for i in range(j):
            answers = data.signs[weights > 0, k]
            beats[i, j] += (answers == 1).sum() + (undecided and (answers == 0).any())
            beats[j, i] += (answers == -1).sum() + (undecided and (answers == 0).any())
            k += 1
    pieces, _ = connected_components(csr_matrix(beats + beats.T), directed=False)
    if pieces > 1:
        return "the comparisons do not connect all items, so that no log-odds join the pieces; btmodel says nothing of it"
    strong, _ = connected_components(csr_matrix(beats), connection="strong")
    if strong > 1:
        return (
            "some items are preferred to the others always or never, so that estimates are infinite: R's are where its"
            " iteration stopped, and it does not say so"
        )
    return ""


def _by_the_bridge(call: RecordedCall, data: Pairs, why: str) -> Translation:
    code = _bridge_code(call, data)
    return Translation("bridge", code, why, speaks="r", judge=lambda m: _bridge_rows(call, m))


def _bridge_code(call: RecordedCall, data: Pairs) -> Call:
    columns = {name: data.signs[:, k].tolist() for k, name in enumerate(data.names)}
    table = {name: [None if np.isnan(v) else v for v in column] for name, column in columns.items()}
    frame = Call("pairproof.bridge.read_frame", (File(table, call.variable),))
    reference = (call.strings("ref") or (data.items[-1],))[0]
    options: dict[str, Any] = {"labels": list(data.items)}
    if data.weights is not None:
        options["weights"] = [float(w) for w in data.weights]
    if (call.strings("type") or ("loglin",))[0] != "loglin":
        options["type"] = "logit"
    if reference != data.items[-1]:
        options["ref"] = reference
    options |= {"undecided": UNDECIDED in named(call.vector("coef")), "epsilon": EPSILON, "maxit": MAXIT}
    return Call("pairproof.bridge.psychotools.btmodel", (frame,), options)


def _bridge_rows(call: RecordedCall, model: BTModel) -> Sequence[Agreement]:
    rows = rows_of(
        "estimate", model.params(), named(call.vector("coef")), BTMODEL, places=at("coef", model.names)
    )
    spread = call.vector("vcov")
    if spread is not None and spread.values.ndim == 2:
        errors = np.sqrt(np.diag(spread.floats()))
        rows += rows_of(
            "se", model.bse(), dict(zip(model.names, errors.tolist())), BTMODEL, places=at("se", model.names)
        )
    llf = call.number("loglik")
    return rows + ([] if llf is None else [row("llf", model.loglik, llf, BTMODEL, place="loglik")])


@translates(
    "psychotools::itempar", "psychotools::itempar.btmodel", "psychotools::worth", "psychotools::worth.btmodel"
)
def itempar(call: RecordedCall, context: Context) -> Translation:
    """`m.worth()`, or log worths around the mean of all items or less one item's."""
    made = next((s for a in call.fits if (s := context.fit_of(call, a)) is not None), None)
    if made is None or made.value is None:
        return outside("its model is none that this run fitted and translated")
    found = _vector(recorded(call, "value"))
    if found is None or found.names is None:
        return outside("its value was not recorded")
    if unknown(call, "ref", "log"):
        return outside(f"its {unknown(call, 'ref', 'log')} could not be recorded")
    log = _flag(call, "log")
    chosen = _reference(call, tuple(found.names))
    if made.translation.speaks == "fit" and (not log and chosen is None or log and _one_or_all(chosen)):
        return _native_parameters(call, made, found, log, chosen)
    return _bridged_parameters(call, made, found, log, chosen)


def _one_or_all(chosen: Sequence[str] | None) -> bool:
    return chosen is None or len(chosen) == 1


def _native_parameters(
    call: RecordedCall, made: Step, found: RVector, log: bool, chosen: Sequence[str] | None
) -> Translation:
    fit = Result(made.call.id)
    if not log:
        code = Method(fit, "worth")
        return Translation("native", code, speaks="value", judge=lambda v: _worth_rows(call, v, found))
    code = attribute(Method(fit, "with_reference", ("sum" if chosen is None else chosen[0],)), "params")
    return Translation("native", code, speaks="value", judge=lambda v: _log_rows(call, v, found))


def _worth_rows(call: RecordedCall, table: Any, found: RVector) -> Sequence[Agreement]:
    ours = dict(zip(table["item"].tolist(), table["worth"].tolist()))
    r = named(found)
    places = by_item(table, "worth")
    own = {n: ours.get(n, float("nan")) for n in r}
    rows = rows_of("worth", own, r, DEFAULT, least=6.5, why=_STOP, places=places)
    spread = found.attributes.get("vcov")
    if isinstance(spread, RVector) and spread.values.ndim == 2 and not np.isnan(spread.floats()).all():
        errors = np.sqrt(np.diag(spread.floats()))
        se = dict(zip(table["item"].tolist(), table["se"].tolist()))
        rows += rows_of(
            "worth_se",
            {n: se[n] for n in r},
            dict(zip(r, errors.tolist())),
            DEFAULT,
            least=3.5,
            why=_STOP,
            places=by_item(table, "se"),
        )
    return rows


#: btmodel takes its covariance one step before the end: floors.toml has the same digits for btmodel.
_STOP = "glm at its default epsilon, whose covariance is that of one step before the end"


def _log_rows(call: RecordedCall, params: Any, found: RVector) -> Sequence[Agreement]:
    r = named(found)
    ours = {n: float(params[n]) for n in r}
    size = max((abs(v) for v in r.values()), default=0.0)
    return [
        row(f"estimate.{n}", ours[n], r[n], DEFAULT, least=6.5, why=_STOP, scale=size, place=n) for n in r
    ]


def _bridged_parameters(
    call: RecordedCall, made: Step, found: RVector, log: bool, chosen: Sequence[str] | None
) -> Translation:
    model: Any = Result(made.call.id)
    why = "its model was fitted through the bridge"
    if not isinstance(made.value, BTModel):
        data = _data(made.call)
        if data is None:
            return outside("the comparisons of its model were not recorded")
        model = _bridge_code(made.call, data)
        why = "worths relative to chosen items have no name in Python; m.worth() and m.contrast() have what they are made of"
    options: dict[str, Any] = {}
    if chosen is not None:
        options["ref"] = list(chosen)
    if log:
        options["log"] = True
    code = Call("pairproof.bridge.psychotools.itempar", (model,), options)

    def judge(value: ItemParameters) -> Sequence[Agreement]:
        ours = dict(zip(value.items, value.estimate.tolist()))
        places = at("estimate", value.items)
        return rows_of("estimate" if log else "worth", ours, named(found), BTMODEL, places=places)

    return Translation("bridge", code, why, speaks="r", judge=judge)


def _flag(call: RecordedCall, name: str) -> bool:
    given = call.values.get(name)
    return isinstance(given, RVector) and given.values.size == 1 and bool(given.scalar())


def _reference(call: RecordedCall, items: Sequence[str]) -> tuple[str, ...] | None:
    """Items given as `ref`, by name or number; None: all."""
    given = call.values.get("ref")
    if not isinstance(given, RVector):
        return None
    known = [str(v) if isinstance(v, str) else items[int(v) - 1] for v in given.values.ravel().tolist()]
    return None if set(known) == set(items) else tuple(known)


def _vector(value: Any) -> RVector | None:
    return value if isinstance(value, RVector) else None
