"""A recorded BTm through the bridge: R's own BTm again, with the values that R used as data frames.

Where the model has no counterpart in Python.  The contests are the rows that R used, so that `subset=` and missing values
are done with; what is indexed in the formula keeps its tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.packages.bradleyterry2.fit import ContestModel
from .....bridge.values.formulas import checked, variables
from .....bridge.values.values import RList, RVector
from .....errors import FormulaError, InputError
from ....verdicts.agreement import Agreement
from ...code.expressions import Call
from ...code.frames import frame_call
from ..rows import at, row, rows_of
from ..translation import Translation, outside
from .contests import Contests, StaysInR, contests_of, formula_text, taken
from .judge import coefficients
from .models import bias_reduced

BTM = "pairproof.bridge.bradleyterry2.BTm"
#: The same fit by the same R from the same values; rows of a subset may be summed in another order.
LEAST = 9.0
PLAYERS = ("player1", "player2")


def by_the_bridge(call: RecordedCall, why: str) -> Translation:
    """R's BTm of the same values; "outside" where they were not recorded.

    why: why it has no counterpart in Python.
    """
    try:
        contests = contests_of(call)
        code = bridged_code(call, contests)
    except (StaysInR, InputError, FormulaError) as error:
        return outside(f"{why}; through the bridge: {error}")
    return Translation("bridge", code, why, speaks="r", judge=of_r(call))


def bridged_code(call: RecordedCall, contests: Contests, also: str = "") -> Call:
    """`pairproof.bridge.bradleyterry2.BTm("cbind(wins, losses)", ...)`.

    also: a formula whose variables the data must hold too.
    """
    if contests.doubled:
        raise StaysInR("R took each row twice, which the bridge does not repeat")
    tables, players = _tables(call, contests, f"{formula_text(call)} {also}")
    options: dict[str, Any] = {}
    formula = formula_text(call)
    if formula and formula.replace("`", "").strip() != f"~{contests.id}":
        options["formula"] = checked(formula)
    if contests.id != "..":
        options["id"] = contests.id
    own, reference = call.strings("separate"), (call.strings("refcat") or ("",))[0]
    if own:
        options["separate_ability"] = list(own)
    if reference:
        options["refcat"] = reference
    link = (call.strings("family") or ("binomial", "logit"))[-1]
    if link != "logit":
        options["link"] = link
    if contests.offset is not None and contests.offset.any() and "offset(" not in formula:
        options["offset"] = [float(v) for v in contests.offset]
    elif contests.offset is not None and contests.offset.any() and "offset" in call.args:
        raise StaysInR("its offset is of the formula and of an argument together")
    if bias_reduced(call):
        options["br"] = True
    options |= settings(call)
    return Call(BTM, ("cbind(wins, losses)", *players), options | {"data": tables})


def of_r(call: RecordedCall) -> Callable[[ContestModel], Sequence[Agreement]]:
    """R through the bridge beside R in the script."""

    def judge(model: ContestModel) -> Sequence[Agreement]:
        function = call.function
        values, spread = coefficients(call)
        found = call.vector("coef")
        names = () if found is None or found.names is None else found.names
        theirs = {n: float(v) for n, v in zip(names, values)}
        ours = {n: float(v) for n, v in zip(model.names, model.coef)}
        errors = {n: float(e) for n, e, v in zip(names, np.sqrt(np.diag(spread)), values) if not np.isnan(v)}
        ours_se = {n: float(e) for n, e in zip(model.names, model.se) if n in errors}
        again: dict[str, Any] = {"least": LEAST, "why": "the same call of R"}
        rows = rows_of("estimate", ours, theirs, function, places=at("coef", model.names), **again)
        rows += rows_of("se", ours_se, errors, function, places=at("se", model.names), **again)
        for quantity, recorded, value in (
            ("deviance", "deviance", model.deviance),
            ("df_resid", "df_residual", model.df_residual),
            ("null_deviance", "null_deviance", model.null_deviance),
            ("df_null", "df_null", model.df_null),
            ("aic_glm", "aic", model.aic),
            ("sigma", "sigma", model.sigma),
        ):
            number = call.number(recorded)
            if number is not None:
                rows.append(row(quantity, value, number, function, place=recorded, **again))
        return rows

    return judge


def _tables(call: RecordedCall, contests: Contests, said: str) -> tuple[dict[str, Any], tuple[Any, Any]]:
    """Data frames of contests and of what is indexed, and how player1 and player2 are named in them."""
    levels = contests.players
    columns: dict[str, RVector] = {"wins": _doubles(contests.wins), "losses": _doubles(contests.losses)}
    players: list[dict[str, str]] = []
    for k, at in enumerate((contests.first, contests.second)):
        named = {contests.id: PLAYERS[k]}
        columns[PLAYERS[k]] = RVector(
            (at + 1).astype(np.int32), np.zeros(len(at), bool), levels=levels, rclass=("factor",)
        )
        for name, of_player in contests.sides[k].items():
            named[name] = f"{name}.{k + 1}"
            columns[named[name]] = of_player
        players.append(named)
    given = call.frame("data")
    others: dict[int, dict[str, RVector]] = {}
    for name, column in zip((given.names or ()) if given else (), given.values if given else ()):
        if (
            not isinstance(column, RVector)
            or column.values.ndim != 1
            or name in columns
            or not _said(said, name)
        ):
            continue
        if len(column) == contests.total:
            columns[name] = taken(column, contests.rows)
        else:
            others.setdefault(len(column), {})[name] = column
    there = {
        *columns,
        *(n for p in players for n in p),
        *(n for found in others.values() for n in found),
        ".",
    }
    absent = [n for n in variables(formula_text(call) or "~ 1") if n not in there]
    if absent:
        raise StaysInR(f"the values of {absent[0]}, which its formula names, were not recorded")
    tables: dict[str, Any] = {"contests": frame_call(_frame(columns), call.variable or "BTm")}
    for k, found in enumerate(others.values()):
        label = "players" if len(next(iter(found.values()))) == len(levels) else f"table{k + 1}"
        tables[label] = frame_call(_frame(found), f"{call.variable or 'BTm'}_{label}")
    sides: list[Any] = [p if len(p) > 1 or contests.id != ".." else p[contests.id] for p in players]
    return tables, (sides[0], sides[1])


def _said(text: str, name: str) -> bool:
    """Whether a formula names it."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", text) is not None


def _frame(columns: dict[str, RVector]) -> RList:
    return RList(tuple(columns.values()), tuple(columns), ("data.frame",))


def _doubles(values: Any) -> RVector:
    found = np.asarray(values, dtype=float)
    return RVector(found, np.isnan(found))


def settings(call: RecordedCall) -> dict[str, Any]:
    """Where iterations start and stop, and contrasts, as the call set them."""
    found: dict[str, Any] = {}
    control: dict[str, Any] = {}
    given = call.values.get("control")
    named = dict(zip(given.names or (), given.values)) if isinstance(given, RList) else {}
    for name in ("epsilon", "maxit", "tol", "maxiter", "IWLSiter"):
        number = _number(call.values.get(name, named.get(name)))
        if number is None:
            continue
        (found if name in ("epsilon", "maxit") else control)[name] = (
            int(number) if name in ("maxit", "maxiter", "IWLSiter") else number
        )
    if control:
        found["control"] = Call("pairproof.bridge.bradleyterry2.glmmPQL_control", (), control)
    for name in ("sigma", "sigma.fixed"):
        number = _number(call.values.get(name))
        if number is not None:
            found[name.replace(".", "_")] = bool(number) if name == "sigma.fixed" else number
    for name in ("start", "etastart", "mustart"):
        if name in call.args:
            raise StaysInR(f"its {name} is not passed on")
    contrasts = call.values.get("contrasts")
    if isinstance(contrasts, RList) and contrasts.names:
        kinds = [v.scalar() if isinstance(v, RVector) and len(v) == 1 else None for v in contrasts.values]
        if not all(isinstance(v, str) for v in kinds):
            raise StaysInR("its contrasts are a matrix or a function")
        found["contrasts"] = dict(zip(contrasts.names, kinds))
    return found


def _number(value: Any) -> float | None:
    if not isinstance(value, RVector) or value.values.size != 1 or value.values.dtype.kind not in "fib":
        return None
    number = float(value.floats().ravel()[0])
    return None if np.isnan(number) else number
