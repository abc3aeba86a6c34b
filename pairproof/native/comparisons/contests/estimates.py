"""Estimates of contests without random effects, with their outcome probabilities, cells and deviance.

By link, with reduced bias, or with general ties.  Where contests are separated the estimate is taken in the
limit (Geyer 2009, Electronic Journal of Statistics 3, 259-289): rows whose result is certain are left out,
what is finite is estimated from the others, and the directions along which nothing is left to say are the
null space of the estimate.  Results carry the probabilities of the outcomes as a function of the linear
predictor.

A cell holds the rows with the same pair and the same linear predictor, whoever is named first, divided
further by the columns that `cells` names; "row" makes each row a cell, as R's glm has it.  With y outcomes of
n comparisons of a cell and fitted probabilities p the deviance is 2 sum y log(y / (n p)).  In the null model
all items are equal, nothing favours either of them but the offset, and ties have one probability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....errors import InputError, NotEstimableError
from ....fit.estimates.covariance import DenseCovariance
from ....fit.estimates.fit_record import CellTable, FitRecord, FitWarning, WhenAsked, listed
from ....fit.estimates.identification import Referred, against, shift_of, shift_to
from ....fit.estimates.likelihood import AtEstimate, Likelihood, within
from ....fit.estimates.outcome_laws import NOTHING, AnyNumbers, DavidsonTies
from ....fit.estimates.specification import LOG_WORTH_PER_UNIT, ContestSpec, Term, layout
from ....fit.inference.diagnostics import poisson_divergence
from ....numerics.arrays import BoolArray, FloatArray, IntArray, distinct_rows
from ....numerics.infinity import AtInfinity
from ..counts.existence import demanded
from ..counts.llbt import Tabulated, engine_name
from ..counts.named import is_quasi
from ..rows.contest_design import Contests
from ..rows.links import link
from ..rows.maximum_likelihood import (
    StructuredEstimate,
    fit_structured,
    limiting_contests,
    null_space,
    pivots,
)
from ..rows.reduced_bias import ReducedEstimate, fit_reduced
from ..rows.row_likelihoods import LinkLikelihood, PenalisedLikelihood, RowLikelihood
from ..rows.tied_contests import TiesEstimate, TiesLikelihood, TiesPoint, fit_tied, fit_ties
from .specified import ContestRows, contest_rows, sums_to_zero

#: A logit of the mode of the ties, or a log of their scale, so far from its estimate is at its end.
FARTHEST_TIE = 8.0
RULE = "squared length of the last step in standard errors"


@dataclass(frozen=True, eq=False)
class Solved:
    """Estimates of p parameters of the design and q of the ties.
    theta float[p + q].  covariance float[p + q, p + q]: 0 in rows and columns that have no estimate.
    null_space float[p + q, k].  fitted float[n_rows, 3]: probabilities of the outcomes.  `more`: the q
    parameters of the ties.  expected float[p + q, p + q] or None: covariance by the expected information,
    which R reports, where that is another than the observed one.  penalised: llf + log det(information) / 2
    where the bias is reduced, else nan."""

    theta: FloatArray
    covariance: FloatArray
    null_space: FloatArray
    n_infinite: int
    llf: float
    fitted: FloatArray
    more: tuple[Term, ...]
    steps: int
    decrement: float
    warnings: tuple[FitWarning, ...] = ()
    penalised: float = float("nan")
    expected: FloatArray | None = None


def solved(rows: ContestRows) -> Solved:
    """The estimate that the specification asks for."""
    if rows.has_ties:
        return _with_ties(rows)
    return _reduced(rows) if rows.spec.reduction else _likelihood(rows)


def contests_of(rows: ContestRows) -> Contests:
    """The contests of a model without ties, a row for each row of the table."""
    return Contests(rows.design, rows.table.wins, rows.table.losses)


def binary(p: FloatArray) -> FloatArray:
    """float[n, 3]: outcomes from the probability that the first is preferred."""
    return np.stack([p, np.zeros(len(p)), 1.0 - p], axis=1)


def _likelihood(rows: ContestRows) -> Solved:
    contests, name = contests_of(rows), rows.spec.link
    limit, found = limited(contests, name)
    eta = contests.design.predictor(limit.embed(found.theta))
    fitted = binary(limit.probabilities(link(name).probability(eta)))
    warnings = [*limit.warnings(rows)]
    if found.other_maximum is not None:
        text = (
            f"a cauchit likelihood may have several maxima: this one has log-likelihood {found.llf:.6f}, another"
            f" {found.other_maximum:.6f}"
        )
        warnings.append(FitWarning("local-maxima", text))
    expected = None if name == "logit" else limit.embed_square(found.expected_covariance)
    return limit.solved(found, fitted, warnings=tuple(warnings), expected=expected)


@dataclass(frozen=True, eq=False)
class LimitRows:
    """What of contests has a finite estimate.
    `left`: those whose result is not certain, with a parameter fixed for each direction of `flat`.  kept
    int[m]: which parameters these have.  certain int[r]: rows whose result is certain in the limit.  flat
    float[p, k]: directions about which the rows left say nothing.  n_infinite: how many of them the
    likelihood grows along."""

    contests: Contests
    left: Contests
    kept: IntArray
    certain: IntArray
    flat: FloatArray
    n_infinite: int

    def embed(self, values: FloatArray) -> FloatArray:
        """float[p + q, ...]: of parameters of the rows left, among all, 0 for those that were fixed; then of q of ties,
        if any."""
        p = len(self.contests.design.names)
        n = p + len(values) - len(self.kept)
        out = np.zeros((n, *values.shape[1:]))
        out[np.append(self.kept, np.arange(p, n))] = values
        return out

    def embed_square(self, covariance: FloatArray) -> FloatArray:
        """float[p + q, p + q]."""
        return np.ascontiguousarray(self.embed(self.embed(covariance).T).T)

    def solved(
        self,
        found: StructuredEstimate | ReducedEstimate | TiesEstimate,
        fitted: FloatArray,
        more: tuple[Term, ...] = (),
        warnings: tuple[FitWarning, ...] = (),
        penalised: float = float("nan"),
        expected: FloatArray | None = None,
    ) -> Solved:
        """The estimate of the rows left, and of ties `more`, as one of all parameters."""
        return Solved(
            self.embed(found.theta),
            self.embed_square(found.covariance),
            np.pad(self.flat, ((0, len(more)), (0, 0))),
            self.n_infinite,
            found.llf,
            fitted,
            more,
            found.steps,
            found.decrement,
            warnings,
            penalised,
            expected,
        )

    def onto(self, n_more: int) -> FloatArray:
        """float[k + n_more, p + n_more]: all parameters, and those of ties, as those left: brought to 0 along `flat`."""
        p, k = len(self.contests.design.names), len(self.kept)
        dropped = np.setdiff1d(np.arange(p), self.kept)
        free = np.eye(p)
        free[:, dropped] -= self.flat @ np.linalg.inv(self.flat[dropped])
        out = np.zeros((k + n_more, p + n_more))
        out[:k, :p] = free[self.kept]
        out[k:, p:] = np.eye(n_more)
        return out

    def probabilities(self, p: FloatArray) -> FloatArray:
        """Probabilities of wins, 0 or 1 where the result is certain."""
        out: FloatArray = p.copy()
        out[self.certain] = (self.contests.wins[self.certain] > 0).astype(float)
        return out

    def warnings(self, rows: ContestRows) -> tuple[FitWarning, ...]:
        """Why parameters have no estimate."""
        if not self.flat.shape[1]:
            return ()
        flat = rows.spread(self.flat)
        items = np.array([t.kind == "item" for t in rows.terms])
        if rows.spec.reference == "sum" and items.any():
            at, names = layout(rows.terms, rows.table.items), rows.table.items
            flat = shift_of(at, len(rows.terms), "sum", names, flat, rows.table).forward(flat)
        lost = tuple(t.name for t, along in zip(rows.terms, np.abs(flat).max(axis=1)) if along > 1e-9)
        what = f"{listed(lost, 12)} not estimable"
        if not len(self.certain):
            sets = rows.table.connected_sets() if any(t.kind == "item" for t in rows.terms) else ()
            if len(sets) > 1:
                apart = " | ".join(listed(s, 8) for s in sets[:6]) + (" | ..." if len(sets) > 6 else "")
                text = f"not connected: {what}, since no chain of comparisons joins these sets: {apart}"
                return (FitWarning("not-connected", text, lost),)
            text = f"not identified: {what}: in these data their effects cannot be distinguished from one another; leave a term out"
            return (FitWarning("not-identified", text, lost),)
        text = (
            f"separated data: {what}: the likelihood grows without end as they go to infinity. In {len(self.certain)} of"
            f" {self.contests.n_used} rows, the first of them row {self.certain[0] + 1}, the result is certain in the"
            " limit. What is finite is estimated"
            + ("" if rows.spec.random else "; reduce_bias='mean' has finite estimates of all")
        )
        return (FitWarning("separated", text, lost),)


def everything(contests: Contests) -> LimitRows:
    """Contests whose parameters all have finite estimates."""
    p = len(contests.design.names)
    none = np.zeros(0, np.int64)
    return LimitRows(contests, contests, np.arange(p), none, np.zeros((p, 0)), 0)


def limited(contests: Contests, name: str) -> tuple[LimitRows, StructuredEstimate]:
    """What of contests has a finite estimate under a link, and this estimate."""
    try:
        return everything(contests), fit_structured(contests, name)
    except NotEstimableError:
        limit = limit_of(contests)
        return limit, fit_structured(limit.left, name)


def apart(contests: Contests, levels: FloatArray | None = None) -> LimitRows:
    """Contests with a parameter fixed for each direction that they cannot tell: one for each set of items beyond one,
    unless ties depend on the level, float[n, p]."""
    used = np.flatnonzero(contests.totals > 0)
    gram = contests.design.subset(used).gram(np.ones(len(used)))
    flat = null_space(gram if levels is None else gram + levels[used].T @ levels[used])
    if not flat.shape[1]:
        return everything(contests)
    dropped = pivots(flat)
    left = Contests(contests.design.without(dropped), contests.wins, contests.losses)
    kept = np.setdiff1d(np.arange(len(contests.design.names)), dropped)
    size = np.sqrt((flat**2).sum(axis=0))
    return LimitRows(contests, left, np.asarray(kept, np.int64), np.zeros(0, np.int64), flat / size, 0)


def limit_of(contests: Contests) -> LimitRows:
    """What of contests has a finite estimate."""
    limit = limiting_contests(contests)
    flat, used = limit.flat, np.flatnonzero(contests.totals > 0)
    before = null_space(contests.design.subset(used).gram(np.ones(len(used))))
    kept = np.setdiff1d(np.arange(len(flat)), limit.dropped)
    unit = flat / np.sqrt((flat**2).sum(axis=0))
    n_infinite = flat.shape[1] - before.shape[1]
    return LimitRows(contests, limit.contests, np.asarray(kept, np.int64), limit.certain, unit, n_infinite)


def _reduced(rows: ContestRows) -> Solved:
    contests, spec = contests_of(rows), rows.spec
    parts = apart(contests)
    found = fit_reduced(parts.left, spec.reduction, spec.link)
    p = link(spec.link).probability(contests.design.predictor(parts.embed(found.theta)))
    return parts.solved(found, binary(p), (), parts.warnings(rows), found.penalised)


def _with_ties(rows: ContestRows) -> Solved:
    spec, (parts, left) = rows.spec, tied_left(rows)
    if spec.reduction and spec.general_ties:
        what = "tie_shift or tie_scale" if isinstance(left.law, DavidsonTies) else f"ties={spec.ties!r}"
        raise InputError(f"reduce_bias beside {what} is not offered; leave one of them out")
    if spec.reduction == "median":
        raise InputError(
            "reduce_bias='median' has no estimate with ties='davidson'; use 'mean', or ties='half' or 'drop'"
        )
    found = fit_tied(left) if spec.reduction else fit_ties(left)
    more = tuple(Term(name, "tie-of" if k else "tie") for k, name in enumerate(left.ties))
    expected = parts.embed_square(found.expected) if spec.general_ties and left.law.in_r else None
    fitted = np.exp(TiesPoint(left, found.theta).logs[0])
    return parts.solved(found, fitted, more, parts.warnings(rows), found.penalised, expected)


def tied_left(rows: ContestRows) -> tuple[LimitRows, TiesLikelihood]:
    """What contests with ties can tell, a parameter fixed for each direction that they cannot, and its likelihood."""
    table, law = rows.table, rows.spec.law
    assert law is not None  # has_ties
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    whole = TiesLikelihood(law, rows.design, law.columns(rows.home), counts, rows.levels)
    parts = apart(whole.halved, rows.levels)
    levels = None if rows.levels is None else rows.levels[:, parts.kept]
    return parts, replace(whole, design=parts.left.design, levels=levels)


@dataclass(frozen=True)
class LinkOutcomes:
    """Wins and losses under a link."""

    name: str

    def probabilities(
        self, eta: FloatArray, ties: FloatArray = NOTHING, home: AnyNumbers = 0.0, level: AnyNumbers = 0.0
    ) -> FloatArray:
        """float[n, 3]: first preferred, tie, second preferred; only eta plays a part."""
        known = np.isfinite(eta)
        p = np.full(len(eta), np.nan)
        p[known] = link(self.name).probability(eta[known])
        return binary(p)

    def unit_derivatives(self, eta: FloatArray, possible: BoolArray) -> tuple[FloatArray, FloatArray] | None:
        """float[3, 2, n] and float[3, 3, n]: of one win, tie and loss by eta; 0 where the outcome is certain."""
        if self.name == "logit":
            return None
        score, information = np.zeros((3, 2, len(eta))), np.zeros((3, 3, len(eta)))
        both = possible[0] & possible[2]
        for outcome, side in ((0, 1.0), (2, -1.0)):
            first, second = link(self.name).derivatives(side * eta)
            score[outcome, 0] = np.where(both, side * first, 0.0)
            information[outcome, 0] = np.where(both, -second, 0.0)
        return score, information


def outward(fit: FitRecord, rows: ContestRows, p: int) -> FloatArray:
    """float[n_params, p]: from the solver's parameters to the fit's, on its scale and against its reference."""
    spec = rows.spec
    out = rows.spread(np.eye(p), p - len(rows.design.names))
    if fit.scale != spec.scale:
        unit = LOG_WORTH_PER_UNIT[spec.scale] / LOG_WORTH_PER_UNIT[fit.scale]
        out *= np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])[:, None]
    if sums_to_zero(spec):
        out = shift_to(fit, "sum").forward(out)
    return out


def at_estimate(fit: FitRecord) -> AtEstimate:
    """The likelihood of a fit of contests without random effects; penalised where its bias is reduced."""
    spec = fit.spec
    assert isinstance(spec, ContestSpec)
    refuse_roots(spec)
    rows = contest_rows(fit.data, spec)
    found = solved(rows)
    onward = outward(fit, rows, len(found.theta))
    whole: Likelihood
    if rows.has_ties or spec.reduction:
        whole = finite_likelihood(rows)
    else:
        whole = LinkLikelihood(contests_of(rows), link(spec.link), found.null_space)
    far = np.full(len(found.theta), np.inf)
    far[len(rows.design.names) + 1 :] = FARTHEST_TIE
    supremum, infinite = found.penalised if spec.reduction else found.llf, infinite_of(rows, found, onward)
    return AtEstimate(whole, found.theta, found.covariance, onward, supremum, infinite, farthest=far)


def infinite_of(rows: ContestRows, found: Solved, onward: FloatArray) -> AtInfinity | None:
    """What is flat or infinite in an estimate, in parameters that are `onward`, float[n_params, p], of the solver's."""
    null = found.null_space
    if not null.shape[1]:
        return None
    if not found.n_infinite:
        return AtInfinity(onward @ null, np.zeros((0, null.shape[1])))
    return AtInfinity(onward @ null, cone_of(rows, null))


def cone_of(rows: ContestRows, directions: FloatArray) -> FloatArray:
    """float[m, k]: what the wins and losses demand of directions float[p, k] of the design's parameters."""
    u, table = rows.design.projected(directions, slice(None)), rows.table
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    return demanded(u, np.zeros_like(u), counts, "binary")


def refuse_roots(spec: ContestSpec) -> None:
    """Refuse an estimate that is a root and no maximum."""
    if spec.reduction == "median" or (spec.reduction == "mean" and spec.link != "logit"):
        raise InputError(
            f"a profile with reduce_bias={spec.reduction!r} and link={spec.link!r}: this estimate is the root of an"
            " adjusted score and maximises nothing; reduce_bias='jeffreys' has a penalised likelihood"
        )


def finite_likelihood(rows: ContestRows) -> Likelihood:
    """What is maximised where ties are modelled or the bias is reduced, and nothing separates: of the parameters that
    contests can tell, as a function of all."""
    spec = rows.spec
    plain: RowLikelihood
    if rows.has_ties:
        parts, plain = tied_left(rows)
    else:
        parts = apart(contests_of(rows))
        plain = LinkLikelihood(parts.left, link(spec.link))
    whole: Likelihood = PenalisedLikelihood(plain) if spec.reduction else plain
    n_more = plain.n_params - len(parts.kept)
    return within(whole, parts.onto(n_more)) if parts.flat.shape[1] else whole


def referred(
    rows: ContestRows,
    theta: FloatArray,
    covariance: FloatArray,
    null_space: FloatArray,
    more: tuple[Term, ...] = (),
) -> Referred:
    """The numbers of all terms, from the estimates of p parameters of the design and q `more` of ties."""
    terms, q = (*rows.terms, *more), len(more)
    is_reference = np.ones(len(terms), bool)
    is_reference[rows.places] = False
    is_reference[len(rows.terms) :] = False
    spread = DenseCovariance(rows.spread(rows.spread(covariance, q).T, q))
    numbers = Referred(rows.spread(theta, q), is_reference, rows.spread(null_space, q), spread)
    return (
        against("sum", terms, rows.table.items, numbers, rows.table) if sums_to_zero(rows.spec) else numbers
    )


def shared(rows: ContestRows, numbers: Referred, table: Tabulated) -> dict[str, Any]:
    """What fits with and without random effects have alike."""
    spec, counted = rows.spec, rows.table
    return {
        "spec": spec,
        "data": rows.data,
        **vars(numbers),
        **vars(table),
        "scale": spec.scale,
        "groups": {"all": {}},
        "n_comparisons": float((counted.wins + counted.ties + counted.losses).sum()),
        "engine": engine_name(),
        "quasi_likelihood": is_quasi(rows.data, spec),
    }


def tabulate(rows: ContestRows, probabilities: FloatArray, rank: int) -> Tabulated:
    """The cells of contests, with deviance and degrees of freedom; probabilities of the outcomes float[n_rows, 3]."""
    table, spec = rows.table, rows.spec
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    turned = (table.first > table.second)[used]
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)[used]
    of, keys = _cells(rows, used, turned)
    n = len(keys)
    totals = counts.sum(axis=1, keepdims=True)
    parts = (counts, totals * probabilities[used], totals * _null(rows)[used])
    observed, fitted, nothing = (_sums(of, n, _turn(part, turned)) for part in parts)
    first, second = np.minimum(table.first, table.second)[used], np.maximum(table.first, table.second)[used]
    outcomes = slice(None) if rows.has_ties else slice(None, None, 2)
    free = n * (2 if rows.has_ties else 1)

    def cell_table() -> CellTable:
        by_row = spec.cells == ("row",)
        labels = tuple(f"row {used[k] + 1}" for k in keys) if by_row else _labels(rows, used[keys])
        return CellTable(first[keys], second[keys], labels, observed, fitted)

    return Tabulated(
        WhenAsked(cell_table),
        2.0 * float(poisson_divergence(observed[:, outcomes], fitted[:, outcomes]).sum()),
        free - rank,
        2.0 * float(poisson_divergence(observed[:, outcomes], nothing[:, outcomes]).sum()),
        free - int(rows.has_ties and bool(table.ties.any())),
    )


def _cells(rows: ContestRows, used: IntArray, turned: BoolArray) -> tuple[IntArray, IntArray]:
    """The cell of each used row, and a used row of each cell."""
    table, spec, design = rows.table, rows.spec, rows.design
    if spec.cells == ("row",):
        return np.arange(len(used)), np.arange(len(used))
    side = np.where(turned, -1.0, 1.0)
    columns = [np.minimum(table.first, table.second)[used], np.maximum(table.first, table.second)[used]]
    # Covariates of items follow from the pair.
    columns += [side * column for column in design.dense[used, design.dense.shape[1] - _n_directed(rows) :].T]
    if design.offset.any():
        columns.append(side * design.offset[used])
    if spec.law is not None and any(p.of_home for p in spec.law.parameters):
        columns.append(side * rows.home[used])
    for name in spec.cells:
        columns.append(_codes(rows, name)[used])
    first, of = distinct_rows(np.stack([np.asarray(c, dtype=float) for c in columns], axis=1))
    return of, first


def _codes(rows: ContestRows, name: str) -> FloatArray:
    from ....data.columns import Factor

    column = rows.data.columns.get(name)
    if column is None:
        raise InputError(
            f"cells={list(rows.spec.cells)}: no column {name!r}; there are {', '.join(rows.data.columns) or 'none'}"
        )
    return np.asarray(column.codes if isinstance(column, Factor) else column, dtype=float)


def _n_directed(rows: ContestRows) -> int:
    """Columns of the design that have another sign from the other side: of the order and the comparison."""
    return sum(t.kind in ("order", "comparison") for t in rows.terms)


def _turn(values: FloatArray, turned: BoolArray) -> FloatArray:
    """float[n, 3], outcomes from the side of the item that comes first in the item order."""
    out: FloatArray = values.copy()
    out[turned] = values[turned][:, ::-1]
    return out


def _sums(of: IntArray, n: int, values: FloatArray) -> FloatArray:
    return np.stack([np.bincount(of, column, n) for column in values.T], axis=1)


def _labels(rows: ContestRows, chosen: IntArray) -> tuple[str, ...]:
    """`order=1,length=2.5`: what each comparison has beside its pair."""
    n_comparison = _n_directed(rows)
    names = [t.name for t in rows.terms[len(rows.terms) - n_comparison :]] + [rows.spec.offset]
    side = np.where(rows.table.first[chosen] > rows.table.second[chosen], -1.0, 1.0)
    values = rows.design.dense[chosen, rows.design.dense.shape[1] - n_comparison :]
    first, of = distinct_rows(np.column_stack([side[:, None] * values, side * rows.design.offset[chosen]]))
    words = []
    for k in first:
        here = [*(side[k] * values[k]), side[k] * rows.design.offset[chosen[k]]]
        words.append(",".join(f"{name}={value:g}" for name, value in zip(names, here) if value))
    return tuple(words[k] for k in of)


def _null(rows: ContestRows) -> FloatArray:
    """float[n_rows, 3]: probabilities where all items are equal and nothing but the offset favours either."""
    table = rows.table
    if not rows.has_ties:
        return binary(link(rows.spec.link).probability(rows.design.offset))
    total = float((table.wins + table.ties + table.losses).sum())
    tied = float(table.ties.sum()) / total
    p = link("logit").probability(rows.design.offset)
    return np.stack([(1.0 - tied) * p, np.full(len(p), tied), (1.0 - tied) * (1.0 - p)], axis=1)
