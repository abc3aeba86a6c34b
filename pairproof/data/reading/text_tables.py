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
        form = self.form if self.form != "text" else "columns set apart by blanks"
        called = f", called {quoted(self.caption)}" if self.caption else ""
        return f"a table of {form} with {len(self.rows)} rows below the header ({listed(self.header, 8)}){called}"


def one_table(text: str, source: str) -> TextTable | None:
    """The only table in a text; None where there is none, and its name and beginning do not say that it is a page."""
    found = text_table(text, source)
    if len(found) == 1 or not (found or is_page(text, source)):
        return found[0] if found else None
    which = "; ".join(f"line {t.line}{f': {quoted(t.caption)}' if t.caption else ''}" for t in found[:8])
    cure = (
        f"cut out the one that is meant into a file of its own ({which})"
        if found
        else "look whether it is whole"
    )
    raise InputError(f"{source}: {len(found) or 'no'} tables found in {form_of(text)}; expected one; {cure}")


def text_table(text: str, source: str) -> list[TextTable]:
    """The tables in a text, in the order in which they stand there."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"{source}: {len(text):,} characters; a text is searched for tables up to {MOST_CHARACTERS:,}: cut out the"
            " table, or save it as CSV"
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
                f"{source}: more than {MOST_TABLES:,} tables, or {MOST_CELLS:,} cells, in one text; cut out the table that is"
                " meant, or save it as CSV"
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

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}&$^_~]|-{2,3}|-|[^\\{}&$^_~-]+", re.S)
_TABLES = frozenset(
    "tabular tabular* tabularx tabulary longtable array tabu supertabular NiceTabular".split()
)
#: Commands whose braces hold no words: name -> how many braces.
_WORDLESS = {
    "cline": 1, "cmidrule": 1, "label": 1, "color": 1, "cellcolor": 1, "rowcolor": 1, "textcolor": 1, "vspace": 1, "hspace": 1,
    "rule": 2, "ref": 1, "cite": 1, "footnotemark": 0, "fontsize": 2, "setlength": 2, "begin": 1, "end": 1, "footnote": 1,
    "tablefootnote": 1, "tnote": 1, "addlinespace": 0, "specialrule": 3, "renewcommand": 2, "rotatebox": 1,
}  # fmt: skip
_RULES = frozenset("hline toprule midrule bottomrule cline cmidrule endhead endfirsthead".split())
_SIGNS = {
    "textminus": "\u2212", "pm": "±", "times": "×", "cdot": "·", "cdots": "-", "ldots": "-", "dots": "-", "le": "<=", "leq": "<=",
    "ge": ">=", "geq": ">=", "lt": "<", "gt": ">", "quad": " ", "qquad": " ", "textendash": "–", "textemdash": "—", "ast": "*",
    "textless": "<", "textgreater": ">", "colon": ":",
}  # fmt: skip
#: Of commands in formulas these are about looks; the others (\beta, \log) are words.
_LOOKS = re.compile(
    r"(math|text|it|bf|rm|sf|tt|hat|widehat|tilde|bar|left|right|phantom|mbox|big|Big|display|small).*"
)


def _latex(text: str, source: str) -> Iterator[_Grid]:
    """The tables of LaTeX; rows without an environment around them are one table."""
    tokens = _TOKEN.findall(re.sub(r"(?<!\\)%[^\n]*\n?", "\n", text))
    ends = _closings(tokens)
    lines, line = [], 1
    for token in tokens:
        lines.append(line)
        line += token.count("\n")
    begins = [k for k in range(len(tokens)) if _environment(tokens, k, r"\begin") in _TABLES]
    if not begins:
        return iter([_latex_table(tokens, ends, lines, 0, len(tokens), source)])
    begins = begins[: MOST_TABLES + 1]
    found, after = [], 0
    for k in begins:
        if k < after:  # a table in a cell is a part of that cell
            continue
        k += 4
        while k < len(tokens) and (tokens[k] == "{" or re.fullmatch(r"\[[^\n]*\]", tokens[k])):
            k = ends.get(k, k) + 1
        depth, after = 1, k
        while after < len(tokens) and depth:
            depth += _environment(tokens, after, r"\begin") in _TABLES
            depth -= _environment(tokens, after, r"\end") in _TABLES
            after += 1
        found.append((k, after))
    grids = [_latex_table(tokens, ends, lines, k, end, source) for k, end in found]
    captions = [k for k, token in enumerate(tokens) if token == r"\caption" and k + 1 in ends]
    befores, laters = [0, *(e for _, e in found)], [*(k for k, _ in found[1:]), len(tokens)]
    for grid, (k, end), before, later in zip(grids, found, befores, laters):
        own = [c for c in captions if before <= c < k] or [c for c in captions if end <= c < later]
        for c in own[-1:]:
            grid.caption = _plain(_words(tokens, ends, c + 2, ends[c + 1]))
    return iter(grids)


def _environment(tokens: Sequence[str], k: int, command: str) -> str:
    """The name of the environment that begins or ends here; "" where none does."""
    return tokens[k + 2] if tokens[k] == command and tokens[k + 1 : k + 4 : 2] == ["{", "}"] else ""


def _closings(tokens: Sequence[str]) -> dict[int, int]:
    """Where each brace that opens is closed."""
    found, opened = {}, []
    for k, token in enumerate(tokens):
        if token == "{":
            opened.append(k)
        elif token == "}" and opened:
            found[opened.pop()] = k
    return found


def _latex_table(
    tokens: Sequence[str], ends: dict[int, int], lines: Sequence[int], k: int, end: int, source: str
) -> _Grid:
    grid = _Grid(source, lines[k] if k < len(lines) else 1)
    begin, across, depth = k, 1, 0
    fresh = True

    def close() -> None:
        nonlocal across, fresh
        words = _plain(_words(tokens, ends, begin, k))
        if fresh and not words and tokens[k : k + 1] != ["&"]:
            return
        if fresh:
            grid.row(lines[begin] if begin < len(lines) else 1)
            grid.lines[-1] = lines[min(k, len(lines) - 1)]
        grid.cell(words, across)
        across, fresh = 1, False

    while k < end:
        token = tokens[k]
        name = token[1:].rstrip("*") if token[0] == "\\" else ""
        if token in "{}" or name in ("begin", "end"):
            depth += 1 if token == "{" or name == "begin" else -1
        elif depth <= 0 and name == "multicolumn" and k + 1 in ends:
            n = "".join(tokens[k + 2 : ends[k + 1]]).strip()
            across = int(n) if re.fullmatch("[1-9][0-9]{0,5}", n) else 1
            k = begin = ends.get(ends[k + 1] + 1, ends[k + 1]) + 1
            continue
        elif depth <= 0 and name == "multirow":
            for _ in range(2):
                k = ends.get(k + 1, k)
            begin = k + 1
        elif depth <= 0 and (token == "&" or token == "\\\\" or name in ("tabularnewline", "cr")):
            close()
            begin = k + 1
            fresh = fresh or token != "&"
        elif depth <= 0 and name in _RULES and fresh:
            if any(map(any, grid.rows)) and not grid.heads and name not in ("cline", "cmidrule"):
                grid.heads = len(grid.rows)
        k += 1
    close()
    return grid


def _words(tokens: Sequence[str], ends: dict[int, int], k: int, end: int) -> Iterator[str]:
    """What is printed of these tokens."""
    formula = False
    if tokens[k - 1 : k] == ["\\\\"] and k < end and re.match(r"\*?\s*\[", tokens[k]):
        yield re.sub(r"\*?\s*\[[^]]*\]?", "", tokens[k], count=1)  # \\[2pt]
        k += 1
    while k < end:
        token = tokens[k]
        name = token[1:].rstrip("*") if token[0] == "\\" else ""
        if token == "$" or token in (r"\(", r"\)"):
            formula = token != r"\)" and (token == r"\(" or not formula)
        elif name in _WORDLESS or name in _RULES:
            k += name in ("cmidrule",) and tokens[k + 1 : k + 2] != ["{"]  # (lr)
            for _ in range(_WORDLESS.get(name, 0)):
                k = ends.get(k + 1, k)
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif token[0] == "\\" and len(token) == 2 and not token[1].isalpha():
            yield token[1] if token[1] in "&%$#_{}" else " " if token[1] in " ,;:\\" else ""
        elif name and formula and not _LOOKS.fullmatch(name):
            yield name
        elif token == "^":
            yield "^" if re.match(r"[-+\d\u2212]", "".join(tokens[k + 1 : k + 3]).lstrip("{")) else ""
        elif token in ("--", "---"):
            yield "–" if token == "--" else "—"
        elif token in ("~", "&"):
            yield " "
        elif not name and token not in ("{", "}", "_"):
            yield token
        elif token == "_" and not formula:
            yield "_"
        k += 1


# -- HTML ----------------------------------------------------------------------------------------------------


_TAG = re.compile(r"<(/?)([A-Za-z]+)((?:[\s/][^<>]*)?)>|[^<]+|<")


class _Page:
    """Reads tables; one inside a cell of another is a table of its own, and no part of that cell."""

    def __init__(self, source: str) -> None:
        self.source, self.done = source, list[_Grid]()
        self.open = list[tuple[_Grid, tuple[list[str] | None, tuple[int, int], str]]]()
        self.words: list[str] | None = None
        self.span, self.within, self.heading, self.raised = (1, 1), "", True, False

    def begin(self, tag: str, attributes: str, line: int) -> None:
        """Take a tag that opens."""
        if tag == "table" or (tag == "tr" and not self.open):
            self.open.append((_Grid(self.source, line), (self.words, self.span, self.within)))
            self.words, self.heading = None, True
        if self.open and tag in ("tr", "tbody", "tfoot", "td", "th", "caption"):
            self.flush()
            if tag == "tr":
                self.open[-1][0].row(line)
            elif tag in ("td", "th", "caption"):
                self.words, self.within = [], tag
                self.span = (_span("col", attributes), _span("row", attributes))
        elif tag == "br":
            self.data(" ")
        self.raised = tag == "sup"

    def end(self, tag: str) -> None:
        """Take a tag that closes."""
        self.raised = False
        if tag in ("td", "th", "caption", "tr"):
            self.flush()
        if tag == "table" and self.open:
            self.finish()

    def data(self, words: str) -> None:
        """Take what is printed."""
        if self.words is not None:
            self.words += ["^"] * (self.raised and words[:1] in "-+\u22120123456789") + [words]
        self.raised = False

    def flush(self) -> None:
        """End the cell."""
        if self.words is not None and self.open:
            grid, words = self.open[-1][0], _plain(self.words)
            if self.within == "caption":
                grid.caption = words
            elif grid.rows:
                grid.cell(words, *self.span)
                # leading rows of nothing but <th> are the header
                if self.within == "td" and (words or len(grid.rows[-1]) > 1):
                    self.heading, grid.heads = False, min(grid.heads, len(grid.rows) - 1)
                elif self.heading:
                    grid.heads = len(grid.rows)
        self.words = None

    def finish(self) -> None:
        """End the table."""
        self.flush()
        grid, (self.words, self.span, self.within) = self.open.pop()
        self.done.append(grid)


def _span(which: str, attributes: str) -> int:
    found = re.search(which + r"span\s*=\s*[\"']?([1-9][0-9]{0,5})\b", attributes, re.I)
    return int(found[1]) if found else 1


def _html(text: str, source: str) -> Iterator[_Grid]:
    """The tables of HTML.  The standard library's parser takes the square of the length for a tag that is not closed."""
    first, *later = text.split("<!--")
    page, line = _Page(source), 1
    for match in _TAG.finditer("".join([first, *(part.partition("-->")[2] for part in later)])):
        if match[2] is None:
            page.data(html.unescape(match[0]))
        elif match[1]:
            page.end(match[2].lower())
        else:
            page.begin(match[2].lower(), match[3], line)
        line += match[0].count("\n")
    while page.open:
        page.finish()
    return iter(sorted(page.done, key=lambda grid: grid.line))


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
                f"{source}, line {block[0][0]}: {len(block):,} lines without a blank one; a table in columns is read up to"
                f" {MOST_LINES:,} lines: save it as CSV"
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
    wide = _by_tabs(lines) or _by_gaps(lines)
    found = _by_tabs(lines) or _by_words(lines) or wide or _by_places(lines) or _by_names(lines)
    # Prose may have as many words a line, but neither numbers in each nor wide gaps.
    return found if found == wide or all(any(map(_is_number, row)) for row in (found or [])[1:]) else None


def _even(rows: list[list[str]], names: bool = True) -> list[list[str]] | None:
    """The rows if all are as long; names: or the header is one shorter, as R's is above the names of rows."""
    lengths = {*map(len, rows[1:])}
    if len(lengths) == 1 and (n := lengths.pop()) > 1 and len(rows[0]) in (n, n - names):
        return [[""] * (n - len(rows[0])) + rows[0], *rows[1:]]
    return None


def _by_tabs(lines: Sequence[str]) -> list[list[str]] | None:
    if not all("\t" in line for line in lines):
        return None
    rows = [[cell.strip() for cell in line.split("\t")] for line in lines]
    width = max(map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]


def _by_words(lines: Sequence[str]) -> list[list[str]] | None:
    """By blanks, where every line has as many words; or one more than the header and no name can be of two."""
    rows = [_WORD.findall(line) for line in lines]
    plain = all(_is_number(row[0]) or _is_number(row[1]) for row in rows[1:] if len(row) > 1)
    return _even(rows, names=plain)


def _by_gaps(lines: Sequence[str]) -> list[list[str]] | None:
    """By two blanks and more, unless that leaves two numbers in one cell."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines]
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
    if "" in header[first:] or _joined(rows):
        return None
    if first > 1:  # names of rows that hold a blank at one and the same place
        header[:first] = [""]
        rows = [[_plain(word + " " for word in row[:first]), *row[first:]] for row in rows]
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
