"""Rank ranges and clusters of shared tasks, held against the rules and updates that are applied one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.boards.others.shared_task import _trueskill, factors, shared_task
from pairproof.errors import InputError
from pairproof.native.annotation import trueskill
from pairproof.native.competitions.ranking.ranking_rules import expected_wins


def judged(seed: int, n: int = 3_000, bend: float = 0.0) -> pairproof.Comparisons:
    """Judgments of five systems, two of which are alike, by 30 judges who differ by `bend`."""
    rng = np.random.default_rng(seed)
    ability = np.array([1.0, 0.4, 0.4, -0.5, -1.2])
    first = rng.integers(0, 5, n)
    second = (first + rng.integers(1, 5, n)) % 5
    judge = rng.integers(0, 30, n)
    own = rng.normal(0.0, bend, (30, 5))
    u = ability[first] - ability[second] + own[judge, first] - own[judge, second]
    won = rng.random(n) < 1.0 / (1.0 + np.exp(-u))
    outcome = np.where(rng.random(n) < 0.2, "tie", np.where(won, "first", "second"))
    names = np.array(["A", "B", "C", "D", "E"])
    frame = pd.DataFrame({"first": names[first], "second": names[second], "outcome": outcome})
    return pairproof.read(frame.assign(judge=judge))


def test_factors_of_arrays_are_those_of_single_judgments() -> None:
    rng = np.random.default_rng(1)
    t, e = rng.uniform(-8.0, 8.0, 500), rng.uniform(0.1, 1.0, 500)
    for tied, one in ((False, trueskill.win), (True, trueskill.tie)):
        expected = np.array([one(a, b) for a, b in zip(t, e)])
        found = np.stack(factors(t, e, np.full(500, tied)), axis=1)
        np.testing.assert_allclose(found, expected, rtol=1e-10)  # seen: 1e-12


def test_all_draws_at_a_time_end_where_each_ends_by_itself() -> None:
    table = judged(2, 200)
    n, counts = 5, np.stack([table.wins, table.ties, table.losses])
    outcome, row = np.nonzero(counts)
    whole = np.bincount((outcome * n + table.first[row]) * n + table.second[row], minlength=3 * n * n)
    drawn = np.stack([whole, np.random.default_rng(3).multinomial(150, whole / whole.sum())])
    found, rng = _trueskill(drawn, n, np.random.default_rng(4)), np.random.default_rng(4)
    for k, draw in enumerate(drawn):
        mean, variance = np.full(n, trueskill.START_MEAN), np.full(n, trueskill.START_VARIANCE)
        for cell in rng.permutation(np.repeat(np.arange(len(draw)), draw)):
            words: tuple[Any, ...] = ("win", "tie", "loss")
            word, pair = words[cell // (n * n)], cell % (n * n)
            i, j = divmod(int(pair), n)
            skills = trueskill.Skills(mean[i], variance[i], mean[j], variance[j])
            mean[i], variance[i], mean[j], variance[j] = trueskill.update_pair(skills, word)
        np.testing.assert_allclose(found[k], mean, rtol=1e-10)  # seen: 2e-13


@pytest.mark.parametrize("score", ["expected-wins", "trueskill"])
def test_systems_that_differ_are_clusters_and_those_alike_are_one(score: Any) -> None:
    found = shared_task(judged(5), score, replicates=200)
    assert found["system"].tolist()[0] == "A" and set(found["system"][1:3]) == {"B", "C"}
    assert found["cluster"].tolist() == [1, 2, 2, 3, 4]
    assert found["rank_low"].tolist() == [1, 2, 2, 4, 5] and found["rank_high"].tolist() == [1, 3, 3, 4, 5]
    assert ((found["low"] < found["score"]) & (found["score"] < found["high"])).all()


def test_the_score_is_that_of_the_rule_and_its_limits_have_the_size_of_its_error() -> None:
    table = judged(6)
    found = shared_task(table).set_index("system")
    rule = expected_wins(table)
    np.testing.assert_allclose(found.loc[list(rule.items), "score"], rule.values, rtol=1e-14)
    # of A: a mean of four shares of some 240 decided comparisons each; within a fifth of the binomial's
    won = table.with_items(["A", "B", "C", "D", "E"]).pooled()
    shares = [w / (w + l) for (a, _), (w, _, l) in won.items() if a == "A"]
    error = np.sqrt(sum(p * (1 - p) / (w + l) for p, (w, _, l) in zip(shares, won.values()))) / 4.0
    assert found.loc["A", "high"] - found.loc["A", "low"] == pytest.approx(2 * 1.96 * error, rel=0.2)


def test_drawn_by_judge_limits_allow_for_judges_who_differ() -> None:
    table = judged(7, bend=0.8)
    width = [
        (found["high"] - found["low"]).mean()
        for found in (shared_task(table, by_judge=by_judge, replicates=500) for by_judge in (False, True))
    ]
    assert width[1] > 1.3 * width[0]  # seen: 1.9
    assert shared_task(table, seed=1).equals(shared_task(table, seed=1))


def test_every_track_is_ranked_by_itself() -> None:
    one, other = (judged(seed).to_frame()[["first", "second", "wins", "ties", "losses"]] for seed in (8, 9))
    both = pairproof.read(pd.concat([one.assign(track="de-en"), other.assign(track="fr-en")]))
    found = shared_task(both)
    assert found["track"].value_counts().to_dict() == {"de-en": 5, "fr-en": 5}
    alone = shared_task(pairproof.read(other)).drop(columns="track")
    pd.testing.assert_frame_equal(
        found[found["track"] == "fr-en"].drop(columns="track").reset_index(drop=True), alone
    )


def test_what_cannot_be_drawn_is_refused() -> None:
    table = judged(10, 300)
    with pytest.raises(InputError, match="replicates=10, level=0.95; expected at least 39 draws"):
        shared_task(table, replicates=10)
    with pytest.raises(InputError, match="score='elo'"):
        shared_task(table, cast(Any, "elo"))
    with pytest.raises(InputError, match="counts are fractional, but judgments are drawn one by one"):
        shared_task(replace(table, wins=table.wins / 2.0))
    with pytest.raises(InputError, match="by_judge=True: .* has no column judge"):
        shared_task(replace(table, columns={}), by_judge=True)


def test_wmt12_has_its_winners(shared: Path) -> None:
    """Where one system alone holds the first rank in all draws but the outer ones, as in two of its eight tracks and more."""
    found = shared_task(pairproof.read(shared / "data" / "wmt" / "wmt12.RNK_results.csv"))
    first = found[found["cluster"] == 1].groupby("track")["system"].apply(list)
    assert first["Czech-English"] == ["onlineB"] and first["English-Czech"] == ["cu-depfix"]


def test_systems_with_equal_scores_share_their_ranks() -> None:
    table = pairproof.Comparisons.build("ABCD", [0, 0, 1], [1, 2, 3], [30, 30, 20], None, [20, 0, 0])
    found = shared_task(table).set_index("system")  # neither C nor D ever won
    assert found.loc[["C", "D"], ["rank_low", "rank_high", "cluster"]].to_numpy().tolist() == [[3, 4, 2]] * 2
