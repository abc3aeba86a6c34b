"""llbt.fit: `fit_llbt` on the comparisons that its design matrix is made of; else llbt.fit in R.

    llbt.fit(y, Xmodel, q = 15, ncat = 3)
    fit_llbt(read("data/f.csv", layout="counts", items=[...]), ties="davidson", cells="row")

A row of the file is a block of the design, so that deviance and df are those of its blocks. R stops when
the deviance changes by less than 1e-4 of itself, takes its standard errors one step before that, and counts
blocks without an answer in its df.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RList, RVector
from .....fit.fit import Fit
from ....r_answers.translate import RParameters, parameter_values
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File, attribute
from ...code.frames import table_call
from ..registry import translates
from ..rows import SAME, at, counterpart, fit_rows, named, row, rows_of
from ..translation import Context, Judge, Translation, outside
from ..tried import tried
from .blocks import Blocks, blocks_of
from .bridged import AGAIN
from .table import Floats, plain_column


@translates("prefmod::llbt.fit")
def llbt_fit(call: RecordedCall, context: Context) -> Translation:
    """llbt.fit on any design."""
    y, x = call.vector("y"), call.vector("xmodel")
    q, ncat = call.number("q"), call.number("ncat")
    if y is None or x is None or x.values.ndim != 2 or q is None or ncat is None:
        return outside("its design was not recorded")
    names = _names(call, x)
    values = np.where(np.isnan(x.floats()), np.nan, x.floats())
    found = blocks_of(y.floats(), values, names, int(q), int(ncat), reference_of(names, context))
    if isinstance(found, str):
        return _bridge(call, y, values, names, found)
    code = _code(call, found)
    fit, refused = tried(code)
    if refused:
        return _bridge(call, y, values, names, f"fit_llbt refuses it: {refused}")
    lacking = [own for own in _parameters(found).values() if own not in fit.names]
    if lacking:
        return _bridge(call, y, values, names, f"the Python model has no parameter {lacking[0]}")
    return Translation("native", code, judge=_judge(call, found))


def _names(call: RecordedCall, x: RVector) -> list[str]:
    """Names of the columns of the design; par1, par2, ..., as llbt.fit prints them, where it has none."""
    stated = x.dimnames[1] if x.dimnames and x.dimnames[1] else None
    return list(stated) if stated is not None else [f"par{k + 1}" for k in range(x.values.shape[1])]


def reference_of(names: Sequence[str], context: Context) -> str:
    """The one item of an llbt.design of this run that has no column among these names; "" if there is none
    such.
    """
    for step in reversed(list(context.steps.values())):
        design = step.call.frame("value") if step.call.name == "llbt.design" else None
        said = design.attributes.get("objnames") if isinstance(design, RList) else None
        if isinstance(said, RVector):
            lacking = [str(v) for v in said.values.tolist() if v not in names]
            if len(lacking) == 1:
                return lacking[0]
    return ""


def _code(call: RecordedCall, found: Blocks) -> Call:
    columns: dict[str, list[Any]] = {
        "first": [found.items[k] for k in found.first],
        "second": [found.items[k] for k in found.second],
        "wins": plain_column(found.counts[:, 0]),
    }
    three = found.counts.shape[1] == 3
    if three:
        columns["ties"] = plain_column(found.counts[:, 1])
    columns["losses"] = plain_column(found.counts[:, -1])
    for name, values in found.covariates.items():
        columns[name] = plain_column(np.where(np.isnan(values), 0.0, values))
    table = table_call(columns, call.variable, layout="counts", items=list(found.items))
    options: dict[str, Any] = {}
    if three and not found.has_ties:
        options["ties"] = "none"
    if found.by:
        options["by"] = found.by
    return Call("pairproof.fit_llbt", (table,), {**options, "cells": "row"})


def _parameters(found: Blocks) -> dict[str, str]:
    """Column of the design -> the fit's parameter."""
    return {column: f"{head}:{x}" if x else head for column, (head, x) in found.terms.items()}


def _judge(call: RecordedCall, found: Blocks) -> Judge:
    def judge(fit: Fit) -> Sequence[Agreement]:
        own = _parameters(found)
        coef, se = named(call.vector("coef")), call.vector("se")
        errors = np.full(len(coef), np.nan) if se is None else se.floats()
        p = RParameters(
            tuple(own[n] for n in coef),
            np.array(list(coef.values())),
            np.diag(errors**2),
            "lambda",
            found.items[-1],
        )
        values = parameter_values(fit, p)
        said = [
            "it stops when the deviance changes by less than 1e-4 of itself, and prints 4 decimals of these"
            " numbers"
        ]
        empty = int((found.counts.sum(axis=1) == 0).sum())
        df, deviance = call.number("df_residual"), call.number("deviance")
        if df is not None:
            values["df_resid"] = df - empty * (found.counts.shape[1] - 1)
        if empty:
            said.append(
                f"{empty} blocks without an answer are taken off its df; it leaves positive fitted counts in"
                " them, so its deviance is not compared (defect B11)"
            )
        elif deviance is not None:
            values["deviance"] = deviance
        return fit_rows(fit, counterpart(call, values, *said))

    return judge


def _bridge(call: RecordedCall, y: RVector, x: Floats, names: Sequence[str], reason: str) -> Translation:
    """llbt.fit in R, on the same numbers."""
    stem = call.variable or "llbt_fit"
    design = Call(
        "pairproof.bridge.read_frame",
        (File({n: plain_column(x[:, k]) for k, n in enumerate(names)}, f"{stem}_design"),),
    )
    counts = attribute(
        Call("pairproof.bridge.read_frame", (File({"y": plain_column(y.floats())}, f"{stem}_y"),)), "y"
    )
    q, ncat = int(call.number("q") or 0), int(call.number("ncat") or 0)
    code = Call("pairproof.bridge.prefmod.llbt_fit", (counts, design, q, ncat))

    def judge(model: Any) -> Sequence[Agreement]:
        r = named(call.vector("coef"))
        rows = rows_of(
            "coef",
            dict(zip(model.names, model.estimate.tolist())),
            r,
            call.function,
            least=SAME,
            why=AGAIN,
            places=at("estimate", model.names),
        )
        found = call.vector("se")
        if found is not None:
            theirs = dict(zip(r, found.floats().tolist()))
            ours = dict(zip(model.names, model.se.tolist()))
            rows += rows_of(
                "se", ours, theirs, call.function, least=SAME, why=AGAIN, places=at("se", model.names)
            )
        for name, place, value in (
            ("deviance", "deviance", model.deviance),
            ("df_residual", "df", float(model.df)),
        ):
            given = call.number(name)
            if given is not None:
                rows.append(row(name, value, given, call.function, least=SAME, why=AGAIN, place=place))
        return rows

    return Translation("bridge", code, reason=reason, speaks="r", judge=judge)
