"""Systems compared by scores: mean scores and clusters, paired by source, and all differences tested together.

    y = system + source + item + annotator + annotator:system + e        (system fixed, the rest random)

The same sources are judged for every system and each annotator judges many, so scores are not independent.
Student's t with min(sources, annotators) - 1 degrees of freedom; without annotator:system sources - 1, and
the intervals hold only if annotators like all systems in the same order: with sd .05 between likings, a
nominal 95 % interval covered in .92 of simulated studies, with annotator:system in .98 (24 sources, 4
systems, 8 annotators).

`ols` takes plain means with standard errors by source and annotator (Cameron, Gelbach and Miller 2011, J.
Bus. Econ. Stat. 29, 238-249), V = V_source + V_annotator - V_both, each with G / (G - 1). Where a variance of
that V is not positive, the larger of the two one-way variances is taken, and `cautions` says so. p-values
alone and after Holm (1979).

Together: the single-step method uses that differences which share a system are correlated (Hothorn, Bretz and
Westfall 2008, Biometrical J. 50, 346-363). With df "own" each t is turned to a normal score; with "common"
all share one estimate of the variance, a multivariate t, which is right for a mixed model whose variances
scale alike and is narrower.

By segments (Sakaguchi and Van Durme 2018, section 5.3; WMT since 2016): a system's score is the mean of its
segments', its interval Student's t over segments. Two systems differ by the Wilcoxon rank-sum test
(two-sided, normal approximation with ties and continuity correction, as R's wilcox.test(exact = FALSE)). A
cluster ends where every system above the line differs from every system below. The paper's beta distribution
has the same mode from (1, 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ....data.options import one_of
from ....errors import InputError, NotEstimableError
from ...competitions.ranking.error_rates import holm
from ..beta import FloatArray, IntArray
from ..coded_judgments import Labels, check_level, coded_scores
from .annotator_agreement import ranks
from .mixed_equations import nested_in
from .mixed_model import listed, mixed_model, told_apart

if TYPE_CHECKING:
    from ....fit.many.abilities import Abilities
    from ....fit.many.comparison_results import Contrasts
    from ....fit.many.simultaneous import Adjustment, DegreesOfFreedom, Family


ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class SystemScores:
    """The systems' scores and clusters, from best to worst.
    score, low, high float[n_systems]: mean and its t interval; nan limits for a system with one segment.  n
    int[n_systems]: segments judged.  p float[n_systems, n_systems]: two-sided p-values, 1 on the diagonal.
    cluster int[n_systems]: from 1; systems of one cluster are not all distinguished."""

    systems: tuple[str, ...]
    score: FloatArray
    low: FloatArray
    high: FloatArray
    n: IntArray
    p: FloatArray
    cluster: IntArray


def system_scores(system: Sequence[str], score: ArrayLike, level: float = 0.95) -> SystemScores:
    """Scores of systems with intervals and clusters, as WMT ranks systems since 2016.
    score float[k]: one a judged segment (the mean of its judgments): raw, or standardised by annotator.
    There is no correction for the number of tests, as WMT has none."""
    s = np.asarray(score, np.float64)
    if len(s) != len(system):
        raise InputError(f"{len(system)} system names and {len(s)} scores; expected as many")
    if not np.isfinite(s).all():
        k = int(np.flatnonzero(~np.isfinite(s))[0])
        raise InputError(f"system scores: score number {k + 1} is {s[k]}; leave it out")
    by: dict[str, list[float]] = {}
    for name, value in zip(system, s.tolist()):
        by.setdefault(name, []).append(value)
    if len(by) < 2:
        found = f"{len(by)} system(s) ({', '.join(by)})"
        raise InputError(f"system scores: found {found}; clusters need two or more")
    order = sorted(by, key=lambda name: (-np.mean(by[name]), name))
    groups = [np.array(by[name]) for name in order]
    p = np.ones((len(order), len(order)))
    for i, j in combinations(range(len(order)), 2):
        p[i, j] = p[j, i] = rank_sum_p(groups[i], groups[j])
    ends = [bool((p[:k, k:] < ALPHA).all()) for k in range(1, len(order))]
    mean, size = np.array([g.mean() for g in groups]), np.array([len(g) for g in groups])
    half = np.full(len(order), np.nan)
    for k, g in enumerate(groups):
        if len(g) > 1:
            half[k] = _t_quantile(len(g) - 1, level) * float(g.std(ddof=1)) / math.sqrt(len(g))
    return SystemScores(tuple(order), mean, mean - half, mean + half, size, p, np.cumsum([1, *ends]))


def rank_sum_p(x: FloatArray, y: FloatArray) -> float:
    """Two-sided p of the Wilcoxon rank-sum test, as R's wilcox.test(exact = FALSE).
    Normal approximation with ties and continuity correction.  x, y float[n], float[m]."""
    from scipy.special import ndtr

    n, m = len(x), len(y)
    both = np.concatenate([x, y])
    r = ranks(both)
    ties = np.unique(both, return_counts=True)[1].astype(float)
    u = float(r[:n].sum()) - n * (n + 1) / 2 - n * m / 2
    total = n + m
    spread = n * m / 12 * ((total + 1) - float(np.sum(ties**3 - ties)) / (total * (total - 1)))
    if spread <= 0:
        return 1.0
    return float(min(1.0, 2.0 * ndtr(-max(abs(u) - 0.5, 0.0) / np.sqrt(spread))))


_Floor = tuple[FloatArray, FloatArray]
#: Mixed model, or ordinary means with two-way clustered standard errors.
Way = Literal["mixed", "ols"]


@dataclass(frozen=True)
class SystemContrast:
    """The difference of two systems.  p_holm: corrected for the number of contrasts."""

    first: str
    second: str
    estimate: float
    se: float
    t: float
    df: float
    p: float
    p_holm: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class SystemsModel:
    """The systems' means and all their differences.
    mean, se float[n_systems]: for an average source and annotator.  low, high float[n_systems].  covariance
    float[n_systems, n_systems]: of the means.  contrasts: (1, 2), (1, 3), ..., in the order of `systems`.
    variances: "source", "item", "annotator", "annotator:system" and "residual", as far as they are in the
    model.  loglik: restricted; nan for ols.  cautions: sentences to print beside the numbers."""

    way: Way
    systems: tuple[str, ...]
    mean: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    df: float
    covariance: FloatArray
    contrasts: tuple[SystemContrast, ...]
    variances: dict[str, float]
    loglik: float
    n_sources: int
    n_annotators: int
    cautions: tuple[str, ...]


def systems_model(
    system: Labels,
    source: Labels,
    annotator: Labels,
    score: ArrayLike,
    way: Way = "mixed",
    annotator_by_system: bool = True,
    level: float = 0.95,
) -> SystemsModel:
    """Means of systems and all their differences, from single scores.
    system, source, annotator: labels of each score; an item is a system's output of a source.  score
    float[n].  annotator_by_system: whether annotators may like the systems differently; without it intervals
    are narrower, and hold only if they do not."""
    one_of("way", way, get_args(Way))
    check_level(level)
    y, coded_labels = coded_scores(score, system=system, source=source, annotator=annotator)
    (names, which), (sources, of), (annotators, who) = coded_labels
    for what, there in (("systems", names), ("sources", sources), ("annotators", annotators)):
        if len(there) < 2:
            found = f"{len(there)} {what} ({there[0]})"
            raise NotEstimableError(f"systems by scores: {found}; expected two or more")
    cautions = _design(names, which, of, annotators, who)
    variances: dict[str, float] = {}
    loglik, floor = float("nan"), None
    if way == "ols":
        mean, covariance, floor = _two_way(y, which, of, who, len(names))
    else:
        # A source's item is its output by one system; more systems than sources change nothing.
        item = np.unique(of * len(names) + which, return_inverse=True)[1].ravel()
        effects = {"source": of, "item": item, "annotator": who}
        if annotator_by_system:
            effects["annotator:system"] = np.unique(who * len(names) + which, return_inverse=True)[1].ravel()
        effects, aliased = told_apart(effects)
        cautions += aliased
        own = (which[:, None] == np.arange(len(names))).astype(float)
        fit = mixed_model(y, list(effects.values()), own, names=list(effects))
        mean, covariance, loglik = fit.coefficients, fit.covariance, fit.loglik
        variances = {**dict(zip(effects, fit.variances.tolist())), "residual": float(fit.residual[0])}
        cautions += [f"the variance of {name} is 0 (boundary)" for name, v in variances.items() if v == 0.0]
        if not annotator_by_system:
            cautions.append("intervals hold only if annotators do not like the systems differently")
    by_annotator = annotator_by_system or way == "ols"
    df = float(min(len(sources), len(annotators) if by_annotator else len(sources)) - 1)
    if nested_in(who, len(annotators), which) is not None:
        # Each annotator judged one system: what varies are annotators within systems.
        df = min(df, float(len(annotators) - len(names)))
    if df < 5:
        cautions.append(f"{df:g} degree(s) of freedom: few sources or annotators, wide intervals")
    se = _standard_errors(covariance, np.eye(len(names)), floor, cautions)
    functions = np.array([one - other for one, other in combinations(np.eye(len(names)), 2)])
    half = _t_quantile(df, level)
    errors = _standard_errors(covariance, functions, floor, cautions)
    contrasts = _contrasts(list(combinations(names, 2)), functions @ mean, errors, df, half * errors)
    return SystemsModel(
        way, names, mean, se, mean - half * se, mean + half * se, df, covariance, contrasts,
        variances, loglik, len(sources), len(annotators), tuple(dict.fromkeys(cautions)),
    )  # fmt: skip


def _design(
    names: Sequence[str], which: IntArray, of: IntArray, annotators: Sequence[str], who: IntArray
) -> list[str]:
    """Cautions on a design that does not pair the systems; refuses one that cannot distinguish them from
    annotators."""
    judged = np.zeros((len(names), len(annotators)), bool)
    judged[which, who] = True
    seen = np.zeros((len(names), int(of.max()) + 1), bool)
    seen[which, of] = True
    if nested_in(who, len(annotators), which) is not None and len(annotators) == len(names):
        raise NotEstimableError(
            "systems by scores: every system was judged by one annotator of its own, so that systems cannot"
            " be distinguished from"
            " annotators: have annotators judge several systems"
        )
    found = []
    one = [names[k] for k in np.flatnonzero(judged.sum(axis=1) == 1).tolist()]
    if one:
        found.append(
            f"{listed(one)}: judged by one annotator only, so that their scores do not show how annotators differ"
        )
    for what, table in (("annotator", judged), ("source", seen)):
        shared = table.astype(np.int64) @ table.T.astype(np.int64)
        lacking = [(i, j) for i, j in combinations(range(len(names)), 2) if not shared[i, j]]
        if lacking:
            shown = listed([f"{names[i]} and {names[j]}" for i, j in lacking])
            found.append(f"no {what} is shared by {shown}: these differences are not paired by {what}")
    return found


def _t_quantile(df: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + level / 2))


def _contrasts(
    pairs: Sequence[tuple[str, str]], estimate: FloatArray, se: FloatArray, df: float, half: FloatArray
) -> tuple[SystemContrast, ...]:
    from scipy.special import stdtr

    t = estimate / se
    p = 2.0 * stdtr(df, -np.abs(t))
    columns = (estimate, se, t, np.full(len(t), df), p, holm(p), estimate - half, estimate + half)
    rows = zip(*(column.tolist() for column in columns))
    return tuple(SystemContrast(*pair, *row) for pair, row in zip(pairs, rows))


def _standard_errors(
    covariance: FloatArray, functions: FloatArray, floor: _Floor | None, cautions: list[str]
) -> FloatArray:
    """float[m]: of linear functions; by the larger one-way variance where the two-way is not positive."""
    variance: FloatArray = np.einsum("mi,ij,mj->m", functions, covariance, functions)
    if floor is not None:
        one = np.maximum(*(np.einsum("mi,ij,mj->m", functions, v, functions) for v in floor))
        bad = variance <= 1e-12 * one
        if bad.any():
            cautions.append(
                f"{int(bad.sum())} two-way variance(s) not positive: the larger of the one-way variances is taken"
            )
            variance = np.where(bad, one, variance)
    if not (variance > 0).all():
        raise NotEstimableError(
            "systems by scores: means or differences do not vary between sources or annotators, so they have no"
            " standard error"
        )
    return np.asarray(np.sqrt(variance))


def _one_way(residual: FloatArray, which: IntArray, cluster: IntArray, n: FloatArray) -> FloatArray:
    """float[k, k]: clustered covariance of group means, with G / (G - 1)."""
    size = int(cluster.max()) + 1
    sums = np.bincount(cluster * len(n) + which, residual, size * len(n)).reshape(size, len(n)) / n
    return np.asarray(sums.T @ sums * (size / (size - 1.0)))


def _two_way(
    y: FloatArray, which: IntArray, of: IntArray, who: IntArray, k: int
) -> tuple[FloatArray, FloatArray, _Floor]:
    """Means float[k], their two-way covariance, and the one-way ones below which no variance is taken."""
    n = np.bincount(which, minlength=k).astype(float)
    mean: FloatArray = np.bincount(which, y, k) / n
    both = np.unique(of * (int(who.max()) + 1) + who, return_inverse=True)[1].ravel()
    by_source, by_annotator, by_both = (_one_way(y - mean[which], which, c, n) for c in (of, who, both))
    return mean, by_source + by_annotator - by_both, (by_source, by_annotator)


def abilities_of_systems(model: SystemsModel) -> Abilities:
    """The systems' means with covariance, standard errors and degrees of freedom of all differences."""
    from ....fit.many.abilities import Abilities

    n = len(model.systems)
    se, df = np.full((n, n), np.nan), np.full((n, n), model.df)
    place = {name: k for k, name in enumerate(model.systems)}
    for c in model.contrasts:
        i, j = place[c.first], place[c.second]
        se[i, j] = se[j, i] = c.se
    title = "clustered by source and by annotator"
    if model.way == "mixed":
        title = "restricted maximum likelihood, variances taken as known"
    means = (model.systems, model.mean, model.covariance, se, df)
    return Abilities(*means, covariance_title=title, cautions=model.cautions)


def contrasts_together(
    model: SystemsModel,
    family: Family = "all pairs",
    against: str | None = None,
    adjust: Adjustment = "single-step",
    level: float = 0.95,
    df: DegreesOfFreedom = "own",
    seed: int = 0,
) -> Contrasts:
    """Differences of systems with simultaneous intervals and adjusted p-values."""
    from ....fit.many.simultaneous import contrasts

    return contrasts(abilities_of_systems(model), family, against, adjust, level, df, seed)
