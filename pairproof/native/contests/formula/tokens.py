"""The words of a formula, read against a closed list: names, numbers and operators.

A name is a letter or a dot and then letters, digits, dots and underscores, as in R (`head.length`), or anything
between backquotes.  Text that is none of these is an error; nothing of a formula is handed to an interpreter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

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


def error(formula: str, reason: str) -> FormulaError:
    """The error about a formula, which it quotes."""
    return FormulaError(f"formula={shortened(formula)!r}: {reason}")


def tokens(formula: str) -> tuple[Token, ...]:
    """The words of a formula, with one of kind "end" behind the last."""
    if not isinstance(formula, str):
        raise FormulaError(
            f"formula={shortened(repr(formula))} is not text; expected such as 'SVL + log(mass)*judge'"
        )
    if len(formula) > MOST_CHARACTERS:
        raise error(formula, f"the limit is {MOST_CHARACTERS:,} characters; leave terms out")
    found: list[Token] = []
    place = depth = 0
    end = len(formula.rstrip())
    while place < end:
        match = _TOKEN.match(formula, place)
        if match is None:
            raise error(formula, _unreadable(formula[place:].strip()))
        ticked, number, name, sign = match.group("ticked", "number", "name", "sign")
        if sign:
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if depth < 0:
                raise error(formula, f"')' without '(' in {shortened(formula[place:].strip(), 20)!r}")
            if depth > MOST_DEPTH:
                raise error(formula, f"more than {MOST_DEPTH} brackets within each other")
            found.append(Token("sign", "^" if sign == "**" else sign))
        elif number:
            found.append(Token("number", number))
        else:
            found.append(Token("name", ticked or name, bool(ticked)))
        if len(found) > MOST_TOKENS:
            raise error(
                formula, f"the limit is {MOST_TOKENS:,} names, numbers and operators; leave terms out"
            )
        place = match.end()
    if depth:
        raise error(formula, f"{depth} '(' without ')'")
    return (*found, Token("end", ""))


def _unreadable(rest: str) -> str:
    """What to write in place of text that is no part of a formula."""
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
