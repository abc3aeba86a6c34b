"""Ratings in Elo points: what they mean, their errors, and what has none; 40 digits by mpmath."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import InputError, ItemError, NotEstimableError
from pairproof.fit.fit import Fit
from pairproof.fit.many.ratings import ELO_PER_LOG_ODDS, Ratings

TIES = ["half", "davidson", "rao-kupper", "drop"]


def simulated(seed: int, n: int, items: int, tie: float = -0.3, spread: float = 0.8) -> pairproof.Comparisons:
    """Votes by Davidson's model."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0.0, spread, items)
    first = rng.integers(0, items, n)
    second = (first + rng.integers(1, items, n)) % items
    half = (ability[first] - ability[second]) / 2.0
    weight = np.exp(np.stack([half, np.full(n, tie), -half]))
    drawn = (rng.random(n) * weight.sum(axis=0) > np.cumsum(weight, axis=0)).sum(axis=0)
    names = np.array([f"m{k:02d}" for k in range(items)])
    return pairproof.read(
        pd.DataFrame(
            {
                "model_a": names[first],
                "model_b": names[second],
                "winner": np.array(["model_a", "tie", "model_b"])[drawn],
                "judge": rng.integers(0, 40, n),
                "lang": np.array(["de", "en"])[rng.integers(0, 2, n)],
            }
        )
    )


@pytest.fixture(scope="module")
def table() -> pairproof.Comparisons:
    return simulated(1, 2_000, 6)


def elo(fit: Fit, **asked: Any) -> Ratings:
    return fit.on_scale("elo", **asked)


# -- what they are -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", TIES)
def test_by_ability_they_are_centred_log_odds_times_400_by_log_10(
    table: pairproof.Comparisons, ties: str
) -> None:
    fit = pairproof.fit_bradley_terry(table, ties=ties)
    centred = fit.with_reference("sum")
    found = elo(fit)
    np.testing.assert_allclose(
        found.rating, 1000.0 + ELO_PER_LOG_ODDS * centred.params[list(fit.items)], rtol=1e-13
    )
    # one number in two ways; seen: 2e-15
    np.testing.assert_allclose(found.se, ELO_PER_LOG_ODDS * centred.bse[list(fit.items)], rtol=1e-12)
    assert np.nanmean(found.rating) == pytest.approx(1000.0, rel=1e-14)
    frame = found.to_frame(alpha=0.1)
    np.testing.assert_allclose(frame["high"] - frame["rating"], 1.6448536269514722 * found.se, rtol=1e-12)
    assert found.conf_int(0.1).equals(frame[["low", "high"]])


@pytest.mark.parametrize(
    ("ties", "by"),
    [*((t, by) for t in TIES for by in ("", "lang")), ("davidson", "tie:lang"), ("rao-kupper", "tie:lang")],
)
def test_by_score_they_expect_the_scores_of_the_model_in_a_round_robin(
    table: pairproof.Comparisons, ties: str, by: str
) -> None:
    fit = pairproof.fit_bradley_terry(table, ties=ties, by=by, order_effect=True)
    for group in fit.groups:
        r = elo(fit, expected="score", group=group).rating
        p = fit.probabilities(group)
        score = (p["p_first"] + p["p_tie"] / 2.0).groupby(p["first"]).sum()
        meant = 1.0 / (1.0 + 10.0 ** ((r - r[:, None]) / 400.0))
        # the equations that define them; seen: 2e-14
        np.testing.assert_allclose(meant.sum(axis=1) - 0.5, score[list(fit.items)], rtol=1e-12)


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_with_half_wins_or_without_ties_score_and_ability_are_the_same(
    table: pairproof.Comparisons, ties: str
) -> None:
    fit = pairproof.fit_bradley_terry(table, ties=ties).clustered("judge")
    one, other = elo(fit), elo(fit, expected="score")
    # rounding; seen: 1e-15 and 3e-14
    np.testing.assert_allclose(other.rating, one.rating, rtol=1e-13)
    np.testing.assert_allclose(other.covariance, one.covariance, rtol=0, atol=1e-12 * one.covariance.max())
    np.testing.assert_allclose(other.se, one.se, rtol=1e-12)


def test_davidson_and_half_wins_of_the_same_votes_agree_by_score_though_not_by_ability() -> None:
    votes = simulated(8, 50_000, 20, tie=0.0)
    davidson, half = (
        pairproof.fit_bradley_terry(votes, ties=ties).clustered() for ties in ("davidson", "half")
    )
    span = [float(np.ptp(elo(fit).rating)) for fit in (davidson, half)]
    assert span[0] > 1.3 * span[1]  # the share of ties is .30; seen: 1.53
    by_score = elo(davidson, expected="score")
    # the same sums of scores, but for who met whom how often; seen: .08 of 347, and 8e-4
    assert np.abs(by_score.rating - elo(half).rating).max() < 0.5
    np.testing.assert_allclose(by_score.se, elo(half).se, rtol=5e-3)


def test_a_probit_has_ratings_by_score_and_none_by_ability(table: pairproof.Comparisons) -> None:
    fit = pairproof.fit_bradley_terry(table, ties="drop", link="probit")
    with pytest.raises(
        InputError, match="ratings by ability: differences of abilities are log-odds only with"
    ):
        elo(fit)
    r = elo(fit, expected="score")
    logit = elo(pairproof.fit_bradley_terry(table, ties="drop"))
    assert np.abs(r.rating - logit.rating).max() < 5.0  # two models of the same scores; seen: .8
    p = fit.probabilities()
    meant = 1.0 / (1.0 + 10.0 ** ((r.rating - r.rating[:, None]) / 400.0))
    score = p["p_first"].groupby(p["first"]).sum()[list(fit.items)]
    np.testing.assert_allclose(meant.sum(axis=1) - 0.5, score, rtol=1e-12)


# -- their errors --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
@pytest.mark.parametrize("clustered", [False, True])
def test_errors_by_score_are_those_of_the_numerical_derivative(
    table: pairproof.Comparisons, ties: str, clustered: bool
) -> None:
    fit = pairproof.fit_bradley_terry(table, ties=ties)
    fit = fit.clustered("judge", kind="CR1") if clustered else fit
    free, step = np.flatnonzero(~fit.is_reference), 1e-5
    columns = []
    for k in free:
        moved = [replace(fit, beta=fit.beta + sign * step * np.eye(len(fit.beta))[k]) for sign in (1.0, -1.0)]
        up, down = (elo(one, expected="score").rating for one in moved)
        columns.append((up - down) / (2.0 * step))
    by = np.stack(columns, axis=1)
    found = elo(fit, expected="score")
    # central differences of 1e-5; seen: 3e-10 of the largest
    expected = by @ fit.cov_params().to_numpy() @ by.T
    np.testing.assert_allclose(found.covariance, expected, atol=1e-7 * expected.max(), rtol=0)
    np.testing.assert_allclose(found.se, np.sqrt(np.diag(expected)), rtol=1e-7)
    assert (found.df == (39.0 if clustered else np.inf)).all()


@settings(deadline=None, max_examples=15)
@given(
    st.permutations(range(6)),
    st.integers(0, 5),
    st.sampled_from(["ability", "score"]),
    st.sampled_from(["davidson", "half"]),
)
def test_names_reference_and_scale_change_nothing(order: list[int], k: int, expected: Any, ties: str) -> None:
    table = simulated(1, 2_000, 6)
    fit = pairproof.fit_bradley_terry(table, ties=ties)
    names = [table.items[i] for i in order]
    base = elo(fit, expected=expected)
    for other in (
        fit.with_reference(names[0]),
        fit.with_reference("sum"),
        fit.on_scale("lambda"),
        pairproof.fit_llbt(table.with_items(names), ties=ties),
    ):
        found = elo(other, expected=expected)
        at = [found.items.index(item) for item in base.items]
        # engines stop at 1e-14 of a standard error; seen: 2e-14 and 3e-13
        np.testing.assert_allclose(found.rating[at], base.rating, rtol=1e-12)
        np.testing.assert_allclose(
            found.covariance[np.ix_(at, at)], base.covariance, atol=1e-10 * base.covariance.max(), rtol=0
        )
    anchored = elo(fit, anchor=base.items[k], at=1114, expected=expected)
    np.testing.assert_allclose(anchored.rating - 1114.0, base.rating - base.rating[k], atol=1e-10)
    assert anchored.rating[k] == 1114.0 and anchored.se[k] == 0.0 and anchored.df[k] == np.inf
    frame = anchored.to_frame()
    assert frame["low"].iloc[k] == frame["high"].iloc[k] == 1114.0
    difference = fit.contrast(base.items[(k + 1) % 6], base.items[k])
    if expected == "ability":
        assert anchored.se[(k + 1) % 6] == pytest.approx(ELO_PER_LOG_ODDS * difference.se, rel=1e-12)


def test_ratings_of_three_items_agree_with_40_digits() -> None:
    """Davidson's equations, the round robin and its implicit derivative by mpmath, which shares nothing with the package."""
    mp = pytest.importorskip("mpmath").mp.clone()
    mp.dps = 40
    games = {(0, 1): (60, 9, 14), (1, 2): (52, 28, 34), (0, 2): (91, 19, 13)}

    def outcomes(b: list[Any], i: int, j: int) -> list[Any]:
        parts = [mp.exp(b[i] / 2 - b[j] / 2), mp.exp(b[3]), mp.exp(b[j] / 2 - b[i] / 2)]
        return [part / sum(parts) for part in parts]

    def scores(*free: Any) -> list[Any]:
        b, out = [*free[:2], mp.mpf(0), free[2]], [mp.mpf(0)] * 4
        for (i, j), (w, t, l) in games.items():
            n, (first, tie, second) = w + t + l, outcomes(b, i, j)
            d = (mp.mpf(w - l) - n * (first - second)) / 2
            out[i], out[j], out[3] = out[i] + d, out[j] - d, out[3] + t - n * tie
        return [out[0], out[1], out[3]]

    def rated(*free: Any) -> list[Any]:
        b = [*free[:2], mp.mpf(0), free[2]]
        e = [sum((p := outcomes(b, i, j))[0] + p[1] / 2 for j in range(3) if j != i) for i in range(3)]

        def left(x: Any, y: Any) -> list[Any]:
            r = [x, y, -x - y]
            return [sum(1 / (1 + mp.exp(r[j] - r[i])) for j in range(3) if j != i) - e[i] for i in range(2)]

        x, y = mp.findroot(left, (b[0], b[1]))
        return [x, y, -x - y]

    at = list(mp.findroot(scores, (0.8, 0.2, -0.4)))
    information = mp.matrix(3, 3)
    for k in range(3):
        for l in range(3):
            information[k, l] = -mp.diff(
                lambda *b, k=k: scores(*b)[k], at, n=tuple(int(m == l) for m in range(3))
            )
    covariance = information**-1
    points = 400 / mp.log(10)
    rating = [points * r for r in rated(*at)]
    by = mp.matrix(3, 3)
    for k in range(3):
        for l in range(3):
            by[k, l] = mp.diff(lambda *b, k=k: rated(*b)[k], at, n=tuple(int(m == l) for m in range(3)))
    whole = points**2 * by * covariance * by.T
    counts = list(games.items())
    table = pairproof.Comparisons.build(
        "ABC",
        [i for (i, _), _ in counts],
        [j for (_, j), _ in counts],
        *([wtl[k] for _, wtl in counts] for k in range(3)),
    )
    found = elo(pairproof.fit_bradley_terry(table, ties="davidson"), at=0, expected="score")
    # seen: 3e-16 and 6e-16; as printed by the 40 digits: 134.2 and so on
    np.testing.assert_allclose(found.rating, [float(r) for r in rating], rtol=1e-14)
    np.testing.assert_allclose(found.se, [float(mp.sqrt(whole[k, k])) for k in range(3)], rtol=1e-13)
    np.testing.assert_allclose(
        found.covariance, [[float(whole[k, l]) for l in range(3)] for k in range(3)], rtol=1e-12
    )


# -- what has none -------------------------------------------------------------------------------------------


def with_newcomers(table: pairproof.Comparisons) -> pairproof.Comparisons:
    """One that lost all, one that won all, two that met nobody else."""
    rows = table.to_frame()[["first", "second", "wins", "ties", "losses"]]
    new = [("low", "m00", 0, 0, 9), ("top", "m01", 8, 0, 0), ("x", "y", 4, 0, 3)]
    return pairproof.read(pd.concat([rows, pd.DataFrame(new, columns=rows.columns)]))


@pytest.mark.parametrize("expected", ["ability", "score"])
@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_what_has_no_finite_rating_is_left_out_with_the_reason(
    table: pairproof.Comparisons, ties: str, expected: Any
) -> None:
    fit = pairproof.fit_bradley_terry(with_newcomers(table), ties=ties, reference="m00")
    found = elo(fit, expected=expected)
    assert found.left_out == {"low": "below all", "top": "above all", "x": "apart", "y": "apart"}
    inside = [found.items.index(item) for item in table.items]
    if ties == "half":
        before = elo(pairproof.fit_bradley_terry(table, ties=ties), expected=expected)
        # seen: 3e-13
        np.testing.assert_allclose(found.rating[inside], before.rating, rtol=1e-11)
        np.testing.assert_allclose(found.se[inside], before.se, rtol=1e-9)
    assert np.isnan(found.rating[[found.items.index(item) for item in found.left_out]]).all()
    frame, document = found.to_frame(), found.to_dict()
    assert frame.loc["low", "status"] == "below all" and np.isnan(frame.loc["low", "se"])
    assert {r["item"]: r["rating"] for r in document["ratings"]}["top"] is None
    assert document["left_out"] == dict(found.left_out) and document["scale"] == "elo"
    lines = str(found).splitlines()
    assert lines[-4:] == ["low  below all", "top  above all", "x    apart", "y    apart"]
    with pytest.raises(
        InputError, match=r"anchor='low' has no finite rating \(below all\); expected one of the 6"
    ):
        elo(fit, anchor="low", expected=expected)


def test_what_is_asked_wrongly_is_refused_with_what_is_expected(table: pairproof.Comparisons) -> None:
    fit = pairproof.fit_bradley_terry(table, ties="davidson")
    with pytest.raises(ItemError, match="no item 'm0'; the items are m00, m01"):
        elo(fit, anchor="m0")
    with pytest.raises(InputError, match="at=nan; expected the rating of the anchor or the mean"):
        elo(fit, at=float("nan"))
    with pytest.raises(InputError, match="expected='wins'"):
        elo(fit, expected="wins")
    with pytest.raises(InputError, match="scale='lambda' with anchor, at, expected or group"):
        fit.on_scale("lambda", anchor="m00")  # type: ignore[call-overload]
    with pytest.raises(InputError, match="scale='points'"):
        fit.on_scale("points")  # type: ignore[call-overload]
    with pytest.raises(InputError, match="the model has 2 groups; name one of"):
        elo(pairproof.fit_bradley_terry(table, ties="half", by="lang"))
    with pytest.raises(
        InputError, match="expected scores are defined for half wins, Davidson and Rao-Kupper ties"
    ):
        elo(pairproof.fit_bradley_terry(table, ties="davidson", tie_scale=True), expected="score")
    alone = pairproof.fit_bradley_terry(pairproof.Comparisons.build("AB", [0], [1], [3], None, [0]))
    with pytest.raises(NotEstimableError, match="no two items differ by a finite number"):
        elo(alone)


def test_the_text_says_which_scale_it_is(table: pairproof.Comparisons) -> None:
    said = {ties: str(elo(pairproof.fit_bradley_terry(table, ties=ties).clustered())) for ties in TIES}
    assert "Davidson abilities are not half-win ratings" in said["davidson"]
    assert "half-win ratings: 400 points are an expected score of 10 to 1" in said["half"]
    assert all(
        text.startswith("Elo ratings, mean 1000, 173.72 points per log-odds; ") for text in said.values()
    )
    assert "CR1 by vote (2,000 votes)." in said["half"]
    by_score = elo(
        pairproof.fit_bradley_terry(table, ties="davidson"), expected="score", anchor="m01", at=1114
    )
    by_lang = elo(pairproof.fit_bradley_terry(table, ties="half", by="lang"), group="lang=de")
    assert by_lang.sentence.startswith("Elo ratings, mean 1000 in lang=de, 173.72 points")
    assert "m01 at 1114" in by_score.sentence and "half-win ratings of a round robin" in by_score.sentence


def test_models_of_rankings_and_with_random_effects_have_ratings_too(table: pairproof.Comparisons) -> None:
    rankings = [("A", "B", "C"), ("B", "A", "C"), ("A", "C", "B"), ("C", "A", "B"), ("B", "C", "A")]
    answers = pairproof.read_respondents(
        pd.DataFrame([{item: row.index(item) + 1 for item in "ABC"} for row in rankings]),
        layout="ranks",
        items=["A", "B", "C"],
    )
    ranked = pairproof.fit_plackett_luce(answers)
    worth = ranked.worth()["worth"].to_numpy()
    np.testing.assert_allclose(
        np.diff(elo(ranked).rating), ELO_PER_LOG_ODDS * np.diff(np.log(worth)), rtol=1e-10
    )
    mixed = pairproof.fit_bradley_terry(table.without_ties(), random="item")
    found = elo(mixed)
    assert np.isfinite(found.rating).all() and (found.se > 0.0).all()
