"""Comparisons of translation systems for tests: the paper's example, small random tables, and Monte Carlo
yardsticks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.numerics.markov_chains import convergence

SYSTEMS = ("bbn", "cmu", "jhu", "kit", "uedin")
#: Hopkins & May (2013), Table 2: first, second, preference.
TABLE_2 = [
    ("bbn", "cmu", 1),
    ("bbn", "jhu", 1),
    ("bbn", "kit", 1),
    ("bbn", "uedin", 1),
    ("cmu", "jhu", 2),
    ("cmu", "kit", 1),
    ("cmu", "uedin", 2),
    ("jhu", "kit", 1),
    ("jhu", "uedin", 0),
    ("kit", "uedin", 2),
]


def table(
    rows: Sequence[tuple], items: Sequence[str], sources: Sequence[object] | None = None, ties: bool = True
) -> Comparisons:
    """Rows (first, second, outcome); outcome 0 tie, 1 first, 2 second."""
    names = list(items)
    first, second = ([names.index(row[k]) for row in rows] for k in (0, 1))
    outcome = np.array([row[2] for row in rows])
    columns = {}
    if sources is not None:
        labels = [str(s) for s in sources]
        levels = tuple(dict.fromkeys(labels))
        columns["source"] = Factor(np.array([levels.index(s) for s in labels]), levels)
    return Comparisons.build(
        names,
        first,
        second,
        (outcome == 1) * 1.0,
        (outcome == 0) * 1.0 if ties else None,
        (outcome == 2) * 1.0,
        columns=columns,
        source="test",
    )


def table_2(sources: bool = False) -> Comparisons:
    """All ten comparisons are of one source segment."""
    return table(TABLE_2, SYSTEMS, ["Il ne va pas."] * 10 if sources else None)


def two(outcomes: Sequence[int], same_items: bool = False) -> Comparisons:
    """Systems A and B, these outcomes, on one segment or on one segment each."""
    return table(
        [("A", "B", k) for k in outcomes], "AB", [0] * len(outcomes) if same_items else range(len(outcomes))
    )


def random_table(
    seed: int,
    n: int = 600,
    n_systems: int = 5,
    n_segments: int = 60,
    tau: float = 1.58,
    radius: float = 0.4,
    ties: bool = True,
) -> Comparisons:
    """Comparisons of systems with normal abilities."""
    rng = np.random.default_rng(seed)
    mu = rng.normal(size=n_systems)
    first = rng.integers(0, n_systems, n)
    second = (first + rng.integers(1, n_systems, n)) % n_systems
    gap = mu[first] - mu[second] + tau * rng.normal(size=n)
    outcome = np.where(gap > (radius if ties else 0), 1, np.where(gap < (-radius if ties else 0), 2, 0))
    names = [f"s{k}" for k in range(n_systems)]
    return table(
        [(names[a], names[b], o) for a, b, o in zip(first, second, outcome)],
        names,
        rng.integers(0, n_segments, n).tolist(),
        ties,
    )


def check_mean(draws: np.ndarray, exact: float, mcse_at_most: float) -> None:
    """The draws' mean is the exact one within 4 Monte Carlo standard errors, and those are small enough to
    mean something.

    Parameters
    ----------
    draws : float[chains, draws]
    """
    d = convergence(np.asarray(draws)[:, :, None])
    error = abs(float(np.mean(draws)) - exact)
    assert (
        d.mcse[0] <= mcse_at_most
    ), f"Monte Carlo standard error {d.mcse[0]:.5f}: too few draws for a test that wants {mcse_at_most}"
    assert error <= 4 * d.mcse[0], (
        f"mean {np.mean(draws):.5f}, exact {exact:.5f}: {error / d.mcse[0]:.1f} standard errors of"
        f" {d.mcse[0]:.5f}"
    )


def check_variance(draws: np.ndarray, exact: float, mcse_at_most: float) -> None:
    """As check_mean for the variance."""
    check_mean((draws - np.mean(draws)) ** 2, exact, mcse_at_most)
