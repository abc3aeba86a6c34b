"""Model-based recursive partitioning of persons by their covariates.

A node is fitted; each covariate is tested for instability of its parameters; where the smallest adjusted
p-value is below alpha, the node is split at the value of that covariate that maximises the sum of the two
log-likelihoods, and the same is done in both parts (Zeileis, Hothorn and Hornik 2008, Journal of
Computational and Graphical Statistics 17, 492-514; Strobl, Wickelmaier and Zeileis 2011; psychotree's
`bttree`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from .instability import Adjust, Covariate, InstabilityTest, instability_tests
from .node import NodeModel, fit_node, quick_llf
from .preferences import Preferences

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Counts = tuple[FloatArray, FloatArray, FloatArray]

#: Levels of an unordered factor: 2^11 splits are tried at most.
MOST_LEVELS = 12


@dataclass(frozen=True)
class Split:
    """A split of a node in two.

    threshold: of a numeric covariate: values up to it go left; NaN for a factor.  `left`: levels of a factor
    that go left.  `right`: levels that go right.
    """

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
    node is too small, or its estimate is not finite.  split: none for a leaf.  parts: left and right part;
    empty for a leaf.  reason: why a leaf is not split; "" where it is.
    """

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

    def leaves(self) -> tuple[GrownNode, ...]:
        """The leaves under this node."""
        return tuple(node for node in self.nodes() if node.split is None)

    @property
    def llf(self) -> float:
        """Sum of the log-likelihoods of the leaves."""
        return float(sum(leaf.model.llf for leaf in self.leaves()))

    @property
    def df(self) -> int:
        """Parameters of the leaves, and one for each split."""
        leaves = self.leaves()
        return sum(len(leaf.model.names) for leaf in leaves) + len(leaves) - 1


def least_persons(data: Preferences) -> int:
    """Persons of a node at least, where nothing is asked: 10 for each parameter, in comparisons.

    psychotree divides by the number of pairs, which is the same where everybody answered all of them.

    Returns int: 10 parameters / comparisons of a person, rounded up; 2 or more.
    """
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

    data: of n persons.  covariates: of the same persons.  alpha: level of the tests.  minimum: persons of a
    node; default: :func:`least_persons`.  most_depth: splits from the root to a leaf at most.  adjust:
    whether p-values are adjusted for the number of covariates tested in a node (in Sidak's form).  Returns
    GrownNode: the root.
    """
    n = len(data.weights)
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha {alpha}; expected a number between 0 and 1")
    if minimum is not None and minimum < 1:
        raise InputError(f"minimum {minimum}; expected 1 person in a node or more")
    if most_depth is not None and most_depth < 0:
        raise InputError(f"most_depth {most_depth}; expected 0 (no split) or more")
    if adjust not in ("bonferroni", "none"):
        raise InputError(f"adjust {adjust!r}; expected 'bonferroni' or 'none'")
    for covariate in covariates:
        if len(covariate.values) != n:
            raise InputError(f"{covariate.name}: {len(covariate.values)} values for {n} persons")
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
            here, starts[0] = quick_llf(self.data, *left, starts[0])
            there_llf, starts[1] = quick_llf(self.data, *right, starts[1])
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
        self.all = np.array(data.totals(entries))
        self.left = np.zeros_like(self.all)
        self.goes: BoolArray = np.zeros(n_values, dtype=bool)

    def divided(self, goes: BoolArray) -> tuple[Counts, Counts]:
        """Wins, ties and losses, float[C] each, of the values that go left, and of the others."""
        for value in np.flatnonzero(goes != self.goes):
            own = np.array(self.data.totals(self.entries[self.ends[value] : self.ends[value + 1]]))
            self.left += own if goes[value] else -own
        self.goes = goes
        # Of sums of fractions, what is left of an exact 0 is 0.
        left, right = (np.where(part > 1e-9, part, 0.0) for part in (self.left, self.all - self.left))
        return (left[0], left[1], left[2]), (right[0], right[1], right[2])


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
