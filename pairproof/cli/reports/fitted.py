"""The reports of `pairproof fit` and `predict`: a fit, R's answer if asked for, and predictions.

Of a Bradley-Terry model also random effects, links, reduced bias and general ties; as blocks of a page, as text
and as JSON.  What is asked beside the fit is in :mod:`pairproof.cli.reports.asked`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import PairproofError
from ...fit.shown.comparisons_plot import MOST_DRAWN, effects_in_order, labels, plot_effects, size_of_effects
from ...fit.shown.fit_plots import MOST_GROUPS, worth_figure, worth_intervals
from ...fit.shown.fit_text import ROWS, cautions, cut_note, p_value, parameter_rows, parameter_table
from ...report.blocks import Block, Bullets, Code, Column, Figure, Folded, Heading, Page, Paragraph, Table
from ...text import fixed, number, shorten

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.fit import Fit
    from ...validation.report.context import ReportContext, Story
    from ...validation.report.verification import Verification
    from .asked import Asked


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


def contest_blocks(fit: Fit) -> Iterator[Block]:
    """The sections that the fit has something to say in; nothing for plain maximum likelihood of the logit."""
    if fit.random_effects is not None:
        yield from _random_effects(fit)
    if fit.contests is None:
        return
    spec = fit.of_contests
    if spec.reduction:
        yield from _reduced(fit)
    if spec.link != "logit":
        yield Heading("Probabilities")
        yield Paragraph(
            f"With the {spec.link} link P(A preferred to B) = {LINKS[spec.link] if spec.law is None else spec.law.preferred}."
            " Differences of abilities"
            " are not log-odds, so there are no worths."
        )
        yield from _pairs(fit)
    elif spec.tie_shift or spec.tie_scale:
        yield from _ties(fit)


def stories(fit: Fit) -> tuple[Story, ...]:
    """The same sections for a report of verdicts."""
    from ...validation.report.context import Story

    out: list[Story] = []
    for block in contest_blocks(fit):
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


def _random_effects(fit: Fit) -> Iterator[Block]:
    yield Heading("Random effects")
    by_pql = fit.of_contests.method == "pql"
    rows = []
    for c in fit.components:
        name = {"item": "items", "item:judge": "items by judge"}[c.name]
        tested = () if by_pql else (number(c.lr), p_value(c.p))
        rows.append((name, f"{c.n_effects:,}", number(c.sigma), number(c.se), *tested))
    heads = ("effects of", "number", "sigma", "se", *(() if by_pql else ("LR", "p of sigma = 0")))
    yield Table(heads, tuple(rows))
    halved = "sigma = 0 is on the boundary, so p is half the tail probability of chi-square on 1 df (Self and Liang 1987)."
    untested = "Penalised quasi-likelihood has no likelihood, so sigma = 0 is not tested."
    yield Paragraph(untested if by_pql else halved)
    effects = _effect_rows(fit)
    yield Table(
        ("effect of", "effect", "se", "2.5 %", "97.5 %"),
        tuple(effects[:ROWS]),
        "Predicted effects, largest first, with se and 95 % limits of the prediction; sigma is treated as known",
    )
    if len(effects) > ROWS:
        yield Paragraph(f"{len(effects) - ROWS:,} more effects are not shown; --json has them.", aside=True)
    for c in fit.components:
        if c.n_effects <= MOST_DRAWN and c.sigma > 0:
            said, draw = "Predicted effects with their intervals", partial(
                plot_effects, fit, component=c.name
            )
            yield Figure("", said, size_of_effects(c.n_effects), draw, title="Predicted effects")


def _effect_rows(fit: Fit) -> list[tuple[str, ...]]:
    frame = effects_in_order(fit)
    return [
        (
            name,
            number(row.effect, se=row.se),
            number(row.se),
            *(number(x, se=row.se) for x in (row.low, row.high)),
        )
        for name, row in zip(labels(frame), frame.itertuples(index=False))
    ]


def effects_text(fit: Fit) -> str:
    """The greatest and the least effects for a terminal; "" without random effects."""
    return "\n".join(_lines(_effect_rows(fit))) if fit.random_effects is not None else ""


def _lines(rows: list[tuple[str, ...]]) -> Iterator[str]:
    cut = rows if len(rows) <= 2 * ENDS + 1 else [*rows[:ENDS], *rows[-ENDS:]]
    width = max(len(shorten(row[0])) for row in cut) + 1
    yield f"{'Predicted effects':<{max(width, 18)}}{'effect':>11}{'se':>10}{'2.5 %':>11}{'97.5 %':>11}"
    for k, row in enumerate(cut):
        if k == ENDS and len(cut) < len(rows):
            yield f"... {len(rows) - 2 * ENDS:,} more: --json, --report or fit.effects()"
        cells = "".join(f"{cell:>{size}}" for cell, size in zip(row[1:], (11, 10, 11, 11)))
        yield f"{shorten(row[0]):<{max(width, 18)}}{cells}"


def _reduced(fit: Fit) -> Iterator[Block]:
    from ...native.comparisons.contests.bradley_terry import fit_contests
    from ...native.comparisons.contests.specified import Prepared

    yield Heading("Reduced bias")
    yield Paragraph(
        f"{REDUCED[fit.of_contests.reduction]}, so estimates are finite even if contests are separated. They do not"
        " maximise the likelihood: log-likelihood, deviance and AIC in the summary are the ordinary ones at these estimates,"
        " and likelihood-ratio tests are not valid."
    )
    try:
        plain = fit_contests(Prepared(fit.data, replace(fit.of_contests, reduction=""), ()))
    except PairproofError as error:
        yield Paragraph(f"Maximum-likelihood estimates, for comparison, were not found. {error}")
        return
    beside = {row[0]: row for row in parameter_rows(plain, ROWS)}
    rows = []
    for row in parameter_rows(fit, ROWS):
        other = beside[row[0]]
        held, open_ = len(row) == 3, len(other) == 3  # without a standard error
        estimate = "none finite" if open_ and not held and row[0] in plain.not_estimable else other[1]
        se = other[2] if held == open_ else ""
        rows.append((row[0], row[1], "" if held else row[2], estimate, se))
    head = ("parameter", "reduced", "se", "maximum likelihood", "se")
    yield Table(head, tuple(rows), "Compared with maximum likelihood")


def _pairs(fit: Fit) -> Iterator[Block]:
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


def _ties(fit: Fit) -> Iterator[Block]:
    import numpy as np

    spec = fit.of_contests
    yield Heading("Ties")
    shift = "Tie-shift moves the difference at which ties are most probable, when one item has the order advantage"
    scale = "The value exp(tie-scale) is the rate at which ties become rarer with the difference (1 in Davidson's model, 1970)"
    parts = [shift] * spec.tie_shift + [scale] * spec.tie_scale
    yield Paragraph(f"{'. '.join(parts)}. The parameter nu of Davidson's model is exp(tie).")
    gaps = np.array([-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0])
    tied = np.array([b for b, t in zip(fit.beta, fit.terms) if t.kind in ("tie", "tie-of")])
    tables = {
        name: fit.outcomes.probabilities(gaps, tied, home)[:, 1]
        for name, home in (("on neutral ground", 0.0), ("the first at home", 1.0))
    }
    yield Table(
        ("gap", *tables),
        tuple((f"{gap:g}", *(f"{p[k]:.3f}" for p in tables.values())) for k, gap in enumerate(gaps)),
        "P(tie) by the difference, first minus second, in log-odds, including the order effect",
    )


#: The worths of more items than this are not drawn, because the picture would not fit a page.
MOST_WORTHS_DRAWN = 150


def fit_page(asked: Asked) -> Page:
    """The best and the worst item, the plot of the worths, the parameters, what was asked, and the summary, folded."""
    fit = asked.fit
    parts: list[Block] = [Bullets((*_ends_of_worths(fit), f"{fit.counted}; {fit.constraint}."), lead=True)]
    parts += [_worths(fit)] if fit.spec.has_worths else []
    parts += [Heading("Parameters"), parameter_table(fit)]
    parts += map(Paragraph, filter(None, [cut_note(fit, ROWS)]))
    parts += [*contest_blocks(fit), *asked.blocks()]
    parts.append(Folded("Summary as text", (Code(fit.summary()),), kept=True))
    return Page(fit.title, parts, f"Data: {fit.data.source}")


def _ends_of_worths(fit: Fit) -> Iterator[str]:
    """The items with the highest and the lowest worth in each group that is drawn."""
    if why_no_picture(fit):
        return
    for group, rows in worth_intervals(fit).dropna(subset="worth").groupby("group", sort=False):
        ends = (rows.loc[rows["worth"].idxmax()], rows.loc[rows["worth"].idxmin()])
        high, low = (f"{row['item']} ({row.worth:.3f}, {row.low:.3f} to {row.high:.3f})" for row in ends)
        yield f"Highest worth{'' if group == 'all' else f', {group}'}: {high}; lowest: {low}; 95 % intervals."


def _worths(fit: Fit) -> Block:
    why_not = why_no_picture(fit)
    if why_not:
        return Paragraph(f"No picture of the worths: {why_not}")
    return worth_figure(fit, title="Worths of predicted abilities" if fit.of_items is not fit else "Worths")


def why_no_picture(fit: Fit) -> str:
    """Why the worths are not drawn; "" if they are."""
    if not fit.spec.has_worths:
        return "with this link there are none."
    if len(fit.groups) > MOST_GROUPS:
        return (
            f"{len(fit.groups)} groups are too many for one picture; pairproof.plot_worth(fit,"
            " groups=[...]) draws some of them."
        )
    if len(fit.items) > MOST_WORTHS_DRAWN:
        return f"{len(fit.items)} items do not fit in one picture; fit.worth() gives the numbers."
    return fit.why_not_estimable() if fit.worth()["worth"].isna().all() else ""


def context(fit: Fit, agreements: Verification) -> ReportContext:
    """The context of the verdicts: the model, its parameters and worths, and how R was run."""
    from ...validation.report.context import Story

    numbers = [f"log-likelihood {fixed(fit.llf)}"] * (not math.isnan(fit.llf))
    numbers += [f"deviance {fixed(fit.deviance)} on {fit.df_resid} df"] * (not math.isnan(fit.deviance))
    facts = f"{'; '.join([f'{fit.counted} from {fit.data.source}', fit.constraint, ', '.join(numbers)])}."
    said = (facts, *map(str, fit.warnings), *cautions(fit), *filter(None, [cut_note(fit, ROWS)]))
    story = Story("The fit", said, parameter_table(fit))
    drawn = () if why_no_picture(fit) else (worth_figure(fit, title="Worths"),)
    asked = agreements.context
    title = f"{fit.title}: does it match R?"
    return replace(
        asked, title=title, subtitle=fit.data.source, story=(story, *stories(fit), *asked.story), worths=drawn
    )


#: Rows of a page; the CSV file and the JSON document have all.
PREDICTED_ROWS = 200


def prediction_document(fit: Fit, frame: pd.DataFrame, level: float) -> dict[str, Any]:
    """The JSON: model, level, with random effects how limits take sigma ("known", "uncertain"), and a row a comparison, null where a number is not determined."""
    sigma = {"sigma": frame.attrs["sigma"]} if "sigma" in frame.attrs else {}
    rows = {"warnings": [str(w) for w in fit.warnings], "predictions": frame.to_dict("records")}
    return {"model": fit.title, "level": level, **sigma, **rows}


def prediction_page(fit: Fit, frame: pd.DataFrame, level: float) -> Page:
    """The table of predictions, and what its columns are."""
    tied, mixed = bool(frame["p_tie"].to_numpy().any()), fit.random_effects is not None
    heads = {"eta": "eta", "se": "se", "p_first": "P(first)"}
    if tied:
        heads |= {"p_tie": "P(tie)", "p_second": "P(second)"}
    else:
        heads |= {"low": f"{50 * (1 - level):g} %", "high": f"{50 * (1 + level):g} %"}
    if mixed:
        heads |= {"p_plug_in": "plug-in", "p_averaged": "averaged", "new": "new effects"}
    rows = []
    for row in frame.head(PREDICTED_ROWS).to_dict("records"):
        numbers = [f"{row[n]:.0f}" if n == "new" else number(float(row[n])) for n in heads]
        rows.append((shorten(str(row["first"]), 30), shorten(str(row["second"]), 30), *numbers))
    header: tuple[str | Column, ...] = (Column("first", "left"), Column("second", "left"), *heads.values())
    n = len(frame)
    blocks: list[Block] = [Table(header, tuple(rows), f"{n:,} comparison{'' if n == 1 else 's'}")]
    if n > PREDICTED_ROWS:
        more = f"{n - PREDICTED_ROWS:,} more are not shown; --out and --json have them."
        blocks.append(Paragraph(more, aside=True))
    said = ["eta is the linear predictor in favour of the first, with its standard error"]
    if not tied:
        said.append("the limits are P(first) at the limits of eta")
    if mixed:
        said.append(
            "P(first) is averaged over the effects of new levels, plug-in has effect 0, averaged is over"
            " all uncertainty; all three and se use the estimated sigma"
        )
        said.append(_of_sigma(frame, level))
    if frame["eta"].isna().any():
        said.append("- : the data do not determine the difference")
    blocks.append(Bullets(tuple(said)))
    return Page(f"Predictions: {fit.title}", blocks, f"Model fitted to {fit.data.source}")


def _of_sigma(frame: pd.DataFrame, level: float) -> str:
    """How the limits take the standard deviation of random effects."""
    how = str(frame.attrs["sigma"])
    limits = f"the {100 * level:g} % limits"
    if how == "known":
        return f"{limits} treat sigma as known, and are too short if there are few comparisons"
    said = how.removeprefix("uncertain")
    return f"{limits} include the uncertainty of sigma (--sigma known treats it as known){said}"
