"""R's glm, gnm and polr on a model matrix that is there already: a fit of an R script by its values, not by
its formula.

A formula of somebody's script would have to be run as code to be fitted again.  Its model matrix and response
are numbers, and `glm.fit`, `gnm` with its nuisance factor eliminated, and `polr` give the same from them, at
R's own stopping rules, so that nearly every digit is R's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..process.policy import BackendLike
from .asking import REDUCE, RModel, asks, columns_matrix, design_columns, program, sent

DesignFamily = Literal["binomial", "quasibinomial", "poisson", "quasipoisson", "gaussian", "Gamma"]
DesignLink = Literal["logit", "probit", "cauchit", "cloglog", "log", "identity", "inverse", "sqrt"]
Method = Literal["logistic", "probit", "loglog", "cloglog", "cauchit"]
#: R's own rules: glm.control's, gnm's, and polr's (optim's BFGS).
EPSILON, MAXIT, TOLERANCE, ITER_MAX = 1e-8, 25, 1e-6, 500

#: R: glm.fit as glm calls it; summary.glm wants the class and what glm adds.
GLM = REDUCE + program(__package__, "r/by_design_glm")
#: R: gnm on the columns; its seed is set because terms that are not linear would start at random.
GNM = REDUCE + program(__package__, "r/by_design_gnm")
#: R: polr on the columns; the thresholds follow the coefficients.
POLR = program(__package__, "r/by_design_polr")


@asks()
def glm_design(
    data: Any,
    y: str | Sequence[float],
    family: DesignFamily,
    link: DesignLink,
    weights: str | Sequence[float] | None = None,
    offset: str | Sequence[float] | None = None,
    *,
    epsilon: float = EPSILON,
    maxit: int = MAXIT,
    intercept: bool = False,
    backend: BackendLike = None,
) -> RModel:
    """R's ``stats::glm.fit(x, y, weights, offset, family)``, as ``glm`` calls it.

    Parameters
    ----------
    data : DataFrame, or mapping of str to float[rows]
        The columns of the model matrix, with those that `y`, `weights` and `offset` name.
    y : str or float[rows]
        The response; for a binomial family the share of successes.
    family, link : str
        R's names.
    weights : str or float[rows], optional
        Prior weights; for a binomial family the numbers of trials.
    offset : str or float[rows], optional
    epsilon, maxit : float, int
        ``glm.control``'s.
    intercept : bool
        Whether the null model has a constant, which its deviance depends on.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RModel
        Its names are those of the columns.

    Raises
    ------
    ValueError
        Another family or link; no such column.
    RError
        R's own.

    Examples
    --------
    >>> data = {"x": [1, 0, -1], "y": [0.5, 0.2, 0.1], "n": [10, 10, 10]}
    >>> glm_design(data, "y", "binomial", "logit", "n").params()  # doctest: +SKIP
    """
    columns, response, w, (o,) = design_columns(data, y, weights, offset)
    made = {"x": columns_matrix(columns), "y": response, "weights": w, "offset": o}
    variables = "x y family link weights offset epsilon maxit intercept"
    return RModel.ask(backend, "stats::glm.fit", GLM, sent(backend, variables, **made))


@asks("gnm")
def gnm_eliminated(
    data: Any,
    y: str | Sequence[float],
    eliminate: str | Sequence[int],
    family: DesignFamily = "poisson",
    link: DesignLink = "log",
    weights: str | Sequence[float] | None = None,
    offset: str | Sequence[float] | None = None,
    *,
    tolerance: float = TOLERANCE,
    iterMax: int = ITER_MAX,
    backend: BackendLike = None,
) -> RModel:
    """R's ``gnm::gnm(y ~ x - 1, eliminate)``.

    Parameters
    ----------
    data : DataFrame, or mapping of str to float[rows]
        The columns of the model matrix without the eliminated constants, and the columns that are named.
    y : str or float[rows]
    eliminate : str or int[rows]
        Numbers of the levels of the eliminated factor.
    family, link : str
        R's names.
    weights : str or float[rows], optional
    offset : str or float[rows], optional
    tolerance, iterMax : float, int
        gnm's.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RModel

    Raises
    ------
    ValueError, RError
        As :func:`glm_design`.

    Examples
    --------
    >>> gnm_eliminated({"x": [1, -1], "y": [5, 2], "cell": [1, 1]}, "y", "cell").params()  # doctest: +SKIP
    """
    columns, response, w, (cell, o) = design_columns(data, y, weights, eliminate, offset)
    made = {"x": columns_matrix(columns), "y": response, "weights": w, "cell": cell}
    made |= {"offset": np.zeros(len(response)) if o is None else o}
    variables = "x y cell family link weights offset tolerance iterMax"
    return RModel.ask(backend, "gnm::gnm", GNM, sent(backend, variables, **made), seed=1)


@asks("MASS")
def polr_design(
    data: Any,
    y: str | Sequence[int],
    weights: str | Sequence[float] | None = None,
    *,
    levels: Sequence[str],
    method: Method = "logistic",
    backend: BackendLike = None,
) -> RModel:
    """R's ``MASS::polr(y ~ x, weights, Hess = TRUE, method)``.

    Parameters
    ----------
    data : DataFrame, or mapping of str to float[rows]
        The columns of the model matrix without a constant, and the columns that are named.
    y : str or int[rows]
        Answers as numbers of `levels`, from 1.
    weights : str or float[rows], optional
    levels : sequence of str
        Of the answer, the lowest first; three or more.
    method : str
        polr's.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RModel
        Coefficients, then thresholds ("lost|tied").

    Raises
    ------
    ValueError, RError
        As :func:`glm_design`.

    Examples
    --------
    >>> polr_design({"x": [1, 0, -1], "y": [3, 2, 1]}, "y", levels=["a", "b", "c"])  # doctest: +SKIP
    """
    columns, answer, w, _ = design_columns(data, y, weights)
    codes = answer.astype(int)
    if (codes != answer).any() or codes.min() < 1 or codes.max() > len(levels):
        raise ValueError(f"y: expected whole numbers from 1 to {len(levels)}")
    made = {"x": columns_matrix(columns), "y": [levels[k - 1] for k in codes], "weights": w}
    return RModel.ask(backend, "MASS::polr", POLR, sent(backend, "x y levels weights method", **made))
