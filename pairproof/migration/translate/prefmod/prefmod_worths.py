"""llbt.worth, patt.worth and prefmod's helpers: worths of a fit, item by item and group by group.

A group is "SEX2" or "AGE1:SEX2" in R and "SEX=2" or "AGE=1, SEX=2" here; worths are exp(2 lambda) / sum, as
in R. With item covariates prefmod has a row for each set of items with equal covariates, and its worths sum
to 1 over these sets (defect B21); here every item has a worth.

checkMIS: `table.gaps()`, how often each comparison is missing; its flags say which items, or comparisons,
lack any.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RVector
from ....data.wide import prefmod_pair_order
from ....errors import PairproofError, PairproofWarning
from ....fit.fit import Fit
from ....native.prefmod_defects.defects_of_results import printed_as_prefmod
from ....validation.verdicts.digits import floor
from ..python_code import File, Method, Result, stated
from ..recorded_answers import needed, stays_if
from ..rows import SAME, Beside, Rows, at, differ, explained, in_column
from ..translation import Context, Step, Translation, bridged, translates, tried
from .patterns import INCOMPLETE
from .prefmod_table import again, coding_of, given, names_of_items, number_of_items, read_pairs, texts

#: The defects of llbt.worth and patt.worth that `printed_as_prefmod` reproduces, tried one after the other.
DEFECTS = (
    "prefmod:B21-worths-of-groups-of-items",
    "prefmod:B6-names-unread",
    "prefmod:B7-sum-contrasts-read-as-treatment",
    "prefmod:B7-one-column-of-cov-sel",
)


@translates("prefmod::llbt.worth", "prefmod::patt.worth")
def worth(call: RecordedCall, context: Context) -> Translation:
    """A table of worths, or of lambdas."""
    step = context.fit(call, "fitobj")
    kind = call.word("outmat", "worth")
    table = needed(call.matrix("value"), "R's table was not recorded")
    if not isinstance(step.value, Fit):
        return _bridge(call, step, kind, table)
    stays_if(getattr(step.value.spec, "classes", 1) > 1, "the fit's own table has the worths of classes")
    said = "R's table has lambdas, which are half the logarithms of worths up to a constant in each group"
    code, judge = Method(Result(step.call.id), "worth"), partial(_rows, call, step, table, kind == "worth")
    return Translation("native", code, notes=() if kind == "worth" else (said,), judge=judge)


# -- worths of a fit in Python -------------------------------------------------------------------------------


def groups_in_r(fit: Fit, table: RVector) -> dict[str, str]:
    """R's column -> the fit's group; {} where they do not match one to one."""
    columns = _columns(table)
    if len(columns) == 1:
        # With NItest prefmod's worths are those of complete answers.
        complete = [g for g, at in fit.groups.items() if at.get(INCOMPLETE, "no") == "no"]
        return {columns[0]: complete[0]} if len(complete) == 1 else {}
    ours = {
        frozenset(f"{n.removesuffix('_')}{f'{v:g}' if isinstance(v, float) else v}" for n, v in at.items()): g
        for g, at in fit.groups.items()
    }
    found: dict[str, str] = {}
    for column in columns:
        parts = [p for p in column.split(":") if p and p != "estimate"]
        timed = [f"time{p[1:]}" if p[:1] == "T" and p[1:].isdigit() else p for p in parts]
        keys = (frozenset(p) for p in (parts, timed, _glued(column)))
        group = next((ours[key] for key in keys if key in ours), None)
        if group is not None:
            found[column] = group
    return found if len(set(found.values())) == len(columns) else {}


def _glued(column: str) -> list[str]:
    """Parts of "SEX2T1" or "estimateT2": prefmod puts the time behind a group without a colon."""
    head, t, time = column.rpartition("T")
    if not t or not time.isdigit():
        return [column]
    rest = [p for p in head.rstrip(":").split(":") if p and p != "estimate"]
    return [*rest, f"time{time}"]


def _sets_in_r(fit: Fit, table: RVector) -> list[list[str]]:
    """The items of each row of R's table, several where its worths are of sets; by place where the names are others."""
    rows = table.margin(0) or [""] * len(table.values)
    found = [[i for i in fit.items if i in (name, *name.split(","))] for name in rows]
    if not all(found) and len(found) == len(fit.items):
        return [[item] for item in fit.items]
    return [items or [name] for items, name in zip(found, rows)]


#: Our numbers by "group.item": worths or lambdas; the size of what cancels in them; and where they stand.
Ours = tuple[dict[str, float], dict[str, float], dict[str, str]]


def _ours(fit: Fit, worths: bool, frame: Any) -> Ours:
    """Worths; or lambdas from them, of which one may be 0, so that its digits are counted against its standard error."""
    cells = [f"{group}.{item}" for group, item in zip(frame["group"], frame["item"])]
    worth = dict(zip(cells, frame["worth"].tolist()))
    if worths:
        return worth, {}, dict(zip(cells, in_column(frame, "worth")))
    logs = {cell: float(np.log(w)) for cell, w in worth.items()}
    last = {cell: logs[f"{group}.{fit.items[-1]}"] for cell, group in zip(cells, frame["group"])}
    errors = (frame["se"] / frame["worth"] / 2.0).tolist()
    return {cell: (x - last[cell]) / 2.0 for cell, x in logs.items()}, dict(zip(cells, errors)), {}


def _rows(call: RecordedCall, step: Step, table: RVector, worths: bool, frame: Any) -> Rows:
    """A row an item of R's table, explained by the defect that gives it."""
    fit: Fit = step.value
    (ours, sizes, places), columns = _ours(fit, worths, frame), _columns(table)
    groups, sets = groups_in_r(fit, table) or dict(zip(columns, fit.groups)), _sets_in_r(fit, table)
    r, values = Beside(call, *_least(step)), table.floats()
    shown = values if worths else values - values[-1]
    cells = [(groups.get(column, ""), *items) for column in columns for items in sets]
    of_sets = dict(zip(cells, shown.T.ravel().tolist()))
    theirs = {f"{group}.{item}": v for (group, *items), v in of_sets.items() for item in items}
    own = {cell: ours[cell] for cell in theirs if cell in ours}
    rows = r.named("worth" if worths else "lambda", own, theirs, places, sizes)
    for name, made in _with_defects(fit).items() if differ(rows) else ():
        made_so = {(group, *items): made.get(f"worth.{group}.{','.join(items)}") for group, *items in of_sets}
        if all(_same(r, made_so[key], v) for key, v in of_sets.items()):
            short, several = name.partition(":")[2], any(len(items) > 1 for items in sets)
            how = ": its worths are of sets of items with equal covariates" if several else ""
            return explained(rows, None, f"R is wrong here, by prefmod's {short}{how}", short)
    return rows


def _columns(table: RVector) -> list[str]:
    return list(table.margin(1) or [""] * table.values.shape[1])


def _least(step: Step) -> tuple[float, str]:
    """Digits of a worth of this fit: those that R's own stop leaves in the estimates."""
    names = [a.r_call for a in step.rows if a.r_call and a.quantity.kind == "estimate"]
    of = names[0] if names else step.call.function
    asked = min((floor("worth", of), floor("estimate", of)), key=lambda f: f.digits)
    return asked.digits, asked.why


def _with_defects(fit: Fit) -> dict[str, Mapping[str, float]]:
    """Worths as prefmod would print them, by the name of the defect."""
    found: dict[str, Mapping[str, float]] = {}
    for name in DEFECTS:
        with warnings.catch_warnings(), contextlib.suppress(PairproofError, KeyError, ValueError):
            warnings.simplefilter("ignore", PairproofWarning)
            found[name] = printed_as_prefmod(fit, name)
    return found


def _same(r: Beside, made: float | None, theirs: float) -> bool:
    return made is not None and r.row("", made, theirs).verdict == "agrees"


# -- in R ----------------------------------------------------------------------------------------------------


def _bridge(call: RecordedCall, step: Step, kind: str, table: RVector) -> Translation:
    """The worths of a model that R fitted through the bridge."""
    of_answers, model = call.name == "patt.worth", step.value
    lost = "its model stays in R as a design matrix, for which prefmod computes no worths"
    stays_if(not hasattr(model, "arguments"), lost)
    stays_if(of_answers and kind == "est", 'outmat = "est" has no separate table')
    named = list(texts(call, "obj.names")) if of_answers and hasattr(model, "function") else []
    options = stated(outmat=kind != "worth" and kind)
    options |= stated(obj_names=named and named[: int(model.arguments["nitems"])])

    def judge(found: Any) -> Rows:
        cells = (np.ndenumerate(values) for values in (found.values, table.floats()))
        ours, theirs = ({f"{j}.{k}": float(v) for (j, k), v in own} for own in cells)
        return again(call).named("worth", ours, theirs, at("values", ours))

    function = f"prefmod.{call.name.replace('.', '_')}"
    return bridged("it is of a fit by R", function, [Result(step.call.id)], options, judge)


@translates("prefmod::checkMIS")
def check_missing(call: RecordedCall, context: Context) -> Translation:
    """Which comparisons are missing."""
    n = number_of_items(call)
    table = given(call, n * (n - 1) // 2)
    flags = needed(call.vector("value"), "R's flags were not recorded")
    items = list(names_of_items(call, n))
    options = {"items": items, "pair_order": "prefmod", "coding": coding_of(table.answers)}
    file = File(table.written(), call.variable)
    code = Method(read_pairs("pairproof.read_respondents", (file, "pairs"), options, always=True), "gaps")
    _, refused = tried(code)
    stays_if(refused, f"its table cannot be read: {refused}")
    of_items = call.word("MISmodel", "obj") == "obj"

    def judge(gaps: Any) -> Rows:
        missing = {(a, b): int(m) for a, b, m in zip(gaps["first"], gaps["second"], gaps["missing"])}
        pairs = [(items[i], items[j]) for i, j in prefmod_pair_order(n)]
        ours = {f"{a}:{b}": float(missing[a, b] > 0) for a, b in pairs}
        if of_items:
            ours = {i: float(any(missing[p] for p in pairs if i in p)) for i in items}
        theirs = dict(zip(ours, flags.values.astype(float).ravel().tolist()))
        return Beside(call, SAME, "a count").named("missing", {n: ours[n] for n in theirs}, theirs)

    return Translation("native", code, judge=judge)
