"""Where the rows of a table stand, for messages: all of them at once.

`Table.where` reads the text up to its row each time, which a reader that asks for every row cannot afford.
"""

from __future__ import annotations

from ...data.reading.table import Table, records


def places_of(table: Table) -> list[str]:
    """'results.csv, row 3 (line 4)' for each row."""
    if not table.text:
        return [table.where(k) for k in range(table.n_rows)]
    lines = [line for line, _ in records(table.text, table.delimiter)][1:]
    return [f"{table.source}, row {k + 1} (line {line})" for k, line in enumerate(lines)]
