"""Digits of agreement: the log relative error, elementwise.

    digits = -log10( |c - t| / max(|t|, scale) ),  0 <= digits <= 16

c is the computed value, t the one it is held against, scale the standard error of t where it has one: an
estimate of 1e-9 with a standard error of 0.1 is zero for every purpose, and its relative error says nothing.
Where t and scale are both 0 the error is absolute.  McCullough (1998, The American Statistician 52, 358-366)
with the scale added.  Digits are never averaged: a halved effect hides among 200 good numbers, the minimum
shows it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: What a double can show; exact equality gives this.
MOST = 16.0


def digits_of_agreement(computed: ArrayLike, truth: ArrayLike, scale: ArrayLike = 0.0) -> NDArray[np.float64]:
    """Digits in which `computed` and `truth` agree, element by element.

    computed, truth: nan means that there is no value.  scale: standard error of `truth`, >= 0; 0 or nan where
    it has none.  Returns float[...]: 0 to 16; 16 if equal; 0 if only one of the two has a value (a lost
    quantity never passes); nan if neither has.
    """
    c, t = np.asarray(computed, float), np.asarray(truth, float)
    s = np.nan_to_num(np.asarray(scale, float), nan=0.0, posinf=0.0)
    c, t, s = np.broadcast_arrays(c, t, s)
    size = np.maximum(np.abs(t), np.abs(s))
    with np.errstate(all="ignore"):
        error = np.abs(c - t) / np.where(size > 0, size, 1.0)
        found = np.clip(-np.log10(error), 0.0, MOST)
    found = np.where(c == t, MOST, found)
    missing_c, missing_t = np.isnan(c), np.isnan(t)
    found = np.where(missing_c ^ missing_t, 0.0, np.where(missing_c & missing_t, np.nan, found))
    # inf against a number, or against -inf, has an error of inf or nan.
    return np.where(np.isnan(found) & ~(missing_c & missing_t), 0.0, found)


class Worst(NamedTuple):
    """The quantity that agrees least, and its digits."""

    quantity: str
    digits: float


def worst(digits: Mapping[str, float]) -> Worst | None:
    """The minimum, by name; None if there is nothing with digits (nan: neither side has a value)."""
    known = {name: d for name, d in digits.items() if not math.isnan(d)}
    if not known:
        return None
    name = min(known, key=lambda n: known[n])
    return Worst(name, known[name])
