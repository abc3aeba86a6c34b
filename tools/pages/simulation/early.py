"""Looking while answers come in: how often an interval has excluded the truth at some look."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.data.columns import Factor
from pairproof.errors import InputError
from pairproof.native.planning import looking_early

from .answers import Design, drawn, fitted, rng_of, truth
from .intervals import Z
from .tally import Tally, line

FloatArray = NDArray[np.float64]
ANSWERS = 2000
#: Looks at the hedged capital and at a table cost more, so there are fewer of them.
EVERY, FIRST_LOOK = 25, 25
#: Look of Wald's interval for the first time: earlier looks would err still more often.
WALD_FROM = 20


def _rng(name: str, run: int) -> np.random.Generator:
    return rng_of(f"early {name}", run)


def proportion_excludes(p: float, answers: int) -> tuple[FloatArray, FloatArray]:
    """For every t the most successes whose limits lie below p, and the fewest whose limits lie above (or -1, t + 1).

    Limits grow with the successes, so that a search by halves finds the two among t + 1.
    """
    below, above = np.empty(answers), np.empty(answers)
    low = high = 0
    for t in range(1, answers + 1):
        # Both move by at most one from t - 1 to t.
        while low <= t and looking_early.proportion(low, t)[1] < p:
            low += 1
        while high <= t and not looking_early.proportion(high, t)[0] > p:
            high += 1
        below[t - 1], above[t - 1] = low - 1, high
    return below, above


def proportions(p: float, runs: int) -> dict[str, Any]:
    """Decisive answers, a look after every one: the beta mixture, the asymptotic sequence, and Wald's interval."""
    name = f"decisive answers, P = {p}"
    below, above = proportion_excludes(p, ANSWERS)
    t = np.arange(1, ANSWERS + 1)
    asymptotic = np.array([_multiplier(int(k)) for k in t])
    begun = np.isfinite(asymptotic)
    tally = Tally()
    for run in range(runs):
        s = np.cumsum(_rng(name, run).random(ANSWERS) < p)
        mean = s / t
        distance = np.abs(mean - p)
        se = np.sqrt(mean * (1.0 - mean) / t)
        tally.add(
            run,
            {
                "beta mixture": float(((s <= below) | (s >= above)).any()),
                "asymptotic": float((distance > asymptotic * se)[begun].any()),
                "Wald": float((distance > Z * se)[WALD_FROM - 1 :].any()),
                "Wald, one look": float(distance[-1] > Z * se[-1]),
            },
        )
    return line(name, {"p": p, "answers": ANSWERS}, tally)


def _multiplier(t: int) -> float:
    try:
        return looking_early.multiplier(t, 500)
    except InputError:
        return math.nan  # it has not begun


def with_ties(shares: tuple[float, float, float], runs: int) -> dict[str, Any]:
    """Answers with ties as scores 1, 1/2, 0: the hedged capital, a look after every 25 answers."""
    name = f"answers with ties, {shares[0]}, {shares[1]}, {shares[2]}"
    true = shares[0] + shares[1] / 2
    tally = Tally()
    looks = np.arange(FIRST_LOOK, ANSWERS + 1, EVERY)
    asymptotic = np.array([_multiplier(int(k)) for k in looks])
    begun = np.isfinite(asymptotic)
    for run in range(runs):
        uniform = _rng(name, run).random(ANSWERS)
        y = 0.5 * ((uniform < shares[0]).astype(float) + (uniform < shares[0] + shares[1]))
        limits = np.array([looking_early.bounded_scores(y[:k]) for k in looks])
        mean = np.cumsum(y)[looks - 1] / looks
        se = np.array([y[:k].std() for k in looks]) / np.sqrt(looks)
        distance = np.abs(mean - true)
        tally.add(
            run,
            {
                "hedged capital": float(((limits[:, 0] > true) | (limits[:, 1] < true)).any()),
                "asymptotic": float((distance > asymptotic * se)[begun].any()),
                "Wald": float((distance > Z * se).any()),
                "half width at the end": float((limits[-1, 1] - limits[-1, 0]) / 2),
            },
        )
    return line(name, {"shares": shares, "answers": ANSWERS, "every": EVERY}, tally)


def judges_coming_in(runs: int, most: int = 200, planned: int = 100, every: int = 5) -> dict[str, Any]:
    """A table that grows by judges with preferences: the contrast of two items with CR2, a look after every 5 judges."""
    design = Design(f"judges coming in, {most}", most, judge_sd=0.6, answers=10)
    true, tally = truth(design)[0, -1], Tally()
    ends = design.items[0], design.items[-1]
    for run in range(runs):
        table = drawn(design, run)
        sequence = fixed = False
        judge = table.columns["judge"]
        assert isinstance(judge, Factor), "as `drawn` makes it"
        for judges in range(50, most + 1, every):
            found = (
                fitted(table.select(judge.codes < judges), design.model).clustered("judge").contrast(*ends)
            )
            distance = abs(found.estimate - true) / found.se
            sequence |= distance > looking_early.multiplier(judges, planned)
            fixed |= distance > Z
        tally.add(run, {"asymptotic": float(sequence), "Wald": float(fixed)})
    return line(design.name, {"judges": most, "from": 50, "every": every, "planned": planned}, tally)
