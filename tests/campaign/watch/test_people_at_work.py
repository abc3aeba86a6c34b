"""What a campaign says of four annotators: careful, careless, shifted, and one who answers every HIT twice."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.campaign import create, open_batch, take_in
from pairproof.campaign.storage.design import Design
from pairproof.campaign.storage.records import items_of
from pairproof.campaign.storage.store import opened
from pairproof.campaign.watch.annotators import annotators
from pairproof.campaign.watch.scores import answered_twice, answers_of, degraded_pairs, item_scores
from pairproof.campaign.watch.status import status
from pairproof.campaign.watch.stop import stop
from pairproof.campaign.watch.systems import systems
from pairproof.errors import InputError, NotEstimableError
from tests.campaign.people import CHANGE, returned, walk_items

pytestmark = pytest.mark.xdist_group("people at work")

BATCHES, HITS = 10, 14


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """Ten batches; the late one's second answers come before his first."""
    folder = tmp_path_factory.mktemp("walk")
    truth = walk_items(folder)
    path = folder / "C.db"
    create(path, truth.file, "easl", 5, seed=3, design=Design(degraded=0.14))
    early, files = {}, {}
    for number in range(1, BATCHES + 1):
        open_batch(path, folder / "b.csv", HITS)
        before, files = files, returned(folder / "b.csv", truth.score, folder)
        for who in ("careful", "careless", "shifted"):
            take_in(path, files[who])
        for who in ("late-again", "late"):
            if before:
                take_in(path, before[who])
        if number <= 3:
            early[number] = stop(path, "items<=.12", record=False)
    for who in ("late-again", "late", "late"):
        take_in(path, files[who])
    return path, truth, early


def test_the_careless_one_is_flagged_for_four_reasons_and_nobody_else(walk):
    found = {row.name: row for row in annotators(walk[0]).rows}
    # "degraded" is a test that a careless annotator passes once in twenty times: .62 with this seed.
    assert set(found["W-careless"].flags) == {"degraded", "fast", "constant", "rest"}
    assert [name for name, row in found.items() if row.flags] == ["W-careless"]
    assert found["W-careless"].quality.rest < 0.3 < found["W-shifted"].quality.rest


def test_the_annotator_model_finds_the_shift_and_the_noise(walk):
    found = item_scores(walk[0], "precision").fit
    location = dict(zip(found.annotators, found.location))
    noise = dict(zip(found.annotators, found.noise))
    assert max(location, key=location.get) == "W-shifted"
    # +.18 above the careful one, at items about the middle; observed +.15 above the mean of all.
    assert 0.10 <= location["W-shifted"] <= 0.20
    # Two in three answers are 50; observed .18 against .07.
    assert max(noise, key=noise.get) == "W-careless" and noise["W-careless"] > 2 * noise["W-careful"]


def test_the_late_ones_consistency_is_that_of_his_second_answers(walk):
    with opened(walk[0], write=False) as store:
        pairs = answered_twice(answers_of(store))
    assert set(pairs.annotator) == {"W-late"}
    late = {row.name: row for row in annotators(walk[0], models=False).rows}["W-late"]
    assert late.set_aside == BATCHES * HITS and late.within == late.twice
    # Half of the second answers differ by 8 points: sqrt(.08^2 / 2 / 2) = .04; interval .0374 to .0415.
    assert late.within.low < CHANGE / 100 / 2 < late.within.high


def test_repeats_are_set_aside_and_every_count_adds_up(walk):
    p = status(walk[0]).progress
    assert (p.counted, p.set_aside, p.judgments, p.annotators) == (560, {"repeat": 140}, 700, 4)
    assert p.scores + p.cannot_judge + 400 >= 560 * 5 - 5 and p.hits == p.answered == 140 and p.open == 0


def test_systems_are_in_their_true_order_and_checks_are_in_no_mean(walk):
    found = systems(walk[0])
    assert [found.model.systems[k] for k in found.order] == ["n", "s", "e", "w"]
    assert found.plain.n.tolist() == [15, 15, 15, 15] and found.model.n_sources == 15
    first = found.differences[0]
    # With one careless annotator of four, annotators differ in their liking (3 df): p .05 over all.
    assert (first.first, first.second) == ("n", "w") and first.low > 0 and first.adjusted < 0.1
    assert all(d.adjusted >= d.p for d in found.differences)
    rows = found.to_dict()["systems"]
    assert [list(r) for r in rows[:1]] == [["system", "score", "low", "high", "n", "cluster"]]


def test_it_is_too_early_to_stop_before_the_third_batch(walk):
    early = walk[2]
    assert [early[k].verdict for k in (1, 2)] == ["too early", "too early"]
    assert early[3].verdict == "go on" and early[3].further > 0
    assert not early[2].may_stop and "2 batch(es) returned" in early[2].look.why


def test_raw_and_corrected_scores_stand_side_by_side(walk):
    path, truth, _ = walk
    raw = item_scores(path)
    assert raw.items == tuple(name for name in truth.score if not name.startswith("x-"))
    assert np.array_equal(raw.score, raw.raw) and raw.fit is None
    true = np.array([truth.score[name] for name in raw.items])
    close = {m: np.corrcoef(item_scores(path, m).score, true)[0, 1] for m in ("raw", "precision", "scale")}
    # The careless one counts less: observed .981, .990, .990.
    assert close["precision"] > close["raw"] and close["scale"] > close["raw"]
    frame = item_scores(path, "location").to_frame()
    assert list(frame.columns) == ["n", "raw", "raw_low", "raw_high", "score", "low", "high"]
    assert len(frame) == 60 and "HIT has its own effect" in item_scores(path, "location").why


def test_an_item_on_which_annotators_fall_apart_leads_the_disputed_ones(tmp_path, walk):
    found = status(walk[0], with_disputed=True).disputed
    assert found.n == 60 and found.significant == 0 and len(found.rows[0].scores) == found.rows[0].n
    assert list(found.rows[0].scores) == sorted(found.rows[0].scores, key=lambda s: (s[1], s[0]))
    assert all(a.p <= b.p for a, b in zip(found.rows, found.rows[1:]))


def test_a_degraded_score_is_paired_with_one_score_of_the_original(walk):
    """Against the mean of several, a careless annotator whose scores are skewed would pass."""
    with opened(walk[0], write=False) as store:
        pairs = degraded_pairs(answers_of(store), items_of(store))
    first = {float(round(100 * v)) for v in pairs.first}
    assert all(abs(100 * v - round(100 * v)) < 1e-9 for v in pairs.first) and len(first) > 20


def test_systems_without_sources_or_names_have_plain_means_and_a_sentence(tmp_path):
    items = tmp_path / "i.csv"
    rows = "".join(f"{s}{k},text,{s}\n" for s in "ab" for k in range(5))
    items.write_text("id,sent,system\n" + rows, encoding="utf-8")
    path = tmp_path / "C.db"
    create(path, items, "easl", 5, seed=1)
    with pytest.raises(InputError, match="no judgments yet"):
        systems(path)
    open_batch(path, tmp_path / "b.csv")
    import csv

    from tests.campaign.helpers import write

    judged = []
    for row in csv.DictReader((tmp_path / "b.csv").open(encoding="utf-8")):
        one = {f"Input.{k}": v for k, v in row.items()} | {"AssignmentId": row["hit"], "WorkerId": "ann"}
        judged.append(one | {f"Answer.range{k}": str(10 * k) for k in range(1, 6)})
    take_in(path, write(tmp_path / "r.csv", judged))
    found = systems(path)
    assert found.model is None and "items without a source" in found.why and len(found.to_frame()) == 2
    with pytest.raises(NotEstimableError, match=r"level precision: 0 annotators share items"):
        item_scores(path, "precision")
