"""Options that say how a table of whole answers or of persons is read.

Whole answers: arguments of :func:`pairproof.read_respondents`.  Persons (of `pairproof tree`): whole
answers in pairs, or comparisons with judges.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..state import READ, option, stacked
from .reading import (
    by_track,
    filter_options,
    levels_of,
    mapping_of,
    name_and_value,
    names,
    names_or_none,
    pair_order_of,
    read_table,
    told,
    yes_no,
)

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...data.respondents.respondents import Respondents


Function = TypeVar("Function", bound=Callable[..., Any])
#: The layouts of whole answers; a test holds them against those of `read_respondents`.
LAYOUTS = ("pairs", "ranks", "long-ranks", "orders", "ranking-text", "rankings", "ratings", "paircomp")


def _times(_: click.Context, __: click.Parameter, value: str | None) -> int | list[str] | None:
    """--times 2, or --times .1,.2"""
    if value is None:
        return None
    return int(value) if value.strip().isdecimal() else names(value)


def _scale(_: click.Context, __: click.Parameter, value: str | None) -> str | list[float] | None:
    """--scale 1-5, or --scale 1,2,3,4,5"""
    if value is None or "," not in value:
        return value
    try:
        return [float(point) for point in names(value)]
    except ValueError as error:
        raise click.BadParameter(
            f"{value!r}: expected a range such as 1-5, or all points such as 1,2,3,4,5"
        ) from error


def _unranked(_: click.Context, __: click.Parameter, value: str | None) -> str | dict[str, str] | None:
    """--unranked below, or --unranked 0=absent,NA=below"""
    if value is None or "=" not in value:
        return value
    return dict(name_and_value(part, "0=absent,NA=below") for part in names(value))


_reading = option("Reading the answers")
_OPTIONS = (
    _reading(
        "--layout",
        type=click.Choice(LAYOUTS),
        help=(
            "pairs: a column a pair; ranks: a column an item; long-ranks: a row an item of a person; orders: a column a"
            ' place; ranking-text: "A > B = C"; rankings: system1, rank1, ...; ratings: a column an item; paircomp:'
            " psychotools' text."
        ),
    ),
    _reading("--items", metavar="A,B,C", callback=names_or_none, help="The items, in their order."),
    _reading(
        "--answers",
        metavar="COL,COL,...",
        callback=names_or_none,
        help="ranks, ratings: the columns of the items, where they have other names.",
    ),
    _reading(
        "--times",
        metavar="N|END,...",
        callback=_times,
        help="ranks, ratings: repeated answers: blocks of columns, or the ends of their names (.1,.2).",
    ),
    _reading(
        "--unranked",
        metavar="absent|below|CODE=WORD,...",
        callback=_unranked,
        help="What an item without a rank means: not presented, or below all others; 0=absent,NA=below.",
    ),
    _reading("--zero-based", is_flag=True, help="ranks, long-ranks: 0 is the best rank."),
    _reading("--person", metavar="COL", help="The column that says who answered (long-ranks: in each row)."),
    _reading("--item", metavar="COL", help="long-ranks: the column of the items."),
    _reading("--rank", metavar="COL", help="long-ranks: the column of the ranks."),
    _reading(
        "--places",
        metavar="COL,COL,...",
        callback=names_or_none,
        help="orders: the columns, the best place first.",
    ),
    _reading(
        "--item-cells",
        "cells",
        type=click.Choice(["names", "numbers"]),
        help="orders: whether cells name items (default), or have their numbers in --items.",
    ),
    _reading("--column", metavar="COL", help="ranking-text, paircomp: the column of the text."),
    _reading("--above", metavar="TEXT", help="ranking-text: what stands between places (default: ' > ')."),
    _reading(
        "--tied-by",
        "ties",
        metavar="TEXT",
        help="orders, ranking-text: what stands between items that share a place, such as =.",
    ),
    _reading(
        "--scale", metavar="1-5", callback=_scale, help="ratings: all points of the scale, used or not."
    ),
    _reading(
        "--best", type=click.Choice(["low", "high"]), help="ratings: the end of the scale that is preferred."
    ),
    _reading(
        "--pair-order",
        metavar="ORDER",
        callback=pair_order_of,
        help="pairs: prefmod (12 13 23 14 ...), lexicographic (12 13 14 ...), or AB,AC,...",
    ),
    _reading(
        "--coding", metavar="first=1,...", help="pairs: the codes that stand for first, tie, second, missing."
    ),
    _reading(
        "--pairs", metavar="COL,COL,...", callback=names_or_none, help="pairs: the columns that are pairs."
    ),
    _reading(
        "--pair-names",
        type=click.Choice(["check", "ignore"]),
        help="pairs: check that column names such as A:B agree with the order, or ignore them.",
    ),
    _reading(
        "--degrees",
        type=click.Choice(["refuse", "ignore"]),
        help="paircomp: what becomes of how much an item is preferred.",
    ),
    _reading(
        "--col",
        "columns",
        multiple=True,
        metavar="ROLE=NAME",
        callback=mapping_of("judge=rater"),
        help="rankings: the file's own name for a column; repeatable.",
    ),
    _reading(
        "--rename",
        multiple=True,
        metavar="OLD=NEW",
        callback=mapping_of("tie=necktie"),
        help="rankings: another name for an item; repeatable.",
    ),
    _reading(
        "--tie-category",
        type=click.Choice(["yes", "no"]),
        callback=yes_no,
        help="Whether ties could be answered (default: if they were).",
    ),
    _reading(
        "--levels",
        multiple=True,
        metavar="NAME=a,b,c",
        callback=levels_of,
        help="Order of a covariate's levels, with the reference first; repeatable.",
    ),
    _reading("--item-data", metavar="FILE", type=READ, help="File of item covariates, one row per item."),
    _reading("--encoding", metavar="NAME", help="Encoding of a text file, such as latin-1 (default: UTF-8)."),
)
#: Arguments of the readers that options set, and the options that are not called as they are.
ARGUMENTS = (
    *(
        "items",
        "answers",
        "times",
        "unranked",
        "zero_based",
        "person",
        "item",
        "rank",
        "places",
        "cells",
        "column",
    ),
    *("above", "ties", "scale", "best", "pair_order", "coding", "pairs", "pair_names", "degrees", "columns"),
    *("rename", "tie_category", "levels", "item_data", "encoding"),
)
FLAGS = {"cells": "--item-cells", "ties": "--tied-by", "columns": "--col"}


def flag(argument: str) -> str:
    """The option that sets an argument of a reader."""
    return FLAGS.get(argument, f"--{argument.replace('_', '-')}")


def answer_options(function: Function) -> Function:
    """Add the readers' options to a command, which gets those that were given as `reading`, for :func:`read_answers`."""

    @functools.wraps(function)
    def gathered(*args: Any, **options: Any) -> Any:
        if options["layout"] is None:
            raise click.UsageError(
                f"--layout is missing, which is never guessed; it is one of {', '.join(LAYOUTS)}."
            )
        given = {name: options.pop(name) for name in ARGUMENTS}
        reading = {name: value for name, value in given.items() if value is not None and value is not False}
        check(options["layout"], reading)
        reading |= {"layout": options.pop("layout"), "where": options.pop("where")}
        return by_track(functools.partial(function, *args), read_answers, reading, options)

    wrapped: Any = gathered
    decorated: Function = stacked(*_OPTIONS, filter_options())(wrapped)
    return decorated


def read_answers(file: str, reading: dict[str, Any]) -> Respondents:
    """The answers of a file, or those that have been read already; says what --where has left of them."""
    import pairproof

    return reading["table"] if "table" in reading else told(pairproof.read_respondents(file, **reading))


def check(layout: str, reading: Mapping[str, Any]) -> None:
    """Refuse options that the layout does not have, and name those that it needs.

    Raises
    ------
    click.UsageError
    """
    from ...data.respondents.read_answers import READERS

    readers: dict[str, Any] = {name: reader for name, reader in READERS.items()}
    parameters = inspect.signature(readers[layout]).parameters
    unknown = [name for name in reading if name not in parameters]
    if unknown:
        own = ", ".join(flag(name) for name in ARGUMENTS if name in parameters)
        raise click.UsageError(f"{flag(unknown[0])} is not for --layout {layout}, which has {own}.")
    needed = [n for n, p in parameters.items() if n != "source" and p.default is p.empty and n not in reading]
    if needed:
        raise click.UsageError(
            f"--layout {layout} needs {' and '.join(map(flag, needed))}; nothing about answers is guessed."
        )


#: A row is a person; and layouts of comparisons, whose persons are judges.
OF_PERSONS, OF_JUDGES = ("pairs", "paircomp"), ("long", "counts", "votes")

_reading_persons = option("Reading the table")
_PERSON_OPTIONS = (
    _reading_persons(
        "--layout",
        type=click.Choice([*OF_PERSONS, *OF_JUDGES]),
        help=(
            "pairs: a row a person, a column a pair; paircomp: psychotools' text; long, counts, votes: comparisons"
            " with a column judge (default: recognised from the column names)."
        ),
    ),
    _reading_persons("--items", metavar="A,B,C", callback=names_or_none, help="The items, in their order."),
    _reading_persons(
        "--pair-order",
        metavar="ORDER",
        callback=pair_order_of,
        help="pairs: prefmod (12 13 23 14 ...), lexicographic (12 13 14 ...), or AB,AC,...",
    ),
    _reading_persons(
        "--coding",
        metavar="first=1,...",
        help="pairs, long: the codes that stand for first, tie, second, missing.",
    ),
    _reading_persons(
        "--pairs", metavar="COL,COL,...", callback=names_or_none, help="pairs: the columns that are pairs."
    ),
    _reading_persons(
        "--pair-names",
        type=click.Choice(["check", "ignore"]),
        help="pairs: check that column names such as A:B agree with the order, or ignore them.",
    ),
    _reading_persons(
        "--person",
        metavar="COL",
        help="pairs, paircomp: the column that says who answered, wherever it stands.",
    ),
    _reading_persons("--column", metavar="COL", help="paircomp: the column of the text."),
    _reading_persons(
        "--degrees",
        type=click.Choice(["refuse", "ignore"]),
        help="paircomp: what becomes of how much an item is preferred.",
    ),
    _reading_persons(
        "--col",
        "columns",
        multiple=True,
        metavar="ROLE=NAME",
        callback=mapping_of("judge=rater"),
        help="long, counts, votes: the file's own name for a column, for example judge=rater; repeatable.",
    ),
    _reading_persons(
        "--rename",
        multiple=True,
        metavar="OLD=NEW",
        callback=mapping_of("tie=necktie"),
        help="long, counts, votes: another name for an item; repeatable.",
    ),
    _reading_persons(
        "--tie-category",
        type=click.Choice(["yes", "no"]),
        callback=yes_no,
        help="Whether ties could be answered (default: if they were, or by the layout).",
    ),
    _reading_persons(
        "--levels",
        multiple=True,
        metavar="NAME=a,b,c",
        callback=levels_of,
        help="Order of a covariate's levels; repeatable.",
    ),
    _reading_persons(
        "--encoding", metavar="NAME", help="Encoding of a text file, such as latin-1 (default: UTF-8)."
    ),
)
_ARGUMENTS = (
    *(
        "items",
        "pair_order",
        "coding",
        "pairs",
        "pair_names",
        "person",
        "column",
        "degrees",
        "columns",
        "rename",
    ),
    *("tie_category", "levels", "encoding"),
)
#: Arguments that only tables of persons have.
_PERSONS_ONLY = ("pair_order", "pairs", "pair_names", "person", "column", "degrees")


def person_options(function: Function) -> Function:
    """Add the options to a command, which gets those that were given as `reading`, for :func:`read_persons`."""

    @functools.wraps(function)
    def gathered(*args: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in ("layout", *_ARGUMENTS)}
        reading = {k: v for k, v in given.items() if v is not None} | {"where": options.pop("where")}
        return by_track(functools.partial(function, *args), read_persons, reading, options)

    wrapped: Any = gathered
    decorated: Function = stacked(*_PERSON_OPTIONS, filter_options())(wrapped)
    return decorated


def read_persons(file: str, reading: dict[str, Any]) -> Respondents | Comparisons:
    """The table of a file, or the one that has been read already.

    Raises
    ------
    click.UsageError
        An option of another layout, or one that is missing.
    """
    import pairproof

    layout = reading.get("layout")
    if layout in OF_PERSONS and "table" not in reading:
        check(layout, {k: v for k, v in reading.items() if k not in ("layout", "where")})
        return told(pairproof.read_respondents(file, **reading))
    wrong = [name for name in _PERSONS_ONLY if name in reading]
    if wrong and "table" not in reading:
        raise click.UsageError(
            f"--{wrong[0].replace('_', '-')} is for tables of persons: say --layout {' or '.join(OF_PERSONS)}."
        )
    return read_table(file, reading)
