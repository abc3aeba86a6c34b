"""The report as one HTML file: styles and drawings inside, nothing fetched, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from ..verdicts.agreement import Agreement, summary
from . import numbers
from .context import ReportContext, digits_rows, opening
from .grouping import groups
from .plots import digits_plot, printed_plot, printed_rows, story_plot, worth_plot

#: What each verdict means, for the foot of the report.
MEANINGS = {
    "agrees": (
        "the computed number prints as it was printed, and native, R and the 50-digit values agree to the"
        " digits asked for; means of draws, which have no digits to compare, agree within their Monte Carlo"
        " error"
    ),
    "agrees-truncated": "comes out only if the digits were cut off, not rounded",
    "agrees-k-of-m": "agrees if the zeros that end the printed integer are no digits",
    "explained": "does not come out, and does under another reading of the page, which is named",
    "ambiguous": "does not come out, and does under more than one other reading",
    "differs": "does not come out",
    "differs-conclusion": (
        "does not come out, and what was concluded from it changes (sign, order, significance)"
    ),
    "not-estimable": "the data do not determine it",
    "not-checkable": (
        "cannot be settled from what is printed; or R, against which it was to be held, did not converge: no"
        " agreement"
    ),
    "not-run": "was not computed, for the reason given; it is no agreement",
}


def render_html(agreements: Sequence[Agreement], context: ReportContext) -> str:
    """One self-contained page: verdicts, what ran where, story, drawings, a table for each claim."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: numbers.clean(value) if type(value) is str else value,
    )
    environment.filters.update(number=numbers.number, shown=numbers.shown, digits=numbers.digits)
    environment.globals.update(
        sources_of=_sources,
        source=numbers.source,
        verdict=numbers.verdict,
        tone=numbers.tone,
        signs=numbers.SIGNS,
    )
    folder = resources.files(__package__)
    template = environment.from_string(folder.joinpath("report.html.j2").read_text(encoding="utf-8"))
    rows = digits_rows(agreements)
    counts = summary(agreements)
    return template.render(
        context=context,
        lines=opening(agreements, context),
        counts=counts,
        tones=_tones(agreements),
        groups=groups(agreements, context),
        rows=rows,
        style=folder.joinpath("report.css").read_text(encoding="utf-8"),
        drawn=[
            [(f.caption, story_plot(f, f"story{k}-{j}")) for j, f in enumerate(story.figures)]
            for k, story in enumerate(context.story)
        ],
        worths=[(s.title, worth_plot(s, f"worth{k}")) for k, s in enumerate(context.worths)],
        digits_svg=digits_plot(rows, "digits") if rows else "",
        printed_svg=printed_plot(agreements, "printed") if printed_rows(agreements) else "",
        meanings={v: MEANINGS[v] for v in counts},
        accepted=sum(a.accepted for a in agreements),
    )


def _sources(rows: Sequence[Agreement]) -> list[str]:
    """The R calls that gave the numbers of a table; one alone stands above it instead of in every row."""
    return list(dict.fromkeys(numbers.source(a) for a in rows if a.r is not None))


def _tones(agreements: Sequence[Agreement]) -> dict[str, str]:
    """The worst tone among the agreements of each verdict."""
    order = ("bad", "off", "note", "good")
    found: dict[str, str] = {}
    for a in agreements:
        now = numbers.tone(a)
        found[a.verdict] = min(found.get(a.verdict, "good"), now, key=order.index)
    return found
