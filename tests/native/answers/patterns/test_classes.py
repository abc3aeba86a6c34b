"""Latent classes: polished values, differences of the log-likelihood, and collapsed classes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.native.answers.patterns.answer_likelihood import PatternFit
from pairproof.native.answers.patterns.class_mixture import LatentClasses, Mixture, fit_classes
from pairproof.native.answers.patterns.comparison_patterns import fit_comparisons
from pairproof.native.answers.patterns.natural_parameters import main_effects, pairs_of
from pairproof.native.answers.patterns.ranking_patterns import fit_mallows, fit_plackett_luce
from tests.native.answers.patterns.data import SALAD, SALAD_PERSONS
from tests.native.answers.r import table


def classes_of(answers: NDArray[np.int64], items: str, k: int, starts: int = 20) -> LatentClasses:
    one = fit_comparisons(answers, [main_effects(items)])
    return of_all_parameters(one, k, starts, seed=4)


def of_all_parameters(one: PatternFit, k: int, starts: int, seed: int) -> LatentClasses:
    names, phi, every = one.estimate.names, one.estimate.phi, np.ones(len(one.estimate.phi), bool)
    return fit_classes(one.likelihood, one.pooled.weights, names, k, every, starts, seed, phi)


def trdel() -> NDArray[np.int64]:
    return np.where(table("trdel[, 1:10]") == 1, 1, -1).astype(np.int64)


@pytest.mark.r("prefmod")
def test_two_classes_of_trdel_are_the_polished_values() -> None:
    found = classes_of(trdel(), "ABCDE", 2, starts=5)
    assert abs(found.llf + 1099.4345237519258) < 1e-10 and found.mixture.n_params == 9
    assert len(found.optima) == 1 and not found.collapsed
    # To the ten digits printed; standard errors are those of second differences of log L in mpmath.
    assert np.abs(found.shares - [0.5657750870, 0.4342249130]).max() < 1e-10
    assert np.abs(found.share_errors - 0.0464013808).max() < 1e-10
    phi = [[-0.5798214288, -1.5631647282, -0.4087317291, -1.7631915565],
           [0.4603331959, 0.3098538394, -0.2136721574, 0.0167311128]]  # fmt: skip
    se = [[0.0956537769, 0.1400740953, 0.0899789347, 0.1537811505],
          [0.0915837392, 0.1033003190, 0.0838689983, 0.0925232728]]  # fmt: skip
    assert np.abs(found.phi - phi).max() < 1e-10 and np.abs(found.standard_errors - se).max() < 1e-10


@pytest.mark.r("prefmod")
def test_three_classes_of_trdel_are_the_polished_values_and_other_optima_are_told() -> None:
    found = classes_of(trdel(), "ABCDE", 3)
    assert abs(found.llf + 1076.4375417150727) < 1e-10 and found.mixture.n_params == 14
    assert abs(found.optima[1][0] + 1082.6261) < 1e-4 and sum(n for _, n in found.optima) == 20
    assert np.abs(found.shares - [0.5243147386, 0.3421049856, 0.1335802758]).max() < 1e-10
    assert np.abs(found.share_errors - [0.0548566347, 0.0481338674, 0.0406389087]).max() < 1e-10
    last = [-1.0608126315, -0.4216202003, -1.2297602139, -1.4612753551]
    assert np.abs(found.phi[2] - last).max() < 1e-10
    errors = [0.3173729932, 0.4363182911, 0.3361808750, 0.4666334432]
    assert np.abs(found.standard_errors[2] - errors).max() < 1e-10


@pytest.mark.r("prefmod")
def test_a_class_of_dat4_that_collapses_is_named_and_has_no_standard_error() -> None:
    found = classes_of(table("dat4").astype(np.int64), "ABCD", 2, starts=5)
    assert abs(found.llf + 367.38501726) < 1e-8  # a supremum
    assert found.collapsed == ((2, "A"),) and abs(found.shares[1] - 0.0574) < 1e-4
    assert np.isnan(found.standard_errors).all() and np.isnan(found.share_errors).all()


def test_scores_and_information_of_a_mixture_are_differences() -> None:
    rng = np.random.default_rng(1)
    answers = rng.choice([1, 0, -1, 9], p=[0.4, 0.2, 0.3, 0.1], size=(30, 3))
    one = fit_comparisons(answers, [main_effects("ABC")], undecided="one")
    random = np.array([True, True, False])  # ties are alike in all classes
    mixture = Mixture(one.likelihood, one.pooled.weights, 2, random)
    psi = 0.7 * rng.normal(size=mixture.n_params)
    assert mixture.n_params == 1 + 2 * 2 + 1
    here, h = mixture.at(psi), 1e-5
    for k in range(len(psi)):
        up, down = (mixture.at(psi + sign * h * np.eye(len(psi))[k]) for sign in (1, -1))
        # Central differences: an error of about 1e-9; observed 2e-10 and 3e-9.
        assert np.abs((up.values - down.values) / (2 * h) - here.scores[:, k]).max() < 1e-7
        bend = mixture.weights @ (up.scores - down.scores) / (2 * h)
        assert np.abs(bend + here.information[k]).max() < 1e-6


def test_one_class_is_the_model_itself_and_rankings_have_classes_too() -> None:
    for fit in (
        fit_mallows(SALAD, [main_effects("ABCD")], weights=SALAD_PERSONS),
        fit_plackett_luce(SALAD, [main_effects("ABCD")], weights=SALAD_PERSONS),
    ):
        weights = fit.pooled.weights
        one = of_all_parameters(fit, 1, starts=1, seed=0)
        assert np.abs(one.phi[0] - fit.estimate.phi).max() < 1e-12
        assert np.abs(one.standard_errors[0] - fit.estimate.standard_errors).max() < 1e-12
        two = of_all_parameters(fit, 2, starts=4, seed=0)
        assert two.llf > one.llf and abs(two.shares.sum() - 1) < 1e-12
        # Shares of persons are the mean posterior probabilities at a maximum.
        assert np.abs(weights @ two.posterior / weights.sum() - two.shares).max() < 1e-5


def test_classes_of_a_simulated_panel_are_found_again() -> None:
    rng = np.random.default_rng(7)
    lam = np.array([[0.9, 0.3, 0.1, 0.0], [-0.8, 0.4, 0.6, 0.0]])
    member = (rng.random(1500) < 0.35).astype(int)
    first, second = pairs_of(4)
    d = lam[member][:, first] - lam[member][:, second]
    answers = np.where(rng.random(d.shape) < 1 / (1 + np.exp(-2 * d)), 1, -1)
    found = classes_of(answers, "ABCD", 2, starts=4)
    off = np.array([found.shares[0] - 0.65, *(found.phi - lam[:, :3]).ravel()])
    se = np.array([found.share_errors[0], *found.standard_errors.ravel()])
    # Seven estimates: the largest of seven normal deviates is above 3 in 2 % of panels.
    assert np.abs(off / se).max() < 3.0
