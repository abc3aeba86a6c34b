"""The report of `pairproof tree`: its picture, its groups, the tests, and the worths of the items in each leaf."""

from __future__ import annotations

import math
from functools import partial

from ...fit.estimates.tails import p_value
from ...native.answers.trees.tree_models import PreferenceTree
from ...native.answers.trees.tree_picture import plot_tree, size_of
from ...native.answers.trees.tree_record import p_equals
from ...report.blocks import Block, Bullets, Code, Column, Figure, Heading, Page, Table

_NUMBERS = tuple(map(Column, ("statistic", "df", "p", "p adjusted")))


def page(tree: PreferenceTree, level: float) -> Page:
    """The tree as a page."""
    counts = (
        f"{tree.n_persons:g} {tree.noun}s, {tree.root.fit.counted}",
        f"log-likelihood {tree.llf:.4f} on {tree.df} df, AIC {tree.aic:.4f}, BIC {tree.bic:.4f}; without splits"
        f" {tree.root.fit.llf:.4f} on {tree.root.fit.rank} df, AIC {tree.root.fit.aic:.4f}",
    )
    blocks: list[Block] = [
        Bullets((*counts, *tree.notes), lead=True),
        Heading("Groups"),
        _picture(tree, level),
        _groups(tree),
        Heading("Tests of instability"),
        _tests(tree),
        Heading("Worths"),
        _worths(tree, level),
        Heading("In text"),
        Code(tree.summary()),
    ]
    return Page(tree.title, blocks, f"Data: {tree.table.source}")


def _picture(tree: PreferenceTree, level: float) -> Figure:
    said = "; ".join(
        f"node {leaf.number}, {' and '.join(leaf.rule) or 'all'}: {leaf.ranking or 'no order'}"
        for leaf in tree.leaves
    )
    title = "The tree, with the worths of the items in each leaf"
    draw = partial(plot_tree, tree, level=level)
    return Figure(title, said, size_of(tree), draw, panels=True, keeps="size")


def _groups(tree: PreferenceTree) -> Table:
    who, fate_of = Column("who", "left"), Column("result", "left")
    rows = []
    for node in tree.nodes:
        fate = f"leaf ({node.reason})"
        if node.chosen is not None:
            fate = f"split: {node.split} ({p_equals(node.chosen.p_adjusted)})"
        rows.append((str(node.number), " and ".join(node.rule) or "all", f"{node.n_persons:g}", fate))
    return Table((Column("node"), who, Column(f"{tree.noun}s"), fate_of), tuple(rows))


def _tests(tree: PreferenceTree) -> Table:
    rows = tuple(
        (str(t.node), str(t.covariate), f"{t.statistic:.4f}", str(t.df), p_value(t.p), p_value(t.p_adjusted))
        for t in tree.tests().itertuples()
    )
    caption = "df: degrees of freedom for a factor's chi-square; for a numeric covariate, the number of possible break points"
    return Table((Column("node"), Column("covariate", "left"), *_NUMBERS), rows, caption)


def _worths(tree: PreferenceTree, level: float) -> Table:
    numbers = map(Column, ("worth", "se", f"low {100 * level:g} %", "high"))
    rows = []
    for row in tree.worth(level).itertuples():
        values = ("-" if math.isnan(v) else f"{v:.4f}" for v in (row.worth, row.se, row.low, row.high))
        rows.append((str(row.leaf), str(row.item), *values))
    return Table((Column("leaf"), Column("item", "left"), *numbers), tuple(rows))
