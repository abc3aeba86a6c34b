"""Factors of an information matrix: positive definite, singular but for rounding, or indefinite.

An indefinite information I is raised to I + c diag(1), c the smallest of 0, 1e-6, 1e-5, ... times its largest
diagonal element with which I + c has a Cholesky factor (Levenberg 1944, Marquardt 1963).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: A pivot of the scaled information below this is a direction that the data do not see.  Such pivots come out
#: near 1e-16; where only the maximum is flat, a last step of rounding alone leads to 2e-12, 1e-11 or 7e-11,
#: by processor (`beta="difference"` of prefmod's immig, OPENBLAS_CORETYPE=Haswell, SkylakeX, Nehalem).  The
#: flattest of the cases tested that have a maximum, ties of two in FRUIT, has 1e-2.
FLAT = 1e-9
#: On the way a step is damped only where it has no direction.
FLAT_ON_THE_WAY = 1e-11


def cholesky_of(information: FloatArray, flat: float = FLAT) -> FloatArray:
    """The lower factor of an information matrix.

    information float[p, p].  flat: the least pivot of the scaled matrix.  Returns float[p, p].
    """
    diagonal = np.diag(information)
    if len(diagonal) and diagonal.min() <= 0:
        raise np.linalg.LinAlgError("not positive definite")
    scale = np.sqrt(diagonal)
    factor = np.linalg.cholesky(information / np.outer(scale, scale))
    if len(scale) and np.diag(factor).min() ** 2 < flat:
        raise np.linalg.LinAlgError("singular")
    return np.asarray(factor * scale[:, None])


def raised_cholesky(information: FloatArray) -> FloatArray:
    """The lower factor of an information matrix, raised until it is positive definite.

    information float[p, p].  Returns float[p, p].
    """
    size = max(float(np.abs(np.diag(information)).max()), 1e-300)
    for ridge in [0.0] + [10.0**k for k in range(-6, 4)]:
        try:
            return cholesky_of(information + ridge * size * np.eye(len(information)), FLAT_ON_THE_WAY)
        except np.linalg.LinAlgError:
            pass
    raise np.linalg.LinAlgError("not positive definite")


def flat_names(information: FloatArray, names: Sequence[str]) -> list[str]:
    """Parameters that a direction without information moves.

    information float[p, p].
    """
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    moves = np.abs(vectors[:, values <= max(FLAT, float(values.min()))]).max(axis=1)
    return [name for name, move in zip(names, moves) if move > 1e-4 * moves.max()]
