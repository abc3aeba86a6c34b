"""prefmod's pattern models: pattPC.fit, pattR.fit, pattL.fit, pattRrep.fit, pattLrep.fit.

prefmod takes the categories of comparisons and the range of a rating scale from the answers it meets, and silently fits
another model where these are not all there; then it is not asked, and the row names the reason.  Its log-likelihood is
minus nlm's minimum here, not the value that it stores, and its deviance follows from that; it gives no df.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import comb, factorial
from typing import TYPE_CHECKING

import numpy as np

from ....bridge.packages import prefmod
from ....data.columns import Factor
from ....data.respondents import Respondents, to_prefmod
from ....data.respondents.codes import BELOW, MISSING, UNRATED
from ....data.wide import prefmod_pair_order
from ....errors import InputError
from ....fit.answers.fit import AnswerFit
from ....fit.spec import Term
from ...verdicts.agreement import RCounterpart
from ..ask import AnswerQuestion, answered, attempt, refused, without_model
from ..translate import RParameters, likelihood_values, parameter_values, worth_values

if TYPE_CHECKING:
    import pandas as pd

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
    work = _work(fit)
    if work > MOST_WORK:
        return refused(
            call,
            f"not asked: {work:.2g} patterns x blocks x squared parameters, which take prefmod more than a minute",
        )
    return attempt(call, _ask, question)


def function_of(table: Respondents) -> str:
    """`pattPC.fit` for comparisons, and so on."""
    letter = {"comparisons": "PC", "rankings": "R", "ratings": "L"}[table.kind]
    return f"patt{letter}{'rep' if table.n_times > 1 else ''}.fit"


# -- whether prefmod has the model ---------------------------------------------------------------------------


def no_model(fit: AnswerFit) -> str:
    """What prefmod lacks for the model of a fit, or does otherwise; "" if it has it."""
    for reason in (_of_model, _of_covariates, _of_gaps, _of_table):
        why = reason(fit)
        if why:
            return why
    return ""


def _of_model(fit: AnswerFit) -> str:
    spec, table = fit.of_answers, fit.respondents
    if spec.classes > 1:
        return "patt*.fit has no classes, and pattnpml.fit mixes over cells of the table, not over persons"
    if spec.item_terms:
        return "patt*.fit has no item covariates"
    if spec.answer_ties == "by-pair":
        return "patt*.fit has one tie parameter for all pairs"
    if len(table.items) < (2 if table.kind == "ratings" else 3) or (
        table.n_times > 1 and len(table.items) < 3
    ):
        return f"{function_of(table)} stops with {len(table.items)} items"
    if table.kind == "rankings" and (table.tie_category or spec.answer_ties != "none"):
        return "pattR.fit leaves rankings with ties out"
    if table.n_persons < 2:
        return f"{function_of(table)} stops with one person"
    return ""


def _of_covariates(fit: AnswerFit) -> str:
    table = fit.respondents
    for term in fit.terms:
        for name, level in term.by:
            if name != "time" and (level is None or not isinstance(table.columns.get(name), Factor)):
                return f"patt*.fit has no numeric covariates ({name})"
    blocks = {t.by for t in fit.terms if t.kind == "item"}
    for by in blocks:
        if len([t for t in fit.terms if t.kind == "item" and t.by == by]) < len(fit.items):
            return "patt*.fit varies all items with a covariate, or none"
    return ""


def _of_gaps(fit: AnswerFit) -> str:
    spec, table = fit.of_answers, fit.respondents
    if not (spec.alpha or spec.beta):
        return ""
    if any(t.by for t in fit.terms):
        return "pattPC.fit puts covariates aside where it models missing comparisons"
    if spec.beta in ("item", "difference"):
        return (
            f"beta={spec.beta!r}: MISbeta for objects is another model than its help page says (beta='coded' is what it"
            " computes)"
        )
    of_comparisons = "comparison" in (spec.alpha, spec.beta)
    if of_comparisons and len(table.items) > 3:
        return 'MISmodel = "comp" gives zeros for comparisons beyond the number of items'
    if of_comparisons and {spec.alpha, spec.beta} & {"item", "coded"}:
        return "MISmodel is of objects or of comparisons, for alpha and beta alike"
    if spec.beta and spec.alpha in ("none", "common"):
        return (
            f"alpha={spec.alpha!r} beside beta: pattPC.fit has MISbeta only beside MISalpha of the same kind"
        )
    if ((table.answers == MISSING).all(axis=(1, 2)) & (table.weights > 0)).any():
        return "pattPC.fit drops persons without any answer, who count in this model"
    return ""


def _of_table(fit: AnswerFit) -> str:
    """What prefmod would make of the answers it meets."""
    table = fit.respondents
    told = table.select(np.flatnonzero((table.weights > 0) & (table.answered > 0)))
    if table.kind == "comparisons":
        counts = [len(set(column[column != MISSING].tolist())) for column in told.once.T]
        detected = 3 if np.prod(counts) % 2 else 2
        if 0 in counts:
            return "a comparison that nobody answered, for which pattPC.fit has arbitrary estimates"
        if detected != (3 if table.tie_category else 2):
            values = "ties as losses" if table.tie_category else "all answers as ties"
            return (
                f"pattPC.fit counts {detected} categories, from {', '.join(map(str, counts))} different answers to the"
                f" comparisons, and would read {values}"
            )
    if table.kind == "ratings":
        seen = told.answers[told.answers != UNRATED]
        points, n = int(seen.max() - seen.min()) + 1, len(table.items)
        if min(points, n) != min(len(table.scale), n):
            return (
                f"{function_of(table)} takes the scale from the ratings it meets: {points} of {len(table.scale)} points,"
                " so that fewer patterns are possible"
            )
        if table.n_times > 1 and (told.answers == UNRATED).any():
            return "missing ratings at several times were not compared with prefmod's"
    if table.kind == "rankings" and table.n_times > 1 and (told.answers == BELOW).any():
        return "partial rankings at several times were not compared with prefmod's"
    try:
        _wide(told, fit)
    except InputError as error:
        return str(error)
    return ""


def _work(fit: AnswerFit) -> float:
    table, spec = fit.respondents, fit.of_answers
    n, times = len(table.items), table.n_times
    if table.kind == "comparisons":
        patterns = (3.0 if table.tie_category else 2.0) ** comb(n, 2) * (
            2.0 ** comb(n, 2) if spec.alpha else 1.0
        )
    elif table.kind == "rankings":
        patterns = float(factorial(n)) ** times
    else:
        patterns = (
            float(len(table.scale)) ** n
            if n > 6
            else {2: 3, 3: 13, 4: 75, 5: 541, 6: 3963}[n] ** float(times)
        )
    free = float((~fit.is_reference).sum())
    return patterns * len(np.unique(fit.numbers.block)) * free**2


# -- asking --------------------------------------------------------------------------------------------------


def _covariates(fit: AnswerFit) -> list[str]:
    """Covariates of the model, each once."""
    return list(dict.fromkeys(name for t in fit.terms for name, _ in t.by if name != "time"))


def _wide(table: Respondents, fit: AnswerFit) -> pd.DataFrame:
    return to_prefmod(table, _covariates(fit)).frame


def _ask(question: AnswerQuestion) -> RCounterpart:
    fit = question.fit
    table, spec = fit.respondents, fit.of_answers
    told = table.select(np.flatnonzero((table.weights > 0) & (table.answered > 0)))
    r_names = {name: f"S{chr(65 + k)}" for k, name in enumerate(_covariates(fit))}
    frame = _wide(told, fit).rename(columns=r_names)
    products = dict.fromkeys(
        ":".join(r_names[n] for n, _ in t.by if n != "time") for t in fit.terms if t.kind == "item"
    )
    formel = "~" + ("+".join(p for p in products if p) or "1")
    elim = "~" + ("*".join(r_names.values()) or "1")
    n = len(table.items)
    items = [
        f"o{j + 1}" + (f".{t + 1}" if table.n_times > 1 else "")
        for t in range(table.n_times)
        for j in range(n)
    ]
    options: dict[str, object] = {"obj_names": items, "backend": question.backend}
    if table.kind != "rankings":
        options.update(undec=spec.answer_ties != "none", ia=spec.dependence)
    if table.n_times > 1:
        options["iaT"] = spec.between_times
    if spec.alpha or spec.beta:
        options.update(_missing_options(fit))
    functions: dict[str, Callable[..., prefmod.PatternModel]] = {
        "pattPC.fit": prefmod.pattPC_fit,
        "pattR.fit": prefmod.pattR_fit,
        "pattL.fit": prefmod.pattL_fit,
        "pattRrep.fit": prefmod.pattRrep_fit,
        "pattLrep.fit": prefmod.pattLrep_fit,
    }
    own = function_of(table)
    if table.n_times > 1:
        options["tpoints"] = table.n_times
    model = functions[own](frame, n, formel=formel, elim=elim, **options)
    return _answer(question, model, r_names, f"{own}(obj, {n}, formel = {formel}, elim = {elim})")


def _missing_options(fit: AnswerFit) -> dict[str, object]:
    spec, names = fit.of_answers, set(fit.names)
    if spec.alpha == "none":
        return {"NI": True}
    if spec.alpha == "common":
        return {"MIScommon": True}
    of = (
        [f"{fit.items[i]}:{fit.items[j]}" for i, j in prefmod_pair_order(len(fit.items))]
        if spec.alpha == "comparison"
        else list(fit.items)
    )
    options: dict[str, object] = {
        "MISmodel": "comp" if spec.alpha == "comparison" else "obj",
        "MISalpha": [f"alpha:{name}" in names for name in of],
    }
    if spec.beta:
        options["MISbeta"] = [f"beta:{name}" in names for name in of]
    return options


def _answer(
    question: AnswerQuestion, model: prefmod.PatternModel, r_names: dict[str, str], call: str
) -> RCounterpart:
    fit, function = question.fit, f"{model.function}, {BY_NLM}"
    ours = _by_r_name(fit, model.names, r_names)
    missing = [name for name in model.names if name not in ours]
    if missing or model.print_error:
        return RCounterpart(
            function,
            model.result.source,
            not_run=f"its print stops: {model.print_error or missing}",
            expected=False,
        )
    own = RParameters(tuple(ours[n] for n in model.names), model.coef, model.vcov, "lambda", fit.items[-1])
    values = {**parameter_values(fit, own, tests=True), **worth_values(fit, own)}
    values.update(likelihood_values(model.llf, len(model.names)))
    said = _deviance(fit, model, values)
    moved = [] if fit.spec.reference == fit.items[-1] else [f"moved from its reference {fit.items[-1]}"]
    return answered(
        function,
        model.result,
        values,
        call,
        ", ".join(f"{r} is {name}" for name, r in r_names.items()),
        "log-odds = 2 lambda" if fit.scale == "log-odds" else "",
        *moved,
        "llf is minus the minimum of nlm, which stops at a gradient of 1e-6",
        said,
        flag=None if model.code in (1, 2) else False,
    )


def _deviance(fit: AnswerFit, model: prefmod.PatternModel, values: dict[str, float]) -> str:
    """prefmod's deviance, where its saturated model is ours; and what to know of it."""
    spec, table = fit.of_answers, fit.respondents
    if spec.alpha or spec.beta:
        return "its deviance mixes the joint log-likelihood with one of answers alone, and is not compared"
    if table.kind == "rankings" and (table.answers == BELOW).any():
        return "its blocks of partial rankings are sets of items without a rank; its deviance is not compared"
    values["deviance"] = 2.0 * (model.fl - model.llf)
    return f"it prints the deviance {model.deviance:.10g}, of the log-likelihood that it stores, and no df"


def _by_r_name(fit: AnswerFit, printed: tuple[str, ...], r_names: dict[str, str]) -> dict[str, str]:
    """The fit's parameter for each name that prefmod prints."""
    found: dict[frozenset[str], str] = {}
    several = fit.respondents.n_times > 1
    for term in fit.terms:
        if term.kind != "missing" and term.item != fit.items[-1]:
            found[frozenset(_r_name(fit, term, several).split(":") + _levels(fit, term, r_names))] = term.name
    named = {name: found[key] for name in printed if (key := frozenset(name.split(":"))) in found}
    for what in ("alpha", "beta"):
        r = [name for name in printed if name.startswith(f"mis.{what}")]
        own = [t.name for t in fit.terms if t.kind == "missing" and t.name.split(":")[0] == what]
        named.update(zip(r, own))
    return named


def _levels(fit: AnswerFit, term: Term, r_names: dict[str, str]) -> list[str]:
    parts = []
    for name, level in term.by:
        column = fit.respondents.columns.get(name)
        if name != "time" and isinstance(column, Factor):
            parts.append(f"{r_names[name]}{column.levels.index(str(level)) + 1}")
    return parts


def _r_name(fit: AnswerFit, term: Term, several: bool) -> str:
    """A term as prefmod prints it, without the covariates."""
    times = fit.respondents.times
    time = next((times.index(str(level)) + 1 for name, level in term.by if name == "time"), 0)
    if term.kind == "item":
        assert term.item is not None
        return f"o{fit.items.index(term.item) + 1}" + (f".{time}" if several else "")
    if term.kind == "tie":
        return f"UT{time}" if several else "U"
    pairs = {
        f"{fit.items[i]}:{fit.items[j]}": f"{i + 1}{j + 1}" for i, j in prefmod_pair_order(len(fit.items))
    }
    name = term.name[: term.name.rindex(":time[")] if time else term.name
    for (a, first), (b, second) in product(pairs.items(), repeat=2):
        if name == f"{a}*{b}":
            return f"T{time}:I{first}.{second}" if several else f"I{first}.{second}"
    for k, pair in enumerate(pairs, 1):
        for t, (now, then) in enumerate(zip(times, times[1:]), 1):
            if term.name == f"{pair}:time[{now}]*time[{then}]":
                return f"Comp{k}:IT{t}{t + 1}"
    return term.name
