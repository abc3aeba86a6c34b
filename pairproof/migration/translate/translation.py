"""What a recorded call becomes: Python code or the reason why there is none, and who compares its numbers.

`translates` registers the function that translates the calls of an R function.  Code is evaluated before it
is settled on: where Python refuses what R has an answer for, the call goes to R, with Python's own sentence
as the reason.  Numbers that R gave of a fit and that no row of its section is about are named, so that nobody
takes them for compared.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...bridge.capture.recorded import Captured, NotRecorded, RecordedCall
from ...bridge.values.convert import csv_text
from ...bridge.values.nodes import RVector
from ...errors import PairproofError
from ...fit.fit import Fit
from ...validation.verdicts.agreement import Agreement
from .python_code import Call, Expression, Method, evaluate, files
from .recorded_answers import StaysInR, needed, stays_if

#: Where the functions of R packages are in Python.
BRIDGE = "pairproof.bridge"
#: Name of a recorded number -> what a reader calls it, and the kinds of rows that compare it.
NUMBERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "coef": ("estimates", ("estimate", "coef", "b", "mass")),
    "vcov": ("standard errors", ("se",)),
    "se": ("standard errors", ("se",)),
    "zeta": ("thresholds", ("estimate", "coef", "zeta")),
    "loglik": ("log-likelihood", ("llf", "ll", "loglik")),
    "ll": ("stored log-likelihood", ("ll",)),
    "fl": ("log-likelihood of the saturated model", ("fl",)),
    "loglik_df": ("number of parameters", ("loglik_df",)),
    "aic": ("AIC", ("aic_glm",)),
    "deviance": ("deviance", ("deviance", "deviance_polr")),
    "df_residual": ("residual degrees of freedom", ("df_resid", "df_residual")),
    "null_deviance": ("null deviance", ("null_deviance",)),
    "df_null": ("null degrees of freedom", ("df_null",)),
    "penalized_deviance": ("penalised deviance", ("penalised_deviance",)),
    "sigma": ("standard deviation of the random effects", ("sigma",)),
    "sigma_se": ("its standard error", ("sigma_se",)),
    "effects": ("random effects", ("effect",)),
    "theta": ("theta", ("theta", "sigma")),
    "adherence": ("adherence", ("adherence",)),
}


def not_compared(call: RecordedCall, rows: Sequence[Agreement]) -> tuple[str, ...]:
    """What R gave of a fit and no row is about, in words; never a coefficient: rows are of all or of none."""
    if "coef" not in call.result:
        return ()
    kinds = {a.quantity.kind for a in rows}
    lacking = [n for n, (_, of) in NUMBERS.items() if not kinds & {*of} and _has_number(call.result.get(n))]
    return tuple(dict.fromkeys(NUMBERS[n][0] for n in lacking))


def _has_number(value: object) -> bool:
    if not isinstance(value, RVector) or value.values.dtype.kind not in "fi" or value.levels is not None:
        return False
    return bool(np.isfinite(value.floats()).any())


#: "native": Python alone. "bridge": R through `pairproof.bridge`. "outside": left out of the Python script.
Route = Literal["native", "bridge", "outside"]
Judge = Callable[[Any], Sequence[Agreement]]


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
    judge: Judge = lambda value: ()

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
    one; "" otherwise.  said: python's warnings.  failed: a defect of pairproof that stopped it.
    """

    call: RecordedCall
    translation: Translation
    value: Any = None
    rows: tuple[Agreement, ...] = ()
    refused: str = ""
    said: tuple[str, ...] = ()
    seconds: float = 0.0
    failed: str = ""

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
        """Whether another package called the function, for internal use."""
        return by_package(self.call)


@dataclass(frozen=True, eq=False)
class Context:
    """What a translator may look at beside its call: the steps of calls that ended before it."""

    captured: Captured
    steps: Mapping[int, Step] = field(default_factory=dict)

    def fit(self, call: RecordedCall, argument: str) -> Step:
        """The step of the model given as `argument`, or of which that was made; the call stays in R where none has a value."""
        made, said = call.fits.get(argument), call.args.get(argument, argument)
        step = self._named(call, argument) if made is None else self.steps.get(made)
        while step is not None and "model" in step.call.fits:  # BTabilities of a BTm
            step = self.steps.get(step.call.fits["model"])
        changed = next((str(place) for variable, place in self.captured.changed if variable == said), "")
        if step is None and changed:
            raise StaysInR(f"{said} is no longer a fit: the script changed its numbers in {changed}")
        step = needed(step, f"{said} is not a model from a recorded call of this run")
        stays_if(step.value is None, f"{said} is not in the Python script")
        return step

    def fits(self, call: RecordedCall) -> list[Step]:
        """Those of the models given as `object`, `..1`, `..2`, ..., in R's order."""
        given = [f"..{k}" for k in range(1, len(call.args) + 1) if f"..{k}" in call.args]
        return [self.fit(call, name) for name in ["object"] * ("object" in call.args) + given]

    def _named(self, call: RecordedCall, argument: str) -> Step | None:
        """The fit that the variable held, where the script has since changed its names or its call, but no number."""
        name = call.args.get(argument, "")
        changed = {variable for variable, _ in self.captured.changed}
        known = [s for s in self.steps.values() if s.call.variable == name and name and not s.call.helper]
        return known[-1] if known and name not in changed else None


#: Package functions that evaluate a call for the user, so that it is the user's own.
USERS_OWN = ("stats::update", "stats::step", "BradleyTerry2::update.BTm", "MASS::stepAIC", "base::")


def by_package(call: RecordedCall) -> bool:
    """Whether a package's function made the call for internal use (95 PlackettLuce of one pltree)."""
    return bool(call.via) and not call.via.startswith(USERS_OWN)


Translator = Callable[[RecordedCall, Context], Translation]
InR = Callable[[RecordedCall, Context, str], Translation]


#: R function with its package -> its translator.
TRANSLATORS: dict[str, Translator] = {}
#: The same -> how a call stays in R, for a reason.
IN_R: dict[str, InR] = {}


class OutOfTime(BaseException):
    """A call took more of the processor than it may; no `except Exception` of what it calls stops it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise OutOfTime after so many seconds of the processor; where signals can be had: on POSIX, in the main thread."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def bridged(
    why: str, function: str, arguments: Sequence[Any], options: Mapping[str, Any], judge: Judge
) -> Translation:
    """A call of R's own function, "eba.eba", through the bridge, and why."""
    return Translation("bridge", Call(f"{BRIDGE}.{function}", tuple(arguments), options), why, judge=judge)


def in_r(*functions: str) -> Callable[[InR], InR]:
    """Registers how calls of these R functions stay in R."""

    def register(way: InR) -> InR:
        IN_R.update(dict.fromkeys(functions, way))
        return way

    return register


def kept_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """The call through the bridge; left out of the script where that cannot be."""
    try:
        return IN_R[call.function](call, context, why) if call.function in IN_R else outside(why)
    except (StaysInR, NotRecorded, PairproofError) as lost:
        return outside(why if str(lost) == why else f"{why}; through the bridge: {lost}")
    except Exception as error:
        return outside(f"{why}; through the bridge: {type(error).__name__}: {error}, a defect of pairproof")


def translates(*functions: str) -> Callable[[Translator], Translator]:
    """Registers a translator of these R functions; what it says stays in R goes there, or is left out of the script."""

    def register(translator: Translator) -> Translator:
        @wraps(translator)
        def translated(call: RecordedCall, context: Context) -> Translation:
            try:
                return translator(call, context)
            except (StaysInR, NotRecorded, PairproofError) as said:
                why = str(said)
            except Exception as error:  # a defect of ours loses this call and no other
                why = f"its translation failed ({type(error).__name__}: {error}), a defect of pairproof"
            return kept_in_r(call, context, why)

        for name in functions:
            if name in TRANSLATORS:
                raise ValueError(f"{name} has two translators")
            TRANSLATORS[name] = translated
        return translated

    return register


def tried(code: Expression, results: Mapping[int, Any] | None = None) -> tuple[Any, str]:
    """The value of code and "", or None and why Python refuses it."""
    with tempfile.TemporaryDirectory(prefix="pairproof-tried-") as folder:
        names = ((file, f"table{k + 1 if k else ''}.csv") for k, file in enumerate(files(code)))
        places = {file: Path(folder) / name for file, name in names}
        for file, path in places.items():
            path.write_text(csv_text(file.columns), encoding="utf-8")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the script shows them when it is run
                return evaluate(code, places.__getitem__, results or {}), ""
        except PairproofError as error:
            return None, " ".join(str(error).replace(f"{folder}{os.sep}", "").split())


def made(code: Call) -> Any:
    """The value of a call; where Python refuses it, it stays in R."""
    value, refused = tried(code)
    if refused:
        raise StaysInR(f"{code.function.rpartition('.')[2]} refuses it: {refused}")
    return value


def stays_unless_finite(code: Expression, said: str) -> None:
    """A call of a fitting function stays in R where Python has no finite estimates; said: what its numbers then are."""
    fit, why = tried(code)
    lost = [str(n) for n, v in fit.params.items() if np.isnan(v)] if isinstance(fit, Fit) else []
    why = f"the estimate of {', '.join(lost[:6])} is infinite or not determined" if lost else why
    stays_if(why, f"{said}: {why}")


#: Why functions have no place in the script, in which their calls are named only.
OF_DESIGN = (
    "it makes the table of a Poisson model; fits to it are translated with a table of the answers themselves"
)
LEFT_OUT = {
    "neither pairproof nor its bridge has this function": "eba::circular",
    "the tables of the fits contain the rows that it makes": "BradleyTerry2::countsToBinomial",
    OF_DESIGN: "prefmod::llbt.design prefmod::patt.design",
    "it makes a table of answers, which is in the files of the calls that use it": "prefmod::expand.mat prefmod::simPC prefmod::simR",
}


def _named_only(why: str) -> Translator:
    """The translator of calls that are left out."""
    return lambda call, context: outside(why)


for _why, _functions in LEFT_OUT.items():
    translates(*_functions.split())(_named_only(_why))
