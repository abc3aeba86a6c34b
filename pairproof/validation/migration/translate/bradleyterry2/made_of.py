"""The fitted model that a helper is given: as a Python fit, as R's own through the bridge, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .....bridge.capture.recorded import RecordedCall
from .....bridge.packages.bradleyterry2.fit import ContestModel
from .....errors import FormulaError, InputError
from .....fit.fit import Fit
from .....fit.record import why_not_estimable
from ....verdicts.agreement import Agreement
from ....verdicts.digits import digits_of_agreement
from ....verdicts.floors import floor
from ...code.expressions import Call, Result
from ..rows import not_checkable
from ..translation import Context, Step
from .bridged import bridged_code
from .contests import Contests, StaysInR, contests_of
from .judge import TWICE, WRONG, name_of
from .models import MATRIX

BTM = "BradleyTerry2::BTm"


@dataclass(frozen=True, eq=False)
class Model:
    """A BTm of this run, and its Python value."""

    step: Step

    @property
    def call(self) -> RecordedCall:
        """Of the BTm."""
        return self.step.call

    @property
    def result(self) -> Result:
        """Its value in the script."""
        return Result(self.step.call.id)

    @property
    def fit(self) -> Fit | None:
        """The Python fit; None where it stays in R."""
        return self.step.value if isinstance(self.step.value, Fit) else None

    @property
    def in_words(self) -> Fit | None:
        """The Python fit, if its terms are R's: not the columns of R's model matrix."""
        return None if MATRIX in self.step.translation.notes else self.fit

    def in_r(self, also: str = "") -> Result | Call:
        """R's model through the bridge: its value in the script, or a call that makes it.

        also: a formula whose variables the data must hold too.
        """
        if isinstance(self.step.value, ContestModel) and not also:
            return self.result
        try:
            return bridged_code(self.call, contests_of(self.call), also)
        except (InputError, FormulaError) as error:
            raise StaysInR(f"through the bridge: {error}") from None

    def least(self, kind: str) -> float:
        """Digits that R's own stop of this model leaves of such a number."""
        fit = self.fit
        return 9.0 if fit is None else floor(kind, name_of(self.call, fit)).digits

    def contests(self) -> Contests:
        """Of the BTm."""
        return contests_of(self.call)

    def judged(self, rows: Iterable[Agreement]) -> list[Agreement]:
        """Rows in which a number that the fit cannot have is said to be none, and what R doubled is explained."""
        fit = self.fit
        found = list(rows)
        if fit is None:
            return found
        if fit.not_estimable:
            why = why_not_estimable(fit)
            found = [
                replace(a, verdict="not-estimable", code="not-estimable", explanation=why)
                if a.verdict == "differs" and a.native is None
                else a
                for a in found
            ]
        if any(a.explanation == TWICE for a in self.step.rows):
            found = not_checkable(_doubled(found), TWICE, WRONG)
        return found


def _doubled(rows: Iterable[Agreement]) -> list[Agreement]:
    """The rows, R's number explained where it is ours with each contest counted twice: a statistic or deviance doubled, a
    standard error by the root of 1/2.
    """
    return [
        replace(a, verdict="explained", explanation=TWICE, code=WRONG, accepted=True)
        if a.verdict == "differs"
        and a.native is not None
        and a.r is not None
        and any(digits_of_agreement(by * a.native, a.r) >= (a.floor or 0.0) for by in (2.0, 0.5**0.5))
        else a
        for a in rows
    ]


def model_of(call: RecordedCall, context: Context, argument: str) -> Model:
    """The BTm that is given as an argument, itself or in what BTabilities made of it."""
    made = call.fits.get(argument)
    by_id = {c.id: c for c in context.captured.calls}
    for _ in range(10):
        if made is None or made not in by_id or by_id[made].function != "BradleyTerry2::BTabilities":
            break
        made = by_id[made].fits.get("model")
    step = None if made is None else context.steps.get(made)
    if step is None:
        raise StaysInR("the model that it was given was not fitted by a recorded call of this script")
    if not is_btm(step.call):
        raise StaysInR(f"it is of a fit by {step.call.name}; only those of BTm are written")
    if step.value is None:
        raise StaysInR("the model that it was given has no counterpart in the script")
    return Model(step)


def is_btm(call: RecordedCall) -> bool:
    """Whether a call made a BTm: BTm itself, update, step."""
    return call.function == BTM or "BTm" in call.strings("class")
