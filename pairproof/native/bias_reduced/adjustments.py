"""What is added to the score of contests to reduce the bias of their estimate.

With f = dF/d eta, w = n f^2 / (F (1 - F)), I = X'WX, h_r = w_r x_r'I^-1 x_r, m = X I^-1:

    mean      sum_r x_r h_r f'/(2 f)                                   (Firth 1993, Biometrika 80, 27-38)
    median    mean + I u,  u_j = sum_r w_r t_r m_rj^3 / (I^-1)_jj,  t = f (1 - 2F) / (6 F (1 - F)) - f'/(2 f)
              (Kenne Pagui, Salvan and Sartori 2017, Biometrika 104, 923-938; Kosmidis, Kenne Pagui and
              Sartori 2020, Statistics and Computing 30, 43-59, equation 10)
    jeffreys  gradient of log det I / 2:  sum_r x_r h_r (f'/f - f (1 - 2F) / (2 F (1 - F)))

For the logit, mean and jeffreys are the same, h (1/2 - F); for other links they are not.  The contests are
taken given their number, as binomial: bias reduction of the Poisson form with a constant for every pair is
another estimate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..structured.design import CHUNK
from ..structured.likelihood import ContestPoint

FloatArray = NDArray[np.float64]

KINDS = ("mean", "median", "jeffreys")


def adjustment(here: ContestPoint, covariance: FloatArray, kind: str) -> FloatArray:
    """The adjustment of the score at one place.

    covariance float[p, p]: inverse of the expected information there.  kind: "mean", "median" or "jeffreys".
    Returns float[p].
    """
    if kind not in KINDS:
        raise InputError(f"bias reduction {kind!r}; expected one of {', '.join(KINDS)}")
    bend, skew = _parts(here)
    hat = here.row_weights * here.contests.design.variances(covariance)
    if kind == "jeffreys":
        return here.contests.design.transposed(hat * (bend - 0.5 * skew))
    mean = here.contests.design.transposed(hat * bend / 2.0)
    if kind == "mean":
        return mean
    cubes = _cubes(here, covariance, here.row_weights * (skew / 6.0 - bend / 2.0))
    return np.asarray(mean + here.expected @ (cubes / np.diag(covariance)))


def _parts(here: ContestPoint) -> tuple[FloatArray, FloatArray]:
    """f'/f and f (1 - 2F) / (F (1 - F)) of each row."""
    up, down = here.link.derivatives(here.eta)[0], here.link.derivatives(-here.eta)[0]
    return here.link.bend(here.eta), up - down  # f/F - f/(1 - F)


def _cubes(here: ContestPoint, covariance: FloatArray, weights: FloatArray) -> FloatArray:
    """sum_r weights_r (X V)_rj^3, float[p]."""
    found = np.zeros(len(covariance))
    for start in range(0, here.contests.design.n_rows, CHUNK):
        part = slice(start, start + CHUNK)
        rows = here.contests.design.projected(covariance, part)
        found += weights[part] @ (rows * rows * rows)  # a power takes ten times as long
    return found
