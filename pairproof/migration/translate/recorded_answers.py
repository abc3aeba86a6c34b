"""R's paircomp and rankings, as recorded, as tables of the Python script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bridge.capture.recorded import RecordedCall
from ...bridge.values.nodes import RList, RValue, RVector
from .python_code import Call, File, columns_call, table_call

FloatArray = NDArray[np.float64]
#: Column of the CSV file that holds how often a row counts.
WEIGHT = "weight"
#: A count that misses a whole number, or a half, by this part of itself is one: it is a share times a weight.
WHOLE = 1e-9


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


def unknown(call: RecordedCall, *names: str) -> str:
    """The first of these arguments that was given and whose value was not recorded; "" if there is none."""
    lost = (n for n in names if n in call.args and recorded(call, n) is None and call.args[n] != "NULL")
    return next(lost, "")


def counts(values: FloatArray) -> FloatArray:
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
    signs: FloatArray
    ties: bool
    weights: FloatArray | None

    @property
    def names(self) -> list[str]:
        """Names of the columns, "A:B"."""
        return [f"{self.items[i]}:{self.items[j]}" for j in range(len(self.items)) for i in range(j)]

    def code(self, stem: str) -> Call:
        """`pairproof.read("data/STEM.csv", layout="prefmod", ...)`."""
        columns: dict[str, list[Any]] = {
            name: [None if np.isnan(v) else int(v) for v in self.signs[:, k]]
            for k, name in enumerate(self.names)
        }
        if self.weights is not None:
            columns[_free(WEIGHT, columns)] = [float(w) for w in self.weights]
        coding: dict[str, Any] = {"first": 1}
        if self.ties:
            coding["tie"] = 0
        coding["second"] = -1
        if np.isnan(self.signs).any():
            coding["missing"] = "NA"
        options: dict[str, Any] = {"layout": "prefmod", "items": list(self.items), "pair_order": "prefmod"}
        options["coding"] = coding
        if len(self.items) * (len(self.items) - 1) // 2 != len(set(self.names)) or any(
            ":" in item for item in self.items
        ):
            options["pair_names"] = "ignore"
        return table_call(columns, stem, **options)


def pairs_of(value: RValue, weights: RVector | None) -> Pairs | None:
    """A recorded paircomp; None if it is none, or has degrees or orders of presentation."""
    if not isinstance(value, RVector) or "paircomp" not in value.rclass or value.values.ndim != 2:
        return None
    labels, ordered = value.attributes.get("labels"), value.attributes.get("ordered")
    if not isinstance(labels, RVector) or isinstance(ordered, RVector) and bool(ordered.values.ravel()[0]):
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
    ranks: NDArray[np.int64]
    weights: FloatArray | None

    @property
    def partial(self) -> bool:
        """Whether some item has no rank."""
        return bool((self.ranks == 0).any())

    @property
    def tied(self) -> bool:
        """Whether two items of a ranking share a rank."""
        return any(len(np.unique(r[r > 0])) < int((r > 0).sum()) for r in self.ranks)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A column an item, then the weights; an item without a rank is empty."""
        found: dict[str, list[Any]] = {
            item: [int(v) if v else None for v in self.ranks[:, k]] for k, item in enumerate(self.items)
        }
        if self.weights is not None:
            found[_free(WEIGHT, found)] = [float(w) for w in self.weights]
        return found

    def code(self, stem: str) -> Call:
        """`pairproof.read_respondents("data/STEM.csv", layout="ranks", ...)`."""
        options: dict[str, Any] = {"layout": "ranks", "items": list(self.items)}
        if self.partial:
            options["unranked"] = "absent"
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
        value = _matrix(value)
    if not isinstance(value, RVector) or value.values.ndim != 2 or value.dimnames is None:
        return None
    if value.dimnames[1] is None:
        return None
    ranks = np.where(value.na, 0, np.nan_to_num(value.floats())).astype(np.int64)
    known = _weights(weights, len(ranks))
    kept = (ranks > 0).sum(axis=1) > 1
    if known is not None:
        kept &= known > 0
    return Rankings(tuple(value.dimnames[1]), ranks[kept], None if known is None else known[kept])


def _matrix(frame: RList) -> RVector | None:
    """A data frame of ranks as a matrix."""
    columns = [
        v for v in frame.values if isinstance(v, RVector) and v.values.dtype.kind in "fi" and v.levels is None
    ]
    if frame.names is None or not columns or len(columns) < len(frame):
        return None
    values = np.column_stack([v.floats() for v in columns])
    return RVector(values, np.column_stack([v.na for v in columns]), dimnames=(None, frame.names))


def _weights(weights: RVector | None, n: int) -> FloatArray | None:
    """Weights, one a row; None where all are 1."""
    if weights is None:
        return None
    found = np.resize(weights.floats(), n) if 0 < len(weights) <= n else np.ones(n)
    return None if (found == 1.0).all() else found


def _free(name: str, taken: Sequence[str] | dict[str, Any]) -> str:
    # An item may be called "weight"; the table has no other name for it, and its reader refuses the column.
    return name if name not in taken else f"{name}_"
