"""psychotools' btmodel and itempar in Python: Bradley and Terry's model, with Davidson's ties.
 btmodel works in log-odds, as `fit_bradley_terry` does; its "(undecided)" is our `tie`; its reference is the
last item unless said; with `undecided = FALSE` ties on the scale are left out.  It keeps glm's warnings to
itself, so that where estimates are infinite its numbers are those at which its iteration stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ...bridge.capture.recorded import RecordedCall
from ...fit.fit import Fit
from ...validation.verdicts.agreement import Agreement
from .python_code import Call, columns_call, stated
from .recorded_answers import Package, Pairs, pairs_of, recorded, recorded_vector
from .rows import Beside, count_rows, llf_and_aic, named, of_fit, parameters
from .translation import (
    Context,
    Judge,
    Translation,
    bridged,
    in_r,
    needed,
    stays_if,
    translates,
    why_not_finite,
)

BTMODEL = "psychotools::btmodel"
DEFAULT = f"{BTMODEL}, default epsilon"
UNDECIDED = "(undecided)"
LOST = "its comparisons were not recorded as a paircomp with the answers >, = and <"
#: btmodel's own default stop is glm's, 1e-8; asked for again with the same one, R gives the same numbers.
EPSILON = 1e-8
MAXIT = 25


@translates(BTMODEL)
def btmodel(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(pairproof.read(..., layout="prefmod"), reference=, ties=)`."""
    data = _data(call)
    undecided = UNDECIDED in named(call.vector("coef"))
    reference = (call.strings("ref") or (data.items[-1],))[0]
    options = stated(reference=reference, ties="davidson" if undecided else data.ties and "drop")
    code = Call("pairproof.fit_bradley_terry", (data.code(call.variable),), options)
    infinite = why_not_finite(code)
    stays_if(infinite, f"R's numbers are from the point where its iteration stopped: {infinite}")
    said = "btmodel was called with undecided = FALSE: comparisons without a preference are left out."
    notes = (said,) if options.get("ties") == "drop" else ()
    return Translation("native", code, notes=notes, judge=partial(_rows, call, reference))


def _data(call: RecordedCall) -> Pairs:
    return needed(pairs_of(recorded(call, "y"), recorded_vector(call, "weights")), LOST)


def _rows(call: RecordedCall, reference: str, fit: Fit) -> Sequence[Agreement]:
    names = {n: "tie" if n == UNDECIDED else n for n in named(call.vector("coef"))}
    known = parameters(call, names, "log-odds", reference)
    values = llf_and_aic(call.number("loglik"), len(names))
    said = ["(undecided) is tie"] if UNDECIDED in names else []
    if without := bool(np.isnan(known.vcov).any()):
        said.append("it was called without the covariance")
    rows = of_fit(call, fit, known, values, *said, name=DEFAULT, errors=not without)
    return rows + count_rows(call, fit)


def answers(data: Pairs, stem: str) -> Call:
    """The answers as the bridge takes them: a column a pair."""
    columns = zip(data.names, data.signs.T.tolist())
    return columns_call({n: [None if np.isnan(v) else v for v in column] for n, column in columns}, stem)


@in_r(BTMODEL)
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    data = _data(call)
    reference = (call.strings("ref") or (data.items[-1],))[0]
    options = stated(
        labels=list(data.items),
        weights=data.weights is not None and [float(w) for w in data.weights],
        type=(call.strings("type") or ("loglin",))[0] != "loglin" and "logit",
        ref=reference != data.items[-1] and reference,
    )
    options |= {"undecided": UNDECIDED in named(call.vector("coef")), "epsilon": EPSILON, "maxit": MAXIT}
    judge: Judge = lambda model: Beside(call, function=BTMODEL).model(model, "llf")
    return bridged(why, "psychotools.btmodel", [answers(data, call.variable)], options, judge)


@translates(
    "psychotools::itempar", "psychotools::itempar.btmodel", "psychotools::worth", "psychotools::worth.btmodel"
)
def itempar(call: RecordedCall, context: Context) -> Translation:
    """`m.worth()`, or log worths around the mean of all items or less one item's."""
    return PSYCHOTOOLS.worths(call, context)


PSYCHOTOOLS = Package(
    "psychotools",
    fitted=DEFAULT,
    least=6.5,
    # btmodel takes its covariance one step before the end: floors.toml has the same digits for btmodel.
    of_errors=3.5,
    why="glm at its default epsilon, whose covariance is from one iteration before the last",
    errors=lambda made, beside, rows, r: rows,
)
