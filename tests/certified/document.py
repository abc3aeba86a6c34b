"""A data set and a model -> the certified document: a fit, brought to its scale and constraint, as 50-digit
text.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mpmath import mp, mpf

from tests.certified.cells import Cell, effects, make_cells, parameter_names
from tests.certified.models import Model
from tests.certified.newton import Vector, exact, log_linear, maximise, probabilities, rao_kupper
from tests.certified.quasi import quasi_variances

#: Below this a parameter, deviance or covariance is an exact zero (saturated table, balanced design) in
#: rounding noise.
ZERO = "1e-60"

HOW = (
    "Newton's method in mpmath at 100 digits until every component of the gradient is below 1e-80; bse and"
    " cov_params from the inverse of the observed information; rounded to 50 significant digits. See"
    " README.md."
)


def text(number: mpf, may_be_zero: bool = True) -> str:
    """50 significant digits; 0.0 for rounding noise around an exact zero, where one can occur."""
    if may_be_zero and abs(number) < mpf(ZERO):
        return "0.0"
    return str(mp.nstr(number, 50))


def deviance(cells: list[Cell], fitted: list[list[mpf]]) -> mpf:
    """2 sum y log(y / (n p)) over cells and categories; an empty category adds nothing."""
    total = mpf(0)
    for cell, p in zip(cells, fitted):
        counts = [exact(count) for count in cell.counts if count is not None]
        n = exact(cell.total())
        total += 2 * mp.fsum(y * mp.log(y / (n * q)) for y, q in zip(counts, p) if y)
    return total


def contrasts(cells: list[Cell]) -> int:
    """Independent counts: sum over cells of (categories - 1)."""
    return sum(1 if cell.counts[1] is None else 2 for cell in cells)


def reported(
    names: list[str], data: dict[str, Any], model: Model, reference: str | None
) -> tuple[list[str], mp.matrix]:
    """Names as reported, and the matrix that takes the log-odds parameters to them.

    Item terms are halved on the lambda scale; with sum-to-zero each block of item terms (the main one, and
    one for each effect) gets its missing item back and is centred.
    """
    scale = mpf(1) / 2 if model.scale_name() == "lambda" else mpf(1)
    column = {name: k for k, name in enumerate(names)}
    own = [name for name in names if name.split(":")[0] in ("tie", "order")]
    item_terms = [name for name in names if name not in own]
    rows: list[tuple[str, dict[str, mpf]]] = []
    if model.reference_item(data["items"]) != "sum":
        rows = [(name, {name: scale}) for name in item_terms]
    else:
        suffixes = list(dict.fromkeys(name.partition(":")[2] for name in item_terms))
        for suffix in suffixes:
            block = [item + (f":{suffix}" if suffix else "") for item in data["items"]]
            share = scale / len(block)
            for name in block:
                centred = {
                    other: (scale if other == name else 0) - share for other in block if other in column
                }
                rows.append((name, centred))
    rows += [(name, {name: mpf(1)}) for name in own]
    matrix = mp.zeros(len(rows), len(names))
    for k, (_, coefficients) in enumerate(rows):
        for name, coefficient in coefficients.items():
            matrix[k, column[name]] = coefficient
    return [name for name, _ in rows], matrix


def _groups(data: dict[str, Any], model: Model) -> dict[str, dict[str, Any]]:
    """Distinct values of the columns the items depend on: {"judge=3": a row}; {"all": {}} without."""
    columns = model.terms()[0]
    if not columns:
        return {"all": {}}
    rows = sorted(data["rows"], key=lambda row: tuple(row[column] for column in columns))
    return {", ".join(f"{column}={row[column]}" for column in columns): row for row in rows}


def _ability_map(data: dict[str, Any], model: Model, names: list[str], group: dict[str, Any]) -> mp.matrix:
    """Matrix from the log-odds parameters to the abilities of all items in one group."""
    place = {name: k for k, name in enumerate(names)}
    matrix = mp.zeros(len(data["items"]), len(names))
    for i, item in enumerate(data["items"]):
        if model.item_covariates:
            for name, values in data["item_data"].items():
                matrix[i, place[name]] = mpf(values[item])
            continue
        terms = {item: mpf(1)}
        for column in model.terms()[0]:
            terms.update(
                {f"{item}:{n}": exact(c) for n, c in effects(column, group[column], data["rows"]).items()}
            )
        for name, coefficient in terms.items():
            if name in place:
                matrix[i, place[name]] = coefficient
    return matrix


def _worths(
    data: dict[str, Any], model: Model, names: list[str], beta: Vector, covariance: mp.matrix
) -> dict[str, Any]:
    """Worths (softmax of log-odds abilities), their delta-method standard errors, and quasi-variances, by
    group.
    """
    out: dict[str, Any] = {"worth": {}, "worth_se": {}, "quasi_variances": {}}
    items = data["items"]
    for group, row in _groups(data, model).items():
        m = _ability_map(data, model, names, row)
        b = [mp.fsum(m[i, k] * beta[name] for k, name in enumerate(names)) for i in range(len(items))]
        weights = [mp.exp(value) for value in b]
        total = mp.fsum(weights)
        worth = [w / total for w in weights]
        v = m * covariance * m.T
        jacobian = mp.matrix(len(items), len(items))
        for i in range(len(items)):
            for j in range(len(items)):
                jacobian[i, j] = worth[i] * ((1 if i == j else 0) - worth[j])
        worth_v = jacobian * v * jacobian.T
        quasi = quasi_variances(v)
        out["worth"][group] = {item: text(worth[i], False) for i, item in enumerate(items)}
        out["worth_se"][group] = {item: text(mp.sqrt(worth_v[i, i]), False) for i, item in enumerate(items)}
        out["quasi_variances"][group] = quasi and {item: text(quasi[i]) for i, item in enumerate(items)}
    return out


def _null(cells: list[Cell], names: list[str], ties: str) -> dict[str, Any]:
    """Three null models: every parameter 0; only `tie` estimated; `tie` and `order` estimated, items
    equal.
    """
    zero = None
    if ties != "rao-kupper":  # at tie = 0 it allows no tie at all
        flat = [probabilities(cell, [], {}, ties) for cell in cells]
        zero = {"deviance": text(deviance(cells, flat)), "df": contrasts(cells)}
    return {
        "zero": zero,
        "tie-only": _null_with(cells, names, ties, ("tie",)),
        "items-equal": _null_with(cells, names, ties, ("tie", "order")),
    }


def _null_with(cells: list[Cell], names: list[str], ties: str, families: tuple[str, ...]) -> dict[str, Any]:
    """The model with only the parameters of these families."""
    kept = [name for name in names if name.split(":")[0] in families]
    best = maximise(rao_kupper if ties == "rao-kupper" else log_linear, cells, kept, _start(kept, ties))
    fitted = [probabilities(cell, kept, best.beta, ties) for cell in cells]
    return {"deviance": text(deviance(cells, fitted)), "df": contrasts(cells) - len(kept)}


def _start(names: list[str], ties: str) -> Vector:
    return {name: mpf(1) / 2 if name == "tie" and ties == "rao-kupper" else mpf(0) for name in names}


def _cell_entry(cell: Cell, p: list[mpf]) -> dict[str, Any]:
    """One cell of the deviance's table: counts and fitted probabilities, from the side of the earlier
    item.
    """
    outcomes = zip(("wins", "ties", "losses"), cell.counts)
    counts = {key: text(exact(count)) for key, count in outcomes if count is not None}
    keys = ("p_win", "p_loss") if len(p) == 2 else ("p_win", "p_tie", "p_loss")
    fitted = {key: text(q, False) for key, q in zip(keys, p)}
    return {"first": cell.first, "second": cell.second, **cell.label, **counts, **fitted}


def _without_ties(cells: list[Cell]) -> list[Cell]:
    return [replace(cell, counts=(cell.counts[0], None, cell.counts[2])) for cell in cells]


def _two_sided(estimate: mpf, se: mpf) -> str:
    """Normal p-value of estimate / se; exactly 1 where the estimate is exactly 0."""
    return text(mp.erfc(abs(estimate) / se / mp.sqrt(2)), False) if abs(estimate) > mpf(ZERO) else "1.0"


def _upper_tail(deviance: mpf, df: int) -> str:
    """P(chi-squared with df degrees of freedom > deviance)."""
    return text(mp.gammainc(mpf(df) / 2, deviance / 2, mp.inf, regularized=True), False)


def certify(data: dict[str, Any], model: Model) -> dict[str, Any]:
    """The certified document of one model on one data set, ready for JSON.

    Where no tie occurred although it could have, Davidson's `tie` is minus infinity: it is named in
    `not_estimable`, everything else is the limit, and df counts it.
    """
    items = data["items"]
    reference = model.reference_item(items)
    internal = items[-1] if reference == "sum" else reference
    cells = make_cells(data, model, internal)
    names = parameter_names(cells, data, model, internal)
    boundary = model.ties == "davidson" and not any(cell.counts[1] for cell in cells)
    lost = ["tie"] if boundary else []
    names = [name for name in names if name not in lost]
    fitted_cells = _without_ties(cells) if boundary else cells
    likelihood = rao_kupper if model.ties == "rao-kupper" else log_linear
    best = maximise(likelihood, fitted_cells, names, _start(names, model.ties))
    p = [probabilities(cell, names, best.beta, model.ties) for cell in fitted_cells]
    dev, llf, k = deviance(fitted_cells, p), best.at.llf, len(names)
    df = contrasts(cells) - k - len(lost)
    n = mp.fsum(exact(cell.total()) for cell in cells)

    out_names, matrix = reported(names, data, model, reference)
    estimate = matrix * mp.matrix([best.beta[name] for name in names])
    covariance = matrix * best.covariance * matrix.T
    se = [mp.sqrt(covariance[i, i]) for i in range(len(out_names))]
    null = _null(fitted_cells, names, model.ties)
    if boundary:  # in the full table a tie weighs 1 at all-zero parameters, and df keep counting it
        df_null = contrasts(cells) - len(lost)
        null = {
            "zero": _null(cells, names, model.ties)["zero"],
            "tie-only": {**null["tie-only"], "df": df_null},
            "items-equal": {**null["items-equal"], "df": df_null},
        }
    return {
        "id": f"{data['id']}--{model.slug()}",
        "what": data["what"],
        "source": data["source"],
        "model": {
            "family": model.family,
            "ties": model.ties,
            "by": model.by,
            "order_effect": model.order_effect,
            "scale": model.scale_name(),
            "reference": reference,
            "tie_category": data["tie_category"],
            "cells": model.cells,
            "item_covariates": list(data["item_data"]) if model.item_covariates else None,
        },
        "items": items,
        "item_data": data["item_data"] if model.item_covariates else None,
        "params": {name: text(estimate[i]) for i, name in enumerate(out_names)},
        "bse": {name: text(se[i]) for i, name in enumerate(out_names)},
        "pvalues": {name: _two_sided(estimate[i], se[i]) for i, name in enumerate(out_names)},
        "cov_params": {
            "names": out_names,
            "rows": [
                [text(covariance[i, j]) for j in range(covariance.cols)] for i in range(covariance.rows)
            ],
        },
        "not_estimable": lost,
        "deviance": text(dev),
        "df_resid": df,
        "gof_p": _upper_tail(dev, df) if df and model.ties != "half" else None,
        "llf": text(llf),
        "quasi_likelihood": model.ties == "half",
        "n_params": k,
        "n_comparisons": text(n),
        "aic": text(-2 * llf + 2 * (k + len(lost))),  # what is infinite was fitted, as in df
        "bic": text(-2 * llf + (k + len(lost)) * mp.log(n)),
        "null": null,
        **_worths(data, model, names, best.beta, best.covariance),
        "cells": [_cell_entry(cell, q) for cell, q in zip(fitted_cells, p)],
        "data": data["rows"],
        "how": HOW,
    }
