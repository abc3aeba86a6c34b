"""The terms of a formula with their names looked up, and the values of what they are made of.

Checks are those that need the table: no term may say again what a free ability says, the constant may be left out
only where that changes nothing, and an own ability must have something to replace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....data.comparisons import Comparisons
from ....errors import AliasError, InputError, ItemError
from ....text import named, shortened
from .coding import Keys
from .evaluate import evaluate
from .expressions import Call, Expression, Name, names_in
from .names import Names
from .terms import Term, parse
from .tokens import error


@dataclass(frozen=True, eq=False)
class LookedUp:
    """A term with its names looked up.

    roles: of the names in it.
    """

    factors: Term
    roles: frozenset[str]

    @property
    def keys(self) -> Keys:
        return tuple(e.text for e in self.factors)

    @property
    def text(self) -> str:
        return ":".join(self.keys)


class Model:
    """A formula and the table it is of: terms, free or own abilities, values of expressions.

    terms: main effects first.  free: whether each item has a free ability.  lacking bool[n_items]: items
    without a value of an item covariate in the formula.  `own` bool[n_items]: these, and the items that were
    asked to be separate.  values: of the factors of the terms, by their text.  offsets: of what is in
    offset(...).
    """

    def __init__(
        self, formula: str, table: Comparisons, separate: Sequence[str], known: tuple[int, int] | None = None
    ) -> None:
        self.parsed = parse(formula)
        self.table = table
        self.names = Names(formula, table, table.wins + table.ties + table.losses > 0, known)
        self.terms = self._terms()
        self.free = any(t.factors == (Name("item"),) for t in self.terms) or self._is_empty()
        asked, self.lacking = self._own(separate)
        self.own = asked | self.lacking
        self.values = {
            e.text: evaluate(e, self.names, self.own)
            for e in dict.fromkeys(e for t in self.terms for e in t.factors)
        }
        nobody = np.zeros(len(table.items), bool)
        self.offsets = {e.text: evaluate(e, self.names, nobody) for e in self.parsed.offsets}
        self._check_terms()

    def _is_empty(self) -> bool:
        p = self.parsed
        return (
            not (p.terms or p.random or p.offsets) and p.intercept and self.names.formula.strip() in ("", "~")
        )

    def _terms(self) -> tuple[LookedUp, ...]:
        """The terms, with C(x) of a categorical x as x, each once."""
        found: dict[frozenset[str], LookedUp] = {}
        for term in self.parsed.terms:
            factors = tuple({e.text: e for e in map(self._plain, term)}.values())
            roles = frozenset(self.names.role(n) for e in factors for n in names_in(e))
            found.setdefault(frozenset(e.text for e in factors), LookedUp(factors, roles))
        return tuple(sorted(found.values(), key=lambda t: len(t.factors)))

    def _plain(self, e: Expression) -> Expression:
        if isinstance(e, Call) and e.function in ("C", "factor", "I") and isinstance(e.arguments[0], Name):
            inner = e.arguments[0]
            if self.names.categorical(inner.name) == (e.function != "I"):
                return inner
        return e

    def _own(self, separate: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Items asked for, and items without a value of an item covariate in the formula."""
        items = self.table.items
        for item in separate:
            if item not in items:
                raise ItemError(f"separate item {item!r} is not an item; the items are {named(items)}")
        lacking = np.zeros(len(items), bool)
        for name in self.covariates():
            lacking |= self.names.lacking(name)
        asked = np.zeros(len(items), bool)
        if separate:
            place = {item: k for k, item in enumerate(items)}
            asked[[place[item] for item in separate]] = True
        return asked, lacking

    def _check_terms(self) -> None:
        alone = [t for t in self.terms if "covariate" in t.roles and t.roles <= {"covariate", "item"}]
        for t in alone:
            if "item" in t.roles:
                raise self._alias(
                    f"{t.text} is an effect for each item alone, which a free ability says; write item"
                )
        if self.free and alone:
            raise self._alias(
                f"item gives each item a free ability, which determines the effect of {named(t.text for t in alone)};"
                " leave item out, or write (1 | item) in its place; an interaction with it alone is written with :"
            )
        coded = [t for t in self.terms if all(self.values[k].categorical for k in t.keys)]
        if coded and not self.parsed.intercept:
            raise error(
                self.names.formula,
                f"without the constant R codes {coded[0].text} by all its levels, of which one cannot be told from"
                " the others, as the constant cancels in each comparison; leave 0 or - 1 out",
            )
        if self.own.any() and self.of_covariates() and not (alone or self.free):
            raise InputError(
                f"formula={shortened(self.names.formula)!r}: {named(self.items(self.own))} has no value of"
                f" {' or '.join(self.covariates())}, or is separate, but no term is of item covariates alone, so that"
                f" there is no ability to replace; add {' + '.join(self.covariates())}"
            )

    def _alias(self, reason: str) -> AliasError:
        return AliasError(f"formula={shortened(self.names.formula)!r}: {reason}")

    def items(self, which: NDArray[np.bool_]) -> list[str]:
        """Names of the items."""
        return [self.table.items[k] for k in np.flatnonzero(which)]

    def of_covariates(self) -> bool:
        """Whether an item covariate is in a term."""
        return any("covariate" in t.roles for t in self.terms)

    def covariates(self) -> tuple[str, ...]:
        """The item covariates in the terms."""
        found = (n for t in self.terms for e in t.factors for n in names_in(e))
        return tuple(sorted({n for n in found if self.names.role(n) == "covariate"}))
