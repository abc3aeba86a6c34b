"""Rows of a migration: a number of the Python value beside the number that R gave when it ran the script.

A fit's rows excuse R where a Newton step from its estimates leads to ours: it stopped short of the maximum
(:mod:`pairproof.validation.r_answers.stopped_short`).  In a migration that would excuse our own mistakes,
too: two coefficients exchanged, or one with the wrong sign, are estimates from which a Newton step leads to
the maximum.  R's own numbers tell the two apart.  With l(b) the log-likelihood of the cells and b R's
estimates as they were translated::

    l(max) - l(b)   <=   4 (l(max) - R's log-likelihood)      or they are not the estimates of that likelihood
    |se / R's - 1|  <=   10 sqrt(way), at least 1e-4          `way`: from b to the maximum, in standard errors

The second: R's covariance is that of its last step or the one before, at a distance whose square is about
`way` (Newton's method), and the information changes in proportion to the distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.asking import Estimates
from ...bridge.process.policy import Backend
from ...bridge.programs.counted_cells import count
from ...bridge.values.nodes import RVector
from ...fit.estimates.specification import Scale
from ...fit.fit import Fit
from ...validation.again import distinct
from ...validation.claims.quantities import Quantity, kind_of
from ...validation.r_answers.ask import Question
from ...validation.r_answers.stopped_short import rounding, score_check
from ...validation.r_answers.translate import RParameters, likelihood_values, parameter_values
from ...validation.verdicts.against_r import OF_SHORTFALL, compare_fit
from ...validation.verdicts.agreement import Agreement, RCounterpart, ScoreCheck, Verdict, value_or_none
from ...validation.verdicts.digits import digits_of_agreement
from .recorded_answers import Floats

if TYPE_CHECKING:
    import pandas as pd


#: Rounding of a log-likelihood, as a share of the comparisons and of itself; score_check sets gaps below a
#: quarter of it to 0.
ROUNDING = 4e-14
#: How far below the maximum R's loosest stop (llbt.fit: a change of 1e-4) may leave estimates, as a share of
#: half the deviance, where R gave no likelihood of ours (half wins, quasi families).
LOOSEST = 1e-4
#: Standard errors: the factor of sqrt(way), and what is always allowed. Observed in the scripts of
#: tests/migration, where they differ by more than 1e-5: at most 0.32 sqrt(way), and 2.6e-5.
OF_ERRORS, ALWAYS = 10.0, 1e-4


def of_one_fit(fit: Fit, answer: RCounterpart, score: ScoreCheck | None) -> ScoreCheck | None:
    """The score check, if R's estimates are those of R's likelihood; None, which excuses nothing, if not."""
    if score is None:
        return None
    size = abs(fit.llf) + fit.n_comparisons
    of = (("llf", fit.llf, -1.0), ("deviance", fit.deviance, 0.5))
    gaps = [part * (answer.values[name] - ours) for name, ours, part in of if name in answer.values]
    stated = max(gaps) if gaps else LOOSEST * max(1.0, abs(fit.deviance) / 2)
    return score if score.below <= OF_SHORTFALL * max(stated, 0.0) + ROUNDING * size else None


def errors_of_one_fit(rows: Iterable[Agreement], score: ScoreCheck | None) -> Rows:
    """The rows, errors that differ by more than the distance to the maximum accounts for said to."""
    if score is None:
        return list(rows)
    most = max(ALWAYS, OF_ERRORS * math.sqrt(score.way))
    said = f"R's standard errors may differ by a relative {most:.1g}, given how far its estimates are from the maximum"

    def held(a: Agreement) -> Agreement:
        of_error = a.quantity.kind in ("se", "worth_se") and a.verdict in ("agrees", "not-checkable")
        if not of_error or not a.native or a.r is None or abs(a.r / a.native - 1.0) <= most:
            return a
        return replace(a, verdict="differs", code="few-digits", explanation=said, r_arrived=True)

    return list(map(held, rows))


#: Numbers and texts by name; which rows are meant; sizes by name, or one of all.
Named = Mapping[str, float]
Places = Mapping[str, str]
Rows = list[Agreement]
Which = Callable[[Agreement], object]
Sizes = Union[Named, float]
NOWHERE: Places = MappingProxyType({})
#: Digits asked of a number that R computes by the same formulas from the same values, such as a table made
#: of a fit that was compared by itself: other orders of summation leave 12 and more.
SAME = 11.0


def parameters(call: RecordedCall, named: Mapping[str, str], scale: Scale, reference: str) -> RParameters:
    """R's recorded coefficients under the names of a fit, without NA ones and those without a name."""
    found = coefficients(call)
    names = [n for n, v in found.items() if n in named and v == v]
    own, estimate = tuple(named[n] for n in names), np.array([found[n] for n in names])
    return RParameters(own, estimate, covariance(call, names), scale, reference)


def covariance(call: RecordedCall, names: Sequence[str]) -> Floats:
    """float[n, n]: R's covariance of these coefficients, 0 for those it has not, nan if not recorded."""
    spread, place = call.matrix("vcov"), _places_in_vcov(call, names)
    out = np.full((len(names), len(names)), np.nan if spread is None else 0.0)
    known = [k for k, n in enumerate(names) if n in place]
    if spread is not None:
        at = [place[names[k]] for k in known]
        out[np.ix_(known, known)] = spread.floats()[np.ix_(at, at)]
    return out


def _places_in_vcov(call: RecordedCall, names: Sequence[str]) -> dict[str, int]:
    """Coefficient -> its row of R's covariance, which may have none of what was not estimated."""
    spread, found = call.matrix("vcov"), coefficients(call, names)
    own: Sequence[str] = () if spread is None else spread.margin(0)
    if spread is not None and not set(own) & set(found):  # glmmPQL has other names in it (XSVL[..])
        known = [n for n, v in found.items() if v == v]
        own = known if len(known) == len(spread.values) else list(found)
    return {n: k for k, n in enumerate(own)}


def fit_rows(fit: Fit, answer: RCounterpart) -> Rows:
    """A row for every number of R's beside the fit's, judged as by `fit.verify()`, excused as one fit only."""
    if fit.contests is not None or fit.answers is not None:
        size = fit.n_comparisons + (abs(fit.llf) if fit.llf == fit.llf else 0.0)
        rounded = {"llf": size, "aic": 2.0 * size, "deviance": 4.0 * size}
        return compare_fit(fit, [replace(answer, rounding=rounded)])
    cells = Question(fit, count(fit), Backend("none")).cells
    score = of_one_fit(fit, answer, score_check(fit, cells, answer))
    exact = rounding(fit, cells, answer, fit.outcome_model == "binary")
    return errors_of_one_fit(compare_fit(fit, [replace(answer, score=score, rounding=exact)]), score)


#: Quantity -> its name in the record of R's answer, where that is another.
IN_RECORD = {
    "llf": "loglik",
    "df_resid": "df_residual",
    "aic_glm": "aic",
    "deviance_polr": "deviance",
    "penalised_deviance": "penalized_deviance",
}


@dataclass(frozen=True)
class Beside:
    """Rows of what R recorded of a call beside numbers of Python, all with one floor.

    least: digits that must agree.  why: why so many, in words; it is shown where they do not.  function: R's,
    where it is not the call's.
    """

    call: RecordedCall
    least: float = SAME
    why: str = "the same arithmetic"
    function: str = ""

    def row(
        self, quantity: str, python: float, r: float, scale: float = 0.0, place: str = "", lost: bool = False
    ) -> Agreement:
        """One number that is no quantity of a fit: an entry of a table, a prediction, a number by the bridge.

        quantity: its name in the report: "worth.A", "add1.at.home.LRT".  python, r: both nan agree: R has none and
        says so.  scale: size of what cancels in the number: a difference of 1e-16 times it is no difference.
        place: where `python` stands in the value of the call; "" if nowhere.  lost: R should have it; else its NA is
        no difference.
        """
        same = python == r or bool(np.isnan(python) and np.isnan(r))
        digits = 16.0 if same else float(digits_of_agreement(python, r, scale))
        code, note = "", ""
        if not same and not digits >= self.least:
            code, note = "few-digits", f"{digits:.1f} digits, {self.least:g} required ({self.why})"
            if np.isnan(python) or np.isnan(r) or np.isnan(digits):
                code, note = "one-side-only", f"only {'R' if np.isnan(python) else 'Python'} has a number"
                digits = 0.0
        none = bool(np.isnan(r)) and not lost and not same
        return Agreement(
            "",
            "",
            Quantity.parse(quantity),
            native=value_or_none(float(python)),
            r=value_or_none(float(r)),
            r_call=self.function or self.call.function,
            r_source="live",
            digits=digits,
            verdict="not-checkable" if none else "differs" if code else "agrees",
            explanation=note,
            code=code,
            floor=self.least,
            about="native-r",
            place=place,
        )

    def named(self, kind: str, ours: Named, r: Named, places: Places = NOWHERE, sizes: Sizes = 0.0) -> Rows:
        """A row for each name of both, at its place; a name on one side only differs; sizes: of what cancels."""
        none, rows = float("nan"), []
        for n in dict.fromkeys((*r, *ours)):
            size = sizes.get(n, 0.0) if isinstance(sizes, Mapping) else sizes
            name, a, b = f"{kind}.{n}" if n else kind, float(ours.get(n, none)), r.get(n, none)
            rows.append(self.row(name, a, b, size, places.get(n, ""), n not in r))
        return rows

    def listed(
        self, kind: str, ours: Any, r: Any, places: str | Sequence[str], sizes: Any = 0.0, names: Any = ()
    ) -> Rows:
        """Numbers of an array in order, called 1, 2, ... unless they have names; places: or the array's name."""
        own, theirs = np.ravel(ours), np.ravel(r)
        if len(own) != len(theirs):
            return [Beside(self.call, why="not as many numbers").row(kind, float("nan"), float(len(theirs)))]
        places = [f"{places} / {k}" for k in range(len(own))] if isinstance(places, str) else places
        numbers = own.tolist(), theirs.tolist(), np.broadcast_to(sizes, len(own)).tolist(), places
        names = names or range(1, len(own) + 1)
        return [self.row(f"{kind}.{name}", *of) for name, *of in zip(names, *numbers)]

    def numbers(self, **ours: float) -> Rows:
        """Those of these numbers that R recorded, which stand nowhere in the value."""
        found = ((q, v, self.call.number(IN_RECORD.get(q, q))) for q, v in ours.items())
        return [self.row(quantity, python, r) for quantity, python, r in found if r is not None]

    def fields(self, answer: Any, numbers: str, size: float = 0.0) -> Rows:
        """Those of an answer of R that R recorded: "llf df_residual=df", the answer's name where it is another."""
        found = []
        for quantity, _, field in (part.partition("=") for part in numbers.split()):
            name = IN_RECORD.get(quantity, quantity)
            if (r := self.call.number(name)) is not None:
                python = float(getattr(answer, field or name))
                found.append(self.row(quantity, python, r, size, field or name))
        return found

    def array(self, kind: str, of: Any, r: Named, field: str = "coef", names: str = "names") -> Rows:
        """An array of an answer of R, a number for each of its names, beside R's by name."""
        labels = getattr(of, names)
        return self.named(kind, dict(zip(labels, getattr(of, field).tolist())), r, at(field, labels))

    def coefficients(self, model: Estimates, kind: str = "estimate") -> Rows:
        """Coefficients of a model that R fitted again."""
        return self.array(kind, model, coefficients(self.call, model.names))

    def errors(self, model: Estimates) -> Rows:
        """Standard errors of the coefficients that R has a number for."""
        known = {n for n, v in coefficients(self.call, model.names).items() if not np.isnan(v)}
        r = {n: v for n, v in standard_errors(self.call, model.names).items() if n in known}
        return self.named("se", {n: v for n, v in model.bse().items() if n in r}, r, at("se", model.names))

    def model(self, model: Estimates, numbers: str = "") -> Rows:
        """Coefficients, their standard errors and these numbers of a model that R fitted again."""
        return [*self.coefficients(model), *self.errors(model), *self.fields(model, numbers)]

    def columns(self, table: Any, r: Mapping[str, Named], kinds: Places, sizes: Sizes = 0.0) -> Rows:
        """Columns of a table by item, or arrays of an answer of R, beside R's; kinds: what a column is called."""
        rows: Rows = []
        for column, theirs in r.items():
            ours, places = of_items(table, column)
            own = {n: v for n, v in ours.items() if n in theirs}
            rows += self.named(kinds.get(column, column), own, theirs, places, sizes)
        return rows


def llf_and_aic(llf: float | None, n: int) -> dict[str, float]:
    """llf and AIC of n parameters; {} where R recorded no log-likelihood."""
    return {} if llf is None else dict(likelihood_values(llf, n))


def of_fit(
    call: RecordedCall,
    fit: Fit,
    parameters: RParameters,
    more: Mapping[str, float] = MappingProxyType({}),
    *said: str,
    name: str = "",
    errors: bool = True,
    lost: Collection[str] = (),
    arrived: bool | None = None,
) -> Rows:
    """R's parameters, and more numbers of R, beside those of a fit; name: the R call that floors are of.

    errors: whether R's are of the same definition.  lost: what R has not.  arrived: where its record does not say so.
    """
    found = {**parameter_values(fit, parameters), **more}
    values = {q: v for q, v in found.items() if q not in lost and (errors or kind_of(q) != "se")}
    warned = (f"R warns: {' '.join(message.split())}" for message, _ in call.warnings)
    note = "; ".join(part for part in dict.fromkeys((*said, *warned)) if part)
    if arrived is None and (flag := call.number("converged")) is not None:
        arrived = bool(flag)
    return fit_rows(fit, RCounterpart(name or call.function, "live", values, note=note, converged=arrived))


def coefficients(call: RecordedCall, names: Sequence[str] = ()) -> dict[str, float]:
    """R's coefficients under their own names, else under these; {} if none was recorded."""
    found = call.vector("coef")
    return {} if found is None else dict(zip(found.names or names, found.floats().ravel().tolist()))


def standard_errors(call: RecordedCall, names: Sequence[str] = ()) -> dict[str, float]:
    """The roots of the diagonal of R's covariance; {} if none was recorded, NaN where R has no variance."""
    own = list(_places_in_vcov(call, names))
    with np.errstate(invalid="ignore"):
        return dict(zip(own, np.sqrt(np.diag(covariance(call, own))).tolist()))


def at(field: str, names: Iterable[str]) -> dict[str, str]:
    """The places of the numbers of an array with these names: "coef / 0", ...; of equal names the first."""
    found: dict[str, str] = {}
    for k, name in enumerate(names):
        found.setdefault(name, f"{field} / {k}")
    return found


def in_column(frame: pd.DataFrame, column: str) -> list[str]:
    """The places of a column's numbers, row by row; a label that occurs again is counted."""
    return list(distinct(f"{column} / {label}" for label in frame.index.tolist()))


def of_items(found: Any, column: str) -> tuple[dict[str, float], dict[str, str]]:
    """Numbers by item, and their places: of a column of a table, or of an array of R's answer."""
    if hasattr(found, "columns"):
        items, places = found["item"].tolist(), in_column(found, column)
        return dict(zip(items, found[column].tolist())), dict(zip(items, places))
    items = found.players if hasattr(found, "players") else found.items
    return dict(zip(items, getattr(found, column).tolist())), at(column, items)


def count_rows(call: RecordedCall, fit: Fit) -> Rows:
    """A row of R's number of parameters, where it recorded one and has no parameters that the fit has not."""
    return Beside(call, 16.0).numbers(loglik_df=float(fit.rank))


def named(vector: RVector | None) -> dict[str, float]:
    """A named vector of numbers; {} if it is absent."""
    if vector is None or vector.names is None:
        return {}
    return {n: float(v) for n, v in zip(vector.names, vector.floats().tolist())}


def differ(rows: Iterable[Agreement]) -> bool:
    """Whether a number differs."""
    return any(a.verdict == "differs" for a in rows)


def said_of(rows: Iterable[Agreement], which: Which, verdict: Verdict, why: str, code: str) -> Rows:
    """The rows, this said of those `which` differ; what is explained is accepted."""

    def of(a: Agreement) -> Agreement:
        accepted = verdict == "explained" or a.accepted
        return replace(a, verdict=verdict, explanation=why, code=code, accepted=accepted)

    return [of(a) if a.verdict == "differs" and which(a) else a for a in rows]


def explained(rows: Iterable[Agreement], quantities: Sequence[str] | None, why: str, code: str) -> Rows:
    """The rows, those of `quantities` (names or kinds; None: all) that differ explained: R is wrong, and why."""
    which: Which = lambda a: quantities is None or bool({str(a.quantity), a.quantity.kind} & {*quantities})
    return said_of(rows, which, "explained", why, code)
