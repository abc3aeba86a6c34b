"""The benchmarks run, on tiny data and without R; nothing is timed here."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.__main__ import main
from benchmarks.agreement import NEAR_ENOUGH, distance_from_maximum, shared_digits
from benchmarks.contender import Answer
from benchmarks.data import Data, counts_table, dras_table_1
from benchmarks.jobs import JOBS, Target
from benchmarks.measure import Outcome, Result
from benchmarks.ours import llbt
from benchmarks.report import verdicts


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Three jobs, one of every kind of data: pairs without ties, judges with a covariate, raw answers."""
    out = tmp_path_factory.mktemp("benchmarks")
    jobs = ("binary-100", "covariate-400x30", "rows-1e6")
    said = CliRunner().invoke(main, ["--tiny", "--no-r", "--no-startup", "--rounds", "1", "--out", str(out),
                                     *(word for job in jobs for word in ("--job", job))], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    return json.loads((out / "latest.json").read_text()), (out / "latest.md").read_text()


def test_every_contender_has_a_time_or_a_reason_for_none(report):
    for job in report[0]["jobs"]:
        for contender in job["contenders"]:
            assert bool(contender["cpu"]) != bool(contender["trouble"]), contender


def test_a_package_that_is_not_installed_is_said_to_be_not_here_and_has_no_number(report):
    found = report[0]["about"]
    (binary,) = (job for job in report[0]["jobs"] if job["name"] == "binary-100")
    for contender in binary["contenders"]:
        package = contender["name"].split()[0]
        if package in found and not found[package]:
            assert contender["trouble"].startswith("not here") and contender["median_cpu"] is None and contender["ratio"] is None


def test_what_is_timed_is_the_maximum_of_the_likelihood(report):
    for job in report[0]["jobs"]:
        assert job["does_not_count"] is None
        assert job["standard_errors_from_maximum"] < 1e-12  # observed 2e-15 and less


def test_a_page_of_tiny_data_promises_nothing_and_says_so(report):
    assert "Tiny data" in report[1] and "## Promises" not in report[1]


def test_an_estimate_that_is_off_by_a_thousandth_is_far_from_the_maximum():
    for data in (dras_table_1(False), dras_table_1(True), counts_table(5, 10, True, 6, "numeric")):
        ready = llbt(data)
        answer = ready.answer(ready.run())
        assert distance_from_maximum(data, answer, log_odds=False) < 1e-11  # observed 1e-14
        off = replace(answer, estimate=answer.estimate + np.eye(len(answer.estimate))[0] * 1e-3)
        assert distance_from_maximum(data, off, log_odds=False) > NEAR_ENOUGH


def test_digits_shared_are_those_of_the_worst_parameter():
    ours = Answer(np.array([1.0, 2.0]), np.array([0.1, 0.1]))
    theirs = Answer(np.array([1.0, 2.002]), np.zeros(0))
    assert shared_digits(ours, theirs) == (pytest.approx(3.0), None)
    assert shared_digits(ours, Answer(np.zeros(3), np.zeros(0))) == (0.0, 0.0)


def test_a_fast_wrong_answer_keeps_no_promise():
    job = replace(JOBS[0], target=Target(times_faster=2.0, than="peer"))
    outcomes = [Outcome("ours", cpu=[1.0], wall=[1.0]), Outcome("peer", cpu=[9.0], wall=[9.0], ratio=9.0)]
    (kept,) = verdicts(Result(job, 1, 1, outcomes, 0.0, counts=""))
    (refused,) = verdicts(Result(job, 1, 1, outcomes, 1.0, counts="1 standard error from the maximum"))
    (unknown,) = verdicts(Result(job, 1, 1, [outcomes[0], Outcome("peer", trouble="not here: R is not installed")], 0.0, counts=""))
    assert (kept.kept, refused.kept, unknown.kept) == (True, False, None)


def test_data_read_back_are_the_data_written(tmp_path):
    data = counts_table(4, 20, True, 3, "factor")
    again = Data.load(data.save(tmp_path / "data"))
    for name in ("first", "second", "wins", "ties", "losses", "stratum", "x", "shape"):
        assert np.array_equal(getattr(data, name), getattr(again, name))
    assert again.covariate == "factor" and again.tie_category and again.n_comparisons == 3 * 6 * 20
