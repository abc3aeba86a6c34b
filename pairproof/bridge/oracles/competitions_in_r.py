"""What base R says of systems compared: rules of translation competitions, and two systems judged by several.

Competitions: baselines, rules that rank, the Gaussian model's mode, Vilar's comparison.  Two systems: t.test,
chisq.test, and a beta-binomial by optim.

Written apart from the native code and in another form: R's own ``pnorm``, ``optim``, ``t.test`` and
``binom.test`` do the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..packages.asking import Floats, RAnswer, ask, asks, program, reals, vector_of
from ..process.policy import BackendLike
from ..records.calls import RResult

BY_JUDGES = program(__package__, "competitions/by_judges")


@dataclass(frozen=True, eq=False)
class RByJudges(RAnswer):
    """Two systems by judges, in base R."""

    mean: float
    t: float
    df: float
    p: float
    chi2: float
    chi2_df: float
    chi2_p: float
    logit: float
    icc: float
    loglik: float
    lr_p: float


@asks()
def by_judges(
    a: Sequence[float], b: Sequence[float], t: Sequence[float], *, backend: BackendLike = None
) -> RByJudges:
    """Tests of two systems by judges in base R.  `a`, b, t float[judges]."""
    arguments = {"a": reals(a), "b": reals(b), "t": reals(t)}
    return RByJudges.read(ask(backend, "base R, two systems by judges", BY_JUDGES, arguments))


MODE = program(__package__, "competitions/mode")


@dataclass(frozen=True, eq=False)
class RMode(RAnswer):
    """Mode of the abilities as ``optim`` finds it.  mode, sd float[n]."""

    mode: Floats
    sd: Floats
    objective: float
    converged: bool


@asks()
def irt_gaussian_mode(
    counts: Floats,
    sd_ability: float = 1.0,
    sd_quality: float = 0.5,
    sd_noise: float = 1.0,
    radius: float = 0.4,
    *,
    backend: BackendLike = None,
) -> RMode:
    """The mode of the Gaussian model with fresh items, good to 6 digits or so: ``optim`` differentiates by
    differences.  counts float[n, n, 3].
    """
    arguments = {
        "n": reals(counts),
        "s0": float(sd_ability),
        "sa": float(sd_quality),
        "so": float(sd_noise),
        "d": float(radius),
    }
    return RMode.read(ask(backend, "stats::optim, irt-gaussian", MODE, arguments))


BASELINES = program(__package__, "competitions/baselines")
#: What the columns of :func:`baselines` are, three each.
BASELINE_NAMES = (
    "adjusted-uniform",
    "pairs",
    "students-asymmetric",
    "students-arithmetic",
    "students-geometric",
    "students-geometric, raw",
)


@asks()
def baselines(
    counts: Floats, first: Any, second: Any, alpha: float = 1.0, *, backend: BackendLike = None
) -> tuple[dict[str, Floats], RResult]:
    """Name -> float[k, 3]: the baselines' P(tie), P(first), P(second), of counts float[n, n, 3]."""
    pairs = {"first": np.asarray(first) + 1, "second": np.asarray(second) + 1}
    arguments = {"n": reals(counts), **pairs, "alpha": float(alpha)}
    result = ask(backend, "base R, baselines", BASELINES, arguments)
    table = vector_of(result).floats()
    return {name: table[:, 3 * k : 3 * k + 3] for k, name in enumerate(BASELINE_NAMES)}, result


HEURISTICS = program(__package__, "competitions/heuristics")
#: What the columns of :attr:`RHeuristics.scores` are.
SCORE_NAMES = ("origwmt", "bojar", "expected-wins")
#: All orders are tried: 8 systems have 40,320.
MOST_ORDERED = 8


@dataclass(frozen=True, eq=False)
class RHeuristics(RAnswer):
    """Scores and costs by the rules of shared tasks.  scores float[n_systems, 3]."""

    scores: Floats
    cheapest: Floats
    paid: Floats


@asks()
def heuristics(counts: Floats, lopez: Any, most_probable: Any, *, backend: BackendLike = None) -> RHeuristics:
    """Scores by rowSums, and costs of the best order, of all, and of two: counts float[n, n, 3]."""
    n = reals(counts)
    if len(n) > MOST_ORDERED:
        raise ValueError(
            f"{len(n)} systems; every order is tried, so at most {MOST_ORDERED} can be asked for"
        )
    orders = {"lopez": np.asarray(lopez, np.int64) + 1, "probable": np.asarray(most_probable, np.int64) + 1}
    return RHeuristics.read(ask(backend, "base R, heuristics", HEURISTICS, {"n": n, **orders}))


VILAR = program(__package__, "competitions/vilar")


@dataclass(frozen=True, eq=False)
class RBinaries(RAnswer):
    """Vilar's comparisons of two systems, n of them.  R, se_mean, se_vilar, p_sign float[n]."""

    R: Floats
    se_mean: Floats
    se_vilar: Floats
    p_sign: Floats


@asks()
def binaries(wins: Any, ties: Any, losses: Any, *, backend: BackendLike = None) -> RBinaries:
    """Vilar's comparisons of two systems, from their single votes.  wins, ties, losses int[n]."""
    counts = (np.asarray(x, np.int64) for x in (wins, ties, losses))
    arguments = dict(zip(("wins", "ties", "losses"), counts))
    result = ask(backend, "stats::t.test, binom.test, a table", VILAR, arguments)
    return RBinaries(*vector_of(result).floats().T, result=result)
