"""What the cells of a column mean: labels, numbers, counts, covariates, and answers under a stated coding.

Everything goes through distinct values (`pandas.factorize`, or the codes a categorical column has already),
so that a million rows cost a few array operations and no Python loop.

The coding of responses as `first`, `tie`, `second` or `missing` is stated and never inferred from the data.
Guessing from observed values is how 0/1/2 answers without a single 2 become a binary table whose ties count
as losses (prefmod's llbt.design does so); here a value that is not among the stated codes is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Union

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import CodingError, InputError
from ...text import listed, named, quoted, shortened
from ..columns import SMALLEST_COUNT, Column, Factor, FloatArray, natural_places
from ..where import Conditions, Narrowed, conditions_of, rows_where
from .nested import Lists
from .sources import Table, repeated, suggestion

BoolArray = NDArray[np.bool_]

#: Characters of a number; `inf`, `nan` and `1_000`, which Python's float takes, are none.
NUMERALS = frozenset("0123456789+-.eE \t")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
#: What R, pandas and spreadsheets write for "no value".
MISSING_WORDS = frozenset({"NA", "N/A", "NaN", "nan", "<NA>", "None", "null", "NULL"})
#: From here on a double cannot represent every integer.
LARGEST_EXACT = 2.0**53
_TOO_LARGE = (
    "expected less than 2^53 (9.007e15): above that, a double cannot distinguish one count from the next"
)
_TOO_SMALL = (
    f"expected 0, or a number of at least {SMALLEST_COUNT:g}: smaller numbers are lost to rounding;"
    " rescale the weights"
)


#: Few levels are all met in so many rows.
_FIRST_ROWS = 1 << 16


def text_of(value: Any) -> str:
    """A value as a label: 3, 3.0 and "3" are "3"."""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < LARGEST_EXACT else repr(number)
    try:
        return str(value)
    except ValueError as error:  # Python writes no integer of more than 4,300 digits
        raise InputError(
            f"found {quoted(value)}, which is too long for a label; write it as text, or shorten it"
        ) from error


def labels(table: Table, name: str) -> Factor:
    """The column's distinct texts in no particular order; code -1 where the cell is blank or missing."""
    coded = table.codes(name)
    if coded is not None:
        codes, values = np.array(coded[0], np.int64), coded[1]  # a copy, whatever the frame has
    else:
        try:
            codes, values = pd.factorize(table.columns[name])
        except TypeError as error:
            raise InputError(
                f"{table.source}: column {name!r} contains neither text nor numbers: {error}"
            ) from error
        except (OverflowError, ValueError) as error:
            raise InputError(
                f"{table.source}: column {name!r} contains a number that is too long for a label;"
                " write it as text, or shorten it"
            ) from error
    # Texts of Arrow one by one take 20 times as long.
    texts = values.to_numpy(object).tolist() if pd.api.types.is_string_dtype(values.dtype) else list(values)
    kinds = set(map(type, texts))
    if bytes in kinds:
        raw = next(v for v in texts if isinstance(v, bytes))
        raise InputError(
            f"{table.source}: column {name!r} contains the bytes {raw!r}; decode the column to text first"
        )
    if kinds <= {str}:
        return _distinct(np.asarray(codes, np.int64), texts, True)
    return _distinct(np.asarray(codes, np.int64), list(map(text_of, texts)))


def _present(codes: NDArray[np.int64], n: int) -> BoolArray:
    """bool[n]: which codes occur; -1 is none."""
    marks = np.zeros(n + 1, bool)
    marks[codes] = True
    return marks[:-1]


def _distinct(codes: NDArray[np.int64], texts: Sequence[str], differ: bool = False) -> Factor:
    """Equal texts become one level, blank texts none, and levels that no row has are left out.
    differ: that no two texts are equal is known."""
    used = _present(codes[:_FIRST_ROWS], len(texts))
    if not used.all():
        used = _present(codes, len(texts))
    differ = differ or len(set(texts)) == len(texts)
    if used.all() and differ and all(texts) and not any(map(str.isspace, texts)):
        return Factor(codes, tuple(texts))
    place: dict[str, int] = {}
    for text, is_used in zip(texts, used):
        if is_used and text.strip():
            place.setdefault(text, len(place))
    lookup = np.array([*(place.get(text, -1) for text in texts), -1], np.int64)
    return Factor(lookup[codes], tuple(place))


def without(factor: Factor, words: Iterable[str]) -> Factor:
    """The factor with these levels made missing."""
    gone = set(words).intersection(factor.levels)
    if not gone:
        return factor
    return _distinct(factor.codes, ["" if level in gone else level for level in factor.levels])


def ordered(factor: Factor, name: str, explicit: Sequence[Any] | None, source: str) -> Factor:
    """The factor with its levels in the stated order, or else numerically or by code point."""
    if explicit is None:
        order = natural_places(factor.levels)
        lookup = np.full(len(order) + 1, -1, np.int64)
        lookup[order] = np.arange(len(order))
        return Factor(lookup[factor.codes], tuple(map(factor.levels.__getitem__, order)))
    levels = tuple(text_of(level) for level in explicit)
    if len(set(levels)) != len(levels):
        raise InputError(f"levels of {name!r}: one is given twice: {listed(repeated(levels))}")
    unknown = sorted(set(factor.levels) - set(levels))
    if unknown:
        raise InputError(
            f"{source}: column {name!r} contains {listed(unknown)}, not among the given"
            f" levels {listed(levels)}; list every level" + suggestion(unknown[0], levels)
        )
    place = {level: k for k, level in enumerate(levels)}
    lookup = np.array([*(place[level] for level in factor.levels), -1], np.int64)
    return Factor(lookup[factor.codes], levels)


def numbers(table: Table, name: str) -> tuple[FloatArray, BoolArray]:
    """(values, nan where there is none; True where a cell holds something that is no number)."""
    dtype = table.dtype(name)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        series = table.columns[name]
        return series.to_numpy(dtype=float, na_value=np.nan), np.zeros(len(series), bool)
    found = labels(table, name)
    values = _floats(found.levels)
    wrong = np.isnan(values) & ~np.array([level.strip() in MISSING_WORDS for level in found.levels], bool)
    return np.append(values, np.nan)[found.codes], np.append(wrong, False)[found.codes]


def _floats(texts: Sequence[str]) -> FloatArray:
    """Each text as a number, nan where it is none."""
    if NUMERALS.issuperset("".join(texts)):
        try:
            return np.array(list(map(float, texts)), float)
        except ValueError:
            pass  # one of them is something like "1-2"; the slow way finds out which
    return np.array([float(text) if NUMBER.fullmatch(text.strip()) else np.nan for text in texts], float)


def counts(table: Table, name: str) -> FloatArray:
    """A column of counts or weights: every cell a finite number >= 0."""
    values, wrong = numbers(table, name)
    bad = wrong | ~np.isfinite(values) | (values < 0)
    if bad.any():
        found = table.shown(name, bad)
        text = found.strip("'\" ")
        cure = "; write decimals with a point" if DECIMAL_COMMA.fullmatch(text) else ""
        if found == "blank" or text in MISSING_WORDS:
            cure = "; fill it in" if name == "weight" else "; write 0 if nothing was counted"
        raise table.refuse(bad, name, f"{name} is {found}", f"expected a finite number >= 0{cure}")
    check_range(table, name, values, lambda odd: f"{name} is {table.shown(name, odd)}")
    return values


def check_range(table: Table, name: str, values: FloatArray, found: Callable[[BoolArray], str]) -> None:
    """Refuse counts that are too large or too small for arithmetic with doubles; `found` words the error."""
    large, small = values >= LARGEST_EXACT, (values > 0) & (values < SMALLEST_COUNT)
    table.check(large, name, lambda: found(large), _TOO_LARGE)
    table.check(small, name, lambda: found(small), _TOO_SMALL)


def neutral_ground(table: Table, name: str) -> FloatArray:
    """The `order` column: 1 where being named first may matter, 0 on neutral ground; nothing else."""
    values, wrong = numbers(table, name)
    bad = wrong | ~np.isin(values, (0.0, 1.0))
    expected = "expected 1 (the first item may have an advantage) or 0 (neutral ground)"
    table.check(bad, name, "order is {cell}", f"{expected}; if the column means something else, rename it")
    return values


def covariate(table: Table, name: str, levels: Sequence[Any] | None, *, categorical: bool = False) -> Column:
    """A column as a covariate: numbers if every cell that is not blank is one, else a Factor.

    A Factor, too, if `categorical`, if the levels are stated, or if there are integers too large for a
    double. Blank cells and the words of `MISSING_WORDS` (unless stated as levels) are missing values.
    """
    return _covariate(table, name, levels, categorical, None)


def _covariate(
    table: Table, name: str, levels: Sequence[Any] | None, categorical: bool, known: Factor | None
) -> Column:
    """As :func:`covariate`; known: the labels, if they were made already."""
    dtype = table.dtype(name)
    categorical = categorical or levels is not None
    numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    if numeric and not categorical:
        values, _ = numbers(table, name)
        if not (pd.api.types.is_integer_dtype(dtype) and (np.abs(values) >= LARGEST_EXACT).any()):
            return values
    found = without(known or labels(table, name), MISSING_WORDS - {text_of(level) for level in levels or ()})
    if not (categorical or numeric or pd.api.types.is_bool_dtype(dtype)):
        values_of_levels = _level_values(table, name, found)
        if values_of_levels is not None:
            return np.append(values_of_levels, np.nan)[found.codes]
    return ordered(found, name, levels, table.source)


def chosen_rows(table: Table, where: Conditions) -> tuple[Table, Narrowed | None]:
    """The rows of a table that fulfil conditions, and what they have left; for layouts that are no comparisons."""
    said = conditions_of(where)
    if not said:
        return table, None
    columns = {name: partial(covariate, table, name, None) for name in table.columns}
    rows = np.flatnonzero(rows_where(table, said, columns))
    return table.take(rows), Narrowed(said, len(rows), table.n_rows, what="rows")


def judges(table: Table, name: str, levels: Sequence[Any] | None) -> Column:
    """The `judge` column: a Factor, whatever it holds; blanks around a name would make one judge two."""
    found = labels(table, name)
    if found.levels != tuple(map(str.strip, found.levels)):
        padded = np.array([*(level != level.strip() for level in found.levels), False])[found.codes]
        cure = "remove them; otherwise one judge counts as two"
        table.check(padded, name, "{cell} has leading or trailing blanks", cure)
    return _covariate(table, name, levels, True, found)


def _level_values(table: Table, name: str, found: Factor) -> FloatArray | None:
    """The levels as numbers; None if one is a word, or an integer too large for a double."""
    texts = found.levels
    if not all(NUMBER.fullmatch(text.strip()) or DECIMAL_COMMA.fullmatch(text.strip()) for text in texts):
        return None
    values = _floats(texts)
    comma = np.append(np.isnan(values), False)[found.codes]
    cure = f"write decimals with a point, or, if these are categories, give levels={{{name!r}: [...]}}"
    table.check(comma, name, "{cell} has a comma in a column of numbers", cure)
    large = np.flatnonzero(np.abs(values) >= LARGEST_EXACT)
    return None if any(texts[k].strip().lstrip("+-").isdigit() for k in large) else values


#: What to do about rows that are no comparison, where each row is one.
LEAVE_OUT = "; drop='bad' drops such rows and counts them"
Answers = NDArray[np.int8]
ANSWERS = ("first", "tie", "second", "missing", "both_bad")
FIRST, TIE, SECOND, MISSING, BOTH_BAD = range(5)
#: Where an answer is counted among wins, ties and losses.
PLACE = {FIRST: 0, TIE: 1, BOTH_BAD: 1, SECOND: 2}
#: {"first": 1, "tie": 0, "second": -1, "missing": "NA"}, or the same as "first=1,tie=0,second=-1,missing=NA".
CodingLike = Union[Mapping[str, Any], str]


def canonical(code: Any) -> str:
    """Numbers alike however they are written (1, "1", "1.0"); words exactly as they are."""
    text = "" if code is None else text_of(code)
    if not NUMBER.fullmatch(text.strip()):
        return text
    number = float(text)
    return text_of(number) if abs(number) < LARGEST_EXACT else text.strip()


@dataclass(frozen=True)
class Coding:
    """A checked coding of responses."""

    answer_of: Mapping[str, int]
    blank_is_missing: bool = False

    @classmethod
    def read(cls, coding: CodingLike) -> Coding:
        """Check a stated coding."""
        stated = _parsed(coding) if isinstance(coding, str) else coding
        if not isinstance(stated, Mapping):
            raise CodingError(
                f"coding={quoted(coding)}; expected a mapping such as {{'first': 1, 'tie': 0, 'second': -1}}"
            )
        answer_of: dict[str, int] = {}
        blank = False
        for answer, codes in stated.items():
            if answer not in ANSWERS:
                near = suggestion(str(answer), ANSWERS)
                raise CodingError(f"coding has {quoted(answer)}; the answers are {', '.join(ANSWERS)}{near}")
            for code in codes if isinstance(codes, (list, tuple, set)) else [codes]:
                text = canonical(code)
                if answer == "missing" and (not text.strip() or text in MISSING_WORDS):
                    blank = True
                elif not text.strip():
                    raise CodingError(
                        f"coding gives {answer!r} no code; a blank cell can only mean 'missing'"
                    )
                elif answer_of.setdefault(text, ANSWERS.index(answer)) != ANSWERS.index(answer):
                    other = ANSWERS[answer_of[text]]
                    raise CodingError(
                        f"coding gives the code {shortened(text)} to {other!r} and to {answer!r}; codes must"
                        " differ"
                    )
        absent = [answer for answer in ("first", "second") if answer not in stated]
        if absent:
            raise CodingError(f"coding has no code for {' and '.join(absent)}; found {quoted(dict(stated))}")
        return cls(answer_of, blank)

    def __str__(self) -> str:
        own = [(code, ANSWERS[answer]) for code, answer in self.answer_of.items() if answer != BOTH_BAD]
        codes = [quoted(code) + f" ({word})" * (code != word) for code, word in own]
        bad = [quoted(code) for code, answer in self.answer_of.items() if answer == BOTH_BAD]
        more = ", ..." if len(bad) > 2 else ""
        codes += [f"{', '.join(bad[:2])}{more} (both_bad)"] if bad and bad != ["'both_bad'"] else bad
        return named(codes + ["NA or blank (missing)"] * self.blank_is_missing)

    def meaning(self, text: str) -> int | None:
        """FIRST, TIE, SECOND, MISSING or BOTH_BAD for a code; None for what is none."""
        return self.answer_of.get(canonical(text))

    def fits(self, table: Table, column: str) -> bool:
        """Whether the column holds nothing but stated codes, and at least one answer."""
        if isinstance(table.columns.get(column), Lists):
            return False
        known = [self.answer_of.get(canonical(level), -1) for level in labels(table, column).levels]
        return bool(known) and min(known) >= 0 and min(known) < MISSING

    def refuse(self, answer: int, where: str) -> None:
        """Refuse a coding that has this answer, which other layouts have."""
        if answer in self.answer_of.values() or (answer == MISSING and self.blank_is_missing):
            raise CodingError(f"coding has {ANSWERS[answer]!r}, which is for {where}")

    def answers(
        self, table: Table, column: str, found: Factor | None = None, *, may_be_missing: bool = False
    ) -> Answers:
        """The answer of each row; found: the column's labels, if they were made already; `may_be_missing` is for the
        words of an error only."""
        found = found or labels(table, column)
        texts = [canonical(level) for level in found.levels]
        blank = MISSING if self.blank_is_missing else -1
        known = [self.answer_of.get(t, blank if t in MISSING_WORDS else -1) for t in texts]
        answers: Answers = np.array([*known, blank], np.int8)[found.codes]
        bad = answers < 0
        if bad.any():
            raise self._refusal(table, column, bad, may_be_missing)
        return answers

    def _refusal(self, table: Table, column: str, bad: NDArray[np.bool_], may_be_missing: bool) -> InputError:
        value = table.shown(column, bad)
        if value == "blank" and may_be_missing:
            cure = "if the comparison was not made, add missing=NA to coding="
        elif value == "blank":
            cure = f"fill it in, or remove the rows that are not comparisons{LEAVE_OUT}"
        else:
            near = suggestion(value.strip("'\""), self.answer_of)
            cure = f"correct it, or define it in coding={near}{'' if may_be_missing else LEAVE_OUT}"
        found = labels(table, column)
        cells = Counter(np.array([*found.levels, ""], object)[found.codes[bad]].tolist())
        if len(cells) > 1:
            each = named((f"{quoted(cell) if cell else 'blank'} {n:,}" for cell, n in cells.most_common()), 6)
            value += f" ({bad.sum():,} rows have an unknown answer or none: {each})"
            bad = bad & (np.cumsum(bad) == 1)
        expected = f"expected exactly {self}; {cure}"
        return table.refuse(bad, column, f"the answer is {value}", expected, CodingError)


def _parsed(text: str) -> dict[str, list[str]]:
    """The command line's `first=1,tie=0,second=-1,missing=NA`; an answer may be stated more than once."""
    stated: dict[str, list[str]] = {}
    for part in text.split(","):
        answer, equals, code = part.partition("=")
        if not equals:
            raise CodingError(
                f"coding {quoted(text)}: {quoted(part)} is not ANSWER=CODE; for example"
                " first=1,tie=0,second=-1,missing=NA"
            )
        stated.setdefault(answer.strip(), []).append(code.strip())
    return stated
