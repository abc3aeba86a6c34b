"""pattPC.fit, pattR.fit, pattL.fit and those of repeated answers: `fit_pattern`, and R's numbers beside; pattnpml.fit.

    pattPC.fit(d, 4, formel = ~SEX, elim = ~SEX)
    fit_pattern(read_respondents("data/d.csv", "pairs", items=[...], coding={...}, ...), by="SEX")

prefmod's own rules: models of what is missing (NItest, NI, MIScommon, MISalpha, MISbeta) put covariates
aside; MIScommon goes before MISalpha and MISbeta, these before NItest; MISbeta alone brings the same MISalpha
with it.

prefmod prints and stores the log-likelihood of the last point that its Hessian asked for, not of the maximum
(defect N1): with minus nlm's minimum the maxima are compared, and with the stored value what
`stored_log_likelihood` says of it. The log-likelihood of the saturated model, fl = sum over blocks of n log(n
/ n_block), is counted from the answers. Where numbers differ, the fit of the table as prefmod misreads it is
compared, too: if R's are those, the defect is named.

What `fit_pattern` refuses, and what prefmod does with no model behind it, stays in R: the same function through
`pairproof.bridge.prefmod`, on the same table.  R is asked again, and its numbers are compared with those of the
script: prefmod starts from zeros and draws nothing, so that they are the same to the last digits, whatever the
numbers are worth.

pattnpml.fit goes with the seed that it used.  It mixes cells of the table of patterns, those that nobody gave
among them, and not persons (defect B17), so that no model of `fit_latent_classes` has its likelihood. Its
seed is the time of day unless stated; the record has the one used. `tol` and `startp` have no effect in
prefmod. With one class it drops `random` and is a Poisson model of the table.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.prefmod.pattern_designs import NPMLModel
from ....bridge.values.formulas import checked
from ....bridge.values.nodes import RLang, RList, RVector
from ....data.wide import prefmod_pair_order
from ....errors import PairproofError, PairproofWarning
from ....fit.fit import Fit
from ....native.answers.pattern_models import fit_pattern
from ....native.prefmod_defects.defects_of_results import stored_log_likelihood
from ....validation.r_answers.translate import RParameters
from ....validation.r_answers.whole_answers import BY_NLM, by_r_name
from ..python_code import Call, File, columns_call, frame_call, stated
from ..recorded_answers import Bools, Declared, Floats, Ints, StaysInR, needed, options_of, stays_if
from ..rows import Beside, Rows, at, coefficients, differ, explained, named, of_fit, parameters
from ..translation import Context, Judge, Translation, bridged, in_r, made, outside, translates, tried
from . import prefmod_table as tables
from .prefmod_table import again, formula

#: Function -> what its answers are.
KINDS: dict[str, Literal["pairs", "ranks", "ratings"]] = {
    "pattPC.fit": "pairs",
    "pattR.fit": "ranks",
    "pattL.fit": "ratings",
    "pattRrep.fit": "ranks",
    "pattLrep.fit": "ratings",
    "llbtPC.fit": "pairs",
}
FUNCTIONS = tuple(f"prefmod::{name}" for name in KINDS if name.startswith("patt"))
#: Answers of a row at least, and what is said of one that has fewer.
FEWEST = dict(
    pairs=(1, "nothing answered"), ranks=(1, "nothing ranked"), ratings=(2, "fewer than two ratings")
)
#: The column that tells complete answers from others, which NItest compares.
INCOMPLETE = "incomplete"


# -- the model that a call asks for --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Asked:
    """A model of answers, and the table as it was given.

    ties, dependence, between_times: undec, ia, iaT.  complete_against_others: NItest.  alpha_of, beta_of: items
    or comparisons that have one, from 0; `beta_of` is empty without beta.  rows: those that prefmod uses.  notes: what
    is said of the others.
    """

    call: RecordedCall
    kind: Literal["pairs", "ranks", "ratings"]
    items: tuple[str, ...]
    table: tables.Given
    times: int = 1
    ties: bool = False
    dependence: bool = False
    between_times: bool = False
    complete_against_others: bool = False
    alpha: str = ""
    alpha_of: tuple[int, ...] = ()
    beta_of: tuple[int, ...] = ()
    covariates: tables.Covariates = field(default_factory=tables.Covariates)
    rows: Bools | None = None
    notes: tuple[str, ...] = ()

    @property
    def of_missing(self) -> bool:
        """Whether it is a model of what is missing, which takes no covariates."""
        return bool(self.alpha) or self.complete_against_others

    @property
    def used(self) -> tables.Given:
        """The table with the rows that prefmod uses."""
        return self.table if self.rows is None else replace(self.table, values=self.table.values[self.rows])


def _mask(value: RVector) -> list[bool] | None:
    found = list(map(bool, value.values.tolist())) if value.values.dtype.kind in "bif" else []
    return found if any(found) else None


#: Asked, or more of a function.
A = TypeVar("A", bound=Asked)
#: Arguments of patt*.fit, and prefmod's defaults.
ARGUMENTS: Declared = {
    **{"undec": (bool, True), "ia": (bool, False), "iaT": (bool, False), "NItest": (bool, False)},
    **{"NI": (bool, False), "MIScommon": (bool, False), "MISmodel": (str, "obj")},
    **{"MISalpha": (_mask, None), "MISbeta": (_mask, None)},
}


def given(call: RecordedCall) -> dict[str, Any]:
    """Those that are not prefmod's defaults; rankings have no ties."""
    found = options_of(ARGUMENTS, call.values.get)
    return {n: v for n, v in found.items() if n != "undec" or KINDS[call.name] != "ranks"}


def asked(call: RecordedCall, of_function: type[A]) -> A:
    """The model of a call, without its covariates."""
    call = tables.understood(call)
    kind, said, n = KINDS[call.name], given(call), tables.number_of_items(call)
    times = max(int(call.real("tpoints", 1.0)), 1)
    table = tables.given(call, n * (n - 1) // 2 if kind == "pairs" else n * times)
    # Names: obj.names, else the columns of ranks and ratings, else o1, o2, ...
    texts = tables.texts(call, "obj.names")
    names = texts[:n] if len(texts) >= n * times else table.names[:n]
    if kind == "pairs":
        names = tables.names_of_items(call, n)
    of = {"dependence": "ia" in said, "between_times": "iaT" in said, **_of_missing(call, said)}
    return of_function(call, kind, tuple(names), table, times, kind != "ranks" and "undec" not in said, **of)


def _of_missing(call: RecordedCall, said: Mapping[str, Any]) -> dict[str, Any]:
    of_pairs, alpha, beta = call.name == "pattPC.fit", said.get("MISalpha", []), said.get("MISbeta", [])
    if of_pairs and "MIScommon" in said:
        return {"alpha": "common"}
    if of_pairs and (alpha or beta):
        places = {"alpha_of": alpha or beta, "beta_of": beta}
        chosen = {name: tuple(np.flatnonzero(mask).tolist()) for name, mask in places.items()}
        return {"alpha": "comparison" if said.get("MISmodel") == "comp" else "item", **chosen}
    others = "NItest" in said
    alpha = "none" if of_pairs and "NI" in said and not others else ""
    return {"complete_against_others": others, "alpha": alpha}


def read(model: Asked) -> Asked:
    """The model with its covariates and the rows that prefmod uses, in prefmod's order of leaving rows out."""
    table, found = model.table, tables.covariates(model.call, model.table)
    least, why = FEWEST[model.kind]
    rows = tables.answered(table, least)
    notes = tables.left_out(~rows, why)
    if model.kind == "ranks":
        tied = _removed_for_ties(model)
        rows, notes = rows & ~tied, (*notes, *tables.left_out(tied & rows, "equal ranks"))
    missing = rows & ~tables.with_covariates(table, found.all)
    notes += tables.left_out(missing, f"no value of {' or '.join(found.all)}")
    if model.of_missing and found.all:
        notes += ("prefmod ignores covariates when it models missing answers",)
    own = tables.Covariates() if model.of_missing else found
    return replace(model, covariates=own, rows=np.asarray(rows & ~missing), notes=notes)


def _most_alike(answers: Floats) -> Ints:
    """int[n_rows]: how often the most frequent rank of a row occurs."""
    rows = (np.unique(row[~np.isnan(row)], return_counts=True)[1] for row in answers)
    return np.array([max(n, default=0) for n in rows])


def _removed_for_ties(model: Asked) -> Bools:
    """bool[n_rows]: rows with a rank that occurs oftener than there are times, which prefmod leaves out."""
    return np.asarray(_most_alike(model.table.answers) > model.times)


def _check(model: Asked) -> None:
    """Whether Python has the model."""
    table, found = model.used, model.covariates
    tables.check_covariates(found, table)
    beyond = sorted(set(found.formel) - set(found.table))
    shown = ":".join(beyond[0]) if beyond else ""
    ranks = model.kind == "ranks"
    removed = _removed_for_ties(model) if ranks else np.zeros(1, bool)
    times = np.split(model.table.answers, model.times, axis=1) if ranks else []
    tied = np.any([_most_alike(of) > 1 for of in times], axis=0)
    unranked = removed.any() and not tables.answered(model.table).all()
    complete = (~np.isnan(table.answers)).all(axis=1).any()
    stays_if(beyond, f"{shown} is in formel but not in elim, so prefmod leaves it out of the model or stops")
    why = "dependences of comparisons make no sense for rankings, as prefmod itself says"
    stays_if(ranks and model.dependence, why)
    why = 'MISmodel = "comp" gives zeros for comparisons beyond the number of items'
    stays_if(model.alpha == "comparison" and len(model.items) > 3, why)
    why = "prefmod counts equal ranks as missing comparisons when no rank occurs more often than there are time points"
    stays_if(ranks and (tied & ~removed).any(), why)
    why = "rows without ranks beside rows with equal ranks give persons other persons' covariates (defect B5)"
    stays_if(ranks and found.all and unranked, why)
    why = "every comparison has only one answer, so no estimate is finite"
    stays_if(model.kind == "pairs" and tables.unanimous(table.answers), why)
    why = "no row is complete, and prefmod treats its first missingness pattern as the complete one"
    stays_if(model.complete_against_others and not complete, why)


# -- what is written -----------------------------------------------------------------------------------------


@translates(*FUNCTIONS)
def pattern(call: RecordedCall, context: Context) -> Translation:
    """`fit_pattern(pairproof.read_respondents(...), ...)`."""
    model = read(asked(call, Asked))
    _check(model)
    code = whole = _code(model)
    fit = made(code)
    with contextlib.suppress(StaysInR):
        whole = _code(replace(model, rows=None))
    return Translation("native", code, notes=(*model.notes, *_notes(model)), judge=_judged(model, fit, whole))


def _code(model: Asked) -> Call:
    table, found, pairs = model.used, model.covariates, model.kind == "pairs"
    columns, reading = table.written(found.all), dict[str, Any](items=list(model.items))
    ties = model.kind == "ratings"
    if pairs:
        coding = tables.coding_of(table.answers)
        ties = "tie" in coding
        reading |= {"pair_order": "prefmod", "coding": coding}
    else:
        answers = list(table.names[: table.n_answers])
        reading |= stated(
            times=model.times > 1 and [str(t + 1) for t in range(model.times)],
            answers=answers != list(model.items) and answers,
            unranked=model.kind == "ranks" and np.isnan(table.answers).any() and "below",
        )
        reading |= {"scale": _scale(table), "best": "low"} if ties else {}
    if model.complete_against_others:
        columns[INCOMPLETE] = ["yes" if m else "no" for m in np.asarray(np.isnan(table.answers).any(axis=1))]
        reading["levels"] = {INCOMPLETE: ["no", "yes"]}
    else:
        reading |= stated(levels=found.levels(table))
    arguments, reader = (File(columns, model.call.variable), model.kind), "pairproof.read_respondents"
    read_in = tables.read_pairs(reader, arguments, reading) if pairs else Call(reader, arguments, reading)
    names = list(model.items)
    if model.alpha != "item":
        names = [f"{names[i]}:{names[j]}" for i, j in prefmod_pair_order(len(names))]
    of_cell = INCOMPLETE if model.complete_against_others else "" if model.alpha else found.by
    options = stated(
        ties=ties and not model.ties and "none",
        by=of_cell,
        dependence=model.dependence,
        between_times=model.between_times,
        cells=found.cells,
        alpha=model.alpha,
        alpha_of=len(model.alpha_of) < len(names) and [names[k] for k in model.alpha_of],
        beta=model.beta_of and ("coded" if model.alpha == "item" else "comparison"),
        beta_of=len(model.beta_of) < len(names) and [names[k] for k in model.beta_of],
    )
    return Call("pairproof.fit_pattern", (read_in,), options)


def _scale(table: tables.Given) -> str:
    """The scale as the reader has it: from the smallest to the largest rating that occurs."""
    known = table.answers[~np.isnan(table.answers)]
    low, high = float(known.min()), float(known.max())
    broken = low == high or (known != np.floor(known)).any()
    stays_if(broken, "its ratings are not whole numbers, or are all the same")
    return f"{int(low)}-{int(high)}"


OF_SCALE = "the scale is {}, from the smallest to the largest rating that occurs, as prefmod takes it; state the scale of your instrument if it has more points"
OF_BETA = 'MISbeta of items is not the model of its help page: prefmod multiplies the missingness of item i by the answer to comparison i, which beta="coded" reproduces (defect B3)'


def _notes(model: Asked) -> Sequence[str]:
    table, notes = model.used, list[str]()
    if model.kind == "ratings":
        notes.append(OF_SCALE.format(_scale(table)))
    if model.kind == "ranks" and np.isnan(table.answers).any():
        notes.append("an item without a rank counts as below all ranked items, as in prefmod")
    if model.beta_of and model.alpha == "item":
        notes.append(OF_BETA)
    return notes


# -- R's numbers beside ours ---------------------------------------------------------------------------------

#: The log-likelihood that prefmod stores lies beside the maximum by a second-order term; what is left of it
#: are terms of the third order, and what nlm's own stop adds: observed 8.3 digits and more.
STORED = 7.5
WHY_STORED = (
    "the last point of the Hessian, by a second-order term; nlm's tolerance and the third order remain"
)


@dataclass(frozen=True, eq=False)
class OfR:
    """R's numbers of a pattern fit, its parameters under the names of the fit."""

    call: RecordedCall
    p: RParameters

    @property
    def without(self) -> list[str]:
        """Parameters of which the inverse Hessian has no variance, so that prefmod prints no standard error."""
        with np.errstate(invalid="ignore"):
            known = np.diag(self.p.vcov) > 0
        return [name for name, k in zip(self.p.names, known) if not k]

    def rows(self, fit: Fit) -> Rows:
        """R's numbers beside those of a fit."""
        call, p = self.call, self.p
        least, code = call.number("minimum"), call.number("code")
        renamed = [f"{a} is {b}" for a, b in zip(coefficients(call), p.names) if a != b]
        said = (
            f"{', '.join(renamed[:8])}{', ...' if len(renamed) > 8 else ''}",
            "nlm stops at a gradient of 1e-6",
        )
        of_beta = "MISbeta, " if any(n.startswith("beta:") for n in p.names) else ""
        name, lost = f"{call.function}, {of_beta}{BY_NLM}", [f"se.{name}" for name in self.without]
        values, arrived = {} if least is None else {"llf": -least}, code in (1, 2, None)
        rows = of_fit(call, fit, p, values, *said, name=name, lost=lost, arrived=arrived)
        stored = call.number("ll") if "ll" in call.result else call.number("loglik")
        if stored is not None:
            rows.append(Beside(call, STORED, WHY_STORED).row("ll", stored_log_likelihood(fit), stored))
        return rows


def _judged(model: Asked, fitted: Fit, whole: Call) -> Judge:
    """How a fit is compared with R; `whole`: with all rows, which prefmod's defects are of."""
    own, free = _own_names(fitted, model), int((~fitted.is_reference).sum())
    r = OfR(model.call, parameters(model.call, own, "lambda", model.items[-1]))
    # Ties that prefmod counts as losses (B1) leave no parameter U.
    other = len(r.p.names) < free and _misread(r, whole) is None
    stays_if(other, f"prefmod has {len(r.p.names)} parameters where its arguments ask for {free}")
    saturated = {} if model.alpha else {"fl": saturated_of(fitted, model)}

    def judge(fit: Any) -> Rows:
        rows = r.rows(fit) + Beside(r.call, why="a sum over the same counts").numbers(**saturated)
        rows = _flat(rows, r) if differ(rows) else rows
        return _by_defect(r, whole, rows) if differ(rows) else rows

    return judge


def _own_names(fit: Fit, model: Asked) -> dict[str, str]:
    """The fit's parameter for each of R's coefficients, by the names that prefmod prints."""
    labels = model.table.names if model.times > 1 else model.items
    covariates = {tables.written_name(n): n for n in model.covariates.all} | {INCOMPLETE: "mis."}
    test, names = model.complete_against_others, coefficients(model.call)
    shown = {n: f"{n[4:]}:mis.2" if test and n.startswith("mis.") else n for n in names}
    own = by_r_name(fit, [*shown.values()], covariates, labels)
    stays_if(not shown, "prefmod's print of it stops, so its coefficients have no names")
    return {n: needed(own.get(v), f"the Python model has no parameter {n}") for n, v in shown.items()}


def saturated_of(fit: Fit, model: Asked) -> float:
    """fl: the log-likelihood of free probabilities within blocks, covariates by what was answered."""
    answers = fit.respondents.pair_answers.reshape(fit.respondents.n_rows, -1)
    groups = [] if model.of_missing else [model.used.column(n) for n in model.covariates.in_table]
    blocks = np.column_stack([(answers == 9).astype(np.int64), *(g.astype(np.int64) for g in groups)])
    cells, n = np.unique(np.column_stack([blocks, answers]), axis=0, return_counts=True)
    _, block = np.unique(cells[:, : blocks.shape[1]], axis=0, return_inverse=True)
    of_block = np.bincount(block.ravel(), n)
    return float(n.astype(float) @ np.log(n / of_block[block.ravel()]))


def _flat(rows: Rows, r: OfR) -> Rows:
    """Estimates without an error in R lie on a flat direction: explained where the likelihoods agree."""
    if not r.without or not any(a.verdict == "agrees" and str(a.quantity) in ("llf", "ll") for a in rows):
        return rows
    why = "R is wrong here: its Hessian has no positive variance, so it prints NaN for the standard error, and the estimate is the point where nlm stopped in a flat direction; both log-likelihoods agree"
    flat = [f"{what}.{name}" for name in r.without for what in ("estimate", "se")]
    return explained(rows, flat, why, "A13-stopped-on-a-flat-direction")


def _by_defect(r: OfR, code: Call, rows: Rows) -> Rows:
    """The rows, those that differ explained by prefmod's defects if a fit with them has R's numbers."""
    as_r = _misread(r, code)
    said = None if as_r is None else next((w for w in as_r.warnings if w.kind == "as-prefmod"), None)
    if said is None:
        return rows
    # "B1-ties-as-losses: 3 ties became ..."
    what = str(said).partition("with its defects ")[2].partition(". Without compat")[0]
    why = f"R is wrong here, by prefmod's {what}; its numbers are those of the misread table"
    return explained(rows, None, why, what.partition(":")[0])


def _misread(r: OfR, whole: Call) -> Fit | None:
    """The fit of the table with all defects that prefmod shows on it, if R's numbers are of that."""
    table, _ = tried(whole.arguments[0])
    options = {k: v for k, v in whole.keywords.items() if k != "ties"}
    if table is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PairproofWarning)
            as_r = fit_pattern(table, compat="prefmod", **options)
    except PairproofError:
        return None
    return as_r if set(r.p.names) <= set(as_r.names) and not differ(r.rows(as_r)) else None


# -- in R ----------------------------------------------------------------------------------------------------


@in_r(*FUNCTIONS, "prefmod::llbtPC.fit")
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """patt*.fit and llbtPC.fit in R; llbtPC.fit on all columns, since it leaves rows out for any of them."""
    model, llbt = asked(call, Asked), call.name == "llbtPC.fit"
    call = model.call
    found = tables.covariates(call, model.table)
    if {*found.in_model} - {*found.in_table} and not llbt:
        return outside(why)
    if call.name == "pattRrep.fit" and model.dependence:
        return outside("pattRrep.fit has no dependence within a time point; R stops")
    # The bridge refuses what llbtPC.fit drops without a word, so it is asked for the model that was fitted.
    formel = [p for p in found.formel if set(p) <= {*found.in_table}]
    of_all = model.table.names[model.table.n_answers :] if llbt else found.all
    used = () if model.of_missing else of_all
    options = stated(formel=used and formula(formel), elim=used and formula(found.elim))
    options |= stated(obj_names=list(tables.texts(call, "obj.names")))
    sizes = [len(model.items), *([model.times] if model.times > 1 else [])]
    arguments = [columns_call(model.table.written(used), call.variable), *sizes]
    numbers = "deviance df_residual loglik" if llbt else "ll fl code"
    judge: Judge = lambda model: again(call).model(model, numbers)
    return bridged(why, f"prefmod.{call.name.replace('.', '_')}", arguments, options | given(call), judge)


REASON = "it mixes cells of the table of patterns, not persons; fit_latent_classes fits classes of persons, a different model"


@translates("prefmod::pattnpml.fit")
def npml(call: RecordedCall, context: Context) -> Translation:
    """Latent classes of cells."""
    argument = call.values.get("design")
    kept = argument if isinstance(argument, RList) else call.frame("design")
    design, k = needed(kept, "its design was not recorded"), int(call.real("k", 1.0))
    texts = [_npml_formula(call, "formula"), _npml_formula(call, "random") or "~1"]
    frame = frame_call(design, call.variable)
    if k < 2:
        reason = "with one class prefmod drops the random terms: a Poisson model of the table of patterns"
        r = again(call)
        judge: Judge = lambda model: [*r.coefficients(model, "coef"), *r.fields(model, "deviance")]
        return bridged(reason, "prefmod.fit_design", [texts[0], frame], {}, judge)
    seed = needed(call.number("seed_used"), "the seed that it used was not recorded")
    most, change = int(call.real("EMmaxit", 500.0)), call.real("EMdev.change", 0.001)
    options = {"EMmaxit": most, "EMdev_change": change, "seed": int(seed)}
    said = "R took the seed from the time of day; this script uses the seed of that run"
    notes = () if "seed" in call.values else (said,)
    found = bridged(REASON, "prefmod.pattnpml_fit", [*texts, k, frame], options, partial(npml_rows, call))
    return replace(found, notes=notes)


def _npml_formula(call: RecordedCall, argument: str) -> str:
    """A formula as it may go back to R: one line, checked; "" where it was not given."""
    value = call.values.get(argument)
    return checked(" ".join(value.text.split()), argument) if isinstance(value, RLang) else ""


def npml_rows(call: RecordedCall, model: NPMLModel) -> Rows:
    """Coefficients but those of the mass points, what the fit came to, and the masses."""
    every, beside, masses = named(call.vector("coef")), again(call), call.vector("pis")
    r = {n: v for n, v in every.items() if not n.startswith("z")} or every
    rows = beside.named("coef", model.params(), r, at("coef", model.names))
    rows += beside.fields(model, "disparity deviance loglik em_iter=iterations")
    return rows if masses is None else rows + beside.listed("mass", model.masses, masses.floats(), "masses")
