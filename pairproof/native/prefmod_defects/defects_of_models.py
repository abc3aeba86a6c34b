"""Other models than were meant: latent classes of cells (B17), and an LLBT whose margins are not fixed (B23).

B17.  pattnpml.fit takes the numbers of persons y_c with each pattern c as Poisson and mixes the *cells* of
the table of patterns, not persons (Aitkin 1999, Biometrics 55, 117-128, for generalised linear models;
Formann 1992 for what is meant),

    L = product over patterns c of sum over classes k of pi_k Poisson(y_c; exp(b + x_c' beta_k)),

x_c the wins less losses of each item in pattern c and the number of its ties, b a common constant.  All
persons with the same answer are in one class together, and pi is a share of the 2^C or 3^C patterns, those
that nobody answered included. prefmod's standard errors are those of its last weighted fit, which takes the
classes as known.  A mixture over persons is :func:`pairproof.native.answers.patterns.class_mixture.fit_classes`.

B23.  The right model by groups has a constant for each pair in each group s, which makes the numbers of
comparisons of a group no matter of the items.  With eliminate = mu, R's gnm on prefmod's design has one for
each pair,

    log m(y | jk, s) = mu_jk + y (lambda_js - lambda_ks) + gamma 1[y = 0]   (+ kappa_s),

so that groups of different size have to differ in lambda: the parts exp(.) add up to different numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import gammaln, xlogy

from ...data.columns import IntArray
from ...data.respondents.codes import MISSING
from ...data.respondents.respondents import Respondents
from ...errors import ConvergenceError, InputError, TooLargeError
from ...numerics.arrays import FloatArray
from ..answers.patterns.class_mixture import STARTS, LatentClasses, fit_classes
from ..answers.patterns.natural_parameters import incidence, n_pairs


@dataclass(frozen=True, eq=False)
class PoissonCells:
    """Cells of a table as Poisson numbers: the members of a class in prefmod's mixture.
    design float[n_cells, p]: an intercept among its columns.  counts float[n_cells]: persons with each
    pattern, >= 0."""

    design: FloatArray
    counts: FloatArray

    def __post_init__(self) -> None:
        if self.design.ndim != 2 or self.counts.shape != self.design.shape[:1]:
            raise InputError(f"a design of shape {self.design.shape} for {len(self.counts)} counts")
        if len(self.counts) and not self.counts.min() >= 0:
            raise InputError(f"a count is {self.counts.min()}; expected numbers >= 0")

    @property
    def n_params(self) -> int:
        """p."""
        return int(self.design.shape[1])

    def at(self, phi: FloatArray) -> PoissonPoint:
        """The cells at phi, float[p]."""
        return PoissonPoint(self, phi)

    def maximum(self) -> FloatArray:
        """float[p]: the estimate of one class, by scoring from the logarithms of the counts."""
        start = np.log(self.counts + 0.5)
        phi = np.asarray(np.linalg.lstsq(self.design, start, rcond=None)[0], float)
        weights = np.ones(len(self.counts))
        for _ in range(100):
            here = self.at(phi)
            step = np.asarray(np.linalg.solve(here.information(weights), weights @ here.scores), float)
            phi = phi + step
            if float(np.abs(step).max()) < 1e-12:
                break
        return np.asarray(phi)


@dataclass(eq=False)
class PoissonPoint:
    """Cells at one value of the parameters.  phi float[p].  log_probabilities float[n_cells]."""

    cells: PoissonCells
    phi: FloatArray

    def __post_init__(self) -> None:
        eta, y = self.cells.design @ self.phi, self.cells.counts
        with np.errstate(over="ignore"):
            self._mean: FloatArray = np.exp(eta)
        self.log_probabilities: FloatArray = y * eta - self._mean - gammaln(y + 1.0)

    @property
    def extent(self) -> float:
        """Largest parameter in absolute value."""
        return float(np.abs(self.phi).max())

    @property
    def scores(self) -> FloatArray:
        return np.asarray((self.cells.counts - self._mean)[:, None] * self.cells.design)

    def information(self, weights: FloatArray) -> FloatArray:
        return np.asarray((self.cells.design.T * (weights * self._mean)) @ self.cells.design)


#: prefmod makes a row for each pattern; beyond this its own fit takes minutes.
MOST_PATTERNS = 3**10


@dataclass(frozen=True, eq=False)
class ClassesOfCells:
    """Latent classes of patterns, as pattnpml.fit has them.
    fit: shares are shares of patterns; its standard errors are right for this likelihood.  person_shares
    float[K]: share of the persons in each class: posteriors weighted by the persons with each pattern.
    standard_errors float[K, p]: prefmod's: those of a fit that takes the classes as known.  disparity: -2
    log-likelihood, constants of the Poisson distribution included."""

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
        Of :func:`pairproof.native.answers.patterns.class_mixture.fit_classes`.

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
    >>> from pairproof.data.respondents.respondents import Respondents
    >>> from pairproof.native.prefmod_defects.defects_of_models import mixture_of_cells
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
    shares = counts @ found.posterior / counts.sum()
    return ClassesOfCells(found, shares, _known_classes(cells, found), -2.0 * found.llf)


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
    names = ["constant", *table.items[:-1]]
    if table.tie_category:
        columns.append((patterns == 0).sum(axis=1, keepdims=True))
        names.append("tie")
    return np.hstack(columns).astype(float), counts, names


def _known_classes(cells: PoissonCells, found: LatentClasses) -> FloatArray:
    """float[K, p]: standard errors with posteriors as fixed weights."""
    k = len(found.shares)
    slots = np.array([found.mixture.slots(c) for c in range(k)])
    information = np.zeros((found.mixture.n_params - (k - 1),) * 2)
    for c, at in enumerate(slots):
        information[np.ix_(at, at)] += cells.at(found.phi[c]).information(found.posterior[:, c])
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    return np.asarray(errors[slots])


#: Scoring ends when no parameter changes by more; it is quadratic, so the next change would be rounding.
CONVERGED = 1e-11


@dataclass(frozen=True, eq=False)
class MarginsNotFixed:
    """An LLBT with one constant for each pair.
    names: parameters but for the constants: items, `tie`, items by level.  estimates, standard_errors
    float[p]."""

    names: tuple[str, ...]
    estimates: FloatArray
    standard_errors: FloatArray
    deviance: float
    df: int


def fit_margins_not_fixed(
    table: Respondents, covariate: str, level_constants: bool = False
) -> MarginsNotFixed:
    """Fit prefmod's design with the covariate forgotten in `eliminate`.
    level_constants: whether the formula has the covariate's main effect (`*`), not only its interactions with
    items (`:`)."""
    if table.kind != "comparisons":
        raise InputError(f"{table.source}: B23 is about comparisons; these are {table.kind}")
    group, first = table.groups([covariate])
    column = table.columns[covariate]
    if isinstance(column, np.ndarray):
        raise InputError(f"{table.source}: {covariate!r} is numeric; B23 is about a categorical covariate")
    levels = [column.levels[int(column.codes[r])] for r in first]
    counts = _counts(table, group, len(first))
    x, names = _design(table, [f"{covariate}[{level}]" for level in levels], level_constants)
    y = counts.ravel()
    own = slice(n_pairs(len(table.items)), None)
    beta, mean, covariance = poisson_fit(x, y)
    deviance = 2.0 * float((xlogy(y, np.where(y > 0, y, 1.0) / mean) - (y - mean)).sum())
    errors = np.sqrt(np.diag(covariance))[own]
    return MarginsNotFixed(names, beta[own], errors, deviance, len(y) - x.shape[1])


def _counts(table: Respondents, group: IntArray, n_groups: int) -> FloatArray:
    """float[n_groups, C, categories]: answers +1, (0,) -1."""
    values = (1, 0, -1) if table.tie_category else (1, -1)
    out = np.empty((n_groups, table.once.shape[1], len(values)))
    for s, c, k in np.ndindex(out.shape):
        out[s, c, k] = table.weights[(group == s) & (table.once[:, c] == values[k])].sum()
    return out


def _design(table: Respondents, levels: list[str], constants: bool) -> tuple[FloatArray, tuple[str, ...]]:
    """Rows group, pair, answer: constants of pairs, items, tie, (levels,) items by level."""
    y = np.array([1.0, 0.0, -1.0] if table.tie_category else [1.0, -1.0])
    c, k, s = n_pairs(len(table.items)), len(y), len(levels)
    items = np.kron(incidence(len(table.items))[:, :-1], y[:, None])
    of_pair = np.kron(np.eye(c), np.ones((k, 1)))
    tie = np.tile((y == 0.0)[:, None] * 1.0, (c, 1)) if table.tie_category else np.zeros((c * k, 0))
    one = np.ones((s, 1))
    later = np.eye(s)[:, 1:]
    parts = [np.kron(one, of_pair), np.kron(one, items), np.kron(one, tie)]
    covariate_names = [*table.items[:-1], *(["tie"] if table.tie_category else [])]
    if constants:
        parts.append(np.kron(later, np.ones((c * k, 1))))
        covariate_names += levels[1:]
    parts.append(np.kron(later, items))
    covariate_names += [f"{item}:{level}" for level in levels[1:] for item in table.items[:-1]]
    return np.hstack(parts), tuple(covariate_names)


def poisson_fit(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Estimates, expectations and covariance of a Poisson model with log link, by scoring."""
    eta = np.log(y + 0.5)
    beta = np.linalg.lstsq(x, eta, rcond=None)[0]
    for _ in range(100):
        mean = np.exp(np.clip(x @ beta, -500, 500))
        information = x.T @ (mean[:, None] * x)
        step = np.linalg.lstsq(information, x.T @ (y - mean), rcond=None)[0]
        beta = beta + step
        if float(np.abs(step).max()) < CONVERGED:
            return beta, mean, np.linalg.inv(information)
    raise ConvergenceError("no maximum was reached in 100 steps: a parameter is infinite; leave it out")
