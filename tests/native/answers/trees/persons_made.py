"""Answers of persons in groups, made with a seed: for trees that are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pairproof


def pairs_of(n_items: int) -> list[tuple[int, int]]:
    """In the order of paircomp and prefmod."""
    return [(i, j) for j in range(n_items) for i in range(j)]


def answers_of(
    rng: np.random.Generator, abilities: NDArray[np.float64], log_nu: float | None = None
) -> NDArray[np.int64]:
    """int[n, C]: answers of persons with abilities float[n, J]; ties where log nu is given."""
    answers = []
    for i, j in pairs_of(abilities.shape[1]):
        gap = abilities[:, i] - abilities[:, j]
        win, loss = np.exp(gap / 2), np.exp(-gap / 2)
        tie = np.zeros(len(gap)) if log_nu is None else np.full(len(gap), np.exp(log_nu))
        u = rng.random(len(gap)) * (win + loss + tie)
        answers.append(np.where(u < win, 1, np.where(u < win + loss, -1, 0)))
    return np.column_stack(answers)


def respondents(
    answers: NDArray[np.int64], items: Sequence[str], columns: dict[str, Any], **options: Any
) -> pairproof.Respondents:
    """The table as a reader makes it."""
    names = [f"{items[i]}:{items[j]}" for i, j in pairs_of(len(items))]
    data = {name: answers[:, k].tolist() for k, name in enumerate(names)}
    return pairproof.read_respondents(
        data | {k: list(v) for k, v in columns.items()},
        "pairs",
        items=list(items),
        pair_order="prefmod",
        coding="first=1,tie=0,second=-1,missing=9",
        **options,
    )


def two_groups(
    seed: int = 1, n: int = 120, log_nu: float | None = None
) -> tuple[NDArray[np.int64], dict[str, list[Any]]]:
    """Persons of 4 items; those with z above about .5 have other abilities; f is noise."""
    rng = np.random.default_rng(seed)
    group = np.repeat([0, 1], [n - n // 2, n // 2])
    abilities = np.array([[1.0, 0.3, -0.3, -1.0], [-0.5, 1.0, 0.2, -0.7]])[group]
    answers = answers_of(rng, abilities, log_nu)
    z = (group + rng.normal(scale=0.3, size=n)).round(2)
    return answers, {"z": z.tolist(), "f": rng.choice(["u", "v", "w"], size=n).tolist()}
