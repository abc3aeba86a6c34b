"""What CI proves: nothing that it hides from a run can be had in it, and what a run leaves out is the same without R."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

#: How a test asks R, live or recorded.
ASKS_R = re.compile(r"pairproof\.bridge|from \.+bridge|verify\(|Rscript|\br_status|mark\.r\b")


def without(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script that hides things, in an environment with these settings."""
    return subprocess.run(
        ["sh", str(root / "scripts" / "without.sh"), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PAIRPROOF_HIDDEN": "", **environment},
    )


@pytest.fixture
def machine(tmp_path: Path) -> str:
    """A PATH whose first folder has a browser, an R and a program of another name."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("chromium", "chromedriver", "R", "Rscript", "other"):
        (folder / name).write_text("#!/bin/sh\necho it is here\n")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize(("what", "hidden", "named"), [
    ("browser", ["chromium", "chromedriver", "google-chrome"], "chromium"), ("r", ["R", "Rscript"], "R"),
])  # fmt: skip
def test_a_hidden_program_is_not_found_and_the_others_of_its_folder_are(root, machine, what, hidden, named):
    asked = "; ".join(f"command -v {name}" for name in hidden)
    ran = without(
        root, what, "--", "sh", "-c", f"{asked}; other; echo [$PAIRPROOF_HIDDEN]; exit 7", PATH=machine
    )
    said, *printed = ran.stdout.splitlines()
    assert ran.returncode == 7, ran.stderr
    assert said.endswith(" hidden") and printed == ["it is here", f"[{named}]"]


def test_names_that_were_hidden_before_stay_named(root, machine):
    ran = without(
        root, "browser", "--", "sh", "-c", "echo $PAIRPROOF_HIDDEN", PATH=machine, PAIRPROOF_HIDDEN="pyarrow"
    )
    assert ran.stdout.splitlines()[-1] == "pyarrow chromium"


@pytest.mark.parametrize(("arguments", "said"), [
    (["pandas", "--", "true"], "pandas: expected r-packages, r, browser"), (["--", "true"], "what is to be hidden?"), (["r"], "no command after --"),
])  # fmt: skip
def test_what_cannot_be_hidden_is_refused(root, arguments, said):
    ran = without(root, *arguments)
    assert ran.returncode == 2 and said in ran.stderr and ran.stdout == ""


@pytest.mark.r
def test_of_rs_packages_the_required_ones_and_what_they_need_stay(root, tmp_path):
    source = tmp_path / "eba"  # a name of r_requirements.txt, and nothing in it
    source.mkdir()
    (source / "DESCRIPTION").write_text(
        "Package: eba\nVersion: 9.9\nTitle: T\nDescription: D.\nLicense: MIT\nAuthor: A\nMaintainer: A <a@b>\n"
    )
    (source / "NAMESPACE").write_text("")
    library = tmp_path / "library"
    library.mkdir()
    subprocess.run(
        ["R", "CMD", "INSTALL", "--no-docs", "-l", str(library), str(source)], check=True, capture_output=True
    )
    asked = 'for (p in c("eba", "psychotools", "qvcalc", "stats")) cat(p, requireNamespace(p, quietly = TRUE), "")'
    libraries = os.pathsep.join(filter(None, [str(library), os.environ.get("R_LIBS", "")]))
    plain = subprocess.run(
        ["Rscript", "-e", asked], capture_output=True, text=True, env={**os.environ, "R_LIBS": libraries}
    )
    assert plain.stdout.startswith("eba TRUE ")
    for how in ("--vanilla", "--no-init-file"):
        ran = without(root, "r-packages", "--", "Rscript", how, "-e", asked, R_LIBS=libraries)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.splitlines()[-1].strip() == "eba FALSE psychotools TRUE qvcalc TRUE stats TRUE"
    assert re.search(r"^without: R packages hidden:.* eba\b", ran.stdout, re.MULTILINE)


def suite_in(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one test under our conftest."""
    (tmp_path / "tests").mkdir()
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path / "tests")
    (tmp_path / "tests" / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PAIRPROOF_REQUIRE_R": "", **environment},
    )


def test_a_suite_does_not_begin_where_something_hidden_can_be_had(tmp_path, machine):
    ran = suite_in(tmp_path, PATH=machine, PAIRPROOF_HIDDEN="chromium")
    assert ran.returncode == 4, ran.stdout
    assert "PAIRPROOF_HIDDEN: chromium, chromedriver can be had although hidden" in ran.stderr


def test_a_suite_says_what_is_hidden_from_it(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    ran = suite_in(tmp_path, PATH=str(tools), R_HOME="", PAIRPROOF_HIDDEN="chromium R")
    assert ran.returncode == 0, ran.stderr
    assert "not to be had here, as asked: chromium, R" in ran.stdout and "1 passed" in ran.stdout


def test_what_the_run_without_r_leaves_out_never_asks_r(root):
    rooms = re.search(
        r"^alike=\((.*?)\)", (root / ".ci" / "run").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert rooms is not None and len(rooms[1].split()) > 3
    for room in rooms[1].split():
        files = sorted((root / room).rglob("*.py"))
        assert files, room
        assert [str(f) for f in files if ASKS_R.search(f.read_text("utf-8"))] == []
