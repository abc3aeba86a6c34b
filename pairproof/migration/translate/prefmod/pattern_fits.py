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
from ....validation.r_answers.translate import RParameters
from ....validation.r_answers.whole_answers import BY_NLM
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, File
from ..rows import Beside, differ, explained, of_fit
from ..translation import Context, Judge, StaysInR, Translation, in_r, made, needed, translates, tried
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
    """

    call: RecordedCall
    estimate: NDArray[np.float64]
    vcov: NDArray[np.float64]
    names: tuple[str, ...]

    @property
    def known(self) -> NDArray[np.bool_]:
        """bool[n]: whether the inverse Hessian has a variance, so that prefmod prints a standard error."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.diag(self.vcov) > 0)

    def without(self, own: Sequence[str]) -> list[str]:
        """Names of the parameters that have none."""
        return [name for name, known in zip(own, self.known) if not known]


def of_r(call: RecordedCall) -> OfR:
    """The numbers of a recorded call."""
    found = needed(call.vector("coef"), "R's coefficients were not recorded")
    n, names = found.values.size, found.names or ()
    spread, hessian = call.vector("vcov"), call.vector("hessian")
    matrix = np.full((n, n), np.nan)
    if spread is not None and spread.values.shape == (n, n):
        matrix = spread.floats()
    elif hessian is not None and hessian.values.shape == (n, n):
        with contextlib.suppress(np.linalg.LinAlgError):
            matrix = np.linalg.inv(hessian.floats())
    return OfR(call, found.floats(), matrix, names if all(names) else ())


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
    if n != len(order) or (n < asked_for and not _misread(r, own, whole)):
        asked_for = asked_for if n == len(order) else len(order)
        raise StaysInR(f"prefmod has {n} parameters where its arguments ask for {asked_for}")
    saturated = {} if model.alpha else {"fl": saturated_of(fitted, model, table)}

    def judge(fit: Any) -> Sequence[Agreement]:
        rows = _rows(fit, r, own) + Beside(call, why="a sum over the same counts").numbers(**saturated)
        rows = _flat(rows, own, r) if differ(rows) else rows
        return _by_defect(r, own, whole, rows) if differ(rows) else rows

    return judge


def _in_r_order(order: list[tuple[str, str]], r: OfR) -> list[str]:
    """The fit's parameter for each of R's coefficients."""
    by_name = {frozenset(shown.split(":")): own for shown, own in order}
    names = [frozenset(n.split(":")) for n in r.names]
    if names and len(by_name) == len(order) and set(names) <= set(by_name):
        return [by_name[n] for n in names]
    return [own for _, own in order]


def _rows(fit: Fit, r: OfR, own: list[str]) -> list[Agreement]:
    call, p = r.call, RParameters(tuple(own), r.estimate, r.vcov, "lambda", fit.items[-1])
    least, code = call.number("minimum"), call.number("code")
    named = [f"{a} is {b}" for a, b in zip(r.names, own) if a != b]
    rows = of_fit(
        call,
        fit,
        p,
        {} if least is None else {"llf": -least},
        f"{', '.join(named[:8])}{', ...' if len(named) > 8 else ''}" if named else "",
        "nlm stops at a gradient of 1e-6",
        name=f"{call.function}, {'MISbeta, ' if any(n.startswith('beta:') for n in own) else ''}{BY_NLM}",
        lost=[f"se.{name}" for name in r.without(own)],
        arrived=code in (1, 2, None),
    )
    stored = call.number("ll") if "ll" in call.result else call.number("loglik")
    if stored is not None:
        rows.append(Beside(call, STORED, WHY_STORED).row("ll", stored_log_likelihood(fit), stored))
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
    without = r.without(own)
    if not without or not any(a.verdict == "agrees" and str(a.quantity) in ("llf", "ll") for a in rows):
        return rows
    why = (
        "R is wrong here: its Hessian has no positive variance, so that it prints NaN for the standard error,"
        " and the estimate is where nlm stopped along a flat direction; both log-likelihoods agree"
    )
    flat = [f"{what}.{name}" for name in without for what in ("estimate", "se")]
    return explained(rows, flat, why, "A13-stopped-on-a-flat-direction")


# -- defects -------------------------------------------------------------------------------------------------


def _by_defect(r: OfR, own: list[str], code: Call, rows: list[Agreement]) -> list[Agreement]:
    """The rows, those that differ explained by prefmod's defects if a fit with them has R's numbers."""
    as_r = _misread(r, own, code)
    said = None if as_r is None else next((w for w in as_r.warnings if w.kind == "as-prefmod"), None)
    if said is None:
        return rows
    # "B1-ties-as-losses: 3 ties became ..."
    what = str(said).partition("with its defects ")[2].partition(". Without compat")[0]
    why = f"R is wrong here, by prefmod's {what}; its numbers are those of the table so misread"
    return explained(rows, None, why, what.partition(":")[0])


def _misread(r: OfR, own: list[str], whole: Call) -> Fit | None:
    """The fit of the table as prefmod misreads it, if R's numbers are of that."""
    as_r = _as_prefmod(whole)
    if as_r is None or not set(own) <= set(as_r.names) or differ(_rows(as_r, r, own)):
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


@in_r(*(f"prefmod::{name}" for name in KINDS))
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    model = asked(call)
    return bridged.pattern(call, model, tables.given(call, model.n_answers), why)


@translates(*(f"prefmod::{name}" for name in KINDS))
def pattern(call: RecordedCall, context: Context) -> Translation:
    """A pattern model."""
    model = asked(call)
    read = _read(call, model, tables.given(call, model.n_answers))
    _check(read)
    code = whole = _code(call, read)
    fit = made(code)
    with contextlib.suppress(StaysInR):
        whole = _code(call, replace(read, rows=np.ones(len(read.rows), bool)))
    judge = judge_pattern(call, read.model, read.used, fit, whole)
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
    least, why = {"pairs": (1, "nothing answered"), "ratings": (2, "fewer than two ratings")}.get(
        model.kind, (1, "nothing ranked")
    )
    rows = tables.answered(table, least)
    notes = tables.left_out(~rows, why)
    if model.kind != "ranks":
        return rows, notes
    tied = _removed_for_ties(model, table)
    return rows & ~tied, (*notes, *tables.left_out(tied & rows, "equal ranks"))


def _most_alike(answers: tables.Floats) -> NDArray[np.int64]:
    """int[n_rows]: how often the most frequent rank of a row occurs."""
    rows = (np.unique(row[~np.isnan(row)], return_counts=True)[1] for row in answers)
    return np.array([max(n, default=0) for n in rows])


def _tied(model: Asked, table: tables.Given) -> tables.Rows:
    """bool[n_rows]: rows with two equal ranks at one time."""
    times = np.split(table.answers, model.times, axis=1)
    return np.asarray(np.any([_most_alike(ranks) > 1 for ranks in times], axis=0))


def _removed_for_ties(model: Asked, table: tables.Given) -> tables.Rows:
    """bool[n_rows]: rows with a rank that occurs oftener than there are times, which prefmod leaves out."""
    return np.asarray(_most_alike(table.answers) > model.times)


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
