"""What all layouts share: the items with their order and covariates, and the checked `Comparisons` at the end.

Two spellings of one name would silently become two items, so names that differ only in blanks, case or
Unicode form are refused until someone says whether they are one item (`rename`) or two (`items`).
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, get_args

import numpy as np

from ...errors import InputError, ItemError
from ...text import listed, quoted
from ..columns import (
    Column,
    Columns,
    Factor,
    FloatArray,
    IntArray,
    Uncoded,
    beside,
    checked_column,
    each,
    natural_order,
    sealed,
    take,
)
from ..comparisons import Comparisons
from ..options import one_of
from ..where import Conditions, conditions_of
from .cells import MISSING_WORDS, BoolArray, counts, covariate, judges, labels, neutral_ground, text_of
from .nested import Lists
from .sources import Table, load, repeated, suggestion

#: Whether rows that are no comparison are left out, and counted.
Drop = Literal["bad"]


@dataclass(frozen=True)
class Options:
    """The options that apply to every layout, checked; of `items` and `where` anything is taken that can be one."""

    items: Sequence[Any] | None = None
    levels: Mapping[str, Sequence[Any]] | None = None
    tie_category: bool | None = None
    item_data: Any = None
    rename: Mapping[str, str] | None = None
    encoding: str | None = None
    where: Conditions = None
    drop: Drop | None = None

    def __post_init__(self) -> None:
        """A string where a list is wanted would be taken letter by letter, so it is refused."""
        levels = {f"levels of {name!r}: ": own for name, own in (self.levels or {}).items()}
        for what, stated in {"items=": self.items, **levels}.items():
            if isinstance(stated, str):
                raise InputError(f"{what}{quoted(stated)} is one string; pass a list such as ['A', 'B']")
        if not isinstance(self.rename or {}, Mapping):
            raise InputError(f"rename={quoted(self.rename)}; expected a mapping such as {{'tie': 'necktie'}}")
        if self.tie_category not in (None, True, False):
            raise InputError(f"tie_category={self.tie_category!r}; expected True, False or None")
        conditions_of(self.where)
        if self.drop is not None:
            one_of("drop", self.drop, get_args(Drop))
        if len(set(self.names or ())) < len(self.names or ()):
            raise ItemError(
                f"items: {_listed(repeated(self.names or ()))} given more than once; item names must be unique"
            )

    @cached_property
    def names(self) -> tuple[str, ...] | None:
        """The items that were stated, as text."""
        return None if self.items is None else tuple(text_of(name) for name in self.items)

    @property
    def conditions(self) -> tuple[str, ...]:
        return conditions_of(self.where)


def item_column(table: Table, name: str, options: Options, *, may_be_blank: bool = False) -> Factor:
    """The names in one column, as found."""
    found = labels(table, name)
    cure = "name the item in every row, or remove the rows that are not comparisons"
    table.check((found.codes < 0) & (not may_be_blank), name, "no item name", cure, ItemError)
    stated = {*(options.names or ()), *(options.rename or {})}
    unusual = [level in MISSING_WORDS and level not in stated for level in found.levels]
    if any(unusual):
        marks = np.array([*unusual, False])[found.codes]
        word = table.shown(name, marks)
        said = f"the item is named {word}, which usually means a missing value"
        cure = f"name the item; if this is its name, list it in items=, or use rename={{{word}: ...}}"
        raise table.refuse(marks, name, said, cure, ItemError)
    return found


def renamed(found: Factor, options: Options) -> Factor:
    """The factor with `rename` applied to its levels; two levels may become one."""
    if not options.rename:
        return found
    new = [str(options.rename.get(level, level)) for level in found.levels]
    place = {name: k for k, name in enumerate(dict.fromkeys(new))}
    lookup = np.array([*(place[name] for name in new), -1], np.int64)
    return Factor(lookup[found.codes], tuple(place))


def encode(
    found: Mapping[str, Factor], source: str, options: Options
) -> tuple[tuple[str, ...], list[IntArray]]:
    """(items in order, positions in them for each column); -1 stays where a cell was blank."""
    found_names = natural_order(name for factor in found.values() for name in factor.levels)
    _check_renames(found_names, source, options)
    factors = [renamed(factor, options) for factor in found.values()]
    names = natural_order(name for factor in factors for name in factor.levels)
    if options.names is None:
        _check_spellings(names, source)
        items = names
    else:
        items = options.names
        known = set(items)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ItemError(
                f"{source}: found {_listed(unknown)}, not among the items given, {_listed(items)};"
                " list every item that occurs" + suggestion(unknown[0], items)
            )
    place = {name: k for k, name in enumerate(items)}
    positions = []
    for factor in factors:
        at = [place[name] for name in factor.levels]
        in_order = at == list(range(len(at)))  # as categories most often are
        positions.append(factor.codes if in_order else np.array([*at, -1], np.int64)[factor.codes])
    return items, positions


def _listed(names: Sequence[str]) -> str:
    return listed(names, 8)


def _check_renames(names: Sequence[str], source: str, options: Options) -> None:
    known = set(names)
    unknown = [old for old in options.rename or {} if old not in known]
    if unknown:
        raise ItemError(
            f"{source}: rename has {_listed(unknown)}, but no item has this name; found {_listed(names)}"
            + suggestion(unknown[0], names)
        )


def _spelling(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _check_spellings(names: Sequence[str], source: str) -> None:
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(_spelling(name), []).append(name)
    for group in alike.values():
        if len(group) > 1:
            # Two Unicode forms of one name look alike until they are spelt out.
            alike_on_screen = len({unicodedata.normalize("NFC", name) for name in group}) < len(group)
            spelt = [ascii(name) if alike_on_screen else quoted(name) for name in group[:8]]
            one = next((k for k, name in enumerate(group[:8]) if name == name.strip()), 0)
            pairs = ", ".join(f"{name}: {spelt[one]}" for k, name in enumerate(spelt) if k != one)
            raise ItemError(
                f"{source}: items {', '.join(spelt)} differ only in blanks, case or Unicode form; if"
                f" they are the same item, pass rename={{{pairs}}}, if not list every item in items="
            )
    padded = [name for name in names if name != name.strip()]
    if padded:
        raise ItemError(
            f"{source}: {len(padded)} item name(s) have leading or trailing blanks: {_listed(padded)}; remove the"
            f" blanks, or pass rename={{{quoted(padded[0])}: {quoted(padded[0].strip())}}}"
        )


def check_not_self(
    table: Table, first: IntArray, second: IntArray, items: Sequence[str], column: str, more: str = ""
) -> None:
    """Refuse rows that compare an item with itself."""
    same = (first == second) & (first >= 0)
    cure = f"remove these rows; they contain no preference{more}"
    table.check(
        same, column, lambda: f"{quoted(items[int(first[same][0])])} is compared with itself", cure, ItemError
    )


def _by_item(item_data: Any) -> Any:
    """{item: {covariate: value}} as columns; anything else as it is."""
    of_items = list(item_data.values()) if isinstance(item_data, Mapping) else []
    if not of_items or not all(isinstance(values, Mapping) for values in of_items):
        return item_data
    names = list(dict.fromkeys(name for values in of_items for name in values))
    if "item" in names:
        raise InputError(
            "item data: a covariate is named 'item', but this column holds the item names; rename the covariate"
        )
    return {"item": list(item_data), **{name: [values.get(name) for values in of_items] for name in names}}


def item_covariates(options: Options, items: Sequence[str]) -> dict[str, Column]:
    """Item covariates in the order of `items`, matched by name, never by row.

    The items stand in the column `item` or else in the first; {"A": {"x": 1.2}, "B": {"x": 0.4}} names them itself.
    """
    if options.item_data is None:
        return {}
    is_file = isinstance(options.item_data, (str, os.PathLike))
    table = load(_by_item(options.item_data), options.encoding if is_file else None)
    table = replace(table, source=f"item data {table.source}")
    key = "item" if "item" in table.columns else next(iter(table.columns))
    found = renamed(item_column(table, key, replace(options, items=tuple(items))), options)
    place = {name: k for k, name in enumerate(found.levels)}
    absent = [name for name in items if name not in place]
    known = set(items)
    unknown = [name for name in found.levels if name not in known]
    if absent or unknown:
        parts = [f"no row for {_listed(absent)}"] * bool(absent)
        parts += [f"unknown {_listed(unknown)}"] * bool(unknown)
        raise ItemError(
            f"{table.source}, column {key!r}: {'; '.join(parts)}; the items are {_listed(items)}: "
            "each needs exactly one row (leave unknown values blank)"
        )
    seen = np.bincount(found.codes, minlength=len(place))
    if (seen > 1).any():
        name = found.levels[int(np.argmax(seen > 1))]
        twice = f"item {quoted(name)} has more than one row"
        raise table.refuse(found.codes == place[name], key, twice, "keep one", ItemError)
    row_of = np.argsort(found.codes)[[place[name] for name in items]]
    levels = options.levels or {}
    others = [name for name in table.columns if name != key]
    return {name: take(covariate(table, name, levels.get(name)), row_of) for name in others}


def assemble(
    table: Table,
    options: Options,
    items: Sequence[str],
    first: IntArray,
    second: IntArray,
    results: tuple[FloatArray, FloatArray, FloatArray],
    *,
    tie_category: bool,
    used: Collection[str],
    row_of: IntArray | None = None,
    of_persons: bool = False,
) -> Comparisons:
    """Comparisons from positions and (wins, ties, losses), with every column that is not `used` as a
    covariate.  `first`, second int[n_comparisons]; results float[n_comparisons]; row_of int[n_comparisons].
    """
    wins, ties, losses = results
    single = True
    if "weight" in table.columns and "weight" not in used:
        weight = counts(table, "weight")
        single = bool((weight == 1.0).all())
        weight = weight if row_of is None else weight[row_of]
        wins, ties, losses = wins * weight, ties * weight, losses * weight
    columns = covariates(table, options, {*used, "weight"}, of_persons)
    if row_of is not None:
        columns = each(columns, lambda column: take(column, row_of))
        # A row with a weight stands for several persons, or for a part of one.
        if of_persons and single and not {"person", "judge"} & set(columns):
            person = Factor(row_of, tuple(map(str, range(1, table.n_rows + 1))))
            columns = beside(columns, {"person": person})
    of_items = item_covariates(options, items)
    check_levels(options, [*columns, *of_items], table.source)
    about: dict[str, Any] = {"item_data": of_items, "source": table.source, "own_names": table.own_names}
    sums = (wins, ties if tie_category else None, losses)
    found = Comparisons.build(items, first, second, *sums, columns=columns, **about)
    return found.where_also(options.conditions, _further(table, options, columns, row_of))


def _further(
    table: Table, options: Options, columns: Mapping[str, Column], row_of: IntArray | None
) -> dict[str, Callable[[], Column]]:
    """Columns of the file that are none of the comparisons', by which rows can be chosen all the same: answers,
    responses, weights.  Of a row a system each pair has two, so that neither column says which pairs are meant.
    """

    def of_comparisons(name: str) -> Column:
        column = covariate(table, name, (options.levels or {}).get(name))
        return column if row_of is None else take(column, row_of)

    further = [name for name in table.columns if name not in columns and name not in ("system", "rank")]
    return {name: partial(of_comparisons, name) for name in further}


def covariates(table: Table, options: Options, used: Collection[str], of_persons: bool = False) -> Columns:
    """Every column that the layout has not used: judge, order, source, and subject covariates.

    They are coded when a model first uses them, from a copy, which the user's frame cannot change; at once are those
    whose levels are stated.
    """
    levels = options.levels or {}
    columns: dict[str, Column | Uncoded] = {}
    for name in table.columns:
        if name in used:
            continue
        stated: Sequence[Any] | None = levels.get(name)
        code: Callable[[Table, str], Column]
        if name == "judge" or (name == "person" and (of_persons or name in table.own_names)):
            code = partial(judges, levels=stated)
        elif name == "order":
            code = neutral_ground
        else:
            code = partial(covariate, levels=stated, categorical=name == "source")
        can_be = not isinstance(table.columns.get(name), Lists)
        later = Uncoded(partial(_coded, code, table.only(name), name), can_be)
        columns[name] = later if stated is None else later.code()
    return Columns(columns)


def _coded(code: Callable[[Table, str], Column], table: Table, name: str) -> Column:
    """The checked column of a table that nobody else has; what a Factor is made of was checked when it was made."""
    column = sealed(code(table, name))
    return column if isinstance(column, Factor) else checked_column(name, column, table.source)


def check_levels(options: Options, names: Sequence[str], source: str) -> None:
    """Refuse stated levels of a column that is not there, or of `order`, which has none."""
    for name in options.levels or {}:
        if name not in names:
            found = listed(names) or "no covariates"
            raise InputError(
                f"{source}: levels are given for {quoted(name)}; found {found}" + suggestion(name, names)
            )
        if name == "order":
            raise InputError(f"{source}: levels are given for 'order', which is 0 or 1 and has no levels")


def has_tie_category(table: Table, options: Options, tied: BoolArray, column: str) -> bool:
    """Whether the table has a tie category: as stated, else if a tie occurs in it."""
    if options.tie_category is False:
        said = "a tie, but tie_category=False declares that ties were not possible"
        cure = "omit it and choose the treatment of ties in the fit (ties='drop', 'half', ...)"
        table.check(tied, column, said, cure)
    return bool(tied.any()) if options.tie_category is None else options.tie_category
