"""The pattern model that a call of patt*.fit asks for, and calls of prefmod that stay in R.

prefmod's own rules: models of what is missing (NItest, NI, MIScommon, MISalpha, MISbeta) put covariates
aside; MIScommon goes before MISalpha and MISbeta, these before NItest; MISbeta alone brings the same MISalpha
with it.

What stays in R is the same function through `pairproof.bridge.prefmod`, on the same table.  R is asked again,
and its numbers are held against those of the script: prefmod starts from zeros and draws nothing, so that
they are the same to the last digits, whatever the numbers are worth.

pattnpml.fit goes with the seed that it used.  It mixes cells of the table of patterns, those that nobody gave
among them, and not persons (defect B17), so that no model of `fit_latent_classes` has its likelihood. Its
seed is the time of day unless stated; the record has the one used. `tol` and `startp` have no effect in
prefmod. With one class it drops `random` and is a Poisson model of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.asking import Estimates
from ....bridge.packages.prefmod.pattern_designs import NPMLModel
from ....bridge.values.formulas import checked
from ....bridge.values.nodes import RLang, RList, RVector
from ....data.wide import prefmod_pair_order
from ....errors import FormulaError, InputError
from ....fit.fit import Fit
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, columns_call, frame_call, stated
from ..recorded_answers import Declared, flag, options_of, word
from ..rows import SAME, Beside, at, coefficients, named, standard_errors
from ..translation import Context, Judge, StaysInR, Translation, needed, outside, translates
from . import prefmod_table as tables

#: Function -> what its answers are.
KINDS: dict[str, Literal["pairs", "ranks", "ratings"]] = {
    "pattPC.fit": "pairs",
    "pattR.fit": "ranks",
    "pattL.fit": "ratings",
    "pattRrep.fit": "ranks",
    "pattLrep.fit": "ratings",
}
#: The column that tells complete answers from others, which NItest compares.
INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Asked:
    """A pattern model.

    function: prefmod's, without its package.  ties, dependence, between_times: undec, ia, iaT.
    complete_against_others: NItest.  alpha_of, beta_of: items or comparisons that have one, from 0; `beta_of`
    is empty without beta.
    """

    function: str
    kind: Literal["pairs", "ranks", "ratings"]
    items: tuple[str, ...]
    times: int = 1
    ties: bool = False
    dependence: bool = False
    between_times: bool = False
    complete_against_others: bool = False
    alpha: str = ""
    alpha_of: tuple[int, ...] = ()
    beta_of: tuple[int, ...] = ()
    covariates: tables.Covariates = field(default_factory=tables.Covariates)

    @property
    def of_missing(self) -> bool:
        """Whether it is a model of what is missing, which takes no covariates."""
        return bool(self.alpha) or self.complete_against_others

    @property
    def n_answers(self) -> int:
        """Columns of answers."""
        n = len(self.items)
        return n * (n - 1) // 2 if self.kind == "pairs" else n * self.times

    @property
    def pairs(self) -> list[str]:
        """Comparisons in prefmod's order, as `alpha_of` names them."""
        return [f"{self.items[i]}:{self.items[j]}" for i, j in prefmod_pair_order(len(self.items))]


def _mask(value: RVector) -> list[bool] | None:
    found = list(map(bool, value.values.tolist())) if value.values.dtype.kind in "bif" else []
    return found if any(found) else None


#: Arguments of patt*.fit, and prefmod's defaults.
ARGUMENTS: Declared = {
    **{"undec": (flag, True), "ia": (flag, False), "iaT": (flag, False), "NItest": (flag, False)},
    **{"NI": (flag, False), "MIScommon": (flag, False), "MISmodel": (word, "obj")},
    **{"MISalpha": (_mask, None), "MISbeta": (_mask, None)},
}


def given(call: RecordedCall) -> dict[str, Any]:
    """Those that are not prefmod's defaults; rankings have no ties."""
    found = options_of(ARGUMENTS, partial(tables.value_of, call))
    return {n: v for n, v in found.items() if n != "undec" or KINDS[call.name] != "ranks"}


def asked(call: RecordedCall) -> Asked:
    """The model of a call, but its items' names and its covariates, which the table has."""
    kind, said = KINDS[call.name], given(call)
    n, times = tables.number_of_items(call), max(tables.count(call, "tpoints", 1), 1)
    of = {"dependence": "ia" in said, "between_times": "iaT" in said, **_of_missing(call, said)}
    ties, items = kind != "ranks" and "undec" not in said, tuple(f"o{k + 1}" for k in range(n))
    return Asked(call.name, kind, items, times, ties, **of)


def _of_missing(call: RecordedCall, said: Mapping[str, Any]) -> dict[str, Any]:
    of_pairs, alpha, beta = call.name == "pattPC.fit", said.get("MISalpha", []), said.get("MISbeta", [])
    if of_pairs and "MIScommon" in said:
        return {"alpha": "common"}
    if of_pairs and (alpha or beta):
        places = {
            name: tuple(np.flatnonzero(m).tolist())
            for name, m in (("alpha_of", alpha or beta), ("beta_of", beta))
        }
        return {"alpha": "comparison" if said.get("MISmodel") == "comp" else "item", **places}
    others = "NItest" in said
    return {
        "complete_against_others": others,
        "alpha": "none" if of_pairs and "NI" in said and not others else "",
    }


def named_items(call: RecordedCall, model: Asked, table: tables.Given) -> Asked:
    """The model with names of items: obj.names, else the columns of ranks and ratings, else o1, o2, ..."""
    n, stated = len(model.items), tables.texts(call, "obj.names")
    if model.kind == "pairs":
        return replace(model, items=stated) if len(stated) == n else model
    names = stated if len(stated) >= n * model.times else table.names[:n]
    return replace(model, items=tuple(names[:n]))


# -- what is written -----------------------------------------------------------------------------------------


def options(model: Asked, tie_category: bool) -> dict[str, Any]:
    """Options of `fit_pattern`; those that are its defaults are left out."""
    names = list(model.items) if model.alpha == "item" else model.pairs
    of_cell = INCOMPLETE if model.complete_against_others else "" if model.alpha else model.covariates.by
    return stated(
        ties=tie_category and not model.ties and "none",
        by=of_cell,
        dependence=model.dependence,
        between_times=model.between_times,
        alpha=model.alpha,
        alpha_of=len(model.alpha_of) < len(names) and [names[k] for k in model.alpha_of],
        beta=model.beta_of and ("coded" if model.alpha == "item" else "comparison"),
        beta_of=len(model.beta_of) < len(names) and [names[k] for k in model.beta_of],
    )


# -- names of parameters -------------------------------------------------------------------------------------


def r_blocks(covariates: tables.Covariates, table: tables.Given) -> list[tuple[tuple[str, int], ...]]:
    """prefmod's covariate columns: main effects by name, interactions; the first's levels change fastest."""
    in_order: list[tables.Product] = sorted(
        (tuple(sorted(p)) for p in covariates.formel), key=lambda p: (len(p), p)
    )
    found: list[tuple[tuple[str, int], ...]] = []
    for product in in_order:
        cells: list[tuple[tuple[str, int], ...]] = [()]
        for name in product:
            levels = range(2, int(np.nanmax(table.column(name))) + 1)
            cells = [(*cell, (name, level)) for level in levels for cell in cells]
        found += cells
    return found


def parameters_in_order(fit: Fit, model: Asked, table: tables.Given) -> list[tuple[str, str]]:
    """prefmod's parameters in its own order: the name that it prints, and the fit's."""
    of_item = {(t.item, frozenset(t.by)): t.name for t in fit.terms if t.kind == "item"}
    times = fit.respondents.times
    blocks: list[tuple[tuple[str, int], ...]] = [()]
    blocks += [] if model.of_missing else r_blocks(model.covariates, table)
    found: list[tuple[str, str]] = []

    def items(block: tuple[tuple[str, int], ...], extra: tuple[tuple[str, str], ...], prefix: str) -> None:
        own = tuple((tables.written_name(n), str(level)) for n, level in block) + extra
        suffix = "".join(f":{n}{level}" for n, level in block)
        for t in range(model.times):
            when = (("time", times[t]),) if model.times > 1 else ()
            shown = table.names[t * len(model.items) :] if model.times > 1 else model.items
            for item, name in zip(model.items[:-1], shown):
                found.append((f"{prefix}{name}{suffix}", of_item[item, frozenset((*own, *when))]))

    for block in blocks:
        items(block, (), "")
    if model.complete_against_others:
        items((), ((INCOMPLETE, "yes"),), "mis.")
    names = {t.name for t in fit.terms}
    of_missing = list(model.items) if model.alpha == "item" else model.pairs
    for what, of in (("alpha", model.alpha_of), ("beta", model.beta_of)):
        found += [(f"mis.{what}{k + 1}", f"{what}:{of_missing[k]}") for k in of]
    if model.alpha == "common":
        found.append(("mis.alpha.common", next(t.name for t in fit.terms if t.kind == "missing")))
    found += _of_ties(model, fit)
    found += _of_dependence(model, fit)
    lacking = [own for _, own in found if own not in names]
    if lacking:
        raise KeyError(lacking[0])
    return found


def _of_ties(model: Asked, fit: Fit) -> list[tuple[str, str]]:
    """U, or UT1, UT2, ..."""
    ties = [t for t in fit.terms if t.kind == "tie"]
    if not model.ties or not ties:
        return []
    if model.times == 1:
        return [("U", t.name) for t in ties]
    times = fit.respondents.times
    at = {next((str(level) for name, level in t.by if name == "time"), times[0]): t.name for t in ties}
    return [(f"UT{k + 1}", at[time]) for k, time in enumerate(times)]


def _of_dependence(model: Asked, fit: Fit) -> list[tuple[str, str]]:
    """I12.13: the comparisons with each item, two and two; Comp1:IT12: a comparison at successive times."""
    n, times = len(model.items), fit.respondents.times
    terms = {_unordered(t.name): t.name for t in fit.terms}
    found = []
    for t in range(model.times if model.dependence else 0):
        for common in range(n):
            for a, b in combinations([k for k in range(n) if k != common], 2):
                pairs = [tuple(sorted((common, other))) for other in (a, b)]
                label = "I" + ".".join(f"{i + 1}{j + 1}" for i, j in pairs)
                own = "*".join(f"{model.items[i]}:{model.items[j]}" for i, j in pairs)
                when = f":time[{times[t]}]" if model.times > 1 else ""
                shown = f"T{t + 1}:{label}" if model.times > 1 else label
                found.append((shown, terms.get(_unordered(own + when), own + when)))
    if model.between_times:
        for t, (now, then) in enumerate(zip(times, times[1:]), 1):
            for k, pair in enumerate(model.pairs, 1):
                found.append((f"Comp{k}:IT{t}{t + 1}", f"{pair}:time[{now}]*time[{then}]"))
    return found


def _unordered(name: str) -> str:
    """A dependence of two comparisons with these in one order, whichever is named first."""
    head, _, time = name.partition(":time[")
    return "*".join(sorted(head.split("*"))) + time if "*" in head else name


#: R against R on the same machine: the same operations, so that only another BLAS in the worker could differ.
AGAIN = "the same function of R on the same values"


def frame_of(table: tables.Given, names: Sequence[str], stem: str) -> Call:
    """`pairproof.bridge.read_frame("data/STEM.csv")`: the answers and these covariates."""
    return columns_call(table.written(names), stem)


def pattern(call: RecordedCall, model: Asked, table: tables.Given, reason: str) -> Translation:
    """patt*.fit in R."""
    try:
        found = tables.covariates(call, table)
    except StaysInR as why:
        return outside(f"{reason}; {why}" if str(why) != reason else reason)
    if {*found.in_model} - {*found.in_table}:
        return outside(reason)
    if call.name == "pattRrep.fit" and model.dependence:
        return outside("pattRrep.fit has no dependence within a time; R stops")
    used = () if model.of_missing else found.all
    options = stated(
        formel=used and formula(found.formel),
        elim=used and formula(found.elim),
        obj_names=list(tables.texts(call, "obj.names")),
    )
    options |= given(call)
    size: tuple[Any, ...] = (len(model.items), model.times) if model.times > 1 else (len(model.items),)
    code = Call(
        f"pairproof.bridge.prefmod.{call.name.replace('.', '_')}",
        (frame_of(table, used, call.variable), *size),
        options,
    )

    judge: Judge = lambda model: model_rows(call, model, "ll fl code")
    return Translation("bridge", code, reason=reason, judge=judge)


def formula(products: Sequence[Sequence[str]]) -> str:
    """In R's words; "" where there are none."""
    return "~" + " + ".join(":".join(_spelt(n) for n in p) for p in products) if products else ""


def _spelt(name: str) -> str:
    return (
        name if name.replace(".", "_").replace("_", "a").isalnum() and not name[0].isdigit() else f"`{name}`"
    )


def again(call: RecordedCall) -> Beside:
    """R asked again beside R in the script."""
    return Beside(call, SAME, AGAIN)


def model_rows(call: RecordedCall, model: Estimates, numbers: str) -> list[Agreement]:
    """Coefficients, each standard error, also where R has no estimate, and these numbers."""
    r, ours = standard_errors(call, model.names), model.bse()
    # gnm's constrained coefficient has the variance 0, and no estimate either.
    names = [n for n in coefficients(call, model.names) if r]
    own = {n: ours.get(n, np.nan) for n in names}
    own = {n: v for n, v in own.items() if v == v or r.get(n) != 0.0}
    errors = again(call).named("se", own, {n: r.get(n, np.nan) for n in own}, at("se", model.names))
    return [*again(call).coefficients(model, "coef"), *errors, *again(call).fields(model, numbers)]


REASON = (
    "it mixes cells of the table of patterns, not persons; fit_latent_classes has classes of persons, another"
    " model"
)


@translates("prefmod::pattnpml.fit")
def npml(call: RecordedCall, context: Context) -> Translation:
    """Latent classes of cells."""
    given = call.values.get("design")
    kept = call.frame("design")
    design = needed(given if isinstance(given, RList) else kept, "its design was not recorded")
    try:
        texts = [_npml_formula(call, "formula"), _npml_formula(call, "random") or "~1"]
        frame = frame_call(design, call.variable)
    except (FormulaError, InputError) as error:
        return outside(f"its table or formula has no plain form: {error}")
    k = tables.count(call, "k", 1)
    if k < 2:
        code = Call("pairproof.bridge.prefmod.fit_design", (texts[0], frame))
        reason = "with one class prefmod drops the random terms: a Poisson model of the table of patterns"

        r = again(call)
        judge: Judge = lambda model: [*r.coefficients(model, "coef"), *r.fields(model, "deviance")]
        return Translation("bridge", code, reason=reason, judge=judge)
    seed = needed(call.number("seed_used"), "the seed that it used was not recorded")
    options: dict[str, Any] = {
        "EMmaxit": tables.count(call, "EMmaxit", 500),
        "EMdev_change": float(tables.scalar(call, "EMdev.change", 0.001)),
        "seed": int(seed),
    }
    said = "R took the seed from the time of day; this script states the one of that run"
    notes = () if "seed" in call.values else (said,)
    code = Call("pairproof.bridge.prefmod.pattnpml_fit", (*texts, k, frame), options)
    return Translation("bridge", code, reason=REASON, notes=notes, judge=partial(npml_rows, call))


def _npml_formula(call: RecordedCall, argument: str) -> str:
    """A formula as it may go back to R: one line, checked; "" where it was not given."""
    value = call.values.get(argument)
    if not isinstance(value, RLang):
        return ""
    return checked(" ".join(value.text.split()), argument)


def npml_rows(call: RecordedCall, model: NPMLModel) -> Sequence[Agreement]:
    """Coefficients but those of the mass points, what the fit came to, and the masses."""
    every, beside, masses = named(call.vector("coef")), again(call), call.vector("pis")
    r = {n: v for n, v in every.items() if not n.startswith("z")} or every
    rows = beside.named("coef", model.params(), r, at("coef", model.names))
    rows += beside.fields(model, "disparity deviance loglik em_iter=iterations")
    return rows if masses is None else rows + beside.listed("mass", model.masses, masses.floats(), "masses")
