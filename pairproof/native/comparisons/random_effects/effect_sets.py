"""The marginal likelihood where random effects fall into sets, items by judge: a product over the sets.

With V = sigma Z and u = sigma c a set has the log-likelihood

    L = log integral exp(l(eta) - c'c / 2) dc / (2 pi)^(J/2),    eta = X b + offset + V c,    theta = (b, log sigma)

Sets that are alike, with the same rows and results, are one kind and are worked out once.  Score and information of
each kind are what weights of sets, standard errors by cluster and Newton's method ask for.

Quadrature (up to five effects): J effects are J - 1 independent ones by the Helmert matrix, and the integral is a
trapezoid sum about the mode, in units of its Cholesky factor, which converges exponentially (Trefethen and Weideman
2014, SIAM Review 56, 385-458).  The tails of logistic likelihoods are fat, so that the ball of points matters more
than the step.  With d_j = d eta / d theta_j, r = dl/d eta, w = -dr/d eta, s_j = r'd_j and E over the same sum,

    dL/d theta_j = E s_j,   d2L = Cov(s_j, s_k) - E d_j'W d_k + [j = k = log sigma] E r'Vc

(Fisher 1925; Louis 1982, JRSS-B 44, 226-233).  Laplace's approximation h(c^) - log det M / 2, M = I + V'WV, has exact
derivatives too: with eta_j those of eta at the mode, t = dw/d eta, q = dt/d eta, P = V M^-1 V', a its diagonal,
g_j = t eta_j + 2 [j = log sigma] w,  y = M^-1 V'(a t) and v = V y,

    d log det M / d theta_j = a'g_j
    d2 log det M = (a q - v t)'(eta_j eta_k) - g_j'(P o P) g_k + [k = log sigma] f_j + [j = log sigma] f_k
                   + [j = k = log sigma] (2 y'c + 4 a'w),       f_j = y'c_j - (v w)'eta_j + 2 (a t)'eta_j
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ....errors import ConvergenceError, InputError, TooLargeError
from ....numerics.arrays import FloatArray, IntArray
from ..rows.contest_design import Contests, Design
from ..rows.links import Link
from .marginal_likelihood import MOST, TOLERANCE, Marginal, RowTerms, row_terms

#: Half the width of the box of points and the step, in posterior standard deviations, by dimension.  With
#: radius 11 the likelihood of the specification's four players has 15 digits, with 8.5 it has 10.
GRIDS = {1: (14.0, 0.25), 2: (11.0, 0.35), 3: (11.0, 0.5), 4: (9.0, 0.6)}
#: Effects in a set; beyond that Laplace's approximation remains.
MOST_EFFECTS = 1 + max(GRIDS)
#: Points of the grid taken at a time.
CHUNK = 8192
#: Points whose log density is so far below that of the mode add nothing to a double.
DEPTH = 42.0
#: A predictor whose exponential is a double with room for its square.
LARGEST = 300.0
#: Numbers in the largest array of Laplace's approximation taken at a time.
MOST_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class EffectSets:
    """Random effects in sets of J, numbered set by set.
    contests: whose first K = J * number of sets parameters are the effects.  method: laplace or quadrature.  rough:
    whether quadrature takes a tenth of its points, for 7 digits and more."""

    contests: Contests
    size: int
    link: Link
    method: str
    rough: bool = False

    def __post_init__(self) -> None:
        design = self.contests.design
        if self.method == "quadrature" and self.size > MOST_EFFECTS:
            raise TooLargeError(
                f"quadrature over sets of {self.size} effects; the limit is {MOST_EFFECTS}. Use Laplace's"
                " approximation"
            )
        if self.size < 2 or design.n_own % self.size:
            raise InputError(f"{design.n_own} effects are not a whole number of sets of {self.size}")
        a, b = design.first // self.size, design.second // self.size
        wrong = np.flatnonzero((a != b) | (design.first < 0) | (design.second < 0))
        if len(wrong):
            raise InputError(
                f"row {wrong[0] + 1}: a contest between effects of two sets, or with a side that has none; use"
                " Laplace's approximation"
            )

    @cached_property
    def kind(self) -> IntArray:
        """int[number of sets]: the kind of each set; -1 for one without contests."""
        return self._sorted[0]

    @cached_property
    def times(self) -> FloatArray:
        """float[n]: sets of each kind."""
        return np.bincount(self.kind[self.kind >= 0], minlength=len(self._sorted[1])).astype(float)

    @cached_property
    def _sorted(self) -> tuple[IntArray, list[IntArray]]:
        """The kind of each set, and the rows of one set of each kind."""
        design, contests = self.contests.design, self.contests
        low = np.minimum(design.first, design.second) % self.size
        order = np.lexsort((design.second, design.first, low, design.first // self.size))
        of = design.first[order] // self.size
        content = np.column_stack(
            [
                design.first % self.size,
                design.second % self.size,
                design.dense,
                design.offset,
                contests.wins,
                contests.losses,
            ]
        )
        found: dict[bytes, int] = {}
        kind = np.full(design.n_own // self.size, -1)
        rows: list[IntArray] = []
        for own in np.split(order, np.flatnonzero(np.diff(of)) + 1):
            if not len(own):
                continue
            number = found.setdefault(content[own].tobytes(), len(found))
            kind[design.first[own[0]] // self.size] = number
            if number == len(rows):
                rows.append(own)
        return kind, rows

    @cached_property
    def _rows(self) -> tuple[Contests, FloatArray]:
        """Contests of n kinds of R rows each, where a kind has fewer those of nobody; and Z, float[n, R, J]."""
        design, kinds = self.contests.design, self._sorted[1]
        n, most = len(kinds), max(map(len, kinds), default=0)
        at = np.full((n, most), -1)
        for k, own in enumerate(kinds):
            at[k, : len(own)] = own
        used = at >= 0
        z = np.zeros((n, most, self.size))
        kind, row = np.nonzero(used)
        z[kind, row, design.first[at[used]] % self.size] = 1.0
        z[kind, row, design.second[at[used]] % self.size] = -1.0
        one, flat = np.full(at.size, -1), at.ravel()
        dense = np.where(flat[:, None] >= 0, design.dense[flat], 0.0)
        offset = np.where(flat >= 0, design.offset[flat], 0.0)
        wins, losses = (np.where(flat >= 0, y[flat], 0.0) for y in (self.contests.wins, self.contests.losses))
        return Contests(Design(one, one, dense, offset, design.names[design.n_own :]), wins, losses), z

    def at(self, phi: FloatArray) -> SetsPoint:
        """The kinds of sets at b and log sigma, or at b alone, where sigma is 0."""
        contests, z = self._rows
        p = contests.design.dense.shape[1]
        sigma = float(np.exp(phi[p])) if len(phi) > p else 0.0
        n, most = z.shape[:2]
        fixed = contests.design.predictor(phi[:p]).reshape(n, most)
        parts = max(1, int(np.ceil(n * most * float(max(most, len(phi), self.size)) / MOST_NUMBERS)))
        found = []
        for part in np.array_split(np.arange(n), min(parts, max(n, 1))):
            block = _Block(self.link, contests, most, part, fixed[part], sigma * z[part])
            found.append(
                block.integrated(self.rough)
                if self.method == "quadrature" and sigma and n
                else block.laplace()
            )
        values, scores, second, effects = (np.concatenate(each) for each in zip(*found))
        m = len(phi)
        return SetsPoint(values, scores[:, :m], second[:, :m, :m], sigma * effects, self.kind)


@dataclass(frozen=True, eq=False)
class SetsPoint:
    """Kinds of sets at one place.
    log_probabilities float[n]: marginal log-likelihoods, without binomial coefficients.  scores float[n, m].  second
    float[n, m, m]: second derivatives.  effects float[n, J]: modes, or posterior means by quadrature.  kind int[number
    of sets]: of each set, -1 for one without contests."""

    log_probabilities: FloatArray
    scores: FloatArray
    second: FloatArray
    effects: FloatArray
    kind: IntArray

    def of_all(self) -> Marginal:
        """All sets together."""
        kind = self.kind[self.kind >= 0]
        effects = np.zeros((len(self.kind), self.effects.shape[1]))
        effects[self.kind >= 0] = self.effects[kind]
        w = np.bincount(kind, minlength=len(self.scores)).astype(float)
        value = float(w @ self.log_probabilities)
        return Marginal(value, w @ self.scores, effects.ravel(), None, np.tensordot(w, self.second, 1))


_Numbers = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


class _Block:
    """Some kinds of sets at one place: G kinds of R rows.  fixed float[G, R]: eta without effects.  v float[G, R, J]."""

    def __init__(
        self, chosen: Link, contests: Contests, most: int, part: IntArray, fixed: FloatArray, v: FloatArray
    ) -> None:
        self.link, self.fixed, self.v = chosen, fixed, v
        rows = (part[:, None] * most + np.arange(most)).ravel()
        self.contests = Contests(contests.design.subset(rows), contests.wins[rows], contests.losses[rows])
        self.x = self.contests.design.dense.reshape(*fixed.shape, contests.design.dense.shape[1])
        self.wins, self.losses = (y.reshape(fixed.shape) for y in (self.contests.wins, self.contests.losses))
        self.c = self._mode()
        self.eta = fixed + np.einsum("grj,gj->gr", v, self.c)
        self.score, self.w, self.t, self.q = self._terms(self.eta)

    def _terms(self, eta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """dl/d eta, w, t and q of all rows, float[G, R] each."""
        found: RowTerms = row_terms(self.contests, self.link, eta.ravel())
        first, second = found.score.reshape(eta.shape), found.curvature.reshape(eta.shape)
        return first, second, found.third.reshape(eta.shape), found.fourth.reshape(eta.shape)

    def _height(self, eta: FloatArray, c: FloatArray) -> FloatArray:
        """float[G]: l(eta) - c'c / 2."""
        log_cdf = self.link.log_cdf
        rows = self.wins * log_cdf(eta) + self.losses * log_cdf(-eta)
        return np.asarray(rows.sum(axis=1) - 0.5 * (c**2).sum(axis=1))

    def _mode(self) -> FloatArray:
        """float[G, J]: c at its mode, by Newton's method with steps of their own."""
        v, one = self.v, np.eye(self.v.shape[2])
        c, best = np.zeros((len(v), v.shape[2])), np.inf
        eta = self.fixed
        here = self._height(eta, c)
        for _ in range(MOST):
            score, w, _, _ = self._terms(eta)
            slope = np.einsum("grj,gr->gj", v, score) - c
            step = np.linalg.solve(one + np.swapaxes(v, 1, 2) @ (w[:, :, None] * v), slope[:, :, None])[
                :, :, 0
            ]
            decrement = (step * slope).sum(axis=1)
            largest = float(decrement.max(initial=0.0))
            if largest < TOLERANCE or (largest < 1e-10 and largest > 0.1 * best):
                return c
            best, length = min(best, largest), np.ones(len(v))
            while True:
                there = c + length[:, None] * step
                eta = self.fixed + np.einsum("grj,gj->gr", v, there)
                after = self._height(eta, there)
                short = (after < here) & (decrement >= 1e-6) & (length >= 1e-12)
                if not short.any():
                    break
                length[short] /= 2.0
            c, here = there, after
        raise ConvergenceError(f"no mode of the random effects of {len(v)} sets was reached in {MOST} steps")

    def laplace(self) -> _Numbers:
        """Laplace's log L, its score, its second derivatives, and the modes of c."""
        v, c, w, t, score = self.v, self.c, self.w, self.t, self.score
        g, p, size = len(v), self.x.shape[2], v.shape[2]
        m = np.eye(size) + np.swapaxes(v, 1, 2) @ (w[:, :, None] * v)
        inverse = np.linalg.inv(m)
        along = np.einsum("grj,gj->gr", v, c)
        direct = np.concatenate([self.x, along[:, :, None]], axis=2)  # d_j
        pull = -np.swapaxes(v, 1, 2) @ (w[:, :, None] * direct)
        pull[:, :, p] += c
        moves = inverse @ pull  # c_j
        slopes = direct + v @ moves  # eta_j
        last = np.zeros(p + 1)
        last[p] = 1.0
        second = -np.swapaxes(slopes, 1, 2) @ (w[:, :, None] * direct)
        of_c = np.einsum("gj,gjk->gk", c, moves) + (c**2).sum(axis=1)[:, None] * last
        second[:, :, p] += of_c
        hat = v @ inverse @ np.swapaxes(v, 1, 2)  # P
        a = np.diagonal(hat, axis1=1, axis2=2)
        change = t[:, :, None] * slopes + 2.0 * w[:, :, None] * last  # g_j
        y = np.einsum("gij,gj->gi", inverse, np.einsum("grj,gr->gj", v, a * t))
        back = np.einsum("grj,gj->gr", v, y)
        bent = np.swapaxes(slopes, 1, 2) @ ((a * self.q - back * t)[:, :, None] * slopes)
        bent -= np.swapaxes(change, 1, 2) @ (hat**2 @ change)
        f = np.einsum("gj,gjk->gk", y, moves) + np.einsum("gr,grk->gk", 2.0 * a * t - back * w, slopes)
        bent[:, :, p] += f
        bent[:, p, :] += f
        bent[:, p, p] += 2.0 * (y * c).sum(axis=1) + 4.0 * (a * w).sum(axis=1)
        second = 0.5 * (second + np.swapaxes(second, 1, 2)) - 0.5 * bent
        gradient = np.einsum("gr,grk->gk", score, direct) - 0.5 * np.einsum("gr,grk->gk", a, change)
        value = self._height(self.eta, c) - 0.5 * np.linalg.slogdet(m)[1]
        return value, gradient, second, c.reshape(g, size)

    def integrated(self, rough: bool) -> _Numbers:
        """log L by quadrature, its score, its second derivatives, and the posterior means of c."""
        found = [self._one(k, *ball(self.v.shape[2] - 1, rough)) for k in range(len(self.v))]
        values, scores, second, effects = (np.array(each) for each in zip(*found))
        return values, scores, second, effects

    def _one(
        self, k: int, points: FloatArray, step: float
    ) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        size = self.v.shape[2]
        here = (self.wins[k] + self.losses[k]) > 0.0
        h, x = helmert(size), self.x[k][here]
        v = self.v[k][here] @ h
        wins, losses, fixed = self.wins[k][here], self.losses[k][here], self.fixed[k][here]
        centre = h.T @ self.c[k]
        information = np.eye(size - 1) + v.T @ (self.w[k][here][:, None] * v)
        spread = np.linalg.inv(np.linalg.cholesky(information)).T  # L^-T
        top = float(self._height(self.eta, self.c)[k])
        p = x.shape[1]
        mass, mean, crossed = 0.0, np.zeros(p + 1), np.zeros((p + 1, p + 1))
        curved = np.zeros((2, len(fixed)))
        square, effects = 0.0, np.zeros(size - 1)
        for start in range(0, len(points), CHUNK):
            c = centre + points[start : start + CHUNK] @ spread.T
            along = c @ v.T
            density, gaps, curvature, near = _pointwise(self.link, wins, losses, fixed + along, c, top)
            along, c = along[near], c[near]
            s = np.column_stack([gaps @ x, (gaps * along).sum(axis=1)])
            mass += float(density.sum())
            mean += density @ s
            crossed += (density[:, None] * s).T @ s
            bent = curvature * along
            curved += np.stack([density @ curvature, density @ bent])
            square += float(density @ (bent * along).sum(axis=1))
            effects += density @ c
        mean, curved = mean / mass, curved / mass
        second = crossed / mass - np.outer(mean, mean)
        second[:p, :p] -= (x * curved[0][:, None]).T @ x
        across = curved[1] @ x
        second[p, :p] -= across
        second[:p, p] -= across
        second[p, p] += mean[p] - square / mass
        volume = (size - 1) * np.log(step / np.sqrt(2.0 * np.pi)) + float(
            np.log(np.abs(np.diag(spread))).sum()
        )
        return top + float(np.log(mass)) + volume, mean, second, h @ (effects / mass)


def _pointwise(
    chosen: Link, wins: FloatArray, losses: FloatArray, eta: FloatArray, c: FloatArray, top: float
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Of the points that matter exp(l - c'c/2 - top), dl/d eta and -d2l/d eta2, float[k, r]; and which they are."""
    below = 0.5 * (c**2).sum(axis=1) + top
    if chosen.name == "logit" and float(np.abs(eta).max(initial=0.0)) < LARGEST:  # one exponential for all
        small, n = np.exp(-eta), wins + losses
        log = -(np.log1p(small) @ n) - eta @ losses - below
        near = np.flatnonzero(log > -DEPTH)
        small = small[near]
        p = 1.0 / (1.0 + small)
        return np.exp(log[near]), wins - n * p, n * (small * p * p), near
    log = chosen.log_cdf(eta) @ wins + chosen.log_cdf(-eta) @ losses - below
    near = np.flatnonzero(log > -DEPTH)
    (up, up2), (down, down2) = chosen.derivatives(eta[near]), chosen.derivatives(-eta[near])
    return np.exp(log[near]), wins * up - losses * down, -wins * up2 - losses * down2, near


@lru_cache(maxsize=8)
def ball(dimension: int, rough: bool = False) -> tuple[FloatArray, float]:
    """Points of the grid within its radius, float[n, dimension], and its step."""
    radius, step = GRIDS[dimension]
    radius, step = (0.7 * radius, 1.6 * step) if rough else (radius, step)
    axis = step * np.arange(-int(radius / step), int(radius / step) + 1)
    points = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    return points[(points**2).sum(axis=1) <= (1.1 * radius) ** 2], step


def helmert(size: int) -> FloatArray:
    """Columns that are orthonormal, and orthogonal to 1.  size: J. Returns float[J, J - 1]."""
    found = np.zeros((size, size - 1))
    for k in range(1, size):
        found[:k, k - 1], found[k, k - 1] = 1.0, -k
        found[:, k - 1] /= np.sqrt(k * (k + 1.0))
    return found
