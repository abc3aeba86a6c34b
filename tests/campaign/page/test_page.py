"""The page of a batch in a real browser: answered by keyboard, mouse and finger, kept, saved, and taken in."""

from __future__ import annotations

import csv
import dataclasses
import json

import numpy as np
import pytest

from pairproof.campaign import create, open_batch, status, take_in
from pairproof.campaign.page.batch_page import PageHit, PageSlot
from pairproof.campaign.results.readers import decode
from tests.campaign.page.pages import SIX, begin, box, line, page_data, save, shown_scores, write_page

#: One browser for all of them: its start takes most of their time.
pytestmark = pytest.mark.xdist_group("browser")


def page_of(tmp_path, per_hit=3):
    items = tmp_path / "items.csv"
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [["id", "sent"], *([f"={k}" if k == 2 else str(k), text] for k, text in enumerate(SIX))]
        )
    path = tmp_path / "C.db"
    create(path, items, per_hit=per_hit, seed=3)
    batch = open_batch(path, tmp_path / "batch.html")
    return path, batch, tmp_path / "batch.html"


def answers(rows, n=3):
    return [[r[f"Answer.range{k}"] for k in range(1, n + 1)] for r in rows]


def knob(web, k):
    """Where the knob of item k's line is seen, as a share of the line's width, or None."""
    web.run("document.activeElement.blur()")  # the picture holds no other colour than the knob's
    picture = web.picture(line(k))
    coloured = np.ptp(picture[..., :3], axis=2) > 0.3
    return None if not coloured.any() else float(np.nonzero(coloured)[1].mean() / (picture.shape[1] - 1))


# -- answering -----------------------------------------------------------------------------------------------


def test_a_batch_answered_by_keyboard_is_saved_and_taken_in(tmp_path, web):
    path, batch, page = page_of(tmp_path)
    begin(web, page)
    shown = web.run("return Array.from(document.querySelectorAll('.text'), (e) => e.textContent)")
    assert shown == [cells[0] for _, cells in batch.hits[0]]
    # The first item has the focus. Typed, moved by 1 and 10, cannot judge; Enter with an item left open goes
    # to it.
    web.press("7", "2", "Down", "Right", "Shift+Right", "Enter")
    assert "Item 3 has no score yet" in web.text("#message")
    web.press("n", "Enter")
    assert web.text("#place") == "Page 2 of 2 · 1 answered"
    web.press("Home", "Down", "End", "Down", "5", "Left", "Enter")
    assert web.text("#end-title") == "Save your answers"
    web.press("Tab", "Enter")
    file = web.downloaded()
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    assert answers(rows) == [["72", "61", ""], ["0", "100", "4"]]
    assert [[r[f"Answer.na{k}"] for k in (1, 2, 3)] for r in rows] == [["", "", "on"], ["", "", ""]]
    assert {r["WorkerId"] for r in rows} == {"Zoe"} and len({r["AssignmentId"] for r in rows}) == 2
    taken = take_in(path, file)
    assert (taken.new, taken.scores, taken.cannot_judge) == (2, 5, 1)
    score = {i: s for i, s in zip(status(path).ids, status(path).state.score)}
    ids = [name for hit in batch.hits for name, _ in hit]
    assert [score[i] for i in ids] == pytest.approx([0.72, 0.61, 0.5, 0.0, 1.0, 0.04], abs=1e-15)


def test_a_batch_answered_by_mouse_in_two_sittings_counts_each_judgment_once(tmp_path, web):
    path, batch, page = page_of(tmp_path)
    begin(web, page)
    for k, across in ((1, 0.25), (2, 0.5)):
        web.click(line(k), across)
    web.click(box(3))
    web.click("#finish")
    web.click("#save")
    first = web.downloaded()
    assert "Saved 1 of 2 pages" in web.text("#message") and "incomplete: 1" in web.text("#message")
    rows = list(csv.DictReader(first.open(encoding="utf-8")))
    assert len(rows) == 1 and abs(int(rows[0]["Answer.range1"]) - 24) <= 3
    assert rows[0]["Answer.na3"] == "on"
    taken = take_in(path, first)
    assert (taken.new, taken.scores) == (1, 2)
    first.unlink()
    # What is in a file stays; the page remembers it when it is opened again, and goes on with what is open.
    web.open(page)
    assert web.text("#begin") == "Continue"
    web.click("#begin")
    assert web.text("#place") == "Page 2 of 2 · 1 answered"
    web.click("#back")
    assert (
        web.run("return Array.from(document.querySelectorAll('#items input'), (e) => e.disabled)")
        == [True] * 6
    )
    assert "can no longer be changed" in web.text("#message")
    web.click("#next")
    for k in (1, 2, 3):
        web.click(line(k), 0.9)
    web.click("#finish")
    web.click("#save")
    again = take_in(path, web.downloaded())
    assert (again.new, again.known) == (1, 1) and status(path).judgments == 2


def test_no_knob_is_seen_before_a_touch_and_a_click_on_the_middle_is_an_answer(tmp_path, web):
    begin(web, write_page(tmp_path, page_data()))
    assert shown_scores(web) == ["no score yet"] * 3 and knob(web, 2) is None
    web.press("Tab", "Tab", "Tab")  # to look at an item is not to answer it
    assert shown_scores(web) == ["no score yet"] * 3
    web.click(line(2), 0.5)
    assert shown_scores(web) == ["no score yet", "50", "no score yet"]
    assert knob(web, 2) == pytest.approx(0.5, abs=0.01) and knob(web, 1) is None
    assert web.run("return document.querySelector(arguments[0]).getAttribute('aria-valuetext')", line(1)) == (
        "no score yet"
    )


def test_a_finger_that_taps_answers_and_one_that_scrolls_does_not(tmp_path, web):
    begin(web, write_page(tmp_path, page_data(SIX * 3, per_hit=9)))
    web.look_like(400, 600)
    web.devtools("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        web.press_touch(line(2), 0.5)
        assert shown_scores(web)[:3] == ["no score yet", "50", "no score yet"]
        before = web.run("return scrollY")
        web.press_touch(line(3), 0.25, down=-200)
        assert web.run("return scrollY") != before
        assert shown_scores(web)[:3] == ["no score yet", "50", "no score yet"]
    finally:
        web.devtools("Emulation.setTouchEmulationEnabled", enabled=False)


def test_an_answer_can_be_taken_back(tmp_path, web):
    begin(web, write_page(tmp_path, page_data(partial=True)))
    web.press("7", "2")
    web.press("Delete", "Down", "n")
    assert shown_scores(web) == ["no score yet", "–", "no score yet"]
    web.press("3", "3")
    assert shown_scores(web) == ["no score yet", "33", "no score yet"]
    web.click("#items > li:nth-child(2) button.plain")
    assert shown_scores(web) == ["no score yet"] * 3
    assert web.run("return document.activeElement === document.querySelector(arguments[0])", line(2))


def test_digits_of_other_scripts_are_scores_too(tmp_path, web):
    begin(web, write_page(tmp_path, page_data()))
    web.press("٧", "٢", "Down", "९", "१", "Down", "４")
    assert shown_scores(web) == ["72", "91", "4"]


# -- what goes out -------------------------------------------------------------------------------------------


def test_the_page_shows_its_own_order_and_writes_the_stored_one(tmp_path, web):
    data = page_data(SIX[:5], per_hit=3)
    first = dataclasses.replace(data.hits[0], order=(2, 0, 1))
    data = dataclasses.replace(data, hits=(data.hits[1], first))  # HIT 2, which has two items, comes first
    begin(web, write_page(tmp_path, data))
    texts = "return Array.from(document.querySelectorAll('.text'), (e) => e.textContent)"
    assert web.run(texts) == SIX[3:5]
    web.press("4", "0", "Down", "5", "0", "Enter")
    assert web.run(texts) == [SIX[2], SIX[0], SIX[1]]
    web.press("3", "0", "Down", "1", "0", "Down", "2", "0")
    rows = save(web)
    assert [r["Input.hit"] for r in rows] == ["1", "2"]
    assert answers(rows) == [["10", "20", "30"], ["40", "50", ""]]
    assert [[r[f"Input.id{k}"] for k in (1, 2, 3)] for r in rows] == [
        ["h1s1", "h1s2", "h1s3"],
        ["h2s1", "h2s2", ""],
    ]


@pytest.mark.parametrize("with_parts", [False, True])
def test_a_partial_page_leaves_with_blank_slots_only_when_asked(tmp_path, web, with_parts):
    begin(web, write_page(tmp_path, page_data(partial=True)))
    web.press("7", "2", "Down", "Down", "n", "Enter")
    assert web.text("#place") == "Page 2 of 2 · 0 answered"
    web.press("1", "Down", "2", "Down", "3", "Enter")
    assert web.text("#count") == "Pages answered: 1 of 2. Partly answered pages: 1."
    if with_parts:
        web.click("#parts")
    web.click("#save")
    rows = list(csv.DictReader(web.downloaded().open(encoding="utf-8")))
    part = [("72", ""), ("", ""), ("", "on")]
    cells = [[(r[f"Answer.range{k}"], r[f"Answer.na{k}"]) for k in (1, 2, 3)] for r in rows]
    assert cells == ([part] if with_parts else []) + [[("1", ""), ("2", ""), ("3", "")]]


def test_a_page_that_allows_no_partial_answers_does_not_go_on_before_all_are_given(tmp_path, web):
    begin(web, write_page(tmp_path, page_data()))
    web.press("7", "Enter")
    assert web.text("#message") == "Item 2 has no score yet. Give one, or mark it “cannot judge”."
    assert web.run("return document.activeElement === document.querySelector(arguments[0])", line(2))
    web.click("#finish")
    assert not web.run("return document.getElementById('parts').checkVisibility()")
    web.click("#save")
    assert web.text("#message") == "No page is complete yet, so there is nothing to save."


@pytest.mark.parametrize("older", [False, True], ids=["compressed", "a browser without CompressionStream"])
def test_the_code_holds_what_the_file_holds(tmp_path, web, older):
    page = write_page(tmp_path, page_data())
    script = web.before_pages("delete window.CompressionStream") if older else None
    try:
        begin(web, page, "Zoë, “=1”")
        web.press("7", "Down", "8", "Down", "9", "Enter", "1", "Down", "2", "Down", "3", "Enter")
        web.click("#save")
        file = web.downloaded().read_text(encoding="utf-8")
        web.run("document.querySelector('#end details').open = true")
        web.click("#code-show")
        web.until("return document.activeElement.id === 'code'")
        code = web.run("return document.getElementById('code').value")
    finally:
        if script:
            web.no_longer(script)
    assert decode(code) == file and "Zoë" in file
    assert (len(code) < len(file)) == (not older)


def test_a_name_that_a_spreadsheet_would_run_comes_back_as_it_was_given(tmp_path, web):
    path, batch, page = page_of(tmp_path)
    begin(web, page, "=1+1")
    web.press("7", "Down", "8", "Down", "9", "Enter", "1", "Down", "2", "Down", "3", "Enter", "Tab", "Enter")
    file = web.downloaded()
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    assert {(r["WorkerId"], r["guarded"]) for r in rows} == {("'=1+1", "1")}
    assert not [c for r in rows for c in r.values() if c.startswith("=")]
    assert take_in(path, file).new == 2


# -- what is kept --------------------------------------------------------------------------------------------


def test_a_reload_loses_nothing_and_keeps_the_assignment(tmp_path, web):
    page = write_page(tmp_path, page_data())
    begin(web, page)
    web.press("7", "2", "Down", "n", "Down", "5", "Enter", "4")
    web.open(page)
    assert web.run("return document.getElementById('worker').value") == "Zoe"
    web.click("#begin")
    assert web.text("#place") == "Page 2 of 2 · 1 answered" and shown_scores(web)[0] == "4"
    first = save(web)
    web.open(page)
    web.click("#begin")
    web.press("4", "Down", "5", "Down", "6")
    second = save(web)
    assert answers(first) == [["72", "", "5"]] and answers(second)[0] == ["72", "", "5"]
    assert first[0]["AssignmentId"] == second[0]["AssignmentId"] and len(second) == 2


def test_answers_are_kept_by_annotator(tmp_path, web):
    page = write_page(tmp_path, page_data())
    begin(web, page, "Ann")
    web.press("1", "Down", "2", "Down", "3")
    first = save(web)
    web.click("#other")
    assert web.run("return document.activeElement.id") == "worker" and web.text("#begin") == "Begin"
    web.press(*"Ben", "Enter")
    assert shown_scores(web) == ["no score yet"] * 3
    web.press("4", "Down", "5", "Down", "6")
    second = save(web)
    web.click("#other")
    web.press(*"Ann", "Enter")
    web.click("#back")
    assert shown_scores(web) == ["1", "2", "3"]
    assert [r["WorkerId"] for r in (*first, *second)] == ["Ann", "Ben"]
    assert first[0]["AssignmentId"] != second[0]["AssignmentId"]


def see(web, *scores):
    """Wait for these scores: a tab hears of another one's answers some milliseconds later."""
    web.until(
        "return Array.from(document.querySelectorAll('#items .score'), (e) => e.textContent).join() === arguments[0]",
        ",".join(scores),
    )


def test_a_second_tab_erases_nothing(tmp_path, web):
    page = write_page(tmp_path, page_data())
    one = web.tabs()[0]
    begin(web, page)
    web.press("1", "Down", "2")
    web.new_tab()
    try:
        begin(web, page)
        see(web, "1", "2", "no score yet")
        web.to_tab(one)
        web.press("Down", "3", "Enter", "7")
        two = next(handle for handle in web.tabs() if handle != one)
        web.to_tab(two)
        see(web, "1", "2", "3")  # the first tab's answer is seen here
        web.press("9", "9")  # the first item, which has the focus
        rows = save(web)
        assert answers(rows) == [["99", "2", "3"]]
        # What one tab has saved is locked in the other.
        web.to_tab(one)
        web.click("#back")
        see(web, "99", "2", "3")
        web.until("return document.querySelectorAll('#items input:disabled').length === 6")
        web.click("#next")
        assert shown_scores(web)[0] == "7"
        web.to_tab(two)
    finally:
        web.close_tab(one)


@pytest.mark.parametrize("refuses", [
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })",
    "Storage.prototype.setItem = function () { throw new DOMException('full', 'QuotaExceededError'); }",
])  # fmt: skip
def test_a_browser_that_keeps_nothing_is_told_of_and_answers_leave_all_the_same(tmp_path, web, refuses):
    script = web.before_pages(refuses)
    try:
        begin(web, write_page(tmp_path, page_data(SIX[:3])))
        web.press("1", "Down", "2", "Down", "3")
        rows = save(web)
        assert answers(rows) == [["1", "2", "3"]] and rows[0]["AssignmentId"].startswith("page-")
        web.open(write_page(tmp_path, page_data(), "other"))
        assert web.text("#kept").startswith("This browser cannot store answers for this page.")
    finally:
        web.no_longer(script)
    web.open(write_page(tmp_path, page_data(), "third"))
    assert web.text("#kept").startswith("Your answers are stored in this browser")


def test_a_browser_whose_storage_is_full_says_so_as_soon_as_it_is(tmp_path, web):
    full = (
        "const set = Storage.prototype.setItem; window.full = false; Storage.prototype.setItem = function (k, v) {"
        " if (window.full) throw new DOMException('full', 'QuotaExceededError'); set.call(this, k, v); }"
    )
    script = web.before_pages(full)
    try:
        page = write_page(tmp_path, page_data(SIX[:3]))
        begin(web, page)
        web.press("1", "Down")
        assert web.text("#message") == ""
        web.run("window.full = true")
        web.press("2", "Down", "3")
        assert web.text("#message").startswith("This browser cannot store answers")
        assert shown_scores(web) == ["1", "2", "3"]
        assert answers(save(web)) == [["1", "2", "3"]]
    finally:
        web.no_longer(script)


def test_what_another_program_left_in_the_browser_does_no_harm(tmp_path, web):
    data = page_data()
    page = write_page(tmp_path, data)
    web.open(page)
    key = "JSON.stringify(['pairproof page', arguments[0], 1, 'Zoe', 1])"
    for odd in (
        '{"scores": [1, 2]}',
        "not JSON",
        '{"scores":[1,2,900],"cannot":[false,false,false]}',
        "[]",
        "null",
    ):
        web.run(f"localStorage.setItem({key}, arguments[1])", data.campaign, odd)
        begin(web, page)
        assert shown_scores(web) == ["no score yet"] * 3
        web.run("localStorage.clear()")


def test_the_name_comes_from_the_file_else_from_the_address(tmp_path, web):
    page = write_page(tmp_path, page_data())
    name = "return document.getElementById('worker').value"
    web.open(page, "?PROLIFIC_PID=5f1e%20%3Cb%3E&STUDY_ID=1&name=Ann")
    assert web.run(name) == "5f1e <b>"
    web.open(page, "?name=%D9%84%D9%8A%D9%84%D9%89")
    assert web.run(name) == "ليلى"
    own = write_page(tmp_path, page_data(annotator="Dana", token="7f3a"), "own")
    web.open(own, "?PROLIFIC_PID=another")
    assert web.run(name) == "Dana" and web.run("return document.getElementById('worker').readOnly")
    web.click("#begin")
    web.press("1", "Down", "2", "Down", "3")
    web.click("#finish")
    assert not web.run("return document.getElementById('other').checkVisibility()")
    web.click("#save")
    file = web.downloaded()
    assert file.name.endswith("-7f3a.csv")
    assert {r["WorkerId"] for r in csv.DictReader(file.open(encoding="utf-8"))} == {"Dana"}


def test_a_name_is_asked_for_before_the_first_answer(tmp_path, web):
    web.open(write_page(tmp_path, page_data()))
    web.click("#begin")
    assert "enter your name or worker ID first" in web.text("#message")
    assert web.run("return document.activeElement.id") == "worker"


def test_the_time_of_a_hit_is_the_time_for_which_it_was_in_sight(tmp_path, web):
    script = web.before_pages(
        "const clock = performance.now.bind(performance); performance.now = () => clock() * 100"
    )
    try:
        begin(web, write_page(tmp_path, page_data(SIX[:3])))
        web.press("1", "Down", "2", "Down", "3")
        (row,) = save(web)
    finally:
        web.no_longer(script)
    assert 1 <= int(row["WorkTimeInSeconds"]) <= 600
    assert row["AcceptTime"] < row["SubmitTime"] and row["SubmitTime"].endswith("Z")


def test_the_page_asks_the_network_for_nothing(tmp_path, web):
    page = write_page(tmp_path, page_data())
    begin(web, page)
    web.press("7", "Down", "8", "Down", "9")
    save(web)
    asked = [json.loads(entry["message"])["message"] for entry in web.log("performance")]
    urls = {m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"}
    assert any(m["method"].startswith("Page.") for m in asked)
    assert {url for url in urls if not url.startswith(f"blob:{'null'}/")} <= {page.as_uri()}


def test_a_hit_may_have_fewer_items_than_the_others(tmp_path, web):
    data = page_data(SIX[:3])
    data = dataclasses.replace(data, hits=(*data.hits, PageHit(2, (PageSlot("alone"),))))
    begin(web, write_page(tmp_path, data))
    web.press("1", "Down", "2", "Down", "3", "Enter", "4")
    rows = save(web)
    assert answers(rows)[1] == ["4", "", ""] and rows[1]["Input.id2"] == ""
