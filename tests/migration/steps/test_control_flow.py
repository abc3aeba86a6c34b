"""What is left early, what a function changes, what a copy leaves alone (control_flow.R), run by R and migrated."""

from __future__ import annotations

import pytest

from tests.migration.shares import python
from tests.migration.translate.beside import Migrated, migrated_in

pytestmark = [pytest.mark.r("BradleyTerry2"), pytest.mark.xdist_group("migrated control flow")]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "control_flow", __file__)


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_python_prints_the_lines_of_r_and_no_others(migrated):
    found, home = migrated
    ran = python(home, "control_flow.py", r="none")
    assert (found.exit_code, ran.returncode, ran.stderr) == (0, 0, "")
    ours, theirs = lines(ran.stdout), lines(found.captured.output)
    assert ours == [line for line in theirs if line in ours]
    # A return from a loop, quantile(): what depends on them is left out with them.
    left_out = ["first is ..s", "before 0", "before -0.88", "cut -0.976"]
    assert [line for line in theirs if line not in ours] == left_out


@pytest.mark.parametrize(
    "line",
    [
        "        continue",
        "        break",
        # The turns that come to a fit are those in which the script did not go on to the next before it.
        "    # not translated: if (by == 1) next: the loop runs over the turns in which a fit is made",
        # A choice between fits is made in Python.
        "    better = n",
        "first(m) -> first() returns from within its statements",
        # Copies stand only where one of the two is changed in place.
        "se = est.copy()",
        "v_2 = ab.copy()",
        "dev = []",
    ],
)
def test_a_statement_is_written_so_that_it_means_what_it_means_in_r(line, migrated):
    assert line in "\n".join(lines((migrated[1] / "control_flow.py").read_text()))


def test_nothing_is_copied_that_no_statement_changes(migrated):
    assert (migrated[1] / "control_flow.py").read_text().count(".copy()") == 4
