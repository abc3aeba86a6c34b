"""Intervals and rank sets of one simulated table, by every method, held against the truth.

Everything is asked of a fit as a user asks it: `clustered`, `contrasts`, `ranks`.  Only what the package does not offer,
so that the page can say how it falls short, is made here from the same numbers: normal quantiles for standard errors by
cluster, and the two-way covariance without the one-way standard errors beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .answers import Design, drawn, fitted, truth
from .tally import counted, line

if TYPE_CHECKING:
    from pairproof.fit.fit import Fit
    from pairproof.fit.many.comparison_results import RankSets

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
#: The normal quantile of a 95 % interval.
Z = 1.959963984540054


def covered(fit: Fit, true: FloatArray, adjust: Literal["none", "single-step"] = "none") -> BoolArray:
    """bool[n_pairs]: whether each pair's interval holds the truth, float[n_items, n_items]."""
    found = fit.contrasts(adjust=adjust)
    value = true[np.triu_indices(len(true), 1)]
    return np.asarray((found.low <= value) & (value <= found.high))


def by_normal(fit: Fit, true: FloatArray, quantile: float = Z) -> BoolArray:
    """The same for estimate -+ quantile times standard error."""
    found = fit.contrasts(adjust="none")
    return np.asarray(np.abs(found.estimate - true[np.triu_indices(len(true), 1)]) <= quantile * found.se)


def by_covariance(fit: Fit, true: FloatArray, normal: bool) -> BoolArray:
    """The same with the two-way covariance alone, where `contrasts` takes the largest of it and both one-way ones."""
    from scipy.stats import t as student

    found, functions = fit.contrasts(adjust="none"), fit.ability_functions({})
    first, second = np.triu_indices(len(true), 1)
    differences = functions[first] - functions[second]
    se = np.sqrt(np.maximum(np.diag(fit.covariance.between(differences)), 0.0))
    half = (Z if normal else student.isf(0.025, found.df)) * se
    return np.asarray(np.abs(found.estimate - true[first, second]) <= half)


def held(sets: RankSets, true: FloatArray) -> BoolArray:
    """bool[n_items]: whether each set holds every rank the item may be given (two for two equal items)."""
    best = 1 + (true.T > 0.0).sum(axis=1)
    worst = len(true) - (true > 0.0).sum(axis=1)
    return np.asarray((sets.low <= best) & (worst <= sets.high))


def one_way(fit: Fit, true: FloatArray, column: str = "judge", many: bool = False) -> dict[str, float]:
    """Method -> share of contrasts covered, by one way of clustering; `many` adds what holds for all at once."""
    cr2 = fit.clustered(column)
    values = {
        "model z": covered(fit, true),
        "CR0 z": by_normal(fit.clustered(column, kind="CR0"), true),
        "CR1 t": covered(fit.clustered(column, kind="CR1"), true),
        "CR2 t": covered(cr2, true),
    }
    out = {name: float(hits.mean()) for name, hits in values.items()}
    model, robust = fit.contrasts(adjust="none"), cr2.contrasts(adjust="none")
    out["se ratio"] = float(np.median(robust.se / model.se))
    out["df"] = float(np.median(robust.df))
    return {**out, **at_once(cr2, true)} if many else out


def two_way(fit: Fit, true: FloatArray, many: bool = False) -> dict[str, float]:
    """Method -> share of contrasts covered, judges and prompts both."""
    both = fit.clustered("judge", "source")
    values = {
        "model z": covered(fit, true),
        "CR2 judge": covered(fit.clustered("judge"), true),
        "CR2 source": covered(fit.clustered("source"), true),
        "CGM CR1 z": by_covariance(fit.clustered("judge", "source", kind="CR1"), true, normal=True),
        "CGM CR2 t": by_covariance(both, true, normal=False),
        "max rule": covered(both, true),
    }
    out = {name: float(hits.mean()) for name, hits in values.items()}
    assert both.robust is not None, "a clustered fit says its clusters"
    out["negative"] = float(any("negative eigenvalue" in caution for caution in both.robust.cautions))
    return {**out, **at_once(both, true)} if many else out


def at_once(fit: Fit, true: FloatArray) -> dict[str, float]:
    """What holds for all pairs or all items of a table together."""
    together, each = fit.ranks(), fit.ranks(simultaneous=False)
    best = {fit.items[k] for k in np.flatnonzero((true >= 0.0).all(axis=1))}
    return {
        "all intervals, normal": float(by_normal(fit, true, fit.contrasts().critical).all()),
        "all intervals": float(covered(fit, true, "single-step").all()),
        "all ranks": float(held(together, true).all()),
        "a rank": float(held(each, true).mean()),
        "best": float(best <= set(together.best)),
        "width of rank sets": float((together.high - together.low + 1).mean()),
    }


def simulated(design: Design, tables: int, many: int = 0) -> dict[str, Any]:
    """A line of the record: `tables` tables of a design, the first `many` of them with all at once as well."""
    true = truth(design)
    tally, lost = counted(range(tables), lambda k: of_table(design, k, true, k < many))
    return line(design.name, asdict(design), tally, truth=true[0].tolist(), not_estimable=lost)


def of_table(design: Design, k: int, true: FloatArray, many: bool) -> Mapping[str, float] | None:
    """One table; None if some difference of items has no estimate."""
    fit = fitted(drawn(design, k), design.model)
    if fit.null_space.shape[1]:
        return None
    return two_way(fit, true, many) if design.prompts else one_way(fit, true, many=many)
