"""The report on annotator models: every number beside R's, and beside 50 digits where there are some, which say
who is right.

lme4 and nlme search without or with few derivatives: their variances carry 5 to 8 digits. What is right where
the two sides differ is settled by values of 50 digits, made by code that shares nothing with pairproof
(tests/validation/papers/annotation_in_50_digits.py).

All differences of systems together: p-values of t, Holm's and single-step ones beside multcomp's.  R starts
from the means and covariance in the claims file, which are pairproof's to ten digits: an answer can only be
kept if its question is the same on every machine. Single-step p-values are integrals by random points on both
sides, judged by their errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ....bridge.packages import lme4, multcomp, nlme
from ....bridge.process.policy import Backend
from ....files.packaged import packaged_json
from ....fit.many.comparison_results import Contrasts
from ....native.annotation.scores.systems_model import SystemsModel, contrasts_together
from ....numerics.arrays import FloatArray
from ...check.checker import Checker
from ...claims.data import table_of
from ...report.context import Story
from ...verdicts.agreement import Agreement
from ...verdicts.digits import digits_of_agreement, floor
from ..asked_of_base_r import BaseR, base_r, codes
from ..compared_with_r import Answer, Held, Place, digits_rows, rows_beside_r, single_step_rows
from ..told import Words, beside_r, fewest, functions_and_sources, told
from . import computations as numbers
from .computations import Numbers, Scores, by_name, systems_fit

if TYPE_CHECKING:
    import pandas as pd

WORDS = Words(__package__)
PAPER, GLHT = "annotation", "multcomp::glht, means of systems"


def rows_together(checker: Checker, backend: Backend) -> list[Agreement]:
    """Six differences of four systems, with and without annotator:system."""
    found: list[Agreement] = []
    scores = Scores.of(table_of(checker.paper, "cases"))
    for way in ("with", "without"):
        model = systems_fit(scores, way)
        table = table_of(checker.paper, f"systems-{way}")
        names = tuple(str(name) for name in table["system"])
        mean = table["mean"].to_numpy(float)
        covariance = table[list(names)].to_numpy(float)
        own = contrasts_together(model, df="common")
        place = Place(PAPER, f"cases, systems-{way} together", f"6 differences, t on {model.df:g} df")

        held = partial(_held, model, own, place)
        pairs = multcomp.all_pairs(names)
        ask = partial(multcomp.glht, mean, covariance, pairs, int(model.df), backend=backend)
        what = {f"systems-{way}-together": None}
        found += rows_beside_r(place, what, GLHT, "6 differences of systems", backend, ask, held)
    return found


def _held(
    model: SystemsModel, own: Contrasts, place: Place, answer: Answer[multcomp.ManyComparisons]
) -> list[Agreement]:
    r, held = answer.value, []
    names = [f"{c.first}-{c.second}" for c in model.contrasts]
    for k, c in enumerate(model.contrasts):
        held.append(Held(f"test_p.{names[k]}", c.p, float(r.separate[k]), GLHT))
        held.append(Held(f"test_p.holm.{names[k]}", c.p_holm, float(r.holm[k]), GLHT))
    made = digits_rows(place, held, answer.result)
    return [*made, *single_step_rows(place, names, own, answer, GLHT)]


#: Floors of 50-digit values of mixed models: variances at a maximum that was searched for.
CERTIFIED = "certified, mixed models"
LMER, LME, FACTANAL, GAPS = "lme4::lmer", "nlme::lme", "stats::factanal", "stats::nlminb, one factor"
VCOVCL, AGREEMENT = "sandwich::vcovCL, means of systems", "base R, agreement"
REPEATS, WILCOXON = "base R, repeats", "stats::wilcox.test"
#: Below this many digits of R's a row says what 50 digits have.
SETTLED_BELOW = 9.0
#: Data sets other than "cases", which has everything.
FURTHER = ("unbalanced", "boundary")


@dataclass(frozen=True)
class Case:
    """A model of a data set, with its question to R."""

    place: Place
    native: Numbers
    r_call: str
    ask: Callable[[], Any]
    of_r: Callable[[Any], Numbers]
    scale: Numbers


def rows_of_models(checker: Checker, backend: Backend) -> list[Agreement]:
    """A row for each number that both sides have, of every model of the three data sets."""
    found: list[Agreement] = []
    for case in cases(checker, backend):
        held = partial(_rows_of, case)
        what = f"{len(case.native)} numbers of {case.place.claim}"
        native = {case.place.claim: None}
        found += rows_beside_r(case.place, native, case.r_call, what, backend, case.ask, held)
    return found


def _rows_of(case: Case, answer: Answer[Any]) -> list[Agreement]:
    r = case.of_r(answer.value)
    both = [(name, own) for name, own in case.native.items() if not np.isnan(r.get(name, np.nan))]
    held = [Held(name, own, r[name], case.r_call, case.scale.get(name, 0.0)) for name, own in both]
    made = digits_rows(case.place, held, answer.result)
    return [_settled(row, case.scale.get(row.quantity, 0.0)) for row in made]


@lru_cache(maxsize=1)
def fifty_digits() -> dict[str, dict[str, str]]:
    """Case -> number -> decimal text."""
    found: dict[str, dict[str, str]] = packaged_json(__package__, "annotation_50_digits.json")
    return found


def _settled(row: Agreement, scale: float) -> Agreement:
    """The row with 50 digits beside it; it differs if native has fewer of them than its floor."""
    text = fifty_digits().get(row.claim, {}).get(row.quantity)
    if text is None or row.native is None or row.r is None:
        return row
    own, of_r = (float(digits_of_agreement(v, float(text), scale)) for v in (row.native, row.r))
    asked = floor(row.quantity, CERTIFIED)
    known: dict[str, Any] = {"certified": text, "certified_digits": own, "r_certified_digits": of_r}
    known["certified_floor"] = asked.digits
    if own < asked.digits:
        why = f"pairproof has {own:.1f} of the 50 digits, fewer than the required {asked.digits:g}"
        return replace(row, verdict="differs", code="few-digits", explanation=why, **known)
    said = row.explanation
    if row.verdict == "agrees" and of_r < SETTLED_BELOW:
        said = f"of 50 digits pairproof has {own:.1f}, {row.r_call} {of_r:.1f}"
    return replace(row, explanation=said, **known)


# -- the questions -------------------------------------------------------------------------------------------


def cases(checker: Checker, backend: Backend) -> Iterable[Case]:
    """What is asked of R."""
    tables = {name: table_of(checker.paper, name) for name in ("cases", *FURTHER)}
    for name, table in tables.items():
        scores = Scores.of(table)
        yield mixed(name, "location", scores, numbers.location(scores), numbers.LOCATION, backend)
        yield systems(name, "with", scores, backend)
        yield systems(name, "without", scores, backend)
        yield means(name, scores, backend)
        yield agreement(name, scores, backend)
    yield from _of_the_cases(tables["cases"], backend)
    yield precision("unbalanced", Scores.of(tables["unbalanced"]), backend)
    yield factor("unbalanced", Scores.of(tables["unbalanced"]), backend, complete=False)
    yield slopes("unbalanced", Scores.of(tables["unbalanced"]), backend)


def _of_the_cases(table: pd.DataFrame, backend: Backend) -> Iterable[Case]:
    scores, complete = Scores.of(table), Scores.of(table, "complete")
    ml, with_hit = numbers.location(scores, "ML"), numbers.location(scores, hit=True)
    yield mixed("cases", "location-ml", scores, ml, numbers.LOCATION, backend, REML=False)
    yield mixed("cases", "location-with-hit", scores, with_hit, numbers.LOCATION_WITH_HIT, backend)
    yield precision("cases", scores, backend)
    yield factor("cases", complete, backend, complete=True)
    yield slopes("cases", scores, backend)
    yield agreement("cases, complete block", complete, backend)
    yield within("cases", table, backend)
    yield degraded("cases", table, backend)


def place(data: str, model: str, what: str) -> Place:
    return Place(PAPER, f"{data}, {model}", what)


def scales(native: Numbers, effects: Sequence[str]) -> Numbers:
    """What an error is measured by: of a variance and of an effect of variance 0 the residual variance and its
    root, of other predictions the standard deviation of their effect.
    """
    out: Numbers = {}
    residual = native.get("score.variance.residual", 0.0)
    for name in native:
        kind, _, rest = name.partition(".")
        effect = rest.rpartition(".")[0]
        if name.startswith("score.variance."):
            out[name] = residual
        elif kind in ("score", "se") and effect in effects:
            out[name] = float(np.sqrt(native[f"score.variance.{effect}"] or residual))
    return out


def mixed(
    data: str,
    model: str,
    scores: Scores,
    native: Numbers,
    effects: Sequence[str],
    backend: Backend,
    REML: bool = True,
) -> Case:
    """A linear mixed model beside lmer's."""

    def of_r(r: lme4.LinearMixedModel) -> Numbers:
        out = _variances(r, effects)
        out["estimate.mean"], out["se.mean"] = float(r.coef[0]), float(np.sqrt(r.vcov[0, 0]))
        levels = [f"{effect}.{level}" for effect in effects for level in scores.names(effect)]
        return {**out, **by_name("score", levels, r.predictions), **by_name("se", levels, r.conditional)}

    ask = partial(_lmer, scores, effects, None, REML, backend)
    said = "lmer(y ~ 1 + " + " + ".join(f"(1|{e})" for e in effects) + (")" if REML else ", REML = FALSE)")
    return Case(place(data, model, said), native, LMER, ask, of_r, scales(native, effects))


def _lmer(
    scores: Scores, effects: Sequence[str], fixed: FloatArray | None, REML: bool, backend: Backend
) -> lme4.LinearMixedModel:
    return lme4.lmer(scores.y, {e: scores.codes(e).tolist() for e in effects}, fixed, REML, backend=backend)


def _variances(r: lme4.LinearMixedModel, effects: Sequence[str]) -> Numbers:
    out = {f"score.variance.{e}": float(v) for e, v in zip(effects, r.variances)}
    return {**out, "score.variance.residual": r.residual, "llf": r.loglik}


def systems(data: str, way: str, scores: Scores, backend: Backend) -> Case:
    """Means of systems and their differences beside lmer's."""
    effects = ("source", "item", "annotator", *(("annotator:system",) if way == "with" else ()))
    native = numbers.systems(scores, way)

    def of_r(r: lme4.LinearMixedModel) -> Numbers:
        return {**_variances(r, effects), **_contrasts(scores, r.coef, r.vcov)}

    ask = partial(_lmer, scores, effects, scores.dummies("system"), True, backend)
    said = "lmer(y ~ 0 + system + " + " + ".join(f"(1|{e})" for e in effects) + ")"
    return Case(place(data, f"systems-{way}", said), native, LMER, ask, of_r, scales(native, effects))


def _contrasts(scores: Scores, mean: FloatArray, vcov: FloatArray) -> Numbers:
    names, out = scores.names("system"), {}
    for i, first in enumerate(names):
        out[f"estimate.{first}"], out[f"se.{first}"] = float(mean[i]), float(np.sqrt(vcov[i, i]))
        for j in range(i + 1, len(names)):
            name = f"{first}-{names[j]}"
            variance = float(vcov[i, i] + vcov[j, j] - 2 * vcov[i, j])
            out[f"estimate.{name}"] = float(mean[i] - mean[j])
            # A two-way variance can be negative: then sandwich has no standard error, and pairproof takes the
            # larger of the one-way variances.
            if variance > 0:
                out[f"se.{name}"] = math.sqrt(variance)
    return out


def means(data: str, scores: Scores, backend: Backend) -> Case:
    """Plain means clustered two ways beside sandwich's."""
    native = numbers.systems(scores, "ols")

    def of_r(r: BaseR) -> Numbers:
        return _contrasts(scores, r["mean"], r["vcov"])

    arguments = {"y": scores.y, **codes(**{c: scores.codes(c) for c in ("system", "source", "annotator")})}
    ask = partial(base_r, backend, VCOVCL, "means_two_way", arguments, ("sandwich",))
    said = 'vcovCL(lm(y ~ 0 + system), cbind(source, annotator), "HC0", cadjust = TRUE)'
    return Case(place(data, "systems-ols", said), native, VCOVCL, ask, of_r, {})


def precision(data: str, scores: Scores, backend: Backend) -> Case:
    """A residual variance for each annotator beside nlme's."""
    native = numbers.precision(scores)

    def of_r(r: nlme.NoiseByAnnotator) -> Numbers:
        out = {"estimate.mean": r.mean, "se.mean": r.se, "llf": r.loglik}
        out["score.variance.item"], out["score.variance.annotator"] = r.item_sd**2, r.annotator_sd**2
        who = scores.names("annotator")
        out.update(by_name("score.item", scores.names("item"), r.item))
        out.update(by_name("score.annotator", who, r.annotator))
        return {**out, **by_name("score.noise", who, r.noise)}

    item, annotator = (scores.codes(of).tolist() for of in ("item", "annotator"))
    ask = partial(nlme.lme, scores.y, item, annotator, backend=backend)
    said = "lme(y ~ 1, crossed item and annotator, weights = varIdent(form = ~ 1|annotator))"
    return Case(place(data, "precision", said), native, LME, ask, of_r, scales(native, ("item", "annotator")))


def factor(data: str, scores: Scores, backend: Backend, complete: bool) -> Case:
    """Use of the scale beside factanal's, or beside a search by nlminb where scores are missing."""
    native, names = numbers.scale(scores), scores.names("annotator")

    def of_r(r: BaseR) -> Numbers:
        out = {"llf": float(r["loglik"]), **by_name("estimate", names, r["mean"])}
        for what in ("loading", "noise", "correlation"):
            out.update(by_name(f"score.{what}", names, r[what]))
        slope = r["loading"] / np.exp(np.log(np.abs(r["loading"])).mean())
        return {**out, **by_name("score.slope", names, slope)}

    what, who = scores.codes("item"), scores.codes("annotator")
    if complete:
        table = np.empty((int(what.max()) + 1, len(names)))
        table[what, who] = scores.y
        said = "factanal(M, 1) of the complete block"
        ask = partial(base_r, backend, FACTANAL, "factanal", {"M": table})
        return Case(place(data, "scale", said), native, FACTANAL, ask, of_r, {})
    ask = partial(base_r, backend, GAPS, "marginal", {"y": scores.y, **codes(item=what, annotator=who)})
    return Case(place(data, "scale", "one factor with gaps, by nlminb"), native, GAPS, ask, of_r, {})


def slopes(data: str, scores: Scores, backend: Backend) -> Case:
    """Drift beside lmer's slopes."""
    native, names = numbers.drifts(scores), scores.names("annotator")

    def of_r(r: lme4.LinearMixedModel) -> Numbers:
        k = len(names)
        errors = np.sqrt(np.diag(r.vcov)[k:])
        return {**by_name("estimate", names, r.coef[k:]), **by_name("se", names, errors)}

    ask = partial(_lmer, scores, ("item",), scores.trend(), True, backend)
    said = "lmer(y ~ 0 + annotator + annotator:t + (1|item))"
    # A slope of nearly 0 is measured by its standard error.
    scale = {f"estimate.{n}": native[f"se.{n}"] for n in names}
    return Case(place(data, "drift", said), native, LMER, ask, of_r, scale)


def agreement(data: str, scores: Scores, backend: Backend) -> Case:
    """Alpha, correlations, ICCs of complete tables and z-scores beside base R's."""
    native, names = numbers.agreements(scores), scores.names("annotator")

    def of_r(r: BaseR) -> Numbers:
        one = {"alpha": "alpha", "pairwise": "pairwise", "icc-one-way": "icc_one", "icc-two-way": "icc_two"}
        out = {f"score.{name}": float(r[own]) for name, own in one.items()}
        out.update(by_name("score.rest", names, r["rest"]))
        if any(name.startswith("score.z.") for name in native):
            out.update(numbers.z_means(scores, r["z"]))
        return out

    of = codes(item=scores.codes("item"), annotator=scores.codes("annotator"))
    ask = partial(base_r, backend, AGREEMENT, "agreement", {"y": np.round(100 * scores.y), **of})
    said = "alpha over all pairs, cor(method = 'spearman'), aov, scale by annotator"
    return Case(place(data, "agreement", said), native, AGREEMENT, ask, of_r, {})


def within(data: str, table: pd.DataFrame, backend: Backend) -> Case:
    """Repeats beside base R's."""
    who, first, again = numbers.with_originals(table, "repeat")
    names, annotator = np.unique(who, return_inverse=True)

    def of_r(r: BaseR) -> Numbers:
        own = {"score.sd": "sd", "limit_low.within": "low", "limit_high.within": "high"}
        return {k: v for what, name in own.items() for k, v in by_name(what, names.tolist(), r[name]).items()}

    arguments = {"first": first, "again": again, **codes(annotator=annotator.ravel()), "level": 0.95}
    ask = partial(base_r, backend, REPEATS, "repeats", arguments)
    said = "sqrt(mean d^2 / 2) and limits by qchisq"
    return Case(place(data, "repeats", said), numbers.repeats(table), REPEATS, ask, of_r, {})


def degraded(data: str, table: pd.DataFrame, backend: Backend) -> Case:
    """Degraded items beside wilcox.test's, whose `exact` is what R up to 4.5 chooses itself (4.6: with ties too)."""
    who, first, second = numbers.with_originals(table, "degraded")
    names, annotator = np.unique(who, return_inverse=True)

    def of_r(r: BaseR) -> Numbers:
        return by_name("test_p", names.tolist(), r["p"])

    arguments = {"original": first, "degraded": second, **codes(annotator=annotator.ravel())}
    ask = partial(base_r, backend, WILCOXON, "degraded", arguments)
    said = 'wilcox.test(paired = TRUE, alternative = "greater")'
    return Case(place(data, "degraded", said), numbers.degraded(table), WILCOXON, ask, of_r, {})


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Every number of the models beside R's, and many comparisons of systems."""
    return [*rows_of_models(checker, backend), *rows_together(checker, backend)]


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Which R functions were asked what; which side has how many of 50 digits."""
    rows = [a for a in beside_r(agreements, PAPER) if a.r is not None]
    witnesses = functions_and_sources(rows, WORDS.say("witnesses"))
    return (witnesses, _by_50_digits(rows))


def _by_50_digits(asked: Sequence[Agreement]) -> Story:
    seen: dict[tuple[str, str], list[Agreement]] = {}
    for a in asked:
        if a.certified is not None:
            seen.setdefault((a.claim, a.r_call or ""), []).append(a)
    lines = []
    for case, rows in seen.items():
        own, of_r = (
            [getattr(a, kind) or 0.0 for a in rows] for kind in ("certified_digits", "r_certified_digits")
        )
        lines.append((*case, f"{len(rows)}", fewest(own), fewest(of_r)))
    heads = ("data, model", "R function", "numbers", "pairproof's fewest digits", "R's fewest digits")
    caption = "Digits of the 50-digit values that each side has"
    return told("Which side is right in the last digits", (WORDS.say("which-side"),), heads, lines, caption)
