"""The record of Sakaguchi and Van Durme's experiments, simulated and written."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import scipy

import pairproof
from pairproof.native.annotation.simulated.simulated_panel import TRUTHS
from pairproof.numerics.arrays import FloatArray
from pairproof.validation.papers.sakaguchi_2018 import statements_simulated as grid


def keep(found: dict[str, dict[str, FloatArray]], replicates: int) -> Path:
    """Write the record of all cells."""
    document = {
        "made_with": {
            "pairproof": pairproof.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "seed": grid.SEED,
        "items": grid.ITEMS,
        "agreement": grid.AGREEMENT,
        "replicates": replicates,
        "after": grid.AFTER,
        "unit": grid.UNIT,
    }
    head = json.dumps(document, indent=1)[:-2]
    rows = ",\n".join(
        f'  "{cell}": {{\n'
        + ",\n".join(
            f'   "{name}": {json.dumps(grid.coded(values), separators=(",", ":"))}'
            for name, values in of.items()
        )
        + "\n  }"
        for cell, of in found.items()
    )
    grid.RECORD.write_text(f'{head},\n "rho": {{\n{rows}\n }}\n}}\n', encoding="utf-8")
    grid.read.cache_clear()
    return grid.RECORD


def _job(job: tuple[grid.Cell, int]) -> dict[str, FloatArray]:
    return grid.replicate_of(*job)


def recorded_cells() -> list[grid.Cell]:
    """Every cell of the record."""
    of = [(next(t for t in TRUTHS if t == truth), agreement) for truth, agreement in grid.AGREEMENT.items()]
    return [c for pair in of for c in grid.cells(*pair)] + [
        c for pair in of for c in grid.cells_that_differ(*pair)
    ]


def simulate_all(
    workers: int, progress: Callable[[int, int], None], every: Sequence[grid.Cell] | None = None
) -> dict[str, dict[str, FloatArray]]:
    """Every cell of the record, simulated; progress is called with (done, all) replicates."""
    every = recorded_cells() if every is None else every
    # Replicates outside, so that the noise of a truth is looked for once a process.
    jobs = [(cell, r) for r in range(grid.REPLICATES) for cell in every]
    found: dict[str, list[dict[str, FloatArray]]] = {cell.name: [] for cell in every}
    with ProcessPoolExecutor(workers) as pool:
        for done, ((cell, _), one) in enumerate(zip(jobs, pool.map(_job, jobs, chunksize=4)), start=1):
            found[cell.name].append(one)
            progress(done, len(jobs))
    return {
        cell: {name: np.stack([one[name] for one in each], axis=1) for name in each[0]}
        for cell, each in found.items()
    }
