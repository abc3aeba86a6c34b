"""Printed numbers of contests that the certified values must print as: `printed.csv`.

A line with a reason in its last column is a number known *not* to come out; that it still does not is tested
too.  Quantities are paths into a certified file ("params.JASA", "null.params.x"), or

    penalised_deviance    deviance - log det I, as brglm prints it
    full_llf              llf with the logarithms of the binomial coefficients; full_null_llf at sigma = 0
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

from tests.certified.printed import Check


def every_line() -> list[Check]:
    """`printed.csv`, line by line."""
    path = Path(__file__).resolve().parent / "printed.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return [Check(*line) for line in list(csv.reader(lines))[1:]]


def value_of(check: Check, fit: dict[str, Any]) -> mpf:
    """The certified value behind a printed number."""
    with mp.workdps(60):
        if check.quantity == "penalised_deviance":
            return fit["deviance"] - 2 * (fit["penalised"] - fit["llf"])
        if check.quantity == "full_llf":
            return fit["llf"] + fit["log_coefficients"]
        if check.quantity == "full_null_llf":
            return fit["null"]["llf"] + fit["log_coefficients"]
        head, _, rest = check.quantity.partition(".")
        found = fit[head]
        for key in rest.split(".") if rest and head == "null" else [rest] if rest else []:
            found = found[key]
        return found
