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

Python calls that may have the model of a recorded BTm, the most readable first.

Free abilities are `fit_bradley_terry(table)`, with `order_effect=True` where each player named first is at home.  Any
other formula is written in pairproof's words; where it has none, or another parameterisation than R's
contrasts, the columns of R's own model matrix stand in the table.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.formulas import checked
from ....bridge.values.nodes import RLang, RList, RVector
from ....errors import FormulaError
from ....native.comparisons.formula.expressions import FUNCTIONS, Name
from ...recognise.design_terms import signs_of
from .. import recorded_answers as answers
from ..designs.recorded_design import contest_call, fitted_of, positions
from ..python_code import Call, File, stated, whole_numbers
from ..recorded_answers import Floats, Ints, StaysInR, held, needed, stays_if


@dataclass(frozen=True, eq=False)
class Contests:
    """What R used to fit a BTm, a value each row.

    id: name of the player factor.  players: its levels, in R's order.  `first`, second int[n]: positions in
    `players`.  wins, losses float[n]: of the first: share times weight.  offset float[n] or None.  x float[n,
    p]: R's model matrix.  names: its columns.  coef float[p], nan for NA; vcov float[p, p], 0 there.  rows int[n]: positions among all rows that BTm was given.
    sides: the other columns of player1 and player2, of the rows used.  doubled: whether R took each row twice
    (a `subset` of positions); each is here once.  total: rows that BTm was given.
    """

    id: str
    players: tuple[str, ...]
    first: Ints
    second: Ints
    wins: Floats
    losses: Floats
    offset: Floats | None
    x: Floats
    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    rows: Ints
    sides: tuple[dict[str, RVector], dict[str, RVector]]
    doubled: bool
    total: int

    @property
    def indicators(self) -> Floats:
        """float[n, players]: 1 for the first, -1 for the second."""
        return signs_of(self.first, self.second, len(self.players))

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
    key = answers.first(call, "id", "..")
    sides = [_side(call, which, key) for which in ("player1", "player2")]
    one, other = (side.pop(key) for side in sides)
    levels = needed(one.levels, apart := "its players are not factors with the same levels")
    stays_if(levels != other.levels, apart)
    fitted = fitted_of(call)
    rows, kept, doubled = _rows(call, fitted.n, len(one.values))
    share, weight = fitted.y[kept], fitted.weights[kept]
    stays_if(one.na[rows].any() or other.na[rows].any(), "a row that it used lacks a player")
    own, theirs = ({name: answers.taken(column, rows) for name, column in side.items()} for side in sides)
    return Contests(
        id=key,
        players=levels,
        first=one.values[rows].astype(int) - 1,
        second=other.values[rows].astype(int) - 1,
        wins=answers.counts(share * weight),
        losses=answers.counts((1.0 - share) * weight),
        offset=None if fitted.offset is None else fitted.offset[kept],
        x=fitted.design.x[kept],
        names=fitted.design.names,
        coef=fitted.coef,
        vcov=fitted.vcov,
        rows=rows,
        sides=(own, theirs),
        doubled=doubled,
        total=len(one.values),
    )


def formula_text(call: RecordedCall) -> str:
    """R's formula; "" where it was not recorded."""
    found = call.result.get("formula")
    return found.text if isinstance(found, RLang) else ""


def _side(call: RecordedCall, which: str, key: str) -> dict[str, RVector]:
    """The columns of a player, of all rows; a bare factor under the name of the id."""
    found = call.result.get(which)
    if isinstance(found, RVector):
        return {key: found}
    columns = answers.vectors_of(held(found, RList, f"{which} was not recorded"))
    stays_if(key not in columns, f"{which} has no column {key!r}")
    return columns


def _rows(call: RecordedCall, n: int, total: int) -> tuple[Ints, Ints, bool]:
    """Positions of the rows used among all; which of the rows used to keep; whether each was taken twice."""
    every = np.arange(n)
    if n == total:
        return every, every, False
    vectors = (call.vector("prior_weights"), call.vector("y"))
    names = next((v.names for v in vectors if v is not None and v.names is not None), None) or ()
    stays_if(len(names) != n, f"R used {n} of {total} rows, and their names do not identify them")
    # Names of all rows, where they are not 1, 2, 3, ...: BTm gives its model frame such names of its own.
    side = call.frame("player1")
    found = None if side is None else side.attributes.get("row.names")
    labels = found if isinstance(found, RVector) and found.values.dtype.kind == "O" else None
    half, at = n // 2, positions(names, labels, total)
    doubled = at is None and n % 2 == 0 and names[half:] == tuple(f"{name}.1" for name in names[:half])
    at = positions(names[:half], labels, total) if doubled else at
    at = needed(at, f"R used {n} rows of {total}, some of them more than once")
    return at, every[: len(at)], doubled


_PLAIN = r"(?:[^\W\d]|\.(?!\d))[\w.]*"
#: A name with its index in square brackets, if any, or the bracket of a call; and what holds no names.
_WORD = re.compile(
    rf"(?:`(?P<ticked>[^`]+)`|(?P<name>{_PLAIN}))(?:\[(?:`(?P<of_ticked>[^`]+)`|(?P<of>{_PLAIN}))\]|(?P<call>\())?"
    r"|%in%|[0-9.]+(?:[eE][-+]?[0-9]+)?|(?P<open>\[)"
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
    reader = _Reader(call, contests)
    kept = [reader.translated(part) for part in _checked(text, "formula")]
    reader.words.formula = " ".join(part for part in kept if part).removeprefix("+ ")
    for term in scopes:
        with contextlib.suppress(StaysInR):  # it is said where the term is added
            reader.translated(f"+ {term}")
    return reader.words


def terms_of(text: str) -> list[str]:
    """The terms that a scope adds: "~. + x[..] + y[..]" has x[..] and y[..]."""
    parts = _checked(text, "scope")
    stays_if(any(part[0] == "-" for part in parts), "its scope removes terms")
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
    bars = [part for part in _checked(formula_text(call) or "~ 1", "formula") if "|" in part]
    other = next((part for part in bars if re.sub(r"[\s`()+]", "", part) != f"1|{contests.id}"), "")
    stays_if(other, f"its random effect {other.lstrip('+ ')} is not that of the player")
    return bool(bars)


def _checked(text: str, what: str) -> list[str]:
    """The summands of a formula that the bridge's grammar takes."""
    try:
        return summands(checked(text).lstrip("~ "))
    except FormulaError as error:
        raise StaysInR(f"its {what} stays in R: {error}") from None


class _Reader:
    """Names of R's formula -> words and values."""

    def __init__(self, call: RecordedCall, contests: Contests) -> None:
        self.contests, self.data = contests, answers.vectors_of(call.frame("data"))
        self.words = Words()
        self.named: dict[tuple[str, str], str] = {}

    def translated(self, part: str) -> str:
        """A summand in pairproof's words; "" for one that is said elsewhere."""
        body = part.lstrip("+- ")
        if "|" in body or body.startswith("offset(") or part == "+ 1":
            return ""
        said = _WORD.sub(lambda m: self._said(m, body), part)
        return re.sub(r"\s+", " ", said.replace("/", " / ")).strip()

    def _said(self, m: re.Match[str], body: str) -> str:
        name = m["ticked"] or m["name"]
        stays_if(m["open"], f"{body}: only a name in square brackets is supported")
        if name is None:
            return m[0]
        if m["call"]:
            stays_if(name not in FUNCTIONS, f"{name}() has no equivalent in a pairproof formula")
            return f"{name}("
        return self.word(name, m["of_ticked"] or m["of"] or "")

    def word(self, name: str, index: str) -> str:
        """What a name, or `name[index]`, is called; its values are added."""
        if name == self.contests.id and not index:
            return "item"
        if (name, index) not in self.named:
            self.named[name, index] = self.add(name, index)
        return Name(self.named[name, index]).text

    def add(self, name: str, index: str) -> str:
        c, called, of = self.contests, self.free(name), index or name
        if index == c.id:
            self.words.item_data[called] = self.plain(self.vector(name, len(c.players), "players"), called)
            return called
        if all(of in side for side in c.sides):
            found = {f"{called}_{end}": side[of] for end, side in zip(("first", "second"), c.sides)}
        else:
            found = {called: answers.taken(self.vector(of, c.total, "contests"), c.rows)}
        found = {n: self.looked_up(name, column) if index else column for n, column in found.items()}
        self.words.columns |= {n: self.plain(column, n) for n, column in found.items()}
        return called

    def values(self, name: str) -> RVector:
        return needed(self.data.get(name), f"the values of {name} were not recorded")

    def vector(self, name: str, n: int, of: str) -> RVector:
        found = self.values(name)
        stays_if(len(found) != n, f"{name} does not have one value for each of the {n} {of}")
        return found

    def looked_up(self, name: str, where: RVector) -> RVector:
        """`values[where]`, as R takes the codes of a factor, or numbers, for positions."""
        values, at = self.values(name), where.floats() - 1
        beyond = np.isnan(at).any() or (at < 0).any() or (at >= len(values)).any() or (at % 1 != 0).any()
        stays_if(beyond, f"{name} is indexed at positions that do not exist")
        return answers.taken(values, at.astype(int))

    def plain(self, column: RVector, called: str) -> list[Any]:
        if column.levels is not None:
            self.words.levels[called] = list(column.levels)
        return answers.plain_values(column)

    def free(self, name: str) -> str:
        """A name that nothing else has."""
        taken_names = {*self.words.item_data, *self.words.columns, *TAKEN}
        called = name.replace("`", "'")
        while {called, f"{called}_first", f"{called}_second"} & taken_names:
            called += "_"
        return called


MATRIX = "The formula has no equivalent in pairproof: the table has the columns of R's model matrix, under R's names."
PQL = (
    "method=\"pql\" is BradleyTerry2's penalised quasi-likelihood, so that the numbers are R's; for single wins and losses"
    " it is badly biased, and without it the likelihood is approximated by Laplace's method."
)
HELD_AT_0 = "The variance of the random effects is fixed at 0, so this is the model without them."
HALF = "Contests that count half for each player are read as ties, each half a win."


@dataclass(frozen=True, eq=False)
class Candidate:
    """A call that may have R's model; any_contrasts: R's coefficients may combine its parameters."""

    code: Call
    any_contrasts: bool = False
    notes: tuple[str, ...] = ()


def candidates(call: RecordedCall, contests: Contests, scopes: Sequence[str] = ()) -> Iterator[Candidate]:
    """Calls of `fit_bradley_terry` to be tried in turn; scopes: later terms, whose covariates are needed."""
    link, held_fixed = link_of(call), call.flag("sigma.fixed")
    stays_if(link not in ("logit", "probit", "cauchit"), f"fit_bradley_terry has no link {link!r}")
    options = stated(link=link != "logit" and link, reduce_bias=bias_reduced(call) and "mean")
    notes, random = tuple[str, ...](), random_effect(call, contests)
    if random and held_fixed and call.real("sigma", 0.1) == 0.0:  # 0.1 is glmmPQL's own start
        random, notes = False, (HELD_AT_0,)
    if random:
        stays_if(held_fixed, "fit_bradley_terry has no random effects with a fixed variance")
        options["method"], notes = "pql", (PQL,)
    free, others = free_columns(contests)
    reference = reference_of(contests) if free else ""
    named = stated(reference=reference != contests.players[0] and reference)
    more_data = in_words(call, contests, (), scopes)
    if free and not random and len(others) <= 1 and (contests.x[:, others] == 1).all():
        order = stated(order_effect=bool(others))
        yield Candidate(fit_call(call, contests, more_data, named | options | order), True, notes)
        return
    more = stated(separate=[p for p in call.strings("separate") if p in contests.players])
    for terms in ((None,) if not _terms_without_number(call) else ()) + (estimated_terms(call),):
        try:
            words = in_words(call, contests, terms, scopes)
        except StaysInR:
            break
        if random:
            words.formula = " + ".join(part for part in (words.formula, "(1 | item)") if part)
        yield Candidate(fit_call(call, contests, words, named | more | options), False, notes)
    alone = random and any(name.startswith(contests.id) for name in contests.names)
    lost = "some players have separate abilities beside the random effects, and the formula has no equivalent"
    stays_if(alone, lost)
    columns = others if free else None
    yield Candidate(_with_matrix(call, contests, named | options, columns, random), False, (*notes, MATRIX))


def fit_call(call: RecordedCall, contests: Contests, words: Words, options: dict[str, Any]) -> Call:
    """`pairproof.fit_bradley_terry(pairproof.read("data/m.csv", ...), ...)`."""
    sides = {"first": contests.first, "second": contests.second}
    counted, items = (contests.wins, contests.losses, None), contests.players
    file = File({"item": list(items), **words.item_data}, f"{call.variable or 'BTm'}_items")
    reading = stated(item_data=file if words.item_data else None, levels=words.levels)
    options, offset = stated(formula=words.formula) | options, contests.offset
    given = call.variable, options, words.columns, reading, offset
    return contest_call("fit_bradley_terry", sides, counted, items, *given)


def free_columns(contests: Contests) -> tuple[bool, list[int]]:
    """Whether all but one a player are sums of the players' indicators, and the places of the others."""
    d, x = contests.indicators, contests.x
    off = np.abs(d @ np.linalg.lstsq(d, x, rcond=None)[0] - x).max(axis=0, initial=0.0)
    of_items = [k for k, n in enumerate(contests.names) if n.startswith(contests.id) and off[k] <= 1e-9]
    return len(of_items) == len(contests.players) - 1, [k for k in range(len(off)) if k not in of_items]


def reference_of(contests: Contests) -> str:
    """The player at 0 in R's columns of free abilities: the one without a column; "sum" under other contrasts."""
    columns = {tuple(column) for column in contests.x.T.tolist()}
    indicators = contests.indicators.T.tolist()
    without = [p for p, own in zip(contests.players, indicators) if tuple(own) not in columns]
    return without[0] if len(without) == 1 else "sum"


def estimated_terms(call: RecordedCall) -> list[str]:
    """R's labels of the terms that have a coefficient with a number; what R gives NA for throughout is aliased."""
    without = _terms_without_number(call)
    return [label for label in call.strings("terms") if label not in without]


def bias_reduced(call: RecordedCall) -> bool:
    """Whether brglm fitted it."""
    return "brglm" in call.strings("class")


def _terms_without_number(call: RecordedCall) -> set[str]:
    labels, assign, coef = call.strings("terms"), call.vector("assign"), call.vector("coef")
    if assign is None or coef is None or len(assign) != len(coef):
        return set()
    of, values = assign.floats().astype(int), coef.floats().ravel()
    known = of.max(initial=0) <= len(labels)
    found = {label: values[of == k] for k, label in enumerate(labels, 1) if known}
    return {label for label, own in found.items() if len(own) and np.isnan(own).all()}


def _with_matrix(
    call: RecordedCall, contests: Contests, options: dict[str, Any], others: list[int] | None, random: bool
) -> Call:
    """The columns of R's model matrix that have a coefficient, in favour of the player named first.

    others: those beside free abilities; None: all.
    """
    known, free = ~np.isnan(contests.coef), others is not None
    names, columns = [], dict[str, list[Any]]()
    for k in (k for k in (range(len(known)) if others is None else others) if known[k]):
        name = answers.free(contests.names[k].replace("`", "'"), {*TAKEN, *columns})
        names.append(Name(name).text)
        columns[name if free else f"{name}_first"] = whole_numbers(contests.x[:, k])
        if not free:
            columns[f"{name}_second"] = [0] * len(contests.first)
    if free:
        return fit_call(call, contests, Words(columns=columns), {"comparison_terms": names} | options)
    formula = " + ".join([*names, *(["(1 | item)"] if random else [])])
    return fit_call(call, contests, Words(formula, columns=columns), options)


def link_of(call: RecordedCall) -> str:
    """The link of its family."""
    return (call.strings("family") or ("binomial", "logit"))[-1]
