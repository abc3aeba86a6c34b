"""What packages print of their fits (of_packages.R), run by R and migrated: eba, btmodel, predicted effects."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.migration.steps.compared import same
from pairproof.migration.steps.python import laid_out
from tests.migration.shares import python
from tests.migration.translate.beside import Migrated, migrated_in

of_r = [pytest.mark.r("BradleyTerry2", "eba", "psychotools"), pytest.mark.xdist_group("migrated of packages")]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "of_packages", __file__)


class TestRun:
    pytestmark = of_r

    def test_no_number_differs(self, migrated):
        found, _ = migrated
        assert found.exit_code == 0 and {a.verdict for a in found.agreements} <= {"agrees", "not-checkable"}

    @pytest.mark.parametrize(
        "line",
        [
            "print(eba_summary(btl, sum_btl))",
            'worths_btl = btl.worth().set_index("item")["worth"]',
            "stochastic_transitivity(",
            'm.data.to_frame()["person"].nunique()',
            'show(pql.effects().set_index("item")["effect"])',
            ".mean().unstack()",
        ],
    )
    def test_a_statement_is_of_the_fit_in_python(self, line, migrated):
        source = (migrated[1] / "of_packages.py").read_text()
        assert line in " ".join(source.split()).replace(") .", ").") or line in source

    def test_all_that_r_printed_is_printed_but_for_results_of_other_tests(self, migrated):
        found, home = migrated
        ran = python(home, "of_packages.py", r="none")
        assert (ran.returncode, ran.stderr) == (0, "")
        counts = found.to_dict()["printed_by_r"]
        # Three adjusted p-values of binom.test(); the worths of summary() are R's by its sum.
        assert counts["not_in_python"] <= 4 and counts["differ"] == 0
        assert counts["computed"] >= 0.75 * counts["numbers"]


def test_a_number_that_ends_with_its_point_is_rounded_there() -> None:
    assert same("5499.31", "5499.") and not same("5500", "5499") and not same("5498.31", "5499.")


def test_long_constants_stand_in_rows() -> None:
    lines = list(laid_out(f"win = np.array([{', '.join(map(str, range(100, 140)))}])"))
    assert len(lines) == 6 and max(map(len, lines)) <= 110
    values = {"np": np}
    exec("\n".join(lines), values)
    assert values["win"].tolist() == list(range(100, 140))
