"""What BradleyTerry2 does with a fitted model: abilities, predictions, residuals, tests of terms, plots.

add1, drop1 and anova test terms of a BTm.  plotProportions: observed shares of wins, and of ties, against
fitted probabilities, in bins of contests.

No R object outlives its call here: each function fits the model again in the same call, from the arguments it
was fitted with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, Literal, TypeVar, Union

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.convert import data_frame
from ...values.formulas import checked
from ...values.nodes import Formula
from ..asking import REFIT, Floats, RAnswer, asks, program, reals, sent
from ..base import OF_MODEL, QuasiVariances
from .btm import FIT, NEEDS, ContestModel, data_of, needs_of
from .counts import FIT as FIT_COUNTS, BTmModel

Model = Union[BTmModel, ContestModel]
Answer = TypeVar("Answer", bound=RAnswer)
Kind = Literal["link", "response", "terms"]
Residual = Literal["deviance", "pearson", "working", "response", "partial", "grouped"]

_AGAIN = """
if (again && !anyNA(fit$coefficients)) fit <- refit(fit, epsilon, maxit)$model
"""
FIT_OF_COUNTS = REFIT + FIT_COUNTS + _AGAIN
ABILITIES = """a <- BradleyTerry2::BTabilities(fit)
list(players = rownames(a), ability = unname(a[, 1L]), se = unname(a[, 2L]),
     vcov = matrix(as.numeric(attr(a, "vcov")), nrow(a)))
"""
_WITH_SEPARATE = 'NROW(attr(a, "vcov"))), separate = as.character(attr(a, "separate")))'
SEPARATE = ABILITIES.replace("nrow(a)))", _WITH_SEPARATE)


@dataclass(frozen=True, eq=False)
class Abilities(RAnswer):
    """Abilities of all players with their standard errors; the reference has 0 and 0.

    ability, se float[players]: on the scale of the link; NaN where R has none.  vcov float[players, players]:
    of those that have an ability, in R's order.  separate: players with an ability of their own beside
    covariates.
    """

    players: tuple[str, ...]
    ability: Floats
    se: Floats
    vcov: Floats
    separate: tuple[str, ...] = ()


@asks(*NEEDS)
def BTabilities(model: Model, *, backend: BackendLike = None) -> Abilities:
    """R's ``BradleyTerry2::BTabilities(BTm(...))``; predicted random effects are not part of an ability.

    Parameters
    ----------
    model : ContestModel or BTmModel
        Of :func:`BTm` or :func:`BTm_counts`.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Abilities

    Raises
    ------
    RError
        R's own: version 1.1-2 stops with two players ("non-conformable arguments"), with products of three covariates ("(subscript)
        logical subscript too long"), and where only contest terms are fixed.

    Examples
    --------
    >>> BTabilities(BTm_counts([3, 2, 4], [1, 2, 1], [*"AAB"], [*"BCC"])).ability  # doctest: +SKIP
    """
    code = FIT_OF_COUNTS + ABILITIES if isinstance(model, BTmModel) else FIT + SEPARATE
    return Abilities.ask(backend, "BradleyTerry2::BTabilities", code, model.arguments, needs_of(model))


QVCALC = "\nv <- qvcalc::qvcalc(BradleyTerry2::BTabilities(fit))\n" + OF_MODEL


@asks(*NEEDS, "qvcalc")
def qvcalc(model: ContestModel, *, backend: BackendLike = None) -> QuasiVariances:
    """R's ``qvcalc(BTabilities(model))``: quasi-variances of the abilities.

    Parameters
    ----------
    model : ContestModel
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    pairproof.bridge.packages.base.QuasiVariances
        Good to 4 or 5 digits, where R's optimiser stops; NaN where R finds one negative.

    Raises
    ------
    RError
        R's own: with covariates R mostly stops ("not all contrasts have positive variance").

    Examples
    --------
    >>> qvcalc(model).quasi_se  # doctest: +SKIP
    """
    needs = (*needs_of(model), "qvcalc")
    return QuasiVariances.ask(backend, "qvcalc::qvcalc of BTabilities", FIT + QVCALC, model.arguments, needs)


@dataclass(frozen=True, eq=False)
class Predictions(RAnswer):
    """Predictions as R makes them.

    columns: "population" (level 0), "individual" (level 1, with predicted random effects), or the terms.  fit
    float[contests, columns]: NaN where R has none: a new player at level 1.  se float[contests, columns]:
    empty where they were not asked for. The uncertainty of sigma is not in them.
    """

    columns: tuple[str, ...]
    fit: Floats
    se: Floats


PREDICT = program(__package__, "r/methods_predict")


@asks(*NEEDS)
def predict(
    model: ContestModel,
    newdata: Any = None,
    level: int | Sequence[int] | None = None,
    type: Kind = "link",
    se_fit: bool = False,
    *,
    backend: BackendLike = None,
) -> Predictions:
    """R's ``predict(model, newdata, level, type, se.fit)``.

    **R is silently wrong where the factors of `newdata` have only the levels in use** (Boston against Detroit -1.436 for -.329), which
    its help page allows: give them all levels.

    Parameters
    ----------
    model : ContestModel
    newdata : DataFrame, mapping of columns, mapping of tables, or Expr, optional
        With all variables of the model, in the shape of `data`.
    level : 0, 1 or (0, 1), optional
        Without or with random effects; default with, if there are any.
    type : {"link", "response", "terms"}
        "terms" stops R without `se_fit`.
    se_fit : bool
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Predictions

    Raises
    ------
    ValueError, InputError, RError
        Another type or level; R's own.

    Examples
    --------
    >>> predict(model, level=(0, 1), se_fit=True).fit[:4]  # doctest: +SKIP
    """
    # As doubles: R asks whether the level is identical to 0, and 0L is not.
    levels = None if level is None else sorted({float(v) for v in np.atleast_1d(level)})
    if levels is not None and not set(levels) <= {0.0, 1.0}:
        raise InputError(f"level is 0, 1 or both; found {level!r}")
    given = sent(backend, "newdata level type se.fit", newdata=data_of(newdata), level=levels)
    found = _of(model, Predictions, backend, "stats::predict", PREDICT, given)
    for array in (found.fit, found.se):
        array[np.isnan(array)] = np.nan
    return found


@dataclass(frozen=True, eq=False)
class Residuals(RAnswer):
    """Residuals of contests, or grouped by player.

    names: rows of the data, or players; terms of partial residuals are ``columns``.  values float[n] or
    float[n, terms].  weights float[n]: of grouped residuals, else empty.
    """

    names: tuple[str, ...]
    values: Floats
    weights: Floats


RESIDUALS = """
r <- if (is.null(by)) stats::residuals(fit, type = type) else stats::residuals(fit, type = type, by = by)
w <- attr(r, "weights")
list(names = as.character(if (is.matrix(r)) rownames(r) else names(r)),
     values = if (is.matrix(r) && ncol(r) > 1L) matrix(as.numeric(r), nrow(r)) else as.numeric(r),
     weights = if (is.null(w)) numeric() else as.numeric(w))
"""


@asks(*NEEDS)
def residuals(
    model: ContestModel, type: Residual = "deviance", by: str | None = None, *, backend: BackendLike = None
) -> Residuals:
    """R's ``residuals(model, type, by)``; the vignette's "Pearson residuals" are deviance residuals.

    Parameters
    ----------
    model : ContestModel
    type : {"deviance", "pearson", "working", "response", "partial", "grouped"}
        "grouped" are weighted means of working residuals by player; R stops with "non-conformable arguments" after a
        subset or a missing value.
    by : str, optional
        The factor to group by, instead of the player.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Residuals

    Raises
    ------
    ValueError, FormulaError, RError
        Another type; `by` is not a name; R's own.

    Examples
    --------
    >>> residuals(model, "grouped").values  # doctest: +SKIP
    """
    if by is not None:
        checked(f"~ {by}", "by")  # R makes a formula of it
    return _of(model, Residuals, backend, "stats::residuals", RESIDUALS, {"type": type, "by": by})


@dataclass(frozen=True, eq=False)
class ModelMatrix(RAnswer):
    """The differences of both players' model matrices, one row per contest.

    values float[contests, columns].
    """

    names: tuple[str, ...]
    values: Floats


MATRIX = """
x <- stats::model.matrix(fit)
if (is.null(x)) stop("R has no model matrix of this model")
list(names = as.character(colnames(x)), values = matrix(as.numeric(x), nrow(x)))
"""


@asks(*NEEDS)
def model_matrix(model: ContestModel, *, backend: BackendLike = None) -> ModelMatrix:
    """R's ``model.matrix(model)``.

    Parameters
    ----------
    model : ContestModel
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ModelMatrix

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> model_matrix(model).names  # doctest: +SKIP
    """
    return _of(model, ModelMatrix, backend, "stats::model.matrix", MATRIX, {})


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


#: R's variables beside those of the model's own call.
Variables = Mapping[str, Any]


def _of(
    model: ContestModel,
    kind: type[Answer],
    backend: Any,
    function: str,
    code: str,
    given: Variables,
    *others: ContestModel,
) -> Answer:
    """What R's function says about the model, which is fitted in the same call."""
    needs = tuple(dict.fromkeys(n for m in (model, *others) for n in needs_of(m)))
    return kind.ask(backend, f"{function} of BTm", FIT + code, {**model.arguments, **given}, needs)


def _table(
    model: ContestModel, backend: Any, function: str, code: str, given: Variables, *others: ContestModel
) -> TestTable:
    found = _of(model, TestTable, backend, function, code + TABLE, given, *others)
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
    code = "found <- stats::add1(fit, scope, scale = scale, test = test)\n"
    given = sent(backend, "scope test scale", scope=Formula(scope))
    return _table(model, backend, "stats::add1", code, given)


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
    code = "found <- if (is.null(scope)) stats::drop1(fit, scale = scale, test = test) else stats::drop1(fit, scope, scale = scale, test = test)\n"
    given = sent(backend, "scope test scale", scope=scope and Formula(scope))
    return _table(model, backend, "stats::drop1", code, given)


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
    given: dict[str, Any] = {"test": test, "others": len(models)}
    for k, other in enumerate(models, start=1):
        given |= {f"given{k}": other.arguments["given"], f"data{k}": other.arguments["data"]}
    return _table(model, backend, "stats::anova", ANOVA, given, *models)


PLOT = program(__package__, "r/methods_plot")


@dataclass(frozen=True, eq=False)
class Proportions(RAnswer):
    """The bins that ``plotProportions`` draws; the plot itself goes nowhere.

    win, win_bin float[bins]: share won of the contests without ties in a bin, and the middle of the bin's
    fitted probabilities.  tie, tie_bin float[bins]: share of ties, in bins of all contests; empty without
    ties.
    """

    win: Floats
    win_bin: Floats
    tie: Floats
    tie_bin: Floats


@asks(*NEEDS)
def plotProportions(
    win: Sequence[bool],
    tie: Sequence[bool] | None,
    loss: Sequence[bool],
    player1: Sequence[str],
    player2: Sequence[str],
    abilities: Mapping[str, float],
    home_adv: float | None = None,
    tie_max: float | None = None,
    tie_scale: float | None = None,
    tie_mode: float | None = None,
    at_home1: Sequence[bool] | None = None,
    at_home2: Sequence[bool] | None = None,
    subset: Sequence[bool] | None = None,
    bin_size: int = 20,
    *,
    backend: BackendLike = None,
) -> Proportions:
    """R's ``BradleyTerry2::plotProportions``: the bins that it returns.

    Parameters
    ----------
    win, tie, loss : bool[contests]
        `tie` may be None.
    player1, player2 : str[contests]
    abilities : mapping of player to float
        On the log-odds scale.
    home_adv, tie_max, tie_scale, tie_mode : float, optional
        Of a generalised Davidson model. The last three only draw R's curve: no bin depends on them.
    at_home1, at_home2 : bool[contests], optional
        Needed with `home_adv`; R then leaves out contests on neutral ground, and turns those at home for player 2.
    subset : bool[contests], optional
    bin_size : int
        Fewest contests in a bin.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Proportions

    Raises
    ------
    InputError, RError
        Players without an ability, columns of other lengths; R's own.

    Examples
    --------
    >>> plotProportions(won, None, lost, first, second, {"A": 0.0, "B": 1.2}).win  # doctest: +SKIP
    """
    n = len(win)
    given = {"loss": loss, "player1": player1, "player2": player2, "tie": tie, "at_home1": at_home1, "at_home2": at_home2, "subset": subset}  # fmt: skip
    wrong = {k: len(v) for k, v in given.items() if v is not None and len(v) != n}
    if wrong:
        raise InputError(f"win has {n} contests, but {wrong}")
    absent = sorted({*player1, *player2} - set(abilities))
    if absent:
        raise InputError(f"{absent[:5]} have no ability; abilities are of {list(abilities)[:20]}")
    if (at_home1 is None) != (at_home2 is None):
        raise InputError("at_home1 and at_home2 belong together")
    kept = np.ones(n, bool) if subset is None else np.asarray(subset, bool)

    def chosen(values: Any, kind: type) -> Any:
        return np.asarray(values, kind)[kept]

    columns: dict[str, Any] = {"win": chosen(win, bool), "loss": chosen(loss, bool)}
    columns |= {"tie": chosen(tie, bool)} if tie is not None else {}
    columns |= {f"player{k}": [*compress(side, kept)] for k, side in ((1, player1), (2, player2))}
    if at_home1 is not None:
        columns |= {"at.home1": chosen(at_home1, bool), "at.home2": chosen(at_home2, bool)}
    terms = {"home.adv": home_adv, "tie.max": tie_max, "tie.scale": tie_scale, "tie.mode": tie_mode}
    made: dict[str, Any] = {"parameters": {k: float(v) for k, v in terms.items() if v is not None} or None}
    made |= {"values": reals(list(abilities.values())), "players": list(abilities)}
    arguments = sent(backend, "data parameters bin.size values players", data=data_frame(columns), **made)
    code = "abilities <- stats::setNames(values, players)\n" + PLOT
    return Proportions.ask(backend, "BradleyTerry2::plotProportions", code, arguments)
