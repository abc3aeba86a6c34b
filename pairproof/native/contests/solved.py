"""Estimates of contests without random effects: by link, with reduced bias, or with general ties.

Where contests are separated the estimate is taken in the limit (Geyer 2009, Electronic Journal of Statistics 3,
259-289): rows whose result is certain are left out, what is finite is estimated from the others, and the directions
along which nothing is left to say are the null space of the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, NotEstimableError
from ...fit.outcomes import outcome_probabilities
from ...fit.rescale import shift_of
from ...fit.spec import Term, layout
from ...fit.warning import FitWarning, listed
from ..bias_reduced.fit import fit_reduced
from ..bias_reduced.ties import TiedContests, TiedEstimate, fit_tied
from ..structured.contests import Contests
from ..structured.estimate import fit_structured
from ..structured.existence import null_space
from ..structured.limiting import limiting_contests, pivots
from ..structured.links import link
from ..ties_general.fit import GeneralTiesEstimate, fit_general_ties
from ..ties_general.model import GeneralTies, TiePoint, general_ties
from .rows import ContestRows

FloatArray = NDArray[np.float64]
RULE = "squared length of the last step in standard errors"


@dataclass(frozen=True, eq=False)
class Solved:
    """Estimates of p parameters of the design and q of the ties.

    theta float[p + q].  covariance float[p + q, p + q]: 0 in rows and columns that have no estimate.
    null_space float[p + q, k].  fitted float[n_rows, 3]: probabilities of the outcomes.  `more`: the q
    parameters of the ties.  expected float[p + q, p + q] or None: covariance by the expected information,
    which R reports, where that is another than the observed one.  penalised: llf + log det(information) / 2
    where the bias is reduced, else nan.
    """

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
        return _reduced_with_ties(rows) if rows.spec.reduction else _general(rows)
    return _reduced(rows) if rows.spec.reduction else _likelihood(rows)


def contests_of(rows: ContestRows) -> Contests:
    """The contests of a model without ties, a row for each row of the table."""
    return Contests(rows.design, rows.table.wins, rows.table.losses)


def binary(p: FloatArray) -> FloatArray:
    """float[n, 3]: outcomes from the probability that the first is preferred."""
    return np.stack([p, np.zeros(len(p)), 1.0 - p], axis=1)


def _likelihood(rows: ContestRows) -> Solved:
    contests, name = contests_of(rows), rows.spec.link
    try:
        limit, found = everything(contests), fit_structured(contests, name)
    except NotEstimableError:
        limit = limit_of(contests)
        found = fit_structured(limit.left, name)
    theta, covariance = limit.embed(found.theta), limit.embed_square(found.covariance)
    fitted = limit.probabilities(link(name).probability(contests.design.predictor(theta)))
    warnings = [*limit.warnings(rows)]
    if found.other_maximum is not None:
        warnings.append(
            FitWarning(
                "local-maxima",
                f"a cauchit likelihood may have several maxima: this one has log-likelihood {found.llf:.6f}, another"
                f" {found.other_maximum:.6f}",
            )
        )
    return Solved(
        theta,
        covariance,
        limit.flat,
        limit.n_infinite,
        found.llf,
        binary(fitted),
        (),
        found.steps,
        found.decrement,
        tuple(warnings),
        expected=None if name == "logit" else limit.embed_square(found.expected_covariance),
    )


@dataclass(frozen=True, eq=False)
class LimitRows:
    """What of contests has a finite estimate.

    contests: all of them.  `left`: those whose result is not certain, with a parameter fixed for each
    direction of `flat`.  kept int[m]: which parameters these have.  certain int[r]: rows whose result is
    certain in the limit.  flat float[p, k]: directions about which the rows left say nothing.  n_infinite:
    how many of them the likelihood grows along.
    """

    contests: Contests
    left: Contests
    kept: NDArray[np.int64]
    certain: NDArray[np.int64]
    flat: FloatArray
    n_infinite: int

    def embed(self, theta: FloatArray) -> FloatArray:
        """float[p + q]: parameters of the rows left among all, 0 for those that were fixed; then q of ties, if any."""
        out = np.zeros(self._size(len(theta)))
        out[self._places(len(theta))] = theta
        return out

    def embed_square(self, covariance: FloatArray) -> FloatArray:
        """float[p + q, p + q]."""
        out = np.zeros((self._size(len(covariance)),) * 2)
        places = self._places(len(covariance))
        out[np.ix_(places, places)] = covariance
        return out

    def _size(self, given: int) -> int:
        return len(self.contests.design.names) + given - len(self.kept)

    def _places(self, given: int) -> NDArray[np.int64]:
        more = np.arange(len(self.contests.design.names), self._size(given))
        return np.concatenate([self.kept, more])

    def probabilities(self, p: FloatArray) -> FloatArray:
        """Probabilities of wins, 0 or 1 where the result is certain."""
        out = p.copy()
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
            text = f"not identified: {what}: in these data their effects cannot be told from one another; leave a term out"
            return (FitWarning("not-identified", text, lost),)
        text = (
            f"separated data: {what}: the likelihood grows without end as they go to infinity. In {len(self.certain)} of"
            f" {self.contests.n_used} rows, the first of them row {self.certain[0] + 1}, the result is certain in the"
            " limit. What is finite is estimated"
            + ("" if rows.spec.random else "; reduce_bias='mean' has finite estimates of all")
        )
        return (FitWarning("separated", text, lost),)


def everything(contests: Contests) -> LimitRows:
    """Contests of which everything has a finite estimate."""
    p = len(contests.design.names)
    none = np.zeros(0, np.int64)
    return LimitRows(contests, contests, np.arange(p), none, np.zeros((p, 0)), 0)


def apart(contests: Contests) -> LimitRows:
    """Contests with a parameter fixed for each direction that they cannot tell: one for each set of items beyond one."""
    used = np.flatnonzero(contests.totals > 0)
    flat = null_space(contests.design.subset(used).gram(np.ones(len(used))))
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
    names, used = contests.design.names, np.flatnonzero(contests.totals > 0)
    everywhere = np.setdiff1d(used, limit.certain)
    flat = null_space(contests.design.subset(everywhere).gram(np.ones(len(everywhere))))
    before = null_space(contests.design.subset(used).gram(np.ones(len(used))))
    size = np.sqrt((flat**2).sum(axis=0)) if flat.shape[1] else np.ones(0)
    kept = np.setdiff1d(np.arange(len(names)), limit.dropped)
    return LimitRows(
        contests,
        limit.contests,
        np.asarray(kept, np.int64),
        limit.certain,
        flat / np.where(size > 0, size, 1.0),
        flat.shape[1] - before.shape[1],
    )


def _reduced(rows: ContestRows) -> Solved:
    contests, spec = contests_of(rows), rows.spec
    parts = apart(contests)
    found = fit_reduced(parts.left, spec.reduction, spec.link)
    theta = parts.embed(found.theta)
    p = link(spec.link).probability(contests.design.predictor(theta))
    return Solved(
        theta,
        parts.embed_square(found.covariance),
        parts.flat,
        0,
        found.llf,
        binary(p),
        (),
        found.steps,
        found.decrement,
        parts.warnings(rows),
        found.penalised,
    )


def _reduced_with_ties(rows: ContestRows) -> Solved:
    spec, table = rows.spec, rows.table
    if spec.reduction == "median":
        raise InputError(
            "reduce_bias='median' has no estimate with ties='davidson'; use 'mean', or ties='half' or 'drop'"
        )
    if spec.tie_shift or spec.tie_scale:
        raise InputError("reduce_bias beside tie_shift or tie_scale is not offered; leave one of them out")
    parts = tied_parts(rows)
    one = np.ones((table.n_rows, 1))
    found = fit_tied(TiedContests(parts.left.design, one, ("tie",), table.wins, table.ties, table.losses))
    theta = parts.embed(found.theta)
    eta = rows.design.predictor(theta[:-1])
    p = outcome_probabilities(eta, np.full(len(eta), theta[-1]), "davidson")
    return _of_ties(rows, parts, theta, p, (Term("tie", "tie"),), found)


def tied_parts(rows: ContestRows) -> LimitRows:
    """The contests of a model with ties, a parameter fixed for each direction that they cannot tell."""
    half = rows.table.ties / 2.0
    return apart(Contests(rows.design, rows.table.wins + half, rows.table.losses + half))


def tied_contests(rows: ContestRows) -> GeneralTies:
    """The contests of a model with ties, its parameters called as in the result."""
    spec, table = rows.spec, rows.table
    made = general_ties(
        rows.design,
        table.wins,
        table.ties,
        table.losses,
        home=rows.home,
        shift=spec.tie_shift,
        scale=spec.tie_scale,
    )
    return replace(
        made,
        most_names=("tie",),
        mode_names=("tie-shift",) * len(made.mode_names),
        scale_names=("tie-scale",) * len(made.scale_names),
    )


def _general(rows: ContestRows) -> Solved:
    contests, parts = tied_contests(rows), tied_parts(rows)
    found = fit_general_ties(replace(contests, design=parts.left.design))
    theta = parts.embed(found.theta)
    p = TiePoint(contests, theta).probabilities
    theta[len(rows.design.names)] += np.log(2.0)  # nu = 2 exp(tie.max), Davidson's tie parameter
    more = [Term("tie", "tie")]
    more += [Term("tie-shift", "tie-of")] if rows.spec.tie_shift else []
    more += [Term("tie-scale", "tie-of")] if rows.spec.tie_scale else []
    return _of_ties(rows, parts, theta, p, tuple(more), found)


def _of_ties(
    rows: ContestRows,
    parts: LimitRows,
    theta: FloatArray,
    fitted: FloatArray,
    more: tuple[Term, ...],
    found: TiedEstimate | GeneralTiesEstimate,
) -> Solved:
    return Solved(
        theta,
        parts.embed_square(found.covariance),
        np.vstack([parts.flat, np.zeros((len(more), parts.flat.shape[1]))]),
        0,
        found.llf,
        fitted,
        more,
        found.steps,
        found.decrement,
        parts.warnings(rows),
        float("nan") if isinstance(found, GeneralTiesEstimate) else found.penalised,
        parts.embed_square(found.expected_covariance)
        if isinstance(found, GeneralTiesEstimate) and (rows.spec.tie_shift or rows.spec.tie_scale)
        else None,
    )
