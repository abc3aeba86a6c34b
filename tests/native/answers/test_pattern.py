"""Pattern models as a user fits them: the LLBT they contain, every option, refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.errors import InputError, NotEstimableError
from tests.native.answers.tables import ratings, salad, votes


def close(found: object, true: object, digits: float = 12.0) -> None:
    """Relative digits, absolute for values below 1; observed 13 and more unless a test says otherwise."""
    mine, theirs = np.asarray(found, float), np.asarray(true, float)
    off = np.abs(mine - theirs) / np.maximum(np.abs(theirs), 1.0)
    assert off.max() < 10.0**-digits, (found, true)


@pytest.mark.parametrize("by", ["", "sex", "sex + age"])
@pytest.mark.parametrize("ties", [0.0, 0.2])
def test_without_dependence_the_model_is_the_llbt_of_its_comparisons(by: str, ties: float) -> None:
    table = votes(ties=ties)
    fit = pairproof.fit_pattern(table, by=by)
    llbt = pairproof.fit_llbt(table.to_comparisons(), by=by)
    assert list(fit.params.index) == list(llbt.params.index)
    close(fit.params, llbt.params)
    close(fit.bse.dropna(), llbt.bse.dropna())
    close(fit.llf, llbt.llf)
    if "age" not in by:  # the mean age is that of persons here, of comparisons there
        close(fit.worth()["worth"], llbt.worth()["worth"])
    close(fit.cov_params(), llbt.cov_params())


def test_its_implied_comparisons_give_the_llbt_too() -> None:
    fit = pairproof.fit_pattern(votes(), by="sex")
    close(pairproof.fit_llbt(fit.data, by="sex").params, fit.params)


def test_salad_is_the_tight_optimum() -> None:
    fit = pairproof.fit_pattern(salad())
    close(fit.params[:3], [-0.2774185056283571, 0.5912528647502006, 0.1887875986820734], 13)
    close(fit.bse[:3], [0.1245452774812784, 0.1432827758173084, 0.1114237542668843], 13)
    close([fit.llf, fit.deviance], [-77.44573646528155, 22.24862468240942], 12)
    assert fit.df_resid == 20


def test_item_covariates_and_the_reference_do_not_change_the_likelihood() -> None:
    table = votes()
    fit = pairproof.fit_pattern(table)
    for reference in ("A", "C", "sum"):
        other = pairproof.fit_pattern(table, reference=reference)
        close(other.llf, fit.llf)
        close(other.params, fit.with_reference(reference).params)
        close(
            other.bse, fit.with_reference(reference).bse.fillna(np.nan).to_numpy()
        ) if reference == "sum" else None
    bound = pairproof.fit_pattern(table, item_terms=["size"])
    assert bound.names == ("size", "tie")
    assert fit.compare(bound).df == 2


def test_ties_by_pair_fit_every_pairs_ties() -> None:
    table = votes(gaps=0.0)
    fit = pairproof.fit_pattern(table, ties="by-pair")
    assert fit.names[4:6] == ("tie:A:B", "tie:A:C")
    pairs = fit.pairs().query("outcome == 'tie'")
    # At the maximum the expected number of ties of each pair is the observed one.
    close(pairs["fitted"], pairs["observed"], 9)
    assert fit.compare(pairproof.fit_pattern(table)).df == 5


def test_expected_answers_add_up_and_pairs_agree_with_probabilities() -> None:
    table = votes(gaps=0.0)
    fit = pairproof.fit_pattern(table, by="sex")
    assert fit.patterns()["observed"].sum() == 200
    for group in ("sex=m", "sex=f"):
        close(fit.predicted_patterns(group, most=729)["probability"].sum(), 1.0)
    pairs = fit.pairs().set_index(["cell", "first", "second", "outcome"])
    p = fit.probabilities("sex=f").set_index(["first", "second"]).loc[("A", "B")]
    n = sum(pairs["observed"][("sex=f", "A", "B", o)] for o in ("first", "tie", "second"))
    close(pairs.loc[("sex=f", "A", "B", "first")]["fitted"] / n, p["p_first"])


def test_pearson_over_all_answers_is_the_sum_over_them() -> None:
    table = votes(items="ABC", gaps=0.0, n=400)
    fit = pairproof.fit_pattern(table)
    expected = fit.predicted_patterns(most=27).set_index("answer")["probability"] * 400
    seen = fit.patterns().set_index("answer")["observed"]
    by_hand = ((seen.reindex(expected.index).fillna(0) - expected) ** 2 / expected).sum()
    test = fit.goodness_of_fit()
    close(test.pearson, by_hand, 10)
    assert test.df == 27 - 1 - 3 and 0 < test.p_deviance < 1


def test_dependence_has_a_parameter_for_each_two_comparisons_and_contains_the_model_without() -> None:
    table = votes(items="ABC", gaps=0.0)
    plain, fit = pairproof.fit_pattern(table), pairproof.fit_pattern(table, dependence=True)
    assert fit.names[-3:] == ("A:B*A:C", "A:B*B:C", "A:C*B:C")
    assert fit.compare(plain).df == 3 and fit.llf > plain.llf
    with pytest.raises(InputError, match="fit.pairs\\(\\) gives the margins"):
        fit.probabilities()
    close(fit.predicted_patterns(most=27)["probability"].sum(), 1.0)


def test_gaps_can_be_modelled_and_are_compared_among_themselves() -> None:
    table = votes(items="ABCDE", n=400)
    common = pairproof.fit_pattern(table, alpha="common")
    by_item = pairproof.fit_pattern(table, alpha="item")
    by_pair = pairproof.fit_pattern(table, alpha="comparison")
    assert common.names[5:7] == ("alpha", "tie") and by_pair.names[5] == "alpha:A:B"
    assert by_item.compare(common).df == 4
    assert by_pair.compare(by_item).df == 5
    # Missing completely at random, the gaps say nothing of the items.
    close(common.params[:5], pairproof.fit_pattern(table).params[:5], 10)
    chosen = pairproof.fit_pattern(table, alpha="item", alpha_of=["A", "B"])
    assert chosen.names[5:7] == ("alpha:A", "alpha:B")
    with pytest.raises(pairproof.ComparisonError, match="model the gaps, or neither"):
        common.compare(pairproof.fit_pattern(table))
    joint = pairproof.fit_pattern(table, alpha="none")
    assert joint.df_resid == 4**10 - 1 - 5 and common.df_resid == 4**10 - 1 - 6


def test_gaps_that_depend_on_answers_contain_those_that_do_not() -> None:
    table = votes(items="ABCDEF", n=300, gaps=0.2)
    common = pairproof.fit_pattern(table, alpha="common")
    assert pairproof.fit_pattern(table, alpha="common", beta="difference").compare(common).df == 5


def test_a_tie_category_that_nobody_used_leaves_the_items_estimated() -> None:
    two = votes(ties=0.0)
    three = Respondents.build("ABCD", "comparisons", two.answers, tie_category=True)
    fit, plain = pairproof.fit_pattern(three), pairproof.fit_pattern(two)
    close(fit.params[:4], plain.params)
    close(fit.llf, plain.llf)
    assert np.isnan(fit.params["tie"]) and fit.not_estimable == ("tie",) and fit.rank == plain.rank + 1
    assert [w.kind for w in fit.warnings] == ["no-ties"]
    assert (fit.probabilities()["p_tie"] == 0).all()
    llbt = pairproof.fit_llbt(three.to_comparisons())
    assert llbt.rank == fit.rank and llbt.warnings[0].kind == "no-ties"


def test_what_depends_on_a_comparison_that_nobody_answered_is_refused_by_name() -> None:
    answers = votes(items="ABC").answers[:, 0].copy()
    answers[:, 2] = 9
    table = Respondents.build("ABC", "comparisons", answers, tie_category=True)
    with pytest.raises(NotEstimableError, match="nobody answered B:C"):
        pairproof.fit_pattern(table, dependence=True)


def test_parameters_without_an_estimate_are_named_as_the_fit_would_name_them() -> None:
    answers = np.array([[1, 1, -1], [1, 1, 1], [1, 1, -1]])
    table = Respondents.build("ABC", "comparisons", answers, tie_category=False)
    with pytest.raises(NotEstimableError, match="^A: the estimate is infinite"):
        pairproof.fit_pattern(table)
    same = Respondents.build("ABC", "ratings", [[1, 1, 1]] * 4, scale=[1.0, 2.0])
    with pytest.raises(NotEstimableError, match="^tie: "):
        pairproof.fit_pattern(same)
    with pytest.raises(NotEstimableError, match="nobody rated two items alike"):
        pairproof.fit_pattern(
            Respondents.build("ABC", "ratings", [[1, 2, 3], [2, 1, 3]], scale=[1.0, 2.0, 3.0])
        )


def test_parameters_that_gaps_do_not_determine_are_named() -> None:
    with pytest.raises(NotEstimableError, match="alpha|beta"):
        pairproof.fit_pattern(votes(n=400), alpha="item", beta="item")  # 6 rates, 8 parameters


def test_ratings_and_their_repetitions_have_parameters_of_their_time() -> None:
    once = pairproof.fit_pattern(ratings())
    assert once.names == ("A", "B", "C", "tie") and once.df_resid == 13 - 1 - 3
    twice = pairproof.fit_pattern(ratings(times=2), between_times=True)
    assert twice.names[:8] == (
        "A:time[1]", "B:time[1]", "C:time[1]", "A:time[2]", "B:time[2]", "C:time[2]", "tie:time[1]", "tie:time[2]",
    )  # fmt: skip
    assert twice.names[8] == "A:B:time[1]*time[2]"
    assert list(twice.groups) == ["time=1", "time=2"]
    apart = pairproof.fit_pattern(ratings(times=2))
    assert twice.compare(apart).df == 3
    # Without links the times are independent.
    each = [pairproof.fit_pattern(ratings(times=2).at_time(t)) for t in ("1", "2")]
    close(apart.llf, each[0].llf + each[1].llf)
    close(apart.worth()["worth"], pd.concat([f.worth() for f in each])["worth"])
    close(twice.predicted_patterns("", most=169)["probability"].sum(), 1.0)


def test_rankings_with_ties_are_weak_orders_or_orders_not_known() -> None:
    table = Respondents.build("ABC", "rankings", ratings().ranks[:, 0])
    ties = pairproof.fit_pattern(table)
    close(ties.params, pairproof.fit_pattern(ratings()).params)
    unknown = pairproof.fit_pattern(table, ties_unresolved=True)
    assert "tie" not in unknown.names and unknown.model == "pattern"
    with pytest.raises(InputError, match="nobody could answer, or gave, a tie"):
        pairproof.fit_pattern(salad(), ties="davidson")


@pytest.mark.parametrize(("options", "match"), [
    ({"dependence": True}, "dependence has no meaning for rankings"),
    ({"alpha": "common"}, "alpha and beta model which comparisons are missing"),
    ({"between_times": True}, "has one"),
    ({"alpha_of": ["A"]}, "not asked for"),
    ({"ties": "rao-kupper"}, "expected davidson, by-pair or none|ties='rao-kupper'"),
    ({"by": "A +"}, "unexpected"),
])  # fmt: skip
def test_what_rankings_do_not_have_is_refused(options: dict[str, object], match: str) -> None:
    with pytest.raises(InputError, match=match):
        pairproof.fit_pattern(salad(), **options)  # type: ignore[arg-type]  # what a user may write


def test_repeated_rankings_with_items_not_presented_are_refused_by_row() -> None:
    answers = [[[1, 2, 3], [1, 2, -1]], [[2, 1, 3], [1, 2, 3]], [[3, 1, 2], [2, 1, 3]]]
    table = Respondents.build("ABC", "rankings", answers, times=["a", "b"])
    with pytest.raises(InputError, match="row 1, time b: items that were not presented"):
        pairproof.fit_pattern(table)


@settings(max_examples=10, deadline=None)
@given(st.permutations("ABCD"), st.integers(0, 1000))
def test_relabelled_items_permuted_and_split_rows_give_the_same_numbers(order: list[str], seed: int) -> None:
    table = votes(80)
    fit = pairproof.fit_pattern(table, by="sex")
    moved = table.with_items(order)
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(80), 2))
    halved = Respondents.build(
        moved.items,
        "comparisons",
        moved.answers[rows],
        tie_category=True,
        weights=np.full(160, 0.5),
        columns={"sex": Factor(table.columns["sex"].codes[rows], ("m", "f"))},  # type: ignore[union-attr]  # a factor
    )
    other = pairproof.fit_pattern(halved, by="sex")
    close([other.llf, other.deviance], [fit.llf, fit.deviance], 11)
    mine, theirs = (f.worth().set_index(["group", "item"])["worth"] for f in (fit, other))
    close(theirs.loc[mine.index], mine, 10)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_reversed_rankings_change_the_signs_of_the_pattern_model_only(seed: int) -> None:
    ranks = np.argsort(np.random.default_rng(seed).gumbel(size=(40, 4)) + [0.4, 0.2, 0, 0], axis=1) + 1
    there, back = (Respondents.build("ABCD", "rankings", r) for r in (ranks, 5 - ranks))
    try:
        fit = pairproof.fit_pattern(there)
    except NotEstimableError:
        return
    close(pairproof.fit_pattern(back).params, -fit.params.to_numpy(), 10)
    close(pairproof.fit_pattern(back).llf, fit.llf, 11)


@pytest.mark.parametrize("odds", [1e6, 1e9, 1e12])
def test_a_million_million_to_one_keeps_all_digits(odds: float) -> None:
    """Closed form: log odds of A to B and of B to C are those of the counts; 1e9:1 once kept 8 digits, 1e12:1 none."""
    answers = [[1, 9, 9], [-1, 9, 9], [9, 9, 1], [9, 9, -1]]
    weights = [odds - 1.0, 1.0, 999.0, 1.0]
    table = Respondents.build("ABC", "comparisons", answers, tie_category=False, weights=weights)
    fit = pairproof.fit_pattern(table)
    b, c = np.log(odds - 1.0) / 2.0, np.log(999.0) / 2.0
    # Observed: 2e-15 (relative).
    np.testing.assert_allclose(fit.params, [b + c, c, 0.0], rtol=1e-14)
    of_b, of_c = 0.25 * (1.0 + 1.0 / (odds - 1.0)), 0.25 * (1.0 + 1.0 / 999.0)
    np.testing.assert_allclose(fit.bse[:2], np.sqrt([of_b + of_c, of_c]), rtol=1e-13)
