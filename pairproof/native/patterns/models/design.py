"""The design of a pattern model: a row for each possible answer in each group, as R's `prefmod::patt.design` has it.

A Poisson model with the counts y,

    log m(answer, group) = constant of the group + sum over items X_j lambda_j + ties + dependence,

is the pattern model (Hatzinger and Dittrich 2012, Journal of Statistical Software 48(10)): X_j is how often j is
preferred in an answer less how often another item is preferred to it.  :func:`pairproof.fit_pattern` needs no such
table; it is for models that it does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....data.columns import Factor
from ....data.options import one_of
from ....data.respondents import Respondents
from ....data.respondents.codes import MISSING
from ....data.wide import prefmod_pair_order
from ....errors import InputError, TooLargeError
from ....fit.answers.tables import MOST_POSSIBLE
from ....text import count_words
from ..comparisons.pairs import incidence, sharing
from .possible import Form, Possible

if TYPE_CHECKING:
    import pandas as pd

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def answer_design(
    table: Respondents, by: Sequence[str] = (), *, dependence: bool = False, incomplete: str = "refuse"
) -> pd.DataFrame:
    """The possible answers, how often each was given, and the columns of a log-linear model of them.

    table: answers at one time.  `by`: covariates whose groups are kept apart.  dependence: whether columns
    y_a y_b of comparisons that share an item are added.  incomplete: what becomes of persons who left
    something out: prefmod leaves them out.  Returns DataFrame: answer, y, a column an item, `tie:A:B` for
    each pair where ties could be given, `A:B*A:C` and so on with dependence, then the covariates.
    ``attrs["left_out"]`` is the number of persons left out.
    """
    import pandas as pd

    from ....data.respondents.described import answer_text

    one_of("incomplete", incomplete, ("refuse", "leave out"))
    table.once  # refuses answers at several times
    kept = _complete(table, incomplete)
    possible = Possible(*_form(table), dependence, False, ())
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
        "answer": [answer_text(table, a[None], True) for a in answers],
        **{item: x for item, x in zip(table.items, (signs @ incidence(len(table.items))).astype(np.int64).T)},
    }
    pairs = [f"{table.items[i]}:{table.items[j]}" for i, j in prefmod_pair_order(len(table.items))]
    if table.tie_category:
        columns |= {f"tie:{p}": (signs[:, c] == 0).astype(np.int64) for c, p in enumerate(pairs)}
    if dependence:
        depends = sharing(len(table.items))
        columns |= {f"{pairs[a]}*{pairs[b]}": signs[:, a] * signs[:, b] for a, b in depends}
    frame = pd.concat([pd.DataFrame(columns)] * len(first), ignore_index=True)
    frame.insert(1, "y", counts.reshape(-1))
    for name in by:
        column = table.columns[name]
        values = (
            np.array(column.levels, dtype=object)[column.codes[first]]
            if isinstance(column, Factor)
            else column[first]
        )
        frame[name] = np.repeat(values, len(answers))
    frame.attrs["left_out"] = float(table.weights[~kept].sum())
    return frame


def _form(table: Respondents) -> tuple[Form, int, int, bool, int, tuple[int, ...]]:
    n = len(table.items)
    if table.kind == "comparisons":
        return "comparisons", n, 1, table.tie_category, 0, ()
    if table.kind == "rankings" and not table.tie_category:
        return "strict", n, 1, False, 0, ()
    return "weak", n, 1, True, min(len(table.scale), n) if table.kind == "ratings" else n, ()


def _complete(table: Respondents, incomplete: str) -> NDArray[np.bool_]:
    """bool[n_rows]: rows that answer every comparison."""
    kept: NDArray[np.bool_] = (table.pair_answers != MISSING).all(axis=(1, 2))
    if not kept.all() and incomplete == "refuse":
        row = int(np.flatnonzero(~kept)[0]) + 1
        raise InputError(
            f"{table.source}, row {row}: something was left out ({int((~kept).sum())} such row(s)), and a table of possible"
            " answers has no place for it; incomplete='leave out' leaves these persons out, fit_pattern takes them"
        )
    return kept


def _counts(
    table: Respondents, signs: IntArray, kept: NDArray[np.bool_], group: IntArray, n_groups: int
) -> FloatArray:
    """float[n_groups, N]: persons with each answer."""
    place = {row.tobytes(): k for k, row in enumerate(np.ascontiguousarray(signs, dtype=np.int64))}
    given = np.ascontiguousarray(table.pair_answers[kept, 0], dtype=np.int64)
    at = np.array([place[row.tobytes()] for row in given], dtype=np.int64)
    counts = np.zeros((n_groups, len(signs)))
    np.add.at(counts, (group[kept], at), table.weights[kept])
    return counts
