"""A page as plain text: it wraps to the terminal, and never cuts a number, however narrow the terminal is."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..text import label, safe
from .blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Counts,
    Definitions,
    Figure,
    Folded,
    Heading,
    Page,
    Paragraph,
    Quote,
    Table,
)

if TYPE_CHECKING:
    from rich.console import Console

#: Below this many columns a wide table is no table; its rows are then written one above the other.
NARROW = 76
#: As wide as a line gets where nothing limits it.
_UNLIMITED = 100_000
#: Columns that a text needs at least when it is folded.
_FOLDED = 9
_STYLES = {"": "", "good": "green", "note": "cyan", "bad": "bold red", "off": "yellow"}


def render_text(page: Page, *, width: int | None = None, color: bool = False) -> str:
    """The whole page.

    width: columns; default: no limit, a sentence is a line and a table as wide as it is.  color: with ANSI
    colours; a sign stands beside every verdict in any case.
    """
    from rich.console import Console

    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width or _UNLIMITED,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        legacy_windows=False,
    )
    writer = _Writer(console, width)
    if page.title:
        writer.sentence(page.title, style="bold")
    if page.subtitle:
        writer.sentence(page.subtitle)
    writer.blocks(page.blocks)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


class _Writer:
    """Blocks on a console of so many columns, None for no limit."""

    def __init__(self, console: Console, width: int | None) -> None:
        self._console, self._width = console, width

    def blocks(self, blocks: Iterable[Block]) -> None:
        """Tables and lines shown as they are stand apart, and headings from what is above them."""
        before: Block | None = Heading("") if self._console.file.tell() == 0 else None
        for block in _shown(blocks):
            apart = isinstance(block, (Heading, Table, Code)) or isinstance(before, (Table, Code))
            if apart and not isinstance(before, Heading):
                self._console.print()
            self._block(block, isinstance(before, Heading) and bool(before.text))
            before = block

    def _block(self, block: Block, headed: bool) -> None:
        if isinstance(block, Heading):
            self.sentence(block.text, style="bold")
        elif isinstance(block, Paragraph):
            self.sentence(block.text)
        elif isinstance(block, Bullets):
            for item in block.items:
                self.sentence(item, 2 if headed else 0)
        elif isinstance(block, Code):
            self._console.file.write(safe(block.text) + "\n")
        elif isinstance(block, Table):
            self._table(block)
        elif isinstance(block, Quote):
            self.sentence(f"\u201c{block.text}\u201d", 2)
            self.sentence(block.verdict.signed, 2, _STYLES[block.verdict.tone])
            self.sentence(block.why, 4)
        elif isinstance(block, Definitions):
            for cell, meaning in block.entries:
                self.sentence(f"{cell.signed}: {meaning}")

    def sentence(self, text: str, indent: int = 0, style: str = "") -> None:
        """A line, or several that are indented below the first; "" writes none."""
        from rich.text import Text

        if not text:
            return
        line = " " * indent + label(text.strip())
        if self._width is not None:
            line = textwrap.fill(line, max(self._width, 20), subsequent_indent=" " * (indent + 2))
        self._console.print(Text(line, style))

    def _table(self, block: Table) -> None:
        shown = [k for k, column in enumerate(block.columns) if not column.detail]
        rows = [([cells[k] for k in shown], note) for cells, note in block.body]
        self.sentence(block.caption)
        if rows and self._fits(block, shown, [cells for cells, _ in rows]):
            self._grid(block, shown, [cells for cells, _ in rows])
        else:
            for cells, _ in rows:
                self._stacked([block.columns[k].title for k in shown], cells)
        for cells, note in rows:
            if note:
                sign = next((c.sign for c in cells if c.sign), "")
                self.sentence(f"{sign} {cells[0].text}: {note}", 2)

    def _fits(self, block: Table, shown: list[int], rows: list[list[Cell]]) -> bool:
        """Whether the lines have room for every number in full, and for names that are folded."""
        from rich.cells import cell_len

        if self._width is None:
            return True
        natural, needed = 0, 0
        for place, k in enumerate(shown):
            column = block.columns[k]
            widest = (
                max(cell_len(label(text)) for text in (column.title, *(r[place].signed for r in rows))) + 2
            )
            natural += widest
            needed += widest if column.align == "right" else min(widest, _FOLDED + 2)
        return natural <= self._width or self._width >= NARROW and needed <= self._width

    def _grid(self, block: Table, shown: list[int], rows: list[list[Cell]]) -> None:
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False)
        for k in shown:
            column = block.columns[k]
            right = column.align == "right"
            # Names and verdicts wrap, a number never does.
            title = Text(label(column.title))
            grid.add_column(title, justify="right" if right else "left", no_wrap=right, overflow="fold")
        for cells in rows:
            grid.add_row(*(Text(label(c.signed), _STYLES[c.tone]) for c in cells))
        self._console.print(grid)

    def _stacked(self, titles: list[str], cells: list[Cell]) -> None:
        head = next((c for c in cells[1:] if c.tone), Cell(""))
        first = f"{head.sign} {cells[0].text}: {head.text}" if head.tone else cells[0].text
        self.sentence(first, 2, _STYLES[head.tone])
        for title, cell in list(zip(titles, cells))[1:]:
            if cell is not head and cell.text not in ("", "-"):
                self.sentence(f"{title} {cell.signed}", 6)


def _shown(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that a text has, those inside others among them."""
    for block in blocks:
        if isinstance(block, Figure):
            yield from _shown(block.elsewhere)
        elif isinstance(block, Folded):
            yield from _shown(block.blocks) if block.kept else [Paragraph(block.summary)]
        elif not isinstance(block, Counts):
            yield block
