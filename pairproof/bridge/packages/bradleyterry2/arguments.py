"""The arguments of BTm as R is to see them: text as checked expressions, values under names of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np

from ....errors import InputError
from ...values.convert import data_frame, factor_of
from ...values.values import Expr, Formula, RArgument
from ..answers import check_option, optional, reals

NEEDS = ("BradleyTerry2",)
Link = Literal["logit", "probit", "cauchit"]
NaAction = Literal["na.omit", "na.exclude", "na.fail"]
#: A column of the data, or an expression of columns, as text of R's grammar; or values.
Column = Union[str, Expr, Sequence[Any], Any]
#: A player: a column, or a table of columns whose name the id is.
Player = Union[Column, Mapping[str, Any]]

#: R: a call of BTm put together as a user types it. Text came through the grammar as a formula, of which the
#: right side is the expression; values stand in the call under a name of their own.
BUILD = """
here <- environment()
named <- function(value, name) { assign(name, value, envir = here); as.name(name) }
said <- function(value, name) if (inherits(value, "formula")) value[[2L]] else if (is.language(value) || is.null(value)) value else named(value, name)
player <- function(value, name) {
  if (!is.list(value) || is.data.frame(value)) return(said(value, name))
  as.call(c(quote(data.frame), Map(said, value, paste0(name, ".", names(value)))))
}
arguments_of <- function(given, data, k) {
  name <- function(what) paste0(".", what, k)
  outcome <- given$outcome
  a <- list(outcome = if (is.numeric(outcome) && length(outcome) == 1L) outcome else said(outcome, name("outcome")),
            player1 = player(given$player1, name("player1")), player2 = player(given$player2, name("player2")),
            formula = given$formula, id = given$id, separate.ability = given$separate.ability, refcat = given$refcat,
            family = bquote(stats::binomial(link = .(given$link))), data = if (!is.null(data)) named(data, name("data")))
  for (what in c("weights", "subset", "offset", "start", "etastart", "mustart")) a[[what]] <- said(given[[what]], name(what))
  if (isTRUE(given$br)) a$br <- TRUE
  if (!is.null(given$na.action)) a$na.action <- as.name(given$na.action)
  a$contrasts <- given$contrasts
  if (!is.null(given$epsilon) || !is.null(given$maxit)) {
    stop_at <- list(given$epsilon, given$maxit)
    if (isTRUE(given$br)) a$control.brglm <- as.call(c(quote(brglm::brglm.control), stats::setNames(stop_at, c("br.epsilon", "br.maxit"))[lengths(stop_at) > 0L]))
    else a$control <- as.call(c(quote(stats::glm.control), stats::setNames(stop_at, c("epsilon", "maxit"))[lengths(stop_at) > 0L]))
  }
  if (isTRUE(given$refit)) a$x <- TRUE
  c(a[lengths(a) > 0L], given$pql)
}
btm <- function(given, data, k = "") eval(as.call(c(quote(BradleyTerry2::BTm), arguments_of(given, data, k))), here)
"""
FIT = BUILD + "fit <- btm(given, data)\n"


def pql_arguments(control: Any, sigma: float | None, sigma_fixed: bool | None) -> dict[str, Any] | None:
    """What goes on to glmmPQL by the dots of BTm."""
    found = {} if control is None else control.arguments()
    found |= {} if sigma is None else {"sigma": float(sigma)}
    found |= {} if sigma_fixed is None else {"sigma.fixed": bool(sigma_fixed)}
    return found or None


def btm_arguments(
    outcome: Column,
    player1: Player,
    player2: Player,
    formula: str | None,
    id: str,
    separate_ability: Sequence[str] | None,
    refcat: str | None,
    link: str,
    data: Any,
    weights: Column,
    subset: Column,
    offset: Column,
) -> dict[str, Any]:
    """The arguments ``given`` and ``data`` of the R code."""
    if formula is not None and not isinstance(formula, str):
        raise InputError(
            "BTm takes R's arguments: outcome, player1, player2, formula; counts of wins with their players, "
            "BTm(win1, win2, player1, player2), are BTm_counts's"
        )
    if player1 is None or player2 is None:
        raise InputError("BTm needs player1 and player2: columns of the data, values, or a table of columns")
    check_option("link", link, Link)
    sides = players_of(player1, player2, id)
    given = {
        "outcome": column(outcome, "outcome"),
        "player1": sides[0],
        "player2": sides[1],
        "formula": optional(Formula, formula),
        "id": id,
        "separate.ability": optional(list, separate_ability),
        "refcat": refcat,
        "link": link,
        "weights": column(weights, "weights"),
        "subset": column(subset, "subset"),
        "offset": column(offset, "offset"),
    }
    return {"given": given, "data": data_of(data)}


def column(value: Column, where: str) -> Any:
    """Text as a checked expression (a formula, of which R takes the right side), values as numbers or a factor."""
    if value is None or isinstance(value, (Expr, RArgument, Formula)):
        return value
    if isinstance(value, str):
        return Formula(f"~ {value}")
    if isinstance(value, (bool, int, float)):
        return float(value)
    if type(value).__module__.split(".")[0] == "pandas":
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
    pandas = [type(v).__module__.split(".")[0] == "pandas" and hasattr(v, "columns") for v in data.values()]
    tables = [p or isinstance(v, (Mapping, RArgument)) for p, v in zip(pandas, data.values())]
    if data and all(tables):
        return {k: data_frame(v) if isinstance(v, Mapping) else v for k, v in data.items()}
    return data_frame(data)
