"""The log-likelihoods that profiles are of, in the parameters of the design.

Without bias reduction the likelihood itself.  With it the likelihood penalised by Jeffreys' prior, l + log det I / 2,
where I is the information of all parameters, also those that are held (Heinze and Schemper 2002, Statistics in Medicine
21, 2409-2419; R's logistf): for the logit this is what reduction of the mean's bias maximises (Firth 1993).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ...bias_reduced.adjustments import adjustment
from ...bias_reduced.fit import covariance_of
from ...bias_reduced.ties import TiedContests, TiedPoint
from ...numerics.constrained import Objective
from ...structured.contests import Contests
from ...structured.likelihood import ContestPoint
from ...structured.links import Link, link
from ...ties_general.model import TiePoint
from ..rows import ContestRows
from ..solved import LimitRows, apart, contests_of, tied_contests, tied_parts

FloatArray = NDArray[np.float64]


def likelihood_of(contests: Contests, chosen: Link) -> Objective:
    """The log-likelihood of wins and losses."""

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = ContestPoint(contests, chosen, theta)
        return here.value, here.score, here.observed if chosen.concave else here.expected

    return at


def objective_of(rows: ContestRows, parts: LimitRows | None = None) -> Objective:
    """What the specification maximises.

    parts: where contests are not connected and ties are modelled or the bias is reduced: what the estimate is
    of. The penalty is then that of the parameters left.
    """
    spec = rows.spec
    chosen = link(spec.link)
    if spec.reduction == "median" or (spec.reduction == "mean" and spec.link != "logit"):
        raise InputError(
            f"a profile with reduce_bias={spec.reduction!r} and link={spec.link!r}: this estimate is the root of an"
            " adjusted score and maximises nothing; reduce_bias='jeffreys' has a penalised likelihood"
        )
    if rows.has_ties and not spec.reduction:
        return _general_ties(rows)
    if parts is not None and parts.flat.shape[1]:
        # Along `flat` nothing changes: the parameters that were fixed are brought to 0 along it.
        left = parts.left.design
        inner = objective_of(replace(rows, design=left))
        p, k = len(rows.design.names), len(left.names)
        dropped = np.setdiff1d(np.arange(p), parts.kept)
        n_more = int(rows.has_ties)
        free = np.eye(p)
        free[:, dropped] -= parts.flat @ np.linalg.inv(parts.flat[dropped])
        onto = np.zeros((k + n_more, p + n_more))
        onto[:k, :p] = free[parts.kept]
        onto[k:, p:] = np.eye(n_more)
        return _through(inner, onto)
    if rows.has_ties:
        return _tied(rows)
    contests = contests_of(rows).pooled()
    return _penalised(contests, chosen) if spec.reduction else likelihood_of(contests, chosen)


def parts_of(rows: ContestRows) -> LimitRows:
    """What the estimate with reduced bias is of, where contests are not connected."""
    return tied_parts(rows) if rows.has_ties else apart(contests_of(rows))


def flat_of(rows: ContestRows) -> FloatArray:
    """float[p, k]: directions that contests say nothing about, one for each set of items beyond one."""
    flat = parts_of(rows).flat
    return np.concatenate([flat, np.zeros((int(rows.has_ties), flat.shape[1]))])


def _through(inner: Objective, onto: FloatArray) -> Objective:
    """The objective at onto theta."""

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        value, gradient, information = inner(onto @ theta)
        return value, onto.T @ gradient, onto.T @ information @ onto

    return at


def _penalised(contests: Contests, chosen: Link) -> Objective:
    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = ContestPoint(contests, chosen, theta)
        expected = here.expected
        sign, log_det = np.linalg.slogdet(expected)
        if sign <= 0 or not np.isfinite(log_det):
            return -np.inf, np.zeros(len(theta)), np.eye(len(theta))
        try:
            covariance = covariance_of(expected)
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
