"""What analysts do after a fit (after_fits.R), run by R and migrated: parts, lists of fits, choices, sums by group."""

from __future__ import annotations

import pytest

from tests.migration.shares import python, share
from tests.migration.translate.beside import Migrated, migrated_in

pytestmark = [pytest.mark.r("BradleyTerry2"), pytest.mark.xdist_group("migrated after fits")]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "after_fits", __file__)


def test_no_number_differs_and_all_that_stays_out_is_said(migrated):
    found, _ = migrated
    # A day without a contest of some players: R has a number for what the data do not determine.
    assert {a.verdict for a in found.agreements} == {"agrees", "not-estimable"}
    lost = [d.text.partition(" <- ")[0] for d in found.done if d.state == "comment"]
    assert found.exit_code == 0 and lost == []


def test_the_script_alone_prints_what_r_printed(migrated):
    found, home = migrated
    ran = python(home, "after_fits.py", r="none")
    assert (ran.returncode, ran.stderr) == (0, "")
    # A heading of the intervals is "low" and "high" here; all numbers are there.
    assert share(found.captured.output, ran.stdout).missing == ("97.5",)


@pytest.mark.parametrize(
    "line",
    [
        # What a helper gave is no variable of an expression that goes on with it.
        'residuals_10 = pairproof.contest_residuals(m, "deviance")',
        # What a condition needs stands before it.
        "if bool(np.any(pd.isna(q))):",
        # Rows without names are numbered from 1, and equal ones stay in their order.
        '.set_axis(range(1, 7))).sort_values(ascending=False, kind="stable")',
        # A list that a loop filled with fits has them by name.
        'show(fits["Mon"].deviance + fits["Tue"].deviance)',
        # Places count R's coefficients, the intercept among them.
        'show(estimates_g.loc[["A", "B"]])',
        'show(g.params.drop("reference")["B"])',
        # R's AIC of half wins is another one, and stands beside ours.
        "R's AIC in that run",
        '.rename("odds")',
    ],
)
def test_a_statement_after_the_fit_means_what_it_means_in_r(line, migrated):
    assert line in (migrated[1] / "after_fits.py").read_text()


def test_lines_of_cat_end_where_r_ends_them(migrated):
    ran = python(migrated[1], "after_fits.py", r="none")
    assert "\ns: -1.37\nthat is all\n" in ran.stdout
