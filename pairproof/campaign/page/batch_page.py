"""The page of a batch: one file that an annotator opens in a browser.

It fetches and sends nothing; the annotator saves the results file, or copies a code that holds the same.  The
page holds what it shows as JSON in which `<`, `>`, `&` and the line separators are escaped, so that no markup
can begin there, and its script shows all of it as text.  A content security policy forbids every connection,
and lets no script or style run but the page's own, which it names by their hashes.

An annotator who opens the page's source must not learn which system wrote an item, so the page holds the
item's text and the columns that the design shows, and no id of the campaign: a slot is called `h3s1`, the
first of HIT 3.  `update` finds the items again by campaign, batch and HIT.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import dataclass
from importlib import resources

from .texts import ENGLISH, Texts


@dataclass(frozen=True)
class PageSlot:
    """One item to judge."""

    text: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageHit:
    """Items that stand together: in the order of the results, shown in `order` (from 0; blank: as stored)."""

    number: int
    slots: tuple[PageSlot, ...]
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class PageData:
    """A page of HITs for one annotator, or for whoever opens it.

    annotator: blank: the page asks, or takes the name from its address (`?name=`, `?PROLIFIC_PID=`).
    token: of the annotator, which the results and their file's name bear.
    """

    campaign: str
    batch: int
    hits: tuple[PageHit, ...]
    per_hit: int
    show: tuple[str, ...] = ()
    annotator: str = ""
    token: str = ""
    texts: Texts = Texts()
    partial: bool = False


#: Characters that could end the JSON's own element, or a line of a script.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
#: The parts of the page's script, in the order in which they stand in it; they share one scope.
_SCRIPTS = ("words", "store", "line", "items", "results", "code", "screens")
_STYLES = ("page", "line")


def page_html(data: PageData) -> str:
    """The HTML of an annotator's page."""
    style = "".join(_part(f"{name}.css") for name in _STYLES)
    script = '"use strict";\n(function () {\n' + "".join(_part(f"{name}.js") for name in _SCRIPTS) + "})();\n"
    texts = data.texts
    title = texts.words.get("title", ENGLISH["title"])
    said = {"LANG": texts.lang or "en", "DIR": texts.dir, "TITLE": title}
    filled = {name: html.escape(text) for name, text in said.items()}
    filled |= {"STYLE": style, "STYLE_HASH": _hash(style), "SCRIPT": script, "SCRIPT_HASH": _hash(script)}
    filled["DATA"] = json.dumps(_shown(data), ensure_ascii=False).translate(_ESCAPES)
    # In one pass, so that no place within the data is ever filled.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found[1]], _part("page.html"))


def _part(name: str) -> str:
    return resources.files(__package__).joinpath("page_files").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """As a content security policy names a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _shown(data: PageData) -> dict[str, object]:
    """What the page's script gets: everything in it may be read by the annotator."""
    texts, hits = data.texts, []
    for hit in data.hits:
        order, slots = hit.order or [*range(len(hit.slots))], [vars(slot) for slot in hit.slots]
        # Names of slots in the results, which say nothing about the items.
        ids = [f"h{hit.number}s{k}" for k in range(1, len(slots) + 1)]
        hits.append({"number": hit.number, "ids": ids, "order": order, "slots": slots})
    speaks_english = texts.lang.lower().split("-")[0] in ("", "en")
    # Words that stay English on a page in another language say so to screen readers.
    english = [] if speaks_english else [key for key in ENGLISH if key not in texts.words]
    shown = {name: vars(data)[name] for name in ("campaign", "batch", "annotator", "token")}
    shown |= {"perHit": data.per_hit, "partial": data.partial, "show": data.show, "hits": hits}
    shown |= {name: vars(texts)[name] for name in ("lang", "question", "anchors", "instructions")}
    shown["examples"] = [vars(example) for example in texts.examples]
    return {**shown, "words": {**ENGLISH, **texts.words}, "english": english}
