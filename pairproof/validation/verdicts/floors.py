"""Floors: how many digits native and R must agree in, by quantity and R function, from `floors.toml`.

No single tolerance: R's estimates, standard errors and deviances carry very different numbers of right
digits, and prefmod's fitters stop where they stop.  Each floor has a sentence why and, beside it, what was
observed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from ...errors import InputError
from ..claims.quantities import KINDS, kind_of
from .digits import MOST

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CERTIFIED = "certified"
ANY = "*"


@dataclass(frozen=True)
class Floor:
    """Digits of agreement asked for.

    quantity: first part of a quantity's name, as in `quantities.KINDS`.  r_call: R function it holds for
    ("prefmod::llbtPC.fit", "gnm"); "certified" for 50-digit values; "*" for any other R call.  digits: 0 to
    16.  observed: fewest digits seen on the models of the shipped claims.
    """

    quantity: str
    r_call: str
    digits: float
    observed: float
    why: str


@lru_cache(maxsize=1)
def shipped() -> tuple[Floor, ...]:
    """The floors of `floors.toml`, read once."""
    text = resources.files(__package__).joinpath("floors.toml").read_text(encoding="utf-8")
    return read_floors(text)


def read_floors(text: str) -> tuple[Floor, ...]:
    """Floors from TOML text."""
    found: dict[tuple[str, str], Floor] = {}
    for number, row in enumerate(tomllib.loads(text).get("floor", []), 1):
        floor = _floor(row, number)
        key = (floor.quantity, floor.r_call)
        if key in found:
            raise InputError(
                f"floors.toml, floor {number}: {key} has a floor already ({found[key].digits:g} digits)"
            )
        found[key] = floor
    return tuple(found.values())


def _floor(row: dict[str, Any], number: int) -> Floor:
    wanted = {"quantity", "r_call", "digits", "observed", "why"}
    if set(row) != wanted:
        raise InputError(f"floors.toml, floor {number}: keys {sorted(row)}; expected {sorted(wanted)}")
    if row["quantity"] not in KINDS:
        raise InputError(
            f"floors.toml, floor {number}: quantity {row['quantity']!r}; expected one of {', '.join(KINDS)}"
        )
    if not 0 <= row["digits"] <= MOST or not 0 <= row["observed"] <= MOST:
        raise InputError(
            f"floors.toml, floor {number}: digits {row['digits']} and observed {row['observed']} must lie in"
            " 0..16"
        )
    if len(str(row["why"]).split()) < 4:
        raise InputError(
            f"floors.toml, floor {number}: {row['why']!r} is no reason; say in a sentence why this floor"
        )
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


def _stands_in(name: str, call: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", call) is not None
