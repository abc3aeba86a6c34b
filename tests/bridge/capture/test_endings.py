"""Every way in which somebody's script can end, really run; what stood in its folder is as it was."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from pairproof.bridge.capture.run import capture
from pairproof.errors import InputError, RUnavailable
from tests.bridge.capture.scripts_run import FIT, needs_knitr, run, written

pytestmark = pytest.mark.r


def test_a_script_that_runs_to_its_end_leaves_no_message(tmp_path):
    found = run(tmp_path, "x <- 1\nprint(x + 1)\n")
    assert (found.ending, found.message, found.exit_code, found.whole) == ("done", "", 0, True)
    assert found.output == "[1] 2\n"
    assert found.r_version.count(".") == 2


def test_a_syntax_error_is_told_with_line_column_and_rs_words_and_nothing_runs(tmp_path):
    script = written(tmp_path, f"file.create('{tmp_path}/ran')\ny <- c(1, 2\nz <- 3\n")
    with pytest.raises(
        InputError, match=r"analysis.R, line 3, column 1: R's parser says 'unexpected symbol' \('z <- 3'\)"
    ):
        capture(script)
    assert not (tmp_path / "ran").exists()


def test_a_script_that_ends_in_the_middle_is_a_syntax_error(tmp_path):
    with pytest.raises(InputError, match="unexpected end of input"):
        capture(written(tmp_path, "f <- function(x) {\n  x\n"))


@needs_knitr
def test_a_syntax_error_in_a_document_has_the_documents_line(tmp_path):
    with pytest.raises(InputError, match=r"a.Rmd, line 4, column 3: R's parser says .*\('y z'\)"):
        capture(written(tmp_path, "Text\n```{r}\nx <- 1\ny z\n```\n", "a.Rmd"))
    with pytest.raises(
        InputError, match="b.Rmd, line 3, column .: R's parser says 'unexpected end of input'"
    ):
        capture(written(tmp_path, "Text\n```{r}\nx <- c(1,\n```\n", "b.Rmd"))


def test_a_missing_package_is_told_with_its_cure_before_the_script_runs(tmp_path):
    script = written(tmp_path, f"file.create('{tmp_path}/ran')\nsuppressMessages(library(noSuchPackage))\n")
    with pytest.raises(
        RUnavailable, match=r"noSuchPackage is not installed; nothing was run\n  cure: "
    ) as told:
        capture(script)
    assert 'install.packages("noSuchPackage")' in str(told.value)
    assert not (tmp_path / "ran").exists()


def test_a_missing_package_that_may_not_be_reached_stops_nothing(tmp_path):
    found = run(
        tmp_path,
        "if (requireNamespace('noSuchPackage', quietly = TRUE)) noSuchPackage::f(1)\n"
        "f <- function() noSuchPackage::f(1)\ntry(library(noSuchPackage), silent = TRUE)\n"
        "if (FALSE) library(noSuchPackage)\nfor (p in character()) library(p, character.only = TRUE)\n",
    )
    assert found.ending == "done"
    assert found.text.packages == {"noSuchPackage": False}


def test_a_package_that_is_found_missing_during_the_run_is_told_with_its_cure(tmp_path):
    found = run(tmp_path, "p <- 'noSuchPackage'\nlibrary(p, character.only = TRUE)\n")
    assert found.ending == "error"
    assert "line 2" in found.message and 'install.packages("noSuchPackage")' in found.message


def test_an_endless_loop_is_stopped_at_the_time_limit_and_what_was_recorded_is_kept(tmp_path):
    begun = time.monotonic()
    found = run(tmp_path, f"m <- {FIT}\nwhile (TRUE) {{}}\n", seconds=3.0)
    assert time.monotonic() - begun < 30
    assert (found.ending, found.whole, found.exit_code) == ("time", False, None)
    assert "stopped after 3 s" in found.message and "seconds" in found.message
    assert [call.variable for call in found.calls] == ["m"]


@pytest.mark.parametrize("call, status", [("quit(status = 3)", 3), ("q()", 0)])
def test_a_script_that_quits_r_keeps_its_status_and_says_where(tmp_path, call, status):
    found = run(tmp_path, f"print(1)\n{call}\nprint(2)\n")
    assert (found.ending, found.exit_code, found.output) == ("quit", status, "[1] 1\n")
    assert found.message == f"the script ended R itself with status {status} in line 2"


def test_an_uncaught_error_is_told_with_its_line_and_the_calls_before_it_are_kept(tmp_path):
    found = run(tmp_path, f"m <- {FIT}\n\nstop('no such ', 'thing')\nprint(1)\n")
    assert (found.ending, found.exit_code, found.whole) == ("error", 1, True)
    assert found.message == "R stopped in line 3: Error: no such thing"
    assert [call.variable for call in found.calls] == ["m"]


def test_a_failed_fit_that_nothing_caught_is_recorded_with_its_error(tmp_path):
    found = run(tmp_path, "m <- glm(nothere ~ 1, family = binomial)\n")
    assert found.ending == "error" and "object 'nothere' not found" in found.message
    assert [call.error for call in found.calls] == ["object 'nothere' not found"]


def test_warnings_as_errors_end_the_script_as_in_r(tmp_path):
    found = run(tmp_path, "options(warn = 2)\nx <- as.integer('a')\n")
    assert found.message == "R stopped in line 2: Error: (converted from warning) NAs introduced by coercion"


@pytest.mark.parametrize("number, name", [(9, "SIGKILL"), (11, "SIGSEGV")])
def test_an_r_that_a_signal_ends_is_told_and_what_was_recorded_is_kept(tmp_path, number, name):
    found = run(tmp_path, f"m <- {FIT}\ntools::pskill(Sys.getpid(), {number})\n")
    assert (found.ending, found.exit_code, found.whole) == ("killed", -number, False)
    assert f"R was ended by signal {name} in line 1 or later" in found.message
    assert len(found.calls) == 1


def test_a_script_that_asks_for_input_gets_none_and_rs_own_message(tmp_path):
    found = run(tmp_path, "x <- readline('name? ')\nprint(x)\nprint(readLines('stdin'))\nmenu(c('a', 'b'))\n")
    assert found.output == 'name? \n[1] ""\ncharacter(0)\n'
    assert (
        found.message
        == 'R stopped in line 4: Error in menu(c("a", "b")) : menu() cannot be used non-interactively'
    )


def test_a_script_that_reads_its_own_lines_as_input_is_told(tmp_path):
    found = run(tmp_path, "x <- readLines(stdin(), n = 2)\nprint(1)\nprint(2)\nprint(x)\n")
    assert (
        found.ending == "quit" and "standard input of a script is the rest of its own lines" in found.message
    )


def test_100_mb_of_output_are_read_and_dropped_beyond_the_limit(tmp_path):
    said, passed = [], []
    text = "s <- strrep('x', 1e6)\nfor (i in 1:100) cat(s)\n"
    found = run(tmp_path, text, say=said.append, output=passed.append, output_limit=10_000)
    assert (found.ending, found.output_bytes) == ("done", 100_000_000)
    assert len(found.output) == len(b"".join(passed)) == 10_000
    assert said[-1] == "the script printed 95.4 MB; what is beyond 0.0 MB was dropped"


def test_a_script_that_deletes_its_folder_and_writes_over_its_data_changes_nothing_of_the_users(tmp_path):
    written(tmp_path, "a,b\n1,2\n", "data.csv")
    written(tmp_path, "a\n", "below/more.csv")
    text = (
        "writeLines('gone', 'data.csv')\nunlink('below', recursive = TRUE)\nfile.remove('analysis.R')\n"
        "unlink(getwd(), recursive = TRUE)\nsystem('rm -rf ./* ../* ../../*')\nprint(file.exists('data.csv'))\n"
    )
    said: list[str] = []
    found = run(tmp_path, text, say=said.append)
    assert found.ending == "done" and found.output.endswith("[1] FALSE\n")
    assert (tmp_path / "data.csv").read_text() == "a,b\n1,2\n"
    assert (tmp_path / "below/more.csv").read_text() == "a\n"
    assert (tmp_path / "analysis.R").read_text() == text
    assert len(said) == 1


def test_folders_nested_deeper_than_python_can_follow_are_deleted_with_the_copy(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    text = "for (i in 1:1200) { dir.create('d'); setwd('d') }\nSys.chmod('.', '000')\n"
    assert run(tmp_path / "scripts", text).ending == "done"
    assert os.listdir(tmp_path / "temporary") == []


def test_a_script_that_changes_directory_is_recorded_and_what_it_writes_there_is_told(tmp_path):
    said: list[str] = []
    written(tmp_path, "1", "data.csv")
    text = f"setwd('{tmp_path}')\nwriteLines('2', 'data.csv')\nm <- {FIT}\n"
    found = run(tmp_path, text, say=said.append)
    assert found.ending == "done" and len(found.calls) == 1
    assert said[-1].startswith(f"changed in {tmp_path} during the run: data.csv; the script wrote there")


@pytest.mark.skipif(
    not os.path.isdir("/proc/self"),
    reason="no /proc here, in which the test looks for processes: run it on Linux",
)
def test_programs_that_the_script_leaves_in_the_background_are_ended(tmp_path):
    mark = f"pairproof-test-{os.getpid()}-{time.time_ns()}"
    # A name of its own for `sleep`, by which it is found again.
    text = (
        f"file.symlink(Sys.which('sleep'), '{mark}')\nsystem('./{mark} 60 &')\n"
        f"system('setsid ./{mark} 60 >/dev/null 2>&1 &')\n"
        # Without the run's mark in its environment: found by the folder that it is in.
        f"system('env -i setsid ./{mark} 60 >/dev/null 2>&1 &')\nSys.sleep(0.3)\nprint(1)\n"
    )
    assert run(tmp_path, text).ending == "done"
    time.sleep(0.1)
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                left += [pid] if mark.encode() in file.read() else []
        except OSError:
            continue
    assert left == []


def test_the_seed_and_the_environment_of_the_script_are_those_of_a_plain_run(tmp_path):
    found = run(
        tmp_path, "print(exists('.Random.seed'))\nset.seed(1)\nprint(runif(1))\nprint(ls(all.names = TRUE))\n"
    )
    assert found.output == '[1] FALSE\n[1] 0.2655087\n[1] ".Random.seed"\n'


def test_what_the_script_prints_is_passed_through_as_it_comes(tmp_path):
    passed: list[bytes] = []
    run(tmp_path, "cat('one\\n')\nmessage('two')\ncat('three\\n')\n", output=passed.append)
    assert sorted(b"".join(passed).split()) == [b"one", b"three", b"two"]


def test_the_machines_paths_stay_out_of_what_is_recorded(tmp_path):
    text = "print(getwd())\nprint(tempdir())\nstop('in ', normalizePath('.'), ' and ', R.home())\n"
    found = run(tmp_path, text)
    assert '[1] "<wd>"' in found.output and str(tmp_path) not in found.output
    assert found.message == "R stopped in line 3: Error: in <wd> and <R_HOME>"


def test_a_file_that_is_not_found_is_named_and_where_it_is_instead(tmp_path):
    written(tmp_path, "a,b\n1,2\n", "data/x.csv")
    found = run(tmp_path, "x <- read.csv(file.path('data', 'x.csv'))\n", "R/analysis.R")
    assert "cannot open file 'data/x.csv'" in found.message
    assert f"data/x.csv is in {tmp_path.name}/, and the script runs in R/" in found.message


def test_names_with_spaces_signs_and_other_letters_are_run(tmp_path):
    written(tmp_path, "a\n7\n", "my fits (é)/d a.csv")
    found = run(tmp_path, "print(read.csv('d a.csv')$a)\n", "my fits (é)/-my 'script' $x.R")
    assert (found.ending, found.output) == ("done", "[1] 7\n")


def test_an_interrupted_run_leaves_no_process_and_no_copy(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def interrupt(block: bytes) -> None:
        raise KeyboardInterrupt

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "scripts", "print(1)\nSys.sleep(60)\n", output=interrupt)
    assert time.monotonic() - begun < 30
    assert os.listdir(tmp_path / "temporary") == []


def test_a_script_that_brings_its_own_library_is_not_stopped_before_it_runs(tmp_path):
    found = run(tmp_path, "print(1)\n.libPaths('mine')\nlibrary(noSuchPackage)\n")
    assert (found.ending, found.output) == ("error", "[1] 1\n")


def test_files_beside_the_folder_and_the_folder_that_the_user_is_in_are_found(tmp_path, monkeypatch):
    written(tmp_path, "a\n7\n", "data/x.csv")
    found = run(tmp_path, "print(read.csv('../data/x.csv')$a)\nunlink('../data/x.csv')\n", "R/analysis.R")
    assert (found.ending, found.output) == ("done", "[1] 7\n")
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    found = run(
        Path(), "print(read.csv('data/x.csv')$a)\nunlink('data/x.csv')\n", "R/analysis.R", say=said.append
    )
    assert (found.ending, found.output) == ("done", "[1] 7\n")
    assert f"in a copy of {tmp_path.name}/, the folder you are in" in said[0]
    assert (tmp_path / "data/x.csv").exists()
