"""Expressions within a formula, `log(SVL)`, `poly(x, 2)`, `I(x^2)`, and the words that they are made of.

A name is a letter or a dot and then letters, digits, dots and underscores, as in R (`head.length`), or
anything between backquotes.  Text that is none of these is an error; nothing of a formula is handed to an
interpreter.

An expression is a name, or arithmetic and functions of names: a tree of four kinds of node.  Its text is
written as R writes an expression back, so that `log( SVL )` and `log(SVL)` are the same expression.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, Union

from ....errors import FormulaError
from ....text import shortened

#: Limits of a formula: characters, words, and brackets within brackets.  256 products of eight long names are
#: within them.
MOST_CHARACTERS, MOST_TOKENS, MOST_DEPTH = 20_000, 4_000, 25

_TOKEN = re.compile(
    r"\s*(?:`(?P<ticked>[^`]+)`"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]))"
    r"|(?P<name>(?:[^\W\d]|\.(?![0-9]))[\w.]*)"
    r"|(?P<sign>%in%|\*\*|<=|>=|==|!=|[-+*/:^()|,=<>~]))"
)


@dataclass(frozen=True)
class Token:
    """A word of a formula."""

    kind: Literal["name", "number", "sign", "end"]
    text: str
    ticked: bool = False

    @property
    def shown(self) -> str:
        """As a message shows it."""
        return "the end" if self.kind == "end" else repr(shortened(self.text, 40))


def error(formula: str, reason: str, what: str = "formula") -> FormulaError:
    """The error about a formula, which it quotes; what: the argument that it was given as."""
    return FormulaError(f"{what}={shortened(formula)!r}: {reason}")


def tokens(formula: str, what: str = "formula") -> tuple[Token, ...]:
    """The words of a formula, with one of kind "end" behind the last."""
    wrong = partial(error, formula, what=what)
    if not isinstance(formula, str):
        raise FormulaError(
            f"{what}={shortened(repr(formula))} is not text; expected such as 'SVL + log(mass)*judge'"
        )
    if len(formula) > MOST_CHARACTERS:
        raise wrong(f"the limit is {MOST_CHARACTERS:,} characters; leave terms out")
    found: list[Token] = []
    place = depth = 0
    end = len(formula.rstrip())
    while place < end:
        match = _TOKEN.match(formula, place)
        if match is None:
            raise wrong(_unreadable(formula[place:].strip()))
        ticked, number, name, sign = match.group("ticked", "number", "name", "sign")
        if sign:
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if depth < 0:
                raise wrong(f"')' without '(' in {shortened(formula[place:].strip(), 20)!r}")
            if depth > MOST_DEPTH:
                raise wrong(f"more than {MOST_DEPTH} brackets within each other")
            found.append(Token("sign", "^" if sign == "**" else sign))
        elif number:
            found.append(Token("number", number))
        else:
            found.append(Token("name", ticked or name, bool(ticked)))
        if len(found) > MOST_TOKENS:
            raise wrong(f"the limit is {MOST_TOKENS:,} names, numbers and operators; leave terms out")
        place = match.end()
    if depth:
        raise wrong(f"{depth} '(' without ')'")
    return (*found, Token("end", ""))


def _unreadable(rest: str) -> str:
    """What to write in place of text that is not a part of a formula."""
    if rest[0] in "[]":
        return (
            f"cannot read {shortened(rest, 20)!r}: R's index is not written here. For SVL[..] or SVL[item] write SVL"
            " (an item covariate of item_data), for x[judge] the name of a column of the table"
        )
    if rest[0] == "$":
        return f"cannot read {shortened(rest, 20)!r}: columns are named alone, without their table and '$'"
    if rest[0] in "\"'":
        return f"cannot read {shortened(rest, 20)!r}: there is no text in a formula; an odd name stands in backquotes"
    return (
        f"cannot read {shortened(rest, 20)!r}; expected names (odd ones in backquotes), numbers, functions and the"
        " operators + - : * / ^ %in% ( )"
    )


#: Functions of one argument, value by value.
ELEMENTWISE = ("log", "log2", "log10", "log1p", "exp", "sqrt", "abs")
#: All functions of expressions.
FUNCTIONS = (*ELEMENTWISE, "I", "C", "factor", "center", "scale", "poly", "pmin", "pmax")
#: Operators in one expression at most.
MOST_OPERATIONS = 50
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
_PLAIN = re.compile(r"(?:[^\W\d]|\.(?![0-9]))[\w.]*\Z")


@dataclass(frozen=True)
class Name:
    """A covariate by its name."""

    name: str

    @property
    def text(self) -> str:
        """In backquotes, if it is not a plain word."""
        return self.name if _PLAIN.match(self.name) else f"`{self.name}`"


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float
    written: str

    @property
    def text(self) -> str:
        """As it was written."""
        return self.written


@dataclass(frozen=True)
class Operation:
    """An operator between two expressions, or a sign before one (`left` None)."""

    sign: str
    left: Expression | None
    right: Expression
    bracketed: bool = False

    @property
    def text(self) -> str:
        """As R writes it back: no spaces around ^ and behind a sign."""
        if self.left is None:
            inner = f"{self.sign}{self.right.text}"
        else:
            space = "" if self.sign == "^" else " "
            inner = f"{self.left.text}{space}{self.sign}{space}{self.right.text}"
        return f"({inner})" if self.bracketed else inner


@dataclass(frozen=True)
class Call:
    """A function of expressions; `options` are its named arguments."""

    function: str
    arguments: tuple[Expression, ...]
    options: tuple[tuple[str, float], ...] = ()

    @property
    def text(self) -> str:
        """`poly(SVL, 2)`."""
        shown = [a.text for a in self.arguments]
        shown += [
            f"{k} = {('FALSE', 'TRUE')[int(v)] if k != 'degree' else format(v, 'g')}" for k, v in self.options
        ]
        return f"{self.function}({', '.join(shown)})"


Expression = Union[Name, Number, Operation, Call]


def names_in(e: Expression) -> Iterator[str]:
    """The names of covariates in an expression, left to right."""
    if isinstance(e, Name):
        yield e.name
    elif isinstance(e, Call):
        for a in e.arguments:
            yield from names_in(a)
    elif isinstance(e, Operation):
        if e.left is not None:
            yield from names_in(e.left)
        yield from names_in(e.right)


class Words:
    """The words of a formula, read one after the other.  place: number of the word to be read next."""

    def __init__(self, formula: str, what: str = "formula") -> None:
        self.words, self.place, self.operations = tokens(formula, what), 0, 0
        self.error = partial(error, formula, what=what)

    def operation(self, sign: str, left: Expression | None, right: Expression) -> Operation:
        """An operator with its operands; an expression has a limited number of them."""
        self.operations += 1
        if self.operations > MOST_OPERATIONS:
            raise self.error(f"an expression with more than {MOST_OPERATIONS} operators")
        return Operation(sign, left, right)

    @property
    def next(self) -> Token:
        """The word that is read next."""
        return self.words[self.place]

    def sees(self, *signs: str) -> bool:
        """Whether one of these signs is next."""
        return self.next.kind == "sign" and self.next.text in signs

    def take(self) -> Token:
        """Read a word."""
        word = self.words[self.place]
        self.place += word.kind != "end"
        return word

    def expect(self, sign: str) -> None:
        """Read a sign that must come here."""
        if not self.sees(sign):
            raise self.error(f"found {self.next.shown} where {sign!r} was expected")
        self.take()

    def bracket(self) -> tuple[Token, ...]:
        """The words of the bracket that opens here, without those of brackets within it."""
        depth, out = 0, []
        for word in self.words[self.place :]:
            if word.kind == "sign" and word.text == "(":
                depth += 1
            elif word.kind == "sign" and word.text == ")":
                depth -= 1
                if not depth:
                    break
            elif depth == 1:
                out.append(word)
        return tuple(out)


def call(words: Words) -> Call:
    """Read a function's name and its arguments."""
    name = words.take().text
    if name not in FUNCTIONS:
        raise words.error(f"{name!r} is not a function of formulas; there are {', '.join(FUNCTIONS)}")
    words.expect("(")
    arguments: list[Expression] = []
    options: dict[str, float] = {}
    while not words.sees(")"):
        after = words.words[words.place + 1] if words.next.kind == "name" else words.next
        if words.next.kind == "name" and after.kind == "sign" and after.text == "=":
            key, value = _option(words, name)
            options[key] = value
        else:
            arguments.append(expression(words))
        if not words.sees(")"):
            words.expect(",")
            if words.sees(")"):
                raise words.error(f"{name}(...) ends in a comma")
    words.expect(")")
    return _checked(words, Call(name, tuple(arguments), tuple(options.items())))


_OPTIONS = {"scale": ("center", "scale"), "poly": ("degree", "raw")}


def _option(words: Words, function: str) -> tuple[str, float]:
    key = words.take().text
    words.expect("=")
    value = words.take()
    known = {"TRUE": 1.0, "FALSE": 0.0, "True": 1.0, "False": 0.0}
    if key not in _OPTIONS.get(function, ()):
        has = ", ".join(_OPTIONS.get(function, ())) or "no"
        raise words.error(f"{function}(...) has no option {key!r}; it has {has} option(s)")
    if key == "degree" and value.kind == "number":
        return key, float(value.text)
    if key != "degree" and value.text in known:
        return key, known[value.text]
    raise words.error(
        f"{function}({key} = {value.text}): expected {'a number' if key == 'degree' else 'TRUE or FALSE'}"
    )


def _checked(words: Words, c: Call) -> Call:
    """The call, if it has the arguments that the function takes."""
    if c.function == "poly":
        options = dict(c.options)
        degree = options.pop("degree", None)
        if degree is None and len(c.arguments) == 2 and isinstance(c.arguments[1], Number):
            degree = c.arguments[1].value
        elif degree is None and len(c.arguments) == 1:
            degree = 1.0
        elif degree is None or len(c.arguments) != 1:
            raise words.error(f"{c.text}: poly takes one covariate and a degree, as in poly(x, 2)")
        if degree not in range(1, 21):
            raise words.error(f"{c.text}: the degree of poly is {degree:g}; expected 1 to 20")
        return Call("poly", (c.arguments[0], Number(degree, f"{degree:g}")), tuple(options.items()))
    many = c.function in ("pmin", "pmax")
    if not c.arguments or (len(c.arguments) > 1 and not many):
        found = f"{len(c.arguments)} arguments"
        raise words.error(f"{c.text}: {found}; {c.function} takes {'some' if many else 'one'}")
    return c


def expression(words: Words) -> Expression:
    """Read arithmetic: comparisons bind least, then + and -, * and /, a sign, and ^."""
    left = _sum(words)
    if words.sees(*COMPARISONS):
        sign = words.take().text
        left = words.operation(sign, left, _sum(words))
        if words.sees(*COMPARISONS):
            raise words.error("a comparison of a comparison; compare two numbers, as in (x > 3)")
    return left


def _sum(words: Words) -> Expression:
    return _joined(words, ("+", "-"), _product)


def _product(words: Words) -> Expression:
    return _joined(words, ("*", "/"), _signed)


def _joined(words: Words, signs: tuple[str, str], part: Callable[[Words], Expression]) -> Expression:
    left = part(words)
    while words.sees(*signs):
        sign = words.take().text
        left = words.operation(sign, left, part(words))
    return left


def _signed(words: Words) -> Expression:
    """A power, with at most one sign before it."""
    if words.sees("+", "-"):
        sign = words.take().text
        return words.operation(sign, None, _power(words))
    return _power(words)


def _power(words: Words) -> Expression:
    base = _atom(words)
    if not words.sees("^"):
        return base
    words.take()
    sign = words.take().text if words.sees("-") else ""
    exponent = _atom(words)
    if words.sees("^"):
        raise words.error("a power of a power; put one of them in brackets")
    return words.operation("^", base, words.operation("-", None, exponent) if sign else exponent)


def _atom(words: Words) -> Expression:
    word = words.next
    if word.kind == "number":
        return number(words)
    if word.kind == "name":
        following = words.words[words.place + 1]
        if following.kind == "sign" and following.text == "(" and not word.ticked:
            return call(words)
        words.take()
        return Name(word.text)
    if words.sees("("):
        words.take()
        inner = expression(words)
        words.expect(")")
        return Operation(inner.sign, inner.left, inner.right, True) if isinstance(inner, Operation) else inner
    raise words.error(f"found {word.shown} where a name, a number or a function was expected")


def number(words: Words) -> Number:
    """Read a constant."""
    word = words.take()
    value = float(word.text)
    if not math.isfinite(value):
        raise words.error(f"the number {word.shown} is too large")
    return Number(value, word.text)
