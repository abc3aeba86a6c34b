"""A recorded BTm as values: its contests, read off its result, and its formula in pairproof's words.

    logit P(1 beats 2) = x'b + offset,  x the row of R's model matrix, in favour of player1

The contests are those after subset, missing values and weights, as R used them.  R keeps the players of all
rows and the response of those it used; the names of the latter say which they are.

    R                            pairproof
    team, ..                     item
    SVL[..], log(SVL[..])        SVL, log(SVL), with SVL in the items' table
    WOR[student]                 WOR, a column of the table: each contest has the value of its student
    at.home (of player1, 2)      at.home, from the columns at.home_first and at.home_second
    (1 | ..)                     (1 | item)
    offset(z[..])                the column `offset`

The formula is data: it is read by the checked grammar of :mod:`pairproof.bridge.values.formulas`, and
whatever has no line here stays in R.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....bridge.capture.recorded import NotRecorded, RecordedCall
from ....bridge.values.formulas import checked
from ....bridge.values.nodes import RLang, RList, RVector
from ....errors import FormulaError
from ....native.comparisons.formula.expressions import FUNCTIONS, Name
from ..recorded_answers import counts
from ..translation import StaysInR

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contests:
    """What R used to fit a BTm, a value each row.

    id: name of the player factor.  players: its levels, in R's order.  `first`, second int[n]: positions in
    `players`.  wins, losses float[n]: of the first: share times weight.  offset float[n] or None.  x float[n,
    p]: R's model matrix.  names: its columns.  rows int[n]: positions among all rows that BTm was given.
    sides: the other columns of player1 and player2, of the rows used.  doubled: whether R took each row twice
    (a `subset` of positions); each is here once.  total: rows that BTm was given.
    """

    id: str
    players: tuple[str, ...]
    first: IntArray
    second: IntArray
    wins: FloatArray
    losses: FloatArray
    offset: FloatArray | None
    x: FloatArray
    names: tuple[str, ...]
    rows: IntArray
    sides: tuple[dict[str, RVector], dict[str, RVector]]
    doubled: bool
    total: int

    @property
    def indicators(self) -> FloatArray:
        """float[n, players]: 1 for the first, -1 for the second."""
        rows = np.arange(len(self.first))
        out = np.zeros((len(rows), len(self.players)))
        np.add.at(out, (rows, self.first), 1.0)
        np.add.at(out, (rows, self.second), -1.0)
        return out

    @property
    def whole(self) -> bool:
        """Whether all counts are whole numbers."""
        return bool((self.wins % 1 == 0).all() and (self.losses % 1 == 0).all())

    @property
    def halves(self) -> bool:
        """Whether every count that is not whole is a half."""
        return bool((2 * self.wins % 1 == 0).all() and (2 * self.losses % 1 == 0).all())


def contests_of(call: RecordedCall) -> Contests:
    """The contests of a recorded BTm."""
    key = (call.strings("id") or ("..",))[0]
    sides = tuple(_side(call, which, key) for which in ("player1", "player2"))
    one, other = sides[0][key], sides[1][key]
    if one.levels is None or one.levels != other.levels:
        raise StaysInR("its players are no factors with the same levels")
    share, weight = _numbers(call, "y"), _numbers(call, "prior_weights")
    if share.ndim == 2 or share.shape != weight.shape:
        raise StaysInR("its outcome is neither a share nor counts of wins and losses")
    n = len(share)
    rows, kept, doubled = _rows(call, n, len(one.values), _labels(call, sides_of=call.frame("player1")))
    share, weight = share[kept], weight[kept]
    if np.isnan(share).any() or one.na[rows].any() or other.na[rows].any():
        raise StaysInR("a row that it used has no outcome or no player")
    x, names = _design(call, n)
    offset = call.vector("offset")
    return Contests(
        key,
        one.levels,
        one.values[rows].astype(int) - 1,
        other.values[rows].astype(int) - 1,
        counts(share * weight),
        counts((1.0 - share) * weight),
        None if offset is None or not len(offset) else offset.floats()[kept],
        x[kept],
        names,
        rows,
        (_others(sides[0], key, rows), _others(sides[1], key, rows)),
        doubled,
        len(one.values),
    )


def taken(column: RVector, rows: IntArray) -> RVector:
    """Rows of a vector."""
    return RVector(column.values[rows], column.na[rows], None, None, column.levels, column.rclass)


def formula_text(call: RecordedCall) -> str:
    """R's formula; "" where it was not recorded."""
    found = call.result.get("formula")
    return found.text if isinstance(found, RLang) else ""


def _others(side: dict[str, RVector], key: str, rows: IntArray) -> dict[str, RVector]:
    return {name: taken(column, rows) for name, column in side.items() if name != key}


def _side(call: RecordedCall, which: str, key: str) -> dict[str, RVector]:
    """The columns of a player, of all rows; a bare factor under the name of the id."""
    found = call.result.get(which)
    if isinstance(found, RVector):
        return {key: found}
    if not isinstance(found, RList):
        raise StaysInR(f"{which} was not recorded")
    columns = {
        n: v for n, v in zip(found.names or (), found.values) if isinstance(v, RVector) and v.values.ndim == 1
    }
    if key not in columns:
        raise StaysInR(f"{which} has no column {key!r}")
    return columns


def _numbers(call: RecordedCall, name: str) -> FloatArray:
    found = call.vector(name)
    if found is None or found.values.dtype.kind not in "fib":
        raise StaysInR(f"its {name.replace('_', ' ')} was not recorded")
    return found.floats()


def _design(call: RecordedCall, n: int) -> tuple[FloatArray, tuple[str, ...]]:
    try:
        found = call.vector("x")
    except NotRecorded as why:
        raise StaysInR(str(why)) from None
    if found is None or not found.values.size:
        return np.zeros((n, 0)), ()
    if found.values.ndim != 2 or len(found.values) != n or not found.dimnames or found.dimnames[1] is None:
        raise StaysInR("its model matrix was not recorded")
    return found.floats(), found.dimnames[1]


def _labels(call: RecordedCall, sides_of: RList | None) -> tuple[str, ...] | None:
    """Names of all rows, where they are not 1, 2, 3, ...; BTm gives its model frame names of its own, 1, 2, ..."""
    found = None if sides_of is None else sides_of.attributes.get("row.names")
    if isinstance(found, RVector) and found.values.dtype.kind == "O":
        return tuple(str(v) for v in found.values.tolist())
    return None


def _rows(
    call: RecordedCall, n: int, total: int, labels: tuple[str, ...] | None
) -> tuple[IntArray, IntArray, bool]:
    """Positions of the rows used among all; which of the rows used to keep; whether each was taken twice."""
    if n == total:
        return np.arange(n), np.arange(n), False
    vectors = (call.vector("prior_weights"), call.vector("y"))
    names = next((v.names for v in vectors if v is not None and v.names is not None), None)
    if names is None or len(names) != n:
        raise StaysInR(f"R used {n} of {total} rows, and their names do not say which")
    place = {name: k for k, name in enumerate(labels or tuple(str(k + 1) for k in range(total)))}
    if all(name in place for name in names):
        return np.array([place[name] for name in names]), np.arange(n), False
    half = n // 2
    if n % 2 == 0 and names[half:] == tuple(f"{name}.1" for name in names[:half]):
        if all(name in place for name in names[:half]):
            return np.array([place[name] for name in names[:half]]), np.arange(half), True
    raise StaysInR(f"R used {n} rows of {total}, some of them more than once")


def plain_values(column: RVector) -> list[Any]:
    """A column as Python values, None where it is missing: the level of a factor, 1 and 0 for TRUE and FALSE."""
    values: list[Any] = [None if m else v for v, m in zip(column.values.tolist(), column.na.tolist())]
    if column.levels is not None:
        return [None if v is None else column.levels[int(v) - 1] for v in values]
    values = [int(v) if isinstance(v, bool) else v for v in values]
    return [None if isinstance(v, float) and np.isnan(v) else v for v in values]


_TOKEN = re.compile(
    r"`(?P<ticked>[^`]+)`|(?P<name>(?:[^\W\d]|\.(?!\d))[\w.]*)|(?P<other>%in%|==|!=|<=|>=|[0-9.]+(?:[eE][-+]?[0-9]+)?|\S)"
)
#: Names that a table of comparisons reads as something of its own, or that a formula does.
TAKEN = frozenset("first second wins losses ties judge weight source order item offset weights".split())


@dataclass
class Words:
    """A formula in pairproof's words: values of players by their levels, of contests, levels of factors."""

    formula: str = ""
    item_data: dict[str, list[Any]] = field(default_factory=dict)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    levels: dict[str, list[str]] = field(default_factory=dict)


def in_words(
    call: RecordedCall, contests: Contests, terms: Sequence[str] | None = None, scopes: Sequence[str] = ()
) -> Words:
    """The formula of a BTm, or these terms of it; scopes: further terms whose covariates are added."""
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
