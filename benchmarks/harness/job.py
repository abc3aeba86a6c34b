"""A job: who is timed on which data, what was promised, and the form in which everybody answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Union

from .data import Data, FloatArray

Language = Literal["python", "r"]


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
        What is timed: from the ready data to estimates, with standard errors where the contender has them.
    answer : function of what `run` returns to Answer
    """

    run: Callable[[], Any]
    answer: Callable[[Any], Answer]


Prepare = Callable[[Data], Ready]
#: A Python contender as a function; "r" for one that serve.R has under that name.
Contender = Union[Prepare, Literal["r"]]


@dataclass(frozen=True)
class Target:
    """What was promised of the job's first contender.

    Attributes
    ----------
    cpu_ms_below : float or None
    times_faster, than : float or None, str
        Than that peer, in CPU time.
    memory_share : float or None
        Of the memory that peer adds, at most this.
    """

    cpu_ms_below: float | None = None
    times_faster: float | None = None
    than: str = ""
    memory_share: float | None = None


@dataclass(frozen=True)
class Job:
    """One data set and those who are timed on it.

    Attributes
    ----------
    name, title : str
    data, tiny : function of no argument to Data
        The tiny data warm up fresh processes, and serve the tests.
    contenders : mapping of name to Contender
        The first is the one that the others are compared with.
    target : Target
    memory_of : tuple of str
        Contenders whose added memory is measured, in a fresh process each.
    not_run : mapping of contender to the reason why it does not take part
    """

    name: str
    title: str
    data: Callable[[], Data]
    tiny: Callable[[], Data]
    contenders: Mapping[str, Contender]
    target: Target = Target()
    memory_of: tuple[str, ...] = ()
    not_run: Mapping[str, str] = field(default_factory=dict)

    @property
    def first(self) -> str:
        return next(iter(self.contenders))

    def language(self, contender: str) -> Language:
        return "r" if self.contenders[contender] == "r" else "python"

    def promises_only(self) -> Job | None:
        """The job with nobody but those that a promise is about; None if there is no promise."""
        if self.target == Target():
            return None
        wanted = {self.first, self.target.than}
        return replace(
            self,
            contenders={name: c for name, c in self.contenders.items() if name in wanted},
            not_run={},
            memory_of=self.memory_of if self.target.memory_share is not None else (),
        )

    def made_tiny(self) -> Job:
        return replace(self, data=self.tiny)


def too_wide(n: str, size: str) -> str:
    """Why a peer with a column for every nuisance parameter does not take part."""
    return f"not run: a column for each of {n} nuisance parameters, {size} of design matrix"
