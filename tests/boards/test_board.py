"""Boards: rows, ranks, tiers, chances, treatments and sentences, from votes whose truth is known."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import pairproof
from pairproof.boards.board import leaderboard
from pairproof.boards.rows import KEYS, row_dict
from pairproof.boards.tiers import tiers
from pairproof.errors import InputError
from pairproof.fit.many.abilities import abilities_of
from pairproof.fit.many.ranks import rank_sets
from tests.boards.simulated import simulate

POINTS = 400 / np.log(10)


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    return simulate(5, n_votes=4_000, n_models=8, n_judges=300, pareto=2.0)


@pytest.fixture(scope="module")
def board(votes: pd.DataFrame):
    return leaderboard(votes)


def _by_model(board):
    return {row.model: row for row in board.rows}


def test_the_ratings_are_those_of_half_wins_about_a_mean_of_1000(votes, board):
    table = pairproof.read(votes)
    params = pairproof.fit_bradley_terry(table, ties="half", reference="sum").params
    rows = _by_model(board)
    for name, value in params.items():
        assert rows[name].rating == pytest.approx(1000 + POINTS * value, abs=1e-9)  # rounding; observed 3e-13
    assert np.mean([row.rating for row in board.rows]) == pytest.approx(1000, abs=1e-9)  # observed 1e-13


def test_the_best_comes_first_and_the_counts_are_those_of_the_votes(votes, board):
    ratings = [row.rating for row in board.rows]
    assert ratings == sorted(ratings, reverse=True)
    for row in board.rows:
        on_a, on_b = votes["model_a"] == row.model, votes["model_b"] == row.model
        assert row.votes == (on_a | on_b).sum() == row.wins + row.losses + row.ties
        assert (
            row.wins
            == (on_a & (votes["winner"] == "model_a")).sum() + (on_b & (votes["winner"] == "model_b")).sum()
        )
        bad = ((on_a | on_b) & (votes["winner"] == "tie (bothbad)")).sum()
        assert row.both_bad == pytest.approx(bad / row.votes, abs=1e-15)  # one division; observed 0


def test_votes_are_clustered_by_judge_and_prompt_where_there_are_such_and_a_sentence_says_so(board):
    assert board.clusters is not None and board.clusters.columns == ("judge", "prompt")
    assert any("times those of independent votes" in sentence for sentence in board.method)


def test_the_limits_are_those_of_the_clustered_contrast_with_the_mean(votes, board):
    fit = pairproof.fit_bradley_terry(pairproof.read(votes), ties="half", reference="sum").clustered(
        "judge", "prompt"
    )
    frame = fit.to_frame()
    for row in board.rows:
        low, high = frame.loc[row.model, ["low", "high"]]
        assert row.low == pytest.approx(
            1000 + POINTS * low, abs=1e-6
        )  # another route to the same; observed 5e-10
        assert row.high == pytest.approx(1000 + POINTS * high, abs=1e-6)


def test_a_column_of_few_judges_is_not_clustered_by_unasked_and_the_board_says_so(votes):
    few = votes.assign(judge=np.where(np.arange(len(votes)) % 2, "gpt", "claude")).drop(columns="prompt")
    found = leaderboard(few)
    assert found.clusters is None
    assert any("'judge' has 2 values" in sentence for sentence in found.method)
    assert leaderboard(few, cluster="judge").clusters.n == (2,)


def test_chances_of_being_best_sum_to_one_and_are_those_of_the_joint_distribution(board):
    chances = [row.p_best for row in board.rows]
    assert sum(chances) == pytest.approx(1.0, abs=1e-12)  # counts over their number; observed 2e-16
    params, cov = board.fit.params, board.fit.cov_params()
    names = list(params.index)
    draws = np.random.default_rng(7).multivariate_normal(params, cov, 200_000)
    share = np.bincount(draws.argmax(axis=1), minlength=len(names)) / len(draws)
    rows = _by_model(board)
    for name, p in zip(names, share):
        # Two Monte Carlo estimates of 1e5 and 2e5 draws differ by .0019 at most in one of 20; observed .0012.
        assert rows[name].p_best == pytest.approx(p, abs=0.006)


def test_with_few_judges_the_chance_of_being_best_is_of_students_t_and_not_of_the_normal_distribution():
    wins, contests = np.array([13, 9, 16, 12, 8, 14]), 20  # of six judges
    votes = pd.DataFrame(
        [
            ("a", "b", "model_a" if k < w else "model_b", f"judge {j}")
            for j, w in enumerate(wins)
            for k in range(contests)
        ],
        columns=["model_a", "model_b", "winner", "judge"],
    )
    found = leaderboard(votes, cluster="judge")
    contrast = found.fit.contrast("a", "b")
    chance = stats.t.cdf(contrast.z, contrast.df)
    assert contrast.df == pytest.approx(5.0) and stats.norm.cdf(contrast.z) - chance > 0.01
    # Monte Carlo of 1e5 draws: standard error below .0015; observed difference .0010.
    assert _by_model(found)["a"].p_best == pytest.approx(chance, abs=0.004)


def test_the_mean_win_rate_is_the_mean_expected_score_against_the_others(board):
    params = board.fit.params
    rows = _by_model(board)
    for name in params.index:
        others = params.drop(name)
        expected = (1 / (1 + np.exp(others - params[name]))).mean()
        assert rows[name].win_rate == pytest.approx(expected, abs=1e-12)  # observed 2e-16


@given(st.integers(1, 9), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_tier_ends_exactly_where_all_above_are_shown_to_be_better_than_all_below(n, random):
    above = np.triu(np.array([[random.random() < 0.8 for _ in range(n)] for _ in range(n)]), 1)
    order = list(range(n))
    random.shuffle(order)
    place = np.argsort(order)
    of_items = above[np.ix_(place, place)]
    found = tiers(of_items, order)
    for k in range(1, n):
        cut = above[:k, k:].all()
        assert (found[order[k]] != found[order[k - 1]]) == cut


def test_a_model_that_lost_all_has_no_rating_and_leaves_the_others_as_they_were(votes, board):
    lost = pd.DataFrame(
        {
            "model_a": ["new"] * 12,
            "model_b": [f"model-{k % 8 + 1}" for k in range(12)],
            "winner": ["model_b"] * 12,
        }
    )
    lost["judge"], lost["prompt"] = "one", "p"
    found = leaderboard(pd.concat([votes, lost], ignore_index=True))
    rows = _by_model(found)
    assert (rows["new"].status, rows["new"].rating, rows["new"].p_best) == ("below-all", None, 0.0)
    assert found.rows[-1].model == "new"
    for row in board.rows:
        assert rows[row.model].rating == pytest.approx(
            row.rating, abs=1e-6
        )  # the limit is not quite reached; seen 4e-9
    assert any(sentence.startswith("'new': lost to all") for sentence in found.method)


def test_where_a_model_won_all_nobody_has_a_chance_of_being_best_and_the_board_says_why():
    rows = [("A", "B", "model_a"), ("A", "C", "model_a"), ("B", "C", "model_a"), ("C", "B", "model_a")]
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    found = leaderboard(frame)
    assert _by_model(found)["A"].status == "above-all"
    assert all(row.p_best is None for row in found.rows)
    assert any("No chance of being best" in sentence for sentence in found.method)


def test_models_without_a_chain_of_votes_to_the_rest_are_apart():
    pairs = [("A", "B"), ("B", "A"), ("A", "B"), ("X", "Y"), ("Y", "X")]
    frame = pd.DataFrame([(a, b, "model_a") for a, b in pairs], columns=["model_a", "model_b", "winner"])
    status = {row.model: row.status for row in leaderboard(frame).rows}
    assert status["X"] == status["Y"] == "apart" and status["A"] == "provisional"


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_relabelling_swapping_sides_and_permuting_rows_change_nothing(seed):
    rng = np.random.default_rng(seed)
    frame = simulate(3, n_votes=600, n_models=5, n_judges=40, pareto=2.0)[
        ["model_a", "model_b", "winner", "judge"]
    ]
    swapped = frame.copy()
    here = rng.random(len(frame)) < 0.5
    swapped.loc[here, ["model_a", "model_b"]] = frame.loc[here, ["model_b", "model_a"]].to_numpy()
    other = {"model_a": "model_b", "model_b": "model_a"}
    swapped.loc[here, "winner"] = frame.loc[here, "winner"].map(lambda w: other.get(w, w))
    one, two = leaderboard(frame), leaderboard(swapped.sample(frac=1, random_state=seed % 1000))
    for a, b in zip(one.rows, two.rows):
        assert a.model == b.model and (a.rank_low, a.rank_high, a.tier) == (b.rank_low, b.rank_high, b.tier)
        assert a.rating == pytest.approx(b.rating, abs=1e-8)  # sums in another order; observed 1e-11
        assert a.low == pytest.approx(b.low, abs=1e-5)  # df by Satterthwaite in another order; observed 2e-9


def test_an_anchor_has_its_rating_without_limits_of_its_own(votes):
    found = leaderboard(votes, anchor="model-3", at=1114)
    row = _by_model(found)["model-3"]
    assert row.rating == pytest.approx(1114, abs=1e-9)  # observed 0
    assert found.scale.anchor == "model-3" and found.scale.at == 1114


def test_both_bad_votes_are_ties_or_left_out_and_counted_or_have_a_model(votes):
    bad = float((votes["winner"] == "tie (bothbad)").sum())
    drop, own = leaderboard(votes, both_bad="drop"), leaderboard(votes, both_bad="own")
    assert drop.data.votes == len(votes) - bad and drop.data.dropped == {"both bad": bad}
    assert [row.rating for row in drop.rows] == [row.rating for row in own.rows]
    for row in own.rows:
        assert row.more["both_bad_low"] < row.more["both_bad_expected"] < row.more["both_bad_high"]


def test_boards_by_a_column_are_those_of_its_votes_alone(votes):
    boards = leaderboard(votes, by="language")
    alone = leaderboard(votes[votes["language"] == "English"])
    assert list(boards.boards) == sorted(votes["language"].unique())
    assert [row.rating for row in boards["English"].rows] == pytest.approx(
        [row.rating for row in alone.rows], abs=1e-8
    )
    with pytest.raises(InputError, match="no board of language='Klingon'"):
        boards["Klingon"]


def test_json_csv_and_frame_have_the_same_rows_under_the_same_names(board):
    document = json.loads(json.dumps(board.to_dict()))
    assert (
        list(document)[:6] == ["board", "scale", "clusters", "style", "data", "method"]
        or "method" in document
    )
    assert [list(row)[: len(KEYS)] for row in document["board"]] == [list(KEYS)] * len(board.rows)
    read = list(csv.DictReader(io.StringIO(board.to_csv())))
    for row, line in zip(document["board"], read):
        assert float(line["rating"]) == row["rating"] and line["model"] == row["model"]
    assert board.to_frame()["rating"].tolist() == [row.rating for row in board.rows]


def test_a_name_that_a_spreadsheet_would_run_is_text_in_the_csv(board):
    evil = replace(board, rows=(replace(board.rows[0], model="=cmd()|'x'"), *board.rows[1:]))
    assert "'=cmd()" in evil.to_csv()


def test_item_data_stand_beside_the_rows(votes):
    data = {f"model-{k}": {"licence": "MIT" if k % 2 else "closed", "price": 0.5 * k} for k in range(1, 9)}
    row = _by_model(leaderboard(votes, item_data=data))["model-3"]
    assert row_dict(row)["licence"] == "MIT" and row_dict(row)["price"] == 1.5


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"ties": "halves"}, "halves"),
        ({"both_bad": "keep"}, "keep"),
        ({"level": 1.5}, "level=1.5"),
        ({"anchor": "model-99"}, "model-99"),
        ({"by": "planet"}, "planet"),
        ({"cluster": "planet"}, "planet"),
    ],
)
def test_what_is_asked_wrongly_is_refused_by_name(votes, asked, said):
    with pytest.raises(InputError, match=said):
        leaderboard(votes, **asked)


def test_a_board_of_counts_is_that_of_the_votes(votes):
    frame = votes.drop(columns=["judge", "prompt"])
    counted = pairproof.count(frame, by=["both_bad"])
    one, two = leaderboard(frame), leaderboard(counted)
    for a, b in zip(one.rows, two.rows):
        assert (a.model, a.votes, a.both_bad, a.rank_low) == (b.model, b.votes, b.both_bad, b.rank_low)
        assert a.rating == b.rating
        assert a.low == pytest.approx(b.low, abs=1e-9)  # the same sums in another order; observed 2e-13


@pytest.mark.parametrize(("n_models", "n_judges", "pareto"), [(20, 300, 1.2), (30, 300, 2.0)])
def test_ranks_with_exact_df_only_where_they_decide_are_those_with_exact_df_everywhere(
    n_models, n_judges, pareto
):
    votes = simulate(1, n_votes=12_000, n_models=n_models, n_judges=n_judges, pareto=pareto)
    found = leaderboard(votes, cluster="judge")
    exact = rank_sets(abilities_of(found.fit), with_best=False)
    assert (found.ranks.above == exact.above).all() and found.ranks.above.any()
    assert found.ranks.low.tolist() == exact.low.tolist() and found.ranks.critical == exact.critical
    bound, df = abilities_of(found.fit, bound=True), abilities_of(found.fit).df
    known = bound.known
    assert (bound.df[known] <= df[known] * (1 + 1e-9)).all()  # both are sums of squares; observed at most 1


def few_votes(*stray: tuple[str, str, str]) -> pd.DataFrame:
    """Many votes between A, B and C, and the given ones: model_a, model_b, winner."""
    contests = (("A", "B", 600, 400), ("B", "C", 600, 400), ("A", "C", 700, 300))
    rows = [(a, b, w) for a, b, m, n in contests for w in ["model_a"] * m + ["model_b"] * n]
    return pd.DataFrame([*rows, *stray], columns=["model_a", "model_b", "winner"])


def test_a_stray_vote_against_a_model_without_a_rating_moves_no_win_rate_and_the_board_names_what_hides_tiers():
    plain, stray = (leaderboard(few_votes(*votes)) for votes in ((), (("N", "A", "model_a"),)))
    before, after = _by_model(plain), _by_model(stray)
    rates = ([of[m].win_rate for m in "ABC"] for of in (after, before))
    # Two fits, of which one has a row more: only their last steps may differ; observed 0.
    assert next(rates) == pytest.approx(next(rates), abs=1e-9)
    assert [row.tier for row in plain.rows] == [1, 2, 3] and {row.tier for row in stray.rows} == {1}
    assert (
        "1 tier because of 'N' (votes: 1), which may have many ranks; the other 3 by themselves have 3."
        in stray.method
    )
    assert "Win rates are means over the models that have a rating." in stray.method
    assert not any("because of" in said for said in plain.method)


def test_a_model_of_two_votes_that_widens_the_limits_of_all_is_named_unless_there_is_an_anchor():
    votes = few_votes(("N", "A", "model_a"), ("N", "A", "model_b"))
    said = next(
        said
        for said in leaderboard(votes).method
        if said.startswith("Limits are wide because of 'N' (votes: 2)")
    )
    alone = leaderboard(few_votes())
    widest = max(row.high - row.rating for row in alone.rows)
    assert f"of which 0 are settled, 3 would be; their widest limits would be {widest:.1f} points" in said
    assert not any("Limits are wide" in said for said in leaderboard(votes, anchor="A").method)


def test_items_that_are_equal_without_spread_share_the_chance_of_being_best():
    ties = pd.DataFrame({"model_a": [*"AAB"], "model_b": [*"BCA"], "winner": ["tie"] * 3})
    # A sum of 100,000 thirds, rounded each time; observed 2e-13.
    assert [row.p_best for row in leaderboard(ties).rows] == pytest.approx([1 / 3] * 3, abs=1e-12)


def test_a_board_that_cannot_be_made_says_of_which_value():
    votes = few_votes().assign(judge="x")
    votes = pd.concat(
        [votes, pd.DataFrame({"model_a": ["A"], "model_b": ["B"], "winner": ["tie"], "judge": ["y"]})]
    )
    with pytest.raises(
        InputError, match=r"judge='y': only one vote .*; where='judge!=y' makes the other boards"
    ):
        leaderboard(votes, by="judge")


def test_warnings_about_repeated_votes_are_those_of_each_board():
    votes = few_votes().assign(language=lambda f: np.where(f.index % 3, "English", "German"))
    votes["question_id"] = [f"q{k}" for k in range(len(votes))]
    votes = pd.concat([votes, votes[votes.language == "English"].head(7)], ignore_index=True)
    boards = leaderboard(votes, by="language")
    assert any("(7 rows too many)" in said for said in boards["English"].method)
    assert not any("rows too many" in said for said in boards["German"].method)


def test_both_bad_votes_are_left_out_with_the_ties_and_the_board_says_so():
    votes = few_votes(("A", "B", "tie (bothbad)"))
    assert (
        "1 of 3,001 votes call both bad; they are ties, which are left out."
        in leaderboard(votes, ties="drop").method
    )


def test_a_column_of_style_without_a_negative_value_is_said_to_be_perhaps_no_difference():
    votes = few_votes().assign(turn=lambda f: 1 + f.index % 3)
    assert any(
        "Style turn: no value of 'turn' is negative" in said
        for said in leaderboard(votes, style="turn").method
    )
    signed = votes.assign(turn=votes.turn - 2)
    assert not any("is negative" in said for said in leaderboard(signed, style="turn").method)


def test_votes_of_several_files_say_what_is_not_done_with_them(tmp_path):
    votes = few_votes(("N", "A", "model_a")).assign(
        judge=lambda f: f.index % 40, question_id=lambda f: f.index % 900
    )
    for k in range(2):
        votes[k::2].to_csv(tmp_path / f"{k}.csv", index=False)
    method = " ".join(leaderboard([tmp_path / "0.csv", tmp_path / "1.csv"]).method)
    assert (
        "not held in memory: clustered by judge alone, not by question_id as well; repeated votes are not looked"
        in method
    )
    assert "not tested: the votes are counted, and the counts do not have their judge" in method


def test_a_board_of_half_wins_has_the_limits_of_its_votes_and_its_sentence_on_them_is_true():
    pairs = {"first": ["Ada", "Ada", "Bo"], "second": ["Bo", "Cy", "Cy"]}
    found = leaderboard({**pairs, "wins": [24.5, 24.5, 25.5], "losses": [15.5, 15.5, 14.5]})
    assert {row.status for row in found.rows} == {"provisional"}
    assert "Standard errors are by single votes: all votes are treated as independent." in found.method
    soft = leaderboard({**pairs, "wins": [0.7, 0.4, 0.6], "losses": [0.3, 0.6, 0.4]})
    assert any("CR1 by row (3 rows, whose counts are weights): each row" in said for said in soft.method)
    with pytest.raises(
        InputError, match="3 rows are too few for standard errors from them; use whole counts"
    ):
        leaderboard({**pairs, "wins": [24.3, 24.5, 25.5], "losses": [15.7, 15.5, 14.5]})


def test_votes_without_a_value_of_the_column_of_boards_are_counted_in_text_json_and_report(votes):
    blank = votes.assign(language=votes["language"].where(np.arange(len(votes)) % 4 > 0))
    found = leaderboard(blank, by="language")
    assert sum(board.data.votes for board in found.boards.values()) == 3_000
    said = "1,000 votes were left out: no language."
    assert said in str(found) and said in found.to_html() and said in found.to_markdown()
    boards = found.to_dict()["board"]
    assert all(each["data"]["dropped"] == {"no language": 1000.0} for each in boards)
    one = leaderboard(blank.head(9).assign(language=["", *["de"] * 8]), by="language")
    assert "1 vote was left out: no language." in str(one)


def test_votes_that_give_no_model_a_finite_rating_are_refused_by_file_models_and_cure(tmp_path):
    (tmp_path / "sep.csv").write_text("first,second,wins,losses\na,b,5,0\nb,c,6,0\na,c,4,0\n")
    said = "sep.csv: no model can be rated; .* a won every comparison. c lost every .* --reduce-bias mean"
    with pytest.raises(InputError, match=said):
        leaderboard(tmp_path / "sep.csv")
