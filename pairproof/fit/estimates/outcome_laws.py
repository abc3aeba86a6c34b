"""Laws of the three outcomes of one comparison: the probabilities of a win, a tie and a loss of the item named first.

A law is a function of few numbers of a comparison, its *predictors* v = (u, ties, level)::

    u       ability of the first less that of the second, with order effect, covariates and offset
    ties    the law's own parameters, each times 1 or, where ties depend on it, the first item's advantage
    level   mean ability of the two, less that of all items, where the law asks for it (`by_level`)

and says log P of each outcome with its first and second derivatives by v.  All else follows, for every law the same:
estimates, likelihood, standard errors, clusters, replicates, profiles, predictions (:mod:`pairproof.native.comparisons.rows`).
Parameters have no bounds: a threshold t > 0 enters as its logarithm.  One line of `LAWS` adds a law: `ties=` of
:func:`pairproof.fit_bradley_terry`, the command and claims files then have its name.

Davidson (1970, JASA 65, 317-328) has P(win) : P(tie) : P(loss) = exp(u/2) : exp(g) : exp(-u/2), exp(g) = nu.
Generalised (BradleyTerry2's `GenDavidson`) the log utility of a tie is

    g = c + s H(p) + s (p - 1/2) u + (1 - s) log(2 cosh(u/2)),    H(p) = -p log p - (1 - p) log(1 - p)

Davidson's model is s = 1, p = 1/2, with nu = 2 exp(c).  plogis(c) is the largest probability of a tie, p = plogis(m) the
probability of a win of the first item, given that there is a winner, at which it is reached; s says how fast ties grow
rarer away from there: s = 0 not at all.  The parameters are log nu, m where the first has its advantage, and log s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Union

import numpy as np

from ...numerics.arrays import BoolArray, FloatArray

#: A number for each comparison, or one for all.
AnyNumbers = Union[FloatArray, float]
#: No parameters of ties.
NOTHING: FloatArray = np.zeros(0)
#: P(first preferred) = F(difference of abilities): F of the logistic, normal or Cauchy distribution.
LinkName = Literal["logit", "probit", "cauchit"]
#: log P of each outcome, float[n, 3], its first derivatives, float[n, 3, r], and its second ones, float[n, 3,
#: r, r].
Logs = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class TieParameter:
    """A parameter of ties.  start: where a search begins.  of_home: times 1 where the first item has its advantage."""

    name: str = "tie"
    start: float = 0.0
    of_home: bool = False


@dataclass(frozen=True)
class OutcomeLaw:
    """A law of three outcomes; frozen.

    words: as a title says it.  link: the scale of the abilities.  preferred: P(A preferred to B), where abilities are no
    log-odds.  by_level: whether the level enters.  concave: whether log P is concave in v.  in_r: whether an R program
    is known.
    """

    words: ClassVar[str]
    link: ClassVar[LinkName] = "logit"
    preferred: ClassVar[str] = ""
    by_level: ClassVar[bool] = False
    in_r: ClassVar[bool] = False

    @property
    def concave(self) -> bool:
        return False

    @property
    def parameters(self) -> tuple[TieParameter, ...]:
        """Of the ties, the first of which all others refine."""
        return (TieParameter(),)

    def logs(self, v: FloatArray) -> Logs:
        """log P with its derivatives, at n places v, float[n, r]."""
        raise NotImplementedError

    def columns(self, home: FloatArray) -> FloatArray:
        """float[n, q]: what each parameter of ties is multiplied by."""
        return np.stack([home if p.of_home else np.ones(len(home)) for p in self.parameters], axis=1)

    def probabilities(
        self, eta: FloatArray, ties: FloatArray = NOTHING, home: AnyNumbers = 0.0, level: AnyNumbers = 0.0
    ) -> FloatArray:
        """float[n, 3]: first preferred, tie, second preferred; nan where eta float[n] is."""
        home, level = (np.broadcast_to(value, eta.shape) for value in (home, level))
        known = np.isfinite(eta + level)
        v = np.column_stack([eta, self.columns(home) * ties, *([level] if self.by_level else [])])
        out = np.full((len(eta), 3), np.nan)
        out[known] = np.exp(self.logs(v[known])[0])
        return out

    def unit_derivatives(self, eta: FloatArray, possible: BoolArray) -> None:
        """None: Davidson's model; other laws have their likelihood."""


def of_utilities(utility: FloatArray, first: FloatArray, second: FloatArray | None = None) -> Logs:
    """P(o) = exp(U_o) / sum of exp(U), U float[n, 3], with its derivatives, float[n, 3, r] and float[n, 3, r, r], which is
    overwritten, or 0."""
    top = utility.max(axis=1, keepdims=True)
    log_p = utility - top - np.log(np.exp(utility - top).sum(axis=1, keepdims=True))
    p = np.exp(log_p)
    off = first - np.einsum("no,nor->nr", p, first)[:, None]
    curved = np.einsum("no,noj,nok->njk", p, off, off)[:, None]
    if second is None:
        return log_p, off, np.broadcast_to(-curved, (*first.shape, first.shape[2]))
    curved += np.einsum("no,nojk->njk", p, second)[:, None]
    return log_p, off, np.subtract(second, curved, out=second)


@dataclass(frozen=True)
class DavidsonTies(OutcomeLaw):
    """Davidson's ties, shifted by who has the advantage of being first, and scaled."""

    words = "Davidson ties"
    in_r = True
    shift: bool = False
    scale: bool = False

    @property
    def concave(self) -> bool:
        return not (self.shift or self.scale)

    @property
    def parameters(self) -> tuple[TieParameter, ...]:
        found = [TieParameter(start=np.log(2.0))]
        found += [TieParameter("tie-shift", of_home=True)] * self.shift
        found += [TieParameter("tie-scale")] * self.scale
        return tuple(found)

    def logs(self, v: FloatArray) -> Logs:
        n, r = v.shape
        u, tie = v[:, 0], v[:, 1]
        utility, first = np.stack([u / 2.0, tie, -u / 2.0], axis=1), np.zeros((n, 3, r))
        first[:, 0, 0], first[:, 1, 1], first[:, 2, 0] = 0.5, 1.0, -0.5
        if self.concave:
            return of_utilities(utility, first)
        # The solver stops long before 700.
        m = np.clip(v[:, 2], -700, 700) if self.shift else np.zeros(n)
        s = np.exp(np.clip(v[:, -1], -700, 700)) if self.scale else np.ones(n)
        p, q = 1.0 / (1.0 + np.exp(-m)), 1.0 / (1.0 + np.exp(m))
        entropy = p * np.logaddexp(0.0, -m) + q * np.logaddexp(0.0, m)
        half = np.tanh(u / 2.0) / 2.0
        cosh = np.abs(u) / 2.0 + np.log1p(np.exp(-np.abs(u)))
        by_scale = s * (entropy + (p - q) * u / 2.0 - cosh)
        by_shift = s * (u - m) * p * q
        utility[:, 1] = tie - np.log(2.0) + by_scale + cosh
        slopes = np.stack([s * (p - q) / 2.0 + (1.0 - s) * half, np.ones(n), by_shift, by_scale], axis=1)
        bends = np.zeros((n, 4, 4))
        bends[:, 0, 0] = (1.0 - s) * (0.25 - half**2)
        bends[:, 0, 2] = bends[:, 2, 0] = s * p * q
        bends[:, 0, 3] = bends[:, 3, 0] = s * ((p - q) / 2.0 - half)
        bends[:, 2, 2] = s * p * q * ((u - m) * (q - p) - 1.0)
        bends[:, 2, 3] = bends[:, 3, 2] = by_shift
        bends[:, 3, 3] = by_scale
        kept = [0, 1, *([2] if self.shift else []), *([3] if self.scale else [])]
        second = np.zeros((n, 3, r, r))
        first[:, 1], second[:, 1] = slopes[:, kept], bends[:, kept][:, :, kept]
        return of_utilities(utility, first, second)


#: The laws by the names under which `ties=` asks for them.
LAWS: dict[str, OutcomeLaw] = {"davidson": DavidsonTies()}
