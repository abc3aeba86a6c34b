"""Rows of a migration: a number of the Python value beside the number that R gave when it ran the script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.cells import count
from ....bridge.process.policy import Backend
from ....bridge.values.values import RVector
from ....fit.answers.fit import AnswerFit
from ....fit.contests.fit import ContestFit
from ....fit.fit import Fit
from ....fit.spec import Scale
from ...claims.quantities import Quantity
from ...native_and_r import compare_fit
from ...r_answers.ask import Question
from ...r_answers.rounding import rounding
from ...r_answers.stopped_short import score_check
from ...r_answers.translate import RParameters
from ...verdicts.agreement import Agreement, RCounterpart, value_or_none
from ...verdicts.digits import digits_of_agreement
from .own_numbers import errors_of_one_fit, of_one_fit

if TYPE_CHECKING:
    import pandas as pd

#: Digits asked of a number that R computes by the same formulas from the same values, such as a table made
#: of a fit that was compared by itself: other orders of summation leave 12 and more.
SAME = 11.0


def parameters(
    call: RecordedCall,
    named: Mapping[str, str],
    scale: Scale,
    reference: str,
    *,
    coef: str = "coef",
    vcov: str = "vcov",
) -> RParameters:
    """The coefficients that R recorded, under the names of a fit; NA ones and those without a name are left out.

    scale: of R's item terms.  coef, vcov: names of the recorded result.
    """
    found, spread = call.vector(coef), call.vector(vcov)
    if found is None or found.names is None:
        raise KeyError(f"{call.function} recorded no named coefficients")
    lacking = [name for name in named if name not in found.names]
    if lacking:
        raise KeyError(f"{call.function} has no coefficient {lacking[0]!r}; it has {list(found.names)[:12]}")
    values = found.floats()
    known = [k for k, n in enumerate(found.names) if n in named and not np.isnan(values[k])]
    names = [found.names[k] for k in known]
    matrix = np.full((len(known), len(known)), np.nan)
    if spread is not None and spread.values.ndim == 2:
        margins = spread.dimnames[0] if spread.dimnames and spread.dimnames[0] else found.names
        at = [list(margins).index(n) for n in names]
        matrix = spread.floats()[np.ix_(at, at)]
    return RParameters(tuple(named[n] for n in names), values[known], matrix, scale, reference)


def counterpart(call: RecordedCall, values: Mapping[str, float], *said: str, name: str = "") -> RCounterpart:
    """R's numbers in this run as the counterpart of a fit.

    values: on the fit's scale and constraint.  said: what was translated, a part each.  name: the R call, for
    its floors; default: the function's name.
    """
    warned = [f"R warns: {' '.join(message.split())}" for message, _ in call.warnings]
    flag = call.number("converged")
    return RCounterpart(
        name or call.function,
        "live",
        values,
        note="; ".join(part for part in (*said, *dict.fromkeys(warned)) if part),
        converged=None if flag is None else bool(flag),
    )


def fit_rows(fit: Fit, answer: RCounterpart) -> list[Agreement]:
    """A row for every number of R's answer beside the fit's, judged as `fit.verify()` judges.

    Whether R stopped before the maximum is found out by the score, as there; its number is then shown and counts as
    not checkable.  It is excused so only if its numbers belong together (:mod:`.own_numbers`).
    """
    if isinstance(fit, (ContestFit, AnswerFit)):
        size = fit.n_comparisons + (abs(fit.llf) if fit.llf == fit.llf else 0.0)
        return compare_fit(
            fit, [replace(answer, rounding={"llf": size, "aic": 2.0 * size, "deviance": 4.0 * size})]
        )
    question = Question(fit, count(fit), Backend("none"))
    score = of_one_fit(fit, answer, score_check(fit, question.cells, answer))
    checked = replace(
        answer, score=score, rounding=rounding(fit, question.cells, answer, fit.outcome_model == "binary")
    )
    return errors_of_one_fit(compare_fit(fit, [checked]), score)


def row(
    quantity: str,
    python: float,
    r: float,
    function: str,
    *,
    least: float = SAME,
    why: str = "the same arithmetic",
    scale: float = 0.0,
    place: str = "",
) -> Agreement:
    """One number that is no quantity of a fit: an entry of a table, a prediction, a number by the bridge.

    quantity: its name in the report: "worth.A", "add1.at.home.LRT".  python, r: both nan agree: R has none
    and says so.  function: R's function.  least: digits that must agree.  why: why so many, in words; it is
    shown where they do not.  scale: size of what cancels in the number: a difference of 1e-16 times it is no
    difference.  place: where `python` stands in the value of the call, as :mod:`..written.held` names places;
    "" if nowhere.
    """
    both = np.isnan(python) and np.isnan(r)
    same = both or python == r
    digits = 16.0 if same else float(digits_of_agreement(python, r, scale))
    enough = same or digits >= least
    if enough:
        code, note = "", ""
    elif np.isnan(python) or np.isnan(r) or np.isnan(digits):
        code, note = "one-side-only", f"only {'R' if np.isnan(python) else 'Python'} has a number"
        digits = 0.0
    else:
        code, note = "few-digits", f"{digits:.1f} digits, {least:g} asked for ({why})"
    return Agreement(
        "",
        "",
        Quantity.parse(quantity),
        native=value_or_none(float(python)),
        r=value_or_none(float(r)),
        r_call=function,
        r_source="live",
        digits=digits,
        verdict="agrees" if enough else "differs",
        explanation=note,
        code=code,
        floor=least,
        about="native-r",
        place=place,
    )


def rows_of(
    kind: str,
    python: Mapping[str, float],
    r: Mapping[str, float],
    function: str,
    *,
    places: Mapping[str, str] = MappingProxyType({}),
    **options: Any,
) -> list[Agreement]:
    """A :func:`row` for each name of both, at its place; a name on one side only differs."""
    names = [*r, *(n for n in python if n not in r)]
    nothing = float("nan")
    return [
        row(
            f"{kind}.{n}" if n else kind,
            python.get(n, nothing),
            r.get(n, nothing),
            function,
            place=places.get(n, ""),
            **options,
        )
        for n in names
    ]


def at(field: str, names: Iterable[str]) -> dict[str, str]:
    """The places of the numbers of an array with these names: "coef / 0", ...; of equal names the first."""
    found: dict[str, str] = {}
    for k, name in enumerate(names):
        found.setdefault(name, f"{field} / {k}")
    return found


def in_column(frame: pd.DataFrame, column: str) -> list[str]:
    """The places of a column's numbers, row by row; a label that occurs again is counted."""
    return list(distinct(f"{column} / {label}" for label in frame.index.tolist()))


def by_item(frame: pd.DataFrame, column: str) -> dict[str, str]:
    """The same by the items of its rows."""
    return dict(zip(frame["item"].tolist(), in_column(frame, column)))


def distinct(places: Iterable[str]) -> Iterator[str]:
    """Places as they are, and "place (2)" where one occurs again."""
    seen: Counter[str] = Counter()
    for place in places:
        seen[place] += 1
        yield place if seen[place] == 1 else f"{place} ({seen[place]})"


def count_rows(call: RecordedCall, fit: Fit | AnswerFit) -> list[Agreement]:
    """A row of R's number of parameters, where it recorded one and has no parameters that the fit has not."""
    theirs = call.number("loglik_df")
    return [] if theirs is None else [row("loglik_df", float(fit.rank), theirs, call.function, least=16.0)]


def named(vector: RVector | None) -> dict[str, float]:
    """A named vector of numbers; {} if it is absent."""
    if vector is None or vector.names is None:
        return {}
    return {n: float(v) for n, v in zip(vector.names, vector.floats().tolist())}


def explained(rows: Iterable[Agreement], quantities: Sequence[str], why: str, code: str) -> list[Agreement]:
    """The rows, those of `quantities` (names or kinds) that differ being explained: R is wrong there, and why."""
    return [
        replace(a, verdict="explained", explanation=why, code=code, accepted=True)
        if a.verdict == "differs" and (str(a.quantity) in quantities or a.quantity.kind in quantities)
        else a
        for a in rows
    ]


def not_checkable(rows: Iterable[Agreement], why: str, code: str) -> list[Agreement]:
    """The rows, those that differ being such as cannot check ours: R is wrong there, and by how much is not known."""
    return [
        replace(a, verdict="not-checkable", explanation=why, code=code) if a.verdict == "differs" else a
        for a in rows
    ]
