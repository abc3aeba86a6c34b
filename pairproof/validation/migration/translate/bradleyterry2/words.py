"""R's formula of the ability of a player in pairproof's words, with the values of every name in it.

    R                            pairproof
    team, ..                     item
    SVL[..], log(SVL[..])        SVL, log(SVL), with SVL in the items' table
    WOR[student]                 WOR, a column of the table: each contest has the value of its student
    at.home (of player1, 2)      at.home, from the columns at.home_first and at.home_second
    (1 | ..)                     (1 | item)
    offset(z[..])                the column `offset`

The formula is data: it is read by the checked grammar of :mod:`pairproof.bridge.values.formulas`, and whatever has no
line here stays in R.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.formulas import checked
from .....bridge.values.values import RVector
from .....errors import FormulaError
from .....native.contests.formula.expressions import FUNCTIONS, Name
from .contests import Contests, StaysInR, formula_text, plain_values, taken

_TOKEN = re.compile(
    r"`(?P<ticked>[^`]+)`|(?P<name>(?:[^\W\d]|\.(?!\d))[\w.]*)|(?P<other>%in%|==|!=|<=|>=|[0-9.]+(?:[eE][-+]?[0-9]+)?|\S)"
)
#: Names that a table of comparisons reads as something of its own, or that a formula does.
TAKEN = frozenset("first second wins losses ties judge weight source order item offset weights".split())


@dataclass
class Words:
    """A formula in pairproof's words.

    item_data: a value each player, in the order of the levels.  columns: a value each contest.  levels: of
    what is a factor.
    """

    formula: str = ""
    item_data: dict[str, list[Any]] = field(default_factory=dict)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    levels: dict[str, list[str]] = field(default_factory=dict)


def in_words(
    call: RecordedCall, contests: Contests, terms: Sequence[str] | None = None, scopes: Sequence[str] = ()
) -> Words:
    """The formula of a recorded BTm, or the sum of these terms of it.

    terms: R's labels of terms.  scopes: further terms, whose covariates are added and which the formula does
    not have.  Returns Words: without random effects and offsets.
    """
    text = formula_text(call) if terms is None else "~ " + " + ".join(terms or ("1",))  # "1" is no term
    try:
        written = checked(text)
    except FormulaError as error:
        raise StaysInR(f"its formula stays in R: {error}") from None
    reader = _Reader(call, contests)
    kept = [reader.translated(part) for part in summands(written.lstrip("~ "))]
    said = " ".join(part for part in kept if part)
    reader.words.formula = said.removeprefix("+ ")
    for term in scopes:
        try:
            reader.translated(f"+ {term}")
        except StaysInR:
            continue  # it is said where the term is added
    return reader.words


def terms_of(text: str) -> list[str]:
    """The terms that a scope adds: "~. + x[..] + y[..]" has x[..] and y[..]."""
    try:
        parts = summands(checked(text).lstrip("~ "))
    except FormulaError as error:
        raise StaysInR(f"its scope stays in R: {error}") from None
    if any(part[0] == "-" for part in parts):
        raise StaysInR("its scope takes terms away")
    bodies = [part.lstrip("+ ") for part in parts]
    return [body for body in bodies if body not in (".", "1") and "|" not in body]


def summands(text: str) -> list[str]:
    """The summands of a formula, each with its sign: "+ a", "- b"."""
    out, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if not depth and sign in "+-" and text[:at].strip():
            out.append(text[start:at].strip())
            start = at
    out.append(text[start:].strip())
    return [part if part[0] in "+-" else f"+ {part}" for part in out if part]


def random_effect(call: RecordedCall, contests: Contests) -> bool:
    """Whether the formula has a random effect of the player."""
    bars = [part for part in _parts(call) if "|" in part]
    for part in bars:
        if re.sub(r"[\s`()+]", "", part) != f"1|{contests.id}":
            raise StaysInR(f"its random effect {part.lstrip('+ ')} is not that of the player")
    return bool(bars)


def _parts(call: RecordedCall) -> list[str]:
    try:
        return summands(checked(formula_text(call) or "~ 1").lstrip("~ "))
    except FormulaError as error:
        raise StaysInR(f"its formula stays in R: {error}") from None


class _Reader:
    """Names of R's formula -> words and values."""

    def __init__(self, call: RecordedCall, contests: Contests) -> None:
        self.contests = contests
        data = call.frame("data")
        found = dict(zip(data.names or (), data.values)) if data is not None else {}
        self.data = {n: v for n, v in found.items() if isinstance(v, RVector)}
        self.words = Words()
        self.named: dict[tuple[str, str], str] = {}

    def translated(self, part: str) -> str:
        """A summand in pairproof's words; "" for one that is said elsewhere."""
        body = part.lstrip("+- ")
        if "|" in body or body.startswith("offset(") or part == "+ 1":
            return ""
        tokens = [m for m in _TOKEN.finditer(part)]
        out, k = [], 0
        while k < len(tokens):
            name = tokens[k]["ticked"] or tokens[k]["name"]
            ahead = [t[0] for t in tokens[k + 1 : k + 4]]
            if name is None:
                out.append(tokens[k][0])
            elif ahead[:1] == ["["]:
                index = tokens[k + 2]["ticked"] or tokens[k + 2]["name"]
                if index is None or ahead[2:] != ["]"]:
                    raise StaysInR(f"{body}: only a name in square brackets has a counterpart")
                out.append(self.word(name, index))
                k += 3
            elif ahead[:1] == ["("]:
                if name not in FUNCTIONS:
                    raise StaysInR(f"{name}() has no counterpart in a formula of pairproof")
                out.append(name)
            else:
                out.append(self.word(name, ""))
            k += 1
        return _spaced(out)

    def word(self, name: str, index: str) -> str:
        """What a name, or `name[index]`, is called; its values are added."""
        if name == self.contests.id and not index:
            return "item"
        if (name, index) not in self.named:
            self.named[name, index] = self.add(name, index)
        return Name(self.named[name, index]).text

    def add(self, name: str, index: str) -> str:
        c = self.contests
        if index == c.id:
            column = self.vector(name, len(c.players), "players")
            called = self.free(name)
            self.words.item_data[called] = self.plain(column, called)
            return called
        if not index and name in c.sides[0] and name in c.sides[1]:
            return self.sided(name, c.sides[0][name], c.sides[1][name])
        if not index:
            column = taken(self.vector(name, c.total, "contests"), c.rows)
            called = self.free(name)
            self.words.columns[called] = self.plain(column, called)
            return called
        values = self.data.get(name)
        if values is None or values.values.ndim != 1:
            raise StaysInR(f"the values of {name} were not recorded")
        if index in c.sides[0] and index in c.sides[1]:
            return self.sided(name, *(_looked_up(values, c.sides[k][index], name) for k in (0, 1)))
        where = taken(self.vector(index, c.total, "contests"), c.rows)
        called = self.free(name)
        self.words.columns[called] = self.plain(_looked_up(values, where, name), called)
        return called

    def sided(self, name: str, one: RVector, other: RVector) -> str:
        called = self.free(name)
        for end, column in (("first", one), ("second", other)):
            self.words.columns[f"{called}_{end}"] = self.plain(column, f"{called}_{end}")
        return called

    def vector(self, name: str, n: int, of: str) -> RVector:
        found = self.data.get(name)
        if found is None:
            raise StaysInR(f"the values of {name} were not recorded")
        if found.values.ndim != 1 or len(found) != n:
            raise StaysInR(f"{name} has not one value for each of the {n} {of}")
        return found

    def plain(self, column: RVector, called: str) -> list[Any]:
        if column.levels is not None:
            self.words.levels[called] = list(column.levels)
        return plain_values(column)

    def free(self, name: str) -> str:
        """A name that nothing else has."""
        taken_names = {*self.words.item_data, *self.words.columns, *TAKEN}
        called = name.replace("`", "'")
        while {called, f"{called}_first", f"{called}_second"} & taken_names:
            called += "_"
        return called


def _looked_up(values: RVector, where: RVector, name: str) -> RVector:
    """`values[where]`, as R takes the codes of a factor, or numbers, for positions."""
    at = where.floats() - 1
    if np.isnan(at).any() or (at < 0).any() or (at >= len(values)).any() or (at % 1 != 0).any():
        raise StaysInR(f"{name} is looked up at positions that it does not have")
    return taken(values, at.astype(int))


def _spaced(tokens: list[str]) -> str:
    """Tokens as R writes a formula: spaces about + - *, none about the others."""
    out = ""
    for token in tokens:
        out += (
            f" {token} " if token in ("+", "-", "*", "==", "<", ">", "<=", ">=", "!=", "%in%", "/") else token
        )
    out = out.replace(",", ", ").strip()
    return re.sub(r"\s+", " ", out)
