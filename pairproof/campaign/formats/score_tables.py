"""Tables of scores from Appraise, from WMT or with any columns, and the campaigns that are made from them.

Every line is one score: of a system's output, a reference, a degraded output or one judged again.  A system
`A+B` stands for one output that A and B share; it was judged once, and the score is that of both.

Appraise's table has no header: `user, system, segment, type, source language, target language, score,
start, end`; with documents, `document, is document` stand before the times (Unix seconds).  Types are TGT
(a system's output), REF (a reference), BAD (a degraded output) and CHK (an output judged again).  Scores
of whole documents are left out, and counted.

WMT's, in the layout of Graham's tools: `HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type
sid score time`; in raw tables the names are parted by spaces and the rows by tabs, later ones have tabs
throughout.  Types are SYSTEM, REPEAT, REF and BAD_REF.  Tables of the step `good-stnd` hold standardised
scores: they are refused, because campaigns keep what annotators said.

Any other table has one row per score: annotator, item, score, and the optional columns of :data:`OWN`.  It is read
as WMT's under other names.  With a column for systems and none for segments, its item is WMT's segment; otherwise the
item is what was scored.

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
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

from ...data.options import one_of
from ...data.reading.forms import unread, ways_of_scores
from ...data.reading.sources import Table, load
from ...errors import InputError
from ...files.inputs import decoded, read_file, unpacked
from ...files.outputs import NUMBER
from ...native.annotation.methods import ADDITIVE, Method, Settings, start
from ...text import listed
from ..storage import records as stored
from ..storage.design import Design, OnRepeat, now, number_of
from ..storage.records import About, Reserved
from ..storage.rules import settle_and_count, write_rule
from ..storage.store import Store, created
from . import campaign_files as tables
from .campaign_files import APPRAISE_KINDS, APPRAISE_TYPES, item_id, kind_of_file, refuse_other, systems_of


@dataclass(frozen=True)
class JudgedLine:
    """One score, in [0, 1] and raw; times are in Unix seconds, nan if unknown. labels: the item's source and system,
    where it has a name of its own."""

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
    labels: tuple[str, str] | None = None
    text: str = ""


#: The lowest and the highest score or rating.
Scale = tuple[float, float]


def score(text: str, where: str) -> float:
    """A score from 0 to 100, as a number in [0, 1]."""
    value = number(text, where, "a score from 0 to 100")
    if not 0 <= value <= 100:
        raise InputError(
            f"{where}: {text} is outside 0 to 100; standardised scores (z) cannot be imported: give the raw"
            " scores"
        )
    return value / 100.0


def rescaled(value: float, where: str, scale: Scale | None) -> str:
    """A rating as a score from 0 to 100."""
    if scale is None:
        raise InputError(f"{where}: a rating of {value:g}; specify its scale, for example --scale 1 5")
    low, high = scale
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"scale {low:g} to {high:g}: expected two numbers, the lower one first")
    if not low <= value <= high:
        raise InputError(f"{where}: a rating of {value:g} is outside the scale {low:g} to {high:g}")
    return repr(100.0 * (value - low) / (high - low))


def number(text: str, where: str, expected: str) -> float:
    """A finite number."""
    stripped = text.strip()
    value = float(stripped) if NUMBER.fullmatch(stripped) else math.inf
    if not math.isfinite(value):
        raise InputError(f"{where}: {text!r}; expected {expected}")
    return value


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


def _wmt_line(row: Mapping[str, str], where: str, at: Callable[[str], str] | None = None) -> JudgedLine:
    """The score of a row; `at`: its place, and a column, for messages."""
    at = at or partial("{}, column {!r}".format, where)
    kind = row["type"]
    if kind not in WMT_KINDS:
        raise InputError(f"{at('type')}: {kind!r}; expected {', '.join(WMT_KINDS)}")
    blank = [name for name in ("WorkerId", "sid") if not row[name].strip()]
    if blank:
        raise InputError(f"{at(blank[0])}: blank; expected a name")
    known = {name: "" if row.get(name) == "NA" else row.get(name, "") for name in ("HITId", "time")}
    spent = number(known["time"], at("time"), "seconds") if known["time"] else 0.0
    systems = systems_of(row["sys_id"], at("sys_id")) if "sys_id" in row else ("",)
    given, pair = row["score"], f"{row.get('Input.src', '')}-{row.get('Input.trg', '')}"
    value = score(given, at("score"))
    judged = (row["WorkerId"], systems, row["sid"], WMT_KINDS[kind], value, given, pair, known["HITId"])
    # Tables in which nobody took times have 0.
    return JudgedLine(where, *judged, seconds=spent if spent > 0 else math.nan)


#: What the columns of one's own table say -> the columns of WMT's that say it; the first three are needed.
OWN = {
    **{"annotator": "WorkerId", "item": "sid", "score": "score", "system": "sys_id", "segment": "segment"},
    **{"text": "text", "hit": "HITId", "seconds": "time"},
}
_NEEDED_OWN = list(OWN)[:3]
#: A table without a score above this is on another scale than 0 to 100, unless its scale is stated.
_FEW_POINTS = 10.0


def read_own(table: Table, columns: Mapping[str, str], scale: Scale | None = None) -> list[JudgedLine]:
    """The scores of any table with one row per score; `columns`: the names of its columns ("": there is none)."""
    for name in columns:
        one_of("columns", name, tuple(OWN))
    given = {name: name for name in OWN if name in table.columns} | {**columns}
    said = {name: column for name, column in given.items() if column}
    for name in dict.fromkeys((*said, *_NEEDED_OWN)):
        table.need([said.get(name, name)], f" for the {name} (--col {name}=COLUMN)")
    called = {OWN[name]: column for name, column in said.items()}
    cells = {name: tables.cells_of(table, column) for name, column in called.items()}
    numbers = [value for value in map(number_of, cells["score"]) if not math.isnan(value)]
    if scale is None and numbers and max(numbers) <= _FEW_POINTS:
        span = f"{min(numbers):g} {max(numbers):g}"
        raise InputError(
            f"{table.source}, column {called['score']!r}: scores from {span.replace(' ', ' to ')}, which do not look like a"
            f" scale from 0 to 100; give the ends of the scale, for example --scale {span} (or --scale 0 100)"
        )
    lines = []
    for k, row in enumerate(zip(*cells.values())):
        own = {"type": "SYSTEM", **dict(zip(cells, row))}

        def at(name: str, k: int = k) -> str:
            return table.where(k, called.get(name))

        if scale is not None:
            own["score"] = rescaled(number(own["score"], at("score"), "a number"), at("score"), scale)
        # With a column for segments, the item is a single output.
        labels = (own["segment"], own.pop("sys_id", "")) if "segment" in own else None
        line = _wmt_line(own, f"{table.source}, row {k + 1}", at)
        lines.append(replace(line, labels=labels, text=own.get("text", "")))
    return lines


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
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    items: str | Path | None = None,
    method: Method = "da",
    per_hit: int | None = None,
    on_repeat: OnRepeat = "first",
    seed: int | None = None,
    encoding: str | None = None,
) -> FromScores:
    """Make a campaign from a table of scores.

    Parameters
    ----------
    path : path
        The database to create; it must not exist.
    scores : path
        Scores that Appraise exported, direct assessment scores in the layout of WMT, or any table with one row per
        score.
    pair : str, optional
        Source and target language, "deu-eng"; needed if the table has several.
    columns : mapping of str to str, optional
        Names of the columns of any other table: annotator, item, score and, optionally, system, segment, text, hit,
        seconds.  Default: these names.  "" means that there is no such column.
    scale : (float, float), optional
        Lowest and highest possible score in such a table; default: 0 and 100.
    items : path, optional
        CSV file with the columns `id` and `sent` (or `columns["text"]`): the texts of the items.  Items without
        scores are added to the campaign.
    method : {"da", "easl", "random"}
        With easl and random each item starts at alpha = beta = 1, and each imported score s in [0, 1] adds s to alpha
        and 1 - s to beta, like any other score (Sakaguchi and Van Durme 2018, section 4).  ra and trueskill need the
        order of scores and are refused.
    per_hit : int, optional
        Items per HIT in the next batches; default: as in the table, or 5 if it names no HITs.
    on_repeat : {"first", "last", "both"}
        Which scores count if an annotator judged an output more than once without a planned repeat.
    seed : int, optional
        Seed of later batches; default: drawn at random and stored.
    encoding : str, optional
        Encoding of the table and of `items`, if it is not UTF-8.

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
    >>> _ = (folder / "mine.csv").write_text("who,sentence,points\\nann,a,80\\nann,b,35\\nbob,a,90\\n")
    >>> named = {"annotator": "who", "item": "sentence", "score": "points"}
    >>> made = campaign.from_scores(folder / "D.db", folder / "mine.csv", columns=named, method="easl")
    >>> campaign.open(folder / "D.db").scores().raw.round(2).tolist()
    [0.85, 0.35]
    """
    source = str(scores)
    raw = unpacked(read_file(scores, "a table of scores"), source)
    one_of("method", method, get_args(Method))
    if method not in ADDITIVE:
        raise InputError(
            f"{source}: method {method} updates items by the order of scores within each HIT, one HIT after the other, which a"
            f" table of scores does not have; import it with --method {', '.join(ADDITIVE)}, or start a new campaign with"
            " 'pairproof easl init'"
        )
    texts = {} if items is None else _texts(items, (columns or {}).get("text", "sent"), encoding)
    columns = {**columns, "text": ""} if texts and columns else columns
    lines, documents = _lines(raw, source, columns, scale, encoding)
    chosen = of_pair(lines, pair, source)
    hits, drawn = _hits(chosen), stored.drawn_seed(seed)
    own = _Items(chosen, texts)
    # A key is the kind, the segment and the systems.
    longest = max(sum(len(key) - 2 for key in _slots(hit)) for hit in hits)
    n_items = sum(role == "item" for role, *_ in own.reserved)
    least = 1 if any(line.hit for line in chosen) else min(tables.PER_HIT, n_items)
    size = per_hit or max(longest, least)
    if per_hit or method != "da":
        tables.check_size(size, n_items, method, source)
    design = Design(text="sent", on_repeat=on_repeat, partial=True, columns={c: c for c in COLUMNS[1:]})
    a = About(secrets.token_hex(6), method, size, Settings(), "paper", drawn, COLUMNS, True, design)
    with created(path) as store:
        stored.write_about(store, a)
        write_rule(store, "repeats", on_repeat)
        stored.write_items(store, own.ids, own.fields, start(method, len(own.ids)), own.reserved)
        judgments = _insert(store, hits, own, source, raw)
        settle_and_count(store, a, recount=True)
    people = len({line.annotator for line in chosen})
    return FromScores(a, len(own.ids), people, judgments, documents)


def _lines(
    raw: bytes, source: str, columns: Mapping[str, str] | None, scale: Scale | None, encoding: str | None
) -> tuple[list[JudgedLine], int]:
    """The scores of a table of any kind, and how many of whole documents were left out."""
    kind = kind_of_file(raw, source)
    if columns is None and scale is None and kind is not None and kind.name != "scores":
        expected = (
            "scores from Appraise, direct assessment scores from WMT, or a table with one row per score"
        )
        known = refuse_other(raw, source, ("appraise-scores", "wmt-scores"), expected)
        return read_appraise(raw, source) if known == "appraise-scores" else (read_wmt(raw, source), 0)
    table = load(source, encoding)
    if columns is None and not {*table.columns}.issuperset(_NEEDED_OWN):
        if ways := ways_of_scores(table):
            raise unread(table, {}, ways)
        raise InputError(
            f"{source}: found the columns {listed(table.columns)}; expected one row per score, with the names of its"
            " columns (--col annotator=COLUMN --col item=COLUMN --col score=COLUMN); or a model file (id, alpha, beta), a"
            " log, or scores from Appraise or WMT"
        )
    return read_own(table, columns or {}, scale), 0


def _texts(items: str | Path, column: str, encoding: str | None) -> dict[str, str]:
    """The texts of an items file by the ids of the items."""
    read = tables.read_items(items, encoding)
    read.table.need([column], " with the texts (--col text=COLUMN)")
    return dict(zip(read.ids, tables.cells_of(read.table, column)))


class _Items:
    """The items of a table: each output once, with the originals of degraded ones, and those of `texts`."""

    def __init__(self, lines: Sequence[JudgedLine], texts: Mapping[str, str]) -> None:
        # Name, source, system and text of each.
        keys: dict[tuple[str, str, str], tuple[str, str, str, str]] = {}
        for line in lines:
            for system in line.systems:
                key = (line.segment, system, _role(line))
                if line.kind == "degraded":
                    whole = (line.segment, system, "item")
                    keys.setdefault(whole, (item_id(*whole), line.segment, system, ""))
                what = (item_id(*key), *(line.labels or (line.segment, system)), line.text)
                if keys.setdefault(key, what) != what:
                    differ = "a different text, segment or system in an earlier row"
                    raise InputError(f"{line.where}: item {what[0]!r} has {differ}; expected the same")
        names = {name for name, *_ in keys.values()}
        lost = sorted(names - {*texts}) if texts else []
        if lost:
            raise InputError(f"--items: no text for {len(lost)} of {len(names)} items: {listed(lost[:5])}")
        keys |= {(name, "", "item"): (name, name, "", "") for name in texts if name not in names}
        self.position = {key: k for k, key in enumerate(keys)}
        self.ids = [name for name, *_ in keys.values()]
        self.reserved: list[Reserved] = []
        self.fields: list[list[str]] = []
        for (segment, own, kind), (name, source, system, text) in keys.items():
            of = self.position[segment, own, "item"] if kind == "degraded" else None
            gold = OF_REFERENCE if kind == "gold" else None
            self.reserved.append((kind, of, source, system, gold))
            original = self.ids[of] if of is not None else ""
            known = "" if gold is None else f"{gold:g}"
            self.fields.append([texts.get(name, text), source, system, kind, original, known])

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
            at = "" if math.isnan(line.began) else ", at the same time"
            raise InputError(
                f"{line.where}: annotator {line.annotator!r} scores the same output in {twin.where.rpartition(', ')[2]}{at};"
                " name the column in which the two differ (--col system=COLUMN, --col hit=COLUMN; in WMT's tables HITId), or"
                " remove one of the lines"
            )
        given.append(line)
    return list(found.values())


def _insert(store: Store, hits: Sequence[_Hit], items: _Items, source: str, raw: bytes) -> int:
    """Insert the HITs, as one batch, and their judgments; the number of judgments."""
    count = sum(map(len, hits))
    received = stored.insert_received(store, source, hashlib.sha256(raw).hexdigest(), count, count)
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
            stored.insert_judgment(store, judgment, scores)
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
