"""One tree of errors. Each message says what was found, what was expected, and what to do.

Catch :class:`PairproofError` to catch everything this package raises on purpose.  Warnings are a tree of
their own under :class:`PairproofWarning`.
"""

from __future__ import annotations


class PairproofError(Exception):
    """Something pairproof refuses to do, or cannot do, and says why."""


class InputError(PairproofError, ValueError):
    """Bad input or bad usage: a file, a row, a column, an option (exit code 3)."""


class PairOrderError(InputError):
    """A wide table whose column order is not stated, or does not fit its number of items."""


class CodingError(InputError):
    """A response whose meaning is not stated, or that is not among the stated codes."""


class ItemError(InputError):
    """An item that is unknown, missing, compared with itself, or whose name cannot be used."""


class FormulaError(InputError):
    """A model formula that cannot be read, or that names something the table does not have."""


class AliasError(InputError):
    """Two covariates that carry the same information, so neither effect can be told from the other."""


class TooLargeError(InputError):
    """More rows, memory or time than is spent without warning; the message has the sizes and what to ask for
    instead.
    """


class DataNotHere(PairproofError):
    """Data that are read in place and never shipped are not on this machine; the message says where they are
    looked for.
    """


class NotEstimableError(PairproofError):
    """A quantity the data say nothing about, or that is infinite."""


class ConvergenceError(PairproofError):
    """The solver stopped before its rule was met."""


class ComparisonError(PairproofError):
    """Two fits that cannot be compared: other data, other scale, not nested."""


class RError(PairproofError):
    """R raised an error; the message carries R's own words and the call.

    Attributes
    ----------
    r_message, r_call : str
        R's ``conditionMessage`` and the call it names; empty where the trouble is not R's own error.
    r_class : tuple of str
        Class of the R condition.
    stack : tuple of str
        The last R calls, outermost first.
    output, warnings : tuple of str
        What R had printed, and warned of, before it stopped.
    source : str
        "live" or "recorded".
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
    """R, rpy2 or an R package is not here; the message names the cure."""


class RTimeout(RError):
    """R did not answer in time; its process was ended and the next call starts a new one."""


class RCrashed(RError):
    """The R process died during the call; the next call starts a new one."""


class RDrift(RError):
    """R, asked again, answers otherwise than its record; the message names the fields and the digits."""


class RecordMissing(RError):
    """No recorded result of this R call, and R itself was not to be asked."""


class PairproofWarning(UserWarning):
    """Base of every warning raised here."""


class DataWarning(PairproofWarning):
    """Something about the data a reader of the result must know."""


class RankingWarning(DataWarning):
    """The pairs of rankings were fitted as if they were independent comparisons."""
