"""A simulation of annotation for people: words, a document, and a page with its curves, histograms and
maps.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np

from ..native.annotation.simulation import MEASURES, Simulation, histogram, spread
from .report import svg

_INK = "#010203"
#: Okabe and Ito (2008); each method also has a line style of its own.
STYLES = {
    "da": ("#0072B2", "-"),
    "random": ("#009E73", "--"),
    "easl": ("#D55E00", "-"),
    "ra": ("#CC79A7", ":"),
    "trueskill": ("#E69F00", "-."),
}
BINS = 5


def document(
    s: Simulation, truth: str, agreement: float, target: float, level: float = 0.95
) -> dict[str, Any]:
    """The JSON of `pairproof simulate-annotation`."""
    e = s.experiment
    methods = {}
    for method in e.methods:
        curves: dict[str, Any] = {}
        for measure in MEASURES:
            c = s.curve(method, measure, level)
            curves[measure] = [
                {"annotations": a, "mean": m, "low": lo, "high": hi}
                for a, m, lo, hi in zip(
                    s.annotations.tolist(), c.mean.tolist(), c.low.tolist(), c.high.tolist()
                )
            ]
        sd, least, most = spread(s.final[method])
        methods[method] = {
            **curves,
            "needed": s.needed(method, target),
            "coverage": s.coverage[method],
            "final": {"sd": sd, "min": least, "max": most, "histogram": histogram(s.final[method]).tolist()},
        }
    sd, least, most = spread(e.truth)
    return {
        "truth": {
            "kind": truth,
            "items": len(e.truth),
            "sd": sd,
            "min": least,
            "max": most,
            "histogram": histogram(e.truth).tolist(),
        },
        "annotators": {
            "sd": e.annotators.sd,
            "context": e.annotators.context,
            "noise": e.annotators.noise,
            "agreement": agreement,
        },
        "budget": e.budget,
        "replicates": e.replicates,
        "per_hit": e.per_hit,
        "pool": e.pool,
        "seed": e.seed,
        "target": target,
        "level": level,
        "methods": methods,
        "match_quality": {str(k): m.tolist() for k, m in s.maps.items()},
    }


def answer(s: Simulation, target: float) -> list[str]:
    """How many annotations are needed, in sentences."""
    found = []
    da = s.needed("da", target) if "da" in s.experiment.methods else float("nan")
    for method in s.experiment.methods:
        n = s.needed(method, target)
        if np.isnan(n):
            reached = s.curve(method, resamples=1).mean[-1]
            found.append(
                f"{method}: more than {s.annotations[-1]:g} annotations an item (rho is {reached:.3f} there)"
            )
            continue
        least = " or fewer" if n == s.annotations[0] else ""
        # With one annotation an item or fewer in both there is nothing to divide.
        ratio = f", {n / da:.2f} times da's" if method != "da" and not np.isnan(da) and not least else ""
        found.append(
            f"{method}: {n:.1f} annotations an item{least} ({n * len(s.experiment.truth):.0f} in all){ratio}"
        )
    return found


def text(s: Simulation, truth: str, agreement: float, target: float, level: float = 0.95) -> str:
    """For a terminal."""
    e = s.experiment
    context = (
        "does not depend on the HIT"
        if e.annotators.context == 1
        else f"is {e.annotators.context:g} times as large in a HIT of several items"
    )
    head = [
        (
            f"{len(e.truth)} items ({truth}, standard deviation {e.truth.std(ddof=1):.3f}); annotators' noise"
            f" {e.annotators.sd:.3f} ({e.annotators.noise}), which {context};"
        ),
        (
            f"two annotators agree with Spearman's rho {agreement:.2f}; {e.replicates} replicates,"
            f" {e.per_hit} items a HIT (da: 1), seed {e.seed}"
        ),
        "",
        f"Spearman's rho with the truth, mean [{level:.0%} bootstrap interval], by annotations an item:",
    ]
    curves = {m: s.curve(m, "spearman", level) for m in e.methods}
    rows = ["  n    " + "".join(f"{m:<24}" for m in e.methods)]
    for k, n in enumerate(s.annotations):
        rows.append(
            f"  {n:<5.3g}"
            + "".join(
                f"{c.mean[k]:.3f} [{c.low[k]:.3f}, {c.high[k]:.3f}]   " for c in curves.values()
            ).rstrip()
        )
    ends = [
        "",
        "Scores at the end (truth: standard deviation {:.3f}, {:.3f} to {:.3f}):".format(*spread(e.truth)),
    ]
    ends += [
        "  {}: standard deviation {:.3f}, {:.3f} to {:.3f}".format(m, *spread(s.final[m])) for m in e.methods
    ]
    return "\n".join(
        [
            *head,
            *rows,
            *ends,
            "",
            f"How many annotations do I need for a mean rho of {target:g}?",
            *(f"  {line}" for line in answer(s, target)),
        ]
    )


def markdown(s: Simulation, truth: str, agreement: float, target: float, level: float = 0.95) -> str:
    return f"# Simulated annotation\n\n```\n{text(s, truth, agreement, target, level)}\n```\n"


def html(s: Simulation, truth: str, agreement: float, target: float, level: float = 0.95) -> str:
    """One self-contained page."""
    from jinja2 import Environment, StrictUndefined

    template = resources.files(__package__).joinpath("simulation.html.j2").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    drawings = [("Correlation with the truth", _curves(s, level)), ("Scores at the end", _histograms(s))]
    drawings += [("Match quality", _maps(s))] if s.maps else []
    return environment.from_string(template).render(
        text=text(s, truth, agreement, target, level),
        target=target,
        answer=answer(s, target),
        drawings=drawings,
    )


def _curves(s: Simulation, level: float) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for ax, measure in zip(figure.subplots(1, 2), MEASURES):
        for method in s.experiment.methods:
            colour, line = STYLES[method]
            c = s.curve(method, measure, level)
            ax.plot(s.annotations, c.mean, line, color=colour, label=method, linewidth=1.6)
            ax.fill_between(s.annotations, c.low, c.high, color=colour, alpha=0.2, linewidth=0)
        ax.set_xlabel("annotations an item")
        ax.set_ylabel("Spearman's rho" if measure == "spearman" else "Pearson's r")
        ax.legend(frameon=False, labelcolor=_INK)
        _plain(ax)
    return svg(
        figure,
        "Spearman's and Pearson's correlation with the truth by annotations an item",
        {_INK: "currentColor"},
    )


def _histograms(s: Simulation) -> str:
    from matplotlib.figure import Figure

    shown = {"truth": s.experiment.truth, **{str(m): s.final[m] for m in s.experiment.methods}}
    figure = Figure(figsize=(9.0, 2.4), layout="constrained")
    for ax, (name, values) in zip(
        figure.subplots(1, len(shown), sharey=True, squeeze=False)[0], shown.items()
    ):
        ax.hist(
            np.clip(values, 0, 1),
            BINS,
            (0, 1),
            color=STYLES.get(name, ("#888888", ""))[0],
            edgecolor=_INK,
            linewidth=0.6,
        )
        ax.set_title(name, color=_INK, fontsize=9)
        ax.set_xlabel("score")
        _plain(ax)
    return svg(figure, "Histograms of the truth and of the scores at the end", {_INK: "currentColor"})


def _maps(s: Simulation) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 2.7), layout="constrained")
    axes = figure.subplots(1, len(s.maps), squeeze=False)[0]
    top = max(float(m.max()) for m in s.maps.values())
    for ax, (iteration, values) in zip(axes, s.maps.items()):
        drawn = ax.imshow(values, origin="lower", interpolation="nearest", cmap="viridis", vmin=0, vmax=top)
        ax.set_title(f"before iteration {iteration}", color=_INK, fontsize=9)
        ax.set_xticks([])
        ax.set_yticks([])
    bar = figure.colorbar(drawn, ax=list(axes), label="match quality", shrink=0.8)
    bar.ax.tick_params(colors=_INK)
    bar.ax.yaxis.label.set_color(_INK)
    return svg(figure, "Match quality of all pairs, items ordered by the truth", {_INK: "currentColor"})


def _plain(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(_INK)
    ax.tick_params(colors=_INK, labelsize=8)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_color(_INK)
