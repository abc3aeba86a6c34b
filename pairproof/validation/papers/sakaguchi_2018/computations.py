"""Arithmetic of Sakaguchi and Van Durme (2018): gold scores that are means of whole labels."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING

from ....errors import InputError
from ...claims.printed import Printed
from ...statements.computations import MOST_WHOLE, Computed, Remark, Request, computation

if TYPE_CHECKING:
    import pandas as pd


#: Decimals of a printed number; beyond some 20 they leave the precision of decimal arithmetic.
MOST_DECIMALS = 12
ROUNDINGS = {"half up": ROUND_HALF_UP, "half to even": ROUND_HALF_EVEN}


@computation("mean-labels")
def mean_labels(request: Request) -> Computed:
    """gold.ITEM: the mean of n whole labels from `low` to `high`, on 0 to 100, that lies nearest to what is
    printed.

    A mean of n labels can only be one of n (high - low) + 1 numbers, so most printed numbers could not be one
    (the GRIM test of Brown and Heathers 2017).  Where the nearest does not print so, but the whole column
    comes out once the mean label is rounded first, that is remarked.  args: `item` and `column` of the
    claim's table, `annotations`, `low`, `high`.
    """
    table = request.table_of(request.data)
    n, low, high = request.whole("annotations"), request.whole("low"), request.whole("high")
    if n < 1 or low >= high:
        raise InputError(
            f"annotations = {n}, low = {low}, high = {high}; expected 1 or more annotations, and low below"
            " high"
        )
    steps = n * (high - low)
    printed = _column(table, request.text("item"), request.text("column"))
    nearest = {item: int((value / 100 * steps).to_integral_value()) for item, value in printed.items()}
    found = {f"gold.{item}": 100.0 * k / steps for item, k in nearest.items()}
    rules = [
        (decimals, name)
        for decimals in (2, 3, 4)
        for name in ROUNDINGS
        if all(
            _twice(Decimal(k) / n + low, low, high, decimals, name, printed[item])[1] == printed[item]
            for item, k in nearest.items()
        )
    ]
    remarks = {}
    for item, value in printed.items():
        if rules and Printed.parse(str(value)).verdict(found[f"gold.{item}"]).verdict != "agrees":
            decimals, name = rules[0]
            between, _ = _twice(Decimal(nearest[item]) / n + low, low, high, decimals, name, value)
            remarks[f"gold.{item}"] = Remark(
                "rounded-twice",
                f"the mean of {n} labels is {found[f'gold.{item}']:.4f}; {value} comes out, as"
                f" all {len(printed)} of the column do, if mean labels were first rounded to"
                f" {decimals} decimals, here to {between.normalize()}, and then {name} ({len(rules)} of"
                f" {3 * len(ROUNDINGS)} rules tried)",
            )
    return Computed(native=found, remarks=remarks)


def _column(table: pd.DataFrame, item: str, column: str) -> dict[str, Decimal]:
    """What is printed in a column, by item."""
    for name in (item, column):
        if name not in table.columns:
            raise InputError(f"the table has no column {name!r}; it has {', '.join(map(str, table.columns))}")
    found = {}
    for row, (key, text) in enumerate(zip(table[item], table[column]), start=1):
        try:
            found[key] = Decimal(text)
        except (InvalidOperation, TypeError, ValueError):
            raise InputError(
                f"row {row} of the table, column {column!r}: expected a number, found {str(text)[:40]!r}"
            ) from None
        digits = found[key].as_tuple()
        if (
            not found[key].is_finite()
            or abs(found[key]) > MOST_WHOLE
            or isinstance(digits.exponent, int)
            and digits.exponent < -MOST_DECIMALS
        ):
            raise InputError(
                f"row {row} of the table, column {column!r}: expected a number within {MOST_WHOLE:,} of at"
                f" most {MOST_DECIMALS} decimals, found {str(text)[:40]!r}"
            )
    return found


def _twice(
    mean: Decimal, low: int, high: int, decimals: int, rule: str, like: Decimal
) -> tuple[Decimal, Decimal]:
    """A mean label rounded to so many decimals, on 0 to 100; and that rounded to the places of `like`."""
    label = mean.quantize(Decimal(1).scaleb(-decimals), ROUNDINGS[rule])
    between = 100 * (label - low) / (high - low)
    return between, between.quantize(like, ROUNDINGS[rule])
