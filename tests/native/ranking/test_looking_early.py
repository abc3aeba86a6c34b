"""Confidence sequences and sample sizes: vectors computed in R, and their promise under peeking."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.ranking.looking_early import bounded_scores, multiplier, proportion
from pairproof.native.ranking.sample_size import (
    Assumptions,
    Design,
    intraclass_correlation,
    judges_needed,
    power,
    variance_of_mean,
)

SCORES = [1, 1, 0, 0.5, 1, 0, 1, 0.5, 1, 0]


@pytest.mark.parametrize(
    ("asked", "limits"),
    [
        ((60, 100), (0.434314747941, 0.751429756067)),
        ((600, 1000), (0.542691740395, 0.655535241637)),
        ((10, 10), (0.623012649009, 1.0)),
    ],
)
def test_limits_of_a_proportion_are_those_of_the_beta_mixture(asked, limits):
    np.testing.assert_allclose(proportion(*asked), limits, rtol=1e-10)
    low, high = proportion(asked[1] - asked[0], asked[1])
    np.testing.assert_allclose((1 - high, 1 - low), limits, rtol=1e-10)


def test_limits_of_bounded_scores_are_those_of_hedged_capital():
    np.testing.assert_allclose(bounded_scores(SCORES * 20), (0.500867400838, 0.706882159193), rtol=1e-10)
    np.testing.assert_allclose(bounded_scores(SCORES * 5), (0.422134677735, 0.780718757480), rtol=1e-10)


def test_the_multiplier_is_smallest_near_the_planned_size():
    expected = [3.85505463353, 3.36388772578, 3.03520899038, 3.06147721887, 3.24172314541]
    np.testing.assert_allclose([multiplier(t, 500) for t in (50, 100, 500, 1000, 5000)], expected, rtol=1e-11)
    with pytest.raises(InputError, match="starts at 50 independent answers"):
        multiplier(49, 500)


def test_looking_after_every_answer_costs_nothing():
    """300 studies of 500 answers with p = .5, a look after each: .05 promised, .0385 seen over 2,000 looks in R."""
    rng = np.random.default_rng(2)
    errs = 0
    for _ in range(300):
        successes = np.cumsum(rng.random(500) < 0.5)
        # p = .5 is excluded exactly if the mixture is 20 times as likely as p = .5
        from scipy.special import betaln

        t = np.arange(1, 501)
        ratio = betaln(0.5 + successes, 0.5 + t - successes) - betaln(0.5, 0.5) + t * np.log(2.0)
        errs += bool((ratio >= np.log(20.0)).any())
    assert errs / 300 <= 0.05 + 3 * 0.0126


def test_power_is_that_of_the_noncentral_t():
    expected = Assumptions(0.1, ties=0.25, judge_icc=0.05)
    found = [power(expected, Design(g, g * m)) for g, m in ((10, 30), (20, 15), (60, 5), (20, 60))]
    np.testing.assert_allclose(
        found, [0.210549799012, 0.311170405600, 0.439729493017, 0.485482708777], rtol=1e-8
    )
    assert [judges_needed(expected, m) for m in (5, 15, 60)] == [142, 68, 41]


def test_more_answers_of_a_judge_never_beat_what_judges_share():
    expected = Assumptions(0.1, ties=0.25, judge_icc=0.05)
    assert variance_of_mean(expected, Design(10, 1e12)) == pytest.approx(expected.variance * 0.05 / 10)
    crossed = Assumptions(0.1, ties=0.25, judge_icc=0.05, sentence_icc=0.03)
    assert variance_of_mean(crossed, Design(20, 1000, 50)) == pytest.approx(0.00297480000, rel=1e-12)


def test_a_pilots_correlation_is_that_of_the_analysis_of_variance():
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(200), 10)
    scores = rng.normal(size=200)[unit] * 0.5 + rng.normal(size=2000)
    assert intraclass_correlation(scores, unit) == pytest.approx(
        0.2, abs=0.05
    )  # .25 / 1.25; standard error .025
    assert intraclass_correlation(np.tile([1.0, -1.0], 50), np.repeat(np.arange(50), 2)) == 0.0
