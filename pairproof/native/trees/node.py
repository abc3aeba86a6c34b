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
from ..pairs.models import fit_bradley_terry
from ..structured.contests import Contests
from ..structured.design import Design
from ..structured.estimate import fit_structured
from ..structured.limiting import fit_limiting
from .preferences import Preferences

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NodeModel:
    """The model of some persons.

    Attributes
    ----------
    names : tuple of str
    theta : float[k]
        inf where an item is separated in this node, NaN where it is not determined.
    llf : float
        The supremum where theta is infinite.
    scores : float[m, k] or None
        Of the m persons; None where the estimate is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.node import fit_node
    >>> from pairproof.native.trees.preferences import preferences
    >>> found = fit_node(preferences(np.array([[1], [1], [-1]]), [0], [1], ["A", "B"]), np.arange(3))
    >>> found.theta.round(6).tolist(), found.scores.round(6).ravel().tolist()  # log 2
    ([0.693147], [0.333333, 0.333333, -0.666667])
    """

    names: tuple[str, ...]
    theta: FloatArray
    llf: float
    scores: FloatArray | None


def fit_node(data: Preferences, persons: IntArray) -> NodeModel:
    """The maximum-likelihood model of these persons, with their scores.

    Parameters
    ----------
    data : Preferences
    persons : int[m]
        Rising.

    Returns
    -------
    NodeModel

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.node import fit_node
    >>> from pairproof.native.trees.preferences import preferences
    >>> always = fit_node(preferences(np.array([[1], [1]]), [0], [1], ["A", "B"]), np.arange(2))
    >>> always.theta.tolist(), always.llf, always.scores is None
    ([inf], 0.0, True)
    """
    entries = data.of(persons)
    if not len(entries):
        return NodeModel(data.names, np.full(len(data.names), np.nan), 0.0, None)
    wins, ties, losses = data.totals(entries)
    if data.tied:
        return _with_ties(data, persons, entries, wins, ties, losses)
    contests = Contests(data.design, wins, losses)
    try:
        found = fit_structured(contests)
    except NotEstimableError:
        limit = fit_limiting(contests)
        return NodeModel(data.names, limit.theta, limit.rest.llf, None)
    p = 1.0 / (1.0 + np.exp(-data.design.predictor(found.theta)))
    own, pair = np.searchsorted(persons, data.person[entries]), data.pair[entries]
    gaps = data.wins[entries] - (data.wins[entries] + data.losses[entries]) * p[pair]
    return NodeModel(
        data.names, found.theta, found.llf, _onto_items(data.design, own, pair, gaps, len(persons))
    )


def _onto_items(design: Design, person: IntArray, pair: IntArray, gaps: FloatArray, n: int) -> FloatArray:
    """float[n, k]: sum over the counts of each person of its gap times the row of the comparison."""
    found = np.zeros((n, len(design.names) + 1))  # the last column is that of the reference, whose number is -1
    np.add.at(found, (person, design.first[pair]), gaps)
    np.subtract.at(found, (person, design.second[pair]), gaps)
    return found[:, :-1]


def _with_ties(
    data: Preferences,
    persons: IntArray,
    entries: IntArray,
    wins: FloatArray,
    ties: FloatArray,
    losses: FloatArray,
) -> NodeModel:
    contests = TiedContests(data.design, np.ones((len(wins), 1)), ("tie",), wins, ties, losses)
    half = Contests(data.design, wins + ties / 2.0, losses + ties / 2.0)
    decided = float(wins.sum() + losses.sum())
    limit = fit_limiting(half)
    if not ties.sum() or not decided or len(limit.certain) or not np.isfinite(limit.theta).all():
        return _limit_with_ties(data, wins, ties, losses)
    found = fit_tied(contests, reduced=False)
    _, a, b = TiedPoint(contests, found.theta).deviations
    own, pair = np.searchsorted(persons, data.person[entries]), data.pair[entries]
    counts = np.column_stack([data.wins[entries], data.ties[entries], data.losses[entries]])
    items = _onto_items(data.design, own, pair, (a[pair] * counts).sum(axis=1), len(persons))
    tie = np.bincount(own, (b[pair] * counts).sum(axis=1), len(persons))
    return NodeModel(data.names, found.theta, found.llf, np.column_stack([items, tie]))


def _limit_with_ties(data: Preferences, wins: FloatArray, ties: FloatArray, losses: FloatArray) -> NodeModel:
    """Where items are separated, or nobody tied or everybody: the supremum, and what is finite (the others NaN)."""
    number = {name: k for k, name in enumerate(data.items)}
    of_own = np.array([number[name] for name in data.design.names] + [number[data.reference]])
    table = Comparisons.build(
        data.items, of_own[data.design.first], of_own[data.design.second], wins, ties, losses
    )
    found = fit_bradley_terry(table, ties="davidson", reference=data.reference)
    params = found.params
    return NodeModel(data.names, np.array([params[name] for name in data.names]), found.llf, None)
