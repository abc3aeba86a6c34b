"""Score and information of every row of a table, at a fit's estimates.

With eta the log-odds of the item named first (order effect included) and g the tie parameter, both linear in
beta, eta = x'b and g = z'b, a row with W, T, L comparisons (n in all) gives::

    binary       score W - n p                             information n p (1 - p)
    Davidson     ((W - L) - n d) / 2,  T - n t              n ((1 - t - d^2)/4, -d t/2; -d t/2, t (1 - t))
    Rao-Kupper   the sum of log F(eta - g) W + T times, log F(-eta - g) L + T times, log(exp(2g) - 1) T times,
                 F logistic; information observed, which is positive semidefinite row by row

per unit of (eta, g), with p = P(first), d = P(first) - P(second), t = P(tie).  The likelihood is that of the
outcome given that the comparison took place (McFadden 1974; Dittrich, Hatzinger and Katzenbeisser 1998).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ..outcomes import OutcomeModel, outcome_probabilities
from ..predictions import item_covariate
from ..record import FitRecord
from ..spec import LOG_WORTH_PER_UNIT, Term

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: A row whose log-odds move along a direction in which the likelihood grows without end: entries are of
#: order 1.
MOVES = 1e-9


@dataclass(frozen=True, eq=False)
class Design:
    """A design matrix whose rows have few entries, padded to the same number of them.

    Attributes
    ----------
    at : int[n_rows, k]
        Parameters; 0 where `value` is 0.
    value : float[n_rows, k]
    """

    at: IntArray
    value: FloatArray

    def times(self, vector: FloatArray) -> FloatArray:
        """float[n_rows]: the design times a parameter vector, float[n_params]."""
        return np.asarray((self.value * vector[self.at]).sum(axis=1))

    def times_each(self, vectors: FloatArray, which: IntArray) -> FloatArray:
        """float[n_rows]: each row times the vector `which[row]` of float[n_vectors, n_params]."""
        out = np.zeros(len(self.at))
        for at, value in zip(self.at.T, self.value.T):
            out += value * vectors[which, at]
        return out

    def quadratic(self, matrix: FloatArray, other: Design) -> FloatArray:
        """float[n_rows]: x' matrix z for each row's x of this design and z of the other."""
        out = np.zeros(len(self.at))
        for a, u in zip(self.at.T, self.value.T):
            for b, v in zip(other.at.T, other.value.T):
                out += u * v * matrix[a, b]
        return out

    def summed(self, weights: FloatArray, codes: IntArray, n: int, n_params: int) -> FloatArray:
        """float[n, n_params]: sum of weight times row over the rows of each code."""
        out = np.zeros(n * n_params)
        for at, value in zip(self.at.T, self.value.T):
            out += np.bincount(codes * n_params + at, weights=weights * value, minlength=n * n_params)
        return out.reshape(n, n_params)

    def dense(self, rows: IntArray, n_params: int) -> FloatArray:
        """float[len(rows), n_params]: some rows written out."""
        out = np.zeros((len(rows), n_params))
        for at, value in zip(self.at[rows].T, self.value[rows].T):
            out[np.arange(len(rows)), at] += value
        return out

    def only(self, rows: IntArray) -> Design:
        return Design(self.at[rows], self.value[rows])


@dataclass(frozen=True, eq=False)
class RowScores:
    """Scores and information of a table's rows in their two linear predictors.

    Attributes
    ----------
    x, z : Design
        Of the log-odds and of the tie parameter; `z` has no entries where there is none.
    score : float[n_rows, 2]
        Derivatives of the log-likelihood by log-odds and tie parameter.
    information : float[n_rows, 2, 2]
        Minus the second derivatives; 0 in the tie parameter where there is none.
    n : float[n_rows]
        Comparisons.
    """

    x: Design
    z: Design
    score: FloatArray
    information: FloatArray
    n: FloatArray


def row_scores(fit: FitRecord) -> RowScores:
    """Scores and information of every row of `fit.data`, rows that say nothing of a finite estimate at 0."""
    table = as_fitted(fit)
    x, z = designs(fit, table)
    beta = np.where(fit.is_reference, 0.0, fit.beta)
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    infinite = np.zeros(len(counts), bool)
    no_ties = np.zeros(len(counts), bool)
    if fit.null_space.shape[1]:
        for direction in fit.null_space.T:
            infinite |= np.abs(x.times(direction)) > MOVES
            no_ties |= np.abs(z.times(direction)) > MOVES
    tie = np.where(no_ties, -np.inf, z.times(beta))
    score, information = derivatives(x.times(beta), tie, counts, fit.outcome_model)
    # At the limit such a row has probability 1 of what was observed: it says nothing of the other parameters.
    score[infinite], information[infinite] = 0.0, 0.0
    return RowScores(x, z, score, information, counts.sum(axis=1))


def as_fitted(fit: FitRecord) -> Comparisons:
    """The comparisons as they entered the likelihood: ties kept, dropped, or as half wins."""
    if fit.spec.ties == "drop":
        return fit.data.without_ties()
    return fit.data.ties_as_half_wins() if fit.spec.ties == "half" else fit.data


def designs(fit: FitRecord, table: Comparisons) -> tuple[Design, Design]:
    """What beta is multiplied with in the log-odds and in the tie parameter of every row."""
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    entries: dict[bool, list[tuple[IntArray, FloatArray]]] = {True: [], False: []}
    place = np.full((len(fit.layout.blocks), len(fit.items)), -1)
    place[fit.layout.block, fit.layout.item] = fit.layout.place
    for block, term in zip(place, fit.layout.blocks):
        value = unit * _multiplier(term, table)
        entries[True] += [(block[table.first], value), (block[table.second], -value)]
    order = _order(table)
    for k, term in enumerate(fit.terms):
        if term.kind == "item":
            continue
        value = _multiplier(term, table)
        if term.kind == "covariate":
            each = item_covariate(fit, term)
            value = unit * value * (each[table.first] - each[table.second])
        elif term.kind == "order":
            value = value * order
        entries[term.kind != "tie"].append((np.full(table.n_rows, k), value))
    return _packed(entries[True], table.n_rows), _packed(entries[False], table.n_rows)


def _packed(parts: list[tuple[IntArray, FloatArray]], n: int) -> Design:
    """Entries that are 0 in most rows moved together: of 400 judges a row has the terms of one."""
    if not parts:
        return Design(np.zeros((n, 0), np.int64), np.zeros((n, 0)))
    filled = np.zeros(n, np.int64)
    at, value = np.zeros((n, 4), np.int64), np.zeros((n, 4))
    for place, entry in parts:
        rows = np.flatnonzero((entry != 0.0) & (place >= 0))
        column = filled[rows]
        if len(rows) and column.max() >= at.shape[1]:
            at, value = np.pad(at, ((0, 0), (0, 4))), np.pad(value, ((0, 0), (0, 4)))
        at[rows, column], value[rows, column] = place[rows], entry[rows]
        filled[rows] += 1
    k = int(filled.max(initial=0))
    return Design(at[:, :k], value[:, :k])


def _multiplier(term: Term, table: Comparisons) -> FloatArray:
    """float[n_rows]: the product of the term's subject covariates."""
    value = np.ones(table.n_rows)
    for name, level in term.by:
        column = table.columns[name]
        if isinstance(column, Factor):
            value = value * (column.codes == column.levels.index(str(level)))
        else:
            value = value * column
    return value


def _order(table: Comparisons) -> FloatArray:
    """float[n_rows]: 1 where the item named first has its advantage, 0 on neutral ground."""
    column = table.columns.get("order")
    if column is None:
        return np.ones(table.n_rows)
    return np.array([float(v) for v in column.levels])[column.codes] if isinstance(column, Factor) else column


def derivatives(
    eta: FloatArray, g: FloatArray, counts: FloatArray, model: OutcomeModel
) -> tuple[FloatArray, FloatArray]:
    """First and minus second derivatives of each row's log-likelihood by (eta, g).

    Parameters
    ----------
    eta : float[n]
        Log-odds of first against second.
    g : float[n]
        Tie parameter; -inf where ties have probability 0; not used by the binary model.
    counts : float[n, 3]
        First preferred, tie, second preferred.
    model : {"binary", "davidson", "rao-kupper"}

    Returns
    -------
    score : float[n, 2]
    information : float[n, 2, 2]
    """
    win, tie, loss = counts.T
    n = counts.sum(axis=1)
    score, information = np.zeros((len(n), 2)), np.zeros((len(n), 2, 2))
    if model == "rao-kupper":
        p1, p2 = 1.0 / (1.0 + np.exp(g - eta)), 1.0 / (1.0 + np.exp(g + eta))
        above = (win + tie) * (1.0 - p1)
        below = (tie + loss) * (1.0 - p2)
        score[:, 0] = above - below
        # d log(exp(2g) - 1) / dg = 2 / (1 - exp(-2g)), minus its derivative 1 / sinh(g)^2
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.where(tie > 0, tie * 2.0 / -np.expm1(-2.0 * g), 0.0)
            bend = np.where(tie > 0, tie / np.sinh(g) ** 2, 0.0)
        score[:, 1] = own - above - below
        v1, v2 = above * p1, below * p2
        information[:, 0, 0] = v1 + v2
        information[:, 0, 1] = information[:, 1, 0] = v2 - v1
        information[:, 1, 1] = v1 + v2 + bend
        return score, information
    p = outcome_probabilities(eta, g, model)
    if model == "binary":
        score[:, 0] = win - n * p[:, 0]
        information[:, 0, 0] = n * p[:, 0] * p[:, 2]
        return score, information
    d, t = p[:, 0] - p[:, 2], p[:, 1]
    score[:, 0] = (win - loss - n * d) / 2.0
    score[:, 1] = tie - n * t
    # 1 - t - d^2 = P1 + P2 - (P1 - P2)^2, written without cancellation
    information[:, 0, 0] = n * (t * (1.0 - t) + 4.0 * p[:, 0] * p[:, 2]) / 4.0
    information[:, 0, 1] = information[:, 1, 0] = -n * d * t / 2.0
    information[:, 1, 1] = n * t * (1.0 - t)
    return score, information
