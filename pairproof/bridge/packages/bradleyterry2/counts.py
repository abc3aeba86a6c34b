"""Models of counts: BTm on wins by pair, to full precision, countsToBinomial, and GenDavidson as gnm fits it.

BTm: logit P(1 beats 2) = ability_1 - ability_2 (+ at.home), the reference's ability 0; ability = 2 lambda of
the LLBT.

GenDavidson is Davidson's model of ties with home advantage, shift and scale.  With a = ability_1 + at.home1 *
log mu and b = ability_2 + at.home2 * log mu (log mu: home.adv), s = exp(tie.scale), 1 without it, and p =
plogis(tie.mode (at.home1 - at.home2)), 1/2 without it:

    log m_win  = theta + a
    log m_loss = theta + b
    log m_tie  = theta + tie.max - s (p log p + (1 - p) log(1 - p)) + s (p a + (1 - p) b)
                 + (1 - s) log(e^a + e^b)

(Davidson 1970 is s = 1, p = 1/2, so that his gamma = log nu = tie.max + log 2.)  plogis(tie.max) is the
largest probability of a tie.  R's help page has a sign slip in the term with s; this is its code.  gnm starts
at random and its models have a parameter too many; here abilities are contrasts with a reference.  Seasons
without a player in common are not connected: contrasts across them are not estimable and NaN here, where gnm
prints numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.convert import data_frame, factor_of, matrix
from ...values.formulas import checked
from ...values.nodes import Formula
from .. import asking
from ..asking import Floats, RAnswer, RModel, asks, check_item, optional, program, reals, sent

NEEDS = ("BradleyTerry2",)

FIT = program(__package__, "r/counts_fit")
BTM = asking.REDUCE + asking.REFIT + FIT + "\n" + asking.REDUCED


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
    epsilon: float = asking.EPSILON,
    maxit: int = asking.MAXIT,
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
    made: dict[str, Any] = {"player1": factor_of(player1, levels), "player2": factor_of(player2, levels)}
    made |= {"home1": optional(lambda home: reals(reals(home) > 0), at_home)}
    made |= {"home2": optional(lambda home: reals(reals(home) < 0), at_home)}
    variables = "win1 win2 player1 player2 refcat home1 home2 br again epsilon maxit"
    arguments = sent(backend, variables, again=refit and not br, **made)
    needs = (*NEEDS, "brglm") if br else NEEDS
    named: dict[str, Any] = {"players": tuple(levels), "refcat": refcat or levels[0]}
    return BTmModel.ask(backend, "BradleyTerry2::BTm", BTM, arguments, needs, **named)


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
    table, n = reals(xtab), len(players)
    if table.shape != (n, n):
        raise ValueError(f"expected {n} x {n} wins, players in rows and columns; found {table.shape}")
    code = "BradleyTerry2::countsToBinomial(as.table(xtab))"
    arguments = {"xtab": matrix(table, players, players)}
    return BinomialCounts.ask(backend, "BradleyTerry2::countsToBinomial", code, arguments)


#: R: gnm looks for the term's function by this name.
TERM = """
GenDavidson <- BradleyTerry2::GenDavidson        # gnm looks for the term's function by this name
"""
FORMULA = """formula <- stats::as.formula(paste0(
  "count ~ GenDavidson(result == 1, result == 0, result == -1, first, second, tie.max = ~1",
  if (home) ", home.adv = ~1",
  if (home || mode) ", at.home1 = home1 == 1, at.home2 = home2 == 1",
  if (scale) ", tie.scale = ~1", if (mode) ", tie.mode = ~1", ") - 1"))
"""
GNM = program(__package__, "r/counts_gnm")
GENDAVIDSON = TERM + FORMULA + GNM


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


Predictor = Union[bool, str]


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
    at_home1: Sequence[bool] | None = None,
    at_home2: Sequence[bool] | None = None,
    home_adv: Predictor = False,
    tie_max: str = "~ 1",
    tie_scale: Predictor = False,
    tie_mode: Predictor = False,
    data: Mapping[str, Any] | None = None,
    tolerance: float = 1e-13,
    iterMax: int = 500,
    backend: BackendLike = None,
) -> GenDavidsonModel:
    """R's ``gnm::gnm(count ~ GenDavidson(win, tie, loss, first, second, ...) - 1, eliminate = match)``.

    Parameters
    ----------
    first, second : str[rows]
        A row is a match; players of seasons are names such as "Ars:2008-9".
    wins, ties, losses : float[rows]
        Counts from the first player's side.
    players : sequence of str, optional
        Default: code-point order of those that occur.
    reference : str, optional
        Player at 0; default the first.
    at_home : float[rows] of -1, 0, 1, optional
        1 where first is at home, -1 where second is; needed, or the next two, for ``home_adv`` and ``tie_mode``.
    at_home1, at_home2 : bool[rows], optional
        As R has them, where both or none may be at home.
    home_adv, tie_scale, tie_mode : bool, or one-sided formula
        Adds the effect of being at home, the scale, the shift; a formula of `data` lets it vary.
    tie_max : str
        One-sided formula of the largest probability of a tie, as a logit.
    data : mapping of str to [rows], optional
        Columns of the formulas.
    tolerance, iterMax : float, int
        gnm's stopping rule. gnm takes 20 s for a season of football.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    GenDavidsonModel
        Abilities in log-odds, as contrasts with the reference.

    Raises
    ------
    ValueError
        Players, or a reference, that are not among ``players``; ``at_home`` missing where it is needed.
    FormulaError, RError
        Text that is no formula; R's own.

    Examples
    --------
    >>> GenDavidson(["A"], ["B"], [61], [24], [35]).log_nu  # doctest: +SKIP
    """
    levels = levels_of(players, first, second)
    base = levels[0] if reference is None else reference
    check_item("reference", base, levels, "player")
    if (at_home1 is None) != (at_home2 is None) or at_home is not None and at_home1 is not None:
        raise ValueError("at_home1 and at_home2 belong together, and take the place of at_home")
    if (home_adv or tie_mode) and at_home is None and at_home1 is None:
        raise ValueError("home_adv and tie_mode need at_home: 1, 0 or -1 for each row")
    n = len(first)
    home = np.zeros(n) if at_home is None else reals(at_home)
    sides = (home > 0, home < 0) if at_home1 is None else (reals(at_home1) > 0, reals(at_home2) > 0)
    columns = {
        "count": np.stack([reals(c) for c in (wins, ties, losses)], axis=1).ravel(),
        "result": np.tile(np.array([1.0, 0.0, -1.0]), n),
        "first": factor_of([x for x in first for _ in range(3)], levels),
        "second": factor_of([x for x in second for _ in range(3)], levels),
        "match": factor_of([f"{i:06d}" for i in range(n) for _ in range(3)]),
        "home1": np.repeat(reals(sides[0]), 3),
        "home2": np.repeat(reals(sides[1]), 3),
    }
    terms: dict[str, Predictor] = {"home.adv": home_adv, "tie.scale": tie_scale, "tie.mode": tie_mode}
    switches = all(isinstance(t, bool) for t in terms.values())
    if data is None and tie_max.replace(" ", "") == "~1" and switches:
        chosen: dict[str, Any] = {"home": bool(home_adv), "scale": bool(tie_scale), "mode": bool(tie_mode)}
        code = GENDAVIDSON
    else:
        chosen = {"formula": _formula(tie_max, terms)}
        columns |= _spread(data or {}, columns, n)
        code = TERM + GNM
    rest = sent(backend, "reference tolerance iterMax", reference=levels.index(base) + 1)
    arguments = {"data": data_frame(columns), **chosen, **rest}
    label, named = "gnm::gnm with BradleyTerry2::GenDavidson", {"players": tuple(levels), "reference": base}
    return GenDavidsonModel.ask(backend, label, asking.REDUCE + code, arguments, seed=1, **named)


def _formula(tie_max: str, terms: Mapping[str, Predictor]) -> Formula:
    """The model's formula; each predictor is a formula of its own first."""
    given = {"tie.max": tie_max, **{k: "~ 1" if v is True else v for k, v in terms.items() if v is not False}}
    parts = [f"{name} = {checked(str(text), name)}" for name, text in given.items()]
    two_sided = [name for name, text in given.items() if not str(text).lstrip().startswith("~")]
    if two_sided:
        found = f"{two_sided[0]} is {given[two_sided[0]]!r}"
        raise InputError(f"{found}; a one-sided formula such as '~ 1' is expected")
    home = ["at.home1 = home1 == 1", "at.home2 = home2 == 1"] if {"home.adv", "tie.mode"} & set(given) else []
    inside = ", ".join(["result == 1", "result == 0", "result == -1", "first", "second", *parts, *home])
    return Formula(f"count ~ GenDavidson({inside}) - 1")


def _spread(data: Mapping[str, Any], taken: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Columns of the matches, three rows each; text as a factor."""
    found = {}
    for name, values in data.items():
        if name in taken or len(values) != n:
            expected = f"a name of its own and {n} values are expected"
            raise InputError(f"column {name!r} of data: {expected}, found {len(values)}")
        rows = [v for v in values for _ in range(3)]
        found[name] = factor_of(rows) if all(isinstance(v, str) for v in rows) else np.asarray(rows)
    return found
