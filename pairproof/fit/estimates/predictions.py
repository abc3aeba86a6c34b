"""Abilities, worths, quasi-variances and outcome probabilities of the items, with intervals inside 0 and 1.

The ability of item i in a group is a linear function of beta, a_i = sum over terms of multiplier x beta; log
worths are 2 a on the lambda scale and a as log-odds.  Only differences of abilities mean anything, and only
where they are estimable.  Where items fall into sets that differ infinitely
(:mod:`pairproof.fit.estimates.identification`), worths are those of a set and sum to 1 within it; what
differs infinitely has the probability 0 or 1.  A comparison term is the log-odds in favour of the item named
first, times the product of its columns: numbers, or 1 in the rows of a level of a factor.

With p a worth or the probability of an outcome, and se its standard error by the delta method, the limits are
those of log(p / (1 - p)), whose standard error is se / (p (1 - p)), turned back::

    logit(p) -+ q se / (p (1 - p))

q is the quantile of the normal distribution, or with standard errors by cluster that of Student's t on the
degrees of freedom of the derivative of p.  For a worth the derivative by the parameters is w_i (c_i - sum
over k of w_k c_k), c_i the log worth of item i as a linear function of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...data.columns import Factor, numbers_as_levels
from ...errors import InputError, NotEstimableError, TooLargeError
from ...numerics.arrays import FloatArray, IntArray
from . import array_inference as inference
from .fit_record import FitRecord, find_item, not_zero, why_not_estimable
from .identification import ItemSets, item_sets, of_two_or_more, one_set, rows_of
from .likelihood import outcome_probabilities
from .specification import LOG_WORTH_PER_UNIT, Term, Value, product_at
from .tails import student_quantile


def comparison_function(
    fit: FitRecord, values: Mapping[str, Value], group: Mapping[str, Value]
) -> FloatArray:
    """float[n_params]: the comparison terms at given values of their columns, in favour of the item named first.

    A column that is also a subject covariate has its value from the group, unless `values` has it.
    """
    levels: dict[str, tuple[str, ...] | None] = {}
    for column, level in (multiplied for term in fit.terms for multiplied in term.of):
        if level is None:  # a number, which only the rows may have
            levels[column] = None
            continue
        known = fit.data.columns[column]
        levels[column] = known.levels if isinstance(known, Factor) else numbers_as_levels(known)[0]
    given = {**{c: v for c, v in group.items() if c in levels}, **values}
    unknown = [c for c in given if c not in levels]
    absent = [c for c in levels if c not in given]
    if unknown or absent:
        raise InputError(
            f"comparison={dict(values)}; expected a value for each of {sorted(levels) or 'no column'}, the columns of"
            " the model's comparison_terms"
        )
    for column, known_levels in levels.items():
        value = given[column]
        if known_levels is None and (isinstance(value, str) or not np.isfinite(value)):
            raise InputError(
                f"comparison: {column}={value!r}; the model has a slope for it; expected a number"
            )
        if known_levels is not None and value not in known_levels:
            raise InputError(
                f"comparison: {column}={value!r}; its levels are {', '.join(map(repr, known_levels[:20]))}"
            )
    return np.array([product_at(term.of, given) if term.kind == "comparison" else 0.0 for term in fit.terms])


#: From this many items on, no covariance of all of them is written out for their worths.
MANY_ITEMS = 300
#: Items up to which quasi-variances are worked out (each step takes their third power; half a minute with the
#: reference BLAS).
MOST_QUASI_VARIANCES = 1000
#: Columns of a table of probabilities.
OUTCOMES = ("p_first", "p_tie", "p_second")
#: Rows of a table of probabilities at most, about 200 MB.
MOST_ROWS = 2_000_000


def item_covariate(fit: FitRecord, term: Term) -> FloatArray:
    """float[n_items]: what a "covariate" term multiplies: an item covariate, its level, or one item.

    A covariate, or a level of it, is 0 for the separate items: their own ability replaces what it would say
    of them.
    """
    if term.covariate is None:
        return np.array([float(item == term.item) for item in fit.items])
    column = fit.data.item_data[term.covariate]
    if isinstance(column, Factor):
        values: NDArray[Any] = column.codes == column.levels.index(str(term.covariate_level))
    else:
        values = column
    return np.where([item in fit.layout.separate for item in fit.items], 0.0, values)


def ability_functions(
    fit: FitRecord, group: Mapping[str, Value], items: Sequence[int] | IntArray | None = None
) -> FloatArray:
    """float[n_items, n_params]: abilities in a group as linear functions of beta, on the fit's scale; of
    these items or all.
    """
    chosen = np.arange(len(fit.items)) if items is None else np.asarray(items)
    row = np.full(len(fit.items), -1)
    row[chosen] = np.arange(len(chosen))
    out = np.zeros((len(chosen), len(fit.terms)))
    at = fit.layout
    value = np.array([term.multiplier(group) for term in at.blocks])
    if len(value):
        here = row[at.item] >= 0
        out[row[at.item[here]], at.place[here]] = value[at.block[here]]
    for k in at.others:
        out[:, k] = item_covariate(fit, fit.terms[k])[chosen] * fit.terms[k].multiplier(group)
    return out


def abilities(fit: FitRecord, group: Mapping[str, Value], values: FloatArray) -> FloatArray:
    """`ability_functions` times `values`, float[n_params] or float[n_params, k], without writing the
    functions out.
    """
    out = np.zeros((len(fit.items), *values.shape[1:]))
    at = fit.layout
    value = np.array([term.multiplier(group) for term in at.blocks])
    for b in np.flatnonzero(value):
        here = at.block == b
        out[at.item[here]] += value[b] * values[at.place[here]]
    for k in at.others:
        of_items = item_covariate(fit, fit.terms[k]) * fit.terms[k].multiplier(group)
        out += np.multiply.outer(of_items, values[k])
    return out


def sets_of_items(fit: FitRecord, group: Mapping[str, Value]) -> ItemSets:
    """The sets of items whose differences are finite in a group."""
    null = fit.null_space
    if not null.shape[1]:
        return one_set(len(fit.items))
    others = [k for k, t in enumerate(fit.terms) if t.kind not in ("item", "covariate", "tie")]
    rows = rows_of(fit.data, group.items())
    return item_sets(abilities(fit, group, null), fit.data, rows, not not_zero(null[others]).any())


def ability_table(fit: FitRecord, group: Mapping[str, Value]) -> pd.DataFrame:
    """Abilities of a group as functions of the parameters, with their standard errors; nan where not estimable."""
    functions = ability_functions(fit, group)
    known = fit.vanishes(functions @ fit.null_space)
    value, se = np.full(len(functions), np.nan), np.full(len(functions), np.nan)
    for k in np.flatnonzero(known):
        value[k] = functions[k] @ fit.beta
        se[k] = np.sqrt(max(0.0, float(functions[k] @ fit.covariance.product(functions[k]))))
    return pd.DataFrame({"item": list(fit.items), "ability": value, "se": se})


def _mixture(fit: FitRecord, group: Mapping[str, Value], weights: FloatArray) -> FloatArray:
    """float[n_params]: the weighted sum of all items' abilities as a linear function of beta."""
    out = np.zeros(len(fit.terms))
    at = fit.layout
    value = np.array([term.multiplier(group) for term in at.blocks])
    if len(value):
        out[at.place] = value[at.block] * weights[at.item]
    for k in at.others:
        out[k] = weights @ item_covariate(fit, fit.terms[k]) * fit.terms[k].multiplier(group)
    return out


def find_group(
    fit: FitRecord, group: str | None, at: Mapping[str, Value] | None = None
) -> Mapping[str, Value]:
    """Covariate values of a named group, or of `at`; the only group if there is one."""
    listed = ", ".join(list(fit.groups)[:20])
    if at is not None:
        if group is not None:
            raise InputError(f"group={group!r} and at={dict(at)} were both given; give only one")
        needed = {c for t in fit.terms for c, _ in t.by}
        if set(at) != needed:
            raise InputError(
                f"at={dict(at)}; expected a value for each of {sorted(needed) or 'no covariate'}"
            )
        _check_levels(fit, at)
        return at
    if group is None:
        if len(fit.groups) > 1:
            raise InputError(f"the model has {len(fit.groups)} groups; name one of {listed}")
        return next(iter(fit.groups.values()))
    if group not in fit.groups:
        raise InputError(f"no group {group!r}; the groups are {listed}")
    return fit.groups[group]


def _check_levels(fit: FitRecord, at: Mapping[str, Value]) -> None:
    """A misspelt level would silently give the reference level's numbers."""
    slopes = {c for t in fit.terms for c, level in t.by if level is None}
    for covariate, value in at.items():
        if covariate in slopes:
            if isinstance(value, str):
                raise InputError(
                    f"at: {covariate}={value!r}; the model has a slope for it; expected a number"
                )
            continue
        known = list(dict.fromkeys(g[covariate] for g in fit.groups.values()))
        if value not in known:
            raise InputError(f"at: {covariate}={value!r}; its levels are {', '.join(map(repr, known[:20]))}")


def needs_logit(fit: FitRecord, asked: str, instead: str) -> None:
    """Refuse what supposes that differences of abilities are log-odds."""
    if fit.spec.link != "logit":
        raise InputError(
            f"{asked}: differences of abilities are log-odds only with link='logit', and this fit has"
            f" link={fit.spec.link!r}; {instead}"
        )


def odds_of(fit: FitRecord, found: inference.Contrast) -> inference.Contrast:
    """The contrast of two items with the odds that follow from it under the fit's link."""
    if fit.spec.link == "logit":
        return found
    ties = np.array([b for b, t in zip(fit.beta, fit.terms) if t.kind in ("tie", "tie-of")])
    p = fit.outcomes.probabilities(np.array([found.estimate]), ties)[0]
    odds = float(p[0] / p[2])
    return replace(found, odds=odds, log_odds=float(np.log(odds)))


def group_label(at: Mapping[str, Value]) -> str:
    return ",".join(f"{k}={v}" for k, v in at.items()) or "all"


def log_worth(
    fit: FitRecord, group: Mapping[str, Value], items: Sequence[int] | IntArray
) -> tuple[FloatArray, FloatArray]:
    """Log worths of the items of one set against the first of them, and their covariance."""
    rows = ability_functions(fit, group, items)
    against = rows - rows[0]
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    return unit * (against @ fit.beta), unit**2 * fit.covariance.between(against)


def _many_worths(
    fit: FitRecord, group: Mapping[str, Value], items: IntArray, with_se: bool
) -> tuple[FloatArray, FloatArray]:
    """Worths of many items of one set and their standard errors.

    With m = sum of w_k a_k the delta method is se(w_i) = w_i sd(a_i - m), and for abilities against any item
    var(a_i - m) = V_ii - 2 cov(a_i, m) + var(m): no covariance of all items is written out.
    """
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    a = unit * abilities(fit, group, fit.beta)[items]
    w = inference.softmax(a)
    if not with_se:
        return w, np.full(len(w), np.nan)
    # All against the best item: where its worth is nearly 1, a - m of it is all but 0 and would be a
    # difference of large numbers.
    best = int(np.argmax(a))
    top, others = np.zeros(len(w)), w.copy()
    top[best] = 1.0
    others[best] = 0.0
    others[best] = -others.sum()
    of_all = np.zeros((2, len(fit.items)))
    of_all[:, items] = others, top
    with_mean, with_top = (
        abilities(fit, group, fit.covariance.product(_mixture(fit, group, weights)))[items]
        for weights in of_all
    )
    variances = _ability_variances(fit, group)[items]
    against = variances - 2.0 * with_top + variances[best]
    against[best] = 0.0
    variance = against - 2.0 * (with_mean - with_mean[best]) + others @ with_mean
    return w, w * unit * np.sqrt(np.maximum(variance, 0.0))


def _ability_variances(fit: FitRecord, group: Mapping[str, Value]) -> FloatArray:
    """float[n_items]: V_ii; free items without subject covariates are parameters, others are gone through 256
    at a time.
    """
    at = fit.layout
    if len(at.blocks) == 1 and not at.others:
        of_items = np.zeros(len(fit.items))
        of_items[at.item] = at.blocks[0].multiplier(group) ** 2 * fit.covariance.variances()[at.place]
        return of_items
    parts = (range(k, min(k + 256, len(fit.items))) for k in range(0, len(fit.items), 256))
    functions = (ability_functions(fit, group, part) for part in parts)
    return np.concatenate([np.diag(fit.covariance.between(part)) for part in functions])


def worth_functions(fit: FitRecord, abilities: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Worths and their derivatives by the parameters.

    abilities float[n_items, n_params]: abilities as linear functions of the parameters, on the fit's scale.
    """
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    a = unit * (abilities @ fit.beta)
    w = inference.softmax(a)
    # Against the best item, as in `inference.worths`: where its worth is nearly 1 this keeps the digits.
    against = abilities - abilities[int(np.argmax(a))]
    derivatives: FloatArray = unit * w[:, None] * (against - w @ against)
    return w, derivatives


def _worths_of_set(
    fit: FitRecord, group: Mapping[str, Value], items: IntArray, with_se: bool
) -> tuple[FloatArray, FloatArray]:
    """Worths of the items of one set, which sum to 1, and their standard errors."""
    if fit.robust is not None and with_se:
        w, functions = worth_functions(fit, ability_functions(fit, group, items))
        return w, fit.robust.standard_errors(functions)
    if len(fit.items) > MANY_ITEMS or not with_se:
        return _many_worths(fit, group, items, with_se)
    return inference.worths(*log_worth(fit, group, items))


def worth(fit: FitRecord, at: Mapping[str, Value] | None = None, with_se: bool = True) -> pd.DataFrame:
    """Worths of every group, or at given covariate values; see :meth:`pairproof.Fit.worth`."""
    chosen = dict(fit.groups) if at is None else {group_label(at): find_group(fit, None, at)}
    frames = []
    for name, group in chosen.items():
        w, se = np.full((2, len(fit.items)), np.nan)
        for items in of_two_or_more(sets_of_items(fit, group)):
            w[items], se[items] = _worths_of_set(fit, group, items, with_se)
        frames.append(pd.DataFrame({"group": name, "item": list(fit.items), "worth": w, "se": se}))
    return pd.concat(frames, ignore_index=True)


def quasi_variances(fit: FitRecord, group: str | None = None) -> pd.DataFrame:
    """Quasi-variances of the log worths; see :meth:`pairproof.Fit.quasi_variances`."""
    n = len(fit.items)
    if n > MOST_QUASI_VARIANCES:
        raise TooLargeError(
            f"quasi-variances of {n:,} items are fitted to {n * (n - 1) // 2:,} differences (limit"
            f" {MOST_QUASI_VARIANCES:,} items); fit.contrast(a, b) gives the standard error"
            " of a single difference"
        )
    where = find_group(fit, group)
    members = sets_of_items(fit, where).members()
    if len(members) < min(n, 3):
        raise NotEstimableError(f"quasi-variances need 3 comparable items; {why_not_estimable(fit)}")
    found = log_worth(fit, where, members)
    q = inference.quasi_variances(found[1])
    # under another link than the logit they are abilities in its units
    scale = "log_worth" if fit.spec.link == "logit" else "ability"
    whole = len(members) == n  # on the constraint of the fit; of some items against the first of them
    level = LOG_WORTH_PER_UNIT[fit.scale] * abilities(fit, where, fit.beta)[0] if whole else 0.0
    numbers = {scale: found[0] + level, "quasi_se": q.quasi_se, "quasi_variance": q.quasi_variances}
    errors = {"error_low": np.nanmin(q.errors, axis=1), "error_high": np.nanmax(q.errors, axis=1)}
    frame = pd.DataFrame({**numbers, **errors}, index=members).reindex(range(n))
    frame.insert(0, "item", list(fit.items))
    frame.attrs["worst_error"] = q.worst_error
    frame.attrs["relative_errors"] = (float(np.nanmin(q.errors)), float(np.nanmax(q.errors)))
    frame.attrs["all_contrasts"] = q.all_contrasts
    return frame


def term_value(fit: FitRecord, kind: Literal["tie", "order"], group: Mapping[str, Value]) -> float:
    """The tie parameter, or the order effect, in a group; nan if it is not estimable."""
    function = np.array([t.multiplier(group) if t.kind == kind else 0.0 for t in fit.terms])
    return float(function @ fit.beta) if fit.is_estimable(function[None, :]) else float("nan")


def tie_parameter(fit: FitRecord, group: Mapping[str, Value]) -> float:
    """Log nu or log theta in a group; 0 where it is held there, -inf where no tie was possible or none
    observed.

    Without a single tie in the data the estimate is minus infinity: it has no number as a parameter, but the
    probability of a tie has one, 0.
    """
    if fit.outcome_model == "binary":
        return float("-inf")
    value = term_value(fit, "tie", group) if any(t.kind == "tie" for t in fit.terms) else 0.0
    return float("-inf") if np.isnan(value) and not fit.data.ties.any() else value


def probabilities(
    fit: FitRecord,
    group: str | None,
    at: Mapping[str, Value] | None,
    order: bool,
    items: Sequence[str] | None = None,
    comparison: Mapping[str, Value] | None = None,
) -> pd.DataFrame:
    """P(first), P(tie), P(second) of every ordered pair; see :meth:`pairproof.Fit.probabilities`."""
    if order and not fit.spec.order_effect:
        raise InputError("order=True, but the model has no order effect; fit it with order_effect=True")
    names: list[Any] = list(fit.groups) if group is None and at is None else [group]
    if isinstance(items, str):
        raise InputError(
            f"items={items!r}; expected a list of item names, for example [{items!r}, {fit.items[0]!r}]"
        )
    asked = fit.items if items is None else tuple(dict.fromkeys(items))
    chosen = np.array([find_item(fit.items, name) for name in asked], np.int64)
    n = len(chosen)
    if n * (n - 1) * len(names) > MOST_ROWS:
        raise TooLargeError(
            f"probabilities of {n:,} items in {len(names):,} group{'' if len(names) == 1 else 's'} are"
            f" {n * (n - 1) * len(names):,} rows (limit {MOST_ROWS:,}); name some of them: items=[...], or a"
            " group"
        )
    i, j = chosen[np.stack(ordered_pairs(n))]
    label = np.array(fit.items, dtype=object)
    frames = []
    for name in names:
        where = find_group(fit, name, at)
        ability, unknown = abilities(fit, where, fit.beta), abilities(fit, where, fit.null_space)
        u = LOG_WORTH_PER_UNIT[fit.scale] * (ability[i] - ability[j])
        u = np.where(fit.vanishes(unknown[i] - unknown[j]), u, np.nan)
        if order:
            u = u + term_value(fit, "order", where)
        if comparison is not None:
            row = comparison_function(fit, comparison, where)
            u = u + (float(row @ fit.beta) if fit.is_estimable(row[None, :]) else float("nan"))
        p = outcome_probabilities(u, np.full(len(u), tie_parameter(fit, where)), fit.outcome_model)
        above = sets_of_items(fit, where).items_above
        p[above[i, j]], p[above[j, i]] = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
        group_name = group_label(where) if name is None else name
        named = {"group": group_name, "first": label[i], "second": label[j]}
        frames.append(pd.DataFrame({**named, **dict(zip(OUTCOMES, p.T))}))
    return pd.concat(frames, ignore_index=True)


def ordered_pairs(n: int) -> tuple[IntArray, IntArray]:
    """Both places of every ordered pair of n different items, the first one slowest."""
    first, second = np.nonzero(~np.eye(n, dtype=bool))
    return first, second


#: Rows of a table of probabilities with limits at most; each takes three linear functions of the parameters.
MOST_LIMITS = 50_000


def limits(p: FloatArray, se: FloatArray, df: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Limits of numbers in (0, 1), made on the logit scale; nan where p is 0 or 1 or has no standard error.

    p, se float[m].  df float[m]: degrees of freedom; inf for the normal distribution.  Returns (float[m],
    float[m]): lower and upper limits.
    """
    inside = (p > 0.0) & (p < 1.0)
    at = np.where(inside, p, 0.5)
    centre = np.where(inside, np.log(at) - np.log1p(-at), np.nan)
    half = student_quantile(0.5 + level / 2, df) * se / (at * (1.0 - at))
    low, high = (0.5 * (1.0 + np.tanh(0.5 * end)) for end in (centre - half, centre + half))
    return low, high


def spread(fit: FitRecord, functions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard errors of linear functions, float[m, n_params], and degrees of freedom; inf for the normal."""
    if fit.robust is not None:
        return fit.robust.standard_errors(functions), fit.robust.degrees_of_freedom(functions)
    products = [fit.covariance.product(f) for f in functions]
    variances = np.einsum("ij,ij->i", functions, np.reshape(products, functions.shape))
    return np.sqrt(np.maximum(variances, 0.0)), np.full(len(functions), np.inf)


def worth_limits(
    fit: FitRecord, frame: pd.DataFrame, at: Mapping[str, Value] | None, level: float
) -> pd.DataFrame:
    """A table of worths with the limits of each; see :meth:`pairproof.Fit.worth`."""
    out = frame.copy()
    low, high = np.full(len(frame), np.nan), np.full(len(frame), np.nan)
    for name in dict.fromkeys(frame["group"]):
        rows = np.flatnonzero(frame["group"] == name)
        p, se = frame["worth"].to_numpy()[rows], frame["se"].to_numpy()[rows]
        df = np.full(len(rows), np.inf)
        if fit.robust is not None:
            where = find_group(fit, None if at is not None else str(name), at)
            for items in of_two_or_more(sets_of_items(fit, where)):
                functions = worth_functions(fit, ability_functions(fit, where, items))[1]
                df[items] = fit.robust.degrees_of_freedom(functions)
        low[rows], high[rows] = limits(p, se, df, level)
    out["low"], out["high"] = low, high
    return out


def outcome_derivatives(u: FloatArray, g: FloatArray, model: str) -> tuple[FloatArray, FloatArray]:
    """Derivatives of P(first), P(tie), P(second) by the log-odds and by the tie parameter.

    u, g float[m].
    """
    p = outcome_probabilities(u, g, model)
    first, tie, second = p.T
    if model == "rao-kupper":
        up, down = first * (1.0 - first), second * (1.0 - second)
        return np.stack([up, down - up, -down], 1), np.stack([-up, up + down, -down], 1)
    d = first - second
    by_u = np.stack([first * (1.0 - d), -tie * d, -second * (1.0 + d)], 1) / 2.0
    if model == "binary":
        product = first * second
        return np.stack([product, np.zeros_like(product), -product], 1), np.zeros_like(by_u)
    return by_u, np.stack([-tie * first, tie * (1.0 - tie), -tie * second], 1)


def outcome_functions(
    fit: FitRecord,
    where: Mapping[str, Value],
    first: IntArray,
    second: IntArray,
    order: bool = False,
    comparison: Mapping[str, Value] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Probabilities of the outcomes of m pairs in a group, float[3, m], and their derivatives, float[3, m, n_params]."""
    abilities = LOG_WORTH_PER_UNIT[fit.scale] * ability_functions(fit, where)
    eta = abilities[first] - abilities[second]
    ties = np.zeros(len(fit.terms))
    for k, term in enumerate(fit.terms):
        if term.kind == "tie":
            ties[k] = term.multiplier(where)
        elif order and term.kind == "order":
            eta[:, k] += term.multiplier(where)
    if comparison is not None:
        eta += comparison_function(fit, comparison, where)
    u, g = eta @ fit.beta, np.full(len(first), tie_parameter(fit, where))
    by_u, by_g = outcome_derivatives(u, g, fit.outcome_model)
    functions = by_u.T[:, :, None] * eta + by_g.T[:, :, None] * ties
    return outcome_probabilities(u, g, fit.outcome_model).T, functions


def with_limits(
    fit: FitRecord,
    frame: pd.DataFrame,
    at: Mapping[str, Value] | None,
    order: bool,
    level: float,
    comparison: Mapping[str, Value] | None = None,
) -> pd.DataFrame:
    """A table of probabilities, with the limits of each; see :meth:`pairproof.Fit.probabilities`."""
    if len(frame) > MOST_LIMITS:
        raise TooLargeError(
            f"limits of {len(frame):,} rows of probabilities (limit {MOST_LIMITS:,} rows); name some items:"
            " items=[...], or a group"
        )
    out = frame.copy()
    found = np.full((len(frame), 3, 2), np.nan)
    place = {name: k for k, name in enumerate(fit.items)}
    for name in dict.fromkeys(frame["group"]):
        rows = np.flatnonzero((frame["group"] == name) & frame["p_first"].notna())
        where = find_group(fit, None if at is not None else str(name), at)
        first = np.array([place[item] for item in frame["first"].iloc[rows]], dtype=np.int64)
        second = np.array([place[item] for item in frame["second"].iloc[rows]], dtype=np.int64)
        _, functions = outcome_functions(fit, where, first, second, order, comparison)
        for y, column in enumerate(OUTCOMES):
            p = frame[column].to_numpy()[rows]
            found[rows, y] = np.stack(limits(p, *spread(fit, functions[y]), level), axis=1)
    for y, column in enumerate(OUTCOMES):
        out[f"{column}_low"], out[f"{column}_high"] = found[:, y, 0], found[:, y, 1]
    return out
