"""Methods over a grid of shifts and contexts, and where one passes another.

What Sakaguchi and Van Durme (2018) claim of RA and EASL depends on how annotators differ and on what showing
items together does. Here every method is run over shifts (standard deviation of annotator and session
together) and contexts (:mod:`pairproof.native.annotation.simulated.simulated_panel`). A difference counts if
it is more than two standard errors of the replicates, which are paired: every method has the same people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....errors import InputError
from ..beta import FloatArray
from .simulated_panel import Context
from .simulation import Experiment, Simulation, simulate

#: Shifts of the grid: none, and up to twice that of WMT21's direct assessment (.14).
SHIFTS = (0.0, 0.1, 0.2, 0.3)
#: A difference must be this many standard errors to count.
CLEAR = 2.0


def turning(
    shifts: Sequence[float], first: Sequence[float], second: Sequence[float]
) -> tuple[float, float] | None:
    """Between which shifts the first method passes the second.

    shifts: rising.  `first`, second: spearman's rho of the two methods at each shift.  Returns (float, float)
    or None: the last shift at which the first is behind and the next one; (0, 0) if it is ahead from the
    first on; None if it is behind at the last.
    """
    if not len(shifts) == len(first) == len(second):
        raise InputError(
            f"{len(shifts)} shifts, {len(first)} and {len(second)} values; expected as many of each"
        )
    behind = [k for k in range(len(shifts)) if first[k] <= second[k]]
    if not behind:
        return 0.0, 0.0
    last = behind[-1]
    return None if last == len(shifts) - 1 else (float(shifts[last]), float(shifts[last + 1]))


@dataclass(frozen=True, eq=False)
class Grid:
    """Spearman's rho of methods with the truth, over contexts, shifts and judgments.

    contexts: "none", "uniform:0.7", ...  shifts: rising.  after: judgments an item, rising.  rho: "da",
    "da+", ...: a method, and with + its corrected scores; nan where there are none.
    """

    contexts: tuple[str, ...]
    shifts: tuple[float, ...]
    after: tuple[int, ...]
    rho: Mapping[str, FloatArray]

    @property
    def names(self) -> tuple[str, ...]:
        """Methods, and with + their corrected scores."""
        return tuple(self.rho)

    def values(self, name: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts, replicates]."""
        if name not in self.rho or after not in self.after or context not in self.contexts:
            raise InputError(
                f"{name} after {after} judgments an item in context {context} was not run; there are"
                f" {', '.join(self.names)} after {', '.join(map(str, self.after))} in"
                f" {', '.join(self.contexts)}"
            )
        found: FloatArray = self.rho[name][self.contexts.index(context), :, self.after.index(after)]
        return found

    def curve(self, name: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: mean of Spearman's rho."""
        found: FloatArray = self.values(name, after, context).mean(axis=1)
        return found

    def standard_error(self, name: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: of the mean over replicates; nan with one."""
        return _standard_error(self.values(name, after, context))

    def gap(self, first: str, second: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: mean difference first - second."""
        return self.curve(first, after, context) - self.curve(second, after, context)

    def ahead(self, first: str, second: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: mean difference first - second where it is clear, else 0."""
        gap = self.values(first, after, context) - self.values(second, after, context)
        if gap.shape[1] < 2:
            raise InputError("one replicate has no standard error; expected two or more")
        mean: FloatArray = gap.mean(axis=1)
        found: FloatArray = np.where(np.abs(mean) > CLEAR * _standard_error(gap), mean, 0.0)
        return found

    def turning(
        self, first: str, second: str, after: int, context: str = "none"
    ) -> tuple[float, float] | None:
        """Between which shifts the first passes the second; see :func:`turning`."""
        one, other = (self.curve(name, after, context).tolist() for name in (first, second))
        return turning(self.shifts, one, other)


def _standard_error(values: FloatArray) -> FloatArray:
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), np.nan)
    found: FloatArray = values.std(axis=1, ddof=1) / np.sqrt(n)
    return found


def panel_grid(
    experiment: Experiment,
    shifts: Sequence[float] = SHIFTS,
    contexts: Sequence[Context] = (Context(),),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[Simulation, ...], ...]:
    """Run an experiment for every context and shift, in place of its panel's own.

    shifts: rising, >= 0.  contexts: each once.  Returns tuple of tuple of Simulation: by context, then shift;
    :func:`grid_of` makes a grid of them.
    """
    if not shifts or list(shifts) != sorted(set(shifts)):
        raise InputError(f"shifts={tuple(shifts)}; expected rising numbers")
    if not contexts or len(set(contexts)) != len(contexts):
        raise InputError(
            f"contexts {', '.join(map(str, contexts)) or 'none given'}; expected one or more, each once, such as"
            " none"
        )
    cells = len(contexts) * len(shifts)
    each = len(experiment.methods) * experiment.replicates
    rows, begun = [], 0
    for context in contexts:
        row = []
        for shift in shifts:
            panel = replace(experiment.panel, shift=float(shift), context=context)
            before = begun * each

            def advance(done: int, _: int, before: int = before) -> None:
                if progress is not None:
                    progress(before + done, cells * each)

            row.append(simulate(replace(experiment, panel=panel), advance))
            begun += 1
        rows.append(tuple(row))
    return tuple(rows)


def grid_of(runs: Sequence[Sequence[Simulation]]) -> Grid:
    """The grid of simulations by context, then shift, after every iteration.

    runs: as :func:`panel_grid` gives them.  Returns Grid: corrected scores after other iterations than those
    stated are nan.
    """
    first = runs[0][0].experiment
    rho = {name: np.stack([np.stack([s.of(name).T for s in row]) for row in runs]) for name in first.names}
    return Grid(
        tuple(str(row[0].experiment.panel.context) for row in runs),
        tuple(s.experiment.panel.shift for s in runs[0]),
        tuple(range(1, first.budget + 1)),
        rho,
    )
