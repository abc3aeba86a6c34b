"""The graph of a table of comparisons: its connected and strong components.

Two items are *connected* if a chain of comparisons joins them; only then does their difference have a
meaning.  In a Bradley-Terry model without ties the maximum-likelihood difference of two items is finite if
and only if each can be reached from the other along "was preferred to, at least once" (Ford 1957, American
Mathematical Monthly 64(8), 28-33); sets of items with that property are the *strong* components.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from .columns import IntArray


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
