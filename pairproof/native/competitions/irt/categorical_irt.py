"""The categorical item-response model of Hopkins and May (2013, section 7), and its Gibbs sampling.

    theta_s  ~ Dirichlet(aa, ..., aa)                 how often system s writes an item of each quality 1..L
    lambda_i ~ Categorical(theta_a(i))                quality of item i
    P(o | lambda) = phi((o - lambda) / so) / sum over o' in 1..L of the same         what a judge sees of it
    outcome    0 if |o1 - o2| <= r,  else 1 if o1 > o2,  2 if o2 > o1

L = 8, so = 1, aa = 0.5 each, r = 0 (footnote 13).  The paper's text has a tie when the difference is "lower
than" the radius: with radius 0 that would make ties impossible.  It must be "at most", as here.  What is seen
is integrated out: with K[p, l1, l2] = sum over (o1, o2) with outcome p of P(o1 | l1) P(o2 | l2),

    Q(p | s1, s2) = theta_s1' K_p theta_s2                                        for new items
    lambda_i | theta, the others    in proportion to theta_a(i),l times the item's product of K
    theta_s  | lambda               Dirichlet(aa + numbers of its items of each quality)

Drawing what is seen as well mixes five times more slowly (autocorrelation times of strengths 50 against 10 on
10,000 comparisons of 15 systems).  Fresh items: the pairs (lambda_1, lambda_2) of all comparisons of two
systems with one outcome are a multinomial draw with cells theta_1,l1 theta_2,l2 K[p, l1, l2].

theta is only weakly identified in its location and mixes badly; preferences mix well, so summaries and
diagnostics are of the *strength* of a system, the mean over the others of P(preferred) + P(tie)/2.  For new
items Q is averaged over the draws (default); putting in the posterior mean of theta is biased where theta is
uncertain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from ....data.comparisons import Comparisons
from ....data.judgments import HAT, Judgments, judgments, preference_counts
from ....errors import InputError
from ....numerics.arrays import FloatArray, IntArray
from .posterior import Items, Posterior, Run, choose_items, item_codes

#: From this concentration on a gamma variable is below the smallest double, 1e-308, with probability 4e-16 at
#: most.
SMALL = 0.05
#: Smaller shapes give the same draws, a single component with everything, and would overflow in their
#: logarithm.
_LEAST_SHAPE = 1e-300


def draw_theta(counts: FloatArray, concentration: float, rng: Generator) -> tuple[FloatArray, FloatArray]:
    """Dirichlet draws, float[n_systems, L], of a prior `concentration` a component and these counts, and
    their logarithms.
    theta is a row of gamma variables over its sum.  Of a small shape a these are below every double, so that
    their logarithms are drawn, log G(a) = log G(a + 1) + log(U) / a (Stuart 1962, Biometrika 49, 564-565),
    and nothing underflows but what is 0 beside the rest of its row."""
    if concentration >= SMALL:  # seeds keep their draws
        gamma = np.maximum(rng.standard_gamma(concentration + counts), np.finfo(float).tiny)
        theta = gamma / gamma.sum(axis=1, keepdims=True)
        return theta, np.log(theta)
    shape = np.maximum(concentration + counts, _LEAST_SHAPE)
    log_gamma = np.log(rng.standard_gamma(shape + 1.0)) - rng.standard_exponential(shape.shape) / shape
    log_theta = log_gamma - log_gamma.max(axis=1, keepdims=True)
    log_theta -= np.log(np.exp(log_theta).sum(axis=1, keepdims=True))
    return np.exp(log_theta), log_theta


@dataclass(eq=False)
class SweepChain:
    """Items shared over comparisons.
    Items are updated in turn by their place within the segment: the k-th items of all segments at once, since
    items of different segments share no comparison.  author, segment int[n_items]: items of a segment stand
    together.  item int[2 n]: items of the first options, then of the second ones."""

    data: Judgments
    author: IntArray
    segment: IntArray
    item: IntArray
    model: CategoricalModel
    rng: Generator

    def __post_init__(self) -> None:
        levels, rng = self.model.levels, self.rng
        self.turns = _turns(self.data, self.segment, self.item)
        none = np.zeros((len(self.data.items), levels))
        self.theta, self.log_theta = draw_theta(none, self.model.concentration, rng)
        self.quality = rng.integers(0, levels, len(self.author))

    def step(self) -> FloatArray:
        size, table = self.model.levels, self.model.log_likelihood_rows
        log_theta = np.log(self.theta) if self.model.concentration >= SMALL else self.log_theta
        for turn in self.turns:
            rows = table.take(turn.outcome * size + self.quality.take(turn.other), axis=0)
            log_w = np.add.reduceat(rows, turn.start, axis=0)
            log_w += log_theta.take(self.author.take(turn.items), axis=0)
            log_w -= log_w.max(axis=1, keepdims=True)
            ladder = np.cumsum(np.exp(log_w, out=log_w), axis=1)
            u = self.rng.random((len(turn.items), 1)) * ladder[:, -1:]
            self.quality[turn.items] = (ladder[:, :-1] < u).sum(axis=1)
        counts = np.bincount(self.author * size + self.quality, minlength=self.theta.size)
        own = counts.reshape(-1, size).astype(float)
        self.theta, self.log_theta = draw_theta(own, self.model.concentration, self.rng)
        return self.theta


@dataclass(frozen=True, eq=False)
class Turn:
    """Items that are updated together.
    items int[k].  start int[k]: where each item's comparisons begin in the next two.  outcome, `other`
    int[m]: outcome from the item's own side, and the item on the other side."""

    items: IntArray
    start: IntArray
    outcome: IntArray
    other: IntArray


def _turns(data: Judgments, segment: IntArray, item: IntArray) -> list[Turn]:
    n = len(data)
    other = np.concatenate([item[n:], item[:n]])
    outcome = np.concatenate([data.outcome, HAT[data.outcome]])
    first_of = np.concatenate([[0], np.cumsum(np.bincount(segment))[:-1]])
    place = np.arange(len(segment)) - first_of[segment]
    order = np.lexsort((item, place[item]))
    item, other, outcome = item[order], other[order], outcome[order]
    turns = []
    bounds = np.searchsorted(place[item], np.arange(place.max() + 2))
    for low, high in zip(bounds, bounds[1:]):
        items, start = np.unique(item[low:high], return_index=True)
        turns.append(Turn(items, start, outcome[low:high], other[low:high]))
    return turns


@dataclass(eq=False)
class FreshCells:
    """A new item for each option of each comparison.
    counts float[n_systems, n_systems, 3]: from :func:`pairproof.data.judgments.preference_counts`."""

    counts: FloatArray
    model: CategoricalModel
    rng: Generator

    def __post_init__(self) -> None:
        n_systems = len(self.counts)
        upper = np.triu(np.ones((n_systems, n_systems)), 1)[:, :, None] * self.counts
        self.i, self.j, self.outcome = np.nonzero(upper)
        self.times = upper[self.i, self.j, self.outcome].astype(np.int64)
        none = np.zeros((n_systems, self.model.levels))
        self.theta, self.log_theta = draw_theta(none, self.model.concentration, self.rng)

    def _cells(self) -> FloatArray:
        """float[n_cells, L * L]: theta_1 theta_2 K up to a factor a cell."""
        if self.model.concentration >= SMALL:
            one, two = self.theta[self.i][:, :, None], self.theta[self.j][:, None, :]
            cells = one * two * self.model.likelihood[self.outcome]
            return np.asarray(np.maximum(cells.reshape(len(cells), -1), np.finfo(float).tiny))
        log_k = np.log(np.maximum(self.model.likelihood, np.finfo(float).tiny))
        logs = self.log_theta[self.i][:, :, None] + self.log_theta[self.j][:, None, :] + log_k[self.outcome]
        logs = logs.reshape(len(logs), -1)
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))

    def step(self) -> FloatArray:
        size = self.model.levels
        p = self._cells()
        pairs = self.rng.multinomial(self.times, p / p.sum(axis=1, keepdims=True)).reshape(-1, size, size)
        counts = np.zeros_like(self.theta)
        np.add.at(counts, self.i, pairs.sum(axis=2))
        np.add.at(counts, self.j, pairs.sum(axis=1))
        self.theta, self.log_theta = draw_theta(counts, self.model.concentration, self.rng)
        return self.theta


#: Draws whose preferences are worked out at a time: 500 x 26 x 26 x 3 numbers are 8 MB.
CHUNK = 500


@dataclass(frozen=True)
class CategoricalModel:
    """The categorical item-response model's known constants.
    The defaults are those of Hopkins and May (2013), footnote 13, with their tie rule read as "at most r".
    levels: L >= 2, qualities an item can have.  sd_noise: so > 0, standard deviation of what a judge sees, in
    levels.  concentration: aa > 0, of each component of the Dirichlet prior.  radius: r in 0..L-2: options
    seen at most r levels apart tie."""

    levels: int = 8
    sd_noise: float = 1.0
    concentration: float = 0.5
    radius: int = 0

    def __post_init__(self) -> None:
        if not (int(self.levels) == self.levels and self.levels >= 2):
            raise InputError(f"levels={self.levels}; expected a whole number of at least 2")
        for name in ("sd_noise", "concentration"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"{name}={value}; expected a finite number > 0")
        if not (int(self.radius) == self.radius and 0 <= self.radius <= self.levels - 2):
            raise InputError(
                f"radius={self.radius}; expected a whole number from 0 to {self.levels - 2} (with"
                f" {self.levels} levels a larger one makes every comparison a tie)"
            )

    @cached_property
    def observation(self) -> FloatArray:
        """P(o | l), float[levels, levels]: row l, column o."""
        quality = np.arange(self.levels)
        p = np.exp(-0.5 * ((quality[None, :] - quality[:, None]) / self.sd_noise) ** 2)
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    @cached_property
    def outcome_of(self) -> IntArray:
        """int[levels, levels]: the outcome of what is seen of both options."""
        difference = np.subtract.outer(np.arange(self.levels), np.arange(self.levels))
        return np.where(np.abs(difference) <= self.radius, 0, np.where(difference > 0, 1, 2))

    @cached_property
    def likelihood(self) -> FloatArray:
        """K, float[3, levels, levels]: P(outcome | qualities of both items)."""
        p = self.observation
        return np.stack([p @ (self.outcome_of == k) @ p.T for k in range(3)])

    @cached_property
    def log_likelihood_rows(self) -> FloatArray:
        """log K of (outcome, other's quality), a row for each, own quality along it; held at 1e-308 where K
        underflows."""
        rows = self.likelihood.transpose(0, 2, 1).reshape(-1, self.levels)
        return np.asarray(np.log(np.maximum(rows, np.finfo(float).tiny)))


@dataclass(frozen=True, eq=False, repr=False)
class CategoricalFit:
    """Draws from the posterior of the categorical item-response model.
    theta float[chains, draws, n_systems, levels]: distribution of each system's qualities; sums to 1 over the
    levels.  strength: mean over the others of P(preferred) + P(tie)/2, for new items; 1/2 on average over the
    systems."""

    items: tuple[str, ...]
    theta: FloatArray
    model: CategoricalModel
    strength: Posterior

    def preferences(self, average: bool = True) -> FloatArray:
        """P(tie), P(first), P(second) of every pair, and of a system that is only known by the prior.
        average: average over the draws; else put in the posterior mean of theta.  Returns float[n_items + 1,
        n_items + 1, 3]: the last row and column are the unseen system.  Of a system against itself: two new
        items of it."""
        return predictive(self.theta.reshape(-1, *self.theta.shape[2:]), self.model, average)

    @property
    def quality(self) -> FloatArray:
        """float[n_items]: posterior means of the expected quality, 1..levels; mixes badly, see the module."""
        return np.asarray(self.theta.mean(axis=(0, 1)) @ np.arange(1, self.model.levels + 1))

    def __repr__(self) -> str:
        return f"{self.strength!r}"


def predictive(theta: FloatArray, model: CategoricalModel, average: bool) -> FloatArray:
    """Preferences for new items, from draws of the systems' distributions of quality.
    theta float[n_draws, n, levels].  average: average over the draws; else put in the mean of theta.  Returns
    float[n + 1, n + 1, 3]: as :meth:`CategoricalFit.preferences`."""
    if not average:
        theta = theta.mean(axis=0, keepdims=True)
    # Given the data an unseen system's theta is independent of the others' and enters linearly: its mean will
    # do.
    unseen = np.full((len(theta), 1, model.levels), 1.0 / model.levels)
    total = sum(part.sum(axis=0) for part in _tables(np.concatenate([theta, unseen], axis=1), model))
    return np.asarray(total / len(theta))


def _tables(theta: FloatArray, model: CategoricalModel) -> Iterator[FloatArray]:
    """float[chunk, n, n, 3], some draws at a time."""
    for start in range(0, len(theta), CHUNK):
        part = theta[start : start + CHUNK]
        yield np.stack([part @ k @ part.transpose(0, 2, 1) for k in model.likelihood], axis=-1)


def strengths(theta: FloatArray, model: CategoricalModel) -> FloatArray:
    """Strength of each system in each draw: mean over the other systems of P(preferred) + P(tie)/2.
    theta float[n_draws, n, levels].  Returns float[n_draws, n]: in [0, 1], on average 1/2."""
    n = theta.shape[1]
    out = []
    for table in _tables(theta, model):
        share = table[..., 1] + table[..., 0] / 2.0
        out.append((share.sum(axis=2) - np.einsum("dii->di", share)) / (n - 1))
    return np.concatenate(out)


def fit_irt_categorical(
    table: Comparisons,
    *,
    model: CategoricalModel = CategoricalModel(),
    items: Items | None = None,
    chains: int = 4,
    warmup: int = 200,
    draws: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    warn: bool = True,
) -> CategoricalFit:
    """Sample the posterior of the systems' distributions of quality in the categorical item-response model.

    Items have one of L qualities, drawn from their system's distribution theta; a judge sees them with noise
    (Hopkins and May 2013, section 7).  Fresh items are sampled with what was seen integrated out, at a cost
    that does not grow with the number of comparisons.

    Other parameters are those of :func:`pairproof.native.competitions.irt.gaussian_irt.fit_irt_gaussian`.

    Parameters
    ----------
    model : CategoricalModel
        The constants L, so, aa and r.

    Returns
    -------
    CategoricalFit

    Raises
    ------
    InputError
        Shared items without a source column or with a row without a source; counts that are not whole;
        chains, warmup, draws, seed or workers that are no integers or too small.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A", "B", "A"], "second": ["B", "C", "C"], "wins": [14, 12, 17],
    ...                         "ties": [4, 3, 1], "losses": [2, 5, 2]})
    >>> fit = pairproof.fit_irt_categorical(table, draws=500, seed=1, warn=False)
    >>> fit.strength.ranking
    ('A', 'B', 'C')
    """
    chosen, run = choose_items(table, items), Run(chains, warmup, draws, seed, workers)
    single = judgments(table)  # refuses counts that are not whole
    if chosen == "fresh":
        counts = preference_counts(table)
        theta = run.sample(lambda rng: FreshCells(counts, model, rng), len(single))
    else:
        author, segment, item = item_codes(table, single.first, single.second, single.row)
        theta = run.sample(lambda rng: SweepChain(single, author, segment, item, model, rng), len(single))
    share = strengths(theta.reshape(-1, *theta.shape[2:]), model).reshape(theta.shape[:3])
    strength = run.posterior(table, share, asdict(model), items, chosen, "strength", "gibbs", centre=False)
    if warn:
        strength.warn_if_not_mixed()
    return CategoricalFit(table.items, theta, model, strength)
