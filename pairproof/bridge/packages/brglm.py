"""R's brglm: logistic regression with bias-reduced estimates (Firth 1993), as BradleyTerry2 asks it with ``br
= TRUE``.
 It refits by pseudo-data until the modified scores change by less than 1e-8, which leaves 5 to 9 digits.  The
model of a formula is given as its design matrix, so no text reaches R.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...errors import InputError
from ..process.policy import BackendLike
from .asking import REDUCE, RModel, asks, columns_matrix, design_columns, program, sent

Link = Literal["logit", "probit", "cauchit", "cloglog"]

BRGLM = REDUCE + program(__package__, "r/brglm_fit")


@asks("brglm")
def brglm_design(
    data: Any,
    y: str | Sequence[float],
    weights: str | Sequence[float] | None = None,
    offset: str | Sequence[float] | None = None,
    link: Link = "logit",
    *,
    backend: BackendLike = None,
) -> RModel:
    """R's ``brglm::brglm(y ~ 0 + x, binomial(link), weights, offset)``.

    Parameters
    ----------
    data : DataFrame, or mapping of str to float[rows]
        The columns of the model matrix, with those that `y`, `weights` and `offset` name.
    y : str or float[rows]
        Share of successes, in [0, 1].
    weights : str or float[rows], optional
        Trials; default 1 each.
    offset : str or float[rows], optional
    link : {"logit", "probit", "cauchit", "cloglog"}
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RModel
        Deviance and log-likelihood are those of the plain likelihood, which the estimates do not maximise.

    Raises
    ------
    ValueError, InputError, RError
        Another link; a column that is not there, or a share outside [0, 1]; R's own.

    Examples
    --------
    >>> table = {"a": [1, 0, 1], "b": [0, 1, -1], "won": [1.0, 1.0, 0.6], "n": [5, 5, 5]}
    >>> brglm_design(table, "won", "n").coef  # doctest: +SKIP
    """
    columns, response, w, (o,) = design_columns(data, y, weights, offset)
    wrong = response[~((response >= 0) & (response <= 1))]
    if len(wrong):
        raise InputError(f"a share is a number from 0 to 1; found {float(wrong[0])!r}")
    made = {"share": response, "X": columns_matrix(columns), "weights": w, "offset": o}
    arguments = sent(backend, "share X .weights link .offset", **made)
    return RModel.ask(backend, "brglm::brglm", BRGLM, arguments)
