"""The report of `pairproof error-rates`: error rates and their differences, as a page and as JSON."""

from __future__ import annotations

import math
from typing import Any

from ...fit.tails import p_words
from ...native.ranking.by_cluster import ClusteredError
from ...native.ranking.error_rates import ErrorRate
from ...native.ranking.rate_notes import sentences
from ...native.ranking.system_rates import Rates, TwoRates
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
    systems: tuple[str, ...] = SYSTEMS
    pairs: tuple[Column, ...] = PAIRS
    if rates.clustered:
        # Beside the standard errors by sentence, those by cluster, which the rest of the row rests on.
        systems = (*SYSTEMS[:-2], "se by cluster", "df", *SYSTEMS[-2:])
        by = (Column("se by cluster"), Column("df"))
        pairs = (*PAIRS[:-5], *by, *PAIRS[-5:-3], Column("t"), *PAIRS[-2:])
    rows = tuple(_system_row(rates, *named) for named in rates.systems.items())
    blocks: list[Block] = [Table(systems, rows)]
    if rates.pairs:
        blocks += [Heading(DIFFERENCES), Table(pairs, tuple(_pair_row(rates, two) for two in rates.pairs))]
    blocks.append(Bullets((_meaning(rates), *sentences(rates))))
    return Page("Error rates", blocks, f"Data: {rates.table.source}")


def _system_row(rates: Rates, name: str, r: ErrorRate) -> tuple[str, ...]:
    errors = (r.se_delta, r.se_jackknife, r.se_vilar)
    clustered = _clustered(rates.clustered.get(name))
    ends = (_finite(end, ".4f") for end in rates.interval(name))
    numbers = (*(f"{se:.6f}" for se in errors), *clustered, *ends)
    return (name or "-", str(r.m), f"{r.length:.12g}", f"{r.rate:.4f}", *numbers)


def _pair_row(rates: Rates, two: TwoRates) -> tuple[str, ...]:
    d = two.difference
    if d is None:
        return two.first, two.second, *["-"] * (11 if rates.clustered else 9), "not compared"
    p = rates.p(two)
    errors = (f"{se:.6f}" for se in (d.se_delta, d.se_jackknife, d.se_unpaired))
    ends = (_finite(end, ".4f") for end in rates.interval_of(two))
    z = number(rates.statistic(two), ".3f")
    tiny = d.log10_p(rates.of_pairs) if two.clustered is None else None
    said = "-" if p is None else p_words(p, tiny, 3)
    tested = (*_clustered(two.clustered), *ends, z, said, yes_or_no(rates.significant(two)))
    return (two.first, two.second, str(d.m), f"{d.difference:.4f}", *errors, *tested)


def _clustered(error: ClusteredError | None) -> tuple[str, ...]:
    """Standard error and degrees of freedom by cluster; nothing if they were not asked for."""
    return () if error is None else (_finite(error.se, ".6f"), _finite(error.df, ".4g"))


def _finite(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "-"


def _meaning(rates: Rates) -> str:
    """The sentence that says what low, high and significant mean."""
    tested = f"; significant: two-sided at {100 * (1 - rates.level):.6g} %" if rates.pairs else ""
    if rates.clustered:
        title = next(iter(rates.clustered.values())).title
        return f"low and high: {100 * rates.level:g} % t intervals, {title}{tested}"
    by = {"delta": "the delta method", "jackknife": "the jackknife", "vilar": "equation 9"}[rates.estimator]
    return f"low and high: {100 * rates.level:g} % normal intervals by {by}{tested}"


def document(rates: Rates) -> dict[str, Any]:
    """The JSON document."""
    clustered = list(rates.clustered.values())
    about = {"kind": clustered[0].kind, "clusters": list(clustered[0].columns)} if clustered else None
    return {
        "level": rates.level,
        "se": rates.estimator,
        "se_of_differences": rates.of_pairs,
        "systems": [_system(rates, name, rate) for name, rate in rates.systems.items()],
        "pairs": [_pair(rates, two) for two in rates.pairs],
        "notes": sentences(rates),
        **({} if about is None else {"covariance": about}),
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
    by = rates.of_pairs
    values = (
        *(d.first.rate, d.second.rate, d.difference, d.se_delta, d.se_jackknife, d.se_unpaired),
        *(*rates.interval_of(two), rates.statistic(two), rates.p(two)),
        *(
            d.log10_p(by) if two.clustered is None else None,
            two.p_holm,
            rates.significant(two),
            list(d.z_vilar),
        ),
    )
    numbers = {**dict(zip(_NUMBERS, values)), **_errors(two.clustered)}
    return {**names, "sentences": d.m, **numbers, **alone, "not_compared": None}
