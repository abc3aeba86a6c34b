"""The Gaussian item-response model's constants and probabilities, and its exact Gibbs sampling.

The model itself stands in :mod:`pairproof.native.competitions.irt.gaussian_irt`.  Shared items, one iteration
(:class:`SegmentChain`)::

    delta | q, outcome   what is seen: N(q_up - q_down, 2 so^2) restricted to [d, inf), or (-d, d) for a tie
    mu    | delta        with q integrated out: normal, the same S x S precision in every iteration
    q     | mu, delta    normal; in segment x of constant precision I/sa^2 + L_x/(2 so^2), L_x its Laplacian

(mu, q) are drawn as one block.  Where blocks would outgrow the comparisons, :class:`OptionChain` draws what
is seen of both options instead, after which items are independent; it mixes two to three times more slowly::

    sum   | q            the partner of delta: N(q_up + q_down, 2 so^2);  o = (sum +- delta) / 2
    mu    | o            precision 1/s0^2 + sum_i 1/(sa^2 + so^2/n_i) over the items of s, q integrated out
    q     | mu, o        precision 1/sa^2 + n_i/so^2, mean (mu/sa^2 + sum o/so^2) / precision

Fresh items: q and the noise are integrated out, delta | mu is N(mu_up - mu_down, tau^2) restricted, and

    mu | delta           precision matrix I/s0^2 + sum (e_up - e_down)(e_up - e_down)'/tau^2, always the same

Level: the posterior of mean(mu) is N(0, s0^2/S) independently of all that does not change when abilities and
qualities move together.  Given the differences alone it is drawn again in each iteration; given what is seen
of both options it hardly moves (one effective draw per thousand), so there it is drawn by itself, an exact
move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ....data.comparisons import Comparisons
from ....data.judgments import TIE, judgments
from ....errors import InputError
from ....numerics.arrays import FloatArray, IntArray
from ....numerics.markov_chains import above, between
from .posterior import Chain


@dataclass(frozen=True)
class GaussianModel:
    """The Gaussian item-response model's known constants, all on the scale of abilities.
    The defaults are those of Hopkins and May (2013), footnote 13.  sd_ability: s0 > 0, standard deviation of
    the systems' abilities.  sd_quality: sa > 0, of an item's quality about its system's ability.  sd_noise:
    so > 0, of what a judge sees about an item's quality.  radius: d >= 0: options that look less than d apart
    tie; with 0 there are no ties."""

    sd_ability: float = 1.0
    sd_quality: float = 0.5
    sd_noise: float = 1.0
    radius: float = 0.4

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (np.isfinite(value) and (value > 0 or (name == "radius" and value == 0))):
                least = ">= 0" if name == "radius" else "> 0"
                raise InputError(f"{name}={value}; expected a finite number {least}")

    @property
    def tau(self) -> float:
        """Standard deviation of o1 - o2 given the abilities, for new items."""
        return float(np.sqrt(2.0 * (self.sd_quality**2 + self.sd_noise**2)))

    def preferences(self, gap: FloatArray, extra_variance: float | FloatArray = 0.0) -> FloatArray:
        """P(tie), P(first), P(second) for new items.
        extra_variance: of the gap itself: s0^2 for each system that is only known by the prior.  Returns
        float[..., 3]: each row sums to 1."""
        from scipy.special import ndtr

        sd = np.sqrt(self.tau**2 + np.asarray(extra_variance, float))
        m, d = np.asarray(gap, float), self.radius
        first, second = ndtr((m - d) / sd), ndtr((-m - d) / sd)
        # Both terms from the side where they are small, so that nothing cancels far out.
        away = np.abs(m)
        tie = ndtr((d - away) / sd) - ndtr((-d - away) / sd)
        return np.stack([tie, first, second], axis=-1)


@dataclass(frozen=True, eq=False)
class Oriented:
    """Judgments turned so that the preferred system stands first, the ties after all others.
    n_systems, n_decided: judgments 0..n_decided-1 have a preference, the rest are ties.  up, down int[n]:
    systems; `up` was preferred (in a tie: was named first).  row int[n]: the table's row."""

    n_systems: int
    n_decided: int
    up: IntArray
    down: IntArray
    row: IntArray


def refuse_ties(table: Comparisons, model: GaussianModel) -> None:
    """Raise InputError if the table has ties and the model's radius is 0, which makes a tie impossible."""
    if model.radius == 0 and table.ties.any():
        raise InputError(
            f"{table.source}: {table.ties.sum():g} ties, but radius=0 makes a tie impossible; use a radius"
            " > 0, or drop the ties (table.without_ties())"
        )


def oriented(table: Comparisons, model: GaussianModel) -> Oriented:
    """Every judgment of the table, turned."""
    refuse_ties(table, model)
    single = judgments(table)
    order = np.argsort(single.outcome == TIE, kind="stable")
    turned = single.outcome[order] == 2
    first, second = single.first[order], single.second[order]
    up, down = np.where(turned, second, first), np.where(turned, first, second)
    return Oriented(len(table.items), int((single.outcome != TIE).sum()), up, down, single.row[order])


def restricted_differences(
    gap: FloatArray, n_decided: int, d: float, sd: float, rng: Generator
) -> FloatArray:
    """delta | gap: N(gap, sd^2) on [d, inf) for the first n_decided, on (-d, d) for the rest.
    gap float[n].  Returns float[n]."""
    # random() is in [0, 1); an exact 0 would be an infinite draw.
    u = np.maximum(rng.random(len(gap)), np.finfo(float).tiny)
    delta = np.empty(len(gap))
    won, tied = gap[:n_decided], gap[n_decided:]
    z = above((d - won) / sd, u[:n_decided])
    z *= sd
    z += won
    np.maximum(z, d, out=delta[:n_decided])
    if len(tied):
        # Turned so that the interval lies on the side of its small tail, then turned back.
        away = np.abs(tied)
        z = between((-d - away) / sd, (d - away) / sd, u[n_decided:])
        delta[n_decided:] = np.clip(np.where(tied < 0, -1.0, 1.0) * (away + sd * z), -d, d)
    return delta


#: Numbers in the segments' blocks per comparison up to which the blocks are used (and a million in any case).
MOST_PER_COMPARISON = 100


def shared_chain(
    data: Oriented, author: IntArray, segment: IntArray, item: IntArray, model: GaussianModel
) -> Callable[[Generator], Chain]:
    """The chain for shared items that suits the table, its constants worked out once for all chains.
    author, segment int[n_items]: items of a segment stand together.  item int[2 n]: items of `data.up`, then
    of `data.down`."""
    sizes = np.bincount(segment)
    if float(np.sum(sizes.astype(float) ** 2)) <= 1e6 + MOST_PER_COMPARISON * len(data.up):
        blocks = segment_blocks(data, author, segment, item, model)
        return lambda rng: SegmentChain(data, author, item, blocks, model, rng)
    return lambda rng: OptionChain(data, author, item, model, rng)


@dataclass(frozen=True, eq=False)
class Blocks:
    """What never changes in :class:`SegmentChain`.
    cov sparse[n_items, n_items]: covariance of q given mu and delta, one block a segment.  root
    sparse[n_items, n_items]: its Cholesky factors.  mu_cov, mu_root float[n_systems, n_systems]: covariance
    of mu given delta, and its factor."""

    cov: Any
    root: Any
    mu_cov: FloatArray
    mu_root: FloatArray


def segment_blocks(
    data: Oriented, author: IntArray, segment: IntArray, item: IntArray, model: GaussianModel
) -> Blocks:
    """Invert every segment's precision, segments of one size at a time."""
    from scipy.sparse import csr_matrix

    n_items, n = len(author), len(data.up)
    sa2, so2 = model.sd_quality**2, model.sd_noise**2
    sizes = np.bincount(segment)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    up, down = item[:n], item[n:]
    place = np.arange(n_items) - starts[segment]
    entries: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = []
    for size in np.unique(sizes[sizes > 0]):
        members = np.flatnonzero(sizes == size)
        number = np.full(len(sizes), -1)
        number[members] = np.arange(len(members))
        here = number[segment[up]] >= 0
        block, a, b = number[segment[up[here]]], place[up[here]], place[down[here]]
        cells = len(members) * size * size
        laplacian = np.zeros(cells)
        for row, column, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            laplacian += sign * np.bincount((block * size + row) * size + column, minlength=cells)
        precision = laplacian.reshape(len(members), size, size) / (2.0 * so2) + np.eye(size) / sa2
        cov = np.linalg.inv(precision)
        cov = (cov + cov.transpose(0, 2, 1)) / 2.0
        at = starts[members][:, None] + np.arange(size)
        rows = np.broadcast_to(at[:, :, None], cov.shape).ravel()
        columns = np.broadcast_to(at[:, None, :], cov.shape).ravel()
        entries.append((rows, columns, cov.ravel(), np.linalg.cholesky(cov).ravel()))
    rows, columns, covs, roots = (np.concatenate(part) for part in zip(*entries))
    s = data.n_systems
    mu_precision = np.diag(1.0 / model.sd_ability**2 + np.bincount(author, minlength=s) / sa2)
    mu_precision -= np.bincount(author[rows] * s + author[columns], covs, s * s).reshape(s, s) / sa2**2
    mu_cov = np.linalg.inv(mu_precision)
    mu_cov = (mu_cov + mu_cov.T) / 2.0
    lower = columns <= rows
    shape = (n_items, n_items)
    cov = csr_matrix((covs, (rows, columns)), shape)
    root = csr_matrix((roots[lower], (rows[lower], columns[lower])), shape)
    return Blocks(cov, root, mu_cov, np.linalg.cholesky(mu_cov))


@dataclass(eq=False)
class SegmentChain:
    """Shared items, drawn segment by segment given the differences alone."""

    data: Oriented
    author: IntArray
    item: IntArray
    blocks: Blocks
    model: GaussianModel
    rng: Generator

    def __post_init__(self) -> None:
        self.q = _start(self.author, self.data.n_systems, self.model, self.rng)

    def step(self) -> FloatArray:
        rng, model, blocks, n_systems = self.rng, self.model, self.blocks, self.data.n_systems
        so2, sa2 = model.sd_noise**2, model.sd_quality**2
        sd, (up, down) = float(np.sqrt(2.0 * so2)), np.split(self.item, 2)
        pull = _pull(up, down, self.q, self.data.n_decided, model.radius, sd, rng)
        from_delta = blocks.cov @ (pull / (2.0 * so2))
        mu = blocks.mu_cov @ (np.bincount(self.author, from_delta, n_systems) / sa2)
        mu += blocks.mu_root @ rng.standard_normal(n_systems)
        noise = blocks.root @ rng.standard_normal(len(self.author))
        self.q = from_delta + blocks.cov @ (mu[self.author] / sa2) + noise
        return np.asarray(mu)


@dataclass(eq=False)
class OptionChain:
    """Shared items, what is seen of both options drawn: memory linear in comparisons whatever the segments.
    author int[n_items].  item int[2 n]: items of `data.up`, then of `data.down`.  shift: draw the level by
    itself."""

    data: Oriented
    author: IntArray
    item: IntArray
    model: GaussianModel
    rng: Generator
    shift: bool = True

    def __post_init__(self) -> None:
        author, model, n_systems = self.author, self.model, self.data.n_systems
        seen = np.bincount(self.item, minlength=len(author)).astype(float)
        so2, sa2 = model.sd_noise**2, model.sd_quality**2
        # Times sum(o): mean of o over its variance sa^2 + so^2/n, given mu.
        self.weight = 1.0 / (seen * sa2 + so2)
        self.precision = 1.0 / model.sd_ability**2 + np.bincount(author, seen * self.weight, n_systems)
        q_precision = 1.0 / sa2 + seen / so2
        self.from_mu, self.from_sum = 1.0 / (sa2 * q_precision), 1.0 / (so2 * q_precision)
        self.q_sd = 1.0 / np.sqrt(q_precision)
        self.q = _start(author, n_systems, model, self.rng)

    def step(self) -> FloatArray:
        rng, model, n_systems, n_items = self.rng, self.model, self.data.n_systems, len(self.author)
        sd = model.sd_noise * np.sqrt(2.0)
        up, down = np.split(self.q[self.item], 2)
        delta = restricted_differences(up - down, self.data.n_decided, model.radius, sd, rng)
        total = rng.standard_normal(len(up))
        total *= sd
        total += up
        total += down
        seen = np.concatenate([total + delta, total - delta])
        sums = 0.5 * np.bincount(self.item, seen, n_items)
        mu = np.bincount(self.author, self.weight * sums, n_systems) / self.precision
        mu += rng.standard_normal(n_systems) / np.sqrt(self.precision)
        noise = self.q_sd * rng.standard_normal(n_items)
        self.q = self.from_mu * mu[self.author] + self.from_sum * sums + noise
        if self.shift:
            move = level(model, n_systems, rng) - mu.mean()
            mu += move
            self.q += move
        return mu


@dataclass(eq=False)
class FreshChain:
    """A new item for each option of each comparison."""

    data: Oriented
    model: GaussianModel
    rng: Generator

    def __post_init__(self) -> None:
        data, model, s = self.data, self.model, self.data.n_systems
        met = np.bincount(data.up * s + data.down, minlength=s * s).reshape(s, s)
        met = met + met.T
        precision = (np.diag(met.sum(axis=0)) - met) / model.tau**2 + np.eye(s) / model.sd_ability**2
        self.covariance = np.linalg.inv(precision)
        self.root = np.linalg.cholesky(self.covariance)
        self.mu: FloatArray = self.rng.standard_normal(s) * model.sd_ability

    def step(self) -> FloatArray:
        data, model, rng = self.data, self.model, self.rng
        drawn = (data.n_decided, model.radius, model.tau, rng)
        pull = _pull(data.up, data.down, self.mu, *drawn) / model.tau**2
        self.mu = np.asarray(self.covariance @ pull + self.root @ rng.standard_normal(data.n_systems))
        return self.mu


def _pull(
    up: IntArray, down: IntArray, at: FloatArray, n_decided: int, d: float, sd: float, rng: Generator
) -> FloatArray:
    """The differences drawn given values `at` of what is compared, summed over it, up less down."""
    delta = restricted_differences(at[up] - at[down], n_decided, d, sd, rng)
    return np.asarray(np.bincount(up, delta, len(at)) - np.bincount(down, delta, len(at)))


def _start(author: IntArray, n_systems: int, model: GaussianModel, rng: Generator) -> FloatArray:
    """Qualities from the prior: starts far enough apart for split R-hat to tell."""
    mu = rng.standard_normal(n_systems) * model.sd_ability
    return np.asarray(mu[author] + model.sd_quality * rng.standard_normal(len(author)))


def level(model: GaussianModel, n_systems: int, rng: Generator) -> float:
    """A draw of the abilities' mean, N(0, s0^2 / S)."""
    return float(rng.standard_normal()) * model.sd_ability / float(np.sqrt(n_systems))
