"""What a start costs: commands run in fresh processes, in shuffled order, CPU and wall time."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pairproof.files.r_startup import r_environment

from .process import ONE_THREAD, REPOSITORY

#: Everything one needs for a first fit is loaded, not just the name: the package loads its parts when they
#: are used.
ALL = (
    "import numpy, pandas, pairproof; pairproof.read, pairproof.Comparisons, pairproof.fit_llbt,"
    " pairproof.fit_bradley_terry"
)
TARGET_SECONDS = 0.5


@dataclass(frozen=True)
class Start:
    """CPU and wall seconds, medians."""

    what: str
    cpu: float
    wall: float


def commands() -> dict[str, list[str]]:
    found = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import numpy, pandas": [sys.executable, "-c", "import numpy, pandas"],
        "import numpy, pandas, pairproof": [sys.executable, "-c", "import numpy, pandas, pairproof"],
        "the same, with what a fit needs": [sys.executable, "-c", ALL],
        "pairproof --version": [
            sys.executable,
            "-c",
            "import sys; from pairproof.cli import main; sys.exit(main(['--version']))",
        ],
    }
    script = Path(sys.executable).with_name("pairproof")
    if script.exists():
        found["pairproof --version"] = [str(script), "--version"]
    rscript = shutil.which("Rscript")
    if rscript:
        found["Rscript -e 0"] = [rscript, "--no-init-file", "-e", "0"]
        found["Rscript -e 'library(prefmod)'"] = [
            rscript,
            "--no-init-file",
            "-e",
            "suppressMessages(library(prefmod))",
        ]
    return found


def starts(rounds: int, seed: int = 1) -> list[Start]:
    """One warm-up each, then `rounds` rounds; a command that fails is left out."""
    wanted = {what: command for what, command in commands().items() if _run(command) is not None}
    spent: dict[str, list[tuple[float, float]]] = {what: [] for what in wanted}
    shuffle = random.Random(seed).shuffle
    for _ in range(rounds):
        turns = list(wanted)
        shuffle(turns)
        for what in turns:
            found = _run(wanted[what])
            if found is not None:
                spent[what].append(found)
    return [Start(what, median(c for c, _ in s), median(w for _, w in s)) for what, s in spent.items()]


def import_seconds(found: list[Start]) -> float:
    """CPU seconds that loading pairproof's parts adds to numpy and pandas."""
    by_name = {s.what: s for s in found}
    return by_name["the same, with what a fit needs"].cpu - by_name["import numpy, pandas"].cpu


def _run(command: list[str]) -> tuple[float, float] | None:
    """(CPU, wall) seconds, or None if it failed."""
    env = {**r_environment(os.environ), **ONE_THREAD}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        cwd=REPOSITORY,
        env=env,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall
