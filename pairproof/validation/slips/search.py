"""Searches for the known slips (none, one, or two together) that reproduce all printed numbers of some claims.

A single printed number fits dozens of readings; all numbers of a claim together seldom fit more than one.  So
a reading counts only if it reproduces every number, every such reading is kept (unless it only adds slips to
another one), and the number of readings tried is always reported.  The search finds a way to obtain the
numbers; it does not show what the authors did.

Whether numbers are evidence: a solver may stop after any step of either of two algorithms, and its steps
become denser near the maximum, so that some step reproduces a randomly changed deviance about every other
time. A reading in which a solver stops early therefore counts only if it reproduces more of the numbers that
differ than it has slips, each of which chose something (such as the step).  Numbers with the same information
count once: deviance, llf and AIC are one number and its constants, and so are estimate, z and p of a parameter.

Any reading may also fit by chance.  If several numbers that differ are reproduced together: about one reading
in 10^d hits a number of d significant digits, so m readings hit numbers with D digits in total m / 10^D
times, and a reading explains them only if that is at most `BY_CHANCE`.  If a single number differs: of 100
pages with one digit changed, the readings may explain at most `MOST_OF_100` (:mod:`.chance`).

If one or two of five or more numbers on a page are wrong, they are not explained by two slips but named.  If no
reading fits all numbers, the search reports what it has found: which numbers are wrong, the pattern of the
numbers, the reading that leaves fewest, and the one cell of the table whose change would reproduce them
(:mod:`.findings`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product

import numpy as np

from ...numerics.arrays import BoolArray, FloatArray, IntArray
from .catalogue import slips_for
from .chance import MOST_OF_100, of_100
from .findings import (
    LEAST_NUMBERS,
    MOST_WRONG,
    Watch,
    digits_between,
    independent,
    mistyped,
    pattern,
    wrong_numbers,
    wrong_words,
)
from .known import Slip
from .stopped_early import prove_stopped
from .target import Target
from .values import Setting

#: Slips that choose a step at which a solver stopped.
STOPS = ("stopped-early",)


#: Fits by chance up to which a single reading that brings out several numbers is called an explanation.
BY_CHANCE = 0.05


def enough(slips: Sequence[Slip], off: Iterable[tuple[str, str]]) -> bool:
    """Whether the numbers that differed and are reproduced by these slips are evidence for them."""
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
    def words(self) -> str:
        """ "the columns are read in prefmod's order and p-values are one-sided"."""
        return " and ".join(s.sentence for s in self.slips)

    @property
    def sentence(self) -> str:
        """ "reproduced if ..."."""
        if not self.slips:
            return "no slip needed: every number is reproduced as printed"
        text = f"reproduced if {self.words}" + (f" ({self.note})" if self.note else "")
        if not self.also:
            return text
        more = f"; and {len(self.also) - 4} more" if len(self.also) > 4 else ""
        return f"{text} (the same numbers: {'; '.join(f'if {a}' for a in self.also[:4])}{more})"


@dataclass(frozen=True)
class Found:
    """The result of a search for claims that share a table and an explanation.

    chance: expected readings that fit the digits that are off, by chance.  chance_of_100: of 100 prints of these
    claims with one digit of one number changed, how many some reading that was tried (of at most as many slips
    as the explanation; of one, where there is none) would also explain, and if a single number is off, of those in
    which the changed number is no easier to explain than it; nan where nothing was searched.
    off: how many independent numbers are not reproduced.  cause: one sentence of the pattern of
    the numbers, and known slips that give it.  wrong: the only numbers that are not reproduced, `wrong_words`
    the sentence.  cell: the sentence that names the mistyped cell.  nearest: the reading that leaves fewest
    numbers off where none fits all, `left` those numbers.  All of these are empty where there is nothing to say.
    """

    claims: tuple[str, ...]
    numbers: int
    readings: int
    explanations: tuple[Explanation, ...]
    skipped: int = 0
    failed: int = 0
    chance: float = 0.0
    digits: int = 0
    chance_of_100: float = math.nan
    off: int = 0
    cause: str = ""
    wrong: tuple[str, ...] = ()
    wrong_words: str = ""
    cell: str = ""
    nearest: Explanation | None = None
    left: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether no slip is needed."""
        return bool(self.explanations) and not self.explanations[0].slips

    @property
    def by_chance(self) -> bool:
        """Whether a reading that fits says nothing: as many would fit a page that is wrong in another way."""
        if self.off and not self.digits:  # a mark of significance or a bound: what gives it is not evidence
            return True
        return self.chance_of_100 > MOST_OF_100 if self.off == 1 else self.chance > BY_CHANCE

    @property
    def clear(self) -> bool:
        """Whether exactly one reading fits, and not by chance."""
        return len(self.explanations) == 1 and (self.plain or not self.by_chance)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was seen beside the explanations, a sentence each."""
        near = ""
        if self.nearest is not None:
            near = (
                f"the nearest reading reproduces {self.nearest.numbers} of {self.numbers} numbers, all but"
                f" {', '.join(self.left)}: {self.nearest.sentence}"
            )
        return tuple(words for words in (self.cause, self.wrong_words, self.cell, near) if words)


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def count_words(found: Found) -> str:
    """ "1 explanation among 15,768 readings; 9 numbers; with one random digit changed, 0.4 of 100 ..."."""
    words = f"{_counted(len(found.explanations), 'explanation')} among {_counted(found.readings, 'reading')}"
    said = [words, _counted(found.numbers, "number")]
    if not found.plain and found.off > 1 and found.by_chance:
        said.append(
            f"the numbers that differ have {_counted(found.digits, 'digit')} in total, so about {found.chance:.1g}"
            " readings would fit by chance alone: no evidence for any"
        )
    if not math.isnan(found.chance_of_100):
        none = found.off == 1 and found.by_chance and found.explanations
        evidence = ", so this is not evidence" if none else ""
        of_100 = f"with one digit changed, {found.chance_of_100:.2g} of 100 pages could be explained too"
        said.append(of_100 + evidence)
    if found.skipped:
        said.append(f"{found.skipped:,} further readings were not tried")
    if found.failed:
        said.append(f"{found.failed:,} readings have no numbers because an estimate is infinite")
    return "; ".join(said)


#: Largest number of readings tried, cheapest first; 16,000 take some seconds.
MOST_READINGS = 20_000
#: Slips that say at which step a solver stopped; readings that differ only in the step are one explanation.
_STOPS = ("stopped-early", "infinite-estimate")
#: Two readings whose printed numbers agree within this relative error count as the same: fits of one model in
#: another layout differ by rounding only (observed at most 1.1e-14 in the searches of the tests), and
#: readings that really differ do so by a printable amount (observed at least 7.7e-4).
SAME = 1e-9


#: Work of a search in seconds of an idle core (`_work`), after which further readings are not tried: 83 items
#: with 3,403 pairs reach it, claims of 25 numbers need a tenth of it.
MOST_WORK = 20.0
#: Bytes of the fits of one step of the search.
STEP = 5e6


@dataclass(eq=False)
class _Bounds:
    """When a search ends before all its readings: after so much work."""

    progress: Callable[[int, int], None] | None
    total: int = 0
    done: int = 0
    work: float = 0.0

    def add(self, readings: int, targets: Sequence[Target], made: int) -> None:
        self.done += readings
        for t in targets:
            k, cells = len(t.fit.terms), len(t.model.cells.pair)
            fit = cells * 1e-6 + k**3 * 1e-9
            self.work += made / len(targets) * fit + readings * len(t.numbers) * k**2 * 1e-9
        if self.progress is not None:
            self.progress(self.done, self.total)


@dataclass(frozen=True, eq=False)
class _Reading:
    """A reading that fits some of the targets, with the numbers of each; () where it was shown without any."""

    slips: tuple[Slip, ...]
    fits: Sequence[bool]
    values: Sequence[FloatArray] = ()
    note: str = ""

    @property
    def keys(self) -> frozenset[tuple[str, str]]:
        return frozenset(s.key for s in self.slips)

    @property
    def misprints(self) -> frozenset[tuple[str, str]]:
        return frozenset(s.key for s in self.slips if s.stage == "print")

    @property
    def words(self) -> str:
        return " and ".join(s.sentence for s in self.slips)


@dataclass(eq=False)
class _Outcome:
    """The readings that fit at least one target, and how many were tried."""

    watches: Sequence[Watch]
    given: frozenset[tuple[str, str]]
    singles: int
    readings: list[_Reading] = field(default_factory=list)
    tried: int = 0
    skipped: int = 0

    def named(self, explanations: Sequence[Explanation]) -> bool:
        """Whether the claims file names the best reading itself."""
        return bool(explanations) and any(s.key in self.given for s in explanations[0].slips)

    def like(self, slips: Sequence[Slip]) -> int:
        """Readings that were tried with as many slips as these."""
        return self.singles if len(slips) < 2 else self.tried


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
    targets: Sequence[Target],
    given: Sequence[GivenReading] = (),
    most: int = MOST_READINGS,
    progress: Callable[[int, int], None] | None = None,
) -> Searched:
    """Explain claims that share a table, together as far as one reading explains several of them.

    At most `most` readings are tried, and those of `MOST_WORK`; `progress` is told how many of how many.
    """
    left = [t for t in targets if t.off]
    sizes = [(t.claim, len(t.numbers)) for t in targets if not t.off]
    plain = [Found((claim,), n, 1, (Explanation((), (claim,), n),)) for claim, n in sizes]
    if not left:
        return Searched(tuple(plain), len(plain))
    of_left = [(targets[g.target], g) for g in given if targets[g.target] in left]
    theirs = [replace(g, target=left.index(target)) for target, g in of_left]
    outcome = _try_all(left, theirs, most, _Bounds(progress))
    return Searched((*plain, *_explain(left, outcome)), len(plain) + outcome.tried)


def _explain(targets: Sequence[Target], outcome: _Outcome) -> list[Found]:
    fits = np.zeros((len(outcome.readings), len(targets)), bool)
    for r, reading in enumerate(outcome.readings):
        off = [(t.claim, q) for t, fit in zip(targets, reading.fits) if fit for q in t.off]
        far_fetched = np.array([_far_fetched(t, reading.slips) for t in targets])
        fits[r] = np.array(reading.fits) & ~far_fetched & enough(reading.slips, off)
    weight = np.array([len(t.numbers) for t in targets])
    open_, found = np.ones(len(targets), bool), []
    while open_.any():
        covered = (fits & open_) @ weight
        best = int(covered.max(initial=0))
        if best == 0:
            found += [_found(outcome, targets, [int(k)], ()) for k in np.flatnonzero(open_)]
            break
        group = (fits & open_)[int(np.argmax(covered))]
        at = np.flatnonzero(group)
        claims = tuple(targets[t].claim for t in at.tolist())
        fitting = [outcome.readings[r] for r in np.flatnonzero(fits[:, group].all(axis=1))]
        explanations = _distinct(_minimal(fitting), at, claims, best)
        found.append(_found(outcome, targets, at.tolist(), explanations))
        open_ &= ~group
    return found


def _far_fetched(target: Target, slips: Sequence[Slip]) -> bool:
    """Whether two slips would explain one or two wrong numbers of a page, other than as its misprints."""
    off = independent((target.claim, q) for q in target.off)
    misprints = all(s.stage == "print" for s in slips)
    return len(slips) > 1 and not misprints and len(target.numbers) >= LEAST_NUMBERS and off <= MOST_WRONG


def _found(
    outcome: _Outcome, targets: Sequence[Target], group: Sequence[int], explanations: tuple[Explanation, ...]
) -> Found:
    """What is known of a group of claims with these explanations."""
    members = [targets[t] for t in group]
    off = [(t.claim, q.quantity, q.printed.text) for t in members for q in t.numbers if q.quantity in t.off]
    digits, said = digits_between(off), independent((claim, q) for claim, q, _ in off)
    alone = [q for _, q, _ in off] if said == 1 else []
    best = explanations[0].slips if explanations else ()
    named = outcome.named(explanations)
    watches = [outcome.watches[t] for t in group]
    found = Found(
        tuple(t.claim for t in members),
        sum(len(t.numbers) for t in members),
        outcome.tried,
        explanations,
        outcome.skipped,
        sum(t.model.failed for t in members if not explanations) or sum(t.model.failed for t in targets),
        0.0 if named else outcome.like(best) / 10.0**digits,
        digits,
        0.0 if named else of_100([w.chance for w in watches], max(1, len(best)), alone),
        said,
    )
    if len(members) > 1:
        return found
    (target,) = members
    return _with_findings(found, target, watches[0], outcome)


def _with_findings(found: Found, target: Target, watch: Watch, outcome: _Outcome) -> Found:
    """With what the page says by itself, as far as its explanation leaves it open."""
    found = replace(found, cause=pattern(target, watch.columns))
    if found.clear and not all(s.stage == "print" for s in found.explanations[0].slips):
        return found
    wrong = wrong_numbers(target)
    found = replace(found, wrong=wrong, wrong_words=wrong_words(target, wrong))
    if found.explanations:
        return found
    cell = "" if wrong else mistyped(target, found.digits, BY_CHANCE)
    nearest, left = _nearest(target, watch, outcome)
    return replace(found, cell=cell, nearest=nearest, left=left)


def _nearest(target: Target, watch: Watch, outcome: _Outcome) -> tuple[Explanation | None, tuple[str, ...]]:
    """The reading that brings out most digits, if it brings out more than the plain one by more than chance."""
    chosen: tuple[Explanation | None, tuple[str, ...]] = (None, ())
    least = 0.0
    for n in sorted(watch.best):
        _, slips, values = watch.best[n]
        known = [(q.quantity, float(v)) for q, v in zip(target.numbers, values)]
        left = tuple(name for name, v in known if not target.fits_one(name, v))
        texts = {str(q.quantity): (target.claim, q.quantity, q.printed.text) for q in target.numbers}
        gained = [texts[q] for q in target.off if q not in left]
        gain = digits_between(gained) - digits_between(texts[q] for q in left if q not in target.off)
        said = independent((target.claim, q) for q in target.off)
        ways = outcome.like(slips) * math.comb(said, independent(g[:2] for g in gained))
        if gained and left and gain >= least + math.log10(ways / BY_CHANCE):
            chosen = Explanation(slips, (target.claim,), len(target.numbers) - len(left)), left
            least = float(gain)
    return chosen


def _try_all(
    targets: Sequence[Target], given: Sequence[GivenReading], most: int, bounds: _Bounds
) -> _Outcome:
    slips: dict[tuple[str, str], Slip] = {}
    for s in chain.from_iterable(slips_for(t.situation()) for t in targets):
        slips.setdefault(s.key, s)
    outcome = _Outcome([Watch(t) for t in targets], frozenset(g.slip.key for g in given), len(slips))
    for g in given:
        if targets[g.target].fits(g.values):
            fits = [k == g.target for k in range(len(targets))]
            outcome.readings.append(_Reading((g.slip,), fits, [g.values] * len(targets)))
    of_print = [s for s in slips.values() if s.stage == "print"]
    combos, skipped = _combinations([s for s in slips.values() if s.stage != "print"], most)
    bounds.total = len(combos)
    for others, tables in _blocks(combos, targets):
        if bounds.work > MOST_WORK:
            break
        made = sum(t.made for t in targets)
        _try_block(outcome, targets, others, tables, of_print)
        bounds.add(len(tables), targets, sum(t.made for t in targets) - made)
    outcome.tried += bounds.done + len(given)
    outcome.skipped = skipped + len(combos) - bounds.done
    _try_stopped(outcome, targets, combos, bounds)
    return outcome


def _blocks(
    combos: Sequence[tuple[Slip, ...]], targets: Sequence[Target]
) -> Iterator[tuple[tuple[Slip, ...], list[tuple[Slip, ...]]]]:
    """Readings by their setting: single slips before two, and those that need no other table first."""
    blocks: tuple[dict[tuple[Slip, ...], list[tuple[Slip, ...]]], ...] = ({}, {}, {})
    for combo in combos:
        table = tuple(s for s in combo if s.stage == "data")
        others = tuple(s for s in combo if s.stage != "data")
        blocks[2 if len(combo) > 1 else len(table)].setdefault(others, []).append(table)
    size = max(1, int(STEP / (8 * max(len(t.fit.terms) ** 2 for t in targets))))
    for others, tables in chain(*(b.items() for b in blocks)):
        for k in range(0, len(tables), size):
            yield others, tables[k : k + size]


def _combinations(slips: Sequence[Slip], most: int) -> tuple[list[tuple[Slip, ...]], int]:
    """The `most` cheapest readings of at most two slips that go together, and how many were left out."""
    ordered = sorted(slips, key=lambda s: s.cost)
    everything: list[tuple[Slip, ...]] = [(), *((s,) for s in ordered)]
    groups = [s.group for s in ordered if s.group]
    alike = sum(groups.count(g) * (groups.count(g) - 1) // 2 for g in set(groups))
    total = len(everything) + len(ordered) * (len(ordered) - 1) // 2 - alike
    for pair in _pairs(ordered):
        if len(everything) >= most:
            break
        everything.append(pair)
    return everything[:most], max(0, total - most)


def _pairs(ordered: Sequence[Slip]) -> Iterator[tuple[Slip, ...]]:
    """Two slips that go together, the cheapest first, as far as they are asked for."""
    costs = np.array([s.cost for s in ordered])
    for total in sorted({int(a + b) for a in set(costs.tolist()) for b in set(costs.tolist())}):
        for k, a in enumerate(ordered):
            first, end = np.searchsorted(costs, [total - a.cost, total - a.cost + 1])
            for b in ordered[max(k + 1, first) : end]:
                if not (a.group and a.group == b.group):
                    turned = a.stage == b.stage == "data" and a.order > b.order
                    yield (b, a) if turned else (a, b)


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
    others: tuple[Slip, ...],
    tables: list[tuple[Slip, ...]],
    of_print: Sequence[Slip],
) -> None:
    """Try all tables under one setting."""
    values = [t.values(tables, _setting(t, others)) for t in targets]
    outside = [t.outside(v) for t, v in zip(targets, values)]
    readings = [(*key, *others) for key in tables]
    if not any(s.name in STOPS for s in others):
        for watch, v, o in zip(outcome.watches, values, outside):
            watch.see(readings, v, o)
    for r, slips in enumerate(readings):
        room = 2 - len(slips)
        outcome.tried += math.comb(len(of_print) + room - 1, room) if room and of_print else 0
        wrong = [int(o[r].sum()) for o in outside]
        here = [v[r] for v in values]
        fits = [n == 0 and t.fits(v) for n, t, v in zip(wrong, targets, here)]
        if any(fits):
            outcome.readings.append(_Reading(slips, fits, here))
        for t, target in enumerate(targets):
            if 1 <= wrong[t] <= room:
                with_print = [f or k == t for k, f in enumerate(fits)]
                for more in _misprints(target, here[t], outside[t][r], of_print):
                    outcome.readings.append(_Reading((*slips, *more), with_print, here))


def _misprints(
    target: Target, values: FloatArray, outside: BoolArray, of_print: Sequence[Slip]
) -> Iterator[tuple[Slip, ...]]:
    """Readings with slips of the print, one for each number that differs, if all others are reproduced."""
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
        yield from product(*choices)


def _try_stopped(
    outcome: _Outcome, targets: Sequence[Target], combos: Sequence[tuple[Slip, ...]], bounds: _Bounds
) -> None:
    """Whether a solver stopped early, on the table as it is and under one slip."""
    for combo in combos:
        if len(combo) > 1 or any(s.stage != "data" and s.name not in ("ties", "scale") for s in combo):
            continue
        if bounds.work > MOST_WORK:
            outcome.skipped += 1
            continue
        outcome.tried += 1
        key = tuple(s for s in combo if s.stage == "data")
        proofs = [prove_stopped(t, key, _setting(t, combo)) for t in targets]
        first = next((p for p in proofs if p is not None), None)
        if first is not None:
            fits = [p is not None for p in proofs]
            outcome.readings.append(_Reading((*combo, first.slip), fits, note=first.note))


# -- which of the readings that fit are reported -------------------------------------------------------------


def _minimal(fitting: Sequence[_Reading]) -> list[_Reading]:
    """The fitting readings without those that only add slips to another one, and without misprints beside a slip
    where one slip alone does: such a slip explains nothing."""
    least = sorted(fitting, key=lambda r: (len(r.keys), sum(s.cost for s in r.slips)))
    kept: list[_Reading] = []
    for r in least:
        beside = len(r.keys) > len(least[0].keys) and r.misprints
        if not beside and not any(k.keys <= r.keys for k in kept):
            kept.append(r)
    return kept


def _distinct(
    readings: Sequence[_Reading], group: IntArray, claims: tuple[str, ...], numbers: int
) -> tuple[Explanation, ...]:
    """The explanations, those with the same numbers (but for the step of a stop) as one."""
    families: list[list[_Reading]] = []
    for r in readings:
        like = (f for f in families if _same_numbers(f[0], r, group) or _same_but_for_the_step(f[0], r))
        family = next(like, None)
        if family is None:
            families.append([r])
        else:
            family.append(r)
    found = []
    for first, *same in families:
        also, names = tuple(r.words for r in same), tuple(tuple(s.name for s in r.slips) for r in same)
        found.append(Explanation(first.slips, claims, numbers, also, first.note, names))
    return tuple(found)


def _same_numbers(a: _Reading, b: _Reading, group: IntArray) -> bool:
    # SAME has its reason above.  An absolute 1e-12 too: a number that is 0 in one reading may be rounding
    # error in the other, and deviances of 600 saturated fits were at most 1.6e-25.
    return (
        a.misprints == b.misprints
        and bool(a.values and b.values)
        and all(np.allclose(a.values[t], b.values[t], rtol=SAME, atol=1e-12, equal_nan=True) for t in group)
    )


def _same_but_for_the_step(a: _Reading, b: _Reading) -> bool:
    """Whether two readings both say that a solver stopped early, and differ only in the step."""
    stop = [{s.name for s in r.slips if s.name in _STOPS} for r in (a, b)]
    rest = [{s.key for s in r.slips if s.name not in _STOPS} for r in (a, b)]
    return bool(stop[0]) and stop[0] == stop[1] and rest[0] == rest[1]
