"""The blocks that a report is made of, and its drawings as SVG.

Every text in a block is plain text: the renderers escape it and spell out control characters.

In a drawing, text and axes take the page's own colour (`currentColor`) and marks its accents
(`var(--...)`), so that one drawing serves light, dark and print.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Literal, Union
from xml.etree.ElementTree import Element

from ..text import label, safe

#: What a verdict means to the reader; "" where there is no verdict.
Tone = Literal["", "good", "note", "bad", "off"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of the page."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Sentences; `aside` where they are less important than the rest."""

    text: str
    aside: bool = False


@dataclass(frozen=True)
class Bullets:
    """Sentences in a list; `lead` where the first is the result."""

    items: tuple[str, ...]
    lead: bool = False


@dataclass(frozen=True)
class Code:
    """Lines that are shown as they are, every character as wide as any other."""

    text: str


@dataclass(frozen=True)
class Cell:
    """A text with a verdict: a sign and a tone, so that nothing is told by colour alone.

    value: by what a sortable table sorts it, if not by the text.  title: what HTML shows where the text is cut.
    link: the file beside the page that HTML leads to.
    """

    text: str
    sign: str = ""
    tone: Tone = ""
    value: float | None = None
    title: str = ""
    link: str = ""

    @property
    def signed(self) -> str:
        return f"{self.sign} {self.text}" if self.sign else self.text


@dataclass(frozen=True)
class Column:
    """The heading of a column; one that is a `detail` is left out in a terminal."""

    title: str
    align: Literal["left", "right"] = "right"
    detail: bool = False


@dataclass(frozen=True)
class Row:
    """A row with a sentence about it."""

    cells: tuple[str | Cell, ...]
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table, of which a column of nothing but "-" is not shown.

    named_by: the column whose cells name their rows.  sortable: whether a reader of HTML may sort it; its rows have no notes.
    """

    header: tuple[str | Column, ...]
    rows: tuple[tuple[str | Cell, ...] | Row, ...]
    caption: str = ""
    named_by: int = 0
    sortable: bool = False

    @cached_property
    def _shown(self) -> tuple[int, ...]:
        """Places of the columns that say something: all but those of nothing but "" and "-"."""
        rows = [row.cells if isinstance(row, Row) else row for row in self.rows]
        said = [{c.signed if isinstance(c, Cell) else c for c in cells} - {"", "-"} for cells in zip(*rows)]
        return tuple(k for k in range(len(self.header)) if not rows or k <= self.named_by or said[k])

    @property
    def columns(self) -> tuple[Column, ...]:
        heads = [(k, self.header[k]) for k in self._shown]
        return tuple(h if isinstance(h, Column) else Column(h, "right" if k else "left") for k, h in heads)

    @property
    def body(self) -> Iterator[tuple[tuple[Cell, ...], str]]:
        """Cells and note of each row."""
        for row in self.rows:
            cells, note = (row.cells, row.note) if isinstance(row, Row) else (row, "")
            yield tuple(c if isinstance(c, Cell) else Cell(c) for c in (cells[k] for k in self._shown)), note

    @property
    def noted(self) -> bool:
        """Whether a row has a note."""
        return any(isinstance(row, Row) and row.note for row in self.rows)


@dataclass(frozen=True)
class Figure:
    """A drawing; only HTML shows it, drawn once as wide as the page and once as wide as a telephone.

    size: inches; it is drawn wider where there is room, and as high, unless it keeps its "shape" or, as what cannot be
    drawn narrower, its "size".  panels: whether `draw` makes its own axes.
    """

    caption: str
    description: str
    size: tuple[float, float]
    draw: Callable[[Any], object]
    panels: bool = False
    title: str = ""
    elsewhere: tuple[Block, ...] = ()
    keeps: Literal["", "shape", "size"] = ""

    def inches(self, narrow: bool) -> tuple[float, float]:
        """Width and height of one of its two drawings."""
        width, height = self.size
        if self.keeps == "size" or self.keeps and not narrow:
            return self.size
        if not narrow:
            return max(width, WIDE), height
        return NARROW, height * NARROW / width if self.keeps else height


@dataclass(frozen=True)
class Picture:
    """A drawing, or a table that is one, as an element of HTML: only HTML shows it.

    Its text has the page's own size and does not shrink with the page, as that of a :class:`Figure` does.  Texts and
    attributes are escaped when it is written; `title` is a heading above it.
    """

    caption: str
    element: Callable[[], Element]
    title: str = ""


@dataclass(frozen=True)
class Quote:
    """What somebody wrote, the verdict on it, and why."""

    text: str
    verdict: Cell
    why: str = ""


@dataclass(frozen=True)
class Counts:
    """How many there are of each verdict, and of what; only HTML shows it, the sentence under it has the same numbers."""

    entries: tuple[tuple[int, Cell], ...]
    what: str = "agreements"


@dataclass(frozen=True)
class Definitions:
    """Words and their meanings."""

    entries: tuple[tuple[Cell, str], ...]


@dataclass(frozen=True)
class Folded:
    """Blocks that a reader of HTML opens; Markdown and text have only the summary, or with `kept` all of it."""

    summary: str
    blocks: tuple[Block, ...]
    kept: bool = False


Block = Union[Heading, Paragraph, Bullets, Code, Table, Figure, Picture, Quote, Counts, Definitions, Folded]


@dataclass(frozen=True)
class Page:
    """A report; `style` is CSS of its own, which the package wrote and no file."""

    title: str
    blocks: Sequence[Block]
    subtitle: str = ""
    style: str = ""

    @property
    def sortable(self) -> bool:
        """Whether a table can be sorted, so that the page has a script."""
        return any(isinstance(block, Table) and block.sortable for block in _inner(self.blocks))


def _inner(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield from _inner(block.blocks) if isinstance(block, Folded) else (block,)


#: Inches that a drawing is wide on a page, and on a telephone of 420 px, where 7 points are 9 px or more.
WIDE, NARROW = 9.6, 3.8
#: Characters of a name beside a drawing on a telephone.
LONGEST = 24
#: Characters of a name in a legend of two columns there, and of an axis's caption on a page.
_IN_LEGEND, MOST_WIDE = 14, 96
#: Colours to draw with; the page replaces them by its own.
INK, GOOD, BAD, FAINT = "#010203", "#010204", "#010205", "#010206"
_OF_PAGE = {
    "#000000": "currentColor",
    INK: "currentColor",
    GOOD: "var(--good)",
    BAD: "var(--bad)",
    FAINT: "var(--faint)",
}
_STYLE = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.family": "sans-serif",
    "font.size": 8.5,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def panels(drawing: Any, n: int, height: float, most: int = 5, least: float = 1.8, **how: Any) -> list[Any]:
    """Axes of n panels, each so many inches high and at least so wide, at most so many in a row; the drawing gets their height."""
    columns = max(1, min(n, most, int(drawing.get_figwidth() / least)))
    rows = math.ceil(n / columns)
    drawing.set_figheight(rows * height)
    axes = drawing.subplots(rows, columns, squeeze=False, **how).ravel()
    for ax in axes[n:]:
        ax.set_visible(False)
    return list(axes[:n])


def svg(block: Figure, name: str, narrow: bool = False) -> str:
    """The drawing as an <svg> element whose identifiers begin with `name`, the same each time."""
    import matplotlib
    from matplotlib.figure import Figure as Drawing

    stream = io.StringIO()
    style: Any = {**_STYLE, "svg.hashsalt": name}
    size = block.inches(narrow)
    with matplotlib.rc_context(style):
        drawing = Drawing(figsize=size, layout="constrained")
        block.draw(drawing if block.panels else drawing.subplots())
        _legends_outside(drawing, narrow)
        for ax in drawing.axes if narrow and not block.keeps == "size" else ():
            _narrowed(ax)
        if not narrow and len(drawing.axes) == 1:  # folded for a picture in a notebook, which is less wide
            ax = drawing.axes[0]
            ax.set_xlabel(textwrap.fill(ax.get_xlabel(), MOST_WIDE))
        drawing.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = safe(stream.getvalue())
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="|url\(#|href="#', lambda mark: f"{mark[0]}{name}-", text)
    for written, page in _OF_PAGE.items():
        text = text.replace(written, page)
    # The page's width takes the place of inches, but for a drawing that keeps its shape or its size.  A
    # reader's font may be wider than the one that was measured: names then reach into the margin, uncut.
    about = f'role="img" aria-labelledby="{name}-t {name}-d"'
    head = re.match(r"<svg[^>]*>", text)
    assert head is not None, "matplotlib writes an svg element"
    opened = re.sub(r' (?:width|height)="[^"]*"', "", head[0])
    px = f"{128 * size[0]:.0f}px"
    limits = {"": "", "shape": f"max-width:{px};", "size": f"max-width:{px};min-width:{96 * size[0]:.0f}px;"}
    opened = opened.replace("<svg", f'<svg style="{limits[block.keeps]}overflow:visible" {about}', 1)
    said = escape(label(block.caption or block.title)), escape(label(block.description))
    titles = f'<title id="{name}-t">{said[0]}</title><desc id="{name}-d">{said[1]}</desc>'
    return opened + titles + text[head.end() :]


def _legends_outside(drawing: Any, narrow: bool) -> None:
    """One legend for all axes, beside them, or below them where it is narrow: there it hides nothing."""
    entries: dict[str, Any] = {}
    for ax in drawing.axes:
        if legend := ax.get_legend():
            entries |= {said: handle for handle, said in zip(*ax.get_legend_handles_labels())}
            legend.remove()
    if entries:
        columns = 1 if max(map(len, entries)) > _IN_LEGEND else 2
        drawing.set_figheight(drawing.get_figheight() + 0.19 * narrow * math.ceil(len(entries) / columns))
        where = {"loc": "outside lower left", "ncols": columns} if narrow else {"loc": "outside right upper"}
        drawing.legend(list(entries.values()), list(entries), **where)


def _narrowed(ax: Any) -> None:
    """What is written at the axes, in the room of a telephone: lines folded, the middle of long names left out."""
    beside = min(LONGEST, max((len(tick.get_text()) for tick in ax.get_yticklabels()), default=0))
    # The caption stands in the middle below the axes, and their names leave it less room.
    ax.set_xlabel(textwrap.fill(ax.get_xlabel(), min(2 * LONGEST, 2 * LONGEST + 6 - beside)))
    ax.set_title(textwrap.fill(ax.get_title(), 2 * LONGEST))
    for axis in (ax.xaxis, ax.yaxis):
        names = [tick.get_text() for tick in axis.get_ticklabels()]
        if max(map(len, names), default=0) > LONGEST:
            kept = LONGEST // 2
            short = [n if len(n) <= LONGEST else f"{n[:kept]}\u2026{n[1 - kept:]}" for n in names]
            axis.set_ticks(axis.get_ticklocs(), short)
