"""A pattern fit against the numbers that prefmod's patt*.fit gave in the run.

prefmod prints and stores the log-likelihood of the last point that its Hessian asked for, not of the
maximum (defect N1): with minus nlm's minimum the maxima are compared, and with the stored value what
`stored_log_likelihood` says of it. The log-likelihood of the saturated model, fl = sum over blocks of n
log(n / n_block), is counted from the answers. Where numbers differ, the fit of the table as prefmod
misreads it is compared, too: if R's are those, the defect is named.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .....bridge.capture.recorded import RecordedCall
from .....errors import PairproofError, PairproofWarning
from .....fit.answers.fit import AnswerFit
from .....native.compat.printed import stored_log_likelihood
from .....native.patterns.models.pattern import fit_pattern
from ....r_answers.answers.patterns import BY_NLM
from ....r_answers.translate import RParameters, parameter_values
from ....verdicts.agreement import Agreement
from ...code.expressions import Call
from ..rows import counterpart, explained, fit_rows, row
from ..translation import Judge
from ..tried import tried
from .models import Asked, parameters_in_order
from .table import Given

#: The log-likelihood that prefmod stores lies beside the maximum by a second-order term; what is left of it
#: are terms of the third order, and what nlm's own stop adds: observed 10.6 digits and more.
STORED = 9.0
WHY_STORED = "the Hessian's last point, by a second-order term; nlm's stop and the third order are left"


@dataclass(frozen=True, eq=False)
class OfR:
    """R's numbers of a pattern fit.

    estimate float[n].  vcov float[n, n].  names: as prefmod prints them, or () where its print stops.
    minimum, stored, saturated: minus nlm's minimum; `ll`; `fl`.  code: nlm's; 1 and 2 mean that it converged.
    """

    estimate: NDArray[np.float64]
    vcov: NDArray[np.float64]
    names: tuple[str, ...]
    minimum: float | None
    stored: float | None
    saturated: float | None
    code: int | None

    @property
    def known(self) -> NDArray[np.bool_]:
        """bool[n]: whether the inverse Hessian has a variance, so that prefmod prints a standard error, not
        NaN.
        """
        with np.errstate(invalid="ignore"):
            return np.asarray(np.diag(self.vcov) > 0)


def of_r(call: RecordedCall) -> OfR | None:
    """The numbers of a recorded call; None if it recorded no coefficients."""
    found = call.vector("coef")
    if found is None:
        return None
    n = found.values.size
    spread = call.vector("vcov")
    matrix = np.full((n, n), np.nan)
    if spread is not None and spread.values.shape == (n, n):
        matrix = spread.floats()
    elif (hessian := call.vector("hessian")) is not None and hessian.values.shape == (n, n):
        try:
            matrix = np.linalg.inv(hessian.floats())
        except np.linalg.LinAlgError:
            pass
    least = call.number("minimum")
    code = call.number("code")
    names = tuple(found.names or ())
    return OfR(
        found.floats(),
        matrix,
        names if all(names) else (),
        None if least is None else -least,
        call.number("ll") if "ll" in call.result else call.number("loglik"),
        call.number("fl"),
        None if code is None else int(code),
    )


def judge_pattern(
    call: RecordedCall, model: Asked, table: Given, fitted: AnswerFit, whole: Call
) -> Judge | str:
    """How a fit's numbers are held against R's; a sentence where its parameters are not R's.

    table: the rows that R used.  fitted: of the code that is written.  whole: the same code with all rows,
    `fit_pattern(read_respondents(...), ...)`: what prefmod's defects are of.
    """
    r = of_r(call)
    if r is None:
        return "R's coefficients were not recorded"
    try:
        order = parameters_in_order(fitted, model, table)
    except KeyError as lacking:
        return f"the Python model has no parameter {lacking}"
    own = _in_r_order(order, r)
    if isinstance(own, str):  # ties that prefmod counts as losses (B1) leave no parameter U
        own = _in_r_order([(shown, name) for shown, name in order if shown != "U"], r)
    if isinstance(own, str):
        return own
    if len(own) < len(order) and not _misread(call, r, own, whole):
        return f"prefmod has {len(own)} parameters where its arguments ask for {len(order)}"
    numbers, ours = r, own
    saturated = None if model.alpha else saturated_of(fitted, model, table)
    named = [] if not r.names else [f"{a} is {b}" for a, b in zip(r.names, own) if a != b]

    def judge(fit: Any) -> Sequence[Agreement]:
        rows = _rows(call, fit, numbers, ours, named)
        if numbers.saturated is not None and saturated is not None:
            rows.append(
                row("fl", saturated, numbers.saturated, call.function, why="a sum over the same counts")
            )
        if _differ(rows):
            rows = _flat(rows, ours, numbers)
        if _differ(rows):
            rows = _by_defect(call, numbers, ours, whole, rows)
        return rows

    return judge


def _in_r_order(order: list[tuple[str, str]], r: OfR) -> list[str] | str:
    """The fit's parameter for each of R's coefficients."""
    if len(order) != len(r.estimate):
        return f"prefmod has {len(r.estimate)} parameters where its arguments ask for {len(order)}"
    if not r.names:
        return [own for _, own in order]
    by_name = {_parts(shown): own for shown, own in order}
    if len(by_name) == len(order) and all(_parts(n) in by_name for n in r.names):
        return [by_name[_parts(n)] for n in r.names]
    return [own for _, own in order]


def _parts(name: str) -> frozenset[str]:
    return frozenset(name.split(":"))


def _rows(call: RecordedCall, fit: AnswerFit, r: OfR, own: list[str], named: list[str]) -> list[Agreement]:
    p = RParameters(tuple(own), r.estimate, r.vcov, "lambda", fit.items[-1])
    values = parameter_values(fit, p)
    without = {f"se.{name}" for name, known in zip(own, r.known) if not known}
    values = {q: v for q, v in values.items() if q not in without}
    if r.minimum is not None:
        values["llf"] = r.minimum
    answer = counterpart(
        call,
        values,
        f"{', '.join(named[:8])}{', ...' if len(named) > 8 else ''}" if named else "",
        "nlm stops at a gradient of 1e-6",
        name=f"{call.function}, {'MISbeta, ' if any(n.startswith('beta:') for n in own) else ''}{BY_NLM}",
    )
    rows = fit_rows(fit, replace(answer, converged=r.code in (1, 2, None)))
    if r.stored is not None:
        at = stored_log_likelihood(fit)
        rows.append(row("ll", at, r.stored, call.function, least=STORED, why=WHY_STORED))
    return rows


# -- the saturated model -------------------------------------------------------------------------------------


def saturated_of(fit: AnswerFit, model: Asked, table: Given) -> float:
    """fl: the log-likelihood of free probabilities of all answers within a block.

    A block is a cell of prefmod's table of covariates by what was answered.
    """
    answers = fit.respondents.pair_answers.reshape(fit.respondents.n_rows, -1)
    gaps = (answers == 9).astype(np.int64)
    groups = [] if model.of_missing else [table.column(n).astype(np.int64) for n in model.covariates.in_table]
    blocks = np.column_stack([gaps, *groups])
    _, block = np.unique(blocks, axis=0, return_inverse=True)
    _, cell = np.unique(np.column_stack([blocks, answers]), axis=0, return_inverse=True)
    block, cell = block.ravel(), cell.ravel()
    of_block = np.bincount(block).astype(float)
    n = np.bincount(cell).astype(float)
    block_of_cell = np.zeros(len(n), np.int64)
    block_of_cell[cell] = block
    return float(n @ np.log(n / of_block[block_of_cell]))


# -- flat directions -----------------------------------------------------------------------------------------


def _flat(rows: list[Agreement], own: list[str], r: OfR) -> list[Agreement]:
    """Estimates without a standard error in R lie on a flat direction: explained where the likelihoods
    agree.
    """
    if r.known.all() or not any(a.verdict == "agrees" and str(a.quantity) in ("llf", "ll") for a in rows):
        return rows
    flat = [f"{what}.{name}" for name, known in zip(own, r.known) if not known for what in ("estimate", "se")]
    why = (
        "R is wrong here: its Hessian has no positive variance, so that it prints NaN for the standard error,"
        " and the estimate is where nlm stopped along a flat direction; both log-likelihoods agree"
    )
    return explained(rows, flat, why, "A13-stopped-on-a-flat-direction")


# -- defects -------------------------------------------------------------------------------------------------


def _by_defect(
    call: RecordedCall, r: OfR, own: list[str], code: Call, rows: list[Agreement]
) -> list[Agreement]:
    """The rows, those that differ explained by prefmod's defects if R's numbers are those of a fit with
    them.
    """
    as_r = _as_prefmod(code)
    said = None if as_r is None else next((w for w in as_r.warnings if w.kind == "as-prefmod"), None)
    if as_r is None or said is None or not set(own) <= set(as_r.names):
        return rows
    if _differ(_rows(call, as_r, r, own, [])):
        return rows
    differing = [str(a.quantity) for a in rows if a.verdict == "differs"]
    what = _defects(str(said))
    why = f"R is wrong here, by prefmod's {what}; its numbers are those of the table so misread"
    return explained(rows, differing, why, what.partition(":")[0])


def _misread(call: RecordedCall, r: OfR, own: list[str], whole: Call) -> bool:
    """Whether R's numbers are those of a table that prefmod misreads."""
    as_r = _as_prefmod(whole)
    return as_r is not None and set(own) <= set(as_r.names) and not _differ(_rows(call, as_r, r, own, []))


def _differ(rows: Sequence[Agreement]) -> bool:
    return any(a.verdict == "differs" for a in rows)


def _as_prefmod(code: Call) -> AnswerFit | None:
    """The fit of the table with all defects that prefmod shows on it; None where there is none."""
    table, _ = tried(code.arguments[0])
    if table is None:
        return None
    options = {k: v for k, v in code.keywords.items() if k != "ties"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PairproofWarning)
            return fit_pattern(table, compat="prefmod", **options)
    except PairproofError:
        return None


def _defects(said: str) -> str:
    """ "B1-ties-as-losses: 3 ties became ..." of a warning that names them."""
    return said.partition("with its defects ")[2].partition(". Without compat")[0]
