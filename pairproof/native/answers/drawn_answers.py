"""Whole answers drawn by chance: from worths, or from a fitted model.

From worths pi the comparisons are Bradley and Terry's, with Davidson's ties (1970, JASA 65, 317-328),

    P(i preferred) : P(tie) : P(j preferred) = pi_i : nu sqrt(pi_i pi_j) : pi_j,

and rankings have P(ranking) proportional to the product of pi_i^(J - rank of i) ("pattern", as R's
`prefmod::simR` draws them), or are Luce's choices from the top ("plackett-luce").  R's `prefmod::simPC` has
no ties.

From a model each person draws from that of their own covariate group, and of their own class if there are
classes. A comparison that was not answered stays unanswered.  Rankings come from the top: the best of a set S
is item i with probability w_i^(|S| - 1) F(S without i) / F(S) in the pattern model, and a_i / sum of a in S
in Plackett and Luce's (for both, Critchlow, Fligner and Verducci 1991, Journal of Mathematical Psychology 35,
294-318).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from ...data.options import one_of, whole_number
from ...data.respondents.codes import ABSENT, BELOW, MISSING, UNRATED
from ...data.respondents.respondents import Respondents
from ...errors import InputError
from ...fit.fit import Fit
from ...fit.results.answers import enumerated
from ...numerics.arrays import FloatArray, IntArray
from .patterns.natural_parameters import incidence
from .patterns.ranking_patterns import subset_moments


def draw_independent(d: FloatArray, ties: FloatArray | None, draws: np.random.Generator) -> IntArray:
    """Answers to comparisons that are independent given the items.
    d float[n, C]: coefficients of y, half the log-odds.  ties float[C] or float[n, C]: of ties; None where
    nobody can answer one.  Returns int[n, C]."""
    g = np.full(d.shape, -np.inf) if ties is None else np.broadcast_to(ties, d.shape)
    top = np.maximum(np.abs(d), g)
    weight = np.exp(np.stack([d, g, -d]) - top)
    mark = draws.random(d.shape) * weight.sum(axis=0)
    return np.where(mark < weight[0], 1, np.where(mark < weight[0] + weight[1], 0, -1))


def draw_luce_rankings(worth: FloatArray, n: int, draws: np.random.Generator) -> IntArray:
    """Strict rankings by Plackett and Luce's model.
    worth float[J]: the items' log worths.  Returns int[n, J]: ranks, 1 = best."""
    order = np.argsort(-(worth + draws.gumbel(size=(n, len(worth)))), axis=1)
    return np.asarray(np.argsort(order, axis=1) + 1)


def draw_pattern_rankings(lam: FloatArray, n: int, draws: np.random.Generator) -> IntArray:
    """Strict rankings by the pattern model, from the top.
    lam float[J]: the items' lambdas.  Returns int[n, J]: ranks, 1 = best."""
    n_items = len(lam)
    log_total = subset_moments(lam).log_total
    left = np.full(n, 2**n_items - 1, dtype=np.int64)
    bits = np.int64(1) << np.arange(n_items, dtype=np.int64)
    found = np.zeros((n, n_items), dtype=np.int64)
    for rank in range(1, n_items + 1):
        there = (left[:, None] & bits) > 0
        logs = log_total[left[:, None] & ~bits] + 2.0 * (n_items - rank) * lam - log_total[left][:, None]
        share = np.where(there, np.exp(logs), 0.0)
        mark = draws.random(n) * share.sum(axis=1)
        best = (np.cumsum(share, axis=1) <= mark[:, None]).sum(axis=1)
        found[np.arange(n), best] = rank
        left &= ~bits[best]
    return found


def draw_pairs(
    worths: Mapping[str, float], persons: int, *, seed: int, tie_prevalence: float = 0.0
) -> Respondents:
    """Draw the comparisons of persons from worths.
    worths: above 0; only their ratios count.  tie_prevalence: davidson's nu, 0 or more; 0: no ties, and no
    tie category."""
    items, lam = _lambdas(worths)
    n = whole_number("persons", persons, 1)
    if not 0.0 <= tie_prevalence < np.inf:
        raise InputError(f"tie_prevalence={tie_prevalence!r}; expected Davidson's nu, 0 or more")
    d = np.tile(incidence(len(items)) @ lam, (n, 1))
    ties = np.full(d.shape[1], np.log(tie_prevalence)) if tie_prevalence else None
    answers = draw_independent(d, ties, np.random.default_rng(seed))
    return Respondents.build(
        items, "comparisons", answers, tie_category=tie_prevalence > 0, source="draw_pairs"
    )


def draw_ranks(
    worths: Mapping[str, float],
    persons: int,
    *,
    seed: int,
    model: Literal["pattern", "plackett-luce"] = "pattern",
) -> Respondents:
    """Draw strict rankings of all items from worths.  worths: above 0; only their ratios count."""
    one_of("model", model, ("pattern", "plackett-luce"))
    items, lam = _lambdas(worths)
    n, draws = whole_number("persons", persons, 1), np.random.default_rng(seed)
    if model == "pattern":
        ranks = draw_pattern_rankings(lam, n, draws)
    else:
        ranks = draw_luce_rankings(2.0 * lam, n, draws)
    return Respondents.build(items, "rankings", ranks, source="draw_ranks")


def draw_answers(fit: Fit, *, seed: int) -> Respondents:
    """Draw an answer of every person of a fitted table from the fitted model, with the gaps that each left.
    fit: of a model whose possible answers are written out (at most 400,000).  Returns Respondents: one row
    per person, with the covariates of the table.  Ratings are drawn as orders, and have the lowest points
    that express them."""
    table = fit.respondents
    possible = enumerated(fit.numbers)
    if (table.weights != np.round(table.weights)).any():
        raise InputError(
            f"{table.source}: weights that are not whole numbers of persons; a person is drawn at a time"
        )
    if table.kind == "rankings" and (table.answers == ABSENT).any():
        raise InputError(
            f"{table.source}: items that were not presented; answers are drawn to all items. Draw a table of the"
            " presented ones: table.with_items(...)"
        )
    kept = np.flatnonzero((table.weights > 0) & (fit.numbers.row >= 0))
    every = table.select(np.repeat(kept, table.weights[kept].astype(np.int64)))
    group = np.repeat(fit.numbers.group[fit.numbers.row[kept]], table.weights[kept].astype(np.int64))
    draws, codes = np.random.default_rng(seed), possible.answers()
    drawn = np.zeros(every.answers.shape, dtype=np.int64)
    for g in np.unique(group):
        rows = np.flatnonzero(group == g)
        mark = draws.random(len(rows))
        edges = np.cumsum(possible.probabilities(int(g)))
        drawn[rows] = codes[np.searchsorted(edges / edges[-1], mark, side="right").clip(max=len(codes) - 1)]
    return _with_gaps(every, drawn)


def _with_gaps(table: Respondents, drawn: IntArray) -> Respondents:
    """The drawn answers, without what each person left out."""
    if table.kind == "comparisons":
        answers = np.where(table.answers == MISSING, MISSING, drawn)
    elif table.kind == "ratings":
        answers = np.where(table.answers == UNRATED, UNRATED, drawn)
    else:  # as many items ranked as each person ranked
        below = (table.answers == BELOW).any(axis=2, keepdims=True)
        ranked = (table.answers > 0).sum(axis=2, keepdims=True)
        answers = np.where(below & (drawn > ranked), BELOW, drawn)
    return Respondents.build(
        table.items,
        table.kind,
        answers,
        tie_category=table.tie_category,
        scale=table.scale,
        times=table.times if table.n_times > 1 else (),
        columns=dict(table.columns),
        item_data=dict(table.item_data),
        source=f"drawn from a fit of {table.source}",
    )


def _lambdas(worths: Mapping[str, float]) -> tuple[tuple[str, ...], FloatArray]:
    """Items, and lambdas against the last."""
    items = tuple(str(item) for item in worths)
    values = np.array([float(w) for w in worths.values()])
    if len(items) < 2 or not ((values > 0) & np.isfinite(values)).all():
        raise InputError(f"worths={dict(worths)!r}; expected two items or more, each with a number above 0")
    lam = np.log(values) / 2.0
    return items, lam - lam[-1]
