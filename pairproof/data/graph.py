"""The graph of a table of comparisons: counts by pair, its connected and strong components, its words.

Two items are *connected* if a chain of comparisons joins them; only then does their difference have a
meaning.  In a Bradley-Terry model without ties the maximum-likelihood difference of two items is finite if
and only if each can be reached from the other along "was preferred to, at least once" (Ford 1957, American
Mathematical Monthly 64(8), 28-33); sets of items with that property are the *strong* components.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ..report.blocks import Bullets, Page, Paragraph
from ..report.output import render_fragment
from ..text import label
from .columns import Column, Factor, FloatArray, IntArray as IntArray_columns

if TYPE_CHECKING:
    import pandas as pd


IntArray = NDArray[np.int64]


def components(tail: IntArray, head: IntArray, n_nodes: int) -> IntArray:
    """Weak components of a graph.  tail, head int[n_edges]; returns int[n_nodes]."""
    return _labels(tail, head, n_nodes, "weak")


def strong_components(winner: IntArray, loser: IntArray, n_nodes: int) -> IntArray:
    """Strong components of the graph "winner was preferred to loser at least once".  int[n_nodes]."""
    return _labels(winner, loser, n_nodes, "strong")


def _labels(tail: IntArray, head: IntArray, n_nodes: int, connection: Literal["weak", "strong"]) -> IntArray:
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    edges = csr_matrix((np.ones(len(tail), np.int8), (tail, head)), shape=(n_nodes, n_nodes))
    _, raw = connected_components(edges, directed=True, connection=connection)
    _, smallest, back = np.unique(raw, return_index=True, return_inverse=True)
    labels: IntArray = smallest[np.ravel(back)]
    return labels


def groups(label: IntArray) -> tuple[tuple[int, ...], ...]:
    """Nodes of each component, largest component first, then by smallest node."""
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=label[order[:1]] - 1))
    nodes = order.tolist()
    found = [tuple(nodes[a:b]) for a, b in zip(starts, [*starts[1:], len(nodes)])]
    return tuple(sorted(found, key=lambda g: (-len(g), g[0])))


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
    return render_fragment(Page("Comparisons", [Paragraph(head), Bullets(tuple(pairs))]))


class Table(Protocol):
    """What is read of a table of comparisons; :class:`pairproof.Comparisons` has it."""

    @property
    def items(self) -> tuple[str, ...]:
        ...

    @property
    def first(self) -> IntArray_columns:
        ...

    @property
    def second(self) -> IntArray_columns:
        ...

    @property
    def wins(self) -> FloatArray:
        ...

    @property
    def ties(self) -> FloatArray:
        ...

    @property
    def losses(self) -> FloatArray:
        ...

    @property
    def tie_category(self) -> bool:
        ...

    @property
    def columns(self) -> Mapping[str, Column]:
        ...


def pooled(table: Table) -> dict[tuple[str, str], Counts]:
    """Counts of every pair of items that was compared; see :meth:`pairproof.Comparisons.pooled`."""
    n = len(table.items)
    flip = table.first > table.second
    key = np.where(flip, table.second, table.first) * n + np.where(flip, table.first, table.second)
    won, lost = np.where(flip, table.losses, table.wins), np.where(flip, table.wins, table.losses)
    pairs = np.arange(n * n)
    if n * n > 2**20:  # with thousands of items most of the millions of pairs were never compared
        pairs, key = np.unique(key, return_inverse=True)
    sums = [np.bincount(key, c, len(pairs)) for c in (won, table.ties, lost)]
    met = np.flatnonzero(sums[0] + sums[1] + sums[2])
    return {
        (table.items[k // n], table.items[k % n]): (w, t, l)
        for k, w, t, l in zip(pairs[met].tolist(), *(s[met].tolist() for s in sums))
    }


def digest(table: Table) -> str:
    """A digest of the pooled counts; see :meth:`pairproof.Comparisons.digest`."""
    counts = f"{table.items!r}|{table.tie_category}|" + ";".join(
        f"{a}\x1f{b}\x1f{w:.12g}\x1f{t:.12g}\x1f{l:.12g}" for (a, b), (w, t, l) in pooled(table).items()
    )
    return hashlib.sha256(counts.encode()).hexdigest()


def frame(table: Table) -> pd.DataFrame:
    """The table as a data frame; see :meth:`pairproof.Comparisons.to_frame`."""
    import pandas as pd

    names = np.array(table.items, dtype=object)
    data: dict[str, Any] = {"first": names[table.first], "second": names[table.second], "wins": table.wins}
    if table.tie_category:
        data["ties"] = table.ties
    data["losses"] = table.losses
    for name, col in table.columns.items():
        if isinstance(col, Factor):  # code -1, a missing value, picks the None at the end
            texts = np.array([*col.levels, None], dtype=object)[col.codes]
            data[name] = pd.Series(texts, dtype=object) if (col.codes < 0).any() else texts
        else:
            data[name] = col
    return pd.DataFrame(data)
