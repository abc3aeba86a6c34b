"""The tables of a page as rows of cells: LaTeX, HTML, Markdown, CSV and TSV, and text whose columns are set by blanks.

The text is data: nothing in it is run, and each form is read in one pass over text of bounded size.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from .headings import MOST_WORDS, kind_of_heading, split_heading

#: Characters of a line of text that is looked at; tables of text are narrower.
MOST_LINE = 1000
#: Columns that one cell may span.
MOST_SPAN = 50
#: Titles of the five numbers that R prints of residuals.
OF_RESIDUALS = re.compile(r"residuals:?$", re.IGNORECASE)
NUMBER = r"[+-]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?%?"
_MARK = r"(?:\^?\*{1,5}|\u2020{1,2}|[\u2021\u00a7])"
MISSING = r"NA|NaN|-{1,3}|\u2013|\u2014|\.|n/?a|\((?:omitted|base|empty|reference|ref\.?|constrained)\)|reference|ref\.?|\u00b7"
_VALUE = rf"(?:[<>\u2264\u2265=]\s*)?{NUMBER}{_MARK}?"
_CELL = re.compile(
    rf"{_VALUE}|{MISSING}|\[\s*{NUMBER}\s*[,;]?\s+{NUMBER}\s*\]|\(\s*{NUMBER}\s*(?:[,;]\s*{NUMBER}\s*)?\){_MARK}?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\[[^\]]*\]\S*|\([^()]*\)[*\u2020]*|[<>\u2264\u2265=]\s*[\d.]\S*|\S+")
_MARKDOWN = re.compile(r"\|?(?: *:?-{2,}:? *\|)+(?: *:?-{2,}:? *)?")
_RULE = re.compile(r"[\s\-=_+|:\u2500-\u257f]*")
MINUS = str.maketrans(
    {"\u2212": "-", "\ufe63": "-", "\uff0d": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " "}
)


@dataclass(frozen=True)
class Grid:
    """A table: its headings, its rows with their lines, and the lines that could not be read as rows.

    Cells are under the headings; `title` is the line above a table of text.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    unread: tuple[str, ...] = ()
    title: str = ""


def grids(text: str, source: str) -> tuple[str, list[Grid]]:
    """The form of a page in words, and its tables."""
    text = text.translate(MINUS).replace("\r\n", "\n").replace("\r", "\n")
    if re.search(r"<t[rdh][\s>]", text, re.IGNORECASE):
        return "an HTML table", [g for rows in _html(text) for g in _with_heading(rows)]
    if r"\\" in text and "&" in text:
        return "a LaTeX table", _with_heading(_latex(text))
    if any("|" in line and "-" in line and _MARKDOWN.fullmatch(line.strip()) for line in text.split("\n")):
        return "a Markdown table", _with_heading(_markdown(text))
    delimiter = _delimiter(text, source)
    if delimiter:
        return "a table of separated values", _with_heading(_separated(text, delimiter))
    return "text", list(_of_text(text.split("\n")))


Rows = list[tuple[int, tuple[str, ...]]]


def _with_heading(rows: Rows) -> list[Grid]:
    """The rows below the row that has most known headings; those above are titles."""
    known = [
        sum(bool(kind_of_heading(cell)) - bool(re.fullmatch(NUMBER, cell)) for cell in cells)
        for _, cells in rows[:12]
    ]
    if not known or max(known) <= 0:
        return [Grid(rows[0][1], tuple(rows[1:]))] if rows else []
    top = known.index(max(known))
    headings, width = rows[top][1], len(rows[top][1])
    kept = [(line, (*cells, *[""] * width)[:width]) for line, cells in rows[top + 1 :] if any(cells)]
    return [Grid(headings, tuple(kept))]


class _Tables(HTMLParser):
    """The cells of all tables of a page, those inside others as tables of their own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[Rows] = [[]]
        self._cell: list[str] | None = None
        self._span = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("table", "tr", "td", "th"):
            self._close()
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append((self.getpos()[0], ()))
        elif tag in ("td", "th"):
            span = dict(attrs).get("colspan") or "1"
            self._cell, self._span = [], min(int(span), MOST_SPAN) if re.fullmatch(r"\d{1,3}", span) else 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._close()

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def _close(self) -> None:
        if self._cell is not None and self.tables[-1]:
            line, cells = self.tables[-1][-1]
            text = " ".join("".join(self._cell).translate(MINUS).split())
            self.tables[-1][-1] = (line, (*cells, text, *[""] * (self._span - 1)))
        self._cell = None


def _html(text: str) -> list[Rows]:
    parser = _Tables()
    parser.feed(text)
    parser.close()
    return [rows for rows in parser.tables if rows]


_LATEX = (
    (r"(?<!\\)%.*", ""),
    (r"\\(?:top|mid|bottom)rule(?:\[[^\]]*\])?|\\hline|\\c(?:mid|)(?:rule|line)(?:\([^)]*\))?\{[^}]*\}", ""),
    (r"\\(?:begin|end)\{[^}]*\}(?:\[[^\]]*\])?(?:\{[^}&]*\})*", ""),
    (r"\\multi(?:column|row)\{[^}]*\}\{[^}]*\}", ""),
    (r"\\(?:text\w*|math\w*|emph|num|mbox|hat|bm|sym)\s*(?=\{)", ""),
    (r"\\(?:chi|Chi)\b", "chi"),
    (r"\\(?:hat|widehat)\b", ""),
    (r"\\([%_#&$])", r"\1"),
    (r"\\[,;: !]|~|\{,\}", " "),
    (r"\\(?=[A-Za-z])", ""),
    (r"\$|\^(?=[{*])|[{}]", ""),
)


def _latex(text: str) -> Rows:
    rows: Rows = []
    line = 1
    for piece in re.split(r"(\\\\(?:\[[^\]]*\])?)", text):
        cells = [
            " ".join(_plain_latex(cell).split())
            for cell in re.split(r"(?<!\\)&", re.sub(r"(?<!\\)%.*", "", piece))
        ]
        if len(cells) > 1:
            rows.append((line + len(piece) - len(piece.lstrip("\n")), tuple(cells)))
        line += piece.count("\n")
    return rows


def _plain_latex(cell: str) -> str:
    for pattern, put in _LATEX:
        cell = re.sub(pattern, put, cell[-MOST_LINE:])
    return cell


def _markdown(text: str) -> Rows:
    rows: Rows = []
    for k, line in enumerate(text.split("\n"), 1):
        if "|" in line and not _RULE.fullmatch(line):
            cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
            rows.append((k, tuple(re.sub(r"^(\*\*|__|`)(.*)\1$", r"\2", cell.strip()) for cell in cells)))
    return rows


def _delimiter(text: str, source: str) -> str:
    """The delimiter that splits every line alike; of a file whose name says so, that which splits its first line."""
    lines = [line for line in text.split("\n") if line.strip()][:50]
    for delimiter in "\t;,":
        if lines and delimiter in lines[0]:
            alike = len({len(cells) for cells in csv.reader(lines, delimiter=delimiter)}) == 1
            if alike or source.lower().endswith((".csv", ".tsv")):
                return delimiter
    return ""


def _separated(text: str, delimiter: str) -> Rows:
    from ...files.outputs import unguard

    reader = csv.reader(text.split("\n"), delimiter=delimiter)
    return [
        (reader.line_num, tuple(unguard(cell.strip()) for cell in cells)) for cells in reader if any(cells)
    ]


def _of_text(lines: Sequence[str]) -> Iterator[Grid]:
    """Tables below a line of headings, and the named vectors that R prints in pairs of lines."""
    k, title, vectors = 0, "", []
    while k < len(lines):
        line = lines[k][:MOST_LINE].expandtabs()
        headings = _headings(line)
        vector = _vector(line, lines[k + 1][:MOST_LINE].expandtabs()) if k + 1 < len(lines) else []
        if vector and not OF_RESIDUALS.search(title):
            vectors += [(k + 2, pair) for pair in vector]
            k += 1
        elif vectors:
            yield Grid(("", "vector"), tuple(vectors), title=title)
            vectors = []
        if not vector and headings:
            grid, k = _text_table(lines, k, headings, title)
            if grid.rows or grid.unread:
                yield grid
            continue
        if not vector and line.strip():
            title = line.strip()
        k += 1
    if vectors:
        yield Grid(("", "vector"), tuple(vectors), title=title)


_OF_ITEMS = (["estimate"], ["worth"])


def _headings(line: str) -> tuple[str, ...]:
    """The headings of a line that holds nothing else; () of another line."""
    found = split_heading(re.sub(r"(?<!\S)[|\u2502](?!\S)", "  ", line))
    known = [kind for heading in found if (kind := kind_of_heading(heading))]
    alone = (
        len(found) == len(known) == 1 and line[:1].isspace() or len(found) == 2 and known[-1:] in _OF_ITEMS
    )
    if line.rstrip().endswith(":"):
        return ()
    if alone or len(known) >= 2 and set(known) - {"items"} and 2 * len(known) + 2 >= len(found):
        return found
    return ()


def _vector(names: str, numbers: str) -> list[tuple[str, str]]:
    """Names and the numbers that stand below them, flush right; [] if the lines are none."""
    cells = list(re.finditer(r"\S+", numbers))
    if not cells or not all(re.fullmatch(rf"{NUMBER}|NA", cell[0]) for cell in cells) or not names.strip():
        return []
    ends = [0, *(cell.end() for cell in cells)]
    found = [names[a:b] for a, b in zip(ends, ends[1:])]
    flush = (
        all(name.strip() and not name[-1:].isspace() for name in found) and len(names.rstrip()) == ends[-1]
    )
    apart = all(name[:1].isspace() for name in found[1:])
    return [(name.strip(), cell[0]) for name, cell in zip(found, cells)] if flush and apart else []


def _text_table(lines: Sequence[str], top: int, headings: tuple[str, ...], title: str) -> tuple[Grid, int]:
    """The table below the headings in line `top`, and the line at which it ends."""
    barred = re.search(r"\S +[|\u2502] ", lines[top]) is not None
    named = barred or kind_of_heading(headings[0]) in ("items", "")
    of_numbers = headings[1:] if named and len(headings) > 1 else headings
    columns = [part for h in of_numbers for part in ((h, "") if kind_of_heading(h) == "interval" else (h,))]
    rows, unread, k = [], [], top + 1
    while k < len(lines):
        line = re.sub(r"(?<!\S)[|\u2502](?=\s|$)", "  ", lines[k][:MOST_LINE].expandtabs())
        label = lines[k].rstrip().endswith("|")
        if not (_RULE.fullmatch(line) or label):
            found = _text_row(line, len(columns))
            if found is None:
                break
            if isinstance(found, str):
                unread.append(f"line {k + 1}: {found}")
            else:
                rows.append((k + 1, found))
        k += 1
    return Grid(("", *columns), tuple(rows), tuple(unread), title), k


def _text_row(line: str, n_columns: int) -> tuple[str, ...] | str | None:
    """Name and cells of a row; a sentence on one whose cells are too few; None for a line that is no row."""
    tokens = _TOKEN.findall(line)
    while tokens and re.fullmatch(_MARK + r"|\.", tokens[-1]) and len(_cells(tokens)) != n_columns:
        tokens.pop()
    cells = _cells(tokens)
    if not cells or len(tokens) - len(cells) > MOST_WORDS:
        return None
    name = " ".join(tokens[: len(tokens) - len(cells)])
    ways = (_opened(cells), _opened(_joined(cells, "(")), _joined(cells, "(["))
    for found in ways:
        if len(found) == n_columns:
            return (name, *found)
    for found in ways:
        if len(found) > n_columns and not name:
            return (" ".join(found[:-n_columns]), *found[-n_columns:])
    if len(ways[2]) == 1 and cells[0].startswith("("):
        return ("", *ways[2], *[""] * (n_columns - 1))
    if all(re.fullmatch(rf"{MISSING}|[-+]?0*\.?0*", cell, re.IGNORECASE) for cell in cells):
        return (name, cells[0], *[""] * (n_columns - 1))
    return f"{name} has {len(ways[0])} cells under {n_columns} headings, and is not read"


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
        if found and cell[0] in opening and not re.fullmatch(MISSING, cell, re.IGNORECASE):
            found[-1] += f" {cell}"
        else:
            found.append(cell)
    return found
