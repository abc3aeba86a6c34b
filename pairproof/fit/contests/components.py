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

    Examples
    --------
    >>> from pairproof.fit.contests.components import Component
    >>> Component("item", 1.126, 0.261, 21.8, 1.5e-6, 77).sigma
    1.126
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
    reference : str
        What the fixed parameters are against, as the model was fitted: an item, "sum" or "".

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.fit.contests.components import Predicted
    >>> zero = np.zeros(2, dtype=np.int64)
    >>> Predicted(np.zeros(2), np.eye(2), zero, np.arange(2), zero - 1, (), np.zeros(0, np.int64), None).n_effects
    2
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
