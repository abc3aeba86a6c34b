"""B17: pattnpml.fit's latent classes, in which the cells of the table of patterns are mixed, not persons.

    L = product over patterns c of sum over classes k of pi_k Poisson(y_c; exp(b + x_c' beta_k)),

x_c the wins less losses of each item in pattern c and the number of its ties, b a common constant (Aitkin 1999,
Biometrics 55, 117-128).  All patterns count, also those that nobody answered, so that pi is a share of the 2^C
or 3^C patterns.  prefmod's standard errors are those of its last weighted fit, which takes the classes as known.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from ...data.columns import FloatArray
from ...data.respondents import Respondents
from ...errors import InputError, TooLargeError
from ..patterns.classes.cells import PoissonCells
from ..patterns.classes.fit import STARTS, LatentClasses, fit_classes
from ..patterns.comparisons.pairs import MISSING, incidence, n_pairs

#: prefmod makes a row for each pattern; beyond this its own fit takes minutes.
MOST_PATTERNS = 3**10


@dataclass(frozen=True, eq=False)
class ClassesOfCells:
    """Latent classes of patterns, as pattnpml.fit has them.

    fit: shares are shares of patterns; its standard errors are right for this likelihood.  person_shares
    float[K]: share of the persons in each class: posteriors weighted by the persons with each pattern.
    standard_errors float[K, p]: prefmod's: those of a fit that takes the classes as known.  disparity: -2
    log-likelihood, constants of the Poisson distribution included.
    """

    fit: LatentClasses
    person_shares: FloatArray
    standard_errors: FloatArray
    disparity: float


def mixture_of_cells(
    table: Respondents, classes: int, random: str = "items", starts: int = STARTS, seed: int = 0
) -> ClassesOfCells:
    """Fit pattnpml.fit's mixture of cells at its best maximum.

    Parameters
    ----------
    table : Respondents
        Of comparisons without gaps.
    classes : int
    random : {"items", "all"}
        What differs between classes: the items (random = ~o1 + ... + oJ without a constant), or also the constant.
    starts, seed : int
        Of :func:`pairproof.native.patterns.classes.fit.fit_classes`.

    Returns
    -------
    ClassesOfCells

    Raises
    ------
    InputError
        Other answers, gaps, another `random`.
    TooLargeError
        More than 3^10 patterns.

    Examples
    --------
    >>> from pairproof.data.respondents import Respondents
    >>> from pairproof.native.compat.cells import mixture_of_cells
    >>> answers = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
    >>> table = Respondents.build("ABC", "comparisons", answers, tie_category=False, weights=[30, 9, 8, 10, 25, 8, 9])
    >>> found = mixture_of_cells(table, 1)
    >>> round(found.disparity, 4), found.person_shares.tolist()
    (88.0834, [1.0])
    """
    if random not in ("items", "all"):
        raise InputError(f"random={random!r}; expected 'items' or 'all'")
    design, counts, names = _cells(table)
    differs = np.array([name != "constant" or random == "all" for name in names])
    if "tie" in names:
        differs[names.index("tie")] = random == "all"
    cells = PoissonCells(design, counts)
    ones = np.ones(len(counts))
    found = fit_classes(cells, ones, names, classes, differs, starts, seed, cells.maximum())
    return ClassesOfCells(
        found, counts @ found.posterior / counts.sum(), _known_classes(cells, found), -2.0 * found.llf
    )


def _cells(table: Respondents) -> tuple[FloatArray, FloatArray, list[str]]:
    """The design of all patterns, persons with each, and names: constant, items, tie."""
    if table.kind != "comparisons" or (table.once == MISSING).any():
        raise InputError(f"{table.source}: a table of cells needs comparisons without gaps")
    c = n_pairs(len(table.items))
    values = (1, 0, -1) if table.tie_category else (1, -1)
    if len(values) ** c > MOST_PATTERNS:
        raise TooLargeError(
            f"{len(values)}^{c} patterns; at most {MOST_PATTERNS:,} are enumerated: fit_latent_classes mixes persons"
        )
    patterns = np.array(list(product(values, repeat=c)))
    place = {tuple(p): k for k, p in enumerate(patterns.tolist())}
    counts = np.zeros(len(patterns))
    for answer, weight in zip(table.once.tolist(), table.weights):
        counts[place[tuple(answer)]] += weight
    columns = [np.ones((len(patterns), 1)), patterns @ incidence(len(table.items))[:, :-1]]
    if table.tie_category:
        columns.append((patterns == 0).sum(axis=1, keepdims=True))
    return (
        np.hstack(columns).astype(float),
        counts,
        ["constant", *table.items[:-1], *(["tie"] if table.tie_category else [])],
    )


def _known_classes(cells: PoissonCells, found: LatentClasses) -> FloatArray:
    """float[K, p]: standard errors with posteriors as fixed weights."""
    common, own = np.flatnonzero(~found.random), np.flatnonzero(found.random)
    k = len(found.shares)
    size = len(common) + k * len(own)
    information = np.zeros((size, size))
    slots = []
    for c in range(k):
        at = np.zeros(cells.n_params, np.int64)
        at[common] = np.arange(len(common))
        at[own] = len(common) + c * len(own) + np.arange(len(own))
        information[np.ix_(at, at)] += cells.at(found.phi[c]).information(found.posterior[:, c])
        slots.append(at)
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    return np.asarray(errors[np.array(slots)])
