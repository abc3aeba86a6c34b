"""The status of a campaign as a page: its progress, a plot of its scores, its systems and its items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ...native.annotation.beta import FloatArray
from ...native.annotation.models.system_scores import SystemScores
from ...report.blocks import Block, Bullets, Code, Column, Figure, Heading, Page, Table
from ...report.figures import GOOD, INK
from .status import Status, histogram

#: Length in characters of the longest bar of a histogram in text.
WIDTH = 40
#: Most items shown in a terminal's table, half of them the best and half the worst.
ITEMS = 20
_NUMBER = Column("score"), Column("low"), Column("high"), Column("n")


def page(status: Status, level: float, most: int | None = None) -> Page:
    """The page of a campaign's status; it lists the best and the worst items, `most` in all, or every item."""
    return Page("Annotation campaign", list(_blocks(status, level, most)))


def _blocks(status: Status, level: float, most: int | None) -> Iterator[Block]:
    yield Bullets(tuple(lines(status)))
    if status.systems is not None:
        yield Heading(
            "Systems, best first (between clusters, all above differ from all below: rank-sum p < .05)"
        )
        yield _systems(status.systems)
    order = _order(status)
    low, high = _interval(status, order, level)
    yield _scores(status, order, low, high)
    rows = [
        (status.ids[k], _number(status.state.score[k]), _number(l), _number(h), str(status.state.n[k]))
        for k, l, h in zip(order, low, high)
    ]
    header = (Column("id", "left"), *_NUMBER)
    yield Heading(f"Items: score, {level:.0%} interval, number of scores")
    if most is not None and len(rows) > most:
        left = len(rows) - 2 * (most // 2)
        rows[most // 2 : -(most // 2)] = [(f"... {left} more", "", "", "", "")]
    yield Table(header, tuple(rows))


def lines(status: Status) -> list[str]:
    """Progress, convergence and the agreement of annotators in sentences."""
    a = status.about
    found = [
        f"Campaign {a.id}: {len(status.ids)} items, method {a.method}, {a.per_hit} per HIT"
        + (", taken over from an older tool" if a.imported else "")
    ]
    found.append(
        f"{status.batches} batches, {status.answered} of {status.hits} HITs answered;"
        f" {status.judgments} judgments by {status.annotators} named annotators: {status.scores} scores,"
        f" {status.cannot_judge} times 'cannot judge'"
    )
    if status.taken_back:
        s = "" if status.taken_back == 1 else "s"
        found.append(f"{status.taken_back} judgment{s} retracted and not counted ('easl retract --list')")
    n = status.state.n
    found.append(
        f"Scores per item: {int(n.min())} to {int(n.max())}, mean {n.mean():.2f}; {int((n == 0).sum())} items"
        " without scores"
    )
    if status.last is None:
        found.append("Convergence: no batch has been judged yet")
    elif np.isnan(status.stability):
        found.append(f"Convergence: nothing to compare yet (batch {status.last} is the first judged)")
    else:
        found.append(
            f"Convergence: batch {status.last} changed scores by {status.shift:.4f} on average; Spearman's"
            f" rho with the scores before it is {status.stability:.4f}"
        )
    if a.method == "trueskill":
        found.append("Scores of trueskill are unbounded; items start at 0.5 with standard deviation 0.289")
    return found + _agreement_lines(status)


def _agreement_lines(status: Status) -> list[str]:
    g = status.agreement
    if g is None:
        return []
    mean = f"{g.pairwise:.4f}, mean of {g.n_pairs} pairs"
    pairwise = mean if g.n_pairs else "none: no two annotators share 3 items"
    alpha = "none" if np.isnan(g.alpha) else f"{g.alpha:.4f}"
    found = [f"Agreement of annotators: Spearman's rho {pairwise}; Krippendorff's alpha (interval) {alpha}"]
    known = [(r, name) for r, name in zip(g.rest.tolist(), status.names) if not np.isnan(r)]
    if known:
        least, name = min(known, key=itemgetter(0))
        most = max(r for r, _ in known)
        found.append(f"With all others: {least:.4f} ({name}) to {most:.4f}, {len(known)} annotators")
    return found


def _systems(s: SystemScores) -> Table:
    rows = zip(s.cluster.tolist(), s.systems, s.score.tolist(), s.low.tolist(), s.high.tolist(), s.n.tolist())
    return Table(
        (Column("cluster"), Column("system", "left"), *_NUMBER[:-1], Column("segments")),
        tuple(
            (str(c), name, f"{score:.4f}", f"{low:.4f}", f"{high:.4f}", str(n))
            for c, name, score, low, high, n in rows
        ),
    )


def _order(status: Status) -> list[int]:
    """Items from the highest score to the lowest; those without a score last."""
    score: list[float] = status.state.score.tolist()

    def key(k: int) -> tuple[bool, float, str]:
        return math.isnan(score[k]), -score[k], status.ids[k]

    return sorted(range(len(score)), key=key)


def _interval(status: Status, which: Sequence[int], level: float) -> tuple[FloatArray, FloatArray]:
    s, at = status.state, np.array(which, np.int64)
    return type(s)(s.method, s.a[at], s.b[at], s.n[at]).interval(level)


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.4f}"


def _scores(status: Status, order: Sequence[int], low: FloatArray, high: FloatArray) -> Figure:
    """A histogram of the scores beside all items in order with their intervals."""
    counts, edges = histogram(status.state.score)

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.bar(edges[:-1], counts, np.diff(edges), align="edge", color=GOOD, edgecolor=INK, linewidth=0.6)
        left.set_xlabel("score")
        left.set_ylabel("items")
        place = np.arange(len(order))
        right.vlines(place, low, high, color=GOOD, linewidth=0.8)
        score = status.state.score[np.array(order, np.int64)]
        right.plot(place, score, linestyle="none", marker=".", markersize=3, color=INK)
        right.set_xlabel("items, highest score first")
        right.set_ylabel("score and interval")

    most = max(int(counts.max()), 1)
    bins = list(zip(counts.tolist(), edges[:-1], edges[1:]))
    bars = (
        f"{low:5.2f} to {high:5.2f}  {'#' * round(WIDTH * c / most)}{' ' if c else ''}{c}"
        for c, low, high in bins
    )
    said = "; ".join(f"{c} items from {low:.2f} to {high:.2f}" for c, low, high in bins)
    return Figure(
        "Scores: histogram, and every item with its interval",
        said,
        (9.0, 3.4),
        draw,
        panels=True,
        title="Scores",
        elsewhere=(Heading("Scores"), Code("\n".join(bars))),
    )
