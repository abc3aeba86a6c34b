"""BTm: the recorded call as `fit_bradley_terry`, or as R's own BTm through the bridge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RLang
from .....fit.fit import Fit
from ..registry import translates
from ..translation import Context, Translation
from ..tried import tried
from .bridged import by_the_bridge
from .contests import Contests, StaysInR, contests_of
from .design import Relation, relation
from .judge import coefficients, of_fit
from .models import HALF, Candidate, candidates
from .words import terms_of


@translates("BradleyTerry2::BTm")
def btm(call: RecordedCall, context: Context) -> Translation:
    """A BTm, translated from its result: players, counts, model matrix, formula."""
    try:
        contests = contests_of(call)
        candidate, _, found = native(call, contests, added_later(call, context))
    except StaysInR as why:
        return by_the_bridge(call, str(why))
    notes = candidate.notes + ((HALF,) if "ties" in candidate.code.keywords else ())
    return Translation("native", candidate.code, judge=of_fit(call, contests, found), notes=notes)


def added_later(call: RecordedCall, context: Context) -> list[str]:
    """Terms that calls of add1 add to this model, whose covariates its table is to hold."""
    found: list[str] = []
    for other in context.captured.calls:
        scope = other.values.get("scope")
        if other.function == "BradleyTerry2::add1.BTm" and other.fits.get("object") == call.id:
            if isinstance(scope, RLang):
                try:
                    found += terms_of(scope.text)
                except StaysInR:
                    continue  # it is said where the terms are added
    return found


def native(
    call: RecordedCall, contests: Contests, scopes: Sequence[str] = ()
) -> tuple[Candidate, Fit, Relation]:
    """The first candidate that Python fits and whose design is R's."""
    if not contests.halves and "weights" not in call.args:
        raise StaysInR("its counts are neither whole numbers nor halves, and no weights say what they are")
    why = "its formula has no counterpart in fit_bradley_terry"
    known = ~np.isnan(coefficients(call)[0])
    if len(known) != contests.x.shape[1]:
        raise StaysInR("its model matrix and its coefficients were not recorded together")
    for candidate in candidates(call, contests, scopes):
        fit, refused = tried(candidate.code)
        if refused:
            why = f"fit_bradley_terry refuses it: {refused}"
            continue
        found = relation(fit, contests, known)
        if found is not None and (found.direct or candidate.any_contrasts):
            return candidate, fit, found
    raise StaysInR(why)
