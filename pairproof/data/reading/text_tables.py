"""Tables in a text: LaTeX, HTML, Markdown, or columns set apart by blanks, as a PDF's text and R's `print` have them.

Cells stay words: what they mean is for others to say.  What LaTeX, HTML and Markdown say of looks is gone; a minus
(U+2212) stays the sign it is, and a raised number keeps its `^`, since 10^-5 is not 10-5.  In columns set apart by
blanks a name may hold blanks itself: where neither counts of words, nor wide gaps, nor the places of the columns tell
where it ends, the text is no table.  Time and memory grow with the length of the text, which has a limit.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from ...errors import InputError
from ...text import listed, quoted

Form = Literal["LaTeX", "HTML", "Markdown", "text"]
#: Characters of a text, cells of its tables, tables, and lines of one in columns: no paper prints more, and a
#: page of the web may hold anything.
MOST_CHARACTERS, MOST_CELLS, MOST_TABLES, MOST_LINES = 1 << 21, 1_000_000, 1000, 20_000


@dataclass(frozen=True)
class TextTable:
    """One table of a text.

    header, rows: all of one length; names of several header rows are joined.  line: of the text on which it begins.
    lines: of each row.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    form: Form
    line: int
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        form = self.form if self.form != "text" else "columns separated by blanks"
        called = f", captioned {quoted(self.caption)}" if self.caption else ""
        return f"a table of {form} with {len(self.rows)} rows below the header ({listed(self.header, 8)}){called}"


def one_table(text: str, source: str) -> TextTable | None:
    """The only table in a text; None where there is none, and its name and beginning do not say that it is a page."""
    found = text_table(text, source)
    if len(found) == 1 or not (found or is_page(text, source)):
        return found[0] if found else None
    which = "; ".join(f"line {t.line}{f': {quoted(t.caption)}' if t.caption else ''}" for t in found[:8])
    cure = f"copy the one you need to its own file ({which})" if found else "check whether it is complete"
    raise InputError(f"{source}: {len(found) or 'no'} tables found in {form_of(text)}; expected one; {cure}")


def text_table(text: str, source: str) -> list[TextTable]:
    """The tables in a text, in the order in which they stand there."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"{source}: {len(text):,} characters; at most {MOST_CHARACTERS:,} are searched for tables: copy the table to"
            " its own file, or save it as CSV"
        )
    form = form_of(text)
    make = {"HTML": _html, "LaTeX": _latex, "Markdown": _markdown, "text": _blocks}[form]
    found, n_cells = list[TextTable](), 0
    for grid in make(text, source):
        if (table := grid.table(form)) is not None:
            found.append(table)
            n_cells += len(table.rows) * len(table.header)
        if len(found) > MOST_TABLES or n_cells > MOST_CELLS:
            raise InputError(
                f"{source}: more than {MOST_TABLES:,} tables, or {MOST_CELLS:,} cells, in one text; copy the table you"
                " need to its own file, or save it as CSV"
            )
    return found


def form_of(text: str) -> Form:
    """How the tables of a text are written."""
    if re.search(r"<t(able|r|d|h)\b", text, re.I):
        return "HTML"
    if re.search(r"\\begin\{|&[^&\n\\]*\\\\", text):
        return "LaTeX"
    return "Markdown" if any(map(_is_line_of_markdown, text.splitlines())) else "text"


def is_page(text: str, source: str) -> bool:
    """Whether this is LaTeX, HTML or Markdown by its name, or by how it begins."""
    suffixes = (".tex", ".html", ".htm", ".md", ".markdown")
    return source.lower().endswith(suffixes) or text[:4000].lstrip()[:1] in ("<", "\\", "|", "%")


def is_text_table(text: str, source: str) -> bool:
    """Whether a text is a page, or columns set apart by blanks by its first lines, and no CSV."""
    first, *more = (text[:4000].lstrip().splitlines() or [""])[:4]
    if is_page(text, source):
        return True
    if more and _is_line_of_markdown(more[0]):
        return True
    delimiters = [d for d in ",;\t" if d in first and any(d in line for line in more)]
    return not delimiters and any(len(line.split()) > 1 for line in (first, *more)) and len(more) > 0


@dataclass
class _Grid:
    """The cells of a table while they are found; None is a cell that one on its left spans."""

    source: str
    line: int
    caption: str = ""
    rows: list[list[str | None]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    heads: int = 0
    below: dict[int, tuple[int, str | None]] = field(default_factory=dict)
    n_cells: int = 0

    def row(self, line: int) -> None:
        """Begin a row."""
        if self.rows:
            self.spanned()
        self.rows.append([])
        self.lines.append(line)

    def cell(self, text: str, across: int = 1, down: int = 1) -> None:
        """Add a cell, after those that the rows above have put there."""
        row = self.rows[-1]
        self.spanned()
        self._count(across)
        for word in (text, *[None] * (across - 1)):
            if down > 1:
                self.below[len(row)] = (down - 1, word)
            row.append(word)

    def spanned(self) -> None:
        """Add the cells that reach down from above to this place."""
        row = self.rows[-1]
        while len(row) in self.below:
            left, word = self.below.pop(len(row))
            if left > 1:
                self.below[len(row)] = (left - 1, word)
            self._count(1)
            row.append(word)

    def _count(self, n: int) -> None:
        self.n_cells += n
        if self.n_cells > MOST_CELLS:
            raise InputError(
                f"{self.source}, line {self.line}: a table of more than {MOST_CELLS:,} cells; save it as CSV"
            )

    def table(self, form: Form) -> TextTable | None:
        """The table, if it has a header and a row, and two columns."""
        width = max(map(len, self.rows), default=0)
        about, body, heads = [self.caption], list[tuple[int, list[str | None]]](), 0
        for k, (line, row) in enumerate(zip(self.lines, self.rows)):
            words = [word for word in row if word]
            # One cell from left to right, or over all columns but the first, is words about the table.
            if len(words) == 1 and len(row) == width and row[-1] is None and row.count(None) >= width - 2:
                about += words
            elif words:
                body.append((line, row))
                heads += k < self.heads
        heads = max(1, heads)
        if width < 2 or len(body) <= heads:
            return None
        self._count(width * len(body))
        top = [_named(row, width) for _, row in body[:heads]]
        header = [" ".join(dict.fromkeys(word for row in top if (word := row[k]))) for k in range(width)]
        rows = [tuple(word or "" for word in (*row, *[""] * (width - len(row)))) for _, row in body[heads:]]
        lines = [line for line, _ in body]
        caption = " ".join(filter(None, about))
        return TextTable(caption, tuple(header), tuple(rows), form, lines[0], tuple(lines[heads:]))


def _named(row: Sequence[str | None], width: int) -> list[str]:
    """A row of the header, in which a cell that spans others names each of them."""
    found: list[str] = []
    for word in row:
        found.append(found[-1] if word is None else word)
    return [*found, *[""] * (width - len(found))]


def _plain(words: Iterable[str]) -> str:
    """Text with one blank where there were several, or line ends, or hard blanks."""
    return " ".join("".join(words).split())


# -- LaTeX ---------------------------------------------------------------------------------------------------

#: Braces and what is in them, three deep as columns are declared: without a limit the search would take the
#: square of the length.
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_TABLES = "tabular[*xy]?|tabulary|longtable|array|tabu|supertabular|NiceTabular"
_ENVIRONMENT = re.compile(rf"\\(begin|end)\{{(?:{_TABLES})\}}(?:\[[^\]\n]*\]|{_BRACES})*")
_CAPTION = re.compile(rf"\\caption({_BRACES})")
#: What divides a table, and what hides such marks from it.
_DIVISION = re.compile(r"[{}&]|\\(?:begin|end|tabularnewline|cr)(?![A-Za-z])|\\.", re.S)
_ACROSS = re.compile(rf"\\multicolumn\{{\s*([1-9][0-9]{{0,5}})\s*\}}{_BRACES}")
_ROW_ENDS = ("\\\\", r"\tabularnewline", r"\cr")
_BELOW_HEADS = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead)(?![A-Za-z])")
#: Commands that print nothing, by the number of their braces.
_WORDLESS = {
    0: "hline toprule midrule bottomrule endhead endfirsthead footnotemark addlinespace",
    1: "cline cmidrule label color cellcolor rowcolor textcolor vspace hspace ref cite begin end footnote"
    " tablefootnote tnote rotatebox",
    2: "rule fontsize setlength renewcommand multirow",
    3: "specialrule",
}  # fmt: skip
_NOTHING = re.compile(
    "|".join(
        rf"\\(?:{names.replace(' ', '|')})(?![A-Za-z])\*?(?:\([lr]*\))?(?:\[[^]\n]*\])?(?:{_BRACES}){{0,{n}}}"
        for n, names in _WORDLESS.items()
    )
)
_MARK = re.compile(r"\\[A-Za-z]+|\\.|-{2,3}|[{}_~&]|\^(?!\{?[-+\d\u2212])", re.S)
_PRINTED = {
    r"\textminus": "\u2212", r"\pm": "±", r"\times": "×", r"\cdot": "·", r"\cdots": "-", r"\ldots": "-", r"\dots": "-",
    r"\le": "<=", r"\leq": "<=", r"\ge": ">=", r"\geq": ">=", r"\lt": "<", r"\gt": ">", r"\quad": " ", r"\qquad": " ",
    r"\textendash": "–", r"\textemdash": "—", r"\ast": "*", r"\textless": "<", r"\textgreater": ">", r"\colon": ":",
    "--": "–", "---": "—", **{rf"\{sign}": sign for sign in "&%$#_{}"},
    **dict.fromkeys(("~", "&", "\\\\", r"\ ", r"\,", r"\;", r"\:"), " "),
}  # fmt: skip
#: Of commands in formulas these are about looks; the others (\beta, \log) are words.
_LOOKS = re.compile(
    r"\\(math|text|it|bf|rm|sf|tt|hat|widehat|tilde|bar|left|right|phantom|mbox|big|Big|display|small).*"
)


def _latex(text: str, source: str) -> Iterator[_Grid]:
    """The tables of LaTeX; rows without an environment around them are one table."""
    text = re.sub(r"(?<!\\)%[^\n]*", "", text)
    found, depth, begin = list[tuple[int, int]](), 0, 0
    for match in _ENVIRONMENT.finditer(text):  # a table in a cell is a part of that cell
        begin = begin if depth else match.end()
        depth = max(0, depth + (1 if match[1] == "begin" else -1))
        if not depth and begin < match.start():
            found.append((begin, match.start()))
    found += [(begin, len(text))] if depth or not found else []
    found = found[: MOST_TABLES + 1]
    ends, nexts = [0, *(end for _, end in found)], [*(begin for begin, _ in found[1:]), len(text)]
    line, at = 1, 0
    for (begin, end), before, after in zip(found, ends, nexts):
        line, at = line + text.count("\n", at, begin), begin
        grid = _latex_table(text, begin, end, line, source)
        captions = [*_CAPTION.finditer(text, before, begin)] or [*_CAPTION.finditer(text, end, after)]
        grid.caption = _words(captions[-1][1]) if captions else ""
        yield grid


def _latex_table(text: str, begin: int, end: int, line: int, source: str) -> _Grid:
    grid, row, depth, at, of_row = _Grid(source, line), list[str](), 0, begin, line
    for match in _DIVISION.finditer(text, begin, end):
        mark = match[0]
        if mark in ("{", "}", r"\begin", r"\end"):
            depth += 1 if mark in ("{", r"\begin") else -1
        elif depth <= 0 and mark in ("&", *_ROW_ENDS):
            line, at = line + text.count("\n", at, match.start()), match.start()
            of_row = of_row if row else line
            row.append(text[begin : match.start()])
            begin = match.end()
            if mark != "&":
                _latex_row(grid, row, of_row)
                row = []
    _latex_row(grid, [*row, text[begin:end]], of_row if row else line + text.count("\n", at, end))
    return grid


def _latex_row(grid: _Grid, cells: Sequence[str], line: int) -> None:
    """Add a row, if it holds more than rules, of which the first below words ends the header."""
    first = re.sub(r"^\*?\s*\[[^]]*\]", "", cells[0]) if grid.rows else cells[0]  # \\[2pt]
    if len(cells) == 1 and not _words(first):
        return
    if not grid.heads and any(map(any, grid.rows)) and _BELOW_HEADS.search(first):
        grid.heads = len(grid.rows)
    grid.row(line)
    for cell in (first, *cells[1:]):
        across = _ACROSS.search(cell)
        grid.cell(_words(cell[across.end() if across else 0 :]), int(across[1]) if across else 1)


def _words(cell: str) -> str:
    """What is printed of a cell."""
    parts = re.split(r"(?<!\\)(?:\$|\\[()])", _NOTHING.sub("", cell))
    return _plain(_MARK.sub(partial(_printed, formula=k % 2 == 1), part) for k, part in enumerate(parts))


def _printed(match: re.Match[str], formula: bool) -> str:
    """What is printed of a command or a mark."""
    mark = match[0]
    if mark in _PRINTED:
        return _PRINTED[mark]
    if formula:
        return mark[1:] if mark[1:].isalpha() and not _LOOKS.fullmatch(mark) else ""
    return mark if mark == "_" else ""


# -- HTML ----------------------------------------------------------------------------------------------------


_TAG = re.compile(r"<(/?)([A-Za-z]+)((?:[\s/][^<>]*)?)>|[^<]+|<")
_RAISED = re.compile(r"<sup(?:\s[^<>]*)?>(?=[-+\u2212\d]|&minus;)", re.I)


@dataclass
class _OpenTable:
    """A table of HTML that is not closed, and its cell; one inside a cell is a table of its own, and no part of that cell."""

    grid: _Grid
    words: list[str] | None = None
    within: str = ""
    span: tuple[int, int] = (1, 1)
    heading: bool = True

    def tag(self, tag: str, attributes: str, line: int) -> None:
        """End the cell where a tag opens or closes, and begin what opens; attributes: of a tag that does."""
        self.flush()
        if tag == "tr":
            self.grid.row(line)
        elif tag in ("td", "th", "caption"):
            self.words, self.within = [], tag
            self.span = (_span("col", attributes), _span("row", attributes))

    def flush(self) -> None:
        """End the cell."""
        words, grid = self.words, self.grid
        if words is not None and self.within == "caption":
            grid.caption = _plain(words)
        elif words is not None and grid.rows:
            grid.cell(_plain(words), *self.span)
            # leading rows of nothing but <th> are the header
            if self.within == "td" and (grid.rows[-1] != [""]):
                self.heading, grid.heads = False, min(grid.heads, len(grid.rows) - 1)
            elif self.heading:
                grid.heads = len(grid.rows)
        self.words = None


def _span(which: str, attributes: str) -> int:
    found = re.search(which + r"span\s*=\s*[\"']?([1-9][0-9]{0,5})\b", attributes, re.I)
    return int(found[1]) if found else 1


def _html(text: str, source: str) -> Iterator[_Grid]:
    """The tables of HTML.  The standard library's parser takes the square of the length for a tag that is not closed."""
    first, *later = text.split("<!--")
    text = "".join([first, *(part.partition("-->")[2] for part in later)])
    done, opened, line = list[_Grid](), list[_OpenTable](), 1
    for match in _TAG.finditer(_RAISED.sub("^", text)):
        tag, closes = (match[2] or "").lower(), bool(match[1])
        if not closes and (tag == "table" or (tag == "tr" and not opened)):
            opened.append(_OpenTable(_Grid(source, line)))
        if opened and tag in ("tr", "td", "th", "caption", "tbody", "tfoot", "table"):
            opened[-1].tag("" if closes else tag, match[3], line)
        elif opened and opened[-1].words is not None and (not tag or tag == "br"):
            opened[-1].words.append(html.unescape(match[0]) if not tag else " ")
        if closes and tag == "table" and opened:
            done.append(opened.pop().grid)
        line += match[0].count("\n")
    for table in opened:
        table.flush()
    return iter(sorted([*done, *(table.grid for table in opened)], key=lambda grid: grid.line))


# -- Markdown ------------------------------------------------------------------------------------------------


def _is_line_of_markdown(line: str) -> bool:
    """Whether this is the line below a header, |---|:--:|."""
    cells = line.strip().strip("|").replace("+", "|").split("|")
    return "|" in line and all("-" in cell and not cell.strip().strip(":").strip("-") for cell in cells)


def _markdown(text: str, source: str) -> Iterator[_Grid]:
    lines = text.splitlines()
    after = 0
    for k, line in enumerate(lines):
        if k <= after or "|" not in lines[k - 1] or not _is_line_of_markdown(line):
            continue
        grid = _Grid(source, k, heads=1)
        above = next((line.strip() for line in reversed(lines[max(0, k - 3) : k - 1]) if line.strip()), "")
        grid.caption = "" if "|" in above else _unmarked(above.lstrip("#").rstrip(":"))
        after = next((n for n in range(k, len(lines)) if "|" not in lines[n]), len(lines))
        for n in (k - 1, *range(k + 1, after)):
            grid.row(n + 1)
            inside = re.sub(r"^\s*\||\|\s*$", "", lines[n].replace(r"\|", "\0"))
            for cell in inside.split("|"):
                grid.cell(_unmarked(cell.replace("\0", "|")))
        yield grid


def _unmarked(cell: str) -> str:
    """A cell of Markdown without the marks of bold, italics and code around all of it."""
    cell = _plain(html.unescape(cell))
    for mark in ("**", "__", "*", "_", "`"):
        if len(cell) > 2 * len(mark) and cell.startswith(mark) and cell.endswith(mark):
            cell = cell[len(mark) : -len(mark)]
    return cell


# -- columns set apart by blanks -------------------------------------------------------------------------

#: A number or what stands for none, so that it is no part of a name.
NUMBER_LIKE = re.compile(r"[<>(\[~]*[-+\u2212\u2013]?[.]?[0-9][-0-9.,:;/%)\]eE+*\u2212\u2013\u2014]*")
BLANKS = frozenset("- -- --- \u2212 \u2013 \u2014 . .. ... \u00b7 \u2022 * NA x X \\".split())
#: Columns in the places of a line.
_MOST_COLUMNS = 1000
_STARS = re.compile(r"[*.+\u2020]{1,3}")
_WORD = re.compile(r"<\s?[0-9.]\S*|\S+")


def _is_number(word: str) -> bool:
    return word in BLANKS or NUMBER_LIKE.fullmatch(word) is not None


def _blocks(text: str, source: str) -> Iterator[_Grid]:
    """Lines that stand together; rules between them are none, and R's --- ends a table."""
    block, before = list[tuple[int, str]](), ""
    for n, line in enumerate((*text.splitlines(), ""), 1):
        line = re.sub(r"^(##|#>) ?", "", line).rstrip()
        if line and line != "---":
            if not re.fullmatch(r"[-=_\s]{3,}", line):
                block.append((n, line))
            continue
        if len(block) > MOST_LINES:
            raise InputError(
                f"{source}, line {block[0][0]}: {len(block):,} lines without a blank line; a table in columns"
                f" can have at most {MOST_LINES:,} lines: save it as CSV"
            )
        if block:
            grid = _block(block, source)
            if grid is not None:
                grid.caption = grid.caption or before
                yield grid
            before = block[0][1].strip() if len(block) == 1 and grid is None else ""
        block = []


def _block(block: Sequence[tuple[int, str]], source: str) -> _Grid | None:
    """The table of a block, above whose header words about it may stand."""
    for top in range(min(4, len(block) - 1)):
        part = block[top:]
        about = re.match(r"\s*(Table|Tab\.)\s*[0-9A-Z]", part[0][1])
        if about or (top and any(map(_is_number, part[0][1].split()))):
            continue
        chunks = _chunks([line for _, line in part])
        found = [_cells([line for _, line in part[a:b]]) for a, b in chunks]
        labels = [None if cells is None else [row[0] for row in cells[1:]] for cells in found]
        if labels[0] is None or labels.count(labels[0]) < len(labels):
            continue
        rows = [
            [word for k, cells in enumerate(found) if cells for word in cells[n][k > 0 :]]
            for n in range(len(labels[0]) + 1)
        ]
        grid = _Grid(source, part[0][0], " ".join(line.strip() for _, line in block[:top]), heads=1)
        for (line, _), row in zip(part, rows):
            grid.row(line)
            for word in row:
                grid.cell(word)
        return grid
    return None


def _chunks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where R has broken a wide table: each part has a header of its own, which alone begins with a blank."""
    heads = [k for k, line in enumerate(lines) if line[0] == " "]
    step = heads[1] - heads[0] if len(heads) > 1 else len(lines)
    broken = step > 1 and heads == list(range(0, len(lines), step))
    return [(k, k + step) for k in heads] if broken else [(0, len(lines))]


def _cells(lines: Sequence[str]) -> list[list[str]] | None:
    """Header and rows as cells of one number; None where the lines do not tell where each ends."""
    wide = _by_gaps(lines)
    found = _by_words(lines) or wide or _by_places(lines) or _by_names(lines)
    # Prose may have as many words a line, but neither numbers in each nor wide gaps.
    return found if found == wide or all(any(map(_is_number, row)) for row in (found or [])[1:]) else None


def _even(rows: list[list[str]], names: bool = True) -> list[list[str]] | None:
    """The rows if all are as long; names: or the header is one shorter, as R's is above the names of rows."""
    lengths = {*map(len, rows[1:])}
    if len(lengths) == 1 and (n := lengths.pop()) > 1 and len(rows[0]) in (n, n - names):
        return [[""] * (n - len(rows[0])) + rows[0], *rows[1:]]
    return None


def _by_words(lines: Sequence[str]) -> list[list[str]] | None:
    """By blanks, where every line has as many words; or one more than the header and no name can be of two."""
    rows = [_WORD.findall(line) for line in lines]
    plain = all(_is_number(row[0]) or _is_number(row[1]) for row in rows[1:] if len(row) > 1)
    return _even(rows, names=plain)


def _by_gaps(lines: Sequence[str]) -> list[list[str]] | None:
    """By tabs, or two blanks and more, unless that leaves two numbers in one cell."""
    rows = [re.split(r"\t|\s{2,}", line.strip()) for line in lines]
    return None if _joined(rows) else _even(rows)


def _joined(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a cell holds two numbers."""
    return any(sum(map(_is_number, _WORD.findall(cell))) > 1 for row in rows for cell in row if " " in cell)


def _by_places(lines: Sequence[str]) -> list[list[str]] | None:
    """By the places of a line that are blank in every row; the header's words belong where they end, or begin."""
    head, *body = [line.expandtabs() for line in lines]
    width = max(map(len, body))
    filled = [False] * (width + 1)
    for line in body:
        for k, character in enumerate(line):
            filled[k] |= character != " "
    starts = [k for k in range(width) if filled[k] and not (k and filled[k - 1])]
    stops = [k for k in range(1, width + 1) if filled[k - 1] and not filled[k]]
    spans = list(zip(starts, stops))
    words = [(m.start(), m.end(), m.group()) for m in _WORD.finditer(head)]
    if len(spans) < 2 or len(spans) > _MOST_COLUMNS or not words:
        return None
    marks = all(_STARS.fullmatch(cell) for line in body if (cell := line[slice(*spans[-1])].strip()))
    stars = spans.pop() if marks and words[-1][1] <= spans[-1][0] else None
    if words[-1][1] == spans[-1][1]:  # as R prints numbers
        at = [sum(span[1] < end for span in spans) for _, end, _ in words]
    elif words[0][0] in starts and words[-1][0] in starts:
        at = [sum(span[0] <= start for span in spans) - 1 for start, _, _ in words]
    else:
        return None
    header = [" ".join(word for (_, _, word), k in zip(words, at) if k == own) for own in range(len(spans))]
    rows = [[line[a:b].strip() for a, b in spans] for line in body]
    first = next(k for k, name in enumerate(header) if name)
    # names that hold a blank at one and the same place are still one
    for k in range(len(spans) - 1, first, -1):
        if not header[k] and k + 1 < len(spans) and spans[k + 1][0] - spans[k][1] == 1:
            for row in rows:
                row[k : k + 2] = [_plain((row[k], " ", row[k + 1]))]
            del header[k]
    if first > 1 or "" in header[first:] or _joined(rows):
        return None
    if stars is not None:
        header.append("")
        rows = [[*row, line[slice(*stars)].strip()] for row, line in zip(rows, body)]
    return [header, *rows]


def _by_names(lines: Sequence[str]) -> list[list[str]] | None:
    """By the numbers at the end of each line, all that stands before them being the row's name."""
    head, *body = [_WORD.findall(line) for line in lines]
    tails = [
        next((k for k, word in enumerate(reversed(row)) if not _is_number(word)), len(row)) for row in body
    ]
    n = tails[0]
    if {*tails} != {n} or n < 1 or any(len(row) == n for row in body):
        return None
    rows = [[" ".join(row[: len(row) - n]), *row[len(row) - n :]] for row in body]
    names, found, k = {row[0] for row in rows}, list[str](), 0
    lengths = sorted({1, *(name.count(" ") + 1 for name in names)})
    while k < len(head):  # names of rows are names of columns, too, in a square
        long = max(m for m in lengths if m == 1 or " ".join(head[k : k + m]) in names)
        found.append(" ".join(head[k : k + long]))
        k += long
    return [[""] * (n + 1 - len(found)) + found, *rows] if len(found) in (n, n + 1) and n > 1 else None
