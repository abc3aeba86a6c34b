"""Small tables for tests of the native models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons

#: Dras (2015), Table 1: first preferred, undecided, second preferred; pairs AB AC AD BC BD CD, judges J1 to
#: J4.
DRAS = [
    [(38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)],
    [(37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)],
    [(33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)],
    [(37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)],
]


def table(
    items: str | Sequence[str], rows: Sequence[tuple[Any, ...]], ties: bool = False, **columns: Any
) -> Comparisons:
    """Rows (first, second, wins, losses) or, with `ties`, (first, second, wins, ties, losses)."""
    names = list(items)
    place = {name: k for k, name in enumerate(names)}
    item_data = columns.pop("item_data", None)
    return Comparisons.build(
        names,
        [place[r[0]] for r in rows],
        [place[r[1]] for r in rows],
        [r[2] for r in rows],
        [r[3] for r in rows] if ties else None,
        [r[-1] for r in rows],
        columns=columns,
        item_data=item_data,
        source="test",
    )


def factor(values: Sequence[str]) -> Factor:
    levels = sorted(set(values))
    return Factor(np.array([levels.index(v) for v in values]), tuple(levels))


def dras(**more: Any) -> Comparisons:
    """Table 1 with its judges and, as `age`, an invented number for each (25, 31, 38, 52)."""
    pairs = [("A", "B"), ("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D")]
    rows = [(a, b, *counts) for judge in DRAS for (a, b), counts in zip(pairs, judge)]
    judges = [str(k + 1) for k in range(4) for _ in pairs]
    ages = np.repeat([25.0, 31.0, 38.0, 52.0], 6)
    return table("ABCD", rows, ties=True, judge=factor(judges), age=ages, **more)


def random_table(
    seed: int,
    n_items: int = 6,
    n_patterns: int = 1,
    per_pair: int = 12,
    ties: bool = True,
    covariate: bool = False,
    density: float = 1.0,
) -> Comparisons:
    """A connected table drawn from a Davidson model."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n_items)
    rows, columns = [], []
    names = [f"i{k}" for k in range(n_items)]
    for s in range(n_patterns):
        shift = rng.normal(size=n_items) * 0.3
        for i in range(n_items):
            for j in range(i + 1, n_items):
                if density < 1 and j != i + 1 and rng.random() > density:
                    continue
                half = (ability[i] + shift[i] - ability[j] - shift[j]) / 2
                w = np.exp([half, -0.7 if ties else -np.inf, -half])
                y = rng.multinomial(per_pair, w / w.sum())
                rows.append((names[i], names[j], *y) if ties else (names[i], names[j], y[0], y[2]))
                columns.append(s)
    more: dict[str, Any] = {}
    if n_patterns > 1:
        more["judge"] = factor([f"{s:04d}" for s in columns])
        more["x"] = rng.normal(size=n_patterns)[columns] if covariate else np.array(columns, float)
    return table(names, rows, ties=ties, **more)
