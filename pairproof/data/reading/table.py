"""A table as named columns of cells, with error messages that name the place of a cell.

A file, a frame or a dict becomes a :class:`Table`; nothing is interpreted here beyond what a delimiter, an
encoding and a header are.  Cells of text files stay text ("NA" is a word, "007" keeps its zeros).
"""

from __future__ import annotations

import csv
import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import InputError
from ...text import listed, named, quoted

#: The roles that a column can have in a layout; `system1`, `rank1`, ... are roles too.
ROLES = (
    "first", "second", "outcome", "wins", "ties", "losses", "model_a", "model_b", "winner", "judge", "weight",
    "source", "order", "system", "rank", "ranking", "person",
)  # fmt: skip
#: A suggestion is for a slip of the finger: not for longer words, nor among more names than these.
_LONGEST_SUGGESTED, _MOST_SUGGESTED = 60, 1000


@dataclass(frozen=True)
class Table:
    """A table whose cells have not been interpreted.

    columns: in the order of the source; never written to.  source: name of the file, or "table".  text,
    delimiter: of a delimited file, to find line numbers when something is wrong; text is "" otherwise.
    own_names: role -> the column's name in the source, where they differ; messages use the latter.  rows
    int[n_rows]: the rows of the source that were chosen; None: all.
    """

    columns: Mapping[str, Any]
    n_rows: int
    source: str
    text: str = ""
    delimiter: str = ","
    own_names: Mapping[str, str] = field(default_factory=dict)
    rows: NDArray[np.int64] | None = None

    def where(self, row: int, column: str | None = None) -> str:
        """'votes.csv, row 3 (line 4), column 'winner'' for row position 2."""
        row = row if self.rows is None else int(self.rows[row])
        line = f" (line {line_of_row(self.text, self.delimiter, row)})" if self.text else ""
        own = self.own_names.get(column or "", column)
        role = "" if own == column else f" (as {column!r})"
        return f"{self.source}, row {row + 1}{line}" + (
            "" if column is None else f", column {quoted(own)}{role}"
        )

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Some of the rows, whose places in the source messages still know."""
        columns = {name: column.iloc[rows] for name, column in self.columns.items()}
        return replace(self, columns=columns, n_rows=len(rows), rows=rows)

    def refuse(
        self, bad: NDArray[np.bool_], column: str, found: str, cure: str, kind: type[InputError] = InputError
    ) -> InputError:
        """An error about the first of the rows marked in `bad`, with their number."""
        count = int(bad.sum())
        such = f" ({count} such rows)" if count > 1 else ""
        return kind(f"{self.where(int(np.flatnonzero(bad)[0]), column)}: {found}{such}; {cure}")

    def with_roles(self, roles: Mapping[str, str] | None) -> Table:
        """The table with columns called by their roles, `roles` being {role: name of the column}."""
        chosen = dict(roles or {})
        for role, name in chosen.items():
            if role not in ROLES and not re.fullmatch(r"(system|rank)[1-9][0-9]*", role):
                raise InputError(
                    f"column role {quoted(role)} is unknown; the roles are {', '.join(ROLES)}, system1,"
                    " rank1, ..." + suggestion(role, ROLES)
                )
            if name not in self.columns:
                raise InputError(
                    f"{self.source}: no column {quoted(name)} to be {role!r}; found {listed(self.columns)}"
                    + suggestion(name, self.columns)
                )
        if len(set(chosen.values())) != len(chosen):
            raise InputError(f"{self.source}: one column was given two roles: {quoted(chosen)}")
        role_of = {name: role for role, name in chosen.items()}
        renamed = [role_of.get(name, name) for name in self.columns]
        for role, name in chosen.items():
            if renamed.count(role) > 1:
                raise InputError(
                    f"{self.source}: column {name!r} shall be {role!r}, but there is a column {role!r} as"
                    " well; rename or remove that one"
                )
        return replace(self, columns=dict(zip(renamed, self.columns.values())), own_names=chosen)


def with_person(table: Table, person: str | None) -> Table:
    """The table with the column that names the persons called `person`."""
    return table if person is None else table.with_roles({"person": person})


def suggestion(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'first'?", or nothing where no known word is near."""
    if len(word) > _LONGEST_SUGGESTED:
        return ""
    # difflib compares letter by letter: names of another length cannot be near, and a thousand are looked at.
    alike = (k for k in known if abs(len(k) - len(word)) <= 0.5 * len(word) + 2)
    plain = {k.strip().casefold(): k for k in islice(alike, _MOST_SUGGESTED + 1)}
    if len(plain) > _MOST_SUGGESTED:  # the nearest may be among those that were not looked at
        return ""
    near = difflib.get_close_matches(word.strip().casefold(), list(plain), n=1)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""


def from_frame(
    frame: Any, source: str, *, text: str = "", delimiter: str = ",", nameless: bool = False
) -> Table:
    """A frame's columns under checked names.

    `nameless` allows the first column to have no name (the row labels of a matrix).
    """
    if isinstance(frame.columns, pd.MultiIndex):
        raise InputError(f"{source}: columns have several levels of names; flatten them to one name each")
    names = ["" if name is None else str(name) for name in frame.columns]
    check_names(names, source, nameless)
    # `items` takes half the time of `iloc` for tens of thousands of columns.
    return Table(
        dict(zip(names, (series for _, series in frame.items()))), len(frame), source, text, delimiter
    )


def repeated(names: Iterable[str]) -> list[str]:
    """The names that stand there more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def check_names(names: list[str], source: str, nameless: bool) -> None:
    """Refuse columns without a name, and two columns of the same name."""
    blank = [k + 1 for k, name in enumerate(names) if not name.strip() and not (nameless and k == 0)]
    if blank:
        raise InputError(
            f"{source}: column {named(map(str, blank))} has no name; name it, or remove it (pandas writes its"
            " index so: use to_csv(index=False)); a square table with labelled rows is layout='matrix'"
        )
    twice = repeated(names)
    if twice:
        raise InputError(f"{source}: more than one column is called {listed(twice)}; rename or remove")


def _lines(text: str) -> Iterator[str]:
    """The lines one by one: most callers want the first two, and io.StringIO would copy the whole text for
    them.
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, fields) of each record that is not a blank line."""
    # The csv module refuses fields over 131072 characters unless told otherwise; chat exports have longer
    # ones.
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(_lines(text), delimiter=delimiter)
        begin = 1
        for fields in reader:
            # An empty line gives [], a line of blanks one blank field; a line of `""` is a field, and counts.
            if len(fields) > 1 or (fields and (not fields[0] or fields[0].strip(" \t"))):
                yield begin, fields
            begin = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def line_of_row(text: str, delimiter: str, row: int) -> int:
    """Line of the file on which data row `row` (0 is the first after the header) begins."""
    for k, (line, _) in enumerate(records(text, delimiter)):
        if k == row + 1:
            return line
    raise IndexError(row)
