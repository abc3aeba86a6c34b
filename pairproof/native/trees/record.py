"""The numbers of a tree: its nodes, each with its Bradley-Terry model.

The log-likelihood of a tree is the sum over its leaves; each split counts as one parameter, as in R's partykit.
Splits were searched for, so that likelihood ratios between nodes have no chi-square distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from .instability import Adjust, Covariate, InstabilityTest
from .tree import Split

TreeTies = Literal["davidson", "half", "drop", "none"]


@dataclass(frozen=True, eq=False, repr=False)
class TreeNode:
    """A node of a tree: a group of persons, their model, and why it was split or not.

    number: from 1, the left part of a node before its right part.  parent: 0 for the root.  depth: splits
    above it.  rule: what holds of its persons, such as ("age <= 52", "gender in {male}").  persons: judges,
    or numbers of the rows of the file.  n_persons: sum of their weights.  tests: empty where nothing could be
    tested.  split: none for a leaf.  parts: numbers of its left and right part; empty for a leaf.  reason:
    why a leaf is not split; "" where it is.  fit: the Bradley-Terry model of its comparisons.
    scores_of_items: abilities of the items in their order, the reference 0: inf where an item always won,
    -inf where it always lost, nan where the comparisons do not determine it.
    """

    number: int
    parent: int
    depth: int
    rule: tuple[str, ...]
    persons: tuple[str, ...]
    n_persons: float
    tests: tuple[InstabilityTest, ...]
    split: Split | None
    parts: tuple[int, ...]
    reason: str
    fit: Fit
    scores_of_items: tuple[float, ...]

    @property
    def ranking(self) -> str | None:
        """The items by ability, such as "B > A = C"; None where two of them cannot be ordered."""
        values = self.scores_of_items
        infinite = [values.count(end) for end in (math.inf, -math.inf)]
        if any(map(math.isnan, values)) or max(infinite) > 1:
            return None
        order = sorted(range(len(values)), key=lambda k: -values[k])
        text = self.fit.items[order[0]]
        for before, k in zip(order, order[1:]):
            # Equal abilities are equal to rounding.
            same = values[before] == values[k] or abs(values[before] - values[k]) < 1e-9
            text += f" {'=' if same else '>'} {self.fit.items[k]}"
        return text

    def __repr__(self) -> str:
        what = f"split: {self.split}" if self.split is not None else "leaf"
        return f"<TreeNode {self.number}: {' and '.join(self.rule) or 'all'}, {self.n_persons:g} persons, {what}>"


@dataclass(frozen=True, eq=False, repr=False)
class TreeRecord:
    """The numbers of a tree, which :class:`pairproof.native.trees.result.PreferenceTree` gives its verbs.

    nodes: by number; the first is the root.  table: what the tree was fitted to: the comparisons of the
    persons who are in it.  covariates: of these persons.  noun: "person" or "judge".  minimum: persons of a
    node at least.  left_out: persons left out because a covariate has no value.  silent: persons left out
    because they compared nothing.
    """

    nodes: tuple[TreeNode, ...]
    table: Comparisons
    covariates: tuple[Covariate, ...]
    noun: str
    ties: TreeTies
    alpha: float
    minimum: int
    most_depth: int | None
    adjust: Adjust
    left_out: float
    silent: float

    # -- numbers ---------------------------------------------------------------------------------------------

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the items."""
        return self.table.items

    @property
    def root(self) -> TreeNode:
        """Node 1: all persons."""
        return self.nodes[0]

    @property
    def leaves(self) -> tuple[TreeNode, ...]:
        """The nodes that are not split, by number."""
        return tuple(node for node in self.nodes if node.split is None)

    @property
    def n_persons(self) -> float:
        """Persons in the tree."""
        return self.root.n_persons

    @property
    def llf(self) -> float:
        """Sum of the log-likelihoods of the leaves."""
        return float(sum(leaf.fit.llf for leaf in self.leaves))

    @property
    def df(self) -> int:
        """Parameters of the leaves, and one for each split."""
        return sum(leaf.fit.rank for leaf in self.leaves) + len(self.leaves) - 1

    @property
    def aic(self) -> float:
        """-2 llf + 2 df."""
        return -2.0 * self.llf + 2.0 * self.df

    @property
    def bic(self) -> float:
        """-2 llf + df log n, n the number of comparisons (R's bttree takes that of persons)."""
        return -2.0 * self.llf + self.df * float(np.log(self.root.fit.n_comparisons))

    def node(self, number: int) -> TreeNode:
        """The node of a number."""
        if number not in range(1, len(self.nodes) + 1):
            raise InputError(f"no node {number}; the tree has nodes 1 to {len(self.nodes)}")
        return self.nodes[number - 1]
