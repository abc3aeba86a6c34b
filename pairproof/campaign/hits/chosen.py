"""A batch of HITs as it was chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Batch:
    """A batch of HITs.

    Attributes
    ----------
    campaign : str
    number : int
        From 1.
    per_hit : int
    columns : tuple of str
        The items' columns except `id`.
    hits : tuple of tuple of (id, cells)
        HIT k + 1 is entry k; items in the order of presentation.
    unanswered : int
        Number of HITs of earlier batches without any judgment.
    """

    campaign: str
    number: int
    per_hit: int
    columns: tuple[str, ...]
    hits: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
    unanswered: int = 0
