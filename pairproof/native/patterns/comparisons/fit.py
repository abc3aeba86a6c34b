"""Fit the pattern model of paired comparisons.

    log P(y | s) = sum_c y_c (lambda_js - lambda_ks) + sum_c gamma_c 1[y_c = 0] + sum_(a,b) theta_ab y_a y_b -
    log Z

for the comparisons c = (j k) and the pairs (a, b) of comparisons that share an item (Hatzinger and Dittrich
2012, Journal of Statistical Software 48(10)).  Without theta the comparisons are independent and
nothing is enumerated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError, NotEstimableError
from ..estimate import maximum_likelihood
from ..likelihood import Likelihood, Space
from ..maps import ComparisonTerm, ItemTerm, Undecided, comparison_maps
from ..pooled import PatternFit, Pooled, blocks, exact_counts, pool
from .cube import CubeSpace
from .factored import FactoredSpace
from .pairs import MISSING, check_answers, n_pairs, pairs_of, sharing

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
