"""What draws say, and the diagnostics of the chains, on draws whose answer is known."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest

from pairproof.errors import InputError, PairproofError
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian
from pairproof.native.competitions.irt.posterior import Note, Posterior
from pairproof.numerics.markov_chains import MixingWarning
from tests.fit.many.cases import counterexample


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


def test_orders_are_told_apart_as_long_as_they_hold_together():
    """s1 above s2 has .995 by itself and joins the sure orders of s3; s0 above s1 has .84 and does not."""
    p = posterior([0.14, 0.0, -0.36, -2.0], sd=0.1)
    apart = p.told_apart(0.95)
    assert apart.tolist() == [
        [False, False, True, True], [False, False, True, True], [False, False, False, True], [False] * 4
    ]  # fmt: skip
    flat = p.draws.reshape(-1, 4)
    assert np.mean((flat[:, 0] > flat[:, 2]) & (flat[:, 1] > flat[:, 2]) & (flat[:, 2] > flat[:, 3])) >= 0.95
    assert p.groups() == (("s0", "s1"), ("s2",), ("s3",)) and p.letters() == ("a", "a", "b", "c")
    assert p.to_frame()["letters"].tolist() == ["a", "a", "b", "c"]


def test_groups_overlap_and_hide_no_pair():
    """Neighbours are not told apart, the first and the last are: no partition can say that."""
    p = posterior([0.5, 0.38, 0.26], sd=0.1)
    assert p.groups() == (("s0", "s1"), ("s1", "s2")) or p.p_better[0, 2] < 0.95
    q = posterior([0.5, 0.32, 0.14], sd=0.1)
    assert q.groups() == (("s0", "s1"), ("s1", "s2")) and q.letters() == ("a", "ab", "b")
    assert q.p_better[0, 2] > 0.99 > 0.95 > q.p_better[0, 1]


def test_rank_sets_hold_together_and_hold_the_marginal_ones():
    p = posterior([1.0, 0.5, 0.2, 0.0, -0.9], sd=0.25, seed=3)
    both, own = p.rank_sets(), p.rank_sets(simultaneous=False)
    assert (both[:, 0] <= own[:, 0]).all() and (both[:, 1] >= own[:, 1]).all()
    rank = 1 + (p.draws[..., None, :] > p.draws[..., :, None]).sum(axis=-1).reshape(-1, 5)
    inside = (rank >= both[:, 0]) & (rank <= both[:, 1])
    assert inside.all(axis=1).mean() >= 0.95  # all together
    for k in range(5):
        assert ((rank[:, k] >= own[k, 0]) & (rank[:, k] <= own[k, 1])).mean() >= 0.95
    narrower = p.rank_sets(0.5)
    assert (both[:, 0] <= narrower[:, 0]).all() and (both[:, 1] >= narrower[:, 1]).all()


def test_a_rank_that_is_sure_is_the_whole_set():
    p = posterior([5.0, 0.0, -5.0])
    assert p.rank_sets().tolist() == p.rank_sets(simultaneous=False).tolist() == [[1, 1], [2, 2], [3, 3]]


def test_what_strata_hid_is_told_apart():
    """Of 100 wins AB 56, BC 56, AC 62, AD 95, BD 95, CD 93: WMT's rule made one stratum A, B, C."""
    table = counterexample()
    p = fit_irt_gaussian(table, model=GaussianModel(radius=0.0), items="fresh", seed=1)
    a, b, c = (p.items.index(name) for name in "ABC")
    assert p.p_better[a, c] == pytest.approx(0.9988, abs=0.002)  # 4,000 dependent draws; seen: .0003
    assert p.told_apart()[a, c] and not p.told_apart()[a, b] and not p.told_apart()[b, c]
    assert p.groups() == (("A", "B"), ("B", "C"), ("D",))
    low, high = p.rank_sets().T
    assert low.tolist() == [1, 1, 2, 4] and high.tolist() == [2, 3, 3, 4]


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
        "rank_low",
        "rank_high",
        "letters",
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
    assert document["groups"] == [["s1"], ["s0"]] and document["p_better"]["s1"] == [1.0, 0.5]
    assert document["systems"][0]["rank_high"] == 1 and "strata" not in document


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
    "call", [lambda p: p.interval(1.0), lambda p: p.rank_sets(1.2), lambda p: p.told_apart(0)]
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
    assert mixing_of(np.zeros((4, 500))).startswith("R-hat of b cannot be determined")
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
