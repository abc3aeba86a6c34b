"""Translation competitions held against R: JAGS, MCMCpack, optim, t.test, binom.test and plain arithmetic.

Replayed from the records that ship with the package; ``PAIRPROOF_RECORD=all`` asks R live and writes them
anew.  Posterior means are judged against the Monte Carlo standard errors of both programs
(pairproof.validation.papers.compared_with_r).
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.bridge.packages import jags
from pairproof.data.judgments import judgments, preference_counts
from pairproof.errors import InputError, RecordMissing
from pairproof.native.competitions.experiment.preference_models import (
    adjusted_uniform,
    independent_pairs,
    independent_students,
)
from pairproof.native.competitions.irt.categorical_irt import fit_irt_categorical
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian, map_irt_gaussian
from pairproof.native.competitions.irt.posterior import item_codes
from pairproof.native.competitions.ranking.two_systems import binary_result
from pairproof.numerics.markov_chains import convergence
from pairproof.validation.papers import asked_of_base_r as competitions
from pairproof.validation.papers.compared_with_r import agree_sampled
from tests.bridge.conftest import digits
from tests.native.translation import random_table, table_2, two

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
LONG = jags.Chains(chains=3, warmup=500, draws=2000, thin=10)
#: JAGS walks over every item of every comparison: 160 comparisons cost what 16 times the iterations on 10 do.
BRIEF = jags.Chains(chains=3, warmup=300, draws=1500, thin=3)
SHORT = jags.Chains(chains=2, warmup=300, draws=500, thin=4, seed=7)
#: Shared items: the paper's example on one segment, and 160 comparisons of 5 systems on 25 segments. Fresh:
#: the example.
TABLES = {
    "table 2": (table_2(True), "shared"),
    "table 2, fresh": (table_2(), "fresh"),
    "simulated": (random_table(7, n=160, n_segments=25), "shared"),
}
CHAINS = {"table 2": LONG, "table 2, fresh": LONG, "simulated": BRIEF}


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


def came_from_the_source_asked(result):
    assert result.source == ("live" if RECORD else "recorded")


def for_r(table, items):
    single = judgments(table)
    n = len(single)
    if items == "fresh":
        return jags.Compared(
            len(table.items),
            np.r_[single.first, single.second],
            np.arange(n),
            n + np.arange(n),
            single.outcome,
        )
    author, _, item = item_codes(table, single.first, single.second, single.row)
    return jags.Compared(len(table.items), author, item[:n], item[n:], single.outcome)


def held_against_jags(table, items, chains, backend, draws):
    of_r, level = jags.irt_gaussian(for_r(table, items), chains=chains, backend=backend)
    own = fit_irt_gaussian(table, items=items, chains=4, draws=draws, seed=1, warn=False)
    return of_r, level, own, agree_sampled(table.items, own.mean, own.diagnostics.mcse, of_r.mean, of_r.mcse)


@pytest.mark.parametrize("name", TABLES)
def test_gaussian_abilities_are_those_of_jags_within_monte_carlo_error(policy, name):
    of_r, level, own, found = held_against_jags(*TABLES[name], CHAINS[name], policy, 4000)
    came_from_the_source_asked(of_r.result)
    # Observed largest |z| about 1 of the 3.7 allowed; differences of 0.2 posterior sd and more would be seen.
    assert found.agrees, found
    assert np.all(found.visible < 0.2 * own.sd), found
    # sd / sd_R - 1 has standard error of about sqrt(1 / (2 ess)); four of them.
    assert np.all(np.abs(of_r.sd / own.sd - 1) < 4 * np.sqrt(0.5 / of_r.ess + 0.5 / own.diagnostics.ess))
    # JAGS too finds the mean of the abilities where it is for any data: N(0, s0^2/S).
    assert abs(level.mean[0]) < 4 * level.mcse[0] and abs(
        level.sd[0] * np.sqrt(len(own.items)) - 1
    ) < 4 * np.sqrt(0.5 / level.ess[0])


@pytest.mark.nightly
@pytest.mark.parametrize("name", TABLES)
def test_categorical_preferences_are_those_of_jags_within_monte_carlo_error(policy, name):
    table, items = TABLES[name]
    pairs = [(0, 1), (0, 2), (1, 3), (3, 4)]
    of_r = jags.irt_categorical(for_r(table, items), pairs, chains=CHAINS[name], backend=policy)
    came_from_the_source_asked(of_r[0].result)
    own = fit_irt_categorical(table, items=items, chains=4, draws=4000, seed=1, warn=False)
    theta, kernel = own.theta, own.model.likelihood
    draws = np.stack(
        [
            np.einsum("cdl,lm,cdm->cd", theta[:, :, a], kernel[p], theta[:, :, b])
            for p in range(3)
            for a, b in pairs
        ],
        axis=-1,
    )
    # The same draws averaged in another order. Observed 9e-15.
    np.testing.assert_allclose(
        draws.mean(axis=(0, 1)).reshape(3, -1),
        [[own.preferences()[a, b, p] for a, b in pairs] for p in range(3)],
        rtol=1e-12,
    )
    names = [f"P({p} | {a}, {b})" for p in range(3) for a, b in pairs]
    found = agree_sampled(
        names,
        draws.mean(axis=(0, 1)),
        convergence(draws).mcse,
        np.concatenate([x.mean for x in of_r]),
        np.concatenate([x.mcse for x in of_r]),
    )
    assert found.agrees, found
    assert found.visible.max() < 0.02, found


def test_without_ties_and_with_fresh_items_abilities_are_those_of_mcmcpack(policy):
    table = random_table(8, n=80, n_systems=4, ties=False)
    single = judgments(table)
    name = np.array(table.items)
    first, second = name[single.first], name[single.second]
    of_r = jags.pair_compare(
        first.tolist(),
        second.tolist(),
        np.where(single.outcome == 1, first, second).tolist(),
        table.items,
        chains=jags.Chains(3, 500, 3000, 2),
        backend=policy,
    )
    came_from_the_source_asked(of_r.result)
    model = GaussianModel(sd_ability=1.0, sd_quality=0.5, sd_noise=0.5, radius=0.0)  # tau = 1
    own = fit_irt_gaussian(table, model=model, items="fresh", chains=4, draws=4000, seed=1)
    found = agree_sampled(table.items, own.mean, own.diagnostics.mcse, of_r.mean, of_r.mcse)
    assert found.agrees and np.all(found.visible < 0.2 * own.sd), found
    assert np.all(np.abs(of_r.sd / own.sd - 1) < 4 * np.sqrt(0.5 / of_r.ess + 0.5 / own.diagnostics.ess))


@pytest.mark.r("rjags", "coda")
def test_live_jags_agrees_too():
    of_r, _, _, found = held_against_jags(*TABLES["table 2"], SHORT, Backend("live"), 4000)
    assert of_r.result.source == "live" and found.agrees, found


@pytest.mark.r("rjags", "coda")
def test_the_same_seed_gives_jags_the_same_draws_and_another_one_others():
    data = for_r(*TABLES["table 2"])
    short = jags.Chains(2, 50, 50, 1, seed=3)
    one, again, other = (
        jags.irt_gaussian(data, chains=c, backend=Backend("live"))[0].mean
        for c in (short, short, jags.Chains(2, 50, 50, 1, seed=4))
    )
    np.testing.assert_array_equal(one, again)
    assert np.all(one != other)


def test_a_wrong_model_is_seen(policy):
    """The check can fail: noise of half the size is told from JAGS's answer."""
    table, items = TABLES["simulated"]
    of_r, _ = jags.irt_gaussian(for_r(table, items), chains=BRIEF, backend=policy)
    wrong = fit_irt_gaussian(
        table, model=GaussianModel(sd_noise=0.5), items=items, chains=4, draws=4000, seed=1, warn=False
    )
    found = agree_sampled(table.items, wrong.mean, wrong.diagnostics.mcse, of_r.mean, of_r.mcse)
    assert not found.agrees and "DIFFER" in str(found)


@pytest.mark.parametrize("name", ["table 2, fresh", "simulated"])
def test_the_mode_and_its_laplace_intervals_are_what_optim_finds(policy, name):
    table = TABLES[name][0]
    of_r = competitions.irt_gaussian_mode(preference_counts(table), backend=policy)
    came_from_the_source_asked(of_r.result)
    own = map_irt_gaussian(table)
    assert of_r["converged"]
    # optim differentiates by differences, so its gradient is 0 to about 1e-7 only. Observed 2e-8.
    np.testing.assert_allclose(own.mode, of_r["mode"], atol=2e-7)
    # A standard deviation moves with the square root of the information, so by less. Observed 4e-9.
    np.testing.assert_allclose(own.sd, of_r["sd"], rtol=1e-7)
    assert digits(own.objective, of_r["objective"]) > 11 and own.objective <= of_r["objective"] * (1 + 1e-13)


def test_baselines_are_rs_arithmetic(policy):
    counts = preference_counts(table_2())
    first, second = np.array([(i, j) for i in range(5) for j in range(5) if i != j]).T
    of_r = competitions.baselines(counts, first, second, backend=policy)
    came_from_the_source_asked(of_r.result)
    own = {
        "adjusted-uniform": adjusted_uniform(counts),
        "pairs": independent_pairs(counts, 1.0),
        **{
            f"students-{kind}": independent_students(counts, kind, 1.0)
            for kind in ("asymmetric", "arithmetic", "geometric")
        },
        "students-geometric, raw": independent_students(counts, "geometric", 1.0, raw=True),
    }
    assert own.keys() == of_r.numbers.keys()
    for name, p in own.items():
        # Sums of counts, quotients and one square root, in R's order or ours. Observed 0 to 3e-16.
        np.testing.assert_allclose(p[first, second], of_r[name], rtol=1e-14, err_msg=name)


def test_binary_comparisons_are_what_t_test_and_binom_test_give(policy):
    cases = [(205, 123, 372), (40, 31, 29), (5, 1, 1), (1, 0, 1)]
    of_r = competitions.binaries(*zip(*cases), backend=policy)
    came_from_the_source_asked(of_r.result)
    for k, counts in enumerate(cases):
        own = binary_result(*counts)
        for name in ("R", "se_mean", "se_vilar", "p_sign"):
            # binom.test sums tail probabilities in another order. Observed at least 14.3 digits.
            assert digits(getattr(own, name), of_r[name][k], 1e-300) > 13, (counts, name)
        # One square root and one quotient apart. Observed 2e-16.
        assert own.se_vilar / of_r["se_mean"][k] == pytest.approx(np.sqrt(own.m / (own.m - 1)), rel=1e-13)


def test_what_was_never_recorded_is_missing_and_says_how_to_record_it():
    with pytest.raises(RecordMissing, match="rjags and coda are installed"):
        jags.irt_gaussian(for_r(two([1]), "fresh"), chains=SHORT, backend=Backend("recorded"))


def test_an_agreement_without_monte_carlo_error_or_of_other_lengths_is_refused():
    with pytest.raises(InputError, match="one of them must be > 0"):
        agree_sampled(["a"], [0.1], [0.0], [0.1], [0.0])
    with pytest.raises(InputError, match="2 names, 1 and 2 means"):
        agree_sampled(["a", "b"], [0.1], [0.1, 0.1], [0.1, 0.2], [0.1, 0.1])


def test_agreement_of_equals_fails_no_more_often_than_it_says():
    rng = np.random.default_rng(5)
    failed = sum(
        not agree_sampled(
            "abcde", rng.normal(size=5), np.ones(5), np.zeros(5), np.zeros(5), false_alarm=0.05
        ).agrees
        for _ in range(2000)
    )
    # Binomial(2000, 0.049): 99.9 % lie below 132.
    assert 60 < failed < 132
