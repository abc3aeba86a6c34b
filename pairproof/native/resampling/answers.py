"""A model of whole answers fitted to other numbers of persons with the same answers, thousands of times.

A replicate holds each distinct answer so many times.  Newton's method starts from the estimate of the whole table.
Where a replicate separates, or lacks an item, what tends to infinity is found as it is for comparisons (module
:mod:`pairproof.native.hypotheses.at_infinity`): along the directions v with d'v >= 0 for the demands d of its answers
the likelihood never falls, and the parameters that no such direction moves are taken far out on one, where nothing is
left to gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.respondents import Respondents
from ...errors import ConvergenceError, InputError, NotEstimableError, TooLargeError
from ...fit.answers.classes import ClassFit
from ...fit.answers.clusters import groups_of
from ...fit.answers.fit import AnswerFit
from ...fit.fit import Fit
from ...fit.record import NULL_TOLERANCE
from ...fit.robust.robust import Missing
from ..hypotheses.at_infinity import AtInfinity, held_at_minus_infinity, joined
from ..numerics.information import cholesky_of
from ..numerics.newton import Solution, maximise
from ..patterns.estimate import Weighted
from ..patterns.existence import demands_of, recession_of
from ..patterns.likelihood import Likelihood
from ..patterns.models.assemble import finished
from ..patterns.models.latent_classes import fitted
from .draws import AnyDraws, ByCluster, ByComparison, Weights

FloatArray = NDArray[np.float64]
#: Natural parameters so far beyond those of the table, or beyond the second, are looked into; they are
#: taken to the third before they are called infinite.
AWAY, FAR, FARTHEST = 6.0, 12.0, 36.0


@dataclass(frozen=True, eq=False)
class AnswerRefit:
    """The estimates of one replicate; attributes as in :class:`pairproof.native.resampling.refit.Refit`.

    phi float[p]: free parameters.  covariance float[p, p]: of phi; 0 along what has no estimate.
    """

    beta: FloatArray
    infinite: AtInfinity | None
    separated: bool
    phi: FloatArray
    covariance: FloatArray


class AnswerRefitter:
    """Fits of one model of whole answers to other numbers of persons."""

    def __init__(self, fit: AnswerFit) -> None:
        refuse(fit)
        model = fit.numbers.law.model
        assert isinstance(model, Likelihood)
        self.fit, self.law, self.model = fit, fit.numbers.law, model
        self.full: FloatArray = fit.numbers.observed[:, None]
        extent = getattr(self.law.point, "extent", FAR)
        self._far = min(FAR, extent + AWAY)
        lost = np.flatnonzero(np.abs(fit.null_space).max(axis=1, initial=0.0) > NULL_TOLERANCE)
        self._held: AtInfinity | None = None
        for place in lost:
            one = held_at_minus_infinity(len(fit.terms), int(place))
            self._held = one if self._held is None else joined(self._held, one)

    def draws(self, columns: Sequence[str], missing: Missing) -> ByCluster | ByComparison:
        """How replicates are drawn: by a column, or person by person."""
        if len(columns) > 1:
            raise InputError(
                f"bootstrap by {', '.join(columns)}; whole answers are drawn by one column, or by person"
            )
        table = self.fit.respondents
        names = tuple(map(table.role_of, columns))
        groups, times, labels = groups_of(table, self.fit.numbers, names, missing)
        if not names:
            nothing = np.zeros(0, np.int64)
            return ByComparison(nothing, nothing, times, groups, 1, "persons")
        if len(labels) < 2:
            raise InputError(
                f"{columns[0]}: all persons are of one cluster ({labels[0]}); there is nothing to tell clusters apart by"
            )
        return ByCluster(columns[0], np.zeros(0, np.int64), groups, 1)

    def refit(self, counts: FloatArray) -> AnswerRefit | None:
        """The fit to counts float[n, 1] of the distinct answers; None if there is none."""
        w = counts[:, 0]
        if not w.any():
            return None
        try:
            found = self._maximum(w, self.law.phi, self._far)
            return self._regular(w, found) or self._far_out(w, found.x)
        except (np.linalg.LinAlgError, ConvergenceError, TooLargeError):
            return None

    def _maximum(self, w: FloatArray, start: FloatArray, far: float) -> Solution[Weighted]:
        return maximise(lambda phi: Weighted(self.model.at(phi), w, concave=False), start, far)

    def _regular(self, w: FloatArray, found: Solution[Weighted]) -> AnswerRefit | None:
        """A maximum at which the information is positive definite."""
        if not found.reached:
            return None
        try:
            half = np.linalg.inv(cholesky_of(found.point.point.information(w)))
        except np.linalg.LinAlgError:
            return None
        return self._read(found.x, half.T @ half, None)

    def _far_out(self, w: FloatArray, start: FloatArray) -> AnswerRefit | None:
        """A replicate that separates, or in which something is not determined, or whose maximum is far away."""
        demands = demands_of(self.model, w)
        direction = recession_of(demands) if len(demands) else None
        found = self._maximum(w, start, FARTHEST)
        if direction is None:
            regular = self._regular(w, found)
            if regular is not None or not found.reached:
                return regular
            direction = np.zeros(len(start))
        strict = demands @ direction > 1e-9 * max(float(np.abs(direction).max(initial=0.0)), 1e-300)
        _, size, axes = np.linalg.svd(demands[~strict], full_matrices=True)
        rank = int((size > 1e-9 * max(float(size.max(initial=0.0)), 1e-300)).sum())
        keep, null = axes[:rank].T, axes[rank:].T
        if not null.shape[1]:
            return None
        rows = demands[strict] @ null
        unit = rows / np.abs(rows).max(axis=1, initial=1e-300)[:, None]
        inner = keep.T @ found.point.point.information(w) @ keep
        covariance = keep @ np.linalg.pinv(inner, rcond=1e-9, hermitian=True) @ keep.T
        return self._read(found.x, covariance, AtInfinity(self.law.outward @ null, unit))

    def _read(self, phi: FloatArray, covariance: FloatArray, infinite: AtInfinity | None) -> AnswerRefit:
        both = (
            self._held
            if infinite is None
            else infinite
            if self._held is None
            else joined(infinite, self._held)
        )
        separated = infinite is not None and bool(len(infinite.rows))
        return AnswerRefit(self.law.outward @ phi, both, separated, phi, covariance)

    def influence(self, refit: AnswerRefit, functions: FloatArray) -> FloatArray:
        """float[n, m]: what a person with each answer moves m functions of the parameters by."""
        scores = self.model.at(refit.phi).scores
        return np.asarray(scores @ refit.covariance @ (functions @ self.law.outward).T)

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        if weights is None:
            return self._as_it_was()
        fit, row = self.fit, self.fit.numbers.row
        times = np.append(counts[:, 0] / self.full[:, 0], 0.0)[row]
        return self._fit_of(replace(fit.respondents, weights=fit.respondents.weights * times))

    def _as_it_was(self) -> Fit:
        """The fit itself, if its specification says all of it: else its replicates would be of another model."""
        again = self._fit_of(self.fit.respondents)
        same = (
            again is not None
            and again.names == self.fit.names
            and np.allclose(again.beta, self.fit.beta, atol=1e-6)
        )
        if not same:
            raise InputError(
                f"{self.fit.title}: a function of a fit needs whole fits of every replicate, and this one cannot be made again"
                " from its specification; ask for params, contrasts, worth, probabilities or ranks"
            )
        return self.fit

    def _fit_of(self, table: Respondents) -> Fit | None:
        spec = self.fit.of_answers
        against = replace(spec, reference=table.items[-1]) if spec.reference == "sum" else spec
        try:
            found = finished(fitted(table, against))
        except NotEstimableError:
            return None
        found = found.with_reference("sum") if spec.reference == "sum" else found
        return found if found.scale == self.fit.scale else found.on_scale(self.fit.scale)


def refuse(fit: AnswerFit) -> None:
    """Refuse a fit of which replicates would not say what its estimates vary by."""
    if isinstance(fit, ClassFit):
        raise InputError(
            f"the bootstrap of {fit.title}: replicates have several maxima, and their classes no order by which they are those"
            " of the fit; fit.clustered() has standard errors that hold if the model is wrong, fit.test_classes() a"
            " parametric bootstrap of the number of classes"
        )
    if fit.quasi_likelihood:
        raise InputError(
            f"the bootstrap of {fit.title}: replicates would have the pseudo-rankings or the prior of the whole table; fit"
            " without them, or see fit.clustered()"
        )
