"""Clusters, bootstraps and profiles of whole answers and of contests, held against the engine of comparisons.

Comparisons that do not depend on each other have the same likelihood as answers and as rows: every number has to be
the same, whichever engine gives it.  That of rows is held against clubSandwich, boot and MASS elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.respondents.codes import BELOW, MISSING
from pairproof.errors import InputError
from pairproof.fit.fit import Fit

pytestmark = pytest.mark.xdist_group("whole answers drawn again")

PAIRS = [(i, j) for j in range(4) for i in range(j)]
WORTHS = np.array([0.6, 0.2, 0.0, -0.5])
ALL = ["params", "contrasts", "worth", "probabilities", "ranks"]
#: Two ways to the same maximum; observed 1e-15 of replicates and 3e-13 of profile limits.
SAME = dict(rtol=1e-10, atol=1e-11)


def both(
    n: int = 40, seed: int = 1, spread: float = 0.5, gaps: float = 0.0, ties: float = 0.7
) -> tuple[pairproof.Respondents, pairproof.Comparisons]:
    """The same answers of n persons at 13 sites, person by person and row by row."""
    draw = np.random.default_rng(seed)
    answers = np.zeros((n, 6), int)
    for k in range(n):
        own = WORTHS + spread * draw.normal(size=4)
        for q, (i, j) in enumerate(PAIRS):
            p = np.array([np.exp(own[i] - own[j]), ties, np.exp(own[j] - own[i])])
            answers[k, q] = draw.choice([1, 0, -1], p=p / p.sum())
    lost = draw.random(answers.shape) < gaps
    site, sex = np.arange(n) % 13, 1 - np.arange(n) % 2
    columns = {
        "site": Factor(site, tuple(f"s{k:02}" for k in range(13))),
        "sex": Factor(sex, ("f", "m")),
        "person": Factor(np.arange(n), tuple(f"p{k:02}" for k in range(n))),
    }
    persons = pairproof.Respondents.build(
        "ABCD", "comparisons", np.where(lost, MISSING, answers), tie_category=ties > 0, columns=columns
    )
    words = {1: "first", 0: "tie", -1: "second"}
    rows = [
        ("ABCD"[i], "ABCD"[j], words[answers[k, q]], f"s{site[k]:02}", "fm"[sex[k]], f"p{k:02}")
        for k in range(n)
        for q, (i, j) in enumerate(PAIRS)
        if not lost[k, q]
    ]
    names = ["first", "second", "outcome", "site", "sex", "person"]
    return persons, pairproof.read(pd.DataFrame(rows, columns=names))


@pytest.fixture(scope="module", params=["", "sex"])
def fits(request: Any) -> tuple[Fit, Fit, str | None]:
    persons, rows = both()
    group = "sex=m" if request.param else None
    return (
        pairproof.fit_pattern(persons, ties="davidson", by=request.param),
        pairproof.fit_llbt(rows, ties="davidson", by=request.param),
        group,
    )


@pytest.mark.parametrize("kind", ["CR0", "CR1", "CR2"])
def test_errors_degrees_of_freedom_and_joint_tests_by_cluster_are_those_of_rows(fits: Any, kind: Any) -> None:
    answers, rows = (fit.clustered("site", kind=kind) for fit in fits[:2])
    np.testing.assert_allclose(answers.bse, rows.bse.reindex(answers.bse.index), **SAME)
    free = np.eye(len(answers.terms))[answers.free]
    for fit in (answers, rows):
        assert fit.robust.title == f"{kind} by site (13 clusters)"
    np.testing.assert_allclose(
        answers.robust.degrees_of_freedom(free), rows.robust.degrees_of_freedom(free), **SAME
    )
    some = np.eye(len(answers.terms))[:3]
    one = answers.robust.joint_test(some, answers.beta[:3])
    np.testing.assert_allclose(one, rows.robust.joint_test(some, rows.beta[:3]), **SAME)


def test_every_person_a_cluster_is_a_column_of_persons(fits: Any) -> None:
    for kind in ("CR0", "CR1", "CR2"):
        alone = fits[0].clustered(kind=kind)
        by_column = fits[1].clustered("person", kind=kind)
        np.testing.assert_allclose(alone.bse, by_column.bse.reindex(alone.bse.index), **SAME)


def test_what_one_cluster_alone_determines_has_no_standard_error() -> None:
    """Each sex has parameters of its own: clusters by sex show no spread of them, and an error of 0 would claim certainty."""
    persons, _ = both()
    for kind in ("CR0", "CR1", "CR2"):
        found = pairproof.fit_pattern(persons, ties="davidson", by="sex").clustered("sex", kind=kind).bse
        assert found.drop("tie").isna().all() and found["tie"] > 0


def test_a_reference_and_a_scale_change_no_contrast_by_cluster(fits: Any) -> None:
    fit = fits[0].clustered("site", kind="CR2")
    moved = fit.with_reference("sum").on_scale("log-odds")
    here, there = (f.contrast("A", "C", group=fits[2]) for f in (fit, moved))
    assert there.p == pytest.approx(here.p, rel=1e-10) and there.df == pytest.approx(here.df, rel=1e-10)


def test_incomplete_answers_have_cr1_where_a_cluster_has_no_positive_information() -> None:
    """The best one, two or three of four: some club knows less than nothing of a direction."""
    kinds = []
    for seed in (160, 1):
        draw = np.random.default_rng(seed)
        seen = 1.5 * draw.normal(size=4) + draw.gumbel(size=(24, 4))
        ranks = (-seen).argsort(axis=1).argsort(axis=1) + 1
        best = np.where(ranks <= draw.integers(1, 4, size=24)[:, None], ranks, BELOW)
        club = Factor(np.arange(24) % 8, tuple("abcdefgh"))
        table = pairproof.Respondents.build("ABCD", "rankings", best, columns={"club": club})
        plain = pairproof.fit_pattern(table)
        fit = plain.clustered("club", kind="CR2")
        kinds.append(fit.robust.kind)
        said = [caution for caution in fit.robust.cautions if "CR1 instead of CR2" in caution]
        assert len(said) == (fit.robust.kind == "CR1")
        if said:
            assert said[0] in " ".join(fit.summary().split())
            np.testing.assert_array_equal(fit.bse, plain.clustered("club", kind="CR1").bse)
    assert kinds == ["CR1", "CR2"]


def test_profiles_are_those_of_rows(fits: Any) -> None:
    answers, rows, group = fits
    np.testing.assert_allclose(answers.profile(), rows.profile(), **SAME)
    every = dict(contrasts="all", group=group)
    np.testing.assert_allclose(answers.profile(**every), rows.profile(**every), **SAME)
    pairs: Any = [("A", "B"), ("C", "D")]
    np.testing.assert_allclose(
        *(pairproof.profile_test(f, pairs, group=group) for f in (answers, rows)), **SAME
    )


@pytest.mark.parametrize("model", ["pattern", "plackett-luce"])
def test_the_likelihood_at_a_profile_limit_has_dropped_by_the_quantile(model: str) -> None:
    """Brute force: the maximum under the constraint by another optimiser, from the probabilities of all rankings."""
    from itertools import permutations

    from scipy.optimize import minimize
    from scipy.special import chdtri, logsumexp

    seen = {
        (0, 1, 2, 3): 9,
        (1, 0, 2, 3): 6,
        (0, 2, 1, 3): 5,
        (3, 0, 1, 2): 3,
        (2, 1, 0, 3): 4,
        (1, 3, 2, 0): 2,
    }
    ranks = [[order.index(i) + 1 for i in range(4)] for order, n in seen.items() for _ in range(n)]
    table = pairproof.Respondents.build("ABCD", "rankings", ranks)
    fit = (
        pairproof.fit_pattern(table)
        if model == "pattern"
        else pairproof.fit_plackett_luce(table, reference="D")
    )

    def log_p(order: Any, b: Any) -> float:
        if model == "plackett-luce":
            return float(sum(b[order[s]] - logsumexp([b[i] for i in order[s:]]) for s in range(3)))
        weight = lambda o: sum(2.0 * (3 - place) * b[i] for place, i in enumerate(o))  # noqa: E731
        return float(weight(order) - logsumexp([weight(o) for o in permutations(range(4))]))

    def llf(b: Any) -> float:
        return sum(n * log_p(order, b) for order, n in seen.items())

    low, high = fit.profile("A").loc["A", ["profile_low", "profile_high"]]
    for limit in (low, high):
        best = minimize(lambda c: -llf([limit, c[0], c[1], 0.0]), [0.0, 0.0], tol=1e-12)
        # BFGS by differences; observed 1e-11
        assert 2.0 * (fit.llf + best.fun) == pytest.approx(float(chdtri(1, 0.05)), abs=1e-6)


def test_replicates_and_their_limits_are_those_of_rows(fits: Any) -> None:
    answers, rows, group = fits
    options: Any = dict(replicates=199, seed=3, quantity=ALL, group=group, studentize=True)
    one, other = (fit.bootstrap("site", **options) for fit in (answers, rows))
    assert one.names == other.names and one.n_clusters == (13,)
    np.testing.assert_allclose(one.replicates, other.replicates, **SAME)
    np.testing.assert_allclose(one.errors, other.errors, **SAME)
    linear = [n for n in one.names if n in answers.names]
    for method, names in (("percentile", None), ("studentized", linear), ("bca", linear)):
        limits = [made.conf_int(0.9, method, names) for made in (one, other)]
        np.testing.assert_allclose(*limits, **SAME)


def test_a_users_function_is_asked_of_whole_fits(fits: Any) -> None:
    def quantity(fit: Fit) -> dict[str, float]:
        return {"llf": fit.llf, "A": fit.params["A"]}

    one, other = (fit.bootstrap("site", replicates=25, seed=3, quantity=quantity) for fit in fits[:2])
    np.testing.assert_allclose(one.replicates[:, 1], other.replicates[:, 1], **SAME)
    # Of the same rows again, but for the ways in which a person's answers can be ordered: none here.
    np.testing.assert_allclose(one.replicates, other.replicates, rtol=1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_separated_replicates_have_the_limits_of_rows(seed: int, gaps: float) -> None:
    """Seven persons: half of the replicates separate, or lack an item."""
    persons, rows = both(7, seed, 0.9, gaps, 0.0)
    answers, by_rows = pairproof.fit_pattern(persons), pairproof.fit_llbt(rows)
    options: Any = dict(replicates=150, seed=seed, quantity=["params", "worth", "ranks", "contrasts"])
    one, other = (fit.bootstrap("person", **options) for fit in (answers, by_rows))
    assert (one.n_separated, one.n_failed) == (other.n_separated, other.n_failed)
    # A finite part beside an infinite one is taken far out; observed 1e-9.
    np.testing.assert_allclose(one.replicates, other.replicates, rtol=1e-7, atol=1e-7)


def test_persons_are_drawn_where_no_column_is_named() -> None:
    persons, _ = both(200)
    fit = pairproof.fit_pattern(persons, ties="davidson")
    made = fit.bootstrap(replicates=600, seed=5)
    assert made.title.endswith("bootstrap of single persons (200)")
    # 600 replicates: a standard error has 3 % of noise; four of them.
    np.testing.assert_allclose(made.se, fit.clustered(kind="CR0").bse[list(made.names)], rtol=0.12)


@pytest.mark.parametrize(("call", "said"), [
    (lambda t: pairproof.fit_latent_classes(t, 2, starts=2).profile(), "several maxima"),
    (lambda t: pairproof.fit_plackett_luce(t, pseudo=0.5).bootstrap(), "pseudo-rankings or the prior"),
    (lambda t: pairproof.fit_plackett_luce(t, prior=1.0).profile(), "something else than the likelihood"),
    (lambda t: pairproof.fit_pattern(t).bootstrap("a", "b"), "by one column, or by person"),
    (lambda t: pairproof.fit_pattern(t).bootstrap("nobody"), "no column 'nobody'"),
    (lambda t: pairproof.fit_pattern(t).clustered().profile(), "clustered"),
])  # fmt: skip
def test_what_has_no_bootstrap_or_profile_says_why(call: Any, said: str) -> None:
    ranks = [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1], [2, 3, 1], [3, 1, 2]]
    table = pairproof.Respondents.build("ABC", "rankings", ranks, weights=[9, 7, 6, 4, 3, 2])
    with pytest.raises(InputError, match=said):
        call(table)


# -- contests ------------------------------------------------------------------------------------------------


def judged(n: int = 12, per: int = 30, seed: int = 4) -> pd.DataFrame:
    """Votes of n judges on five items, and a column of zeros."""
    draw, worth = np.random.default_rng(seed), np.array([1.2, 0.6, 0.1, -0.4, -1.3])
    rows = []
    for judge in range(n):
        for _ in range(per):
            a, b = draw.choice(5, 2, replace=False)
            d = worth[a] - worth[b] + 0.3 * (judge % 3 - 1)
            p = np.array([np.exp(d / 2), 0.8 * np.exp(-0.25 * abs(d)), np.exp(-d / 2)])
            said = draw.choice(["first", "tie", "second"], p=p / p.sum())
            rows.append(("ABCDE"[a], "ABCDE"[b], said, f"j{judge:02}", f"q{draw.integers(9)}", 0.0))
    return pd.DataFrame(rows, columns=["first", "second", "outcome", "judge", "source", "zero"])


@pytest.mark.parametrize("ties", ["half", "drop"])
@pytest.mark.parametrize("columns", [("judge",), (), ("judge", "source")])
def test_an_offset_of_zero_has_the_replicates_of_none(ties: Any, columns: tuple[str, ...]) -> None:
    table = pairproof.read(judged())
    plain = pairproof.fit_bradley_terry(table, ties=ties)
    zero = pairproof.fit_bradley_terry(table, ties=ties, offset="zero")
    options: Any = dict(replicates=60, seed=2, quantity=ALL)
    one, other = (fit.bootstrap(*columns, **options) for fit in (plain, zero))
    np.testing.assert_allclose(other.replicates, one.replicates, **SAME)
    centred = [fit.with_reference("sum").on_scale("lambda").bootstrap("judge", replicates=20, seed=2) for fit in (plain, zero)]  # fmt: skip
    np.testing.assert_allclose(centred[1].replicates, centred[0].replicates, **SAME)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.nightly) for k in (1, 2, 3))])
def test_separated_contests_have_the_replicates_of_none(seed: int) -> None:
    few = judged(5, 4, seed)
    table = pairproof.read(few[few["outcome"] != "tie"])
    plain = pairproof.fit_bradley_terry(table, reference="A")
    zero = pairproof.fit_bradley_terry(table, reference="A", offset="zero")
    options: Any = dict(replicates=100, seed=2, quantity=["params", "worth", "ranks", "contrasts"])
    one, other = (fit.bootstrap("judge", **options) for fit in (plain, zero))
    assert one.n_separated == other.n_separated > 20
    np.testing.assert_allclose(other.replicates, one.replicates, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("options", [
    {"link": "probit", "ties": "half"}, {"link": "cauchit", "ties": "drop"}, {"reduce_bias": "mean", "ties": "drop"},
    {"reduce_bias": "median", "ties": "drop"}, {"ties": "davidson", "tie_scale": True},
], ids=str)  # fmt: skip
def test_a_replicate_is_the_fit_of_the_rows_that_it_drew(options: Any) -> None:
    frame = judged()
    fit = pairproof.fit_bradley_terry(pairproof.read(frame), **options)
    made = fit.bootstrap("judge", replicates=3, seed=8)
    weights = made.engine.draws.draw(np.random.default_rng(np.random.SeedSequence(8).spawn(1)[0]))
    labels = sorted(frame["judge"].unique())
    times = dict(zip(labels, weights.of_groups.astype(int)))
    drawn = frame.loc[frame.index.repeat(frame["judge"].map(times))]
    again = pairproof.fit_bradley_terry(pairproof.read(drawn), reference="A", **options)
    # Another order of rows and items, rounding alone; observed 2e-12, of the cauchit 4e-9.
    np.testing.assert_allclose(made.replicates[0], again.params[list(made.names)], rtol=1e-7)


def test_random_effects_of_items_have_no_bootstrap_and_say_why() -> None:
    fit = pairproof.fit_bradley_terry(pairproof.read(judged()), random="item", ties="half")
    with pytest.raises(InputError, match="share the random effects"):
        fit.bootstrap("judge")
    with pytest.raises(InputError, match="no standard errors here"):
        pairproof.fit_bradley_terry(pairproof.read(judged()), link="probit", ties="half").bootstrap(
            "judge", studentize=True
        )


@pytest.mark.parametrize("more", [{"tie_scale": True}, {"tie_shift": True, "order_effect": True}], ids=str)
def test_errors_by_cluster_of_general_ties_are_sums_of_differenced_scores(more: Any) -> None:
    """CR0 by numerical derivatives of each judge's log-likelihood and of that of all."""
    table = pairproof.read(judged(20, 40))
    fit = pairproof.fit_bradley_terry(table, ties="davidson", **more)
    law = fit.likelihood
    counts = np.stack([table.wins, table.ties, table.losses], axis=1).ravel()
    judge = np.repeat(table.columns["judge"].codes, 3)

    def llf(phi: Any) -> Any:
        return np.bincount(judge, counts * law.likelihood.at(phi).values)

    h = 1e-5
    steps = h * np.eye(len(law.theta))
    scores = np.array([(llf(law.theta + s) - llf(law.theta - s)) / (2 * h) for s in steps]).T
    influence = scores @ law.covariance @ law.outward.T
    np.testing.assert_allclose(law.outward @ law.theta, fit.beta, atol=1e-10)
    assert llf(law.theta).sum() == pytest.approx(fit.llf, rel=1e-12)
    # Central differences; observed 4e-9.
    expected = np.sqrt((influence**2).sum(axis=0))[fit.free]
    found = fit.clustered("judge", kind="CR0")
    np.testing.assert_allclose(found.bse[fit.free], expected, rtol=1e-6)
    np.testing.assert_allclose(
        fit.clustered("judge", kind="CR1").bse[fit.free], expected * np.sqrt(20 / 19), rtol=1e-6
    )
    with pytest.raises(InputError, match="by one column"):
        fit.clustered("judge", "source")


def test_every_law_has_the_derivatives_of_its_likelihood() -> None:
    """Score and information of each model through the contract, by central differences."""
    draw = np.random.default_rng(3)
    persons, rows = both(30)
    ranked = pairproof.Respondents.build(
        "ABCD", "rankings", [[1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4], [4, 1, 3, 2], [3, 4, 1, 2]]
    )
    rated = pairproof.Respondents.build(
        "ABC", "ratings", [[1, 2, 3], [2, 2, 3], [1, 3, 2], [3, 1, 2], [2, 3, 1]], scale=(1, 2, 3)
    )
    fits = [
        pairproof.fit_pattern(persons, ties="davidson", by="sex"),
        pairproof.fit_pattern(persons, ties="davidson", dependence=True),
        pairproof.fit_pattern(ranked),
        pairproof.fit_plackett_luce(ranked),
        pairproof.fit_pattern(rated, ties="davidson"),
        pairproof.fit_latent_classes(persons, 2, starts=3),
    ]
    for fit in fits:
        law = fit.likelihood
        phi = law.theta + 0.1 * draw.normal(size=len(law.theta))
        here, h = law.likelihood.at(phi), 1e-5
        ends = [(law.likelihood.at(phi + s), law.likelihood.at(phi - s)) for s in h * np.eye(len(phi))]
        by_difference = np.array([(a.values - b.values) / (2 * h) for a, b in ends]).T
        np.testing.assert_allclose(here.scores, by_difference, atol=1e-7)  # observed 2e-9
        second = np.array([-(a.score - b.score) / (2 * h) for a, b in ends])
        np.testing.assert_allclose(here.information, second, atol=2e-6)  # observed 3e-8
        np.testing.assert_allclose(law.outward @ law.theta, fit.beta, atol=1e-12)
