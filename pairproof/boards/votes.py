"""The votes of a board: read into memory, or counted where they are too many, and treated as the board says.

What a vote of "both bad" is: a tie, as on every board; left out; or an answer of its own, which a model of its own has
(:mod:`pairproof.boards.both_bad`) before the rest are compared.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..data.columns import Factor, FloatArray, is_missing
from ..data.comparisons import Comparisons
from ..data.counting.passes import RowSource, with_sides_through
from ..data.counting.streams import paths_of, stream_of
from ..data.reading.arrow import has_arrow, is_lazy
from ..data.reading.beside.repeated import vote_notes
from ..data.reading.beside.sides import side_terms, with_sides
from ..data.where import conditions_of
from ..errors import InputError
from .both_bad import COLUMN, bad_votes, table_without_both_bad

BothBad = Literal["tie", "drop", "own"]
#: Arguments of a count that going through its rows again needs.
_OF_ROWS = ("layout", "columns", "coding", "rename", "encoding", "drop")
#: Rows, and bytes of text, up to which votes are held in memory.
MOST_HELD, MOST_TEXT = 4_000_000, 400 << 20
#: Columns that say which votes were about one prompt, in this order.
PROMPTS = ("prompt", "prompt_id", "source", "question_id", "question", "instruction")
#: Clusters that a column needs to be chosen unasked; distinct values a vote from which on it names votes.
FEWEST_CLUSTERS, NAMES_OF_VOTES = 10, 0.9


@dataclass(frozen=True, eq=False)
class Votes:
    """table: the votes.  rows: where votes that are not held are gone through again; None where they are held, or where
    `apart` says why these are not those of the table.  names: of the columns that `rows` has.  dropped: why -> how many were
    left out.  terms: columns of style, in favour of the item named first.  notes: sentences on repeated votes.
    """

    table: Comparisons
    rows: RowSource | None = None
    names: tuple[str, ...] = ()
    apart: str = ""
    dropped: Mapping[str, float] = field(default_factory=dict)
    terms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def changed(self, table: Comparisons, why: str, **also: Any) -> Votes:
        """Other votes than were read; why: what was done to them."""
        apart = why if self.rows is not None else self.apart
        return replace(self, table=table, rows=None, apart=apart, **also)

    def refuse_apart(self, asked: str) -> None:
        """Refuse what needs rows that are not those of the table."""
        if self.apart:
            raise InputError(
                f"{asked} for votes that are not in memory ({self.table.source}) and {self.apart}: a second pass through the"
                " rows would not yield the board's votes. Write these votes to a file, or read them into"
                " memory with pairproof.read"
            )


def gathered(source: Any, by: Sequence[str], reading: Mapping[str, Any]) -> Votes:
    """The votes of any source that `read` or `count` takes; those in a table are taken as they are.

    by: columns that a count keeps.
    """
    import pairproof

    if isinstance(source, Comparisons):
        if reading:
            raise InputError(
                f"{', '.join(f'{name}=' for name in reading)} with a table of comparisons, which has already been"
                " read; pass the file or frame that it was read from"
            )
        return Votes(source, dropped=source.dropped, notes=vote_notes(source))
    if not is_large(source):
        table = pairproof.read(_one(source), **reading)
        return Votes(table, dropped=table.dropped, notes=vote_notes(table))
    how = {name: value for name, value in reading.items() if name in _OF_ROWS}
    stream = stream_of(source)
    table = pairproof.count(source, by=tuple(dict.fromkeys(("both_bad", *by))), **reading)
    votes = Votes(table, pairproof.rows(source, **how), stream.names, dropped=table.dropped)
    where = conditions_of(reading.get("where"))
    return votes.changed(table, f"selected by {' and '.join(where)}") if where else votes


def _one(source: Any) -> Any:
    """The only file of a list or a glob, which `read` takes."""
    paths = paths_of(source) if isinstance(source, (str, os.PathLike, list, tuple)) else None
    return paths[0] if paths is not None and len(paths) == 1 else source


def is_large(source: Any) -> bool:
    """Whether votes are counted and not held: several files, many rows, or a frame that has no rows until asked."""
    if is_lazy(source):
        return True
    if not isinstance(source, (str, os.PathLike, list, tuple)):
        return hasattr(source, "__len__") and has_arrow(source) and len(source) > MOST_HELD
    paths = paths_of(source)
    if paths is None or paths == ["-"]:
        return False
    return len(paths) > 1 or _is_large_file(paths[0])


def _is_large_file(path: str) -> bool:
    if not os.path.isfile(path):  # `read` says what is wrong with it
        return False
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        try:
            import pyarrow.parquet as pq

            return int(pq.read_metadata(path).num_rows) > MOST_HELD
        except Exception:  # not there, or no Parquet: `read` says so
            return False
    return os.path.getsize(path) > MOST_TEXT


def both_bad_of(table: Comparisons) -> FloatArray | None:
    """float[n_rows]: votes of each row that call both bad; None where votes have no such answer."""
    return bad_votes(table) if COLUMN in table.columns else None


def without_both_bad(votes: Votes) -> Votes:
    """The votes without those that call both bad, which are counted."""
    bad = both_bad_of(votes.table)
    if bad is None:
        return votes
    dropped = {**votes.dropped, "both bad": float(bad.sum())}
    return votes.changed(
        table_without_both_bad(votes.table), "without votes that call both bad", dropped=dropped
    )


def styled(votes: Votes, style: Sequence[str]) -> Votes:
    """The votes with columns of style, which `terms` names."""
    if not style:
        return votes
    votes.refuse_apart("style")
    if votes.rows is None:
        terms = side_terms(style, list(votes.table.columns))
        table = with_sides(votes.table, terms)
        said = tuple(
            f"Style {term.name}: no value of {term.column!r} is negative, so it may be no difference of the two answers. What it then"
            " shows is an effect of being shown first, and swapping the two sides changes the ratings; of two columns"
            " --style 'diff(x_{a,b})' takes the difference."
            for term in terms
            if term.column and not np.nanmin(np.asarray(table.columns[term.key])) < 0.0
        )
        keys = tuple(term.key for term in terms)
        return replace(votes, table=table, terms=keys, notes=(*votes.notes, *said))
    terms = side_terms(style, votes.names)
    rows = with_sides_through(votes.table, votes.rows, terms)
    return replace(votes, rows=rows, terms=tuple(term.key for term in terms))


def clusters_of(votes: Votes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns by which votes go together, (judge, prompt) where there are such, and sentences on those not taken.

    Of votes that are not held only the judge: one column is what passes over them can cluster by.
    """
    table = votes.table
    if votes.apart:
        return (), (f"The votes are not in memory, and are {votes.apart}: nothing is clustered.",)
    if votes.rows is not None:
        own = (votes.rows.columns or {}).get("judge", "judge")
        columns = ("judge",) if own in votes.names else ()
        left = [name for name in PROMPTS if name in votes.names][:1]
        alone = f"clustered by judge alone, not by {left[0]} as well; " if columns and left else ""
        return columns, (
            f"The votes are counted and not held in memory: {alone}repeated votes are not looked for. Small files that are"
            " joined into one are held.",
        )
    taken, said = [], []
    prompt = next((name for name in map(table.role_of, PROMPTS) if name in table.columns), None)
    for name in ("judge", prompt):
        if name is None or name not in table.columns:
            continue
        n = _distinct(table, name)
        if name != "judge" and n > NAMES_OF_VOTES * table.n_rows:
            continue
        if n >= FEWEST_CLUSTERS:
            taken.append(name)
        else:
            said.append(
                f"Column {name!r} has {n} value{'s' * (n != 1)}, too few to estimate the correlation within it (fewer than"
                f" {FEWEST_CLUSTERS}): standard errors are not clustered by it; to do so anyway, use cluster={name!r}"
                f" (--cluster {name})."
            )
    return tuple(taken), tuple(said)


def blanks(table: Comparisons, name: str) -> int:
    """How many rows have no value of a column."""
    column = table.columns.get(table.role_of(name))
    return 0 if column is None else int(is_missing(column).sum())


def _distinct(table: Comparisons, name: str) -> int:
    column = table.columns[name]
    if isinstance(column, Factor):
        return int((np.bincount(column.codes[column.codes >= 0], minlength=1) > 0).sum())
    return len(np.unique(column[~np.isnan(column)]))
