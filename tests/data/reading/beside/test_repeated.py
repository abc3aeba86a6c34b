"""Votes that stand there twice are told with their number, and clean votes give no note."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.data.reading.beside.repeated import vote_notes


def votes(n: int = 20_000, models: int = 20, judges: int = 900, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, models, n)
    b = (a + rng.integers(1, models, n)) % models
    names = np.array([f"m{k}" for k in range(models)], object)
    return pd.DataFrame(
        {
            "question_id": [f"q{k}" for k in range(n)],
            "model_a": names[a],
            "model_b": names[b],
            "winner": rng.choice(np.array(["model_a", "model_b", "tie"], object), n),
            "judge": rng.integers(0, judges, n),
            "tstamp": np.sort(rng.uniform(0, 1e7, n)),
        }
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("models", "judges"), [(20, 900), (2, 3)])
def test_clean_votes_give_no_note(models: int, judges: int, seed: int) -> None:
    frame = votes(models=models, judges=judges, seed=seed)
    for part in (frame, frame.drop(columns="tstamp"), frame.drop(columns=["question_id", "judge"])):
        assert vote_notes(pairproof.read(part)) == ()


def test_repeated_votes_are_told_with_their_number() -> None:
    frame = votes()
    note, _ = vote_notes(pairproof.read(pd.concat([frame, frame.head(500), frame.head(100)])))
    assert note.startswith(
        "500 of 20,000 values of question_id appear more than once with the same pair and answer (600"
    )


def test_an_id_of_another_pair_judge_or_game_is_no_repetition() -> None:
    frame = votes(2000)
    other = frame.assign(judge=frame.judge + 1000)
    swapped = frame.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    for more in (other, swapped):
        assert vote_notes(pairproof.read(pd.concat([frame, more]).drop(columns="tstamp"))) == ()


def test_votes_that_follow_their_like_at_once_are_told() -> None:
    frame = votes()
    twice = frame.loc[np.sort(np.concatenate([np.arange(20_000), np.arange(60)]))].drop(columns="question_id")
    (note,) = vote_notes(pairproof.read(twice))
    assert note.startswith(
        "60 votes repeat the previous vote of the same judge (same pair, same answer within 60 s)"
    )
    (note,) = vote_notes(pairproof.read(twice.drop(columns="tstamp")))
    assert "same pair, same answer), while about 0 are expected by chance" in note
    later = twice.assign(tstamp=np.arange(len(twice)) * 3600.0)
    assert vote_notes(pairproof.read(later)) == ()


def test_a_sorted_file_of_one_judge_is_no_repetition() -> None:
    frame = votes(4000, models=6, judges=1).drop(columns=["question_id", "tstamp"])
    assert vote_notes(pairproof.read(frame.sort_values(["model_a", "model_b"]))) == ()
    agreeing = frame.assign(winner=np.where(frame.model_a < frame.model_b, "model_a", "model_b"))
    assert vote_notes(pairproof.read(agreeing.sort_values(["model_a", "model_b"]))) == ()


def test_two_games_of_a_judgment_are_no_repetition() -> None:
    rows = [
        {
            "uid": k,
            "judge": "gpt",
            "model": f"m{k % 3}",
            "baseline": "o3",
            "games": [{"score": one}, {"score": two}],
        }
        for k, (one, two) in enumerate([("A>B", "B>A"), ("B>A", "A>B"), ("A=B", "A=B")] * 60)
    ]
    assert vote_notes(pairproof.read(rows)) == ()


def test_counts_tell_nothing_of_single_votes() -> None:
    assert vote_notes(pairproof.count(votes(), by="judge")) == ()


def test_the_audit_and_the_board_look_at_the_same_votes() -> None:
    """An identifier with another answer is a vote that was changed, or another judge's: neither calls it repeated."""
    frame = votes(2000).drop(columns="tstamp")
    other = frame.head(50).assign(
        winner=frame.winner.head(50).map({"model_a": "tie", "tie": "model_b", "model_b": "model_a"})
    )
    for more, n in ((frame.head(50), 50), (other, 0)):
        table = pairproof.read(pd.concat([frame, more]))
        found = [f for f in pairproof.audit(table).flags if f.kind == "repeated-id"]
        assert [f.numbers["votes"] for f in found] == [n] * bool(n)
        assert len(vote_notes(table)) == bool(n)
    by_battle = frame.rename(columns={"question_id": "battle_id"})
    assert len(vote_notes(pairproof.read(pd.concat([by_battle, by_battle.head(9)])))) == 1


def test_a_file_pasted_twice_is_found_by_judges_and_times_where_no_column_names_the_votes() -> None:
    frame = votes(2000).drop(columns="question_id")
    twice = pairproof.read(pd.concat([frame, frame]))
    (note,) = vote_notes(twice)
    assert note.startswith("2,000 votes repeat the previous vote of the same judge")
    days = pd.to_datetime(frame["tstamp"], unit="s").astype(str)
    dated = pairproof.read(pd.concat([frame.assign(tstamp=days)] * 2).rename(columns={"tstamp": "date"}))
    (note,) = vote_notes(dated)
    assert note.startswith(
        "2,000 of 2,000 values of date appear more than once with the same pair and answer"
    )
    named_so = pairproof.read(pd.concat([frame, frame]).rename(columns={"tstamp": "when"}))
    for found in (pairproof.audit(twice), pairproof.audit(named_so, time="when")):
        assert [f.numbers["votes"] for f in found.flags if f.kind == "repeated-id"] == [2000.0]
    # Dates of a day are shared by many votes, so that equal rows may be different votes.
    frame["tstamp"] = np.arange(2000) // 100
    said = str(pairproof.audit(pairproof.read(pd.concat([frame, frame]))))
    assert "many votes have the same tstamp" in said
    assert "repeated votes" in said.split("Not looked at: ")[1].split("; why is said below")[0]
