"""What is published beside a board: claims that give every number back, from votes that name no judge."""

from __future__ import annotations

import json
import shlex
from collections import Counter

import pandas as pd
import pytest

import pairproof
from pairproof.boards.board import leaderboard
from pairproof.boards.page.board_page import (
    CLAIMS,
    VOTES,
    board_claims,
    check_command,
    checkable,
    votes_csv,
    write_board,
)
from pairproof.errors import InputError
from pairproof.validation import run
from tests.boards.simulated import simulate

EVIL = ('say "hi" = {{7*7}}', "<script>alert(1)</script>", "dots. and # signs", "=1+1", "back\\slash")


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    frame = simulate(5, n_votes=3_000, n_models=7, n_judges=200, pareto=2.0)
    names = dict(zip(sorted({*frame["model_a"], *frame["model_b"]}), EVIL))
    return frame.assign(model_a=frame["model_a"].replace(names), model_b=frame["model_b"].replace(names))


def _verdicts(folder) -> Counter[str]:
    return Counter(a.verdict for a in run(str(folder / CLAIMS), r="none"))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"cluster": None},
        {"cluster": "judge", "ties": "davidson", "expected": "score"},
        {"ties": "rao-kupper", "cluster": None},
        {"ties": "drop", "anchor": EVIL[0], "at": 1114.0, "cluster": "judge"},
        {"order_effect": True, "level": 0.9, "cluster": "judge"},
        {"both_bad": "drop", "cluster": "judge"},
    ],
    ids=lambda asked: "-".join(map(str, asked.values())) or "default",
)
def test_every_number_of_a_board_comes_out_of_the_published_votes(votes, asked, tmp_path):
    board = leaderboard(votes, **asked)
    paths = write_board(board, tmp_path)
    assert [path.name for path in paths] == [
        "index.html",
        "leaderboard.csv",
        "leaderboard.json",
        VOTES,
        CLAIMS,
    ]
    # A rating, two limits and two ranks of each model.
    assert _verdicts(tmp_path) == {"agrees": 5 * len(board.rows)}
    assert json.loads((tmp_path / "leaderboard.json").read_text())["data"]["digest"] == board.data.digest


def test_a_model_that_lost_to_all_has_ranks_and_no_rating_to_check(votes, tmp_path):
    lost = pd.DataFrame({"model_a": ["new"] * 6, "model_b": votes["model_b"][:6], "winner": ["model_b"] * 6})
    board = leaderboard(pd.concat([votes, lost], ignore_index=True), cluster="judge")
    write_board(board, tmp_path)
    assert _verdicts(tmp_path) == {"agrees": 5 * len(board.rows) - 3}


def test_a_changed_rating_and_changed_votes_are_found(votes, tmp_path):
    board = leaderboard(votes, cluster="judge")
    write_board(board, tmp_path)
    claims, text = tmp_path / CLAIMS, (tmp_path / CLAIMS).read_text()
    first = f"{board.rows[0].rating:.4f}"
    claims.write_text(text.replace(f'"{first}"', f'"{float(first) + 2:.4f}"'))
    assert _verdicts(tmp_path) == {"agrees": 5 * len(board.rows) - 1, "differs": 1}
    claims.write_text(text)
    (tmp_path / VOTES).write_text((tmp_path / VOTES).read_text().replace(",c1,", ",c2,", 1))
    with pytest.raises(InputError, match="the data have changed"):
        run(str(claims), r="none")


def test_the_published_votes_name_no_judge_and_keep_which_go_together(votes):
    votes = votes.assign(judge="secret-" + votes["judge"].astype(str))
    board = leaderboard(votes, cluster="judge")
    text = votes_csv(board)
    assert "secret" not in text and checkable(board)
    again = pairproof.read(pd.read_csv(__import__("io").StringIO(text)))
    fit = pairproof.fit_bradley_terry(again, ties="half", reference="sum").clustered("judge")
    # The order of sums; observed 2e-13.
    assert fit.bse.to_numpy() == pytest.approx(
        board.fit.bse[fit.bse.index].to_numpy(), rel=1e-11, nan_ok=True
    )
    assert fit.robust.n_clusters == board.clusters.n


def test_a_vote_without_a_judge_stays_a_cluster_of_its_own(votes, tmp_path):
    board = leaderboard(votes.assign(judge=votes["judge"].where(votes.index % 5 > 0)), cluster="judge")
    write_board(board, tmp_path)
    assert _verdicts(tmp_path) == {"agrees": 5 * len(board.rows)}


def test_claims_are_data_whatever_the_models_are_called(votes):
    board = leaderboard(votes, cluster="judge")
    from pairproof.files.packaged import tomllib

    document = tomllib.loads(board_claims(board, "a.csv", 'v".csv', "0" * 64))
    ratings = document["claim"][0]["estimate"]
    assert set(ratings) == {row.model for row in board.rows} and set(EVIL) <= set(ratings)
    assert document["data"]["votes"]["file"] == 'v".csv'


def test_a_folder_is_written_again_over_its_own_files_and_not_over_others(votes, tmp_path):
    board = leaderboard(votes, cluster=None)
    write_board(board, tmp_path / "new")
    (tmp_path / "new" / "leaderboard.csv").write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        write_board(board, tmp_path / "new")
    assert (tmp_path / "new" / "leaderboard.csv").read_text() == "mine"
    assert len(write_board(board, tmp_path / "new", force=True)) == 5


def test_the_command_says_all_that_the_board_was_made_by(votes):
    board = leaderboard(
        votes, ties="davidson", anchor=EVIL[0], at=1114.0, cluster="judge", order_effect=True, level=0.9
    )
    words = shlex.split(check_command(board, "b.csv", "v.parquet"))
    assert words == ["pairproof", "check", "b.csv", "--votes", "v.parquet", "--ties", "davidson", "--anchor",
                     f"{EVIL[0]}=1114", "--cluster", "judge", "--order-effect", "--level", "0.9"]  # fmt: skip
