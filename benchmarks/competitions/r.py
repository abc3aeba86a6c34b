"""R's samplers in processes of their own: what they are given, and what comes back (samplers.R is the
other side).

JAGS gets the model text of pairproof.bridge.packages.jags, unchanged: the bridge's R code runs with another
``run`` that keeps the time.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.packages import jags
from pairproof.data.comparisons import Comparisons
from pairproof.data.judgments import judgments
from pairproof.files.r_startup import r_environment
from pairproof.native.competitions.irt.posterior import item_codes

from ..harness.process import ONE_THREAD, Failed, NotHere, TooLong

FloatArray = NDArray[np.float64]
SUMMING_UP = jags.SUMMARISE + jags.RUN


@dataclass(frozen=True)
class Peer:
    """A sampler in R.

    Attributes
    ----------
    needs : str
        R packages, blanks between.
    code : str
        R, run with everything of samplers.R at hand.
    settings : mapping
        The model's constants under the bridge's names.
    rounds : int
        At most so many.
    draws, settle : int
        Kept of each chain, and thrown away before them beside the brief run.
    """

    needs: str
    code: str
    settings: Mapping[str, float]
    rounds: int
    draws: int
    settle: int = 0


@dataclass(frozen=True, eq=False)
class Chain:
    """One chain of a sampler in R.

    Attributes
    ----------
    set_up, brief, spent : float
        CPU seconds of the set-up, of the brief run and of the draws.
    draws : float[draws, n]
    versions : tuple of str
        Of R and its packages.
    """

    set_up: float
    brief: float
    spent: float
    draws: FloatArray
    versions: tuple[str, ...]


def without_summing_up(code: str) -> str:
    """The bridge's code for a model, from the model's text on."""
    assert code.startswith(
        SUMMING_UP
    ), "pairproof.bridge.packages.jags has changed: its code no longer starts with SUMMARISE and RUN"
    return code.removeprefix(SUMMING_UP)


def leave_data(table: Comparisons, folder: Path) -> None:
    """author.txt and compared.csv, positions from 1."""
    single = judgments(table)
    author, _, item = item_codes(table, single.first, single.second, single.row)
    n = len(single)
    np.savetxt(folder / "author.txt", author + 1, fmt="%d")
    np.savetxt(
        folder / "compared.csv",
        np.stack([item[:n] + 1, item[n:] + 1, single.outcome], axis=1),
        fmt="%d",
        delimiter=",",
        header="one,two,outcome",
        comments="",
    )


def one_chain(
    peer: Peer, folder: Path, n_systems: int, warmup: int, brief: int, seed: int, cap: float
) -> Chain:
    """Run R on the data in `folder`.

    Raises
    ------
    NotHere, TooLong, Failed
    """
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise NotHere("R is not installed")
    for stale in ("absent.txt", "draws.f64", "seconds.csv"):
        (folder / stale).unlink(missing_ok=True)
    given: dict[str, Any] = {
        **peer.settings,
        "n_systems": n_systems,
        "warmup": warmup,
        "brief": brief,
        "settle": peer.settle,
        "draws": peer.draws,
        "seed": seed,
    }
    (folder / "settings.csv").write_text(
        ",".join(given) + "\n" + ",".join(map(str, given.values())) + "\n", encoding="utf-8"
    )
    (folder / "needs.txt").write_text(peer.needs + "\n", encoding="utf-8")
    (folder / "model.R").write_text(peer.code + "\n", encoding="utf-8")
    try:
        done = subprocess.run(
            [rscript, "--no-init-file", str(Path(__file__).with_name("samplers.R")), str(folder)],
            env={**r_environment(os.environ), **ONE_THREAD},
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=cap,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise TooLong(f"no answer after {cap:g} s") from None
    if (folder / "absent.txt").exists():
        raise NotHere((folder / "absent.txt").read_text(encoding="utf-8").strip())
    if done.returncode or not (folder / "seconds.csv").exists():
        raise Failed(" ".join(done.stderr.split())[-300:] or f"R ended with status {done.returncode}")
    with (folder / "seconds.csv").open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    draws = np.fromfile(folder / "draws.f64", "<f8").reshape(-1, int(row["columns"]))
    versions = tuple((folder / "versions.txt").read_text(encoding="utf-8").split("\n")[:-1])
    return Chain(float(row["set_up"]), float(row["brief"]), float(row["draws"]), draws, versions)
