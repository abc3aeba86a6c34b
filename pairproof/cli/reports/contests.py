"""Sections of a report about random effects, links, reduced bias and general ties of a Bradley-Terry model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...errors import PairproofError
from ...fit.contests.fit import ContestFit
from ...fit.contests.mixed import MixedFit
from ...fit.shown.comparisons_plot import MOST_DRAWN
from ...fit.shown.effects_plot import effects_in_order, labels, plot_effects, size_of_effects
from ...fit.shown.text import ROWS, number, p_value, parameter_rows, shorten
from ...report.blocks import Block, Figure, Heading, Paragraph, Table

if TYPE_CHECKING:
    from ...fit.fit import Fit
    from ...validation.report import Story

#: Items up to which the probabilities of all pairs are a table of a report.
MOST_PAIRED = 15
#: Effects shown in a terminal: the greatest and the least.
ENDS = 6
LINKS = {
    "probit": "Phi(A - B), Phi the distribution function of the normal",
    "cauchit": "1/2 + atan(A - B)/pi",
}
REDUCED = {
    "mean": "The bias of the mean of the estimates is removed to the first order (Firth 1993)",
    "median": "The bias of the median of the estimates is removed (Kenne Pagui, Salvan and Sartori 2017)",
    "jeffreys": "The likelihood is multiplied by Jeffreys' prior, and its maximum taken (Firth 1993)",
}


def blocks(fit: Fit) -> Iterator[Block]:
    """The sections that the fit has something to say in; nothing for plain maximum likelihood of the logit."""
    if isinstance(fit, MixedFit):
        yield from _random_effects(fit)
    if not isinstance(fit, ContestFit):
        return
    spec = fit.of_contests
    if spec.reduction:
        yield from _reduced(fit)
    if spec.link != "logit":
        yield Heading("Probabilities")
        yield Paragraph(
            f"With the {spec.link} link P(A preferred to B) = {LINKS[spec.link]}. Differences of abilities are no"
            " log-odds, so there are no worths."
        )
        yield from _pairs(fit)
    elif spec.tie_shift or spec.tie_scale:
        yield from _ties(fit)


def stories(fit: Fit) -> tuple[Story, ...]:
    """The same sections for a report of verdicts."""
    from ...validation.report import Story

    out: list[Story] = []
    for block in blocks(fit):
        if isinstance(block, Heading):
            out.append(Story(block.text, ()))
        elif isinstance(block, Paragraph):
            out[-1] = replace(out[-1], paragraphs=(*out[-1].paragraphs, block.text))
        elif isinstance(block, Figure):
            out[-1] = replace(out[-1], figures=(*out[-1].figures, block))
        else:
            assert isinstance(block, Table), f"{type(block).__name__} has no place in a report of verdicts"
            if out[-1].table is not None:
                out.append(Story(block.caption, ()))
            out[-1] = replace(out[-1], table=block)
    return tuple(out)


def _random_effects(fit: MixedFit) -> Iterator[Block]:
    yield Heading("Random effects")
    by_pql = fit.of_contests.method == "pql"
    rows = []
    for c in fit.components:
        p = "-" if math.isnan(c.p) else p_value(c.p, math.log10(c.p) if c.p > 0 else -math.inf)
        name = {"item": "items", "item:judge": "items by judge"}[c.name]
        tested = () if by_pql else (number(c.lr), p)
        rows.append((name, f"{c.n_effects:,}", number(c.sigma), number(c.se), *tested))
    heads = ("effects of", "number", "sigma", "se", *(() if by_pql else ("LR", "p of sigma = 0")))
    yield Table(heads, tuple(rows))
    if by_pql:
        yield Paragraph("Penalised quasi-likelihood has no likelihood, and so no test of sigma = 0.")
    else:
        yield Paragraph(
            "sigma = 0 lies on the boundary, so that p is half the tail of chi-square on 1 df (Self and Liang 1987)."
        )
    effects = _effect_rows(fit)
    yield Table(
        ("effect of", "effect", "se", "2.5 %", "97.5 %"),
        tuple(effects[:ROWS]),
        "Predicted effects, the greatest first; se and 95 % limits of the prediction, sigma taken as known",
    )
    if len(effects) > ROWS:
        yield Paragraph(f"{len(effects) - ROWS:,} more effects are not shown; --json has them.", aside=True)
    for c in fit.components:
        if c.n_effects <= MOST_DRAWN and c.sigma > 0:
            yield Figure(
                "",
                "Predicted effects with their intervals",
                size_of_effects(c.n_effects),
                partial(_draw, fit, c.name),
                title="Predicted effects",
            )


def _draw(fit: MixedFit, component: str, ax: object) -> None:
    plot_effects(fit, ax, component=component)


def _effect_rows(fit: MixedFit) -> list[tuple[str, ...]]:
    frame = effects_in_order(fit)
    return [
        (name, number(row.effect), number(row.se), number(row.low), number(row.high))
        for name, row in zip(labels(frame), frame.itertuples(index=False))
    ]


def effects_text(fit: Fit) -> str:
    """The greatest and the least effects for a terminal; "" without random effects."""
    return "\n".join(_lines(_effect_rows(fit))) if isinstance(fit, MixedFit) else ""


def _lines(rows: list[tuple[str, ...]]) -> Iterator[str]:
    cut = rows if len(rows) <= 2 * ENDS + 1 else [*rows[:ENDS], *rows[-ENDS:]]
    width = max(len(shorten(row[0])) for row in cut) + 1
    yield f"{'Predicted effects':<{max(width, 18)}}{'effect':>11}{'se':>10}{'2.5 %':>11}{'97.5 %':>11}"
    for k, row in enumerate(cut):
        if k == ENDS and len(cut) < len(rows):
            yield f"... {len(rows) - 2 * ENDS:,} more: --json, --report or fit.effects()"
        cells = "".join(f"{cell:>{size}}" for cell, size in zip(row[1:], (11, 10, 11, 11)))
        yield f"{shorten(row[0]):<{max(width, 18)}}{cells}"


def _reduced(fit: ContestFit) -> Iterator[Block]:
    from ...native.contests.fitted import fit_contests
    from ...native.contests.options import Prepared

    yield Heading("Reduced bias")
    yield Paragraph(
        f"{REDUCED[fit.of_contests.reduction]}, so that estimates are finite also where contests are separated. This is no"
        " maximum of the likelihood: log-likelihood, deviance and AIC in the summary are the plain ones at these estimates,"
        " and likelihood ratios do not hold."
    )
    try:
        plain = fit_contests(Prepared(fit.data, replace(fit.of_contests, reduction=""), ()))
    except PairproofError as error:
        yield Paragraph(f"Beside maximum likelihood: it was not found. {error}")
        return
    beside = {row[0]: row for row in parameter_rows(plain, ROWS)}
    rows = []
    for row in parameter_rows(fit, ROWS):
        other = beside[row[0]]
        if len(row) == 3 or len(other) == 3:
            state = other[2] if len(other) == 3 else ""
            likely = (
                (other[1], state)
                if len(row) == 3
                else ("none finite" if row[0] in plain.not_estimable else other[1], "")
            )
            rows.append((row[0], row[1], "" if len(row) == 3 else row[2], *likely))
        else:
            rows.append((row[0], row[1], row[2], other[1], other[2]))
    head = ("parameter", "reduced", "se", "maximum likelihood", "se")
    yield Table(head, tuple(rows), "Beside maximum likelihood")


def _pairs(fit: ContestFit) -> Iterator[Block]:
    """P(row preferred to column), or where it is found."""
    n = len(fit.items)
    if n > MOST_PAIRED:
        yield Paragraph(f"The probabilities of all pairs of {n} items: fit.probabilities() in Python.")
        return
    frame = fit.probabilities()
    cells = {(a, b): p for a, b, p in zip(frame["first"], frame["second"], frame["p_first"])}
    rows = tuple(
        (shorten(a, 24), *("" if a == b else _share(cells[a, b]) for b in fit.items)) for a in fit.items
    )
    yield Table(
        ("", *(shorten(b, 14) for b in fit.items)), rows, "P(row preferred to column), on neutral ground"
    )


def _share(p: float) -> str:
    return "-" if math.isnan(p) else f"{p:.3f}"


def _ties(fit: ContestFit) -> Iterator[Block]:
    import numpy as np

    spec = fit.of_contests
    yield Heading("Ties")
    parts = []
    if spec.tie_shift:
        parts.append(
            "Tie-shift moves the gap at which ties are most probable, where one item has the advantage of order"
        )
    if spec.tie_scale:
        parts.append(
            "The value exp(tie-scale) is how fast ties grow rarer with the gap, 1 in Davidson's model (1970)"
        )
    yield Paragraph(f"{'. '.join(parts)}. The parameter nu of Davidson's model is exp(tie).")
    gaps = np.array([-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0])
    tied = np.array([b for b, t in zip(fit.beta, fit.terms) if t.kind in ("tie", "tie-of")])
    tables = {
        name: fit.outcomes.probabilities(gaps, np.full(len(gaps), home), tied)[:, 1]
        for name, home in (("on neutral ground", 0.0), ("the first at home", 1.0))
    }
    yield Table(
        ("gap", *tables),
        tuple((f"{gap:g}", *(f"{p[k]:.3f}" for p in tables.values())) for k, gap in enumerate(gaps)),
        "P(tie) by the gap of the first over the second in log-odds, the order effect included",
    )
