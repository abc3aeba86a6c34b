"""Printed numbers of models of whole answers that the certified values must print as: `printed.csv`.

A line with a reason in its last column is a number known *not* to come out; that it still does not is tested
too.  Quantities are paths into a certified file ("params.B", "worth.all.B", "shares.0"), or
`quasi_se.GROUP.ITEM`, the root of a quasi-variance.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

from tests.certified.printed import Check, lookup


def every_line() -> list[Check]:
    """`printed.csv`, line by line."""
    path = Path(__file__).resolve().parent / "printed.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return [Check(*line) for line in list(csv.reader(lines))[1:]]


def value_of(check: Check, fit: dict[str, Any]) -> mpf:
    """The certified value behind a printed number."""
    head, _, rest = check.quantity.partition(".")
    with mp.workdps(60):
        if head == "quasi_se":
            return mp.sqrt(lookup(fit, f"quasi_variances.{rest}"))
        if head in ("shares", "share_errors"):
            return mpf(fit[head][int(rest)])
        return lookup(fit, check.quantity)
