"""Clusters that say nothing, clusters that all say the same, and two-way covariances that are singular."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError, NotEstimableError, RankingWarning


def read(rows):
    return pairproof.read(dict(zip(("judge", "first", "second", "outcome"), map(list, zip(*rows)))))


@pytest.fixture(scope="module")
def agreeing():
    """Three judges who each preferred A twice and B once; C against A by chance."""
    answers = ["first", "second", "first"]
    rows = [(f"j{k % 3}", "A", "B", answers[k // 3]) for k in range(9)]
    rows += [(f"j{k % 3}", "D", "E", "first" if k % 4 else "second") for k in range(14)]
    return pairproof.fit_bradley_terry(read(rows))


def test_a_table_that_is_separated_throughout_has_a_summary_and_no_clusters():
    fit = pairproof.fit_bradley_terry(read([(f"j{k}", "A", "B", "first") for k in range(3)]))
    assert "separated data" in fit.summary()
    with pytest.raises(InputError, match="no comparison carries information about a finite estimate"):
        fit.clustered("judge")


def test_clusters_that_say_exactly_the_same_give_no_standard_error_of_0(agreeing):
    by_judge = agreeing.clustered("judge")
    with pytest.raises(
        NotEstimableError, match="A - B has no standard error by judge: all clusters give exactly"
    ):
        by_judge.contrast("A", "B")
    assert np.isnan(by_judge.bse["B"]) and np.isnan(by_judge.pvalues["B"])
    assert "(no variation between clusters)" in by_judge.summary()
    with pytest.raises(NotEstimableError, match="no variation in a part of the hypothesis"):
        by_judge.wald(["B"])
    document = by_judge.to_dict()
    assert document["bse"]["B"] is None and "no-spread" in document["warning_kinds"]
    assert any("all clusters give exactly the same" in said for said in document["warnings"])
    family = by_judge.contrasts()
    assert family.what == ("D - E",)
    assert ("A - B", "all clusters give exactly the same value, so there is no variation") in family.left_out
    assert by_judge.contrast("D", "E").se > 0.1


@pytest.fixture(scope="module")
def crossed():
    """Answers by chance of 6 judges on 6 sources: two-way covariances that are rarely positive."""
    rng, out = np.random.default_rng(3), []
    for _ in range(4):
        a = rng.integers(0, 5, 150)
        b = (a + rng.integers(1, 5, 150)) % 5
        table = {
            "judge": [f"j{k}" for k in rng.integers(0, 6, 150)],
            "source": [f"s{k}" for k in rng.integers(0, 6, 150)],
            "first": ["ABCDE"[k] for k in a],
            "second": ["ABCDE"[k] for k in b],
            "outcome": list(rng.choice(["first", "second", "tie"], 150)),
        }
        out.append(pairproof.fit_llbt(pairproof.read(table)))
    return out


def test_a_two_way_test_claims_no_more_than_its_least_sure_covariance(crossed):
    repaired = 0
    for fit in crossed:
        both = fit.clustered("judge", "source")
        repaired += both.robust.negative > 0
        one = [fit.clustered(way).wald(["A", "B"]).statistic for way in ("judge", "source")]
        assert both.wald(["A", "B"]).statistic <= min(one) * (1 + 1e-12)
    assert repaired == 4


def test_a_joint_test_of_one_parameter_is_its_t_test_two_ways_too(crossed):
    for fit in crossed:
        both = fit.clustered("judge", "source")
        f, t = both.wald(["A"]), both.to_frame().loc["A"]
        # Seen: 4e-16.
        np.testing.assert_allclose([f.statistic, f.p], [t["t"] ** 2, t["p"]], rtol=1e-12)
        assert f.df_denom == pytest.approx(t["df"], rel=1e-12)


def test_a_singular_two_way_covariance_is_no_defect_of_a_joint_test(crossed):
    for fit in crossed:
        try:
            assert 0.0 < fit.clustered("judge", "source").test_equal_items().p <= 1.0
        except NotEstimableError as error:
            assert "too few clusters" in str(error)


def test_differences_on_few_degrees_of_freedom_are_called_rough():
    rows = [(f"j{k % 25}", "A", "B", "first" if k % 3 else "second") for k in range(100)]
    rows += [("j1", "B", "C", "first" if k % 4 else "second") for k in range(60)]
    rows += [("j2", "B", "C", "first" if k % 2 else "second") for k in range(20)]
    by_judge = pairproof.fit_bradley_terry(read(rows)).clustered("judge")
    assert by_judge.contrast("B", "C").df < 2 < 4 < by_judge.contrast("A", "B").df
    for result in (by_judge.contrasts(), by_judge.ranks(), by_judge.contrasts("against the best")):
        said = [c for c in result.cautions if "fewer than 4 degrees of freedom" in c]
        assert len(said) == 1 and said[0].startswith("2 of 3 differences have"), result.cautions


def test_a_single_cluster_left_by_separation_is_told_from_a_single_cluster():
    rows = [("u", "A", "B", answer) for answer in ("first", "second", "first")] + [
        ("v", "B", "C", "first")
    ] * 3
    fit = pairproof.fit_bradley_terry(read(rows))
    with pytest.raises(
        InputError, match=r"judge: all information about finite estimates is from one cluster \(u\)"
    ):
        fit.clustered("judge")


def test_judges_with_an_answer_each_are_no_clusters_to_speak_of():
    """With 8 of them CR2 is 1.07 times the model's for its G / (G - 1) alone; the smaller the table, the more."""
    answers = ["first", "second", "first", "first"]
    rows = [(f"j{k}", "A", "B", answers[k]) for k in range(4)]
    assert "Clusters:" not in pairproof.fit_bradley_terry(read(rows)).summary()
    twice = pairproof.fit_bradley_terry(read(rows + [(f"j{k}", "A", "B", answers[k]) for k in range(4)]))
    assert "by judge (4 clusters, CR2) 1.63 times those of the model" in " ".join(twice.summary().split())


def test_the_mean_of_all_is_told_from_an_item_called_mean():
    rows = [(f"j{k % 7}", "mean", "best", "first" if k % 3 else "second") for k in range(28)]
    rows += [(f"j{k % 5}", "best", "other", "first" if k % 2 else "second") for k in range(28)]
    fit = pairproof.fit_bradley_terry(read(rows)).clustered("judge")
    assert fit.contrasts("against the mean").what == (
        "best - mean of all",
        "mean - mean of all",
        "other - mean of all",
    )


def test_items_that_an_order_effect_confounds_are_not_called_unjoined():
    rows = [(f"j{k % 7}", "A", "B", "first" if k % 3 else "second") for k in range(28)]
    rows += [(f"j{k % 5}", "C", "A", "first" if k % 2 else "second") for k in range(28)]
    fit = pairproof.fit_bradley_terry(read(rows), order_effect=True)
    said = dict(fit.clustered("judge").ranks().left_out)
    assert said["A - B"] == "the data cannot distinguish it from another effect of the model"


def test_options_that_are_none_are_refused_whether_or_not_they_would_matter(agreeing):
    with pytest.raises(InputError, match="missing='drop'; expected 'refuse' or 'own'"):
        agreeing.clustered("judge", missing="drop")
    with pytest.raises(InputError, match="expected separate names"):
        agreeing.clustered(["judge", "source"])


def test_standard_errors_by_judge_allow_for_the_pairs_of_a_ranking():
    rankings = {"judge": list("uuvvwwxx")}
    ranks = {"A": [1, 1, 2, 1, 3, 1, 2, 1], "B": [2, 3, 1, 2, 1, 2, 1, 3]}
    ranks["C"] = [6 - a - b for a, b in zip(ranks["A"], ranks["B"])]
    for k, item in enumerate("ABC", 1):
        rankings |= {f"system{k}": [item] * 8, f"rank{k}": ranks[item]}
    with pytest.warns(RankingWarning):
        fit = pairproof.fit_llbt(pairproof.read(rankings, layout="rankings"))
    assert "standard errors are too small" in str(fit.warnings[0])
    said = fit.clustered("judge").warnings
    assert [w.kind for w in said] == ["rankings-as-pairs"]
    assert "which cluster-robust standard errors allow for" in str(said[0]) and "too small" not in str(
        said[0]
    )
