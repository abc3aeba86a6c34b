"""Two systems by judge: Vilar's table against R (optim, glmer, chisq.test)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import InputError
from pairproof.native.ranking import by_judge
from tests.places import DATA

FloatArray = np.ndarray


@pytest.fixture(scope="module")
def vilar() -> pd.DataFrame:
    return pd.read_csv(DATA / "vilar_table2.csv")


def pair(table: pd.DataFrame, a: str, b: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    rows = table[(table.x == a) & (table.y == b)]
    return tuple(rows[c].to_numpy(float) for c in ("n_x_better", "n_y_better", "n_same"))


def test_judge_means_of_a_and_b_have_a_t_of_4_where_the_sum_has_7(vilar):
    a, b, t = pair(vilar, "A", "B")
    assert by_judge.summed(a, b).statistic == pytest.approx(-6.95230096693, rel=1e-11)
    found = by_judge.judge_means(a, b, t)
    values = (found.estimate, found.spread, found.statistic, found.p)
    np.testing.assert_allclose(
        values, (-0.238571428571, 0.149156357718, -4.23180533223, 0.00548918446596), rtol=1e-11
    )
    assert by_judge.sign_flips(a, b, t).p == 0.015625


def test_judges_differ_in_every_pair(vilar):
    a, b, t = pair(vilar, "A", "D")
    found = by_judge.judges_differ(a, b, t)
    assert (found.statistic, found.df) == (pytest.approx(83.3196212215, rel=1e-11), 12.0)
    for first, second in {(x, y) for x, y in zip(vilar.x, vilar.y)}:
        assert by_judge.judges_differ(*pair(vilar, first, second)).p <= 1e-4


def test_a_beta_binomial_agrees_with_optim(vilar):
    """optim's own stopping leaves 6 digits; seen: 7 or more."""
    a, b, _ = pair(vilar, "A", "B")
    found = by_judge.beta_binomial(a, b)
    values = (found.estimate, found.spread, found.p)
    np.testing.assert_allclose(values, (-0.600843170904, 0.0205615448, 0.00263391985), rtol=2e-6)


def test_a_random_judge_effect_agrees_with_glmer(vilar):
    """glmer(nAGQ = 25): estimates to 7 digits, its standard error to 4."""
    for names, values in {("A", "B"): (-0.614222651507, 0.1460787719, 0.3064400750),
                          ("A", "D"): (-0.708027250413, 0.191238990510, 0.435443830273)}.items():  # fmt: skip
        a, b, _ = pair(vilar, *names)
        found = by_judge.random_effect(a, b)
        np.testing.assert_allclose((found.estimate, found.spread), (values[0], values[2]), rtol=5e-7)
        assert found.se == pytest.approx(values[1], rel=2e-5)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(*[st.integers(0, 9)] * 3).filter(sum), min_size=2, max_size=8))
def test_exchanging_the_systems_turns_every_sign_and_keeps_every_p(rows):
    a, b, t = np.array(rows, float).T
    for test in (by_judge.judge_means, by_judge.sign_flips, by_judge.judges_differ):
        one, other = test(a, b, t), test(b, a, t)
        np.testing.assert_allclose(one.p, other.p, rtol=1e-12)
        np.testing.assert_allclose(one.estimate, -other.estimate, atol=1e-15)


def test_under_the_null_judges_means_hold_their_level_and_the_sum_does_not():
    """Judge log-odds of sd .4, 10 judges of 40 answers; 400 tables: standard error of .05 is .011."""
    rng = np.random.default_rng(11)
    rejected = np.zeros(2)
    for _ in range(400):
        p = 1.0 / (1.0 + np.exp(-rng.normal(0.0, 0.4, 10)))
        a = rng.binomial(40, p).astype(float)
        b, t = 40.0 - a, np.zeros(10)
        rejected += [by_judge.summed(a, b).p < 0.05, by_judge.judge_means(a, b, t).p < 0.05]
    assert rejected[0] / 400 > 0.25
    assert rejected[1] / 400 < 0.05 + 4 * 0.011


@pytest.mark.parametrize(
    ("a", "b", "t", "message"),
    [
        ([3.0], [2.0], [0.0], "1 judge: the spread"),
        ([3.0, 0.0], [2.0, 0.0], [0.0, 0.0], "a judge without any answer"),
    ],
)
def test_too_few_judges_or_answers_are_refused(a, b, t, message):
    with pytest.raises(InputError, match=message):
        by_judge.judge_means(np.array(a), np.array(b), np.array(t))
