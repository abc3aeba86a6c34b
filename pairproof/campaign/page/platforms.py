"""What other tools show of a batch: Mechanical Turk's layout, Label Studio's tasks, and tables of links.

They get the items' text and the columns that annotators see, nothing else.  A layout's `${sent1}` is
replaced by the cell of the column `sent1` without any escaping, so a text with `<` would change the
page.  Cells are therefore written as HTML: `& < > " ' $` as character references (the last one so that no
text names another variable), characters above U+FFFF too, because Mechanical Turk refuses files that hold
them, and line breaks, which its reader of CSV files takes for the end of a row.  A first character that
would make the cell a formula in a spreadsheet is written in the same way.  Mechanical Turk returns the
cells as they were sent; :func:`plain` is the exact inverse.  The layout has a slider and a "cannot judge"
box for every item.  A slider shows no knob until it is touched, and the hidden field `touched1` becomes 1
then; without a script it stays 0, and the results reader takes the score for no answer.  Everything that a
team wrote is escaped: it can hold no markup and no variable.

Label Studio shows a task's data to everybody who works on the project, so ids are the opaque ones of the
annotation page (`h3s1` is slot 1 of HIT 3).  A configuration has a fixed number of items, so every HIT
must be of full size.

Links are a table `annotator, link`, to hand out or to upload where participants are recruited.  Where one
page serves all participants of a study on Prolific, no table is needed: the page takes the annotator's
name from PROLIFIC_PID in its own address.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from ...errors import InputError
from ...files.outputs import csv_text, unguard, unguarded_csv
from ..formats.campaign_files import BATCH_COLUMNS
from .texts import ENGLISH, Texts

LINK_COLUMNS = ("annotator", "link")


def links_csv(links: Sequence[tuple[str, str]], address: str) -> str:
    """The table of annotators and their pages as CSV."""
    check_address(address)
    base = address if address.endswith("/") else address + "/"
    return csv_text(LINK_COLUMNS, [[annotator, base + quote(page)] for annotator, page in links])


def check_address(address: str) -> None:
    """Refuse an address that no browser opens a page at."""
    known = address.startswith(("https://", "http://", "file:///"))
    if not known or not address.isprintable() or " " in address:
        raise InputError(f"address {address!r}: expected an address such as https://example.org/pages/")


#: Names of variables that Mechanical Turk and Label Studio both accept.
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Names that belong to the controls and keys of a HIT.
_TAKEN = ("id", "range", "na", "touched", *BATCH_COLUMNS)


@dataclass(frozen=True)
class Sheet:
    """A batch as another tool may show it: first the column of the items' text; items as they are stored."""

    campaign: str
    per_hit: int
    show: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    hits: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]


def check_variables(show: Sequence[str]) -> None:
    """Check that the columns that are shown can be variables of a layout."""
    if not show:
        raise InputError("nothing to show; expected the column of the items' text")
    for name in show:
        if not _VARIABLE.fullmatch(name):
            raise InputError(
                f"column {name!r}: Mechanical Turk and Label Studio require letters,"
                " digits and _, starting with a letter; rename the column in the items file"
            )
        if name in _TAKEN:
            said = f"column {name!r}: a control or key of a HIT already has this name"
            raise InputError(f"{said}; rename the column in the items file")


_ESCAPED = re.compile(r"[&<>\"'$\r\n\U00010000-\U0010ffff]|^[=+\-@\t]")
_REFERENCE = re.compile(r"&#([0-9]{1,7});")


def cell(text: str) -> str:
    """The text as a cell that Mechanical Turk shows as this text.

    >>> cell("a < b & $5")
    'a &#60; b &#38; &#36;5'
    """
    return _ESCAPED.sub(lambda found: f"&#{ord(found[0])};", text)


def plain(text: str) -> str:
    """The inverse of :func:`cell`.

    >>> plain(cell("'=1' <b>"))
    "'=1' <b>"
    """

    def character(found: re.Match[str]) -> str:
        number = int(found[1])
        return chr(number) if number <= 0x10FFFF else found[0]

    return _REFERENCE.sub(character, text)


def readings(written: str) -> tuple[str, ...]:
    """The ids that an `Input.id` cell can stand for: as it is, without a guard, or without HTML's
    escapes.

    >>> readings("&lt;a") ('&lt;a', '<a')
    """
    return tuple(dict.fromkeys((written, unguard(written), plain(written), html.unescape(written))))


def mturk_csv(sheet: Sheet) -> str:
    """A batch as CSV, a row a HIT: `id1`, the columns shown with 1, `id2`, ..., campaign, batch, hit."""
    check_variables(sheet.show)
    header, rows = numbered(sheet)
    last = len(BATCH_COLUMNS)
    return unguarded_csv([header, *([*map(cell, row[:-last]), *row[-last:]] for row in rows)])


def numbered(sheet: Sheet) -> tuple[list[str], list[list[str]]]:
    """The header and a row a HIT: `id1`, the columns shown with 1, `id2`, ..., campaign, batch, hit."""
    slots = range(1, sheet.per_hit + 1)
    header = [f"{name}{k}" for k in slots for name in ("id", *sheet.show)] + list(BATCH_COLUMNS)
    rows = []
    for (batch, number), hit in zip(sheet.places, sheet.hits):
        cells = [text for name, fields in hit for text in (name, *fields)]
        blank = [""] * ((sheet.per_hit - len(hit)) * (1 + len(sheet.show)))
        rows.append([*cells, *blank, sheet.campaign, str(batch), str(number)])
    return header, rows


def layout(per_hit: int, show: Sequence[str], texts: Texts = Texts()) -> str:
    """The layout's HTML; `show` begins with the column of the items' text."""
    check_variables(show)
    words = {**ENGLISH, **texts.words}
    items = "\n".join(_item(k, per_hit, show, texts, words) for k in range(1, per_hit + 1))
    page = resources.files(__package__).joinpath("layout_files").joinpath("layout.html")
    before, _, rest = page.read_text(encoding="utf-8").partition("/*HEAD*/")
    between, _, after = rest.partition("/*ITEMS*/")
    return before + _head(texts, words) + between + items + after


def _head(texts: Texts, words: Mapping[str, str]) -> str:
    own = f'lang="{cell(texts.lang or "en")}" dir="{"rtl" if texts.dir == "rtl" else "ltr"}"'
    lines = [f"<div {own} data-open=\"{cell(words['open_item'])}\" id=\"pairproof-words\">"]
    lines.append(f"<h1>{cell(texts.question or words['ask'])}</h1>")
    if texts.instructions:
        lines.append(f'<p class="text">{cell(texts.instructions)}</p>')
    if texts.examples:
        lines.append(f"<h2>{cell(words['examples'])}</h2>")
    for example in texts.examples:
        score = cell(words["example_score"].replace("{score}", f"{example.score:g}"))
        why = f": {cell(example.why)}" if example.why else ""
        lines.append(f'<p class="text" dir="auto">{cell(example.text)}<br><small>{score}{why}</small></p>')
    return "\n".join([*lines, "</div>"])


def _anchors(texts: Texts) -> str:
    start, end, shift = ("right", "left", "50%") if texts.dir == "rtl" else ("left", "right", "-50%")
    marks = []
    for score, label in texts.anchors:
        # At the ends of the line a label that is centred would stand out of it.
        place = f"{end}: 0" if score == 100 else f"{start}: {score:g}%"
        within = f"; transform: translateX({shift}); text-align: center" if 0 < score < 100 else ""
        marks.append(f'<span style="{place}{within}" dir="auto">{cell(label)}</span>')
    return f'<div class="anchors" lang="{cell(texts.lang or "en")}">{"".join(marks)}</div>\n' if marks else ""


def _item(k: int, per_hit: int, show: Sequence[str], texts: Texts, words: Mapping[str, str]) -> str:
    lines = "".join(f'<p class="text" id="{name}-{k}" dir="auto">${{{name}{k}}}</p>' for name in show)
    described = " ".join(f"{name}-{k}" for name in show)
    name = cell(words["score_name"].replace("{items}", str(per_hit)).replace("{item}", str(k)))
    return (
        f'<fieldset class="untouched" dir="{"rtl" if texts.dir == "rtl" else "ltr"}"><legend>{k}</legend>{lines}\n'
        f'<input type="range" name="range{k}" min="0" max="100" step="1" value="50" aria-label="{name}"'
        f' aria-describedby="{described}">\n{_anchors(texts)}<output></output>\n'
        f'<input type="hidden" name="touched{k}" value="0">\n'
        f'<label><input type="checkbox" name="na{k}"> {cell(words["cannot"])}</label></fieldset>'
    )


def tasks_json(sheet: Sheet) -> str:
    """A batch as a JSON list of tasks."""
    check_variables(sheet.show)
    tasks = []
    for (batch, number), hit in zip(sheet.places, sheet.hits):
        if len(hit) != sheet.per_hit:
            raise InputError(
                f"HIT {number} of batch {batch} has {len(hit)} items, but Label Studio's configuration shows"
                f" {sheet.per_hit}; write this batch as a page or for Mechanical Turk"
            )
        slots = {
            f"{name}{k}": text
            for k, (_, fields) in enumerate(hit, 1)
            for name, text in (("id", f"h{number}s{k}"), *zip(sheet.show, fields))
        }
        tasks.append({"data": {"campaign": sheet.campaign, "batch": batch, "hit": number, **slots}})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def config_xml(per_hit: int, show: Sequence[str], texts: Texts = Texts()) -> str:
    """The labeling configuration for such tasks; `show` begins with the column of the items' text."""
    check_variables(show)
    words = {**ENGLISH, **texts.words}
    lines = ["<View>", f"  <Header value={_value(texts.question or words['ask'])}/>"]
    more = [texts.instructions] if texts.instructions else []
    more += ["; ".join(f"{score:g} = {label}" for score, label in texts.anchors)] if texts.anchors else []
    for example in texts.examples:
        score = words["example_score"].replace("{score}", f"{example.score:g}")
        more.append(f"{example.text} \u2192 {score}" + (f": {example.why}" if example.why else ""))
    lines += [f'  <Header size="5" value={_value(text)}/>' for text in more]
    for k in range(1, per_hit + 1):
        lines.append("  <View>")
        for p, name in enumerate(show):
            lines.append(f'    <Text name="t{k}{f"_{p + 1}" if p else ""}" value="${name}{k}"/>')
        lines += [
            f'    <Number name="range{k}" toName="t{k}" min="0" max="100" step="1" slider="true"/>',
            f'    <Choices name="na{k}" toName="t{k}"><Choice value={_value(words["cannot"])}/></Choices>',
            "  </View>",
        ]
    return "\n".join([*lines, "</View>"]) + "\n"


def _value(text: str) -> str:
    """An attribute; a space of no width stands before $, which would name a variable in Label Studio."""
    return quoteattr(f"\u200b{text}" if text.startswith("$") else text, {"\n": "&#10;"})
