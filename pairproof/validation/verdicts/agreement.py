"""`Agreement`: one quantity with its printed, native, R and 50-digit values, the verdict on them, its code, and
whether a person accepted it.

A row's explanation is a sentence for people and may be reworded at any time; its code, one fixed word, is
what programs and `accept` in a claims file go by.  Beside the codes listed here a row can carry the name of a
known slip (`pair-order`, `stopped-early`, ...; :mod:`pairproof.validation.slips`), several joined by "+", or
the name of a reading that the claims file itself gives.

`accept` in a claims file lists the explanations that a person agreed with, by code.  Files written before
there were codes could name the text of an explanation up to its first colon; `OLD_WORDINGS` turns those into
codes.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from ...data.options import one_of
from ...errors import InputError
from ...files.packaged import packaged_toml
from ...fit.fit import Fit
from ...text import quoted
from ..claims.paper import Claim
from ..claims.quantities import Quantity

#: What verdicts and codes mean, and which wordings stand for a code.
VOCABULARY = packaged_toml(__package__, "codes.toml")
#: Code -> what it says about the row.
CODES: dict[str, str] = VOCABULARY["codes"]
#: Old wordings (an explanation up to its first colon, as a regular expression) and the code of each.
OLD_WORDINGS: tuple[tuple[str, str], ...] = tuple((old, code) for old, code in VOCABULARY["old"]["wordings"])

#: Codes of numbers of an R call that did not reach its maximum.
R_STOPPED = ("r-stopped-early", "r-not-converged", "r-towards-infinity")
#: The code of a printed number whose row is none of the data's items: not compared, and not for want of R.
NO_SUCH_ITEM = "no-such-item"
NOT_A_NUMBER = "not-a-number"
#: The code of the row that says which items of the data a page does not list.
OTHER_MODELS = "other-models"
#: The code of printed numbers that no model reproduces that was tried: they are of another one, or wrong.
ANOTHER_MODEL = "another-model"
#: The code of the row that says which columns of a page were not read and should be named.
COLUMNS_NOT_READ = "columns-not-read"
#: Codes that say only *that* numbers differ.  To accept one would be to accept any number.
ONLY_DIFFERENT = (
    *("other-value", "other-sign", "other-order", "other-significance", "significance-mark"),
    *("cut-not-rounded", "misprint", "consequence", "few-digits", "few-certified-digits"),
    *("native-not-at-maximum", "native-standard-errors", "one-side-only"),
)


Verdict = Literal[
    "agrees",
    "agrees-truncated",
    "agrees-k-of-m",
    "agrees-other-definition",
    "immaterial",
    "explained",
    "ambiguous",
    "differs",
    "differs-conclusion",
    "not-estimable",
    "not-checkable",
    "not-run",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
RSource = Literal["live", "recorded"]
_NUMBERS = (
    *("size", "native", "r", "digits", "floor"),
    *("certified_digits", "r_certified_digits", "certified_floor"),
)
#: What a row is about: a number on the page, a claim in words, a number that only native and R have, or
#: whether printed numbers fit each other.
About = Literal["printed", "statement", "native-r", "arithmetic"]

#: Verdicts that need nobody's attention.
AGREEING: tuple[Verdict, ...] = ("agrees", "agrees-truncated", "agrees-k-of-m", "agrees-other-definition")
#: Verdicts that a person can accept by naming the row's code under `accept` in a claims file.  "not-run" is
#: accepted where native has no such model and another engine was asked; the row still reads "not-run".
_FAILING: tuple[Verdict, ...] = ("explained", "ambiguous", "differs", "differs-conclusion")
ACCEPTABLE: tuple[Verdict, ...] = (*_FAILING, "not-checkable", "not-run")

#: Fields that the JSON does not have.
_INTERNAL = ("r_arrived", "certified_floor", "place", "no_record")
#: Native is at the maximum if a Newton step from its estimates moves none of them by more than this fraction
#: of its standard error, and its standard errors equal those of the information within this relative error.
#: A displacement of a millionth of a standard error is therefore noticed.  Observed on 110 random tables
#: (`tests/validation/slips/stress.py`) that have a maximum: at most 4.1e-13 and 1.8e-15.
AT_MAXIMUM = 1e-8
#: The fraction of the distance from R's estimates to native's that may remain after a Newton step; near the
#: maximum about the square of the distance remains.
LEFT = 0.1


@dataclass(frozen=True)
class Agreement:
    """One row of a report: a quantity, its value from each source, and the verdict.

    paper, claim: their ids; "" for a fit that is checked by itself.  quantity: named as in
    :mod:`pairproof.validation.claims.quantities`; the text of the name is accepted too.  printed: as it
    stands on the page.  native, r: none: no value (not estimable, or not asked).  r_call: the R function that
    gave `r`, with its package.  certified: 50-digit value, as text.  digits: of native against R (against
    certified if R was not asked), at most 16; None for means of draws, which are judged by their Monte Carlo
    error (`explanation` says how).  verdict: "not-run" until a comparison sets it, so a row never agrees by
    default.  explanation: a sentence for people; no program decides by it.  accepted: a person agreed with
    this explanation: `code` is listed under the claim's `accept`.  floor: digits required, from floors.toml.
    certified_digits: of native against certified.  r_certified_digits: of R against certified; they show
    which is right where native and R differ.  where: page, section or table.  r_arrived: false: R stopped
    before it reached the maximum, or drew too few random points; its number is shown but cannot check
    native's.  code: why the row has its verdict, in one fixed word
    (:mod:`pairproof.validation.verdicts.agreement`), the name of a slip, or the name of a reading in the claims
    file; "" for a row that agrees and has nothing to explain.  certified_floor: digits required of
    `certified_digits`, where they are not those of a model of comparisons.  no_record: whether R could not be
    asked, and no record stood in for it.  place: where `native` stands in the value that a migrated script
    computes ("df / item"); "" where it stands nowhere in it, or in a fit, which has names.  size: how far printed and
    native are apart, in standard errors of the quantity, where they do not agree; None where it has none.
    finding: what rows have in common that one finding makes differ, a misprint and what follows from it; ""
    where none does.
    """

    paper: str
    claim: str
    quantity: Quantity
    printed: str | None = None
    native: float | None = None
    r: float | None = None
    r_call: str | None = None
    r_source: RSource | None = None
    certified: str | None = None
    digits: float | None = None
    verdict: Verdict = "not-run"
    explanation: str = ""
    accepted: bool = False
    floor: float | None = None
    certified_digits: float | None = None
    r_certified_digits: float | None = None
    where: str = ""
    about: About = "printed"
    r_arrived: bool = True
    code: str = ""
    certified_floor: float | None = None
    no_record: bool = False
    place: str = ""
    size: float | None = None
    finding: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantity", Quantity.parse(self.quantity))
        for name in _NUMBERS:  # Python's own numbers: the repr of NumPy's names their type
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, float(value))
        one_of("verdict", self.verdict, VERDICTS)
        if self.r_source is not None:
            one_of("r_source", self.r_source, get_args(RSource))

    @classmethod
    def of_claim(
        cls, paper: str, claim: Claim, name: str, verdict: Verdict, explanation: str, code: str, **given: Any
    ) -> Agreement:
        """A row of a claim; what is not given has no value."""
        given.update(verdict=verdict, explanation=explanation, code=code)
        return cls(paper, claim.id, Quantity.parse(name), where=claim.where, **given)

    @property
    def passes(self) -> bool:
        """Whether the row needs no attention."""
        if self.verdict == "not-estimable":
            return self.printed is None
        return self.accepted or self.verdict in (*AGREEING, "immaterial", "not-checkable")

    def to_dict(self) -> dict[str, Any]:
        """The object of interfaces' JSON; what was added to it later comes last."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _INTERNAL}
        for name, value in values.items():
            if isinstance(value, float) and not math.isfinite(value):
                values[name] = None
        return {**values, "quantity": str(self.quantity)}


@dataclass(frozen=True)
class ScoreCheck:
    """A check by the score (the gradient of the log-likelihood) of R's estimates and of native's.

    below: how far the log-likelihood at R's estimates lies below native's; 0 within rounding, or if it is R's
    that is larger.  way: largest distance from R's estimates to native's, in standard errors.  `left`:
    fraction of that distance that remains after a Newton step from R's estimates.  native_steps: Newton step
    from native's estimates, in standard errors.  native_se: largest relative difference of native's standard
    errors from those of the information at native's estimates.  moved: largest distance from R's estimates to
    native's, in the parameters' own unit.  native_deviance: distance of native's deviance from the one of the
    cells at native's estimates, computed apart, as a part of the sums that cancel in it; nan where it was not
    computed.
    """

    below: float
    way: float
    left: float
    native_steps: Mapping[str, float]
    native_se: float
    moved: float
    native_deviance: float = math.nan

    @property
    def native_step(self) -> float:
        """The largest Newton step from native's estimates, in standard errors."""
        return max(self.native_steps.values())

    @property
    def native_arrived(self) -> bool:
        """Whether native's estimates are where the score is 0, with the standard errors of the information there."""
        return self.native_step <= AT_MAXIMUM and self.native_se <= AT_MAXIMUM

    @property
    def r_stopped_short(self) -> bool:
        """Whether native is at the maximum, and R's estimates lead there or are less likely."""
        return self.way > 0 and (self.left <= LEFT or self.below > 0) and self.native_arrived


@dataclass(frozen=True)
class RCounterpart:
    """The answer of one R function for the model of a native fit, under the fit's own names.

    r_call: "package::function" and what distinguishes this call, for example "stats::glm, refitted from its
    solution".  r_source: none if it did not run.  values: on the native fit's scale and constraint, after
    translation from R's names and definitions; nan where R gives NA.  se: standard error of a quantity, where
    it is not the "se.X" of `values`.  note: what a reader of the report must know about the call.  not_run:
    why it did not run; `values` is then empty.  r_error: R's own error message and the call that gave it, if
    R ran and stopped with an error.  no_record: whether it did not run because R could not be asked and no
    record stood in for it.  no_counterpart: whether R has no such model; `not_run` then says what it lacks.
    expected: whether the absence of values is no failure: R stopped with an error that it is known to give
    for such a table, or it was not asked because the table is too large for it.  converged: whether R reports
    that it converged, by a flag or a warning; None if it reports nothing.  score: the check by the score of
    R's estimates and of native's; None if it was not computed.  rounding: size of the sums that cancel in R's
    number; a difference of a few units in the last place of these sums is rounding.  drift: how a live answer
    differs from its record, where both were asked; "" if it does not.  kept_aliased: how R estimated more
    parameters than its columns determine, recomputed; "" if it did not.  lacks: quantities that this R
    function is known not to return although it returns others of their kind; any other missing quantity is
    reported.
    """

    r_call: str
    r_source: RSource | None
    values: Mapping[str, float] = field(default_factory=dict)
    se: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    not_run: str | None = None
    expected: bool = False
    drift: str = ""
    converged: bool | None = None
    score: ScoreCheck | None = None
    rounding: Mapping[str, float] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    r_error: str = ""
    no_counterpart: bool = False
    no_record: bool = False
    kept_aliased: str = ""

    @property
    def gives_na(self) -> bool:
        """Whether R itself has NA for some of its estimates."""
        return any(math.isnan(v) for name, v in self.values.items() if name.startswith("estimate."))

    @property
    def function(self) -> str:
        """The R function alone: "prefmod::llbt.fit"."""
        return self.r_call.partition(",")[0]

    @property
    def package(self) -> str:
        """The function's R package: "prefmod"."""
        return self.r_call.partition("::")[0]


#: A function that asks R for a fit's model; the second argument is what reaches R, live or recorded.
Counterparts = Callable[[Fit, Any], Sequence[RCounterpart]]
#: A function from a fit to its 50-digit values as decimal text; empty if there are none for it.
Certified = Callable[[Fit], Mapping[str, str]]


def summary(agreements: Iterable[Agreement]) -> dict[str, int]:
    """Number of agreements with each verdict, in the order of `VERDICTS`; verdicts without any are left out."""
    counts = dict.fromkeys(VERDICTS, 0)
    for a in agreements:
        counts[a.verdict] += 1
    return {v: n for v, n in counts.items() if n}


def exit_code(agreements: Sequence[Agreement], require_r: bool = False) -> Literal[0, 1, 2, 3]:
    """The exit code of a command: 0, 1, 2 or 3.

    3 if a claim or a file among others was not understood, whatever the others say; 1 if a number differs, is explained but not accepted, is ambiguous, or is printed but not estimable; else
    2 if something required did not run: a native number, with `require_r` any number of R's, or every row;
    else 0.
    """
    if any(a.code == "bad-claim" for a in agreements):
        return 3
    if any(
        a.verdict in _FAILING and not a.accepted or a.verdict == "not-estimable" and a.printed is not None
        for a in agreements
    ):
        return 1
    not_run = [a for a in agreements if a.verdict == "not-run" and not a.accepted]
    # A "not-run" row that names an R call is R's; every other "not-run" row is native's.
    if any(require_r or a.r_call is None or a.code == ANOTHER_MODEL for a in not_run):
        return 2
    if require_r and not any(a.r is not None and a.verdict != "not-checkable" for a in agreements):
        return 2
    return 0


def to_document(agreements: Sequence[Agreement]) -> dict[str, Any]:
    """The JSON of agreements: `{"summary": ..., "agreements": [...]}`."""
    return {"summary": summary(agreements), "agreements": [a.to_dict() for a in agreements]}


def value_or_none(value: float) -> float | None:
    """None for nan: a quantity without a value."""
    return None if math.isnan(value) else value


#: Verdicts that a person gives to a statement that has no test; `accept` holds one of them.
STATED = ("agrees", "not-checkable", "false", "misleading", "erratum")

_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\+[a-z0-9]+(-[a-z0-9]+)*)*")


def accepted_code(entry: str, readings: Collection[str] = ()) -> str:
    """The code that one entry of `accept` stands for.

        Parameters
        ----------
        entry : str
        readings : collection of str
            Names of the claim's own readings; each is a code for that claim, whatever it looks like.

        Returns
        -------
        str
            The entry itself, or the code that took the place of an old wording.

        Raises
        ------
        InputError
            The entry is neither a code nor an old wording (a misspelt code, say), or it says that numbers differ
            without giving a reason.  The message says what to write.

        Examples
        --------
        >>> accepted_code("pair-order"), accepted_code("R's own error")
        ('pair-order', 'r-error')
        >>> accepted_code("computed 0.4472136")
        Traceback (most recent call last):
        pairproof.errors.InputError: accept names 'computed 0.4472136' (code "other-value"), which says that \
    numbers differ but not why; give the claim a [[claim.reading]] that reproduces them and accept its name
        
    """
    if entry in readings or entry in STATED:
        return entry
    code = entry if _CODE.fullmatch(entry) else ""
    if entry not in CODES:
        code = next((new for old, new in OLD_WORDINGS if re.fullmatch(old, entry)), code)
    if code in ONLY_DIFFERENT:
        raise InputError(
            f'accept names {quoted(entry)} (code "{code}"), which says that numbers differ but not why; give'
            " the claim a [[claim.reading]] that reproduces them and accept its name"
        )
    from ..slips.catalogue import families

    known = {*CODES, *families(), *readings}
    unknown = [part for part in code.split("+") if part not in known] if code else [entry.lower()]
    near = [n for part in unknown for n in difflib.get_close_matches(part, known, 1, 0.85)]
    if code and not near:
        return code
    meant = f"; did you mean {', '.join(map(quoted, near))}?" if near else ""
    raise InputError(
        f'accept names {quoted(entry)}, which is not the code of an explanation; write the "code" of the row'
        f" in the report's JSON{meant or ', such as ' + quoted('pair-order')}"
    )


def accepted(row: Agreement, accept: Sequence[str]) -> Agreement:
    """The row, marked as accepted if it has a verdict that can be accepted and `accept` holds its code."""
    return replace(row, accepted=is_accepted(row.verdict, row.code, accept))


def is_accepted(verdict: Verdict, code: str, accept: Sequence[str]) -> bool:
    """Whether a person who accepts these codes has agreed to this verdict with this code, or all that it joins."""
    if not code or verdict not in ACCEPTABLE:
        return False
    return code in accept or all(part in accept for part in code.split("+"))
