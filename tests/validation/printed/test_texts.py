"""Every kept text is read, its model is found, and its numbers come out of its data."""

from __future__ import annotations

import pytest

from pairproof.validation.printed.beside import check_printed, read_pages
from tests.validation.printed.pages import PAGES, TEXTS, data

#: R's AIC of half counts, which rounds them.
OTHERWISE = {"springall.txt": {"aic_glm"}}


@pytest.mark.parametrize("name", PAGES)
def test_all_numbers_of_a_page_are_read_and_come_out_of_its_data(name: str) -> None:
    of, n = PAGES[name]
    found = check_printed(str(TEXTS / name), data(of), r="none")
    said = found.context.first_lines
    rows = [a for a in found if a.verdict != "not-checkable" and a.about == "printed"]
    assert len(rows) == n
    assert {str(a.quantity) for a in rows if not a.passes} <= OTHERWISE.get(name, set())
    assert any(name in sentence for sentence in said)


@pytest.mark.parametrize(
    ("name", "family", "ties", "scale", "reference"),
    [
        ("btm_summary.txt", "bradley-terry", "none", "log-odds", "Baltimore"),
        ("btm_refcat.txt", "bradley-terry", "none", "log-odds", "Milwaukee"),
        ("springall.txt", "bradley-terry", "half", "log-odds", "1"),
        ("gnm_o.txt", "llbt", "davidson", "lambda", "Stockholm"),
        ("btmodel_summary.txt", "bradley-terry", "none", "log-odds", "FDP"),
        ("pdf_minus.txt", "llbt", "none", "lambda", "Biometrika"),
        ("page.html", "bradley-terry", "none", "log-odds", "Baltimore"),
    ],
)
def test_family_ties_scale_and_reference_are_found(name, family, ties, scale, reference) -> None:
    (page,) = read_pages(str(TEXTS / name), data(PAGES[name][0]))
    model = page.found.model
    assert (model.family, model.ties, model.scale, model.reference) == (family, ties, scale, reference)
