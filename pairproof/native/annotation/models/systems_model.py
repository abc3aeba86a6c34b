"""Systems compared by scores: paired by source, with intervals that respect that annotators differ.

    y = system + source + item + annotator + annotator:system + e        (system fixed, the rest random)

The same sources are judged for every system and each annotator judges many, so scores are not independent.
Student's t with min(sources, annotators) - 1 degrees of freedom. Without annotator:system the degrees of
freedom are sources - 1, and the intervals hold only if annotators like all systems in the same order: with a
standard deviation of .05 between annotators' likings, a nominal 95 % interval covered in .92 of simulated
studies, with annotator:system in .98 (24 sources, 4 systems, 8 annotators).

The other way, `ols`, takes plain means with standard errors clustered by source and by annotator (Cameron,
Gelbach and Miller 2011, J. Bus. Econ. Stat. 29, 238-249), V = V_source + V_annotator - V_both, each with G /
(G - 1). That V need not be positive: where a variance is not, the larger of the two one-way variances is
taken, and `cautions` says so.

p-values are given alone and after Holm's correction (1979) for all contrasts; intervals that hold together and
single-step p-values are in :mod:`pairproof.native.annotation.models.systems_together`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ....data.options import one_of
from ....errors import InputError, NotEstimableError
from ...ranking.error_rates import holm
from ..beta import FloatArray, IntArray
from ..coded_labels import coded, numbers
from .confounded import listed, told_apart
from .elimination import nested_in
from .mixed_model import mixed_model

#: Mixed model, or ordinary means with two-way clustered standard errors.
Way = Literal["mixed", "ols"]


@dataclass(frozen=True)
class SystemContrast:
    """The difference of two systems.

    estimate, se: of first - second.  t, df, p: two-sided.  p_holm: corrected for the number of contrasts.
    low, high: interval of this contrast alone.
    """

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

    mean, se float[n_systems]: for an average source and annotator.  low, high float[n_systems].  df: of every
    t.  covariance float[n_systems, n_systems]: of the means.  contrasts: (1, 2), (1, 3), ..., in the order of
    `systems`.  variances: "source", "item", "annotator", "annotator:system" and "residual", as far as they
    are in the model.  loglik: restricted; nan for ols.  cautions: sentences to print beside the numbers.
    """

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
    system: Sequence[Hashable],
    source: Sequence[Hashable],
    annotator: Sequence[Hashable],
    score: ArrayLike,
    way: Way = "mixed",
    annotator_by_system: bool = True,
    level: float = 0.95,
) -> SystemsModel:
    """Means of systems and all their differences, from single scores.

    system, source, annotator: labels of each score; an item is a system's output of a source.  score
    float[n].  way: see the module.  annotator_by_system: whether annotators may like the systems differently;
    without it intervals are narrower, and hold only if they do not.
    """
    one_of("way", way, get_args(Way))
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
    y = numbers("score", score)
    names, which = coded("system", system, len(y))
    sources, of = coded("source", source, len(y))
    annotators, who = coded("annotator", annotator, len(y))
    for what, there in (("systems", names), ("sources", sources), ("annotators", annotators)):
        if len(there) < 2:
            raise NotEstimableError(
                f"systems by scores: {len(there)} {what} ({there[0]}); expected two or more"
            )
    cautions = _design(names, which, of, annotators, who)
    variances: dict[str, float] = {}
    loglik = float("nan")
    if way == "ols":
        mean, covariance = _two_way(y, which, of, who, len(names))
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
    floor = _one_way_floor(y, which, of, who, len(names)) if way == "ols" else None
    se = _standard_errors(covariance, np.eye(len(names)), floor, cautions)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    functions = np.array([np.eye(len(names))[i] - np.eye(len(names))[j] for i, j in pairs])
    quantile = _t_quantile(df, level)
    errors = _standard_errors(covariance, functions, floor, cautions)
    contrasts = _contrasts(names, pairs, functions @ mean, errors, df, quantile)
    return SystemsModel(
        way, names, mean, se, mean - quantile * se, mean + quantile * se, df, covariance, contrasts,
        variances, loglik, len(sources), len(annotators), tuple(dict.fromkeys(cautions)),
    )  # fmt: skip


def _design(
    names: Sequence[str], which: IntArray, of: IntArray, annotators: Sequence[str], who: IntArray
) -> list[str]:
    """Cautions on a design that does not pair the systems; refuses one that cannot tell them from annotators."""
    judged = np.zeros((len(names), len(annotators)), bool)
    judged[which, who] = True
    seen = np.zeros((len(names), int(of.max()) + 1), bool)
    seen[which, of] = True
    if nested_in(who, len(annotators), which) is not None and len(annotators) == len(names):
        raise NotEstimableError(
            "systems by scores: every system was judged by one annotator of its own, so that systems cannot be told from"
            " annotators: have annotators judge several systems"
        )
    found = []
    one = [names[k] for k in np.flatnonzero(judged.sum(axis=1) == 1)]
    if one:
        found.append(
            f"{listed(one)}: judged by one annotator only, so that their scores do not show how annotators differ"
        )
    for what, table in (("annotator", judged), ("source", seen)):
        shared = table.astype(np.int64) @ table.T.astype(np.int64)
        lacking = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names)) if not shared[i, j]]
        if lacking:
            shown = listed([f"{names[i]} and {names[j]}" for i, j in lacking])
            found.append(f"no {what} is shared by {shown}: these differences are not paired by {what}")
    return found


def _t_quantile(df: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + level / 2))


def _contrasts(
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    estimate: FloatArray,
    se: FloatArray,
    df: float,
    quantile: float,
) -> tuple[SystemContrast, ...]:
    from scipy.special import stdtr

    t = estimate / se
    p = 2.0 * stdtr(df, -np.abs(t))
    return tuple(
        SystemContrast(names[i], names[j], *(float(v) for v in row))
        for (i, j), row in zip(
            pairs,
            np.column_stack(
                [
                    estimate,
                    se,
                    t,
                    np.full(len(t), df),
                    p,
                    holm(p),
                    estimate - quantile * se,
                    estimate + quantile * se,
                ]
            ),
        )
    )


def _standard_errors(
    covariance: FloatArray,
    functions: FloatArray,
    floor: tuple[FloatArray, FloatArray] | None,
    cautions: list[str],
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
    found: FloatArray = np.sqrt(variance)
    return found


def _one_way(residual: FloatArray, which: IntArray, cluster: IntArray, n: FloatArray) -> FloatArray:
    """float[k, k]: clustered covariance of group means, with G / (G - 1)."""
    size = int(cluster.max()) + 1
    sums = np.bincount(cluster * len(n) + which, residual, size * len(n)).reshape(size, len(n)) / n
    found: FloatArray = sums.T @ sums * (size / (size - 1.0))
    return found


def _residuals(y: FloatArray, which: IntArray, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    n = np.bincount(which, minlength=k).astype(float)
    mean: FloatArray = np.bincount(which, y, k) / n
    return mean, y - mean[which], n


def _one_way_floor(
    y: FloatArray, which: IntArray, of: IntArray, who: IntArray, k: int
) -> tuple[FloatArray, FloatArray]:
    _, residual, n = _residuals(y, which, k)
    return _one_way(residual, which, of, n), _one_way(residual, which, who, n)


def _two_way(
    y: FloatArray, which: IntArray, of: IntArray, who: IntArray, k: int
) -> tuple[FloatArray, FloatArray]:
    mean, residual, n = _residuals(y, which, k)
    both = np.unique(of * (int(who.max()) + 1) + who, return_inverse=True)[1].ravel()
    by_source, by_annotator = _one_way_floor(y, which, of, who, k)
    return mean, by_source + by_annotator - _one_way(residual, which, both, n)
