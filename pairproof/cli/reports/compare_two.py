"""The report of `pairproof compare-two`: the answer about each pair, the numbers of each judge, and what they say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...fit.tails import p_words
from ...native.ranking.by_judge import EqualityTest
from ...native.ranking.error_rates import holm
from ...native.ranking.pairwise_order import settled_ranking, shortest_cycle, unsettled_pairs
from ...native.ranking.two_systems import BinaryResult, TwoSystems
from ...report.blocks import Block, Bullets, Column, Heading, Page, Row, Table
from ...text import named

HEADER = (
    *(Column(title, "left") for title in ("first", "second", "judge")),
    *map(Column, ("wins", "ties", "losses", "R", "se vilar", "se mean", "z", "significant", "p sign")),
)
ANSWERS = (
    *(Column(title, "left") for title in ("first", "second", "test", "of")),
    *map(Column, ("estimate", "low", "high", "t", "df", "p", "p Holm", "judges differ p", "p of the sum")),
)
TESTS = (
    Column("test", "left"),
    Column("of", "left"),
    *map(Column, ("estimate", "se", "statistic", "df", "p", "spread of judges")),
)
#: What is written of a scale in a table.
SCALES = {"mean preference": "mean", "share of decisive answers": "share", "log-odds": "log-odds", "": "-"}
#: At most so many pairs without an order are named; the rest are counted.
MOST_PAIRS = 10
#: Of more pairs than this the reasons are given together.
MOST_REASONS = 12


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
    blocks: list[Block] = [
        Heading("The answer: first - second, with 95 % intervals"),
        Table(ANSWERS, tuple(_answer(two, p) for two, p in zip(found, corrected(found)))),
        Bullets(tuple(map(_why, found)) if len(found) <= MOST_REASONS else tuple(_why_together(found))),
    ]
    if len(found) == 1:
        blocks += [Heading("Every test"), Table(TESTS, tuple(_test(test) for test in found[0].tests.beside))]
    blocks += [Heading("Sentences"), Table(HEADER, rows)]
    return Page("Systems compared two by two", [*blocks, Bullets(tuple(sentences))][: None if sentences else -1],
                f"Data: {source}")  # fmt: skip


def corrected(found: tuple[TwoSystems, ...]) -> list[float]:
    """p of the headlines, corrected for the number of pairs (Holm 1979)."""
    return [float(p) for p in holm([two.headline.test.p for two in found])]


def document(found: tuple[TwoSystems, ...]) -> list[dict[str, Any]]:
    """The JSON rows of all pairs."""
    rows = []
    for two, p in zip(found, corrected(found)):
        rows += two.to_dicts()
        rows[-1]["headline"]["p_holm"] = None if math.isnan(p) else p
    return rows


def _answer(two: TwoSystems, p_holm: float) -> tuple[str, ...]:
    """The headline of a pair."""
    tests, t = two.tests, two.headline.test
    low, high = t.conf_int()
    differ = tests.judges_differ
    numbers = (
        *(_finite(v, ".4f") for v in (t.estimate, low, high)),
        _finite(t.statistic, ".3f"),
        _finite(t.df, ".4g"),
    )
    beside = (_p(differ), _p(tests.sum))
    names = (two.merged.first, two.merged.second, t.name, SCALES[t.scale])
    return (*names, *numbers, _p(t), "-" if math.isnan(p_holm) else p_words(p_holm, None, 3), *beside)


def _why_together(found: tuple[TwoSystems, ...]) -> Iterator[str]:
    """What the reasons of many pairs come to."""
    names = Counter(two.headline.test.name for two in found)
    yield f"{len(found)} pairs, tested by {', '.join(f'{name} ({n})' for name, n in names.items())}"
    differ = [
        two.tests.judges_differ.p for two in found if two.tests.judges_differ.p == two.tests.judges_differ.p
    ]
    if differ:
        yield f"judges differ (p < .05) in {sum(p < 0.05 for p in differ)} of {len(differ)} pairs"
    cautions = Counter(caution for two in found for caution in two.headline.cautions)
    for caution, n in cautions.most_common(MOST_PAIRS):
        yield f"{n} pairs: {caution}"
    for two in found:
        if two.headline.test.why_not:
            yield _why(two)


def _why(two: TwoSystems) -> str:
    """Why the headline is this test, and what to know of it."""
    headline, m = two.headline, two.merged
    failed = [f"NOT TESTED, {headline.test.why_not}"] if headline.test.why_not else []
    return f"{m.first} and {m.second}: {'; '.join((*failed, headline.why, *headline.cautions))}"


def _test(t: EqualityTest) -> tuple[str, ...] | Row:
    """One of the tests that stand beside the headline."""
    numbers = (
        _finite(t.estimate, ".4f"),
        _finite(t.se, ".4f"),
        _finite(t.statistic, ".3f"),
        _finite(t.df, ".4g"),
    )
    spread = f"{t.spread:.4f} ({t.spread_of})" if t.spread_of else "-"
    row = (t.name, SCALES[t.scale], *numbers, _p(t), spread)
    return Row(row, f"not made: {t.why_not}") if t.why_not else row


def _p(t: EqualityTest) -> str:
    return "-" if t.p != t.p else p_words(t.p, None, 3)


def _finite(value: float, form: str) -> str:
    """The number as text, "-" if there is none."""
    return number(value if math.isfinite(value) else None, form)


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
        against = f"; against the sum: {named(two.against)}" if two.against else ""
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
