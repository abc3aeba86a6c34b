"""psychotools: Bradley-Terry and Davidson models of paired comparisons, judges in rows.

``btmodel`` works on the log-odds scale, log worth = its coefficient; the undecided parameter is Davidson's
gamma = log nu.  Pair columns run (12)(13)(23)(14)(24)(34)...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from pairproof.bridge.packages.models import Floats, asks, named_matrix, number
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.records.result import RResult
from pairproof.bridge.values.convert import matrix

NEEDS = ("psychotools",)
Type = Literal["loglin", "logit"]

BTMODEL = """
y <- psychotools::paircomp(data, labels = labels)
fit <- psychotools::btmodel(y, weights = .weights, type = type, ref = ref, undecided = undecided,
                            epsilon = epsilon, maxit = maxit)
worth <- psychotools::itempar(fit, log = FALSE)
V <- stats::vcov(fit)
list(coef = stats::coef(fit), vcov = V, loglik = as.numeric(stats::logLik(fit)), df = attr(stats::logLik(fit), "df"),
     nobs = stats::nobs(fit), undecided = fit$undecided,
     worth = as.numeric(worth), worth_vcov = matrix(as.numeric(stats::vcov(worth)), length(labels)))
"""


@dataclass(frozen=True, eq=False)
class BTModel:
    """What ``btmodel`` returns.

    Attributes
    ----------
    names : tuple of str
        Items but the reference, and "(undecided)".
    coef, se : float[n];  vcov : float[n, n]
        Log-odds scale.
    loglik : float
        Of the comparisons, without constants.
    df : float
    worth, worth_se : float[items]
        ``itempar(fit, log = FALSE)``: summing to 1, delta-method standard errors.
    """

    names: tuple[str, ...]
    coef: Floats
    se: Floats
    vcov: Floats
    loglik: float
    df: float
    undecided: bool
    items: tuple[str, ...]
    worth: Floats
    worth_se: Floats
    result: RResult = field(repr=False)

    def params(self) -> dict[str, float]:
        """Name to estimate."""
        return dict(zip(self.names, self.coef.tolist()))

    def bse(self) -> dict[str, float]:
        """Name to standard error."""
        return dict(zip(self.names, self.se.tolist()))


@asks(*NEEDS)
def btmodel(
    data: Any,
    labels: Sequence[str],
    weights: Sequence[float] | None = None,
    type: Type = "loglin",
    ref: str | None = None,
    undecided: bool | None = None,
    *,
    epsilon: float = 1e-14,
    maxit: int = 100,
    backend: BackendLike = None,
) -> BTModel:
    """R's ``btmodel(paircomp(data, labels), weights, type, ref, undecided, epsilon, maxit)``.

    Parameters
    ----------
    data : array [judges, pairs]
        1 the first is preferred, -1 the second, 0 undecided, NaN not compared.
    ref : str, optional
        Reference item; default the last.

    Raises
    ------
    RError
        R's own: "data have no ties", "only log-linear model can handle ties".
    """
    if type not in get_args(Type):
        raise ValueError(f"type is {type!r}; expected one of {get_args(Type)}")
    table = np.asarray(data, dtype=np.float64)
    items = list(labels)
    if ref is not None and ref not in items:
        raise ValueError(f"reference {ref!r} is no item; items are {items}")
    names = [f"{items[i]}:{items[j]}" for i, j in pair_columns(len(items))]
    arguments = {
        "data": matrix(table, names),
        "labels": items,
        "type": type,
        "ref": ref,
        "undecided": undecided,
        ".weights": None if weights is None else np.asarray(weights, dtype=np.float64),
        "epsilon": float(epsilon),
        "maxit": int(maxit),
    }
    result = policy(backend).call(code=BTMODEL, args=arguments, needs=NEEDS, label="psychotools::btmodel")
    value = result.as_list()
    coefficients = value.vector("coef")
    _, vcov = named_matrix(value.vector("vcov"))
    worth_vcov = value.vector("worth_vcov").floats()
    return BTModel(
        coefficients.names or (),
        coefficients.floats(),
        np.sqrt(np.diag(vcov)),
        vcov,
        number(value["loglik"]),
        number(value["df"]),
        bool(value["undecided"].scalar()),
        tuple(items),
        value.vector("worth").floats(),
        np.sqrt(np.diag(worth_vcov)),
        result,
    )


def pair_columns(n_items: int) -> list[tuple[int, int]]:
    """(i, j) of each pair column, from 0: (01)(02)(12)(03)..."""
    return [(i, j) for j in range(1, n_items) for i in range(j)]


def paircomp_from_counts(
    first: Sequence[str],
    second: Sequence[str],
    wins: Sequence[int],
    losses: Sequence[int],
    ties: Sequence[int] | None,
    items: Sequence[str],
) -> Floats:
    """Counts as judges in rows: as many rows as the fullest pair has comparisons, NaN where a pair has fewer.

    Raises
    ------
    ValueError
        For counts that are not whole, unknown items, or an item compared with itself.
    """
    place = {item: j for j, item in enumerate(items)}
    column = {pair: k for k, pair in enumerate(pair_columns(len(items)))}
    answers: list[list[float]] = [[] for _ in column]
    no_ties = [0] * len(first) if ties is None else ties
    for x, y, won, lost, tied in zip(first, second, wins, losses, no_ties):
        if any(float(c) != int(c) or c < 0 for c in (won, lost, tied)):
            raise ValueError(f"{x} against {y}: btmodel takes whole comparisons; found {won}, {tied}, {lost}")
        if x not in place or y not in place or x == y:
            raise ValueError(f"{x!r} against {y!r}: expected two different items of {list(items)}")
        i, j = place[x], place[y]
        sign = 1.0 if i < j else -1.0
        cell = answers[column[min(i, j), max(i, j)]]
        cell += [sign] * int(won) + [0.0] * int(tied) + [-sign] * int(lost)
    table = np.full((max(map(len, answers), default=0), len(column)), np.nan)
    for k, cell in enumerate(answers):
        table[: len(cell), k] = cell
    return table
