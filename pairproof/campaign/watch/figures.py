"""The drawings of a campaign's page: scores, each annotator's use of the scale and course over time, systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...native.annotation.beta import FloatArray
from ...report.blocks import Code, Figure, Heading
from ...report.figures import BAD, FAINT, GOOD, INK
from ...text import label
from ..storage.answers import Answers
from .own_answers import own_scores
from .status import Status, histogram
from .systems import Systems
from .watched import Annotators

#: Length in characters of the longest bar of a histogram in text.
WIDTH = 40
#: Annotators that have a panel each: the flagged first, then those with most scores.
PANELS, PANELS_A_ROW = 12, 4
#: Scores that one point of a course is the mean of, at least.
STRETCH = 10
#: Longest name over a panel, in characters.
NAME = 24


def shown_annotators(found: Annotators) -> list[str]:
    """The annotators who have a panel each."""
    rows = sorted(found.rows, key=lambda r: (not r.flags, -r.quality.n, r.name))
    return [r.name for r in rows[:PANELS]]


def short(name: str) -> str:
    """A name that fits over a panel and says nothing to the drawing program."""
    plain = label(name).replace("$", "\\$")
    return plain if len(plain) <= NAME else plain[: NAME - 1] + "…"


def scale_use(found: Annotators, answers: Answers) -> Figure:
    """How often each annotator gives each score."""
    names = shown_annotators(found)
    flagged = {row.name for row in found.flagged}
    rows = own_scores(answers)
    values = {n: answers.value[rows & (answers.annotator == answers.names.index(n))] for n in names}

    def draw(figure: Any) -> None:
        for axes, name in _grid(figure, len(names), names):
            axes.hist(values[name], 20, range=(0.0, 1.0), color=BAD if name in flagged else GOOD)
            axes.axvline(float(values[name].mean()), color=INK, linewidth=1.0)
            axes.set_yticks([])
            axes.set_xlim(0.0, 1.0)

    said = "; ".join(
        f"{name}: mean {values[name].mean():.2f}, middle half {np.quantile(values[name], 0.25):.2f} to"
        f" {np.quantile(values[name], 0.75):.2f}"
        for name in names
    )
    left = len(found.rows) - len(names)
    more = f"; {left} more annotators are in the table" if left else ""
    return Figure(
        f"How each annotator uses the scale from 0 to 1; the line is the mean{_flag_note(flagged, names)}{more}",
        said,
        (9.0, _height(len(names))),
        draw,
        panels=True,
    )


def courses(found: Annotators, answers: Answers) -> Figure | None:
    """How each annotator's scores move, against the items' means, from the first score to the last; None where
    nobody has two stretches of scores.
    """
    rows = np.flatnonzero(own_scores(answers) & (answers.annotator >= 0))
    # What others say of the same items takes away that later items may be better.
    item, value = answers.item[rows], answers.value[rows]
    off = value - (np.bincount(item, value) / np.maximum(np.bincount(item), 1))[item]
    when = np.where(np.isnan(answers.submitted[rows]), np.inf, answers.submitted[rows])
    order = np.lexsort((answers.slot[rows], answers.hit[rows], answers.batch[rows], when))
    lines: dict[str, tuple[FloatArray, FloatArray]] = {}
    for name in shown_annotators(found):
        mine = off[order][answers.annotator[rows][order] == answers.names.index(name)]
        pieces = min(len(mine) // STRETCH, 20)
        if pieces >= 2:
            parts = np.array_split(mine, pieces)
            ends = np.cumsum([len(p) for p in parts]) - np.array([len(p) / 2 for p in parts])
            lines[name] = (ends, np.array([p.mean() for p in parts]))
    if not lines:
        return None
    names, flagged = list(lines), {row.name for row in found.rows if "drift" in row.flags}
    most = max(0.2, max(float(np.abs(y).max()) for _, y in lines.values()) * 1.1)

    def draw(figure: Any) -> None:
        for axes, name in _grid(figure, len(names), names):
            axes.axhline(0.0, color=FAINT, linewidth=1.0)
            axes.plot(*lines[name], color=BAD if name in flagged else GOOD, marker=".", linewidth=1.2)
            axes.set_ylim(-most, most)

    said = "; ".join(f"{name}: from {y[0]:+.2f} to {y[-1]:+.2f}" for name, (_, y) in lines.items())
    return Figure(
        "Each annotator's scores less the items' mean scores, in the order in which they were given"
        f"{_flag_note(flagged, names)}",
        said,
        (9.0, _height(len(names))),
        draw,
        panels=True,
    )


def _flag_note(flagged: set[str], names: Sequence[str]) -> str:
    among = [name for name in names if name in flagged]
    return f"; flagged: {', '.join(among)}" if among else ""


def _height(panels: int) -> float:
    return 1.0 + 1.15 * math.ceil(panels / PANELS_A_ROW)


def _grid(figure: Any, n: int, names: Sequence[str]) -> list[tuple[Any, str]]:
    """Axes with a name over each, in rows of four."""
    rows = math.ceil(n / PANELS_A_ROW)
    grid = figure.subplots(rows, PANELS_A_ROW, squeeze=False, sharex=True)
    for axes in grid.ravel()[n:]:
        axes.set_visible(False)
    for axes, name in zip(grid.ravel(), names):
        axes.set_title(short(name))
        axes.tick_params(labelbottom=True)
    return list(zip(grid.ravel()[:n], names))


def systems_figure(found: Systems) -> Figure:
    """The systems' means with their intervals, best first."""
    m, s = found.model, found.plain
    if m is None:
        names, mean, low, high = s.systems, s.score, s.low, s.high
    else:
        k = found.order
        names, mean, low, high = tuple(m.systems[i] for i in k), m.mean[k], m.low[k], m.high[k]

    def draw(axes: Any) -> None:
        place = np.arange(len(names))[::-1]
        axes.hlines(place, low, high, color=GOOD, linewidth=2.0)
        axes.plot(mean, place, linestyle="none", marker="o", markersize=5, color=INK)
        axes.set_yticks(place, [short(name) for name in names])
        axes.set_xlabel("mean score")
        axes.grid(axis="x")

    said = "; ".join(f"{n}: {m:.3f}, {l:.3f} to {h:.3f}" for n, m, l, h in zip(names, mean, low, high))
    return Figure(
        f"Systems, best first, with {found.level:.0%} intervals", said, (7.0, 0.8 + 0.32 * len(names)), draw
    )


def scores_figure(status: Status, order: Sequence[int], low: FloatArray, high: FloatArray) -> Figure:
    """A histogram of the scores beside all items in order with their intervals."""
    # An item that nobody has judged stands at the middle of the scale, which is no score.
    judged = status.scored[status.state.n[status.scored] > 0]
    counts, edges = histogram(status.state.score[judged])

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.bar(edges[:-1], counts, np.diff(edges), align="edge", color=GOOD, edgecolor=INK, linewidth=0.6)
        left.set_xlabel("score")
        left.set_ylabel("items")
        place = np.arange(len(order))
        right.vlines(place, low, high, color=GOOD, linewidth=0.8)
        score = status.state.score[np.array(order, np.int64)]
        right.plot(place, score, linestyle="none", marker=".", markersize=3, color=INK)
        right.set_xlabel("items, highest score first")
        right.set_ylabel("score and interval")

    most = max(int(counts.max()), 1)
    bins = list(zip(counts.tolist(), edges[:-1], edges[1:]))
    bars = (
        f"{low:5.2f} to {high:5.2f}  {'#' * round(WIDTH * c / most)}{' ' if c else ''}{c}"
        for c, low, high in bins
    )
    said = "; ".join(f"{c} items from {low:.2f} to {high:.2f}" for c, low, high in bins)
    return Figure(
        "Scores: histogram, and every item with its interval",
        said,
        (9.0, 3.4),
        draw,
        panels=True,
        title="Scores",
        elsewhere=(Heading("Scores"), Code("\n".join(bars))),
    )
