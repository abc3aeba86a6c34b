"""What follows a BTm: tests, abilities, predictions and residuals, by pairproof or by R through the bridge.

anova, add1 and drop1: R's table and ours differ in form.  With LR the likelihood ratio of a row, d the deviance of
the model and c the log binomial coefficients of the rows that R's AIC has::

    anova(m)     Deviance = LR,  Resid. Dev = d + LR of the rows below
    drop1(m)     Deviance = d + LR,  AIC = ours - 2 c
    add1(m)      Deviance = d - LR;  without random effects R's table is wrong
    anova(a, b)  Deviance = LR with the sign of the order

BTabilities is a method of a fit; the rows that countsToBinomial makes are in the fits made of them.

The `newdata` of predict.BTm become new contests of a fit: players by name, covariates in the fit's words.  R
matches tables of players by position: row k of a table is level k of the new factor.  pairproof matches them
by name, and takes the covariates of a player that was in the fit from the fit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.programs.counted_cells import count
from ....bridge.values.nodes import RLang, RList, RVector
from ....data.columns import Factor
from ....fit.fit import Fit
from ..python_code import Call, Method, columns_call, files, frame_call, stated
from ..recorded_answers import StaysInR, held, needed, stays_if, vectors_of
from ..rows import Beside, Rows, in_column, said_of
from ..translation import Context, Translation, bridged, in_r, translates, tried
from .btm_fits import AGAIN, LEAST, Model, model_of
from .btm_numbers import STOP, WRONG
from .recorded_btm import estimated_terms, in_words, terms_of

ADD1 = "BradleyTerry2's add1 is wrong for models without random effects: it ignores the number of contests in each row, and assigns each term its neighbour's columns"
#: What R's add1 compares where its terms lack values of other players than the model's own do.
JOINT = "R's add1 gives all players who lack a value of any of these terms abilities of their own in every row ({n} more; <none> has deviance {r:.7g}, the fit {ours:.7g}) and moves AIC to the fit's; Python tests each term in the fit, as R's add1 of it alone does: the numbers differ"
#: A likelihood ratio is a difference of two deviances, to each of which R's own stop leaves 8 digits.
RATIO = 6.0
OTHER = "R's table has different tests or terms from pairproof's"
HALVES = "with half wins the likelihood is a quasi-likelihood, and pairproof tests no ratio of it"
#: Tests that are pairproof's.
CHI_SQUARE = ("Chisq", "LRT")
#: R's row and column -> our number, and where it stands in our table; "" where it is computed from what does.
Numbers = dict[tuple[str, str], tuple[float, str]]
#: Numbers of our table.
Of = Callable[[Any], Numbers]


@translates("BradleyTerry2::anova.BTm")
def anova(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.anova(m)`, or of several models."""
    names = ["object", *(f"..{k}" for k in range(1, 50) if f"..{k}" in call.fits)]
    models = [model_of(call, context, name) for name in names]
    numbers = partial(_sequence, models[0]) if len(models) == 1 else partial(_beside, models)

    def of(table: RList, native: Any) -> Of | None:
        labels = _labels(table)
        return partial(numbers, labels) if len(native) == len(labels) else None

    return _tests(call, models, of)


@translates("BradleyTerry2::drop1.BTm")
def drop1(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.drop1(m)`."""
    model = model_of(call, context, "object")
    whole = not {"scope", "scale"} & set(call.args)
    return _tests(call, [model], partial(_matched, model, 1.0), native=whole)


@translates("BradleyTerry2::add1.BTm")
def add1(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.add1(m, "x + y")`."""
    model = model_of(call, context, "object")
    scope = held(call.values.get("scope"), RLang, "its scope is not a formula")
    added, own = terms_of(scope.text), "scale" not in call.args
    return _tests(call, [model], partial(_matched, model, -1.0), scope.text, added, own)


def _tests(
    call: RecordedCall,
    models: Sequence[Model],
    numbers: Callable[[RList, Any], Of | None],
    scope: str = "",
    added: Sequence[str] = (),
    native: bool = True,
) -> Translation:
    """The table by pairproof, if it is of the same tests, as `numbers` tells, else R's own through the bridge."""
    function, test = call.name.partition(".")[0], call.word("test", "none")
    table = held(call.result.get("value"), RList, unrecorded := "its table was not recorded")
    stays_if(not table.names, unrecorded)
    worded = all(m.in_words is not None for m in models)
    why = OTHER if worded else "a model in it has no formula in Python"
    why = why if all(m.contests.whole for m in models) else HALVES
    if native and worded and test in ("none", *CHI_SQUARE):
        try:
            words = [in_words(m.call, m.contests, added).formula for m in models if scope]
            code = Call(f"pairproof.{function}", (*(m.result for m in models), *words))
            found, refused = tried(code, {m.call.id: m.fit for m in models})
            stays_if(refused, f"pairproof refuses it: {refused}")
            if (of := numbers(table, found)) is not None:
                rows = partial(_rows, call, models[0], table, of)
                of_r = {a.explanation for a in rows(found) if a.code == WRONG}
                return Translation("native", code, notes=tuple(sorted(of_r)), judge=rows)
        except StaysInR as said:
            why = str(said)
    dropped = "scale" in call.args or ("scope" in call.args and not scope)
    stays_if(dropped, "its scope or scale is not passed on")
    stays_if(test not in ("none", *CHI_SQUARE, "F"), f"its test is {test!r}")
    arguments = (*(m.in_r(scope) for m in models), *([scope] if scope else []))

    def judge(found: Any) -> Rows:
        ours = {(label, column): 0.0 for label in found.rows for column in found.columns}
        places = {f"{label}.{column}": f"values / {k}" for k, (label, column) in enumerate(ours)}
        own = dict(zip(places, np.ravel(found.values).tolist()))
        theirs = {f"{label}.{column}": v for (label, column), v in _entries(table).items()}
        known = {n: v for n, v in own.items() if n in theirs}
        return Beside(call, LEAST, AGAIN).named(function, known, theirs, places)

    options = {} if test == "none" else {"test": "Chisq" if test == "LRT" else test}
    return bridged(why, f"bradleyterry2.{function}", arguments, options, judge)


def _rows(call: RecordedCall, model: Model, table: RList, numbers: Of, found: Any) -> Rows:
    fit, ours, rows = model.python, numbers(found), Rows()
    random = fit.random_effects is not None
    for (label, column), value in _entries(table).items():
        if (label, column) not in ours:
            continue
        least = model.least("se") - 0.5 if random else RATIO
        # A relative error of the statistic is multiplied by half of it in p.
        least = 16.0 if column in ("Df", "Resid. Df") else least - 1.0 if column.startswith("P") else least
        size = 0.0 if random or column not in ("Deviance", "LRT") else fit.deviance
        quantity, (mine, place) = f"{call.name.partition('.')[0]}.{label}.{column}", ours[label, column]
        rows.append(Beside(call, least, STOP).row(quantity, mine, value, size, place))
    if call.name.startswith("add1") and not random:
        entries, separate = _entries(table), table.attributes.get("separate.abilities")
        own = 0 if (assign := model.call.vector("assign")) is None else int((assign.values == 0).sum())
        more = len(separate) - own if isinstance(separate, RVector) else 0
        counts = model.contests.wins + model.contests.losses
        if more > 0 and (counts == 1).all() and ("<none>", "Deviance") in entries:
            why = JOINT.format(n=more, r=entries["<none>", "Deviance"], ours=fit.deviance)
            return model.judged(said_of(rows, lambda a: True, "explained", why, WRONG))
        rows = said_of(rows, lambda a: True, "not-checkable", ADD1, WRONG)
    return model.judged(rows)


def _single(model: Model, named: Mapping[str, str], sign: float, found: Any) -> Numbers:
    """Numbers of drop1 (sign 1) and add1 (-1), by R's labels and columns."""
    contests, deviance = model.contests, model.python.deviance
    rows = [str(n) for n in found.index]
    at = {"<none>": 0, **{label: rows.index(index) for label, index in named.items()}}
    ours: Numbers = {("<none>", "Deviance"): (deviance, "")}
    for label, k in at.items():
        if k:
            ours |= _test(label, found, k)
            ours[label, "Deviance"] = deviance + sign * float(found["statistic"].iloc[k]), ""
        aic = float(found["aic"].iloc[k]) - 2.0 * count(model.python).binomial_constant
        if contests.whole and not np.isnan(aic):
            ours[label, "AIC"] = aic, ""
    return ours


def _sequence(model: Model, labels: Sequence[str], found: Any) -> Numbers:
    """Numbers of anova(m): one term after another; the first row is the model of nothing."""
    # From the whole model backwards: the model of no terms may have players with an ability of their own.
    deviance, df, ours = model.python.deviance, float(model.python.df_resid), Numbers()
    for k, label in reversed(list(enumerate(labels))):
        ours[label, "Resid. Dev"], ours[label, "Resid. Df"] = (deviance, ""), (df, "")
        if k:
            ours |= _test(label, found, k)
            ours[label, "Deviance"] = ours[label, "Statistic"]
            deviance, df = (v + float(found[c].iloc[k]) for v, c in ((deviance, "statistic"), (df, "df")))
    return ours


def _beside(models: Sequence[Model], labels: Sequence[str], found: Any) -> Numbers:
    """Numbers of anova(a, b, ...)."""
    ours, fits = Numbers(), [m.python for m in models]
    for k, (label, fit) in enumerate(zip(labels, fits)):
        ours[label, "Resid. Dev"] = fit.deviance, ""
        ours[label, "Resid. Df"] = float(fit.df_resid), ""
        if k:
            sign = 1.0 if fit.rank >= fits[k - 1].rank else -1.0
            ours |= _test(label, found, k)
            for theirs, name in (("Df", "Df"), ("Deviance", "Statistic")):
                value, place = ours[label, name]
                signed = sign * abs(value)
                ours[label, theirs] = signed, place if signed == value else ""
    return ours


def _test(label: str, found: Any, k: int) -> Numbers:
    """Statistic, df and p of a row under every name that R has for them."""
    statistic, df, p = ((float(found[c].iloc[k]), in_column(found, c)[k]) for c in ("statistic", "df", "p"))
    of = {"LRT": statistic, "Statistic": statistic, "Df": df, "Pr(>Chi)": p, "P(>|Chi|)": p, "Pr(>|Chi|)": p}
    return {(label, column): value for column, value in of.items()}


def _matched(model: Model, sign: float, table: RList, native: Any) -> Of | None:
    """Numbers of the terms by R's labels and those of our table; None if they are not the same terms."""
    labels, ours = [n for n in _labels(table) if n != "<none>"], [str(n) for n in native.index[1:]]
    by_word = {n.replace("`", ""): n for n in ours}
    named = dict(zip(labels, ours)) if len(labels) == len(ours) else {}
    with contextlib.suppress(StaysInR):
        contests = model.contests
        words = {n: in_words(model.call, contests, [n.strip("`")]).formula.replace("`", "") for n in labels}
        if words and sorted(words.values()) == sorted(by_word):
            named = {n: by_word[w] for n, w in words.items()}
    return partial(_single, model, named, sign) if named else None


def _labels(table: RList) -> list[str]:
    return [] if table.row_names is None else [str(v) for v in table.row_names.values.tolist()]


def _entries(table: RList) -> dict[tuple[str, str], float]:
    """Every number of R's table that is not NA, by row and column."""
    numbers = {n: v.floats().tolist() for n, v in vectors_of(table).items() if v.values.dtype.kind in "fi"}
    labels = _labels(table)
    return {(label, n): x for n, column in numbers.items() for label, x in zip(labels, column) if x == x}


# -- abilities -----------------------------------------------------------------------------------------------


@translates("BradleyTerry2::BTabilities")
def abilities(call: RecordedCall, context: Context) -> Translation:
    """`fit.abilities()`."""
    model = model_of(call, context, "model")
    table = held(call.result.get("value"), RVector, lost := "its table was not recorded")
    stays_if(table.values.ndim != 2 or not table.margin(0), lost)
    ability, se = [dict(zip(table.margin(0), column)) for column in table.floats().T.tolist()[:2]]
    sizes = {n: 0.0 if v != v else v for n, v in se.items()}

    def judge(found: Any) -> Rows:
        of, errors = (Beside(call, model.least(kind), STOP) for kind in ("estimate", "se"))
        rows = of.columns(found, {"ability": ability}, {}, sizes)
        return model.judged([*rows, *errors.columns(found, {"se": se}, {"se": "ability_se"}, sizes)])

    if model.in_words is not None:
        return Translation("native", Method(model.result, "abilities"), judge=judge)
    why = "it is of a fit by R" if model.fit is None else "the players' covariates stay in R"
    return bridged(why, "bradleyterry2.BTabilities", [model.in_r()], {}, judge)


# -- predictions ---------------------------------------------------------------------------------------------

#: Contests that are written into the script; more stand in a file.
IN_SCRIPT = 12
LEVELS = ("population", "individual")
#: R's numbers by level (0 without, 1 with predicted random effects), and by "fit" or "se.fit".
Predicted = Mapping[tuple[int, str], RVector]


@translates("BradleyTerry2::predict.BTm")
def predict(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.predict(m, contests)`."""
    model = model_of(call, context, "object")
    theirs = _predicted(call, model)
    code = _native_code(call, model, theirs)
    return Translation("native", code, judge=partial(_prediction_rows, call, model, theirs))


@in_r("BradleyTerry2::predict.BTm")
def _predict_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """`pairproof.bridge.bradleyterry2.predict(m, newdata=, ...)`."""
    model = model_of(call, context, "object")
    theirs, levels, kind = _predicted(call, model), list(_levels(call, model)), call.word("type", "link")
    options = stated(newdata="newdata" in call.args and _newdata_of_r(call, model))
    options |= {"level": levels[0] if len(levels) == 1 else levels} if "level" in call.args else {}
    options |= stated(type=kind != "link" and kind, se_fit=call.flag("se.fit"))
    return bridged(why, "bradleyterry2.predict", [model.in_r()], options, partial(_bridge_rows, call, theirs))


def _levels(call: RecordedCall, model: Model) -> tuple[int, ...]:
    found = call.argument("level")
    if found is not None and found.values.dtype.kind in "fib":
        return tuple(sorted(int(v) for v in found.floats().ravel()))
    return (1,) if model.by_pql else (0,)


def _predicted(call: RecordedCall, model: Model) -> Predicted:
    value, found = call.result.get("value"), dict[tuple[int, str], RVector]()
    parts = {_levels(call, model)[0]: value}
    if isinstance(value, RList) and set(value.names or ()) <= set(LEVELS):
        parts = {LEVELS.index(n): v for n, v in zip(value.names or (), value.values)}
    for level, part in parts.items():
        inside = part if isinstance(part, RList) else RList((part,), ("fit",))
        own = {name: inside[name] for name in ("fit", "se.fit") if name in inside}
        found |= {(level, name): v for name, v in own.items() if isinstance(v, RVector)}
    stays_if(not found, "its values were not recorded")
    return found


def _native_code(call: RecordedCall, model: Model, theirs: Predicted) -> Call:
    kind, levels = call.word("type", "link"), _levels(call, model)
    mixed = model.by_pql and model.fit and model.fit.random_effects is not None
    errors = kind == "response" and any(name == "se.fit" for _, name in theirs)
    by_term = any(v.values.ndim != 1 for v in theirs.values()) or kind not in ("link", "response")
    without = "pairproof predicts with the random effects; R was asked for level 0, without them"
    stays_if(by_term, f"predictions of type {kind!r} stay in R")
    stays_if(mixed and 0 in levels, without)
    stays_if(errors, "standard errors of probabilities stay in R")
    stays_if(model.fit is None, "its model stays in R")
    if "newdata" not in call.args:
        return Call("pairproof.predict", (model.result, _rows_of_fit(model)))
    fit = needed(model.in_words, "the covariates of its newdata stay in R, like those of its model")
    contests, unseen = new_contests(call, model, fit)
    given: Any = contests
    if len(next(iter(contests.values()))) > IN_SCRIPT:
        given = columns_call(contests, f"{model.stem}_new")
    return Call("pairproof.predict", (model.result, given), stated(item_data=unseen))


def _rows_of_fit(model: Model) -> Call:
    """The contests of the table that the model was fitted to."""
    tables = [f for f in files(model.step.translation.code) if {"first", "second"} <= set(f.columns)]
    stays_if(not tables, "the table of its model is not in a file")
    columns = {n: list(v) for n, v in tables[0].columns.items() if n not in ("wins", "losses", "ties")}
    return columns_call(columns, f"{tables[0].stem or 'BTm'}_contests")


def new_contests(
    call: RecordedCall, model: Model, fit: Fit
) -> tuple[dict[str, list[Any]], dict[str, dict[str, Any]]]:
    """The contests of a recorded predict, in the words of the fit, and covariates of players that it has not."""
    of, contests, columns = model.call, model.contests, _columns(call)
    moved = contests.sides[0] or contests.offset is not None
    stays_if(moved, "predictions for players with their own columns, and with offsets, stay in R")
    known = "its newdata do not have the model's columns of players"
    one, other = (needed(columns.get(of.args.get(f"player{k}", "").strip("`")), known) for k in (1, 2))
    stays_if(any(side.levels is None or side.na.any() for side in (one, other)), known)
    stays_if(one.levels != other.levels, "the players of its newdata are not factors with the same levels")
    levels, n = one.levels or (), len(one)
    free = not any(t.kind == "covariate" for t in fit.terms)
    moved_levels = "R matches the levels of newdata to those of the model by position, and so uses another player's ability"
    stays_if(free and levels != contests.players, moved_levels)
    first, second = (side.values.astype(int) - 1 for side in (one, other))
    stays_if((first == second).any(), "Python does not predict a contest of a player against itself")
    counted: dict[str, Any] = {"wins": np.ones(n), "losses": np.zeros(n), "rows": np.arange(n), "total": n}
    met = replace(contests, players=levels, first=first, second=second)
    new = replace(met, x=np.zeros((n, 0)), names=(), **counted)
    data = RList(tuple(columns.values()), tuple(columns))
    words = in_words(replace(of, result={**of.result, "data": data}), new, estimated_terms(of))
    unseen: dict[str, dict[str, Any]] = {}
    for k, player in enumerate(levels):
        values = {name: column[k] for name, column in words.item_data.items()}
        if player not in fit.items:
            unseen[player] = {name: v for name, v in values.items() if v is not None}
            continue
        same = all(_same(fit, player, name, v) for name, v in values.items())
        stays_if(not same, f"{player} has different covariates in newdata than in the fit")
    sides = {"first": [levels[k] for k in first], "second": [levels[k] for k in second]}
    return sides | words.columns, unseen


def _columns(call: RecordedCall) -> dict[str, RVector]:
    """Every column of newdata, a data frame or a list of them."""
    given = _newdata(call)
    frames = [given] if "data.frame" in given.rclass else given.values
    return {n: v for frame in reversed(frames) for n, v in vectors_of(frame).items()}


def _newdata(call: RecordedCall) -> RList:
    return held(call.values.get("newdata"), RList, "its newdata were not recorded")


def _same(fit: Fit, player: str, name: str, value: Any) -> bool:
    """Whether a player's covariate in newdata is that of the fit."""
    column, at = fit.data.item_data.get(name), fit.items.index(player)
    if column is None:
        return True
    if isinstance(column, Factor):
        return bool((None if column.codes[at] < 0 else column.levels[column.codes[at]]) == value)
    known = float(column[at])
    return bool(np.isnan(known) if value is None else known == float(value))


def _prediction_rows(call: RecordedCall, model: Model, theirs: Predicted, found: Any) -> Rows:
    mixed = model.fit is not None and model.fit.random_effects is not None
    point = "eta" if call.word("type", "link") == "link" else "p_plug_in" if mixed else "p_first"
    kinds = {"fit": (point, "prediction", "estimate"), "se.fit": ("se", "prediction_se", "se")}
    rows: Rows = []
    for (_, name), numbers in theirs.items():
        column, label, kind = kinds[name]
        size = np.nan_to_num(found["se"].to_numpy(float)) if column == "eta" else 0.0
        r = Beside(call, model.least(kind), STOP)
        rows += r.listed(label, found[column], numbers.floats(), in_column(found, column), size)
    # R gives NA at level 1 for a player that was not in the fit.
    why = "R does not predict players that the model with random effects was not fitted to"
    return model.judged(said_of(rows, lambda a: a.r is None, "not-checkable", why, "r-has-no-value"))


def _newdata_of_r(call: RecordedCall, model: Model) -> Any:
    """R's newdata with the players' columns under the names that the bridged model has."""
    given, stem = _newdata(call), f"{model.stem}_new"
    sides = {model.call.args.get(f"player{k}", ""): f"player{k}" for k in (1, 2)}

    def renamed(frame: RList, stem: str) -> Call:
        return frame_call(replace(frame, names=tuple(sides.get(n, n) for n in frame.names or ())), stem)

    if "data.frame" in given.rclass:
        return renamed(given, stem)
    labels = given.names or tuple(f"table{k + 1}" for k in range(len(given.values)))
    frames = {n or "table": v for n, v in zip(labels, given.values) if isinstance(v, RList)}
    stays_if(len(frames) != len(given.values) or not frames, "its newdata are not data frames")
    return {n: renamed(v, f"{stem}_{n}") for n, v in frames.items()}


def _bridge_rows(call: RecordedCall, theirs: Predicted, found: Any) -> Rows:
    rows, levels = Rows(), sorted({level for level, _ in theirs})
    for k, level in enumerate(levels):
        for name, field, columns in (("fit", "fit", found.fit), ("se.fit", "se", found.se)):
            numbers = theirs.get((level, name))
            if numbers is None or not columns.size:
                continue
            ours, places = columns.T.ravel(), list(_by_columns(field, columns))
            if numbers.values.ndim != 2:
                ours, places = columns[:, k], places[k * len(columns) : (k + 1) * len(columns)]
            label = f"prediction{'_se' if name == 'se.fit' else ''}.level {level}"
            rows += Beside(call, LEAST, STOP).listed(label, ours, numbers.floats().T.ravel(), places)
    return rows


def _by_columns(field: str, table: Any) -> Iterator[str]:
    """The places of an array's numbers, column by column as R has them; a vector's in order."""
    return (f"{field} / {k}" for k in np.arange(table.size).reshape(table.shape).T.ravel())


# -- residuals -----------------------------------------------------------------------------------------------

KINDS = ("deviance", "pearson", "working", "response")


@translates("BradleyTerry2::residuals.BTm")
def residuals(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.contest_residuals(m, kind)`, and `pairproof.item_residuals(m)` of grouped ones."""
    model, kind = model_of(call, context, "object"), call.word("type", "deviance")
    value = needed(call.vector("value"), "its values were not recorded")
    if model.fit is not None and kind in KINDS and value.values.ndim == 1:
        code = Call("pairproof.contest_residuals", (model.result, kind))
        return Translation("native", code, judge=partial(_residual_rows, call, model, kind, value))
    if model.fit is not None and kind == "grouped" and "by" not in call.args:
        code = Call("pairproof.item_residuals", (model.result,))
        return Translation("native", code, judge=partial(_grouped_rows, call, model, value))
    by = call.word("by", "")
    stays_if("by" in call.args and not by, "its grouping factor was not recorded by name")

    def again(found: Any) -> Rows:
        values, r = np.asarray(found.values), Beside(call, LEAST, STOP)
        places = list(_by_columns("values", values))
        return r.listed(f"residual_{kind}", values.T, value.floats().T.ravel(), places)

    options = stated(type=kind != "deviance" and kind, by=by)
    why = f"residuals of type {kind!r} stay in R"
    return bridged(why, "bradleyterry2.residuals", [model.in_r()], options, again)


def _residual_rows(call: RecordedCall, model: Model, kind: str, value: RVector, found: Any) -> Rows:
    theirs, r = value.floats(), Beside(call, model.least("estimate"), STOP)
    if len(theirs) != len(found):  # na.exclude puts NA where a row was left out
        theirs = theirs[~np.isnan(theirs)]
    size = 1.0  # residuals are on the scale of a standard error
    return model.judged(r.listed(f"residual_{kind}", found[kind], theirs, in_column(found, kind), size))


def _grouped_rows(call: RecordedCall, model: Model, value: RVector, found: Any) -> Rows:
    players = [n.removeprefix(model.contests.id) for n in value.margin(0) or value.names or ()]
    at = {item: k for k, item in enumerate(found["item"])}
    order = [at[p] for p in players if p in at]
    weights, r = value.attributes.get("weights"), Beside(call, model.least("se") - 0.5, STOP)
    theirs = {"residual": value} | ({"weight": weights} if isinstance(weights, RVector) else {})
    rows: Rows = []
    for column, vector in theirs.items():
        ours, numbers = found[column].to_numpy(float)[order], vector.floats().ravel()
        # A weight of 0 is that of results that are certain in the limit; R's is what its stop left.
        size = 1.0 if column == "residual" else np.where(ours == 0, numbers.max(), 0.0)
        places, label = in_column(found, column), "residual" if column == "residual" else "residual_weight"
        rows += r.listed(label, ours, numbers, [places[k] for k in order], size, players)
    return model.judged(rows)
