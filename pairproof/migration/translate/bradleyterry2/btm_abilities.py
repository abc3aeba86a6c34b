"""BTabilities and qvcalc as methods of a fit; countsToBinomial, whose rows are in the fits made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RList, RVector
from ....errors import PairproofError
from ....fit.fit import Fit
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, Method
from ..rows import at, by_item, row, rows_of
from ..translation import Context, Translation, outside, translates
from .btm_fits import Model, model_of
from .recorded_btm import StaysInR

BRIDGE = "pairproof.bridge.bradleyterry2"
#: Of quasi-variances: qvcalc's own glm stops 4 to 7 digits from the minimum that defines them.
QUASI = 3.0
QUASI_COLUMNS = ("quasi_se", "quasi_variance")


@translates("BradleyTerry2::BTabilities")
def abilities(call: RecordedCall, context: Context) -> Translation:
    """`fit.abilities()`."""
    try:
        model = model_of(call, context, "model")
        recorded = _table(call)
        if model.in_words is not None:
            return Translation(
                "native",
                Method(model.result, "abilities"),
                speaks="value",
                judge=lambda found: _abilities(
                    call, model, recorded, _of_frame(found), [by_item(found, c) for c in ("ability", "se")]
                ),
            )
        code = Call(f"{BRIDGE}.BTabilities", (model.in_r(),))
    except StaysInR as why:
        return outside(str(why))
    return Translation(
        "bridge",
        code,
        "the fit that it is of is R's" if model.fit is None else "the players' covariates stay in R",
        speaks="r",
        judge=lambda found: _abilities(
            call, model, recorded, _of_r(found), [at(f, found.players) for f in ("ability", "se")]
        ),
    )


def _table(call: RecordedCall) -> RVector:
    found = call.result.get("value")
    if (
        not isinstance(found, RVector)
        or found.values.ndim != 2
        or not found.dimnames
        or not found.dimnames[0]
    ):
        raise StaysInR("its table was not recorded")
    return found


def _of_frame(found: Any) -> tuple[dict[str, float], dict[str, float]]:
    return dict(zip(found["item"], found["ability"])), dict(zip(found["item"], found["se"]))


def _of_r(found: Any) -> tuple[dict[str, float], dict[str, float]]:
    return dict(zip(found.players, found.ability)), dict(zip(found.players, found.se))


def _abilities(
    call: RecordedCall,
    model: Model,
    recorded: RVector,
    ours: tuple[dict[str, float], dict[str, float]],
    places: Sequence[Mapping[str, str]],
) -> Sequence[Agreement]:
    assert recorded.dimnames is not None and recorded.dimnames[0] is not None
    names, numbers = recorded.dimnames[0], recorded.floats()
    rows: list[Agreement] = []
    for kind, own, column, least in (
        ("ability", ours[0], 0, model.least("estimate")),
        ("ability_se", ours[1], 1, model.least("se")),
    ):
        for name, value, error in zip(names, numbers[:, column], numbers[:, 1]):
            size = 0.0 if np.isnan(error) else float(error)
            mine = float(own.get(name, np.nan))
            rows.append(
                row(
                    f"{kind}.{name}",
                    mine,
                    float(value),
                    call.function,
                    least=least,
                    why="R's own stop",
                    scale=size,
                    place=places[column].get(name, ""),
                )
            )
    return model.judged(rows)


@translates("qvcalc::qvcalc")
def quasi_variances(call: RecordedCall, context: Context) -> Translation:
    """`fit.quasi_variances()`."""
    try:
        model = model_of(call, context, "object")
        theirs = _quasi(call)
        fit = model.in_words
        if fit is not None and not _refused(fit):
            return Translation(
                "native",
                Method(model.result, "quasi_variances"),
                speaks="value",
                judge=lambda found: _quasi_rows(
                    call,
                    theirs,
                    [dict(zip(found["item"], found[c])) for c in QUASI_COLUMNS],
                    [by_item(found, c) for c in QUASI_COLUMNS],
                ),
            )
        code = Call(f"{BRIDGE}.qvcalc", (model.in_r(),))
    except StaysInR as why:
        return outside(str(why))
    return Translation(
        "bridge",
        code,
        "its model has no quasi-variances in Python",
        speaks="r",
        judge=lambda found: _quasi_rows(
            call,
            theirs,
            [dict(zip(found.items, getattr(found, c))) for c in QUASI_COLUMNS],
            [at(c, found.items) for c in QUASI_COLUMNS],
        ),
    )


def _refused(fit: Fit) -> bool:
    try:
        fit.quasi_variances()
    except PairproofError:
        return True
    return False


def _quasi(call: RecordedCall) -> RList:
    value = call.result.get("value")
    frame = value["qvframe"] if isinstance(value, RList) and "qvframe" in value else None
    if not isinstance(frame, RList) or not {"quasiSE", "quasiVar"} <= set(frame.names or ()):
        raise StaysInR("its table was not recorded")
    return frame


def _quasi_rows(
    call: RecordedCall, frame: RList, ours: Sequence[Mapping[str, float]], places: Sequence[Mapping[str, str]]
) -> Sequence[Agreement]:
    labels = frame.attributes.get("row.names")
    names = [str(v) for v in labels.values.tolist()] if isinstance(labels, RVector) else list(ours[0])
    why = "qvcalc's own glm stops 4 to 7 digits from the minimum"
    rows: list[Agreement] = []
    for kind, own, column, at_place in zip(QUASI_COLUMNS, ours, ("quasiSE", "quasiVar"), places):
        theirs = {n: float(v) for n, v in zip(names, frame.vector(column).floats())}
        rows += rows_of(
            kind,
            {n: float(v) for n, v in own.items()},
            theirs,
            call.function,
            least=QUASI,
            why=why,
            places=at_place,
        )
    return rows


@translates("BradleyTerry2::countsToBinomial")
def counts(call: RecordedCall, context: Context) -> Translation:
    """Left out: the counts that a fit uses are in the table that it reads."""
    return outside("the rows that it makes stand in the tables of the fits")
