"""Standard errors of weighted means: the specification's vector, and what is true where sentence rates vary."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.binary import binary_result
from pairproof.native.error_rates import error_rate


def test_the_vector_of_the_specification():
    found = error_rate([3, 0, 5, 2, 8], [10, 4, 12, 9, 20])
    assert (found.rate, found.se_vilar, found.se_delta) == pytest.approx((.3272727, .0584074405, .0495785117), abs=5e-8)
    assert found.m == 5 and found.length == 55


def test_with_sentences_of_one_word_equation_9_is_equation_4():
    """r_i in 0, 1: 40 errors in 100 words."""
    d = np.array([1.0] * 40 + [0.0] * 60)
    equation_4 = np.sqrt(((d - .4) ** 2).sum()) / 99
    assert error_rate(d, np.ones(100)).se_vilar == pytest.approx(equation_4, rel=1e-14)
    assert binary_result(40, 60, 0).se_vilar == pytest.approx(equation_4, rel=1e-14)


def test_with_equal_lengths_delta_and_jackknife_are_the_usual_standard_error():
    d = np.random.default_rng(0).poisson(3, 50)
    found = error_rate(d, np.full(50, 10.0))
    usual = (d / 10).std(ddof=1) / np.sqrt(50)
    assert found.se_delta == pytest.approx(usual, rel=1e-12) and found.se_jackknife == pytest.approx(usual, rel=1e-12)


@pytest.mark.parametrize(("what", "ratio"), [("constant variance", .887), ("binomial words", 1.0)])
def test_equation_9_is_too_small_where_sentence_rates_vary_and_delta_and_jackknife_are_not(what, ratio):
    """4000 replicates: the true sd is known to 1.1 %, so 4 % is 3.6 standard errors.  Lengths 5 or 25: 1/sqrt(1 + cv^2) = .832
    for an even mixture; with lengths of squared cv .271 the specification's .887."""
    rng = np.random.default_rng(1)
    m = 200
    lengths = np.round(np.clip(rng.gamma(1 / .271, 20 * .271, m), 2, None))
    cv2 = lengths.var() / lengths.mean() ** 2
    rates, vilar, delta, jackknife = [], [], [], []
    for _ in range(4000):
        if what == "constant variance":
            d = lengths * np.clip(.4 + .1 * rng.standard_normal(m), 0, None)
        else:
            d = rng.binomial(lengths.astype(int), .4)
        found = error_rate(d, lengths)
        rates.append(found.rate)
        vilar.append(found.se_vilar)
        delta.append(found.se_delta)
        jackknife.append(found.se_jackknife)
    true = np.std(rates)
    expected = 1 / np.sqrt(1 + cv2) if what == "constant variance" else 1.0
    assert expected == pytest.approx(ratio, abs=.03)
    assert np.mean(vilar) / true == pytest.approx(expected, abs=.04)
    assert np.mean(delta) / true == pytest.approx(1, abs=.04) and np.mean(jackknife) / true == pytest.approx(1, abs=.04)


@pytest.mark.parametrize(("errors", "lengths"), [([1], [2]), ([1, 2], [3]), ([1, -1], [3, 3]), ([1, 1], [3, 0]), ([1, float("nan")], [3, 3]),
                                                 ([0, 0], [.4, .4]), ([[1, 2]], [[3, 4]])])
def test_lengths_and_errors_that_cannot_be_are_refused(errors, lengths):
    with pytest.raises(InputError):
        error_rate(errors, lengths)
