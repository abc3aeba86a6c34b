"""The registers of what a claim may call: tests of statements, and computations of numbers that no `Fit` has.

A test is given a `Context` and returns a `Finding`.

A claim names a computation, as `compute = "..."`, and prints its numbers in `stat`.  A computation is a
function of a `Request`, registered in the paper's own folder; it gives a `Computed`: its numbers by name,
from native code or from R.  A model that native does not have (bias reduction, random effects) is asked of R
and is said to be `not-run` natively.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...bridge.process.policy import Backend, backend as policy
from ...data.comparisons import Comparisons
from ...errors import InputError, RUnavailable
from ...fit.fit import Fit
from ..verdicts.agreement import RSource, Verdict

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Finding:
    """The result of testing a statement: its verdict, and the numbers behind it in a sentence."""

    verdict: Verdict
    explanation: str
    native: float | None = None
    code: str = ""

    @classmethod
    def because(
        cls, code: str, text: str, verdict: Verdict = "differs-conclusion", native: float | None = None
    ) -> Finding:
        """A finding that a person can accept by its code, which its explanation begins with."""
        return cls(verdict, f"{code}: {text}", native, code)


@dataclass(frozen=True)
class Context:
    """The data and fits of a paper that a test may ask for."""

    data_of: Callable[[str], Comparisons]
    fit_of: Callable[[str], Fit]
    own_data: str
    own_fit: str
    alpha: float
    table_of: Callable[[str], pd.DataFrame] | None = None

    @property
    def data(self) -> Comparisons:
        if not self.own_data:
            raise InputError("this test needs the claim's data; name a data set in the claim")
        return self.data_of(self.own_data)

    @property
    def table(self) -> pd.DataFrame:
        if not self.own_data or self.table_of is None:
            raise InputError("this test needs the claim's data; name a data set in the claim")
        return self.table_of(self.own_data)

    def table_called(self, name: str) -> pd.DataFrame:
        """Another data set of the claims file, as it stands."""
        if self.table_of is None:
            raise InputError(f"this test needs the data set {name!r} of a claims file")
        return self.table_of(name)

    @property
    def fit(self) -> Fit:
        if not self.own_fit:
            raise InputError("this test needs the claim's model; give the claim data and a model")
        return self.fit_of(self.own_fit)


Test = Callable[..., Finding]
Registered = TypeVar("Registered")


TESTS: dict[str, Test] = {}


def _registered(register: dict[str, Registered], name: str, what: str) -> Callable[[Registered], Registered]:
    def register_it(function: Registered) -> Registered:
        assert name not in register, f"two {what} are called {name!r}"
        register[name] = function
        return function

    return register_it


def statement_test(name: str) -> Callable[[Test], Test]:
    """Register a test under the name by which claims files call it."""
    return _registered(TESTS, name, "statement tests")


def run_test(name: str, context: Context, args: Mapping[str, Any]) -> Finding:
    """The finding of a registered test."""
    test = TESTS[name]
    try:
        inspect.signature(test).bind(context, **args)
    except TypeError as error:
        takes = [p for p in inspect.signature(test).parameters][1:]
        raise InputError(f"test {name!r}: {error}; it takes {', '.join(takes) or 'no arguments'}") from error
    return test(context, **args)


def holds(
    true: bool,
    text: str,
    code: str = "false",
    native: float | None = None,
    verdict: Verdict = "differs-conclusion",
) -> Finding:
    """The finding of a test that holds as stated (`true`) or does not."""
    return Finding("agrees", text, native) if true else Finding.because(code, text, verdict, native)


def right_or_erratum(right: bool, text: str, native: float) -> Finding:
    """The finding of a test of the page's own arithmetic: where it is wrong nothing follows from it."""
    return holds(right, text, "erratum", native, "differs")


#: The largest whole number an argument may be.
MOST_WHOLE = 10**6


@dataclass(frozen=True)
class Request:
    """The data, fits, arguments and backend of a claim, for the computation that it names."""

    data_of: Callable[[str], Comparisons]
    table_of: Callable[[str], pd.DataFrame]
    fit_of: Callable[[str], Fit]
    data: str
    args: Mapping[str, Any]
    backend: Backend | None

    def text(self, name: str, default: str | None = None) -> str:
        """The argument of that name, which must be text."""
        value = self._argument(name, "text", default)
        if not isinstance(value, str) or not value:
            raise self._wrong(name, "text", value)
        return value

    def whole(self, name: str) -> int:
        """The argument of that name, a whole number, as TOML has it or as text."""
        return self._as_whole(name, self._argument(name, "a whole number"))

    def number(self, name: str, default: str) -> float:
        """The argument of that name, a finite number, as TOML has it or as text."""
        value = self._argument(name, "a number", default)
        try:
            found = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            found = math.nan
        if not math.isfinite(found):
            raise self._wrong(name, "a number", value)
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """The argument of that name, a list of text."""
        value = self._argument(name, "a list of text")
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            raise self._wrong(name, "a list of text", value)
        return tuple(value)

    def wholes(self, name: str) -> tuple[int, ...]:
        """The argument of that name, a list of whole numbers."""
        value = self._argument(name, "a list of whole numbers")
        if not isinstance(value, list) or not value:
            raise self._wrong(name, "a list of whole numbers", value)
        return tuple(self._as_whole(name, v) for v in value)

    def pairs_by_name(self, name: str) -> dict[str, tuple[str, str]]:
        """The argument of that name, a table of pairs of text: ``{ce = ["Czech", "English"]}``."""
        value = self._argument(name, "a table of pairs of text")
        rows = value.values() if isinstance(value, Mapping) else ()
        pairs = [v for v in rows if isinstance(v, list) and list(map(type, v)) == [str, str]]
        if not pairs or len(pairs) < len(rows):
            raise self._wrong(name, 'a table of pairs of text, such as {ce = ["Czech", "English"]}', value)
        return {key: (v[0], v[1]) for key, v in value.items()}

    def _argument(self, name: str, kind: str, default: Any = None) -> Any:
        if name not in self.args and default is None:
            there = f"; args has {', '.join(map(repr, self.args))}" if self.args else "; there are no args"
            raise InputError(f"this computation needs args.{name}, {kind}{there}")
        return self.args.get(name, default)

    def _as_whole(self, name: str, value: Any) -> int:
        try:
            # An integer of thousands of digits cannot be written out, nor need it be.
            small = not isinstance(value, int) or abs(value) <= MOST_WHOLE
            exact = Decimal(str(value)[:40]) if small and not isinstance(value, bool) else None
        except InvalidOperation:
            exact = None
        if exact is None or not exact.is_finite() or abs(exact) > MOST_WHOLE or exact != int(exact):
            raise self._wrong(name, f"a whole number within {MOST_WHOLE:,}", value)
        return int(exact)

    def _wrong(self, name: str, kind: str, value: Any) -> InputError:
        try:
            shown = repr(value)
        except ValueError:
            shown = "a number with thousands of digits"
        return InputError(f"args.{name} is {shown[:80]}; expected {kind}")


class Remark(NamedTuple):
    """Why a printed number means nothing: a code, by which a person accepts it, and a sentence."""

    code: str
    text: str


@dataclass(frozen=True)
class Computed:
    """The numbers of a computation, by name, from native and from R."""

    native: Mapping[str, float] = field(default_factory=dict)
    r: Mapping[str, float] = field(default_factory=dict)
    r_call: str = ""
    r_source: RSource | None = None
    lacks: str = ""
    remarks: Mapping[str, Remark] = field(default_factory=dict)


Computation = Callable[[Request], Computed]

#: Those of all papers once :mod:`pairproof.validation.check.shipped` has been imported.
COMPUTATIONS: dict[str, Computation] = {}


def computation(name: str) -> Callable[[Computation], Computation]:
    """Register a computation under the name by which claims files call it."""
    return _registered(COMPUTATIONS, name, "computations")


def numbers_from_r(
    request: Request, code: str, arguments: Mapping[str, Any], needs: Sequence[str], label: str, lacks: str
) -> Computed:
    """What R code of ours that ends in a named numeric vector gives, live or from a record."""
    if request.backend is None:
        raise RUnavailable(f"{label}: R was not requested")
    result = policy(request.backend).call(code=code, args=dict(arguments), needs=tuple(needs), label=label)
    value: Any = result.value
    found = dict(zip(value.names, map(float, value.floats())))
    return Computed(r=found, r_call=label, r_source=result.source, lacks=lacks)
