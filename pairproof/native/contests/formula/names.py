"""What a name in a formula is: an item covariate, the item itself, or a column of the table.

    covariate   a name of `item_data`: a value for each item
    item        the item itself
    contest     a column of the table: one value for both items of a row
    sided       columns x_first and x_second: the name x has a value for each item of a row
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ....data.columns import Column, Factor, FloatArray, IntArray, numbers_as_levels, take
from ....data.comparisons import Comparisons
from ....errors import FormulaError, InputError
from ....text import named, shortened
from .tokens import error

Role = Literal["covariate", "item", "contest", "sided"]
#: Where an expression has values: one an item, one a row, or one for each side of each row (all first items,
#: then all second items).
Points = Literal["items", "rows", "sides"]


@dataclass(frozen=True, eq=False)
class Names:
    """The names that a formula can use, and their values in the rows that count.

    formula: for messages.  used bool[n_rows]: rows with a positive count.  known: how many items and rows,
    the first ones, a mean, a spread or a basis is of; all if not given.  What comes after them is what a
    fitted model predicts.
    """

    formula: str
    table: Comparisons
    used: NDArray[np.bool_]
    known: tuple[int, int] | None = None

    def of_known(self, points: Points) -> NDArray[np.bool_]:
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
            did = " The advantage of the item named first is no term of a formula: order_effect=True asks for it."
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

    def lacking(self, name: str) -> NDArray[np.bool_]:
        """Items without a value of an item covariate, bool[n_items]."""
        return _missing(self.table.item_data[name])

    def values(self, name: str, points: Points) -> Column:
        """The values of a name at the items, rows or sides.

        Returns Factor or float[n_points]: nan or code -1 at items without a value.
        """
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
        missing = _missing(column) & self.used
        if missing.any():
            rows = np.flatnonzero(missing) + 1
            raise InputError(
                f"{self.table.source}, row(s) {named(map(str, rows))}: no value in column {name!r}, which the formula"
                " uses; fill it in, or leave these rows out by subset="
            )
        return column if self.used.all() else take(column, self.used)


def _missing(column: Column) -> NDArray[np.bool_]:
    missing: NDArray[np.bool_] = column.codes < 0 if isinstance(column, Factor) else np.isnan(column)
    return missing


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
    both: FloatArray = np.concatenate([first, second])
    return both
