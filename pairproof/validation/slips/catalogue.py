"""Every family of slips, the slips that programs make for their users among them, and those possible in a
situation.

BradleyTerry2's are of tables without a tie category, or whose ties are left out or halved: `BTm` has no model
of ties.

prefmod's are defects B1, B4, B6, B7, B13, B21 and B23 of the specification of :mod:`pairproof.native.prefmod_defects`.
B24 (columns in another order) is the slip pair-order, B11 (empty cells counted) is among those of df, the
one-sided P(z) of llbt.fit is one-sided-p, its early stop stopped-early, its infinite estimates
infinite-estimate.  B12 gives the numbers of one level the name of another, which a claims file cannot name;
B5 needs the order of the rows of the file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import combinations, permutations
from typing import Any

import numpy as np

from ...data.columns import Factor, natural_order
from ...data.wide import lexicographic_pair_order, prefmod_pair_order
from ...files.packaged import packaged_toml
from ...native.prefmod_defects.defect_catalogue import defect
from ...native.prefmod_defects.defects_of_results import is_name_in_r
from ...numerics.arrays import IntArray
from ..claims.printed import Printed
from ..claims.quantities import Quantity
from .known import STAGES, Family, RowChange, Situation, Slip, given, one_factor, plain, transposed
from .stopping import MM_STEPS
from .values import Setting, constants
from .variants import Rows, pair_of, rows_of

# -- changes of rows -----------------------------------------------------------------------------------------


def outcomes(order: Sequence[int]) -> RowChange:
    """Exchange answers: the answers at these positions are taken for (first, tie, second)."""
    return lambda rows: rows.with_counts(rows.y[:, list(order)])


def reversed_pair(pair: int) -> RowChange:
    """Exchange wins and losses of one pair."""
    return lambda rows: rows.with_counts(np.where((rows.pair == pair)[:, None], rows.y[:, ::-1], rows.y))


def read_as(pairs: IntArray) -> RowChange:
    """Take the counts of pair k for those of pair `pairs[k]`; in both the earlier item counts as first."""
    return lambda rows: replace(rows, pair=pairs[rows.pair])


def relabelled(place: Sequence[int]) -> RowChange:
    """Take item k for item `place[k]`."""

    def change(rows: Rows) -> Rows:
        at = np.asarray(place)[rows.pairs[rows.pair]]
        back = at[:, 0] > at[:, 1]
        pair, sign = pair_of(at[:, 0], at[:, 1], len(rows.items)), np.where(back, -rows.sign, rows.sign)
        return replace(rows, pair=pair, sign=sign, y=np.where(back[:, None], rows.y[:, ::-1], rows.y))

    return change


def missing_as_ties(rows: Rows) -> Rows:
    """Add ties to every pair (of every judge and pattern) until it has as many answers as the largest."""
    cell = np.column_stack([rows.pattern, rows.judge, rows.pair])
    _, first, box = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    total = np.bincount(np.ravel(box), rows.counts.sum(axis=1))
    missing = total.max() - total
    add = first[missing > 0]
    at = np.concatenate([np.arange(len(rows.pair)), add])
    pair, pattern, sign, judge = (c[at] for c in (rows.pair, rows.pattern, rows.sign, rows.judge))
    ties = np.tile([0.0, 1.0, 0.0], (len(add), 1))
    y, times = np.concatenate([rows.y, ties]), np.concatenate([rows.times, missing[missing > 0]])
    return replace(rows, pair=pair, pattern=pattern, sign=sign, judge=judge, y=y, times=times)


def recycled(by_pair: bool) -> RowChange:
    """Label a table of judges x pairs column by column that was written row by row, or the reverse."""

    def change(rows: Rows) -> Rows:
        judges, pairs = np.unique(rows.judge), np.unique(rows.pair)
        row, column = np.searchsorted(judges, rows.judge), np.searchsorted(pairs, rows.pair)
        j, p = len(judges), len(pairs)
        place = column * j + row if by_pair else row * p + column
        new_row, new_column = (place // p, place % p) if by_pair else (place % j, place // j)
        return replace(rows, pair=pairs[new_column], judge=judges[new_row])

    return change


def twice(rows: Rows) -> Rows:
    """The table two times over."""
    return replace(rows, times=2.0 * rows.times, copies=2 * rows.copies)


def first_named_wins(rows: Rows) -> Rows:
    """Ties as wins of the item that was named first."""
    y = rows.y.copy()
    forward = rows.sign >= 0
    y[forward, 0] += y[forward, 1]
    y[~forward, 2] += y[~forward, 1]
    y[:, 1] = 0.0
    return rows.with_counts(y)


# -- slips that families.toml states -------------------------------------------------------------------------


def _btm_has(s: Situation) -> bool:
    """Whether BTm has the model at all."""
    binary = not s.rows.tie_category or s.setting.solver.ties in ("drop", "half")
    return binary and s.fit.spec.of_family.glm_of_wins == "binomial"


def _glm_has(s: Situation) -> bool:
    return s.setting.solver.ties != "rao-kupper" and s.steps > 0


def _judges_by_pairs(s: Situation) -> bool:
    """Whether every judge answered every pair, so that labels can run along either."""
    judges, pairs = len(np.unique(s.rows.judge)), len(np.unique(s.rows.pair))
    regular = len(np.unique(np.column_stack([s.rows.judge, s.rows.pair]), axis=0)) == judges * pairs
    return judges > 1 and pairs > 1 and regular and not s.fit.spec.by


def _printed(s: Situation, of: str, kinds: Sequence[str] = ()) -> bool:
    """Whether a number of one of these kinds, or any, is printed of a parameter of the order or of ties."""
    own = [t.name for t in s.fit.terms if t.kind == of]
    return any(q.place in own and (q.kind in kinds or not kinds) for q, _ in s.numbers)


def _unread(s: Situation) -> list[str]:
    return [item for item in s.fit.items if not is_name_in_r(item)]


def _factors_only(s: Situation) -> bool:
    """Whether worths are by groups of a full table of categorical covariates."""
    names = {k for at in s.fit.groups.values() for k in at}
    columns = [s.fit.data.columns.get(k) for k in names]
    if not names or s.fit.spec.item_terms or not all(isinstance(c, Factor) for c in columns):
        return False
    return len(s.fit.groups) == int(np.prod([len(c.levels) for c in columns if isinstance(c, Factor)]))


#: What must hold of a claim and its table for a slip to be possible, by its name in families.toml.
CONDITIONS: dict[str, Callable[[Situation], bool]] = {
    "a matrix": lambda s: s.matrix,
    "judges by pairs": _judges_by_pairs,
    "a tie category": lambda s: s.rows.tie_category,
    "ties": lambda s: bool((s.rows.y[:, 1] > 0).any()),
    "ties on neutral ground": lambda s: bool(((s.rows.y[:, 1] > 0) & (s.rows.sign == 0)).any()),
    "two outcomes": lambda s: s.outcome == "binary",
    "several rows to a cell": lambda s: s.rows.times.sum() > len(np.unique(s.model.cells.cell_of(s.rows))),
    "several judges": lambda s: len(np.unique(s.rows.judge)) > 1,
    "empty cells": lambda s: bool(constants(s.model, [s.rows], s.setting.solver).empty[0] > 0),
    "cells of the model": lambda s: s.setting.solver.cells == "model",
    "several groups": lambda s: len(np.unique(s.model.cells.pattern)) > 1,
    "judges in the model": lambda s: "judge" in s.fit.spec.by,
    "covariates": lambda s: bool(s.fit.spec.by),
    "covariates of items": lambda s: bool(s.fit.spec.item_terms),
    "categorical covariates": _factors_only,
    "one covariate": lambda s: len(next(iter(s.fit.groups.values()))) == 1,
    "names that R does not read": lambda s: bool(_unread(s)),
    "an order effect": lambda s: s.fit.spec.order_effect,
    "both orders": lambda s: {-1, 1} <= set(s.rows.sign.tolist()),
    "infinite estimates": lambda s: bool(s.fit.not_estimable),
    "lambda": lambda s: s.fit.scale == "lambda",
    "estimates beside standard errors": lambda s: {"estimate", "se"} <= s.kinds,
    "the order effect printed": lambda s: _printed(s, "order"),
    "the tie parameter printed": lambda s: _printed(s, "tie", ("estimate", "low", "high")),
    "glm's AIC printed": lambda s: "aic_glm" in s.kinds,
    "a model of glm's": _glm_has,
    "a model of BTm's": _btm_has,
    "a model of prefmod's": lambda s: s.setting.solver.ties in ("davidson", "none")
    and not s.fit.spec.order_effect,
}
#: Changes of the rows that are the same for every table, by their names in families.toml.
CHANGES: dict[str, RowChange] = {
    "reversed": outcomes((2, 1, 0)),
    "pairs as judges": recycled(by_pair=True),
    "judges as pairs": recycled(by_pair=False),
    "twice in each cell": lambda rows: rows.with_counts(2.0 * rows.y),
    "twice": twice,
    "ties as wins of the first": first_named_wins,
}


@dataclass(frozen=True)
class Stated:
    """A slip that families.toml states; its fields are explained there."""

    says: str
    conditions: str = ""
    affects: str = ""
    setting: Mapping[str, Any] = field(default_factory=dict)
    solver: Mapping[str, Any] = field(default_factory=dict)
    log_odds_times: float = 0.0
    rows: str = ""
    defect: str = ""
    cost: int = 0

    def is_possible(self, s: Situation) -> bool:
        """Whether its conditions hold, and it changes anything."""
        conditions = [c for c in self.conditions.split(" and ") if c]
        holds = (CONDITIONS[c.removeprefix("not ")](s) != c.startswith("not ") for c in conditions)
        possible = s.prints(self.affects) and all(holds)
        return possible and (bool(self.rows) or self._changed(s, s.setting) != s.setting)

    def _changed(self, s: Situation, setting: Setting) -> Setting:
        fields = dict(self.setting)
        if self.log_odds_times:  # lambda is half the log-odds
            fields["factor"] = self.log_odds_times * (2.0 if s.fit.scale == "lambda" else 1.0)
        return replace(setting, solver=replace(setting.solver, **self.solver), **fields)

    def slip(self, s: Situation) -> Slip:
        sentence = self.says.format(infinite=", ".join(s.fit.not_estimable), unread=", ".join(_unread(s)))
        if self.defect:
            sentence += f" (prefmod's defect {defect(self.defect).name})"
        if self.rows:
            return Slip(sentence, rows=CHANGES[self.rows], cost=self.cost)
        return Slip(sentence, change=partial(self._changed, s), cost=self.cost)


# -- slips that depend on the table --------------------------------------------------------------------------


def pair_order(s: Situation) -> Iterator[Slip]:
    n = len(s.rows.items)
    if n < 4 or len(np.unique(s.rows.pair)) < len(s.rows.pairs):
        return  # only the columns of a whole table can be mixed up
    dictionary = {p: k for k, p in enumerate(lexicographic_pair_order(n))}
    taken = np.array([dictionary[p] for p in prefmod_pair_order(n)])
    yield Slip("the columns are read in prefmod's order", rows=read_as(taken))
    back = np.argsort(taken)
    if (back != taken).any():
        said = "the columns are in prefmod's order but are read in alphabetical order"
        yield Slip(said, rows=read_as(back), cost=2)


def response_coding(s: Situation) -> Iterator[Slip]:
    if not s.rows.tie_category:
        return
    names = ("a win of the first item", "a tie", "a win of the second item")
    for p in permutations(range(3)):
        if p not in ((0, 1, 2), (2, 1, 0)):
            moved = ((names[k], names[place]) for place, k in enumerate(p) if place != k)
            read = "; ".join(f"the code of {own} in place of that of {other}" for own, other in moved)
            yield Slip(f"the answers are coded differently ({read})", rows=outcomes(p))


def missing_as_undecided(s: Situation) -> Iterator[Slip]:
    filled = missing_as_ties(s.rows)
    added = float(filled.counts.sum() - s.rows.counts.sum())
    if s.rows.tie_category and added > 0:
        yield Slip(f"{added:g} missing answers are counted as undecided", rows=missing_as_ties)


def one_pair_reversed(s: Situation) -> Iterator[Slip]:
    wins = np.zeros(len(s.rows.pairs))
    np.add.at(wins, s.rows.pair, np.abs(s.rows.counts[:, 0] - s.rows.counts[:, 2]))
    for pair in np.flatnonzero(wins > 0):  # where wins are equal in every row, nothing would change
        i, j = (s.rows.items[k] for k in s.rows.pairs[pair])
        yield Slip(f"the pair {i}:{j} is read in reverse", rows=reversed_pair(int(pair)))


def alphabetical(s: Situation) -> Iterator[Slip]:
    items = s.rows.items
    by_letter = tuple(sorted(items, key=lambda i: (i.casefold(), i)))
    orders = {by_letter, tuple(sorted(items)), natural_order(items)} - {items}
    ways: dict[tuple[int, ...], str] = {}
    labelled = "numbers in {} are labelled with names in {}"
    by_name, by_data = "alphabetical order", "the order of the data"
    for order in sorted(orders):
        place = tuple(order.index(i) for i in items)
        ways.setdefault(place, labelled.format(by_name, by_data))
        ways.setdefault(tuple(np.argsort(place).tolist()), labelled.format(by_data, by_name))
    for way, words in ways.items():
        yield Slip(words, rows=relabelled(way))


#: Items up to which any two may carry each other's names; of more only neighbours, or readings are too many.
ANY_TWO = 20


def labels_exchanged(s: Situation) -> Iterator[Slip]:
    items = s.rows.items
    n = len(items)
    if n < 3:  # of two items it is the same as all pairs reversed
        return
    for k, m in combinations(range(n), 2):
        if m == k + 1 or n <= ANY_TWO:
            place = list(range(n))
            place[k], place[m] = m, k
            said = f"the names of {items[k]} and {items[m]} are exchanged"
            yield Slip(said, rows=relabelled(place), cost=0 if m == k + 1 else 4)


def stopped_early(s: Situation) -> Iterator[Slip]:
    plain = not (s.fit.spec.by or s.fit.spec.item_terms or s.fit.spec.order_effect)
    by_glm = range(1, s.steps) if _glm_has(s) else ()
    by_zermelo = MM_STEPS if plain and s.outcome == "binary" else ()
    of_glm = ("irls", "iteratively reweighted least squares", by_glm)
    for how, name, steps in (of_glm, ("mm", "Zermelo's iteration", by_zermelo)):
        for k in steps:
            solver = replace(s.setting.solver, stop=f"{how}:{k}")
            yield given(f"{name} stops after {k} step{'s' if k > 1 else ''}", solver=solver)


def reference(s: Situation) -> Iterator[Slip]:
    if s.fit.spec.item_terms:
        return
    for item in (*s.fit.items, "sum"):
        if item != s.setting.reference:
            said = "the items sum to zero" if item == "sum" else f"{item} is the reference"
            yield given(said, reference=item)


#: Columns of a table of a page, by the kind of their numbers.
COLUMNS = {
    "estimate": "estimates",
    "se": "standard errors",
    "z": "z",
    "p": "p-values",
    "worth": "worths",
    "worth_se": "worths' standard errors",
}


def _columns(s: Situation) -> dict[str, list[Quantity]]:
    """The printed numbers of each column, in the order of the page."""
    found = {kind: [q for q, _ in s.numbers if q.kind == kind] for kind in COLUMNS}
    return {kind: numbers for kind, numbers in found.items() if numbers}


def columns_exchanged(s: Situation) -> Iterator[Slip]:
    columns = _columns(s)
    for a, b in (("se", "z"), ("estimate", "se"), ("z", "p")):
        both = [(str(q), str(q.of(b))) for q in columns.get(a, []) if q.of(b) in columns.get(b, [])]
        if both:
            yield given(f"the columns of {COLUMNS[a]} and {COLUMNS[b]} are exchanged", exchanged=tuple(both))


def labels_exchanged_in_one_column(s: Situation) -> Iterator[Slip]:
    columns = _columns(s)
    if len(columns) < 2:
        return
    text = {q: printed.text for q, printed in s.numbers}
    for kind, numbers in columns.items():
        for a, b in zip(numbers, numbers[1:]):
            others = [(a.of(k), b.of(k)) for k in columns if k != kind]
            if all(text.get(c) == text.get(d) for c, d in others):
                continue  # nothing shows that the labels are exchanged in this column only
            said = f"{a.place} and {b.place} are exchanged in the column of {COLUMNS[kind]} only"
            yield given(said, exchanged=((str(a), str(b)),))


def common_factor(s: Situation) -> Iterator[Slip]:
    factors = {
        "divided by the square root of 2": 1 / math.sqrt(2.0),
        "multiplied by the square root of 2": math.sqrt(2.0),
        "too large by the square root of the number of comparisons": math.sqrt(s.fit.n_comparisons),
    }
    if s.fit.df_resid > 0:
        test = s.fit.goodness_of_fit()
        for name, chi in (("deviance", test.deviance), ("Pearson's chi-square", test.pearson)):
            words = f"those of a quasi-likelihood, multiplied by the square root of {name} / df"
            factors[words] = math.sqrt(chi / s.fit.df_resid)
    for words, factor in factors.items():
        yield given(f"standard errors are {words} ({factor:.4g} times)", se_factor=factor, cost=3)
    one = consistent_factor(s)
    if one is not None and not any(abs(one / f - 1.0) < 1e-3 for f in factors.values()):
        yield given(f"all standard errors are {one:.4g} times the computed ones", se_factor=one, cost=4)


#: Standard errors that must give one factor, which costs one of them, and its least distance from 1.
LEAST_ERRORS, LEAST_FACTOR = 3, 0.02


def consistent_factor(s: Situation) -> float | None:
    """The one factor between all printed and computed standard errors, if there is one."""
    numbers = [
        (float(p.value), float(p.unit), float(s.fit.bse[q.name]))
        for q, p in s.numbers
        if q.kind == "se" and p.unit is not None and p.value is not None and s.fit.bse[q.name] > 0
    ]
    if len(numbers) < LEAST_ERRORS:
        return None
    low, high = one_factor(*np.array(numbers).T)
    # The roundest number that the page allows: 1.3, or a scale's own 2.
    middle = (low + high) / 2.0
    middle = next((r for r in (round(middle, d) for d in range(6)) if low <= r <= high), middle)
    apart = low > 1.0 + LEAST_FACTOR or high < 1.0 - LEAST_FACTOR
    return middle if 0.0 < low <= high and apart else None


def prefmod_rows_dropped(s: Situation) -> Iterator[Slip]:
    """B13: rows with a missing value in a column that the model does not use."""
    missing = np.zeros(s.fit.data.n_rows, bool)
    names = []
    for name, column in s.fit.data.columns.items():
        lost = column.codes < 0 if isinstance(column, Factor) else np.isnan(column)
        if lost.any():
            names.append(name)
            missing |= lost
    if not missing.any() or missing.all():
        return
    data, left = s.fit.data, rows_of(s.fit, ~missing)[0]
    n = float((data.wins + data.ties + data.losses)[missing].sum())
    why = f"because {', '.join(names)}, which the model does not use, has no value"
    said = f"{n:g} comparisons are omitted {why} (prefmod's defect {defect('B13').name})"
    yield Slip(said, rows=lambda rows: left)  # applied first (order 0), to the table as it is


def digits_transposed(s: Situation) -> Iterator[Slip]:
    for quantity, printed in s.numbers:
        for text in transposed(printed):
            yield _printed_wrong(quantity, text, "two of its digits were exchanged")


def sign_lost(s: Situation) -> Iterator[Slip]:
    for quantity, printed in s.numbers:
        signed = quantity.kind in ("estimate", "z", "low", "high", "contrast", "contrast_z", "llf")
        if signed and not printed.is_bound and printed.value:
            text = plain(printed)
            text = text[1:] if text.startswith("-") else f"-{text}"
            yield _printed_wrong(quantity, text, "its sign was lost")


def _printed_wrong(quantity: Quantity, text: str, what: str) -> Slip:
    said = f"{quantity} is {text} and {what} in print"
    return Slip(said, quantity=quantity, alternative=Printed.parse(text))


#: The families whose slips depend on the table, each made by the function of its name.
DRAFTS: dict[str, Callable[[Situation], Iterable[Slip]]] = {
    made.__name__.replace("_", "-"): made
    for made in (
        *(pair_order, response_coding, missing_as_undecided, one_pair_reversed, alphabetical),
        *(labels_exchanged, stopped_early, reference, columns_exchanged, labels_exchanged_in_one_column),
        *(common_factor, prefmod_rows_dropped, digits_transposed, sign_lost),
    )
}


def _family(row: dict[str, Any]) -> Family:
    """A family of families.toml, with what its slips must all fulfil said about each."""
    whole, slips = row.pop("if", ""), row.pop("slip", [])
    stated = [
        Stated(conditions=" and ".join(filter(None, (whole, slip.pop("if", "")))), **slip) for slip in slips
    ]
    drafts = DRAFTS.get(row["name"], lambda s: (one.slip(s) for one in stated if one.is_possible(s)))
    return Family(drafts=drafts, **row)


@lru_cache(maxsize=1)
def families() -> dict[str, Family]:
    """All families by name, by stage."""
    return {row["name"]: _family(row) for row in packaged_toml(__package__, "families.toml")["family"]}


def slips_for(situation: Situation) -> list[Slip]:
    """Every slip that is possible here, cheapest first within its stage."""
    found = [s for f in families().values() for s in f.slips(situation)]
    return sorted(found, key=lambda s: (STAGES.index(s.stage), s.cost))
