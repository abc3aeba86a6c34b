"""The numbers of a leaderboard, by their names in a claim whose scale is "elo".

=============================  ====================================================================================
``estimate.A``, ``se.A``       rating of item A in points, and its standard error
``low.A``, ``high.A``          its limits at the claim's level
``rank_low.A``, ``rank_high.A``  the ranks that A may have, for all items simultaneously at that level
``votes.A``                    votes on A; also ``wins``, ``losses`` and ``ties``
=============================  ====================================================================================

All other numbers are those of the fit, in log-odds (``estimate.order``, ``deviance``).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from ...text import named
from .paper import ModelClaim
from .quantities import OF_BOARD, Quantity

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.many.comparison_results import RankSets

_RATINGS = {"estimate": "rating", "se": "se", "low": "low", "high": "high"}
_RANKS = {"rank_low": "low", "rank_high": "high"}


class BoardNumbers:
    """The numbers of one fit to one table as a board, each worked out when it is asked for."""

    def __init__(self, fit: Fit, table: Comparisons, model: ModelClaim) -> None:
        self._fit, self._table, self._model = fit, table, model
        self._level = float(model.level or "0.95")

    def has(self, q: Quantity) -> bool:
        """Whether the quantity is one of a board, and not of the fit in log-odds."""
        return q.kind in (*_RANKS, *OF_BOARD) or q.kind in _RATINGS and q.name in self._fit.items

    def value(self, q: Quantity) -> float:
        """The number; nan where an item has none."""
        if q.name not in self._fit.items:
            raise InputError(f"{str(q)!r}: no item {q.name!r}; there are {named(self._fit.items)}")
        place = self._fit.items.index(q.name)
        if q.kind in _RATINGS:
            return float(self._ratings[_RATINGS[q.kind]].iloc[place])
        if q.kind in _RANKS:
            return float(getattr(self._ranks, _RANKS[q.kind])[place])
        return float(self._counts[q.kind][self._table.items.index(q.name)])

    def error(self, q: Quantity) -> float:
        """The standard error of the item's rating, for a number in points; nan for others."""
        return (
            self.value(q.of("se")) if q.kind in ("estimate", "low", "high") and self.has(q) else float("nan")
        )

    @cached_property
    def _ratings(self) -> pd.DataFrame:
        at = 1000.0 if self._model.at is None else self._model.at
        on = self._fit.on_scale(
            "elo", anchor=self._model.anchor or None, at=at, expected=self._model.expected or "ability"
        )
        return on.to_frame(1.0 - self._level)

    @cached_property
    def _ranks(self) -> RankSets:
        return self._fit.ranks(level=self._level)

    @cached_property
    def _counts(self) -> dict[str, np.ndarray]:
        table, n = self._table, len(self._table.items)
        sides = {
            "wins": (table.wins, table.losses),
            "losses": (table.losses, table.wins),
            "ties": (table.ties, table.ties),
        }
        sides["votes"] = (table.row_weights, table.row_weights)
        return {
            kind: np.bincount(table.first, of_first, n) + np.bincount(table.second, of_second, n)
            for kind, (of_first, of_second) in sides.items()
        }
