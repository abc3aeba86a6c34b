"""The tables of a page as headings and rows of cells: LaTeX, HTML, Markdown, CSV and TSV, and what programs print.

The text is data: nothing in it is run, and each form is read in one pass over text of bounded size.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...data.reading.text_tables import form_of, text_table
from ...errors import InputError
from .headings import MOST_WORDS, OF_FIT, kind_among, kind_of_heading, split_heading

#: Lines of a title above a table of tabs.
MOST_TITLES = 4
#: Characters of a line of text that is looked at; tables of text are narrower.
MOST_LINE = 1000
#: Titles of the five numbers that R prints of residuals.
OF_RESIDUALS = re.compile(r"residuals:?$", re.IGNORECASE)
NUMBER = r"[+-]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?%?"
MISSING = r"(?i:NA|NaN|-{1,3}|\u2013|\u2014|\.|n/?a|\((?:omitted|base|empty|reference|ref\.?|constrained)\)|reference|ref\.?)"
_MARK = r"(?:\^?\*{1,5}|\u2020{1,2}|[\u2021\u00a7])"
_CELL = re.compile(
    rf"(?:[<>\u2264\u2265=]\s*)?{NUMBER}(?:\u00b1{NUMBER})?{_MARK}?|{MISSING}|(?i:n\.?s\.?)|\[\s*{NUMBER}\s*[,;]?\s+{NUMBER}\s*\]"
    rf"|\(\s*{NUMBER}\s*(?:[,;]\s*{NUMBER}\s*)?\){_MARK}?"
)
_TOKEN = re.compile(r"\[[^\]]*\]\S*|\([^()]*\)[*\u2020]*|[<>\u2264\u2265=]\s*[\d.]\S*|\S+")
_RULE = re.compile(r"[\s\-=_+|:\u2500-\u257f]*")
_BAR = re.compile(r"(?<!\S)[|\u2502](?!\S)")
#: A comma that no thousands have (0,25), and a decimal point.
_COMMA, _POINT, _LETTER = map(re.compile, (r"(?<![\d,])0?,\d", r"\.\d", r"[^\W\d_]"))
MINUS = str.maketrans("\u2212\ufe63\uff0d\u2010\u2011\u2012\u00a0\u2009\u202f", "------   ")
#: An en dash for a minus: before a digit, and not after a number, where it is "to".
_EN_MINUS = re.compile(r"(?<![\w.%)\]])\u2013(?=\.?\d)")
_POWER = re.compile(
    r"(?<=\d)[ \t]*(?:[\u00d7x\u00b7*]|\\times|\\cdot)[ \t]*10[ \t]*(?:\^[ \t]*\{?[ \t]*([+-]?\d+)[ \t]*\}?|([\u207b\u207a]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+))"
)
_RAISED = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b\u207a", "0123456789-+"
)
_PLUS_MINUS = re.compile(r"[ \t]*(?:\u00b1|\\pm(?![A-Za-z])|\+/-)[ \t]*(?=\.?\d)")
#: Names of short rows below a table that are of no item.
NOTES = re.compile(
    r"n|n\.? ?obs\.?|obs(?:ervations|\.)?|(?:number|no\.) of .*|judges|comparisons|sample size", re.I
)
#: The heading of a vector whose names stand above its numbers.
VECTOR = "vector"
_ITEMS_ALONE = (["estimate"], ["worth"])
Cells = tuple[str, ...]
#: Columns of one CSV that holds the numbers of several papers or claims.
LONG = ("quantity", "item", "printed")


@dataclass(frozen=True)
class Grid:
    """A table: its headings, its rows with their lines, and the lines that could not be read as rows."""

    headings: Cells
    rows: tuple[tuple[int, Cells], ...]
    unread: tuple[str, ...] = ()


def grids(text: str, source: str) -> tuple[str, list[Grid]]:
    """The form of a page in words, and its tables; decimal commas are points where no number has a point."""
    form, tables = _grids(text, source)
    cells = [cell for grid in tables for _, row in grid.rows for cell in row if not _LETTER.search(cell)]
    if form == "text" or any(map(_POINT.search, cells)) or not any(map(_COMMA.search, cells)):
        return form, tables
    return f"{form}, decimal commas read as points", [
        replace(grid, rows=tuple((n, tuple(map(_with_points, row))) for n, row in grid.rows))
        for grid in tables
    ]


def _with_points(cell: str) -> str:
    return cell if _LETTER.search(cell) else re.sub(r",(?=\d)", ".", cell)


def _grids(text: str, source: str) -> tuple[str, list[Grid]]:
    text = text.translate(MINUS).replace("\r\n", "\n").replace("\r", "\n")
    text = _POWER.sub(lambda m: f"e{(m[1] or m[2]).translate(_RAISED)}", _EN_MINUS.sub("-", text))
    text = _PLUS_MINUS.sub("\u00b1", text)
    form = form_of(text)
    if (
        source.lower().endswith((".csv", ".tsv"))
        and not re.match(r"\s*[\\<|%]", text)
        and _delimiter(text, source)
    ):
        form = "text"  # a name may look like a command
    if form != "text":
        tables = text_table(text, source)
        return f"{form} table", [_with_heading([(t.line, t.header), *zip(t.lines, t.rows)]) for t in tables]
    delimiter = _delimiter(text, source)
    if delimiter:
        grid = _with_heading(rows := _separated(text, delimiter))
        _check_width(grid, rows, source, delimiter)
        return "separated values", [grid]
    return "text", list(_of_text([line[:MOST_LINE].expandtabs() for line in (*text.split("\n"), "")]))


def _with_heading(rows: Sequence[tuple[int, Cells]]) -> Grid:
    """The rows below the row that has most known headings; those above are titles."""

    def known(cells: Cells) -> int:
        return sum(bool(kind_of_heading(cell)) - bool(re.fullmatch(NUMBER, cell)) for cell in cells)

    long = {*LONG} <= {cell.casefold() for cell in rows[0][1]}
    top = 0 if long else max(range(len(rows[:12])), key=lambda k: known(rows[k][1]))
    headings, width = rows[top][1], len(rows[top][1])
    return Grid(headings, tuple((n, (*cells, *[""] * width)[:width]) for n, cells in rows[top + 1 :]))


def _check_width(grid: Grid, rows: Sequence[tuple[int, Cells]], source: str, delimiter: str) -> None:
    """Refuse rows with other numbers of cells than there are headings: their numbers may be under a wrong one."""
    width = max(k for k, heading in enumerate(grid.headings, 1) if heading) if any(grid.headings) else 0
    below = [(n, cells) for n, cells in rows if grid.rows and n >= grid.rows[0][0]]
    for n, cells in below:
        used = max(k for k, cell in enumerate(cells, 1) if cell)
        # One cell is a note, or a name without a number; a number of the whole fit has no further cells.
        of_whole = kind_among(OF_FIT, cells[0]) or len(cells) == 2 and NOTES.fullmatch(cells[0])
        few = 1 < len(cells) < width and not of_whole
        if few or used > len(grid.headings):
            comma = "; a number with a comma must be in quotes" * (delimiter == "," and not few)
            raise InputError(
                f"{source}: line {n} has {len(cells) if few else used} cells under {width} headings, so that its numbers may"
                f" stand under wrong headings; leave cells without a number empty{comma}"
            )


def _delimiter(text: str, source: str) -> str:
    """The delimiter that splits every line alike; of a file whose name says so, that which splits its first line."""
    lines = [line for line in text.split("\n") if line.strip()][:50]
    # Titles may stand above a table of tabs, which no sentence has.
    titles = next((k for k, line in enumerate(lines[:MOST_TITLES]) if line.count("\t") > 1), 0)
    for delimiter, own in (("\t", lines[titles:]), (";", lines), (",", lines)):
        if delimiter in own[0] and len(own) > bool(titles):
            alike = len({len(cells) for cells in csv.reader(own, delimiter=delimiter)}) == 1
            if alike or source.lower().endswith((".csv", ".tsv")):
                return delimiter
    return ""


def _separated(text: str, delimiter: str) -> list[tuple[int, Cells]]:
    from ...files.outputs import unguard

    reader = csv.reader(text.split("\n"), delimiter=delimiter)
    rows = [(reader.line_num, tuple(unguard(c.strip()) for c in cells)) for cells in reader]
    return [(line, cells) for line, cells in rows if any(cells)]


def _of_text(lines: Sequence[str]) -> Iterator[Grid]:
    """Tables below a line of headings, and the named vectors that R prints in pairs of lines."""
    k, title, vectors = 0, "", list[tuple[int, Cells]]()
    while k < len(lines):
        vector = _vector(lines[k], lines[k + 1]) if k + 1 < len(lines) else []
        headings = () if vector else _headings(lines[k])
        if vector and not OF_RESIDUALS.search(title):
            vectors += [(k + 2, pair) for pair in vector]
        elif vectors:
            yield Grid(("", VECTOR), tuple(vectors))
            vectors = []
        if headings:
            grid, k = _text_table(lines, k, headings)
            yield grid
            continue
        title = title if vector else lines[k].strip() or title
        k += 2 if vector else 1


def _headings(line: str) -> Cells:
    """The headings of a line that holds nothing else; () of another line."""
    found = split_heading(_BAR.sub("  ", line))
    # SAS has tables of the whole fit with "DF" and "Value".
    known = [kind for heading in found if (kind := kind_of_heading(heading)) and kind != "df"]
    two = len(found) == 2 and known[-1:] in _ITEMS_ALONE
    alone = two or (len(found) == len(known) == 1 and line[:1].isspace())
    if any(
        re.fullmatch(r"[<>]?\d*\.\d+[;,]?|[<>]", heading) and not kind_of_heading(heading)
        for heading in found
    ):
        return ()  # a line of numbers with their names, or a legend
    many = len(known) >= 2 and set(known) - {"items"} and 2 * len(known) + 2 >= len(found)
    return found if (alone or many) and not line.rstrip().endswith(":") else ()


def _vector(names: str, numbers: str) -> list[Cells]:
    """Names and the numbers that stand below them, flush right; [] if the lines are none."""
    cells = list(re.finditer(r"\S+", numbers))
    if not cells or not all(re.fullmatch(rf"{NUMBER}|NA", cell[0]) for cell in cells):
        return []
    ends = [0, *(cell.end() for cell in cells)]
    found = [names[a:b] for a, b in zip(ends, ends[1:])]
    flush = all(name.strip() and not name[-1].isspace() for name in found) and len(names.rstrip()) == ends[-1]
    apart = all(name[:1].isspace() for name in found[1:])
    return [(name.strip(), cell[0]) for name, cell in zip(found, cells)] if flush and apart else []


def _text_table(lines: Sequence[str], top: int, headings: Cells) -> tuple[Grid, int]:
    """The table below the headings in line `top`, and the line at which it ends."""
    own, *others = map(kind_of_heading, headings)
    named = re.search(r"\S +[|\u2502] ", lines[top]) or own in ("items", "")
    named = named or own in others and not lines[top][:1].isspace()  # "Worths    worth (se)"
    of_numbers = headings[1:] if named and len(headings) > 1 else headings
    columns = [part for h in of_numbers for part in ((h, "") if kind_of_heading(h) == "interval" else (h,))]
    rows, unread, k = list[tuple[int, Cells]](), list[str](), top + 1
    while k < len(lines):
        line = _BAR.sub("  ", lines[k])
        if not _RULE.fullmatch(line) and not lines[k].rstrip().endswith("|"):
            found = _text_row(line, len(columns))
            if found is None:
                if not rows and line.strip():
                    unread.append(
                        f"line {k + 1} is no row of a name and {len(columns)} cells: {line.strip()}"
                    )
                break
            if len(found) > 1:
                rows.append((k + 1, found))
            else:
                unread.append(f"line {k + 1}: {found[0]}")
        k += 1
    return Grid(("", *columns), tuple(rows), tuple(unread)), k


def _text_row(line: str, n_columns: int) -> Cells | None:
    """Name and cells of a row; one sentence if its cells are too few; None for a line that is no row."""
    tokens, mark = _TOKEN.findall(line), ""
    while tokens and re.fullmatch(_MARK + r"|\.", tokens[-1]) and len(_cells(tokens)) != n_columns:
        mark = tokens.pop()
    cells = _cells(tokens)
    if cells and re.fullmatch(r"\*+", mark) and re.fullmatch(rf"[<>]?\s*{NUMBER}", cells[-1]):
        cells[-1] += mark
    name = " ".join(tokens[: len(tokens) - len(cells)])
    if not cells or len(tokens) - len(cells) > MOST_WORDS:
        return None
    ways = (_opened(cells), _opened(_joined(cells, "(")), _joined(cells, "(["))
    for found in ways:
        if len(found) == n_columns:
            return (name, *found)
    if not name and len(ways[0]) > n_columns:  # a name that is a number
        return (" ".join(ways[0][:-n_columns]), *ways[0][-n_columns:])
    of_reference = all(re.fullmatch(rf"{MISSING}|[-+]?0*\.?0*", cell) for cell in cells)
    if of_reference or len(ways[2]) == 1 and cells[0].startswith("("):
        return ("" if cells[0].startswith("(") else name, cells[0], *[""] * (n_columns - 1))
    return (f"{name} has {len(ways[0])} cells under {n_columns} headings and was ignored",)


def _cells(tokens: Sequence[str]) -> list[str]:
    """The cells that end a line."""
    k = len(tokens)
    while k and _CELL.fullmatch(tokens[k - 1]):
        k -= 1
    return list(tokens[k:])


def _opened(cells: Sequence[str]) -> list[str]:
    """An interval in brackets as its two limits."""
    return [part for cell in cells for part in (re.findall(NUMBER, cell) if cell[0] == "[" else (cell,))]


def _joined(cells: Sequence[str], opening: str) -> list[str]:
    """What stands in such brackets as part of the cell before it."""
    found: list[str] = []
    for cell in cells:
        if found and cell[0] in opening and not re.fullmatch(MISSING, cell):
            found[-1] += f" {cell}"
        else:
            found.append(cell)
    return found
