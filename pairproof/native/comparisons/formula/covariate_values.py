"""What a name in a formula is, and the values of an expression of names, from a closed list of functions.

covariate   a name of `item_data`: a value for each item
item        the item itself
contest     a column of the table: one value for both items of a row
sided       columns x_first and x_second: the name x has a value for each item of a row

Functions that take a mean, a spread or an orthogonal basis see all values at once: each item with a value
once for item covariates, each row once for columns of the table, both sides of each row for columns given for
each item.  Orthogonal polynomials are those of Chambers and Hastie (1992), Statistical Models in S, chapter
2, as in R's poly: columns of length 1, orthogonal to the constant and to each other, with a positive leading
coefficient.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....data.columns import Column, Factor, FloatArray, IntArray, is_missing, numbers_as_levels, take
from ....data.comparisons import Comparisons
from ....errors import FormulaError, InputError
from ....numerics.arrays import BoolArray
from ....text import named, shortened
from .expressions import COMPARISONS, ELEMENTWISE, Call, Expression, Name, Number, Operation, error, names_in

Role = Literal["covariate", "item", "contest", "sided"]
#: Where an expression has values: one an item, one a row, or one for each side of each row (all first items,
#: then all second items).
Points = Literal["items", "rows", "sides"]


@dataclass(frozen=True, eq=False)
class Names:
    """The names that a formula can use, and their values in the rows that count.
    used bool[n_rows]: rows with a positive count.  known: how many items and rows, the first ones, a mean, a
    spread or a basis is of; all if not given.  What comes after them is what a fitted model predicts."""

    formula: str
    table: Comparisons
    used: BoolArray
    known: tuple[int, int] | None = None

    def of_known(self, points: Points) -> BoolArray:
        """bool[n_points]: items, rows or sides that a mean, a spread or a basis is of."""
        n_items, n_rows = self.known or (len(self.table.items), self.table.n_rows)
        if points == "items":
            return np.arange(len(self.table.items)) < n_items
        rows = np.flatnonzero(self.used) < n_rows
        return np.concatenate([rows, rows]) if points == "sides" else rows

    def role(self, name: str) -> Role:
        """What a name is."""
        columns = self.table.columns
        first, second = f"{name}_first", f"{name}_second"
        is_it: dict[Role, tuple[bool, str]] = {
            "covariate": (name in self.table.item_data, "an item covariate"),
            "item": (name == "item", "the item itself"),
            "contest": (name in columns, "a column of the table"),
            "sided": (first in columns and second in columns, f"the columns {first} and {second}"),
        }
        found = [role for role, (here, _) in is_it.items() if here]
        if len(found) == 1:
            return found[0]
        if found:
            words = " and ".join(is_it[role][1] for role in found)
            raise error(self.formula, f"{name} is {words}; rename one of them")
        raise self._unknown(name)

    def _unknown(self, name: str) -> FormulaError:
        columns = self.table.columns
        if name in (".", ".."):
            return error(self.formula, f"{name!r} is R's; write item for the free abilities of the items")
        if name in self.table.items:
            return error(
                self.formula, f"{name} is an item; a formula names covariates, and item for all the items"
            )
        for here, lacks in (("first", "second"), ("second", "first")):
            if f"{name}_{here}" in columns:
                return error(
                    self.formula,
                    f"{name}: the table has the column {name}_{here}, but no {name}_{lacks}; a name that has a value"
                    " for each item needs both",
                )
        sided = [
            c[:-6] for c in columns if c.endswith("_first") and len(c) > 6 and f"{c[:-6]}_second" in columns
        ]
        have = [
            ("item covariates", list(self.table.item_data)),
            ("columns given for each item", sided),
            (
                "columns",
                [c for c in columns if c not in {f"{s}_{e}" for s in sided for e in ("first", "second")}],
            ),
        ]
        known = [n for _, of_kind in have for n in of_kind]
        near = difflib.get_close_matches(name, [*known, "item"], 1)
        there = "; ".join(f"{what}: {named(of_kind) or 'none'}" for what, of_kind in have)
        did = f" Did you mean {near[0]}?" if near else ""
        if name == "order":
            did = " The advantage of the item named first is not a term of a formula: order_effect=True asks for it."
        return error(
            self.formula, f"there is no {shortened(name)!r} in {self.table.source} ({there}; item).{did}"
        )

    def points(self, names: tuple[str, ...]) -> Points:
        """Where an expression of these names has values."""
        roles = {self.role(n) for n in names}
        if roles <= {"covariate", "item"}:
            return "items"
        return "rows" if roles == {"contest"} else "sides"

    def categorical(self, name: str) -> bool:
        """Whether a name is categorical: a factor, `judge`, or `item`."""
        role = self.role(name)
        if role in ("item", "contest"):
            return role == "item" or name == "judge" or isinstance(self.table.columns[name], Factor)
        if role == "covariate":
            return isinstance(self.table.item_data[name], Factor)
        return isinstance(self.table.columns[f"{name}_first"], Factor)

    def lacking(self, name: str) -> BoolArray:
        """Items without a value of an item covariate, bool[n_items]."""
        return is_missing(self.table.item_data[name])

    def values(self, name: str, points: Points) -> Column:
        """The values of a name at the items, rows or sides.
        Returns Factor or float[n_points]: nan or code -1 at items without a value."""
        role, table = self.role(name), self.table
        if role in ("covariate", "item"):
            items = np.arange(len(table.items))
            column: Column = Factor(items, table.items) if role == "item" else table.item_data[name]
            return column if points == "items" else take(column, self.items_of_sides())
        if role == "contest":
            column = self._rows(name)
            if name == "judge" and not isinstance(column, Factor):
                levels, codes = numbers_as_levels(column)
                column = Factor(codes, levels)
            return column if points == "rows" else take(column, np.tile(np.arange(len(column)), 2))
        return _stacked(self._rows(f"{name}_first"), self._rows(f"{name}_second"), name, self.formula)

    def items_of_sides(self) -> IntArray:
        """The item of each side of the rows that count, int[2 n_used]."""
        first, second = self.table.first, self.table.second
        if not self.used.all():
            first, second = first[self.used], second[self.used]
        return np.concatenate([first, second])

    def _rows(self, name: str) -> Column:
        """A column in the rows that count."""
        column = self.table.columns[name]
        missing = is_missing(column) & self.used
        if missing.any():
            rows = np.flatnonzero(missing) + 1
            raise InputError(
                f"{self.table.source}, row(s) {named(map(str, rows))}: no value in column {name!r}, which the formula"
                " uses; fill it in, or leave these rows out by subset="
            )
        return column if self.used.all() else take(column, self.used)


def _stacked(first: Column, second: Column, name: str, formula: str) -> Column:
    """The values of both sides in one column; levels are those of both."""
    if isinstance(first, Factor) and isinstance(second, Factor):
        levels = tuple(dict.fromkeys((*first.levels, *second.levels)))
        place = {level: k for k, level in enumerate(levels)}
        parts = [np.array([place[lv] for lv in f.levels], np.int64)[f.codes] for f in (first, second)]
        return Factor(np.concatenate(parts), levels)
    if isinstance(first, Factor) or isinstance(second, Factor):
        raise error(
            formula, f"{name}: one of {name}_first and {name}_second is categorical and the other numeric"
        )
    return np.asarray(np.concatenate([first, second]))


#: Under the names that NumPy has for them too.
_FUNCTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {name: getattr(np, name) for name in ELEMENTWISE}
_ARITHMETIC: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


@dataclass(frozen=True, eq=False)
class Values:
    """The values of an expression: numbers, or codes of levels.
    names: of the columns, or of the levels: `poly(x, 2)[1]`, `sex[M]`.  codes int[n_points] or None: -1 where
    an item has no value, or none of the levels."""

    points: Points
    columns: tuple[FloatArray, ...]
    names: tuple[str, ...]
    codes: IntArray | None = None

    @property
    def categorical(self) -> bool:
        """Whether it has levels."""
        return self.codes is not None


def evaluate(e: Expression, names: Names, own: BoolArray) -> Values:
    """The values of an expression at the items, rows or sides.
    `own` bool[n_items]: items with an ability of their own, whose values do not count."""
    inside = tuple(names_in(e))
    if "item" in inside and e != Name("item"):
        raise error(names.formula, f"{e.text}: item cannot stand in a function")
    points = names.points(inside)
    count = {"items": ~own, "rows": None, "sides": None}[points]
    if points == "sides" and any(names.role(n) == "covariate" for n in inside):
        count = ~own[names.items_of_sides()]
    at = _Evaluator(names, points, count, e)
    if isinstance(e, Name) and names.categorical(e.name):
        column = names.values(e.name, points)
        assert isinstance(column, Factor)
        return at.levels(column.codes, column.levels, "" if e.name == "item" else e.name)
    if isinstance(e, Call) and e.function in ("C", "factor"):
        return at.categories(e.arguments[0])
    if isinstance(e, Call) and e.function == "poly":
        columns = at.poly(e)
        for column in columns:
            at.check_finite(column)
        labels = tuple(f"{e.text}[{k + 1}]" for k in range(len(columns))) if len(columns) > 1 else (e.text,)
        return Values(points, tuple(columns), labels)
    numbers, logical = at.numbers(e)
    at.check_finite(numbers)
    if logical:
        codes = np.where(np.isnan(numbers), -1, np.nan_to_num(numbers)).astype(np.int64)
        return at.levels(codes, ("FALSE", "TRUE"), e.text)
    return Values(points, (numbers,), (e.name if isinstance(e, Name) else e.text,))


class _Evaluator:
    """Values of one expression; the second value of a result of arithmetic says whether it is a comparison's.
    count bool[n_points] or None: where values count; none: everywhere."""

    def __init__(self, names: Names, points: Points, count: BoolArray | None, whole: Expression) -> None:
        self.names, self.points, self.count, self.whole = names, points, count, whole

    def numbers(self, e: Expression) -> tuple[FloatArray, bool]:
        with np.errstate(all="ignore"):  # what is not finite is found, and named, at the end
            return self.part(e)

    def check_finite(self, numbers: FloatArray) -> None:
        bad = ~np.isfinite(numbers) if self.count is None else ~np.isfinite(numbers) & self.count
        if not bad.any():
            return
        at = np.flatnonzero(bad)
        if self.points == "items":
            where = f"item(s) {named(self.names.table.items[k] for k in at)}"
        else:
            rows = np.flatnonzero(self.names.used)
            where = f"row(s) {named(str(rows[k % len(rows)] + 1) for k in dict.fromkeys(at))}"
        raise InputError(
            f"formula: {self.whole.text} is not a finite number for {where}; transform it otherwise, or leave these out"
        )

    def categories(self, inner: Expression) -> Values:
        """C(x) and factor(x): the distinct values as levels, named as x."""
        numbers, logical = self.numbers(inner)
        self.check_finite(numbers)
        levels, codes = numbers_as_levels(numbers)
        if logical:
            levels = tuple("FALSE" if v == "0" else "TRUE" for v in levels)
        return self.levels(codes, levels, inner.name if isinstance(inner, Name) else inner.text)

    def levels(self, codes: IntArray, levels: tuple[str, ...], label: str) -> Values:
        """Codes of the levels that occur where values count; the first of them is the reference."""
        seen = codes if self.count is None else codes[self.count]
        present = np.bincount(seen[seen >= 0], minlength=len(levels)) > 0
        new = np.where(present, np.cumsum(present) - 1, -1)
        kept = np.append(new, -1)[codes]  # code -1 stays -1
        names = tuple(f"{label}[{lv}]" if label else lv for lv, here in zip(levels, present) if here)
        return Values(self.points, (), names, kept)

    # -- arithmetic ------------------------------------------------------------------------------------------

    def part(self, e: Expression) -> tuple[FloatArray, bool]:
        if isinstance(e, Number):
            return np.float64(e.value) * np.ones(1), False
        if isinstance(e, Name):
            column = self.names.values(e.name, self.points)
            if isinstance(column, Factor):
                raise error(
                    self.names.formula,
                    f"{self.whole.text}: {e.name} is categorical, so that it has no number",
                )
            return column, False
        if isinstance(e, Operation):
            return self.operation(e)
        return self.call(e)

    def operation(self, e: Operation) -> tuple[FloatArray, bool]:
        right, logical = self.part(e.right)
        if e.left is None:
            return (-right, False) if e.sign == "-" else (right, logical)
        left, _ = self.part(e.left)
        value = np.asarray(_ARITHMETIC[e.sign](left, right), float)
        if e.sign in COMPARISONS:
            return np.where(np.isnan(left) | np.isnan(right), np.nan, value), True
        return value, False

    def call(self, e: Call) -> tuple[FloatArray, bool]:
        if e.function in ("C", "factor", "poly"):
            raise error(
                self.names.formula,
                f"{self.whole.text}: {e.text} is not one number, so that it cannot stand here",
            )
        parts = [self.part(a) for a in e.arguments]
        values, logical = parts[0]
        if e.function == "I":
            return values, logical
        if e.function in ("pmin", "pmax"):
            for other, _ in parts[1:]:
                values = np.minimum(values, other) if e.function == "pmin" else np.maximum(values, other)
            return values, False
        if e.function in ("center", "scale"):
            return self.scaled(values, e), False
        return _FUNCTIONS[e.function](values), False

    def scaled(self, values: FloatArray, e: Call) -> FloatArray:
        """(x - mean)/standard deviation, with the divisor n - 1; without centring, the root mean square over n - 1."""
        options = {"center": 1.0, "scale": 1.0, **dict(e.options)}
        there = values[np.isfinite(values) & self.names.of_known(self.points)]
        if len(there) < 2:
            raise error(self.names.formula, f"{e.text}: {len(there)} value(s), which have no spread")
        if options["center"]:
            mean = there.mean()
            values, there = values - mean, there - mean
        if e.function == "center" or not options["scale"]:
            return values
        spread = float(np.sqrt((there**2).sum() / (len(there) - 1)))
        if not spread > 0:
            raise error(self.names.formula, f"{e.text}: all values are the same, so that they have no spread")
        return values / spread

    def poly(self, e: Call) -> list[FloatArray]:
        """Orthogonal polynomials of degree 1 to d, or the powers themselves."""
        exponent = e.arguments[1]
        assert isinstance(exponent, Number)
        degree = int(exponent.value)
        values, _ = self.numbers(e.arguments[0])
        if dict(e.options).get("raw"):
            return [values**k for k in range(1, degree + 1)]
        there = np.isfinite(values) & self.names.of_known(self.points)
        x = values[there]
        if len(np.unique(x)) <= degree:
            raise error(
                self.names.formula,
                f"{e.text}: {len(np.unique(x))} distinct values; degree {degree} needs more",
            )
        centre = x.mean()
        unit = np.abs(x - centre).max()  # the basis does not depend on the unit
        q, r = np.linalg.qr(np.vander((x - centre) / unit, degree + 1, increasing=True))
        sign = np.sign(np.diag(r))
        others = np.isfinite(values) & ~there
        beyond = np.vander((values[others] - centre) / unit, degree + 1, increasing=True) @ np.linalg.inv(r)
        out = []
        for k in range(1, degree + 1):
            column = np.full(len(values), np.nan)
            column[there], column[others] = sign[k] * q[:, k], sign[k] * beyond[:, k]
            out.append(column)
        return out
