"""The report on inference: tests by cluster, confidence limits, many comparisons and ranks, each beside the R
functions that have them, and where R's obvious call is another estimator.

By cluster: all items equal (HTZ) against clubSandwich's, two systems by judges against base R's and lme4's.

Limits without a normal approximation: bootstrap limits against boot's, profile limits against MASS's confint
and against constrained refits.  Both sides are given the same replicates and the same influence values, so no
seed is in it.  confint interpolates the profile by a spline and has 4 to 6 digits; a constrained refit, glm
with the parameter held fixed by an offset, has 10.

Many comparisons and ranks against multcomp's, mvtnorm's, multcompView's and csranks'.  Both sides start from
the same estimates and covariance.  Single-step p-values and critical values are integrals by random points on
both sides: they are judged by their errors, not by digits.  Holm's and Benjamini and Hochberg's p-values,
letters and rank sets have no such part (no statistic lies near a critical value).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np

from ....bridge.packages import boot, clubsandwich, csranks as r_csranks, lme4, multcomp, profiles
from ....bridge.process.policy import Backend
from ....bridge.programs.counted_cells import count
from ....fit.fit import Fit
from ....fit.many.abilities import Abilities
from ....fit.many.comparison_results import Contrasts, RankSets
from ....fit.many.ranks import rank_sets
from ....fit.many.simultaneous import Adjustment, DegreesOfFreedom, contrasts
from ....native.competitions.ranking.tests_by_judge import (
    beta_binomial,
    judge_means,
    judges_differ,
    random_effect,
)
from ....native.competitions.ranking.two_systems import answers_of
from ....native.inference.profile_likelihood import profile_intervals
from ....native.inference.replicates import acceleration, bca, percentile
from ....numerics.arrays import FloatArray
from ....report.blocks import Table
from ...check.checker import Checker
from ...claims.data import table_of as table_named
from ...r_answers.ask import Question
from ...r_answers.clustered import rows_of
from ...r_answers.translate import linear_map
from ...report.context import Story
from ...verdicts.agreement import Agreement
from ..asked_of_base_r import BaseR, by_judges
from ..compared_with_r import Answer, Held, Place, digits_rows, held_beside_r, rows_beside_r, single_step_rows
from ..told import Words, beside_r, functions_and_sources

PAPER, WORDS = "inference", Words(__package__)
HTZ, BASE = "clubSandwich::Wald_test", "base R, t.test and chisq.test"
OPTIM, GLMER = "stats::optim, beta-binomial", "lme4::glmer"
#: Hypotheses that all items are equal, by the claim whose fit they are of.
JOINT = ("davidson-judge-cr2", "bradley-terry-judge-cr2", "davidson-source-cr2")
#: Pairs of Vilar's systems that are compared by judges.  Of B and D the judges differ less than by chance:
#: there optim runs off along the correlation, which is 0.
PAIRS = (("A", "B"), ("A", "D"))


def rows_by_judges(checker: Checker, backend: Backend) -> list[Agreement]:
    """Joint tests of D24's items, and two pairs of Vilar's systems."""
    found: list[Agreement] = []
    for claim in JOINT:
        found += _joint(claim, checker.fit(claim), backend)
    for a, b in PAIRS:
        of = answers_of(checker.data("vilar"), a, b)
        found += _two_systems(f"{a}-{b}", of.wins, of.losses, of.ties, backend)
    return found


def _joint(claim: str, fit: Fit, backend: Backend) -> list[Agreement]:
    assert fit.robust is not None
    items = [t.name for t, fixed in zip(fit.terms, fit.is_reference) if t.kind == "item" and not fixed]
    own = fit.wald(items)
    columns = fit.robust.columns
    rows, names, reference = rows_of(Question(fit, count(fit, columns), backend))
    functions = linear_map(fit, names, "log-odds", reference)[[fit.names.index(name) for name in items]]
    place = Place(PAPER, f"{claim}-joint", f"all items equal, {fit.robust.title}")

    def held(r: clubsandwich.SmallSample) -> list[Held]:
        return [
            Held("test_statistic.items-equal", own.statistic, r.f, HTZ),
            Held("test_df.items-equal", own.df_denom, r.f_df, HTZ),
            Held("test_p.items-equal", own.p, r.f_p, HTZ),
        ]

    ask = partial(clubsandwich.vcovCR, rows, columns, "CR2", functions, range(len(items)), backend=backend)
    return held_beside_r(place, "items-equal", HTZ, "HTZ test", backend, ask, held, str(own))


def _two_systems(
    pair: str, a: FloatArray, b: FloatArray, ties: FloatArray, backend: Backend
) -> list[Agreement]:
    place = Place(PAPER, f"two-systems-{pair}", f"Vilar et al. (2007), Table 2: {pair} by {len(a)} judges")
    means, differ = judge_means(a, b, ties), judges_differ(a, b, ties)
    mixed, effect = beta_binomial(a, b), random_effect(a, b)

    own = {
        "estimate.judge-means": (means.estimate, "mean", BASE),
        "test_statistic.judge-means": (means.statistic, "t", BASE),
        "test_df.judge-means": (means.df, "df", BASE),
        "test_p.judge-means": (means.p, "p", BASE),
        "test_statistic.judges-differ": (differ.statistic, "chi2", BASE),
        "test_df.judges-differ": (differ.df, "chi2_df", BASE),
        "test_p.judges-differ": (differ.p, "chi2_p", BASE),
        "estimate.beta-binomial": (mixed.estimate, "logit", OPTIM),
        "score.intra-class-correlation": (mixed.spread, "icc", OPTIM),
        "test_p.beta-binomial": (mixed.p, "lr_p", OPTIM),
    }

    def by_base_r(r: BaseR) -> list[Held]:
        return [Held(name, value, float(r[key]), call) for name, (value, key, call) in own.items()]

    def by_lme4(r: lme4.JudgeEffect) -> list[Held]:
        return [
            Held("estimate.random-effect", effect.estimate, r.estimate, GLMER),
            Held("se.random-effect", effect.se, r.se, GLMER),
            Held("score.sd-of-judges", effect.spread, r.sd, GLMER),
        ]

    base = partial(by_judges, a, b, ties, backend=backend)
    glmer = partial(lme4.glmer, a, b, backend=backend)
    return [
        *held_beside_r(place, "by-judges", BASE, "tests by judges", backend, base, by_base_r),
        *held_beside_r(place, "random-effect", GLMER, "a random judge effect", backend, glmer, by_lme4),
    ]


BOOT, REFITS, CONFINT = "boot::boot.ci", "stats::glm, constrained refits", "MASS::confint"
#: Influence values whose acceleration is 0, and some that are skewed (acceleration .057).
INFLUENCE = {"symmetric": [-1.0, 1.0], "skewed": [-2.0, -1.0, 0.0, 0.0, 0.0, 3.0]}
RAO_KUPPER = "rao-kupper-model"
#: The models whose profiles are taken: claim of the file, with differences of items beside the parameters.
PROFILED: dict[str, tuple[tuple[str, str], ...]] = {
    "dras-bradley-terry-model": (),
    "dras-davidson-model": (("A", "B"),),
    "davidson-model": (("A", "B"), ("D", "E")),
    RAO_KUPPER: (),
}


def rows_of_limits(checker: Checker, backend: Backend) -> list[Agreement]:
    """Limits of a bootstrap, and of the profiles of three models."""
    found = _boot(backend)
    for claim, pairs in PROFILED.items():
        found += _profiles(claim, checker.fit(claim), pairs, backend)
    return found


# -- bootstrap -----------------------------------------------------------------------------------------------


def replicates() -> FloatArray:
    """999 replicates of an estimate .8, skewed to the right: .8 + .3 z + .05 (z^2 - 1), z normal quantiles."""
    from scipy.special import ndtri

    z = ndtri(np.arange(1, 1000) / 1000)
    return np.asarray(0.8 + 0.3 * z + 0.05 * (z**2 - 1.0))


def _boot(backend: Backend) -> list[Agreement]:
    t = replicates()
    ordered = np.sort(t)
    found: list[Agreement] = []
    for name, influence in INFLUENCE.items():
        a = acceleration(-np.array(influence))
        own = {"percentile": percentile(ordered, 0.95), "bca": bca(ordered, 0.8, a, 0.95)}
        place = Place(PAPER, f"bootstrap-{name}", f"999 replicates, influence values {influence}")

        def held(r: boot.BootLimits, own: dict[str, tuple[float, float]] = own) -> list[Held]:
            of_r = {"percentile": r.percentile, "bca": r.bca}
            sides = [(name, k, side) for name in own for k, side in enumerate(("low", "high"))]
            return [Held(f"limit_{side}.{m}", own[m][k], float(of_r[m][k]), BOOT) for m, k, side in sides]

        ask = partial(boot.boot_ci, 0.8, t, influence, backend=backend)
        found += held_beside_r(place, name, BOOT, "bootstrap limits", backend, ask, held)
    return found


# -- profiles ------------------------------------------------------------------------------------------------


def _profiles(claim: str, fit: Fit, pairs: tuple[tuple[str, str], ...], backend: Backend) -> list[Agreement]:
    """By constrained refits and by confint; of Rao and Kupper's model by confint alone, and nothing of the
    threshold: polr has two, and profiles none.
    """
    names, functions = _functions(fit, pairs)
    low, high = profile_intervals(fit, functions)
    place = Place(PAPER, f"profile-{claim}", f"{fit.title}: profile likelihood, 95 %")
    rows, of_r, _ = rows_of(Question(fit, count(fit), backend))
    by_polr = claim == RAO_KUPPER
    said = "profile limits of polr" if by_polr else f"profile limits of {', '.join(names)}"
    held = partial(_held, names, low, high)
    found: list[Agreement] = []
    if not by_polr:
        asked = functions[:, [fit.names.index(name) for name in of_r]]
        refits = partial(profiles.constrained_refits, rows, asked, backend=backend)
        found += held_beside_r(place, "refits", REFITS, said, backend, refits, partial(held, names, REFITS))
    spline, of_spline = partial(profiles.confint, rows, backend=backend), partial(held, of_r, CONFINT)
    return found + held_beside_r(place, "confint", CONFINT, said, backend, spline, of_spline)


def _functions(fit: Fit, pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], FloatArray]:
    """Every free parameter and some differences of items: their names, and float[m, n_params]."""
    unit = np.eye(len(fit.names))
    place = {name: k for k, name in enumerate(fit.names)}
    free = [name for name, is_reference in zip(fit.names, fit.is_reference) if not is_reference]
    functions = [unit[place[name]] for name in free] + [unit[place[a]] - unit[place[b]] for a, b in pairs]
    return (*free, *(f"{a}-{b}" for a, b in pairs)), np.array(functions)


def _held(
    names: tuple[str, ...],
    low: FloatArray,
    high: FloatArray,
    order: tuple[str, ...],
    r_call: str,
    r: profiles.ProfileLimits,
) -> Iterator[Held]:
    """Limits by name; R has them in `order`, and of some names none.  Errors are measured by the interval."""
    for k, name in enumerate(order[: len(r.low)]):
        at = names.index(name)
        width = float(high[at] - low[at])
        yield Held(f"limit_low.profile.{name}", float(low[at]), float(r.low[k]), r_call, width)
        yield Held(f"limit_high.profile.{name}", float(high[at]), float(r.high[k]), r_call, width)


Side = Literal["both", "lower", "upper"]
GLHT, LETTERS, CSRANKS = "multcomp::glht", "multcompView::multcompLetters", "csranks::csranks"
#: Degrees of freedom of the check by a multivariate t: R wants a whole number (those of CR2 are 22.9 to 23).
COMMON_DF = 23


def rows_of_many(checker: Checker, backend: Backend) -> list[Agreement]:
    """All pairs of D24's items, normal and t on a common df; ranks of D24, of Dras's items and of eight made up."""
    d24 = table_of(checker)
    found = _all_pairs("all-pairs", d24, 0, backend) + _all_pairs("all-pairs-t", d24, COMMON_DF, backend)
    found += _letters(d24, backend)
    for name, abilities in (("d24", d24), ("eight", eight())):
        found += _ranks(name, abilities, backend)
    return found


# -- what they start from ------------------------------------------------------------------------------------


def table_of(checker: Checker) -> Abilities:
    """The claims file's table of estimates with their covariance by judge."""
    table = table_named(checker.paper, "d24-by-judge")
    items = tuple(str(item) for item in table["item"])
    return abilities(items, table["estimate"].to_numpy(float), table[list(items)].to_numpy(float))


def eight() -> Abilities:
    """Eight items with known estimates whose neighbours are correlated."""
    k = np.arange(8)
    sigma = 0.02 * 0.5 ** np.abs(k[:, None] - k[None, :]) + 0.01 * np.eye(8)
    estimate = np.array([1.4, 1.2, 0.9, 0.85, 0.5, 0.2, 0.1, 0.0])
    return abilities(tuple(f"i{j + 1}" for j in k), estimate, sigma)


def abilities(
    items: tuple[str, ...], estimate: FloatArray, covariance: FloatArray, df: float = np.inf
) -> Abilities:
    """Abilities with standard errors of all differences, on one df."""
    v = np.diag(covariance)
    se = np.sqrt(np.maximum(v[:, None] + v[None, :] - 2.0 * covariance, 0.0))
    np.fill_diagonal(se, np.nan)
    return Abilities(items, estimate, covariance, se, np.full(se.shape, df))


# -- contrasts -----------------------------------------------------------------------------------------------


def _all_pairs(claim: str, one: Abilities, df: int, backend: Backend) -> list[Agreement]:
    own = abilities(one.items, one.estimate, one.covariance, float(df)) if df else one
    kind: DegreesOfFreedom = "common" if df else "own"
    adjustments: tuple[Adjustment, ...] = ("single-step", "holm", "bh")
    made: dict[str, Contrasts] = {
        adjust: contrasts(own, "all pairs", adjust=adjust, df=kind if adjust == "single-step" else "own")
        for adjust in adjustments
    }
    law = f"t on {df} df" if df else "normal"
    place = Place(PAPER, claim, f"D24, Davidson, CR2 by judge: 15 pairs, {law}")

    def answered(answer: Answer[multcomp.ManyComparisons]) -> list[Agreement]:
        return [
            *digits_rows(place, _separate(made, answer.value), answer.result),
            *single_step_rows(place, answer.value.names, made["single-step"], answer, GLHT),
        ]

    pairs = multcomp.all_pairs(one.items)
    ask = partial(multcomp.glht, one.estimate, one.covariance, pairs, df, backend=backend)
    return rows_beside_r(place, {claim: None}, GLHT, "15 differences of D24's items", backend, ask, answered)


def _separate(made: dict[str, Contrasts], r: multcomp.ManyComparisons) -> Iterator[Held]:
    one = made["single-step"]
    for k, name in enumerate(r.names):
        yield Held(f"estimate.{name}", float(one.estimate[k]), float(r.estimate[k]), GLHT, float(one.se[k]))
        yield Held(f"se.{name}", float(one.se[k]), float(r.se[k]), GLHT)
        yield Held(f"test_p.{name}", float(one.p[k]), float(r.separate[k]), GLHT)
        yield Held(f"test_p.holm.{name}", float(made["holm"].adjusted[k]), float(r.holm[k]), GLHT)
        yield Held(f"test_p.bh.{name}", float(made["bh"].adjusted[k]), float(r.bh[k]), GLHT)


def _letters(one: Abilities, backend: Backend) -> list[Agreement]:
    """Whether two items share a letter, by p-values that are not adjusted (adjusted ones tell none apart)."""
    made = contrasts(one, "all pairs", adjust="none")
    place = Place(PAPER, "letters", "D24, Davidson, CR2 by judge, normal p-values not adjusted, .05")
    native = dict(zip(one.items, made.letters))

    def answered(answer: Answer[multcomp.Letters]) -> list[Agreement]:
        of_r = dict(zip(answer.value.items, answer.value.letters))
        held = [
            Held(f"shared_letters.{a}-{b}", _shared(native, a, b), _shared(of_r, a, b), LETTERS)
            for a, b in combinations(one.items, 2)
        ]
        said = "letters " + " ".join(f"{item} {of_r[item]}" for item in one.items)
        return digits_rows(place, held, answer.result, said)

    ask = partial(multcomp.multcompLetters, made.first, made.second, made.p, backend=backend)
    return rows_beside_r(place, {"letters": None}, LETTERS, "letters of six items", backend, ask, answered)


def _shared(letters: dict[str, str], a: str, b: str) -> float:
    """How many letters two items share: 0, or 1 where they were not distinguished; more where groups
    overlap."""
    return float(len(set(letters[a]) & set(letters[b])))


# -- ranks ---------------------------------------------------------------------------------------------------

#: Name of the row, native's options, csranks' options.
_SETS: tuple[tuple[str, bool, Side, r_csranks.Sided], ...] = (
    ("simultaneous", True, "both", "two-sided"),
    ("marginal", False, "both", "two-sided"),
    ("lower", True, "lower", "lower"),
    ("upper", True, "upper", "upper"),
    ("lower-marginal", False, "lower", "lower"),
    ("upper-marginal", False, "upper", "upper"),
)
#: Bounds that csranks' draws cannot settle, and why.
UNDECIDED = {"rank_low.lower-marginal.i4": WORDS.say("undecided")}


def _ranks(name: str, one: Abilities, backend: Backend) -> list[Agreement]:
    found: list[Agreement] = []
    what = f"confidence sets of the ranks of {len(one.items)} items, normal, stepwise"
    place = Place(PAPER, f"ranks-{name}", what)
    for label, simultaneous, side, cstype in _SETS if name == "eight" else _SETS[:2]:
        own = rank_sets(one, simultaneous=simultaneous, side=side)
        asked = partial(r_csranks.csranks, one.estimate, one.covariance, backend=backend)
        ask = partial(asked, cstype=cstype, simul=simultaneous)
        answered = partial(_rank_rows, place, label, own)
        found += rows_beside_r(place, {label: None}, CSRANKS, f"{label} rank sets", backend, ask, answered)
    return found


def _rank_rows(
    place: Place, label: str, own: RankSets, answer: Answer[r_csranks.RankSets]
) -> list[Agreement]:
    r = answer.value
    held = []
    for k, item in enumerate(own.items):
        held.append(Held(f"rank_low.{label}.{item}", float(own.low[k]), float(r.lower[k]), CSRANKS))
        held.append(Held(f"rank_high.{label}.{item}", float(own.high[k]), float(r.upper[k]), CSRANKS))
    settled = [h for h in held if h.quantity not in UNDECIDED]
    open_ = {"verdict": "not-checkable", "code": "monte-carlo", "r_arrived": False}
    left = [h for h in held if h.quantity in UNDECIDED]
    return digits_rows(place, settled, answer.result) + [
        h.row(place, answer.result, explanation=UNDECIDED[h.quantity], **open_) for h in left
    ]


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Joint tests, many comparisons, ranks, bootstrap and profile limits, two systems by judges."""
    joint = rows_by_judges(checker, backend)
    return joint + rows_of_many(checker, backend) + rows_of_limits(checker, backend)


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """What R gives of a raw glm; which R functions were asked what."""
    witnesses = functions_and_sources(beside_r(agreements, PAPER), WORDS.say("witnesses"))
    return (_raw_glm(checker, agreements), witnesses)


def _raw_glm(checker: Checker, agreements: Sequence[Agreement]) -> Story:
    own = checker.fit("dras-bradley-terry-cr2").bse
    lines = [("Fit.clustered, CR2", *(f"{float(own[i]):.6f}" for i in "ABC"))]
    for claim in checker.paper.claims:
        found = {a.quantity.name: a.r for a in agreements if a.claim == claim.id and a.r is not None}
        if claim.compute == "errors-of-a-raw-glm" and found:
            shown = (f"{found[i]:.6f}" if found.get(i) is not None else "-" for i in "ABC")
            lines.append((claim.where.partition(";")[0], *shown))
    caption = "Standard errors of one model for one table"
    return WORDS.section("raw-glm", Table(("R was asked for", "A", "B", "C"), tuple(lines), caption))
