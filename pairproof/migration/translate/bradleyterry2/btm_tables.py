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

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.base import QuasiVariances
from ....bridge.values.nodes import RLang, RList, RVector
from ....fit.fit import Fit
from ....validation.verdicts.agreement import Agreement
from ..python_code import Call, Method
from ..rows import Beside, at, by_item, in_column, not_checkable
from ..translation import Context, StaysInR, Translation, outside, translates, tried
from .btm_fits import Model, model_of
from .btm_numbers import WRONG, binomial_constant
from .recorded_btm import in_words, terms_of

BRIDGE = "pairproof.bridge.bradleyterry2"
ADD1 = (
    "BradleyTerry2's add1 is wrong for models without random effects: it forgets the numbers of contests of the rows, and"
    " gives each term the columns of its neighbour"
)
#: A likelihood ratio is a difference of two deviances, to each of which R's own stop leaves 8 digits.
RATIO = 6.0
OTHER = "R's table is of other tests or terms than pairproof's, or its model stays in R"
#: R's row and column -> our number, and where it stands in our table; "" where it is computed from what does.
Numbers = Mapping[tuple[str, str], tuple[float, str]]


@translates("BradleyTerry2::anova.BTm")
def anova(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.anova(m)`, or of several models."""
    names = ["object", *(f"..{k}" for k in range(1, 50) if f"..{k}" in call.fits)]
    models, table = [model_of(call, context, name) for name in names], _table(call)
    why_not, code = OTHER, Call("pairproof.anova", tuple(m.result for m in models))
    if all(m.in_words is not None for m in models) and _chi_square(call):
        native, why_not = _tried(code, models)
        labels = _labels(table)
        if native is not None and len(native) == len(labels):
            numbers = partial(_sequence, models[0]) if len(models) == 1 else partial(_beside, models)
            return _native(call, models[0], code, table, partial(numbers, labels))
    return _bridge(call, "anova", models, {}, why_not)


@translates("BradleyTerry2::drop1.BTm")
def drop1(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.drop1(m)`."""
    model, table = model_of(call, context, "object"), _table(call)
    why_not, code = OTHER, Call("pairproof.drop1", (model.result,))
    if model.in_words is not None and _chi_square(call) and not {"scope", "scale"} & set(call.args):
        native, why_not = _tried(code, [model])
        if native is not None and (named := _matched(model, table, native)):
            return _native(call, model, code, table, partial(_single, model, named, 1.0))
    return _bridge(call, "drop1", [model], {}, why_not)


@translates("BradleyTerry2::add1.BTm")
def add1(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.add1(m, "x + y")`."""
    model, table, scope = model_of(call, context, "object"), _table(call), call.values.get("scope")
    if not isinstance(scope, RLang):
        return outside("its scope is no formula")
    added = terms_of(scope.text)
    why_not = OTHER
    if model.in_words is not None and _chi_square(call) and "scale" not in call.args:
        try:
            words = in_words(model.call, model.contests(), added).formula
            code = Call("pairproof.add1", (model.result, words))
            native, why_not = _tried(code, [model])
            if native is not None and (named := _matched(model, table, native)):
                return _native(call, model, code, table, partial(_single, model, named, -1.0))
        except StaysInR as why:
            why_not = str(why)
    return _bridge(call, "add1", [model], {"scope": scope.text}, why_not)


# -- native --------------------------------------------------------------------------------------------------


def _native(
    call: RecordedCall, model: Model, code: Call, table: RList, numbers: Callable[[Any], Numbers]
) -> Translation:
    fit = _fit_of(model)
    random = fit.random_effects is not None

    def judge(found: Any) -> Sequence[Agreement]:
        ours, rows = numbers(found), []
        for (label, column), value in _entries(table).items():
            if (label, column) not in ours:
                continue
            size = 0.0 if random or column not in ("Deviance", "LRT") else fit.deviance
            least = model.least("se") - 0.5 if random else RATIO
            if column in ("Df", "Resid. Df"):
                least = 16.0
            elif column.startswith("P"):
                least -= 1.0  # a relative error of the statistic is multiplied by half of it
            quantity = f"{call.name.partition('.')[0]}.{label}.{column}"
            mine, place = ours[label, column]
            rows.append(Beside(call, least, "R's own stop").row(quantity, mine, value, size, place))
        if call.name.startswith("add1") and not random:
            rows = not_checkable(rows, ADD1, WRONG)
        return model.judged(rows)

    return Translation("native", code, judge=judge)


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


def _matched(model: Model, table: RList, native: Any) -> dict[str, str]:
    """R's labels of terms -> those of our table; {} if they are not the same terms."""
    labels = [n for n in _labels(table) if n != "<none>"]
    ours = [str(n) for n in native.index[1:]]
    try:
        contests = model.contests()
        words = {n: in_words(model.call, contests, [n.strip("`")]).formula.replace("`", "") for n in labels}
    except StaysInR:
        words = {}
    if words and sorted(words.values()) == sorted(n.replace("`", "") for n in ours):
        by_word = {n.replace("`", ""): n for n in ours}
        return {n: by_word[w] for n, w in words.items()}
    return dict(zip(labels, ours)) if len(labels) == len(ours) else {}


def _fit_of(model: Model) -> Fit:
    assert model.fit is not None
    return model.fit


def _tried(code: Call, models: Sequence[Model]) -> tuple[Any, str]:
    """Our table, or None, and why it may not do."""
    native, refused = tried(code, {m.call.id: m.fit for m in models})
    return native, f"pairproof refuses it: {refused}" if refused else OTHER


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


def _chi_square(call: RecordedCall) -> bool:
    """Whether the table has no test or that of pairproof."""
    return call.word("test", "none") in ("none", "Chisq", "LRT")


def _bridge(
    call: RecordedCall, function: str, models: Sequence[Model], more: dict[str, Any], why: str
) -> Translation:
    """R's own table through the bridge."""
    test, table = call.word("test", "none"), _table(call)
    options = {} if test == "none" else {"test": "Chisq" if test == "LRT" else test}
    if "scale" in call.args or ("scope" in call.args and "scope" not in more):
        return outside("its scope or scale is not passed on")
    if test not in ("none", "Chisq", "LRT", "F"):
        return outside(f"its test is {test!r}")
    arguments = tuple(m.in_r(str(more.get("scope", ""))) for m in models)
    code = Call(f"{BRIDGE}.{function}", (*arguments, *more.values()), options)

    def judge(found: Any) -> Sequence[Agreement]:
        r, width = Beside(call, 9.0, "the same call of R"), len(found.columns)
        values = {
            (label, column): (float(found.values[i, j]), f"values / {i * width + j}")
            for i, label in enumerate(found.rows)
            for j, column in enumerate(found.columns)
        }
        rows = []
        for (label, column), value in _entries(table).items():
            own, place = values.get((label, column), (np.nan, ""))
            rows.append(r.row(f"{function}.{label}.{column}", own, value, place=place))
        return rows

    return Translation("bridge", code, why, judge=judge)


#: Of quasi-variances: qvcalc's own glm stops 4 to 7 digits from the minimum that defines them.
QUASI = 3.0
QUASI_COLUMNS = ("quasi_se", "quasi_variance")
#: Numbers by their items, and where they stand in the value.
Held = tuple[Mapping[str, float], Mapping[str, str]]


@translates("BradleyTerry2::BTabilities")
def abilities(call: RecordedCall, context: Context) -> Translation:
    """`fit.abilities()`."""
    model, recorded = model_of(call, context, "model"), _ability_table(call)
    rows = partial(_abilities, call, model, recorded)
    if model.in_words is not None:
        return Translation(
            "native",
            Method(model.result, "abilities"),
            judge=lambda found: rows(of_frame(found, "ability", "se")),
        )
    return Translation(
        "bridge",
        Call(f"{BRIDGE}.BTabilities", (model.in_r(),)),
        "the fit that it is of is R's" if model.fit is None else "the players' covariates stay in R",
        judge=lambda found: rows(of_answer(found.players, ability=found.ability, se=found.se)),
    )


def _ability_table(call: RecordedCall) -> RVector:
    found = call.result.get("value")
    if not isinstance(found, RVector) or found.values.ndim != 2 or not found.margin(0):
        raise StaysInR("its table was not recorded")
    return found


def of_frame(frame: pd.DataFrame, *columns: str) -> list[Held]:
    """Columns of a table of Python's."""
    return [(dict(zip(frame["item"], frame[c])), by_item(frame, c)) for c in columns]


def of_answer(items: Sequence[str], **fields: NDArray[np.float64]) -> list[Held]:
    """Arrays of R's answer."""
    return [(dict(zip(items, values.tolist())), at(name, items)) for name, values in fields.items()]


def _abilities(
    call: RecordedCall, model: Model, recorded: RVector, ours: Sequence[Held]
) -> Sequence[Agreement]:
    numbers = recorded.floats()
    sizes = np.where(np.isnan(numbers[:, 1]), 0.0, numbers[:, 1]).tolist()
    rows: list[Agreement] = []
    for k, (kind, of) in enumerate((("ability", "estimate"), ("ability_se", "se"))):
        r, (own, places) = Beside(call, model.least(of), "R's own stop"), ours[k]
        for name, value, size in zip(recorded.margin(0), numbers[:, k].tolist(), sizes):
            mine = float(own.get(name, np.nan))
            rows.append(r.row(f"{kind}.{name}", mine, value, size, places.get(name, "")))
    return model.judged(rows)


@translates("qvcalc::qvcalc")
def quasi_variances(call: RecordedCall, context: Context) -> Translation:
    """`fit.quasi_variances()`."""
    model, theirs = model_of(call, context, "object"), _quasi(call)
    rows, own = partial(_quasi_rows, call, theirs), Method(model.result, "quasi_variances")
    if model.in_words is not None and not tried(own, {model.call.id: model.fit})[1]:
        return Translation("native", own, judge=lambda found: rows(of_frame(found, *QUASI_COLUMNS)))

    def judge(found: QuasiVariances) -> Sequence[Agreement]:
        fields = {"quasi_se": found.quasi_se, "quasi_variance": found.quasi_variance}
        return rows(of_answer(found.items, **fields))

    code = Call(f"{BRIDGE}.qvcalc", (model.in_r(),))
    return Translation("bridge", code, "its model has no quasi-variances in Python", judge=judge)


def _quasi(call: RecordedCall) -> RList:
    value = call.result.get("value")
    frame = value["qvframe"] if isinstance(value, RList) and "qvframe" in value else None
    if not isinstance(frame, RList) or not {"quasiSE", "quasiVar"} <= set(frame.names or ()):
        raise StaysInR("its table was not recorded")
    return frame


def _quasi_rows(call: RecordedCall, frame: RList, ours: Sequence[Held]) -> Sequence[Agreement]:
    r, labels = Beside(call, QUASI, "qvcalc's own glm stops 4 to 7 digits from the minimum"), frame.row_names
    rows: list[Agreement] = []
    for kind, theirs, (own, places) in zip(QUASI_COLUMNS, ("quasiSE", "quasiVar"), ours):
        names = list(own) if labels is None else [str(v) for v in labels.values.tolist()]
        values = dict(zip(names, frame.vector(theirs).floats().tolist()))
        rows += r.named(kind, {n: float(v) for n, v in own.items()}, values, places)
    return rows


@translates("BradleyTerry2::countsToBinomial")
def counts(call: RecordedCall, context: Context) -> Translation:
    """Left out: the counts that a fit uses are in the table that it reads."""
    return outside("the rows that it makes stand in the tables of the fits")
