"""Whole answers drawn by chance: from worths, or from a fitted model.

From worths pi the comparisons are Bradley and Terry's, with Davidson's ties (1970, JASA 65, 317-328),

    P(i preferred) : P(tie) : P(j preferred) = pi_i : nu sqrt(pi_i pi_j) : pi_j,

and rankings have P(ranking) proportional to the product of pi_i^(J - rank of i) ("pattern", as R's `prefmod::simR`
draws them), or are Luce's choices from the top ("plackett-luce").  R's `prefmod::simPC` draws the comparisons without
ties.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ....data.options import one_of, whole_number
from ....data.respondents import Respondents
from ....data.respondents.codes import ABSENT, BELOW, MISSING, UNRATED
from ....errors import InputError
from ....fit.answers.fit import AnswerFit
from ....fit.answers.tables import enumerated
from ..drawn import draw_comparisons, draw_rankings
from ..maps import main_effects

FloatArray = NDArray[np.float64]


def draw_pairs(
    worths: Mapping[str, float], persons: int, *, seed: int, tie_prevalence: float = 0.0
) -> Respondents:
    """Draw the comparisons of persons from worths.

    worths: above 0; only their ratios count.  tie_prevalence: davidson's nu, 0 or more; 0: no ties, and no
    tie category.
    """
    items, lam = _lambdas(worths)
    n = whole_number("persons", persons, 1)
    if not 0.0 <= tie_prevalence < np.inf:
        raise InputError(f"tie_prevalence={tie_prevalence!r}; expected Davidson's nu, 0 or more")
    phi = [*lam[:-1], *([np.log(tie_prevalence)] if tie_prevalence else [])]
    draws, alike = np.random.default_rng(seed), np.zeros(n, dtype=np.int64)
    answers = draw_comparisons(
        np.array(phi), [main_effects(items)], alike, draws, "one" if tie_prevalence else None
    )
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
    """Draw strict rankings of all items from worths.

    worths: above 0; only their ratios count.
    """
    one_of("model", model, ("pattern", "plackett-luce"))
    items, lam = _lambdas(worths)
    alike = np.zeros(whole_number("persons", persons, 1), dtype=np.int64)
    phi = lam[:-1] * (2.0 if model == "plackett-luce" else 1.0)
    ranks = draw_rankings(phi, [main_effects(items)], alike, np.random.default_rng(seed), model)
    return Respondents.build(items, "rankings", ranks, source="draw_ranks")


def draw_answers(fit: AnswerFit, *, seed: int) -> Respondents:
    """Draw an answer of every person of a fitted table from the fitted model, with the gaps that each left.

    fit: of a model whose possible answers are written out (at most 400,000).  Returns Respondents: a row a
    person, with the covariates of the table.  Ratings are drawn as orders, and have the lowest points that
    express them.
    """
    table = fit.respondents
    possible = enumerated(fit.numbers)
    if (table.weights != np.round(table.weights)).any():
        raise InputError(
            f"{table.source}: weights that are no whole numbers of persons; a person is drawn at a time"
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


def _with_gaps(table: Respondents, drawn: NDArray[np.int64]) -> Respondents:
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
