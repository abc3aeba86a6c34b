"""llbt.fit and llbtPC.fit: `fit_llbt` on the comparisons of a design matrix or of a table; else R.

    llbt.fit(y, Xmodel, q = 15, ncat = 3)     fit_llbt(read("data/f.csv", layout="counts", ...), cells="row")
    llbtPC.fit(d, 6, formel = ~ENG)           fit_llbt(read("data/d.csv", layout="prefmod", ...), by="ENG")

Whether a design is an LLBT is read off its columns, block by block; names are only labels.  The rows are
blocks of `ncat` answers to one comparison.  Less a constant of the block, which the model eliminates, a
column is

    item            s, 0, -s   with s = 1 where the item is named first, -1 where it is second, else 0
    item x covariate  s x, 0, -s x
    tie             0, t, 0    with t = 1 in every block; tie x covariate otherwise

At most one plus and one minus item stand in a block; where there is one alone the other is the reference,
without column.

llbt.fit: a row of the file is a block of the design, so that deviance and df are those of its blocks. R stops
when the deviance changes by less than 1e-4 of itself, takes its standard errors one step before that, and
counts blocks without an answer in its df.  llbtPC.fit is a Poisson model with a constant for each comparison
in each cell of `elim`. Its deviance is that of the same cells; cells without a comparison count in R's df and
are taken off; its log-likelihood less a constant of the cells is llf.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.prefmod.llbt import LLBTFit
from ....bridge.programs.counted_cells import count as cells_of
from ....fit.fit import Fit
from ....native.prefmod_defects.defects_of_results import counted_with_empty_cells
from ....validation.r_answers.prefmod_llbt import poisson_values
from ....validation.r_answers.translate import RParameters
from ...recognise.decide import Design, recognise_poisson
from ...recognise.design_contests import EXACT
from ...recognise.design_terms import Model
from ..designs.recorded_design import fit_call, parameter_names, poisson_likelihood, said_by
from ..python_code import Call, File, attribute, columns_call, stated, whole_numbers
from ..recorded_answers import Floats, needed, stays_if
from ..rows import Beside, Rows, differ, explained, named, of_fit, parameters
from ..translation import Context, Translation, bridged, in_r, made, translates, tried
from . import prefmod_table as tables
from .patterns import Asked, asked
from .prefmod_table import again


def _given(call: RecordedCall) -> tuple[Floats, Floats, tuple[str, ...], int, int]:
    """y float[rows], x float[rows, p] with its columns' names, blocks, and answers of each."""
    lost = "its design was not recorded"
    y, x = needed(call.vector("y"), lost).floats(), needed(call.matrix("xmodel"), lost)
    q, ncat = (int(needed(call.number(name), lost)) for name in ("q", "ncat"))
    # llbt.fit prints par1, par2, ... where its design has no names.
    names = tuple(x.margin(1)) or tuple(f"par{k + 1}" for k in range(x.values.shape[1]))
    return y, x.floats(), names, q, ncat


@translates("prefmod::llbt.fit")
def llbt_fit(call: RecordedCall, context: Context) -> Translation:
    """llbt.fit on any design."""
    y, x, names, q, ncat = _given(call)
    blocks = ncat in (2, 3) and len(y) == q * ncat == len(x)
    stays_if(not blocks, "its rows are not blocks of two or three answers")
    stays_if(len(set(names)) < len(names), "two columns of its design have the same name")
    design = Design(x, names, np.ones(len(names), bool), hidden=reference_of(names, context))
    found = recognise_poisson(design, y, np.repeat(np.arange(q), ncat))
    code = fit_call(found, "fit_llbt", call.variable)
    made(code)
    return Translation("native", code, judge=partial(_llbt_rows, call, found.model))


def reference_of(names: Sequence[str], context: Context) -> str:
    """The item without a column: the one that an llbt.design of this run has beyond these, o4 of o1, o2, o3; or ""."""
    for step in reversed(list(context.steps.values())):
        design = step.call.frame("value") if step.call.name == "llbt.design" else None
        lacking = [v for v in (said_by(design, "objnames") if design else ()) if v not in names]
        if len(lacking) == 1:
            return lacking[0]
    numbered = [m for m in (re.fullmatch(r"([^\d:]+)(\d+)", name) for name in names) if m]
    heads = {head: [int(m[2]) for m in numbered if m[1] == head] for head in {m[1] for m in numbered}}
    in_order = [head for head, n in heads.items() if len(n) > 1 and n == [*range(1, len(n) + 1)]]
    return f"{in_order[0]}{len(heads[in_order[0]]) + 1}" if len(in_order) == 1 else ""


OF_EMPTY_BLOCKS = "{} blocks without an answer are subtracted from its df; its fitted counts in them are positive, so its deviance is not compared (defect B11)"


def _llbt_rows(call: RecordedCall, model: Model, fit: Fit) -> Rows:
    coef, se = named(call.vector("coef")), call.vector("se")
    errors = np.full(len(coef), np.nan) if se is None else se.floats()
    to = np.where(np.abs(model.map - np.round(model.map)) < EXACT, np.round(model.map), model.map)
    estimates, spread = to @ np.array(list(coef.values())), to @ np.diag(errors**2) @ to.T
    p = RParameters(parameter_names(model), estimates, spread, "lambda", model.items[-1])
    said = "it stops when the deviance changes by less than 1e-4 of itself, and prints 4 decimals of these numbers"
    values, empty = poisson_likelihood(call, model.contests, np.zeros(1), 0), model.contests.totals == 0
    if not empty.any():
        return of_fit(call, fit, p, values, said)
    values.pop("deviance", None)
    return of_fit(call, fit, p, values, said, OF_EMPTY_BLOCKS.format(int(empty.sum())))


@in_r("prefmod::llbt.fit")
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """llbt.fit in R, on the same numbers."""
    (y, x, names, *sizes), stem = _given(call), call.variable or "llbt_fit"
    columns = {n: whole_numbers(column) for n, column in zip(names, x.T)}
    design = columns_call(columns, f"{stem}_design")
    counts = attribute(columns_call({"y": whole_numbers(y)}, f"{stem}_y"), "y")

    def judge(model: LLBTFit) -> Rows:
        r, coef, se = again(call), named(call.vector("coef")), call.vector("se")
        rows = r.array("coef", model, coef, "estimate")
        if se is not None:
            rows += r.array("se", model, dict(zip(coef, se.floats().tolist())), "se")
        return rows + r.fields(model, "deviance df_residual=df")

    return bridged(why, "prefmod.llbt_fit", [counts, design, *sizes], {}, judge)


@dataclass(frozen=True, eq=False)
class Comparisons(Asked):
    """A call of llbtPC.fit."""

    def code(self, found: tables.Covariates) -> Call:
        """The model with these covariates in Python."""
        used = self.used
        coding = tables.coding_of(used.answers)
        prefmod: dict[str, object] = {"layout": "prefmod", "pair_order": "prefmod", "items": list(self.items)}
        reading = prefmod | stated(coding=coding, levels=found.levels(used))
        options = stated(ties="tie" in coding and not self.ties and "none", by=found.by, cells=found.cells)
        file = File(used.written(found.all), self.call.variable)
        return Call("pairproof.fit_llbt", (tables.read_pairs("pairproof.read", (file,), reading),), options)

    def judge(self, fit: Fit) -> Rows:
        """Rows; those of a fit without the covariates of formel that are not in elim, which prefmod drops."""
        rows, found = self.compared(fit), self.covariates
        beyond = [n for n in found.in_model if n not in found.in_table]
        if not beyond or not differ(rows):
            return rows
        kept = replace(found, formel=tuple(p for p in found.formel if not set(p) & set(beyond)))
        other, _ = tried(self.code(kept))
        if other is None or differ(self.compared(other)):
            return rows
        wrong = "B10-covariate-not-in-elim"
        why = f"R is wrong here, by prefmod's {wrong}: {beyond[0]} is in formel but not in elim, and is left out"
        return explained(rows, None, why, wrong)

    def compared(self, fit: Fit) -> Rows:
        """R's numbers beside those of a fit."""
        call, coef = self.call, named(self.call.vector("coef"))
        own = self.names_in_r(fit, list(coef))
        ties, empty = "U is tie" if "U" in coef else "", counted_with_empty_cells(fit).empty
        numbers = (call.number(k) for k in ("df_residual", "deviance", "loglik"))
        df, deviance, loglik = (np.nan if v is None else v for v in numbers)
        free = sum(v == v for v in coef.values())
        values, said = poisson_values(fit, cells_of(fit), empty, df, deviance, loglik, free)
        p = parameters(call, own, "lambda", self.items[-1])
        rows = of_fit(call, fit, p, values, ties, said, "its gnm has no tolerance argument")
        lacking = [n for n, v in coef.items() if v == v and n not in own]
        return rows + [Beside(call).row(f"coef.{n}", float("nan"), coef[n]) for n in lacking]

    def names_in_r(self, fit: Fit, r: Sequence[str]) -> dict[str, str]:
        """R's coefficient -> the fit's parameter: "o1:ENG2" -> "o1:ENG[2]", "U" -> "tie"."""
        spelt = {tables.written_name(n): n for n in self.covariates.all}
        ours: dict[frozenset[str], str] = {}
        for term in fit.terms:
            head = "U" if term.kind == "tie" else term.item
            if head is not None and term.item != self.items[-1]:
                ours[frozenset([head, *(f"{spelt.get(n, n)}{level}" for n, level in term.by)])] = term.name
        keys = {name: frozenset(name.replace("`", "").split(":")) for name in r}
        return {name: ours[key] for name, key in keys.items() if key in ours}


@translates("prefmod::llbtPC.fit")
def llbtpc(call: RecordedCall, context: Context) -> Translation:
    """An LLBT by gnm, which leaves rows out for any column beside the comparisons."""
    model = asked(call, Comparisons)
    table, found = model.table, tables.covariates(model.call, model.table)
    rows = tables.answered(table)
    missing = rows & ~tables.with_covariates(table, table.names[table.n_answers :])
    model = replace(model, covariates=found, rows=rows & ~missing)
    tables.check_covariates(found, model.used)
    code = model.code(found)
    made(code)
    why = "a value is missing in a column beside the comparisons, of the model or not"
    return Translation("native", code, notes=tables.left_out(missing, why), judge=model.judge)
