"""What a paper's report says in words, and what is checked of it beyond its claims file: one module a paper.

A module has three functions, each given the paper's `Checker`, whose fits are made once and shared:

``further(checker, backend)``     agreements that a claims file cannot express (a test beside a model, held
                                  against R)
``story(checker, agreements)``    sections of the report, every number in them computed
``worths(checker)``               what is drawn
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...bridge.process.policy import Backend
    from ..check import Checker
    from ..report import Story, WorthSeries
    from ..verdicts.agreement import Agreement

#: Paper -> module here.
_MODULES = {"dras-2015": "dras_2015", "hopkins-may-2013": "hopkins_may_2013", "vilar-2007": "vilar_2007"}


class PaperStory(Protocol):
    """What a module of this folder offers."""

    def further(self, checker: Checker, backend: Backend) -> list[Agreement]:
        ...

    def story(self, checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
        ...

    def worths(self, checker: Checker) -> tuple[WorthSeries, ...]:
        ...


def story_of(paper: str) -> PaperStory | None:
    """The module of a paper; None if it has no story."""
    if paper not in _MODULES:
        return None
    module: PaperStory = import_module(f".{_MODULES[paper]}.story", __package__)
    return module
