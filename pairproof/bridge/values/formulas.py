"""Text that may go to R as a model formula: checked by a small grammar, then written again from its tokens.

To R a formula is code: ``y ~ {system("...")}`` runs a program as soon as the model is fitted, and a formula
often comes out of a file.  So text goes to R as a formula only if it is made of

- names: ``score``, ``head.length``, ``école``; others in backquotes;
- numbers: ``1``, ``0.5``, ``1e-3``;
- operators ``~ + - : * / ^ | %in%``, comparisons ``== != < <= > >=``, parentheses;
- ``x[..]``, ``x[judge]``: BradleyTerry2's values of a player, and values looked up by a column;
- calls of the functions in :data:`FUNCTIONS`, with arguments by place or ``name = ``.

Everything else (braces, strings, ``::``, ``$``, ``<-``, ``;``, other functions) is refused, and the message
shows where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from ...errors import FormulaError

#: Functions that a formula may call: those that make columns of columns, and the terms of gnm and
#: BradleyTerry2. Each takes values and gives values; none takes a function, a file or source text. (C takes a
#: function as its second argument, which is checked against CONTRASTS.)
FUNCTIONS = frozenset(
    """cbind factor ordered as.factor as.numeric interaction C I offset poly scale
    abs log log2 log10 log1p exp expm1 sqrt pmin pmax c
    Mult Exp Inv Const Diag Symm Topo Dref MultHomog instances GenDavidson""".split()
)
CONTRASTS = frozenset(("contr.treatment", "contr.sum", "contr.helmert", "contr.poly", "contr.SAS"))
RESERVED = frozenset(("if", "else", "repeat", "while", "function", "for", "next", "break", "in"))
#: Most characters of a formula, and most parentheses within parentheses; the longest in the tests has 2,500
#: characters and 3 levels.
LONGEST, DEEPEST = 100_000, 50

Kind = Literal["name", "ticked", "number", "sign"]
_TOKEN = re.compile(
    r"(?P<name>(?:[^\W\d_]|\.(?!\d))[\w.]*)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))"
    r"|`(?P<ticked>[^`\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+)`"
    r"|(?P<sign>%in%|==|!=|<=|>=|<(?!-)|>|=|[-~+:*/^|(),\[\]])"
)
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_BINARY = frozenset(("+", "-", ":", "*", "/", "^", "|", "%in%", "==", "!=", "<", "<=", ">", ">=", "~"))


@dataclass(frozen=True)
class Token:
    """A token of a formula: its kind, its text, where it begins, and whether a space stood before it."""

    kind: Kind
    text: str
    at: int
    spaced: bool

    def __str__(self) -> str:
        return f"`{self.text}`" if self.kind == "ticked" else self.text


def checked(text: str, where: str = "the formula") -> str:
    """The text of a formula, written again from its tokens with single spaces between them."""
    return "".join(
        (" " if k and t.spaced else "") + str(t) for k, t in enumerate(_Reader(text, where).formula())
    )


def variables(text: str, where: str = "the formula") -> tuple[str, ...]:
    """Names of the columns in a formula, in the order of their first use, without functions and arguments."""
    tokens = _Reader(text, where).formula()
    found = [
        t.text
        for t, following in zip(tokens, [*map(str, tokens[1:]), ""])
        if t.kind == "ticked" or t.kind == "name" and following not in ("(", "=")
    ]
    return tuple(dict.fromkeys(found))


class _Reader:
    """A recursive-descent parser of one formula: it accepts or refuses, and computes nothing."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where
        self.place, self.depth = 0, 0
        if len(text) > LONGEST:
            raise FormulaError(
                f"{where}: a formula of {len(text):,} characters; at most {LONGEST:,} are allowed"
            )
        self.tokens = list(self._split())

    def formula(self) -> list[Token]:
        if self._next() != "~":
            self._expression()
        if self._next() != "~":
            self._refuse("expected ~")
        self._take()
        self._expression()
        if self.place < len(self.tokens):
            self._refuse("expected + or another operator" if self._next() != "~" else "a second ~")
        return self.tokens

    def _split(self) -> Iterator[Token]:
        at, spaced = 0, False
        while at < len(self.text):
            if self.text[at] in " \t\r\n":
                at, spaced = at + 1, True
                continue
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self._refusal("this is not a part of a model formula", at)
            kind = cast(Kind, match.lastgroup)  # the groups are named as the kinds are
            word = match[match.lastgroup or 0]
            if kind == "name" and word in RESERVED:
                raise self._refusal(f"{word} is a reserved word in R, not a column", at)
            yield Token(kind, word, at, spaced)
            at, spaced = match.end(), False

    def _expression(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            self._refuse(f"more than {DEEPEST} levels of parentheses")
        self._operand()
        compared = False
        while self._next() in _BINARY and not (self._next() == "~" and self.depth == 1):
            sign = self._next()
            if sign in _COMPARISONS and compared:
                self._refuse("R compares two values at a time; put one comparison in parentheses")
            compared = sign in _COMPARISONS or compared and sign not in ("|", "~")
            self._take()
            self._operand()
        self.depth -= 1

    def _operand(self) -> None:
        # Signs, and the ~ of a formula as an argument: Dref(delta = ~ 1).
        while self._next() in ("+", "-") or self._next() == "~" and self.depth > 1:
            self._take()
        token = self._take()
        if token is None or token.kind == "sign" and token.text != "(":
            self.place -= token is not None
            self._refuse("expected a name, a number or (")
        elif token.kind == "sign":
            self._expression()
            self._expect(")")
        elif token.kind == "name" and self._next() == "(":
            self._call(token)
        if self._next() == "[":
            self._take()
            index = self._take()
            if index is None or index.kind not in ("name", "ticked"):
                self.place -= index is not None
                self._refuse("only [..], or the name of a column between brackets, is allowed")
            self._expect("]")

    def _call(self, function: Token) -> None:
        if function.text not in FUNCTIONS:
            raise self._refusal(
                (
                    f"the function {function.text} is not among those a formula may call"
                    f" ({', '.join(sorted(FUNCTIONS))})"
                ),
                function.at,
            )
        self._take()
        first = True
        while self._next() != ")":
            if not first:
                self._expect(",")
            named = self.place + 1 < len(self.tokens) and str(self.tokens[self.place + 1]) == "="
            if named:
                self._take()
                self._take()
            # C's contrasts are a function, called by its name with the levels of the column.
            if function.text == "C" and (named or not first) and self._next() not in CONTRASTS:
                self._refuse(f"contrasts are one of {', '.join(sorted(CONTRASTS))}")
            self._expression()
            first = False
        self._take()

    def _next(self) -> str:
        return str(self.tokens[self.place]) if self.place < len(self.tokens) else ""

    def _take(self) -> Token | None:
        if self.place >= len(self.tokens):
            return None
        self.place += 1
        return self.tokens[self.place - 1]

    def _expect(self, sign: str) -> None:
        if self._next() != sign:
            self._refuse(f"expected {sign}")
        self._take()

    def _refuse(self, why: str) -> None:
        raise self._refusal(
            why, self.tokens[self.place].at if self.place < len(self.tokens) else len(self.text)
        )

    def _refusal(self, why: str, at: int) -> FormulaError:
        before = ("..." if at > 30 else "") + self.text[max(0, at - 30) : at]
        here = self.text[at : at + 30] + ("..." if len(self.text) > at + 30 else "")
        shown = (
            f"at {here!r}, after {before!r}"
            if here and before
            else (f"at {here!r}" if here else f"after {before!r}, where it ends")
        )
        return FormulaError(
            f"{self.where}: {why}: {shown} (character {at + 1}). A formula consists of names, numbers, ~ + - :"
            " * / ^ |, parentheses and a few functions; it is never executed as code"
        )
