"""Rates and differences as text, JSON, Markdown or one HTML page: views of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...fit.tails import p_words
from ...native.ranking.error_rates import ErrorRate
from ...native.ranking.system_rates import Rates, TwoRates, sentences
from ...text import label
from ..commands.compare_two import escaped, page
from ..state import State, json_text

TITLE = "Error rates"
DIFFERENCES = "Differences on the same sentences (first - second; negative: the first makes fewer errors)"
SYSTEMS = ("system", "sentences", "words", "rate", "se delta", "se jackknife", "se eq 9", "low", "high")
PAIRS = (
    "first",
    "second",
    "sentences",
    "difference",
    "se delta",
    "se jackknife",
    "se unpaired",
    "low",
    "high",
    "z",
    "p",
    "significant",
)


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
        "rate": rate.rate,
        "se_delta": rate.se_delta,
        "se_jackknife": rate.se_jackknife,
        "se_vilar": rate.se_vilar,
        "vilar_to_delta": rate.vilar_to_delta,
        "low": low,
        "high": high,
    }


def _pair(rates: Rates, two: TwoRates) -> dict[str, Any]:
    names = {"first": two.first, "second": two.second}
    alone = {"only_first": list(two.shared.only_first), "only_second": list(two.shared.only_second)}
    d = two.difference
    if d is None:
        numbers = dict.fromkeys(
            (
                "rate_first",
                "rate_second",
                "difference",
                "se_delta",
                "se_jackknife",
                "se_unpaired",
                "low",
                "high",
                "z",
                "p",
                "log10_p",
                "p_holm",
                "significant",
                "z_vilar",
            )
        )
        return {**names, "sentences": 0, **numbers, **alone, "not_compared": two.why_not}
    low, high = d.interval(rates.level, rates.of_pairs)
    return {
        **names,
        "sentences": d.m,
        "rate_first": d.first.rate,
        "rate_second": d.second.rate,
        "difference": d.difference,
        "se_delta": d.se_delta,
        "se_jackknife": d.se_jackknife,
        "se_unpaired": d.se_unpaired,
        "low": low,
        "high": high,
        "z": d.z(rates.of_pairs),
        "p": d.p(rates.of_pairs),
        "log10_p": d.log10_p(rates.of_pairs),
        "p_holm": two.p_holm,
        "significant": rates.significant(two),
        "z_vilar": list(d.z_vilar),
        **alone,
        "not_compared": None,
    }


def _system_rows(rates: Rates) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, r in rates.systems.items():
        low, high = r.interval(rates.level, rates.estimator)
        rows.append(
            (
                name or "-",
                str(r.m),
                f"{r.length:.12g}",
                f"{r.rate:.4f}",
                f"{r.se_delta:.6f}",
                f"{r.se_jackknife:.6f}",
                f"{r.se_vilar:.6f}",
                f"{low:.4f}",
                f"{high:.4f}",
            )
        )
    return rows


def _pair_rows(rates: Rates) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for two in rates.pairs:
        d = two.difference
        if d is None:
            rows.append((two.first, two.second, *["-"] * 9, "not compared"))
            continue
        low, high = d.interval(rates.level, rates.of_pairs)
        z, p, significant = d.z(rates.of_pairs), d.p(rates.of_pairs), rates.significant(two)
        rows.append(
            (
                two.first,
                two.second,
                str(d.m),
                f"{d.difference:.4f}",
                f"{d.se_delta:.6f}",
                f"{d.se_jackknife:.6f}",
                f"{d.se_unpaired:.6f}",
                f"{low:.4f}",
                f"{high:.4f}",
                "-" if z is None else f"{z:.3f}",
                "-" if p is None else p_words(p, d.log10_p(rates.of_pairs), 3),
                "-" if significant is None else "yes" if significant else "no",
            )
        )
    return rows


def _means(rates: Rates) -> str:
    """What low, high and significant are."""
    share = f"{100 * rates.level:g} %"
    of = {"delta": "the delta method", "jackknife": "the jackknife", "vilar": "equation 9"}[rates.estimator]
    return (
        f"low and high: {share} normal intervals by {of}; significant: two-sided at {100 * (1 - rates.level):.6g} %"
        if rates.pairs
        else f"low and high: {share} normal intervals by {of}"
    )


def text(rates: Rates) -> str:
    """For people."""
    parts = [_aligned(SYSTEMS, _system_rows(rates), 1)]
    if rates.pairs:
        parts += ["", f"{DIFFERENCES}:", _aligned(PAIRS, _pair_rows(rates), 2)]
    return "\n".join([*parts, "", _means(rates), *map(label, sentences(rates))])


def _aligned(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    table = [headings, *(tuple(map(label, row)) for row in rows)]
    widths = [max(len(row[k]) for row in table) for k in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if k < left else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))
        ).rstrip()
        for row in table
    )


def write(state: State, path: Path, rates: Rates) -> None:
    """A report, of the kind its suffix says."""
    suffix, lines = path.suffix.lower(), [_means(rates), *sentences(rates)]
    pairs = [(DIFFERENCES, PAIRS, _pair_rows(rates))] if rates.pairs else []
    if suffix == ".json":
        content = json_text(document(rates)) + "\n"
    elif suffix == ".html":
        content = page(TITLE, rates.table.source, SYSTEMS, _system_rows(rates), lines, pairs)
    else:
        parts = [
            f"# {TITLE}",
            "",
            f"Data: {escaped(rates.table.source)}",
            "",
            *_markdown(SYSTEMS, _system_rows(rates)),
            "",
        ]
        for title, headings, rows in pairs:
            parts += [f"## {title}", "", *_markdown(headings, rows), ""]
        content = "\n".join([*parts, *(f"- {escaped(line)}" for line in lines), ""])
    state.write(path, content)


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(headings) + " |",
        "|" + " --- |" * len(headings),
        *("| " + " | ".join(map(escaped, row)) + " |" for row in rows),
    ]
