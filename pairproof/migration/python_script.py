"""The Python script: its blocks in the order of the R script, its prints, and what is left out.

A call site is one statement, a loop that fills a dict, or its entries one by one.  Several evaluations of one
call become one call with variables: what they share is written once.

    fit(read("data/f_north.csv"), reference="A"), fit(read("data/f_south.csv"), reference="B")
        -> fit(read(<0>), reference=<1>), [["data/f_north.csv", "A"], ["data/f_south.csv", "B"]]

Two expressions are walked side by side; where they part, a variable stands.
"""

from __future__ import annotations

import ast
import contextlib
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain
from typing import Any

import pairproof

from ..text import plural
from ..validation.verdicts.agreement import AGREEING
from .call_sites import BySite, Left
from .delivery import DATA
from .outcome import lost_in_words, of_python, of_r
from .steps.evaluated import CallSite, Key, key_parts, loop_names
from .steps.flow import Done
from .steps.interpreter import OURS
from .steps.python import commented, names_of
from .translate import python_code as python

#: Place of a :class:`Hole` -> its text.
Holes = Mapping[int, str]
NO_HOLES: Holes = {}
#: Columns of values beside the key, above which a loop is harder to read than its calls one by one.
MOST_COLUMNS = 2


@dataclass(frozen=True, eq=False)
class Hole(python.Result):
    """Where the evaluations differ, a result that is written by its name; call: -1 - column."""


@dataclass(eq=False)
class Column:
    """What stands at one place, an expression for each evaluation; `word` is the argument's name."""

    values: list[Any]
    word: str


def common(codes: Sequence[Any], same_file: Callable[[python.File], str]) -> tuple[Any, list[Column]]:
    """The evaluations as one expression with a :class:`Hole` for each column; a hole if nothing is shared."""
    columns: list[Column] = []
    seen: dict[tuple[str, ...], Hole] = {}

    def text(value: Any) -> str:
        """A word that is equal for equal expressions only."""
        return python.in_a_line(value, lambda r: f"result {r.call}", lambda f: f"file {same_file(f)}")

    def hole(values: list[Any], word: str) -> Hole:
        key = tuple(map(text, values))
        if key not in seen:
            seen[key] = Hole(-1 - len(columns))
            columns.append(Column(values, word))
        return seen[key]

    def merge(values: list[Any], word: str) -> Any:
        one = values[0]
        if len(set(map(text, values))) == 1:
            return one
        if len({type(v) for v in values}) > 1 or not isinstance(one, (python.Call, python.Method)):
            return hole(values, word)
        names = (v.function if isinstance(v, python.Call) else v.name for v in values)
        shapes = {(n, v.arguments and len(v.arguments), (*v.keywords,)) for n, v in zip(names, values)}
        if len(shapes) > 1:
            return hole(values, word)
        arguments = [merge(list(of), word) for of in zip(*(v.arguments or () for v in values))]
        keywords = {k: merge([v.keywords[k] for v in values], k) for k in one.keywords}
        if isinstance(one, python.Call):
            return python.Call(one.function, tuple(arguments), keywords)
        given = None if one.arguments is None else tuple(arguments)
        return python.Method(merge([v.of for v in values], word), one.name, given, keywords)

    return merge(list(codes), "value"), columns


#: Texts of a list that is written once where it stands more than once: levels of a factor.
LONG_LIST = 12


def shared_lists(code: Any) -> tuple[Any, list[list[str]]]:
    """The expression with a :class:`Hole` for each long list of texts that it has more than once, and these lists."""
    seen: Counter[tuple[str, ...]] = Counter()
    holes: dict[tuple[str, ...], Hole] = {}

    def of(value: Any) -> Any:
        match value:
            case list(texts) if len(texts) > LONG_LIST and {*map(type, texts)} == {str}:
                seen[tuple(texts)] += 1
                return holes.get(tuple(texts), value)
            case dict(entries):
                return {k: of(v) for k, v in entries.items()}
            case python.Call(function=f, arguments=given, keywords=words):
                return python.Call(f, tuple(map(of, given)), of(words))
        return value

    of(code)
    shared = [list(texts) for texts, n in seen.items() if n > 1]
    holes.update((tuple(texts), Hole(-1 - k)) for k, texts in enumerate(shared))
    return (of(code) if shared else code), shared


#: Characters of a call that R deparsed, beyond which the line of the script is shown instead.
LONGEST_CALL = 400
Digest = Callable[[python.File], str]
#: Characters of R's text above what it became.
MOST_TEXT = 200
#: R's warnings of a call that its comment names.
_WARNINGS = 2


class Files:
    """Names of the tables, after the variables and keys that they belong to."""

    def __init__(self, found: Sequence[CallSite], digest: Digest, taken: Sequence[str] = ()) -> None:
        self.digest = digest
        #: Digest -> path from the script's folder.
        self.paths: dict[str, str] = {}
        names = python.Unique(taken)
        for site in found:
            for k, step in enumerate(site.steps):
                tables = python.files(step.translation.code)
                several = len({digest(t) for t in tables}) > 1
                for file in tables:
                    if digest(file) not in self.paths:
                        own = several and file.stem not in ("", site.variable)
                        word = python.plain(file.stem if own else site.name)
                        if site.many:
                            word += "_" + python.plain(key_text(site.keys[k]), "value")
                        self.paths[digest(file)] = f"{DATA}/{names.name(word)}.csv"

    def path(self, file: python.File) -> str:
        """Its path from the script's folder, with "/"."""
        return self.paths[self.digest(file)]


class Writer:
    """Writes call sites; knows the names of all results and tables."""

    def __init__(self, found: Sequence[CallSite], tables: Files, done: Sequence[Done] = ()) -> None:
        self.tables, self.done = tables, done
        self.results: dict[int, str] = {}
        for site in found:
            for k, step in enumerate(site.steps):
                at = f"[{key_source(site.keys[k])}]" if site.many else ""
                self.results[step.call.id] = f"{site.name}{at}"
        self.loops = loop_names(found)
        self.base = ""

    def block(self, site: CallSite, inside: Sequence[str] = ()) -> Iterator[str]:
        """Lines of a site; `inside` stands where the values are made."""
        yield from self._said(site)
        self.base = python.INDENT if bridged([site]) else ""
        if self.base:
            yield f"with using({R_ANSWERS}):"
        yield from (self.base + text for text in self._code(site, inside))
        self.base = ""

    def _code(self, site: CallSite, inside: Sequence[str]) -> Iterator[str]:
        """Statements; the first lines of those of several stand at the margin, the others where they belong."""
        if not site.many:
            code, lists = shared_lists(site.steps[0].translation.code)
            words = [f"levels_{k}_of_{site.name}" for k in range(1, len(lists) + 1)]
            for word, values in zip(words, lists):
                yield f"{word} = {self._source(values, before=f'{word} = ')}"
            holes = {-1 - k: word for k, word in enumerate(words)}
            yield f"{site.name} = {self._source(code, before=f'{site.name} = ', holes=holes)}"
            return
        yield f"{site.name} = {{}}"
        yield from self._loop(site, inside) or self._entries(site, inside)

    def _said(self, site: CallSite) -> Iterator[str]:
        call = site.call
        before = f"{site.variable} <- " if site.variable else ""
        times = f", {len(site.steps)} calls" if site.many else ""
        text = f"{before}{call.text}"
        if call.text.startswith("FUN(") or "structure(" in call.text or len(call.text) > LONGEST_CALL:
            # What lapply calls it, and what do.call makes of data.
            text = next((d.text for d in self.done if d.task == site.task), text)
        yield from python.comment(f"{site.where}: {text}{times}")
        translation = site.steps[0].translation
        if translation.route == "bridge":
            yield from python.comment(f"stays in R: {translation.reason or 'through pairproof.bridge'}")
        for note in dict.fromkeys(n for s in site.steps for n in s.translation.notes):
            yield from python.comment(note)
        warned = list(dict.fromkeys(m for s in site.steps for m, _ in s.call.warnings))
        for message in warned[:_WARNINGS]:
            yield from python.comment(f"R warns: {message}", lines=2)

    def _source(self, value: Any, indent: str = "", before: str = "", holes: Holes = NO_HOLES) -> str:
        def named(result: python.Result) -> str:
            return holes.get(result.call) or self.results[result.call]

        def placed(file: python.File) -> str:
            return f"HERE / {python.text_literal(self.tables.path(file))}"

        return python.source(value, named, placed, self.base + indent, before)

    # -- several evaluations -----------------------------------------------------------------------------

    def _entries(self, site: CallSite, inside: Sequence[str]) -> Iterator[str]:
        for key, step in zip(site.keys, site.steps):
            before = f"{site.name}[{key_source(key)}] = "
            yield before + self._source(step.translation.code, before=before)
        if inside:
            yield f"for {', '.join(self.loops[site.name])} in {site.name}:"
            yield from (python.INDENT + line for line in inside)

    def _loop(self, site: CallSite, inside: Sequence[str]) -> list[str]:
        """A `for` loop; [] if the calls differ in more than a file and a few constants."""
        if len(site.steps) < 2:
            return []
        template, shared = common([s.translation.code for s in site.steps], self.tables.digest)
        if isinstance(template, Hole):
            return []
        variables = self.loops[site.name]
        found = {-1 - k: self._by_key(column, site, variables) for k, column in enumerate(shared)}
        columns = [column for column, text in zip(shared, found.values()) if not text]
        if len(columns) > MOST_COLUMNS:
            return []
        results = (text.partition("[")[0] for text in self.results.values())
        steps = (ast.parse("\n".join(lines)) for d in self.done for lines in (d.lines, d.inside))
        own = python.Names(chain(*self.loops.values(), results, *map(names_of, steps)))
        words = [own.name("file" if _all_files(c) else c.word, "value") for c in columns]
        holes = found | {-1 - shared.index(c): w for c, w in zip(columns, words)}
        target = f"{site.name}[{', '.join(variables)}]"
        lines = self._head(site, [*variables, *words], columns)
        before = f"{target} = "
        lines.append(f"{python.INDENT}{before}{self._source(template, python.INDENT, before, holes)}")
        return [*lines, *(python.INDENT + line for line in inside)]

    def _by_key(self, column: Column, site: CallSite, variables: Sequence[str]) -> str:
        """Source of a column that follows from the key; "" if it does not."""
        given = column, site, variables
        return self._file_by_key(*given) or _key_itself(*given) or self._result_by_key(*given)

    def _file_by_key(self, column: Column, site: CallSite, variables: Sequence[str]) -> str:
        if not _all_files(column):
            return ""
        parts = [p for key in site.keys for p in key_parts(key)]
        if not all(type(p) is int or isinstance(p, str) and python.plain(p, "") == p for p in parts):
            return ""
        ends = [f"_{key_text(key)}.csv" for key in site.keys]
        paths = [self.tables.path(file) for file in column.values]
        starts = {p.removesuffix(end) if p.endswith(end) else "" for p, end in zip(paths, ends)}
        if len(starts) != 1 or "" in starts:
            return ""
        inner = "_".join(f"{{{name}}}" for name in variables)
        return f'HERE / f"{starts.pop()}_{inner}.csv"'

    def _result_by_key(self, column: Column, site: CallSite, variables: Sequence[str]) -> str:
        """`f[r]`, where each evaluation uses the value of another site under its own key."""
        if not all(isinstance(v, python.Result) for v in column.values):
            return ""
        parts = zip((self.results[v.call] for v in column.values), map(key_source, site.keys))
        names = {text.removesuffix(end) if text.endswith(end := f"[{key}]") else "" for text, key in parts}
        return f"{names.pop()}[{', '.join(variables)}]" if len(names) == 1 and "" not in names else ""

    def _head(self, site: CallSite, names: Sequence[str], columns: Sequence[Column]) -> list[str]:
        before = f"for {', '.join(names)} in "
        if not columns:
            if site.keys == tuple(range(1, len(site.keys) + 1)):
                return [f"{before}range(1, {len(site.keys) + 1}):"]
            rows: list[Any] = list(site.keys)
        else:
            rows = [(*key_parts(key), *(c.values[k] for c in columns)) for k, key in enumerate(site.keys)]
        return [before + self._source(tuple(rows), before=before + ":") + ":"]


def bridged(found: Sequence[CallSite]) -> list[CallSite]:
    """The sites that stay in R."""
    return [s for s in found if any(step.translation.route == "bridge" for step in s.steps)]


def _all_files(column: Column) -> bool:
    return all(isinstance(v, python.File) for v in column.values)


def _key_itself(column: Column, site: CallSite, variables: Sequence[str]) -> str:
    """The variable, where the argument is its value."""
    for k, name in enumerate(variables):
        keys = [key_parts(key)[k] for key in site.keys]
        if all(type(a) is type(b) and a == b for a, b in zip(column.values, keys)):
            return name
    return ""


def key_source(key: Key) -> str:
    """A key as it stands between brackets: `"north"`, `1, "a"`."""
    return ", ".join(map(python.literal, key_parts(key)))


def key_text(key: Key) -> str:
    """A key in a file's name, before it is made safe."""
    return "_".join(map(str, key_parts(key)))


#: Names that the steps use, and how they are imported.
STANDARD = {"itertools": "import itertools", "re": "import re", "sys": "import sys"}
OTHERS = {"np": "import numpy as np", "pd": "import pandas as pd", "stats": "from scipy import stats"}
#: Folder of R's answers, and what they are in the script.
R_FOLDER, R_ANSWERS = "recorded/of_r", "R_OF_THE_RUN"
REPLAY = f"""{R_ANSWERS} = Backend(
    "live" if "--live" in sys.argv else "recorded", records=Records([HERE / "{R_FOLDER}"])
)"""
#: Written once in a script that shows numbers, vectors and tables.
SHOW = '''def show(value):
    """Print a vector or a table whole, other numbers with seven digits, as R does."""
    if hasattr(value, "to_string"):
        print(value.to_string())
    else:
        print(*(f"{v:.7g}" if isinstance(v, float) else v for v in np.atleast_1d(value)))'''


def script_text(of: BySite, tables: Files, test: str, script: str = "analysis.py") -> str:
    """The script's source; `test` is the name of its test, `script` its own."""
    captured, found = of.migration.captured, of.found
    blocks = [block for _, block in sorted(_blocks(of, tables), key=lambda b: b[0])]
    used = _names_in("\n".join(line for block in blocks for line in block))
    used |= {"np"} if "show" in used else set()
    used |= {"sys"} if bridged(found) else set()
    standard, others = ([text for name, text in of.items() if name in used] for of in (STANDARD, OTHERS))
    ours = ["from pairproof.bridge import Backend, Records, using"] if bridged(found) else []
    for module in {OURS[name].__module__ for name in used & {*OURS}}:
        own = sorted(name for name in used & {*OURS} if OURS[name].__module__ == module)
        ours.append(f"from {module} import {', '.join(own)}")
    ours = [*(f"import {module}" for module in modules(found)), *sorted(ours)]
    lines = [*python.docstring(_about(of, test, script)), "", *standard]
    lines += ["from pathlib import Path", "", *others, *([""] if others else []), *ours]
    lines += ["", "HERE = Path(__file__).parent"]
    if bridged(found):
        lines += ["#: R's results of that run; with --live, R itself is called.", REPLAY]
    lines += ["", "", *SHOW.split("\n"), ""] if "show" in used else []
    for block in blocks:
        # A print stands right below the statement that it belongs to, anything else apart.
        alone = len(block) == 1 and block[0][:1] not in ("#", " ")
        below = alone and lines[-1][:1] not in ("#", " ", "", "@")
        lines += block if below else ["", *block]
    if captured.ending != "done":
        lines += ["", *python.comment(f"The R script ended here: {captured.message}")]
    return "\n".join(lines) + "\n"


def _names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def modules(found: Sequence[CallSite]) -> list[str]:
    """Modules that the script imports: the package, and rooms of it that it does not load by itself."""
    codes = (step.translation.code for site in found for step in site.steps)
    calls = (part for code in codes for part in python.parts(code) if isinstance(part, python.Call))
    return sorted({"pairproof", *(_module(call.function) for call in calls)})


@lru_cache(maxsize=None)
def _module(function: str) -> str:
    """The module that has to be imported for a function's dotted path."""
    names = function.split(".")
    if names[1] in pairproof.__all__:
        return "pairproof"
    for n in range(len(names) - 1, 1, -1):
        with contextlib.suppress(ModuleNotFoundError):
            if find_spec(".".join(names[:n])) is not None:
                return ".".join(names[:n])
    return "pairproof"


def _about(of: BySite, test: str, script: str) -> list[str]:
    captured, found, done = of.migration.captured, of.found, of.migration.done
    ran, there = f"R {captured.r_version} ran {captured.text.name}", bridged(found)
    replayed = f"; R's recorded results of {plural(len(there), 'call')} are used" if there else ""
    about = [f"{captured.text.name} in Python, written by pairproof migrate{replayed}."]
    if not found:
        return [*about, f"{ran}; none of its calls has an equivalent here."]
    held = f" ({test})" if test else ""
    about.append(f"{ran}. Numbers compared with R's of that run{held}: {_counted(found, done)}.")
    if n := sum(d.state in ("comment", "partly") for d in done):
        are = f"{plural(n, 'statement')} about models {'is' if n == 1 else 'are'}"
        about.append(f"{are} not, or not wholly, in Python: comments in their places say why.")
    if lost := lost_in_words(captured, done)[0]:
        about.append(f"{lost}.")
    if there:
        names = ", ".join(s.name for s in there[:8]) + f" and {len(there) - 8} more" * (len(there) > 8)
        where = f"{plural(len(there), 'call')} stay{'s' if len(there) == 1 else ''}"
        where += f" in R, through pairproof.bridge ({names})"
        live = f"`python {script} --live` calls R instead, where R and its packages are installed."
        about.append(f"{where}: R's results of that run are read from {R_FOLDER}. {live}")
    return about


def _counted(found: Sequence[CallSite], done: Sequence[Done]) -> str:
    steps = [step for site in found for step in site.steps]
    rows = [*of_python(steps), *(a for d in done for a in d.rows)]
    verdicts = Counter("agree" if a.verdict in AGREEING else a.verdict for a in rows)
    verdicts += Counter({"of R": len(of_r(steps))})
    words = {
        "agree": "agree",
        "explained": "differ, with an explanation",
        "differs": "differ without explanation",
        "not-estimable": "not estimable, whatever R prints",
        "not-checkable": "could not be checked",
        "of R": "of calls that stay in R are R's own",
    }
    said = [f"{verdicts.pop(v):,} {text}" for v, text in words.items() if v in verdicts]
    said += [f"{n:,} {v}" for v, n in verdicts.items()]
    return ", ".join(said) or "none was compared"


def _blocks(of: BySite, tables: Files) -> Iterator[tuple[tuple[int, int, int, int], list[str]]]:
    """Lines, and their place: the expression that ran, then calls in their order, then what is done with them."""
    found, left, done = of.found, of.left, of.migration.done
    writer, inside = Writer(found, tables, done), {d.of: d.inside for d in done if d.of}
    for site in found:
        yield (site.task, 0, site.call.id, 0), list(writer.block(site, inside.get(site.name, ())))
    said = {d.task for d in done if d.state in ("comment", "data")}
    for k, entry in enumerate(left):
        # A call that is only mentioned has no number; it stands at its line.
        if entry.task not in said:
            yield (entry.task, 0 if entry.first else 1, entry.first or k, 1), list(python.comment(str(entry)))
    called = {site.task for site in found}
    texts = {(site.task, site.call.text) for site in found}
    for together in _together([d for d in done if not d.inside and d.state != "call"], called):
        first = together[0]
        if first.state in ("translated", "partly"):
            text, lines = python.one_line(first.text, MOST_TEXT), list(first.lines)
            if (first.task, first.text) not in texts:
                lines = commented(f"{first.place}: {text}", lines)
            if other := [a for a in first.rows if a.verdict == "differs" and None not in (a.r, a.native)]:
                text = f"DIFFERS from R in {len(other)} numbers, first: R has {other[0].r:.7g}, Python {other[0].native:.7g}"
                lines = [*python.comment(text), *lines]
        else:
            lines = [DATA_OF_R] if len(together) > 1 and first.state == "data" else []
            lines += [line for d in together for line in _comment_of(d, left, len(together) > 1)]
        yield (first.task, 2, 0, 0), lines


def _together(done: Sequence[Done], called: Container[int]) -> Iterator[list[Done]]:
    """Each by itself, comments that follow each other together."""
    block: list[Done] = []
    for d in done:
        apart = d.lines or d.state != block[-1].state or d.task in called if block else False
        if block and (apart or d.task != block[-1].task + 1):
            yield block
            block = []
        block.append(d)
    if block:
        yield block


#: Above lines of R that only prepare what its fits are given.
DATA_OF_R = "# R's packages and data; the tables beside this script hold what its fits were given:"


def _comment_of(d: Done, left: Sequence[Left], among: bool) -> Iterator[str]:
    """A line of R that has no Python, why, and what it gave in that run."""
    gave = f"; R gave {d.value}" if d.value else ""
    reasons = list(dict.fromkeys(e.reason for e in left if e.task == d.task))
    if d.state == "data" and among and not reasons:
        yield from python.comment(f"  {d.place}: {python.one_line(d.text, 80)}{gave}", lines=2)
        return
    why = "; ".join(reasons) or ("data of R" if d.state == "data" else d.why)
    text = python.one_line(d.text, 160)
    yield from python.comment(f"{d.place}: {text} -> {why or 'it prints nothing'}{gave}")
