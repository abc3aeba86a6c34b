"""Which agreements a report lists one by one, under which heading, and which it only counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..agreement import AGREEING, Agreement
from .context import ReportContext


@dataclass(frozen=True)
class Group:
    """The agreements of one claim.

    Attributes
    ----------
    title : str
    paper, claim, where : str
    listed : tuple of Agreement
        Printed numbers, statements, and whatever does not agree.
    beyond : tuple of Agreement
        Numbers that only native and R (or the 50-digit values) have, and that agree.
    """

    title: str
    paper: str
    claim: str
    where: str
    listed: tuple[Agreement, ...]
    beyond: tuple[Agreement, ...]


def groups(agreements: Sequence[Agreement], context: ReportContext) -> list[Group]:
    """Agreements by claim, in order.  Where nothing is printed at all (a fit checked by itself) everything is listed."""
    nothing_printed = all(a.about == "native-r" for a in agreements)
    found = []
    for paper, claim in dict.fromkeys((a.paper, a.claim) for a in agreements):
        rows = [a for a in agreements if (a.paper, a.claim) == (paper, claim)]
        # What did not run, or cannot be settled, is no agreement and must not be counted as one.
        listed = [a for a in rows if nothing_printed or a.about != "native-r" or a.verdict not in AGREEING]
        where = next((a.where for a in rows if a.where), "")
        title = context.titles.get(claim) or claim or "The fit and R"
        found.append(Group(title, paper, claim, where, tuple(listed), tuple(a for a in rows if a not in listed)))
    return found
