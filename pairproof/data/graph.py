"""The graph of a table of comparisons: its connected and strong components.

Two items are *connected* if a chain of comparisons joins them; only then does their difference have a
meaning.  In a Bradley-Terry model without ties the maximum-likelihood difference of two items is finite if
and only if each can be reached from the other along "was preferred to, at least once" (Ford 1957, American
Mathematical Monthly 64(8), 28-33); sets of items with that property are the *strong* components.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .columns import IntArray

BoolArray = NDArray[np.bool_]


def components(tail: IntArray, head: IntArray, n_nodes: int) -> IntArray:
    """Weak components of a graph.  tail, head int[n_edges]; returns int[n_nodes]."""
    return _labels(tail, head, n_nodes, "weak")


def strong_components(winner: IntArray, loser: IntArray, n_nodes: int) -> IntArray:
    """Strong components of the graph "winner was preferred to loser at least once".  int[n_nodes]."""
    return _labels(winner, loser, n_nodes, "strong")


#: Up to this many nodes, a matrix of 64 kB, everything that can be reached is written out.
_FEW_NODES = 256


def _labels(tail: IntArray, head: IntArray, n_nodes: int, connection: Literal["weak", "strong"]) -> IntArray:
    if n_nodes <= _FEW_NODES:
        along = np.eye(n_nodes, dtype=bool)
        along[tail, head] = True
        return _by_squaring(along | along.T if connection == "weak" else along)
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    edges = csr_matrix((np.ones(len(tail), np.int8), (tail, head)), shape=(n_nodes, n_nodes))
    _, raw = connected_components(edges, directed=True, connection=connection)
    _, smallest, back = np.unique(raw, return_index=True, return_inverse=True)
    return np.asarray(smallest[np.ravel(back)])


def _by_squaring(along: BoolArray) -> IntArray:
    """int[n]: strong components of bool[n, n], edges from row to column and from each node to itself.

    Each square joins two walks of up to as many steps as the matrix has so far.
    """
    while True:
        steps = along.astype(np.float32)
        further = steps @ steps > 0.0
        if (further == along).all():
            return np.asarray((along & along.T).argmax(axis=1))
        along = further


def all_reached(along: BoolArray) -> bool:
    """Whether all nodes of bool[n, n], edges from row to column, are one strong component: two walks tell it."""
    return bool(_reached(along).all() and _reached(along.T).all())


def _reached(along: BoolArray) -> BoolArray:
    """bool[n]: nodes that can be reached from the first, breadth first; of a dense graph two steps see them all."""
    seen = np.array(along[0])
    seen[0] = True
    new = np.flatnonzero(seen)
    while len(new):
        left = np.flatnonzero(~seen)
        new = left[along[np.ix_(new, left)].any(axis=0)]
        seen[new] = True
    return np.asarray(seen)


def groups(label: IntArray) -> tuple[tuple[int, ...], ...]:
    """Nodes of each component, largest component first, then by smallest node."""
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=label[order[:1]] - 1))
    nodes = order.tolist()
    found = [tuple(nodes[a:b]) for a, b in zip(starts, [*starts[1:], len(nodes)])]
    return tuple(sorted(found, key=lambda g: (-len(g), g[0])))
