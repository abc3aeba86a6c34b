"""The Gaussian item-response model against its closed forms, and two samplers for shared items against each
other.

With one comparison of two systems the gap g = mu_1 - mu_2 has prior variance V = 2 s0^2, and g plus noise of
variance tau^2 (fresh items) is truncated; moments of g follow from those of a truncated normal.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.native.competitions.irt import gaussian_gibbs
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel, oriented
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian
from pairproof.native.competitions.irt.posterior import Run, item_codes
from pairproof.numerics.markov_chains import MixingWarning, convergence
from tests.native.translation import check_mean, check_variance, random_table, table, table_2, two

MODEL = GaussianModel()


# -- predictions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gap", "radius", "expected"),
    [
        (1.0, 0.4, (0.164208, 0.647832, 0.187960)),  # abilities .4 and -.6
        (0.0, 0.4, (0.199718, 0.400141, 0.400141)),
        (1.0, 0.5, (0.204524, 0.624085, 0.171391)),
    ],
)
def test_preferences_of_the_specification(gap, radius, expected):
    assert np.abs(GaussianModel(radius=radius).preferences(np.array(gap)) - expected).max() < 5e-7


def test_the_prior_predictive_of_two_unseen_systems():
    p = MODEL.preferences(np.array(0.0), 2 * MODEL.sd_ability**2)
    assert p == pytest.approx([0.1495637317, 0.4252181342, 0.4252181342], abs=5e-11)


def test_preferences_sum_to_one_and_keep_their_tails():
    p = MODEL.preferences(np.linspace(-80, 80, 401))
    assert np.abs(p.sum(axis=-1) - 1).max() < 1e-15 and (p >= 0).all()
    assert (
        0 < MODEL.preferences(np.array(40.0))[0] < 1e-100
    )  # a difference of two probabilities near 1 would be 0


# -- closed forms --------------------------------------------------------------------------------------------

CASES = [
    ("one win", [1], False, 0.8689629030, 1.3993857671),
    ("one tie", [0], False, 0.0, 1.1215962317),
    ("two wins, fresh items", [1, 1], False, 1.3298074104, 1.1474352258),
]


@pytest.mark.parametrize("sampler", ["gibbs", "collapsed"])
@pytest.mark.parametrize(("what", "outcomes", "_", "mean", "variance"), CASES, ids=[c[0] for c in CASES])
def test_the_gap_of_two_systems_has_its_closed_form_moments(sampler, what, outcomes, _, mean, variance):
    p = fit_irt_gaussian(two(outcomes), items="fresh", sampler=sampler, draws=2000, seed=5)
    gap = p.draws[:, :, 0] - p.draws[:, :, 1]
    check_mean(gap, mean, 0.025)
    check_variance(gap, variance, 0.05)


@pytest.mark.parametrize(
    ("same_items", "mean", "variance"),
    [(True, 1.2495703845, 1.2042583945), (False, 1.3298074104, 1.1474352258)],
)
def test_two_wins_on_the_same_items_teach_less_than_on_two(same_items, mean, variance):
    p = fit_irt_gaussian(two([1, 1], same_items), draws=3000, seed=6)
    gap = p.draws[:, :, 0] - p.draws[:, :, 1]
    check_mean(gap, mean, 0.02)
    check_variance(gap, variance, 0.04)


def test_an_item_used_once_is_a_fresh_item():
    """One win on a segment: the model with shared items has the closed form of fresh ones."""
    p = fit_irt_gaussian(two([1], same_items=True), draws=1500, seed=2)
    check_mean(p.draws[:, :, 0] - p.draws[:, :, 1], 0.8689629030, 0.03)


@pytest.mark.parametrize(
    ("items", "expected"),
    [("shared", [1.149, -0.554, 0.275, -1.139, 0.271]), ("fresh", [1.210, -0.608, 0.293, -1.231, 0.294])],
)
def test_posterior_means_of_table_2(items, expected):
    """Vectors with three decimals from 150,000 Gibbs draws, themselves good to about .01."""
    p = fit_irt_gaussian(table_2(sources=True), items=items, draws=2500, seed=8)
    error = np.abs(p.mean - (np.array(expected) - np.mean(expected)))
    assert (error <= 0.01 + 4 * p.diagnostics.mcse).all() and p.diagnostics.mcse.max() < 0.012


# -- the level -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "sampler"), [("shared", "gibbs"), ("fresh", "gibbs"), ("fresh", "collapsed")]
)
def test_the_mean_ability_is_exactly_its_prior_whatever_the_data(items, sampler):
    """N(0, s0^2 / S), here with s0 = 1.5 and data that are far from balanced."""
    p = fit_irt_gaussian(
        random_table(2), model=GaussianModel(sd_ability=1.5), items=items, sampler=sampler, draws=1500, seed=3
    )
    level = p.draws.mean(axis=2)
    check_mean(level, 0.0, 0.02)
    check_variance(level, 1.5**2 / 5, 0.02)
    lag = np.corrcoef(level[:, 1:].ravel(), level[:, :-1].ravel())[0, 1]
    assert abs(lag) < 0.06  # a fresh draw each time: 4 / sqrt(6000)


def test_the_level_drawn_by_itself_changes_nothing_else():
    """What is seen of both options drawn: without the move the level stands still, the differences are the
    same.
    """
    data = random_table(4, n=200)
    o = oriented(data, MODEL)
    author, _, item = item_codes(data, o.up, o.down, o.row)
    runs = [
        Run(4, 100, 1000, seed=4, workers=1).sample(
            lambda rng: gaussian_gibbs.OptionChain(o, author, item, MODEL, rng, shift)
        )
        for shift in (True, False)
    ]
    level = [convergence(d.mean(axis=2)[:, :, None]).ess[0] for d in runs]
    assert level[1] < 100 < 2500 < level[0]
    a, b = (d - d.mean(axis=2, keepdims=True) for d in runs)
    spread = np.hypot(convergence(a).mcse, convergence(b).mcse)
    assert (np.abs(a.mean(axis=(0, 1)) - b.mean(axis=(0, 1))) < 4 * spread).all() and spread.max() < 0.02


# -- two samplers --------------------------------------------------------------------------------------------


def test_segments_drawn_as_blocks_and_options_drawn_one_by_one_have_the_same_posterior():
    data = random_table(7, n=400, n_systems=4, n_segments=25)
    o = oriented(data, MODEL)
    author, segment, item = item_codes(data, o.up, o.down, o.row)
    blocks = gaussian_gibbs.segment_blocks(o, author, segment, item, MODEL)
    chains = [
        lambda rng: gaussian_gibbs.SegmentChain(o, author, item, blocks, MODEL, rng),
        lambda rng: gaussian_gibbs.OptionChain(o, author, item, MODEL, rng),
    ]
    draws = [Run(4, 100, 1000, seed=k, workers=1).sample(c) for k, c in enumerate(chains)]
    a, b = (d - d.mean(axis=2, keepdims=True) for d in draws)
    da, db = convergence(a), convergence(b)
    assert (
        np.abs(a.mean(axis=(0, 1)) - b.mean(axis=(0, 1))) < 4 * np.hypot(da.mcse, db.mcse)
    ).all() and db.mcse.max() < 0.012
    assert a.std(axis=(0, 1)) == pytest.approx(b.std(axis=(0, 1)), rel=0.06)
    assert da.ess.min() > 1.3 * db.ess.min()  # observed 2 to 2.5 times; it is why the blocks are used


def test_blocks_give_way_to_options_where_segments_would_outgrow_the_comparisons(monkeypatch):
    data = random_table(1, n=200)
    o = oriented(data, MODEL)
    args = (o, *item_codes(data, o.up, o.down, o.row), MODEL)
    assert isinstance(
        gaussian_gibbs.shared_chain(*args)(np.random.default_rng(0)), gaussian_gibbs.SegmentChain
    )
    monkeypatch.setattr(gaussian_gibbs, "MOST_PER_COMPARISON", -1e9)
    assert isinstance(
        gaussian_gibbs.shared_chain(*args)(np.random.default_rng(0)), gaussian_gibbs.OptionChain
    )


# -- repeatable, parallel, fast ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "sampler"), [("shared", "gibbs"), ("fresh", "gibbs"), ("fresh", "collapsed")]
)
def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(items, sampler):
    data = random_table(1, n=100)
    runs = [
        fit_irt_gaussian(
            data, items=items, sampler=sampler, draws=20, warmup=5, seed=s, workers=w, warn=False
        ).draws
        for s, w in ((1, 1), (1, 3), (2, 1))
    ]
    assert (runs[0] == runs[1]).all() and (runs[0] != runs[2]).any()


@pytest.mark.parametrize("items", ["shared", "fresh"])
def test_sides_and_the_order_of_rows_do_not_matter_to_the_posterior(items):
    data = random_table(9, n=120)
    turned = Comparisons.build(
        data.items,
        data.second[::-1],
        data.first[::-1],
        data.losses[::-1],
        data.ties[::-1],
        data.wins[::-1],
        columns={"source": Factor(data.columns["source"].codes[::-1], data.columns["source"].levels)},
    )
    a, b = (fit_irt_gaussian(t, items=items, draws=1000, seed=1) for t in (data, turned))
    assert (np.abs(a.mean - b.mean) < 4 * np.hypot(a.diagnostics.mcse, b.diagnostics.mcse)).all()
    assert a.diagnostics.mcse.max() < 0.015


def test_cost_is_linear_in_comparisons():
    """Twenty times the comparisons, in twenty times the segments, well under forty times the processor
    time.
    """

    def cpu(n):
        data = random_table(1, n=n, n_systems=10, n_segments=n // 25)
        best = np.inf
        for _ in range(3):
            start = time.process_time()
            fit_irt_gaussian(data, chains=1, warmup=0, draws=20, warn=False)
            best = min(best, time.process_time() - start)
        return best

    small, large = cpu(2_000), cpu(40_000)
    assert large < 40 * small


# -- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (table_2(), {"items": "shared"}, "no column 'source'"),
        (table_2(sources=True), {"sampler": "collapsed"}, "shared items do not allow"),
        (table_2(), {"model": GaussianModel(radius=0)}, "1 ties, but radius=0"),
        (table_2(), {"sampler": "collapsed", "model": GaussianModel(radius=0)}, "1 ties, but radius=0"),
        (table_2(), {"draws": 0}, "draws=0"),
        (table_2(), {"items": "old"}, "items='old'"),
        (table_2(), {"sampler": "hmc"}, "sampler='hmc'"),
    ],
)
def test_what_cannot_be_sampled_is_refused_with_the_reason(given, options, said):
    with pytest.raises(InputError, match=said):
        fit_irt_gaussian(given, **options)


def test_a_row_without_a_source_is_refused_for_shared_items():
    one = table_2()
    gap = Comparisons.build(
        one.items,
        one.first,
        one.second,
        one.wins,
        one.ties,
        one.losses,
        columns={"source": Factor(np.array([0] * 4 + [-1] + [0] * 5), ("x",))},
    )
    with pytest.raises(InputError, match="row 5: no source"):
        fit_irt_gaussian(gap)


@pytest.mark.parametrize(
    "constants", [{"sd_ability": 0}, {"sd_quality": -1}, {"sd_noise": float("nan")}, {"radius": -0.1}]
)
def test_a_constant_out_of_its_range_is_refused(constants):
    with pytest.raises(InputError, match=next(iter(constants))):
        GaussianModel(**constants)


def test_no_ties_in_a_small_sample_and_radius_zero_are_no_trouble():
    assert np.isfinite(fit_irt_gaussian(two([1, 1, 2]), items="fresh", draws=200, warn=False).mean).all()
    assert np.isfinite(
        fit_irt_gaussian(two([1, 1, 2]), model=GaussianModel(radius=0), draws=200, warn=False).mean
    ).all()


def test_a_system_never_compared_keeps_its_prior_and_is_named():
    data = table([("A", "B", 1)] * 5, "ABC", range(5))
    p = fit_irt_gaussian(data, draws=1500, seed=1)
    assert any(note.kind == "never-compared" and "C" in note.text for note in p.notes)
    alone = p.draws[:, :, 2] - p.draws[:, :, :2].mean(axis=2)
    check_variance(alone, 1 + 0.5, 0.08)  # s0^2 + s0^2 / 2: nothing is known of C, and of the others' level


def test_what_an_item_is_follows_the_source_column_and_is_said():
    assert (
        "each (system, source segment)"
        in fit_irt_gaussian(table_2(sources=True), draws=50, warn=False).notes[0].text
    )
    assert "no source column" in fit_irt_gaussian(table_2(), draws=50, warn=False).notes[0].text


def test_chains_too_short_to_be_relied_on_warn():
    with pytest.warns(MixingWarning, match="take more draws"):
        p = fit_irt_gaussian(random_table(1, n=100), draws=30, warmup=0)
    assert "NOT MIXED" in repr(p)
    with pytest.warns(MixingWarning, match="too few to determine"):
        fit_irt_gaussian(random_table(1, n=100), draws=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit_irt_gaussian(random_table(1, n=100), draws=1000)


def test_extreme_records_do_not_break_the_truncated_normals():
    """A system that wins 300 of 300 from chains that start anywhere, with noise so small that bounds are 50
    away.
    """
    data = table([("A", "B", 1)] * 300, "AB", range(300))
    p = fit_irt_gaussian(
        data,
        model=GaussianModel(sd_ability=10, sd_quality=0.05, sd_noise=0.05, radius=5),
        draws=200,
        warn=False,
    )
    assert np.isfinite(p.draws).all() and p.mean[0] > 2
