"""Options that say how to read a table, and their conversion to arguments of :func:`pairproof.read`.

Which rows are read (`--where`), and whether each track is taken by itself (`--tracks`), is the same for every
command: with --tracks a command runs once for each track, and its results are given as one.  `--cluster` and
`--cluster-kind` say which answers go together, and how standard errors show it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from ..naming import flag, parameter
from ..state import READ, WRITTEN, Decorated, State, choice, files_of, gathered, options, stacked

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...data.reading.beside.sentence_errors import ErrorTable
    from ...data.respondents.respondents import Respondents


LAYOUTS = (
    "long", "counts", "votes", "evalica", "soft", "alpaca", "arena-hard", "rankings", "prefmod", "matrix", "scores",
    "winners",
)  # fmt: skip


def names(text: str) -> list[str]:
    """`A,B,"C, Inc."` as a list; quotes as in a CSV file."""
    try:
        found: list[str] = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as trouble:
        raise click.BadParameter(
            f"{text!r}: {trouble}; expected names separated by commas; quote a name that contains a"
            ' comma or a quote, as in a CSV file: A,"B, Inc.","the ""best"" one"'
        ) from trouble
    if not found or any(not name.strip() for name in found):
        raise click.BadParameter(
            f"{text!r} has a blank name; expected names separated by commas, for example A,B,C"
        )
    return found


def numbers_of(text: str, number: Callable[[str], Any], expected: str) -> tuple[Any, ...]:
    """Numbers separated by commas; `expected` is said where they are something else."""
    try:
        return tuple(number(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r}; expected {expected}") from None


def parsed(read: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """The callback of an option whose text is read by this function, if it is given."""
    return lambda _, __, value: None if value is None else read(value)


def _two(text: str) -> tuple[str, str]:
    """The value of --pair."""
    found = names(text)
    if len(found) != 2:
        raise click.BadParameter(f"{text!r} names {len(found)} systems; expected two, for example A,B")
    return found[0], found[1]


def name_and_value(text: str, example: str, blank: bool = False) -> tuple[str, str]:
    """`NAME=VALUE` split at the first equals sign; blank: the value may be."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not (value or blank):
        raise click.BadParameter(f"{text!r}; expected NAME=VALUE, for example {example}")
    return name, value


def rating_of(text: str) -> tuple[str, float]:
    """The value of --anchor."""
    name, value = name_and_value(text, "mixtral-8x7b=1114")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise click.BadParameter(f"{text!r}; expected MODEL=RATING, for example mixtral-8x7b=1114") from None


names_or_none = parsed(names)


PAIR = {"callback": parsed(_two)}


def mapping_of(
    example: str, read: Callable[[str], Any] = str, blank: bool = False
) -> Callable[..., dict[str, Any] | None]:
    """The callback of an option that is NAME=VALUE, and may be repeated; read: of each value."""

    def callback(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, Any] | None:
        found: dict[str, Any] = {}
        for text in values:
            name, value = name_and_value(text, example, blank)
            if found.setdefault(name, read(value)) != read(value):
                raise click.BadParameter(
                    f"{name!r} is given twice, as {found[name]!r} and as {read(value)!r}"
                )
        return found or None

    return callback


def _pair_order(text: str) -> str | list[str]:
    return text if text in ("prefmod", "lexicographic") else names(text)


def _times(text: str) -> int | list[str]:
    """--times 2, or --times .1,.2"""
    return int(text) if text.strip().isdecimal() else names(text)


def _scale(text: str) -> str | list[float]:
    """--scale 1-5, or --scale 1,2,3,4,5"""
    expected = "a range such as 1-5, or all points such as 1,2,3,4,5"
    return list(numbers_of(text, float, expected)) if "," in text else text


def _unranked(text: str) -> str | dict[str, str]:
    """--unranked below, or --unranked 0=absent,NA=below"""
    if "=" not in text:
        return text
    return dict(name_and_value(part, "0=absent,NA=below") for part in names(text))


_COLUMN, _COLUMNS = {"metavar": "COL"}, {"metavar": "COL,COL,...", "callback": names_or_none}
#: Argument of a reader -> how its option is declared, whatever is read; a command says what it means there.
DECLARED: dict[str, dict[str, Any]] = {
    "columns": {"multiple": True, "metavar": "ROLE=NAME", "callback": mapping_of("judge=rater")},
    "items": {"metavar": "A,B,C", "callback": names_or_none},
    "levels": {"multiple": True, "metavar": "NAME=a,b,c", "callback": mapping_of("judge=1,2,3", names)},
    "rename": {"multiple": True, "metavar": "OLD=NEW", "callback": mapping_of("tie=necktie")},
    "tie_category": {"type": click.Choice(["yes", "no"]), "callback": parsed(lambda text: text == "yes")},
    "item_data": {"metavar": "FILE", "type": READ},
    "pair_order": {"metavar": "ORDER", "callback": parsed(_pair_order)},
    "pairs": _COLUMNS,
    "pair_names": {"type": click.Choice(["check", "ignore"])},
    "coding": {"metavar": "first=1,..."},
    "winner": {"type": click.Choice(["rows", "columns"])},
    "record": {"type": click.Choice(["wins-ties-losses", "wins-losses-ties"])},
    "encoding": {"metavar": "NAME"},
    "drop": {"type": click.Choice(["bad"])},
    "answers": _COLUMNS,
    "times": {"metavar": "N|END,...", "callback": parsed(_times)},
    "unranked": {"metavar": "absent|below|CODE=WORD,...", "callback": parsed(_unranked)},
    "zero_based": {"is_flag": True, "default": None},
    **dict.fromkeys(("person", "item", "rank", "column"), _COLUMN),
    "places": _COLUMNS,
    "cells": {"type": click.Choice(["names", "numbers"])},
    "above": {"metavar": "TEXT"},
    "ties": {"metavar": "TEXT"},
    "scale": {"metavar": "1-5", "callback": parsed(_scale)},
    "best": {"type": click.Choice(["low", "high"])},
    "degrees": {"type": click.Choice(["refuse", "ignore"])},
}
ITEM_DATA = "File of item covariates, one row per item."
DROP = "Drop and count rows that are not comparisons (no name, no answer, an item with itself)."
ENCODING = "Encoding of a text file, such as latin-1; default: UTF-8."
NAMES_CHECKED = "check that column names such as A:B agree with --pair-order, or ignore them."
ORDERS = "prefmod (12 13 23 14 ...), lexicographic (12 13 14 ...), or AB,AC,..."


def reading_options(
    section: str, layouts: Sequence[str], meanings: Mapping[str, str], coding: str = "first=1,..."
) -> Callable[[Decorated], Decorated]:
    """The options of these arguments, each with what it means for this reader."""
    declared = {**DECLARED, "layout": choice(*layouts), "coding": {"metavar": coding}}
    how = {parameter(name): declared[name] for name in meanings}
    return options(section, {flag(name): text for name, text in meanings.items()}, **how)


def read_as(given: dict[str, Any], arguments: Iterable[str]) -> dict[str, Any]:
    """Arguments of a reader that were stated, taken out of all options that were given."""
    own = {name: given.pop(parameter(name)) for name in arguments}
    return {name: value for name, value in own.items() if value is not None}


TABLE = {
    "layout": "Default: recognised from the column names.",
    "columns": "The file's own name for a column, such as judge=rater; repeatable.",
    "items": "Order of the items. Default: numeric if possible, otherwise by code point.",
    "levels": "Order of a covariate's levels, the reference first; repeatable.",
    "rename": "Another name for an item; repeatable.",
    "tie_category": "Whether 'no preference' was a possible answer. Default: by layout.",
    "item_data": ITEM_DATA,
    "pair_order": f"prefmod: {ORDERS}",
    "pairs": "prefmod: the columns that are pairs.",
    "pair_names": f"prefmod: {NAMES_CHECKED}",
    "coding": "The codes for first, tie, both_bad, second and missing.",
    "winner": "matrix: whether a cell counts wins of its row or its column.",
    "record": "matrix: the order of the numbers in a cell such as 14-2-7.",
    "encoding": ENCODING,
    "drop": DROP,
}
_ARGUMENTS = (*TABLE, "where")
_OPTIONS = reading_options("Reading the table", LAYOUTS, TABLE, coding="first=1,tie=0,...")
where_option = options(
    "Rows and tracks",
    {
        "--where CONDITION": "Only rows with column=value, column=a|b, or !=, <, <=, >, >=; column= means no value. Several"
        " = on one column are alternatives; all other conditions must hold."
    },
    where={"multiple": True},
)
filter_options = stacked(
    where_option,
    options(
        "Rows and tracks",
        {"--tracks COL[,COL]|pooled": "Fit each track (these columns) separately; pooled: all as one."},
        tracks={"callback": names_or_none},
    ),
)


def taken(given: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The options of these names, taken out of all that were given."""
    return {name: given.pop(name) for name in names}


Read = TypeVar("Read", "Comparisons", "Respondents", "ErrorTable")


@dataclass(frozen=True)
class Reading(Generic[Read]):
    """How a command's tables are read: by which function, with which arguments that were stated.

    track: a part of the table that has been read already.
    """

    read: Callable[..., Read]
    stated: dict[str, Any]
    track: Read | None = None

    def of(self, file: str) -> Read:
        """The table of a file; says on standard error what --where left of it."""
        return with_notes(self.read(file, **self.stated)) if self.track is None else self.track


def with_notes(table: Read) -> Read:
    """The table, after saying on standard error what --drop and --where left of it."""
    state = click.get_current_context().ensure_object(State)
    for sentence in getattr(table, "read_as", ()):
        state.say(sentence)
    dropped = getattr(table, "dropped", None)
    if dropped:
        state.say("rows left out: " + ", ".join(f"{n:,} {kind}" for kind, n in dropped.items()))
    if table.narrowed is not None:
        state.say(str(table.narrowed))
    return table


def comparisons(file: str, **stated: Any) -> Comparisons:
    """The comparisons of a file."""
    import pairproof

    return pairproof.read(file, **stated)


def _by_track(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    return by_track(command, Reading(comparisons, read_as(given, _ARGUMENTS)), given)


def _whole(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    return command(reading=Reading(comparisons, read_as(given, _ARGUMENTS)), **given)


reader_options = gathered((_OPTIONS, filter_options), _by_track)
reader_options_of_all_tracks = gathered((_OPTIONS, where_option), _whole)


def by_track(function: Callable[..., Any], reading: Reading[Any], options: dict[str, Any]) -> Any:
    """Run a command once, or with --tracks once for each; the worst exit code."""
    from ...data.judgments import POOLED, split_tracks

    tracks, file = options.pop("tracks"), options.get("file")
    if tracks is None:
        return function(reading=reading, **options)
    if file is None:
        raise click.UsageError("--tracks has no effect without FILE.")
    whole = reading.of(file)
    if tracks == [POOLED]:
        return function(reading=replace(reading, track=whole.as_one_track()), **options)
    context = click.get_current_context()
    written = files_of(context, WRITTEN)
    if written:
        raise click.UsageError(
            f"{written[0]} is one file, but --tracks gives several results; select one track with --where."
        )
    state = context.ensure_object(State)
    state.no_junit("several tracks have")
    parts, codes = split_tracks(whole, tracks), []
    state.parts = {}
    for state.track, part in parts.items():
        codes.append(function(reading=replace(reading, track=part), **options) or 0)
    state.give_parts()
    return max(codes)


def _split(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """`--separate A,B --separate C` as A, B, C."""
    return tuple(name for value in values for name in names(value))


#: How an option is declared that takes lists, and may be repeated.
LISTS: dict[str, Any] = {"multiple": True, "callback": _split}


def _style(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Terms between commas, those inside braces left alone: diff(tokens_{a,b})."""
    return tuple(term.strip() for text in values for term in re.split(r",(?![^{]*\})", text))


STYLES: dict[str, Any] = {"multiple": True, "callback": _style}


KINDS = ("CR0", "CR1", "CR2")


def _columns(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """The value of --cluster: one column, or two different ones."""
    if value is None:
        return ()
    found = tuple(names(value))
    if len(found) > 2 or len(set(found)) != len(found):
        raise click.BadParameter(
            f"{value!r}; expected one column, or two different ones, for example judge,source"
        )
    return found


def _kind(context: click.Context, _: click.Parameter, value: str | None) -> str:
    """The value of --cluster-kind, which means nothing without --cluster."""
    if value is not None and not context.params.get("cluster"):
        raise click.UsageError("--cluster-kind has no effect without --cluster; add --cluster judge.")
    return value or "CR2"


def cluster_options(section: str, help: str) -> Callable[[Decorated], Decorated]:
    """Both options; the command gets `cluster`, a tuple of names, and `kind`."""
    kind = "Small-sample correction (default: CR2)."
    return options(
        section,
        {
            "--cluster COL[,COL]": (help, {"callback": _columns, "is_eager": True}),
            "--cluster-kind": (kind, choice(*KINDS, name="kind", callback=_kind)),
        },
        # Eager, so that --cluster-kind finds it in whatever order the two are given.
    )
