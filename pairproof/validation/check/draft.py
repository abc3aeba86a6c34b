"""A claims file begun from a table: its data, its model, and a place for every number a paper may print."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_origin

from ...data.columns import Factor, natural_order
from ...data.comparisons import Comparisons
from ...data.respondents.respondents import Respondents
from ...errors import InputError, NotEstimableError
from ...fit.estimates.specification import FAMILIES
from ...fit.fit import Fit
from ...text import toml, toml_lines
from ..claims.data import fit_model
from ..claims.entries import entries
from ..claims.paper import UNFILLED, ModelClaim, PrintedEntries, PrintedQuantity
from ..claims.quantities import DF_OF
from ..verdicts.definitions import DEFAULT, may_have_prior

#: Rows written into the claims file itself; a longer table becomes a CSV file beside it, with its hash.
MOST_INLINE = 400
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Draft:
    """A claims file to fill in, and the data file that goes beside it."""

    claims: str
    csv: str
    csv_name: str
    n_numbers: int


def draft(
    table: Comparisons | Respondents,
    model: ModelClaim,
    paper: str,
    title: str = "",
    numbers: Sequence[PrintedQuantity] = (),
    stated: Mapping[str, Any] = MappingProxyType({}),
) -> Draft:
    """A claims file: as it stands it is valid, and compares native with R.

    model: of persons' whole answers it may have no family; the check then says which there are.
    numbers: what the page prints, in its order; without any the file has a place for each, to fill in.
    stated: further keys of the claim that the page gives, such as `where` and `aic_definition`.
    """
    if not _BARE.fullmatch(paper):
        raise InputError(f"paper id {paper!r}: expected letters, digits, hyphens, such as firth-2005")
    fit = _fit(table, model)
    _check_levels(table, fit)
    if isinstance(table, Comparisons):
        data: dict[str, Any] = {"kind": "counts", "items": table.items}
        columns, rows = _rows(table, fit, model)
    else:
        data, columns, rows = _answers(table, fit)
    if item_data := _item_data(table):
        data["item_data"] = item_data
    beside = _csv([columns, *rows]) if len(rows) > MOST_INLINE else ""
    name = f"{paper}.csv" if beside else ""
    if beside:
        digest = hashlib.sha256(beside.encode()).hexdigest()
        data |= {"kind": "file", "file": name, "sha256": digest}
    else:
        data["columns"] = columns
    lines = [
        '# Printed numbers are strings, one number each, exactly as printed on the page ("0.190" keeps its'
        " zero).",
        "",
        "[paper]",
        *toml_lines({"id": paper, "title": title or UNFILLED[0]}),
        '# doi = "10...."',
        *toml_lines({"read_from": UNFILLED[1]}),
        "",
        "[data.table]",
        *toml_lines(data),
        *([] if beside else ["rows = [", *(f"    {toml(row)}," for row in rows), "]"]),
        *toml_lines({"note": f"read from {Path(table.source).name}"}),
        "",
        *_claim(fit, model, numbers, stated),
        "",
    ]
    return Draft("\n".join(lines), beside, name, len(numbers) or int(fit.free.sum()))


def _fit(table: Comparisons | Respondents, model: ModelClaim) -> Fit:
    """The fit of the model, which has the names of its numbers; without a family that of one that has them too."""
    if isinstance(table, Comparisons) or model.family in FAMILIES:
        return fit_model(table if isinstance(table, Comparisons) else table.to_comparisons(), model)
    named = model
    if not model.family:
        named = replace(model, family="pattern" if table.kind == "comparisons" else "plackett-luce")
    try:
        return fit_model(table, named)
    except NotEstimableError:
        if not may_have_prior(named):
            raise
        # The page may have it, and the names are the same.
        return fit_model(table, replace(named, npseudo=DEFAULT))


def _item_data(table: Comparisons | Respondents) -> dict[str, dict[str, Any]]:
    """Item covariates: column, then item and value; items without a value are left out."""
    found: dict[str, dict[str, Any]] = {}
    for name, column in table.item_data.items():
        values = (
            [column.levels[c] if c >= 0 else None for c in column.codes]
            if isinstance(column, Factor)
            else column.tolist()
        )
        known = zip(table.items, values)
        found[name] = {i: _plain(v, False) for i, v in known if v is not None and v == v}
    return found


def _answers(table: Respondents, fit: Fit) -> tuple[dict[str, Any], list[str], list[list[Any]]]:
    """Persons' whole answers as they are: how they are to be read, the columns and the rows."""
    used = dict.fromkeys([*(c for t in fit.terms for c, _ in t.by), *fit.spec.cells])
    kept = table.changed(columns={name: c for name, c in table.columns.items() if name in used}).merged()
    how: dict[str, Any] = {}
    if table.kind == "comparisons":
        coding = {"first": 1, **({"tie": 0} if table.tie_category else {}), "second": -1, "missing": "NA"}
        layout, how = "pairs", {"pair_order": "prefmod", "coding": coding}
    elif table.kind == "ratings":
        low = table.scale[0] < table.scale[-1]
        scale = [_plain(point, False) for point in table.scale]
        layout, how = "ratings", {"scale": scale, "best": "low" if low else "high"}
    else:
        layout, how = "ranks", {"unranked": {"0": "below", "NA": "absent"}}
    if table.kind != "ratings":
        how["tie_category"] = table.tie_category
    if table.n_times > 1:
        how["times"] = [f".{time}" for time in table.times]
    frame = kept.to_frame()
    cells = frame.itertuples(index=False, name=None)
    rows = [["" if v is None or v != v else _plain(v, False) for v in row] for row in cells]
    data = {"kind": "answers", "layout": layout, "how": how, "items": table.items}
    return data, [*map(str, frame.columns)], rows


def _check_levels(table: Comparisons | Respondents, fit: Fit) -> None:
    """A claims file states no order of levels: those in the model must be in the readers' own order."""
    of_items = (t.covariate for t in fit.terms if t.covariate)
    for name in dict.fromkeys([*(c for t in fit.terms for c, _ in (*t.of, *t.by)), *of_items]):
        column = table.columns.get(name, table.item_data.get(name))
        if isinstance(column, Factor) and column.levels != natural_order(column.levels):
            own, usual = (", ".join(levels[:6]) for levels in (column.levels, natural_order(column.levels)))
            order = f"are in the order {own}, but a claims file uses the order of the readers ({usual})"
            raise InputError(f"{table.source}, column {name!r}: its levels {order}; rename them in the table")


def _rows(table: Comparisons, fit: Fit, model: ModelClaim) -> tuple[list[str], list[list[Any]]]:
    """The rows as they stand: neither turned nor added up, since a deviance may be of the rows, and so may be
    R's AIC.

    Single comparisons (weights of 1) lose nothing but their order if those of a pair in one order are added
    up: a deviance of single comparisons is -2 log L, whatever the rows.
    """
    frame = table.to_frame()
    # What a formula is made of stands in no name that could be relied on.
    all_columns = "row" in fit.spec.cells or bool(
        model.formula or model.comparison_terms or model.offset or model.weights
    )
    needed = [*(c for t in fit.terms for c, _ in (*t.of, *t.by)), *(c for c in fit.spec.cells if c != "row")]
    needed.append("judge")  # a deviance may be of each judge's rows
    if fit.spec.order_effect:
        needed.append("order")
    used = [c for c in dict.fromkeys(needed) if c in table.columns]
    if all_columns:
        used = [*(c for c in table.columns if c not in used), *used]
    counts = ["wins", "ties", "losses"] if table.tie_category else ["wins", "losses"]
    if "row" not in fit.spec.cells and not model.weights and bool((frame[counts].sum(axis=1) == 1).all()):
        # Without dropna=False pandas leaves out the rows whose judge is not known.
        keys = [*used, "first", "second"]
        frame = frame.groupby(keys, sort=False, observed=True, dropna=False)[counts].sum().reset_index()
    columns = [*used, "first", "second", *counts]
    labels = [isinstance(table.columns.get(c), Factor) for c in columns]
    rows = frame[columns].itertuples(index=False, name=None)
    return columns, [[_plain(v, label) for v, label in zip(row, labels)] for row in rows]


def _plain(value: Any, label: bool) -> Any:
    if isinstance(value, str):
        return value
    if label:
        return ""  # a missing label: None, or NaN in a column of text of pandas 3
    number = float(value)
    return int(number) if number.is_integer() else number


def _csv(rows: list[list[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _claim(
    fit: Fit, model: ModelClaim, numbers: Sequence[PrintedQuantity], stated: Mapping[str, Any]
) -> list[str]:
    asked = replace(model, reference=fit.spec.reference)
    if model.family in FAMILIES:
        asked = replace(asked, ties=fit.spec.ties)
    usual = ModelClaim()
    keys = {key: e.name for key, e in entries(ModelClaim).items()}
    said = {k: getattr(asked, n) for k, n in keys.items() if getattr(asked, n) != getattr(usual, n)}
    known = {"id": "table-1", "where": "Table 1, page ...", "data": "table", **stated}
    printed = _printed(numbers) if numbers else _places(fit)
    return ["[[claim]]", *toml_lines({**known, "model": said}), *printed]


def _printed(numbers: Sequence[PrintedQuantity]) -> list[str]:
    """The printed numbers as they stand, in the order of the page."""
    scalars, by_name = dict[str, str](), dict[str, dict[str, str]]()
    known = entries(PrintedEntries)
    beside = {DF_OF[q.quantity] for q in numbers if q.printed.on is not None}
    for q in numbers:
        if q.quantity in beside:
            continue  # "15.737 on 15" has both
        kind, place = q.quantity.kind, q.quantity.place
        if place and kind in known and kind != "stat":
            by_name.setdefault(kind, {})[place] = q.printed.text
        elif not place and kind in known:
            scalars[kind] = q.printed.text
        else:
            by_name.setdefault("stat", {})[str(q.quantity)] = q.printed.text
    return toml_lines({**by_name, **scalars})


def _places(fit: Fit) -> list[str]:
    """A place for every number that the page may print."""
    kinds = {key: get_origin(e.kind) for key, e in entries(PrintedEntries).items() if key != "stat"}
    by_parameter = [key for key, kind in kinds.items() if kind is Mapping]
    places = toml(dict.fromkeys((n for n, free in zip(fit.names, fit.free) if free), ""))
    worths = toml({f"worth.{g}.{i}": "" for g in list(fit.groups)[:1] for i in fit.items})
    return [
        "# What the paper prints: fill in the numbers, delete the others, and remove the leading #.",
        *(f"# {key} = {places}" for key in by_parameter),
        f"# stat = {worths}",
        '# deviance = "... on ..."',
        '# aic = ""',
        '# aic_definition = "glm"    # if the AIC is that of R',
        "# Until then, native is only compared with R; delete this line when a number is filled in.",
        'compare_only = "no printed number is filled in yet"',
    ]
