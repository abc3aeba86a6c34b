"""BTm on counts of wins by pair, to full precision, and countsToBinomial.

logit P(1 beats 2) = ability_1 - ability_2 (+ at.home), the reference's ability 0; ability = 2 lambda of the LLBT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...process.policy import BackendLike
from ...values.convert import data_frame, factor_of, matrix
from ..answers import Floats, RAnswer, ask, asks, check_item, optional, reals
from ..models import EPSILON, MAXIT, REDUCE, REFIT, RModel, model_of

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


@dataclass(frozen=True, eq=False)
class BTmModel(RModel):
    """A Bradley-Terry model as :func:`BTm_counts` has it; coefficients under R's names, ``playerB`` and ``at.home``.

    players: levels of the player factor, in order.  refcat: the player whose ability is 0.  arguments: of the
    call, so that :func:`BTabilities` can repeat it.
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
def BTm_counts(
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
    epsilon, maxit, refit : float, int, bool
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
    >>> BTm_counts([61], [35], ["A"], ["B"]).ability("B")  # -log(61 / 35)  # doctest: +SKIP
    """
    levels = levels_of(players, player1, player2)
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


def levels_of(players: Sequence[str] | None, *used: Sequence[str]) -> list[str]:
    """The players in order: as stated, or those that occur by code point."""
    return sorted({name for names in used for name in names}) if players is None else list(players)


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
