"""What `pairproof migrate` costs beside R alone: the scripts of the corpus, and a loop of fits of growing length.

    python -m benchmarks.migration [--tiny] [--rounds 3] [--out FOLDER]

Seconds of elapsed time: `Rscript` on the script as it is; the same script with its calls recorded; all of
`pairproof.migrate(check=True)`, in which that run is; and the Python script that was written, by itself in a fresh process.
Each round takes the four one after the other; medians over the rounds, and the median of the ratio within a round.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pairproof import migrate
from pairproof.bridge.capture.run import capture
from pairproof.files.r_startup import r_environment

from ..harness.results import asked, keep
from .page import page

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "migration" / "corpus" / "scripts"
#: Fits of the loop; records are kept of the first 200 of a place.
LOOPS = (10, 100, 400, 3000)
LOOP = """library(BradleyTerry2)
set.seed(1)
teams <- letters[1:8]
d <- data.frame(t(combn(teams, 2)), stringsAsFactors = TRUE)
names(d) <- c("i", "j")
d$i <- factor(d$i, teams); d$j <- factor(d$j, teams)
for (k in seq_len({n})) {{
  d$w <- rbinom(nrow(d), 10, 0.5); d$l <- 10 - d$w
  m <- BTm(cbind(w, l), i, j, data = d)
}}
print(coef(m))
"""


def main(arguments: list[str] | None = None) -> int:
    options = asked(__doc__, 3, arguments)
    begun = os.getloadavg()[0]
    rounds = 1 if options.tiny else options.rounds
    scripts = sorted(CORPUS.glob("*/analysis.R"))
    with tempfile.TemporaryDirectory() as place:
        cases = [(path.parent.name, path) for path in (scripts[:1] if options.tiny else scripts)]
        for n in (2,) if options.tiny else LOOPS:
            loop = Path(place, f"loop_{n}", "analysis.R")
            loop.parent.mkdir()
            loop.write_text(LOOP.format(n=n), encoding="utf-8")
            cases.append((f"{n} fits in a loop", loop))
        rows = [measured(name, path, rounds, Path(place)) for name, path in cases]
    document = {
        "python": platform.python_version(),
        "r": rows[0]["r_version"],
        "cores": os.cpu_count(),
        "load": [begun, os.getloadavg()[0]],
        "rounds": rounds,
        "rows": rows,
    }
    keep(options.out, "migration", document, page(document))
    return 0


def measured(name: str, script: Path, rounds: int, place: Path) -> dict[str, Any]:
    """Seconds of the four ways, and what was compared."""
    folder = place / f"written_{len(list(place.iterdir()))}"
    shutil.copytree(script.parent, folder)
    made = migrate(folder / script.name, folder / "migrated.py")
    taken: dict[str, list[float]] = {"r": [], "recorded": [], "migrate": [], "python": []}
    for _ in range(rounds):
        taken["r"].append(elapsed(lambda: _run(["Rscript", script.name], folder)))
        taken["recorded"].append(capture(folder / script.name).seconds)
        taken["migrate"].append(elapsed(lambda: migrate(folder / script.name, check=True)))
        taken["python"].append(elapsed(lambda: _run([sys.executable, "migrated.py"], folder)))
    fits = [s for s in made.steps if s.state in ("native", "bridge")]
    return {
        "name": name,
        "calls": len(made.steps),
        "fits": len(fits),
        "numbers": len(made.agreements),
        "exit_code": made.exit_code,
        "r_version": made.captured.r_version,
        "bridge": sum(s.state == "bridge" for s in made.steps),
        "seconds": {way: statistics.median(times) for way, times in taken.items()},
        "times": {
            way: statistics.median(t / r for t, r in zip(times, taken["r"])) for way, times in taken.items()
        },
        "samples": taken,
    }


def elapsed(work: Callable[[], Any]) -> float:
    """Seconds that something takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(
        command,
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=r_environment(os.environ),
    )


if __name__ == "__main__":
    sys.exit(main())
