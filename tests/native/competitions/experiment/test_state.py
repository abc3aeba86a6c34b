"""The file of an experiment's results: kept through kills, locked while a run works on it, and never taken for
what it is not.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from pairproof.errors import DataWarning, InputError, PairproofError
from pairproof.native.competitions.experiment import (
    learning_curves as run_module,
    learning_curves as state_module,
)
from pairproof.native.competitions.experiment.held_out import split_by_source
from pairproof.native.competitions.experiment.learning_curves import Design, run
from pairproof.native.competitions.experiment.preference_models import PreferenceOptions
from tests.native.translation import random_table

QUICK = PreferenceOptions(chains=1, warmup=10, draws=30)
DESIGN = Design(
    sizes=(20, 60), trials=2, models=("uniform", "pairs", "irt-gaussian", "davidson"), seed=5, options=QUICK
)
SMALL = Design((20,), 1, ("pairs",), 5, QUICK)


@pytest.fixture(scope="module")
def tracks():
    return {name: split_by_source(random_table(seed, n=300), 100) for name, seed in (("x", 1), ("y", 2))}


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state.db"


def sql(path, *statements):
    """All rows of the last statement; what the statements change is committed."""
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            rows = db.execute(statement).fetchall()
    return rows


def kept(path):
    return sql(path, "SELECT count(*) FROM result")[0][0]


# -- results are kept ----------------------------------------------------------------------------------------


def test_an_interrupted_run_goes_on_where_it_was_and_ends_with_the_same_bits(tracks, state):
    whole = run(tracks, DESIGN)

    def stop(done, total, result):
        assert total == len(whole)
        if done == 13:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tracks, DESIGN, state=state, progress=stop)
    assert kept(state) == 13
    seen = []
    assert run(tracks, DESIGN, state=state, progress=lambda done, total, r: seen.append(done)) == whole
    assert seen == list(range(1, len(whole) + 1)) and kept(state) == len(whole)


KILLED_AFTER_FIVE = """
import os, signal, sys
from pathlib import Path
from pairproof.native.competitions.experiment.learning_curves import run
from tests.native.competitions.experiment.test_state import DESIGN, random_table, split_by_source
tracks = {name: split_by_source(random_table(seed, n=300), 100) for name, seed in (("x", 1), ("y", 2))}
run(tracks, DESIGN, state=Path(sys.argv[1]),
    progress=lambda done, total, result: os.kill(os.getpid(), signal.SIGKILL) if done == 5 else None)
"""
#: A transaction of which pages are in the file already (the cache holds one), and no end.
KILLED_WHILE_WRITING = """
import os, signal, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN IMMEDIATE")
for k in range(2000):
    db.execute("INSERT INTO result VALUES ('x', 'm', ?, 1, 2, 1, 1, 0, 0, '[]', x'', x'')", (k,))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_run_that_is_killed_loses_no_result_and_half_a_transaction_is_undone(tracks, state, pytestconfig):
    for script in (KILLED_AFTER_FIVE, KILLED_WHILE_WRITING):
        ended = subprocess.run([sys.executable, "-c", script, str(state)], cwd=pytestconfig.rootpath)
        assert ended.returncode == -9
    assert state.with_name("state.db-journal").exists()
    assert run(tracks, DESIGN, state=state) == run(tracks, DESIGN)
    assert kept(state) == 32 and not state.with_name("state.db-journal").exists()


def test_several_processes_give_the_same_results_in_the_same_order(tracks, tmp_path):
    small = Design((20, 60), 2, ("pairs", "irt-gaussian"), 5, QUICK)
    seen = []
    alone = run(tracks, small, state=tmp_path / "one")
    shared = run(
        tracks,
        small,
        state=tmp_path / "two",
        workers=2,
        progress=lambda done, total, result: seen.append((done, total)),
    )
    assert shared == alone and seen == [(k, 16) for k in range(1, 17)]
    one, two = (sql(tmp_path / name, "SELECT * FROM result") for name in ("one", "two"))
    assert one == two and len(one) == 16
    with pytest.raises(InputError, match="workers=0"):
        run(tracks, small, workers=0)


def test_a_finished_state_is_read_without_fitting_anything(tracks, state, monkeypatch):
    whole = run(tracks, DESIGN, state=state)
    before = state.read_bytes()
    monkeypatch.setattr(run_module, "fit_preference_model", None)
    assert run(tracks, DESIGN, state=state) == whole and state.read_bytes() == before


def test_sizes_trials_and_models_may_be_added_to_an_old_state(tracks, state):
    run(tracks, SMALL, state=state)
    assert run(tracks, DESIGN, state=state) == run(tracks, DESIGN)


def test_an_infinite_perplexity_survives_the_state(tracks, state):
    design = Design((2,), 1, ("adjusted-uniform",), 1, QUICK)
    first = run(tracks, design, state=state)
    assert any(r.perplexity == float("inf") and float("inf") in r.bits and r.impossible > 0 for r in first)
    assert run(tracks, design, state=state) == first


def test_the_results_are_a_table_that_any_reader_of_sqlite_can_ask(tracks, state):
    (result, _) = run(tracks, SMALL, state=state)
    found = sql(
        state, "SELECT perplexity, n_train, test_size FROM result WHERE track = 'x' AND model = 'pairs'"
    )
    assert found == [(result.perplexity, result.n_train, result.test_size)]


# -- one run at a time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [True, False])
def test_a_second_run_on_a_state_is_refused_at_once_and_harms_nothing(tracks, state, old):
    if old:
        run(tracks, SMALL, state=state)
    refused = []

    def second(done, total, result):
        with pytest.raises(InputError, match="another process works on this state") as error:
            run(tracks, SMALL, state=state)
        refused.append(error)

    first = run(tracks, SMALL, state=state, progress=second)
    assert len(refused) == 2 and first == run(tracks, SMALL) == run(tracks, SMALL, state=state)


# -- states of something else, and files that are no state ---------------------------------------------------


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (lambda t: (t, Design(**{**DESIGN.__dict__, "seed": 6})), "seed 5, not 6"),
        (lambda t: (t, Design(**{**DESIGN.__dict__, "options": PreferenceOptions(alpha=2)})), "options"),
        (lambda t: ({"x": t["y"]}, DESIGN), "other data"),
    ],
)
def test_a_state_of_another_experiment_is_refused(tracks, state, other, said):
    run(tracks, SMALL, state=state)
    with pytest.raises(InputError, match=said):
        run(*other(tracks), state=state)


@pytest.mark.parametrize(
    "content", [b"not a state\n", b"not a state", b'{"other": 1}\n', b"SQLite format 3\0..."]
)
def test_a_file_that_is_no_state_is_refused_and_left_alone(tracks, state, content):
    state.write_bytes(content)
    with pytest.raises(InputError, match="no state of|not a state of"):
        run(tracks, DESIGN, state=state)
    assert state.read_bytes() == content and [p.name for p in state.parent.iterdir()] == ["state.db"]


def test_a_state_of_json_lines_is_refused_with_the_way_out(tracks, state):
    state.write_text('{"pairproof": "learning-curve", "format": 2, "seed": 5}\n')
    with pytest.raises(InputError, match="a state in JSON lines.* Name another file"):
        run(tracks, SMALL, state=state)


def test_a_database_of_something_else_is_refused_and_left_alone(tracks, state):
    for statement in ("CREATE TABLE other (x)", "DROP TABLE other"):
        sql(state, statement)
        before = state.read_bytes()
        with pytest.raises(
            InputError, match="an SQLite database, but not a state of a learning-curve experiment"
        ):
            run(tracks, SMALL, state=state)
        assert state.read_bytes() == before


def test_an_empty_file_becomes_a_state_and_a_folder_does_not(tracks, state):
    state.touch()
    run(tracks, SMALL, state=state)
    assert kept(state) == 2
    with pytest.raises(InputError, match="is a directory"):
        run(tracks, SMALL, state=state.parent)
    with pytest.raises(InputError, match="there is no directory"):
        run(tracks, SMALL, state=state.parent / "no" / "state.db")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE result SET notes = 'x'", "the result of x, pairs, 20, 1 cannot be read"),
        ("UPDATE result SET notes = '[\"x\", 1]'", "the result of x, pairs, 20, 1 cannot be read"),
        ("UPDATE result SET bits = x'010203'", "the result of x, pairs, 20, 1 cannot be read"),
        ("UPDATE result SET sizes = NULL", "cannot be read .* remove it: what it held is computed again"),
        (
            "DROP TABLE result",
            "its schema is not the one that pairproof writes: no table 'result'. .*: name another file",
        ),
        ("PRAGMA user_version = 5", "written by a newer pairproof .schema 5; this version supports 4."),
        ("PRAGMA user_version = 3", "schema 3, expected 4; the file is damaged or of an older pairproof"),
    ],
)
def test_a_damaged_state_is_refused_with_the_way_out(tracks, state, damage, said):
    run(tracks, SMALL, state=state)
    sql(state, damage)
    before = state.read_bytes()
    with pytest.raises(InputError, match=said):
        run(tracks, SMALL, state=state)
    assert state.read_bytes() == before


def test_a_state_that_was_cut_off_is_refused(tracks, state):
    run(tracks, SMALL, state=state)
    content = state.read_bytes()
    for size in (100, len(content) // 2):
        state.write_bytes(content[:size])
        with pytest.raises(InputError, match="damaged"):
            run(tracks, SMALL, state=state)


def test_a_full_disk_is_named_and_what_was_kept_before_stays(tracks, state, monkeypatch):
    run(tracks, SMALL, state=state)

    class Full(sqlite3.Connection):
        def execute(self, text, *values):
            if text.startswith("INSERT"):
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(text, *values)

    connect = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(state_module.sqlite3, "connect", lambda *a, **k: connect(*a, factory=Full, **k))
        with pytest.raises(PairproofError, match="the disk is full or failing"):
            run(tracks, DESIGN, state=state)
    assert kept(state) == 2 and run(tracks, DESIGN, state=state) == run(tracks, DESIGN)


def test_results_of_another_numpy_are_gone_on_with_aloud(tracks, state):
    run(tracks, SMALL, state=state)
    sql(state, "UPDATE setting SET value = '\"0.9\"' WHERE name = 'numpy'")
    with pytest.warns(DataWarning, match=f"was begun with numpy 0.9, this is {np.__version__}"):
        run(tracks, SMALL, state=state)
