"""Davidson's model of ties with a design per contest: maximum likelihood, reduced bias, and generalised.

    P(win) : P(tie) : P(loss) = exp(eta / 2) : exp(g) : exp(-eta / 2),    eta = x'b + offset,  g = z'c

(Davidson 1970, JASA 65, 317-328; exp(g) = nu).  Given the number of contests this is a multinomial logit, so
that mean bias reduction is the maximum of the likelihood penalised by Jeffreys' prior (Firth 1993, section
3.1), with the gradient of log det I / 2: with the statistics d_o = (a_o x, b_o z) of outcome o minus their
mean, sum over contests and outcomes of n p_o (d_o'I^-1 d_o) d_o / 2.  The Poisson form, with a constant for
every pair, has another penalty and other estimates.

Generalised (BradleyTerry2's `GenDavidson`), with u the log-odds of the first player (home advantage and all),
log utilities of win and loss are u/2 and -u/2, and that of a tie is

    g = c + s H(p) + s (p - 1/2) u + (1 - s) log(2 cosh(u/2)),    H(p) = -p log p - (1 - p) log(1 - p)

Davidson's model is s = 1, p = 1/2, with nu = 2 exp(c).  plogis(c) is the largest probability of a tie, p =
plogis(m) the probability of a win of the first player, given that there is a winner, at which it is reached;
s says how fast ties grow rarer away from there: s = 0 not at all.  c, m and log s are linear in columns of
their own; m of a contest at nobody's home is 0.  It is fitted by Newton's method with the exact observed
information, started at Davidson's model, whose likelihood is concave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....errors import ConvergenceError, InputError, NotEstimableError
from ....fit.estimates.fit_record import listed
from ....numerics.arrays import FloatArray
from ....numerics.maxima import Estimated, Solution, cholesky_of, flat_names, maximise, raised_cholesky
from .contest_design import Contests, Design
from .maximum_likelihood import refuse_aliased, separation
from .reduced_bias import covariance_of, root


def _log_shares(utility: FloatArray) -> FloatArray:
    """float[n, 3]: log-probabilities of outcomes with these utilities."""
    top = utility.max(axis=1, keepdims=True)
    return np.asarray(utility - top - np.log(np.exp(utility - top).sum(axis=1, keepdims=True)))


class _Outcomes:
    """Wins, ties and losses of the first player in n contests, each float[n]."""

    design: Design
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray

    @property
    def counts(self) -> FloatArray:
        """float[n, 3]: wins, ties, losses."""
        return np.column_stack([self.wins, self.ties, self.losses])

    def _check_counts(self) -> None:
        n = self.design.n_rows
        for what in ("wins", "ties", "losses"):
            values = np.asarray(getattr(self, what), dtype=float)
            if values.shape != (n,) or not (np.isfinite(values) & (values >= 0)).all():
                raise InputError(f"{what}: expected {n} finite numbers >= 0, found {values.tolist()[:5]}")
            object.__setattr__(self, what, values)


@dataclass(frozen=True, eq=False)
class TiedContests(_Outcomes):
    """Outcomes of contests that may be tied, and their design.
    design: of n rows and p parameters b.  tie_columns float[n, q]: columns z of the tie parameter; a column
    of 1 for Davidson's model.  tie_names: of these q columns.  wins, ties, losses float[n]: of the first
    player, >= 0."""

    design: Design
    tie_columns: FloatArray
    tie_names: tuple[str, ...]
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray

    def __post_init__(self) -> None:
        n = self.design.n_rows
        if self.tie_columns.shape != (n, len(self.tie_names)):
            raise InputError(
                f"tie_columns: shape {self.tie_columns.shape}; expected {(n, len(self.tie_names))}"
            )
        self._check_counts()

    @property
    def names(self) -> tuple[str, ...]:
        """Of the p + q parameters."""
        return self.design.names + self.tie_names


@dataclass(frozen=True, eq=False)
class TiedPoint:
    """The log-likelihood of contests with ties at one place.  theta float[p + q]."""

    contests: TiedContests
    theta: FloatArray

    @cached_property
    def log_probabilities(self) -> FloatArray:
        """float[n, 3]: of win, tie, loss."""
        p = len(self.contests.design.names)
        eta = self.contests.design.predictor(self.theta[:p])
        utility = np.column_stack([eta / 2.0, self.contests.tie_columns @ self.theta[p:], -eta / 2.0])
        return _log_shares(utility)

    @property
    def value(self) -> float:
        """The log-likelihood, without multinomial coefficients."""
        return float((self.contests.counts * self.log_probabilities).sum())

    @cached_property
    def deviations(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """p_o, a_o and b_o, each float[n, 3]: probabilities, statistics minus their means."""
        p = np.exp(self.log_probabilities)
        a = np.array([0.5, 0.0, -0.5]) - 0.5 * (p[:, :1] - p[:, 2:])
        b = np.array([0.0, 1.0, 0.0]) - p[:, 1:2]
        return p, a, b

    def _onto(self, along: FloatArray, tied: FloatArray) -> FloatArray:
        """sum_r (along_r x_r, tied_r z_r), float[p + q]."""
        return np.append(self.contests.design.transposed(along), tied @ self.contests.tie_columns)

    @property
    def score(self) -> FloatArray:
        """float[p + q]."""
        _, a, b = self.deviations
        return self._onto((self.contests.counts * a).sum(axis=1), (self.contests.counts * b).sum(axis=1))

    @property
    def information(self) -> FloatArray:
        """float[p + q, p + q]: observed and expected are the same."""
        p, a, b = self.deviations
        n, z, design = self.contests.counts.sum(axis=1), self.contests.tie_columns, self.contests.design
        k = len(design.names)
        found = np.empty((k + z.shape[1],) * 2)
        found[:k, :k] = design.gram(n * (p * a * a).sum(axis=1))
        found[k:, k:] = z.T @ ((n * (p * b * b).sum(axis=1))[:, None] * z)
        for j in range(z.shape[1]):
            found[:k, k + j] = design.transposed(n * (p * a * b).sum(axis=1) * z[:, j])
        found[k:, :k] = found[:k, k:].T
        return found

    def jeffreys(self, covariance: FloatArray) -> FloatArray:
        """Gradient of log det I / 2, float[p + q], given the inverse of I, float[p + q, p + q]."""
        p, a, b = self.deviations
        n, z, design = self.contests.counts.sum(axis=1), self.contests.tie_columns, self.contests.design
        k = len(design.names)
        xx = design.variances(covariance[:k, :k])[:, None]
        xz = (design.projected(covariance[:k, k:], slice(None)) * z).sum(axis=1)[:, None]
        zz = np.einsum("ij,ij->i", z @ covariance[k:, k:], z)[:, None]
        pull = 0.5 * n[:, None] * p * (a * a * xx + 2.0 * a * b * xz + b * b * zz)
        return self._onto((pull * a).sum(axis=1), (pull * b).sum(axis=1))


@dataclass(frozen=True, eq=False)
class TiedEstimate(Estimated):
    """An estimate of Davidson's model with a design per contest.
    names: of the p parameters of the design and the q of ties.  theta float[p + q].  covariance float[p + q,
    p + q]: inverse of the information of the plain likelihood at theta.  penalised: llf + log det I / 2.
    decrement: squared length, in standard errors, of the last step."""

    names: tuple[str, ...]
    theta: FloatArray
    covariance: FloatArray
    llf: float
    penalised: float
    steps: int
    decrement: float


def fit_tied(contests: TiedContests, reduced: bool = True) -> TiedEstimate:
    """The estimate of Davidson's model with a design per contest.
    reduced: whether bias is reduced (mean = Jeffreys); the estimate is then finite also where contests are
    separated or never tied."""

    def step_at(theta: FloatArray) -> tuple[FloatArray, float]:
        here = TiedPoint(contests, theta)
        covariance = _covariance(here)
        score = here.score + (here.jeffreys(covariance) if reduced else 0.0)
        step = covariance @ score
        return np.asarray(step), float(step @ score)

    def predictor(theta: FloatArray) -> FloatArray:
        k = len(contests.design.names)
        return np.append(contests.design.predictor(theta[:k]), contests.tie_columns @ theta[k:])

    found = root(step_at, np.zeros(len(contests.names)), predictor)
    here = TiedPoint(contests, found.theta)
    return TiedEstimate(
        contests.names,
        found.theta,
        _covariance(here),
        here.value,
        here.value + 0.5 * float(np.linalg.slogdet(here.information)[1]),
        found.steps,
        found.decrement,
    )


def _covariance(here: TiedPoint) -> FloatArray:
    try:
        return covariance_of(here.information)
    except np.linalg.LinAlgError:
        raise InputError(
            f"{', '.join(here.contests.names)}: some of them cannot be told apart in these contests, or are"
            " infinite; reduce the bias, or leave some out"
        ) from None


@dataclass(frozen=True, eq=False)
class GeneralTies(_Outcomes):
    """Outcomes of contests that may be tied, and the columns of every part of the model.
    design: of n rows: abilities, home advantage as a contest column (1 at the first player's home, -1 at the
    second's), covariates.  most float[n, q]: columns of c, the logit of the largest probability of a tie.
    mode float[n, r]: columns of m, home differences; none (p = 1/2) without a shift.  scale float[n, t]:
    columns of log s; none (s = 1) without a scale.  wins, ties, losses float[n]: of the first player, >=
    0."""

    design: Design
    most: FloatArray
    most_names: tuple[str, ...]
    mode: FloatArray
    mode_names: tuple[str, ...]
    scale: FloatArray
    scale_names: tuple[str, ...]
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray

    def __post_init__(self) -> None:
        n = self.design.n_rows
        for what in ("most", "mode", "scale"):
            shape = getattr(self, what).shape
            if shape != (n, len(getattr(self, f"{what}_names"))):
                raise InputError(
                    f"{what}: shape {shape}; expected {(n, len(getattr(self, f'{what}_names')))}"
                )
        self._check_counts()

    @property
    def names(self) -> tuple[str, ...]:
        """Of all parameters."""
        return self.design.names + self.most_names + self.mode_names + self.scale_names

    @property
    def totals(self) -> FloatArray:
        """float[n]: contests of each row."""
        return self.wins + self.ties + self.losses


def general_ties(
    design: Design,
    wins: FloatArray,
    ties: FloatArray,
    losses: FloatArray,
    home: FloatArray | None = None,
    shift: bool = False,
    scale: bool = False,
) -> GeneralTies:
    """Contests under Davidson's model, shifted or scaled or both.
    wins, ties, losses float[n].  home float[n]: 1 where the first player is at home, -1 where the second is,
    0 at nobody's; needed for a shift.  shift: whether ties are most probable elsewhere than between equals,
    by who is at home.  scale: whether ties grow rarer away from there at another rate than Davidson's."""
    n = design.n_rows
    if shift and home is None:
        raise InputError("a shift of the ties is by who is at home; expected home, one number a contest")
    place = np.zeros(n) if home is None else np.asarray(home, dtype=float)
    if place.shape != (n,) or not np.isfinite(place).all():
        raise InputError(f"home: expected {n} finite numbers, found shape {place.shape}")
    one, none = np.ones((n, 1)), np.zeros((n, 0))
    return GeneralTies(
        design,
        one,
        ("tie.max",),
        place[:, None] if shift else none,
        ("tie.mode",) if shift else (),
        one if scale else none,
        ("tie.scale",) if scale else (),
        wins,
        ties,
        losses,
    )


@dataclass(frozen=True, eq=False)
class TiePoint:
    """The log-likelihood at one place, as `maximise` asks for it.  theta float[k]."""

    contests: GeneralTies
    theta: FloatArray

    @cached_property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """u, c, m and log s of each row, each float[n]."""
        own = self.contests
        sizes = [len(own.design.names), len(own.most_names), len(own.mode_names)]
        b, c, m, s = np.split(self.theta, np.cumsum(sizes))
        return own.design.predictor(b), own.most @ c, own.mode @ m, own.scale @ s

    @cached_property
    def _tie(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """g, float[n]; its first derivatives by u, c, m, log s, float[n, 4]; its second ones, float[n, 4, 4]."""
        u, c, m, log_s = self.parts
        m, log_s = np.clip(m, -700, 700), np.clip(log_s, -700, 700)  # the solver stops long before
        s, p, q = np.exp(log_s), 1.0 / (1.0 + np.exp(-m)), 1.0 / (1.0 + np.exp(m))
        entropy = p * np.logaddexp(0.0, -m) + q * np.logaddexp(0.0, m)
        half = np.tanh(u / 2.0) / 2.0
        cosh = np.abs(u) / 2.0 + np.log1p(np.exp(-np.abs(u)))
        value = c + s * entropy + s * (p - q) * u / 2.0 + (1.0 - s) * cosh
        first = np.zeros((len(u), 4))
        first[:, 0] = s * (p - q) / 2.0 + (1.0 - s) * half
        first[:, 1] = 1.0
        first[:, 2] = s * (u - m) * p * q
        first[:, 3] = s * (entropy + (p - q) * u / 2.0 - cosh)
        second = np.zeros((len(u), 4, 4))
        second[:, 0, 0] = (1.0 - s) * (0.25 - half**2)
        second[:, 0, 2] = second[:, 2, 0] = s * p * q
        second[:, 0, 3] = second[:, 3, 0] = s * ((p - q) / 2.0 - half)
        second[:, 2, 2] = s * p * q * ((u - m) * (q - p) - 1.0)
        second[:, 2, 3] = second[:, 3, 2] = first[:, 2]
        second[:, 3, 3] = first[:, 3]
        return value, first, second

    @cached_property
    def log_probabilities(self) -> FloatArray:
        """float[n, 3]: of win, tie, loss."""
        u = self.parts[0]
        utility = np.column_stack([u / 2.0, self._tie[0], -u / 2.0])
        return _log_shares(utility)

    @property
    def probabilities(self) -> FloatArray:
        """float[n, 3]: of win, tie, loss."""
        return np.asarray(np.exp(self.log_probabilities))

    @property
    def value(self) -> float:
        """The log-likelihood, without multinomial coefficients."""
        return float((self.contests.counts * self.log_probabilities).sum())

    @property
    def extent(self) -> float:
        """Largest of |u|, |c|, |m| and |log s|."""
        largest = max(float(np.abs(part).max(initial=0.0)) for part in self.parts)
        return largest if np.isfinite(self.value) else float("inf")

    @property
    def _local(self) -> tuple[FloatArray, FloatArray]:
        """Score, float[n, 4], and observed information, float[n, 4, 4], of each row by u, c, m, log s."""
        own, p = self.contests, self.probabilities
        n, (_, first, second) = own.totals, self._tie
        toward = np.zeros((len(n), 3, 4))  # derivatives of the utilities of win, tie, loss
        toward[:, 0, 0], toward[:, 1], toward[:, 2, 0] = 0.5, first, -0.5
        score = np.einsum("ro,rok->rk", own.counts - n[:, None] * p, toward)
        off = toward - np.einsum("ro,rok->rk", p, toward)[:, None]
        spread = np.einsum("r,ro,roj,rok->rjk", n, p, off, off)
        return score, spread - (own.ties - n * p[:, 1])[:, None, None] * second

    def _columns(self) -> tuple[FloatArray, ...]:
        return self.contests.most, self.contests.mode, self.contests.scale

    @property
    def score(self) -> FloatArray:
        """float[k]."""
        local = self._local[0]
        tied = [local[:, k + 1] @ columns for k, columns in enumerate(self._columns())]
        return np.concatenate([self.contests.design.transposed(local[:, 0]), *tied])

    @property
    def row_scores(self) -> FloatArray:
        """float[n, k]: the score of each row."""
        local, n = self._local[0], self.contests.design.n_rows
        tied = [local[:, [k + 1]] * columns for k, columns in enumerate(self._columns())]
        return np.hstack([local[:, [0]] * self.contests.design.rows(np.arange(n)), *tied])

    @property
    def information(self) -> FloatArray:
        """float[k, k]: minus the second derivatives; it need not be positive definite."""
        return self._over_columns(self._local[1])

    @property
    def expected_information(self) -> FloatArray:
        """float[k, k]: the expectation of minus the second derivatives, from which R's gnm takes standard errors."""
        own, p, (_, _, second) = self.contests, self.probabilities, self._tie
        off = own.ties - own.totals * p[:, 1]
        return self._over_columns(self._local[1] + off[:, None, None] * second)

    def _over_columns(self, local: FloatArray) -> FloatArray:
        """float[k, k]: float[n, 4, 4] by u, c, m, log s, summed over the rows by the parameters."""
        design = self.contests.design
        k = len(design.names)
        tied = np.hstack(self._columns())
        part = np.concatenate([np.full(c.shape[1], j + 1) for j, c in enumerate(self._columns())]).astype(int)
        found = np.empty((k + len(part),) * 2)
        found[:k, :k] = design.gram(local[:, 0, 0])
        for j, a in enumerate(part):
            found[:k, k + j] = found[k + j, :k] = design.transposed(local[:, 0, a] * tied[:, j])
            found[k + j, k:] = (local[:, a, part] * tied).T @ tied[:, j]
        return found

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The exact step where the information is positive definite, a shorter one elsewhere; the decrement.
        Returns float[k], float."""
        factor = raised_cholesky(self.information)
        half = np.linalg.solve(factor, self.score)
        return np.linalg.solve(factor.T, half), float(half @ half)


#: |u|, |c|, |m| or |log s| beyond this makes the solver ask why.
FAR = 20.0


@dataclass(frozen=True, eq=False)
class GeneralTiesEstimate(Estimated):
    """A maximum-likelihood estimate of the generalised Davidson model.
    theta float[k]: abilities and other columns of the design, then tie.max (logit of the largest probability
    of a tie), tie.mode (logit), tie.scale (log).  covariance float[k, k]: inverse of the observed
    information.  deviance: against probabilities of their own for every row.  decrement: squared length, in
    standard errors, of the last step.  score float[k].  expected_covariance float[k, k]: inverse of the
    expected information, which R's gnm reports."""

    names: tuple[str, ...]
    theta: FloatArray
    covariance: FloatArray
    llf: float
    deviance: float
    steps: int
    decrement: float
    score: FloatArray
    expected_covariance: FloatArray


def fit_general_ties(contests: GeneralTies) -> GeneralTiesEstimate:
    """The maximum-likelihood estimate of the generalised Davidson model."""
    _check(contests)
    none = np.zeros((contests.design.n_rows, 0))
    plain = replace(contests, mode=none, mode_names=(), scale=none, scale_names=())
    start = _solved(plain, np.zeros(len(plain.names)))
    found = start
    if plain.names != contests.names:
        rest = len(contests.names) - len(plain.names)
        found = _solved(contests, np.append(start.x, np.zeros(rest)))
    here = found.point
    covariance = _ties_covariance(here, here.information)
    # So far out, and less than a standard error from 0: the likelihood is flat towards infinity.
    tail = range(len(contests.names) - len(contests.mode_names + contests.scale_names), len(contests.names))
    gone = [k for k in tail if FAR / 4 < abs(found.x[k]) < np.sqrt(covariance[k, k])]
    if gone:
        raise _without_end(contests, found.steps, [f"{contests.names[k]} ({found.x[k]:.1f})" for k in gone])
    return GeneralTiesEstimate(
        contests.names,
        found.x,
        covariance,
        here.value,
        2.0 * (_saturated(contests) - here.value),
        start.steps + (found.steps if found is not start else 0),
        found.decrement,
        here.score,
        _ties_covariance(here, here.expected_information),
    )


def _check(contests: GeneralTies) -> None:
    total = contests.totals
    if not contests.ties.sum() > 0:
        raise NotEstimableError(
            f"{listed(contests.most_names, 8)}: there is no tie among {total.sum():g} contests, and the estimate is"
            " -infinite"
        )
    if not contests.wins.sum() + contests.losses.sum() > 0:
        raise NotEstimableError(
            f"{listed(contests.most_names, 8)}: all {total.sum():g} contests are tied, and the estimate is infinite"
        )
    refuse_aliased(Contests(contests.design, total, np.zeros(len(total))))


def _solved(contests: GeneralTies, start: FloatArray) -> Solution[TiePoint]:
    def evaluate(theta: FloatArray) -> TiePoint:
        return TiePoint(contests, theta)

    found = maximise(evaluate, start, FAR)
    if not found.trouble:
        return found
    half = contests.ties / 2.0
    why = separation(Contests(contests.design, contests.wins + half, contests.losses + half))
    if why is not None:
        raise NotEstimableError(
            f"{listed(why.infinite, 8)}: the estimate is infinite (separation): in {len(why.rows)} rows, the first of"
            f" them row {why.rows[0] + 1}, the result is certain in the limit. Leave the term out, pool, or reduce"
            " the bias"
        )
    tail = contests.most_names + contests.mode_names + contests.scale_names
    last = dict(zip(tail, found.x[-len(tail) :]))
    gone = [f"{name} ({value:.1f})" for name, value in last.items() if abs(value) > FAR / 2]
    raise _without_end(contests, found.steps, gone or [f"combination of {', '.join(last)}"])


def _without_end(contests: GeneralTies, steps: int, gone: Sequence[str]) -> ConvergenceError:
    ends = " or ".join(contests.mode_names + contests.scale_names) or "a term"
    return ConvergenceError(
        f"the likelihood still grows after {steps} steps, towards an infinite {' and '.join(gone)}: these contests do"
        f" not bound it. Leave out {ends}"
    )


def _ties_covariance(here: TiePoint, information: FloatArray) -> FloatArray:
    try:
        factor = cholesky_of(information)
    except np.linalg.LinAlgError:
        raise NotEstimableError(
            f"{listed(flat_names(information, here.contests.names), 8)}: the likelihood is flat along them at its"
            " maximum, so that they cannot be told apart; leave some of them out"
        ) from None
    half = np.linalg.solve(factor, np.eye(len(factor)))
    return np.asarray(half.T @ half)


def _saturated(contests: GeneralTies) -> float:
    total = 0.0
    for y in (contests.wins, contests.ties, contests.losses):
        seen = y > 0
        total += float(y[seen] @ np.log(y[seen] / contests.totals[seen]))
    return total
