"""Every possible complete answer: with its probability, and as a row of the design of a Poisson model.

The answers are all of {1, -1} or {1, 0, -1} for each comparison, all J! rankings, all weak orders that a
scale can express, or rankings in groups of tied items; at several times, all combinations of these.

The design has a row for each of them in each group, as R's `prefmod::patt.design` has it.  A Poisson model
with the counts y,

    log m(answer, group) = constant of the group + sum over items X_j lambda_j + ties + dependence,

is the pattern model (Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10)): X_j is how often j
is preferred in an answer less how often another item is preferred to it.  :func:`pairproof.fit_pattern` needs
no such table; it is for models that it does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import factorial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...data.columns import Factor, take
from ...data.options import one_of
from ...data.respondents.codes import MISSING
from ...data.respondents.respondents import Respondents
from ...errors import InputError, TooLargeError
from ...fit.results.answers import MOST_POSSIBLE
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...text import count_words
from .patterns.luce_choices import LuceSpace, Ranks
from .patterns.natural_parameters import incidence, n_pairs, pair_names, sharing, statistics_of
from .patterns.ranking_patterns import sequences
from .patterns.rating_patterns import as_comparisons, n_weak_orders, statistics, weak_orders

if TYPE_CHECKING:
    import pandas as pd


Form = Literal["comparisons", "strict", "luce", "weak"]


@dataclass(frozen=True, eq=False)
class Possible:
    """The possible answers of a fitted model.
    form: all comparisons; strict rankings of the pattern model; rankings of Plackett and Luce; weak orders.
    orders: numbers of items that can tie (Plackett-Luce)."""

    form: Form
    n_items: int
    n_times: int = 1
    ternary: bool = False
    places: int = 0
    orders: tuple[int, ...] = ()
    dependence: bool = False
    between_times: bool = False
    beta: tuple[FloatArray, ...] = ()

    def count(self) -> int:
        """Number of answers."""
        n = self.n_items
        if self.form == "comparisons":
            once = (3 if self.ternary else 2) ** n_pairs(n)
        elif self.form == "strict":
            once = factorial(n)
        elif self.form == "luce":
            once = int(sequences(n, self.orders))
        else:
            once = int(n_weak_orders(n, self.places))
        return int(once**self.n_times)

    @cached_property
    def _once(self) -> IntArray:
        """int[N, k]: answers at one time: comparisons, or places from 0."""
        if self.form == "comparisons":
            values = (1, 0, -1) if self.ternary else (1, -1)
            return np.array(list(product(values, repeat=n_pairs(self.n_items))), dtype=np.int64)
        if self.form == "strict" or (self.form == "luce" and not self.orders):
            return np.array(list(permutations(range(self.n_items))), dtype=np.int64)
        if self.form == "weak":
            return weak_orders(self.n_items, self.places)
        every = weak_orders(self.n_items, self.n_items)
        size = np.stack([(every == k).sum(axis=1) for k in range(self.n_items)], axis=1)
        return np.asarray(every[np.isin(size, [0, 1, *self.orders]).all(axis=1)])

    def answers(self) -> IntArray:
        """int[N, n_times, k]: comparisons (1, 0, -1), or ranks (1 = best)."""
        once = self._once if self.form == "comparisons" else self._once + 1
        if self.n_times == 1:
            return once[:, None]
        at = np.array(list(product(range(len(once)), repeat=self.n_times)))
        return np.asarray(once[at])

    def comparisons(self) -> IntArray:
        """int[N, C]: the comparisons of each answer at one time: 1, 0, -1."""
        return self._once if self.form == "comparisons" else as_comparisons(self._once)

    def probabilities(self, group: int) -> FloatArray:
        """float[N]: of each answer in a covariate group."""
        beta = self.beta[group]
        if self.form == "luce":
            space = LuceSpace(Ranks(self._once + 1), self.orders)
            return np.asarray(np.exp(space.at(beta).log_probabilities(np.arange(len(self._once)))))
        if self.n_times == 1:
            log_p = self._statistics() @ beta
        else:
            log_p = self._over_times(beta)
        weights = np.exp(log_p - log_p.max())
        return np.asarray(weights / weights.sum())

    def _statistics(self) -> FloatArray:
        """float[N, q]: statistics of the answers at one time."""
        depends = sharing(self.n_items) if self.dependence else ()
        if self.form == "weak":
            return statistics(self._once, depends)
        if self.form == "strict":
            signs = as_comparisons(self._once)
            return np.asarray(signs if self.n_times > 1 else signs @ incidence(self.n_items), dtype=float)
        return statistics_of(self._once, self.ternary, depends)

    def _over_times(self, beta: FloatArray) -> FloatArray:
        """float[N^T]: log-probabilities of combinations of times, but for a constant."""
        own, c = self._statistics(), n_pairs(self.n_items)
        signs, q = self.comparisons().astype(float), own.shape[1]
        found = np.zeros((len(own),) * self.n_times)
        for t in range(self.n_times):
            shape = [1] * self.n_times
            shape[t] = len(own)
            found = found + (own @ beta[t * q : (t + 1) * q]).reshape(shape)
        for t in range(self.n_times - 1):
            theta = beta[self.n_times * q + t * c :][:c]
            link = (signs * theta) @ signs.T
            shape = [1] * self.n_times
            shape[t], shape[t + 1] = len(own), len(own)
            found = found + link.reshape(shape)
        return found.reshape(-1)


def answer_design(
    table: Respondents, by: Sequence[str] = (), *, dependence: bool = False, incomplete: str = "refuse"
) -> pd.DataFrame:
    """The possible answers, how often each was given, and the columns of a log-linear model of them.
    dependence: whether columns y_a y_b of comparisons that share an item are added.  incomplete: what becomes
    of persons who left something out: prefmod leaves them out.  Returns DataFrame: answer, y, one
    column per item, `tie:A:B` for each pair where ties could be given, `A:B*A:C` and so on with dependence,
    then the covariates.  ``attrs["left_out"]`` is the number of persons left out."""
    import pandas as pd

    one_of("incomplete", incomplete, ("refuse", "leave out"))
    table.once  # refuses answers at several times
    kept = _complete(table, incomplete)
    possible = _possible(table, dependence)
    group, first = table.groups(list(by))
    if possible.count() * len(first) > MOST_POSSIBLE:
        raise TooLargeError(
            f"{count_words(possible.count())} possible answers in {len(first)} groups; at most {MOST_POSSIBLE:,} rows"
            " are made. fit_pattern needs no such table"
        )
    answers = possible.answers()[:, 0]
    signs = possible.comparisons()
    counts = _counts(table, signs, kept, group, len(first))
    columns: dict[str, Any] = {
        "answer": [table.answer_text(a[None], True) for a in answers],
        **{item: x for item, x in zip(table.items, (signs @ incidence(len(table.items))).astype(np.int64).T)},
    }
    pairs = pair_names(table.items)
    if table.tie_category:
        columns |= {f"tie:{p}": (signs[:, c] == 0).astype(np.int64) for c, p in enumerate(pairs)}
    if dependence:
        depends = sharing(len(table.items))
        columns |= {f"{pairs[a]}*{pairs[b]}": signs[:, a] * signs[:, b] for a, b in depends}
    frame = pd.concat([pd.DataFrame(columns)] * len(first), ignore_index=True)
    frame.insert(1, "y", counts.reshape(-1))
    for name in by:
        column = take(table.columns[name], first)
        values = np.array(column.levels, object)[column.codes] if isinstance(column, Factor) else column
        frame[name] = np.repeat(values, len(answers))
    frame.attrs["left_out"] = float(table.weights[~kept].sum())
    return frame


def _possible(table: Respondents, dependence: bool) -> Possible:
    n = len(table.items)
    if table.kind == "comparisons":
        return Possible("comparisons", n, ternary=table.tie_category, dependence=dependence)
    if table.kind == "rankings" and not table.tie_category:
        return Possible("strict", n, dependence=dependence)
    places = min(len(table.scale), n) if table.kind == "ratings" else n
    return Possible("weak", n, ternary=True, places=places, dependence=dependence)


def _complete(table: Respondents, incomplete: str) -> BoolArray:
    """bool[n_rows]: rows that answer every comparison."""
    kept: BoolArray = (table.pair_answers != MISSING).all(axis=(1, 2))
    if not kept.all() and incomplete == "refuse":
        row = int(np.flatnonzero(~kept)[0]) + 1
        raise InputError(
            f"{table.source}, row {row}: something was left out ({int((~kept).sum())} such row(s)), and a table of possible"
            " answers has no place for it; incomplete='leave out' leaves these persons out, fit_pattern takes them"
        )
    return kept


def _counts(
    table: Respondents, signs: IntArray, kept: BoolArray, group: IntArray, n_groups: int
) -> FloatArray:
    """float[n_groups, N]: persons with each answer."""
    place = {row.tobytes(): k for k, row in enumerate(np.ascontiguousarray(signs, dtype=np.int64))}
    given = np.ascontiguousarray(table.pair_answers[kept, 0], dtype=np.int64)
    at = np.array([place[row.tobytes()] for row in given], dtype=np.int64)
    counts = np.zeros((n_groups, len(signs)))
    np.add.at(counts, (group[kept], at), table.weights[kept])
    return counts
