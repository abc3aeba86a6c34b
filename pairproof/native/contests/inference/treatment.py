"""What one treatment of ties says of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....fit.fit import Fit

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Treatment:
    """What one treatment of ties says.

    Attributes
    ----------
    name : str
    fit : Fit or None
    reason : str
        Why there is no fit; "" if there is one.
    abilities, se : float[n_items]
        Log-odds against the reference item; nan where there is no estimate.
    llf, aic : float
        nan where it cannot be compared.
    observed, fitted : float
        Share of ties; nan without a model of ties.
    lr, df, p : float
        Test against Davidson's model; nan where it is not nested.
    """

    name: str
    fit: Fit | None
    reason: str
    abilities: FloatArray
    se: FloatArray
    llf: float
    aic: float
    observed: float
    fitted: float
    lr: float = float("nan")
    df: float = float("nan")
    p: float = float("nan")
