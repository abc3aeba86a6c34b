"""Bias reduction: brglm2's digits, 40-digit roots of Firth's general formula, what it is not, and properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.errors import NotEstimableError
from pairproof.native.comparisons.rows.contest_design import Contests, contest_design
from pairproof.native.comparisons.rows.links import ContestPoint, link
from pairproof.native.comparisons.rows.maximum_likelihood import fit_structured
from pairproof.native.comparisons.rows.reduced_bias import adjustment, covariance_of, fit_reduced
from pairproof.native.comparisons.rows.tied_contests import (
    TiesLikelihood,
    TiesPoint,
    davidson,
    fit_tied,
    jeffreys,
)
from tests.native.comparisons.rows.data import citations, deviance, log_coefficients, of_r

I, J = np.triu_indices(4, 1)


def close(a: object, b: object, limit: float) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= limit)


def separated() -> Contests:
    """Four players, five contests a pair; A always wins."""
    wins = np.array([5.0, 5, 5, 3, 4, 2])
    return Contests(contest_design(I, J, "ABCD"), wins, 5 - wins)


def tied() -> TiesLikelihood:
    """Wins, losses and ties of six pairs, unbalanced."""
    table = np.array([[9, 2, 3], [4, 1, 0], [6, 0, 1], [3, 3, 2], [12, 5, 6], [2, 1, 1]], float)
    return davidson(contest_design(I, J, "ABCD"), table[:, 0], table[:, 2], table[:, 1])


@pytest.mark.parametrize(
    ("kind", "theta", "error", "expected"),
    [
        (
            "mean",
            (-2.93135268278164, -3.66827581935505),
            (1.47641431441663, 1.52060884288177),
            1.73397449507153,
        ),
        (
            "jeffreys",
            (-2.93135268278164, -3.66827581935505),
            (1.47641431441663, 1.52060884288177),
            1.73397449507153,
        ),
        (
            "median",
            (-3.95348322823367, -4.65956768506173),
            (2.34693348509948, 2.37562671983307),
            1.10572571745473,
        ),
    ],
)
def test_a_separated_table_has_brglm2s_digits(kind: str, theta: Any, error: Any, expected: float) -> None:
    found = fit_reduced(separated(), kind)
    # brglm2 at epsilon 1e-14, 15 digits printed: observed 4e-15, 2e-15, 2e-15.
    assert close(found.theta, [theta[0], theta[1], theta[1]], 5e-14)
    assert close(found.standard_errors, [error[0], error[1], error[1]], 5e-14)
    assert abs(deviance(separated(), found.theta) - expected) < 5e-14
    with pytest.raises(NotEstimableError, match="infinite"):
        fit_structured(separated())


def test_it_is_not_the_estimate_of_the_poisson_form() -> None:
    # brglm2 with a constant for every pair: -2.93301427897014, another penalty and another estimate.
    assert abs(fit_reduced(separated()).theta[0] - -2.93301427897014) > 1e-3


def test_davidsons_model_has_30_digit_arithmetics_digits() -> None:
    found = fit_tied(tied())
    expected = [-1.603446498288275, -1.688822300672915, -2.475117408415839, -0.4149738583300656]
    assert close(found.theta, expected, 5e-15)  # observed 1e-15
    assert close(
        found.standard_errors, [0.6155310981765, 0.7659162757113, 0.7113656687188, 0.3274586668398], 1e-13
    )
    assert abs(found.penalised - -52.91612997304859) < 5e-14 and abs(found.llf - -55.85839222658022) < 5e-14


def test_davidsons_model_without_bias_reduction_is_the_maximum_likelihood_estimate() -> None:
    found = fit_tied(tied(), reduced=False)
    expected = [-1.72730641577157, -1.81958998943565, -2.64912143036176, -0.39417929192508]
    assert close(found.theta, expected, 5e-14)  # 15 digits printed; observed 1e-14
    assert close(found.standard_errors, [0.636462998, 0.785553416, 0.736170658, 0.329844461], 6e-10)


def test_the_gradient_of_the_penalty_is_its_derivative() -> None:
    theta, h = np.array([-0.5, 0.3, 1.1, -0.2]), 1e-5
    own = TiesPoint(tied(), theta)
    for k, step in enumerate(np.eye(4) * h):
        up, down = (np.linalg.slogdet(TiesPoint(tied(), theta + s).information)[1] for s in (step, -step))
        # Differences: observed 3e-11.
        assert abs((up - down) / (4 * h) - jeffreys(own, covariance_of(own.information))[k]) < 1e-8
    for name in ("logit", "probit", "cauchit"):
        here = ContestPoint(separated(), link(name), theta[:3])
        for k, step in enumerate(np.eye(3) * h):
            logs = [
                np.linalg.slogdet(ContestPoint(separated(), link(name), theta[:3] + s).expected)[1]
                for s in (step, -step)
            ]
            exact = adjustment(here, covariance_of(here.expected), "jeffreys")[k]
            assert abs((logs[0] - logs[1]) / (4 * h) - exact) < 1e-8


@pytest.mark.parametrize("name", ["logit", "probit", "cauchit"])
def test_mean_bias_reduction_is_the_root_of_firths_general_formula_in_40_digits(name: str) -> None:
    mpmath = pytest.importorskip("mpmath", reason="40-digit arithmetic comes with mpmath")
    wins, n = [4, 4, 3], 4
    x = [[1, 0], [0, 1], [-1, 1]]  # B against A, C against A, C against B
    design = contest_design([1, 2, 2], [0, 0, 1], "ABC")
    found = fit_reduced(Contests(design, np.array(wins, float), n - np.array(wins, float)), "mean", name)
    with mpmath.workdps(40):
        cdf = {
            "logit": lambda t: 1 / (1 + mpmath.exp(-t)),
            "probit": mpmath.ncdf,
            "cauchit": lambda t: mpmath.mpf(1) / 2 + mpmath.atan(t) / mpmath.pi,
        }[name]

        def moments(eta: Any) -> tuple[Any, Any, Any, Any]:
            """p, information, E U^3 and E U U' of one contest, by derivatives of log p and log (1 - p)."""
            p = cdf(eta)
            logs = [(p, lambda t: mpmath.log(cdf(t))), (1 - p, lambda t: mpmath.log(1 - cdf(t)))]
            u = [(w, mpmath.diff(g, eta), mpmath.diff(g, eta, 2)) for w, g in logs]
            return (
                p,
                sum(w * a * a for w, a, _ in u),
                sum(w * a**3 for w, a, _ in u),
                sum(w * a * b for w, a, b in u),
            )

        def adjusted(*theta: Any) -> list[Any]:
            eta = [sum(a * b for a, b in zip(row, theta)) for row in x]
            got = [moments(e) for e in eta]
            info = mpmath.matrix(2, 2)
            for row, m in zip(x, got):
                for s in range(2):
                    for t in range(2):
                        info[s, t] += n * m[1] * row[s] * row[t]
            inverse = info**-1
            out = []
            for t in range(2):
                total = mpmath.mpf(0)
                for row, y, e, m in zip(x, wins, eta, got):
                    spread = sum(row[a] * inverse[a, b] * row[b] for a in range(2) for b in range(2))
                    score = y * mpmath.diff(lambda v: mpmath.log(cdf(v)), e)
                    score += (n - y) * mpmath.diff(lambda v: mpmath.log(1 - cdf(v)), e)
                    total += row[t] * (score + n * spread * (m[2] + m[3]) / 2)
                out.append(total)
            return out

        exact = mpmath.findroot(adjusted, [mpmath.mpf(float(v)) for v in found.theta])
        gaps = [abs(float(mpmath.mpf(float(a)) - b)) for a, b in zip(found.theta, exact)]
    assert max(gaps) < 5e-14  # observed 2e-15 (cauchit)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 8))
def test_median_reduction_does_not_depend_on_the_parametrisation_and_mean_does(wins: int) -> None:
    contests = Contests(
        contest_design([0], [1], "AB", reference="B"), np.array([float(wins)]), np.array([8.0 - wins])
    )
    share = {
        name: [
            float(link(name).probability(fit_reduced(contests, kind, name).theta)[0])
            for kind in ("median", "mean")
        ]
        for name in ("logit", "probit", "cauchit")
    }
    # One parameter: the median-reduced share is (wins + 1/6) / (n + 1/3), whatever the link.
    assert close([s[0] for s in share.values()], (wins + 1 / 6) / (8 + 1 / 3), 1e-12)
    assert wins == 4 or abs(share["logit"][1] - share["cauchit"][1]) > 1e-3


@pytest.mark.r("BradleyTerry2")
def test_citations_agree_with_brglm_at_its_floor() -> None:
    found = fit_reduced(citations())
    printed = [-2.9443818218042463, -0.47907526103315567, 0.26853102275850044]
    # The vignette's brglm stops at 1e-8 of its modified score, R here at 1e-14: observed 3e-7 and 1e-12.
    assert close(found.theta, printed, 5e-6)
    assert np.round(found.theta, 4).tolist() == [-2.9444, -0.4791, 0.2685]
    assert abs(deviance(citations(), found.theta) - 4.2957355996302935) < 1e-5
    assert abs(-2 * (found.llf + log_coefficients(citations())) + 6 - 46.396232284184165) < 1e-5
    r = of_r(
        """BTm(cbind(win1, win2), player1, player2, data = countsToBinomial(citations), br = TRUE,
                    br.epsilon = 1e-14, br.maxit = 1000)$coefficients"""
    )
    assert close(found.theta, r.ravel(), 1e-10)


def test_the_penalty_of_a_large_table_is_small_and_of_its_own_sign() -> None:
    plain, reduced = fit_structured(citations()), fit_reduced(citations())
    assert np.all(np.abs(reduced.theta) < np.abs(plain.theta)) and close(reduced.theta, plain.theta, 0.01)
    assert reduced.llf < plain.llf


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in ("logit", "probit") for kind in ("mean", "median", "jeffreys")),
        ("cauchit", "jeffreys"),
    ],
)
def test_hundreds_of_separated_contests_have_a_root(name: str, kind: str) -> None:
    # Cauchit with mean or median need not have one, and for these contests none was found.
    rng = np.random.default_rng(7)
    first = rng.integers(30, size=200)
    second = (first + rng.integers(1, 30, size=200)) % 30
    players = [str(k) for k in range(30)]
    design = contest_design(first, second, players)
    contests = Contests(design, (first < second).astype(float), (first > second).astype(float))
    found = fit_reduced(contests, kind, name)
    here = ContestPoint(contests, link(name), found.theta)
    left = here.score + adjustment(here, found.covariance, kind)
    # Squared standard errors: observed 2e-21 and less (cauchit, predictors up to 46).
    assert left @ found.covariance @ left < 1e-18
    assert np.abs(found.theta).max() > 5 and np.isfinite(found.standard_errors).all()


def test_wrong_kinds_and_aliased_columns_are_refused() -> None:
    parts = Contests(contest_design([0, 2], [1, 3], "ABCD"), np.ones(2), np.zeros(2))
    with pytest.raises(NotEstimableError, match="^C, D: cannot be distinguished"):
        fit_reduced(parts)
    never = davidson(contest_design([0], [1], "AB"), np.ones(1), np.zeros(1), np.ones(1))
    assert np.isfinite(fit_tied(never).theta).all()
