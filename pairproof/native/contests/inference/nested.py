"""The test of one model inside another, fitted to the same rows.

A likelihood ratio; by penalised quasi-likelihood Wald's chi-square of the larger model; with reduced bias the ratio of
likelihoods that are both penalised by the larger model's Jeffreys prior (Heinze and Schemper 2002, Statistics in Medicine
21, 2409-2419).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....errors import ComparisonError, TooLargeError
from ....fit.contests.fit import ContestFit
from ....fit.contests.spec import ContestSpec
from ....fit.fit import Fit
from ....fit.inference import chi_square_p
from ....fit.shown.text import title
from ..rows import contest_rows
from .constrained import complement, constrained_maximum
from .objectives import flat_of, objective_of, parts_of
from .terms import OWN

FloatArray = NDArray[np.float64]

LR, WALD, PENALISED = "likelihood ratio", "Wald chi-square", "penalised likelihood ratio"
#: Entries of the two designs that are compared where the bias is reduced.
MOST_ENTRIES = 50_000_000


def compared(smaller: Fit, larger: Fit) -> tuple[int, float, float]:
    """df, statistic and p of two fits of the same rows, one of them inside the other.

    Returns (int, float, float): (0, 0.0, nan) where the larger one has no further parameter that the data
    determine.
    """
    df = larger.rank - smaller.rank
    if df <= 0:
        return 0, 0.0, float("nan")
    kind = kind_of_test(larger)
    if kind == WALD:
        statistic = _wald(smaller, larger, df)
    elif kind == PENALISED:
        statistic = _penalised_ratio(smaller, larger)
    else:
        statistic = max(0.0, 2.0 * (larger.llf - smaller.llf))
    return df, statistic, chi_square_p(statistic, df)


def _wald(smaller: Fit, larger: Fit, df: int) -> float:
    there = {n[len(OWN) :] if n.startswith(OWN) else n for n in smaller.names}
    extra = [
        k
        for k, n in enumerate(larger.names)
        if (n[len(OWN) :] if n.startswith(OWN) else n) not in there and larger.free[k]
    ]
    if len(extra) != df:
        raise ComparisonError(
            f"by PQL a term is tested by its own parameters, and those of {title(smaller)} are not among those of"
            f" {title(larger)}; fit with method='laplace'"
        )
    functions = np.eye(len(larger.terms))[extra]
    b = functions @ larger.beta
    return float(b @ np.linalg.solve(larger.covariance.between(functions), b))


def _penalised_ratio(smaller: Fit, larger: Fit) -> float:
    """Twice the penalised likelihood lost when the larger model is held inside the smaller one's space."""
    assert isinstance(larger, ContestFit) and isinstance(smaller.spec, ContestSpec)
    rows = contest_rows(larger.data, larger.of_contests)
    # The rows of both are the same, so that one design's columns are combinations of the other's.
    inner = contest_rows(smaller.data, smaller.spec)
    n = rows.design.n_rows
    if n * (len(rows.design.names) + len(inner.design.names)) > MOST_ENTRIES:
        raise TooLargeError(
            f"a penalised likelihood ratio takes designs of {n:,} rows and {len(rows.design.names):,} columns (limit"
            f" {MOST_ENTRIES:,} entries)"
        )
    everywhere = np.arange(n)
    wide, narrow = rows.design.rows(everywhere), inner.design.rows(everywhere)
    basis = np.linalg.lstsq(wide, narrow, rcond=None)[0]
    left = narrow - wide @ basis
    if np.abs(left).max(initial=0.0) > 1e-7 * max(1.0, float(np.abs(narrow).max(initial=0.0))):
        raise ComparisonError(f"{title(smaller)} is not a special case of {title(larger)}")
    q = int(rows.has_ties)
    full = np.zeros((wide.shape[1] + q, narrow.shape[1] + q))
    full[: wide.shape[1], : narrow.shape[1]] = basis
    full[wide.shape[1] :, narrow.shape[1] :] = np.eye(q)
    full = _spanned(full, flat_of(rows))
    _, value = constrained_maximum(
        objective_of(rows, parts_of(rows)), np.zeros(len(full)), full, np.zeros(full.shape[1])
    )
    return max(0.0, 2.0 * (larger.penalised - value))


def _spanned(columns: FloatArray, flat: FloatArray) -> FloatArray:
    """Orthonormal columns that span the columns but for what lies along the flat directions."""
    told = complement(flat)
    u, s, _ = np.linalg.svd(told.T @ columns, full_matrices=False)
    return np.asarray(told @ u[:, s > 1e-10 * max(float(s.max(initial=0.0)), 1e-300)])


def kind_of_test(fit: Fit) -> str:
    """Which test models of the kind of a fit have."""
    spec = fit.spec
    if isinstance(spec, ContestSpec) and spec.method == "pql":
        return WALD
    return PENALISED if isinstance(spec, ContestSpec) and spec.reduction else LR
