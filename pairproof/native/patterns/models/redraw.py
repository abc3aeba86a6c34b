"""Answers drawn from a fitted model, with the gaps of the table that it was fitted to.

Each person answers all questions as the model of their covariate group and class says, and what they had left out is
then left out again: comparisons and ratings without an answer, items that were not presented, items below those that
were ranked (the model of a ranking of some items is its own, so that these alone are ranked).  Where comparisons are
independent given the items, and for strict rankings at one time, answers are drawn one comparison or one rank at a
time (:mod:`pairproof.native.patterns.drawn`); else from the list of all possible answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....data.columns import take
from ....data.respondents import Respondents
from ....data.respondents.codes import ABSENT, BELOW, MISSING, UNRATED, dense
from ....errors import InputError, TooLargeError
from ....fit.answers.tables import MOST_POSSIBLE
from ....text import count_words
from ..comparisons.pairs import n_pairs
from ..drawn import draw_independent, draw_pattern_rankings
from .possible import Possible

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def persons_of(table: Respondents) -> tuple[Respondents, IntArray]:
    """The table with a row for each person, and the row that each had."""
    whole = np.round(table.weights).astype(np.int64)
    wrong = np.flatnonzero(whole != table.weights)
    if len(wrong):
        raise InputError(
            f"{table.source}, row {wrong[0] + 1}: the weight is {table.weights[wrong[0]]:g}; a bootstrap draws whole"
            " persons, so that weights must be whole numbers"
        )
    rows = np.repeat(np.arange(table.n_rows), whole)
    columns = {name: take(column, rows) for name, column in table.columns.items()}
    persons = replace(table, answers=table.answers[rows], weights=np.ones(len(rows)), columns=columns)
    return persons, rows


@dataclass(frozen=True, eq=False)
class Redraw:
    """Draws the answers of persons from a model.

    persons: a row a person: whose gaps are kept.  possible: all answers; its probabilities are set when they
    are drawn.  maps: from parameters to natural ones, of each group.  group int[n_persons].
    """

    persons: Respondents
    possible: Possible
    maps: Sequence[FloatArray]
    group: IntArray

    def __call__(self, phi: FloatArray, draws: np.random.Generator) -> IntArray:
        """int[n_persons, n_times * k]: answers of persons whose parameters are float[n_persons, p]."""
        answers = self.persons.answers
        found = np.empty_like(answers)
        silent = (self.persons.pair_answers == MISSING).all(axis=(1, 2))
        for rows, own, items in self._alike(phi):
            found[rows] = self._drawn(own, items, len(rows), draws)
        found = np.where(silent[:, None, None], answers, self._with_gaps(found))
        return np.asarray(found.reshape(len(found), -1), np.int64)

    def _alike(self, phi: FloatArray) -> Iterator[tuple[IntArray, FloatArray, BoolArray]]:
        """Rows with the same natural parameters and items, these parameters, and which items."""
        n_items = len(self.persons.items)
        of_subset = self.possible.form in ("strict", "luce") and self.persons.n_times == 1
        there = np.ones((len(phi), n_items), bool)
        if of_subset:
            there = self.persons.answers[:, 0] != ABSENT
        keys = np.column_stack([self.group, there, phi])
        _, first, kind = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        for number, row in enumerate(first):
            rows = np.flatnonzero(kind.reshape(-1) == number)
            yield rows, self.maps[self.group[row]] @ phi[row], there[row]

    def _drawn(self, beta: FloatArray, items: BoolArray, n: int, draws: np.random.Generator) -> IntArray:
        """int[n, n_times, k]: complete answers about some of the items; ABSENT for the others."""
        model, n_items = self.possible, len(items)
        if model.n_times == 1 and model.form == "comparisons" and not model.dependence:
            c = n_pairs(n_items)
            ties = beta[c:] if model.ternary else None
            return draw_independent(np.tile(beta[:c], (n, 1)), ties, draws)[:, None]
        found = np.full((n, 1, n_items), ABSENT, np.int64)
        if model.n_times == 1 and model.form == "strict":
            found[:, 0, items] = draw_pattern_rankings(beta[items], n, draws)
        elif model.form == "luce" and not model.orders:
            worths = beta[:n_items][items] + draws.gumbel(size=(n, int(items.sum())))
            found[:, 0, items] = np.argsort(np.argsort(-worths, axis=1), axis=1) + 1
        elif model.form == "luce":
            m = int(items.sum())
            orders = tuple(d for d in model.orders if d <= m)
            kept = np.append(items, [d in orders for d in model.orders])
            part = replace(model, n_items=m, orders=orders, beta=(beta[kept],))
            found[:, 0, items] = _listed(part, n, draws)[:, 0]
        else:
            return _listed(replace(model, beta=(beta,)), n, draws)
        return found

    def _with_gaps(self, drawn: IntArray) -> IntArray:
        """The answers without what persons had left out."""
        was, kind = self.persons.answers, self.persons.kind
        if kind == "comparisons":
            return np.where(was == MISSING, MISSING, drawn)
        if kind == "ratings":
            return np.where(was == UNRATED, UNRATED, drawn)
        ranks = np.where((was == ABSENT) | (drawn == ABSENT), 0, drawn)
        ranked = (was > 0).sum(axis=2, keepdims=True)
        some = (was == BELOW).any(axis=2, keepdims=True)
        # How many stand above each item: a ranking ends when as many items as before have a rank.
        above = ((ranks[..., None, :] < ranks[..., None]) & (ranks[..., None, :] > 0)).sum(axis=3)
        cut = np.where(some & (above >= ranked), BELOW, ranks)
        codes = np.where(was == ABSENT, ABSENT, cut)
        found: IntArray = dense(codes.reshape(-1, codes.shape[2])).reshape(codes.shape)
        return found


def _listed(model: Possible, n: int, draws: np.random.Generator) -> IntArray:
    """int[n, n_times, k]: draws from the list of possible answers."""
    if model.count() > MOST_POSSIBLE:
        raise TooLargeError(
            f"answers of this model are drawn from the list of all possible ones, {count_words(model.count())};"
            f" at most {MOST_POSSIBLE:,} are listed: there is no bootstrap of it"
        )
    found: IntArray = model.answers()[draws.choice(int(model.count()), size=n, p=model.probabilities(0))]
    return found
