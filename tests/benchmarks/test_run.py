"""The benchmarks run, on tiny data and without R; nothing is timed here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import comparisons
from benchmarks.__main__ import main
from benchmarks.comparisons import JOBS
from benchmarks.contenders import llbt
from benchmarks.harness.agreement import NEAR_ENOUGH, distance_from_maximum, shared_digits
from benchmarks.harness.data import Data, counts_table, dras_table_1
from benchmarks.harness.job import Answer, Target
from benchmarks.harness.machine import blas_name, in_words
from benchmarks.harness.measure import Outcome, Result, Rules
from benchmarks.harness.process import HARNESS, Failed, Server, with_blas
from benchmarks.harness.report import Run, markdown, said, verdicts
from benchmarks.harness.results import found_beside

README = Path(comparisons.__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Three jobs, one of every kind of data: pairs without ties, judges with a covariate, raw answers."""
    out = tmp_path_factory.mktemp("benchmarks")
    jobs = ("binary-100", "covariate-400x30", "rows-1e6")
    said = CliRunner().invoke(
        main,
        [
            "--tiny",
            "--no-r",
            "--no-startup",
            "--rounds",
            "1",
            "--out",
            str(out),
            *(word for job in jobs for word in ("--job", job)),
        ],
        catch_exceptions=False,
    )
    assert said.exit_code == 0, said.output
    return json.loads((out / "latest.json").read_text()), (out / "latest.md").read_text()


def test_every_comparison_is_found_by_its_file_and_its_names_are_one_contender_each():
    assert [job.name for job in JOBS] == [
        "clusters-20",
        "clusters-1e6",
        "dras",
        "dras-judge",
        "covariate-400x30",
        "factor-40x10",
        "factor-400x30",
        "ties-100",
        "items-1000-ties",
        "binary-100",
        "items-1000",
        "rows-1e6",
    ]
    in_python, in_r = {}, (HARNESS / "serve.R").read_text(encoding="utf-8")
    for job in JOBS:
        for name, contender in job.contenders.items():
            if contender == "r":
                assert f'"{name}"' in in_r
            else:
                assert in_python.setdefault(name, contender) is contender
        assert {*job.memory_of, job.first} <= {*job.contenders} and not {*job.not_run} & {*job.contenders}


def test_one_more_file_is_one_more_comparison(tmp_path, monkeypatch):
    text = README.read_text(encoding="utf-8")
    (tmp_path / "from_the_readme.py").write_text(
        text.split("```python\n")[1].split("```")[0], encoding="utf-8"
    )
    monkeypatch.setattr(comparisons, "__path__", [*comparisons.__path__, str(tmp_path)])
    (added,) = {job.name for job in comparisons.found()} - {job.name for job in JOBS}
    assert added == "binary-20"


@pytest.mark.nightly
def test_every_contender_has_a_time_or_a_reason_for_none(report):
    for job in report[0]["jobs"]:
        for contender in job["contenders"]:
            assert bool(contender["cpu"]) != bool(contender["trouble"]), contender


@pytest.mark.nightly
def test_a_package_that_is_not_installed_is_said_to_be_not_here_and_has_no_number(report):
    found = report[0]["about"]
    (binary,) = (job for job in report[0]["jobs"] if job["name"] == "binary-100")
    for contender in binary["contenders"]:
        package = contender["name"].split()[0]
        if package in found and not found[package]:
            assert (
                contender["trouble"].startswith("not here")
                and contender["median_cpu"] is None
                and contender["ratio"] is None
            )


@pytest.mark.nightly
def test_what_is_timed_is_the_maximum_of_the_likelihood(report):
    for job in report[0]["jobs"]:
        assert job["does_not_count"] is None
        assert job["standard_errors_from_maximum"] < 1e-12  # observed 2e-15 and less


@pytest.mark.nightly
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
    (unknown,) = verdicts(
        Result(
            job, 1, 1, [outcomes[0], Outcome("peer", trouble="not here: R is not installed")], 0.0, counts=""
        )
    )
    assert (kept.kept, refused.kept, unknown.kept) == (True, False, None)


def test_data_read_back_are_the_data_written(tmp_path):
    data = counts_table(4, 20, True, 3, "factor")
    again = Data.load(data.save(tmp_path / "data"))
    for name in ("first", "second", "wins", "ties", "losses", "stratum", "x", "shape"):
        assert np.array_equal(getattr(data, name), getattr(again, name))
    assert again.covariate == "factor" and again.tie_category and again.n_comparisons == 3 * 6 * 20


def _result(ratio, blas="reference BLAS 3.11.0"):
    job = replace(JOBS[0], target=Target(times_faster=5.0, than="peer"))
    return Result(
        job,
        1,
        1,
        [
            Outcome("ours", cpu=[1.0], wall=[1.0], blas=blas),
            Outcome("peer", cpu=[9.0], wall=[9.0], ratio=ratio, blas=blas),
        ],
        0.0,
        counts="",
    )


def test_a_promise_is_kept_if_every_run_keeps_it_and_the_page_has_what_each_found():
    def page(*ratios):
        *earlier, last = ([_result(r)] for r in ratios)
        return said(Run({}, Rules(), last, [], earlier=tuple(earlier)))[0], markdown(
            Run({}, Rules(), last, [], earlier=tuple(earlier))
        )

    assert (page(9.0, 6.0)[0].kept, page(9.0, 4.0)[0].kept, page(4.0, 9.0)[0].kept) == (True, False, False)
    assert "| 9x; 4x | **not kept** |" in page(9.0, 4.0)[1] and "Each of 2 runs" in page(9.0, 4.0)[1]


def test_the_page_shows_what_a_run_with_another_blas_found_and_which_blas_each_process_had(tmp_path):
    promise = said(Run({}, Rules(), [_result(9.0)], []))[0].promise
    (tmp_path / "latest-openblas.json").write_text(
        json.dumps(
            {"blas": "OpenBLAS 0.3.21", "promises": [{"promise": promise, "found": "3x", "kept": False}]}
        )
    )
    (tmp_path / "latest-tiny.json").write_text(json.dumps({"blas": "x", "tiny_data": True, "promises": []}))
    beside = found_beside(tmp_path, "latest")
    assert beside == {"latest-openblas: OpenBLAS 0.3.21": {promise: ("3x", "**not kept**")}}
    page = markdown(Run({}, Rules(), [_result(9.0)], []), beside)
    assert "| this run: reference BLAS 3.11.0 |  | latest-openblas: OpenBLAS 0.3.21 |" in page
    assert "| 9x | kept | 3x | **not kept** |" in page and "(latest-openblas.md)" in page
    assert "BLAS of every process: reference BLAS 3.11.0." in page
    assert found_beside(tmp_path, "latest-openblas") == {}


def test_libraries_are_named_by_what_they_are():
    folder = "/usr/lib/x86_64-linux-gnu/openblas-pthread"
    assert in_words([f"{folder}/libblas.so.3", f"{folder}/libopenblasp-r0.3.21.so"]) == "OpenBLAS 0.3.21"
    assert blas_name("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0") == "reference BLAS 3.11.0"
    assert in_words([]) == "unknown"


def test_a_process_that_loads_another_blas_than_it_was_given_stops_the_run(tmp_path):
    """An empty folder holds no BLAS, so the system's is loaded: that must not pass for the one that was asked
    for.
    """
    server = Server("python", tmp_path, tmp_path)
    try:
        server.ask("about", cap=60)
        with pytest.raises(Failed, match="was to load its BLAS from .* and loaded"):
            server.loaded_blas()
    finally:
        server.close()


def test_the_folder_of_a_blas_comes_first_for_both_languages(tmp_path):
    found = with_blas({"LD_LIBRARY_PATH": "/elsewhere", "R_LD_LIBRARY_PATH": "/r"}, tmp_path)
    assert found["LD_LIBRARY_PATH"] == f"{tmp_path.resolve()}:/elsewhere"
    assert found["R_LD_LIBRARY_PATH"] == f"{tmp_path.resolve()}:/r"


def test_a_run_with_a_folder_of_its_own_blas_must_have_a_name(tmp_path):
    refused = CliRunner().invoke(main, ["--blas-folder", str(tmp_path)])
    assert refused.exit_code == 2 and "--blas-folder needs --blas NAME" in refused.output
    assert CliRunner().invoke(main, ["--blas", "../x"]).exit_code == 2
