"""The `newdata` of predict.BTm as new contests of a fit: players by name, covariates in the fit's words.

R matches tables of players by position: row k of a table is level k of the new factor.  pairproof matches them by name,
and takes the covariates of a player that was in the fit from the fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RList, RVector
from .....data.columns import Factor
from .....fit.fit import Fit
from .contests import Contests, StaysInR
from .words import in_words

_NAME = re.compile(r"(?:[^\W\d]|\.(?![0-9]))[\w.]*\Z")


@dataclass(frozen=True, eq=False)
class NewContests:
    """Contests to be predicted.

    contests: first, second, and columns that the model uses.  item_data: covariates of players that were not
    in the fit.
    """

    contests: dict[str, list[Any]]
    item_data: dict[str, dict[str, Any]]


def new_contests(
    call: RecordedCall, of: RecordedCall, contests: Contests, fit: Fit, terms: Sequence[str]
) -> NewContests:
    """The contests of a recorded predict.

    call: of predict.  `of`: the BTm.  contests: of the BTm.  terms: R's labels of the terms that the fit has.
    """
    columns = _columns(call)
    if contests.sides[0] or (contests.offset is not None and contests.offset.any()):
        raise StaysInR("players with columns of their own, and offsets, are predicted by R")
    sides = []
    for k in (1, 2):
        name = of.args.get(f"player{k}", "").strip("`")
        column = columns.get(name) if _NAME.match(name) else None
        if column is None or column.levels is None or column.na.any():
            raise StaysInR("the players of its newdata are not columns of them by the model's names")
        sides.append(column)
    if sides[0].levels != sides[1].levels:
        raise StaysInR("the players of its newdata are not factors with the same levels")
    levels = sides[0].levels
    assert levels is not None
    n = len(sides[0])
    free = not any(t.kind == "covariate" for t in fit.terms)
    if free and levels != contests.players:
        raise StaysInR(
            "R takes the levels of newdata for those of the model by their place, which is another player's ability"
        )
    new = replace(
        contests,
        players=levels,
        first=sides[0].values.astype(int) - 1,
        second=sides[1].values.astype(int) - 1,
        wins=np.ones(n),
        losses=np.zeros(n),
        rows=np.arange(n),
        total=n,
        x=np.zeros((n, 0)),
        names=(),
    )
    if (new.first == new.second).any():
        raise StaysInR("a contest of a player against itself has no prediction in Python")
    data = RList(tuple(columns.values()), tuple(columns))
    words = in_words(replace(of, result={**of.result, "data": data}), new, list(terms))
    unseen: dict[str, dict[str, Any]] = {}
    for k, player in enumerate(levels):
        values = {name: column[k] for name, column in words.item_data.items()}
        if player not in fit.items:
            unseen[player] = {name: v for name, v in values.items() if v is not None}
        elif any(not _same(fit, player, name, v) for name, v in values.items()):
            raise StaysInR(f"{player} has other covariates in newdata than in the fit")
    rows = {"first": [levels[k] for k in new.first], "second": [levels[k] for k in new.second]}
    return NewContests(rows | words.columns, unseen)


def _columns(call: RecordedCall) -> dict[str, RVector]:
    """Every column of newdata, a data frame or a list of them."""
    given = call.values.get("newdata")
    if not isinstance(given, RList):
        raise StaysInR("its newdata were not recorded")
    frames = [given] if "data.frame" in given.rclass else [v for v in given.values if isinstance(v, RList)]
    found: dict[str, RVector] = {}
    for frame in frames:
        for name, column in zip(frame.names or (), frame.values):
            if isinstance(column, RVector) and column.values.ndim == 1:
                found.setdefault(name, column)
    return found


def _same(fit: Fit, player: str, name: str, value: Any) -> bool:
    """Whether a player's covariate in newdata is that of the fit."""
    column = fit.data.item_data.get(name)
    if column is None:
        return True
    at = fit.items.index(player)
    if isinstance(column, Factor):
        level = None if column.codes[at] < 0 else column.levels[column.codes[at]]
        return bool(level == value)
    known = float(column[at])
    return bool(np.isnan(known) if value is None else known == float(value))
