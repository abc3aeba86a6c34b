"""pattPC.fit, pattR.fit, pattL.fit and those of repeated answers: `fit_pattern`, and R's numbers beside.

    pattPC.fit(d, 4, formel = ~SEX, elim = ~SEX)
    fit_pattern(read_respondents("data/d.csv", "pairs", items=[...], coding={...}, ...), by="SEX")

What `fit_pattern` refuses, and what prefmod does with no model behind it, is asked of R.

prefmod prints and stores the log-likelihood of the last point that its Hessian asked for, not of the maximum
(defect N1): with minus nlm's minimum the maxima are compared, and with the stored value what
`stored_log_likelihood` says of it. The log-likelihood of the saturated model, fl = sum over blocks of n log(n
/ n_block), is counted from the answers. Where numbers differ, the fit of the table as prefmod misreads it is
compared, too: if R's are those, the defect is named.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....bridge.capture.recorded import RecordedCall
from ....errors import PairproofError, PairproofWarning
from ....fit.fit import Fit
from ....native.answers.pattern_models import fit_pattern
from ....native.prefmod_defects.defects_of_results import stored_log_likelihood
from ....validation.r_answers.translate import RParameters, parameter_values
from ....validation.r_answers.whole_answers import BY_NLM
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, File
from ..rows import Beside, counterpart, differ, explained, fit_rows
from ..translation import IN_R, Context, Judge, StaysInR, Translation, made, needed, translates, tried
from . import prefmod_in_r as bridged, prefmod_table as tables
from .prefmod_in_r import INCOMPLETE, KINDS, Asked, asked, named_items, options, parameters_in_order

#: The log-likelihood that prefmod stores lies beside the maximum by a second-order term; what is left of it
#: are terms of the third order, and what nlm's own stop adds: observed 10.6 digits and more.
STORED = 9.0
WHY_STORED = "the Hessian's last point, by a second-order term; nlm's stop and the third order are left"


@dataclass(frozen=True, eq=False)
class OfR:
    """R's numbers of a pattern fit.

    estimate float[n].  vcov float[n, n].  names: as prefmod prints them, or () where its print stops.
    minimum, stored: minus nlm's minimum; `ll`.  code: nlm's; 1 and 2 mean that it converged.
    """

    estimate: NDArray[np.float64]
    vcov: NDArray[np.float64]
    names: tuple[str, ...]
    minimum: float | None
    stored: float | None
    code: float | None

    @property
    def known(self) -> NDArray[np.bool_]:
        """bool[n]: whether the inverse Hessian has a variance, so that prefmod prints a standard error."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.diag(self.vcov) > 0)


def of_r(call: RecordedCall) -> OfR:
    """The numbers of a recorded call."""
    found = needed(call.vector("coef"), "R's coefficients were not recorded")
    n = found.values.size
    spread, hessian = call.vector("vcov"), call.vector("hessian")
    matrix = np.full((n, n), np.nan)
    if spread is not None and spread.values.shape == (n, n):
        matrix = spread.floats()
    elif hessian is not None and hessian.values.shape == (n, n):
        with contextlib.suppress(np.linalg.LinAlgError):
            matrix = np.linalg.inv(hessian.floats())
    least, names = call.number("minimum"), found.names or ()
    return OfR(
        found.floats(),
        matrix,
        names if all(names) else (),
        None if least is None else -least,
        call.number("ll") if "ll" in call.result else call.number("loglik"),
        call.number("code"),
    )


def judge_pattern(call: RecordedCall, model: Asked, table: tables.Given, fitted: Fit, whole: Call) -> Judge:
    """How a fit is held against R; `whole`: with all rows, which prefmod's defects are of."""
    r = of_r(call)
    try:
        order = parameters_in_order(fitted, model, table)
    except KeyError as lacking:
        raise StaysInR(f"the Python model has no parameter {lacking}") from None
    n, asked_for = len(r.estimate), len(order)
    if n != asked_for:  # ties that prefmod counts as losses (B1) leave no parameter U
        order = [(shown, name) for shown, name in order if shown != "U"]
    own = _in_r_order(order, r)
    if n != len(order) or (n < asked_for and not _misread(call, r, own, whole)):
        asked_for = asked_for if n == len(order) else len(order)
        raise StaysInR(f"prefmod has {n} parameters where its arguments ask for {asked_for}")
    saturated = None if model.alpha else saturated_of(fitted, model, table)
    named = [f"{a} is {b}" for a, b in zip(r.names, own) if a != b]

    def judge(fit: Any) -> Sequence[Agreement]:
        rows = _rows(call, fit, r, own, named)
        if saturated is not None:
            rows += Beside(call, why="a sum over the same counts").numbers(fl=saturated)
        if differ(rows):
            rows = _flat(rows, own, r)
        return _by_defect(call, r, own, whole, rows) if differ(rows) else rows

    return judge


def _in_r_order(order: list[tuple[str, str]], r: OfR) -> list[str]:
    """The fit's parameter for each of R's coefficients."""
    by_name = {frozenset(shown.split(":")): own for shown, own in order}
    names = [frozenset(n.split(":")) for n in r.names]
    if names and len(by_name) == len(order) and set(names) <= set(by_name):
        return [by_name[n] for n in names]
    return [own for _, own in order]


def _rows(call: RecordedCall, fit: Fit, r: OfR, own: list[str], named: list[str]) -> list[Agreement]:
    p = RParameters(tuple(own), r.estimate, r.vcov, "lambda", fit.items[-1])
    values = parameter_values(fit, p)
    without = {f"se.{name}" for name, known in zip(own, r.known) if not known}
    values = {q: v for q, v in values.items() if q not in without}
    if r.minimum is not None:
        values["llf"] = r.minimum
    answer = counterpart(
        call,
        values,
        f"{', '.join(named[:8])}{', ...' if len(named) > 8 else ''}" if named else "",
        "nlm stops at a gradient of 1e-6",
        name=f"{call.function}, {'MISbeta, ' if any(n.startswith('beta:') for n in own) else ''}{BY_NLM}",
    )
    rows = fit_rows(fit, replace(answer, converged=r.code in (1, 2, None)))
    if r.stored is not None:
        rows.append(Beside(call, STORED, WHY_STORED).row("ll", stored_log_likelihood(fit), r.stored))
    return rows


# -- the saturated model -------------------------------------------------------------------------------------


def saturated_of(fit: Fit, model: Asked, table: tables.Given) -> float:
    """fl: the log-likelihood of free probabilities within blocks, covariates by what was answered."""
    answers = fit.respondents.pair_answers.reshape(fit.respondents.n_rows, -1)
    gaps = (answers == 9).astype(np.int64)
    groups = [] if model.of_missing else [table.column(n).astype(np.int64) for n in model.covariates.in_table]
    blocks = np.column_stack([gaps, *groups])
    cells, n = np.unique(np.column_stack([blocks, answers]), axis=0, return_counts=True)
    _, block = np.unique(cells[:, : blocks.shape[1]], axis=0, return_inverse=True)
    of_block = np.bincount(block.ravel(), n)
    return float(n.astype(float) @ np.log(n / of_block[block.ravel()]))


# -- flat directions -----------------------------------------------------------------------------------------


def _flat(rows: list[Agreement], own: list[str], r: OfR) -> list[Agreement]:
    """Estimates without an error in R lie on a flat direction: explained where the likelihoods agree."""
    if r.known.all() or not any(a.verdict == "agrees" and str(a.quantity) in ("llf", "ll") for a in rows):
        return rows
    flat = [f"{what}.{name}" for name, known in zip(own, r.known) if not known for what in ("estimate", "se")]
    why = (
        "R is wrong here: its Hessian has no positive variance, so that it prints NaN for the standard error,"
        " and the estimate is where nlm stopped along a flat direction; both log-likelihoods agree"
    )
    return explained(rows, flat, why, "A13-stopped-on-a-flat-direction")


# -- defects -------------------------------------------------------------------------------------------------


def _by_defect(
    call: RecordedCall, r: OfR, own: list[str], code: Call, rows: list[Agreement]
) -> list[Agreement]:
    """The rows, those that differ explained by prefmod's defects if a fit with them has R's numbers."""
    as_r = _misread(call, r, own, code)
    said = None if as_r is None else next((w for w in as_r.warnings if w.kind == "as-prefmod"), None)
    if said is None:
        return rows
    # "B1-ties-as-losses: 3 ties became ..."
    what = str(said).partition("with its defects ")[2].partition(". Without compat")[0]
    why = f"R is wrong here, by prefmod's {what}; its numbers are those of the table so misread"
    return explained(rows, None, why, what.partition(":")[0])


def _misread(call: RecordedCall, r: OfR, own: list[str], whole: Call) -> Fit | None:
    """The fit of the table as prefmod misreads it, if R's numbers are of that."""
    as_r = _as_prefmod(whole)
    if as_r is None or not set(own) <= set(as_r.names) or differ(_rows(call, as_r, r, own, [])):
        return None
    return as_r


def _as_prefmod(code: Call) -> Fit | None:
    """The fit of the table with all defects that prefmod shows on it; None where there is none."""
    table, _ = tried(code.arguments[0])
    if table is None:
        return None
    options = {k: v for k, v in code.keywords.items() if k != "ties"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PairproofWarning)
            return fit_pattern(table, compat="prefmod", **options)
    except PairproofError:
        return None


@dataclass(frozen=True, eq=False)
class Read:
    """A call as prefmod reads it: the table as it was given, and the rows that prefmod uses."""

    model: Asked
    table: tables.Given
    rows: tables.Rows
    notes: tuple[str, ...] = ()

    @property
    def used(self) -> tables.Given:
        """The rows that prefmod uses."""
        return self.table.select(self.rows)


def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    model = asked(call)
    return bridged.pattern(call, model, tables.given(call, model.n_answers), why)


IN_R.update({f"prefmod::{name}": _in_r for name in KINDS})


@translates(*(f"prefmod::{name}" for name in KINDS))
def pattern(call: RecordedCall, context: Context) -> Translation:
    """A pattern model."""
    model = asked(call)
    table = tables.given(call, model.n_answers)
    try:
        read = _read(call, model, table)
        _check(read)
        code = _code(call, read)
        fit = made(code)
        try:
            whole = _code(call, replace(read, rows=np.ones(len(read.rows), bool)))
        except StaysInR:
            whole = code
        judge = judge_pattern(call, read.model, read.used, fit, whole)
    except StaysInR as why:
        return bridged.pattern(call, model, table, str(why))
    return Translation("native", code, notes=(*read.notes, *_notes(read)), judge=judge)


def _read(call: RecordedCall, model: Asked, table: tables.Given) -> Read:
    """The call with its covariates and the rows that prefmod uses, in prefmod's order of leaving rows out."""
    model = named_items(call, model, table)
    found = tables.covariates(call, table)
    rows, notes = _with_answers(model, table)
    missing = rows & ~tables.with_covariates(table, found.all)
    if missing.any():
        notes += tables.left_out(missing, f"no value of {' or '.join(found.all)}")
        rows = rows & ~missing
    if model.of_missing:
        if found.all:
            notes += ("prefmod puts covariates aside where it models what is missing",)
        found = tables.Covariates()
    return Read(replace(model, covariates=found), table, np.asarray(rows), notes)


def _with_answers(model: Asked, table: tables.Given) -> tuple[tables.Rows, tuple[str, ...]]:
    """Rows with answers that prefmod takes, and notes on the others."""
    if model.kind == "pairs":
        rows = tables.answered(table)
        return rows, tables.left_out(~rows, "nothing answered")
    if model.kind == "ratings":
        rows = tables.answered(table, 2)
        return rows, tables.left_out(~rows, "fewer than two ratings")
    rows = tables.answered(table)
    tied = _removed_for_ties(model, table)
    return rows & ~tied, (
        *tables.left_out(~rows, "nothing ranked"),
        *tables.left_out(tied & rows, "equal ranks"),
    )


def _tied(model: Asked, table: tables.Given) -> tables.Rows:
    """bool[n_rows]: rows with two equal ranks at one time."""
    n = len(model.items)
    found = np.zeros(len(table.values), bool)
    for t in range(model.times):
        ranks = table.answers[:, t * n : (t + 1) * n]
        found |= np.array([len(np.unique(r)) < len(r) for r in (row[~np.isnan(row)] for row in ranks)], bool)
    return found


def _removed_for_ties(model: Asked, table: tables.Given) -> tables.Rows:
    """bool[n_rows]: rows with a rank that occurs oftener than there are times, which prefmod leaves out."""
    most = [max(np.unique(row[~np.isnan(row)], return_counts=True)[1], default=0) for row in table.answers]
    return np.asarray(np.array(most) > model.times)


def _check(read: Read) -> None:
    """Whether Python has the model."""
    model, table = read.model, read.used
    tables.check_covariates(model.covariates, table)
    beyond = set(model.covariates.formel) - set(model.covariates.table)
    if beyond:
        shown = ":".join(sorted(beyond)[0])
        raise StaysInR(
            f"{shown} is in formel and not in elim, so that prefmod leaves it out of the model or stops"
        )
    if model.kind == "ranks" and model.dependence:
        raise StaysInR("dependences of comparisons make no sense for rankings, as prefmod prints itself")
    if model.alpha == "comparison" and len(model.items) > 3:
        raise StaysInR('MISmodel = "comp" gives zeros for comparisons beyond the number of items')
    if model.kind == "ranks":
        removed = _removed_for_ties(model, read.table)
        if (_tied(model, read.table) & ~removed).any():
            raise StaysInR(
                "equal ranks count as missing comparisons in prefmod, where each rank occurs no oftener than there"
                " are times"
            )
        if model.covariates.all and removed.any() and not tables.answered(read.table).all():
            raise StaysInR(
                "rows without ranks and rows with equal ranks together give persons other persons' covariates"
                " (defect B5)"
            )
    if model.kind == "pairs" and tables.unanimous(table.answers):
        raise StaysInR("every comparison has one answer only, so that no estimate is finite")
    if model.complete_against_others and not (~np.isnan(table.answers)).all(axis=1).any():
        raise StaysInR("no row is complete, and prefmod takes its first pattern of gaps for the complete one")


# -- what is written -----------------------------------------------------------------------------------------


def _code(call: RecordedCall, read: Read) -> Call:
    """`fit_pattern(pairproof.read_respondents(...), ...)`."""
    model, table = read.model, read.used
    used = model.covariates.in_model
    columns = table.written(used)
    reading: dict[str, Any] = {"items": list(model.items)}
    ties = model.kind == "ratings"
    if model.kind == "pairs":
        coding = tables.coding_of(table.answers)
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
            reading |= {"scale": _scale(table), "best": "low"}
    if model.complete_against_others:
        columns[INCOMPLETE] = ["yes" if m else "no" for m in np.isnan(table.answers).any(axis=1)]
        reading["levels"] = {INCOMPLETE: ["no", "yes"]}
    elif used:
        reading["levels"] = model.covariates.levels(table, used)
    arguments, reader = (File(columns, call.variable), model.kind), "pairproof.read_respondents"
    pairs = model.kind == "pairs"
    read_in = tables.read_pairs(reader, arguments, reading) if pairs else Call(reader, arguments, reading)
    return Call("pairproof.fit_pattern", (read_in,), options(model, ties))


def _scale(table: tables.Given) -> str:
    """The scale as the reader has it: from the smallest to the largest rating that occurs."""
    known = table.answers[~np.isnan(table.answers)]
    low, high = float(known.min()), float(known.max())
    if low == high or (known != np.floor(known)).any():
        raise StaysInR("its ratings are no whole numbers, or all the same")
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
