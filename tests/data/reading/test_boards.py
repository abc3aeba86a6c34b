"""Votes as boards write them: evalica, winners by name, soft preferences, AlpacaEval, arena-hard, MTEB; and bad rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.cli import main
from pairproof.errors import CodingError, InputError

WORD = {"model_a": "left", "model_b": "right", "tie": "tie"}


def votes(n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    names = np.array(["gpt", "claude", "qwen", "yi"], object)
    said = rng.choice(np.array(["model_a", "model_b", "tie"], object), n)
    judge = rng.integers(0, 30, n).astype(str)
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": said, "judge": judge})


def by_name(frame: pd.DataFrame) -> pd.DataFrame:
    """The same votes with each winner under its own name."""
    sides = {side: frame.winner == side for side in ("model_a", "model_b")}
    said = frame.winner.mask(sides["model_a"], frame.model_a).mask(sides["model_b"], frame.model_b)
    return frame.assign(winner=said)


def test_evalica_is_read_and_counted_from_its_file(tmp_path: Path) -> None:
    frame = votes()
    own = pd.DataFrame({"left": frame.model_a, "right": frame.model_b, "winner": frame.winner.map(WORD)})
    own.to_csv(tmp_path / "food.csv", index=False)
    expected = pairproof.read(frame).digest()
    assert pairproof.read(tmp_path / "food.csv").digest() == expected
    assert pairproof.count(tmp_path / "food.csv").digest() == expected
    assert pairproof.read(own, where="left=gpt|yi").n_rows == frame.model_a.isin(["gpt", "yi"]).sum()


@pytest.mark.parametrize("read", [pairproof.read, pairproof.count])
def test_a_winner_may_stand_there_by_its_name(read: Callable[..., Any]) -> None:
    assert read(by_name(votes())).digest() == pairproof.read(votes()).digest()
    chosen = read(by_name(votes()), where="winner=gpt")
    assert chosen.n_comparisons == (by_name(votes()).winner == "gpt").sum()


def test_passes_find_winners_by_name() -> None:
    frame = by_name(votes())
    through = pairproof.fit_bradley_terry(pairproof.count(frame)).clustered("judge", kind="CR1", rows=frame)
    held = pairproof.fit_bradley_terry(pairproof.read(frame)).clustered("judge", kind="CR1")
    # sums in another order; observed 4e-16
    np.testing.assert_allclose(through.bse.dropna(), held.bse.dropna(), rtol=1e-12)


@pytest.mark.parametrize("read", [pairproof.read, pairproof.count])
@pytest.mark.parametrize(
    ("winner", "said"),
    [
        (["gpt", "yi", "tie"], "row 2, column 'winner': the winner is 'yi', which was not compared there"),
        (["gpt", "model_b", "tie"], "contains names of models and 'model_b', which is the word for a side"),
        (["Gpt", "model_b", "tie"], "'Gpt'"),
    ],
)
def test_a_winner_that_can_be_read_in_two_ways_or_none_is_refused(
    read: Callable[..., Any], winner: list[str], said: str
) -> None:
    with pytest.raises(CodingError, match=said):
        read({"model_a": ["gpt", "gpt", "yi"], "model_b": ["qwen", "qwen", "qwen"], "winner": winner})


def test_a_model_that_is_called_as_a_word_is_refused() -> None:
    frame = {"model_a": ["tied", "model_a"], "model_b": ["model_a", "tied"], "winner": ["model_a", "tied"]}
    with pytest.raises(CodingError, match="contains names of models and 'model_a', which is one too"):
        pairproof.read(frame)


def test_soft_preferences_are_weights_and_the_middle_is_a_tie() -> None:
    frame = {"model_a": ["A", "A", "B", "A"], "model_b": ["B", "C", "C", "B"], "pref": [0, 0.25, 1, 0.5]}
    table = pairproof.read(frame)
    assert table.wins.tolist() == [1, 0.75, 0, 0] and table.losses.tolist() == [0, 0.25, 1, 0]
    assert table.ties.tolist() == [0, 0, 0, 1]
    renamed = {"a": frame["model_a"], "b": frame["model_b"], "p": frame["pref"]}
    same = pairproof.read(renamed, layout="soft", columns={"model_a": "a", "model_b": "b", "pref": "p"})
    assert same.digest() == table.digest()
    with pytest.raises(InputError, match="layout 'soft'; count supports"):
        pairproof.count(frame)
    with pytest.raises(CodingError, match=r"row 1, column 'pref': pref is 1.5; expected a number from 0"):
        pairproof.read({**frame, "pref": [1.5, 0, 0, 0]})
    with pytest.raises(InputError, match="(?s)layout='votes'.*layout='soft'"):
        pairproof.read({**frame, "winner": ["tie"] * 4})


def test_alpacaeval_annotations_are_preferences_from_1_to_2(tmp_path: Path) -> None:
    said = [1.0, 1.0000000298, 2.0, 1.5, 1.75]
    rows = [
        {
            "instruction": f"q{k}",
            "generator_1": "gpt4_turbo",
            "generator_2": "yi",
            "annotator": "w",
            "preference": p,
        }
        for k, p in enumerate(said)
    ]
    (tmp_path / "annotations.json").write_text(json.dumps(rows, indent=1))
    table = pairproof.read(tmp_path / "annotations.json")
    assert table.losses.tolist() == [0, 1.0000000298 - 1, 1, 0, 0.75] and table.ties.sum() == 1
    with pytest.raises(CodingError, match="preference is 0.0; expected .*; 0, a draw in old files, is 1.5"):
        pairproof.read([{**rows[0], "preference": 0}, *rows])


def judgments() -> list[dict[str, Any]]:
    """Two models against a baseline, as arena-hard writes them; the baseline is A in the first game."""
    said = [("m1", "A>>B", "B>A"), ("m1", "B>A", "A>>B"), ("m2", "A=B", "A>B"), ("m2", "A>B", "A<<B")]
    return [
        {
            "uid": f"u{k}",
            "category": "hard_prompt",
            "judge": "gpt-4.1",
            "model": model,
            "baseline": "o3-mini",
            "games": [{"score": one, "judgment": {"answer": "..."}}, {"score": two, "judgment": {}}],
        }
        for k, (model, one, two) in enumerate(said)
    ]


@pytest.mark.parametrize("kind", ["json lines", "dicts", "pandas"])
def test_arena_hard_has_two_games_a_judgment_with_the_sides_swapped(kind: str, tmp_path: Path) -> None:
    source: Any = judgments()
    if kind == "json lines":
        source = tmp_path / "m.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in judgments()))
    table = pairproof.read(pd.DataFrame(source) if kind == "pandas" else source)
    frame = table.to_frame()
    assert frame["first"].tolist() == ["o3-mini", "m1", "o3-mini", "m1", "o3-mini", "m2", "o3-mini", "m2"]
    assert table.wins.tolist() == [1, 0, 0, 1, 0, 1, 1, 0]
    assert table.losses.tolist() == [0, 1, 1, 0, 0, 0, 0, 1]
    assert table.ties.tolist() == [0, 0, 0, 0, 1, 0, 0, 0]
    assert pairproof.read(judgments(), where=["model=m1", "game=2"]).n_rows == 2
    assert frame.uid.tolist() == [f"u{k}" for k in range(4) for _ in range(2)]
    assert frame.game.tolist() == [1.0, 2.0] * 4
    # their own score of a model: label of the second game, 1 - label of the first; A>>B once, not three times
    assert table.pooled() == {("m1", "o3-mini"): (2.0, 0.0, 2.0), ("m2", "o3-mini"): (1.0, 1.0, 2.0)}


def test_what_arena_hard_does_not_say_is_refused() -> None:
    old = [{name: cell for name, cell in row.items() if name != "baseline"} for row in judgments()]
    with pytest.raises(InputError, match="games of 'm1', 'm2' against a baseline that no column names"):
        pairproof.read(old)
    one = judgments()
    one[2]["games"] = one[2]["games"][:1]
    with pytest.raises(InputError, match="row 3, column 'games': expected a list of two games"):
        pairproof.read(one)
    none = judgments()
    none[1]["games"][1] = None
    with pytest.raises(CodingError, match="row 2, column 'winner': the answer is blank"):
        pairproof.read(none)
    assert pairproof.read(none, drop="bad").dropped == {"no answer": 1}


def test_mteb_arena_has_one_masked_judge_by_which_nothing_can_be_clustered() -> None:
    frame = votes().assign(judge="arena_user_0", anony=True, tstamp=range(400))
    fit = pairproof.fit_bradley_terry(pairproof.read(frame))
    with pytest.raises(InputError, match="from one cluster"):
        fit.clustered("judge")


def test_languages_of_a_json_array_are_chosen_by_the_files_own_names(tmp_path: Path) -> None:
    rows = votes().assign(turn=1, anony=True, language="English").to_dict("records")
    rows[0]["turn"], rows[1]["language"], rows[2]["winner"] = 2, "Chinese", "tie (bothbad)"
    (tmp_path / "clean_battle.json").write_text(json.dumps(rows))
    for where, left in (
        ("turn>1", 1),
        ("language!=English", 1),
        (["anony=true", "winner!=tie (bothbad)"], 399),
    ):
        assert pairproof.read(tmp_path / "clean_battle.json", where=where).n_rows == left


def with_bad_rows() -> pd.DataFrame:
    frame = votes()
    frame.loc[0:2, "winner"] = "Model_A"
    frame.loc[5, "winner"] = None
    frame.loc[7, "model_a"] = None
    frame.loc[8, "model_b"] = "NaN"
    frame.loc[9, "model_b"] = frame.model_a[9]
    frame.loc[10, ["model_a", "winner"]] = None, "x"  # is counted once
    return frame


KINDS = {"no name": 3, "compared with itself": 1, "no answer": 1, "unknown answer": 3}


@pytest.mark.parametrize("read", [pairproof.read, pairproof.count])
def test_bad_rows_are_left_out_and_counted_by_kind(read: Callable[..., Any]) -> None:
    table = read(with_bad_rows(), drop="bad")
    assert table.dropped == KINDS
    assert table.digest() == pairproof.read(votes().drop(index=[0, 1, 2, 5, 7, 8, 9, 10])).digest()
    with pytest.raises(InputError):
        read(with_bad_rows())
    assert (
        read(votes(), drop="bad").dropped == {}
        and read(votes(), drop="bad").digest() == read(votes()).digest()
    )


def test_names_that_differ_by_blanks_are_no_bad_rows_but_an_error() -> None:
    frame = votes()
    frame.loc[3, "model_a"] = " gpt"
    with pytest.raises(InputError, match="rename="):
        pairproof.read(frame, drop="bad")


def test_passes_leave_out_what_the_count_left_out() -> None:
    frame = with_bad_rows()
    fit = pairproof.fit_bradley_terry(pairproof.count(frame, drop="bad"))
    through = fit.clustered("judge", kind="CR1", rows=pairproof.rows(frame, drop="bad"))
    held = pairproof.fit_bradley_terry(pairproof.read(frame, drop="bad")).clustered("judge", kind="CR1")
    # sums in another order; observed 4e-16
    np.testing.assert_allclose(through.bse.dropna(), held.bse.dropna(), rtol=1e-12)
    with pytest.raises(InputError, match="'winner': 'Model_A'"):
        fit.clustered("judge", kind="CR1", rows=frame)


def test_rows_that_are_all_bad_are_refused() -> None:
    frame = {"first": ["A", "A"], "second": ["A", "B"], "outcome": ["tie", "?"]}
    with pytest.raises(InputError, match="none of 2 rows is a comparison: .*itself.*unknown answer"):
        pairproof.read(frame, drop="bad")


def test_what_was_left_out_is_kept_added_and_named_on_the_command_line(tmp_path: Path) -> None:
    day = pairproof.count(with_bad_rows(), drop="bad")
    day.save(tmp_path / "counts.json")
    assert pairproof.load(tmp_path / "counts.json").dropped == KINDS
    assert (day + day).dropped == {kind: 2 * n for kind, n in KINDS.items()}


def test_commands_say_what_they_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_bad_rows().to_csv(tmp_path / "votes.csv", index=False)
    for asked in (["fit"], ["count", "--by", "both_bad"]):
        assert main([*asked, str(tmp_path / "votes.csv"), "--drop", "bad", "--where", "winner!=tie"]) == 0
        said = capsys.readouterr().err
        assert "rows left out: 3 no name, 1 compared with itself, 1 no answer, 3 unknown answer" in said
        assert "winner!=tie: " in said
