"""`verify(fit)`: every number of a native fit, held against every R function that has its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ..errors import InputError
from .report.verification import Verification
from .verdicts.agreement import RCounterpart

if TYPE_CHECKING:
    from ..bridge.process.policy import Backend, BackendLike
    from ..fit.fit import Fit
    from .report import ReportContext
    from .verdicts.floors import Floor


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
        Where R's numbers come from.  Default: R itself if it and the package are installed, else recorded
        answers; each row says which.
    require_r : bool
        Whether `exit_code` is 2 if R gave no answer.
    certified : mapping of quantity to decimal text, optional
        Certified values of quantities, such as {"estimate.A": "0.5493"}, with up to 50 digits.
    floors : sequence of Floor, optional
        Least numbers of digits that must agree; default: those shipped with the package.

    Returns
    -------
    Verification
        A sequence of Agreement that prints as a table.  An R function that has the model and did not run, or
        stopped with an error, has a row that says why.

    Raises
    ------
    InputError
        `r` has another value.

    Notes
    -----
    The standard errors of a fit by cluster are held against sandwich and clubSandwich alone, its estimates and
    likelihood against every function that has the model.

    Digits of agreement are log relative errors (McCullough 1998, The American Statistician 52, 358-366).  If
    R's solver stopped early, the score at its estimates shows it, and the difference does not count as
    agreement.

    Examples
    --------
    Two items, 9 wins to 3: the ability is ln(9/3)/2, given here to 20 digits in the place of R's number.

    >>> import pairproof
    >>> table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [9], "losses": [3]})
    >>> fit = pairproof.fit_llbt(table)
    >>> rows = pairproof.verify(fit, r="none", certified={"estimate.A": "0.54930614433405484570"})
    >>> [(str(a.quantity), a.verdict, a.digits > 13) for a in rows]
    [('estimate.A', 'agrees', True)]
    """
    from .native_and_r import compare_fit
    from .r_answers import counterparts

    chosen = backend_of(r)
    answers = counterparts(fit, chosen)
    rows = compare_fit(fit, answers, certified=certified, floors=floors)
    return Verification(tuple(rows), _context(fit, answers, chosen), require_r)


def backend_of(r: BackendLike | str) -> Backend:
    """The R backend that an option `r` stands for.

    r: none: the backend of the enclosing `using`.
    """
    from ..bridge.process.policy import backend

    try:
        return backend(cast("BackendLike", r))  # text that is no mode is refused there
    except InputError:  # of the environment; it names the variable
        raise
    except ValueError as error:
        raise InputError(f"r={r!r}; expected 'live', 'recorded', 'both', 'none' or None") from error


def _context(fit: Fit, answers: Sequence[RCounterpart], backend: Backend) -> ReportContext:
    """The model, what was done to bring R's numbers to its definitions, and which R it was."""
    from .report import ReportContext
    from .report.versions import absences, further_packages, versions

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
