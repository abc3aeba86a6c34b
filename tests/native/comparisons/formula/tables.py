"""A table with every kind of covariate, for tests of formulas."""

from __future__ import annotations

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons

FIRST, SECOND = [0, 0, 1, 2, 3, 0, 1, 4, 2, 3], [1, 2, 3, 3, 0, 3, 2, 0, 4, 1]


def table() -> Comparisons:
    """Five items, ten rows, two judges."""
    return Comparisons.build(
        "ABCDE",
        FIRST,
        SECOND,
        np.arange(1.0, 11),
        None,
        np.arange(10.0, 0, -1),
        columns={
            "judge": Factor(np.arange(10) % 2, ("1", "2")),
            "z": np.array([0.5, 1, 2, 3, 1.5, 2.5, 0.25, 4, 1, 2]),
            "home_first": np.array([1.0, 0, 1, 0, 1, 0, 0, 1, 0, 0]),
            "home_second": np.array([0.0, 1, 0, 0, 0, 1, 0, 0, 1, 0]),
            "kind_first": Factor(np.arange(10) % 3, ("a", "b", "c")),
            "kind_second": Factor((np.arange(10) + 1) % 3, ("a", "b", "c")),
        },
        item_data={
            "x": np.array([1.0, 2, 4, 8, 16]),
            "head.length": np.array([3.0, 1, 4, 1, 5]),
            "odd name": np.array([2.0, 7, 1, 8, 2]),
            "sex": Factor(np.array([0, 1, 0, 1, 0]), ("F", "M")),
            "gap": np.array([1.0, 2, np.nan, 4, 3]),
        },
    )
