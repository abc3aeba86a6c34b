"""Searches for the known slips (none, one, or two together) that reproduce all printed numbers of some
claims.

A single printed number fits dozens of readings; all numbers of a claim together seldom fit more than one.  So
a reading counts only if every number comes out, every such reading is kept (unless it only adds slips to
another one), and the number of readings tried is always reported.  The search finds a way to obtain the
numbers; it does not show what the authors did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..verdicts.evidence import digits_between, enough
from .catalogue import slips_for
from .explanations import Explanation, Found
from .registry import Slip
from .rows import Rows
from .stopped_early import prove_stopped
from .target import Target
from .values import Setting

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

#: Largest number of readings tried, cheapest first; 16,000 take some seconds.
MOST_READINGS = 20_000
#: Slips that say at which step a solver stopped; readings that differ only in the step are one explanation.
_STOPS = ("stopped-early", "infinite-estimate")
#: Two readings whose printed numbers agree within this relative error count as the same: fits of one model in
#: another layout differ by rounding only (observed at most 1.1e-14 in the searches of the tests), and
#: readings that really differ do so by a printable amount (observed at least 7.7e-4).
SAME = 1e-9


@dataclass(eq=False)
class _Outcome:
    """The readings that fit at least one target, and how many were tried.

    readings: those that reproduce all numbers of at least one target.  fits: for each of them, and each
    target, whether all numbers come out.  notes: evidence in addition to the numbers.  tried, skipped: how
    many readings were tried, and how many were left out because there are more than `MOST_READINGS`.
    singles: how many readings have one slip.  given: keys of the slips that the claims file names.
    """

    readings: list[tuple[Slip, ...]] = field(default_factory=list)
    fits: list[list[bool]] = field(default_factory=list)
    vectors: dict[tuple[int, int], FloatArray] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    tried: int = 0
    skipped: int = 0
    singles: int = 0
    given: frozenset[tuple[str, str]] = frozenset()

    def chance(self, explanations: Sequence[Explanation], digits: int) -> float:
        """Expected number of readings, with as many slips as the best explanation, that fit this many digits
        by chance; 0 for a reading that the claims file names.
        """
        best = explanations[0].slips if explanations else ()
        tried = 0 if any(s.key in self.given for s in best) else self.singles if len(best) < 2 else self.tried
        return float(tried) / 10.0**digits

    def add(
        self, slips: tuple[Slip, ...], fits: list[bool], vectors: Sequence[FloatArray | None] = ()
    ) -> None:
        for t, v in enumerate(vectors):
            if v is not None and fits[t]:
                self.vectors[len(self.readings), t] = v
        self.readings.append(slips)
        self.fits.append(fits)


@dataclass(frozen=True)
class Searched:
    """The results of one search over claims that share a table.

    `found`: together they cover every claim once.  readings: number of readings that were tried.
    """

    found: tuple[Found, ...]
    readings: int


@dataclass(frozen=True)
class GivenReading:
    """A reading that the claims file itself gives.

    target: position of its target among those of the search.  values float[n_numbers]: the numbers of that
    target under the reading.
    """

    slip: Slip
    target: int
    values: FloatArray


def search(
    targets: Sequence[Target], given: Sequence[GivenReading] = (), most: int = MOST_READINGS
) -> Searched:
    """Explain claims that share a table, together as far as one reading explains several of them.

    most: largest number of readings to try.
    """
    plain = [t for t in targets if not t.off]
    found = [
        Found((t.claim,), len(t.numbers), 1, (Explanation((), (t.claim,), len(t.numbers)),)) for t in plain
    ]
    left = [t for t in targets if t not in plain]
    if not left:
        return Searched(tuple(found), len(plain))
    theirs = [
        GivenReading(g.slip, left.index(targets[g.target]), g.values)
        for g in given
        if targets[g.target] in left
    ]
    outcome = _try_all(left, theirs, most)
    return Searched((*found, *_explain(left, outcome)), len(plain) + outcome.tried)


def _explain(targets: Sequence[Target], outcome: _Outcome) -> list[Found]:
    fits = np.array(outcome.fits, bool).reshape(len(outcome.readings), len(targets))
    for r, slips in enumerate(outcome.readings):
        fits[r] &= enough(slips, ((t.claim, q) for t, fit in zip(targets, fits[r]) if fit for q in t.off))
    weight = np.array([len(t.numbers) for t in targets])
    failed = sum(t.model.failed for t in targets)
    open_, found = np.ones(len(targets), bool), []
    while open_.any():
        covered = (fits & open_) @ weight
        best = int(covered.max(initial=0))
        if best == 0:
            for t in (targets[k] for k in np.flatnonzero(open_)):
                found.append(Found((t.claim,), len(t.numbers), outcome.tried, (), outcome.skipped, failed))
            break
        group = (fits & open_)[int(np.argmax(covered))]
        claims = tuple(targets[t].claim for t in np.flatnonzero(group))
        fitting = [int(r) for r in np.flatnonzero(fits[:, group].all(axis=1))]
        explanations = _distinct(outcome, _minimal(outcome, fitting), np.flatnonzero(group), claims, best)
        members = [t for t, is_member in zip(targets, group) if is_member]
        off = [
            (t.claim, q.quantity, q.printed.text) for t in members for q in t.numbers if q.quantity in t.off
        ]
        digits = digits_between(off)
        chance = outcome.chance(explanations, digits)
        counts = (outcome.skipped, failed, chance, digits)
        found.append(Found(claims, best, outcome.tried, explanations, *counts))
        open_ &= ~group
    return found


def _try_all(targets: Sequence[Target], given: Sequence[GivenReading], most: int) -> _Outcome:
    outcome = _Outcome(tried=len(given))
    for g in given:
        if targets[g.target].fits(g.values):
            outcome.add((g.slip,), [k == g.target for k in range(len(targets))], [g.values] * len(targets))
    slips: dict[tuple[str, str], Slip] = {}
    for t in targets:
        for s in slips_for(t.situation()):
            slips.setdefault(s.key, s)
    outcome.singles, outcome.given = len(slips), frozenset(g.slip.key for g in given)
    of_print = [s for s in slips.values() if s.stage == "print"]
    combos, outcome.skipped = _combinations([s for s in slips.values() if s.stage != "print"], most)
    blocks: dict[tuple[Slip, ...], list[tuple[Slip, ...]]] = {}
    for combo in combos:
        blocks.setdefault(tuple(s for s in combo if s.stage != "data"), []).append(
            tuple(s for s in combo if s.stage == "data")
        )
    variants = _Variants(targets)
    for others, tables in blocks.items():
        _try_block(outcome, targets, variants, others, tables, of_print)
    outcome.tried += len(combos)
    _try_stopped(outcome, targets, variants, combos)
    return outcome


def _combinations(slips: Sequence[Slip], most: int) -> tuple[list[tuple[Slip, ...]], int]:
    """The `most` cheapest readings of no slip, one slip, or two that do not exclude each other, and how many
    were left out.
    """
    ordered = sorted(slips, key=lambda s: s.cost)
    pairs = [
        (a, b) if _before(a, b) else (b, a)
        for a, b in combinations(ordered, 2)
        if not (a.group and a.group == b.group)
    ]
    pairs.sort(key=lambda p: p[0].cost + p[1].cost)
    everything: list[tuple[Slip, ...]] = [(), *((s,) for s in ordered), *pairs]
    return everything[:most], max(0, len(everything) - most)


def _before(a: Slip, b: Slip) -> bool:
    return a.stage != "data" or b.stage != "data" or a.order <= b.order


class _Variants:
    """A cache of the rows of every target under every combination of slips of the data."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets = targets
        self._made: dict[tuple[int, tuple[Slip, ...]], Rows] = {}

    def rows(self, t: int, slips: tuple[Slip, ...]) -> Rows:
        if (t, slips) not in self._made:
            if not slips:
                self._made[t, slips] = self._targets[t].model.rows
            else:
                before = self.rows(t, slips[:-1])
                change = slips[-1].rows
                assert change is not None  # every slip of the data has one
                self._made[t, slips] = change(before)
        return self._made[t, slips]


def _setting(target: Target, slips: Sequence[Slip]) -> Setting:
    setting = target.setting
    for s in slips:
        if s.change is not None:
            setting = s.change(setting)
    return setting


# -- trying readings -----------------------------------------------------------------------------------------


def _try_block(
    outcome: _Outcome,
    targets: Sequence[Target],
    variants: _Variants,
    others: tuple[Slip, ...],
    tables: list[tuple[Slip, ...]],
    of_print: Sequence[Slip],
) -> None:
    """Try all tables under one setting."""
    values = [
        t.values([(key, variants.rows(k, key)) for key in tables], _setting(t, others))
        for k, t in enumerate(targets)
    ]
    outside = [t.outside(v) for t, v in zip(targets, values)]
    count = np.stack([o.sum(axis=1) for o in outside], axis=1)
    if of_print:
        budget = [2 - len(others) - len(key) for key in tables]
        outcome.tried += sum(
            len(of_print) if b == 1 else len(of_print) * (len(of_print) + 1) // 2 if b == 2 else 0
            for b in budget
        )
    for r, key in enumerate(tables):
        fits = [bool(count[r, t] == 0) and target.fits(values[t][r]) for t, target in enumerate(targets)]
        if any(fits):
            outcome.add((*key, *others), fits, [v[r] for v in values])
        room = 2 - len(others) - len(key)
        for t, target in enumerate(targets):
            if room and 1 <= count[r, t] <= room:
                for slips in _misprints(target, values[t][r], outside[t][r], of_print):
                    outcome.add(
                        (*key, *others, *slips),
                        [f or k == t for k, f in enumerate(fits)],
                        [v[r] for v in values],
                    )


def _misprints(
    target: Target, values: FloatArray, outside: BoolArray, of_print: Sequence[Slip]
) -> Iterator[tuple[Slip, ...]]:
    """Readings with slips of the print, one for each number that does not come out, if all others do."""
    wrong = [target.numbers[k].quantity for k in np.flatnonzero(outside)]
    choices = [
        [
            s
            for s in of_print
            if s.quantity == q and s.alternative is not None and target.prints(q, s.alternative, values)
        ]
        for q in wrong
    ]
    if all(choices) and target.fits(values, leaving_out=wrong):
        if len(choices) == 1:
            yield from ((s,) for s in choices[0])
        else:
            yield from ((a, b) for a in choices[0] for b in choices[1])


def _try_stopped(
    outcome: _Outcome, targets: Sequence[Target], variants: _Variants, combos: Sequence[tuple[Slip, ...]]
) -> None:
    """Test whether a solver stopped early: on the unchanged table, and under one slip of the data, of the
    ties or of the scale.
    """
    tried = [
        c for c in combos if not c or len(c) == 1 and (c[0].stage == "data" or c[0].name in ("ties", "scale"))
    ]
    for combo in tried:
        key = tuple(s for s in combo if s.stage == "data")
        others = tuple(s for s in combo if s.stage != "data")
        proofs = [prove_stopped(t, variants.rows(k, key), _setting(t, others)) for k, t in enumerate(targets)]
        first = next((p for p in proofs if p is not None), None)
        if first is not None:
            outcome.notes[len(outcome.readings)] = first.note
            outcome.add((*combo, first.slip), [p is not None for p in proofs])
    outcome.tried += len(tried)


# -- which of the readings that fit are reported -------------------------------------------------------------


def _minimal(outcome: _Outcome, fitting: Sequence[int]) -> list[int]:
    """The fitting readings without those that only add slips to another one: such a slip explains nothing."""
    sets = {r: frozenset(s.key for s in outcome.readings[r]) for r in fitting}
    least = sorted(fitting, key=lambda r: (len(sets[r]), sum(s.cost for s in outcome.readings[r]), r))
    kept: list[int] = []
    for r in least:
        if not any(sets[k] <= sets[r] for k in kept):
            kept.append(r)
    return kept


def _distinct(
    outcome: _Outcome, readings: Sequence[int], group: IntArray, claims: tuple[str, ...], numbers: int
) -> tuple[Explanation, ...]:
    """The explanations: readings that give the same numbers, or differ only in the step at which a solver
    stops, become one.
    """
    families: list[tuple[int, list[int]]] = []
    for r in readings:
        for first, same in families:
            if _same_numbers(outcome, first, r, group) or _same_but_for_the_step(outcome, first, r):
                same.append(r)
                break
        else:
            families.append((r, []))
    found = []
    for first, same in families:
        words = tuple(" and ".join(s.sentence for s in outcome.readings[r]) for r in same)
        found.append(
            Explanation(
                outcome.readings[first],
                claims,
                numbers,
                words,
                outcome.notes.get(first, ""),
                tuple(tuple(s.name for s in outcome.readings[r]) for r in same),
            )
        )
    return tuple(found)


def _same_numbers(outcome: _Outcome, a: int, b: int, group: IntArray) -> bool:
    misprints = [{s.key for s in outcome.readings[r] if s.stage == "print"} for r in (a, b)]
    if misprints[0] != misprints[1]:
        return False
    for t in group:
        va, vb = outcome.vectors.get((a, t)), outcome.vectors.get((b, t))
        if va is None or vb is None:
            return False
        # An absolute 1e-12 too, for numbers that are 0 in one reading and rounding error in the other:
        # deviances of 600 saturated fits were at most 1.6e-25.
        if not np.allclose(va, vb, rtol=SAME, atol=1e-12, equal_nan=True):
            return False
    return True


def _same_but_for_the_step(outcome: _Outcome, a: int, b: int) -> bool:
    """Whether two readings both say that a solver stopped early, and differ only in the step."""
    stop = [{s.name for s in outcome.readings[r] if s.name in _STOPS} for r in (a, b)]
    rest = [{s.key for s in outcome.readings[r] if s.name not in _STOPS} for r in (a, b)]
    return bool(stop[0]) and stop[0] == stop[1] and rest[0] == rest[1]
