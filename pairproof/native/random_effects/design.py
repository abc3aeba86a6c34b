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

    fixed: n rows, with the design of the fixed parameters.  `first`, second int[n]: which effect, 0 .. K - 1,
    each side has; -1 for none.  effects: K names.  Returns Contests: whose first K parameters are the
    effects.
    """
    return with_blocks(fixed, [Block("", first, second, effects)])


def fixed_part(contests: Contests) -> Contests:
    """The same contests without their random effects: sigma = 0.

    contests: as :func:`with_effects` returns them.
    """
    return Contests(contests.design.without(np.arange(contests.design.n_own)), contests.wins, contests.losses)


def acyclic(contests: Contests) -> bool:
    """Whether no chain of wins leads from a random effect back to it: sigma is then bounded below only.

    As sigma grows with b / sigma held, the likelihood tends to the positive probability that normal effects
    reproduce the order of the wins, so it need not have a maximum in sigma.

    contests: as :func:`with_effects` returns them.
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
