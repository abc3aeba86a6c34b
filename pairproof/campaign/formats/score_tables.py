"""Tables of direct assessment scores from Appraise and WMT, and the campaigns that are made from them.

Every line is one score: of a system's output, a reference, a degraded output or one judged again.  A system
`A+B` stands for one output that A and B share; it was judged once, and the score is that of both.

Appraise's table has no header: `user, system, segment, type, source language, target language, score,
start, end`; with documents, `document, is document` stand before the times (Unix seconds).  Types are TGT
(a system's output), REF (a reference), BAD (a degraded output) and CHK (an output judged again).  Scores
of whole documents are left out, and counted.  A batch is a JSON list of tasks, each with `items` of
`itemID, itemType, sourceText, targetID, targetText`.

WMT's, in the layout of Graham's tools: `HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type
sid score time`; in raw tables the names are parted by spaces and the rows by tabs, later ones have tabs
throughout.  Types are SYSTEM, REPEAT, REF and BAD_REF.  Tables of the step `good-stnd` hold standardised
scores: they are refused, because campaigns keep what annotators said.

In a campaign an item is a system's output for a segment.  A degraded output is an item of role degraded
with its original, a reference one of role gold with the known score 1, and a repeat is a slot of kind
repeat.  A line is a HIT that was answered once, or a slot of one where the table names HITs; the score of
an output that several systems share is one judgment with a slot for each of them.
"""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
import json
import math
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.inputs import decoded, member, of_kind, parsed, read_file, unpacked
from ...native.annotation.methods import Settings, start
from ...text import listed, quoted
from ..storage.design import Design, OnRepeat, now
from ..storage.records import (
    About,
    Reserved,
    drawn_seed,
    insert_judgment,
    insert_received,
    write_about,
    write_items,
)
from ..storage.rules import settle_and_count, write_rule
from ..storage.store import Store, created
from .kinds import APPRAISE_TYPES, refuse_other

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class JudgedLine:
    """One score, in [0, 1] and raw; times are in Unix seconds, nan if unknown."""

    where: str
    annotator: str
    systems: tuple[str, ...]
    segment: str
    kind: str
    value: float
    raw: str
    pair: str
    hit: str = ""
    began: float = math.nan
    ended: float = math.nan
    seconds: float = math.nan


def score(text: str, where: str) -> float:
    """A score from 0 to 100, as a number in [0, 1]."""
    value = number(text, where, "a score from 0 to 100")
    if not 0 <= value <= 100:
        raise InputError(
            f"{where}: {text} is outside 0 to 100; standardised scores (z) cannot be imported: give the raw"
            " scores"
        )
    return value / 100.0


def number(text: str, where: str, expected: str) -> float:
    """A finite number."""
    stripped = text.strip()
    value = float(stripped) if _NUMBER.fullmatch(stripped) else math.inf
    if not math.isfinite(value):
        raise InputError(f"{where}: {text!r}; expected {expected}")
    return value


def systems_of(text: str, where: str) -> tuple[str, ...]:
    """The systems that share an output: "A+B" are two."""
    names = tuple(name.strip() for name in text.split("+"))
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"{where}: {text!r}; expected a system, or different systems joined by +")
    return names


def of_pair(lines: Sequence[JudgedLine], pair: str | None, source: str) -> list[JudgedLine]:
    """The lines of one language pair; a campaign has one."""
    pairs = sorted({line.pair for line in lines})
    if pair is None and len(pairs) > 1:
        raise InputError(
            f"{source}: scores of {len(pairs)} language pairs: {', '.join(pairs[:12])}; a campaign has"
            f" one: select it with --pair, for example --pair {pairs[0]}"
        )
    chosen = [line for line in lines if pair is None or line.pair == pair]
    if not chosen:
        raise InputError(f"{source}: no scores of the language pair {pair!r}; found {', '.join(pairs[:12])}")
    return chosen


#: Appraise's type -> kind of score in a campaign.
APPRAISE_KINDS = {"TGT": "item", "CHK": "repeat", "BAD": "degraded", "REF": "gold"}
_WORDS = {"true": True, "1": True, "false": False, "0": False}


def read_appraise(raw: bytes, source: str) -> tuple[list[JudgedLine], int]:
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
        lines.append(_appraise_line(cells, where))
    if not lines:
        raise InputError(f"{source}: no scores of segments")
    return lines, documents


def _word(text: str, where: str) -> bool:
    found = _WORDS.get(text.strip().casefold())
    if found is None:
        raise InputError(f"{where}, field 9: {text!r}; expected True or False (a document's score)")
    return found


def _appraise_line(cells: list[str], where: str) -> JudgedLine:
    user, system, segment, kind, src, trg, given = (c.strip() for c in cells[:7])
    if kind not in APPRAISE_TYPES:
        raise InputError(f"{where}, field 4: type {kind!r}; expected {', '.join(APPRAISE_TYPES)}")
    if not user or not segment:
        raise InputError(f"{where}: no user or no segment; expected both")
    began, ended = (number(c, f"{where}, a time", "Unix seconds") for c in cells[-2:])
    if ended < began:
        raise InputError(f"{where}: ends at {ended:g}, before it begins at {began:g}; expected Unix seconds")
    # With documents the same segment number stands in several of them.
    segment = f"{cells[7].strip()}/{segment}" if len(cells) == 11 else segment
    systems, value = systems_of(system, f"{where}, field 2"), score(given, f"{where}, field 7")
    judged = (user, systems, segment, APPRAISE_KINDS[kind], value, given, f"{src}-{trg}", "")
    return JudgedLine(where, *judged, began, ended, ended - began)


# -- batches -------------------------------------------------------------------------------------------------


#: An item of a batch, as a row of an items file.
BatchItem = dict[str, str]


def read_batch(raw: bytes, source: str) -> list[BatchItem]:
    """The items of a batch of Appraise, each once; planned repeats (CHK) are no items of their own."""
    found: dict[str, BatchItem] = {}
    for t, task in enumerate(of_kind(parsed(decoded(raw, source), source), list, source, "the document"), 1):
        where = f"{source}, task {t}"
        entries = member(of_kind(task, dict, where, "it"), "items", list, where)
        for k, entry in enumerate(entries, 1):
            place = f"{where}, item {k}"
            for item in _batch_items(of_kind(entry, dict, place, "it"), place):
                name = item["id"]
                if found.setdefault(name, item) != item:
                    raise InputError(f"{place}: item {quoted(name)} is also in the batch with another text")
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
    text, role = member(entry, "targetText", str, where), APPRAISE_KINDS[kind]
    original = member(entry, "sourceText", str, where, "")
    # A reference has the known score 1.
    known = {"gold": "1" if role == "gold" else "", "source_text": original}
    found = []
    for system in systems_of(member(entry, "targetID", str, where), f"{where}, 'targetID'"):
        of = item_id(segment, system, "item") if role == "degraded" else ""
        own = {"id": item_id(segment, system, role), "sent": text, "role": role, "of": of}
        found.append({**own, "source": segment, "system": system, **known})
    return found


def item_id(segment: str, system: str, role: str) -> str:
    """The id of a system's output for a segment; a degraded one or a reference ends in its kind."""
    return f"{segment} {system}" + {"item": "", "degraded": " (degraded)", "gold": " (reference)"}[role]


#: Type in the table -> kind of score in a campaign.
WMT_KINDS = {"SYSTEM": "item", "REPEAT": "repeat", "BAD_REF": "degraded", "REF": "gold"}
NEEDED = ("WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score")


def read_wmt(raw: bytes, source: str) -> list[JudgedLine]:
    """The scores of a table."""
    rows = [line.rstrip("\r") for line in decoded(raw, source).split("\n")]
    names = rows[0].split("\t") if "\t" in rows[0] else rows[0].split()
    names = [_unquoted(name) for name in names]
    absent = [name for name in NEEDED if name not in names]
    if absent or len(set(names)) < len(names):
        what = f"no column {listed(absent)}" if absent else "a column appears twice"
        raise InputError(f"{source}: {what}; found {listed(names)}")
    places = [(row, f"{source}, line {k}") for k, row in enumerate(rows[1:], 2) if row.strip()]
    lines = [_wmt_line(dict(zip(names, _cells(row, len(names), where))), where) for row, where in places]
    if not lines:
        raise InputError(f"{source}: no rows below the header")
    return lines


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _cells(row: str, width: int, where: str) -> list[str]:
    cells = [_unquoted(c) for c in row.split("\t")]
    if len(cells) != width:
        raise InputError(
            f"{where}: {len(cells)} tab-separated fields, but the header has {width} names; was"
            " the file saved by a spreadsheet?"
        )
    return cells


def _wmt_line(row: dict[str, str], where: str) -> JudgedLine:
    kind = row["type"]
    if kind not in WMT_KINDS:
        raise InputError(f"{where}, column 'type': {kind!r}; expected {', '.join(WMT_KINDS)}")
    if not row["WorkerId"] or not row["sid"]:
        raise InputError(f"{where}: no WorkerId or no sid; expected both")
    known = {name: "" if row.get(name) == "NA" else row.get(name, "") for name in ("HITId", "time")}
    spent = number(known["time"], f"{where}, column 'time'", "seconds") if known["time"] else 0.0
    systems, given = systems_of(row["sys_id"], f"{where}, column 'sys_id'"), row["score"]
    value, pair = score(given, f"{where}, column 'score'"), f"{row['Input.src']}-{row['Input.trg']}"
    judged = (row["WorkerId"], systems, row["sid"], WMT_KINDS[kind], value, given, pair, known["HITId"])
    # Tables in which nobody took times have 0.
    return JudgedLine(where, *judged, seconds=spent if spent > 0 else math.nan)


COLUMNS = ("sent", "source", "system", "role", "of", "gold")
#: Known score of a reference: it was made by a translator, and the tools take it for perfect.
OF_REFERENCE = 1.0


@dataclass(frozen=True)
class FromScores:
    """A campaign made from a table of scores, of which those of whole documents were left out."""

    about: About
    items: int
    annotators: int
    judgments: int
    documents: int


def from_scores(
    path: str | Path,
    scores: str | Path,
    *,
    pair: str | None = None,
    on_repeat: OnRepeat = "first",
    seed: int | None = None,
) -> FromScores:
    """Make a campaign from a table of scores.

    Parameters
    ----------
    path : path
        The database to create; it must not exist.
    scores : path
        Scores that Appraise exported, or direct assessment scores in the layout of WMT.
    pair : str, optional
        Source and target language, "deu-eng"; needed if the table has several.
    on_repeat : {"first", "last", "both"}
        Which scores count if an annotator judged an output more than once without a planned repeat.
    seed : int, optional
        Seed of later batches; default: drawn at random and stored.

    Returns
    -------
    FromScores

    Raises
    ------
    InputError
        The file is of another kind, a line is not as expected (with its number), a score is standardised, or
        a line stands twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pairproof import campaign
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> table = "u1,A,1,TGT,deu,eng,80,1.5,9\\nu1,B,1,TGT,deu,eng,60,9,20\\nu2,A,1,TGT,deu,eng,70,1,9\\n"
    >>> _ = (folder / "scores.csv").write_text(table)
    >>> made = campaign.from_scores(folder / "C.db", folder / "scores.csv")
    >>> (made.items, made.annotators, made.judgments)
    (2, 2, 3)
    """
    source = str(scores)
    raw = unpacked(read_file(scores, "a table of scores"), source)
    expected = "scores from Appraise, or direct assessment scores from WMT"
    kind = refuse_other(raw, source, ("appraise-scores", "wmt-scores"), expected)
    lines, documents = read_appraise(raw, source) if kind == "appraise-scores" else (read_wmt(raw, source), 0)
    chosen = of_pair(lines, pair, source)
    hits = _hits(chosen)
    drawn = drawn_seed(seed)
    # A key is the kind, the segment and the systems.
    size = max(sum(len(key) - 2 for key in _slots(hit)) for hit in hits)
    design = Design(text="sent", on_repeat=on_repeat, partial=True, columns={c: c for c in COLUMNS[1:]})
    a = About(secrets.token_hex(6), "da", size, Settings(), "paper", drawn, COLUMNS, True, design)
    with created(path) as store:
        write_about(store, a)
        write_rule(store, "repeats", on_repeat)
        items = _Items(chosen)
        write_items(store, items.ids, items.fields, start("da", len(items.ids)), items.reserved)
        judgments = _insert(store, hits, items, source, raw)
        settle_and_count(store, a, recount=True)
    people = len({line.annotator for line in chosen})
    return FromScores(a, len(items.ids), people, judgments, documents)


class _Items:
    """The items of a table: each output once, with the originals of degraded ones."""

    def __init__(self, lines: Sequence[JudgedLine]) -> None:
        keys: dict[tuple[str, str, str], None] = {}
        for line in lines:
            for system in line.systems:
                if line.kind == "degraded":
                    keys.setdefault((line.segment, system, "item"))
                keys.setdefault((line.segment, system, _role(line)))
        self.position = {key: k for k, key in enumerate(keys)}
        self.ids = [item_id(*key) for key in keys]
        self.reserved: list[Reserved] = []
        self.fields: list[list[str]] = []
        for segment, system, kind in keys:
            of = self.position[segment, system, "item"] if kind == "degraded" else None
            gold = OF_REFERENCE if kind == "gold" else None
            self.reserved.append((kind, of, segment, system, gold))
            original = self.ids[of] if of is not None else ""
            self.fields.append(["", segment, system, kind, original, "" if gold is None else f"{gold:g}"])

    def of(self, line: JudgedLine) -> list[int]:
        """The positions of a line's items, one for each system."""
        return [self.position[line.segment, system, _role(line)] for system in line.systems]


def _role(line: JudgedLine) -> str:
    return "item" if line.kind == "repeat" else line.kind


#: A HIT of the table: its answers by annotator and session.
_Hit = dict[tuple[str, str], list[JudgedLine]]


def _key(line: JudgedLine) -> tuple[str, ...]:
    return (line.kind, line.segment, *line.systems)


def _slots(hit: _Hit) -> dict[tuple[str, ...], JudgedLine]:
    return {_key(line): line for answers in hit.values() for line in answers}


def _hits(lines: Sequence[JudgedLine]) -> list[_Hit]:
    """The HITs: as the table names them, else one for each output and kind."""
    found: dict[tuple[str, ...], _Hit] = {}
    for line in lines:
        # Where nothing names HITs, a second look at an output is another answer, told apart by its time.
        session = "" if line.hit or math.isnan(line.began) else repr(line.began)
        hit = found.setdefault((line.hit,) if line.hit else _key(line), {})
        given = hit.setdefault((line.annotator, session), [])
        twin = next((other for other in given if _key(other) == _key(line)), None)
        if twin is not None:
            raise InputError(
                f"{line.where}: annotator {line.annotator!r} scores the same"
                f" output in {twin.where.rpartition(', ')[2]}, at the same time; remove one of the lines"
            )
        given.append(line)
    return list(found.values())


def _insert(store: Store, hits: Sequence[_Hit], items: _Items, source: str, raw: bytes) -> int:
    """Insert the HITs, as one batch, and their judgments; the number of judgments."""
    count = sum(map(len, hits))
    received = insert_received(store, source, hashlib.sha256(raw).hexdigest(), count, count)
    store.db.execute("INSERT INTO batch (number, opened, hits) VALUES (1, ?, ?)", (now(), len(hits)))
    row = 0
    for number, hit in enumerate(hits, 1):
        plan = [(key, k) for key, line in _slots(hit).items() for k in items.of(line)]
        positions, kinds = json.dumps([k for _, k in plan]), json.dumps([kind for (kind, *_), _ in plan])
        query = "INSERT INTO hit (batch, number, items, plan) VALUES (1, ?, ?, ?)"
        store.db.execute(query, (number, positions, kinds))
        for row, ((annotator, session), answers) in enumerate(hit.items(), row + 1):
            name = answers[0].hit
            named = [annotator, name or list(_key(answers[0])), session]
            identity = f"table:{json.dumps(named, ensure_ascii=False)}"
            given = {_key(line): line for line in answers}
            asked = [(slot, k, given.get(key)) for slot, (key, k) in enumerate(plan, 1)]
            scores = [(slot, k, line.value, line.raw) for slot, k, line in asked if line is not None]
            judgment = (identity, 1, number, name, "", annotator, json.dumps(_times(answers)), received, row)
            insert_judgment(store, judgment, scores)
    return count


def _times(answers: Sequence[JudgedLine]) -> dict[str, str]:
    """When the answers to a HIT began and ended, and the time spent, as a results file has them."""
    began, ended, spent = zip(*((a.began, a.ended, a.seconds) for a in answers))

    def at(moment: float) -> str:
        return dt.datetime.fromtimestamp(moment, dt.timezone.utc).isoformat()

    # A time that one of the answers lacks is not known.
    found = {
        name: at(of(times))
        for name, of, times in (("AcceptTime", min, began), ("SubmitTime", max, ended))
        if not math.isnan(sum(times))
    }
    return found if math.isnan(sum(spent)) else {**found, "WorkTimeInSeconds": repr(sum(spent))}
