"""Python put together as syntax trees, never as text: templates of ours with expressions in their places.

A word of an R script is in such a tree as a constant, or as a name that :func:`identifier` made; so nothing of a
script becomes code.  The text of a tree is laid out as black lays it out.

R's functions become Python by the rules of vocabulary.toml: a template for a call, by the kinds of its arguments.
"""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Union

import numpy as np
import pandas as pd

from ...files.packaged import packaged_toml
from ..translate.python_code import INDENT, WIDTH, comment
from .trees import NotTranslated, matched

Part = Union[ast.expr, str, int, float, bool, None, list[Any]]
#: Arguments with their names in R.
Given = Sequence[tuple[str, ast.expr]]


@lru_cache(maxsize=None)
def _template(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Put(ast.NodeTransformer):
    """Expressions in the places of names."""

    def __init__(self, parts: Mapping[str, ast.expr]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.parts[node.id]) if node.id in self.parts else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        inner = self.visit(node.operand)
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Constant):
            return ast.Constant(not inner.value)
        return ast.UnaryOp(node.op, inner)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """`f"{x:.4g}"` of `f"{x:.{d}g}"`, where the digits are known."""
        parts: list[ast.expr] = []
        for part in map(self.visit, node.values):
            match part:
                case ast.FormattedValue(value=ast.Constant(value=int(number)), format_spec=None):
                    part = ast.Constant(str(number))
            parts.append(part)
        return joined(parts)


def joined(values: Sequence[ast.expr]) -> ast.JoinedStr:
    """A formatted text of expressions; texts that are known stand in it, neighbouring ones as one."""
    found: list[ast.expr] = []
    for part in values:
        match (*found[-1:], part):
            case (ast.Constant(value=str(before)), ast.Constant(value=str(after))):
                found[-1] = ast.Constant(before + after)
            case (*_, ast.Constant(value=str()) | ast.FormattedValue()):
                found.append(part)
            case _:
                found.append(in_text(part))
    return ast.JoinedStr(found)


def put(template: str, **parts: Part) -> ast.expr:
    """`put("np.exp(x)", x=node)`; a plain value is a constant."""
    made = {name: node(part) for name, part in parts.items()}
    found: ast.expr = _Put(made).visit(copy.deepcopy(_template(template)))
    return found


def node(part: Part) -> ast.expr:
    """A plain value as an expression; an expression as it is."""
    if isinstance(part, ast.expr):
        return part
    if isinstance(part, np.generic):
        part = part.item()
    if isinstance(part, list):
        return ast.List([node(p) for p in part], ast.Load())
    if isinstance(part, (int, float)) and not isinstance(part, bool) and part < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-part))
    if isinstance(part, float) and part == float("inf"):
        return put('float("inf")')
    return ast.Constant(part)


def name_of(word: str) -> ast.Name:
    """A name of Python."""
    return ast.Name(word, ast.Load())


def tuple_of(parts: Sequence[ast.expr]) -> ast.expr:
    """Several expressions as a tuple; one as it is."""
    return parts[0] if len(parts) == 1 else ast.Tuple(list(parts), ast.Load())


def in_text(made: ast.expr, form: str = "") -> ast.FormattedValue:
    """`{made:form}` within a formatted text."""
    return ast.FormattedValue(made, -1, ast.JoinedStr([ast.Constant(form)]) if form else None)


def names_of(made: ast.AST) -> set[str]:
    """The names in it."""
    return {n.id for n in ast.walk(made) if isinstance(n, ast.Name)}


def called(function: str | ast.expr, *arguments: Part, **keywords: Part) -> ast.expr:
    """A call of a function, by our own name of it."""
    words = [ast.keyword(name, node(value)) for name, value in keywords.items()]
    return ast.Call(put(function) if isinstance(function, str) else function, [*map(node, arguments)], words)


def loop_over(target: ast.expr, over: ast.expr) -> ast.comprehension:
    return ast.comprehension(_store(target), over, [], 0)


def dict_of(parts: Sequence[tuple[str, ast.expr]]) -> ast.Dict:
    return ast.Dict([ast.Constant(n) for n, _ in parts], [p for _, p in parts])


def _store(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Tuple):
        return ast.Tuple([_store(t) for t in target.elts], ast.Store())
    assert isinstance(target, ast.Name)
    return ast.Name(target.id, ast.Store())


_POWER = re.compile(r"(?<![\w.)\]])([\w.]+)( \*\* )(?=-?[\w.]+(?![\w.(\[]))")


def text_of(expression: ast.expr) -> str:
    """The expression in a line, strings in double quotes."""
    return _powers(_quotes(ast.unparse(ast.fix_missing_locations(expression))))


def _powers(text: str) -> str:
    """`x**2` of names and numbers, as black writes it."""
    places = {k for k, _, _ in _scan(text)}
    for found in reversed(list(_POWER.finditer(text))):
        if found.start(2) in places:
            text = f"{text[: found.start(2)]}**{text[found.end(2) :]}"
    return text


def _quotes(text: str) -> str:
    if "'" not in text:
        return text
    if '"' not in text and "\\'" not in text:
        return text.replace("'", '"')
    lines = [text]
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for t in reversed(tokens):
        plain = t.type == tokenize.STRING and t.string[:1] == "'" and not {'"', "\\"} & {*t.string}
        if plain and t.start[0] == t.end[0] == 1:
            line = lines[0]
            lines[0] = f'{line[: t.start[1]]}"{t.string[1:-1]}"{line[t.end[1] :]}'
    return lines[0]


#: Numbers of a list that may stand one a line; more are rows.
MOST_LISTED = 8
_NUMBER = re.compile(r"(\"[^\"]*\": )?-?[\d.]+(e-?\d+)?")


def in_rows(pieces: Sequence[str], indent: str) -> Iterator[str]:
    """Pieces in lines as full as they may be; black leaves them so."""
    line = indent
    for piece in pieces:
        if len(line) + len(piece) + 2 > WIDTH and line.strip():
            yield line.rstrip()
            line = indent
        line += f"{piece}, "
    yield line.rstrip()


_OPEN, _CLOSE = "([{", ")]}"


def laid_out(text: str, indent: str = "", inside: bool = False) -> Iterator[str]:
    """Lines of a statement that is given in one line, broken where it is too long as black breaks it.

    inside: within brackets, where a line may begin with an operator or a dot.
    """
    if len(indent) + len(text) <= WIDTH:
        yield indent + text
        return
    cuts = _operators(text) if inside else []
    if cuts:
        for a, b in zip([0, *cuts], [*cuts, len(text)]):
            yield from laid_out(text[a:b].strip(), indent)
        return
    pairs = _pairs_of_brackets(text)
    begin, end = pairs[-1] if pairs else (-1, 0)
    name, equal, value = text.partition(" = ")
    if equal and name.isidentifier() and (end == begin + 1 or len(_operators(value)) > 1):
        yield from laid_out(f"{name} = ({value})", indent)
        return
    if end == begin + 1 or begin >= WIDTH - len(indent):
        filled = [(a, b) for a, b in pairs if a < WIDTH - len(indent) and b > a + 1]
        begin, end = filled[-1] if filled else (begin, end)
    inner = text[begin + 1 : end]
    if not inner.strip():
        yield indent + text
        return
    head, tail = text[: begin + 1], text[end:]
    pieces = _pieces(inner)
    yield indent + head
    deeper = indent + INDENT
    if cuts := _clauses(inner):
        first, *rest = (inner[a:b].strip() for a, b in zip([0, *cuts], [*cuts, len(inner)]))
        for part in (first, *rest):
            yield from laid_out(part, deeper, not part.startswith("for "))
    elif len(deeper) + len(inner) <= WIDTH and not inner.rstrip().endswith(","):
        yield deeper + inner.strip()
    elif len(pieces) == 1:
        yield from laid_out(inner.strip(), deeper, True)
    elif len(pieces) > MOST_LISTED and all(map(_NUMBER.fullmatch, pieces)):
        yield from in_rows(pieces, deeper)
    else:
        for piece in pieces:
            lines = list(laid_out(piece, deeper, True))
            yield from lines[:-1]
            yield f"{lines[-1]},"
    yield indent + tail


def _scan(text: str) -> Iterator[tuple[int, str, int]]:
    """Characters outside strings with the depth of brackets around them."""
    depth, quote, k = 0, "", 0
    while k < len(text):
        c = text[k]
        if quote:
            k += 1 if c == "\\" else 0
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        else:
            depth -= c in _CLOSE
            yield k, c, depth
            depth += c in _OPEN
        k += 1


def _pairs_of_brackets(text: str) -> list[tuple[int, int]]:
    """Places of the brackets that stand in no others."""
    places = [k for k, c, depth in _scan(text) if depth == 0 and c in _OPEN + _CLOSE]
    return list(zip(places[::2], places[1::2]))


#: Operators of one precedence, the loosest first.
_LOOSEST = (
    (" if ", " else "),
    (" == ", " != ", " < ", " > ", " <= ", " >= "),
    (" + ", " - "),
    (" * ", " / ", " // ", " % ", " @ "),
)


def _operators(text: str) -> list[int]:
    """Where a line is broken outside its brackets: before the loosest operators, else before the links of a chain."""
    flat = [(k, c) for k, c, depth in _scan(text) if depth == 0]
    for words in _LOOSEST:
        cuts = [k + 1 for k, c in flat if c == " " and any(text.startswith(w, k) for w in words)]
        if cuts and (words != _LOOSEST[0] or not _clauses(text)):
            return cuts
    links = [k for k, c in flat if c == "." and text[k - 1 : k] in (")", "]")]
    return links if len(links) > 1 else []


def _clauses(inner: str) -> list[int]:
    """Where the clauses of a comprehension begin."""
    return [k + 1 for k, c, depth in _scan(inner) if depth == 0 and inner[k : k + 5] == " for "]


def _pieces(inner: str) -> list[str]:
    """What stands between the commas."""
    cuts = [k for k, c, depth in _scan(inner) if c == "," and depth == 0]
    found = [inner[a:b].strip() for a, b in zip([0, *(k + 1 for k in cuts)], [*cuts, len(inner)])]
    return [piece for piece in found if piece]


def commented(said: str, lines: list[str]) -> list[str]:
    """Lines with a comment above, or behind the first where there is room."""
    if len(lines) == 1 and not lines[0].lstrip().startswith("#") and len(lines[0]) + len(said) + 4 <= WIDTH:
        return [f"{lines[0]}  # {said}"]
    return [*comment(said), *lines]


# -- rules --------------------------------------------------------------------------------------------------

#: R's operators that Python writes as it does, and their places in ast.
OPERATORS = {
    "+": "x + y", "-": "x - y", "*": "x * y", "/": "x / y", "^": "x**y", "%%": "x % y", "%/%": "x // y", "%*%": "x @ y",
    "==": "x == y", "!=": "x != y", "<": "x < y", ">": "x > y", "<=": "x <= y", ">=": "x >= y",
    "&": "x & y", "|": "x | y", "&&": "x and y", "||": "x or y",
}  # fmt: skip
#: Arguments that say how a result looks or is kept, and not what it is.
_OF_LOOKS = {*"check.names stringsAsFactors drop na.last USE.NAMES check.attributes fileEncoding".split()}

#: Functions whose result is NA where one value is, unless na.rm leaves it out, as pandas does by itself.
_NA_OF_NA = frozenset(
    "sum mean median prod min max range var sd cumsum rowSums rowMeans colSums colMeans quantile p.adjust".split()
)


#: Functions that have places for what is missing, or none, where Python has it otherwise, and of which kinds.
_NOT_OF_NA = {"rank": "sv", "sort": "v", "which.max": "v", "which.min": "v"}

#: Types of each kind; of arrays and lists it depends on what is in them.
_KINDS: Mapping[str, tuple[type, ...]] = {
    "o": (type(None),), "n": (bool, int, float, np.number, np.bool_), "t": (str,), "s": (pd.Series,),
    "d": (pd.DataFrame,), "v": (range, pd.Index), "l": (dict,),
}  # fmt: skip


def kind_of(value: Any) -> str:
    """n number, v vector, s named vector, d table, t text, l list, o nothing, f anything else."""
    if isinstance(value, np.ndarray):
        return "v" if value.ndim == 1 else "m"
    if isinstance(value, (list, tuple)):
        return "v" if all(kind_of(v) in "nt" for v in value) else "l"
    return next((kind for kind, of in _KINDS.items() if isinstance(value, of)), "f")


@dataclass(frozen=True)
class Rule:
    """A line of the vocabulary."""

    kinds: Mapping[str, str]
    formals: tuple[str, ...]
    needed: tuple[str, ...]
    defaults: Mapping[str, Any]
    fixed: Mapping[str, Any]
    template: str


def _rule(text: str) -> Rule:
    left, _, template = text.partition(" -> ")
    kinds, colon, formals = left.partition(": ")
    defaults, fixed, in_order, starred = dict[str, Any](), dict[str, Any](), list[str](), ""
    for formal in (formals if colon else left).split(", "):
        name, equal, constant = formal.removeprefix("*").partition("==" if "==" in formal else "=")
        name = name.replace("_", ".") if not name.endswith("_") else name[:-1]
        in_order.append(name)
        starred = name if formal[:1] == "*" else starred
        if equal:
            (fixed if "==" in formal else defaults)[name] = ast.literal_eval(constant)
    first, _, second = (kinds if colon else "").partition(" ")
    of = {starred or in_order[0]: first} if first else {}
    of |= {in_order[1]: second} if second else {}
    needed = tuple(n for n in in_order if n not in defaults)
    return Rule(of, tuple(in_order), needed, defaults, fixed, template)


@lru_cache(maxsize=1)
def vocabulary() -> Mapping[str, tuple[Rule, ...]]:
    """R's function -> its rules."""
    found = packaged_toml("pairproof.migration.steps", "vocabulary.toml")
    return {name: tuple(map(_rule, rules)) for name, rules in found.items()}


def by_rule(function: str, arguments: Given, value: Callable[[ast.expr], Any]) -> ast.expr:
    """Python of a call of a function of the vocabulary."""
    arguments = [(n, a) for n, a in arguments if n not in _OF_LOOKS]
    first = kind_of(value(arguments[0][1])) if arguments else ""
    without = [a for n, a in arguments if n == "na.rm"]
    if function in _NA_OF_NA and first in "svdm":
        if any(not isinstance(a, ast.Constant) for a in without):
            raise NotTranslated(f"{function}() with na.rm that is not a literal is not supported")
        kept = not any(a.value for a in without if isinstance(a, ast.Constant))
        if kept and np.any(pd.isna(value(arguments[0][1]))):
            raise NotTranslated(f"{function}() of missing values is NA in R")
    if (
        function in _NOT_OF_NA
        and first in _NOT_OF_NA[function]
        and np.any(pd.isna(np.asarray(value(arguments[0][1]))))
    ):
        raise NotTranslated(f"{function}() of missing values is otherwise in R")
    for rule in vocabulary()[function]:
        given = matched(arguments, rule.formals)
        if given is None or not {*rule.needed} <= {*given}:
            continue
        of_kinds = all(kind_of(value(given[n])) in kinds for n, kinds in rule.kinds.items())
        by_place = "na.rm" in given and not without  # R takes it by name only
        if (
            of_kinds
            and not by_place
            and all(getattr(given[n], "value", None) == v for n, v in rule.fixed.items())
        ):
            parts: dict[str, Part] = {**rule.defaults, **given}
            return put(rule.template, **{_python(n): p for n, p in parts.items()})
    if first == "d" and value(arguments[0][1]).shape[1] == 1:  # a matrix of one column is a vector
        column = put("x.iloc[:, 0]", x=arguments[0][1])
        return by_rule(function, [(arguments[0][0], column), *arguments[1:]], value)
    raise NotTranslated(f"{function}() with these arguments is not supported")


def _python(formal: str) -> str:
    name = formal.replace(".", "_")
    return f"{name}_" if name == "from" else name
