"""Layouts with one pair a row: long (`first, second, outcome`), counts, and votes (chat-arena exports)."""

from __future__ import annotations

import numpy as np

from ...errors import CodingError
from ..comparisons import Comparisons
from .assemble import assemble, has_tie_category
from .cells import counts
from .coding import FIRST, MISSING, SECOND, TIE, Coding, CodingLike
from .items import IntArray, Options, check_not_self, encode, item_column
from .table import Table

LONG = ("first", "second", "outcome")
COUNTS = ("first", "second", "wins", "losses")
VOTES = ("model_a", "model_b", "winner")
LONG_WORDS = {"first": "first", "second": "second", "tie": "tie"}
VOTES_WORDS = {"first": "model_a", "second": "model_b", "tie": ["tie", "tie (bothbad)"]}


def _encoded_pair(
    table: Table, options: Options, first: str, second: str
) -> tuple[tuple[str, ...], IntArray, IntArray]:
    found = {name: item_column(table, name, options) for name in (first, second)}
    items, (i, j) = encode(found, table.source, options)
    check_not_self(table, i, j, items, second)
    return items, i, j


def read_long(table: Table, options: Options, coding: CodingLike | None = None) -> Comparisons:
    """`outcome` is 'first', 'second' or 'tie', unless a coding says otherwise."""
    return _answers(table, options, LONG, LONG_WORDS if coding is None else coding)


def read_votes(table: Table, options: Options, coding: CodingLike | None = None) -> Comparisons:
    """`winner` is 'model_a', 'model_b', 'tie' or 'tie (bothbad)', unless a coding says otherwise."""
    return _answers(table, options, VOTES, VOTES_WORDS if coding is None else coding)


def _answers(table: Table, options: Options, names: tuple[str, str, str], coding: CodingLike) -> Comparisons:
    first, second, answer = names
    stated = Coding.read(coding)
    if stated.blank_is_missing or MISSING in stated.answer_of.values():
        raise CodingError(
            "coding has 'missing', which is for layout 'prefmod'; here remove rows that are no comparison"
        )
    items, i, j = _encoded_pair(table, options, first, second)
    answers = stated.answers(table, answer)
    tied = answers == TIE
    return assemble(
        table,
        options,
        items,
        i,
        j,
        ((answers == FIRST).astype(float), tied.astype(float), (answers == SECOND).astype(float)),
        tie_category=has_tie_category(table, options, tied, answer),
        used=names,
    )


def read_counts(table: Table, options: Options) -> Comparisons:
    """wins, ties, losses of `first`; the tie category is there if the column `ties` is, or if it is
    stated.
    """
    items, i, j = _encoded_pair(table, options, "first", "second")
    wins, losses = counts(table, "wins"), counts(table, "losses")
    has_column = "ties" in table.columns
    ties = counts(table, "ties") if has_column else np.zeros(table.n_rows)
    tie_category = has_tie_category(table, options, ties > 0, "ties")
    if options.tie_category is None:
        tie_category = has_column
    return assemble(
        table, options, items, i, j, (wins, ties, losses), tie_category=tie_category, used=(*COUNTS, "ties")
    )
