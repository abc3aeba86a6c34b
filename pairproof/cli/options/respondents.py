"""Options that say how a table of whole answers or of persons is read.

Whole answers: arguments of :func:`pairproof.read_respondents`.  Persons (of `pairproof tree`): whole
answers in pairs, or comparisons with judges.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ...fit.estimates.specification import ANSWER_FAMILIES
from ..naming import flag
from ..state import gathered
from .reading import (
    DROP,
    ENCODING,
    ITEM_DATA,
    LAYOUTS as OF_COMPARISONS,
    NAMES_CHECKED,
    ORDERS,
    TABLE,
    Reading,
    by_track,
    comparisons,
    filter_options,
    read_as,
    reading_options,
    where_option,
)

if TYPE_CHECKING:
    from ...data.respondents.respondents import Respondents


#: The layouts of whole answers; a test compares them with those of `read_respondents`.
LAYOUTS = ("pairs", "ranks", "long-ranks", "orders", "ranking-text", "rankings", "ratings", "paircomp")
_PAIRS = {
    "pairs": "pairs: the columns that are pairs.",
    "pair_names": f"pairs: {NAMES_CHECKED}",
    "degrees": "paircomp: what to do with degrees of preference (>>).",
}
_ANSWERS = {
    "layout": "One row per person: pairs (one column per pair), ranks and ratings (per item), orders (per place),"
    ' ranking-text ("A > B = C"), rankings (system1, rank1, ...), paircomp (psychotools); long-ranks: one row per item.',
    "items": "The items, in their order.",
    "answers": "ranks, ratings: the columns, if their names differ from the items.",
    "times": "ranks, ratings: repeated answers: number of blocks, or endings of names (.1,.2).",
    "unranked": "Meaning of no rank: absent (not presented), below (all others), or by code: 0=absent,NA=below.",
    "zero_based": "ranks, long-ranks: 0 is the best rank.",
    "person": "The column of persons.",
    "item": "long-ranks: the column of items.",
    "rank": "long-ranks: the column of ranks.",
    "places": "orders: the columns, the best place first.",
    "cells": "orders: cells are names (default), or positions in --items.",
    "column": "ranking-text, paircomp: the column of text.",
    "above": "ranking-text: the separator between places (default: ' > ').",
    "ties": "orders, ranking-text: the separator between tied items, such as =.",
    "scale": "ratings: all points of the scale, used or not.",
    "best": "ratings: the best end of the scale.",
    "pair_order": f"pairs: {ORDERS}",
    "coding": "pairs: the codes for first, tie, second, missing.",
    **_PAIRS,
    "columns": "rankings: the file's own name of a column; repeatable.",
    "rename": "rankings: another name for an item; repeatable.",
    "tie_category": "Whether ties were possible. Default: if they occur.",
    "levels": "Order of a covariate's levels, the reference first; repeatable.",
    "item_data": ITEM_DATA,
    "encoding": ENCODING,
}
ARGUMENTS = tuple(name for name in _ANSWERS if name != "layout")


def _answers(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    layout = given.pop("layout")
    stated = read_as(given, ARGUMENTS)
    if layout is None:
        _propose(given["file"], stated)
        raise click.UsageError(
            f"--layout is missing and is not guessed; expected one of {', '.join(LAYOUTS)}."
        )
    check(layout, stated, given["file"])
    reading = Reading(_respondents, {**stated, "layout": layout, **read_as(given, ("where",))})
    return by_track(command, reading, given)


answer_options = gathered(
    (reading_options("Reading the answers", LAYOUTS, _ANSWERS), filter_options), _answers
)


def _respondents(file: str, **stated: Any) -> Respondents:
    import pairproof

    return pairproof.read_respondents(file, **stated)


def _propose(file: str, stated: Mapping[str, Any]) -> None:
    """Raise an error with the commands that would read the file, if there are any."""
    from ...data.reading.forms import unread, ways_of
    from ...data.reading.sources import load

    table = load(file, stated.get("encoding"))
    if ways := ways_of(table, stated):
        raise unread(table, stated, ways)


def check(layout: str, reading: Mapping[str, Any], file: str) -> None:
    """Refuse options that the layout does not have, and name those that it needs."""
    from ...data.respondents.read_answers import READERS

    readers: dict[str, Any] = {name: reader for name, reader in READERS.items()}
    parameters = inspect.signature(readers[layout]).parameters
    unknown = [name for name in reading if name not in parameters]
    if unknown:
        own = ", ".join(flag(name) for name in ARGUMENTS if name in parameters)
        raise click.UsageError(f"{flag(unknown[0])} does not apply to --layout {layout}, which has {own}.")
    needed = [n for n, p in parameters.items() if n != "source" and p.default is p.empty and n not in reading]
    if needed:
        _propose(file, {**reading, "layout": layout})
        raise click.UsageError(
            f"--layout {layout} needs {' and '.join(map(flag, needed))}, which are not guessed."
        )


#: A row is a person; and layouts of comparisons, whose persons are judges.
OF_PERSONS, OF_JUDGES = ("pairs", "paircomp"), ("long", "counts", "votes")

#: Arguments that only tables of persons have.
_PERSONS_ONLY = ("pair_order", "pairs", "pair_names", "person", "column", "degrees")
_PERSONS = {
    "layout": "pairs: one row per person, one column per pair; paircomp: psychotools' text; long, counts, votes: with a column"
    " judge. Default: recognised.",
    "items": "The items, in their order.",
    "pair_order": f"pairs: {ORDERS}",
    "coding": "pairs, long: the codes for first, tie, second, missing.",
    "pairs": _PAIRS["pairs"],
    "pair_names": _PAIRS["pair_names"],
    "person": "pairs, paircomp: the column of persons.",
    "column": "paircomp: the column of text.",
    "degrees": _PAIRS["degrees"],
    "columns": "long, counts, votes: the file's own name of a column, such as judge=rater; repeatable.",
    "rename": "long, counts, votes: another name for an item; repeatable.",
    "tie_category": "Whether ties were possible. Default: by layout.",
    "levels": "Order of a covariate's levels; repeatable.",
    "encoding": ENCODING,
}


def _persons(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    stated = read_as(given, _PERSONS)
    layout = stated.get("layout")
    if layout in OF_PERSONS:
        check(layout, {name: value for name, value in stated.items() if name != "layout"}, given["file"])
    elif wrong := [name for name in _PERSONS_ONLY if name in stated]:
        raise click.UsageError(
            f"{flag(wrong[0])} is for tables of persons: use --layout {' or '.join(OF_PERSONS)}."
        )
    reader: Callable[..., Any] = _respondents if layout in OF_PERSONS else comparisons
    return by_track(command, Reading(reader, stated | read_as(given, ("where",))), given)


person_options = gathered(
    (reading_options("Reading the table", (*OF_PERSONS, *OF_JUDGES), _PERSONS), filter_options), _persons
)


#: Of a table of either: comparisons, or whole answers where the layout or the model says so.
_EITHER = {
    **_ANSWERS,
    "layout": "Comparisons (default: recognised): long, counts, votes, ...; whole answers: pairs, ranks, orders, ...",
    "coding": "The codes for first, tie, both_bad, second and missing.",
    "pair_order": f"prefmod, pairs: {ORDERS}",
    "pairs": "prefmod, pairs: the columns that are pairs.",
    "pair_names": f"prefmod, pairs: {NAMES_CHECKED}",
    "columns": "Comparisons, rankings: the file's own name of a column; repeatable.",
    "rename": "Comparisons, rankings: another name for an item; repeatable.",
    "winner": TABLE["winner"],
    "record": TABLE["record"],
    "drop": DROP,
}


def _either(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    stated = read_as(given, _EITHER)
    where = read_as(given, ("where",))
    layout, family = stated.get("layout"), given.get("family")
    if layout == "rankings" or layout not in (None, *OF_COMPARISONS) or family in ANSWER_FAMILIES:
        if layout not in LAYOUTS:
            raise click.UsageError(
                f"--model {family} is for whole answers: use --layout, one of {', '.join(LAYOUTS)}."
            )
        check(layout, {name: value for name, value in stated.items() if name != "layout"}, given["table"])
        return command(reading=Reading(_respondents, stated | where), **given)
    if wrong := [name for name in stated if name not in TABLE]:
        raise click.UsageError(f"{flag(wrong[0])} is for whole answers: use --layout {', '.join(LAYOUTS)}.")
    return command(reading=Reading(comparisons, stated | where), **given)


either_options = gathered(
    (
        reading_options(
            "Reading the table",
            (*OF_COMPARISONS, *(n for n in LAYOUTS if n != "rankings")),
            _EITHER,
            "first=1,tie=0,...",
        ),
        where_option,
    ),
    _either,
)
