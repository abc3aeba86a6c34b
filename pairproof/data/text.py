"""A table of comparisons in words, for a terminal and for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..text import label

#: Wins of the first, ties, wins of the second.
Counts = tuple[float, float, float]


def sentences(pairs: Mapping[tuple[str, str], Counts], with_ties: bool, most: int = 12) -> list[str]:
    """ "A beat B 145, lost 7, tied 8" for each pair, at most `most` of them."""
    out = []
    for (a, b), (w, t, l) in list(pairs.items())[:most]:
        tied = f", tied {t:g}" if with_ties else ""
        out.append(f"{a} beat {b} {w:g}, lost {l:g}{tied}")
    if len(pairs) > most:
        out.append(f"... and {len(pairs) - most} more pairs")
    return out


def headline(
    n: float, n_items: int, n_judges: int | None, ties: float | None, ranked_together: int, source: str
) -> str:
    """A line with the numbers of comparisons, items, judges and ties, and the source."""
    tied = "no tie category" if ties is None else f"{ties:g} of them ties"
    by = "" if n_judges is None else f" by {n_judges} judges"
    made = f", pairs of rankings of up to {ranked_together}" if ranked_together else ""
    return f"{n:.10g} comparisons of {n_items} items{by} ({tied}{made}), from {source}"


def text(head: str, pairs: Iterable[str], apart: Sequence[Sequence[str]]) -> str:
    """The headline, the pairs, and the sets of items that are not connected."""
    lines = [head, *(f"  {s}" for s in pairs)]
    if len(apart) > 1:
        lines.append("  NOT CONNECTED: " + " | ".join(", ".join(s) for s in apart))
    return "\n".join(map(label, lines))


def html(head: str, pairs: Iterable[str]) -> str:
    """The headline and the pairs, for a notebook."""
    rows = "".join(f"<li>{escape(s)}</li>" for s in pairs)
    return f"<p><b>Comparisons</b>: {escape(head)}</p><ul>{rows}</ul>"
