"""Methods over a grid of shifts and contexts: where one passes another, and where the paper's verdicts turn.

What Sakaguchi and Van Durme (2018) claim, that RA needs fewer judgments than direct assessment and that EASL
does, depends on how annotators differ and on what showing items together does. RA looks at the order within a
HIT alone, which a shift of the whole HIT leaves as it is; EASL shows items together, which may lower the
noise, and chooses them, which random HITs do not. Every method is run over shifts (standard deviation of
annotator and session together) and contexts (:mod:`pairproof.native.annotation.simulated.simulated_panel`). A
difference counts if it is more than two standard errors of the replicates, which are paired: every method has
the same people. The verdicts are sentences, and compare with raw scores and with scores that are corrected
for annotators and sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Union

import numpy as np

from ....errors import InputError
from ....numerics.arrays import BoolArray
from ..beta import FloatArray
from .simulated_panel import Context
from .simulation import Experiment, Simulation, simulate

#: Shifts of the grid: none, and up to twice that of WMT21's direct assessment (.14).
SHIFTS = (0.0, 0.1, 0.2, 0.3)
_Between = Union[tuple[float, float], None]
#: A difference must be this many standard errors to count.
CLEAR = 2.0


def turning(shifts: Sequence[float], first: Sequence[float], second: Sequence[float]) -> _Between:
    """Between which shifts the first method passes the second.
    `first`, second: spearman's rho of the two methods at each shift.  Returns (float, float) or None: the
    last shift at which the first is behind and the next one; (0, 0) if it is ahead from the first on; None if
    it is behind at the last."""
    if not len(shifts) == len(first) == len(second):
        raise InputError(
            f"{len(shifts)} shifts, {len(first)} and {len(second)} values; expected as many of each"
        )
    last = max((k for k in range(len(shifts)) if first[k] <= second[k]), default=-1)
    if last < 0:
        return 0.0, 0.0
    return None if last == len(shifts) - 1 else (float(shifts[last]), float(shifts[last + 1]))


@dataclass(frozen=True, eq=False)
class Grid:
    """Spearman's rho of methods with the truth, over contexts, shifts and judgments.
    contexts: "none", "uniform:0.7", ... shifts: rising.  rho: "da", "da+", ...: a method, and with + its
    corrected scores; nan where there are none."""

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
        return np.asarray(self.rho[name][self.contexts.index(context), :, self.after.index(after)])

    def curve(self, name: str, after: int, context: str = "none") -> FloatArray:
        """float[shifts]: mean of Spearman's rho."""
        return np.asarray(self.values(name, after, context).mean(axis=1))

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
        return np.asarray(np.where(np.abs(mean) > CLEAR * _standard_error(gap), mean, 0.0))

    def turning(self, first: str, second: str, after: int, context: str = "none") -> _Between:
        """Between which shifts the first passes the second; see :func:`turning`."""
        one, other = (self.curve(name, after, context).tolist() for name in (first, second))
        return turning(self.shifts, one, other)


def _standard_error(values: FloatArray) -> FloatArray:
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), np.nan)
    return np.asarray(values.std(axis=1, ddof=1) / np.sqrt(n))


def panel_grid(
    experiment: Experiment,
    shifts: Sequence[float] = SHIFTS,
    contexts: Sequence[Context] = (Context(),),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[Simulation, ...], ...]:
    """Run an experiment for every context and shift, in place of its panel's own.
    shifts: rising, >= 0.  Returns tuple of tuple of Simulation: by context, then shift; :func:`grid_of` makes
    a grid of them."""
    if not shifts or list(shifts) != sorted(set(shifts)):
        raise InputError(f"shifts={tuple(shifts)}; expected rising numbers")
    if not contexts or len(set(contexts)) != len(contexts):
        raise InputError(
            f"contexts {', '.join(map(str, contexts)) or 'none given'}; expected one or more, each once, such as"
            " none"
        )
    each = len(experiment.methods) * experiment.replicates
    total = len(contexts) * len(shifts) * each
    runs: list[Simulation] = []
    for context, shift in product(contexts, shifts):
        panel = replace(experiment.panel, shift=float(shift), context=context)

        def advance(done: int, _: int, before: int = len(runs) * each) -> None:
            if progress is not None:
                progress(before + done, total)

        runs.append(simulate(replace(experiment, panel=panel), advance))
    return tuple(tuple(runs[k : k + len(shifts)]) for k in range(0, len(runs), len(shifts)))


def grid_of(runs: Sequence[Sequence[Simulation]]) -> Grid:
    """The grid of simulations by context, then shift, after every iteration.
    Returns Grid: corrected scores after other iterations than those stated are nan."""
    first = runs[0][0].experiment
    rho = {name: np.stack([np.stack([s.of(name).T for s in row]) for row in runs]) for name in first.names}
    contexts = tuple(str(row[0].experiment.panel.context) for row in runs)
    shifts = tuple(s.experiment.panel.shift for s in runs[0])
    return Grid(contexts, shifts, tuple(range(1, first.budget + 1)), rho)


def crossing(grid: Grid, first: str, second: str, after: int, context: str = "none") -> float | None:
    """The shift at which the first method passes the second, by a straight line between the grid's shifts.
    Returns float or None: 0 if it is ahead from the first shift on; None if it is behind at the last."""
    between = grid.turning(first, second, after, context)
    if between is None or between == (0.0, 0.0):
        return None if between is None else 0.0
    gap = grid.gap(first, second, after, context)
    k = grid.shifts.index(between[0])
    part = float(-gap[k] / (gap[k + 1] - gap[k]))
    return between[0] + part * (between[1] - between[0])


def verdict_on_ra(grid: Grid, after: Sequence[int] = (4, 10)) -> str:
    """Whether RA beats direct assessment, and from which shift on.
    grid: with da, da+, random+, easl+ and ra, two replicates or more, and the context none."""
    ahead = _ahead(grid, "ra", "da", after)
    at = _shifts_of(grid, after, "none")
    if not ahead.any():
        behind = ", ".join(
            f"after {n} it is {_signed(float(grid.gap('ra', 'da', n)[-1]))} there" for n in after
        )
        raw = (
            f"not clearly against uncorrected scores either, up to shifts of sd {grid.shifts[-1]:g}"
            f" ({behind})"
        )
    elif at:
        raw = f"with shifts of sd {at} against uncorrected scores, yes ({_passes(grid, after)})"
    else:
        raw = f"against uncorrected scores only at some numbers of judgments ({_passes(grid, after)})"
    # Where context lowers noise, RA has it and direct assessment, one item at a time, has not.
    for context in grid.contexts:
        there = _shifts_of(grid, after, context)
        if context != "none" and there:
            raw += f", in context {context} with shifts of sd {there} ({_passes(grid, after, context)})"
    without = "yes" if grid.shifts[0] == 0.0 and ahead[:, 0].all() else "not"
    return f"RA beats DA: {without} without shifts; {raw}; {_against_corrected(grid, after)}"


def _shifts_of(grid: Grid, after: Sequence[int], context: str) -> str:
    """Shifts at which RA is clearly ahead of uncorrected direct assessment after each number of judgments."""
    ahead = np.asarray(_ahead(grid, "ra", "da", after, context).all(axis=0))
    found = [f"{s:g}" for s, yes in zip(grid.shifts, ahead) if yes]
    return ", ".join(found[:-1]) + (" and " if found[1:] else "") + found[-1] if found else ""


def _ahead(grid: Grid, first: str, second: str, after: Sequence[int], context: str = "none") -> BoolArray:
    """bool[after, shifts]: clearly ahead."""
    return np.stack([grid.ahead(first, second, n, context) > 0 for n in after])


def _passes(grid: Grid, after: Sequence[int], context: str = "none") -> str:
    at = {n: crossing(grid, "ra", "da", n, context) for n in after}
    return ", ".join(
        f"after {n} it passes {'nowhere' if x is None else f'at {x:.2f}'}" for n, x in at.items()
    )


def _against_corrected(grid: Grid, after: Sequence[int]) -> str:
    """RA against da+, and against random+ or easl+, over all contexts, shifts and numbers of judgments."""
    cells = len(grid.contexts) * len(grid.shifts) * len(after)
    alone = {c: int(_ahead(grid, "ra", "da+", after, c).sum()) for c in grid.contexts}
    hits = [[_ahead(grid, "ra", name, after, c) for name in ("random+", "easl+")] for c in grid.contexts]
    one, more = sum(alone.values()), sum(int((a | b).sum()) for a, b in hits)
    if not one and not more:
        return (
            "against scores corrected by the annotator model, no"
            f" (none of {cells} cells against da+; none of {cells} against random+ or easl+)"
        )
    found = f"in {more} of {cells} cells" if more else f"no (none of {cells} cells)"
    where = ", ".join(f"{n} in context {c}" for c, n in alone.items() if n) or "none"
    return (
        f"against HITs corrected by the annotator model, {found};"
        f" against corrected DA in {one} of {cells} ({where})"
    )


def verdict_on_easl(grid: Grid, after: Sequence[int] = (4, 10)) -> str:
    """Whether EASL's gain over direct assessment is its choice of items or their being shown together.
    grid: with da, random, easl and their corrected scores, two replicates or more.  Returns str: gains of raw
    scores at the first shift, and what the choice adds anywhere in the grid."""
    appears = [c for c in grid.contexts if _ahead(grid, "easl", "da", after, c)[:, 0].all()]
    others = [c for c in grid.contexts if c not in appears]
    where = "if showing items together lowers noise"
    if not appears or "none" in appears:
        where = f"in context {', '.join(appears)}" if appears else "in none of these contexts"
    first = f"EASL's gain over DA appears {where} ({_listed(grid, appears or others, after)})"
    if appears and others:
        first += f" and not otherwise ({_listed(grid, others, after, False)})"
    if appears:
        too = [c for c in appears if _ahead(grid, "random", "da", after, c)[:, 0].all()]
        first += "; random HITs have it too" if too == appears else "; random HITs do not all have it"
    cells = product(("", "+"), after, grid.contexts)
    gaps = np.concatenate([grid.gap(f"easl{plus}", f"random{plus}", n, c) for plus, n, c in cells])
    low, high = _signed(float(gaps.min())), _signed(float(gaps.max()))
    return f"{first}; over random HITs its choice of items adds from {low} to {high}, raw or corrected"


def _listed(grid: Grid, which: Sequence[str], after: Sequence[int], both: bool = True) -> str:
    """Gains of easl and of random HITs over da at the first shift, after each number of judgments."""
    said = []
    for context in which:
        easl, random = (
            " and ".join(_signed(float(grid.gap(name, "da", n, context)[0])) for n in after)
            for name in ("easl", "random")
        )
        said.append(f"{context}: easl {easl}" + (f", random HITs {random}" if both else ""))
    return f"{'; '.join(said)} after {' and '.join(map(str, after))}"


def _signed(number: float) -> str:
    return f"{number + 0.0:+.3f}"
