"""Standard errors of models of whole answers that hold where persons of a cluster go together, or the model is wrong.

The formulas are those of :mod:`pairproof.fit.robust.dense`; a unit is a distinct answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.columns import Factor
from ...data.options import one_of
from ...data.respondents import Respondents
from ...errors import InputError
from ..robust.clusters import KINDS, Kind
from ..robust.dense import DenseClusters, sandwich
from ..robust.robust import Missing
from .numbers import AnswerNumbers

if TYPE_CHECKING:
    from ..record import FitRecord

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def clusters_of(
    fit: FitRecord,
    table: Respondents,
    numbers: AnswerNumbers,
    columns: tuple[str, ...],
    kind: Kind,
    missing: Missing,
) -> DenseClusters:
    """The clustering of :meth:`pairproof.fit.answers.fit.AnswerFit.clustered`."""
    columns = tuple(map(table.role_of, columns))
    one_of("kind", kind, KINDS)
    one_of("missing", missing, ("refuse", "own"))
    groups, times, labels = groups_of(table, numbers, columns, missing)
    return sandwich(numbers.law, groups, times, (columns, labels), kind, fit.covariance)


def groups_of(
    table: Respondents, numbers: AnswerNumbers, columns: tuple[str, ...], missing: Missing
) -> tuple[sparse.csr_matrix, FloatArray, tuple[str, ...]]:
    """Persons with each distinct answer in each kind of cluster, float[K, n]; clusters of each kind; their labels.

    Without columns every person is a cluster, and persons with one answer are of one kind.
    """
    if len(columns) > 1:
        raise InputError(
            f"{len(columns)} columns ({', '.join(columns)}); whole answers are clustered by one column, or by person"
        )
    here = np.flatnonzero((numbers.row >= 0) & (table.weights > 0))
    weights, n = table.weights[here], len(numbers.observed)
    if not columns:
        if (weights != np.round(weights)).any():
            raise InputError(
                "weights that are no whole numbers of persons cannot be clusters of one person each"
            )
        return sparse.identity(n, format="csr"), numbers.observed, ()
    codes, names = _codes(table, columns[0], missing)
    present, code = np.unique(codes[here], return_inverse=True)
    shape = (len(present), n)
    groups = sparse.csr_matrix((weights, (np.ravel(code), numbers.row[here])), shape=shape)
    return groups, np.ones(len(present)), tuple(names[k] for k in present)


def _codes(table: Respondents, name: str, missing: str) -> tuple[IntArray, list[str]]:
    """int[n_rows]: the cluster of each row, and what the clusters are called."""
    if name not in table.columns:
        raise InputError(
            f"{table.source}: no column {name!r}; it has {', '.join(table.columns) or 'no further columns'}"
        )
    column = table.columns[name]
    if isinstance(column, Factor):
        codes, lacking, names = column.codes.astype(np.int64), column.codes < 0, list(column.levels)
    else:
        values, inverse = np.unique(column, return_inverse=True)
        codes, lacking = np.ravel(inverse).astype(np.int64), np.isnan(column)
        names = [f"{v:.15g}" for v in values]
    if lacking.any() and missing == "refuse":
        row = int(np.flatnonzero(lacking)[0]) + 1
        raise InputError(
            f"{table.source}, row {row}: no value in column {name!r} ({int(lacking.sum())} such row(s));"
            " missing='own' makes each a cluster of its own"
        )
    own = np.arange(len(codes)) + len(names)
    return np.where(lacking, own, codes), names + [f"(row {k + 1})" for k in range(len(codes))]
