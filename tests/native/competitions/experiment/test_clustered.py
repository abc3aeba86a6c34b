"""Differences of perplexity by clusters of the test set: against sums by hand, the jackknife, and refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.native.competitions.experiment.curve_summaries import (
    best_by_size,
    clusters_of,
    difference,
    differences_from_best,
)
from pairproof.native.competitions.experiment.held_out import split_table
from pairproof.native.competitions.experiment.learning_curves import Design, run


@pytest.fixture(scope="module")
def tracks():
    rng = np.random.default_rng(3)
    ability, own = np.array([0.9, 0.5, 0.2, 0.0]), rng.normal(0, 0.6, (15, 4))
    i = rng.integers(0, 4, 900)
    j = (i + rng.integers(1, 4, 900)) % 4
    judge, source = rng.integers(0, 15, 900), rng.integers(0, 45, 900)
    eta = ability[i] - ability[j] + own[judge, i] - own[judge, j]
    won = rng.random(900) < 1 / (1 + np.exp(-eta))
    names = np.array(list("ABCD"))
    table = pairproof.read({"first": names[i].tolist(), "second": names[j].tolist(),
                            "outcome": np.where(won, "first", "second").tolist(),
                            "judge": [f"j{k}" for k in judge], "source": [f"s{k}" for k in source]})  # fmt: skip
    return split_table(table, test_size=300, seed=1)


def results_of(tracks, cluster):
    design = Design((100,), 2, ("uniform", "bradley-terry"), 0, cluster=cluster)
    results = run(tracks, design)
    return {m: [r for r in results if r.model == m] for m in design.models}, results


def test_a_difference_by_judge_is_the_delta_method_of_sums_by_judge(tracks):
    found, _ = results_of(tracks, ("judge",))
    clusters = clusters_of(tracks, ("judge",), "CR1")
    gap = difference(found["uniform"], found["bradley-terry"], 0.95, clusters.over_test)
    parts = np.zeros(15)
    for a, b in zip(found["uniform"], found["bradley-terry"]):
        n = np.array(a.sizes)
        for r, sign in ((a, 0.5), (b, -0.5)):  # two trials
            bits = np.array(r.bits)
            parts += sign * math.log(2) * r.perplexity * (bits - bits.sum() / n.sum() * n) / n.sum()
    assert gap.se_test == pytest.approx(math.sqrt(15 / 14 * (parts**2).sum()), rel=1e-9)
    assert clusters.n_clusters("all") == (15,) and "all: 15 by judge" in clusters.caution


def test_two_ways_keep_the_bits_of_every_cell_and_take_the_largest_error(tracks):
    found, _ = results_of(tracks, ("judge", "source"))
    cells = len(found["uniform"][0].bits)
    assert 100 < cells <= 300
    both = clusters_of(tracks, ("judge", "source"), "CR2")
    gap = difference(found["uniform"], found["bradley-terry"], 0.95, both.over_test)
    by_judge, _ = results_of(tracks, ("judge",))
    one = clusters_of(tracks, ("judge",), "CR2")
    alone = difference(by_judge["uniform"], by_judge["bradley-terry"], 0.95, one.over_test)
    assert gap.mean == pytest.approx(alone.mean, rel=1e-12) and gap.se_test >= alone.se_test * (1 - 1e-9)


def test_by_source_it_is_near_the_jackknife_over_groups_of_sources(tracks):
    """The jackknife takes 20 groups of 45 sources: its own error is a sixth. Seen: a ratio of .93."""
    found, _ = results_of(tracks, ("source",))
    plain, _ = results_of(tracks, ())
    clusters = clusters_of(tracks, ("source",), "CR2")
    one = difference(found["uniform"], found["bradley-terry"], 0.95, clusters.over_test)
    other = difference(plain["uniform"], plain["bradley-terry"])
    assert one.mean == pytest.approx(other.mean, rel=1e-12)
    assert one.se_test == pytest.approx(other.se_test, rel=0.5)


def test_differences_from_the_best_name_all_other_models(tracks):
    _, results = results_of(tracks, ("judge",))
    clusters = clusters_of(tracks, ("judge",), "CR2")
    (row,) = differences_from_best(results, 0.95, clusters)
    assert (row["best"], row["model"]) == ("bradley-terry", "uniform") and row["mean"] > 0
    (best,) = best_by_size(results, 0.95, clusters.over_test)
    assert (best.level_with == ()) is bool(row["low"] > 0)


def test_models_that_say_the_same_do_not_differ(tracks):
    found, _ = results_of(tracks, ("judge",))
    copy = [replace(r, model="copy") for r in found["uniform"]]
    gap = difference(copy, found["uniform"], 0.95, clusters_of(tracks, ("judge",)).over_test)
    assert (gap.mean, gap.se, gap.low, gap.high) == (0.0, 0.0, 0.0, 0.0)


def test_clusters_that_cannot_be_are_refused(tracks):
    with pytest.raises(InputError, match="no column 'rater' to cluster by"):
        clusters_of(tracks, ("rater",))
    (track,) = tracks.values()
    one = {"all": replace(track, test=track.test.select(track.test.columns["judge"].codes == 3))}
    with pytest.raises(InputError, match="track all: all [0-9]+ test comparisons are of one judge"):
        clusters_of(one, ("judge",))


def test_a_state_of_other_clusters_is_refused(tracks, tmp_path):
    state = tmp_path / "run.db"
    design = Design((100,), 1, ("uniform",), 0, cluster=("judge",))
    run(tracks, design, state=state)
    assert run(tracks, design, state=state)
    for other in ((), ("source",)):
        with pytest.raises(InputError, match="the state of an experiment with cluster"):
            run(tracks, replace(design, cluster=other), state=state)
