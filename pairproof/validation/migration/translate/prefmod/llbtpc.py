"""llbtPC.fit: `fit_llbt` on the table of comparisons.

    llbtPC.fit(d, 6, formel = ~ENG, elim = ~ENG)
    fit_llbt(read("data/d.csv", layout="prefmod", items=[...], coding={...}, ...), by="ENG")

R's fit is a Poisson model with a constant for each comparison in each cell of `elim`. Its deviance is that
of the same cells; cells without a comparison count in R's df and are taken off; its log-likelihood less a
constant of the cells is llf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.cells import count as cells_of
from .....fit.fit import Fit
from .....native.compat.printed import counted_with_empty_cells
from ....r_answers.translate import likelihood_values, parameter_values
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File
from ..registry import translates
from ..rows import SAME, at, counterpart, explained, fit_rows, named, parameters, row, rows_of
from ..translation import Context, Judge, Translation, outside
from ..tried import tried
from .bridged import AGAIN, _formula, frame_of, standard_errors
from .covariates import Covariates, covariates
from .pairs import Coding, coding_of
from .table import Given, answered, count, flag, given, left_out, texts, with_covariates, written_name


@translates("prefmod::llbtPC.fit")
def llbtpc(call: RecordedCall, context: Context) -> Translation:
    """An LLBT by gnm."""
    n = count(call, "nitems")
    if n < 2:
        return outside("the number of its items was not recorded")
    table = given(call, n * (n - 1) // 2)
    if isinstance(table, str):
        return outside(table)
    stated = texts(call, "obj.names")
    items = stated if len(stated) == n else tuple(f"o{k + 1}" for k in range(n))
    found = covariates(call, table)
    if isinstance(found, str):
        return outside(found)
    rows = answered(table)
    missing = rows & ~with_covariates(table, table.names[table.n_answers :])
    notes = left_out(missing, "a value is missing in a column beside the comparisons, of the model or not")
    used = table.select(np.asarray(rows & ~missing))
    why = _without_python(found, used)
    coding = coding_of(used.answers) if not why else ""
    if isinstance(coding, str):
        return _bridge(call, table, items, found, why or coding)
    code = _code(call, used, items, found, coding)
    _, refused = tried(code)
    if refused:
        return _bridge(call, table, items, found, f"fit_llbt refuses it: {refused}")
    return Translation(
        "native", code, notes=notes, judge=_judge(call, items, found, _as_r(call, used, items, found, coding))
    )


def _without_python(found: Covariates, table: Given) -> str:
    if not len(table.values):
        return "no row has all that the model needs"
    wrong = found.wrong_codes(table)
    if wrong:
        return f"{wrong} is not coded 1, 2, ..., K, which prefmod takes for granted"
    if not found.whole:
        return "an interaction without its main effects is coded by R in its own way"
    return ""


def _code(call: RecordedCall, table: Given, items: Sequence[str], found: Covariates, coding: Coding) -> Call:
    names = [*found.in_model, *(n for n in found.in_table if n not in found.in_model)]
    reading: dict[str, Any] = {
        "layout": "prefmod",
        "pair_order": "prefmod",
        "items": list(items),
        "coding": coding.written,
    }
    if names:
        reading["levels"] = found.levels(table)
    options: dict[str, Any] = {}
    if coding.has_ties and not flag(call, "undec", True):
        options["ties"] = "none"
    if found.by:
        options["by"] = found.by
    if found.cells:
        options["cells"] = found.cells
    file = File(table.written(names), call.variable)
    read = Call("pairproof.read", (file,), reading)
    if tried(read)[1]:
        ignoring = Call("pairproof.read", (file,), {**reading, "pair_names": "ignore"})
        read = read if tried(ignoring)[1] else ignoring
    return Call("pairproof.fit_llbt", (read,), options)


# -- R's numbers ---------------------------------------------------------------------------------------------


def names_in_r(fit: Fit, items: Sequence[str], found: Covariates, r: Sequence[str]) -> dict[str, str]:
    """R's coefficient -> the fit's parameter: "o1:ENG2" -> "o1:ENG[2]", "U" -> "tie"."""
    spelt = {written_name(n): n for n in found.all}
    ours: dict[frozenset[str], str] = {}
    for term in fit.terms:
        head = "U" if term.kind == "tie" else term.item
        if head is None or term.item == items[-1]:
            continue
        ours[frozenset([head, *(f"{spelt.get(n, n)}{level}" for n, level in term.by)])] = term.name
    return {name: ours[key] for name in r if (key := frozenset(name.replace("`", "").split(":"))) in ours}


def _as_r(
    call: RecordedCall, table: Given, items: Sequence[str], found: Covariates, coding: Coding
) -> tuple[Call, str] | None:
    """The model without the covariates of formel that are not in elim, which prefmod drops (B10); None if
    all are.
    """
    beyond = [n for n in found.in_model if n not in found.in_table]
    if not beyond:
        return None
    kept = replace(found, formel=tuple(p for p in found.formel if not set(p) & set(beyond)))
    why = (
        f"R is wrong here, by prefmod's B10-covariate-not-in-elim: {beyond[0]} is in formel and not in elim,"
        " and is left out"
    )
    return _code(call, table, items, kept, coding), why


def _judge(
    call: RecordedCall, items: Sequence[str], found: Covariates, as_r: tuple[Call, str] | None
) -> Judge:
    """Rows; where prefmod drops a covariate, explained if its numbers are those of the model without it."""

    def judge(fit: Any) -> Sequence[Agreement]:
        rows = _rows(call, items, found, fit)
        if as_r is None or not any(a.verdict == "differs" for a in rows):
            return rows
        other, _ = tried(as_r[0])
        if other is None or any(a.verdict == "differs" for a in _rows(call, items, found, other)):
            return rows
        differing = [str(a.quantity) for a in rows if a.verdict == "differs"]
        return explained(rows, differing, as_r[1], "B10-covariate-not-in-elim")

    return judge


def _rows(call: RecordedCall, items: Sequence[str], found: Covariates, fit: Fit) -> list[Agreement]:
    coef = named(call.vector("coef"))
    own = names_in_r(fit, items, found, list(coef))
    p = parameters(call, own, "lambda", items[-1])
    values = parameter_values(fit, p)
    said = gnm_values(call, fit, values)
    answer = counterpart(call, values, "U is tie" if "U" in coef else "", said, "its gnm takes no tolerance")
    lacking = [n for n, v in coef.items() if v == v and n not in own]
    rows = fit_rows(fit, answer)
    return rows + [row(f"coef.{n}", float("nan"), coef[n], call.function) for n in lacking]


def gnm_values(call: RecordedCall, fit: Fit, values: dict[str, float]) -> str:
    """Deviance, df, llf and AIC of R's Poisson model on our definitions, put into `values`; what was done,
    in words.
    """
    counted = counted_with_empty_cells(fit)
    deviance, df, loglik = (call.number(k) for k in ("deviance", "df_residual", "loglik"))
    undetermined = fit.null_space.shape[1] - fit.n_infinite
    if counted.empty and undetermined:
        return (
            f"its {counted.empty} empty cells join items that no comparison joins; df and deviance are not"
            " compared"
        )
    outcomes = 2 if fit.outcome_model != "binary" else 1
    if df is not None:
        values["df_resid"] = df - counted.empty * outcomes
    if counted.empty:
        return (
            f"{counted.empty} empty cells are taken off its df; it leaves positive fitted counts in them, so"
            " its deviance and log-likelihood are not compared (defect B11)"
        )
    if deviance is not None:
        values["deviance"] = deviance
    if loglik is not None:
        free = sum(1 for v in named(call.vector("coef")).values() if v == v)
        values.update(likelihood_values(loglik - cells_of(fit).poisson_constant, free))
    return "logLik(), Poisson, less a constant of the cells gives llf"


# -- in R ----------------------------------------------------------------------------------------------------


def _bridge(
    call: RecordedCall, table: Given, items: Sequence[str], found: Covariates, reason: str
) -> Translation:
    """llbtPC.fit in R, on all columns: it leaves rows out for any of them."""
    if [n for n in found.in_model if n not in found.in_table]:
        # The bridge refuses what prefmod drops without a word, so it is asked for the model that prefmod
        # fitted.
        found = replace(found, formel=tuple(p for p in found.formel if set(p) <= set(found.in_table)))
    options: dict[str, Any] = {}
    for name, products in (("formel", found.formel), ("elim", found.elim)):
        if products:
            options[name] = _formula(products)
    if texts(call, "obj.names"):
        options["obj_names"] = list(items)
    if not flag(call, "undec", True):
        options["undec"] = False
    frame = frame_of(table, table.names[table.n_answers :], call.variable)
    code = Call("pairproof.bridge.prefmod.llbtPC_fit", (frame, len(items)), options)

    def judge(model: Any) -> Sequence[Agreement]:
        r = named(call.vector("coef"))
        rows = rows_of(
            "coef", model.params(), r, call.function, least=SAME, why=AGAIN, places=at("coef", model.names)
        )
        rows += standard_errors(call, model.bse(), list(r), at("se", model.names))
        for name, value in (
            ("deviance", model.deviance),
            ("df_residual", model.df_residual),
            ("loglik", model.loglik),
        ):
            theirs = call.number(name)
            if theirs is not None:
                rows.append(row(name, value, theirs, call.function, least=SAME, why=AGAIN, place=name))
        return rows

    return Translation("bridge", code, reason=reason, speaks="r", judge=judge)
