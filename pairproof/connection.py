"""Which items can be compared at all: components of the comparison graph.

Two items are *connected* if a chain of comparisons joins them; only then does their difference have a meaning.
In a Bradley-Terry model without ties the maximum-likelihood difference of two items is finite if and only if
each can be reached from the other along "was preferred to, at least once" (Ford 1957, American Mathematical
Monthly 64(8), 28-33); sets of items with that property are the *strong* components.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


def components(tail: IntArray, head: IntArray, n_nodes: int) -> IntArray:
    """Weak components of a graph.

    Parameters
    ----------
    tail, head : int[n_edges]
        End points, each in 0..n_nodes-1; direction is ignored.
    n_nodes : int

    Returns
    -------
    int[n_nodes]
        A component's label is its smallest node.
    """
    label = np.arange(n_nodes)
    # Labels run along edges and are then shortened (label of the label), so that even a chain of n nodes
    # settles in about log2(n) rounds.
    while True:
        low = np.minimum(label[tail], label[head])
        new = label.copy()
        np.minimum.at(new, label[tail], low)
        np.minimum.at(new, label[head], low)
        np.minimum.at(new, tail, low)
        np.minimum.at(new, head, low)
        new = new[new]
        if np.array_equal(new, label):
            return label
        label = new


def strong_components(winner: IntArray, loser: IntArray, n_nodes: int) -> IntArray:
    """Strong components of the graph "winner was preferred to loser at least once".

    Returns
    -------
    int[n_nodes]
        A component's label is its smallest node.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    edges = csr_array((np.ones(len(winner)), (winner, loser)), shape=(n_nodes, n_nodes))
    _, raw = connected_components(edges, directed=True, connection="strong")
    smallest = np.full(int(raw.max(initial=0)) + 1, n_nodes)
    np.minimum.at(smallest, raw, np.arange(n_nodes))
    return smallest[raw]


def groups(label: IntArray) -> tuple[tuple[int, ...], ...]:
    """Nodes of each component, largest component first, then by smallest node."""
    found = [tuple(int(v) for v in np.flatnonzero(label == k)) for k in np.unique(label)]
    return tuple(sorted(found, key=lambda g: (-len(g), g[0])))
