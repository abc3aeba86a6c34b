"""Simulation-based calibration: parameters from the prior, data from them, posterior ranks of the truth
uniform.

Talts, Betancourt, Simpson, Vehtari and Gelman (2018).  A sampler whose posterior is too narrow, too wide or
displaced piles ranks up at the ends, in the middle or on one side.  The same check must find a posterior that
is made wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.native.competitions.irt.categorical_irt import CategoricalModel, fit_irt_categorical, strengths
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian
from tests.native.translation import table

REPLICATES, BINS, KEPT = 96, 8, 31
NAMES = "ABCD"


def design(rng):
    """40 comparisons of four systems on 6 segments."""
    first = rng.integers(0, 4, 40)
    return first, (first + rng.integers(1, 4, 40)) % 4, rng.integers(0, 6, 40)


def gaussian_data(rng, model, shared):
    mu = model.sd_ability * rng.normal(size=4)
    first, second, segment = design(rng)
    if shared:
        q = mu[:, None] + model.sd_quality * rng.normal(size=(4, 6))
        gap = q[first, segment] - q[second, segment]
    else:
        gap = mu[first] - mu[second] + model.sd_quality * np.sqrt(2) * rng.normal(size=40)
    gap = gap + model.sd_noise * np.sqrt(2) * rng.normal(size=40)
    outcome = np.where(np.abs(gap) < model.radius, 0, np.where(gap > 0, 1, 2))
    return mu - mu.mean(), table(
        [(NAMES[a], NAMES[b], o) for a, b, o in zip(first, second, outcome)], NAMES, segment.tolist()
    )


def categorical_data(rng, model, shared):
    theta = rng.dirichlet([model.concentration] * model.levels, 4)
    first, second, segment = design(rng)
    shape = (4, 6) if shared else (4, 80)
    quality = np.stack([rng.choice(model.levels, shape[1], p=t) for t in theta])
    l1 = quality[first, segment] if shared else quality[first, np.arange(40)]
    l2 = quality[second, segment] if shared else quality[second, np.arange(40) + 40]
    u = rng.random(40)
    p = model.likelihood[:, l1, l2]
    outcome = np.where(u < p[0], 0, np.where(u < p[0] + p[1], 1, 2))
    return strengths(theta[None], model)[0], table(
        [(NAMES[a], NAMES[b], o) for a, b, o in zip(first, second, outcome)], NAMES, segment.tolist()
    )


def ranks(simulate, sample, seed):
    """int[REPLICATES, 4]: ranks 0..KEPT of the truth among thinned draws."""
    rng = np.random.default_rng(seed)
    out = []
    for k in range(REPLICATES):
        truth, data = simulate(rng)
        draws = sample(data, k)
        thinned = draws[np.linspace(0, len(draws) - 1, KEPT).astype(int)]
        out.append((thinned < truth).sum(axis=0))
    return np.array(out)


def chi_square(rank):
    counts = np.bincount(rank * BINS // (KEPT + 1), minlength=BINS)
    return float(((counts - REPLICATES / BINS) ** 2).sum() / (REPLICATES / BINS))


#: The 99.9 % point of chi-square on 7 df; with three systems' ranks looked at in each case.
LIMIT = 24.3


@pytest.mark.parametrize(("shared", "sampler"), [(True, "gibbs"), (False, "gibbs"), (False, "collapsed")])
@pytest.mark.nightly
def test_the_gaussian_samplers_are_calibrated(shared, sampler):
    model = GaussianModel(sd_ability=1.2, sd_quality=0.8, radius=0.5)

    def sample(data, k):
        p = fit_irt_gaussian(
            data,
            model=model,
            items="shared" if shared else "fresh",
            sampler=sampler,
            chains=1,
            warmup=30,
            draws=62 if sampler == "collapsed" else 125,
            seed=k,
            warn=False,
        )
        return p.centred[0]

    found = ranks(lambda rng: gaussian_data(rng, model, shared), sample, seed=11)
    assert max(chi_square(found[:, s]) for s in range(3)) < LIMIT
    assert found.mean() == pytest.approx(KEPT / 2, abs=4 * KEPT / np.sqrt(12 * 3 * REPLICATES))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.nightly
def test_the_categorical_samplers_are_calibrated(shared):
    model = CategoricalModel(levels=5)

    def sample(data, k):
        return fit_irt_categorical(
            data,
            model=model,
            items="shared" if shared else "fresh",
            chains=1,
            warmup=30,
            draws=186,
            seed=k,
            warn=False,
        ).strength.draws[0]

    found = ranks(lambda rng: categorical_data(rng, model, shared), sample, seed=12)
    assert max(chi_square(found[:, s]) for s in range(3)) < LIMIT


def test_a_model_that_takes_shared_items_for_fresh_ones_is_found_out_by_the_same_check():
    """With few, noisy items and many comparisons of each, fresh items claim to know far more than there is to
    know.
    """
    model = GaussianModel(sd_ability=1.0, sd_quality=2.5, sd_noise=0.4, radius=0.3)

    def sample(data, k):
        return fit_irt_gaussian(
            data, model=model, items="fresh", chains=1, warmup=30, draws=62, seed=k, warn=False
        ).centred[0]

    found = ranks(lambda rng: gaussian_data(rng, model, True), sample, seed=13)
    assert max(chi_square(found[:, s]) for s in range(3)) > LIMIT
