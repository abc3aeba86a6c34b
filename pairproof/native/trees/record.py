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

    Attributes
    ----------
    number : int
        From 1, the left part of a node before its right part.
    parent : int
        0 for the root.
    depth : int
        Splits above it.
    rule : tuple of str
        What holds of its persons, such as ("age <= 52", "gender in {male}").
    persons : tuple of str
        Judges, or numbers of the rows of the file.
    n_persons : float
        Sum of their weights.
    tests : tuple of InstabilityTest
        Empty where nothing could be tested.
    split : Split or None
        None for a leaf.
    parts : tuple of int
        Numbers of its left and right part; empty for a leaf.
    reason : str
        Why a leaf is not split; "" where it is.
    fit : Fit
        The Bradley-Terry model of its comparisons.
    scores_of_items : tuple of float
        Abilities of the items in their order, the reference 0: inf where an item always won, -inf where it always
        lost, nan where the comparisons do not determine it.

    Examples
    --------
    >>> import pairproof
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) * 2
    >>> node = pairproof.fit_tree(pairproof.read(data)).root
    >>> node.n_persons, node.reason
    (40.0, 'no test is below 0.05')
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

    Attributes
    ----------
    nodes : tuple of TreeNode
        By number; the first is the root.
    table : Comparisons
        What the tree was fitted to: the comparisons of the persons who are in it.
    covariates : tuple of Covariate
        Of these persons.
    noun : str
        "person" or "judge".
    ties : {"davidson", "half", "drop", "none"}
    alpha : float
    minimum : int
        Persons of a node at least.
    most_depth : int or None
    adjust : {"bonferroni", "none"}
    left_out : float
        Persons left out because a covariate has no value.
    silent : float
        Persons left out because they compared nothing.

    Examples
    --------
    >>> import pairproof
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
    >>> tree = pairproof.fit_tree(pairproof.read(data))
    >>> len(tree.nodes), tree.df, round(tree.llf, 6)
    (3, 3, -22.493406)
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
        """The node of a number.

        Parameters
        ----------
        number : int

        Returns
        -------
        TreeNode

        Raises
        ------
        InputError
            There is no such node.
        """
        if number not in range(1, len(self.nodes) + 1):
            raise InputError(f"no node {number}; the tree has nodes 1 to {len(self.nodes)}")
        return self.nodes[number - 1]
