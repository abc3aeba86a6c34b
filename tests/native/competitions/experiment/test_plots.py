"""Pictures of competitions as they come out: every word inside the figure, no two labels on each other,
nothing shrunk to a stamp.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pairproof.native.competitions.experiment.competition_plots import (
    LONGEST,
    plot_abilities,
    plot_learning_curves,
    plot_preferences,
    plot_trial_abilities,
    size_of_abilities,
    size_of_heat_map,
    size_of_learning_curves,
)
from pairproof.native.competitions.experiment.curve_summaries import Result
from pairproof.native.competitions.experiment.preference_models import PreferenceModel
from pairproof.native.competitions.irt.posterior import Posterior

SYSTEMS = {
    "two short names": ["a", "b"],
    "two long names": [
        "University of Somewhere, constrained system, primary run",
        "Another $very$ long name of a system, unconstrained",
    ],
    "two names of capitals": ["W" * 30, "M" * 40],
    "three names": [
        "University-of-Somewhere-constrained-primary",
        "Another-system-unconstrained-contrastive",
        "short",
    ],
    "two that only the middle tells apart": ["a" * 30 + "1" + "b" * 30, "a" * 30 + "2" + "b" * 30],
    "Chinese names": ["\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 12, "\N{CJK UNIFIED IDEOGRAPH-6587}" * 20],
    "thirty names": [f"system-{k}-constrained" for k in range(30)],
}


def figure(size):
    made = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(made)
    return made


def looked_at(made):
    """The figure's axes, once every text was found inside it and no two labels of one axis on each other."""
    made.canvas.draw()
    renderer, page = made.canvas.get_renderer(), made.bbox
    for ax in made.axes:
        along = [
            [
                label.get_window_extent(renderer)
                for label, at in zip(axis.get_ticklabels(), axis.get_ticklocs())
                if label.get_text() and min(axis.get_view_interval()) <= at <= max(axis.get_view_interval())
            ]
            for axis in (ax.xaxis, ax.yaxis)
        ]
        legend = ax.get_legend()
        lines = [text.get_window_extent(renderer) for text in legend.get_texts()] if legend else []
        for box in (
            *itertools.chain(*along),
            *lines,
            *(
                axis.label.get_window_extent(renderer)
                for axis in (ax.xaxis, ax.yaxis)
                if axis.label.get_text()
            ),
        ):
            assert (
                page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
            ), f"{box} runs out of {page}"
        for boxes in (*along, lines):
            for one, other in itertools.combinations(boxes, 2):
                assert not one.overlaps(other), f"{one} lies on {other}"
    return made.axes


def inches(made, ax):
    box = ax.get_window_extent()
    return box.width / made.dpi, box.height / made.dpi


NAMES = pytest.mark.parametrize("names", SYSTEMS.values(), ids=SYSTEMS)
#: A machine without a font that has them draws boxes, of the same width.
pytestmark = pytest.mark.filterwarnings("ignore:Glyph .* missing from")


@NAMES
def test_a_heat_map_has_room_for_its_names_and_at_least_an_inch_and_a_half_for_itself(names):
    n = len(names)
    model = PreferenceModel("irt-gaussian", tuple(names), np.full((n + 1, n + 1, 3), 1 / 3), 10.0, (), None)
    made = figure(size_of_heat_map(names))
    plot_preferences(model, made.subplots())
    ax, bar = looked_at(made)
    width, height = inches(made, ax)
    assert width == pytest.approx(height, rel=0.01) and width >= max(
        1.5, 0.3 * n
    ), f"the map is {width:.2f} inches wide"
    assert inches(made, bar)[1] < 1.2 * height  # observed: at most 1.12


@NAMES
def test_abilities_have_room_for_the_names_and_three_and_a_half_inches_for_the_intervals(names):
    draws = np.random.default_rng(1).normal(size=(2, 50, len(names))) + np.arange(len(names))
    made = figure(size_of_abilities(names))
    ax = made.subplots()
    plot_abilities(Posterior(tuple(names), draws, "ability", "gibbs", 0, 0, {}, ()), ax)
    looked_at(made)
    assert inches(made, ax)[0] >= 3.5 and inches(made, ax)[1] >= 0.22 * len(names)


@NAMES
def test_abilities_over_trials_are_numbered_before_the_name_and_fit(names):
    n = len(names)
    found = SimpleNamespace(
        items=tuple(names),
        ranking=tuple(names),
        mean=np.arange(n, 0, -1.0),
        sd=np.full(n, 0.3),
        trials=np.zeros((5, n)),
        n_train=1600,
    )
    made = figure(size_of_abilities([f"00. {name}" for name in names]))
    ax = made.subplots()
    plot_trial_abilities(found, ax)
    looked_at(made)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0].startswith("1. ") and labels[-1].startswith(f"{n}. ") and inches(made, ax)[0] >= 3.5


def results(models, sizes, infinite=()):
    return [
        Result(
            **{
                name: value
                for name, value in {
                    "track": "t",
                    "model": model,
                    "train_size": size,
                    "trial": trial,
                    "perplexity": float("inf") if model in infinite else 3 - 0.01 * k + 0.01 * trial,
                    "n_train": size,
                    "test_size": 80,
                    "seed": 0,
                    "unseen": (),
                    "impossible": int(model in infinite),
                    "notes": (),
                }.items()
                if name in Result.__dataclass_fields__
            }
        )
        for k, model in enumerate(models)
        for size in sizes
        for trial in (1, 2)
    ]


@pytest.mark.parametrize(
    ("models", "sizes", "infinite"),
    [
        (["pairs"], [50], ()),
        (
            [f"students-geometric, trained on the crowd {k}" for k in range(40)],
            [100, 200, 400, 800, 1600, 3200],
            (),
        ),
        (
            ["a model with a name that is much longer than the forty characters there are", "pairs"],
            range(1000, 4000, 150),
            (),
        ),
        (["davidson", "pairs"], [100, 200, 400, 800, 1600], ["davidson"]),
    ],
)
def test_learning_curves_have_five_inches_beside_their_legend(models, sizes, infinite):
    rows = results(models, sizes, infinite)
    made = figure(size_of_learning_curves(rows))
    ax = made.subplots()
    plot_learning_curves(rows, ax)
    looked_at(made)
    assert inches(made, ax)[0] >= 5 and inches(made, ax)[1] >= 3.5
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(said) == len(models) and all(len(text) <= LONGEST for text in said if "infinite" not in text)
    assert [text for text in said if "infinite" in text] == [
        f"{model} (infinite at 100, 200, 400 and 2 more sizes)" for model in infinite
    ]


def test_long_names_are_shortened_in_the_middle_unless_two_would_look_the_same():
    def drawn(names):
        made = figure(size_of_abilities(names))
        ax = made.subplots()
        plot_abilities(
            Posterior(tuple(names), np.arange(8.0).reshape(1, 4, 2), "ability", "gibbs", 0, 0, {}, ()), ax
        )
        return sorted(label.get_text() for label in ax.get_yticklabels())

    long, same = "a" * 30 + "b" * 30, ["a" * 30 + "1" + "b" * 30, "a" * 30 + "2" + "b" * 30]
    assert drawn([long, "z"]) == ["a" * 20 + "…" + "b" * 19, "z"]
    assert drawn(same) == same
