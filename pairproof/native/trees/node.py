"""The Bradley-Terry model of the persons of a node, and the score of each of them.

    l = sum over persons i and comparisons c of log P(y_ic)

with Davidson's tie where answers may be tied (1970).  The score of a person is the derivative of its own term
at the node's estimate; scores sum to 0 (Strobl, Wickelmaier and Zeileis 2011, Journal of Educational and
Behavioral Statistics 36, 135-153).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, NotEstimableError
from ..bias_reduced.ties import TiedContests, TiedPoint, fit_tied
from ..structured.contests import Contests
from ..structured.design import Design, contest_design
from ..structured.estimate import fit_structured
from ..structured.limiting import fit_limiting

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: No answer.
MISSING = 9


@dataclass(frozen=True, eq=False)
class Preferences:
    """Answers of persons to comparisons of items.

    Attributes
    ----------
    answers : int[n, C]
        +1 (first item), -1 (second), 0 (tie) or MISSING.
    design : Design
        Of the C comparisons: abilities, the reference at 0.
    tied : bool
        Whether any answer is a tie: the model then has the parameter "log nu".

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.node import preferences
    >>> found = preferences(np.array([[1, -1, 9]]), [0, 0, 1], [1, 2, 2], ["A", "B", "C"], "C")
    >>> found.names, found.tied
    (('A', 'B'), False)
    """

    answers: IntArray
    design: Design
    tied: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Of the k parameters."""
        return self.design.names + (("log nu",) if self.tied else ())


def preferences(
    answers: IntArray,
    first: Sequence[int],
    second: Sequence[int],
    items: Sequence[str],
    reference: str | None = None,
) -> Preferences:
    """Answers of persons, checked.

    Parameters
    ----------
    answers : int[n, C]
        +1 (first item), -1 (second), 0 (tie) or MISSING.
    first, second : sequence of int
        Items of the C comparisons, 0 .. J - 1.
    items : sequence of str
        J names.
    reference : str, optional
        Item of ability 0; the last if not given.

    Returns
    -------
    Preferences

    Raises
    ------
    InputError
        An answer is none of these, or the comparisons do not fit.
    ItemError
        An item is unknown, or is compared with itself.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.node import preferences
    >>> preferences(np.array([[2]]), [0], [1], ["A", "B"])
    Traceback (most recent call last):
    pairproof.errors.InputError: person 1, comparison 1: answer 2; expected 1 (first), -1 (second), 0 (tie) or 9 (none)
    """
    y = np.asarray(answers, dtype=np.int64)
    if y.ndim != 2 or y.shape[1] != len(first):
        raise InputError(f"answers of shape {y.shape} for {len(first)} comparisons")
    wrong = np.argwhere(~np.isin(y, (1, -1, 0, MISSING)))
    if len(wrong):
        i, c = wrong[0]
        raise InputError(
            f"person {i + 1}, comparison {c + 1}: answer {y[i, c]}; expected 1 (first), -1 (second), 0 (tie) or"
            f" {MISSING} (none)"
        )
    design = contest_design(
        list(first), list(second), items, reference=items[-1] if reference is None else reference
    )
    return Preferences(y, design, bool((y == 0).any()))


@dataclass(frozen=True, eq=False)
class NodeModel:
    """The model of some persons.

    Attributes
    ----------
    names : tuple of str
    theta : float[k]
        inf where an item is separated in this node, NaN where it is not determined.
    standard_errors : float[k]
    llf : float
        The supremum where theta is infinite.
    scores : float[m, k] or None
        Of the m persons; None where the estimate is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.node import fit_node, preferences
    >>> found = fit_node(preferences(np.array([[1], [1], [-1]]), [0], [1], ["A", "B"]), np.arange(3))
    >>> found.theta.round(6).tolist(), found.scores.round(6).ravel().tolist()  # log 2
    ([0.693147], [0.333333, 0.333333, -0.666667])
    """

    names: tuple[str, ...]
    theta: FloatArray
    standard_errors: FloatArray
    llf: float
    scores: FloatArray | None


def fit_node(data: Preferences, persons: IntArray) -> NodeModel:
    """The maximum-likelihood model of these persons, with their scores.

    Parameters
    ----------
    data : Preferences
    persons : int[m]

    Returns
    -------
    NodeModel

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.node import fit_node, preferences
    >>> always = fit_node(preferences(np.array([[1], [1]]), [0], [1], ["A", "B"]), np.arange(2))
    >>> always.theta.tolist(), always.llf, always.scores is None
    ([inf], 0.0, True)
    """
    y = data.answers[persons]
    wins, ties, losses = ((y == v).sum(axis=0).astype(float) for v in (1, 0, -1))
    if data.tied:
        return _with_ties(data, y, wins, ties, losses)
    contests = Contests(data.design, wins, losses)
    try:
        found = fit_structured(contests)
    except NotEstimableError:
        limit = fit_limiting(contests)
        return NodeModel(data.names, limit.theta, limit.standard_errors, limit.rest.llf, None)
    p = 1.0 / (1.0 + np.exp(-data.design.predictor(found.theta)))
    gaps = np.where(y == MISSING, 0.0, (y == 1) - p)
    scores = gaps @ data.design.rows(np.arange(data.design.n_rows))
    return NodeModel(data.names, found.theta, found.standard_errors, found.llf, scores)


def _with_ties(
    data: Preferences, y: IntArray, wins: FloatArray, ties: FloatArray, losses: FloatArray
) -> NodeModel:
    contests = TiedContests(data.design, np.ones((len(wins), 1)), ("log nu",), wins, ties, losses)
    k = len(data.names)
    half = Contests(data.design, wins + ties / 2.0, losses + ties / 2.0)
    limit = fit_limiting(half)
    if not ties.sum() or len(limit.certain) or not np.isfinite(limit.theta).all():
        # Ties here and there: the reduced estimate describes the leaf, and the leaf is not split.
        nan = np.full(k, np.nan)
        reduced = fit_tied(contests) if not np.isnan(limit.theta).any() else None
        return NodeModel(
            data.names,
            nan if reduced is None else reduced.theta,
            nan if reduced is None else reduced.standard_errors,
            float("nan") if reduced is None else reduced.llf,
            None,
        )
    found = fit_tied(contests, reduced=False)
    _, a, b = TiedPoint(contests, found.theta).deviations
    outcome = np.select([y == 1, y == 0, y == -1], [0, 1, 2], 0)
    at = np.arange(y.shape[1])[None]
    seen = (y != MISSING).astype(float)
    own = (a[at, outcome] * seen) @ data.design.rows(np.arange(data.design.n_rows))
    tie = (b[at, outcome] * seen).sum(axis=1)
    return NodeModel(data.names, found.theta, found.standard_errors, found.llf, np.column_stack([own, tie]))
