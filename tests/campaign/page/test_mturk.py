"""The layout and the batch file for Mechanical Turk, put together as Mechanical Turk does, in a real browser."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given, strategies as st

from pairproof.campaign import open_batch
from pairproof.campaign.page.platforms import cell, layout, plain, readings
from pairproof.campaign.page.texts import texts_of
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import nasty
from tests.campaign.formats.test_export_import import NASTY
from tests.campaign.helpers import campaign
from tests.campaign.page.browser import Browser, missing

TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=12)
browser_needed = pytest.mark.skipif(missing() is not None, reason=str(missing()))


@given(TEXT)
def test_a_cell_is_plain_text_in_markup_in_csv_and_in_a_spreadsheet_and_comes_back(text):
    written = cell(text)
    assert plain(written) == text and text in readings(written)
    assert not set("<>\"'$\n\r") & set(written) and max(map(ord, written), default=0) <= 0xFFFF
    assert not written.startswith(("=", "+", "-", "@", "\t"))
    assert all(re.match(r"&#\d+;", written[m.start() :]) for m in re.finditer("&", written))


def test_only_ids_texts_and_shown_columns_are_in_the_file(tmp_path):
    items = tmp_path / "i.csv"
    items.write_text("id,sent,system,note\n1,a,secret,n1\n2,b,secret,n2\n", encoding="utf-8")
    from pairproof.campaign import create

    create(tmp_path / "C.db", items, per_hit=2, seed=1)
    open_batch(tmp_path / "C.db", tmp_path / "b.csv", style="mturk")
    text = (tmp_path / "b.csv").read_text(encoding="utf-8")
    assert text.split("\n")[0] == "id1,sent1,id2,sent2,campaign,batch,hit" and "secret" not in text
    open_batch(tmp_path / "C.db", tmp_path / "n.csv", style="mturk", show=("note",))
    assert (tmp_path / "n.csv").read_text().startswith("id1,sent1,note1,id2,")
    with pytest.raises(InputError, match="--show system: annotators must not see"):
        open_batch(tmp_path / "C.db", tmp_path / "s.csv", style="mturk", show=("system",))


def test_names_of_files_and_columns_that_do_not_fit_are_refused_before_a_batch_is_opened(tmp_path):
    path = campaign(tmp_path)
    for out, way, style, found in (
        ("b.html", None, "mturk", "expected .csv"),
        ("b.csv", "l.xml", "mturk", "expected a name that ends in .html"),
        ("b.csv", None, "label-studio", "expected .json"),
        ("b.csv", "l.html", "plain", "add --for mturk"),
    ):
        with pytest.raises(InputError, match=found):
            open_batch(path, tmp_path / out, style=style, layout=way and tmp_path / way)
    for name in ("a b", "1a", "range", "batch", ""):
        with pytest.raises(InputError, match="rename the column"):
            layout(2, (name,))
    with pytest.raises(InputError, match="no batch is open yet"):
        open_batch(path, tmp_path / "b.csv", again=True, style="mturk")


def test_what_a_team_wrote_is_no_markup_and_no_variable_in_the_layout():
    texts = texts_of("<b>${sent1}</b>", '0=<i>none</i>;100="all"', "see </section><script>x</script>")
    page = layout(2, ("sent",), texts)
    assert page.count("${") == 2 and page.count("<script") == 1 and "<b>" not in page and "<i>" not in page


def shown(page, row):
    """Mechanical Turk's preview: every variable replaced by the cell of its column, as markup, in a form."""
    body = re.sub(r"\$\{(\w+)\}", lambda found: row[found[1]], page)
    return f'<!DOCTYPE html><meta charset="utf-8"><form id="f" action="about:blank">{body}<input type="submit"></form>'


def picture(browser, value):
    """The first line of scores, as PNG, with its knob at a value."""
    script = "const r = document.querySelector('[name=range1]'); r.value = arguments[0]; r.blur();"
    box = browser.run(
        script + "window.scrollTo(0, 0); const b = r.getBoundingClientRect(); return b.toJSON();", value
    )
    clip = {name: box[name] for name in ("x", "y", "width", "height")} | {"scale": 1}
    return browser.devtools("Page.captureScreenshot", clip=clip)["data"]


@browser_needed
def test_workers_see_the_texts_as_they_are_no_knob_and_cannot_submit_before_every_item_has_an_answer(
    tmp_path,
):
    texts = [t.replace("\r", "") for t in NASTY] + ["😀 ${sent2}", "&lt;b&gt;"]
    path = nasty(tmp_path, texts, per_hit=10)
    open_batch(path, tmp_path / "b.csv", style="mturk", layout=tmp_path / "l.html")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "b.csv").read_text(encoding="utf-8"))))
    page = (tmp_path / "l.html").read_text(encoding="utf-8")
    known = {f"{text[:3]}{k}": text for k, text in enumerate(texts)}
    (tmp_path / "hit.html").write_text(shown(page, rows[0]), encoding="utf-8")
    with Browser(tmp_path) as browser:
        browser.open(tmp_path / "hit.html")
        seen = browser.run("return [...document.querySelectorAll('fieldset .text')].map(p => p.textContent)")
        wanted = [known[plain(rows[0][f"id{k}"])] for k in range(1, 11)]
        assert seen == wanted
        assert browser.run("return document.querySelectorAll('fieldset *').length") == browser.run(
            "return document.querySelectorAll('fieldset').length * 7"
        )
        # Before it is touched the line looks the same wherever the knob stands; afterwards it does not.
        assert picture(browser, 50) == picture(browser, 10)
        submit = "document.querySelector('[type=submit]').click();"
        said = "return document.getElementById('pairproof-status').textContent"
        assert browser.run(submit + said).startswith("Item 1 has no score yet")
        browser.press_touch("[name=range1]", 0.5)
        assert browser.run("return document.querySelector('[name=touched1]').value") == "1"
        assert browser.run(submit + said).startswith("Item 2 has no score yet")
        assert picture(browser, 50) != picture(browser, 10)
        everything = "for (const box of document.querySelectorAll('[type=checkbox]')) box.click();"
        stop = "document.addEventListener('submit', e => { window.sent = !e.defaultPrevented; e.preventDefault(); });"
        assert browser.run(everything + stop + submit + "return window.sent") is True
