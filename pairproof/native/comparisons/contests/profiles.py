"""Profile intervals of models of contests: links, offsets, reduced bias, general ties, random effects.

The likelihood is maximised under c'b = v for the values v that the search of :mod:`pairproof.numerics.maxima`
asks for.  With reduced bias it is the likelihood penalised by Jeffreys' prior, l + log det I / 2, where I is
the information of all parameters, also those that are held (Heinze and Schemper 2002, Statistics in Medicine
21, 2409-2419; R's logistf): for the logit this is what reduction of the mean's bias maximises (Firth 1993).
With random effects it is the marginal likelihood, maximised over the other fixed parameters and sigma >= 0;
for sigma over all fixed parameters.  Where no chain of wins leads back the data bound sigma from below only,
and its upper limit is infinite (as among BradleyTerry2's lizards); the lower one is then that of the
approximation of the likelihood, whose greatest value it is taken from.

Where contests are separated the constrained supremum is taken in the limit.  Where the likelihood does not
fall along a direction d (no contest of a certain result loses, all others stay), c'd > 0 lets c'b run to
infinity without loss: a linear programme over the directions of separation.  With c'b held, the contests that
the other directions make certain are left out, as they are from the estimate (Geyer 2009, Electronic Journal
of Statistics 3, 259-289).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....errors import ConvergenceError, InputError, TooLargeError
from ....fit.estimates.array_inference import normal_quantile
from ....fit.estimates.identification import over_which
from ....fit.estimates.specification import LOG_WORTH_PER_UNIT
from ....fit.fit import Fit
from ....numerics.arrays import FloatArray
from ....numerics.maxima import Objective, Profile, complement, constrained_maximum
from ..random_effects.effects_design import acyclic, fixed_part
from ..random_effects.variances import marginal_of, rough_scale
from ..rows.contest_design import Contests, Design
from ..rows.davidson import TiedContests, TiedPoint, TiePoint
from ..rows.links import ContestPoint, Link, link
from ..rows.maximum_likelihood import fit_structured, null_space, separation
from ..rows.reduced_bias import adjustment, covariance_of
from .estimates import LimitRows, apart, contests_of, limit_of, tied_contests, tied_parts
from .mixed import mixed_rows
from .specified import ContestRows, contest_rows

if TYPE_CHECKING:
    import pandas as pd


def likelihood_of(contests: Contests, chosen: Link) -> Objective:
    """The log-likelihood of wins and losses."""

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = ContestPoint(contests, chosen, theta)
        return here.value, here.score, here.observed if chosen.concave else here.expected

    return at


def objective_of(rows: ContestRows, parts: LimitRows | None = None) -> Objective:
    """What the specification maximises.
    parts: where contests are not connected and ties are modelled or the bias is reduced: what the estimate is
    of.  The penalty is then that of the parameters left."""
    spec = rows.spec
    chosen = link(spec.link)
    if spec.reduction == "median" or (spec.reduction == "mean" and spec.link != "logit"):
        raise InputError(
            f"a profile with reduce_bias={spec.reduction!r} and link={spec.link!r}: this estimate is the root of an"
            " adjusted score and maximises nothing; reduce_bias='jeffreys' has a penalised likelihood"
        )
    if rows.has_ties and not spec.reduction:
        return _general_ties(rows)
    if parts is not None and parts.flat.shape[1]:
        # Along `flat` nothing changes: the parameters that were fixed are brought to 0 along it.
        left = parts.left.design
        inner = objective_of(replace(rows, design=left))
        p, k = len(rows.design.names), len(left.names)
        dropped = np.setdiff1d(np.arange(p), parts.kept)
        n_more = int(rows.has_ties)
        free = np.eye(p)
        free[:, dropped] -= parts.flat @ np.linalg.inv(parts.flat[dropped])
        onto = np.zeros((k + n_more, p + n_more))
        onto[:k, :p] = free[parts.kept]
        onto[k:, p:] = np.eye(n_more)
        return _through(inner, onto)
    if rows.has_ties:
        return _tied(rows)
    contests = contests_of(rows).pooled()
    return _penalised(contests, chosen) if spec.reduction else likelihood_of(contests, chosen)


def parts_of(rows: ContestRows) -> LimitRows:
    """What the estimate with reduced bias is of, where contests are not connected."""
    return tied_parts(rows) if rows.has_ties else apart(contests_of(rows))


def flat_of(rows: ContestRows) -> FloatArray:
    """float[p, k]: directions that contests say nothing about, one for each set of items beyond one."""
    flat = parts_of(rows).flat
    return np.concatenate([flat, np.zeros((int(rows.has_ties), flat.shape[1]))])


def _through(inner: Objective, onto: FloatArray) -> Objective:
    """The objective at onto theta."""

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        value, gradient, information = inner(onto @ theta)
        return value, onto.T @ gradient, onto.T @ information @ onto

    return at


def _penalised(contests: Contests, chosen: Link) -> Objective:
    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = ContestPoint(contests, chosen, theta)
        return _with_jeffreys(here, here.expected, lambda v: adjustment(here, v, "jeffreys"))

    return at


def _with_jeffreys(
    here: ContestPoint | TiedPoint, information: FloatArray, slope: Callable[[FloatArray], FloatArray]
) -> tuple[float, FloatArray, FloatArray]:
    """l + log det I / 2 with its gradient, given that of the penalty by the inverse of I; -inf where I is singular."""
    p = len(information)
    sign, log_det = np.linalg.slogdet(information)
    if sign > 0 and np.isfinite(log_det):
        try:
            return here.value + 0.5 * log_det, here.score + slope(covariance_of(information)), information
        except np.linalg.LinAlgError:
            pass
    return -np.inf, np.zeros(p), np.eye(p)


def _tied(rows: ContestRows) -> Objective:
    table = rows.table
    one = np.ones((table.n_rows, 1))
    contests = TiedContests(rows.design, one, ("tie",), table.wins, table.ties, table.losses)

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = TiedPoint(contests, theta)
        return _with_jeffreys(here, here.information, here.jeffreys)

    return at


def _general_ties(rows: ContestRows) -> Objective:
    contests = tied_contests(rows)
    shift = np.zeros(len(contests.names))
    shift[len(rows.design.names)] = np.log(2.0)  # nu = 2 exp(tie.max), Davidson's tie parameter

    def at(theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        here = TiePoint(contests, theta - shift)
        return here.value, here.score, here.information

    return at


#: Entries of the rows of a constrained design where contests are separated.
MOST_ENTRIES = 50_000_000


def runs_off(limit: LimitRows, c: FloatArray) -> tuple[bool, bool]:
    """Whether a function can go to inf, and to -inf, without loss of likelihood.  c float[p]."""
    from scipy.optimize import linprog

    contests, flat = limit.contests, limit.flat
    rows = limit.certain
    sign = np.where(contests.wins[rows] > 0, 1.0, -1.0)
    demands = sign[:, None] * (contests.design.subset(rows).rows(np.arange(len(rows))) @ flat)
    along = c @ flat
    out = []
    for side in (1.0, -1.0):
        if not len(rows):
            out.append(bool(np.abs(along).max(initial=0.0) > 1e-9))
            continue
        found = linprog(
            -side * along, A_ub=-demands, b_ub=np.zeros(len(rows)), bounds=[(-1.0, 1.0)] * flat.shape[1]
        )
        out.append(bool(found.status == 0 and -found.fun > 1e-9))
    return out[0], out[1]


def constrained_limit(contests: Contests, c: FloatArray, basis: FloatArray) -> tuple[FloatArray, Contests]:
    """The free directions along which constrained contests say something, and the contests that stay
    uncertain.
    c float[p].  basis float[p, k]: orthogonal to c."""
    pooled = contests.pooled()
    n = pooled.design.n_rows
    if n * max(basis.shape[1], 1) > MOST_ENTRIES:
        raise TooLargeError(
            f"a profile of separated contests takes a design of {n:,} rows and {basis.shape[1]:,} columns (limit"
            f" {MOST_ENTRIES:,} entries); reduce_bias='mean' has finite estimates"
        )
    dense = pooled.design.projected(basis, slice(None))
    nobody = np.full(n, -1)
    held = Contests(
        Design(nobody, nobody, dense, pooled.design.offset, tuple(f"d{k}" for k in range(basis.shape[1]))),
        pooled.wins,
        pooled.losses,
    )
    found = separation(held)
    certain = np.zeros(0, np.int64) if found is None else found.rows
    left = np.setdiff1d(np.arange(n), certain)
    flat = null_space(held.design.subset(left).gram(np.ones(len(left))))
    free = basis @ complement(flat) if flat.shape[1] else basis
    return free, Contests(pooled.design.subset(left), pooled.wins[left], pooled.losses[left])


#: Beyond this sigma is taken as unbounded.
FARTHEST_SIGMA = 1e4
#: So many standard errors from the estimate a limit is taken as infinite where sigma is bounded below only.
FARTHEST_ACYCLIC = 100.0
#: Values of sigma of which the best is where a search starts without a better one.
STARTS = (0.3, 1.0, 3.0)


class MixedProfiles:
    """Profiles of a model with random effects."""

    def __init__(self, fit: Fit, rows: ContestRows) -> None:
        spec = rows.spec
        self.unit = LOG_WORTH_PER_UNIT[fit.scale]
        fit = fit if spec.link != "logit" else fit.on_scale("log-odds")
        if len(fit.components) > 1:
            raise InputError(
                f"random={', '.join(spec.random)}: profiles are offered with one component; fit.conf_int() has Wald's"
            )
        mixed = mixed_rows(rows)
        self.limit, self.contests = mixed.limit, mixed.contests
        self.size = len(rows.table.items) if mixed.effects[0].judges else None
        self.link, self.method, self.fit = link(spec.link), spec.method, fit
        k = self.contests.design.n_own
        self.beta = fit.predicted_effects.theta[k:]
        self.sigma, self.supremum = fit.sigma, fit.llf

    def runs_off(self, c: FloatArray) -> tuple[bool, bool]:
        """Whether c'b can go to inf, and to -inf, without loss of likelihood."""
        return runs_off(self.limit, c)

    def limits(self, c: FloatArray, estimate: float, se: float, quantile: float) -> tuple[float, float]:
        """Low and high; nan for what is separated, whose other side would be of another marginal likelihood."""
        if np.abs(c).max(initial=0.0) < 1e-12 or not np.isfinite(estimate):
            return float("nan"), float("nan")
        kept = c[self.limit.kept]
        unit, basis = kept / (kept @ kept), complement(kept[:, None])
        start = np.append(basis.T @ (self.beta - unit * (kept @ self.beta)), np.log(max(self.sigma, 1e-2)))

        def maximum(v: float, near: FloatArray | None) -> tuple[FloatArray, float]:
            return self._greatest(_held(self.contests, unit * v, basis), start if near is None else near)

        # Without a cycle of wins the parameters are in units of a sigma that has no upper bound.
        far = FARTHEST_ACYCLIC * se if acyclic(self.contests) else np.inf
        found = [Profile(maximum, self.supremum, estimate, se, far).side(quantile, s) for s in (-1.0, 1.0)]
        return found[0], found[1]

    def _greatest(self, contests: Contests, start: FloatArray) -> tuple[FloatArray, float]:
        """The greatest marginal likelihood of contests, over sigma too."""
        from scipy.optimize import minimize

        at = marginal_of(contests, self.link, self.method, self.size)
        least = -np.inf
        try:
            without = fit_structured(fixed_part(contests), self.link.name)
            least = without.llf
        except ConvergenceError:  # so far from the data that sigma = 0 gives them no likelihood in doubles
            without = None
        if self.sigma == 0.0 and without is not None:
            values = [at(without.theta, s).value for s in STARTS]
            start = np.append(without.theta, np.log(STARTS[int(np.argmax(values))]))
        scale = rough_scale(contests, self.link, start[:-1], float(np.exp(start[-1])))

        def function(t: FloatArray) -> tuple[float, FloatArray]:
            x = start + scale @ t
            if not -12.0 < x[-1] < 12.0:
                return np.inf, np.zeros(len(x))
            try:
                here = at(x[:-1], float(np.exp(x[-1])))
            except ConvergenceError:  # too long a step of the line search
                return np.inf, np.zeros(len(x))
            return -here.value, -(scale.T @ here.gradient)

        with np.errstate(all="ignore"):
            found = minimize(function, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": 1e-7})
        return start + scale @ found.x, max(float(-found.fun), least)

    def of_sigma(self, quantile: float, z: float) -> tuple[float, float, float, float, float]:
        """Estimate, Wald's limits on the scale of log sigma, profile limits, on the scale of the fit."""
        from scipy.optimize import minimize

        component = self.fit.component()
        beta, sigma = self.beta, self.sigma

        def maximum(v: float, near: FloatArray | None) -> tuple[FloatArray, float]:
            if v <= 0.0:
                without = fit_structured(fixed_part(self.contests), self.link.name)
                return without.theta, without.llf
            start = beta if near is None else near
            at = marginal_of(self.contests, self.link, self.method, self.size)
            if not len(start):
                return start, at(start, v).value
            scale = rough_scale(self.contests, self.link, start, v)[:-1, :-1]

            def function(t: FloatArray) -> tuple[float, FloatArray]:
                here = at(start + scale @ t, v)
                return -here.value, -(scale.T @ here.gradient[:-1])

            found = minimize(function, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": 1e-7})
            return start + scale @ found.x, float(-found.fun)

        step = component.se if np.isfinite(component.se) and component.se > 0 else max(0.5 * sigma, 0.2)
        one = Profile(maximum, self.supremum, sigma, min(step, max(0.5 * sigma, 0.2)))
        low = 0.0 if sigma == 0.0 else one.side(quantile, -1.0, 0.0)
        high = np.inf if acyclic(self.contests) else one.side(quantile, 1.0, FARTHEST_SIGMA)
        half = z * component.se / sigma if sigma > 0 else np.nan
        wald = (sigma * np.exp(-half), sigma * np.exp(half)) if sigma > 0 else (np.nan, np.nan)
        high = np.inf if high >= FARTHEST_SIGMA else high
        unit = self.unit
        return sigma / unit, float(wald[0]) / unit, float(wald[1]) / unit, low / unit, high / unit


def _held(contests: Contests, fixed: FloatArray, basis: FloatArray) -> Contests:
    """Contests whose fixed parameters are `fixed` + `basis` phi."""
    design = contests.design
    names = design.names[: design.n_own] + tuple(f"d{k}" for k in range(basis.shape[1]))
    held = Design(
        design.first, design.second, design.dense @ basis, design.offset + design.dense @ fixed, names
    )
    return Contests(held, contests.wins, contests.losses)


#: A logit of the mode of the ties, or a log of their scale, so far from its estimate is at its end.
FARTHEST_TIE = 8.0
#: The row of the standard deviation of random effects.
SIGMA = "sigma"


def profile_contests(
    fit: Fit, labels: Sequence[str], functions: FloatArray, level: float, with_sigma: bool
) -> pd.DataFrame:
    """Profile intervals beside Wald's of functions of a fit's parameters, and of sigma.
    functions float[m, n_params]: on the fit's scale and against its reference.  Returns DataFrame: as
    :func:`pairproof.profile`."""
    import pandas as pd
    from scipy.special import chdtri

    quantile = float(chdtri(1, 1.0 - level))
    z = normal_quantile(0.5 + level / 2)
    rows = contest_rows(fit.data, fit.of_contests)
    profiles: FixedProfiles | MixedProfiles = (
        MixedProfiles(fit, rows) if fit.random_effects is not None else FixedProfiles(fit, rows)
    )
    found = []
    for label, function in zip(labels, functions):
        c = in_design(fit, rows, function)
        estimate, se = _estimate(fit, profiles, function, c)
        try:
            low, high = profiles.limits(c, estimate, se, quantile)
        except ConvergenceError as error:
            raise ConvergenceError(
                f"profile of {label}: {error}. With {label} held so far from its estimate no maximum was reached; ask for"
                " other names, or leave out a scale or shift of the ties"
            ) from error
        centre = estimate if np.isfinite(estimate) else np.nan
        found.append((estimate, centre - z * se, centre + z * se, low, high))
    if with_sigma:
        assert isinstance(profiles, MixedProfiles)
        found.append(profiles.of_sigma(quantile, z))
    columns = ("estimate", "wald_low", "wald_high", "profile_low", "profile_high")
    names = [*labels, SIGMA] if with_sigma else list(labels)
    return pd.DataFrame(np.array(found).reshape(-1, 5), index=names, columns=list(columns))


def _estimate(
    fit: Fit, profiles: FixedProfiles | MixedProfiles, function: FloatArray, c: FloatArray
) -> tuple[float, float]:
    """The estimate, inf or -inf or nan where it has none, and its standard error or nan."""
    if not fit.is_estimable(function[None, :]):
        up, down = profiles.runs_off(c)
        return (np.nan if up == down else np.inf if up else -np.inf), np.nan
    variance = float(fit.covariance.between(function[None, :])[0, 0])
    return float(function @ fit.beta), float(np.sqrt(max(variance, 0.0)))


def in_design(fit: Fit, rows: ContestRows, function: FloatArray) -> FloatArray:
    """A function of a fit's parameters as one of the design's parameters and those of the ties.
    function float[n_params].  Returns float[p + q]."""
    unit = 1.0 / LOG_WORTH_PER_UNIT[fit.scale]
    weights = function * np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])
    items = np.array([t.kind == "item" for t in fit.terms])
    if items.any():
        total = float(weights[items].sum())
        held = items & fit.is_reference
        # Abilities against another item, or about their mean, are differences of the design's.
        mean = np.zeros(len(weights))
        mean[fit.layout.places[0]] = (over := over_which(fit)[0]) / over.sum()
        weights = weights - total * (held if held.any() else mean)
    n = len(rows.terms)
    return np.concatenate([weights[rows.places], weights[n:]])


class FixedProfiles:
    """Profiles of the parameters of a model without random effects."""

    def __init__(self, fit: Fit, rows: ContestRows) -> None:
        self.rows, self.spec = rows, rows.spec
        # What the contests do not tell, where ties are modelled or the bias is reduced; else `limit` has it.
        parts = (
            tied_parts(rows) if rows.has_ties else apart(contests_of(rows)) if self.spec.reduction else None
        )
        places = rows.places
        self.flat = np.zeros((len(places) + len(fit.terms) - len(rows.terms), 0))
        if parts is not None:
            self.flat = np.vstack(
                [parts.flat, np.zeros((len(self.flat) - len(parts.flat), parts.flat.shape[1]))]
            )
        self.objective = objective_of(rows, parts)
        self.supremum = fit.penalised if self.spec.reduction else fit.llf
        more = np.arange(len(rows.terms), len(fit.terms))
        self.top = _in_units(fit, rows)[np.concatenate([places, more])]
        self.limit: LimitRows | None = None
        if not rows.has_ties and not self.spec.reduction:
            limit = limit_of(contests_of(rows))
            self.limit = limit if limit.flat.shape[1] else None

    def runs_off(self, c: FloatArray) -> tuple[bool, bool]:
        """Whether c'b can go to inf, and to -inf, without loss of likelihood."""
        if self.limit is None:  # flat, whatever the penalty: sets of items that were never compared
            return True, True
        return runs_off(self.limit, c)

    def limits(self, c: FloatArray, estimate: float, se: float, quantile: float) -> tuple[float, float]:
        """Low and high."""
        if np.abs(c).max(initial=0.0) < 1e-12:
            return float("nan"), float("nan")
        if np.isnan(estimate):
            return -np.inf, np.inf
        unit = c / (c @ c)
        objective, basis = self._within(c)
        start = basis.T @ (self.top - unit * (c @ self.top))

        def maximum(v: float, near: FloatArray | None) -> tuple[FloatArray, float]:
            return constrained_maximum(objective, unit * v, basis, start if near is None else near)

        step = se if np.isfinite(se) and se > 0 else 1.0
        far = FARTHEST_TIE if np.any(c[len(self.rows.places) + 1 :]) else np.inf
        concave = not (self.spec.tie_shift or self.spec.tie_scale)
        found = [
            Profile(maximum, self.supremum, estimate, step, far, concave).side(quantile, side)
            for side in (-1.0, 1.0)
        ]
        return found[0], found[1]

    def _within(self, c: FloatArray) -> tuple[Objective, FloatArray]:
        """The likelihood whose constrained maxima are finite, and the directions that are free."""
        basis = complement(np.column_stack([c / np.linalg.norm(c), self.flat]))
        if self.limit is None:
            return self.objective, basis
        contests, left = constrained_limit(contests_of(self.rows), c, basis)
        return likelihood_of(left.pooled(), link(self.spec.link)), contests


def _in_units(fit: Fit, rows: ContestRows) -> FloatArray:
    """float[n_params]: the estimates in log-odds, against the design's reference item."""
    units = np.array(
        [LOG_WORTH_PER_UNIT[fit.scale] if t.kind in ("item", "covariate") else 1.0 for t in fit.terms]
    )
    beta: FloatArray = fit.beta * units
    items = np.array([t.kind == "item" for t in fit.terms])
    if items.any():
        held = np.setdiff1d(np.flatnonzero(items), rows.places)
        beta[items] -= float(beta[held[0]]) if len(held) else 0.0
    return beta


def check_profile(fit: Fit) -> None:
    """Refuse an estimate without a likelihood."""
    if fit.of_contests.method == "pql":
        raise InputError(
            "penalised quasi-likelihood has no likelihood to profile; fit with method='laplace', or take fit.conf_int()"
        )
