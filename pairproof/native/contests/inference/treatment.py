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

    reason: why there is no fit; "" if there is one.  abilities, se float[n_items]: log-odds against the
    reference item; nan where there is no estimate.  llf, aic: nan where it cannot be compared.  observed,
    fitted: share of ties; nan without a model of ties.  lr, df, p: test against Davidson's model; nan where
    it is not nested.
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
