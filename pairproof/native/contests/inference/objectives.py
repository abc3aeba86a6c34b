"""The log-likelihoods that profiles are of, in the parameters of the design.

Without bias reduction the likelihood itself.  With it the likelihood penalised by Jeffreys' prior, l + log det I / 2,
where I is the information of all parameters, also those that are held (Heinze and Schemper 2002, Statistics in Medicine
21, 2409-2419; R's logistf): for the logit this is what reduction of the mean's bias maximises (Firth 1993).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ...bias_reduced.adjustments import adjustment
from ...bias_reduced.fit import covariance_of
from ...bias_reduced.ties import TiedContests, TiedPoint
from ...structured.contests import Contests
from ...structured.likelihood import ContestPoint
from ...structured.links import Link, link
from ...ties_general.model import TiePoint
from ..rows import ContestRows
from ..solved import apart, contests_of, tied_contests
from .constrained import Objective

FloatArray = NDArray[np.float64]


def likelihood_of(contests: Contests, chosen: Link) -> Objective:
    """The log-likelihood of wins and losses.

    Parameters
    ----------
    contests : Contests
    chosen : Link

    Returns
    -------
    Objective
    """

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = ContestPoint(contests, chosen, theta)
        return here.value, here.score, here.observed if chosen.concave else here.expected

    return at


def objective_of(rows: ContestRows) -> Objective:
    """What the specification maximises.

    Parameters
    ----------
    rows : ContestRows

    Returns
    -------
    Objective

    Raises
    ------
    InputError
        The estimate maximises nothing.

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> from pairproof.fit.contests.spec import ContestSpec
    >>> from pairproof.native.contests.rows import contest_rows
    >>> from pairproof.native.contests.inference.objectives import objective_of
    >>> table = pairproof.Comparisons.build("AB", [0], [1], [4], None, [0])
    >>> at = objective_of(contest_rows(table, ContestSpec("bradley-terry", reference="B", reduction="mean")))
    >>> at(np.array([np.log(9.0)]))[1].round(12).tolist()  # half a contest more of each result
    [0.0]
    """
    spec = rows.spec
    chosen = link(spec.link)
    if spec.reduction == "median" or (spec.reduction == "mean" and spec.link != "logit"):
        raise InputError(
            f"reduce_bias={spec.reduction!r} with link={spec.link!r}: this estimate is the root of an adjusted score and"
            " maximises nothing, so that it has no profile and no likelihood ratio; reduce_bias='jeffreys' has a penalised"
            " likelihood"
        )
    if rows.has_ties and not spec.reduction:
        return _general_ties(rows)
    if rows.has_ties:
        return _tied(rows)
    contests = contests_of(rows)
    if not spec.reduction:
        return likelihood_of(contests.pooled(), chosen)
    return _penalised(contests.pooled(), chosen, apart(contests).kept)


def flat_of(rows: ContestRows) -> FloatArray:
    """float[p, k]: directions that contests with reduced bias say nothing about, one for each set of items beyond one."""
    if rows.has_ties:  # no estimate without an answer of the data about everything
        return np.zeros((len(rows.design.names) + 1, 0))
    return apart(contests_of(rows)).flat


def _penalised(contests: Contests, chosen: Link, kept: NDArray[np.int64]) -> Objective:
    """Jeffreys' prior is that of the parameters `kept`, which are those that the estimate has: the others are 0 there."""
    block = np.ix_(kept, kept)

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = ContestPoint(contests, chosen, theta)
        expected = here.expected
        sign, log_det = np.linalg.slogdet(expected[block])
        if sign <= 0 or not np.isfinite(log_det):
            return -np.inf, np.zeros(len(theta)), np.eye(len(theta))
        covariance = np.zeros_like(expected)
        try:
            covariance[block] = covariance_of(expected[block])
        except np.linalg.LinAlgError:
            return -np.inf, np.zeros(len(theta)), np.eye(len(theta))
        return here.value + 0.5 * log_det, here.score + adjustment(here, covariance, "jeffreys"), expected

    return at


def _tied(rows: ContestRows) -> Objective:
    table = rows.table
    one = np.ones((table.n_rows, 1))
    contests = TiedContests(rows.design, one, ("tie",), table.wins, table.ties, table.losses)

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = TiedPoint(contests, theta)
        information = here.information
        sign, log_det = np.linalg.slogdet(information)
        try:
            covariance = covariance_of(information)
        except np.linalg.LinAlgError:
            return -np.inf, np.zeros(len(theta)), np.eye(len(theta))
        if sign <= 0 or not np.isfinite(log_det):
            return -np.inf, np.zeros(len(theta)), np.eye(len(theta))
        return here.value + 0.5 * float(log_det), here.score + here.jeffreys(covariance), information

    return at


def _general_ties(rows: ContestRows) -> Objective:
    contests = tied_contests(rows)
    shift = np.zeros(len(contests.names))
    shift[len(rows.design.names)] = np.log(2.0)  # nu = 2 exp(tie.max), Davidson's tie parameter

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = TiePoint(contests, theta - shift)
        return here.value, here.score, here.information

    return at
