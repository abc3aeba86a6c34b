"""R's numbers of a recorded BTm beside those of a fit, by R's definitions and for R's coefficients.

With m_i contests in row i, a share y_i won by the player named first and the fit's probability p_i (in glm,
family "binomial"; McCullagh and Nelder 1989, section 4.4)::

    deviance   2 sum m (y log(y/p) + (1-y) log((1-y)/(1-p)))
    AIC        -2 sum log dbinom(round(m y), round(m), p) + 2 rank: half wins are rounded to even
    se         of the expected information X'WX, W = m f(eta)^2 / (p (1-p)), f the density of the link

brglm's deviances are of pseudo-counts: with h_i the leverages, (m y + h/2) wins of m + h contests; the
penalised deviance is the deviance less log det X'WX (Firth 1993, Biometrika 80, 27-38).

Which parameters R's coefficients are is told by the columns of the two designs, not by names.  With X_P the
columns of the fit's parameters and X_R those of R's model matrix, both in favour of the player named first,
R's coefficients b_R are the fit's b_P = M b_R where X_P M = X_R.  M is a permutation unless R's contrasts are
others than "one player is 0"::

    contr.sum: columns D_i - D_n, so that b_i is the deviation of player i from the mean
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from ....bridge.capture.recorded import RecordedCall
from ....bridge.programs.counted_cells import count, rows_as_they_stand
from ....fit.estimates.fit_record import WITHOUT_ESTIMATE
from ....fit.estimates.specification import ContestSpec
from ....fit.fit import Fit
from ....native.comparisons.contests.residuals import contest_residuals
from ....validation.claims.quantities import Quantity
from ....validation.r_answers.ask import column_of
from ....validation.r_answers.contests import BRGLM, BTM_DEFAULT, PQL_DEFAULT, TOWARDS_INFINITY
from ....validation.r_answers.translate import RParameters
from ....validation.verdicts.agreement import Agreement
from ....validation.verdicts.digits import floor
from ...recognise.design_terms import map_of
from ..recorded_answers import Bools, Floats, StaysInR
from ..rows import SAME, Beside, Rows, count_rows, differ, explained, llf_and_aic, of_fit, said_of
from .recorded_btm import Contests, bias_reduced


def fitted(fit: Fit, contests: Contests) -> Floats:
    """The probability that the player named first wins, of each row; 1/2 in rows without a contest."""
    found = contest_residuals(fit, "response")["fitted"].to_numpy(float)
    return np.where(contests.wins + contests.losses > 0, found, 0.5)


def deviance(contests: Contests, p: Floats) -> float:
    """glm's deviance of the rows."""
    won, lost = contests.wins, contests.losses
    m = np.where(won + lost > 0, won + lost, 1.0)
    terms = xlogy(won, won / m) + xlogy(lost, lost / m) - xlogy(won, p) - xlog1py(lost, -p)
    return float(2.0 * terms.sum())


def glm_aic(contests: Contests, p: Floats, rank: int, pql: bool = False) -> float:
    """glm's AIC: counts rounded, binomial coefficients of the rows.

    pql: glmmPQL's where sigma is 0: each of n rows as of n contests, with the weight of the first.
    """
    m = contests.wins + contests.losses
    of = np.full(len(m), float(len(m))) if pql else m
    weight = m[0] / of if pql else np.ones(len(m))
    n, k = np.round(of), np.round(of * (contests.wins / np.where(m > 0, m, 1.0)))
    terms = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlog1py(n - k, -p)
    return float(-2.0 * (weight * terms).sum()) + 2.0 * rank


def brglm_null_deviance(contests: Contests, x: Floats, p: Floats) -> float:
    """Deviance of even contests from brglm's pseudo-counts at the estimates; x float[n, p] of full rank."""
    m, wins = contests.wins + contests.losses, contests.wins
    w = m * p * (1.0 - p)
    spread = np.linalg.inv(x.T @ (w[:, None] * x))
    h = w * np.einsum("ij,jk,ik->i", x, spread, x)
    n = m + h
    y = (wins + h / 2.0) / np.where(n > 0, n, 1.0)
    return float(2.0 * np.sum(n * (xlogy(y, 2.0 * y) + xlogy(1.0 - y, 2.0 * (1.0 - y)))))


def penalised_deviance(contests: Contests, x: Floats, p: Floats) -> float:
    """The deviance less log det of the information; x float[n, p] of full rank, p float[n]."""
    w = (contests.wins + contests.losses) * p * (1.0 - p)
    return deviance(contests, p) - float(np.linalg.slogdet(x.T @ (w[:, None] * x))[1])


#: Of the largest entry of a column: both designs are differences of the same covariates, in double precision.
SAME_COLUMN = 1e-9


@dataclass(frozen=True, eq=False)
class Relation:
    """R's coefficients in terms of a fit's.

    names: of the fit's parameters; the reference is not among them.  `by` float[len(names), n_r]: b_P = by @
    b_R, over all columns of R's model matrix.  direct: whether each of R's coefficients is one of the fit's
    parameters.  reference: the item that is 0 in `names`; "" where none is.
    """

    names: tuple[str, ...]
    by: Floats
    direct: bool
    reference: str


def design_of(fit: Fit) -> tuple[tuple[str, ...], Floats, str]:
    """Names and columns float[n_rows, p] of the free parameters, in favour of the first; the reference."""
    cells, reference = rows_as_they_stand(fit), ""
    if any(t.kind == "item" for t in fit.terms):
        reference = fit.spec.reference if fit.spec.reference in fit.items else fit.items[0]
    terms = [t for t in fit.terms if t.kind not in ("tie", "tie-of") and t.name != reference]
    columns = [np.zeros((len(cells), 0)), *(column_of(fit, cells, t) for t in terms)]
    return tuple(t.name for t in terms), np.column_stack(columns), reference


def relation(fit: Fit, contests: Contests, known: Bools) -> Relation | None:
    """How R's known coefficients are made of the fit's parameters; None if the models differ."""
    names, ours, reference = design_of(fit)
    rows = contests.wins + contests.losses > 0
    ours, theirs = ours[rows], contests.x[rows]
    by = np.zeros((len(names), theirs.shape[1]))
    free = set(range(len(names)))
    for k in range(theirs.shape[1]):
        found = next((j for j in sorted(free) if _same(ours[:, j], theirs[:, k])), None)
        if found is not None:
            by[found, k] = 1.0
            free.discard(found)
    matched = np.asarray(by.any(axis=0))
    if matched[known].all() and not np.any(ours[:, sorted(free)]):
        return Relation(names, by, True, reference)
    theirs = theirs[:, known]
    if not theirs.size or not ours.size:
        return None
    try:
        solved = map_of(ours, theirs)
    except StaysInR:
        return None
    whole = np.round(solved)  # without the rounding of the solution where entries are whole
    by[:] = 0.0
    by[:, known] = np.where(np.abs(solved - whole) <= SAME_COLUMN, whole, solved)
    return Relation(names, by, False, reference)


def _same(a: Floats, b: Floats) -> bool:
    return bool(np.abs(a - b).max(initial=0.0) <= SAME_COLUMN * max(1.0, float(np.abs(b).max(initial=0.0))))


#: Where the caller asked for a coarser stop than R's default of 1e-6.
PQL_LOOSE = "BradleyTerry2::BTm, PQL, loose tol"
BRGLM_NULL = (
    "brglm's null deviance is of its pseudo-counts, not of the contests; by that definition R's number agrees"
)
TWICE = "R uses each row twice when subset= gives positions, so its deviance and degrees of freedom are of twice the contests and its standard errors are too small by a factor of sqrt(2); with each row used once, R's numbers agree"
PQL_AIC = "when sigma is estimated as 0, glmmPQL passes the number of rows to glm's AIC instead of the contests in each row, so every row has the weight of the first; by that definition R's number agrees"
WRONG = "r-is-wrong"
STOP = "R's own stop"


def btm_rows(call: RecordedCall, contests: Contests, found: Relation, fit: Fit) -> Rows:
    """A fit's numbers beside R's."""
    p, random = r_parameters(contests, found), fit.random_effects is not None
    expected = isinstance(fit.spec, ContestSpec) and fit.spec.link != "logit" and not random
    values = _effects(call, contests, fit) if random else _likelihood(call, contests, fit, len(p.names))
    said = [] if found.direct else ["R's contrasts of players are converted to abilities"]
    rows = of_fit(call, fit, p, values, *said, name=name_of(call, fit), errors=not expected)
    rows = _of_no_spread(call, fit, _not_comparable(fit, rows)) + _of_glm(call, contests, fit)
    rows += _expected(call, found, fit, p) if expected else []
    return _as_doubled(rows, len(contests.first)) if contests.doubled else rows


def r_parameters(contests: Contests, found: Relation) -> RParameters:
    """R's coefficients as the fit's parameters."""
    values, spread = contests.coef, contests.vcov * (2.0 if contests.doubled else 1.0)
    known = ~np.isnan(values)
    used = np.asarray(found.by[:, known].any(axis=1) & ~found.by[:, ~known].any(axis=1))
    by = found.by[np.ix_(used, known)]
    names = tuple(n for n, u in zip(found.names, used) if u)
    covariance = by @ spread[np.ix_(known, known)] @ by.T
    return RParameters(names, by @ values[known], covariance, "log-odds", found.reference)


def name_of(call: RecordedCall, fit: Fit) -> str:
    """The R call by which its floors are found."""
    name = BRGLM if bias_reduced(call) else BTM_DEFAULT
    if fit.random_effects is not None:
        name = PQL_LOOSE if call.real("tol", 0.0) > 1e-6 else PQL_DEFAULT
    return f"{name}, {TOWARDS_INFINITY}" if fit.n_infinite else name


def _likelihood(call: RecordedCall, contests: Contests, fit: Fit, n: int) -> dict[str, float]:
    """Deviance, degrees of freedom, log-likelihood and AIC on the fit's definitions."""
    twice = contests.doubled
    of, residual, loglik = (call.number(name) for name in ("deviance", "df_residual", "loglik"))
    values = {} if of is None else {"deviance": of / 2 if twice else of}
    values |= {} if residual is None else {"df_resid": residual - len(contests.first) * twice}
    counted = contests.whole and not twice and "weights" not in call.args
    if loglik is not None and counted and "BTglmmPQL" not in call.strings("class"):
        values |= llf_and_aic(loglik - count(fit).binomial_constant, n)
    return values


#: A standard deviation of random effects, on the log-odds, below which they are none: what R leaves of them
#: and of ours, which are 0, is where its search stopped. glmmPQL itself takes 1e-5 for 0.
NO_SPREAD = 1e-4


def _of_no_spread(call: RecordedCall, fit: Fit, rows: Rows) -> Rows:
    """The rows, effects that are 0 so far as anybody can see said to agree: digits of what is 0 there are none."""
    sigma = call.number("sigma")
    if fit.random_effects is None or min(fit.sigma, math.inf if sigma is None else sigma) > NO_SPREAD:
        return rows
    why = f"sigma is 0: held to {NO_SPREAD:g} of the log-odds instead of digits"
    near: Callable[[Agreement], bool] = lambda a: abs((a.native or 0) - (a.r or 0)) <= NO_SPREAD
    return said_of(rows, lambda a: a.quantity.kind == "effect" and near(a), "agrees", why, "")


def _effects(call: RecordedCall, contests: Contests, fit: Fit) -> dict[str, float]:
    """Standard deviation of the random effects and its error, and the predicted effects."""
    name, found = fit.components[0].name, {kind: call.number(kind) for kind in ("sigma", "sigma_se")}
    spread = {kind: v for kind, v in found.items() if v is not None and v == v and fit.sigma > 0}
    values = {str(Quantity(kind, name=name)): v for kind, v in spread.items()}
    effects, columns = call.vector("effects"), call.vector("z")
    players = [n.removeprefix(contests.id) for n in columns.margin(1)] if columns is not None else []
    numbers = [] if effects is None else effects.floats().ravel().tolist()
    if len(players) == len(numbers):
        values |= {str(Quantity("effect", name=p)): u for p, u in zip(players, numbers)}
    return values


def _of_glm(call: RecordedCall, contests: Contests, fit: Fit) -> Rows:
    """What R's glm gives by its own definitions: null model, AIC; where sigma came out 0, the deviance."""
    if contests.doubled or (fit.random_effects is not None and fit.sigma > 0):
        return []
    p = fitted(fit, contests)
    # AIC is the deviance and constants, so it has the digits of the deviance.
    digits = floor("deviance", BRGLM if bias_reduced(call) else BTM_DEFAULT).digits
    if fit.random_effects is not None:
        rows = Beside(call, digits, STOP).numbers(deviance=deviance(contests, p))
    else:
        rows = Beside(call, SAME, STOP).numbers(null_deviance=fit.null_deviance)
        rows += Beside(call, 16.0, STOP).numbers(df_null=float(fit.df_null))
        rows = _of_brglm(call, contests, p, rows, digits) if bias_reduced(call) else rows
    if "weights" in call.args:
        return rows  # of what is no count R takes log binomial coefficients by its own rule
    if fit.random_effects is None:
        rows += count_rows(call, fit)
    rank = int((~np.isnan(contests.coef)).sum())
    r = Beside(call, digits, STOP)
    aic = r.numbers(aic_glm=glm_aic(contests, p, rank))
    if "BTglmmPQL" in call.strings("class") and differ(aic):
        if not differ(r.numbers(aic_glm=glm_aic(contests, p, rank, pql=True))):
            aic = explained(aic, ("aic_glm",), PQL_AIC, WRONG)
    return rows + aic


def _of_brglm(call: RecordedCall, contests: Contests, p: Floats, rows: Rows, least: float) -> Rows:
    """brglm's null deviance, explained where it is that of its pseudo-counts, and its penalised deviance."""
    x, r = contests.x[:, ~np.isnan(contests.coef)], Beside(call, least, STOP)
    if not differ(r.numbers(null_deviance=brglm_null_deviance(contests, x, p))):
        rows = explained(rows, ("null_deviance",), BRGLM_NULL, WRONG)
    return rows + r.numbers(penalised_deviance=penalised_deviance(contests, x, p))


def _expected(call: RecordedCall, found: Relation, fit: Fit, p: RParameters) -> Rows:
    """Standard errors on R's definition: with another link than the logit those of the expected information."""
    ours = fit.bse_expected
    if ours is None or fit.not_estimable or set(found.names) != set(p.names):
        return []
    why = "of the expected information, as glm's; R computes it one iteration early"
    r, theirs = Beside(call, floor("se", name_of(call, fit)).digits, why), np.sqrt(np.diag(p.vcov)).tolist()
    return [r.row(Quantity("se", name=n), float(ours[n]), v) for n, v in zip(p.names, theirs)]


def _not_comparable(fit: Fit, rows: Iterable[Agreement]) -> Rows:
    """Rows of numbers that the fit does not have, with its own reason: separated, or never met."""
    reasons = {t: str(w) for w in reversed(fit.warnings) if w.kind in WITHOUT_ESTIMATE for t in w.terms}

    def said(a: Agreement) -> Agreement:
        lost = a.verdict == "not-estimable" and a.quantity.kind == "estimate"
        why = reasons.get(a.quantity.name, "") if lost else ""
        return replace(a, explanation=f"{a.explanation} ({why})") if why else a

    return [said(a) for a in rows]


def _as_doubled(rows: Iterable[Agreement], n: int) -> Rows:
    """R's own numbers again, where each of n rows was taken twice: explained where they agree taken once."""
    raw = {"se": (float(np.sqrt(0.5)), 0), "deviance": (2.0, 0), "df_resid": (1.0, n)}
    found = []
    for a in rows:
        if a.verdict == "agrees" and a.r is not None and a.quantity.kind in raw:
            by, more = raw[a.quantity.kind]
            r = by * a.r + more
            a = replace(a, r=r, verdict="explained", explanation=TWICE, code=WRONG, accepted=True)
        found.append(a)
    return found
