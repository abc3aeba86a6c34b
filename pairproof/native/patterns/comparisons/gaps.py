"""Fit answers together with which of them are missing.

Missing at random, the gaps say nothing about the items and are left to
:func:`pairproof.native.patterns.comparisons.fit.fit_comparisons`.  Here their probability is part of the
model, with parameters of Dittrich, Francis, Hatzinger and Katzenbeisser (2012, Statistical Modelling 12,
117-143):

    alpha: "common" a,   "item" alpha_j + alpha_k,   "comparison" alpha_jk
    beta:  "item" y (beta_j + beta_k),   "difference" y (beta_j - beta_k),   "comparison" y beta_jk,
           "coded" what prefmod computes for "item"

y changes its sign with the order of the two items and beta_j + beta_k does not, so that the documented model
depends on which item of a comparison comes first; the "difference" does not.  Without dependence, alpha and
beta enter through the C probabilities that a comparison is missing: more parameters than these cannot be told
apart (alpha and beta of every item: four items and fewer).  The "difference" has a mirror: -beta - 2 lambda
in the place of beta changes no probability, since a comparison is then missing at a rate that depends on
|lambda_j + beta_j - lambda_k - beta_k| only.  The data cannot choose between the two.

Log-likelihoods of models of gaps are comparable with each other only, not with those of models without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ..estimate import Estimate, maximum_likelihood
from ..likelihood import Likelihood, Space
from ..maps import ItemTerm, Undecided, comparison_maps, diagonal_blocks
from ..pooled import Pooled, pool
from .cube import CubeSpace
from .joint import GapCubeSpace, GapSpace
from .pairs import MISSING, check_answers, incidence, n_pairs, pairs_of, sharing

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Alpha = Literal["common", "item", "comparison"]
Beta = Literal["item", "difference", "comparison", "coded"]
Silent = Literal["out", "in"]


def fit_gaps(
    answers: IntArray,
    terms: Sequence[ItemTerm],
    alpha: Alpha | None,
    beta: Beta | None = None,
    alpha_of: Sequence[int] | None = None,
    beta_of: Sequence[int] | None = None,
    group: IntArray | None = None,
    weights: FloatArray | None = None,
    undecided: Undecided | None = None,
    dependence: bool = False,
    silent: Silent = "in",
) -> Estimate:
    """Fit the joint model of answers and gaps.

    answers int[n_persons, C]: +1, 0, -1, MISSING (9); comparisons in prefmod's order.  terms: of the items'
    parameters lambda.  alpha: that a comparison is missing; None: with probability 1/2 (prefmod's NI = TRUE).
    beta: that this depends on the answer.  alpha_of, beta_of: items, or comparisons, that have a parameter;
    all if not given.  Give those with a gap: the alpha of an item without one is minus infinity.  Of the
    "difference" the last item has none: it is the reference.  group int[n_persons]: covariate group of each
    person.  weights float[n_persons]: number of persons with the answer.  undecided: as for
    :func:`pairproof.native.patterns.comparisons.fit.fit_comparisons`.  dependence: whether comparisons that
    share an item depend on each other.  silent: whether persons without any answer count: the model gives
    them a probability, and prefmod leaves them out while it keeps that probability.  Returns Estimate:
    parameters of the items, then "alpha", "alpha:A", "alpha:12" and so on, "beta:A" and so on, then those of
    "undecided" and of dependence (prefmod's order).
    """
    likelihood, pooled, names = gaps_likelihood(
        answers, terms, alpha, beta, alpha_of, beta_of, group, weights, undecided, dependence, silent
    )
    return maximum_likelihood(likelihood, pooled.weights, names, concave=False)


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

    Other parameters are those of :func:`pairproof.native.patterns.comparisons.gaps.fit_gaps`.

    answers int[n_persons, C].
    """
    ternary = undecided is not None
    n_items = len(terms[0].columns) if terms else 0
    if answers.ndim != 2 or answers.shape[1] != n_pairs(n_items):
        raise InputError(
            f"answers of shape {answers.shape}; {n_items} items have {n_pairs(n_items)} comparisons"
        )
    checked = check_answers(answers, ternary)
    gap = checked == MISSING
    if not gap.any():
        raise InputError(
            "no comparison is missing: there are no gaps to model; fit_comparisons fits the answers"
        )
    w = np.ones(len(checked)) if weights is None else np.asarray(weights, dtype=float)
    pooled = pool(checked, group, np.where(gap.all(axis=1), 0.0, w) if silent == "out" else w)
    maps, names = comparison_maps(terms, undecided, dependence)
    items = terms[0].items or tuple(str(i + 1) for i in range(n_items))
    of_alpha, alpha_names = _alpha(alpha, alpha_of, items)
    of_beta, beta_names = _beta(beta, beta_of, items)
    joined = [diagonal_blocks([m, of_alpha, of_beta]) for m in maps]
    space: Space
    if dependence or beta == "coded":
        space = GapCubeSpace(
            CubeSpace(pooled.answers, ternary, sharing(n_items) if dependence else ()), beta == "coded"
        )
    else:
        space = GapSpace(pooled.answers, ternary)
    likelihood = Likelihood(space, pooled.group, joined)
    p = sum(len(t.names) for t in terms)
    own = np.arange(len(names) + len(alpha_names) + len(beta_names))
    order = np.concatenate([own[:p], own[len(names) :], own[p : len(names)]])
    every = np.array([*names, *alpha_names, *beta_names], dtype=object)[order]
    moved = Likelihood(space, pooled.group, [m[:, order] for m in likelihood.maps])
    return moved, pooled, [str(n) for n in every]


def _pair_names(items: Sequence[str]) -> list[str]:
    return [f"{items[i]}-{items[j]}" for i, j in zip(*pairs_of(len(items)))]


def _kept(matrix: FloatArray, names: Sequence[str], of: Sequence[int] | None) -> tuple[FloatArray, list[str]]:
    chosen = list(range(len(names))) if of is None else [int(k) for k in of]
    wrong = [k for k in chosen if not 0 <= k < len(names)]
    if wrong:
        raise InputError(f"{wrong[0]} is no position among {len(names)} items or comparisons")
    return matrix[:, chosen], [names[k] for k in chosen]


def _alpha(
    alpha: Alpha | None, of: Sequence[int] | None, items: Sequence[str]
) -> tuple[FloatArray, list[str]]:
    """float[C, a]: from the parameters to the alphas of comparisons."""
    c = n_pairs(len(items))
    if alpha is None:
        return np.zeros((c, 0)), []
    if alpha == "common":
        return np.ones((c, 1)), ["alpha"]
    if alpha == "item":
        matrix, names = _kept(np.abs(incidence(len(items))), items, of)
    elif alpha == "comparison":
        matrix, names = _kept(np.eye(c), _pair_names(items), of)
    else:
        raise InputError(f"alpha is {alpha!r}; expected 'common', 'item', 'comparison' or None")
    return matrix, [f"alpha:{name}" for name in names]


def _beta(beta: Beta | None, of: Sequence[int] | None, items: Sequence[str]) -> tuple[FloatArray, list[str]]:
    """float[C, b] (float[J, b] where it is coded): from the parameters to those of r y."""
    c = n_pairs(len(items))
    if beta is None:
        return np.zeros((c, 0)), []
    if beta == "comparison":
        matrix, names = _kept(np.eye(c), _pair_names(items), of)
    elif beta in ("item", "difference", "coded"):
        signed = incidence(len(items))
        if beta == "difference" and of is None:
            of = range(len(items) - 1)  # only differences enter: the last item is the reference
        whole = {"item": np.abs(signed), "difference": signed, "coded": np.eye(len(items))}[beta]
        matrix, names = _kept(whole, items, of)
    else:
        raise InputError(f"beta is {beta!r}; expected 'item', 'difference', 'comparison', 'coded' or None")
    return matrix, [f"beta:{name}" for name in names]
