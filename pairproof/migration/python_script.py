"""The Python script: its blocks in the order of the R script, its prints, and what is left out.

A call site is one statement, a loop that fills a dict, or its entries one by one.  Several evaluations of one
call become one call with variables: what they share is written once.

    fit(read("data/f_north.csv"), reference="A"), fit(read("data/f_south.csv"), reference="B")
        -> fit(read(<0>), reference=<1>), [["data/f_north.csv", "A"], ["data/f_south.csv", "B"]]

Two expressions are walked side by side; where they part, a variable stands.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Union

import pairproof

from ..bridge.capture.recorded import Captured
from ..validation.verdicts.agreement import AGREEING
from .call_sites import CallSite, Key, Left, Print
from .delivery import DATA
from .translate import python_code as python

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
        values = [python.expression(v) for v in values]
        one = values[0]
        if len(set(map(text, values))) == 1:
            return one
        if len({type(v) for v in values}) > 1 or not isinstance(one, (python.Call, python.Method)):
            return hole(values, word)
        shapes = {
            (v.function if isinstance(v, python.Call) else v.name, len(v.arguments or ()), tuple(v.keywords))
            for v in values
        }
        if len(shapes) > 1 or len({v.arguments is None for v in values}) > 1:
            return hole(values, word)
        arguments = [merge(list(of), word) for of in zip(*(v.arguments or () for v in values))]
        keywords = {k: merge([v.keywords[k] for v in values], k) for k in one.keywords}
        if isinstance(one, python.Call):
            return python.Call(one.function, tuple(arguments), keywords)
        given = None if one.arguments is None else tuple(arguments)
        return python.Method(merge([v.of for v in values], word), one.name, given, keywords)

    return merge(list(codes), "value"), columns


Digest = Callable[[python.File], str]
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
                tables = python.files(python.expression(step.translation.code))
                for file in tables:
                    if digest(file) not in self.paths:
                        several = len({digest(t) for t in tables}) > 1 and file.stem not in (
                            "",
                            site.variable,
                        )
                        word = python.plain(file.stem if several else site.name)
                        if site.many:
                            word += "_" + python.plain(key_text(site.keys[k]), "value")
                        self.paths[digest(file)] = f"{DATA}/{names.name(word)}.csv"

    def path(self, file: python.File) -> str:
        """Its path from the script's folder, with "/"."""
        return self.paths[self.digest(file)]


class Writer:
    """Writes call sites; knows the names of all results and tables."""

    def __init__(self, found: Sequence[CallSite], tables: Files) -> None:
        self.tables = tables
        self.results: dict[int, str] = {}
        for site in found:
            for k, step in enumerate(site.steps):
                self.results[step.call.id] = (
                    f"{site.name}[{key_source(site.keys[k])}]" if site.many else site.name
                )
        self._names = python.Names(site.name for site in found)
        self._loop_names: dict[str, str] = {}

    def block(self, site: CallSite, inside: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Lines of a site; `inside` is printed where the values are made."""
        yield from self._said(site)
        if not site.many:
            yield f"{site.name} = {self._source(site.steps[0].translation.code, before=f'{site.name} = ')}"
            return
        yield f"{site.name} = {{}}"
        yield from self._loop(site, inside) or self._entries(site, inside)

    def loop_variables(self, site: CallSite) -> list[str]:
        """Names of the variables that run over the keys."""
        words = site.loop_names or ("i",) * len(key_parts(site.keys[0]))
        return [self._loop_name(word) for word in words]

    def _loop_name(self, word: str) -> str:
        """The same name for a loop variable wherever the script uses it."""
        if word not in self._loop_names:
            self._loop_names[word] = self._names.name(word, "key")
        return self._loop_names[word]

    def _said(self, site: CallSite) -> Iterator[str]:
        call = site.call
        before = f"{site.variable} <- " if site.variable else ""
        times = f", {len(site.steps)} calls" if site.many else ""
        yield from python.comment(f"{site.where}: {before}{call.text}{times}")
        translation = site.steps[0].translation
        if translation.route == "bridge":
            yield from python.comment(f"stays in R: {translation.reason or 'through pairproof.bridge'}")
        for note in dict.fromkeys(n for s in site.steps for n in s.translation.notes):
            yield from python.comment(note)
        warned = list(dict.fromkeys(m for s in site.steps for m, _ in s.call.warnings))
        for message in warned[:_WARNINGS]:
            yield from python.comment(f"R warns: {message}", lines=2)

    def _source(
        self, value: Any, indent: str = "", before: str = "", holes: Mapping[int, str] | None = None
    ) -> str:
        def named(result: python.Result) -> str:
            return (holes or {}).get(result.call) or self.results[result.call]

        def placed(file: python.File) -> str:
            return f"HERE / {python.text_literal(self.tables.path(file))}"

        return python.source(value, named, placed, indent, before)

    # -- several evaluations -----------------------------------------------------------------------------

    def _entries(self, site: CallSite, inside: Sequence[tuple[str, str]]) -> Iterator[str]:
        for key, step in zip(site.keys, site.steps):
            before = f"{site.name}[{key_source(key)}] = "
            yield before + self._source(step.translation.code, before=before)
        if inside:
            variables = self.loop_variables(site)
            yield f"for {', '.join(variables)} in {site.name}:"
            yield from self._inside(site, variables, inside)

    def _loop(self, site: CallSite, inside: Sequence[tuple[str, str]]) -> list[str]:
        """A `for` loop; [] if the calls differ in more than a file and a few constants."""
        if len(site.steps) < 2:
            return []
        template, shared = common([s.translation.code for s in site.steps], self.tables.digest)
        if isinstance(template, Hole):
            return []
        variables = self.loop_variables(site)
        holes, columns = self._holes(shared, site, variables)
        if len(columns) > MOST_COLUMNS:
            return []
        own = python.Names(
            [*self._loop_names.values(), *(s.partition("[")[0] for s in self.results.values())]
        )
        words = [own.name("file" if _all_files(c) else c.word, "value") for c in columns]
        holes.update({-1 - shared.index(c): w for c, w in zip(columns, words)})
        target = f"{site.name}[{', '.join(variables)}]"
        lines = self._head(site, variables, words, columns)
        before = f"{target} = "
        lines.append(f"{python.INDENT}{before}{self._source(template, python.INDENT, before, holes)}")
        return [*lines, *self._inside(site, variables, inside)]

    def _holes(
        self, shared: Sequence[Column], site: CallSite, variables: Sequence[str]
    ) -> tuple[dict[int, str], list[Column]]:
        """Source of the columns that follow from the key, and the columns that do not."""
        holes: dict[int, str] = {}
        rest = []
        for k, column in enumerate(shared):
            found = (
                self._file_by_key(column, site, variables)
                or _key_itself(column, site, variables)
                or self._result_by_key(column, site, variables)
            )
            if found:
                holes[-1 - k] = found
            else:
                rest.append(column)
        return holes, rest

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

    def _head(
        self, site: CallSite, variables: Sequence[str], words: Sequence[str], columns: Sequence[Column]
    ) -> list[str]:
        before = f"for {', '.join([*variables, *words])} in "
        if not columns:
            if site.keys == tuple(range(1, len(site.keys) + 1)):
                return [f"{before}range(1, {len(site.keys) + 1}):"]
            rows: list[Any] = list(site.keys)
        else:
            rows = [(*key_parts(key), *(c.values[k] for c in columns)) for k, key in enumerate(site.keys)]
        return (before + self._source(python.Constant(tuple(rows)), before=before + ":") + ":").split("\n")

    def _inside(
        self, site: CallSite, variables: Sequence[str], inside: Sequence[tuple[str, str]]
    ) -> Iterator[str]:
        for follows, said in inside:
            yield from python.comment(said, python.INDENT)
            yield f"{python.INDENT}print({site.name}[{', '.join(variables)}]{follows})"


def _all_files(column: Column) -> bool:
    return all(isinstance(v, python.File) for v in column.values)


def _key_itself(column: Column, site: CallSite, variables: Sequence[str]) -> str:
    """The variable, where the argument is its value."""
    if not all(isinstance(v, python.Constant) for v in column.values):
        return ""
    values = [v.value for v in column.values]
    for k, name in enumerate(variables):
        keys = [key_parts(key)[k] for key in site.keys]
        if all(type(a) is type(b) and a == b for a, b in zip(values, keys)):
            return name
    return ""


def key_source(key: Key) -> str:
    """A key as it stands between brackets: `"north"`, `1, "a"`."""
    return ", ".join(map(python.literal, key_parts(key)))


def key_text(key: Key) -> str:
    """A key in a file's name, before it is made safe."""
    return "_".join(map(str, key_parts(key)))


def key_parts(key: Key) -> tuple[Union[str, int, float], ...]:
    """The values of the loop variables."""
    return key if isinstance(key, tuple) else (key,)


HEAD = """
from pathlib import Path

{imports}

HERE = Path(__file__).parent
"""


def script_text(
    captured: Captured,
    found: Sequence[CallSite],
    left: Sequence[Left],
    shown: Sequence[Print],
    writer: Writer,
    test: str,
) -> str:
    """The script's source; `test` is the name of its test."""
    head = HEAD.format(imports="\n".join(f"import {module}" for module in modules(found)))
    lines = [*python.docstring(_about(captured, found, test)), *head.rstrip("\n").split("\n")]
    for _, block in sorted(_blocks(found, left, shown, writer), key=lambda b: b[0]):
        # A print stands right below the statement that it belongs to, anything else apart.
        below = block[0].startswith("print(") and lines[-1][:1] not in ("#", " ")
        lines += block if below else ["", *block]
    if captured.ending != "done":
        lines += ["", *python.comment(f"The R script ended here: {captured.message}")]
    return "\n".join(lines) + "\n"


def modules(found: Sequence[CallSite]) -> list[str]:
    """Modules that the script imports: the package, and rooms of it that it does not load by itself."""
    needed = {"pairproof"}
    for site in found:
        for step in site.steps:
            for part in python.parts(python.expression(step.translation.code)):
                if isinstance(part, python.Call):
                    needed.add(_module(part.function))
    return sorted(needed)


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


def _about(captured: Captured, found: Sequence[CallSite], test: str) -> list[str]:
    name = captured.text.name
    about = [f"{name} in Python, written by pairproof migrate."]
    if not found:
        return [*about, f"R {captured.r_version} ran {name}; none of its calls has a counterpart here."]
    held = f" ({test})" if test else ""
    about.append(
        f"R {captured.r_version} ran {name}, and each number was held against R's of that run{held}:"
        f" {_counted(found)}."
    )
    bridged = [s for s in found if any(step.translation.route == "bridge" for step in s.steps)]
    if bridged:
        where = "1 call stays" if len(bridged) == 1 else f"{len(bridged)} calls stay"
        about.append(f"{where} in R, through pairproof.bridge: for {_them(bridged)} R must be installed.")
    return about


def _them(bridged: Sequence[CallSite]) -> str:
    names = ", ".join(s.name for s in bridged[:8])
    return names if len(bridged) <= 8 else f"{names} and {len(bridged) - 8} more"


def _counted(found: Sequence[CallSite]) -> str:
    rows = (a for site in found for step in site.steps for a in step.rows)
    verdicts = Counter("agree" if a.verdict in AGREEING else a.verdict for a in rows)
    words = {
        "agree": "agree",
        "explained": "differ and are explained",
        "differs": "differ without explanation",
        "not-estimable": "not estimable, whatever R gives",
        "not-checkable": "cannot be checked, since R stopped before the maximum",
    }
    said = [f"{verdicts.pop(v):,} {text}" for v, text in words.items() if v in verdicts]
    said += [f"{n:,} {v}" for v, n in verdicts.items()]
    return ", ".join(said) or "none was compared"


def _blocks(
    found: Sequence[CallSite], left: Sequence[Left], shown: Sequence[Print], writer: Writer
) -> Iterator[tuple[tuple[int, int, int, int], list[str]]]:
    """Lines, and their place: the expression that ran, then calls in their order, then prints by line."""
    inside: dict[str, list[tuple[str, str]]] = {}
    for p in shown:
        if p.inside and p.expression is not None:
            inside.setdefault(p.of.name, []).append((p.expression, p.text))
    for site in found:
        yield (site.task, 0, site.call.id, 0), list(writer.block(site, inside.get(site.name, [])))
    for k, entry in enumerate(left):
        # A call that is only mentioned has no number; it stands at its line.
        yield (entry.task, 0 if entry.first else 1, entry.first or k, 1), list(python.comment(str(entry)))
    said = {(entry.where, entry.function) for entry in left}
    for k, p in enumerate(shown):
        if p.inside and p.expression is not None:
            continue
        where, _, call = p.text.partition(": ")
        head = call.partition("(")[0]
        if p.expression is None and any(w == where and f.startswith(head) for w, f in said):
            continue  # it is in the list of what is left out, with the reason
        yield (p.task, 1, p.line, k + 2), list(_printed(p, writer))


def _printed(p: Print, writer: Writer) -> Iterator[str]:
    if p.expression is None:
        yield from python.comment(p.text)
    elif not p.of.many:
        yield from python.beside(f"print({p.of.name}{p.expression})", p.text)
    elif p.key is not None:
        yield from python.beside(f"print({p.of.name}[{key_source(p.key)}]{p.expression})", p.text)
    else:
        variables = writer.loop_variables(p.of)
        yield from python.comment(p.text)
        yield f"for {', '.join(variables)} in {p.of.name}:"
        yield f"    print({p.of.name}[{', '.join(variables)}]{p.expression})"
