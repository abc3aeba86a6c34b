"""`read_printed`: the numbers of a page, each with the quantity and the name that it stands under.

Columns are known by their headings, and what is not looked at is named.  Names are those of the page:
:mod:`.beside` finds the items of the data that they mean.
"""

from __future__ import annotations

import csv
import math
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...errors import InputError
from ...files.inputs import decoded, read_file
from ...text import label, listed, named, quoted
from ..claims.paper import PrintedQuantity
from ..claims.printed import Printed
from ..claims.quantities import Quantity, check_name
from ..verdicts.arithmetic import Interval
from .cells import (
    COMMAS,
    OF_REFERENCE,
    ONE,
    STARS,
    ZERO,
    after_plus_minus,
    holds_numbers,
    is_name,
    parts_of,
    printed_number,
    with_df,
)
from .forms import LONG, NOTES, NUMBER, VECTOR, Grid, grids
from .headings import (
    HEADINGS,
    LINES,
    OF_FIT,
    OF_LOG10,
    OF_ONE_SIDE,
    OF_POINTS,
    OF_ROBUST,
    OF_T,
    OF_WALD,
    PROGRAMS,
    UNREAD,
    kind_among,
    kind_of_heading,
)
from .marks import OF_MARKS, fits_z, legend_of, with_marks

#: Characters of a page (ten thousand rows have fewer), and of a line with a number of the whole fit.
MOST_CHARACTERS, MOST_OF_FIT = 1024**2, 200


@dataclass(frozen=True)
class Limits:
    """A number of a row, and the limits that stand beside it; ratio: symmetric in logarithms, if at all."""

    name: str
    value: Printed
    low: Printed
    high: Printed
    ratio: bool


@dataclass(frozen=True)
class PrintedTable:
    """The numbers of one table of a page, in its order.

    items: the names that rows have.  without: names of rows without a number, or with an estimate of 0, as references
    have.  model: what the page states of the model.  sentences: what was read, and how.  others: columns and lines of
    which nothing is read.  to_be_named: which columns a caller should name, and how.  nan: kinds and rows of cells with
    "NaN".  bad: cells that are not one number, with their text and why.  unmatched: numbers of rows that are no item of
    the data, each with why.  of_t: whether p-values and limits are of Student's t.  sided: 1 where the heading says that
    p-values are one-sided; else 0.  relative: whether worths are relative to one of them, and no shares.  whole: whether
    it is output of a program that prints all parameters.  errors: the heading of standard errors that says that they are
    not the model's.  limits: those of rows that have both.  legend: what its marks of significance mean, if there are
    any.  eliminated: covariates whose levels have nuisance constants of their own in a gnm.  paper, claim: of a CSV that
    names them.
    """

    numbers: tuple[PrintedQuantity, ...]
    program: str = ""
    sentences: tuple[str, ...] = ()
    model: Mapping[str, Any] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    to_be_named: str = ""
    nan: tuple[tuple[str, str], ...] = ()
    bad: tuple[tuple[Quantity, str, str], ...] = ()
    unmatched: tuple[tuple[PrintedQuantity, str], ...] = ()
    of_t: bool = False
    sided: int = 0
    relative: bool = False
    whole: bool = False
    errors: str = ""
    limits: tuple[Limits, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    eliminated: tuple[str, ...] = ()
    source: str = ""
    paper: str = ""
    claim: str = ""

    def but_for(self, unread: str) -> PrintedTable:
        """The table, of which this was not read as well."""
        return replace(self, to_be_named="; ".join(filter(None, (self.to_be_named, unread))))


def read_printed(text: str, source: str, columns: Mapping[str, str] = MappingProxyType({})) -> PrintedTable:
    """The one table of a page; :func:`read_tables` reads several.

    text: what was pasted, or the text of a file.  source: its name, which messages say.  columns: the heading under
    which a kind of number stands, where two could be it: ``{"estimate": "Model 2"}``.
    """
    found = read_tables(text, source, columns)
    if len(found) > 1:
        where = named(f"line {min(q.line for q in t.numbers)}: {_of(t.numbers, 'number')}" for t in found)
        raise InputError(
            f"{source}: {len(found)} tables of numbers ({where}); expected one: put each in a separate file"
        )
    return found[0]


def read_tables(
    text: str, source: str, columns: Mapping[str, str] = MappingProxyType({})
) -> tuple[PrintedTable, ...]:
    """The tables of a page: another begins where a quantity would stand twice."""
    source = label(source)
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"{source}: {len(text):,} characters; a page of numbers may have at most {MOST_CHARACTERS:,}: keep only the table"
        )
    if not text.strip():
        raise InputError(f"{source}: the file is empty; expected a table with headings, or program output")
    try:
        form, tables = grids(text, source)
    except csv.Error as error:
        raise InputError(f"{source}: no readable table: {error}; is a closing quote missing?") from error
    if tables and {heading.casefold() for heading in tables[0].headings} >= set(LONG):
        return _long(tables[0], source)
    program = next((p for p in PROGRAMS if re.search(p["sign"], text, re.I | re.M)), {})
    of_lines = list(_of_lines(text, program, source)) if form == "text" else []
    pages: list[list[_Columns]] = []
    legend = legend_of(text)
    for found in (_Columns(grid, source, columns, program, legend) for grid in tables):
        before = {q.quantity.kind for other in pages[-1] for q in other.numbers} if pages else set()
        if pages and not before & {q.quantity.kind for q in found.numbers}:
            pages[-1].append(found)
        elif found.numbers:
            pages.append([found])
    starts = [0, *(page[0].grid.rows[0][0] for page in pages[1:]), len(text)]
    read = []
    for page, start, end in zip(pages or [[]], starts, starts[1:]):
        own = [q for q in of_lines if start <= q.line < end]
        read.append(_table(page, own, program, f"{source}: {form}", source))
    if of_gnm := re.search(r"eliminate = [\w.]+[:*]([\w.:*]+)", text):
        read = [replace(table, eliminated=tuple(re.split("[:*]", of_gnm[1]))) for table in read]
    loose = form == "text" and not any(pages) and len(re.findall(rf"(?m)^ *[A-Z]\S* +{NUMBER}", text)) > 1
    if loose and of_lines:
        read[0] = read[0].but_for("only numbers of the whole fit were read: no line of headings was found")
    heads = [" ".join(of) for of in UNREAD.findall(text)] if form == "text" else []
    if heads:
        were = f"{_of(heads, 'number')} of the whole fit {'were' if len(heads) > 1 else 'was'} not read: {named(heads)}"
        read[0] = read[0].but_for(were)
    if not any(table.numbers for table in read):
        headings = [heading for grid in tables for heading in grid.headings if heading]
        unread = next((grid.unread[0] for grid in tables if grid.unread), "")
        if unread and any(map(kind_of_heading, headings)):
            raise InputError(
                f"{source}: headings of numbers were found ({listed(headings)}), but no row below them can be read: {unread};"
                " each row must have a name and one number under each heading"
            )
        raise InputError(
            f"{source}: {form} without a known kind of number; headings found: {listed(headings) or 'none'};"
            " expected headings such as Estimate, Std. Error, z, p, 95% CI, worth, rating, wins"
            + " (--heading estimate=HEADING tells which column is which)" * (len(headings) > 1)
        )
    return tuple(read)


def tables_of(path: str, columns: Mapping[str, str]) -> tuple[PrintedTable, ...]:
    """The tables of a file."""
    raw = read_file(Path(path), "a printed table or program output", most=4 * MOST_CHARACTERS)
    return read_tables(decoded(raw, path), path, columns)


def _table(
    page: Sequence[_Columns],
    of_lines: Sequence[PrintedQuantity],
    program: Mapping[str, Any],
    what: str,
    source: str,
) -> PrintedTable:
    numbers: dict[str, PrintedQuantity] = {}
    for q in (*(q for columns in page for q in columns.numbers), *of_lines):
        if q.quantity.kind not in program.get("without", ()):
            numbers.setdefault(q.quantity, q)
    others = [label(other) for columns in page for other in columns.others()]
    of_fit = [f"{q.quantity} {q.printed.text}" for q in numbers.values() if not q.quantity.name]
    said = [f"{what} of {program['name']}" if program else what]
    said += [label(columns.said()) for columns in page if columns.names]
    said += [f"for the whole fit: {', '.join(of_fit)}"] * bool(of_fit)
    said += [f"not checked: {named(others)}"] * bool(others)
    if nan := [f"{kind} of {label(name)}" for columns in page for kind, name in columns.nan]:
        said.append(f"not checked: {named(nan)}: NaN is not a number")
    points = {"scale": "elo"} if any(columns.on_points for columns in page) else {}
    level = next((columns.level for columns in page if columns.level), "")
    points |= {"level": level} if points and level else {}
    said += [f"limits and ranks at level {level}, as their heading says"] * ("level" in points)
    if any(columns.of_log10 for columns in page):
        points = {"scale": "any"}
        said.append("logarithms to another base than e: a free factor is looked for (scale any)")
    if any(columns.relative for columns in page):
        said.append("worths are relative to one of them: their sum is free")
    if any(columns.unsaid for columns in page):
        kinds = {q.quantity.kind for q in numbers.values()}
        what = "standard errors" if "se" in kinds else "halves of 95 % intervals"
        said.append(
            f"numbers after a plus-minus are read as {what}; a heading such as 'rating (SE)' or 'rating (95% CI)' says which"
        )
    said += ["p-values are one-sided, as their heading says"] * any(columns.one_sided for columns in page)
    return PrintedTable(
        tuple(numbers.values()),
        program.get("name", ""),
        tuple(said),
        {**program.get("states", {}), **points},
        items=tuple(dict.fromkeys(name for columns in page for name in columns.names)),
        without=tuple(name for columns in page for name in columns.without),
        others=tuple(others),
        to_be_named="; ".join(dict.fromkeys(filter(None, (columns.to_be_named() for columns in page)))),
        nan=tuple(of for columns in page for of in columns.nan),
        bad=tuple(cell for columns in page for cell in columns.bad),
        of_t=any(columns.of_t for columns in page),
        legend=next((dict(columns.legend) for columns in page if columns.marks and columns.legend), {}),
        limits=tuple(limits for columns in page for limits in columns.limits),
        relative=any(columns.relative for columns in page),
        whole=any(q.quantity == "df_null" for q in of_lines),
        errors=next((columns.robust for columns in page if columns.robust), ""),
        sided=1 if any(columns.one_sided for columns in page) else 0,
        source=source,
    )


class _Columns:
    """The numbers of a grid, by the meaning of its columns."""

    def __init__(
        self,
        grid: Grid,
        source: str,
        asked: Mapping[str, str],
        program: Mapping[str, Any],
        legend: Mapping[str, str],
    ) -> None:
        self.grid, self.source, self.program = grid, source, program
        self.numbers, self.unread = list[PrintedQuantity](), [*grid.unread]
        self.nan = list[tuple[str, str]]()
        self.names, self.without = dict[str, None](), dict[str, None]()
        self.relative = self.unsaid = False
        self.marks, self.legend = dict[str, str](), legend
        self.bad, self.lines = list[tuple[Quantity, str, str]](), dict[str, tuple[int, Sequence[str]]]()
        self.of_names = self._names()
        self.kinds = self._kinds(asked)
        of_estimates = [grid.headings[k].casefold() for k, kind in self.kinds.items() if kind == "estimate"]
        self.of_log10 = any(map(OF_LOG10.search, of_estimates))
        of_limits = [grid.headings[k] for k, kind in self.kinds.items() if kind in ("interval", "estimate")]
        stated = [m[1] for heading in of_limits if (m := re.search(r"(\d\d(?:\.\d+)?) ?%", heading))]
        self.level = f"{Decimal(stated[0]) / 100}" if stated and stated[0] != "95" else ""
        self.on_points = any(OF_POINTS.fullmatch(heading) for heading in of_estimates)
        of_errors = (grid.headings[k] for k, kind in self.kinds.items() if kind == "se")
        self.robust = next((heading for heading in of_errors if OF_ROBUST.search(heading.casefold())), "")
        for line, cells in grid.rows:
            self._row(line, cells)
        for q, _, why in self.bad:
            of_kind = ("low",) if q.kind == "interval" else (q.kind,)
            none = not any(other.quantity.kind in of_kind for other in self.numbers)
            if none or len(self.bad) > len(self.numbers):
                raise InputError(f"{source}, {why}")
        self._as_whole()
        self._at_level()
        self._errors_of_z()
        self._as_worths()
        self._of_wald()
        self._of_exp()
        self.limits = self._limits()
        self._without_estimates()
        self._as_shares()
        if self.marks and self.numbers and "worth" not in self.kinds.values():
            marked = with_marks(self.numbers, self.marks, legend, {*self.without})
            self.numbers, self.legend, unread = marked
            self.unread += unread

    def _at_level(self) -> None:
        """What "n.s." says: p is above 0.05, or above the largest of the bounds where the column has these alone."""
        own = [q.printed for q in self.numbers if q.quantity.kind == "p"]
        bounds = [p.value for p in own if p.relation in ("<", "<=") and p.value is not None]
        alone = bounds and not any(p.unit is not None for p in own)
        level = min(max(bounds), Decimal("0.05")) if alone else Decimal("0.05")
        above = Printed.parse(f"> {level}")
        self.numbers = [
            replace(q, printed=replace(above, text="n.s.")) if q.printed.text == "ns" else q
            for q in self.numbers
        ]

    def _errors_of_z(self) -> None:
        """Take a column of which no heading is known as the standard errors, if z or p follow from it in all rows but one."""
        kinds = {*self.kinds.values()}
        if "estimate" not in kinds or "se" in kinds or not kinds & {"z", "p"}:
            return
        rows = {
            n: row
            for n, row in self._rows().items()
            if "z" in row or row.get("p", Interval(-math.inf, 1)).low > 0
        }
        for k in {*range(len(self.grid.headings))} - {*self.kinds, self.of_names}:
            texts = {n: cells[k].strip("() ") for n, (_, cells) in self.lines.items() if n in rows}
            errors = {n: Printed.parse(text) for n, text in texts.items() if re.fullmatch(NUMBER, text)}
            fit = [n for n, se in errors.items() if fits_z({**rows[n], "se": Interval.of(se)})]
            if len(fit) > 2 and len(fit) >= len(rows) - 1:
                self.kinds[k] = "se"
                self.numbers += [
                    PrintedQuantity(Quantity("se", name=n), se, self.lines[n][0]) for n, se in errors.items()
                ]
                return

    def _as_whole(self) -> None:
        """Read ".0" as no digit where every number of a column ends so: a program wrote whole numbers as doubles."""
        for kind in {*self.kinds.values()} - {"df"}:
            own = [q for q in self.numbers if q.quantity.kind == kind and not ZERO.fullmatch(q.printed.text)]
            if len(own) > 2 and all(re.fullmatch(r"[-+]?\d+\.0+", q.printed.text) for q in own):
                whole = {
                    q.quantity: replace(Printed.parse(q.printed.text.partition(".")[0]), text=q.printed.text)
                    for q in own
                }
                self.numbers = [replace(q, printed=whole.get(q.quantity, q.printed)) for q in self.numbers]

    def _names(self) -> int:
        """The column of names: one that is called so, the first without a heading, or the first of words."""
        headings = self.grid.headings
        known = [k for k, heading in enumerate(headings) if kind_of_heading(heading) == "items"]
        unknown = [k for k, heading in enumerate(headings) if not kind_of_heading(heading)]
        words = [k for k in unknown if any(is_name(cells[k]) for _, cells in self.grid.rows)]
        return (*known, *([0] if headings[:1] == ("",) else words), -1)[0]

    def _kinds(self, asked: Mapping[str, str]) -> dict[int, str]:
        """The kind of each column that is known; of one that is asked for, that which was named."""
        headings, found = self.grid.headings, dict[int, str]()
        for kind, name in asked.items():
            here = [k for k, heading in enumerate(headings) if heading.casefold() == name.casefold()]
            if kind not in HEADINGS or len(here) != 1:
                raise InputError(
                    f"{self.source}: --heading {kind}={name}: {len(here)} columns have this heading; headings:"
                    f" {listed(headings)}" + f"; kinds are {', '.join(HEADINGS)}" * (kind not in HEADINGS)
                )
            found[here[0]] = kind
        for k, heading in enumerate(headings):
            kind = "estimate" if heading == VECTOR else kind_of_heading(heading)
            kind = "chi2" if not kind and OF_WALD.fullmatch(heading) else kind
            if kind and k not in found and kind not in ("items", *asked) and k != self.of_names:
                found[k] = kind
        self.of_t = "df" in asked or any(
            kind in ("z", "p") and OF_T.fullmatch(headings[k].casefold()) for k, kind in found.items()
        )
        of_p = [headings[k].casefold() for k, kind in found.items() if kind == "p"]
        self.one_sided = any(map(OF_ONE_SIDE.search, of_p))
        # W, L, T are counts; the df of a chi-square statistic is not that of a t.
        counts = {"wins", "losses"} <= set(found.values())
        left_out = ("z",) * (self.of_t and counts) + ("df",) * (not self.of_t or counts)
        robust = {k for k, kind in found.items() if kind == "se" and OF_ROBUST.search(headings[k].casefold())}
        if len(robust) < [*found.values()].count("se") and "se" not in asked:
            found = {k: kind for k, kind in found.items() if k not in robust}
        found = {k: kind for k, kind in found.items() if kind not in left_out or kind in asked}
        self.of_t &= not counts
        for kind in found.values():
            twice = [headings[k] for k, of in found.items() if of == kind]
            if len(twice) > len({heading.casefold() for heading in twice}):
                raise InputError(
                    f"{self.source}: several columns have the heading {quoted(twice[0])}, so that none can be chosen; give each its"
                    " own heading, or leave out those that are not to be checked"
                )
            if len(twice) > 1:
                raise InputError(
                    f"{self.source}: the columns {listed(twice)} could all be of kind {kind}; choose one with --heading"
                    f" {kind}={twice[0]}"
                )
        return dict(sorted(found.items()))

    def _row(self, line: int, cells: Sequence[str]) -> None:
        name = " ".join(cells[self.of_names].split()) if self.of_names >= 0 else ""
        is_reference, name = bool(OF_REFERENCE.search(name)), OF_REFERENCE.sub("", name)
        of_fit = kind_among(OF_FIT, name)
        if NOTES.fullmatch(name) and sum(map(bool, cells)) == 2 < len(cells):
            self.unread.append(f"line {line}: {' '.join(filter(None, cells))}")
            return
        if of_fit:
            texts = [c for k, c in enumerate(cells) if k != self.of_names and re.match(NUMBER, c)]
            found = with_df(of_fit, texts[0]) if texts else []
        elif name in self.names:
            once = f"{quoted(name)} appears in several rows; each name may appear only once"
            raise InputError(f"{self.source}: {once}")
        elif name or self.names:
            found = [part for k, kind in self.kinds.items() for part in self._cell(k, kind, cells)]
        else:
            return
        if self.on_points:  # 1,068 of a rating is no decimal comma
            found = [(kind, re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)) for kind, text in found]
        estimates = [text for kind, text in found if kind in ("estimate", "worth")]
        if name and not of_fit:
            self.names[name], self.lines[name] = None, (line, cells)
            of_one = [kind for kind, _ in found] == ["exp"] and ONE.fullmatch(found[0][1])
            if not found or is_reference or of_one or estimates and ZERO.fullmatch(estimates[0]):
                self.without[name] = None
                found = [
                    part for part in found if part[0] in ("estimate", "exp") or not ZERO.fullmatch(part[1])
                ]
        owner = name or next(reversed(self.names))
        marked = (
            cells[k]
            for k, kind in self.kinds.items()
            if kind in OF_MARKS and (kind == "p" or re.search(r"\d", cells[k]))
        )
        stars = [s[0] for cell in marked if (s := STARS.search(cell))]
        if stars and not of_fit:
            self.marks.setdefault(owner, stars[0].replace(" ", ""))
        value = next((text for kind, text in found if kind in ("estimate", "worth", "exp")), "")
        for kind, text in found:
            if kind in ("minus", "plus"):
                self._distance(kind, value, text, owner, line)
                continue
            quantity = Quantity(kind) if of_fit else Quantity(kind, "all" * (kind == "worth"), owner)
            try:
                printed = printed_number(kind, text, f"line {line}, {quoted(owner)}, {kind}")
                self.numbers.append(PrintedQuantity(quantity, printed, line))
            except InputError as error:
                self.bad.append((quantity, text, str(error)))

    def _distance(self, kind: str, value: str, text: str, owner: str, line: int) -> None:
        """A limit that is printed as its distance from the number of the row."""
        where, limit = f"{self.source}, line {line}, {quoted(owner)}", "low" if kind == "minus" else "high"
        if not value:
            self.unread.append(f"row {quoted(owner)}: {text} is a distance from a number that was not read")
            return
        a, b = (printed_number("estimate", cell, where) for cell in (value, text))
        made = a.plus(b, -1 if (kind == "minus") == (not text.startswith("-")) else 1)
        self.numbers.append(PrintedQuantity(Quantity(limit, name=owner), made, line))

    def _cell(self, k: int, kind: str, cells: Sequence[str]) -> list[tuple[str, str]]:
        """The kinds and texts of the numbers in a cell; of one that is none, that it was not read."""
        cell, heading, name = cells[k].strip(), self.grid.headings[k], " ".join(cells[self.of_names].split())
        if kind == "interval" and self.grid.headings[k + 1 : k + 2] == ("",) and re.fullmatch(NUMBER, cell):
            return [("low", cell), ("high", cells[k + 1])]
        if cell.casefold() == "nan":
            self.nan.append((kind, name))
        found = parts_of(cell, kind, heading)
        self.unsaid |= (
            bool(found) and "\u00b1" in cell and kind != "interval" and after_plus_minus(heading) == ""
        )
        if found is None:
            where = f"row {quoted(name)}, column {heading!r}"
            if re.search(r"\d", cell):
                what = f"printed {quoted(cell)} is not one number{COMMAS * (',' in cell)}"
                self.bad.append((Quantity(kind, "all" * (kind == "worth"), name), cell, f"{where}: {what}"))
            else:
                self.unread.append(f"{where}: {quoted(cell)} is not a number and was ignored")
        return found or []

    def _as_worths(self) -> None:
        """Numbers between 0 and 1 that sum to 1 are worths, whatever their heading, and so are some programs' estimates."""
        values = [q.printed for q in self.numbers if q.quantity.kind == "estimate"]
        known = [v.value for v in values if v.value is not None]
        unit = max((v.unit for v in values if v.unit is not None), default=Decimal(1))
        between = len(known) > 2 and all(0 < v < 1 for v in known)
        of_one = between and abs(sum(known, Decimal(-1))) <= unit * len(known) / 2
        of_one |= _of_hundred(values) and len(known) > 2
        if of_one or self.program.get("estimates") == "worth":
            self.kinds = {k: "worth" if kind == "estimate" else kind for k, kind in self.kinds.items()}
            self._rename("estimate", "worth")

    def _as_shares(self) -> None:
        """Worths in per cent as shares; those of which one is 1 or more are relative to one of them."""
        worths = [q for q in self.numbers if q.quantity.kind == "worth"]
        headings = [self.grid.headings[k] for k, kind in self.kinds.items() if kind == "worth"]
        known = [q.printed for q in worths]
        if _of_hundred(known) or any("%" in heading for heading in headings) and len(known) > 1:
            own = [
                q
                for q in self.numbers
                if q.quantity.kind in ("worth", "worth_se") and "%" not in q.printed.text
            ]
            shares = {q.quantity: Printed.parse(f"{q.printed.text}%") for q in own}
            self.numbers = [replace(q, printed=shares.get(q.quantity, q.printed)) for q in self.numbers]
        elif len(known) > 1 and all(p.value is not None for p in known):
            self.relative = max(p.value for p in known if p.value is not None) >= 1

    def _limits(self) -> tuple[Limits, ...]:
        of = {(q.quantity.kind, q.quantity.name): q.printed for q in self.numbers if q.quantity.name}
        kind = next((k for k in ("estimate", "worth", "exp") if k in self.kinds.values()), "")
        found = []
        for name in self.names:
            for kinds in ((kind, "low", "high"), ("exp", "exp_low", "exp_high")):
                value, low, high = (of.get((k, name)) for k in kinds)
                if value and low and high:
                    found.append(Limits(name, value, low, high, kinds[0] != "estimate"))
        return tuple(found)

    def _of_wald(self) -> None:
        """What stands under "Wald" is z or its square: as estimates, errors and p of its rows say; else it is not read."""
        if not any(
            kind == "chi2" and OF_WALD.fullmatch(self.grid.headings[k]) for k, kind in self.kinds.items()
        ):
            return
        rows = [row for row in self._rows().values() if "chi2" in row]
        as_z = sum(fits_z(row, row["chi2"]) for row in rows)
        as_square = sum(fits_z(row, row["chi2"].root()) for row in rows)
        if as_z > as_square or any(row["chi2"].high < 0 for row in rows):
            self._becomes({"chi2": "z"})
        elif as_z == as_square:
            self._drop(("chi2",))

    def _of_exp(self) -> None:
        """Limits and standard errors that are those of the exponentials beside them."""
        rows = [row for row in self._rows().values() if "exp" in row]
        both = [row for row in rows if {"low", "high"} <= row.keys()]
        alone = "estimate" not in self.kinds.values()

        def between(kind: str, row: Mapping[str, Interval]) -> bool:
            return kind in row and row["low"].low <= row[kind].high and row[kind].low <= row["high"].high

        if both and (
            alone or sum(between("exp", r) for r in both) > sum(between("estimate", r) for r in both)
        ):
            self._becomes({"low": "exp_low", "high": "exp_high"})
        if not rows or not alone:
            return
        errors = [row for row in rows if "se" in row and row["exp"].low > 0]
        as_delta = [row for row in errors if fits_z(_of_logarithm(row, row["se"].over(row["exp"])))]
        as_log = [row for row in errors if fits_z(_of_logarithm(row, row["se"]))]
        if len(as_delta) > len(as_log):
            self._becomes({"se": "exp_se"})
        elif len(as_log) <= len(as_delta):
            self._drop(("se",))

    def _rows(self) -> dict[str, dict[str, Interval]]:
        """The numbers of each row by kind."""
        found: dict[str, dict[str, Interval]] = {name: {} for name in self.names}
        for q in self.numbers:
            found.get(q.quantity.name, {})[q.quantity.kind] = Interval.of(q.printed)
        return found

    def _becomes(self, other: Mapping[str, str]) -> None:
        """Call numbers what they are of by what is beside them."""
        self.numbers = [
            replace(q, quantity=q.quantity.of(other.get(q.quantity.kind, q.quantity.kind)))
            for q in self.numbers
        ]
        self.kinds = {k: other.get(kind, kind) for k, kind in self.kinds.items()}

    def _drop(self, kinds: Collection[str]) -> None:
        self.numbers = [q for q in self.numbers if q.quantity.kind not in kinds]
        self.kinds = {k: kind for k, kind in self.kinds.items() if kind not in kinds}

    def _rename(self, kind: str, other: str) -> None:
        """Call the numbers of a kind those of a kind that is of all judges."""
        self.numbers = [
            replace(q, quantity=Quantity(other, "all", q.quantity.name)) if q.quantity.kind == kind else q
            for q in self.numbers
        ]

    def _without_estimates(self) -> None:
        """Drop what is next to worths alone: their limits and z, which have no name."""
        if "estimate" not in self.kinds.values() and "worth" in self.kinds.values():
            self._rename("se", "worth_se")
            self._drop(("low", "high", "interval", "z", "chi2", "p"))

    def said(self) -> str:
        """What was read under which heading."""
        headings = [(kind, self.grid.headings[k]) for k, kind in self.kinds.items()]
        where = (f"{k} {'below its name' if h == VECTOR else 'under ' + quoted(h)}" for k, h in headings)
        return f"{_of(self.names, 'row')} from line {self.grid.rows[0][0]}: {', '.join(where)}"

    def _used(self) -> set[int]:
        """The columns that are read; the df of a Wald chi-square is 1 and says nothing."""
        of_ones = (k for k, heading in enumerate(self.grid.headings) if kind_of_heading(heading) == "df")
        of_chi2 = of_ones if "chi2" in self.kinds.values() else ()
        ones = {k for k in of_chi2 if all(cells[k] in ("", "0", "1") for _, cells in self.grid.rows)}
        return {*self.kinds, self.of_names, *ones}

    def others(self) -> list[str]:
        """Columns and lines of which nothing is read."""
        used = self._used()
        unused = [f"column {h}" for k, h in enumerate(self.grid.headings) if h and k not in used]
        return unused + self.unread

    def to_be_named(self) -> str:
        """Which columns of numbers are not read, and how to name them where those are missing that others follow from;
        "" if all are read.
        """
        kinds, read = set(self.kinds.values()), self._used()
        of_z = kinds & {"z", "p"}
        missing = [
            kind
            for kind, beside in (
                ("estimate", of_z or kinds & {"se", "low", "high", "interval"}),
                ("se", of_z),
            )
            if beside and not kinds & {kind, "worth", "exp"}
        ]
        columns = [
            heading
            for k, heading in enumerate(self.grid.headings)
            if heading and k not in read and any(holds_numbers(cells[k]) for _, cells in self.grid.rows)
        ]
        n = len(columns)
        if not columns:
            return ""
        how = " ".join(
            f"--heading {shlex.quote(f'{kind}={column}')}" for kind, column in zip(missing, columns)
        )
        were = "columns of numbers were not read" if n > 1 else "column of numbers was not read"
        if not missing:
            return f"{n} {were}: {label(named(columns))}"
        no = f"no column is known as {' or '.join(missing)}"
        return f"{n} {were}: {label(named(columns))}; {no}: name them, as with {label(how)}"


def _of_logarithm(row: Mapping[str, Interval], se: Interval) -> Mapping[str, Interval]:
    """A row of an exponential as one of its logarithm with this standard error."""
    return {**row, "estimate": row["exp"].log(), "se": se}


def _of_hundred(values: Sequence[Printed]) -> bool:
    """Whether the numbers are positive and sum to 100 within their rounding, and none says that it is a share."""
    known = [p.value for p in values if p.value is not None and p.value > 0 and "%" not in p.text]
    unit = max((p.unit for p in values if p.unit is not None), default=Decimal(1))
    return len(known) == len(values) > 1 and abs(sum(known, Decimal(-100))) <= unit * len(known) / 2


def _of(many: Sized, word: str) -> str:
    return f"{len(many)} {word}{'s' * (len(many) != 1)}"


def _of_lines(text: str, program: Mapping[str, Any], source: str) -> Iterator[PrintedQuantity]:
    """The numbers of the whole fit that stand in lines of program output."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if len(line) < MOST_OF_FIT]
    for n, line in lines:
        for form, kinds in LINES:
            match = re.search(form, line, re.IGNORECASE)
            for kind, printed in zip(kinds, match.groups() if match else ()):
                if printed is None:
                    continue
                name = "aic_glm" if kind == "aic" and program.get("aic_of_glm") else kind
                number = printed_number(name, printed, f"{source}, line {n}")
                yield PrintedQuantity(Quantity(name), number, n)


def _long(grid: Grid, source: str) -> tuple[PrintedTable, ...]:
    """The claims of a CSV with a number in each row."""
    headings = [heading.casefold() for heading in grid.headings]
    found: dict[tuple[str, str], dict[str, PrintedQuantity]] = {}
    for line, cells in grid.rows:
        row = {"paper": "", "claim": "", **dict(zip(headings, cells))}
        paper, claim, item, where = row["paper"], row["claim"], row["item"], f"{source}, line {line}"
        numbers = found.setdefault((paper, claim), {})
        try:
            check_name(row["quantity"])
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        for name, text in with_df(row["quantity"], row["printed"]):
            group = "all" if name in ("worth", "worth_se") else ""
            quantity = Quantity(name, group, item) if item else Quantity.parse(name)
            if quantity in numbers:
                raise InputError(f"{where}: {quoted(str(quantity))} of claim {quoted(claim)} appears twice")
            numbers[quantity] = PrintedQuantity(quantity, printed_number(name, text, where), line)
    if not found:
        raise InputError(f"{source}: no rows below the headings; expected a printed number in each")
    known = (*LONG, "paper", "claim")
    others = tuple(f"column {label(h)}" for h in grid.headings if h.casefold() not in known)
    tables = []
    for (paper, claim), numbers in found.items():
        of_items = [q for q in numbers.values() if q.quantity.name]
        zeros = [q for q in of_items if q.printed.value == 0 and q.quantity.kind == "estimate"]
        said = f"{source}: {_of(numbers, 'number')} of claim {label(f'{paper} {claim}'.strip() or '1')}"
        table = PrintedTable(tuple(numbers.values()), sentences=(said,), others=others, source=source)
        items = tuple(dict.fromkeys(q.quantity.name for q in of_items))
        without = tuple(q.quantity.name for q in zeros)
        tables.append(replace(table, items=items, without=without, paper=paper, claim=claim))
    return tuple(tables)
