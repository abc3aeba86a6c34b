"""What a migrated script imports where R writes or compares numbers in a way of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

#: R's tolerance of all.equal().
NEAR = 1.5e-8


def written(value: Any, digits: int = 7) -> str:
    """A value as R's cat() writes it, with 15 digits as its paste(): 38 and not 38.0, 1e-05, TRUE."""
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if not isinstance(value, (float, np.floating)):
        return str(value)
    return _numbers([float(value)], digits, 0)[0]


def formatted(x: Any, digits: int = 7, nsmall: int = 0, width: int = 0) -> Any:
    """Texts as R's format() makes them: all numbers with the decimals of the one that needs most, of equal width."""
    values = np.atleast_1d(x).tolist()
    floats = all(isinstance(v, float) for v in values)
    texts = _numbers(values, digits, nsmall) if floats else list(map(written, values))
    texts = [text.rjust(max(width, *map(len, texts))) for text in texts]
    if isinstance(x, pd.Series):
        return pd.Series(texts, x.index)
    return texts if np.ndim(x) else texts[0]


def _numbers(values: list[float], digits: int, nsmall: int) -> list[str]:
    """Numbers in the shorter of R's two notations for them all."""
    found = [v for v in values if math.isfinite(v)]
    parts = [f"{v:.{digits - 1}e}".split("e") for v in found]
    powers = [int(power) for _, power in parts]
    sizes = [len(m.rstrip("0").rstrip(".").lstrip("-").replace(".", "")) for m, _ in parts]
    decimals = max([0, *(size - 1 - power for size, power in zip(sizes, powers))])
    fixed = [f"{v + 0.0:.{decimals}f}" for v in found]
    short = [f"{v + 0.0:.{max(sizes) - 1}e}" for v in found]
    if max(map(len, fixed), default=0) <= max(map(len, short), default=0):
        short = [f"{v + 0.0:.{max(decimals, nsmall)}f}" for v in found]
    texts = iter(short)
    words = {True: "Inf", False: "-Inf"}
    return [next(texts) if math.isfinite(v) else "NaN" if v != v else words[v > 0] for v in values]


def all_equal(target: Any, current: Any, tolerance: float = NEAR) -> bool:
    """R's all.equal() of numbers: by the mean difference of those that differ, relative to their mean size."""
    a, b = np.broadcast_arrays(np.asarray(target, float), np.asarray(current, float))
    other = a != b
    if not other.any():
        return True
    size, gap = np.abs(a[other]).mean(), np.abs(a - b)[other].mean()
    return bool(gap <= tolerance * (size if size > tolerance else 1.0))
