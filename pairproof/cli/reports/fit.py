"""The report of `pairproof fit`: a fit, and R's answer if asked for, as a page and as a JSON document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...fit.shown.plots import MOST_GROUPS, plot_worth
from ...fit.shown.text import ROWS, cautions, columns, cut_note, fixed, parameter_rows
from ...report.blocks import Block, Code, Figure, Heading, Page, Paragraph, Table
from . import contests
from .comparisons import Found, blocks

if TYPE_CHECKING:
    from ...fit.fit import Fit
    from ...validation.report import ReportContext
    from ...validation.report.verification import Verification

#: The worths of more items than this are not drawn, because the picture would not fit a page.
MOST_DRAWN = 150


def document(fit: Fit, agreements: Verification | None) -> dict[str, Any]:
    """The JSON of a fit; with verdicts it also has the two keys of the JSON of agreements."""
    result = fit.to_dict()
    if agreements is not None:
        from ...validation.verdicts.agreement import to_document

        result.update(to_document(agreements))
    return result


def page(fit: Fit, found: Found = Found(), more: Sequence[Block] = ()) -> Page:
    """The table of parameters, the plot of the worths, which items can be told apart, `more`, and the summary."""
    parts: list[Block] = [Heading("Parameters"), _parameters(fit)]
    parts += map(Paragraph, filter(None, [cut_note(fit, ROWS)]))
    parts += contests.blocks(fit)
    parts += [_worths(fit)] if fit.spec.has_worths else []
    parts += [*blocks(fit, found), *more, Heading("Summary"), Code(fit.summary())]
    return Page(fit.title, parts, f"Data: {fit.data.source}")


def _parameters(fit: Fit) -> Table:
    heads = columns(fit)
    width = len(heads) + 1
    rows = tuple((row + ("",) * width)[:width] for row in parameter_rows(fit, ROWS))
    return Table(("parameter", *heads), rows)


def _worths(fit: Fit) -> Block:
    why_not = why_no_picture(fit)
    if why_not:
        return Paragraph(f"No picture of the worths: {why_not}")
    size = (7.5, 1.2 + 0.16 * len(fit.items) * (1 + len(fit.groups)))
    title = "Worths of predicted abilities" if fit.of_items is not fit else "Worths"
    return Figure("", "Worths with their intervals", size, lambda ax: plot_worth(fit, ax), title=title)


def why_no_picture(fit: Fit) -> str:
    """Why the worths are not drawn; "" if they are."""
    if not fit.spec.has_worths:
        return "with this link there are none."
    if len(fit.groups) > MOST_GROUPS:
        return (
            f"{len(fit.groups)} groups cannot be told apart in one picture; pairproof.plot_worth(fit,"
            " groups=[...]) draws some."
        )
    if len(fit.items) > MOST_DRAWN:
        return f"{len(fit.items)} items do not fit one picture; fit.worth() has the numbers."
    return fit.why_not_estimable() if fit.worth()["worth"].isna().all() else ""


def context(fit: Fit, agreements: Verification) -> ReportContext:
    """The context of the verdicts: the model, its parameters and worths, and how R was run."""
    from ...validation.report import Story, worth_series

    numbers = [f"log-likelihood {fixed(fit.llf)}"] * (not math.isnan(fit.llf))
    numbers += [f"deviance {fixed(fit.deviance)} on {fit.df_resid} df"] * (not math.isnan(fit.deviance))
    facts = f"{'; '.join([f'{fit.counted} from {fit.data.source}', fit.constraint, ', '.join(numbers)])}."
    said = (facts, *map(str, fit.warnings), *cautions(fit), *filter(None, [cut_note(fit, ROWS)]))
    story = Story("The fit", said, _parameters(fit))
    drawn = () if why_no_picture(fit) else (worth_series(fit, fit.title),)
    asked = agreements.context
    title = f"{fit.title}: does it match R?"
    return replace(
        asked,
        title=title,
        subtitle=fit.data.source,
        story=(story, *contests.stories(fit), *asked.story),
        worths=drawn,
    )
