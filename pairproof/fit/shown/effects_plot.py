"""Caterpillar plot: predicted random effects with their intervals, from the greatest to the least.

The intervals are effect -+ q se, se of the prediction error with sigma taken as known, so that the intervals of effects
with little data are about 2 q sigma wide and no wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ..contrasts import check_level
from ..inference import normal_quantile
from .comparisons_plot import MOST_DRAWN, _axes, _check, _grid, _plain, _wrapped
from .plots import COLOURS

if TYPE_CHECKING:
    import pandas as pd

    from ..contests.mixed import MixedFit


def effects_in_order(fit: MixedFit, level: float = 0.95) -> pd.DataFrame:
    """The predicted effects with limits low and high, the greatest first within each component.

    Returns DataFrame: as :meth:`pairproof.fit.contests.mixed.MixedFit.effects`, with low and high.
    """
    check_level(level)
    frame = fit.effects()
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


def plot_effects(fit: MixedFit, ax: Any = None, *, component: str | None = None, level: float = 0.95) -> Any:
    """Plot the predicted random effects with their intervals, the greatest on top.

    fit: with at most 150 effects of the component.  ax: default: the axes of a new figure, whose height fits
    the number of effects.  component: needed if there are several.
    """
    if not hasattr(fit, "components"):
        raise InputError(f"{getattr(fit, 'title', fit)}: a fit without random effects has none to draw")
    found = fit.component(component)
    frame = effects_in_order(fit, level)
    frame = frame[frame["component"] == found.name]
    _check(ax, len(frame), "effects", "fit.effects() has the numbers")
    ax = _axes(ax, size_of_effects(len(frame)))
    for y, (effect, low, high) in enumerate(zip(frame["effect"], frame["low"], frame["high"])):
        ax.plot([low, high], [y, y], color=COLOURS[0], linewidth=1.3, solid_capstyle="butt")
        ax.plot([effect], [y], "o", color=COLOURS[0], markersize=4.5)
    ax.axvline(0.0, color="0.5", linewidth=0.8)
    ax.set_yticks(range(len(frame)), [_plain(name) for name in labels(frame)])
    ax.set_ylim(len(frame) - 0.3, -0.7)
    ax.set_xlabel(
        _wrapped(
            f"predicted effect, with {100 * level:g} % intervals (sigma = {found.sigma:.4g} taken as known)"
        ),
        fontsize="small",
    )
    _grid(ax)
    return ax
