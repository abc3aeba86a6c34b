"""Arithmetic of Sakaguchi and Van Durme (2018): gold scores that are means of whole labels."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from ..printed import Printed
from . import Computed, Request


ROUNDINGS = {"half up": ROUND_HALF_UP, "half to even": ROUND_HALF_EVEN}


def mean_labels(request: Request) -> Computed:
    """gold.ITEM: the mean of n whole labels from `low` to `high`, on 0 to 100, that lies nearest to what is printed.

    A mean of n labels can only be one of n (high - low) + 1 numbers, so most printed numbers could not be one (the
    GRIM test of Brown and Heathers 2017).  Where the nearest does not print so, but the whole column comes out once the mean
    label is rounded first, that is remarked.  args: `item` and `column` of the claim's table, `annotations`, `low`, `high`.
    """
    args = request.args
    table = request.table_of(request.data)
    n, low, high = int(args["annotations"]), int(args["low"]), int(args["high"])
    steps = n * (high - low)
    printed = dict(zip(table[args["item"]], map(Decimal, table[args["column"]])))
    nearest = {item: int((value / 100 * steps).to_integral_value()) for item, value in printed.items()}
    found = {f"gold.{item}": 100.0 * k / steps for item, k in nearest.items()}
    rules = [(decimals, name) for decimals in (2, 3, 4) for name in ROUNDINGS if all(
        _twice(Decimal(k) / n + low, low, high, decimals, name, printed[item])[1] == printed[item] for item, k in nearest.items())]
    remarks = {}
    for item, value in printed.items():
        if rules and Printed.parse(str(value)).verdict(found[f"gold.{item}"]).verdict != "agrees":
            decimals, name = rules[0]
            between, _ = _twice(Decimal(nearest[item]) / n + low, low, high, decimals, name, value)
            remarks[f"gold.{item}"] = (
                f"rounded-twice: the mean of {n} labels is {found[f'gold.{item}']:.4f}; {value} comes out, as all {len(printed)} of the column do, if "
                f"mean labels were first rounded to {decimals} decimals, here to {between.normalize()}, and then {name} ({len(rules)} of "
                f"{3 * len(ROUNDINGS)} rules tried)")
    return Computed(native=found, remarks=remarks)


def _twice(mean: Decimal, low: int, high: int, decimals: int, rule: str, like: Decimal) -> tuple[Decimal, Decimal]:
    """A mean label rounded to so many decimals, on 0 to 100; and that rounded to the places of `like`."""
    label = mean.quantize(Decimal(1).scaleb(-decimals), ROUNDINGS[rule])
    between = 100 * (label - low) / (high - low)
    return between, between.quantize(like, ROUNDINGS[rule])
