"""The formula of subject covariates, with which abilities, ties and the order effect vary.

`judge + C(age)`: the items' abilities vary with both; `judge:topic` adds their interaction, `a*b` is `a + b +
a:b`; `tie:judge` lets the tie parameter vary, `order:judge` the order effect.  `judge` is always categorical,
other numeric columns are slopes unless written `C(column)`.  A column whose name is not a plain word is
written in backquotes. Categorical covariates are coded by treatment contrasts: the first level is the
reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import FormulaError

_WORD = re.compile(r"\s*(?:(C)\s*\(\s*(?:`([^`]+)`|([^\W\d]\w*))\s*\)|`([^`]+)`|([^\W\d]\w*)|([+*:]))")


#: Effects and interactions of one formula at most; a model of people's preferences has a handful.
MOST_PRODUCTS = 256


def short(text: str, most: int = 80) -> str:
    """The beginning of a long text."""
    return text if len(text) <= most else f"{text[:most]}..."


@dataclass(frozen=True)
class Variable:
    """A column in a formula; `categorical` if written C(...)."""

    name: str
    categorical: bool


#: A product of variables, in the order written.
Product = tuple[Variable, ...]


@dataclass(frozen=True)
class Formula:
    """What the abilities, the tie parameter and the order effect vary with (beyond their constant)."""

    item: tuple[Product, ...] = ()
    tie: tuple[Product, ...] = ()
    order: tuple[Product, ...] = ()


def _tokens(text: str) -> list[str | Variable]:
    found: list[str | Variable] = []
    place = 0
    while place < len(text):
        match = _WORD.match(text, place)
        if match is None:
            if not text[place:].strip():
                break
            raise FormulaError(
                f"by={short(text)!r}: cannot read {short(text[place:].strip())!r}; expected columns joined by"
                " +, : or *, C(column) for categories, `odd name` in backquotes"
            )
        call, ticked, plain, name_ticked, name, sign = match.groups()
        found.append(sign if sign else Variable(ticked or plain or name_ticked or name, bool(call)))
        place = match.end()
    return found


def _products(text: str) -> list[Product]:
    """Sums of products; `*` is expanded."""
    out: dict[Product, None] = {}
    expanded: list[Product] = [()]
    want_variable = True
    joiner = ":"

    def put(word: Variable) -> None:
        nonlocal expanded
        if joiner == "*" and 2 * len(expanded) > MOST_PRODUCTS:
            factors = sum(token == "*" for token in tokens) + 1
            raise FormulaError(
                f"by={short(text)!r}: {factors} columns joined by * are 2^{factors} - 1 effects and"
                f" interactions (limit {MOST_PRODUCTS:,}); join them by + and write out, with :, the few"
                " interactions that are meant"
            )
        longer = [(*p, word) for p in expanded]
        expanded = longer if joiner == ":" else [*expanded, (word,), *(p for p in longer if len(p) > 1)]

    tokens = _tokens(text)
    for token in [*tokens, "+"]:
        if isinstance(token, Variable) == want_variable:
            if isinstance(token, Variable):
                put(token)
            elif token == "+":
                out.update(dict.fromkeys(expanded))
                if len(out) > MOST_PRODUCTS:
                    raise FormulaError(
                        f"by={short(text)!r}: more than {MOST_PRODUCTS:,} effects and interactions; leave"
                        " some out"
                    )
                expanded = [()]
                joiner = ":"
            else:
                joiner = token
            want_variable = not want_variable
        else:
            shown = token.name if isinstance(token, Variable) else token
            raise FormulaError(
                f"by={short(text)!r}: unexpected {shown!r}; expected columns joined by +, : or *"
            )
    return list(out)


def parse(text: str) -> Formula:
    """Read a formula.

    Raises
    ------
    FormulaError
        If it cannot be read, if a column is both C(...) and plain, or if an interaction stands without its
        parts.
    """
    if not isinstance(text, str):
        raise FormulaError(
            f"by={text!r} is not text; expected columns joined by +, : or *, such as 'judge', or '' for none"
        )
    if not text.strip():
        return Formula()
    item: list[Product] = []
    tie: list[Product] = []
    order: list[Product] = []
    for product in _products(text):
        heads = [v.name for v in product if v.name in ("tie", "order")]
        rest = tuple(v for v in product if v.name not in ("tie", "order"))
        if len(heads) > 1 or (heads and not rest):
            raise FormulaError(
                f"by={short(text)!r}: {short(':'.join(v.name for v in product))!r} names no column; write"
                " tie:judge or order:judge"
            )
        {"tie": tie, "order": order}.get(heads[0] if heads else "", item).append(rest)
    seen: dict[str, bool] = {}
    for product in (*item, *tie, *order):
        for v in product:
            if seen.setdefault(v.name, v.categorical) != v.categorical and v.name != "judge":
                raise FormulaError(
                    f"by={short(text)!r}: {v.name} is written both as C({v.name}) and as {v.name}; decide"
                    " for one"
                )
    for products, where in ((item, "items"), (tie, "tie"), (order, "order")):
        sets = [frozenset(v.name for v in p) for p in products]
        for p, names in zip(products, sets):
            missing = [v.name for v in p if len(p) > 1 and names - {v.name} not in sets]
            if missing:
                parts = short(" + ".join(v.name for v in p))
                raise FormulaError(
                    f"by={short(text)!r}: the interaction {short(':'.join(v.name for v in p))} of"
                    f" {where} stands without its parts; write {short('*'.join(v.name for v in p))}, or add"
                    f" {parts}"
                )
    return Formula(tuple(item), tuple(tie), tuple(order))
