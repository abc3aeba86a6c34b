"""Adds a results file to a campaign: the whole file or none of it, and each judgment once."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ...data.options import one_of
from ...errors import InputError
from ...files.outputs import guard
from ...text import quoted
from ..page.platforms import readings
from ..storage import records as stored
from ..storage.design import OnRepeat, seconds_of
from ..storage.rules import change_rule, settle
from ..storage.store import Store, opened
from .readers import Tool, read_any
from .results_file import UPDATED, RejectedRule, ResultRow, ResultsFile, identity
from .retraction import move_out, stays_out

#: What to do with an annotation that was edited in its tool after it had been added.
OnChange = Literal["refuse", "newest"]
#: What to do with answers under a registered name that do not say from whose page they come.
WithoutToken = Literal["refuse", "count"]
#: Most digits of a batch's or HIT's number; Python reads no whole number of more than 4,300.
LONGEST_NUMBER = 18


@dataclass(frozen=True)
class Taken:
    """How many judgments of a results file were new, known or left out.

    known: there already; they count once. nameless: with neither AssignmentId nor WorkerId; in a changed
    file they would count again. taken_back: retracted before, with the same answers. repeats: set aside,
    because the annotator answered the HIT before. edited: replaced by newer answers; the older ones are
    kept as retractions.
    """

    rows: int
    new: int
    known: int
    scores: int
    cannot_judge: int
    left_out: int
    nameless: int
    taken_back: int = 0
    repeats: int = 0
    edited: int = 0
    notes: tuple[str, ...] = ()


def take_in(
    path: str | Path,
    results: str | Path,
    *,
    rejected: RejectedRule = "refuse",
    encoding: str | None = None,
    accept_unterminated: bool = False,
    on_repeat: OnRepeat | None = None,
    tool: Tool | None = None,
    scale: tuple[float, float] | None = None,
    on_change: OnChange = "refuse",
    without_token: WithoutToken = "refuse",
) -> Taken:
    """Add a results file to a campaign, in one transaction.

    Parameters
    ----------
    path : path
        The campaign.
    results : path
    rejected : {"refuse", "count", "leave-out"}
        What to do with rejected assignments.
    encoding : str, optional
    accept_unterminated : bool
        Accept a file whose last record has no line end; such a file may have been cut off.
    on_repeat : {"first", "last", "both"}, optional
        Change which answers count if an annotator answers a HIT more than once; default: as in the campaign.
    tool : {"results", "label-studio", "codes"}, optional
        The tool whose file it is; default: found from its content.
    scale : (float, float), optional
        Lowest and highest rating, where Label Studio's configuration has ratings.
    on_change : {"refuse", "newest"}
        What to do with an annotation that was edited in its tool after it had been added.
    without_token : {"refuse", "count"}
        What to do with answers of a registered annotator that lack the token of their page.

    Returns
    -------
    Taken

    Raises
    ------
    InputError
        The file is not as expected; the message names file, row and column.  Nothing has been changed then.
    """
    if on_repeat is not None:
        one_of("on_repeat", on_repeat, get_args(OnRepeat))
    one_of("on_change", on_change, get_args(OnChange))
    one_of("without_token", without_token, get_args(WithoutToken))
    with opened(path, write=True) as store:
        a = stored.about(store)
        if on_repeat is not None and on_repeat != a.design.on_repeat:
            change_rule(store, a, on_repeat)
            a = stored.about(store)
        how: dict[str, Any] = {"accept_unterminated": accept_unterminated, "tool": tool, "scale": scale}
        file = read_any(results, a.per_hit, rejected, encoding, partial=a.design.partial, **how)
        return add(store, a, file, on_change, without_token)


def add(
    store: Store,
    a: stored.About,
    file: ResultsFile,
    on_change: OnChange = "refuse",
    without_token: WithoutToken = "refuse",
) -> Taken:
    """Check and add the rows of a results file inside an open transaction."""
    ids = stored.ids_of(store)
    position = {name: k for k, name in enumerate(ids)}
    issued = stored.items_of_hits(store)
    placed = [(row, _place(row, a, ids, position, issued)) for row in file.rows]
    before = store.value("SELECT COALESCE(MAX(number), 0) FROM judgment")
    aside = _set_aside(store)
    received = stored.insert_received(store, file.name, file.sha256, len(file.rows))
    named = [(identity(row, b, h, file.sha256), row, items, b, h) for row, (items, b, h) in placed]
    out = [stays_out(store, name, _answered(row, items)) for name, row, items, *_ in named]
    if file.tool == "label-studio":
        _check_exports(store, file)
    else:
        there = {name for (name,) in store.db.execute("SELECT identity FROM judgment")}
        new_here = [(row, b, h) for (name, row, _, b, h), o in zip(named, out) if not o and name not in there]
        _check_tokens(store, new_here, without_token)
    edited = 0
    if on_change == "newest":
        edited = sum(_edited(store, name, row, items) for name, row, items, _, _ in named)
    new = [own[1] for own, stays in zip(named, out) if not stays and _insert(store, received, own)]
    store.db.execute("UPDATE received SET new = ? WHERE number = ?", (len(new), received))
    if new:
        # A judgment that was there may give way to one that came later and was returned earlier.
        if any(number <= before for number in settle(store, a)) or edited:
            stored.recount_all(store, a)
        else:
            stored.recount(store, a, before)
    rows, added, kept_out = len(file.rows), len(new), sum(out)
    answered = [v for row in new for k, v in enumerate(row.values, 1) if k not in row.absent]
    blank = sum(map(math.isnan, answered))
    known, scores = rows - added - kept_out, len(answered) - blank
    repeats = _set_aside(store) - aside
    counted = (rows, added - edited, known, scores, blank, file.left_out, file.nameless, kept_out, repeats)
    return Taken(*counted, edited, (*file.notes, *_not_given(store, before)))


def _not_given(store: Store, before: int) -> tuple[str, ...]:
    """A sentence on new judgments of HITs that were given to others than who answered them."""
    rows = store.db.execute(
        "SELECT DISTINCT j.worker FROM judgment j JOIN assignment g ON g.batch = j.batch AND g.hit = j.hit"
        " WHERE j.number > ? AND NOT EXISTS (SELECT 1 FROM assignment o WHERE o.batch = j.batch AND"
        " o.hit = j.hit AND o.annotator = j.annotator) ORDER BY j.worker",
        (before,),
    ).fetchall()
    if not rows:
        return ()
    names = ", ".join(repr(name[:40]) for (name,) in rows[:5]) + (" ..." if len(rows) > 5 else "")
    return (f"answered HITs that were given to others: {names}; they count unless you use 'easl retract'",)


def _check_tokens(
    store: Store, rows: Sequence[tuple[ResultRow, int | None, int | None]], without_token: WithoutToken
) -> None:
    """Refuse answers under the name of an annotator whose page they do not come from, and answers without
    a token to a HIT that was given to annotators on pages, whoever's name they are under.

    Label Studio says itself who answered, and crowd workers have no token.
    """
    token = {p.name: p.token for p in stored.annotator_rows(store) if p.token}
    owner = {t: name for name, t in token.items()}
    needed = stored.batches_with_tokens(store)
    given = set(store.db.execute("SELECT DISTINCT batch, hit FROM assignment")) if needed else set()
    for row, batch, hit in rows:
        who, place = row.worker.strip(), f"{row.where}, column 'Input.token'"
        if row.token and owner.get(row.token) != who:
            whose = "belongs to nobody in this campaign"
            whose = f"belongs to {owner[row.token]!r}" if row.token in owner else whose
            raise InputError(
                f"{place}: {quoted(row.token, 40)} {whose}, but the answers carry the name {quoted(who, 40)};"
                " find out who gave them. Nothing was added"
            )
        if row.token or batch not in needed or without_token != "refuse":
            continue
        if who in token or (batch, hit) in given:
            why = f"is registered and got batch {batch} on a page, whose results carry a token"
            if who not in token:
                handed = f"HIT {hit} of batch {batch} was given to others on pages"
                why = f"is not registered, and {handed}, whose results carry a token"
            raise InputError(
                f"{place}: blank, but {quoted(who, 40)} {why}; ask for the file that the page saved,"
                " or use --without-token count if a platform guarantees the name. Nothing was added"
            )


def _check_exports(store: Store, file: ResultsFile) -> None:
    """Refuse an annotation that is known by an export with its project, and now is without, or vice versa."""
    query = "SELECT assignment FROM judgment WHERE substr(assignment, 1, 3) = 'ls:'"
    known = {name.rpartition(":")[2]: name for (name,) in store.db.execute(query)}
    for row in file.rows:
        other = known.get(row.assignment.rpartition(":")[2], row.assignment)
        if other != row.assignment and "ls::" in (other[:4], row.assignment[:4]):
            raise InputError(
                f"{row.where}: annotation {row.assignment.rpartition(':')[2]} is in the campaign as {other};"
                " CSV exports do not name the project: use one format throughout, JSON or CSV"
            )


def _edited(store: Store, name: str, row: ResultRow, items: list[int]) -> bool:
    """Retract the campaign's answers to a row that was edited later; whether it was."""
    query = "SELECT number, times FROM judgment WHERE identity = ?"
    known = store.db.execute(query, (name,)).fetchone()
    if known is None or _first_difference(store, known[0], row, items) is None:
        return False
    before = json.loads(known[1]).get(UPDATED, "")
    if seconds_of(row.times.get(UPDATED, ""), row.where) > seconds_of(before, row.where):
        move_out(store, known[0], f"edited {row.times[UPDATED]}")
        return True
    return False


def _set_aside(store: Store) -> int:
    return int(store.value("SELECT COUNT(*) FROM judgment WHERE why = 'repeat'"))


Issued = Mapping[tuple[int, int], list[int]]
_Named = tuple[str, ResultRow, list[int], "int | None", "int | None"]


def _place(
    row: ResultRow, a: stored.About, ids: Sequence[str], position: Mapping[str, int], issued: Issued
) -> tuple[list[int], int | None, int | None]:
    """The positions of a row's items, and its batch and HIT, which are None for a HIT of an older tool."""
    if row.campaign and row.campaign != a.id:
        raise InputError(
            f"{row.where}, column 'Input.campaign': {row.campaign!r}, but this campaign is {a.id!r}; these"
            " are results of another campaign"
        )
    if row.batch or row.hit:
        key = (_whole(row, "Input.batch", row.batch), _whole(row, "Input.hit", row.hit))
        if key not in issued:
            raise InputError(
                f"{row.where}, column 'Input.hit': batch {key[0]} has no HIT {key[1]} in this campaign; is it"
                " the right results file?"
            )
        shown = issued[key]
        # Files saved by the annotation page hold guarded ids without a mark; the HIT as written shows which
        # ids are guarded.
        # The page names an item by its HIT and slot alone, because an id can name a system.
        known = [(ids[i], guard(ids[i]), f"h{key[1]}s{k}") for k, i in enumerate(shown, 1)]
        came = [readings(cell) for cell in row.ids]
        if len(came) == len(shown) and all(not {*c}.isdisjoint(names) for c, names in zip(came, known)):
            return (shown, *key)
        positions_of(row, position)
        raise InputError(
            f"{row.where}, column 'Input.id1': HIT {key[1]} of batch {key[0]} has different items or"
            " a different order; the columns of this row do not belong together"
        )
    items = positions_of(row, position)
    same = [key for key, shown in issued.items() if shown == items]
    if len(same) == 1:
        return (items, *same[0])
    if same:
        raise InputError(
            f"{row.where}: {len(same)} HITs of this campaign have these items, and the row does not"
            " identify one; keep the columns Input.batch and Input.hit"
        )
    if not a.imported:
        said = "no HIT of this campaign has these items in this order"
        raise InputError(f"{row.where}: {said}; is it the right results file?")
    return items, None, None


def positions_of(row: ResultRow, position: Mapping[str, int]) -> list[int]:
    """The positions of a row's items in the campaign."""
    found = []
    for k, name in enumerate(row.ids, 1):
        known = [text for text in readings(name) if text in position]
        if not known:
            raise InputError(
                f"{row.where}, column 'Input.id{k}': no item {name!r} in this campaign; is it the right"
                " results file?"
            )
        if len(known) > 1 and "&" in name:
            raise InputError(
                f"{row.where}, column 'Input.id{k}': {name!r} can be item {known[0]!r} or item {known[1]!r};"
                " keep the columns Input.batch and Input.hit"
            )
        found.append(position[known[0]])
    return found


def _whole(row: ResultRow, column: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > LONGEST_NUMBER:
        raise InputError(f"{row.where}, column {column!r}: {quoted(text)}; expected a whole number")
    return int(text)


def _insert(store: Store, received: int, named: _Named) -> bool:
    """Insert a judgment and return whether it was new; a known one must have the same answers as before."""
    name, row, items, batch, hit = named
    known = store.db.execute("SELECT number FROM judgment WHERE identity = ?", (name,)).fetchone()
    if known is not None:
        _check_same(store, known[0], row, items)
        return False
    times = json.dumps(dict(row.times))
    judgment = (name, batch, hit, row.hit_id, row.assignment, row.worker, times, received, row.row)
    stored.insert_judgment(store, judgment, _answered(row, items))
    return True


def _answered(row: ResultRow, items: list[int]) -> list[tuple[int, int, float | None, str]]:
    """The slots that were answered, each with its item, value and text."""
    given = zip(range(1, len(items) + 1), items, (None if math.isnan(v) else v for v in row.values), row.raw)
    return [score for score in given if score[0] not in row.absent]


def _first_difference(store: Store, number: int, row: ResultRow, items: list[int]) -> str | None:
    """The column of the first answer that differs from the campaign's; None if none does."""
    query = "SELECT slot, item, value FROM score WHERE judgment = ?"
    known = {slot: (item, value) for slot, item, value in store.db.execute(query, (number,))}
    now_said = {slot: (item, value) for slot, item, value, _ in _answered(row, items)}
    for k in sorted(known.keys() | now_said.keys()):
        before, after = known.get(k), now_said.get(k)
        if before != after:
            other = before is not None and after is not None and before[0] != after[0]
            return f"Input.id{k}" if other else f"Answer.range{k}"
    return None


def _check_same(store: Store, number: int, row: ResultRow, items: list[int]) -> None:
    column = _first_difference(store, number, row, items)
    if column is None:
        return
    cure = "remove the row to keep the campaign's answer"
    if row.times.get(UPDATED):
        cure = f"it was edited {row.times[UPDATED]}: --on-change newest takes the newer answer, or {cure}"
    raise InputError(
        f"{row.where}, column {column!r}: the same judgment ({_named(row)}) is in the campaign with a"
        f" different answer; {cure}"
    )


def _named(row: ResultRow) -> str:
    if row.assignment:
        return f"AssignmentId {row.assignment}"
    return f"WorkerId {row.worker} on this HIT" if row.worker else "row of this file"
