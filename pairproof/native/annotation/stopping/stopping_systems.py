"""Stopping rules on systems: confidence sequences for their differences within a source.

A term is the difference of two systems' mean scores of one source, so what a source or an annotator who
judged both adds to both is taken away. All pairs have their sequence at alpha over the number of pairs, so
that a statement on any of them, at any look, is wrong with probability alpha at most. It is a statement on what
these annotators would say of further sources: where annotators like systems differently, it need not hold for
others, and :mod:`pairproof.native.annotation.models.systems_model` has intervals for that. Sources have to be
taken in an order that does not depend on the scores. See :mod:`pairproof.native.annotation.stopping.stopping_rules`
for what a look says; the boundary is that of Robbins (1970),
:mod:`pairproof.native.annotation.stopping.confidence_sequence`.

With `looks` the intervals are O'Brien and Fleming's (1979) repeated ones instead (Jennison and Turnbull 1989):
spread C sqrt(N / n) / sqrt(n) at n of N planned sources, C of :mod:`pairproof.native.annotation.stopping.stopping_systems`.
They are shorter near N, hold at that number of equally spaced looks only, and end at N.

Boundaries for a planned number of looks, equally spaced: O'Brien and Fleming (1979), Pocock (1977).

With K looks at equal steps, z_k = S_k / sqrt(k) and S_k a sum of independent standard normal increments,

    O'Brien-Fleming   stop if |z_k| >= C sqrt(K / k)        Pocock   stop if |z_k| >= C

and C is such that the probability of ever stopping is alpha when there is no difference. The probability is
found by the recursion of Armitage, McPherson and Rowe (1969): the density of S_k among those who have not
stopped is an integral of the density of S_{k-1}, here by Gauss-Legendre quadrature with 160 nodes, which has
12 digits.

These are for a study whose last look is fixed beforehand; a confidence sequence
(:mod:`pairproof.native.annotation.stopping.confidence_sequence`) needs no such plan, and is wider.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ....data.options import one_of, whole_number
from ....errors import InputError, NotEstimableError
from ..beta import FloatArray, IntArray
from ..coded_labels import coded, numbers
from .confidence_sequence import boundary, enough
from .stopping_rules import FEWEST_SOURCES, Look, Verdict, _positive

Shape = Literal["obrien-fleming", "pocock"]
#: Nodes of the quadrature, and the most looks: beyond, take a confidence sequence.
NODES, MOST_LOOKS = 160, 200


def group_sequential(looks: int, alpha: float = 0.05, shape: Shape = "obrien-fleming") -> FloatArray:
    """Two-sided boundaries for z at each of K planned looks.

    looks: K, from 1 to 200.  alpha: probability of ever stopping without a difference, in (0, 1).  Returns
    float[looks]: stop at look k if |z| reaches the k-th.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    one_of("shape", shape, get_args(Shape))
    k = whole_number("looks", looks, 1)
    if k > MOST_LOOKS:
        raise InputError(
            f"looks={k}; expected {MOST_LOOKS} or fewer: a confidence sequence has no such number"
        )
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha!r}; expected a number between 0 and 1, such as 0.05")
    if k == 1:
        return np.array([-float(ndtri(alpha / 2))])
    once = -float(ndtri(alpha / 2))
    most = -float(ndtri(alpha / (2 * k)))  # Bonferroni

    def excess(c: float) -> float:
        return crossing(_boundaries(c, k, shape)) - alpha

    c = float(brentq(excess, 0.5 * once, 1.0001 * most + 1e-9, xtol=1e-13))
    return _boundaries(c, k, shape)


def _boundaries(c: float, k: int, shape: Shape) -> FloatArray:
    if shape == "pocock":
        return np.full(k, c)
    found: FloatArray = c * np.sqrt(k / np.arange(1.0, k + 1))
    return found


def crossing(boundaries: FloatArray) -> float:
    """Probability that |z_k| reaches its boundary at any of the looks, without a difference.

    boundaries float[looks]: of |z|, > 0, at looks after equal steps.
    """
    from scipy.special import ndtr, roots_legendre

    node, weight = roots_legendre(NODES)
    ends = np.asarray(boundaries, np.float64) * np.sqrt(np.arange(1.0, len(boundaries) + 1))
    stopped = 2.0 * float(ndtr(-ends[0]))
    x = ends[0] * node
    density = np.exp(-x * x / 2.0) / np.sqrt(2.0 * np.pi)
    mass = ends[0] * weight * density
    for k in range(1, len(ends)):
        stopped += float(mass @ (ndtr(-ends[k] - x) + ndtr(x - ends[k])))
        new = ends[k] * node
        density = np.exp(-((new[:, None] - x[None, :]) ** 2) / 2.0) @ mass / np.sqrt(2.0 * np.pi)
        x, mass = new, ends[k] * weight * density
    return stopped


@dataclass(frozen=True, eq=False)
class SourceDifferences:
    """All pairs of systems, compared source by source.

    pairs: (0, 1), (0, 2), ...  estimate float[m]: mean difference, first - second; nan without a common
    source.  spread float[m]: standard deviation of the differences; nan below two sources.  n int[m]: sources
    that have both.
    """

    systems: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    estimate: FloatArray
    spread: FloatArray
    n: IntArray


def source_differences(
    system: Sequence[Hashable], source: Sequence[Hashable], score: ArrayLike
) -> SourceDifferences:
    """Differences of systems within sources.

    system, source: labels of each score.  score float[n]: several scores of one output are averaged first.
    """
    y = numbers("score", score)
    names, which = coded("system", system, len(y))
    sources, of = coded("source", source, len(y))
    if len(names) < 2:
        raise NotEstimableError(f"one system ({names[0]}); expected two or more")
    cell = of * len(names) + which
    count = np.bincount(cell, minlength=len(sources) * len(names))
    sums = np.bincount(cell, y, len(sources) * len(names))
    table = np.where(count > 0, sums / np.maximum(count, 1), np.nan).reshape(len(sources), len(names))
    pairs = tuple((i, j) for i in range(len(names)) for j in range(i + 1, len(names)))
    estimate, spread, n = (
        np.full(len(pairs), np.nan),
        np.full(len(pairs), np.nan),
        np.zeros(len(pairs), np.int64),
    )
    for k, (i, j) in enumerate(pairs):
        d = (table[:, i] - table[:, j])[~np.isnan(table[:, i] - table[:, j])]
        n[k] = len(d)
        estimate[k] = d.mean() if len(d) else np.nan
        spread[k] = d.std(ddof=1) if len(d) > 1 else np.nan
    return SourceDifferences(names, pairs, estimate, spread, n)


def systems_short(
    differences: SourceDifferences,
    half: float,
    alpha: float = 0.05,
    planned: float = 100.0,
    looks: int | None = None,
) -> Look:
    """Whether every difference's interval is short enough.

    half: half-width wanted, > 0.  alpha: of any wrong statement.  planned: sources at which the sequence is
    shortest, or with `looks` the most there will be; to be fixed beforehand.  looks: planned number of looks,
    at equal steps up to `planned`: O'Brien and Fleming's boundary.
    """
    _positive("half", half)
    widths = _half(differences, alpha, planned, looks)
    settled = widths <= half
    target = np.full(len(widths), half)
    why = f"{int(settled.sum())} of {len(settled)} differences have a half-width of {half:g} or less"
    return _look(differences, widths, settled, target, why, alpha, planned, looks)


def systems_ranking(
    differences: SourceDifferences,
    delta: float = 0.0,
    alpha: float = 0.05,
    planned: float = 100.0,
    looks: int | None = None,
) -> Look:
    """Whether the ranking is settled: every difference excludes 0, or is within delta of it.

    delta: a difference that does not matter, >= 0.  alpha: of any wrong statement.  planned: sources at which
    the sequence is shortest, or with `looks` the most there will be; to be fixed beforehand.  looks: planned
    number of looks, at equal steps up to `planned`: O'Brien and Fleming's boundary.
    """
    _positive("delta", delta, zero=True)
    widths = _half(differences, alpha, planned, looks)
    away = np.abs(differences.estimate)
    with np.errstate(invalid="ignore"):
        settled = (away > widths) | (away + widths <= delta)
    target = np.maximum(away, delta - away)
    why = f"{int(settled.sum())} of {len(settled)} differences exclude 0" + (
        f" or lie within {delta:g}" if delta else ""
    )
    return _look(differences, widths, settled, target, why, alpha, planned, looks)


def systems_top(
    differences: SourceDifferences,
    k: int,
    delta: float = 0.0,
    alpha: float = 0.05,
    planned: float = 100.0,
    looks: int | None = None,
) -> Look:
    """Whether the k best systems are told from the rest, or are not worse than it by more than delta.

    k: from 1 to the number of systems - 1.  delta: a difference that does not matter, >= 0.  alpha: of any
    wrong statement.  planned: sources at which the sequence is shortest, or with `looks` the most there will
    be; to be fixed beforehand.  looks: planned number of looks, at equal steps up to `planned`: O'Brien and
    Fleming's boundary.  Returns Look: of the differences between top and rest, best first; the others are not
    asked about.
    """
    count = len(differences.systems)
    if not 1 <= whole_number("k", k, 1) < count:
        raise InputError(f"k={k} of {count} systems; expected 1 to {count - 1}")
    _positive("delta", delta, zero=True)
    if (differences.n == 0).any():
        i, j = differences.pairs[int(np.argmin(differences.n))]
        raise NotEstimableError(
            f"{differences.systems[i]} and {differences.systems[j]} have no common source: judge both for the same"
        )
    strength = np.zeros(count)
    for (i, j), d in zip(differences.pairs, differences.estimate):
        strength[i] += d / count
        strength[j] -= d / count
    top = set(np.argsort(-strength, kind="stable")[:k].tolist())
    widths = _half(differences, alpha, planned, looks)
    asked = [m for m, (i, j) in enumerate(differences.pairs) if (i in top) != (j in top)]
    turn = np.array([1.0 if differences.pairs[m][0] in top else -1.0 for m in asked])
    part = SourceDifferences(
        differences.systems,
        tuple(p if p[0] in top else (p[1], p[0]) for p in (differences.pairs[m] for m in asked)),
        differences.estimate[asked] * turn,
        differences.spread[asked],
        differences.n[asked],
    )
    settled = part.estimate - widths[asked] > -delta
    why = f"{int(settled.sum())} of {len(settled)} differences between the top {k} and the rest lie above {0.0 - delta:g}"
    # alpha stays over all pairs: which of them are asked about depends on the scores.
    each = alpha * len(asked) / len(differences.pairs)
    return _look(part, widths[asked], settled, part.estimate + delta, why, each, planned, looks)


@lru_cache(maxsize=64)
def _last(looks: int, alpha: float) -> float:
    """C, the boundary at the last look, which takes a tenth of a second to find."""
    return float(group_sequential(looks, alpha)[-1])


def _half(differences: SourceDifferences, alpha: float, planned: float, looks: int | None) -> FloatArray:
    n, share = np.maximum(differences.n, 1), alpha / len(differences.pairs)
    if looks is None:
        each = boundary(n, share, planned)
    else:
        last = _last(looks, share)
        each = last * np.sqrt(np.maximum(planned / n, 1.0) / n)
    found: FloatArray = np.where(differences.n > 1, differences.spread * each, np.inf)
    return found


def _look(
    differences: SourceDifferences,
    widths: FloatArray,
    settled: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]",
    target: FloatArray,
    why: str,
    alpha: float,
    planned: float,
    looks: int | None,
) -> Look:
    names = tuple(f"{differences.systems[i]} - {differences.systems[j]}" for i, j in differences.pairs)
    few = int(differences.n.min())
    verdict: Verdict = "stop" if bool(settled.all()) else "go on"
    known = ~np.isnan(differences.spread) & ~np.isnan(target)
    wanted = np.full(len(names), np.inf)
    spread, share = differences.spread[known], alpha / len(names)
    if looks is None:
        wanted[known] = enough(target[known], spread, share, planned)
    else:
        # Beyond the planned number there is no boundary.
        with np.errstate(divide="ignore"):
            need = np.ceil(_last(looks, share) * spread * np.sqrt(planned) / target[known])
        wanted[known] = np.where((target[known] > 0) & (need <= planned), need, np.inf)
    more = np.where(settled, 0.0, np.maximum(wanted - differences.n, 0.0))
    if few < FEWEST_SOURCES:
        verdict, why = "too early", f"{few} common source(s); systems are looked at from {FEWEST_SOURCES} on"
    # A source serves all pairs that it has, so the pair that needs most decides.
    return Look(verdict, names, differences.estimate, widths, differences.n, settled, float(more.max()), why)
