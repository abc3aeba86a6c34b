"""BTm: the recorded call as `fit_bradley_terry`, or as R's own BTm through the bridge."""

from __future__ import annotations

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....errors import PairproofError
from ..registry import translates
from ..translation import Context, Translation
from .contests import Contests, StaysInR, contests_of
from .design import relation
from .judge import coefficients, of_fit
from .models import candidates
from .tried import tried


@translates("BradleyTerry2::BTm")
def btm(call: RecordedCall, context: Context) -> Translation:
    """A BTm, translated from its result: players, counts, model matrix, formula."""
    try:
        contests = contests_of(call)
        return _native(call, contests)
    except StaysInR as why:
        return Translation("outside", reason=str(why))


def _native(call: RecordedCall, contests: Contests) -> Translation:
    """The first candidate that Python fits and whose design is R's."""
    why = "its formula has no counterpart in fit_bradley_terry"
    known = ~np.isnan(coefficients(call)[0])
    for code in candidates(call, contests):
        fit = tried(code)
        if isinstance(fit, PairproofError):
            why = f"fit_bradley_terry refuses it: {fit}"
            continue
        found = relation(fit, contests, known)
        if found is not None:
            return Translation(
                "native", code, judge=of_fit(call, contests, found), notes=_notes(code.keywords)
            )
    raise StaysInR(why)


def _notes(options: object) -> tuple[str, ...]:
    return ()
