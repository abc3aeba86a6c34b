"""Drawings as SVG text that stands inside a page.

Text and axes take the page's own colour (`currentColor`) and marks its accents (`var(--...)`), so that one
drawing serves light, dark and print.
"""

from __future__ import annotations

import io
import re
from html import escape
from typing import Any

from ..text import label, safe
from .blocks import Figure

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


def svg(block: Figure, name: str) -> str:
    """The drawing as an <svg> element: its identifiers begin with `name`; the same drawing gives the same
    text.
    """
    import matplotlib
    from matplotlib.figure import Figure as Drawing

    stream = io.StringIO()
    style: Any = {**_STYLE, "svg.hashsalt": name}
    with matplotlib.rc_context(style):
        drawing = Drawing(figsize=block.size, layout="constrained")
        block.draw(drawing if block.panels else drawing.subplots())
        drawing.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = safe(stream.getvalue())
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    for written, page in _OF_PAGE.items():
        text = text.replace(written, page)
    # Sizes in inches become a largest width, so that the drawing shrinks with the page and never grows.  A
    # reader's font may be wider than the one that was measured: names then reach into the margin, uncut.
    about = f'role="img" aria-labelledby="{name}-t {name}-d"'
    head = re.match(r"<svg[^>]*>", text)
    assert head is not None, "matplotlib writes an svg element"
    opened = re.sub(r' (?:width|height)="[^"]*"', "", head[0])
    opened = opened.replace(
        "<svg", f'<svg style="max-width:{96 * block.size[0]:.0f}px;overflow:visible" {about}', 1
    )
    said = escape(label(block.caption)), escape(label(block.description))
    titles = f'<title id="{name}-t">{said[0]}</title><desc id="{name}-d">{said[1]}</desc>'
    return opened + titles + text[head.end() :]
