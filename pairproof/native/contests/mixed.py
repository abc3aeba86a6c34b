"""Bradley-Terry models with random effects, fitted and put into a result.

    eta = x'b + offset + sum over the components of u[first] - u[second],        u ~ N(0, sigma^2), independent

The effects of a component are those of the items, or one for every item and judge.  An item with an ability of its own
(a fixed parameter) has no effect of its own beside it.  Fixed parameters that are infinite are taken in the limit: the
contests whose result they make certain are left out, whatever the effects are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...errors import InputError, NotEstimableError
from ...fit.contests.components import Component, Predicted
from ...fit.contests.mixed import MixedFit
from ...fit.covariance import DenseCovariance
from ...fit.record import Stopping
from ...fit.rescale import Referred, against
from ...fit.warning import FitWarning
from ..pairs.fit import engine_name
from ..random_effects.design import with_effects
from ..random_effects.fit import MixedEstimate, fit_mixed
from ..random_effects.pql import fit_pql
from ..structured.contests import Contests
from ..structured.estimate import fit_structured
from ..structured.links import link
from .outcomes import LinkOutcomes
from .rows import ContestRows
from .solved import RULE, LimitRows, Solved, binary, contests_of, everything, limit_of
from .tabulate import tabulate

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Effects:
    """The random effects of a model, and which of them each row has.

    Attributes
    ----------
    component : str
    first, second : int[n_rows]
        Effect of each side; -1 for none.
    item, judge : int[K]
        What each effect is of; judge -1 for effects of items.
    judges : tuple of str
    """

    component: str
    first: IntArray
    second: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each effect."""
        return tuple(f"u{k}" for k in range(len(self.item)))


def effects_of(rows: ContestRows, component: str) -> Effects:
    """The random effects of one component.

    Parameters
    ----------
    rows : ContestRows
    component : {"item", "item:judge"}

    Returns
    -------
    Effects

    Raises
    ------
    InputError
        There is no column `judge`, or it lacks a value.
    """
    table, n = rows.table, len(rows.table.items)
    if component == "item":
        own = {t.item for t in rows.terms if t.kind == "covariate" and t.item is not None}
        number = np.full(n, -1)
        having = np.array([k for k, item in enumerate(table.items) if item not in own], np.int64)
        number[having] = np.arange(len(having))
        return Effects(
            component, number[table.first], number[table.second], having, np.full(len(having), -1), ()
        )
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
    return Effects(
        component,
        codes * n + table.first,
        codes * n + table.second,
        np.tile(np.arange(n), len(present)),
        np.repeat(np.arange(len(present)), n),
        tuple(judge.levels[k] for k in present),
    )


def fit_mixed_contests(rows: ContestRows, warnings: Sequence[FitWarning]) -> MixedFit:
    """Fit a model with random effects.

    Parameters
    ----------
    rows : ContestRows
    warnings : sequence of FitWarning
        About the data.

    Returns
    -------
    MixedFit

    Raises
    ------
    InputError, NotEstimableError, ConvergenceError, TooLargeError
        As :func:`pairproof.fit_bradley_terry`.
    """
    spec = rows.spec
    if len(spec.random) > 1:
        raise InputError(
            f"random={', '.join(spec.random)}: two components at once are not offered; choose one of them"
        )
    effects = effects_of(rows, spec.random[0])
    fixed = contests_of(rows)
    limit = _limit(fixed, spec.link)
    left = _rows_left(fixed, limit)
    contests = with_effects(limit.left, effects.first[left], effects.second[left], effects.names)
    found = _pql(contests, spec.link, effects) if spec.method == "pql" else _marginal(contests, rows, effects)
    return _result(rows, effects, limit, found, (*warnings, *limit.warnings(rows), *found.warnings))


def _limit(fixed: Contests, name: str) -> LimitRows:
    """What of the fixed parameters has a finite estimate."""
    try:
        fit_structured(fixed, name)
    except NotEstimableError:
        return limit_of(fixed)
    return everything(fixed)


def _rows_left(fixed: Contests, limit: LimitRows) -> IntArray:
    """Rows with a contest whose result is not certain, as `limit.left` has them."""
    return np.setdiff1d(np.flatnonzero(fixed.totals > 0), limit.certain)


@dataclass(frozen=True, eq=False)
class _Found:
    """What both methods give."""

    component: Component
    beta: FloatArray
    covariance: FloatArray
    theta: FloatArray
    joint: FloatArray
    means: FloatArray | None
    llf: float
    steps: int
    warnings: tuple[FitWarning, ...]


def _pql(contests: Contests, name: str, effects: Effects) -> _Found:
    found = fit_pql(contests, name)
    k = contests.design.n_own
    text = (
        "penalised quasi-likelihood: with single wins and losses its sigma and, with it, the other estimates are badly"
        " biased towards 0; method='laplace' has a likelihood"
    )
    nan = float("nan")
    return _Found(
        Component(effects.component, found.sigma, found.sigma_se, nan, nan, k),
        found.joint.theta[k:],
        found.joint.covariance[k:, k:],
        found.joint.theta,
        found.joint.covariance,
        None,
        nan,
        found.steps,
        (FitWarning("quasi-likelihood", text),),
    )


def _marginal(contests: Contests, rows: ContestRows, effects: Effects) -> _Found:
    spec, k = rows.spec, contests.design.n_own
    size = len(rows.table.items) if effects.judges else None
    found: MixedEstimate = fit_mixed(contests, spec.link, spec.method, size)
    return _Found(
        Component(effects.component, found.sigma, found.sigma_se, found.lr, found.p, k),
        found.beta,
        found.covariance[:-1, :-1],
        found.joint.theta,
        found.joint.covariance,
        found.posterior_means,
        found.llf,
        0,
        tuple(_notes(found)),
    )


def _notes(found: MixedEstimate) -> list[FitWarning]:
    if found.bounded_below_only:
        text = (
            "no chain of wins leads from an item back to itself, so that the data bound sigma from below only: its"
            " likelihood need not have a maximum, the value given is where its approximation has one, and the other"
            " estimates are in units of it; sigma has no standard error. pairproof.profile_sigma(fit) shows the bound"
        )
        return [FitWarning("sigma-unbounded", text)]
    if found.sigma == 0.0:
        text = "sigma is estimated as 0: the fixed parameters are those of the model without random effects"
        return [FitWarning("sigma-at-zero", text)]
    return []


def _result(
    rows: ContestRows, effects: Effects, limit: LimitRows, found: _Found, warnings: tuple[FitWarning, ...]
) -> MixedFit:
    spec, k = rows.spec, len(effects.item)
    theta = limit.embed(found.beta)
    is_reference = np.ones(len(rows.terms), bool)
    is_reference[rows.places] = False
    covariance = rows.spread(rows.spread(limit.embed_square(found.covariance)).T)
    numbers = Referred(rows.spread(theta), is_reference, rows.spread(limit.flat), DenseCovariance(covariance))
    if spec.reference == "sum" and not spec.item_terms and not spec.no_abilities:
        numbers = against("sum", rows.terms, rows.table.items, numbers)
    u = np.append(found.theta[:k], 0.0)  # index -1 reads the 0
    eta = rows.design.predictor(theta) + u[effects.first] - u[effects.second]
    fitted = limit.probabilities(link(spec.link).probability(eta))
    rank = len(theta) - limit.flat.shape[1] + limit.n_infinite
    shown = Solved(theta, covariance, limit.flat, limit.n_infinite, found.llf, binary(fitted), (), 0, 0.0)
    table = replace(tabulate(rows, shown, rank + 1), deviance=float("nan"), null_deviance=float("nan"))
    return MixedFit(
        spec=spec,
        data=rows.data,
        terms=rows.terms,
        **vars(numbers),
        **vars(table),
        outcome_model="binary",
        scale=spec.scale,
        constraint=spec.constraint,
        groups={"all": {}},
        llf=found.llf,
        n_comparisons=float((rows.table.wins + rows.table.losses).sum()),
        engine=engine_name(),
        stopping=Stopping(RULE, True, found.steps, float("nan")),
        warnings=warnings,
        n_infinite=limit.n_infinite,
        quasi_likelihood=spec.ties == "half" and bool(rows.data.ties.any()),
        outcomes=LinkOutcomes(spec.link),
        components=(found.component,),
        predicted_effects=Predicted(
            found.theta,
            found.joint,
            np.zeros(k, np.int64),
            effects.item,
            effects.judge,
            effects.judges,
            rows.places[limit.kept],
            found.means,
        ),
    )
