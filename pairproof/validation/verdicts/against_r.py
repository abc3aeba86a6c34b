"""Native against R and the 50-digit value: one number, its difference explained, and a row for every number of
every R call that has the model, or that did not run.

Where native and R differ by more than their floor allows, one of them is wrong, and the score (the gradient
of the log-likelihood) shows which: it is zero at the maximum only
(:mod:`pairproof.validation.r_answers.stopped_short`).  If native's estimates are at the maximum, and a Newton
step from R's estimates leads to native's, then R stopped too early, whether it says so or not, and its number
cannot check native's.  The verdict is then not-checkable, with R's digits shown; it never counts as
agreement. Where the score cannot be used (an infinite estimate, a design too large), R's own statement that
it did not converge is accepted if native's likelihood is the larger.  Degrees of freedom do not depend on
where an algorithm stops, so a difference in them is never excused.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, cast

from ...fit.estimates.specification import PairFamilyName
from ...fit.fit import Fit
from ..claims.paper import Claim, ModelClaim
from ..claims.quantities import (
    Quantity,
    is_reference,
    kind_of,
    names,
    quantity,
    rounding_of,
    scale_of,
    scale_of_logarithm,
)
from .agreement import AGREEING, AT_MAXIMUM, LEFT, Agreement, RCounterpart, Verdict, value_or_none
from .digits import CERTIFIED, Floor, certified_floors, floor
from .verdict import judge_digits

#: How much more than R's estimates account for its deviance, -2 llf or AIC may lie on their side of the
#: maximum: some R functions take the deviance one step before their last estimates.  None of the 120 tables
#: of `tests/validation/slips/stress.py` nor R's football data need this, because their digits suffice.
#: Observed: at most 1.06 times with llbtPC.fit; up to 1,100 times with llbt.fit, where the shortfall itself
#: is 1e-11 and the deviance of the step before is off by 1e-8, which is within its floor.
OF_SHORTFALL = 4.0
#: How far below its supremum an algorithm that stopped may leave the log-likelihood when the maximum lies at
#: infinity, as a share of half the deviance (of 1 where that is less).  Each Newton step towards infinity
#: leaves 1/e of the gap, so a stopping rule on the change of the deviance leaves 0.58 of that change; the
#: rule of llbt.fit is a change of 1e-4.  Observed in 72 small separated tables: at most 2.0e-4 with llbt.fit,
#: 2.4e-5 with llbtPC.fit, below 2e-8 with the others.
OF_LIMIT = {"prefmod::llbt.fit": 1e-4, "prefmod::llbtPC.fit": 1e-4}
OF_LIMIT_ELSEWHERE = 1e-7
#: How far above its minimum the deviance of an R function may be when it stops, by its own rule: (part of
#: the deviance, absolute).  llbt.fit stops at a change of 1e-4 of the deviance (cemspc, a block a judge:
#: 7991.95879 after 24 steps, 7991.95688 in the end).  llbtPC.fit leaves gnm at its tolerance, a change of
#: 1e-6 of deviance + 0.1, and gnm takes the deviance before its first step as 0, so that a first one below
#: 1e-7 ends it (seen on 14 balanced tables: 4e-13 to 7.6e-8, where the minimum is 0).  The excess is in the
#: constants of the cells, so that estimates do not show it.
BY_OWN_RULE = {"prefmod::llbt.fit": (1e-4, 0.0), "prefmod::llbtPC.fit": (1e-6, 1e-7)}
#: Digits in which native's deviance and the one of the cells at its estimates, by code of its own, must agree
#: before R's rule of stopping is taken for the cause: the floor of a deviance of an R that is at its maximum.
#: Seen on the tables above: 15.5 at least.
OWN_DEVIANCE = 1e-13
#: A log worth is a sum of a few terms, each twice a lambda, so it moves by at most this many times the
#: largest movement of a lambda.
OF_WAY = 8.0


def with_sources(
    row: Agreement,
    fit: Fit,
    native: float,
    r: RCounterpart | None,
    certified: Mapping[str, str],
    *,
    half: int = 1,
    floors: Sequence[Floor] | None = None,
) -> Agreement:
    """Add R's value and the certified value to the row, and the verdict that follows from them."""
    notes = [row.explanation] if row.explanation else []
    name = row.quantity
    if r is not None:
        row, said = _beside_r(row, fit, native, r, half, floors)
        notes += said
    if name in certified and half == 1:
        text, wider = certified[name], scale_of_logarithm(name, fit)
        of_50, scale = float(text), scale_of(name, fit)
        rounding = rounding_of(name, fit)
        exact = judge_digits(name, native, of_50, scale, CERTIFIED, floors, rounding, wider)
        row = replace(row, certified=text, certified_digits=value_or_none(exact.digits))
        if r is None:
            row = replace(row, digits=row.certified_digits, floor=exact.floor.digits)
        else:
            # Shown only; it does not affect the verdict.
            of_r = judge_digits(name, r.values[name], of_50, scale, CERTIFIED, floors)
            row = replace(row, r_certified_digits=value_or_none(of_r.digits))
        if not exact.enough:
            row = _worse(row, "few-certified-digits")
            notes.append(exact.shortfall("the 50-digit value"))
    return replace(row, explanation="; ".join(notes))


#: If an R call returns a quantity of one of these kinds for some parameters or items, it must do so for all.
_ALL_OR_NONE = ("estimate", "se", "z", "p", "low", "high", "worth", "worth_se")


def not_returned(fit: Fit, r: RCounterpart) -> list[Quantity]:
    """Quantities missing from an R call that gives others of their kind.

    A column that R, or the code that reads R's answer, leaves out must not pass as agreement.
    """
    kinds = set() if r.not_run else {kind_of(name) for name in r.values} & {*_ALL_OR_NONE}
    absent = [q for q in names(fit) if q.kind in kinds and q not in r.values and q not in r.lacks]
    return [q for q in absent if not is_reference(fit, q) and not math.isnan(quantity(fit, q))]


def with_r_alone(row: Agreement, r: RCounterpart | None, half: int = 1) -> Agreement:
    """The row of a claim that asks R only."""
    if r is None:
        return row
    return replace(row, r=value_or_none(r.values[row.quantity] / half), r_call=r.r_call, r_source=r.r_source)


def _beside_r(
    row: Agreement, fit: Fit, native: float, r: RCounterpart, half: int, floors: Sequence[Floor] | None
) -> tuple[Agreement, list[str]]:
    name = row.quantity
    value = r.values[name] / half
    row = replace(row, r=value_or_none(value), r_call=r.r_call, r_source=r.r_source)
    scale, wider = scale_of(name, fit, _errors(r)), scale_of_logarithm(name, fit)
    against = judge_digits(name, native, value, scale, r.r_call, floors, r.rounding.get(name, 0.0), wider)
    row = replace(row, digits=value_or_none(against.digits), floor=against.floor.digits)
    if math.isnan(native) and not math.isnan(value):
        return _with_code(row, "r-has-a-value"), [f"R gives {value:.6g}, which depends on when it stopped"]
    off = r.score.native_steps.get(name.name, 0.0) if r.score is not None and name.kind == "estimate" else 0.0
    if against.enough and off <= AT_MAXIMUM:
        return row, []
    # A number that R could not confirm does not agree with R; a verdict on the printed number stays as it is.
    verdict: Verdict = "not-checkable" if row.about == "native-r" and row.verdict == "agrees" else row.verdict
    if math.isnan(value):
        row = replace(row, verdict=verdict, digits=None)
        return _with_code(row, "r-has-no-value"), [f"not given by R: {r.r_call} has no value"]
    if r.kept_aliased and kind_of(name) not in ("deviance", "llf"):
        row = replace(row, verdict=verdict, r_arrived=False)
        return _with_code(row, "r-is-wrong"), [r.kept_aliased]
    short = stopped_short(name, fit, native, value, r)
    if short is None:
        code, said = _native_at_fault(r)
        return _worse(row, code), [*([] if against.enough else [against.shortfall(r.r_call)]), *said]
    row = _with_code(replace(row, verdict=verdict, r_arrived=False), short.code)
    return row, [f"{short.text}; native and {r.r_call} share {against.digits:.1f} digits"]


class StoppedShort(NamedTuple):
    """The reason why R, and not native, causes a difference: its code and a sentence."""

    code: str
    text: str


def stopped_short(name: str, fit: Fit, native: float, value: float, r: RCounterpart) -> StoppedShort | None:
    """The reason why R causes a difference; None if there is no evidence that it does."""
    kind = kind_of(name)
    of_likelihood = kind in ("deviance", "llf", "aic")
    if kind in ("df_resid", "df_null", "n_comparisons"):
        return None
    if of_likelihood and fit.n_infinite and _on_the_way(kind, native, value, r):
        lower = _worse_by(kind, native, value)
        way = "R stopped on its way to an infinite estimate"
        limit = f"its log-likelihood is {lower:.2g} below the limit that native gives"
        return StoppedShort("r-towards-infinity", f"{way}: {limit}")
    code, said = "r-stopped-early", "R stopped before the maximum"
    if r.converged is False:
        code, said = "r-not-converged", "R did not converge"
    s = r.score
    if s is not None and of_likelihood and _by_own_rule(kind, native, value, r):
        return StoppedShort(
            "r-stopped-early",
            f"R's deviance is {2.0 * _worse_by(kind, native, value):.2g} above its minimum, within what"
            f" {r.function}'s stopping rule allows ({_rule(r):.2g}); native is at the maximum, and its deviance"
            " is that of the cells there",
        )
    if s is None:
        own_word = r.converged is False and not _r_is_higher(fit, r)
        return StoppedShort(code, f"{said}, as it reports itself") if own_word else None
    if not s.r_stopped_short:
        return None
    # If R gave up far from the maximum, its fitted counts need not even sum to the observed ones, and its
    # deviance means nothing.
    far = r.converged is False and s.left > LEFT
    rounding = r.rounding.get(name, 0.0)
    if of_likelihood and not far and not _by_the_shortfall(kind, native, value, s.below, rounding):
        return None
    if kind == "worth" and min(native, value) > 0 and abs(math.log(native / value)) > OF_WAY * s.moved:
        return None
    below = f"its log-likelihood is {s.below:.2g} below"
    if s.left > LEFT:
        return StoppedShort(code, f"{said}: {below} native's, whose estimates are where the score is 0")
    step = f"a Newton step of {s.way:.2g} standard errors from its estimates leads to native's"
    also = f"; {below}" if s.below > 0 else ""
    return StoppedShort(code, f"{said}: {step}, where the score is 0{also}")


def _worse_by(kind: str, native: float, value: float) -> float:
    """How far R's log-likelihood lies below native's, computed from llf, deviance or AIC."""
    return native - value if kind == "llf" else (value - native) / 2


def _on_the_way(kind: str, native: float, value: float, r: RCounterpart) -> bool:
    """Whether R's log-likelihood is below its limit at infinity, by no more than its rule explains."""
    share = OF_LIMIT.get(r.function, OF_LIMIT_ELSEWHERE)
    return 0.0 < _worse_by(kind, native, value) <= share * max(1.0, abs(r.values.get("deviance", 0.0)) / 2)


def _rule(r: RCounterpart) -> float:
    """What the R function's rule of stopping leaves of its deviance at most; 0 where it is not known."""
    part, absolute = BY_OWN_RULE.get(r.function, (0.0, 0.0))
    return part * abs(r.values.get("deviance", 0.0)) + absolute


def _by_own_rule(kind: str, native: float, value: float, r: RCounterpart) -> bool:
    """Whether R's deviance, llf or AIC is worse than native's by no more than R's rule of stopping leaves, and
    native's own is shown to be the one at the maximum.
    """
    s = r.score
    assert s is not None
    return (
        0.0 < 2.0 * _worse_by(kind, native, value) <= _rule(r)
        and s.native_arrived
        and s.native_deviance <= OWN_DEVIANCE
    )


def _by_the_shortfall(kind: str, native: float, value: float, below: float, size: float) -> bool:
    """Whether R's deviance, llf or AIC is worse than native's, and by no more than R's estimates account for."""
    worse = _worse_by(kind, native, value)
    slack = 4.0 * sys.float_info.epsilon * size
    return -slack <= worse <= OF_SHORTFALL * below + slack


def _r_is_higher(fit: Fit, r: RCounterpart) -> bool:
    """Whether R's likelihood is larger than native's, which means that native is not at the maximum."""
    slack = 4.0 * sys.float_info.epsilon
    llf, deviance = r.values.get("llf", math.nan), r.values.get("deviance", math.nan)
    return llf > fit.llf + slack * (
        abs(llf) + r.rounding.get("llf", 0.0)
    ) or deviance < fit.deviance - slack * (abs(deviance) + r.rounding.get("deviance", 0.0))


def _native_at_fault(r: RCounterpart) -> tuple[str, list[str]]:
    """The code of a difference for which R is not shown to be the cause, and what the score says about
    native."""
    s = r.score
    if s is None or s.r_stopped_short:
        return "few-digits", []
    if s.native_step > AT_MAXIMUM:
        return "native-not-at-maximum", [
            f"a Newton step from native's estimates moves one of them by {s.native_step:.2g} standard errors:"
            " native is not at the maximum"
        ]
    if s.native_se > AT_MAXIMUM:
        return "native-standard-errors", [
            "native's standard errors do not match the information at its estimates (relative difference"
            f" {s.native_se:.2g})"
        ]
    return "few-digits", ["R reports that it did not converge"] if r.converged is False else []


def _errors(r: RCounterpart) -> dict[str, float]:
    """Standard errors R gives, by the names under which `scale_of` looks for them."""
    return {**{name: v for name, v in r.values.items() if kind_of(name) == "se"}, **r.se}


def _worse(row: Agreement, code: str) -> Agreement:
    """The row as differing for the reason `code`, unless it differs or has no value already."""
    if row.verdict in (*AGREEING, "not-checkable"):
        return replace(row, verdict="differs", code=code)
    return _with_code(row, code)


def _with_code(row: Agreement, code: str) -> Agreement:
    """The row with this code, unless it has one: the reason found first is the one that decided the verdict."""
    return row if row.code else replace(row, code=code)


#: Makes a row of one claim: quantity, verdict, explanation, code, and the fields of `Agreement` that have a
#: value.
RowMaker = Callable[..., Agreement]


@dataclass(frozen=True)
class Asked:
    """A fit with R's answers and the 50-digit values for it; kept so that no model is fitted twice."""

    fit: Fit
    r: tuple[RCounterpart, ...]
    certified: Mapping[str, str]


def asked_of_r(claim: Claim, r: Sequence[RCounterpart]) -> list[RCounterpart]:
    """The answers of the R packages that the claim asks."""
    packages = claim.r_packages
    return [] if packages is None else [c for c in r if not packages or c.package in packages]


def first_with(r: Sequence[RCounterpart], name: str) -> RCounterpart | None:
    """The first R call that ran and has this quantity."""
    return next((c for c in r if c.not_run is None and name in c.values), None)


def beyond_print(
    paper: str, claim: Claim, asked: Asked, floors: Sequence[Floor] | None, r_was_asked: bool
) -> list[Agreement]:
    """Every quantity of R's calls that no printed number shows, and the calls that did not run."""
    row: RowMaker = partial(Agreement.of_claim, paper, claim, about="native-r")
    fit, r = asked.fit, asked_of_r(claim, asked.r)
    rows = [_r_not_run(row, c) for c in r if c.not_run]
    for c in r:
        if c.drift:
            rows.append(row("fit", "differs", f"drift: {c.drift}", "drift", r_call=c.r_call, r_source="live"))
    if "native" not in claim.engines:
        return rows
    if claim.r_packages and r_was_asked and not r:
        packages = ", ".join(claim.r_packages)
        why = f"no R call of {packages} has this model"
        rows.append(row("fit", "not-run", why, "no-r-model", r_call=packages))

    def compared(name: str, c: RCounterpart | None) -> Agreement:
        native = quantity(fit, name)
        if math.isnan(native):
            bare = row(name, "not-estimable", "not estimable from these data", "not-estimable")
        else:
            bare = row(name, "agrees", "", "", native=native)
        return with_sources(bare, fit, native, c, asked.certified, floors=floors)

    shown = {(q.quantity, first.r_call) for q in claim.numbers if (first := first_with(r, q.quantity))}
    for c in r:
        new = [name for name in c.values if (name, c.r_call) not in shown and not is_reference(fit, name)]
        rows += [compared(name, c) for name in new]
        for q in not_returned(fit, c):
            if c.gives_na:
                why = f"not given by R: {c.r_call} has NA for parameters on which it depends"
                verdict, code, digits = "not-checkable", "r-has-no-value", None
            else:
                why = f"lost: {c.r_call} gives {q.kind} for others but not for this one"
                verdict, code, digits = "differs", "not-returned", 0.0
            native = value_or_none(quantity(fit, q))
            source = {"r_call": c.r_call, "r_source": c.r_source}
            rows.append(row(q, verdict, why, code, **source, native=native, digits=digits))
    have = {a.quantity for a in rows} | {q.quantity for q in claim.numbers}
    left = [name for name in asked.certified if name not in have and not is_reference(fit, name)]
    return rows + [compared(name, None) for name in left]


def with_50_digits(paper: str, claim: Claim, asked: Asked, name: str) -> list[Agreement]:
    """The rows of a fit with 50-digit values, whose floors are those called `name`."""
    return [
        a if a.certified is None else replace(a, certified_floor=floor(a.quantity, name).digits)
        for a in beyond_print(paper, claim, asked, certified_floors(name), False)
    ]


def _r_not_run(row: RowMaker, c: RCounterpart) -> Agreement:
    if not c.expected:
        why = f"{c.r_call} did not run: {c.not_run}"
        return row("fit", "not-run", why, "r-not-run", r_call=c.r_call, no_record=c.no_record)
    why = f"{c.r_call}: {c.not_run}"
    if c.r_source:
        source = {"r_call": c.r_call, "r_source": c.r_source}
        return row("fit", "not-checkable", f"R's own error: {why}", "r-error", **source)
    code = "no-counterpart" if c.no_counterpart else "not-asked"
    return row("fit", "not-checkable", why, code, r_call=c.r_call)


def compare_fit(
    fit: Fit,
    counterparts: Sequence[RCounterpart],
    *,
    certified: Mapping[str, str] | None = None,
    floors: Sequence[Floor] | None = None,
) -> list[Agreement]:
    """Agreements of a fit, without any page, with the R calls that have its model."""
    # Files of claims name models of comparisons only; this claim of a fit may be of any family.
    family = cast(PairFamilyName, fit.spec.family)
    claim = Claim(id="", data="data", model=ModelClaim(family), compare_only="verify")
    return beyond_print("", claim, Asked(fit, tuple(counterparts), certified or {}), floors, True)
