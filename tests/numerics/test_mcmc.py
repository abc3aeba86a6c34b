"""The diagnostics of chains against the R package posterior, against theory, and on chains whose fault is
known.
"""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.numerics.markov_chains import convergence, normal_scores, split_rhat


def cases() -> dict[str, np.ndarray]:
    """float[chains, draws] by name."""
    rng = np.random.RandomState(2021)  # numpy keeps its stream for ever, unlike that of default_rng

    def autoregression(phi, shape):
        x = rng.standard_normal(shape)
        for t in range(1, shape[1]):
            x[:, t] += phi * x[:, t - 1]
        return x

    last_one = np.array([0, 0, 0, 1.0])[:, None]
    return {
        "independent": rng.standard_normal((4, 250)),
        "slow": autoregression(0.9, (4, 250)),
        "antithetic": autoregression(-0.6, (4, 250)),
        "heavy tails": rng.standard_cauchy((4, 250)),
        "shifted": rng.standard_normal((4, 250)) + last_one,
        "wider": rng.standard_normal((4, 250)) * (1 + 2 * last_one),
        "random walk": autoregression(0.999, (3, 101)),
        "ties": rng.poisson(3, (3, 101)).astype(float),
        "one chain": autoregression(0.5, (1, 57)),
    }


#: rhat, ess_bulk, ess_tail, ess_mean, mcse_mean of the R package posterior 1.4.0 (Debian 12, R 4.2.2) for
#: cases(), draws written with 17 digits and read by scan().
POSTERIOR = {
    "independent": (1.00149160476, 979.67658477, 948.882041651, 971.688113708, 0.0323145231364),
    "slow": (1.08596937894, 46.6253178297, 146.766863257, 45.6850177168, 0.351824836312),
    "antithetic": (1.003249013, 3000, 966.790999068, 3000, 0.0234691738701),  # its bound, 1000 log10(1000)
    "heavy tails": (1.0003197841, 993.258208252, 1003.40514562, 1011.14427508, 0.678225176573),
    "shifted": (1.10449596572, 27.5246951807, 455.699172059, 27.503993331, 0.214213041087),
    "wider": (1.10972233047, 940.221258696, 67.8734382011, 934.907082638, 0.0554718921536),
    "random walk": (2.16905241014, 4.17690751674, 14.1269073104, 3.90844556947, 3.65012946911),
    "ties": (0.997787132658, 257.852584446, 237.339943234, 266.46556133, 0.105096284064),
    "one chain": (1.14908364666, 5.76110465725, 60.4614913802, 6.59403173777, 0.404094626828),
}


@pytest.mark.parametrize("name", POSTERIOR)
def test_the_numbers_are_those_of_the_package_posterior(name):
    """Observed: 5e-12, the 12 digits that were printed."""
    d = convergence(cases()[name][:, :, None])
    assert (d.rhat[0], d.ess_bulk[0], d.ess_tail[0], d.ess[0], d.mcse[0]) == pytest.approx(
        POSTERIOR[name], rel=2e-11
    )


def test_each_quantity_has_its_own_numbers():
    """Side by side or one by one; observed: no difference at all."""
    x = np.stack([v for k, v in cases().items() if v.shape == (4, 250)], axis=2)
    together = convergence(x)
    for k in range(x.shape[2]):
        alone = convergence(x[:, :, [k]])
        for name in ("rhat", "ess_bulk", "ess_tail", "ess", "mcse"):
            assert getattr(together, name)[k] == pytest.approx(getattr(alone, name)[0], rel=1e-13)


# -- the parts -----------------------------------------------------------------------------------------------


def test_split_rhat_is_that_of_the_definition():
    """Two chains of six draws are four halves of three."""
    halves = np.array([[1, 2, 4], [2, 2, 3], [3, 2, 5], [1, 0, 1.0]])
    within = halves.var(axis=1, ddof=1).mean()
    between = 3 * halves.mean(axis=1).var(ddof=1)
    assert split_rhat(halves[None])[0] == pytest.approx(
        np.sqrt((2 / 3 * within + between / 3) / within), rel=1e-14
    )


def test_normal_scores_are_those_of_average_ranks():
    from scipy.special import ndtri
    from scipy.stats import rankdata

    x = np.array([[[3.0, 1, 1, 7], [2, 2, 2, -5]], [[1.5, 2.5, 3.5, 4.5], [-1, -2, -3, -4]]])
    expected = ndtri((np.stack([rankdata(v).reshape(2, 4) for v in x]) - 3 / 8) / (8 + 1 / 4))
    assert np.abs(normal_scores(x) - expected).max() < 1e-15


# -- theory --------------------------------------------------------------------------------------------------


def test_independent_draws_are_worth_their_number():
    d = convergence(np.random.default_rng(1).normal(size=(4, 2000, 3)))
    for ess in (d.ess, d.ess_bulk, d.ess_tail):
        assert ess == pytest.approx([8000] * 3, rel=0.1)
    assert d.rhat.max() < 1.005 and d.good
    assert d.mcse == pytest.approx([1 / np.sqrt(8000)] * 3, rel=0.1)


@pytest.mark.parametrize("phi", [0.5, 0.9, -0.5])
def test_an_autoregression_is_worth_its_known_share(phi):
    """ESS / N = (1 - phi) / (1 + phi), and an increasing function of the draws has the same bulk ESS."""
    rng = np.random.default_rng(2)
    x = np.zeros((4, 6000, 1))
    noise = rng.normal(size=x.shape)
    for t in range(1, x.shape[1]):
        x[:, t] = phi * x[:, t - 1] + noise[:, t]
    expected = 24_000 * (1 - phi) / (1 + phi)
    d, of_cubes = convergence(x), convergence(np.exp(3 * x))
    assert d.ess[0] == pytest.approx(expected, rel=0.15) and d.ess_bulk[0] == pytest.approx(
        expected, rel=0.15
    )
    assert of_cubes.ess_bulk[0] == d.ess_bulk[0] and of_cubes.ess_tail[0] == d.ess_tail[0]


# -- faults --------------------------------------------------------------------------------------------------


def halves(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x[:, : len(x[0]) // 2], x[:, len(x[0]) // 2 :]])[None]


def test_chains_in_different_places_and_a_chain_that_drifts_are_both_seen():
    rng = np.random.default_rng(3)
    apart = rng.normal(size=(4, 500, 1)) + np.array([0, 0, 0, 1.0])[:, None, None]
    drifting = rng.normal(size=(1, 500, 1)) + np.linspace(0, 2, 500)[None, :, None]  # only the halves show it
    for x in (apart, drifting):
        d = convergence(x)
        assert d.rhat[0] > 1.05 and not d.good and d.ess_bulk[0] < 100


def test_a_wider_chain_about_the_same_mean_is_seen_by_folding_alone():
    """The classical R-hat and the bulk ESS find nothing."""
    x = cases()["wider"]
    d = convergence(x[:, :, None])
    assert split_rhat(halves(x))[0] < 1.01 and d.ess_bulk[0] > 900
    assert d.rhat[0] > 1.1 and d.ess_tail[0] < 100 and not d.good


def test_a_shift_of_chains_without_a_variance_is_seen_by_ranks_alone():
    """One of four chains of Cauchy draws is shifted by 2: the classical R-hat drowns in the tails."""
    rng = np.random.RandomState(5)
    x = rng.standard_cauchy((4, 1000)) + np.array([0, 0, 0, 2.0])[:, None]
    assert split_rhat(halves(x))[0] < 1.01 < 1.05 < convergence(x[:, :, None]).rhat[0]


def test_what_never_moves_cannot_be_told_and_is_not_called_good():
    d = convergence(np.zeros((4, 100, 2)))
    for values in (d.rhat, d.ess_bulk, d.ess_tail, d.ess, d.mcse):
        assert np.isnan(values).all()
    assert not d.good


def test_chains_that_stand_still_in_different_places_have_a_huge_rhat():
    """Infinite but for rounding."""
    d = convergence(np.broadcast_to(np.array([0, 0, 0, 1.0])[:, None, None], (4, 100, 1)))
    assert d.rhat[0] > 1e6 and not d.good


def test_a_draw_that_is_not_finite_is_not_hidden_by_its_rank():
    x = np.random.default_rng(0).normal(size=(4, 200, 3))
    x[2, 50, 1], x[0, 0, 2] = np.nan, np.inf
    d = convergence(x)
    assert (
        np.isfinite(d.rhat).tolist() == [True, False, False] == np.isfinite(d.ess_bulk).tolist()
        and not d.good
    )


def test_too_few_draws_cannot_be_told():
    x = np.random.default_rng(0).normal(size=(4, 12, 2))
    assert np.isfinite(convergence(x).rhat).all() and np.isfinite(convergence(x).ess).all()
    few = convergence(x[:, :11])
    assert np.isnan(few.rhat).all() and np.isnan(few.ess_bulk).all() and not few.good
