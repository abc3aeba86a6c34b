"""The report on inference: what was held against which R function, and where R's obvious call is another estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....report.blocks import Table
from ...report import Story, WorthSeries
from . import by_judges, limits, many

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend
    from ...check import Checker
    from ...verdicts.agreement import Agreement

PAPER = "inference"


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Joint tests, many comparisons, ranks, bootstrap and profile limits, two systems by judges."""
    return [*by_judges.rows(checker, backend), *many.rows(checker, backend), *limits.rows(checker, backend)]


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """What R gives of a raw glm; which R functions were asked what."""
    return (_raw_glm(checker, agreements), _witnesses(agreements))


def _raw_glm(checker: Checker, agreements: Sequence[Agreement]) -> Story:
    own = checker.fit("dras-bradley-terry-cr2").bse
    lines = [("Fit.clustered, CR2", *(f"{float(own[i]):.6f}" for i in "ABC"))]
    for claim in checker.paper.claims:
        found = {a.quantity.name: a.r for a in agreements if a.claim == claim.id and a.r is not None}
        if claim.compute == "errors-of-a-raw-glm" and found:
            shown = (f"{found[i]:.6f}" if found.get(i) is not None else "-" for i in "ABC")
            lines.append((claim.where.partition(";")[0], *shown))
    return Story(
        "Why clubSandwich is asked on whitened rows",
        (
            (
                "clubSandwich takes the root of its adjustment in the units of the raw response. On a binomial or"
                " Poisson glm CR2 is then another rotation of the same unbiased estimator, and depends on how the"
                " comparisons of a judge are cut into rows and on the nuisance constants. Below: Dras's Table 1, ties"
                " dropped, standard errors of A, B and C against D by four judges."
            ),
            (
                "On whitened rows, an ordinary regression with the scores and the information of the comparisons, it"
                " depends on neither, and that is what pairproof gives. CR0 and CR1 are the same in every form;"
                " sandwich's HC1 counts rows and is not."
            ),
        ),
        Table(("R was asked for", "A", "B", "C"), tuple(lines), "Standard errors of one model of one table"),
    )


def _witnesses(agreements: Sequence[Agreement]) -> Story:
    """Numbers and fewest digits by R function."""
    seen: dict[str, list[Agreement]] = {}
    for a in agreements:
        if a.paper == PAPER and a.about == "native-r" and a.r is not None and a.r_call:
            seen.setdefault(a.r_call, []).append(a)
    lines = []
    for call, rows in seen.items():
        digits = [a.digits for a in rows if a.digits is not None]
        sources = sorted({a.r_source or "" for a in rows})
        lines.append(
            (call, f"{len(rows)}", f"{min(digits):.1f}" if digits else "by error", ", ".join(sources))
        )
    said = "R has no numbers here: it was not asked." if not lines else (
        "Each method is held against the R function that has it, at the digits which the arithmetic of that function"
        " allows. Two-way CR2 has no R function: what is checked is the sum of its three parts."
    )  # fmt: skip
    table = Table(
        ("R function", "numbers", "fewest digits shared", "R was"), tuple(lines), "Numbers by R function"
    )
    return Story("What was asked of R", (said,), table if lines else None)


def worths(checker: Checker) -> tuple[WorthSeries, ...]:
    """None: the tables are made up or another paper's."""
    return ()
