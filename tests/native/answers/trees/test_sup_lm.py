"""p-values of the largest statistic over places of a break: 40-digit values, tabled ones, simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pairproof.bridge.packages.asking import ask
from pairproof.native.answers.trees.instability import places_p, spectrum, sup_lm_p


@pytest.mark.parametrize(
    ("statistic", "k", "trim", "p"),
    [
        (8.68, 1, 0.15, 0.0542366446675511),
        (5.0, 3, 0.1, 0.88095340727157),
        (32.3565530796521, 5, 20 / 192, 0.000278185410682869),
        (20.0, 2, 0.05, 0.00247237694047929),
        (30.0, 12, 0.2, 0.0510578875047879),
        (80.0, 20, 0.1, 4.07971564981471e-7),
        (60.0, 5, 0.1, 1.4181986118398e-9),
        (45.0, 1, 0.1, 1.98469372008564e-9),
    ],
)
def test_the_limit_has_the_digits_of_kummers_functions(
    statistic: float, k: int, trim: float, p: float
) -> None:
    # mpmath, 40 digits: zeros v of M(-v, k/2, c/2), quadrature of the shares.  Doubles leave 6e-12 for k = 1
    # and 2e-14 otherwise; below 1e-7 the expansion leaves 4e-8 of p.
    assert abs(sup_lm_p(statistic, k, trim) - p) < (1e-11 if p > 1e-7 else 1e-6 * p)


def test_eigenvalues_are_zeros_of_kummers_function() -> None:
    mpmath = pytest.importorskip("mpmath", reason="Kummer's function of any order comes with mpmath")
    for k, c in ((1, 8.0), (4, 3.0), (9, 25.0)):
        for v in spectrum(c, k)[0][:4]:
            value, slope = (mpmath.diff(lambda t: mpmath.hyp1f1(-t, k / 2, c / 2), v, n) for n in (0, 1))
            assert abs(value / slope) < 1e-9 * v  # a Newton step; observed 3e-11 (k = 1)


@pytest.mark.r("strucchange")
def test_hansens_approximation_lies_between_that_of_the_places_and_the_limit() -> None:
    code = """f <- function(c, k, trim) strucchange::supLM(trim)$computePval(c, k)
      list(p = c(f(8.85, 1, .15), f(11.79, 2, .15), f(18.35, 5, .15), f(27.03, 10, .15), f(20, 2, .05)))"""
    r = ask("live", "supLM", code, {}, ("psychotools",)).as_list().vector("p").floats()
    own = [
        sup_lm_p(*x)
        for x in ((8.85, 1, 0.15), (11.79, 2, 0.15), (18.35, 5, 0.15), (27.03, 10, 0.15), (20.0, 2, 0.05))
    ]
    # Hansen's table was simulated with a thousand places, whose maximum is smaller than the limit's.
    for hansen, limit in zip(r, own):
        assert 0.5 * limit < hansen < limit


def test_one_place_is_chi_square_and_two_are_a_bivariate_integral() -> None:
    assert abs(places_p(11.070497693516351, 5, np.array([0.3])) - 0.05) < 1e-13
    # k = 1, two places of correlation rho: P(|X| < b, |Y| < b) by mpmath's quadrature.
    mpmath = pytest.importorskip("mpmath", reason="30-digit arithmetic comes with mpmath")
    b, rho = 2.2, (0.3 * 0.4 / (0.6 * 0.7)) ** 0.5
    with mpmath.workdps(30):
        spread = mpmath.sqrt(1 - mpmath.mpf(rho) ** 2)

        def density(x: Any) -> Any:
            inner = mpmath.ncdf((b - rho * x) / spread) - mpmath.ncdf((-b - rho * x) / spread)
            return mpmath.npdf(x) * inner

        inside = mpmath.quad(density, [-b, 0, b])
    assert abs(places_p(b**2, 1, np.array([0.3, 0.6])) - float(1 - inside)) < 1e-12  # observed 1e-15


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_share_of_simulated_maxima_is_the_p_value(k: int) -> None:
    rng = np.random.default_rng(20261122)
    n, runs = 40, 20_000
    t = np.arange(1, n) / n
    sums = rng.normal(size=(runs, n, k)).cumsum(axis=1)
    bridge = sums[:, :-1] - t[None, :, None] * sums[:, -1:]
    largest = ((bridge**2).sum(axis=2) / n / (t * (1 - t)))[:, 3:36].max(axis=1)
    for p_level in (0.5, 0.1, 0.02):
        c = float(np.quantile(largest, 1 - p_level))
        p = places_p(c, k, t[3:36])
        # Three standard errors of the simulated share.
        assert abs(p - p_level) < 3 * (p_level * (1 - p_level) / runs) ** 0.5
        assert sup_lm_p(c, k, float(t[3])) > p


def test_many_places_are_taken_by_siegmunds_correction_which_is_near() -> None:
    many = np.arange(100, 901) / 1000
    few = many[::4]
    limit = sup_lm_p(14.0, 3, 0.1)
    assert places_p(14.0, 3, few) < places_p(14.0, 3, many) < limit
    # 201 places by integration and by the correction: 2 % apart.
    step = np.sqrt(-np.expm1(-np.diff(np.log(few / (1 - few)))))
    near = sup_lm_p((14.0**0.5 + 0.5826 * float(step.mean())) ** 2, 3, 0.1)
    assert abs(near / places_p(14.0, 3, few) - 1) < 0.03
