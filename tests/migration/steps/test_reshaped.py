"""Tables, pairs and sets of names after a fit (reshaped.R), and variables called as Python's are (named.R)."""

from __future__ import annotations

import pytest

from pairproof.bridge.capture.recorded import Place
from pairproof.migration.steps.flow import Done
from pairproof.migration.written_files import _printed_otherwise
from tests.migration.shares import python, share
from tests.migration.translate.beside import Migrated, assert_no_number_differs, migrated_in


@pytest.fixture(scope="module")
def reshaped(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "reshaped", __file__)


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "named", __file__)


class TestReshaped:
    pytestmark = [pytest.mark.r("BradleyTerry2"), pytest.mark.xdist_group("migrated reshaped")]

    def test_no_number_differs_and_no_statement_is_lost(self, reshaped):
        assert_no_number_differs(reshaped)
        assert [d.text for d in reshaped[0].done if d.state in ("comment", "partly")] == []

    def test_the_script_alone_prints_what_r_printed(self, reshaped):
        found, home = reshaped
        ran = python(home, "reshaped.py", r="none")
        assert (ran.returncode, ran.stderr) == (0, "")
        of = share(found.captured.output, ran.stdout)
        assert of.missing == () and of.agree == 151
        assert (home / "abilities.txt").read_text().startswith(
            "journal\tability\tse\thigh\tlow\thalf\n1\tBiometrika\t0.0\t0.0\t0.0\t0.0\tnone\n2\t"
        )

    @pytest.mark.parametrize(
        "line",
        [
            "pairs = pd.DataFrame(itertools.combinations(list(a.index), 2)).T",
            "gaps = np.array([p[0] - p[1] for p in list(itertools.combinations(a, 2))])",
            # A text is one name, and not its letters.
            "a.loc[[v for v in list(a.index) if v != j]].mean()",
            "dev = pd.Series(dtype=float)",
        ],
    )
    def test_a_statement_is_written_so(self, line, reshaped):
        assert line in (reshaped[1] / "reshaped.py").read_text()


class TestNamed:
    pytestmark = [pytest.mark.r("psychotools"), pytest.mark.xdist_group("migrated named")]

    def test_no_loop_changes_a_variable_of_the_script(self, named):
        assert_no_number_differs(named)
        found, home = named
        assert [d.text for d in found.done if d.state == "comment"] == []
        ran = python(home, "named.py", r="none")
        said = "items 2 file scores.csv reference SPD of n 3"
        assert said in ran.stdout and said in found.captured.output
        assert share(found.captured.output, ran.stdout).missing == ()

    def test_observations_of_a_paired_comparison_model_are_persons(self, named):
        text = (named[1] / "named.py").read_text()
        assert "show(m.n_comparisons / 15)  # line 21: nobs(m)" in text


def test_a_statement_whose_lines_the_script_prints_otherwise_is_found() -> None:
    def done(said: str) -> Done:
        return Done(1, Place(1, 1), "x", "translated", lines=("show(x)",), said=said)

    rows, word, noise = done("SPD 0.25\nFDP 0.5\n"), done("written to scores.csv\n"), done("a 3e-17\n")
    printed = "SPD 0.25\nFDP 0.5\nwritten to scores.csv\na -2e-16\n"
    assert _printed_otherwise([rows, word, noise], printed) == []
    assert _printed_otherwise([rows, word], printed.replace("0.5", "0.51")) == [rows]
    assert _printed_otherwise([rows, word], printed.replace("scores", "data/m")) == [word]
