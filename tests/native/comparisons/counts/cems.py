"""Preferences of 303 students for six management schools (Dittrich, Hatzinger and Katzenbeisser 1998; prefmod's
`cemspc`), counted by their English, with the models of prefmod's help page for llbt.design.
"""

from __future__ import annotations

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons

SCHOOLS = ("London", "Paris", "Milano", "St.Gallen", "Barcelona", "Stockholm")
#: English (1 good, 2 poor), the two schools, the first preferred, no preference, the second preferred.
COUNTS = [
    *[(1, 1, 2, 129, 20, 73), (1, 1, 3, 167, 16, 39), (1, 2, 3, 96, 21, 44), (1, 1, 4, 161, 17, 44)],
    *[(1, 2, 4, 130, 11, 81), (1, 3, 4, 104, 20, 98), (1, 1, 5, 156, 13, 53), (1, 2, 5, 112, 26, 84)],
    *[(1, 3, 5, 76, 46, 100), (1, 4, 5, 99, 18, 105), (1, 1, 6, 185, 12, 25), (1, 2, 6, 154, 19, 49)],
    *[(1, 3, 6, 117, 34, 71), (1, 4, 6, 113, 37, 72), (1, 5, 6, 60, 31, 131), (2, 1, 2, 57, 6, 18)],
    *[(2, 1, 3, 54, 10, 17), (2, 2, 3, 25, 11, 15), (2, 1, 4, 47, 5, 29), (2, 2, 4, 35, 8, 38)],
    *[(2, 3, 4, 31, 8, 42), (2, 1, 5, 61, 6, 14), (2, 2, 5, 45, 11, 25), (2, 3, 5, 28, 21, 32)],
    *[(2, 4, 5, 45, 7, 29), (2, 1, 6, 65, 7, 9), (2, 2, 6, 49, 11, 21), (2, 3, 6, 40, 12, 29)],
    *[(2, 4, 6, 42, 13, 26), (2, 5, 6, 30, 10, 41)],
]


def cems() -> Comparisons:
    """The counts with ENG, and the schools' covariates LAT (Latin country) and EC of prefmod's help page."""
    english, first, second, wins, ties, losses = np.array(COUNTS).T
    return Comparisons.build(
        SCHOOLS,
        first - 1,
        second - 1,
        wins,
        ties,
        losses,
        columns={"ENG": Factor(english - 1, ("1", "2"))},
        item_data={
            "LAT": np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]),
            "EC": np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0]),
        },
        source="cemspc",
    )
