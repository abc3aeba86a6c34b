"""BTm: the recorded call as `fit_bradley_terry`, or as R's own BTm through the bridge."""

from __future__ import annotations

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....errors import PairproofError
from .....fit.fit import Fit
from ..registry import translates
from ..translation import Context, Translation
from .contests import Contests, StaysInR, contests_of
from .design import Relation, relation
from .judge import coefficients, of_fit
from .models import HALF, Candidate, candidates
from .tried import tried


@translates("BradleyTerry2::BTm")
def btm(call: RecordedCall, context: Context) -> Translation:
    """A BTm, translated from its result: players, counts, model matrix, formula."""
    try:
        contests = contests_of(call)
        candidate, _, found = native(call, contests)
    except StaysInR as why:
        return Translation("outside", reason=str(why))
    notes = candidate.notes + ((HALF,) if "ties" in candidate.code.keywords else ())
    return Translation("native", candidate.code, judge=of_fit(call, contests, found), notes=notes)


def native(call: RecordedCall, contests: Contests) -> tuple[Candidate, Fit, Relation]:
    """The first candidate that Python fits and whose design is R's.

    Raises
    ------
    StaysInR
        There is none.
    """
    if not contests.halves and "weights" not in call.args:
        raise StaysInR("its counts are neither whole numbers nor halves, and no weights say what they are")
    why = "its formula has no counterpart in fit_bradley_terry"
    known = ~np.isnan(coefficients(call)[0])
    for candidate in candidates(call, contests):
        fit = tried(candidate.code)
        if isinstance(fit, PairproofError):
            why = f"fit_bradley_terry refuses it: {fit}"
            continue
        found = relation(fit, contests, known)
        if found is not None and (found.direct or candidate.any_contrasts):
            return candidate, fit, found
    raise StaysInR(why)
