"""Latent classes of `pairproof fit-answers`: shares, other numbers of classes, the test of one more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...fit.shown.text import number
from ...report.blocks import Block, Bullets, Table
from ..state import plain

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.answers.classes import ClassFit


NUMBERS = (
    *("classes", "log-likelihood", "parameters", "AIC", "BIC"),
    *("smallest share", "starts at the best"),
)


@dataclass(frozen=True, eq=False)
class Mixed:
    """What is shown of latent classes beside the fit.

    Attributes
    ----------
    fit : ClassFit
    numbers : DataFrame or None
        Fits of 1, 2, ... classes.
    test : ClassTest or None
        The bootstrap test against one class more.
    """

    fit: ClassFit
    numbers: pd.DataFrame | None
    test: Any

    def document(self) -> dict[str, Any]:
        """Keys of the JSON: `class_numbers` and `class_test`, where they were asked for."""
        out: dict[str, Any] = {}
        if self.numbers is not None:
            out["class_numbers"] = plain(self.numbers.to_dict("records"))
        if self.test is not None:
            out["class_test"] = {
                "classes": self.fit.n_classes,
                "ratio": float(self.test.ratio),
                "p": float(self.test.p),
                "samples": len(self.test.ratios),
                "failed": int(self.test.failed),
            }
        return out

    def blocks(self, shares: bool = True) -> Iterator[Block]:
        """Shares with their intervals, which the summary has too; the numbers of classes, the test."""
        if shares:
            yield self._shares()
        if self.numbers is not None:
            yield Table(
                NUMBERS,
                tuple(_row(row) for row in self.numbers.itertuples(index=False)),
                "Numbers of classes",
            )
        if self.test is not None:
            yield Bullets((str(self.test),))

    def _shares(self) -> Table:
        heads = ("class", "share", "se", "2.5 %", "97.5 %", "persons")
        frame = self.fit.class_table()[["class", "share", "se", "low", "high", "persons"]]
        rows = tuple(
            (str(row[0]), *(number(float(value)) for value in row[1:]))
            for row in frame.itertuples(index=False)
        )
        return Table(heads, rows, "Shares of the classes")


def _row(row: Any) -> tuple[str, ...]:
    return (
        str(row.classes),
        f"{row.llf:.4f}",
        str(row.parameters),
        f"{row.aic:.4f}",
        f"{row.bic:.4f}",
        f"{row.smallest_share:.3f}",
        str(row.starts_at_best),
    )
