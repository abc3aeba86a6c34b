"""The picture of a tree: splits above, the worths of the items in each leaf below.

Names of items stand once, at the left; all leaves have the same axis of worths, so that they can be compared by
eye.  psychotree draws the same without intervals.
"""

from __future__ import annotations

import io
import os
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError, TooLargeError
from ....files.outputs import write
from ....fit.estimates.predictions import sets_of_items
from ....fit.estimates.tails import p_value
from ....fit.shown.fit_plots import COLOURS
from ....text import label
from .tree_record import TreeNode, TreeRecord

FORMATS = (".png", ".svg", ".pdf")
#: Beyond these a picture is larger than anything it could be printed on.
MOST_LEAVES, MOST_ITEMS = 40, 200
#: Characters of an item's name, of a covariate's, and of a line of a split's levels.
LONG_ITEM, LONG_COVARIATE, LONG_LEVELS = 32, 22, 18
#: Inches: of a character of a name, a leaf, a level of splits, the head of a leaf, an item, the margins.
CHARACTER, LEAF, LEVEL, HEAD, ITEM, TOP, BOTTOM, SIDE = 0.075, 1.55, 0.95, 0.42, 0.2, 0.3, 0.62, 0.25


def plot_tree(tree: TreeRecord, where: Any = None, *, level: float = 0.95, force: bool = False) -> Any:
    """Draw a tree, with the worths of the items in each leaf and their intervals.
    where: a file that ends in .png, .svg or .pdf; or a figure to draw in.  Default: a new figure, whose size
    fits the tree."""
    if len(tree.leaves) > MOST_LEAVES or len(tree.items) > MOST_ITEMS:
        raise TooLargeError(
            f"{len(tree.leaves)} leaves of {len(tree.items)} items are no picture; at most {MOST_LEAVES} leaves and"
            f" {MOST_ITEMS} items are drawn. A larger minimum, or most_depth, gives a smaller tree"
        )
    path = _path(where)
    layout = _layout(tree)
    figure = where
    if path is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=layout.size)
    elif where is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=layout.size)
    elif not hasattr(where, "add_axes"):
        raise InputError(
            f"where is a {type(where).__name__}; expected the name of a file, or a matplotlib Figure"
        )
    _draw_splits(figure, tree, layout)
    _draw_leaves(figure, tree, layout, level)
    if path is not None:
        _save(figure, path, force)
    return figure


def size_of(tree: TreeRecord) -> tuple[float, float]:
    """Width and height in inches of the picture."""
    return _layout(tree).size


@dataclass(frozen=True)
class _Layout:
    """Places in inches, from the lower left corner."""

    size: tuple[float, float]
    left: float
    panel: float
    leaf_width: float
    x: dict[int, float]
    y: dict[int, float]


def _layout(tree: TreeRecord) -> _Layout:
    longest = max(len(_short(item, LONG_ITEM)) for item in tree.items)
    left = SIDE + 0.15 + CHARACTER * longest
    leaves = len(tree.leaves)
    width = max(LEAF, 3.2 / leaves)
    depth = max(node.depth for node in tree.nodes)
    panel = max(1.0, ITEM * len(tree.items))
    head = HEAD + (LEVEL * depth if depth else 0.0)
    size = (left + leaves * width + SIDE, BOTTOM + panel + head + TOP)
    x = {leaf.number: left + (k + 0.5) * width for k, leaf in enumerate(tree.leaves)}
    top = BOTTOM + panel + HEAD
    y = {leaf.number: top for leaf in tree.leaves}
    for node in reversed(tree.nodes):
        if node.parts:
            x[node.number] = (x[node.parts[0]] + x[node.parts[1]]) / 2.0
            y[node.number] = top + LEVEL * (depth - node.depth)
    return _Layout(size, left, panel, width, x, y)


def _draw_splits(figure: Any, tree: TreeRecord, layout: _Layout) -> None:
    width, height = layout.size
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_xlim(0.0, width)
    ax.set_ylim(0.0, height)
    ax.axis("off")
    box = dict(boxstyle="round,pad=0.3", facecolor="white", edgecolor="black", linewidth=0.8)
    for node in tree.nodes:
        test = node.chosen
        if node.split is None or test is None:
            continue
        x, y = layout.x[node.number], layout.y[node.number]
        for part, left in zip(node.parts, (True, False)):
            ax.plot([x, layout.x[part]], [y, layout.y[part]], color="black", linewidth=0.8, zorder=1)
            # Nearer to the part than to the node, where both edges meet.
            share = 0.62
            ax.text(
                x + share * (layout.x[part] - x),
                y + share * (layout.y[part] - y),
                _safe(_edge(node, left)),
                ha="center",
                va="center",
                fontsize=7.5,
                zorder=2,
                bbox=dict(boxstyle="square,pad=0.1", facecolor="white", edgecolor="none"),
            )
        name = _safe(_short(node.split.covariate, LONG_COVARIATE))
        p = "p < 0.001" if test.p_adjusted < 0.001 else f"p = {p_value(test.p_adjusted)}"
        said = f"{node.number}  {name}\n{p}"
        ax.text(x, y, said, ha="center", va="center", fontsize=8, bbox=box, zorder=3)


def _edge(node: TreeNode, left: bool) -> str:
    """What holds in a part: `≤ 52`, or its levels on at most three lines."""
    assert node.split is not None
    if not node.split.left:
        return f"{'≤' if left else '>'} {node.split.threshold:.6g}"
    levels = node.split.left if left else node.split.right
    lines = textwrap.wrap(", ".join(_short(level, LONG_LEVELS) for level in levels), LONG_LEVELS)
    return "\n".join([*lines[:2], f"… {len(levels)} levels"] if len(lines) > 3 else lines)


def _draw_leaves(figure: Any, tree: TreeRecord, layout: _Layout, level: float) -> None:
    frame = tree.worth(level)
    items = _order(tree)
    there = frame.dropna(subset=["worth"])
    most = (
        min(1.0, 1.05 * float(np.nanmax(there["high"].to_numpy(float), initial=0.0))) if len(there) else 1.0
    )
    width, height = layout.size
    place = {item: len(items) - 1 - k for k, item in enumerate(items)}
    for k, leaf in enumerate(tree.leaves):
        x0 = layout.left + k * layout.leaf_width
        ax = figure.add_axes(
            ((x0 + 0.06) / width, BOTTOM / height, (layout.leaf_width - 0.12) / width, layout.panel / height)
        )
        ax.set_xlim(0.0, most)
        ax.set_ylim(-0.6, len(items) - 0.4)
        ax.set_title(f"node {leaf.number}\nn = {leaf.n_persons:g}", fontsize=8, pad=3)
        ax.tick_params(axis="x", labelsize=7)
        ax.locator_params(axis="x", nbins=4, prune="upper")
        ax.set_yticks(range(len(items)))
        shown = [_safe(_short(item, LONG_ITEM)) for item in reversed(items)]
        ax.set_yticklabels(shown if k == 0 else [], fontsize=8)
        ax.grid(axis="y", linewidth=0.3, alpha=0.6)
        ax.set_axisbelow(True)
        outside = _outside(leaf)
        own = frame[(frame["leaf"] == leaf.number)].dropna(subset=["worth"])
        own = own[~own["item"].isin(list(outside))]
        if own.empty:
            _say_why(ax, leaf)
            continue
        ax.axvline(1.0 / len(own), color="grey", linewidth=0.8, linestyle=":")
        for item, status in outside.items():
            at = dict(transform=ax.get_yaxis_transform(), va="center", fontsize=7.5)
            ax.text(0.04, place[item], status, **at)
        worth = own["worth"].to_numpy(float)
        ax.errorbar(
            worth,
            own["item"].map(place).to_numpy(float),
            xerr=[worth - own["low"].to_numpy(float), own["high"].to_numpy(float) - worth],
            fmt="o",
            markersize=3.5,
            capsize=1.5,
            linewidth=1.0,
            color=COLOURS[0],
        )
    caption = f"worth, with {100 * level:g} % intervals on the logit scale; dotted: all items equal"
    figure.axes[0].text(
        layout.left + len(tree.leaves) * layout.leaf_width / 2.0,
        0.12,
        "\n".join(textwrap.wrap(caption, max(30, int(14 * (layout.size[0] - layout.left))))),
        ha="center",
        va="bottom",
        fontsize=8,
    )


def _outside(leaf: TreeNode) -> dict[str, str]:
    """Items whose worths are on another scale than those of the leaf's largest set, and how they stand to it."""
    (group,) = leaf.fit.groups.values()
    status = sets_of_items(leaf.fit, group).status
    return {item: said for item, said in zip(leaf.fit.items, status) if said}


def _say_why(ax: Any, leaf: TreeNode) -> None:
    """In place of worths: which items have none."""
    names = [item for item, b in zip(leaf.fit.items, leaf.scores_of_items) if not np.isfinite(b)]
    lines = textwrap.wrap("not estimable: " + ", ".join(_short(name, 16) for name in names), 20)
    text = "\n".join(lines if len(lines) <= 5 else [*lines[:4], f"… {len(names)} items"])
    ax.text(0.5, 0.5, _safe(text), transform=ax.transAxes, ha="center", va="center", fontsize=7.5)


def _order(tree: TreeRecord) -> list[str]:
    """The items by their ability among all persons, the best first; in their order where it has none."""
    values = np.array(tree.root.scores_of_items)
    if np.isnan(values).any():
        return list(tree.items)
    return [tree.items[k] for k in sorted(range(len(values)), key=lambda k: (-values[k], k))]


def _short(name: str, most: int) -> str:
    """The name; a long one without its middle, for names often differ at their ends."""
    name = label(name)
    tail = most // 3
    return name if len(name) <= most else f"{name[: most - tail - 1]}…{name[-tail:]}"


def _safe(text: str) -> str:
    """matplotlib would read text between two "$" as a formula."""
    return text.replace("$", r"\$")


# -- files ---------------------------------------------------------------------------------------------------


def _path(where: Any) -> Path | None:
    if not isinstance(where, (str, os.PathLike)):
        return None
    path = Path(where)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: a picture ends in {', '.join(FORMATS)}")
    return path


def _save(figure: Any, path: Path, force: bool) -> None:
    import matplotlib

    stream, kind = io.BytesIO(), path.suffix.lower()[1:]
    about = {"CreationDate": None} if kind == "pdf" else {"Date": None} if kind == "svg" else {}
    with matplotlib.rc_context({"svg.hashsalt": "pairproof"}):
        figure.savefig(stream, format=kind, dpi=150, metadata=about)
    write(path, stream.getvalue(), kind=path.suffix, force=force)
