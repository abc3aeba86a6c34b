"""BTabilities and qvcalc as methods of a fit; countsToBinomial, whose rows are in the fits made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.base import QuasiVariances
from ....bridge.values.nodes import RList, RVector
from ....errors import PairproofError
from ....fit.fit import Fit
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, Method
from ..rows import Beside, at, by_item
from ..translation import Context, StaysInR, Translation, outside, translates
from .btm_fits import Model, model_of

BRIDGE = "pairproof.bridge.bradleyterry2"
#: Of quasi-variances: qvcalc's own glm stops 4 to 7 digits from the minimum that defines them.
QUASI = 3.0
QUASI_COLUMNS = ("quasi_se", "quasi_variance")
#: Numbers by their items, and where they stand in the value.
Held = tuple[Mapping[str, float], Mapping[str, str]]


@translates("BradleyTerry2::BTabilities")
def abilities(call: RecordedCall, context: Context) -> Translation:
    """`fit.abilities()`."""
    model, recorded = model_of(call, context, "model"), _table(call)
    rows = partial(_abilities, call, model, recorded)
    if model.in_words is not None:
        return Translation(
            "native",
            Method(model.result, "abilities"),
            judge=lambda found: rows(of_frame(found, "ability", "se")),
        )
    return Translation(
        "bridge",
        Call(f"{BRIDGE}.BTabilities", (model.in_r(),)),
        "the fit that it is of is R's" if model.fit is None else "the players' covariates stay in R",
        judge=lambda found: rows(of_answer(found.players, ability=found.ability, se=found.se)),
    )


def _table(call: RecordedCall) -> RVector:
    found = call.result.get("value")
    if not isinstance(found, RVector) or found.values.ndim != 2 or not found.margin(0):
        raise StaysInR("its table was not recorded")
    return found


def of_frame(frame: pd.DataFrame, *columns: str) -> list[Held]:
    """Columns of a table of Python's."""
    return [(dict(zip(frame["item"], frame[c])), by_item(frame, c)) for c in columns]


def of_answer(items: Sequence[str], **fields: NDArray[np.float64]) -> list[Held]:
    """Arrays of R's answer."""
    return [(dict(zip(items, values.tolist())), at(name, items)) for name, values in fields.items()]


def _abilities(
    call: RecordedCall, model: Model, recorded: RVector, ours: Sequence[Held]
) -> Sequence[Agreement]:
    numbers = recorded.floats()
    sizes = np.where(np.isnan(numbers[:, 1]), 0.0, numbers[:, 1]).tolist()
    rows: list[Agreement] = []
    for k, (kind, of) in enumerate((("ability", "estimate"), ("ability_se", "se"))):
        r, (own, places) = Beside(call, model.least(of), "R's own stop"), ours[k]
        for name, value, size in zip(recorded.margin(0), numbers[:, k].tolist(), sizes):
            mine = float(own.get(name, np.nan))
            rows.append(r.row(f"{kind}.{name}", mine, value, size, places.get(name, "")))
    return model.judged(rows)


@translates("qvcalc::qvcalc")
def quasi_variances(call: RecordedCall, context: Context) -> Translation:
    """`fit.quasi_variances()`."""
    model, theirs = model_of(call, context, "object"), _quasi(call)
    rows, fit = partial(_quasi_rows, call, theirs), model.in_words
    if fit is not None and not _refused(fit):
        return Translation(
            "native",
            Method(model.result, "quasi_variances"),
            judge=lambda found: rows(of_frame(found, *QUASI_COLUMNS)),
        )

    def judge(found: QuasiVariances) -> Sequence[Agreement]:
        fields = {"quasi_se": found.quasi_se, "quasi_variance": found.quasi_variance}
        return rows(of_answer(found.items, **fields))

    code = Call(f"{BRIDGE}.qvcalc", (model.in_r(),))
    return Translation("bridge", code, "its model has no quasi-variances in Python", judge=judge)


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


def _quasi_rows(call: RecordedCall, frame: RList, ours: Sequence[Held]) -> Sequence[Agreement]:
    r, labels = Beside(call, QUASI, "qvcalc's own glm stops 4 to 7 digits from the minimum"), frame.row_names
    rows: list[Agreement] = []
    for kind, theirs, (own, places) in zip(QUASI_COLUMNS, ("quasiSE", "quasiVar"), ours):
        names = list(own) if labels is None else [str(v) for v in labels.values.tolist()]
        values = dict(zip(names, frame.vector(theirs).floats().tolist()))
        rows += r.named(kind, {n: float(v) for n, v in own.items()}, values, places)
    return rows


@translates("BradleyTerry2::countsToBinomial")
def counts(call: RecordedCall, context: Context) -> Translation:
    """Left out: the counts that a fit uses are in the table that it reads."""
    return outside("the rows that it makes stand in the tables of the fits")
