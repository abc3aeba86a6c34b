"""Answers to comparisons together with which of them are missing: non-ignorable missingness, and its fit.

With r_c = 1 where comparison c was not answered (Dittrich, Francis, Hatzinger and Katzenbeisser 2012,
Statistical Modelling 12, 117-143)

    P(y, r) = exp(eta(y) + sum_c r_c (alpha_c + h_c(y))) / sum of the same over all y and r,

    alpha: "common" a,   "item" alpha_j + alpha_k,   "comparison" alpha_jk
    beta:  "item" y (beta_j + beta_k),   "difference" y (beta_j - beta_k),   "comparison" y beta_jk,
           "coded" what prefmod computes for "item": h_c = beta_j y_(j) + beta_k y_(k), y_(j) the answer to
           the j-th *comparison* of the table, whichever items that compares

Given y the gaps are independent, so that the sum over r is a product; without dependence, and with h_c =
beta_c y_c, the sum over y is one too.  Missing at random, the gaps are left to
:func:`pairproof.native.answers.patterns.comparison_patterns.fit_comparisons`.

y changes its sign with the order of the two items and beta_j + beta_k does not, so that the documented model
depends on which item comes first; the "difference" does not.  Without dependence, more parameters than the C
probabilities that a comparison is missing cannot be distinguished.  The "difference" has a mirror, -beta - 2
lambda in the place of beta: a comparison is missing at a rate that depends on |lambda_j + beta_j - lambda_k -
beta_k| only.

Log-likelihoods of models of gaps are comparable with each other only, not with those of models without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....data.respondents.codes import MISSING
from ....errors import TooLargeError
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from .answer_likelihood import Likelihood, Moments, PartedPoint, Pooled, Space, pool, weighted_moments
from .comparison_patterns import CubeSpace, all_patterns
from .natural_parameters import (
    ItemTerm,
    Undecided,
    comparison_maps,
    diagonal_blocks,
    incidence,
    n_pairs,
    pairs_of,
    sharing,
)

#: Patterns of answers over which a sum with dependence goes: 3^10, five items.
MOST_PATTERNS = 3**10


@dataclass(frozen=True, eq=False)
class GapSpace:
    """Answers to independent comparisons with their gaps.
    Statistics are y_c, u_c if ternary, r_c and r_c y_c of the C comparisons.  answers int[n, C]: +1, 0, -1 or
    MISSING.  ternary: whether 0, "undecided", is a possible answer."""

    answers: IntArray
    ternary: bool

    @property
    def n_statistics(self) -> int:
        """3 C, or 4 C with three categories."""
        return int(self.answers.shape[1] * self.states.shape[1])

    @property
    def states(self) -> FloatArray:
        """float[k, 3 or 4]: y, u, r, r y of each state of a comparison, those that are missing last."""
        codes = (1.0, 0.0, -1.0) if self.ternary else (1.0, -1.0)
        found = [[y, float(y == 0), r, r * y] for r in (0.0, 1.0) for y in codes]
        return np.array(found)[:, [0, 1, 2, 3] if self.ternary else [0, 2, 3]]

    def at(self, beta: FloatArray) -> GapPoint:
        """The states' probabilities at beta, float[q]."""
        eta = beta.reshape(-1, self.answers.shape[1]).T @ self.states.T
        top = eta.max(axis=1, keepdims=True)
        return GapPoint(self, eta - top - np.log(np.exp(eta - top).sum(axis=1, keepdims=True)))

    def seen(self, rows: IntArray) -> tuple[IntArray, BoolArray]:
        """int[n, C], bool[n, C]: the state of each comparison, and whether it was answered."""
        answers = self.answers[rows]
        there = answers != MISSING
        state = np.where(there, 1 - answers, 0)
        return (state if self.ternary else state // 2), there

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of an answer seen minus those of the other answers, for each comparison.
        What a gap demands is not linear: an alpha or beta that is infinite shows in a likelihood that is
        flat."""
        state, there = self.seen(rows)
        n, answered = self.answers.shape[1], self.states[: len(self.states) // 2]
        found = [np.zeros((0, self.states.shape[1], n))]
        for c in range(n):
            for k in set(state[there[:, c], c].tolist()):
                of_c = np.zeros((len(answered), self.states.shape[1], n))
                of_c[:, :, c] = answered[k] - answered
                found.append(of_c)
        return np.concatenate(found).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class GapPoint:
    """Probabilities of the states of each comparison.  log_p float[C, k]."""

    space: GapSpace
    log_p: FloatArray

    def _of_missing(self) -> tuple[FloatArray, FloatArray]:
        """Log-probability float[C] that a comparison is missing; shares float[C, k] of its states then."""
        half = self.log_p.shape[1] // 2
        own = self.log_p[:, half:]
        top = own.max(axis=1, keepdims=True)
        total = top + np.log(np.exp(own - top).sum(axis=1, keepdims=True))
        return total[:, 0], np.hstack([np.zeros_like(own), np.exp(own - total)])

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        state, there = self.space.seen(rows)
        missing, _ = self._of_missing()
        return np.asarray(np.where(there, self.log_p[np.arange(len(missing)), state], missing).sum(axis=1))

    def scores(self, rows: IntArray) -> FloatArray:
        state, there = self.space.seen(rows)
        states = self.space.states
        off = np.where(there[:, :, None], states[state], self._of_missing()[1] @ states)
        off = off - np.exp(self.log_p) @ states
        return np.asarray(off.transpose(0, 2, 1).reshape(len(rows), -1))

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        _, there = self.space.seen(rows)
        whole, part = self._covariances(np.exp(self.log_p)), self._covariances(self._of_missing()[1])
        each = float(weights.sum()) * whole - (weights @ ~there)[:, None, None] * part
        n, k = each.shape[:2]
        found = np.zeros((k, n, k, n))
        at = np.arange(n)
        found[:, at, :, at] = each
        return np.asarray(found.reshape(k * n, k * n))

    def _covariances(self, p: FloatArray) -> FloatArray:
        states = self.space.states
        mean = p @ states
        second = np.einsum("ck,ki,kj->cij", p, states, states)
        return np.asarray(second - mean[:, :, None] * mean[:, None, :])


@dataclass(eq=False)
class GapCubeSpace:
    """Answers to comparisons that depend on each other, or whose gaps prefmod's `coded` terms explain.
    Statistics are those of `CubeSpace`, then r_c of the C comparisons, then r_c y_c of each or, where it is
    `coded`, sum over c with item i of r_c y_(i) of each item."""

    cube: CubeSpace
    coded: bool

    def __post_init__(self) -> None:
        n = self.cube.answers.shape[1]
        codes = self.cube.codes
        if len(codes) ** n > MOST_PATTERNS:
            raise TooLargeError(
                f"gaps that depend on {n} comparisons together sum over {len(codes) ** n:,} patterns; the limit is"
                f" {MOST_PATTERNS:,}. Without dependence, and with a beta for each comparison, there is no limit"
            )
        patterns = all_patterns((codes,) * n).astype(np.int64)
        self._patterns = patterns
        self._table = self.cube.statistics(patterns)
        self._slopes = self._all_slopes(patterns)

    def _all_slopes(self, patterns: IntArray) -> FloatArray:
        """float[N, C, b]: how beta enters h_c."""
        n = patterns.shape[1]
        if not self.coded:
            return np.asarray(patterns[:, :, None] * np.eye(n))
        n_items = int(round((1 + np.sqrt(1 + 8 * n)) / 2))
        first, second = pairs_of(n_items)
        part_of = np.array([(first == i) | (second == i) for i in range(n_items)]).T.astype(float)
        return np.asarray(patterns[:, None, :n_items] * part_of)

    @property
    def n_statistics(self) -> int:
        """Statistics of the answers, C of the gaps and those of beta."""
        return int(self._table.shape[1] + self._slopes.shape[1] + self._slopes.shape[2])

    def at(self, beta: FloatArray) -> GapCubePoint:
        """The moments at beta, float[q]."""
        return GapCubePoint(self, beta)

    def demands(self, rows: IntArray) -> FloatArray:
        """float[0, q]: with sums over gaps no linear programme tells; the solver's own message has to do."""
        return np.zeros((0, self.n_statistics))


class GapCubePoint(PartedPoint[GapCubeSpace]):
    """Moments over all answers and gaps, and over the answers that agree with each row."""

    def _predictors(self) -> tuple[FloatArray, FloatArray]:
        """float[N] of the answers, float[N, C] of their gaps."""
        q = self.space._table.shape[1]
        n = self.space._slopes.shape[1]
        gaps = self.beta[q : q + n] + self.space._slopes @ self.beta[q + n :]
        return self.space._table @ self.beta[:q], gaps

    def _over_all(self) -> Moments:
        eta, gaps = self._predictors()
        weight = eta + np.logaddexp(0.0, gaps).sum(axis=1)
        top = float(weight.max())
        p = np.exp(weight - top)
        total = float(p.sum())
        p /= total
        missing = 1.0 / (1.0 + np.exp(-gaps))
        n = gaps.shape[1]
        expected = np.hstack(
            [self.space._table, missing, np.einsum("nc,ncb->nb", missing, self.space._slopes)]
        )
        mean = p @ expected
        off = expected - mean
        covariance = (off.T * p) @ off
        # Given the answers each gap is a coin of its own, which moves r_c and the slopes of beta.
        spread = p[:, None] * missing * (1.0 - missing)
        for c in range(n):
            coin = np.zeros((len(p), expected.shape[1]))
            coin[:, self.space._table.shape[1] + c] = 1.0
            coin[:, self.space._table.shape[1] + n :] = self.space._slopes[:, c]
            covariance += (coin.T * spread[:, c]) @ coin
        return Moments(top + float(np.log(total)), mean, covariance)

    def _agreeing(self, row: int) -> Moments:
        own = self.space.cube.answers[row]
        gap = own == MISSING
        agree = ((self.space._patterns == own) | gap).all(axis=1)
        eta, gaps = self._predictors()
        slopes = self.space._slopes[agree][:, gap].sum(axis=1)
        fixed = np.broadcast_to(gap.astype(float), (int(agree.sum()), len(gap)))
        table = np.hstack([self.space._table[agree], fixed, slopes])
        return weighted_moments(eta[agree] + gaps[agree][:, gap].sum(axis=1), table)


Alpha = Literal["common", "item", "comparison"]
Beta = Literal["item", "difference", "comparison", "coded"]
Silent = Literal["out", "in"]


def gaps_likelihood(
    answers: IntArray,
    terms: Sequence[ItemTerm],
    alpha: Alpha | None = None,
    beta: Beta | None = None,
    alpha_of: Sequence[int] | None = None,
    beta_of: Sequence[int] | None = None,
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided | None = None,
    dependence: bool = False,
    silent: Silent = "in",
) -> tuple[Likelihood, Pooled, list[str]]:
    """The likelihood of the answers and of which are missing, the pooled answers, and the parameters' names.
    answers int[n_persons, C]: +1, 0, -1, MISSING (9); comparisons in prefmod's order.  alpha: that a
    comparison is missing; None: with probability 1/2 (prefmod's NI = TRUE).  alpha_of, beta_of: items, or
    comparisons, that have a parameter; all if not given.  Give those with a gap: the alpha of an item without
    one is minus infinity.  Of the "difference" the last item has none: it is the reference.  group
    int[n_persons]: covariate group of each person.  weights float[n_persons]: number of persons with the
    answer.  silent: whether persons without any answer count: the model gives them a probability, and prefmod
    leaves them out while it keeps that probability.  Parameters are those of the items, then "alpha",
    "alpha:A", "alpha:12" and so on, "beta:A" and so on, then those of "undecided" and of dependence (prefmod's
    order)."""
    ternary = undecided is not None
    n_items = len(terms[0].columns)
    pooled = pool(answers, group, weights, (answers == MISSING).all(axis=1) if silent == "out" else None)
    maps, names = comparison_maps(terms, undecided, dependence)
    items = terms[0].items or tuple(str(i + 1) for i in range(n_items))
    of_alpha, alpha_names = _alpha(alpha, alpha_of, items)
    of_beta, beta_names = _beta(beta, beta_of, items)
    space: Space
    if dependence or beta == "coded":
        space = GapCubeSpace(
            CubeSpace(pooled.answers, ternary, sharing(n_items) if dependence else ()), beta == "coded"
        )
    else:
        space = GapSpace(pooled.answers, ternary)
    p = sum(len(t.names) for t in terms)
    own = np.arange(len(names) + len(alpha_names) + len(beta_names))
    order = np.concatenate([own[:p], own[len(names) :], own[p : len(names)]])
    every = np.array([*names, *alpha_names, *beta_names], dtype=object)[order]
    joined = [diagonal_blocks([m, of_alpha, of_beta])[:, order] for m in maps]
    return Likelihood(space, pooled.group, joined), pooled, [str(n) for n in every]


def _chosen(
    matrices: Mapping[str, FloatArray], what: str, of: Sequence[int] | None, items: Sequence[str], name: str
) -> tuple[FloatArray, list[str]]:
    """The matrix from the parameters that are chosen to what they stand for, and their names."""
    named = items
    if what == "comparison":
        named = [f"{items[i]}-{items[j]}" for i, j in zip(*pairs_of(len(items)))]
    kept = list(range(len(named)) if of is None else of)
    return matrices[what][:, kept], [f"{name}:{named[k]}" for k in kept]


def _alpha(
    alpha: Alpha | None, of: Sequence[int] | None, items: Sequence[str]
) -> tuple[FloatArray, list[str]]:
    """float[C, a]: from the parameters to the alphas of comparisons."""
    c = n_pairs(len(items))
    if alpha is None or alpha == "common":
        return np.ones((c, int(alpha is not None))), [] if alpha is None else ["alpha"]
    matrices = {"item": np.abs(incidence(len(items))), "comparison": np.eye(c)}
    return _chosen(matrices, alpha, of, items, "alpha")


def _beta(beta: Beta | None, of: Sequence[int] | None, items: Sequence[str]) -> tuple[FloatArray, list[str]]:
    """float[C, b] (float[J, b] where it is coded): from the parameters to those of r y."""
    c, signed = n_pairs(len(items)), incidence(len(items))
    if beta is None:
        return np.zeros((c, 0)), []
    if beta == "difference" and of is None:
        of = range(len(items) - 1)  # only differences enter: the last item is the reference
    matrices = {
        "item": np.abs(signed),
        "difference": signed,
        "coded": np.eye(len(items)),
        "comparison": np.eye(c),
    }
    return _chosen(matrices, beta, of, items, "beta")
