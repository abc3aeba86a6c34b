"""Contests whose linear predictor has fixed parts and random effects.

    eta = x'b + offset + u[first] - u[second],        u_i ~ N(0, sigma^2), independent

(Turner and Firth 2012, Journal of Statistical Software 48(9), section 3.1).  The effects are those of
players, in contests between players (crossed), or of the items by judge, a set of J effects for every judge
(nested).  A player with an ability of its own, a fixed parameter, has no effect: index -1.  The effects are
the "own abilities" of a :class:`pairproof.native.structured.design.Design`, the fixed parameters its columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..structured.contests import Contests
from .blocks import Block, with_blocks

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def with_effects(fixed: Contests, first: IntArray, second: IntArray, effects: Sequence[str]) -> Contests:
    """The same contests with a random effect of each side, pooled.

    Parameters
    ----------
    fixed : Contests
        n rows, with the design of the fixed parameters.
    first, second : int[n]
        Which effect, 0 .. K - 1, each side has; -1 for none.
    effects : sequence of str
        K names.

    Returns
    -------
    Contests
        Whose first K parameters are the effects.

    Raises
    ------
    InputError
        There is no such effect, or both sides of a contest have the same one.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.design import with_effects
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> x = np.array([[0.0], [1.0]])
    >>> fixed = Contests(contest_design([0], [1], ["A", "B"], x, ["x"]), np.ones(1), np.ones(1))
    >>> with_effects(fixed, np.array([0]), np.array([1]), ["A", "B"]).design.names
    ('A', 'B', 'x')
    """
    return with_blocks(fixed, [Block("", first, second, effects)])


def fixed_part(contests: Contests) -> Contests:
    """The same contests without their random effects: sigma = 0.

    Parameters
    ----------
    contests : Contests
        As :func:`with_effects` returns them.

    Returns
    -------
    Contests

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.design import fixed_part
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import contest_design
    >>> columns = np.ones((1, 1))
    >>> contests = Contests(contest_design([0], [1], ["A", "B"], contest_columns=columns, contest_names=["home"]),
    ...                     np.ones(1), np.ones(1))
    >>> fixed_part(contests).design.names
    ('home',)
    """
    return Contests(contests.design.without(np.arange(contests.design.n_own)), contests.wins, contests.losses)


def acyclic(contests: Contests) -> bool:
    """Whether no chain of wins leads from a random effect back to it: sigma is then bounded below only.

    As sigma grows with b / sigma held, the likelihood tends to the positive probability that normal effects
    reproduce the order of the wins, so it need not have a maximum in sigma.

    Parameters
    ----------
    contests : Contests
        As :func:`with_effects` returns them.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.random_effects.design import acyclic
    >>> from pairproof.native.structured.contests import Contests
    >>> from pairproof.native.structured.design import Design
    >>> design = Design(np.array([0, 1, 2]), np.array([1, 2, 0]), np.zeros((3, 0)), np.zeros(3), ("A", "B", "C"))
    >>> acyclic(Contests(design, np.ones(3), np.zeros(3))), acyclic(Contests(design, np.array([1.0, 1, 0]), np.zeros(3)))
    (False, True)
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    design, k = contests.design, contests.design.n_own
    inner = (design.first >= 0) & (design.second >= 0)
    won, lost = inner & (contests.wins > 0), inner & (contests.losses > 0)
    winner = np.concatenate([design.first[won], design.second[lost]])
    loser = np.concatenate([design.second[won], design.first[lost]])
    graph = coo_matrix((np.ones(len(winner)), (winner, loser)), shape=(k, k))
    n_strong = connected_components(graph, connection="strong", return_labels=False)
    return bool(n_strong == k)
