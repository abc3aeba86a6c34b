"""Standard errors of weighted means: the specification's vector, and what is true where sentence rates
vary.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.stats import norm, ttest_rel

from pairproof.errors import InputError
from pairproof.native.competitions.ranking.error_rates import error_rate, holm, rate_difference
from pairproof.native.competitions.ranking.two_systems import binary_result


def test_the_vector_of_the_specification():
    found = error_rate([3, 0, 5, 2, 8], [10, 4, 12, 9, 20])
    assert (found.rate, found.se_vilar, found.se_delta) == pytest.approx(
        (0.3272727, 0.0584074405, 0.0495785117), abs=5e-8
    )
    assert found.m == 5 and found.length == 55


def test_with_sentences_of_one_word_equation_9_is_equation_4():
    """r_i in 0, 1: 40 errors in 100 words."""
    d = np.array([1.0] * 40 + [0.0] * 60)
    equation_4 = np.sqrt(((d - 0.4) ** 2).sum()) / 99
    assert error_rate(d, np.ones(100)).se_vilar == pytest.approx(equation_4, rel=1e-14)
    assert binary_result(40, 60, 0).se_vilar == pytest.approx(equation_4, rel=1e-14)


def test_with_equal_lengths_delta_and_jackknife_are_the_usual_standard_error():
    d = np.random.default_rng(0).poisson(3, 50)
    found = error_rate(d, np.full(50, 10.0))
    usual = (d / 10).std(ddof=1) / np.sqrt(50)
    assert found.se_delta == pytest.approx(usual, rel=1e-12) and found.se_jackknife == pytest.approx(
        usual, rel=1e-12
    )


@pytest.mark.parametrize(("what", "ratio"), [("constant variance", 0.887), ("binomial words", 1.0)])
def test_equation_9_is_too_small_where_sentence_rates_vary_and_delta_and_jackknife_are_not(what, ratio):
    """4000 replicates: the true sd is known to 1.1 %, so 4 % is 3.6 standard errors.  Lengths 5 or 25:
    1/sqrt(1 + cv^2) = .832 for an even mixture; with lengths of squared cv .271 the specification's .887."""
    rng = np.random.default_rng(1)
    m = 200
    lengths = np.round(np.clip(rng.gamma(1 / 0.271, 20 * 0.271, m), 2, None))
    cv2 = lengths.var() / lengths.mean() ** 2
    rates, vilar, delta, jackknife = [], [], [], []
    for _ in range(4000):
        if what == "constant variance":
            d = lengths * np.clip(0.4 + 0.1 * rng.standard_normal(m), 0, None)
        else:
            d = rng.binomial(lengths.astype(int), 0.4)
        found = error_rate(d, lengths)
        rates.append(found.rate)
        vilar.append(found.se_vilar)
        delta.append(found.se_delta)
        jackknife.append(found.se_jackknife)
    true = np.std(rates)
    expected = 1 / np.sqrt(1 + cv2) if what == "constant variance" else 1.0
    assert expected == pytest.approx(ratio, abs=0.03)
    assert np.mean(vilar) / true == pytest.approx(expected, abs=0.04)
    assert np.mean(delta) / true == pytest.approx(1, abs=0.04) and np.mean(jackknife) / true == pytest.approx(
        1, abs=0.04
    )


@pytest.mark.parametrize(
    ("errors", "lengths"),
    [
        ([1], [2]),
        ([1, 2], [3]),
        ([1, -1], [3, 3]),
        ([1, 1], [3, 0]),
        ([1, float("nan")], [3, 3]),
        ([0, 0], [0.4, 0.4]),
        ([[1, 2]], [[3, 4]]),
    ],
)
def test_lengths_and_errors_that_cannot_be_are_refused(errors, lengths):
    with pytest.raises(InputError):
        error_rate(errors, lengths)


# -- two systems on the same sentences -----------------------------------------------------------------------

SPECIFIED, LENGTHS = [3, 0, 5, 2, 8], [10, 4, 12, 9, 20]
OTHER = [4, 1, 5, 3, 10]


def by_hand(d1, d2, l1, l2):
    """Delta from the covariance matrix of the four sums, jackknife by leaving out: no residuals."""
    data = np.array([d1, l1, d2, l2], float)
    m = data.shape[1]
    one, first_words, two, second_words = data.sum(1)
    gradient = [1 / first_words, -one / first_words**2, -1 / second_words, two / second_words**2]
    delta = np.sqrt(np.array(gradient) @ (m * np.cov(data)) @ gradient)
    without = [
        data[0, k].sum() / data[1, k].sum() - data[2, k].sum() / data[3, k].sum()
        for k in ([i for i in range(m) if i != out] for out in range(m))
    ]
    return (
        one / first_words - two / second_words,
        delta,
        np.sqrt((m - 1) / m * ((without - np.mean(without)) ** 2).sum()),
    )


@pytest.mark.parametrize("second_lengths", [None, [11, 4, 10, 9, 22]])
def test_a_difference_is_what_the_covariance_of_the_sums_and_leaving_out_give(second_lengths):
    found = rate_difference(SPECIFIED, OTHER, LENGTHS, second_lengths)
    assert (found.difference, found.se_delta, found.se_jackknife) == pytest.approx(
        by_hand(SPECIFIED, OTHER, LENGTHS, second_lengths or LENGTHS), rel=1e-13
    )
    assert found.first == error_rate(SPECIFIED, LENGTHS) and found.second == error_rate(
        OTHER, second_lengths or LENGTHS
    )
    assert (
        found.m == 5
        and found.z() == found.difference / found.se_delta
        and found.z("jackknife") == found.difference / found.se_jackknife
    )
    assert found.p() == pytest.approx(2 * norm.sf(abs(found.z())), rel=1e-13)
    assert found.interval(0.9) == pytest.approx(
        norm.interval(0.9, found.difference, found.se_delta), rel=1e-13
    )
    assert found.z_vilar == (
        found.difference / found.first.se_vilar,
        found.difference / found.second.se_vilar,
    )


def test_with_equal_lengths_the_difference_is_that_of_a_paired_t_test():
    rng = np.random.default_rng(3)
    a, b = rng.poisson(4, (2, 60))
    found = rate_difference(a, b, np.full(60, 12.0))
    t = ttest_rel(a, b)
    assert found.z() == pytest.approx(t.statistic, rel=1e-12) and found.z("jackknife") == pytest.approx(
        t.statistic, rel=1e-12
    )


def test_a_system_does_not_differ_from_itself_and_then_there_is_no_z():
    same = rate_difference(SPECIFIED, SPECIFIED, LENGTHS)
    assert (same.difference, same.se_delta, same.se_jackknife, same.z(), same.p(), same.interval()) == (
        0,
        0,
        0,
        None,
        None,
        (0, 0),
    )
    assert same.se_unpaired == pytest.approx(np.sqrt(2) * same.first.se_delta)


def test_a_difference_that_is_the_same_in_every_sentence_has_no_standard_error_and_not_one_of_rounding():
    lengths = np.array([3.0, 7, 11, 29, 5, 13])
    first = np.array([1.0, 2, 0, 5, 1, 3])
    found = rate_difference(first + lengths / 10, first, lengths)
    assert (
        found.difference == pytest.approx(0.1)
        and found.se_delta == found.se_jackknife == 0
        and found.z() is None
    )
    constant = error_rate(lengths * 0.3, lengths)
    assert constant.rate == pytest.approx(0.3) and (
        constant.se_vilar,
        constant.se_delta,
        constant.se_jackknife,
        constant.vilar_to_delta,
    ) == (0, 0, 0, None)


def test_a_small_difference_that_is_no_rounding_keeps_its_standard_error():
    found = rate_difference([1e6, 2e6, 3e6], [1e6, 2e6 + 1e-3, 3e6], [2e6, 4e6, 7e6])
    assert (
        found.se_delta == pytest.approx(by_hand([0, 0, 0], [0, 1e-3, 0], *[[2e6, 4e6, 7e6]] * 2)[1], rel=1e-5)
        and found.z() is not None
    )


def test_where_systems_fail_on_the_same_sentences_pairing_is_right_and_independence_far_too_wide():
    """4000 replicates: the true sd is known to 1.1 %.  Sentence difficulty is Beta(2, 4) and common to both
    systems, errors are binomial given it, the second system's are 10 % fewer; observed ratios to the true sd
    .99 (delta), .99 (jackknife), 2.23 (unpaired).
    """
    rng = np.random.default_rng(11)
    m = 150
    lengths = rng.integers(5, 40, m)
    found = []
    for _ in range(4000):
        hard = rng.beta(2, 4, m)
        both = rate_difference(rng.binomial(lengths, hard), rng.binomial(lengths, 0.9 * hard), lengths)
        found.append(
            (
                both.difference,
                both.se_delta,
                both.se_jackknife,
                both.se_unpaired,
                abs(both.difference - 1 / 30) < 1.96 * both.se_delta,
            )
        )
    differences, delta, jackknife, unpaired, covered = np.array(found, float).T
    true = differences.std()
    assert differences.mean() == pytest.approx(
        1 / 30, abs=4 * true / np.sqrt(4000)
    )  # 0.1 times the mean of Beta(2, 4), 1/3
    assert np.sqrt((delta**2).mean()) / true == pytest.approx(1, abs=0.04) and np.sqrt(
        (jackknife**2).mean()
    ) / true == pytest.approx(1, abs=0.04)
    assert np.sqrt((unpaired**2).mean()) / true > 2
    assert 0.93 < covered.mean() < 0.965  # observed .9455; binomial standard error .0034


TABLES = (
    st.integers(2, 12)
    .flatmap(
        lambda m: st.tuples(*(st.lists(st.integers(low, 60), min_size=m, max_size=m) for low in (0, 0, 1, 1)))
    )
    .filter(lambda t: sum(t[2]) > 1 and sum(t[3]) > 1)
)


def numbers(found):
    return np.array(
        [
            found.difference,
            found.se_delta,
            found.se_jackknife,
            found.first.se_delta,
            found.first.se_jackknife,
            found.first.rate,
        ]
    )


@settings(max_examples=80, deadline=None)
@given(TABLES, st.integers(0, 2**32 - 1))
def test_the_order_of_the_sentences_means_nothing_and_that_of_the_systems_a_sign(table, seed):
    d1, d2, l1, l2 = map(np.array, table)
    order = np.random.default_rng(seed).permutation(len(d1))
    found, moved = rate_difference(d1, d2, l1, l2), rate_difference(
        d1[order], d2[order], l1[order], l2[order]
    )
    # Sums in another order move by a few roundings of numbers up to 60, and a square root takes half of the
    # digits near 0.
    np.testing.assert_allclose(numbers(moved), numbers(found), rtol=1e-9, atol=1e-12)
    turned = rate_difference(d2, d1, l2, l1)
    np.testing.assert_allclose(
        [turned.difference, turned.se_delta, turned.se_jackknife],
        [-found.difference, found.se_delta, found.se_jackknife],
        rtol=1e-9,
        atol=1e-12,
    )


@settings(max_examples=80, deadline=None)
@given(TABLES, st.floats(0.25, 40))
def test_scaled_errors_scale_everything_and_scaled_lengths_divide_it(table, factor):
    d1, d2, l1, l2 = (np.array(x, float) for x in table)
    assume(factor * min(l1.sum(), l2.sum()) > 1.01)
    found = rate_difference(d1, d2, l1, l2)
    np.testing.assert_allclose(
        numbers(rate_difference(factor * d1, factor * d2, l1, l2)),
        factor * numbers(found),
        rtol=1e-9,
        atol=1e-12,
    )
    longer = rate_difference(d1, d2, factor * l1, factor * l2)
    np.testing.assert_allclose(numbers(longer), numbers(found) / factor, rtol=1e-9, atol=1e-12)
    # Equation 9 divides by L - 1, so it scales only beside that.
    words = found.first.length
    assert longer.first.se_vilar * np.sqrt((factor * words - 1) / (factor * words)) == pytest.approx(
        found.first.se_vilar * np.sqrt((words - 1) / words) / factor, rel=1e-9, abs=1e-12
    )


def test_equation_9_has_no_form_for_a_difference():
    with pytest.raises(InputError, match="no form for the difference"):
        rate_difference(SPECIFIED, OTHER, LENGTHS).z("vilar")


def test_intervals_are_by_the_standard_error_asked_for():
    found = error_rate(SPECIFIED, LENGTHS)
    for estimator in ("delta", "jackknife", "vilar"):
        assert found.interval(0.8, estimator) == pytest.approx(
            norm.interval(0.8, found.rate, getattr(found, f"se_{estimator}")), rel=1e-13
        )
    assert found.vilar_to_delta == pytest.approx(0.0584074405 / 0.0495785117, rel=1e-8)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1, 2, 3], [1, 2], [4, 5, 6]), "errors of shape"),
        (([1, 2, 3], [1, 2], [4, 5, 6], [4, 5]), "3 sentences of the first system and 2"),
        (([1, 2], [1, 2], [1e160, 1e160]), "beyond what doubles"),
        (([1, 2], [1, 2], [1e20, 1]), "beyond what doubles"),
        (([1e308, 1e308], [1, 2], [3, 3]), "beyond what doubles"),
    ],
)
def test_a_difference_of_what_cannot_be_is_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        rate_difference(*arguments)


def test_holms_correction_is_that_of_statsmodels_and_leaves_what_has_no_p():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.array([0.01, 0.04, 0.03, 0.005, 0.5, 0.04])
    np.testing.assert_allclose(holm(p), multitest.multipletests(p, method="holm")[1], rtol=1e-14)
    np.testing.assert_array_equal(holm([0.3, np.nan, 0.02]), [0.3, np.nan, 0.04])
    assert holm([]).size == 0
