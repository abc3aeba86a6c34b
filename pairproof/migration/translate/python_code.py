"""Python code as values: a call of a function of this package, with tables, constants and earlier results.

    read = Call("pairproof.read", (File(table),), {"layout": "counts"})
    Call("pairproof.fit_bradley_terry", (read,), {"reference": "A"})

Such an expression is evaluated (functions of this package, files where they were written, earlier results)
and written as text (in lines of at most `WIDTH` columns, one argument a line where needed) by two functions
that know the same few kinds, so that what a script says is what was held against R.  Names and texts of an R
script are in it as constants only: they become Python through `repr`, never by being put together with code.

A data frame of R is a CSV file beside the script, and the call that reads it with R's factors and types.

Words of an R script, which are data, as names of Python, names of files, comments and docstrings.

========================  ===================  ==========================================================
R                         Python               because
========================  ===================  ==========================================================
``m``                     ``m``
``fit.1``, ``fits$a``     ``fit_1``, ``fits_a``  other characters than letters and digits become "_"
``lambda``, ``print``     ``lambda_``, ...     Python's own words
``pairproof``, ``Path``   ``pairproof_``, ...  words of the script that is written
none                      ``fit_12``           after the line
========================  ===================  ==========================================================

A file's name has a fixed alphabet, and none is given twice, also where case does not count: whatever the word
holds (a slash, "..", a newline, a name that Windows keeps for a device), the file lies in the folder that it
was meant for.

A comment is one line of printable characters.  It ends at the end of its line, so it is enough that no
character of the text ends a line or hides what stands there: line ends and other blanks become one blank,
characters that are not printable (controls, marks of the reading direction, surrogates) become escapes.
"""

from __future__ import annotations

import builtins
import contextlib
import keyword
import math
import pkgutil
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ...bridge.values.convert import columns_of, factors_of, looks_otherwise
from ...bridge.values.nodes import RList, RVector
from ...errors import InputError

#: Functions that an expression may call begin with one of these.
ALLOWED = ("pairproof.",)
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+\Z")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class Result:
    """The Python value of an earlier call of the script, by the `id` of its RecordedCall."""

    call: int


#: Values of columns by name.
Columns = Mapping[str, Sequence[Any]]
NO_COLUMNS: Columns = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class File:
    """A CSV file beside the script; as an expression, its path.

    columns: in order: str, int, float, bool or None (missing), all of the same length.  stem: what to call it
    ("m"): a word of the script, such as the variable that the fit is assigned to; the writer makes it a file
    name, and gives equal tables one file.
    """

    columns: Columns
    stem: str

    def __post_init__(self) -> None:
        if len({len(v) for v in self.columns.values()}) > 1:
            lengths = {k: len(v) for k, v in self.columns.items()}
            raise InputError(f"columns of {self.stem}: lengths {lengths}")


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a public function by its dotted path; plain values stand for themselves."""

    function: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _DOTTED.match(self.function) or not self.function.startswith(ALLOWED):
            raise InputError(f"{self.function!r} is no function of pairproof")
        _check_arguments(self.arguments, self.keywords)


@dataclass(frozen=True, eq=False)
class Method:
    """A method or an attribute (arguments None) of a value: `m.summary()`, `m.params`."""

    of: Any
    name: str
    arguments: tuple[Any, ...] | None = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise InputError(f"{self.name!r} is no public name")
        _check_arguments(self.arguments or (), self.keywords)


def _check_arguments(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    for value in (*arguments, *keywords.values()):
        _check_constant(value)
    for name in keywords:
        if not name.isidentifier():
            raise InputError(f"{name!r} is no name of an argument")


def _check_constant(value: Any) -> None:
    if type(value) is float and math.isnan(value):
        raise InputError("nan has no constant; None is a missing value")
    inside: Sequence[Any] = ()
    if type(value) in (list, tuple):
        inside = value
    elif type(value) is dict:
        inside = (*value, *value.values())
    elif value is not None and not isinstance(value, KINDS) and type(value) not in (bool, int, float, str):
        raise InputError(f"{type(value).__name__} {str(value)[:40]!r} has no constant in Python source")
    for v in inside:
        _check_constant(v)


KINDS = (Result, File, Call, Method)


#: Any other value stands for itself: None, numbers, texts; lists, tuples, dicts of these or of expressions.
Expression = Union[Result, File, Call, Method]


def attribute(of: Any, name: str) -> Method:
    """`of.name`."""
    return Method(of, name, None)


def pieces(value: Any) -> list[tuple[str, Any]]:
    """What stands between the brackets of a list, a dict or a call, and the words before each."""
    if isinstance(value, dict):
        return [(f"{literal(k)}: ", v) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [("", v) for v in value]
    if isinstance(value, (Call, Method)):
        return [*(("", v) for v in value.arguments or ()), *((f"{k}=", v) for k, v in value.keywords.items())]
    return []


def parts(value: Any) -> Iterator[Any]:
    """The expression and all expressions within it, the outer first."""
    if isinstance(value, KINDS):
        yield value
    for v in (*([value.of] if isinstance(value, Method) else []), *(v for _, v in pieces(value))):
        yield from parts(v)


def files(value: Any) -> tuple[File, ...]:
    """The files that an expression reads."""
    return tuple(p for p in parts(value) if isinstance(p, File))


WIDTH = 110
INDENT = "    "
#: What a result is called; how a file's path is written.
Named = Callable[[Result], str]
Placed = Callable[[File], str]


def source(value: Any, named: Named, placed: Placed, indent: str = "", before: str = "") -> str:
    """The text of an expression after `before` (for the width only), results and files so named."""
    flat = in_a_line(value, named, placed)
    if len(indent) + len(before) + len(flat) <= WIDTH:
        return flat
    return _broken(value, named, placed, indent)


def literal(value: Any) -> str:
    """A plain value as source; an infinite number as a call that makes it."""
    if isinstance(value, float) and math.isinf(value):
        return f'float("{"-" if value < 0 else ""}inf")'
    if isinstance(value, str):
        return text_literal(value)
    return repr(value)


def text_literal(text: str) -> str:
    """A string in double quotes, everything that is not printable as an escape."""
    shown = repr(text)
    if shown.startswith("'") and '"' not in text and "'" not in text:
        return f'"{shown[1:-1]}"'
    return shown


def in_a_line(value: Any, named: Named, placed: Placed) -> str:
    """The same however long it is."""

    def flat(v: Any) -> str:
        if isinstance(v, Result):
            return named(v)
        if isinstance(v, File):
            return placed(v)
        left, right = _around(v, flat)
        return left + ", ".join(before + flat(x) for before, x in pieces(v)) + right if left else literal(v)

    return flat(value)


def _around(value: Any, text: Callable[[Any], str]) -> tuple[str, str]:
    """The brackets of an expression and what stands before them; "" if it has none."""
    if isinstance(value, (dict, list)):
        return ("{", "}") if isinstance(value, dict) else ("[", "]")
    if isinstance(value, tuple):
        return "(", ",)" if len(value) == 1 else ")"
    if isinstance(value, Call):
        return f"{value.function}(", ")"
    if isinstance(value, Method):
        called = value.arguments is not None
        return f"{text(value.of)}.{value.name}{'(' if called else ''}", ")" if called else ""
    return "", ""


def _broken(value: Any, named: Named, placed: Placed, indent: str) -> str:
    """Over several lines: arguments, or elements, one below the other."""
    deeper, inner = indent + INDENT, pieces(value)
    left, right = _around(value, lambda of: source(of, named, placed, indent))
    if not inner:
        return left + right if left else in_a_line(value, named, placed)
    nested = (*KINDS, list, dict, tuple)
    if isinstance(value, (list, tuple)) and not any(isinstance(v, nested) for v in value):
        body = _filled([*map(literal, value)], deeper)
    else:
        texts = ((before, source(v, named, placed, deeper, before + ",")) for before, v in inner)
        body = "".join(f"{deeper}{before}{text},\n" for before, text in texts)
    return f"{left}\n{body}{indent}{right.lstrip(',')}"


def _filled(items: list[str], indent: str) -> str:
    """Elements of a long list, as many a line as there is room for."""
    lines, line = "", ""
    for item in items:
        if line and len(indent) + len(line) + len(item) + 2 > WIDTH:
            lines += f"{indent}{line.rstrip()}\n"
            line = ""
        line += item + ", "
    return lines + f"{indent}{line.rstrip()}\n"


Where = Callable[[File], Path]


def evaluate(value: Any, where: Where, results: Mapping[int, Any]) -> Any:
    """The value of an expression, with its files where they were written and the results of earlier calls."""

    def of(v: Any) -> Any:
        if isinstance(v, Result):
            if v.call not in results:
                raise InputError(f"the result of call {v.call} is used before it is there")
            return results[v.call]
        if isinstance(v, File):
            return where(v)
        if isinstance(v, dict):
            return {k: of(x) for k, x in v.items()}
        if isinstance(v, (list, tuple)):
            return type(v)(map(of, v))
        if not isinstance(v, (Call, Method)):
            return v
        keywords = {k: of(x) for k, x in v.keywords.items()}
        found = function_of(v.function) if isinstance(v, Call) else getattr(of(v.of), v.name)
        return found if v.arguments is None else found(*map(of, v.arguments), **keywords)

    return of(value)


def function_of(path: str) -> Callable[..., Any]:
    """The function of a dotted path."""
    module, _, name = path.rpartition(".")
    with contextlib.suppress(ModuleNotFoundError, AttributeError):
        found: Callable[..., Any] = getattr(pkgutil.resolve_name(module), name)
        if callable(found):
            return found
    raise InputError(f"there is no function {path}")


def frame_call(frame: RList, stem: str) -> Call:
    """`pairproof.bridge.read_frame("data/STEM.csv", factors={...})` of a data frame."""
    columns = {n: v for n, v in zip(frame.names or (), frame.values) if isinstance(v, RVector)}
    ordered = [name for name, column in columns.items() if "ordered" in column.rclass]
    return columns_call(columns_of(frame), stem, factors_of(frame), ordered)


def stated(**options: Any) -> dict[str, Any]:
    """Options of a call without those that are left at None, False, or nothing."""
    return {k: v for k, v in options.items() if v or type(v) in (int, float)}


def columns_call(
    columns: Columns, stem: str, factors: Columns = NO_COLUMNS, ordered: Sequence[str] = ()
) -> Call:
    """The same of columns, some of them factors."""
    text = [name for name, values in columns.items() if name not in factors and looks_otherwise(values)]
    options = stated(factors=dict(factors), text=text, ordered=[*ordered])
    return Call("pairproof.bridge.read_frame", (File(columns, stem),), options)


def quoted_name(name: str) -> str:
    """A name as a formula has it: between backticks where it is no plain word."""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f"`{name}`"


def whole_numbers(values: NDArray[np.float64], most: float = 2.0**31) -> list[Any]:
    """Numbers, as integers if all are whole and smaller than `most`; None for nan."""
    known = values[~np.isnan(values)]
    whole = bool((known == np.round(known)).all()) and np.abs(known).max(initial=0.0) < most
    return [None if v != v else int(v) if whole else v for v in values.tolist()]


def table_call(columns: dict[str, list[Any]], stem: str, /, **options: Any) -> Call:
    """`pairproof.read("data/STEM.csv", ...)` of a table of comparisons."""
    return Call("pairproof.read", (File(columns, stem),), options)


#: Names that a script that is written uses itself.
OWN = ("pairproof", "Path", "HERE", "R_OF_THE_RUN")
_MOST = 60
_TAKEN = frozenset([*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *OWN])


def identifier(word: str) -> str:
    """A word as a Python name; "" if nothing is left of it."""
    # Python itself takes names that differ in their compatibility form only for one name.
    normal = unicodedata.normalize("NFKC", word[: 4 * _MOST])
    name = "".join(c if c == "_" or ("a" + c).isidentifier() else "_" for c in normal)
    name = re.sub(r"__+", "_", name)[:_MOST].strip("_")
    if not name:
        return ""
    if not name.isidentifier():
        # A digit, or a mark that joins the letter before it, so that both become one.
        name = unicodedata.normalize("NFKC", "x" + name)
    return name + "_" if name in _TAKEN else name


class Names:
    """Python names given so far, each to one thing, and names that are taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._names = Unique([*_TAKEN, *taken], str)

    def name(self, word: str, otherwise: str) -> str:
        """The word as a name; where it is taken, the first of NAME_2, NAME_3, ... that is free."""
        return self._names.name(identifier(word) or identifier(otherwise) or "value")


#: Characters of a name; further ones are cut off.
MOST = 60
#: Names that Windows keeps for devices, with any suffix.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10))]
)


def plain(word: str, otherwise: str = "table") -> str:
    """A word as a file's name without its suffix: ASCII letters, digits, "_" and "-"."""
    ascii_only = unicodedata.normalize("NFKD", word[: 4 * MOST]).encode("ascii", "ignore").decode("ascii")
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", ascii_only).strip("_-")[:MOST].rstrip("_-")
    if not name:
        return otherwise
    return name + "_" if name.casefold() in _DEVICES else name


class Unique:
    """Names given so far; each new one differs from all of them by its key: also without regard to case."""

    def __init__(self, taken: Iterable[str] = (), key: Callable[[str], str] = str.casefold) -> None:
        self._key = key
        self._taken = set(map(key, taken))
        self._next: dict[str, int] = {}

    def name(self, wanted: str) -> str:
        """The name, or the first of NAME_2, NAME_3, ... that is free; it is taken from now on."""
        key = self._key
        found, n = wanted, self._next.get(key(wanted), 2)
        while key(found) in self._taken:
            found, n = f"{wanted}_{n}", n + 1
        self._next[key(wanted)] = n
        self._taken.add(key(found))
        return found


#: Lines of one comment; a longer text is cut.
MOST_LINES = 3
#: Characters of a text that are examined.
_MOST_COLUMNS = 4 * WIDTH


def one_line(text: str, most: int = _MOST_COLUMNS) -> str:
    """The text as one line of printable characters; a longer one than `most` ends in "..."."""
    flat = " ".join(text[: 4 * most].split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in flat)
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 4].rstrip() + " ..."


def comment(text: str, indent: str = "", lines: int = MOST_LINES) -> Iterator[str]:
    """Lines of a comment in a block so far indented, at most `lines`; what is cut off is shown as "..."."""
    found = textwrap.wrap(
        one_line(text),
        width=WIDTH - len(indent) - 2,
        subsequent_indent="    ",
        max_lines=lines,
        placeholder=" ...",
        break_on_hyphens=False,
    )
    for line in found or [""]:
        yield f"{indent}# {line}".rstrip()


def docstring(paragraphs: list[str]) -> Iterator[str]:
    """Lines of a docstring, its first paragraph one line."""
    escaped = [one_line(p).replace("\\", "\\\\").replace('"', '\\"') for p in paragraphs]
    first = escaped[0]
    if len(escaped) == 1 and len(first) + 6 <= WIDTH:
        yield f'"""{first}"""'
        return
    yield f'"""{first}'
    for paragraph in escaped[1:]:
        yield ""
        # No escape may be cut in two at the end of a line, which only happens to a word longer than a line.
        yield from textwrap.wrap(paragraph, width=WIDTH, break_on_hyphens=False, break_long_words=False)
    yield '"""'
