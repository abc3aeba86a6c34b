"""Digits of agreement are elementwise, and a lost value never passes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pairproof.validation.verdicts.digits import digits_of_agreement, worst


@pytest.mark.parametrize(
    ("computed", "truth", "scale", "digits"),
    [
        (1.0, 1.0, 0.0, 16.0),
        (1.001, 1.0, 0.0, 3.0),
        (1e-9, 0.0, 0.0, 9.0),
        (1e-9 + 1e-12, 1e-9, 0.1, 11.0),
        (5.0, 1.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 16.0),
        (5e-8, 2e-15, 0.0, 0.0),
        (math.inf, math.inf, 0.0, 16.0),
        (math.inf, 1.0, 0.0, 0.0),
        (math.inf, -math.inf, 0.0, 0.0),
        (1.0, math.nan, 0.0, 0.0),
        (math.nan, 1.0, 0.0, 0.0),
        (1.001, 1.0, math.nan, 3.0),
        (-1.0, 1.0, 0.0, 0.0),
    ],
)
def test_digits_of_one_number(computed: float, truth: float, scale: float, digits: float) -> None:
    # The relative errors above are themselves known to about 1e-13 of their size.
    assert float(digits_of_agreement(computed, truth, scale)) == pytest.approx(digits, abs=1e-3)


def test_two_missing_values_have_no_digits() -> None:
    assert math.isnan(float(digits_of_agreement(math.nan, math.nan)))


def test_digits_are_never_averaged_so_a_halved_effect_shows_among_two_hundred_numbers() -> None:
    truth = np.append(np.linspace(1e3, 1e6, 200), 0.3023)
    computed = np.append(truth[:-1] * (1 + 1e-9), 0.1512)
    mean_relative_difference = np.abs(computed - truth).sum() / np.abs(truth).sum()
    assert mean_relative_difference < 1e-8  # what an averaging comparison would have looked at
    least = worst({f"x{k}": d for k, d in enumerate(digits_of_agreement(computed, truth))})
    assert least is not None and least.quantity == "x200" and least.digits < 1


def test_the_minimum_of_nothing_is_nothing() -> None:
    assert worst({}) is None
    assert worst({"a": math.nan}) is None
