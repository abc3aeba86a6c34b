"""Where the paper's verdicts turn, as sentences computed from a grid of shifts and contexts.

Two claims of Sakaguchi and Van Durme (2018) depend on how annotators differ: that RA needs fewer judgments
than direct assessment, and that EASL does. RA looks at the order within a HIT alone, which a shift of the
whole HIT leaves as it is; EASL shows items together, which may lower the noise, and chooses them, which
random HITs do not. Both are compared with raw scores, and with scores that are corrected for annotators and
sessions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .panel_grid import Grid


def crossing(grid: Grid, first: str, second: str, after: int, context: str = "none") -> float | None:
    """The shift at which the first method passes the second, by a straight line between the grid's shifts.

    `first`, second: names of methods, with + for corrected scores.  after: judgments an item.  Returns float
    or None: 0 if it is ahead from the first shift on; None if it is behind at the last.
    """
    between = grid.turning(first, second, after, context)
    if between is None or between == (0.0, 0.0):
        return None if between is None else 0.0
    gap = grid.gap(first, second, after, context)
    k = grid.shifts.index(between[0])
    part = float(-gap[k] / (gap[k + 1] - gap[k]))
    return between[0] + part * (between[1] - between[0])


def verdict_on_ra(grid: Grid, after: Sequence[int] = (4, 10)) -> str:
    """Whether RA beats direct assessment, and from which shift on.

    grid: with da, da+, random+, easl+ and ra, two replicates or more, and the context none.  after: judgments
    an item.
    """
    ahead = _ahead(grid, "ra", "da", after)
    at = _shifts_of(grid, after, "none")
    if not ahead.any():
        raw = (
            f"not clearly against uncorrected scores either, up to shifts of sd {grid.shifts[-1]:g}"
            f" ({_behind(grid, after)})"
        )
    elif at:
        raw = f"with shifts of sd {at} against uncorrected scores, yes ({_passes(grid, after)})"
    else:
        raw = f"against uncorrected scores only at some numbers of judgments ({_passes(grid, after)})"
    # Where context lowers noise, RA has it and direct assessment, one item at a time, has not.
    for context in grid.contexts:
        there = _shifts_of(grid, after, context)
        if context != "none" and there:
            raw += f", in context {context} with shifts of sd {there} ({_passes(grid, after, context)})"
    without = "yes" if grid.shifts[0] == 0.0 and ahead[:, 0].all() else "not"
    return f"RA beats DA: {without} without shifts; {raw}; {_against_corrected(grid, after)}"


def _shifts_of(grid: Grid, after: Sequence[int], context: str) -> str:
    """Shifts at which RA is clearly ahead of uncorrected direct assessment after each number of judgments."""
    ahead = _ahead(grid, "ra", "da", after, context).all(axis=0)
    found = [f"{s:g}" for s, yes in zip(grid.shifts, ahead) if yes]
    return ", ".join(found[:-1]) + (" and " if found[1:] else "") + found[-1] if found else ""


def _ahead(
    grid: Grid, first: str, second: str, after: Sequence[int], context: str = "none"
) -> NDArray[np.bool_]:
    """bool[after, shifts]: clearly ahead."""
    return np.stack([grid.ahead(first, second, n, context) > 0 for n in after])


def _passes(grid: Grid, after: Sequence[int], context: str = "none") -> str:
    said = []
    for n in after:
        at = crossing(grid, "ra", "da", n, context)
        said.append(f"after {n} it passes {'nowhere' if at is None else f'at {at:.2f}'}")
    return ", ".join(said)


def _behind(grid: Grid, after: Sequence[int]) -> str:
    return ", ".join(f"after {n} it is {_signed(float(grid.gap('ra', 'da', n)[-1]))} there" for n in after)


def _against_corrected(grid: Grid, after: Sequence[int]) -> str:
    """RA against da+, and against random+ or easl+, over all contexts, shifts and numbers of judgments."""
    cells = len(grid.contexts) * len(grid.shifts) * len(after)
    alone = {c: int(_ahead(grid, "ra", "da+", after, c).sum()) for c in grid.contexts}
    hits = {
        c: int((_ahead(grid, "ra", "random+", after, c) | _ahead(grid, "ra", "easl+", after, c)).sum())
        for c in grid.contexts
    }

    def where(found: dict[str, int]) -> str:
        return ", ".join(f"{n} in context {c}" for c, n in found.items() if n)

    one, more = sum(alone.values()), sum(hits.values())
    if not one and not more:
        return (
            "against scores corrected by the annotator model, no"
            f" (none of {cells} cells against da+; none of {cells} against random+ or easl+)"
        )
    against = f"against HITs corrected by the annotator model, {'no' if not more else f'in {more} of {cells} cells'}"
    against += "" if more else f" (none of {cells} cells)"
    return f"{against}; against corrected DA in {one} of {cells} ({where(alone) or 'none'})"


def verdict_on_easl(grid: Grid, after: Sequence[int] = (4, 10)) -> str:
    """Whether EASL's gain over direct assessment is its choice of items or their being shown together.

    grid: with da, random, easl and their corrected scores, two replicates or more.  after: judgments an item.
    Returns str: gains of raw scores at the first shift, and what the choice adds anywhere in the grid.
    """
    gains = {c: _gains(grid, c, after) for c in grid.contexts}
    appears = [c for c, (easl, _) in gains.items() if _ahead(grid, "easl", "da", after, c)[:, 0].all()]
    others = [c for c in grid.contexts if c not in appears]
    if not appears:
        first = f"EASL's gain over DA appears in none of these contexts ({_listed(gains, others, after)})"
    else:
        first = (
            "EASL's gain over DA appears if showing items together lowers noise"
            f" ({_listed(gains, appears, after)})"
        )
        if "none" in appears:
            first = f"EASL's gain over DA appears in context {', '.join(appears)} ({_listed(gains, appears, after)})"
        if others:
            first += f" and not otherwise ({_listed(gains, others, after, False)})"
        too = [c for c in appears if _ahead(grid, "random", "da", after, c)[:, 0].all()]
        first += "; random HITs have it too" if too == appears else "; random HITs do not all have it"
    least, most = _choice(grid, after)
    return (
        f"{first}; over random HITs its choice of items adds from {_signed(least)} to {_signed(most)}, raw or"
        " corrected"
    )


def _gains(grid: Grid, context: str, after: Sequence[int]) -> tuple[list[float], list[float]]:
    """Of easl and of random HITs over da at the first shift, after each number of judgments."""
    easl, random = (
        [float(grid.gap(name, "da", n, context)[0]) for n in after] for name in ("easl", "random")
    )
    return easl, random


def _listed(
    gains: dict[str, tuple[list[float], list[float]]],
    which: Sequence[str],
    after: Sequence[int],
    both: bool = True,
) -> str:
    said = []
    for context in which:
        easl, random = (" and ".join(map(_signed, one)) for one in gains[context])
        beside = f", random HITs {random}" if both else ""
        said.append(f"{context}: easl {easl}{beside}")
    return f"{'; '.join(said)} after {' and '.join(map(str, after))}"


def _choice(grid: Grid, after: Sequence[int]) -> tuple[float, float]:
    """Least and largest mean difference between EASL and random HITs."""
    gaps = np.concatenate(
        [
            grid.gap(f"easl{plus}", f"random{plus}", n, context)
            for plus in ("", "+")
            for n in after
            for context in grid.contexts
        ]
    )
    return float(gaps.min()), float(gaps.max())


def _signed(number: float) -> str:
    return f"{number + 0.0:+.3f}"
