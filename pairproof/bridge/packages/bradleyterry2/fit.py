"""BTm in full: g(P(1 beats 2)) = ability_1 - ability_2 + contest terms + offset, as R's BradleyTerry2 fits it.

The one-sided formula describes the ability of one player.  R evaluates it with the variables of player 1 and with those
of player 2, leaves the intercept out and takes the difference: ``x[..]`` is a player's value, ``x[judge]`` a
judge's, ``(1 | ..)`` a normal random effect of the player, fitted by penalised quasi-likelihood.

What comes back is what R says, with R's warnings in ``result.warnings``.  R's own mistakes come back too; the
docstrings name them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.formulas import CONTRASTS
from ...values.values import RVector
from ..answers import Estimates, Floats, ask, asks, check_option, named_matrix, optional, reals
from ..models import REFIT
from .arguments import FIT, NEEDS, Column, Link, NaAction, Player, btm_arguments, pql_arguments

#: R: what is taken from a fit, of glm, brglm or glmmPQL. glmmPQL's vcov names its columns otherwise than its
#: coefficients (XSVL[..]), so they are taken by place.
REDUCE_BTM = """
one <- function(x) if (length(x) == 1L) as.numeric(x)
rows <- function(x) if (length(x) <= 500L) unname(as.numeric(x)) else numeric()
reduce_btm <- function(fit, b = fit$coefficients, V = stats::vcov(fit)) {
  kept <- which(!is.na(b))
  V <- matrix(as.numeric(V), nrow(V))
  if (nrow(V) == length(b)) V <- V[kept, kept, drop = FALSE]
  dimnames(V) <- list(names(b)[kept], names(b)[kept])
  ll <- tryCatch(stats::logLik(fit), error = function(e) NULL)
  u <- attr(b, "random")
  list(coef = stats::setNames(as.numeric(b), names(b)), vcov = V, deviance = one(fit$deviance), null_deviance = one(fit$null.deviance),
       df_residual = one(fit$df.residual), df_null = one(fit$df.null), loglik = one(ll), df = one(attr(ll, "df")), aic = one(fit$aic),
       penalized_deviance = one(fit$penalized.deviance), converged = isTRUE(fit$converged), iterations = one(fit$iter[1L]),
       fitted = rows(fit$fitted.values), eta = rows(fit$linear.predictors), weights = rows(fit$prior.weights), used = length(fit$fitted.values), fitter = setdiff(class(fit), "BTm")[1L],
       sigma = one(fit$sigma), sigma_se = if (!is.null(fit$varSigma)) one(sqrt(fit$varSigma)),
       random = if (length(u)) as.numeric(u) else numeric(), random_names = if (length(u)) as.character(colnames(fit$random)) else character(),
       players = as.character(levels(fit$player1[[if (is.null(fit$id)) 1L else fit$id]])), refcat = as.character(fit$refcat), term_labels = as.character(fit$term.labels))
}
"""
BTM = (
    REFIT
    + FIT
    + REDUCE_BTM
    + """
if (isTRUE(given$refit)) {
  if (!identical(class(fit)[2L], "glm")) stop("only a fit by glm is fitted again: this one is of class ", class(fit)[2L])
  r <- refit(fit, if (is.null(given$epsilon)) 1e-14 else given$epsilon, 100L)
  reduce_btm(r$model, r$coef, r$vcov)
} else reduce_btm(fit)
"""
)


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
        return pd.DataFrame(
            {"estimate": coef, "se": se, "z": z, "p": 2 * norm.sf(np.abs(z))}, index=pd.Index(names)
        )


def contest_model(result: Any, arguments: Mapping[str, Any]) -> ContestModel:
    """A :class:`ContestModel` from what ``reduce_btm`` returned."""
    value = result.as_list()
    coefficients: RVector = value.vector("coef")
    vcov_names, vcov = named_matrix(value.vector("vcov"))
    coef = coefficients.floats()
    coef[np.isnan(coef)] = np.nan  # R's NA is a signalling NaN, over which numpy warns in every sum
    names = coefficients.names or ()
    variance = dict(zip(vcov_names, np.diag(vcov).tolist()))
    se = np.array([np.sqrt(v) if (v := variance.get(n, -1.0)) >= 0 else np.nan for n in names])
    return ContestModel.read(
        result, names=names, coef=coef, se=se, vcov=vcov, vcov_names=vcov_names, arguments=arguments
    )


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
    arguments = btm_arguments(
        outcome, player1, player2, formula, id, separate_ability, refcat, link, data, weights, subset, offset
    )
    check_option("na_action", na_action or "na.omit", NaAction)
    bad = [c for c in (contrasts or {}).values() if c not in CONTRASTS]
    if bad:
        raise InputError(f"contrasts are one of {', '.join(sorted(CONTRASTS))}; found {bad[0]!r}")
    given = arguments["given"]
    given.update(
        {
            "na.action": na_action,
            "start": optional(reals, start),
            "etastart": optional(reals, etastart),
            "mustart": optional(reals, mustart),
            "br": bool(br),
            "contrasts": dict(contrasts) if contrasts else None,
            "epsilon": optional(float, epsilon),
            "maxit": optional(int, maxit),
            "refit": bool(refit),
            "pql": pql_arguments(control, sigma, sigma_fixed),
        }
    )
    arguments["given"] = {k: v for k, v in given.items() if v is not None}
    needs = (*NEEDS, "brglm") if br else NEEDS
    return contest_model(ask(backend, "BradleyTerry2::BTm in full", BTM, arguments, needs), arguments)


def needs_of(model: Any) -> tuple[str, ...]:
    """The packages that the model's own call needs."""
    return tuple(model.result.call.needs)
