"""Translation competitions: the item-response samplers beside JAGS and MCMCpack, on the same simulated data.

    python -m benchmarks.competitions [--tiny] [--rounds 15] [--out FOLDER]

CPU time; contenders take turns in shuffled order, medians over rounds.  A JAGS process takes half a minute,
so JAGS has two rounds and MCMCpack five; each is also one of its long chains.  What is not installed is shown
as "not here".  The last run is benchmarks/results/competitions.md.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.packages import jags
from pairproof.data.comparisons import Comparisons
from pairproof.native.competitions.irt.categorical_irt import CategoricalModel, fit_irt_categorical, strengths
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian, map_irt_gaussian
from pairproof.numerics.markov_chains import convergence

from ..harness.machine import load_average, machine, python_side
from ..harness.process import Failed, NotHere, TooLong
from ..harness.results import asked, keep
from .agreement import held, near_laplace
from .data import PER_SEGMENT, SEED, SYSTEMS, competition, costs
from .page import page, promises
from .r import Chain, Peer, leave_data, one_chain, without_summing_up

FloatArray = NDArray[np.float64]
GAUSSIAN, CATEGORICAL = GaussianModel(), CategoricalModel()
#: MCMCpack's model: no ties, P(first) = Phi(gap), so tau = 1.
PROBIT = GaussianModel(sd_ability=1.0, sd_quality=0.5, sd_noise=0.5, radius=0.0)
#: A chain as the paper ran it: 200 iterations, 50 of them thrown away.
BRIEF, WARMUP = 200, 50
#: Where `jobs` has the one with the mode.
FRESH = 2
#: Seconds after which an R process is stopped.
CAP = 300.0


@dataclass(frozen=True)
class Size:
    """The size of a run."""

    segments: int
    chains: int
    warmup: int
    draws: int
    categorical_draws: int
    r_draws: int
    scaling: tuple[int, ...]


FULL = Size(1000, 4, 200, 1000, 2000, 500, (1_000, 10_000, 100_000))
TINY = Size(12, 2, 50, 100, 100, 100, (5, 20))


@dataclass(frozen=True)
class Native:
    """`brief` is what is timed; `long` gives draws of what is compared, float[chains, draws, n]."""

    brief: Callable[[], Any]
    long: Callable[[], FloatArray] | None = None
    warmup: int = 0


@dataclass(frozen=True)
class Job:
    """Contenders for one model; the first native one is whom the others are held against.  `quantities` turns
    R's draws, float[draws, n], into what is compared."""

    title: str
    natives: dict[str, Native]
    peers: dict[str, Peer]
    quantities: Callable[[FloatArray], FloatArray]


@dataclass
class Row:
    """The times of one contender in seconds of CPU, and its draws."""

    samples: list[float] = field(default_factory=list)
    set_up: list[float] = field(default_factory=list)
    trouble: str = ""
    draws: FloatArray | None = None
    spent: float = 0.0
    chains: list[Chain] = field(default_factory=list)


def centred(draws: FloatArray) -> FloatArray:
    return np.asarray(draws - draws.mean(axis=-1, keepdims=True))


def jobs(table: Comparisons, size: Size) -> list[Job]:
    """Who takes part."""

    def gaussian(data: Comparisons, items: str, sampler: str, model: GaussianModel = GAUSSIAN) -> Native:
        fit = partial(
            fit_irt_gaussian, data, model=model, items=items, sampler=sampler, workers=1, warn=False
        )
        draws = size.draws * (4 if sampler == "collapsed" else 1)  # these cost next to nothing
        return Native(
            lambda: fit(chains=1, warmup=WARMUP, draws=BRIEF - WARMUP),
            lambda: fit(chains=size.chains, warmup=size.warmup, draws=draws, seed=1).centred,
            size.warmup,
        )

    categorical = partial(
        fit_irt_categorical, table, items="shared", model=CATEGORICAL, workers=1, warn=False
    )
    decided = table.without_ties()
    m, c = GAUSSIAN, CATEGORICAL
    constants = {"s0": m.sd_ability, "sa": m.sd_quality, "so": m.sd_noise, "d": m.radius}
    levels = {"n_levels": c.levels, "so": c.sd_noise, "concentration": c.concentration, "radius": c.radius}
    return [
        Job(
            "Gaussian model, shared items",
            {"pairproof, Gibbs": gaussian(table, "shared", "gibbs")},
            {
                "JAGS, the bridge's model": Peer(
                    "rjags coda", without_summing_up(jags.GAUSSIAN), constants, 2, size.r_draws
                ),
                "JAGS, differences drawn too": Peer(
                    "rjags coda", "augmented()", constants, 2, 6 * size.r_draws
                ),
            },
            centred,
        ),
        Job(
            "Categorical model, shared items",
            {
                "pairproof, Gibbs": Native(
                    lambda: categorical(chains=1, warmup=WARMUP, draws=BRIEF - WARMUP),
                    lambda: categorical(
                        chains=size.chains, warmup=size.warmup, draws=size.categorical_draws, seed=1
                    ).strength.draws,
                    size.warmup,
                )
            },
            {
                "JAGS, the bridge's model": Peer(
                    "rjags coda",
                    without_summing_up(jags.CATEGORICAL),
                    levels,
                    2,
                    2 * size.r_draws,
                    size.warmup,
                )
            },
            lambda draws: strengths(draws.reshape(len(draws), SYSTEMS, c.levels), c),
        ),
        Job(
            "Gaussian model, fresh items",
            {
                "pairproof, collapsed": gaussian(table, "fresh", "collapsed"),
                "pairproof, Gibbs": gaussian(table, "fresh", "gibbs"),
                "pairproof, mode with Laplace intervals": Native(lambda: map_irt_gaussian(table).interval()),
            },
            {},
            centred,
        ),
        Job(
            "Fresh items without ties (probit)",
            {
                "pairproof, Gibbs": gaussian(decided, "fresh", "gibbs", PROBIT),
                "pairproof, collapsed": gaussian(decided, "fresh", "collapsed", PROBIT),
            },
            {"MCMCpack MCMCpaircompare": Peer("MCMCpack coda", "mcmcpack()", {}, 5, 8 * size.r_draws)},
            centred,
        ),
    ]


def play(listed: list[Job], rounds: int, folder: Path) -> list[dict[str, Row]]:
    """Rounds in shuffled order, then the native samplers' long runs."""
    rows = [{name: Row() for name in (*job.natives, *job.peers)} for job in listed]
    for job in listed:
        for native in job.natives.values():
            native.brief()
    turns = [(k, name) for k, job in enumerate(listed) for name in (*job.natives, *job.peers)]
    for turn in range(rounds):
        random.Random(turn).shuffle(turns)
        for k, name in turns:
            job, row = listed[k], rows[k][name]
            if name in job.natives:
                begin = time.process_time()
                job.natives[name].brief()
                row.samples.append(time.process_time() - begin)
            elif turn < job.peers[name].rounds and not row.trouble:
                said(f"round {turn + 1}: {name}, {job.title}")
                play_r(job.peers[name], row, folder, turn)
    for job, found in zip(listed, rows):
        for name, native in job.natives.items():
            if native.long is not None:
                begin = time.process_time()
                found[name].draws = native.long()
                found[name].spent = time.process_time() - begin
        for name in job.peers:
            keep_draws(found[name], job.quantities)
    return rows


def play_r(peer: Peer, row: Row, folder: Path, turn: int) -> None:
    try:
        chain = one_chain(peer, folder, SYSTEMS, WARMUP, BRIEF, SEED + turn, CAP)
    except NotHere as absent:
        row.trouble = f"not here: {absent}"
    except TooLong as error:
        row.trouble = f"stopped: {error}"
    except Failed as error:
        row.trouble = f"error: {error}"
    else:
        row.samples.append(chain.brief)
        row.set_up.append(chain.set_up)
        row.chains.append(chain)


def keep_draws(row: Row, quantities: Callable[[FloatArray], FloatArray]) -> None:
    """The draws of all rounds, a chain a round."""
    if row.chains:
        row.draws = np.stack([quantities(chain.draws) for chain in row.chains])
        row.spent = sum(chain.spent for chain in row.chains)


def described(job: Job, rows: dict[str, Row]) -> dict[str, Any]:
    """A job's table: seconds, effective draws, and what both are beside the first row's."""
    out: list[dict[str, Any]] = []
    for name, row in rows.items():
        entry: dict[str, Any] = {"name": name, "ours": name in job.natives, "trouble": row.trouble or None}
        if row.samples and not row.trouble:
            entry.update(
                samples=row.samples,
                cpu=statistics.median(row.samples),
                set_up=statistics.median(row.set_up) if row.set_up else None,
            )
            entry["times"] = entry["cpu"] / out[0]["cpu"] if out else 1.0
        if row.draws is not None and not row.trouble:
            chains, draws, _ = row.draws.shape
            warmup = job.natives[name].warmup if name in job.natives else 0  # R's clock leaves it out
            spent = row.spent * draws / (warmup + draws)
            mixing = convergence(row.draws)
            ess = float(mixing.ess.min())
            entry["long"] = {
                "chains": chains,
                "draws": draws,
                "cpu": spent,
                "ess": ess,
                "rate": ess / spent,
                "rhat": float(mixing.rhat.max()),
            }
        out.append(entry)
    return {"title": job.title, "rows": out}


def checks(listed: list[Job], rows: list[dict[str, Row]], systems: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every sampler against its job's first, mean by mean and sd by sd, within Monte Carlo error."""
    out = []
    for job, found in zip(listed, rows):
        (first, ours), *others = found.items()
        for name, row in others:
            if row.trouble:
                out.append(
                    {"job": job.title, "what": first, "with": name, "agrees": None, "trouble": row.trouble}
                )
            elif row.draws is not None and ours.draws is not None:
                out.append(
                    {
                        "job": job.title,
                        "what": first,
                        "with": name,
                        "trouble": None,
                        **held(ours.draws, row.draws, systems),
                    }
                )
    return out


def said(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def about(rows: list[dict[str, Row]]) -> dict[str, str]:
    """Machine and versions; R's are those its processes told."""
    out = {
        **machine(),
        **{
            k: v
            for k, v in python_side().items()
            if k in ("Python", "numpy", "scipy", "BLAS of numpy and scipy")
        },
    }
    told = {
        line for found in rows for row in found.values() for chain in row.chains for line in chain.versions
    }
    for line in sorted(told):
        name, _, version = line.partition(" ")
        if name in ("R", "JAGS", "rjags", "coda", "MCMCpack"):
            out[name] = version
    return out


def main(arguments: list[str] | None = None) -> int:
    options = asked(__doc__, 15, arguments)
    size, load = TINY if options.tiny else FULL, load_average()
    table = competition(size.segments)
    listed = jobs(table, size)
    with tempfile.TemporaryDirectory(prefix="pairproof-competitions-") as folder:
        leave_data(table, Path(folder))
        rows = play(listed, options.rounds, Path(folder))
    said("scaling")
    exact = rows[FRESH]["pairproof, collapsed"].draws
    assert exact is not None
    document: dict[str, Any] = {
        "about": {**about(rows), "load average at the start": load},
        "tiny": options.tiny,
        "rounds": options.rounds,
        "size": asdict(size),
        "data": {
            "systems": SYSTEMS,
            "segments": size.segments,
            "comparisons": size.segments * PER_SEGMENT,
            "ties": float(table.ties.mean()),
        },
        "iterations": BRIEF,
        "jobs": [described(job, found) for job, found in zip(listed, rows)],
        "checks": checks(listed, rows, table.items),
        "laplace": near_laplace(map_irt_gaussian(table), exact),
        "scaling": costs(list(size.scaling)),
    }
    document["about"]["load average at the end"] = load_average()
    document["promises"] = promises(document)
    keep(options.out, "competitions", document, page(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
