"""Reliability, repeats, degraded items, drift and flags, against R and published tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError, NotEstimableError
from pairproof.native.annotation.scores.annotator_agreement import (
    agreement,
    icc_one_way,
    icc_two_way,
    krippendorff_alpha,
    standardised,
)
from pairproof.native.annotation.scores.annotator_quality import (
    Pairs,
    degraded_test,
    drift,
    quality,
    signed_rank_p,
    within_spread,
)
from tests.native.annotation.cases import codes, column, scores, with_originals

#: Vectors are printed with 8 decimals (R 4.2.2, lme4); observed 5e-9.
PRINTED = 5.1e-9
#: Shrout and Fleiss (1979), table 2: six targets, four judges.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
#: Krippendorff (2011), section E: four observers, twelve units.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_intraclass_correlations_of_complete_tables():
    item, annotator = (a.ravel() for a in np.indices(SHROUT_FLEISS.shape))
    assert icc_one_way(item, SHROUT_FLEISS.ravel()).value == pytest.approx(0.16574177, abs=PRINTED)
    assert icc_two_way(item, annotator, SHROUT_FLEISS.ravel()).value == pytest.approx(0.28976378, abs=PRINTED)
    item, annotator = column("complete", "item"), column("complete", "annotator")
    assert icc_one_way(item, scores("complete")).value == pytest.approx(0.53738250, abs=PRINTED)
    two = icc_two_way(item, annotator, scores("complete"))
    assert two.value == pytest.approx(0.55156896, abs=PRINTED) and two.by == "mean squares"


def test_intraclass_correlations_with_scores_missing_are_shares_of_a_mixed_model():
    item, annotator = column("item", "item"), column("item", "annotator")
    assert icc_one_way(item, scores("item")).value == pytest.approx(
        0.46556325, abs=2e-8
    )  # equal k: mean squares
    found = icc_two_way(item, annotator, scores("item"))
    assert found.value == pytest.approx(0.45113004, abs=PRINTED) and found.by == "mixed model"


def test_for_a_complete_table_the_mixed_model_gives_the_same_one_way_share():
    from pairproof.native.annotation.scores.mixed_model import mixed_model

    item = codes("complete", "item")
    fit = mixed_model(scores("complete"), [item])
    share = fit.variances[0] / (fit.variances[0] + fit.residual[0])
    assert icc_one_way(item, scores("complete")).value == pytest.approx(share, abs=1e-9)  # observed 1e-13


def test_agreement_needs_two_items_and_an_item_scored_twice():
    with pytest.raises(NotEstimableError, match="2 item"):
        icc_one_way(["a", "b"], [1, 2])
    with pytest.raises(NotEstimableError, match="one annotator"):
        icc_two_way(["a", "a", "b"], ["x"] * 3, [1, 2, 3])


def test_krippendorffs_alpha_is_the_published_one():
    judged = [(u, v) for row in KRIPPENDORFF for u, v in enumerate(row) if v is not None]
    assert krippendorff_alpha(*zip(*judged)) == pytest.approx(0.84910714, abs=PRINTED)
    assert krippendorff_alpha(codes("complete", "item"), scores("complete")) == pytest.approx(
        0.53233090, abs=PRINTED
    )
    item, who, y = codes("item", "item"), codes("item", "annotator"), scores("item")
    assert krippendorff_alpha(item, y) == pytest.approx(0.46347299, abs=PRINTED)
    assert krippendorff_alpha(item[who != 7], y[who != 7]) == pytest.approx(0.52708453, abs=PRINTED)


def test_correlations_with_the_others_do_not_depend_on_the_unit_of_the_scores():
    """R's cor on points, whose means of two are exact; on scores of 0 to 1 R too misses ties."""
    exact = [0.82252988, 0.60958175, 0.68272765, 0.65149627, 0.60933778, 0.63369462, 0.51294710, 0.10443596]
    who, item, y = codes("item", "annotator"), codes("item", "item"), scores("item")
    for unit in (1.0, 100.0, 7.0):
        np.testing.assert_allclose(agreement(who, item, unit * y).rest, exact, atol=PRINTED)


def test_the_spread_of_repeats_is_the_vector_with_its_chi_square_interval():
    who, first, again = with_originals("repeat")
    expected = [8.2664, 10.6497, 5.1478, 16.2044, 4.5092, 9.3897, 10.0457, 21.0060]
    for k, wanted in enumerate(expected):
        own = [j for j, name in enumerate(who) if name == f"a{k + 1}"]
        found = within_spread([first[j] for j in own], [again[j] for j in own])
        assert found.sd == pytest.approx(wanted, abs=5.1e-5) and found.n == 6
        # R: sd * sqrt(6 / qchisq(c(.975, .025), 6)).
        assert (found.low / found.sd, found.high / found.sd) == pytest.approx(
            (0.6443934079, 2.2020661128), abs=1e-9
        )


def test_no_repeats_have_no_spread():
    assert np.isnan(within_spread([], []).sd)
    with pytest.raises(InputError, match="2 first scores and 1 repeats"):
        within_spread([1, 2], [1])


def test_degraded_items_are_tested_as_r_does():
    who, first, worse = with_originals("degraded")
    p = [0.00400215, 0.00823212, 0.00400215, 0.00718464, 0.00294464, 0.00292969, 0.00291251, 0.16290036]
    for k, wanted in enumerate(p):
        own = [j for j, name in enumerate(who) if name == f"a{k + 1}"]
        for unit in (1.0, 0.01):  # differences of scores of 0 to 1 have ties that doubles hide
            found = degraded_test([unit * first[j] for j in own], [unit * worse[j] for j in own])
            assert found.p == pytest.approx(wanted, abs=PRINTED)
        assert found.verdict == ("failed" if k == 7 else "passed") and found.n == 10


def test_the_exact_signed_rank_test_counts_all_signs():
    d = np.array([18, 3, 21, 1, 22, 4, 5, 11, -2, 6])
    assert signed_rank_p(d) == 3 / 1024
    rank = np.argsort(np.argsort(np.abs(d))) + 1
    signs = np.array(list(itertools.product([0, 1], repeat=10)))
    assert signed_rank_p(d) == np.mean(signs @ rank >= rank[d > 0].sum())


def test_from_fifty_pairs_on_the_normal_approximation_is_taken():
    d = np.arange(1.0, 51.0) * np.where(np.arange(50) % 3 == 0, -1, 1)
    # R: wilcox.test(d, alternative = "greater")$p.value.
    assert signed_rank_p(d) == pytest.approx(0.0203538430676, abs=1e-12)
    from scipy.stats import wilcoxon

    whole = wilcoxon(d[:49], alternative="greater", method="exact").pvalue
    assert signed_rank_p(d[:49]) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize(
    ("original", "worse", "verdict"),
    [
        ([50] * 10, [50] * 10, "failed"),  # all differences 0: p is nan, which must not pass
        ([90, 80, 70], [10, 20, 30], "too few"),
        ([], [], "too few"),
        ([60] * 7 + [50], [10, 12, 14, 16, 18, 20, 22, 50], "passed"),
    ],
)
def test_no_evidence_is_no_pass(original, worse, verdict):
    assert degraded_test(original, worse).verdict == verdict


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=30))
def test_a_signed_rank_p_is_a_probability_and_falls_with_larger_drops(drops):
    p = signed_rank_p(drops)
    assert np.isnan(p) == (not any(drops)) and (np.isnan(p) or 0 <= p <= 1)
    up = signed_rank_p([d + 100 for d in drops])
    assert np.isnan(p) or up <= p + 1e-12 or len(set(drops)) < len(drops) or 0 in drops


def test_drifts_are_lme4s_slopes():
    item, who = column("item", "item"), column("item", "annotator")
    found = drift(item, who, [float(s) for s in column("item", "sequence")], scores("item"))
    # R: lmer(y ~ 0 + annotator + annotator:t + (1 | item)); 9 digits.
    slope = [-0.000877435068, -0.001150752230, 0.002521786621, -0.001928785676,
             0.001876850517, 0.002893557761, -0.001520002536, -0.001845673202]  # fmt: skip
    se = [0.00338014895, 0.00271681028, 0.00285448812, 0.00230389920,
          0.00272857905, 0.00333821962, 0.00336880984, 0.00436482351]  # fmt: skip
    np.testing.assert_allclose(found.slope, slope, atol=1e-10)
    np.testing.assert_allclose(found.se, se, atol=1e-10)
    assert not ((found.p_holm <= 0.05) & (abs(found.change) > 0.1)).any()
    # a7 does drift, by .004 a judgment; 28 scores would have shown a change of .35 four times in five.
    assert found.detectable[6] == pytest.approx(0.347, abs=1e-3)


def test_the_detectable_drift_is_found_four_times_in_five():
    r = np.random.default_rng(21)
    item, who = (a.ravel() for a in np.indices((30, 3)))
    quiet = 0.1 * r.normal(size=30)[item] + 0.1 * r.normal(size=90)
    change = drift(item, who, item, quiet).detectable[0]
    hits = []
    for _ in range(60):
        y = (
            0.1 * r.normal(size=30)[item]
            + 0.1 * r.normal(size=90)
            + np.where(who == 0, change / 29 * item, 0)
        )
        hits.append(drift(item, who, item, y).p[0] <= 0.05 / 3)
    assert 0.6 <= np.mean(hits) <= 0.95  # SE .05; observed .78


def test_an_annotator_of_two_scores_has_no_drift():
    with pytest.raises(NotEstimableError, match=r"annotator b has 2 score\(s\)"):
        drift(
            ["i1", "i2", "i3", "i4", "i1", "i2"],
            ["a"] * 4 + ["b"] * 2,
            [1, 2, 3, 4, 1, 2],
            [1, 3, 2, 4, 2, 3],
        )


def test_only_the_careless_annotator_is_flagged():
    found = quality(
        column("item", "annotator"), column("item", "item"), 100 * scores("item"),
        Pairs(*with_originals("repeat")), Pairs(*with_originals("degraded")),
        seconds={f"a{k}": [60 + k, 70, 80] for k in range(1, 9)},
    )  # fmt: skip
    assert [(q.annotator, q.flags) for q in found if q.flags] == [("a8", ("degraded", "rest"))]
    assert found[7].within.sd == pytest.approx(21.0060, abs=5.1e-5) and found[0].n == 28


def test_each_flag_is_raised_by_what_it_names():
    r = np.random.default_rng(2)
    item, who = (a.ravel() for a in np.indices((24, 3)))
    names = np.array(["fast", "flat", "good"])[who]
    truth = r.random(24)
    y = np.where(who == 1, np.where(item < 12, 0.5, truth[item]), truth[item] + 0.01 * r.normal(size=72))
    found = quality(
        names, item, y, seconds={"fast": [5, 6, 7], "flat": [60, 70], "good": [62]}, rejected={"good": 1}
    )
    assert {q.annotator: q.flags for q in found} == {
        "fast": ("fast",),
        "flat": ("constant",),
        "good": ("rejected",),
    }
    assert found[1].favourite == 0.5 and found[2].seconds == 62


@pytest.mark.parametrize("seconds", [[0.0, 70, 80, 90, 75], [0.0, 0.0, 0.0]])
def test_a_hit_answered_in_no_time_is_a_flag_whatever_is_usual(seconds):
    """One of many, which a median does not see; and all of them, where a third of what is usual is 0 too."""
    found = quality(
        ["ann", "bob"], ["i", "i"], [0.1, 0.2], seconds={"ann": seconds, "bob": [1.0, 60.0, 70.0]}
    )
    assert [(q.flags, q.instant) for q in found] == [(("fast",), seconds.count(0.0)), ((), 0)]


def test_pairs_of_an_unknown_annotator_are_refused():
    with pytest.raises(InputError, match="repeats: annotator zoe has no other score"):
        quality(["ann", "bob"], ["i", "i"], [0.1, 0.2], Pairs(["zoe"], [0.1], [0.2]))


def test_systems_means_of_standardised_scores_are_the_vectors():
    """Of the scores of items alone; with repeats and degraded items the means are .6414 .5009 .0446 -.2409."""
    z = standardised(codes("item", "annotator"), scores("item"))
    means = [z[codes("item", "system") == k].mean() for k in range(4)]
    np.testing.assert_allclose(means, [0.448927, 0.303809, -0.210015, -0.542721], atol=5.1e-7)


@pytest.mark.parametrize(("shared", "flags"), [(19, ()), (20, ("rest",))])
def test_agreement_with_the_rest_is_a_flag_from_twenty_shared_items_on(shared, flags):
    """Honest annotators of a few shared items fall below .3 by chance: 6 % of those in 200 simulated campaigns."""
    item = [*range(shared), 100, 101, *range(shared)]
    score = [*np.linspace(0.1, 0.9, shared), 0.2, 0.8, *np.linspace(0.9, 0.1, shared)]
    found = quality(["ann"] * (shared + 2) + ["bob"] * shared, item, score)
    assert [(q.rest, q.shared, q.flags) for q in found] == [(pytest.approx(-1.0), shared, flags)] * 2
