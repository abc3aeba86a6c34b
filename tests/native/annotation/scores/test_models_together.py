"""A campaign of four annotators, one careless, one shifted: every part says what was put in."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.native.annotation.scores.annotator_model import annotator_model
from pairproof.native.annotation.scores.annotator_quality import Pairs, quality
from pairproof.native.annotation.scores.stopping_rules import items_short, source_differences, systems_ranking
from pairproof.native.annotation.scores.systems_model import systems_model

#: Shift, slope and noise about a middle of .6; two thirds of the careless one's scores are 50.
PEOPLE = {"careful": (0.0, 1.0, 0.07), "late": (-0.03, 1.0, 0.10), "shifted": (0.18, 0.9, 0.08)}
SYSTEMS = {"n": 0.12, "s": 0.04, "e": -0.04, "w": -0.12}


def answer(who, truth, r):
    if who == "careless":
        return np.where(r.random(truth.shape) < 2 / 3, 50, r.integers(30, 101, truth.shape)) / 100
    shift, slope, noise = PEOPLE[who]
    return np.round(
        np.clip(0.6 + shift + slope * (truth - 0.6) + noise * r.normal(size=truth.shape), 0, 1), 2
    )


@pytest.fixture(scope="module")
def campaign():
    """60 outputs of 15 sources by 4 systems, each judged once a batch by everybody, ten batches."""
    r = np.random.default_rng(3)
    source, system = (a.ravel() for a in np.indices((15, 4)))
    truth = 0.58 + 0.1 * r.normal(size=15)[source] + np.array(list(SYSTEMS.values()))[system]
    truth = np.clip(truth + 0.05 * r.normal(size=60), 0.05, 0.95)
    rows = []
    for who in sorted([*PEOPLE, "careless"]):
        for batch in range(10):
            given = answer(who, truth, r)
            rows += [(who, i, source[i], list(SYSTEMS)[system[i]], given[i], batch) for i in range(60)]
    who, item, of, which, score, batch = (list(column) for column in zip(*rows))
    worse = {name: answer(name, np.clip(truth[:10] - 0.3, 0, 1), r) for name in sorted(set(who))}
    return truth, who, item, of, which, np.array(score), worse


def test_the_shifted_is_found_shifted_and_the_careless_noisy(campaign):
    truth, who, item, _, _, score, _ = campaign
    found = annotator_model(item, who, score)
    place = {name: k for k, name in enumerate(found.annotators)}
    others = [found.location[place[name]] for name in ("careful", "late", "careless")]
    assert found.location.argmax() == place["shifted"]
    assert 0.10 <= found.location[place["shifted"]] - np.mean(others) <= 0.25
    assert found.noise.argmax() == place["careless"]
    assert found.noise[place["careless"]] >= 2 * found.noise[place["careful"]]
    assert found.noise[place["careful"]] == pytest.approx(0.07, abs=0.01)
    assert np.corrcoef(found.score, truth)[0, 1] >= np.corrcoef(found.raw, truth)[0, 1]


def test_only_the_careless_is_flagged(campaign):
    _, who, item, _, _, score, worse = campaign
    first = {(w, i): s for w, i, s in reversed(list(zip(who, item, score)))}
    names = [name for name in worse for _ in range(10)]
    pairs = Pairs(
        names, [first[w, k] for w in worse for k in range(10)], np.concatenate(list(worse.values()))
    )
    seconds = {name: [8.0] * 10 if name == "careless" else [60.0] * 10 for name in worse}
    found = {q.annotator: q for q in quality(who, item, score, degraded=pairs, seconds=seconds)}
    assert {n: q.flags for n, q in found.items() if q.flags}.keys() == {"careless"}
    assert {"fast", "constant", "degraded"} <= set(found["careless"].flags)


def test_systems_stand_in_their_order_and_the_ends_differ(campaign):
    _, who, _, of, which, score, _ = campaign
    found = systems_model(which, of, who, score)
    assert [found.systems[k] for k in np.argsort(-found.mean)] == ["n", "s", "e", "w"]
    assert found.df == 3 and any("few sources or annotators" in caution for caution in found.cautions)
    ends = next(c for c in found.contrasts if {c.first, c.second} == {"n", "w"})
    # The careless do not tell systems apart: annotator:system is real, and with 3 df little is certain.
    assert found.variances["annotator:system"] > 0 and ends.p < 0.1
    by_source = systems_model(which, of, who, score, annotator_by_system=False)
    assert next(c for c in by_source.contrasts if {c.first, c.second} == {"n", "w"}).p_holm < 0.05


def test_fifteen_sources_are_too_early_and_two_batches_too(campaign):
    _, who, item, of, which, score, _ = campaign
    assert systems_ranking(source_differences(which, of, score)).verdict == "too early"
    assert items_short(item, score, half=0.1, batches=2).verdict == "too early"
    assert items_short(item, score, half=0.1, batches=10).verdict in ("stop", "go on")
