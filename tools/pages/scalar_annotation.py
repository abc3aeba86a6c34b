"""The page of scalar annotation: tables of its simulations, its agreement with R, and the pictures of the campaign
that its first section runs.

`python -m tools.pages docs/scalar-annotation.md` writes the page's tables and outputs; `python -m tools.pages.scalar_annotation`
draws its figures, `python -m tools.pages.annotation_page` takes those of the annotator's page, and
`python -m tools.pages.simulation.scalar` simulates anew (a quarter of an hour on one core).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from pairproof.bridge import Backend, backend
from pairproof.campaign.watch.status import status
from pairproof.campaign.watch.status_report import page as report_page
from pairproof.report.blocks import BAD, FAINT, GOOD, INK, Figure
from pairproof.validation import Verification, run

from .agreement import CERTIFIED, by_source, fewest
from .sakaguchi import draw
from .simulation import scalar
from .snippets import ROOT, fences, is_file, records, workplace
from .tables import markdown

PAGE = Path("docs") / "scalar-annotation.md"
FIGURES = Path("docs") / "figures"
#: Commands that change nothing of the scores.
LOOKS = re.compile(r"\$ pairproof easl (status|stop|export)\b")
#: Colours for those that a report's page replaces by its own.
COLOURS = {INK: "#222222", GOOD: "#0b5cad", BAD: "#b3261e", FAINT: "#cccccc"}
#: First words of a caption, and the name of the figure's file.
NAMES: Mapping[str, str] = {
    "Scores:": "scalar-annotation-scores",
    "How each annotator": "scalar-annotation-scale",
    "Each annotator's": "scalar-annotation-course",
    "Systems,": "scalar-annotation-systems",
}
#: Column heads of the table of agreement, and the kinds of quantity under each.
KINDS: Mapping[str, tuple[str, ...]] = {
    "estimates": ("estimate",),
    "standard errors": ("se",),
    "log-likelihood": ("llf",),
    "scores, variances, annotators": ("score",),
    "limits and p": ("limit_low", "limit_high", "test_p"),
}
#: What the tables say -> the rates of the record.
INTERVALS = {
    "t interval of the item": "t of the item",
    "z interval, spread of all items": "z, pooled spread",
    "EASL's own beta interval": "EASL's beta",
    "confidence sequence": "sequence",
}
WAYS = {
    "segments as if independent (as WMT ranks)": "segments as if independent",
    "paired by source, t": "paired by source",
    "mixed model without annotator:system": "mixed model without annotator:system",
    "**mixed model with annotator:system** (`status --systems`)": "mixed model with annotator:system",
    "two-way clusters": "two-way clusters",
}


def coverage() -> str:
    """How often 95 % intervals of differences of systems hold, and how wide those that hold are."""
    found = scalar.rates()

    def cell(name: str, method: str) -> str:
        rate = found[name][method]["rate"]
        said = f"{rate:.3f}" if rate >= 0.93 else f"**{rate:.3f}**"
        width = found[name].get(f"width, {method}")
        return said if width is None else f"{said} ({width['rate']:.2f})"

    rows = ((label, *(cell(name, method) for name in scalar.DESIGNS)) for label, method in WAYS.items())
    heads = ("interval", "same annotators, liking 0", "mixed, 0", "same annotators, .05", "mixed, .05")
    return markdown(heads, rows)


def stopping() -> str:
    """What looking after every batch does to each interval, and when all intervals are short."""
    found = scalar.rates()

    def cells(method: str, of: str) -> Iterator[str]:
        rates = found[f"items, {method}"]
        yield f"{rates[f'ever missed, {of}']['rate']:.3f}"
        stopped = rates[f"stopped, {of}"]
        if stopped["rate"] == 0:
            yield "never"
            yield "-"
        else:
            often = "" if stopped["rate"] == 1 else f" ({stopped['rate']:.0%} of runs)"
            yield f"{rates[f'judgments an item, {of}']['rate']:.1f}{often}"
            yield f"{rates[f'missed at the stop, {of}']['rate']:.3f}"

    heads = ("interval, 95 %", *(f"{m}: {what}" for m in ("random", "easl") for what in _LOOKED))
    rows = ((label, *cells("random", of), *cells("easl", of)) for label, of in INTERVALS.items())
    return markdown(heads, rows)


_LOOKED = ("ever missed", "scores per item at the stop", "missed at the stop")


@lru_cache(maxsize=2)
def _validation(asked: Backend) -> Verification:
    return run("annotation", r=asked)


def agreement() -> str:
    """Fewest digits by R function, of estimates and standard errors and of what the models say of annotators."""
    found = list(_validation(backend()))
    lines = []
    for who, seen in by_source(found).items():
        cells = [f"{least[1]:.1f}" if (least := fewest(seen, kinds)) else "" for kinds in KINDS.values()]
        lines.append((f"`{who}`" if who != CERTIFIED else who, str(len(seen)), *cells))
    agree = sum(a.verdict == "agrees" for a in found)
    table = markdown(("compared with", "numbers", *KINDS), lines)
    return f"{table}\nOf {len(found):,} comparisons {agree:,} agree.\n"


BLOCKS: Mapping[str, Callable[[], str]] = {
    "scalar-coverage": coverage,
    "scalar-stopping": stopping,
    "scalar-agreement": agreement,
}


# -- the figures ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def figures() -> Mapping[Path, Figure]:
    """The pictures of the report of the campaign that the page's first section runs."""
    page = (ROOT / PAGE).read_text(encoding="utf-8").partition("\n## Setting up\n")[0]
    with workplace(Backend("recorded", records=records())) as place:
        for fence in fences(page):
            if is_file(fence):
                Path(fence.info).write_text(fence.body, encoding="utf-8")
            elif fence.language == "console":
                # What only looks is left out: it takes most of the time.
                done = [line for line in fence.body.splitlines() if not LOOKS.match(line)]
                place.console(replace(fence, body="\n".join(done)))
        found_now = status("C.db", with_annotators=True, systems=True)
        blocks = report_page(found_now, 0.95).blocks
    found = {}
    for block in blocks:
        if isinstance(block, Figure):
            name = next(name for words, name in NAMES.items() if block.caption.startswith(words))
            found[FIGURES / f"{name}.svg"] = block
    return found


def main() -> None:
    for path, figure in figures().items():
        draw(figure, ROOT / path)
        text = (ROOT / path).read_text(encoding="utf-8")
        for mark, colour in COLOURS.items():
            text = text.replace(mark, colour)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(f"{path}: drawn")


if __name__ == "__main__":
    main()
