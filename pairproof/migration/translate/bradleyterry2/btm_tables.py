"""anova, add1 and drop1 of a BTm: the same tests by pairproof, or R's own through the bridge.

R's table and ours differ in form.  With LR the likelihood ratio of a row, d the deviance of the model and c the log
binomial coefficients of the rows that R's AIC has::

    anova(m)     Deviance = LR,  Resid. Dev = d + LR of the rows below
    drop1(m)     Deviance = d + LR,  AIC = ours - 2 c
    add1(m)      Deviance = d - LR;  without random effects R's table is wrong
    anova(a, b)  Deviance = LR with the sign of the order

BTabilities and qvcalc as methods of a fit; countsToBinomial, whose rows are in the fits made of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RLang, RList, RVector
from ....fit.fit import Fit
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, Method
from ..rows import Beside, at, by_item, in_column, not_checkable
from ..translation import Context, StaysInR, Translation, outside, stays_if, translates, tried
from .btm_fits import Model, model_of
from .btm_numbers import STOP, WRONG, binomial_constant
from .recorded_btm import in_words, terms_of

BRIDGE = "pairproof.bridge.bradleyterry2"
ADD1 = (
    "BradleyTerry2's add1 is wrong for models without random effects: it forgets the numbers of contests of the rows, and"
    " gives each term the columns of its neighbour"
)
#: A likelihood ratio is a difference of two deviances, to each of which R's own stop leaves 8 digits.
RATIO = 6.0
OTHER = "R's table is of other tests or terms than pairproof's, or its model stays in R"
#: Tests that are pairproof's.
CHI_SQUARE = ("Chisq", "LRT")
#: R's row and column -> our number, and where it stands in our table; "" where it is computed from what does.
Numbers = Mapping[tuple[str, str], tuple[float, str]]


@translates("BradleyTerry2::anova.BTm")
def anova(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.anova(m)`, or of several models."""
    names = ["object", *(f"..{k}" for k in range(1, 50) if f"..{k}" in call.fits)]
    models = [model_of(call, context, name) for name in names]
    numbers = partial(_sequence, models[0]) if len(models) == 1 else partial(_beside, models)

    def of(table: RList, native: Any) -> Of | None:
        labels = _labels(table)
        return partial(numbers, labels) if len(native) == len(labels) else None

    return _tests(call, models, "anova", of)


@translates("BradleyTerry2::drop1.BTm")
def drop1(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.drop1(m)`."""
    model = model_of(call, context, "object")
    whole = not {"scope", "scale"} & set(call.args)
    return _tests(call, [model], "drop1", partial(_matched, model, 1.0), native=whole)


@translates("BradleyTerry2::add1.BTm")
def add1(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.add1(m, "x + y")`."""
    model, scope = model_of(call, context, "object"), call.values.get("scope")
    if not isinstance(scope, RLang):
        return outside("its scope is no formula")
    added, own = terms_of(scope.text), "scale" not in call.args
    words = lambda: in_words(model.call, model.contests(), added).formula
    return _tests(call, [model], "add1", partial(_matched, model, -1.0), words, scope.text, native=own)


Of = Callable[[Any], Numbers]


def _tests(
    call: RecordedCall,
    models: Sequence[Model],
    function: str,
    numbers: Callable[[RList, Any], Of | None],
    words: Callable[[], str] | None = None,
    scope: str = "",
    native: bool = True,
) -> Translation:
    """The table by pairproof, if it is of the same tests, as `numbers` tells, else R's own through the bridge."""
    table, test, why = _table(call), call.word("test", "none"), OTHER
    fits = [m.in_words for m in models]
    if native and all(f is not None for f in fits) and test in ("none", *CHI_SQUARE):
        try:
            code = Call(f"pairproof.{function}", (*(m.result for m in models), *([words()] if words else [])))
            found, refused = tried(code, {m.call.id: m.fit for m in models})
            stays_if(refused, f"pairproof refuses it: {refused}")
            if (of := numbers(table, found)) is not None:
                return Translation("native", code, judge=partial(_rows, call, models[0], table, of))
        except StaysInR as said:
            why = str(said)
    options = {} if test == "none" else {"test": "Chisq" if test == "LRT" else test}
    stays_if(
        "scale" in call.args or ("scope" in call.args and not scope), "its scope or scale is not passed on"
    )
    stays_if(test not in ("none", *CHI_SQUARE, "F"), f"its test is {test!r}")
    arguments = (*(m.in_r(scope) for m in models), *([scope] if scope else []))

    def judge(found: Any) -> Sequence[Agreement]:
        r = Beside(call, 9.0, "the same call of R")
        labels = [f"{label}.{column}" for label in found.rows for column in found.columns]
        ours = dict(zip(labels, np.ravel(found.values).tolist()))
        theirs = {f"{label}.{column}": v for (label, column), v in _entries(table).items()}
        own = {n: v for n, v in ours.items() if n in theirs}
        return r.named(function, own, theirs, at("values", labels))

    return Translation("bridge", Call(f"{BRIDGE}.{function}", arguments, options), why, judge=judge)


# -- native --------------------------------------------------------------------------------------------------


def _rows(call: RecordedCall, model: Model, table: RList, numbers: Of, found: Any) -> Sequence[Agreement]:
    fit, ours, rows = _fit_of(model), numbers(found), list[Agreement]()
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
    wrong = call.name.startswith("add1") and not random
    return model.judged(not_checkable(rows, ADD1, WRONG) if wrong else rows)


def _single(model: Model, named: Mapping[str, str], sign: float, found: Any) -> Numbers:
    """Numbers of drop1 (sign 1) and add1 (-1), by R's labels and columns."""
    fit, contests = _fit_of(model), model.contests()
    rows = [str(n) for n in found.index]
    ours: dict[tuple[str, str], tuple[float, str]] = {("<none>", "Deviance"): (fit.deviance, "")}
    for label, index in named.items():
        k = rows.index(index)
        ours |= _test(label, found, k)
        ours[label, "Deviance"] = fit.deviance + sign * float(found["statistic"].iloc[k]), ""
    if contests.whole:
        constant = 2.0 * binomial_constant(contests)
        for label, k in {"<none>": 0, **{label: rows.index(n) for label, n in named.items()}}.items():
            aic = float(found["aic"].iloc[k]) - constant
            ours |= {} if np.isnan(aic) else {(label, "AIC"): (aic, "")}
    return ours


def _sequence(model: Model, labels: Sequence[str], found: Any) -> Numbers:
    """Numbers of anova(m): one term after another; the first row is the model of nothing."""
    fit = _fit_of(model)
    # From the whole model backwards: the model of no terms may have players with an ability of their own.
    deviance, df = fit.deviance, float(fit.df_resid)
    ours: dict[tuple[str, str], tuple[float, str]] = {}
    for k, label in reversed(list(enumerate(labels))):
        line = found.iloc[k]
        ours[label, "Resid. Dev"], ours[label, "Resid. Df"] = (deviance, ""), (df, "")
        if k:
            ours |= _test(label, found, k)
            ours[label, "Deviance"] = ours[label, "Statistic"]
            deviance, df = deviance + float(line["statistic"]), df + float(line["df"])
    return ours


def _beside(models: Sequence[Model], labels: Sequence[str], found: Any) -> Numbers:
    """Numbers of anova(a, b, ...)."""
    ours: dict[tuple[str, str], tuple[float, str]] = {}
    for k, (label, model) in enumerate(zip(labels, models)):
        fit = _fit_of(model)
        ours[label, "Resid. Dev"] = fit.deviance, ""
        ours[label, "Resid. Df"] = float(fit.df_resid), ""
        if k:
            sign = 1.0 if fit.rank >= _fit_of(models[k - 1]).rank else -1.0
            ours |= _test(label, found, k)
            for theirs, name in (("Df", "Df"), ("Deviance", "Statistic")):
                value, place = ours[label, name]
                signed = sign * abs(value)
                ours[label, theirs] = signed, place if signed == value else ""
    return ours


def _test(label: str, found: Any, k: int) -> dict[tuple[str, str], tuple[float, str]]:
    """Statistic, df and p of a row under every name that R has for them."""
    line = found.iloc[k]
    statistic, df, p = ((float(line[c]), in_column(found, c)[k]) for c in ("statistic", "df", "p"))
    of = {"LRT": statistic, "Statistic": statistic, "Df": df, "Pr(>Chi)": p, "P(>|Chi|)": p, "Pr(>|Chi|)": p}
    return {(label, column): value for column, value in of.items()}


def _matched(model: Model, sign: float, table: RList, native: Any) -> Of | None:
    """Numbers of the terms by R's labels and those of our table; None if they are not the same terms."""
    labels = [n for n in _labels(table) if n != "<none>"]
    ours = [str(n) for n in native.index[1:]]
    by_word = {n.replace("`", ""): n for n in ours}
    named = dict(zip(labels, ours)) if len(labels) == len(ours) else {}
    with contextlib.suppress(StaysInR):
        contests = model.contests()
        words = {n: in_words(model.call, contests, [n.strip("`")]).formula.replace("`", "") for n in labels}
        if words and sorted(words.values()) == sorted(n.replace("`", "") for n in ours):
            named = {n: by_word[w] for n, w in words.items()}
    return partial(_single, model, named, sign) if named else None


def _fit_of(model: Model) -> Fit:
    assert model.fit is not None
    return model.fit


# -- R's table -----------------------------------------------------------------------------------------------


def _table(call: RecordedCall) -> RList:
    found = call.result.get("value")
    if not isinstance(found, RList) or not found.names:
        raise StaysInR("its table was not recorded")
    return found


def _labels(table: RList) -> list[str]:
    return [] if table.row_names is None else [str(v) for v in table.row_names.values.tolist()]


def _entries(table: RList) -> dict[tuple[str, str], float]:
    """Every number of R's table that is not NA, by row and column."""
    labels = _labels(table)
    found: dict[tuple[str, str], float] = {}
    for name, column in zip(table.names or (), table.values):
        if isinstance(column, RVector) and column.values.dtype.kind in "fi" and len(column) == len(labels):
            numbers = zip(labels, column.floats())
            found |= {(label, name): float(v) for label, v in numbers if not np.isnan(v)}
    return found


#: Of quasi-variances: qvcalc's own glm stops 4 to 7 digits from the minimum that defines them.
QUASI, WHY_QUASI = 3.0, "qvcalc's own glm stops 4 to 7 digits from the minimum"


def held(found: Any, column: str) -> tuple[dict[str, float], dict[str, str]]:
    """A column of a table of Python's, or an array of R's answer, by its items, and where its numbers stand."""
    if isinstance(found, pd.DataFrame):
        return dict(zip(found["item"], found[column].tolist())), by_item(found, column)
    items = found.players if hasattr(found, "players") else found.items
    return dict(zip(items, getattr(found, column).tolist())), at(column, items)


@translates("BradleyTerry2::BTabilities")
def abilities(call: RecordedCall, context: Context) -> Translation:
    """`fit.abilities()`."""
    model, table = model_of(call, context, "model"), call.result.get("value")
    if not isinstance(table, RVector) or table.values.ndim != 2 or not table.margin(0):
        return outside("its table was not recorded")
    numbers = [dict(zip(table.margin(0), column)) for column in table.floats().T.tolist()[:2]]
    sizes = {n: 0.0 if v != v else v for n, v in numbers[1].items()}

    def judge(found: Any) -> Sequence[Agreement]:
        rows: list[Agreement] = []
        for kind, column, of, r in zip(
            ("ability", "ability_se"), ("ability", "se"), ("estimate", "se"), numbers
        ):
            ours, places = held(found, column)
            own = {n: v for n, v in ours.items() if n in r}
            rows += Beside(call, model.least(of), STOP).named(kind, own, r, places, sizes)
        return model.judged(rows)

    if model.in_words is not None:
        return Translation("native", Method(model.result, "abilities"), judge=judge)
    why = "the fit that it is of is R's" if model.fit is None else "the players' covariates stay in R"
    return Translation("bridge", Call(f"{BRIDGE}.BTabilities", (model.in_r(),)), why, judge=judge)


@translates("qvcalc::qvcalc")
def quasi_variances(call: RecordedCall, context: Context) -> Translation:
    """`fit.quasi_variances()`."""
    model, value = model_of(call, context, "object"), call.result.get("value")
    frame = value["qvframe"] if isinstance(value, RList) and "qvframe" in value else None
    if not isinstance(frame, RList) or not {"quasiSE", "quasiVar"} <= set(frame.names or ()):
        return outside("its table was not recorded")

    def judge(found: Any) -> Sequence[Agreement]:
        rows: list[Agreement] = []
        for kind, theirs in (("quasi_se", "quasiSE"), ("quasi_variance", "quasiVar")):
            ours, places = held(found, kind)
            r = dict(zip(_labels(frame) or ours, frame.vector(theirs).floats().tolist()))
            rows += Beside(call, QUASI, WHY_QUASI).named(kind, ours, r, places)
        return rows

    own = Method(model.result, "quasi_variances")
    if model.in_words is not None and not tried(own, {model.call.id: model.fit})[1]:
        return Translation("native", own, judge=judge)
    code = Call(f"{BRIDGE}.qvcalc", (model.in_r(),))
    return Translation("bridge", code, "its model has no quasi-variances in Python", judge=judge)


@translates("BradleyTerry2::countsToBinomial")
def counts(call: RecordedCall, context: Context) -> Translation:
    """Left out: the counts that a fit uses are in the table that it reads."""
    return outside("the rows that it makes stand in the tables of the fits")
