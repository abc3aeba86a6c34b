"""The table that a function of prefmod was given, as prefmod reads it: answers first, then covariates.

prefmod turns its data frame into one matrix of numbers, `as.numeric(as.matrix(obj))`. If any column is text
or a factor, all go through text first, so that a factor counts as the number that its level spells, and a
logical is missing. Bools are left out where nothing (of ratings: fewer than two) was answered, and where a
covariate is missing.

Which answer a code is, prefmod takes from the values that occur:

    no negative code: below the middle of the range the first item is preferred, above it the second
    a negative code:  the other way round
    an odd number of different values: the middle is a tie

So 0 1 2, 1 2 3 and 1 0 -1 have ties, 0 1, 1 2 and 1 -1 have none, and 1 2 3 4 5 counts as 1 1 2 3 3.

Covariates of persons: `formel`, with which the items vary, and `elim`, which divides the table.

    formel = ~SEX * AGE, elim = ~SEX * AGE    -> by = "SEX*AGE"
    formel = ~1,         elim = ~ENG          -> cells = ["ENG"]

Every covariate is a factor with the levels 1, 2, ..., K, coded by treatment contrasts against level 1;
prefmod takes `elim` to be `formel` where it was not given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RLang, RList, RVector
from ....errors import FormulaError
from ....native.comparisons.formula.subject_formula import products_of
from ..python_code import Call, quoted_name, whole_numbers
from ..recorded_answers import Bools, Floats, free, held, needed, stays_if
from ..rows import SAME, Beside
from ..translation import tried

#: Names of columns that mean something to our readers whatever stands in them.
READERS_OWN = ("weight", "judge", "source", "order")


@dataclass(frozen=True, eq=False)
class Given:
    """A table of answers with covariates.

    names: of all columns, as they are written: R's, made unique, and none that our readers would take for a
    weight.  values float[n_rows, n_columns]: nan where R has NA.  n_answers: columns of answers, the first
    ones.
    """

    names: tuple[str, ...]
    values: Floats
    n_answers: int

    @property
    def answers(self) -> Floats:
        """float[n_rows, n_answers]."""
        return self.values[:, : self.n_answers]

    def column(self, name: str) -> Floats:
        """float[n_rows]: a covariate, under R's name or the one that it is written under."""
        return self.values[:, self.names.index(written_name(name))]

    def written(self, covariates: Sequence[str] = ()) -> dict[str, list[Any]]:
        """Columns of the file: the answers, then covariates, whole numbers as integers, None for NA."""
        names = [*self.names[: self.n_answers], *(written_name(c) for c in covariates)]
        return {name: whole_numbers(self.values[:, self.names.index(name)]) for name in names}


def number_of_items(call: RecordedCall) -> int:
    """`nitems`."""
    n = int(call.real("nitems", 0.0))
    stays_if(n < 2, "the number of its items was not recorded")
    return n


def names_of_items(call: RecordedCall, n: int) -> tuple[str, ...]:
    """`obj.names`, else o1, o2, ..."""
    found = texts(call, "obj.names")
    return found if len(found) == n else tuple(f"o{k + 1}" for k in range(n))


def given(call: RecordedCall, n_answers: int) -> Given:
    """The table of a call."""
    value = call.values.get("obj")
    lost = "its table was not recorded, because it is too large or not a data frame"
    path = isinstance(value, RVector) and value.values.dtype == object
    stays_if(path, "it reads its data from a file itself; read the file into R first, and give the table")
    frame = held(value, RList, lost)
    stays_if("data.frame" not in frame.rclass, lost)
    names, values = numbers_of(frame)
    few = values.shape[1] < n_answers
    stays_if(few, f"its table has {values.shape[1]} columns and {n_answers} answers a person")
    return Given(written_names(names), values, n_answers)


def numbers_of(frame: RList) -> tuple[tuple[str, ...], Floats]:
    """Names and numbers of a data frame, as `apply(as.matrix(obj), 2, as.numeric)` has them."""
    columns = list(frame.values)
    vectors = [c for c in columns if isinstance(c, RVector) and c.values.ndim == 1]
    stays_if(len(vectors) < len(columns) or not columns, "a column of its table is not a plain vector")
    mixed = any(v.levels is not None or v.rclass or v.values.dtype.kind == "O" for v in vectors)
    return tuple(frame.names or [""] * len(columns)), np.column_stack([_numbers(v, mixed) for v in vectors])


def _numbers(vector: RVector, mixed: bool) -> Floats:
    if vector.levels is not None:
        of_level = np.array([*map(_spelt, vector.levels), np.nan])
        return np.asarray(of_level[np.where(vector.na, len(vector.levels), vector.values.astype(int) - 1)])
    if vector.values.dtype.kind == "O":
        return np.array([np.nan if v is None else _spelt(v) for v in vector.values])
    if vector.rclass or (mixed and vector.values.dtype.kind == "b") or vector.values.dtype.kind not in "fib":
        return np.full(len(vector), np.nan)
    return vector.floats()


def _spelt(text: str) -> float:
    """The number that a text spells; nan, R's NA, if none."""
    try:
        return float(text.strip())
    except ValueError:
        return float("nan")


def written_name(name: str) -> str:
    """A covariate's name in the CSV file."""
    return f"{name}_" if name in READERS_OWN else name


def written_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns: R's, made unique, so that no two columns of the file have one name."""
    found: list[str] = []
    for k, name in enumerate(names):
        found.append(free(written_name(name) if name else f"V{k + 1}", found))
    return tuple(found)


# -- rows ----------------------------------------------------------------------------------------------------


def answered(table: Given, least: int = 1) -> Bools:
    """bool[n_rows]: rows with so many answers at least."""
    return np.asarray((~np.isnan(table.answers)).sum(axis=1) >= least)


def with_covariates(table: Given, covariates: Sequence[str]) -> Bools:
    """bool[n_rows]: rows without a missing value of these columns."""
    columns = [table.column(name) for name in covariates]
    return np.asarray(~np.isnan(columns).any(axis=0) if columns else np.ones(len(table.values), bool))


def left_out(rows: Bools, why: str) -> tuple[str, ...]:
    """A note on the rows that R leaves out, with their numbers; none where it leaves out none."""
    numbers = [str(k + 1) for k in np.flatnonzero(rows)]
    if not numbers:
        return ()
    shown = ", ".join(numbers[:12]) + (", ..." if len(numbers) > 12 else "")
    of = f"row {shown}" if len(numbers) == 1 else f"{len(numbers)} rows ({shown})"
    return (f"prefmod leaves out {of} of {len(rows)}: {why}; so does this script",)


# -- values of arguments -------------------------------------------------------------------------------------


#: Argument -> where the result says how prefmod understood it, for arguments whose values were not kept.
UNDERSTOOD = {
    **{name: name for name in ("undec", "ia", "formel", "elim")},
    **{"iaT": "ia_t", "NItest": "ni_test", "NI": "ni", "obj.names": "obj_names"},
    **{f"MIS{what}": f"mis_{what}" for what in ("common", "model", "alpha", "beta")},
}


def understood(call: RecordedCall) -> RecordedCall:
    """The call with what prefmod made of the arguments that were given and not kept."""
    lost = {a: n for a, n in UNDERSTOOD.items() if a in call.args and a not in call.values}
    return replace(call, values={**call.values, **{a: call.result.get(n) for a, n in lost.items()}})


def texts(call: RecordedCall, argument: str) -> tuple[str, ...]:
    """Strings; () where the argument was not given, or is no text."""
    value = call.argument(argument)
    if value is not None and value.values.dtype == object and not value.na.any():
        return tuple(str(v) for v in value.values.tolist())
    return ()


#: Different answers to a comparison at most: a scale of preference has a handful.
MOST_CODES = 101


def coding_of(answers: Floats) -> dict[str, Any]:
    """`coding=` of the readers for these answers, if it can be read off them: "tie" is there if ties are possible."""
    known = answers[~np.isnan(answers)]
    codes = np.unique(known)
    stays_if(len(codes) < 2, "all its answers are the same, and prefmod counts them as ties")
    stays_if(len(codes) > MOST_CODES, f"its answers have {len(codes)} different codes")
    turned, ties, middle = codes[0] < 0, len(codes) % 2 == 1, float(codes[0] + codes[-1]) / 2.0
    low, at, high = codes[codes < middle], codes[codes == middle], codes[codes > middle]
    if len(at) and not ties:
        low, high = (np.append(low, at), high) if turned else (low, np.append(at, high))
    no_middle = f"none of its {len(codes)} codes is the middle of their range, which prefmod treats as a tie"
    stays_if(ties and not len(at), no_middle)
    first, second = (high[::-1], low[::-1]) if turned else (low, high)
    found = {"first": first, "tie": at if ties else at[:0], "second": second}
    missing = {"missing": "NA"} if np.isnan(answers).any() else {}
    return {k: _codes(v) for k, v in found.items() if len(v)} | missing


def unanimous(answers: Floats) -> bool:
    """Whether every comparison has one answer only: prefmod sees an odd number of categories in each."""
    return all(len(np.unique(column[~np.isnan(column)])) == 1 for column in answers.T)


def _codes(values: Floats) -> Any:
    plain = whole_numbers(values)
    return plain[0] if len(plain) == 1 else plain


Product = tuple[str, ...]
_NAME = re.compile(r"`[^`]+`|(?:[^\W\d]|\.(?!\d))[\w.]*")
_ONE = re.compile(r"(?<![\w.])1(?![\w.])")


@dataclass(frozen=True)
class Covariates:
    """The covariates of a call: products, "SEX:AGE" as ("SEX", "AGE"); `elim` is as given."""

    formel: tuple[Product, ...] = ()
    elim: tuple[Product, ...] = ()

    @property
    def table(self) -> tuple[Product, ...]:
        """What divides the table: `elim`, or `formel` where there is none."""
        return self.elim or self.formel

    @property
    def in_model(self) -> tuple[str, ...]:
        """Covariates of the model, each once."""
        return tuple(dict.fromkeys(name for p in self.formel for name in p))

    @property
    def in_table(self) -> tuple[str, ...]:
        """Covariates that divide the table, each once."""
        return tuple(dict.fromkeys(name for p in self.table for name in p))

    @property
    def all(self) -> tuple[str, ...]:
        """Those of either."""
        return tuple(dict.fromkeys((*self.in_model, *(n for p in self.elim for n in p))))

    @property
    def by(self) -> str:
        """The formula of the model in Python's words; "" for none."""
        if len(self.in_model) > 1 and len(self.formel) == 2 ** len(self.in_model) - 1:
            return " * ".join(_ticked(written_name(n)) for n in self.in_model)
        return " + ".join(":".join(_ticked(written_name(n)) for n in p) for p in self.formel)

    @property
    def cells(self) -> list[str]:
        """Columns that divide the table and are not in the model."""
        return [written_name(n) for n in self.in_table if n not in self.in_model]

    @property
    def whole(self) -> bool:
        """Whether every part of a product is in the model itself, as R's treatment contrasts then have it."""
        have = {frozenset(p) for p in self.formel}
        less = (frozenset((*p[:k], *p[k + 1 :])) for p in self.formel if len(p) > 1 for k in range(len(p)))
        return all(part in have for part in less)

    def levels(self, table: Given) -> dict[str, list[int]]:
        """Levels of the covariates, the first the reference."""
        found = {}
        for name in self.all:
            values = table.column(name)
            found[written_name(name)] = [int(v) for v in np.unique(values[~np.isnan(values)])]
        return found


def covariates(call: RecordedCall, table: Given) -> Covariates:
    """`formel` and `elim` of a call, sums of products of columns of its table."""
    said = {a: read(call.values.get(a), call.args.get(a, "")) for a in ("formel", "elim")}
    found = Covariates(*(needed(v, f"{a} is not a sum of products of columns") for a, v in said.items()))
    lacking = next((n for n in found.all if written_name(n) not in table.names[table.n_answers :]), "")
    stays_if(lacking, f"{lacking} is not a column of its table")
    return found


def check_covariates(found: Covariates, table: Given) -> None:
    """Whether Python codes covariates of these rows as R does."""
    stays_if(not len(table.values), "no row has all the values that the model needs")
    for name in found.all:
        levels = np.unique(table.column(name))
        otherwise = not np.array_equal(levels, np.arange(1, len(levels) + 1))
        stays_if(otherwise, f"{name} is not coded 1, 2, ..., K, as prefmod assumes")
    stays_if(not found.whole, "R codes an interaction without its main effects differently")


def read(value: object, text: str = "") -> tuple[Product, ...] | None:
    """The products of a one-sided formula as recorded; () for `~1`, None for what is more than that."""
    if value is None and not text:
        return ()
    if not isinstance(value, RLang) or not value.text.lstrip().startswith("~"):
        return None
    inside = value.text.strip()[1:].strip()
    while inside.startswith("(") and inside.endswith(")") and "(" not in inside[1:]:
        inside = inside[1:-1].strip()
    summands = [s for s in inside.split("+") if not _ONE.fullmatch(s.strip())]
    if not summands:
        return ()
    rest = _NAME.sub(lambda found: f"`{found[0].strip('`')}`", "+".join(summands))
    try:
        return tuple(tuple(v.name for v in product) for product in products_of(rest))
    except FormulaError:
        return None


#: R against R on the same machine: the same operations, so that only another BLAS in the worker could differ.
AGAIN = "the same function of R on the same values"


def again(call: RecordedCall) -> Beside:
    """R asked again beside R in the script."""
    return Beside(call, SAME, AGAIN)


def formula(products: Sequence[Product]) -> str:
    """In R's words; "" where there are none."""
    return "~" + " + ".join(":".join(map(quoted_name, p)) for p in products) if products else ""


def _ticked(name: str) -> str:
    return "`C`" if name == "C" else quoted_name(name)


def read_pairs(
    function: str, arguments: tuple[Any, ...], options: Mapping[str, Any], always: bool = False
) -> Call:
    """A reader's call; with `pair_names="ignore"` where columns look like other pairs than prefmod reads."""
    read = Call(function, arguments, options)
    if not tried(read)[1]:
        return read
    ignoring = Call(function, arguments, {**options, "pair_names": "ignore"})
    return ignoring if always or not tried(ignoring)[1] else read
