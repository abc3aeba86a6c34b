"""Options that say how a table of persons is read: whole answers in pairs, or comparisons with judges."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .answers import check
from .reading import (
    by_track,
    filter_options,
    levels_of,
    mapping_of,
    names_or_none,
    pair_order_of,
    read_table,
    told,
    yes_no,
)
from .sections import option, stacked

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...data.respondents.respondents import Respondents

Function = TypeVar("Function", bound=Callable[..., Any])
#: A row is a person; and layouts of comparisons, whose persons are judges.
OF_PERSONS, OF_JUDGES = ("pairs", "paircomp"), ("long", "counts", "votes")

_reading = option("Reading the table")
_OPTIONS = (
    _reading(
        "--layout",
        type=click.Choice([*OF_PERSONS, *OF_JUDGES]),
        help=(
            "pairs: a row a person, a column a pair; paircomp: psychotools' text; long, counts, votes: comparisons"
            " with a column judge (default: recognised from the column names)."
        ),
    ),
    _reading("--items", metavar="A,B,C", callback=names_or_none, help="The items, in their order."),
    _reading(
        "--pair-order",
        metavar="ORDER",
        callback=pair_order_of,
        help="pairs: prefmod (12 13 23 14 ...), lexicographic (12 13 14 ...), or AB,AC,...",
    ),
    _reading(
        "--coding",
        metavar="first=1,...",
        help="pairs, long: the codes that stand for first, tie, second, missing.",
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
        "--person",
        metavar="COL",
        help="pairs, paircomp: the column that says who answered, wherever it stands.",
    ),
    _reading("--column", metavar="COL", help="paircomp: the column of the text."),
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
        help="long, counts, votes: the file's own name for a column, for example judge=rater; repeatable.",
    ),
    _reading(
        "--rename",
        multiple=True,
        metavar="OLD=NEW",
        callback=mapping_of("tie=necktie"),
        help="long, counts, votes: another name for an item; repeatable.",
    ),
    _reading(
        "--tie-category",
        type=click.Choice(["yes", "no"]),
        callback=yes_no,
        help="Whether ties could be answered (default: if they were, or by the layout).",
    ),
    _reading(
        "--levels",
        multiple=True,
        metavar="NAME=a,b,c",
        callback=levels_of,
        help="Order of a covariate's levels; repeatable.",
    ),
    _reading("--encoding", metavar="NAME", help="Encoding of a text file, such as latin-1 (default: UTF-8)."),
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
    decorated: Function = stacked(*_OPTIONS, filter_options())(wrapped)
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
