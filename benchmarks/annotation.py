"""Scalar annotation: updates a second beside trueskill and openskill, and the next batch of HITs by number of
items.

    python -m benchmarks.annotation [--tiny] [--rounds 5] [--out FOLDER]

CPU time of this process, one thread; contenders take turns in shuffled order, medians over rounds.  The two
packages are asked where they are installed and shown as "not here" where they are not.  The last run is
results/annotation.md.  The last lines of it are of a campaign in its file: choosing reads settings, roles and
state and plans the slots; opening a file lets SQLite check all of it; the command also stores 20,000 HITs and
writes 100,000 texts.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import random
import shutil
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pairproof.campaign import create, open_batch
from pairproof.campaign.hits.choosing import Choice
from pairproof.campaign.storage.records import about, save_state
from pairproof.campaign.storage.store import Store, opened
from pairproof.native.annotation import beta, trueskill
from pairproof.native.annotation.allocation import draw_partners, match_quality, next_hits
from pairproof.native.annotation.beta import pairs_of_hit
from pairproof.native.annotation.methods import ScoreState, observe, start

from .harness.results import asked, keep

#: What was promised of the next batch (CPU seconds) for 100,000 items.
PROMISED = 0.030
Run = Callable[[], Any]


def games(players: int, n: int) -> list[tuple[int, int]]:
    """Winner and loser of each game."""
    rng = np.random.default_rng(6)
    pairs = rng.integers(0, players, (n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return [tuple(p) for p in pairs.tolist()]


def own_trueskill(players: int, played: list[tuple[int, int]]) -> list[float]:
    mean, variance = [25.0] * players, [(25 / 3) ** 2] * players
    for i, j in played:
        mean[i], variance[i], mean[j], variance[j] = trueskill.update_pair(
            trueskill.Skills(mean[i], variance[i], mean[j], variance[j]), "win", 25 / 6, 0.0
        )
    return mean


def own_bounded(players: int, played: list[tuple[int, int]]) -> list[float]:
    a, b = [1.0] * players, [1.0] * players
    for i, j in played:
        a[i], b[i], a[j], b[j] = beta.update_pair(beta.Pair(a[i], b[i], a[j], b[j]), "win")
    return a


def peer_trueskill(package: Any, players: int, played: list[tuple[int, int]]) -> list[float]:
    environment = package.TrueSkill(mu=25.0, sigma=25 / 3, beta=25 / 6, tau=0.0, draw_probability=0.0)
    ratings = [environment.create_rating() for _ in range(players)]
    for i, j in played:
        ratings[i], ratings[j] = environment.rate_1vs1(ratings[i], ratings[j])
    return [r.mu for r in ratings]


def peer_openskill(package: Any, players: int, played: list[tuple[int, int]]) -> list[float]:
    model = importlib.import_module("openskill.models").ThurstoneMostellerFull()
    ratings = [model.rating() for _ in range(players)]
    for i, j in played:
        [ratings[i]], [ratings[j]] = model.rate([[ratings[i]], [ratings[j]]])
    return [r.mu for r in ratings]


def updates(tiny: bool) -> tuple[dict[str, tuple[Run, int]], dict[str, str]]:
    """Contender -> (run, updates in it), and those that are not here."""
    players, n = (10, 50) if tiny else (100, 10_000)
    played = games(players, n)
    runs: dict[str, tuple[Run, int]] = {
        "pairproof trueskill": (lambda: own_trueskill(players, played), len(played)),
        "pairproof ra (bounded)": (lambda: own_bounded(players, played), len(played)),
    }
    rng = np.random.default_rng(7)
    hits = [rng.permutation(players)[:5] for _ in range(n // 10)]
    scores = [rng.random(5) for _ in hits]
    pairs = sum(len(pairs_of_hit(s.tolist())) for s in scores)
    runs["pairproof ra, HITs of 5"] = (lambda: observe(start("ra", players), hits, scores), pairs)
    k = n * 100
    items, values = rng.integers(0, players, k), rng.random(k)
    ones = np.ones(players)
    runs["pairproof easl"] = (lambda: beta.add_scores(ones, ones, items, values), k)
    absent = {}
    for name, peer in (("trueskill", peer_trueskill), ("openskill", peer_openskill)):
        try:
            package = importlib.import_module(name)
        except ImportError as error:
            absent[name] = str(error)
            continue
        runs[name] = (lambda package=package, peer=peer: peer(package, players, played), len(played))
    if "trueskill" in runs:  # a fast wrong answer does not count; its own iteration stops at 1e-4 to 1e-7
        gap = np.abs(np.array(runs["trueskill"][0]()) - np.array(own_trueskill(players, played))).max()
        assert gap < 1e-3, f"trueskill and pairproof differ by {gap}"
    return runs, absent


def state(n: int) -> ScoreState:
    """A campaign in its middle: 1 to 5 scores an item."""
    rng = np.random.default_rng(8)
    count = rng.integers(1, 6, n)
    total = rng.random(n) * count
    return ScoreState("easl", 1 + total, 1 + count - total, count)


def batches(tiny: bool) -> dict[str, tuple[Run, int]]:
    """Contender -> (run, HITs in it)."""
    runs: dict[str, tuple[Run, int]] = {}
    for n in (100, 1_000) if tiny else (1_000, 10_000, 100_000):
        s = state(n)
        rng = np.random.default_rng(9)
        runs[f"pairproof next batch, {n} items"] = (
            lambda s=s, n=n, rng=rng: next_hits(s, s.n, 5, n // 5, rng, first=False),
            n // 5,
        )
    n = 100 if tiny else 1_000
    s = state(n)
    runs[f"the definition by numpy choice, {n} items"] = (lambda: by_definition(s, n // 5), n // 5)
    return runs


def by_definition(s: ScoreState, hits: int) -> list[Any]:
    """All match qualities of every anchor, and ``choice(replace=False)``: what the public codes do, in
    arrays.
    """
    rng = np.random.default_rng(10)
    score, variance = s.score, s.variance
    anchors = np.argsort(-variance)[:hits]
    pool = np.setdiff1d(np.arange(len(score)), anchors)
    found = []
    for i in anchors:
        q = match_quality(score[i], variance[i], score[pool], variance[pool])
        found.append(rng.choice(pool, 4, replace=False, p=q / q.sum()))
    return found


def campaign(folder: Path, n: int) -> Path:
    """A campaign in its middle, in its file; every item has a source and a system."""
    items, path = folder / "items.csv", folder / "C.db"
    words = "a sentence of about as many words as a sentence of a translation often has"
    rows = "".join(f"i{k},{words} {k},s{k // 5},y{k % 5}\n" for k in range(n))
    items.write_text("id,sent,source,system\n" + rows, encoding="utf-8")
    create(path, items, seed=1)
    with opened(path, write=True) as store:
        save_state(store, state(n), range(n))
        # Without judgments in the file these states are what the items began with.
        store.db.execute("UPDATE item SET a0 = a, b0 = b, n0 = n")
        # A batch was opened before: the next one is chosen by variance.
        store.db.execute("INSERT INTO batch VALUES (1, '', 1)")
        store.db.execute("INSERT INTO hit (batch, number, items) VALUES (1, 1, '[0, 1, 2, 3, 4]')")
    return path


def whole_batches(folder: Path, tiny: bool, stack: contextlib.ExitStack) -> dict[str, tuple[Run, int]]:
    """The choice of a batch out of a campaign, from its open file and with the check of the file, and the whole
    command without Python's start.
    """
    n = 1_000 if tiny else 100_000
    path = campaign(folder, n)
    beside = Path(shutil.copy(path, folder / "copy.db"))
    held = stack.enter_context(opened(beside, write=False))

    def choose(store: Store) -> None:
        choice = Choice(store, about(store))
        choice.plan(choice.hits(None), None, np.random.default_rng(9))

    def open_and_choose() -> None:
        with opened(beside, write=False) as store:
            choose(store)

    def write() -> None:
        open_batch(path, folder / "batch.csv", force=True)

    runs: dict[str, Run] = {
        f"choose from a campaign's open file, {n} items": lambda: choose(held),
        f"open and check the file, and choose, {n} items": open_and_choose,
        f"easl next --out batch.csv, {n} items": write,
    }
    return {name: (run, n // 5) for name, run in runs.items()}


def measured(runs: dict[str, tuple[Run, int]], rounds: int) -> dict[str, list[float]]:
    """CPU seconds of every contender in every round."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for run, _ in runs.values():
        run()
    order = list(runs)
    for k in range(rounds):
        random.Random(k).shuffle(order)
        for name in order:
            begin = time.process_time()
            runs[name][0]()
            seconds[name].append(time.process_time() - begin)
    return seconds


def memory(n: int) -> int:
    """Bytes at the peak of one next batch, beyond what was there."""
    s = state(n)
    rng = np.random.default_rng(9)
    draw_partners(np.arange(3), s.score, s.variance, 2, np.arange(3, n), rng)
    tracemalloc.start()
    next_hits(s, s.n, 5, n // 5, rng, first=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def page(document: dict[str, Any]) -> str:
    lines = [
        "# Scalar annotation",
        "",
        (
            f"Python {document['python']}, numpy {document['numpy']}; load {document['load'][0]:.1f} of"
            f" {document['cores']} cores; {document['rounds']} rounds, medians of CPU time."
        ),
        "",
        "## Updates a second",
        "",
        "| contender | updates | CPU ms | a second |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, row in document["updates"].items():
        lines.append(f"| {name} | {row['n']:,} | {row['ms']:.2f} | {row['n'] / row['ms'] * 1000:,.0f} |")
    lines += [f"| {name} | not here | | |" for name in document["absent"]]
    lines += [
        "",
        "## The next batch: k = N/5 HITs of 5, partners by match quality",
        "",
        "| contender | HITs | CPU ms |",
        "| --- | ---: | ---: |",
    ]
    lines += [f"| {name} | {row['n']:,} | {row['ms']:.2f} |" for name, row in document["batches"].items()]
    largest = list(document["batches"])[-2]
    lines += [f"| {name} | {row['n']:,} | {row['ms']:.2f} |" for name, row in document["files"].items()]
    lines += ["", f"Memory at the peak of the largest: {document['memory'] / 1e6:.1f} MB."]
    if "100000" in largest:
        chosen = next(row for name, row in document["files"].items() if name.startswith("choose from"))
        kept = max(document["batches"][largest]["ms"], chosen["ms"]) / 1000 < PROMISED
        lines.append(f"Promised for 100,000 items: {PROMISED * 1000:g} ms; {'kept' if kept else 'NOT KEPT'}.")
    return "\n".join([*lines, ""])


def main(arguments: list[str] | None = None) -> int:
    options = asked(__doc__, 5, arguments)
    runs, absent = updates(options.tiny)
    more = batches(options.tiny)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        files = whole_batches(Path(folder), options.tiny, stack)
        seconds = measured({**runs, **more, **files}, options.rounds)

    def rows(part: dict[str, tuple[Run, int]]) -> dict[str, Any]:
        return {
            name: {"n": n, "ms": statistics.median(seconds[name]) * 1000, "samples": seconds[name]}
            for name, (_, n) in part.items()
        }

    document = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "load": os.getloadavg(),
        "cores": os.cpu_count(),
        "rounds": options.rounds,
        "tiny": options.tiny,
        "updates": rows(runs),
        "batches": rows(more),
        "files": rows(files),
        "absent": absent,
        "memory": memory(1_000 if options.tiny else 100_000),
    }
    keep(options.out, "annotation", document, page(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
