"""The page of Sakaguchi and Van Durme's experiments: its figures are those of its numbers."""

from __future__ import annotations

import functools
from html import unescape

import pytest

from pairproof.validation.check.claims_file import read_paper
from tools.pages import sakaguchi
from tools.pages.snippets import ROOT

pytestmark = pytest.mark.xdist_group("figures of Sakaguchi and Van Durme")
DRAWN = sorted(
    path.relative_to(ROOT) for path in (ROOT / sakaguchi.FIGURES).glob(f"{sakaguchi.FORMULAS}-*.svg")
)


@functools.lru_cache(maxsize=1)
def figures():
    """Every figure by its file; simulated once, and not while tests are collected."""
    return {sakaguchi.file_of(figure): figure for figure in sakaguchi.every_figure()}


def test_every_figure_that_a_simulation_can_redraw_is_on_the_page():
    assert set(DRAWN) == set(figures())
    names = {path.stem.replace(f"{sakaguchi.FORMULAS}-", "") for path in DRAWN}
    assert names == {*(f"figure-{n}" for n in (2, 3, 6, 7, 8, 9, 10))} | {
        f"assumptions-{truth}-over-{what}"
        for truth in ("lexical", "political")
        for what in ("shifts", "judgments")
    }
    page = (ROOT / sakaguchi.PAGE).read_text(encoding="utf-8")
    assert all(f"({path.relative_to('docs')})" in page for path in DRAWN)


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_a_figure_shows_the_numbers_that_are_found_now(path):
    drawn = unescape((ROOT / path).read_text(encoding="utf-8"))
    assert figures()[path].description in drawn, "python -m tools.pages.sakaguchi draws it anew"


@pytest.mark.parametrize(
    "path", [p for p in DRAWN if p.stem.endswith(("figure-3", "figure-8"))], ids=lambda p: p.stem
)
def test_a_figure_is_drawn_the_same_again(path, tmp_path):
    copies = [tmp_path / f"{k}" / path.name for k in range(2)]
    for copy in copies:
        copy.parent.mkdir()
        sakaguchi.draw(figures()[path], copy)
    assert copies[0].read_bytes() == copies[1].read_bytes()


def test_every_claim_of_both_files_is_on_the_page():
    page = (ROOT / sakaguchi.PAGE).read_text(encoding="utf-8")
    words = " ".join(page.replace("\\", "").split())
    for paper in (sakaguchi.SIMULATED, sakaguchi.FORMULAS):
        for claim in read_paper(paper).claims:
            if claim.statement:
                assert " ".join(claim.statement.split()) in words, claim.id
