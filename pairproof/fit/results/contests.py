"""What a Bradley-Terry model with a link, an offset, reduced bias, general ties or random effects says beside others.

Only with the logit are differences of abilities log-odds, and their exponentials worths; under another link
P(first preferred) = F(difference).

Limits of probabilities: without ties those of the linear predictor, F(eta -+ q se(eta)), since F only rises;
with ties those of the logit of each probability by the delta method, whose derivatives by eta and the tie
parameters are central differences (steps of 1e-5, so that they are right to 1e-9).

With random effects

    ability of item i  =  x_i'b + u_i,        u_i ~ N(0, sigma^2)

or, with effects of items by judge, a_i + u_ij for judge j.  The parameters of the fit are the fixed ones;
effects are predicted, and what is asked about items (contrasts, ranks, worths, probabilities) is about x_i'b
+ u_i, with standard errors of prediction given sigma: Var(u^ - u), not Var(u^) (Henderson 1975, Biometrics
31, 423-447).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from ...data.columns import Factor
from ...errors import InputError, TooLargeError
from ...numerics.arrays import FloatArray
from ...text import number
from ..estimates import array_inference as inference
from ..estimates.covariance import DenseCovariance, MappedCovariance
from ..estimates.fit_record import FitRecord, find_item
from ..estimates.identification import R, Referred, against, shift_to
from ..estimates.likelihood import AtEstimate
from ..estimates.parts import RandomEffects
from ..estimates.predictions import (
    MOST_LIMITS,
    MOST_ROWS,
    OUTCOMES,
    ability_functions,
    comparison_function,
    find_group,
    limits,
    ordered_pairs,
    spread,
)
from ..estimates.specification import LOG_WORTH_PER_UNIT, TIES_IN_WORDS, ContestSpec, Term, Value
from ..inference import wald as parameters
from ..inference.wald import check_level
from ..robust.clustered_fit import Kind, Missing, cluster_codes, clustered
from ..robust.sandwich import sandwich
from ..robust.streamed import by_vote
from ..shown.fit_text import p_value

#: Random effects that fall into sets of judges.
JUDGES = ("item:judge",)


def clusters_exist(spec: ContestSpec, kind: str) -> None:
    """Refuse standard errors by cluster where the likelihood is not a product over rows, or CR2 has no
    root."""
    if spec.random not in ((), JUDGES):
        raise InputError(
            f"standard errors by cluster of a model with random effects ({', '.join(spec.random)}): its likelihood is"
            " not a product over clusters, because comparisons of an item share its effect for every judge; with judges"
            " alone as random effects, random='item:judge', judges may differ and can be clusters"
        )
    if spec.random and spec.method == "pql":
        raise InputError(
            "standard errors by cluster of penalised quasi-likelihood: it has no likelihood per judge to"
            " provide scores; fit with method='laplace'"
        )
    if spec.link == "cauchit" and kind == "CR2":
        raise InputError(
            "kind='CR2' with link='cauchit': its likelihood is not concave, so the information of a cluster may"
            " be negative and the adjustment has no root; use kind='CR1'"
        )


STEP = 1e-5


def contest_probabilities(
    fit: FitRecord,
    group: str | None,
    at: Mapping[str, Value] | None,
    order: bool,
    items: Sequence[str] | None,
    level: float | None,
    comparison: Mapping[str, Value] | None,
) -> pd.DataFrame:
    """P(first), P(tie), P(second) of every ordered pair; offsets are 0."""
    if level is not None:
        check_level(level)
    outcomes = fit.outcomes
    shifted = any(t.name == "tie-shift" for t in fit.terms)
    if order and not (fit.spec.order_effect or shifted):
        raise InputError("order=True, but the model has no order effect; fit it with order_effect=True")
    if isinstance(items, str):
        raise InputError(f"items={items!r}; expected a list of item names, for example [{items!r}, ...]")
    where = find_group(fit, group, at)
    names = fit.items if items is None else tuple(dict.fromkeys(items))
    chosen = np.array([find_item(fit.items, name) for name in names], np.int64)
    n = len(chosen)
    most = MOST_ROWS if level is None else MOST_LIMITS
    if n * (n - 1) > most:
        raise TooLargeError(
            f"probabilities of {n:,} items are {n * (n - 1):,} rows (limit {most:,}{' with limits' if level else ''});"
            " name some of them: items=[...]"
        )
    i, j = ordered_pairs(n)
    unit = LOG_WORTH_PER_UNIT[fit.scale]  # eta is in units of the link, whatever scale the items are on
    ability = unit * ability_functions(fit, where)
    first, second = ability[chosen[i]], ability[chosen[j]]
    functions, of_level = first - second, (first + second) / 2.0 - ability.mean(axis=0)
    if order:
        functions = functions + np.array([float(t.kind == "order") for t in fit.terms])
    if comparison is not None:
        functions = functions + comparison_function(fit, comparison, where)
    eta = np.where(fit.vanishes(functions @ fit.null_space), functions @ fit.beta, np.nan)
    place = np.flatnonzero([t.kind in ("tie", "tie-of") for t in fit.terms])
    tied = [np.tile(one, (len(eta), 1)) for one in np.eye(len(fit.terms))[place]]
    predictors = np.column_stack([eta, *(one @ fit.beta for one in tied), of_level @ fit.beta])

    def of(v: FloatArray) -> FloatArray:
        return outcomes.probabilities(v[:, 0], v[:, 1:-1], float(order), v[:, -1])

    label = np.array(fit.items, dtype=object)
    p = of(predictors)
    named = {
        "group": "all" if group is None else group,
        "first": label[chosen[i]],
        "second": label[chosen[j]],
    }
    frame = pd.DataFrame({**named, **dict(zip(OUTCOMES, p.T))})
    if level is None:
        return frame
    if not len(place):
        se, _ = spread(fit, functions)
        half = inference.normal_quantile(0.5 + level / 2) * se
        low, high = outcomes.probabilities(eta - half), outcomes.probabilities(eta + half)
        edges = [(low[:, 0], high[:, 0]), (low[:, 1], high[:, 1]), (high[:, 2], low[:, 2])]
    else:
        edges = _by_delta(fit, of, predictors, [functions, *tied, of_level], level)
    for name, (lower, upper) in zip(OUTCOMES, edges):
        frame[f"{name}_low"], frame[f"{name}_high"] = lower, upper
    return frame


def _by_delta(
    fit: FitRecord,
    of: Callable[[FloatArray], FloatArray],
    predictors: FloatArray,
    functions: Sequence[FloatArray],
    level: float,
) -> list[tuple[FloatArray, FloatArray]]:
    """Limits of three functions of r predictors, float[n, r], which are linear functions, float[n, n_params] each."""
    slopes = np.zeros((3, *functions[0].shape))
    for step, function in zip(np.eye(len(functions)) * STEP, functions):
        by_one = (of(predictors + step) - of(predictors - step)) / (2.0 * STEP)
        slopes += by_one.T[:, :, None] * function
    return [limits(p, *spread(fit, each), level) for p, each in zip(of(predictors).T, slopes)]


#: Standard errors that a summary shows of R's; the others are in the fit's `bse_expected`.
MOST_ERRORS = 8


def of_information(fit: FitRecord) -> tuple[str, ...]:
    """Which information the standard errors are of, with R's beside; nothing where both are the same."""
    expected = expected_errors(fit)
    if expected is None:
        return ()
    errors = zip(fit.names, fit.standard_errors, map(float, expected))
    known = [(name, a, b) for name, a, b in errors if math.isfinite(a) and math.isfinite(b)]
    shown = "; ".join(f"{name} {number(b)} for {number(a)}" for name, a, b in known[:MOST_ERRORS])
    more = f"; {len(known) - MOST_ERRORS} more in bse_expected" if len(known) > MOST_ERRORS else ""
    line = "Standard errors use the observed information; R's (glm, BTm, gnm) use the expected information: "
    return (line + shown + more,)


def document(fit: FitRecord) -> dict[str, Any]:
    """Keys of the JSON of a fit of contests: scale (a link), penalised; se_of and se_expected where R's
    differ; components and effects.
    """
    if fit.contests is None:
        return {}
    found: dict[str, Any] = {} if fit.spec.link == "logit" else {"scale": fit.spec.link}
    found["penalised"] = fit.contests.penalised
    expected = expected_errors(fit)
    if expected is not None:
        found |= {"se_of": "observed information", "se_expected": expected.to_dict()}
    if fit.random_effects is None:
        return found
    effects = fit.random_effects
    components = [asdict(component) for component in effects.components]
    return found | {"components": components, "effects": effects.frame(fit.items).to_dict("records")}


def expected_errors(fit: FitRecord) -> pd.Series[float] | None:
    """Standard errors by the expected information; see :attr:`pairproof.Fit.bse_expected`."""
    covariance = None if fit.contests is None else fit.contests.expected_covariance
    if covariance is None or fit.robust is not None:
        return None
    if fit.spec.reference and not fit.spec.item_terms:
        covariance = MappedCovariance(covariance, shift_to(fit, fit.spec.reference))
    unit = LOG_WORTH_PER_UNIT[fit.spec.scale] / LOG_WORTH_PER_UNIT[fit.scale]
    units = np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])
    errors = units * np.sqrt(np.maximum(covariance.variances(), 0.0))
    return parameters.series(fit, np.where(np.isnan(fit.standard_errors), np.nan, errors))


def clustered_contests(fit: R, columns: Sequence[str], kind: Kind, missing: Missing) -> R:
    """The fit with standard errors by cluster; those of reduced bias keep the scores of the plain likelihood."""
    spec = fit.of_contests
    clusters_exist(spec, kind)
    if spec.random or spec.general_ties:
        return _clustered_units(fit, columns, kind, missing)
    return clustered(fit, columns, kind, missing) if columns else by_vote(fit, kind, missing)


def _clustered_units(fit: R, columns: Sequence[str], kind: Kind, missing: Missing) -> R:
    """By the information of whole clusters: of ties with more than two predictors, and of random effects of judges."""
    if fit.robust is not None:
        fit = replace(fit, covariance=fit.robust.model_based, robust=None)
    if len(columns) != 1:
        what = "ties with a shift or a scale" if fit.spec.ties == "davidson" else TIES_IN_WORDS[fit.spec.ties]
        what = "random effects of judges" if fit.spec.random else what
        raise InputError(
            f"clustered by {' and '.join(columns) or 'nothing'}: {what} are clustered by one column"
        )
    column, fitted = fit.data.role_of(columns[0]), fit.likelihood
    groups, labels = unit_groups(fit, fitted, column, missing)
    named = ((column,), labels)
    robust = sandwich(fitted, groups, np.ones(len(labels)), named, kind, fit.covariance)
    if fit.random_effects is None:
        return replace(fit, covariance=robust.covariance, robust=robust)
    if robust.note:
        robust = replace(robust, note=NOT_POSITIVE)
    (component,) = fit.random_effects.components
    of_sigma = replace(fitted, outward=np.array(list(fitted.further.values())))
    variance = sandwich(of_sigma, groups, np.ones(len(labels)), named, kind, fit.covariance).covariance
    se = float(np.sqrt(variance.between(np.eye(1))[0, 0])) if np.isfinite(component.se) else component.se
    effects = replace(fit.random_effects, components=(replace(component, se=se),))
    return replace(fit, covariance=robust.covariance, robust=robust, random_effects=effects)


#: Why CR1 stands in for CR2.
NOT_POSITIVE = (
    "CR1 instead of CR2: the information of a cluster about the fixed parameters and sigma is not positive, as is"
    " usual with few judges, so CR2 does not exist"
)


def unit_groups(
    fit: FitRecord, fitted: AtEstimate, column: str, missing: Missing
) -> tuple[sparse.csr_matrix, tuple[str, ...]]:
    """How often each cluster of a column has each unit, float[G, n], and the labels of the clusters."""
    table, n = fit.data, len(fitted.likelihood.weights)
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    used = np.flatnonzero(counts.sum(axis=1) > 0.0)
    if fitted.unit_of_row is not None:
        used = np.flatnonzero(fitted.unit_of_row >= 0)
    codes, labels = cluster_codes(table, column, used, missing)
    if fitted.unit_of_row is None:
        units = 3 * used[:, None] + np.arange(3)
        at = (counts[used].ravel(), (np.repeat(codes, 3), units.ravel()))
        return sparse.csr_matrix(at, shape=(len(labels), n)), labels
    judge = table.columns["judge"]
    assert isinstance(judge, Factor)  # random effects of judges are by their names
    pairs = np.unique(np.column_stack([judge.codes[used], codes, fitted.unit_of_row[used]]), axis=0)
    twice = np.flatnonzero(np.diff(pairs[:, 0]) == 0)
    if len(twice):
        raise InputError(
            f"{column}: judge {judge.levels[pairs[twice[0], 0]]} is in {labels[pairs[twice[0], 1]]} and in"
            f" {labels[pairs[twice[0] + 1, 1]]}; comparisons of a judge share random effects, so each judge"
            " must be in one cluster"
        )
    at = (np.ones(len(pairs)), (pairs[:, 1], pairs[:, 2]))
    return sparse.csr_matrix(at, shape=(len(labels), n)), labels


# -- random effects ------------------------------------------------------------------------------------------


def of_components(fit: FitRecord) -> tuple[str, ...]:
    """The variance components as sentences; none without random effects."""
    if fit.random_effects is None:
        return ()
    out = []
    for c in fit.random_effects.components:
        what = {"item": "items", "item:judge": "items by judge"}[c.name]
        line = f"Random effects of {what}: sigma = {number(c.sigma)}"
        if not math.isnan(c.se):
            line += f" (se {number(c.se)})"
        line += f", {c.n_effects:,} effects"
        if not math.isnan(c.lr):
            line += f"; test of sigma = 0 on its boundary: LR {number(c.lr)}, p = {p_value(c.p)}"
        out.append(line)
    if fit.spec.method == "pql":
        out.append(
            "By PQL: no log-likelihood, AIC or test of sigma; sigma is that of REML for the working response"
        )
    return tuple(out)


def _predicted_functions(fit: FitRecord, found: RandomEffects, judge: str | None) -> FloatArray:
    """float[n_items + n_others, K + p]: abilities, then order effect and comparison terms, as functions of theta."""
    k, p, n = found.n_effects, len(found.places), len(fit.items)
    others = [place for place, t in enumerate(fit.terms) if t.kind not in ("item", "covariate")]
    out = np.zeros((n + len(others), k + p))
    fixed = ability_functions(fit, {})
    out[:n, k:] = fixed[:, found.places]
    for row, place in enumerate(others):
        out[n + row, k:] = found.places == place
    number = -1
    if judge is not None:
        if judge not in found.judges:
            there = ", ".join(found.judges[:20]) or "none: the random effects are for items"
            raise InputError(f"judge={judge!r}; the judges are {there}")
        number = found.judges.index(judge)
    here = (found.judge == -1) | (found.judge == number)
    out[found.item[here], np.flatnonzero(here)] += 1.0
    return out


def predicted(fit: R, judge: str | None) -> R:
    """A fit of free items whose abilities are the predicted ones; see :meth:`pairproof.Fit.predicted`."""
    found = fit.predicted_effects
    if fit.robust is not None:
        raise InputError(
            f"predicted abilities of a fit clustered by {', '.join(fit.robust.columns)}: standard errors of prediction come"
            " from the model, with its sigma; use the fit before .clustered() for them, and fit.contrast(a, b) of this one"
        )
    others = tuple(t for t in fit.terms if t.kind not in ("item", "covariate"))
    terms = tuple(Term(item, "item", item=item) for item in fit.items) + others
    functions = _predicted_functions(fit, found, judge)
    # Directions without a number, of the items' abilities and the other terms.
    rest = [[float(t is o) for t in fit.terms] for o in others]
    along = np.vstack([ability_functions(fit, {}), np.reshape(rest, (len(others), len(fit.terms)))])
    covariance = DenseCovariance(functions @ found.covariance @ functions.T)
    none = np.zeros(len(terms), bool)
    numbers = Referred(functions @ found.theta, none, along @ fit.null_space, covariance)
    spec = replace(fit.of_contests, item_terms=(), separate=(), no_abilities=False, reference=fit.items[0])
    referred = vars(against(fit.items[0], terms, fit.items, numbers, fit.data))
    fit = replace(fit, spec=spec, terms=terms, constraint=f"{spec.constraint}, predicted", **referred)
    return replace(fit, random_effects=None, n_infinite=0, quasi_likelihood=False)
