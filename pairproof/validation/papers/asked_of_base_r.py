"""Programs in base R that bear witness for papers (`base_r/`): what no package has, in R's own arithmetic.

Written apart from the native code and in another form: ``factanal``, ``aov``, ``cor``, ``wilcox.test``,
``optim``, ``t.test`` and ``binom.test`` do the work; Krippendorff's alpha is added up over all pairs of
scores, which no formula by sums of squares is, and ``nlminb`` and ``optim``, which differentiate by
differences, are good to 5 or 6 digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...bridge.packages.asking import Floats, RAnswer, ask, program, reals, vector_of
from ...bridge.process.policy import BackendLike

#: What the columns of `baselines` are, three each.
BASELINE_NAMES = (
    "adjusted-uniform",
    "pairs",
    "students-asymmetric",
    "students-arithmetic",
    "students-geometric",
    "students-geometric, raw",
)


@dataclass(frozen=True, eq=False)
class BaseR(RAnswer):
    """What a program answered, by name."""

    numbers: Mapping[str, Floats]

    def __getitem__(self, name: str) -> Floats:
        return self.numbers[name]


def base_r(
    backend: BackendLike,
    label: str,
    name: str,
    arguments: Mapping[str, Any],
    needs: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> BaseR:
    """Ask a program of `base_r/`: the elements of its list, or the columns of its matrix."""
    result = ask(backend, label, program(__package__, f"base_r/{name}"), arguments, needs)
    if columns:
        return BaseR(dict(zip(columns, vector_of(result).floats().T)), result=result)
    found = result.as_list()
    return BaseR({n: np.squeeze(found.vector(n).floats()) for n in found.names or ()}, result=result)


def codes(**columns: Any) -> dict[str, Any]:
    """Codes from 0 as R's from 1."""
    return {name: np.asarray(values, np.int64) + 1 for name, values in columns.items()}


def by_judges(a: Any, b: Any, t: Any, *, backend: BackendLike = None) -> BaseR:
    """Two systems, preferred a and b times and neither t times by each judge: t.test, chisq.test, a beta-binomial."""
    arguments = {"a": reals(a), "b": reals(b), "t": reals(t)}
    return base_r(backend, "base R, two systems by judges", "by_judges", arguments)


def irt_gaussian_mode(counts: Floats, *, backend: BackendLike = None) -> BaseR:
    """Mode and deviations of the Gaussian model with fresh items: counts float[n, n, 3]."""
    arguments = {"n": reals(counts), "s0": 1.0, "sa": 0.5, "so": 1.0, "d": 0.4}
    return base_r(backend, "stats::optim, irt-gaussian", "mode", arguments)


def baselines(counts: Floats, first: Any, second: Any, *, backend: BackendLike = None) -> BaseR:
    """Name -> float[k, 3]: P(tie), P(first), P(second) of the k pairs; counts float[n, n, 3]."""
    pairs = {"first": np.asarray(first) + 1, "second": np.asarray(second) + 1}
    arguments = {"n": reals(counts), **pairs, "alpha": 1.0}
    columns = [f"{name}.{k}" for name in BASELINE_NAMES for k in range(3)]
    found = base_r(backend, "base R, baselines", "baselines", arguments, columns=columns)
    each = {name: np.stack([found[f"{name}.{k}"] for k in range(3)], axis=1) for name in BASELINE_NAMES}
    return BaseR(each, result=found.result)


def heuristics(counts: Floats, lopez: Any, most_probable: Any, *, backend: BackendLike = None) -> BaseR:
    """Scores by rowSums, and costs of the best order, of all, and of two: counts float[n, n, 3]."""
    arguments = {"n": reals(counts), **codes(lopez=lopez, probable=most_probable)}
    return base_r(backend, "base R, heuristics", "heuristics", arguments)


def binaries(wins: Any, ties: Any, losses: Any, *, backend: BackendLike = None) -> BaseR:
    """Vilar's comparisons of two systems, from their single votes."""
    counts = (np.asarray(x, np.int64) for x in (wins, ties, losses))
    arguments = dict(zip(("wins", "ties", "losses"), counts))
    columns = ("R", "se_mean", "se_vilar", "p_sign")
    return base_r(backend, "stats::t.test, binom.test, a table", "binaries", arguments, columns=columns)
