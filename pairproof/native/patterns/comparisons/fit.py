"""Fit the pattern model of paired comparisons.

    log P(y | s) = sum_c y_c (lambda_js - lambda_ks) + sum_c gamma_c 1[y_c = 0] + sum_(a,b) theta_ab y_a y_b -
    log Z

for the comparisons c = (j k) and the pairs (a, b) of comparisons that share an item (Hatzinger and Dittrich
2012, Journal of Statistical Software 48(10)).  Without theta the comparisons are independent and
nothing is enumerated.

Answers to comparisons without dependence: each comparison stands alone, and nothing is enumerated.

Statistics are y_c and, where "undecided" is possible, u_c = 1[y_c = 0] of the C comparisons, with natural
parameters d_c and g_c:

    P(y_c) = exp(y_c d_c + u_c g_c) / (exp(d_c) + exp(-d_c) + exp(g_c)).

The pattern model without interactions is this product over the comparisons, so it is a log-linear
Bradley-Terry model (Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10)); the sum
over the answers that a missing comparison might have had is 1 and drops out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError, NotEstimableError
from ..estimate import maximum_likelihood
from ..likelihood import Likelihood, Space
from ..maps import ComparisonTerm, ItemTerm, Undecided, comparison_maps
from ..pooled import PatternFit, Pooled, blocks, exact_counts, pool
from .cube import CubeSpace
from .pairs import MISSING, check_answers, n_pairs, pairs_of, sharing

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FactoredSpace:
    """Answers to C independent comparisons, with 2 or 3 categories.

    answers int[n, C]: +1, 0, -1 or MISSING.  ternary: whether 0, "undecided", is a possible answer.
    """

    answers: IntArray
    ternary: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", check_answers(self.answers, self.ternary))

    @property
    def n_statistics(self) -> int:
        """C, or 2 C where "undecided" is possible: y of each comparison, then u of each."""
        return self.answers.shape[1] * (2 if self.ternary else 1)

    @property
    def n_rows(self) -> int:
        """Number of answers."""
        return len(self.answers)

    def at(self, beta: FloatArray) -> FactoredPoint:
        """The comparisons' probabilities at beta, float[q]."""
        n = self.answers.shape[1]
        d = beta[:n]
        g = beta[n:] if self.ternary else np.full(n, -np.inf)
        predictors = np.stack([d, g, -d], axis=1)
        # log(1 + others) keeps the digits of an answer that nearly everybody gives.
        below = predictors - predictors.max(axis=1, keepdims=True)
        others = np.exp(below)
        others[np.arange(n), predictors.argmax(axis=1)] = 0.0
        return FactoredPoint(self, below - np.log1p(others.sum(axis=1, keepdims=True)))

    def demands(self, rows: IntArray) -> FloatArray:
        """float[m, q]: statistics of an answer seen minus those of another, for each comparison."""
        n = self.answers.shape[1]
        codes = (1, 0, -1) if self.ternary else (1, -1)
        found = []
        for c in range(n):
            for seen in set(self.answers[rows, c].tolist()) - {MISSING}:
                for other in codes:
                    if other != seen:
                        row = np.zeros(self.n_statistics)
                        row[c] = seen - other
                        if self.ternary:
                            row[n + c] = float(seen == 0) - float(other == 0)
                        found.append(row)
        return np.array(found).reshape(-1, self.n_statistics)


@dataclass(frozen=True, eq=False)
class FactoredPoint:
    """Probabilities of the answers to each comparison.

    log_p float[C, 3]: of +1, 0, -1; -inf for 0 where it is impossible.
    """

    space: FactoredSpace
    log_p: FloatArray

    def log_probabilities(self, rows: IntArray) -> FloatArray:
        """float[n]."""
        answers = self.space.answers[rows]
        seen = answers != MISSING
        column = np.where(seen, 1 - answers, 0)
        each = np.where(seen, self.log_p[np.arange(answers.shape[1]), column], 0.0)
        return np.asarray(each.sum(axis=1))

    def scores(self, rows: IntArray) -> FloatArray:
        """float[n, q]."""
        answers = self.space.answers[rows]
        seen = answers != MISSING
        p = np.exp(self.log_p)
        # Answer minus expectation, by the probabilities of the other answers: 1 - P(+1) would cancel.
        first, second = p[:, 1] + 2.0 * p[:, 2], -p[:, 1] - 2.0 * p[:, 0]
        of_seen = np.where(answers == 1, first, np.where(answers == -1, second, p[:, 2] - p[:, 0]))
        y = np.where(seen, of_seen, 0.0)
        if not self.space.ternary:
            return y
        return np.hstack([y, np.where(seen, np.where(answers == 0, p[:, 0] + p[:, 2], -p[:, 1]), 0.0)])

    def information(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """float[q, q]: of the comparisons that were answered."""
        n = self.space.answers.shape[1]
        w = weights @ (self.space.answers[rows] != MISSING)
        p = np.exp(self.log_p)
        # 4 p q + p0 (p + q - ...) written without differences: Var(y) = 4 p+ p- + p0 (p+ + p-).
        yy = 4.0 * p[:, 0] * p[:, 2] + p[:, 1] * (p[:, 0] + p[:, 2])
        if not self.space.ternary:
            return np.asarray(np.diag(w * yy))
        yu = -(p[:, 0] - p[:, 2]) * p[:, 1]
        uu = p[:, 1] * (p[:, 0] + p[:, 2])
        found = np.zeros((2 * n, 2 * n))
        at = np.arange(n)
        found[at, at], found[at + n, at + n] = w * yy, w * uu
        found[at, at + n] = found[at + n, at] = w * yu
        return found


def fit_comparisons(
    answers: IntArray,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided | None = None,
    dependence: bool = False,
    own: Sequence[ComparisonTerm] = (),
    names: Sequence[str] | None = None,
) -> PatternFit:
    """Fit persons' answers to all comparisons of J items.

    answers int[n_persons, C]: +1 first item preferred, 0 undecided, -1 second, MISSING (9) not answered;
    comparisons in prefmod's order. A person without any answer says nothing and is left out.  terms: of the
    items' parameters lambda; log-odds are twice their differences.  group int[n_persons]: covariate group of
    each person.  weights float[n_persons]: number of persons with the answer.  undecided: not given: two
    categories.  "zero": three, with parameter 0; "one" parameter; one for "each" comparison.  dependence:
    whether comparisons that share an item depend on each other.  `own`: terms of the comparisons themselves,
    as log-odds.
    """
    likelihood, pooled, usual = comparison_likelihood(
        answers, terms, group, weights, undecided, dependence, own
    )
    called = usual if names is None else tuple(names)
    ternary = undecided is not None
    there = pooled.answers != MISSING
    if dependence:
        _refuse_never_answered(there, terms)
    concave = not dependence or bool(there.all())
    start = _without_dependence(likelihood, pooled, ternary, called) if dependence else None
    estimate = maximum_likelihood(likelihood, pooled.weights, called, start, concave)
    block = blocks(np.column_stack([pooled.group, there]))
    answered = np.zeros(int(block.max()) + 1, dtype=np.int64)
    answered[block] = there.sum(axis=1)
    possible = exact_counts([(3 if ternary else 2) ** n for n in answered.tolist()])
    return PatternFit(estimate, likelihood, pooled, block, possible)


def comparison_likelihood(
    answers: IntArray,
    terms: Sequence[ItemTerm],
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided | None = None,
    dependence: bool = False,
    own: Sequence[ComparisonTerm] = (),
) -> tuple[Likelihood, Pooled, tuple[str, ...]]:
    """The likelihood that :func:`fit_comparisons` maximises.

    Parameters are those of :func:`pairproof.native.patterns.comparisons.fit.fit_comparisons`.

    Returns (Likelihood, Pooled, tuple of str): of the pooled answers, and the parameters' names.
    """
    ternary = undecided is not None
    n_items = len(terms[0].columns) if terms else 0
    n = n_pairs(n_items)
    if answers.ndim != 2 or answers.shape[1] != n:
        raise InputError(f"answers of shape {answers.shape}; {n_items} items have {n} comparisons")
    checked = check_answers(answers, ternary)
    w = np.ones(len(checked)) if weights is None else np.asarray(weights, dtype=float)
    silent = (checked == MISSING).all(axis=1)
    pooled = pool(checked, group, np.where(silent, 0.0, w) if w.shape == silent.shape else w)
    maps, names = comparison_maps(terms, undecided, dependence, own)
    space: Space
    if dependence:
        space = CubeSpace(pooled.answers, ternary, sharing(n_items))
    else:
        space = FactoredSpace(pooled.answers, ternary)
    return Likelihood(space, pooled.group, maps), pooled, names


def _without_dependence(
    likelihood: Likelihood, pooled: Pooled, ternary: bool, names: Sequence[str]
) -> FloatArray:
    """A start for the model with dependence: the estimate without it, which costs nothing."""
    space = FactoredSpace(pooled.answers, ternary)
    q, maps = space.n_statistics, likelihood.maps
    p = likelihood.n_params - (len(maps[0]) - q)
    short = Likelihood(space, pooled.group, [m[:q, :p] for m in maps])
    found = maximum_likelihood(short, pooled.weights, names[:p]).phi
    return np.concatenate([found, np.zeros(likelihood.n_params - p)])


def _refuse_never_answered(there: NDArray[np.bool_], terms: Sequence[ItemTerm]) -> None:
    """What depends on a comparison that nobody answered, the answers do not determine."""
    never = np.flatnonzero(~there.any(axis=0))
    if not len(never):
        return
    first, second = pairs_of(len(terms[0].columns))
    items = terms[0].items or tuple(f"item {k + 1}" for k in range(len(terms[0].columns)))
    told = ", ".join(f"{items[first[c]]}:{items[second[c]]}" for c in never[:6])
    raise NotEstimableError(
        f"nobody answered {told}, so that how other comparisons depend on it is not determined; leave the dependence"
        " out, or an item"
    )
