"""How a solver came to its end, as every fit carries it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stopping:
    """How the solver came to its end.

    Attributes
    ----------
    rule : str
        In words; `value` is what it looks at, at the end.
    reached : bool
    steps : int
    value : float
    """

    rule: str
    reached: bool
    steps: int
    value: float
