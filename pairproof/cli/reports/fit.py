"""A fit, and R's word on it if it was asked, as text, JSON, Markdown, HTML or JUnit: views of the same two
objects.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...fit.text import html
from ..state import State, json_text

if TYPE_CHECKING:
    from ...fit.fit import Fit
    from ...validation.report import ReportContext

#: More items than this make a picture that no page holds.
MOST_DRAWN = 150


def document(fit: Fit, agreements: Any) -> dict[str, Any]:
    """The JSON of a fit; with verdicts also the two keys of the JSON of agreements."""
    result = fit.to_dict()
    if agreements is not None:
        from ...validation.verdicts.agreement import to_document

        result.update(to_document(agreements))
    return result


def text(fit: Fit, agreements: Any) -> str:
    """What the terminal shows."""
    return fit.summary() if agreements is None else f"{fit.summary()}\n\n{agreements}"


def write(state: State, path: Path, fit: Fit, agreements: Any, result: dict[str, Any]) -> None:
    """Write a report; its suffix says which.  Verdicts are shown by the one report that shows verdicts."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        state.write(path, json_text(result) + "\n")
    elif agreements is not None:
        from ...validation.report import write_report

        write_report(agreements, _context(fit, agreements), path, force=state.force)
    else:
        state.write(path, _html(fit) if suffix == ".html" else _markdown(fit))


def _context(fit: Fit, agreements: Any) -> ReportContext:
    """What the verdicts are about (the model, its parameters, its worths), beside what is known of how R was
    asked.
    """
    from dataclasses import replace

    from ...fit.text import COLUMNS, ROWS, cut_note, parameter_rows
    from ...validation.report import ReportContext, Story, StoryTable, worth_series

    width = len(COLUMNS) + 1
    rows = tuple((row + ("",) * width)[:width] for row in parameter_rows(fit, ROWS))
    facts = (
        f"{fit.n_comparisons:g} comparisons of {len(fit.items)} items from {fit.data.source}; {fit.constraint}; log-likelihood "
        f"{fit.llf:.4f}, deviance {fit.deviance:.4f} on {fit.df_resid} df."
    )
    words = [facts, *map(str, fit.warnings), *filter(None, [cut_note(fit, ROWS)])]
    story = Story("The fit", tuple(words), StoryTable(("parameter", *COLUMNS), rows))
    drawn = () if _why_no_picture(fit) else (worth_series(fit, fit.title),)
    asked = getattr(agreements, "context", None) or ReportContext()
    return replace(
        asked,
        title=f"{fit.title}: does it match R?",
        subtitle=fit.data.source,
        story=(story, *asked.story),
        worths=drawn,
    )


def _markdown(fit: Fit) -> str:
    # A fence longer than any run of backquotes inside: item names may hold them.
    body = fit.summary()
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    return f"# {fit.title}\n\n{fence}\n{body}\n{fence}\n"


def _html(fit: Fit) -> str:
    from importlib.resources import files

    from jinja2 import Environment, StrictUndefined

    import pairproof

    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = page.from_string(files(__package__).joinpath("fit.html.j2").read_text(encoding="utf-8"))
    rendered: str = template.render(
        title=fit.title,
        version=pairproof.__version__,
        source=fit.data.source,
        parameters=html(fit),
        summary=fit.summary(),
        picture=worth_picture(fit),
        no_picture=_why_no_picture(fit),
    )
    return rendered


def _why_no_picture(fit: Fit) -> str:
    from ...fit.plots import MOST_GROUPS

    if len(fit.groups) > MOST_GROUPS:
        return f"{len(fit.groups)} groups cannot be told apart in one picture; pairproof.plot_worth(fit, groups=[...]) draws some."
    if len(fit.items) > MOST_DRAWN:
        return f"{len(fit.items)} items do not fit one picture; fit.worth() has the numbers."
    if fit.worth()["worth"].isna().all():
        return fit.why_not_estimable()
    return ""


def worth_picture(fit: Fit) -> str:
    """Worths with intervals as an SVG element, or "" where they cannot be drawn."""
    if _why_no_picture(fit):
        return ""
    import matplotlib
    from matplotlib.figure import Figure

    from ...fit.plots import plot_worth

    # Fixed identifiers and no date: the same fit gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": "pairproof", "svg.fonttype": "none"}):
        figure = Figure(
            figsize=(7.5, 1.2 + 0.16 * len(fit.items) * (1 + len(fit.groups))), constrained_layout=True
        )
        plot_worth(fit, figure.subplots())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    drawing = buffer.getvalue()
    return drawing[drawing.index("<svg") :]
