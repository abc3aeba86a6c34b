"""The rules behind Hopkins and May's statements, on results made by hand: each can agree, be explained, and
fail.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pairproof.errors import InputError
from pairproof.native.competitions.experiment.curve_summaries import Result
from pairproof.native.competitions.experiment.learning_curves import TrialAbilities
from pairproof.native.competitions.experiment.preference_models import PreferenceModel
from pairproof.validation.papers.hopkins_may_2013 import (
    computations as tracks,
    statements_experiment,
    statements_systems as statements_abilities,
)
from pairproof.validation.papers.hopkins_may_2013.statements_experiment import PAPER_MODELS
from pairproof.validation.statements.registers import Context, run_test

SIZES = (100, 800, 3200)
TRACKS = {"x": ["A", "B"], "y": ["C", "D"]}
#: Curves at 100, 800 and 3200 in which the item-response models are best and fastest.
CURVES = {
    "adjusted-uniform": (2.85, 2.84, 2.84),
    "pairs": (2.9, 2.7, 2.6),
    "students-asymmetric": (2.8, 2.7, 2.68),
    "students-arithmetic": (2.7, 2.62, 2.6),
    "students-geometric": (2.7, 2.61, 2.59),
    "irt-gaussian": (2.55, 2.502, 2.5),
    "irt-categorical": (2.6, 2.56, 2.55),
}


def results(curves=CURVES, spread=0.002, uneven=0.0):
    """Five trials on two tracks, 20 groups of test sources; `uneven`: how much of its level a model owes to
    one of them.
    """
    found = []
    for model in PAPER_MODELS:
        for size, level in zip(SIZES, curves[model]):
            for track in TRACKS:
                for trial in range(1, 6):
                    p = level + spread * (trial - 3)
                    bits = np.full(20, 50 * np.log2(p))
                    if model.startswith("irt"):
                        bits += (
                            50 * np.log2(p) * uneven * (np.arange(20) == 0) * 20 - 50 * np.log2(p) * uneven
                        )
                    found.append(
                        Result(track, model, size, trial, p, size, 1000, bits=tuple(bits), sizes=(50.0,) * 20)
                    )
    return tuple(found)


@pytest.fixture()
def ask(monkeypatch):
    """Run a rule on results made by hand, trained on the experts' or on the other judges'."""

    def asked(test, own=None, crowd=None, **args):
        made = {"": own or results(), "crowd": crowd}
        monkeypatch.setattr(
            statements_experiment,
            "_results",
            lambda context, tracks, train="", models=PAPER_MODELS: made[train],
        )
        monkeypatch.setattr(statements_experiment, "_splits", lambda context, tracks, train="": {})
        monkeypatch.setattr(statements_experiment, "results_of", lambda splits, design: made[""])
        return run_test(test, Context(None, None, "", "", 0.05), {"tracks": TRACKS, **args})

    return asked


def changed(**curves):
    return {**CURVES, **{name.replace("_", "-"): values for name, values in curves.items()}}


def test_the_lowest_models_are_those_named_and_told_from_the_next(ask):
    irt = ["irt-gaussian", "irt-categorical"]
    found = ask("lowest-perplexities", models=irt)
    assert (
        found.verdict == "agrees"
        and "irt-categorical is below students-geometric by 0.0400" in found.explanation
        and "in 2 of 2 tracks" in found.explanation
    )
    assert ask("lowest-perplexities", models=["irt-gaussian"]).verdict == "agrees"
    wrong = ask("lowest-perplexities", models=["irt-gaussian", "pairs"])
    assert wrong.verdict == "differs-conclusion" and wrong.explanation.startswith("false: ")
    near = ask("lowest-perplexities", results(changed(irt_categorical=(2.6, 2.6, 2.5899))), models=irt)
    assert near.verdict == "agrees"  # a lead of 0.0001 in every trial and every source
    lucky = ask("lowest-perplexities", results(uneven=0.02), models=irt)
    assert lucky.verdict == "explained" and lucky.explanation.startswith("not-told-apart: ")


@pytest.mark.parametrize("models", [[], list(PAPER_MODELS)])
def test_none_or_all_of_the_models_cannot_be_the_lowest(ask, models):
    with pytest.raises(InputError, match="expected some but not all of"):
        ask("lowest-perplexities", models=models)


def test_converging_most_rapidly_is_nearness_to_the_own_limit_and_else_a_reading(ask):
    among = dict(model="irt-gaussian", among=["irt-categorical", "students-geometric"])
    assert (
        ask("converges-most-rapidly", **among).verdict == "explained"
    )  # categorical is nearer its own limit at 100
    fast = ask("converges-most-rapidly", results(changed(irt_gaussian=(2.51, 2.501, 2.5))), **among)
    assert fast.verdict == "agrees"
    found = ask(
        "converges-most-rapidly", results(changed(students_geometric=(2.7, 2.61, 2.54)), uneven=0.02), **among
    )
    assert (
        found.verdict == "explained"
        and found.explanation.startswith("lowest-throughout: ")
        and "at 3200 not clearly below students-geometric" in found.explanation
    )
    beaten = ask("converges-most-rapidly", results(changed(students_geometric=(2.7, 2.5, 2.59))), **among)
    assert (
        beaten.verdict == "differs-conclusion" and "at 800 students-geometric is lower" in beaten.explanation
    )


def test_nearly_indistinguishable_is_a_distance_and_can_begin_late_or_never(ask):
    four = dict(models=["irt-gaussian", "irt-categorical", "students-arithmetic", "students-geometric"])
    alike = changed(**{m.replace("-", "_"): (2.5, 2.5, 2.5) for m in four["models"]})
    assert ask("nearly-indistinguishable", results(alike), within="0.015", **four).verdict == "agrees"
    late = {**alike, "irt-gaussian": (2.6, 2.51, 2.505)}
    found = ask("nearly-indistinguishable", results(late), within="0.015", **four)
    assert found.verdict == "explained" and "holds from 800 training comparisons on" in found.explanation
    assert ask("nearly-indistinguishable", within="0.015", **four).verdict == "differs-conclusion"
    other = {**alike, "pairs": (2.5, 2.5, 2.495)}
    assert (
        ask("nearly-indistinguishable", results(other), within="0.015", **four).verdict
        == "differs-conclusion"
    )


def test_closeness_to_convergence_looks_both_ways(ask):
    args = dict(models=["irt-gaussian", "students-geometric"], at=800, within="0.01")
    found = ask("close-to-convergence", **args)
    assert found.verdict == "agrees" and "(at 800, 4 % of the distance from 100 remains)" in found.explanation
    for curve in ((2.7, 2.55, 2.5), (2.3, 2.4, 2.5)):
        slow = ask("close-to-convergence", results(changed(irt_gaussian=curve)), **args)
        assert slow.verdict == "differs-conclusion" and "later than 800: irt-gaussian" in slow.explanation


def test_a_considerable_loss_has_a_size_and_is_beyond_the_other_models(ask):
    args = dict(train="crowd", model="students-geometric", more_than="irt-gaussian", at_least="0.05")
    worse = results(changed(students_geometric=(2.9, 2.8, 2.75), irt_gaussian=(2.6, 2.56, 2.55)))
    assert ask("degraded-by-training-on", crowd=worse, **args).verdict == "agrees"
    little = results(changed(students_geometric=(2.7, 2.62, 2.63)))
    assert ask("degraded-by-training-on", crowd=little, **args).verdict == "differs-conclusion"
    both = results(changed(students_geometric=(2.9, 2.8, 2.75), irt_gaussian=(2.7, 2.68, 2.67)))
    assert ask("degraded-by-training-on", crowd=both, **args).verdict == "differs-conclusion"


def test_coming_close_is_a_distance(ask):
    args = dict(train="crowd", model="irt-gaussian", within="0.02")
    for last, verdict in ((2.6, "agrees"), (2.62, "differs-conclusion")):
        crowd = results(changed(irt_gaussian=(2.7, 2.65, last)))
        assert (
            ask("nearly-as-good-trained-on", crowd=crowd, other="students-geometric", **args).verdict
            == verdict
        )


@pytest.mark.parametrize("test", ["lowest-perplexities", "nearly-indistinguishable", "close-to-convergence"])
def test_a_model_that_the_paper_has_not_is_refused(ask, test):
    more = {
        "nearly-indistinguishable": dict(within="0.1"),
        "close-to-convergence": dict(within="0.1", at=800),
    }.get(test, {})
    with pytest.raises(InputError, match="davidson"):
        ask(test, models=["davidson"], **more)


# -- abilities -----------------------------------------------------------------------------------------------


def abilities(means, p=None, names="rabcd"):
    n = len(names)
    trials = np.array([means, means], float)
    better = np.full((n, n), 0.5) if p is None else np.array(p)
    return TrialAbilities(
        tuple(names),
        1600,
        1600,
        trials,
        better,
        PreferenceModel("irt-gaussian", tuple(names), np.full((n + 1, n + 1, 3), 1 / 3), 1600.0),
    )


def without_data(monkeypatch):
    """Let a rule find its track where no rankings are."""
    rankings = type("Rankings", (), {"n_comparisons": 9000.0})()
    monkeypatch.setattr(tracks, "read_tracks", lambda table, named: dict.fromkeys(named, rankings))
    monkeypatch.setattr(statements_abilities, "paper_splits", lambda tables: dict.fromkeys(tables))


@pytest.fixture()
def bands(monkeypatch):
    """Run the rule on abilities by seed: the paper's draw first, then the others."""

    def asked(own, others):
        without_data(monkeypatch)
        monkeypatch.setattr(
            statements_abilities,
            "abilities_of",
            lambda split, track, size, seed=0: own if seed == 0 else others[(seed - 1) % len(others)],
        )
        return run_test(
            "ability-bands",
            Context(None, None, "wmt", "", 0.05, lambda name: pd.DataFrame()),
            {"tracks": TRACKS, "track": "x", "size": 1600, "bands": [1, 2, 1, 1], "first": "r", "draws": 4},
        )

    return asked


def test_bands_come_out_here_or_with_other_training_sets_or_never(bands):
    good, other = abilities([2, 0.2, 0.1, -0.4, -0.9]), abilities([2, 0.2, -0.3, -0.4, -0.9])
    assert bands(good, [good]).verdict == "agrees"
    found = bands(other, [good, other])
    assert (
        found.verdict == "explained"
        and "of 4 other draws of five training sets, 2 have these bands, 4 have r on top, 4 have the same systems"
        in found.explanation
    )
    assert bands(other, [other]).verdict == "differs-conclusion"
    low = abilities([0.15, 0.2, 0.1, -0.4, -0.9])
    assert bands(low, [low]).verdict == "differs-conclusion"


@pytest.mark.parametrize(
    ("part", "whole", "verdict"),
    [
        (0.8, 0.9, "agrees"),
        (0.8, 0.99, "explained"),
        (0.97, 0.99, "differs-conclusion"),
        (0.03, 0.5, "differs-conclusion"),
    ],
)
def test_an_order_is_arbitrary_while_its_probability_is_open(monkeypatch, part, whole, verdict):
    class Whole:
        items = tuple("rabcd")
        p_better = np.full((5, 5), whole)

    p = np.full((5, 5), part)
    without_data(monkeypatch)
    monkeypatch.setattr(
        statements_abilities,
        "abilities_of",
        lambda split, track, size, seed=0: abilities([2, 0.2, 0.1, -0.4, -0.9], p),
    )
    monkeypatch.setattr(statements_abilities, "fit_irt_gaussian", lambda table, **options: Whole())
    context = Context(None, None, "wmt", "", 0.05, lambda name: pd.DataFrame())
    found = run_test(
        "any-order-arbitrary", context, {"tracks": TRACKS, "track": "x", "size": 1600, "systems": ["a", "b"]}
    )
    assert found.verdict == verdict and "from all 9,000" in found.explanation
    with pytest.raises(InputError, match="'z'"):
        run_test(
            "any-order-arbitrary",
            context,
            {"tracks": TRACKS, "track": "x", "size": 1600, "systems": ["a", "z"]},
        )
    with pytest.raises(InputError, match="'w'"):
        run_test(
            "any-order-arbitrary",
            context,
            {"tracks": TRACKS, "track": "w", "size": 1600, "systems": ["a", "b"]},
        )
