"""Known slips: what a slip is, and the slips of the data, of the model, and of scale, inference and print.

A slip is a named transformation that a search can try and a report can name.  It has a stage (what it
changes), a cost (how far-fetched it is; readings are listed by it), a sentence that completes "comes out if
...", and a place where it was really seen.  The families of slips stand in :mod:`.catalogue`.

Of the data: the model is right, but is fitted to a table that was read in the wrong way.  Of the model:
another treatment of ties, other cells, a penalty left at its default, or a solver that stopped early.  Of
numbers: the fit is right, but its numbers are given in another form.

Nothing here says that an author made a slip, only which numbers would come out if an author had.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, Literal

import numpy as np

from ...data.columns import natural_order
from ...data.wide import lexicographic_pair_order, prefmod_pair_order
from ...fit.fit import Fit
from ...numerics.arrays import IntArray
from ..claims.printed import Printed
from ..claims.quantities import Quantity, kind_of
from .stopping import MM_STEPS
from .values import Setting, constants
from .variants import Model, Rows

Stage = Literal["data", "model", "scale", "inference", "print"]
STAGES: tuple[Stage, ...] = ("data", "model", "scale", "inference", "print")

RowChange = Callable[[Rows], Rows]
SettingChange = Callable[[Setting], Setting]


@dataclass(frozen=True)
class Situation:
    """A claim and its fit, from which a family of slips decides which of its slips are possible."""

    fit: Fit
    model: Model
    setting: Setting
    kinds: frozenset[str]
    numbers: tuple[tuple[Quantity, Printed], ...] = ()
    matrix: bool = False
    steps: int = 0

    @property
    def rows(self) -> Rows:
        return self.model.rows


@dataclass(frozen=True)
class Slip:
    """A slip that can be tried.

    name: the name of its family, which a claims file may list under `accept`.  sentence: completes "comes out
    if ...".  group: two slips of one group exclude each other; "" for none.  order: slips of the data are
    applied in this order, from small to large.  quantity, alternative: for a slip of the print: the quantity
    concerned, and the number without the slip.
    """

    name: str
    stage: Stage
    cost: int
    sentence: str
    group: str = ""
    order: int = 0
    rows: RowChange | None = field(default=None, compare=False)
    change: SettingChange | None = field(default=None, compare=False)
    quantity: str = ""
    alternative: Printed | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.sentence


@dataclass(frozen=True)
class Draft:
    """The part of a slip that distinguishes it from the other slips of its family."""

    sentence: str
    rows: RowChange | None = None
    change: SettingChange | None = None
    quantity: str = ""
    alternative: Printed | None = None
    cost: int = 0


@dataclass(frozen=True)
class Family:
    """A family of slips with one name."""

    name: str
    stage: Stage
    cost: int
    drafts: Callable[[Situation], Iterable[Draft]]
    what: str
    seen: str
    group: str = ""
    order: int = 0
    affects: str = ""

    def slips(self, situation: Situation) -> list[Slip]:
        """The slips of this family that are possible here."""
        if self.affects and situation.kinds.isdisjoint(self.affects.split()):
            return []
        return [self.slip(draft) for draft in self.drafts(situation)]

    def slip(self, draft: Draft) -> Slip:
        """The slip of this family that a draft describes."""
        cost = draft.cost or self.cost
        own = (self.name, self.stage, cost, draft.sentence, self.group, self.order)
        return Slip(*own, draft.rows, draft.change, draft.quantity, draft.alternative)


def printed_kinds(names: Iterable[str]) -> frozenset[str]:
    return frozenset(kind_of(n) for n in names)


# -- changes of rows -----------------------------------------------------------------------------------------


def outcomes(order: Sequence[int]) -> RowChange:
    """Exchange answers: the answers at these positions are taken for (first, tie, second)."""
    return lambda rows: rows.with_counts(rows.y[:, list(order)])


def reversed_pair(pair: int) -> RowChange:
    """Exchange wins and losses of one pair."""
    return lambda rows: rows.with_counts(np.where((rows.pair == pair)[:, None], rows.y[:, ::-1], rows.y))


def read_as(pairs: IntArray) -> RowChange:
    """Take the counts of pair k for those of pair `pairs[k]`; in both the earlier item counts as first."""
    return lambda rows: replace(rows, pair=pairs[rows.pair])


def relabelled(place: Sequence[int]) -> RowChange:
    """Take item k for item `place[k]`."""

    def change(rows: Rows) -> Rows:
        at = np.asarray(place)[rows.pairs[rows.pair]]
        back = at[:, 0] > at[:, 1]
        low, high, n = at.min(axis=1), at.max(axis=1), len(rows.items)
        return replace(
            rows,
            pair=low * n - low * (low + 1) // 2 + high - low - 1,
            sign=np.where(back, -rows.sign, rows.sign),
            y=np.where(back[:, None], rows.y[:, ::-1], rows.y),
        )

    return change


def missing_as_ties(rows: Rows) -> Rows:
    """Add ties to every pair (of every judge and pattern) until it has as many answers as the largest."""
    cell = np.column_stack([rows.pattern, rows.judge, rows.pair])
    _, first, box = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    total = np.bincount(np.ravel(box), rows.counts.sum(axis=1))
    missing = total.max() - total
    add = first[missing > 0]
    columns = {name: getattr(rows, name) for name in ("pair", "pattern", "sign", "judge")}
    more = {name: np.concatenate([c, c[add]]) for name, c in columns.items()}
    ties = np.tile([0.0, 1.0, 0.0], (len(add), 1))
    y, times = np.concatenate([rows.y, ties]), np.concatenate([rows.times, missing[missing > 0]])
    return replace(rows, **more, y=y, times=times)


def recycled(by_pair: bool) -> RowChange:
    """Label a table of judges x pairs column by column that was written row by row, or the reverse."""

    def change(rows: Rows) -> Rows:
        judges, pairs = np.unique(rows.judge), np.unique(rows.pair)
        row, column = np.searchsorted(judges, rows.judge), np.searchsorted(pairs, rows.pair)
        j, p = len(judges), len(pairs)
        place = column * j + row if by_pair else row * p + column
        new_row, new_column = (place // p, place % p) if by_pair else (place % j, place // j)
        return replace(rows, pair=pairs[new_column], judge=judges[new_row])

    return change


# -- families ------------------------------------------------------------------------------------------------


def _whole(rows: Rows) -> bool:
    """Whether every pair was compared, so that the columns of a wide table can be mixed up."""
    return len(np.unique(rows.pair)) == len(rows.pairs)


def _pair_name(s: Situation, pair: int | np.integer[Any]) -> str:
    i, j = s.rows.pairs[pair]
    return f"{s.rows.items[i]}:{s.rows.items[j]}"


def pair_order(s: Situation) -> Iterator[Draft]:
    n = len(s.rows.items)
    if n < 4 or not _whole(s.rows):
        return
    dictionary = {p: k for k, p in enumerate(lexicographic_pair_order(n))}
    taken = np.array([dictionary[p] for p in prefmod_pair_order(n)])
    yield Draft("the columns are read in prefmod's order", rows=read_as(taken))
    if (np.argsort(taken) != taken).any():
        yield Draft(
            "the columns are in prefmod's order and are read in that of a dictionary",
            rows=read_as(np.argsort(taken)),
            cost=2,
        )


def all_reversed(s: Situation) -> Iterator[Draft]:
    what = (
        "the rows of the matrix are taken for its columns"
        if s.matrix
        else "winners are taken for losers in every pair"
    )
    yield Draft(what, rows=outcomes((2, 1, 0)))


def response_coding(s: Situation) -> Iterator[Draft]:
    if not s.rows.tie_category:
        return
    names = ("a win of the first", "a tie", "a win of the second")
    for p in permutations(range(3)):
        if p not in ((0, 1, 2), (2, 1, 0)):
            read = "; ".join(
                f"the code of {names[k]} for that of {names[place]}"
                for place, k in enumerate(p)
                if place != k
            )
            yield Draft(f"the answers are coded otherwise ({read})", rows=outcomes(p))


def missing_as_undecided(s: Situation) -> Iterator[Draft]:
    filled = missing_as_ties(s.rows)
    added = float(filled.counts.sum() - s.rows.counts.sum())
    if s.rows.tie_category and added > 0:
        yield Draft(f"{added:g} missing answers are counted as undecided", rows=missing_as_ties)


def one_pair_reversed(s: Situation) -> Iterator[Draft]:
    wins = np.zeros(len(s.rows.pairs))
    np.add.at(wins, s.rows.pair, np.abs(s.rows.counts[:, 0] - s.rows.counts[:, 2]))
    for pair in np.flatnonzero(wins > 0):  # where wins are equal in every row, nothing would change
        yield Draft(
            f"the pair {_pair_name(s, pair)} is read the other way round", rows=reversed_pair(int(pair))
        )


def judge_major(s: Situation) -> Iterator[Draft]:
    judges, pairs = len(np.unique(s.rows.judge)), len(np.unique(s.rows.pair))
    regular = len(np.unique(np.column_stack([s.rows.judge, s.rows.pair]), axis=0)) == judges * pairs
    if judges > 1 and pairs > 1 and regular and not s.fit.spec.by:
        yield Draft("answers written out pair by pair are labelled judge by judge", rows=recycled(True))
        yield Draft("answers written out judge by judge are labelled pair by pair", rows=recycled(False))


def alphabetical(s: Situation) -> Iterator[Draft]:
    items = s.rows.items
    orders = {
        tuple(sorted(items, key=lambda i: (i.casefold(), i))),
        tuple(sorted(items)),
        natural_order(items),
    } - {items}
    seen = set()
    for order in sorted(orders):
        place = [order.index(i) for i in items]
        for way, words in (
            (place, "names in the order of the data stand beside numbers in alphabetical order"),
            (
                list(np.argsort(place)),
                "names in alphabetical order stand beside numbers in the order of the data",
            ),
        ):
            if tuple(way) not in seen:
                seen.add(tuple(way))
                yield Draft(words, rows=relabelled(way))


def labels_exchanged(s: Situation) -> Iterator[Draft]:
    n = len(s.rows.items)
    if n > 2:  # of two items it is the same as all pairs reversed
        for k in range(n - 1):
            place = list(range(n))
            place[k], place[k + 1] = k + 1, k
            yield Draft(
                f"{s.rows.items[k]} and {s.rows.items[k + 1]} carry each other's names",
                rows=relabelled(place),
            )


def solved(sentence: str, **fields: Any) -> Draft:
    """The draft that changes these fields of the solver."""
    return Draft(sentence, change=lambda s: replace(s, solver=replace(s.solver, **fields)))


def ties(s: Situation) -> Iterator[Draft]:
    if not s.rows.tie_category:
        return
    words = {
        "davidson": "ties follow Davidson's model",
        "rao-kupper": "ties follow Rao and Kupper's model",
        "none": "the tie category is kept and its parameter held at 0",
        "drop": "tie counts are left out (ties are dropped)",
        "half": "a tie counts as half a win for either item",
        "two-games": "a tie counts as two games, a win for either item",
        "third": "a tie counts as a third of a win for either item",
    }
    for treatment, sentence in words.items():
        if treatment != s.setting.solver.ties:
            yield solved(sentence, ties=treatment)


def cells(s: Situation) -> Iterator[Draft]:
    own = s.setting.solver.cells
    words = {
        "model": "the rows of each pair are added up",
        "row": "every row is a cell of its own",
        "judge": "every judge's rows are a cell of their own",
    }
    finer = {
        "row": float(s.rows.times.sum()) > len(np.unique(s.model.cells.cell_of(s.rows))),
        "judge": len(np.unique(s.rows.judge)) > 1 and "judge" not in s.fit.spec.by,
        "model": own != "model",
    }
    for kind, sentence in words.items():
        if kind != own and finer[kind]:
            yield solved(sentence, cells=kind)


def penalty(s: Situation) -> Iterator[Draft]:
    if s.fit.spec.by or s.fit.spec.item_terms:
        return
    yield solved("a ridge of scikit-learn's default strength (C = 1) is left on", penalty="ridge")
    yield solved(
        "every item has half a win and half a loss against a hypothetical one (PlackettLuce's default)",
        penalty="pseudo",
    )
    if s.model.design(s.setting.solver.ties)[0].model == "binary":
        yield solved("the bias of the estimates is reduced (Firth's penalty)", penalty="firth")


def order_effect(s: Situation) -> Iterator[Draft]:
    own = {t.name for t in s.fit.terms if t.kind == "order"}
    if s.fit.spec.order_effect and not any(q.place in own for q, _ in s.numbers):
        yield solved("the model has no order effect", other_order=True)
    elif not s.fit.spec.order_effect and {-1, 1} <= set(s.rows.sign.tolist()):
        yield solved("the model has an order effect, which is not said", other_order=True)


def _by_glm(s: Situation) -> bool:
    return s.setting.solver.ties != "rao-kupper" and s.steps > 0


def se_of_the_step_before(s: Situation) -> Iterator[Draft]:
    if _by_glm(s) and not s.fit.not_estimable:
        yield solved(
            "standard errors are those of R's glm, from the weights of its last step but one", stop="glm"
        )


def infinite_estimate(s: Situation) -> Iterator[Draft]:
    if _by_glm(s) and s.fit.not_estimable:
        names = ", ".join(s.fit.not_estimable)
        yield solved(
            f"{names}, infinite or not determined by these data, is printed as it stood where R's glm stops",
            stop="glm",
        )


def stopped_early(s: Situation) -> Iterator[Draft]:
    if _by_glm(s):
        for k in range(1, s.steps):
            yield solved(
                f"iteratively reweighted least squares stops after {k} step{'s' if k > 1 else ''}",
                stop=f"irls:{k}",
            )
    plain = not (s.fit.spec.by or s.fit.spec.item_terms or s.fit.spec.order_effect)
    if plain and s.model.design(s.setting.solver.ties)[0].model == "binary":
        for k in MM_STEPS:
            yield solved(f"Zermelo's iteration stops after {k} step{'s' if k > 1 else ''}", stop=f"mm:{k}")


#: Elo's scale: 400 points are odds of 10.
ELO = 400.0 / math.log(10.0)


def given(sentence: str, cost: int = 0, **fields: Any) -> Draft:
    """The draft that changes these fields of the setting: numbers are given in another form."""
    return Draft(sentence, change=lambda s: replace(s, **fields), cost=cost)


# -- scale ---------------------------------------------------------------------------------------------------


def scale(s: Situation) -> Iterator[Draft]:
    lam = s.fit.scale == "lambda"
    # Lambda is half the log-odds.
    to_log_odds = 2.0 if lam else 1.0
    yield given(
        "estimates are log-odds, twice lambda" if lam else "estimates are lambda, half the log-odds",
        factor=2.0 if lam else 0.5,
    )
    yield given(
        "estimates are half as large once more (lambda halved)" if lam else "estimates are log-odds doubled",
        factor=0.5 if lam else 2.0,
        cost=2,
    )
    yield given("estimates are log-odds divided by 1.75", factor=to_log_odds / 1.75, cost=2)
    yield given(
        "estimates are log-odds divided by 1.702, the normal ogive's constant",
        factor=to_log_odds / 1.702,
        cost=2,
    )
    yield given("estimates are Elo points", factor=to_log_odds * ELO, cost=2)
    for centre in (1000.0, 1500.0):
        yield given(
            f"estimates are Elo points with mean {centre:g}",
            factor=to_log_odds * ELO,
            offset=centre,
            reference="sum",
            cost=2,
        )


def reference(s: Situation) -> Iterator[Draft]:
    if s.fit.spec.item_terms:
        return
    for item in (*s.fit.items, "sum"):
        if item != s.setting.reference:
            yield given(
                "the items sum to zero" if item == "sum" else f"{item} is the reference", reference=item
            )


def one_column_on_the_other_scale(s: Situation) -> Iterator[Draft]:
    here, there = ("lambda", "log-odds") if s.fit.scale == "lambda" else ("log-odds", "lambda")
    other = 2.0 if here == "lambda" else 0.5
    if {"estimate", "se"} <= s.kinds:
        yield given(f"standard errors are of {there} beside estimates of {here}", se_shown=other)
        yield given(
            f"estimates are {there} beside standard errors of {here}", factor=other, se_shown=1.0 / other
        )


#: Columns of a table of a page, by the kind of their numbers.
COLUMNS = {
    "estimate": "estimates",
    "se": "standard errors",
    "z": "z",
    "p": "p-values",
    "worth": "worths",
    "worth_se": "worths' standard errors",
}


def _columns(s: Situation) -> dict[str, list[Quantity]]:
    """The printed numbers of each column, in the order of the page."""
    found = {kind: [q for q, _ in s.numbers if q.kind == kind] for kind in COLUMNS}
    return {kind: numbers for kind, numbers in found.items() if numbers}


def columns_exchanged(s: Situation) -> Iterator[Draft]:
    columns = _columns(s)
    for a, b in (("se", "z"), ("estimate", "se"), ("z", "p")):
        both = [(str(q), str(q.of(b))) for q in columns.get(a, []) if q.of(b) in columns.get(b, [])]
        if both:
            yield given(
                f"the columns of {COLUMNS[a]} and of {COLUMNS[b]} are exchanged", exchanged=tuple(both)
            )


def labels_in_one_column(s: Situation) -> Iterator[Draft]:
    columns = _columns(s)
    if len(columns) < 2:
        return
    text = {q: printed.text for q, printed in s.numbers}
    for kind, numbers in columns.items():
        for a, b in zip(numbers, numbers[1:]):
            others = [(a.of(k), b.of(k)) for k in columns if k != kind]
            if all(text.get(c) == text.get(d) for c, d in others):
                continue  # nothing shows that the labels are exchanged in this column only
            yield given(
                f"{a.place} and {b.place} stand in each other's place in the column of {COLUMNS[kind]} alone",
                exchanged=((str(a), str(b)),),
            )


def sign(s: Situation) -> Iterator[Draft]:
    yield given("a small estimate is a preferred item", factor=-1.0)


def worth_scale(s: Situation) -> Iterator[Draft]:
    yield given("worths and odds are exp(lambda), not exp(2 lambda)", worth_factor=0.5)
    yield given("worths and odds are exp(2 x log-odds)", worth_factor=2.0)


def tie_parameter(s: Situation) -> Iterator[Draft]:
    tie = [t.name for t in s.fit.terms if t.kind == "tie"]
    if any(q.kind in ("estimate", "low", "high") and q.name in tie for q, _ in s.numbers):
        yield given("the tie parameter is nu, not its logarithm", tie="nu")
        yield given("the tie parameter is log nu less log 2", tie="tie.max")


def order_coding(s: Situation) -> Iterator[Draft]:
    if s.fit.spec.order_effect:
        yield given("the order effect is coded +1 and -1", order_factor=0.5)
        yield given("the order effect is given for half a comparison", order_factor=2.0)


# -- inference -----------------------------------------------------------------------------------------------


def one_sided(s: Situation) -> Iterator[Draft]:
    other = 1 if s.setting.sided == 2 else 2
    yield given(f"p-values are {'one' if other == 1 else 'two'}-sided", sided=other)


def t_for_z(s: Situation) -> Iterator[Draft]:
    yield given("p-values are from t with the residual degrees of freedom", t=True)


def common_factor(s: Situation) -> Iterator[Draft]:
    factors = {
        "divided by the root of 2": 1 / math.sqrt(2.0),
        "multiplied by the root of 2": math.sqrt(2.0),
        "those of one comparison, the root of the number of comparisons too large": math.sqrt(
            s.fit.n_comparisons
        ),
    }
    if s.fit.df_resid > 0:
        test = s.fit.goodness_of_fit()
        for name, chi in (("deviance", test.deviance), ("Pearson's chi-square", test.pearson)):
            words = (
                f"those of a quasi-likelihood, multiplied by the root of {name} over its degrees of freedom"
            )
            factors[words] = math.sqrt(chi / s.fit.df_resid)
    for words, factor in factors.items():
        yield given(f"standard errors are {words} ({factor:.4g} times)", se_factor=factor, cost=3)
    one = consistent_factor(s)
    if one is not None and not any(abs(one / f - 1.0) < 1e-3 for f in factors.values()):
        yield given(f"all standard errors are {one:.4g} times the computed ones", se_factor=one, cost=4)


#: Standard errors that must give one factor, which costs one of them, and its least distance from 1.
LEAST_ERRORS, LEAST_FACTOR = 3, 0.02


def consistent_factor(s: Situation) -> float | None:
    """The one factor between all printed and computed standard errors, if there is one."""
    low, high, n = 0.0, math.inf, 0
    for q, printed in s.numbers:
        if q.kind != "se" or printed.unit is None or printed.value is None:
            continue
        own = float(s.fit.bse.get(q.name, math.nan))
        half = float(printed.unit) / 2.0
        low, high = max(low, (float(printed.value) - half) / own), min(
            high, (float(printed.value) + half) / own
        )
        n += 1
    # The roundest number that the page allows: 1.3, or a scale's own 2.
    middle = (low + high) / 2.0
    middle = next((r for r in (round(middle, d) for d in range(6)) if low <= r <= high), middle)
    apart = low > 1.0 + LEAST_FACTOR or high < 1.0 - LEAST_FACTOR
    return middle if n >= LEAST_ERRORS and 0.0 < low <= high and apart else None


def deviance_is_log_likelihood(s: Situation) -> Iterator[Draft]:
    yield given("what is called deviance is minus twice the log-likelihood", deviance="llf")


def aic_constant(s: Situation) -> Iterator[Draft]:
    own = "aic_glm" not in s.kinds
    yield given(
        "AIC has the constants of R's glm"
        if own
        else "AIC is -2 log L + 2k without the constants of R's glm",
        aic="other",
    )
    yield given("AIC is deviance + 2k", aic="deviance")
    yield given("AIC counts one parameter more", aic="k+1", cost=2)
    yield given("AIC is divided by the number of comparisons", aic="per-n", cost=2)


def df(s: Situation) -> Iterator[Draft]:
    if not {"df_resid", "df_null", "gof_p", "aic_glm"} & s.kinds:
        return
    if float(constants(s.model, [s.rows], s.setting.solver).empty[0]) > 0:
        yield given(
            "degrees of freedom count empty cells (prefmod's defect B11-empty-cells-counted)", df="all-cells"
        )
    if not {"df_resid", "df_null", "gof_p"} & s.kinds:
        return
    yield given("degrees of freedom count every outcome of every cell", df="all-counts")
    yield given("degrees of freedom are one more (a parameter is not counted)", df="+1")
    yield given("degrees of freedom are one fewer (the reference is counted)", df="-1")


# -- print ---------------------------------------------------------------------------------------------------


def digits_transposed(s: Situation) -> Iterator[Draft]:
    for quantity, printed in s.numbers:
        for text in transposed(printed):
            yield Draft(
                f"{quantity} is {text} and two of its digits changed places in print",
                quantity=quantity,
                alternative=Printed.parse(text),
            )


def sign_lost(s: Situation) -> Iterator[Draft]:
    for quantity, printed in s.numbers:
        kind = kind_of(quantity)
        if (
            kind in ("estimate", "z", "low", "high", "contrast", "contrast_z", "llf")
            and not printed.is_bound
            and printed.value
        ):
            text = _plain(printed)
            text = text[1:] if text.startswith("-") else f"-{text}"
            yield Draft(
                f"{quantity} is {text} and its sign was lost in print",
                quantity=quantity,
                alternative=Printed.parse(text),
            )


def _plain(printed: Printed) -> str:
    """The number without marks, degrees of freedom, and Unicode signs."""
    text = printed.text.partition(" on ")[0].replace("\u2212", "-").replace("\u2013", "-").strip()
    found = re.match(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text)
    return found[0] if found else ""


def transposed(printed: Printed) -> list[str]:
    """Exchange two neighbouring digits of a number, in every way that gives another number of the same form."""
    if printed.is_bound:
        return []
    text = _plain(printed)
    mantissa = re.split("[eE]", text)[0]
    digits = [k for k, c in enumerate(mantissa) if c.isdigit()]
    if mantissa.lstrip("+-").startswith("0."):
        digits = digits[1:]  # the zero before the decimal point is not exchanged
    found = []
    for a, b in zip(digits, digits[1:]):
        if text[a] != text[b] and not (
            a == digits[0] and text[b] == "0" and "." not in text[a:b] and mantissa.lstrip("+-")[0] != "0"
        ):
            swapped = list(text)
            swapped[a], swapped[b] = text[b], text[a]
            found.append("".join(swapped))
    return found
