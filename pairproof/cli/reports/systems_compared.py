"""The reports of `pairproof compare-two` and `error-rates`: systems compared, as a page and as JSON.

Of two systems: the answer about each pair, the numbers of each judge, and what they say.  Of error rates: the
rates and their differences.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from ...fit.estimates.tails import p_words
from ...native.competitions.ranking.error_rates import ErrorRate, holm
from ...native.competitions.ranking.pair_plots import (
    MOST_NAMED,
    plot_judgments,
    plot_scores,
    same_size,
    scores_of,
)
from ...native.competitions.ranking.ranking_rules import settled_ranking, shortest_cycle, unsettled_pairs
from ...native.competitions.ranking.sums_by_cluster import ClusteredError
from ...native.competitions.ranking.system_rates import Rates, TwoRates, sentences
from ...native.competitions.ranking.tests_by_judge import EqualityTest
from ...native.competitions.ranking.two_systems import BinaryResult, TwoSystems
from ...report.blocks import (
    WIDE,
    Block,
    Bullets,
    Column,
    Figure,
    Folded,
    Heading,
    Page,
    Paragraph,
    Row,
    Table,
)
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
#: Rows of single judges that are not folded.
MOST_ROWS = 16
#: Of more pairs than this the reasons are given together.
MOST_REASONS = 3


def two_systems_page(found: tuple[TwoSystems, ...], source: str) -> Page:
    """The order and the answer of each pair, the pictures, then every judge's numbers."""
    rows = tuple(
        _row(result, "all" if result is two.merged else str(result.judge))
        for two in found
        for result in (*two.by_judge, two.merged)
    )
    votes = [line for two in found for line in _about(two)]
    sentences = [f"REVERSED: {two.reversal}" for two in found if two.reversal]
    if len(found) > 1:
        sentences.append(_order(found, "sum of comparisons", votes=False))
        if found[0].votes is not None:
            sentences.append(_order(found, "majority vote", votes=True))
    blocks: list[Block] = [
        *([Bullets(tuple(sentences))] if sentences else []),
        Heading("The answer: first - second, with 95 % intervals"),
        Table(ANSWERS, tuple(_answer(two, p) for two, p in zip(found, corrected(found)))),
        Bullets(tuple(map(_why, found)) if len(found) <= MOST_REASONS else tuple(_why_together(found))),
        *_figures(found),
    ]
    if len(found) == 1:
        blocks += [Heading("Every test"), Table(TESTS, tuple(_test(test) for test in found[0].tests.beside))]
    table = Table(HEADER, rows)
    numbers: Block = (
        Folded("The numbers of every judge", (table,), kept=True) if len(rows) > MOST_ROWS else table
    )
    blocks += [Heading("Comparisons"), *([Bullets(tuple(votes))] if votes else []), numbers]
    return Page("Systems compared two by two", blocks, f"Data: {source}")


def _figures(found: tuple[TwoSystems, ...]) -> Iterator[Block]:
    """Figures 2 and 3 of the paper."""
    said = "; ".join(
        f"{m.first} {m.wins}, {m.second} {m.losses} of {m.m}"
        for m in (two.merged for two in found[:MOST_NAMED])
    )
    hatched = ", outside the hatched area," * bool(same_size(two.merged for two in found))
    above = "; above the line, the judge preferred the other system" * any(two.by_judge for two in found)
    caption = (
        f"How often the winning system was judged better, and how often worse. Filled marks{hatched} reject equality"
        f" by equation 1, which treats answers as independent{above}."
    )
    draw = partial(plot_judgments, found=found)
    yield Figure(caption, said, (WIDE, 4.2), draw, panels=True, title="Better and worse")
    scores = scores_of(found)
    if scores is None:
        return
    of = zip(scores.systems, scores.score, scores.half)
    said = "; ".join(f"{name} {score:+.3f} (\u00b1 {half:.3f})" for name, score, half in of)
    caption = "Scores whose differences best fit R of all pairs, by least squares; pairs are treated as independent."
    size = (WIDE, 1.0 + 0.32 * len(scores.systems))
    yield Figure(caption, said, size, partial(plot_scores, scores=scores), title="Scores of the systems")


def corrected(found: tuple[TwoSystems, ...]) -> list[float]:
    """p of the headlines, corrected for the number of pairs (Holm 1979)."""
    return [float(p) for p in holm([two.headline.test.p for two in found])]


def two_systems_document(found: tuple[TwoSystems, ...]) -> list[dict[str, Any]]:
    """The JSON rows of all pairs."""
    rows = []
    for two, p in zip(found, corrected(found)):
        rows += two.to_dicts()
        rows[-1]["headline"]["p_holm"] = None if math.isnan(p) else p
    return rows


def _answer(two: TwoSystems, p_holm: float) -> tuple[str, ...]:
    """The headline of a pair."""
    t = two.headline.test
    numbers = map(number, (t.estimate, *t.conf_int(), t.statistic, t.df), (*[".4f"] * 3, ".3f", ".4g"))
    names = (two.merged.first, two.merged.second, t.name, SCALES[t.scale])
    corrected = "-" if math.isnan(p_holm) else p_words(p_holm, 3)
    return (*names, *numbers, _p(t), corrected, _p(two.tests.judges_differ), _p(two.tests.sum))


def _why_together(found: tuple[TwoSystems, ...]) -> Iterator[str]:
    """What the reasons of many pairs come to."""
    names = Counter(two.headline.test.name for two in found)
    yield f"{len(found)} pairs, tested by {', '.join(f'{name} ({n})' for name, n in names.items())}"
    differ = [p for two in found if not math.isnan(p := two.tests.judges_differ.p)]
    if differ:
        alike = "; where they do not significantly, that does not show that they are alike"
        yield f"judges differ (p < .05) in {sum(p < 0.05 for p in differ)} of {len(differ)} pairs{alike}"
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
    numbers = map(number, (t.estimate, t.se, t.statistic, t.df), (".4f", ".4f", ".3f", ".4g"))
    spread = f"{t.spread:.4f} ({t.spread_of})" if t.spread_of else "-"
    row = (t.name, SCALES[t.scale], *numbers, _p(t), spread)
    return Row(row, f"not computed: {t.why_not}") if t.why_not else row


def _p(t: EqualityTest) -> str:
    return "-" if t.p != t.p else p_words(t.p, 3)


def _row(r: BinaryResult, judge: str) -> tuple[str, ...]:
    counts = map(str, (r.wins, r.ties, r.losses))
    tested = (number(r.se_vilar, ".6f"), number(r.se_mean, ".6f"), number(r.z, ".3f"))
    return (
        r.first,
        r.second,
        judge,
        *counts,
        f"{r.R:.4f}",
        *tested,
        yes_or_no(r.significant),
        p_words(r.p_sign, 3),
    )


def number(value: float | None, form: str) -> str:
    """The number as text, "-" if there is none."""
    return format(value, form) if value is not None and math.isfinite(value) else "-"


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
        yield f"{m.first} and {m.second}: no z, since {'one comparison has no standard error' if m.m == 1 else why}"


def _order(found: tuple[TwoSystems, ...], rule: str, votes: bool) -> str:
    """The ranking, or the reason why there is none."""
    order = settled_ranking(found, votes)
    if order is not None:
        return f"Best first, by {rule}: {' > '.join(order)}"
    circle = shortest_cycle(found, votes)
    if circle:
        around = " > ".join((*circle, circle[0]))
        return f"NO RANKING by {rule}: the pairs form a circle, {around} (> is better)"
    unsettled = unsettled_pairs(found, votes)
    how = {True: "even", False: "never compared"}
    pairs = ", ".join(f"{a} and {b} ({how[bool(met)]})" for a, b, met in unsettled[:MOST_PAIRS])
    more = f" and {len(unsettled) - MOST_PAIRS} more" if len(unsettled) > MOST_PAIRS else ""
    return f"NO RANKING by {rule}: these pairs are not ordered: {pairs}{more}"


SYSTEMS = ("system", "sentences", "words", "rate", "se delta", "se jackknife", "se eq 9", "low", "high")
PAIRS = (
    Column("first", "left"),
    Column("second", "left"),
    *map(Column, ("sentences", "difference", "se delta", "se jackknife", "se unpaired")),
    *map(Column, ("low", "high", "z", "p", "significant")),
)
DIFFERENCES = "Differences on the same sentences (first - second; negative: the first makes fewer errors)"


def error_rates_page(rates: Rates) -> Page:
    """The tables of systems and of pairs, and their notes."""
    systems: tuple[str, ...] = SYSTEMS
    pairs: tuple[Column, ...] = PAIRS
    if rates.clustered:
        # Beside the standard errors by sentence, those by cluster, which the rest of the row rests on.
        systems = (*SYSTEMS[:-2], "se by cluster", "df", *SYSTEMS[-2:])
        by = (Column("se by cluster"), Column("df"))
        pairs = (*PAIRS[:-5], *by, *PAIRS[-5:-3], Column("t"), *PAIRS[-2:])
    rows = tuple(_system_row(rates, *named) for named in rates.systems.items())
    told = Bullets(tuple(sentences(rates)))
    blocks: list[Block] = [*([told] if told.items else []), Table(systems, rows)]
    if rates.pairs:
        blocks += [Heading(DIFFERENCES), Table(pairs, tuple(_pair_row(rates, two) for two in rates.pairs))]
    blocks.append(Paragraph(f"{_meaning(rates)}.", aside=True))
    return Page("Error rates", blocks, f"Data: {rates.table.source}")


def _system_row(rates: Rates, name: str, r: ErrorRate) -> tuple[str, ...]:
    errors = (r.se_delta, r.se_jackknife, r.se_vilar)
    clustered = _clustered(rates.clustered.get(name))
    ends = (number(end, ".4f") for end in rates.interval(name))
    numbers = (*(f"{se:.6f}" for se in errors), *clustered, *ends)
    return (name or "-", str(r.m), f"{r.length:.12g}", f"{r.rate:.4f}", *numbers)


def _pair_row(rates: Rates, two: TwoRates) -> tuple[str, ...]:
    d = two.difference
    if d is None:
        return two.first, two.second, *["-"] * (11 if rates.clustered else 9), "not compared"
    p = rates.p(two)
    errors = (f"{se:.6f}" for se in (d.se_delta, d.se_jackknife, d.se_unpaired))
    ends = (number(end, ".4f") for end in rates.interval_of(two))
    z = number(rates.statistic(two), ".3f")
    said = "-" if p is None else p_words(p, 3)
    tested = (*_clustered(two.clustered), *ends, z, said, yes_or_no(rates.significant(two)))
    return (two.first, two.second, str(d.m), f"{d.difference:.4f}", *errors, *tested)


def _clustered(error: ClusteredError | None) -> tuple[str, ...]:
    """Standard error and degrees of freedom by cluster; nothing if they were not asked for."""
    return () if error is None else (number(error.se, ".6f"), number(error.df, ".4g"))


def _meaning(rates: Rates) -> str:
    """The sentence that says what low, high and significant mean."""
    tested = f"; significant: two-sided at {100 * (1 - rates.level):.6g} %" if rates.pairs else ""
    if rates.clustered:
        title = next(iter(rates.clustered.values())).title
        return f"low and high: {100 * rates.level:g} % t intervals, {title}{tested}"
    by = {"delta": "the delta method", "jackknife": "the jackknife", "vilar": "equation 9"}[rates.estimator]
    return f"low and high: {100 * rates.level:g} % normal intervals by {by}{tested}"


def error_rates_document(rates: Rates) -> dict[str, Any]:
    """The JSON document."""
    about = [{"kind": c.kind, "clusters": list(c.columns)} for c in rates.clustered.values()]
    return {
        "level": rates.level,
        "se": rates.estimator,
        "se_of_differences": rates.of_pairs,
        "systems": [_system(rates, name, rate) for name, rate in rates.systems.items()],
        "pairs": [_pair(rates, two) for two in rates.pairs],
        "notes": sentences(rates),
        **({"covariance": about[0]} if about else {}),
    }


def _system(rates: Rates, name: str, rate: ErrorRate) -> dict[str, Any]:
    low, high = rates.interval(name)
    return {
        "system": name if rates.table.named else None,
        "sentences": rate.m,
        "words": rate.length,
        "errors": float(rates.table.systems[name].errors.sum()),
        **{key: getattr(rate, key) for key in _OF_A_RATE},
        **_errors(rates.clustered.get(name)),
        "low": low,
        "high": high,
    }


def _errors(error: ClusteredError | None) -> dict[str, Any]:
    """Keys of a standard error by cluster; none if it was not asked for."""
    if error is None:
        return {}
    return {
        "se_cluster": error.se,
        "se_two_way": error.se_two_way,
        "df": error.df,
        "n_clusters": list(error.n_clusters),
        "no_se_cluster": error.why_not or None,
    }


#: Keys of a system's rate, which are properties of it.
_OF_A_RATE = ("rate", "se_delta", "se_jackknife", "se_vilar", "vilar_to_delta")
#: Keys of a pair's numbers, in the order of the document.
_NUMBERS = (
    *("rate_first", "rate_second", "difference", "se_delta", "se_jackknife", "se_unpaired"),
    *("low", "high", "z", "p", "log10_p", "p_holm", "significant", "z_vilar"),
)


def _pair(rates: Rates, two: TwoRates) -> dict[str, Any]:
    names = {"first": two.first, "second": two.second}
    alone = {"only_first": list(two.shared.only_first), "only_second": list(two.shared.only_second)}
    d = two.difference
    if d is None:
        return {**names, "sentences": 0, **dict.fromkeys(_NUMBERS), **alone, "not_compared": two.why_not}
    log10_p = d.log10_p(rates.of_pairs) if two.clustered is None else None
    values = (
        *(d.first.rate, d.second.rate, d.difference, d.se_delta, d.se_jackknife, d.se_unpaired),
        *(*rates.interval_of(two), rates.statistic(two), rates.p(two)),
        *(log10_p, two.p_holm, rates.significant(two), list(d.z_vilar)),
    )
    numbers = {**dict(zip(_NUMBERS, values)), **_errors(two.clustered)}
    return {**names, "sentences": d.m, **numbers, **alone, "not_compared": None}
