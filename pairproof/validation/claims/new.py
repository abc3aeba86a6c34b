"""The beginning of a claims file, from a table of comparisons: data, model, and a place for every number a
paper may print.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data.columns import Factor, natural_order
from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from .data import fit_model
from .paper import ModelClaim

#: Rows written into the claims file itself; a longer table becomes a CSV file beside it, with its hash.
MOST_INLINE = 400
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Draft:
    """Attributes
    ----------
    claims : str
        The claims file.
    csv : str
        The data file that goes beside it; "" where the rows stand in the claims file.
    csv_name : str
    n_numbers : int
        Parameters there is a place for.
    """

    claims: str
    csv: str
    csv_name: str
    n_numbers: int


def draft(table: Comparisons, model: ModelClaim, paper: str, title: str = "") -> Draft:
    """A claims file to fill in; as it stands it is valid, and compares native with R.

    Parameters
    ----------
    table : Comparisons
    model : ModelClaim
    paper : str
        Id of the paper: letters, digits, hyphens.

    Raises
    ------
    InputError
        An id that is no id; whatever fitting the model raises.
    """
    if not _BARE.fullmatch(paper):
        raise InputError(f"paper id {paper!r}: expected letters, digits, hyphens, such as firth-2005")
    fit = fit_model(table, model)
    _check_levels(table, fit)
    columns, rows = _rows(table, fit)
    inline = len(rows) <= MOST_INLINE
    csv_name = "" if inline else f"{paper}.csv"
    csv = "" if inline else _csv(columns, rows)
    parts = [
        (
            '# Printed numbers are strings, one number each, exactly as they stand on the page ("0.190" keeps'
            " its zero).\n"
        ),
        _head(paper, title),
        _data(table, columns, rows if inline else [], csv_name, csv),
        _claim(fit, model),
    ]
    return Draft("\n".join(parts), csv, csv_name, int(fit.free.sum()))


def _head(paper: str, title: str) -> str:
    return (
        f"[paper]\nid = {json.dumps(paper)}\ntitle = {_text(title or 'Authors, Title, Journal, Year')}\n"
        '# doi = "10...."\nread_from = "the page and the table that were read"\n'
    )


def _check_levels(table: Comparisons, fit: Fit) -> None:
    """A claims file states no order of levels: those in the model must be in the readers' own order."""
    for name in dict.fromkeys(c for t in fit.terms for c, _ in t.by):
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
    used = list(
        dict.fromkeys([*(c for t in fit.terms for c, _ in t.by), *(c for c in fit.spec.cells if c != "row")])
    )
    if "judge" in table.columns and "judge" not in used:
        used.append("judge")  # a deviance may be of each judge's rows
    if fit.spec.order_effect and "order" in table.columns:
        used.append("order")
    if "row" in fit.spec.cells:
        used = [c for c in table.columns if c not in used] + used
    counts = ["wins", "ties", "losses"] if table.tie_category else ["wins", "losses"]
    single = bool((frame[counts].sum(axis=1) == 1).all())
    if single and "row" not in fit.spec.cells:
        frame = (
            frame.groupby([*used, "first", "second"], sort=False, observed=True)[counts].sum().reset_index()
        )
    columns = [*used, "first", "second", *counts]
    return columns, [
        [_plain(v, c in table.columns and isinstance(table.columns[c], Factor)) for c, v in zip(columns, row)]
        for row in frame[columns].itertuples(index=False, name=None)
    ]


def _plain(value: Any, label: bool) -> Any:
    if label and not isinstance(value, str):
        return ""  # a missing label: None, or NaN in a column of text of pandas 3
    if isinstance(value, str):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number


def _data(
    table: Comparisons, columns: Sequence[str], rows: Sequence[Sequence[Any]], csv_name: str, csv: str
) -> str:
    lines = ["[data.table]"]
    if csv_name:
        import hashlib

        lines += [
            'kind = "file"',
            f"file = {json.dumps(csv_name)}",
            f'sha256 = "{hashlib.sha256(csv.encode()).hexdigest()}"',
        ]
    else:
        lines += [
            'kind = "counts"',
            f"columns = {_array(columns)}",
            "rows = [",
            *(f"    {_array(row)}," for row in rows),
            "]",
        ]
    lines.insert(2, f"items = {_array(table.items)}")
    return "\n".join(lines) + f"\nnote = {_text(f'read from {Path(table.source).name}')}\n"


def _csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([columns, *rows])
    return out.getvalue()


def _claim(fit: Fit, model: ModelClaim) -> str:
    asked: dict[str, Any] = {
        "family": model.family,
        "ties": fit.ties,
        "by": model.by,
        "reference": fit.spec.reference,
        "order_effect": model.order_effect,
        "cells": list(model.cells),
    }
    shown = ", ".join(f"{k} = {_value(v)}" for k, v in asked.items() if v)
    names = [n for n, free in zip(fit.names, fit.free) if free]
    places = ", ".join(f'{_key(n)} = ""' for n in names)
    worths = ", ".join(f'"worth.{g}.{i}" = ""' for g in list(fit.groups)[:1] for i in fit.items)
    return "\n".join(
        [
            "[[claim]]",
            'id = "table-1"',
            'where = "Table 1, page ..."',
            'data = "table"',
            f"model = {{ {shown} }}",
            "# What the paper prints: fill in, delete what it does not print, and take the # away.",
            *(f"# {kind} = {{ {places} }}" for kind in ("estimate", "se", "z", "p")),
            f"# stat = {{ {worths} }}",
            '# deviance = "... on ..."',
            '# aic = ""',
            '# aic_definition = "glm"    # where the AIC is that of R',
            "# Until then native is compared with R; delete this line once a number is filled in.",
            'compare_only = "no printed number is filled in yet"',
            "",
        ]
    )


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    return "true" if value is True else _array(value) if isinstance(value, list) else _text(value)


def _array(values: Sequence[Any]) -> str:
    return "[" + ", ".join(_text(v) if isinstance(v, str) else repr(v) for v in values) + "]"


def _text(text: str) -> str:
    """A TOML basic string: JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
