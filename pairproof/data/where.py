"""Rows of a table chosen by conditions on its columns: `judge=3`, `lang=en|de`, `length<=0.5`, `first!=A`.

Alternatives stand in one condition (`lang=en|de`) or in several of the same column with `=`; all else must hold
together.  `column=` is a row without a value and `column!=` one with; such a row fulfils no other condition.  Nothing in
a condition is evaluated: a value is compared as text, or as a number where the column is numeric.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..text import named, quoted
from .columns import Column, Columns, Factor, FloatArray, each, is_missing, role_of, usable, used_levels

BoolArray = NDArray[np.bool_]
#: One condition or several, as users write them.
Conditions = Union[str, Sequence[str], None]
#: Columns by name, each made when it is asked for.
Getters = Mapping[str, Callable[[], Column]]

_CONDITION = re.compile(r"(.+?)(==|!=|<=|>=|=|<|>)(.*)", re.DOTALL)
_SIGNS = ("==", "!=", "<=", ">=", "=", "<", ">")
#: Signs of conditions on numbers, of which only their order among the stated ones matters.
ORDERS: Mapping[str, np.ufunc] = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
_EXPECTED = "expected NAME=VALUE, NAME=a|b|c, or !=, <, <=, > or >= instead of =, for example judge=3"
#: Values of a column that are listed, and looked at to find near ones.
_MOST_LISTED, _MOST_SEARCHED = 20, 1000


@dataclass(frozen=True)
class Narrowed:
    """What conditions have left of a table."""

    conditions: tuple[str, ...]
    left: float
    of: float
    gone: tuple[str, ...] = ()
    what: str = "comparisons"

    def __str__(self) -> str:
        said = f"{' and '.join(self.conditions)}: {self.left:,.10g} of {self.of:,.10g} {self.what}"
        if not self.gone:
            return said
        n = len(self.gone)
        have, are = ("1 item has", "is") if n == 1 else (f"{n} items have", "are")
        return f"{said}; {have} no comparison there and {are} left out: {named(self.gone, 12)}"

    def after(self, before: Narrowed | None) -> Narrowed:
        """Both, where the table that is narrowed was narrowed before."""
        if before is None:
            return self
        both = (*before.conditions, *self.conditions), (*before.gone, *self.gone)
        return Narrowed(both[0], self.left, before.of, both[1], self.what)


def hint(narrowed: Narrowed | None, item: str) -> str:
    """What to do where somebody names an item that conditions have left nothing of."""
    if narrowed is None or item not in narrowed.gone:
        return ""
    return (
        f"; {item} has no comparison where {' and '.join(narrowed.conditions)}: name a remaining item, or select"
        " other rows"
    )


def conditions_of(where: Conditions) -> tuple[str, ...]:
    """The conditions, one or several, as texts."""
    found = (where,) if isinstance(where, str) else tuple(where or ())
    for text in found:
        if not isinstance(text, str):
            raise InputError(f"where has {quoted(text)}, which is not text; {_EXPECTED}")
    return found


class Placed(Protocol):
    """A table as messages name it."""

    @property
    def own_names(self) -> Mapping[str, str]:
        """Role -> the name that the file has for it, which may be used as well."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def source(self) -> str:
        """Where it came from."""


def rows_where(
    table: Placed, conditions: Sequence[str | tuple[str, str]], columns: Getters, made: Collection[str] = ()
) -> BoolArray:
    """bool[n_rows]: the rows that fulfil conditions on these columns, which are called by their roles.
    made: those that are not the file's own."""
    n_rows, source, items = table.n_rows, table.source, getattr(table, "items", ())
    role_of = {own: role for role, own in table.own_names.items() if role in columns and own not in columns}
    known = [*columns, *role_of]
    chosen = np.ones(n_rows, bool)
    alternatives: dict[str, BoolArray] = {}
    for text in conditions:
        said, sign, value = _parts(text, known) if isinstance(text, str) else (text[0], "=", text[1])
        if said not in known:
            own = [table.own_names.get(name, name) for name in columns if name not in made]
            beside = f" (and of each comparison {named(made)})" if made else ""
            raise InputError(
                f"{source}: no column {quoted(said)}; found {named(own, 40)}{beside}{_near(said, known)}"
            )
        name = role_of.get(said, said)
        column = columns[name]()
        if sign == "!=" and value in items and isinstance(column, Factor) and value not in column.levels:
            continue  # an item that is left out on both sides may stand on one of them only
        found = _Condition(said, sign, value, column, source).rows()
        if sign == "=":
            alternatives[name] = alternatives[name] | found if name in alternatives else found
        else:
            chosen &= found
    for found in alternatives.values():
        chosen &= found
    if not chosen.any():
        asked = (text if isinstance(text, str) else "=".join(text) for text in conditions)
        raise InputError(f"{source}: none of {n_rows:,} rows has {' and '.join(asked)}")
    return chosen


def said_in(where: Conditions, columns: Collection[str]) -> list[tuple[str, str, str]]:
    """(column, sign, value) of each condition, where there are columns of these names."""
    return [_parts(text, columns) for text in conditions_of(where)]


def _parts(text: str, columns: Collection[str]) -> tuple[str, str, str]:
    """(column, sign, value); a column whose own name has a sign in it is known by its name."""
    for name in sorted((name for name in columns if text.startswith(name)), key=len, reverse=True):
        rest = text[len(name) :].lstrip()
        sign = next((sign for sign in _SIGNS if rest.startswith(sign)), None)
        if sign is not None:
            return name, "=" if sign == "==" else sign, rest[len(sign) :].strip()
    match = _CONDITION.fullmatch(text)
    if match is None or not match[1].strip():
        raise InputError(f"where={quoted(text)}: {_EXPECTED}")
    return match[1].strip(), "=" if match[2] == "==" else match[2], match[3].strip()


@dataclass(frozen=True, eq=False)
class _Condition:
    """One condition, and the column that it is on."""

    name: str
    sign: str
    value: str
    column: Column
    source: str

    def rows(self) -> BoolArray:
        """The rows that fulfil it."""
        if self.sign in ORDERS:
            return self._ordered()
        missing = is_missing(self.column)
        if not self.value:
            found = np.asarray(missing)
            if self.sign == "=" and not found.any():
                raise InputError(f"{self._place()}: no row is without a value")
        else:
            found = np.logical_or.reduce([self._equal(value) for value in self._values()])
        return found if self.sign == "=" else np.asarray(~found & ~missing)

    def _place(self) -> str:
        return f"{self.source}, column {quoted(self.name)}"

    def _values(self) -> list[str]:
        """The alternatives; a value that is a level as it stands is one, whatever it holds."""
        if isinstance(self.column, Factor) and self.value in self.column.levels:
            return [self.value]
        values = [value.strip() for value in self.value.split("|")]
        if not all(values):
            raise InputError(
                f"{self._place()}: {quoted(self.value)} has an empty value between bars; {_EXPECTED}"
            )
        return values

    def _equal(self, value: str) -> BoolArray:
        if isinstance(self.column, Factor):
            if value not in self.column.levels:
                raise InputError(
                    f"{self._place()}: no row has {quoted(value)}; {_known(value, self.column.levels)}"
                )
            return np.asarray(self.column.codes == self.column.levels.index(value))
        found = np.asarray(self.column == self._number(value))
        if not found.any():
            raise InputError(f"{self._place()}: no row has {quoted(value)}; {self._range()}")
        return found

    def _number(self, value: str) -> float:
        try:
            if not math.isnan(number := float(value)):
                return number
        except ValueError:
            pass
        raise InputError(f"{self._place()} is numeric; {quoted(value)} is not a number")

    def _ordered(self) -> BoolArray:
        numbers = self.column
        if isinstance(numbers, Factor):
            of_levels = [_float(level) for level in numbers.levels]
            if any(number is None for number in of_levels):
                word = numbers.levels[of_levels.index(None)]
                raise InputError(
                    f"{self._place()} is not numeric (it contains {quoted(word)}), so {self.name}{self.sign}{self.value} has"
                    f" no meaning; select with = or !=, for example {self.name}={word}"
                )
            numbers = np.array([*of_levels, math.nan], float)[numbers.codes]
        with np.errstate(invalid="ignore"):
            found = np.asarray(ORDERS[self.sign](numbers, self._number(self.value)))
        if not found.any():
            raise InputError(
                f"{self._place()}: no row has {self.name}{self.sign}{self.value}; {_range(numbers)}"
            )
        return found

    def _range(self) -> str:
        assert not isinstance(self.column, Factor)
        return _range(self.column, self._number(self.value.split("|")[0]))


def _float(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _range(numbers: NDArray[np.float64], wanted: float | None = None) -> str:
    """ "its values go from 1 to 8", and the nearest to the wanted one."""
    known = np.unique(numbers[~np.isnan(numbers)])
    if not len(known):
        return "it has no values"
    said = f"its values range from {known[0]:.15g} to {known[-1]:.15g}"
    if wanted is None:
        return said
    near = np.sort(known[np.argsort(np.abs(known - wanted), kind="stable")[:3]])
    return f"{said}; the nearest are {', '.join(f'{v:.15g}' for v in near)}"


def _known(value: str, levels: Sequence[str]) -> str:
    """ "the values are a, b", or where there are many the nearest of them."""
    if len(levels) <= _MOST_LISTED:
        return f"the values are {', '.join(levels)}{_near(value, levels)}"
    near = _close(value, levels)
    if near:
        return f"the nearest of its {len(levels):,} values are {', '.join(near)}"
    return f"its {len(levels):,} values begin with {', '.join(levels[:5])}"


def _near(word: str, known: Collection[str]) -> str:
    near = _close(word, known)[:1]
    return f"; did you mean {near[0]!r}?" if near else ""


def _close(word: str, known: Collection[str]) -> list[str]:
    """At most three names that are spelt much as the word."""
    if len(word) > 100:
        return []
    alike = (name for name in known if abs(len(name) - len(word)) <= 0.5 * len(word) + 2)
    plain = {name.strip().casefold(): name for name in islice(alike, _MOST_SEARCHED)}
    return [plain[found] for found in difflib.get_close_matches(word.casefold(), list(plain), n=3)]


AnyRows = TypeVar("AnyRows", bound="Rows")


class Rows:
    """What `Comparisons` and `Respondents` have in common: rows with covariates, about items with covariates."""

    #: Both tables are dataclasses, whose fields are the arguments of `build`.
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    #: What the weights of rows count.
    unit: ClassVar[str]
    items: tuple[str, ...]
    columns: Mapping[str, Column]
    item_data: Mapping[str, Column]
    source: str
    own_names: Mapping[str, str]
    narrowed: Narrowed | None
    one_track: bool

    @classmethod
    def build(cls: type[AnyRows], *args: Any, **parts: Any) -> AnyRows:
        """The checked table of these parts."""
        raise NotImplementedError

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    @property
    def row_weights(self) -> FloatArray:
        """float[n_rows]: how many of the units each row stands for."""
        raise NotImplementedError

    @property
    def n_units(self) -> float:
        """The sum of the weights."""
        raise NotImplementedError

    def select(self: AnyRows, rows: Any) -> AnyRows:
        """The table of some of the rows."""
        raise NotImplementedError

    def only_compared(self: AnyRows, source: str = "") -> AnyRows:
        """The table without items that are not compared."""
        raise NotImplementedError

    def parts(self) -> dict[str, Any]:
        """The arguments of `build` that make this table again."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def changed(self: AnyRows, **changes: Any) -> AnyRows:
        """The table built again, with some of its parts changed."""
        return self.build(**{**self.parts(), **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts; the table is checked and made read-only again when it is loaded."""
        parts = {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in self.parts().items()}
        parts = {k: usable(v) if isinstance(v, Columns) else v for k, v in parts.items()}
        return partial(self.build, **parts), ()

    @property
    def choosable(self) -> Getters:
        """What :meth:`where` may have conditions on, and how to get it."""
        return {name: partial(self.columns.__getitem__, name) for name in self.columns}

    def where_also(self: AnyRows, conditions: Sequence[str], more: Getters) -> AnyRows:
        """As `where`, also by columns that a file has beside those of the table.

        Parameters
        ----------
        conditions : sequence of str
        more : mapping of str to function
            Name of a column -> how to get it, for the rows of the table.

        Returns
        -------
        Comparisons or Respondents
        """
        if not conditions:
            return self
        columns = {**more, **self.choosable}
        made = [name for name in columns if more and name not in {*more, *self.columns} or name == "both_bad"]
        rows = rows_where(self, conditions, columns, made)
        part = self.select(rows).only_compared(f"{self.source}, where {' and '.join(conditions)}")
        gone = tuple(item for item in self.items if item not in part.items)
        narrowed = Narrowed(tuple(conditions), part.n_units, self.n_units, gone, self.unit)
        return part.changed(columns=each(part.columns, used_levels), narrowed=narrowed.after(self.narrowed))

    def role_of(self, name: str) -> str:
        """The role of a column that is called by its name in the file.

        Parameters
        ----------
        name : str

        Returns
        -------
        str
            Any other name as it is.
        """
        return role_of(name, self.columns, self.own_names)
