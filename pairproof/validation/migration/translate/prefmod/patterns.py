"""pattPC.fit, pattR.fit, pattL.fit, pattRrep.fit, pattLrep.fit: `fit_pattern` on the persons' whole answers.

    pattPC.fit(d, 4, formel = ~SEX, elim = ~SEX)
    fit_pattern(read_respondents("data/d.csv", "pairs", items=[...], coding={...}, ...), by="SEX")

What `fit_pattern` refuses, and what prefmod does with no model behind it, is asked of R.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from ...code.expressions import Call, File
from ..registry import translates
from ..translation import Context, Translation, outside
from ..tried import tried
from . import bridged
from .covariates import Covariates, covariates
from .judged import judge_pattern
from .models import INCOMPLETE, KINDS, Asked, asked, named_items, options
from .pairs import coding_of, unanimous
from .table import Given, Rows, answered, given, left_out, with_covariates, written_name


@dataclass(frozen=True, eq=False)
class Read:
    """A call as prefmod reads it.

    table: as it was given.  rows bool[n_rows]: those that prefmod uses.
    """

    model: Asked
    table: Given
    rows: Rows
    notes: tuple[str, ...] = ()

    @property
    def used(self) -> Given:
        """The rows that prefmod uses."""
        return self.table.select(self.rows)


@translates(*(f"prefmod::{name}" for name in KINDS))
def pattern(call: RecordedCall, context: Context) -> Translation:
    """A pattern model."""
    model = asked(call)
    if len(model.items) < 2:
        return outside("the number of its items was not recorded")
    table = given(call, model.n_answers)
    if isinstance(table, str):
        return outside(table)
    read = _read(call, model, table)
    why = read if isinstance(read, str) else _without_python(read)
    if isinstance(read, str) or why:
        return bridged.pattern(call, model, table, str(why))
    code = _code(call, read)
    if isinstance(code, str):
        return bridged.pattern(call, read.model, table, code)
    fit, refused = tried(code)
    if refused:
        return bridged.pattern(call, read.model, table, f"fit_pattern refuses it: {refused}")
    whole = _code(call, replace(read, rows=np.ones(len(read.rows), bool)))
    found = judge_pattern(call, read.model, read.used, fit, whole if isinstance(whole, Call) else code)
    if isinstance(found, str):
        return bridged.pattern(call, read.model, table, found)
    return Translation("native", code, notes=(*read.notes, *_notes(read)), judge=found)


def _read(call: RecordedCall, model: Asked, table: Given) -> Read | str:
    """The call with its covariates and the rows that prefmod uses, in prefmod's order of leaving rows out."""
    model = named_items(call, model, table)
    found = covariates(call, table)
    if isinstance(found, str):
        return found
    rows, notes = _with_answers(model, table)
    missing = rows & ~with_covariates(table, found.all)
    if missing.any():
        notes += left_out(missing, f"no value of {' or '.join(found.all)}")
        rows = rows & ~missing
    if model.of_missing:
        if found.all:
            notes += ("prefmod puts covariates aside where it models what is missing",)
        found = Covariates()
    return Read(replace(model, covariates=found), table, np.asarray(rows), notes)


def _with_answers(model: Asked, table: Given) -> tuple[Rows, tuple[str, ...]]:
    """Rows with answers that prefmod takes, and notes on the others."""
    if model.kind == "pairs":
        rows = answered(table)
        return rows, left_out(~rows, "nothing answered")
    if model.kind == "ratings":
        rows = answered(table, 2)
        return rows, left_out(~rows, "fewer than two ratings")
    rows = answered(table)
    tied = _removed_for_ties(model, table)
    return rows & ~tied, (*left_out(~rows, "nothing ranked"), *left_out(tied & rows, "equal ranks"))


def _tied(model: Asked, table: Given) -> Rows:
    """bool[n_rows]: rows with two equal ranks at one time."""
    n = len(model.items)
    found = np.zeros(len(table.values), bool)
    for t in range(model.times):
        ranks = table.answers[:, t * n : (t + 1) * n]
        found |= np.array([len(np.unique(r)) < len(r) for r in (row[~np.isnan(row)] for row in ranks)], bool)
    return found


def _removed_for_ties(model: Asked, table: Given) -> Rows:
    """bool[n_rows]: rows in which one rank occurs more often than there are times, which prefmod leaves
    out.
    """
    most = [max(np.unique(row[~np.isnan(row)], return_counts=True)[1], default=0) for row in table.answers]
    return np.asarray(np.array(most) > model.times)


def _without_python(read: Read) -> str:
    """Why the call stays in R; "" if Python has the model."""
    model, table = read.model, read.used
    if not len(table.values):
        return "no row has all that the model needs"
    wrong = model.covariates.wrong_codes(table)
    if wrong:
        return f"{wrong} is not coded 1, 2, ..., K, which prefmod takes for granted"
    if not model.covariates.whole:
        return "an interaction without its main effects is coded by R in its own way"
    beyond = set(model.covariates.formel) - set(model.covariates.table)
    if beyond:
        shown = ":".join(sorted(beyond)[0])
        return f"{shown} is in formel and not in elim, so that prefmod leaves it out of the model or stops"
    if model.kind == "ranks" and model.dependence:
        return "dependences of comparisons make no sense for rankings, as prefmod prints itself"
    if model.alpha == "comparison" and len(model.items) > 3:
        return 'MISmodel = "comp" gives zeros for comparisons beyond the number of items'
    if model.kind == "ranks":
        removed = _removed_for_ties(model, read.table)
        if (_tied(model, read.table) & ~removed).any():
            return (
                "equal ranks count as missing comparisons in prefmod, where each rank occurs no oftener than there"
                " are times"
            )
        if model.covariates.all and removed.any() and not answered(read.table).all():
            return (
                "rows without ranks and rows with equal ranks together give persons other persons' covariates"
                " (defect B5)"
            )
    if model.kind == "pairs" and unanimous(table.answers):
        return "every comparison has one answer only, so that no estimate is finite"
    if model.complete_against_others and not (~np.isnan(table.answers)).all(axis=1).any():
        return "no row is complete, and prefmod takes its first pattern of gaps for the complete one"
    return ""


# -- what is written -----------------------------------------------------------------------------------------


def _code(call: RecordedCall, read: Read) -> Call | str:
    """`pairproof.fit_pattern(pairproof.read_respondents(...), ...)`; a sentence where the answers cannot be
    read.
    """
    model, table = read.model, read.used
    used = [*model.covariates.in_model]
    columns = table.written(used)
    reading: dict[str, Any] = {"items": list(model.items)}
    ties = False
    if model.kind == "pairs":
        coding = coding_of(table.answers)
        if isinstance(coding, str):
            return coding
        ties = coding.has_ties
        reading |= {"pair_order": "prefmod", "coding": coding.written}
    else:
        answers = list(table.names[: model.n_answers])
        if model.times > 1:
            reading["times"] = [str(t + 1) for t in range(model.times)]
        if answers != list(model.items):
            reading["answers"] = answers
        if model.kind == "ranks" and np.isnan(table.answers).any():
            reading["unranked"] = "below"
        if model.kind == "ratings":
            ties = True
            scale = _scale(table)
            if isinstance(scale, tuple):
                return scale[0]
            reading |= {"scale": scale, "best": "low"}
    if model.complete_against_others:
        columns[INCOMPLETE] = ["yes" if m else "no" for m in np.isnan(table.answers).any(axis=1)]
        reading["levels"] = {INCOMPLETE: ["no", "yes"]}
    elif used:
        reading["levels"] = {
            written_name(n): v for n, v in model.covariates.levels(table).items() if n in used
        }
    file = File(columns, call.variable)
    return _checked_order(file, model, reading, options(model, ties))


def _checked_order(file: File, model: Asked, reading: dict[str, Any], more: dict[str, Any]) -> Call:
    """The call; with `pair_names="ignore"` where the names of the columns look like other pairs than
    prefmod reads.
    """

    def made(given: dict[str, Any]) -> Call:
        table = Call("pairproof.read_respondents", (file, model.kind), given)
        return Call("pairproof.fit_pattern", (table,), more)

    code = made(reading)
    if model.kind == "pairs" and tried(code.arguments[0])[1]:
        ignoring = made({**reading, "pair_names": "ignore"})
        if not tried(ignoring.arguments[0])[1]:
            return ignoring
    return code


def _scale(table: Given) -> str | list[float] | tuple[str]:
    """The scale as the reader has it: from the smallest to the largest rating that occurs; or a sentence."""
    known = table.answers[~np.isnan(table.answers)]
    low, high = float(known.min()), float(known.max())
    if low == high or (known != np.floor(known)).any():
        return ("its ratings are no whole numbers, or all the same",)
    return f"{int(low)}-{int(high)}"


def _notes(read: Read) -> Sequence[str]:
    model, table = read.model, read.used
    notes = []
    if model.kind == "ratings":
        notes.append(
            f"the scale is {_scale(table)}, from the smallest to the largest rating that occurs, as prefmod"
            " takes it; state the scale of your instrument if it has more points"
        )
    if model.kind == "ranks" and np.isnan(table.answers).any():
        notes.append("an item without a rank counts as below all ranked ones, as prefmod has it")
    if model.beta_of and model.alpha == "item":
        notes.append(
            "MISbeta of items is not the model of its help page: prefmod multiplies the gaps of item i by"
            ' the answer to comparison i, which beta="coded" reproduces (defect B3)'
        )
    elif set(model.covariates.in_table) != set(model.covariates.in_model):
        lacking = [n for n in model.covariates.in_table if n not in model.covariates.in_model]
        notes.append(
            f"prefmod's deviance divides the persons by {' and '.join(lacking)} too, which changes no"
            " estimate"
        )
    return notes
