"""Makes a campaign of direct assessment from a table of scores of Appraise or WMT.

An item is a system's output for a segment (`source` is the segment, `system` the system).  A degraded output is
an item of role degraded with its original, a reference one of role gold with the known score 1, and a repeat
is a slot of kind repeat.  A line of the table is a HIT that was answered once, or a slot of one where the table
names HITs; the score of an output that several systems share is one judgment with a slot for each of them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....data.options import whole_number
from ....errors import InputError
from ....files.inputs import read_file
from ....files.packed import unpacked
from ....native.annotation.methods import Settings, start
from ...results.settle import settle
from ...storage.clock import now
from ...storage.design import Design, OnRepeat
from ...storage.items import Reserved
from ...storage.records import About, insert_judgment, recount_all, write_about, write_items
from ...storage.rules import write_rule
from ...storage.store import Store, created
from ..kinds import refuse_other
from . import appraise, wmt
from .appraise import item_id
from .judged import JudgedLine, of_pair

COLUMNS = ("sent", "source", "system", "role", "of", "gold")
#: Known score of a reference: it was made by a translator, and the tools take it for perfect.
OF_REFERENCE = 1.0
_Slot = tuple[str, int]  # kind, position of the item


@dataclass(frozen=True)
class FromScores:
    """A campaign that was made from a table of scores.

    documents: scores of whole documents, which were left out.
    """

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
    documents = 0
    if refuse_other(raw, source, ("appraise-scores", "wmt-scores"), expected) == "appraise-scores":
        lines, documents = appraise.read_scores(raw, source)
    else:
        lines = wmt.read_scores(raw, source)
    chosen = of_pair(lines, pair, source)
    hits = _hits(chosen)
    drawn = secrets.randbits(48) if seed is None else whole_number("seed", seed)
    # A key is the kind, the segment and the systems.
    size = max(sum(len(key) - 2 for key in hit.slots) for hit in hits)
    design = Design(text="sent", on_repeat=on_repeat, partial=True, columns={c: c for c in COLUMNS[1:]})
    a = About(secrets.token_hex(6), "da", size, Settings(), "paper", drawn, COLUMNS, True, design)
    with created(path) as store:
        write_about(store, a)
        write_rule(store, "repeats", on_repeat)
        items = _Items(chosen)
        write_items(store, items.ids, items.fields, start("da", len(items.ids)), items.reserved)
        judgments = _insert(store, hits, items, source, raw)
        settle(store, a)
        recount_all(store, a)
    people = len({line.annotator for line in chosen})
    return FromScores(a, len(items.ids), people, judgments, documents)


class _Items:
    """The items of a table: each output once, with the originals of degraded ones."""

    def __init__(self, lines: Sequence[JudgedLine]) -> None:
        role = {"item": "item", "repeat": "item", "degraded": "degraded", "gold": "gold"}
        keys: dict[tuple[str, str, str], None] = {}
        for line in lines:
            for system in line.systems:
                if line.kind == "degraded":
                    keys.setdefault((line.segment, system, "item"))
                keys.setdefault((line.segment, system, role[line.kind]))
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
        kind = "item" if line.kind == "repeat" else line.kind
        return [self.position[line.segment, system, kind] for system in line.systems]


@dataclass(frozen=True)
class _Hit:
    """A HIT of the table: the keys of its lines, and its answers by annotator and session."""

    name: str
    slots: dict[tuple[str, ...], None]
    answers: dict[tuple[str, str], list[JudgedLine]]


def _key(line: JudgedLine) -> tuple[str, ...]:
    return (line.kind, line.segment, *line.systems)


def _hits(lines: Sequence[JudgedLine]) -> list[_Hit]:
    """The HITs: as the table names them, else one for each output and kind."""
    found: dict[tuple[str, ...], _Hit] = {}
    for line in lines:
        own = (line.hit,) if line.hit else _key(line)
        hit = found.setdefault(own, _Hit(line.hit, {}, {}))
        hit.slots.setdefault(_key(line))
        # Where nothing names HITs, a second look at an output is another answer, told apart by its time.
        session = "" if line.hit else ("" if math.isnan(line.began) else repr(line.began))
        given = hit.answers.setdefault((line.annotator, session), [])
        twin = next((other for other in given if _key(other) == _key(line)), None)
        if twin is not None:
            raise InputError(
                f"{line.where}: annotator {line.annotator!r} scores the same output as in"
                f" {twin.where.rpartition(', ')[2]}, at the same time; remove one of the lines"
            )
        given.append(line)
    return list(found.values())


def _insert(store: Store, hits: Sequence[_Hit], items: _Items, source: str, raw: bytes) -> int:
    """Insert the HITs, as one batch, and their judgments; the number of judgments."""
    count = sum(len(hit.answers) for hit in hits)
    sha256 = hashlib.sha256(raw).hexdigest()
    received = store.db.execute(
        "INSERT INTO received (name, sha256, taken, rows, new) VALUES (?, ?, ?, ?, ?)",
        (Path(source).name, sha256, now(), count, count),
    ).lastrowid
    store.db.execute("INSERT INTO batch (number, opened, hits) VALUES (1, ?, ?)", (now(), len(hits)))
    row = 0
    for number, hit in enumerate(hits, 1):
        slots: dict[tuple[str, ...], list[int]] = {}
        plan: list[_Slot] = []
        for answers in hit.answers.values():
            for line in answers:
                if _key(line) not in slots:
                    positions = items.of(line)
                    slots[_key(line)] = list(range(len(plan) + 1, len(plan) + 1 + len(positions)))
                    plan += [(line.kind, k) for k in positions]
        store.db.execute(
            "INSERT INTO hit (batch, number, items, plan) VALUES (1, ?, ?, ?)",
            (number, json.dumps([k for _, k in plan]), json.dumps([kind for kind, _ in plan])),
        )
        for (annotator, session), answers in hit.answers.items():
            row += 1
            identity = json.dumps(
                [annotator, hit.name or list(_key(answers[0])), session], ensure_ascii=False
            )
            scores = [
                (slot, plan[slot - 1][1], line.value, line.raw)
                for line in answers
                for slot in slots[_key(line)]
            ]
            judgment = (
                f"table:{identity}", 1, number, hit.name, "", annotator, json.dumps(_times(answers)), received, row
            )  # fmt: skip
            insert_judgment(store, judgment, scores)
    return count


def _times(answers: Sequence[JudgedLine]) -> dict[str, str]:
    """When the answers to a HIT began and ended, and the time spent, as a results file has them."""
    found = {}
    for name, values in (
        ("AcceptTime", [a.began for a in answers]),
        ("SubmitTime", [a.ended for a in answers]),
    ):
        known = [v for v in values if not math.isnan(v)]
        if len(known) == len(answers):
            at = dt.datetime.fromtimestamp(
                min(known) if name == "AcceptTime" else max(known), dt.timezone.utc
            )
            found[name] = at.isoformat()
    spent = [a.seconds for a in answers]
    if not any(map(math.isnan, spent)):
        found["WorkTimeInSeconds"] = repr(sum(spent))
    return found
