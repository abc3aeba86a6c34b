"""What draws say, and the diagnostics of the chains, on draws whose answer is known."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest

from pairproof.errors import InputError, PairproofError
from pairproof.native.irt.note import Note
from pairproof.native.irt.posterior import Posterior
from pairproof.native.numerics.mcmc import MixingWarning


def posterior(means, sd=0.1, chains=4, draws=1000, seed=0, **more):
    rng = np.random.default_rng(seed)
    values = np.array(means) + sd * rng.normal(size=(chains, draws, len(means)))
    return Posterior(
        tuple(f"s{k}" for k in range(len(means))),
        values + rng.normal(size=(chains, draws, 1)),
        "ability",
        "gibbs",
        0,
        seed,
        **more,
    )


# -- summaries -----------------------------------------------------------------------------------------------


def test_summaries_are_of_abilities_minus_their_mean():
    p = posterior([1.0, 0.0, -1.0])  # the draws' level has standard deviation 1, the differences .1
    assert p.mean == pytest.approx([1, 0, -1], abs=0.01) and np.abs(p.centred.mean(axis=2)).max() < 1e-12
    assert p.sd == pytest.approx([0.1 * np.sqrt(2 / 3)] * 3, rel=0.05)
    low_high = p.interval(0.95)
    assert low_high[0] == pytest.approx([1 - 1.96 * 0.0816, 1 + 1.96 * 0.0816], abs=0.02)


def test_rank_probabilities_and_the_probability_of_being_the_best():
    p = posterior([0.0, 0.0, -9.0])
    ranks = p.rank_probabilities
    assert ranks.sum(axis=0) == pytest.approx([1, 1, 1]) and ranks.sum(axis=1) == pytest.approx([1, 1, 1])
    assert (
        ranks[2].tolist() == [0, 0, 1] and abs(p.p_best[0] - 0.5) < 0.04
    )  # 4 standard errors of 4000 draws: .032
    assert p.p_better[0, 2] == 1 and p.p_better[2, 0] == 0 and p.p_better[1, 1] == 0.5
    assert p.p_better[0, 1] + p.p_better[1, 0] == pytest.approx(1)


def test_strata_part_what_is_surely_better_pair_by_pair():
    p = posterior([2.1, 0.23, 0.05, 0.03, -0.36, -0.46, -1.5], sd=0.25)
    assert p.strata() == (("s0",), ("s1", "s2", "s3", "s4", "s5"), ("s6",))
    assert p.ranking[0] == "s0" and p.to_frame()["stratum"].tolist() == [1, 2, 2, 2, 2, 2, 3]


def test_one_overlapping_pair_keeps_a_stratum_together():
    """The 4th and 5th are far apart, but the 2nd and 5th... are not: a cut needs every pair across it."""
    p = posterior([0.5, 0.4, 0.3, 0.2], sd=0.05)
    assert p.p_better[0, 3] > 0.99 and len(p.strata(0.99)) == 1


def test_the_frame_and_the_json_hold_every_system_best_first():
    p = posterior([-1.0, 1.0], notes=(Note("items", "a note"),))
    frame = p.to_frame()
    assert list(frame.columns) == [
        "item",
        "mean",
        "sd",
        "low",
        "high",
        "p_best",
        "stratum",
        "rhat",
        "ess_bulk",
        "ess_tail",
        "mcse",
    ]
    assert frame["item"].tolist() == ["s1", "s0"]
    document = json.loads(json.dumps(p.to_dict()))
    assert (
        document["systems"][0]["item"] == "s1"
        and document["notes"] == ["a note"]
        and document["warnings"] == []
    )
    assert document["rank_probabilities"]["s1"] == [1.0, 0.0] and "s1" in repr(p)


def test_one_draw_has_no_spread_and_the_json_says_null():
    with pytest.warns(MixingWarning, match="too few"):
        p = posterior([0.0, 1.0], chains=1, draws=1)
        p.warn_if_not_mixed()
    document = json.loads(json.dumps(p.to_dict()))
    assert (
        document["systems"][0]["sd"] is None
        and document["systems"][0]["rhat"] is None
        and document["warnings"]
    )


def test_draws_cannot_be_changed_afterwards():
    with pytest.raises(ValueError, match="read-only"):
        posterior([0.0, 1.0]).draws[0, 0, 0] = 5


@pytest.mark.parametrize(
    "call", [lambda p: p.interval(1.0), lambda p: p.strata(0.4), lambda p: p.interval(0)]
)
def test_a_level_that_is_none_is_refused(call):
    with pytest.raises(InputError, match="level"):
        call(posterior([0.0, 1.0]))


def test_draws_of_another_shape_are_refused():
    with pytest.raises(InputError, match="shape"):
        Posterior(("a", "b"), np.zeros((4, 10, 3)), "ability", "gibbs", 0, 0)


# -- diagnostics ---------------------------------------------------------------------------------------------


def mixing_of(values):
    return Posterior(
        ("a", "b"),
        np.stack([np.random.default_rng(7).normal(size=values.shape), values], axis=2),
        "ability",
        "gibbs",
        0,
        0,
        centre=False,
    ).mixing


def test_the_words_say_what_is_wrong_and_where():
    """A chain somewhere else: R-hat and bulk; a wider chain: R-hat and tail; too few draws: both, but not
    R-hat.
    """
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 1000))
    last = np.array([0, 0, 0, 1.0])[:, None]
    assert mixing_of(x) == ""
    shifted, wider, short = (
        mixing_of(x + last),
        mixing_of(x * (1 + 2 * last)),
        mixing_of(rng.normal(size=(4, 60))),
    )
    assert (
        shifted.startswith("largest R-hat 1.09")
        and "(b; at most 1.01" in shifted
        and "smallest bulk ESS" in shifted
    )
    assert wider.startswith("largest R-hat 1.1") and "smallest tail ESS" in wider and "bulk" not in wider
    assert "smallest bulk ESS" in short and "smallest tail ESS" in short and "of 240 draws" in short


def test_the_words_name_a_system_that_never_moves():
    assert mixing_of(np.zeros((4, 500))).startswith("R-hat of b cannot be told")
    assert mixing_of(np.zeros((4, 500)) + np.arange(4)[:, None]).startswith("largest R-hat 6")


# -- ArviZ ---------------------------------------------------------------------------------------------------


def fake_arviz(version, seen):
    def from_dict(*args, **kwargs):
        seen.append((args, kwargs))
        return "inference data"

    return types.SimpleNamespace(__version__=version, from_dict=from_dict)


@pytest.mark.parametrize("version", ["0.17.1", "1.0.0"])
def test_arviz_gets_the_centred_draws_by_name_in_the_form_of_its_version(monkeypatch, version):
    seen = []
    monkeypatch.setitem(sys.modules, "arviz", fake_arviz(version, seen))
    p = posterior([0.0, 1.0])
    assert p.to_arviz() == "inference data"
    ((args, kwargs),) = seen
    variables = kwargs["posterior"] if version < "1" else args[0]["posterior"]
    assert (
        variables["ability"] is p.centred
        and kwargs["coords"] == {"system": ["s0", "s1"]}
        and kwargs["dims"] == {"ability": ["system"]}
    )


def test_arviz_itself_reads_the_draws():
    pytest.importorskip("arviz", reason="arviz is not installed")
    data = posterior([0.0, 1.0]).to_arviz()
    assert dict(data.posterior["ability"].sizes) == {"chain": 4, "draw": 1000, "system": 2}


def test_without_arviz_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(PairproofError, match="pip install arviz"):
        posterior([0.0, 1.0]).to_arviz()
