"""One question to R: the fit and its cells, whether R is asked, and its answer or why there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...bridge.process.policy import Backend
from ...bridge.programs.contest_models import Inputs
from ...bridge.programs.counted_cells import CountedCells
from ...bridge.records.calls import RResult
from ...bridge.records.drift import said_of_stopping, said_of_words
from ...errors import RDrift, RecordMissing, RError, RTimeout, RUnavailable
from ...fit.estimates.identification import over_which
from ...fit.estimates.predictions import item_covariate
from ...fit.estimates.specification import Term
from ...fit.fit import Fit
from ...numerics.arrays import FloatArray
from ..verdicts.agreement import RCounterpart, RSource

#: A design of this many numbers (rows x columns, 8 bytes each) is 400 MB in R, which holds several copies.
MOST_NUMBERS = 50_000_000


@dataclass(frozen=True, eq=False)
class Question:
    """A question to R: the fit, its cells, and the backend that is to answer."""

    fit: Fit
    cells: CountedCells
    backend: Backend

    @property
    def counts(self) -> tuple[list[float], list[float] | None, list[float]]:
        """Wins, ties if there is a category for them, and losses, by cell."""
        c = self.cells
        return c.wins.tolist(), None if c.ties is None else c.ties.tolist(), c.losses.tolist()

    @property
    def home(self) -> list[float] | None:
        """Who is at home, by cell; None where nobody asks."""
        return None if self.cells.order is None else self.cells.order.tolist()

    @property
    def too_large(self) -> str:
        """Why R's dense design is not asked for; "" if it is."""
        rows, columns = int(self.cells.counts.size), len(self.fit.terms)
        if rows * columns <= MOST_NUMBERS:
            return ""
        size = f"{rows * columns * 8 / 1e9:.1f} GB"
        return f"not asked: its design of {rows:,} rows and {columns:,} columns would take {size}"


@dataclass(frozen=True, eq=False)
class AnswerQuestion:
    """A question to R about a fit of whole answers: the fit, and the backend that is to answer."""

    fit: Fit
    backend: Backend


@dataclass(frozen=True, eq=False)
class ContestQuestion:
    """A question to R about a fit of contests: the fit, its numbers for R, and the backend that is to answer."""

    fit: Fit
    given: Inputs
    backend: Backend

    @property
    def at_a_limit(self) -> bool:
        """Whether contests are separated: some results are certain in the limit."""
        return bool(self.given.certain.any())

    @property
    def kept(self) -> list[int]:
        """Parameters that the rows without a certain result determine."""
        return [k for k in range(len(self.given.terms)) if k not in self.given.undetermined]


SomeQuestion = TypeVar("SomeQuestion", Question, AnswerQuestion, ContestQuestion)


def attempt(
    r_call: str,
    ask: Callable[[SomeQuestion], RCounterpart],
    question: SomeQuestion,
    known: Sequence[str] = (),
) -> RCounterpart:
    """R's answer, or a counterpart that says why there is none."""
    try:
        return ask(question)
    except RDrift as drift:
        live = replace(question, backend=replace(question.backend, mode="live"))
        return replace(attempt(r_call, ask, live, known), drift=str(drift))
    except (RUnavailable, RecordMissing, RTimeout) as error:
        without = isinstance(error, RecordMissing)
        return RCounterpart(r_call, None, not_run=_first_sentence(error), no_record=without)
    except RError as error:
        where = f" in {error.r_call}" if error.r_call else ""
        said = error.r_message.strip() or str(error)
        source: RSource = "recorded" if error.source == "recorded" else "live"
        message = f"{said}{where} ({source})"
        expected = any(words in said for words in known)
        return RCounterpart(r_call, source, not_run=f"R stops: {message}", r_error=message, expected=expected)


def _first_sentence(error: RError) -> str:
    """Why a call did not run, without the cure: the report says that once, beside what is absent."""
    lines = str(error).strip().splitlines()
    if isinstance(error, RecordMissing):
        return f"{NO_RECORD}{found[0]}" if (found := _KEY.search(lines[0])) else lines[0]
    return " ".join(lines[0].split())


#: Begins the reason of a call that is in no record.
NO_RECORD = "no recorded result for this table "
_KEY = re.compile(r"\(key \w+\)")


def first_reason(*rules: tuple[bool, str]) -> str:
    """What is said by the first rule that holds; "" if none does."""
    return next((why for holds, why in rules if holds), "")


def refused(r_call: str, why: str) -> RCounterpart:
    """The counterpart of an R function with the model that is not asked; `why`: the rule and its numbers."""
    return RCounterpart(r_call, None, not_run=why, expected=True)


def attempt_unless(
    why: str,
    r_call: str,
    ask: Callable[[SomeQuestion], RCounterpart],
    question: SomeQuestion,
    known: Sequence[str] = (),
) -> RCounterpart:
    """R's answer, or the counterpart that is refused for the reason `why`, where there is one."""
    return refused(r_call, why) if why else attempt(r_call, ask, question, known)


def without_model(r_call: str, why: str) -> RCounterpart:
    """The row of an R package that has no such model: `why` says what it lacks."""
    return RCounterpart(r_call, None, not_run=f"no counterpart: {why}", expected=True, no_counterpart=True)


def remarks(result: RResult) -> list[str]:
    """R's warnings, each once, and how its end and its words differ from its record."""
    seen = dict.fromkeys(" ".join(w.message.split()) for w in result.warnings)
    told = (said_of_stopping(result.drift), said_of_words(result.drift))
    return [*(f"R warns: {text}" for text in seen), *filter(None, told)]


#: What glm, gnm, polr and btmodel write in a warning when their algorithm did not converge.  R gives these
#: facts in no other form.
_NOT_CONVERGED = re.compile(
    r"(?:did|does|has|have|had)? ?(?:either )?not converge|fail(?:ed|s|ure)? to converge|algorithm"
    r" failed|non-?convergence"
    r"|iteration limit|singular convergence|false convergence",
    re.IGNORECASE,
)


def converged(result: RResult, flag: bool | None) -> bool | None:
    """What R says of itself: False by its flag or by a warning; None if it says nothing."""
    return False if any(_NOT_CONVERGED.search(w.message) for w in result.warnings) else flag


def answered(
    r_call: str,
    result: RResult,
    values: Mapping[str, float],
    *said: str,
    flag: bool | None = None,
    se: Mapping[str, float] | None = None,
) -> RCounterpart:
    """The counterpart of a call that ran: its numbers, and in its note everything that was said about it."""
    note = "; ".join(part for part in said if part)
    return RCounterpart(r_call, result.source, values, se or {}, note, converged=converged(result, flag))


def with_rounding(answers: Sequence[RCounterpart], n: float, llf: float) -> list[RCounterpart]:
    """With the size of the sums that cancel in likelihoods, of n terms: contests, or persons' answers."""
    size = n if math.isnan(llf) else n + abs(llf)
    sizes = {"llf": size, "aic": 2.0 * size, "deviance": 4.0 * size}
    return [replace(a, rounding=sizes) if a.values else a for a in answers]


def reference_for_r(fit: Fit, default: int) -> str:
    """The fit's reference item, or under a sum constraint the item that R takes by itself (first or last).

    Of items that differ infinitely, one of those that sum to zero: against another every standard error is of 1e5.
    """
    if fit.spec.reference in fit.items:
        return fit.spec.reference
    if not fit.null_space.shape[1]:
        return fit.items[default]
    summed = np.flatnonzero(over_which(fit)[0])
    return fit.items[int(summed[default])]


def column_of(fit: Fit, cells: CountedCells, term: Term) -> FloatArray:
    """float[n_cells]: what a parameter is multiplied with in each cell."""
    column = np.ones(len(cells))
    if term.kind == "comparison":
        return cells.comparison[term.name]
    if term.kind == "order":
        assert cells.order is not None
        column = cells.order
    elif term.kind in ("item", "covariate"):
        one = np.array([float(item == term.item) for item in fit.items])
        values = item_covariate(fit, term) if term.kind == "covariate" else one
        column = values[cells.first] - values[cells.second]
    return times_covariates(column, cells, term.by)


def times_covariates(
    column: FloatArray, cells: CountedCells, by: Sequence[tuple[str, str | None]]
) -> FloatArray:
    """float[n_cells]: a column times the subject covariates (and indicators of levels) of a term."""
    for name, level in by:
        c = cells.covariate(name)
        column = column * (c.values if level is None else (c.values == c.levels.index(level)).astype(float))
    return column
