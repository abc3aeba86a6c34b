"""The page's own words: English, each of which a team can give in its own language (`--words FILE.json`).

The file holds one object, from the keys of :data:`ENGLISH` to words.  `{page}` and its like are places that
the page fills in; a word must have those that its English has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from ...data.reading.table import suggestion
from ...errors import InputError
from ...files.inputs import read_file

#: The page's words by their keys.
ENGLISH: dict[str, str] = {
    # The page and its start
    "title": "Annotation",
    "ask": "Give every item a score from 0 to 100.",
    "instructions": "Instructions",
    "examples": "Examples",
    "example_score": "Score {score}",
    "name": "Your name or worker id",
    "need_name": "Please give your name or worker id first: your answers are kept under it.",
    "begin": "Begin",
    "continue": "Continue",
    "kept": "Your answers are kept in this browser until you save them and send the file.",
    "not_kept": "This browser keeps nothing for this page. Save your answers before you close or reload it.",
    # A page of items
    "place": "Page {page} of {pages}",
    "answered": "{done} answered",
    "progress": "Pages answered",
    "item_number": "item {item} of {items}",
    "score_name": "score of item {item} of {items}",
    "no_score": "no score yet",
    "cannot": "cannot judge",
    "clear": "clear",
    "back": "Back",
    "next": "Next",
    "finish": "Save answers",
    "open_item": "Item {item} has no score yet. Give one, or mark it “cannot judge”.",
    "locked": "This page is saved already and stays as it is.",
    # The keyboard
    "keyboard": "Keyboard",
    "key_items": "previous or next item",
    "key_move": "move the score by 1",
    "key_ten": "move the score by 10",
    "key_ends": "lowest or highest score",
    "key_digits": "type a score",
    "key_cannot": "cannot judge, on or off",
    "key_clear": "take the answer back",
    "key_next": "next page",
    # The end
    "save_title": "Save your answers",
    "count": "Pages answered: {done} of {pages}.",
    "count_parts": "Pages answered in part: {parts}.",
    "parts": "Save the pages answered in part, too, with the other items left blank. They cannot be changed later.",
    "save": "Save the results file",
    "nothing": "No page is answered completely yet, so there is nothing to save.",
    "saved": "Saved: {done} of {pages} pages, in the file {file}. Please send this file.",
    "saved_stay": "What is saved can be saved again, but not changed.",
    "left": "Pages not in it because they are not complete: {left}. You can answer them and save again.",
    "code_title": "If you cannot send a file",
    "code_why": "The code holds the same answers as the file. Copy all of it and paste it where it is asked for.",
    "code_show": "Show the code",
    "code_label": "Code with your answers",
    "code_copy": "Copy the code",
    "code_copied": "The code is copied.",
    "code_copy_yourself": "The code is selected; copy it with your browser.",
    "return": "Back to the items",
    "other": "Another person",
}
_PLACE = re.compile(r"\{([a-z]+)\}")
#: Most characters of one of the page's words.
_MOST = 1000
#: Most bytes of a file of words; all of the English ones are 3 kB.
_MOST_BYTES = 1_000_000


def read_words(path: str | Path) -> dict[str, str]:
    """The page's words from a file of JSON.

    path: one object: keys of :data:`ENGLISH` and their words.
    """
    raw = read_file(path, "a file of words", most=_MOST_BYTES)
    try:
        found = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=lambda pairs: _once(pairs, str(path)))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte number {error.start + 1} is not UTF-8; save it as UTF-8") from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f'{path}: no object; expected keys and words, such as {{"next": "Weiter"}}')
    return check_words(found, str(path))


def _once(pairs: list[tuple[str, object]], source: str) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise InputError(f"{source}: {twice[0]!r} stands there {keys.count(twice[0])} times; expected once")
    return dict(pairs)


def check_words(words: Mapping[str, object], source: str) -> dict[str, str]:
    """The words, checked.

    source: for messages: a file's name.
    """
    checked: dict[str, str] = {}
    for key, word in words.items():
        if key not in ENGLISH:
            raise InputError(
                f"{source}: {key!r} is no word of the page{suggestion(key, ENGLISH)}; expected some of"
                f" {', '.join(ENGLISH)}"
            )
        if not isinstance(word, str) or not word.strip() or len(word) > _MOST:
            raise InputError(
                f"{source}, {key!r}: {str(word)[:40]!r}; expected 1 to {_MOST} characters of text, in place of"
                f" {ENGLISH[key]!r}"
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
