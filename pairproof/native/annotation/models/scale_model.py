"""Annotators who use the scale differently: one factor; location, slope and noise of each annotator.

    y = c_a + l_a theta_i + e,   theta_i ~ N(0, 1),   e ~ N(0, psi_a)

The scores of an item are jointly normal with means c and covariance V = l l' + diag(psi) over whoever judged
it, so items that some annotators did not judge are no difficulty: the marginal likelihood is a product over
items. For a complete table it is that of factor analysis with one factor (Lawley and Maxwell 1971; R's
factanal). Since V has rank one beside its diagonal, with w = l / psi and q_i = sum l^2 / psi over the item's
scores,

    V^-1 = diag(1 / psi) - w w' / (1 + q_i),   log|V| = sum log psi + log(1 + q_i)

and the expected information is a few products of the table of who judged what. The maximum is found by
scoring in (c, l, log psi), steps halved until the likelihood rises.

With few items an annotator can be fitted without any noise (a Heywood case). A normal prior on the logs of
the noise, log sqrt(psi_a) ~ N(mean, spread^2) with the mean estimated, prevents that; without it such data
are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....errors import ConvergenceError, NotEstimableError
from ..beta import FloatArray, IntArray

#: Squared length of the last step in standard errors.
TOLERANCE = 1e-20
MAX_STEPS = 500
#: A noise variance this small beside that of the scores, and falling, is a Heywood case.
HEYWOOD = 1e-6


@dataclass(frozen=True, eq=False)
class ScaleFit:
    """The annotators' use of the scale, and the items on it.

    location float[n_annotators]: c: what the annotator says of an average item.  loading float[n_annotators]:
    l: how far the annotator's score rises by one standard deviation of the items; the sum is positive.  noise
    float[n_annotators]: standard deviation of e.  theta float[n_items]: items, in standard deviations of the
    items: their mean given the scores.  theta_sd float[n_items]: their standard deviation given the scores,
    the parameters taken as known.  covariance float[3 n_annotators, 3 n_annotators]: of c, l and log psi, by
    the expected information.  loglik: full log-likelihood, the prior not in it.
    """

    location: FloatArray
    loading: FloatArray
    noise: FloatArray
    theta: FloatArray
    theta_sd: FloatArray
    covariance: FloatArray
    loglik: float
    steps: int

    @property
    def slope(self) -> FloatArray:
        """float[n_annotators]: the loadings over the geometric mean of their sizes."""
        found: FloatArray = self.loading / np.exp(np.log(np.abs(self.loading)).mean())
        return found

    @property
    def correlation(self) -> FloatArray:
        """float[n_annotators]: of the annotator's scores with the items (factanal's loadings)."""
        found: FloatArray = self.loading / np.sqrt(self.loading**2 + self.noise**2)
        return found


@dataclass(frozen=True, eq=False)
class _At:
    """The likelihood at one place."""

    c: FloatArray
    l: FloatArray
    psi: FloatArray
    loglik: float
    log_prior: float
    theta: FloatArray
    room: FloatArray  # 1 / (1 + q_i)
    gradient: FloatArray
    information: FloatArray


class _Table:
    """The scores, summed so that the likelihood of any parameters is a few products."""

    def __init__(
        self, item: IntArray, annotator: IntArray, y: FloatArray, prior_spread: float | None
    ) -> None:
        self.item, self.who, self.y, self.prior_spread = item, annotator, y, prior_spread
        self.n_items, self.n_annotators = int(item.max()) + 1, int(annotator.max()) + 1
        cell = item * self.n_annotators + annotator
        count = np.bincount(cell, minlength=self.n_items * self.n_annotators)
        self.count = count.reshape(self.n_items, self.n_annotators).astype(float)

    def at(self, c: FloatArray, l: FloatArray, psi: FloatArray) -> _At:
        who, item, m = self.who, self.item, self.count
        r = self.y - c[who]
        w = l / psi
        q = m @ (l * w)
        room = 1.0 / (1.0 + q)
        theta = room * np.bincount(item, w[who] * r, self.n_items)
        loglik = -0.5 * float(
            len(r) * np.log(2.0 * np.pi)
            + m.sum(axis=0) @ np.log(psi)
            + np.log1p(q).sum()
            + np.sum(r * r / psi[who])
            - np.sum(theta**2 / room)
        )
        z = r / psi[who] - w[who] * theta[item]
        own = m.sum(axis=0)
        shared = m.T @ room
        by_c = np.bincount(who, z, self.n_annotators)
        by_l = np.bincount(who, z * theta[item], self.n_annotators) - w * shared
        by_psi = 0.5 * (np.bincount(who, z * z, self.n_annotators) - own / psi + w * w * shared)
        gradient = np.r_[by_c, by_l, by_psi * psi]
        information = self._information(l, psi, room)
        log_prior = 0.0
        if self.prior_spread is not None:
            k, excess = self.n_annotators, (np.log(psi) - np.log(psi).mean()) / 2.0
            log_prior = -0.5 * float(excess @ excess) / self.prior_spread**2
            gradient[2 * k :] -= excess / (2.0 * self.prior_spread**2)
            information[2 * k :, 2 * k :] += (np.eye(k) - 1.0 / k) / (4.0 * self.prior_spread**2)
        return _At(c, l, psi, loglik, log_prior, theta, room, gradient, information)

    def _information(self, l: FloatArray, psi: FloatArray, room: FloatArray) -> FloatArray:
        """Expected information in (c, l, log psi): 1/2 tr(V^-1 V_j V^-1 V_k), and m'V^-1 m for the means."""
        m, own, k = self.count, self.count.sum(axis=0), self.n_annotators
        w = l / psi
        ww = np.outer(w, w)
        once, twice = (m.T * room) @ m, (m.T * room**2) @ m
        diagonal = np.diag(own / psi)
        explained = 1.0 - room  # l'V^-1 l
        by_l = np.diag((m.T @ explained) / psi) - ww * ((m.T * (explained * room)) @ m) + ww * twice
        by_l_psi = np.diag((m.T @ room) / psi * w) - ww * w[None, :] * twice
        by_psi = 0.5 * ww**2 * twice + np.diag(0.5 * own / psi**2 - w**2 / psi * (m.T @ room))
        out = np.zeros((3 * k, 3 * k))
        out[:k, :k] = diagonal - ww * once
        out[k : 2 * k, k : 2 * k] = by_l
        out[k : 2 * k, 2 * k :] = by_l_psi * psi[None, :]
        out[2 * k :, k : 2 * k] = out[k : 2 * k, 2 * k :].T
        out[2 * k :, 2 * k :] = by_psi * np.outer(psi, psi)
        return out


def scale_model(
    item: IntArray,
    annotator: IntArray,
    score: FloatArray,
    prior_spread: float | None = None,
    names: Sequence[str] | None = None,
) -> ScaleFit:
    """Fit location, slope and noise of every annotator by maximum likelihood; any scores may be missing.

    item, annotator int[n]: from 0.  score float[n].  prior_spread: standard deviation of the prior on the
    logs of the noise; none by default.
    """
    what, who = np.asarray(item, np.int64), np.asarray(annotator, np.int64)
    y = np.asarray(score, np.float64)
    n_annotators = int(who.max()) + 1
    if n_annotators < 3:
        raise NotEstimableError(f"scale model: {n_annotators} annotator(s); slopes need three or more")
    middle, scale = float(y.mean()), float(y.std())
    if scale == 0.0:
        raise NotEstimableError(f"scale model: all scores are {y[0]:g}; nothing varies")
    table = _Table(what, who, (y - middle) / scale, prior_spread)
    best, steps = _climb(table, names)
    _check_determined(best.information)
    turn = 1.0 if best.l.sum() >= 0 else -1.0
    covariance = np.linalg.inv(best.information)
    unit = np.repeat([scale, turn * scale, 1.0], n_annotators)
    return ScaleFit(
        location=middle + scale * best.c,
        loading=turn * scale * best.l,
        noise=scale * np.sqrt(best.psi),
        theta=turn * best.theta,
        theta_sd=np.sqrt(best.room),
        covariance=covariance * np.outer(unit, unit),
        loglik=best.loglik - len(y) * float(np.log(scale)),
        steps=steps,
    )


def _climb(table: _Table, names: Sequence[str] | None) -> tuple[_At, int]:
    k = table.n_annotators
    own = np.maximum(table.count.sum(axis=0), 1.0)
    c = np.bincount(table.who, table.y, k) / own
    half = np.maximum(np.bincount(table.who, (table.y - c[table.who]) ** 2, k) / own, 0.02) / 2.0
    now = table.at(c, np.sqrt(half), half)
    for step_number in range(1, MAX_STEPS + 1):
        step = _step(now)
        decrement = float(now.gradient @ step)
        if decrement < TOLERANCE:
            return now, step_number
        step = step * min(1.0, 2.0 / float(np.abs(step).max()))
        size = 1.0
        while True:
            d = size * step
            after = table.at(now.c + d[:k], now.l + d[k : 2 * k], now.psi * np.exp(d[2 * k :]))
            gain = after.loglik + after.log_prior - now.loglik - now.log_prior
            if gain >= 0 or (decrement < 1e-9 and gain > -1e-9 * max(1.0, abs(now.loglik))):
                break
            size /= 2
            if size < 1e-8:
                raise ConvergenceError(
                    f"scale model: the likelihood cannot be raised (decrement {decrement:.2g})"
                )
        now = after
        fallen = (now.psi < HEYWOOD) & (now.gradient[2 * k :] < 0)
        if fallen.any():
            number = int(np.flatnonzero(fallen)[0])
            name = names[number] if names is not None else f"number {number + 1}"
            raise NotEstimableError(
                f"scale model: the noise of annotator {name} falls to 0 (a Heywood case): too few shared items to tell"
                " slopes; hold the noises together (prior_spread=0.6), or use the precision model"
            )
    raise ConvergenceError(f"scale model: no maximum after {MAX_STEPS} steps")


def _step(at: _At) -> FloatArray:
    """The scoring step, in the directions that the information determines."""
    size = np.sqrt(np.maximum(np.diag(at.information), 1e-12))
    values, vectors = np.linalg.eigh(at.information / np.outer(size, size))
    found: FloatArray = (vectors @ ((vectors.T @ (at.gradient / size)) / np.maximum(values, 1e-9))) / size
    return found


def _check_determined(information: FloatArray) -> None:
    size = np.sqrt(np.diag(information))
    least = float(np.linalg.eigvalsh(information / np.outer(size, size))[0])
    if not least > 1e-7:
        raise NotEstimableError(
            "scale model: the shared items do not determine every annotator's slope and noise; annotators who"
            " share items with fewer than two others have to be left out, or use the precision model"
        )
