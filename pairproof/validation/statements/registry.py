"""The register of tests of statements: what a test is given (`Context`) and what it returns (`Finding`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from ..verdicts.agreement import Verdict

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Finding:
    """The result of testing a statement: its verdict, and the numbers behind it in a sentence.

    explanation: in words, with the numbers.  native: the one number the verdict rests on, where there is one.
    code: why the verdict is not a plain "agrees": one of :data:`pairproof.validation.verdicts.codes.CODES`.
    """

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
    """The data and fits of a paper that a test may ask for.

    own_data, own_fit: the claim's own data set and id; "" if it has none.  table_of: the table as text and
    numbers, exactly as in the claims file.
    """

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


TESTS: dict[str, Test] = {}


def statement_test(name: str) -> Callable[[Test], Test]:
    """Register a test under the name by which claims files call it."""

    def register(test: Test) -> Test:
        assert name not in TESTS, f"two statement tests are called {name!r}"
        TESTS[name] = test
        return test

    return register


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
    """The finding of a test that came out as said (`true`) or did not.

    text: the numbers, in words.  code, verdict: what the statement is if it is not true: ``false``,
    ``misleading`` or ``erratum``.
    """
    return Finding("agrees", text, native) if true else Finding.because(code, text, verdict, native)
