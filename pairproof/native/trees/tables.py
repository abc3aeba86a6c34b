"""A tree as data frames and as a JSON object."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...fit.shown.plots import worth_intervals
from .instability import InstabilityTest
from .record import TreeNode, TreeRecord
from .text import chosen, notes

if TYPE_CHECKING:
    import pandas as pd


def nodes_frame(tree: TreeRecord) -> pd.DataFrame:
    """A row for each node; see :meth:`PreferenceTree.to_frame`.

    Parameters
    ----------
    tree : TreeRecord

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.native.trees.tables import nodes_frame
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
    >>> nodes_frame(pairproof.fit_tree(pairproof.read(data)))[["persons", "ranking"]].values.tolist()
    [[40.0, 'A = B'], [20.0, 'A > B'], [20.0, 'B > A']]
    """
    import pandas as pd

    rows = [
        {
            "node": node.number,
            "parent": node.parent,
            "depth": node.depth,
            "rule": " and ".join(node.rule),
            "persons": node.n_persons,
            "comparisons": node.fit.n_comparisons,
            "llf": node.fit.llf,
            "split": "" if node.split is None else str(node.split),
            "p_adjusted": math.nan if (test := chosen(node)) is None else test.p_adjusted,
            "ranking": node.ranking,
            "reason": node.reason,
        }
        for node in tree.nodes
    ]
    return pd.DataFrame(rows).set_index("node")


def tests_frame(tree: TreeRecord) -> pd.DataFrame:
    """A row for each test; see :meth:`PreferenceTree.tests`.

    Parameters
    ----------
    tree : TreeRecord

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.native.trees.tables import tests_frame
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
    >>> tests_frame(pairproof.fit_tree(pairproof.read(data)))[["statistic", "df"]].round(9).values.tolist()
    [[10.0, 1.0]]
    """
    import pandas as pd

    names = ["node", "covariate", "statistic", "df", "p", "p_adjusted", "split"]
    rows = [
        (node.number, test.covariate, test.statistic, test.df, test.p, test.p_adjusted, test is chosen(node))
        for node in tree.nodes
        for test in node.tests
    ]
    return pd.DataFrame(rows, columns=names)


def worth_frame(tree: TreeRecord, level: float = 0.95) -> pd.DataFrame:
    """Worths of the items in each leaf; see :meth:`PreferenceTree.worth`.

    Parameters
    ----------
    tree : TreeRecord
    level : float

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        The level is not within (0, 1).

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.native.trees.tables import worth_frame
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
    >>> worth_frame(pairproof.fit_tree(pairproof.read(data)))["worth"].round(9).tolist()
    [0.75, 0.25, 0.25, 0.75]
    """
    import pandas as pd

    parts = [
        worth_intervals(leaf.fit, level=level).drop(columns="group").assign(leaf=leaf.number)
        for leaf in tree.leaves
    ]
    return pd.concat(parts, ignore_index=True)[["leaf", "item", "worth", "se", "low", "high"]]


def tree_dict(tree: TreeRecord) -> dict[str, Any]:
    """The tree as a JSON object; see :meth:`PreferenceTree.to_dict`.

    Parameters
    ----------
    tree : TreeRecord

    Returns
    -------
    dict

    Examples
    --------
    >>> import json, pairproof
    >>> from pairproof.native.trees.tables import tree_dict
    >>> data = {"first": ["A"] * 40, "second": ["B"] * 40, "judge": list(range(40)), "age": [20] * 20 + [60] * 20}
    >>> data["outcome"] = (["first"] * 15 + ["second"] * 5) + (["first"] * 5 + ["second"] * 15)
    >>> json.loads(json.dumps(tree_dict(pairproof.fit_tree(pairproof.read(data)))))["nodes"][0]["split"]["threshold"]
    20.0
    """
    return {
        "model": "bradley-terry-tree",
        "items": list(tree.items),
        "reference": tree.root.fit.spec.reference,
        "ties": tree.ties,
        "covariates": [{"name": c.name, "kind": c.kind, "levels": list(c.levels)} for c in tree.covariates],
        "alpha": tree.alpha,
        "adjust": tree.adjust,
        "minimum": tree.minimum,
        "most_depth": tree.most_depth,
        "n_persons": tree.n_persons,
        "left_out": tree.left_out,
        "silent": tree.silent,
        "n_comparisons": tree.root.fit.n_comparisons,
        "leaves": [leaf.number for leaf in tree.leaves],
        "llf": tree.llf,
        "df": tree.df,
        "aic": tree.aic,
        "bic": tree.bic,
        "nodes": [_node_dict(node) for node in tree.nodes],
        "notes": list(notes(tree)),
        "source": tree.table.source,
    }


def _node_dict(node: TreeNode) -> dict[str, Any]:
    fit, split = node.fit.to_dict(), node.split
    return {
        "number": node.number,
        "parent": node.parent,
        "depth": node.depth,
        "rule": list(node.rule),
        "persons": list(node.persons),
        "n_persons": node.n_persons,
        "tests": [
            {
                "covariate": t.covariate,
                "statistic": t.statistic,
                "df": t.df,
                "p": t.p,
                "p_adjusted": t.p_adjusted,
            }
            for t in node.tests
        ],
        "split": None
        if split is None
        else {
            "covariate": split.covariate,
            "threshold": None if split.left else split.threshold,
            "left": list(split.left),
            "right": list(split.right),
        },
        "parts": list(node.parts),
        "reason": node.reason,
        "ranking": node.ranking,
        **{
            name: fit[name] for name in ("params", "bse", "llf", "n_comparisons", "not_estimable", "warnings")
        },
        "worth": fit["worth"]["all"],
        "worth_se": fit["worth_se"]["all"],
    }
