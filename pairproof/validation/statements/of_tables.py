"""Tests of what is said of a printed table of numbers, worked out in decimal from what is printed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from .registry import Context, Finding, holds, statement_test


@statement_test("ranking-by-column")
def ranking_by_column(
    context: Context, *, item: str, columns: Sequence[str], ranking: Sequence[str]
) -> Finding:
    """Each column of printed numbers, largest first, gives this ranking; where two are printed alike, either
    order does.
    """
    table = context.table
    tied, wrong = [], []
    for column in columns:
        value = {name: Decimal(text) for name, text in zip(table[item], table[column])}
        found = [value[name] for name in ranking]
        if any(a < b for a, b in zip(found, found[1:])):
            wrong.append(f"{column}: {' '.join(sorted(value, key=lambda k: -value[k]))}")
        tied += [
            f"{a} and {b} in {column} ({value[a]})"
            for a, b in zip(ranking, list(ranking)[1:])
            if value[a] == value[b]
        ]
    if wrong:
        return Finding.because("false", "; ".join(wrong))
    if tied:
        return Finding.because(
            "tied",
            f"comes out if those printed alike may stand in either order: {', '.join(tied)}",
            "explained",
        )
    return Finding("agrees", f"{', '.join(columns)}: {' '.join(ranking)}")


@statement_test("narrower-range")
def narrower_range(context: Context, *, column: str, than: Sequence[str]) -> Finding:
    """A column spans less than each of the others, at its foot and at its top."""
    table = context.table
    span = {c: (min(map(Decimal, table[c])), max(map(Decimal, table[c]))) for c in (column, *than)}
    low, high = span[column]
    text = ", ".join(f"{c} {a} to {b}" for c, (a, b) in span.items())
    return holds(all(low > span[c][0] and high < span[c][1] for c in than), text)
