"""Tests by cluster: all items equal (HTZ) against clubSandwich's, two systems by judges against base R's and lme4's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....bridge.cells import count
from ....bridge.oracles import two_systems
from ....bridge.packages import clubsandwich, lme4
from ....native.ranking.by_judge import judge_means, judges_differ
from ....native.ranking.judge_effects import beta_binomial, random_effect
from ...r_answers.ask import Question
from ...r_answers.clustered import rows_of
from ...r_answers.translate import linear_map
from ..compared_with_r import Answer, Held, Place, digits_rows, rows_beside_r

if TYPE_CHECKING:
    from ....bridge.oracles.two_systems import RByJudges
    from ....bridge.packages.clubsandwich import SmallSample
    from ....bridge.packages.lme4 import JudgeEffect
    from ....bridge.process.policy import Backend
    from ....data.comparisons import Comparisons
    from ....fit.fit import Fit
    from ...check import Checker
    from ...verdicts.agreement import Agreement

FloatArray = NDArray[np.float64]
PAPER = "inference"
HTZ, BASE, OPTIM, GLMER = (
    "clubSandwich::Wald_test",
    "base R, t.test and chisq.test",
    "stats::optim, beta-binomial",
    "lme4::glmer",
)
#: Hypotheses that all items are equal, by the claim whose fit they are of.
JOINT = ("davidson-judge-cr2", "bradley-terry-judge-cr2", "davidson-source-cr2")
#: Pairs of Vilar's systems that are compared by judges.  Of B and D the judges differ less than by chance:
#: there optim runs off along the correlation, which is 0.
PAIRS = (("A", "B"), ("A", "D"))


def rows(checker: Checker, backend: Backend) -> list[Agreement]:
    """Joint tests of D24's items, and two pairs of Vilar's systems."""
    found: list[Agreement] = []
    for claim in JOINT:
        found += _joint(claim, checker.fit(claim), backend)
    for a, b in PAIRS:
        found += _two_systems(f"{a}-{b}", *answers(checker.data("vilar"), a, b), backend)
    return found


def _joint(claim: str, fit: Fit, backend: Backend) -> list[Agreement]:
    assert fit.robust is not None
    items = [t.name for t, fixed in zip(fit.terms, fit.is_reference) if t.kind == "item" and not fixed]
    own = fit.wald(items)
    columns = fit.robust.columns
    rows, names, reference = rows_of(Question(fit, count(fit, columns), backend))
    functions = linear_map(fit, names, "log-odds", reference)[[fit.names.index(name) for name in items]]
    place = Place(PAPER, f"{claim}-joint", f"all items equal, {fit.robust.title}")

    def answered(answer: Answer[SmallSample]) -> list[Agreement]:
        r = answer.value
        held = [
            Held("test_statistic.items-equal", own.statistic, r.f, HTZ),
            Held("test_df.items-equal", own.df_denom, r.f_df, HTZ),
            Held("test_p.items-equal", own.p, r.f_p, HTZ),
        ]
        return digits_rows(place, held, answer.result, str(own))

    ask = partial(clubsandwich.vcovCR, rows, columns, "CR2", functions, range(len(items)), backend=backend)
    return rows_beside_r(place, {"items-equal": None}, HTZ, "HTZ test", backend, ask, answered)


def answers(table: Comparisons, a: str, b: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of each judge: how often a was preferred to b, b to a, and neither."""
    i, j = table.items.index(a), table.items.index(b)
    forth = (table.first == i) & (table.second == j)
    back = (table.first == j) & (table.second == i)
    here = forth | back
    wins = np.where(forth, table.wins, table.losses)[here]
    losses = np.where(forth, table.losses, table.wins)[here]
    return wins, losses, table.ties[here]


def _two_systems(
    pair: str, a: FloatArray, b: FloatArray, ties: FloatArray, backend: Backend
) -> list[Agreement]:
    place = Place(PAPER, f"two-systems-{pair}", f"Vilar et al. (2007), Table 2: {pair} by {len(a)} judges")
    means, differ = judge_means(a, b, ties), judges_differ(a, b, ties)
    mixed, effect = beta_binomial(a, b), random_effect(a, b)

    def by_base_r(answer: Answer[RByJudges]) -> list[Agreement]:
        r = answer.value
        held = [
            Held("estimate.judge-means", means.estimate, r.mean, BASE),
            Held("test_statistic.judge-means", means.statistic, r.t, BASE),
            Held("test_df.judge-means", means.df, r.df, BASE),
            Held("test_p.judge-means", means.p, r.p, BASE),
            Held("test_statistic.judges-differ", differ.statistic, r.chi2, BASE),
            Held("test_df.judges-differ", differ.df, r.chi2_df, BASE),
            Held("test_p.judges-differ", differ.p, r.chi2_p, BASE),
            Held("estimate.beta-binomial", mixed.estimate, r.logit, OPTIM),
            Held("score.intra-class-correlation", mixed.spread, r.icc, OPTIM),
            Held("test_p.beta-binomial", mixed.p, r.lr_p, OPTIM),
        ]
        return digits_rows(place, held, answer.result)

    def by_lme4(answer: Answer[JudgeEffect]) -> list[Agreement]:
        r = answer.value
        held = [
            Held("estimate.random-effect", effect.estimate, r.estimate, GLMER),
            Held("se.random-effect", effect.se, r.se, GLMER),
            Held("score.sd-of-judges", effect.spread, r.sd, GLMER),
        ]
        return digits_rows(place, held, answer.result)

    base = partial(two_systems.by_judges, a, b, ties, backend=backend)
    glmer = partial(lme4.glmer, a, b, backend=backend)
    return rows_beside_r(
        place, {"by-judges": None}, BASE, "tests by judges", backend, base, by_base_r
    ) + rows_beside_r(place, {"random-effect": None}, GLMER, "a random judge effect", backend, glmer, by_lme4)
