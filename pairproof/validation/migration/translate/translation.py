"""What a recorded call becomes: Python code, or the reason why there is none, and how its numbers are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ....bridge.capture.recorded import Captured, RecordedCall
from ...verdicts.agreement import Agreement
from ..code.expressions import Call, Expression, Method
from .not_compared import not_compared

#: "native": Python alone. "bridge": R through `pairproof.bridge`. "outside": left out of the Python script.
Route = Literal["native", "bridge", "outside"]
#: What the Python value is, which decides how the script prints it: a `Fit` (summary(), params, ...), R's own
#: answer, or a table or number (both printed as they are).
Speaks = Literal["fit", "r", "value"]
Judge = Callable[[Any], Sequence[Agreement]]


def _nothing(value: Any) -> Sequence[Agreement]:
    return ()


@dataclass(frozen=True, eq=False)
class Translation:
    """A recorded call in Python.

    code: none if "outside".  reason: why it is not "native", in one sentence; "" if it is.  notes: what a
    reader of the Python script must know (half wins, the path of a step), a sentence each.  judge: holds it
    against what R gave in this run, number by number.
    """

    route: Route
    code: Expression | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    speaks: Speaks = "fit"
    judge: Judge = _nothing

    @property
    def shown(self) -> str:
        """ "fit_bradley_terry(...)"; "" if there is no code."""
        code = self.code
        if isinstance(code, Call):
            return code.function.rpartition(".")[2] + "(...)"
        if isinstance(code, Method):
            return f".{code.name}" + ("" if code.arguments is None else "(...)")
        return ""


def outside(reason: str) -> Translation:
    """A call that is left out of the Python script, and why."""
    return Translation("outside", reason=reason)


@dataclass(frozen=True, eq=False)
class Step:
    """A recorded call, its translation, and what came of it.

    value: the Python value; None if there is none.  refused: python's own error, if the code stopped with
    one; "" otherwise.  said: python's warnings.
    """

    call: RecordedCall
    translation: Translation
    value: Any = None
    rows: tuple[Agreement, ...] = ()
    refused: str = ""
    said: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def state(self) -> Literal["native", "bridge", "outside", "refused", "failed", "counted"]:
        """What became of the call: its route; "refused" by Python; "failed" in R itself; "counted" only."""
        if self.call.error:
            return "failed"
        if not self.call.kept or self.by_package:
            return "counted"
        return "refused" if self.refused else self.translation.route

    @property
    def not_compared(self) -> tuple[str, ...]:
        """Numbers that R gave of a fit and no row is about, in words."""
        return not_compared(self.call, self.rows) if self.translation.code is not None else ()

    @property
    def by_package(self) -> bool:
        """Whether another package called the function, for its own ends."""
        return by_package(self.call)


@dataclass(frozen=True, eq=False)
class Context:
    """What a translator may look at beside its call.

    steps: of the calls that ended before it, evaluated already.
    """

    captured: Captured
    steps: Mapping[int, Step] = field(default_factory=dict)

    def fit_of(self, call: RecordedCall, argument: str) -> Step | None:
        """The step that made the fitted model given as `argument`; None if it is none of this run."""
        made = call.fits.get(argument)
        return None if made is None else self.steps.get(made)


#: Package functions that evaluate a call for the user, so that it is the user's own.
USERS_OWN = ("stats::update", "stats::step", "BradleyTerry2::update.BTm", "MASS::stepAIC", "base::")


def by_package(call: RecordedCall) -> bool:
    """Whether a package's function made the call for its own ends (95 PlackettLuce of one pltree)."""
    return bool(call.via) and not call.via.startswith(USERS_OWN)


Translator = Callable[[RecordedCall, Context], Translation]
