"""Plots of translation competitions: learning curves, abilities with intervals, and a heat map of preferences
(Hopkins and May 2013, figures 2-4, 6).

For axes of your own, `size_of_learning_curves`, `size_of_abilities` and `size_of_heat_map` say how large the
figure must be for every name to fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import numpy as np

from ....errors import InputError
from ....fit.shown.fit_plots import COLOURS, MARKERS, axes, check_axes

if TYPE_CHECKING:
    from ..irt.posterior import Posterior
    from .curve_summaries import Mean, Result
    from .learning_curves import TrialAbilities
    from .preference_models import PreferenceModel


#: With the eight colours these, and marks that go on with each, tell 32 curves apart.
_LINES = ("-", "--", ":", "-.")
#: Inches of a character of matplotlib's own font at 10 points: most are less than 0.63 of its height wide,
#: capitals 0.79, these and East Asian ones 1.
_CHARACTER, _CAPITAL, _WIDE, _WIDEST = 0.088, 0.11, 0.139, "MWmw%@…"
#: Of a legend's letters, as a part of 10 points.
_SMALL = 0.833
#: Longer names are shortened in the middle.
LONGEST = 40
#: Inches of a system: a row of abilities, a square of a heat map; and the least map that still reads as one.
_ROW, _SQUARE, _LEAST_MAP = 0.28, 0.35, 2.0
#: Letters of one system beside its row; longer ones are cut.
_MOST_LETTERS = 20

Size = tuple[float, float]


def size_of_learning_curves(results: Sequence[Result]) -> Size:
    """Width and height in inches of a figure of learning curves: 6.4 inches for the curves, and room for the
    legend."""
    labels = _legend(_points(results, 0.95))
    widest = max(map(_width, labels.values()), default=0.0)
    return 6.4 + 0.7 + _SMALL * widest, max(4.5, 0.9 + 0.185 * len(labels))


def size_of_abilities(items: Sequence[str]) -> Size:
    """Width and height in inches of a figure of abilities: room for the longest name and letters, one row per
    system."""
    return 5.8 + _longest(items), 1.35 + _ROW * max(len(items), 2)


def size_of_heat_map(items: Sequence[str]) -> Size:
    """Width and height in inches of a figure of who beats whom: a square a system, room for the longest name
    on both sides, and the colour bar."""
    side, names = max(_LEAST_MAP, _SQUARE * len(items)), _longest(items)
    # The bar is a twentieth as wide as it is high, and as far from the map.
    return 1.1 * side + names + 1.4, side + names + 0.8


def _longest(names: Sequence[str]) -> float:
    """Inches of the longest label."""
    return max(map(_width, _shortened(names)), default=0.0)


def _width(text: str) -> float:
    """Inches of a text at 10 points, estimated from above."""
    return sum(
        _WIDE if c in _WIDEST or east_asian_width(c) in "WF" else _CAPITAL if c.isupper() else _CHARACTER
        for c in text
    )


def _shortened(names: Sequence[str]) -> list[str]:
    """Names of at most 40 characters, the middle of longer ones left out, unless two would look the same."""
    kept = LONGEST - 1
    short = [
        name if len(name) <= LONGEST else f"{name[:kept - kept // 2]}…{name[-(kept // 2):]}" for name in names
    ]
    return short if len(set(short)) == len(set(names)) else list(names)


def plot_learning_curves(results: Sequence[Result], ax: Any = None, *, level: float = 0.95) -> Any:
    """Plot learning curves: the mean perplexity of each model by number of training comparisons.
    The intervals are t intervals over the trials; wide ones are cut off at the frame.  Returns matplotlib
    Axes: a point whose mean is infinite is left out, and its model's legend says so."""
    if not results:
        raise InputError("there is no result to draw")
    points = _points(results, level)
    check_axes(ax)
    ax = axes(ax, size_of_learning_curves(results))
    for k, (model, label) in enumerate(_legend(points).items()):
        drawn = [p for p in points if p.model == model and np.isfinite(p.mean)]
        x, y = [p.train_size for p in drawn], [p.mean for p in drawn]
        half = [p.high - p.mean if np.isfinite(p.high) else 0.0 for p in drawn]
        # The second curve of a colour has another mark and other dashes.
        mark = MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]
        own: dict[str, Any] = {"marker": mark, "markersize": 3.5, "capsize": 2, "linewidth": 1.3}
        own |= {"color": COLOURS[k % len(COLOURS)], "linestyle": _LINES[k // len(COLOURS) % len(_LINES)]}
        ax.errorbar(x, y, yerr=half if any(half) else None, label=_plain(label), **own)
    sizes = sorted({p.train_size for p in points})
    ax.set_xscale("log")
    ax.set_xticks(sizes, [str(s) for s in sizes], rotation=90 if _crowded(sizes) else 0)
    ax.minorticks_off()
    ax.set_xlabel("training comparisons")
    ax.set_ylabel("perplexity of the test comparisons")
    ax.grid(linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    values = [p.mean for p in points if np.isfinite(p.mean)]
    if values:
        # With two trials an interval can be a hundred times as wide as the distance between the curves.
        margin = 0.25 * (max(values) - min(values)) or 0.05
        ax.set_ylim(min(values) - margin, max(values) + margin)
    return ax


def _points(results: Sequence[Result], level: float) -> list[Mean]:
    from .curve_summaries import means

    return means(results, level)


def _legend(points: Sequence[Mean]) -> dict[str, str]:
    """The legend's label of each model: its name, and the sizes at which its mean is infinite."""
    models = list(dict.fromkeys(p.model for p in points))
    labels = dict(zip(models, _shortened(models)))
    for model in models:
        lost = [str(p.train_size) for p in points if p.model == model and not np.isfinite(p.mean)]
        more = f" and {len(lost) - 3} more sizes" if len(lost) > 3 else ""
        labels[model] += f" (infinite at {', '.join(lost[:3])}{more})" if lost else ""
    return labels


def _crowded(sizes: Sequence[int]) -> bool:
    """Whether neighbouring tick labels would touch on a logarithmic axis of 5.5 inches."""
    steps = [(np.log(b / a), len(f"{a}{b}") / 2 + 1) for a, b in zip(sizes, sizes[1:])]
    whole = np.log(sizes[-1] / sizes[0])
    return any(5.5 * gap / whole < _CHARACTER * characters for gap, characters in steps)


def plot_abilities(posterior: Posterior, ax: Any = None, *, level: float = 0.95) -> Any:
    """Plot systems by posterior mean, best on top, with equal-tailed intervals, and letters at the right.
    Two systems that share a letter cannot be distinguished: their order is not among those that hold
    together with probability `level`."""
    n = len(posterior.items)
    check_axes(ax)
    ax = axes(ax, size_of_abilities(posterior.items))
    order = [posterior.items.index(name) for name in reversed(posterior.ranking)]
    mean, interval = posterior.mean[order], posterior.interval(level)[order]
    bars = [mean - interval[:, 0], interval[:, 1] - mean]
    centred = ", mean of all 0" if posterior.centre else ""
    told = f"{posterior.what}{centred}, with {100 * level:g} % intervals\nsystems that share a letter cannot be distinguished"
    _draw_intervals(ax, _labels([posterior.items[k] for k in order]), mean, bars, told)
    ax.set_ylim(-0.6, n - 0.4)
    marks = posterior.letters(level)
    for y, k in enumerate(order):
        shown = marks[k] if len(marks[k]) <= _MOST_LETTERS else f"{marks[k][: _MOST_LETTERS - 1]}…"
        how = {"va": "center", "fontsize": "small", "family": "monospace"}
        ax.text(1.02, y, shown, transform=ax.get_yaxis_transform(), **how)
    return ax


def _draw_intervals(ax: Any, labels: Sequence[str], mean: Any, half_widths: Any, xlabel: str) -> None:
    """A row a system: a point at its mean, with an error bar."""
    y = np.arange(len(labels))
    bars = {"fmt": "o", "markersize": 4, "capsize": 2, "linewidth": 1.2, "color": COLOURS[0]}
    ax.errorbar(mean, y, xerr=half_widths, **bars)
    ax.set_yticks(y, labels)
    ax.set_xlabel(xlabel)
    ax.grid(axis="x", linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)


def plot_trial_abilities(abilities: TrialAbilities, ax: Any = None) -> Any:
    """Plot the systems' mean abilities over the trials, numbered, best on top.
    Error bars are one standard deviation over the trials.  abilities: a system that no trial has is left out,
    and the axis says how many."""
    ranking = [abilities.items.index(name) for name in abilities.ranking]
    order = [k for k in ranking if np.isfinite(abilities.mean[k])]
    check_axes(ax)
    ax = axes(ax, size_of_abilities([f"00. {name}" for name in abilities.items]))
    names = _labels([abilities.items[k] for k in order])
    left_out = len(abilities.items) - len(order)
    less = f" ({left_out} without a comparison left out)" if left_out else ""
    trials = f"{len(abilities.trials)} trials of {abilities.n_train} comparisons{less}"
    told = f"ability, mean of all 0, with one sd over\n{trials}"
    numbered = [f"{place}. {name}" for place, name in enumerate(names, 1)]
    _draw_intervals(ax, numbered, abilities.mean[order], np.nan_to_num(abilities.sd[order]), told)
    ax.set_ylim(len(order) - 0.4, -0.6)
    return ax


def plot_preferences(model: PreferenceModel, ax: Any = None, *, order: Sequence[str] | None = None) -> Any:
    """Plot a heat map of P(row preferred) - P(column preferred).
    order: the systems from top to bottom; default: by mean advantage, best first."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    advantage = model.advantage()
    by_mean = np.argsort(-advantage.mean(axis=1), kind="stable")
    names = [model.items[k] for k in by_mean] if order is None else list(order)
    if sorted(names) != sorted(model.items):
        raise InputError(f"order {names}; expected each of {', '.join(model.items)} once")
    check_axes(ax)
    ax = axes(ax, size_of_heat_map(names))
    place = [model.items.index(name) for name in names]
    how: dict[str, Any] = {"cmap": "RdBu", "vmin": -1.0, "vmax": 1.0, "interpolation": "nearest"}
    picture = ax.imshow(advantage[np.ix_(place, place)], **how)
    labels = _labels(names)
    ax.set_xticks(range(len(names)), labels, rotation=90)
    ax.set_yticks(range(len(names)), labels)
    ax.set_xlabel("against")
    # matplotlib's own ticks change with the bar's height, after the layout has made room for the old ones.
    said = "P(preferred)\n- P(other preferred)"
    ax.figure.colorbar(picture, ax=ax, ticks=np.linspace(-1.0, 1.0, 5), label=said)
    # The compressed layout keeps the map square; else names are cut, and the bar is longer than the map.
    if isinstance(ax.figure.get_layout_engine(), ConstrainedLayoutEngine):
        ax.figure.set_layout_engine("compressed")
    return ax


def _labels(names: Sequence[str]) -> list[str]:
    return [_plain(name) for name in _shortened(names)]


def _plain(name: str) -> str:
    """A name with its "$" escaped, which would start a formula in matplotlib."""
    return name.replace("$", r"\$")
