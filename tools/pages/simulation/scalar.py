"""Scalar annotation simulated: how often intervals of systems hold, and what looking all the time does to items.

Systems: 24 sources, 4 systems alike in truth, 8 annotators, 2 judgments an item; standard deviations .1 (source),
.08 (item), .1 (annotator), .12 (a judgment), and that of how annotators like systems.  Items: 60, noise .2 clipped
to the scale, and the truth is the expected score after clipping; looks after each of the batches 3 to 40.

`python -m tools.pages.simulation.scalar` simulates anew what the page says and keeps it in docs/records/scalar.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from pairproof.native.annotation.allocation import next_hits
from pairproof.native.annotation.beta import interval
from pairproof.native.annotation.methods import observe, start
from pairproof.native.annotation.scores.stopping_rules import FEWEST_BATCHES, PRIOR_JUDGMENTS, boundary
from pairproof.native.annotation.scores.systems_model import systems_model

from ..snippets import ROOT
from .answers import SEED
from .tally import Tally, keep, line, read

FloatArray = NDArray[np.float64]
RECORDS = ROOT / "docs" / "records" / "scalar"
TABLES, RUNS = 250, 100
SOURCES, SYSTEMS, ANNOTATORS, JUDGMENTS = 24, 4, 8, 2
ITEMS, NOISE, BATCHES, PER_HIT = 60, 0.2, 40, 5
ALPHA, PLANNED, GOAL = 0.05, 10.0, 0.12
Who = Literal["same", "mixed"]


def drawn(name: str, table: int) -> np.random.Generator:
    """The random numbers of one table: the same alone as among all."""
    return np.random.default_rng([SEED, zlib.crc32(name.encode()), table])


# -- systems -------------------------------------------------------------------------------------------------

DESIGNS: Mapping[str, tuple[Who, float]] = {
    "the same annotators for all outputs of a source, liking 0": ("same", 0.0),
    "annotators mixed, liking 0": ("mixed", 0.0),
    "the same annotators for all outputs of a source, liking .05": ("same", 0.05),
    "annotators mixed, liking .05": ("mixed", 0.05),
}

#: Name, and arguments of `systems_model`.
WAYS: tuple[tuple[str, Literal["mixed", "ols"], bool], ...] = (
    ("mixed model without annotator:system", "mixed", False),
    ("mixed model with annotator:system", "mixed", True),
    ("two-way clusters", "ols", True),
)


def systems(name: str, tables: int = TABLES) -> dict[str, Any]:
    """Share of the six differences, all 0 in truth, that each 95 % interval holds."""
    who, liking = DESIGNS[name]
    tally = Tally()
    source, system, turn = (a.ravel() for a in np.indices((SOURCES, SYSTEMS, JUDGMENTS)))
    for k in range(tables):
        rng = drawn(name, k)
        # Two different annotators for each item: of a source's own two, or drawn for each item.
        order = rng.permuted(np.tile(np.arange(ANNOTATORS), (SOURCES, SYSTEMS, 1)), axis=2)[..., :JUDGMENTS]
        judge = (order[:, :1, :] if who == "same" else order)[source, system if who == "mixed" else 0, turn]
        y = (
            rng.normal(0, 0.1, SOURCES)[source]
            + rng.normal(0, 0.08, (SOURCES, SYSTEMS))[source, system]
            + rng.normal(0, 0.1, ANNOTATORS)[judge]
            + rng.normal(0, 1, (ANNOTATORS, SYSTEMS))[judge, system] * liking
            + rng.normal(0, 0.12, len(source))
        )
        means = y.reshape(SOURCES, SYSTEMS, JUDGMENTS).mean(axis=2)
        held = {"segments as if independent": _t_two(means), "paired by source": _t_paired(means)}
        for label, way, by in WAYS:
            found = systems_model(system.tolist(), source.tolist(), judge.tolist(), y, way, by)
            held[label] = float(np.mean([c.low <= 0 <= c.high for c in found.contrasts]))
            held[f"width, {label}"] = float(np.mean([c.high - c.low for c in found.contrasts]))
        tally.add(k, held)
    return line(name, {"who": who, "liking": liking}, tally)


def _pairs() -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(SYSTEMS) for j in range(i))


def _t_two(means: FloatArray) -> float:
    return float(np.mean([stats.ttest_ind(means[:, i], means[:, j]).pvalue >= ALPHA for i, j in _pairs()]))


def _t_paired(means: FloatArray) -> float:
    return float(np.mean([stats.ttest_rel(means[:, i], means[:, j]).pvalue >= ALPHA for i, j in _pairs()]))


# -- items looked at all the time ----------------------------------------------------------------------------


def clipped_mean(mean: FloatArray, sd: float) -> FloatArray:
    """E of a normal score set to 0 below 0 and to 1 above 1."""
    low, high = -mean / sd, (1 - mean) / sd
    inside = stats.norm.cdf(high) - stats.norm.cdf(low)
    found: FloatArray = (
        mean * inside - sd * (stats.norm.pdf(high) - stats.norm.pdf(low)) + stats.norm.sf(high)
    )
    return found


def looking(method: Literal["easl", "random"], runs: int = RUNS) -> dict[str, Any]:
    """Share of items whose interval ever misses, and judgments an item when all intervals are short."""
    name = f"items, {method}"
    tally = Tally()
    for k in range(runs):
        tally.add(k, _run(method, drawn(name, k)))
    design = {"method": method, "items": ITEMS, "noise": NOISE, "batches": BATCHES}
    # One run beside the sums, so that a test can draw it again in a second.
    return line(name, design, tally, alone=_run(method, drawn(name, 0)))


def _run(method: Literal["easl", "random"], rng: np.random.Generator) -> dict[str, float]:
    mean = rng.uniform(0, 1, ITEMS)
    truth = clipped_mean(mean, NOISE)
    state = start(method, ITEMS)
    n, total, squares = np.zeros(ITEMS), np.zeros(ITEMS), np.zeros(ITEMS)
    missed: dict[str, NDArray[np.bool_]] = {}
    found: dict[str, float] = {}
    for batch in range(1, BATCHES + 1):
        hits = next_hits(state, state.n, PER_HIT, ITEMS // PER_HIT, rng, first=batch == 1)
        scores = np.clip(mean[hits] + rng.normal(0, NOISE, hits.shape), 0, 1)
        state = observe(state, list(hits), list(scores))
        for store, value in ((n, np.ones_like(scores)), (total, scores), (squares, scores**2)):
            np.add.at(store, hits.ravel(), value.ravel())
        if batch < FEWEST_BATCHES:
            continue
        center, half = _intervals(n, total, squares, state.a, state.b)
        for label, width in half.items():
            out = np.abs(center[label] - truth) > width
            missed[label] = out | missed.get(label, np.zeros(ITEMS, bool))
            if np.all(width <= GOAL) and f"stopped, {label}" not in found:
                found[f"stopped, {label}"] = 1.0
                found[f"judgments an item, {label}"] = float(n.mean())
                found[f"missed at the stop, {label}"] = float(out.mean())
    for label, ever in missed.items():
        found[f"ever missed, {label}"] = float(ever.mean())
        found.setdefault(f"stopped, {label}", 0.0)
    found["any missed, sequence, alpha / items"] = float(missed["sequence, alpha / items"].any())
    return found


def _intervals(
    n: FloatArray, total: FloatArray, squares: FloatArray, a: FloatArray, b: FloatArray
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Centre and half-width of each interval."""
    mean = total / np.maximum(n, 1)
    ss = np.maximum(squares - n * mean**2, 0)
    pooled = ss.sum() / (n.sum() - ITEMS)
    own = np.sqrt(ss / np.maximum(n - 1, 1) / np.maximum(n, 1)) * stats.t.ppf(
        1 - ALPHA / 2, np.maximum(n - 1, 1)
    )
    # One score has no spread of its own: nothing is said of that item.
    own = np.where(n > 1, own, np.inf)
    spread = np.sqrt(np.maximum(pooled, (PRIOR_JUDGMENTS * pooled + ss) / (PRIOR_JUDGMENTS - 1 + n)))
    low, high = interval(a, b, 1 - ALPHA)
    half = {
        "t of the item": own,
        "EASL's beta": (high - low) / 2,
        "z, pooled spread": stats.norm.ppf(1 - ALPHA / 2) * np.sqrt(pooled / np.maximum(n, 1)),
        "sequence": spread * boundary(np.maximum(n, 1), ALPHA, PLANNED),
        "sequence, alpha / items": spread * boundary(np.maximum(n, 1), ALPHA / ITEMS, PLANNED),
    }
    center = {label: mean for label in half} | {"EASL's beta": (low + high) / 2}
    return center, half


JOBS: Mapping[str, Callable[[], dict[str, Any]]] = {
    **{name: partial(systems, name) for name in DESIGNS},
    **{f"items, {method}": partial(looking, method) for method in ("easl", "random")},
}


def main() -> None:
    for name, job in JOBS.items():
        print(keep("scalar", [job()], RECORDS), name, flush=True)


def rates() -> dict[str, dict[str, dict[str, float]]]:
    """Name of the line -> method -> rate."""
    return {one["name"]: one["rates"] for one in read("scalar", RECORDS)["lines"]}


if __name__ == "__main__":
    main()
