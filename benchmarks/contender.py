"""What a contender is: something prepared without the clock, run under it, and asked for its numbers
afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .data import Data, FloatArray


class Absent(Exception):
    """The package is not installed here."""


@dataclass(frozen=True, eq=False)
class Answer:
    """Estimates in one order for everybody: items without the reference, term by term, then the tie
    parameter.

    Attributes
    ----------
    estimate : float[n]
        Empty for yardsticks, which fit nothing.
    se : float[n]
        Empty if the contender gives none.
    """

    estimate: FloatArray
    se: FloatArray


@dataclass(frozen=True)
class Ready:
    """A contender with its data in its own form.

    Attributes
    ----------
    run : function of no argument
        What the clock sees: from the ready data to estimates, with standard errors where the contender has
        them.
    answer : function of what `run` returns to Answer
    """

    run: Callable[[], Any]
    answer: Callable[[Any], Answer]


Prepare = Callable[[Data], Ready]
