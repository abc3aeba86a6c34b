"""Files of the annotation tool Appraise: its table of scores, and its batches of items.

The table has no header.  A line is `user, system, segment, type, source language, target language, score,
start, end`; in campaigns with documents, `document, is document` stand before the times.  Types are TGT (a
system's output), REF (a reference), BAD (a degraded output) and CHK (an output judged again); times are Unix
seconds.  Scores of whole documents have no segment and are left out, and counted.

A batch is a JSON list of tasks, each with `items` of `itemID, itemType, sourceText, targetID, targetText`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....errors import InputError
from ....text import quoted
from ..kinds import APPRAISE_TYPES
from ..strict_json import decoded, member, of_kind, parsed
from .judged import JudgedLine, number, score, systems_of

#: Appraise's type -> kind of score in a campaign.
KIND_OF = {"TGT": "item", "CHK": "repeat", "BAD": "degraded", "REF": "gold"}
_WORDS = {"true": True, "1": True, "false": False, "0": False}


def read_scores(raw: bytes, source: str) -> tuple[list[JudgedLine], int]:
    """The scores of a table, and the number of document scores that were left out."""
    lines: list[JudgedLine] = []
    documents = width = 0
    for k, cells in enumerate(csv.reader(io.StringIO(decoded(raw, source), newline="")), 1):
        if not cells:
            continue
        where = f"{source}, line {k}"
        width = width or len(cells)
        if len(cells) != width or width not in (9, 11):
            raise InputError(
                f"{where}: {len(cells)} fields; expected {width if width in (9, 11) else '9 or 11'} (user,"
                " system, segment, type, source and target language, score, start, end; with documents 11)"
            )
        if width == 11 and _word(cells[8], where):
            documents += 1
            continue
        lines.append(_line(cells, where))
    if not lines:
        raise InputError(f"{source}: no scores of segments")
    return lines, documents


def _word(text: str, where: str) -> bool:
    if text.strip().casefold() not in _WORDS:
        raise InputError(f"{where}, field 9: {text!r}; expected True or False (a document's score)")
    return _WORDS[text.strip().casefold()]


def _line(cells: list[str], where: str) -> JudgedLine:
    user, system, segment, kind, src, trg, given = (c.strip() for c in cells[:7])
    if kind not in APPRAISE_TYPES:
        raise InputError(f"{where}, field 4: type {kind!r}; expected {', '.join(APPRAISE_TYPES)}")
    if not user or not segment:
        raise InputError(f"{where}: no user or no segment; expected both")
    began, ended = (number(c, f"{where}, a time", "Unix seconds") for c in cells[-2:])
    if ended < began:
        raise InputError(f"{where}: ends at {ended:g}, before it begins at {began:g}; expected Unix seconds")
    return JudgedLine(
        where,
        user,
        systems_of(system, f"{where}, field 2"),
        # With documents the same segment number stands in several of them.
        f"{cells[7].strip()}/{segment}" if len(cells) == 11 else segment,
        KIND_OF[kind],
        score(given, f"{where}, field 7"),
        given,
        f"{src}-{trg}",
        began=began,
        ended=ended,
        seconds=ended - began,
    )


# -- batches -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BatchItem:
    """An item of a batch, as a row of an items file.

    sent: the text to judge.  `of`: for a degraded item, the id of the item it was made from; else "".
    source: the segment.
    """

    id: str
    sent: str
    role: str
    of: str
    source: str
    system: str
    source_text: str


def read_batch(raw: bytes, source: str) -> list[BatchItem]:
    """The items of a batch of Appraise, each once; planned repeats (CHK) are no items of their own."""
    found: dict[str, BatchItem] = {}
    for t, task in enumerate(of_kind(parsed(decoded(raw, source), source), list, source, "the document"), 1):
        where = f"{source}, task {t}"
        entries = member(of_kind(task, dict, where, "it"), "items", list, where)
        for k, entry in enumerate(entries, 1):
            place = f"{where}, item {k}"
            for item in _batch_items(of_kind(entry, dict, place, "it"), place):
                if found.setdefault(item.id, item) != item:
                    raise InputError(
                        f"{place}: item {quoted(item.id)} is also in the batch with another text"
                    )
    if not found:
        raise InputError(f"{source}: no items to judge; expected a batch of Appraise")
    return list(found.values())


def _batch_items(entry: Mapping[str, Any], where: str) -> list[BatchItem]:
    """The items of an entry: one for each of the systems that share the output, none for a planned repeat."""
    kind = member(entry, "itemType", str, where)
    if kind not in APPRAISE_TYPES:
        raise InputError(f"{where}: itemType {kind!r}; expected {', '.join(APPRAISE_TYPES)}")
    if kind == "CHK":
        return []
    segment = str(member(entry, "itemID", (int, str), where))
    document = member(entry, "documentID", (str, type(None)), where, None)
    segment = f"{document}/{segment}" if document else segment
    text, role = member(entry, "targetText", str, where), KIND_OF[kind]
    original = member(entry, "sourceText", str, where, "")
    found = []
    for system in systems_of(member(entry, "targetID", str, where), f"{where}, 'targetID'"):
        of = item_id(segment, system, "item") if role == "degraded" else ""
        found.append(BatchItem(item_id(segment, system, role), text, role, of, segment, system, original))
    return found


def item_id(segment: str, system: str, role: str) -> str:
    """The id of an item that is a system's output for a segment; a degraded one or a reference ends in its
    kind.
    """
    return f"{segment} {system}" + {"item": "", "degraded": " (degraded)", "gold": " (reference)"}[role]
