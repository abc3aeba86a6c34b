"""Pictures of systems compared two by two: figures 2 and 3 of Vilar, Leusch and Ney (2007).

Figure 2: of each pair, how often the system that won was judged better against how often it was judged worse, by judge and
of all judges together.  Hatched is where equation 1 does not reject equality: with x + y = s of m sentences decided,
equation 6 gives |x - y| <= sqrt(k s), k = q^2 / (((m - 1) / m)^2 + q^2 / m), q = 1.96.

Figure 3: a score for each system with its 95 % interval.  The paper's are of automatic measures, fluency and adequacy; of
comparisons a score s is fitted, R_ij = s_i - s_j, by least squares weighted with the standard errors of the pairs, which
are taken as independent of each other; the mean of all scores is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....fit.estimates.tails import NORMAL_975, student_quantile
from ....fit.shown.fit_plots import COLOURS, MARKERS, plain
from ....numerics.arrays import FloatArray
from ....report.blocks import FAINT, GOOD, INK, panels
from .two_systems import BinaryResult, TwoSystems

#: Pairs that have a colour, a mark and a line in the legend; of more all are alike.
MOST_NAMED = 2 * len(COLOURS)


def not_rejected(m: int) -> FloatArray:
    """The outline, float[n, 2], of the counts better and worse of m sentences that do not reject equality."""
    q2 = NORMAL_975**2
    k = q2 / (((m - 1) / m) ** 2 + q2 / m)
    s = np.linspace(0.0, m, 201)
    d = np.minimum(np.sqrt(k * s), s)
    above = np.column_stack([(s - d) / 2, (s + d) / 2])
    return np.concatenate([above, above[::-1, ::-1]])


def same_size(rows: Iterable[BinaryResult]) -> int:
    """The sentences of each, if they are as many, so that one area is hatched for all; else 0."""
    sizes = {r.m for r in rows}
    return sizes.pop() if len(sizes) == 1 and min(sizes) > 1 else 0


def plot_judgments(figure: Any, found: Sequence[TwoSystems]) -> None:
    """Figure 2: a panel of single judges, if there are judges, and one of all together."""
    shown: dict[str, list[tuple[BinaryResult, ...]]] = {
        "(a) each judge": [two.by_judge for two in found],
        "(b) all together": [(two.merged,) for two in found],
    }
    titles = [title for title, rows in shown.items() if any(rows)]
    for ax, title in zip(panels(figure, len(titles), 4.2, least=3.0), titles):
        for k, (two, rows) in enumerate(zip(found, shown[title])):
            _pair(ax, two, rows, k, len(found) <= MOST_NAMED)
        if m := same_size(r for rows in shown[title] for r in rows):
            ax.fill(*not_rejected(m).T, fill=False, hatch="////", edgecolor=FAINT, linewidth=0, zorder=0)
        end = 1.08 * max(max(r.wins, r.losses) for rows in shown[title] for r in rows)
        ax.plot([0, end], [0, end], color=INK, linewidth=0.6, zorder=0)
        ax.set_title(title if len(titles) > 1 else "")
        ax.set(xlabel="judged better", ylabel="judged worse", xlim=(0, end), ylim=(0, end), aspect="equal")
    if 1 < len(found) <= MOST_NAMED:
        ax.legend()


def _pair(ax: Any, two: TwoSystems, rows: Sequence[BinaryResult], k: int, named: bool) -> None:
    """The points of a pair from the side of its winner; filled where equality is rejected."""
    first, second = two.merged.first, two.merged.second
    won = two.merged.wins >= two.merged.losses
    colour = COLOURS[k % len(COLOURS)] if named else GOOD
    how = {"linestyle": "none", "markersize": 5, "color": colour}
    how["marker"] = MARKERS[(k + k // len(COLOURS)) % len(MARKERS)] if named else "o"
    for filled in (True, False):
        some = [r for r in rows if bool(r.significant) is filled]
        at = [[r.wins, r.losses] if won else [r.losses, r.wins] for r in some]
        ax.plot(*np.reshape(at, (-1, 2)).T, markerfacecolor=colour if filled else "none", **how)
    ax.plot([], [], label=plain(f"{first} over {second}" if won else f"{second} over {first}"), **how)


@dataclass(frozen=True)
class Scores:
    """Scores of the systems, best first, with half their 95 % intervals."""

    systems: tuple[str, ...]
    score: FloatArray
    half: FloatArray


def scores_of(found: Sequence[TwoSystems]) -> Scores | None:
    """The scores of three or more systems; None where a pair has no standard error, or nothing puts systems in order.

    The standard errors are those of judges' means where there are two judges or more, else those of equation 6.
    """
    tests = [two.tests.judge_means for two in found]
    by_judge = all(t.se > 0 for t in tests)
    systems = list(dict.fromkeys(name for two in found for name in (two.merged.first, two.merged.second)))
    y = np.array([t.estimate if by_judge else two.merged.R for t, two in zip(tests, found)])
    se = np.array([t.se if by_judge else two.merged.se_vilar or 0.0 for t, two in zip(tests, found)])
    a = np.zeros((len(found), len(systems)))
    for k, two in enumerate(found):
        a[k, systems.index(two.merged.first)], a[k, systems.index(two.merged.second)] = 1.0, -1.0
    if len(systems) < 3 or not (se > 0).all() or np.linalg.matrix_rank(a) < len(systems) - 1:
        return None
    covariance = np.linalg.pinv((a.T / se**2) @ a)
    score = covariance @ (a.T @ (y / se**2))
    df = min(t.df for t in tests) if by_judge else math.inf
    order = np.argsort(-score, kind="stable")
    half = float(student_quantile(0.975, df)) * np.sqrt(np.diag(covariance))
    return Scores(tuple(systems[k] for k in order), score[order], half[order])


def plot_scores(ax: Any, scores: Scores) -> None:
    """Figure 3: the scores with their intervals, best on top."""
    y = np.arange(len(scores.systems))
    ax.errorbar(scores.score, y, xerr=scores.half, fmt="o", markersize=5, linewidth=2.0, color=GOOD)
    ax.set_yticks(y, [plain(name) for name in scores.systems])
    ax.set_ylim(len(y) - 0.4, -0.6)
    ax.axvline(0.0, color=INK, linewidth=0.6)
    ax.set_xlabel("score, mean of all 0, with 95 % intervals")
    ax.grid(axis="x")
