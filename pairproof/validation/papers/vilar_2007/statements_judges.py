"""Tests of what Vilar, Leusch and Ney (2007) call significant, with a judge as the unit."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import InputError
from ...statements.clustered import CODE
from ...statements.registry import Context, Finding, holds, statement_test
from .judges import PairByJudges, pairs_by_judges


@statement_test("pair-by-judges")
def pair_by_judges(context: Context, *, pair: Sequence[str], significant: bool) -> Finding:
    """What the sum of sentences says of a pair, a difference or none, is what the means of the judges say.

    The verdict is that of the t test of the judges' means; sign flips, the clustered log-odds and the test
    that judges answer alike stand beside it.
    """
    found = _of(pairs_by_judges(context.data), pair)
    said = str(found)
    if bool(found.merged.significant) != significant:
        return holds(False, f"summed, it is the other way. {said}", native=found.merged.z)
    if found.significant(context.alpha) == significant:
        kept = "the difference" if significant else "the finding of no significant difference"
        return Finding("agrees", f"{kept} survives clustering by judge. {said}", found.means.statistic)
    return Finding.because(
        CODE,
        f"comes out if all sentences are independent; it does not survive clustering by judge. {said}",
        "explained",
        found.means.statistic,
    )


def _of(pairs: Sequence[PairByJudges], asked: Sequence[str]) -> PairByJudges:
    for found in pairs:
        if {found.merged.first, found.merged.second} == set(asked):
            return found
    raise InputError(
        f"pair {list(asked)}; the pairs that were compared are {', '.join(found.name for found in pairs)}"
    )
