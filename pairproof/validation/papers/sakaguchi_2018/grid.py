"""Every method of the paper's experiments over shifts of annotators and kinds of context, simulated and
recorded.

The annotators are alike but for a shift (half of its variance an annotator's, half a session's), and their
noise is such that without a shift they agree as far as the paper's did. Beside them stand annotators who
differ in every way that was found in WMT21 (the defaults of :class:`Panel`), with a noise at which they agree
as far with all their differences. Every replicate has a truth of its own: 150 items, drawn anew. Corrected
scores (da+, random+, easl+) are the items' predictions in the mixed model item + session + annotator.

The grid takes some twenty minutes on one core, so it is simulated once (`python -m docs.sakaguchi
--simulate`) and kept in ``sakaguchi-2018.grid.json``, in units of 1e-4, every replicate with its own seed:
any part can be drawn again, and a test does so. What is not recorded (another agreement) is simulated when it
is asked for, with fewer replicates.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError
from ....native.annotation.beta import FloatArray
from ....native.annotation.methods import Method
from ....native.annotation.simulated.panel_agreement import sd_for_agreement
from ....native.annotation.simulated.panel_grid import SHIFTS, Grid
from ....native.annotation.simulated.simulated_panel import SHIFT, STEP, Context, Panel
from ....native.annotation.simulated.simulated_truths import TRUTHS, Truth, truth_of
from ....native.annotation.simulated.simulation import Experiment, simulate

RECORD = Path(__file__).with_name("sakaguchi-2018.grid.json")
SEED, ITEMS = 2018, 150
METHODS: tuple[Method, ...] = ("da", "random", "easl", "ra")
CONTEXTS = ("none", "uniform:0.7", "similar:0.5")
#: Judgments an item at which scores are compared with the truth: those that the paper names, and more.
AFTER = (1, 2, 3, 4, 6, 10)
#: Truth -> how far the paper's annotators agreed (footnotes 17 and 20).
AGREEMENT = {"lexical": "0.37", "political": "0.67"}
#: Replicates of the record, and of what is simulated when it is asked for.
REPLICATES, AT_ONCE = 40, 4
UNIT = 1e-4


@dataclass(frozen=True)
class Cell:
    """A cell of the grid.

    agreement: spearman's rho of two annotators: of annotators who are alike, without the shift; of annotators
    who differ, with it.  differ: annotators differ as in WMT21, and not by the shift alone.
    """

    truth: Truth
    agreement: str
    context: str
    shift: float
    differ: bool = False

    @property
    def name(self) -> str:
        return f"{self.truth} {self.context} {'wmt21' if self.differ else format(self.shift, 'g')}"


def cells(truth: Truth, agreement: str) -> list[Cell]:
    """The cells of one truth, by context, then shift."""
    return [Cell(truth, agreement, context, shift) for context in CONTEXTS for shift in SHIFTS]


def cells_that_differ(truth: Truth, agreement: str) -> list[Cell]:
    """Those of one truth whose annotators differ as in WMT21, by context."""
    return [Cell(truth, agreement, context, SHIFT, True) for context in CONTEXTS]


@lru_cache(maxsize=512)
def _drawn(truth: Truth, agreement: str, replicate: int, differ: bool) -> tuple[FloatArray, float]:
    """The truth of a replicate, and the noise at which its annotators agree as far as stated."""
    drawn = truth_of(truth, ITEMS, np.random.default_rng([SEED, TRUTHS.index(truth), replicate]))
    panel = Panel(0.0) if differ else Panel.alike(0.0)
    return drawn, sd_for_agreement(drawn, float(agreement), panel, replicate)


def replicate_of(cell: Cell, replicate: int) -> dict[str, FloatArray]:
    """Name -> float[AFTER]: Spearman's rho of one replicate; nan where there are no corrected scores."""
    truth, sd = _drawn(cell.truth, cell.agreement, replicate, cell.differ)
    panel = Panel(sd) if cell.differ else replace(Panel.alike(sd), step=STEP)
    panel = replace(panel, context=Context.read(cell.context), shift=cell.shift)
    corrected = tuple(t for t in AFTER if t > 1)
    found = simulate(
        Experiment(truth, panel, METHODS, AFTER[-1], 1, seed=SEED + replicate, corrected=corrected)
    )
    lost = {name: n for name, n in found.not_fitted.items() if n}
    if lost:
        raise InputError(f"{cell.name}, replicate {replicate}: no corrected scores of {', '.join(lost)}")
    return {name: found.of(name)[0, [t - 1 for t in AFTER]] for name in found.experiment.names}


def simulated(cell: Cell, replicates: Sequence[int]) -> dict[str, FloatArray]:
    """Name -> float[AFTER, replicates]."""
    each = [replicate_of(cell, r) for r in replicates]
    return {name: np.stack([one[name] for one in each], axis=1) for name in each[0]}


@dataclass(frozen=True)
class Grids:
    """The simulations of a truth.

    shifted: annotators who are alike but for a shift.  differing: annotators as in WMT21; one shift.  source:
    where they come from, in words.
    """

    shifted: Grid
    differing: Grid
    source: str


@lru_cache(maxsize=8)
def grids(truth: Truth, agreement: str) -> Grids:
    """The simulations of a truth."""
    if float(agreement) == float(AGREEMENT.get(truth, "nan")):
        record = read()
        rho, n = record["rho"], record["replicates"]
        source = f"{n} simulated replicates, each with a truth of its own, recorded"
    else:
        every = cells(truth, agreement) + cells_that_differ(truth, agreement)
        rho = {c.name: {k: _coded(v) for k, v in simulated(c, range(AT_ONCE)).items()} for c in every}
        source = f"{AT_ONCE} replicates simulated now, each with a truth of its own"
    return Grids(_grid(cells(truth, agreement), rho), _grid(cells_that_differ(truth, agreement), rho), source)


def _grid(of: Sequence[Cell], recorded: dict[str, dict[str, list[list[int | None]]]]) -> Grid:
    """From what the record holds of cells by context, then shift."""
    shifts = tuple(dict.fromkeys(cell.shift for cell in of))
    rows = [of[k : k + len(shifts)] for k in range(0, len(of), len(shifts))]
    rho = {
        name: np.stack([np.stack([_decoded(recorded[c.name][name]) for c in row]) for row in rows])
        for name in recorded[of[0].name]
    }
    return Grid(tuple(row[0].context for row in rows), shifts, AFTER, rho)


def _coded(values: FloatArray) -> list[list[int | None]]:
    return [[None if np.isnan(x) else round(float(x) / UNIT) for x in row] for row in values]


def _decoded(rows: list[list[int | None]]) -> FloatArray:
    return np.array([[np.nan if x is None else x * UNIT for x in row] for row in rows])


# -- the record ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def read() -> dict[str, Any]:
    """The record: how it was made, and rho by cell, name, judgments an item and replicate in units of
    1e-4."""
    document: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return document


def keep(found: dict[str, dict[str, FloatArray]], replicates: int) -> Path:
    """Write the record of all cells."""
    import scipy

    import pairproof

    document = {
        "made_with": {
            "pairproof": pairproof.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "seed": SEED,
        "items": ITEMS,
        "agreement": AGREEMENT,
        "replicates": replicates,
        "after": AFTER,
        "unit": UNIT,
    }
    head = json.dumps(document, indent=1)[:-2]
    rows = ",\n".join(
        f'  "{cell}": {{\n'
        + ",\n".join(
            f'   "{name}": {json.dumps(_coded(values), separators=(",", ":"))}' for name, values in of.items()
        )
        + "\n  }"
        for cell, of in found.items()
    )
    RECORD.write_text(f'{head},\n "rho": {{\n{rows}\n }}\n}}\n', encoding="utf-8")
    read.cache_clear()
    return RECORD


def _job(job: tuple[Cell, int]) -> dict[str, FloatArray]:
    return replicate_of(*job)


def recorded_cells() -> list[Cell]:
    """Every cell of the record."""
    of = [(next(t for t in TRUTHS if t == truth), agreement) for truth, agreement in AGREEMENT.items()]
    return [c for pair in of for c in cells(*pair)] + [c for pair in of for c in cells_that_differ(*pair)]


def simulate_all(
    workers: int, progress: Callable[[int, int], None], every: Sequence[Cell] | None = None
) -> dict[str, dict[str, FloatArray]]:
    """Every cell of the record, simulated; progress is called with (done, all) replicates."""
    from concurrent.futures import ProcessPoolExecutor

    every = recorded_cells() if every is None else every
    # Replicates outside, so that the noise of a truth is looked for once a process.
    jobs = [(cell, r) for r in range(REPLICATES) for cell in every]
    found: dict[str, list[dict[str, FloatArray]]] = {cell.name: [] for cell in every}
    with ProcessPoolExecutor(workers) as pool:
        for done, ((cell, _), one) in enumerate(zip(jobs, pool.map(_job, jobs, chunksize=4)), start=1):
            found[cell.name].append(one)
            progress(done, len(jobs))
    return {
        cell: {name: np.stack([one[name] for one in each], axis=1) for name in each[0]}
        for cell, each in found.items()
    }
