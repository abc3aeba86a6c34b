"""Bradley-Terry models with random effects, fitted and put into a result.

    eta = x'b + offset + sum over the components of u[first] - u[second],    u ~ N(0, sigma^2), independent

The effects of a component are those of the items, or one for every item and judge.  An item with an ability
of its own (a fixed parameter) has no effect of its own beside it (Turner and Firth 2012, Journal of
Statistical Software 48(9), section 3.2).  Fixed parameters that are infinite are taken in the limit: the
contests whose result they make certain are left out, whatever the effects are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....data.columns import Factor
from ....errors import InputError
from ....fit.estimates.fit_record import ContestPart, FitWarning, Kind, Stopping
from ....fit.estimates.likelihood import AtEstimate, Likelihood
from ....fit.estimates.parts import Component, RandomEffects
from ....fit.estimates.specification import LOG_WORTH_PER_UNIT, ContestSpec
from ....fit.fit import Fit
from ....numerics.arrays import FloatArray, IntArray
from ....numerics.infinity import AtInfinity
from ....numerics.maxima import cholesky_of
from ..random_effects.effect_sets import EffectSets
from ..random_effects.effects_design import Block, acyclic, component_sizes, with_blocks
from ..random_effects.effects_likelihood import STARTS, MarginalLikelihood, SetsLikelihood
from ..random_effects.joint import Joint
from ..random_effects.quasi_likelihood import fit_pql, method_notes
from ..random_effects.variances import MixedEstimate, fit_components, fit_mixed
from ..rows.contest_design import Contests
from ..rows.links import link
from .estimates import (
    LimitRows,
    LinkOutcomes,
    binary,
    cone_of,
    contests_of,
    limited,
    outward,
    referred,
    shared,
    tabulate,
)
from .specified import ContestRows, contest_rows


@dataclass(frozen=True, eq=False)
class Effects:
    """The random effects of a model, and which of them each row has.
    `first`, second int[n_rows]: effect of each side; -1 for none.  item, judge int[K]: what each effect is
    of; judge -1 for effects of items."""

    first: IntArray
    second: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]


def effects_of(rows: ContestRows, component: str) -> Effects:
    """The random effects of one component."""
    table, n = rows.table, len(rows.table.items)
    if component == "item":
        own = {t.item for t in rows.terms if t.kind == "covariate" and t.item is not None}
        number = np.full(n, -1)
        having = np.array([k for k, item in enumerate(table.items) if item not in own], np.int64)
        number[having] = np.arange(len(having))
        return Effects(number[table.first], number[table.second], having, np.full(len(having), -1), ())
    judge = table.columns.get("judge")
    if not isinstance(judge, Factor):
        raise InputError(
            f"random='item:judge' needs a column judge; the columns are {', '.join(table.columns) or 'none'}"
        )
    lacking = np.flatnonzero(judge.codes < 0)
    if len(lacking):
        raise InputError(f"random='item:judge': row {lacking[0] + 1} has no judge ({len(lacking)} such rows)")
    present, codes = np.unique(judge.codes, return_inverse=True)
    codes = np.ravel(codes)
    item, who = np.tile(np.arange(n), len(present)), np.repeat(np.arange(len(present)), n)
    judges = tuple(judge.levels[k] for k in present)
    return Effects(codes * n + table.first, codes * n + table.second, item, who, judges)


@dataclass(frozen=True, eq=False)
class MixedRows:
    """The contests of a model with random effects.
    limit: what of the fixed parameters has a finite estimate.  contests: whose first parameters are the
    effects, component by component, and whose others are those that are finite."""

    effects: tuple[Effects, ...]
    limit: LimitRows
    contests: Contests


def mixed_rows(rows: ContestRows) -> MixedRows:
    """The contests of a model with random effects."""
    effects = tuple(effects_of(rows, name) for name in rows.spec.random)
    fixed = contests_of(rows)
    limit, _ = limited(fixed, rows.spec.link)
    left = _rows_left(fixed, limit)
    names = [tuple(f"u{k}" for k in range(len(e.item))) for e in effects]
    blocks = [Block(e.first[left], e.second[left], own) for e, own in zip(effects, names)]
    return MixedRows(effects, limit, with_blocks(limit.left, blocks))


def marginal_at_estimate(fit: Fit) -> AtEstimate:
    """The marginal likelihood of a fit, of its fixed parameters and sigma."""
    spec = fit.of_contests
    if spec.method == "pql":
        raise InputError(
            "penalised quasi-likelihood has no likelihood to profile; fit with method='laplace', or take fit.conf_int()"
        )
    if len(fit.components) > 1:
        raise InputError(
            f"random={', '.join(spec.random)}: profiles are offered with one component; fit.conf_int() has Wald's"
        )
    unit = LOG_WORTH_PER_UNIT[fit.scale] if spec.link == "logit" else 1.0
    as_fitted = fit if spec.link != "logit" else fit.on_scale("log-odds")
    rows = contest_rows(fit.data, spec)
    mixed = mixed_rows(rows)
    beta, sigma = as_fitted.predicted_effects.theta[mixed.contests.design.n_own :], as_fitted.sigma
    size = len(rows.table.items) if mixed.effects[0].judges else None
    whole: Likelihood = MarginalLikelihood(mixed.contests, link(spec.link), spec.method, size)
    kind = None
    if size is not None:
        sets = EffectSets(mixed.contests, size, link(spec.link), spec.method)
        whole, kind = SetsLikelihood(sets, sets.times), sets.kind[mixed.effects[0].first // size]
    every = outward(fit, rows, len(rows.design.names))
    flat = mixed.limit.flat
    theta, p = np.append(beta, sigma), len(beta)
    covariance = np.zeros((p + 1, p + 1))
    covariance[:p, :p] = as_fitted.predicted_effects.covariance[-p:, -p:] if p else 0.0
    covariance[p, p] = sigma_step(as_fitted) ** 2
    if isinstance(whole, SetsLikelihood):
        covariance = _of_sets(whole, theta, covariance)
    starts = () if sigma > 0.0 else tuple(np.append(beta, value) for value in STARTS)
    return AtEstimate(
        whole,
        theta,
        covariance,
        np.column_stack([every[:, mixed.limit.kept], np.zeros(len(every))]),
        fit.llf,
        AtInfinity(every @ flat, cone_of(rows, flat)) if flat.shape[1] else None,
        further={SIGMA: np.eye(p + 1)[p] / unit},
        starts=starts,
        farthest_errors=FARTHEST_ACYCLIC if acyclic(mixed.contests) else np.inf,
        unit_of_row=kind,
    )


def _of_sets(whole: SetsLikelihood, theta: FloatArray, rough: FloatArray) -> FloatArray:
    """float[p, p]: inverse of the information at the estimate; of sigma alone a rough one where it is 0, or has none."""
    here = whole.at(theta)
    try:
        assert here is not None  # an estimate is inside the parameter space
        if theta[-1] > 0.0:
            half = np.linalg.inv(cholesky_of(here.information))
            return np.asarray(half.T @ half)
        found = np.zeros_like(rough)
        found[:-1, :-1] = np.linalg.inv(here.information[:-1, :-1])
        found[-1, -1] = rough[-1, -1]
        return found
    except np.linalg.LinAlgError:
        return rough


def sigma_step(fit: Fit) -> float:
    """A rough standard error of sigma."""
    se, sigma = fit.component().se, fit.sigma
    step = se if np.isfinite(se) and se > 0 else max(0.5 * sigma, 0.2)
    return min(step, max(0.5 * sigma, 0.2))


def _rows_left(fixed: Contests, limit: LimitRows) -> IntArray:
    """Rows as `limit.left` has them: all of them, or those with a contest whose result is not certain."""
    if limit.left is fixed:
        return np.arange(fixed.design.n_rows)
    return np.setdiff1d(np.flatnonzero(fixed.totals > 0), limit.certain)


#: The row of the standard deviation of random effects.
SIGMA = "sigma"
#: So many standard errors from the estimate a limit is taken as infinite where sigma is bounded below only:
#: without a cycle of wins the parameters are in units of a sigma that has no upper bound.
FARTHEST_ACYCLIC = 100.0
#: Effects and parameters, and different rows, up to which the methods are compared by themselves.
MOST_COMPARED = (200, 5_000)
PQL = "repetition of mode and REML estimate, to 1e-13 of log sigma^2"
SEARCH = "search of the marginal likelihood, to 1e-10 standard errors"


def fit_mixed_contests(rows: ContestRows, warnings: Sequence[FitWarning]) -> Fit:
    """Fit a model with random effects."""
    spec = rows.spec
    if len(spec.random) > 1 and spec.method != "laplace":
        raise InputError(
            f"method={spec.method!r} with the components {' and '.join(spec.random)}; several components are fitted by"
            " method='laplace'"
        )
    mixed = mixed_rows(rows)
    several = _components if len(mixed.effects) > 1 else _marginal
    found = (_pql if spec.method == "pql" else several)(mixed, rows)
    return _result(rows, mixed, found, (*warnings, *mixed.limit.warnings(rows), *found.warnings))


@dataclass(frozen=True, eq=False)
class _Found:
    """What all methods give."""

    components: tuple[Component, ...]
    beta: FloatArray
    covariance: FloatArray
    joint: Joint
    means: FloatArray | None
    llf: float
    warnings: tuple[FitWarning, ...]


def _pql(mixed: MixedRows, rows: ContestRows) -> _Found:
    contests = mixed.contests
    found = fit_pql(contests, rows.spec.link)
    k = contests.design.n_own
    text = (
        "penalised quasi-likelihood: with single wins and losses its sigma and, with it, the other estimates are badly"
        " biased towards 0; method='laplace' has a likelihood"
    )
    nan = float("nan")
    component = Component(rows.spec.random[0], found.sigma, found.sigma_se, nan, nan, k)
    beta, covariance = found.joint.theta[k:], found.joint.covariance[k:, k:]
    told = (FitWarning("quasi-likelihood", text),)
    return _Found((component,), beta, covariance, found.joint, None, nan, told)


def _marginal(mixed: MixedRows, rows: ContestRows) -> _Found:
    spec, contests = rows.spec, mixed.contests
    size = len(rows.table.items) if mixed.effects[0].judges else None
    found: MixedEstimate = fit_mixed(contests, spec.link, spec.method, size)
    k = contests.design.n_own
    component = Component(spec.random[0], found.sigma, found.sigma_se, found.lr, found.p, k)
    covariance, told = found.covariance[:-1, :-1], tuple(_notes(contests, found, spec, size))
    means = found.posterior_means
    return _Found((component,), found.beta, covariance, found.joint, means, found.llf, told)


def _components(mixed: MixedRows, rows: ContestRows) -> _Found:
    contests, p = mixed.contests, len(mixed.limit.kept)
    found = fit_components(contests, rows.spec.link)
    numbers = (found.sigma, found.sigma_se, found.lr, found.p, np.array(component_sizes(contests.design)))
    each = zip(rows.spec.random, *(values.tolist() for values in numbers))
    components = tuple(Component(*values) for values in each)
    zero = tuple(c.name for c in components if c.sigma == 0.0)
    text = f"sigma of {' and '.join(zero)} is estimated as 0: the model is that without it"
    told = (FitWarning("sigma-at-zero", text),) if zero else ()
    return _Found(components, found.beta, found.covariance[:p, :p], found.joint, None, found.llf, told)


def _notes(contests: Contests, found: MixedEstimate, spec: ContestSpec, size: int | None) -> list[FitWarning]:
    """Where sigma is 0 or unbounded, and where the methods part; the latter for tables of moderate size."""
    # Where effects are a judge's, quadrature is the default, and a comparison with it would take its time.
    if spec.method == "laplace" and size is None and len(found.joint.theta) <= MOST_COMPARED[0]:
        if contests.design.n_rows <= MOST_COMPARED[1]:
            notes = method_notes(contests, found, spec.link)
            return [FitWarning(_kind(found), " ".join(notes))] if notes else []
    if found.bounded_below_only:
        text = (
            "the wins have no cycle (no chain of wins leads from an item back to it): the likelihood need not have a maximum"
            " in sigma, and the data bound it from below only; sigma has no standard error"
        )
        return [FitWarning("sigma-unbounded", text)]
    if found.sigma == 0.0:
        text = "sigma is estimated as 0: the fixed parameters are those of the model without random effects"
        return [FitWarning("sigma-at-zero", text)]
    return []


def _kind(found: MixedEstimate) -> Kind:
    if found.bounded_below_only:
        return "sigma-unbounded"
    return "sigma-at-zero" if found.sigma == 0.0 else "methods-part"


def _result(rows: ContestRows, mixed: MixedRows, found: _Found, warnings: tuple[FitWarning, ...]) -> Fit:
    spec, limit = rows.spec, mixed.limit
    theta = limit.embed(found.beta)
    numbers = referred(rows, theta, limit.embed_square(found.covariance), limit.flat)
    eta, shift = rows.design.predictor(theta), 0
    for e in mixed.effects:
        u = np.append(found.joint.theta[shift : shift + len(e.item)], 0.0)  # index -1 reads the 0
        eta, shift = eta + u[e.first] - u[e.second], shift + len(e.item)
    fitted = limit.probabilities(link(spec.link).probability(eta))
    rank = len(theta) - limit.flat.shape[1] + limit.n_infinite
    table = tabulate(rows, binary(fitted), rank + len(mixed.effects))
    return Fit(
        **shared(rows, numbers, replace(table, deviance=float("nan"), null_deviance=float("nan"))),
        terms=rows.terms,
        outcome_model="binary",
        constraint=spec.constraint,
        llf=found.llf,
        stopping=Stopping(PQL if spec.method == "pql" else SEARCH, True, 0, float("nan")),
        warnings=warnings,
        n_infinite=limit.n_infinite,
        contests=ContestPart(LinkOutcomes(spec.link)),
        random_effects=RandomEffects(
            found.components,
            found.joint.theta,
            found.joint.covariance,
            np.repeat(np.arange(len(mixed.effects)), [len(e.item) for e in mixed.effects]),
            np.concatenate([e.item for e in mixed.effects]),
            np.concatenate([e.judge for e in mixed.effects]),
            max((e.judges for e in mixed.effects), key=len),
            rows.places[limit.kept],
            found.means,
            spec.reference,
        ),
    )
