"""Error rates held against R's lm and var: replayed from the records; ``PAIRPROOF_RECORD=all`` asks R live
and writes them anew.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.native.competitions.ranking.error_rates import rate_difference
from tests.bridge.conftest import digits
from tests.bridge.packages import error_rates_in_r

RECORD = os.environ.get("PAIRPROOF_RECORD") or None


def simulated():
    """60 sentences of shared difficulty, the second system held against references of its own."""
    rng = np.random.default_rng(2007)
    lengths, hard = rng.integers(3, 45, 60), rng.beta(2, 4, 60)
    return (
        rng.binomial(lengths, hard),
        rng.binomial(lengths, 0.8 * hard),
        lengths,
        lengths + rng.integers(0, 3, 60),
    )


CASES = {
    "specification": ([3, 0, 5, 2, 8], [4, 1, 5, 3, 10], [10, 4, 12, 9, 20], None),
    "simulated": simulated(),
}


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.mark.parametrize("case", CASES)
def test_rates_and_their_difference_are_what_lm_and_var_give(policy, case):
    of_r = error_rates_in_r.rate_difference(*CASES[case], backend=policy)
    assert of_r.result.source == ("live" if RECORD else "recorded")
    own = rate_difference(*CASES[case])
    # R sums every rate anew without each sentence, which costs it a digit or so. Observed at least 14.9
    # digits.
    for side in ("first", "second"):
        for name in ("rate", "se_vilar", "se_delta", "se_jackknife"):
            assert digits(getattr(getattr(own, side), name), getattr(getattr(of_r, side), name)) > 13, (
                side,
                name,
            )
    for name in ("difference", "se_delta", "se_jackknife"):
        assert digits(getattr(own, name), getattr(of_r, name)) > 13, name


def test_another_denominator_is_seen(policy):
    """The check can fail: lm's own standard error divides by L where equation 9 has L - 1."""
    of_r = error_rates_in_r.rate_difference(*CASES["specification"], backend=policy)
    own = rate_difference(*CASES["specification"]).first
    assert digits(own.se_vilar * np.sqrt((own.length - 1) / own.length), of_r.first.se_vilar) < 3


@pytest.mark.r()
def test_live_r_agrees_too():
    own, of_r = rate_difference(*CASES["simulated"]), error_rates_in_r.rate_difference(
        *CASES["simulated"], backend=Backend("live")
    )
    assert of_r.result.source == "live" and digits(own.se_delta, of_r.se_delta) > 13
