"""psychotools: Bradley-Terry and Davidson models of paired comparisons, judges in rows.

``btmodel`` works on the log-odds scale, log worth = its coefficient; the undecided parameter is Davidson's
gamma = log nu.  Pair columns run (12)(13)(23)(14)(24)(34)...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...process.policy import BackendLike
from ...values.convert import matrix
from ...values.values import Expr
from ..answers import (
    Estimates,
    Floats,
    ask,
    asks,
    check_item,
    check_option,
    named_matrix,
    optional,
    reals,
    strings,
)
from .paircomp import Paircomp, pair_columns

NEEDS = ("psychotools",)
Type = Literal["loglin", "logit"]

#: R: a table of answers as a paircomp, or one that is there; labels are then its own.
TABLE = "\ny <- psychotools::paircomp(data, labels = labels)\n"
OBJECT = "\ny <- data\nlabels <- labels(y)\n"
FIT = """fit <- psychotools::btmodel(y, weights = .weights, type = type, ref = ref, undecided = undecided,
                            epsilon = epsilon, maxit = maxit)
"""
REDUCE = """worth <- psychotools::itempar(fit, log = FALSE)
V <- stats::vcov(fit)
list(coef = stats::coef(fit), vcov = V, loglik = as.numeric(stats::logLik(fit)), df = attr(stats::logLik(fit), "df"),
     nobs = stats::nobs(fit), undecided = fit$undecided,
     worth = as.numeric(worth), worth_vcov = matrix(as.numeric(stats::vcov(worth)), length(labels)))
"""
BTMODEL = TABLE + FIT + REDUCE
OF_OBJECT = REDUCE.replace("     worth = ", "     labels = labels, worth = ")


@dataclass(frozen=True, eq=False)
class BTModel(Estimates):
    """A Bradley-Terry or Davidson model as ``btmodel`` fits it.

    names: items but the reference, and "(undecided)".  coef, se float[n]: on the log-odds scale.  vcov
    float[n, n].  loglik: of the comparisons, without constants.  undecided: whether ties have a parameter.
    worth, worth_se float[items]: ``itempar(fit, log = FALSE)``: summing to 1, delta-method standard errors.
    arguments: of the call, so that :func:`itempar`, :func:`estfun` and :func:`deviance` can repeat it.
    """

    loglik: float
    df: float
    undecided: bool
    items: tuple[str, ...]
    worth: Floats
    worth_se: Floats
    arguments: Mapping[str, Any] = field(repr=False)


@asks(*NEEDS)
def btmodel(
    data: Any,
    labels: Sequence[str] | None = None,
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
    data : float[judges, pairs], Paircomp, or Expr
        1 the first is preferred, -1 the second, 0 undecided, NaN not compared; or what :func:`paircomp` made, or R source that gives
        one.
    labels : sequence of str
        The items; a paircomp has its own.
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
        R's own: "data have no ties", "only log-linear model can handle ties". **R says nothing where data are separated or not
        connected**: it keeps glm's warnings to itself, and standard errors of 1e4 are all there is to see.

    Examples
    --------
    >>> judges = [[1, 1, -1], [1, 0, 1], [-1, 1, 1]]  # three judges: AB, AC, BC
    >>> btmodel(judges, ["A", "B", "C"]).params()     # doctest: +SKIP
    """
    check_option("type", type, Type)
    shared = {
        "type": type,
        "ref": ref,
        "undecided": undecided,
        ".weights": optional(reals, weights),
        "epsilon": float(epsilon),
        "maxit": int(maxit),
    }
    if isinstance(data, (Expr, Paircomp)):
        if labels is not None:
            raise ValueError("a paircomp has its own labels: leave them out")
        value_of = data if isinstance(data, Expr) else data.value
        if isinstance(data, Paircomp):
            check_item("reference", ref, data.labels)
        arguments: dict[str, Any] = {"data": value_of, **shared}
        result = ask(backend, "psychotools::btmodel", OBJECT + FIT + OF_OBJECT, arguments, NEEDS)
        items = list(strings(result.as_list().vector("labels")))
    else:
        if labels is None:
            raise ValueError("labels are needed: the items of the columns of data")
        items = list(labels)
        check_item("reference", ref, items)
        names = [f"{items[i]}:{items[j]}" for i, j in pair_columns(len(items))]
        arguments = {"data": matrix(reals(data), names), "labels": items, **shared}
        result = ask(backend, "psychotools::btmodel", BTMODEL, arguments, NEEDS)
    value = result.as_list()
    _, vcov = named_matrix(value.vector("vcov"))
    return BTModel.read(
        result,
        names=value.vector("coef").names or (),
        se=np.sqrt(np.diag(vcov)),
        items=tuple(items),
        worth_se=np.sqrt(np.diag(value.vector("worth_vcov").floats())),
        arguments=arguments,
    )
