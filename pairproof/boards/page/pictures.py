"""Pictures of a board as elements of HTML: ratings with limits and ranks, who beats whom, ratings over time.

Marks stand at shares of the width, text has the page's own size: on a telephone the picture is narrower, and what is
written in it is not smaller.  Colours are those of the page, blue and orange; everything they show is also shown by a
number, a sign or a place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ...data.columns import FloatArray
from ...report.blocks import Picture
from ...text import label, shorten
from ..over_time import History
from ..rows import BoardNumbers as Board, BoardRow

#: Characters of a name in a picture; the table has all of them.
LONGEST = 60
#: Models whose shares are written out, and those that a map shows.
MOST_WRITTEN, MOST_MAPPED = 25, 300
#: Steps of tint on either side of one half, of shares of so many votes at least.
STEPS, LEAST_TINTED = 5, 5
#: Lines over time that have a colour, a dash and a name; in px their picture is so high, and a line of text.
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2", "1 4")
HEIGHT, LINE = 340, 17
#: The class of a label that a narrow screen has no room for.
_SECOND = "second"
_WITHOUT_RATING = {"below-all": "lost to all", "above-all": "beat all"}


def _add(parent: Element, tag: str, text: str = "", *, said: str = "", **attributes: Any) -> Element:
    """A child; `class_` stands for class, `stroke_width` for stroke-width; "" is left out.  said: its <title>."""
    named = {name.rstrip("_").replace("_", "-"): f"{value}" for name, value in attributes.items()}
    child = SubElement(parent, tag, {name: label(value) for name, value in named.items() if value})
    child.text = label(text)
    if said:
        _add(child, "title", said)
    return child


def _stretched(parent: Element, side: int) -> Element:
    """A square of so many units, as wide and as high as what it is in."""
    box = {"viewBox": f"0 0 {side} {side}", "preserveAspectRatio": "none", "width": "100%", "height": "100%"}
    return _add(parent, "svg", **box)


def _pc(share: float) -> str:
    """A share as a length: "12.5%"."""
    return f"{100 * share:.4g}%"


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """At most so many round numbers, evenly apart, from low to high."""
    step = (high - low) / most
    size = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    step = next((k * size for k in (1.0, 2.0, 2.5, 5.0, 10.0) if k * size >= step), 10.0 * size)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


class _Scale:
    """Numbers as shares of a length, with a margin on either side."""

    def __init__(self, low: float, high: float) -> None:
        margin = 0.04 * (high - low) or 1.0
        self.low, self.high = low - margin, high + margin

    def __call__(self, value: float) -> float:
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


# -- ratings -----------------------------------------------------------------------------------------------


def ratings_picture(board: Board, rows: Sequence[BoardRow]) -> Picture:
    """Ratings with limits, and the ranks that each model may have, best first."""
    level = f"{100 * board.level:g} %"
    scale, ends = _range_of(rows), [x for row in rows for x in (row.low, row.high) if x is not None]
    arrows = "" if all(map(scale.holds, ends)) else ", with an arrow where they continue"
    hollow = "" if all(row.status == "settled" for row in rows) else "; hollow dashed dots are provisional"
    tiers = " A heavier line separates tiers." if len({row.tier for row in rows}) > 1 else ""
    caption = (
        f"Dots are ratings and lines their {level} limits{arrows}{hollow}. The numbers on the left (on a wide page the"
        f" bars on the right, too) are the ranks that a model may have, all at once at {level}.{tiers}"
    )
    return Picture(caption, partial(_ratings, board, rows), "Ratings")


def _ratings(board: Board, rows: Sequence[BoardRow]) -> Element:
    scale, n = _range_of(rows), len(board.rows)
    ranks = _Scale(0.5, n + 0.5)
    table = Element("table", {"class": "ratings"})
    head = _add(_add(table, "thead"), "tr")
    _add(head, "th", "ranks", scope="col")
    _add(head, "th", "model", scope="col")
    lines = ticks(scale.low, scale.high)
    _axis(_add(head, "th", scope="col", aria_label="rating"), [(scale(x), f"{x:.6g}") for x in lines])
    _axis(_add(head, "th", class_="ranks", aria_hidden="true"), [(ranks(x), str(x)) for x in {1: 1, n: n}])
    body, tier = _add(table, "tbody"), rows[0].tier if rows else 0
    for row in rows:
        tr = _add(body, "tr", class_="cut" if row.tier != tier else "")
        tier = row.tier
        _add(tr, "td", ranks_of(row))
        _add(tr, "th", shorten(row.model, LONGEST), scope="row", title=row.model)
        cell = _add(tr, "td")
        if row.rating is None:
            _add(cell, "span", _WITHOUT_RATING.get(row.status, "no rating"))
        else:
            _interval(cell, row, scale, lines, 100 * board.level)
        bar = _add(_add(tr, "td", class_="ranks"), "svg", aria_hidden="true")
        left, right = ranks(row.rank_low - 0.5), ranks(row.rank_high + 0.5)
        _add(bar, "rect", x=_pc(left), width=_pc(right - left), y="7", height="8", rx="2", class_="set")
    return table


def _range_of(rows: Sequence[BoardRow]) -> _Scale:
    """All ratings, and limits no farther beyond them than half of what they span; an arrow says where one goes on."""
    ratings = np.array([row.rating for row in rows if row.rating is not None])
    if not len(ratings):
        return _Scale(0.0, 1.0)
    ends = np.array([x for row in rows for x in (row.low, row.high) if x is not None])
    room = 0.5 * float(ratings.max() - ratings.min()) or 50.0
    shown = np.concatenate([ratings, np.clip(ends, ratings.min() - room, ratings.max() + room)])
    return _Scale(float(shown.min()), float(shown.max()))


def _axis(cell: Element, at: Sequence[tuple[float, str]]) -> None:
    svg = _add(cell, "svg", aria_hidden="true")
    for k, (share, text) in enumerate(at):
        _add(svg, "text", text, x=_pc(share), y="15", text_anchor="middle", class_=_SECOND * (k % 2))


def _interval(cell: Element, row: BoardRow, scale: _Scale, lines: Sequence[float], level: float) -> None:
    assert row.rating is not None
    said = f"{row.rating:.1f}, {level:g} % limits {points(row.low)} to {points(row.high)}, {row.status}"
    svg = _add(cell, "svg", said=said, role="img", aria_label=said)
    for x in lines:
        _add(svg, "line", x1=_pc(scale(x)), x2=_pc(scale(x)), y1="0", y2="100%", class_="grid")
    open_ = "" if row.status == "settled" else "open"
    if row.low is not None and row.high is not None:
        _add(svg, "line", x1=_pc(scale(row.low)), x2=_pc(scale(row.high)), y1="11", y2="11", class_=open_)
        if not scale.holds(row.low):
            _add(svg, "path", d="M7 6L1 11L7 16")
        if not scale.holds(row.high):
            _add(_add(svg, "svg", x="100%", overflow="visible"), "path", d="M-7 6L-1 11L-7 16")
    _add(svg, "circle", cx=_pc(scale(row.rating)), cy="11", r="3.5", class_=open_)


def ranks_of(row: BoardRow) -> str:
    """ "3" or "2-5"."""
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


def points(value: float | None) -> str:
    """A rating with one decimal; "-" where there is none."""
    return "-" if value is None else f"{value:.1f}"


# -- who beats whom ----------------------------------------------------------------------------------------


def shares(board: Board, models: Sequence[str]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """float[n, n] each, row against column: votes, share of wins with ties as halves, and what the model expects of it."""
    table, fit, n = board.table, board.fit, len(models)
    place = {name: k for k, name in enumerate(models)}
    at = np.array([place.get(name, n) for name in table.items])
    first, second = at[table.first], at[table.second]
    key = np.concatenate([first * (n + 1) + second, second * (n + 1) + first])
    won = np.concatenate([table.wins + table.ties / 2, table.losses + table.ties / 2])
    sums: list[FloatArray] = [
        np.asarray(np.bincount(key, each, (n + 1) ** 2), float).reshape(n + 1, n + 1)[:n, :n]
        for each in (np.tile(table.row_weights, 2), won)
    ]
    frame = fit.probabilities()
    expected = np.full((len(fit.items),) * 2, np.nan)
    expected[~np.eye(len(fit.items), dtype=bool)] = frame["p_first"] + 0.5 * frame["p_tie"].fillna(0.0)
    of = [fit.items.index(name) for name in models]
    with np.errstate(invalid="ignore"):
        return sums[0], sums[1] / sums[0], expected[np.ix_(of, of)]


def shares_pictures(board: Board) -> Iterator[Picture]:
    """Shares of wins beside those expected: written out of the first models, as a map where there are more."""
    models = [row.model for row in board.rows[:MOST_MAPPED]]
    votes, share, expected = shares(board, models)
    few, n = min(len(models), MOST_WRITTEN), len(models)
    some = "" if few == len(board.rows) else f" The first {few} of {len(board.rows):,} models."
    caption = (
        "Percentage of votes that the row's model won against the column's, counting a tie as half; below it, in"
        f" italics, what the fitted model expects, and the number of votes.{some}"
    )
    title = "Who beats whom"
    yield Picture(caption, partial(_written, models[:few], votes, share, expected), title)
    if n > few:
        rest = "" if n == len(board.rows) else f" The first {n:,} of {len(board.rows):,} models."
        caption = (
            "All pairs, best first from the top and from the left: blue if the row's model won more than half,"
            f" orange if less, in steps of ten per cent; blank if there are fewer than {LEAST_TINTED} votes. Left: as"
            f" voted; right (below, on a narrow screen): as expected.{rest}"
        )
        yield Picture(caption, partial(_maps, np.where(votes < LEAST_TINTED, np.nan, share), expected))


def _tint(share: float) -> str:
    """The class of a share: "p5" where nearly all were won, "m5" where nearly all were lost, "" near a half or unknown."""
    if math.isnan(share):
        return ""
    step = min(int(abs(share - 0.5) * 2 * STEPS) + 1, STEPS)
    return "" if share == 0.5 else f"{'p' if share > 0.5 else 'm'}{step}"


def _written(models: Sequence[str], votes: FloatArray, share: FloatArray, expected: FloatArray) -> Element:
    scroll = Element("div", {"class": "scroll"})
    table = _add(scroll, "table", class_="shares")
    head = _add(_add(table, "thead"), "tr")
    _add(head, "td")
    for k, name in enumerate(models):
        _add(head, "th", str(k + 1), scope="col", title=name)
    body = _add(table, "tbody")
    for i, name in enumerate(models):
        tr = _add(body, "tr")
        _add(tr, "th", f"{i + 1} {shorten(name, LONGEST)}", scope="row", title=name)
        for j, other in enumerate(models):
            if i == j:
                _add(tr, "td", class_="self")
                continue
            n, s, e = votes[i, j], share[i, j], expected[i, j]
            expects = "" if math.isnan(e) else f"expected {100 * e:.1f} %"
            said = f"{100 * s:.1f} % of {n:,.10g} votes" if n else "no votes"
            whole = f"{shorten(name)} vs. {shorten(other)}: {said}{', ' * bool(expects)}{expects}"
            td = _add(tr, "td", title=whole, class_=_tint(s) if n >= LEAST_TINTED else "")
            _add(td, "b", f"{100 * s:.0f}" if n else "-")
            _add(td, "i", "-" if math.isnan(e) else f"{100 * e:.0f}")
            _add(td, "small", f"{n:,.10g}" if n < 10_000 else f"{n / 1000:,.0f}k")
    return scroll


def _maps(share: FloatArray, expected: FloatArray) -> Element:
    both = Element("div", {"class": "maps"})
    for name, of in (("as voted", share), ("as expected", expected)):
        n = len(of)
        said = f"Shares of wins between {n} models, {name}"
        svg = _add(both, "svg", role="img", aria_label=said)
        for k in range(0, n, 10 if n <= 100 else 25):
            at = _pc((k + 0.5) / n)
            _add(svg, "text", str(k + 1), x="-5", y=at, text_anchor="end", dominant_baseline="central")
            _add(svg, "text", str(k + 1), x=at, y="-5", text_anchor="middle")
        cells = _stretched(svg, n)
        for tint, path in sorted(_runs(of).items()):
            _add(cells, "path", d=path, class_=tint)
        _add(svg, "rect", width="100%", height="100%", class_="frame")
    return both


def _runs(of: FloatArray) -> dict[str, str]:
    """The path of all cells of each tint; neighbours of one tint are one rectangle."""
    out: dict[str, list[str]] = {}
    for i, row in enumerate(of):
        tints = ["" if i == j else _tint(share) for j, share in enumerate(row)]
        start = 0
        for j in range(1, len(tints) + 1):
            if j == len(tints) or tints[j] != tints[start]:
                if tints[start]:
                    out.setdefault(tints[start], []).append(f"M{start} {i}h{j - start}v1h{start - j}z")
                start = j
    return {tint: "".join(parts) for tint, parts in out.items()}


# -- over time ---------------------------------------------------------------------------------------------


def history_picture(history: History, models: Sequence[str], scale_said: str) -> Picture:
    """Ratings at each date; the first models have names, colours, dashes and limits, the others are thin lines."""
    k = min(len(DASHES), len(models))
    caption = (
        f"Ratings from all votes up to each date, with limits, for today's first {k} models; thin lines are the others."
        f" {scale_said}"
    )
    return Picture(caption, partial(_over_time, history, models), "Over time")


def _over_time(history: History, models: Sequence[str]) -> Element:
    place = {name: k for k, name in enumerate(history.models)}
    named = [name for name in models if name in place][: len(DASHES)]
    chosen = [place[name] for name in named]
    ends = [history.low[-1, chosen], history.high[-1, chosen], history.rating[-1], history.rating[:, chosen]]
    known = np.concatenate([a[np.isfinite(a)] for a in ends])
    scale = _Scale(float(known.min()), float(known.max())) if len(known) else _Scale(0.0, 1.0)
    down: Callable[[float], float] = lambda value: (scale.high - value) / (scale.high - scale.low)
    last = [_last(history.rating[:, k]) for k in chosen]
    marks = [(f"{x:.6g}", down(x)) for x in ticks(scale.low, scale.high)]
    whole = Element("div", {"class": "history"})
    left = _add(whole, "svg", class_="y", height=HEIGHT, aria_hidden="true")
    for text, y in marks:
        _add(left, "text", text, x="100%", y=_pc(y), text_anchor="end", dominant_baseline="central")
    said = "; ".join(f"{name} {points(value)}" for name, value in zip(named, last))
    read = {"role": "img", "aria_label": f"The last ratings: {said}"}
    plot = _add(whole, "svg", class_="plot", height=HEIGHT, **read)
    inner = _stretched(plot, 1000)
    for _, y in marks:
        _add(inner, "path", d=f"M0 {1000 * y:.0f}H1000", class_="grid")
    _lines(inner, history, chosen, down)
    right = _add(whole, "svg", class_="names", height=HEIGHT, aria_hidden="true")
    for k, y in _apart([HEIGHT * down(value) for value in last]):
        _add(right, "path", d=f"M2 {y:.0f}h20", class_=f"line c{k + 1}", stroke_dasharray=DASHES[k])
        at = {"x": "27", "y": f"{y:.0f}", "dominant_baseline": "central"}
        _add(right, "text", shorten(named[k], 18), said=named[k], **at)
    dates = _add(whole, "div", class_="dates")
    shown = list(dict.fromkeys(history.dates[k] for k in (0, len(history.dates) // 2, -1)))
    for date in shown:
        _add(dates, "span", date, class_=_SECOND if date in shown[1:-1] else "")
    key = _add(whole, "ul", class_="key")
    for k, name in enumerate(named):
        sample = _add(_add(key, "li"), "svg", aria_hidden="true", class_=f"c{k + 1}")
        _add(sample, "path", d="M2 8h28", class_="line", stroke_dasharray=DASHES[k])
        sample.tail = label(name)
    return whole


def _lines(inner: Element, history: History, chosen: Sequence[int], down: Callable[[float], float]) -> None:
    """Thin lines, and above them those of the chosen models with their limits."""
    days = np.asarray(history.dates, "datetime64[D]").astype(float)
    across = 1000 * (days - days[0]) / max(days[-1] - days[0], 1.0)
    for k, name in enumerate(history.models):
        if k not in chosen and (d := _path(across, down, history.rating[:, k])):
            _add(inner, "path", said=name, d=d, class_="other")
    for number, k in enumerate(chosen, 1):
        if band := _band(across, down, history.low[:, k], history.high[:, k]):
            _add(inner, "path", d=band, class_=f"band c{number}")
        d, dashes = _path(across, down, history.rating[:, k]), DASHES[number - 1]
        _add(inner, "path", said=history.models[k], d=d, class_=f"line c{number}", stroke_dasharray=dashes)


def _last(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else 0.0


def _path(across: FloatArray, down: Callable[[float], float], values: FloatArray) -> str:
    """A line through what is known, with a stroke of its own where it begins."""
    out, pen = [], "M"
    for x, value in zip(across, values):
        if math.isfinite(value):
            out.append(f"{pen}{x:.0f} {1000 * down(value):.0f}")
        pen = "L" if math.isfinite(value) else "M"
    return "".join(out) + "h1" * (len(out) == 1)


def _band(across: FloatArray, down: Callable[[float], float], low: FloatArray, high: FloatArray) -> str:
    at = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
    way = [(k, high[k]) for k in at] + [(k, low[k]) for k in at[::-1]]
    return f"M{'L'.join(f'{across[k]:.0f} {1000 * down(y):.0f}' for k, y in way)}z" if len(at) > 1 else ""


def _apart(wanted: Sequence[float]) -> list[tuple[int, float]]:
    """Place and height of each label, moved so that no two lie on each other and all are in the picture."""
    if not wanted:
        return []
    order, room = np.argsort(wanted), LINE * np.arange(len(wanted))
    y: FloatArray = np.maximum.accumulate(np.asarray(wanted, float)[order] - room) + room
    y = np.maximum(y - max(float(y[-1]) - (HEIGHT - LINE / 2), 0.0), LINE / 2 + room)
    return [(int(k), float(at)) for k, at in zip(order, y)]
