"""Stochastic transitivity of observed proportions: counts of violations, their size, and a test of the weak kind.

With P(x, y) >= 1/2 and P(y, z) >= 1/2, transitivity of three items is weak if P(x, z) >= 1/2, moderate if P(x, z) is not
below the smaller of the two, strong if not below the larger (Tversky 1969).  Of the orders of three items that meet the
condition, the one that violates least is taken, of several that with the largest P(x, z).
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
from scipy import stats

from ...data.comparisons import Comparisons
from ...errors import InputError


def stochastic_transitivity(data: Comparisons) -> pd.DataFrame:
    """Violations of weak, moderate and strong stochastic transitivity.

    Parameters
    ----------
    data : Comparisons
        Wins and losses of every pair of at least three items, without ties.

    Returns
    -------
    DataFrame
        A row a kind: violations, of how many triples, their share, the mean and the largest deviation; for the weak
        kind the deviance, its degrees of freedom (pairs against the order by pairs won) and p.

    Raises
    ------
    InputError
        A pair without comparisons, fewer than three items, or ties.

    Examples
    --------
    >>> import pairproof
    >>> table = {"first": ["a", "a", "b"], "second": ["b", "c", "c"], "wins": [6, 7, 8], "losses": [4, 3, 2]}
    >>> stochastic_transitivity(pairproof.read(table)).loc["strong", "violations"]
    1
    """
    n = len(data.items)
    won = np.zeros((n, n))
    np.add.at(won, (data.first, data.second), data.wins)
    np.add.at(won, (data.second, data.first), data.losses)
    total = won + won.T
    if n < 3 or (total + np.eye(n) == 0).any() or data.ties is not None and np.any(data.ties):
        raise InputError(
            "expected wins and losses of every pair of three items or more, without ties;"
            f" found {n} items, {int((total[np.triu_indices(n, 1)] == 0).sum())} pairs without comparisons"
        )
    p = won / np.where(total > 0, total, 1)
    deviations: list[list[float]] = [[], [], []]
    triples = list(combinations(range(n), 3))
    for triple in triples:
        met = [(p[x, y], p[y, z], p[x, z]) for x, y, z in permutations(triple)]
        kinds = [(a, b, c, (0.5, min(a, b), max(a, b))) for a, b, c in met if a >= 0.5 <= b]
        *_, c, bounds = max(kinds, key=lambda k: (sum(k[2] >= bound for bound in k[3]), k[2]))
        for found, bound in zip(deviations, bounds):
            found += [bound - c] if c < bound else []
    rows = [
        [len(d), len(triples), len(d) / len(triples), np.mean(d or [0]), max(d or [0])] for d in deviations
    ]
    names = ["violations", "triples", "share", "mean_deviation", "largest_deviation"]
    table = pd.DataFrame(rows, ["weak", "moderate", "strong"], names)
    ranked = np.argsort(-(p >= 0.5).sum(axis=1), kind="stable")
    x, y = (ranked[k] for k in np.triu_indices(n, 1))
    against = p[x, y] < 0.5
    k, m = won[x, y][against], total[x, y][against]
    gap = stats.binom.logpmf(k, m, k / m) - stats.binom.logpmf(k, m, 0.5)
    deviance, df = 2.0 * float(gap.sum()), int(against.sum())
    test = {"deviance": deviance, "df": df, "p": float(stats.chi2.sf(deviance, df)) if df else 1.0}
    return table.assign(**{name: [value, np.nan, np.nan] for name, value in test.items()})
