"""The figures of the page on coverage, drawn from its records; each file says in itself which record it shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..snippets import ROOT
from .tally import RECORDS, read

FIGURES = Path("docs") / "figures"
#: Colours of Okabe and Ito (2008), and a mark of its own for each method.
ONE_WAY = {
    "model z": ("#000000", "x"),
    "CR0 z": ("#E69F00", "v"),
    "CR1 t": ("#56B4E9", "s"),
    "CR2 t": ("#D55E00", "o"),
}
TWO_WAY = {
    "model z": ("#000000", "x"),
    "CR2 judge": ("#56B4E9", "s"),
    "CGM CR2 t": ("#009E73", "v"),
    "max rule": ("#D55E00", "o"),
}
LABELS = {
    "model z": "model, normal",
    "CR0 z": "CR0, normal",
    "CR1 t": "CR1, t on G - 1",
    "CR2 t": "CR2, Satterthwaite's t",
    "CR2 judge": "CR2 by judge alone",
    "CGM CR2 t": "two-way CR2",
    "max rule": "largest of two-way and one-way",
}
GOAL = (0.93, 0.97)


def file_of(part: str) -> Path:
    return FIGURES / f"coverage-{part}.svg"


def mark(part: str) -> str:
    """What the figure of a part says of its record."""
    return f"{part}.json, sha256 {hashlib.sha256((RECORDS / f'{part}.json').read_bytes()).hexdigest()}"


def draw() -> Iterator[Path]:
    """Draw both figures."""
    yield _drawn("one-way", ONE_WAY, "judges")
    yield _drawn("two-way", TWO_WAY, "judges and as many prompts")


def points(
    found: Sequence[Mapping[str, Any]], method: str, sd: float, uneven: bool
) -> list[tuple[int, float, float]]:
    """Clusters, coverage and Monte Carlo error of a method; two-way lines with as many judges as prompts only."""
    out = []
    for one in found:
        d, rate = one["design"], one["rates"][method]
        square = d["prompts"] in (0, d["judges"])
        if d["judge_sd"] == sd and d["uneven"] == uneven and square:
            out.append((d["judges"], rate["rate"], rate["error"]))
    return sorted(out)


def _drawn(part: str, methods: Mapping[str, tuple[str, str]], clusters: str) -> Path:
    import matplotlib
    from matplotlib.figure import Figure

    found = read(part)["lines"]
    sds = sorted({one["design"]["judge_sd"] for one in found})
    path = file_of(part)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": path.name, "font.size": 8.5}):
        figure = Figure(figsize=(8.0, 5.2))
        figure.subplots_adjust(left=0.08, right=0.99, bottom=0.09, top=0.88, hspace=0.22, wspace=0.06)
        axes = figure.subplots(2, len(sds), sharex=True, sharey=True)
        for row, uneven in zip(axes, (False, True)):
            for ax, sd in zip(row, sds):
                _panel(ax, found, methods, sd, uneven)
        for column in axes.T:
            lowest = [ax for ax in column if ax.axison][-1]
            lowest.tick_params(labelbottom=True)
            lowest.set_xlabel(f"{clusters} (log scale)")
        for row in axes:
            leftmost = [ax for ax in row if ax.axison][0]
            leftmost.tick_params(labelleft=True)
            leftmost.set_ylabel("coverage of 95 % intervals")
        handles, labels = axes[0][-1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper center", ncols=len(methods), frameon=False)
        figure.savefig(
            ROOT / path,
            format="svg",
            facecolor="white",
            metadata={"Date": None, "Creator": None, "Description": mark(part)},
        )
    return path


def _panel(
    ax: Any,
    found: Sequence[Mapping[str, Any]],
    methods: Mapping[str, tuple[str, str]],
    sd: float,
    uneven: bool,
) -> None:
    """Coverage by clusters; bars are two Monte Carlo errors, the band is the goal from 20 clusters on."""
    if not any(points(found, method, sd, uneven) for method in methods):
        ax.set_axis_off()
        return
    ax.axhspan(*GOAL, color="#EEEEEE", zorder=0)
    ax.axhline(0.95, color="#888888", linewidth=0.8, zorder=1)
    busy = "unequally busy" if uneven else "equally busy"
    ax.set_title(f"preferences sd {sd:g}, {busy}", fontsize=8.5)
    ax.set_xscale("log")
    ax.set_xticks([8, 20, 60], ["8", "20", "60"])
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    for k, (method, (colour, sign)) in enumerate(methods.items()):
        at = points(found, method, sd, uneven)
        if not at:
            continue
        n, rate, error = zip(*at)
        aside = [x * 1.04 ** (k - (len(methods) - 1) / 2) for x in n]
        ax.errorbar(aside, rate, [2 * e for e in error], color=colour, marker=sign, markersize=4.5, linewidth=1.2,
                    elinewidth=0.8, label=LABELS[method])  # fmt: skip
