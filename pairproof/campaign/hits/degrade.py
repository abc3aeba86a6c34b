"""`easl degrade`: an items file with degraded items added, for a campaign with a share of them.

Degraded items: texts in which words are replaced by another text's, to see who reads.

A run of words is replaced by a run of as many words of another item's text, as in direct assessment of
machine translation (Graham, Baldwin, Moffat and Zobel 2017; WMT's campaigns).  How many, by the text's length:

    words       1    2-5    6-8    9-15    16-20    more
    replaced    1     2      3      4        5      a quarter

In scripts without spaces between words the units are characters, with the marks that belong to them, and
twice as many are replaced.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

from ...data.options import whole_number
from ...errors import InputError
from ...files.outputs import csv_text, write
from ..formats.campaign_files import ItemsFile, cells_of, read_items

#: Largest number of words, and words replaced.
_REPLACED = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
#: Draws of place and other text before an item counts as impossible to degrade.
DRAWS = 200
#: Scripts written without spaces between words, as they stand in Unicode's names of characters.
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def words_replaced(words: int) -> int:
    """How many words of a text are replaced."""
    return next((k for most, k in _REPLACED if words <= most), words // 4)


def unspaced(text: str) -> bool:
    """Whether most letters of a text are of a script without spaces between words."""
    letters = [c for c in text if unicodedata.category(c)[0] == "L"]
    return 2 * sum(unicodedata.name(c, "").startswith(UNSPACED) for c in letters) > len(letters)


def _units(text: str, characters: bool) -> list[str]:
    """Words with what stands before them, or characters with their marks; joined they are the text."""
    if not characters:
        return re.findall(r"\s*\S+", text)
    begins = [k for k, c in enumerate(text) if not k or unicodedata.category(c)[0] != "M"]
    return [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)])]


def degraded(text: str, others: Sequence[str], rng: Generator) -> str | None:
    """A text with a run of words replaced by another's; None if none has enough words that differ."""
    characters = unspaced(text)
    own = _units(text, characters)
    if not own or not others:
        return None
    k = min(len(own), words_replaced(len(own)) * (2 if characters else 1))
    for _ in range(DRAWS):
        other = others[int(rng.integers(len(others)))]
        theirs = _units(other, characters)
        if len(theirs) < k:
            continue
        at, begin = int(rng.integers(len(own) - k + 1)), int(rng.integers(len(theirs) - k + 1))
        new = theirs[begin : begin + k]
        if [u.strip() for u in new] == [u.strip() for u in own[at : at + k]]:
            continue
        if not characters:  # the spaces of the text itself stay
            spaces = [unit[: len(unit) - len(unit.lstrip())] for unit in own[at : at + k]]
            new = [space + unit.strip() for space, unit in zip(spaces, new)]
        return "".join([*own[:at], *new, *own[at + k :]]) + text[len(text.rstrip()) :] * (not characters)
    return None


def new_ids(ids: Sequence[str], number: int, rng: Generator) -> list[str]:
    """Ids for new rows that do not tell what they are: the next numbers, or else drawn at random."""
    parts = [re.fullmatch(r"(.*?)([0-9]{1,15})", name, re.ASCII | re.DOTALL) for name in ids]
    split = [(p[1], p[2]) for p in parts if p]
    if len(split) == len(ids) and len({prefix for prefix, _ in split}) == 1:
        digits = [own for _, own in split]
        width = len(digits[0]) if len(set(map(len, digits))) == 1 else 0
        last = max(map(int, digits))
        return [f"{split[0][0]}{last + k:0{width}d}" for k in range(1, number + 1)]
    found: dict[str, None] = {}
    taken = set(ids)
    while len(found) < number:
        name = rng.bytes(5).hex()
        if name not in taken:
            found.setdefault(name)
    return list(found)


def pick_items(available: Sequence[int], number: int | None, rng: Generator) -> list[int]:
    """Which items are degraded: all, or so many drawn at random, in their order."""
    if number is None:
        return list(available)
    if number > len(available):
        raise InputError(f"--number {number}: the file has {len(available)} items; ask for at most that many")
    return sorted(int(i) for i in rng.choice(np.array(available, np.int64), number, replace=False))


#: The columns that say what a row is, and of which item.
ROLE, OF = "role", "of"


@dataclass(frozen=True)
class Degraded:
    """What was written."""

    items: int
    degraded: int
    seed: int


def degrade(
    items: str | Path,
    out: str | Path,
    *,
    text: str = "sent",
    number: int | None = None,
    seed: int = 0,
    encoding: str | None = None,
    force: bool = False,
) -> Degraded:
    """Write an items file (.csv) with degraded items, all or `number`, whose originals stand in `of`."""
    if Path(out).suffix.lower() != ".csv":
        raise InputError(f"{out}: ends in {Path(out).suffix or 'no suffix'!r}; expected .csv")
    rng = np.random.default_rng(whole_number("seed", seed))
    read = read_items(items, encoding)
    source = read.table.source
    if text not in read.columns:
        raise InputError(
            f"{source}: no column {text!r}; found {', '.join(map(repr, read.columns))}: --text names the column"
            " that is degraded"
        )
    roles = cells_of(read.table, ROLE) if ROLE in read.columns else ["item"] * len(read.ids)
    if "degraded" in roles:
        raise InputError(
            f"{read.table.where(roles.index('degraded'), ROLE)}: the file already has degraded"
            " items; remove them to make others"
        )
    plain = [k for k, role in enumerate(roles) if role in ("item", "")]
    if not plain:
        raise InputError(f"{source}: no row has the role item, so there is nothing to degrade")
    chosen = pick_items(plain, number, rng)
    header, rows = _rows(read, text, roles, (chosen, plain), rng)
    write(out, csv_text(header, rows), reads=[items], force=force)
    return Degraded(len(plain), len(chosen), seed)


def _rows(
    read: ItemsFile, text: str, roles: list[str], of: tuple[list[int], list[int]], rng: Generator
) -> tuple[list[str], list[list[str]]]:
    """The new file: the rows that were there, and degraded ones of the first of `of` by words of the second."""
    chosen, plain = of
    columns = [*read.columns, *(c for c in (ROLE, OF) if c not in read.columns)]
    cells = {name: cells_of(read.table, name) for name in read.columns}
    cells[ROLE] = [role or "item" for role in roles]
    cells.setdefault(OF, [""] * len(read.ids))
    texts, sources = cells[text], cells.get("source", [""] * len(read.ids))
    pool, by_source = [texts[k] for k in plain], [sources[k] for k in plain]
    rows = [[name, *(cells[c][k] for c in columns)] for k, name in enumerate(read.ids)]
    for k, name in zip(chosen, new_ids(read.ids, len(chosen), rng)):
        bad = _degraded(texts[k], pool, by_source, sources[k], rng)
        if bad is None:
            raise InputError(
                f"{read.table.where(k, text)}: {texts[k][:40]!r}: no other item has enough different"
                " words to insert; leave the item out, or add items"
            )
        own = {**{c: cells[c][k] for c in columns}, text: bad, ROLE: "degraded", OF: read.ids[k]}
        own.update({"gold": ""} if "gold" in own else {})
        rows.append([name, *(own[c] for c in columns)])
    return ["id", *columns], rows


def _degraded(text: str, pool: list[str], by_source: list[str], source: str, rng: Generator) -> str | None:
    """The text with words of an item of another source, or of any other item if no such one will do."""
    if source:
        # Outputs of the same source share most words; a few draws nearly always find another source.
        for _ in range(20):
            k = int(rng.integers(len(pool)))
            if by_source[k] != source and (found := degraded(text, [pool[k]], rng)) is not None:
                return found
    return degraded(text, pool, rng)
