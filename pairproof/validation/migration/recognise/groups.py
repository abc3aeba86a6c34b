"""The nuisance factor of a Poisson design: a constant for each pair of items in each group of respondents.

gnm says it (`eliminate`).  glm has it among its columns: the factors of the model frame whose combinations
have two or three rows each and whose indicators lie in the column space of the design, whatever their
contrasts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Factors of which subsets are tried, and groups at most: the rank of a design of so many columns takes
#: seconds.
MOST_FACTORS, MOST_GROUPS = 6, 1500


def codes(*factors: Sequence[object] | NDArray[np.generic]) -> IntArray:
    """int[n]: the combination of factors that each row has, numbered in the order of their first rows."""
    seen: dict[tuple[object, ...], int] = {}
    return np.array([seen.setdefault(key, len(seen)) for key in zip(*factors)], dtype=np.int64)


def nuisance_of_glm(x: FloatArray, factors: Mapping[str, Sequence[object]]) -> IntArray | str:
    """The groups of rows that a glm has a constant for.

    x float[n_rows, n_columns]: the whole design.  factors: factors and columns of text of the model frame.
    Returns int[n_rows], or str: why there are none.
    """
    if not factors:
        return "a Poisson model without a factor in it, so without a constant for each pair of items"
    names = list(factors)[:MOST_FACTORS]
    for size in range(len(names), 0, -1):
        for chosen in combinations(names, size):
            groups = codes(*(factors[n] for n in chosen))
            sizes = np.bincount(groups)
            if len(sizes) <= MOST_GROUPS and set(sizes.tolist()) <= {2, 3} and _has_constants(x, groups):
                return groups
    return (
        "a Poisson model without a constant for each pair of items in each group of respondents: no combination of "
        + ", ".join(names)
        + " has 2 or 3 rows and a constant of its own"
    )


def _has_constants(x: FloatArray, groups: IntArray) -> bool:
    """Whether the indicators of the groups lie in the column space of the design."""
    n = int(groups.max()) + 1
    first = np.zeros(n, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    constant = ~(np.abs(x - x[first[groups]]) > 1e-9).any(axis=0)
    if constant.any() and np.linalg.matrix_rank(x[first][:, constant]) == n:
        return True
    indicators = (groups[:, None] == np.arange(n)).astype(float)
    return bool(np.linalg.matrix_rank(np.column_stack([x, indicators])) == np.linalg.matrix_rank(x))
