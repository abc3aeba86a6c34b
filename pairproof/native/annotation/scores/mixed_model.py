"""Linear mixed models of scores by restricted maximum likelihood, and effects that a design cannot
distinguish.

    y = X b + sum_k Z_k u_k + e,   u_k ~ N(0, t_k I),   e_i ~ N(0, s_g(i)^2)
    REML: -1/2 [(n - p) log 2 pi + log|V| + log|X'V^-1 X| + r'V^-1 r]        (Patterson and Thompson 1971)

The variances are found by Newton steps on their logs with the average information, halved until the
log-likelihood rises. A variance that falls towards 0 while the log-likelihood rises is taken as exactly 0,
its effect leaves the model, and at the end the derivative at 0 is looked at again: a boundary that is no
maximum is left.

The same models are R's lmer (one residual variance) and lme with varIdent (one for each group). The residual
standard deviations of groups can be held together by a normal prior on their logs, log s_g ~ N(mean,
spread^2) with the mean estimated: without it a group of few rows can have a deviation of nearly 0, and then
it decides everything.

Two random effects with the same groups have one variance between them, and an effect with a group for each
score has one with the residual: only the sum is determined. Annotators who share no item with the others,
directly or through further annotators, are compared by supposing that their items are alike; no score says
so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ....errors import ConvergenceError, InputError, NotEstimableError
from ..beta import FloatArray, IntArray
from .mixed_equations import Layout, Likelihood, Solved, derivatives, layout, nested_in, solve

#: Names that a sentence lists before it says how many more there are.
LISTED = 4


def same_groups(a: IntArray, b: IntArray) -> bool:
    """Whether two effects have the same groups of scores, under whatever numbers.  `a`, b int[n]: from 0."""
    size, other = int(a.max()) + 1, int(b.max()) + 1
    return size == other and all(nested_in(x, size, y) is not None for x, y in ((a, b), (b, a)))


def told_apart(effects: Mapping[str, IntArray]) -> tuple[dict[str, IntArray], list[str]]:
    """The random effects without those that others or the residual contain, and a sentence for each left out.
    effects: of two with the same groups the later one stays."""
    kept, cautions, names = dict(effects), [], list(effects)
    for k, name in enumerate(names):
        labels = effects[name]
        if int(labels.max()) + 1 == len(labels):
            cautions.append(
                f"every {name} has one score: the variances of {name} and residual cannot be distinguished, and residual is"
                " both"
            )
            del kept[name]
            continue
        for other in names[k + 1 :]:
            if same_groups(labels, effects[other]):
                cautions.append(
                    f"{name} and {other} are the same groups of scores: their variances cannot be distinguished, and"
                    f" {other} is both"
                )
                del kept[name]
                break
    return kept, cautions


def groups_without_common_items(item: IntArray, annotator: IntArray) -> IntArray:
    """int[n_annotators]: which set of annotators each belongs to; no item was judged in two sets.
    item, annotator int[n]: from 0."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n, m = int(annotator.max()) + 1, int(item.max()) + 1
    joined = csr_matrix((np.ones(len(item)), (annotator, n + item)), (n + m, n + m))
    found: IntArray = connected_components(joined, directed=False)[1][:n].astype(np.int64)
    return np.unique(found, return_inverse=True)[1].ravel().astype(np.int64)


def not_joined(item: IntArray, annotator: IntArray, names: Sequence[str]) -> str:
    """A sentence on annotators whom no chain of items joins with the others; "" if all are joined.
    item, annotator int[n]: from 0."""
    sets = groups_without_common_items(item, annotator)
    count = int(sets.max()) + 1
    if count == 1:
        return ""
    shown = [f"({listed([n for n, own in zip(names, sets) if own == k])})" for k in range(min(count, LISTED))]
    return (
        f"{count} sets of annotators share no item: {', '.join(shown)}{', ...' if count > LISTED else ''}; their"
        " locations, and the scores of their items, compare only if the items of the sets are alike"
    )


def listed(names: Sequence[str]) -> str:
    """Names with commas, the first four of many."""
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")


#: A variance this small beside that of the scores, and still falling, is 0.
ZERO = 1e-7
#: Relative information below which a direction is flat: aliased effects leave 1e-15, the least else is .2.
FLAT = 1e-10
#: Longest change of a log variance in a step.
LONGEST = 2.0
#: Squared length of the last step in standard errors of the log variances; the error left is far smaller.
TOLERANCE = 1e-20
#: The average information converges linearly: 10 to 40 steps on everything tried.
MAX_STEPS = 300


@dataclass(frozen=True, eq=False)
class MixedFit:
    """A fitted mixed model.
    coefficients float[p]: of the columns of X. covariance float[p, p]: of the coefficients, the variances
    taken as known.  variances float[k]: of the random effects; exactly 0 at the boundary.  residual
    float[n_groups]: residual variances.  loglik: restricted or full log-likelihood, the prior not in it.
    predictions: best linear unbiased predictions of each random effect.  conditional_sd: of the random
    effects given the scores and the coefficients, as lme4's condVar.  _solved: the equations at the maximum,
    of the scores brought to standard deviation 1.  _active: random effects whose variance is not 0."""

    coefficients: FloatArray
    covariance: FloatArray
    variances: FloatArray
    residual: FloatArray
    loglik: float
    likelihood: Likelihood
    predictions: tuple[FloatArray, ...]
    conditional_sd: tuple[FloatArray, ...]
    steps: int
    _solved: Solved
    _active: tuple[int, ...]
    _scale: float

    def sum_with(self, fixed: ArrayLike, effect: int) -> tuple[FloatArray, FloatArray]:
        """A fixed combination plus every level of one random effect: mean plus item is the item's score.
        fixed float[p]: multiplies the coefficients.  Returns value, se float[q_k]: the standard error is that
        of the prediction: the fixed part is not taken as known."""
        x = np.asarray(fixed, np.float64)
        value = float(x @ self.coefficients) + self.predictions[effect]
        if effect not in self._active:
            return value, np.full(len(value), float(np.sqrt(x @ self.covariance @ x)))
        s, k = self._solved, self._active.index(effect)
        corner = slice(s.n_random, s.n_random + len(x))
        if k in (s.at.big, s.at.outer):
            both = -s.carried(k, s.inverse[:, corner] @ x)
        else:
            both = s.inverse[s.at.columns(k), corner] @ x
        variance = s.block_variances(k, s.inverse) + 2.0 * both + x @ s.inverse[corner, corner] @ x
        return value, self._scale * np.sqrt(variance)


def mixed_model(
    y: ArrayLike,
    effects: Sequence[ArrayLike],
    fixed: ArrayLike | None = None,
    group: ArrayLike | None = None,
    likelihood: Likelihood = "REML",
    prior_spread: float | None = None,
    names: Sequence[str] | None = None,
) -> MixedFit:
    """Fit a linear mixed model with crossed or nested random intercepts.
    y float[n]: scores.  effects: level of each random effect of each row, from 0.  fixed float[n, p]: X; a
    column of ones by default.  group int[n]: residual variance of each row, from 0; one for all by default.
    prior_spread: standard deviation of the prior on log residual standard deviations; none by default."""
    scores = np.asarray(y, np.float64)
    n = len(scores)
    x = np.ones((n, 1)) if fixed is None else np.asarray(fixed, np.float64)
    labels = [np.asarray(e, np.int64) for e in effects]
    who = np.zeros(n, np.int64) if group is None else np.asarray(group, np.int64)
    _check(scores, x, labels, who)
    # Scores are brought to mean 0 and deviation 1, so that "small" means the same on every scale.
    middle, scale = float(scores.mean()), float(scores.std())
    z = (scores - middle) / scale
    shift = np.linalg.lstsq(x, np.full(n, middle), rcond=None)[0]
    sizes = [int(label.max()) + 1 for label in labels]
    search = _Search(z, x, labels, sizes, who, likelihood, prior_spread)
    search.check_told_apart(names or [f"random effect {k + 1}" for k in range(len(labels))])
    solved, active, steps = search.run()
    p = x.shape[1]
    variances = np.zeros(len(labels))
    variances[list(active)] = solved.tau * scale**2
    predictions = [np.zeros(size) for size in sizes]
    deviations = [np.zeros(size) for size in sizes]
    for own, k in enumerate(active):
        predictions[k] = solved.random(own) * scale
        deviations[k] = scale * np.sqrt(_given_fixed(solved, own))
    corner = slice(solved.n_random, None)
    loglik = solved.loglik - (n - p if likelihood == "REML" else n) * float(np.log(scale))
    estimate, covariance = solved.effects[corner] * scale + shift, solved.inverse[corner, corner] * scale**2
    spread = (variances, solved.sigma * scale**2, loglik)
    levels = (tuple(predictions), tuple(deviations))
    return MixedFit(estimate, covariance, *spread, likelihood, *levels, steps, solved, active, scale)


def _check(y: FloatArray, x: FloatArray, labels: Sequence[IntArray], group: IntArray) -> None:
    n = len(y)
    if x.ndim != 2 or len(x) != n or len(group) != n or any(len(label) != n for label in labels):
        raise InputError(
            f"mixed model: {n} scores, {len(x)} rows of X, {len(group)} groups and"
            f" {', '.join(str(len(label)) for label in labels)} labels; expected as many of each"
        )
    if not np.isfinite(y).all():
        k = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InputError(f"mixed model: score number {k + 1} is {y[k]}; leave it out")
    if n <= x.shape[1] + 1:
        raise NotEstimableError(f"mixed model: {n} scores for {x.shape[1]} fixed effects and the variances")
    if np.ptp(y) == 0.0:
        raise NotEstimableError(f"mixed model: all {n} scores are {y[0]:g}; nothing varies")
    rank = int(np.linalg.matrix_rank(x))
    if rank < x.shape[1]:
        raise NotEstimableError(f"mixed model: the {x.shape[1]} fixed effects have rank {rank}")
    if np.linalg.matrix_rank(np.column_stack([x, np.ones(n)])) > rank:
        raise InputError("mixed model: the fixed effects have no constant: add one, or a level for every row")


def _given_fixed(solved: Solved, k: int) -> FloatArray:
    """float[q_k]: variances of a random effect given the coefficients: X's rows and columns leave C."""
    m = solved.n_random
    cross, corner = solved.inverse[:m, m:], solved.inverse[m:, m:]
    spread = np.zeros_like(solved.inverse)
    spread[:m, :m] = solved.inverse[:m, :m] - cross @ np.linalg.solve(corner, cross.T)
    return solved.block_variances(k, spread)


@dataclass(eq=False)
class _Search:
    """The search for the variances of a mixed model."""

    y: FloatArray
    x: FloatArray
    labels: Sequence[IntArray]
    sizes: Sequence[int]
    group: IntArray
    likelihood: Likelihood
    prior_spread: float | None

    def __post_init__(self) -> None:
        self.n_groups, self.steps = int(self.group.max()) + 1, 0

    def check_told_apart(self, names: Sequence[str]) -> None:
        """Refuse variances that the design cannot distinguish for any scores.
        With sum c_k P V_k P = 0 the restricted likelihood is flat along c, and where the search ends depends
        on where it began.  The average information of any scores is then singular; scores drawn at random
        have no other reason for it."""
        every = range(len(self.sizes))
        drawn = replace(self._layout(every), y=np.random.default_rng(0).normal(size=len(self.y)))
        start = solve(drawn, np.full(len(self.sizes), 0.2), np.full(self.n_groups, 0.5), self.likelihood)
        _, information = derivatives(start)
        size = np.diag(information).copy()
        inside = [names[k] for k in every if not size[k] > FLAT * float(size.max())]
        if inside:
            raise NotEstimableError(
                f"mixed model: the fixed effects contain {' and '.join(inside)}, so that no variance of it can be estimated"
            )
        root = np.sqrt(np.maximum(size, FLAT * float(size.max())))
        values, vectors = np.linalg.eigh(information / np.outer(root, root))
        if values[0] < FLAT:
            part = np.abs(vectors[:, 0])
            alike = [names[k] for k in every if part[k] > 0.1]
            alike += ["residual"] if (part[len(self.sizes) :] > 0.1).any() else []
            raise NotEstimableError(
                f"mixed model: the variances of {' and '.join(alike) or 'the groups'} cannot be"
                " distinguished in these data:"
                " leave one of them out"
            )

    def run(self) -> tuple[Solved, tuple[int, ...], int]:
        """The equations at the maximum, the random effects whose variance is not 0, and the steps taken."""
        active = tuple(range(len(self.sizes)))
        log_tau, log_sigma = np.full(len(active), np.log(0.2)), np.full(self.n_groups, np.log(0.5))
        restored: set[int] = set()
        while True:
            at = self._layout(active)
            solved, fallen = self._climb(at, log_tau, log_sigma)
            log_tau, log_sigma = np.log(solved.tau), np.log(solved.sigma)
            if fallen is not None:
                active = tuple(k for j, k in enumerate(active) if j != fallen)
                log_tau = np.delete(log_tau, fallen)
                continue
            back = self._leaves_zero(active, solved, restored)
            if back is None:
                return solved, active, self.steps
            restored.add(back)
            place = sum(k < back for k in active)
            active = (*active[:place], back, *active[place:])
            log_tau = np.insert(log_tau, place, np.log(1e-3))

    def _layout(self, active: Sequence[int]) -> Layout:
        labels, sizes = [self.labels[k] for k in active], [self.sizes[k] for k in active]
        return layout(self.y, self.x, labels, sizes, self.group)

    def _leaves_zero(self, active: tuple[int, ...], solved: Solved, restored: set[int]) -> int | None:
        """A random effect at 0 whose variance raises the log-likelihood after all."""
        for k in range(len(self.sizes)):
            if k in active or k in restored:
                continue
            place = sum(j < k for j in active)
            trial = (*active[:place], k, *active[place:])
            tau = np.insert(solved.tau, place, 10 * ZERO)
            gradient, _ = derivatives(solve(self._layout(trial), tau, solved.sigma, self.likelihood))
            if gradient[place] > 1e-9:
                return k
        return None

    def _climb(self, at: Layout, log_tau: FloatArray, log_sigma: FloatArray) -> tuple[Solved, int | None]:
        """Newton steps; ends at the maximum, or where a variance has fallen to 0 (its place)."""
        k, phi = len(log_tau), np.concatenate([log_tau, log_sigma])
        now = self._solve(at, phi)
        while True:
            gradient, information = self._derivatives(now, phi)
            falling = (now.tau < ZERO) & (gradient[:k] < 0)
            if falling.any():
                return now, int(np.argmin(np.where(falling, now.tau, np.inf)))
            if (now.sigma < 1e-10).any():
                said = "a residual variance falls to 0: some scores are explained without error"
                raise NotEstimableError(f"mixed model: {said}")
            step = _solved_step(information, gradient)
            decrement = float(gradient @ step)
            step = step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
            if decrement < TOLERANCE:
                return now, None
            before = now.loglik + self._log_prior(phi)
            size = 1.0
            while True:
                self.steps += 1
                after = self._solve(at, phi + size * step)
                gain = after.loglik + self._log_prior(phi + size * step) - before
                if gain >= 0 or (decrement < 1e-9 and gain > -1e-9 * max(1.0, abs(before))):
                    break
                size /= 2
                if size < 1e-6 or self.steps > MAX_STEPS:
                    said = f"the log-likelihood {before:.6f} cannot be raised (decrement {decrement:.2g})"
                    raise ConvergenceError(f"mixed model: {said}")
            phi, now = phi + size * step, after
            if self.steps > MAX_STEPS:
                raise ConvergenceError(f"mixed model: no maximum after {MAX_STEPS} steps")

    def _solve(self, at: Layout, phi: FloatArray) -> Solved:
        k = len(at.sizes)
        return solve(at, np.exp(phi[:k]), np.exp(phi[k:]), self.likelihood)

    def _log_prior(self, phi: FloatArray) -> float:
        if self.prior_spread is None:
            return 0.0
        log_s = phi[-self.n_groups :] / 2.0
        return -0.5 * float(np.sum((log_s - log_s.mean()) ** 2)) / self.prior_spread**2

    def _derivatives(self, now: Solved, phi: FloatArray) -> tuple[FloatArray, FloatArray]:
        gradient, information = derivatives(now)
        if self.prior_spread is not None:
            own, m = slice(len(phi) - self.n_groups, None), self.n_groups
            log_s = phi[own] / 2.0
            gradient[own] -= (log_s - log_s.mean()) / (2.0 * self.prior_spread**2)
            information[own, own] += (np.eye(m) - 1.0 / m) / (4.0 * self.prior_spread**2)
        return gradient, information


def _solved_step(information: FloatArray, gradient: FloatArray) -> FloatArray:
    """The Newton step; where the information is nearly singular, in the directions that it determines."""
    values, vectors = np.linalg.eigh(information)
    floor = max(float(values[-1]) * 1e-10, 1e-10)
    return np.asarray(vectors @ ((vectors.T @ gradient) / np.maximum(values, floor)))
