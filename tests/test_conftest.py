"""What was not run is counted with its reason, and R that is required and does not run is a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import pytest

@pytest.mark.r
def test_asks_r():
    raise AssertionError("it was run")

@pytest.mark.r("prefmod")
def test_asks_prefmod():
    raise AssertionError("it was run")

def test_needs_other_data(shared):
    raise AssertionError("it was run")

def test_needs_nothing():
    pass
"""


GROUPED = """
import os
import pytest

@pytest.mark.xdist_group("one process")
@pytest.mark.parametrize("k", range(6))
def test_shares(k, root):
    (root.parent / "processes").mkdir(exist_ok=True)
    (root.parent / "processes" / str(os.getpid())).touch()
"""


def test_tests_of_a_group_run_in_one_process(tmp_path):
    pytest.importorskip("xdist")
    (tmp_path / "suite" / "tests").mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path / "suite" / "tests")
    (tmp_path / "suite" / "tests" / "test_suite.py").write_text(GROUPED, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "tests"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "PAIRPROOF_"))}
    ran = subprocess.run(command, cwd=tmp_path / "suite", capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(list((tmp_path / "processes").iterdir())) == 1


@pytest.fixture
def run_without_r(tmp_path):
    """Runs SUITE under our conftest on a machine where R is not on PATH; returns the exit code and what was
    printed.
    """
    (tmp_path / "tests").mkdir()
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path / "tests")
    (tmp_path / "tests" / "test_suite.py").write_text(SUITE, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = r(*packages): asks R\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()

    def run(**settings: str) -> tuple[int, str]:
        keep = {
            name: value
            for name, value in os.environ.items()
            if name not in ("R_HOME", "PAIRPROOF_REQUIRE_R", "PAIRPROOF_HIDDEN")
        }
        environment = {**keep, "PATH": str(tmp_path / "empty"), **settings}
        ran = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests"], cwd=tmp_path,
                             capture_output=True, text=True, env=environment)  # fmt: skip
        return ran.returncode, ran.stdout

    return run


def test_without_r_its_tests_are_counted_as_not_run_with_the_reason(run_without_r):
    code, printed = run_without_r()
    assert code == 0, printed
    assert "not run: 3" in printed
    assert "    2  live R: " in printed
    assert "    1  the folder ../shared with data that are not ours to ship is not here" in printed
    assert "1 passed, 3 skipped" in printed.splitlines()[-1]


def test_where_r_is_required_its_absence_fails(run_without_r):
    code, printed = run_without_r(PAIRPROOF_REQUIRE_R="1")
    assert code == 1, printed
    assert "PAIRPROOF_REQUIRE_R is set, but live R: " in printed
    assert "1 passed, 1 skipped, 2 errors" in printed.splitlines()[-1]
