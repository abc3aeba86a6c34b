"""Tables of the page on coverage: a row a line of a record, rates with their Monte Carlo errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import markdown

Line = Mapping[str, Any]


def shown(rates: Mapping[str, Any], method: str, low: float = 0.0, high: float = 1.0) -> str:
    """ "0.952 (3)": a rate and its Monte Carlo error in units of the last digit; bold outside [low, high]."""
    if method not in rates:
        return ""
    rate, error = rates[method]["rate"], rates[method]["error"]
    text = f"{rate:.3f} ({max(round(error * 1000), 1)})"
    return text if low <= rate <= high else f"**{text}**"


def table(found: list[Line], heads: Mapping[str, str], low: float = 0.0, high: float = 1.0) -> str:
    """A row a line; `heads` gives a method's column head.  The last column is the number of tables."""
    rows = []
    for one in found:
        rates = one["rates"]
        first = next(m for m in heads if m in rates)
        rows.append((one["name"], *(shown(rates, m, low, high) for m in heads), str(rates[first]["tables"])))
    return markdown(("", *heads.values(), "tables"), rows)
