"""What a tree found: its nodes and their numbers, where it puts new persons, and its tables and text.

The log-likelihood of a tree is the sum over its leaves; each split counts as one parameter, as in R's
partykit. Splits were searched for, so that likelihood ratios between nodes have no chi-square distribution.

New persons: values of a factor are compared as text, a numeric covariate with the threshold.  A level that no
person of a node had says nothing about the side on which it belongs, and is refused (R's partykit draws one).
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ....data.columns import level_of
from ....data.comparisons import Comparisons
from ....errors import InputError
from ....fit.fit import Fit
from ....fit.shown.fit_plots import worth_intervals
from ....fit.shown.fit_text import p_value
from ....text import WIDTH, label, listed, number, quoted, shorten
from .instability import Adjust, Covariate, InstabilityTest
from .partitioning import Split

if TYPE_CHECKING:
    import pandas as pd


TreeTies = Literal["davidson", "half", "drop", "none"]


@dataclass(frozen=True, eq=False, repr=False)
class TreeNode:
    """A node of a tree: a group of persons, their model, and why it was split or not.
    number: from 1, the left part of a node before its right part.  parent: 0 for the root.  rule: what holds
    of its persons, such as ("age <= 52", "gender in {male}").  persons: judges, or numbers of the rows of the
    file.  tests: empty where nothing could be tested.  parts: numbers of its left and right part; empty for a
    leaf.  reason: why a leaf is not split; "" where it is.  fit: the Bradley-Terry model of its comparisons.
    scores_of_items: abilities of the items in their order, the reference 0: inf where an item always won,
    -inf where it always lost, nan where the comparisons do not determine it."""

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

    @property
    def chosen(self) -> InstabilityTest | None:
        """The test of the covariate by which it was split."""
        if self.split is None:
            return None
        return next(test for test in self.tests if test.covariate == self.split.covariate)

    def __repr__(self) -> str:
        what = f"split: {self.split}" if self.split is not None else "leaf"
        return f"<TreeNode {self.number}: {' and '.join(self.rule) or 'all'}, {self.n_persons:g} persons, {what}>"


@dataclass(frozen=True, eq=False, repr=False)
class TreeRecord:
    """The numbers of a tree, which `PreferenceTree` gives its verbs.
    nodes: by number; the first is the root.  table: what the tree was fitted to: the comparisons of the
    persons who are in it.  minimum: persons of a node at least.  left_out: persons left out because a
    covariate has no value.  silent: persons left out because they compared nothing."""

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

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the tree needs to know beside its numbers."""
        found = []
        for covariate in self.covariates:
            first = covariate.values[0]
            if (covariate.values == first).all():
                value = covariate.levels[int(first)] if covariate.levels else f"{first:.12g}"
                found.append(
                    f"{label(covariate.name)} has one value, {label(value)}, and cannot divide the {self.noun}s"
                )
        if self.left_out:
            found.append(
                f"{self.left_out:g} {self.noun}s without a value of a covariate were left out, as asked (missing='leave out')"
            )
        if self.silent:
            found.append(f"{self.silent:g} {self.noun}s compared nothing and are not in the tree")
        numeric = {c.name for c in self.covariates if c.kind == "numeric"}
        if any(test.covariate in numeric for node in self.nodes for test in node.tests):
            found.append(P_VALUES)
        for leaf in self.leaves:
            if leaf.fit.not_estimable:
                found.append(f"node {leaf.number}: {leaf.fit.why_not_estimable()}")
        return tuple(found)

    # -- persons ---------------------------------------------------------------------------------------------

    def leaf_of(self, person: str | Mapping[str, Any]) -> TreeNode:
        """The leaf of a person of the table, or of a new one.
        person: a judge, or the number of a row of the file; or the covariates of a new person."""
        if isinstance(person, Mapping):
            return self.node(self._leaf_numbers(person, single=True)[0])
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
        ordered), and worth[A] for each item, nan where it is not estimable."""
        import pandas as pd

        numbers = self._leaf_numbers(covariates)
        own = self.worth().pivot(index="leaf", columns="item", values="worth")
        leaves = {leaf.number: leaf for leaf in self.leaves}
        columns: dict[str, Any] = {
            "leaf": numbers,
            "rule": [" and ".join(leaves[k].rule) for k in numbers],
            "ranking": [leaves[k].ranking for k in numbers],
        }
        columns |= {f"worth[{item}]": [float(own.loc[k, item]) for k in numbers] for item in self.items}
        index = covariates.index if isinstance(covariates, pd.DataFrame) else None
        return pd.DataFrame(columns, index=index)

    def _leaf_numbers(self, covariates: Any, single: bool = False) -> list[int]:
        """The leaf of each person."""
        used = {node.split.covariate for node in self.nodes if node.split is not None}
        known = [covariate for covariate in self.covariates if covariate.name in used]
        columns = {}
        for covariate in known:
            if covariate.name not in covariates:
                raise InputError(
                    f"no column {quoted(covariate.name)}, by which the tree is split; there are"
                    f" {listed([str(name) for name in covariates]) or 'none'}"
                )
            given = covariates[covariate.name]
            columns[covariate.name] = [given] if single else list(given)
        sizes = {name: len(values) for name, values in columns.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(
                f"columns of different lengths: {', '.join(f'{k} {n}' for k, n in sizes.items())}"
            )
        n = next(iter(sizes.values()), 1 if single else _length(covariates))
        ready = {c.name: [_value(c, v, k) for k, v in enumerate(columns[c.name])] for c in known}
        return [self._leaf({name: values[k] for name, values in ready.items()}, k) for k in range(n)]

    def _leaf(self, values: Mapping[str, float | str], row: int) -> int:
        node: TreeNode = self.root
        while node.split is not None:
            split, value = node.split, values[node.split.covariate]
            if not split.left:
                left = float(value) <= split.threshold
            elif value in split.left or value in split.right:
                left = value in split.left
            else:
                raise InputError(
                    f"person {row + 1}: no person of node {node.number} has {split.covariate} {quoted(str(value))}; the"
                    f" levels there are {listed([*split.left, *split.right])}"
                )
            node = self.node(node.parts[0 if left else 1])
        return node.number

    # -- tables ----------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """A row for each node.
        Returns DataFrame: parent, depth, rule, persons, comparisons, llf, split, p_adjusted (of the split),
        ranking, reason; indexed by number."""
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
                "p_adjusted": math.nan if (test := node.chosen) is None else test.p_adjusted,
                "ranking": node.ranking,
                "reason": node.reason,
            }
            for node in self.nodes
        ]
        return pd.DataFrame(rows).set_index("node")

    def tests(self) -> pd.DataFrame:
        """A row for each test of instability.
        Returns DataFrame: node, covariate, statistic, df (of the chi-square of a factor; places of a numeric
        covariate), p, p_adjusted, split (whether the node was split by it)."""
        import pandas as pd

        names = ["node", "covariate", "statistic", "df", "p", "p_adjusted", "split"]
        every = ((node, test) for node in self.nodes for test in node.tests)
        rows = [(node.number, *astuple(test), test is node.chosen) for node, test in every]
        return pd.DataFrame(rows, columns=names)

    def worth(self, level: float = 0.95) -> pd.DataFrame:
        """Worths of the items in each leaf.
        Returns DataFrame: leaf, item, worth, se, low, high; nan where not estimable."""
        import pandas as pd

        parts = [
            worth_intervals(leaf.fit, level=level).drop(columns="group").assign(leaf=leaf.number)
            for leaf in self.leaves
        ]
        return pd.concat(parts, ignore_index=True)[["leaf", "item", "worth", "se", "low", "high"]]

    def to_dict(self) -> dict[str, Any]:
        """The tree as a JSON object, with every digit; None where there is no value."""
        return {
            "model": "bradley-terry-tree",
            "items": list(self.items),
            "reference": self.root.fit.spec.reference,
            "ties": self.ties,
            "covariates": [
                {"name": c.name, "kind": c.kind, "levels": list(c.levels)} for c in self.covariates
            ],
            "alpha": self.alpha,
            "adjust": self.adjust,
            "minimum": self.minimum,
            "most_depth": self.most_depth,
            "n_persons": self.n_persons,
            "left_out": self.left_out,
            "silent": self.silent,
            "n_comparisons": self.root.fit.n_comparisons,
            "leaves": [leaf.number for leaf in self.leaves],
            "llf": self.llf,
            "df": self.df,
            "aic": self.aic,
            "bic": self.bic,
            "nodes": [_node_dict(node) for node in self.nodes],
            "notes": list(self.notes),
            "source": self.table.source,
        }

    # -- text ------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The tree in words."""
        n = len(self.leaves)
        return (
            f"Tree of Bradley-Terry models, {TIES_IN_WORDS[self.ties]}: {n} {'leaf' if n == 1 else 'leaves'}"
        )

    def summary(self) -> str:
        """The tree as text, at most 100 columns wide."""
        parts = [_head(self), list(_lines(self)), list(_tests(self)), list(_worths(self)), list(_notes(self))]
        rule = "-" * WIDTH
        lines = [self.title, "=" * WIDTH]
        for k, part in enumerate(part for part in parts if part):
            lines += [*([rule] if k else []), *part]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()


TIES_IN_WORDS = {
    "davidson": "Davidson ties",
    "half": "ties as half wins",
    "drop": "ties dropped",
    "none": "no ties",
}
#: Most leaves, and items of a leaf, whose worths are shown.
MOST_LEAVES, MOST_ITEMS = 12, 30
#: Characters of a ranking.
MOST_RANKING = 120
#: Why p-values differ from R's.
P_VALUES = (
    "p of a numeric covariate is that of the places between its distinct values; psychotree interpolates Hansen's"
    " (1997) table, and its p differ"
)


def _head(tree: TreeRecord) -> list[str]:
    splits = len(tree.leaves) - 1
    kinds = ", ".join(
        f"{shorten(c.name)} ({c.kind}{f', {len(c.levels)} levels' if c.levels else ''})"
        for c in tree.covariates
    )
    adjusted = ", not adjusted"
    if tree.adjust == "bonferroni":
        adjusted = ", adjusted for the number of covariates tested (1 - (1 - p)^m)"
    depth = "" if tree.most_depth is None else f", at most {tree.most_depth} splits deep"
    pairs = [
        (f"{tree.noun.capitalize()}s", f"{tree.n_persons:g}"),
        ("Comparisons", f"{tree.root.fit.n_comparisons:.10g} of {len(tree.items)} items"),
        ("Covariates", kinds),
        ("Split where", f"the smallest p is below {tree.alpha:g}{adjusted}"),
        ("Nodes of", f"{tree.minimum} {tree.noun}s or more{depth}"),
        (
            "Log-likelihood",
            f"{tree.llf:.4f} on {tree.df} df ({tree.df - splits} parameters and {splits} split{'' if splits == 1 else 's'});"
            f" without splits {tree.root.fit.llf:.4f} on {tree.root.fit.rank}",
        ),
        (
            "AIC, BIC",
            f"{tree.aic:.4f}, {tree.bic:.4f}; without splits {tree.root.fit.aic:.4f}, {tree.root.fit.bic:.4f}",
        ),
    ]
    lines = []
    for name, said in pairs:
        lines += textwrap.wrap(f"{name:<16}{said}", WIDTH, subsequent_indent=" " * 16)
    return lines


def _lines(tree: TreeRecord) -> Iterator[str]:
    for node in tree.nodes:
        what = node.rule[-1] if node.rule else "all"
        test = node.chosen
        split = "" if test is None else f"split by {label(test.covariate)} ({p_equals(test.p_adjusted)})"
        after = split or _ranking(node)
        indent = "  " * node.depth
        who = tree.noun if node.n_persons == 1 else f"{tree.noun}s"
        text = f"{node.number} {label(what)}: {node.n_persons:g} {who}; {label(after)}"
        yield from textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ")


def _ranking(node: TreeNode) -> str:
    """The ranking of a leaf, cut after the first items of many."""
    ranking = node.ranking
    if ranking is None:
        return "items that cannot be ordered"
    if len(ranking) <= MOST_RANKING:
        return ranking
    return f"{shorten(ranking, MOST_RANKING)} ({len(node.fit.items)} items)"


def p_equals(p: float) -> str:
    """ "p = 0.0123", or "p < 1e-300"."""
    return f"p = {p_value(p)}".replace("= <", "< ")


def _tests(tree: TreeRecord) -> Iterator[str]:
    yield f"{'Tests':<34}{'statistic':>12}{'df':>7}{'p':>12}{'p adjusted':>12}"
    for node in tree.nodes:
        if not node.tests:
            yield from textwrap.wrap(f"node {node.number}  not tested: {label(node.reason)}", WIDTH)
        best = node.chosen
        for k, test in enumerate(node.tests):
            name = f"node {node.number}  " if not k else " " * len(f"node {node.number}  ")
            places = next(c.kind for c in tree.covariates if c.name == test.covariate) == "numeric"
            mark = " *" if test is best else ""
            df = f"{test.df} pl" if places else f"{test.df}"
            yield (
                f"{name + shorten(test.covariate, 24):<34}{number(test.statistic):>12}{df:>7}"
                f"{p_value(test.p):>12}{p_value(test.p_adjusted):>12}{mark}"
            )
        if node.tests and node.split is None and not node.reason.startswith("no test"):
            yield from textwrap.wrap(f"        not split: {label(node.reason)}", WIDTH)
    yield "df of the chi-square of a factor; pl: places at which a numeric covariate can break. * the split"


def _worths(tree: TreeRecord) -> Iterator[str]:
    shown = tree.leaves[:MOST_LEAVES]
    for start in range(0, len(shown), 5):
        part = shown[start : start + 5]
        heads = [f"node {leaf.number}" for leaf in part]
        yield f"{'Worths (se)':<24}" + "".join(f"{head:>15}" for head in heads)
        columns = [leaf.fit.worth().set_index("item") for leaf in part]
        for item in tree.items[:MOST_ITEMS]:
            cells = (
                "-" if not w == w else f"{w:.3f} ({s:.3f})"
                for w, s in ((float(c.loc[item, "worth"]), float(c.loc[item, "se"])) for c in columns)
            )
            yield f"{shorten(item, 22):<24}" + "".join(f"{cell:>15}" for cell in cells)
    more = [
        *([f"{len(tree.leaves) - MOST_LEAVES} leaves"] if len(tree.leaves) > MOST_LEAVES else []),
        *([f"{len(tree.items) - MOST_ITEMS} items"] if len(tree.items) > MOST_ITEMS else []),
    ]
    if more:
        yield f"{' and '.join(more)} more; worth() has them all"


def _notes(tree: TreeRecord) -> Iterator[str]:
    for note in tree.notes:
        yield from textwrap.wrap(f"Note: {label(note)}", WIDTH, subsequent_indent="  ")


def _node_dict(node: TreeNode) -> dict[str, Any]:
    fit, split = node.fit.to_dict(), node.split
    return {
        "number": node.number,
        "parent": node.parent,
        "depth": node.depth,
        "rule": list(node.rule),
        "persons": list(node.persons),
        "n_persons": node.n_persons,
        "tests": [asdict(test) for test in node.tests],
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


def _length(covariates: Any) -> int:
    """Persons of a table of which no column is used."""
    import pandas as pd

    if isinstance(covariates, pd.DataFrame):
        return len(covariates)
    if not isinstance(covariates, Mapping):
        raise InputError(f"covariates are a {type(covariates).__name__}; expected a DataFrame or a mapping")
    return len(next(iter(covariates.values()), ()))


def _value(covariate: Covariate, value: Any, row: int) -> float | str:
    """A value as a number, or as a level."""
    missing = value is None or (isinstance(value, (float, np.floating)) and np.isnan(value))
    if missing or str(value) in ("<NA>", "NaT"):
        raise InputError(f"person {row + 1}: no {covariate.name}, by which the tree is split")
    if covariate.kind == "numeric":
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"person {row + 1}: {covariate.name} {value!r}; expected a number") from error
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    return level_of(float(value)) if isinstance(value, (int, float, np.number)) else str(value)
