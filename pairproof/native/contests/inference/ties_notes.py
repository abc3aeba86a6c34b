"""Where treatments of ties lead to other conclusions, in sentences, and the whole comparison as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....fit.shown.text import number, p_value
from .treatment import Treatment

FloatArray = NDArray[np.float64]

#: Items up to which all pairs are looked at; with more, neighbours in the first treatment's order.
MOST_ITEMS = 200
#: Sentences about pairs at most; a last one counts the others.
MOST_NOTES = 12
WIDE = 100


@dataclass(frozen=True, eq=False)
class Item:
    """What a treatment says of the items.

    abilities float[n].  covariance (float[n, n], float[n, k]): of the abilities, and how they move along
    directions without an estimate.
    """

    name: str
    abilities: FloatArray
    covariance: tuple[FloatArray, FloatArray]

    def differences(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        """Differences and their z; nan where they have no estimate."""
        v, along = self.covariance
        variance = np.diag(v)[i] + np.diag(v)[j] - 2.0 * v[i, j]
        known = np.abs(along[i] - along[j]).max(axis=1, initial=0.0) < 1e-9
        gap = np.where(known, self.abilities[i] - self.abilities[j], np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return gap, gap / np.sqrt(np.maximum(variance, 0.0))


def notes(names: Sequence[str], items: Sequence[Item], critical: float, alpha: float) -> tuple[str, ...]:
    """Sentences on what depends on the treatment.

    critical: of |z|.
    """
    n = len(names)
    out: list[str] = []
    orders: dict[tuple[int, ...], list[str]] = {}
    for item in items:
        if np.isfinite(item.abilities).all():
            orders.setdefault(tuple(np.argsort(-item.abilities, kind="stable").tolist()), []).append(
                item.name
            )
    if len(orders) > 1:
        shown = [
            f"{' > '.join(names[k] for k in order[:8])}{' > ...' if n > 8 else ''} by {', '.join(by)}"
            for order, by in orders.items()
        ]
        out.append(f"the rank order depends on the treatment: {'; '.join(shown)}")
    if n <= MOST_ITEMS:
        i, j = np.triu_indices(n, 1)
    else:
        order = np.argsort(-items[0].abilities, kind="stable")
        i, j = order[:-1], order[1:]
        out.append(
            f"{n} items: conclusions were compared for the {n - 1} pairs next to each other in the order of"
            f" {items[0].name} only"
        )
    found = {item.name: item.differences(i, j) for item in items}
    lines = []
    for k in range(len(i)):
        text = _pair(
            names[i[k]], names[j[k]], {m: (d[k], z[k]) for m, (d, z) in found.items()}, critical, alpha
        )
        if text:
            lines.append(text)
    out += lines[:MOST_NOTES]
    if len(lines) > MOST_NOTES:
        out.append(
            f"and {len(lines) - MOST_NOTES} more pairs whose order or significance depends on the treatment"
        )
    return tuple(out)


def _pair(a: str, b: str, found: dict[str, tuple[float, float]], critical: float, alpha: float) -> str:
    """A sentence on one pair; "" where all treatments agree."""
    known = {m: v for m, v in found.items() if np.isfinite(v[0])}
    parts = []
    above = [m for m, (d, _) in known.items() if d > 0]
    below = [m for m, (d, _) in known.items() if d < 0]
    if above and below:
        parts.append(f"{a} is above {b} by {', '.join(above)}, below by {', '.join(below)}")
    yes = [m for m, (_, z) in known.items() if abs(z) > critical]
    no = [m for m, (_, z) in known.items() if not abs(z) > critical]
    if yes and no:
        parts.append(
            f"{a} - {b} differs from 0 at {alpha:g} by {', '.join(f'{m} (z {known[m][1]:.2f})' for m in yes)}, not by"
            f" {', '.join(f'{m} ({known[m][1]:.2f})' for m in no)}"
        )
    return "; ".join(parts)


def text(items: Sequence[str], reference: str, treatments: Sequence[Treatment], found: Sequence[str]) -> str:
    """The comparison as text, at most 100 columns wide but for long names.

    `found`: the notes.
    """
    there = [t for t in treatments if t.fit is not None]
    wide = max([18, *(len(t.name) + 2 for t in there)])
    first = max(9, min(30, max(len(i) for i in items) + 1))
    lines = [
        "Treatments of ties side by side",
        "=" * WIDE,
        f"Abilities in log-odds (se), reference {reference}",
    ]
    per = max(1, (WIDE - first) // wide)
    for start in range(0, len(there), per):
        part = there[start : start + per]
        lines.append(" " * first + "".join(t.name.rjust(wide) for t in part))
        for k, item in enumerate(items):
            cells = [_cell(t.abilities[k], t.se[k]) for t in part]
            lines.append(item[: first - 1].ljust(first) + "".join(c.rjust(wide) for c in cells))
    lines += ["-" * WIDE, _row("", ["log-lik.", "AIC", "ties seen", "fitted", "LR", "df", "p"])]
    for t in there:
        p = "" if np.isnan(t.p) else p_value(t.p, float(np.log10(t.p)) if t.p > 0 else float("-inf"))
        df = "" if np.isnan(t.df) else f"{t.df:.0f}"
        values = [_number(v) for v in (t.llf, t.aic, t.observed, t.fitted, t.lr)]
        lines.append(_row(t.name, [*values, df, p]))
    lines.append(
        "LR against Davidson's model.  Half wins and dropped ties are other data: no likelihood compares."
    )
    for t in treatments:
        if t.fit is None:
            lines += textwrap.wrap(f"{t.name}: no estimate: {t.reason}", WIDE, subsequent_indent="  ")
    lines.append("-" * WIDE)
    if not found:
        lines.append("No conclusion depends on the treatment: order, significance of differences, ranking.")
    for note in found:
        lines += textwrap.wrap(f"Note: {note}", WIDE, subsequent_indent="  ")
    return "\n".join(lines)


def _cell(ability: float, se: float) -> str:
    if np.isnan(ability):
        return "-"
    return f"{ability:.4f}" + (f" ({se:.4f})" if se > 0 else "")


def _number(value: float) -> str:
    return "" if np.isnan(value) else number(value)


def _row(name: str, values: Sequence[str]) -> str:
    return name.ljust(16) + "".join(v.rjust(12) for v in values)
