"""Variance components, and predicted random effects beside the fixed parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Component:
    """A variance component.

    Attributes
    ----------
    name : {"item", "item:judge"}
    sigma : float
        Standard deviation of the effects.
    se : float
        Of sigma; nan at 0, and where the data bound sigma from below only.
    lr : float
        Twice the log-likelihood gained over sigma = 0; nan by PQL.
    p : float
        Of the test of sigma = 0 on its boundary, P(chi2_1 > lr) / 2 (Self and Liang 1987); 1 where lr is 0.
    n_effects : int
    """

    name: str
    sigma: float
    se: float
    lr: float
    p: float
    n_effects: int


@dataclass(frozen=True, eq=False)
class Predicted:
    """Effects and fixed parameters together.

    Attributes
    ----------
    theta : float[K + p]
        Modes of the K effects, then the p fixed parameters that the data determine.
    covariance : float[K + p, K + p]
        Of theta minus the truth, sigma taken as known.
    component : int[K]
        Of each effect.
    item : int[K]
    judge : int[K]
        Position in `judges`; -1 for effects of items.
    judges : tuple of str
    places : int[p]
        Of the fixed parameters among the terms of the fit.
    means : float[K] or None
        Posterior means, by quadrature.
    """

    theta: FloatArray
    covariance: FloatArray
    component: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]
    places: IntArray
    means: FloatArray | None

    @property
    def n_effects(self) -> int:
        """K."""
        return len(self.item)
