"""The agreements of each claim: which a report lists one by one, and which it only counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..claims.quantities import kind_of
from ..verdicts.agreement import AGREEING, Agreement
from .context import ReportContext


@dataclass(frozen=True)
class Group:
    """The agreements of one claim.

    listed: printed numbers, statements, whatever does not agree, and what is judged in words (by Monte Carlo
    error) and not in digits.  beyond: numbers that only native and R (or the 50-digit values) have, and that
    agree.  arithmetic: printed numbers that fit each other.
    """

    title: str
    paper: str
    claim: str
    where: str
    listed: tuple[Agreement, ...]
    beyond: tuple[Agreement, ...]
    arithmetic: tuple[Agreement, ...] = ()

    @property
    def fit_each_other(self) -> str:
        """ "and 12 printed numbers fit those printed beside them (z, p, win_totals)"; "" if none was checked
        so.
        """
        n = len(self.arithmetic)
        kinds = dict.fromkeys(kind_of(a.quantity.name) for a in self.arithmetic)
        return (
            f"and {n} check{'s' if n > 1 else ''} of the printed numbers against each other"
            f" hold{'' if n > 1 else 's'} ({', '.join(kinds)})"
            if n
            else ""
        )


def groups(agreements: Sequence[Agreement], context: ReportContext) -> list[Group]:
    """Agreements by claim, in their order.  For a fit that is checked by itself, where nothing is printed, all of
    them are listed.
    """
    nothing_printed = all(a.about == "native-r" for a in agreements)
    found = []
    for paper, claim in dict.fromkeys((a.paper, a.claim) for a in agreements):
        rows = [a for a in agreements if (a.paper, a.claim) == (paper, claim)]
        # What did not run, or cannot be settled, is no agreement and must not be counted as one.
        listed = [
            a
            for a in rows
            if nothing_printed
            or a.about not in ("native-r", "arithmetic")
            or a.verdict not in AGREEING
            or _in_words(a)
        ]
        where = next((a.where for a in rows if a.where), "")
        title = context.titles.get(claim) or claim or "The fit and R"
        rest = [a for a in rows if a not in listed]
        found.append(
            Group(
                title,
                paper,
                claim,
                where,
                tuple(listed),
                tuple(a for a in rest if a.about != "arithmetic"),
                tuple(a for a in rest if a.about == "arithmetic"),
            )
        )
    return found


def _in_words(a: Agreement) -> bool:
    """Whether it was compared with R, but not in digits: the result then stands in its explanation, which must
    be shown.
    """
    return a.r is not None and a.digits is None
