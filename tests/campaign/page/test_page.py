"""The page of a batch in a real browser: answered by keyboard and by mouse, saved, and taken in."""

from __future__ import annotations

import csv
import json
import re

import pytest

from pairproof.campaign import create, open_batch, status, take_in
from tests.campaign.page import browser
from tests.campaign.page.browser import Browser

TEXTS = [
    "obama is right",
    "</script><script>document.title = 'broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "日本語 ✓",
    "مرحبا بالعالم",
    '=HYPERLINK("http://x")',
]


def page_of(tmp_path, per_hit=3):
    items = tmp_path / "items.csv"
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [["id", "sent"], *([f"={k}" if k == 2 else str(k), text] for k, text in enumerate(TEXTS))]
        )
    path = tmp_path / "C.db"
    create(path, items, per_hit=per_hit, seed=3)
    batch = open_batch(path, tmp_path / "batch.html")
    return path, batch, tmp_path / "batch.html"


def test_the_page_holds_everything_it_needs_and_forbids_itself_every_connection(tmp_path):
    _, batch, page = page_of(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text and not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource", text)
    data = json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    )
    assert data["hits"] == [[{"id": name, "cells": list(cells)} for name, cells in hit] for hit in batch.hits]


def results_of(file):
    return list(csv.DictReader(file.open(encoding="utf-8")))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    """One browser for all tests of the page: its start takes most of their time."""
    reason = browser.missing()
    if reason:
        pytest.skip(reason)
    with Browser(tmp_path_factory.mktemp("downloads")) as started:
        yield started


@pytest.fixture
def web(chromium):
    for left in chromium.downloads.iterdir():
        left.unlink()
    chromium.log("browser"), chromium.log("performance")
    yield chromium
    errors = [entry for entry in chromium.log("browser") if entry["level"] == "SEVERE"]
    assert not errors, errors


def test_a_batch_answered_by_keyboard_is_saved_and_taken_in(tmp_path, web):
    path, batch, page = page_of(tmp_path)
    web.open(page)
    assert web.run("return document.title") == "Annotation"
    shown = web.run("return Array.from(document.querySelectorAll('.text'), (e) => e.textContent)")
    assert shown == [cells[0] for _, cells in batch.hits[0]]
    assert web.run("return document.querySelectorAll('#items img, #items script').length") == 0
    # The first item has the focus. Typed, moved by 1 and 10, cannot judge; Enter with an item left open goes
    # to it.
    web.press("7", "2", "Down", "Right", "Shift+Right", "Enter")
    assert "Item 3 has no score yet" in web.text("#message")
    web.press("n", "Enter")
    assert web.text("#place") == "HIT 2 of 2, 1 answered"
    web.press("Home", "Down", "End", "Down", "5", "Left", "Enter")
    assert "This was the last one" in web.text("#message")
    web.run("document.getElementById('worker').focus()")
    web.press(*"Zoe")
    web.run("document.getElementById('save').focus()")
    web.press("Enter")
    rows = results_of(web.downloaded())
    assert [[r[f"Answer.range{k}"] for k in (1, 2, 3)] for r in rows] == [["72", "61", ""], ["0", "100", "4"]]
    assert [[r[f"Answer.na{k}"] for k in (1, 2, 3)] for r in rows] == [["", "", "on"], ["", "", ""]]
    assert {r["WorkerId"] for r in rows} == {"Zoe"} and len({r["AssignmentId"] for r in rows}) == 2
    assert not [c for r in rows for c in r.values() if c.startswith("=")]
    taken = take_in(path, web.downloaded())
    assert (taken.new, taken.scores, taken.cannot_judge) == (2, 5, 1)
    score = {i: s for i, s in zip(status(path).ids, status(path).state.score)}
    ids = [name for hit in batch.hits for name, _ in hit]
    assert [score[i] for i in ids] == pytest.approx([0.72, 0.61, 0.5, 0.0, 1.0, 0.04], abs=1e-15)


def test_a_batch_answered_by_mouse_in_two_sittings_counts_each_judgment_once(tmp_path, web):
    path, batch, page = page_of(tmp_path)
    web.open(page)
    assert web.text("#items > li:nth-child(1) output") == "?"  # no score until one is given
    web.click("#save")
    assert "nothing to save" in web.text("#message")
    for k, across in ((1, 0.25), (2, 0.5)):  # the middle is where the knob stands already
        web.click(f"#items > li:nth-child({k}) input[type=range]", across)
    web.click("#items > li:nth-child(3) input[type=checkbox]")
    web.click("#save")
    first = web.downloaded()
    assert "1 are not complete" in web.text("#message")
    rows = results_of(first)
    assert (
        len(rows) == 1
        and abs(int(rows[0]["Answer.range1"]) - 25) <= 3
        and abs(int(rows[0]["Answer.range2"]) - 50) <= 1
    )
    assert rows[0]["Answer.na3"] == "on"
    taken = take_in(path, first)
    assert (taken.new, taken.scores) == (1, 2)
    first.unlink()
    # What is in a file stays; the page remembers it when it is opened again.
    web.open(page)
    assert (
        web.run("return Array.from(document.querySelectorAll('input[type=range]'), (e) => e.disabled)")
        == [True] * 3
    )
    web.click("#next")
    for k in (1, 2, 3):
        web.click(f"#items > li:nth-child({k}) input[type=range]", 0.9)
    web.click("#save")
    again = take_in(path, web.downloaded())
    assert (again.new, again.known) == (1, 1) and status(path).judgments == 2


def test_the_page_asks_the_network_for_nothing(tmp_path, web):
    _, _, page = page_of(tmp_path)
    web.open(page)
    web.press("7", "Down", "8")
    asked = [json.loads(entry["message"])["message"] for entry in web.log("performance")]
    urls = {m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"}
    assert urls <= {page.as_uri()} and any(m["method"].startswith("Page.") for m in asked)


def test_another_person_starts_over_on_the_same_computer(tmp_path, web):
    _, _, page = page_of(tmp_path)
    web.open(page)
    for k in (1, 2, 3):
        web.click(f"#items > li:nth-child({k}) input[type=range]", 0.3)
    web.click("#save")
    first = results_of(web.downloaded())
    web.click("#over")
    assert (
        web.text("#place") == "HIT 1 of 2, 0 answered" and web.text("#items > li:nth-child(1) output") == "?"
    )
    web.downloaded().unlink()
    for k in (1, 2, 3):
        web.click(f"#items > li:nth-child({k}) input[type=range]", 0.6)
    web.click("#save")
    second = results_of(web.downloaded())
    assert first[0]["AssignmentId"] != second[0]["AssignmentId"]
