"""The paper's experiments: what comes out under which annotators, against the specification's own
simulation.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.annotation.simulated.simulated_panel import (
    Context,
    Panel,
    mean_agreement,
    sd_for_agreement,
    truth_of,
)
from pairproof.native.annotation.simulated.simulation import Experiment, histogram, simulate, spread

pytestmark = pytest.mark.xdist_group("campaigns simulated")

ALIKE = Panel.alike(0.0)

#: Spearman's rho after 1, 2, 3, 4, 6 and 10 annotations, by an independent simulation with its own truths.
LEXICAL = {
    "da": [0.614, 0.728, 0.795, 0.830, 0.873, 0.920],
    "random": [0.592, 0.722, 0.790, 0.833, 0.883, 0.922],
    "easl": [0.586, 0.693, 0.771, 0.812, 0.864, 0.920],
    "ra": [0.494, 0.587, 0.659, 0.713, 0.788, 0.863],
}
WITH_CONTEXT = {
    "random": [0.722, 0.832, 0.879, 0.905, 0.936, 0.959],
    "easl": [0.734, 0.815, 0.866, 0.893, 0.930, 0.956],
}
AT = np.array([1, 2, 3, 4, 6, 10]) - 1


def lexical(context=1.0, methods=("da", "random", "easl", "ra"), **options):
    truth = truth_of("lexical", 150, np.random.default_rng(3))
    who = Panel.alike(sd_for_agreement(truth, 0.37, ALIKE), Context("uniform", context))
    return simulate(Experiment(truth, who, methods, **options))


@pytest.fixture(scope="module")
def independent():
    return lexical()


@pytest.fixture(scope="module")
def helped():
    return lexical(0.7, ("da", "random", "easl"))


#: What version 0.1.0 gave, whose annotators were alike: noise for an agreement of .37, and rho at the end.
OF_0_1_0 = {
    "none": [[0.76326058936, 0.746154051291], [0.773739277301, 0.768238588382], [0.710902706787, 0.703531712521], [0.597358888562, 0.629560718964], [0.658729721321, 0.557345659807]],
    "uniform:0.7": [[0.76326058936, 0.746154051291], [0.868957731455, 0.860619583093], [0.88065958487, 0.825926485622], [0.782557299249, 0.746981764255], [0.741620516467, 0.646896306503]],
    "beta": [[0.753805946931, 0.709000400018], [0.760917374106, 0.727536334948], [0.711062713898, 0.730942708565], [0.606817389765, 0.64192333717], [0.608345259789, 0.601184052625]],
}  # fmt: skip


@pytest.mark.parametrize("name", OF_0_1_0)
def test_annotators_who_are_alike_give_the_numbers_of_version_0_1_0(name):
    """Rank correlations to the 12 decimals they were written with; another partner chosen would show.

    But for trueskill, whose largest variances are told apart by the last bit of `exp`, which C libraries round
    in different ways.
    """
    truth = truth_of("lexical", 150, np.random.default_rng(3))
    noise = "beta" if name == "beta" else "normal"
    who = Panel.alike(0.22, Context() if name == "beta" else Context.read(name), noise)
    found = simulate(Experiment(truth, who, ("da", "random", "easl", "ra", "trueskill"), 3, 2, seed=7))
    rho, written = found.spearman[:, :, -1], np.array(OF_0_1_0[name])
    np.testing.assert_allclose(rho[:4], written[:4], atol=1e-11)  # half a unit of the 12 decimals is 5e-13
    # One item chosen in another's place: .023 with glibc of Debian unstable, 0 with that of Debian 12 and 13;
    # up to .070 in six runs with the last bit of the density drawn at random.
    np.testing.assert_allclose(rho[4], written[4], atol=0.1)


def test_the_noise_for_an_agreement_is_that_of_version_0_1_0():
    truth = truth_of("lexical", 150, np.random.default_rng(3))
    assert sd_for_agreement(truth, 0.37, ALIKE) == pytest.approx(0.20237460732460022, abs=1e-12)
    beta = Panel.alike(0.0, noise="beta")
    assert sd_for_agreement(truth, 0.37, beta) == pytest.approx(0.20637765526771545, abs=1e-12)
    assert mean_agreement(truth, Panel.alike(0.2), 4) == pytest.approx(0.3601441765178555, abs=1e-12)


def test_annotators_agree_as_far_as_was_asked():
    truth = truth_of("political", 150, np.random.default_rng(3))
    sd = sd_for_agreement(truth, 0.67, ALIKE)
    assert mean_agreement(truth, Panel.alike(sd)) == pytest.approx(
        0.67, abs=5e-4
    )  # ranks jump; observed 2e-5
    assert 0.2 < sd < 0.28  # the specification's simulation, on the gold labels themselves, has 0.245
    assert spread(truth)[0] == pytest.approx(0.331, abs=0.02)


def test_correlations_are_those_of_the_independent_simulation(independent):
    for method, expected in LEXICAL.items():
        # Other truths of the same shape and 20 replicates each: observed differences up to .017.
        np.testing.assert_allclose(independent.curve(method).mean[AT], expected, atol=0.035)


def test_correlations_where_context_helps_are_those_of_the_independent_simulation(helped):
    for method, expected in WITH_CONTEXT.items():
        np.testing.assert_allclose(helped.curve(method).mean[AT], expected, atol=0.035)  # observed up to .013


def test_easl_is_no_more_efficient_than_direct_assessment_if_noise_does_not_depend_on_the_hit(independent):
    easl, da = independent.curve("easl"), independent.curve("da")
    assert (easl.mean[1:9] < da.mean[1:9]).all()
    # "Two iterations in EASL achieve a close rho to three annotators in DA": they fall short of two.
    assert independent.gain("easl", 2, 3) < 0
    assert independent.needed("easl", 0.85) > independent.needed("da", 0.85)


def test_where_context_helps_two_iterations_reach_three_annotators_and_random_hits_do_as_well(helped):
    assert helped.gain("easl", 2, 3) > 0.5 and helped.gain("random", 2, 3) > helped.gain("easl", 2, 3)
    assert helped.needed("random", 0.85) < helped.needed("easl", 0.85) < helped.needed("da", 0.85)


def test_ranking_aggregation_is_the_least_efficient(independent):
    ra = independent.curve("ra")
    assert all((ra.high < independent.curve(m).low).all() for m in ("da", "random", "easl"))


def test_ranking_aggregation_converges_to_a_narrow_range_on_two_humped_truths():
    truth = truth_of("political", 150, np.random.default_rng(3))
    found = simulate(Experiment(truth, Panel.alike(0.245), ("da", "easl", "ra"), replicates=1))
    sd = {m: spread(found.final[m])[0] for m in found.final}
    # The specification has RA .188, DA .291, EASL .294 against .331.
    assert sd["ra"] < 0.23 < 0.27 < min(sd["da"], sd["easl"]) and max(sd.values()) < spread(truth)[0] + 0.02


def test_match_quality_is_uniform_at_first_and_then_highest_among_neighbours(independent):
    maps = independent.maps
    assert list(maps) == [0, 3, 6, 9]
    np.testing.assert_allclose(maps[0], 0.3273268354, atol=6e-11)
    k = len(maps[9])
    far = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) > k // 2
    near = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) <= 3
    gap = {t: maps[t][near].mean() / maps[t][far].mean() for t in (3, 6, 9)}
    assert 1 < gap[3] < gap[6] < gap[9]


def test_every_method_gets_the_same_number_of_annotations():
    truth = truth_of("uniform", 23, np.random.default_rng(0))
    found = simulate(Experiment(truth, Panel.alike(0.2), ("da", "easl", "trueskill"), budget=2, replicates=2))
    np.testing.assert_allclose(found.annotations, [25 / 23, 50 / 23])
    assert found.spearman.shape == (3, 2, 2) and not np.isnan(found.spearman).any()


def test_the_same_seed_is_the_same_simulation_and_another_is_another():
    one, same, other = (lexical(budget=2, replicates=2, methods=("easl",), seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.spearman, same.spearman)
    assert not np.array_equal(one.spearman, other.spearman)


def test_numbers_needed_lie_on_the_curve(independent):
    mean = independent.curve("da").mean
    assert independent.needed("da", float(mean[3])) == pytest.approx(4)
    assert 4 < independent.needed("da", float((mean[3] + mean[4]) / 2)) < 5
    assert np.isnan(independent.needed("ra", 0.99)) and independent.needed("da", 0.1) == 1.0


def test_beta_distributed_annotators_give_the_same_picture():
    truth = truth_of("lexical", 150, np.random.default_rng(3))
    sd = sd_for_agreement(truth, 0.37, Panel.alike(0.0, noise="beta"))
    found = simulate(Experiment(truth, Panel.alike(sd, noise="beta"), replicates=8))
    assert found.gain("easl", 2, 3) < 0.2 and (found.curve("ra").mean < found.curve("da").mean).all()


def test_intervals_of_the_mean_shrink_with_replicates():
    few, many = (lexical(budget=2, replicates=n, methods=("da",)).curve("da") for n in (4, 40))
    assert (many.high - many.low < few.high - few.low).all()


def test_scores_beyond_the_ends_are_counted_in_the_end_bins():
    assert histogram([-0.2, 0.1, 0.5, 1.3, 1.0]).tolist() == [2, 0, 1, 0, 2]


@pytest.mark.parametrize(("change", "said"), [
    ({"truth": np.array([0.1, 0.1, 0.1])}, "not all the same"), ({"truth": np.array([0.1, 0.2, 1.3])}, "from 0 to 1"), ({"budget": 0}, "budget=0"),
    ({"methods": ("elo",)}, "method='elo'"), ({"methods": ("da", "da")}, "each once"), ({"per_hit": 8}, "expected 2 to 5"),
])  # fmt: skip
def test_experiments_that_cannot_be(change, said):
    options = {"truth": np.linspace(0, 1, 10), "panel": Panel.alike(0.2), **change}
    with pytest.raises(InputError, match=said):
        Experiment(**options)


def test_annotators_that_cannot_be():
    with pytest.raises(InputError, match="sd=-1"):
        Panel.alike(-1)
    with pytest.raises(InputError, match="agreement 1.0; expected a number between"):
        sd_for_agreement(np.linspace(0, 1, 50), 1.0, ALIKE)


# -- annotators who differ -----------------------------------------------------------------------------------


def test_annotators_who_differ_need_less_noise_to_agree_as_far():
    truth = truth_of("political", 150, np.random.default_rng(3))
    panel = Panel(0.0)
    sd = sd_for_agreement(truth, 0.67, panel)
    assert mean_agreement(truth, replace(panel, sd=sd)) == pytest.approx(0.67, abs=5e-4)
    assert sd < 0.8 * sd_for_agreement(truth, 0.67, ALIKE)


def test_an_agreement_that_the_differences_do_not_allow_is_refused_with_the_range():
    truth = truth_of("lexical", 150, np.random.default_rng(3))
    with pytest.raises(InputError, match="agreement 0.9; expected a number between .* these differences"):
        sd_for_agreement(truth, 0.9, Panel(0.0, shift=0.3))


def test_corrected_scores_stand_beside_raw_ones_after_the_iterations_that_were_asked():
    truth = truth_of("uniform", 40, np.random.default_rng(1))
    stated = Experiment(truth, Panel(0.1), ("da", "ra"), 4, 2, corrected=(2, 4))
    assert stated.names == ("da", "da+", "ra")
    found = simulate(stated)
    assert np.isnan(found.of("da+")[:, [0, 2]]).all() and not np.isnan(found.of("da+")[:, [1, 3]]).any()
    assert not np.isnan(found.of("ra")).any() and found.not_fitted == {"da+": 0}
    assert not np.isnan(found.curve("da+").mean[[1, 3]]).any()


def test_correcting_changes_nothing_that_a_method_does():
    truth = truth_of("uniform", 40, np.random.default_rng(1))
    with_it, without = (
        simulate(Experiment(truth, Panel(0.1), ("easl",), 4, 2, corrected=c)) for c in ((4,), ())
    )
    np.testing.assert_array_equal(with_it.of("easl"), without.of("easl"))


def test_without_context_a_shift_harms_da_and_easl_alike():
    """Sessions of five for both: all lose .12 and more, and their losses differ by less than .05 (standard
    error .012).
    """
    truth = truth_of("lexical", 150, np.random.default_rng(3))
    loss = {}
    for shift in (0.0, 0.3):
        who = replace(Panel.alike(0.2), shift=shift)
        found = simulate(Experiment(truth, who, ("da", "random", "easl"), 4, 10))
        loss[shift] = np.array([found.of(m)[:, -1].mean() for m in ("da", "random", "easl")])
    lost = loss[0.0] - loss[0.3]
    assert (lost > 0.12).all() and np.ptp(lost) < 0.05  # observed .19 .18 .18


@pytest.mark.parametrize("corrected", [(1, 2), (2, 11), (3, 2)])
def test_scores_cannot_be_corrected_before_two_judgments_or_after_the_end(corrected):
    with pytest.raises(InputError, match="corrected="):
        Experiment(np.linspace(0, 1, 10), ALIKE, corrected=corrected)
