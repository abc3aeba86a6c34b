"""What is known of both sides of a vote (lengths, headers), as differences in favour of the item named first.

    difference    a - b
    relative      (a - b) / (a + b), 0 where both are 0
    log           log a - log b

Each is divided by its root mean square over the votes, so that effects are of a typical difference.  No mean is taken away:
a constant in favour of the first is an order effect, and with one hidden in the differences an estimate would change when
votes are turned round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....errors import InputError
from ....text import listed, quoted
from ...columns import Factor, FloatArray, beside
from ...comparisons import Comparisons
from ..sources import suggestion

Kind = Literal["difference", "relative", "log"]
_KINDS: dict[str, Kind] = {"diff": "difference", "rel": "relative", "log": "log"}
_ENDS = ("{a,b}", "{A,B}", "{1,2}", "{first,second}", "{left,right}")
_BRACES = re.compile(r"\{([^{},]+),([^{},]+)\}")


@dataclass(frozen=True)
class SideTerm:
    """One style column: two columns of the file, or one that is a difference already.

    name: as shown.  first, second: the sides' columns by the file's own names, or what several columns inside one another
    begin with, which are added up.
    """

    name: str
    first: str
    second: str
    kind: Kind
    column: str = ""

    @property
    def key(self) -> str:
        """Its name in `comparison_terms`."""
        return f"style.{self.name}"

    @property
    def sources(self) -> tuple[str, ...]:
        """What it is made of."""
        return (self.column,) if self.column else (self.first, self.second)

    def values(self, get: Callable[[str], FloatArray]) -> FloatArray:
        """float[n_rows], not divided by anything; nan where a side has no value.  get: the numbers of a source."""
        if self.column:
            return get(self.column)
        a, b = get(self.first), get(self.second)
        if self.kind == "difference":
            return a - b
        with np.errstate(invalid="ignore"):
            least = np.fmin(a, b)
            if (least < 0).any() or (self.kind == "log" and (least == 0).any()):
                raise InputError(
                    f"{self.name}: {self.kind} differences are of numbers {'>=' if self.kind == 'relative' else '>'} 0;"
                    f" {self.first} and {self.second} go down to {np.nanmin(least):g}; take diff(...) or rel(...)"
                )
        if self.kind == "log":
            return np.log(a) - np.log(b)
        return (a - b) / np.where(a + b == 0, 1.0, a + b)


def side_terms(asked: Sequence[str], columns: Collection[str]) -> tuple[SideTerm, ...]:
    """The style columns that were asked for, as these columns of a file have them.

    asked: "length" (length_a and length_b, or _1 and _2, _first and _second, _left and _right, or one column `length` that is
    a difference already); "diff(sum_assistant_{a,b}_tokens)", "rel(...)" or "log(...)".  Names inside others may be said from
    any dot on; of `header_count_a` with names inside, all are added up.
    """
    found = tuple(_term(text, columns) for text in asked)
    names = [term.name for term in found]
    if len(set(names)) < len(names):
        raise InputError(f"style {listed(asked)}: two of these are the same; list each only once")
    return found


def _term(text: str, columns: Collection[str]) -> SideTerm:
    match = re.fullmatch(r"\s*(?:(diff|rel|log)\()?(.+?)(\))?\s*", text)
    if match is None or bool(match[1]) != bool(match[3]):
        raise InputError(f"style {quoted(text)}: expected a name, or diff(...), rel(...) or log(...) of one")
    kind, pattern = _KINDS[match[1] or "diff"], match[2].strip()
    patterns = [pattern] if _BRACES.search(pattern) else [f"{pattern}_{end}" for end in _ENDS]
    pairs = [tuple(_found(_BRACES.sub(rf"\{k}", p), columns) for k in (1, 2)) for p in patterns]
    whole = [pair for pair in pairs if all(pair)]
    single = "" if _BRACES.search(pattern) and pattern not in columns else _found(pattern, columns)
    single = single if single in columns else ""
    name = re.sub(r"_*\{.*?\}", "", pattern).strip("_.").replace("..", ".")
    name = name if kind == "difference" else f"{kind}_{name}"
    if len(whole) + bool(single) > 1:
        there = [*(f"{a} and {b}" for a, b in whole), *([single] if single else [])]
        raise InputError(
            f"style {quoted(text)} may be {'; or '.join(there)}; say which, diff(... {{a,b}} ...)"
        )
    if whole:
        return SideTerm(name, whole[0][0], whole[0][1], kind)
    if single and kind == "difference":
        return SideTerm(name, "", "", kind, single)
    one = f"{single} is a single column, which is already taken as a difference"
    why = one if single else "no two columns have these names"
    raise InputError(
        f"style {quoted(text)}: {why}; found {listed(list(columns))}{suggestion(pattern, columns)}; give both sides at once,"
        " such as diff(tokens_{a,b})"
    )


def _found(name: str, columns: Collection[str]) -> str:
    """The column of this name, or what columns inside one another begin with; "" if there is none."""
    starts = dict.fromkeys(c[: m.start()] for c in columns for m in re.finditer(r"\.|\Z", c))
    fits = [start for start in starts if start == name or start.endswith(f".{name}")]
    if name not in fits and len(fits) > 1:
        raise InputError(f"{quoted(name)} may be {listed(fits)}; write the intended one in full")
    return name if name in fits else "".join(fits)


def parts_in(source: str, columns: Collection[str]) -> list[str]:
    """The columns that a source of a term is: itself, or those inside it."""
    return [source] if source in columns else [name for name in columns if name.startswith(f"{source}.")]


def with_sides(table: Comparisons, terms: Sequence[SideTerm], standardise: bool = True) -> Comparisons:
    """The table with a column for each term, `style.NAME`, divided by its root mean square unless told otherwise."""

    def get(source: str) -> FloatArray:
        return np.asarray(sum(_numbers(table, name) for name in parts_in(source, table.columns)))

    columns = {term.key: term.values(get) for term in terms}
    if standardise:
        weights = table.row_weights
        for term in terms:
            x = columns[term.key]
            total = float(np.nansum(weights * x**2))
            columns[term.key] = x / root_mean_square(term, total, float(weights[~np.isnan(x)].sum()))
    return table.changed(columns=beside(table.columns, columns))


def root_mean_square(term: SideTerm, total: float, n: float) -> float:
    """The scale of a term, of a sum of squares over n votes."""
    if not total > 0:
        raise InputError(f"style {term.name}: {listed(term.sources)} are the same in all votes; leave it out")
    return float(np.sqrt(total / n))


def _numbers(table: Comparisons, name: str) -> FloatArray:
    column = table.columns[name]
    if isinstance(column, Factor):
        raise InputError(
            f"{table.source}: column {quoted(name)} is not numeric (it contains {quoted(column.levels[0])}), so it has no"
            " differences"
        )
    return column
