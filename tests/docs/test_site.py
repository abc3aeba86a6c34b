"""The site is built, without a dead link and with every page and every public name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pairproof
from tools.pages import on_demand
from tools.pages.snippets import ROOT
from tools.site import __main__ as site, contents


def test_every_page_has_a_place_on_the_site():
    here = {
        page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in (ROOT / "docs").rglob("*.md")
    }
    made = {f"examples/{name}" for name in on_demand.PAGES}
    placed = [name for names in contents.ORDER.values() for name in names]
    assert len(placed) == len(set(placed))
    assert here | made | {"reference/index"} == {*placed, "index"}


def test_every_public_name_is_in_a_section_of_the_reference():
    text = "".join(contents.reference().values())
    hidden = {"__version__", "campaign", "Fit"}
    assert [n for n in pairproof.__all__ if n not in hidden and f":: {n}\n" not in text] == []


def test_a_link_that_leaves_the_pages_is_plain_text_on_the_site():
    text = "see [the licence](../LICENSE), [data](data.md#order), [figure](figures/a.png)"
    shown = contents.linked("limits.md", text, {}, {"data.md", "limits.md"})
    assert shown == "see the licence, [data](data.md#order), [figure](figures/a.png)"
    deep = contents.linked("tutorials/votes.md", "[d](../data.md), [x](../../tools/x.py)", {}, {"data.md"})
    assert deep == "[d](../data.md), x"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_site_is_built_without_a_warning(tmp_path):
    if lacking := site.lacking():
        pytest.skip(
            f"{', '.join(lacking)} not installed: pip install {' '.join(lacking)}; the site was not built"
        )
    assert site.main(tmp_path) == 0
    built = {page.relative_to(tmp_path).as_posix() for page in Path(tmp_path).rglob("*.html")}
    assert {f"{name}.html" for names in contents.ORDER.values() for name in names} <= built
    assert re.search("fit_llbt", (tmp_path / "reference" / "fitting-comparisons.html").read_text("utf-8"))
