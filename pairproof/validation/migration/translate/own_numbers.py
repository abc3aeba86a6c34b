"""Do R's numbers of one call belong together?  Only then can an early stop of R excuse a difference.

A fit's rows excuse R where a Newton step from its estimates leads to ours: it stopped short of the maximum
(:mod:`pairproof.validation.r_answers.stopped_short`).  In a migration that would excuse our own mistakes, too: two
coefficients exchanged, or one with the wrong sign, are estimates from which a Newton step leads to the maximum.  R's own
numbers tell the two apart.  With l(b) the log-likelihood of the cells and b R's estimates as they were translated::

    l(max) - l(b)   <=   4 (l(max) - R's log-likelihood)      or they are not the estimates of that likelihood
    |se / R's - 1|  <=   10 sqrt(way), at least 1e-4          `way`: from b to the maximum, in standard errors

The second: R's covariance is that of its last step or the one before, at a distance whose square is about `way`
(Newton's method), and the information changes in proportion to the distance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from ....fit.fit import Fit
from ...verdicts.against_r import OF_SHORTFALL
from ...verdicts.agreement import Agreement, RCounterpart, ScoreCheck

#: Rounding of a log-likelihood, as a share of the comparisons and of itself; score_check sets gaps below a
#: quarter of it to 0.
ROUNDING = 4e-14
#: How far below the maximum R's loosest stop (llbt.fit: a change of 1e-4) may leave estimates, as a share of
#: half the deviance, where R gave no likelihood of ours (half wins, quasi families).
LOOSEST = 1e-4
#: Standard errors: the factor of sqrt(way), and what is always allowed. Observed in the scripts of
#: tests/validation/migration, where they differ by more than 1e-5: at most 0.32 sqrt(way), and 2.6e-5.
OF_ERRORS, ALWAYS = 10.0, 1e-4


def of_one_fit(fit: Fit, answer: RCounterpart, score: ScoreCheck | None) -> ScoreCheck | None:
    """The score check, if R's estimates are those of R's likelihood; None, which excuses nothing, if not."""
    if score is None:
        return None
    size = abs(fit.llf) + fit.n_comparisons
    gaps = [
        sign * (answer.values[name] - ours) / part
        for name, ours, sign, part in (("llf", fit.llf, -1.0, 1.0), ("deviance", fit.deviance, 1.0, 2.0))
        if name in answer.values
    ]
    stated = max(gaps) if gaps else LOOSEST * max(1.0, abs(fit.deviance) / 2)
    return score if score.below <= OF_SHORTFALL * max(stated, 0.0) + ROUNDING * size else None


def errors_of_one_fit(rows: Iterable[Agreement], score: ScoreCheck | None) -> list[Agreement]:
    """The rows, standard errors that differ by more than the distance to the maximum accounts for being so called.

    score: none changes nothing.
    """
    if score is None:
        return list(rows)
    most = max(ALWAYS, OF_ERRORS * math.sqrt(score.way))
    said = f"R's standard errors may differ by {most:.1g} of themselves, so far as its estimates are from the maximum"
    return [
        replace(a, verdict="differs", code="few-digits", explanation=said, r_arrived=True)
        if a.quantity.kind in ("se", "worth_se")
        and a.verdict in ("agrees", "not-checkable")
        and a.native
        and a.r is not None
        and abs(a.r / a.native - 1.0) > most
        else a
        for a in rows
    ]
