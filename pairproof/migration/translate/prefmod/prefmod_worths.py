"""llbt.worth, patt.worth and prefmod's helpers: worths of a fit, item by item and group by group.

A group is "SEX2" or "AGE1:SEX2" in R and "SEX=2" or "AGE=1, SEX=2" here; worths are exp(2 lambda) / sum, as
in R. With item covariates prefmod has a row for each set of items with equal covariates, and its worths sum
to 1 over these sets (defect B21); here every item has a worth.

checkMIS: `table.gaps()`, how often each comparison is missing; its flags say which items, or comparisons,
lack any. llbt.design, patt.design: no Python of their own; the fits on them are written on tables of
comparisons and answers. expand.mat, simPC, simR: no Python of their own; what they gave in this run stands in
the files of the calls that use it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RVector
from ....data.wide import prefmod_pair_order
from ....errors import PairproofError, PairproofWarning
from ....fit.fit import Fit
from ....native.prefmod_defects.defects_of_results import printed_as_prefmod
from ....validation.verdicts.agreement import Agreement
from ....validation.verdicts.digits import floor
from ..python_code import Call, File, Method, Result
from ..rows import SAME, Beside, at, differ, explained, in_column
from ..translation import Context, StaysInR, Step, Translation, needed, outside, stays_if, translates, tried
from .prefmod_in_r import INCOMPLETE, again
from .prefmod_table import coding_of, given, number_of_items, read_pairs, scalar, texts

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
    step = context.fit_of(call, "fitobj")
    if step is None or step.translation.code is None or step.value is None:
        return outside("the fit that it is of has no Python value here")
    asked = str(scalar(call, "outmat", "worth"))
    table = needed(call.matrix("value"), "R's table was not recorded")
    if not isinstance(step.value, Fit):
        return _bridge(call, step, asked, table)
    stays_if(getattr(step.value.spec, "classes", 1) > 1, "worths of classes are in the fit's own table")
    said = "R's table has lambdas, which are half the logarithms of worths up to a constant in each group"
    judge, notes = (_worth_rows, ()) if asked == "worth" else (_lambda_rows, (said,))
    code = Method(Result(step.call.id), "worth")
    return Translation("native", code, notes=notes, judge=partial(judge, call, step, table))


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


def _items_in_r(fit: Fit, table: RVector) -> list[str]:
    """The fit's item for each row of R's table: by name, or by place where the names are others."""
    rows = list(table.margin(0))
    if set(rows) == set(fit.items):
        return rows
    return list(fit.items) if table.values.shape[0] == len(fit.items) else []


def _worth_rows(call: RecordedCall, step: Step, table: RVector, frame: Any) -> Sequence[Agreement]:
    at_cell = list(zip(frame["group"], frame["item"]))
    ours = {key: (float(w), 0.0) for key, w in zip(at_cell, frame["worth"])}
    return _rows(call, step, table, "worth", ours, dict(zip(at_cell, in_column(frame, "worth"))))


def _lambda_rows(call: RecordedCall, step: Step, table: RVector, frame: Any) -> Sequence[Agreement]:
    """Lambdas from log worths; one may be 0, so its digits are counted against its standard error."""
    at_cell = list(zip(frame["group"], frame["item"]))
    log_worth = {key: float(np.log(w)) for key, w in zip(at_cell, frame["worth"])}
    error = dict(zip(at_cell, (frame["se"] / frame["worth"]).tolist()))
    last = step.value.items[-1]
    ours = {(g, i): ((x - log_worth[g, last]) / 2.0, error[g, i] / 2.0) for (g, i), x in log_worth.items()}
    return _rows(call, step, table, "lambda", ours, {})


Ours = Mapping[tuple[str, str], tuple[float, float]]
Places = Mapping[tuple[str, str], str]


def _rows(
    call: RecordedCall, step: Step, table: RVector, kind: str, ours: Ours, places: Places
) -> list[Agreement]:
    """A row an entry of R's table, explained by the defect that gives it; ours: number, size of its digits."""
    fit: Fit = step.value
    groups, items = groups_in_r(fit, table), _items_in_r(fit, table)
    r = Beside(call, *_least(step))
    values = table.floats()
    if not groups or not items:
        return _by_defect(r, table, fit, ours, places)
    rows = []
    for k, column in enumerate(_columns(table)):
        shift = values[-1, k] if kind == "lambda" else 0.0
        for j, item in enumerate(items):
            cell = groups[column], item
            own, size = ours.get(cell, (float("nan"), 0.0))
            name = f"{kind}.{groups[column]}.{item}"
            rows.append(r.row(name, own, float(values[j, k] - shift), size, places.get(cell, "")))
    if differ(rows):
        return _explained(rows, _with_defects(fit), r)
    return rows


def _columns(table: RVector) -> list[str]:
    return list(table.margin(1) or [""] * table.values.shape[1])


def _least(step: Step) -> tuple[float, str]:
    """Digits of a worth of this fit: those that R's own stop leaves in the estimates."""
    names = [a.r_call for a in step.rows if a.r_call and a.quantity.kind == "estimate"]
    of = names[0] if names else step.call.function
    asked = min((floor("worth", of), floor("estimate", of)), key=lambda f: f.digits)
    return asked.digits, asked.why


def _with_defects(fit: Fit) -> dict[str, dict[str, float]]:
    """Worths as prefmod would print them, by the name of the defect."""
    found = {}
    for name in DEFECTS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                found[name] = printed_as_prefmod(fit, name)
        except (PairproofError, KeyError, ValueError):
            continue
    return found


def _explained(
    rows: list[Agreement], defects: Mapping[str, Mapping[str, float]], r: Beside
) -> list[Agreement]:
    for name, numbers in defects.items():
        if all(
            (q := str(a.quantity)) in numbers and a.r is not None and _same(r, numbers[q], a.r) for a in rows
        ):
            short = name.partition(":")[2]
            why = f"R is wrong here: its worths are those of its defect {short}"
            return explained(rows, None, why, short)
    return rows


def _same(r: Beside, made: float, theirs: float) -> bool:
    return r.row("", made, theirs).verdict == "agrees"


def _by_defect(r: Beside, table: RVector, fit: Fit, ours: Ours, places: Places) -> list[Agreement]:
    """Rows where R's table has sets of items (B21): each item beside its set's worth, explained if so."""
    numbers, values = _with_defects(fit).get(DEFECTS[0], {}), table.floats()
    groups = groups_in_r(fit, table) or dict(zip(_columns(table), fit.groups))
    text = (
        "R is wrong here, by prefmod's B21-worths-of-groups-of-items: its worths are of sets of items with"
        " equal covariates"
    )
    rows = []
    for k, column in enumerate(_columns(table)):
        for j, name in enumerate(table.margin(0) or [""] * len(values)):
            group, theirs = groups.get(column, ""), float(values[j, k])
            items = [i for i in fit.items if i in name.split(",")]
            made = numbers.get(f"worth.{group}.{','.join(items)}", float("nan"))
            found = [
                r.row(
                    f"worth.{group}.{item}",
                    ours.get((group, item), (float("nan"), 0.0))[0],
                    theirs,
                    place=places.get((group, item), ""),
                )
                for item in items or [name]
            ]
            short = DEFECTS[0].partition(":")[2]
            rows += explained(found, ["worth"], text, short) if _same(r, made, theirs) else found
    return rows


# -- in R ----------------------------------------------------------------------------------------------------


def _bridge(call: RecordedCall, step: Step, asked: str, table: RVector) -> Translation:
    """The worths of a model that R fitted through the bridge."""
    if not hasattr(step.value, "arguments"):
        return outside("its model stays in R by its design alone, of which prefmod makes no worths")
    options: dict[str, Any] = {} if asked == "worth" else {"outmat": asked}
    stated = texts(call, "obj.names")
    if stated and call.name == "patt.worth" and hasattr(step.value, "function"):
        options["obj_names"] = list(stated)[: int(step.value.arguments["nitems"])]
    if call.name == "patt.worth" and asked == "est":
        return outside('outmat = "est" has no table of its own')
    code = Call(f"pairproof.bridge.prefmod.{call.name.replace('.', '_')}", (Result(step.call.id),), options)

    def judge(found: Any) -> Sequence[Agreement]:
        ours, theirs = (
            {f"{j}.{k}": float(v) for (j, k), v in np.ndenumerate(values)}
            for values in (found.values, table.floats())
        )
        return again(call).named("worth", ours, theirs, at("values", ours))

    return Translation("bridge", code, reason="the fit that it is of is R's", judge=judge)


@translates("prefmod::checkMIS")
def check_missing(call: RecordedCall, context: Context) -> Translation:
    """Which comparisons are missing."""
    n = number_of_items(call)
    table = given(call, n * (n - 1) // 2)
    flags = needed(call.vector("value"), "R's flags were not recorded")
    try:
        coding = coding_of(table.answers)
    except StaysInR:
        return outside("its answers are all the same")
    stated = texts(call, "obj.names")
    items = list(stated) if len(stated) == n else [f"o{k + 1}" for k in range(n)]
    options = {"items": items, "pair_order": "prefmod", "coding": coding.written}
    file = File(table.written(), call.variable)
    read = read_pairs("pairproof.read_respondents", (file, "pairs"), options, always=True)
    code = Method(read, "gaps")
    _, refused = tried(code)
    stays_if(refused, f"its table cannot be read: {refused}")
    r_flags = flags.values.astype(float).ravel().tolist()
    of_items = str(scalar(call, "MISmodel", "obj")) == "obj"

    def judge(gaps: Any) -> Sequence[Agreement]:
        missing = {(a, b): int(m) for a, b, m in zip(gaps["first"], gaps["second"], gaps["missing"])}
        pairs = [(items[i], items[j]) for i, j in prefmod_pair_order(n)]
        if of_items:
            ours = {i: float(any(missing[p] for p in pairs if i in p)) for i in items}
        else:
            ours = {f"{a}:{b}": float(missing[a, b] > 0) for a, b in pairs}
        beside = Beside(call, SAME, "a count")
        return [beside.row(f"missing.{n}", own, r) for (n, own), r in zip(ours.items(), r_flags)]

    return Translation("native", code, judge=judge)


@translates("prefmod::llbt.design", "prefmod::patt.design")
def design(call: RecordedCall, context: Context) -> Translation:
    """A table for gnm or glm."""
    return outside(
        "it makes the table of a Poisson model; a fit on it is written on a table of the answers themselves"
    )


@translates("prefmod::expand.mat", "prefmod::simPC", "prefmod::simR")
def made(call: RecordedCall, context: Context) -> Translation:
    """A table of answers that is made, or drawn."""
    return outside("it makes a table of answers, which stands in the files of the calls that use it")
