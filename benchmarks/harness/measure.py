"""How a job is timed: a warm-up of each contender, then rounds in which all take turns in shuffled order; memory
in fresh processes.

Turns are interleaved so that a slow minute of the machine slows everybody; a ratio is taken within a round, and
the median of the rounds' ratios is reported.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from .agreement import NEAR_ENOUGH, SHARED_DIGITS, distance_from_maximum, shared_digits
from .job import Answer, Job, Language
from .process import Failed, NotHere, Server, TooLong, can_measure_memory, peak, reset_peak

Times = list[float]


@dataclass(frozen=True)
class Rules:
    """The rules by which everybody is timed.

    Attributes
    ----------
    rounds : int
    cap : float
        CPU seconds after which a run is stopped.
    once_above : float
        CPU seconds of a warm-up from which on it stays the only run.
    sample : dict of language to seconds
        Short runs are repeated within a sample until it is about this long: R's clock ticks in milliseconds.
    languages : tuple
        Of contenders that take part.
    blas : Path or None
        Folder of the BLAS that all processes are to load; None: the system's.
    seed : int
        Of the shuffling.
    """

    rounds: int = 7
    cap: float = 60.0
    once_above: float = 3.0
    sample: dict[Language, float] = field(default_factory=lambda: {"python": 0.03, "r": 0.2})
    languages: tuple[Language, ...] = ("python", "r")
    blas: Path | None = None
    seed: int = 1


@dataclass
class Outcome:
    """The times of one contender, or the reason why it has none.

    Attributes
    ----------
    cpu, wall : list of float
        Seconds a run, a number a round.
    cold : float
        CPU seconds of the first run.
    loops : int
        Runs in a sample.
    trouble : str
        Why there is no time: "not here: ...", "stopped: ...", "error: ...".
    ratio : float or None
        Median over rounds of its CPU time over the first contender's.
    digits, se_digits : float or None
        Shared with the first contender.
    blas : str
        What its process had loaded when it had run.
    memory : float or None
        MB added at the peak, fresh process.
    """

    name: str
    cpu: Times = field(default_factory=list)
    wall: Times = field(default_factory=list)
    cold: float = math.nan
    loops: int = 1
    trouble: str = ""
    ratio: float | None = None
    digits: float | None = None
    se_digits: float | None = None
    blas: str = ""
    memory: float | None = None

    @property
    def median_cpu(self) -> float:
        return median(self.cpu) if self.cpu else math.nan

    @property
    def median_wall(self) -> float:
        return median(self.wall) if self.wall else math.nan


@dataclass
class Result:
    """A job's outcomes, the first contender's first.

    Attributes
    ----------
    distance : float or None
        Of the first contender from the maximum, in standard errors; None for a job without standard errors.
    counts : str
        "" or why the first contender's times do not count.
    """

    job: Job
    n_comparisons: int
    n_parameters: int
    outcomes: list[Outcome]
    distance: float | None
    counts: str


def run_job(job: Job, rules: Rules, scratch: Path) -> Result:
    """Time the contenders of a job, compare their answers, and measure their memory."""
    data, folder = job.data(), scratch / job.name
    data.save(folder)
    tiny = job.tiny().save(scratch / f"{job.name}-tiny")
    here = [c for c in job.contenders if job.language(c) in rules.languages]
    outcomes = {c: Outcome(c) for c in here}
    servers = {c: Server(job.language(c), scratch, rules.blas) for c in here}
    answers: dict[str, Answer] = {}
    try:
        for c in here:
            _warm_up(servers[c], outcomes[c], folder, rules, answers)
        _rounds(servers, outcomes, rules)
    finally:
        for server in servers.values():
            server.close()
    if outcomes[here[0]].trouble:
        raise Failed(f"{job.name}: {here[0]}: {outcomes[here[0]].trouble}")
    _compare(here[0], outcomes, answers)
    for c in job.memory_of:
        if c in outcomes and not outcomes[c].trouble and can_measure_memory():
            server = Server(job.language(c), scratch, rules.blas)
            outcomes[c].memory = added_memory(server, c, tiny, folder, rules)
    outcomes.update({c: Outcome(c, trouble=why) for c, why in job.not_run.items()})
    first = answers[here[0]]
    distance = distance_from_maximum(data, first, log_odds="BT" in here[0]) if len(first.se) else None
    return Result(
        job,
        data.n_comparisons,
        len(first.estimate),
        list(outcomes.values()),
        distance,
        _objection(list(outcomes.values())[1:], distance),
    )


def _warm_up(
    server: Server, outcome: Outcome, folder: Path, rules: Rules, answers: dict[str, Answer]
) -> None:
    try:
        server.ask("prepare", outcome.name, folder, cap=10 * rules.cap)
        cpu, wall = map(float, server.ask("time", 1, cap=rules.cap))
        server.ask("answer", folder, cap=rules.cap)
    except NotHere as absent:
        outcome.trouble = f"not here: {absent}"
        return
    except TooLong as error:
        outcome.trouble = f"stopped: {error}"
        return
    except Failed as error:
        outcome.trouble = f"error: {error}"
        return
    outcome.blas = server.loaded_blas()
    answers[outcome.name] = Answer(
        *(np.fromfile(folder / f"{part}.f64", "<f8") for part in ("estimate", "se"))
    )
    outcome.cold = cpu
    if cpu > rules.once_above:
        outcome.cpu, outcome.wall = [cpu], [wall]
        return
    second = float(server.ask("time", 1, cap=rules.cap)[0])  # the first run carries imports and caches
    outcome.loops = max(1, math.ceil(rules.sample[server.language] / max(second, 1e-4)))


def _rounds(servers: dict[str, Server], outcomes: dict[str, Outcome], rules: Rules) -> None:
    shuffle = random.Random(rules.seed).shuffle
    turns = [c for c, o in outcomes.items() if not o.trouble and not o.cpu]
    for _ in range(rules.rounds):
        shuffle(turns)
        for c in turns:
            cpu, wall = map(float, servers[c].ask("time", outcomes[c].loops, cap=10 * rules.cap))
            outcomes[c].cpu.append(cpu)
            outcomes[c].wall.append(wall)


def _compare(first: str, outcomes: dict[str, Outcome], answers: dict[str, Answer]) -> None:
    ours = outcomes[first]
    for c, o in outcomes.items():
        if c == first or not o.cpu:
            continue
        if len(o.cpu) == len(ours.cpu):
            o.ratio = median(theirs / mine for theirs, mine in zip(o.cpu, ours.cpu))
        else:
            o.ratio = o.median_cpu / ours.median_cpu
        o.digits, o.se_digits = shared_digits(answers[first], answers[c])


def added_memory(server: Server, contender: str, tiny: Path, folder: Path, rules: Rules) -> float:
    """MB that one run adds at its peak to a process that has the data ready and has run the tiny data
    before.
    """
    try:
        server.ask("prepare", contender, tiny, cap=rules.cap)
        server.ask("time", 1, cap=rules.cap)
        server.ask("prepare", contender, folder, cap=10 * rules.cap)
        before = reset_peak(server.pid)
        server.ask("time", 1, cap=10 * rules.cap)  # it has run within the cap before
        return peak(server.pid) - before
    finally:
        server.close()


def _objection(peers: list[Outcome], distance: float | None) -> str:
    """A fast wrong answer does not count."""
    if distance is not None and not distance <= NEAR_ENOUGH:
        return f"{distance:.1e} standard errors from the maximum"
    shared = [o.se_digits for o in peers if o.se_digits is not None]
    if shared and max(shared) < SHARED_DIGITS:
        return f"the nearest peer shares {max(shared):.1f} digits of the standard errors"
    return ""
