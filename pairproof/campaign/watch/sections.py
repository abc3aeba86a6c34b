"""The sections of a campaign's report, and its drawings.

Sections: cost, stopping, annotators, items in disagreement, systems, the model.  Drawings: scores, each
annotator's use of the scale and course over time, systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...native.annotation.beta import FloatArray
from ...report import blocks
from ...text import label
from .annotators import NOT_FITTED, Annotators, Disputed, Watched, in_known_order
from .scores import Answers, ItemScores, own_scores
from .status import Cost, Status, histogram
from .systems import Systems

#: Length in characters of the longest bar of a histogram in text.
WIDTH = 40
#: Flagged annotators up to which their reasons stand above the table.
MOST_REASONS = 3
#: Annotators that have a panel each: the flagged first, then those with most scores.
PANELS, PANELS_A_ROW = 12, 4
#: Scores that one point of a course is the mean of, at least.
STRETCH = 10
#: Longest name over a panel, in characters.
DRAWN_NAME = 24


def shown_annotators(found: Annotators) -> list[str]:
    """The annotators who have a panel each."""
    rows = sorted(found.rows, key=lambda r: (not r.flags, -r.quality.n, r.name))
    return [r.name for r in rows[:PANELS]]


def short(name: str) -> str:
    """A name that fits over a panel and says nothing to the drawing program."""
    return cut(label(name).replace("$", "\\$"), DRAWN_NAME)


def scale_use(found: Annotators, answers: Answers) -> blocks.Figure:
    """How often each annotator gives each score."""
    names = shown_annotators(found)
    flagged = {row.name for row in found.flagged}
    rows = own_scores(answers)
    values = {n: answers.value[rows & (answers.annotator == answers.names.index(n))] for n in names}

    def draw(figure: Any) -> None:
        for axes, name in _grid(figure, names):
            colour = blocks.BAD if name in flagged else blocks.GOOD
            axes.hist(values[name], 20, range=(0.0, 1.0), color=colour)
            axes.axvline(float(values[name].mean()), color=blocks.INK, linewidth=1.0)
            axes.set_yticks([])
            axes.set_xlim(0.0, 1.0)
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])

    half = {name: np.quantile(own, (0.25, 0.75)) for name, own in values.items()}
    middle = {name: f"middle half {low:.2f} to {high:.2f}" for name, (low, high) in half.items()}
    said = "; ".join(f"{name}: mean {own.mean():.2f}, {middle[name]}" for name, own in values.items())
    left = len(found.rows) - len(names)
    more = f"; {left} more annotators are in the table" if left else ""
    title = "How each annotator uses the scale from 0 to 1; the line is the mean"
    return _panels(f"{title}{_flag_note(flagged, names)}{more}", said, draw)


def courses(found: Annotators, answers: Answers) -> blocks.Figure | None:
    """How each annotator's scores move against the items' means; None without times or two stretches of scores."""
    rows = np.flatnonzero(own_scores(answers) & (answers.annotator >= 0))
    if not in_known_order(answers, rows):
        return None
    # What others say of the same items takes away that later items may be better.
    item, value = answers.item[rows], answers.value[rows]
    off = value - (np.bincount(item, value) / np.maximum(np.bincount(item), 1))[item]
    when = np.where(np.isnan(answers.submitted[rows]), np.inf, answers.submitted[rows])
    order = np.lexsort((answers.slot[rows], answers.hit[rows], answers.batch[rows], when))
    lines: dict[str, tuple[FloatArray, FloatArray]] = {}
    for name in shown_annotators(found):
        mine = off[order][answers.annotator[rows][order] == answers.names.index(name)]
        pieces = min(len(mine) // STRETCH, 20)
        if pieces >= 2:
            parts = np.array_split(mine, pieces)
            ends = np.cumsum([len(p) for p in parts]) - np.array([len(p) / 2 for p in parts])
            lines[name] = (ends, np.array([p.mean() for p in parts]))
    if not lines:
        return None
    names, flagged = list(lines), {row.name for row in found.rows if "drift" in row.flags}
    most = max(0.2, max(float(np.abs(y).max()) for _, y in lines.values()) * 1.1)

    def draw(figure: Any) -> None:
        for axes, name in _grid(figure, names):
            axes.axhline(0.0, color=blocks.FAINT, linewidth=1.0)
            colour = blocks.BAD if name in flagged else blocks.GOOD
            axes.plot(*lines[name], color=colour, marker=".", linewidth=1.2)
            axes.set_ylim(-most, most)

    said = "; ".join(f"{name}: from {y[0]:+.2f} to {y[-1]:+.2f}" for name, (_, y) in lines.items())
    title = "Each annotator's scores minus the items' mean scores, in the order they were given"
    return _panels(f"{title}{_flag_note(flagged, names)}", said, draw)


def _flag_note(flagged: set[str], names: Sequence[str]) -> str:
    among = [name for name in names if name in flagged]
    return f"; flagged: {', '.join(among)}" if among else ""


def _panels(title: str, said: str, draw: Callable[[Any], None]) -> blocks.Figure:
    return blocks.Figure(title, said, (blocks.WIDE, 1.5), draw, panels=True)


def _grid(figure: Any, names: Sequence[str]) -> list[tuple[Any, str]]:
    """Axes with a name over each, in rows of four where there is room."""
    grid = blocks.panels(figure, len(names), 1.5, PANELS_A_ROW, sharex=True)
    for axes, name in zip(grid, names):
        axes.set_title(short(name))
        axes.tick_params(labelbottom=True)
    return list(zip(grid, names))


def systems_figure(found: Systems) -> blocks.Figure:
    """The systems' means with their intervals, best first."""
    m, s = found.model, found.plain
    if m is None:
        names, mean, low, high = s.systems, s.score, s.low, s.high
    else:
        k = found.order
        names, mean, low, high = tuple(m.systems[i] for i in k), m.mean[k], m.low[k], m.high[k]

    def draw(axes: Any) -> None:
        place = np.arange(len(names))[::-1]
        axes.hlines(place, low, high, color=blocks.GOOD, linewidth=2.0)
        axes.plot(mean, place, linestyle="none", marker="o", markersize=5, color=blocks.INK)
        axes.set_yticks(place, [short(name) for name in names])
        axes.set_xlabel("mean score")
        axes.grid(axis="x")

    said = "; ".join(f"{n}: {m:.3f}, {l:.3f} to {h:.3f}" for n, m, l, h in zip(names, mean, low, high))
    title = f"Systems, best first, with {found.level:.0%} intervals"
    return blocks.Figure(title, said, (7.0, 0.8 + 0.32 * len(names)), draw)


def scores_figure(status: Status, order: Sequence[int], low: FloatArray, high: FloatArray) -> blocks.Figure:
    """A histogram of the scores beside all items in order with their intervals."""
    # An item that nobody has judged stands at the middle of the scale, which is no score.
    judged = status.scored[status.state.n[status.scored] > 0]
    counts, edges = histogram(status.state.score[judged])

    def draw(figure: Any) -> None:
        left, right = blocks.panels(figure, 2, 3.4, least=3.0)
        how = {"color": blocks.GOOD, "edgecolor": blocks.INK, "linewidth": 0.6}
        left.bar(edges[:-1], counts, np.diff(edges), align="edge", **how)
        left.set_xlabel("score")
        left.set_ylabel("items")
        place = np.arange(len(order))
        right.vlines(place, low, high, color=blocks.GOOD, linewidth=0.8)
        score = status.state.score[np.array(order, np.int64)]
        right.plot(place, score, linestyle="none", marker=".", markersize=3, color=blocks.INK)
        right.set_xlabel("items, highest score first")
        right.set_ylabel("score and interval")

    most = max(int(counts.max()), 1)
    bins = list(zip(counts.tolist(), edges[:-1], edges[1:]))
    bar = ("#" * round(WIDTH * c / most) + (" " if c else "") for c, *_ in bins)
    bars = (f"{low:5.2f} to {high:5.2f}  {long}{c}" for long, (c, low, high) in zip(bar, bins))
    said = "; ".join(f"{c} items from {low:.2f} to {high:.2f}" for c, low, high in bins)
    caption, instead = "Scores: histogram, and every item with its interval", blocks.Code("\n".join(bars))
    return blocks.Figure(caption, said, (9.0, 3.4), draw, True, "Scores", (blocks.Heading("Scores"), instead))


#: Items in disagreement, and differences of systems, that are shown.
DISPUTED, DIFFERENCES = 10, 45
#: Single scores of an item that are shown.
SCORES = 6
#: Longest name in the table of annotators, and beside a single score, in characters; the JSON has all of it.
NAME, SHORT = 40, 16


def number(value: float | None, digits: int = 2) -> str:
    """A number for a table; "-" where there is none."""
    return "-" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def capital(text: str) -> str:
    """A sentence's beginning with a capital."""
    return text[:1].upper() + text[1:]


def cut(name: str, most: int) -> str:
    """A name of at most so many characters."""
    return name if len(name) <= most else name[: most - 1] + "…"


def signed(value: float) -> str:
    """A difference for a table; "-" where there is none."""
    return f"{value:+.2f}" if math.isfinite(value) else "-"


def cost_lines(c: Cost) -> list[str]:
    """Time and money, in sentences."""
    if not c.timed:
        return ["Time: the results have no WorkTimeInSeconds, so hours and cost are unknown"]
    said = f"Time: {c.seconds:.0f} s per HIT (median of {c.timed}), {c.hours:.1f} hours for {c.returned} returned HITs"
    if c.pay_hour is None:
        return [f"{said}; set --pay-hour in 'easl init' to get the cost"]
    said += f": cost {c.cost(c.returned):.2f} at {c.pay_hour:g} per hour"
    if c.open:
        said += f"; the {c.open} pending judgments cost {c.cost(c.open):.2f}"
    if math.isfinite(c.further) and c.further > 0:
        rule = f"{math.ceil(c.further)} HITs that the stopping rule expects"
        said += f"; the {rule} cost {c.cost(c.further):.2f}"
    return [said]


def cost_table(c: Cost) -> blocks.Table | None:
    """HITs, hours and cost so far, still out, and by the stopping rule; None without times."""
    if not c.timed:
        return None
    parts = [("returned", float(c.returned)), ("pending", float(c.open))]
    if math.isfinite(c.further):
        parts.append(("further HITs, by the stopping rule", c.further))
    paid = c.pay_hour is not None
    header = ("HITs", "number", "hours", *(("cost",) if paid else ()))
    hours = ((what, n, f"{c.seconds * n / 3600:.1f}") for what, n in parts)
    rows = ((what, str(math.ceil(n)), h, *((number(c.cost(n)),) if paid else ())) for what, n, h in hours)
    return blocks.Table(header, tuple(rows))


def look_lines(status: Status) -> list[str]:
    """The last look at a stopping rule, in sentences."""
    if not status.looks:
        return []
    look = status.looks[-1]
    a = look.answer
    verdict = {"stop": "may stop", "go on": "go on", "too early": "too early"}.get(str(a.get("verdict")), "?")
    said = (
        f"Stopping rule '{a.get('rule', look.rule)}': {verdict}, at {look.judgments} judgments ({look.at}):"
        f" {a.get('why', '')}"
    )
    newer = status.judgments - look.judgments
    if newer:
        more = f"{abs(newer)} judgments {'more' if newer > 0 else 'fewer'}"
        said += f"; {more} count now; run 'easl stop' for another look"
    rules = {e.rule for e in status.looks}
    if len(rules) > 1:
        said += f"; {len(rules)} different rules have been checked, and no rule's guarantee covers that"
    return [said]


def annotator_lines(found: Annotators) -> list[str]:
    """Who is flagged and why, in sentences."""
    if not found.rows:
        return ["Annotators: no named annotator has a score that counts"]
    out = [
        f"Flagged: {row.name}: " + "; ".join(f"{flag} ({why})" for flag, why in row.flags.items())
        for row in found.flagged
    ]
    without = " (drift was not tested: --annotators)" if found.drift == NOT_FITTED else ""
    return out or [f"Annotators: none of {len(found.rows)} is flagged{without}"]


def annotators(found: Annotators, status: Status) -> Iterator[blocks.Block]:
    """The annotators' table with their flags, and the pictures of their scales and courses."""
    yield blocks.Heading("Annotators")
    why = annotator_lines(found)
    # The table names the flags of each; of many annotators the reasons are opened.
    folded = len(found.flagged) > MOST_REASONS
    told = [f"{len(found.flagged)} of {len(found.rows)} annotators are flagged"] if folded else why[:]
    if found.flagged:
        told.append("A flag does not exclude an annotator: exclusion rules are set before the data are seen")
    if found.unnamed:
        told.append(f"{found.unnamed} scores have no annotator's name")
    if found.idle:
        listed = ", ".join(found.idle[:8]) + (", ..." if len(found.idle) > 8 else "")
        told.append(f"No score that counts: {listed}")
    yield blocks.Bullets(tuple(told))
    if not found.rows:
        return
    yield _table(found)
    if folded:
        yield blocks.Folded("Why each annotator is flagged", (blocks.Bullets(tuple(why)),), kept=True)
    notes = [capital(found.model)]
    if found.drift:
        notes.append(capital(found.drift))
    yield blocks.Paragraph(
        "Rest: rank correlation with the mean of the others. Location: distance above the others, on"
        " a scale of length 1; noise: sd around the items' scores. Within: sd of repeated scores of one item"
        " (number of repeats). Degraded: score of the original minus that of the degraded copy (pairs). Drift:"
        " change from first to last (smallest detectable change). One value: share of the most frequent score. "
        + ". ".join(notes)
        + ".",
        aside=True,
    )
    if status.answers is not None:
        yield scale_use(found, status.answers)
        course = courses(found, status.answers)
        if course is not None:
            yield course


_COLUMNS = (
    "annotator",
    blocks.Column("flags", "left"),
    *("HITs", "scores", "mean", "sd", "rest", "location", "noise", "slope", "within", "degraded"),
    *("gold error", "attention", "drift", "s per HIT", "cannot judge"),
    blocks.Column("one value", detail=True),
)


def _table(found: Annotators) -> blocks.Table:
    """A row an annotator; columns in which nobody has anything are left out."""
    rows = [_row(row) for row in found.rows]
    shown = [k for k in range(len(_COLUMNS)) if any(row[k] not in ("-", "") for row in rows)]
    header = tuple(_COLUMNS[k] for k in shown)
    return blocks.Table(header, tuple(tuple(row[k] for k in shown) for row in rows))


def _row(row: Watched) -> tuple[str, ...]:
    q = row.quality
    flags = f"! {', '.join(row.flags)}" if row.flags else ""
    name = cut(row.name, NAME) + (" (excluded)" if row.state == "excluded" else "")
    return (
        *(name, flags, str(row.judgments), str(q.n), number(q.mean), number(q.sd), number(q.rest)),
        *(signed(row.location), number(row.noise), number(row.slope)),
        f"{number(row.within.sd)} ({row.within.n})" if row.within.n else "-",
        f"{signed(q.degraded.mean_drop)} ({q.degraded.n})" if q.degraded.n else "-",
        f"{number(row.gold.error)} ({row.gold.n})" if row.gold.n else "-",
        f"{row.attention - row.failed} of {row.attention}" if row.attention else "-",
        f"{signed(row.change)} (±{row.detectable:.2f})" if math.isfinite(row.change) else "-",
        *(number(q.seconds, 0), f"{row.cannot_judge:.1%}", f"{q.favourite:.0%}"),
    )


def disagreement(found: Disputed) -> Iterator[blocks.Block]:
    """The items that annotators disagree on most."""
    yield blocks.Heading("Items that annotators disagree on")
    if found.why:
        yield blocks.Paragraph(found.why)
        return
    n, listed = found.significant, "The most disputed"
    told = f"None of the {found.n} items with several scores differs"
    if n:
        told, listed = f"{n} of {found.n} items with several scores differ", "The first of them"
    yield blocks.Paragraph(
        f"{told} by more than the annotators' locations and noise"
        f" explain (chi-square, p < .05 after Holm's correction). {listed}:"
    )
    rows = []
    for r in found.rows[:DISPUTED]:
        given = [f"{value:.2f} {cut(who, SHORT)}".rstrip() for who, value in r.scores]
        if len(given) > SCORES:
            given = [*given[: SCORES // 2], "...", *given[-(SCORES // 2) :]]
        numbers = (number(r.spread), number(r.expected), f"{r.p:.2g}", f"{r.p_holm:.2g}")
        rows.append((r.id, str(r.n), *numbers, ", ".join(given)))
    last = blocks.Column("lowest to highest", "left", detail=True)
    header = ("item", "scores", "sd", "sd from noise", "p", "p (Holm)", last)
    yield blocks.Table(header, tuple(rows))


def systems(found: Systems) -> Iterator[blocks.Block]:
    """The systems' means with intervals and differences, or plain means with why."""
    yield blocks.Heading("Systems")
    if found.left_out:
        yield blocks.Paragraph(f"{found.left_out} scores of items without a system are left out.")
    if found.standardise != "none":
        how = "z-scores over all of an annotator's scores"
        yield blocks.Paragraph(f"Scores are standardised by annotator ({how}).")
    m = found.model
    if m is None:
        yield blocks.Paragraph(
            f"{capital(found.why)}. Plain means of segments are shown instead; their intervals"
            " treat segments as independent and annotators as equal."
        )
    yield systems_figure(found)
    if m is not None:
        columns = {name: vars(m)[name] for name in ("mean", "se", "low", "high")}
        means = ((m.systems[k], *(number(float(v[k]), 4) for v in columns.values())) for k in found.order)
        yield blocks.Table(("system", *columns), tuple(means))
        yield blocks.Paragraph(
            f"Means by a mixed model: paired by {m.n_sources} sources, {m.n_annotators} annotators who may"
            f" prefer different systems; Student's t with {m.df:g} degrees of freedom, {found.level:.0%} intervals."
            + "".join(f" {capital(c)}." for c in m.cautions),
            aside=True,
        )
        yield _differences(found)
    s = found.plain
    titles = (blocks.Column("cluster"), blocks.Column("system", "left"), "score", "low", "high", "segments")
    numbers = (column.tolist() for column in (s.score, s.low, s.high, s.n))
    table = zip(s.cluster.tolist(), s.systems, *numbers)
    plain = blocks.Table(
        titles,
        tuple((str(c), name, *(number(v, 4) for v in row), str(n)) for c, name, *row, n in table),
        "Plain means of segments, as WMT ranks systems: every system in a cluster differs from every system in a lower"
        " one (rank-sum p < .05, not corrected)",
    )
    yield plain if m is None else blocks.Folded(
        "Plain means of segments and their clusters", (plain,), kept=True
    )


def _differences(found: Systems) -> blocks.Table:
    rows: list[tuple[str | blocks.Cell, ...]] = []
    for d in found.differences[:DIFFERENCES]:
        told = blocks.Cell(f"{d.adjusted:.2g}", "*" if d.adjusted < 0.05 else "", "")
        numbers = (number(v, 4) for v in (d.estimate, d.low, d.high))
        rows.append((f"{d.first} - {d.second}", *numbers, f"{d.p:.2g}", told))
    header = ("difference", "estimate", "low", "high", "p", "p, all")
    left = len(found.differences) - len(rows)
    more = f"; {left} smaller ones are in the JSON output" if left else ""
    return blocks.Table(header, tuple(rows), f"Differences; p, all: {found.adjust}; * below .05{more}")


def model(found: ItemScores, most: int | None) -> Iterator[blocks.Block]:
    """Scores with and without the annotator model, side by side."""
    yield blocks.Heading(f"Scores from the annotator model ({found.model}) and the campaign's own")
    yield blocks.Paragraph(capital(found.why) + ".")
    f = found.fit
    if f is not None:
        slopes = np.isfinite(f.slope).any()
        rows = [
            (name, f"{f.location[k]:+.4f}", number(float(f.noise[k]), 4), number(float(f.slope[k]), 3))
            for k, name in enumerate(f.annotators)
        ]
        shown = 4 if slopes else 3
        header = ("annotator", "location", "noise sd", "slope")[:shown]
        yield blocks.Table(header, tuple(row[:shown] for row in rows))
    order = np.lexsort((np.arange(len(found.items)), -np.nan_to_num(found.score, nan=-np.inf))).tolist()
    columns = (found.raw, found.low, found.high, found.score, found.score_low, found.score_high)
    table: list[tuple[str, ...]] = [
        (found.items[k], str(found.n[k]), *(number(float(c[k]), 4) for c in columns)) for k in order
    ]
    if most is not None and len(table) > most:
        left = len(table) - 2 * (most // 2)
        table[most // 2 : -(most // 2)] = [(f"... {left} more (--all-items)", *[""] * 7)]
    titles = ("scores", "own", "low", "high", found.model, "low", "high")
    yield blocks.Table(("id", *titles), tuple(table))
