"""What prefmod makes of a table before it fits: the chosen defects, one after the other in its own order.

The result is a table that says what prefmod read, and for :func:`pairproof.fit_pattern` the formula and beta
that it would fit.  A model fitted to it has prefmod's estimates.

Answers (B1, B4, B18, B20, B22, B24, A18): prefmod never asks what a code means.  It takes the number of
categories from the values that occur and cuts at the middle of the range (pattPC.fit, llbtPC.fit: of the
values; llbt.design: the median of the different values; patt.design: the range of the first J columns).

Persons and their covariates: B5, B10, B12, B13, A2, A4.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...data.columns import Column, Factor, FloatArray, IntArray, take
from ...data.respondents.codes import MISSING
from ...data.respondents.respondents import Respondents
from ...data.wide import lexicographic_pair_order, prefmod_pair_order
from ...errors import DataWarning, InputError
from ...fit.estimates.fit_record import FitWarning
from ...fit.estimates.specification import Beta
from ...numerics.arrays import BoolArray
from ..comparisons.formula.subject_formula import parse
from .defect_catalogue import Chosen, Defect, asked_for, choose, defect

#: Codes of the answers (first, tie, second) of an instrument unless others are stated: prefmod's own examples
#: use these and 1/0/-1.
CODES = (0.0, 1.0, 2.0)


@dataclass(frozen=True, eq=False)
class Call:
    """What prefmod gets.
    function: prefmod's function, such as "pattPC.fit".  `by`: formula of the subject covariates of the model
    (formel).  elim: covariates that divide the table, if stated.  codes: what stands in the file for: first
    preferred, tie, second preferred."""

    table: Respondents
    function: str
    by: str = ""
    elim: tuple[str, ...] | None = None
    codes: tuple[float, float, float] = CODES

    @property
    def covariates(self) -> tuple[str, ...]:
        """Covariates of the model, in the order of their names, as prefmod sorts them."""
        found = parse(self.by)
        return tuple(sorted({v.name for product in (*found.item, *found.tie) for v in product}))

    def coded(self) -> FloatArray:
        """float[n_rows, C]: answers to comparisons in the codes of the file, nan where missing."""
        place = {1: self.codes[0], 0: self.codes[1], -1: self.codes[2]}
        out = np.full(self.table.once.shape, np.nan)
        for answer, code in place.items():
            out[self.table.once == answer] = code
        return out

    def values(self, name: str) -> FloatArray:
        """float[n_rows]: a covariate as prefmod has it: levels that are numbers as they are, others as 1..K."""
        column = self.table.columns[name]
        if not isinstance(column, Factor):
            return column
        whole = all(level.isdigit() and int(level) > 0 for level in column.levels)
        of_level = [float(level) if whole else k + 1.0 for k, level in enumerate(column.levels)]
        return np.asarray(np.array([*of_level, np.nan])[column.codes])

    def missing(self, names: Sequence[str]) -> BoolArray:
        """bool[n_rows]: persons without a value of one of the columns."""
        out = np.zeros(self.table.n_rows, bool)
        for name in names:
            out |= np.isnan(self.values(name))
        return out

    def select(self, rows: BoolArray) -> Call:
        """The call with some of the persons."""
        return replace(self, table=self.table.select(rows))

    def shifted(self, answers_of: IntArray, covariates_of: IntArray) -> Call:
        """The call with the answers of some rows beside the covariates of others."""
        columns = {k: take(c, covariates_of) for k, c in self.table.columns.items()}
        return self.rebuilt(self.table.answers[answers_of], columns=columns)

    def rebuilt(
        self,
        answers: IntArray,
        columns: Mapping[str, Column] | None = None,
        tie_category: bool | None = None,
        scale: Sequence[float] | None = None,
    ) -> Call:
        """The call with other answers, covariates, categories."""
        t = self.table
        kept: dict[str, Any] = {"times": t.times if t.n_times > 1 else (), "item_data": dict(t.item_data)}
        kept["tie_category"] = t.tie_category if tie_category is None else tie_category
        kept["columns"] = dict(t.columns if columns is None else columns)
        kept["scale"] = t.scale if scale is None else scale
        table = Respondents.build(t.items, t.kind, answers, source=t.source, **kept)
        return replace(self, table=table)


def call_of(
    table: Respondents,
    function: str,
    by: str = "",
    elim: Sequence[str] | None = None,
    codes: Sequence[float] = CODES,
) -> Call:
    """A call with a row for every person."""
    if len(codes) != 3 or len(set(codes)) < 3 or codes[1] != sorted(codes)[1]:
        raise InputError(
            f"codes={list(codes)}; expected three different numbers, of first, tie, second, the tie's in the middle"
        )
    if (table.weights != np.floor(table.weights)).any():
        raise InputError(
            f"{table.source}: prefmod takes one row per person, so weights must be whole numbers"
        )
    if (table.weights != 1).any():
        rows = np.repeat(np.arange(table.n_rows), table.weights.astype(np.int64))
        columns = {k: take(c, rows) for k, c in table.columns.items()}
        table = Call(table, function).rebuilt(table.answers[rows], columns=columns).table
    first, tie, second = (float(c) for c in codes)
    call = Call(table, function, by, None if elim is None else tuple(elim), (first, tie, second))
    for name in (*call.covariates, *(elim or ())):
        if name not in table.columns:
            raise InputError(
                f"{table.source}: no covariate {name!r}; found {', '.join(table.columns) or 'none'}"
            )
    return call


def columns_in_another_order(call: Call) -> Call | None:
    """B24: columns 12 13 14 23 ... are read as 12 13 23 14 ..."""
    n = len(call.table.items)
    place = {pair: k for k, pair in enumerate(prefmod_pair_order(n))}
    given = [place[pair] for pair in lexicographic_pair_order(n)]
    return None if given == sorted(given) else call.rebuilt(call.table.answers[..., given])


def observed_categories(call: Call) -> Call | None:
    """B4: the categories are the values that occur (and, in pattPC.fit, B1 decides their number)."""
    if call.function == "patt.design":
        return _changed(call, *patt_design(call.coded(), None))
    x = _turned(call.coded())
    odd = _n_values(x) % 2 == 1
    if call.function == "llbt.design":
        middle = float(np.median(np.unique(x[~np.isnan(x)])))
    else:
        middle = _middle(x)
    return _changed(call, _cut(x, middle, odd), odd)


def ties_as_losses(call: Call) -> Call | None:
    """B1: binary if any comparison has an even number of different answers; cut at the middle of the instrument."""
    x = _turned(call.coded())
    even = any(_n_values(column) % 2 == 0 for column in x.T)
    if not even or not call.table.tie_category:
        return None
    return _changed(call, _cut(x, float(_turned(np.array(call.codes))[1]), False), False)


def product_of_observed(call: Call) -> Call | None:
    """B1 and B4 together, as pattPC.fit has them."""
    x = _turned(call.coded())
    odd = all(_n_values(column) % 2 == 1 for column in x.T)
    return _changed(call, _cut(x, _middle(x), odd), odd)


def range_of_the_first_columns(call: Call) -> Call | None:
    """B20: patt.design cuts at the middle of the range of the first J columns."""
    n = len(call.table.items)
    codes = call.coded()
    if codes.shape[1] <= n:
        return None
    found = patt_design(codes, n)
    whole = patt_design(codes, None)
    same = found[1] == whole[1] and np.array_equal(found[0], whole[0])
    return None if same else _changed(call, *found)


def patt_design(codes: FloatArray, first: int | None) -> tuple[IntArray, bool]:
    """Answers and whether there are ties, as patt.design reads complete rows.
    codes float[n_rows, C].  `first`: the range is that of this number of first columns; None: of all."""
    of_range = codes if first is None else codes[:, :first]
    n_categories = int(np.nanmax(of_range) - np.nanmin(of_range)) + 1
    low, high = float(np.nanmin(codes)), float(np.nanmax(codes))
    reverse = low + high == 0
    x, middle = codes - low + 1, (n_categories + 1) / 2
    odd = n_categories % 2 == 1 and bool((x == middle).any())
    answers = _cut(x, middle, odd)
    if reverse and n_categories % 2 == 1:
        answers = np.where(answers == MISSING, MISSING, -answers)
    return answers, odd


def observed_range(call: Call) -> Call | None:
    """B18: the scale is the range of the ratings that occur, of persons with at least two (at one time)."""
    answers = call.table.answers
    flat = answers.reshape(call.table.n_rows, -1)
    kept = (flat > 0).sum(axis=1) > 1
    used = flat[kept]
    low, high = int(used[used > 0].min()), int(used.max())
    if (low, high) == (1, len(call.table.scale)) or low == high:
        return None  # of one value prefmod stops: "non-conformable arguments"
    inside = np.where((answers > 0) & kept[:, None, None], answers - low + 1, 0)
    return call.rebuilt(inside, scale=call.table.scale[low - 1 : high])


def first_block_complete(call: Call) -> Call | None:
    """B22: a column `incomplete`, 1 for all patterns of gaps but the first in the order of prefmod."""
    gaps = (call.table.pair_answers[:, 0] == MISSING).astype(int)
    if not gaps.any():
        return None
    words = np.array(["".join(map(str, row)) for row in gaps])
    group = (words != min(words)).astype(np.int64)
    columns: dict[str, Column] = {**call.table.columns, "incomplete": Factor(group, ("no", "yes"))}
    changed = call.rebuilt(call.table.answers, columns=columns)
    return replace(changed, by="incomplete")


def tied_ranks_left_out(call: Call) -> Call | None:
    """A18: rankings in which two items have one rank are left out."""
    ranks = call.table.answers[:, 0]
    tied = (ranks > 0).sum(axis=1) > ranks.max(axis=1).clip(0)
    if not tied.any():
        return None
    left = call.select(~tied)
    return left.rebuilt(left.table.answers, tie_category=False)


def _turned(x: FloatArray) -> FloatArray:
    """Codes with a negative one change their sign: positive is then second preferred."""
    return -x if np.nanmin(x) < 0 else x


def _n_values(x: FloatArray) -> int:
    return len(np.unique(x[~np.isnan(x)]))


def _middle(x: FloatArray) -> float:
    return float(np.nanmin(x) + np.nanmax(x)) / 2.0


def _cut(x: FloatArray, middle: float, with_ties: bool) -> IntArray:
    """Below the middle the first item, above it the second; at it a tie, or the second."""
    with np.errstate(invalid="ignore"):
        found = np.where(x < middle, 1, np.where((x == middle) & with_ties, 0, -1))
    return np.where(np.isnan(x), MISSING, found).astype(np.int64)


def _changed(call: Call, answers: IntArray, ties: bool) -> Call | None:
    if ties == call.table.tie_category and np.array_equal(answers, call.table.once):
        return None
    return call.rebuilt(answers, tie_category=bool(ties))


def ties_lost(before: Call, after: Call) -> tuple[int, int]:
    """How many ties became preferences, and how many preferences ties."""
    a, b = before.table.answers, after.table.answers
    changed: BoolArray = a != b
    return int((changed & (a == 0)).sum()), int((changed & (b == 0)).sum())


def any_column_missing(call: Call) -> Call | None:
    """B13: persons without a value in any column are left out (patt.design: or without an answer)."""
    missing = call.missing(list(call.table.columns))
    if call.function == "patt.design":
        missing |= (call.table.once == MISSING).any(axis=1)
    return call.select(~missing) if missing.any() else None


def persons_without_covariate(call: Call) -> Call | None:
    """A2: persons without a value of a covariate of the model are left out."""
    missing = call.missing(call.covariates)
    return call.select(~missing) if missing.any() else None


def rows_shifted(call: Call) -> Call | None:
    """B5: answers and covariates of different persons come together."""
    if not call.covariates:
        return None
    lost = call.missing(call.covariates)
    kept = np.flatnonzero(~lost)
    n = call.table.n_rows
    if call.function == "pattR.fit":
        return _empty_rankings_removed(call, kept)
    if not lost.any():
        return None
    if call.function == "llbt.design":
        # The answers of the first rows, as many as have the covariate, beside the covariates of those that
        # have it.
        numbers = [k for k in call.covariates if not isinstance(call.table.columns[k], Factor)]
        return call.shifted(np.arange(len(kept)), kept) if numbers else None
    # pattRrep.fit: all answers; R repeats the shorter covariate from its beginning.
    return call.shifted(np.arange(n), kept[np.arange(n) % len(kept)])


def _empty_rankings_removed(call: Call, kept: IntArray) -> Call | None:
    """pattR.fit: rows without a rank leave the answers, and the covariates stay."""
    ranked = np.flatnonzero((call.table.answers[:, 0] > 0).any(axis=1))
    if len(ranked) == call.table.n_rows:
        return None
    rows = kept[kept < len(ranked)]
    return call.shifted(ranked[rows], rows)


def gap_in_the_levels(call: Call) -> Call | None:
    """B12: the persons of the i-th group that occurs have the i-th row of the table of all levels 1..K."""
    names = [k for k in call.covariates if isinstance(call.table.columns[k], Factor)]
    if not names:
        return None
    values = [call.values(k) for k in names]
    if any(np.isnan(v).any() for v in values):
        return None  # these are left out or shifted first
    largest = [int(v.max()) for v in values]
    observed = [np.unique(v) for v in values]
    if all(len(o) == k for o, k in zip(observed, largest)):
        return None
    number, step = np.zeros(call.table.n_rows, np.int64), 1
    for v, o in zip(values, observed):  # the first covariate changes fastest
        number += np.searchsorted(o, v) * step
        step *= len(o)
    columns: dict[str, Column] = dict(call.table.columns)
    for name, k in zip(names, largest):
        columns[name] = Factor(number % k, tuple(str(level + 1) for level in range(k)))
        number = number // k
    return call.rebuilt(call.table.answers, columns=columns)


def covariate_not_in_elim(call: Call) -> Call | None:
    """B10: the model loses covariates that do not divide the table."""
    if call.elim is None or not call.elim:
        return None  # prefmod then takes elim = formel
    kept = [product for product in parse(call.by).item if {v.name for v in product} <= set(call.elim)]
    if len(kept) == len(parse(call.by).item):
        return None
    return replace(call, by=" + ".join(":".join(_spelt(v.name) for v in product) for product in kept))


def _spelt(name: str) -> str:
    return name if name.isidentifier() else f"`{name}`"


def covariate_rounded(call: Call) -> Call | None:
    """A4: numeric covariates with the decimals that seven significant digits of the smallest need."""
    columns: dict[str, Column] = dict(call.table.columns)
    changed = False
    for name in call.covariates:
        column = columns[name]
        if not isinstance(column, Factor):
            rounded = seven_digits(column)
            changed = changed or not np.array_equal(rounded, column, equal_nan=True)
            columns[name] = rounded
    return call.rebuilt(call.table.answers, columns=columns) if changed else None


def seven_digits(values: FloatArray) -> FloatArray:
    """Numbers as R's format() writes a column: the decimals that seven significant digits of each need.
    values float[n]: nan stays nan.  Returns float[n]."""
    if np.isinf(values).any():
        raise InputError("a covariate is infinite; expected finite numbers")
    finite = values[~np.isnan(values)]
    decimals = max((_decimals(float(v)) for v in finite), default=0)
    return np.round(values, decimals)


def _decimals(value: float) -> int:
    """Decimals of a number with seven significant digits, without zeros at the end."""
    if value == 0:
        return 0
    places = 6 - math.floor(math.log10(abs(value)))
    text = f"{value:.{max(places, 0)}f}"
    return len(text.rstrip("0").partition(".")[2]) if "." in text else 0


#: A change of a call; None where it changes nothing.
Change = Callable[[Call], "Call | None"]

#: In the order in which prefmod commits them: columns, persons, answers, groups, model.
CHANGES: tuple[tuple[str, Change], ...] = (
    ("B24-columns-in-another-order", columns_in_another_order),
    ("A4-covariate-rounded", covariate_rounded),
    ("A18-tied-ranks-left-out", tied_ranks_left_out),
    ("B13-any-column-missing", any_column_missing),
    ("B5-rows-shifted", rows_shifted),
    ("A2-persons-without-covariate", persons_without_covariate),
    ("B4-observed-categories", observed_categories),
    ("B1-ties-as-losses", ties_as_losses),
    ("B20-range-of-the-first-columns", range_of_the_first_columns),
    ("B18-observed-range", observed_range),
    ("B12-gap-in-the-levels", gap_in_the_levels),
    ("B10-covariate-not-in-elim", covariate_not_in_elim),
    ("B22-first-block-complete", first_block_complete),
)


@dataclass(frozen=True)
class Committed:
    """A defect that was applied to a table.  change: what it changed here, with numbers."""

    defect: Defect
    change: str

    def __str__(self) -> str:
        return f"{self.defect.name}: {self.change}"


@dataclass(frozen=True, eq=False)
class AsRead:
    """A table as prefmod reads it.
    without_effect: names of defects that were asked for and change nothing here."""

    call: Call
    committed: tuple[Committed, ...]
    without_effect: tuple[str, ...]

    @property
    def table(self) -> Respondents:
        """The table that prefmod fits."""
        return self.call.table

    @property
    def by(self) -> str:
        """The formula that prefmod fits."""
        return self.call.by

    @property
    def text(self) -> str:
        """A sentence for a warning; "" if nothing was changed."""
        if not self.committed:
            return ""
        return _told(f"fitted to what prefmod's {self.call.function} reads", self.committed)


def _told(fitted: str, committed: Sequence[Committed]) -> str:
    what = "; ".join(map(str, committed))
    return f"{fitted}, with its defects {what}. Without compat the table is fitted as it is"


def read_as_prefmod(
    table: Respondents,
    function: str,
    *,
    by: str = "",
    elim: Sequence[str] | None = None,
    compat: str | Sequence[str] = "prefmod",
    codes: Sequence[float] = CODES,
    warn: bool = True,
) -> AsRead:
    """The table as a function of prefmod reads it, defects included.
    function: prefmod's function, such as "pattPC.fit".  compat: "prefmod": all defects that prefmod shows on
    this call; or names, see :func:`pairproof.native.prefmod_defects.defect_catalogue.defects`.  codes: codes
    of first preferred, tie, second preferred in the file that prefmod was given."""
    chosen = choose(compat, function)
    call = call_of(table, function, by, elim, codes)
    committed: list[Committed] = []
    idle: list[str] = [n for n in chosen.names if n not in dict(CHANGES) and defect(n).acts_on == "data"]
    for name, change in _changes(chosen):
        if not chosen.has(name) or not _applies(name, call):
            continue
        after = change(call)
        if after is None:
            if name in chosen.names:
                idle.append(name)
            continue
        committed.append(Committed(defect(name), _what(name, call, after)))
        call = after
    found = AsRead(call, tuple(committed), tuple(idle))
    if warn and committed:
        warnings.warn(found.text, DataWarning, stacklevel=2)
    if warn and idle:
        warnings.warn(f"{', '.join(idle)} changes nothing in this table", DataWarning, stacklevel=2)
    return found


def _changes(chosen: Chosen) -> list[tuple[str, Change]]:
    """pattPC.fit counts by B1 what B4 cuts: together they are one change, which is told under B1's name."""
    changes = dict(CHANGES)
    if chosen.has("B1-ties-as-losses") and chosen.has("B4-observed-categories"):
        del changes["B4-observed-categories"]
        changes["B1-ties-as-losses"] = product_of_observed
    return list(changes.items())


def _applies(name: str, call: Call) -> bool:
    """Whether the change is about this kind of table."""
    kind = call.table.kind
    needs = {"B18": "ratings", "A18": "rankings", **dict.fromkeys(("B24", "B4", "B1", "B20"), "comparisons")}
    return needs.get(defect(name).id, kind) == kind


def _what(name: str, before: Call, after: Call) -> str:
    """What a defect changed, with numbers."""
    lost = before.table.n_rows - after.table.n_rows
    if name in ("B1-ties-as-losses", "B4-observed-categories", "B20-range-of-the-first-columns"):
        ties, preferences = ties_lost(before, after)
        turned = int((before.table.answers * after.table.answers == -1).sum())
        became = ((ties, "tie", "became wins of the second item"), (preferences, "preference", "became ties"))
        told = (*became, (turned, "preference", "turned round"))
        said = [f"{n} {what}{'s' * (n != 1)} {how}" for n, what, how in told if n]
        return " and ".join(said) or "the tie category is lost"
    if name == "B5-rows-shifted":
        return f"{after.table.n_rows} persons have covariates moved by missing rows"
    if lost:
        return f"{lost} of {before.table.n_rows} persons are left out"
    if name == "B18-observed-range":
        was, now = len(before.table.scale), len(after.table.scale)
        return f"the scale of {was} points is cut to the {now} from {after.table.scale[0]:g} to {after.table.scale[-1]:g}"
    if name == "B10-covariate-not-in-elim":
        return f"by = {before.by!r} is fitted as {after.by!r}"
    if name == "B12-gap-in-the-levels":
        moved = [k for k in before.covariates if (before.values(k) != after.values(k)).any()]
        return f"levels of {', '.join(moved)} carry the names of the first levels"
    if name == "B22-first-block-complete":
        return "the first pattern of gaps counts as complete"
    if name == "B24-columns-in-another-order":
        return "columns in the order 12 13 14 23 ... are read as 12 13 23 14 ..."
    return "numeric covariates are rounded to seven digits"


BETA = "B3-beta-of-the-comparison"


def function_of(table: Respondents) -> str:
    """prefmod's function for the table's kind of answers."""
    letter = {"comparisons": "PC", "rankings": "R", "ratings": "L"}[table.kind]
    return f"patt{letter}{'rep' if table.n_times > 1 else ''}.fit"


def pattern_call(
    table: Respondents, by: str, beta: Beta | None, compat: str | Sequence[str]
) -> tuple[Respondents, str, Beta | None, tuple[FitWarning, ...]]:
    """What prefmod would fit: table, formula and beta; and a warning that names the defects, or none."""
    if not asked_for(compat):
        return table, by, beta, ()
    function = function_of(table)
    chosen = choose(compat, function)
    printed = [n for n in chosen.names if defect(n).acts_on == "result"]
    if printed:
        raise InputError(
            f"{', '.join(printed)}: a defect of printed numbers, not of a fit; printed_as_prefmod(fit, ...) gives them"
        )
    read = read_as_prefmod(table, function, by=by, compat=compat, warn=False)
    said = list(read.committed)
    if chosen.has(BETA) and beta == "item":
        beta = "coded"
        said.append(Committed(defect(BETA), "beta='item' is fitted as beta='coded'"))
    idle = [n for n in chosen.names if n not in [c.defect.name for c in said]]
    told = [_told(f"fitted as prefmod's {function} would", said)] if said else []
    text = "; ".join([*told, *([f"{', '.join(idle)} changes nothing here"] if idle else [])])
    if not text:
        return read.table, read.by, beta, ()
    warnings.warn(text, DataWarning, stacklevel=3)
    return read.table, read.by, beta, (FitWarning("as-prefmod", text),)
