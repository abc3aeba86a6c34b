"""What R recorded of a call, read; what is not there leaves the call in R.

R's paircomp and rankings, as recorded, as tables of the Python script.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, Union, cast

import numpy as np
from numpy.typing import NDArray

from ...bridge.capture.recorded import RecordedCall
from ...bridge.values.nodes import RList, RValue, RVector
from ...data.wide import prefmod_pair_order
from .python_code import Call, File, columns_call, stated, table_call

T = TypeVar("T")
#: Arrays of numbers, of positions, and of truths; numbers by name.
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Arrays = Mapping[str, Floats]
#: Column of the CSV file that holds how often a row counts.
WEIGHT = "weight"
#: A count that misses a whole number, or a half, by this part of itself is one: it is a share times a weight.
WHOLE = 1e-9


class StaysInR(Exception):
    """Why a call has no counterpart in Python; its text is one sentence."""


def needed(value: T | None, why: str) -> T:
    """The value; where there is none, the call stays in R."""
    if value is None:
        raise StaysInR(why)
    return value


def held(value: object, kind: type[T], why: str) -> T:
    """The value, which is of this kind; where it is of another, the call stays in R."""
    stays_if(not isinstance(value, kind), why)
    return cast(T, value)


def stays_if(holds: object, why: str) -> None:
    """The call stays in R where this holds."""
    if holds:
        raise StaysInR(why)


def recorded(call: RecordedCall, *names: str) -> RValue:
    """The first of these that the call has among its results, else among its arguments; or None."""
    for held in (call.result, call.values):
        for name in names:
            if held.get(name) is not None:
                return held[name]
    return None


def recorded_vector(call: RecordedCall, *names: str) -> RVector | None:
    """The same, if it is an atomic vector."""
    found = recorded(call, *names)
    return found if isinstance(found, RVector) else None


def first(call: RecordedCall, name: str, default: str) -> str:
    """The first of the result's strings of a name."""
    return (call.strings(name) or (default,))[0]


def all_known(call: RecordedCall, *names: str) -> None:
    """The call stays in R where one of these arguments was given and its value was not recorded."""
    for n in names:
        lost = n in call.args and recorded(call, n) is None and call.args[n] != "NULL"
        stays_if(lost, f"its {n} could not be recorded")


def one(value: RVector, kind: type) -> Any:
    """One value of a kind (R takes any number but 0 for TRUE); None if it is none, or NA."""
    found = value.scalar() if value.values.size == 1 and not value.na.any() else None
    return None if found is None or found != found or (kind is str) != isinstance(found, str) else kind(found)


#: Argument of R -> its type, or what makes it (None: it is no such thing), and its default.
Declared = Mapping[str, tuple[Union[type, Callable[[RVector], Any]], Any]]


def options_of(declared: Declared, value: Callable[[str], RValue]) -> dict[str, Any]:
    """Arguments that were given and are not R's default, in the order of their declaration, by Python's names."""
    given = ((name, kind, default, value(name)) for name, (kind, default) in declared.items())
    found: dict[str, Any] = {}
    for name, kind, default, v in given:
        read = (one(v, kind) if isinstance(kind, type) else kind(v)) if isinstance(v, RVector) else None
        if read is not None and read != default:
            found[name.replace(".", "_")] = read
    return found


def vectors_of(frame: RValue) -> dict[str, RVector]:
    """The columns of a data frame that are plain vectors, by name."""
    if not isinstance(frame, RList):
        return {}
    found = zip(frame.names or (), frame.values)
    return {n: v for n, v in found if isinstance(v, RVector) and v.values.ndim == 1}


def taken(column: RVector, rows: Ints) -> RVector:
    """Rows of a vector."""
    return RVector(column.values[rows], column.na[rows], None, None, column.levels, column.rclass)


def plain_values(column: RVector) -> list[Any]:
    """A column as Python values, None where it is missing: the level of a factor, 1 and 0 for TRUE and FALSE."""
    values: list[Any] = [None if m else v for v, m in zip(column.values.tolist(), column.na.tolist())]
    if column.levels is not None:
        return [None if v is None else column.levels[int(v) - 1] for v in values]
    return [None if v != v else int(v) if isinstance(v, bool) else v for v in values]


def counts(values: Floats) -> Floats:
    """Counts without the rounding of share times weight, to whole numbers and halves."""
    halves = np.round(2.0 * values) / 2.0
    return np.where(np.abs(values - halves) <= WHOLE * np.maximum(1.0, halves), halves, values)


@dataclass(frozen=True, eq=False)
class Pairs:
    """A paircomp.

    signs float[judges, pairs]: 1 the first item is preferred, -1 the second, 0 neither, NaN not compared;
    pairs (12)(13)(23)(14)...  ties: whether "neither" is on its scale.  weights float[judges] or None: none:
    each judge once.
    """

    items: tuple[str, ...]
    signs: Floats
    ties: bool
    weights: Floats | None

    @property
    def names(self) -> list[str]:
        """Names of the columns, "A:B"."""
        return [f"{self.items[i]}:{self.items[j]}" for i, j in prefmod_pair_order(len(self.items))]

    def code(self, stem: str) -> Call:
        """`pairproof.read("data/STEM.csv", layout="prefmod", ...)`."""
        signs = ([None if np.isnan(v) else int(v) for v in column] for column in self.signs.T)
        columns: dict[str, list[Any]] = dict(zip(self.names, signs))
        if self.weights is not None:
            columns[free(WEIGHT, columns)] = [float(w) for w in self.weights]
        missing = bool(np.isnan(self.signs).any())
        coding = stated(first=1, tie=0 if self.ties else None, second=-1, missing=missing and "NA")
        options: dict[str, Any] = {"layout": "prefmod", "items": list(self.items), "pair_order": "prefmod"}
        unclear = len(set(self.names)) < len(self.names) or any(":" in item for item in self.items)
        return table_call(columns, stem, **options, coding=coding, **stated(pair_names=unclear and "ignore"))


def pairs_of(value: RValue, weights: RVector | None) -> Pairs | None:
    """A recorded paircomp; None if it is none, or has degrees or orders of presentation."""
    if not isinstance(value, RVector) or "paircomp" not in value.rclass or value.values.ndim != 2:
        return None
    labels, ordered = value.attributes.get("labels"), value.attributes.get("ordered")
    if not isinstance(labels, RVector) or isinstance(ordered, RVector) and ordered.values.any():
        return None
    items = tuple(str(v) for v in labels.values.tolist())
    signs = np.where(value.na, np.nan, value.floats())
    if signs.shape[1] != len(items) * (len(items) - 1) // 2 or np.nanmax(np.abs(signs), initial=0.0) > 1:
        return None
    scale = value.attributes.get("mscale")
    ties = isinstance(scale, RVector) and bool((scale.floats() == 0).any()) or bool((signs == 0).any())
    return Pairs(items, signs, ties, _weights(weights, len(signs)))


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings: ranks int[rankings, items], 1 the best, 0 not ranked; weights float[rankings] or None."""

    items: tuple[str, ...]
    ranks: Ints
    weights: Floats | None

    @property
    def tied(self) -> bool:
        """Whether two items of a ranking share a rank."""
        return any(len(np.unique(r[r > 0])) < int((r > 0).sum()) for r in self.ranks)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A column an item, then the weights; an item without a rank is empty."""
        ranks = ([int(v) if v else None for v in column] for column in self.ranks.T)
        found: dict[str, list[Any]] = dict(zip(self.items, ranks))
        if self.weights is not None:
            found[free(WEIGHT, found)] = [float(w) for w in self.weights]
        return found

    def code(self, stem: str) -> Call:
        """`pairproof.read_respondents("data/STEM.csv", layout="ranks", ...)`."""
        partial = bool((self.ranks == 0).any())
        options = stated(layout="ranks", items=list(self.items), unranked=partial and "absent")
        return Call("pairproof.read_respondents", (File(self.columns, stem),), options)

    def frame_code(self, stem: str) -> Call:
        """`pairproof.bridge.read_frame("data/STEM.csv")`, of the ranks alone."""
        return columns_call({item: self.columns[item] for item in self.items}, stem)


def rankings_of(value: RValue, weights: RVector | None) -> Rankings | None:
    """Recorded rankings without those that compare nothing; None if it is none."""
    if isinstance(value, RList) and "aggregated_rankings" in value.rclass and "ranking" in value:
        weights = value["freq"] if weights is None and "freq" in value else weights
        value = value["ranking"]
    if isinstance(value, RVector) and "grouped_rankings" in value.rclass:
        value = value.attributes.get("rankings")
    if isinstance(value, RList) and "data.frame" in value.rclass:
        value = matrix_of(value)
    if not isinstance(value, RVector) or value.values.ndim != 2 or not value.margin(1):
        return None
    ranks = np.where(value.na, 0, np.nan_to_num(value.floats())).astype(np.int64)
    known = _weights(weights, len(ranks))
    kept = ((ranks > 0).sum(axis=1) > 1) & (True if known is None else known > 0)
    return Rankings(tuple(value.margin(1)), ranks[kept], None if known is None else known[kept])


def matrix_of(frame: RList) -> RVector | None:
    """A data frame of numbers as a matrix."""
    vectors = [v for v in frame.values if isinstance(v, RVector) and v.levels is None]
    columns = [v for v in vectors if v.values.dtype.kind in "fi"]
    if frame.names is None or not columns or len(columns) < len(frame):
        return None
    values, na = (np.column_stack(part) for part in zip(*((v.floats(), v.na) for v in columns)))
    return RVector(values, na, dimnames=(None, frame.names))


def _weights(weights: RVector | None, n: int) -> Floats | None:
    """Weights, one a row; None where all are 1."""
    if weights is None:
        return None
    found = np.resize(weights.floats(), n) if 0 < len(weights) <= n else np.ones(n)
    return None if (found == 1.0).all() else found


def free(name: str, taken: Container[str]) -> str:
    """The name, with as many "_" behind it as make it one that is not taken."""
    while name in taken:
        name += "_"
    return name
