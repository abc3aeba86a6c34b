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

from ....report.blocks import panels
from ..beta import FloatArray, IntArray
from .simulation import MEASURES, Simulation
from .simulation_grid import Grid

#: Okabe and Ito (2008); each method also has a line style and a mark of its own.
STYLES = {
    "da": ("#0072B2", "-", "o"),
    "random": ("#009E73", "--", "s"),
    "easl": ("#D55E00", "-", "D"),
    "ra": ("#CC79A7", ":", "^"),
    "trueskill": ("#E69F00", "-.", "v"),
}
#: Bins of figures 7 and 10.
BINS = 5
OTHER, BLACK = "#888888", "#000000"


def line_style(name: str, corrected: bool) -> dict[str, Any]:
    """Colour, style and mark of a method's line; beside corrected lines raw ones are dashed, with hollow marks."""
    colour, own, mark = STYLES[name.rstrip("+")]
    how = {"color": colour, "linestyle": own, "marker": mark, "markersize": 4, "markevery": 0.1}
    if not corrected:
        return how
    whole = name.endswith("+")
    return how | {"linestyle": "-" if whole else "--", "markerfacecolor": colour if whole else "none"}


def plot_curves(figure: Any, s: Simulation, level: float = 0.95) -> None:
    """Spearman's and Pearson's correlation with the truth by annotations, with bootstrap intervals (figures
    6, 9)."""
    from matplotlib.ticker import MaxNLocator

    for ax, measure in zip(panels(figure, 2, 3.6, least=3.0), MEASURES):
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
    for ax, (name, values) in zip(panels(figure, len(ends), 2.4, 6, 1.55, sharey=True), ends.items()):
        colour = STYLES.get(name, (OTHER,))[0]
        ax.hist(np.clip(values, 0, 1), BINS, range=(0, 1), color=colour, edgecolor=BLACK, linewidth=0.6)
        ax.set_title(name)
        ax.set_xlabel("score")
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])


def plot_match_quality(figure: Any, maps: Mapping[int, FloatArray]) -> None:
    """Match quality of all pairs by iteration, items ordered by the truth (figure 8)."""
    top = max(float(m.max()) for m in maps.values())
    axes = panels(figure, len(maps), 2.1)
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
    _draw(figure, grid, whole, np.array(grid.shifts), "shift (sd)")


def plot_over_judgments(figure: Any, grid: Grid) -> None:
    """Spearman's rho over judgments an item, one column per context, the first and the last shift in rows."""
    lines = {}
    for k, context in product(sorted({0, len(grid.shifts) - 1}), grid.contexts):
        own = {name: np.array([grid.curve(name, n, context)[k] for n in grid.after]) for name in grid.names}
        lines[f"context {context}, shift {grid.shifts[k]:g}"] = own
    _draw(figure, grid, lines, np.array(grid.after), "annotations per item")


def _draw(
    figure: Any,
    grid: Grid,
    lines: Mapping[str, Mapping[str, FloatArray]],
    x: FloatArray | IntArray,
    below: str,
) -> None:
    """A panel for each title, one column per context where there is room, its lines by method over x."""
    corrected = any(name.endswith("+") for name in grid.names)
    axes = panels(figure, len(lines), 2.5, len(grid.contexts), sharey="row")
    for ax, (title, own) in zip(axes, lines.items()):
        for name, y in own.items():
            at = ~np.isnan(y)
            ax.plot(x[at], y[at], label=name, linewidth=1.5, **line_style(name, corrected))
        ax.set_title(title)
        ax.set_ylabel("Spearman's rho" if ax.get_subplotspec().is_first_col() else "")
        ax.set_xlabel(below)
    axes[0].legend()
