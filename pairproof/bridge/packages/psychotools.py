"""psychotools: Bradley-Terry and Davidson models of paired comparisons, judges in rows.

``btmodel`` works on the log-odds scale, log worth = its coefficient; the undecided parameter is Davidson's
gamma = log nu.  Pair columns run (12)(13)(23)(14)(24)(34)...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..process.policy import BackendLike
from ..values.convert import matrix
from .answers import Estimates, Floats, ask, asks, check_item, check_option, named_matrix, optional, reals

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
class BTModel(Estimates):
    """A Bradley-Terry or Davidson model as ``btmodel`` fits it.

    Attributes
    ----------
    names : tuple of str
        Items but the reference, and "(undecided)".
    coef, se : float[n]
        On the log-odds scale.
    vcov : float[n, n]
    loglik : float
        Of the comparisons, without constants.
    df : float
    undecided : bool
        Whether ties have a parameter.
    worth, worth_se : float[items]
        ``itempar(fit, log = FALSE)``: summing to 1, delta-method standard errors.
    """

    loglik: float
    df: float
    undecided: bool
    items: tuple[str, ...]
    worth: Floats
    worth_se: Floats


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
    """R's ``psychotools::btmodel(paircomp(data, labels), weights, type, ref, undecided, epsilon, maxit)``.

    Parameters
    ----------
    data : float[judges, pairs]
        1 the first is preferred, -1 the second, 0 undecided, NaN not compared.
    labels : sequence of str
        The items.
    weights : float[judges], optional
    type : {"loglin", "logit"}
    ref : str, optional
        Reference item; default the last.
    undecided : bool, optional
        Whether ties have a parameter; default: if any occur.
    epsilon, maxit : float, int
        Stopping rule of glm.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    BTModel

    Raises
    ------
    ValueError
        Another type, or a reference that is no item.
    RError
        R's own: "data have no ties", "only log-linear model can handle ties".

    Examples
    --------
    >>> judges = [[1, 1, -1], [1, 0, 1], [-1, 1, 1]]  # three judges: AB, AC, BC
    >>> btmodel(judges, ["A", "B", "C"]).params()     # doctest: +SKIP
    """
    check_option("type", type, Type)
    items = list(labels)
    check_item("reference", ref, items)
    names = [f"{items[i]}:{items[j]}" for i, j in _pair_columns(len(items))]
    arguments = {
        "data": matrix(reals(data), names),
        "labels": items,
        "type": type,
        "ref": ref,
        "undecided": undecided,
        ".weights": optional(reals, weights),
        "epsilon": float(epsilon),
        "maxit": int(maxit),
    }
    result = ask(backend, "psychotools::btmodel", BTMODEL, arguments, NEEDS)
    value = result.as_list()
    _, vcov = named_matrix(value.vector("vcov"))
    return BTModel.read(
        result,
        names=value.vector("coef").names or (),
        se=np.sqrt(np.diag(vcov)),
        items=tuple(items),
        worth_se=np.sqrt(np.diag(value.vector("worth_vcov").floats())),
    )


def _pair_columns(n_items: int) -> list[tuple[int, int]]:
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

    Parameters
    ----------
    first, second : str[rows]
    wins, losses, ties : int[rows]
        From the first item's side; ``ties=None``: none.
    items : sequence of str

    Returns
    -------
    float[judges, pairs]
        As :func:`btmodel` takes it.

    Raises
    ------
    ValueError
        For counts that are not whole, unknown items, or an item compared with itself.

    Examples
    --------
    >>> paircomp_from_counts(["A", "B"], ["B", "C"], [2, 0], [1, 1], None, ["A", "B", "C"])
    array([[ 1., nan, -1.],
           [ 1., nan, nan],
           [-1., nan, nan]])
    """
    place = {item: j for j, item in enumerate(items)}
    column = {pair: k for k, pair in enumerate(_pair_columns(len(items)))}
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
