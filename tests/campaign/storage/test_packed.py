"""The state in one piece is what the rows say, or is not there."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from pairproof.campaign import status, take_back, take_in
from pairproof.campaign.storage.records import is_packed, packed, roles_of, state_of
from pairproof.campaign.storage.store import opened
from pairproof.native.annotation.methods import METHODS
from tests.campaign.helpers import answers, batch_rows, campaign, run_batches, write


def from_rows(path, method):
    """The state read row by row, and the state in one piece."""
    with opened(path, write=False) as store:
        state, _ = packed(store)
        rows = store.db.execute("SELECT a, b, n FROM item ORDER BY position").fetchall()
        assert is_packed(store) is (state is not None)
    a, b, n = (np.array(column, float) for column in zip(*rows))
    return (a, b, n), state


@pytest.mark.parametrize("method", METHODS)
def test_after_every_change_the_arrays_are_what_the_rows_say_to_the_last_bit(tmp_path, method):
    path = campaign(tmp_path, 12, method=method)
    rows = batch_rows(path)
    for seed, worker in enumerate(("ann", "bob")):
        take_in(path, write(tmp_path / "r.csv", answers(rows, seed, worker)))
        by_row, state = from_rows(path, method)
        assert state is not None
        assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(by_row, state))
    take_back(path, "clicked through", every=True, worker="ann")
    by_row, state = from_rows(path, method)
    assert state is not None and all(np.array_equal(x, y, equal_nan=True) for x, y in zip(by_row, state))


def test_whoever_changes_a_row_removes_the_arrays_so_that_they_never_differ(tmp_path):
    path = campaign(tmp_path)
    run_batches(path, 1)
    db = sqlite3.connect(path)
    db.execute("UPDATE item SET a = a + 1e-12 WHERE position = 3")  # less than the rounding of a sum may be
    (changed,) = db.execute("SELECT a FROM item WHERE position = 3").fetchone()
    db.commit()
    db.close()
    _, state = from_rows(path, "easl")
    assert state is None and status(path).state.a[3] == changed
    batch_rows(path)  # the next batch writes them again
    _, state = from_rows(path, "easl")
    assert state is not None and state[0][3] == changed


def test_arrays_of_another_length_are_not_read(tmp_path):
    path = campaign(tmp_path)
    with opened(path, write=True) as store:
        store.db.execute("UPDATE packed SET content = x'00'")
        assert packed(store)[0] is None
        assert roles_of(store).tolist() == [0] * 10
        assert state_of(store, "easl").a.tolist() == [1.0] * 10
