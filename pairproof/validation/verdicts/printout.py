"""The printed numbers of one claim, and what must be known to relate them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...fit.spec import ModelSpec
from ..claims.printed import Printed
from ..claims.quantities import kind_of
from .interval import How, Interval

#: Kinds that are whole numbers and never rounded.
_WHOLE = ("df_resid", "df_null", "lr_df")


class NotPrinted(LookupError):
    """A relation needs a number that is not printed."""


@dataclass(frozen=True)
class Printout:
    """The printed numbers of one claim, and what must be known to relate them.

    unit: log worth per unit of an item's estimate.
    """

    numbers: Mapping[str, Printed]
    items: tuple[str, ...]
    unit: float
    spec: ModelSpec
    tie_category: bool
    sided: int = 2
    alpha: float = 0.05

    def interval(self, name: str, how: How = "rounded") -> Interval | None:
        """The printed interval; 0 for a reference that is not printed; None if it is not there."""
        if name in self.numbers:
            printed = self.numbers[name]
            if kind_of(name) in _WHOLE and printed.value is not None and printed.unit is not None:
                return Interval(float(printed.value), float(printed.value))
            return Interval.of(printed, how)
        reference = self.spec.reference
        if reference and name == f"estimate.{reference}" and not self.spec.by:
            return Interval(0.0, 0.0)
        return None

    def estimates(self, how: How = "rounded") -> dict[str, Interval] | None:
        """Every item's estimate, or None if one is not printed."""
        if self.spec.by or self.spec.item_terms:
            return None
        numbers = PrintedAs(self, how)
        try:
            return {i: numbers[f"estimate.{i}"] for i in self.items}
        except NotPrinted:
            return None


@dataclass(frozen=True)
class PrintedAs:
    """The intervals of a printout if its numbers were made shorter in one way."""

    printout: Printout
    how: How

    def __contains__(self, name: str) -> bool:
        return self.printout.interval(name, self.how) is not None

    def __getitem__(self, name: str) -> Interval:
        found = self.printout.interval(name, self.how)
        if found is None:
            raise NotPrinted(name)
        return found
