"""The page of Sakaguchi and Van Durme's experiments: statements with verdicts, figures and tables, from both
claims files of the paper.

`python -m tools.pages docs/sakaguchi-vandurme-2018.md` writes the page's tables; `python -m tools.pages.sakaguchi` draws
its figures, and with `--simulate` first simulates anew what is recorded (some twenty minutes on one core).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import click

from pairproof.report.blocks import Column, Figure, Table
from pairproof.report.output import escape, table
from pairproof.validation import Verification, run
from pairproof.validation.report.rendering import ReportContext, Story
from pairproof.validation.verdicts.agreement import Agreement

from .snippets import ROOT

#: The experiments, simulated; the formulas, the arithmetic and Table 1.
SIMULATED, FORMULAS = "sakaguchi-2018", "sakaguchi-vandurme-2018"
PAGE = Path("docs") / f"{FORMULAS}.md"
FIGURES = Path("docs") / "figures"


@lru_cache(maxsize=2)
def rows_of(paper: str) -> Verification:
    """The claims of one file, checked once."""
    return run(paper, r="none")


def stories(paper: str) -> tuple[Story, ...]:
    """The sections of the paper's report."""
    context = rows_of(paper).context
    assert isinstance(context, ReportContext), "a run of a paper carries its story"
    return tuple(context.story)


# -- what stands on the page ---------------------------------------------------------------------------------


def verdict(a: Agreement) -> str:
    """In words, for a reader who knows no codes."""
    if a.code == "other-annotators":
        return "depends on the annotators"
    said = {"agrees": "holds", "explained": "holds under a reading", "not-checkable": "cannot be checked"}
    return said.get(a.verdict, a.code)


def found(a: Agreement) -> str:
    """The explanation without the code it begins with."""
    return a.explanation.removeprefix(f"{a.code}: ")


def statements(paper: str) -> str:
    """What the paper says in words, the verdict, and the numbers for it."""
    cells = [
        (a.where, a.printed or "", verdict(a), found(a)) for a in rows_of(paper) if a.about == "statement"
    ]
    columns = tuple(Column(title, "left") for title in ("where", "statement", "verdict", "what was found"))
    return table(Table(columns, tuple(cells))) + "\n"


def table_1() -> str:
    """The printed numbers."""
    printed = [a for a in rows_of(FORMULAS) if a.about == "printed"]
    agree = sum(a.verdict == "agrees" for a in printed)
    others = [f"{a.quantity}: {a.explanation}" for a in printed if a.verdict != "agrees"]
    return (
        f"Of {len(printed)} gold scores of Table 1, means of seven labels, {agree} come out as printed; and"
        f" {escape('; '.join(others))}.\n"
    )


def sections(paper: str) -> str:
    return "\n\n".join(part for story in stories(paper) for part in section(story)) + "\n"


def section(story: Story) -> Iterator[str]:
    yield f"## {story.title}"
    yield from map(escape, story.paragraphs)
    for figure in story.figures:
        yield f"![{escape(figure.description)}]({file_of(figure).relative_to('docs')})\n\n*{escape(figure.caption)}*"
    if story.table is not None:
        yield table(story.table)


BLOCKS: Mapping[str, Callable[[], str]] = {
    "sakaguchi-experiments": lambda: statements(SIMULATED),
    "sakaguchi-formulas": lambda: statements(FORMULAS),
    "sakaguchi-table-1": table_1,
    "sakaguchi-figures-of-formulas": lambda: sections(FORMULAS),
    "sakaguchi-figures": lambda: sections(SIMULATED),
}


# -- the figures ---------------------------------------------------------------------------------------------


def file_of(figure: Figure) -> Path:
    """By its caption's first words: "Figure 6 of the paper, simulated: ..." is
    sakaguchi-vandurme-2018-figure-6.svg.
    """
    words = figure.caption.partition(":")[0].lower()
    words = words.replace(" of the paper", "").replace(", simulated", "").replace(",", "")
    return FIGURES / f"{FORMULAS}-{'-'.join(words.split())}.svg"


def every_figure() -> Iterator[Figure]:
    for paper in (FORMULAS, SIMULATED):
        for story in stories(paper):
            yield from story.figures


def draw(figure: Figure, path: Path) -> None:
    """On white, so that it can be seen on any page; the file says in itself what it shows."""
    import matplotlib
    from matplotlib.figure import Figure as Drawing

    style = {"svg.fonttype": "none", "svg.hashsalt": path.name, "font.size": 8.5, "axes.titlesize": 9}
    with matplotlib.rc_context(style):
        drawing = Drawing(figsize=figure.size, layout="constrained")
        figure.draw(drawing if figure.panels else drawing.subplots())
        path.parent.mkdir(exist_ok=True)
        drawing.savefig(
            path,
            format="svg",
            facecolor="white",
            metadata={"Date": None, "Creator": None, "Description": figure.description},
        )


@click.command()
@click.option("--simulate", is_flag=True, help="First simulate anew what is recorded.")
@click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default=True)
def main(simulate: bool, workers: int) -> None:
    """Draw the figures of the page; then run `python -m tools.pages docs/sakaguchi-vandurme-2018.md`."""
    if simulate:
        from pairproof.validation.papers.sakaguchi_2018.statements_simulated import RECORD, REPLICATES

        from . import sakaguchi_record as record

        n = len(record.recorded_cells()) * REPLICATES
        click.echo(f"{RECORD.name}: {n} replicates", err=True)
        with click.progressbar(length=n) as bar:
            simulated = record.simulate_all(workers, lambda done, total: bar.update(1))
        click.echo(f"{record.keep(simulated, REPLICATES)}: written")
    for figure in every_figure():
        draw(figure, ROOT / file_of(figure))
        click.echo(f"{file_of(figure)}: drawn")


if __name__ == "__main__":
    main()
