"""What is read of a table of respondents by those that describe it, change it, or cut it into comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from ..columns import Column, FloatArray, IntArray
from ..where import Narrowed
from .codes import Kind


class Table(Protocol):
    """The parts of :class:`pairproof.data.respondents.Respondents`, which explains them."""

    @property
    def items(self) -> tuple[str, ...]:
        ...

    @property
    def kind(self) -> Kind:
        ...

    @property
    def answers(self) -> IntArray:
        ...

    @property
    def tie_category(self) -> bool:
        ...

    @property
    def scale(self) -> tuple[float, ...]:
        ...

    @property
    def times(self) -> tuple[str, ...]:
        ...

    @property
    def weights(self) -> FloatArray:
        ...

    @property
    def columns(self) -> Mapping[str, Column]:
        ...

    @property
    def item_data(self) -> Mapping[str, Column]:
        ...

    @property
    def source(self) -> str:
        ...

    @property
    def own_names(self) -> Mapping[str, str]:
        ...

    @property
    def narrowed(self) -> Narrowed | None:
        ...

    @property
    def one_track(self) -> bool:
        ...

    @property
    def pair_answers(self) -> IntArray:
        ...

    @property
    def presented(self) -> NDArray[Any]:
        ...


#: The arguments of `Respondents.build` that make a table.
Parts = dict[str, Any]


def parts_of(table: Table, **changes: Any) -> Parts:
    """The arguments of `Respondents.build` that make this table again, with some of them changed."""
    names = (
        "items kind answers tie_category scale weights columns item_data source own_names narrowed one_track"
    ).split()
    times = table.times if len(table.times) > 1 else ()
    return {**{name: getattr(table, name) for name in names}, "times": times, **changes}
