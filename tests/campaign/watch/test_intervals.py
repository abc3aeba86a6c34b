"""Intervals of a campaign's scores: calibrated where they can be, and said which they are."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from pairproof.campaign import create, export, status, take_in
from pairproof.campaign.watch.scores import FEWEST_REPEATED, Spread, intervals_of, item_scores, spread_of
from pairproof.cli import main
from pairproof.errors import InputError
from pairproof.native.annotation.beta import interval
from pairproof.native.annotation.methods import calibration, observe, start
from tests.campaign.helpers import answers as judged, batch_rows, campaign, items_file, run_batches, write
from tests.campaign.watch.arrays import answers


def own_intervals(state, given, kind="calibrated"):
    """Intervals of a campaign that is these scores."""
    rows = given.scores
    return intervals_of(state, spread_of(given.item[rows], given.value[rows]), kind=kind)


def told(capsys, *arguments):
    assert main([str(a) for a in arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("method", ["easl", "random"])
def test_status_export_and_scores_have_the_same_calibrated_intervals(tmp_path, capsys, method):
    path = campaign(tmp_path, method=method)
    run_batches(path, 4)
    found = json.loads(told(capsys, "easl", "status", path, "--json"))
    assert found["intervals"]["kind"] == "calibrated" and found["intervals"]["k"] > 3
    rows = found["scores"]
    a, b = (np.array([r[name] for r in rows]) for name in ("alpha", "beta"))
    k = calibration(a, b, found["intervals"]["spread"])
    low, high = interval(1 + k * (a - 1), 1 + k * (b - 1))
    assert [r["low"] for r in rows] == low.tolist() and [r["high"] for r in rows] == high.tolist()
    export(path, tmp_path / "s.csv")
    written = list(csv.DictReader((tmp_path / "s.csv").open(encoding="utf-8")))
    assert [float(r["low"]) for r in written] == low.tolist()
    assert item_scores(path).low.tolist() == low.tolist()
    text = told(capsys, "easl", "status", path)
    assert "95% intervals are calibrated: a score counts as k = " in text
    assert "they do not include a shift that all scores of an item share" in text


def test_easls_own_intervals_are_had_by_name_and_called_far_too_wide(tmp_path, capsys):
    path = campaign(tmp_path)
    run_batches(path, 4)
    own = json.loads(told(capsys, "easl", "status", path, "--json", "--intervals", "beta"))
    ours = json.loads(told(capsys, "easl", "status", path, "--json"))
    low, high = status(path).state.interval()
    assert [r["low"] for r in own["scores"]] == low.tolist() and own["intervals"]["kind"] == "beta"
    wide = np.array([r["high"] - r["low"] for r in own["scores"]])
    assert (wide > 1.5 * np.array([r["high"] - r["low"] for r in ours["scores"]])).all()
    assert "far too wide" in told(capsys, "easl", "status", path, "--intervals", "beta")
    export(path, tmp_path / "s.csv", intervals="beta")
    first = next(csv.DictReader((tmp_path / "s.csv").open(encoding="utf-8")))
    assert float(first["low"]) == low[0] and item_scores(path, kind="beta").low[0] == low[0]


def test_a_campaign_with_too_little_data_says_which_intervals_it_shows_and_why(tmp_path, capsys):
    path = campaign(tmp_path)
    assert "0 scores beyond the first of each item, but 20 are needed" in told(capsys, "easl", "status", path)
    run_batches(path, 2)
    found = json.loads(told(capsys, "easl", "status", path, "--json"))["intervals"]
    assert found["kind"] == "beta" and found["k"] is None and "10 scores beyond the first" in found["why"]


@pytest.mark.parametrize(("method", "kind", "why"), [
    ("ra", "beta", "ra's distributions are not sums of scores"), ("trueskill", "normal", "the method's own variance"),
    ("da", "t", "Student's t from the item's own scores"),
])  # fmt: skip
def test_other_methods_keep_their_own_intervals_and_say_so(method, kind, why):
    rng = np.random.default_rng(1)
    what, value = np.tile(np.arange(6), 8), rng.random(48)
    state = observe(start(method, 6), what.reshape(-1, 6), value.reshape(-1, 6))
    found = own_intervals(state, answers(what, np.zeros(48), value))
    assert found.kind == kind and why in found.why and np.isnan(found.k)
    assert found.low.tolist() == state.interval()[0].tolist()


def test_where_judgments_do_not_vary_there_is_nothing_to_calibrate_with():
    state = observe(start("easl", 2), [[0, 1]] * 30, [[0.5, 0.25]] * 30)
    found = intervals_of(state, Spread(0.0, 58))
    assert found.kind == "beta" and "all scores of each item are equal" in found.why
    ends = observe(start("easl", 2), [[0, 1]] * 30, [[1.0, 0.0]] * 30)
    assert "ends of the scale" in intervals_of(ends, Spread(0.1, 58)).why
    with pytest.raises(InputError, match="level=1.0"):
        intervals_of(state, Spread(0.1, 58), 1.0)
    with pytest.raises(InputError, match="intervals"):
        intervals_of(state, Spread(0.1, 58), 0.95, "normal")  # type: ignore[arg-type] # a wrong word on purpose


def test_the_spread_is_that_of_the_numerics_in_whatever_order_scores_stand():
    rng = np.random.default_rng(2)
    what, value = rng.integers(0, 9, 80), rng.random(80)
    found, order = spread_of(what, value), rng.permutation(80)
    deviations = np.concatenate([value[what == k] - value[what == k].mean() for k in range(9)])
    # The same sum in another order; observed 0 here, and 2e-16 at most for 200 other draws.
    assert found.value == pytest.approx(np.sqrt(np.sum(deviations**2) / 71), rel=1e-14)
    assert spread_of(what[order], value[order]) == found and found.free == 71


@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_calibrated_intervals_of_campaigns_hold_as_often_as_they_say(noise):
    """1,600 items, 8 judgments each: covered .946 (noise .1) and .945 (.2); EASL's own 1.000 of both."""
    rng = np.random.default_rng(3)
    truth = rng.uniform(0.15, 0.85, 1600)
    what = np.tile(np.arange(1600), 8)
    value = np.clip(truth[what] + rng.normal(0, noise, len(what)), 0, 1)
    state = observe(start("easl", 1600), what.reshape(8, -1), value.reshape(8, -1))
    found = own_intervals(state, answers(what, np.arange(len(what)) % 3, value))
    # The truth of a clipped score is the mean of what is said.
    x = np.linspace(-5, 5, 4001)
    weight = np.exp(-x * x / 2)
    mean = np.array([np.average(np.clip(t + noise * x, 0, 1), weights=weight) for t in truth])
    covered = float(np.mean((found.low <= mean) & (mean <= found.high)))
    assert 0.92 <= covered <= 0.97  # standard error .006
    own = own_intervals(state, answers(what, np.arange(len(what)) % 3, value), kind="beta")
    assert float(np.mean((own.low <= mean) & (mean <= own.high))) > 0.995


def test_checks_and_judgments_that_do_not_count_are_in_no_spread():
    what, value = np.tile([0, 1], 30), np.tile([0.2, 0.6, 0.3, 0.5], 15)
    found = answers(what, np.zeros(60), value, kind=["item"] * 40 + ["degraded"] * 20)
    rows = found.scores
    assert rows.sum() == 40
    counted = rows.copy()
    counted[:10] = False
    part = found.__class__(**{**vars(found), "counted": counted})
    state = observe(start("easl", 2), what.reshape(-1, 2), value.reshape(-1, 2))
    assert own_intervals(state, part).spread == spread_of(what[10:40], value[10:40]).value
