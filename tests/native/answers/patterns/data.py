"""Rankings printed in the literature."""

from __future__ import annotations

import numpy as np

#: Ranks of four salad dressings A B C D by 32 persons (Critchlow and Fligner 1991), and how many gave them.
SALAD, SALAD_PERSONS = (
    np.array(
        [[1, 2, 3, 4], [2, 1, 3, 4], [2, 1, 4, 3], [2, 3, 1, 4], [3, 1, 2, 4], [3, 1, 4, 2], [3, 4, 2, 1], [4, 1, 2, 3],
         [4, 1, 3, 2], [4, 2, 1, 3], [4, 3, 1, 2], [4, 3, 2, 1]]
    ),
    np.array([2, 1, 2, 1, 2, 1, 1, 11, 6, 3, 1, 1]),
)  # fmt: skip

#: Davidson (1970), chocolate puddings: i, j, i preferred, j preferred, no preference.
PUDDING = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip

#: Six rankings of apple, banana, orange and pear with ties of two and three, and gaps (Turner et al. 2020).
FRUIT = np.array([[1, 2, -1, -1], [4, 1, 2, 3], [2, 1, 1, 1], [1, 2, 3, -1], [2, 1, 1, -1], [1, -1, 3, 2]])


def pudding() -> tuple[np.ndarray, np.ndarray]:
    """Ranks of the two puddings of each comparison, -1 for the others, and weights."""
    ranks, weights = [], []
    for i, j, first, second, tie in PUDDING:
        for (a, b), w in (((1, 2), first), ((2, 1), second), ((1, 1), tie)):
            row = np.full(6, -1)
            row[i - 1], row[j - 1] = a, b
            ranks.append(row)
            weights.append(w)
    return np.array(ranks), np.array(weights, dtype=float)
