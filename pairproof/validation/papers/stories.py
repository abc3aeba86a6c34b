"""What a paper's report says in words: the module `story` of its folder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from .folders import shipped

if TYPE_CHECKING:
    from ...bridge.process.policy import Backend
    from ..check import Checker
    from ..report import Story, WorthSeries
    from ..verdicts.agreement import Agreement


class PaperStory(Protocol):
    """The functions of a story module. Each is given the paper's `Checker`, whose fits are made once."""

    def further(self, checker: Checker, backend: Backend) -> list[Agreement]:
        """Agreements that a claims file cannot express, such as a test beside a model, held against R."""

    def story(self, checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
        """Sections of the report; every number in them is computed."""

    def worths(self, checker: Checker) -> tuple[WorthSeries, ...]:
        """The worths that the report draws."""


def story_of(paper: str) -> PaperStory | None:
    """The story in the folder that holds this paper's claims; None if there is none."""
    claims = shipped().get(paper)
    if claims is None or not claims.with_name("story.py").is_file():
        return None
    module: PaperStory = import_module(f".{claims.parent.name}.story", __package__)
    return module
