"""Seeds and numbers of draws: what is no integer or too small is an error of the input, said with the
value.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from pairproof.campaign import create, open_batch, take_over
from pairproof.campaign.hits import batch as batches
from pairproof.cli import main
from pairproof.cli.app import COMMANDS
from pairproof.data.options import whole_number
from pairproof.errors import InputError
from pairproof.native.annotation.simulated.simulated_panel import Panel, mean_agreement, sd_for_agreement
from pairproof.native.annotation.simulated.simulation import Experiment
from pairproof.native.competitions.experiment.held_out import split_at_random
from pairproof.native.competitions.experiment.preference_models import (
    MODELS,
    PreferenceOptions,
    fit_preference_model,
)
from pairproof.native.competitions.irt.categorical_irt import fit_irt_categorical
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian
from pairproof.native.competitions.ranking.ranking_rules import all_rankings, monte_carlo_playoffs
from tests.native.translation import random_table

TRUTH = np.linspace(0.1, 0.9, 12)


@pytest.fixture(scope="module")
def table():
    return random_table(1, n=60, n_systems=3)


def items(folder, columns="id,sent", row="i{k},s"):
    path = folder / "items.csv"
    path.write_text("\n".join([columns, *(row.format(k=k) for k in range(12))]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "value", [-1, 1.5, 2.0, True, "3", None, np.float64(2), float("nan"), np.int64(-2), [1]]
)
def test_what_is_no_integer_of_0_or_more_is_refused_with_the_value(value):
    with pytest.raises(InputError, match="seed=.*; expected an integer of 0 or more") as error:
        whole_number("seed", value)
    assert repr(value) in str(error.value)


def test_any_integer_is_taken_as_an_int():
    assert [whole_number("seed", v) for v in (0, 7, np.int64(7), np.uint8(7), 10**30)] == [
        0,
        7,
        7,
        7,
        10**30,
    ]
    assert all(type(whole_number("draws", v, 1)) is int for v in (1, np.int32(1)))


@pytest.mark.parametrize(
    "option",
    [
        {"seed": -1},
        {"seed": 0.5},
        {"draws": 2.5},
        {"draws": 0},
        {"chains": 1.0},
        {"warmup": -1},
        {"workers": 0},
    ],
)
@pytest.mark.parametrize("fit", [fit_irt_gaussian, fit_irt_categorical])
def test_a_sampler_refuses_a_run_that_cannot_be(table, fit, option):
    ((name, value),) = option.items()
    with pytest.raises(InputError, match=f"^{name}={value}; expected an integer"):
        fit(table, **option)


def test_a_sampler_takes_numpys_integers(table):
    asked = {"chains": 2, "warmup": 5, "draws": 10, "seed": 3}
    runs = [
        fit_irt_gaussian(table, **options, warn=False).draws
        for options in (asked, {name: np.int64(v) for name, v in asked.items()})
    ]
    assert np.array_equal(*runs)


@pytest.mark.parametrize("model", MODELS)
def test_every_preference_model_refuses_a_negative_seed_also_those_that_draw_nothing(table, model):
    with pytest.raises(InputError, match="seed=-1"):
        fit_preference_model(table, model, seed=-1)


@pytest.mark.parametrize("option", [{"draws": 2.5}, {"draws": 0}, {"chains": 0}, {"warmup": -1}])
def test_the_options_of_an_experiment_are_refused_before_it_starts(option):
    ((name, value),) = option.items()
    with pytest.raises(InputError, match=f"^{name}={value}; expected an integer"):
        PreferenceOptions(**option)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda t, seed: monte_carlo_playoffs(t, 10, seed), "seed="),
        (lambda t, seed: all_rankings(t, seed), "seed="),
        (lambda t, seed: split_at_random(t, 10, seed), "seed="),
        (lambda _, seed: mean_agreement(TRUTH, Panel.alike(0.1), seed), "seed="),
        (lambda _, seed: sd_for_agreement(TRUTH, 0.5, Panel.alike(0.1), seed=seed), "seed="),
        (lambda _, seed: Experiment(TRUTH, Panel.alike(0.1), seed=seed), "seed="),
        (lambda t, _: monte_carlo_playoffs(t, 2.5), "tournaments=2.5"),
        (lambda *_: Experiment(TRUTH, Panel.alike(0.1), replicates=2.5), "replicates=2.5"),
        (lambda *_: Experiment(TRUTH, Panel.alike(0.1), budget=0), "budget=0"),
        (lambda *_: Experiment(TRUTH, Panel.alike(0.1), per_hit=2.5), "per_hit=2.5"),
    ],
)
@pytest.mark.parametrize("seed", [-1, 1.5])
def test_whatever_draws_refuses_a_seed_or_a_number_that_cannot_be(table, call, said, seed):
    with pytest.raises(InputError, match=said):
        call(table, seed)


def test_a_campaign_refuses_a_negative_seed_before_anything_is_written(tmp_path):
    for make in (
        lambda path: create(path, items(tmp_path), seed=-1),
        lambda path: take_over(
            path, items(tmp_path, "id,sent,alpha,beta,mode,var", "i{k},s,1,1,0.5,0.08333"), seed=-1
        ),
    ):
        with pytest.raises(InputError, match="seed=-1"):
            make(tmp_path / "c.db")
    assert not (tmp_path / "c.db").exists()
    create(tmp_path / "c.db", items(tmp_path), seed=1)
    with pytest.raises(InputError, match="seed=-1"):
        open_batch(tmp_path / "c.db", tmp_path / "b.csv", seed=-1)
    assert (
        not (tmp_path / "b.csv").exists() and open_batch(tmp_path / "c.db", tmp_path / "b.csv").number == 1
    )  # no batch was kept


def test_a_campaign_with_a_negative_seed_of_an_older_version_says_so(tmp_path, monkeypatch):
    create(tmp_path / "c.db", items(tmp_path), seed=1)
    about = batches.stored.about
    monkeypatch.setattr(
        batches.stored,
        "about",
        lambda store: type(a := about(store))(
            *(-1 if name == "seed" else value for name, value in vars(a).items())
        ),
    )
    with pytest.raises(InputError, match="seed=-1"):
        open_batch(tmp_path / "c.db", tmp_path / "b.csv")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("easl", "claims")])
@pytest.mark.parametrize("seed", ["-1", "1.5"])
def test_every_command_refuses_a_seed_that_is_no_integer_of_0_or_more(capsys, command, seed):
    assert main([command, "nothing.csv", "--seed", seed]) == 3
    out, err = capsys.readouterr()
    assert (
        out == ""
        and f"Invalid value for '--seed': {'-1 is not in the range x>=0' if seed == '-1' else repr('1.5')}"
        in err
    )


def test_seed_0_is_a_seed(capsys, tmp_path):
    made = []
    for k in range(2):
        assert (
            main(["easl", "init", str(tmp_path / f"{k}.db"), str(items(tmp_path)), "--seed", "0", "--json"])
            == 0
        )
        made.append(json.loads(capsys.readouterr().out)["seed"])
    assert made == [0, 0]
