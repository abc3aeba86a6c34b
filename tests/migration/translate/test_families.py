"""Quasi families, other links, interactions and eliminated terms (families.R): what is printed is R's, or says whose it is."""

from __future__ import annotations

import pytest

from tests.migration.shares import python, share
from tests.migration.translate.beside import Migrated, assert_no_number_differs, migrated_in, step

pytestmark = [pytest.mark.r("BradleyTerry2", "prefmod", "gnm"), pytest.mark.xdist_group("families")]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Migrated:
    return migrated_in(tmp_path_factory, "families")


@pytest.fixture(scope="module")
def printed(migrated: Migrated) -> str:
    ran = python(migrated[1], "families.py", r="none")
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def of_line(migrated: Migrated, line: int) -> str:
    """What R printed there."""
    task = next(d.task for d in migrated[0].done if d.place.line == line)
    return migrated[0].captured.outputs[task]


def test_no_number_differs(migrated: Migrated) -> None:
    assert_no_number_differs(migrated)


@pytest.mark.parametrize("line", [11, 12, 13, 14, 15, 16, 22, 25])
def test_a_quasi_family_is_printed_with_r_s_errors_t_and_p(
    line: int, migrated: Migrated, printed: str
) -> None:
    # R's AIC is NA; its percent signs of intervals are "low" and "high" here.
    missing = share(of_line(migrated, line), printed).missing
    assert set(missing) <= {"97.5"} | (
        {"1.36557"} if line == 25 else set()
    )  # R's dispersion of what stays in R


def test_the_dispersion_of_eliminated_cells_is_r_s(migrated: Migrated, printed: str) -> None:
    assert "dispersion parameter" in of_line(migrated, 22).lower() and "1.797046" in printed
    assert step(migrated, "qp").translation.route == "bridge"  # its errors are of the expected information


def test_errors_of_another_information_are_in_no_table_under_r_s_names(
    migrated: Migrated, printed: str
) -> None:
    (lost,) = [d for d in migrated[0].done if d.text == "vcov(p)"]
    assert lost.state == "comment" and "defined differently" in lost.why
    assert "Standard errors use the observed information" in printed


def test_one_dependence_of_two_answers_is_no_covariate_of_persons(migrated: Migrated, printed: str) -> None:
    found = step(migrated, "gd").translation
    assert found.route == "bridge" and "1 of 12 dependences of two answers" in found.reason
    assert share(of_line(migrated, 34), printed).missing == ()


@pytest.mark.parametrize("line", [38, 39])
def test_the_deviance_of_eliminated_groups_is_r_s(line: int, migrated: Migrated, printed: str) -> None:
    assert "Deviance:  43.22297" in of_line(migrated, line)
    assert printed.count("43.2230 on 21 df") == 2


def test_a_table_of_tests_has_no_column_that_is_empty_and_no_aic_that_r_has_not(migrated: Migrated) -> None:
    text = (migrated[1] / "families.py").read_text()
    assert 'anova_44.drop(columns=["aic"])' in text and 'add1_47.drop(columns=["aic", "llf", "note"])' in text
