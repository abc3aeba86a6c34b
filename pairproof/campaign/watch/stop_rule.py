"""The grammar of stopping rules.

::

    items<=W                        every item's interval has a half-width of W or less
    top K within D                  the K best items are told from the rest, or are not worse by more than D
    systems<=W                      every difference of systems has a half-width of W or less
    ranking [within D]              every difference of systems excludes 0, or lies within D of it
    top K systems [within D]        the K best systems are told from the rest

Numbers are on the scale from 0 to 1. A rule and its numbers are to be fixed before the data are seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...errors import InputError

Goal = Literal["short", "top", "ranking"]
Unit = Literal["items", "systems"]
_NUMBER = r"(\d+(?:\.\d*)?|\.\d+)"
_FORMS: tuple[tuple[re.Pattern[str], Goal], ...] = (
    (re.compile(rf"(items|systems)\s*<=\s*{_NUMBER}"), "short"),
    (re.compile(rf"top\s+(\d+)(?:\s+(items|systems))?(?:\s+within\s+{_NUMBER})?"), "top"),
    (re.compile(rf"ranking(?:\s+within\s+{_NUMBER})?"), "ranking"),
)
EXAMPLES = "'items<=.12', 'top 5 within .1', 'systems<=.05', 'ranking within .02', 'top 1 systems'"
#: Judgments of an item, and sources, at which the sequences are shortest if nothing else is planned.
PLANNED: dict[Unit, float] = {"items": 10.0, "systems": 100.0}


@dataclass(frozen=True)
class StopRule:
    """A stopping rule with all its numbers.

    width: half-width of goal short.  top: K of goal top.  within: a difference that does not matter.  alpha:
    probability of a wrong statement: on each item for items<=W, on any item or difference otherwise.
    planned: judgments of an item, or sources, at which the sequences are shortest; with `looks` the most
    sources.  looks: planned looks of a group-sequential study.
    """

    goal: Goal
    unit: Unit
    width: float = 0.0
    top: int = 0
    within: float = 0.0
    alpha: float = 0.05
    planned: float = 10.0
    looks: int | None = None

    def __str__(self) -> str:
        """The rule in its own grammar, the same for the same rule however it was written."""
        if self.goal == "short":
            return f"{self.unit}<={self.width:g}"
        within = f" within {self.within:g}" if self.within else ""
        return f"top {self.top} {self.unit}{within}" if self.goal == "top" else f"ranking{within}"

    @property
    def full(self) -> str:
        """The rule with all its numbers, by which two looks are known to have asked the same."""
        looks = f", O'Brien-Fleming with {self.looks} looks" if self.looks else ""
        return f"{self}; alpha {self.alpha:g}, planned {self.planned:g}{looks}"

    @property
    def meaning(self) -> str:
        """The rule in a sentence."""
        if self.goal == "short":
            what = "item" if self.unit == "items" else "difference of two systems"
            return f"every {what} is known to within {self.width:g}"
        within = f", or not worse by more than {self.within:g}" if self.within else ""
        if self.goal == "top":
            return f"the best {self.top} {self.unit} are told from the rest{within}"
        near = f", or lies within {self.within:g} of it" if self.within else ""
        return f"every difference of two systems excludes 0{near}"


def stop_rule(
    text: str, alpha: float = 0.05, planned: float | None = None, looks: int | None = None
) -> StopRule:
    """Read a stopping rule.

    text: see the module; spaces and case do not matter.  alpha: in (0, 1).  planned: > 0; by default 10
    judgments of an item, or 100 sources.  looks: from 1 to 200; only for systems, and with `planned`.
    """
    plain = text.strip().lower()
    for form, goal in _FORMS:
        found = form.fullmatch(plain)
        if found:
            break
    else:
        raise InputError(f"rule {text!r}: cannot be read; expected one like {EXAMPLES}")
    unit: Unit = "systems"
    width, top, within = 0.0, 0, 0.0
    if goal == "short":
        unit, width = ("items" if found[1] == "items" else "systems"), float(found[2])
        if not 0.0 < width < 1.0:
            raise InputError(
                f"rule {text!r}: half-width {width:g}; expected a number between 0 and 1 (the scale's length is 1)"
            )
    elif goal == "top":
        top, unit = int(found[1]), ("systems" if found[2] == "systems" else "items")
        within = float(found[3] or 0.0)
        if top < 1:
            raise InputError(f"rule {text!r}: top {top}; expected 1 or more")
    else:
        within = float(found[1] or 0.0)
    if not 0.0 <= within < 1.0:
        raise InputError(f"rule {text!r}: within {within:g}; expected a number from 0 to below 1")
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha:g}; expected a number between 0 and 1, such as 0.05")
    if planned is not None and not 0.0 < planned < 1e9:
        raise InputError(f"planned={planned:g}; expected a number of judgments or sources above 0")
    if looks is not None and (unit == "items" or planned is None):
        lacking = "a rule on items has none" if unit == "items" else "it needs the most sources (--planned)"
        raise InputError(
            f"rule {text!r} with {looks} planned looks: {lacking}; leave --looks out, or mend the rule"
        )
    if looks is not None and planned is not None and not 1 <= looks <= min(planned, 200):
        raise InputError(f"looks={looks}; expected 1 to 200, and no more than sources ({planned:g})")
    return StopRule(goal, unit, width, top, within, alpha, planned or PLANNED[unit], looks)
