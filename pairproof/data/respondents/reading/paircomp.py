"""The text of a `paircomp` of R's psychotools: "{a > b, a < c, NA}", one person in each.

The comparisons stand in the order (1 2) (1 3) (2 3) (1 4) ..., NA where one was not made.  `as.character` and
`format(x, abbreviate = FALSE, width = 1000)` write them whole; what `print` has shortened ("...") is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ....errors import InputError, ItemError
from ....text import listed, quoted, shortened
from ...checks import item_names
from ...options import one_of
from ...reading.assemble import has_tie_category
from ...reading.cells import labels
from ...reading.table import Table, suggestion
from ...wide import prefmod_pair_order
from ..codes import FIRST, MISSING, SECOND, TIED
from ..respondents import Respondents
from .assemble import opened, respondents

#: A preference, perhaps with its degree: `>`, `>>`, `2>`, `=`.
_SIGN = r"(?:[0-9]+[<>]|<+|>+|=)"
_PARTS = re.compile(rf"(.+?) ({_SIGN}) (.+)")


def from_paircomp(
    source: Any,
    *,
    column: str,
    items: Sequence[str] | None = None,
    degrees: Literal["refuse", "ignore"] = "refuse",
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read comparisons from the text of psychotools' `paircomp`.

    Every other column is a subject covariate; `weight` is the number of persons with the answer.  A CSV file
    that R wrote of a data frame with a `paircomp` has numbers and a column a pair instead: read that with
    :func:`pairproof.data.respondents.from_pairs` and pair_order="prefmod".

    column: the column that holds the text.  degrees: what becomes of the degree of a preference (">>" or "2>"
    where the scale has more than three points).  tie_category: whether "neither" could be answered; default:
    if somebody did.  person: the column that says who answered, wherever it stands, where it is not called
    `person`.  levels, item_data, encoding: as in :func:`pairproof.data.respondents.from_pairs`.
    """
    one_of("degrees", degrees, ("refuse", "ignore"))
    table, options = opened(source, items, levels, tie_category, item_data, encoding, person)
    if column not in table.columns:
        raise InputError(
            f"{table.source}: no column {quoted(column)}; found {listed(table.columns)}"
            + suggestion(column, table.columns)
        )
    texts = labels(table, column)
    bodies = [_body(table, column, texts.codes == k, text) for k, text in enumerate(texts.levels)]
    names = item_names(options.items or _items(table, column, bodies))
    signs = [_signs(table, column, texts.codes == k, body, names) for k, body in enumerate(bodies)]
    steep = np.array([*(any(sign != "NA" and len(sign) > 1 for sign in own) for own in signs), False])[
        texts.codes
    ]
    if steep.any() and degrees == "refuse":
        raise table.refuse(
            steep,
            column,
            "preferences with degrees, such as '>>' or '2>'",
            "models here take which item is preferred: degrees='ignore' keeps that",
        )
    none = np.full((1, len(names) * (len(names) - 1) // 2), MISSING, np.int64)
    answers = np.concatenate([np.array([[_code(sign) for sign in own] for own in signs], np.int64), none])
    answers = answers[texts.codes]  # code -1, a blank cell, picks the last
    ties = has_tie_category(table, options, (answers == TIED).any(axis=1), column)
    return respondents(table, options, names, "comparisons", answers, (column,), tie_category=ties)


def _code(sign: str) -> int:
    if sign == "NA":
        return MISSING
    return TIED if sign == "=" else FIRST if sign.endswith(">") else SECOND


def _body(table: Table, column: str, rows: Any, text: str) -> str:
    """What stands between the braces."""
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == "{" and stripped[-1] == "}" and "..." not in stripped[-4:]:
        return stripped[1:-1]
    cure = (
        "it was shortened by print; write it with as.character"
        if "..." in stripped[-4:]
        else "expected a text such as '{a > b, a < c, NA}'"
    )
    raise table.refuse(rows, column, f"the comparisons are {quoted(text)}", cure)


def _items(table: Table, column: str, bodies: Sequence[str]) -> tuple[str, ...]:
    """Names of the items, from the first text that has each pair (1, k)."""
    rows = [body.split(", ") for body in bodies]
    sizes = {len(row) for row in rows}
    n = next((n for n in range(2, 1000) if sizes == {n * (n - 1) // 2}), 0)
    if not n:
        raise ItemError(
            f"{table.source}, column {quoted(column)}: texts of {listed(sorted(sizes), 4)} comparisons; expected those"
            " of all pairs of the items, once (1, 3, 6, 10, ...), the same in each row; if names hold commas state"
            " items=[...]"
        )
    found: dict[int, str] = {}
    for k, pair in enumerate(prefmod_pair_order(n)):
        for row in rows:
            parts = _PARTS.fullmatch(row[k])
            if parts and not re.search(rf" {_SIGN} ", parts[3]):
                found.setdefault(pair[0], parts[1])
                found.setdefault(pair[1], parts[3])
    if len(found) < n:
        number = min(set(range(n)) - set(found)) + 1
        raise ItemError(
            f"{table.source}, column {quoted(column)}: the name of item {number} of {n} cannot be told from the text;"
            " state items=[...]"
        )
    names = tuple(found[k] for k in range(n))
    if len(set(names)) < n:
        raise ItemError(
            f"{table.source}, column {quoted(column)}: {n * (n - 1) // 2} comparisons would be those of {n} items, but the text"
            f" names {listed(names)}; a paircomp of both orders of the pairs (ordered = TRUE) is no table of whole answers"
            " here: read it as rows first, second, outcome with pairproof.read"
        )
    return names


def _signs(table: Table, column: str, rows: Any, body: str, items: tuple[str, ...]) -> list[str]:
    """The sign of each comparison, "NA" where there is none."""
    rest, signs = body, []
    pairs = prefmod_pair_order(len(items))
    for k, (i, j) in enumerate(pairs):
        own = re.compile(rf"(?:{re.escape(items[i])} ({_SIGN}) {re.escape(items[j])}|NA)(?:, |$)")
        there = own.match(rest)
        if not there:
            raise table.refuse(
                rows,
                column,
                f"comparison {k + 1} of {len(pairs)} is {shortened(repr(rest.split(', ')[0]))}",
                f"expected {quoted(f'{items[i]} > {items[j]}')}, with '<' or '=', or NA",
            )
        signs.append(there[1] or "NA")
        rest = rest[there.end() :]
    if rest:
        raise table.refuse(
            rows,
            column,
            f"the text goes on after the {len(pairs)} pairs of {len(items)} items, with {shortened(repr(rest))}",
            "a paircomp of both orders of the pairs (ordered = TRUE) is no table of whole answers here; read it as rows"
            " first, second, outcome with pairproof.read",
        )
    return signs
