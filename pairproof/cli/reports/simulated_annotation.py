"""The report of `pairproof simulate-annotation`, as a JSON document and as a page.

One simulation has curves, histograms and maps; simulations over several shifts or contexts a table and two
drawings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ...native.annotation.beta import FloatArray
from ...native.annotation.simulated.simulated_panel import Panel
from ...native.annotation.simulated.simulation import MEASURES, Measure, Simulation, histogram, spread
from ...native.annotation.simulated.simulation_grid import (
    Grid,
    crossing,
    grid_of,
    verdict_on_easl,
    verdict_on_ra,
)
from ...native.annotation.simulated.simulation_plots import (
    plot_curves,
    plot_histograms,
    plot_match_quality,
    plot_over_judgments,
    plot_over_shifts,
)
from ...report.blocks import WIDE, Block, Bullets, Figure, Heading, Page, Table

#: What a panel has beside its noise, for documents.
OF_PANEL = ("shift", "scale", "noise_spread", "drift", "contrast", "careless", "people", "step")


Runs = Sequence[Sequence[Simulation]]


@dataclass(frozen=True, eq=False)
class Simulated:
    """Simulations, a row a context and a column a shift, and what is asked of them.

    truth: its name.  agreement: of two annotators.  target: the correlation to reach.
    """

    runs: Runs
    truth: str
    agreement: float
    target: float
    level: float

    @property
    def one(self) -> bool:
        """Whether there is one shift and one context."""
        return len(self.runs) == len(self.runs[0]) == 1

    def document(self) -> dict[str, Any]:
        """The JSON of `pairproof simulate-annotation`."""
        return self._stated() | (_of_one(self) if self.one else _of_grid(self))

    def page(self) -> Page:
        """What was simulated, the curves or the picture over shifts, and the answers."""
        if self.one:
            return Page("Simulated annotation", list(_blocks(self)))
        return Page("Simulated annotation: shifts and contexts", list(_grid_blocks(self)))

    def _stated(self) -> dict[str, Any]:
        e = self.runs[0][0].experiment
        panel = {"sd": e.panel.sd, "context": str(e.panel.context), "noise": e.panel.noise}
        panel["agreement"] = self.agreement
        return {
            "truth": {"kind": self.truth, "items": len(e.truth), **_distribution(e.truth)},
            "annotators": {**panel, **{name: getattr(e.panel, name) for name in OF_PANEL}},
            **{name: getattr(e, name) for name in ("budget", "replicates", "per_hit", "pool", "seed")},
            "target": self.target,
            "level": self.level,
        }


def _of_one(a: Simulated) -> dict[str, Any]:
    s = a.runs[0][0]
    return {
        "methods": {name: _of_method(s, name, a.target, a.level) for name in s.experiment.names},
        "match_quality": {str(k): m.tolist() for k, m in s.maps.items()},
    }


def points(s: Simulation, name: str, measure: Measure, level: float) -> list[dict[str, float]]:
    """A curve for a document; without the iterations after which there are no corrected scores."""
    c = s.curve(name, measure, level)
    columns = (values.tolist() for values in (s.annotations, c.mean, c.low, c.high))
    rows = (dict(zip(("annotations", "mean", "low", "high"), row)) for row in zip(*columns))
    return [row for row in rows if not np.isnan(row["mean"])]


def _of_method(s: Simulation, name: str, target: float, level: float) -> dict[str, Any]:
    found: dict[str, Any] = {measure: points(s, name, measure, level) for measure in MEASURES}
    found["needed"] = s.needed(name, target)
    if name in s.coverage:
        return {**found, "coverage": s.coverage[name], "final": _distribution(s.final[name])}
    return {**found, "not_fitted": s.not_fitted.get(name, 0)}


def _distribution(scores: FloatArray) -> dict[str, Any]:
    sd, least, most = spread(scores)
    return {"sd": sd, "min": least, "max": most, "histogram": histogram(scores).tolist()}


def answer(s: Simulation, target: float) -> list[str]:
    """The sentences that say how many annotations are needed."""
    da = s.needed("da", target) if "da" in s.experiment.methods else float("nan")

    def said(method: str, n: float) -> str:
        if np.isnan(n):
            reached = s.curve(method, resamples=1).mean[-1]
            return f"more than {s.annotations[-1]:g} annotations per item (rho is {reached:.3f} there)"
        least = " or fewer" if n == s.annotations[0] else ""
        # If both need at most one annotation per item, their ratio means nothing.
        ratio = f", {n / da:.2f} times da's" if method != "da" and not np.isnan(da) and not least else ""
        return f"{n:.1f} annotations per item{least} ({n * len(s.experiment.truth):.0f} in all){ratio}"

    return [f"{method}: {said(method, s.needed(method, target))}" for method in s.experiment.names]


def _blocks(asked: Simulated) -> Iterator[Block]:
    s, target, level = asked.runs[0][0], asked.target, asked.level
    yield Heading(f"How many annotations do I need for a mean rho of {target:g}?")
    yield Bullets(tuple(answer(s, target)))
    said = "Spearman's and Pearson's correlation with the truth by annotations per item"
    yield _drawn("Correlation with the truth", said, partial(plot_curves, s=s, level=level))
    interval = f"mean [{level:.0%} bootstrap interval]"
    yield Bullets((experiment_said(s, asked.truth), *annotators_said(s.experiment.panel, asked.agreement)))
    yield Heading(f"Spearman's rho with the truth, {interval}, by annotations per item")
    curves = [s.curve(m, "spearman", level) for m in s.experiment.names]
    cells = zip(*(map(_cell, c.mean, c.low, c.high) for c in curves))
    rows = tuple((f"{n:.3g}", *own) for n, own in zip(s.annotations, cells))
    yield Table(("n", *s.experiment.names), rows)
    if s.experiment.corrected:
        yield Bullets((corrected_said(s.not_fitted),))
    said = "Histograms of the truth and of the scores at the end"
    title = "The truth and the scores at the end"
    yield _drawn(title, said, partial(plot_histograms, ends=_ends(s)))
    yield Heading("Scores at the end")
    yield Table(
        ("", "standard deviation", "least", "most"),
        tuple((name, *(f"{x:.3f}" for x in spread(values))) for name, values in _ends(s).items()),
    )
    if s.maps:
        said = "Match quality of all pairs, items ordered by the truth"
        yield _drawn("Match quality", said, partial(plot_match_quality, maps=s.maps))


def _cell(mean: float, low: float, high: float) -> str:
    """Empty where there are no corrected scores."""
    return "" if np.isnan(mean) else f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def experiment_said(s: Simulation, truth: str) -> str:
    """What was simulated, in a sentence."""
    e = s.experiment
    return (
        f"{len(e.truth)} items ({truth}, standard deviation {e.truth.std(ddof=1):.3f}); {e.replicates} replicates,"
        f" {e.per_hit} items per HIT (da: 1), seed {e.seed}"
    )


def annotators_said(panel: Panel, agreement: float, one: bool = True) -> tuple[str, ...]:
    """The annotators in sentences; `one`: this shift and this context, not several."""
    agree = f"two annotators agree with Spearman's rho {agreement:.2f}"
    at = "" if one else f"at shift {panel.shift:g} "
    noise = f"noise {panel.sd:.3f} ({panel.noise}"
    context = f", which {_context(panel)}" if one else ""
    shift = f"shift {panel.shift:g} (sd of annotator and session), " if one else ""
    if panel.are_alike and one:
        return (f"annotators' {noise}){context}; {agree}",)
    if not (panel.scale or panel.noise_spread or panel.careless or panel.drift or panel.contrast):
        return (f"annotators are alike except for their shift: {shift}{noise}){context}; {at}{agree}",)
    differ = (
        f"{panel.people} annotator{'s' if panel.people > 1 else ''}: {shift}scale {panel.scale:g}, {noise}; spread"
        f" {panel.noise_spread:g}){context}, {panel.careless:.0%} careless answers, drift {panel.drift:g}, contrast"
        f" {panel.contrast:g}; {at}{agree}"
    )
    return differ, "annotators who are alike, as up to version 0.1.0: --as-in-paper"


def _context(panel: Panel) -> str:
    c = panel.context
    if c.kind == "none" or c.factor == 1:
        return "does not depend on the HIT"
    if c.kind == "uniform":
        return f"is {c.factor:g} times as large in a HIT with several items"
    return f"falls to {c.factor:g} times as large in a HIT as its items become more similar"


def corrected_said(not_fitted: Mapping[str, int]) -> str:
    """What the names with + are, and how often they could not be had."""
    lost = ", ".join(f"{name} {n}" for name, n in not_fitted.items() if n)
    said = "+: scores corrected for annotators and sessions by a mixed model, after iterations for which it was fitted"
    return f"{said}; omitted where it could not be fitted: {lost}" if lost else said


def _ends(s: Simulation) -> dict[str, Any]:
    """The truth, and the scores of each method at the end."""
    return {"truth": s.experiment.truth, **{str(m): s.final[m] for m in s.experiment.methods}}


def _drawn(title: str, said: str, draw: Any) -> Figure:
    return Figure("", said, SIZE, draw, panels=True, title=title)


#: Inches of a drawing, whose panels give it its height.
SIZE = (WIDE, 3.0)
#: The judgments an item at which methods are compared, beside the last.
EARLY = 4


def _of_grid(a: Simulated) -> dict[str, Any]:
    grid = grid_of(a.runs)
    methods = {name: [_in_grid(a, s, name) for row in a.runs for s in row] for name in grid.names}
    passes = [
        {"first": x, "second": y, "after": n, "context": c, "shift": crossing(grid, x, y, n, c)}
        for x, y, n, c in _passing(grid)
    ]
    found = {"shifts": grid.shifts, "contexts": grid.contexts, "methods": methods}
    return {**found, "passes": passes, "verdicts": _verdicts(grid)}


def _in_grid(a: Simulated, s: Simulation, name: str) -> dict[str, Any]:
    return {
        "context": str(s.experiment.panel.context),
        "shift": s.experiment.panel.shift,
        "spearman": points(s, name, "spearman", a.level),
        "needed": s.needed(name, a.target),
        "not_fitted": s.not_fitted.get(name, 0),
    }


def _passing(grid: Grid) -> Iterator[tuple[str, str, int, str]]:
    """Pairs of methods of which the first is clearly behind at the first shift and clearly ahead at the
    last."""
    cells = product(grid.contexts, compared(grid), grid.names, grid.names)
    for context, n, a, b in cells if _replicates(grid) > 1 else ():
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


def _grid_blocks(asked: Simulated) -> Iterator[Block]:
    first, grid = asked.runs[0][0], grid_of(asked.runs)
    said = annotators_said(first.experiment.panel, asked.agreement, one=False)
    yield Bullets((experiment_said(first, asked.truth), *said))
    if len(grid.shifts) > 1 and _replicates(grid) > 1:
        passes = [
            f"{a} passes {b} at shift {crossing(grid, a, b, n, c):.2f} (context {c}, after {n})"
            for a, b, n, c in _passing(grid)
        ]
        yield Heading("Which method passes another as the shift grows?")
        yield Bullets(tuple(passes) or ("None does clearly (by two standard errors).",))
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
        every = [s for row in asked.runs for s in row]
        lost = {name: sum(s.not_fitted.get(name, 0) for s in every) for name in first.not_fitted}
        yield Bullets((corrected_said(lost),))


def table(grid: Grid, after: int) -> Table:
    """Means with their standard errors, a row a context and shift."""
    rows = []
    for context in grid.contexts:
        means = {name: grid.curve(name, after, context) for name in grid.names}
        errors = {name: grid.standard_error(name, after, context) for name in grid.names}
        for k, shift in enumerate(grid.shifts):
            cells = (_grid_cell(float(means[name][k]), float(errors[name][k])) for name in grid.names)
            rows.append((context, f"{shift:g}", *cells))
    return Table(("context", "shift", *grid.names), tuple(rows))


def _grid_cell(mean: float, error: float) -> str:
    """ "0.812 (3)": the standard error in units of the last digit; empty without a corrected score."""
    if np.isnan(mean):
        return ""
    return f"{mean:.3f}" if np.isnan(error) else f"{mean:.3f} ({max(round(error * 1000), 1)})"


def over_shifts(grid: Grid, after: Sequence[int]) -> Figure:
    """Spearman's rho over shift, a panel a context and number of judgments, raw scores dashed."""
    n, context = after[0], grid.contexts[0]
    curves = {name: grid.curve(name, n, context) for name in grid.names}
    shown = {name: " ".join(f"{x:.3f}" for x in y) for name, y in curves.items() if not np.isnan(y).any()}
    numbers = "; ".join(f"{name} {values}" for name, values in shown.items())
    said = f"Spearman's rho with the truth by shift, raw scores dashed; in context {context} after {n}: {numbers}"
    draw = partial(plot_over_shifts, grid=grid, after=after)
    title = "Correlation with the truth by shift (raw scores dashed)"
    return Figure("", said, SIZE, draw, panels=True, title=title)


def over_judgments(grid: Grid) -> Figure:
    """Spearman's rho over judgments an item, a panel a context, at the first and the last shift."""
    title = "Correlation with the truth by annotations per item"
    dashed = "raw scores dashed, at the first and the last shift"
    said = f"Spearman's rho with the truth by annotations per item, {dashed}"
    return Figure("", said, SIZE, partial(plot_over_judgments, grid=grid), panels=True, title=title)
