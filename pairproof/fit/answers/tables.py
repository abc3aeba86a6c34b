"""Answers seen and expected, as data frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...data.respondents import Respondents
from ...data.respondents.codes import ABSENT, as_comparisons
from ...data.respondents.described import answer_text
from ...data.wide import prefmod_pair_order
from ...errors import InputError, TooLargeError
from ...text import count_words
from ..cell_table import CellTable
from .numbers import AnswerNumbers, Predicted

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: Possible answers that are written out at most.
MOST_POSSIBLE = 400_000


@dataclass(frozen=True, eq=False)
class PairCells:
    """The table of :func:`pair_cells`, made when it is called."""

    table: Respondents
    numbers: AnswerNumbers

    def __call__(self) -> CellTable:
        return pair_cells(self.table, self.numbers)


def seen(table: Respondents, numbers: AnswerNumbers) -> pd.DataFrame:
    """group, answer, observed, expected, residual of every distinct answer, the most frequent first."""
    import pandas as pd

    first = np.full(len(numbers.observed), -1, np.int64)
    rows = np.flatnonzero(numbers.row >= 0)[::-1]
    first[numbers.row[rows]] = rows
    order = np.lexsort((np.arange(len(first)), -numbers.observed, numbers.group))
    # Ratings that order the items alike are one answer.
    rated = table.kind == "ratings"
    codes = np.where(table.presented, table.ranks, ABSENT) if rated else table.answers
    with np.errstate(divide="ignore"):  # of forty items an answer's probability is no positive double
        residual = (numbers.observed - numbers.expected) / np.sqrt(numbers.expected)
    return pd.DataFrame(
        {
            "group": [numbers.labels[numbers.group[k]] for k in order],
            "answer": [answer_text(table, codes[first[k]], rated) for k in order],
            "observed": numbers.observed[order],
            "expected": numbers.expected[order],
            "residual": residual[order],
        }
    )


def possible(table: Respondents, numbers: AnswerNumbers, group: int, most: int) -> pd.DataFrame:
    """answer, probability of the most probable complete answers in a group, the most probable first."""
    import pandas as pd

    found = enumerated(numbers)
    p = found.probabilities(group)
    order = np.argsort(-p, kind="stable")[:most]
    codes = found.answers()[order]
    return pd.DataFrame({"answer": [answer_text(table, c, True) for c in codes], "probability": p[order]})


def enumerated(numbers: AnswerNumbers) -> Predicted:
    """The possible answers, if they are few enough."""
    found = numbers.predicted
    if found is None:
        raise InputError("the possible answers of this model are not written out")
    if found.count() > MOST_POSSIBLE:
        raise TooLargeError(
            f"there are {count_words(found.count())} possible answers; at most {MOST_POSSIBLE:,} are written out."
            " fit.patterns() has those that were given"
        )
    return found


def pair_cells(table: Respondents, numbers: AnswerNumbers) -> CellTable:
    """Every pair of items in every group and time: how complete answers compare it, and the model's margins."""
    found = enumerated(numbers)
    codes = found.answers()
    own = as_comparisons("comparisons" if table.kind == "comparisons" else "rankings", codes)
    complete = (table.pair_answers != 9).all(axis=(1, 2)) & (numbers.row >= 0)
    group = np.where(numbers.row >= 0, numbers.group[numbers.row], -1)
    pairs = prefmod_pair_order(len(table.items))
    observed: list[FloatArray] = []
    fitted: list[FloatArray] = []
    labels: list[str] = []
    for g, label in enumerate(numbers.labels):
        rows = complete & (group == g)
        n = float(table.weights[rows].sum())
        if not n:
            continue
        p = found.probabilities(g)
        for t, time in enumerate(table.times):
            y, w = table.pair_answers[rows, t], table.weights[rows]
            observed.append(np.stack([w @ (y == v) for v in (1, 0, -1)], axis=1))
            fitted.append(n * np.stack([p @ (own[:, t] == v) for v in (1, 0, -1)], axis=1))
            labels += [",".join(filter(None, [label, f"time={time}" if time else ""]))] * len(pairs)
    i, j = np.array(pairs).T
    times = len(labels) // len(pairs)
    nothing = np.zeros((0, 3))
    return CellTable(
        np.tile(i, times),
        np.tile(j, times),
        tuple(labels),
        np.concatenate([nothing, *observed]),
        np.concatenate([nothing, *fitted]),
    )
