"""Tests of terms of a BTm: add1, drop1, anova."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...process.policy import BackendLike
from ...records.result import RResult
from ...values.values import Formula
from ..answers import Floats, RAnswer, ask, asks, check_option
from .arguments import FIT, NEEDS
from .fit import ContestModel, needs_of

Test = Literal["none", "Chisq", "F"]


@dataclass(frozen=True, eq=False)
class TestTable(RAnswer):
    """A table of tests as R prints it.

    rows, columns: R's names: terms; ``Df``, ``Deviance``, ``AIC``, ``LRT``, ``Pr(>Chi)``, or ``Statistic`` of
    Wald's tests.  values float[rows, columns]: NaN for R's NA.
    """

    __test__ = False

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    heading: tuple[str, ...] = field(repr=False)

    def frame(self) -> Any:
        """The table as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.values, index=pd.Index(self.rows), columns=pd.Index(self.columns))


TABLE = """
list(rows = as.character(rownames(found)), columns = as.character(names(found)), values = matrix(as.numeric(unlist(found)), nrow(found)),
     heading = as.character(attr(found, "heading")))
"""


def _table(result: RResult) -> TestTable:
    found = TestTable.read(result)
    found.values[np.isnan(found.values)] = np.nan  # R's NA is a signalling NaN
    return found


@asks(*NEEDS)
def add1(
    model: ContestModel, scope: str, test: Test = "none", scale: float = 0.0, *, backend: BackendLike = None
) -> TestTable:
    """R's ``add1(model, scope, test)``: what each further term would add.

    **R's table is wrong for models without a random effect**: version 1.1-2 forgets the numbers of contests, and gives each term
    the columns of its neighbour (baseball's home effect: 5.23 on 5 df; the truth is 5.41 on 1).  With a random effect it is right.

    Parameters
    ----------
    model : ContestModel
    scope : str
        A formula such as ``~ . + SVL[..]``.
    test : {"none", "Chisq", "F"}
        "F" stops R with a random effect.
    scale : float
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    TestTable

    Raises
    ------
    ValueError, FormulaError, RError
        Another test; text that is no formula; R's own.

    Examples
    --------
    >>> add1(model, "~ . + head.length[..]", "Chisq").frame()  # doctest: +SKIP
    """
    check_option("test", test, Test)
    arguments = {**model.arguments, "scope": Formula(scope), "test": test, "scale": float(scale)}
    code = FIT + "found <- stats::add1(fit, scope, scale = scale, test = test)\n" + TABLE
    return _table(ask(backend, "stats::add1 of BTm", code, arguments, needs_of(model)))


@asks(*NEEDS)
def drop1(
    model: ContestModel,
    scope: str | None = None,
    test: Test = "none",
    scale: float = 0.0,
    *,
    backend: BackendLike = None,
) -> TestTable:
    """R's ``drop1(model, scope, test)``: what each term explains beside the others.

    Parameters
    ----------
    model : ContestModel
    scope : str, optional
        A formula of the terms to drop; default all.
    test : {"none", "Chisq", "F"}
        "F" stops R with a random effect.
    scale : float
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    TestTable

    Raises
    ------
    ValueError, FormulaError, RError
        Another test; text that is no formula; R's own.

    Examples
    --------
    >>> drop1(model, test="Chisq").frame()  # doctest: +SKIP
    """
    check_option("test", test, Test)
    arguments = {**model.arguments, "scope": scope and Formula(scope), "test": test, "scale": float(scale)}
    code = (
        FIT
        + "found <- if (is.null(scope)) stats::drop1(fit, scale = scale, test = test) else stats::drop1(fit, scope, scale = scale, test = test)\n"
        + TABLE
    )
    return _table(ask(backend, "stats::drop1 of BTm", code, arguments, needs_of(model)))


ANOVA = """
fits <- list(fit)
for (k in seq_len(others)) fits[[k + 1L]] <- btm(get(paste0("given", k)), get0(paste0("data", k)), k)
found <- do.call(stats::anova, c(fits, if (test != "none") list(test = test)))
"""


@asks(*NEEDS)
def anova(
    model: ContestModel, *models: ContestModel, test: Test = "none", backend: BackendLike = None
) -> TestTable:
    """R's ``anova(model, ..., test)``: terms one after another, or nested models beside each other.

    Parameters
    ----------
    model, *models : ContestModel
        With several, all with a random effect or none.
    test : {"none", "Chisq", "F"}
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    TestTable
        Deviances, or Wald's statistics with a random effect.

    Raises
    ------
    ValueError, RError
        Another test; R's own: "Models must have the same random effects structure"; after bias reduction with two terms "second argument
        must be a list".

    Examples
    --------
    >>> anova(without_home, with_home, test="Chisq").frame()  # doctest: +SKIP
    """
    check_option("test", test, Test)
    arguments: dict[str, Any] = {**model.arguments, "test": test, "others": len(models)}
    for k, other in enumerate(models, start=1):
        arguments |= {f"given{k}": other.arguments["given"], f"data{k}": other.arguments["data"]}
    needs = tuple(dict.fromkeys(n for m in (model, *models) for n in needs_of(m)))
    return _table(ask(backend, "stats::anova of BTm", FIT + ANOVA + TABLE, arguments, needs))
