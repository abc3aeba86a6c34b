"""A page as Markdown, with tables as GitHub reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..text import label, safe
from .blocks import (
    Block,
    Bullets,
    Code,
    Column,
    Definitions,
    Figure,
    Folded,
    Heading,
    Page,
    Paragraph,
    Quote,
    Table,
)

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
