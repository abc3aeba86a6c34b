"""The report on annotator models: what was held against which R function, and where 50 digits say who is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....report.blocks import Table
from ...report import Story, WorthSeries
from . import beside_r, together

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend
    from ...check import Checker
    from ...verdicts.agreement import Agreement


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Every number of the models beside R's, and many comparisons of systems."""
    return [*beside_r.rows(checker, backend), *together.rows(checker, backend)]


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Which R functions were asked what; which side has how many of 50 digits."""
    asked = [a for a in agreements if a.paper == beside_r.PAPER and a.about == "native-r" and a.r is not None]
    return (_witnesses(asked), _settled(asked))


def _witnesses(asked: Sequence[Agreement]) -> Story:
    seen: dict[str, list[Agreement]] = {}
    for a in asked:
        seen.setdefault(a.r_call or "", []).append(a)
    lines = []
    for call, rows in seen.items():
        digits = [a.digits for a in rows if a.digits is not None]
        fewest = f"{min(digits):.1f}" if digits else "by error"
        lines.append((call, f"{len(rows)}", fewest, ", ".join(sorted({a.r_source or "" for a in rows}))))
    said = (
        "R has no numbers here: it was not asked."
        if not lines
        else "Location with and without HITs, precision, use of the scale, systems, drift, agreement, repeats and degraded"
        " items, of three sets of simulated scores. lmer, lme and nlminb stop where their own rules let them; base R's"
        " numbers are sums, quantiles and correlations."
    )
    table = Table(
        ("R function", "numbers", "fewest digits shared", "R was"), tuple(lines), "Numbers by R function"
    )
    return Story("What was asked of R", (said,), table if lines else None)


def _settled(asked: Sequence[Agreement]) -> Story:
    seen: dict[tuple[str, str], list[Agreement]] = {}
    for a in asked:
        if a.certified is not None:
            seen.setdefault((a.claim, a.r_call or ""), []).append(a)
    lines = []
    for (claim, call), rows in seen.items():
        own = min(a.certified_digits or 0.0 for a in rows)
        lines.append(
            (
                claim,
                call,
                f"{len(rows)}",
                f"{own:.1f}",
                f"{min(a.r_certified_digits or 0.0 for a in rows):.1f}",
            )
        )
    said = (
        "Where the two sides differ, values of 50 digits say which is right. They were made by dense mixed model"
        " equations in 70-digit arithmetic that share no code with pairproof, and their likelihoods agree with the"
        " definition, a covariance matrix of all scores, in 55 digits."
    )
    heads = ("data, model", "R function", "numbers", "pairproof's fewest digits", "R's fewest digits")
    table = Table(heads, tuple(lines), "Digits that each side has of 50-digit values")
    return Story("Which side is right in the last digits", (said,), table if lines else None)


def worths(checker: Checker) -> tuple[WorthSeries, ...]:
    """None: no pairwise model is among these."""
    return ()
