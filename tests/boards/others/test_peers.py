"""Boards of arena-rank, FastChat and evalica: their own numbers, live where they are installed and recorded elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.boards.others import peers
from pairproof.boards.others.descriptive import EIGEN, ELO, descriptive
from pairproof.boards.others.peers import PeerBoard, as_arena_rank, as_evalica, as_fastchat
from pairproof.errors import ConvergenceError, InputError, NotEstimableError
from tests.boards.others import make_peers
from tests.boards.others.make_peers import CASES, FEATURES, HERE, votes

#: Points. arena-rank goes on to a gradient of 1e-13 of the mean loss; seen: 2e-9, 2.5e-8 of 20,000 votes.
POINTS = 1e-7
#: Of limits with weights: its inverse of a matrix of condition 4e5; seen: 1.3e-6, 1.4e-5 of 20,000 votes.
WEIGHTED = 1e-4


@cache
def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "peers.json").read_text(encoding="utf-8"))
    return found


def recorded_votes() -> pairproof.Comparisons:
    return pairproof.read(pd.DataFrame(recorded()["votes"]))


def arena(table: pairproof.Comparisons, reweighted: bool, reg: float | None) -> PeerBoard:
    features = {} if reg is None else {"features": FEATURES, "reg": reg}
    return as_arena_rank(table, reweighted=reweighted, **features)


def same_as_arena_rank(board: PeerBoard, answer: dict[str, Any], reweighted: bool) -> None:
    assert list(board.competitors) == list(answer["competitors"])
    loose = WEIGHTED if reweighted else POINTS
    np.testing.assert_allclose(board.ratings, answer["ratings"], atol=POINTS, rtol=0)
    np.testing.assert_allclose(board.lower, answer["rating_lower"], atol=loose, rtol=0)
    np.testing.assert_allclose(board.upper, answer["rating_upper"], atol=loose, rtol=0)
    # seen: 3e-10, and with weights 3e-8 here, 3e-6 of 20,000 votes
    np.testing.assert_allclose(board.variances, answer["variances"], rtol=1e-5 if reweighted else 1e-8)
    coeffs = list(answer.get("coeffs", ()))
    np.testing.assert_allclose(list(board.coeffs.values()), coeffs, atol=1e-10, rtol=0)  # seen: 3e-12


@pytest.mark.parametrize("case", range(6), ids=[f"weights {w}, reg {r}" for w, r in CASES])
def test_what_arena_rank_said_of_these_votes_comes_out(case: int) -> None:
    reweighted, reg = CASES[case]
    same_as_arena_rank(arena(recorded_votes(), reweighted, reg), recorded()["arena-rank"][case], reweighted)


@pytest.mark.parametrize(("reweighted", "reg"), CASES)
def test_what_arena_rank_says_comes_out(reweighted: bool, reg: float | None) -> None:
    pytest.importorskip("arena_rank", reason="arena-rank is not installed: recorded answers alone")
    frame = votes(20_000, 20, seed=2)
    answer = make_peers.arena_rank(frame, reweighted, reg)
    same_as_arena_rank(arena(pairproof.read(frame), reweighted, reg), answer, reweighted)


def test_arena_ranks_own_worked_example_has_wikipedias_worths() -> None:
    """Its test_wikipedia_example, which asks for three digits."""
    games = [("A", "B", 2, 3), ("A", "D", 1, 4), ("B", "C", 5, 3), ("C", "D", 1, 3)]
    columns = ["first", "second", "wins", "losses"]
    board = as_arena_rank(pairproof.read(pd.DataFrame(games, columns=columns)))
    worth = 10.0 ** ((board.ratings - 1000.0) / 400.0)
    np.testing.assert_allclose(worth, [0.640, 1.043, 0.660, 2.270], rtol=1e-3)


def same_as_fastchat(frame: pd.DataFrame, answer: dict[str, Any]) -> None:
    table = pairproof.read(frame)
    board, style = as_fastchat(table), as_fastchat(table, features=FEATURES)
    assert list(board.competitors) == answer["competitors"]
    # its own loss minimised to the end by L-BFGS-B; seen: 8e-8 and, of the draws' quantiles, 3e-6
    np.testing.assert_allclose(board.ratings, answer["ratings"], atol=1e-5, rtol=0)
    np.testing.assert_allclose(board.lower, answer["rating_lower"], atol=1e-4, rtol=0)
    np.testing.assert_allclose(board.upper, answer["rating_upper"], atol=1e-4, rtol=0)
    np.testing.assert_allclose(board.variances, answer["variances"], rtol=1e-5)
    np.testing.assert_allclose(style.ratings, answer["style_ratings"], atol=1e-4, rtol=0)  # seen: 2e-6
    np.testing.assert_allclose(list(style.coeffs.values()), answer["style_coeffs"], atol=1e-7)
    assert np.isnan(style.lower).all() and "without a seed" in style.defaults["limits"]


def test_what_fastchat_said_of_these_votes_comes_out_with_its_draws() -> None:
    same_as_fastchat(pd.DataFrame(recorded()["votes"]), recorded()["fastchat"])


def test_fastchats_anchor_moves_all_and_has_no_limits() -> None:
    frame = votes()
    free, anchored = (as_fastchat(pairproof.read(frame), anchor=name) for name in ("nobody", "m03"))
    at = free.competitors.index("m03")
    np.testing.assert_allclose(anchored.ratings, free.ratings + 1114.0 - free.ratings[at], rtol=1e-12)
    assert anchored.lower[at] == anchored.upper[at] == 1114.0 and anchored.variances[at] == 0.0
    assert any("m03 is 1114 in every draw" in sentence for sentence in anchored.what_it_does)


# -- evalica and choix ---------------------------------------------------------------------------------------


def same_as_evalica(frame: pd.DataFrame, answer: dict[str, Any]) -> None:
    table = pairproof.read(frame)
    methods: tuple[Any, ...] = ("bradley_terry", "newman")
    for method in methods:
        board = as_evalica(table, method=method)
        log = np.log([answer[method][item] for item in board.competitors])
        # newman ends on a scale of its own; seen: 3e-15
        np.testing.assert_allclose(np.log(board.ratings), log - log.mean(), atol=1e-12, rtol=0)
    assert board.coeffs["v"] == pytest.approx(answer["v"], rel=1e-12)
    columns = descriptive(table)
    for name in ("elo", "counting", "average_win_rate", "pagerank"):
        theirs = [answer[name][item] for item in columns.index]
        np.testing.assert_allclose(columns[name], theirs, rtol=1e-12)  # seen: 3e-14 of pagerank's steps


def test_what_evalica_said_of_these_votes_comes_out() -> None:
    same_as_evalica(pd.DataFrame(recorded()["votes"]), recorded()["evalica"])


def test_what_evalica_says_comes_out() -> None:
    pytest.importorskip("evalica", reason="evalica is not installed: recorded answers alone")
    frame = votes(20_000, 20, seed=3)
    same_as_evalica(frame, make_peers.evalica(frame))


@pytest.mark.parametrize("name", ["food", "simple"])
def test_evalicas_gold_tables_come_out(name: str) -> None:
    """But for `eigen`, in which losers come first."""
    given = json.loads((HERE / "evalica_gold.json").read_text(encoding="utf-8"))[name]
    words = {"left": "model_a", "right": "model_b", "tie": "tie"}
    rows = [(a, b, words[winner]) for a, b, winner in given["votes"]]
    table = pairproof.read(pd.DataFrame(rows, columns=["model_a", "model_b", "winner"]))
    against_gold(table, given["gold"])


def test_evalicas_gold_table_of_llmfao_comes_out(shared: Path) -> None:
    names = pd.read_csv(shared / "data" / "llmfao_models.csv").set_index("model")["name"]
    frame = pd.read_csv(shared / "data" / "llmfao_crowd.csv")
    votes = pd.DataFrame({"model_a": frame["model_x"].map(names), "model_b": frame["model_y"].map(names)})
    votes["winner"] = frame["outcome"].map({0: "tie", 1: "model_a", 2: "model_b"})
    gold = json.loads((HERE / "evalica_gold.json").read_text(encoding="utf-8"))["llmfao"]["gold"]
    against_gold(pairproof.read(votes), gold)


def against_gold(table: pairproof.Comparisons, gold: dict[str, Any]) -> None:
    board = as_evalica(table, normalise="sum")
    worths = [gold["bradley_terry"][item] for item in board.competitors]
    np.testing.assert_allclose(board.ratings, worths, rtol=1e-12)  # seen: 7e-15 of 59 models
    newman = as_evalica(table, method="newman")
    log = np.log([gold["newman"][item] for item in newman.competitors])
    np.testing.assert_allclose(np.log(newman.ratings), log - log.mean(), atol=1e-11, rtol=0)  # seen: 4e-15
    columns = descriptive(table)
    for column in ("elo", "counting", "average_win_rate", "pagerank"):
        theirs = [gold[column][item] for item in columns.index]
        np.testing.assert_allclose(columns[column], theirs, rtol=1e-12)
    worth, eigen = (pd.Series(gold[name]) for name in ("bradley_terry", "eigen"))
    assert worth.corr(eigen.reindex(worth.index), method="spearman") < -0.4, EIGEN  # seen: -.81, -.80, -.50


CHOIX = [
    ([[0, 1], [1, 2], [2, 0]], [0.0, 0.0, 0.0]),
    ([[0, 1], [0, 1], [1, 2], [2, 0]], [0.419617624, -0.419617624, 0.0]),
]


@pytest.mark.parametrize("case", range(2))
def test_choixs_own_test_values_come_out(case: int) -> None:
    """tests/data/testcase-pairwise-1 and -2 of choix @7494ad31 (MIT): winner, loser; as printed."""
    data, expected = CHOIX[case]
    frame = pd.DataFrame([{"model_a": f"{a}", "model_b": f"{b}", "winner": "model_a"} for a, b in data])
    board = as_evalica(pairproof.read(frame, items=["0", "1", "2"]))
    found = dict(zip(board.competitors, np.log(board.ratings)))
    np.testing.assert_allclose([found[item] for item in "012"], expected, atol=1e-9)  # seen: 4e-10


def test_what_choix_says_comes_out() -> None:
    choix = pytest.importorskip("choix", reason="choix is not installed: its test values alone")
    frame = votes(2_000, 8, seed=4, ties=0.0)
    board = as_evalica(pairproof.read(frame))
    at = {item: k for k, item in enumerate(board.competitors)}
    pairs = [
        (at[row.model_a], at[row.model_b])[:: 1 if row.winner == "model_a" else -1]
        for row in frame.itertuples()
    ]
    theirs = choix.opt_pairwise(8, pairs, alpha=0.0, tol=1e-14)
    np.testing.assert_allclose(np.log(board.ratings), theirs - theirs.mean(), atol=1e-6)  # seen: 2e-8


# -- what holds without them ---------------------------------------------------------------------------------


def test_from_our_own_covariance_arena_ranks_variances_come_out() -> None:
    """V = (H + e)^-1 H R H (H + e)^-1 of the model-based M = H^-1 and the sandwich R by single votes."""
    table = recorded_votes()
    fit = pairproof.fit_bradley_terry(table, ties="half", reference="sum")
    names = sorted(table.items)
    m, r = (f.cov_params().loc[names, names].to_numpy() for f in (fit, fit.clustered(kind="CR0")))
    h = np.linalg.pinv(m)
    left = np.linalg.inv(h + 1e-5 * table.n_comparisons * np.eye(len(h))) @ h
    board = as_arena_rank(table)
    # seen: 3e-14
    np.testing.assert_allclose(board.variances, np.diag(left @ r @ left.T) * peers.POINTS**2, rtol=1e-11)
    np.testing.assert_allclose(board.ratings, fit.on_scale("elo").rating[np.argsort(fit.items)], rtol=1e-12)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 1_000), st.booleans(), st.booleans())
def test_order_of_rows_and_counts_change_nothing(seed: int, reweighted: bool, features: bool) -> None:
    frame = votes(300, 5, seed=seed)
    options: dict[str, Any] = {"reweighted": reweighted, "features": FEATURES if features else ()}
    one = as_arena_rank(pairproof.read(frame), **options)
    other = as_arena_rank(pairproof.read(frame.sample(frac=1.0, random_state=1)), **options)
    np.testing.assert_allclose(other.to_frame(), one.to_frame(), rtol=1e-9)
    if not features:
        counted = as_arena_rank(pairproof.count(frame), reweighted=reweighted)
        np.testing.assert_allclose(counted.to_frame(), one.to_frame(), rtol=1e-10)
    twice = as_arena_rank(pairproof.read(pd.concat([frame, frame])), **options, hessian_reg=0.0)
    once = as_arena_rank(pairproof.read(frame), **options, hessian_reg=0.0)
    if not reweighted:
        np.testing.assert_allclose(twice.ratings, once.ratings, rtol=1e-10)


def test_a_penalty_on_the_mean_loss_leaves_a_sixth_of_the_style_and_it_says_so() -> None:
    table = pairproof.read(votes(20_000, 10, seed=5, ties=0.1))
    board = as_arena_rank(table, features=FEATURES)
    free = as_arena_rank(table, features=FEATURES, reg=0.0, reweighted=False)
    assert 0.1 < board.coeffs["length"] / free.coeffs["length"] < 0.25  # seen: .18
    text = str(board)
    assert (
        "reg=1 is added to the mean loss and has the weight of 20,000 votes: it changes the effects" in text
    )
    assert (
        f"length {board.coeffs['length']:.4f} instead of " in text
        and "Weighting pairs equally moves ratings" in text
    )
    assert "by judge (2,498 judges, CR1)" in text


def test_the_ridge_on_a_newcomer_is_said_in_points() -> None:
    many = votes(5_000, 8, seed=6)
    table = pairproof.count(many)
    large = replace(table, wins=table.wins * 400, ties=table.ties * 400, losses=table.losses * 400)
    frame = large.to_frame()[["first", "second", "wins", "ties", "losses"]]
    new = pd.DataFrame([("new", "m01", 30, 4, 25), ("new", "m02", 20, 3, 18)], columns=frame.columns)
    board = as_arena_rank(pairproof.read(pd.concat([frame, new])))
    (said,) = [sentence for sentence in board.what_it_does if sentence.startswith("hessian_reg=1e-05")]
    # 2 million votes, 100 of the newcomer; of the others through the mean, of which the newcomer is a ninth
    assert "makes standard errors 0.57 to 0.58 times as large (new: 18.3 instead of 32.0)" in said


def test_the_result_is_a_frame_a_document_and_a_text() -> None:
    board = as_arena_rank(recorded_votes())
    assert board.to_frame().columns.tolist() == ["rating", "lower", "upper", "variance"]
    document = json.loads(json.dumps(board.to_dict()))
    assert [row["model"] for row in document["board"]] == sorted(board.competitors)
    assert document["defaults"]["reweighted"] == "False" and document["what_it_does"]
    assert str(board).splitlines()[0] == "arena-rank 0.1.1 BradleyTerry, maximised by pairproof"


def test_what_has_no_maximum_is_refused_and_what_is_odd_is_said() -> None:
    frame = votes()
    lost = pd.DataFrame({"model_a": ["new"] * 3, "model_b": "m01", "winner": "model_b"})
    below = pairproof.read(pd.concat([frame[["model_a", "model_b", "winner"]], lost]))
    for ask in (as_arena_rank, as_fastchat, as_evalica):
        with pytest.raises(NotEstimableError, match="is not a maximum: new lost or won against all others"):
            ask(below)
    apart = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": "model_a"})
    two = pairproof.read(pd.concat([frame[["model_a", "model_b", "winner"]], apart]))
    board = as_arena_rank(two)
    assert any("2 sets of models that no vote connects" in sentence for sentence in board.what_it_does)
    x = [board.ratings[board.competitors.index(name)] for name in "xy"]
    np.testing.assert_allclose(x, 1000.0)  # each set by itself, as arena-rank leaves them
    with pytest.raises(NotEstimableError, match="evalica prints 1 for all"):
        as_evalica(two)
    assert any("draws have no maximum" in sentence for sentence in as_fastchat(two).what_it_does)
    table = pairproof.read(frame)
    with pytest.raises(InputError, match="'judge' is not a numeric column"):
        as_arena_rank(table, features=["judge"])
    with pytest.raises(InputError, match="alpha=0; expected a number between 0 and 1"):
        as_arena_rank(table, alpha=0)
    with pytest.raises(InputError, match="counts are fractional"):
        as_evalica(replace(table, wins=table.wins * 0.5))
    told = frame.assign(length=np.where(frame["winner"] == "model_a", 1.0, -1.0))[frame["winner"] != "tie"]
    with pytest.raises((ConvergenceError, np.linalg.LinAlgError)):
        as_arena_rank(pairproof.read(told), features=["length"], reg=0.0)


# -- columns without a model ---------------------------------------------------------------------------------


def test_elo_needs_the_order_of_votes_and_eigen_is_left_out() -> None:
    frame = votes()
    assert descriptive(pairproof.read(frame)).attrs["left_out"] == (EIGEN,)
    counted = descriptive(pairproof.count(frame))
    assert "elo" not in counted.columns and counted.attrs["left_out"] == (EIGEN, ELO)
    one = descriptive(pairproof.read(frame)).loc[list(counted.index), list(counted.columns)]
    pd.testing.assert_frame_equal(counted, one, rtol=1e-12)
    assert counted["pagerank"].sum() == pytest.approx(1.0, rel=1e-12)
