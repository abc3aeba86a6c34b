"""The reports of `pairproof fit` and `predict`: a fit, R's answer if asked for, and predictions.

Their parts: which items can be told apart (rank sets and families of differences), and, of a Bradley-Terry
model, random effects, links, reduced bias and general ties; as blocks of a page, as text and as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Union

from ...errors import NotEstimableError, PairproofError
from ...fit.many.comparison_results import (
    AgainstTheBest,
    Contrasts,
    RankSets,
    best_rows,
    caption_of_best,
    caption_of_contrasts,
    caption_of_rank_sets,
    contrasts_rows,
    group_lines,
    ranks_rows,
)
from ...fit.shown.comparisons_plot import (
    MOST_DRAWN,
    caption_of_ranks,
    effects_in_order,
    labels,
    plot_contrasts,
    plot_effects,
    plot_ranks,
    size_of_contrasts,
    size_of_effects,
    size_of_ranks,
)
from ...fit.shown.fit_plots import MOST_GROUPS, plot_worth
from ...fit.shown.fit_text import ROWS, cautions, columns, cut_note, p_value, parameter_rows
from ...report.blocks import Block, Bullets, Code, Column, Figure, Heading, Page, Paragraph, Table
from ...text import fixed, number, shorten

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.fit import Fit
    from ...validation.report.context import ReportContext, Story
    from ...validation.report.verification import Verification


#: Groups and items of a report whose rank sets are worked out unasked.
MOST_GROUPS_COMPARED, MOST_ITEMS = 4, 100
HEADING = "Which items can be told apart"


@dataclass(frozen=True)
class Found:
    """Rank sets and families by group; why there is none where the data determine no difference."""

    ranks: Mapping[str, RankSets] = field(default_factory=dict)
    contrasts: Mapping[str, Union[Contrasts, AgainstTheBest, str]] = field(default_factory=dict)


def comparison_document(found: Found) -> dict[str, Any]:
    """Keys for the JSON of a fit: `ranks` and `contrasts`, group by group."""
    out: dict[str, Any] = {}
    if found.ranks:
        out["ranks"] = {group: ranks.to_dict() for group, ranks in found.ranks.items()}
    if found.contrasts:
        out["contrasts"] = {
            group: {"not_estimable": c} if isinstance(c, str) else c.to_dict()
            for group, c in found.contrasts.items()
        }
    return out


def text(found: Found) -> str:
    """The tables for a terminal."""
    parts = [f"Ranks{_of(group)}\n{ranks}" for group, ranks in found.ranks.items()]
    parts += [f"Contrasts{_of(group)}\n{c}" for group, c in found.contrasts.items()]
    return "\n\n".join(parts)


def _of(group: str) -> str:
    return "" if group == "all" else f", {group}"


def comparison_blocks(fit: Fit, found: Found) -> Iterator[Block]:
    """The section of a report: rank sets, asked for or not, and the families that were asked for."""
    if len(fit.items) < 2:
        return
    yield Heading(HEADING)
    ranks = found.ranks
    if not ranks and (len(fit.groups) > MOST_GROUPS_COMPARED or len(fit.items) > MOST_ITEMS):
        yield Paragraph(
            f"Not worked out unasked for {len(fit.items)} items in {len(fit.groups)} group"
            f"{'' if len(fit.groups) == 1 else 's'}; add --ranks."
        )
    elif not ranks:
        ranks = {group: fit.ranks(group=group) for group in fit.groups}
    for group, r in ranks.items():
        yield from _ranks(fit, group, r)
    for group, c in found.contrasts.items():
        yield from _contrasts(group, c)


def _ranks(fit: Fit, group: str, r: RankSets) -> Iterator[Block]:
    header, rows = ranks_rows(r, ROWS)
    yield Table(header, tuple(rows), f"Ranks{_of(group)}, best first")
    if len(r.items) > ROWS:
        yield Paragraph(
            f"{len(r.items) - ROWS} more items are not shown; --json --ranks has them.", aside=True
        )
    yield Bullets((*caption_of_rank_sets(r), _equal(fit, group), *group_lines(r)))
    # With nothing to test every set is that of all ranks: there is nothing to see.
    if len(r.items) <= MOST_DRAWN and not math.isnan(r.critical):
        yield Figure(
            "", caption_of_ranks(r), size_of_ranks(r), partial(plot_ranks, r), title=f"Rank sets{_of(group)}"
        )


def _equal(fit: Fit, group: str) -> str:
    try:
        return f"All items equal? {fit.test_equal_items(group=group)}."
    except NotEstimableError as error:
        return f"All items equal? Not tested: {error}"


def _contrasts(group: str, c: Contrasts | AgainstTheBest | str) -> Iterator[Block]:
    title = f"Contrasts{_of(group)}"
    if isinstance(c, str):
        yield Paragraph(f"{title}: {c}")
        return
    if isinstance(c, Contrasts):
        (header, rows), said, n = contrasts_rows(c, ROWS), caption_of_contrasts(c), len(c.first)
    else:
        (header, rows), said, n = best_rows(c, ROWS), caption_of_best(c), len(c.items)
    yield Table(header, tuple(rows), title)
    more = (f"{n - ROWS:,} of {n:,} rows are not shown; --json has them.",) if n > ROWS else ()
    yield Bullets((*said, *more))
    if n <= MOST_DRAWN:
        yield Figure("", title, size_of_contrasts(c), partial(plot_contrasts, c), title=title)


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
            " Differences of abilities are no"
            " log-odds, so there are no worths."
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


def _draw(fit: Fit, component: str, ax: object) -> None:
    plot_effects(fit, ax, component=component)


def _effect_rows(fit: Fit) -> list[tuple[str, ...]]:
    frame = effects_in_order(fit)
    return [
        (name, number(row.effect), number(row.se), number(row.low), number(row.high))
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
        name: fit.outcomes.probabilities(gaps, tied, home)[:, 1]
        for name, home in (("on neutral ground", 0.0), ("the first at home", 1.0))
    }
    yield Table(
        ("gap", *tables),
        tuple((f"{gap:g}", *(f"{p[k]:.3f}" for p in tables.values())) for k, gap in enumerate(gaps)),
        "P(tie) by the gap of the first over the second in log-odds, the order effect included",
    )


#: The worths of more items than this are not drawn, because the picture would not fit a page.
MOST_WORTHS_DRAWN = 150


def fit_document(fit: Fit, agreements: Verification | None) -> dict[str, Any]:
    """The JSON of a fit; with verdicts it also has the two keys of the JSON of agreements."""
    result = fit.to_dict()
    if agreements is not None:
        from ...validation.verdicts.agreement import to_document

        result.update(to_document(agreements))
    return result


def fit_page(fit: Fit, found: Found = Found(), more: Sequence[Block] = ()) -> Page:
    """The table of parameters, the plot of the worths, which items can be told apart, `more`, and the summary."""
    parts: list[Block] = [Heading("Parameters"), _parameters(fit)]
    parts += map(Paragraph, filter(None, [cut_note(fit, ROWS)]))
    parts += contest_blocks(fit)
    parts += [_worths(fit)] if fit.spec.has_worths else []
    parts += [*comparison_blocks(fit, found), *more, Heading("Summary"), Code(fit.summary())]
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
    if len(fit.items) > MOST_WORTHS_DRAWN:
        return f"{len(fit.items)} items do not fit one picture; fit.worth() has the numbers."
    return fit.why_not_estimable() if fit.worth()["worth"].isna().all() else ""


def context(fit: Fit, agreements: Verification) -> ReportContext:
    """The context of the verdicts: the model, its parameters and worths, and how R was run."""
    from ...validation.report.context import Story, worth_series

    numbers = [f"log-likelihood {fixed(fit.llf)}"] * (not math.isnan(fit.llf))
    numbers += [f"deviance {fixed(fit.deviance)} on {fit.df_resid} df"] * (not math.isnan(fit.deviance))
    facts = f"{'; '.join([f'{fit.counted} from {fit.data.source}', fit.constraint, ', '.join(numbers)])}."
    said = (facts, *map(str, fit.warnings), *cautions(fit), *filter(None, [cut_note(fit, ROWS)]))
    story = Story("The fit", said, _parameters(fit))
    drawn = () if why_no_picture(fit) else (worth_series(fit, fit.title),)
    asked = agreements.context
    title = f"{fit.title}: does it match R?"
    return replace(
        asked, title=title, subtitle=fit.data.source, story=(story, *stories(fit), *asked.story), worths=drawn
    )


#: Rows of a page; the CSV file and the JSON document have all.
PREDICTED_ROWS = 200


def prediction_document(fit: Fit, frame: pd.DataFrame, level: float) -> dict[str, Any]:
    """The JSON: model, level, with random effects how limits take sigma ("known", "uncertain"), and a row a comparison, null where a number is not determined."""
    rows = [
        {str(k): (None if isinstance(v, float) and not math.isfinite(v) else v) for k, v in row.items()}
        for row in frame.to_dict("records")
    ]
    return {
        "model": fit.title,
        "level": level,
        **({"sigma": frame.attrs["sigma"]} if "sigma" in frame.attrs else {}),
        "warnings": [str(w) for w in fit.warnings],
        "predictions": rows,
    }


def prediction_page(fit: Fit, frame: pd.DataFrame, level: float) -> Page:
    """The table of predictions, and what its columns are."""
    tied, mixed = bool(frame["p_tie"].to_numpy().any()), fit.random_effects is not None
    heads: list[str | Column] = [Column("first", "left"), Column("second", "left"), "eta", "se", "P(first)"]
    names = ["eta", "se", "p_first"]
    if tied:
        heads += ["P(tie)", "P(second)"]
        names += ["p_tie", "p_second"]
    else:
        heads += [f"{50 * (1 - level):g} %", f"{50 * (1 + level):g} %"]
        names += ["low", "high"]
    if mixed:
        heads += ["plug-in", "averaged", "new effects"]
        names += ["p_plug_in", "p_averaged", "new"]
    rows = []
    for row in frame.head(PREDICTED_ROWS).to_dict("records"):
        numbers = [f"{row[n]:.0f}" if n == "new" else number(float(row[n])) for n in names]
        rows.append((shorten(str(row["first"]), 30), shorten(str(row["second"]), 30), *numbers))
    blocks: list[Block] = [
        Table(tuple(heads), tuple(rows), f"{len(frame):,} comparison{'' if len(frame) == 1 else 's'}")
    ]
    if len(frame) > PREDICTED_ROWS:
        blocks.append(
            Paragraph(
                f"{len(frame) - PREDICTED_ROWS:,} more are not shown; --out and --json have them.", aside=True
            )
        )
    said = ["eta is the linear predictor in favour of the first, with its standard error"]
    if not tied:
        said.append("the limits are those of P(first) if eta lies at its own")
    if mixed:
        said.append(
            "P(first) is averaged over the effects of what was not seen, plug-in is at effect 0, averaged is over the whole"
            " uncertainty, all three and se with sigma as estimated"
        )
        said.append(_of_sigma(frame, level))
    if frame["eta"].isna().any():
        said.append("- : the data do not determine the difference")
    return Page(
        f"Predictions: {fit.title}", [*blocks, Bullets(tuple(said))], f"Model fitted to {fit.data.source}"
    )


def _of_sigma(frame: pd.DataFrame, level: float) -> str:
    """How the limits take the standard deviation of random effects."""
    how = str(frame.attrs["sigma"])
    if how == "known":
        return (
            f"the {100 * level:g} % limits take sigma as known, and are too short where comparisons are few"
        )
    said = how.removeprefix("uncertain")
    return f"the {100 * level:g} % limits are over the uncertainty of sigma too (--sigma known takes it as known){said}"
