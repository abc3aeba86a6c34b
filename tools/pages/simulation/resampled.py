"""Bootstraps by judge, the wild score test and profile likelihoods of simulated tables, held against the truth."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import pairproof
from pairproof.errors import PairproofWarning

from .answers import Design, drawn, fitted, truth
from .intervals import covered
from .tally import counted, line

if TYPE_CHECKING:
    from pairproof.fit.fit import Fit

#: Tables of a line, replicates of a bootstrap (a table takes a second), and tables of profiles.
TABLES, REPLICATES = 150, 399
TABLES_OF_PROFILES = 500
METHODS = ("percentile", "bca", "studentized")
#: What the page has, in its order.
HEADS = {
    "CR2 t": "CR2, t",
    "percentile": "percentile",
    "bca": "BCa",
    "studentized": "studentised",
    "wild": "wild score",
}
FEW_ANSWERS = {
    "model z": "Wald",
    "profile": "profile",
    "Wald below": "Wald: wholly below",
    "Wald above": "Wald: wholly above",
    "profile below": "profile: wholly below",
    "profile above": "profile: wholly above",
}


@dataclass(frozen=True)
class Job:
    """A line: its design, and whether it is of profiles (independent answers) or of bootstraps by judge."""

    design: Design
    profile: bool = False

    def __call__(self) -> dict[str, Any]:
        return simulated(self)


def jobs() -> Iterator[tuple[str, Job]]:
    """Lines by name, and what simulates each."""
    for uneven in (False, True):
        for judges in (8, 20):
            busy = "uneven" if uneven else "even"
            name = f"{judges} judges, sd 0.6, {busy}, resampled"
            yield name, Job(Design(name, judges, judge_sd=0.6, uneven=uneven))
    for answers in (50, 200):
        name = f"{answers} independent answers"
        yield name, Job(Design(name, 1, answers=answers, abilities=(2.0, 0.5, 0.0)), profile=True)


def simulated(job: Job) -> dict[str, Any]:
    """A line of the record."""
    design, true = job.design, truth(job.design)

    def values(k: int) -> dict[str, float] | None:
        fit = fitted(drawn(design, k), design.model)
        if fit.null_space.shape[1]:
            return None
        return profiles(fit, true) if job.profile else by_judge(fit, true, k)

    tally, lost = counted(range(TABLES_OF_PROFILES if job.profile else TABLES), values)
    return line(design.name, asdict(design), tally, truth=true[0].tolist(), not_estimable=lost)


def by_judge(fit: Fit, true: np.ndarray[Any, Any], seed: int) -> dict[str, float]:
    """Method -> share of the contrasts covered; the wild test is of one contrast, the first against the last."""
    value = true[np.triu_indices(len(true), 1)]
    sample = pairproof.bootstrap(
        fit, "judge", replicates=REPLICATES, seed=seed, quantity="contrasts", studentize=True
    )
    out = {"CR2 t": float(covered(fit.clustered("judge"), true).mean())}
    for method in METHODS:
        with warnings.catch_warnings():
            # Limits that a method does not have count as limits that do not hold.
            warnings.simplefilter("ignore", PairproofWarning)
            limits = sample.conf_int(method=method)
        inside = (limits["low"].to_numpy() <= value) & (value <= limits["high"].to_numpy())
        out[method] = float(inside.mean())
    ends = fit.items[0], fit.items[-1]
    test = pairproof.wild_test(fit, "judge", ends, value=float(true[0, -1]), replicates=REPLICATES, seed=seed)
    out["wild"] = float(test.p > 0.05)
    return out


def profiles(fit: Fit, true: np.ndarray[Any, Any]) -> dict[str, float]:
    """Wald's and the profile's share of the contrasts covered, and how often each misses on either side."""
    value = true[np.triu_indices(len(true), 1)]
    limits = pairproof.profile(fit, contrasts="all")
    low, high = limits["profile_low"].to_numpy(), limits["profile_high"].to_numpy()
    wald = fit.contrasts(adjust="none")
    return {
        "model z": float(((wald.low <= value) & (value <= wald.high)).mean()),
        "profile": float(((low <= value) & (value <= high)).mean()),
        "Wald below": float((wald.high < value).mean()),
        "Wald above": float((wald.low > value).mean()),
        "profile below": float((high < value).mean()),
        "profile above": float((low > value).mean()),
    }
