"""What a linear predictor says of the outcomes: the protocol that engines fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..law import Law
    from ..record import FitRecord

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


class Outcomes(Protocol):
    """What a linear predictor says of the outcomes."""

    def probabilities(self, eta: FloatArray, home: FloatArray, ties: FloatArray) -> FloatArray:
        """float[n, 3]: first preferred, tie, second preferred; nan where eta is nan.

        `home` is 1 where the item named first has its advantage; `ties`, float[q], are the tie parameters.
        """

    def unit_derivatives(self, eta: FloatArray, possible: BoolArray) -> tuple[FloatArray, FloatArray] | None:
        """As :func:`pairproof.fit.robust.scores.units` gives them for the logit; None: they are those."""

    def law(self, fit: FitRecord) -> Law:
        """The likelihood of one win, tie or loss in each row; asked of ties with a shift or a scale."""
