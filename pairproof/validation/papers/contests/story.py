"""The report on models of contests: digits of each certified model, what each R function shares, and R's own floors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....report.blocks import Table
from ...report import Story, WorthSeries
from . import beside_50_digits
from .documents import documents

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend
    from ...check import Checker
    from ...verdicts.agreement import Agreement


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Every number of every certified model."""
    from ...r_answers import counterparts

    return beside_50_digits.rows(backend, counterparts)


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Fewest digits of each model and of each R function; where R's numbers are others."""
    rows = [a for a in agreements if a.paper == beside_50_digits.PAPER and a.about == "native-r"]
    return (_digits(rows), _witnesses(rows), DEFECTS)


def _digits(rows: Sequence[Agreement]) -> Story:
    lines = []
    for document in documents():
        own = [a for a in rows if a.claim == document["id"] and a.certified_digits is not None]
        if own:
            worst = min(own, key=lambda a: a.certified_digits or 0.0)
            n = len({str(a.quantity) for a in own})
            lines.append(
                (document["id"], own[0].where, f"{n}", f"{worst.certified_digits:.1f}", str(worst.quantity))
            )
    said = (
        "Each number was held against a value of 50 digits (40 with random effects by quadrature), made by code that"
        " shares nothing with pairproof: Newton's method at 100 digits, lattices of another step and radius, and a"
        " proof from the definition of the model."
    )
    heads = ("contests and model", "what it is", "numbers", "fewest digits", "of")
    table = Table(heads, tuple(lines), "pairproof's digits of 50-digit values")
    return Story("Every certified model of contests", (said,), table if lines else None)


def _witnesses(rows: Sequence[Agreement]) -> Story:
    seen: dict[str, list[Agreement]] = {}
    for a in rows:
        if a.r is not None and a.r_arrived and a.digits is not None:
            seen.setdefault(a.r_call or "", []).append(a)
    lines = []
    for call, own in seen.items():
        settled = [a.r_certified_digits for a in own if a.r_certified_digits is not None]
        shared = min(a.digits for a in own if a.digits is not None)
        lines.append((call, f"{len(own)}", f"{shared:.1f}", f"{min(settled):.1f}" if settled else "-"))
    said = (
        "R has no numbers here: it was not asked."
        if not lines
        else "BTm stands here twice: fitted again from its own solution, and as it is called, where its own stopping rule"
        " is the floor. The last column says how many of the 50 digits R's number has: where it is small, the"
        " difference is R's."
    )
    without = dict.fromkeys(f"{a.explanation}." for a in rows if a.code in ("no-counterpart", "r-error"))
    heads = ("R function", "numbers", "fewest digits shared", "fewest of the 50 digits")
    table = Table(heads, tuple(lines), "Numbers by R function")
    return Story("What was asked of R", (said, *without), table if lines else None)


DEFECTS = Story(
    "Where R's numbers are others",
    (
        "BTm's standard errors are those of the step before its last: up to 1.3e-4 off on the chameleons. Fitted again"
        " from its own solution they have 12 digits and more.",
        "Standard errors of probit and cauchit models are of the observed information here, of the expected one in R;"
        " base R works out the observed one at glm's estimates, and the two agree.",
        "Bias reduction of the Poisson form (brglm2 with ties) also moves the contests' totals: it is another estimate than"
        " that of the conditional likelihood, which base R reaches by scoring.",
        "glmer's optimiser stops 7 to 8 digits into sigma, fewer where the likelihood is flat; Laplace's approximation"
        " written out in base R has 10 and more. glmmPQL tests sigma = 0 by Wald's z, on the boundary: for the four"
        " players p = .0916, where the likelihood ratio at the boundary has .0064.",
    ),
    None,
)


def worths(checker: Checker) -> tuple[WorthSeries, ...]:
    """None: the models are of twelve data sets that have nothing to do with each other."""
    return ()
