"""The model files of both public EASL codes, and the HTML that one of them writes into texts.

=======  ===============================================================================================
keisks   the items' columns, alpha, beta, mode, var.  An older version calls mode and var `mu` and
         `sigma`; both are those of the beta distribution (.5 and .0833 = 1/12 at the start), not mean and
         deviation of a normal as in TrueSkill.  alpha and beta beside them decide.
cjmay    the items' columns, alpha, beta, mode, var, na_count, scores; scores as " 0.73 0.20", in two digits
=======  ===============================================================================================

cjmay's `initialize` escapes HTML in every cell, and both replace characters above U+FFFF by
`<span class='emoji-bytes' data-emoji-bytes='[240, 159, 152, 128]'></span>`, the bytes of their UTF-8.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Literal, get_args

from ...errors import InputError
from ...text import listed

Layout = Literal["pairproof", "keisks", "keisks-mu-sigma", "cjmay"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
#: Columns that a tool's model file has after those of the items.
COLUMNS_OF: dict[Layout, tuple[str, ...]] = {
    "pairproof": ("alpha", "beta", "mode", "var"),
    "keisks": ("alpha", "beta", "mode", "var"),
    "keisks-mu-sigma": ("alpha", "beta", "mu", "sigma"),
    "cjmay": ("alpha", "beta", "mode", "var", "na_count", "scores"),
}
_SPAN = re.compile(
    r"<span class='emoji-bytes' data-emoji-bytes='\[([0-9]{3}(?:, ?[0-9]{3}){3})\]'></span>"
)  # fmt: skip
_LIKE_SPAN = re.compile(r"emoji-bytes")
_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|apos|#x?[0-9A-Fa-f]{1,6});")


def as_tool(text: str, layout: Layout) -> str:
    """A cell as the tool's own `initialize` writes it.

    >>> as_tool("a & b", "cjmay"), as_tool("a & b", "keisks")
    ('a &amp; b', 'a & b')
    """
    if layout == "pairproof":
        return text
    escaped = html.escape(text) if layout == "cjmay" else text
    return re.sub("[\U00010000-\U0010ffff]", lambda found: _span(found[0]), escaped)


def _span(character: str) -> str:
    numbers = ", ".join(map(str, character.encode("utf-8")))
    return f"<span class='emoji-bytes' data-emoji-bytes='[{numbers}]'></span>"


def unescaped(text: str) -> str:
    """The inverse: spans of bytes become their character, and then character references theirs.

    >>> unescaped("5 &lt; 6 <span class='emoji-bytes' data-emoji-bytes='[240, 159, 152, 128]'></span>")
    '5 < 6 😀'
    """

    def character(found: re.Match[str]) -> str:
        numbers = [int(n) for n in found[1].split(",")]
        try:
            return bytes(numbers).decode("utf-8")
        except ValueError:  # no character's bytes: it stays as it stands
            return found[0]

    pieces, end = [], 0
    for found in _SPAN.finditer(text):
        pieces += [html.unescape(text[end : found.start()]), character(found)]
        end = found.end()
    return "".join([*pieces, html.unescape(text[end:])])


def looks_escaped(cells: Sequence[str]) -> int:
    """The number of cells that hold a span of bytes or a character reference."""
    return sum(bool(_LIKE_SPAN.search(c) or _ESCAPED.search(c)) for c in cells)


def check_layout_columns(columns: Sequence[str], layout: Layout, source: str) -> None:
    """Refuse items whose own columns have a name that the tool's model file needs."""
    taken = [c for c in columns if c in COLUMNS_OF[layout]]
    if taken:
        raise InputError(
            f"{source}: column {listed(taken)} of the items has the name of a column of this model file; no"
            " file can hold both"
        )


def scores_cell(values: Sequence[float]) -> str:
    """An item's scores as cjmay's column `scores` has them.

    >>> scores_cell([0.73, 0.2])
    ' 0.73 0.20'
    """
    return "".join(f" {value:.2f}" for value in values)
