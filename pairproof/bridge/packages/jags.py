"""What JAGS says about Hopkins and May's two item-response models, and MCMCpack of their special case without
ties.

The models are written for JAGS as the paper has them, item qualities and all, with only the judge's noise
integrated out: ``dcat`` of normal probabilities in the one, of a table of outcomes in the other.  R reduces
the draws before anything crosses over: posterior means and standard deviations with coda's effective sizes
and time-series standard errors.

Every chain has base::Mersenne-Twister with a seed of its own, so the same versions give the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..process.policy import BackendLike
from ..records.calls import RResult
from ..values.convert import data_frame
from ..values.nodes import RVector
from .asking import Floats, RAnswer, ask, asks, program, sent, vector_of

IntArray = NDArray[np.int64]

#: R: mean, sd, effective size and time-series standard error of each column over chains (a list of matrices).
SUMMARISE = program(__package__, "r/jags_summarise")

#: R: chains of JAGS, each a matrix of the monitored variables.
RUN = program(__package__, "r/jags_run")

GAUSSIAN = SUMMARISE + RUN + program(__package__, "r/jags_gaussian")

CATEGORICAL = SUMMARISE + RUN + program(__package__, "r/jags_categorical")

MCMCPACK = SUMMARISE + program(__package__, "r/jags_compare")


@dataclass(frozen=True, eq=False)
class Sampled(RAnswer):
    """Posterior means and standard deviations of n quantities, and how exact the chains leave them.

    mean, sd float[n].  ess float[n]: coda's effective number of draws.  mcse float[n]: coda's time-series
    standard error of the mean.
    """

    mean: Floats
    sd: Floats
    ess: Floats
    mcse: Floats


@dataclass(frozen=True)
class Chains:
    """How long to sample.

    warmup: iterations of adaptation, and again as many thrown away (MCMCpack: thrown away only).  draws,
    thin: kept in each chain, one in `thin`.
    """

    chains: int = 3
    warmup: int = 500
    draws: int = 1000
    thin: int = 2
    seed: int = 2013


@dataclass(frozen=True, eq=False)
class Compared:
    """Judgments for R, positions from 0.

    author int[n_items]: system of each item.  one, two int[n]: items of each judgment.  outcome int[n]: 0
    tie, 1 the first preferred, 2 the second.
    """

    n_systems: int
    author: IntArray
    one: IntArray
    two: IntArray
    outcome: IntArray

    def arguments(self) -> dict[str, Any]:
        """The judgments as R's variables, positions from 1."""
        places = {"author": self.author, "one": self.one, "two": self.two}
        from_1 = {name: np.asarray(place) + 1 for name, place in places.items()}
        return {"n_systems": int(self.n_systems), **from_1, "outcome": np.asarray(self.outcome)}


@asks("rjags", "coda")
def irt_gaussian(
    data: Compared,
    sd_ability: float = 1.0,
    sd_quality: float = 0.5,
    sd_noise: float = 1.0,
    radius: float = 0.4,
    *,
    chains: Chains = Chains(),
    backend: BackendLike = None,
) -> tuple[Sampled, Sampled]:
    """Hopkins & May's (2013) Gaussian model by ``rjags::coda.samples``.

    Parameters
    ----------
    data : Compared
    sd_ability, sd_quality, sd_noise : float
        Standard deviations of systems' abilities, of an item's quality about its system's, and of a judge.
    radius : float
        Perceived differences below it are ties.
    chains : Chains
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Sampled, Sampled
        Abilities minus their mean in the same draw, float[n_systems]; that mean itself, float[1], which is
        N(0, s0^2/n_systems) for any data.

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> table = Compared(2, [0, 1], [0], [1], [1])  # one comparison, the first preferred
    >>> irt_gaussian(table)[0].mean                 # doctest: +SKIP
    """
    given = {"s0": sd_ability, "sa": sd_quality, "so": sd_noise, "d": radius}
    arguments = data.arguments() | vars(chains) | given
    result = ask(backend, "rjags::coda.samples, irt-gaussian", GAUSSIAN, arguments)
    found = result.as_list()
    return _sampled(found.vector("ability"), result), _sampled(found.vector("level"), result)


@asks("rjags", "coda")
def irt_categorical(
    data: Compared,
    pairs: Sequence[tuple[int, int]],
    levels: int = 8,
    sd_noise: float = 1.0,
    concentration: float = 0.5,
    radius: int = 0,
    *,
    chains: Chains = Chains(),
    backend: BackendLike = None,
) -> tuple[Sampled, Sampled, Sampled]:
    """Hopkins & May's (2013) categorical model by ``rjags::coda.samples``: predictions for new items.

    Parameters
    ----------
    data : Compared
    pairs : sequence of (int, int)
        Systems, from 0.
    levels : int
        Of quality.
    sd_noise : float
        A judge's, in levels.
    concentration : float
        Of the Dirichlet prior of every system's levels.
    radius : int
        Perceived differences of at most so many levels are ties.
    chains : Chains
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Sampled, Sampled, Sampled
        P(tie), P(first), P(second), float[len(pairs)] each, averaged over the draws.

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> table = Compared(2, [0, 1], [0], [1], [1])   # one comparison, the first preferred
    >>> irt_categorical(table, [(0, 1)])[0].mean     # doctest: +SKIP
    """
    made: dict[str, Any] = {"pair_one": [a + 1 for a, _ in pairs], "pair_two": [b + 1 for _, b in pairs]}
    made |= {"n_levels": levels, "so": sd_noise}
    given = sent(backend, "pair_one pair_two n_levels so concentration radius", **made)
    arguments = data.arguments() | vars(chains) | given
    result = ask(backend, "rjags::coda.samples, irt-categorical", CATEGORICAL, arguments)
    tie, first, second = (_sampled(vector_of(result), result, slice(k, None, 3)) for k in range(3))
    return tie, first, second


@asks("MCMCpack", "coda")
def pair_compare(
    first: Sequence[str],
    second: Sequence[str],
    choice: Sequence[str],
    items: Sequence[str],
    *,
    chains: Chains = Chains(thin=1),
    backend: BackendLike = None,
) -> Sampled:
    """R's ``MCMCpack::MCMCpaircompare(alpha.fixed = TRUE)``.

    P(first) = Phi(theta_1 - theta_2) with theta ~ N(0, 1), and no ties: the Gaussian model with fresh items, d = 0, s0 = 1 and 2 (sa^2 + so^2) = 1.

    Parameters
    ----------
    first, second, choice : str[n]
        Names; choice is one of the two.
    items : sequence of str
        All that are compared, in the order wanted.
    chains : Chains
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Sampled
        Abilities minus their mean in the same draw, float[items].

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> pair_compare(["A", "B"], ["B", "C"], ["A", "C"], ["A", "B", "C"]).mean  # doctest: +SKIP
    """
    table = data_frame({"rater": ["one"] * len(first), "first": first, "second": second, "choice": choice})
    arguments = {"data": table, "items": items, **vars(chains)}
    result = ask(backend, "MCMCpack::MCMCpaircompare", MCMCPACK, arguments)
    return _sampled(vector_of(result), result)


def _sampled(table: RVector, result: RResult, rows: slice = slice(None)) -> Sampled:
    """Rows of a table with columns mean, sd, ess, mcse."""
    return Sampled(*table.floats()[rows].T, result=result)
