"""A screen of agreements: at most 60 lines at any width, what needs attention first, what is left out counted."""

from __future__ import annotations

import pytest

from pairproof.validation.claims.quantities import Quantity
from pairproof.validation.report.rendering import ReportContext, render_text
from pairproof.validation.report.terminal import LINES, fit_screen, screen
from pairproof.validation.verdicts.agreement import Agreement

CONTEXT = ReportContext(title="Do they agree?", versions={"pairproof": "0"})


def agreement(claim: str, name: str, verdict: str = "agrees", **more: object) -> Agreement:
    given = {"printed": "0.5", "native": 0.5, "r": 0.5, "digits": 12.0, "floor": 9.0, "about": "printed"}
    call = {"r_call": "stats::glm, refitted", "r_source": "live"}
    given |= more
    return Agreement(claim.partition(" ")[0], claim, Quantity.parse(name), verdict=verdict, **call, **given)  # type: ignore[arg-type]


def many(differing: int = 0) -> list[Agreement]:
    """90 claims of three papers with 20 numbers each, of which some differ."""
    made = []
    for k in range(1800):
        claim = f"paper{k % 3} claim {k % 90}"
        why = (
            f"number {k} is another one, for a reason that takes quite some words to tell to whoever reads it"
        )
        bad = {"verdict": "differs", "digits": 1.0, "explanation": why, "code": "few-digits"}
        made.append(agreement(claim, f"estimate.item {k}", **(bad if k < differing else {})))  # type: ignore[arg-type]
    return made


@pytest.mark.nightly
@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("differing", [0, 3, 400])
def test_a_screen_has_at_most_60_lines(width: int, differing: int) -> None:
    text = screen(many(differing), CONTEXT, width=width)
    assert text.count("\n") <= LINES and max(map(len, text.splitlines())) <= width


def test_the_lines_that_name_reports_are_lines_of_the_screen_too() -> None:
    reports = ("a.html", "a.json", "a.xml")
    text = screen(many(400), CONTEXT, width=100, reports=reports)
    assert text.count("\n") + len(reports) <= LINES


def test_every_difference_stands_on_the_screen_or_is_counted() -> None:
    few, lots = screen(many(3), CONTEXT, width=100), screen(many(400), CONTEXT, width=100)
    assert all(f"number {k} is another one" in " ".join(few.split()) for k in range(3))
    shown = lots.count(": number ")
    assert 0 < shown < 400 and f"and {400 - shown} more" in lots
    assert "400 are not" in lots and "TOO FEW" in lots


def test_the_screen_says_where_the_rest_is() -> None:
    assert "--full prints them, --report FILE.html" in " ".join(screen(many(), CONTEXT, width=100).split())
    named = screen(many(), CONTEXT, width=100, reports=["reports/validate.html"])
    assert "All 1,800 agreements: reports/validate.html, or --full." in named


def test_full_and_what_fits_are_shown_whole() -> None:
    rows = many(3)
    whole = screen(rows, CONTEXT, width=100, full=True)
    assert whole == render_text(rows, CONTEXT, width=100) and whole.count("\n") > 1800
    little = [agreement("paper claim", f"estimate.{k}") for k in range(5)]
    assert screen(little, CONTEXT, width=100) == render_text(little, CONTEXT, width=100)


def test_the_screen_of_one_fit_shows_what_lacks_digits_however_far_down_it_stands() -> None:
    rows = [agreement("", f"estimate.x{k}", about="native-r", printed=None) for k in range(300)]
    rows[250] = agreement(
        "", "estimate.x250", "differs", about="native-r", printed=None, digits=2.0, explanation="why"
    )
    text = fit_screen(rows, CONTEXT)
    assert text.count("\n") <= LINES and "2.0!" in text and "of 300 quantities are not shown" in text
    assert fit_screen(rows, CONTEXT, full=True).count("estimate.x") >= 300


def test_the_screen_counts_what_was_compared_by_paper() -> None:
    text = screen(many(3), CONTEXT, width=100)
    row = next(line.split() for line in text.splitlines() if line.startswith("paper0 "))
    assert row == ["paper0", "30", "600", "0", "600", "599", "1", "1"]
