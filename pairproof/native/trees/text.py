"""A tree as text: its splits as indented lines, its tests, its leaves, and what a reader needs to know."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ...fit.shown.text import WIDTH, number, p_value, shorten
from ...text import label
from .instability import InstabilityTest
from .record import TreeNode, TreeRecord

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


def chosen(node: TreeNode) -> InstabilityTest | None:
    """The test of the covariate by which a node was split."""
    if node.split is None:
        return None
    return next(test for test in node.tests if test.covariate == node.split.covariate)


def notes(tree: TreeRecord) -> tuple[str, ...]:
    """What a reader needs to know beside the numbers."""
    found = []
    for covariate in tree.covariates:
        first = covariate.values[0]
        if (covariate.values == first).all():
            value = covariate.levels[int(first)] if covariate.levels else f"{first:.12g}"
            found.append(
                f"{label(covariate.name)} has one value, {label(value)}, and cannot divide the {tree.noun}s"
            )
    if tree.left_out:
        found.append(
            f"{tree.left_out:g} {tree.noun}s without a value of a covariate were left out, as asked (missing='leave out')"
        )
    if tree.silent:
        found.append(f"{tree.silent:g} {tree.noun}s compared nothing and are not in the tree")
    numeric = {c.name for c in tree.covariates if c.kind == "numeric"}
    if any(test.covariate in numeric for node in tree.nodes for test in node.tests):
        found.append(P_VALUES)
    for leaf in tree.leaves:
        if leaf.fit.not_estimable:
            found.append(f"node {leaf.number}: {leaf.fit.why_not_estimable()}")
    return tuple(found)


def summary(tree: TreeRecord) -> str:
    """The tree as text; see :meth:`PreferenceTree.summary`."""
    parts = [_head(tree), list(_lines(tree)), list(_tests(tree)), list(_worths(tree)), list(_notes(tree))]
    rule = "-" * WIDTH
    lines = [title(tree), "=" * WIDTH]
    for k, part in enumerate(part for part in parts if part):
        lines += [*([rule] if k else []), *part]
    return "\n".join(lines)


def title(tree: TreeRecord) -> str:
    """The tree in words."""
    n = len(tree.leaves)
    return f"Tree of Bradley-Terry models, {TIES_IN_WORDS[tree.ties]}: {n} {'leaf' if n == 1 else 'leaves'}"


def _head(tree: TreeRecord) -> list[str]:
    splits = len(tree.leaves) - 1
    kinds = ", ".join(
        f"{shorten(c.name)} ({c.kind}{f', {len(c.levels)} levels' if c.levels else ''})"
        for c in tree.covariates
    )
    adjusted = (
        ", adjusted for the number of covariates tested (1 - (1 - p)^m)"
        if tree.adjust == "bonferroni"
        else ", not adjusted"
    )
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
        test = chosen(node)
        after = (
            f"split by {label(test.covariate)} ({p_equals(test.p_adjusted)})"
            if test is not None
            else _ranking(node)
        )
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
    words = p_words(p)
    return f"p {words}" if words.startswith("<") else f"p = {words}"


def p_words(p: float) -> str:
    """A p-value with four decimals, in scientific notation below .001; "< 1e-300" where a double is 0."""
    import math

    return p_value(p, math.log10(p)) if p > 0 else "< 1e-300"


def _tests(tree: TreeRecord) -> Iterator[str]:
    yield f"{'Tests':<34}{'statistic':>12}{'df':>7}{'p':>12}{'p adjusted':>12}"
    for node in tree.nodes:
        if not node.tests:
            yield from textwrap.wrap(f"node {node.number}  not tested: {label(node.reason)}", WIDTH)
        best = chosen(node)
        for k, test in enumerate(node.tests):
            name = f"node {node.number}  " if not k else " " * len(f"node {node.number}  ")
            places = next(c.kind for c in tree.covariates if c.name == test.covariate) == "numeric"
            mark = " *" if test is best else ""
            df = f"{test.df} pl" if places else f"{test.df}"
            yield (
                f"{name + shorten(test.covariate, 24):<34}{number(test.statistic):>12}{df:>7}"
                f"{p_words(test.p):>12}{p_words(test.p_adjusted):>12}{mark}"
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
    for note in notes(tree):
        yield from textwrap.wrap(f"Note: {label(note)}", WIDTH, subsequent_indent="  ")
