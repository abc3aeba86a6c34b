"""Calls of prefmod that stay in R: the same function through `pairproof.bridge.prefmod`, on the same table.

R is asked again, and its numbers are held against those of the script: prefmod starts from zeros and draws
nothing, so that they are the same to the last digits, whatever the numbers are worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File
from ..rows import SAME, at, named, row, rows_of
from ..translation import Translation, outside
from .covariates import covariates
from .models import Asked
from .table import Given, flag, mask, scalar, texts

#: R against R on the same machine: the same operations, so that only another BLAS in the worker could differ.
AGAIN = "the same function of R on the same values"


def frame_of(table: Given, names: Sequence[str], stem: str) -> Call:
    """`pairproof.bridge.read_frame("data/STEM.csv")`: the answers and these covariates."""
    return Call("pairproof.bridge.read_frame", (File(table.written(names), stem),))


def pattern(call: RecordedCall, model: Asked, table: Given, reason: str) -> Translation:
    """patt*.fit in R."""
    found = covariates(call, table)
    if isinstance(found, str):
        return outside(f"{reason}; {found}" if found != reason else reason)
    if {*found.in_model} - {*found.in_table}:
        return outside(reason)
    if call.name == "pattRrep.fit" and model.dependence:
        return outside("pattRrep.fit has no dependence within a time; R stops")
    options: dict[str, Any] = {}
    if found.all and not model.of_missing:
        options |= {k: text for k, text in (("formel", found.formel), ("elim", found.elim)) if text}
        options = {k: _formula(v) for k, v in options.items()}
    if texts(call, "obj.names"):
        options["obj_names"] = list(texts(call, "obj.names"))
    options |= _flags(call)
    used = () if model.of_missing else found.all
    size: tuple[Any, ...] = (len(model.items), model.times) if model.times > 1 else (len(model.items),)
    code = Call(
        f"pairproof.bridge.prefmod.{call.name.replace('.', '_')}",
        (frame_of(table, used, call.variable), *size),
        options,
    )
    return Translation("bridge", code, reason=reason, speaks="r", judge=_judge_pattern(call))


def _formula(products: Sequence[Sequence[str]]) -> str:
    return "~" + " + ".join(":".join(_spelt(n) for n in p) for p in products)


def _spelt(name: str) -> str:
    return (
        name if name.replace(".", "_").replace("_", "a").isalnum() and not name[0].isdigit() else f"`{name}`"
    )


def _flags(call: RecordedCall) -> dict[str, Any]:
    """TRUE and FALSE, and the masks of what is missing, where they are not prefmod's defaults."""
    found: dict[str, Any] = {}
    if call.name in ("pattPC.fit", "pattL.fit", "pattLrep.fit") and not flag(call, "undec", True):
        found["undec"] = False
    for name in ("ia", "iaT", "NItest", "NI", "MIScommon"):
        if flag(call, name):
            found[name] = True
    if scalar(call, "MISmodel", "obj") == "comp":
        found["MISmodel"] = "comp"
    for name in ("MISalpha", "MISbeta"):
        if mask(call, name):
            found[name] = list(mask(call, name))
    return found


def _judge_pattern(call: RecordedCall) -> Any:
    def judge(model: Any) -> list[Agreement]:
        r = named(call.vector("coef"))
        if not r and (found := call.vector("coef")) is not None:
            r = dict(zip(model.names, found.floats().tolist()))
        rows = rows_of(
            "coef", model.params(), r, call.function, least=SAME, why=AGAIN, places=at("coef", model.names)
        )
        rows += standard_errors(call, model.bse(), list(r), at("se", model.names))
        for name, value in (("ll", model.ll), ("fl", model.fl), ("code", float(model.code))):
            theirs = call.number(name)
            if theirs is not None:
                rows.append(row(name, value, theirs, call.function, least=SAME, why=AGAIN, place=name))
        return rows

    return judge


def standard_errors(
    call: RecordedCall, ours: Mapping[str, float], names: Sequence[str], places: Mapping[str, str]
) -> list[Agreement]:
    """A row for each standard error, from the diagonal of the recorded covariance."""
    found = call.vector("vcov")
    if found is None or found.values.ndim != 2:
        return []
    margins = list(found.dimnames[0]) if found.dimnames and found.dimnames[0] else list(names)
    variance = np.diag(found.floats())
    if len(margins) != len(variance):
        return []
    with np.errstate(invalid="ignore"):
        r = dict(zip(margins, np.sqrt(variance).tolist()))
    rows = []
    for name in names:
        theirs, own = r.get(name, float("nan")), ours.get(name, float("nan"))
        if theirs == 0.0 and own != own:  # gnm's constrained coefficient, which has no estimate either
            continue
        place = places.get(name, "")
        rows.append(row(f"se.{name}", own, theirs, call.function, least=SAME, why=AGAIN, place=place))
    return rows
