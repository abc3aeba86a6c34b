"""The texts of an annotation page: question, anchors, instructions, examples, and the page's own words.

A text is data: no markup is interpreted.  Instructions are paragraphs, separated by blank lines.  A page's
language is a BCP 47 tag (RFC 5646); it sets the `lang` of the page, and its script the direction of writing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ...data.options import one_of
from ...errors import InputError, TooLargeError
from .languages import check_language, direction
from .words import check_words

Direction = Literal["ltr", "rtl", "auto"]
#: A row of the table `text`: name, lang, dir, body.
TextRow = tuple[str, str, str, str]
#: Most characters of a text; 100,000 are about fifty printed pages.
MOST_CHARACTERS = 100_000
_NAMES = ("question", "anchors", "instructions", "examples", "words")


@dataclass(frozen=True)
class Example:
    """An item that was scored as an example.

    score: from 0 to 100.  why: the reason for the score; may be blank.
    """

    text: str
    score: float
    why: str = ""


@dataclass(frozen=True)
class Texts:
    """The texts of a page, in one language.

    question: blank: the page asks for a score from 0 to 100.  anchors: places on the line, from 0 to 100 and
    rising, and their labels.  instructions: paragraphs, separated by blank lines.  lang: BCP 47 tag of these
    texts; blank: not known (the page then says English).  dir: direction of the page and of its line of
    scores.  words: the page's own words in this language; those that are left out are English.  The keys are
    those of :data:`pairproof.campaign.page.words.ENGLISH`.
    """

    question: str = ""
    anchors: tuple[tuple[float, str], ...] = ()
    instructions: str = ""
    examples: tuple[Example, ...] = ()
    lang: str = ""
    dir: str = "ltr"
    words: Mapping[str, str] = field(default_factory=dict)


def texts_of(
    question: str = "",
    anchors: str = "",
    instructions: str = "",
    examples: Iterable[Example] = (),
    lang: str = "",
    dir: Direction = "auto",
    words: Mapping[str, str] | None = None,
) -> Texts:
    """The texts of a page from options as a user writes them.

    anchors: as `0=none of the meaning; 100=all of it`, see :func:`anchors_of`.  lang: BCP 47 tag.  dir:
    "auto": that of the language's script.
    """
    one_of("dir", dir, get_args(Direction))
    tag = check_language(lang) if lang else ""
    for name, text in (("question", question), ("instructions", instructions)):
        _check_length(name, text)
    return Texts(
        question.strip(),
        anchors_of(anchors) if anchors else (),
        instructions.strip(),
        tuple(examples),
        tag,
        direction(tag) if dir == "auto" else dir,
        check_words(words or {}, "words"),
    )


def _check_length(name: str, text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise TooLargeError(
            f"{name}: {len(text):,} characters; expected at most {MOST_CHARACTERS:,}. Every annotator's page"
            " holds them"
        )


# -- anchors -------------------------------------------------------------------------------------------------


def anchors_of(text: str) -> tuple[tuple[float, str], ...]:
    r"""The anchors of the line of scores.

    text: `VALUE=LABEL` parted by semicolons; a semicolon within a label is written `\;`.  Returns tuple of
    (float, str): rising by value.
    """
    found: dict[float, str] = {}
    parts = [p.replace("\0", ";").strip() for p in text.replace("\\;", "\0").split(";")]
    for number, part in enumerate(parts, 1):
        if not part:
            if number == len(parts) and found:
                continue  # a semicolon at the end
            raise InputError(f"anchors, number {number}: blank; expected VALUE=LABEL, such as 0=nonsense")
        name, sign, label = (p.strip() for p in part.partition("="))
        where = f"anchors, number {number}, {part[:60]!r}"
        if not sign or not label:
            raise InputError(
                f"{where}: no {'label' if sign else '='}; expected VALUE=LABEL, as in 0=nonsense"
            )
        value = _value(name, where)
        if value in found:
            raise InputError(f"{where}: {found[value][:60]!r} stands at {name} too; give each its own value")
        found[value] = label
    return tuple(sorted(found.items()))


def _value(text: str, where: str) -> float:
    try:
        value = float(text) if text.isascii() and "_" not in text else float("nan")
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 100:
        raise InputError(f"{where}: {text[:40]!r} is no number from 0 to 100, the ends of the line")
    return value + 0.0  # no -0.0


# -- rows of the campaign ------------------------------------------------------------------------------------


def texts_to_rows(texts: Texts) -> list[TextRow]:
    """The rows of the table `text`: one for each text that is not blank, and `page` where there is none.

    Returns list of (name, lang, dir, body): anchors, examples and words are JSON.
    """
    bodies = {
        "question": texts.question,
        "anchors": _json([[value, label] for value, label in texts.anchors]),
        "instructions": texts.instructions,
        "examples": _json([[e.text, e.score, e.why] for e in texts.examples]),
        "words": _json(dict(texts.words)),
    }
    rows = [(name, texts.lang, texts.dir, body) for name, body in bodies.items() if body]
    if rows or (not texts.lang and texts.dir == "ltr"):
        return rows
    return [("page", texts.lang, texts.dir, "")]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ""


def texts_from_rows(rows: Iterable[TextRow], lang: str | None = None) -> Texts:
    """The inverse of :func:`texts_to_rows`.

    lang: the language to take; needed where the rows are in several.  Returns Texts: without any text if
    there are no rows.
    """
    table = list(rows)
    known = sorted({row[1] for row in table})
    if lang is None:
        if len(known) > 1:
            raise InputError(f"texts in {len(known)} languages ({_listed(known)}); name one with --lang")
        lang = known[0] if known else ""
    elif lang not in known:
        raise InputError(f"no texts in {lang!r}; this campaign has {_listed(known) if known else 'none'}")
    mine = {name: (way, body) for name, tag, way, body in table if tag == lang}
    body = {name: mine[name][1] if name in mine else "" for name in _NAMES}
    return Texts(
        body["question"],
        tuple((float(value), str(label)) for value, label in json.loads(body["anchors"] or "[]")),
        body["instructions"],
        tuple(Example(str(t), float(s), str(w)) for t, s, w in json.loads(body["examples"] or "[]")),
        lang,
        next((way for way, _ in mine.values()), "ltr"),
        json.loads(body["words"] or "{}"),
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
