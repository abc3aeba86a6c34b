"""PlackettLuce's PlackettLuce, itempar and pladmm in Python.

Log worths less that of the first item, and log prevalences of ties, are the same parameters in both.  R adds
pseudo-rankings unless told not to (`npseudo = 0.5`): the Python call says so, `pseudo=0.5`, and that standard
errors are R's, of the rankings alone at estimates that the pseudo-rankings have moved, `errors="rankings"`.
A prior of the worths and adherence of rankers stay in R.

pladmm's log worths are a sum of item covariates, X beta with X the model matrix of its formula without the
constant, which `fit_plackett_luce(item_terms=...)` maximises to the end; pladmm stops when worths change by
less than 1e-4.

itempar, of PlackettLuce and of psychotools: a fit of Python has the worths as `m.worth()`, and log worths around their
mean or less one item's as `m.with_reference(...).params`; worths relative to chosen items, and those of models that R
fitted, are R's through the bridge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.plackettluce import CovariateWorths, PlackettLuceModel
from ...bridge.packages.psychotools import ItemParameters
from ...bridge.values.nodes import RList, RVector
from ...fit.fit import Fit
from . import recorded_answers as answers
from .python_code import Call, File, Method, Result, attribute, columns_call, stated
from .recorded_answers import needed, stays_if
from .rows import Beside, Rows, count_rows, llf_and_aic, named, of_fit, parameters, standard_errors
from .translation import IN_R, Context, Translation, bridged, in_r, stays_unless_finite, translates

PLACKETT_LUCE = "PlackettLuce::PlackettLuce"
DEFAULT = f"{PLACKETT_LUCE}, default epsilon"
NOT_CONVERGED = "have not converged"
#: R's defaults.
NPSEUDO, MAXIT = 0.5, (500, 10)


def _both(maxit: RVector) -> tuple[int, ...]:
    numbers = [int(v) for v in maxit.floats().ravel().tolist()]
    return (*numbers[:2], *MAXIT[len(numbers) :])


#: How R may be told to iterate.
STOPPING: answers.Declared = {
    "method": (str, "iterative scaling"),
    "epsilon": (float, 1e-7),
    "steffensen": (float, 0.1),
    "maxit": (_both, MAXIT),
}
#: Shape and rate of `gamma = TRUE`.
GAMMA = (10.0, 10.0)
#: Why few digits agree where R stopped at its default.
STOP = "PlackettLuce stops when the sufficient statistics are within 1e-7 of their expectations"
#: Digits asked for there; observed 7.2 or more of log worths, 8.3 of worths, 8.7 of standard errors.
LEAST = 5.0
#: Of models with adherence, which R finds by turns with the worths; observed 10.5 or more.
ALTERNATING = 6.0
WHY_ALTERNATING = "worths and adherence are updated in turn until neither changes by more than R's tolerance"


@translates(PLACKETT_LUCE)
def plackett_luce(call: RecordedCall, context: Context) -> Translation:
    """`fit_plackett_luce(pairproof.read_respondents(..., layout="ranks"), pseudo=)`, or R."""
    data, pseudo = _data(call), call.real("npseudo", NPSEUDO)
    ties, coefficients = call.vector("ties"), named(call.vector("coef"))
    of_rankers, normal = answers.recorded(call, "gamma", "adherence"), answers.recorded(call, "normal")
    unknown_worths = not coefficients or any(np.isnan(v) for v in coefficients.values())
    never_alone = ties is not None and len(ties) and ties.floats()[0] != 1.0
    stays_if(of_rankers is not None, "adherence of rankers is only in R")
    prior = "it has a normal prior for the log worths, and R's numbers are the posterior mode"
    stays_if(normal is not None, prior)
    stays_if(never_alone, "no item was ever ranked alone, so R's choices are only among tied groups")
    stays_if(unknown_worths, "some worths are not estimable, which R reports as NA")
    options = stated(pseudo=pseudo or None, errors="rankings" if pseudo else None)
    code = Call("pairproof.fit_plackett_luce", (data.code(call.variable),), options)
    stays_unless_finite(code, "Python refuses, where R stops somewhere")
    said = f"R adds {pseudo:g} wins and {pseudo:g} losses of every item against a hypothetical item"
    said += "" if "npseudo" in call.args else " unless told not to"
    errors = 'Its standard errors leave these out, as errors="rankings" does; without it they are of what was maximised.'
    notes = (f"{said}; so does pseudo={pseudo:g}.", errors) if pseudo else ()
    return Translation("native", code, notes=notes, judge=partial(_rows, call, data))


def _rankings(call: RecordedCall) -> answers.Rankings | None:
    return answers.rankings_of(answers.recorded(call, "rankings"), answers.recorded_vector(call, "weights"))


def _data(call: RecordedCall) -> answers.Rankings:
    answers.all_known(call, "normal", "gamma", "adherence", "npseudo")
    found = needed(_rankings(call), lost := "its rankings could not be recorded")
    stays_if(not len(found.ranks), lost)
    return found


def _rows(call: RecordedCall, data: answers.Rankings, fit: Fit) -> Rows:
    names = [n for n in named(call.vector("coef")) if n != data.items[0]]
    known, rank = parameters(call, {n: n for n in names}, "log-odds", data.items[0]), call.number("loglik_df")
    without = bool(np.isnan(known.vcov).any())
    values = llf_and_aic(call.number("loglik"), len(names) if rank is None else int(rank))
    said = ["its vcov returned no numbers"] if without else []
    arrived = False if any(NOT_CONVERGED in message for message, _ in call.warnings) else None
    rows = of_fit(call, fit, known, values, *said, name=DEFAULT, errors=not without, arrived=arrived)
    return rows + count_rows(call, fit)


# -- the bridge ----------------------------------------------------------------------------------------------


@in_r(PLACKETT_LUCE)
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    data, options = _data(call), answers.options_of({"npseudo": (float, NPSEUDO)}, call.values.get)
    options |= stated(weights=data.weights is not None and data.weights.tolist())
    options |= answers.options_of(STOPPING, call.values.get)
    options |= stated(group=_groups(call), normal=_prior(call))
    gamma, adherence = answers.recorded(call, "gamma"), call.argument("adherence")
    if isinstance(gamma, RList) and {"shape", "rate"} <= set(gamma.names or ()):
        options["gamma"] = (float(gamma.vector("shape").floats()[0]), float(gamma.vector("rate").floats()[0]))
    elif call.flag("gamma"):
        options["gamma"] = GAMMA
    elif adherence is not None:
        options["adherence"] = adherence.floats().tolist()
    arguments, judge = [data.frame_code(call.variable)], partial(_bridge_rows, call)
    return bridged(why, "plackettluce.PlackettLuce", arguments, options, judge)


def _prior(call: RecordedCall) -> tuple[list[float], list[list[float]]] | None:
    """Mean and covariance of the prior: as given, else from the inverse that the fit keeps."""
    given, kept = call.values.get("normal"), call.result.get("normal")
    for held, name in ((given, "Sigma"), (kept, "invSigma")):
        if isinstance(held, RList) and {"mu", name} <= set(held.names or ()):
            matrix = held.vector(name).floats()
            covariance = matrix if name == "Sigma" else np.linalg.inv(matrix)
            return held.vector("mu").floats().ravel().tolist(), covariance.tolist()
    return None


def _groups(call: RecordedCall) -> list[int]:
    """The ranker of each ranking, where they were given in groups; [] else."""
    index: Any = call.vector("ranker")
    given = call.values.get("rankings")
    if index is None and isinstance(given, RVector) and "grouped_rankings" in given.rclass:
        index = given.attributes.get("index")
    return [int(v) for v in index.floats()] if isinstance(index, RVector) else []


def _bridge_rows(call: RecordedCall, model: PlackettLuceModel) -> Rows:
    by_turns = answers.recorded(call, "adherence") is not None
    kept = answers.recorded_vector(call, "adherence")
    r = Beside(call, ALTERNATING, WHY_ALTERNATING) if by_turns else Beside(call)
    rows = r.coefficients(model)
    if (errors := standard_errors(call)) and not model.vcov_error:
        rows += r.array("se", model, errors, "se")
    rows += r.fields(model, "llf")
    if kept is not None and model.adherence is not None:
        rows += r.listed("adherence", model.adherence, kept.floats(), "adherence")
    return rows


# -- worths --------------------------------------------------------------------------------------------------

CHOSEN = "Python has no function for worths relative to chosen items; m.worth() and m.contrast() return their components"


@dataclass(frozen=True)
class Worths:
    """itempar of a package's models; package: its module in the bridge.

    fitted: R's function in rows.  least, of_errors: digits of worths and of their standard errors, and why so many.
    """

    package: str
    fitted: str
    least: float
    of_errors: float
    why: str

    def of(self, call: RecordedCall, context: Context) -> Translation:
        """Worths of a fit in Python, or R's."""
        made = context.fit(call, next(iter(call.fits), "object"))
        found = needed(answers.recorded_vector(call, "value"), "its value was not recorded")
        answers.all_known(call, "ref", "log")
        log, r = call.flag("log"), named(found)
        chosen, size = chosen_items(call, [*r]), max(map(abs, r.values()), default=0.0)
        beside, errors = (Beside(call, n, self.why, self.fitted) for n in (self.least, self.of_errors))
        fit, native = Result(made.call.id), isinstance(made.value, Fit)

        def of_params(params: Any) -> Rows:
            ours = {str(n): v for n, v in params.items() if n in r}
            return beside.named("estimate", ours, r, {n: n for n in ours}, size)

        def of_table(table: Any) -> Rows:
            rows, spread = beside.columns(table, {"worth": r}, {}, size), found.attributes.get("vcov")
            if not isinstance(spread, RVector) or spread.values.ndim != 2 or np.isnan(spread.floats()).all():
                return rows
            theirs = dict(zip(r, np.sqrt(np.diag(spread.floats())).tolist()))
            return rows + errors.columns(table, {"se": theirs}, {"se": "worth_se"})

        def of_r(value: ItemParameters) -> Rows:
            return Beside(call).columns(value, {"estimate": r}, {"estimate": "estimate" if log else "worth"})

        if native and log and (chosen is None or len(chosen) == 1):
            moved = Method(fit, "with_reference", ("sum" if chosen is None else chosen[0],))
            return Translation("native", attribute(moved, "params"), judge=of_params)
        if native and chosen is None:
            return Translation("native", Method(fit, "worth"), judge=of_table)
        model = IN_R[made.call.function](made.call, context, CHOSEN).code if native else fit
        why = CHOSEN if native else "its model was fitted through the bridge"
        return bridged(why, f"{self.package}.itempar", [model], stated(ref=list(chosen or ()), log=log), of_r)


def chosen_items(call: RecordedCall, items: Sequence[str]) -> tuple[str, ...] | None:
    """Items given as `ref`, by name or number; None: all."""
    given = call.argument("ref")
    if given is None:
        return None
    known = [v if isinstance(v, str) else items[int(v) - 1] for v in given.values.ravel().tolist()]
    return None if set(known) == set(items) else tuple(known)


WORTHS = Worths("plackettluce", DEFAULT, LEAST, LEAST, STOP)
translates("PlackettLuce::itempar.PlackettLuce", "PlackettLuce::itempar")(WORTHS.of)
PLADMM = "PlackettLuce::pladmm"
INTERCEPT = "(Intercept)"
ITERATING: answers.Declared = {"rho": (float, 1.0), "n_iter": (int, 500), "rtol": (float, 1e-4)}


def _explained_worths(call: RecordedCall) -> tuple[answers.Rankings, dict[str, list[float]]]:
    """Rankings, and item covariates by R's names."""
    lost = "its rankings or its item covariates were not recorded"
    data, x = needed(_rankings(call), lost), needed(call.matrix("x"), lost)
    stays_if(not x.margin(1), lost)
    found = {n: v for n, v in zip(x.margin(1), x.floats().T.tolist()) if n != INTERCEPT}
    stays_if(not found or len(x.values) != len(data.items), "it has no item covariates")
    return data, found


@translates(PLADMM)
def pladmm(call: RecordedCall, context: Context) -> Translation:
    """`fit_plackett_luce(pairproof.read_respondents(..., item_data=), item_terms=[...])`, or R."""
    data, covariates = _explained_worths(call)
    stays_if(data.tied, "pladmm has no ties: it silently ranks tied items in the order of their columns")
    taken = {*data.items, "item", answers.WEIGHT}
    own = all(re.match(r"[A-Za-z_][A-Za-z0-9_]*\Z", n) and n not in taken for n in covariates)
    names = {n: n if own else f"x{k + 1}" for k, n in enumerate(covariates)}
    columns, table = {names[n]: v for n, v in covariates.items()}, data.code(call.variable)
    items = File({"item": list(data.items), **columns}, f"{call.variable}_items")
    read = Call(table.function, table.arguments, {**table.keywords, "item_data": items})
    code = Call("pairproof.fit_plackett_luce", (read,), {"item_terms": list(columns)})
    stays_unless_finite(code, "Python refuses")
    notes = tuple(f"{ours} is {r}." for r, ours in names.items() if ours != r)

    def judge(fit: Fit) -> Rows:
        known = parameters(call, names, "log-odds", "")
        said = "its (Intercept) makes the worths sum to 1 and has no equivalent"
        errors = not np.isnan(known.vcov).any()
        rows = of_fit(call, fit, known, llf_and_aic(_last(call), len(known.names)), said, errors=errors)
        return rows + count_rows(call, fit)

    return Translation("native", code, notes=notes, judge=judge)


def _last(call: RecordedCall) -> float | None:
    """The log-likelihood; recorded as the path of the iterations, its last value."""
    found = call.vector("loglik")
    return None if found is None or not len(found) else float(found.floats().ravel()[-1])


@in_r(PLADMM)
def _pladmm_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    data, covariates = _explained_worths(call)
    options = stated(weights=data.weights is not None and data.weights.tolist())
    options |= answers.options_of(ITERATING, call.values.get)
    arguments = data.frame_code(call.variable), columns_call(covariates, f"{call.variable}_items")

    def judge(model: CovariateWorths) -> Rows:
        r = {n: v for n, v in named(call.vector("coef")).items() if n != INTERCEPT}
        beside, llf = Beside(call, function=PLADMM), _last(call)
        own = [] if llf is None else [beside.row("llf", model.loglik, llf, place="loglik")]
        return beside.array("estimate", model, r) + own

    return bridged(why, "plackettluce.pladmm", arguments, options, judge)
