"""A fitting call that R reached and that has no record is noticed, and so is a fit that the script changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pairproof.bridge.capture.recorded import MOST_FILES, Records, read_records
from pairproof.bridge.capture.run import unrecorded
from pairproof.bridge.capture.running import Ran, RProgram
from tests.bridge.capture.scripts_run import FIT, run, written
from tests.bridge.capture.test_sandbox import NO_SANDBOX, strongest

proc = pytest.mark.skipif(
    not Path("/proc/self/exe").exists(), reason="there is no /proc on this system: run it on Linux"
)


@pytest.mark.r
@pytest.mark.parametrize("profile", ["evil.R", "", "'evil.R'", "none.R"])
def test_an_environment_file_that_names_a_profile_does_not_end_the_recording(tmp_path, profile):
    """The profile is read as R reads it by itself, and the calls are recorded."""
    written(tmp_path, "cat('of the profile\\n')\n", "evil.R")
    written(tmp_path, f"WHOSE=folder\nR_PROFILE={profile}\n", ".Renviron")
    found = run(tmp_path, f"m <- {FIT}\ncat(Sys.getenv('WHOSE'), '\\n')\n")
    assert (found.ending, found.lost) == ("done", 0)
    assert [call.function for call in found.calls] == ["stats::glm"]
    assert found.output == ("of the profile\n" if "evil" in profile else "") + "folder \n"


@pytest.mark.r
def test_the_homes_environment_file_that_names_a_profile_does_not_either(tmp_path, monkeypatch):
    home = tmp_path / "home"
    written(home, f"R_PROFILE={home}/own.R\n", ".Renviron")
    written(home, "options(own = 1)\n", "own.R")
    monkeypatch.setenv("HOME", str(home))
    found = run(tmp_path / "work", f"m <- {FIT}\nprint(getOption('own'))\n")
    assert (len(found.calls), found.lost, found.output) == (1, 0, "[1] 1\n")


CHILDREN = {
    "vanilla": "system2(file.path(R.home('bin'), 'Rscript'), c('--vanilla', 'child.R'))",
    "an environment of its own": "system(paste('env -i', file.path(R.home('bin'), 'Rscript'), 'child.R'))",
    "its code on the command line": (
        f"system2(file.path(R.home('bin'), 'Rscript'), c('--vanilla', '-e', shQuote(\"{FIT}; Sys.sleep(1)\")))"
    ),
    "left the session": (
        "system(paste('setsid', file.path(R.home('bin'), 'Rscript'), '--vanilla child.R'), wait = TRUE)"
    ),
}


@pytest.mark.nightly
@proc
@pytest.mark.r
@pytest.mark.parametrize("start", CHILDREN.values(), ids=CHILDREN)
def test_a_child_without_the_recorder_that_fits_is_a_lost_call(tmp_path, start):
    written(tmp_path, f"m <- {FIT}\nSys.sleep(1)\n", "child.R")
    said: list[str] = []
    found = run(tmp_path, f"{start}\n", say=said.append)
    assert (found.ending, found.calls, found.lost) == ("done", (), 1)
    assert "a program of R with an environment or options of its own" in found.why_lost
    assert any("another R ran without a recorder: R " in text for text in said)


@proc
@pytest.mark.r
def test_a_child_in_the_sandbox_is_seen_too(tmp_path):
    if strongest() is None:
        pytest.skip(NO_SANDBOX)
    written(tmp_path, f"m <- {FIT}\nSys.sleep(1)\n", "child.R")
    found = run(tmp_path, f"{CHILDREN['vanilla']}\nm <- {FIT}\n", sandbox=True)
    assert (len(found.calls), found.lost) == (1, 1)


@proc
@pytest.mark.r
def test_children_that_are_recorded_fork_or_fit_nothing_are_no_lost_calls(tmp_path):
    written(tmp_path, f"m <- {FIT}\nSys.sleep(1)\n", "child.R")
    written(tmp_path, "x <- 1\nSys.sleep(1)\n", "plain.R")
    found = run(
        tmp_path,
        "system2(file.path(R.home('bin'), 'Rscript'), 'child.R')\n"
        "system2(file.path(R.home('bin'), 'Rscript'), c('--vanilla', 'plain.R'))\n"
        f"l <- parallel::mclapply(1:2, function(i) {{ Sys.sleep(0.3); {FIT} }}, mc.cores = 2)\n",
    )
    assert (found.lost, len(found.calls)) == (0, 3)


def test_a_fork_and_a_process_that_became_another_program_are_none_of_their_own():
    ran = Ran(
        0, False, 1.0, b"", b"", 0, 1,
        (
            RProgram(10, 1, 10, ("R", "--file=analysis.R"), ""),
            RProgram(11, 10, 11, ("R", "--file=analysis.R"), ""),  # between fork and exec
            RProgram(11, 10, 11, ("R", "--vanilla"), "own"),
            RProgram(12, 11, 12, ("R", "--vanilla"), "fork of that"),
            RProgram(13, 10, 13, ("R", "--file=recorded.R"), ""),
            RProgram(14, 10, 0, ("R", "--vanilla"), "its own number is not known"),
        ),
    )  # fmt: skip
    records = Records(main="10", workers=frozenset({"13"}))
    assert [program.code for program in unrecorded(ran, records)] == ["own"]


@pytest.mark.r
def test_more_files_of_records_than_are_read_do_not_hide_the_scripts_own_and_are_told(tmp_path):
    text = (
        f"for (i in 1:{MOST_FILES + 5}) writeLines('{{}}', file.path(Sys.getenv('PAIRPROOF_CAPTURE'),"
        f" paste0(i, '.jsonl')))\nm <- {FIT}\n"
    )
    found = run(tmp_path, text)
    assert [call.function for call in found.calls] == ["stats::glm"]
    assert found.lost >= 5 and "files of records were left, and 1,000 are read" in found.why_lost


def test_in_a_sandbox_the_scripts_process_is_the_first_that_wrote_a_start(tmp_path):
    (tmp_path / "1.jsonl").write_text("{}\n")
    (tmp_path / "4.jsonl").write_text('{"type": "start", "r_version": "4.2.2"}\n')
    records = read_records(tmp_path, 99)
    assert (records.main, records.started, records.r_version) == ("4", True, "4.2.2")


@pytest.mark.r
def test_a_script_that_deletes_every_record_has_lost_its_calls(tmp_path):
    text = (
        f"m <- {FIT}\nunlink(file.path(Sys.getenv('PAIRPROOF_CAPTURE'), '*.jsonl'))\n"
        "reg.finalizer(globalenv(), function(e) NULL)\nSys.setenv(PAIRPROOF_CAPTURE = '')\n"
        "tools::pskill(Sys.getpid(), tools::SIGTERM); Sys.sleep(5)\n"
    )
    assert run(tmp_path, text).ending == "killed"
    text = (
        f"m <- {FIT}\nf <- Sys.getenv('PAIRPROOF_CAPTURE')\nsystem(paste0('(sleep 0.1; rm -rf ', f, ') &'))\n"
    )
    found = run(tmp_path, text + "Sys.sleep(1)\n")
    assert found.lost > 0


@pytest.mark.r
@pytest.mark.parametrize("change", [
    "m$coefficients[] <- 99",
    "m$deviance <- 0",
    "l <- list(a = m); l$a$coefficients[1] <- 5; l$a; m$coefficients <- 2 * m$coefficients",
    "n <- m; n$coefficients[] <- c(99)",
])  # fmt: skip
def test_a_fit_that_the_script_changes_is_told_with_its_line(tmp_path, change):
    found = run(tmp_path, f"m <- {FIT}\nprint(m)\n{change.replace('; ', chr(10))}\nprint(m)\n")
    assert found.lost == 0 and len(found.changed) >= 1
    name, place = found.changed[0]
    assert name in ("m", "n", "l") and place.line in (3, 4)


@pytest.mark.r
def test_a_fit_that_is_made_anew_renamed_or_shown_is_not_told_as_changed(tmp_path):
    text = (
        f"m <- {FIT}\nprint(m)\nsummary(m)\nm <- update(m, . ~ .)\nnames(m$coefficients) <- 'mean'\nm\n"
        f"l <- list(m, {FIT})\nl[[1]]\nm <- 3\nm\nm <- {FIT}\nm$call <- NULL\nm\n"
    )
    found = run(tmp_path, text)
    assert (found.ending, found.changed, found.lost) == ("done", (), 0)


@pytest.mark.r("psychotools")
def test_what_is_computed_from_worths_is_no_changed_fit_and_worths_of_which_a_part_is_replaced_are(tmp_path):
    text = (
        "library(psychotools)\ndata(GermanParties2009, package = 'psychotools')\ny <- GermanParties2009$preference\n"
        "one <- btmodel(y[1:90])\ntwo <- btmodel(y[91:180])\nd <- worth(one) - worth(two)\nd\nw <- worth(one)\nw <- round(w, 2)\nw\n"
    )
    found = run(tmp_path, text)
    assert (found.ending, found.changed, found.lost) == ("done", (), 0)
    assert [name for name, _ in run(tmp_path, f"{text}w <- worth(two)\nw[1] <- 0\nw\n").changed] == ["w"]


@pytest.mark.r
def test_a_migration_with_a_changed_fit_or_a_lost_call_did_not_do_all_that_was_asked(tmp_path):
    import pairproof

    script = written(tmp_path, f"m <- {FIT}\nm$coefficients[] <- 99\nm\n")
    found = pairproof.migrate(script, check=True)
    assert found.exit_code == 2
    assert "line 2: m is no longer the result of the fitting function" in str(found)
    assert found.to_dict()["changed"] == [{"variable": "m", "line": 2}]
    if os.path.exists("/proc/self/exe"):
        written(tmp_path, f"m <- {FIT}\nSys.sleep(1)\n", "child.R")
        script = written(tmp_path, f"{CHILDREN['vanilla']}\n")
        assert pairproof.migrate(script, check=True).exit_code == 2
