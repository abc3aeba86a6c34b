"""Model-based recursive partitioning of persons: their preferences, the model of a node, and the splits.

A node is fitted; each covariate is tested for instability of its parameters; where the smallest adjusted
p-value is below alpha, the node is split at the value of that covariate that maximises the sum of the two
log-likelihoods, and the same is done in both parts (Zeileis, Hothorn and Hornik 2008, Journal of
Computational and Graphical Statistics 17, 492-514; Strobl, Wickelmaier and Zeileis 2011, Journal of
Educational and Behavioral Statistics 36, 135-153; psychotree's `bttree`).

The model of a node is Bradley and Terry's, with Davidson's tie where answers may be tied (1970),

    l = sum over persons i and their comparisons of log P(y).

The score of a person is the derivative of its own term at the node's estimate; scores sum to 0.  Preferences
are counts of each person for each two items that somebody compared; a row may stand for several persons with
the same answers (its weight, a whole number), who count as so many persons in tests and in sizes of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ....data.comparisons import Comparisons
from ....errors import InputError, NotEstimableError, TooLargeError
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ...comparisons.contests.bradley_terry import fit_bradley_terry
from ...comparisons.rows.contest_design import Contests, Design
from ...comparisons.rows.links import ContestPoint, link
from ...comparisons.rows.maximum_likelihood import fit_limiting, fit_structured
from ...comparisons.rows.tied_contests import TiesPoint, davidson, fit_tied
from .instability import Adjust, Covariate, InstabilityTest, instability_tests


@dataclass(frozen=True, eq=False)
class Preferences:
    """Counts of answers of persons to comparisons of items.
    person, pair int[m]: whose counts these are, 0 .. n - 1, and of which of the C comparisons, 0 .. C - 1.
    wins, ties, losses float[m]: how often this person preferred the first item of the comparison, neither,
    the second.  weights float[n]: persons that each stands for, 1 or a greater whole number.  design: of the
    C comparisons: abilities, the reference at 0.  tied: whether any answer is a tie: the model then has the
    parameter "tie" (the logarithm of Davidson's nu)."""

    person: IntArray
    pair: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    weights: FloatArray
    design: Design
    items: tuple[str, ...]
    reference: str
    tied: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Of the k parameters."""
        return self.design.names + (("tie",) if self.tied else ())

    @property
    def comparisons(self) -> float:
        """Comparisons that a person made, on average."""
        made = self.wins + self.ties + self.losses
        return float(made @ self.weights[self.person] / self.weights.sum())

    def of(self, persons: IntArray) -> IntArray:
        """int[r]: which of the m counts are of these persons."""
        chosen = np.zeros(len(self.weights), dtype=bool)
        chosen[persons] = True
        return np.flatnonzero(chosen[self.person])

    def totals(self, entries: IntArray) -> FloatArray:
        """float[3, C]: wins, ties and losses of these counts, summed over persons and their weights."""
        weight, pair, n = self.weights[self.person[entries]], self.pair[entries], self.design.n_rows
        own = (self.wins, self.ties, self.losses)
        return np.array([np.bincount(pair, counts[entries] * weight, n) for counts in own], dtype=float)


#: Steps of the quick search, and abilities beyond which it leaves the question of a finite maximum to others.
QUICK_STEPS, LARGE = 12, 12.0


@dataclass(frozen=True, eq=False)
class NodeModel:
    """The model of some persons.
    theta float[k]: inf where an item is separated in this node, NaN where it is not determined.  llf: the
    supremum where theta is infinite.  scores float[m, k] or None: of the m persons; None where the estimate
    is not finite."""

    theta: FloatArray
    llf: float
    scores: FloatArray | None


def fit_node(data: Preferences, persons: IntArray) -> NodeModel:
    """The maximum-likelihood model of these persons, with their scores.  persons int[m]: rising."""
    entries = data.of(persons)
    if not len(entries):
        return NodeModel(np.full(len(data.names), np.nan), 0.0, None)
    found = fit_totals(data, data.totals(entries))
    if not found.finite:
        return NodeModel(found.theta, found.llf, None)
    scores = _scores_with_ties if data.tied else _scores
    return NodeModel(found.theta, found.llf, scores(data, persons, entries, found.theta))


@dataclass(frozen=True, eq=False)
class Maximum:
    """The maximum of the likelihood of summed counts.
    theta float[k]: as in :class:`NodeModel`.  finite: whether the maximum is at a finite place."""

    theta: FloatArray
    llf: float
    finite: bool


def fit_totals(data: Preferences, totals: FloatArray) -> Maximum:
    """The maximum-likelihood model of counts summed over persons.  totals float[3, C]: wins, ties, losses."""
    if data.tied:
        return _with_ties(data, totals)
    wins, _, losses = totals
    contests = Contests(data.design, wins, losses)
    try:
        found = fit_structured(contests)
    except NotEstimableError:
        limit = fit_limiting(contests)
        return Maximum(limit.theta, limit.rest.llf, False)
    return Maximum(found.theta, found.llf, True)


def quick_llf(data: Preferences, totals: FloatArray, start: FloatArray) -> tuple[float, FloatArray]:
    """The largest log-likelihood of summed counts, by Newton's method from a start near it.
    Where that does not arrive at a place of ordinary size, :func:`fit_totals` decides what the supremum is.
    totals float[3, C].  start float[k].  Returns float, float[k]: the log-likelihood, and a start for counts near
    these."""
    theta, old = start, -np.inf
    for _ in range(QUICK_STEPS):
        value, score, information = _derivatives(data, totals, theta)
        if value < old - 1e-9 * abs(old) or not np.isfinite(value):
            break
        try:
            step = np.linalg.solve(information, score)
        except np.linalg.LinAlgError:
            break
        decrement, old = float(step @ score), value
        if not 0.0 <= decrement < 1e6 or np.abs(theta + step).max(initial=0.0) > LARGE:
            break
        theta = theta + step
        # The error left is far below half the decrement, which is below the rounding of the sum.
        if decrement < 1e-12 * (1.0 + abs(value)):
            return value + decrement / 2.0, theta
    found = fit_totals(data, totals)
    return found.llf, found.theta if found.finite else start


def _derivatives(
    data: Preferences, totals: FloatArray, theta: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """The log-likelihood, its first derivatives, and minus its second ones."""
    wins, ties, losses = totals
    if data.tied:
        tied = TiesPoint(davidson(data.design, wins, ties, losses), theta)
        return tied.value, tied.score, tied.information
    point = ContestPoint(Contests(data.design, wins, losses), link("logit"), theta)
    return point.value, point.score, point.observed


def _scores(data: Preferences, persons: IntArray, entries: IntArray, theta: FloatArray) -> FloatArray:
    """float[m, k]: derivatives of the log-likelihood of each person."""
    p = 1.0 / (1.0 + np.exp(-data.design.predictor(theta)))
    own, pair = np.searchsorted(persons, data.person[entries]), data.pair[entries]
    gaps = data.wins[entries] - (data.wins[entries] + data.losses[entries]) * p[pair]
    return _onto_items(data.design, own, pair, gaps, len(persons))


def _onto_items(design: Design, person: IntArray, pair: IntArray, gaps: FloatArray, n: int) -> FloatArray:
    """float[n, k]: sum over the counts of each person of its gap times the row of the comparison."""
    found = np.zeros(
        (n, len(design.names) + 1)
    )  # the last column is that of the reference, whose number is -1
    np.add.at(found, (person, design.first[pair]), gaps)
    np.subtract.at(found, (person, design.second[pair]), gaps)
    return found[:, :-1]


def _with_ties(data: Preferences, totals: FloatArray) -> Maximum:
    wins, ties, losses = totals
    half = Contests(data.design, wins + ties / 2.0, losses + ties / 2.0)
    decided = float(wins.sum() + losses.sum())
    limit = fit_limiting(half)
    if not ties.sum() or not decided or len(limit.certain) or not np.isfinite(limit.theta).all():
        return _limit_with_ties(data, totals)
    found = fit_tied(davidson(data.design, wins, ties, losses), reduced=False)
    return Maximum(found.theta, found.llf, True)


def _scores_with_ties(
    data: Preferences, persons: IntArray, entries: IntArray, theta: FloatArray
) -> FloatArray:
    a, b = TiesPoint(davidson(data.design, *data.totals(entries)), theta).logs[1].transpose(2, 0, 1)
    own, pair = np.searchsorted(persons, data.person[entries]), data.pair[entries]
    counts = np.column_stack([data.wins[entries], data.ties[entries], data.losses[entries]])
    items = _onto_items(data.design, own, pair, (a[pair] * counts).sum(axis=1), len(persons))
    return np.column_stack([items, np.bincount(own, (b[pair] * counts).sum(axis=1), len(persons))])


def _limit_with_ties(data: Preferences, totals: FloatArray) -> Maximum:
    """Where items are separated, or nobody tied or everybody: the supremum, and what is finite (the others NaN)."""
    number = {name: k for k, name in enumerate(data.items)}
    of_own = np.array([number[name] for name in data.design.names] + [number[data.reference]])
    table = Comparisons.build(data.items, of_own[data.design.first], of_own[data.design.second], *totals)
    found = fit_bradley_terry(table, ties="davidson", reference=data.reference)
    params = found.params
    return Maximum(np.array([params[name] for name in data.names]), found.llf, False)


#: Levels of an unordered factor: 2^11 splits are tried at most.
MOST_LEVELS = 12


@dataclass(frozen=True)
class Split:
    """A split of a node in two.
    threshold: of a numeric covariate: values up to it go left; NaN for a factor.  `left`: levels of a factor
    that go left."""

    covariate: str
    threshold: float
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.covariate} {self.side(True)}"

    def side(self, left: bool) -> str:
        """What holds of the covariate in a part, such as "<= 52" or "in {f, m}"."""
        if self.left:
            return f"in {{{', '.join(self.left if left else self.right)}}}"
        return f"{'<=' if left else '>'} {self.threshold:.12g}"


@dataclass(frozen=True, eq=False)
class GrownNode:
    """A node of a tree.
    number: from 1, the left part of a node before its right part.  persons int[m].  tests: empty where the
    node is too small, or its estimate is not finite.  parts: left and right part; empty for a leaf.  reason:
    why a leaf is not split; "" where it is."""

    number: int
    persons: IntArray
    model: NodeModel
    tests: tuple[InstabilityTest, ...]
    split: Split | None
    parts: tuple[GrownNode, ...]
    reason: str = ""

    def nodes(self) -> Iterator[GrownNode]:
        """This node and all under it, by their number."""
        yield self
        for part in self.parts:
            yield from part.nodes()


def least_persons(data: Preferences) -> int:
    """Persons of a node at least, where nothing is asked: 10 for each parameter, in comparisons.
    psychotree divides by the number of pairs, which is the same where everybody answered all of them.
    Returns int: 10 parameters / comparisons of a person, rounded up; 2 or more."""
    # 1e-9: a mean of counts such as 2.9999999999999996 is 3.
    return max(2, int(np.ceil(10 * len(data.names) / data.comparisons - 1e-9)))


def grow_tree(
    data: Preferences,
    covariates: Sequence[Covariate],
    alpha: float = 0.05,
    minimum: int | None = None,
    most_depth: int | None = None,
    adjust: Adjust = "bonferroni",
) -> GrownNode:
    """The tree of groups of persons with different preferences.
    data: of n persons.  minimum: persons of a node; default: :func:`least_persons`.  adjust: whether p-values
    are adjusted for the number of covariates tested in a node (in Sidak's form).  Returns GrownNode: the
    root."""
    n = len(data.weights)
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha {alpha}; expected a number between 0 and 1")
    if minimum is not None and minimum < 1:
        raise InputError(f"minimum {minimum}; expected 1 person in a node or more")
    if most_depth is not None and most_depth < 0:
        raise InputError(f"most_depth {most_depth}; expected 0 (no split) or more")
    if adjust not in ("bonferroni", "none"):
        raise InputError(f"adjust {adjust!r}; expected 'bonferroni' or 'none'")
    least = least_persons(data) if minimum is None else minimum
    return _Grower(data, covariates, alpha, least, most_depth, adjust).grown(np.arange(n), 1, 0)


@dataclass(frozen=True)
class _Grower:
    data: Preferences
    covariates: Sequence[Covariate]
    alpha: float
    least: int
    depth: int | None
    adjust: Adjust

    def grown(self, persons: IntArray, number: int, depth: int) -> GrownNode:
        model = fit_node(self.data, persons)
        leaf = GrownNode(number, persons, model, (), None, (), self._untested(model, persons, depth))
        if leaf.reason or model.scores is None:
            return leaf
        own = [Covariate(c.name, c.kind, c.values[persons], c.levels) for c in self.covariates]
        tests = instability_tests(model.scores, own, self.least, self.data.weights[persons], self.adjust)
        leaf = replace(leaf, tests=tests)
        best = min(tests, key=lambda test: test.p_adjusted, default=None)
        if best is None:
            return replace(leaf, reason=self._untestable(model.scores, own))
        if not best.p_adjusted < self.alpha:
            return replace(leaf, reason=f"no test is below {self.alpha:g}")
        found = self._best_split(persons, next(c for c in self.covariates if c.name == best.covariate))
        if found is None:
            return replace(
                leaf, reason=f"no split by {best.covariate} leaves {self.least} persons on either side"
            )
        split, goes = found
        left = self.grown(persons[goes], number + 1, depth + 1)
        after = number + 1 + sum(1 for _ in left.nodes())
        right = self.grown(persons[~goes], after, depth + 1)
        return GrownNode(number, persons, model, tests, split, (left, right))

    def _untested(self, model: NodeModel, persons: IntArray, depth: int) -> str:
        if model.scores is None:
            return "its estimate is not finite, and has no scores to test"
        if self.data.weights[persons].sum() < 2 * self.least:
            return f"fewer than twice {self.least} persons"
        return f"depth {depth}, the most that was asked for" if depth == self.depth else ""

    def _untestable(self, scores: FloatArray, covariates: Sequence[Covariate]) -> str:
        if np.linalg.matrix_rank(scores.T @ scores, hermitian=True) < scores.shape[1]:
            return f"the answers differ in fewer ways than there are parameters ({scores.shape[1]})"
        if all(len(np.unique(c.values)) == 1 for c in covariates):
            return "no covariate has two values here"
        return f"no covariate has two values with {self.least} persons or more on either side"

    def _best_split(self, persons: IntArray, covariate: Covariate) -> tuple[Split, BoolArray] | None:
        there, label = np.unique(covariate.values[persons], return_inverse=True)
        label = np.ravel(label)
        size = np.bincount(label, self.data.weights[persons])
        counts = _CountsOfValues(self.data, persons, label, len(there))
        best, top, starts = None, -np.inf, [np.zeros(len(self.data.names))] * 2
        for split, goes in _splits(covariate, there):
            left, right = counts.divided(goes)
            if not self.least <= size[goes].sum() <= size.sum() - self.least:
                continue
            here, starts[0] = quick_llf(self.data, left, starts[0])
            there_llf, starts[1] = quick_llf(self.data, right, starts[1])
            llf = here + there_llf
            # A gain of rounding is none: the first of equal splits is taken, whatever the order of persons.
            if best is None or llf > top + 1e-11 * abs(top):
                best, top = (split, goes[label]), llf
        return best


class _CountsOfValues:
    """Counts of the persons with some values of a covariate, kept from one split to the next."""

    def __init__(self, data: Preferences, persons: IntArray, label: IntArray, n_values: int) -> None:
        entries = data.of(persons)
        of_entry = label[np.searchsorted(persons, data.person[entries])]
        order = np.argsort(of_entry, kind="stable")
        self.data, self.entries = data, entries[order]
        self.ends = np.searchsorted(of_entry[order], np.arange(n_values + 1))
        self.all = data.totals(entries)
        self.left = np.zeros_like(self.all)
        self.goes: BoolArray = np.zeros(n_values, dtype=bool)

    def divided(self, goes: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Wins, ties and losses, float[3, C], of the values that go left, and of the others."""
        for value in np.flatnonzero(goes != self.goes):
            own = self.data.totals(self.entries[self.ends[value] : self.ends[value + 1]])
            self.left += own if goes[value] else -own
        self.goes = goes
        # Of sums of fractions, what is left of an exact 0 is 0.
        left, right = (np.where(part > 1e-9, part, 0.0) for part in (self.left, self.all - self.left))
        return left, right


def _splits(covariate: Covariate, there: FloatArray) -> Iterator[tuple[Split, BoolArray]]:
    """Every split of a covariate in two, and which of its values there, float[v], go left."""
    if covariate.kind == "numeric":
        for value in there[:-1]:
            yield Split(covariate.name, float(value)), there <= value
        return
    levels = [int(v) for v in there]
    if covariate.kind == "ordered":
        groups = [levels[:k] for k in range(1, len(levels))]
    else:
        if len(levels) > MOST_LEVELS:
            raise TooLargeError(
                f"{covariate.name}: {len(levels)} levels in a node give {2 ** (len(levels) - 1) - 1:,} splits; the"
                f" limit is {MOST_LEVELS} levels. Join levels, or give the factor an order"
            )
        # The first level always goes left: every split once.
        groups = [[levels[0], *rest] for k in range(len(levels) - 1) for rest in combinations(levels[1:], k)]
    for group in groups:
        left = tuple(covariate.levels[v] for v in group)
        right = tuple(covariate.levels[v] for v in levels if v not in group)
        yield Split(covariate.name, float("nan"), left, right), np.isin(there, group)
