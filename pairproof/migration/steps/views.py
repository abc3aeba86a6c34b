"""What R's functions of a fit give, as Python of the fit: its coefficients under R's names and in R's order, its numbers.

Which of several expressions R's number is, is found by R's own: of a log-likelihood with and without constants the
one that agrees with what R recorded.  R's names are found by the numbers, of equal ones by the names.
"""

from __future__ import annotations

import ast
import contextlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.packages.asking import RAnswer
from ...bridge.packages.psychotree import Tree
from ...bridge.values.nodes import RList, RVector
from ...errors import PairproofError
from ...fit.fit import Fit
from ...native.answers.trees.tree_record import TreeRecord
from ..translate.rows import named
from ..translate.translation import Step
from .python import called, dict_of, in_text, node, put
from .trees import NotTranslated

Value = Callable[[ast.expr], Any]
#: R's function -> name of its number in the record, and what it is of a fit; of a model that R fitted.
NUMBERS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "deviance": ("deviance", ("m.deviance", "-2 * m.llf"), "m.deviance"),
    "df.residual": ("df_residual", ("m.df_resid",), "m.df_residual"),
    "logLik": ("loglik", ("m.llf", "m.llf_poisson", "m.rank - aic_glm(m) / 2"), "m.loglik"),
    "ll": ("ll", ("m.llf", "m.llf_poisson"), "m.loglik"),
    "AIC": ("aic", ("m.aic", "aic_glm(m)", "2 * (m.rank + 1) - 2 * m.llf_poisson"), "m.aic"),
    "BIC": ("bic", ("m.bic", "aic_glm(m) + (np.log(m.df_resid + m.rank) - 2) * m.rank"), "m.bic"),
    "null.deviance": ("null_deviance", ("m.null_deviance",), "m.null_deviance"),
    "df.null": ("df_null", ("m.df_null",), "m.df_null"),
    "nobs": ("nobs", ("m.n_comparisons", "m.df_resid + m.rank"), "m.nobs"),
}
#: The same by persons, of whom each answered all n pairs.
OF_PERSONS = {"nobs": "m.n_comparisons / n", "BIC": "m.aic + (np.log(m.n_comparisons / n) - 2) * m.rank"}
#: What a model that R fitted may have instead.
_FROM_LOGLIK = {
    "AIC": ("2 * m.df - 2 * m.loglik",), "BIC": ("np.log(m.df + m.df_residual) * m.df - 2 * m.loglik",)
}  # fmt: skip
#: Components of a fit, and the function that gives the same.
COMPONENTS = {
    "coefficients": "coef", "coef": "coef", "aic": "AIC", "fitted.values": "fitted", **{n: n for n in NUMBERS}
}  # fmt: skip
#: Names of a glm's components, by the beginning of which R finds one.
OF_GLM = (
    "coefficients residuals fitted.values effects R rank qr family linear.predictors deviance aic null.deviance iter weights"
    " prior.weights df.residual df.null y converged boundary model call formula terms data offset control method contrasts xlevels"
).split()
#: What fits of eba that stay in R have beside coefficients: R's part or function -> Python.
OF_EBA = {
    "goodness.of.fit": 'pd.Series({"-2logL": m.deviance, "df": m.df_residual, "pval": m.p_value})',
    "logL.eba": "m.loglik", "logL.sat": "m.loglik_saturated", "estimate": "pd.Series(m.coef, m.names)",
    "AIC": "2 * (len(m.coef) - 1) - 2 * m.loglik", "uscale": "pd.Series(m.scale, m.items)",
    "cov.u": "pd.DataFrame(m.vcov, m.items, m.items) / np.sum(m.coef) ** 2",
}  # fmt: skip
#: The same of fits that are in Python; worths sum to 1, R's estimates to what its search left.
OF_EBA_FITS = {
    "goodness.of.fit": 'pd.Series({"-2logL": m.deviance, "df": m.df_resid, "pval": stats.chi2.sf(m.deviance, m.df_resid)})',
    "logL.eba": "m.rank - aic_glm(m) / 2", "logL.sat": "m.rank + (m.deviance - aic_glm(m)) / 2", "AIC": "aic_glm(m)",
    "BIC": "aic_glm(m) + (np.log(m.df_resid + m.rank) - 2) * m.rank", "uscale": 'm.worth().set_index("item")["worth"]',
}  # fmt: skip
#: R's names of columns, and those of `to_frame()`, `conf_int()` and `abilities()`.
COLUMNS = {"Estimate": "estimate", "Std. Error": "se", "z value": "z", "Pr(>|z|)": "p"}
ALSO = {**COLUMNS, "t value": "t", "Pr(>|t|)": "p", "2.5 %": "low", "97.5 %": "high", "s.e.": "se"}
#: Parameters up to which the limits of the profile likelihood are translated: each takes two searches.
MOST_PROFILED = 60
#: Digits of limits that R's confint interpolates by a spline (observed: 4 to 6).
PROFILED = 3.5
#: Names that are written beside R's one by one.
MOST_RENAMED = 8
#: How far R's loosest search leaves an estimate from ours; names decide between ours that are as near.
NEAR = 5e-3
#: Its absolute part, for numbers about 0.  Both only say which column is meant (eba's search leaves worths
#: off by 3e-5): what is found is compared number by number afterwards, to the digits that its fit has.
NEAR_ZERO = 1e-4
#: Kinds of rows that compare a likelihood.
LIKELIHOOD = (
    "llf ll fl loglik deviance deviance_polr null_deviance penalised_deviance aic aic_glm bic".split()
)
#: Shares of a number by which a log-likelihood that R recorded may miss the one of the same constants.
SAME = 1e-5


def number(function: str, m: ast.expr, step: Step, value: Value) -> ast.expr:
    """`m.deviance`, or what else R's number is."""
    key, ours, of_r = NUMBERS[function]
    ours = ours if hasattr(step.value, "llf") else (of_r, *_FROM_LOGLIK.get(function, ()))
    found = [put(t, m=m) for t in ours if "bic" not in t or isinstance(step.value, Fit)]
    recorded, y = _recorded(step, key), step.call.vector("y")
    if function == "BIC" and y is not None and isinstance(step.value, Fit):  # with the rows of eliminate
        found.append(put("aic_glm(m) + (np.log(n) - 2) * (n - m.df_resid)", m=m, n=y.values.size))
    if function in OF_PERSONS and step.call.number("n") is not None and isinstance(step.value, Fit):
        found.append(put(OF_PERSONS[function], m=m, n=math.comb(len(step.value.items), 2)))
    for candidate in found:
        try:
            own = float(value(candidate))
        except (PairproofError, NotTranslated, AttributeError, TypeError, ValueError, NotImplementedError):
            continue
        if recorded is None or abs(own - recorded) <= SAME * max(1.0, abs(recorded)):
            return candidate
    raise NotTranslated(f"{function}() of this fit is defined differently in Python")


def _recorded(step: Step, key: str) -> float | None:
    """R's number; the deviance of prefmod's pattern models is of two log-likelihoods.

    nobs() of a glm counts rows, that of btmodel persons.
    """
    weights, persons = step.call.vector("prior_weights"), step.call.number("n")
    if key in ("nobs", "bic") and (weights is not None or persons is not None):
        rows = persons or float(np.count_nonzero(weights.floats() if weights is not None else 0.0))
        loglik, k = step.call.number("loglik"), step.call.number("loglik_df")
        bic = None if loglik is None or k is None else k * math.log(rows) - 2 * loglik
        return rows if key == "nobs" else bic
    ll, fl = step.call.number("ll"), step.call.number("fl")
    if key == "deviance" and ll is not None and fl is not None:
        return 2.0 * (fl - ll)
    return step.call.number(key) if key else None


def of_summary(m: ast.expr, step: Step, value: Value) -> ast.expr | None:
    """What R's summary shows of a fit and ours has otherwise: deviances and AIC with R's constants; None if nothing."""
    said = step.value.summary()
    found = _of_ties(m, step)
    for function, word in {"null.deviance": "null deviance", "deviance": "deviance", "AIC": "AIC"}.items():
        try:
            made = number(function, m, step, value)
        except NotTranslated:  # R counts otherwise: half wins, a constant
            theirs = _recorded(step, NUMBERS[function][0])
            if theirs is not None and f"{theirs:.4f}" not in said:
                found.append((f"R's {word} in that run", node(theirs)))
            continue
        if math.isfinite(value(made)) and f"{value(made):.4f}" not in said:
            found.append((f"R's {word}", made))
    if step.call.package == "survival":
        ratios = put("np.exp(m.conf_int().assign(coef=m.params, less=-m.params).dropna())", m=m)
        found += [("likelihood ratio", put("m.null_deviance - m.deviance", m=m)), ("exp():\n", ratios)]
    return _in_words(found, value) if found else None


def quasi(step: Step) -> bool:
    """Whether a model is of a quasi family, by whose dispersion R's errors are larger."""
    return any(f.startswith("quasi") for f in step.call.strings("family")[:1])


def of_quasi(m: ast.expr, step: Step | None, value: Value) -> ast.expr | None:
    """R's summary of a quasi family, with its errors, t and p; None of another model."""
    if step is None or not quasi(step) or not hasattr(step.value, "bse"):
        return None
    fit = isinstance(step.value, Fit)
    table = coefficient_table(m, step, False) if fit else put("quasi_table(m)", m=m)
    found = [("dispersion", put("dispersion(m)", m=m))] if fit else []
    for function in ("deviance", "df.residual", "null.deviance", "df.null"):
        with contextlib.suppress(NotTranslated):
            found.append((function.replace(".", " "), number(function, m, step, value)))
    return called("print", put("x.to_string()", x=table), _in_words(found, value))


def of_tests(made: ast.expr, value: pd.DataFrame, step: Step, m: ast.expr | None) -> ast.expr:
    """R's table of tests: without empty columns and an AIC that R's has not, with the deviances of the models."""
    table = step.call.result.get("value")
    theirs = (table.names if isinstance(table, RList) else None) or ()
    lost = [c for c in value if value[c].isin(["", np.nan]).all() or (c == "aic" and "AIC" not in theirs)]
    shown = put("x.drop(columns=lost)", x=made, lost=list(lost)) if lost else made
    if m is None or "llf" not in value or "llf" in lost:
        return put("show(x)", x=shown)
    return put('show(x.assign(deviance=m.deviance + 2 * (m.llf - made["llf"])))', x=shown, m=m, made=made)


def _in_words(found: Sequence[tuple[str, ast.expr]], value: Value) -> ast.expr:
    """`f"\n{word} {number:.7g}; ..."`; a table as it is."""
    parts: list[ast.expr] = []
    for word, made in found:
        shown = in_text(made, ".7g" if isinstance(value(made), float) else "")
        parts += [ast.Constant(f"; {word} " if parts else f"\n{word} "), shown]
    return ast.JoinedStr(parts)


def _compared(step: Step) -> None:
    """Standard errors that R defines otherwise are those of no fit of ours."""
    if isinstance(step.value, Fit) and times_of(step) != 1.0:
        raise NotTranslated("R's coefficients are other multiples of Python's")
    if isinstance(step.value, Fit) and "standard errors" in step.not_compared:
        raise NotTranslated("R's standard errors are defined differently, and were not compared")


def _of_ties(m: ast.expr, step: Step) -> list[tuple[str, ast.expr]]:
    """R's parameter of ties, which GenDavidson has on another scale."""
    theirs, ours = step.call.vector("coef"), step.value.params
    if theirs is None or "tie.max" not in (theirs.names or ()) or "tie" not in ours:
        return []
    r = dict(zip(theirs.names or (), theirs.floats().ravel().tolist()))["tie.max"]
    same = abs(ours["tie"] - math.log(2.0) - r) <= NEAR
    return [("R's tie.max", put('m.params["tie"] - np.log(2)', m=m))] if same else []


def thresholds(m: ast.expr, step: Step) -> ast.expr | None:
    """polr's intercepts, -order - tie and -order + tie, with standard errors and t; None of another model."""
    zeta = step.call.vector("zeta")
    if zeta is None or "tie" not in step.value.params:
        return None
    value, variance = 'np.array([-1, 1]) * m.params["tie"]', 'm.bse["tie"] ** 2 * np.array([1, 1])'
    if "order" in step.value.params:
        value += ' - m.params["order"]'
        both = 'np.array([2, -2]) * m.cov_params().loc["order", "tie"]'
        variance = f'm.bse["tie"] ** 2 + m.bse["order"] ** 2 + {both}'
    table = f'pd.DataFrame({{"value": {value}, "se": np.sqrt({variance})}}, index)'
    return put(f'{table}.assign(t=lambda d: d["value"] / d["se"])', m=m, index=list(zeta.names or ()))


def of_eba(word: str, m: ast.expr, step: Step) -> ast.expr | None:
    """Python of a part of one of eba's fits; None if it is another."""
    if step.call.package == "eba" and isinstance(step.value, Fit):
        if step.call.name == "thurstone":
            return put("m.params", m=m) if word in ("estimate", "coef") else None
        if word == "cov.u":
            return of_worths(put(OF_EBA_FITS["uscale"], m=m), m)
        return put(OF_EBA_FITS[word], m=m) if word in OF_EBA_FITS else None
    if step.call.package != "eba" or word not in OF_EBA:
        return None
    if word == "cov.u" and len(step.value.items) != len(step.value.names):  # items of several aspects
        return None
    return put(OF_EBA[word], m=m)


def has_worths(step: Step) -> bool:
    """Whether it is one of eba's models of worths, and in Python."""
    return step.call.package == "eba" and step.call.name != "thurstone" and isinstance(step.value, Fit)


def total_of(step: Step) -> float:
    """The sum of the worths that R estimated."""
    coef = step.call.vector("coef")
    return 1.0 if coef is None else float(coef.floats().ravel()[: len(step.value.items)].sum())


def of_fit(word: str, m: ast.expr, step: Step) -> ast.expr | None:
    """Python of a part of R's object that R has no function for; None if it is another."""
    if word == "zeta" and (table := thresholds(m, step)) is not None:
        return put('x["value"]', x=table)
    if word == "loglik" and step.call.package == "survival":  # without covariates, and with
        return put("np.array([-m.null_deviance / 2, m.llf])", m=m)
    if word == "dispersion" and quasi(step):
        return put("dispersion(m)", m=m)
    if word == "n" and step.call.number("n") is not None and isinstance(step.value, Fit):  # persons
        counted = put('m.data.to_frame()["person"].nunique()', m=m)
        persons = step.value.data.to_frame().get("person", pd.Series(dtype=float)).nunique()
        return counted if persons == step.call.number("n") else None
    if word == "sigma" and step.call.number("sigma") is not None and isinstance(step.value, Fit):
        return put("m.components[0].sigma", m=m)
    return None


def of_answer(word: str, m: ast.expr, step: Step | None) -> ast.expr | None:
    """A part of R's list, where a field of the bridge's answer has its number."""
    value = None if step is None else step.call.result.get("value")
    if step is None or not isinstance(value, RList) or word not in value:
        return None
    theirs, own = value[word], vars(step.value) if isinstance(step.value, RAnswer) else {}
    number = theirs.values.tolist() if isinstance(theirs, RVector) else []
    same = [n for n, v in own.items() if isinstance(v, (int, float)) and [v] == number]
    return put(f"m.{min(same, key=lambda n: n != word.replace('.', '_'))}", m=m) if same else None


def names_of(step: Step) -> list[tuple[str, str]]:
    """R's coefficients and ours in R's order; those without one of ours are not there."""
    return _pairs(step, times_of(step))


def times_of(step: Step) -> float:
    """How many times our abilities R's are: 2 for log odds of an LLBT that was written by hand."""
    fit, once = step.value, _pairs(step, 1.0)
    if not isinstance(fit, Fit) or once and not _uncovered(fit, once):
        return 1.0
    twice = _pairs(step, 2.0)
    return 2.0 if len(twice) > len(once) and (not once or not _uncovered(fit, twice)) else 1.0


def _pairs(step: Step, times: float) -> list[tuple[str, str]]:
    vector, fit = step.call.vector("coef"), step.value
    series = fit.params if isinstance(fit, Fit) else pd.Series(fit.params(), dtype=float)
    numbers = ((str(n), float(v)) for n, v in series.items() if v == v and v != 0.0)
    ours = {n: v if n == "tie" else times * v for n, v in numbers}
    if vector is None or vector.names is None:
        return [(name, name) for name in ours]
    theirs = dict(zip(vector.names, vector.floats().ravel().tolist()))
    if list(theirs) == list(series.index) and np.allclose([*theirs.values()], series, rtol=NEAR, atol=NEAR):
        return [(name, name) for name in theirs]  # with the reference, 0
    both = (
        (abs(a - b), NEAR * max(1.0, abs(a)), r, own) for r, a in theirs.items() for own, b in ours.items()
    )
    pairs = sorted((_unlike(r, own), gap, r, own) for gap, most, r, own in both if gap <= most)
    found: dict[str, str] = {}
    for _, _, r, own in pairs:  # equal names first, then the nearest numbers
        if r not in found and own not in found.values():
            found[r] = own
    return [(r, found[r]) for r in vector.names if r in found]


def _unlike(theirs: str, ours: str) -> int:
    return 0 if theirs == ours else 1 if ours in theirs or theirs in ours else 2


def of_leaves(m: ast.expr, tree: Tree | TreeRecord) -> ast.expr:
    """The coefficients of a tree: a row a leaf, without the reference; of a single leaf a vector."""
    ours = "pd.DataFrame({n.number: n.fit.params[n.fit.bse > 0] for n in m.leaves}).T"
    found = put(ours if isinstance(tree, TreeRecord) else "m.params()", m=m)
    return found if len(tree.leaves) > 1 else put("x.iloc[0]", x=found)


def coefficients(m: ast.expr, step: Step, varies: bool, of: str = "m.params", names: str = "") -> ast.expr:
    """`m.params.drop("Ceylon").add_prefix("tea")`: R's vector, of estimates or (`m.bse`) standard errors.

    names: "each": each renamed for itself, "none": without R's.
    """
    if isinstance(step.value, (Tree, TreeRecord)):
        return of_leaves(m, step.value)
    pairs = names_of(step)
    if of == "m.bse" and times_of(step) == 1.0:
        _compared(step)
        of = "dispersion(m) ** 0.5 * m.bse" if quasi(step) and isinstance(step.value, Fit) else of
        of += ".fillna(0.0)" if _with_reference(step, pairs) else ""
    if not isinstance(step.value, Fit):
        found, own = put("pd.Series(x())", x=put(of, m=m)), [name for _, name in pairs]
        return found if own == [*step.value.params()] else put("x.loc[names]", x=found, names=own)
    if not pairs or times_of(step) == 1.0 and _uncovered(step.value, pairs):
        raise NotTranslated("R has different coefficients from the fit in Python")
    found = _rows(put(of, m=m), m, step.value, [own for _, own in pairs], varies)
    if times_of(step) != 1.0:
        tied = any(own == "tie" for _, own in pairs)
        found = put('x * np.where(x.index == "tie", 1, 2)' if tied else "2 * x", x=found)
    if names == "none":
        return found
    prefix, other = ("", pairs) if names == "each" else _prefix(pairs)
    found = put("x.add_prefix(p)", x=found, p=prefix) if prefix else found
    return put("x.rename(to)", x=found, to=_renamed(other)) if other and _few(other) else found


def _uncovered(fit: Fit, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Estimated abilities and effects that are none of R's numbers; R has ties and orders in other terms."""
    own = {name for _, name in pairs}
    estimated = (str(n) for n, se in fit.bse.items() if se > 0 and n not in own)
    return [n for n in estimated if not n.startswith(("tie", "order"))]


def _rows(found: ast.expr, m: ast.expr, fit: Fit, wanted: list[str], varies: bool) -> ast.expr:
    """The rows of these names; where fits of one place differ in them, those that are estimated."""
    there = list(fit.params.index)
    if varies and list(fit.params.index[fit.bse > 0]) == wanted:
        return put("x[m.bse > 0]", x=found, m=m)
    others = [n for n in there if n not in wanted]
    if [n for n in there if n in wanted] != wanted or len(others) > len(wanted):
        return put("x.loc[names]", x=found, names=list(wanted))
    if not others:
        return found
    return put("x.drop(names)", x=found, names=others[0] if len(others) == 1 else list(others))


def _prefix(pairs: Sequence[tuple[str, str]]) -> tuple[str, list[tuple[str, str]]]:
    """What R puts before names, and R's and the prefixed names of those that are others still; "" if before few."""
    found = Counter(r.removesuffix(own) for r, own in pairs if r.endswith(own))
    prefix = found.most_common(1)[0][0] if found and (len(found) == 1 or not _few(pairs)) else ""
    return prefix, [(r, prefix + own) for r, own in pairs if r != prefix + own]


def _with_reference(step: Step, pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether R's coefficients have the reference among them, and its covariances a row of 0."""
    fit = step.value
    return isinstance(fit, Fit) and bool({n for _, n in pairs} & {*fit.params.index[fit.is_reference]})


def _few(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether R's names are written; of many that follow no rule Python's own stay."""
    return sum(r != own for r, own in pairs) <= MOST_RENAMED


def _renamed(pairs: Sequence[tuple[str, str]]) -> ast.expr:
    return dict_of([(own, node(r)) for r, own in pairs if r != own])


def _relabelled(found: ast.expr, pairs: Sequence[tuple[str, str]], columns: bool) -> ast.expr:
    """A table under R's names of its rows, and of its columns."""
    prefix, other = _prefix(pairs)
    axes = "index=to, columns=to" if columns else "index=to"
    if prefix:
        found = put(f"x.rename({axes})", x=found, to=put("lambda name: p + name", p=prefix))
    return put(f"x.rename({axes})", x=found, to=_renamed(other)) if other and _few(other) else found


def covariances(m: ast.expr, step: Step, varies: bool) -> ast.expr:
    """R's matrix of covariances."""
    if not isinstance(step.value, Fit):
        return put("pd.DataFrame(m.vcov)", m=m)
    _compared(step)
    pairs = names_of(step)
    found = put("dispersion(m) * m.cov_params()" if quasi(step) else "m.cov_params()", m=m)
    own = [n for _, n in pairs]
    if _with_reference(step, pairs):
        names = put("m.params.index", m=m)
        return put("x.reindex(index=names, columns=names, fill_value=0.0)", x=found, names=names)
    if varies and list(step.value.cov_params().index) != own:
        raise NotTranslated("each iteration leaves out a different parameter")
    if list(step.value.cov_params().index) != own:
        found = put("x.loc[names, names]", x=found, names=own)
    return _relabelled(found, pairs, True)


def coefficient_table(m: ast.expr, step: Step, varies: bool) -> ast.expr:
    """`coef(summary(m))`: estimates, standard errors, z and p under R's names."""
    if not isinstance(step.value, Fit):
        if not {"coef", "se", "names"} <= {*dir(step.value)}:
            raise NotTranslated("the table is of a model that R fitted")
        of_z = '{"estimate": m.coef, "se": m.se, "z": m.coef / m.se, "p": 2 * stats.norm.sf(np.abs(m.coef / m.se))}'
        of_t = '{"value": m.coef, "se": m.se, "t": m.coef / m.se}'
        return put(f"pd.DataFrame({of_z if step.call.vector('zeta') is None else of_t}, list(m.names))", m=m)
    _compared(step)
    pairs = _with_dropped(step, names_of(step))
    made = put("quasi_table(m)" if quasi(step) else "m.to_frame()", m=m)
    found = _rows(made, m, step.value, [n for _, n in pairs], varies)
    if (zeta := thresholds(m, step)) is not None:
        found = put('x[["estimate", "se", "z"]].set_axis(["value", "se", "t"], axis=1)', x=found)
        return put("pd.concat(parts)", parts=[_relabelled(found, pairs, False), zeta])
    if not quasi(step):
        found = put("x[columns]", x=found, columns=list(COLUMNS.values()))
    return _relabelled(found, pairs, False)


def _with_dropped(step: Step, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """With the rows that gnm's summary has of what it dropped, 0 and NA: our references of the same names."""
    theirs, there = named(step.call.vector("coef")), dict(pairs)
    there |= {n: n for n, v in theirs.items() if v != v and n in step.value.params and n not in there}
    whole = "gnm" in step.call.strings("class") and len(there) == len(theirs)
    return [(n, there[n]) for n in theirs] if whole else pairs


def tidy(m: ast.expr, step: Step, varies: bool) -> ast.expr:
    """`broom::tidy(m)`: the table of coefficients with their names in a column."""
    columns, table = '["estimate", "std.error", "statistic", "p.value"]', coefficient_table(m, step, varies)
    theirs, there = named(step.call.vector("coef")), dict(names_of(step))
    if len(there) < len(theirs) and all(v != v for n, v in theirs.items() if n not in there):
        table = put("x.reindex(names)", x=table, names=list(theirs))  # R has rows of NA
    return put(f'x.set_axis({columns}, axis=1).rename_axis("term").reset_index()', x=table)


def intervals(m: ast.expr, step: Step, varies: bool, level: float = 0.95, profiled: bool = False) -> ast.expr:
    """`confint.default(m, level = level)`, or `confint(m)` of the profile likelihood."""
    if not isinstance(step.value, Fit):
        raise NotTranslated("the intervals are of a model that R fitted")
    _compared(step)
    pairs = names_of(step)
    if profiled and (quasi(step) or times_of(step) != 1.0 or len(pairs) > MOST_PROFILED):
        raise NotTranslated("confint() of this model profiles the likelihood")
    own = [n for _, n in pairs]
    if profiled:
        whole = varies or [str(n) for n in step.value.params.index[step.value.bse > 0]] == own
        at = ", ".join(["names"] * (not whole) + ["level=level"] * (level != 0.95))
        limits = f"m.profile({at})[columns]"
        found = put(limits, m=m, names=own, level=level, columns=["profile_low", "profile_high"])
        return _relabelled(found, pairs, False)
    made = put("m.conf_int()" if level == 0.95 else "m.conf_int(a)", m=m, a=round(1 - level, 12))
    if quasi(step):
        wider = "x.sub(m.params, axis=0).mul(dispersion(m) ** 0.5).add(m.params, axis=0)"
        made = put(wider, x=made, m=m)
    if _with_reference(step, pairs):
        made = put("x.fillna(0.0)", x=made)
    found = _rows(made, m, step.value, own, varies)
    return _relabelled(found, pairs, False)


# -- tables and vectors that helpers made --------------------------------------------------------------------


def of_worths(x: ast.expr, m: ast.expr) -> ast.expr:
    """`vcov(itempar(m))` by the delta method."""
    cov = put("m.cov_params().reindex(index=x.index, columns=x.index, fill_value=0).to_numpy()", m=m, x=x)
    slope = put("(np.diag(x) - np.outer(x, x))", x=x)
    return put("pd.DataFrame(s @ v @ s, x.index, x.index)", s=slope, v=cov, x=x)


def _numbers(value: Any) -> np.ndarray[Any, Any] | None:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None


def _equal(ours: Any, theirs: np.ndarray[Any, Any]) -> bool:
    """Whether they are the same numbers, as far as two searches find them, and as far as the data determine ours."""
    own = _numbers(ours)
    if own is None or own.shape != theirs.shape:
        return False
    known = np.isfinite(own)
    same = np.allclose(own[known], theirs[known], rtol=NEAR, atol=NEAR_ZERO)
    return bool(same and known.any() and not (known & ~np.isfinite(theirs)).any())


def as_in_r(m: ast.expr, value: Any, answer: Any) -> ast.expr:
    """A table of ours with R's columns, in R's order; a vector under R's names."""
    if isinstance(answer, RList) and "qvframe" in answer:
        answer = answer["qvframe"]
    if isinstance(value, pd.DataFrame):
        rows = list(answer.margin(0) or ()) if isinstance(answer, RVector) and answer.values.ndim == 2 else []
        x, table = m, value
        if "item" in value and value["item"].is_unique:
            x, table = put('m.set_index("item")', m=m), value.set_index("item")
        elif {"item", "group", "worth"} <= set(value):
            order = list(dict.fromkeys(value["item"]))
            x = put('m.pivot(index="item", columns="group", values="worth").loc[order]', m=m, order=order)
            table = value.pivot(index="item", columns="group", values="worth").loc[order]
        if rows and set(rows) == set(map(str, table.index)) and rows != list(map(str, table.index)):
            x, table = put("x.loc[rows]", x=x, rows=rows), table.loc[rows]
        return _columns(x, table, answer)
    theirs = answer.floats() if isinstance(answer, RVector) else None
    if isinstance(value, (pd.Series, np.ndarray)) and theirs is not None and _equal(value, theirs):
        return _from_one(m, value)
    if isinstance(value, float) and theirs is not None and theirs.size == 1:
        return m
    raise NotTranslated("R's result has a different form in Python")


def _from_one(x: ast.expr, value: Any) -> ast.expr:
    """Rows that have no names, numbered from 1 as in R."""
    numbered = isinstance(value, pd.Series) and isinstance(value.index, pd.RangeIndex)
    return put("x.set_axis(range(1, n))", x=x, n=len(value) + 1) if numbered else x


def _columns(x: ast.expr, table: pd.DataFrame, answer: Any) -> ast.expr:
    if isinstance(answer, RVector) and answer.values.ndim == 1 and answer.values.dtype.kind in "fi":
        same = [c for c in table.columns if _equal(table[c], answer.floats())]
        if same:
            return _from_one(put("x[c]", x=x, c=str(same[0])), table[same[0]])
    if isinstance(answer, RList) and answer.names:
        parts = ((n, v) for n, v in zip(answer.names, answer.values) if isinstance(v, RVector))
        theirs = {n: v.floats().ravel() for n, v in parts if v.levels is None and v.values.dtype.kind in "fi"}
    elif isinstance(answer, RVector) and answer.values.ndim == 2:
        names = answer.margin(1) or tuple(f"V{k + 1}" for k in range(answer.values.shape[1]))
        theirs = {n: answer.floats()[:, k] for k, n in enumerate(names)}
    else:
        raise NotTranslated("R's result has a different form in Python")
    found: dict[str, str] = {}
    for name, numbers in theirs.items():
        same = [c for c in table.columns if c not in found.values() and _equal(table[c], numbers)]
        if same:
            found[name] = str(same[0])
    if not found:
        raise NotTranslated("R's table has different columns from Python's")
    own = list(found.values())
    if own != list(map(str, table.columns)):
        x = put("x[own]", x=x, own=own)
    others = [(c, node(n)) for n, c in found.items() if c != ALSO.get(n, n)]
    return put("x.rename(columns=to)", x=x, to=dict_of(others)) if others else x


def finite(value: Any) -> float:
    """The largest finite number of a value, without its sign; 0 if there is none."""
    own = _numbers(value.select_dtypes("number") if isinstance(value, pd.DataFrame) else value)
    if own is None or not np.isfinite(own).any():
        return 0.0
    return float(np.abs(own[np.isfinite(own)]).max())


def digits_of(step: Step, function: str = "", value: Any = None) -> float:
    """Digits that a number made of a fit's has: those of the fit's own that agree with R's the least, less one.

    function: R's, whose value is a number of the likelihood or a count: the digits of these, and no more than the
    value itself has; estimates and standard errors have fewer where R stops early.
    """
    agreed = (a for a in step.rows if a.verdict == "agrees")
    rows = (a for a in agreed if (a.quantity.kind in LIKELIHOOD) is bool(function))
    known = [a.digits for a in rows if a.digits is not None and math.isfinite(a.digits)]
    recorded = step.call.number(NUMBERS[function][0]) if function and NUMBERS[function][0] else None
    if recorded is not None and (gap := abs(value - recorded)) > 0:
        known.append(-math.log10(gap / max(abs(value), abs(recorded))))
    return min(known, default=9.0) - 1.0
