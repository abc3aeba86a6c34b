"""The caterpillar plot draws every predicted effect with its interval."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import InputError
from pairproof.fit.shown.comparisons_plot import effects_in_order, labels, plot_effects

matplotlib_figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")
FIRST, SECOND = np.triu_indices(3, 1)
TABLE = pairproof.Comparisons.build(
    ["A", "$B$", "C" * 60],
    [*FIRST, *FIRST],
    [*SECOND, *SECOND],
    [9, 5, 3, 1, 8, 5],
    None,
    [3, 5, 7, 7, 2, 5],
    columns={"judge": Factor(np.repeat([0, 1], 3), ("1", "2"))},
)


@pytest.fixture
def ax():
    return matplotlib_figure.Figure(figsize=(7.0, 5.0)).subplots()


def test_effects_stand_from_the_greatest_to_the_least_with_their_intervals(ax):
    fit = pairproof.fit_bradley_terry(TABLE, random="item:judge", method="laplace")
    plot_effects(fit, ax)
    frame = effects_in_order(fit)
    assert (np.diff(frame["effect"]) <= 0).all() and len(frame) == 6
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert len(names) == 6 and max(map(len, names)) <= 42 and any(r"\$B\$, judge" in n for n in names)
    low, high = ax.lines[0].get_xdata()
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert (low + high) / 2 == pytest.approx(frame["effect"][0])
    assert [name.split(", judge ")[0] for name in labels(frame)] == frame["item"].tolist()


def test_what_cannot_be_drawn_is_refused(ax):
    with pytest.raises(InputError, match="has no random effects to draw"):
        plot_effects(pairproof.fit_bradley_terry(TABLE), ax)
    fit = pairproof.fit_bradley_terry(TABLE, random="item:judge", method="laplace")
    with pytest.raises(InputError, match="component='judge'"):
        plot_effects(fit, ax, component="judge")
