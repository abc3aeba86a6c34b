"""Pictures of simulated annotation: the curves, histograms and match qualities of Sakaguchi and Van Durme
(2018), figures 6 to 10, and Spearman's rho over shifts of the annotators.

Every function draws into a figure of matplotlib and makes its own axes. Where corrected scores are next to
raw ones, raw lines are dashed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..beta import FloatArray, IntArray
from .simulation import MEASURES, Simulation
from .simulation_grid import Grid

#: Okabe and Ito (2008); each method also has a line style of its own.
STYLES = {
    "da": ("#0072B2", "-"),
    "random": ("#009E73", "--"),
    "easl": ("#D55E00", "-"),
    "ra": ("#CC79A7", ":"),
    "trueskill": ("#E69F00", "-."),
}
#: Bins of figures 7 and 10.
BINS = 5
OTHER, BLACK = "#888888", "#000000"


def line_style(name: str, corrected: bool) -> dict[str, Any]:
    """Colour and style of a method's line; raw lines are dashed where corrected ones are next to them."""
    colour, own = STYLES[name.rstrip("+")]
    if not corrected:
        return {"color": colour, "linestyle": own}
    return {"color": colour, "linestyle": "-" if name.endswith("+") else "--"}


def plot_curves(figure: Any, s: Simulation, level: float = 0.95) -> None:
    """Spearman's and Pearson's correlation with the truth by annotations, with bootstrap intervals (figures
    6, 9)."""
    from matplotlib.ticker import MaxNLocator

    for ax, measure in zip(figure.subplots(1, 2), MEASURES):
        for name in s.experiment.names:
            style = line_style(name, bool(s.experiment.corrected))
            c = s.curve(name, measure, level)
            at = ~np.isnan(c.mean)
            x, shade = s.annotations[at], {"color": style["color"], "alpha": 0.2, "linewidth": 0}
            ax.plot(x, c.mean[at], label=name, linewidth=1.6, **style)
            ax.fill_between(x, c.low[at], c.high[at], **shade)
        ax.set_xlabel("annotations per item")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_ylabel("Spearman's rho" if measure == "spearman" else "Pearson's r")
        ax.legend()


def plot_histograms(figure: Any, ends: Mapping[str, FloatArray]) -> None:
    """Histograms of the truth and of final scores, by name (figures 7, 10)."""
    axes = figure.subplots(1, len(ends), sharey=True, squeeze=False)[0]
    for ax, (name, values) in zip(axes, ends.items()):
        colour = STYLES.get(name, (OTHER, ""))[0]
        ax.hist(np.clip(values, 0, 1), BINS, range=(0, 1), color=colour, edgecolor=BLACK, linewidth=0.6)
        ax.set_title(name)
        ax.set_xlabel("score")


def plot_match_quality(figure: Any, maps: Mapping[int, FloatArray]) -> None:
    """Match quality of all pairs by iteration, items ordered by the truth (figure 8)."""
    top = max(float(m.max()) for m in maps.values())
    axes = figure.subplots(1, len(maps), squeeze=False)[0]
    for ax, (iteration, values) in zip(axes, maps.items()):
        image = ax.imshow(values, origin="lower", interpolation="nearest", cmap="viridis", vmin=0, vmax=top)
        ax.set_title(f"before iteration {iteration}")
        ax.set_xticks([])
        ax.set_yticks([])
    figure.colorbar(image, ax=list(axes), label="match quality", shrink=0.8)


def plot_over_shifts(figure: Any, grid: Grid, after: Sequence[int]) -> None:
    """Spearman's rho over shifts, one row per number of judgments, one column per context."""
    whole = {}
    for n, context in product(after, grid.contexts):
        own = {name: grid.curve(name, n, context) for name in grid.names}
        whole[f"context {context}, after {n}"] = {k: y for k, y in own.items() if not np.isnan(y).any()}
    _draw(figure, grid, whole, np.array(grid.shifts), "shift (sd)", {"marker": "o", "markersize": 3})


def plot_over_judgments(figure: Any, grid: Grid) -> None:
    """Spearman's rho over judgments an item, one column per context, the first and the last shift in rows."""
    lines = {}
    for k, context in product(sorted({0, len(grid.shifts) - 1}), grid.contexts):
        own = {name: np.array([grid.curve(name, n, context)[k] for n in grid.after]) for name in grid.names}
        lines[f"context {context}, shift {grid.shifts[k]:g}"] = own
    _draw(figure, grid, lines, np.array(grid.after), "annotations per item", {})


def size_of_grid(rows: int, columns: int) -> tuple[float, float]:
    """Width and height in inches of a figure over a grid."""
    return 2.7 * columns + 1.1, 2.4 * rows + 0.4


def _draw(
    figure: Any,
    grid: Grid,
    lines: Mapping[str, Mapping[str, FloatArray]],
    x: FloatArray | IntArray,
    below: str,
    marks: Mapping[str, Any],
) -> None:
    """A panel for each title, one column per context, its lines by method over x, and the legend beside
    them."""
    columns, corrected = len(grid.contexts), any(name.endswith("+") for name in grid.names)
    how = {"squeeze": False, "sharey": "row", "gridspec_kw": {"width_ratios": [1.0] * columns + [0.35]}}
    axes = figure.subplots(len(lines) // columns, columns + 1, **how)
    for ax in axes[:, -1]:
        ax.set_axis_off()
    for ax, (title, own) in zip(axes[:, :-1].ravel(), lines.items()):
        for name, y in own.items():
            at = ~np.isnan(y)
            ax.plot(x[at], y[at], label=name, linewidth=1.5, **marks, **line_style(name, corrected))
        ax.set_title(title)
    for row in axes:
        row[0].set_ylabel("Spearman's rho")
    for ax in axes[-1][:-1]:
        ax.set_xlabel(below)
    handles, labels = axes[0][0].get_legend_handles_labels()
    axes[0][-1].legend(handles, labels, loc="upper left", borderaxespad=0.0)
