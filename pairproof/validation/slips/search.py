"""Searches for the known slips (none, one, or two together) that reproduce all printed numbers of some claims.

A single printed number fits dozens of readings; all numbers of a claim together seldom fit more than one.  So
a reading counts only if every number comes out, every such reading is kept (unless it only adds slips to
another one), and the number of readings tried is always reported.  The search finds a way to obtain the
numbers; it does not show what the authors did.

Whether numbers are evidence: a solver may stop after any step, of either of two algorithms, and its steps lie
ever more densely about the maximum: a lone deviance that was changed at random "comes out" after some step
about every other time.  So a reading in which a solver stops early counts only if more numbers that do not
come out as they stand come out by it than it has slips, each of which chose something (the step among them).
Numbers that say the same count once: deviance, llf and AIC are one number and its constants, and so are
estimate, z and p of a parameter.

And every reading that is tried may fit by chance.  A number of d significant digits is hit by about one
reading in 10^d, so m readings hit numbers with D digits between them m / 10^D times; if that is more than
`BY_CHANCE`, a reading that fits is no explanation, though it is the only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ..claims.quantities import Quantity
from ..verdicts.definitions import significant_digits
from .catalogue import slips_for
from .known import Slip
from .stopped_early import prove_stopped
from .target import Target
from .values import Setting
from .variants import Rows

#: Slips that choose a step at which a solver stopped.
STOPS = ("stopped-early",)
_OF_THE_FIT = (
    "deviance",
    "null_deviance",
    "llf",
    "llf_poisson",
    "aic",
    "aic_glm",
    "bic",
    "gof_p",
    "pearson",
    "pearson_p",
    "lr",
    "lr_p",
)


#: Fits by chance up to which a single reading that fits is called an explanation.
BY_CHANCE = 0.05


def digits_between(numbers: Iterable[tuple[str, str, str]]) -> int:
    """Significant digits of (claim, quantity, printed text), those that say the same counted once."""
    most: dict[tuple[str, str], int] = {}
    for claim, quantity, text in numbers:
        said = _says(claim, quantity)
        most[said] = max(most.get(said, 0), significant_digits(text))
    return sum(most.values())


def independent(numbers: Iterable[tuple[str, str]]) -> int:
    """How many of these numbers, (claim, quantity), say something of their own."""
    return len({_says(*number) for number in numbers})


def _says(claim: str, quantity: str) -> tuple[str, str]:
    q = Quantity.parse(quantity)
    return claim, "" if q.kind in _OF_THE_FIT else q.place or q


def enough(slips: Sequence[Slip], off: Iterable[tuple[str, str]]) -> bool:
    """Whether the numbers that were off, and come out by these slips, are evidence for them."""
    return not any(s.name in STOPS for s in slips) or independent(off) > len(slips)


@dataclass(frozen=True)
class Explanation:
    """A reading that reproduces all printed numbers of some claims."""

    slips: tuple[Slip, ...]
    claims: tuple[str, ...]
    numbers: int
    also: tuple[str, ...] = ()
    note: str = ""
    also_names: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.slips)

    @property
    def cost(self) -> int:
        return sum(s.cost for s in self.slips)

    @property
    def words(self) -> str:
        """ "the columns are read in prefmod's order and p-values are one-sided"."""
        return " and ".join(s.sentence for s in self.slips)

    @property
    def sentence(self) -> str:
        """ "comes out if ..."."""
        if not self.slips:
            return "no slip needed: every number comes out as it is printed"
        text = f"comes out if {self.words}"
        if self.note:
            text += f" ({self.note})"
        if self.also:
            more = "; ".join(f"if {a}" for a in self.also[:4]) + (
                f"; and {len(self.also) - 4} more" if len(self.also) > 4 else ""
            )
            text += f" (the same numbers: {more})"
        return text


@dataclass(frozen=True)
class Found:
    """The result of a search for claims that share a table and an explanation."""

    claims: tuple[str, ...]
    numbers: int
    readings: int
    explanations: tuple[Explanation, ...]
    skipped: int = 0
    failed: int = 0
    chance: float = 0.0
    digits: int = 0

    @property
    def plain(self) -> bool:
        """Whether no slip is needed."""
        return bool(self.explanations) and not self.explanations[0].slips

    @property
    def clear(self) -> bool:
        """Whether exactly one reading fits, and not by chance."""
        return len(self.explanations) == 1 and (self.plain or self.chance <= BY_CHANCE)


def count_words(found: Found) -> str:
    """ "1 explanation of 15,768 readings; 9 numbers"."""
    n = len(found.explanations)
    words = (
        f"{n} explanation{'' if n == 1 else 's'} of"
        f" {found.readings:,} reading{'' if found.readings == 1 else 's'};"
        f" {found.numbers} number{'' if found.numbers == 1 else 's'}"
    )
    if found.chance > BY_CHANCE and not found.plain:
        words += (
            f"; the numbers that are off have {found.digits} digit{'' if found.digits == 1 else 's'} between"
            f" them, so that chance alone gives about {found.chance:.1g}: no evidence for any"
        )
    if found.skipped:
        words += f"; {found.skipped:,} further readings were not tried"
    if found.failed:
        words += f"; {found.failed:,} readings have no numbers, an estimate being infinite"
    return words


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
    """The readings that fit at least one target, and how many were tried."""

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
    """The results of one search over claims that share a table."""

    found: tuple[Found, ...]
    readings: int


@dataclass(frozen=True)
class GivenReading:
    """A reading that the claims file itself gives.  values float[n_numbers]."""

    slip: Slip
    target: int
    values: FloatArray


def search(
    targets: Sequence[Target], given: Sequence[GivenReading] = (), most: int = MOST_READINGS
) -> Searched:
    """Explain claims that share a table, together as far as one reading explains several of them."""
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
    """The `most` cheapest readings of at most two slips that go together, and how many were left out."""
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
    """Whether a solver stopped early, on the table as it is and under one slip."""
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
    """The explanations, those with the same numbers (but for the step of a stop) as one."""
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
        names = tuple(tuple(s.name for s in outcome.readings[r]) for r in same)
        note = outcome.notes.get(first, "")
        found.append(Explanation(outcome.readings[first], claims, numbers, words, note, names))
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
