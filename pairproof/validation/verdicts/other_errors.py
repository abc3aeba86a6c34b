"""Standard errors, and limits and p-values made from them, by other definitions than the fit's.

Other errors of the same estimates, each with z, p and limits made from it::

    R's glm, probit, cauchit    of the expected information, ours of the observed one
    SAS's GLIMMIX, use_t        with Student's t on the residual df, of pairs, rows or comparisons
    quasi families              times the root of the dispersion, with Student's t on the residual df
    sandwich, statsmodels HC0   of the spread of single comparisons, without a cluster
    statsmodels, Stata          of clusters, but p and limits of the normal distribution and not of t; with the factor
                                (n - 1) / (n - k) as well

A definition is found only if it gives all numbers of the table that depend on errors, or, of `MANY` or more, all but
one, which is then a misprint.  Limits may be those of another level, or of the profile likelihood.  Limits that are none
of these in several rows are of a kind that is not computed here, as the bootstrap's are: nothing is said about them,
unless one quantile fits all rows, or one row alone is odd.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ...errors import PairproofError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.fit import Fit
from ..claims.paper import Claim, PrintedQuantity
from ..claims.quantities import OF_EXP, Quantity, dispersion
from .agreement import Verdict
from .arithmetic import is_tidied
from .definitions import OF_ERROR, WRONG, by_other, comes_out, fewest_digits, n_digits
from .verdict import IMMATERIAL, PrintVerdict, apart

#: The code of limits that are of no kind that is computed here.
NOT_WALD = "not-wald"
#: Levels of intervals that are tried beside 95 %; two standard errors are 95.45 %.
LEVELS = (0.9, 0.99, 0.8, 0.999, 0.6827, 0.9545)
OF_LIMITS = ("low", "high", "exp_low", "exp_high")
#: Numbers of which one may be a misprint beside a definition that gives all others.
MANY = 8
#: A bootstrap's limits of a hundred rounds are 0.27 standard errors off at one in three, by the density of
#: the normal at its 2.5 % quantile, and of a thousand 0.09 (observed, 200 rounds: at most 0.33): what is
#: farther off is none of them, or three times what is usual on the page (4.5 times the median), up to 1.
NEAR, TIMES, FARTHEST, ONE_WAY = 0.5, 4.5, 1.0, 0.2
#: Print units, in standard errors, from which on a limit says nothing between Wald's and a bootstrap's.
SHARP = 0.1
#: What R's confint leaves by its spline, in standard errors (observed: at most 5.3e-4 over 60 random tables).
OF_SPLINE = 1e-3
#: Parameters up to which profile limits are worked out: each takes two searches.
MOST_PROFILES = 60
Found = dict[str, PrintVerdict]
#: A definition: its code, what is said of it, its standard errors, and the df of its t.
Errors = tuple[str, str, Mapping[str, float], float]


def by_other_errors(
    claim: Claim,
    fit: Fit,
    values: Mapping[str, float],
    judged: Mapping[str, PrintVerdict],
    value: Callable[[Quantity], float],
    error: Callable[[Quantity], float],
    of_fit: bool,
) -> Found:
    """What is reproduced by other errors or limits, and what cannot be decided; of_fit: whether numbers are on its scale."""
    wrong = [q for q in claim.numbers if judged[q.quantity].verdict in WRONG]
    wrong = [q for q in wrong if q.quantity.kind in (*OF_ERROR, *OF_LIMITS, "df")]
    found: Found = {}
    if of_fit and wrong:
        found |= _of_small_p(wrong, values)
        found |= _by_direction(claim, wrong, value)
        found |= _by_errors(claim, fit, values, judged, [q for q in wrong if q.quantity not in found])
    left = [q for q in wrong if q.quantity not in found and q.quantity.kind in OF_LIMITS]
    return found | (_by_limits(claim, fit, values, left, value, error, of_fit) if left else {})


# -- standard errors, z and p --------------------------------------------------------------------------------


def _errors(fit: Fit) -> Iterator[Errors]:
    """Other programs' standard errors of the estimates."""
    if fit.spec.link != "logit" and fit.bse_expected is not None:
        said = "reproduced from the expected information, which R's glm uses for standard errors"
        yield "expected-information", said, fit.bse_expected, math.inf
    if fit.random_effects is not None or fit.df_resid <= 0:
        return
    n, k = fit.n_comparisons, fit.rank
    if fit.robust is not None:
        said = "reproduced if p and limits are of the normal distribution, as statsmodels and Stata have them"
        yield "normal-p", said, fit.bse, math.inf
        with_factor = fit.bse * math.sqrt((n - 1.0) / (n - k))
        said = (
            f"reproduced with the factor (n - 1) / (n - k) of statsmodels and Stata, n = {n:g}, and normal p"
        )
        yield "normal-p", said, with_factor, math.inf
        return
    rows = float((fit.data.row_weights > 0).sum())
    for df in dict.fromkeys((float(fit.df_resid), n - k, rows - k)):
        said = f"reproduced if p and limits are of Student's t with {df:g} residual df, as of GLIMMIX and GENLINMIXED"
        yield "residual-t", said, fit.bse, df
    phi = dispersion(fit)
    said = f"reproduced if standard errors are times the root of the dispersion, {phi:.6g}, as of R's quasi families"
    yield "quasi-dispersion", said, fit.bse * math.sqrt(phi), float(fit.df_resid)
    try:
        robust = fit.clustered(kind="CR0").bse
    except PairproofError:
        return
    said = "reproduced if standard errors are of the spread of single comparisons (HC0, sandwich)"
    yield "single-comparisons", said, robust, math.inf


def _by_errors(
    claim: Claim,
    fit: Fit,
    values: Mapping[str, float],
    judged: Mapping[str, PrintVerdict],
    wrong: Sequence[PrintedQuantity],
) -> Found:
    """Numbers that depend on standard errors, if those of another program give all of them."""
    own = [q for q in claim.numbers if q.quantity.kind in (*OF_ERROR, "df") and q.quantity.name in fit.names]
    off = [q for q in own if q in wrong]
    if not off or n_digits(off) < fewest_digits(1):
        return {}
    for code, said, errors, df in _errors(fit):
        theirs: dict[str, float] = {q.quantity: _of_error(claim, fit, q.quantity, errors, df) for q in own}
        out = [q for q in own if comes_out(claim, q, theirs[q.quantity])]
        if len(out) < len(own) - (len(own) >= MANY) or len(out) <= len(own) - len(off):
            continue
        ours: dict[str, str] = {
            q.quantity: f", which gives {theirs[q.quantity]:.8g}; {values[q.quantity]:.8g} by the model of the claim"
            for q in own
        }
        found = by_other(code, [q for q in out if judged[q.quantity].verdict != "agrees"], said, ours)
        for q in (q for q in off if q not in out):
            why = f"computed {values[q.quantity]!r}; all others are {said}{ours[q.quantity]}"
            found[q.quantity] = PrintVerdict("differs", why, "misprint")
        return found
    return {}


def _of_error(claim: Claim, fit: Fit, q: Quantity, errors: Mapping[str, float], df: float) -> float:
    """The number of this kind with another standard error."""
    from scipy.special import stdtr, stdtrit

    estimate, se = float(fit.params[q.name]), float(errors[q.name])
    at = float(stdtrit(df, 0.975)) if math.isfinite(df) else normal_quantile(0.975)
    if q.kind == "p":
        z = abs(estimate / se) if se else math.inf
        tail = float(stdtr(df, -z)) if math.isfinite(df) else math.erfc(z / math.sqrt(2.0)) / 2.0
        return tail if claim.sided == 1 else 2.0 * tail
    of = {"df": df, "se": se, "z": estimate / se if se else math.nan, "low": estimate - at * se}
    return {**of, "high": estimate + at * se}[q.kind]


def _of_small_p(wrong: Sequence[PrintedQuantity], values: Mapping[str, float]) -> Found:
    small = [q for q in wrong if q.quantity.kind == "p" and is_tidied(q.printed, values[q.quantity])]
    said = "reproduced if p below 100 machine epsilons is printed as 0, as gnm's summary has it"
    return by_other("tidy-zeros", small, said)


def _by_direction(
    claim: Claim, wrong: Sequence[PrintedQuantity], value: Callable[[Quantity], float]
) -> Found:
    """One-sided p-values, if those of one direction give all of them, whatever the sign of the estimate."""
    own = [q for q in claim.numbers if q.quantity.kind == "p" and claim.sided == 1]
    off = [q for q in own if q in wrong]
    for sign, words in ((1.0, "above"), (-1.0, "below")) if off else ():
        tails: dict[str, float] = {
            q.quantity: math.erfc(sign * value(q.quantity.of("z")) / math.sqrt(2.0)) / 2.0 for q in own
        }
        if all(comes_out(claim, q, tails[q.quantity]) for q in own):
            said = f"reproduced if p is one-sided for abilities {words} 0, whatever the sign of the estimate"
            return by_other("one-direction", off, said)
    return {}


# -- limits --------------------------------------------------------------------------------------------------


def _by_limits(
    claim: Claim,
    fit: Fit,
    values: Mapping[str, float],
    off: Sequence[PrintedQuantity],
    value: Callable[[Quantity], float],
    error: Callable[[Quantity], float],
    of_fit: bool,
) -> Found:
    """Limits of another level, of the profile likelihood, or of no kind that is computed here."""
    own = [q for q in claim.numbers if q.quantity.kind in OF_LIMITS and math.isfinite(values[q.quantity])]
    rows = {q.quantity.name for q in off}
    if 2 * len(off) > len(own) and n_digits(off) >= fewest_digits(len(LEVELS)):
        found = _by_level(claim, fit, values, own, off, value, of_fit)
        if found:
            return found
    if len(rows) < 2:
        return {}
    if of_fit and fit.robust is None and len(fit.names) <= MOST_PROFILES:
        found = _by_profile(claim, fit, values, own, off, error)
        if found:
            return found
    return _of_no_kind(own, off, values, value, error)


def _by_level(
    claim: Claim,
    fit: Fit,
    values: Mapping[str, float],
    own: Sequence[PrintedQuantity],
    off: Sequence[PrintedQuantity],
    value: Callable[[Quantity], float],
    of_fit: bool,
) -> Found:
    """Wald limits of another level, if it gives most of them; what it does not give is a finding."""

    def ends_at(level: float) -> dict[str, float]:
        ends = fit.conf_int(level=level) if of_fit else None
        factor, found = normal_quantile(0.5 + level / 2.0) / normal_quantile(0.975), dict[str, float]()
        for name in (q.quantity for q in own):
            kind = name.kind.removeprefix("exp_")
            if ends is not None:
                end = float(ends.loc[name.name, kind])
            else:
                low, high = value(name.of("low")), value(name.of("high"))
                end = (low + high + factor * (high - low) * (1.0 if kind == "high" else -1.0)) / 2.0
            found[name] = math.exp(min(end, 700.0)) if name.kind in OF_EXP else end
        return found

    tried = {level: ends_at(level) for level in LEVELS}
    out = {level: [q for q in own if comes_out(claim, q, ends[q.quantity])] for level, ends in tried.items()}
    level = max(out, key=lambda level: len(out[level]))
    if 2 * len(out[level]) <= len(own):
        return {}
    ours: dict[str, str] = {q.quantity: f"; {values[q.quantity]:.8g} at 95 %" for q in off}
    agree = [q for q in off if q in out[level]]
    found = by_other("other-level", agree, f"reproduced at level {level:g}", ours)
    for q in (q for q in off if q not in agree):
        why = f"computed {tried[level][q.quantity]!r} at level {level:g}, of which the others are"
        found[q.quantity] = PrintVerdict("differs", why, "other-value")
    return found


def _by_profile(
    claim: Claim,
    fit: Fit,
    values: Mapping[str, float],
    own: Sequence[PrintedQuantity],
    off: Sequence[PrintedQuantity],
    error: Callable[[Quantity], float],
) -> Found:
    """Limits of the profile likelihood, as R's confint has them for a glm, if these are all of them but one of many.

    confint interpolates: `OF_SPLINE` is left to it, and what is farther off, up to `IMMATERIAL`, is not reproduced.
    """
    try:
        ends = fit.profile(list(dict.fromkeys(q.quantity.name for q in own)))
    except PairproofError:
        return {}
    theirs: dict[str, float] = {}
    for q in own:
        name = q.quantity
        end = float(ends.loc[name.name, f"profile_{name.kind.removeprefix('exp_')}"])
        theirs[name] = math.exp(min(end, 700.0)) if name.kind in OF_EXP else end
    beyond: dict[str, float] = {q.quantity: apart(q, theirs[q.quantity], error(q.quantity))[1] for q in own}
    out = [q for q in own if beyond[q.quantity] <= IMMATERIAL]
    if len(out) < len(own) - (len(own) >= MANY) or len(out) <= len(own) - len(off):
        return {}
    ours: dict[str, str] = {
        q.quantity: f", which gives {theirs[q.quantity]:.8g}; {values[q.quantity]:.8g} by Wald's" for q in off
    }
    said = "reproduced if limits are of the profile likelihood, as R's confint has them"
    found = by_other("profile-limits", [q for q in off if q in out], said, ours)
    far = [q for q in off if q in out and beyond[q.quantity] > OF_SPLINE]
    for q in far:
        size = f"{beyond[q.quantity]:.2g} standard errors from the limit of the profile likelihood, which the others are"
        why, single = f"computed {values[q.quantity]!r}; {size}{ours[q.quantity]}", len(far) == 1
        how: tuple[Verdict, str] = ("differs", "misprint") if single else ("immaterial", "small")
        found[q.quantity] = PrintVerdict(how[0], why, how[1])
    return found


def _of_no_kind(
    own: Sequence[PrintedQuantity],
    off: Sequence[PrintedQuantity],
    values: Mapping[str, float],
    value: Callable[[Quantity], float],
    error: Callable[[Quantity], float],
) -> Found:
    """Limits of several rows that are no Wald limits: undecided, but for those that are too far off to be others'."""
    size: dict[str, float] = {q.quantity: apart(q, values[q.quantity], error(q.quantity))[1] for q in own}
    sharp = [q for q in own if (q.printed.unit or 0) < SHARP * error(q.quantity)]
    if 2 * sum(q in sharp for q in off) < len(sharp) or _one_quantile(own, value):
        return {}
    most = _noise(own, values, size)
    near = [q for q in off if size[q.quantity] <= most]
    undecided = near if len(near) * 2 > len(off) else off
    why = "not Wald limits at a usual level, nor of the profile likelihood; a bootstrap's limits are not computed here"
    note = {q.quantity: f"{NOT_WALD}: {why}; computed {values[q.quantity]:.8g} by Wald's" for q in undecided}
    return {name: PrintVerdict("not-checkable", said, NOT_WALD) for name, said in note.items()}


def _noise(own: Sequence[PrintedQuantity], values: Mapping[str, float], size: Mapping[str, float]) -> float:
    """How far a bootstrap's limits may be from Wald's, in standard errors, given how far those of a page are, which are
    not all wider nor all narrower."""
    outward = [
        math.copysign(size[q.quantity], float(q.printed.value or 0) - values[q.quantity])
        * (1.0 if q.quantity.kind.endswith("high") else -1.0)
        for q in own
    ]
    if abs(np.nanmedian(outward)) > ONE_WAY:
        return NEAR
    return min(max(NEAR, TIMES * float(np.nanmedian(np.abs(outward)))), FARTHEST)


def _one_quantile(own: Sequence[PrintedQuantity], value: Callable[[Quantity], float]) -> bool:
    """Whether one quantile gives all limits but those of one row."""
    spans = []
    for q in own:
        low, high = value(q.quantity.of("low")), value(q.quantity.of("high"))
        ends = [float(end) for end in (q.printed.low, q.printed.high) if end is not None]
        if q.quantity.kind in OF_EXP:
            ends = [math.log(end) if end > 0 else -math.inf for end in ends]
        sign = 1.0 if q.quantity.kind.endswith("high") else -1.0
        spans.append(sorted(sign * (end - (low + high) / 2.0) / (high - low) for end in ends))
    lows, highs = zip(*spans)
    most: int = max(sum(low <= at <= high for low, high in spans) for at in (*lows, *highs))
    return most >= len(own) - 2
