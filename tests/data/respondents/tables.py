"""Random tables of respondents for property tests, and salad dressings."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.data.respondents.codes import MISSING

#: Ranks of four salad dressings A B C D (Critchlow and Fligner 1991), and how many persons gave them.
SALAD = np.array(
    [[1, 2, 3, 4], [2, 1, 3, 4], [2, 1, 4, 3], [2, 3, 1, 4], [3, 1, 2, 4], [3, 1, 4, 2], [3, 4, 2, 1], [4, 1, 2, 3],
     [4, 1, 3, 2], [4, 2, 1, 3], [4, 3, 1, 2], [4, 3, 2, 1]]
)  # fmt: skip
SALAD_PERSONS = np.array([2, 1, 2, 1, 2, 1, 1, 11, 6, 3, 1, 1])


def salad() -> Respondents:
    return Respondents.build("ABCD", "rankings", SALAD, weights=SALAD_PERSONS, source="salad")


@st.composite
def tables(draw: st.DrawFn, kinds: tuple[str, ...] = ("comparisons", "rankings", "ratings")) -> Respondents:
    """Tables of every kind with gaps, ties, weights, covariates and one to three times."""
    kind = draw(st.sampled_from(kinds))
    n, j, times = draw(st.integers(1, 8)), draw(st.integers(2, 5)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if kind == "comparisons":
        answers = rng.choice([1, 0, -1, MISSING], (n, times, j * (j - 1) // 2))
        answers[0, 0, 0] = 1
    elif kind == "rankings":
        answers = rng.integers(-1, j + 1, (n, times, j))
        answers[0, 0, :2] = 1, 2
    else:
        answers = rng.integers(0, 6, (n, times, j))
        answers[0, 0, :2] = 1, 2
    return Respondents.build(
        [f"item {k}" for k in range(j)],
        kind,
        answers,
        tie_category=None if kind == "ratings" else True,
        scale=(5, 4, 3, 2.5, 1) if kind == "ratings" else (),
        times=[f"t{k}" for k in range(times)] if times > 1 else (),
        weights=rng.integers(1, 4, n),
        columns={
            "sex": Factor(rng.integers(-1, 2, n), ("f", "m")),
            "age": rng.choice([20.0, 30.5, np.nan], n),
        },
        item_data={"price": rng.random(j)},
    )
