"""Pages to look at: texts, hostile ones among them, and steps that an annotator takes."""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path
from typing import Any

from pairproof.campaign.page.batch_page import PageData, PageHit, PageSlot, page_html
from tests.campaign.page.browser import Browser

SIX = ["one small step", "two by two", "three of a kind", "four seasons", "five o'clock", "six feet"]
#: Each page is of another campaign, so that none sees what another one kept in the browser.
_campaigns = itertools.count(1)


def page_data(
    items: list[str] = SIX, per_hit: int = 3, shown: tuple[str, ...] = (), **options: Any
) -> PageData:
    """HITs of these items in their order; `shown` are the names of columns whose cells are `NAME of TEXT`."""
    slots = [PageSlot(text, tuple(f"{name} of {text}" for name in shown)) for text in items]
    hits = tuple(
        PageHit(k // per_hit + 1, tuple(slots[k : k + per_hit])) for k in range(0, len(slots), per_hit)
    )
    options.setdefault("campaign", f"c0ffee{next(_campaigns):04d}")
    return PageData(batch=1, hits=hits, per_hit=per_hit, show=shown, **options)


def write_page(folder: Path, data: PageData, name: str = "batch-1") -> Path:
    path = folder / f"{name}.html"
    path.write_text(page_html(data), encoding="utf-8")
    return path


def json_of(page: Path) -> Any:
    """What the page's script gets."""
    text = page.read_text(encoding="utf-8")
    return json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    )


def begin(web: Browser, page: Path, name: str = "Zoe", query: str = "") -> None:
    """Open the page, give a name unless it has one, and begin."""
    web.open(page, query)
    web.run("const w = document.getElementById('worker'); if (!w.readOnly && !w.value) w.focus()")
    if web.run("return document.activeElement.id") == "worker":
        web.press(*name)
    web.click("#begin")


def line(k: int) -> str:
    """Item k's line, from 1 as it stands on the page."""
    return f"#items > li:nth-child({k}) input[type=range]"


def box(k: int) -> str:
    return f"#items > li:nth-child({k}) input[type=checkbox]"


def shown_scores(web: Browser) -> list[str]:
    return web.run("return Array.from(document.querySelectorAll('#items .score'), (e) => e.textContent)")


def save(web: Browser) -> list[dict[str, str]]:
    """The rows of the results file, saved by keyboard from wherever one is."""
    web.run("document.getElementById('finish').click()")
    web.run("document.getElementById('save').focus()")
    web.press("Enter")
    file = web.downloaded()
    rows = list(csv.DictReader(file.open(encoding="utf-8", newline="")))
    file.unlink()
    return rows
