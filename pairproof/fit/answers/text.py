"""A fit of whole answers as text for a terminal; no number is computed here."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from ...data.respondents import Respondents
from ...text import count_words, label, safe
from ..fit import Fit
from ..inference import GoodnessOfFit
from ..shown.json import finite
from ..shown.text import (
    ROWS,
    WIDTH,
    coefficients,
    fixed,
    how,
    p_value,
    reference_levels,
    scale_words,
    shorten,
    worths,
)
from ..warning import listed
from .numbers import AnswerNumbers
from .spec import AnswerSpec

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
