"""predict and residuals of a BTm: by pairproof where it has them, else R's own through the bridge.

The `newdata` of predict.BTm become new contests of a fit: players by name, covariates in the fit's words.  R
matches tables of players by position: row k of a table is level k of the new factor.  pairproof matches them
by name, and takes the covariates of a player that was in the fit from the fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RList, RVector
from ....data.columns import Factor
from ....fit.fit import Fit
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, columns_call, files, frame_call, stated
from ..recorded_answers import vectors_of
from ..rows import Beside, in_column, said_of
from ..translation import Context, StaysInR, Translation, in_r, needed, stays_if, translates
from .btm_fits import Model, model_of
from .btm_numbers import STOP
from .recorded_btm import Contests, estimated_terms, in_words

_NAME = re.compile(r"(?:[^\W\d]|\.(?![0-9]))[\w.]*\Z")


def new_contests(
    call: RecordedCall, of: RecordedCall, contests: Contests, fit: Fit, terms: Sequence[str]
) -> tuple[dict[str, list[Any]], dict[str, dict[str, Any]]]:
    """The contests of a recorded predict, for a fit of the BTm with these terms, and new players' covariates."""
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
    return rows | words.columns, unseen


def _columns(call: RecordedCall) -> dict[str, RVector]:
    """Every column of newdata, a data frame or a list of them."""
    given = _newdata(call)
    frames = [given] if "data.frame" in given.rclass else given.values
    return {n: v for frame in reversed(frames) for n, v in vectors_of(frame).items()}


def _newdata(call: RecordedCall) -> RList:
    given = call.values.get("newdata")
    if not isinstance(given, RList):
        raise StaysInR("its newdata were not recorded")
    return given


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


BRIDGE = "pairproof.bridge.bradleyterry2"
KINDS = ("deviance", "pearson", "working", "response")
#: Contests that are written into the script; more stand in a file.
IN_SCRIPT = 12
LEVELS = ("population", "individual")


@translates("BradleyTerry2::predict.BTm")
def predict(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.predict(m, contests)`."""
    model = model_of(call, context, "object")
    theirs = _predicted(call, model)
    code = _native_code(call, model, theirs)
    return Translation("native", code, judge=partial(_prediction_rows, call, model, theirs))


@in_r("BradleyTerry2::predict.BTm")
def predict_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """`pairproof.bridge.bradleyterry2.predict(m, newdata=, ...)`."""
    model = model_of(call, context, "object")
    judge = partial(_bridge_rows, call, _predicted(call, model))
    return Translation("bridge", _bridge_code(call, model), why, judge=judge)


@translates("BradleyTerry2::residuals.BTm")
def residuals(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.contest_residuals(m, kind)`, and `pairproof.item_residuals(m)` of grouped ones."""
    model, kind = model_of(call, context, "object"), call.word("type", "deviance")
    value = needed(call.vector("value"), "its values were not recorded")
    if model.fit is not None and kind in KINDS and value.values.ndim == 1:
        code = Call("pairproof.contest_residuals", (model.result, kind))
        judge = partial(_residual_rows, call, model, kind, value)
        return Translation("native", code, judge=judge)
    if model.fit is not None and kind == "grouped" and "by" not in call.args:
        code = Call("pairproof.item_residuals", (model.result,))
        return Translation("native", code, judge=partial(_grouped_rows, call, model, value))
    by = call.word("by", "")
    stays_if("by" in call.args and not by, "the factor by which it groups was not recorded by its name")
    options = {name: said for name, said in (("type", kind), ("by", by)) if said not in ("deviance", "")}
    code = Call(f"{BRIDGE}.residuals", (model.in_r(),), options)
    theirs = value.floats().T.ravel()

    def again(found: Any) -> Sequence[Agreement]:
        values = np.asarray(found.values)
        places = _by_columns("values", values)
        return Beside(call, 9.0, STOP).listed(f"residual_{kind}", values.T, theirs, places)

    return Translation("bridge", code, f"residuals of type {kind!r} stay in R", judge=again)


# -- predictions ---------------------------------------------------------------------------------------------


def _levels(call: RecordedCall, model: Model) -> tuple[int, ...]:
    """Levels asked for: 0 without, 1 with predicted random effects."""
    found = call.argument("level")
    if found is not None and found.values.dtype.kind in "fib":
        return tuple(sorted(int(v) for v in found.floats().ravel()))
    return (1,) if "BTglmmPQL" in model.call.strings("class") else (0,)


def _predicted(call: RecordedCall, model: Model) -> dict[tuple[int, str], Any]:
    """R's numbers by level and by "fit" or "se.fit"."""
    value, found = call.result.get("value"), dict[tuple[int, str], Any]()
    parts = {_levels(call, model)[0]: value}
    if isinstance(value, RList) and set(value.names or ()) <= set(LEVELS):
        parts = {LEVELS.index(n): v for n, v in zip(value.names or (), value.values)}
    for level, part in parts.items():
        inside = part if isinstance(part, RList) else RList((part,), ("fit",))
        for name in ("fit", "se.fit"):
            numbers = inside[name] if name in inside else None
            if isinstance(numbers, RVector):
                found[level, name] = numbers
    stays_if(not found, "its values were not recorded")
    return found


def _native_code(call: RecordedCall, model: Model, theirs: Mapping[tuple[int, str], Any]) -> Call:
    kind = call.word("type", "link")
    if any(v.values.ndim != 1 for v in theirs.values()) or kind not in ("link", "response"):
        raise StaysInR(f"predictions of type {kind!r} stay in R")
    mixed = "BTglmmPQL" in model.call.strings("class") and model.fit and model.fit.random_effects is not None
    if mixed and 0 in _levels(call, model):
        raise StaysInR("pairproof predicts with the random effects, and R was asked for level 0 without them")
    if kind == "response" and any(name == "se.fit" for _, name in theirs):
        raise StaysInR("standard errors of probabilities stay in R")
    if model.fit is None:
        raise StaysInR("its model stays in R")
    if "newdata" not in call.args:
        return Call("pairproof.predict", (model.result, _rows_of_fit(model)))
    fit = needed(model.in_words, "the covariates of its newdata stay in R, as those of its model do")
    terms = estimated_terms(model.call)
    contests, unseen = new_contests(call, model.call, model.contests(), fit, terms)
    given: Any = contests
    if len(next(iter(contests.values()))) > IN_SCRIPT:
        given = columns_call(contests, f"{model.call.variable or 'BTm'}_new")
    options = {"item_data": unseen} if unseen else {}
    return Call("pairproof.predict", (model.result, given), options)


def _rows_of_fit(model: Model) -> Call:
    """The contests of the table that the model was fitted to."""
    code = model.step.translation.code
    tables = [f for f in files(code) if {"first", "second"} <= set(f.columns)]
    stays_if(not tables, "the table of its model is not in a file")
    columns = {n: list(v) for n, v in tables[0].columns.items() if n not in ("wins", "losses", "ties")}
    return columns_call(columns, f"{tables[0].stem or 'BTm'}_contests")


def _prediction_rows(
    call: RecordedCall, model: Model, theirs: Mapping[tuple[int, str], Any], found: Any
) -> Sequence[Agreement]:
    mixed = model.fit is not None and model.fit.random_effects is not None
    point = "eta" if call.word("type", "link") == "link" else "p_plug_in" if mixed else "p_first"
    rows: list[Agreement] = []
    for (_, name), numbers in theirs.items():
        of_error = name == "se.fit"
        column, label = ("se", "prediction_se") if of_error else (point, "prediction")
        size = np.nan_to_num(found["se"].to_numpy(float)) if column == "eta" else 0.0
        r = Beside(call, model.least("se" if of_error else "estimate"), STOP)
        rows += r.listed(label, found[column], numbers.floats(), in_column(found, column), size)
    # R gives NA at level 1 for a player that was not in the fit.
    why = "R predicts no player with random effects that the model was not fitted to"
    return model.judged(said_of(rows, lambda a: a.r is None, "not-checkable", why, "r-has-no-value"))


def _bridge_code(call: RecordedCall, model: Model) -> Call:
    levels, kind = list(_levels(call, model)), call.word("type", "link")
    options: dict[str, Any] = {"newdata": _newdata_of_r(call, model)} if "newdata" in call.args else {}
    if "level" in call.args:
        options["level"] = levels[0] if len(levels) == 1 else levels
    options |= stated(type=kind != "link" and kind, se_fit=call.flag("se.fit"))
    return Call(f"{BRIDGE}.predict", (model.in_r(),), options)


def _newdata_of_r(call: RecordedCall, model: Model) -> Any:
    """R's newdata with the players' columns under the names that the bridged model has."""
    given = _newdata(call)
    sides = {model.call.args.get(f"player{k}", ""): f"player{k}" for k in (1, 2)}
    stem = f"{model.call.variable or 'BTm'}_new"

    def renamed(frame: RList) -> RList:
        return replace(frame, names=tuple(sides.get(n, n) for n in frame.names or ()))

    if "data.frame" in given.rclass:
        return frame_call(renamed(given), stem)
    labels = given.names or tuple(f"table{k + 1}" for k in range(len(given.values)))
    frames = {n or "table": v for n, v in zip(labels, given.values) if isinstance(v, RList)}
    stays_if(len(frames) != len(given.values) or not frames, "its newdata are no data frames")
    return {n: frame_call(renamed(v), f"{stem}_{n}") for n, v in frames.items()}


def _bridge_rows(
    call: RecordedCall, theirs: Mapping[tuple[int, str], Any], found: Any
) -> Sequence[Agreement]:
    rows: list[Agreement] = []
    for k, level in enumerate(sorted({level for level, _ in theirs})):
        for name, field, columns in (("fit", "fit", found.fit), ("se.fit", "se", found.se)):
            numbers = theirs.get((level, name))
            if numbers is None or not columns.size:
                continue
            ours, places, r = columns.T.ravel(), _by_columns(field, columns), numbers.floats().T.ravel()
            if numbers.values.ndim != 2:
                ours, places = columns[:, k], places[k * len(columns) : (k + 1) * len(columns)]
            label = f"prediction{'_se' if name == 'se.fit' else ''}.level {level}"
            rows += Beside(call, 9.0, STOP).listed(label, ours, r, places)
    return rows


# -- residuals -----------------------------------------------------------------------------------------------


def _residual_rows(
    call: RecordedCall, model: Model, kind: str, value: RVector, found: Any
) -> Sequence[Agreement]:
    theirs, r = value.floats(), Beside(call, model.least("estimate"), STOP)
    if len(theirs) != len(found):  # na.exclude puts NA where a row was left out
        theirs = theirs[~np.isnan(theirs)]
    size = 1.0  # residuals are on the scale of a standard error
    return model.judged(r.listed(f"residual_{kind}", found[kind], theirs, in_column(found, kind), size))


def _grouped_rows(call: RecordedCall, model: Model, value: RVector, found: Any) -> Sequence[Agreement]:
    players = [n.removeprefix(model.contests().id) for n in value.margin(0) or value.names or ()]
    at = {item: k for k, item in enumerate(found["item"])}
    order = [at[p] for p in players if p in at]
    weights, r = value.attributes.get("weights"), Beside(call, model.least("se") - 0.5, STOP)
    theirs = {"residual": value} | ({"weight": weights} if isinstance(weights, RVector) else {})
    rows: list[Agreement] = []
    for column, vector in theirs.items():
        ours, numbers = found[column].to_numpy(float)[order], vector.floats().ravel()
        # A weight of 0 is that of results that are certain in the limit; R's is what its stop left.
        size = 1.0 if column == "residual" else np.where(ours == 0, numbers.max(), 0.0)
        places, label = in_column(found, column), "residual" if column == "residual" else "residual_weight"
        rows += r.listed(label, ours, numbers, [places[k] for k in order], size, players)
    return model.judged(rows)


def _by_columns(field: str, table: Any) -> list[str]:
    """The places of an array's numbers, column by column as R has them; a vector's in order."""
    return [f"{field} / {k}" for k in np.arange(table.size).reshape(table.shape).T.ravel()]
