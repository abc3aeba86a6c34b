"""One fit beside everybody who was asked for the same numbers: a row a quantity, a column a source, and in the
cell how many digits native shares with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...report.blocks import Block, Bullets, Cell, Column, Folded, Page, Paragraph, Table
from ..verdicts.agreement import Agreement
from . import numbers

#: Rows shown at most in a terminal or a notebook; what is left out is counted, and its fewest digits are
#: shown all the same.
MOST_ROWS = 60
CERTIFIED = "50-digit values"


@dataclass(frozen=True)
class Shared:
    """The digits that native shares with one source.

    enough: as many as its floor asks for.  estimable: false where native has no number.  arrived: false where
    R stopped before its maximum.  given: false where R has NA.
    """

    digits: float | None
    enough: bool = True
    estimable: bool = True
    arrived: bool = True
    given: bool = True

    @property
    def cell(self) -> Cell:
        if not self.given:
            return Cell("NA", tone="off")
        if not self.estimable:
            return Cell("not est.")
        text = numbers.digits(self.digits)
        if self.enough:
            return Cell(text)
        return Cell(f"{text}!", tone="bad") if self.arrived else Cell(f"{text}~", tone="off")


@dataclass(frozen=True)
class SideBySide:
    """Agreements of one fit as a table.

    sources: R calls with how they were reached, and the 50-digit values.  apart: R functions that have the
    model and gave no numbers, and what differs without a number.
    """

    sources: tuple[str, ...]
    rows: tuple[tuple[str, float | None, dict[str, Shared]], ...]
    apart: tuple[Agreement, ...]


def side_by_side(agreements: Sequence[Agreement]) -> SideBySide:
    """Agreements of one fit by quantity and source."""
    rows: dict[str, tuple[float | None, dict[str, Shared]]] = {}
    sources: dict[str, None] = {}
    apart = []
    for a in agreements:
        absent = a.code == "r-has-no-value"
        if a.verdict == "not-run" or (a.r is None and a.certified is None and not absent):
            apart.append(a)
            continue
        native, found = rows.setdefault(a.quantity, (a.native, {}))
        if absent:
            sources.setdefault(numbers.source(a))
            found[numbers.source(a)] = Shared(None, given=False)
        if a.r is not None:
            sources.setdefault(numbers.source(a))
            known = a.digits is not None and not math.isnan(a.digits)
            enough = not known or a.floor is None or (a.digits or 0.0) >= a.floor
            found[numbers.source(a)] = Shared(a.digits, enough, native is not None, a.r_arrived)
        if a.certified is not None:
            found[CERTIFIED] = Shared(a.certified_digits, estimable=native is not None)
    held = [*sources, *([CERTIFIED] if any(CERTIFIED in found for _, found in rows.values()) else [])]
    return SideBySide(tuple(held), tuple((q, n, found) for q, (n, found) in rows.items()), tuple(apart))


def page(
    title: str,
    agreements: Sequence[Agreement],
    lines: Sequence[str],
    notes: Sequence[str],
    rows: int = MOST_ROWS,
    worst_first: bool = False,
) -> Page:
    """The table between the lines that open a report and what was said of how R was asked; with `worst_first`
    rows that lack digits stand above the others.
    """
    table = side_by_side(agreements)
    if worst_first and len(table.rows) > rows:
        table = replace(table, rows=tuple(sorted(table.rows, key=_lacking)))
    return Page(title, list(_blocks(table, lines, notes, rows)))


def _lacking(row: tuple[str, float | None, dict[str, Shared]]) -> bool:
    """Orders rows: False, which is first, where native shares too few digits with a source."""
    return all(shared.enough or not shared.arrived for shared in row[2].values())


def _blocks(table: SideBySide, lines: Sequence[str], notes: Sequence[str], rows: int) -> Iterator[Block]:
    yield Bullets(tuple(lines))
    if table.rows:
        heads = (Column(f"[{k}]") for k in range(1, len(table.sources) + 1))
        yield Table(
            (Column("digits shared with", "left"), Column("native"), *heads),
            tuple(
                (q, numbers.shown(n, q), *(found[s].cell if s in found else Cell("") for s in table.sources))
                for q, n, found in table.rows[:rows]
            ),
        )
        if len(table.rows) > rows:
            left, of = len(table.rows) - rows, len(table.rows)
            yield Paragraph(f"... {left:,} of {of:,} quantities are not shown; to_frame() has them all")
        yield Bullets(tuple(f"[{k}] {s}: {_fewest(table, s)}" for k, s in enumerate(table.sources, 1)))
    alone = [a for a in table.apart if not a.no_record]
    said = [f"{numbers.SIGNS[a.verdict]} {numbers.verdict(a)}: {a.explanation}" for a in alone]
    unrecorded = [a for a in table.apart if a.no_record]
    if unrecorded:
        calls = ", ".join(dict.fromkeys((a.r_call or "").partition(",")[0] for a in unrecorded))
        first = unrecorded[0]
        said.append(
            f"{numbers.SIGNS[first.verdict]} {numbers.verdict(first)}: {calls}: no recorded result for this table;"
            " run them live, or record them with `pairproof record` where R and these packages are installed"
        )
    if said or notes:
        yield Folded("How R was asked", (Bullets((*said, *notes)),), kept=True)


def _fewest(table: SideBySide, source: str) -> str:
    """Fewest digits shared with a source, where, and of how many numbers."""
    found = [(q, cells[source]) for q, _, cells in table.rows if source in cells]
    known = [(shared.digits or 0.0, q) for q, shared in found if shared.estimable and shared.given]
    if not known:
        return "no number of the fit that is estimable"
    least, at = min(known)
    short = sum(not shared.arrived for _, shared in found)
    stopped = f"; {short} of them (~) no check, since R stopped before its maximum" if short else ""
    return f"{len(known)} numbers, at least {numbers.digits(least)} digits ({at}){stopped}"
