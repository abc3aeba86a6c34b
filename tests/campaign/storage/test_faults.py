"""A campaign survives being killed, and a full disk: nothing is lost, nothing is counted twice.

The work is done in a fork of the test, which has everything loaded, so that a kill falls into the work itself
and not into the start of Python.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import time
import traceback

import pytest

from pairproof.campaign import open_batch, status, take_in
from pairproof.errors import PairproofError
from tests.campaign.helpers import answers, batch_rows, campaign, scores, write

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def in_a_fork(work) -> int:
    """Start `work` in a fork; its exit code is 0, or 1 with the traceback on standard error."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def killed_after(seconds: float, work) -> bool:
    """Whether the work was killed before it ended."""
    pid = in_a_fork(work)
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def whole(path) -> None:
    """The file is a sound database, and its states are those of the judgments in it."""
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()
    found = status(path)
    assert found.state.n.sum() == found.scores
    assert found.state.a.sum() + found.state.b.sum() == pytest.approx(2 * len(found.ids) + found.scores)


@pytest.mark.nightly
def test_an_update_killed_at_any_point_is_in_wholly_or_not_at_all(tmp_path):
    """Two hundred kills at random points: of a fault that shows in a share q of the time of an update they miss
    all with probability (1 - q)^200, 5 % for q = 1.5 %.

    The campaign is small, so that writing is a good part of an update: of 200 kills 42 left a journal here, of
    as many kills of a campaign five times as large 20.
    """
    path = campaign(tmp_path, 120)
    file = write(tmp_path / "r.csv", answers(batch_rows(path), 1))
    fresh, base = path.read_bytes(), scores(path)
    begin = time.perf_counter()
    take_in(path, file)
    reach = 1.3 * (time.perf_counter() - begin)
    full = scores(path)
    r = random.Random(20181)
    seen = {"killed": 0, "left a journal": 0, "nothing in": 0, "all in": 0}
    for _ in range(200):
        path.write_bytes(fresh)
        seen["killed"] += killed_after(r.uniform(0, reach), lambda: take_in(path, file))
        seen["left a journal"] += path.with_name("C.db-journal").exists()
        whole(path)
        found = status(path).judgments
        assert found in (0, 24) and scores(path) == (full if found else base)
        seen["all in" if found else "nothing in"] += 1
        # A fork is slower than this process, and a busy machine slower still: the kills follow the work.
        reach *= 1 / 1.1 if found else 1.1
        again = take_in(path, file)
        assert (again.new, again.known) == ((0, 24) if found else (24, 0)) and scores(path) == full
    # Kills must have fallen before, in and after the writing for the test to say anything.
    assert seen["killed"] >= 40 and seen["nothing in"] >= 40 and seen["all in"] >= 20, seen
    assert seen["left a journal"] >= 5, seen


def test_a_batch_killed_at_any_point_is_open_wholly_or_not_at_all_and_can_be_written_anew(tmp_path):
    path = campaign(tmp_path, 600)
    fresh = path.read_bytes()
    out = tmp_path / "b.csv"
    begin = time.perf_counter()
    open_batch(path, out)
    lasts = time.perf_counter() - begin
    complete = out.read_bytes()
    r = random.Random(5)
    for _ in range(12):
        path.write_bytes(fresh)
        out.unlink(missing_ok=True)
        killed_after(r.uniform(0, 1.3 * lasts), lambda: open_batch(path, out))
        whole(path)
        batches = status(path).batches
        assert batches in (0, 1) and (not out.exists() or (batches, out.read_bytes()) == (1, complete))
        open_batch(path, out, again=bool(batches))
        assert out.read_bytes() == complete


def limited(size: int, work):
    """The work with no file allowed to grow past `size` bytes: what a full disk is to a program."""

    def run():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        with pytest.raises(
            PairproofError,
            match="the disk is full or failing .* nothing was changed; free some space and run this again",
        ):
            work()

    return run


def test_on_a_full_disk_an_update_says_so_and_changes_nothing(tmp_path):
    path = campaign(tmp_path, 600)
    file = write(tmp_path / "r.csv", answers(batch_rows(path), 1))
    fresh = path.read_bytes()
    base = scores(path)
    take_in(path, file)
    grown = path.stat().st_size
    assert grown > len(fresh) + 4 * 4096
    for size in (4096, len(fresh) // 2, len(fresh), len(fresh) + 4096, grown - 4096):
        path.write_bytes(fresh)
        pid = in_a_fork(limited(size, lambda: take_in(path, file)))
        assert os.waitpid(pid, 0)[1] == 0
        whole(path)
        assert scores(path) == base and not path.with_name("C.db-journal").exists()
    assert take_in(path, file).new == 120


def test_on_a_full_disk_no_half_campaign_and_no_half_batch_is_left(tmp_path):
    from pairproof.campaign import create

    path = campaign(tmp_path, 600)
    before = sorted(p.name for p in tmp_path.iterdir())
    pid = in_a_fork(limited(8192, lambda: create(tmp_path / "new.db", tmp_path / "items.csv")))
    assert os.waitpid(pid, 0)[1] == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == before

    def batch_on_a_full_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        with pytest.raises(PairproofError, match="cannot be written|disk is full"):
            open_batch(path, tmp_path / "b.csv")

    pid = in_a_fork(batch_on_a_full_disk)
    assert os.waitpid(pid, 0)[1] == 0
    assert status(path).batches == 0 and sorted(p.name for p in tmp_path.iterdir()) == before


def test_two_updates_at_the_same_moment_both_come_in(tmp_path):
    path = campaign(tmp_path, 300)
    rows = answers(batch_rows(path), 1)
    files = [write(tmp_path / f"r{k}.csv", rows[k::2]) for k in range(2)]
    pids = [in_a_fork(lambda f=f: take_in(path, f)) for f in files]
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0, 0]
    whole(path)
    assert status(path).judgments == len(rows)
