"""stats::glm and gnm::gnm: native where the design is ours, by R where of this field, else left out.

gnm with GenDavidson is `fit_bradley_terry(ties="davidson")`, with shifted or scaled ties where they are asked
for; glm on a design of prefmod's patt.design is `fit_pattern` of the persons' answers.  anova of fits is
`pairproof.anova(m0, m1)` where the fits are in Python.

MASS::polr of three ordered answers: Rao and Kupper's ties.

    logit P(Y <= k) = zeta_k - x'b:   tie = (zeta_2 - zeta_1) / 2,   order = -(zeta_1 + zeta_2) / 2

Y is whether the item with the plus sign lost, tied or won (Rao and Kupper 1967, JASA 62, 194-204).  polr's
thresholds are free, so an order effect is always in its model, unless each contest stands there a second time
with the sides and the answer exchanged.

lme4::glmer and brglm::brglm go through the bridge by their values, response, design matrix, weights and groups: glmer's
model has random effects on a design of the script's own, brglm's estimates are those of a penalised likelihood.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log
from typing import Any

import numpy as np

from ....bridge.capture.recorded import NotRecorded, RecordedCall
from ....bridge.packages.lme4 import CONSTANT, MixedDesign
from ....bridge.values.nodes import RList
from ....data.wide import prefmod_pair_order
from ....fit.fit import Fit
from ....validation.claims.quantities import dispersion
from ....validation.r_answers.translate import RParameters
from ....validation.verdicts.agreement import AGREEING
from ....validation.verdicts.digits import floor
from ...recognise import decide
from ...recognise.answer_patterns import Pattern, recognise_pattern
from ...recognise.design_contests import Contests, Not
from .. import recorded_answers as answers
from ..python_code import Call, File, Result, stated, whole_numbers
from ..recorded_answers import Floats, StaysInR, counts, first, needed, stays_if
from ..rows import Beside, Named, Rows, covariance, in_column, llf_and_aic, of_fit
from ..translation import Context, Judge, Translation, bridged, in_r, made, outside, translates, tried
from . import recorded_design as designs

SAID = "tie = tie.max + log 2, tie-shift = tie.mode, tie-scale = tie.scale"


def davidson(fitted: designs.Fitted, found: decide.Recognised) -> Translation:
    """The translation of a GenDavidson that was recognised."""
    call, model, n_contests = fitted.call, found.model, len(found.model.contests)
    p = designs.r_parameters(found, fitted, 1.0, "log-odds")
    p.estimate[model.names.index("tie")] += log(2.0)
    # Players without a match, and leagues that never met, have fewer parameters than names.
    df = call.number("loglik_df")
    n = len(model.names) if df is None else int(df) - n_contests
    likelihood = designs.poisson_likelihood(call, model.contests, fitted.y, n)
    # With tie.mode or tie.scale gnm's errors are of the expected information, a fit's of the observed one.
    general = bool({"tie-shift", "tie-scale"} & set(model.names))
    of_r = fitted, p, likelihood, designs.GNM, SAID, not general, n_contests
    notes = ("standard errors are from the observed information, R's from the expected",) if general else ()
    code = designs.fit_call(found, "fit_bradley_terry", call.variable)
    return Translation("native", code, judge=partial(designs.glm_rows, *of_r), notes=notes)


PLACES = "ratings are written as ranks, 1 the best: the design contains only their order"


def pattern(fitted: designs.Fitted) -> Translation:
    """A glm on such a design."""
    call = fitted.call
    found = _recognised(fitted)
    code = _code(found, fitted.y, call.variable)
    made(code)
    coef, vcov = fitted.of(found.coefficients)
    theta, spread = found.map @ coef, found.map @ vcov @ found.map.T
    # The groups' totals are given: deviance, df, llf and AIC are those of persons' answers.
    likelihood = designs.deviance_of(call)
    total, n = np.bincount(found.groups, fitted.y).astype(float), len(found.names)
    likelihood |= designs.likelihood_of_counts(call, total, fitted.y, n)

    def judge(fit: Fit) -> Rows:
        own = {_of_pairs(n): n for n in fit.names}
        names = tuple(own.get(_of_pairs(n), n) for n in found.names)
        p = RParameters(names, theta, spread, "lambda", found.reference)
        return of_fit(call, fit, p, likelihood, name=designs.towards(designs.GLM, fit))

    notes = (PLACES,) if found.answers.kind == "ratings" else ()
    return Translation("native", code, judge=judge, notes=notes)


def _recognised(fitted: designs.Fitted) -> Pattern:
    data = fitted.call.values["data"]
    assert isinstance(data, RList)
    other = "columns of the design were renamed after patt.design made it, or it uses some rows of its design"
    found = (designs.said_columns(data, of, fitted.n) for of in ("objnames", "undec", "ia"))
    items, undecided, dependent = (needed(columns, other) for columns in found)
    stays_if(not items, other)
    stays_if(fitted.offset is not None or (fitted.weights != 1).any(), "it has an offset or weights")
    names = (*designs.said_by(data, "cat.scovs"), *designs.said_by(data, "num.scovs"))
    said = (designs.variable_of(name, data.vector(name)) for name in names if name in data)
    variables = [v for v in said if v]
    groups = decide.codes(*(v.values for v in variables)) if variables else np.zeros(fitted.n, dtype=np.int64)
    covariates = designs.said_covariates(data)
    design = replace(fitted.design, factors={}, numbers={}, items=items, covariates=covariates)
    return recognise_pattern(design, undecided, dependent, groups, variables)


def _of_pairs(name: str) -> str:
    """A dependence with its comparisons in one order."""
    return "*".join(sorted(name.split("*"))) if "*" in name else name


def _code(found: Pattern, y: Floats, stem: str) -> Call:
    answers, items = found.answers, found.items
    seen = np.flatnonzero(y > 0)
    named = designs.safe_names([*found.variables, *found.item_terms], items)
    heads, options = items, dict[str, Any](items=list(items))
    if answers.kind == "pairs":
        heads = tuple(f"{items[i]}:{items[j]}" for i, j in prefmod_pair_order(len(items)))
        coding = {"first": 1, "tie": 0, "second": -1} if answers.ties else {"first": 1, "second": -1}
        options.update(pair_order="prefmod", coding=coding, tie_category=answers.ties)
    elif answers.kind == "ratings":
        options.update(scale=f"1-{answers.points}", best="low")
    columns: dict[str, list[Any]] = dict(zip(heads, answers.values[seen].T.tolist()))
    for name, variable in found.variables.items():
        columns[named[name]] = designs.column_of(variable, seen)
    columns["weight"] = whole_numbers(y[seen])
    options |= designs.levels_of(found.variables, named)
    options |= designs.of_items(items, found.item_terms, named, stem)
    in_by = {v.name for _, p in found.products for v in p.variables}
    keywords = stated(
        ties=found.ties in ("by-pair", "none") and found.ties,
        item_terms=[named[n] for n in found.item_terms],
        by=designs.by_of(found.products, found.item_terms, named),
        dependence=found.dependence,
        cells=[named[n] for n in found.variables if n not in in_by],
    )
    table = Call("pairproof.read_respondents", (File(columns, stem), answers.kind), options)
    return Call("pairproof.fit_pattern", (table,), keywords)


BY_DESIGN = "written as paired comparisons, because its design is one"
LEFT_OUT = "not a model of paired comparisons"
LINKS = ("logit", "probit", "cauchit")
CONSTANTS = "R's coefficients of the contests (mu) are nuisance parameters that the fit eliminates, and are not compared"
QUASI = "standard errors, t and p below are with the dispersion of the quasi family: Pearson's chi-square over the residual degrees of freedom"
SUMMED = "rows of the same contest in the same nuisance group are one row here; R's deviance, AIC and df are of its own rows"
HALF = "half wins: R uses them as non-integer counts, pairproof as ties that each count as half a win; the log-likelihood and AIC are not comparable"


@translates("stats::glm", "gnm::gnm")
def glm(call: RecordedCall, context: Context) -> Translation:
    """A glm or gnm, translated from its design and response."""
    try:
        fitted = designs.fitted_of(call)
    except (StaysInR, NotRecorded) as why:
        return outside(f"{LEFT_OUT}, as far as it was recorded: {why}")
    poisson = fitted.family in ("poisson", "quasipoisson")
    of_davidson = poisson and "GenDavidson(" in designs.text_of(call)
    try:
        if fitted.family in ("binomial", "quasibinomial") and fitted.groups is None:
            return _binomial(fitted)
        if poisson:
            return _poisson(fitted, of_davidson)
    except Not as why:
        if poisson and fitted.design.items:
            raise
        return outside(f"{LEFT_OUT}: {why}")
    said = f"family {fitted.family or 'unknown'}; comparisons are binomial, Poisson or ordered"
    return outside(f"{LEFT_OUT}: {said}")


def _binomial(fitted: designs.Fitted) -> Translation:
    """Rows that are contests."""
    counted = wins, losses = [counts(share * fitted.weights) for share in (fitted.y, 1.0 - fitted.y)]
    found, link = decide.recognise_rows(fitted.design, wins, losses), fitted.link
    half = any((n % 1 != 0).any() for n in counted)
    stays_if(link not in LINKS, f"link {link} of paired comparisons is not supported")
    uncounted = any(((2 * n) % 1 != 0).any() for n in counted)
    stays_if(uncounted, "its counts are neither whole numbers nor halves")
    empty = not fitted.design.known.any() or not (fitted.weights > 0).all()
    stays_if(empty, "some of its rows have the weight 0")
    stays_if(half and ((wins % 1) != (losses % 1)).any(), "some of its rows have half a contest")
    code = designs.fit_call(found, "fit_bradley_terry", fitted.call.variable, fitted.offset, link)
    likelihood = designs.binomial_likelihood(fitted, found.model.contests, len(found.coefficients))
    notes = [BY_DESIGN, *([HALF] if half else [])]
    return _native(fitted, found, code, _of_deviance(likelihood) if half else likelihood, notes)


def _poisson(fitted: designs.Fitted, of_davidson: bool) -> Translation:
    """Rows that are outcomes of contests, or answers of persons."""
    call, groups, link = fitted.call, fitted.groups, fitted.link
    data = call.values.get("data")
    of_patterns = isinstance(data, RList) and "pattdes" in data.rclass
    if groups is None and link == "log" and fitted.family == "poisson" and of_patterns:
        return pattern(fitted)
    if of_davidson and groups is not None and fitted.offset is None:
        return davidson(fitted, decide.recognise_davidson(fitted.design, fitted.y, groups))
    if link != "log" or fitted.offset is not None or (fitted.weights != 1).any():
        raise Not("it has a link other than log, an offset, or weights")
    summed, shared = designs.equal_rows_summed(fitted)
    found = decide.recognise_poisson(summed.design, summed.y, summed.groups)
    code = designs.fit_call(found, "fit_llbt", call.variable)
    n = len(found.model.names)
    likelihood = designs.poisson_likelihood(call, found.model.contests, fitted.y, n, shared)
    notes = [] if fitted.design.items else [BY_DESIGN]
    return _native(summed, found, code, likelihood, [*notes, *([SUMMED] if summed is not fitted else [])])


def _native(
    fitted: designs.Fitted, found: decide.Recognised, code: Call, likelihood: Named, notes: list[str]
) -> Translation:
    """A fit of the recognised model, the dispersion of a quasi family taken out of R's errors as Python has it."""
    call, link, poisson = fitted.call, fitted.link, code.function == "pairproof.fit_llbt"
    # With other links R's errors are of the expected information, a fit's of the observed one.
    same, quasi = poisson or link == "logit", fitted.family.startswith("quasi")
    other = f"link {link} of a quasi family: its standard errors are defined differently"
    stays_if(quasi and not same, other)
    phi = dispersion(value) if isinstance(value := made(code), Fit) and quasi else 1.0
    stays_if(not phi > 0, "its dispersion is not defined: no residual degrees of freedom")
    likelihood = _of_deviance(likelihood) if quasi else likelihood
    p = designs.r_parameters(found, fitted, phi, "lambda" if poisson else "log-odds")
    name = designs.GNM if poisson and call.function == "gnm::gnm" else designs.GLM
    scale = 1.0 if found.block is None else found.block.scale
    said = f"R's item columns have entries of {scale:g}" if scale != 1.0 else ""
    more = len(found.model.contests) if poisson else 0
    judge = partial(designs.glm_rows, fitted, p, likelihood, name, said, same, more)
    if quasi:
        apart = any(a.verdict not in AGREEING for a in judge(value) if a.quantity.kind == "se")
        stays_if(apart, "the dispersion of its rows is not that of the comparisons")
        notes.append(QUASI)
    if not same:
        notes.append(f"link {link}: standard errors are from the observed information, R's from the expected")
    if poisson and fitted.groups is None:
        notes.append(CONSTANTS)
    return Translation("native", code, notes=tuple(notes), judge=judge)


def _of_deviance(likelihood: Named) -> Named:
    return {q: v for q, v in likelihood.items() if q in ("deviance", "df_resid")}


#: R takes deviances of fits that stopped at 1e-8 of their change: their difference has fewer digits than they
#: have.
LEAST, WHY = 7.0, "differences of deviances of fits stopped at R's default tolerance"
ONE = "anova of one fit adds R's columns one by one, among them single items, which is not a hypothesis about the items; pairproof.anova(fit) adds whole terms"


@translates("stats::anova.glm", "stats::anova.glmlist", "gnm::anova.gnm")
def anova(call: RecordedCall, context: Context) -> Translation:
    """anova of several fits, each beside the one before."""
    steps = context.fits(call)
    stays_if(len(steps) < 2, ONE)
    for step in steps:
        said = f"{step.call.variable} is not fitted in Python, so there is nothing to compare here"
        stays_if(not isinstance(step.value, Fit), said)
    quasi = any(f.startswith("quasi") for s in steps for f in s.call.strings("family")[:1])
    divides = "it divides by the dispersion of a quasi family, which a likelihood-ratio test does not do"
    stays_if(quasi, divides)
    table = needed(call.frame("value"), lost := "its table was not recorded")
    stays_if("Deviance" not in table or "Df" not in table, lost)
    code = Call("pairproof.anova", tuple(Result(s.call.id) for s in steps))
    _, refused = tried(code, {s.call.id: s.value for s in steps})
    stays_if(refused, f"pairproof.anova refuses it: {refused}")
    return Translation("native", code, judge=partial(_anova_rows, call, table))


def _anova_rows(call: RecordedCall, table: RList, frame: Any) -> Rows:
    r, rows = Beside(call, LEAST, WHY), []
    p = [n for n in table.names or () if n.startswith("Pr(")]
    size = float(np.nanmax(np.abs(table.vector("Resid. Dev").floats()), initial=0.0))
    for quantity, theirs in (("df", "Df"), ("statistic", "Deviance"), *(("p", n) for n in p[:1])):
        # R subtracts in the order given, and a smaller model after a larger one gives a negative difference.
        ours, found = np.abs(frame[quantity].to_numpy(float)), np.abs(table.vector(theirs).floats())
        entries = list(zip(ours.tolist(), found.tolist(), in_column(frame, quantity)))
        scale = size if quantity == "statistic" else 0.0
        for k, (python, value, place) in enumerate(entries[1:], 2):
            rows.append(r.row(f"anova.{k}.{quantity}", python, value, scale, place))
    return rows


#: polr stops BFGS with thresholds right to some 1e-5; those of mirrored data are equal but for the sign.
SYMMETRIC = 1e-3


@in_r("MASS::polr")
def _polr_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """`pairproof.bridge.by_design.polr_design(...)`."""
    fitted, levels = _ordered(call)
    frame, given = fitted.frame()
    method = first(call, "method", "logistic")
    options = given | stated(levels=list(levels), method=method != "logistic" and method)
    judge = partial(designs.of_model, call, fitted.design.names, True, False)
    return bridged(why, "by_design.polr_design", [frame, designs.Y], options, judge)


@translates("MASS::polr")
def polr(call: RecordedCall, context: Context) -> Translation:
    """A polr, translated from its design and response."""
    try:
        fitted, levels = _ordered(call)
    except (StaysInR, NotRecorded) as why:
        return outside(f"{LEFT_OUT}, as far as it was recorded: {why}")
    losses, ties, wins = (np.where(fitted.y == k, counts(fitted.weights), 0.0) for k in (1, 2, 3))
    try:
        found = decide.recognise_rows(fitted.design, wins, losses, ties)
    except Not as why:
        return outside(f"{LEFT_OUT}: {why}")
    method, n = first(call, "method", "logistic"), len(levels)
    stays_if(n != 3, f"{n} ordered answers; Rao and Kupper's model has three")
    stays_if(method != "logistic", f"link {method} of ordered answers is not supported")
    frames = designs.frames(call, fitted.n)
    stays_if("offset" in call.args or any("(offset)" in f for f, _ in frames), "it has an offset")
    return _of_polr(fitted, found)


def _of_polr(fitted: designs.Fitted, found: decide.Recognised) -> Translation:
    call, weights = fitted.call, counts(fitted.weights)
    zeta = needed(call.vector("zeta"), lost := "its thresholds were not recorded")
    stays_if(zeta.names is None or len(zeta) != 2, lost)
    mirrored, ends = _is_mirrored(found.model.contests), zeta.floats()
    uneven = mirrored and abs(float(ends.sum())) > SYMMETRIC
    stays_if(uneven, "its data are mirrored, and its thresholds are not symmetric")
    model, n = found.model, len(found.coefficients)
    names = (*model.names, "tie") if mirrored else (*model.names, "order", "tie")
    to = np.zeros((len(names), n + 2))
    to[: len(model.names), :n] = model.map
    to[-1, -2:] = -0.5, 0.5
    if not mirrored:
        to[-2, -2:] = -0.5, -0.5
    of_all = to @ covariance(call, (*found.coefficients, *(zeta.names or ()))) @ to.T
    theta = to @ np.concatenate([fitted.of(found.coefficients)[0], ends])
    p = RParameters(names, theta, of_all, "log-odds", model.reference)
    folded = mirrored and not (model.variables or model.comparison or model.item_terms)
    contests = _folded(model.contests) if folded else model.contests
    model = replace(model, contests=contests, ties="rao-kupper", order_effect=not mirrored)
    code = designs.fit_call(replace(found, model=model), "fit_bradley_terry", call.variable)
    made(code)
    values = llf_and_aic(call.number("loglik"), len(names))
    said = "tie = (zeta2 - zeta1) / 2" + ("" if mirrored else ", order = -(zeta1 + zeta2) / 2")
    notes = (BY_DESIGN, *(["each contest and its mirror image are read as one contest"] if mirrored else []))

    def judge(fit: Fit) -> Rows:
        """polr's deviance is -2 log L; its df are answers less parameters, of which R may have one more."""
        rank, r = float(fit.rank + mirrored), Beside(call, floor("llf", designs.POLR).digits)
        rows = of_fit(call, fit, p, values, said, name=designs.towards(designs.POLR, fit))
        rows += r.numbers(deviance_polr=-2.0 * fit.llf)
        return rows + Beside(call).numbers(df_residual=float(weights.sum()) - rank, loglik_df=rank)

    return Translation("native", code, notes=notes, judge=judge)


def _ordered(call: RecordedCall) -> tuple[designs.Fitted, tuple[str, ...]]:
    """What a polr was fitted to, and the levels of its answers."""
    fitted = designs.fitted_of(call, ("(Intercept)",))
    y = call.vector("y")
    return fitted, needed(y.levels if y is not None else None, "its response was not recorded")


def _is_mirrored(contests: Contests) -> bool:
    """Whether each row stands there a second time with the sides and the answer exchanged."""
    assert contests.ties is not None
    one: defaultdict[tuple[object, ...], float] = defaultdict(float)
    other: defaultdict[tuple[object, ...], float] = defaultdict(float)
    answers = np.column_stack([contests.losses, contests.ties, contests.wins]).tolist()
    columns = (np.round(z, 9) + 0.0 for z in (contests.logit, -contests.logit))
    sides = (contests.first.tolist(), contests.second.tolist())
    for i, j, x, back, weights in zip(*sides, *(map(tuple, c.tolist()) for c in columns), answers):
        for answer, weight in enumerate(weights):
            if weight:
                one[i, j, x, answer] += weight
                other[j, i, back, 2 - answer] += weight
    return one.keys() == other.keys() and all(abs(one[k] - other[k]) < 1e-9 for k in one)


def _folded(contests: Contests) -> Contests:
    """A row for each pair, the item that comes first in the order of items first."""
    straight = contests.turned(contests.first > contests.second)
    assert straight.ties is not None
    pairs, of = np.unique(np.column_stack([straight.first, straight.second]), axis=0, return_inverse=True)
    n, counted = len(pairs), (straight.wins, straight.losses, straight.ties)
    wins, losses, ties = (np.bincount(of.ravel(), x, n).astype(float) for x in counted)
    none = np.zeros((n, 0))
    return Contests(pairs[:, 0], pairs[:, 1], wins, losses, ties, none, none, np.arange(n)[:, None])


#: Digits of glmer by its values against glmer by its formula: observed 16.0 with one random term and with 3.
#: Columns in another order end its search elsewhere; two searches share 4.6 digits of an estimate and more.
SEARCH = 4.0
WHY_SEARCH = "glmer's search stops at its own tolerance, and its standard errors are by finite differences"
#: brglm refits by pseudo-data to 1e-8. Observed 16.0.
REFITS = 9.0
WHY_REFITS = "brglm refits until its scores change by less than 1e-8"
OF_BRGLM = 'it has bias-reduced estimates on a design made in the script; fit_bradley_terry(reduce_bias="mean") has them for contests'


# -- glmer, brglm --------------------------------------------------------------------------------------------


def _fitted(call: RecordedCall, families: Sequence[str], lost: str) -> designs.Fitted:
    """What R fitted; the call stays there where it was not recorded, or is of another family."""
    try:
        fitted = designs.fitted_of(call)
    except StaysInR:
        raise StaysInR(lost) from None
    stays_if(fitted.family not in families, lost)
    return fitted


@translates("lme4::glmer")
def glmer(call: RecordedCall, context: Context) -> Translation:
    """`bridge.lme4.glmer_design(frame, "(y)", [groups], effects=, ...)`."""
    lost = "its design was not recorded, or its family is not one for counts"
    fitted, terms = _fitted(call, ("binomial", "poisson"), lost), random_terms(call)
    names, link = fitted.design.names, (fitted.family, fitted.link)
    stays_if(not terms, "its random effects are not of columns of its data")
    foreign = next((e for _, own in terms for e in own if e not in (CONSTANT, *names)), None)
    stays_if(foreign, f"its random effects vary with {foreign}, which is not a column of its fixed effects")
    no_groups = "the groups of its random effects were not recorded"
    groups = {name: needed(_labels(call, name), no_groups) for name, _ in terms}
    answers.all_known(call, "nAGQ")
    frame, given = fitted.frame(**groups)
    options = stated(effects=any(own != [CONSTANT] for _, own in terms) and [own for _, own in terms]) | given
    options |= {} if link == ("binomial", "logit") else {"family": link[0], "link": link[1]}
    options |= answers.options_of({"nAGQ": (int, 1)}, call.values.get)
    why = "it has random effects on a design made in the script, which lme4 fits"
    arguments, judge = [frame, designs.Y, [name for name, _ in terms]], partial(_mixed_rows, call)
    return bridged(why, "lme4.glmer_design", arguments, options, judge)


def random_terms(call: RecordedCall) -> list[tuple[str, list[str]]]:
    """(group, effects) of each random term, as lme4 lists their standard deviations."""
    found: dict[str, list[str]] = {}
    for group, effect, _ in _deviations(call):
        found.setdefault(group, []).append(effect)
    return [(_bare(name, call), own) for name, own in found.items()]


def _deviations(call: RecordedCall) -> list[tuple[str, str, float]]:
    """R's group, effect and standard deviation of each random effect."""
    table = call.frame("varcorr")
    if table is None or not {"grp", "var1", "var2"} <= set(table.names or ()):
        return []
    rows = zip(*(table.vector(n).values.tolist() for n in ("grp", "var1", "var2", "sdcor")))
    return [(str(g), str(e), float(sd)) for g, e, other, sd in rows if other is None and e is not None]


def _bare(name: str, call: RecordedCall) -> str:
    """lme4 calls a second term of the same group "judge.1"."""
    stem, _, number = name.rpartition(".")
    return stem if stem and number.isdigit() and _labels(call, name) is None else name


def _labels(call: RecordedCall, group: str) -> list[Any] | None:
    """The group of each row; of "a:b" both labels."""
    frame = call.frame("frame")
    if frame is None:
        return None
    columns = answers.vectors_of(frame)
    parts = [group] if group in columns else group.split(":")
    if not set(parts) <= set(columns) or any(columns[p].na.any() for p in parts):
        return None
    return [":".join(map(str, own)) for own in zip(*(answers.plain_values(columns[p]) for p in parts))]


def _mixed_rows(call: RecordedCall, model: MixedDesign) -> Rows:
    r = Beside(call, SEARCH, WHY_SEARCH)
    theirs = {f"{_bare(group, call)}: {effect}": value for group, effect, value in _deviations(call)}
    deviations = r.array("sd", model, theirs, "sd", "effects")
    return [*r.model(model), *deviations, *Beside(call, 7.0, WHY_SEARCH).fields(model, "llf")]


@translates("brglm::brglm")
def brglm(call: RecordedCall, context: Context) -> Translation:
    """`bridge.brglm.brglm_design(frame, ".y", ...)`."""
    lost = "its design was not recorded, or its response is not successes and failures"
    fitted = _fitted(call, ("binomial",), lost)
    frame, given = fitted.frame()
    options = given | stated(link=fitted.link != "logit" and fitted.link)
    judge: Judge = lambda model: Beside(call, REFITS, WHY_REFITS).model(model, "deviance df_residual loglik")
    return bridged(OF_BRGLM, "brglm.brglm_design", [frame, designs.Y], options, judge)
