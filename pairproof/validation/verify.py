"""`verify(fit)` compares every number of a native fit with every R function that has its model; `agree(fit,
reference)` is the same as an assertion, for tests of an analysis.

`agree` fails with a table of all numbers that differ, worst first; digits are never averaged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Union, cast

from ..errors import InputError
from ..fit.fit import Fit
from .claims.paper import PrintedQuantity
from .claims.printed import Printed
from .claims.quantities import (
    Quantity,
    is_reference,
    kind_of,
    names,
    quantity,
    rounding_of,
    scale_of,
    scale_of_logarithm,
)
from .report.verification import Verification
from .verdicts.agreement import Agreement, RCounterpart, value_or_none
from .verdicts.digits import MOST, floor
from .verdicts.verdict import digits_forgiven, judge_print

if TYPE_CHECKING:
    from ..bridge.process.policy import Backend, BackendLike
    from .report.context import ReportContext
    from .verdicts.digits import Floor


def verify(
    fit: Fit,
    r: BackendLike | str = None,
    require_r: bool = False,
    certified: Mapping[str, str] | None = None,
    floors: Sequence[Floor] | None = None,
) -> Verification:
    """Compare every number of a fit with R's: estimates, standard errors, deviance, df, log-likelihood, worths.

    Parameters
    ----------
    fit : Fit
        A fit by the native engine.
    r : {"live", "recorded", "both", "none"} or Backend, optional
        Source of R's numbers.  Default: R itself if it and the package are installed, otherwise recorded
        answers; each row says which was used.
    require_r : bool
        Whether `exit_code` is 2 when R gave no answer.
    certified : mapping of quantity to decimal text, optional
        Certified values of quantities, such as {"estimate.A": "0.5493"}, with up to 50 digits.
    floors : sequence of Floor, optional
        Minimum numbers of digits that must agree.  Default: those shipped with the package.

    Returns
    -------
    Verification
        A sequence of Agreement that prints as a table.  An R function that has the model but did not run,
        or stopped with an error, has a row with the reason.

    Raises
    ------
    InputError
        `r` has another value.

    Notes
    -----
    Cluster-robust standard errors are compared with sandwich and clubSandwich only, the estimates and
    likelihood with every function that has the model.

    Digits of agreement are log relative errors (McCullough 1998, The American Statistician 52, 358-366).  If
    R's solver stopped early, the score at its estimates shows it, and the difference does not count as
    agreement.

    Examples
    --------
    Two items, 9 wins to 3: the ability is ln(9/3)/2, given here to 20 digits in place of R's number.

    >>> import pairproof
    >>> table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [9], "losses": [3]})
    >>> fit = pairproof.fit_llbt(table)
    >>> rows = pairproof.verify(fit, r="none", certified={"estimate.A": "0.54930614433405484570"})
    >>> [(str(a.quantity), a.verdict, a.digits > 13) for a in rows]
    [('estimate.A', 'agrees', True)]
    """
    from .r_answers.answerers import counterparts
    from .verdicts.against_r import compare_fit

    chosen = backend_of(r)
    answers = counterparts(fit, chosen)
    rows = compare_fit(fit, answers, certified=certified, floors=floors)
    return Verification(tuple(rows), _context(fit, answers, chosen), require_r)


def backend_of(r: BackendLike | str) -> Backend:
    """The R backend that an option `r` stands for."""
    from ..bridge.process.policy import backend

    try:
        return backend(cast("BackendLike", r))  # text that is no mode is refused there
    except InputError:  # of the environment; it names the variable
        raise
    except ValueError as error:
        raise InputError(f"r={r!r}; expected 'live', 'recorded', 'both', 'none' or None") from error


def _context(fit: Fit, answers: Sequence[RCounterpart], backend: Backend) -> ReportContext:
    """The model, how R's numbers were brought to its definitions, and the version of R."""
    from .report.context import ReportContext, absences, further_packages, versions

    codes = tuple(
        f"R was asked for the same slope, which is not the model of prefmod's llbtPC.fit and pattPC.fit. {warning}"
        for warning in fit.warnings
        if warning.kind == "codes-as-slope"
    )
    notes = (*codes, *(f"{a.r_call}: {a.note}" for a in answers if a.note))
    further = further_packages(a.r_call for a in answers)
    clustered = f", {fit.robust.title}" if fit.robust is not None else ""
    return ReportContext(
        title=f"{fit.title}{clustered}: does it match R?",
        subtitle=fit.data.source,
        versions=versions(backend, further),
        absent=absences(backend, further),
        first_lines=notes,
    )


#: A fit, numbers by quantity (text stands for a printed number), or "R".
Reference = Union[Fit, Mapping[str, Union[float, str]], str]
#: One number of digits for all, or one for each kind of quantity ("estimate", "se", "deviance", ...).
Digits = Union[float, Mapping[str, float], None]


def agree(
    fit: Fit,
    reference: Reference,
    *,
    digits: Digits = None,
    quantities: Sequence[str] | None = None,
    r: BackendLike = None,
) -> list[Agreement]:
    """Assert that a fit agrees with a reference, quantity by quantity.

    Parameters
    ----------
    fit : Fit
    reference : Fit, mapping of quantity to number, or "R"
        Another fit, brought to the scale and the reference item of `fit`; numbers by name ("estimate.A",
        "deviance", "worth.all.A"), where text such as "0.2778" is a printed number that must be reproduced
        to its last place; or "R", every R function that has the model.
    digits : float or mapping of kind to float, optional
        Required digits, 0 to 16.  Default: those that `pairproof validate` requires of R.
    quantities : sequence of str, optional
        Names or kinds to compare.  Default: all that both have.  One that either side lacks fails.
    r : Backend or mode, optional
        With "R": live, recorded, both.

    Returns
    -------
    list of Agreement

    Raises
    ------
    AssertionError
        A number differs (the message is a table of all that do), or nothing was compared.
    InputError
        No such quantity, or no such reference.

    Examples
    --------
    >>> import pairproof
    >>> from pairproof.validation import agree
    >>> table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [9], "losses": [3]})
    >>> fit = pairproof.fit_llbt(table)
    >>> rows = agree(fit, {"estimate.A": "0.5493", "deviance": 0.0})
    >>> [row.verdict for row in rows]
    ['agrees', 'agrees']
    >>> agree(fit, {"estimate.A": "0.6493"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: LLBT: 1 of 1 quantities do not agree
    quantity               fit  reference  digits  asked
    estimate.A  0.549306144334     0.6493       -      -  differs: computed 0.54930614433405...
    """
    __tracebackhide__ = True
    if isinstance(reference, str):
        rows = _against_r(fit, reference, digits, r)
    elif isinstance(reference, Fit):
        rows = _against_fit(fit, reference, digits, quantities)
    else:
        wanted = ((name, value) for name, value in reference.items() if _wanted(name, quantities))
        rows = [_against_value(fit, name, value, digits) for name, value in wanted]
    lacking = _lacking(rows, quantities)
    wrong = sorted((a for a in rows if not a.passes), key=lambda a: -1.0 if a.digits is None else a.digits)
    compared = sum(a.digits is not None and a.r_arrived or a.printed is not None for a in rows)
    if wrong or lacking or not compared:
        raise AssertionError(_table(fit, wrong, lacking, compared, rows))
    found = Agreements(rows)
    found.title = fit.title
    return found


class Agreements(list[Agreement]):
    """The rows that agree, shown as a sentence and the least alike of them."""

    title = ""

    def __repr__(self) -> str:
        compared = [a for a in self if a.digits is not None or a.printed is not None]
        least = sorted(compared, key=lambda a: MOST if a.digits is None else a.digits)[:3]
        said = f"{self.title}: {len(compared)} of {len(self)} quantities agree, the least alike:"
        return "\n".join([said, *_lines(least)])


def _wanted(name: str, quantities: Sequence[str] | None) -> bool:
    return quantities is None or name in quantities or kind_of(name) in quantities


def _lacking(rows: Sequence[Agreement], quantities: Sequence[str] | None) -> list[str]:
    """Names or kinds that were requested but never compared."""
    seen = {a.quantity for a in rows} | {kind_of(a.quantity) for a in rows}
    return [q for q in quantities or () if q not in seen]


def asked_digits(name: str, digits: Digits) -> tuple[float, str]:
    """The digits required of a quantity, and why."""
    kind = kind_of(name)
    if isinstance(digits, Mapping):
        if kind in digits or name in digits:
            return float(digits.get(name, digits.get(kind, 0.0))), "asked for"
    elif digits is not None:
        return float(digits), "asked for"
    # What is derived from estimates has no floor of its own: it is held to theirs.
    try:
        known = floor(name, "*")
    except InputError:
        known = floor("estimate", "*")
    return known.digits, known.why


def _against_value(fit: Fit, name: str, value: float | str, digits: Digits) -> Agreement:
    own = quantity(fit, name)
    if not isinstance(value, str):
        return _row(fit, name, own, float(value), digits)
    printed = PrintedQuantity(Quantity.parse(name), Printed.parse(value), 0)
    judged = judge_print(printed, own, 0.05, fit.df_resid, fit.n_comparisons)
    said: dict[str, Any] = {"verdict": judged.verdict, "explanation": judged.note, "code": judged.code}
    return Agreement("", "", printed.quantity, printed=value, native=value_or_none(own), **said)


def _row(fit: Fit, name: str, own: float, other: float, digits: Digits) -> Agreement:
    # A deviance of 0 and one of 1e-15 are the same number.
    least, why = asked_digits(name, digits)
    wider = 0.0 if math.isnan(own) or math.isnan(other) else scale_of_logarithm(name, fit)
    found = digits_forgiven(own, other, scale_of(name, fit), least, rounding_of(name, fit), wider)
    enough = math.isnan(found) or found >= least
    if enough:
        code, note = "", ""
    elif math.isnan(own) or math.isnan(other):
        code, note = "one-side-only", f"only the {'reference' if math.isnan(own) else 'fit'} has a value"
    else:
        code, note = "few-digits", f"{found:.1f} digits, {least:g} required ({why})"
    numbers: Any = {"native": own, "r": other, "digits": found}
    numbers = {kind: value_or_none(value) for kind, value in numbers.items()}
    said: dict[str, Any] = {"verdict": "agrees" if enough else "differs", "explanation": note, "code": code}
    of: dict[str, Any] = {"r_call": "reference", "floor": least, "about": "native-r"}
    return Agreement("", "", Quantity.parse(name), **numbers, **said, **of)


def _against_fit(
    fit: Fit, reference: Fit, digits: Digits, quantities: Sequence[str] | None
) -> list[Agreement]:
    other = reference if reference.scale == fit.scale else reference.on_scale(fit.scale)
    if fit.spec.reference and other.spec.reference != fit.spec.reference:
        other = other.with_reference(fit.spec.reference)
    mine, theirs = dict.fromkeys(names(fit)), dict.fromkeys(names(other))
    further = ("null_deviance", "df_null", "aic_glm", "gof_p", "pearson")
    asked = dict.fromkeys(q for q in quantities or () if "." in q or q in further)
    rows = []
    for name in dict.fromkeys((*mine, *theirs, *asked)):
        if not _wanted(name, quantities) or (name in mine and is_reference(fit, name)):
            continue
        own, held = _value(fit, name), _value(other, name)
        if not (math.isnan(own) and math.isnan(held)):  # neither has a number: nothing to compare
            rows.append(_row(fit, name, own, held, digits))
    return rows


def _value(fit: Fit, name: str) -> float:
    """The number, or nan where this fit has no such parameter, group or item."""
    try:
        return quantity(fit, name)
    except InputError:
        return math.nan


def _against_r(fit: Fit, reference: str, digits: Digits, r: BackendLike) -> list[Agreement]:
    if reference != "R":
        raise InputError(f'reference {reference!r}: expected a Fit, numbers by quantity, or "R"')
    rows = list(verify(fit, r=r))
    return rows if digits is None else [_held(a, asked_digits(a.quantity, digits)[0]) for a in rows]


def _held(a: Agreement, least: float) -> Agreement:
    """The row, which differs if R's number is one to compare with and shares fewer digits."""
    if a.digits is None or not a.r_arrived or a.digits >= least:
        return a
    said = f"{a.digits:.1f} digits, {least:g} required"
    return replace(a, verdict="differs", explanation=said, code="few-digits")


def _lines(rows: Sequence[Agreement]) -> list[str]:
    """A table of rows, with its heading."""
    lines = [("quantity", "fit", "reference", "digits", "asked", "")]
    for a in rows:
        digits = "-" if a.digits is None else f"{a.digits:.1f}"
        least = "-" if a.floor is None else f"{min(a.floor, MOST):g}"
        said = ": ".join(filter(None, (a.verdict, a.explanation)))
        lines.append((a.quantity, _number(a.native), a.printed or _number(a.r), digits, least, said))
    first, *rest = (max(map(len, column)) for column in list(zip(*lines))[:5])
    shown = []
    for name, *cells, said in lines:
        aligned = (cell.rjust(width) for cell, width in zip(cells, rest))
        shown.append("  ".join([name.ljust(first), *aligned, said]).rstrip())
    return shown


def _table(
    fit: Fit, wrong: Sequence[Agreement], lacking: Sequence[str], compared: int, rows: Sequence[Agreement]
) -> str:
    parts = [f"{fit.title}: {len(wrong)} of {len(rows)} quantities do not agree"] if wrong else []
    if not compared:
        parts.append(
            f"{fit.title}: nothing was compared, so agreement is not shown"
            + "".join(f"\n  {a.explanation}" for a in rows if a.verdict in ("not-run", "not-checkable"))
        )
    parts += [f"requested but absent from both sides: {', '.join(lacking)}"] if lacking else []
    more = [f"... and {len(wrong) - 40} more"] if len(wrong) > 40 else []
    return "\n".join([*parts, *(_lines(wrong[:40]) if wrong else []), *more])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.12g}"
