"""Answers drawn from a model have its probabilities and the gaps of the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.data.respondents import Respondents
from pairproof.errors import TooLargeError
from pairproof.fit.estimates.specification import AnswerSpec
from pairproof.native.answers.latent_classes import Redraw, fitted
from pairproof.native.answers.pattern_models import pattern_spec
from pairproof.native.answers.plackett_luce import plackett_luce_spec
from tests.native.answers.tables import ratings, salad, votes

IntArray = NDArray[np.int64]
N = 20_000


def pattern(table: Respondents, dependence: bool = False, between: bool = False) -> AnswerSpec:
    return pattern_spec(table, None, "", (), (), None, dependence, between, None, None)


def redraw(table: Respondents, spec: AnswerSpec, frame: Respondents) -> tuple[Redraw, NDArray[np.float64]]:
    one = fitted(table, spec)
    assert one.possible is not None
    group = np.zeros(frame.n_rows, np.int64)
    return Redraw(frame, one.possible, one.found.likelihood.maps, group), one.found.estimate.phi


def many(table: Respondents, answer: IntArray) -> Respondents:
    """A table of N persons with the same gaps."""
    answers = np.tile(answer, (N, 1, 1))
    return replace(table, answers=answers, weights=np.ones(N), columns={})


def tied_rankings() -> Respondents:
    ranks = np.array([[1, 1, 2, 3], [1, 2, 3, 4], [2, 1, 3, 3], [4, 3, 2, 1], [2, 1, 1, 3], [3, 1, 2, 4]])
    return Respondents.build("ABCD", "rankings", ranks)


CASES = {
    "comparisons": (votes(items="ABC", ties=0.0, gaps=0.0), False),
    "comparisons with ties": (votes(items="ABC", gaps=0.0), False),
    "dependent comparisons": (votes(items="ABC", gaps=0.0), True),
    "rankings": (salad(), False),
    "ratings": (ratings(), True),
    "ratings at two times": (ratings(times=2, points=3), False),
    "weak orders": (tied_rankings(), False),
}


@pytest.mark.parametrize("name", [*CASES, "Plackett-Luce", "Plackett-Luce with ties"])
def test_complete_answers_have_the_probabilities_of_the_model(name: str) -> None:
    if name.startswith("Plackett"):
        table = tied_rankings() if "ties" in name else salad()
        spec = plackett_luce_spec(table)
    else:
        table, dependence = CASES[name]
        spec = pattern(table, dependence, table.n_times > 1)
    frame = many(table, table.answers[1])
    draw, phi = redraw(table, spec, frame)
    drawn = draw(np.tile(phi, (N, 1)), np.random.default_rng(1))
    possible = replace(draw.possible, beta=(draw.maps[0] @ phi,))
    every = possible.answers().reshape(int(possible.count()), -1)
    place = {tuple(row): k for k, row in enumerate(every.tolist())}
    seen = np.bincount([place[tuple(row)] for row in drawn.tolist()], minlength=len(every))
    expected = N * possible.probabilities(0)
    kept = expected > 5
    chi = float(((seen - expected)[kept] ** 2 / expected[kept]).sum())
    # A chi-square is beyond its mean plus 4 standard deviations in about one of 10,000 cases.
    assert chi < kept.sum() + 4 * np.sqrt(2 * kept.sum())


def test_gaps_stay_where_they_were() -> None:
    table = votes(60)
    draw, phi = redraw(table, pattern(table), table)
    drawn = draw(np.tile(phi, (60, 1)), np.random.default_rng(1))
    assert np.array_equal(drawn == 9, table.once == 9) and not np.array_equal(drawn, table.once)
    codes = ratings(50).answers.copy()
    codes[::3, 0, 1] = 0
    rated = replace(ratings(50), answers=codes)
    draw, phi = redraw(rated, pattern(rated), rated)
    drawn = draw(np.tile(phi, (50, 1)), np.random.default_rng(1))
    assert np.array_equal(drawn == 0, codes[:, 0] == 0) and drawn.max() <= 3


@pytest.mark.parametrize("model", ["pattern", "plackett-luce"])
def test_as_many_items_are_ranked_as_before_and_absent_ones_stay_so(model: str) -> None:
    ranks = np.array(
        [[1, 2, 0, 0], [2, 1, 3, 4], [1, -1, 2, 0], [-1, 1, 2, 3], [4, 3, 2, 1], [3, 1, 0, 2]] * 4
    )
    table = Respondents.build("ABCD", "rankings", ranks)
    spec = pattern(table) if model == "pattern" else plackett_luce_spec(table)
    draw, phi = redraw(table, spec, table)
    drawn = draw(np.tile(phi, (24, 1)), np.random.default_rng(2))
    assert np.array_equal(drawn == -1, table.once == -1)
    assert np.array_equal((drawn > 0).sum(axis=1), (table.once > 0).sum(axis=1))
    # Checked as any table is.
    Respondents.build("ABCD", "rankings", drawn)


def test_a_ranking_of_some_items_is_drawn_from_the_model_of_these() -> None:
    ranks = np.array([[1, 2, 3, -1], [2, 1, -1, 3], [3, -1, 2, 1], [-1, 3, 1, 2], [4, 3, 2, 1], [1, 2, 3, 4]])
    table = Respondents.build("ABCD", "rankings", ranks)
    frame = many(table, np.array([[1, 2, 3, -1]]))
    draw, _ = redraw(table, pattern(table), frame)
    lam = np.array([0.5, 0.2, -0.1])
    drawn = draw(np.tile(lam, (N, 1)), np.random.default_rng(3))
    # P(A > B > C) of three items: exp(2 (lambda_A - lambda_C)) over the sum of all six orders.
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    weight = [np.exp(2 * (lam[first] - lam[last])) for first, _, last in orders]
    p = weight[0] / sum(weight)
    share = float((drawn == [1, 2, 3, -1]).all(axis=1).mean())
    assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / N)


def test_answers_that_are_too_many_to_list_are_refused() -> None:
    draws = np.random.default_rng(1)
    answers = draws.choice([1, 0, -1], (200, 15))
    table = Respondents.build("ABCDEF", "comparisons", answers, tie_category=True)
    one = fitted(table, pattern(table))
    assert one.possible is not None
    depends = replace(one.possible, dependence=True)
    with pytest.raises(TooLargeError, match="14,348,907"):
        Redraw(table, depends, one.found.likelihood.maps, np.zeros(200, np.int64))(
            np.zeros((200, one.found.likelihood.n_params)), draws
        )
