"""Every vote a cluster of its own, on counts: against a column that names each vote, and at any size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import InputError, NotEstimableError
from pairproof.fit.fit import Fit
from pairproof.validation.r_answers.clustered import clustered_counterparts
from pairproof.validation.verify import backend_of
from tests.fit.robust.test_streamed import MODELS, SAME, same, votes


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return votes(1_500).assign(question_id=[f"q{k}" for k in range(1_500)])


def fitted(table: pairproof.Comparisons, family: str = "bradley-terry", **options: Any) -> Fit:
    return (pairproof.fit_llbt if family == "llbt" else pairproof.fit_bradley_terry)(table, **options)


WITH_ROWS: dict[str, dict[str, Any]] = {
    **MODELS,
    "length": {"ties": "half", "comparison_terms": ["length"], "reference": "sum"},
    "length and ties": {"ties": "davidson", "comparison_terms": ["length"], "order_effect": True},
}


@pytest.mark.parametrize("model", WITH_ROWS)
@pytest.mark.parametrize("kind", ["CR0", "CR1"])
def test_counts_without_votes_give_what_a_column_that_names_each_vote_gives(
    frame: pd.DataFrame, model: str, kind: Any
) -> None:
    # one number in two ways; seen: 3e-15 of the largest covariance
    table, options = pairproof.read(frame), WITH_ROWS[model]
    asked = fitted(table, **options).clustered("question_id", kind=kind)
    same(fitted(table, **options).clustered(kind=kind), asked)
    if "comparison_terms" not in options:
        by = [name for name in ("language",) if name in options.get("by", "")]
        of_counts = fitted(pairproof.count(frame, by=by), **options).clustered(kind=kind)
        same(of_counts, asked)
        n = of_counts.robust.n_clusters[0]
        assert of_counts.robust.title == f"{kind} by vote ({n:,} votes)"
        assert "votes), their number less one df" in " ".join(of_counts.summary().split())


def test_without_a_column_the_kind_is_cr1_and_t_has_one_df_less_than_votes(frame: pd.DataFrame) -> None:
    found = fitted(pairproof.read(frame), ties="half", reference="sum").clustered()
    assert found.robust.kind == "CR1" and (found.df == 1_499.0).all()
    assert found.to_dict()["covariance"] == {"kind": "CR1", "clusters": [], "n_clusters": [1500]}


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from(["half", "davidson", "rao-kupper", "drop"]))
def test_contrasts_ranks_worths_and_tests_are_those_of_named_votes(seed: int, ties: str) -> None:
    few = votes(300, seed=seed).assign(question_id=[f"q{k}" for k in range(300)])
    fit = fitted(pairproof.read(few), ties=ties, reference="m3")
    one, other = fit.clustered(kind="CR0"), fit.clustered("question_id", kind="CR0")
    np.testing.assert_allclose(one.worth()["se"], other.worth()["se"], rtol=SAME)
    assert one.contrast("m0", "m6").se == pytest.approx(other.contrast("m0", "m6").se, rel=SAME)
    assert one.ranks().to_frame().equals(other.ranks().to_frame())
    mine, named = one.wald(["m0", "m1", "m2"]), other.wald(["m0", "m1", "m2"])
    assert mine.statistic == pytest.approx(named.statistic, rel=1e-10)  # a solve of both; seen: 2e-14
    assert one.robust.title in str(mine)


def test_ten_thousand_times_the_votes_divide_the_covariance_by_as_much(frame: pd.DataFrame) -> None:
    table = pairproof.count(frame)
    many = replace(table, wins=table.wins * 1e6, ties=table.ties * 1e6, losses=table.losses * 1e6)
    one, other = (fitted(t, ties="half", reference="sum").clustered(kind="CR0") for t in (table, many))
    assert other.robust.title == "CR0 by vote (1,500,000,000 votes)"
    # seen: 2e-15 of the largest
    v, w = one.cov_params().to_numpy(), other.cov_params().to_numpy() * 1e6
    np.testing.assert_allclose(w, v, atol=SAME * np.abs(v).max(), rtol=0.0)


def test_fractional_counts_and_weights_make_each_row_a_cluster(frame: pd.DataFrame) -> None:
    soft = frame.assign(weight=np.random.default_rng(2).uniform(0.2, 1.0, len(frame)))
    fit = fitted(pairproof.read(soft), ties="half", reference="sum")
    found = fit.clustered()
    assert found.robust.title == "CR1 by row (1,500 rows, whose counts are weights)"
    same(found, fit.clustered("question_id", kind="CR1"))
    counts = pd.DataFrame({"first": ["A", "A", "B"], "second": ["B", "C", "C"], "wins": [5, 4, 3]})
    weighted = counts.assign(losses=[2, 3, 4], by=[2.0, 3.0, 1.0])
    by_weight = pairproof.fit_bradley_terry(pairproof.read(weighted), weights="by").clustered()
    assert by_weight.robust.n_clusters == (3,)


def test_half_a_win_for_each_in_a_row_of_counts_is_a_tie_and_no_row_is_a_cluster() -> None:
    rows = {"first": ["Ada", "Ada", "Bo"], "second": ["Bo", "Cy", "Cy"]}
    halves = pairproof.read({**rows, "wins": [24.5, 12.0, 11.5], "losses": [15.5, 9.0, 8.5]})
    tied = pairproof.read({**rows, "wins": [24, 12, 11], "ties": [1, 0, 1], "losses": [15, 9, 8]})
    found, same_votes = (fitted(t, ties="half", reference="sum").clustered() for t in (halves, tied))
    assert found.robust.title == same_votes.robust.title == "CR1 by vote (81 votes)"
    same(found, same_votes)
    # Half a win alone is half a vote: its errors are about those of the model, not a tenth of them.
    alone = fitted(pairproof.read({**rows, "wins": [5.5, 2, 1], "losses": [3, 2, 2]}), reference="sum")
    assert (alone.clustered().bse / alone.bse).between(0.9, 1.1).all()  # observed .98 to 1.03


def test_an_item_that_lost_all_leaves_the_others_as_they_were(frame: pd.DataFrame) -> None:
    lost = pd.DataFrame({"model_a": ["new"] * 12, "model_b": ["m1", "m2", "m3"] * 4, "winner": "model_b"})
    before = fitted(pairproof.read(frame[["model_a", "model_b", "winner"]]), ties="half", reference="sum")
    both = pd.concat([frame[["model_a", "model_b", "winner"]], lost])
    after = fitted(pairproof.read(both), ties="half", reference="sum").clustered()
    assert after.robust.n_clusters == (1_500,)
    # seen: 1e-14
    np.testing.assert_allclose(after.bse.drop("new"), before.clustered().bse, rtol=1e-11)
    assert after.ranks().to_frame().loc["new", "status"] == "below all"


def test_a_tie_that_alone_sets_an_item_has_no_error_by_vote_and_is_named(frame: pd.DataFrame) -> None:
    tied = pd.DataFrame({"model_a": ["new"], "model_b": ["m1"], "winner": ["tie"]})
    table = pairproof.read(pd.concat([frame[["model_a", "model_b", "winner"]], tied]))
    fit = fitted(table, ties="half", reference="m1")
    found = fit.clustered()
    assert np.isnan(found.bse["new"]) and np.isfinite(found.bse["m2"])
    with pytest.raises(NotEstimableError, match="is fitted from vote of new vs. m1 alone"):
        found.contrast("new", "m2")


def test_the_summary_still_says_when_answers_of_a_judge_go_together() -> None:
    crowd = votes(4_000, judges=25)
    found = fitted(pairproof.read(crowd), ties="half", reference="m0").clustered()
    said = " ".join(found.summary().split())
    assert "those by single votes, which assume independent answers; fit.clustered(" in said
    assert any("those by single votes" in str(w) for w in found.to_dict()["warnings"])
    drawn = found.bootstrap(replicates=19, seed=1)  # single comparisons, as of any fit
    assert drawn.se["m1"] > 0.0


def test_r_is_not_asked_of_single_votes_and_few_are_cautioned_of() -> None:
    fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [6], [2], [3])).clustered()
    assert fit.robust.title == "CR1 by vote (11 votes)"
    assert fit.robust.cautions == (
        "11 clusters by vote: with fewer than 20, cluster-robust intervals are approximate; in Python compare them with fit.bootstrap()",
    )
    notes = [answer.not_run for answer in clustered_counterparts(fit, backend_of("none"))]
    assert all("every vote is its own cluster" in note for note in notes) and notes


def test_one_vote_is_refused_and_so_are_models_without_scores_by_vote() -> None:
    one = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [0], [1], [0]), ties="half")
    with pytest.raises(
        InputError, match="only one vote carries information about finite estimates; two are needed"
    ):
        one.clustered()
    table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [6, 8, 5], [1, 2, 3], [4, 3, 4])
    shifted = pairproof.fit_bradley_terry(table, ties="davidson", tie_scale=True)
    with pytest.raises(
        InputError, match="clustered by nothing: ties with a shift or a scale are clustered by one"
    ):
        shifted.clustered()
