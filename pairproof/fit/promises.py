"""What verbs of a fit take and give back that rooms above make: comparisons with R, bootstraps.

A room above `fit` fills these protocols (`validation.verify`, `native.inference.bootstrap`); nothing here imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, Union

import pandas as pd

from ..numerics.arrays import FloatArray

#: A parameter by name, two items, or weights of parameters.
Function = Union[str, Sequence[str], Mapping[str, float]]
#: What can be bootstrapped: a kind of quantities, a function of parameters, or a function of a Fit.
Asked = Union[str, Function, Callable[[Any], Any]]


class AsksR(Protocol):
    """How R is asked: `pairproof.bridge.Backend`, or one of its modes by name."""

    @property
    def mode(self) -> str | None:
        """ "live", "recorded", "both", "none", or None for live where it can be."""


BackendLike = Union[AsksR, Literal["live", "recorded", "both", "none"], None]


class FloorLike(Protocol):
    """Digits of agreement asked for of a quantity."""

    @property
    def quantity(self) -> str:
        """First part of its name."""

    @property
    def r_call(self) -> str:
        """The R function it holds for."""

    @property
    def digits(self) -> float:
        """0 to 16."""


class Verified(Protocol):
    """The numbers of a fit beside R's: `pairproof.validation.Verification`."""

    @property
    def agreements(self) -> Sequence[Any]:
        """One for each number."""

    @property
    def compared(self) -> int:
        """How many numbers were compared with R or with 50-digit values."""

    @property
    def agrees(self) -> bool:
        """Something was compared, nothing needs attention, and what was required did run."""

    @property
    def exit_code(self) -> Literal[0, 1, 2, 3, 130]:
        """0 done, 1 something differs, 2 something did not run, 3 not understood, 130 interrupted."""

    def __len__(self) -> int:
        """How many agreements."""

    def __iter__(self) -> Iterator[Any]:
        """The agreements."""

    def to_frame(self) -> pd.DataFrame:
        """One row an agreement."""

    def screen(self, full: bool = False, reports: Sequence[str] = ()) -> str:
        """What a command prints."""


class Resampled(Protocol):
    """Replicates of quantities of a fit: `pairproof.bootstrap`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the quantities."""

    @property
    def estimate(self) -> FloatArray:
        """float[q]: from the table itself."""

    @property
    def replicates(self) -> FloatArray:
        """float[R, q]."""

    @property
    def seed(self) -> int:
        """With it the same replicates are drawn again."""

    @property
    def n_replicates(self) -> int:
        """R."""

    @property
    def n_failed(self) -> int:
        """Replicates without a fit."""

    @property
    def n_separated(self) -> int:
        """Replicates in which some parameter is infinite."""

    @property
    def se(self) -> pd.Series[float]:
        """Standard deviations, by name."""

    def cov(self) -> pd.DataFrame:
        """Covariance, by name."""

    def conf_int(
        self,
        level: float = 0.95,
        method: Literal["percentile", "bca", "studentized", "normal", "basic"] = "percentile",
        names: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Confidence limits: low, high by name."""

    def p_best(self) -> pd.Series[float]:
        """Share of the replicates in which each item is the best."""

    def rank_distribution(self) -> pd.DataFrame:
        """Shares of the replicates in which each item has each rank."""

    def rank_intervals(self, level: float = 0.95) -> pd.DataFrame:
        """Percentile intervals of the ranks."""

    def to_frame(self) -> pd.DataFrame:
        """The replicates, one row each."""

    def summary(self, level: float = 0.95, rows: int = 60) -> str:
        """As text."""

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """As JSON, without the replicates."""
