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
from ...errors import InputError
from ...fit.fit import Fit
from ...text import toml, toml_lines
from ..claims.data import fit_model
from ..claims.entries import entries
from ..claims.paper import ModelClaim, PrintedEntries, PrintedQuantity

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
    table: Comparisons,
    model: ModelClaim,
    paper: str,
    title: str = "",
    numbers: Sequence[PrintedQuantity] = (),
    stated: Mapping[str, str] = MappingProxyType({}),
) -> Draft:
    """A claims file: as it stands it is valid, and compares native with R.

    numbers: what the page prints, in its order; without any the file has a place for each, to fill in.
    stated: further keys of the claim that the page gives, such as `where` and `aic_definition`.
    """
    if not _BARE.fullmatch(paper):
        raise InputError(f"paper id {paper!r}: expected letters, digits, hyphens, such as firth-2005")
    fit = fit_model(table, model)
    _check_levels(table, fit)
    columns, rows = _rows(table, fit)
    beside = _csv([columns, *rows]) if len(rows) > MOST_INLINE else ""
    name = f"{paper}.csv" if beside else ""
    if beside:
        digest = hashlib.sha256(beside.encode()).hexdigest()
        data = {"kind": "file", "items": table.items, "file": name, "sha256": digest}
    else:
        data = {"kind": "counts", "items": table.items, "columns": columns}
    lines = [
        '# Printed numbers are strings, one number each, exactly as they stand on the page ("0.190" keeps its'
        " zero).",
        "",
        "[paper]",
        *toml_lines({"id": paper, "title": title or "Authors, Title, Journal, Year"}),
        '# doi = "10...."',
        *toml_lines({"read_from": "the page and the table that were read"}),
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


def _check_levels(table: Comparisons, fit: Fit) -> None:
    """A claims file states no order of levels: those in the model must be in the readers' own order."""
    for name in dict.fromkeys(c for t in fit.terms for c, _ in (*t.of, *t.by)):
        column = table.columns[name]
        if isinstance(column, Factor) and column.levels != natural_order(column.levels):
            raise InputError(
                f"{table.source}, column {name!r}: its levels are in the order"
                f" {', '.join(column.levels[:6])}, and a claims file has them in the readers' own"
                f" ({', '.join(natural_order(column.levels)[:6])}); rename them in the table"
            )


def _rows(table: Comparisons, fit: Fit) -> tuple[list[str], list[list[Any]]]:
    """The rows as they stand: neither turned nor added up, since a deviance may be of the rows, and so may be
    R's AIC.

    Single comparisons (weights of 1) lose nothing but their order if those of a pair in one order are added
    up: a deviance of single comparisons is -2 log L, whatever the rows.
    """
    frame = table.to_frame()
    by_row = "row" in fit.spec.cells
    needed = [*(c for t in fit.terms for c, _ in (*t.of, *t.by)), *(c for c in fit.spec.cells if c != "row")]
    needed.append("judge")  # a deviance may be of each judge's rows
    if fit.spec.order_effect:
        needed.append("order")
    used = [c for c in dict.fromkeys(needed) if c in table.columns]
    if by_row:
        used = [*(c for c in table.columns if c not in used), *used]
    counts = ["wins", "ties", "losses"] if table.tie_category else ["wins", "losses"]
    if not by_row and bool((frame[counts].sum(axis=1) == 1).all()):
        # Without dropna=False pandas leaves out the rows whose judge is not known.
        keys = [*used, "first", "second"]
        frame = frame.groupby(keys, sort=False, observed=True, dropna=False)[counts].sum().reset_index()
    columns = [*used, "first", "second", *counts]
    labels = [isinstance(table.columns.get(c), Factor) for c in columns]
    return columns, [
        [_plain(v, label) for v, label in zip(row, labels)]
        for row in frame[columns].itertuples(index=False, name=None)
    ]


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
    fit: Fit, model: ModelClaim, numbers: Sequence[PrintedQuantity], stated: Mapping[str, str]
) -> list[str]:
    asked = replace(model, ties=fit.spec.ties, reference=fit.spec.reference)
    said = {key: value for key, e in entries(ModelClaim).items() if (value := getattr(asked, e.name))}
    known = {"id": "table-1", "where": "Table 1, page ...", "data": "table", **stated}
    return [
        "[[claim]]",
        *toml_lines({**known, "model": said}),
        *(_printed(numbers) if numbers else _places(fit)),
    ]


def _printed(numbers: Sequence[PrintedQuantity]) -> list[str]:
    """The printed numbers as they stand, in the order of the page."""
    scalars, by_name = dict[str, str](), dict[str, dict[str, str]]()
    known = entries(PrintedEntries)
    for q in numbers:
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
    by_parameter = [
        key for key, e in entries(PrintedEntries).items() if get_origin(e.kind) is Mapping and key != "stat"
    ]
    places = toml(dict.fromkeys((n for n, free in zip(fit.names, fit.free) if free), ""))
    worths = toml({f"worth.{g}.{i}": "" for g in list(fit.groups)[:1] for i in fit.items})
    return [
        "# What the paper prints: fill in, delete what it does not print, and take the # away.",
        *(f"# {key} = {places}" for key in by_parameter),
        f"# stat = {worths}",
        '# deviance = "... on ..."',
        '# aic = ""',
        '# aic_definition = "glm"    # where the AIC is that of R',
        "# Until then native is compared with R; delete this line once a number is filled in.",
        'compare_only = "no printed number is filled in yet"',
    ]
