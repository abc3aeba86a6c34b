"""The report of `pairproof compare-two`: a table of the numbers of each pair, and what they say."""

from __future__ import annotations

from collections.abc import Iterator

from ...fit.tails import p_words
from ...native.ranking.pairwise_order import settled_ranking, shortest_cycle, unsettled_pairs
from ...native.ranking.two_systems import BinaryResult, TwoSystems
from ...report.blocks import Block, Bullets, Column, Page, Table

HEADER = (
    *(Column(title, "left") for title in ("first", "second", "judge")),
    *map(Column, ("wins", "ties", "losses", "R", "se vilar", "se mean", "z", "significant", "p sign")),
)
#: At most so many pairs without an order are named; the rest are counted.
MOST_PAIRS = 10


def page(found: tuple[TwoSystems, ...], source: str) -> Page:
    """The results by judge and for all together, then the pairs on which they disagree."""
    rows = tuple(
        _row(result, "all" if result is two.merged else str(result.judge))
        for two in found
        for result in (*two.by_judge, two.merged)
    )
    sentences = [line for two in found for line in _about(two)]
    sentences += [f"REVERSED: {two.reversal}" for two in found if two.reversal]
    if len(found) > 1:
        sentences.append(_order(found, "sum of sentences", votes=False))
        if found[0].votes is not None:
            sentences.append(_order(found, "majority vote", votes=True))
    blocks: list[Block] = [Table(HEADER, rows), *([Bullets(tuple(sentences))] if sentences else [])]
    return Page("Systems compared two by two", blocks, f"Data: {source}")


def _row(r: BinaryResult, judge: str) -> tuple[str, ...]:
    counts = map(str, (r.wins, r.ties, r.losses))
    tested = (number(r.se_vilar, ".6f"), number(r.se_mean, ".6f"), number(r.z, ".3f"))
    p = p_words(r.p_sign, r.log10_p_sign, 3)
    return (r.first, r.second, judge, *counts, f"{r.R:.4f}", *tested, yes_or_no(r.significant), p)


def number(value: float | None, form: str) -> str:
    """The number as text, "-" if there is none."""
    return "-" if value is None else format(value, form)


def yes_or_no(value: bool | None) -> str:
    """The answer as text, "-" if there is none."""
    return "-" if value is None else "yes" if value else "no"


def _about(two: TwoSystems) -> Iterator[str]:
    """The judges' votes, and the reason if there is no z."""
    m, votes = two.merged, two.votes
    if votes is not None:
        against = f"; against the sum: {', '.join(two.against)}" if two.against else ""
        even = f", {votes.ties} even" if votes.ties else ""
        yield f"{m.first} and {m.second}: {votes.wins}-{votes.losses} by votes of the judges{even}{against}"
    if m.z is None:
        why = "all judgments agree and the standard error is 0"
        yield f"{m.first} and {m.second}: no z, since {'one sentence has no standard error' if m.m == 1 else why}"


def _order(found: tuple[TwoSystems, ...], rule: str, votes: bool) -> str:
    """The ranking, or the reason why there is none."""
    order = settled_ranking(found, votes)
    if order is not None:
        return f"Best first, by {rule}: {' '.join(order)}"
    circle = shortest_cycle(found, votes)
    if circle:
        around = " > ".join((*circle, circle[0]))
        return f"NO RANKING by {rule}: the pairs form a circle, {around} (> is better)"
    unsettled = unsettled_pairs(found, votes)
    pairs = ", ".join(
        f"{a} and {b} ({'even' if compared else 'never compared'})"
        for a, b, compared in unsettled[:MOST_PAIRS]
    )
    more = f" and {len(unsettled) - MOST_PAIRS} more" if len(unsettled) > MOST_PAIRS else ""
    return f"NO RANKING by {rule}: nothing puts in order {pairs}{more}"
