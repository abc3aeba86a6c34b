"""The categorical item-response model against the specification's vectors and against enumeration of all
qualities.

Given the items' qualities everything else is conjugate, so on a few items the exact posterior predictive is a
finite sum: weights are the Dirichlet-multinomial probability of the qualities times the product of K, and
E[theta_s | qualities] = (aa + counts) / (L aa + items of s).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.competitions.irt.categorical_irt import (
    CategoricalModel,
    draw_theta,
    fit_irt_categorical,
    predictive,
)
from pairproof.numerics.markov_chains import MixingWarning
from tests.native.translation import random_table, table, two

MODEL = CategoricalModel()


def test_the_chance_of_what_is_seen_and_the_likelihood_table():
    assert MODEL.observation[0, :5] == pytest.approx(
        [0.570348, 0.345934, 0.077188, 0.006336, 0.000191], abs=6e-7
    )
    assert MODEL.likelihood[0, 3, 3] == pytest.approx(0.2822011664, abs=5e-11)
    assert MODEL.likelihood[1, 4, 2] == pytest.approx(0.8600782962, abs=6e-11)
    # .45096576977104 to 30 digits by mpmath; the specification has .4509656698, a 6 for the first 7.
    assert MODEL.likelihood[0, 0, 0] == pytest.approx(0.450965769771, abs=5e-13)
    assert np.abs(MODEL.likelihood.sum(axis=0) - 1).max() < 1e-14
    assert np.abs(MODEL.likelihood[1] - MODEL.likelihood[2].T).max() < 1e-15


def test_a_tie_is_a_difference_of_at_most_the_radius():
    """With "lower than" and radius 0, as the paper's text has it, no tie could ever happen."""
    assert (MODEL.outcome_of == 0).sum() == 8 and (CategoricalModel(radius=1).outcome_of == 0).sum() == 8 + 14


def test_the_prior_predictive():
    p = predictive(np.zeros((1, 0, 8)), MODEL, True)[0, 0]
    assert p == pytest.approx([0.125605, 0.437198, 0.437198], abs=5e-7)


def enumerate_posterior(rows, model):
    """Exact predictive of every pair of systems and E[quality], from rows (system1, item1, system2, item2,
    outcome).
    """
    author = {}
    for s1, i1, s2, i2, _ in rows:
        author[i1], author[i2] = s1, s2
    items, systems, n_levels, aa = (
        sorted(author),
        sorted(set(author.values())),
        model.levels,
        model.concentration,
    )
    total, mean = 0.0, np.zeros((len(systems), n_levels))
    table = np.zeros((len(systems), len(systems), 3))
    for qualities in itertools.product(range(n_levels), repeat=len(items)):
        at = dict(zip(items, qualities))
        weight = math.prod(model.likelihood[o, at[i1], at[i2]] for _, i1, _, i2, o in rows)
        counts = np.zeros((len(systems), n_levels))
        for item, quality in at.items():
            counts[systems.index(author[item]), quality] += 1
        for c in counts:  # Dirichlet-multinomial, up to what all have in common
            weight *= math.prod(math.gamma(aa + k) / math.gamma(aa) for k in c)
        theta = (aa + counts) / (n_levels * aa + counts.sum(axis=1, keepdims=True))
        total += weight
        mean += weight * theta
        table += weight * np.einsum("al,plm,bm->abp", theta, model.likelihood, theta)
    return table / total, mean / total @ np.arange(1, n_levels + 1)


def test_one_win_has_the_exact_predictive_of_the_specification():
    exact, quality = enumerate_posterior([("A", 1, "B", 2, 1)], MODEL)
    assert exact[0, 1] == pytest.approx([0.124877, 0.502310, 0.372812], abs=5e-7) and quality[
        0
    ] == pytest.approx(4.775035, abs=5e-7)
    total = enumerate_posterior([("A", 1, "B", 2, 1)], CategoricalModel(concentration=0.5 / 8))[0][0, 1]
    assert total == pytest.approx([0.117555, 0.668796, 0.213649], abs=5e-7)


@pytest.mark.parametrize("items", ["shared", "fresh"])
@pytest.mark.parametrize("concentration", [0.5, 0.5 / 8])
def test_the_sampler_gives_the_exact_predictive_after_one_win(items, concentration):
    model = CategoricalModel(concentration=concentration)
    exact = enumerate_posterior([("A", 1, "B", 2, 1)], model)[0][0, 1]
    check_predictive(
        fit_irt_categorical(two([1]), model=model, items=items, draws=2000, seed=1), model, {(0, 1): exact}
    )


def test_the_sampler_gives_the_exact_predictive_of_items_that_are_shared():
    """Segment 1: A beats B, B ties C, A loses to C.  Segment 2: A beats B twice.  Five items, 4^5
    qualities.
    """
    model = CategoricalModel(levels=4)
    rows = [("A", "B", 1, 1), ("B", "C", 1, 0), ("A", "C", 1, 2), ("A", "B", 2, 1), ("A", "B", 2, 1)]
    exact, _ = enumerate_posterior([(a, (a, x), b, (b, x), o) for a, b, x, o in rows], model)
    data = table([(a, b, o) for a, b, _, o in rows], "ABC", [x for *_, x, _ in rows])
    check_predictive(
        fit_irt_categorical(data, model=model, draws=2500, seed=2),
        model,
        {(i, j): exact[i, j] for i in range(3) for j in range(3) if i != j},
    )


def test_the_sampler_gives_the_exact_predictive_of_fresh_items():
    model = CategoricalModel(levels=4, radius=1)
    rows = [("A", "B", 1), ("B", "A", 0), ("B", "C", 2)]
    exact, _ = enumerate_posterior([(a, (k, 0), b, (k, 1), o) for k, (a, b, o) in enumerate(rows)], model)
    check_predictive(
        fit_irt_categorical(table(rows, "ABC"), model=model, items="fresh", draws=2500, seed=3),
        model,
        {(i, j): exact[i, j] for i in range(3) for j in range(3) if i != j},
    )


def check_predictive(fitted, model, exact):
    """Within 4 Monte Carlo standard errors, which are those of the averaged numbers over the draws."""
    from tests.native.translation import check_mean

    for (i, j), expected in exact.items():
        for outcome in range(3):
            k = model.likelihood[outcome]
            values = np.einsum("cdl,lm,cdm->cd", fitted.theta[:, :, i], k, fitted.theta[:, :, j])
            check_mean(values, expected[outcome], 0.012)
            assert fitted.preferences()[i, j, outcome] == pytest.approx(values.mean(), rel=1e-12)


def test_putting_in_posterior_means_is_biased_where_theta_is_uncertain():
    """Averaging is the default for a reason: after one win with a sharp prior the tie is .0085 too rare when
    plugged in.
    """
    model = CategoricalModel(concentration=0.5 / 8)
    fitted = fit_irt_categorical(two([1]), model=model, draws=2000, seed=1, items="fresh")
    average, plugged = fitted.preferences(), fitted.preferences(average=False)
    assert average[0, 1].sum() == pytest.approx(1) and plugged[0, 1].sum() == pytest.approx(1)
    assert average[0, 1, 0] - plugged[0, 1, 0] > 0.004


def test_strengths_average_one_half_and_order_the_systems():
    fitted = fit_irt_categorical(random_table(3, n=300), draws=300, warn=False)
    assert np.abs(fitted.strength.draws.mean(axis=2) - 0.5).max() < 1e-12
    assert 1 < fitted.quality.min() <= fitted.quality.max() < 8
    assert fitted.strength.what == "strength" and np.argmax(fitted.strength.mean) == np.argmax(
        fitted.preferences()[:5, 5, 1]
    )


@pytest.mark.parametrize("items", ["shared", "fresh"])
def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(items):
    data = random_table(1, n=100)
    runs = [
        fit_irt_categorical(data, items=items, draws=20, warmup=5, seed=s, workers=w, warn=False).theta
        for s, w in ((1, 1), (1, 3), (2, 1))
    ]
    assert (runs[0] == runs[1]).all() and (runs[0] != runs[2]).any()


def test_a_noise_so_small_that_outcomes_are_impossible_still_samples():
    """A beats B and B beats A on the same items: with noise .01 the likelihood underflows, and is held at
    1e-308.
    """
    fitted = fit_irt_categorical(
        two([1, 2], same_items=True), model=CategoricalModel(sd_noise=0.01), draws=100, warn=False
    )
    assert np.isfinite(fitted.theta).all() and np.isfinite(fitted.preferences()).all()


@pytest.mark.parametrize(
    "constants",
    [{"levels": 1}, {"levels": 2.5}, {"sd_noise": 0}, {"concentration": -1}, {"radius": 7}, {"radius": 0.5}],
)
def test_a_constant_out_of_its_range_is_refused(constants):
    with pytest.raises(InputError, match=next(iter(constants))):
        CategoricalModel(**constants)


@pytest.mark.parametrize("concentration", [1e-2, 1e-4, 1e-8, 5e-324])
def test_prior_draws_of_a_small_concentration_have_the_moments_of_their_dirichlet(concentration):
    """Drawn as gamma variables over their sum, 57 % of the rows at 1e-4 had nothing but underflows and came
    out as exactly uniform.
    """
    theta, log_theta = draw_theta(np.zeros((20_000, 8)), concentration, np.random.default_rng(5))
    assert np.isfinite(log_theta[theta > 0]).all() and not np.isnan(log_theta).any()
    assert np.abs(theta.sum(axis=1) - 1).max() < 1e-14  # a sum of 8 doubles; observed 4e-16
    # E sum theta^2 = (aa + 1) / (8 aa + 1); its standard error from the draws themselves, four of them;
    # observed 1.3 at most.
    square = (theta**2).sum(axis=1)
    expected = (concentration + 1) / (8 * concentration + 1)
    assert (
        abs(square.mean() - expected) <= 4 * square.std() / math.sqrt(len(square)) + 1e-7
    )  # at 1e-8 no row of 20,000 need be mixed
    # Each component has a mean of 1/8: binomial where one component has everything.
    assert np.abs(theta.mean(axis=0) - 1 / 8).max() < 4 * math.sqrt(7 / 64 / len(theta))


def test_draws_of_a_small_concentration_with_counts_are_in_proportion_to_them():
    counts = np.tile([3.0, 1.0, 0, 0, 0, 0, 0, 0], (20_000, 1))
    theta, log_theta = draw_theta(counts, 1e-6, np.random.default_rng(6))
    assert theta.mean(axis=0)[:2] == pytest.approx(
        [0.75, 0.25], abs=0.006
    )  # 4 standard errors of Beta(3, 1), sd .194; observed .001
    assert theta[:, 2:].max() < 1e-3 and np.isfinite(log_theta).all()


@pytest.mark.parametrize("items", ["shared", "fresh"])
def test_the_sampler_gives_the_exact_predictive_of_a_small_concentration(items):
    model = CategoricalModel(concentration=0.03)
    exact = enumerate_posterior([("A", 1, "B", 2, 1)], model)[0][0, 1]
    check_predictive(
        fit_irt_categorical(two([1]), model=model, items=items, draws=6000, seed=4), model, {(0, 1): exact}
    )


def test_a_concentration_at_which_the_sampler_cannot_move_says_so():
    with pytest.warns(MixingWarning):
        fit_irt_categorical(
            two([1, 1, 2]),
            model=CategoricalModel(concentration=1e-12),
            items="shared",
            chains=2,
            warmup=20,
            draws=50,
            seed=3,
        )
