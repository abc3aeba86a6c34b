"""The learning-curve experiment: repeatable bit for bit, resumable, tracks apart; summaries on numbers made
by hand.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import t

from pairproof import read
from pairproof.data.judgments import split_tracks
from pairproof.errors import InputError
from pairproof.native.competitions.experiment import held_out as splits
from pairproof.native.competitions.experiment.curve_summaries import (
    Result,
    best_by_size,
    difference,
    judgments_enough,
    means,
    sizes_trained,
)
from pairproof.native.competitions.experiment.held_out import split_by_source
from pairproof.native.competitions.experiment.learning_curves import Design, run
from pairproof.native.competitions.experiment.preference_models import PreferenceOptions, fit_preference_model
from tests.native.translation import random_table

pytestmark = pytest.mark.xdist_group("a learning curve")

QUICK = PreferenceOptions(chains=1, warmup=10, draws=30)
DESIGN = Design(
    sizes=(20, 60), trials=2, models=("uniform", "pairs", "irt-gaussian", "davidson"), seed=5, options=QUICK
)


@pytest.fixture(scope="module")
def tracks():
    return {name: split_by_source(random_table(seed, n=300), 100) for name, seed in (("x", 1), ("y", 2))}


def test_the_same_seed_gives_the_same_numbers_and_another_one_others(tracks):
    one, again, other = (run(tracks, Design(**{**DESIGN.__dict__, "seed": s})) for s in (5, 5, 6))
    assert one == again and one != other
    assert len(one) == 2 * 2 * 2 * 4 and len({r.key for r in one}) == len(one)


def test_a_track_has_the_same_numbers_alone_and_so_has_a_model_and_a_size(tracks):
    whole = {r.key: r for r in run(tracks, DESIGN)}
    for part in (run({"y": tracks["y"]}, DESIGN), run(tracks, Design((60,), 1, ("irt-gaussian",), 5, QUICK))):
        assert part and all(whole[r.key] == r for r in part)


def test_every_model_of_a_trial_sees_the_same_comparisons_and_a_larger_size_holds_the_smaller_ones(
    tracks, monkeypatch
):
    from pairproof.native.competitions.experiment import learning_curves as run_module

    seen = {}

    def record(sample, model, **options):
        seen.setdefault(sample.n_rows, {})[model] = sample
        return fit_preference_model(sample, "uniform")

    monkeypatch.setattr(run_module, "fit_preference_model", record)
    found = run({"x": tracks["x"]}, Design((20, 60), 1, DESIGN.models, 5, QUICK))
    small, large = (list(s.values()) for s in seen.values())
    assert len(small) == len(large) == 4 and {r.n_train for r in found} == {20, 60}
    for samples in (small, large):
        assert {run_module.table_digest(s) for s in samples} == {run_module.table_digest(samples[0])}

    def rows(s):
        return Counter(
            zip(
                s.first.tolist(),
                s.second.tolist(),
                s.wins.tolist(),
                s.losses.tolist(),
                s.columns["source"].codes.tolist(),
            )
        )

    assert not rows(small[0]) - rows(large[0])


def test_the_perplexity_is_that_of_the_model_fitted_by_hand(tracks):
    split = tracks["x"]
    (found,) = run({"x": split}, Design((10_000,), 1, ("students-geometric",), 0, QUICK))
    by_hand = fit_preference_model(split.train, "students-geometric").perplexity(split.test)
    assert (
        found.perplexity == by_hand.value and found.n_train == split.train.n_rows
    )  # a size beyond the set is the whole set


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"sizes": ()}, "training sizes"),
        ({"sizes": (0,)}, "training sizes"),
        ({"sizes": (5, 5)}, "training sizes"),
        ({"trials": 0}, "trials=0"),
        ({"models": ()}, "models"),
        ({"models": ("elo",)}, "model='elo'"),
    ],
)
def test_a_design_that_cannot_be_run_is_refused(design, said):
    with pytest.raises(InputError, match=said):
        Design(**design)
    with pytest.raises(InputError, match="no track"):
        run({}, DESIGN)


# -- summaries -----------------------------------------------------------------------------------------------


def results(values):
    """{(track, model, size): perplexities over trials}"""
    return [Result(t, m, k, i, p, k, 100) for (t, m, k), ps in values.items() for i, p in enumerate(ps, 1)]


def test_a_mean_is_that_of_the_tracks_means_with_their_spread_over_trials():
    (found,) = means(results({("x", "m", 10): [2.0, 2.2], ("y", "m", 10): [3.0, 3.4]}))
    assert found.mean == pytest.approx((2.1 + 3.2) / 2) and found.n == 4 and found.n_infinite == 0
    se = np.sqrt(0.02 / 2 + 0.08 / 2) / 2
    df = (0.01 + 0.04) ** 2 / (0.01**2 / 1 + 0.04**2 / 1)  # Satterthwaite
    assert found.se == pytest.approx(se) and found.high - found.mean == pytest.approx(
        t.ppf(0.975, df) * se, rel=1e-6
    )


def test_one_trial_has_no_interval_and_an_infinite_perplexity_makes_an_infinite_mean():
    one, lost = means(results({("x", "m", 10): [2.0], ("x", "m", 20): [2.0, float("inf")]}))[:2]
    assert np.isnan(one.se) and np.isnan(one.low) and lost.mean == float("inf") and lost.n_infinite == 1


def test_the_best_model_is_told_from_others_trial_by_trial():
    """b is above a in every trial by the same .1 though their spreads overlap; c is not told from a."""
    a = np.array([2.0, 2.5, 2.2, 2.4])
    (best,) = best_by_size(
        results(
            {
                ("x", "a", 10): a,
                ("x", "b", 10): a + 0.1 + [0, 0.001, 0, 0.001],
                ("x", "c", 10): a + [0.05, -0.04, 0.03, -0.02],
                ("x", "d", 10): [float("inf")] * 4,
            }
        )
    )
    assert best.model == "a" and best.level_with == ("c",)


def test_a_difference_is_taken_trial_by_trial_and_wants_the_same_trials():
    a, b = results({("x", "a", 10): [2.0, 3.0], ("y", "a", 10): [2.5, 2.5]}), results(
        {("x", "b", 10): [1.9, 2.8], ("y", "b", 10): [2.5, 2.3]}
    )
    found = difference(a, b)
    # Track x: 0.1 and 0.2; track y: 0 and 0.2. Variances 0.005 and 0.02 over 2 trials and 2 tracks.
    assert found.mean == pytest.approx(0.125) and found.se == pytest.approx(np.sqrt(0.005 / 2 + 0.02 / 2) / 2)
    df = (0.0025 + 0.01) ** 2 / (0.0025**2 + 0.01**2)
    assert found.low == pytest.approx(0.125 - t.ppf(0.975, df) * found.se) and np.isnan(found.se_test)
    assert (found.positive_in, found.n_tracks) == (2, 2)
    with pytest.raises(
        InputError,
        match="2 and 4 results that are not of the same tracks and trials; one side alone has .*'y', 1",
    ):
        difference(a[:2], b)
    with pytest.raises(
        InputError, match="4 results for 2 trials of tracks; expected those of one model at one size"
    ):
        difference(a[:2] + a[:2], b[:2])


def grouped(track, model, trial, p, groups=(50, 50, 50, 50), size=10):
    """A result whose comparisons of test group g each got the probability p[g]."""
    bits = [n * -np.log2(q) for n, q in zip(groups, p)]
    return Result(
        track,
        model,
        size,
        trial,
        float(2 ** (sum(bits) / sum(groups))),
        size,
        sum(groups),
        bits=tuple(bits),
        sizes=groups,
    )


def test_the_test_sets_share_of_a_difference_is_the_jackknife_over_its_sources():
    a = [grouped("x", "a", k, (0.30, 0.40, 0.35, 0.45)) for k in (1, 2)]
    b = [grouped("x", "b", k, (0.32, 0.38, 0.36, 0.41)) for k in (1, 2)]
    found = difference(a, b)

    def without(g, p):
        return 2 ** -np.mean([np.log2(q) for k, q in enumerate(p) if k != g])

    gaps = np.array(
        [without(g, (0.30, 0.40, 0.35, 0.45)) - without(g, (0.32, 0.38, 0.36, 0.41)) for g in range(4)]
    )
    assert found.se_train == 0 and found.se_test == pytest.approx(
        np.sqrt(3 / 4 * np.sum((gaps - gaps.mean()) ** 2)), rel=1e-12
    )
    assert found.se == pytest.approx(found.se_test) and found.high - found.mean == pytest.approx(
        t.ppf(0.975, 3) * found.se
    )
    same = difference(a, [grouped("x", "c", k, (0.30, 0.40, 0.35, 0.45)) for k in (1, 2)])
    assert (same.mean, same.se, same.low, same.high) == (0, 0, 0, 0)


def test_a_lead_that_two_sources_make_is_not_told_apart_and_one_that_all_make_is():
    by_all = [grouped("x", "a", k, (0.45,) * 20, (10,) * 20) for k in (1, 2)]
    by_two = [grouped("x", "b", k, (0.9,) + (0.42,) * 19, (10,) * 20) for k in (1, 2)]
    rest = [grouped("x", "c", k, (0.42,) * 20, (10,) * 20) for k in (1, 2)]
    assert best_by_size([*by_all, *rest])[0].level_with == ()
    (best,) = best_by_size([*by_two, *rest])
    assert best.model == "b" and best.level_with == ("c",) and (best.lowest_in, best.n_tracks) == (1, 1)


def test_the_groups_of_a_test_set_part_its_sources_evenly_and_not_by_their_order():
    table = random_table(1, n=600, n_segments=50)
    group = splits.test_groups(table)
    source = table.columns["source"].codes
    assert all(len(set(group[source == code])) == 1 for code in np.unique(source))
    per_group = [len(set(source[group == g])) for g in range(20)]
    assert set(per_group) == {2, 3} and np.array_equal(
        splits.test_groups(table.select(np.arange(599, -1, -1))), group[::-1]
    )


def test_models_that_hardly_differ_are_not_told_apart_and_a_useless_one_is():
    alone = useless = 0
    for seed in range(20):
        split = split_by_source(random_table(seed, n=800, n_segments=150), 200)
        (best,) = best_by_size(
            run({"x": split}, Design((200,), 3, ("adjusted-uniform", "davidson", "rao-kupper"), seed, QUICK))
        )
        alone += not {"davidson", "rao-kupper"} & set(best.level_with)
        useless += "adjusted-uniform" not in (best.model, *best.level_with)
    # Observed 0 and 20; by the training sets' part of the variance alone Davidson and Rao-Kupper were told
    # apart in 6 of these tables.
    assert alone <= 1 and useless >= 18


def test_a_size_beyond_the_training_set_is_no_size_of_its_own():
    rows = [
        Result("x", "a", k, i, p + 0.001 * i, min(k, 480), 100)
        for k, p in ((50, 2.5), (400, 2.26), (2000, 2.25))
        for i in (1, 2)
    ]
    assert sizes_trained(rows) == {50: 50, 400: 400, 2000: 480} and judgments_enough(rows) == {"a": 400}
    more = [*rows, *(Result("x", "a", 4000, i, 2.25 + 0.001 * i, 480, 100) for i in (1, 2))]
    assert sizes_trained(more) == sizes_trained(rows) and judgments_enough(more) == {"a": 400}
    last = {m.train_size: m.se for m in means(more)}
    assert np.isnan(last[2000]) and np.isnan(last[4000]) and last[400] > 0
    rising = [Result("x", "a", k, i, p, k, 100) for k, p in ((50, 2.2), (400, 2.26)) for i in (1, 2)]
    assert judgments_enough(rising) == {"a": 400}


def test_judgments_are_enough_from_where_the_curve_stays_near_its_end():
    curve = results(
        {("x", "m", k): [p] for k, p in ((100, 2.9), (200, 2.52), (400, 2.6), (800, 2.51), (1600, 2.5))}
    )
    flat = results({("x", "u", k): [3.0] for k in (100, 200, 400, 800, 1600)})
    lost = results({("x", "i", 100): [2.0], ("x", "i", 1600): [float("inf")]})
    assert judgments_enough(curve + flat) == {"m": 800, "u": 100} and judgments_enough(lost) == {"i": None}
    with pytest.raises(InputError, match="within"):
        judgments_enough(curve, 0)


def test_on_wmt11_the_gaussian_model_beats_the_students_at_1600_comparisons(shared):
    """Figure 3's order on one track, two trials; the whole figure is a claim of its own."""
    track = split_tracks(read(shared / "data" / "wmt" / "wmt11-maneval-indivsystems.RNK_results.csv"))[
        "English-German"
    ]
    found = run(
        {"en-de": split_by_source(track)},
        Design(
            (1600,),
            2,
            ("irt-gaussian", "students-geometric", "students-arithmetic", "adjusted-uniform"),
            options=PreferenceOptions(chains=2, warmup=50, draws=100),
        ),
    )
    order = sorted(means(found), key=lambda m: m.mean)
    assert [m.model for m in order] == [
        "irt-gaussian",
        "students-geometric",
        "students-arithmetic",
        "adjusted-uniform",
    ]
