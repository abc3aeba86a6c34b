"""A translation competition drawn from the Gaussian item-response model, and what it costs as it grows.

Each source segment is translated by every system; five of the translations are drawn and ranked, which enters
as ten comparisons (WMT's way).  Abilities, qualities and the judges' noise are those of
pairproof.native.competitions.irt.gaussian_irt, at the paper's constants; items are shared within a segment.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from multiprocessing import get_context
from typing import Any

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.native.competitions.irt.gaussian_gibbs import GaussianModel, oriented, shared_chain
from pairproof.native.competitions.irt.gaussian_irt import fit_irt_gaussian
from pairproof.native.competitions.irt.posterior import item_codes

SYSTEMS = 13
RANKED = 5
PER_SEGMENT = RANKED * (RANKED - 1) // 2
SEED = 2013
#: Comparisons whose differences are drawn under the clock, in all iterations together: about a second.
DRAWN = 20_000_000


def competition(segments: int, model: GaussianModel = GaussianModel(), seed: int = SEED) -> Comparisons:
    """`segments` times ten comparisons of 13 systems, one a row, with a column `source`."""
    rng = np.random.default_rng(seed)
    ability = model.sd_ability * rng.standard_normal(SYSTEMS)
    system = np.argsort(rng.random((segments, SYSTEMS)), axis=1)[:, :RANKED]
    quality = ability[system] + model.sd_quality * rng.standard_normal(system.shape)
    a, b = np.array(list(combinations(range(RANKED), 2))).T
    # Both options are seen with fresh noise in each comparison: the ten are independent given the qualities.
    noise = model.sd_noise * rng.standard_normal((2, segments, PER_SEGMENT))
    seen = (quality[:, a] + noise[0] - quality[:, b] - noise[1]).ravel()
    first, second, tie = seen >= model.radius, seen <= -model.radius, np.abs(seen) < model.radius
    source = Factor(
        np.repeat(np.arange(segments), PER_SEGMENT), tuple(f"segment {k + 1}" for k in range(segments))
    )
    return Comparisons.build(
        [f"s{k + 1:02d}" for k in range(SYSTEMS)],
        system[:, a].ravel(),
        system[:, b].ravel(),
        first.astype(float),
        tie.astype(float),
        second.astype(float),
        columns={"source": source},
        source="simulated competition",
    )


def cost(segments: int) -> dict[str, Any]:
    """What shared items by Gibbs cost: CPU seconds before the first iteration and in each, and bytes added at
    the peak.
    """
    model = GaussianModel()
    fit_irt_gaussian(
        competition(5), items="shared", chains=1, warmup=0, draws=2, workers=1, warn=False
    )  # imports
    table = competition(segments)
    gc.collect()
    begin = time.process_time()
    data = oriented(table, model)
    author, segment, item = item_codes(table, data.up, data.down, data.row)
    chain = shared_chain(data, author, segment, item, model)(np.random.default_rng(SEED))
    ready = time.process_time()
    iterations = int(np.clip(DRAWN // table.n_rows, 5, 400))
    for _ in range(iterations):
        chain.step()
    end = time.process_time()
    del data, author, segment, item, chain
    gc.collect()
    # A run of its own, for tracing is not free. Numpy's arrays are traced, and they are all that grows.
    tracemalloc.start()
    fit_irt_gaussian(table, items="shared", chains=1, warmup=0, draws=2, workers=1, warn=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "comparisons": table.n_rows,
        "set_up": ready - begin,
        "iteration": (end - ready) / iterations,
        "iterations": iterations,
        "peak": peak,
    }


def costs(sizes: list[int]) -> list[dict[str, Any]]:
    """:func:`cost` of each number of segments, each in a fresh process, one after the other."""
    found = []
    for segments in sizes:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found.append(pool.submit(cost, segments).result())
    return found
