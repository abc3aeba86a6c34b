"""Standard errors and tests that R's programs take otherwise from one and the same estimates.

    summary of BradleyTerry2's glmmPQL    sigma = 0 by the two-sided p of z = sigma / se, though 0 is the end of sigma's
                                          range, where z is not normal (Self and Liang 1987, JASA 82, 605-610)
    R's glm, probit and cauchit links     standard errors from the expected information, ours from the observed one

Numbers of a claim that come out by one of these, all together, are told which; those of the table of a fit as
:mod:`.definitions` has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...fit.contests.fit import ContestFit
from ...fit.contests.mixed import MixedFit
from ...fit.fit import Fit
from ...fit.inference import normal_quantile, two_sided_p
from ..claims.paper import Claim
from ..claims.quantities import kind_of
from .definitions import by_definition, fewest_digits, significant_digits
from .verdict import PrintVerdict, judge_print

#: Kinds of numbers of a parameter that depend on its standard error.
OF_ERROR = ("se", "z", "p", "low", "high")
#: Verdicts of numbers that do not come out as they stand.
WRONG = ("differs", "differs-conclusion", "not-estimable")


def by_program(
    claim: Claim, fit: Fit, values: Mapping[str, float], judged: Mapping[str, PrintVerdict]
) -> dict[str, PrintVerdict]:
    """Numbers that come out by what a program of R's prints of the same estimates.

    Returns dict of quantity to PrintVerdict: of those that are explained.
    """
    wrong = [q for q in claim.numbers if judged[q.quantity].verdict in WRONG]
    differ = [q.quantity for q in wrong if judged[q.quantity].verdict != "not-estimable"]
    found: dict[str, PrintVerdict] = by_definition(claim, fit, values, differ)
    if isinstance(fit, MixedFit):
        for q in wrong:
            if kind_of(q.quantity) == "sigma_p":
                component = fit.component(q.quantity.name)
                p = wald_p(component.sigma, component.se)
                # One other reading only: two digits are hit by chance once in a hundred pages.
                enough = significant_digits(q.printed.text) >= 2
                if enough and judge_print(q, p, float(claim.alpha)).comes_out:
                    ours = values[q.quantity]
                    by_ours = "no p" if math.isnan(ours) else f"{ours:.6g}"
                    note = (
                        f"wald-sigma: comes out if sigma = 0 is tested by z = {component.sigma / component.se:.4g}, as"
                        f" BradleyTerry2's summary does; 0 is the end of sigma's range, where z is not normal (ours:"
                        f" {by_ours}; Laplace's approximation has a test on the boundary)"
                    )
                    found[q.quantity] = PrintVerdict("explained", note, "wald-sigma")
    elif isinstance(fit, ContestFit) and fit.of_contests.link != "logit":
        found |= _by_expected_information(claim, fit, values, judged)
    return found


def wald_p(sigma: float, se: float) -> float:
    """The two-sided p of z = sigma / se, which summary of a BTm prints."""
    return float(two_sided_p(np.array([sigma / se]))[0])


def _by_expected_information(
    claim: Claim, fit: ContestFit, values: Mapping[str, float], judged: Mapping[str, PrintVerdict]
) -> dict[str, PrintVerdict]:
    """All numbers that depend on standard errors, if they come out by the expected information."""
    numbers = [q for q in claim.numbers if kind_of(q.quantity) in OF_ERROR and q.quantity.name in fit.names]
    off = [q for q in numbers if judged[q.quantity].verdict in WRONG]
    if not off or sum(significant_digits(q.printed.text) for q in off) < fewest_digits(1):
        return {}
    errors = fit.bse_expected

    def value(kind: str, name: str) -> float:
        assert errors is not None
        estimate, se = float(fit.params[name]), float(errors[name])
        z = estimate / se
        end = normal_quantile(0.975) * se
        if kind == "p":
            return wald_p(estimate, se) / (2 if claim.sided == 1 else 1)
        return {"se": se, "z": z, "low": estimate - end, "high": estimate + end}[kind]

    theirs = {q.quantity: value(kind_of(q.quantity), q.quantity.name) for q in numbers if errors is not None}
    if not theirs or not all(
        judge_print(q, theirs[q.quantity], float(claim.alpha)).comes_out for q in numbers
    ):
        return {}
    return {
        q.quantity: PrintVerdict(
            "explained",
            f"expected-information: comes out by the expected information, from which R's glm takes standard errors;"
            f" {values[q.quantity]:.8g} by the observed one",
            "expected-information",
        )
        for q in off
    }
