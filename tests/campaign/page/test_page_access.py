"""The page for everybody: keyboard alone, screen readers, contrast, size of targets, narrow screens, motion."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pairproof.campaign.page.texts import Example, texts_of
from tests.campaign.page.pages import SIX, begin, line, page_data, save, shown_scores, write_page

#: One browser for all of them: its start takes most of their time.
pytestmark = pytest.mark.xdist_group("browser")

FULL = texts_of(
    "How much of the meaning is kept?",
    "0=none of it;33=some of it;66=most of it;100=all of it",
    "Read all items before you score the first.\n\nUse the whole line.",
    [Example("The cat sat on the mat.", 100, "Everything is there."), Example("Mat mat the.", 3)],
)
ARABIC = texts_of("كم بقي من المعنى؟", "0=لا شيء;100=كله", "اقرأ كل الجمل أولًا.", lang="ar")


def axe() -> Path:
    return Path(os.environ.get("PAIRPROOF_AXE") or Path(sys.prefix) / "axe-core" / "axe.min.js")


# -- a checker's rules ---------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("texts", [FULL, ARABIC], ids=["left to right", "right to left"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [0, 320], ids=["desk", "phone"])
def test_axe_finds_nothing_serious_on_any_screen(tmp_path, web, texts, scheme, width):
    if not axe().is_file():
        pytest.skip("axe-core is not here; 'make browser' brings it where npm is")
    page = write_page(tmp_path, page_data(SIX, 3, ("source",), texts=texts, partial=True))
    web.look_like(width, prefers_color_scheme=scheme)
    found, rules = {}, 0

    def check(screen):
        nonlocal rules
        answer = web.run("return axe.run(document, {resultTypes: ['violations']})")
        rules = max(rules, len(answer["passes"]))
        for v in answer["violations"]:
            found[screen, v["id"]] = (v["impact"], v["help"], [n["html"][:120] for n in v["nodes"]][:3])

    web.open(page)
    web.run(axe().read_text(encoding="utf-8"))
    check("start")
    web.run("document.getElementById('worker').focus()")
    web.press(*"Zoe", "Enter")
    web.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    check("untouched")
    web.press("7", "2", "Down", "n", "Down", "Enter")
    web.click("#back")
    check("answered")
    web.click("#finish")
    web.click("#parts")
    web.click("#save")
    web.downloaded()
    web.click("#code-show")
    web.until("return document.getElementById('code').value !== ''")
    check("end")
    web.click("#return")
    check("locked")
    assert rules >= 15  # rules that looked at something and passed; observed 23 to 29
    assert not found, found


# -- contrast ------------------------------------------------------------------------------------------------

#: Contrast of the text of every element that shows some, with what lies behind it (WCAG 2.2, 1.4.3).
TEXT_CONTRAST = """
const parse = (c) => (c.match(/[0-9.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; })
  .reduce((s, v, k) => s + v * [.2126, .7152, .0722][k], 0);
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3) return c; }
  return [255, 255, 255]; };
const opaque = (e) => { for (; e; e = e.parentElement) if (getComputedStyle(e).opacity !== "1") return false; return true; };
const found = [];
for (const e of document.body.querySelectorAll("*")) {
  if (!e.checkVisibility() || e.matches("script, :disabled, .unseen, .unseen *")) continue;
  const own = Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
  if (own) found.push([e.outerHTML.slice(0, 80), ratio(parse(getComputedStyle(e).color), behind(e)), opaque(e)]);
}
return found;
"""
#: Contrast of colours that show controls and the focus (1.4.11, 2.4.13), by their names in the page's style.
COLOURS = """
const style = getComputedStyle(document.documentElement);
const parse = (h) => [1, 3, 5].map((k) => parseInt(h.trim().slice(k, k + 2), 16));
const light = (c) => c.map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; })
  .reduce((s, v, k) => s + v * [.2126, .7152, .0722][k], 0);
const paper = light(parse(style.getPropertyValue("--paper")));
return arguments[0].map((name) => { const [x, y] = [paper, light(parse(style.getPropertyValue(name)))].sort((p, q) => q - p);
  return (x + .05) / (y + .05); });
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_a_contrast_of_4_5_and_controls_of_3(tmp_path, web, scheme):
    web.look_like(prefers_color_scheme=scheme)
    begin(web, write_page(tmp_path, page_data(SIX, 3, ("source",), texts=FULL, partial=True)))
    web.press("7", "2", "Down", "n", "Down")
    web.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    seen = web.run(TEXT_CONTRAST)
    assert len(seen) > 50 and all(opaque for _, _, opaque in seen)
    assert not [(html, ratio) for html, ratio, _ in seen if ratio < 4.5]
    # The line, the boxes' borders, the knob and the focus.  Observed: 4.2 and more.
    assert min(web.run(COLOURS, ["--control", "--accent", "--wanted"])) >= 3
    background = "return getComputedStyle(document.querySelector(arguments[0])).backgroundImage"
    assert web.run(background, line(3)).startswith("linear-gradient(")
    assert web.run("return getComputedStyle(document.querySelector(arguments[0])).opacity", line(3)) == "1"


# -- keyboard ------------------------------------------------------------------------------------------------

WHERE = """
const e = document.activeElement, row = e.closest("#items > li"), shape = getComputedStyle(e.type === "range" ? e.parentElement : e);
return [row ? Array.from(row.parentElement.children).indexOf(row) + 1 : 0, e.type === "range" ? "line" : e.type === "checkbox" ? "box" : e.id || e.textContent,
  shape.outlineStyle, parseFloat(shape.outlineWidth), e.getBoundingClientRect().top];
"""


def test_tab_reaches_every_control_in_the_order_of_reading_and_leaves_again(tmp_path, web):
    begin(web, write_page(tmp_path, page_data(SIX, 3, texts=FULL)))
    web.press("Tab")
    seen = []
    for _ in range(14):
        seen.append(web.run(WHERE))
        web.press("Tab")
    names = [(row, name) for row, name, *_ in seen]
    start = names.index((2, "line"))
    order = [(2, "line"), (2, "box"), (3, "line"), (3, "box"), (0, "next"), (0, "finish"), (0, "Keyboard")]
    assert names[start : start + len(order)] == order
    assert names[0] == (1, "box")  # the first line had the focus
    # Every stop is seen: a ring of at least 2 pixels, of the colour whose contrast is tested above.
    stops = [
        s for s in seen if s[1] not in ("", "worker") and (s[0] or s[1] in ("next", "finish", "Keyboard"))
    ]
    assert len(stops) >= len(order) and all(style == "solid" and width >= 2 for *_, style, width, _ in stops)
    # Backwards too: no trap.
    web.run("document.querySelector(arguments[0]).focus()", line(2))
    web.press("Shift+Tab")
    assert web.run(WHERE)[:2] == [1, "box"]


def test_a_whole_page_is_answered_and_saved_without_a_mouse(tmp_path, web):
    web.open(write_page(tmp_path, page_data()))
    web.press("Tab", *"Zoe", "Enter")
    web.press("7", "2", "Tab", "Tab")  # past the first item's "cannot judge"
    web.press("Right", "Tab", "Space", "Tab", "End", "PageDown", "Enter")
    assert "Page 2" in web.text("#place") and web.run(WHERE)[:2] == [1, "line"]
    web.press("1", "0", "0", "Down", "1", "Backspace", "2", "Down", "Tab", "n", "Enter", "Tab", "Enter")
    with web.downloaded().open(encoding="utf-8") as out:
        rows = [line.split(",") for line in out.read().splitlines()]
    assert [row[11:17] for row in rows[1:]] == [
        ["72", "", "90", "", "on", ""],
        ["100", "2", "", "", "", "on"],
    ]


def test_the_shortcuts_are_listed_and_do_what_the_list_says(tmp_path, web):
    begin(web, write_page(tmp_path, page_data()))
    web.run("document.getElementById('keyboard').open = true")
    listed = web.run("return Array.from(document.querySelectorAll('#keys kbd'), (e) => e.textContent)")
    assert listed == [
        "↑",
        "↓",
        "←",
        "→",
        "Shift ←",
        "Shift →",
        "Home",
        "End",
        "0",
        "9",
        "N",
        "Delete",
        "Enter",
    ]
    moves = {"Home": "0", "Right": "1", "Shift+Right": "11", "Left": "10", "Shift+Left": "0", "End": "100",
             "9": "9", "n": "–", "Delete": "no score yet"}  # fmt: skip
    for key, score in moves.items():
        web.press(key)
        assert shown_scores(web)[0] == score, key
    web.press("Ctrl+c", "Alt+1")  # the browser's own shortcuts are no answers
    assert shown_scores(web)[0] == "no score yet"


# -- what a screen reader says -------------------------------------------------------------------------------


def test_controls_have_names_descriptions_and_one_heading_above_them(tmp_path, web):
    data = page_data(SIX[:5], 5, ("source",), texts=FULL)
    begin(web, write_page(tmp_path, data))
    tree = [n for n in web.devtools("Accessibility.getFullAXTree")["nodes"] if not n.get("ignored")]

    def of(role):
        return [n for n in tree if n.get("role", {}).get("value") == role]

    assert [n["name"]["value"] for n in of("slider")] == [f"score of item {k} of 5" for k in range(1, 6)]
    assert [n["description"]["value"] for n in of("slider")] == [
        f"{text} source source of {text}" for text in SIX[:5]
    ]
    assert [n["name"]["value"] for n in of("checkbox")] == [
        f"cannot judge item {k} of 5" for k in range(1, 6)
    ]
    assert all(n["name"]["value"] for role in ("button", "progressbar") for n in of(role)) and of("button")
    headings = web.run("return Array.from(document.querySelectorAll('h1'), (e) => e.textContent)")
    assert headings == ["How much of the meaning is kept?"]
    assert web.run("return document.documentElement.lang") == "en"
    said = "return document.querySelector(arguments[0]).getAttribute('aria-valuetext')"
    assert web.run(said, line(1)) == "no score yet"
    web.press("6", "6")
    assert web.run(said, line(1)) == "66, most of it"
    web.press("Enter")
    status = web.run("const m = document.querySelector('[role=status]'); return [m.id, m.textContent]")
    assert status == ["message", "Item 2 has no score yet. Give one, or mark it “cannot judge”."]


# -- sizes ---------------------------------------------------------------------------------------------------

TARGETS = """
return Array.from(document.querySelectorAll("button, input, summary, textarea"))
  .filter((e) => e.checkVisibility())
  .map((e) => { const box = (e.type === "checkbox" ? e.closest("label") : e).getBoundingClientRect();
    return [e.id || e.type || e.textContent, box.width, box.height]; });
"""
SIDEWAYS = """
const width = document.documentElement.clientWidth, out = [];
for (const e of document.body.querySelectorAll("*")) {
  if (!e.checkVisibility() || e.closest(".unseen") || e.matches("textarea")) continue;
  const b = e.getBoundingClientRect();
  if (b.left < -1 || b.right > width + 1 || (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX))) out.push(e.outerHTML.slice(0, 100));
}
return [document.documentElement.scrollWidth - width, out];
"""
LONG = ["w" * 600, "سلام" * 150, "a b " * 300]


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
@pytest.mark.parametrize("zoom", [1, 2], ids=["320 pixels", "letters twice as large"])
def test_nothing_scrolls_sideways_on_a_narrow_screen(tmp_path, web, direction, zoom):
    texts = texts_of("q" * 600, "0=" + "x" * 600 + ";10=y;50=" + "z" * 300 + ";90=v;100=w", "i" * 600,
                     [Example("e" * 600, 50, "r" * 600)], dir=direction)  # fmt: skip
    web.look_like(320, 256)  # 1280 by 1024 at 400 %
    web.open(write_page(tmp_path, page_data(LONG, 3, ("c" * 200,), texts=texts, partial=True)))
    web.run("document.documentElement.style.fontSize = arguments[0]", f"{16 * zoom}px")
    assert web.run(SIDEWAYS) == [0, []]
    web.run("document.getElementById('worker').focus()")
    web.press(*"Zoe", "Enter")
    web.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert web.run(SIDEWAYS) == [0, []]
    web.press("7", "Down", "8", "Down", "9")
    save(web)
    web.click("#code-show")
    web.until("return document.getElementById('code').value !== ''")
    assert web.run(SIDEWAYS) == [0, []]


@pytest.mark.parametrize("width", [0, 320])
def test_targets_are_at_least_44_pixels_high_and_wide(tmp_path, web, width):
    web.look_like(width)
    web.open(write_page(tmp_path, page_data(texts=FULL, partial=True)))
    small = [t for t in web.run(TARGETS) if min(t[1:]) < 44]
    web.run("document.getElementById('worker').focus()")
    web.press(*"Zoe", "Enter", "7", "Down", "n")
    targets = web.run(TARGETS)
    assert len(targets) >= 12
    small += [t for t in targets if min(t[1:]) < 44]
    web.click("#finish")
    web.run("document.querySelector('#end details').open = true")
    small += [t for t in web.run(TARGETS) if min(t[1:]) < 44]
    assert small == []


def test_the_marks_stand_under_their_places_on_the_line(tmp_path, web):
    texts = texts_of(anchors="0=a;20=b;50=c;100=d")
    begin(web, write_page(tmp_path, page_data(texts=texts)))
    for width in (0, 320):
        web.look_like(width)
        for direction in ("ltr", "rtl"):
            web.run("document.documentElement.dir = arguments[0]", direction)
            # The middles of the ticks, and of a knob of 28 pixels as browsers place it.
            places = web.run(
                "const line = document.querySelector('.line'), w = line.getBoundingClientRect();"
                "return Array.from(line.querySelectorAll('.mark'), (m) => { const b = m.getBoundingClientRect(),"
                " s = getComputedStyle(m, '::before'), t = parseFloat(s.marginLeft) + parseFloat(getComputedStyle(m).paddingLeft);"
                " return b.left + t + .5 - w.left; }).concat(w.width)"
            )
            *ticks, total = places
            expected = [14 + (total - 28) * v / 100 for v in (0, 20, 50, 100)]
            if direction == "rtl":
                expected = [total - x for x in expected]
            assert ticks == pytest.approx(expected, abs=1.0), (width, direction)


def test_nothing_moves_for_those_who_asked_for_that(tmp_path, web):
    moving = (
        "return Array.from(document.querySelectorAll('*')).concat(document.documentElement).filter((e) => {"
        " const s = getComputedStyle(e); return parseFloat(s.transitionDuration) > 0 || s.animationName !== 'none'"
        " || s.scrollBehavior !== 'auto'; }).length + (document.styleSheets[0].cssRules.length === 0)"
    )
    knob = "return Array.from(document.styleSheets[0].cssRules).filter((r) => r.media && /reduced-motion/.test(r.conditionText)).map((r) => matchMedia(r.conditionText).matches)"
    web.look_like(prefers_reduced_motion="reduce")
    begin(web, write_page(tmp_path, page_data()))
    assert web.run(moving) == 0 and web.run(knob) == [False]
    web.look_like(prefers_reduced_motion="no-preference")
    assert web.run(knob) == [True]


# -- direction of writing ------------------------------------------------------------------------------------


def test_a_page_from_right_to_left_has_a_line_that_rises_to_the_left(tmp_path, web):
    page = write_page(tmp_path, page_data(["مرحبا", "hello", "שלום"], texts=ARABIC))
    begin(web, page, "ليلى")
    assert web.run("const h = document.documentElement; return [h.lang, h.dir]") == ["ar", "rtl"]
    web.press("5", "0", "Left", "Shift+Left")
    assert shown_scores(web)[0] == "61"
    web.press("Right")
    assert shown_scores(web)[0] == "60"
    web.click(line(2), 0.1)
    assert 88 <= int(shown_scores(web)[1]) <= 97
    first, last = web.run(
        "return ['.first', '.last'].map((c) => document.querySelector('#items ' + c).getBoundingClientRect().right)"
    )
    assert first > last


def test_each_text_has_its_own_direction_and_language(tmp_path, web):
    words = {"next": "التالي", "cannot": "لا أستطيع الحكم"}
    texts = texts_of("كم بقي؟", "0=لا شيء;100=all", "اقرأ.", lang="ar-EG", words=words)
    begin(web, write_page(tmp_path, page_data(["مرحبا", "hello (1)", "שלום", "next"], texts=texts)))
    shape = web.run(
        "return Array.from(document.querySelectorAll('#items .text'), (e) => { const s = getComputedStyle(e);"
        " return [e.dir, s.unicodeBidi, s.direction]; })"
    )
    assert shape == [["auto", "isolate", "rtl"], ["auto", "isolate", "ltr"], ["auto", "isolate", "rtl"]]
    labels = "return Array.from(document.querySelectorAll('#items li:first-child .label'), (e) => getComputedStyle(e).direction)"
    assert web.run(labels) == ["rtl", "ltr"]
    # What is still English says so.
    lang = "return ['next', 'back'].map((id) => document.getElementById(id).lang)"
    assert web.run(lang) == ["", "en"] and web.text("#next") == "التالي"


def test_a_page_without_a_language_does_not_call_the_items_english(tmp_path, web):
    begin(web, write_page(tmp_path, page_data(["日本語です", "b", "c"], texts=texts_of("問い"))))
    assert web.run("return [document.documentElement.lang, document.querySelector('.text').lang,"
                   " document.querySelector('.text').hasAttribute('lang'), document.querySelector('h1').hasAttribute('lang')]") == ["en", "", True, True]  # fmt: skip


def test_the_texts_of_the_team_are_all_on_the_page(tmp_path, web):
    page = write_page(tmp_path, page_data(texts=FULL))
    web.open(page)
    start = web.text("#start")
    for text in ("Read all items before you score the first.", "Use the whole line.", "The cat sat on the mat.",
                 "Score 100", "Everything is there.", "Mat mat the.", "Score 3"):  # fmt: skip
        assert text in start
    assert web.run("return document.querySelectorAll('#instructions p').length") == 2
    begin(web, page)
    assert web.text("h1") == "How much of the meaning is kept?"
    assert web.text("#items li:nth-child(2) .marks").split("\n") == [
        "0", "none of it", "33", "some of it", "66", "most of it", "100", "all of it"
    ]  # fmt: skip
    assert not web.run(
        "return document.getElementById('guide').checkVisibility({visibilityProperty: true}) && document.getElementById('again').open"
    )
    web.click("#again summary")
    assert "Use the whole line." in web.text("#again")
    web.look_like(320)  # the labels of more than three anchors stand once, above all lines
    assert "most of it" in web.text(".legend") and "most of it" not in web.text("#items")
