"""Covariates of single comparisons where the rows are too many to hold: each Newton step is one pass over the rows.

A row of cell c, with numbers w that the table of counts has not, has the predictors

    eta = x_c'b + w'd,      g = z_c'b,

(x, z: the design of the fit without the terms, from which the steps start).  What is summed over a pass is the
log-likelihood, its first derivatives and minus its second ones, by cell where they meet x and z, so that a row costs a few
operations whatever the number of items.  The maximum is that of `comparison_terms` of a table with these columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ....data.comparisons import Comparisons
from ....data.counting.passes import Passes, numbers, passes
from ....errors import AliasError, ConvergenceError, InputError, NotEstimableError
from ....fit.estimates.covariance import DenseCovariance
from ....fit.estimates.fit_record import CellTable, Stopping, why_not_estimable
from ....fit.estimates.identification import with_reference
from ....fit.estimates.likelihood import OutcomeModel
from ....fit.estimates.specification import FAMILIES, ModelSpec, Term
from ....fit.fit import Fit
from ....fit.robust.scores import Design, designs, pattern_cells
from ....numerics.arrays import FloatArray, IntArray
from ....numerics.maxima import by_cholesky, flat_names, maximise
from ..counts.llbt import RULE, fit as plain_fit
from ..counts.named import check_names
from ..counts.outcome_derivatives import Counts, Derivatives, derivatives

#: Rows taken at a time, so that their dozen arrays stay within a processor's cache.
_ROWS = 1 << 17
#: A log-odds beyond which covariates are taken to separate the answers: exp(-30) is nothing in 1e10 rows.
#: And steps in a row that leave a fixed share of the decrement (0.37), as the way to infinity does.
_FAR, _LINEAR = 30.0, 5


def fit_through(data: Comparisons, spec: ModelSpec, given: Any) -> Fit:
    """Fit a model whose comparison terms are columns of `given`, the rows that the table was counted from."""
    terms = spec.comparison_terms
    if not terms:
        raise InputError(
            "rows= is for comparison_terms, columns of numbers that the table was not counted by; name them"
        )
    summing = spec.reference == "sum"
    usual = FAMILIES[spec.family].usual_reference(data.items) if summing else spec.reference
    base = plain_fit(data, replace(spec, reference=usual, comparison_terms=()))
    fixed = [t.name for t, held in zip(base.terms, base.is_reference) if held and t.kind == "tie"]
    if base.null_space.shape[1] or fixed:
        why = why_not_estimable(base) if base.null_space.shape[1] else "no tie was observed"
        raise NotEstimableError(
            f"rows= starts at the fit without {', '.join(terms)}, in which not everything has a finite estimate: {why}"
        )
    with passes(
        given, pattern_cells(base), terms, " as a term through rows=, which takes columns of numbers"
    ) as rows:
        fitted = _fitted(base, replace(spec, reference=usual), _Likelihood(rows, base))
    return with_reference(fitted, "sum") if summing else fitted


def _fitted(base: Fit, spec: ModelSpec, of_rows: _Likelihood) -> Fit:
    found = maximise(of_rows.at, of_rows.start, _FAR)
    names = spec.comparison_terms
    asked = f"comparison_terms={list(names)} through rows="
    if found.trouble == "singular":
        flat = ", ".join(flat_names(found.point.information, of_rows.names)[:8])
        raise AliasError(
            f"{asked}: {flat} cannot be distinguished from one another or from the items; leave one of them out"
        )
    if found.trouble == "far" or found.linear >= _LINEAR:
        raise NotEstimableError(
            f"{asked}: after {found.steps} steps a log-odds is {found.point.extent:.3g} and the likelihood still grows: the"
            " terms foretell some answers for certain, so that there is no finite estimate; leave them out, or the rows of"
            f" outlying values (a log-odds is at most {_FAR:g})"
        )
    if not found.reached:
        raise ConvergenceError(f"{asked}: no maximum in {found.steps} steps, decrement {found.decrement:.2g}")
    covariance = np.zeros((len(of_rows.terms),) * 2)
    covariance[np.ix_(of_rows.free, of_rows.free)] = np.linalg.inv(found.point.information)
    beta = np.zeros(len(of_rows.terms))
    beta[of_rows.free] = found.x
    n, source = of_rows.rows.n, of_rows.rows.header.source
    spec = replace(spec, through=f"{n} passes over the rows of {source}")
    is_reference = np.ones(len(beta), bool)
    is_reference[of_rows.free] = False
    nan = float("nan")
    fitted = replace(
        base,
        spec=spec,
        terms=of_rows.terms,
        beta=beta,
        is_reference=is_reference,
        covariance=DenseCovariance(covariance),
        null_space=np.zeros((len(beta), 0)),
        llf=found.point.value,
        deviance=nan,
        null_deviance=nan,
        stopping=Stopping(RULE, True, found.steps, found.decrement),
    )
    return replace(fitted, cell_table=_NoCells(spec))


@dataclass(frozen=True)
class _NoCells:
    """In place of a table of cells."""

    spec: ModelSpec

    def __call__(self) -> CellTable:
        self.spec.check_held("a table of cells, residuals or deviance")
        raise AssertionError


@dataclass(frozen=True, eq=False)
class _Place:
    """The likelihood at one place: a point of :func:`pairproof.numerics.maxima.maximise`."""

    value: float
    score: FloatArray
    information: FloatArray
    extent: float

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        step = by_cholesky(self.information, self.score)
        return step, float(step @ self.score)


class _Likelihood:
    """The log-likelihood of the rows, as a function of the free parameters of all terms.

    terms: as a fit in memory has them.  free int[p]: those that are no references.
    """

    def __init__(self, rows: Passes, base: Fit) -> None:
        self.rows = rows
        self._base = base
        self._x, self._z = designs(base, rows.cells)
        self.n_cells, self._n_base = rows.cells.n_rows, len(base.terms)
        more = tuple(Term(name, "comparison", of=((name, None),)) for name in rows.more)
        kinds = [t.kind for t in base.terms]
        at = kinds.index("tie") if "tie" in kinds else len(kinds)
        self.terms = (*base.terms[:at], *more, *base.terms[at:])
        check_names(list(self.terms))
        own = np.concatenate([np.arange(at), np.arange(at, len(kinds)) + len(more)]).astype(np.int64)
        #: where the parameters of the base, then the further ones, are among all terms
        self._place = np.concatenate([own, at + np.arange(len(more))])
        held = np.ones(len(self.terms), bool)
        held[own[base.is_reference]] = False
        self.free = np.flatnonzero(held)
        self.names = [self.terms[k].name for k in self.free]
        beta = np.zeros(len(self.terms))
        beta[own] = base.beta
        self.start = beta[self.free]
        ties = {"drop": (0.0, 0.0, 0.0), "half": (0.5, 0.0, 0.5)}.get(base.spec.ties, (0.0, 1.0, 0.0))
        # of each place: first preferred, tie, second preferred, and their sum
        each = np.repeat(np.array([(1.0, 0.0, 0.0), ties, (0.0, 0.0, 1.0)]).T, self.n_cells, axis=1)
        self._outcomes = [*each, each.sum(axis=0)]

    def at(self, theta: FloatArray) -> _Place:
        """One pass over the rows."""
        beta = np.zeros(len(self.terms))
        beta[self.free] = theta
        beta = beta[self._place]
        b, d = beta[: self._n_base], beta[self._n_base :]
        eta, g = (np.tile(design.times(b), 3) for design in (self._x, self._z))
        ties = self._z.at.shape[1] > 0
        if self._base.outcome_model == "rao-kupper" and ties and not (g > 0.0).all():
            return _Place(-np.inf, theta, np.eye(len(theta)), np.inf)
        model = cast(OutcomeModel, self._base.outcome_model)
        sums = _Sums.zero(self.n_cells, len(d))
        for at, y, w in self._parts():
            u = eta[at]
            for each, column in zip(d, w):
                u += each * column
            extent = float(np.abs(u).max(initial=0.0))
            sums.extent = max(sums.extent, extent)
            sums.add(at, w, derivatives(u, g[at], y, model, extent))
        return self._place_of(sums.by_cell())

    def _parts(self) -> Iterator[tuple[IntArray, Counts, FloatArray]]:
        """Places (outcome and cell), counts and covariates of some rows."""
        bad = np.zeros(len(self.rows.more))
        for batch in self.rows.batches():
            columns = [numbers(*coded) for coded in batch.more]
            for start in range(0, len(batch.at), _ROWS):
                part = slice(start, start + _ROWS)
                w = np.array([code[part] if of is None else of[code[part]] for code, of in columns], float)
                wrong = ~np.isfinite(w)
                if wrong.any():
                    bad += wrong.sum(axis=1)
                    w = np.where(wrong, 0.0, w)
                at = batch.at[part]
                y = [of_place[at] for of_place in self._outcomes]
                yield at, Counts(
                    *(y if batch.weight is None else [each * batch.weight[part] for each in y])
                ), w
        if bad.any():
            k = int(np.argmax(bad))
            raise InputError(
                f"{self.rows.header.source}: {self.rows.own(self.rows.more[k])} is not a finite number in"
                f" {int(bad[k]):,} of"
                f" {self.rows.n_rows:,} rows; fill it in, or count and fit the others. Through rows= a term is a column of"
                " numbers; categories can be counted by, by=[...]"
            )

    def _place_of(self, sums: _Sums) -> _Place:
        """The sums as score and information of the free parameters."""
        x, z, n = self._x, self._z, self._n_base
        score = np.concatenate([_onto(x, sums.u, n) + _onto(z, sums.g, n), sums.score])
        information = np.zeros((len(score),) * 2)
        across = x.weighted_products(sums.ug, z, n)
        information[:n, :n] = (
            x.weighted_products(sums.uu, x, n) + z.weighted_products(sums.gg, z, n) + across + across.T
        )
        for k, (by_u, by_g) in enumerate(sums.w):
            information[:n, n + k] = information[n + k, :n] = _onto(x, by_u, n) + _onto(z, by_g, n)
        information[n:, n:] = sums.ww
        back = np.argsort(self._place)
        chosen = back[self.free]
        return _Place(sums.llf, score[chosen], information[np.ix_(chosen, chosen)], sums.extent)


def _onto(design: Design, values: FloatArray, n: int) -> FloatArray:
    """float[n]: the design's transpose times float[n_cells]."""
    out = np.zeros(n)
    for at, value in zip(design.at.T, design.value.T):
        out += np.bincount(at, value * values, n)
    return out


@dataclass
class _Sums:
    """Sums over rows: by place, in the end by cell, of the derivatives by u, g, uu, ug, gg, and of w times those by uu and
    ug; over all rows of w times that by u, and of w w' times that by uu."""

    u: FloatArray
    g: FloatArray
    uu: FloatArray
    ug: FloatArray
    gg: FloatArray
    w: FloatArray
    score: FloatArray
    ww: FloatArray
    llf: float = 0.0
    extent: float = 0.0

    @classmethod
    def zero(cls, n_cells: int, k: int) -> _Sums:
        u, g, uu, ug, gg = np.zeros((5, 3 * n_cells))
        return cls(u, g, uu, ug, gg, np.zeros((k, 2, 3 * n_cells)), np.zeros(k), np.zeros((k, k)))

    def by_cell(self) -> _Sums:
        """The three outcomes of each cell together."""
        u, g, uu, ug, gg, w = map(_cells, (self.u, self.g, self.uu, self.ug, self.gg, self.w))
        return replace(self, u=u, g=g, uu=uu, ug=ug, gg=gg, w=w)

    def add(self, at: IntArray, w: FloatArray, d: Derivatives) -> None:
        """Add some rows."""
        n = len(self.u)
        self.llf += d.llf
        self.u += np.bincount(at, d.r_u, n)
        self.uu += np.bincount(at, d.w_uu, n)
        # no BLAS: two of its threads on busy processors take ten times as long for products as small as these
        self.score += np.einsum("kn,n->k", w, d.r_u)
        weighted = w * d.w_uu
        self.ww += np.einsum("kn,ln->kl", weighted, w)
        for k, each in enumerate(weighted):
            self.w[k, 0] += np.bincount(at, each, n)
        if d.r_g is None or d.w_ug is None or d.w_gg is None:
            return
        self.g += np.bincount(at, d.r_g, n)
        self.ug += np.bincount(at, d.w_ug, n)
        self.gg += np.bincount(at, d.w_gg, n)
        for k, column in enumerate(w):
            self.w[k, 1] += np.bincount(at, column * d.w_ug, n)


def _cells(values: FloatArray) -> FloatArray:
    """float[..., n_cells] of float[..., 3 n_cells]."""
    return np.asarray(values.reshape(*values.shape[:-1], 3, -1).sum(axis=-2))
