"""BradleyTerry2 under its own names: BTm, BTabilities, countsToBinomial, GenDavidson.

BTm:  logit P(1 beats 2) = ability_1 - ability_2 (+ at.home), the reference's ability 0; ability = 2 lambda of
the LLBT. GenDavidson (Davidson 1970, through gnm):  log m_tie = theta + tie.max + log 2 + (ability_1 +
ability_2)/2 on the scale where the winner's row is theta + ability, so that Davidson's gamma = log nu =
tie.max + log 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..process.policy import BackendLike
from ..values.convert import data_frame, factor_of, matrix
from .answers import Floats, RAnswer, ask, asks, check_item, optional, reals
from .models import EPSILON, MAXIT, REDUCE, REFIT, RModel, model_of

NEEDS = ("BradleyTerry2",)

FIT = """
contestants <- function(player, home) {
  d <- data.frame(player = player)
  if (!is.null(home)) d$at.home <- home
  d
}
p1 <- contestants(player1, home1)
p2 <- contestants(player2, home2)
model <- if (is.null(home1)) ~ player else ~ player + at.home
control <- if (again) stats::glm.control() else stats::glm.control(epsilon = epsilon, maxit = maxit)
arguments <- list(cbind(win1, win2), p1, p2, formula = model, id = "player", x = TRUE, br = br)
if (!is.null(refcat)) arguments$refcat <- refcat
if (!br) arguments$control <- control
fit <- do.call(BradleyTerry2::BTm, arguments)
"""
BTM = (
    REDUCE
    + REFIT
    + FIT
    + """
if (again) { r <- refit(fit, epsilon, maxit); reduce(r$model, r$coef, r$vcov) } else reduce(fit)
"""
)
BTABILITIES = (
    REFIT
    + FIT
    + """
if (again && !anyNA(fit$coefficients)) fit <- refit(fit, epsilon, maxit)$model
a <- BradleyTerry2::BTabilities(fit)
list(players = rownames(a), ability = unname(a[, 1L]), se = unname(a[, 2L]),
     vcov = matrix(as.numeric(attr(a, "vcov")), nrow(a)))
"""
)


@dataclass(frozen=True, eq=False)
class BTmModel(RModel):
    """A Bradley-Terry model as ``BTm`` fits it; coefficients under R's names, ``playerB`` and ``at.home``.

    Attributes
    ----------
    players : tuple of str
        Levels of the player factor, in order.
    refcat : str
        The player whose ability is 0.
    arguments : mapping
        Of the call, so that :func:`BTabilities` can repeat it.
    """

    players: tuple[str, ...]
    refcat: str
    arguments: Mapping[str, Any] = field(repr=False)

    def ability(self, player: str) -> float:
        """The coefficient of a player, 0 for the reference."""
        return 0.0 if player == self.refcat else self.estimate(f"player{player}")

    def ability_se(self, player: str) -> float:
        """Its standard error, 0 for the reference."""
        return 0.0 if player == self.refcat else self.standard_error(f"player{player}")


@asks(*NEEDS)
def BTm(
    win1: Sequence[float],
    win2: Sequence[float],
    player1: Sequence[str],
    player2: Sequence[str],
    *,
    players: Sequence[str] | None = None,
    refcat: str | None = None,
    at_home: Sequence[float] | None = None,
    br: bool = False,
    epsilon: float = EPSILON,
    maxit: int = MAXIT,
    refit: bool = True,
    backend: BackendLike = None,
) -> BTmModel:
    """R's ``BradleyTerry2::BTm(cbind(win1, win2), player1, player2, ~ player (+ at.home), refcat, br)``.

    Parameters
    ----------
    win1, win2 : float[rows]
        Counts; they may be fractional (half wins), in which case R warns.
    player1, player2 : str[rows]
    players : sequence of str, optional
        Levels, in order; default: code-point order of those that occur.
    refcat : str, optional
        Reference; default the first player.
    at_home : float[rows] of -1, 0, 1, optional
        1 where player1 is at home, -1 where player2 is, 0 on neutral ground.
    br : bool
        Bias reduction by brglm (Firth). Fitted as brglm does; ``refit`` does not apply.
    epsilon, maxit, refit
        As for :func:`pairproof.bridge.packages.base.glm`.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    BTmModel
        Abilities in log-odds.

    Raises
    ------
    ValueError
        Players, or a reference, that are not among ``players``.
    RError
        R's own.

    Examples
    --------
    >>> BTm([61], [35], ["A"], ["B"]).ability("B")  # -log(61 / 35)  # doctest: +SKIP
    """
    levels = _levels(players, player1, player2)
    check_item("refcat", refcat, levels, "player")
    arguments = {
        "win1": reals(win1),
        "win2": reals(win2),
        "player1": factor_of(player1, levels),
        "player2": factor_of(player2, levels),
        "refcat": refcat,
        "home1": optional(lambda home: reals(reals(home) > 0), at_home),
        "home2": optional(lambda home: reals(reals(home) < 0), at_home),
        "br": br,
        "again": refit and not br,
        "epsilon": float(epsilon),
        "maxit": int(maxit),
    }
    result = ask(backend, "BradleyTerry2::BTm", BTM, arguments, (*NEEDS, "brglm") if br else NEEDS)
    return model_of(BTmModel, result, players=tuple(levels), refcat=refcat or levels[0], arguments=arguments)


def _levels(players: Sequence[str] | None, *used: Sequence[str]) -> list[str]:
    """The players in order: as stated, or those that occur by code point."""
    return sorted({name for names in used for name in names}) if players is None else list(players)


@dataclass(frozen=True, eq=False)
class Abilities(RAnswer):
    """Abilities of all players with their standard errors; the reference has 0 and 0.

    Attributes
    ----------
    ability, se : float[players]
        Log-odds.
    vcov : float[players, players]
    """

    players: tuple[str, ...]
    ability: Floats
    se: Floats
    vcov: Floats


@asks(*NEEDS)
def BTabilities(model: BTmModel, *, backend: BackendLike = None) -> Abilities:
    """R's ``BradleyTerry2::BTabilities(BTm(...))``.

    The model is fitted again in the same call, since no R object outlives its call here.

    Parameters
    ----------
    model : BTmModel
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Abilities

    Raises
    ------
    RError
        R's own: version 1.1-2 stops with two players ("non-conformable arguments").

    Examples
    --------
    >>> BTabilities(BTm([3, 2, 4], [1, 2, 1], [*"AAB"], [*"BCC"])).ability  # doctest: +SKIP
    """
    needs = model.result.call.needs
    return Abilities.read(ask(backend, "BradleyTerry2::BTabilities", BTABILITIES, model.arguments, needs))


@dataclass(frozen=True, eq=False)
class BinomialCounts(RAnswer):
    """Pairs with their wins, as ``countsToBinomial`` lists them: (1,2), (1,3), ...; 0:0 pairs are dropped."""

    player1: tuple[str, ...]
    player2: tuple[str, ...]
    win1: Floats
    win2: Floats


@asks(*NEEDS)
def countsToBinomial(xtab: Any, players: Sequence[str], *, backend: BackendLike = None) -> BinomialCounts:
    """R's ``BradleyTerry2::countsToBinomial(as.table(xtab))``.

    Parameters
    ----------
    xtab : float[players, players]
        ``xtab[i, j]`` counts wins of i over j.
    players : sequence of str
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    BinomialCounts

    Raises
    ------
    ValueError
        For a table that is not square, where R silently gives no rows.

    Examples
    --------
    >>> countsToBinomial([[0, 3, 1], [2, 0, 0], [4, 0, 0]], ["x", "y", "z"]).win1  # doctest: +SKIP
    """
    names = list(players)
    table = reals(xtab)
    if table.shape != (len(names), len(names)):
        raise ValueError(
            f"expected {len(names)} x {len(names)} wins, players in rows and columns; found {table.shape}"
        )
    code = "BradleyTerry2::countsToBinomial(as.table(xtab))"
    arguments = {"xtab": matrix(table, names, names)}
    return BinomialCounts.read(ask(backend, "BradleyTerry2::countsToBinomial", code, arguments, NEEDS))


GENDAVIDSON = """
GenDavidson <- BradleyTerry2::GenDavidson        # gnm looks for the term's function by this name
formula <- stats::as.formula(paste0(
  "count ~ GenDavidson(result == 1, result == 0, result == -1, first, second, tie.max = ~1",
  if (home) ", home.adv = ~1",
  if (home || mode) ", at.home1 = home1 == 1, at.home2 = home2 == 1",
  if (scale) ", tie.scale = ~1", if (mode) ", tie.mode = ~1", ") - 1"))
arguments <- list(formula = formula, eliminate = quote(match), family = stats::poisson, data = data,
                  tolerance = tolerance, iterMax = iterMax, verbose = FALSE, na.action = stats::na.fail)
fit <- do.call(gnm::gnm, arguments)
if (is.null(fit)) stop("gnm found no solution")
b <- stats::coef(fit)
V <- matrix(as.numeric(stats::vcov(fit)), length(b))
extra <- setdiff(seq_along(b), utils::tail(seq_along(b), nlevels(data$first)))
abilities <- utils::tail(seq_along(b), nlevels(data$first))
## gnm has its own order of the players, the sorted one, whatever that of the levels is: they are taken by name
if (!setequal(names(b)[abilities], levels(data$first)))
  stop("gnm names the abilities ", toString(names(b)[abilities]), "; the players are ", toString(levels(data$first)))
reference <- match(levels(data$first)[reference], names(b)) - min(abilities) + 1L
## abilities are known up to a constant: contrasts with the reference, then the other parameters as they are
C <- rbind(diag(length(b))[extra, , drop = FALSE],
           diag(length(b))[setdiff(abilities, abilities[reference]), , drop = FALSE])
C[length(extra) + seq_len(length(abilities) - 1L), abilities[reference]] <- -1
names_out <- names(b)[c(extra, setdiff(abilities, abilities[reference]))]
estimable <- gnm::checkEstimable(fit, t(C))
est <- stats::setNames(ifelse(estimable %in% TRUE, drop(C %*% as.numeric(b)), NA), names_out)
W <- C %*% V %*% t(C)
dimnames(W) <- list(names_out, names_out)
keep <- estimable %in% TRUE
reduce(fit, est, W[keep, keep, drop = FALSE])
"""


@dataclass(frozen=True, eq=False)
class GenDavidsonModel(RModel):
    """A generalised Davidson model; names: tie.max (home.adv, tie.scale, tie.mode), then players but the
    reference.

    A coefficient is NaN where gnm finds the contrast not estimable (players not connected).
    """

    players: tuple[str, ...]
    reference: str

    @property
    def log_nu(self) -> float:
        """Davidson's gamma = log nu = tie.max + log 2 (where there is no tie.scale or tie.mode)."""
        return self.estimate("tie.max") + float(np.log(2.0))


@asks("BradleyTerry2", "gnm")
def GenDavidson(
    first: Sequence[str],
    second: Sequence[str],
    wins: Sequence[float],
    ties: Sequence[float],
    losses: Sequence[float],
    *,
    players: Sequence[str] | None = None,
    reference: str | None = None,
    at_home: Sequence[float] | None = None,
    home_adv: bool = False,
    tie_scale: bool = False,
    tie_mode: bool = False,
    tolerance: float = 1e-13,
    iterMax: int = 500,
    backend: BackendLike = None,
) -> GenDavidsonModel:
    """R's ``gnm::gnm(count ~ GenDavidson(win, tie, loss, first, second, ...) - 1, eliminate = match)``.

    Parameters
    ----------
    first, second : str[rows]
        A row is a match.
    wins, ties, losses : float[rows]
        Counts from the first player's side.
    players : sequence of str, optional
        Default: code-point order of those that occur.
    reference : str, optional
        Player at 0; default the first.
    at_home : float[rows] of -1, 0, 1, optional
        1 where first is at home, -1 where second is; needed for ``home_adv`` and ``tie_mode``.
    home_adv : bool
        Adds the effect of being at home.
    tie_scale, tie_mode : bool
        The scaled and the shifted model.
    tolerance, iterMax : float, int
        gnm's stopping rule.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    GenDavidsonModel
        Abilities in log-odds, as contrasts with the reference.

    Raises
    ------
    ValueError
        Players, or a reference, that are not among ``players``; ``at_home`` missing where it is needed.
    RError
        R's own.

    Examples
    --------
    >>> GenDavidson(["A"], ["B"], [61], [24], [35]).log_nu  # doctest: +SKIP
    """
    levels = _levels(players, first, second)
    base = levels[0] if reference is None else reference
    check_item("reference", base, levels, "player")
    if (home_adv or tie_mode) and at_home is None:
        raise ValueError("home_adv and tie_mode need at_home: 1, 0 or -1 for each row")
    n = len(first)
    home = np.zeros(n) if at_home is None else reals(at_home)
    columns = {
        "count": np.stack([reals(c) for c in (wins, ties, losses)], axis=1).ravel(),
        "result": np.tile(np.array([1.0, 0.0, -1.0]), n),
        "first": factor_of([x for x in first for _ in range(3)], levels),
        "second": factor_of([x for x in second for _ in range(3)], levels),
        "match": factor_of([f"{i:06d}" for i in range(n) for _ in range(3)]),
        "home1": np.repeat(reals(home > 0), 3),
        "home2": np.repeat(reals(home < 0), 3),
    }
    arguments = {
        "data": data_frame(columns),
        "home": home_adv,
        "scale": tie_scale,
        "mode": tie_mode,
        "reference": levels.index(base) + 1,
        "tolerance": tolerance,
        "iterMax": int(iterMax),
    }
    label, needs = "gnm::gnm with BradleyTerry2::GenDavidson", ("BradleyTerry2", "gnm")
    result = ask(backend, label, REDUCE + GENDAVIDSON, arguments, needs, seed=1)
    return model_of(GenDavidsonModel, result, players=tuple(levels), reference=base)
