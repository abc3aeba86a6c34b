"""The report of a simulated annotation: as a JSON document, and as a page with curves, histograms and maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..native.annotation.beta import FloatArray
from ..native.annotation.simulated.simulation import MEASURES, Simulation, histogram, spread
from ..report.blocks import Block, Bullets, Figure, Heading, Page, Table
from ..report.figures import INK

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
            columns = (values.tolist() for values in (s.annotations, c.mean, c.low, c.high))
            curves[measure] = [
                dict(zip(("annotations", "mean", "low", "high"), row)) for row in zip(*columns)
            ]
        methods[method] = {
            **curves,
            "needed": s.needed(method, target),
            "coverage": s.coverage[method],
            "final": _distribution(s.final[method]),
        }
    noise = {name: getattr(e.annotators, name) for name in ("sd", "context", "noise")}
    return {
        "truth": {"kind": truth, "items": len(e.truth), **_distribution(e.truth)},
        "annotators": {**noise, "agreement": agreement},
        **{name: getattr(e, name) for name in ("budget", "replicates", "per_hit", "pool", "seed")},
        "target": target,
        "level": level,
        "methods": methods,
        "match_quality": {str(k): m.tolist() for k, m in s.maps.items()},
    }


def _distribution(scores: FloatArray) -> dict[str, Any]:
    sd, least, most = spread(scores)
    return {"sd": sd, "min": least, "max": most, "histogram": histogram(scores).tolist()}


def answer(s: Simulation, target: float) -> list[str]:
    """The sentences that say how many annotations are needed."""
    found = []
    da = s.needed("da", target) if "da" in s.experiment.methods else float("nan")
    for method in s.experiment.methods:
        n = s.needed(method, target)
        if np.isnan(n):
            reached = s.curve(method, resamples=1).mean[-1]
            found.append(
                f"{method}: more than {s.annotations[-1]:g} annotations per item (rho is {reached:.3f} there)"
            )
            continue
        least = " or fewer" if n == s.annotations[0] else ""
        # If both need at most one annotation per item, their ratio means nothing.
        ratio = f", {n / da:.2f} times da's" if method != "da" and not np.isnan(da) and not least else ""
        found.append(
            f"{method}: {n:.1f} annotations per item{least} ({n * len(s.experiment.truth):.0f} in all){ratio}"
        )
    return found


def page(s: Simulation, truth: str, agreement: float, target: float, level: float = 0.95) -> Page:
    """The page: what was simulated, the curves, and the answer."""
    return Page("Simulated annotation", list(_blocks(s, truth, agreement, target, level)))


def _blocks(s: Simulation, truth: str, agreement: float, target: float, level: float) -> Iterator[Block]:
    yield Bullets((_experiment(s, truth), _annotators(s, agreement)))
    yield Heading(f"How many annotations do I need for a mean rho of {target:g}?")
    yield Bullets(tuple(answer(s, target)))
    yield _curves(s, level)
    yield Heading(
        f"Spearman's rho with the truth, mean [{level:.0%} bootstrap interval], by annotations per item"
    )
    curves = [s.curve(m, "spearman", level) for m in s.experiment.methods]
    rows = tuple(
        (f"{n:.3g}", *(f"{c.mean[k]:.3f} [{c.low[k]:.3f}, {c.high[k]:.3f}]" for c in curves))
        for k, n in enumerate(s.annotations)
    )
    yield Table(("n", *map(str, s.experiment.methods)), rows)
    yield _histograms(s)
    yield Heading("Scores at the end")
    yield Table(
        ("", "standard deviation", "least", "most"),
        tuple((name, *(f"{x:.3f}" for x in spread(values))) for name, values in _ends(s).items()),
    )
    if s.maps:
        yield _maps(s)


def _experiment(s: Simulation, truth: str) -> str:
    e = s.experiment
    return (
        f"{len(e.truth)} items ({truth}, standard deviation {e.truth.std(ddof=1):.3f}); {e.replicates} replicates,"
        f" {e.per_hit} items per HIT (da: 1), seed {e.seed}"
    )


def _annotators(s: Simulation, agreement: float) -> str:
    a = s.experiment.annotators
    larger = f"is {a.context:g} times as large in a HIT of several items"
    context = "does not depend on the HIT" if a.context == 1 else larger
    return (
        f"annotators' noise {a.sd:.3f} ({a.noise}), which {context}; two annotators agree with Spearman's rho"
        f" {agreement:.2f}"
    )


def _ends(s: Simulation) -> dict[str, Any]:
    """The truth, and the scores of each method at the end."""
    return {"truth": s.experiment.truth, **{str(m): s.final[m] for m in s.experiment.methods}}


def _curves(s: Simulation, level: float) -> Figure:
    def draw(figure: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        for ax, measure in zip(figure.subplots(1, 2), MEASURES):
            for method in s.experiment.methods:
                colour, line = STYLES[method]
                c = s.curve(method, measure, level)
                ax.plot(s.annotations, c.mean, line, color=colour, label=method, linewidth=1.6)
                ax.fill_between(s.annotations, c.low, c.high, color=colour, alpha=0.2, linewidth=0)
            ax.set_xlabel("annotations per item")
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            ax.set_ylabel("Spearman's rho" if measure == "spearman" else "Pearson's r")
            ax.legend()

    said = "Spearman's and Pearson's correlation with the truth by annotations per item"
    return Figure("", said, (9.0, 3.6), draw, panels=True, title="Correlation with the truth")


def _histograms(s: Simulation) -> Figure:
    ends = _ends(s)

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, len(ends), sharey=True, squeeze=False)[0]
        for ax, (name, values) in zip(axes, ends.items()):
            colour = STYLES.get(name, ("#888888", ""))[0]
            ax.hist(np.clip(values, 0, 1), BINS, (0, 1), color=colour, edgecolor=INK, linewidth=0.6)
            ax.set_title(name)
            ax.set_xlabel("score")

    said = "Histograms of the truth and of the scores at the end"
    return Figure("", said, (9.0, 2.4), draw, panels=True, title="The truth and the scores at the end")


def _maps(s: Simulation) -> Figure:
    top = max(float(m.max()) for m in s.maps.values())

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, len(s.maps), squeeze=False)[0]
        for ax, (iteration, values) in zip(axes, s.maps.items()):
            image = ax.imshow(
                values, origin="lower", interpolation="nearest", cmap="viridis", vmin=0, vmax=top
            )
            ax.set_title(f"before iteration {iteration}")
            ax.set_xticks([])
            ax.set_yticks([])
        figure.colorbar(image, ax=list(axes), label="match quality", shrink=0.8)

    said = "Match quality of all pairs, items ordered by the truth"
    return Figure("", said, (9.0, 2.7), draw, panels=True, title="Match quality")
