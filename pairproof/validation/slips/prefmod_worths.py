"""llbt.worth's tables of worths as linear functions of the parameters: B6, B7, B21 (see
:mod:`pairproof.native.compat.worths`, which has them for one fit).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...fit.fit import Fit
from ...native.compat.worths import is_name_in_r, without_last_effects

FloatArray = NDArray[np.float64]


def read_worths(
    fit: Fit, how: str, abilities: Mapping[str, FloatArray], group: str, item: str
) -> tuple[FloatArray, int]:
    """The abilities whose softmax prefmod prints, and the place of the item among them.

    abilities: as functions of the parameters.
    """
    own, k = abilities[group], fit.items.index(item)
    if how == "names":
        read = np.array([is_name_in_r(i) for i in fit.items])
        return (own - own[-1]) * read[:, None], k
    if how == "groups":
        _, first, place = np.unique(own, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return own[np.sort(first)], int(rank[np.ravel(place)[k]])
    names, sizes, grid = _grid(fit, abilities)
    if how == "one-column":
        return grid[0] + (grid[1:] - grid[0]).sum(axis=0), k
    columns = [fit.data.columns[n] for n in names]
    at = tuple(
        c.levels.index(str(fit.groups[group][n])) for c, n in zip(columns, names) if isinstance(c, Factor)
    )
    return without_last_effects(grid, sizes)[at], k


def _grid(fit: Fit, abilities: Mapping[str, FloatArray]) -> tuple[list[str], list[int], FloatArray]:
    """Covariates, their numbers of levels, and abilities on the grid of all levels, float[K1, ..., J, K]."""
    names = sorted({n for at in fit.groups.values() for n in at})
    levels = [c.levels for n in names if isinstance(c := fit.data.columns[n], Factor)]
    place = {tuple(str(at[n]) for n in names): abilities[g] for g, at in fit.groups.items()}
    values = np.array([place[key] for key in product(*levels)])
    sizes = [len(k) for k in levels]
    return names, sizes, values.reshape(*sizes, *values.shape[1:])
