"""Pictures of intervals and rank sets: what is drawn, and what the captions state."""

from __future__ import annotations

import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.fit.shown.comparisons_plot import plot_contrasts, plot_ranks
from tests.fit.many.cases import counterexample, d24_fit, separated

matplotlib_figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")


@pytest.fixture
def ax():
    return matplotlib_figure.Figure(figsize=(7.0, 5.0)).subplots()


def test_every_difference_has_its_interval_and_the_caption_says_what_they_are(ax):
    found = d24_fit().contrasts()
    plot_contrasts(found, ax)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == list(reversed(found.what))
    intervals = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2][:15]
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert intervals[0] == pytest.approx([found.low[-1], found.high[-1]])
    caption = " ".join(ax.get_xlabel().split())
    assert (
        "all pairs" in caption
        and "Simultaneous 95 % intervals" in caption
        and "CR2 by judge (24 clusters)" in caption
    )


def test_holms_intervals_are_called_separate(ax):
    plot_contrasts(d24_fit().contrasts("against one", "F", "holm"), ax)
    assert "all against F" in ax.get_xlabel() and "Separate 95 % intervals" in " ".join(
        ax.get_xlabel().split()
    )


def test_limits_at_infinity_are_arrows(ax):
    plot_contrasts(pairproof.fit_bradley_terry(separated()).contrasts("against the best"), ax)
    assert sum(line.get_marker() in ("<", ">") for line in ax.lines) == 3  # A above, B and C below
    assert "an arrow: no limit" in " ".join(ax.get_xlabel().split())


def test_rank_sets_are_bars_with_their_letters_at_the_right(ax):
    found = pairproof.fit_bradley_terry(counterexample(), ties="none").ranks()
    plot_ranks(found, ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == list("ABCD")
    ends = [(bar.get_x() + 0.3, bar.get_x() + bar.get_width() - 0.3) for bar in ax.patches]
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert [end for pair in ends for end in pair] == pytest.approx([1, 2, 1, 3, 2, 3, 4, 4])
    assert [text.get_text() for text in ax.texts] == ["a", "a", "b", "b", "c"]
    caption = " ".join(ax.get_xlabel().split())
    assert "95 % confidence sets, all together" in caption and "model-based" in caption


def test_an_item_without_a_rank_has_a_bar_and_no_point(ax):
    plot_ranks(pairproof.fit_bradley_terry(separated()).ranks(), ax)
    assert len(ax.patches) == 3 and len(ax.lines) == 2


def test_what_is_no_axes_and_what_fits_no_page_is_refused():
    with pytest.raises(InputError, match="ax is a str; expected matplotlib Axes"):
        plot_ranks(d24_fit().ranks(), "here")
    n = 152
    table = pairproof.Comparisons.build(
        [f"i{k}" for k in range(n)], range(n - 1), range(1, n), [3] * (n - 1), None, [2] * (n - 1)
    )
    found = pairproof.fit_bradley_terry(table).contrasts("against one", "i0", "none")
    with pytest.raises(InputError, match=r"151 differences do not fit in one picture \(limit 150\)"):
        plot_contrasts(found)
