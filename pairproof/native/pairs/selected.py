"""Selective terms: one item, or one item covariate, varies with subject covariates and the others do not.

    a_js = sum_t z_st b_tj + sum_m x_mj z_sm eta_m

x_m is 1 for one item and 0 for the others (`Paris:WOR`), or an item covariate (`LAT:ENG`).  No reference enters:
eta is by how much Paris differs more from the items that are not named, in a group, than it does in the group of
reference; Paris may be the reference item itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import AliasError, TooLargeError
from ...fit.spec import ModelSpec, by_suffix
from .design import MOST_COLUMNS, By, Patterns, columns
from .formula import Formula
from .item_terms import ItemColumn, selected_columns

FloatArray = NDArray[np.float64]

#: An eigenvalue of the correlations of the terms below this is a zero: exact dependence leaves about 1e-15, and what
#: is left of a term is then below 1e-6 of its length.
NO_LENGTH = 1e-12


@dataclass(frozen=True, eq=False)
class Selected:
    """The selective terms of a model.

    Attributes
    ----------
    of : tuple of (ItemColumn, By)
        What each term is.
    x : float[m, n_items]
    z : float[n_patterns, m]
    """

    of: tuple[tuple[ItemColumn, By], ...]
    x: FloatArray
    z: FloatArray


def selected(
    data: Comparisons,
    spec: ModelSpec,
    formula: Formula,
    patterns: Patterns,
    of_all: tuple[FloatArray | None, FloatArray],
) -> Selected:
    """The selective terms of a formula.

    Parameters
    ----------
    of_all : (float[n_items, k] or None, float[n_patterns, t])
        The item covariates of the model (None: free items) and what all of them are multiplied with.

    Raises
    ------
    AliasError
        Terms that the others determine.
    TooLargeError
        More terms than a model can have.
    """
    of: list[tuple[ItemColumn, By]] = []
    x: list[FloatArray] = []
    z: list[FloatArray] = []
    for head, product in formula.own:
        for name, values in selected_columns(data, spec, head):
            for by, column in columns(product, patterns):
                of.append((name, by))
                x.append(values)
                z.append(column)
        if len(of) > MOST_COLUMNS:
            raise TooLargeError(
                f"by={spec.by!r}: more than {MOST_COLUMNS:,} selective terms; pool levels, or take a numeric covariate"
            )
    if not of:
        return Selected((), np.zeros((0, len(data.items))), np.zeros((patterns.n, 0)))
    found = Selected(tuple(of), np.stack(x).astype(float), np.stack(z, axis=1))
    _check(spec, found, *of_all)
    return found


def _check(spec: ModelSpec, found: Selected, x_all: FloatArray | None, z_all: FloatArray) -> None:
    """AliasError if terms are determined by the others and by those of all items.

    A term is the product of its column over the items (of which only the deviations from their mean count) and its
    column over the patterns, so that the inner product of two is that over the items times that over the patterns.
    What is left of them once the terms of all items are taken out has the inner products K - K_all, where K_all has
    the projections of both columns.
    """
    x = found.x - found.x.mean(axis=1, keepdims=True)
    z = found.z
    size = np.sqrt((x**2).sum(axis=1) * (z**2).sum(axis=0))
    x_in = x if x_all is None else x @ _onto(x_all - x_all.mean(axis=0))
    z_in = _onto(z_all).T @ z
    left = (x @ x.T) * (z.T @ z) - (x_in @ x_in.T) * (z_in.T @ z_in)
    left = left / np.outer(size, size)
    values, vectors = np.linalg.eigh(left)
    bad = vectors[:, values <= NO_LENGTH]
    if not bad.shape[1]:
        return
    involved = np.flatnonzero(np.abs(bad).max(axis=1) > 1e-4)
    names = [f"{found.of[k][0][0]}{by_suffix(found.of[k][1])}" for k in involved[:6]]
    more = f" and {len(involved) - 6} more" if len(involved) > 6 else ""
    if len(names) == 1:
        raise AliasError(
            f"by={spec.by!r}: {names[0]} cannot be told from the other terms: in these data they determine it; leave"
            " it out"
        )
    raise AliasError(
        f"by={spec.by!r}: {', '.join(names)}{more} cannot be told from one another: only differences between items"
        " count, and in these data one is determined by the others; leave one of them out"
    )


def _onto(matrix: FloatArray) -> FloatArray:
    """float[n, k]: an orthonormal basis of the columns."""
    q, r = np.linalg.qr(matrix / np.maximum(np.linalg.norm(matrix, axis=0), 1e-300))
    kept: FloatArray = q[:, np.abs(np.diag(r)) > 1e-9]
    return kept
