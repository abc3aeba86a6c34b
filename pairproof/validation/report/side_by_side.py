"""A fit's numbers down, those who were asked for them across: how many digits native shares with each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from ..verdicts.agreement import Agreement
from . import numbers

#: Rows shown at most in a terminal or a notebook; what is left out is counted, and its fewest digits are
#: shown all the same.
MOST_ROWS = 60
CERTIFIED = "50-digit values"


@dataclass(frozen=True)
class Cell:
    """Digits shared, and whether they are enough; "lacking" where only one side has a number; `arrived` False
    where R stopped short.
    """

    digits: float | None
    enough: bool
    lacking: str = ""
    arrived: bool = True

    @property
    def text(self) -> str:
        return self.lacking or numbers.digits(self.digits) + (
            "" if self.enough else "!" if self.arrived else "~"
        )


@dataclass(frozen=True)
class Pivot:
    """Attributes
    ----------
    sources : tuple of str
        R calls with how they were reached, and the 50-digit values.
    rows : tuple of (quantity, native, {source: Cell})
    apart : tuple of Agreement
        R functions that have the model and gave no numbers, and what differs without a number.
    """

    sources: tuple[str, ...]
    rows: tuple[tuple[str, float | None, dict[str, Cell]], ...]
    apart: tuple[Agreement, ...]


def pivot(agreements: Sequence[Agreement]) -> Pivot:
    """Agreements of one fit as a table."""
    rows: dict[str, tuple[float | None, dict[str, Cell]]] = {}
    sources: dict[str, None] = {}
    apart = []
    for a in agreements:
        if a.verdict == "not-run" or (a.r is None and a.certified is None):
            apart.append(a)
            continue
        native, cells = rows.setdefault(a.quantity, (a.native, {}))
        if a.r is not None:
            source = numbers.source(a)
            sources.setdefault(source)
            cells[source] = replace(_cell(a.digits, a.floor, native), arrived=a.r_arrived)
        if a.certified is not None:
            cells[CERTIFIED] = _cell(a.certified_digits, None, native)
    held = [*sources, *([CERTIFIED] if any(CERTIFIED in c for _, c in rows.values()) else [])]
    return Pivot(tuple(held), tuple((q, n, c) for q, (n, c) in rows.items()), tuple(apart))


def _cell(digits: float | None, floor: float | None, native: float | None) -> Cell:
    if native is None:
        return Cell(None, True, "not est.")
    known = digits is not None and not math.isnan(digits)
    return Cell(digits, not known or floor is None or (digits or 0.0) >= floor)


def fewest(table: Pivot, source: str) -> tuple[float, str, int]:
    """Fewest digits shared with a source, where, and of how many numbers."""
    known = [(c[source].digits or 0.0, q) for q, _, c in table.rows if source in c and not c[source].lacking]
    least, at = min(known, default=(math.nan, ""))
    return least, at, len(known)


def text(title: str, table: Pivot, lines: Sequence[str], notes: Sequence[str], rows: int = MOST_ROWS) -> str:
    """The table for a terminal, 100 columns wide up to seven sources."""
    out = [title, *lines, ""]
    if table.rows:
        width = max(9, *(len(q) for q, _, _ in table.rows[:rows]))
        heads = [f"[{k + 1}]" for k in range(len(table.sources))]
        out.append(f"{'':<{width}} {'native':>18} " + " ".join(f"{h:>8}" for h in heads) + "   digits shared")
        for quantity, native, cells in table.rows[:rows]:
            found = " ".join(f"{cells[s].text if s in cells else '':>8}" for s in table.sources)
            out.append(f"{quantity:<{width}} {numbers.shown(native, quantity):>18} {found}".rstrip())
        if len(table.rows) > rows:
            out.append(
                f"... {len(table.rows) - rows:,} of {len(table.rows):,} quantities are not shown; to_frame()"
                " has them all"
            )
        out.append("")
        out += [f"[{k + 1}] {s}: {_fewest(table, s)}" for k, s in enumerate(table.sources)]
    out += [f"  {numbers.SIGNS[a.verdict]} {numbers.verdict(a)}: {a.explanation}" for a in table.apart]
    return "\n".join([*out, *(f"  {n}" for n in notes)])


def _fewest(table: Pivot, source: str) -> str:
    least, at, n = fewest(table, source)
    if not n:
        return "no number of the fit that is estimable"
    short = sum(not c[source].arrived for _, _, c in table.rows if source in c)
    return f"{n} numbers, at least {numbers.digits(least)} digits ({at})" + (
        f"; {short} of them (~) no check, since R stopped before its maximum" if short else ""
    )


def html(title: str, table: Pivot, lines: Sequence[str], notes: Sequence[str], rows: int = MOST_ROWS) -> str:
    """The table for a notebook; everything that comes from the data is escaped."""
    heads = "".join(
        f"<th>{escape(s)}<br>fewest {numbers.digits(fewest(table, s)[0])}</th>" for s in table.sources
    )
    body = []
    for quantity, native, cells in table.rows[:rows]:
        found = "".join(_html_cell(cells.get(s)) for s in table.sources)
        body.append(
            "<tr><th"
            f" style='text-align:left'>{escape(quantity)}</th><td>{numbers.shown(native, quantity)}</td>{found}</tr>"
        )
    left = (
        f"<p>{len(table.rows) - rows:,} more quantities: <code>to_frame()</code></p>"
        if len(table.rows) > rows
        else ""
    )
    said = "".join(f"<li>{escape(line)}</li>" for line in lines)
    under = "".join(f"<li>{escape(f'{a.verdict}: {a.explanation}')}</li>" for a in table.apart)
    under += "".join(f"<li>{escape(n)}</li>" for n in notes)
    grid = f"<table><tr><th></th><th>native</th>{heads}</tr>{''.join(body)}</table>" if table.rows else ""
    return (
        f"<p><b>{escape(title)}</b></p><ul>{said}</ul>{grid}{left}<details><summary>How R was"
        f" asked</summary><ul>{under}</ul></details>"
    )


def _html_cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    style = (
        ""
        if cell.enough
        else " style='color:#b00020;font-weight:bold'"
        if cell.arrived
        else " style='color:#666'"
    )
    return f"<td{style}>{escape(cell.text)}</td>"
