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

    Examples
    --------
    >>> import pairproof
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
    >>> tree = pairproof.fit_tree(pairproof.read(data))
    >>> [(leaf.number, leaf.rule, leaf.ranking) for leaf in tree.leaves]
    [(2, ('age <= 20',), 'A > B'), (3, ('age > 20',), 'B > A')]
    """

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the tree needs to know beside its numbers."""
        from .text import notes

        return notes(self)

    # -- persons ---------------------------------------------------------------------------------------------

    def leaf_of(self, person: str | Mapping[str, Any]) -> TreeNode:
        """The leaf of a person of the table, or of a new one.

        Parameters
        ----------
        person : str, or mapping of str to value
            A judge, or the number of a row of the file; or the covariates of a new person.

        Returns
        -------
        TreeNode

        Raises
        ------
        InputError
            No such person in the tree; or covariates as in :meth:`predict`.

        Examples
        --------
        >>> import pairproof
        >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
        >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
        >>> tree = pairproof.fit_tree(pairproof.read(data))
        >>> tree.leaf_of("39").number, tree.leaf_of({"age": 20}).number
        (3, 2)
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

        Parameters
        ----------
        covariates : DataFrame, or mapping of str to values
            A column for each covariate by which the tree is split; others are not looked at.

        Returns
        -------
        DataFrame
            A row for each person: leaf, rule, ranking (None where items of the leaf cannot be ordered), and
            worth[A] for each item, nan where it is not estimable.

        Raises
        ------
        InputError
            A column is missing, or a person has no value, or a level that no person of the node had.

        Examples
        --------
        >>> import pairproof
        >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
        >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
        >>> tree = pairproof.fit_tree(pairproof.read(data))
        >>> tree.predict({"age": [18, 70]})[["leaf", "ranking", "worth[A]"]].round(3).values.tolist()
        [[2, 'A > B', 0.75], [3, 'B > A', 0.25]]
        """
        from .predict import predicted

        return predicted(self, covariates)

    # -- tables ----------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """A row for each node.

        Returns
        -------
        DataFrame
            parent, depth, rule, persons, comparisons, llf, split, p_adjusted (of the split), ranking, reason;
            indexed by number.
        """
        from .tables import nodes_frame

        return nodes_frame(self)

    def tests(self) -> pd.DataFrame:
        """A row for each test of instability.

        Returns
        -------
        DataFrame
            node, covariate, statistic, df (of the chi-square of a factor; places of a numeric covariate), p,
            p_adjusted, split (whether the node was split by it).
        """
        from .tables import tests_frame

        return tests_frame(self)

    def worth(self, level: float = 0.95) -> pd.DataFrame:
        """Worths of the items in each leaf.

        Parameters
        ----------
        level : float
            Of the intervals, in (0, 1).

        Returns
        -------
        DataFrame
            leaf, item, worth, se, low, high; nan where not estimable.
        """
        from .tables import worth_frame

        return worth_frame(self, level)

    def to_dict(self) -> dict[str, Any]:
        """The tree as a JSON object, with every digit; None where there is no value.

        Returns
        -------
        dict
        """
        from .tables import tree_dict

        return tree_dict(self)

    # -- shown -----------------------------------------------------------------------------------------------

    def plot(self, where: Any = None, *, level: float = 0.95, force: bool = False) -> Any:
        """Draw the tree, with the worths of the items in each leaf; see
        :func:`pairproof.native.trees.picture.plot_tree`.

        Parameters
        ----------
        where : path or matplotlib Figure, optional
        level : float
        force : bool
            All as in :func:`pairproof.native.trees.picture.plot_tree`.

        Returns
        -------
        matplotlib Figure
        """
        from .picture import plot_tree

        return plot_tree(self, where, level=level, force=force)

    def summary(self) -> str:
        """The tree as text, at most 100 columns wide.

        Returns
        -------
        str
        """
        from .text import summary

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<PreferenceTree: {len(self.leaves)} leaves, {self.n_persons:g} {self.noun}s, {len(self.items)} items>"
