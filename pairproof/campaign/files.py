"""Files that a campaign reads: items and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..data.reading.sources import load
from ..data.reading.table import Table
from ..errors import InputError
from .guard import MARK, unguard

#: Columns of a batch file that are not an item's.
BATCH_COLUMNS = ("campaign", "batch", "hit")
MODEL_COLUMNS = ("alpha", "beta", "mode", "var")
SKILL_COLUMNS = ("mu", "sigma")


@dataclass(frozen=True)
class ItemsFile:
    """Items as a file has them.

    Attributes
    ----------
    table : Table
        Every cell text, guarded cells put back.
    ids : tuple of str
    columns : tuple of str
        All but `id`.
    """

    table: Table
    ids: tuple[str, ...]
    columns: tuple[str, ...]

    def fields(self, columns: Sequence[str]) -> list[list[str]]:
        """A row an item."""
        cells = [cells_of(self.table, name) for name in columns]
        return [list(row) for row in zip(*cells)] if cells else [[] for _ in self.ids]


def read_items(path: str | Path, encoding: str | None = None) -> ItemsFile:
    """An items or model file.

    Raises
    ------
    InputError
        No `id` column, a blank or repeated id, a column whose name the batches need; with file, row and
        column.
    """
    table = load(str(path), encoding)
    if "id" not in table.columns:
        raise InputError(
            f"{table.source}: no column 'id'; found {', '.join(map(repr, table.columns))}; expected id, sent"
            " and any further columns"
        )
    ids = cells_of(table, "id")
    seen: dict[str, int] = {}
    for row, name in enumerate(ids):
        if not name.strip():
            raise InputError(f"{table.where(row, 'id')}: blank; every item needs an id")
        if name in seen:
            raise InputError(
                f"{table.where(row, 'id')}: {name!r} is the id of row {seen[name] + 1} too; ids must be"
                " distinct"
            )
        seen[name] = row
    columns = tuple(c for c in table.columns if c not in ("id", MARK))
    taken = [c for c in columns if c in BATCH_COLUMNS]
    if taken:
        raise InputError(
            f"{table.source}: column {', '.join(map(repr, taken))}: batches have a column of that name;"
            " rename it"
        )
    return ItemsFile(table, tuple(ids), columns)


def cells_of(table: Table, column: str, mark: str = MARK) -> list[str]:
    """A column as text, guarded cells put back; `mark` is the column that says in which rows there are
    any.
    """
    cells = [str(c) for c in table.columns[column]]
    marks = next((table.columns[name] for name in (mark, MARK) if name in table.columns), None)
    return cells if marks is None else [unguard(c) if str(m) == "1" else c for c, m in zip(cells, marks)]


def check_numbered(columns: Sequence[str], per_hit: int, source: str) -> None:
    """Numbered columns of a batch must be distinct: with `x` and `x1`, x11 would be two columns."""
    names = [f"{c}{k}" for c in ("id", *columns) for k in range(1, per_hit + 1)] + list(BATCH_COLUMNS)
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InputError(
            f"{source}: numbered from 1 to {per_hit}, two columns become {twice[0]!r}; rename one of"
            f" {', '.join(map(repr, columns))}"
        )
