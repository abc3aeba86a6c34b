"""R's csranks: confidence sets for ranks (Mogstad, Romano, Shaikh and Wilhelm 2024).

It takes the whole covariance, also a singular one (a reference of zeros), and knows no degrees of freedom.  Its
critical values are quantiles of simulated draws: with R = 1000, its default, they are off by .05; ask for 20,000 and
more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..process.policy import BackendLike
from ..values.convert import matrix
from ..values.nodes import RArgument
from .asking import Floats, RAnswer, asks, sent

Sided = Literal["two-sided", "lower", "upper"]

CSRANKS = """
sets <- csranks::csranks(x, Sigma, coverage = coverage, cstype = cstype, stepdown = stepdown, R = draws, simul = simul, seed = draw_seed)
list(lower = as.numeric(sets$L), rank = as.numeric(sets$rank), upper = as.numeric(sets$U))
"""
TAU = """
list(best = as.numeric(csranks::cstaubest(x, Sigma, tau = tau, coverage = coverage, stepdown = stepdown, R = draws, seed = draw_seed)),
     worst = as.numeric(csranks::cstauworst(x, Sigma, tau = tau, coverage = coverage, stepdown = stepdown, R = draws, seed = draw_seed)))
"""


@dataclass(frozen=True, eq=False)
class RankSets(RAnswer):
    """Confidence sets of ranks: from `lower` to `upper`, the largest estimate has rank 1."""

    lower: Floats
    rank: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class TauSets(RAnswer):
    """1 where an item may be among the tau best, or the tau worst."""

    best: Floats
    worst: Floats


VARIABLES = "x Sigma coverage stepdown draws draw_seed"


def _sigma(x: Sequence[float] | Floats, sigma: Floats) -> RArgument:
    return matrix(sigma, [f"i{j + 1}" for j in range(len(x))])


@asks("csranks")
def csranks(
    x: Sequence[float] | Floats,
    sigma: Floats,
    coverage: float = 0.95,
    cstype: Sided = "two-sided",
    stepdown: bool = True,
    simul: bool = True,
    *,
    draws: int = 20_000,
    seed: int = 1,
    backend: BackendLike = None,
) -> RankSets:
    """R's ``csranks::csranks(x, Sigma, coverage, cstype, stepdown, R, simul, seed)``.

    Parameters
    ----------
    x : float[n]
        Estimates of all items, the reference's 0 included.
    sigma : float[n, n]
        Their covariance, with zeros for the reference.
    coverage : float
        In (0, 1).
    cstype : {"two-sided", "lower", "upper"}
    stepdown, simul : bool
        Stepwise; for all items at once, or for each by itself.
    draws, seed : int
        R's argument ``R``; seed of its draws.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RankSets

    Raises
    ------
    ValueError
        Another `cstype` or shape.
    RError
        R's own.

    Examples
    --------
    >>> csranks([1.0, 0.0], [[0.01, 0], [0, 0.01]]).upper  # doctest: +SKIP
    """
    arguments = sent(backend, f"{VARIABLES} cstype simul", Sigma=_sigma(x, sigma), draw_seed=seed)
    return RankSets.ask(backend, "csranks::csranks", CSRANKS, arguments)


@asks("csranks")
def tau_sets(
    x: Sequence[float] | Floats,
    sigma: Floats,
    tau: int,
    coverage: float = 0.95,
    stepdown: bool = True,
    *,
    draws: int = 20_000,
    seed: int = 1,
    backend: BackendLike = None,
) -> TauSets:
    """R's ``csranks::cstaubest`` and ``cstauworst``: items that may be among the tau best, and the tau worst.

    Parameters
    ----------
    x, sigma, coverage, stepdown, draws, seed
        As for :func:`csranks`.
    tau : int
        1 to n.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    TauSets

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> tau_sets([1.0, 0.0], [[0.01, 0], [0, 0.01]], 1).best  # doctest: +SKIP
    """
    arguments = sent(backend, f"{VARIABLES} tau", Sigma=_sigma(x, sigma), draw_seed=seed)
    return TauSets.ask(backend, "csranks::cstaubest", TAU, arguments)
