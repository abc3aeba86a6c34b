"""Pictures of many comparisons: simultaneous intervals of differences, and rank sets with letters.

They are functions of results, not methods, so that a result needs no plotting library.  Filled marks as well as colour
show which items differ.  The caterpillar plot shows random effects from the greatest to the least, each with
effect -+ q se, se of the prediction error with sigma taken as known, so that the intervals of effects with little data
are about 2 q sigma wide and no wider.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, Union

import numpy as np
import pandas as pd

from ...errors import InputError
from ..estimates.array_inference import normal_quantile
from ..estimates.fit_record import FitRecord, title
from ..estimates.parts import find_component
from ..inference.wald import check_level
from ..many.comparison_results import AgainstTheBest, Contrasts, RankSets, scale_of
from .fit_plots import COLOURS, axes, check_axes, grid, plain, wrapped

Comparison = Union[Contrasts, AgainstTheBest]

#: Rows of a picture beyond which it fits no page.
MOST_DRAWN = 150
#: Columns of letters that are drawn one beside another; of more, each item's letters are written in a row.
MOST_COLUMNS = 16
TOLD_APART, NOT_TOLD = COLOURS[0], "0.45"


def size_of_contrasts(result: Comparison) -> tuple[float, float]:
    """Width and height in inches of the picture of a family."""
    return 7.5, 1.5 + 0.22 * len(_rows(result))


def size_of_ranks(ranks: RankSets) -> tuple[float, float]:
    """Width and height in inches of the picture of rank sets."""
    return 7.5, 1.7 + 0.24 * len(ranks.items)


def of_fit(given: Any, kinds: tuple[type, ...], verb: Literal["contrasts", "ranks"]) -> Any:
    """What was given, or of a fit what its verb gives."""
    if isinstance(given, kinds):
        return given
    if isinstance(given, FitRecord):
        return getattr(given, verb)()
    raise InputError(
        f"plot_{verb} was given a {type(given).__name__}; it takes what fit.{verb}(...) returns"
        f" ({' or '.join(kind.__name__ for kind in kinds)}), or a fit of paired comparisons"
    )


def plot_contrasts(result: Comparison | FitRecord, ax: Any = None) -> Any:
    """Plot the differences of a family with their intervals, and a line at 0.

    Parameters
    ----------
    result : Contrasts, AgainstTheBest or Fit
        From :meth:`pairproof.Fit.contrasts`, with at most 150 rows; for a fit, all pairs.
    ax : matplotlib Axes, optional
        Default: the axes of a new figure, whose height fits the number of rows.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        More than 150 rows, another kind of result, or an `ax` that is not a matplotlib Axes.

    Examples
    --------
    >>> import pairproof
    >>> from matplotlib.figure import Figure
    >>> from pairproof.fit.shown.comparisons_plot import plot_contrasts
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
    >>> ax = plot_contrasts(pairproof.fit_bradley_terry(table).contrasts(), Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B - C', 'A - C', 'A - B']
    """
    family: Comparison = of_fit(result, (Contrasts, AgainstTheBest), "contrasts")
    rows = _rows(family)
    instead = "contrasts('against one', ...) has fewer"
    ax = _axes_of(ax, len(rows), "differences", instead, size_of_contrasts(family))
    ends = _ends(rows)
    for y, (_, estimate, low, high, apart) in enumerate(reversed(rows)):
        colour = TOLD_APART if apart else NOT_TOLD
        drawn = [float(np.clip(x, *ends)) for x in (low, high)]
        ax.plot(drawn, [y, y], color=colour, linewidth=1.3, solid_capstyle="butt")
        for x, at, arrow in ((low, drawn[0], "<"), (high, drawn[1], ">")):
            ax.plot([at], [y], arrow if math.isinf(x) else "|", color=colour, markersize=6)
        if not math.isnan(estimate):
            face = colour if apart else "white"
            ax.plot([estimate], [y], "o", color=colour, markerfacecolor=face, markersize=4.5)
    ax.axvline(0.0, color="0.5", linewidth=0.8)
    ax.set_yticks(range(len(rows)), [plain(row[0]) for row in reversed(rows)])
    ax.set_ylim(-0.7, len(rows) - 0.3)
    _finish(ax, caption_of_contrasts(family))
    return ax


def _ends(rows: list[tuple[str, float, float, float, bool]]) -> tuple[float, float]:
    """Where limits at infinity are drawn, as arrows: beyond all that is finite."""
    finite = [x for _, *numbers, _ in rows for x in numbers if math.isfinite(x)] + [0.0]
    room = 0.12 * (max(finite) - min(finite)) or 1.0
    return min(finite) - room, max(finite) + room


def _rows(result: Comparison) -> list[tuple[str, float, float, float, bool]]:
    """Name, estimate, limits, and whether it is shown to differ (or not to be the best), from top to bottom."""
    if isinstance(result, AgainstTheBest):
        order = np.argsort([-(x if math.isfinite(x) else 0.0) for x in result.estimate], kind="stable")
        apart = (result.low >= 0.0) | ~result.may_be_best
        names = result.items
    else:
        order = np.arange(len(result.first))
        apart, names = (result.low > 0.0) | (result.high < 0.0), result.what
    return [
        (names[k], float(result.estimate[k]), float(result.low[k]), float(result.high[k]), bool(apart[k]))
        for k in order
    ]


def caption_of_contrasts(result: Comparison) -> str:
    """Family, level, whether simultaneous, and covariance."""
    scale = scale_of(result.per_unit)
    if isinstance(result, AgainstTheBest):
        family = "each item against the best of the others; filled: shown to be, or not to be, the best"
    else:
        what = f"all against {result.against}" if result.against else result.family
        family = f"{what}; filled: interval without 0"
    kind = "simultaneous" if result.simultaneous else "separate"
    where = "" if result.group == "all" else f", {result.group}"
    arrows = " (an arrow: no limit)" if any(math.isinf(x) for row in _rows(result) for x in row[2:4]) else ""
    return (
        f"difference in {scale}{where}, {family}. {kind.capitalize()} {100 * result.level:g} % intervals{arrows};"
        f" standard errors: {result.covariance}"
    )


def plot_ranks(ranks: RankSets | FitRecord, ax: Any = None) -> Any:
    """Plot the confidence set of each item's rank, best on top, with letters to the right.

    Parameters
    ----------
    ranks : RankSets or Fit
        From :meth:`pairproof.Fit.ranks`, with at most 150 items; for a fit, those at 95 %.
    ax : matplotlib Axes, optional
        Default: the axes of a new figure, whose height fits the number of items.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        More than 150 items, another kind of result, or an `ax` that is not a matplotlib Axes.

    Examples
    --------
    >>> import pairproof
    >>> from matplotlib.figure import Figure
    >>> from pairproof.fit.shown.comparisons_plot import plot_ranks
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
    >>> ax = plot_ranks(pairproof.fit_bradley_terry(table).ranks(), Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    sets: RankSets = of_fit(ranks, (RankSets,), "ranks")
    n = len(sets.items)
    ax = _axes_of(ax, n, "items", "ranks.to_frame() gives the numbers", size_of_ranks(sets))
    best = set(sets.best)
    for y, k in enumerate(sets.order):
        colour = TOLD_APART if sets.items[k] in best else NOT_TOLD
        ax.barh(
            y, sets.high[k] - sets.low[k] + 0.6, 0.5, sets.low[k] - 0.3, color=colour, alpha=0.25, linewidth=0
        )
        if not math.isnan(sets.rank[k]):
            face = colour if sets.items[k] in best else "white"
            ax.plot([sets.rank[k]], [y], "o", color=colour, markerfacecolor=face, markersize=5)
    ax.set_yticks(range(n), [plain(sets.items[k]) for k in sets.order])
    ax.set_ylim(n - 0.3, -0.7)
    ax.set_xlim(0.5, n + 0.5)
    step = next(k for k in (1, 2, 5, 10, 20) if n <= 12 * k or k == 20)
    ax.set_xticks(sorted({1, *range(step, n + 1, step)}))
    _letters(ax, sets)
    _finish(ax, caption_of_ranks(sets))
    return ax


def _letters(ax: Any, ranks: RankSets) -> None:
    """A column a letter, so that the items that share it stand under one another."""
    across = ax.get_yaxis_transform()
    style = dict(transform=across, va="center", fontsize="small", family="monospace", clip_on=False)
    many = len(ranks.groups) > MOST_COLUMNS
    for y, k in enumerate(ranks.order):
        marks = ranks.letters[k]
        if many:
            ax.text(1.01, y, marks if len(marks) <= 24 else f"{marks[:23]}…", **style)
            continue
        for mark in marks:
            ax.text(1.02 + 0.022 * (ord(mark) - ord("a")), y, mark, ha="center", **style)


def caption_of_ranks(ranks: RankSets) -> str:
    """Level, whether simultaneous, letters, and covariance."""
    kind = "all together" if ranks.simultaneous else "each by itself"
    where = "" if ranks.group == "all" else f" in {ranks.group}"
    return (
        f"rank{where} (1 is the best), {100 * ranks.level:g} % confidence sets, {kind}; blue: may be the best."
        f" Items with a common letter cannot be distinguished. Standard errors: {ranks.covariance}"
    )


def _axes_of(ax: Any, rows: int, what: str, instead: str, size: tuple[float, float]) -> Any:
    """The axes that were given, or those of a new figure; InputError if the rows do not fit a page."""
    check_axes(ax)
    if rows > MOST_DRAWN:
        raise InputError(f"{rows:,} {what} do not fit in one picture (limit {MOST_DRAWN}); {instead}")
    return axes(ax, size)


def _finish(ax: Any, caption: str) -> None:
    ax.set_xlabel(wrapped(caption, 88), fontsize="small")
    grid(ax)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def effects_in_order(fit: FitRecord, level: float = 0.95) -> pd.DataFrame:
    """The predicted effects with limits low and high, the greatest first within each component."""
    check_level(level)
    frame = fit.predicted_effects.frame(fit.items)
    half = normal_quantile(0.5 + level / 2) * frame["se"]
    frame = frame.assign(low=frame["effect"] - half, high=frame["effect"] + half)
    order = np.argsort(-frame["effect"].to_numpy(), kind="stable")
    return frame.iloc[order].sort_values("component", kind="stable").reset_index(drop=True)


def labels(frame: pd.DataFrame) -> Sequence[str]:
    """The item of each effect, and its judge."""
    if "judge" not in frame:
        return [str(item) for item in frame["item"]]
    return [
        f"{item}, judge {judge}" if judge else str(item) for item, judge in zip(frame["item"], frame["judge"])
    ]


def size_of_effects(n: int) -> tuple[float, float]:
    """Width and height in inches of the picture of n effects."""
    return 7.5, 1.5 + 0.2 * n


def plot_effects(fit: FitRecord, ax: Any = None, *, component: str | None = None, level: float = 0.95) -> Any:
    """Plot the predicted random effects with their intervals, the greatest on top.

    fit: with at most 150 effects of the component.  ax: default: the axes of a new figure, whose height fits
    the number of effects.  component: needed if there are several.
    """
    if fit.random_effects is None:
        raise InputError(f"{title(fit)}: the fit has no random effects to draw")
    found = find_component(fit.random_effects, component)
    frame = effects_in_order(fit, level)
    frame = frame[frame["component"] == found.name]
    size = size_of_effects(len(frame))
    ax = _axes_of(ax, len(frame), "effects", "fit.effects() gives the numbers", size)
    for y, (effect, low, high) in enumerate(zip(frame["effect"], frame["low"], frame["high"])):
        ax.plot([low, high], [y, y], color=COLOURS[0], linewidth=1.3, solid_capstyle="butt")
        ax.plot([effect], [y], "o", color=COLOURS[0], markersize=4.5)
    ax.axvline(0.0, color="0.5", linewidth=0.8)
    ax.set_yticks(range(len(frame)), [plain(name) for name in labels(frame)])
    ax.set_ylim(len(frame) - 0.3, -0.7)
    _finish(
        ax, f"predicted effect, with {100 * level:g} % intervals (sigma = {found.sigma:.4g} treated as known)"
    )
    return ax
