"""The terms of a formula, by the algebra of Wilkinson and Rogers (1973), Applied Statistics 22, 392-399, as in R.

    a + b, a - b      terms of both; terms of a that are not in b
    a:b, a %in% b     interactions of each term of a with each of b
    a*b               a + b + a:b
    a/b               a + a:b; (a + b)/c is a + b + a:b:c
    (a + b)^2         a + b + a:b

`:` binds more tightly than %in%, that more than * and /, and these more than + and -.  A term is a set of
expressions; the order in which they were first written is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NoReturn, Protocol, TypeVar

from .expressions import COMPARISONS, Call, Expression, Name, Token, Words, call, expression, names_in

#: Terms of a formula at most, and expressions in one term: ways to code a term double with each factor in it.
MOST_TERMS, MOST_FACTORS = 256, 8
#: Pairs of terms that * : / and ^ may join while a formula is read.
MOST_WORK = 200_000

Term = tuple[Expression, ...]


class Factor(Protocol):
    """What stands between the signs; two factors of one text are the same."""

    @property
    def text(self) -> str:
        """As it is written back."""


F = TypeVar("F", bound=Factor)
Terms = dict[frozenset[str], tuple[F, ...]]


@dataclass(frozen=True)
class Parsed:
    """What a formula says, before its names are looked up.
    terms: main effects first, then interactions by their order.  intercept: false for `- 1` and `0 +`.
    random: of "(1 | item)" and "(1 | item:judge)"."""

    terms: tuple[Term, ...]
    intercept: bool
    random: tuple[str, ...]
    offsets: tuple[Expression, ...]


def parse(formula: str) -> Parsed:
    """Read a formula into its terms."""
    reader = _Abilities(formula)
    ordered = sorted(reader.terms(), key=len)  # stable: within an order as written
    return Parsed(tuple(ordered), reader.intercept, tuple(reader.random), tuple(reader.offsets.values()))


class Reader(Generic[F]):
    """The algebra; what may stand between its signs is said by :meth:`factor`, and beside terms by :meth:`summand`."""

    def __init__(self, formula: str, what: str = "formula") -> None:
        self.words = Words(formula, what)
        self.work = 0

    def terms(self) -> list[tuple[F, ...]]:
        """The terms of the whole formula in the order in which they were first written."""
        if self.words.sees("~"):
            self.words.take()
            if self.words.next.kind == "end":
                self.fail("nothing behind '~'; write item for free abilities of the items")
        terms: Terms[F] = {}
        if self.words.next.kind != "end":
            terms = self.sum(outermost=True)
        if self.words.next.kind != "end":
            self.fail(f"unexpected {self.words.next.shown}" + self.hint(self.words.next))
        return list(terms.values())

    def fail(self, reason: str) -> NoReturn:
        raise self.words.error(reason)

    def hint(self, word: Token) -> str:
        if word.text == "~":
            return "; the formula has one side, that of the ability"
        if word.text == "|":
            return "; a random effect is written (1 | item) or (1 | item:judge)"
        if word.text in ("=", *COMPARISONS):
            return "; a comparison stands in brackets, as in (x > 3)"
        return "; expected an operator such as + : or *"

    # -- sums ------------------------------------------------------------------------------------------------

    def sum(self, outermost: bool = False) -> Terms[F]:
        out: Terms[F] = {}
        sign = "+"
        if self.words.sees("+", "-"):
            sign = self.words.take().text
        while True:
            self.summand(out, sign, outermost)
            if not self.words.sees("+", "-"):
                return out
            sign = self.words.take().text

    def summand(self, out: Terms[F], sign: str, outermost: bool) -> None:
        self.add(out, sign)

    def add(self, out: Terms[F], sign: str) -> None:
        for key, term in self.product().items():
            if sign == "+":
                out.setdefault(key, term)
            elif out.pop(key, None) is None:
                self.not_there(term)
        if len(out) > MOST_TERMS:
            self.too_many()

    def not_there(self, term: tuple[F, ...]) -> None:
        """What is taken away and was not there is nothing to R."""

    # -- products --------------------------------------------------------------------------------------------

    def product(self) -> Terms[F]:
        left = self.nested()
        while self.words.sees("*", "/"):
            sign = self.words.take().text
            right = self.nested()
            if sign == "*":
                left = self.union(left, right, self.joined(left, right))
            else:
                whole = self.merged(tuple(e for term in left.values() for e in term))
                left = self.union(left, self.joined({frozenset(e.text for e in whole): whole}, right))
        return left

    def nested(self) -> Terms[F]:
        left = self.interaction()
        while self.words.sees("%in%"):
            self.words.take()
            left = self.joined(left, self.interaction())
        return left

    def interaction(self) -> Terms[F]:
        left = self.power()
        while self.words.sees(":"):
            self.words.take()
            left = self.joined(left, self.power())
        return left

    def power(self) -> Terms[F]:
        base = self.atom()
        if not self.words.sees("^"):
            return base
        self.words.take()
        word = self.words.take()
        if word.kind != "number" or not word.text.isdigit() or not 1 <= int(word.text[:9]) <= MOST_FACTORS:
            self.fail(
                f"the power {word.shown}; expected a whole number from 1 to {MOST_FACTORS}, as in (a + b + c)^2. For"
                " the square of a covariate write I(x^2)"
            )
        out = base
        for _ in range(int(word.text) - 1):
            out = self.union(out, self.joined(out, base))
        if self.words.sees("^"):
            self.fail("a power of a power")
        return out

    def atom(self) -> Terms[F]:
        inside = self.words.bracket() if self.words.sees("(") else ()
        if self.words.sees("(") and not any(w.kind == "sign" and w.text in COMPARISONS for w in inside):
            self.words.take()
            out = self.sum()
            self.words.expect(")")
            return out
        found = self.factor()
        return {frozenset([found.text]): (found,)}

    def factor(self) -> F:
        """A name, what is called, or a comparison in brackets."""
        raise NotImplementedError

    # -- the algebra -----------------------------------------------------------------------------------------

    def joined(self, left: Terms[F], right: Terms[F]) -> Terms[F]:
        self.work += len(left) * len(right)
        if self.work > MOST_WORK:
            self.too_many()
        out: Terms[F] = {}
        for k1, t1 in left.items():
            for k2, t2 in right.items():
                key = k1 | k2
                if key not in out:
                    out[key] = self.merged(t1 + t2)
                    if len(out) > MOST_TERMS:
                        self.too_many()
        return out

    def merged(self, factors: tuple[F, ...]) -> tuple[F, ...]:
        distinct = tuple({e.text: e for e in factors}.values())
        if len(distinct) > MOST_FACTORS:
            self.fail(f"an interaction of {len(distinct)} covariates; the limit is {MOST_FACTORS}")
        return distinct

    def union(self, *parts: Terms[F]) -> Terms[F]:
        out: Terms[F] = {}
        for part in parts:
            for key, term in part.items():
                out.setdefault(key, term)
        if len(out) > MOST_TERMS:
            self.too_many()
        return out

    def too_many(self) -> None:
        self.fail(
            f"more than {MOST_TERMS:,} effects and interactions; join covariates by + and write out, with :, the few"
            " interactions that are meant"
        )


class _Abilities(Reader[Expression]):
    """Formulas of abilities: functions of covariates, an intercept or none, random effects, offsets."""

    def __init__(self, formula: str) -> None:
        super().__init__(formula)
        self.intercept = True
        self.random: dict[str, None] = {}
        self.offsets: dict[str, Expression] = {}

    def summand(self, out: Terms[Expression], sign: str, outermost: bool) -> None:
        word = self.words.next
        if word.kind == "number":
            self.constant(sign, outermost)
        elif self.words.sees("(") and any(w.text == "|" and w.kind == "sign" for w in self.words.bracket()):
            self.random_effect(sign, outermost)
        elif word.text == "offset" and self.opens(1):
            self.offset(sign, outermost)
        else:
            self.add(out, sign)

    def opens(self, ahead: int) -> bool:
        word = self.words.words[min(self.words.place + ahead, len(self.words.words) - 1)]
        return word.kind == "sign" and word.text == "("

    def constant(self, sign: str, outermost: bool) -> None:
        word = self.words.take()
        follows = self.words.next
        alone = follows.kind == "end" or (follows.kind == "sign" and follows.text in ("+", "-"))
        if not outermost or not alone or word.text not in ("0", "1"):
            self.fail(
                f"the number {word.shown} is not a term; numbers stand in functions such as I(2*x), and 0, 1 or -1 as"
                " summands of the whole formula"
            )
        self.intercept = (word.text == "1") == (sign == "+")

    def random_effect(self, sign: str, outermost: bool) -> None:
        inner = self.words.bracket()
        written = "".join(w.text for w in inner)
        allowed = {"1|item": "item", "1|item:judge": "item:judge", "1|judge:item": "item:judge"}
        if written == "1|judge":
            self.fail(
                "the random effect (1 | judge) is the same for both items of a row, so it cancels; (1 | item:judge) lets each"
                " judge's abilities vary about those of all"
            )
        if sign == "-" or not outermost or written not in allowed:
            self.fail(
                f"the random effect ({' '.join(w.text for w in inner)[:40]}) cannot be read; there are (1 | item) and"
                " (1 | item:judge), as summands"
            )
        self.random[allowed[written]] = None
        self.words.place += len(inner) + 2
        if not (self.words.next.kind == "end" or self.words.sees("+", "-")):
            self.fail("a random effect is a summand of its own: + (1 | item)")

    def offset(self, sign: str, outermost: bool) -> None:
        self.words.take()
        self.words.expect("(")
        self.words.operations = 0
        e = expression(self.words)
        self.words.expect(")")
        if sign == "-" or not outermost or not (self.words.next.kind == "end" or self.words.sees("+", "-")):
            self.fail(f"offset({e.text}) is a summand of its own, with the coefficient 1: + offset({e.text})")
        if not list(names_in(e)):
            self.fail(f"offset({e.text}) names no covariate, so it is the same for both items")
        if e.text in self.offsets:
            self.fail(f"offset({e.text}) is there twice")
        self.offsets[e.text] = e

    def factor(self) -> Expression:
        word = self.words.next
        self.words.operations = 0
        if self.words.sees("("):
            self.words.take()
            e = expression(self.words)
            self.words.expect(")")
        elif word.kind != "name":
            self.fail(f"found {word.shown} where a term was expected")
        elif not self.opens(1) or word.ticked:
            e = Name(self.words.take().text)
        elif word.text == "offset":
            self.fail("offset(...) is a summand of its own, not part of a product or a bracket")
        else:
            e = call(self.words)
        if not list(names_in(e)):
            self.fail(f"{e.text} names no covariate")
        factor = isinstance(e, Call) and e.function in ("C", "factor") and e.arguments[0] == Name("item")
        return Name("item") if factor else e
