"""The grammar of formulas: columns joined by `+`, `:` and `*`.

`C(column)` takes a column as categories, `slope(column)` as numbers, backquotes hold a name that is not a plain word.  As in R, `:` binds more
tightly than `*`, and `a*b` is `a + b + a:b`.  `item(Paris)`, `item_term(LAT)` and `column(ENG)` say what a name is
where it could be more than one thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from ...errors import FormulaError

_WORD = re.compile(
    r"\s*(?:(C|slope|item|item_term|column)\s*\(\s*(?:`([^`]+)`|([^\W\d]\w*))\s*\)|`([^`]+)`|([^\W\d]\w*)|([+*:]))"
)
#: What a name may be said to be.
Role = Literal["", "item", "item_term", "column"]


#: Effects and interactions of one formula at most; a model of people's preferences has a handful.
MOST_PRODUCTS = 256


def short(text: str, most: int = 80) -> str:
    """The beginning of a long text."""
    return text if len(text) <= most else f"{text[:most]}..."


@dataclass(frozen=True)
class Variable:
    """A column in a formula; `categorical` if written C(...), with a `role` if written item(...) and the like.

    `slope` says that slope(...) was written: the same column as without it, where nobody need ask what is meant.
    """

    name: str
    categorical: bool
    role: Role = ""
    slope: bool = field(default=False, compare=False)


#: A product of variables, in the order written.
Product = tuple[Variable, ...]


def _tokens(text: str, what: str) -> list[str | Variable]:
    found: list[str | Variable] = []
    place = 0
    while place < len(text):
        match = _WORD.match(text, place)
        if match is None:
            if not text[place:].strip():
                break
            raise FormulaError(
                f"{what}={short(text)!r}: cannot read {short(text[place:].strip())!r}; expected columns joined by"
                " +, : or *, C(column) for categories, slope(column) for numbers, `odd name` in backquotes"
            )
        call, ticked, plain, name_ticked, name, sign = match.groups()
        role: dict[str, Role] = {"item": "item", "item_term": "item_term", "column": "column"}
        found.append(
            sign
            if sign
            else Variable(
                ticked or plain or name_ticked or name, call == "C", role.get(call or "", ""), call == "slope"
            )
        )
        place = match.end()
    return found


def _summands(text: str, what: str) -> list[list[Product]]:
    """Sums of products: the factors of `*` of each summand, each joined by `:`."""
    out: list[list[Product]] = [[()]]
    want_variable = True
    for token in [*_tokens(text, what), "+"]:
        if isinstance(token, Variable) != want_variable:
            shown = token.name if isinstance(token, Variable) else token
            raise FormulaError(
                f"{what}={short(text)!r}: unexpected {shown!r}; expected columns joined by +, : or *"
            )
        want_variable = not want_variable
        if isinstance(token, Variable):
            out[-1][-1] = (*out[-1][-1], token)
        elif token == "*":
            out[-1].append(())
        elif token == "+":
            out.append([()])
    return out[:-1]


def products_of(text: str, what: str = "by") -> list[Product]:
    """The products of a formula; `*` is expanded."""
    out: dict[Product, None] = {}
    for factors in _summands(text, what):
        if len(factors) > 1 and 2 ** len(factors) > 2 * MOST_PRODUCTS:
            n = len(factors)
            raise FormulaError(
                f"{what}={short(text)!r}: {n} columns joined by * are 2^{n} - 1 effects and"
                f" interactions (limit {MOST_PRODUCTS:,}); join them by + and write out, with :, the few"
                " interactions that are meant"
            )
        expanded: list[Product] = []
        for factor in factors:
            longer = [(*p, *(v for v in factor if v not in p)) for p in expanded]
            expanded = [*expanded, factor, *longer]
        out.update(dict.fromkeys(expanded))
        if len(out) > MOST_PRODUCTS:
            raise FormulaError(
                f"{what}={short(text)!r}: more than {MOST_PRODUCTS:,} effects and interactions; leave some out"
            )
    return list(out)
