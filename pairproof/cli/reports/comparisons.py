"""Which items of a fit can be told apart: rank sets and families of differences, as blocks, text and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Union

from ...errors import NotEstimableError
from ...fit.many.result import AgainstTheBest, Contrasts, RankSets
from ...fit.shown.comparisons_plot import (
    MOST_DRAWN,
    caption_of_ranks,
    plot_contrasts,
    plot_ranks,
    size_of_contrasts,
    size_of_ranks,
)
from ...fit.shown.comparisons_text import (
    best_rows,
    caption_of_best,
    caption_of_contrasts,
    caption_of_rank_sets,
    contrasts_rows,
    group_lines,
    ranks_rows,
)
from ...fit.shown.text import ROWS
from ...report.blocks import Block, Bullets, Figure, Heading, Paragraph, Table

if TYPE_CHECKING:
    from ...fit.fit import Fit

#: Groups and items of a report whose rank sets are worked out unasked.
MOST_GROUPS, MOST_ITEMS = 4, 100
#: Families by their names on the command line.
FAMILIES = {
    "all-pairs": "all pairs",
    "against-one": "against one",
    "against-best": "against the best",
    "against-mean": "against the mean",
}
HEADING = "Which items can be told apart"


@dataclass(frozen=True)
class Asked:
    """What the command line asks of many comparisons.

    Attributes
    ----------
    ranks : bool
    family : str or None
        As :meth:`pairproof.Fit.contrasts` has it.
    against : str or None
    adjust : str
    level : float
    seed : int
    """

    ranks: bool = False
    family: str | None = None
    against: str | None = None
    adjust: str = "single-step"
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class Found:
    """Rank sets and families by group; why there is none where the data determine no difference."""

    ranks: Mapping[str, RankSets] = field(default_factory=dict)
    contrasts: Mapping[str, Union[Contrasts, AgainstTheBest, str]] = field(default_factory=dict)


def find(fit: Fit, asked: Asked) -> Found:
    """What was asked, for every group of the fit."""
    ranks = {g: fit.ranks(asked.level, group=g, seed=asked.seed) for g in fit.groups} if asked.ranks else {}
    if asked.family is None:
        return Found(ranks)
    return Found(ranks, {g: _family(fit, asked, g) for g in fit.groups})


def _family(fit: Fit, asked: Asked, group: str) -> Contrasts | AgainstTheBest | str:
    options: dict[str, Any] = {
        "family": asked.family,
        "adjust": asked.adjust,
        "level": asked.level,
        "group": group,
        "seed": asked.seed,
    }
    try:
        return fit.contrasts(against=asked.against, **options)
    except NotEstimableError as error:
        return str(error)


def document(found: Found) -> dict[str, Any]:
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


def blocks(fit: Fit, found: Found) -> Iterator[Block]:
    """The section of a report: rank sets, asked for or not, and the families that were asked for."""
    if len(fit.items) < 2:
        return
    yield Heading(HEADING)
    ranks = found.ranks
    if not ranks and (len(fit.groups) > MOST_GROUPS or len(fit.items) > MOST_ITEMS):
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
    yield Bullets(
        (*caption_of_rank_sets(r), _equal(fit, group), *(f"Not told apart, {g}" for g in group_lines(r)))
    )
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
