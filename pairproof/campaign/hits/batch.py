"""The next batch of HITs, for work or for qualification: opened, stored and written to files.

It is opened in one transaction, in which its HITs are stored; they are read back with who gets them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from ...data.options import whole_number
from ...errors import InputError
from ...native.annotation.beta import IntArray
from ..page.platforms import check_address
from ..storage import records as stored
from ..storage.design import KINDS, ROLES, now
from ..storage.records import About
from ..storage.store import Store, opened
from . import assigning
from .batch_files import Style, Target, written
from .choosing import Batch, Choice, Given, unanswered
from .plan import DEGRADED, GOLD, REPEAT, Plan

#: A HIT: its batch and its number in it.
Key = tuple[int, int]
#: A HIT to store: its kind, its items, and what each slot is for (None: its items' roles say it).
NewHit = tuple[str, "list[int]", "list[str] | None"]


def work_hits(plan: Plan) -> list[NewHit]:
    """The HITs of a plan."""
    if not plan.kinds.any() and (plan.items >= 0).all():
        return [("work", row, None) for row in plan.items.tolist()]
    return [
        ("work", [i for i in row if i >= 0], [KINDS[k] for k, i in zip(kinds, row) if i >= 0])
        for row, kinds in zip(plan.items.tolist(), plan.kinds.tolist())
    ]


def keep(store: Store, number: int, hits: Sequence[NewHit]) -> None:
    """Store a batch with these HITs, numbered from 1."""
    store.db.execute("INSERT INTO batch VALUES (?, ?, ?)", (number, now(), len(hits)))
    # Of a list of whole numbers, Python's own text is JSON.
    rows = (
        (number, k, str(items), kind, None if plan is None else json.dumps(plan))
        for k, (kind, items, plan) in enumerate(hits, 1)
    )
    query = "INSERT INTO hit (batch, number, items, kind, plan) VALUES (?, ?, ?, ?, ?)"
    store.db.executemany(query, rows)


def open_keys(store: Store, last: int, annotator: int | None) -> tuple[list[Key], list[tuple[int, Key]]]:
    """The HITs of the last batch and those of earlier ones that are out (to one annotator), and to whom."""
    rows = store.db.execute(
        "SELECT annotator, batch, hit FROM assignment WHERE (batch = ? AND state IN ('open', 'returned') OR"
        " state = 'open') AND annotator = COALESCE(?, annotator) ORDER BY batch, hit, annotator",
        (last, annotator),
    )
    pairs = [(who, (batch, hit)) for who, batch, hit in rows]
    keys = {key for _, key in pairs}
    if annotator is None:
        keys |= set(store.db.execute("SELECT batch, number FROM hit WHERE batch = ?", (last,)).fetchall())
    return sorted(keys, key=lambda key: (key[0] != last, key)), pairs


def visible(a: About) -> tuple[str, ...]:
    """The columns of the items file that a batch file holds."""
    return tuple(name for name in a.columns if name not in a.design.hidden)


def batch_of(
    store: Store,
    a: About,
    number: int,
    keys: Sequence[Key],
    pairs: Iterable[tuple[int, Key]],
    show: tuple[str, ...] = (),
) -> Batch:
    """These HITs as a batch, with who gets them."""
    hits, columns, roles = _stored(store, keys), visible(a), stored.roles_of(store)
    where = [a.columns.index(name) for name in columns]
    item = stored.fields_of(store, {i for _, items, _ in hits for i in items})
    cell = {k: (name, tuple(cells[w] for w in where)) for k, (name, cells) in item.items()}
    shown = tuple(tuple(cell[i] for i in items) for _, items, _ in hits)
    kinds = tuple(kind for kind, _, _ in hits)
    plans = tuple(tuple(plan or (ROLES[k] for k in roles[items].tolist())) for _, items, plan in hits)
    about_hits = (columns, shown, 0, tuple(keys), kinds, plans, a.design.text, a.design.shown(show))
    return Batch(a.id, number, a.per_hit, *about_hits, a.design.judgments, _given(store, keys, pairs))


def _stored(store: Store, keys: Sequence[Key]) -> list[NewHit]:
    found: dict[Key, NewHit] = {}
    for batch in {b for b, _ in keys}:
        query = "SELECT number, kind, items, plan FROM hit WHERE batch = ?"
        rows = store.db.execute(query, (batch,)).fetchall()
        # One JSON text of all is read several times faster than one of each.
        every = json.loads(f"[{','.join(items for _, _, items, _ in rows)}]")
        for (hit, kind, _, plan), items in zip(rows, every):
            found[batch, hit] = (kind, items, None if plan is None else json.loads(plan))
    return [found[key] for key in keys]


def _given(store: Store, keys: Sequence[Key], pairs: Iterable[tuple[int, Key]]) -> tuple[Given, ...]:
    entry = {key: k for k, key in enumerate(keys)}
    own: dict[int, set[Key]] = defaultdict(set)
    for who, key in pairs:
        own[who].add(key)
    found = []
    for person in (row for row in stored.annotator_rows(store) if row.number in own):
        query = "SELECT batch, hit, shown FROM assignment WHERE annotator = ? ORDER BY batch, place"
        rows = store.db.execute(query, (person.number,)).fetchall()
        shown = {entry[b, h]: order for b, h, order in rows if (b, h) in own[person.number]}
        orders = tuple(tuple(k - 1 for k in json.loads(order)) for order in shown.values())
        found.append(Given(person.name, str(person.token), tuple(shown), orders))
    return tuple(found)


_LACKING = {
    REPEAT: "repeats: the annotators of this HIT have judged nothing before",
    DEGRADED: "degraded items: the annotators of this HIT do not judge an original in another HIT",
    GOLD: "gold items: all are already in the HIT",
}
#: Streams of random numbers of a batch, beside the choice of its items.
_DEALING, _CHECKS = 1, 3


@dataclass(frozen=True)
class Asked:
    """What was asked of the next batch; see :func:`pairproof.campaign.open_batch`."""

    hits: int | None = None
    seed: int | None = None
    judgments: int | None = None
    annotator: str | None = None
    due: str | None = None
    show: tuple[str, ...] = ()
    qualification: bool = False


class Opening:
    """A batch that is being opened."""

    def __init__(self, store: Store, a: About, asked: Asked) -> None:
        self.store, self.about, self.asked = store, a, asked
        self.seed = whole_number("seed", a.seed if asked.seed is None else asked.seed)
        self.due = assigning.checked_due(asked.due)
        self.number = int(store.value("SELECT COALESCE(MAX(number), 0) FROM batch")) + 1
        self.pairs: list[tuple[int, Key]] = []
        self.dealt: list[tuple[int, Key]] = []
        self.after: list[tuple[int, int]] = []
        self.notes: list[str] = []

    def open(self) -> Batch:
        return self._qualification() if self.asked.qualification else self._work()

    def _rng(self, *stream: int) -> Generator:
        return np.random.default_rng([self.seed, self.number, *stream])

    def _hits_for_everybody(self, items: IntArray, rng: Generator, kind: str) -> list[NewHit]:
        """HITs of one kind: items in random order in as few as hold them, as evenly as can be."""
        if not len(items):
            return []
        parts = np.array_split(rng.permutation(items), -(-len(items) // self.about.per_hit))
        return [(kind, part.tolist(), [kind] * len(part)) for part in parts]

    # -- work ------------------------------------------------------------------------------------------------

    def _work(self) -> Batch:
        store, a, asked = self.store, self.about, self.asked
        who = assigning.people(store, a)
        if self.due is not None and not who.registered:
            raise InputError(
                "--due: no annotators are registered, so HITs are not assigned; set the time"
                " limit where the HITs are published, or register annotators with 'easl annotators add'"
            )
        numbers = who.numbers if asked.annotator is None else self._one(who, asked.annotator)
        each = a.design.judgments if asked.judgments is None else asked.judgments
        waiting = unanswered(store)
        choice = Choice(store, a)
        if not stored.is_packed(store):
            stored.pack_state(store, choice.state.a, choice.state.b, choice.state.n)
            stored.pack_roles(store, choice.roles)
        if who.registered:
            self._give_again(numbers)
        # An annotator who asks for HITs gets first those that lack somebody.
        wanted = choice.hits(asked.hits) - (0 if asked.annotator is None else len(self.pairs))
        own = self._new(choice, wanted, numbers if who.registered else None, each) if wanted > 0 else []
        if who.registered:
            new = [*assigning.for_everybody(store, numbers, "calibration"), *self.dealt]
            assigning.assign(store, a, new, self.due, self.seed, self.after)
            self.pairs += new
        again = sorted({key for _, key in self.pairs} - set(own))
        number = self.number if own else max((b for b, _ in again), default=self.number)
        if again and not own:
            # Their page takes the place of an earlier one, so it holds everything that is still out.
            again, self.pairs = open_keys(store, number, int(numbers[0]))
        made = batch_of(store, a, number, [*own, *again], self.pairs, asked.show)
        return replace(made, unanswered=waiting, judgments=each, notes=tuple(self.notes))

    def _one(self, who: assigning.People, name: str) -> IntArray:
        number = assigning.registered_number(self.store, name)
        if number not in who.numbers:
            state = next(row.state for row in who.registered if row.number == number)
            rule = self.about.design.qualify
            unmet = f", and has not met the rule {rule}" if rule else ""
            said = f"annotator {name!r} is {state}{unmet}"
            raise InputError(f"{self.store.path}: {said}; no HITs can be given")
        return np.array([number], np.int64)

    def _give_again(self, numbers: IntArray) -> None:
        assigning.expire(self.store)
        most = self.asked.hits if self.asked.annotator is not None else None
        given, left = assigning.give_again(self.store, self.about, numbers, self._rng(_DEALING, 1), most)
        assigning.assign(self.store, self.about, given, self.due, self.seed)
        self.pairs += given
        if left and self.asked.annotator is None:
            self.notes.append(
                f"{left} judgments of earlier HITs are missing, but every available annotator"
                " has had these HITs; add annotators"
            )

    def _new(self, choice: Choice, wanted: int, numbers: IntArray | None, each: int) -> list[Key]:
        """Choose, store and deal new HITs."""
        there = self.store.value("SELECT EXISTS (SELECT 1 FROM hit WHERE kind = 'calibration')")
        items = choice.of_role("calibration")
        before = [] if there else self._hits_for_everybody(items, self._rng(_CHECKS), "calibration")
        given: IntArray | None = None
        if numbers is not None:
            size = each if self.asked.annotator is None else 1
            load = assigning.loads(self.store, numbers)
            given = assigning.deal(wanted, numbers, size, load, self._rng(_DEALING))
        plan = choice.plan(wanted, given, self._rng())
        for kind, n in sorted(plan.lacking.items()):
            slots = "slot holds an item" if n == 1 else "slots hold items"
            self.notes.append(f"{n} {slots} instead of {_LACKING[kind]}")
        hits = [*before, *work_hits(plan)]
        keep(self.store, self.number, hits)
        keys = [(self.number, k) for k in range(1, len(hits) + 1)]
        if given is not None:
            assigning.remember_judgments(self.store, self.number, each)
            self.dealt = [(who, key) for key, row in zip(keys[len(before) :], given.tolist()) for who in row]
            shift = len(before) + 1
            self.after = [(hit + shift, earlier + shift) for hit, earlier in plan.after]
        return keys

    # -- qualification ---------------------------------------------------------------------------------------

    def _qualification(self) -> Batch:
        """Open the qualification batch, or give it to annotators who have not had it."""
        store, a, asked = self.store, self.about, self.asked
        if asked.hits is not None or asked.judgments is not None or asked.annotator is not None:
            raise InputError(
                "--qualification gives all qualification items to every annotator; leave out --hits, --judgments and"
                " --annotator"
            )
        keys = self._qualification_hits()
        assigning.sync_states(store, a)
        assigning.expire(store)
        rows = [row for row in stored.annotator_rows(store) if row.token and row.state != "excluded"]
        numbers = np.array(sorted(row.number for row in rows), np.int64)
        self.pairs = assigning.for_everybody(store, numbers, "qualification")
        if rows and not self.pairs:
            raise InputError(
                f"{store.path}: all {len(rows)} registered annotators have had the qualification batch;"
                " 'easl annotators list' shows their results"
            )
        assigning.assign(store, a, self.pairs, self.due, self.seed)
        made = batch_of(store, a, keys[0][0], keys, self.pairs, asked.show)
        return replace(made, judgments=max(1, len(rows)))

    def _qualification_hits(self) -> list[Key]:
        """The HITs of the qualification batch, made if there are none yet."""
        query = "SELECT batch, number FROM hit WHERE kind = 'qualification' ORDER BY batch, number"
        keys: list[Key] = self.store.db.execute(query).fetchall()
        if keys:
            return keys
        choice = Choice(self.store, self.about, checks=False)
        items = choice.of_role("qualification")
        items = items if items.size else choice.of_role("gold")
        if not items.size:
            raise InputError(
                f"{self.store.path}: no item has the role qualification or gold, so there is no qualification"
                " batch; give known items one of these roles, and their scores in the column gold"
            )
        hits = self._hits_for_everybody(items, self._rng(_CHECKS), "qualification")
        keep(self.store, self.number, hits)
        return [(self.number, k) for k in range(1, len(hits) + 1)]


def open_batch(
    path: str | Path,
    out: str | Path,
    hits: int | None = None,
    *,
    again: bool = False,
    seed: int | None = None,
    force: bool = False,
    qualification: bool = False,
    judgments: int | None = None,
    annotator: str | None = None,
    for_annotators: bool = False,
    due: str | None = None,
    show: Sequence[str] = (),
    style: Style = "plain",
    layout: str | Path | None = None,
    lang: str | None = None,
    address: str | None = None,
) -> Batch:
    """Choose the next HITs, store them as a batch, and write them to a file.

    Parameters
    ----------
    path : path
        Of the campaign.
    out : path
        .csv (one row per HIT, for Mechanical Turk), .jsonl (the same keys), .html (a self-contained page), or a
        folder (a page for each registered annotator, and index.csv).
    hits : int, optional
        Default: as many as show every item once (20 with pool keisks).
    again : bool
        Write the last batch again instead of choosing a new one.
    seed : int, optional
        Seed of this batch; default: the campaign's.
    force : bool
        Also overwrite a file that pairproof did not make.
    qualification : bool
        Open the qualification batch, or give it to those who have not had it.
    judgments : int, optional
        Different annotators for each HIT; default: the campaign's.
    annotator : str, optional
        Give the HITs to this annotator alone; with `again`, write only this annotator's.
    for_annotators : bool
        `out` is a folder, which is made if it is not there.
    due : str, optional
        Date or moment after which a HIT that has not come back is given to somebody else.
    show : sequence of str
        Columns that annotators see beside the text, in addition to the campaign's own.
    style : {"plain", "mturk", "label-studio"}
        How the batch is written: our own layout, for Mechanical Turk (.csv), or for Label Studio (.json).
    layout : path, optional
        Write also what shows the batch there: a layout (.html), or a labeling configuration (.xml).
    lang : str, optional
        Language of the texts beside the items; needed where the campaign has several.
    address : str, optional
        Where the pages of a folder are put, such as "https://example.org/pages/"; `links-K.csv` in the folder
        then has each annotator's link.

    Returns
    -------
    Batch

    Raises
    ------
    InputError
    """
    target = Target.of(out, for_annotators, style, layout, lang)
    if address is not None:
        check_address(address)
        if not target.folder:
            raise InputError(f"{out}: an address refers to a folder of pages; name a folder (--out pages/)")
    asked = Asked(hits, seed, judgments, annotator, due, tuple(show), qualification)
    if again:
        _only_again(asked)
    with opened(path, write=not again) as store:
        a = stored.about(store)
        _check_shown(a, asked.show)
        batch = _last(store, a, asked) if again else Opening(store, a, asked).open()
        if not again and batch.given and (target.folder or target.path.suffix.lower() == ".html"):
            assigning.remember_tokens(store, batch.number)
        alone = annotator is not None
        with written(store, batch, target, [path], alone=alone, force=force, address=address) as files:
            # The batch is stored before its files are written: if killed in between, --again writes them.
            if not again:
                store.db.execute("COMMIT")
                store.db.execute("BEGIN")
    return replace(batch, files=files)


def next_batch(
    path: str | Path, hits: int | None = None, *, annotator: str | None = None, seed: int | None = None
) -> Batch:
    """Choose the next HITs and store them as a batch; no file is written."""
    with opened(path, write=True) as store:
        registered = {row.name for row in stored.annotator_rows(store) if row.token}
        if annotator is not None and str(annotator).strip() not in registered:
            stored.add_annotator(store, annotator)
        return Opening(store, stored.about(store), Asked(hits, seed, annotator=annotator)).open()


def _check_shown(a: About, show: Sequence[str]) -> None:
    """Check that these columns are there and may be shown."""
    absent = [name for name in a.design.shown(tuple(show)) if name not in a.columns]
    if absent:
        found = ", ".join(map(repr, visible(a))) or "none"
        raise InputError(f"--show {absent[0]}: no such column; available columns: {found}")


def _only_again(asked: Asked) -> None:
    """Check that nothing was asked for that changes a batch."""
    named = ("hits", "judgments", "due", "qualification")
    given = [f"--{name}" for name in named if vars(asked)[name] not in (None, False)]
    if given:
        raise InputError(f"--again writes the open batch unchanged; leave out {', '.join(given)}")


def _last(store: Store, a: About, asked: Asked) -> Batch:
    """The batch opened last, with the HITs of earlier ones that are out."""
    last = store.value("SELECT MAX(number) FROM batch")
    if last is None:
        raise InputError(f"{store.path}: no batch is open yet; leave out --again")
    who = None if asked.annotator is None else assigning.registered_number(store, asked.annotator)
    keys, pairs = open_keys(store, int(last), who)
    if not keys:
        said = f"annotator {asked.annotator!r} has no HITs in batch {last} and none open"
        raise InputError(f"{store.path}: {said}")
    return batch_of(store, a, int(last), keys, pairs, asked.show)
