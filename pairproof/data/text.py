"""A table of comparisons in words, for a terminal and for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..text import label

if TYPE_CHECKING:
    from .comparisons import Comparisons


def sentences(data: Comparisons, most: int = 12) -> list[str]:
    """ "A beat B 145, lost 7, tied 8" for each pair, at most `most` of them."""
    out = []
    pairs = data.pooled()
    for (a, b), (w, t, l) in list(pairs.items())[:most]:
        tied = f", tied {t:g}" if data.tie_category else ""
        out.append(f"{a} beat {b} {w:g}, lost {l:g}{tied}")
    if len(pairs) > most:
        out.append(f"... and {len(pairs) - most} more pairs")
    return out


def headline(data: Comparisons) -> str:
    """How many comparisons of what, by whom, from where."""
    from .columns import Factor

    ties = f"{data.ties.sum():g} of them ties" if data.tie_category else "no tie category"
    judges = data.columns.get("judge")
    by = f" by {len(judges.levels)} judges" if isinstance(judges, Factor) else ""
    made = f", pairs of rankings of up to {data.ranked_together}" if data.ranked_together else ""
    return f"{data.n_comparisons:.10g} comparisons of {len(data.items)} items{by} ({ties}{made}), from {data.source}"


def text(data: Comparisons) -> str:
    """The headline, the pairs, and what is not connected."""
    lines = [headline(data), *(f"  {s}" for s in sentences(data))]
    apart = data.connected_sets()
    if len(apart) > 1:
        lines.append("  NOT CONNECTED: " + " | ".join(", ".join(s) for s in apart))
    return "\n".join(map(label, lines))


def html(data: Comparisons) -> str:
    rows = "".join(f"<li>{escape(s)}</li>" for s in sentences(data))
    return f"<p><b>Comparisons</b>: {escape(headline(data))}</p><ul>{rows}</ul>"
