"""R's paircomp and rankings, as recorded, as tables of the Python script.

itempar of psychotools and of PlackettLuce: worths, or log worths around their mean or less one item's.

A fit of Python has them as `m.worth()` and `m.with_reference(...).params`; worths relative to chosen items, and those
of models that R fitted, are R's through the bridge.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.psychotools import ItemParameters
from ...bridge.values.nodes import RList, RValue, RVector
from ...fit.fit import Fit
from ...validation.verdicts.agreement import Agreement
from .python_code import Call, File, Method, Result, attribute, columns_call, stated, table_call
from .rows import Beside, named
from .translation import IN_R, Context, Step, Translation, bridged, needed, stays_if

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


def first(call: RecordedCall, name: str, default: str) -> str:
    """The first of the result's strings of a name."""
    return (call.strings(name) or (default,))[0]


def unknown(call: RecordedCall, *names: str) -> str:
    """The first of these arguments that was given and whose value was not recorded; "" if there is none."""
    lost = (n for n in names if n in call.args and recorded(call, n) is None and call.args[n] != "NULL")
    return next(lost, "")


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


def taken(column: RVector, rows: NDArray[np.int64]) -> RVector:
    """Rows of a vector."""
    return RVector(column.values[rows], column.na[rows], None, None, column.levels, column.rclass)


def plain_values(column: RVector) -> list[Any]:
    """A column as Python values, None where it is missing: the level of a factor, 1 and 0 for TRUE and FALSE."""
    values: list[Any] = [None if m else v for v, m in zip(column.values.tolist(), column.na.tolist())]
    if column.levels is not None:
        return [None if v is None else column.levels[int(v) - 1] for v in values]
    return [None if v != v else int(v) if isinstance(v, bool) else v for v in values]


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
        signs = ([None if np.isnan(v) else int(v) for v in column] for column in self.signs.T)
        columns: dict[str, list[Any]] = dict(zip(self.names, signs))
        if self.weights is not None:
            columns[free(WEIGHT, columns)] = [float(w) for w in self.weights]
        coding: dict[str, Any] = {"first": 1, **({"tie": 0} if self.ties else {}), "second": -1}
        coding |= {"missing": "NA"} if np.isnan(self.signs).any() else {}
        options: dict[str, Any] = {"layout": "prefmod", "items": list(self.items), "pair_order": "prefmod"}
        unclear = len(set(self.names)) < len(self.names) or any(":" in item for item in self.items)
        more = {"pair_names": "ignore"} if unclear else {}
        return table_call(columns, stem, **options, coding=coding, **more)


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
        ranks = ([int(v) if v else None for v in column] for column in self.ranks.T)
        found: dict[str, list[Any]] = dict(zip(self.items, ranks))
        if self.weights is not None:
            found[free(WEIGHT, found)] = [float(w) for w in self.weights]
        return found

    def code(self, stem: str) -> Call:
        """`pairproof.read_respondents("data/STEM.csv", layout="ranks", ...)`."""
        options = stated(layout="ranks", items=list(self.items), unranked=self.partial and "absent")
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
    values = np.column_stack([v.floats() for v in columns])
    return RVector(values, np.column_stack([v.na for v in columns]), dimnames=(None, frame.names))


def _weights(weights: RVector | None, n: int) -> FloatArray | None:
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


CHOSEN = "Python has no function for worths relative to chosen items; m.worth() and m.contrast() return their components"


@dataclass(frozen=True)
class Package:
    """The package of R whose models itempar is of, by its module in the bridge.

    fitted: R's function in rows.  least, of_errors: digits of worths and of their standard errors.
    """

    name: str
    fitted: str
    least: float
    of_errors: float
    why: str

    def worths(self, call: RecordedCall, context: Context) -> Translation:
        """Worths of a fit in Python, or R's."""
        made = context.fit(call, next(iter(call.fits), "object"))
        found = needed(recorded_vector(call, "value"), "its value was not recorded")
        lost = unknown(call, "ref", "log")
        stays_if(lost, f"its {lost} could not be recorded")
        log, r = call.flag("log"), named(found)
        chosen, size = chosen_items(call, [*r]), max(map(abs, r.values()), default=0.0)
        beside, errors = (Beside(call, n, self.why, self.fitted) for n in (self.least, self.of_errors))
        fit, native = Result(made.call.id), isinstance(made.value, Fit)

        def of_params(params: Any) -> Sequence[Agreement]:
            ours = {str(n): v for n, v in params.items() if n in r}
            return beside.named("estimate", ours, r, {n: n for n in ours}, size)

        def of_table(table: Any) -> Sequence[Agreement]:
            rows, spread = beside.columns(table, {"worth": r}, {}, size), found.attributes.get("vcov")
            if not isinstance(spread, RVector) or spread.values.ndim != 2 or np.isnan(spread.floats()).all():
                return rows
            theirs = dict(zip(r, np.sqrt(np.diag(spread.floats())).tolist()))
            return rows + errors.columns(table, {"se": theirs}, {"se": "worth_se"})

        def of_r(value: ItemParameters) -> Sequence[Agreement]:
            return Beside(call).columns(value, {"estimate": r}, {"estimate": "estimate" if log else "worth"})

        if native and log and (chosen is None or len(chosen) == 1):
            moved = Method(fit, "with_reference", ("sum" if chosen is None else chosen[0],))
            return Translation("native", attribute(moved, "params"), judge=of_params)
        if native and chosen is None:
            return Translation("native", Method(fit, "worth"), judge=of_table)
        model = IN_R[made.call.function](made.call, context, CHOSEN).code if native else fit
        why = CHOSEN if native else "its model was fitted through the bridge"
        return bridged(why, f"{self.name}.itempar", [model], stated(ref=list(chosen or ()), log=log), of_r)


def chosen_items(call: RecordedCall, items: Sequence[str]) -> tuple[str, ...] | None:
    """Items given as `ref`, by name or number; None: all."""
    given = call.argument("ref")
    if given is None:
        return None
    known = [v if isinstance(v, str) else items[int(v) - 1] for v in given.values.ravel().tolist()]
    return None if set(known) == set(items) else tuple(known)
