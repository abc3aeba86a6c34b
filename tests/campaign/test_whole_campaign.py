"""A whole campaign, run by its commands as a person would: four annotators, one careless, one who scores too
high, one who returns HITs late and twice; ten batches.

Sixty items (15 sources by four systems) and ten degraded ones; the late annotator's file of a batch comes when
the next batch is out, his second answers before his first, and his last file twice.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from pairproof.cli import main
from tests.campaign.people import PEOPLE, returned, walk_items

BATCHES, HITS = 10, 14


def run(*arguments: object) -> int:
    """Run `pairproof easl` with these arguments."""
    return main(["easl", *map(str, arguments), "--quiet"])


def asked(capsys, *arguments: object) -> dict:
    """The JSON that a command prints."""
    capsys.readouterr()
    code = main(["easl", *map(str, arguments), "--json"])
    assert code in (0, 1)
    return json.loads(capsys.readouterr().out)


class Walk:
    """A campaign and the files that its annotators have returned so far."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path, self.files = folder, folder / "C.db", []
        self.truth = walk_items(folder)

    def init(self) -> int:
        return run("init", self.path, self.truth.file, "--seed", 1, "--degraded", 0.14)

    def batch(self, number: int, again: bool = False) -> int:
        out = self.folder / f"b{number}.csv"
        return run("next", self.path, "--out", out, *(["--again"] if again else ["--hits", HITS]))

    def returns(self, number: int) -> list[Path]:
        """Files that come after this batch was opened, in the order in which they come."""
        found = []
        if number > 1:
            late = self._returned(number - 1)
            found = [late["late-again"], late["late"]]
        if number <= BATCHES:
            mine = self._returned(number)
            found += [mine[who] for who in PEOPLE if who != "late"]
        else:
            found.append(found[-1])
        return found

    def _returned(self, number: int) -> dict[str, Path]:
        return returned(self.folder / f"b{number}.csv", self.truth.score, self.folder)

    def all(self) -> None:
        assert self.init() == 0
        for number in range(1, BATCHES + 2):
            if number <= BATCHES:
                assert self.batch(number) == 0
            for file in self.returns(number):
                assert run("update", self.path, file) == 0
                self.files.append(file)


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Walk:
    walk = Walk(tmp_path_factory.mktemp("walk"))
    walk.all()
    return walk


def test_each_judgment_counts_once(finished, capsys):
    found = asked(capsys, "repeats", finished.path)
    status = asked(capsys, "status", finished.path)
    assert status["batches"] == BATCHES and (found["repeats"], found["set_aside"]) == (140, 140)
    assert status["judgments"] == 560
    assert len(status["scores"]) == 60


@pytest.mark.nightly
def test_the_order_of_files_makes_no_difference(finished, tmp_path, capsys):
    wanted = asked(capsys, "status", finished.path)
    r = random.Random(3)
    for k in range(3):
        path = tmp_path / f"{k}.db"
        shutil.copy(finished.path, path)
        db = sqlite3.connect(path)
        for table in ("score", "judgment", "received", "annotator"):
            db.execute(f"DELETE FROM {table}")
        db.execute("UPDATE item SET a = a0, b = b0, n = n0")
        db.commit()
        db.close()
        files = list(finished.files)
        r.shuffle(files)
        for file in files:
            assert run("update", path, file) == 0
        assert asked(capsys, "status", path) == wanted


def test_the_careless_annotator_is_flagged_and_nobody_else(finished, capsys):
    people = {
        row["annotator"]: row for row in asked(capsys, "status", finished.path, "--annotators")["annotators"]
    }
    assert set(people) == {f"W-{who}" for who in PEOPLE}
    assert set(people["W-careless"]["flags"]) >= {"degraded", "fast", "constant"}
    assert people["W-careless"]["rest"] < 0.3
    assert all(not people[f"W-{who}"]["flags"] for who in PEOPLE if who != "careless")


def test_the_annotator_model_finds_who_scores_high_and_who_is_careless(finished):
    import pairproof

    found = pairproof.campaign.open(finished.path).scores("precision").fit
    assert found is not None
    location = dict(zip(found.annotators, found.location.tolist()))
    noise = dict(zip(found.annotators, found.noise.tolist()))
    assert max(location, key=location.__getitem__) == "W-shifted"
    others = [v for name, v in location.items() if name != "W-shifted"]
    assert 0.10 < location["W-shifted"] - sum(others) / 3 < 0.25
    assert max(noise, key=noise.__getitem__) == "W-careless"
    assert noise["W-careless"] >= 2 * noise["W-careful"]


def test_systems_come_in_their_true_order_and_degraded_rows_are_in_no_mean(finished, capsys):
    found = asked(capsys, "status", finished.path, "--systems", "system")
    assert [row["system"] for row in found["systems"]] == ["n", "s", "e", "w"]
    assert sum(row["n"] for row in found["systems"]) == 60


# -- killed at random ----------------------------------------------------------------------------------------

#: Kills of the whole campaign; a fault that shows in a share q of a command's time escapes all of them with
#: probability (1 - q)^200, which is 5 % for q = 1.5 %.
KILLS = 200


def in_a_fork(work) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = work()
        finally:
            os._exit(code)
    return pid


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_two_hundred_kills_lose_nothing_and_double_nothing(finished, tmp_path, capsys):
    """Every command is killed a few times at random points and then run again, as a person would."""
    wanted = asked(capsys, "status", finished.path)
    walk, r = Walk(tmp_path), random.Random(2018)
    killed = 0

    def disturbed(work, done=lambda: False, again=None) -> None:
        """Do the work, after kills; where a killed command had done it, go on with `again`."""
        nonlocal killed
        reach, left, before = 0.05, again, killed
        for _ in range(20):
            if killed >= min(KILLS, before + 6):
                break
            begun = time.perf_counter()
            pid = in_a_fork(work)
            time.sleep(r.uniform(0, reach))
            os.kill(pid, signal.SIGKILL)
            _, said = os.waitpid(pid, 0)
            killed += os.WIFSIGNALED(said)
            if not os.WIFSIGNALED(said):
                reach = time.perf_counter() - begun
            if left is not None and done():
                work, left = left, None
        assert work() == 0

    disturbed(walk.init, walk.path.exists, lambda: 0)
    for number in range(1, BATCHES + 2):
        if number <= BATCHES:
            disturbed(
                lambda: walk.batch(number),
                lambda: _batches(walk.path) == number,
                lambda: walk.batch(number, again=True),
            )
        for file in walk.returns(number):
            disturbed(lambda: run("update", walk.path, file))
    assert killed == KILLS
    assert asked(capsys, "status", walk.path) == wanted


def _batches(path: Path) -> int:
    db = sqlite3.connect(path)
    try:
        return db.execute("SELECT COUNT(*) FROM batch").fetchone()[0]
    finally:
        db.close()
