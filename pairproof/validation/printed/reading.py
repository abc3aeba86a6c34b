"""`read_printed`: the numbers of a page, each with the quantity and the name that it stands under.

Columns are known by their headings, and what is not looked at is named.  Names are those of the page:
:mod:`.models` finds the items of the data that they mean.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from ...errors import InputError
from ...text import label, listed, named, quoted, shortened
from ..claims.paper import PrintedQuantity
from ..claims.printed import Printed
from ..claims.quantities import OF_BOARD, Quantity, check_name
from .forms import MISSING, NUMBER, Grid, grids
from .headings import HEADINGS, OF_FIT, OF_POINTS, PROGRAMS, SCALARS, kind_of_heading

#: Characters of a page: a table of ten thousand rows has fewer.
MOST_CHARACTERS = 1024**2
#: Digits of a number that a program wrote with all of a double's: more than differ between machines.
DIGITS, ALL_DIGITS = 10, 13
#: Columns of one CSV that holds the numbers of several papers or claims.
LONG = ("quantity", "item", "printed")
#: Degrees of freedom of a statistic.
DF_OF = {"deviance": "df_resid", "null_deviance": "df_null"}
#: Programs whose AIC has the constants of R's glm.
_AIC_OF_GLM = ("BradleyTerry2", "gnm", "R's glm (Poisson)", "R's glm")
_PARTS = re.compile(
    rf"(?P<value>[<>=\u2264\u2265]* *{NUMBER})?[*^\u2020\u2021\u00a7 ]*"
    rf"(?:[(\[]\s*(?P<a>{NUMBER})(?:\s*(?:[,;]|\bto\b)?\s*(?P<b>{NUMBER}))?\s*[)\]])?[*^\u2020\u2021\u00a7 .]*"
)


@dataclass(frozen=True)
class PrintedTable:
    """The numbers of one table of a page, in its order.

    items: the names that rows have.  without: names of rows without a number, or with an estimate of 0, as references
    have.  model: what the page states of the model.  sentences: what was read, and how.  others: columns and lines of
    which nothing is read.
    """

    numbers: tuple[PrintedQuantity, ...]
    program: str = ""
    sentences: tuple[str, ...] = ()
    model: Mapping[str, Any] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    source: str = ""
    paper: str = ""
    claim: str = ""


def read_printed(text: str, source: str, columns: Mapping[str, str] = MappingProxyType({})) -> PrintedTable:
    """The one table of a page; :func:`read_tables` reads several.

    text: what was pasted, or the text of a file.  source: its name, which messages say.  columns: the heading under
    which a kind of number stands, where two could be it: ``{"estimate": "Model 2"}``.
    """
    found = read_tables(text, source, columns)
    if len(found) > 1:
        raise InputError(
            f"{source}: {len(found)} tables of numbers ({named(_what(t) for t in found)}); expected one: put each in a"
            " file of its own"
        )
    return found[0]


def read_tables(
    text: str, source: str, columns: Mapping[str, str] = MappingProxyType({})
) -> tuple[PrintedTable, ...]:
    """The tables of a page: another begins where a quantity would stand twice."""
    source = label(source)
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"{source}: {len(text):,} characters; a page of numbers has at most {MOST_CHARACTERS:,}: keep only the table"
        )
    if not text.strip():
        raise InputError(
            f"{source}: the file is empty; expected a table with a line of headings, or program output"
        )
    try:
        form, tables = grids(text, source)
    except csv.Error as error:
        raise InputError(
            f"{source}: not a readable table: {error}; look for a quote that is not closed"
        ) from error
    if tables and {heading.casefold() for heading in tables[0].headings} >= set(LONG):
        return _long(tables[0], source)
    program, stated = next(
        ((name, dict(said)) for name, (sign, said) in PROGRAMS.items() if re.search(sign, text, re.I | re.M)),
        ("", {}),
    )
    pages = _pages([_Columns(grid, source, columns) for grid in tables])
    of_fit = list(_scalars(text, program, source)) if form == "text" else []
    if not pages and of_fit:
        pages = [[]]
    starts = [page[0].line if page else 0 for page in pages]
    found = []
    for k, page in enumerate(pages):
        end = starts[k + 1] if k + 1 < len(pages) else len(text)
        own = [q for q in of_fit if (not k or starts[k] <= q.line) and q.line < end]
        found.append(_table(page, own, program, stated, form, source))
    found = [table for table in found if table.numbers]
    if not found:
        headings = [heading for grid in tables for heading in grid.headings if heading]
        raise InputError(
            f"{source}: {form} without a number that is known; the headings found are {listed(headings) or 'none'}, and"
            f" expected are such as Estimate, Std. Error, z, p, 95% CI, worth, rating, wins (--column estimate=HEADING"
            " says which is which)"
        )
    return tuple(found)


def _what(table: PrintedTable) -> str:
    return f"line {min(q.line for q in table.numbers)}: {len(table.numbers)} numbers"


class _Columns:
    """The numbers of a grid, by the meaning of its columns."""

    def __init__(self, grid: Grid, source: str, asked: Mapping[str, str]) -> None:
        self.grid, self.source = grid, source
        self.line = grid.rows[0][0] if grid.rows else 0
        self.of_names = self._names()
        self.kinds = self._kinds(asked)
        self.numbers: list[PrintedQuantity] = []
        self.names: dict[str, None] = {}
        self.without: dict[str, None] = {}
        self.unread = [*grid.unread]
        self.points = any(
            kind == "estimate" and OF_POINTS.fullmatch(grid.headings[k].casefold())
            for k, kind in self.kinds.items()
        )
        for line, cells in grid.rows:
            self._row(line, cells)
        self._as_worths()

    def _names(self) -> int:
        headings = self.grid.headings
        known = [k for k, heading in enumerate(headings) if kind_of_heading(heading) == "items"]
        unknown = [k for k, heading in enumerate(headings) if not kind_of_heading(heading)]
        texts = [k for k in unknown if any(_is_name(cells[k]) for _, cells in self.grid.rows)]
        return (*known, *([0] if headings[:1] == ("",) else texts), -1)[0]

    def _kinds(self, asked: Mapping[str, str]) -> dict[int, str]:
        """The kind of each column that is known; of one that is asked for, that which was named."""
        headings, found = self.grid.headings, dict[int, str]()
        for kind, name in asked.items():
            here = [k for k, heading in enumerate(headings) if heading.casefold() == name.casefold()]
            if kind not in HEADINGS or len(here) != 1:
                kinds = f"; kinds are {', '.join(HEADINGS)}" * (kind not in HEADINGS)
                raise InputError(
                    f"{self.source}: --column {kind}={name}: {len(here)} columns have this heading{kinds}; the headings are"
                    f" {listed(headings)}"
                )
            found[here[0]] = kind
        for k, heading in enumerate(headings):
            kind = "estimate" if heading == "vector" else kind_of_heading(heading)
            if kind and kind != "items" and k not in found and kind not in asked and k != self.of_names:
                found[k] = kind
        for kind in dict.fromkeys(found.values()):
            twice = [headings[k] for k, of in found.items() if of == kind]
            if len(twice) > 1:
                raise InputError(
                    f"{self.source}: the columns {listed(twice)} could all be of kind {kind}; say which with --column"
                    f" {kind}={twice[0]}"
                )
        return found

    def _row(self, line: int, cells: Sequence[str]) -> None:
        name = " ".join(cells[self.of_names].split()) if self.of_names >= 0 else ""
        of_fit = next(
            (kind for kind, form in OF_FIT.items() if re.fullmatch(form, name.casefold().strip(" :="))), ""
        )
        under = not name and bool(self.names)
        owner = next(reversed(self.names)) if under else name
        if not name and not under or of_fit and of_fit in {q.quantity.kind for q in self.numbers}:
            return
        if not of_fit:
            if name in self.names:
                raise InputError(
                    f"{self.source}: {quoted(name)} stands in several rows; a table has each name once"
                )
            self.names.setdefault(owner)
        found = (
            [] if of_fit else [part for k, kind in self.kinds.items() for part in self._cell(k, kind, cells)]
        )
        if of_fit:
            texts = [c for k, c in enumerate(cells) if k != self.of_names and re.match(NUMBER, c)]
            found = _with_df(of_fit, texts[0]) if texts else []
        estimates = [text for kind, text in found if kind in ("estimate", "worth")]
        if not of_fit and not under and (not found or estimates and _is_zero(estimates[0])):
            self.without[name] = None
            found = [(kind, text) for kind, text in found if not _is_zero(text) or kind == "estimate"]
        for kind, text in found:
            quantity = Quantity(kind) if of_fit else Quantity(kind, "all" * (kind == "worth"), owner)
            where = f"{self.source}, line {line}, {quoted(owner)}, {kind}"
            self.numbers.append(PrintedQuantity(quantity, printed_number(kind, text, where), line))

    def _cell(self, k: int, kind: str, cells: Sequence[str]) -> list[tuple[str, str]]:
        """The kinds and texts of the numbers in a cell."""
        cell = cells[k].strip()
        if kind == "interval" and self.grid.headings[k + 1 : k + 2] == ("",) and re.fullmatch(NUMBER, cell):
            return [("low", cell), ("high", cells[k + 1])]
        if not cell or re.fullmatch(MISSING, cell, re.IGNORECASE):
            return []
        if kind == "interval":
            two = re.fullmatch(
                rf"[(\[]?\s*({NUMBER})\s*(?:,|;|to|\.\.|\s-|\u2013|\s)\s*({NUMBER})\s*[)\]]?", cell
            )
            return list(zip(("low", "high"), two.groups())) if two else []
        parts = _PARTS.fullmatch(cell)
        if parts is None:
            where = f"row {quoted(cells[self.of_names])}, column {self.grid.headings[k]!r}"
            if re.search(r"\d", cell):
                raise InputError(f"{self.source}, {where}: printed {quoted(cell)} is not one number")
            self.unread.append(f"{where}: {quoted(cell)} is no number, and is not read")
            return []
        inside = re.search(r"[(\[]([^()\[\]]+)[)\]]", self.grid.headings[k])
        beside = kind_of_heading(inside[1]) if inside and kind == "estimate" else ""
        found = [(kind, parts["value"])] if parts["value"] else []
        if parts["b"]:
            found += [("low", parts["a"]), ("high", parts["b"])]
        elif parts["a"]:
            found.append((beside if beside in ("se", "z", "p") else "se", parts["a"]))
        return found

    def _as_worths(self) -> None:
        """Numbers between 0 and 1 that sum to 1 are worths, whatever their heading."""
        values = [q.printed for q in self.numbers if q.quantity.kind == "estimate"]
        known = [v.value for v in values if v.value is not None]
        unit = max((v.unit for v in values if v.unit is not None), default=Decimal(1))
        if (
            len(known) > 2
            and all(0 < v < 1 for v in known)
            and abs(sum(known, Decimal(-1))) <= unit * len(known) / 2
        ):
            self.kinds = {k: "worth" if kind == "estimate" else kind for k, kind in self.kinds.items()}
            self.numbers = [
                replace(q, quantity=Quantity("worth", "all", q.quantity.name))
                if q.quantity.kind == "estimate"
                else q
                for q in self.numbers
            ]
        self._without_estimates()

    def _without_estimates(self) -> None:
        """What stands beside worths or exponentials alone: their own errors and limits, most of which have no name."""
        kinds = set(self.kinds.values())
        if kinds & {"estimate"} or not kinds & {"worth", "exp"}:
            return
        worths = "worth" in kinds
        dropped = ("low", "high", "interval", *(("z", "p") if worths else ("se",)))
        if worths:
            self.numbers = [
                replace(q, quantity=Quantity("worth_se", "all", q.quantity.name))
                if q.quantity.kind == "se"
                else q
                for q in self.numbers
            ]
        self.numbers = [q for q in self.numbers if q.quantity.kind not in dropped]
        self.kinds = {k: kind for k, kind in self.kinds.items() if kind not in dropped}

    def said(self) -> Iterator[str]:
        """What was read under which heading."""
        columns = [
            f"{kind} {'below its name' if heading == 'vector' else 'under ' + quoted(heading)}"
            for heading, kind in ((self.grid.headings[k], kind) for k, kind in sorted(self.kinds.items()))
        ]
        yield f"{len(self.names)} rows from line {self.line}: {', '.join(columns)}"


def _with_df(kind: str, text: str) -> list[tuple[str, str]]:
    """A statistic, and its degrees of freedom where they stand beside it: "15.737 on 15", "15.737 (15)"."""
    two = re.fullmatch(
        rf"({NUMBER})\s*(?:on|\(|,\s*df\s*=)\s*(\d+)\s*(?:d\.?f\.?)?\s*\)?", text.strip(), re.IGNORECASE
    )
    if two is None or kind not in DF_OF:
        return [(kind, text)]
    return [(kind, two[1]), (DF_OF[kind], two[2])]


def _is_zero(text: str) -> bool:
    """Whether a printed number is 0, as a reference's is."""
    return re.fullmatch(r"[-+]?0*\.?0*", text.strip()) is not None


def _is_name(cell: str) -> bool:
    return bool(cell) and not re.fullmatch(rf"{NUMBER}|{MISSING}|[(\[].*[)\]]", cell.strip(), re.IGNORECASE)


def printed_number(kind: str, text: str, where: str) -> Printed:
    """One number as it is printed: without the commas of thousands, and of a double's digits those that are meant."""
    plain = (
        text.strip().replace(",", "") if kind in OF_BOARD or re.search(r",\d{3}\.", text) else text.strip()
    )
    try:
        printed = Printed.parse(plain)
        if printed.value is None or printed.stars or printed.on is not None:
            raise InputError(f"printed {quoted(text)} is not one number")
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    if printed.digits > ALL_DIGITS and printed.unit is not None:
        rounded = Decimal(f"{printed.value:.{DIGITS - 1}e}")
        printed = replace(Printed.parse(f"{rounded:f}"), text=text)
    return printed


def _pages(columns: Sequence[_Columns]) -> list[list[_Columns]]:
    """Grids that are of one table: a kind of number that stands again begins another."""
    pages: list[list[_Columns]] = []
    for found in columns:
        kinds = {q.quantity.kind for q in found.numbers}
        if not kinds:
            continue
        if pages and not kinds & {q.quantity.kind for other in pages[-1] for q in other.numbers}:
            pages[-1].append(found)
        else:
            pages.append([found])
    return pages


def _scalars(text: str, program: str, source: str) -> Iterator[PrintedQuantity]:
    """The numbers of the whole fit that stand in lines of their own; those of pattern models are others' constants."""
    if program == "prefmod's pattern models":
        return
    # The null model of log-linear counts has one constant for all of them, and is no model of comparisons.
    without = ("null_deviance", "df_null") if program == "R's glm (Poisson)" else ()
    for k, line in enumerate(text.split("\n"), 1):
        for form, kinds in SCALARS if len(line) < 200 else ():
            if (match := re.search(form, line, re.IGNORECASE)) is None:
                continue
            for kind, printed in zip(kinds, match.groups() if kinds[0] not in without else ()):
                name = "aic_glm" if kind == "aic" and program in _AIC_OF_GLM else kind
                yield PrintedQuantity(Quantity(name), printed_number(name, printed, f"{source}, line {k}"), k)


def _table(
    page: Sequence[_Columns],
    of_fit: Sequence[PrintedQuantity],
    program: str,
    stated: Mapping[str, Any],
    form: str,
    source: str,
) -> PrintedTable:
    numbers: dict[str, PrintedQuantity] = {}
    for q in [q for columns in page for q in columns.numbers] + list(of_fit):
        numbers.setdefault(q.quantity, q)
    others = [
        f"column {label(h)}"
        for columns in page
        for k, h in enumerate(columns.grid.headings)
        if h and k not in columns.kinds and k != columns.of_names
    ]
    unread = [label(line) for columns in page for line in columns.unread]
    without = tuple(name for columns in page for name in columns.without)
    said = [f"{source}: {form}" + (f" of {program}" if program else "")]
    said += [label(sentence) for columns in page for sentence in columns.said()]
    scalars = [f"{q.quantity} {q.printed.text}" for q in numbers.values() if not q.quantity.name]
    said += [f"of the whole fit: {', '.join(scalars)}"] * bool(scalars)
    said += [f"not looked at: {named(others)}"] * bool(others) + unread
    points = {"scale": "elo"} if any(columns.points for columns in page) else {}
    return PrintedTable(
        *(tuple(numbers.values()), program, tuple(said), {**stated, **points}),
        items=tuple(dict.fromkeys(name for columns in page for name in columns.names)),
        without=without,
        others=(*others, *unread),
        source=source,
    )


def _long(grid: Grid, source: str) -> tuple[PrintedTable, ...]:
    """The claims of a CSV with a number in each row."""
    place = {heading.casefold(): k for k, heading in enumerate(grid.headings)}
    found: dict[tuple[str, str], dict[Quantity, PrintedQuantity]] = {}
    for line, cells in grid.rows:
        paper, claim = (cells[place[key]] if key in place else "" for key in ("paper", "claim"))
        kind, item, printed = (cells[place[key]] for key in LONG)
        where = f"{source}, line {line}"
        try:
            check_name(kind)
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        numbers = found.setdefault((paper, claim), {})
        for name, text in _with_df(kind, printed):
            quantity = (
                Quantity(name, "all" * (name in ("worth", "worth_se")), item)
                if item
                else Quantity.parse(name)
            )
            if quantity in numbers:
                raise InputError(f"{where}: {shortened(quantity)} of claim {quoted(claim)} stands twice")
            numbers[quantity] = PrintedQuantity(quantity, printed_number(name, text, where), line)
    others = tuple(
        f"column {label(h)}" for h in grid.headings if h.casefold() not in (*LONG, "paper", "claim")
    )
    if not found:
        raise InputError(f"{source}: no rows below the headings; expected a printed number in each")
    return tuple(
        PrintedTable(
            numbers=tuple(numbers.values()),
            sentences=(
                f"{source}: {len(numbers)} numbers of {label(paper or 'paper')}, claim {label(claim or '1')}",
            ),
            items=tuple(dict.fromkeys(q.name for q in numbers if q.name)),
            without=tuple(
                q.quantity.name
                for q in numbers.values()
                if q.printed.value == 0 and q.quantity.kind == "estimate"
            ),
            others=others,
            source=source,
            paper=paper,
            claim=claim,
        )
        for (paper, claim), numbers in found.items()
    )
