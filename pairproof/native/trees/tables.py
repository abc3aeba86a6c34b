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
    """A row for each node; see :meth:`PreferenceTree.to_frame`."""
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
    """A row for each test; see :meth:`PreferenceTree.tests`."""
    import pandas as pd

    names = ["node", "covariate", "statistic", "df", "p", "p_adjusted", "split"]
    rows = [
        (node.number, test.covariate, test.statistic, test.df, test.p, test.p_adjusted, test is chosen(node))
        for node in tree.nodes
        for test in node.tests
    ]
    return pd.DataFrame(rows, columns=names)


def worth_frame(tree: TreeRecord, level: float = 0.95) -> pd.DataFrame:
    """Worths of the items in each leaf; see :meth:`PreferenceTree.worth`."""
    import pandas as pd

    parts = [
        worth_intervals(leaf.fit, level=level).drop(columns="group").assign(leaf=leaf.number)
        for leaf in tree.leaves
    ]
    return pd.concat(parts, ignore_index=True)[["leaf", "item", "worth", "se", "low", "high"]]


def tree_dict(tree: TreeRecord) -> dict[str, Any]:
    """The tree as a JSON object; see :meth:`PreferenceTree.to_dict`."""
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
