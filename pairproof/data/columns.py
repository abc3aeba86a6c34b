"""Columns of a table, categorical ones with ordered levels and numeric ones, and the checks that a table passes.

Each check raises an error that names the source, the row and the value found.  Values are never corrected and
rows are never dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, ItemError, PairproofError
from ..text import named, quoted

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Factor:
    """A categorical column: `levels[codes[row]]`.  codes int[n_rows]."""

    codes: IntArray
    levels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)


#: A column is categorical (Factor) or numeric (float[n_rows], nan where the row has no value).
Column = Union[Factor, FloatArray]


def take(column: Column, rows: NDArray[Any]) -> Column:
    """The column at these rows (positions or a boolean mask)."""
    return Factor(column.codes[rows], column.levels) if isinstance(column, Factor) else column[rows]


def sealed(column: Column) -> Column:
    """The column, which nobody else has, made read-only."""
    (column.codes if isinstance(column, Factor) else column).setflags(write=False)
    return column


@dataclass(frozen=True, eq=False)
class Uncoded:
    """A checked column that is made when it is first asked for, or refused then.
    can_be: False where it is known that it will be refused, as lists are."""

    code: Callable[[], Column]
    can_be: bool = True


class Columns(Mapping[str, Column]):
    """Read-only columns by name.  One that is still `Uncoded` is coded when it is first asked for: what no model uses
    costs nothing, and what is wrong in it is said to those who use it.
    unchecked: names of columns that :func:`checked_columns` has not seen."""

    def __init__(self, of: Mapping[str, Column | Uncoded], unchecked: Collection[str] = ()) -> None:
        self._of = dict(of)
        self.unchecked = frozenset(unchecked)

    def __getitem__(self, name: str) -> Column:
        column = self._of[name]
        if isinstance(column, Uncoded):
            column = self._of[name] = column.code()
        return column

    def __contains__(self, name: object) -> bool:
        return name in self._of

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def parts(self) -> dict[str, Column | Uncoded]:
        """The columns; one that is not coded yet is coded once for all who ask for it."""
        later = {k: column.can_be for k, column in self._of.items() if isinstance(column, Uncoded)}
        return self._of | {k: Uncoded(partial(self.__getitem__, k), can_be) for k, can_be in later.items()}


def parts_of(columns: Mapping[str, Column]) -> Mapping[str, Column | Uncoded]:
    """The columns, of which none is coded for it."""
    return columns.parts() if isinstance(columns, Columns) else columns


def usable(columns: Mapping[str, Column]) -> dict[str, Column]:
    """All columns, coded, but those that are known to be refused."""
    parts = parts_of(columns).items()
    return {name: columns[name] for name, column in parts if not isinstance(column, Uncoded) or column.can_be}


def _unchecked(columns: Mapping[str, Column]) -> Collection[str]:
    return columns.unchecked if isinstance(columns, Columns) else columns


def beside(columns: Mapping[str, Column], more: Mapping[str, Column]) -> Columns:
    """Columns, and further ones, which replace those of their names."""
    return Columns({**parts_of(columns), **parts_of(more)}, {*_unchecked(columns), *_unchecked(more)})


def each(columns: Mapping[str, Column], change: Callable[[Column], Column]) -> Columns:
    """The columns changed, at once those that are coded."""

    def changed(name: str) -> Column:
        return sealed(change(columns[name]))

    found = {
        name: Uncoded(partial(changed, name), column.can_be) if isinstance(column, Uncoded) else changed(name)
        for name, column in parts_of(columns).items()
    }
    return Columns(found, _unchecked(columns))


def used_levels(column: Column) -> Column:
    """The column without levels that no row has."""
    if not isinstance(column, Factor):
        return column
    used = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels)) > 0
    if used.all():
        return column
    new = np.append(np.cumsum(used) - 1, -1)
    return Factor(new[column.codes], tuple(level for level, here in zip(column.levels, used) if here))


def is_missing(column: Column) -> NDArray[np.bool_]:
    """bool[n_rows]: where there is no value."""
    return np.asarray(column.codes < 0 if isinstance(column, Factor) else np.isnan(column))


def values_of(column: Column) -> FloatArray:
    """float[n_rows]: a covariate's codes or numbers, nan where there is no value."""
    if isinstance(column, Factor):
        return np.where(column.codes < 0, np.nan, column.codes.astype(float))
    return column


def role_of(name: str, columns: Mapping[str, Column], own_names: Mapping[str, str]) -> str:
    """The role of a column that is called by the file's own name for it (role -> own name); else the name."""
    if name in columns:
        return name
    return next((role for role, own in own_names.items() if own == name and role in columns), name)


def natural_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Distinct labels: numerically if all are integers, else by Unicode code point; never by row order."""
    distinct = tuple(dict.fromkeys(labels))
    return tuple(map(distinct.__getitem__, natural_places(distinct)))


def natural_places(distinct: Sequence[str]) -> list[int]:
    """The places of different labels, in the order of :func:`natural_order`."""
    keys: Sequence[Any] = distinct
    if all(re.fullmatch(r"[+-]?[0-9]+", label) for label in distinct):
        # Python's int() refuses more than 4,300 digits; Decimal reads and compares any number of them
        # exactly.
        number = int if all(len(label) < 4000 for label in distinct) else Decimal
        keys = [(number(label), label) for label in distinct]
    return sorted(range(len(distinct)), key=keys.__getitem__)


def level_of(value: float) -> str:
    """A number as a level, 5 for 5.0, else every digit: two values never share a level."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def numbers_as_levels(column: FloatArray) -> tuple[tuple[str, ...], IntArray]:
    """Numbers as the levels of a factor, in their order, and each row's level; -1 where a row has no value."""
    distinct, codes = np.unique(column[~np.isnan(column)], return_inverse=True)
    of_row = np.full(len(column), -1, np.int64)
    of_row[~np.isnan(column)] = np.ravel(codes)
    return tuple(level_of(v) for v in distinct), of_row


#: Names a fit gives to its own parameters; an item with one of these names could not be told from them.
RESERVED = ("tie", "order")
#: The table's own columns; a covariate with one of these names could not be told from them in a frame.
OWN_COLUMNS = ("first", "second", "wins", "ties", "losses")
#: From here on a double cannot represent every whole number.
LARGEST_COUNT = 2.0**53
#: Below this, products of two weights, as in standard errors, come near the smallest double (2e-308) and
#: underflow to 0.
SMALLEST_COUNT = 1e-100


def frozen(values: ArrayLike, dtype: Any) -> NDArray[Any]:
    """A read-only copy of an array, or itself if nobody can write to it."""
    array = values if isinstance(values, np.ndarray) and is_sealed(values, dtype) else np.array(values, dtype)
    array.setflags(write=False)
    return array


def is_sealed(array: NDArray[Any], dtype: Any) -> bool:
    """Whether the array has this type, is read-only, and is no view of one that is not."""
    flags = array.flags
    return flags.owndata and flags.c_contiguous and not flags.writeable and array.dtype == dtype


def positions(what: str, values: ArrayLike, source: str) -> IntArray:
    """int[n_rows]: a read-only copy of positions in `items`; numbers such as 0.7 are refused, not truncated."""
    return _column(what, values, source, "iu", np.int64, "position in items (pairproof.read takes names)")


def numbers(what: str, values: ArrayLike, source: str) -> FloatArray:
    """float[n_rows]: a read-only copy of numbers."""
    return _column(what, values, source, "biuf", float, "number")


def _column(what: str, values: ArrayLike, source: str, kinds: str, dtype: Any, expected: str) -> NDArray[Any]:
    """A read-only copy of a one-dimensional array whose numpy kind is one of the letters of `kinds`."""
    array = np.asarray(values)
    if array.ndim != 1 or not (array.dtype.kind in kinds or array.size == 0):
        raise InputError(
            f"{source}: {what} has shape {array.shape} and type {array.dtype}; expected one {expected} per row"
        )
    return frozen(array, dtype)


def item_names(items: Sequence[str]) -> tuple[str, ...]:
    """The names of the items, two or more, all different and none reserved."""
    names = tuple(items)
    for name in names:
        if not isinstance(name, str) or not name:
            raise ItemError(f"item {name!r} is not a non-empty string; convert item names to text")
        if name in RESERVED or ":" in name or "[" in name:
            raise ItemError(
                f"item {name!r} cannot be distinguished from a parameter of the fit (reserved: 'tie', 'order', and the"
                f" characters ':' and '['); rename it, for example --rename {name!r}=NAME or"
                f" rename={{{name!r}: ...}}"
            )
    # The digest is made of the names' repr, and the repr of a numpy string depends on numpy's version.
    names = tuple(str(name) for name in names)
    if len(set(names)) != len(names):
        twice = sorted(n for n, count in Counter(names).items() if count > 1)
        raise ItemError(f"items named more than once: {named(twice)}; item names must be unique")
    if len(names) < 2:
        raise ItemError(f"found {len(names)} item(s) {quoted(list(names))}; a comparison needs at least 2")
    return names


def check_covariate_names(names: Sequence[str], source: str) -> None:
    """Refuse covariates that have the name of one of the table's own columns."""
    taken = [name for name in names if name in OWN_COLUMNS]
    if taken:
        raise InputError(
            f"{source}: column {', '.join(map(repr, taken))} cannot be a covariate, because the table"
            " uses this name; rename it"
        )


def check_lengths(lengths: Mapping[str, int], source: str) -> None:
    """Refuse columns of different lengths, and a table without rows."""
    if len(set(lengths.values())) > 1:
        raise InputError(
            f"{source}: columns of different lengths:"
            f" {named(f'{name} {length}' for name, length in lengths.items())}"
        )
    if lengths["first"] == 0:
        raise InputError(f"{source}: no rows; at least one comparison is needed")


def check_pairs(first: IntArray, second: IntArray, names: tuple[str, ...], source: str) -> None:
    """Refuse positions outside `names`, and items compared with themselves."""
    for what, codes in (("first", first), ("second", second)):
        if codes.min() < 0 or codes.max() >= len(names):
            row = int(np.flatnonzero((codes < 0) | (codes >= len(names)))[0])
            said = f"{what} is item number {codes[row]}, but there are {len(names)}"
            raise ItemError(f"{source}, row {row + 1}: {said}")
    same = first == second
    cure = f"({int(same.sum())} such row(s)); remove these rows; they contain no preference"
    said = "is compared with itself"
    refuse_rows(source, same, lambda r: f"{names[first[r]]!r} {said} {cure}", error=ItemError)


def check_counts(counts: Mapping[str, FloatArray], source: str, single: Collection[str] = ()) -> None:
    """Refuse counts that are missing, negative, infinite, too large or too small, or that are all 0.
    single: columns of 0 and 1, of which nothing is to be checked."""
    for what, column in counts.items():
        if what in single:
            continue
        with np.errstate(invalid="ignore"):  # a nan makes `least` nan, which is not >= 0
            least, most = column.min(), column.max()
        if least >= 0 and most < LARGEST_COUNT and not ((column > 0) & (column < SMALLEST_COUNT)).any():
            continue
        none = ~(np.isfinite(column) & (column >= 0))
        refuse_rows(source, none, lambda r: f"{what} is {column[r]}; counts must be finite and >= 0")
        must = "counts (times the weight of their row) must be"
        below = f"{must} below 2^53 (9.007e15), because a double cannot distinguish larger integers"
        refuse_rows(source, column >= LARGEST_COUNT, lambda r: f"{what} is {column[r]:g}; {below}")
        small, lost = (column > 0) & (column < SMALLEST_COUNT), "smaller counts are lost to rounding"
        least = f"{must} 0 or at least {SMALLEST_COUNT:g}, because {lost}; rescale the weights"
        refuse_rows(source, small, lambda r: f"{what} is {column[r]:g}; {least}")
    if not any(column.any() for column in counts.values()):
        raise InputError(f"{source}: all counts are 0; at least one comparison is needed")


def checked_column(name: str, column: Column, source: str) -> Column:
    """A read-only copy of a covariate.

    Missing values (code -1, nan) are kept: a model refuses them only if it uses the column.
    """
    if isinstance(column, Factor):
        codes = frozen(column.codes, np.int64)
        if len(set(column.levels)) != len(column.levels):
            raise InputError(f"{source}: column {name!r} has the same level twice: {named(column.levels)}")
        n = len(column.levels)
        if codes.min(initial=0) < -1 or codes.max(initial=-1) >= n:
            outside = (codes < -1) | (codes >= n)
            refuse_rows(source, outside, lambda r: f"column {name!r} has code {codes[r]} for {n} levels")
        return Factor(codes, tuple(column.levels))
    if name == "judge":
        raise InputError(f"{source}: the judge column is always categorical; pass a Factor, not numbers")
    values: FloatArray = frozen(column, float)
    must = "a covariate must be finite or missing"
    refuse_rows(source, np.isinf(values), lambda r: f"column {name!r} is {values[r]}; {must}")
    return values


def checked_columns(columns: Mapping[str, Column], source: str) -> Columns:
    """Read-only covariates of rows, of which those that are not coded yet are not."""
    new = _unchecked(columns)
    parts = parts_of(columns)
    return Columns({**parts, **{name: checked_column(name, columns[name], source) for name in new}})


def checked_item_data(
    item_data: Mapping[str, Column] | None, n_items: int, source: str
) -> Mapping[str, Column]:
    """Read-only copies of item covariates."""
    found = {k: checked_item_column(k, v, n_items, source) for k, v in (item_data or {}).items()}
    return MappingProxyType(found)


def checked_item_column(name: str, column: Column | ArrayLike, n_items: int, source: str) -> Column:
    """A read-only copy of an item covariate, which has one value for each item."""
    checked = checked_column(
        name, column if isinstance(column, Factor) else np.asarray(column, float), source
    )
    if len(checked) != n_items:
        raise InputError(f"{source}: item covariate {name!r} has {len(checked)} values for {n_items} items")
    return checked


def refuse_rows(
    source: str,
    bad: NDArray[np.bool_],
    say: str | Callable[[int], str],
    rows: IntArray | None = None,
    error: type[PairproofError] = InputError,
) -> None:
    """Refuse the first row that is marked, if any is.
    say: what is wrong there, of the place of that row.  rows int[n]: rows of the table that these are."""
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        row = at if rows is None else int(rows[at])
        raise error(f"{source}, row {row + 1}: {say if isinstance(say, str) else say(at)}")
