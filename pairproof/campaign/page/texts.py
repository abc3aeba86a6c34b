"""What annotators read beside the items: question, anchors, instructions, examples, and the page's own words.

A text is data: no markup is interpreted.  Instructions are paragraphs, separated by blank lines.  A page's
language is a BCP 47 tag (RFC 5646, section 2.1); it sets the `lang` of the page, and its script the
direction of writing.  The page's own words are English, each of which a team can give in its own language
(`--words FILE.json`): one object, from the keys of :data:`ENGLISH` to words.  `{page}` and its like are
places that the page fills in; a word must have those that its English has.

Texts are read from files (instructions: plain text; examples: a table), and stand as rows in the
campaign, where they can be shown and changed.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from ...data.options import one_of
from ...data.reading.sources import load, suggestion
from ...errors import InputError, TooLargeError
from ...files.inputs import read_file
from ...files.packaged import packaged_toml
from ...text import listed
from ..formats.campaign_files import cells_of
from ..storage.design import number_of
from ..storage.store import Store, opened

# Grandfathered tags (`i-klingon`, ...) are left out: they are deprecated, and browsers know none of them.
_TAG = re.compile(
    r"""
    (?: [a-z]{2,3} (?:-[a-z]{3}){0,3} | [a-z]{4,8} )    # language, with extended languages
    (?: - (?P<script>[a-z]{4}) )?
    (?: - (?: [a-z]{2} | [0-9]{3} ) )?                  # region
    (?: - (?: [a-z0-9]{5,8} | [0-9][a-z0-9]{3} ) )*     # variants
    (?: - [0-9a-wy-z] (?: - [a-z0-9]{2,8} )+ )*         # extensions
    (?: -x (?: - [a-z0-9]{1,8} )+ )?                    # private use
    | x (?: - [a-z0-9]{1,8} )+
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: Scripts that run from right to left (ISO 15924; Unicode's Bidi_Class R and AL).
_RIGHT_TO_LEFT = frozenset(
    "adlm arab aran armi avst chrs cprt elym hatr hebr hung khar lydi mand mani mend merc mero narb nbat nkoo"
    " orkh ougr palm phli phlp phnx prti rohg samr sarb sogd sogo syrc syre syrj syrn thaa yezi".split()
)
#: Languages that are usually written in one of them (CLDR's likely subtags).
_LANGUAGES = frozenset(
    "ar aeb acm acq afb apc apd arc ary arz ars ajp azb bal bcc bgn bqi ckb dv fa prs glk he iw ji yi jpr jrb khw"
    " ks lki lrc luz mzn nqo pnb ps pbt pbu rhg sd sdh skr syr tmr trw ug ur".split()
)


def check_language(tag: str) -> str:
    """A language tag as it was given, checked."""
    if not _TAG.fullmatch(tag):
        raise InputError(
            f"lang: {tag[:40]!r} is not a BCP 47 language tag; expected, for example, en, de, pt-BR, zh-Hant or"
            " az-Arab"
        )
    return tag


def direction(tag: str) -> str:
    """The direction in which a language is written: by its tag's script, else by the language."""
    match = _TAG.fullmatch(tag)
    script = match["script"] if match else None
    if script:
        return "rtl" if script.lower() in _RIGHT_TO_LEFT else "ltr"
    return "rtl" if tag.split("-")[0].lower() in _LANGUAGES else "ltr"


#: The page's words by their keys.
ENGLISH: dict[str, str] = packaged_toml(__package__, "page_files/english.toml")
_PLACE = re.compile(r"\{([a-z]+)\}")
#: Most characters of one of the page's words.
_MOST = 1000
#: Most bytes of a file of words; all of the English ones are 3 kB.
_MOST_BYTES = 1_000_000


def read_words(path: str | Path) -> dict[str, str]:
    """The page's words from a file of JSON: one object, from keys of :data:`ENGLISH` to words."""
    text = _decoded(read_file(path, "a file of words", most=_MOST_BYTES), path)
    try:
        found = json.loads(text, object_pairs_hook=partial(_once, source=str(path)))
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f'{path}: not a JSON object; expected keys and words, such as {{"next": "Weiter"}}')
    return check_words(found, str(path))


def _decoded(raw: bytes, path: str | Path) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte number {error.start + 1} is not UTF-8; save it as UTF-8") from error


def _once(pairs: list[tuple[str, object]], source: str) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise InputError(f"{source}: {twice[0]!r} appears {keys.count(twice[0])} times; expected once")
    return dict(pairs)


def check_words(words: Mapping[str, object], source: str) -> dict[str, str]:
    """The words, checked; `source` is the file's name for messages."""
    checked: dict[str, str] = {}
    for key, word in words.items():
        if key not in ENGLISH:
            raise InputError(
                f"{source}: {key!r} is not a text of the page{suggestion(key, ENGLISH)}; expected some of"
                f" {', '.join(ENGLISH)}"
            )
        if not isinstance(word, str) or not word.strip() or len(word) > _MOST:
            raise InputError(
                f"{source}, {key!r}: {str(word)[:40]!r}; expected 1 to {_MOST} characters of text,"
                f" replacing {ENGLISH[key]!r}"
            )
        here, there = (sorted(set(_PLACE.findall(text))) for text in (word, ENGLISH[key]))
        if here != there:
            raise InputError(
                f"{source}, {key!r}: has the places {_places(here)}; expected {_places(there)}, as in"
                f" {ENGLISH[key]!r}"
            )
        checked[key] = word
    return checked


def _places(names: list[str]) -> str:
    return ", ".join("{" + name + "}" for name in names) or "none"


Direction = Literal["ltr", "rtl", "auto"]
#: A row of the table `text`: name, lang, dir, body.
TextRow = tuple[str, str, str, str]
#: Most characters of a text; 100,000 are about fifty printed pages.
MOST_CHARACTERS = 100_000


@dataclass(frozen=True)
class Example:
    """An item that was scored as an example, 0 to 100, and why."""

    text: str
    score: float
    why: str = ""


@dataclass(frozen=True)
class Texts:
    """The texts of a page, in one language (a BCP 47 tag).

    anchors: places on the line, from 0 to 100 and rising, and their labels. instructions: paragraphs,
    separated by blank lines. words: the page's own, by the keys of :data:`ENGLISH`; those that are left
    out are English.
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
    """The texts of a page from options as a user writes them; dir "auto" is that of the language's script."""
    one_of("dir", dir, get_args(Direction))
    tag = check_language(lang) if lang else ""
    for name, text in (("question", question), ("instructions", instructions)):
        if len(text) > MOST_CHARACTERS:
            raise TooLargeError(
                f"{name}: {len(text):,} characters; expected at most {MOST_CHARACTERS:,}. They are part"
                " of every annotator's page"
            )
    marks, way = anchors_of(anchors) if anchors else (), direction(tag) if dir == "auto" else dir
    own = check_words(words or {}, "words")
    return Texts(question.strip(), marks, instructions.strip(), tuple(examples), tag, way, own)


# -- anchors -------------------------------------------------------------------------------------------------


def anchors_of(text: str) -> tuple[tuple[float, str], ...]:
    r"""The anchors, rising, of `VALUE=LABEL` parted by semicolons; one within a label is written `\;`."""
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
        value = _on_the_line(name)
        if value is None:
            raise InputError(f"{where}: {name[:40]!r} is not a number from 0 to 100, the ends of the line")
        if value in found:
            raise InputError(f"{where}: {found[value][:60]!r} is also at {name}; give each its own value")
        found[value] = label
    return tuple(sorted(found.items()))


def _on_the_line(text: str) -> float | None:
    """A number from 0 to 100; None if the text is none."""
    value = number_of(text) if text.isascii() and "_" not in text else float("nan")
    return value + 0.0 if 0 <= value <= 100 else None  # no -0.0


# -- rows of the campaign ------------------------------------------------------------------------------------


def texts_to_rows(texts: Texts) -> list[TextRow]:
    """The rows of the table `text` (JSON but for question, instructions); `page` where there is no text."""
    bodies: dict[str, Any] = {name: vars(texts)[name] for name in ("question", "anchors", "instructions")}
    bodies |= {"examples": [[e.text, e.score, e.why] for e in texts.examples], "words": dict(texts.words)}
    rows = []
    for name, body in ((name, body) for name, body in bodies.items() if body):
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        rows.append((name, texts.lang, texts.dir, text))
    nothing = not texts.lang and texts.dir == "ltr"
    return rows if rows or nothing else [("page", texts.lang, texts.dir, "")]


def texts_from_rows(rows: Iterable[TextRow], lang: str | None = None) -> Texts:
    """The inverse of :func:`texts_to_rows`; `lang` is needed where rows are in several languages."""
    table = list(rows)
    known = sorted({row[1] for row in table})
    if lang is None:
        if len(known) > 1:
            raise InputError(f"texts in {len(known)} languages ({listed(known)}); name one with --lang")
        lang = known[0] if known else ""
    elif lang not in known:
        raise InputError(f"no texts in {lang!r}; this campaign has {listed(known) if known else 'none'}")
    way = next((way for _, tag, way, _ in table if tag == lang), "ltr")
    body = defaultdict(str, {name: body for name, tag, _, body in table if tag == lang})
    anchors = tuple((float(value), str(label)) for value, label in json.loads(body["anchors"] or "[]"))
    examples = tuple(Example(str(t), float(s), str(w)) for t, s, w in json.loads(body["examples"] or "[]"))
    words = json.loads(body["words"] or "{}")
    return Texts(body["question"], anchors, body["instructions"], examples, lang, way, words)


_COLUMNS = ("text", "score", "why")
#: Most examples; an annotator reads all of them before the first item.
MOST_EXAMPLES = 100


def read_instructions(path: str | Path) -> str:
    """The instructions of a text file in UTF-8: paragraphs separated by blank lines, no markup."""
    raw = read_file(path, "a text file of instructions", most=4 * MOST_CHARACTERS)
    text = _decoded(raw, path)
    if "\0" in text:
        raise InputError(f"{path}: contains zero characters; expected plain text in UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise InputError(f"{path}: empty; expected the instructions, in paragraphs separated by blank lines")
    if len(text) > MOST_CHARACTERS:
        raise TooLargeError(f"{path}: {len(text):,} characters; expected at most {MOST_CHARACTERS:,}")
    return text


def read_examples(path: str | Path, encoding: str | None = None) -> tuple[Example, ...]:
    """The examples of a table with the columns `text`, `score` (0 to 100), and `why` or not."""
    table = load(str(path), encoding)
    for name in ("text", "score"):
        if name not in table.columns:
            found_columns = f"no column {name!r}; found {listed(table.columns)}"
            raise InputError(f"{table.source}: {found_columns}; expected text, score and why")
    for name in table.columns:
        if name not in (*_COLUMNS, "guarded"):
            near = suggestion(name, _COLUMNS)
            raise InputError(f"{table.source}: column {name!r}; expected text, score and why{near}")
    if table.n_rows > MOST_EXAMPLES:
        raise TooLargeError(f"{table.source}: {table.n_rows} examples; expected at most {MOST_EXAMPLES}")
    texts, scores = cells_of(table, "text"), cells_of(table, "score")
    whys = cells_of(table, "why") if "why" in table.columns else [""] * table.n_rows
    found = []
    for row, (text, cell, why) in enumerate(zip(texts, scores, whys)):
        if not text.strip():
            raise InputError(f"{table.where(row, 'text')}: blank; expected the text of an example")
        if max(len(text), len(why)) > MOST_CHARACTERS:
            raise TooLargeError(f"{table.where(row)}: more than {MOST_CHARACTERS:,} characters")
        score = _on_the_line(cell)
        if score is None:
            raise InputError(f"{table.where(row, 'score')}: {cell[:40]!r}; expected a number from 0 to 100")
        found.append(Example(text, score, why))
    return tuple(found)


def text_rows_of(store: Store) -> tuple[TextRow, ...]:
    """All texts of a campaign, in the order of their names."""
    return tuple(store.db.execute("SELECT name, lang, dir, body FROM text ORDER BY name, lang"))


def write_texts(store: Store, rows: tuple[TextRow, ...]) -> None:
    """Replace all texts of a campaign."""
    store.db.execute("DELETE FROM text")
    store.db.executemany("INSERT INTO text (name, lang, dir, body) VALUES (?, ?, ?, ?)", rows)


def change_texts(path: str | Path, texts: Texts | None) -> tuple[TextRow, ...]:
    """All texts of a campaign, after those of one language were replaced (None: as they are)."""
    with opened(path, write=texts is not None) as store:
        if texts is not None:
            others = [row for row in text_rows_of(store) if row[1] != texts.lang]
            write_texts(store, (*others, *texts_to_rows(texts)))
        return text_rows_of(store)
