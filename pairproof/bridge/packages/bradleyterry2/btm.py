"""BTm in full, and glmmPQL: g(P(1 beats 2)) = ability_1 - ability_2 + contest terms + offset.

The one-sided formula describes the ability of one player.  R evaluates it with the variables of player 1 and
with those of player 2, leaves the intercept out and takes the difference: ``x[..]`` is a player's value,
``x[judge]`` a judge's, ``(1 | ..)`` a normal random effect of the player, fitted by penalised
quasi-likelihood.  Arguments go as R is to see them: text as checked expressions, values under names of their
own.

glmmPQL is that fit by itself: a generalised linear model with one vector of independent normal effects.  R's
criterion for sigma is that of REML of the working model.  With 0/1 contests and few of them a player it is
far too low (spec: sigma 1.1 is estimated as .6).

What comes back is what R says, with R's warnings in ``result.warnings``.  R's own mistakes come back too; the
docstrings name them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Union

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.convert import data_frame, factor_of
from ...values.formulas import CONTRASTS
from ...values.nodes import Expr, Formula, RArgument, is_pandas
from ..asking import REFIT, Estimates, Floats, as_frame, asks, optional, program, reals, sent

NEEDS = ("BradleyTerry2",)
Link = Literal["logit", "probit", "cauchit"]
NaAction = Literal["na.omit", "na.exclude", "na.fail"]
#: A column of the data, or an expression of columns, as text of R's grammar; or values.
Column = Union[str, Expr, Sequence[Any], Any]
#: A player: a column, or a table of columns whose name the id is.
Player = Union[Column, Mapping[str, Any]]

#: R: a call of BTm put together as a user types it. Text came through the grammar as a formula, of which the
#: right side is the expression; values stand in the call under a name of their own.
BUILD = program(__package__, "r/btm_build")
FIT = BUILD + "fit <- btm(given, data)\n"


def pql_arguments(control: Any, sigma: float | None, sigma_fixed: bool | None) -> dict[str, Any] | None:
    """What goes on to glmmPQL by the dots of BTm."""
    found = {} if control is None else control.arguments()
    found |= {} if sigma is None else {"sigma": float(sigma)}
    found |= {} if sigma_fixed is None else {"sigma.fixed": bool(sigma_fixed)}
    return found or None


def column(value: Column, where: str) -> Any:
    """Text as a checked expression (a formula, of which R takes the right side), values as numbers or a factor."""
    if value is None or isinstance(value, (Expr, RArgument, Formula)):
        return value
    if isinstance(value, str):
        return Formula(f"~ {value}")
    if isinstance(value, (bool, int, float)):
        return float(value)
    if is_pandas(value):
        return value
    array = np.asarray(value)
    if array.dtype.kind in "UO" and all(isinstance(v, str) for v in array.ravel().tolist()):
        return factor_of([str(v) for v in array.ravel().tolist()])
    return array if array.dtype.kind in "bi" and where == "subset" else reals(array)


def players_of(player1: Player, player2: Player, id: str) -> tuple[Any, Any]:
    """Both sides for R; names given as values get the levels of both."""
    sides = [s if isinstance(s, Mapping) else {"": s} for s in (player1, player2)]
    key = [id if id in side else next(iter(side)) for side in sides]
    names = [_names(side[k]) for side, k in zip(sides, key)]
    levels = sorted({n for found in names for n in found or ()})
    made = []
    for side, k, found in zip(sides, key, names):
        columns = {n: column(v, f"a player's {n}") for n, v in side.items()}
        if found is not None:
            columns[k] = factor_of(found, levels)
        made.append(columns[""] if "" in columns else columns)
    return made[0], made[1]


def _names(value: Any) -> list[str] | None:
    if isinstance(value, (str, Expr, RArgument)) or value is None or np.ndim(value) != 1:
        return None
    if type(getattr(value, "dtype", None)).__name__ == "CategoricalDtype":
        return None  # its levels are the user's
    found = list(value)
    return [str(v) for v in found] if all(isinstance(v, str) for v in found) else None


def data_of(data: Any) -> Any:
    """One table, a list of tables, R source, or None."""
    if not isinstance(data, Mapping):
        return data
    whole = [v for v in data.values() if is_pandas(v) and hasattr(v, "columns")]
    tables = [v for v in data.values() if isinstance(v, (Mapping, RArgument))]
    if data and len(whole) + len(tables) == len(data):
        return {k: data_frame(v) if isinstance(v, Mapping) else v for k, v in data.items()}
    return data_frame(data)


#: R: what is taken from a fit, of glm, brglm or glmmPQL. glmmPQL's vcov names its columns otherwise than its
#: coefficients (XSVL[..]), so they are taken by place.
REDUCE_BTM = program(__package__, "r/btm_reduce_btm")
_REFITTED_IF_ASKED = """
if (isTRUE(given$refit)) {
  if (!identical(class(fit)[2L], "glm")) stop("only a fit by glm is fitted again: this one is of class ", class(fit)[2L])
  r <- refit(fit, if (is.null(given$epsilon)) 1e-14 else given$epsilon, 100L)
  reduce_btm(r$model, r$coef, r$vcov)
} else reduce_btm(fit)
"""
BTM = REFIT + FIT + REDUCE_BTM + _REFITTED_IF_ASKED


@dataclass(frozen=True, eq=False)
class ContestModel(Estimates):
    """A model of contests as R's glm, brglm or glmmPQL fitted it.

    names: R's coefficient names: ``..B``, ``teamBoston``, ``SVL[..]``, ``at.home``.  coef, se float[n]: NaN
    (R's NA) where R finds a coefficient not estimable.  vcov float[k, k]: of the ``k`` estimable
    coefficients, named in ``vcov_names``; of the fixed effects alone with a random effect.  deviance,
    null_deviance, df_residual, df_null, loglik, df, aic: as R defines them, of the rows as given; NaN where R
    has none, as with a random effect of positive variance.  penalized_deviance: of a bias-reduced fit, else
    NaN.  sigma, sigma_se: standard deviation of the random effects and its standard error; NaN without them.
    R's z test of sigma is a Wald test on the boundary.  random float[m]: predicted random effects, named in
    ``random_names``.  used: rows that R used.  fitted, eta, weights float[rows]: their probabilities, linear
    predictors, prior weights (contests in a row); empty with more than 500 rows: see :func:`predict`.
    iterations: NaN where R keeps none: sigma came out 0.  fitter: "glm", "brglm" or "BTglmmPQL".  players:
    levels of the player factor.  refcat, term_labels: the reference, if one was named; terms of the formula.
    arguments: of the call, so that methods can repeat it.
    """

    vcov_names: tuple[str, ...]
    deviance: float
    null_deviance: float
    df_residual: float
    df_null: float
    loglik: float
    df: float
    aic: float
    penalized_deviance: float
    sigma: float
    sigma_se: float
    random: Floats
    random_names: tuple[str, ...]
    used: int
    fitted: Floats
    eta: Floats
    weights: Floats
    converged: bool
    iterations: float
    fitter: str
    players: tuple[str, ...]
    refcat: tuple[str, ...]
    term_labels: tuple[str, ...]
    arguments: Mapping[str, Any] = field(repr=False)

    def frame(self) -> Any:
        """R's summary table as a DataFrame: estimate, se, z, p (two-sided, normal); the last row is sigma, if there is one."""
        import pandas as pd
        from scipy.stats import norm

        names, coef, se = [*self.names], [*self.coef.tolist()], [*self.se.tolist()]
        if self.sigma > 0:
            names, coef, se = [*names, "Std. Dev."], [*coef, self.sigma], [*se, self.sigma_se]
        z = np.array(coef) / np.array(se)
        table = {"estimate": coef, "se": se, "z": z, "p": 2 * norm.sf(np.abs(z))}
        return pd.DataFrame(table, index=pd.Index(names))


@asks(*NEEDS)
def BTm(
    outcome: Column = 1,
    player1: Player = None,
    player2: Player = None,
    formula: str | None = None,
    id: str = "..",
    separate_ability: Sequence[str] | None = None,
    refcat: str | None = None,
    link: Link = "logit",
    data: Any = None,
    weights: Column = None,
    subset: Column = None,
    na_action: NaAction | None = None,
    start: Sequence[float] | None = None,
    etastart: Sequence[float] | None = None,
    mustart: Sequence[float] | None = None,
    offset: Column = None,
    br: bool = False,
    contrasts: Mapping[str, str] | None = None,
    *,
    epsilon: float | None = None,
    maxit: int | None = None,
    refit: bool = False,
    control: Any = None,
    sigma: float | None = None,
    sigma_fixed: bool | None = None,
    backend: BackendLike = None,
) -> ContestModel:
    """R's ``BradleyTerry2::BTm(outcome, player1, player2, formula, id, ..., data, br)``, all of it.

    Text is an expression of R's grammar over columns of the data (``"cbind(win1, win2)"``, ``"winner"``) and is never run as
    free code; other values are taken as they are.  R's `model` and `x` change only what R's object keeps.

    Parameters
    ----------
    outcome : str, 1, or values
        0/1, shares, two columns of counts; 1 is "player1 won". **R counts a tie as a win where the outcome is a factor of three levels.**
    player1, player2 : str, sequence of str, or mapping of str to column
        The factors of players, with the same levels; a mapping is the data frame of R's help, ``{"team": "home.team", "at.home": 1}``. Text
        given as values becomes a factor of all names, by code point.
    formula : str, optional
        One-sided, in R's terms; default ``~ id``. ``(1 | ..)`` is the random effect.
    id : str
        Name of the player factor in the formula.
    separate_ability : sequence of str, optional
        Players with an ability of their own, beside those with a missing covariate; R ignores names that are no players.
    refcat : str, optional
        The player at 0; R ignores it where the formula has no term for the player.
    link : {"logit", "probit", "cauchit"}
    data : DataFrame, mapping of columns, mapping of tables, or Expr, optional
        One table, or R's list of tables: the contests first, then tables that factors index **by row position**, whose row names R ignores.
    weights, offset : str or values, optional
        For each contest; an offset of the player stands in the formula.
    subset : str or values, optional
        Logical, or negative positions; **R uses every row twice where it holds positive positions** (SE too small by the root of 2).
        With a random effect R stops.
    na_action, start, etastart, mustart : optional
        As for glm.
    br : bool
        Bias reduction by brglm (Firth 1993); R warns of "non-integer #successes" at every step.
    contrasts : mapping of str to str, optional
        Name of a factor to "contr.sum" and the like.
    epsilon, maxit : float, int, optional
        glm's or brglm's stopping rule; default R's 1e-8 of the deviance. **With aliased columns a tight epsilon makes R's coefficients
        meaningless** (its rank tolerance is epsilon / 1000).
    refit : bool
        glm fitted again from its own solution, which gives standard errors to 12 digits: R's come from the last step but one.
    control : glmmPQL_control, optional
        Stopping rule with a random effect.
    sigma, sigma_fixed : float, bool, optional
        Its start (0.1), and whether it stays there.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ContestModel

    Raises
    ------
    InputError
        Arguments of an earlier form of this function, now :func:`BTm_counts`; players missing.
    FormulaError
        Text that is more than a formula or an expression.
    RError
        R's own. R says nothing where players are separated or not connected: look at the standard errors.

    Examples
    --------
    >>> BTm(1, "winner", "loser", "~ SVL[..] + (1 | ..)", data=Expr("BradleyTerry2::flatlizards")).sigma  # doctest: +SKIP
    """
    if formula is not None and not isinstance(formula, str):
        counts = "counts of wins with their players, BTm(win1, win2, player1, player2), are BTm_counts's"
        raise InputError(f"BTm takes R's arguments: outcome, player1, player2, formula; {counts}")
    if player1 is None or player2 is None:
        raise InputError("BTm needs player1 and player2: columns of the data, values, or a table of columns")
    made: dict[str, Any] = dict(zip(("player1", "player2"), players_of(player1, player2, id)))
    columns = {"outcome": outcome, "weights": weights, "subset": subset, "offset": offset}
    made |= {name: column(value, name) for name, value in columns.items()}
    table = data_of(data)
    bad = [c for c in (contrasts or {}).values() if c not in CONTRASTS]
    if bad:
        raise InputError(f"contrasts are one of {', '.join(sorted(CONTRASTS))}; found {bad[0]!r}")
    made |= {"formula": optional(Formula, formula), "contrasts": dict(contrasts) if contrasts else None}
    variables = "outcome player1 player2 formula id separate.ability refcat link weights subset offset"
    variables += " na.action start etastart mustart br contrasts epsilon maxit refit pql"
    given = sent(backend, variables, pql=pql_arguments(control, sigma, sigma_fixed), **made)
    arguments = {"given": {k: v for k, v in given.items() if v is not None}, "data": table}
    needs = (*NEEDS, "brglm") if br else NEEDS
    return ContestModel.ask(backend, "BradleyTerry2::BTm in full", BTM, arguments, needs)


def needs_of(model: Any) -> tuple[str, ...]:
    """The packages that the model's own call needs."""
    return tuple(model.result.call.needs)


Family = Literal["binomial", "poisson"]

GLMMPQL = REDUCE_BTM + program(__package__, "r/btm_glmmpql")


@dataclass(frozen=True)
class GlmmPQLControl:
    """When glmmPQL stops, as R's ``glmmPQL.control`` says it.

    maxiter, IWLSiter: most outer and inner steps. R does not say where it stopped for want of them: see
    ``converged``.  tol: of the score of sigma, in units of its information's root.  trace: whether R prints
    each step, into ``result.output``.
    """

    maxiter: int = 50
    IWLSiter: int = 10
    tol: float = 1e-6
    trace: bool = False

    def arguments(self) -> dict[str, Any]:
        """The arguments of R's function, those that are not its defaults."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != f.default}


def glmmPQL_control(
    maxiter: int = 50, IWLSiter: int = 10, tol: float = 1e-6, trace: bool = False
) -> GlmmPQLControl:
    """R's ``BradleyTerry2::glmmPQL.control``, for :func:`BTm` and :func:`glmmPQL`.

    Parameters
    ----------
    maxiter, IWLSiter : int
        Above 0.
    tol : float
        Above 0.
    trace : bool

    Returns
    -------
    GlmmPQLControl

    Raises
    ------
    InputError
        A number that is not above 0.

    Examples
    --------
    >>> from pairproof.bridge import bradleyterry2
    >>> bradleyterry2.glmmPQL_control(tol=1e-13).arguments()
    {'tol': 1e-13}
    """
    for name, value in (("maxiter", maxiter), ("IWLSiter", IWLSiter), ("tol", tol)):
        if not value > 0:
            raise InputError(f"{name} must be above 0; found {value}")
    return GlmmPQLControl(int(maxiter), int(IWLSiter), float(tol), bool(trace))


@asks(*NEEDS)
def glmmPQL(
    fixed: str,
    random: Any = None,
    family: Family = "binomial",
    data: Any = None,
    subset: Column = None,
    weights: Column = None,
    offset: Column = None,
    *,
    link: Literal["logit", "probit", "cauchit", "log"] | None = None,
    control: GlmmPQLControl | None = None,
    sigma: float | None = None,
    sigma_fixed: bool | None = None,
    backend: BackendLike = None,
) -> ContestModel:
    """R's ``BradleyTerry2::glmmPQL(fixed, random, family, data, ...)``.

    Parameters
    ----------
    fixed : str
        R formula with its left side.
    random : float[rows, effects], optional
        Design matrix of the effects, which are independent with one variance; without it R's glm.
    family : {"binomial", "poisson"}
    data : DataFrame, mapping of columns, or Expr
    subset, weights, offset : str or values, optional
        A subset with `random` stops R, whose matrix must have the rows that are left.
    link : {"logit", "probit", "cauchit", "log"}, optional
    control : GlmmPQLControl, optional
    sigma, sigma_fixed : float, bool, optional
        Start (0.1), and whether it stays there.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ContestModel
        Its ``players`` is empty.

    Raises
    ------
    InputError, FormulaError, RError
        `random` is no matrix; text that is no formula; R's own.

    Examples
    --------
    >>> glmmPQL("cbind(r, n - r) ~ seed + extract", np.eye(21), data=Expr("BradleyTerry2::seeds")).sigma  # doctest: +SKIP
    """
    effects = optional(reals, random)
    if effects is not None and effects.ndim != 2:
        raise InputError(f"random has shape {effects.shape}; a matrix of rows and effects is expected")
    made: dict[str, Any] = {"fixed": Formula(fixed), "Z": effects, "data": as_frame(data)}
    columns = {"subset": subset, "weights": weights, "offset": offset}
    made |= {"given": {name: column(value, name) for name, value in columns.items()}}
    made |= {"pql": pql_arguments(control, sigma, sigma_fixed)}
    arguments = sent(backend, "fixed Z family link data given pql", **made)
    return ContestModel.ask(backend, "BradleyTerry2::glmmPQL", GLMMPQL, arguments)
