"""R's answers for models of whole answers: pattern models, and Plackett and Luce's.

=====================================  ==========================================================================
R call                                 answers
=====================================  ==========================================================================
``base R, every answer listed``        every model whose possible answers can be listed: the independent optimum
``stats::glm, refitted``               pattern models of comparisons that do not depend on each other
``prefmod::pattPC.fit`` ... ``Rrep``   pattern models with categorical covariates, as prefmod detects the categories
``PlackettLuce::PlackettLuce``         Plackett and Luce's model of full rankings and those with absent items
``survival::coxph``                    the same without ties; the best k of the items that were presented
=====================================  ==========================================================================

Where R has no such model a row says so.  prefmod stops where its `nlm` does, so that its floors are its own;
what it defines otherwise (blocks of partial rankings, its scale of ratings) is named and not compared.

The independent optimum is Newton's method in base R on the list of all possible answers.  prefmod takes the
categories of comparisons and the range of a rating scale from the answers it meets, and silently fits another
model where these are not all there; then it is not asked, and the row names the reason.  Its log-likelihood
is minus nlm's minimum here, not the value that it stores, and its deviance follows from that; it gives no df.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import comb, factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...bridge.packages import plackettluce, survival
from ...bridge.packages.prefmod import pattern_models
from ...bridge.packages.prefmod.pattern_models import PatternModel
from ...bridge.process.policy import Backend
from ...bridge.programs.answer_script import enumerated, inputs_of, why_not
from ...bridge.programs.counted_cells import count
from ...data.columns import Factor
from ...data.respondents.codes import ABSENT, BELOW, MISSING, UNRATED
from ...data.respondents.pairs_and_ratings import to_prefmod
from ...data.respondents.respondents import Respondents
from ...data.wide import prefmod_pair_order
from ...errors import InputError
from ...fit.estimates.specification import Scale, Term
from ...fit.fit import Fit
from ...native.prefmod_defects.defects_of_input import function_of
from ...numerics.arrays import FloatArray
from ..claims.quantities import kind_of
from ..verdicts.agreement import RCounterpart
from .ask import (
    AnswerQuestion,
    Question,
    answered,
    attempt,
    attempt_unless,
    first_reason,
    with_rounding,
    without_model,
)
from .loglinear import glm_counterpart
from .translate import RParameters, likelihood_values, parameter_values, worth_values

if TYPE_CHECKING:
    import pandas as pd


ENUMERATED = "base R, every answer listed"
#: Of the score at the end: what rounding leaves of sums of some thousand persons.
AT_MAXIMUM = 1e-7


def enumerated_counterpart(question: AnswerQuestion) -> RCounterpart:
    """The maximum that base R reaches by itself."""
    refusal = why_not(question.fit)
    return attempt_unless(refusal and f"not asked: {refusal}", ENUMERATED, _ask_enumerated, question)


def _ask_enumerated(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    given = inputs_of(fit)
    found = enumerated(given, backend=question.backend)
    scale: Scale = "log-odds" if fit.spec.family == "plackett-luce" else "lambda"
    kept = [k for k, name in enumerate(found.names) if name in fit.names]
    names = tuple(found.names[k] for k in kept)
    own = RParameters(names, found.coef[kept], found.vcov[kept][:, kept], scale, given.reference)
    values = {**parameter_values(fit, own, tests=True), **worth_values(fit, own)}
    values.update(likelihood_values(found.llf, len(kept)))
    if not fit.spec.cells:
        values.update(deviance=found.deviance, df_resid=found.df)
    how = "its choices" if given.scalars["kind"] == "choices" else "all that could be answered"
    said = [
        f"Newton's method from zeros, {found.iterations} steps, on a list of {how}, as fit.to_r() writes it"
    ]
    said += ["with pseudo-comparisons, which its llf leaves out"] * bool(fit.of_answers.pseudo)
    said += ["deviance and df are for the model's groups of persons and not compared"] * bool(fit.spec.cells)
    return answered(ENUMERATED, found.result, values, *said, flag=found.largest_score <= AT_MAXIMUM)


def comparisons_by_glm(question: AnswerQuestion) -> RCounterpart | None:
    """R's glm of the single comparisons; None where answers to them depend on each other."""
    fit, spec = question.fit, question.fit.of_answers
    independent = not (spec.dependence or spec.alpha or spec.beta or spec.answer_ties == "by-pair")
    if spec.asked != "comparisons" or spec.classes > 1 or not independent:
        return None
    answer = glm_counterpart(Question(fit, count(fit), question.backend))
    if answer is None:
        return None
    kept = {q: v for q, v in answer.values.items() if kind_of(q) not in ("deviance", "df_resid")}
    said = "single comparisons: without dependence the model is their LLBT; deviance and df refer to cells and are not compared"
    return replace(answer, values=kept, note="; ".join(filter(None, (answer.note, said))))


#: Patterns x blocks x parameters^2 above which prefmod takes more than a minute or two: observed 10 s for
#: 5.2e6 (six ternary comparisons with dependence and gaps), 20 s for 3.3e6 (ten binary ones, eight groups),
#: 49 s for 2e6 (rankings of eight items).
MOST_WORK = 2e7
#: Ends the R call's name; floors.toml has floors for it.
BY_NLM = "by nlm"


def prefmod_counterpart(question: AnswerQuestion) -> RCounterpart | None:
    """prefmod's fit of a pattern model; None for other models."""
    fit = question.fit
    if fit.spec.family != "pattern":
        return None
    call = f"prefmod::{function_of(fit.respondents)}, {BY_NLM}"
    lacks = no_model(fit)
    if lacks:
        return without_model(call, lacks)
    work = f"{_work(fit):.2g} patterns x blocks x squared parameters"
    much = f"not asked: {work} would take prefmod more than a minute"
    return attempt_unless(much if _work(fit) > MOST_WORK else "", call, _ask_prefmod, question)


# -- whether prefmod has the model ---------------------------------------------------------------------------


def no_model(fit: Fit) -> str:
    """What prefmod lacks for the model of a fit, or does otherwise; "" if it has it."""
    return next(filter(None, (lacks(fit) for lacks in (_of_model, _of_covariates, _of_gaps, _of_table))), "")


def _of_model(fit: Fit) -> str:
    spec, table, n = fit.of_answers, fit.respondents, len(fit.respondents.items)
    least = 2 if table.kind == "ratings" and table.n_times == 1 else 3
    classes = "patt*.fit has no classes, and pattnpml.fit mixes over cells of the table, not over persons"
    ties = table.kind == "rankings" and (table.tie_category or spec.answer_ties != "none")
    return first_reason(
        (spec.classes > 1, classes),
        (bool(spec.item_terms), "patt*.fit has no item covariates"),
        (spec.answer_ties == "by-pair", "patt*.fit has one tie parameter for all pairs"),
        (n < least, f"{function_of(table)} stops with {n} items"),
        (ties, "pattR.fit leaves rankings with ties out"),
        (table.n_persons < 2, f"{function_of(table)} stops with one person"),
    )


def _of_covariates(fit: Fit) -> str:
    columns = fit.respondents.columns
    slopes = [name for t in fit.terms for name, level in t.by if level is None and name != "time"]
    used = [name for name in _covariates(fit) if name in slopes or not isinstance(columns.get(name), Factor)]
    blocks = Counter(t.by for t in fit.terms if t.kind == "item")
    some = any(n < len(fit.items) for n in blocks.values())
    return first_reason(
        (bool(used), f"patt*.fit has no numeric covariates ({', '.join(used[:1])})"),
        (some, "patt*.fit varies all items with a covariate, or none"),
    )


def _of_gaps(fit: Fit) -> str:
    spec, table = fit.of_answers, fit.respondents
    if not (spec.alpha or spec.beta):
        return ""
    if spec.cells or any(t.by for t in fit.terms):
        return "pattPC.fit ignores covariates when it models missing comparisons"
    if spec.beta in ("item", "difference"):
        page = "is not the model on its help page (beta='coded' is what it computes)"
        return f"beta={spec.beta!r}: MISbeta for objects {page}"
    of_comparisons = "comparison" in (spec.alpha, spec.beta)
    if of_comparisons and len(table.items) > 3:
        return 'MISmodel = "comp" gives zeros for comparisons beyond the number of items'
    if of_comparisons and {spec.alpha, spec.beta} & {"item", "coded"}:
        return "MISmodel is for objects or for comparisons, the same for alpha and beta"
    if spec.beta and spec.alpha in ("none", "common"):
        only = "pattPC.fit has MISbeta only together with MISalpha of the same kind"
        return f"alpha={spec.alpha!r} with beta: {only}"
    if ((table.answers == MISSING).all(axis=(1, 2)) & (table.weights > 0)).any():
        return "pattPC.fit drops persons without any answer, but they count in this model"
    return ""


def _of_table(fit: Fit) -> str:
    """What prefmod would make of the answers it meets."""
    table = fit.respondents
    told = table.select(np.flatnonzero((table.weights > 0) & (table.answered > 0)))
    if table.kind == "comparisons":
        counts = [len(set(column[column != MISSING].tolist())) for column in told.once.T]
        detected = 3 if np.prod(counts) % 2 else 2
        if 0 in counts:
            return "a comparison that nobody answered; pattPC.fit gives arbitrary estimates for it"
        if detected != (3 if table.tie_category else 2):
            values = "ties as losses" if table.tie_category else "all answers as ties"
            answers = f"{', '.join(map(str, counts))} different answers to the comparisons"
            return f"pattPC.fit counts {detected} categories, from {answers}, and would read {values}"
    if table.kind == "ratings":
        seen = told.answers[told.answers != UNRATED]
        points, n = int(seen.max() - seen.min()) + 1, len(table.items)
        if min(points, n) != min(len(table.scale), n):
            few = f"{points} of {len(table.scale)} points, so fewer patterns are possible"
            return f"{function_of(table)} infers the scale from the observed ratings: {few}"
        if table.n_times > 1 and (told.answers == UNRATED).any():
            return "missing ratings at several times were not compared with prefmod's"
    if table.kind == "rankings" and table.n_times > 1 and (told.answers == BELOW).any():
        return "partial rankings at several times were not compared with prefmod's"
    try:
        _wide(told, fit)
    except InputError as error:
        return str(error)
    return ""


def _work(fit: Fit) -> float:
    table, spec = fit.respondents, fit.of_answers
    n, times = len(table.items), table.n_times
    if table.kind == "comparisons":
        patterns = ((3.0 if table.tie_category else 2.0) * (2.0 if spec.alpha else 1.0)) ** comb(n, 2)
    elif table.kind == "rankings":
        patterns = float(factorial(n)) ** times
    elif n > 6:
        patterns = float(len(table.scale)) ** n
    else:
        patterns = {2: 3, 3: 13, 4: 75, 5: 541, 6: 3963}[n] ** float(times)
    free = float((~fit.is_reference).sum())
    return patterns * len(np.unique(fit.numbers.block)) * free**2


# -- asking --------------------------------------------------------------------------------------------------


def _covariates(fit: Fit) -> list[str]:
    """Covariates of the model, and the columns of its cells, each once."""
    own = (name for t in fit.terms for name, _ in t.by if name != "time")
    return list(dict.fromkeys([*own, *fit.spec.cells]))


def _wide(table: Respondents, fit: Fit) -> pd.DataFrame:
    return to_prefmod(table, _covariates(fit)).frame


def _ask_prefmod(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    table, spec = fit.respondents, fit.of_answers
    told = table.select(np.flatnonzero((table.weights > 0) & (table.answered > 0)))
    r_names = {name: f"S{chr(65 + k)}" for k, name in enumerate(_covariates(fit))}
    frame = _wide(told, fit).rename(columns=r_names)
    by = dict.fromkeys(t.by for t in fit.terms if t.kind == "item")
    products = dict.fromkeys(":".join(r_names[n] for n, _ in of if n != "time") for of in by)
    formel = "~" + ("+".join(p for p in products if p) or "1")
    elim = "~" + ("*".join(r_names.values()) or "1")
    n, several = len(table.items), table.n_times > 1
    times = [f".{t + 1}" if several else "" for t in range(table.n_times)]
    items = [f"o{j + 1}{time}" for time in times for j in range(n)]
    options: dict[str, object] = {"obj_names": items, "backend": question.backend}
    if table.kind != "rankings":
        options.update(undec=spec.answer_ties != "none", ia=spec.dependence)
    if several:
        options.update(iaT=spec.between_times, tpoints=table.n_times)
    if spec.alpha or spec.beta:
        options.update(_missing_options(fit))
    own = function_of(table)
    function: Callable[..., PatternModel] = getattr(pattern_models, own.replace(".", "_"))
    model = function(frame, n, formel=formel, elim=elim, **options)
    return _answer(question, model, r_names, items, f"{own}(obj, {n}, formel = {formel}, elim = {elim})")


def _missing_options(fit: Fit) -> dict[str, object]:
    spec, names = fit.of_answers, set(fit.names)
    if spec.alpha == "none":
        return {"NI": True}
    if spec.alpha == "common":
        return {"MIScommon": True}
    model, of = "obj", list(fit.items)
    if spec.alpha == "comparison":
        model = "comp"
        of = [f"{fit.items[i]}:{fit.items[j]}" for i, j in prefmod_pair_order(len(fit.items))]
    modelled = ("alpha", "beta") if spec.beta else ("alpha",)
    return {"MISmodel": model} | {f"MIS{w}": [f"{w}:{name}" in names for name in of] for w in modelled}


def _answer(
    question: AnswerQuestion, model: PatternModel, r_names: dict[str, str], items: Sequence[str], call: str
) -> RCounterpart:
    fit, function = question.fit, f"{model.function}, {BY_NLM}"
    ours = by_r_name(fit, model.names, r_names, items)
    missing = [name for name in model.names if name not in ours]
    if missing or model.print_error:
        why = f"its print stops: {model.print_error or missing}"
        return RCounterpart(function, model.result.source, not_run=why, expected=False)
    own = RParameters(tuple(ours[n] for n in model.names), model.coef, model.vcov, "lambda", fit.items[-1])
    values = {**parameter_values(fit, own, tests=True), **worth_values(fit, own)}
    values.update(likelihood_values(model.llf, len(model.names)))
    of_deviance = _deviance(fit, model, values)
    said = [call, ", ".join(f"{r} is {name}" for name, r in r_names.items())]
    said += ["log-odds = 2 lambda"] * (fit.scale == "log-odds")
    said += [f"moved from its reference {fit.items[-1]}"] * (fit.spec.reference != fit.items[-1])
    said += ["llf is minus the minimum of nlm, which stops at a gradient of 1e-6", of_deviance]
    return answered(function, model.result, values, *said, flag=None if model.code in (1, 2) else False)


def _deviance(fit: Fit, model: PatternModel, values: dict[str, float]) -> str:
    """prefmod's deviance, where its saturated model is ours; and what to know of it."""
    spec, table = fit.of_answers, fit.respondents
    if spec.alpha or spec.beta:
        return "its deviance mixes the joint log-likelihood with that of the answers; it is not compared"
    if table.kind == "rankings" and (table.answers == BELOW).any():
        return "its blocks of partial rankings are sets of items without a rank; its deviance is not compared"
    values["deviance"] = 2.0 * (model.fl - model.llf)
    return f"it prints the deviance {model.deviance:.10g}, of the log-likelihood that it stores, and no df"


def by_r_name(
    fit: Fit, printed: Sequence[str], r_names: Mapping[str, str], items: Sequence[str]
) -> dict[str, str]:
    """The fit's parameter for each name that prefmod prints; items: prefmod's, of one time after the other."""
    found: dict[frozenset[str], str] = {}
    for term in fit.terms:
        if term.kind != "missing" and term.item != fit.items[-1]:
            found[frozenset(_r_name(fit, term, items).split(":") + _levels(fit, term, r_names))] = term.name
    named = {name: found[key] for name in printed if (key := frozenset(name.split(":"))) in found}
    for what in ("alpha", "beta"):
        r = [name for name in printed if name.startswith(f"mis.{what}")]
        own = [t.name for t in fit.terms if t.kind == "missing" and t.name.split(":")[0] == what]
        named.update(zip(r, own))
    return named


def _levels(fit: Fit, term: Term, r_names: Mapping[str, str]) -> list[str]:
    parts = []
    for name, level in term.by:
        column = fit.respondents.columns.get(name)
        if name != "time" and isinstance(column, Factor):
            parts.append(f"{r_names[name]}{column.levels.index(str(level)) + 1}")
    return parts


def _r_name(fit: Fit, term: Term, items: Sequence[str]) -> str:
    """A term as prefmod prints it, without the covariates."""
    times, several = fit.respondents.times, fit.respondents.n_times > 1
    time = next((times.index(str(level)) + 1 for name, level in term.by if name == "time"), 0)
    if term.kind == "item":
        assert term.item is not None
        return items[max(time - 1, 0) * len(fit.items) + fit.items.index(term.item)]
    if term.kind == "tie":
        return f"UT{time or 1}" if several else "U"
    order = prefmod_pair_order(len(fit.items))
    pairs = {f"{fit.items[i]}:{fit.items[j]}": f"{i + 1}{j + 1}" for i, j in order}
    name = term.name[: term.name.rindex(":time[")] if time else term.name
    for (a, first), (b, second) in product(pairs.items(), repeat=2):
        if name == f"{a}*{b}":
            return f"T{time}:I{first}.{second}" if several else f"I{first}.{second}"
    for k, pair in enumerate(pairs, 1):
        for t, (now, then) in enumerate(zip(times, times[1:]), 1):
            if term.name == f"{pair}:time[{now}]*time[{then}]":
                return f"Comp{k}:IT{t}{t + 1}"
    return term.name


PLACKETT_LUCE, COXPH = "PlackettLuce::PlackettLuce", "survival::coxph"
#: PlackettLuce's stopping rule: its default of 1e-7 leaves 7 digits, this one 14.
EPSILON = 1e-13
#: It asks for more than a maximum that exists needs: ties do not connect items there.
NOT_CONNECTED = "Network is not fully connected"


def plackettluce_counterpart(question: AnswerQuestion) -> RCounterpart | None:
    """R's PlackettLuce; None for other models."""
    fit = question.fit
    if fit.spec.family != "plackett-luce":
        return None
    if lacks := _lacks(fit):
        return without_model(PLACKETT_LUCE, lacks)
    return attempt(PLACKETT_LUCE, _ask_plackett_luce, question, [NOT_CONNECTED])


def _lacks(fit: Fit) -> str:
    spec, table = fit.of_answers, fit.respondents
    kept, orders = table.weights > 0, list(spec.tie_orders)
    stages = ((row, k) for row in table.ranks[kept, 0] for k in range(1, int(row.max()) + 1))
    sizes = {int((row == k).sum()) for row, k in stages} - {1}
    occurring = f"it takes the ties that occur ({sorted(sizes) or 'none'}), not tie_orders={orders}"
    below = table.kind == "rankings" and bool((table.once[kept] == BELOW).any())
    absent = "it treats items below all others as absent; survival::coxph includes them if there are no ties"
    return first_reason(
        (spec.classes > 1, "it has no latent classes"),
        (bool(spec.by or spec.item_terms), "it has no covariates"),
        (bool(spec.prior), "the fit does not store the numbers of its prior"),
        (sizes != set(orders), occurring),
        (below, absent),
        (len(table.items) < 3, "it stops with two items"),
    )


def _rows(fit: Fit) -> tuple[FloatArray, FloatArray]:
    table = fit.respondents
    kept = (table.weights > 0) & (table.answered > 0)
    return np.asarray(table.ranks[kept, 0], float), np.asarray(table.weights[kept], float)


def _ask_plackett_luce(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    ranks, weights = _rows(fit)
    pseudo, as_r = float(fit.of_answers.pseudo), fit.of_answers.errors_of_rankings
    options: dict[str, Any] = {"weights": weights.tolist(), "backend": question.backend}
    model = plackettluce.PlackettLuce(ranks, list(fit.items), npseudo=pseudo, epsilon=EPSILON, **options)
    errors = not model.vcov_error and (as_r or not pseudo)
    values = _values(fit, tuple(model.names), model.coef, model.vcov, errors)
    values.update(likelihood_values(model.loglik, int(model.rank)))
    said = ["its deviance is -2 logLik and its df counts every stage; neither is compared"]
    if pseudo and as_r:
        said.append(f"npseudo = {pseudo:g}; standard errors of both leave the pseudo-rankings out")
    elif pseudo:
        other = (
            "its standard errors leave the pseudo-rankings out, native's include them; they are not compared"
        )
        beside = "" if model.vcov_error else f" ({_errors_beside(fit, model)})"
        said.append(f"npseudo = {pseudo:g}; {other}{beside}")
    if model.vcov_error:
        said.append(f"its vcov stops ({model.vcov_error})")
    call = f"PlackettLuce(rankings, npseudo = {pseudo:g}, epsilon = {EPSILON:g})"
    return answered(PLACKETT_LUCE, model.result, values, call, *_moved(fit), *said, flag=model.converged)


def _errors_beside(fit: Fit, model: plackettluce.PlackettLuceModel) -> str:
    """R's standard errors under the fit's names and constraint, beside the fit's."""
    theirs = _values(fit, tuple(model.names), model.coef, model.vcov, True)
    errors = [(q, v) for q, v in theirs.items() if q.startswith("se.")]
    shown = "; ".join(f"{q} {v:.6g}, native {float(fit.bse[q[3:]]):.6g}" for q, v in errors[:8])
    return shown + (f"; and {len(errors) - 8} more" if len(errors) > 8 else "")


def coxph_counterpart(question: AnswerQuestion) -> RCounterpart | None:
    """R's coxph, each ranking a stratum; None where it has no such model."""
    fit = question.fit
    spec, table = fit.of_answers, fit.respondents
    if spec.family != "plackett-luce" or spec.classes > 1:
        return None
    plain = not (spec.tie_orders or spec.by or spec.item_terms or spec.pseudo or spec.prior)
    if not plain or table.kind != "rankings":
        return None
    codes = table.once[table.weights > 0]
    if (codes == ABSENT).any() and (codes == BELOW).any():
        why = "items that are absent together with items below all others are not implemented for it"
        return without_model(COXPH, why)
    return attempt(COXPH, _ask_coxph, question)


def _ask_coxph(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    ranks, weights = _rows(fit)
    options: dict[str, Any] = {"weights": weights.tolist(), "backend": question.backend}
    below = bool((fit.respondents.once == BELOW).any())
    model = survival.coxph(ranks, list(fit.items), unranked="below" if below else "absent", **options)
    values = _values(fit, tuple(model.names), model.coef, model.vcov, True)
    values.update(likelihood_values(model.loglik, len(model.names)))
    call = 'coxph(Surv(rank, ranked) ~ item + strata(person), ties = "breslow")'
    return answered(COXPH, model.result, values, call, "each ranking is a stratum", *_moved(fit))


def _values(
    fit: Fit, names: tuple[str, ...], coef: FloatArray, vcov: FloatArray, errors: bool
) -> dict[str, float]:
    """Numbers of R's log worths, the first item 0, under the fit's names; without standard errors where they differ."""
    kept = [k for k, name in enumerate(names) if name in fit.names and name != fit.items[0]]
    matrix = vcov[np.ix_(kept, kept)] if errors else np.zeros((len(kept), len(kept)))
    own = RParameters(tuple(names[k] for k in kept), coef[kept], matrix, "log-odds", fit.items[0])
    values = {**parameter_values(fit, own, tests=errors), **worth_values(fit, own)}
    if errors:
        return values
    return {q: v for q, v in values.items() if not q.startswith(("se.", "worth_se."))}


def _moved(fit: Fit) -> list[str]:
    moved = f"moved from its reference {fit.items[0]} to {fit.constraint}"
    said = [moved] if fit.spec.reference != fit.items[0] else []
    return said + ["lambda is half its log worth"] * (fit.scale == "lambda")


_ANSWERERS = (
    enumerated_counterpart,
    comparisons_by_glm,
    prefmod_counterpart,
    plackettluce_counterpart,
    coxph_counterpart,
)


def answer_counterparts(fit: Fit, backend: Backend) -> list[RCounterpart]:
    """Ask every R function that has a model of whole answers."""
    question = AnswerQuestion(fit, backend)
    answers = [answer for answerer in _ANSWERERS if (answer := answerer(question)) is not None]
    if all(a.r_call == ENUMERATED for a in answers):
        answers.append(without_model("R packages", f"none has {fit.title}"))
    return with_rounding(answers, fit.n_persons, fit.llf)
