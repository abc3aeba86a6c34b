"""Dras (2015) with his four judges as clusters: which differences of systems survive, and why some do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....data.columns import Factor
from ....data.comparisons import Comparisons
from ....fit.many.p_values import log10_holm
from ....fit.tails import p_words
from ....native.ranking import by_judge
from ...report import Story
from ...statements.clustered import Effect, effects_of
from ..under_clustering import effects_table

if TYPE_CHECKING:
    from ...check import Checker

FloatArray = NDArray[np.float64]

#: The paper's ranking, best first.
RANKING = ("A", "D", "B", "C")
ALPHA = 0.05


def under_clustering(checker: Checker) -> Story:
    """The section of the report: every pair of systems and the tie parameter, clustered by judge."""
    fit = checker.fit("table-1")
    effects = effects_of(fit, ["judge"], list(combinations(RANKING, 2)), {"tie": "negative"})
    return Story(
        "The four judges as clusters: what survives",
        (
            (
                f"The paper takes the {fit.n_comparisons:,.0f} answers of Table 1 as independent. They are"
                " those of four judges, and a judge's answers go together: judge 3 puts D above A and C"
                " above B, the others the other way. The table has each difference of two systems with the"
                " model's own standard error and with one that is clustered by judge (CR2, Satterthwaite's"
                " degrees of freedom)."
            ),
            _said(effects),
            _first_pair(checker.data("table-1")),
            (
                "With four clusters the p-values of the table are rough. The effects of judge 3 (o1:SUBJ3,"
                " o2:SUBJ3) have no clustered standard error, since that judge alone determines them; the"
                " counts of ModPref and of Collins et al. come without judges. None of this is an error of"
                " the paper, which says that a judge would typically be a random effect and is a covariate"
                " there for a simple illustration."
            ),
        ),
        effects_table(effects, "by judge", ALPHA, "Table 1 as headed; differences on the lambda scale"),
    )


def _said(effects: Sequence[Effect]) -> str:
    kept = [e.name for e in effects if e.survives(ALPHA)]
    lost = [e.name for e in effects if not e.survives(ALPHA)]
    ratios = [e.clustered[0].se / e.independent.se for e in effects if e.name != "tie"]
    return (
        f"Significant at 5 % before and after are {', '.join(kept)}; no longer significant are"
        f" {', '.join(lost)}. The standard errors of the differences are {min(ratios):.1f} to"
        f" {max(ratios):.1f} times as long. What remains of the ranking A-D-B-C is that A and D stand above"
        " B, and D above C; which of A and D is best, and which of B and C is worst, is not settled. That"
        f" ties are rare survives. These are tests one by one; {_together(effects)}."
    )


def _together(effects: Sequence[Effect]) -> str:
    """Which differences of systems survive Holm's adjustment for all of them."""
    pairs = [e for e in effects if e.name != "tie"]
    adjusted = 10.0 ** log10_holm(np.log10([e.clustered[0].p for e in pairs]))
    said = [f"{e.name} (p = {p_words(float(p), digits=2)})" for e, p in zip(pairs, adjusted) if p < ALPHA]
    lost = [
        f"{e.name} (p = {p_words(float(p), digits=2)})"
        for e, p in zip(pairs, adjusted)
        if p >= ALPHA and e.survives(ALPHA)
    ]
    gone = f", and {', '.join(lost)} does not" if lost else ""
    return f"of the {len(pairs)} differences together (Holm) {' and '.join(said) or 'none'} remain{gone}"


def _first_pair(table: Comparisons) -> str:
    """Judges' own means of A over D, which show where the spread comes from."""
    first, second, ties = judges_of_pair(table, "A", "D")
    means = (first - second) / (first + second + ties)
    t = by_judge.judge_means(first, second, ties)
    differ = by_judge.judges_differ(first, second, ties)
    return (
        "A and D, where they met: the judges' mean preferences for A are"
        f" {', '.join(f'{m:+.3f}' for m in means)}; their t is {t.statistic:.2f} on {t.df:.0f} degrees of"
        f" freedom (p = {p_words(t.p, digits=2)}). The judges differ there (chi-square"
        f" {differ.statistic:.1f} on {differ.df:.0f} df, p = {p_words(differ.p, digits=2)}). By the signs of"
        f" the judges' means p is {_signs(table)}: an exact test of four judges cannot give less than 1/8."
    )


def _signs(table: Comparisons) -> str:
    """Exact p of each pair of systems by the signs of the judges' means."""
    found = {
        f"{a} - {b}": by_judge.sign_flips(*judges_of_pair(table, a, b)).p for a, b in combinations(RANKING, 2)
    }
    return ", ".join(f"{p_words(p, digits=3)} for {pair}" for pair, p in found.items())


def judges_of_pair(table: Comparisons, one: str, other: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Each judge's answers for one item, for the other, and undecided ones."""
    judges = table.columns["judge"]
    assert isinstance(judges, Factor)
    a, b = table.items.index(one), table.items.index(other)
    out = np.zeros((3, len(judges.levels)))
    for first, second, sign in ((a, b, 1), (b, a, -1)):
        rows = (table.first == first) & (table.second == second)
        counts = (table.wins[rows], table.losses[rows])[::sign]
        for line, values in zip(out, (*counts, table.ties[rows])):
            np.add.at(line, judges.codes[rows], values)
    return out[0], out[1], out[2]
