"""Score and information of every row of a table, at a fit's estimates.

With eta the log-odds of the item named first (order effect included) and g the tie parameter, both linear in
beta, eta = x'b and g = z'b, a row with W, T, L comparisons (n in all) gives::

    binary       score W - n p                             information n p (1 - p)
    Davidson     ((W - L) - n d) / 2,  T - n t              n ((1 - t - d^2)/4, -d t/2; -d t/2, t (1 - t))
    Rao-Kupper   the sum of log F(eta - g) W + T times, log F(-eta - g) L + T times, log(exp(2g) - 1) T times,
                 F logistic; information observed, which is positive semidefinite row by row

    probit,      score W f(eta)/F(eta) - L f(-eta)/F(-eta), information minus the second derivatives
    cauchit      (observed; of cauchit it may be negative in a row)

per unit of (eta, g), with p = P(first), d = P(first) - P(second), t = P(tie).  The likelihood is that of the
outcome given that the comparison took place (McFadden 1974; Dittrich, Hatzinger and Katzenbeisser 1998).

Both are sums over outcomes of a count times a number of the row's pattern, so they are kept as the latter.

Estimates at infinity: the outcomes that a row's limit leaves possible are those as likely as the observed one along
every infinite direction.  One such outcome: the row says nothing of what is finite.  Two (A never lost to B, but
tied): it says as much as the choice between these two does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ..contests.outcomes import Outcomes
from ..outcomes import OutcomeModel
from ..record import FitRecord
from .designs import Design, designs, patterns

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: A row whose log-odds move along a direction in which the likelihood grows without end: entries are of
#: order 1.
MOVES = 1e-9


@dataclass(frozen=True, eq=False)
class RowScores:
    """Scores and information of a table's rows in their two linear predictors.

    x, z: of the log-odds and of the tie parameter, one row a pattern; `z` has no entries where there is none.
    pattern int[n_rows].  counts float[3, n_rows]: wins, ties and losses of the item named first; weights
    where they are fractional.  unit_score float[3, 2, n_patterns]: derivatives by log-odds and tie parameter
    of the log-likelihood of one win, tie or loss.  unit_information float[3, 3, n_patterns]: minus the second
    derivatives of each outcome: twice by log-odds, by both, twice by the tie parameter.
    """

    x: Design
    z: Design
    pattern: IntArray
    counts: FloatArray
    unit_score: FloatArray
    unit_information: FloatArray

    def __len__(self) -> int:
        return len(self.pattern)

    @property
    def n_patterns(self) -> int:
        return len(self.x.at)

    @property
    def has_ties(self) -> bool:
        """Whether there is a tie parameter."""
        return self.z.at.shape[1] > 0

    @property
    def same_information(self) -> bool:
        """Whether all outcomes of a pattern carry the same information (all but Rao-Kupper)."""
        one, two, three = self.unit_information
        return bool((one == two).all() and (one == three).all())

    def weighted(self, unit: FloatArray) -> FloatArray:
        """float[n_rows]: sum over outcomes of count times float[3, n_patterns]."""
        out: FloatArray = self.counts[0] * unit[0][self.pattern]
        for count, each in zip(self.counts[1:], unit[1:]):
            if each.any() and count.any():
                out += count * each[self.pattern]
        return out

    @property
    def n(self) -> FloatArray:
        """float[n_rows]: comparisons."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def score(self) -> FloatArray:
        """float[n_rows, 2]: derivatives of the log-likelihood by log-odds and tie parameter."""
        return np.stack([self.weighted_score(k) for k in range(2)], axis=1)

    def weighted_score(self, k: int) -> FloatArray:
        """float[n_rows]: the derivative by log-odds (0) or tie parameter (1)."""
        return self.weighted(self.unit_score[:, k])

    def weighted_information(self, k: int) -> FloatArray:
        """float[n_rows]: minus the second derivative by log-odds (0), both (1), tie parameter (2)."""
        if self.same_information:
            return np.asarray(self.n * self.unit_information[0, k][self.pattern])
        return self.weighted(self.unit_information[:, k])

    @property
    def information(self) -> FloatArray:
        """float[n_rows, 2, 2]: minus the second derivatives; 0 in the tie parameter where there is none."""
        by_eta, both, by_tie = (self.weighted_information(k) for k in range(3))
        four: FloatArray = np.stack([by_eta, both, both, by_tie], axis=1)
        return four.reshape(-1, 2, 2)

    @property
    def telling(self) -> IntArray:
        """int[m]: rows with comparisons that say something of a finite estimate."""
        tells = (self.unit_score != 0.0).any(axis=1) | (self.unit_information != 0.0).any(axis=1)
        if tells.all():
            return np.flatnonzero(self.n > 0.0)
        return np.flatnonzero(self.weighted(tells.astype(np.float64)) > 0.0)

    def with_counts(self, pattern: IntArray, counts: FloatArray) -> RowScores:
        """Other rows of the same patterns."""
        return replace(self, pattern=pattern, counts=counts)

    def only(self, rows: IntArray) -> RowScores:
        """These rows, in this order."""
        return replace(
            self, pattern=self.pattern[rows], counts=np.stack([count[rows] for count in self.counts])
        )


def row_scores(fit: FitRecord) -> RowScores:
    """Scores and information of every row of `fit.data`, rows that say nothing of a finite estimate at 0."""
    table = as_fitted(fit)
    offset = offset_of(fit)
    pattern, few = patterns(fit, table, (offset,) if offset else ())
    x, z = designs(fit, few)
    beta = np.where(fit.is_reference, 0.0, fit.beta)
    counts = np.stack([table.wins, table.ties, table.losses])
    eta, g = x.times(beta), z.times(beta)
    if offset:
        eta = eta + np.asarray(few.columns[offset], float)
    possible = np.ones((3, len(eta)), bool)
    if fit.null_space.shape[1]:
        observed = np.stack([np.bincount(pattern, count, minlength=len(eta)) for count in counts])
        for direction in fit.null_space.T:
            possible &= _possible(
                x.times(direction), z.times(direction), observed.argmax(axis=0), fit.outcome_model
            )
    outcomes: Outcomes | None = getattr(fit, "outcomes", None)
    found = None if outcomes is None else outcomes.unit_derivatives(eta, possible)
    score, information = found or units(eta, g, possible, fit.outcome_model)
    return RowScores(x, z, pattern, counts, score, information)


def offset_of(fit: FitRecord) -> str:
    """The column that is added to the linear predictor, in favour of the item named first; "" for none."""
    return str(getattr(fit.spec, "offset", ""))


def _possible(eta: FloatArray, g: FloatArray, observed: IntArray, model: OutcomeModel) -> BoolArray:
    """bool[3, n]: outcomes that grow as likely as the observed one along a direction, (eta, g) in each row."""
    if model == "rao-kupper":
        # log F(u) falls with the negative part of u; g >= 0, so the direction is the one in which g grows.
        eta, g = np.where(g < 0.0, -eta, eta), np.abs(g)
        win, loss = -np.maximum(0.0, g - eta), -np.maximum(0.0, g + eta)
        growth = np.stack([win, win + loss + 2.0 * g, loss])
        only = (g <= MOVES) & (np.abs(eta) > MOVES)
        growth[:, only] = np.arange(3.0)[:, None]
    else:
        growth = np.stack([eta / 2.0, g if model == "davidson" else np.zeros_like(eta), -eta / 2.0])
    return np.asarray(np.abs(growth - np.take_along_axis(growth, observed[None], axis=0)) <= MOVES)


def as_fitted(fit: FitRecord) -> Comparisons:
    """The comparisons as they entered the likelihood: ties kept, dropped, or as half wins."""
    return fit.data.with_ties_treated(fit.spec.ties)


def units(
    eta: FloatArray, g: FloatArray, possible: BoolArray, model: OutcomeModel
) -> tuple[FloatArray, FloatArray]:
    """First and minus second derivatives by (eta, g) of the log-likelihood of one win, one tie and one loss.

    eta float[n]: log-odds of first against second.  g float[n]: tie parameter; not used by the binary model.
    possible bool[3, n]: outcomes that infinite estimates leave possible; the others have probability 0.
    Returns information float[3, 3, n]: by eta twice, eta and g, g twice.
    """
    if model == "rao-kupper":
        return _rao_kupper(eta, g, possible)
    score, information = np.zeros((3, 2, len(eta))), np.zeros((3, 3, len(eta)))
    tie = np.full_like(eta, -np.inf) if model == "binary" else g
    h = np.where(possible, np.stack([eta / 2.0, tie, -eta / 2.0]), -np.inf)
    weight = np.exp(h - h.max(axis=0))
    p = weight / weight.sum(axis=0)
    first, t, second = p
    # of eta: y / 2 less its mean, y = 1, 0, -1; the complement is written out, for 1 - p cancels
    score[0, 0], score[2, 0] = second + t / 2.0, -(first + t / 2.0)
    score[1, 0] = (second - first) / 2.0
    score[0, 1] = score[2, 1] = -t
    score[1, 1] = first + second
    # 1 - t - d^2 = P1 + P2 - (P1 - P2)^2, written without cancellation
    information[:, 0] = (t * (first + second) + 4.0 * first * second) / 4.0
    information[:, 1] = -(first - second) * t / 2.0
    information[:, 2] = t * (first + second)
    if model == "binary":
        score[1] = 0.0
    score[~np.repeat(possible[:, None], 2, axis=1)] = 0.0
    return score, information


def _rao_kupper(eta: FloatArray, g: FloatArray, possible: BoolArray) -> tuple[FloatArray, FloatArray]:
    score, information = np.zeros((3, 2, len(eta))), np.zeros((3, 3, len(eta)))
    p1, q1 = _logistic(eta - g), _logistic(g - eta)
    p2, q2 = _logistic(-eta - g), _logistic(g + eta)
    win, loss = possible[0], possible[2]
    # without losses a tie is what is left of a win, log F(g - eta); without wins of a loss, log F(eta + g)
    both = win & loss & possible[1]
    finite = both & (g > 0.0)
    with np.errstate(over="ignore"):
        # d log(exp(2g) - 1) / dg = 2 / (1 - exp(-2g)), minus its derivative 1 / sinh(g)^2
        grown = np.where(finite, g, 1.0)
        own = np.where(finite, 2.0 / -np.expm1(-2.0 * grown), 0.0)
        bend = np.where(finite, 1.0 / np.sinh(grown) ** 2, 0.0)
    v1, v2 = p1 * q1, p2 * q2
    score[0] = np.where(win, q1, 0.0) * np.array([[1.0], [-1.0]])
    score[2] = np.where(loss, q2, 0.0) * np.array([[-1.0], [-1.0]])
    score[1] = np.where(both, np.stack([q1 - q2, own - q1 - q2]), 0.0)
    information[0] = np.where(win, v1, 0.0) * np.array([[1.0], [-1.0], [1.0]])
    information[2] = np.where(loss, v2, 0.0) * np.array([[1.0], [1.0], [1.0]])
    information[1] = np.where(both, np.stack([v1 + v2, v2 - v1, v1 + v2 + bend]), 0.0)
    without_loss, without_win = win & possible[1] & ~loss, loss & possible[1] & ~win
    score[1] += np.where(without_loss, p1, 0.0) * np.array([[-1.0], [1.0]])
    score[1] += np.where(without_win, p2, 0.0) * np.array([[1.0], [1.0]])
    information[1] += np.where(without_loss, v1, 0.0) * np.array([[1.0], [-1.0], [1.0]])
    information[1] += np.where(without_win, v2, 0.0) * np.array([[1.0], [1.0], [1.0]])
    single = possible.sum(axis=0) == 1
    score[:, :, single], information[:, :, single] = 0.0, 0.0
    return score, information


def _logistic(u: FloatArray) -> FloatArray:
    e = np.exp(-np.abs(u))
    return np.asarray(np.where(u >= 0.0, 1.0, e) / (1.0 + e))
