"""eba's elimination by aspects, Thurstone's case V and tests of transitivity, through the bridge by their
values.
 eba's nlm stops early and reports it nowhere (worths off by 3e-5 at ten items), so that the same call gives
the same numbers, and a better one others.  Without common aspects its model is Bradley and Terry's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.packages.eba import AspectModel, ThurstoneModel, Transitivity
from .....bridge.values.values import RList, RValue, RVector
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, Constant
from ..registry import translates
from ..rows import at, named, row, rows_of
from ..translation import Context, Translation, outside
from .answers import recorded, unknown

EBA, THURSTONE, STRANS = "eba::eba", "eba::thurstone", "eba::strans"
GOODNESS = ("deviance", "df_residual", "p_value")


def _table(call: RecordedCall) -> tuple[list[list[Any]], list[str]] | None:
    """Wins of rows over columns, and the items; None if they were not recorded."""
    wins = call.values.get("M")
    if not isinstance(wins, RVector) or wins.values.ndim != 2 or wins.values.shape[0] != wins.values.shape[1]:
        return None
    found = np.where(wins.na, 0.0, wins.floats())
    margins = wins.dimnames or (None, None)
    n = len(found)
    items = list(margins[1] or margins[0] or [str(k + 1) for k in range(n)])
    found = np.nan_to_num(found)
    rows = [[int(v) if v == int(v) else v for v in row_of] for row_of in found.tolist()]
    return rows, items


def _code(name: str, table: tuple[list[list[Any]], list[str]], options: Mapping[str, Any]) -> Call:
    return Call(f"pairproof.bridge.eba.{name}", (Constant(table[0]), Constant(table[1])), dict(options))


@translates(EBA, "eba::OptiPt")
def eba(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.eba(wins, items, A=, s=)`."""
    table = _table(call)
    lost = unknown(call, "A", "s", "constrained")
    if table is None or lost:
        return outside(f"its {lost or 'table of wins'} could not be recorded")
    options: dict[str, Any] = {}
    aspects = call.values.get("A")
    if isinstance(aspects, RList):
        own = [_whole(v) for v in aspects.values]
        if own != [[k + 1] for k in range(len(own))]:
            options["A"] = own
    start, constrained = call.values.get("s"), call.values.get("constrained")
    if isinstance(start, RVector):
        options["s"] = start.floats().ravel().tolist()
    if isinstance(constrained, RVector) and constrained.values.size == 1 and not constrained.scalar():
        options["constrained"] = False
    why = (
        "it is a model of elimination by aspects, which eba fits"
        if "A" in options
        else "its search stops early, and where is eba's own; fit_bradley_terry has the maximum of this model"
    )
    return Translation(
        "bridge", _code("eba", table, options), why, speaks="r", judge=partial(_eba_rows, call)
    )


def _whole(value: RValue) -> list[int]:
    return [int(v) for v in value.floats().ravel().tolist()] if isinstance(value, RVector) else []


def _eba_rows(call: RecordedCall, model: AspectModel) -> Sequence[Agreement]:
    found = call.vector("coef")
    rows: list[Agreement] = []
    if found is not None:
        theirs = dict(zip(model.names, found.floats().ravel().tolist()))
        rows += rows_of("estimate", model.params(), theirs, EBA, places=at("coef", model.names))
    llf = call.number("loglik")
    if llf is not None:
        rows.append(row("llf", model.loglik, llf, EBA, place="loglik"))
    return rows + _goodness(call, (model.deviance, model.df_residual, model.p_value), EBA)


@translates(THURSTONE)
def thurstone(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.thurstone(wins, items)`."""
    table = _table(call)
    if table is None:
        return outside("its table of wins was not recorded")
    why = 'Thurstone\'s case V as eba has it; fit_bradley_terry(link="probit") is the same model by maximum likelihood'

    def judge(model: ThurstoneModel) -> Sequence[Agreement]:
        theirs = named(call.vector("coef"))
        rows = rows_of("estimate", model.params(), theirs, THURSTONE, places=at("coef", model.names))
        return rows + _goodness(call, (model.deviance, model.df_residual, model.p_value), THURSTONE)

    return Translation("bridge", _code("thurstone", table, {}), why, speaks="r", judge=judge)


@translates(STRANS)
def strans(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.strans(wins, items)`."""
    table, found = _table(call), recorded(call, "value")
    if table is None or not isinstance(found, RList):
        return outside("its table of wins was not recorded")

    why = "tests of stochastic transitivity are eba's"
    return Translation("bridge", _code("strans", table, {}), why, speaks="r", judge=partial(_counts, found))


def _counts(found: RList, value: Transitivity) -> Sequence[Agreement]:
    ours = {"weak": value.weak, "moderate": value.moderate, "strong": value.strong, "n.tests": value.n_tests}
    return [
        row(n, float(v), float(found.vector(n).floats().ravel()[0]), STRANS, place=n.replace(".", "_"))
        for n, v in ours.items()
        if n in found and isinstance(found[n], RVector)
    ]


@translates("eba::eba.order", "eba::circular")
def other(call: RecordedCall, context: Context) -> Translation:
    """Named, and left out."""
    return outside(f"{call.function} has no function in pairproof, nor one in its bridge")


def _goodness(call: RecordedCall, ours: Sequence[float], function: str) -> list[Agreement]:
    found = call.vector("goodness")
    if found is None:
        return []
    theirs = found.floats().ravel().tolist()
    return [row(n, o, float(t), function, place=n) for n, o, t in zip(GOODNESS, ours, theirs)]
