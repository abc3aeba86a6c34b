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
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.asking import RModel
from ....bridge.programs.counted_cells import count as cells_of
from ....bridge.values.nodes import RList, RVector
from ....fit.fit import Fit
from ....native.prefmod_defects.defects_of_results import counted_with_empty_cells
from ....validation.r_answers.translate import RParameters, likelihood_values, parameter_values
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, File, attribute, columns_call, quoted_name, stated, table_call
from ..rows import Beside, at, counterpart, differ, explained, fit_rows, named, parameters
from ..translation import Context, StaysInR, Translation, made, outside, translates, tried
from . import prefmod_table as tables
from .prefmod_in_r import again, formula, frame_of, model_rows


@dataclass(frozen=True, eq=False)
class Blocks:
    """A design as comparisons.

    items: the reference last.  `first`, second int[q]: items of each block.  counts float[q, ncat].
    covariates: by the name that it has in Python.  terms: column of the design -> the item ("tie" for ties)
    and its covariate ("" for none).
    """

    items: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: tables.Floats
    covariates: dict[str, tables.Floats] = field(default_factory=dict)
    terms: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def has_ties(self) -> bool:
        """Whether a tie parameter is among the columns."""
        return ("tie", "") in self.terms.values()

    @property
    def by(self) -> str:
        """Formula of the covariates: of all items, of single items, of ties."""
        free = self.items[:-1]
        out = []
        for name in self.covariates:
            with_it = [head for head, x in self.terms.values() if x == name and head != "tie"]
            out += (
                [name] if set(with_it) == set(free) else [f"{quoted_name(item)}:{name}" for item in with_it]
            )
            if ("tie", name) in self.terms.values():
                out.append(f"tie:{name}")
        return " + ".join(out)

    @property
    def parameters(self) -> dict[str, str]:
        """Column of the design -> the fit's parameter."""
        return {column: f"{head}:{x}" if x else head for column, (head, x) in self.terms.items()}


def blocks_of(
    y: tables.Floats,
    x: tables.Floats,
    names: Sequence[str],
    n_blocks: int,
    n_answers: int,
    reference: str = "",
) -> Blocks:
    """The comparisons of a design, y float[rows], x float[rows, p]; it stays in R where it is none."""
    if n_answers not in (2, 3) or len(y) != n_blocks * n_answers or x.shape != (len(y), len(names)):
        raise StaysInR("its rows are no blocks of two or three answers")
    if len(set(names)) < len(names):
        raise StaysInR("two columns of its design have one name")
    x = x.reshape(n_blocks, n_answers, len(names))
    # Half the difference of a block's outer rows; the middle row less their mean.
    side = (x[:, 0] - x[:, -1]) / 2.0
    middle = x[:, 1] - (x[:, 0] + x[:, -1]) / 2.0 if n_answers == 3 else np.zeros_like(side)
    odd = [k for k in range(len(names)) if not middle[:, k].any()]
    even = [k for k in range(len(names)) if not side[:, k].any()]
    if len(odd) + len(even) < len(names):
        raise StaysInR("a column of its design is neither of items nor of ties")
    items = _items(side, odd)
    signs = side[:, items]
    if not items or ((signs > 0).sum(axis=1) > 1).any() or ((signs < 0).sum(axis=1) > 1).any():
        raise StaysInR("no columns of its design are items, one for and one against in each block")
    if not np.abs(signs).any(axis=1).all():
        raise StaysInR("a block of its design compares no two items")
    own = tuple(names[k] for k in items)
    last = reference or _reference(own)
    found = Blocks((*own, last), _side(signs > 0), _side(signs < 0), y.reshape(n_blocks, n_answers))
    found.terms.update({name: (name, "") for name in own})
    _add_ties(found, names, even, middle)
    _add_covariates(found, names, odd, items, side)
    return found


def _items(side: tables.Floats, odd: list[int]) -> list[int]:
    """Columns of items: 1, 0 and -1, and no part of another such column, as an item in one group is."""
    plain = [k for k in odd if np.isin(side[:, k], (-1.0, 0.0, 1.0)).all() and side[:, k].any()]

    def within(k: int, j: int) -> bool:
        there = side[:, k] != 0
        return (
            j != k
            and there.sum() < (side[:, j] != 0).sum()
            and bool((side[there, k] == side[there, j]).all())
        )

    return [k for k in plain if not any(within(k, j) for j in plain)]


def _side(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int[q]: the item on this side of each block; the reference where there is none."""
    n = there.shape[1]
    return np.where(there.any(axis=1), there.argmax(axis=1), n).astype(np.int64)


def _reference(own: Sequence[str]) -> str:
    numbered = [re.fullmatch(r"(\D+)(\d+)", name) for name in own]
    heads = {m[1] for m in numbered if m}
    if (
        all(numbered)
        and len(heads) == 1
        and [int(m[2]) for m in numbered if m] == list(range(1, len(own) + 1))
    ):
        return f"{heads.pop()}{len(own) + 1}"
    return "reference" if "reference" not in own else "reference_"


def _add_ties(found: Blocks, names: Sequence[str], even: list[int], middle: tables.Floats) -> None:
    whole = [k for k in even if (middle[:, k] == 1.0).all()]
    if even and len(whole) != 1:
        raise StaysInR("none of its columns is 1 in every tie")
    for k in even:
        if k in whole:
            found.terms[names[k]] = ("tie", "")
        else:
            _add(found, names[k], "tie", names[whole[0]], middle[:, k], np.ones(len(middle), bool))


def _add_covariates(
    found: Blocks, names: Sequence[str], odd: list[int], items: list[int], side: tables.Floats
) -> None:
    """Columns of an item times a covariate: the name says which item, the numbers whether it is true."""
    for k in (k for k in odd if k not in items):
        parts = names[k].split(":")
        of = [j for j in items if names[j] in parts and not side[side[:, j] == 0, k].any()]
        if len(of) != 1:
            raise StaysInR(f"its column {names[k]} is no item times a covariate")
        item, there = names[of[0]], side[:, of[0]] != 0
        values = np.divide(side[:, k], side[:, of[0]], out=np.zeros(len(side)), where=there)
        _add(found, names[k], item, item, values, there)


#: Covariates that a table of comparisons would read as something of its own.
_OWN = "first second wins ties losses weight judge source order".split()


def _add(
    found: Blocks, column: str, head: str, base: str, values: tables.Floats, there: NDArray[np.bool_]
) -> None:
    """Put a product into `found`, its covariate named by the rest of the column."""
    rest = [part for part in column.split(":") if part != base]
    name = re.sub(r"\W+", "_", "_".join(rest)).strip("_") or "covariate"
    if name[0].isdigit() or name in _OWN:
        name = f"x_{name}"
    known = found.covariates.get(name, np.full(len(values), np.nan))
    both = there & ~np.isnan(known)
    # A covariate is a column of the script's own, divided by an item's +1 or -1: equal but for one rounding
    # (observed 0, for whole numbers and halves).
    if not np.allclose(known[both], values[both], rtol=1e-12, atol=0.0):
        raise StaysInR(f"its columns of {name} are of different covariates")
    found.covariates[name] = np.where(there, values, known)
    found.terms[column] = (head, name)


@translates("prefmod::llbt.fit")
def llbt_fit(call: RecordedCall, context: Context) -> Translation:
    """llbt.fit on any design."""
    y, x = call.vector("y"), call.matrix("xmodel")
    q, ncat = call.number("q"), call.number("ncat")
    if y is None or x is None or q is None or ncat is None:
        return outside("its design was not recorded")
    # llbt.fit prints par1, par2, ... where its design has no names.
    names = list(x.margin(1)) or [f"par{k + 1}" for k in range(x.values.shape[1])]
    try:
        found = blocks_of(y.floats(), x.floats(), names, int(q), int(ncat), reference_of(names, context))
        code = _code(call, found)
        fit = made(code)
        lacking = [own for own in found.parameters.values() if own not in fit.names]
        if lacking:
            raise StaysInR(f"the Python model has no parameter {lacking[0]}")
    except StaysInR as why:
        return _bridge(call, y.floats(), x.floats(), names, str(why))
    return Translation("native", code, judge=partial(_llbt_rows, call, found))


def reference_of(names: Sequence[str], context: Context) -> str:
    """The one item of an llbt.design of this run without a column among these names; "" if there is none."""
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
        "wins": tables.plain_column(found.counts[:, 0]),
    }
    three = found.counts.shape[1] == 3
    if three:
        columns["ties"] = tables.plain_column(found.counts[:, 1])
    columns["losses"] = tables.plain_column(found.counts[:, -1])
    for name, values in found.covariates.items():
        columns[name] = tables.plain_column(np.where(np.isnan(values), 0.0, values))
    table = table_call(columns, call.variable, layout="counts", items=list(found.items))
    options = stated(ties=three and not found.has_ties and "none", by=found.by, cells="row")
    return Call("pairproof.fit_llbt", (table,), options)


def _llbt_rows(call: RecordedCall, found: Blocks, fit: Fit) -> Sequence[Agreement]:
    own, coef, se = found.parameters, named(call.vector("coef")), call.vector("se")
    errors = np.full(len(coef), np.nan) if se is None else se.floats()
    names, estimates = tuple(own[n] for n in coef), np.array(list(coef.values()))
    values = parameter_values(
        fit, RParameters(names, estimates, np.diag(errors**2), "lambda", found.items[-1])
    )
    said = [
        "it stops when the deviance changes by less than 1e-4 of itself, and prints 4 decimals of these numbers"
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


def _bridge(
    call: RecordedCall, y: tables.Floats, x: tables.Floats, names: Sequence[str], reason: str
) -> Translation:
    """llbt.fit in R, on the same numbers."""
    stem = call.variable or "llbt_fit"
    design = columns_call({n: tables.plain_column(x[:, k]) for k, n in enumerate(names)}, f"{stem}_design")
    counts = attribute(columns_call({"y": tables.plain_column(y)}, f"{stem}_y"), "y")
    sizes = int(call.number("q") or 0), int(call.number("ncat") or 0)
    code = Call("pairproof.bridge.prefmod.llbt_fit", (counts, design, *sizes))

    def judge(model: Any) -> Sequence[Agreement]:
        r, found = named(call.vector("coef")), call.vector("se")
        ours, errors = (dict(zip(model.names, v.tolist())) for v in (model.estimate, model.se))
        rows = again(call).named("coef", ours, r, at("estimate", model.names))
        if found is not None:
            theirs = dict(zip(r, found.floats().tolist()))
            rows += again(call).named("se", errors, theirs, at("se", model.names))
        numbers = {"deviance": model.deviance, "df_residual": float(model.df)}
        return rows + again(call).numbers({"df_residual": "df"}, **numbers)

    return Translation("bridge", code, reason, judge=judge)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """A call of llbtPC.fit, with the rows of its table that it uses."""

    call: RecordedCall
    items: Sequence[str]
    found: tables.Covariates
    used: tables.Given

    def code(self, found: tables.Covariates) -> Call:
        """The model with these covariates in Python."""
        coding = tables.coding_of(self.used.answers)
        names = [*found.in_model, *(n for n in found.in_table if n not in found.in_model)]
        reading = stated(
            layout="prefmod",
            pair_order="prefmod",
            items=list(self.items),
            coding=coding.written,
            levels=names and found.levels(self.used),
        )
        ties = coding.has_ties and not tables.flag(self.call, "undec", True) and "none"
        options = stated(ties=ties, by=found.by, cells=found.cells)
        file = File(self.used.written(names), self.call.variable)
        return Call("pairproof.fit_llbt", (tables.read_pairs("pairproof.read", (file,), reading),), options)

    def judge(self, fit: Fit) -> Sequence[Agreement]:
        """Rows; those of a fit without the covariates of formel that are not in elim, which prefmod drops."""
        rows, found = self.rows(fit), self.found
        beyond = [n for n in found.in_model if n not in found.in_table]
        if not beyond or not differ(rows):
            return rows
        kept = replace(found, formel=tuple(p for p in found.formel if not set(p) & set(beyond)))
        other, _ = tried(self.code(kept))
        if other is None or differ(self.rows(other)):
            return rows
        why = (
            f"R is wrong here, by prefmod's B10-covariate-not-in-elim: {beyond[0]} is in formel and not in elim,"
            " and is left out"
        )
        return explained(rows, None, why, "B10-covariate-not-in-elim")

    def rows(self, fit: Fit) -> list[Agreement]:
        """R's numbers beside those of a fit."""
        call, coef = self.call, named(self.call.vector("coef"))
        own = self.names_in_r(fit, list(coef))
        values = parameter_values(fit, parameters(call, own, "lambda", self.items[-1]))
        said = gnm_values(call, fit, values)
        ties = "U is tie" if "U" in coef else ""
        rows = fit_rows(fit, counterpart(call, values, ties, said, "its gnm takes no tolerance"))
        lacking = [n for n, v in coef.items() if v == v and n not in own]
        return rows + [Beside(call).row(f"coef.{n}", float("nan"), coef[n]) for n in lacking]

    def names_in_r(self, fit: Fit, r: Sequence[str]) -> dict[str, str]:
        """R's coefficient -> the fit's parameter: "o1:ENG2" -> "o1:ENG[2]", "U" -> "tie"."""
        spelt = {tables.written_name(n): n for n in self.found.all}
        ours: dict[frozenset[str], str] = {}
        for term in fit.terms:
            head = "U" if term.kind == "tie" else term.item
            if head is not None and term.item != self.items[-1]:
                ours[frozenset([head, *(f"{spelt.get(n, n)}{level}" for n, level in term.by)])] = term.name
        keys = {name: frozenset(name.replace("`", "").split(":")) for name in r}
        return {name: ours[key] for name, key in keys.items() if key in ours}


@translates("prefmod::llbtPC.fit")
def llbtpc(call: RecordedCall, context: Context) -> Translation:
    """An LLBT by gnm."""
    n = tables.number_of_items(call)
    table = tables.given(call, n * (n - 1) // 2)
    stated = tables.texts(call, "obj.names")
    items = stated if len(stated) == n else tuple(f"o{k + 1}" for k in range(n))
    found = tables.covariates(call, table)
    rows = tables.answered(table)
    missing = rows & ~tables.with_covariates(table, table.names[table.n_answers :])
    why = "a value is missing in a column beside the comparisons, of the model or not"
    notes = tables.left_out(missing, why)
    asked = Comparisons(call, items, found, table.select(np.asarray(rows & ~missing)))
    try:
        tables.check_covariates(found, asked.used)
        code = asked.code(found)
        made(code)
    except StaysInR as why_not:
        return _pc_bridge(call, table, items, found, str(why_not))
    return Translation("native", code, notes=notes, judge=asked.judge)


def gnm_values(call: RecordedCall, fit: Fit, values: dict[str, float]) -> str:
    """Put deviance, df, llf, AIC of R's Poisson model by our definitions into `values`; says how."""
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


def _pc_bridge(
    call: RecordedCall, table: tables.Given, items: Sequence[str], found: tables.Covariates, reason: str
) -> Translation:
    """llbtPC.fit in R, on all columns: it leaves rows out for any of them."""
    if not set(found.in_model) <= set(found.in_table):
        # The bridge refuses what prefmod drops without a word, so it is asked for the model that prefmod
        # fitted.
        found = replace(found, formel=tuple(p for p in found.formel if set(p) <= set(found.in_table)))
    named_items = bool(tables.texts(call, "obj.names")) and list(items)
    options = stated(formel=formula(found.formel), elim=formula(found.elim), obj_names=named_items)
    if not tables.flag(call, "undec", True):
        options["undec"] = False
    frame = frame_of(table, table.names[table.n_answers :], call.variable)
    code = Call("pairproof.bridge.prefmod.llbtPC_fit", (frame, len(items)), options)

    def judge(model: RModel) -> Sequence[Agreement]:
        numbers = {"deviance": model.deviance, "df_residual": model.df_residual, "loglik": model.loglik}
        return model_rows(call, model, **numbers)

    return Translation("bridge", code, reason=reason, judge=judge)
