"""Pictures of translation competitions: learning curves, abilities with intervals, who beats whom (Hopkins and May 2013, figures 2-4, 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError
from .plots import COLOURS

if TYPE_CHECKING:
    from .native.learning_summary import Result
    from .native.posterior import Posterior
    from .native.preference_models import PreferenceModel
    from .native.trial_abilities import TrialAbilities

#: With the eight colours these tell 32 curves apart.
_LINES = ("-", "--", ":", "-.")


def plot_learning_curves(results: Sequence[Result], ax: Any = None, *, level: float = 0.95) -> Any:
    """Mean perplexity by number of training comparisons, a curve a model, with t intervals over the trials (wide ones run out of the picture).

    Parameters
    ----------
    results : sequence of Result
    ax : matplotlib Axes, optional
    level : float
        Of the intervals; none are drawn with one trial.

    Returns
    -------
    matplotlib Axes
        A point whose mean is infinite is left out, and its model's legend says so.

    Raises
    ------
    InputError
        No result.
    """
    from .native.learning_summary import means

    if not results:
        raise InputError("there is no result to draw")
    ax = _axes(ax, (7.0, 4.5))
    points = means(results, level)
    for k, model in enumerate(dict.fromkeys(p.model for p in points)):
        curve = [p for p in points if p.model == model]
        drawn = [p for p in curve if np.isfinite(p.mean)]
        lost = [str(p.train_size) for p in curve if not np.isfinite(p.mean)]
        x, y = [p.train_size for p in drawn], [p.mean for p in drawn]
        half = [p.high - p.mean if np.isfinite(p.high) else 0.0 for p in drawn]
        ax.errorbar(x, y, yerr=half if any(half) else None, color=COLOURS[k % len(COLOURS)], linestyle=_LINES[k // len(COLOURS) % len(_LINES)],
                    marker="o", markersize=3, capsize=2, linewidth=1.3, label=model + (f" (infinite at {', '.join(lost)})" if lost else ""))
    sizes = sorted({p.train_size for p in points})
    ax.set_xscale("log")
    ax.set_xticks(sizes, [str(s) for s in sizes])
    ax.minorticks_off()
    ax.set_xlabel("training comparisons")
    ax.set_ylabel("perplexity of the test comparisons")
    ax.grid(linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _keep_means_in_view(ax, [p.mean for p in points if np.isfinite(p.mean)])
    return ax


def _keep_means_in_view(ax: Any, values: Sequence[float]) -> None:
    """With two trials an interval can be a hundred times as wide as the curves are apart; such a one runs out of the picture."""
    if values:
        margin = 0.25 * (max(values) - min(values)) or 0.05
        ax.set_ylim(min(values) - margin, max(values) + margin)


def plot_abilities(posterior: Posterior, ax: Any = None, *, level: float = 0.95) -> Any:
    """Systems by posterior mean, best on top, with equal-tailed intervals; a line where one stratum ends.

    Parameters
    ----------
    posterior : Posterior
    ax : matplotlib Axes, optional
    level : float
        Of the intervals.

    Returns
    -------
    matplotlib Axes
    """
    n = len(posterior.items)
    ax = _axes(ax, (6.5, 1.0 + 0.28 * n))
    order = [posterior.items.index(name) for name in reversed(posterior.ranking)]
    mean, interval = posterior.mean[order], posterior.interval(level)[order]
    y = np.arange(n)
    ax.errorbar(mean, y, xerr=[mean - interval[:, 0], interval[:, 1] - mean], fmt="o", markersize=4, capsize=2, linewidth=1.2, color=COLOURS[0])
    ax.set_yticks(y, [_plain(posterior.items[k]) for k in order])
    below = n
    for stratum in posterior.strata()[:-1]:
        below -= len(stratum)
        ax.axhline(below - 0.5, color="0.6", linewidth=0.7, linestyle="--")
    ax.set_xlabel(f"{posterior.what}{', mean of all 0' if posterior.centre else ''}, with {100 * level:g} % intervals")
    ax.grid(axis="x", linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)
    return ax


def plot_trial_abilities(abilities: TrialAbilities, ax: Any = None) -> Any:
    """Systems by mean ability over the trials, best on top, numbered; error bars are one standard deviation over the trials.

    Parameters
    ----------
    abilities : TrialAbilities
        A system that no trial has is left out, and the axis says how many.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    order = [abilities.items.index(name) for name in abilities.ranking if np.isfinite(abilities.mean[abilities.items.index(name)])]
    ax = _axes(ax, (6.5, 1.0 + 0.28 * len(order)))
    y = np.arange(len(order))
    ax.errorbar(abilities.mean[order], y, xerr=np.nan_to_num(abilities.sd[order]), fmt="o", markersize=4, capsize=2, linewidth=1.2, color=COLOURS[0])
    ax.set_yticks(y, [f"{_plain(abilities.items[k])}  {place}" for place, k in enumerate(order, 1)])
    ax.invert_yaxis()
    left = len(abilities.items) - len(order)
    ax.set_xlabel(f"ability, mean of all 0, with one sd over {len(abilities.trials)} trials of {abilities.n_train} comparisons"
                  + (f" ({left} without a comparison left out)" if left else ""))
    ax.grid(axis="x", linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)
    return ax


def plot_preferences(model: PreferenceModel, ax: Any = None, *, order: Sequence[str] | None = None) -> Any:
    """Heat map of P(row preferred) - P(column preferred).

    Parameters
    ----------
    model : PreferenceModel
    ax : matplotlib Axes, optional
    order : sequence of str, optional
        Systems from the top; default: by their mean advantage, best first.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        An order that is not one of the model's systems.
    """
    advantage = model.advantage()
    names = list(order) if order is not None else [model.items[k] for k in np.argsort(-advantage.mean(axis=1), kind="stable")]
    if sorted(names) != sorted(model.items):
        raise InputError(f"order {names}; expected each of {', '.join(model.items)} once")
    ax = _axes(ax, (2.2 + 0.36 * len(names), 1.6 + 0.34 * len(names)))
    place = [model.items.index(name) for name in names]
    picture = ax.imshow(advantage[np.ix_(place, place)], cmap="RdBu", vmin=-1.0, vmax=1.0, interpolation="nearest")
    labels = [_plain(name) for name in names]
    ax.set_xticks(range(len(names)), labels, rotation=90)
    ax.set_yticks(range(len(names)), labels)
    ax.set_xlabel("against")
    ax.figure.colorbar(picture, ax=ax, label="P(preferred) - P(other preferred)")
    return ax


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=size, constrained_layout=True)[1]
    if not hasattr(ax, "errorbar"):
        raise InputError(f"ax is a {type(ax).__name__}; expected matplotlib Axes, for example plt.subplots()[1]")
    return ax


def _plain(name: str) -> str:
    """A name as it is: a "$" in it must not start a formula."""
    return name.replace("$", r"\$")
