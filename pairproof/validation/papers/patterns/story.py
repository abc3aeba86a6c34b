"""The report on models of whole answers: digits of each certified model, and what prefmod has otherwise."""

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

    return beside_50_digits.rows(backend, counterparts, checker.paper.data_folder)


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Fewest digits of each model; what is not here; where prefmod's numbers are others."""
    rows = [a for a in agreements if a.paper == beside_50_digits.PAPER and a.about == "native-r"]
    return (_digits(rows), _witnesses(rows), _not_here(rows), PREFMOD)


def _digits(rows: Sequence[Agreement]) -> Story:
    lines = []
    for document in documents():
        own = [a for a in rows if a.claim == document["id"] and a.certified_digits is not None]
        if own:
            worst = min(own, key=lambda a: a.certified_digits or 0.0)
            lines.append(
                (
                    document["id"],
                    own[0].where,
                    f"{len(own)}",
                    f"{worst.certified_digits:.1f}",
                    str(worst.quantity),
                )
            )
    said = (
        "Each number was held against a value of 50 digits, made by code that shares nothing with pairproof:"
        " every pattern, order or set written out, Newton's method at 100 digits, and a proof from the"
        " definition of the model."
    )
    heads = ("data and model", "what it is", "numbers", "fewest digits", "of")
    table = Table(heads, tuple(lines), "pairproof's digits of 50-digit values")
    return Story("Every certified model", (said,), table if lines else None)


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
        else "The optimum in base R was found apart, with every possible answer listed; prefmod stops where"
        " nlm does. The last column says how many of the 50 digits R's number has: where it is small, the"
        " difference is R's."
    )
    without = dict.fromkeys(
        f"{a.claim}: {a.explanation}." for a in rows if a.code in ("no-counterpart", "r-error")
    )
    heads = ("R function", "numbers", "fewest digits shared", "fewest of the 50 digits")
    table = Table(heads, tuple(lines), "Numbers by R function")
    return Story("What was asked of R", (said, *without), table if lines else None)


def _not_here(rows: Sequence[Agreement]) -> Story:
    of_r = ("no-counterpart", "r-error")
    absent = [(a.claim, a.explanation) for a in rows if a.native is None and a.code not in of_r]
    said = (
        "All data were here."
        if not absent
        else "prefmod's own tables may not be copied; they are read from R, and where it is not asked these"
        " models are not checked. The models above are of data that come with pairproof."
    )
    table = Table(("data and model", "why it was not checked"), tuple(absent), "Models without data")
    return Story("Models that were not checked here", (said,), table if absent else None)


PREFMOD = Story(
    "Where prefmod's numbers are others",
    (
        "prefmod's patt*.fit stop where nlm's rule lets them, at a gradient of 1e-6 with numerical"
        " derivatives: its coefficients are 1e-6 to 3e-5 from the maximum, its standard errors 5e-7 to"
        " 3.5e-5, its log-likelihood up to 1e-7 below; the 50 digits say that the difference is prefmod's.",
        "Its stored ll is that of the last Hessian evaluation and up to 1.9e-4 below its own minimum; the"
        " printed deviance of partial rankings and of models of missing answers compares log-likelihoods of"
        " different things, and no df is given. pairproof's deviance is against free probabilities of the"
        " possible answers in each block.",
        "MISbeta of items multiplies the number of missing comparisons of item i by the answer to the i-th"
        " comparison (its defect B3): the fit depends on the order of the items, as the statement"
        " beta-as-coded shows, and is not the documented model.",
        "Categories are counted from what was observed (B1, B4, B18): a comparison in which two of three"
        " answers occurred makes ties losses, and ratings without a one or a five have another model."
        " pairproof is told what could be answered.",
    ),
    None,
)


def worths(checker: Checker) -> tuple[WorthSeries, ...]:
    """None: the models are of eighteen data sets that have nothing to do with each other."""
    return ()
