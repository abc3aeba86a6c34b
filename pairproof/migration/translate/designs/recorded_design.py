"""The design of a recorded glm, gnm or polr as arrays, and a recognised model as a Python call.

The arrays: model matrix, response, the columns of its data.  The call: `fit_bradley_terry` or `fit_llbt`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....bridge.capture.recorded import LARGE, RecordedCall
from ....bridge.values.nodes import RLang, RList, RVector
from ...recognise.decide import Design, Recognised
from ...recognise.design_contests import Product, Variable
from ...recognise.design_terms import Model
from ..python_code import Call, File, quoted_name, stated, whole_numbers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: Columns of a model frame that are no covariates.
NOT_DATA = ("(weights)", "(offset)", "(eliminate)", "(etastart)", "(mustart)")
#: Numbers of a model matrix that are looked at: least squares on more take minutes.
MOST_NUMBERS = 5_000_000


class Unreadable(Exception):
    """What a recorded call lacks for being translated; its text is one sentence."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What R used to fit, and what came of it: coef float[p], nan for NA, vcov float[p, p], 0 there."""

    design: Design
    coef: FloatArray
    vcov: FloatArray
    y: FloatArray
    weights: FloatArray
    offset: FloatArray | None

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.design.x)

    def of(self, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Some of the coefficients, and their covariance."""
        at = [self.design.names.index(n) for n in names]
        return self.coef[at], self.vcov[np.ix_(at, at)]


def numbers(call: RecordedCall, key: str, what: str) -> FloatArray:
    """A numeric vector of the result."""
    found = call.result.get(key)
    if not isinstance(found, RVector) or found.values.dtype.kind not in "fib":
        raise Unreadable(f"its {what} was not recorded")
    return found.floats()


def design_of(call: RecordedCall, without: tuple[str, ...] = ()) -> tuple[Design, FloatArray, FloatArray]:
    """The design without some columns, and the coefficients and covariance in the order of the others."""
    x = call.result.get("x")
    if x == LARGE:
        raise Unreadable(
            "its model matrix has more than 6,000,000 numbers, which is the most that is recorded"
        )
    if not isinstance(x, RVector) or x.values.ndim != 2 or not x.dimnames or x.dimnames[1] is None:
        raise Unreadable("its model matrix was not recorded")
    names = x.dimnames[1]
    kept = [k for k, n in enumerate(names) if n not in without]
    matrix, names = x.floats()[:, kept], tuple(names[k] for k in kept)
    if matrix.size > MOST_NUMBERS:
        raise Unreadable(
            f"its model matrix has {matrix.size:,} numbers; at most {MOST_NUMBERS:,} are looked at"
        )
    if np.isnan(matrix).any() or np.isinf(matrix).any():
        raise Unreadable("its model matrix has values that are not finite")
    coef, vcov = coefficients(call, names)
    factors, numeric = _variables(call, len(matrix))
    items, covariates = _said_items(call, len(matrix))
    design = Design(matrix, names, ~np.isnan(coef), factors, numeric, items, covariates)
    return design, coef, vcov


def fitted_of(call: RecordedCall) -> Fitted:
    """What a glm or gnm was fitted to."""
    design, coef, vcov = design_of(call)
    y = numbers(call, "y", "response").ravel()
    n = len(design.x)
    weights = call.vector("prior_weights")
    w = np.ones(n) if weights is None or not len(weights) else weights.floats().ravel()
    offset = call.vector("offset")
    o = None if offset is None or not len(offset) else offset.floats().ravel()
    if (
        len(y) != n
        or len(w) != n
        or (o is not None and len(o) != n)
        or np.isnan(y).any()
        or np.isnan(w).any()
    ):
        raise Unreadable(f"its response has {len(y)} values, its model matrix {n} rows")
    return Fitted(design, coef, vcov, y, w, None if o is None or not o.any() else o)


def coefficients(call: RecordedCall, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """R's coefficients by the names of the columns, nan for NA, and their covariance, 0 for those."""
    found = call.vector("coef")
    if found is None:
        raise Unreadable("its coefficients were not recorded")
    values = found.floats().ravel()
    own = found.names or names
    if len(own) != len(values):
        raise Unreadable("its coefficients have no names")
    place = {n: k for k, n in enumerate(own)}
    absent = [n for n in names if n not in place]
    if absent:
        if len(values) != len(names):
            raise Unreadable(f"its coefficients are not those of its model matrix, which has {absent[0]!r}")
        place = {n: k for k, n in enumerate(names)}
    coef = np.array([values[place[n]] for n in names])
    spread = call.vector("vcov")
    vcov = np.full((len(names), len(names)), np.nan)
    if spread is not None and spread.values.ndim == 2:
        margin = spread.dimnames[0] if spread.dimnames and spread.dimnames[0] else own
        at = {n: k for k, n in enumerate(margin)}
        known = [k for k, n in enumerate(names) if n in at and not np.isnan(coef[k])]
        vcov[:] = 0.0
        matrix = spread.floats()
        places = [at[names[k]] for k in known]
        vcov[np.ix_(known, known)] = matrix[np.ix_(places, places)]
    return coef, vcov


def frames(call: RecordedCall, n: int) -> list[tuple[RList, bool]]:
    """The model frame, and the rows of the `data` argument that R used; True for the model frame."""
    found = []
    frame = call.frame("frame")
    if frame is not None:
        found.append((frame, True))
    data = call.values.get("data")
    if isinstance(data, RList):
        used = _rows_used(call, data, n)
        if used is not None:
            found.append((used, False))
    return [(f, own) for f, own in found if f.names and all(_length(v) == n for v in f.values)]


def _rows_used(call: RecordedCall, data: RList, n: int) -> RList | None:
    """The data without rows that a subset or missing values took out, by R's row names; None without them."""
    total = max((_length(v) for v in data.values), default=0)
    if total == n and call.result.get("na_action") is None and "subset" not in call.args:
        return data
    x = call.vector("x")
    labels = x.dimnames[0] if x is not None and x.dimnames else None
    own = data.attributes.get("row.names")
    if labels is None or not isinstance(own, RVector):
        return None
    texts = [str(v) for v in own.values.tolist()]
    names = texts if len(texts) == total and not own.na.any() else [str(k + 1) for k in range(total)]
    place = {name: k for k, name in enumerate(names)}
    if len(labels) != n or any(label not in place for label in labels):
        return None
    at = np.array([place[label] for label in labels], dtype=np.int64)
    plain = [
        v for v in data.values if isinstance(v, RVector) and v.values.ndim == 1 and len(v.values) == total
    ]
    if len(plain) != len(data.values):
        return None
    taken = tuple(RVector(v.values[at], v.na[at], None, None, v.levels, v.rclass) for v in plain)
    return RList(taken, data.names, data.rclass)


def trials(call: RecordedCall, fitted: Fitted) -> FloatArray:
    """float[n]: contests that R's binomial coefficients are of: the counts, whatever the weights."""
    frame = call.frame("frame")
    if frame is not None and len(frame.values) and isinstance(frame.values[0], RVector):
        response = frame.values[0]
        if response.values.ndim == 2 and response.values.shape == (fitted.n, 2):
            return np.asarray(response.floats().sum(axis=1))
    return fitted.weights


def _length(value: Any) -> int:
    return len(value.values) if isinstance(value, RVector) else -1


def response_name(call: RecordedCall, frame: RList) -> str:
    """The first column of a model frame."""
    return frame.names[0] if frame.names else ""


def _variables(call: RecordedCall, n: int) -> tuple[dict[str, Variable], dict[str, Variable]]:
    """Factors and text, and numbers, of the model frame and then of the data."""
    factors: dict[str, Variable] = {}
    numeric: dict[str, Variable] = {}
    for frame, own in frames(call, n):
        skip = {*NOT_DATA, response_name(call, frame)} if own else set()
        for name, column in zip(frame.names or (), frame.values):
            if name in skip or name in factors or name in numeric or not isinstance(column, RVector):
                continue
            if column.values.ndim != 1:
                continue
            variable = variable_of(name, column)
            if variable is not None:
                (factors if variable.levels else numeric)[name] = variable
    return factors, numeric


def variable_of(name: str, column: RVector) -> Variable | None:
    """A column of a data frame as a covariate; None for what is none."""
    missing = column.na.tolist()
    if column.levels is not None:
        codes = column.values.tolist()
        values = tuple(None if m else column.levels[int(v) - 1] for v, m in zip(codes, missing))
        return Variable(name, values, column.levels)
    if column.values.dtype.kind == "O":
        texts = tuple(None if m else str(v) for v, m in zip(column.values.tolist(), missing))
        return Variable(name, texts, tuple(sorted({t for t in texts if t is not None})))
    if column.values.dtype.kind in "fib":
        return Variable(name, tuple(column.floats().tolist()))
    return None


def _said_items(call: RecordedCall, n: int) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Item columns and item covariates that a design of prefmod's says (`objnames`, `objcovs`)."""
    data = call.values.get("data")
    if not isinstance(data, RList) or "llbtdes" not in data.rclass or data.names is None:
        return {}, {}
    labels = said_by(data, "objnames")
    if any(label not in data for label in labels) or any(_length(data[label]) != n for label in labels):
        return {}, {}
    return {label: data.vector(label).floats() for label in labels}, said_covariates(data) if labels else {}


def said_by(data: RList, attribute: str) -> tuple[str, ...]:
    """Names that a design of prefmod's says in an attribute."""
    found = data.attributes.get(attribute)
    return tuple(str(v) for v in found.values.tolist()) if isinstance(found, RVector) else ()


def said_covariates(data: RList) -> dict[str, FloatArray]:
    """Item covariates that a design of prefmod's says (`objcovs`)."""
    covs = data.attributes.get("objcovs")
    if not isinstance(covs, RVector) or covs.values.ndim != 2:
        return {}
    return {str(c): covs.floats()[:, k] for k, c in enumerate(covs.margin(1))}


def eliminated(call: RecordedCall) -> IntArray | None:
    """Levels of gnm's eliminated factor, from 0; None where nothing was eliminated."""
    found = call.vector("eliminated")
    if found is None or not len(found.values):
        return None
    _, codes = np.unique(found.values.astype(np.int64), return_inverse=True)
    return np.asarray(codes, dtype=np.int64).ravel()


def family_of(call: RecordedCall) -> tuple[str, str]:
    """Family and link: ("binomial", "logit"); ("", "") if there is none."""
    said = call.strings("family")
    return (said[0], said[1]) if len(said) >= 2 else ("", "")


def text_of(call: RecordedCall) -> str:
    """R's formula, for a look at its functions; "" if it was not recorded."""
    for found in (call.result.get("formula"), call.values.get("formula")):
        if isinstance(found, RLang):
            return found.text
    return ""


#: Columns that `pairproof.read` gives a meaning of its own.
RESERVED = frozenset(
    "first second wins losses ties outcome judge weight source order model_a model_b winner item".split()
)


def fit_call(
    found: Recognised,
    function: str,
    stem: str,
    *,
    ties: str | None = None,
    offset: FloatArray | None = None,
    link: str = "logit",
    half: bool = False,
    order_effect: bool | None = None,
) -> Call:
    """`pairproof.fit_llbt(pairproof.read(...), ...)`; ties, order_effect: in place of the model's own."""
    model = found.model
    named = _names(model)
    columns, mapping = _columns(found, half)
    columns.update({named[name]: column_of(v) for name, v in model.variables.items()})
    columns.update({named[name]: whole_numbers(v) for name, v in model.comparison.items()})
    if offset is not None:
        columns["offset"] = whole_numbers(offset)
    items = list(model.items)
    items = [] if items == _usual_order(columns, mapping) else items
    options = stated(layout="counts", columns=mapping, items=items)
    options |= levels_of(model.variables, named)
    options |= of_items(model.items, model.item_terms, named, stem)
    keywords = _keywords(model, function, named, ties, order_effect)
    keywords |= stated(offset=offset is not None and "offset", link=link != "logit" and link, cells="row")
    return Call(f"pairproof.{function}", (Call("pairproof.read", (File(columns, stem),), options),), keywords)


def renamed(model: Model, name: str) -> str:
    """The fit's name of one of our parameters, whose columns may have other names in the table."""
    named = _names(model)
    at = {label: of for label, of in _labels(model, named).items()}
    parts = name.split(":")
    return at.get(name, ":".join(at.get(p, p) for p in parts))


def _labels(model: Model, named: dict[str, str]) -> dict[str, str]:
    out = {n: named[n] for n in (*model.comparison, *model.item_terms)}
    for variable in model.variables.values():
        for label, _ in variable.columns():
            out[label] = named[variable.name] + label[len(variable.name) :]
    return out


def _names(model: Model) -> dict[str, str]:
    """Names of covariates as columns of the table: R's, but for those that mean something else there."""
    return safe_names([*model.variables, *model.comparison, *model.item_terms], model.items)


def safe_names(names: Sequence[str], items: Sequence[str]) -> dict[str, str]:
    """Names of covariates as columns of a table of these items."""
    taken = {*RESERVED, *items, "tie", "offset", "weights"}
    named: dict[str, str] = {}
    for name in names:
        chosen = re.sub(r"[`:\[\]*+]", "_", name) or "x"
        while chosen in taken:
            chosen += "_"
        taken.add(chosen)
        named[name] = chosen
    return named


def _columns(found: Recognised, half: bool) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """The contests as columns, and which of them have other names than `pairproof.read` expects."""
    model, contests = found.model, found.model.contests
    heads, mapping = ("first", "second"), {}
    if found.players is not None:
        turned = [model.items[k] for k in contests.first[:1]]
        named = found.players.columns
        plain = not {*named} & RESERVED and bool(turned)
        if plain:
            heads, mapping = named, {"first": named[0], "second": named[1]}
    columns: dict[str, list[Any]] = {
        heads[0]: [model.items[k] for k in contests.first],
        heads[1]: [model.items[k] for k in contests.second],
    }
    wins, losses, ties = contests.wins, contests.losses, contests.ties
    if half:
        ties = 2.0 * (wins % 1.0)
        wins, losses = np.floor(wins), np.floor(losses)
    columns["wins"] = whole_numbers(wins)
    if ties is not None:
        columns["ties"] = whole_numbers(ties)
    columns["losses"] = whole_numbers(losses)
    return columns, mapping


def _usual_order(columns: dict[str, list[Any]], mapping: dict[str, str]) -> list[str]:
    """The order of items that `pairproof.read` takes by itself; [] where it takes them for numbers."""
    one, other = (mapping or {"first": "first", "second": "second"}).values()
    found = sorted({*columns[one], *columns[other]})
    return [] if any(re.fullmatch(r"\s*[-+]?\d+\s*", name) for name in found) else found


def _keywords(
    model: Model, function: str, named: dict[str, str], ties: str | None, order_effect: bool | None
) -> dict[str, Any]:
    usual = model.items[-1] if function == "fit_llbt" else model.items[0]
    by = [product_text(p, named) for p in model.by]
    by += [f"{quoted_name(item)}:{product_text(p, named)}" for item, p in model.of_items]
    by += [f"{quoted_name(named[term])}:{product_text(p, named)}" for term, p in model.of_item_terms]
    by += [f"tie:{product_text(p, named)}" for p in model.of_ties]
    return stated(
        ties=ties if ties is not None else "none" if model.ties == "none" else None,
        reference=model.reference if model.reference != usual else "",
        item_terms=[named[n] for n in model.item_terms],
        by=" + ".join(by),
        order_effect=model.order_effect if order_effect is None else order_effect,
        comparison_terms=[quoted_name(named[n]) for n in model.comparison],
    )


def product_text(product: Product, named: dict[str, str]) -> str:
    """A product of covariates in a formula."""
    return ":".join(quoted_name(named[v.name]) for v in product.variables)


def column_of(variable: Variable, rows: IntArray | slice = slice(None)) -> list[Any]:
    """A covariate as a column, or some rows of it."""
    values = np.array(variable.values, dtype=object if variable.levels else float)[rows]
    return values.tolist() if variable.levels else whole_numbers(values)


def levels_of(variables: Mapping[str, Variable], named: Mapping[str, str]) -> dict[str, Any]:
    """`levels=` of a reader, if any covariate is a factor."""
    return stated(levels={named[n]: list(v.levels) for n, v in variables.items() if v.levels})


def of_items(
    items: Sequence[str], terms: Mapping[str, FloatArray], named: Mapping[str, str], stem: str
) -> dict[str, Any]:
    """`item_data=` of a reader, if the model has item covariates."""
    values = {named[n]: whole_numbers(v) for n, v in terms.items()}
    columns: dict[str, list[Any]] = {"item": list(items), **values}
    return {"item_data": File(columns, f"{stem}_items" if stem else "items")} if terms else {}
