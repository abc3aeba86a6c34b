"""What a migrated script imports where R writes or compares numbers in a way of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

#: R's tolerance of all.equal().
NEAR = 1.5e-8


def written(value: Any, digits: int = 7) -> str:
    """A value as R's cat() writes it, with 15 digits as its paste(): 38 and not 38.0, 1e-05, TRUE."""
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if not isinstance(value, (float, np.floating)):
        return str(value)
    if not math.isfinite(value):
        return "NaN" if value != value else "Inf" if value > 0 else "-Inf"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    decimals = max(0, len(mantissa.lstrip("-").replace(".", "")) - 1 - int(power))
    fixed, short = f"{value + 0.0:.{decimals}f}", f"{mantissa}e{int(power):+03d}"
    return fixed if len(fixed) <= len(short) else short


def all_equal(target: Any, current: Any, tolerance: float = NEAR) -> bool:
    """R's all.equal() of numbers: by the mean difference of those that differ, relative to their mean size."""
    a, b = np.broadcast_arrays(np.asarray(target, float), np.asarray(current, float))
    other = a != b
    if not other.any():
        return True
    size, gap = np.abs(a[other]).mean(), np.abs(a - b)[other].mean()
    return bool(gap <= tolerance * (size if size > tolerance else 1.0))
