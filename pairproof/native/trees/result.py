"""The result of a tree: its numbers, and where it puts persons, tables, text and picture of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...text import listed
from .record import TreeNode, TreeRecord

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PreferenceTree", "TreeNode"]


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceTree(TreeRecord):
    """A tree of groups of persons with different preferences, made by :func:`pairproof.fit_tree`.

    Its attributes are those of :class:`pairproof.native.trees.record.TreeRecord`.
    """

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the tree needs to know beside its numbers."""
        from .text import notes

        return notes(self)

    # -- persons ---------------------------------------------------------------------------------------------

    def leaf_of(self, person: str | Mapping[str, Any]) -> TreeNode:
        """The leaf of a person of the table, or of a new one.

        person: a judge, or the number of a row of the file; or the covariates of a new person.
        """
        from .predict import leaf_numbers

        if isinstance(person, Mapping):
            return self.node(leaf_numbers(self, person, single=True)[0])
        for leaf in self.leaves:
            if str(person) in leaf.persons:
                return leaf
        left = self.left_out + self.silent
        raise InputError(
            f"no {self.noun} {str(person)!r} in the tree, which has {listed(self.root.persons)}"
            + (f"; {left:g} were left out" if left else "")
        )

    def predict(self, covariates: Any) -> pd.DataFrame:
        """The leaf of new persons, and what is preferred there.

        covariates: a column for each covariate by which the tree is split; others are not looked at.  Returns
        DataFrame: a row for each person: leaf, rule, ranking (None where items of the leaf cannot be
        ordered), and worth[A] for each item, nan where it is not estimable.
        """
        from .predict import predicted

        return predicted(self, covariates)

    # -- tables ----------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """A row for each node.

        Returns DataFrame: parent, depth, rule, persons, comparisons, llf, split, p_adjusted (of the split),
        ranking, reason; indexed by number.
        """
        from .tables import nodes_frame

        return nodes_frame(self)

    def tests(self) -> pd.DataFrame:
        """A row for each test of instability.

        Returns DataFrame: node, covariate, statistic, df (of the chi-square of a factor; places of a numeric
        covariate), p, p_adjusted, split (whether the node was split by it).
        """
        from .tables import tests_frame

        return tests_frame(self)

    def worth(self, level: float = 0.95) -> pd.DataFrame:
        """Worths of the items in each leaf.

        Returns DataFrame: leaf, item, worth, se, low, high; nan where not estimable.
        """
        from .tables import worth_frame

        return worth_frame(self, level)

    def to_dict(self) -> dict[str, Any]:
        """The tree as a JSON object, with every digit; None where there is no value."""
        from .tables import tree_dict

        return tree_dict(self)

    # -- shown -----------------------------------------------------------------------------------------------

    def plot(self, where: Any = None, *, level: float = 0.95, force: bool = False) -> Any:
        """Draw the tree, with the worths of the items in each leaf; see
        :func:`pairproof.native.trees.picture.plot_tree`.

        force: all as in :func:`pairproof.native.trees.picture.plot_tree`.
        """
        from .picture import plot_tree

        return plot_tree(self, where, level=level, force=force)

    def summary(self) -> str:
        """The tree as text, at most 100 columns wide."""
        from .text import summary

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<PreferenceTree: {len(self.leaves)} leaves, {self.n_persons:g} {self.noun}s, {len(self.items)} items>"
