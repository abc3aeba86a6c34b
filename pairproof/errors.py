"""The errors and warnings of the package.

Every message says what was found, what was expected and what to do.  All errors that the package raises on
purpose are kinds of :class:`PairproofError`, and all its warnings are kinds of :class:`PairproofWarning`.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

_PACKAGE = f"{Path(__file__).parent}{os.sep}"


class PairproofError(Exception):
    """Base class of every error that the package raises on purpose.

    Examples
    --------
    >>> import pairproof
    >>> try:
    ...     pairproof.read({"first": ["A"], "second": ["B"], "wins": [-1], "losses": [2]})
    ... except pairproof.PairproofError as error:
    ...     print(error)
    table, row 1, column 'wins': wins is -1; expected a finite number >= 0
    """


class InputError(PairproofError, ValueError):
    """An error in the input: a file, a row, a column, or an option (exit code 3 of the command).

    Examples
    --------
    >>> import pairproof
    >>> pairproof.read({"first": ["A"], "second": ["B"], "wins": [-1], "losses": [2]})
    Traceback (most recent call last):
    pairproof.errors.InputError: table, row 1, column 'wins': wins is -1; expected a finite number >= 0
    """


class PairOrderError(InputError):
    """The order of the pair columns of a wide table is missing, or does not fit the number of items.

    Examples
    --------
    >>> from pairproof.data.reading.layouts import from_wide
    >>> from_wide({"AB": [1]}, items=["A", "B"], coding="first=1,second=2", pair_order="alphabetic")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pairproof.errors.PairOrderError: pair_order has 'alphabetic', which is not a pair of the items...
    """


class CodingError(InputError):
    """An answer has no stated meaning, or is not one of the stated codes.

    Examples
    --------
    >>> import pairproof
    >>> pairproof.read({"first": ["A"], "second": ["B"], "outcome": ["won"]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pairproof.errors.CodingError: table, row 1, column 'outcome': the answer is 'won'; expected exactly 'first', ...
    """


class ItemError(InputError):
    """An item is unknown, missing, compared with itself, or has a name that cannot be used.

    Examples
    --------
    >>> import pairproof
    >>> pairproof.read({"first": ["A"], "second": ["A"], "wins": [1], "losses": [2]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pairproof.errors.ItemError: table, row 1, column 'second': 'A' is compared with itself; remove these rows...
    """


class FormulaError(InputError):
    """A model formula cannot be read, or names a column that the table does not have.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [2], "losses": [1]})
    >>> pairproof.fit_llbt(table, by="age")
    Traceback (most recent call last):
    pairproof.errors.FormulaError: no column 'age' in table; it has no further columns
    """


class AliasError(InputError):
    """Two covariates carry the same information, so their effects cannot be distinguished.

    Examples
    --------
    >>> import pairproof
    >>> answers = {"first": ["A", "A"], "second": ["B", "B"], "wins": [2, 3], "losses": [1, 4]}
    >>> table = pairproof.read({**answers, "age": [30, 40], "born": [1990, 1980]})
    >>> pairproof.fit_llbt(table, by="age + born")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pairproof.errors.AliasError: the effect of born on the items cannot be distinguished from age: ...
    """


class TooLargeError(InputError):
    """The request needs more rows, memory or time than the limit.

    The message gives the size, the limit and an alternative.

    Examples
    --------
    >>> from pairproof.errors import InputError, TooLargeError
    >>> issubclass(TooLargeError, InputError)
    True
    """


class DataNotHere(PairproofError):
    """Data that the package reads but does not ship are not on this machine.

    The message lists the places that were searched.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.errors import DataNotHere
    >>> issubclass(DataNotHere, pairproof.PairproofError)
    True
    """


class NotEstimableError(PairproofError):
    """The data do not determine the quantity, or its estimate is infinite.

    Examples
    --------
    >>> import pairproof, warnings
    >>> warnings.simplefilter("ignore")
    >>> table = pairproof.read({"first": ["A", "C"], "second": ["B", "D"], "wins": [2, 1], "losses": [1, 2]})
    >>> pairproof.fit_llbt(table).contrast("A", "C")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pairproof.errors.NotEstimableError: A - C is not estimable from these data; not connected: ...
    """


class ConvergenceError(PairproofError):
    """The solver stopped before its convergence criterion was met.

    Examples
    --------
    >>> import pairproof
    >>> issubclass(pairproof.ConvergenceError, pairproof.PairproofError)
    True
    """


class ComparisonError(PairproofError):
    """Two fits cannot be compared: they use different data or scales, or are not nested.

    Examples
    --------
    >>> import pairproof
    >>> first, second = (pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [wins], None, [3]))
    ...                  for wins in (5, 6))
    >>> first.compare(second)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pairproof.errors.ComparisonError: the fits use different comparisons: ...
    """


class RError(PairproofError):
    """An error in R, or in the connection to R; the message quotes R's message and the call.

    Attributes
    ----------
    r_message, r_call : str
        R's ``conditionMessage`` and the call that it names; empty if R itself raised no error.
    r_class : tuple of str
        Class of the R condition.
    stack : tuple of str
        The last R calls, outermost first.
    output, warnings : tuple of str
        What R printed, and its warnings, before the error.
    source : str
        "live" if R ran, "recorded" if the error was read from a record.

    Examples
    --------
    >>> import pairproof
    >>> error = pairproof.RError("glm: object 'y' not found", r_message="object 'y' not found", r_call="glm(y ~ x)")
    >>> error.r_message, error.source
    ("object 'y' not found", 'live')
    """

    def __init__(
        self,
        message: str = "",
        *,
        r_message: str = "",
        r_call: str = "",
        r_class: tuple[str, ...] = (),
        stack: tuple[str, ...] = (),
        output: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
        source: str = "live",
    ) -> None:
        super().__init__(message)
        self.r_message = r_message
        self.r_call = r_call
        self.r_class = r_class
        self.stack = stack
        self.output = output
        self.warnings = warnings
        self.source = source


class RUnavailable(RError):
    """R, rpy2 or an R package is not installed; the message says how to install it.

    Examples
    --------
    >>> from pairproof.errors import RError, RUnavailable
    >>> issubclass(RUnavailable, RError)
    True
    """


class RTimeout(RError):
    """R did not answer within the time limit; its process was stopped, and the next call starts a new one.

    Examples
    --------
    >>> from pairproof.errors import RError, RTimeout
    >>> issubclass(RTimeout, RError)
    True
    """


class RCrashed(RError):
    """The R process died during the call; the next call starts a new one.

    Examples
    --------
    >>> from pairproof.errors import RError, RCrashed
    >>> issubclass(RCrashed, RError)
    True
    """


class RDrift(RError):
    """R's answer now differs from the recorded one; the message names the fields and the digits.

    Examples
    --------
    >>> from pairproof.errors import RError, RDrift
    >>> issubclass(RDrift, RError)
    True
    """


class RecordMissing(RError):
    """There is no recorded answer to this R call, and R was not allowed to run.

    Examples
    --------
    >>> from pairproof.errors import RError, RecordMissing
    >>> issubclass(RecordMissing, RError)
    True
    """


class PairproofWarning(UserWarning):
    """Base class of every warning that the package issues.

    Examples
    --------
    >>> import warnings, pairproof
    >>> warnings.simplefilter("error", pairproof.PairproofWarning)  # stop at any of them
    """


class DataWarning(PairproofWarning):
    """A warning about the data that affects the interpretation of results.

    Examples
    --------
    >>> import warnings
    >>> from pairproof.errors import DataWarning
    >>> warnings.simplefilter("ignore", DataWarning)
    """


class RankingWarning(DataWarning):
    """Pairs taken from the same ranking were fitted as if they were independent comparisons.

    Examples
    --------
    >>> import warnings
    >>> from pairproof.errors import RankingWarning
    >>> warnings.simplefilter("ignore", RankingWarning)
    """


def warn_the_caller(message: str, category: type[PairproofWarning]) -> None:
    """Warn at the line outside the package that made the call, whatever calls lie between.

    Parameters
    ----------
    message : str
    category : type of PairproofWarning

    Examples
    --------
    >>> import warnings
    >>> from pairproof.errors import DataWarning, warn_the_caller
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_the_caller("the last line has no line end", DataWarning)
    >>> caught[0].filename.endswith("errors.py")
    False
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
