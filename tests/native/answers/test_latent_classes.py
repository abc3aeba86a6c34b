"""Latent classes as a user fits them: certified values, names, invariances, what is refused and what is told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import ComparisonError, FormulaError, InputError
from pairproof.fit.fit import Fit
from tests.native.answers.r import table as from_r
from tests.native.answers.tables import ratings, salad

FloatArray = NDArray[np.float64]


def two_kinds(n: int = 300, ties: bool = False, gaps: float = 0.0, seed: int = 3) -> pairproof.Respondents:
    """Comparisons of four items by persons of two opposed kinds, two sexes, with an item covariate."""
    draws = np.random.default_rng(seed)
    kind, sex = (draws.random(n) < 0.35).astype(int), draws.integers(0, 2, n)
    lam = np.array([[0.9, 0.3, 0.1, 0.0], [-0.8, 0.4, 0.6, 0.0]])
    columns = []
    for j in range(4):
        for i in range(j):
            eta = 2.0 * (lam[kind, i] - lam[kind, j]) + 0.5 * sex * (i == 0)
            y = np.where(draws.random(n) < 1.0 / (1.0 + np.exp(-eta)), 1, -1)
            y[draws.random(n) < (0.2 if ties else 0.0)] = 0
            y[draws.random(n) < gaps] = 9
            columns.append(y)
    return pairproof.Respondents.build(
        "ABCD",
        "comparisons",
        np.column_stack(columns),
        tie_category=ties,
        columns={"sex": Factor(sex, ("m", "f")), "club": np.arange(n) // 10 * 1.0},
        item_data={"size": np.array([3.0, 1.0, 0.5, 0.0])},
    )


def trdel() -> pairproof.Respondents:
    answers = np.where(from_r("trdel[, 1:10]") == 1, 1, -1).astype(np.int64)
    return pairproof.Respondents.build("ABCDE", "comparisons", answers, tie_category=False)


# -- certified values ----------------------------------------------------------------------------------------


@pytest.mark.r("prefmod")
def test_two_classes_of_trdel_have_the_numbers_that_mpmath_gives() -> None:
    """50 digits by enumeration of patterns and Newton in mpmath, certify_classes; doubles reach 13 of them."""
    fit = pairproof.fit_latent_classes(trdel(), 2, starts=5)
    assert abs(fit.llf + 1099.4345237519259702962668) < 1e-10
    params = [-0.57982142883445630501735893, -1.5631647282279548243809281, -0.40873172910267425586677044,
              -1.7631915565496501708077413, 0, 0.46033319590164006628240862, 0.30985383937020115586881951,
              -0.21367215743209504991010080, 0.016731112844636463758652235, 0]  # fmt: skip
    # Observed: 2e-14 and 1e-14.
    assert np.abs(fit.params.to_numpy() - params).max() < 1e-12
    errors = [0.095653776881792811911317717, 0.14007409530273041801268051, 0.089978934659236266681907188,
              0.15378115050008192308908753, 0.091583739158507245194237123, 0.10330031902056732805635251,
              0.083868998340995175686957504, 0.092523272768293085858775872]  # fmt: skip
    assert np.abs(fit.bse.dropna().to_numpy() - errors).max() < 1e-12
    assert abs(fit.shares["class=1"] - 0.56577508695332528933630254) < 1e-13
    assert abs(fit.share_errors["class=2"] - 0.046401380827922125648244245) < 1e-13
    assert fit.rank == 2 * 4 + 1 and abs(fit.bic - 2246.46345078) < 5e-9
    assert list(fit.params.index[:5]) == [f"{item}:class[1]" for item in "ABCDE"]


@pytest.mark.r("prefmod")
def test_the_table_of_numbers_of_classes_of_trdel_tells_the_other_maxima() -> None:
    found = pairproof.tabulate_latent_classes(trdel(), 4).set_index("classes")
    # To the digits of the specification, random-effects section 8.
    assert np.abs(found.llf[[1, 2, 3]] + [1220.6226041095, 1099.4345237519, 1076.4375417151]).max() < 1e-9
    assert np.abs(found.bic[[1, 2, 3]] - [2462.39827634, 2246.46345078, 2226.91082186]).max() < 5e-9
    assert abs(found.llf[4] + 1056.8916) < 1e-4 and abs(found.next_best[4] + 1057.1805) < 1e-4
    assert abs(found.next_best[3] + 1082.6261) < 1e-4 and found.parameters.tolist() == [4, 9, 14, 19]
    assert (found.collapsed == "").all() and np.isnan(found.next_best[2])


@pytest.mark.r("prefmod")
def test_a_class_that_collapses_is_named_and_has_no_standard_error() -> None:
    table = pairproof.Respondents.build("ABCD", "comparisons", from_r("dat4").astype(int), tie_category=False)
    fit = pairproof.fit_latent_classes(table, 2, starts=5)
    assert abs(fit.llf + 367.38501726) < 1e-8 and fit.collapsed == ("A:class[2]",)
    (warning,) = fit.warnings
    assert warning.kind == "separated" and warning.terms == ("A:class[2]",)
    assert str(warning).startswith("class 2 (5.7 % of persons) has collapsed: A:class[2] is infinite")
    assert "supremum" in str(warning) and "taken as infinite" in fit.stopping.rule
    assert fit.not_estimable == ("A:class[2]",) and np.isnan(fit.params["A:class[2]"])
    assert fit.bse.isna().all() and fit.share_errors.isna().all() and fit.rank == 7
    assert abs(fit.bic - 767.0062258) < 1e-6
    assert fit.to_dict()["classes"]["share_errors"] == [None, None]
    with pytest.raises(InputError, match="no standard errors: class 2"):
        fit.clustered()


# -- classes of other models --------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["pattern", "plackett-luce"])
def test_one_class_is_the_model_itself(model: str) -> None:
    one = (
        pairproof.fit_latent_classes(salad(), 1)
        if model == "pattern"
        else pairproof.fit_latent_classes(salad(), 1, model="plackett-luce")
    )
    alone = pairproof.fit_pattern(salad()) if model == "pattern" else pairproof.fit_plackett_luce(salad())
    assert one.params.equals(alone.params) and one.llf == alone.llf and one.rank == alone.rank
    # The covariance is inverted by other steps: 1e-16 observed.
    assert np.abs(one.bse.dropna() - alone.bse.dropna()).max() < 1e-14
    assert one.deviance == alone.deviance and one.df_resid == alone.df_resid and one.n_classes == 1
    assert one.shares.tolist() == [1.0] and one.title == alone.title


def test_expected_answers_add_up_to_persons_in_every_model() -> None:
    partial = np.array([[1, 2, 0, 0], [2, 1, 3, 4], [4, 3, 2, 1], [0, 0, 1, 2], [1, 3, 2, 4]])
    draws = np.random.default_rng(1)
    answers = partial[draws.integers(0, 5, 80)]
    answers = np.where(draws.random(80)[:, None] < 0.5, answers, answers[:, [1, 0, 3, 2]])
    rankings = pairproof.Respondents.build("ABCD", "rankings", answers)
    fits = [
        pairproof.fit_latent_classes(two_kinds(), 2, starts=4),
        pairproof.fit_latent_classes(two_kinds(ties=True), 2, starts=4),
        pairproof.fit_latent_classes(ratings(), 2, starts=4),
        pairproof.fit_latent_classes(rankings, 2, starts=4),
        pairproof.fit_latent_classes(rankings, 2, model="plackett-luce", starts=4),
    ]
    for fit in fits:
        possible = fit.predicted_patterns(most=1000)
        assert abs(possible.probability.sum() - 1.0) < 1e-12
        if fit.respondents.kind != "ratings":  # whose text has the points of the scale
            # What was answered completely has the probability of the list times the persons who could.
            seen = fit.patterns().set_index("answer")
            both = seen.join(possible.set_index("answer"), how="inner")
            ratio = both.expected / both.probability
            assert len(both) > 3 and np.ptp(ratio) < 1e-9 * ratio.max()
        observed, expected = fit.numbers.observed, fit.numbers.expected
        n = np.bincount(fit.numbers.block, weights=observed)[fit.numbers.block]
        assert abs(observed @ np.log(expected / n) - fit.llf) < 1e-9
        assert abs(2 * observed @ np.log(observed / expected) - fit.deviance) < 1e-9
        # At a maximum, shares are the mean posterior probabilities.
        found = fit.class_table()
        assert np.abs(found.persons / found.persons.sum() - found.share).max() < 1e-6


def test_ties_are_common_unless_random_names_them() -> None:
    table = two_kinds(ties=True, gaps=0.1)
    common = pairproof.fit_latent_classes(table, 2, starts=4)
    own = pairproof.fit_latent_classes(table, 2, random="A + B + C + tie", starts=4)
    assert common.names[-1] == "tie" and common.rank == 2 * 3 + 1 + 1
    assert own.names[-2:] == ("tie:class[1]", "tie:class[2]") and own.rank == 2 * 4 + 1
    assert own.llf >= common.llf and own.spec.words.endswith("which differ in A, B, C, tie, ties")


def test_a_tie_category_that_nobody_used_is_named_and_counted() -> None:
    fit = pairproof.fit_latent_classes(replace(two_kinds(), tie_category=True), 2, starts=4)
    plain = pairproof.fit_latent_classes(two_kinds(), 2, starts=4)
    assert fit.not_estimable == ("tie",) and [w.kind for w in fit.warnings] == ["no-ties"]
    assert abs(fit.llf - plain.llf) < 1e-9 and fit.rank == plain.rank + 1 and fit.collapsed == ()
    assert np.abs(fit.bse.dropna() - plain.bse.dropna()).max() < 1e-9


def test_random_chooses_items_covariates_and_their_products() -> None:
    table = two_kinds(400)
    only_a = pairproof.fit_latent_classes(table, 2, random="~ A", starts=4)
    assert only_a.names == ("A:class[1]", "A:class[2]", "B", "C", "D") and only_a.rank == 5
    by_sex = pairproof.fit_latent_classes(table, 2, by="sex", random=["A", "B", "C"], starts=4)
    assert {"A:class[1]", "A:class[2]", "A:sex[f]"} <= set(by_sex.names) and by_sex.rank == 2 * 3 + 3 + 1
    assert list(by_sex.groups) == ["sex=m,class=1", "sex=f,class=1", "sex=m,class=2", "sex=f,class=2"]
    slope = pairproof.fit_latent_classes(table, 2, by="sex", random="A + B + C + A:sex", starts=4)
    assert "A:sex[f]:class[2]" in slope.names and slope.rank == by_sex.rank + 1
    everything = pairproof.fit_latent_classes(table, 2, by="sex", starts=4)
    assert everything.rank == 2 * 6 + 1 and everything.llf >= slope.llf - 1e-9 >= by_sex.llf - 2e-9
    # The sexes differ by the same in both classes.
    female = by_sex.contrast("A", "D", group="sex=f,class=1").estimate
    male = by_sex.contrast("A", "D", group="sex=m,class=1").estimate
    assert abs(female - male - by_sex.params["A:sex[f]"]) < 1e-12
    size = pairproof.fit_latent_classes(table, 2, item_terms=["size"], random="size", starts=4)
    assert size.names == ("size:class[1]", "size:class[2]") and size.worth().shape == (8, 4)


@pytest.mark.parametrize(("random", "told"), [
    ("A + E", r"'E' is not a parameter of the model; a sum of A, B, C is expected, such as random='A \+ B'"),
    ("1", "'1' is not a parameter of the model"),
    ("A + D", "D is the reference, whose parameter is 0 in every class"),
    ("A +", "expected parameters joined by"),
    ("", "expected parameters joined by"),
    ((), "expected names of parameters"),
])  # fmt: skip
def test_random_that_names_no_parameter_is_refused(random: str, told: str) -> None:
    with pytest.raises(FormulaError, match=told):
        pairproof.fit_latent_classes(two_kinds(), 2, random=random)


def test_what_does_not_belong_to_a_model_is_refused() -> None:
    with pytest.raises(InputError, match="tie_orders is for model='plackett-luce'"):
        pairproof.fit_latent_classes(salad(), 2, tie_orders=[2])
    with pytest.raises(InputError, match="are for model='pattern'"):
        pairproof.fit_latent_classes(salad(), 2, model="plackett-luce", dependence=True)
    with pytest.raises(InputError, match="classes"):
        pairproof.fit_latent_classes(salad(), 0)
    named = replace(two_kinds(), columns={"class": Factor(np.arange(300) % 2, ("x", "y"))})
    with pytest.raises(InputError, match="a covariate is called 'class'"):
        pairproof.fit_latent_classes(named, 2, by="class")


# -- properties ----------------------------------------------------------------------------------------------


def numbers(fit: Fit) -> list[float]:
    """What may not depend on the order of items and rows."""
    contrasts = [fit.contrast("A", "B", group=label) for label in fit.class_labels]
    return [
        fit.llf,
        fit.deviance,
        fit.bic,
        *fit.shares,
        *fit.share_errors,
        *(v for c in contrasts for v in (c.estimate, c.se)),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_items_rows_and_weights_may_be_written_in_any_way(seed: int) -> None:
    draws = np.random.default_rng(seed)
    table = two_kinds(gaps=0.1, ties=seed == 1, seed=seed + 10)
    first = numbers(pairproof.fit_latent_classes(table, 2, starts=6))
    order = draws.permutation(table.n_rows)
    split = table.select(np.concatenate([order, order[:50]]))
    weights = np.ones(350)
    weights[:50] = weights[300:] = draws.choice([0.25, 0.5, 0.75])
    weights[:50] = 1 - weights[300:]
    for other in (
        table.select(order),
        table.with_items(list(draws.permutation(list("ABCD")))),
        table.merged(),
        replace(split, weights=weights),
    ):
        again = numbers(pairproof.fit_latent_classes(other, 2, starts=6))
        # Newton's method ends within rounding; observed 1e-12 relative.
        assert np.allclose(first, again, rtol=1e-9, atol=1e-10)
    assert first[3] >= first[4]  # the largest class is the first


def test_the_reference_says_nothing_of_differences_and_the_scale_nothing_of_odds() -> None:
    fit = pairproof.fit_latent_classes(two_kinds(), 2, starts=4)
    told = fit.contrast("A", "B", group="class=2")
    again = pairproof.fit_latent_classes(two_kinds(), 2, reference="B", starts=4)
    for other in (fit.with_reference("B"), fit.with_reference("sum"), again, fit.on_scale("log-odds")):
        here = other.contrast("A", "B", group="class=2")
        assert abs(here.odds - told.odds) < 1e-10 and abs(here.z - told.z) < 1e-9
        assert abs(other.bic - fit.bic) < 1e-9 and other.rank == fit.rank == 7
    moved = fit.with_reference("B").clustered().bse.dropna()
    assert np.abs(moved - again.clustered().bse.dropna()).max() < 1e-10
    assert pairproof.fit_latent_classes(two_kinds(), 2, reference="sum", starts=4).constraint.startswith(
        "items sum"
    )
    part = pairproof.fit_latent_classes(two_kinds(), 2, random="A", starts=4)
    with pytest.raises(InputError, match="random=A defines which items differ between classes relative to D"):
        part.with_reference("B")


# -- what is said of classes ---------------------------------------------------------------------------------


def test_posterior_probabilities_follow_from_bayes_rule() -> None:
    table = two_kinds(gaps=0.3)
    answers = table.answers.copy()
    answers[7] = 9
    fit = pairproof.fit_latent_classes(replace(table, answers=answers), 2, starts=4)
    found = fit.posterior()
    assert found.shape == (300, 3) and found.iloc[7].isna().all()
    y, lam = answers[0, 0], fit.params.to_numpy().reshape(2, 4)
    pairs = [(i, j) for j in range(4) for i in range(j)]
    joint = fit.shares.to_numpy().copy()
    for k in range(2):
        for value, (i, j) in zip(y, pairs):
            if value != 9:
                joint[k] /= 1 + np.exp(-2 * value * (lam[k, i] - lam[k, j]))
    assert np.abs(found.iloc[0, :2].to_numpy(float) - joint / joint.sum()).max() < 1e-12
    assert found.most_probable[0] == np.argmax(joint) + 1


def test_errors_by_cluster_are_sums_of_the_mixtures_scores() -> None:
    table = two_kinds()
    fit = pairproof.fit_latent_classes(table, 2, starts=4)
    by_club = fit.clustered("club", kind="CR0")
    law = fit.likelihood
    influence = (law.point.scores @ law.covariance @ fit.of_classes.outward.T)[fit.numbers.row]
    sums = np.stack([influence[table.columns["club"] == c].sum(axis=0) for c in range(30)])
    # The same sums in another way, rounding alone; observed 0.
    np.testing.assert_allclose(by_club.share_errors, np.sqrt((sums**2).sum(axis=0)), rtol=1e-12)
    # Where the model holds, scores have the covariance of the information: near the model's, not equal to it.
    ratio = fit.clustered().bse.dropna() / fit.bse.dropna()
    assert 0.8 < ratio.min() < ratio.max() < 1.25 and by_club.rank == fit.rank


def test_the_summary_and_the_json_tell_classes_and_other_maxima() -> None:
    fit = pairproof.fit_latent_classes(two_kinds(), 3, starts=10)
    text = fit.summary()
    assert max(map(len, text.splitlines())) <= 100 and "3 latent classes" in text
    assert f"Maximum: {fit.llf:.4f}, reached from {fit.optima[0][1]} of 10 starts" in text
    assert sum(n for _, n in fit.optima) <= 10
    told = json.loads(json.dumps(fit.to_dict()))["classes"]
    assert told["starts"] == 10 and np.allclose(told["shares"], fit.shares)


def test_a_likelihood_ratio_of_classes_is_refused_and_the_bootstrap_offered() -> None:
    one, two = (pairproof.fit_latent_classes(two_kinds(), k, starts=3) for k in (1, 2))
    for a, b in ((two, one), (one, two), (pairproof.fit_pattern(two_kinds()), two)):
        with pytest.raises(ComparisonError, match=r"fit.test_classes\(\)"):
            a.compare(b)


def test_more_classes_than_answers_can_tell_apart_are_named() -> None:
    rows = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
    table = pairproof.Respondents.build(
        "ABC", "comparisons", rows, tie_category=False, weights=[30, 9, 8, 10, 25, 8, 9]
    )
    fit = pairproof.fit_latent_classes(table, 3, starts=2)
    (warning,) = fit.warnings
    assert warning.kind == "not-identified" and "8 parameters are more than the 7 free" in str(warning)
    assert fit.df_resid == -1 and fit.bse.isna().all()


def test_not_to_know_the_classes_makes_errors_larger() -> None:
    fit = pairproof.fit_latent_classes(two_kinds(), 2, starts=4)
    share = fit.shares["class=1"]
    assert fit.share_errors["class=1"] > 1.1 * np.sqrt(share * (1 - share) / 300)
    assert abs(fit.share_errors["class=1"] - fit.share_errors["class=2"]) < 1e-12


# -- the bootstrap test --------------------------------------------------------------------------------------


def test_the_bootstrap_finds_two_opposed_classes_by_any_number_of_workers() -> None:
    fit = pairproof.fit_latent_classes(two_kinds(120), 1)
    told: list[tuple[int, int]] = []
    test = fit.test_classes(9, seed=5, starts=2, progress=lambda done, of: told.append((done, of)))
    assert test.p == 0.1 and told[-1] == (9, 9) and test.failed == 0
    two = pairproof.fit_latent_classes(two_kinds(120), 2)
    assert abs(test.ratio - 2 * (two.llf - fit.llf)) < 1e-8
    assert str(test).startswith(
        f"1 class vs. 2: likelihood ratio {test.ratio:.4f}, bootstrap p = 0.1 (9 samples)"
    )
    again = fit.test_classes(2, seed=5, starts=2, workers=2)
    assert np.array_equal(again.ratios, test.ratios[:2])


def test_a_bootstrap_stops_when_enough_samples_have_reached_the_ratio() -> None:
    rng = np.random.default_rng(8)
    answers = rng.choice([1, -1], (60, 3), p=[0.6, 0.4])
    fit = pairproof.fit_latent_classes(
        pairproof.Respondents.build("ABC", "comparisons", answers, tie_category=False), 1
    )
    whole, part = (fit.test_classes(12, starts=2, enough=enough) for enough in (None, 1))
    n = len(part.ratios)
    assert len(whole.ratios) == 12 > n and np.array_equal(whole.ratios[:n], part.ratios)
    assert (part.ratios >= part.ratio).sum() == 1 and part.ratios[-1] >= part.ratio
    assert part.p == 2 / (1 + n)


def test_a_bootstrap_of_fractional_persons_is_refused() -> None:
    table = replace(two_kinds(100), weights=np.full(100, 1.5))
    with pytest.raises(InputError, match="row 1: the weight is 1.5; a bootstrap draws whole"):
        pairproof.fit_latent_classes(table, 1).test_classes(3)


def test_rows_of_several_persons_are_drawn_as_persons() -> None:
    table = two_kinds(100).merged()
    assert table.weights.max() > 1
    test = pairproof.fit_latent_classes(table, 1).test_classes(4, starts=2)
    assert len(test.ratios) == 4 and (test.ratios > -1e-8).all()


def test_the_advice_on_a_reference_of_classes_that_differ_in_some_items_can_be_followed() -> None:
    with pytest.raises(
        InputError, match="against their mean others would: fit again with an item as the ref"
    ):
        pairproof.fit_latent_classes(two_kinds(), 2, random="A + B", reference="sum", starts=2)
    fit = pairproof.fit_latent_classes(two_kinds(), 2, random="A + B", starts=2)
    with pytest.raises(InputError, match="fit again with reference='C'"):
        fit.with_reference("C")
    assert (
        pairproof.fit_latent_classes(two_kinds(), 2, random="A + B", reference="C", starts=2).rank == fit.rank
    )
