"""Digits of agreement, the log relative error, elementwise; and floors, how many digits native and R must agree
in.

    digits = -log10( |c - t| / max(|t|, scale) ),  0 <= digits <= 16

c is the computed value, t the one it is compared with, scale the standard error of t where it has one: an
estimate of 1e-9 with a standard error of 0.1 is zero for every purpose, and its relative error says nothing.
Where t and scale are both 0 the error is absolute.  McCullough (1998, The American Statistician 52, 358-366)
with the scale added.  Digits are never averaged: a halved effect hides among 200 good numbers, the minimum
shows it.

Floors are by quantity and R function, from `floors.toml`.  No single tolerance: R's estimates, standard
errors and deviances carry very different numbers of right digits, and prefmod's fitters stop where they stop.
Each floor has a sentence why and, beside it, what was observed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...files.packaged import packaged_text, tomllib
from ...numerics.arrays import FloatArray
from ..claims.quantities import KINDS, kind_of

#: What a double can show; exact equality gives this.
MOST = 16.0


def digits_of_agreement(computed: ArrayLike, truth: ArrayLike, scale: ArrayLike = 0.0) -> FloatArray:
    """Digits in which `computed` and `truth` agree, element by element.  Returns float[...]."""
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


CERTIFIED = "certified"
ANY = "*"


@dataclass(frozen=True)
class Floor:
    """Digits of agreement asked for."""

    quantity: str
    r_call: str
    digits: float
    observed: float
    why: str


@lru_cache(maxsize=1)
def shipped() -> tuple[Floor, ...]:
    """The floors of `floors.toml`, read once."""
    return read_floors(packaged_text(__package__, "floors.toml"))


@lru_cache(maxsize=None)
def certified_floors(name: str) -> tuple[Floor, ...]:
    """The shipped floors, with the 50-digit ones called `name` in the place of those of comparisons."""
    own = [replace(f, r_call=CERTIFIED) for f in shipped() if f.r_call == name]
    return (*own, *(f for f in shipped() if f.r_call not in (CERTIFIED, name)))


def read_floors(text: str) -> tuple[Floor, ...]:
    """Floors from TOML text."""
    found: dict[tuple[str, str], Floor] = {}
    for number, row in enumerate(tomllib.loads(text).get("floor", []), 1):
        floor = _floor(row, number)
        key = (floor.quantity, floor.r_call)
        if key in found:
            there = f"{key} has a floor already ({found[key].digits:g} digits)"
            raise InputError(f"floors.toml, floor {number}: {there}")
        found[key] = floor
    return tuple(found.values())


def _floor(row: dict[str, Any], number: int) -> Floor:
    wanted, where = {"quantity", "r_call", "digits", "observed", "why"}, f"floors.toml, floor {number}"
    if set(row) != wanted:
        raise InputError(f"{where}: keys {sorted(row)}; expected {sorted(wanted)}")
    if row["quantity"] not in KINDS:
        raise InputError(f"{where}: quantity {row['quantity']!r}; expected one of {', '.join(KINDS)}")
    if not 0 <= row["digits"] <= MOST or not 0 <= row["observed"] <= MOST:
        raise InputError(f"{where}: digits {row['digits']} and observed {row['observed']} must lie in 0..16")
    if len(str(row["why"]).split()) < 4:
        raise InputError(f"{where}: {row['why']!r} is not a reason; say in a sentence why this floor")
    return Floor(row["quantity"], row["r_call"], float(row["digits"]), float(row["observed"]), row["why"])


def floor(quantity: str, r_call: str, floors: Sequence[Floor] | None = None) -> Floor:
    """The floor for a quantity ("se.A") and an R call ("stats::glm, refitted from its solution").

    The floor whose `r_call` stands in the call as whole words wins, the longest first; else the one for any
    call.
    """
    kind = kind_of(quantity)
    candidates = [f for f in (shipped() if floors is None else floors) if f.quantity == kind]
    named = [f for f in candidates if f.r_call != ANY and _stands_in(f.r_call, r_call)]
    if named:
        return max(named, key=lambda f: len(f.r_call))
    for f in candidates:
        if f.r_call == ANY and r_call != CERTIFIED:
            return f
    raise InputError(
        f"floors.toml has no floor for {kind!r} from {r_call!r}; add one, with the digits observed and why"
    )


@lru_cache(maxsize=None)
def _stands_in(name: str, call: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", call) is not None
