"""The Bradley-Terry model of the persons of a node, and the score of each of them.

    l = sum over persons i and their comparisons of log P(y)

with Davidson's tie where answers may be tied (1970).  The score of a person is the derivative of its own term
at the node's estimate; scores sum to 0 (Strobl, Wickelmaier and Zeileis 2011, Journal of Educational and
Behavioral Statistics 36, 135-153).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import NotEstimableError
from ..bias_reduced.ties import TiedContests, TiedPoint, fit_tied
from ..contests.bradley_terry import fit_bradley_terry
from ..structured.contests import Contests
from ..structured.design import Design
from ..structured.estimate import fit_structured
from ..structured.likelihood import ContestPoint
from ..structured.limiting import fit_limiting
from ..structured.links import link
from .preferences import Preferences

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Steps of the quick search, and abilities beyond which it leaves the question of a finite maximum to others.
QUICK_STEPS, LARGE = 12, 12.0


@dataclass(frozen=True, eq=False)
class NodeModel:
    """The model of some persons.

    theta float[k]: inf where an item is separated in this node, NaN where it is not determined.  llf: the
    supremum where theta is infinite.  scores float[m, k] or None: of the m persons; None where the estimate
    is not finite.
    """

    names: tuple[str, ...]
    theta: FloatArray
    llf: float
    scores: FloatArray | None


def fit_node(data: Preferences, persons: IntArray) -> NodeModel:
    """The maximum-likelihood model of these persons, with their scores.

    persons int[m]: rising.
    """
    entries = data.of(persons)
    if not len(entries):
        return NodeModel(data.names, np.full(len(data.names), np.nan), 0.0, None)
    found = fit_totals(data, *data.totals(entries))
    if not found.finite:
        return NodeModel(data.names, found.theta, found.llf, None)
    scores = _scores_with_ties if data.tied else _scores
    return NodeModel(data.names, found.theta, found.llf, scores(data, persons, entries, found.theta))


@dataclass(frozen=True, eq=False)
class Maximum:
    """The maximum of the likelihood of summed counts.

    theta float[k]: as in :class:`NodeModel`.  finite: whether the maximum is at a finite place.
    """

    theta: FloatArray
    llf: float
    finite: bool


def fit_totals(data: Preferences, wins: FloatArray, ties: FloatArray, losses: FloatArray) -> Maximum:
    """The maximum-likelihood model of counts summed over persons.

    data: whose comparisons these are.  wins, ties, losses float[C].
    """
    if data.tied:
        return _with_ties(data, wins, ties, losses)
    contests = Contests(data.design, wins, losses)
    try:
        found = fit_structured(contests)
    except NotEstimableError:
        limit = fit_limiting(contests)
        return Maximum(limit.theta, limit.rest.llf, False)
    return Maximum(found.theta, found.llf, True)


def quick_llf(
    data: Preferences, wins: FloatArray, ties: FloatArray, losses: FloatArray, start: FloatArray
) -> tuple[float, FloatArray]:
    """The largest log-likelihood of summed counts, by Newton's method from a start near it.

    Where that does not arrive at a place of ordinary size, :func:`fit_totals` decides what the supremum is.

    wins, ties, losses float[C].  start float[k].  Returns float, float[k]: the log-likelihood, and a start
    for counts near these.
    """
    theta, old = start, -np.inf
    for _ in range(QUICK_STEPS):
        value, score, information = _derivatives(data, wins, ties, losses, theta)
        if value < old - 1e-9 * abs(old) or not np.isfinite(value):
            break
        try:
            step = np.linalg.solve(information, score)
        except np.linalg.LinAlgError:
            break
        decrement, old = float(step @ score), value
        if not 0.0 <= decrement < 1e6 or np.abs(theta + step).max(initial=0.0) > LARGE:
            break
        theta = theta + step
        # The error left is far below half the decrement, which is below the rounding of the sum.
        if decrement < 1e-12 * (1.0 + abs(value)):
            return value + decrement / 2.0, theta
    found = fit_totals(data, wins, ties, losses)
    return found.llf, found.theta if found.finite else start


def _derivatives(
    data: Preferences, wins: FloatArray, ties: FloatArray, losses: FloatArray, theta: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """The log-likelihood, its first derivatives, and minus its second ones."""
    if data.tied:
        tied = TiedPoint(_tied(data, wins, ties, losses), theta)
        return tied.value, tied.score, tied.information
    point = ContestPoint(Contests(data.design, wins, losses), link("logit"), theta)
    return point.value, point.score, point.observed


def _scores(data: Preferences, persons: IntArray, entries: IntArray, theta: FloatArray) -> FloatArray:
    """float[m, k]: derivatives of the log-likelihood of each person."""
    p = 1.0 / (1.0 + np.exp(-data.design.predictor(theta)))
    own, pair = np.searchsorted(persons, data.person[entries]), data.pair[entries]
    gaps = data.wins[entries] - (data.wins[entries] + data.losses[entries]) * p[pair]
    return _onto_items(data.design, own, pair, gaps, len(persons))


def _onto_items(design: Design, person: IntArray, pair: IntArray, gaps: FloatArray, n: int) -> FloatArray:
    """float[n, k]: sum over the counts of each person of its gap times the row of the comparison."""
    found = np.zeros(
        (n, len(design.names) + 1)
    )  # the last column is that of the reference, whose number is -1
    np.add.at(found, (person, design.first[pair]), gaps)
    np.subtract.at(found, (person, design.second[pair]), gaps)
    return found[:, :-1]


def _tied(data: Preferences, wins: FloatArray, ties: FloatArray, losses: FloatArray) -> TiedContests:
    return TiedContests(data.design, np.ones((len(wins), 1)), ("tie",), wins, ties, losses)


def _with_ties(data: Preferences, wins: FloatArray, ties: FloatArray, losses: FloatArray) -> Maximum:
    half = Contests(data.design, wins + ties / 2.0, losses + ties / 2.0)
    decided = float(wins.sum() + losses.sum())
    limit = fit_limiting(half)
    if not ties.sum() or not decided or len(limit.certain) or not np.isfinite(limit.theta).all():
        return _limit_with_ties(data, wins, ties, losses)
    found = fit_tied(_tied(data, wins, ties, losses), reduced=False)
    return Maximum(found.theta, found.llf, True)


def _scores_with_ties(
    data: Preferences, persons: IntArray, entries: IntArray, theta: FloatArray
) -> FloatArray:
    _, a, b = TiedPoint(_tied(data, *data.totals(entries)), theta).deviations
    own, pair = np.searchsorted(persons, data.person[entries]), data.pair[entries]
    counts = np.column_stack([data.wins[entries], data.ties[entries], data.losses[entries]])
    items = _onto_items(data.design, own, pair, (a[pair] * counts).sum(axis=1), len(persons))
    return np.column_stack([items, np.bincount(own, (b[pair] * counts).sum(axis=1), len(persons))])


def _limit_with_ties(data: Preferences, wins: FloatArray, ties: FloatArray, losses: FloatArray) -> Maximum:
    """Where items are separated, or nobody tied or everybody: the supremum, and what is finite (the others NaN)."""
    number = {name: k for k, name in enumerate(data.items)}
    of_own = np.array([number[name] for name in data.design.names] + [number[data.reference]])
    table = Comparisons.build(
        data.items, of_own[data.design.first], of_own[data.design.second], wins, ties, losses
    )
    found = fit_bradley_terry(table, ties="davidson", reference=data.reference)
    params = found.params
    return Maximum(np.array([params[name] for name in data.names]), found.llf, False)
