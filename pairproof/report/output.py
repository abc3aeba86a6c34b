"""A page written in the form that its file's suffix asks for: plain text, Markdown, HTML, JSON or JUnit.

Plain text wraps to the terminal, and never cuts a number, however narrow the terminal is.  Markdown has
tables as GitHub reads them.  HTML is one file: style and drawings inside, nothing fetched, everything
escaped, and nothing run but one script of this package, on pages whose tables can be sorted: the page's policy
names its hash, and without it the page reads the same.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import resources
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..errors import InputError
from ..text import label, safe
from .blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Counts,
    Definitions,
    Figure,
    Folded,
    Heading,
    Page,
    Paragraph,
    Picture,
    Quote,
    Table,
    svg,
)

if TYPE_CHECKING:
    from jinja2 import Environment
    from rich.console import Console


#: Below this many columns a wide table is no table; its rows are then written one above the other.
NARROW = 76
#: As wide as a line gets where nothing limits it.
_UNLIMITED = 100_000
#: Columns that a text needs at least when it is folded.
_FOLDED = 9


def render_text(page: Page, *, width: int | None = None) -> str:
    """The whole page, without colours."""
    from rich.console import Console

    stream = io.StringIO()
    plain: dict[str, Any] = {"force_terminal": False, "no_color": True, "highlight": False}
    console = Console(file=stream, width=width or _UNLIMITED, legacy_windows=False, **plain)
    writer = _Writer(console, width)
    writer.sentence(page.title)
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
        if isinstance(block, (Heading, Paragraph)):
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
            self.sentence(block.verdict.signed, 2)
            self.sentence(block.why, 4)
        elif isinstance(block, Definitions):
            for cell, meaning in block.entries:
                self.sentence(f"{cell.signed}: {meaning}")

    def sentence(self, text: str, indent: int = 0) -> None:
        """A line, or several that are indented below the first; "" writes none."""
        from rich.text import Text

        if not text:
            return
        line = " " * indent + label(text.strip())
        if self._width is not None:
            line = textwrap.fill(line, max(self._width, 20), subsequent_indent=" " * (indent + 2))
        self._console.print(Text(line))

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
            texts = (column.title, *(row[place].signed for row in rows))
            widest = max(cell_len(label(text)) for text in texts) + 2
            natural += widest
            needed += widest if column.align == "right" else min(widest, _FOLDED + 2)
        return natural <= self._width or self._width >= NARROW and needed <= self._width

    def _grid(self, block: Table, shown: list[int], rows: list[list[Cell]]) -> None:
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False)
        for k in shown:
            column = block.columns[k]
            # Names and verdicts wrap, a number never does.
            numbers = column.align == "right"
            grid.add_column(Text(label(column.title)), justify=column.align, no_wrap=numbers, overflow="fold")
        for cells in rows:
            grid.add_row(*(Text(label(c.signed)) for c in cells))
        self._console.print(grid)

    def _stacked(self, titles: list[str], cells: list[Cell]) -> None:
        head = next((c for c in cells[1:] if c.tone), Cell(""))
        self.sentence(f"{head.sign} {cells[0].text}: {head.text}" if head.tone else cells[0].text, 2)
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
        elif not isinstance(block, (Counts, Picture)):
            yield block


_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|~$"})


def render_markdown(page: Page) -> str:
    """The whole page."""
    subtitle = [escape(page.subtitle)] if page.subtitle else []
    return "\n\n".join([f"# {escape(page.title)}", *subtitle, *_parts(page.blocks)]) + "\n"


def escape(text: str) -> str:
    """Text in which Markdown and HTML have no meaning."""
    return label(text).translate(_SPECIAL)


def table(block: Table) -> str:
    """A table below its caption; the notes on rows are its last column."""
    columns = [*block.columns, *([Column("explanation", "left")] if block.noted else [])]
    lines = [_line(c.title for c in columns)]
    lines.append("|" + "".join(" ---: |" if c.align == "right" else " --- |" for c in columns))
    for cells, note in block.body:
        lines.append(_line([*(c.signed for c in cells), *([note] if block.noted else [])]))
    return (f"{escape(block.caption)}\n\n" if block.caption else "") + "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(escape, cells)) + " |"


def _parts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"{'#' * block.level} {escape(block.text)}"
        elif isinstance(block, Paragraph):
            yield _sentence(block.text)
        elif isinstance(block, Bullets):
            yield "\n".join(f"- {_sentence(item)}" for item in block.items)
        elif isinstance(block, Code):
            yield _code(safe(block.text))
        elif isinstance(block, Table):
            yield table(block)
        elif isinstance(block, Quote):
            why = f": {escape(block.why)}" if block.why else ""
            yield f"> {_sentence(block.text)}\n\n**{escape(block.verdict.signed)}**{why}"
        elif isinstance(block, Definitions):
            yield "\n".join(f"- **{escape(cell.signed)}**: {escape(said)}" for cell, said in block.entries)
        elif isinstance(block, Figure):
            yield from _parts(block.elsewhere)
        elif isinstance(block, Folded):
            yield from _parts(block.blocks) if block.kept else [_sentence(block.summary)]


def _sentence(text: str) -> str:
    """Text that does not begin a list or a heading either."""
    return re.sub(r"^(\d*)([#+=.)-])", r"\1\\\2", escape(text))


def _code(text: str) -> str:
    # A fence longer than any run of backquotes inside: names may hold them.
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def render_html(page: Page) -> str:
    """The whole page; the same page gives the same text."""
    return _rendered(page, _packaged("report.css"))


def _packaged(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def render_fragment(page: Page) -> str:
    """The blocks alone, for a notebook."""
    return _rendered(page, None)


def _rendered(page: Page, style: str | None) -> str:
    import pairproof

    numbers = count(1)
    given = {"page": page, "style": style, "version": pairproof.__version__, "script": ""}
    if style is not None and page.sortable:
        script = _packaged("sorting.js")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        given |= {"script": script, "hash": digest, "style": style + _packaged("sorting.css")}
    template = _environment().from_string(_packaged("report.html.j2"))
    drawn = partial(_drawn, narrow=style is not None)
    return template.render(number=lambda: next(numbers), drawn=drawn, **given)


def _drawn(block: Figure | Picture, number: int, narrow: bool) -> Any:
    """The drawing; with `narrow` a figure has one for telephones too, of which the page's style shows one."""
    from markupsafe import Markup

    if isinstance(block, Figure):
        wide = svg(block, f"figure{number}")
        if block.keeps == "size" or not narrow:
            return Markup(wide)
        other = svg(block, f"figure{number}n", True)
        return Markup(f'<div class="wide">{wide}</div><div class="narrow">{other}</div>')
    return Markup(safe(ElementTree.tostring(block.element(), encoding="unicode", short_empty_elements=False)))


def _unbroken(text: str) -> str:
    """The text, in HTML an option of a command that no line breaks at a hyphen."""
    from markupsafe import Markup, escape

    if " --" not in f" {text}":
        return text
    return Markup(
        re.sub(r"(?<![\w-])--[a-z][a-z-]*", r'<span class="option">\g<0></span>', str(escape(text)))
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup, escape

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: label(value) if type(value) is str else value,
    )
    environment.filters["unbroken"] = lambda text: _unbroken(label(text))
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["lines"] = lambda text: Markup(escape(safe(text)))
    environment.filters["style"] = Markup
    return environment


#: Suffix of a report's file -> what it is.
FORMATS = {
    ".html": "one self-contained HTML file",
    ".md": "Markdown",
    ".json": "JSON",
    ".xml": "JUnit XML",
    ".txt": "text",
}


@dataclass(frozen=True)
class Output:
    """A result that can be written in every form."""

    page: Callable[[], Page]
    json: Callable[[], str]
    junit: Callable[[], str] | None = None
    terminal: Callable[[], str] | None = None
    csv: Callable[[], str] | None = None

    def render(self, suffix: str) -> str:
        """The text of a file; `suffix` is one of `FORMATS`."""
        if suffix == ".json":
            return self.json()
        if suffix in (".html", ".md", ".txt"):
            return {".html": render_html, ".md": render_markdown, ".txt": render_text}[suffix](self.page())
        if suffix == ".csv" and self.csv is not None:
            return self.csv()
        if suffix != ".xml":
            raise InputError(wrong_suffix(suffix))
        if self.junit is None:
            raise InputError("a JUnit report (.xml) lists verdicts, and this result has no verdicts")
        return self.junit()

    def shown(self) -> str:
        """What the command prints."""

        return render_text(self.page()) if self.terminal is None else self.terminal()

    def write(self, path: Path, *, force: bool = False) -> None:
        """Write the file; its form follows the suffix."""
        from ..files.outputs import write

        write(path, self.render(path.suffix.lower()), force=force)


def wrong_suffix(suffix: str, has_rows: bool = False) -> str:
    """What is wrong with a report of this suffix, "" if nothing is.  has_rows: whether the result has a table's rows."""
    formats = [*FORMATS, *([".csv"] if has_rows else [])]
    if suffix in formats:
        return ""
    return f"ends in {suffix or 'no suffix'!r}; expected one of {', '.join(formats)}"
