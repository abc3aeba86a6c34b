"""Opens a batch inside a transaction: work for annotators, or the qualification batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.options import whole_number
from ...errors import InputError
from ...native.annotation.beta import IntArray
from ..storage.annotators import annotator_rows
from ..storage.packed import is_packed, pack_roles, pack_state
from ..storage.records import About
from ..storage.store import Store
from .assigning import (
    People,
    assign,
    checked_due,
    expire,
    for_everybody,
    give_again,
    loads,
    people,
    registered_number,
    remember_judgments,
)
from .choosing import Choice, unanswered
from .chosen import Batch
from .dealing import deal
from .keeping import Key, NewHit, batch_of, check_hits, keep, open_keys, work_hits
from .plan import DEGRADED, GOLD, REPEAT
from .qualifying import sync_states

_LACKING = {
    REPEAT: "repeats: those who get the HIT have judged nothing before it",
    DEGRADED: "degraded items: those who get the HIT do not judge an original in another one",
    GOLD: "gold items: all of them are in the HIT already",
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
    """A batch that is being opened.

    store: with an open transaction.
    """

    def __init__(self, store: Store, a: About, asked: Asked) -> None:
        self.store, self.about, self.asked = store, a, asked
        self.seed = whole_number("seed", a.seed if asked.seed is None else asked.seed)
        self.due = checked_due(asked.due)
        self.number = int(store.db.execute("SELECT COALESCE(MAX(number), 0) FROM batch").fetchone()[0]) + 1
        self.pairs: list[tuple[int, Key]] = []
        self.dealt: list[tuple[int, Key]] = []
        self.after: list[tuple[int, int]] = []
        self.notes: list[str] = []

    def open(self) -> Batch:
        return self._qualification() if self.asked.qualification else self._work()

    def _rng(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.number, *stream])

    def _hits_for_everybody(self, items: IntArray, rng: np.random.Generator, kind: str) -> list[NewHit]:
        """Items in random order in as few HITs as hold them, as evenly as can be."""
        if not len(items):
            return []
        parts = np.array_split(rng.permutation(items), -(-len(items) // self.about.per_hit))
        return check_hits(kind, parts)

    # -- work ------------------------------------------------------------------------------------------------

    def _work(self) -> Batch:
        store, a, asked = self.store, self.about, self.asked
        who = people(store, a)
        if self.due is not None and not who.registered:
            raise InputError(
                "--due: no annotators are registered, so no HIT is given to anybody; set the time limit where"
                " the HITs are published, or register annotators with 'easl annotators add'"
            )
        numbers = who.numbers if asked.annotator is None else self._one(who, asked.annotator)
        each = a.design.judgments if asked.judgments is None else asked.judgments
        waiting = unanswered(store)
        choice = Choice(store, a)
        if not is_packed(store):
            pack_state(store, choice.state.a, choice.state.b, choice.state.n)
            pack_roles(store, choice.roles)
        if who.registered:
            self._give_again(numbers)
        # An annotator who asks for HITs gets first those that lack somebody.
        wanted = choice.hits(asked.hits) - (0 if asked.annotator is None else len(self.pairs))
        own = self._new(choice, wanted, numbers if who.registered else None, each) if wanted > 0 else []
        if who.registered:
            new = [*for_everybody(store, numbers, "calibration"), *self.dealt]
            assign(store, a, new, self.due, self.seed, self.after)
            self.pairs += new
        again = sorted({key for _, key in self.pairs} - set(own))
        number = self.number if own else max((b for b, _ in again), default=self.number)
        if again and not own:
            # Their page takes the place of an earlier one, so it holds everything that is still out.
            again, self.pairs = open_keys(store, number, int(numbers[0]))
        return batch_of(
            store,
            a,
            number,
            [*own, *again],
            self.pairs,
            show=asked.show,
            waiting=waiting,
            judgments=each,
            notes=tuple(self.notes),
        )

    def _one(self, who: People, name: str) -> IntArray:
        number = registered_number(self.store, name)
        if number not in who.numbers:
            state = next(row.state for row in who.registered if row.number == number)
            rule = self.about.design.qualify
            raise InputError(
                f"{self.store.path}: annotator {name!r} is {state}"
                f"{f', and has not met the rule {rule}' if rule else ''}; no HITs can be given"
            )
        return np.array([number], np.int64)

    def _give_again(self, numbers: IntArray) -> None:
        expire(self.store)
        most = self.asked.hits if self.asked.annotator is not None else None
        given, left = give_again(self.store, self.about, numbers, self._rng(_DEALING, 1), most)
        assign(self.store, self.about, given, self.due, self.seed)
        self.pairs += given
        if left and self.asked.annotator is None:
            self.notes.append(
                f"{left} judgments of earlier HITs are lacking, but everybody who could give them has had the HIT;"
                " add annotators to have them"
            )

    def _new(self, choice: Choice, wanted: int, numbers: IntArray | None, each: int) -> list[Key]:
        """Choose, store and deal new HITs."""
        there = self.store.db.execute(
            "SELECT EXISTS (SELECT 1 FROM hit WHERE kind = 'calibration')"
        ).fetchone()[0]
        items = choice.of_role("calibration")
        before = [] if there else self._hits_for_everybody(items, self._rng(_CHECKS), "calibration")
        given: IntArray | None = None
        if numbers is not None:
            size = each if self.asked.annotator is None else 1
            given = deal(wanted, numbers, size, loads(self.store, numbers), self._rng(_DEALING))
        plan = choice.plan(wanted, given, self._rng())
        for kind, n in sorted(plan.lacking.items()):
            slots = "slot holds an item" if n == 1 else "slots hold items"
            self.notes.append(f"{n} {slots} instead of {_LACKING[kind]}")
        hits = [*before, *work_hits(plan)]
        keep(self.store, self.number, hits)
        keys = [(self.number, k) for k in range(1, len(hits) + 1)]
        if given is not None:
            remember_judgments(self.store, self.number, each)
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
                "--qualification gives all qualification items to everybody; leave out --hits, --judgments and"
                " --annotator"
            )
        keys = self._qualification_hits()
        sync_states(store, a)
        expire(store)
        rows = [row for row in annotator_rows(store) if row.token and row.state != "excluded"]
        numbers = np.array(sorted(row.number for row in rows), np.int64)
        self.pairs = for_everybody(store, numbers, "qualification")
        if rows and not self.pairs:
            raise InputError(
                f"{store.path}: all {len(rows)} registered annotators have had the qualification batch;"
                " 'easl annotators list' shows what they reached"
            )
        assign(store, a, self.pairs, self.due, self.seed)
        return batch_of(store, a, keys[0][0], keys, self.pairs, show=asked.show, judgments=max(1, len(rows)))

    def _qualification_hits(self) -> list[Key]:
        """The HITs of the qualification batch, made if there are none yet."""
        query = "SELECT batch, number FROM hit WHERE kind = 'qualification' ORDER BY batch, number"
        keys = [(int(b), int(h)) for b, h in self.store.db.execute(query)]
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
        keep(self.store, self.number, self._hits_for_everybody(items, self._rng(_CHECKS), "qualification"))
        return [(int(b), int(h)) for b, h in self.store.db.execute(query)]
