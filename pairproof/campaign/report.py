"""A campaign's status for people: text for a terminal, Markdown, or one HTML page with its drawings
inside.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from importlib import resources

import numpy as np

from ..native.annotation.beta import FloatArray
from ..text import safe
from .status import Status, histogram

#: Rows of the table of scores in a terminal: the best and the worst half of it.
ROWS = 20
WIDTH = 40
#: Colours that matplotlib writes and the page replaces by its own.
_INK, _MARK = "#010203", "#010204"


def lines(status: Status) -> list[str]:
    """Progress and convergence in sentences."""
    a = status.about
    found = [
        f"Campaign {a.id}: {len(status.ids)} items, method {a.method}, {a.per_hit} a HIT"
        + (", taken over from an older tool" if a.imported else "")
    ]
    found.append(
        f"{status.batches} batches, {status.answered} of {status.hits} HITs answered;"
        f" {status.judgments} judgments by {status.annotators} named annotators: {status.scores} scores,"
        f" {status.cannot_judge} times 'cannot judge'"
    )
    if status.taken_back:
        s = "" if status.taken_back == 1 else "s"
        found.append(f"{status.taken_back} judgment{s} taken back, counted nowhere ('easl retract --list')")
    n = status.state.n
    found.append(
        f"Scores an item: {int(n.min())} to {int(n.max())}, mean {n.mean():.2f}; {int((n == 0).sum())} items"
        " without one"
    )
    if status.last is None:
        found.append("Convergence: no batch is judged yet")
    elif np.isnan(status.stability):
        found.append(f"Convergence: nothing to compare yet (batch {status.last} is the first judged)")
    else:
        found.append(
            f"Convergence: batch {status.last} moved scores by {status.shift:.4f} on average; Spearman's rho"
            f" with the scores before it is {status.stability:.4f}"
        )
    if a.method == "trueskill":
        found.append("Scores of trueskill have no ends; items start at 0.5 with standard deviation 0.289")
    return found + _agreement_lines(status) + _system_lines(status)


def _agreement_lines(status: Status) -> list[str]:
    g = status.agreement
    if g is None:
        return []
    pairwise = (
        f"{g.pairwise:.4f}, mean of {g.n_pairs} pairs"
        if g.n_pairs
        else "none: no two annotators share 3 items"
    )
    alpha = "none" if np.isnan(g.alpha) else f"{g.alpha:.4f}"
    found = [f"Agreement of annotators: Spearman's rho {pairwise}; Krippendorff's alpha (interval) {alpha}"]
    known: list[tuple[str, float]] = [
        (name, r) for name, r in zip(status.names, g.rest.tolist()) if not np.isnan(r)
    ]
    if known:
        name, least = min(known, key=lambda pair: pair[1])
        found.append(
            f"With all others: {least:.4f} ({shown(name)}) to {max(r for _, r in known):.4f},"
            f" {len(known)} annotators"
        )
    return found


def _system_lines(status: Status) -> list[str]:
    s = status.systems
    if s is None:
        return []
    return [
        "Systems, best first (a cluster ends where all above differ from all below, rank-sum p < .05):"
    ] + [
        f"  {c}  {shown(name)}  {score:.4f} [{low:.4f}, {high:.4f}]  {n} segments"
        for c, name, score, low, high, n in zip(
            s.cluster.tolist(), s.systems, s.score.tolist(), s.low.tolist(), s.high.tolist(), s.n.tolist()
        )
    ]


def text(status: Status, level: float) -> str:
    """For a terminal: sentences, a histogram, the best and the worst items with their intervals."""
    counts, edges = histogram(status.state.score)
    most = max(int(counts.max()), 1)
    bars = [
        f"  {low:5.2f} to {high:5.2f}  {'#' * round(WIDTH * c / most)}{' ' if c else ''}{c}"
        for c, low, high in zip(counts.tolist(), edges[:-1], edges[1:])
    ]
    order = _order(status)
    some = order if len(order) <= ROWS else [*order[: ROWS // 2], *order[-ROWS // 2 :]]
    rows = _rows(status, some, level)
    if len(order) > ROWS:
        rows.insert(ROWS // 2, f"  ... {len(order) - ROWS} more (--json, export) ...")
    return "\n".join(
        [
            *lines(status),
            "",
            "Scores:",
            *bars,
            "",
            f"Items, score [{level:.0%} interval], scores counted:",
            *rows,
        ]
    )


def _order(status: Status) -> list[int]:
    """Items from the highest score to the lowest; those without one last."""
    score: list[float] = status.state.score.tolist()

    def key(k: int) -> tuple[bool, float, str]:
        return math.isnan(score[k]), -score[k], status.ids[k]

    return sorted(range(len(score)), key=key)


def _rows(status: Status, which: Sequence[int], level: float) -> list[str]:
    low, high = _interval(status, which, level)
    names = [shown(status.ids[k])[:40] for k in which]
    width = max(map(len, names), default=0)
    return [
        f"  {name:<{width}}  {_number(status.state.score[k])} [{_number(l)}, {_number(h)}] "
        f" {status.state.n[k]}"
        for name, k, l, h in zip(names, which, low, high)
    ]


def _interval(status: Status, which: Sequence[int], level: float) -> tuple[FloatArray, FloatArray]:
    s, at = status.state, np.array(which, np.int64)
    return type(s)(s.method, s.a[at], s.b[at], s.n[at]).interval(level)


def _number(value: float) -> str:
    return "  -   " if np.isnan(value) else f"{value:6.4f}"


def shown(label: str) -> str:
    """A label for a terminal or a page: control characters and line ends as escapes."""
    return safe("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in label))


def markdown(status: Status, level: float) -> str:
    """Sentences and the table of all items."""
    order = _order(status)
    low, high = _interval(status, order, level)
    rows = [
        f"| {_cell(status.ids[k])} | {_number(status.state.score[k])} | {_number(l)} | {_number(h)} |"
        f" {status.state.n[k]} |"
        for k, l, h in zip(order, low, high)
    ]
    return "\n".join(
        [
            "# Annotation campaign",
            "",
            *(f"- {_cell(line)}" for line in lines(status)),
            "",
            "| id | score | low | high | n |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def _cell(label: str) -> str:
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", shown(label)).replace("\\<", "&lt;").replace("\\>", "&gt;")


def html(status: Status, level: float) -> str:
    """One self-contained page; every text is escaped."""
    from jinja2 import Environment, StrictUndefined

    order = _order(status)
    low, high = _interval(status, order, level)
    rows = [
        (shown(status.ids[k]), _number(status.state.score[k]), _number(l), _number(h), int(status.state.n[k]))
        for k, l, h in zip(order, low, high)
    ]
    template = resources.files(__package__).joinpath("status.html.j2").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(template).render(
        lines=lines(status), rows=rows, level=f"{level:.0%}", svg=drawing(status, order, low, high)
    )


def drawing(status: Status, order: Sequence[int], low: FloatArray, high: FloatArray) -> str:
    """A histogram of the scores beside all items in order with their intervals, as an <svg> element."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    counts, edges = histogram(status.state.score)
    left.bar(edges[:-1], counts, np.diff(edges), align="edge", color=_MARK, edgecolor=_INK, linewidth=0.6)
    left.set_xlabel("score")
    left.set_ylabel("items")
    score = status.state.score[np.array(order, np.int64)]
    place = np.arange(len(order))
    right.vlines(place, low, high, color=_MARK, linewidth=0.8)
    right.plot(place, score, linestyle="none", marker=".", markersize=3, color=_INK)
    right.set_xlabel("items, highest score first")
    right.set_ylabel("score and interval")
    for ax in (left, right):
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.tick_params(colors=_INK, labelsize=8)
    return svg(
        figure,
        "Scores: histogram, and every item with its interval",
        {_INK: "currentColor", _MARK: "var(--mark)"},
    )


def svg(figure: object, title: str, colours: dict[str, str]) -> str:
    """A figure as an <svg> element with a title, in the page's colours."""
    from html import escape

    import matplotlib
    from matplotlib.figure import Figure

    assert isinstance(figure, Figure)
    stream = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    found = re.sub(r"<metadata>.*?</metadata>", "", stream.getvalue(), flags=re.DOTALL)
    found = found[found.index("<svg") :]
    for written, page in colours.items():
        found = found.replace(written, page)
    return re.sub(
        r"(<svg[^>]*>)",
        lambda m: m[1].replace("<svg", '<svg role="img"', 1) + f"<title>{escape(title)}</title>",
        found,
        count=1,
    )
