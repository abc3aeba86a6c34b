"""Model-based recursive partitioning of persons by their covariates.

A node is fitted; each covariate is tested for instability of its parameters; where the smallest adjusted
p-value is below alpha, the node is split at the value of that covariate that maximises the sum of the two
log-likelihoods, and the same is done in both parts (Zeileis, Hothorn and Hornik 2008, Journal of
Computational and Graphical Statistics 17, 492-514; Strobl, Wickelmaier and Zeileis 2011; psychotree's
`bttree`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from .instability import Covariate, InstabilityTest, instability_tests
from .node import NodeModel, Preferences, fit_node

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Levels of an unordered factor: 2^11 splits are tried at most.
MOST_LEVELS = 12


@dataclass(frozen=True)
class Split:
    """A split of a node in two.

    Attributes
    ----------
    covariate : str
    threshold : float
        Of a numeric covariate: values up to it go left; NaN for a factor.
    left : tuple of str
        Levels of a factor that go left.
    right : tuple of str
        Levels that go right.

    Examples
    --------
    >>> from pairproof.native.trees.tree import Split
    >>> str(Split("age", 52.0)), str(Split("sex", float("nan"), ("f",), ("m",)))
    ('age <= 52', 'sex in {f}')
    """

    covariate: str
    threshold: float
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.left:
            return f"{self.covariate} in {{{', '.join(self.left)}}}"
        return f"{self.covariate} <= {self.threshold:g}"


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A node of a tree.

    Attributes
    ----------
    number : int
        From 1, the left part of a node before its right part.
    persons : int[m]
    model : NodeModel
    tests : tuple of InstabilityTest
        Empty where the node is too small, or its estimate is not finite.
    split : Split or None
        None for a leaf.
    parts : tuple of TreeNode
        Left and right part; empty for a leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.node import fit_node, preferences
    >>> from pairproof.native.trees.tree import TreeNode
    >>> data = preferences(np.array([[1], [-1]]), [0], [1], ["A", "B"])
    >>> leaf = TreeNode(1, np.arange(2), fit_node(data, np.arange(2)), (), None, ())
    >>> [node.number for node in leaf.leaves()]
    [1]
    """

    number: int
    persons: IntArray
    model: NodeModel
    tests: tuple[InstabilityTest, ...]
    split: Split | None
    parts: tuple[TreeNode, ...]

    def nodes(self) -> Iterator[TreeNode]:
        """This node and all under it, by their number."""
        yield self
        for part in self.parts:
            yield from part.nodes()

    def leaves(self) -> tuple[TreeNode, ...]:
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


def fit_tree(
    data: Preferences,
    covariates: Sequence[Covariate],
    alpha: float = 0.05,
    minimum: int | None = None,
    most_depth: int | None = None,
) -> TreeNode:
    """The tree of groups of persons with different preferences.

    Parameters
    ----------
    data : Preferences
        Of n persons.
    covariates : sequence of Covariate
        Of the same persons.
    alpha : float
        Level of the tests, adjusted for the number of covariates (Bonferroni; Sidak's form).
    minimum : int, optional
        Persons of a node; 10 parameters / comparisons, rounded up, if not given, as psychotree has it.
    most_depth : int, optional
        Splits from the root to a leaf at most.

    Returns
    -------
    TreeNode
        The root.

    Raises
    ------
    InputError
        A covariate is of another number of persons, or alpha is not within (0, 1).
    TooLargeError
        A factor to be split has more than MOST_LEVELS levels.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.trees.instability import Covariate
    >>> from pairproof.native.trees.node import preferences
    >>> from pairproof.native.trees.tree import fit_tree
    >>> answers = np.repeat([[1], [-1], [1], [-1]], [15, 5, 5, 15], axis=0)
    >>> group = Covariate("group", "factor", np.repeat([0.0, 1.0], 20), ("young", "old"))
    >>> tree = fit_tree(preferences(answers, [0], [1], ["A", "B"]), [group])
    >>> str(tree.split), [leaf.model.theta.round(6).tolist() for leaf in tree.leaves()]
    ('group in {young}', [[1.098612], [-1.098612]])
    """
    n = len(data.answers)
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha {alpha}; expected a number between 0 and 1")
    for covariate in covariates:
        if len(covariate.values) != n:
            raise InputError(f"{covariate.name}: {len(covariate.values)} values for {n} persons")
    least = int(np.ceil(10 * len(data.names) / data.answers.shape[1])) if minimum is None else minimum
    return _Grower(data, covariates, alpha, least, most_depth).grown(np.arange(n), 1, 0)


class _Grower:
    def __init__(
        self, data: Preferences, covariates: Sequence[Covariate], alpha: float, least: int, depth: int | None
    ) -> None:
        self.data, self.covariates = data, covariates
        self.alpha, self.least, self.depth = alpha, least, depth

    def grown(self, persons: IntArray, number: int, depth: int) -> TreeNode:
        model = fit_node(self.data, persons)
        tests: tuple[InstabilityTest, ...] = ()
        if model.scores is not None and len(persons) >= 2 * self.least and depth != self.depth:
            own = [Covariate(c.name, c.kind, c.values[persons], c.levels) for c in self.covariates]
            tests = instability_tests(model.scores, own, self.least)
        best = min(tests, key=lambda test: test.p_adjusted, default=None)
        if best is None or not best.p_adjusted < self.alpha:
            return TreeNode(number, persons, model, tests, None, ())
        covariate = next(c for c in self.covariates if c.name == best.covariate)
        found = self._best_split(persons, covariate)
        if found is None:
            return TreeNode(number, persons, model, tests, None, ())
        split, goes = found
        left = self.grown(persons[goes], number + 1, depth + 1)
        after = number + 1 + sum(1 for _ in left.nodes())
        right = self.grown(persons[~goes], after, depth + 1)
        return TreeNode(number, persons, model, tests, split, (left, right))

    def _best_split(self, persons: IntArray, covariate: Covariate) -> tuple[Split, BoolArray] | None:
        best, top = None, -np.inf
        for split, goes in _splits(covariate, covariate.values[persons]):
            if not self.least <= goes.sum() <= len(goes) - self.least:
                continue
            llf = fit_node(self.data, persons[goes]).llf + fit_node(self.data, persons[~goes]).llf
            if llf > top:
                best, top = (split, goes), llf
        return best


def _splits(covariate: Covariate, values: FloatArray) -> Iterator[tuple[Split, BoolArray]]:
    """Every split of a covariate in two."""
    there = np.unique(values)
    if covariate.kind == "numeric":
        for value in there[:-1]:
            yield Split(covariate.name, float(value)), values <= value
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
        yield Split(covariate.name, float("nan"), left, right), np.isin(values, group)
