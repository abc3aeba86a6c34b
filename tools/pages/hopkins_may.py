"""`python -m tools.pages.hopkins_may --data DIR`: the page of Hopkins and May's experiment with its figures, from
one run of its claims.

It needs the rankings of WMT10 to WMT12, which are not ours to ship; so it is separate from `python -m tools.pages`.
A test repeats the experiment where the rankings are available and compares the numbers with this page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from pairproof.report.blocks import Column, Figure, Table
from pairproof.report.output import escape, table
from pairproof.validation import Verification, run
from pairproof.validation.report.rendering import ReportContext, Story
from pairproof.validation.verdicts.agreement import Agreement

from .snippets import ROOT

PAPER = "hopkins-may-2013"
PAGE = Path("docs") / f"{PAPER}.md"
FIGURES = Path("docs") / "figures"
HEAD = f"""# Hopkins and May (2013): the experiment, repeated

Which model of a translation competition best predicts unseen judgments? The paper answers with curves but prints no numbers. This page repeats the whole experiment on
the same rankings, gives a verdict on each statement of the paper, and adds Bradley-Terry with ties by maximum likelihood, which the paper does not include. The rankings
have no licence and are not distributed with pairproof. If you have them (`raw_data` of alopez/wmt-ranking), this command makes everything below:

```sh
pairproof validate {PAPER} --data DIR --report hopkins-may.html
```

To run the same experiment on any table, use `pairproof compare-models` ([guide](translation-competitions.md)). `python -m tools.pages.hopkins_may --data DIR` makes this page.
[Papers under clustering](papers-under-clustering.md) shows which conclusions, of this paper and others, survive clustering by judge and by source segment.
"""


def statements(rows: Verification) -> str:
    """What the paper says in words, the verdict, and the numbers for it; the 48 numbers of Table 3 in one
    line.
    """
    cells = [(a.where, a.printed or "", _verdict(a), a.explanation) for a in rows if a.about == "statement"]
    printed = [a for a in rows if a.about == "printed"]
    agree = sum(a.verdict == "agrees" for a in printed)
    return f"Of {len(printed)} printed numbers (48 of them Table 3) {agree} agree.\n\n" + table(
        Table(
            tuple(Column(title, "left") for title in ("where", "statement", "verdict", "what was found")),
            tuple(cells),
        )
    )


def _verdict(a: Agreement) -> str:
    return {"agrees": "holds", "explained": "holds under a reading"}.get(
        a.verdict, a.explanation.partition(":")[0]
    )


def section(story: Story) -> Iterator[str]:
    yield f"## {story.title}"
    yield from map(escape, story.paragraphs)
    if story.table is not None:
        yield table(story.table)
    for figure in story.figures:
        yield f"![{figure.description}]({file_of(figure).relative_to('docs')})\n\n*{escape(figure.caption)}*"


def file_of(figure: Figure) -> Path:
    """By its caption's first words: "Figure 6 of the paper, left: ..." is
    hopkins-may-2013-figure-6-left.svg.
    """
    words = figure.caption.partition(":")[0].lower().replace(" of the paper,", "").split()
    return FIGURES / f"{PAPER}-{'-'.join(words)}.svg"


def draw(figure: Figure, path: Path) -> None:
    """On white, so that it can be seen on any page."""
    import matplotlib
    from matplotlib.figure import Figure as Drawing

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": path.name, "font.size": 8.5}):
        drawing = Drawing(figsize=figure.size, layout="constrained")
        figure.draw(drawing.subplots())
        path.parent.mkdir(exist_ok=True)
        drawing.savefig(path, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})


@click.command()
@click.option(
    "--data", required=True, type=click.Path(exists=True, file_okay=False), help="Folder of the rankings."
)
def main(data: str) -> None:
    """Write the page and its figures."""
    rows = run(
        PAPER,
        r="none",
        data=data,
        progress=lambda what: click.echo(what, err=True),
        workers=os.cpu_count() or 1,
    )
    context = rows.context
    assert isinstance(context, ReportContext), "a run of a paper carries its story"
    if any(a.verdict == "not-run" for a in rows):
        raise click.ClickException(
            f"some of the rankings are not in {data}: "
            + "; ".join(sorted({a.explanation for a in rows if a.verdict == "not-run"})[:3])
        )
    parts = [HEAD, "## What the paper says\n\n" + statements(rows)]
    for story in context.story:
        parts += section(story)
        for figure in story.figures:
            draw(figure, ROOT / file_of(figure))
    (ROOT / PAGE).write_text("\n\n".join(part.strip("\n") for part in parts) + "\n", encoding="utf-8")
    click.echo(f"{PAGE}: written")


if __name__ == "__main__":
    main()
