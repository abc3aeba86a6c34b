"""Drawings of a report as SVG text, to stand inside its page.

Text and axes take the page's own colour (`currentColor`) and marks its accents (`var(--...)`), so that one
drawing serves light, dark and print.  Nothing is told by colour alone: floors are bars, failures crosses.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ..claims.printed import Printed
from ..verdicts.agreement import Agreement
from ..verdicts.digits import MOST
from . import numbers
from .context import DigitsRow, StoryFigure, WorthSeries

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours that matplotlib writes and that are replaced by the page's own.
_INK, _GOOD, _BAD, _FAINT = "#010203", "#010204", "#010205", "#010206"
_OF_PAGE = {
    "#000000": "currentColor",
    _INK: "currentColor",
    _GOOD: "var(--good)",
    _BAD: "var(--bad)",
    _FAINT: "var(--faint)",
}
#: Half-width of the drawing of printed numbers, in units of the last printed place; what lies outside is an
#: arrow.
REACH = 1.5


def worth_plot(series: WorthSeries, name: str) -> str:
    """Worths with 95 % intervals, one panel a group, items from most to least preferred in the first."""
    first = series.worth[0]
    order = sorted(
        range(len(series.items)), key=lambda k: -first[k] if not math.isnan(first[k]) else math.inf
    )
    figure = _figure(min(2.6 * len(series.groups) + 1.6, 9.6), 0.34 * len(order) + 1.0)
    axes = figure.subplots(1, len(series.groups), sharey=True, squeeze=False)[0]
    for g, (ax, group) in enumerate(zip(axes, series.groups)):
        for row, k in enumerate(order):
            w = series.worth[g][k]
            if math.isnan(w):
                ax.text(0.02, row, "not estimable", color=_INK, va="center", fontsize=8)
                continue
            ax.plot(
                [series.low[g][k], series.high[g][k]],
                [row, row],
                color=_GOOD,
                linewidth=2.2,
                solid_capstyle="butt",
            )
            ax.plot([w], [row], marker="o", color=_INK, markersize=4.5, linestyle="none")
        ax.set_xlim(0, 1)
        ax.set_yticks(range(len(order)))
        ax.set_yticklabels([series.items[k] for k in order])
        ax.set_xlabel("worth" if group == "all" else f"worth, {group}")
        _plain(ax)
    axes[0].invert_yaxis()
    text = "; ".join(
        f"{group}: " + ", ".join(f"{series.items[k]} {numbers.number(series.worth[g][k], 3)}" for k in order)
        for g, group in enumerate(series.groups)
    )
    return _svg(figure, name, f"{series.title}: worths with 95 % intervals", text)


def digits_plot(rows: Sequence[DigitsRow], name: str) -> str:
    """Digits of agreement, a strip for each source and kind of quantity; the floor is a bar, the minimum is
    written.
    """
    sources = list(dict.fromkeys(r.source for r in rows))
    heights = [sum(r.source == s for r in rows) for s in sources]
    figure = _figure(8.6, 0.235 * (sum(heights) + 2.8 * len(sources)) + 0.5)
    axes = figure.subplots(
        len(sources), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": [h + 0.4 for h in heights]}
    )[:, 0]
    for ax, source in zip(axes, sources):
        members = [r for r in rows if r.source == source]
        for y, r in enumerate(members):
            offsets = [
                y + 0.22 * ((7 * k) % 11 - 5) / 5 for k in range(len(r.digits))
            ]  # spread, the same in every run
            good = [d >= r.floor for d in r.digits]
            ax.plot(
                [d for d, ok in zip(r.digits, good) if ok],
                [o for o, ok in zip(offsets, good) if ok],
                linestyle="none",
                marker="o",
                markersize=2.6,
                color=_GOOD,
                alpha=0.6,
                markeredgewidth=0,
            )
            ax.plot(
                [d for d, ok in zip(r.digits, good) if not ok],
                [o for o, ok in zip(offsets, good) if not ok],
                linestyle="none",
                marker="x",
                markersize=5,
                color=_BAD,
            )
            ax.plot([r.floor, r.floor], [y - 0.4, y + 0.4], color=_INK, linewidth=2)
            ax.text(
                MOST + 0.35, y, f"{numbers.digits(r.least)} of {r.n}", va="center", fontsize=7.5, color=_INK
            )
        ax.set_ylim(len(members) - 0.4, -0.6)
        ax.set_yticks(range(len(members)))
        ax.set_yticklabels([r.kind for r in members], fontsize=8)
        ax.set_title(source, loc="left", fontsize=9, color=_INK, pad=3)
        ax.set_xlim(-0.3, MOST + 0.2)
        ax.set_xticks(range(0, 17, 2))
        ax.tick_params(labelbottom=True)
        ax.grid(axis="x", color=_FAINT, linewidth=0.6)
        _plain(ax)
    axes[-1].set_xlabel(
        "digits of agreement of native (16 is equal to the last bit); bar: floor; right: fewest, of how many"
    )
    text = "; ".join(
        f"{r.source}, {r.kind}: fewest {numbers.digits(r.least)} of {r.n} numbers, floor {r.floor:g}"
        for r in rows
    )
    return _svg(figure, name, "Digits of agreement by source and quantity", text)


def printed_rows(agreements: Sequence[Agreement]) -> list[tuple[Agreement, float]]:
    """Printed numbers with a last place and how far the computed value lies from them, in units of that
    place.
    """
    found = []
    for a in agreements:
        if a.about != "printed" or a.printed is None or a.native is None or not math.isfinite(a.native):
            continue
        printed = Printed.parse(a.printed)
        if printed.value is not None and printed.unit is not None:
            found.append((a, float((_decimal(a.native) - printed.value) / printed.unit)))
    return found


def printed_plot(agreements: Sequence[Agreement], name: str) -> str:
    """Computed against printed: inside the band, the number rounds to what is printed."""
    rows = printed_rows(agreements)
    figure = _figure(8.6, 0.2 * len(rows) + 0.9)
    ax = figure.subplots()
    ax.axvspan(-0.5, 0.5, color=_FAINT, linewidth=0)
    ax.axvline(0, color=_INK, linewidth=0.6)
    for y, (a, distance) in enumerate(rows):
        inside = abs(distance) <= REACH
        color = _GOOD if a.passes and not a.accepted else _INK if a.accepted else _BAD
        marker = (
            ("o" if a.passes and not a.accepted else "D" if a.accepted else "x")
            if inside
            else (">" if distance > 0 else "<")
        )
        ax.plot(
            [distance if inside else math.copysign(REACH, distance)],
            [y],
            marker=marker,
            markersize=5,
            linestyle="none",
            color=color,
        )
        if not inside:
            ax.text(
                math.copysign(REACH - 0.06, distance),
                y,
                f"{distance:+.4g} units",
                ha="right" if distance > 0 else "left",
                va="center",
                fontsize=7.5,
                color=_INK,
            )
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)))
    ax.set_yticklabels([f"{a.claim} {a.quantity} = {a.printed}" for a, _ in rows], fontsize=7.5)
    ax.set_xlim(-REACH - 0.1, REACH + 0.1)
    ax.set_xlabel("computed minus printed, in units of the last printed place")
    _plain(ax)
    text = "; ".join(f"{a.claim} {a.quantity}: printed {a.printed}, {d:+.3g} units off" for a, d in rows)
    return _svg(
        figure, name, "Computed values against printed ones; inside the band they round to the print", text
    )


def story_plot(figure: StoryFigure, name: str) -> str:
    """A story's drawing, its text and axes in the page's colours."""
    import matplotlib

    ink = {
        key: _INK for key in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    }
    with matplotlib.rc_context({**ink, "grid.color": _FAINT, "font.size": 8.5}):
        drawing = _figure(*figure.size)
        figure.draw(drawing.subplots())
    return _svg(drawing, name, numbers.clean(figure.caption), numbers.clean(figure.description))


# -- drawing -------------------------------------------------------------------------------------------------


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _plain(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(_INK)
    ax.tick_params(colors=_INK, labelsize=8)
    ax.xaxis.label.set_color(_INK)
    ax.xaxis.label.set_fontsize(8.5)


def _svg(figure: Figure, name: str, title: str, description: str) -> str:
    """The figure as an <svg> element: no prolog, its own ids, the page's colours, a title and a
    description.
    """
    import matplotlib

    stream = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    for written, page in _OF_PAGE.items():
        text = text.replace(written, page)
    # Sizes in points become a largest width, so that the drawing shrinks with the page and never grows.
    width = float(re.search(r'width="([0-9.]+)pt"', text)[1])  # type: ignore[index]  # matplotlib always writes it
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(
        r'(<svg[^>]*?) width="[^"]*"',
        rf'\1 style="max-width:{width * 4 / 3:.0f}px" role="img" aria-labelledby="{name}-t {name}-d"',
        text,
        count=1,
    )
    head = f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(description)}</desc>'
    return re.sub(r"(<svg[^>]*>)", lambda m: m[1] + head, text, count=1)


def _decimal(value: float) -> Any:
    from decimal import Decimal

    return Decimal(value)
