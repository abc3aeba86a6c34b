"""Two laws of ties that the package has not: Thurstone's Case V with ties, and an additive tie, as R's VGAM::bratt has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from pairproof.fit.estimates.outcome_laws import LAWS as LAWS, Logs, OutcomeLaw, of_utilities

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Thurstone(OutcomeLaw):
    """P(first) = Phi(u - t), P(second) = Phi(-u - t), the rest a tie, t = exp(tie) (Glenn and David 1960, Biometrics 16, 86)."""

    words = "Thurstone ties"
    link = "probit"
    preferred = "Phi(A - B - exp(tie)), Phi the normal distribution"

    def logs(self, v: FloatArray) -> Logs:
        u, t = v[:, 0], np.exp(v[:, 1])
        # P(o) = Phi(a) - Phi(b), a and b linear in (u, t); of a tie from the side on which both are small.
        side, one, none = np.where(u > 0.0, -1.0, 1.0), np.ones(len(v)), np.zeros(len(v))
        a, b = np.stack([u - t, side * u + t, -u - t]), np.stack([none, side * u - t, none])
        no_tie = np.array([[True], [False], [True]])
        of_a = np.array([[one, -one], [side, one], [-one, -one]])
        of_b = np.array([[none, none], [side, -one], [none, none]])
        log_p = log_ndtr(a) + np.log1p(-np.where(no_tie, 0.0, np.exp(log_ndtr(b) - log_ndtr(a))))
        at_a, at_b = (np.exp(-x * x / 2.0 - log_p) / np.sqrt(2.0 * np.pi) for x in (a, b))
        first = at_a[:, None] * of_a - at_b[:, None] * of_b
        second = (b * at_b)[:, None, None] * of_b[:, :, None] * of_b[:, None]
        second -= (a * at_a)[:, None, None] * of_a[:, :, None] * of_a[:, None]
        second -= first[:, :, None] * first[:, None]
        by_tie = np.stack([one, t])  # dt / d tie
        second *= by_tie[:, None] * by_tie
        second[:, 1, 1] += first[:, 1] * t
        return log_p.T, (first * by_tie).transpose(2, 0, 1), second.transpose(3, 0, 1, 2)


@dataclass(frozen=True)
class Additive(OutcomeLaw):
    """P(first) : P(tie) : P(second) = a_first : a_0 : a_second; tie is log a_0 less the mean of all log a."""

    words = "additive ties"
    by_level = True

    def logs(self, v: FloatArray) -> Logs:
        u, tie, level = v.T
        slopes = np.array([[0.5, 0.0, 0.0], [0.0, 1.0, -1.0], [-0.5, 0.0, 0.0]])
        utility = np.stack([u / 2.0, tie - level, -u / 2.0], axis=1)
        return of_utilities(utility, np.broadcast_to(slopes, (len(v), 3, 3)))
