"""Sakaguchi and Van Durme (2018): their figures redrawn, from their formulas and from simulated annotators,
and where the verdicts on their claims turn.

Figures 2 and 3 are formulas. Figures 6 to 10 show what annotators did, who are simulated here: alike, in no
context, and agreeing as far as the paper's. Figures 1, 4 and 5 are illustrations; figure 11 needs judgments
that are not published.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ....bridge.process.policy import Backend
from ....native.annotation.simulated.simulated_panel import TRUTHS, Panel, sd_for_agreement, truth_of
from ....native.annotation.simulated.simulation import Experiment, Simulation, simulate, spread
from ....native.annotation.simulated.simulation_grid import Grid, verdict_on_easl, verdict_on_ra
from ....native.annotation.simulated.simulation_plots import (
    plot_curves,
    plot_histograms,
    plot_match_quality,
    plot_over_judgments,
    plot_over_shifts,
    size_of_grid,
)
from ....report.blocks import Figure, Table
from ...check.checker import Checker
from ...report.context import Story
from ...verdicts.agreement import Agreement
from .statements_simulated import AGREEMENT, BUDGET, COMPARED, ITEMS, METHODS, SEED, grids

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
    return (*_experiment("lexical"), *_experiment("political"), *_assumptions(), _differing())


# -- figures 2 and 3: formulas -----------------------------------------------------------------------------


def _surprises() -> Story:
    from ....native.annotation.trueskill import tie, win

    t = np.linspace(-4.0, 4.0, 161)
    v = {
        name: np.array([rule(float(x), EPSILON).v for x in t]) for name, rule in (("win", win), ("tie", tie))
    }
    w = {
        name: np.array([rule(float(x), EPSILON).w for x in t]) for name, rule in (("win", win), ("tie", tie))
    }
    at = {name: [float(np.interp(x, t, values)) for x in (-2.0, 0.0, 2.0)] for name, values in v.items()}
    said = "; ".join(f"v of a {name} {a:.3f}, {b:.3f}, {c:.3f}" for name, (a, b, c) in at.items())
    d = np.linspace(-1.0, 1.0, 81)
    lost = _bounded_surprise(d)
    return Story(
        "Figures 2 and 3: the surprise of an outcome",
        (
            (
                "Figure 2 is TrueSkill's: the factors v and w by which a mean and a variance change. Figure 3 is the"
                " bounded model's: one minus the probability of what happened. v grows linearly where an outcome is"
                " unexpected, and not exponentially; the bounded surprise hardly depends on the difference, which is"
                " one reason why RA ends in a narrow range."
            ),
        ),
        None,
        (
            Figure(
                f"Figure 2 of the paper: v and w of a win and of a tie by t; epsilon {EPSILON:g}.",
                f"At t = -2, 0, 2: {said}.",
                (8.6, 3.0),
                partial(_draw_surprises, t=t, v=v, w=w),
                panels=True,
            ),
            Figure(
                f"Figure 3 of the paper: surprise in the bounded model by the difference of modes; epsilon {EPSILON:g}.",
                (
                    f"Surprise of a win at differences -1, 0, 1: {lost['win'][0]:.3f}, {lost['win'][40]:.3f},"
                    f" {lost['win'][80]:.3f}; of a tie {lost['tie'][0]:.3f}, {lost['tie'][40]:.3f},"
                    f" {lost['tie'][80]:.3f}."
                ),
                (4.6, 3.0),
                partial(_draw_bounded, d=d, lost=lost),
            ),
        ),
    )


def _bounded_surprise(d: Any) -> dict[str, Any]:
    """1 - p of a win and of a tie (equations 16 to 21) by the difference of modes that lie about 1/2."""
    from ....native.annotation.beta import chances

    at = [chances(0.5 + x / 2, 0.5 - x / 2, EPSILON) for x in d]
    return {"win": np.array([1.0 - p.win for p in at]), "tie": np.array([1.0 - p.tie for p in at])}


def _draw_surprises(figure: Any, t: Any, v: Any, w: Any) -> None:
    for ax, (name, values) in zip(figure.subplots(1, 2), (("v", v), ("w", w))):
        for (of, y), style in zip(values.items(), ("-", "--")):
            ax.plot(t, y, style, color="#0072B2" if of == "win" else "#D55E00", label=of)
        ax.set_xlabel("t, in units of c")
        ax.set_ylabel(name)
        ax.legend()


def _draw_bounded(ax: Any, d: Any, lost: Any) -> None:
    for (of, y), style in zip(lost.items(), ("-", "--")):
        ax.plot(d, y, style, color="#0072B2" if of == "win" else "#D55E00", label=of)
    ax.set_xlabel("difference of modes")
    ax.set_ylabel("1 - p")
    ax.set_ylim(0, 1)
    ax.legend()


# -- figures 6 to 10: the experiments ------------------------------------------------------------------------


@lru_cache(maxsize=4)
def paper_setting(truth: str) -> Simulation:
    """Annotators who are alike and agree as far as the paper's; one truth."""
    kind = next(t for t in TRUTHS if t == truth)
    true = truth_of(kind, ITEMS, np.random.default_rng(SEED))
    sd = sd_for_agreement(true, float(AGREEMENT[truth]), Panel.alike(0.0))
    return simulate(Experiment(true, Panel.alike(sd), METHODS, BUDGET, REPLICATES, seed=SEED))


NUMBERS = {"lexical": (6, 7, "5.1"), "political": (9, 10, "5.2")}


def _experiment(truth: str) -> tuple[Story, ...]:
    s = paper_setting(truth)
    curves, histograms, section = NUMBERS[truth]
    found = [_curves(s, truth, curves, section), _histograms(s, truth, histograms)]
    if truth == "lexical":
        found.append(_maps(s))
    return tuple(found)


def _curves(s: Simulation, truth: str, number: int, section: str) -> Story:
    e = s.experiment
    names = e.names
    rho = {name: s.curve(name) for name in names}
    at = (1, 2, 3, 4, 6, 10)
    rows = [(str(n), *(f"{rho[name].mean[n - 1]:.3f}" for name in names)) for n in at if n <= e.budget]
    text = (
        f"Section {section}, figure {number}, with annotators who are alike and agree with Spearman's rho"
        f" {AGREEMENT[truth]} (noise {e.panel.sd:.3f}): {len(e.truth)} items, {e.replicates} replicates, seed {e.seed}."
        " Random HITs, which the paper does not have, show items together without choosing them."
    )
    return Story(
        f"Figure {number}: correlation with the truth, {truth}",
        (text,),
        Table(("annotations an item", *names), tuple(rows), f"Spearman's rho, {truth}"),
        (
            Figure(
                f"Figure {number} of the paper, simulated: Spearman's (left) and Pearson's (right) correlation with the"
                " truth; bands are 95 % bootstrap intervals over replicates.",
                f"Spearman's rho at {e.budget}: "
                + ", ".join(f"{name} {rho[name].mean[-1]:.3f}" for name in names)
                + ".",
                (8.6, 3.4),
                partial(plot_curves, s=s),
                panels=True,
            ),
        ),
    )


def _histograms(s: Simulation, truth: str, number: int) -> Story:
    ends = {"truth": s.experiment.truth, **{m: s.final[m] for m in ("da", "easl", "ra")}}
    rows = [(name, *(f"{x:.3f}" for x in spread(values))) for name, values in ends.items()]
    return Story(
        f"Figure {number}: scores at the end, {truth}",
        ("Five bins, one replicate after ten iterations.",),
        Table(("", "standard deviation", "least", "most"), tuple(rows)),
        (
            Figure(
                f"Figure {number} of the paper, simulated: histograms of the truth and of final scores.",
                "Standard deviations: " + ", ".join(f"{name} {sd}" for name, sd, *_ in rows) + ".",
                (8.6, 2.3),
                partial(plot_histograms, ends=ends),
                panels=True,
            ),
        ),
    )


def _maps(s: Simulation) -> Story:
    return Story(
        "Figure 8: match quality",
        (
            "All pairs of 150 items in the order of their true scores, averaged over squares of five, in the first replicate of EASL.",
        ),
        None,
        (
            Figure(
                "Figure 8 of the paper, simulated: match quality before iterations 0, 3, 6 and 9.",
                "Mean match quality: "
                + ", ".join(f"{m.mean():.3f} before iteration {t}" for t, m in s.maps.items())
                + ".",
                (8.6, 2.4),
                partial(plot_match_quality, maps=s.maps),
                panels=True,
            ),
        ),
    )


# -- the assumptions ----------------------------------------------------------------------------------------


def _assumptions() -> tuple[Story, ...]:
    return tuple(_turning(truth) for truth in AGREEMENT)


def _turning(truth: str) -> Story:
    kind = next(t for t in TRUTHS if t == truth)
    found = grids(kind, AGREEMENT[truth])
    g = found.shifted
    return Story(
        f"Where the verdicts turn: {truth}",
        (
            (
                "What the paper does not say of its annotators decides. Here they have a shift (standard deviation of"
                " annotator and session together, half the variance each; a session is five items for every method) and"
                " see a context: none; uniform:0.7, noise in a HIT is .7 times as large; similar:0.5, down to .5 times,"
                f" the more similar its items are. Without a shift they agree at {AGREEMENT[truth]}. Corrected scores"
                " (+) are predictions of the mixed model item + session + annotator. In brackets: standard error in"
                f" units of the last digit; {found.source}."
            ),
            verdict_on_ra(g, COMPARED) + ".",
            verdict_on_easl(g, COMPARED) + ".",
        ),
        _grid_table(g),
        (
            Figure(
                f"Assumptions, {truth} over shifts: Spearman's rho, raw scores dashed.",
                verdict_on_ra(g, COMPARED) + ".",
                size_of_grid(len(COMPARED), len(g.contexts)),
                partial(plot_over_shifts, grid=g, after=COMPARED),
                panels=True,
            ),
            Figure(
                f"Assumptions, {truth} over judgments: Spearman's rho, raw scores dashed.",
                verdict_on_easl(g, COMPARED) + ".",
                size_of_grid(2, len(g.contexts)),
                partial(plot_over_judgments, grid=g),
                panels=True,
            ),
        ),
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
    return Story(
        "Annotators as in WMT21",
        (
            (
                "The paper's agreement was that of real annotators, whose shifts are in it. Here they differ as mixed"
                " models find in WMT21's direct assessment (shift .14, noise spread .6), with slopes (.2) and careless"
                " answers (5 %) guessed, and their noise is so much smaller that with all this they agree as far as the"
                " paper's did."
            ),
        ),
        Table(("truth, after", "context", *names), tuple(rows), "Spearman's rho with the truth"),
    )
