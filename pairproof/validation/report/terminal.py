"""What a terminal shows of agreements: all of them, or a screen of what was compared and what needs attention;
one fit beside everybody who was asked for the same numbers.

A screen is at most `LINES` lines at the terminal's width.  What fits is shown in full; of more, the counts by
paper and claim, whatever needs attention, and the fewest digits of each source stand there, and what is left
out is counted.  Reports on file, and `--full`, are complete.  Side by side there is a row a quantity, a
column a source, and in the cell how many digits native shares with it.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...report.blocks import Block, Bullets, Cell, Column, Folded, Heading, Page, Paragraph, Table
from ...report.output import render_text
from ..verdicts.agreement import Agreement
from ..verdicts.digits import MOST
from . import notation as numbers
from .context import DigitsRow, ReportContext, digits_rows, opening
from .findings import printed_numbers
from .notation import groups
from .page import digits_table, group_blocks, list_blocks

#: Rows shown at most in a terminal or a notebook; what is left out is counted, and its fewest digits are
#: shown all the same.
MOST_ROWS = 60
CERTIFIED = "50-digit values"


@dataclass(frozen=True)
class Shared:
    """The digits that native shares with one source."""

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
    """Agreements of one fit as a table."""

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


def side_by_side_page(
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
        body: list[tuple[str | Cell, ...]] = []
        for q, n, found in table.rows[:rows]:
            cells = (found[s].cell if s in found else Cell("") for s in table.sources)
            body.append((q, numbers.shown(n, q), *cells))
        yield Table((Column("digits shared with", "left"), Column("native"), *heads), tuple(body))
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
        return "no estimable number of the fit"
    least, at = min(known)
    short = sum(not shared.arrived for _, shared in found)
    stopped = f"; {short} of them (~) are no check because R stopped before the maximum" if short else ""
    return f"{len(known)} number{'s' * (len(known) > 1)}, at least {numbers.digits(least)} digits ({at}){stopped}"


#: Lines of a screen.
LINES = 60
#: Characters of an explanation on a screen.
LONGEST = 220


def full_page(agreements: Sequence[Agreement], context: ReportContext) -> Page:
    """Every number, without the story, the result once more at the end."""
    lines = opening(agreements, context)
    blocks: list[Block] = [Bullets(tuple(lines)), *list_blocks(agreements, len(agreements))]
    for group in groups(agreements, context):
        blocks += group_blocks(group, told=True) if group.listed else []
    rows = digits_rows(agreements)
    if rows:
        blocks += [Heading("Fewest digits of agreement with native"), digits_table(rows)]
    return Page(context.title, [*blocks, Heading(lines[0])])


def screen(
    agreements: Sequence[Agreement],
    context: ReportContext,
    *,
    full: bool = False,
    reports: Sequence[str] = (),
    width: int | None = None,
) -> str:
    """Agreements of claims as text: a screen of them unless `full`."""
    columns = width or shutil.get_terminal_size((100, 24)).columns
    of = partial(_summary_page, agreements, context, reports)
    return _fitting(full_page(agreements, context), of, full, columns, LINES - len(reports))


def fit_screen(
    agreements: Sequence[Agreement],
    context: ReportContext,
    *,
    full: bool = False,
    reports: Sequence[str] = (),
    width: int = 100,
) -> str:
    """Agreements of one fit, as its table beside every source: a screen of it unless `full`."""
    bare = replace(context, first_lines=())
    lines = opening(agreements, bare)
    page = side_by_side_page(context.title, agreements, lines, context.first_lines, rows=len(agreements))
    left = _where(agreements, reports, "and how R was asked")

    def of(most: int) -> Page:
        made = side_by_side_page(context.title, agreements, lines, (), rows=most, worst_first=True)
        return replace(made, blocks=[*made.blocks, Paragraph(left)])

    return _fitting(page, of, full, width, LINES - len(reports))


def _fitting(whole: Page, of: Callable[[int], Page], full: bool, width: int, lines: int) -> str:
    """All of the page if it is wanted or fits into the lines that the names of the reports leave; else the page `of` the
    most entries in each of its lists that fits; with one entry, whatever that takes.
    """
    # Each row of a table takes a line, and to lay out thousands takes seconds.
    if full or sum(len(b.rows) for b in whole.blocks if isinstance(b, Table)) <= lines:
        text = render_text(whole, width=width)
        if full or text.count("\n") <= lines:
            return text
    for most in (*range(40, 10, -3), *range(10, 0, -1)):
        text = render_text(of(most), width=width)
        if text.count("\n") <= lines:
            break
    return text


def _where(agreements: Sequence[Agreement], reports: Sequence[str], also: str = "") -> str:
    """Where everything is that the screen leaves out."""
    what = f"All {len(agreements):,} agreements{f' {also}' if also else ''}"
    if reports:
        return f"{what}: {', '.join(reports)}, or --full."
    return f"{what}: --full prints them, --report FILE.html (.md, .json, .xml) writes them."


def _summary_page(
    agreements: Sequence[Agreement], context: ReportContext, reports: Sequence[str], most: int
) -> Page:
    blocks: list[Block] = [
        Bullets(tuple(opening(agreements, replace(context, first_lines=context.first_lines[:8])))),
        *_compared(agreements, most),
        *list_blocks(agreements, most, LONGEST),
        *_sources(agreements, most),
    ]
    return Page(context.title, [*blocks, Paragraph(_where(agreements, reports))])


def _compared(agreements: Sequence[Agreement], most: int) -> Iterator[Block]:
    """Counts by claim; by paper where there are more claims than `most`."""
    by_claim = list(dict.fromkeys((a.paper, a.claim) for a in agreements))
    one_paper = len({paper for paper, _ in by_claim}) == 1
    keys = [(c or p) if one_paper else f"{p}: {c}" for p, c in by_claim]
    place = dict(zip(by_claim, keys)) if len(by_claim) <= most else {(p, c): p for p, c in by_claim}
    rows: dict[str, list[Agreement]] = {}
    for a in agreements:
        rows.setdefault(place[a.paper, a.claim], []).append(a)
    yield Heading("What was compared")
    counted = map(Column, ("claims", "printed", "statements", "with R", "agree", "other", "open"))
    heads = (Column("claim" if len(by_claim) <= most else "paper", "left"), *counted)
    yield Table(heads, tuple((name, *map(str, _counts(found))) for name, found in rows.items()))


def _counts(found: Sequence[Agreement]) -> tuple[int, ...]:
    agree = sum(a.verdict.startswith("agrees") for a in found)
    stated, of_r = sum(a.about == "statement" for a in found), sum(a.r is not None for a in found)
    first = (len({a.claim for a in found}), len(printed_numbers(found)), stated, of_r)
    return (*first, agree, len(found) - agree, sum(not a.passes for a in found))


def _sources(agreements: Sequence[Agreement], most: int) -> Iterator[Block]:
    """Of each R call and of the 50-digit values the kind of number that is nearest to its floor, the nearest first."""
    nearest: dict[str, tuple[DigitsRow, int]] = {}
    for row in digits_rows(agreements):
        before, n = nearest.get(row.name, (row, 0))
        nearest[row.name] = (min(before, row, key=_margin), n + row.n)
    if not nearest:
        return
    ranked = sorted(nearest.items(), key=lambda item: _margin(item[1][0]))
    yield Heading("Fewest digits of agreement with native, by source, and the required floor")
    yield Table(
        (Column("source", "left"), *map(Column, ("numbers", "digits", "floor")), Column("fewest at", "left")),
        tuple((name, str(n), *row.cells) for name, (row, n) in ranked[:most]),
    )
    if len(ranked) > most:
        left = sum(n for _, (_, n) in ranked[most:])
        yield Paragraph(
            f"... and {len(ranked) - most} more sources, {left:,} numbers, with more digits to spare"
        )


def _margin(row: DigitsRow) -> float:
    """Digits above the floor; what is equal to the last digit, as df are, is not near it."""
    return math.inf if row.least >= MOST else row.least - row.floor
