"""The formula of subject covariates, with which abilities, ties and the order effect vary, and its grammar.

`judge + C(age)`: the items' abilities vary with both; `judge:topic` adds their interaction.  The algebra is that of
all formulas (:mod:`.wilkinson_rogers`); its terms are columns, not functions of them.  `tie:judge` lets the tie
parameter vary, `order:judge` the order effect.  `judge` is always categorical, other numeric columns are slopes unless
written `C(column)`; of few whole numbers, which may be codes, a note asks which is meant, unless it is
written `slope(column)`.  Categorical covariates are coded by treatment contrasts: the first level is the
reference.  Backquotes hold a name that is not a plain word.

A product of which one factor is an item or an item covariate, `Paris:WOR` or `LAT:ENG`, is *selective*: only
Paris's ability, or only the effect of LAT, varies with the others.  Its main effect is the item's own
parameter.  A selective term for every item, or for every item covariate of the model, is the term of all of
them.  `item(Paris)`, `item_term(LAT)` and `column(ENG)` say what a name is where it could be more than one
thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ....data.where import Rows
from ....errors import FormulaError
from ....fit.estimates.specification import ModelSpec
from .wilkinson_rogers import Reader

#: What a name may be said to be.
Role = Literal["", "item", "item_term", "column"]


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

    @property
    def text(self) -> str:
        """As it tells one variable from the next."""
        said = "C" if self.categorical else self.role
        return f"{said}({self.name})" if said else self.name


#: What may be said about a name.
SAID = ("C", "slope", "item", "item_term", "column")
#: A product of variables, in the order written.
Product = tuple[Variable, ...]


class _Columns(Reader[Variable]):
    """Formulas of columns of a table: names, and what is said about a name."""

    def not_there(self, term: Product) -> None:
        self.fail(f"- {':'.join(v.text for v in term)} takes away what is not there")

    def factor(self) -> Variable:
        word = self.words.take()
        called = word.text if word.kind == "name" and not word.ticked and self.words.sees("(") else ""
        if called:
            if called not in SAID:
                self.fail(f"{called!r} says nothing about a column; there are {', '.join(SAID)}")
            self.words.take()
            word = self.words.take()
        if word.kind != "name":
            shown = "end" if word.kind == "end" else word.shown
            self.fail(
                f"unexpected {shown}; expected columns joined by + : or *, C(column) for categories, slope(column) for"
                " numbers, `odd name` in backquotes"
            )
        if called:
            self.words.expect(")")
        role: dict[str, Role] = {"item": "item", "item_term": "item_term", "column": "column"}
        return Variable(word.text, called == "C", role.get(called, ""), called == "slope")


def products_of(text: str, what: str = "by") -> list[Product]:
    """The products of a formula in the order in which they were first written."""
    return _Columns(text, what).terms()


@dataclass(frozen=True)
class Head:
    """The item or the item covariate that a selective term is of."""

    name: str
    kind: Literal["item", "item_term"]


@dataclass(frozen=True)
class Formula:
    """What the abilities, the tie parameter and the order effect vary with (beyond their constant).
    item: of all items, or of all item covariates in the model.  `own`: of one item or item covariate
    alone."""

    item: tuple[Product, ...] = ()
    tie: tuple[Product, ...] = ()
    order: tuple[Product, ...] = ()
    own: tuple[tuple[Head, Product], ...] = ()

    @property
    def products(self) -> tuple[Product, ...]:
        """All products of subject covariates."""
        return (*self.item, *self.tie, *self.order, *(p for _, p in self.own))


@dataclass(frozen=True)
class Names:
    """The names that a formula can use beside those of the subject covariates.
    separate: items with an ability of their own beside `item_terms`."""

    items: tuple[str, ...] = ()
    item_terms: tuple[str, ...] = ()
    item_data: tuple[str, ...] = ()
    columns: frozenset[str] = frozenset()
    separate: tuple[str, ...] = ()

    @property
    def heads(self) -> tuple[Head, ...]:
        """What has a parameter of its own: items, or item covariates and separate items."""
        items = self.separate if self.item_terms else self.items
        return (*(Head(x, "item_term") for x in self.item_terms), *(Head(i, "item") for i in items))


def names_of(data: Rows, spec: ModelSpec, separate: Sequence[str] = ()) -> Names:
    """The names that the formulas of a model can use."""
    return Names(data.items, spec.item_terms, tuple(data.item_data), frozenset(data.columns), tuple(separate))


def parse(text: str, names: Names = Names()) -> Formula:
    """Read a formula."""
    if not isinstance(text, str):
        raise FormulaError(
            f"by={text!r} is not text; expected columns joined by +, : or *, such as 'judge', or '' for none"
        )
    if not text.strip():
        return Formula()
    item: list[Product] = []
    tie: list[Product] = []
    order: list[Product] = []
    own: dict[tuple[Head, Product], None] = {}
    for product in products_of(text):
        what = _parameter(text, product)
        if what:
            rest = _columns(v for v in product if v.role or v.name != what)
            (tie if what == "tie" else order).append(rest)
            continue
        head, rest = _selected(text, product, names)
        if head is None:
            item.append(rest)
        elif rest:
            own[head, rest] = None
        else:
            raise FormulaError(
                f"by={short(text)!r}: {head.name} is {'an item' if head.kind == 'item' else 'an item covariate'}, not"
                f" a column of the table; its own parameter is not a part of by. Write {head.name}:column for what it"
                f" varies with{'' if head.kind == 'item' else f', item_terms={[head.name]} for its effect'}"
            )
    everywhere, few = _of_all(item, list(own), names)
    formula = Formula(everywhere, tuple(tie), tuple(order), few)
    _check_codings(text, formula)
    _check_parts(text, formula)
    return formula


def _parameter(text: str, product: Product) -> Literal["", "tie", "order"]:
    """The parameter a product is of, if it is not of abilities."""
    heads = [v.name for v in product if v.name in ("tie", "order") and not v.role]
    if len(heads) > 1 or (heads and len(product) == 1):
        raise FormulaError(
            f"by={short(text)!r}: {_written(product)!r} names no column: tie is the tie parameter and order the order"
            " effect, and tie:age is how it varies with age. A column of that name must be renamed"
        )
    return "" if not heads else "tie" if heads[0] == "tie" else "order"


def _written(product: Product) -> str:
    return short(":".join(v.name for v in product))


def _selected(text: str, product: Product, names: Names) -> tuple[Head | None, Product]:
    """The item or item covariate of a product, None for all, and the other factors."""
    found = {k: head for k, v in enumerate(product) if (head := _head(text, product, v, names))}
    if len(found) > 1:
        raise FormulaError(
            f"by={short(text)!r}: {_written(product)} names {' and '.join(h.name for h in found.values())}; a"
            " term is of one item or item covariate, so write one for each"
        )
    if not found:
        return None, _columns(product)
    place, head = next(iter(found.items()))
    return head, _columns(product[:place] + product[place + 1 :])


def _columns(factors: Iterable[Variable]) -> Product:
    """The factors as columns of the table, however they were written."""
    return tuple(Variable(v.name, v.categorical, slope=v.slope) for v in factors)


def _head(text: str, product: Product, v: Variable, names: Names) -> Head | None:
    """What item or item covariate a factor is, None for a column."""
    covariates = names.item_terms or names.item_data
    meant = {
        "item": v.name in names.items,
        "item_term": v.name in covariates,
        "column": v.name in names.columns,
    }
    if v.role == "column" or v.categorical or v.slope:
        return None
    if v.role:
        if not meant[v.role]:
            what = "item" if v.role == "item" else "item covariate of the model"
            have = names.items if v.role == "item" else covariates
            raise FormulaError(
                f"by={short(text)!r}: {v.role}({v.name}), but there is no {what} {v.name!r};"
                f" there are {short(', '.join(have) or 'none', 200)}"
            )
        return Head(v.name, "item" if v.role == "item" else "item_term")
    if meant["column"] and len(product) == 1:
        return None  # alone, a name that is a column has always been the column
    if meant["column"] and v.name not in names.item_terms:
        # An item covariate that is not in the model: item_term() says that it is meant.
        meant["item_term"] = False
    here = [role for role, is_it in meant.items() if is_it]
    if len(here) > 1:
        words = {"item": "an item", "item_term": "an item covariate", "column": "a column of the table"}
        raise FormulaError(
            f"by={short(text)!r}: {v.name} is {' and '.join(words[role] for role in here)}; write"
            f" {' or '.join(f'{role}({v.name})' for role in here)}"
        )
    if here:
        kinds: dict[str, Head | None] = {"item": Head(v.name, "item"), "item_term": Head(v.name, "item_term")}
        return kinds.get(here[0])
    if v.name in names.item_data:
        raise FormulaError(
            f"by={short(text)!r}: {v.name} is an item covariate of the table, but not in"
            f" item_terms={list(names.item_terms)}; add it there, or leave {_written(product)} out"
        )
    if not meant["column"] and len(product) > 1 and names.items:
        raise FormulaError(
            f"by={short(text)!r}: {v.name} is neither a column of the table ({short(', '.join(sorted(names.columns)) or 'it has none', 120)})"
            f" nor an item ({short(', '.join(names.items), 120)})"
            f" nor an item covariate of the model ({short(', '.join(covariates) or 'it has none', 120)})"
        )
    return None


def _of_all(
    item: list[Product], own: list[tuple[Head, Product]], names: Names
) -> tuple[tuple[Product, ...], tuple[tuple[Head, Product], ...]]:
    """Selective terms that are there for every item, or item covariate, as terms of all."""
    heads: dict[frozenset[Variable], set[Head]] = {}
    for head, product in own:
        heads.setdefault(frozenset(product), set()).add(head)
    full = {key for key, named in heads.items() if named == set(names.heads)}
    everywhere = dict.fromkeys(item)
    few = []
    for head, product in own:
        if frozenset(product) in full:
            if not any(frozenset(p) == frozenset(product) for p in everywhere):
                everywhere[product] = None
        else:
            few.append((head, product))
    return tuple(everywhere), tuple(few)


def _check_codings(text: str, formula: Formula) -> None:
    seen: dict[str, bool] = {}
    for product in formula.products:
        for v in product:
            if seen.setdefault(v.name, v.categorical) != v.categorical and v.name != "judge":
                raise FormulaError(
                    f"by={short(text)!r}: {v.name} is written both as C({v.name}) and as {v.name}; decide"
                    " for one"
                )


def _check_parts(text: str, formula: Formula) -> None:
    """Every interaction has its parts, and no selective term repeats a term of all items."""
    for products, where in ((formula.item, "items"), (formula.tie, "tie"), (formula.order, "order")):
        _check_sets(text, products, products, where, "")
    of_all = [frozenset(v.name for v in p) for p in formula.item]
    for head in dict.fromkeys(h for h, _ in formula.own):
        mine = tuple(p for h, p in formula.own if h == head)
        for p in mine:
            if frozenset(v.name for v in p) in of_all:
                raise FormulaError(
                    f"by={short(text)!r}: {head.name}:{_written(p)} is part of {_written(p)}, with which all items"
                    " vary; leave one of them out"
                )
        _check_sets(text, mine, (*formula.item, *mine), head.name, f"{head.name}:")


def _check_sets(
    text: str, products: tuple[Product, ...], there: tuple[Product, ...], where: str, head: str
) -> None:
    sets = [frozenset(v.name for v in p) for p in there]
    for p in products:
        names = frozenset(v.name for v in p)
        if any(len(p) > 1 and names - {v.name} not in sets for v in p):
            starred = "*".join(([head[:-1]] if head else []) + [v.name for v in p])
            parts = " + ".join(head + v.name for v in p)
            raise FormulaError(
                f"by={short(text)!r}: the interaction {short(head + _written(p))} of {where} stands without its"
                f" parts; {'' if head else f'write {short(starred)}, or '}add {short(parts)}"
            )
