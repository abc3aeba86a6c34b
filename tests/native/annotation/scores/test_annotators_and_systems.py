"""Agreement, standardised scores, systems from segments, HITs as comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof import fit_llbt
from pairproof.errors import InputError
from pairproof.native.annotation.coded_judgments import comparisons_of_hits
from pairproof.native.annotation.scores.annotator_agreement import (
    agreement,
    krippendorff_alpha,
    ranks,
    spearman,
    standardised,
)
from pairproof.native.annotation.scores.systems_model import rank_sum_p, system_scores


def test_z_scores_have_mean_0_and_spread_1_within_each_annotator():
    r = np.random.default_rng(0)
    who, s = np.repeat([0, 1, 2], 20), np.r_[r.random(20), 0.4 + 0.1 * r.random(20), r.random(20) ** 3]
    z = standardised(who, s)
    for k in range(3):
        assert np.mean(z[who == k]) == pytest.approx(0, abs=1e-14) and np.std(
            z[who == k], ddof=1
        ) == pytest.approx(1)


@pytest.mark.parametrize(
    ("who", "score", "said"),
    [
        ([0, 0, 1], [0.1, 0.2, 0.3], "annotator ann: one score only"),
        ([1, 0, 1, 0], [0.3, 0.1, 0.3, 0.2], "annotator ann: the same score 2 times"),
    ],
)
def test_an_annotator_without_spread_cannot_be_standardised(who, score, said):
    with pytest.raises(InputError, match=said):
        standardised(who, score, ["bob", "ann"])


def test_ranks_and_rank_correlation_are_scipys():
    from scipy.stats import rankdata, spearmanr

    r = np.random.default_rng(1)
    x, y = r.integers(0, 6, 40), r.integers(0, 9, 40)
    np.testing.assert_array_equal(ranks(x), rankdata(x))
    assert spearman(x, y) == pytest.approx(spearmanr(x, y)[0], abs=1e-14)
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))


def test_krippendorffs_alpha_is_the_definition_over_all_pairs():
    r = np.random.default_rng(2)
    item, s = r.integers(0, 8, 40), r.random(40)
    of = {k: s[item == k] for k in range(8) if (item == k).sum() > 1}
    n = sum(map(len, of.values()))
    observed = sum(((v[:, None] - v[None, :]) ** 2).sum() / (len(v) - 1) for v in of.values()) / n
    every = np.concatenate(list(of.values()))
    expected = ((every[:, None] - every[None, :]) ** 2).sum() / (n * (n - 1))
    assert krippendorff_alpha(item, s) == pytest.approx(1 - observed / expected, rel=1e-12)
    assert krippendorff_alpha([0, 0, 1, 1], [0.2, 0.2, 0.7, 0.7]) == 1.0
    assert np.isnan(krippendorff_alpha([0, 1, 2], [0.1, 0.2, 0.3]))


def test_pairwise_agreement_is_the_mean_spearman_over_shared_items():
    truth = np.linspace(0, 1, 6)
    who, item = np.repeat([0, 1, 2], 6), np.tile(np.arange(6), 3)
    score = np.r_[truth, truth**2, truth[::-1]]
    found = agreement(who, item, score)
    assert (found.pairwise, found.n_pairs) == (pytest.approx((1 - 1 - 1) / 3), 3)
    assert found.rest[2] == pytest.approx(-1)
    lone = agreement([0, 1], [0, 1], [0.3, 0.4])
    assert np.isnan(lone.pairwise) and lone.n_pairs == 0 and np.isnan(lone.rest).all()


def test_the_rank_sum_test_is_scipys():
    from scipy.stats import mannwhitneyu

    r = np.random.default_rng(3)
    x, y = r.integers(0, 9, 30).astype(float), r.integers(1, 11, 25).astype(float)
    assert rank_sum_p(x, y) == pytest.approx(
        mannwhitneyu(x, y, alternative="two-sided", method="asymptotic").pvalue, rel=1e-12
    )
    assert rank_sum_p(np.ones(4), np.ones(5)) == 1.0


def test_a_cluster_ends_where_all_above_differ_from_all_below():
    r = np.random.default_rng(4)
    names = np.repeat(["a", "b", "c", "d"], 60)
    score = np.r_[
        r.normal(0.8, 0.1, 60), r.normal(0.79, 0.1, 60), r.normal(0.4, 0.1, 60), r.normal(0.41, 0.1, 60)
    ]
    found = system_scores(list(names), score)
    assert set(found.systems[:2]) == {"a", "b"} and found.cluster.tolist() == [1, 1, 2, 2]
    assert ((found.low < found.score) & (found.score < found.high)).all() and found.n.tolist() == [60] * 4
    assert (found.score[:-1] >= found.score[1:]).all()


def test_one_system_or_a_score_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="found 1 system"):
        system_scores(["a", "a"], [0.1, 0.2])
    with pytest.raises(InputError, match="score number 2 is nan"):
        system_scores(["a", "b"], [0.1, np.nan])


def test_a_hit_becomes_every_pair_of_it_with_its_judge():
    table = comparisons_of_hits(
        ["x", "y", "z"],
        [[2, 0, 1], [0, 1, 2]],
        [[0.9, 0.4, 0.4], [0.1, np.nan, 0.3]],
        ["ann", None],
        ["1/1", "1/2"],
    )
    rows = table.to_frame()
    assert rows[["first", "second", "wins", "ties", "losses"]].values.tolist() == [
        ["z", "x", 1, 0, 0],
        ["z", "y", 1, 0, 0],
        ["x", "y", 0, 1, 0],
        ["x", "z", 0, 0, 1],
    ]
    assert rows["judge"].tolist() == ["ann"] * 3 + [None] and rows["source"].tolist() == ["1/1"] * 3 + ["1/2"]


def test_llbt_fitted_to_hits_orders_items_as_their_scores_do():
    r = np.random.default_rng(5)
    truth = np.linspace(0.1, 0.9, 5)
    hits = [r.permutation(5) for _ in range(60)]
    scores = [np.clip(truth[h] + r.normal(0, 0.25, 5), 0, 1) for h in hits]
    fit = fit_llbt(comparisons_of_hits(list("abcde"), hits, scores))
    assert sorted("abcde", key=lambda k: fit.params[k]) == list("abcde")


def test_hits_in_which_nothing_is_compared_are_refused():
    with pytest.raises(InputError, match="no two items were scored in the same HIT"):
        comparisons_of_hits(["a", "b"], [[0], [1]], [[0.3], [0.4]])
