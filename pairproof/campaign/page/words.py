"""The page's own words: English, each of which a team can give in its own language (`--words FILE.json`).

`{page}` and its like are places that the page fills in; a word must keep those that its English has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...data.reading.table import suggestion
from ...errors import InputError

#: The page's words by their keys.
ENGLISH: dict[str, str] = {"title": "Annotation", "ask": "Give every item a score from 0 to 100."}
_PLACE = re.compile(r"\{([a-z]+)\}")
#: Most characters of one of the page's words.
_MOST = 1000


def check_words(words: Mapping[str, str], source: str) -> dict[str, str]:
    """The words, checked.

    Parameters
    ----------
    words : mapping of str to str
    source : str
        For messages: a file's name.

    Raises
    ------
    InputError
        A key that the page does not have, a word that is blank, too long or not text, or places in braces
        that are not those of the English word.

    Examples
    --------
    >>> from pairproof.campaign.page.words import check_words
    >>> check_words({"title": "Bewertung"}, "words.json")
    {'title': 'Bewertung'}
    """
    for key, word in words.items():
        if key not in ENGLISH:
            raise InputError(f"{source}: {key!r} is no word of the page{suggestion(key, ENGLISH)}")
        if not isinstance(word, str) or not word.strip() or len(word) > _MOST:
            raise InputError(
                f"{source}, {key!r}: {str(word)[:40]!r}; expected 1 to {_MOST} characters of text, in place of"
                f" {ENGLISH[key]!r}"
            )
        here, there = sorted(_PLACE.findall(word)), sorted(_PLACE.findall(ENGLISH[key]))
        if set(here) != set(there):
            raise InputError(
                f"{source}, {key!r}: has the places {_places(here)}; expected {_places(there)}, as in"
                f" {ENGLISH[key]!r}"
            )
    return dict(words)


def _places(names: list[str]) -> str:
    return ", ".join("{" + name + "}" for name in names) or "none"
