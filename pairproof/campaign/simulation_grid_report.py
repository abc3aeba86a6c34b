"""The report of simulations over several shifts or contexts: as a JSON document, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..native.annotation.simulated.grid_verdicts import crossing, verdict_on_easl, verdict_on_ra
from ..native.annotation.simulated.panel_grid import Grid, grid_of
from ..native.annotation.simulated.plots import plot_over_judgments, plot_over_shifts, size_of_grid
from ..native.annotation.simulated.simulation import Simulation
from ..report.blocks import Block, Bullets, Figure, Heading, Page, Table
from .simulation_report import annotators_said, corrected_said, experiment_said, points, stated

Runs = Sequence[Sequence[Simulation]]
#: The judgments an item at which methods are compared, beside the last.
EARLY = 4


def document(runs: Runs, truth: str, agreement: float, target: float, level: float = 0.95) -> dict[str, Any]:
    """The JSON of `pairproof simulate-annotation` with several shifts or contexts."""
    first, grid = runs[0][0], grid_of(runs)
    every = [s for row in runs for s in row]
    methods = {
        name: [
            {
                "context": str(s.experiment.panel.context),
                "shift": s.experiment.panel.shift,
                "spearman": points(s, name, "spearman", level),
                "needed": s.needed(name, target),
                "not_fitted": s.not_fitted.get(name, 0),
            }
            for s in every
        ]
        for name in grid.names
    }
    return {
        **stated(first, truth, agreement, target, level),
        "shifts": grid.shifts,
        "contexts": grid.contexts,
        "methods": methods,
        "passes": [
            {"first": a, "second": b, "after": n, "context": c, "shift": crossing(grid, a, b, n, c)}
            for a, b, n, c in _passing(grid)
        ],
        "verdicts": _verdicts(grid),
    }


def _passing(grid: Grid) -> Iterator[tuple[str, str, int, str]]:
    """Pairs of methods of which the first is clearly behind at the first shift and clearly ahead at the
    last."""
    if _replicates(grid) < 2:
        return
    for context in grid.contexts:
        for n in compared(grid):
            for a in grid.names:
                for b in grid.names:
                    gap = grid.ahead(a, b, n, context)
                    if gap[0] < 0 < gap[-1]:
                        yield a, b, n, context


def compared(grid: Grid) -> tuple[int, ...]:
    """Judgments an item at which methods are compared."""
    last = grid.after[-1]
    return (EARLY, last) if last > EARLY else (last,)


def _verdicts(grid: Grid) -> list[str]:
    """Sentences on the paper's two claims, if everything that they need was run."""
    needed = {"da", "da+", "random", "random+", "easl", "easl+"}
    if not needed <= set(grid.names) or "none" not in grid.contexts or _replicates(grid) < 2:
        return []
    after = compared(grid)
    return [verdict_on_easl(grid, after), *([verdict_on_ra(grid, after)] if "ra" in grid.names else [])]


def _replicates(grid: Grid) -> int:
    return int(next(iter(grid.rho.values())).shape[-1])


def page(runs: Runs, truth: str, agreement: float, target: float, level: float = 0.95) -> Page:
    """The page: what was simulated, the picture over shifts, and where one method passes another."""
    return Page("Simulated annotation: shifts and contexts", list(_blocks(runs, truth, agreement, level)))


def _blocks(runs: Runs, truth: str, agreement: float, level: float) -> Iterator[Block]:
    first, grid = runs[0][0], grid_of(runs)
    yield Bullets(
        (experiment_said(first, truth), *annotators_said(first.experiment.panel, agreement, one=False))
    )
    if len(grid.shifts) > 1 and _replicates(grid) > 1:
        passes = [
            f"{a} passes {b} at shift {crossing(grid, a, b, n, c):.2f} (context {c}, after {n})"
            for a, b, n, c in _passing(grid)
        ]
        yield Heading("Which method passes another as the shift grows?")
        yield Bullets(tuple(passes) or ("None of them does clearly (by two standard errors).",))
    if _verdicts(grid):
        yield Heading("What the paper claims")
        yield Bullets(tuple(_verdicts(grid)))
    if len(grid.shifts) > 1:
        yield over_shifts(grid, compared(grid))
    yield over_judgments(grid)
    for n in compared(grid):
        yield Heading(f"Spearman's rho with the truth after {n} annotations per item, by context and shift")
        yield table(grid, n)
    if first.experiment.corrected:
        lost = {
            name: sum(s.not_fitted.get(name, 0) for row in runs for s in row) for name in first.not_fitted
        }
        yield Bullets((corrected_said(lost, _replicates(grid)),))


def table(grid: Grid, after: int) -> Table:
    """Means with their standard errors, a row a context and shift."""
    rows = []
    for context in grid.contexts:
        means = {name: grid.curve(name, after, context) for name in grid.names}
        errors = {name: grid.standard_error(name, after, context) for name in grid.names}
        for k, shift in enumerate(grid.shifts):
            cells = (_cell(float(means[name][k]), float(errors[name][k])) for name in grid.names)
            rows.append((context, f"{shift:g}", *cells))
    return Table(("context", "shift", *grid.names), tuple(rows))


def _cell(mean: float, error: float) -> str:
    """ "0.812 (3)": the standard error in units of the last digit; empty without a corrected score."""
    if np.isnan(mean):
        return ""
    return f"{mean:.3f}" if np.isnan(error) else f"{mean:.3f} ({max(round(error * 1000), 1)})"


def over_shifts(grid: Grid, after: Sequence[int]) -> Figure:
    """Spearman's rho over shift, a panel a context and number of judgments, raw scores dashed."""
    said = "; ".join(
        f"{name} {' '.join(f'{x:.3f}' for x in grid.curve(name, after[0], grid.contexts[0]))}"
        for name in grid.names
        if not np.isnan(grid.curve(name, after[0], grid.contexts[0])).any()
    )
    return Figure(
        "",
        (
            f"Spearman's rho with the truth by shift, raw scores dashed; in context {grid.contexts[0]} after"
            f" {after[0]}: {said}"
        ),
        size_of_grid(len(after), len(grid.contexts)),
        partial(plot_over_shifts, grid=grid, after=after),
        panels=True,
        title="Correlation with the truth by shift (raw scores dashed)",
    )


def over_judgments(grid: Grid) -> Figure:
    """Spearman's rho over judgments an item, a panel a context, at the first and the last shift."""
    return Figure(
        "",
        "Spearman's rho with the truth by annotations per item, raw scores dashed, at the first and the last shift",
        size_of_grid(min(2, len(grid.shifts)), len(grid.contexts)),
        partial(plot_over_judgments, grid=grid),
        panels=True,
        title="Correlation with the truth by annotations per item",
    )
