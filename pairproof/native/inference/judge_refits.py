"""Random effects of judges fitted to other samples of judges.

A judge that is drawn twice is two judges with effects of their own, so that a replicate weighs the marginal
likelihoods of judges, not their comparisons.  Where a replicate separates, contests whose result is certain whatever
the effects are leave the likelihood, as in a fit of any table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.columns import Factor, beside
from ...data.comparisons import Comparisons
from ...errors import ConvergenceError, InputError, NotEstimableError
from ...fit.fit import Fit
from ...fit.results.contests import JUDGES, unit_groups
from ...fit.robust.clustered_fit import Missing
from ...numerics.arrays import FloatArray
from ...numerics.constrained import Infeasible, maximum_under
from ...numerics.infinity import AtInfinity
from ..comparisons.contests.estimates import outward
from ..comparisons.contests.mixed import mixed_rows
from ..comparisons.contests.specified import contest_rows
from ..comparisons.counts.existence import demanded
from ..comparisons.random_effects.effects_likelihood import SetsAt, SetsLikelihood
from .draws import AnyDraws, ByCluster, Weights, check_several
from .quantities import Refit
from .refits import AWAY, counted, same_model


def random_judges(fit: Fit) -> Fit:
    """Refuse random effects whose replicates would not say how these vary."""
    spec = fit.of_contests
    if spec.random != JUDGES:
        raise InputError(
            f"the bootstrap of {fit.title}: rows or clusters that are drawn again share the random effects of the items, and"
            " say nothing of how these vary; fit.profile() and fit.conf_int() are of the marginal likelihood"
        )
    if spec.method == "pql":
        raise InputError(
            f"the bootstrap of {fit.title}: penalised quasi-likelihood has no likelihood of each judge that could be weighted;"
            " fit with method='laplace'"
        )
    return fit


class JudgeRefitter:
    """Fits of one model with random effects of judges to other numbers of judges of each kind."""

    def __init__(self, fit: Fit) -> None:
        self.fit, self.at = fit, fit.likelihood
        whole, units = self.at.likelihood, self.at.unit_of_row
        assert isinstance(whole, SetsLikelihood) and units is not None
        # Replicates differ by far more than the digits that a tenth of the points loses.
        self.model, self.units, self.full = whole.sketch, units, whole.weights[:, None]
        self.rows = contest_rows(fit.data, fit.of_contests)
        judge = fit.data.columns["judge"]
        assert isinstance(judge, Factor)  # random effects of judges are by their names
        self.judge = judge
        self._far = self._extent(self.at.theta) + AWAY

    def draws(self, columns: Sequence[str], missing: Missing) -> ByCluster:
        """Whole judges drawn with replacement, or clusters of judges."""
        if len(columns) != 1:
            raise InputError(
                f"bootstrap by {' and '.join(columns) or 'no column'} of random effects of judges: comparisons of a judge share"
                ' effects, so that whole judges are drawn; name one column, as in bootstrap("judge")'
            )
        groups, labels = unit_groups(self.fit, self.at, self.fit.data.role_of(columns[0]), missing)
        check_several(columns[0], labels)
        column = self.fit.data.columns[self.fit.data.role_of(columns[0])]
        names = [column.levels[k] for k in column.codes] if isinstance(column, Factor) else column
        place = {label: k for k, label in enumerate(labels)}
        code = np.array([place.get(n if isinstance(n, str) else f"{n:.15g}", -1) for n in names], np.int64)
        return ByCluster(columns[0], np.where(self.units >= 0, code, -1), groups, 1)

    def refit(self, counts: FloatArray) -> Refit | None:
        """The fit to counts float[n, 1] of the kinds of judges; None if there is none."""
        w = counts[:, 0]
        if not w.any():
            return None
        found = self._maximum(self.model.weighted(w), self.at.theta)
        if found is not None and self._extent(found.theta) < self._far:
            return Refit(self.at.outward @ found.theta, self.at.infinite, False)
        return self._in_the_limit(w)

    def _extent(self, theta: FloatArray) -> float:
        return float(np.abs(self.model.sets.contests.design.dense @ theta[:-1]).max(initial=0.0))

    @staticmethod
    def _maximum(likelihood: SetsLikelihood, start: FloatArray) -> SetsAt | None:
        p = len(start)
        try:
            return maximum_under(likelihood, np.zeros((0, p)), np.zeros(0), start).point
        except (ConvergenceError, Infeasible, np.linalg.LinAlgError):
            return None

    def _in_the_limit(self, w: FloatArray) -> Refit | None:
        """A replicate that separates, or lacks an item: what stays possible, of one judge of each kind."""
        judges, first = np.unique(self.units, return_index=True)
        chosen = self.judge.codes[first[judges >= 0]]
        here = np.isin(self.judge.codes, chosen[w > 0.0]) & (self.units >= 0)
        table = self.rows.table
        counts = np.stack([table.wins, table.ties, table.losses], axis=1) * here[:, None]
        rows = replace(self.rows, table=counted(table, counts))
        try:
            mixed = mixed_rows(rows)
        except (ConvergenceError, NotEstimableError):
            return None
        if not mixed.limit.flat.shape[1]:
            return None
        sets = replace(self.model.sets, contests=mixed.contests)
        place = mixed.effects[0].first // sets.size  # the set of each row
        kind, unit = sets.kind[place[here]], self.units[here]
        kind, unit = np.unique(np.column_stack([kind, unit])[kind >= 0], axis=0).T
        theta = np.append(np.zeros(len(mixed.limit.kept)), max(float(self.at.theta[-1]), 0.1))
        found = self._maximum(
            SetsLikelihood(sets, np.bincount(kind, w[unit], len(sets.times)).astype(float)), theta
        )
        if found is None:
            return None
        every = outward(self.fit, self.rows, len(self.rows.design.names))
        beta = every @ mixed.limit.embed(found.theta[:-1])
        u = rows.design.projected(mixed.limit.flat, slice(None))
        cone = demanded(u, np.zeros_like(u), counts, "binary")
        return Refit(beta, AtInfinity(every @ mixed.limit.flat, cone), bool(mixed.limit.n_infinite))

    def fit_again(self, draws: AnyDraws, counts: FloatArray, weights: Weights | None) -> Fit | None:
        """A whole fit of the replicate, for a user's function; None if there is none."""
        data = self.fit.data
        if weights is None:
            return self.fit
        times = draws.row_factors(weights, np.ones((data.n_rows, 1)))[:, 0]
        return same_model(self.fit, repeated(data, self.judge, times))


def repeated(table: Comparisons, judge: Factor, times: FloatArray) -> Comparisons:
    """The table with each row so often, int float[n_rows], and every copy of a judge a judge of its own."""
    rows = np.repeat(np.arange(table.n_rows), times.astype(int))
    copy = np.arange(len(rows)) - np.searchsorted(rows, rows)
    codes = judge.codes[rows] + len(judge.levels) * copy
    levels = tuple(
        f"{level} ({m + 1})" if m else level
        for m in range(int(copy.max(initial=0)) + 1)
        for level in judge.levels
    )
    found = table.select(rows)
    return replace(found, columns=beside(found.columns, {"judge": Factor(codes, levels)}))
