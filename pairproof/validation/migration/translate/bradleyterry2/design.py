"""Which parameters of a Python fit R's coefficients are: told by the columns of the two designs, not by names.

With X_P the columns of the fit's parameters and X_R those of R's model matrix, both in favour of the player named
first, R's coefficients b_R are the fit's b_P = M b_R where X_P M = X_R.  M is a permutation unless R's contrasts are
others than "one player is 0"::

    contr.sum: columns D_i - D_n, so that b_i is the deviation of player i from the mean
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .....bridge.cells import comparison_columns, order_of, treated
from .....fit.fit import Fit
from .....fit.predictions import item_covariate
from .contests import Contests

FloatArray = NDArray[np.float64]
#: Of the largest entry of a column: both designs are differences of the same covariates, in double precision.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Relation:
    """R's coefficients in terms of a fit's.

    names: of the fit's parameters; the reference is not among them.  `by` float[len(names), n_r]: b_P = by @
    b_R, over all columns of R's model matrix.  direct: whether each of R's coefficients is one of the fit's
    parameters.  reference: the item that is 0 in `names`; "" where none is.
    """

    names: tuple[str, ...]
    by: FloatArray
    direct: bool
    reference: str


def design_of(fit: Fit) -> tuple[tuple[str, ...], FloatArray, str]:
    """Names and columns of the free parameters, float[n_rows, p], in favour of the item named first; the reference.

    fit: without subject covariates or ties.
    """
    table = treated(fit)
    reference = ""
    if any(t.kind == "item" for t in fit.terms):
        reference = fit.spec.reference if fit.spec.reference in fit.items else fit.items[0]
    terms = [t for t in fit.terms if t.kind not in ("tie", "tie-of") and t.name != reference]
    contest = comparison_columns(fit, table, table.wins + table.ties + table.losses > 0)
    columns = np.zeros((table.n_rows, len(terms)))
    for k, term in enumerate(terms):
        if term.kind == "order":
            columns[:, k] = order_of(table)
        elif term.kind == "comparison":
            columns[:, k] = contest[term.name]
        else:
            of_item = (
                np.array([float(item == term.item) for item in fit.items])
                if term.kind == "item"
                else item_covariate(fit, term)
            )
            columns[:, k] = of_item[table.first] - of_item[table.second]
    return tuple(t.name for t in terms), columns, reference


def relation(fit: Fit, contests: Contests, known: NDArray[np.bool_]) -> Relation | None:
    """How R's coefficients are made of the fit's parameters; None if the models differ.

    known bool[p]: which of R's coefficients have a number (are not NA).
    """
    names, ours, reference = design_of(fit)
    rows = contests.wins + contests.losses > 0
    ours, theirs = ours[rows], contests.x[rows]
    by = np.zeros((len(names), theirs.shape[1]))
    free = set(range(len(names)))
    for k in range(theirs.shape[1]):
        found = next((j for j in sorted(free) if _same(ours[:, j], theirs[:, k])), None)
        if found is not None:
            by[found, k] = 1.0
            free.discard(found)
    matched = by.any(axis=0)
    if matched[known].all() and not np.any(ours[:, sorted(free)]):
        return Relation(names, by, True, reference)
    if not theirs[:, known].size or not ours.size:
        return None
    solved, _, rank, _ = np.linalg.lstsq(ours, theirs[:, known], rcond=None)
    far = np.abs(ours @ solved - theirs[:, known]).max()
    if (
        rank < len(names)
        or rank > known.sum()
        or far > SAME * max(1.0, float(np.abs(theirs[:, known]).max()))
    ):
        return None
    by = np.zeros((len(names), theirs.shape[1]))
    by[:, known] = _rounded(solved)
    return Relation(names, by, False, reference)


def _same(a: FloatArray, b: FloatArray) -> bool:
    return bool(np.abs(a - b).max(initial=0.0) <= SAME * max(1.0, float(np.abs(b).max(initial=0.0))))


def _rounded(values: FloatArray) -> FloatArray:
    """Without the rounding of the solution where entries are whole."""
    whole = np.round(values)
    return np.where(np.abs(values - whole) <= SAME, whole, values)
