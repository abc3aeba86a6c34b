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

from ...errors import AliasError, TooLargeError
from ...fit.spec import ModelSpec, by_suffix
from .design import MOST_COLUMNS, By, Patterns, columns
from .formula import Formula
from .item_terms import ItemColumn, WithItems, selected_columns

FloatArray = NDArray[np.float64]

#: What is left of a term that the terms of all items determine, as a share of its length: exact dependence
#: leaves about 1e-15 (as in :func:`pairproof.native.pairs.design.aliased`).
NOTHING = 1e-9
#: An eigenvalue of the correlations of what is left of the terms below this is a zero: exact dependence
#: leaves about 1e-15.
NO_LENGTH = 1e-12


@dataclass(frozen=True, eq=False)
class Selected:
    """The selective terms of a model.

    `of`: what each term is.  x float[m, n_items].  z float[n_patterns, m].
    """

    of: tuple[tuple[ItemColumn, By], ...]
    x: FloatArray
    z: FloatArray


def selected(
    data: WithItems,
    spec: ModelSpec,
    formula: Formula,
    patterns: Patterns,
    of_all: tuple[FloatArray | None, FloatArray],
) -> Selected:
    """The selective terms of a formula.

    of_all (float[n_items, k] or None, float[n_patterns, t]): the item covariates of the model (None: free
    items) and what all of them are multiplied with.
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
    With x = x_1 + x_2 and z = z_1 + z_2, x_1 and z_1 among the columns of the terms of all items, these leave of a
    term x_2 times z and x_1 times z_2, which are orthogonal to each other.
    """
    x = found.x - found.x.mean(axis=1, keepdims=True)
    z = found.z
    x_in, x_out = (x, 0.0 * x) if x_all is None else _rows(_apart(x.T, x_all - x_all.mean(axis=0)))
    _, z_out = _apart(z, z_all)
    left = (x_out @ x_out.T) * (z.T @ z) + (x_in @ x_in.T) * (z_out.T @ z_out)
    length = np.sqrt(np.diag(left))
    nothing = length <= NOTHING * np.sqrt((x**2).sum(axis=1) * (z**2).sum(axis=0))
    if nothing.any():
        involved = np.flatnonzero(nothing)[:1]
    else:
        values, vectors = np.linalg.eigh(left / np.outer(length, length))
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


def _apart(columns: FloatArray, among: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The parts of the columns, float[n, m], inside and outside the span of others, float[n, k]."""
    q, r = np.linalg.qr(among / np.maximum(np.linalg.norm(among, axis=0), 1e-300))
    q = q[:, np.abs(np.diag(r)) > NOTHING]
    inside = q @ (q.T @ columns)
    outside = columns - inside
    return inside, outside - q @ (q.T @ outside)  # a second time, so that it is orthogonal to all digits


def _rows(parts: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    return parts[0].T, parts[1].T
