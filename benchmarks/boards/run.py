"""Replications of a design, and what they come to: bias, coverage, ranks, with their Monte Carlo errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairproof.numerics.arrays import FloatArray

from .designs import POINTS, Design
from .methods import METHODS, PEERS, Answer

#: Replications at the beginning in which rank sets are worked out whatever the case, so that their size is
#: known (of more than 20 models, which take seconds, in fewer); and those whose sums are kept, so that a test
#: can draw them again.
SIZED, SIZED_OF_MANY, FIRST = 10, 3, 2


@dataclass(frozen=True, eq=False)
class Replication:
    """answer by method, and the limit that each is held against, Elo."""

    k: int
    answers: Mapping[str, Answer]
    targets: Mapping[str, FloatArray]
    coefficient: float


def _sized(design: Design) -> int:
    return SIZED if design.n_models <= 20 else SIZED_OF_MANY


def is_peer(method: str) -> bool:
    return method.partition(",")[0] in PEERS


def replication(design: Design, k: int, methods: Sequence[str]) -> Replication:
    """What the methods make of replication k."""
    draw = design.draw(k)
    limits = {method: draw.limits[design.targets.get(method, design.target)] for method in methods}
    answers = {method: METHODS[method](draw, limits[method], k < _sized(design)) for method in methods}
    return Replication(
        k, answers, {m: 1000.0 + POINTS * limit for m, limit in limits.items()}, draw.coefficient
    )


def summary(design: Design, found: Iterable[Replication]) -> dict[str, Any]:
    """What a record keeps of a design, by method."""
    all_of = sorted(found, key=lambda one: one.k)
    methods = [m for m in design.methods if any(m in one.answers for one in all_of)]
    return {
        "name": design.name,
        "said": design.said,
        "models": design.n_models,
        "votes": design.n_votes,
        "methods": {m: _summed(design, m, [one for one in all_of if m in one.answers]) for m in methods},
    }


def _summed(design: Design, method: str, found: Sequence[Replication]) -> dict[str, Any]:
    answers = [one.answers[method] for one in found]
    target = np.stack([one.targets[method] for one in found])
    error = np.stack([a.rating for a in answers]) - target
    held = np.stack([(a.low <= t) & (t <= a.high) for a, t in zip(answers, target)])
    n = len(found)
    out: dict[str, Any] = {
        "replications": n,
        "first": [_rounded(np.abs(error[:FIRST]).sum(), 6), int(held[:FIRST].sum())],
        "half_width": _rounded(np.mean([(a.high - a.low) / 2 for a in answers]), 2),
    }
    if n > 1:
        out |= _of_bias(error) | _of_coverage(held)
        if design.newcomer:
            bias, mc = error.mean(axis=0)[-1], error.std(axis=0, ddof=1)[-1] / np.sqrt(n)
            out["newcomer"] = {
                "bias": _rounded(bias, 2), "bias_error": _rounded(mc, 2), "coverage": _rounded(held.mean(axis=0)[-1], 4),
                "half_width": _rounded(np.mean([(a.high - a.low)[-1] / 2 for a in answers]), 2),
            }  # fmt: skip
    hold = [a.ranks_hold for a in answers if a.ranks_hold is not None]
    if hold:
        rate = float(np.mean(hold))
        out["ranks"] = {"hold": _rounded(rate, 4), "replications": len(hold)}
        sizes = [a.sizes for a in answers[: _sized(design)] if np.isfinite(a.sizes)]
        if sizes:
            out["ranks"]["size"] = _rounded(np.mean(sizes), 2)
    effects = np.array([a.effect for a in answers])
    if np.isfinite(effects).all():
        gap = effects - np.array([one.coefficient for one in found])
        out["effect"] = {
            "mean": _rounded(effects.mean(), 4), "limit": _rounded((effects - gap).mean(), 4),
            "bias": _rounded(gap.mean(), 4), "bias_error": _rounded(gap.std() / np.sqrt(n), 4),
        }  # fmt: skip
    return out


def _of_bias(error: FloatArray) -> dict[str, Any]:
    """Mean absolute bias, what chance alone gives where there is none, and the worst model in Monte Carlo errors."""
    mean, mc = error.mean(axis=0), error.std(axis=0, ddof=1) / np.sqrt(len(error))
    worst = int(np.argmax(np.abs(mean / mc)))
    return {
        "bias": _rounded(np.abs(mean).mean(), 3),
        "bias_by_chance": _rounded(np.sqrt(2 / np.pi) * mc.mean(), 3),
        "worst_bias": {
            "model": worst + 1, "elo": _rounded(mean[worst], 2), "errors": _rounded(abs(mean / mc)[worst], 2)
        },
        "largest_bias": _rounded(np.abs(mean).max(), 2),
    }  # fmt: skip


def _of_coverage(held: FloatArray) -> dict[str, Any]:
    by_model = held.mean(axis=0)
    worst = int(np.argmin(by_model))
    return {
        "coverage": _rounded(held.mean(), 4),
        "coverage_error": _rounded(held.mean(axis=1).std(ddof=1) / np.sqrt(len(held)), 4),
        "worst_coverage": {"model": worst + 1, "rate": _rounded(by_model[worst], 4)},
    }


def _rounded(value: Any, digits: int) -> float:
    return round(float(value), digits)
