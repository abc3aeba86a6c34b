"""MASS::polr of three ordered answers: Rao and Kupper's ties.

    logit P(Y <= k) = zeta_k - x'b:   tie = (zeta_2 - zeta_1) / 2,   order = -(zeta_1 + zeta_2) / 2

Y is whether the item with the plus sign lost, tied or won (Rao and Kupper 1967, JASA 62, 194-204).  polr's
thresholds are free, so an order effect is always in its model, unless each contest stands there a second time
with the sides and the answer exchanged.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RVector
from ....validation.r_answers.translate import RParameters, likelihood_values
from ...recognise.decide import Design, Not, Recognised, recognise_ordered
from ...recognise.design_contests import Contests
from ..python_code import whole_numbers
from ..recorded_answers import counts
from ..translation import Context, Translation, outside, translates, tried
from .design_numbers import POLR, of_fit, polr_in_r, with_polr
from .glm_and_gnm import BY_DESIGN, LEFT_OUT
from .recorded_design import Unreadable, design_of, fit_call, frames

FloatArray = NDArray[np.float64]
#: polr stops BFGS with thresholds right to some 1e-5; those of mirrored data are equal but for the sign.
SYMMETRIC = 1e-3


@translates("MASS::polr")
def polr(call: RecordedCall, context: Context) -> Translation:
    """A polr, translated from its design and response."""
    try:
        design, coef, vcov = design_of(call, ("(Intercept)",))
        codes, levels, weights = _answers(call, len(design.x))
    except Unreadable as why:
        return outside(f"{LEFT_OUT}, as far as it was recorded: {why}")
    wide = np.zeros((len(codes), 3))
    if len(levels) == 3:
        wide[np.arange(len(codes)), codes - 1] = weights
    found = recognise_ordered(design, wide)
    if isinstance(found, Not) and not found.paired:
        return outside(f"{LEFT_OUT}: {found.why}")
    method = (call.strings("method") or ("logistic",))[0]
    reason = (
        f"{len(levels)} ordered answers; with three it would be Rao and Kupper's model"
        if len(levels) != 3
        else f"link {method} of ordered answers is not fitted here"
        if method != "logistic"
        else found.why
        if isinstance(found, Not)
        else "it has an offset"
        if "offset" in call.args or any("(offset)" in f for f, _ in frames(call, len(codes)))
        else ""
    )
    if not reason:
        assert isinstance(found, Recognised)
        translation = _native(call, design, coef, found, weights)
        if isinstance(translation, Translation):
            return translation
        reason = translation
    columns = {n: whole_numbers(design.x[:, k]) for k, n in enumerate(design.names)}
    columns["(y)"] = [int(k) for k in codes]
    if (weights != 1).any():
        columns["(weights)"] = whole_numbers(weights)
    return polr_in_r(call, columns, levels, method, reason)


def _native(
    call: RecordedCall, design: Design, coef: FloatArray, found: Recognised, weights: FloatArray
) -> Translation | str:
    zeta, spread = call.vector("zeta"), call.vector("vcov")
    if zeta is None or zeta.names is None or len(zeta) != 2:
        return "its thresholds were not recorded"
    mirrored = _is_mirrored(found.model.contests)
    ends = zeta.floats()
    if mirrored and abs(float(ends.sum())) > SYMMETRIC:
        return "its data are mirrored, and its thresholds are not symmetric"
    names = (*found.model.names, "tie") if mirrored else (*found.model.names, "order", "tie")
    to = np.zeros((len(names), len(found.coefficients) + 2))
    to[: len(found.model.names), : len(found.coefficients)] = found.model.map
    to[-1, -2:] = -0.5, 0.5
    if not mirrored:
        to[-2, -2:] = -0.5, -0.5
    kept = [design.names.index(n) for n in found.coefficients]
    theta = to @ np.concatenate([coef[kept], ends])
    p = RParameters(
        names,
        theta,
        to @ _spread(spread, (*found.coefficients, *zeta.names)) @ to.T,
        "log-odds",
        found.model.reference,
    )
    shown = (
        replace(found, model=replace(found.model, contests=_folded(found.model.contests)))
        if (mirrored and _is_plain(found))
        else found
    )
    code = fit_call(shown, "fit_bradley_terry", call.variable, ties="rao-kupper", order_effect=not mirrored)
    _, refused = tried(code)
    if refused:
        return f"fit_bradley_terry refuses it: {refused}"
    loglik = call.number("loglik")
    likelihood = {} if loglik is None else dict(likelihood_values(loglik, len(names)))
    said = "tie = (zeta2 - zeta1) / 2" + ("" if mirrored else ", order = -(zeta1 + zeta2) / 2")
    notes = (
        (BY_DESIGN,)
        if not mirrored
        else (BY_DESIGN, "each contest and its mirror image are one contest here")
    )
    judge = with_polr(call, of_fit(call, p, likelihood, POLR, said), float(weights.sum()), int(mirrored))
    return Translation("native", code, notes=notes, judge=judge)


def _answers(call: RecordedCall, n: int) -> tuple[NDArray[np.int64], tuple[str, ...], FloatArray]:
    """Answers as numbers of the levels, from 1; the levels; weights."""
    y = call.result.get("y")
    if not isinstance(y, RVector) or y.levels is None or len(y.values) != n or y.na.any():
        raise Unreadable("its response was not recorded")
    weights: Any = call.vector("prior_weights")
    for frame, own in frames(call, n):
        if own and "(weights)" in frame:
            weights = frame.vector("(weights)")
    w = np.ones(n) if weights is None else weights.floats().ravel()
    if len(w) != n or np.isnan(w).any():
        raise Unreadable("its weights were not recorded")
    return y.values.astype(np.int64), y.levels, counts(w)


def _spread(spread: RVector | None, names: tuple[str, ...]) -> FloatArray:
    out = np.full((len(names), len(names)), np.nan)
    margin = () if spread is None else spread.margin(0)
    if spread is not None and set(names) <= set(margin):
        at = [margin.index(n) for n in names]
        out = spread.floats()[np.ix_(at, at)]
    return out


def _is_mirrored(contests: Contests) -> bool:
    """Whether each row stands there a second time with the sides and the answer exchanged."""
    assert contests.ties is not None
    one: defaultdict[tuple[object, ...], float] = defaultdict(float)
    other: defaultdict[tuple[object, ...], float] = defaultdict(float)
    for k in range(len(contests)):
        i, j = int(contests.first[k]), int(contests.second[k])
        w, t, lost = float(contests.wins[k]), float(contests.ties[k]), float(contests.losses[k])
        x = tuple(np.round(contests.logit[k], 9) + 0.0)
        back = tuple(np.round(-contests.logit[k], 9) + 0.0)
        for answer, weight in ((2, w), (1, t), (0, lost)):
            if weight:
                one[i, j, x, answer] += weight
                other[j, i, back, 2 - answer] += weight
    return one.keys() == other.keys() and all(abs(one[k] - other[k]) < 1e-9 for k in one)


def _is_plain(found: Recognised) -> bool:
    model = found.model
    return not (model.variables or model.comparison or model.item_terms)


def _folded(contests: Contests) -> Contests:
    """A row for each pair, the item that comes first in the order of items first."""
    assert contests.ties is not None
    straight = contests.turned(contests.first > contests.second)
    assert straight.ties is not None
    pairs = sorted(set(zip(straight.first.tolist(), straight.second.tolist())))
    at = {pair: k for k, pair in enumerate(pairs)}
    of = np.array([at[pair] for pair in zip(straight.first.tolist(), straight.second.tolist())])

    def total(x: FloatArray) -> FloatArray:
        return np.bincount(of, x, len(pairs)).astype(float)

    return Contests(
        np.array([i for i, _ in pairs]),
        np.array([j for _, j in pairs]),
        total(straight.wins),
        total(straight.losses),
        total(straight.ties),
        np.zeros((len(pairs), 0)),
        np.zeros((len(pairs), 0)),
        np.arange(len(pairs))[:, None],
    )
