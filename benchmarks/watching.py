"""Looking at a campaign of scalar annotation: `easl status` of 100,000 items with 200,000 scores, and the
intervals of 100,000 items.

    python -m benchmarks.watching [--tiny] [--rounds 5] [--out FOLDER]

CPU time of this process, one thread, medians over rounds; Python and its libraries are loaded before.  The last
run is results/watching.md.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pairproof.campaign.storage.records import about, recount_all
from pairproof.campaign.storage.store import opened
from pairproof.cli import main as command
from pairproof.native.annotation import beta

from .harness.results import asked, keep

#: What was promised of a status, and of the intervals, of 100,000 items (CPU seconds).
PROMISED = 1.0
PER_HIT, ANNOTATORS = 5, 50


def campaign(folder: Path, items: int) -> Path:
    """A campaign in which every item was judged twice, each batch once by one of fifty annotators."""
    table, path = folder / "items.csv", folder / "C.db"
    lines = (f"i{k},sentence {k},s{k // 4},{'abcd'[k % 4]}\n" for k in range(items))
    table.write_text("id,sent,source,system\n" + "".join(lines), encoding="utf-8")
    quietly("easl", "init", path, table, "--seed", "1")
    rng = np.random.default_rng(1)
    truth, shift = rng.random(items), rng.normal(0, 0.1, ANNOTATORS)
    hits, judgments, scores = [], [], []
    for batch in (1, 2):
        for hit, shown in enumerate(rng.permutation(items).reshape(-1, PER_HIT).tolist(), 1):
            number, who = len(judgments) + 1, int(rng.integers(ANNOTATORS))
            hits.append((batch, hit, json.dumps(shown)))
            seconds = float(rng.integers(30, 100))
            judgments.append(
                (
                    number,
                    f"A{number}",
                    batch,
                    hit,
                    "",
                    f"A{number}",
                    f"w{who}",
                    "{}",
                    1,
                    hit,
                    who + 1,
                    1.7e9 + number,
                    seconds,
                )
            )
            said = np.clip(
                np.round(truth[shown] + shift[who] + rng.normal(0, 0.1, PER_HIT), 2), 0, 1
            ).tolist()
            scores += [(number, slot, i, v, str(v)) for slot, (i, v) in enumerate(zip(shown, said), 1)]
    with opened(path, write=True) as store:
        write = store.db.executemany
        names = "number, name, token, state, since"
        write(
            f"INSERT INTO annotator ({names}) VALUES (?, ?, NULL, 'active', '')",
            ((k + 1, f"w{k}") for k in range(ANNOTATORS)),
        )
        store.db.execute("INSERT INTO received VALUES (1, 'results.csv', '', '', 1, 1)")
        write("INSERT INTO batch VALUES (?, '', ?)", ((b, items // PER_HIT) for b in (1, 2)))
        write("INSERT INTO hit (batch, number, items) VALUES (?, ?, ?)", hits)
        names = "number, identity, batch, hit, hit_id, assignment, worker, times, received, row, annotator, submitted, seconds"
        write(f"INSERT INTO judgment ({names}) VALUES ({', '.join('?' * 13)})", judgments)
        write("INSERT INTO score (judgment, slot, item, value, raw) VALUES (?, ?, ?, ?, ?)", scores)
        recount_all(store, about(store))
    return path


def quietly(*arguments: object) -> None:
    """Run the command; what it prints is thrown away."""
    with contextlib.redirect_stdout(io.StringIO()):
        code = command([*map(str, arguments), "--quiet"])
    assert code in (0, 1), f"{arguments}: exit code {code}"


def measured(run: Callable[[], Any], rounds: int) -> list[float]:
    """CPU seconds of each round, after one that is not counted."""
    run()
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return seconds


def page(document: dict[str, Any]) -> str:
    lines = [
        "# Looking at a campaign",
        "",
        (
            f"Python {document['python']}, numpy {document['numpy']}; load {document['load'][0]:.1f} of"
            f" {document['cores']} cores; {document['rounds']} rounds, medians of CPU time;"
            f" {document['items']:,} items, {2 * document['items']:,} scores."
        ),
        "",
        "| what | CPU s | promised |",
        "| --- | ---: | --- |",
    ]
    for name, row in document["runs"].items():
        kept = (
            "" if not row["promised"] else f"{PROMISED:g} s: {'kept' if row['s'] <= PROMISED else 'NOT KEPT'}"
        )
        lines.append(f"| {name} | {row['s']:.2f} | {kept} |")
    return "\n".join([*lines, ""])


def main(arguments: list[str] | None = None) -> int:
    options = asked(__doc__, 5, arguments)
    items = 1_000 if options.tiny else 100_000
    rng = np.random.default_rng(2)
    n = rng.integers(1, 6, items)
    total = rng.random(items) * n
    with tempfile.TemporaryDirectory() as folder:
        path = campaign(Path(folder), items)
        runs: dict[str, tuple[Callable[[], Any], bool]] = {
            "easl status": (lambda: quietly("easl", "status", path), True),
            "easl status --json": (lambda: quietly("easl", "status", path, "--json"), False),
            "easl status --items-disagree": (
                lambda: quietly("easl", "status", path, "--items-disagree"),
                False,
            ),
            "easl stop": (lambda: quietly("easl", "stop", path, "--rule", "items<=.12"), False),
            "highest-density intervals, all different": (
                lambda: beta.interval(1 + total, 1 + n - total),
                True,
            ),
        }
        seconds = {name: measured(run, options.rounds) for name, (run, _) in runs.items()}
    document = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "load": os.getloadavg(),
        "cores": os.cpu_count(),
        "rounds": options.rounds,
        "tiny": options.tiny,
        "items": items,
        "runs": {
            name: {"s": statistics.median(seconds[name]), "samples": seconds[name], "promised": promised}
            for name, (_, promised) in runs.items()
        },
    }
    keep(options.out, "watching", document, page(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
