"""The page of models by verbs is what the fits do today."""

from __future__ import annotations

import pytest

from tools import what_a_fit_answers


@pytest.mark.nightly
def test_the_page_is_what_the_fits_answer_today_and_most_questions_have_an_answer() -> None:
    cells = what_a_fit_answers.asked()
    assert what_a_fit_answers.PAGE.read_text(encoding="utf-8") == what_a_fit_answers.page(cells)
    answered = [not said for own in cells.values() for said in own.values()]
    assert len(answered) == 300 and sum(answered) >= 285
