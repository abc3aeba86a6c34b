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

    sigma: standard deviation of the effects.  se: of sigma; nan at 0, and where the data bound sigma from
    below only.  lr: twice the log-likelihood gained over sigma = 0; nan by PQL.  p: of the test of sigma = 0
    on its boundary, P(chi2_1 > lr) / 2 (Self and Liang 1987); 1 where lr is 0.
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

    theta float[K + p]: modes of the K effects, then the p fixed parameters that the data determine.
    covariance float[K + p, K + p]: of theta minus the truth, sigma taken as known.  component int[K]: of each
    effect.  item int[K].  judge int[K]: position in `judges`; -1 for effects of items.  places int[p]: of the
    fixed parameters among the terms of the fit.  means float[K] or None: posterior means, by quadrature.
    reference: what the fixed parameters are against, as the model was fitted: an item, "sum" or "".
    """

    theta: FloatArray
    covariance: FloatArray
    component: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]
    places: IntArray
    means: FloatArray | None
    reference: str = ""

    @property
    def n_effects(self) -> int:
        """K."""
        return len(self.item)
