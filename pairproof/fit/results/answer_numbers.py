"""What a model says of whole answers, and what was seen of them: numbers on arrays, data frames, and text.

In a block (persons of one covariate group who answered the same questions) n persons gave answers y with
probabilities P(y), of which those never seen have the rest.  Pearson's X^2 over all possible answers needs
only those that were seen:

    sum over all y of (O - E)^2 / E = sum over seen y of O^2 / E - n,      E = n P(y)

(McCullagh and Nelder 1989, chapter 6), so that nothing is enumerated.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...data.respondents.codes import ABSENT, as_comparisons
from ...data.respondents.derived import answer_text
from ...data.respondents.respondents import Respondents
from ...data.wide import prefmod_pair_order
from ...errors import InputError, TooLargeError
from ...text import WIDTH, count_words, fixed, label, safe, shorten
from ..estimates.array_inference import GoodnessOfFit
from ..estimates.fit_record import CellTable, listed
from ..estimates.likelihood import Law
from ..estimates.specification import AnswerSpec
from ..fit import Fit
from ..shown.fit_json import finite
from ..shown.fit_text import ROWS, coefficients, how, p_value, reference_levels, scale_words, worths

if TYPE_CHECKING:
    import pandas as pd


#: How names of natural parameters that are abilities begin.
OF_ITEM = "item "

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Predicted(Protocol):
    """Every possible complete answer, where they can be enumerated."""

    def count(self) -> int:
        """How many there are."""

    def answers(self) -> IntArray:
        """int[N, n_times, k]: comparisons (1, 0, -1) or ranks (1 = best) of all of them."""

    def probabilities(self, group: int) -> FloatArray:
        """float[N]: of each in a covariate group."""


@dataclass(frozen=True, eq=False)
class AnswerNumbers:
    """Distinct answers, seen and expected, and what tests and robust standard errors need of the likelihood.

    row int[n_rows]: the distinct answer of each row of the table; -1 for rows that say nothing.  group
    int[n]: covariate group of each distinct answer.  labels: names of the groups; "" for the only one.
    observed, expected float[n]: persons.  block int[n]: block of each distinct answer.  possible
    float[n_blocks]: possible answers of each block.  law: their likelihood.  statistics: names of the q natural parameters.  maps: from the p free parameters to the natural ones, a
    matrix a group.  predicted: none where possible answers are not enumerated.  adds_up: whether the
    probabilities of a block's possible answers add up to 1.  They do not where ties, which are answers,
    decide how many items are ranked before a person stops.
    """

    row: IntArray
    group: IntArray
    labels: tuple[str, ...]
    observed: FloatArray
    expected: FloatArray
    block: IntArray
    possible: FloatArray
    law: Law
    statistics: tuple[str, ...]
    maps: tuple[FloatArray, ...]
    predicted: Predicted | None
    adds_up: bool = True

    @property
    def n_persons(self) -> float:
        """Persons whose answers say something."""
        return float(self.observed.sum())

    @property
    def n_possible(self) -> float:
        """Possible answers in all blocks; an int where a double does not hold the number."""
        total = self.possible.sum()
        return float(total) if total <= 2**53 else int(total)

    @property
    def pearson(self) -> float:
        """Pearson's X^2 over all possible answers; nan where their probabilities do not add up."""
        if not self.adds_up:
            return float("nan")
        with np.errstate(divide="ignore", over="ignore"):
            return float((self.observed**2 / self.expected).sum() - self.n_persons)


#: Possible answers that are written out at most.
MOST_POSSIBLE = 400_000


@dataclass(frozen=True, eq=False)
class PairCells:
    """The table of :func:`pair_cells`, made when it is called."""

    table: Respondents
    numbers: AnswerNumbers

    def __call__(self) -> CellTable:
        return pair_cells(self.table, self.numbers)


def seen(table: Respondents, numbers: AnswerNumbers) -> pd.DataFrame:
    """group, answer, observed, expected, residual of every distinct answer, the most frequent first."""
    import pandas as pd

    first = np.full(len(numbers.observed), -1, np.int64)
    rows = np.flatnonzero(numbers.row >= 0)[::-1]
    first[numbers.row[rows]] = rows
    order = np.lexsort((np.arange(len(first)), -numbers.observed, numbers.group))
    # Ratings that order the items alike are one answer.
    rated = table.kind == "ratings"
    codes = np.where(table.presented, table.ranks, ABSENT) if rated else table.answers
    with np.errstate(divide="ignore"):  # of forty items an answer's probability is no positive double
        residual = (numbers.observed - numbers.expected) / np.sqrt(numbers.expected)
    return pd.DataFrame(
        {
            "group": [numbers.labels[numbers.group[k]] for k in order],
            "answer": [answer_text(table, codes[first[k]], rated) for k in order],
            "observed": numbers.observed[order],
            "expected": numbers.expected[order],
            "residual": residual[order],
        }
    )


def possible(table: Respondents, numbers: AnswerNumbers, group: int, most: int) -> pd.DataFrame:
    """answer, probability of the most probable complete answers in a group, the most probable first."""
    import pandas as pd

    found = enumerated(numbers)
    p = found.probabilities(group)
    order = np.argsort(-p, kind="stable")[:most]
    codes = found.answers()[order]
    return pd.DataFrame({"answer": [answer_text(table, c, True) for c in codes], "probability": p[order]})


def enumerated(numbers: AnswerNumbers) -> Predicted:
    """The possible answers, if they are few enough."""
    found = numbers.predicted
    if found is None:
        raise InputError("the possible answers of this model are not written out")
    if found.count() > MOST_POSSIBLE:
        raise TooLargeError(
            f"there are {count_words(found.count())} possible answers; at most {MOST_POSSIBLE:,} are written out."
            " fit.patterns() has those that were given"
        )
    return found


def pair_cells(table: Respondents, numbers: AnswerNumbers) -> CellTable:
    """Every pair of items in every group and time: how complete answers compare it, and the model's margins."""
    found = enumerated(numbers)
    codes = found.answers()
    own = as_comparisons("comparisons" if table.kind == "comparisons" else "rankings", codes)
    complete = (table.pair_answers != 9).all(axis=(1, 2)) & (numbers.row >= 0)
    group = np.where(numbers.row >= 0, numbers.group[numbers.row], -1)
    pairs = prefmod_pair_order(len(table.items))
    observed: list[FloatArray] = []
    fitted: list[FloatArray] = []
    labels: list[str] = []
    for g, label in enumerate(numbers.labels):
        rows = complete & (group == g)
        n = float(table.weights[rows].sum())
        if not n:
            continue
        p = found.probabilities(g)
        for t, time in enumerate(table.times):
            y, w = table.pair_answers[rows, t], table.weights[rows]
            observed.append(np.stack([w @ (y == v) for v in (1, 0, -1)], axis=1))
            fitted.append(n * np.stack([p @ (own[:, t] == v) for v in (1, 0, -1)], axis=1))
            labels += [",".join(filter(None, [label, f"time={time}" if time else ""]))] * len(pairs)
    i, j = np.array(pairs).T
    times = len(labels) // len(pairs)
    nothing = np.zeros((0, 3))
    return CellTable(
        np.tile(i, times),
        np.tile(j, times),
        tuple(labels),
        np.concatenate([nothing, *observed]),
        np.concatenate([nothing, *fitted]),
    )


#: What the possible answers are called.
PATTERNS = {"comparisons": "patterns of comparisons", "rankings": "rankings", "ratings": "orders"}


def summary(
    fit: Fit,
    spec: AnswerSpec,
    table: Respondents,
    numbers: AnswerNumbers,
    rows: int = ROWS,
    classes: Sequence[str] = (),
) -> str:
    """The fit as text, at most 100 columns wide; `classes` are lines on latent classes."""
    lines = [
        *_wrapped(fit.title, 2),
        "=" * WIDTH,
        *_header(fit, spec, table, numbers),
        "-" * WIDTH,
        *coefficients(fit, rows),
    ]
    hidden = len(fit.terms) - rows
    if hidden > 0:
        lines.append(
            f"... {hidden:,} of {len(fit.terms):,} parameters are not shown; fit.to_frame() has them"
        )
    lines += ["-" * WIDTH, *worths(fit), "-" * WIDTH]
    if classes:
        lines += [part for line in classes for part in _wrapped(line, 2)] + ["-" * WIDTH]
    if fit.not_estimable:
        lines += _wrapped(f"Not estimable: {listed(fit.not_estimable, 20)}", 2)
    for warning in fit.warnings:
        lines += _wrapped(f"Warning: {warning}", 2)
    if fit.robust is not None:
        for caution in fit.robust.cautions:
            lines += _wrapped(f"Caution: {caution}.", 2)
    lines += _wrapped(how(fit), 2)
    return safe("\n".join(lines))


def _header(fit: Fit, spec: AnswerSpec, table: Respondents, numbers: AnswerNumbers) -> Iterator[str]:
    figures = [
        ("Log-likelihood", fixed(fit.llf)),
        ("Deviance", f"{fixed(fit.deviance)} on {count_words(fit.df_resid)} df"),
        ("Null deviance", f"{fixed(fit.null_deviance)} on {count_words(fit.df_null)} df"),
        ("AIC", fixed(fit.aic)),
        ("BIC", fixed(fit.bic)),
        ("Estimable parameters", f"{fit.rank}"),
    ]
    words = [
        ("Items", f"{len(fit.items)}"),
        ("Answers", f"{spec.asked}{f' at {len(spec.times)} times' if len(spec.times) > 1 else ''}"),
        ("Persons", _persons(table, numbers)),
        ("Different", f"{len(numbers.observed):,} of {count_words(numbers.possible.sum())} possible answers"),
        ("Constraint", fit.constraint),
    ]
    if len(fit.groups) > 1:
        words.append(("Groups", f"{len(fit.groups)}"))
    for (left, value), (right, figure) in zip_longest(words, figures, fillvalue=("", "")):
        yield f"{left:<13}{shorten(value, 42):<43}{right:<22}{figure}".rstrip()
    levels = reference_levels(fit)
    stop = fit.stopping
    for name, told in [
        *([("Levels", levels)] if levels else []),
        ("Scale", scale_words(fit)),
        ("Engine", fit.engine),
        ("Stopping", f"{stop.rule}: reached in {stop.steps} steps (at {stop.value:.2g})"),
        ("Deviance on", _blocks(numbers)),
        ("Fit", _goodness(fit)),
        *([("Errors", fit.robust.title)] if fit.robust is not None else []),
    ]:
        yield from _wrapped(f"{name:<13}{told}", 13)
    if table.item_data and spec.item_terms:
        yield from _wrapped(f"{'Abilities':<13}sums of {', '.join(spec.item_terms)}", 13)


def counted(spec: AnswerSpec, numbers: AnswerNumbers, items: Sequence[str]) -> str:
    """`32 persons, 12 different of 24 possible rankings of 4 items`."""
    at = f" at {len(spec.times)} times" if len(spec.times) > 1 else ""
    return (
        f"{numbers.n_persons:.10g} persons, {len(numbers.observed):,} different of {count_words(numbers.possible.sum())} possible"
        f" {PATTERNS[spec.asked]} of {len(items)} items{at}"
    )


def document(spec: AnswerSpec, numbers: AnswerNumbers, test: GoodnessOfFit) -> dict[str, Any]:
    """The keys of the JSON of a fit that only models of whole answers have."""
    return {
        "answers": spec.asked,
        "times": [t for t in spec.times if t],
        "n_persons": numbers.n_persons,
        "n_patterns": len(numbers.observed),
        "n_possible": numbers.n_possible,
        "goodness_of_fit": {
            "deviance": finite(test.deviance),
            "pearson": finite(test.pearson),
            "df": test.df,
            "p_deviance": finite(test.p_deviance),
            "p_pearson": finite(test.p_pearson),
            "caution": test.caution,
        },
    }


def _persons(table: Respondents, numbers: AnswerNumbers) -> str:
    silent = table.n_persons - numbers.n_persons
    left = f" ({silent:.10g} more say nothing)" if silent > 0 else ""
    return f"{numbers.n_persons:.10g}{left}"


def _blocks(numbers: AnswerNumbers) -> str:
    n = len(numbers.possible)
    return (
        f"free probabilities of all answers in {n:,} block{'s' if n > 1 else ''} (group x what was answered)"
    )


def _goodness(fit: Fit) -> str:
    test = fit.goodness_of_fit()
    if math.isnan(test.pearson):
        return test.caution
    text = f"Pearson chi-square {fixed(test.pearson)}"
    if not math.isnan(test.p_deviance):
        text = (
            f"deviance p = {p_value(test.p_deviance, test.log10_p_deviance)}, {text},"
            f" p = {p_value(test.p_pearson, test.log10_p_pearson)}"
        )
    return f"{text}; {test.caution}" if test.caution else text


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(
        label(text), WIDTH, subsequent_indent=" " * indent, break_long_words=True, replace_whitespace=False
    )
