"""The generalised Davidson model, and its log-likelihood at one place.

With u the log-odds of the first player over the second (home advantage and all), log utilities of win and
loss are u/2 and -u/2, and that of a tie is

    g = c + s H(p) + s (p - 1/2) u + (1 - s) log(2 cosh(u/2)),    H(p) = -p log p - (1 - p) log(1 - p)

(Davidson 1970, JASA 65, 317-328, is s = 1, p = 1/2, with nu = 2 exp(c); the rest is BradleyTerry2's
`GenDavidson`). plogis(c) is the largest probability of a tie, p = plogis(m) the probability of a win of the
first player, given that there is a winner, at which it is reached; s says how fast ties grow rarer away from
there: s = 0 not at all.  c, m and log s are linear in columns of their own; m of a contest at nobody's home
is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..numerics.information import raised_cholesky
from ..structured.design import Design

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GeneralTies:
    """Outcomes of contests that may be tied, and the columns of every part of the model.

    design: of n rows: abilities, home advantage as a contest column (1 at the first player's home, -1 at the
    second's), covariates.  most float[n, q]: columns of c, the logit of the largest probability of a tie.
    most_names: of these.  mode float[n, r]: columns of m, home differences; none (p = 1/2) without a shift.
    mode_names: of these.  scale float[n, t]: columns of log s; none (s = 1) without a scale.  scale_names: of
    these.  wins, ties, losses float[n]: of the first player, >= 0.
    """

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
        for what in ("wins", "ties", "losses"):
            values = np.asarray(getattr(self, what), dtype=float)
            if values.shape != (n,) or not (np.isfinite(values) & (values >= 0)).all():
                raise InputError(f"{what}: expected {n} finite numbers >= 0, found {values.tolist()[:5]}")
            object.__setattr__(self, what, values)

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

    design: of the abilities, home advantage among its columns.  wins, ties, losses float[n].  home float[n]:
    1 where the first player is at home, -1 where the second is, 0 at nobody's; needed for a shift.  shift:
    whether ties are most probable elsewhere than between equals, by who is at home.  scale: whether ties grow
    rarer away from there at another rate than Davidson's.
    """
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
    """The log-likelihood at one place, as :func:`pairproof.native.numerics.newton.maximise` asks for it.

    theta float[k].
    """

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
        top = utility.max(axis=1, keepdims=True)
        return np.asarray(utility - top - np.log(np.exp(utility - top).sum(axis=1, keepdims=True)))

    @property
    def probabilities(self) -> FloatArray:
        """float[n, 3]: of win, tie, loss."""
        return np.asarray(np.exp(self.log_probabilities))

    @property
    def value(self) -> float:
        """The log-likelihood, without multinomial coefficients."""
        own = self.contests
        counts = np.column_stack([own.wins, own.ties, own.losses])
        return float((counts * self.log_probabilities).sum())

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
        counts = np.column_stack([own.wins, own.ties, own.losses])
        score = np.einsum("ro,rok->rk", counts - n[:, None] * p, toward)
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

        accuracy: not used.  Returns float[k], float.
        """
        factor = raised_cholesky(self.information)
        half = np.linalg.solve(factor, self.score)
        return np.linalg.solve(factor.T, half), float(half @ half)
