"""The Gaussian item-response model of Hopkins and May (2013, section 7): mode, Laplace intervals, and draws.

    mu_s ~ N(0, s0^2)                     ability of system s
    q_i  ~ N(mu_a(i), sa^2)               quality of item i, written by system a(i)
    o    = q + N(0, so^2)                 what a judge sees of an option, fresh noise each time
    outcome  0 if |o1 - o2| < d,  1 if o1 - o2 >= d,  2 if o2 - o1 >= d

s0 = 1, sa = 0.5, so = 1 (standard deviations), d = 0.4 (footnote 13).  For new items, with tau^2 = 2 (sa^2 +
so^2) and m = mu_1 - mu_2,

    P(1) = Phi((m - d) / tau),   P(2) = Phi((-m - d) / tau),   P(0) = the rest.

A ranking of five systems enters as ten comparisons, taken as independent given the items.  The likelihood
does not change when all mu and q are moved together: the mean of the abilities is exactly N(0, s0^2 / S)
whatever the data, only differences are learnt, and what is reported is mu minus its mean.

With fresh items (a new one for each option of each comparison: no q, noise of variance tau^2 on the
difference) all but the abilities is integrated out, log posterior = sum over pairs and outcomes of n_p log
P_p(mu_1 - mu_2) - sum mu^2 / (2 s0^2).  Each log P is concave (Prekopa), so Newton's method finds the mode.
Draws: elliptical slice sampling (Murray, Adams and MacKay 2010) about the Laplace approximation N(m, C): with
posterior = N(m, C) x r, prior N(m, C) and likelihood r leave it invariant whatever C is.  The level is drawn
from its exact N(0, s0^2/S).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.random import Generator

from ....data.comparisons import Comparisons
from ....data.judgments import preference_counts
from ....data.options import one_of
from ....errors import ConvergenceError, InputError
from ....fit.estimates.array_inference import normal_quantile
from ....numerics.arrays import FloatArray, IntArray
from ....numerics.maxima import maximise
from .gaussian_gibbs import FreshChain, GaussianModel, oriented, refuse_ties, shared_chain
from .posterior import Items, Posterior, Run, check_level, choose_items, item_codes


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Unordered pairs that were compared.
    i, j int[n_pairs]: i < j.  counts float[n_pairs, 3]: tie, i preferred, j preferred."""

    n_systems: int
    i: IntArray
    j: IntArray
    counts: FloatArray


def pair_counts(table: Comparisons, model: GaussianModel) -> PairCounts:
    """The counts of every pair that was compared; InputError for ties beside radius 0."""
    refuse_ties(table, model)
    counts = preference_counts(table)
    i, j = np.nonzero(np.triu(counts.sum(axis=-1), 1) > 0)
    return PairCounts(len(table.items), i, j, counts[i, j])


def log_outcomes(gap: FloatArray, model: GaussianModel) -> FloatArray:
    """log P of tie, first, second, float[3, ...], right however small P is."""
    from scipy.special import log_ndtr

    d, tau = model.radius, model.tau
    away = np.abs(gap)
    # log(exp(top) - exp(bottom)), both tails on their small side.
    top, bottom = log_ndtr((d - away) / tau), log_ndtr((-d - away) / tau)
    with np.errstate(divide="ignore"):
        tie = top + np.log(-np.expm1(bottom - top))
    return np.stack([tie, log_ndtr((gap - d) / tau), log_ndtr((-gap - d) / tau)])


def log_likelihood(mu: FloatArray, pairs: PairCounts, model: GaussianModel) -> FloatArray:
    """float[...] for abilities mu, float[..., n_systems]."""
    logs = log_outcomes(mu[..., pairs.i] - mu[..., pairs.j], model)
    tie, first, second = pairs.counts.T
    # Without ties log P(tie) may be -inf (radius 0), and 0 x inf is nan.
    value = logs[1] @ first + logs[2] @ second
    return np.asarray(value + logs[0] @ tie if tie.any() else value)


def slopes(gap: FloatArray, pairs: PairCounts, model: GaussianModel) -> tuple[FloatArray, FloatArray]:
    """First and second derivatives of each pair's log-likelihood in its gap, float[n_pairs] each."""
    d, tau = model.radius, model.tau
    log_p = log_outcomes(gap, model)
    # log of the density at the two thresholds; every ratio of density and probability is taken in logarithms.
    up, down = (gap - d) / tau, (-gap - d) / tau
    log_up, log_down = -0.5 * up**2 - 0.5 * np.log(2 * np.pi), -0.5 * down**2 - 0.5 * np.log(2 * np.pi)
    won, lost = np.exp(log_up - log_p[1]), np.exp(log_down - log_p[2])
    n0, n1, n2 = pairs.counts.T
    first = (n1 * won - n2 * lost) / tau
    second = -(n1 * won * (up + won) + n2 * lost * (down + lost)) / tau**2
    if n0.any():
        # P0 = Phi(b) - Phi(a) with b = -down, a = up shifted: d/dgap P0 = (phi(down) - phi(up)) / tau.
        in_up, in_down = np.exp(log_up - log_p[0]), np.exp(log_down - log_p[0])
        slope = in_down - in_up
        # phi'(x) = -x phi(x); down falls as the gap grows, which turns its sign.
        curve = in_down * down + in_up * up - slope**2
        first = first + n0 * slope / tau
        second = second + n0 * curve / tau**2
    return first, second


class _Point:
    """The log posterior at one place, for Newton's method."""

    def __init__(self, mu: FloatArray, pairs: PairCounts, model: GaussianModel) -> None:
        self.mu, self.pairs, self.model = mu, pairs, model
        self.value = float(log_likelihood(mu, pairs, model)) - float(mu @ mu) / (2 * model.sd_ability**2)
        self.extent = float(np.abs(mu).max()) if np.isfinite(self.value) else np.inf

    @cached_property
    def derivatives(self) -> tuple[FloatArray, FloatArray]:
        """Gradient and minus the Hessian."""
        p, n = self.pairs, self.pairs.n_systems
        first, second = slopes(self.mu[p.i] - self.mu[p.j], p, self.model)
        prior = self.model.sd_ability**2
        gradient = np.bincount(p.i, first, n) - np.bincount(p.j, first, n) - self.mu / prior
        information = np.eye(n) / prior
        information += np.diag(np.bincount(p.i, -second, n) + np.bincount(p.j, -second, n))
        information[p.i, p.j] += second
        information[p.j, p.i] += second
        return gradient, information

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        gradient, information = self.derivatives
        root = np.linalg.cholesky(information)
        half = np.linalg.solve(root, gradient)
        return np.linalg.solve(root.T, half), float(half @ half)


@dataclass(frozen=True, eq=False)
class LaplaceFit:
    """The mode of the abilities' posterior, and the normal (Laplace) approximation there.
    mode float[n_items]: on the scale of abilities; sums to 0.  cov float[n_items, n_items]: inverse of minus
    the Hessian of the log posterior, level included.  objective: -log likelihood at the mode, less the log
    density of the prior (its constant included)."""

    items: tuple[str, ...]
    mode: FloatArray
    cov: FloatArray
    objective: float
    model: GaussianModel
    steps: int

    @property
    def sd(self) -> FloatArray:
        """float[n_items]: of the abilities as they are, level included."""
        return np.sqrt(np.diag(self.cov))

    @property
    def centred_cov(self) -> FloatArray:
        """float[n_items, n_items]: of abilities minus their mean."""
        n = len(self.mode)
        centring = np.eye(n) - 1.0 / n
        return np.asarray(centring @ self.cov @ centring)

    @property
    def centred_sd(self) -> FloatArray:
        """float[n_items]: of abilities minus their mean."""
        return np.sqrt(np.diag(self.centred_cov))

    def interval(self, level: float = 0.95) -> FloatArray:
        """Normal intervals of the centred abilities, float[n_items, 2]."""
        check_level(level)
        half = normal_quantile((1 + level) / 2) * self.centred_sd
        return np.stack([self.mode - half, self.mode + half], axis=1)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """A JSON object, one row per system."""
        columns = (self.mode, self.sd, self.centred_sd, *self.interval(level).T)
        names = ("item", "mode", "sd", "centred_sd", "low", "high")
        systems = [dict(zip(names, row)) for row in zip(self.items, *(c.tolist() for c in columns))]
        asked = {"settings": asdict(self.model), "level": level, "objective": self.objective}
        return {"what": "ability", "method": "laplace", **asked, "systems": systems}


def map_irt_gaussian(table: Comparisons, model: GaussianModel = GaussianModel()) -> LaplaceFit:
    """Mode and Laplace approximation of the Gaussian model's posterior, for fresh items.
    The mode of the model of Hopkins and May (2013, section 7) with items and noise integrated out."""
    pairs = pair_counts(table, model)
    found = maximise(lambda mu: _Point(mu, pairs, model), np.zeros(pairs.n_systems), far=np.inf)
    if not found.reached:
        raise ConvergenceError(
            f"{table.source}: Newton's method for the abilities' mode stopped after {found.steps} steps"
            f" ({found.trouble}; squared step {found.decrement:.3g})"
        )
    constant = pairs.n_systems * (0.5 * np.log(2 * np.pi) + np.log(model.sd_ability))
    covariance = np.asarray(np.linalg.inv(found.point.derivatives[1]), float)
    objective = float(constant - found.point.value)
    return LaplaceFit(table.items, found.x, covariance, objective, model, found.steps)


def sample_collapsed(table: Comparisons, model: GaussianModel, run: Run) -> FloatArray:
    """Elliptical slice sampling, all chains at once.  Returns float[chains, draws, n_systems]."""
    laplace = map_irt_gaussian(table, model)
    pairs = pair_counts(table, model)
    rng = np.random.default_rng(run.seed)
    root = np.linalg.cholesky(laplace.cov)
    precision = np.linalg.inv(laplace.cov)
    n = pairs.n_systems

    def log_ratio(f: FloatArray) -> FloatArray:
        """log of posterior over approximation at mode + f, float[chains]."""
        mu = laplace.mode + f
        prior = -np.sum(mu * mu, axis=-1) / (2 * model.sd_ability**2)
        approximation = 0.5 * np.sum(f * (f @ precision), axis=-1)
        return np.asarray(log_likelihood(mu, pairs, model) + prior + approximation)

    # Twice as wide as the posterior, so that chains which have not forgotten their start give themselves
    # away.
    f = 2.0 * rng.standard_normal((run.chains, n)) @ root.T
    here = log_ratio(f)
    kept = np.empty((run.draws, run.chains, n))
    for k in range(-run.warmup, run.draws):
        f, here = _slice_step(f, here, log_ratio, rng.standard_normal((run.chains, n)) @ root.T, rng)
        # The level is independent of the differences and known exactly; log_ratio is the same at every level.
        level = rng.standard_normal((run.chains, 1)) * (model.sd_ability / np.sqrt(n))
        f = f + (level - (laplace.mode + f).mean(axis=1, keepdims=True))
        if k >= 0:
            kept[k] = laplace.mode + f
    return np.ascontiguousarray(kept.transpose(1, 0, 2))


def _slice_step(
    f: FloatArray, here: FloatArray, log_ratio: Any, nu: FloatArray, rng: Generator
) -> tuple[FloatArray, FloatArray]:
    """One update of every chain: shrink the bracket of angles until the point is above the slice."""
    height = here + np.log(np.maximum(rng.random(len(f)), np.finfo(float).tiny))
    angle = 2 * np.pi * rng.random(len(f))
    low, high = angle - 2 * np.pi, angle.copy()
    new, value = f.copy(), here.copy()
    waiting = np.arange(len(f))
    while len(waiting):
        a = angle[waiting, None]
        proposal = f[waiting] * np.cos(a) + nu[waiting] * np.sin(a)
        at = log_ratio(proposal)
        good = at > height[waiting]
        new[waiting[good]], value[waiting[good]] = proposal[good], at[good]
        waiting = waiting[~good]
        below = angle[waiting] < 0
        low[waiting] = np.where(below, angle[waiting], low[waiting])
        high[waiting] = np.where(below, high[waiting], angle[waiting])
        angle[waiting] = low[waiting] + (high[waiting] - low[waiting]) * rng.random(len(waiting))
    return new, value


Sampler = Literal["gibbs", "collapsed"]


def fit_irt_gaussian(
    table: Comparisons,
    *,
    model: GaussianModel = GaussianModel(),
    items: Items | None = None,
    sampler: Sampler | None = None,
    chains: int = 4,
    warmup: int = 200,
    draws: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    warn: bool = True,
) -> Posterior:
    """Sample the posterior of the systems' abilities in the Gaussian item-response model.

    With abilities mu ~ N(0, s0^2), item qualities q ~ N(mu, sa^2) and what a judge sees o ~ N(q, so^2), two
    options tie if they appear less than d apart (Hopkins and May 2013, section 7).

    Parameters
    ----------
    table : Comparisons
        One track; counts must be whole.
    model : GaussianModel
        The constants s0, sa, so and d.
    items : {"shared", "fresh"}, optional
        Default: shared where the table has a `source` column, else fresh (the posterior's notes say which).
    sampler : {"gibbs", "collapsed"}, optional
        Gibbs augments the data; collapsed (fresh items only) samples the abilities alone, at a cost that does
        not grow with the number of comparisons.  Default: gibbs for shared items, collapsed for fresh ones.
    chains, warmup, draws : int
        Chains, iterations discarded in each, iterations kept in each.  The paper ran one chain of 200 with
        50.
    seed : int
        The same numbers, bit for bit, for the same seed and version of numpy, for any number of `workers`.
    workers : int, optional
        Threads.  Default: one per chain, at most the number of processors; one in all for fewer than
        5000 comparisons, where threads only wait for each other.
    warn : bool
        Warn (MixingWarning) when R-hat or an effective sample size of a centred ability is not good enough.

    Returns
    -------
    Posterior
        Draws, float[chains, draws, n_systems], with means, intervals, ranks and diagnostics.

    Raises
    ------
    InputError
        Shared items without a source column or with a row without a source; ties beside radius 0; chains,
        warmup, draws, seed or workers that are no integers or too small; counts that are not whole (Gibbs).

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A", "B", "A"], "second": ["B", "C", "C"], "wins": [14, 12, 17],
    ...                         "ties": [4, 3, 1], "losses": [2, 5, 2]})
    >>> posterior = pairproof.fit_irt_gaussian(table, draws=2000, seed=1)
    >>> posterior.ranking, (posterior.p_best > 0.9).tolist()
    (('A', 'B', 'C'), [True, False, False])
    """
    chosen = choose_items(table, items)
    method: Sampler = sampler or ("gibbs" if chosen == "shared" else "collapsed")
    one_of("sampler", method, get_args(Sampler))
    if method == "collapsed" and chosen == "shared":
        raise InputError(
            "sampler='collapsed' integrates each comparison's items out, which shared items do not allow; use"
            " sampler='gibbs', or items='fresh'"
        )
    run = Run(chains, warmup, draws, seed, workers)
    if method == "collapsed":
        sampled = sample_collapsed(table, model, run)
    else:
        data = oriented(table, model)
        if chosen == "fresh":
            sampled = run.sample(lambda rng: FreshChain(data, model, rng), len(data.up))
        else:
            author, segment, item = item_codes(table, data.up, data.down, data.row)
            sampled = run.sample(shared_chain(data, author, segment, item, model), len(data.up))
    result = run.posterior(table, sampled, asdict(model), items, chosen, "ability", method)
    if warn:
        result.warn_if_not_mixed()
    return result
