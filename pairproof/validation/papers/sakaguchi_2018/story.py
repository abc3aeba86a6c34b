"""Sakaguchi and Van Durme (2018): their figures redrawn, from their formulas and from simulated annotators,
and where the verdicts on their claims turn.

Figures 2 and 3 are formulas. Figures 6 to 10 show what annotators did, who are simulated here: alike, in no
context, and agreeing as far as the paper's. Figures 1, 4 and 5 are illustrations; figure 11 needs judgments
that are not published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ....bridge.process.policy import Backend
from ....native.annotation.simulated.simulated_panel import TRUTHS, Panel, Truth, sd_for_agreement, truth_of
from ....native.annotation.simulated.simulation import Experiment, Simulation, simulate, spread
from ....native.annotation.simulated.simulation_grid import Grid, verdict_on_easl, verdict_on_ra
from ....native.annotation.simulated.simulation_plots import (
    plot_curves,
    plot_histograms,
    plot_match_quality,
    plot_over_judgments,
    plot_over_shifts,
)
from ....report.blocks import WIDE, Figure, Table, panels
from ...check.checker import Checker
from ...report.context import Story
from ...verdicts.agreement import Agreement
from ..told import Words
from .statements_simulated import AGREEMENT, BUDGET, COMPARED, ITEMS, METHODS, SEED, grids

WORDS = Words(__package__)
#: Repetitions behind the curves of figures 6 and 9.
REPLICATES = 20
#: Tie rate of figures 2 and 3.
EPSILON = 0.5
SIMULATED = "sakaguchi-2018"


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """None: R has no counterpart of these methods."""
    return []


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Sections of figures: of the formulas, or of what is simulated."""
    if checker.paper.id != SIMULATED:
        return (_surprises(),)
    experiments = (*_experiment("lexical"), *_experiment("political"))
    return (*experiments, *map(_turning, AGREEMENT), _differing())


# -- figures 2 and 3: formulas -----------------------------------------------------------------------------


def _surprises() -> Story:
    from ....native.annotation.trueskill import tie, win

    t = np.linspace(-4.0, 4.0, 161)
    seen = {name: [rule(float(x), EPSILON) for x in t] for name, rule in (("win", win), ("tie", tie))}
    v = {name: np.array([x.v for x in found]) for name, found in seen.items()}
    w = {name: np.array([x.w for x in found]) for name, found in seen.items()}
    at = {name: [float(np.interp(x, t, values)) for x in (-2.0, 0.0, 2.0)] for name, values in v.items()}
    said = "; ".join(f"v for a {name} {a:.3f}, {b:.3f}, {c:.3f}" for name, (a, b, c) in at.items())
    d = np.linspace(-1.0, 1.0, 81)
    lost = _bounded_surprise(d)
    of_modes = WORDS.say("surprise-of-modes", **lost)
    figure_2 = WORDS.say("figure-2", epsilon=EPSILON)
    figure_3 = WORDS.say("figure-3", epsilon=EPSILON)
    figures = (
        _panels(figure_2, f"At t = -2, 0, 2: {said}.", partial(_draw_surprises, t=t, v=v, w=w)),
        Figure(figure_3, of_modes, (4.6, 3.0), partial(_draw_bounded, d=d, lost=lost)),
    )
    return WORDS.section("surprises", figures=figures)


def _panels(caption: str, said: str, draw: Callable[[Any], object]) -> Figure:
    """A drawing of several panels, which give it its height."""
    return Figure(caption, said, (WIDE, 3.0), draw, panels=True)


def _bounded_surprise(d: Any) -> dict[str, Any]:
    """1 - p of a win and of a tie (equations 16 to 21) by the difference of modes that lie about 1/2."""
    from ....native.annotation.beta import chances

    at = [chances(0.5 + x / 2, 0.5 - x / 2, EPSILON) for x in d]
    return {"win": np.array([1.0 - p.win for p in at]), "tie": np.array([1.0 - p.tie for p in at])}


def _draw_surprises(figure: Any, t: Any, v: Any, w: Any) -> None:
    for ax, (name, values) in zip(panels(figure, 2, 3.0, least=3.0), (("v", v), ("w", w))):
        _draw_lines(ax, t, values, "t, in units of c", name)


def _draw_bounded(ax: Any, d: Any, lost: Any) -> None:
    _draw_lines(ax, d, lost, "difference of modes", "1 - p")
    ax.set_ylim(0, 1)


def _draw_lines(ax: Any, x: Any, lines: dict[str, Any], below: str, beside: str) -> None:
    """Of a win and of a tie."""
    for (of, y), style in zip(lines.items(), ("-", "--")):
        ax.plot(x, y, style, color="#0072B2" if of == "win" else "#D55E00", label=of)
    ax.set_xlabel(below)
    ax.set_ylabel(beside)
    ax.legend()


# -- figures 6 to 10: the experiments ------------------------------------------------------------------------


@lru_cache(maxsize=4)
def paper_setting(truth: Truth) -> Simulation:
    """Annotators who are alike and agree as far as the paper's; one truth."""
    true = truth_of(truth, ITEMS, np.random.default_rng(SEED))
    sd = sd_for_agreement(true, float(AGREEMENT[truth]), Panel.alike(0.0))
    return simulate(Experiment(true, Panel.alike(sd), METHODS, BUDGET, REPLICATES, seed=SEED))


NUMBERS: dict[Truth, tuple[int, int, str]] = {"lexical": (6, 7, "5.1"), "political": (9, 10, "5.2")}


def _experiment(truth: Truth) -> tuple[Story, ...]:
    s = paper_setting(truth)
    curves, histograms, section = NUMBERS[truth]
    found = [_curves(s, truth, curves, section), _histograms(s, truth, histograms)]
    if truth == "lexical":
        found.append(_maps(s))
    return tuple(found)


def _curves(s: Simulation, truth: Truth, number: int, section: str) -> Story:
    e = s.experiment
    names = e.names
    rho = {name: s.curve(name) for name in names}
    at = (1, 2, 3, 4, 6, 10)
    rows = [(str(n), *(f"{rho[name].mean[n - 1]:.3f}" for name in names)) for n in at if n <= e.budget]
    last = ", ".join(f"{name} {rho[name].mean[-1]:.3f}" for name in names)
    said, caption = f"Spearman's rho at {e.budget}: {last}.", WORDS.say("curves", number=number)
    return WORDS.section(
        "curves",
        Table(("annotations per item", *names), tuple(rows), f"Spearman's rho, {truth}"),
        (_panels(caption, said, partial(plot_curves, s=s)),),
        number=number,
        truth=truth,
        section=section,
        agreement=AGREEMENT[truth],
        e=e,
        items=len(e.truth),
    )


def _histograms(s: Simulation, truth: str, number: int) -> Story:
    ends = {"truth": s.experiment.truth, **{m: s.final[m] for m in ("da", "easl", "ra")}}
    rows = [(name, *(f"{x:.3f}" for x in spread(values))) for name, values in ends.items()]
    said = f"Standard deviations: {', '.join(f'{name} {sd}' for name, sd, *_ in rows)}."
    drawn = partial(plot_histograms, ends=ends)
    figure = _panels(WORDS.say("histograms", number=number), said, drawn)
    table = Table(("", "standard deviation", "minimum", "maximum"), tuple(rows))
    return WORDS.section("histograms", table, (figure,), number=number, truth=truth)


def _maps(s: Simulation) -> Story:
    means = ", ".join(f"{m.mean():.3f} before iteration {t}" for t, m in s.maps.items())
    said, drawn = f"Mean match quality: {means}.", partial(plot_match_quality, maps=s.maps)
    return WORDS.section("maps", figures=(_panels(WORDS.say("maps"), said, drawn),))


# -- the assumptions ----------------------------------------------------------------------------------------


def _turning(truth: Truth) -> Story:
    found = grids(truth, AGREEMENT[truth])
    g = found.shifted
    on_ra, on_easl = f"{verdict_on_ra(g, COMPARED)}.", f"{verdict_on_easl(g, COMPARED)}."
    caption = f"Assumptions, {truth} over {{}}: Spearman's rho, raw scores dashed."
    figures = (
        _panels(caption.format("shifts"), on_ra, partial(plot_over_shifts, grid=g, after=COMPARED)),
        _panels(caption.format("judgments"), on_easl, partial(plot_over_judgments, grid=g)),
    )
    return WORDS.section(
        "turning",
        _grid_table(g),
        figures,
        truth=truth,
        agreement=AGREEMENT[truth],
        source=found.source,
        on_ra=on_ra,
        on_easl=on_easl,
    )


def _grid_table(g: Grid) -> Table:
    rows = [
        (str(n), context, f"{shift:g}", *(_cell(g, name, n, context, k) for name in g.names))
        for n in COMPARED
        for context in g.contexts
        for k, shift in enumerate(g.shifts)
    ]
    return Table(("after", "context", "shift", *g.names), tuple(rows), "Spearman's rho with the truth")


def _cell(g: Grid, name: str, n: int, context: str, k: int) -> str:
    error = float(g.standard_error(name, n, context)[k])
    return f"{float(g.curve(name, n, context)[k]):.3f} ({max(round(error * 1000), 1)})"


def _differing() -> Story:
    rows = []
    names: tuple[str, ...] = ()
    for truth in TRUTHS:
        if truth in AGREEMENT:
            g = grids(truth, AGREEMENT[truth]).differing
            names = g.names
            rows += [
                (f"{truth}, {n}", context, *(_cell(g, name, n, context, 0) for name in names))
                for n in COMPARED
                for context in g.contexts
            ]
    heads = ("truth, after", "context", *names)
    return WORDS.section("differing", Table(heads, tuple(rows), "Spearman's rho with the truth"))
