"""Scalar annotation held against R: integrals, R's own arithmetic, R's sampling, and TrueSkillThroughTime.

Replayed from the records that ship with the package; ``PAIRPROOF_RECORD=all`` asks R live and writes them
anew.
"""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.native.annotation import allocation as match_quality, beta, trueskill
from pairproof.native.annotation.methods import observe, start
from pairproof.native.annotation.scores.systems_model import rank_sum_p
from tests.bridge.conftest import digits
from tests.bridge.packages import annotation_in_r as r

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
#: mean_i, var_i, mean_j, var_j, gamma, epsilon: the specified vector, equals, an upset, a far favourite, a
#: small margin.
GAMES = [
    (0.3, 1.0, -0.2, 0.64, 0.5, 0.08885596505),
    (0.5, 1 / 12, 0.5, 1 / 12, 0.1, 0.1),
    (0.1, 0.05, 0.9, 0.02, 0.1, 0.1),
    (2.0, 0.5, -1.0, 0.3, 0.4, 0.2),
    (0.6, 0.01, 0.55, 0.03, 0.1, 0.001),
]


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


def came_from_the_source_asked(result):
    assert result.source == ("live" if RECORD else "recorded")


def native_game(game, outcome):
    mi, vi, mj, vj, gamma, epsilon = game
    after = trueskill.update_pair(trueskill.Skills(mi, vi, mj, vj), outcome, gamma, epsilon)
    return [after.mean_i, after.variance_i, after.mean_j, after.variance_j]


@pytest.mark.parametrize("outcome", ["win", "tie"])
@pytest.mark.parametrize("game", GAMES)
def test_trueskill_updates_are_the_moments_that_r_integrates(policy, game, outcome):
    found, result = r.trueskill_moments(game, outcome, backend=policy)
    came_from_the_source_asked(result)
    # integrate is asked for 13 digits; observed least 13.6, at the tie of the upset, whose outcome has little
    # mass.
    assert min(digits(a, b, 1e-3) for a, b in zip(native_game(game, outcome), found)) > 13


@pytest.mark.parametrize("outcome", ["win", "tie"])
@pytest.mark.parametrize("game", GAMES)
def test_trueskill_updates_are_those_of_trueskillthroughtime(policy, game, outcome):
    found, result = r.through_time(game, outcome, backend=policy)
    came_from_the_source_asked(result)
    least = min(digits(a, b, 1e-3) for a, b in zip(native_game(game, outcome), found))
    # Observed least 13.4, at the tie of the upset: the package divides by a small difference of
    # probabilities.
    assert least > 13, f"{least:.1f} digits"


def test_beta_variances_are_what_r_integrates_and_modes_where_r_finds_the_top(policy):
    alpha, beta_ = [1.5, 2.8, 1.25, 7.0, 40.5, 1.1012575591], [1.5, 1.2, 2.75, 2.0, 61.25, 1.2]
    found, result = r.beta_moments(alpha, beta_, backend=policy)
    came_from_the_source_asked(result)
    assert min(map(digits, beta.variance(alpha, beta_), found[:, 1])) > 13.5  # observed 14.2
    # optimize compares values of a flat top: the root of the machine's precision, 1.5e-8. Observed 2.1e-9.
    np.testing.assert_allclose(beta.mode(alpha, beta_), found[:, 2], atol=5e-8)


def judgments():
    rng = np.random.default_rng(18)
    fixed = [(0, 1, "win"), (1, 2, "win"), (0, 2, "win"), (0, 1, "tie")]
    drawn = [(*map(int, rng.permutation(5)[:2]), str(rng.choice(["win", "tie", "loss"]))) for _ in range(60)]
    return fixed + drawn


def test_bounded_ranking_follows_rs_arithmetic_through_64_judgments(policy):
    steps = judgments()
    found, result = r.bounded_ranking(5, *zip(*steps), 0.1, 0.1, backend=policy)
    came_from_the_source_asked(result)
    alpha, b = np.ones(5), np.ones(5)
    kinds = set()
    for k, (i, j, outcome) in enumerate(steps):
        apart = abs(beta.mode(alpha[i], b[i]) - beta.mode(alpha[j], b[j])) > 0.1
        kinds.add((outcome, bool(apart)))
        alpha[i], b[i], alpha[j], b[j] = beta.update_pair(beta.Pair(alpha[i], b[i], alpha[j], b[j]), outcome)
        np.testing.assert_allclose(np.r_[alpha, b], found[k], rtol=1e-13)  # observed 2e-15
    assert len(kinds) == 6  # every branch was taken
    # The specification prints its trace to 8 decimals: half a unit of the last.  Observed 2.9e-9.
    np.testing.assert_allclose(found[3, :3], [1.15603092, 1.29708592, 1], atol=5.1e-9)


def test_easl_and_direct_assessment_follow_rs_arithmetic(policy):
    rng = np.random.default_rng(24)
    item, score = rng.integers(0, 8, 60), np.round(rng.random(60), 2)
    found, result = r.scored(9, item.tolist(), score, backend=policy)
    came_from_the_source_asked(result)
    state = observe(start("easl", 9), [[i] for i in item], [[s] for s in score])
    da = observe(start("da", 9), [[i] for i in item], [[s] for s in score])
    # Sums of nine scores and quotients of them in doubles, in R's order or ours. Observed 2e-16.
    np.testing.assert_allclose([state.a, state.b, state.variance], found[:, [0, 1, 3]].T, rtol=1e-14)
    # Modes and means of the same sums: one quotient more. Observed 3e-16.
    np.testing.assert_allclose([state.score[:8], da.score[:8]], found[:8, [2, 4]].T, rtol=1e-14)
    assert np.isnan(found[8, [2, 4]]).all() and state.score[8] == 0.5 and np.isnan(da.score[8])


def test_partners_come_as_often_as_r_draws_them(policy):
    from scipy.special import chdtrc

    location, variance = np.array([0.5, 0.1, 0.4, 0.55, 0.9]), np.array([0.08, 0.02, 0.05, 0.03, 0.06])
    q = match_quality.match_quality(location[0], variance[0], location[1:], variance[1:])
    patterns = [f"{i} {j}" for i, j in itertools.permutations(range(1, 5), 2)]
    draws = 20_000
    of_r, result = r.partner_counts(q, 2, draws, patterns, 2018, backend=policy)
    came_from_the_source_asked(result)
    drawn = match_quality.draw_partners(
        np.zeros(draws, int), location, variance, 2, np.arange(1, 5), np.random.default_rng(2018)
    )
    own = np.array([np.sum((drawn[:, 0] == int(p[0])) & (drawn[:, 1] == int(p[2]))) for p in patterns])
    exact = np.array(
        [q[i] / q.sum() * q[j] / (q.sum() - q[i]) for i, j in itertools.permutations(range(4), 2)]
    )
    assert own.sum() == of_r.sum() == draws
    # Either against the definition, and one against the other (two samples of equal size): 11 degrees of
    # freedom each.
    for chi2 in (
        np.sum((of_r - draws * exact) ** 2 / (draws * exact)),
        np.sum((own - draws * exact) ** 2 / (draws * exact)),
        np.sum((own - of_r) ** 2 / (own + of_r)),
    ):
        assert chdtrc(11, chi2) > 0.001, chi2


def test_the_rank_sum_test_of_two_systems_is_wilcox_test(policy):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, 30).astype(float), rng.integers(1, 11, 25).astype(float)
    p, result = r.rank_sum(x, y, backend=policy)
    came_from_the_source_asked(result)
    assert digits(rank_sum_p(x, y), p) > 12
