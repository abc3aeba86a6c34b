"""Texts that want to do something, in a real browser: they are shown, and that is all."""

from __future__ import annotations

import csv
import json
from urllib.parse import quote

import pytest

from pairproof.campaign.page.texts import Example, texts_of
from pairproof.cli import main
from tests.campaign.page.pages import begin, page_data, save, write_page

#: One browser for all of them: its start takes most of their time.
pytestmark = pytest.mark.xdist_group("browser")

TEXTS = [
    "</script><script>window.harmed = 1; document.title = 'broken'</script>",
    "<img src=x onerror=\"window.harmed = 1\"><svg onload='window.harmed = 1'>",
    "<a href='javascript:window.harmed = 1' autofocus onfocus='window.harmed = 1'>x</a><iframe src='//evil.example'></iframe>",
    "<style>* { display: none }</style><meta http-equiv='refresh' content='0;url=//evil.example'><base href='//evil.example'>",
    '=HYPERLINK("http://evil.example";"click")',
    "\u202eright to left override \u2066isolate \u061c mark \ufeff",
    "line\u2028separator\u2029and\r\nCRLF\tTAB",
    "${window.harmed = 1} {{7*7}} #{1} %(x)s {item} {page} $1 $& \\u0041",
    "w" * 600,
    "日本語 ✓ 👩‍👩‍👧 مرحبا",
]


@pytest.fixture
def hostile(tmp_path):
    texts = texts_of(TEXTS[0], ";".join(f"{v}={t.replace(';', chr(92) + ';')}" for v, t in ((0, TEXTS[1]), (50, TEXTS[5]), (100, TEXTS[7]))),
                     "\n\n".join(TEXTS), [Example(t, 50, t) for t in TEXTS[:4]], words={"next": TEXTS[1], "title": "neutral", "saved": TEXTS[0] + "{done}{pages}{file}"})  # fmt: skip
    return write_page(tmp_path, page_data(TEXTS, 5, ("<b>context</b>",), texts=texts))


def test_hostile_texts_are_shown_letter_by_letter_and_do_nothing(web, hostile):
    tabs = web.tabs()
    begin(web, hostile, "<Zoë> =1")
    shown = "return Array.from(document.querySelectorAll('#items .text'), (e) => e.textContent)"
    assert web.run(shown) == TEXTS[:5]
    assert web.run("return document.querySelector('#items .name').textContent") == "<b>context</b>"
    assert web.text("h1") == TEXTS[0]
    web.press("1", "Down", "2", "Down", "3", "Down", "4", "Down", "5", "Enter")
    assert web.run(shown) == TEXTS[5:]
    web.press("1", "Down", "2", "Down", "3", "Down", "4", "Down", "5")
    rows = save(web)
    assert web.run("return [document.title, window.harmed === undefined, location.hash]") == [
        "neutral",
        True,
        "",
    ]
    assert (
        web.run(
            "return document.body.querySelectorAll('img, svg, a, iframe, meta, base, style, #items script').length"
        )
        == 0
    )
    assert web.tabs() == tabs
    asked = [json.loads(entry["message"])["message"] for entry in web.log("performance")]
    urls = {m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"}
    assert {u for u in urls if not u.startswith("blob:")} == {hostile.as_uri()}
    # Nothing of the items' texts leaves with the answers, and no cell is a formula.
    cells = [c for row in rows for c in row.values()]
    assert not [c for c in cells if c[:1] in "=+-@\t\r" and c] and not [c for c in cells if "harmed" in c]
    assert {r["WorkerId"] for r in rows} == {"<Zoë> =1"}


def test_a_bidirectional_override_in_one_text_does_not_reach_the_next(tmp_path, web):
    begin(web, write_page(tmp_path, page_data([TEXTS[5], "plain text", "more"])))
    # Where the letters of the second text stand: left to right.
    places = web.run(
        "const t = document.querySelectorAll('#items .text')[1].firstChild, out = [];"
        "for (let k = 0; k < t.length; k++) { const r = document.createRange(); r.setStart(t, k); r.setEnd(t, k + 1);"
        " out.push(r.getBoundingClientRect().left); } return out;"
    )
    assert places == sorted(places) and len(set(places)) == len("plain text")


def test_a_name_from_the_address_is_text_and_one_line(tmp_path, web):
    page = write_page(tmp_path, page_data())
    name = "=cmd|'/c calc'!A1\n<script>window.harmed=1</script>"
    begin(web, page, query="?PROLIFIC_PID=" + "".join(f"%{b:02X}" for b in name.encode()))
    web.press("1", "Down", "2", "Down", "3")
    (row,) = save(web)
    assert row["WorkerId"] == "'" + name.replace("\n", " ") and row["guarded"] == "1"
    assert web.run("return window.harmed === undefined")


def test_what_came_into_the_page_as_markup_all_the_same_would_not_run(tmp_path, web):
    begin(web, write_page(tmp_path, page_data()))
    web.run(
        "const s = document.createElement('script'); s.textContent = 'window.harmed = 1'; document.body.append(s);"
        " const d = document.createElement('div'); d.innerHTML = '<img src=\"data:,\" onerror=\"window.harmed = 2\">';"
        " document.body.append(d); const f = document.createElement('iframe'); f.src = 'data:text/html,x'; document.body.append(f)"
    )
    web.press("1")
    assert web.run("return window.harmed === undefined")
    refused = [e["message"] for e in web.log("browser") if "Content Security Policy" in e["message"]]
    assert len(refused) >= 3, refused


def test_the_file_s_name_is_plain_whatever_the_annotator_s_is(tmp_path, web):
    page = write_page(tmp_path, page_data())
    begin(web, page, query="?name=../../etc/passwd%00")
    web.press("1", "Down", "2", "Down", "3")
    web.click("#finish")
    web.click("#save")
    file = web.downloaded()
    assert file.name.endswith("-1-etc-passwd.csv")
    assert next(csv.DictReader(file.open(encoding="utf-8")))["WorkerId"] == "../../etc/passwd"


def command(capsys, *arguments):
    code = main([str(a) for a in arguments])
    said = capsys.readouterr()
    assert code == 0, said.err
    return said.out


def test_a_campaign_of_hostile_texts_is_harmless_from_its_items_to_its_report(tmp_path, web, capsys):
    items, db, page = tmp_path / "items.csv", tmp_path / "C.db", tmp_path / "page.html"
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [
                ["id", "sent", "system"],
                *([f"{t[:40].replace(':', '.')} {k}", t, TEXTS[k % 2]] for k, t in enumerate(TEXTS)),
            ]
        )
    (tmp_path / "instructions.txt").write_text("\n\n".join(TEXTS), encoding="utf-8")
    command(capsys, "easl", "init", db, items, "--per-hit", 5, "--seed", 1, "--question", TEXTS[0],
            "--anchors", f"0={TEXTS[1]};100={TEXTS[3].replace(';', chr(92) + ';')}", "--instructions", tmp_path / "instructions.txt")  # fmt: skip
    command(capsys, "easl", "next", db, "--out", page)
    for name in ("=HYPERLINK(1)", "<script>window.harmed=1</script>"):
        begin(web, page, query="?name=" + quote(name))
        for k in range(5):
            web.press(str(k), "Enter" if k == 4 else "Down")
        for k in range(5):
            web.press(str(k + 4), "Enter" if k == 4 else "Down")
        web.click("#save")
        assert "2 new judgments" in command(capsys, "easl", "update", db, web.downloaded())
        web.downloaded().unlink()
    # Tables: no cell that a spreadsheet would run.
    for what in ("scores", "history", "comparisons"):
        command(capsys, "easl", "export", db, tmp_path / f"{what}.csv", "--what", what)
        cells = [
            c
            for row in csv.reader((tmp_path / f"{what}.csv").open(encoding="utf-8", newline=""))
            for c in row
        ]
        assert len(cells) > 40 and not [c for c in cells if c[:1] in ("=", "+", "@", "\t", "\r")]
        assert not [c for c in cells if c.startswith("-") and not c[1:2].isdigit()]
    # The report, in the browser.
    report = tmp_path / "status.html"
    command(capsys, "easl", "status", db, "--report", report)
    web.log("performance")
    web.open(report)
    text = web.run("return document.body.textContent")
    assert all(shown in text for shown in ("<script>window.harmed=1</script>", TEXTS[1], TEXTS[7][:40]))
    assert web.run(
        "return [window.harmed === undefined, document.querySelectorAll('script, iframe, base, a[href^=javascript]').length]"
    ) == [True, 0]
    asked = [json.loads(entry["message"])["message"] for entry in web.log("performance")]
    urls = {m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"}
    assert {u for u in urls if not u.startswith("data:")} == {report.as_uri()}
