"""Native against R, beyond what a page prints: a row for every quantity of every R call that has the model, and for
every R call that did not run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from ..fit.family import PairFamilyName
from ..fit.fit import Fit
from .claims.paper import Claim, ModelClaim
from .claims.quantities import is_reference, quantity
from .verdicts.against_r import not_returned, with_sources
from .verdicts.agreement import Agreement, RCounterpart, value_or_none
from .verdicts.floors import Floor

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
    """Every quantity of every R call that no printed number of the claim shows; and the R calls that did not run.

    paper: its id.  floors: default: the shipped ones.  r_was_asked: whether R's silence says that it has no
    such model.
    """
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
        why = f"no R call of {packages} answers this model"
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
                why = f"not given by R: {c.r_call} has NA for parameters that it is a function of"
                verdict, code, digits = "not-checkable", "r-has-no-value", None
            else:
                why = f"lost: {c.r_call} gives {q.kind} of others and not of this one"
                verdict, code, digits = "differs", "not-returned", 0.0
            native = value_or_none(quantity(fit, q))
            source = {"r_call": c.r_call, "r_source": c.r_source}
            rows.append(row(q, verdict, why, code, **source, native=native, digits=digits))
    have = {a.quantity for a in rows} | {q.quantity for q in claim.numbers}
    left = [name for name in asked.certified if name not in have and not is_reference(fit, name)]
    return rows + [compared(name, None) for name in left]


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
    """Agreements of a fit, without any page, with the R calls that have its model.

    counterparts: R's answers.  floors: digits asked for; default: the shipped ones.  Returns list of
    Agreement: one for each quantity of each R call; an R call that did not run has one that says why.
    """
    # Files of claims name models of comparisons only; this claim of a fit may be of any family.
    family = cast(PairFamilyName, fit.spec.family)
    claim = Claim(id="", data="data", model=ModelClaim(family), compare_only="verify")
    return beyond_print("", claim, Asked(fit, tuple(counterparts), certified or {}), floors, True)
