"""B23: an LLBT by groups whose numbers of comparisons are not fixed by group.

The right model has a constant for each pair in each group s, which makes the numbers of comparisons of a group no matter
of the items.  With eliminate = mu, R's gnm on prefmod's design has one for each pair,

    log m(y | jk, s) = mu_jk + y (lambda_js - lambda_ks) + gamma 1[y = 0]   (+ kappa_s),

so that groups of different size have to differ in lambda: the parts exp(.) add up to different numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from ...data.columns import FloatArray, IntArray
from ...data.respondents import Respondents
from ...errors import ConvergenceError, InputError
from ..patterns.comparisons.pairs import incidence, n_pairs

#: Scoring ends when no parameter changes by more; it is quadratic, so the next change would be rounding.
CONVERGED = 1e-11


@dataclass(frozen=True, eq=False)
class MarginsNotFixed:
    """An LLBT with one constant for each pair.

    names: parameters but for the constants: items, `tie`, items by level.  estimates, standard_errors
    float[p].
    """

    names: tuple[str, ...]
    estimates: FloatArray
    standard_errors: FloatArray
    deviance: float
    df: int


def fit_margins_not_fixed(
    table: Respondents, covariate: str, level_constants: bool = False
) -> MarginsNotFixed:
    """Fit prefmod's design with the covariate forgotten in `eliminate`.

    table: of comparisons.  covariate: a categorical subject covariate.  level_constants: whether the formula
    has the covariate's main effect (`*`), not only its interactions with items (`:`).
    """
    if table.kind != "comparisons":
        raise InputError(f"{table.source}: B23 is about comparisons; these are {table.kind}")
    group, first = table.groups([covariate])
    column = table.columns[covariate]
    if isinstance(column, np.ndarray):
        raise InputError(f"{table.source}: {covariate!r} is numeric; B23 is about a categorical covariate")
    levels = [column.levels[int(column.codes[r])] for r in first]
    counts = _counts(table, group, len(first))
    x, names = _design(table, [f"{covariate}[{level}]" for level in levels], level_constants)
    y = counts.ravel()
    n_constants = n_pairs(len(table.items))
    beta, mean, covariance = _poisson(x, y)
    deviance = 2.0 * float((xlogy(y, np.where(y > 0, y, 1.0) / mean) - (y - mean)).sum())
    return MarginsNotFixed(
        names, beta[n_constants:], np.sqrt(np.diag(covariance))[n_constants:], deviance, len(y) - x.shape[1]
    )


def _counts(table: Respondents, group: IntArray, n_groups: int) -> FloatArray:
    """float[n_groups, C, categories]: answers +1, (0,) -1."""
    values = (1, 0, -1) if table.tie_category else (1, -1)
    return np.array(
        [
            [[table.weights[(group == s) & (column == v)].sum() for v in values] for column in table.once.T]
            for s in range(n_groups)
        ]
    )


def _design(
    table: Respondents, levels: list[str], level_constants: bool
) -> tuple[FloatArray, tuple[str, ...]]:
    """Rows group, pair, answer: constants of pairs, items, tie, (levels,) items by level."""
    y = np.array([1.0, 0.0, -1.0] if table.tie_category else [1.0, -1.0])
    c, k, s = n_pairs(len(table.items)), len(y), len(levels)
    items = np.kron(incidence(len(table.items))[:, :-1], y[:, None])
    of_pair = np.kron(np.eye(c), np.ones((k, 1)))
    tie = np.tile((y == 0.0)[:, None] * 1.0, (c, 1)) if table.tie_category else np.zeros((c * k, 0))
    one = np.ones((s, 1))
    later = np.eye(s)[:, 1:]
    parts = [np.kron(one, of_pair), np.kron(one, items), np.kron(one, tie)]
    covariate_names = [*table.items[:-1], *(["tie"] if table.tie_category else [])]
    if level_constants:
        parts.append(np.kron(later, np.ones((c * k, 1))))
        covariate_names += levels[1:]
    parts.append(np.kron(later, items))
    covariate_names += [f"{item}:{level}" for level in levels[1:] for item in table.items[:-1]]
    return np.hstack(parts), tuple(covariate_names)


def _poisson(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Estimates, expectations and covariance of a Poisson model with log link, by scoring."""
    eta = np.log(y + 0.5)
    beta = np.linalg.lstsq(x, eta, rcond=None)[0]
    for _ in range(100):
        mean = np.exp(np.clip(x @ beta, -500, 500))
        information = x.T @ (mean[:, None] * x)
        step = np.linalg.lstsq(information, x.T @ (y - mean), rcond=None)[0]
        beta = beta + step
        if float(np.abs(step).max()) < CONVERGED:
            return beta, mean, np.linalg.inv(information)
    raise ConvergenceError("no maximum was reached in 100 steps: a parameter is infinite; leave it out")
