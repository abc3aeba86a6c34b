"""What a design cannot tell apart: random effects that are the same groups of scores, annotators without common items.

Two random effects with the same groups have one variance between them, and an effect with a group for each score
has one with the residual: only the sum is determined. Annotators who share no item with the others, directly or
through further annotators, are compared by supposing that their items are alike; no score says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..beta import IntArray
from .elimination import nested_in

#: Names that a sentence lists before it says how many more there are.
LISTED = 4


def same_groups(a: IntArray, b: IntArray) -> bool:
    """Whether two effects have the same groups of scores, under whatever numbers.

    `a`, b int[n]: from 0.
    """
    sizes = int(a.max()) + 1, int(b.max()) + 1
    return (
        sizes[0] == sizes[1]
        and nested_in(a, sizes[0], b) is not None
        and nested_in(b, sizes[1], a) is not None
    )


def told_apart(effects: Mapping[str, IntArray]) -> tuple[dict[str, IntArray], list[str]]:
    """The random effects without those that others or the residual contain, and a sentence for each left out.

    effects: of two with the same groups the later one stays.
    """
    kept, cautions, names = dict(effects), [], list(effects)
    for k, name in enumerate(names):
        labels = effects[name]
        if int(labels.max()) + 1 == len(labels):
            cautions.append(
                f"every {name} has one score: the variances of {name} and residual cannot be told apart, and residual is"
                " both"
            )
            del kept[name]
            continue
        for other in names[k + 1 :]:
            if same_groups(labels, effects[other]):
                cautions.append(
                    f"{name} and {other} are the same groups of scores: their variances cannot be told apart, and"
                    f" {other} is both"
                )
                del kept[name]
                break
    return kept, cautions


def groups_without_common_items(item: IntArray, annotator: IntArray) -> IntArray:
    """int[n_annotators]: which set of annotators each belongs to; no item was judged in two sets.

    item, annotator int[n]: from 0.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n, m = int(annotator.max()) + 1, int(item.max()) + 1
    joined = csr_matrix((np.ones(len(item)), (annotator, n + item)), (n + m, n + m))
    found: IntArray = connected_components(joined, directed=False)[1][:n].astype(np.int64)
    return np.unique(found, return_inverse=True)[1].ravel().astype(np.int64)


def not_joined(item: IntArray, annotator: IntArray, names: Sequence[str]) -> str:
    """A sentence on annotators whom no chain of items joins with the others; "" if all are joined.

    item, annotator int[n]: from 0.
    """
    sets = groups_without_common_items(item, annotator)
    count = int(sets.max()) + 1
    if count == 1:
        return ""
    shown = [f"({listed([names[a] for a in np.flatnonzero(sets == k)])})" for k in range(min(count, LISTED))]
    return (
        f"{count} sets of annotators share no item: {', '.join(shown)}{', ...' if count > LISTED else ''}; their"
        " locations, and the scores of their items, compare only if the items of the sets are alike"
    )


def listed(names: Sequence[str]) -> str:
    """Names with commas, the first four of many."""
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")
