"""The report of `pairproof error-rates`: error rates and their differences, as a page and as JSON."""

from __future__ import annotations

from typing import Any

from ...fit.tails import p_words
from ...native.ranking.error_rates import ErrorRate
from ...native.ranking.system_rates import Rates, TwoRates, sentences
from ...report.blocks import Block, Bullets, Column, Heading, Page, Table
from .compare_two import number, yes_or_no

SYSTEMS = ("system", "sentences", "words", "rate", "se delta", "se jackknife", "se eq 9", "low", "high")
PAIRS = (
    Column("first", "left"),
    Column("second", "left"),
    *map(Column, ("sentences", "difference", "se delta", "se jackknife", "se unpaired")),
    *map(Column, ("low", "high", "z", "p", "significant")),
)
DIFFERENCES = "Differences on the same sentences (first - second; negative: the first makes fewer errors)"


def page(rates: Rates) -> Page:
    """The tables of systems and of pairs, and their notes."""
    blocks: list[Block] = [
        Table(SYSTEMS, tuple(_system_row(rates, *named) for named in rates.systems.items()))
    ]
    if rates.pairs:
        blocks += [Heading(DIFFERENCES), Table(PAIRS, tuple(_pair_row(rates, two) for two in rates.pairs))]
    blocks.append(Bullets((_meaning(rates), *sentences(rates))))
    return Page("Error rates", blocks, f"Data: {rates.table.source}")


def _system_row(rates: Rates, name: str, r: ErrorRate) -> tuple[str, ...]:
    errors = (r.se_delta, r.se_jackknife, r.se_vilar)
    ends = r.interval(rates.level, rates.estimator)
    numbers = (*(f"{se:.6f}" for se in errors), *(f"{end:.4f}" for end in ends))
    return (name or "-", str(r.m), f"{r.length:.12g}", f"{r.rate:.4f}", *numbers)


def _pair_row(rates: Rates, two: TwoRates) -> tuple[str, ...]:
    d = two.difference
    if d is None:
        return two.first, two.second, *["-"] * 9, "not compared"
    p = d.p(rates.of_pairs)
    errors = (f"{se:.6f}" for se in (d.se_delta, d.se_jackknife, d.se_unpaired))
    ends = (f"{end:.4f}" for end in d.interval(rates.level, rates.of_pairs))
    z = number(d.z(rates.of_pairs), ".3f")
    said = "-" if p is None else p_words(p, d.log10_p(rates.of_pairs), 3)
    tested = (*ends, z, said, yes_or_no(rates.significant(two)))
    return (two.first, two.second, str(d.m), f"{d.difference:.4f}", *errors, *tested)


def _meaning(rates: Rates) -> str:
    """The sentence that says what low, high and significant mean."""
    by = {"delta": "the delta method", "jackknife": "the jackknife", "vilar": "equation 9"}[rates.estimator]
    tested = f"; significant: two-sided at {100 * (1 - rates.level):.6g} %" if rates.pairs else ""
    return f"low and high: {100 * rates.level:g} % normal intervals by {by}{tested}"


def document(rates: Rates) -> dict[str, Any]:
    """The JSON document."""
    return {
        "level": rates.level,
        "se": rates.estimator,
        "se_of_differences": rates.of_pairs,
        "systems": [_system(rates, name, rate) for name, rate in rates.systems.items()],
        "pairs": [_pair(rates, two) for two in rates.pairs],
        "notes": sentences(rates),
    }


def _system(rates: Rates, name: str, rate: ErrorRate) -> dict[str, Any]:
    low, high = rate.interval(rates.level, rates.estimator)
    return {
        "system": name if rates.table.named else None,
        "sentences": rate.m,
        "words": rate.length,
        "errors": float(rates.table.systems[name].errors.sum()),
        **{key: getattr(rate, key) for key in _OF_A_RATE},
        "low": low,
        "high": high,
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
    by = rates.of_pairs
    values = (
        *(d.first.rate, d.second.rate, d.difference, d.se_delta, d.se_jackknife, d.se_unpaired),
        *(*d.interval(rates.level, by), d.z(by), d.p(by), d.log10_p(by)),
        *(two.p_holm, rates.significant(two), list(d.z_vilar)),
    )
    return {**names, "sentences": d.m, **dict(zip(_NUMBERS, values)), **alone, "not_compared": None}
