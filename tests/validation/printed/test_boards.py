"""A published board beside its votes: what comes out, what a program that stops early leaves, what is wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pairproof
from pairproof.boards.board import leaderboard
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.validation.printed.beside import check_printed
from pairproof.validation.printed.reading import read_printed
from pairproof.validation.report.verification import Verification
from tests.boards.simulated import simulate

HALF: dict[str, Any] = {"cluster": ("judge",)}


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    return simulate(5, n_votes=6_000, n_models=6, n_judges=300, pareto=2.0)


@pytest.fixture(scope="module")
def table(votes: pd.DataFrame) -> Comparisons:
    return pairproof.read(votes)


@pytest.fixture(scope="module")
def rows(votes: pd.DataFrame) -> pd.DataFrame:
    return leaderboard(votes, cluster="judge").to_frame()


def checked(
    frame: pd.DataFrame, table: Comparisons, folder: Path, model: dict[str, Any] = HALF
) -> Verification:
    path = folder / "board.csv"
    frame.to_csv(path, index=False)
    return check_printed(str(path), table, model, r="none")


def of(found: Verification) -> dict[str, str]:
    return {str(a.quantity): a.verdict for a in found if a.verdict != "not-checkable"}


def test_every_digit_that_a_board_has_comes_out(votes, table, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text(leaderboard(votes, cluster="judge").to_csv())
    found = check_printed(str(path), table, HALF, r="none")
    # Rating, two limits, two ranks, four counts of each model.
    assert Counter(of(found).values()) == {"agrees": 9 * 6} and found.exit_code == 0
    looked = {str(a.quantity) for a in found if a.code == "not-looked-at"}
    assert looked == {f"column {name}" for name in ("tier", "both_bad", "win_rate", "p_best", "status")}


def test_the_columns_of_other_boards_are_known_and_other_names_are_listed(rows, table, tmp_path):
    frame = pd.DataFrame(
        {
            "Name": rows["model"],
            "Elo": rows["rating"].map("{:.0f}".format),
            "rating_q025": rows["low"].map("{:.1f}".format),
            "rating_q975": rows["high"].map("{:.1f}".format),
            "num_battles": rows["votes"].map("{:,.0f}".format),
            "Organization": "x",
        }
    )
    found = checked(frame, table, tmp_path)
    assert Counter(of(found).values()) == {"agrees": 4 * 6}
    assert [str(a.quantity) for a in found if a.code == "not-looked-at"] == ["column Organization"]


def test_what_early_stopping_leaves_is_immaterial_and_more_differs(rows, table, tmp_path):
    se = (
        pairproof.fit_bradley_terry(table, ties="half", reference="sum")
        .clustered("judge")
        .on_scale("elo")
        .se.min()
    )
    close, far = rows["rating"].map("{:.4f}".format), rows["rating"].map("{:.4f}".format)
    close[0], far[0] = f"{rows['rating'][0] + 0.02 * se:.4f}", f"{rows['rating'][0] + 0.2 * se:.4f}"
    first = f"estimate.{rows['model'][0]}"
    found = checked(rows.assign(rating=close), table, tmp_path)
    assert of(found)[first] == "immaterial" and found.exit_code == 0
    assert "differs beyond the printed decimals by" in next(
        a.explanation for a in found if a.quantity == first
    )
    found = checked(rows.assign(rating=far), table, tmp_path)
    assert of(found)[first] == "differs" and found.exit_code == 1
    assert Counter(of(found).values()) == {"agrees": 9 * 6 - 1, "differs": 1}


def test_a_wrong_order_is_a_wrong_conclusion_and_accuses_only_the_model_that_is_off(rows, table, tmp_path):
    rating = rows["rating"].map("{:.2f}".format)
    rating[1] = f"{rows['rating'][1] + 0.01:.2f}"  # a hundredth off, and below the one that is put above it
    rating[4] = f"{rows['rating'][0] + 5:.2f}"
    verdicts = of(checked(rows.assign(rating=rating), table, tmp_path))
    assert verdicts[f"estimate.{rows['model'][4]}"] == "differs-conclusion"
    assert verdicts[f"estimate.{rows['model'][1]}"] == "immaterial"


def test_a_rank_set_and_a_count_that_are_wrong_differ(rows, table, tmp_path):
    frame = rows.assign(
        rank_high=rows["rank_high"].where(rows.index != 2, 6), votes=rows["votes"].astype(int) + 1
    )
    verdicts = of(checked(frame, table, tmp_path))
    assert Counter(verdicts.values())["differs"] == 6 + (rows["rank_high"][2] != 6)
    assert verdicts[f"votes.{rows['model'][0]}"] == "differs"


def test_limits_by_single_votes_are_not_those_by_judge(votes, rows, table, tmp_path):
    by_vote: dict[str, Any] = {}
    verdicts = of(checked(rows, table, tmp_path, by_vote))
    assert {v for name, v in verdicts.items() if name.startswith(("low.", "high."))} == {"differs"}
    own = leaderboard(votes, cluster=None).to_frame()
    assert set(of(checked(own, table, tmp_path, by_vote)).values()) == {"agrees"}


def test_an_anchor_another_level_and_another_law_of_ties_are_followed(votes, table, tmp_path):
    anchor = table.items[2]
    board = leaderboard(
        votes, cluster="judge", ties="davidson", anchor=anchor, at=1114.0, expected="score", level=0.9
    )
    model = {
        *HALF.items(), ("ties", "davidson"), ("anchor", anchor), ("at", 1114.0), ("expected", "score"), ("level", "0.9")
    }  # fmt: skip
    verdicts = of(checked(board.to_frame().round(6), table, tmp_path, dict(model)))
    assert set(verdicts.values()) == {"agrees"} and len(verdicts) == 9 * 6


def test_models_that_only_one_of_the_two_has_are_named(rows, table, tmp_path):
    frame = rows[["model", "rating"]].replace({"model": {rows["model"][5]: "somebody else"}})
    found = checked(frame, table, tmp_path)
    (missed,) = (a for a in found if a.code == "no-such-item")
    assert "row somebody else: not an item" in missed.explanation and found.exit_code == 2
    (said,) = (a.explanation for a in found if a.code == "other-models")
    assert rows["model"][5] in said and len(of(found)) == 6


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "without a known kind of number; headings found: 'a', 'b'"),
        ("model,points\nA,2\n", "headings found: 'model', 'points'"),
        ("model,rating\nA,12 points\n", r"row 'A', column 'rating': printed '12 points' is not one number"),
        ("model,rating\nA,**\n", "without a known kind of number"),
        ("model,rating\nA,1\nA,2\n", "'A' appears in several rows"),
        ("model,rating\nA,1\nB,2\n", "0 of its 2 names are items of"),
        ("", "is empty"),
    ],
)
def test_a_board_that_cannot_be_read_is_refused_with_words(text, words, table, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        check_printed(str(path), table, HALF)


def test_a_name_guarded_from_spreadsheets_is_read_without_its_apostrophe(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text('model,rating,votes\n\'=1+1,1000.5,"1,234"\nB,-,7\n')
    board = read_printed(path.read_text(), "board.csv")
    assert board.items == ("=1+1", "B") and board.model == {"scale": "elo"}
    assert [(str(q.quantity), q.printed.text) for q in board.numbers] == [
        ("estimate.=1+1", "1000.5"), ("votes.=1+1", "1234"), ("votes.B", "7"),
    ]  # fmt: skip
