"""The report of a campaign's status, for a page or a terminal: what a project lead reads in two minutes first,
tables and pictures after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

import numpy as np

from ...report.blocks import Block, Bullets, Column, Heading, Page, Paragraph, Table
from ...text import plural
from ..storage.rules import rules_hash
from . import sections
from .scores import Intervals, Kind
from .status import Status

#: Looks at stopping rules that a page lists.
LOOKS = 10
#: Most items shown in a terminal's table unless all are asked for, half of them the best and half the worst.
ITEMS = 50


def page(
    status: Status, level: float, most: int | None = None, kind: Kind = "calibrated", people: bool = True
) -> Page:
    """The report of a campaign's status; `most`: best and worst items in all that are listed."""
    return Page("Annotation campaign", list(_blocks(status, level, most, kind, people)))


def _blocks(status: Status, level: float, most: int | None, kind: Kind, people: bool) -> Iterator[Block]:
    section = status.annotators if people else None
    if most is not None:
        yield Bullets(tuple(lines(status, flags=section is None)))
    else:
        yield from _summary(status)
    if section is not None:
        yield from sections.annotators(section, status)
    if status.disputed is not None:
        yield from sections.disagreement(status.disputed)
    if status.systems is not None:
        yield from sections.systems(status.systems)
    if status.model is not None:
        yield from sections.model(status.model, most)
    order = _order(status)
    # Only what is shown is computed: a terminal shows fifty items of 100,000.
    half = len(order) if most is None or len(order) <= most else most // 2
    shown = [*order[:half], *order[max(len(order) - half, half) :]]
    own = status.intervals(level, kind, np.array(shown, np.int64))
    yield sections.scores_figure(status, shown, own.low, own.high)
    yield Heading(f"Items: score, {level:.0%} interval, number of scores")
    yield Paragraph(sections.capital(own.sentence) + ".")
    yield _items(status, shown, own, len(order))


def _summary(status: Status) -> Iterator[Block]:
    """Progress, cost and stopping under headings; first what matters most, in three sentences."""
    p, looks = status.progress, sections.look_lines(status)
    lead = [f"{p.answered} of {p.hits} HITs are answered, {p.counted} judgments count"]
    if status.annotators is not None and status.annotators.rows:
        flagged = [row.name for row in status.annotators.flagged]
        total, more = len(status.annotators.rows), ", ..." if flagged[8:] else ""
        told = f"Look at {len(flagged)} of {total} annotators: {', '.join(flagged[:8])}{more}"
        lead.append(told if flagged else f"None of {total} annotators is flagged")
    lead.append(looks[0] if looks else "No stopping rule has been checked yet ('easl stop')")
    yield Bullets(tuple(lead), lead=True)
    yield Heading("Progress")
    yield Bullets(tuple(_progress_lines(status) + _agreement_lines(status)))
    yield Heading("Cost")
    yield Bullets(tuple(sections.cost_lines(status.cost)))
    table = sections.cost_table(status.cost)
    if table is not None:
        yield table
    if looks:
        yield Heading("Stopping")
        yield _looks(status)


def _looks(status: Status) -> Table:
    """The last looks at stopping rules, the latest first."""
    shown = status.looks[::-1][:LOOKS]
    told = [tuple(str(e.answer.get(name, "")) for name in ("verdict", "why")) for e in shown]
    looks = ((e.at[:16].replace("T", " "), str(e.judgments), e.rule) for e in shown)
    rows = tuple(look + answer for look, answer in zip(looks, told))
    left = len(status.looks) - len(rows)
    left_columns = (Column(title, "left") for title in ("rule", "answer", "why"))
    header: tuple[str | Column, ...] = ("look", "judgments", *left_columns)
    return Table(header, rows, f"Latest first; {left} earlier ones are not shown" if left else "")


def _items(status: Status, shown: Sequence[int], own: Intervals, total: int) -> Table:
    s = status.state
    # Without a judgment the state is where it started, which is no score.
    rows = []
    for k, *limits in zip(shown, own.low.tolist(), own.high.tolist()):
        numbers = (sections.number(v if s.n[k] else None, 4) for v in (float(s.score[k]), *limits))
        rows.append((status.ids[k], *numbers, str(s.n[k])))
    if len(shown) < total:
        half = len(shown) // 2
        rows[half:half] = [(f"... {total - len(shown)} more (--all-items)", "", "", "", "")]
    return Table(("id", "score", "low", "high", "n"), tuple(rows))


def lines(status: Status, flags: bool = True) -> list[str]:
    """Progress, cost, stopping, convergence and agreement in sentences."""
    found = [*_progress_lines(status), *_rule_lines(status)]
    found += [*sections.cost_lines(status.cost), *sections.look_lines(status)]
    if flags and status.annotators is not None and status.annotators.rows:
        found += sections.annotator_lines(status.annotators)
    return found + _agreement_lines(status)


def _progress_lines(status: Status) -> list[str]:
    a, p, c = status.about, status.progress, status.convergence
    older = ", imported" if a.imported else ""
    what = f"Campaign {a.id}: {len(status.scored)} items, method {a.method}, {a.per_hit} per HIT{older}"
    batches = f"{p.batches} batch{'' if p.batches == 1 else 'es'}"
    hits = f"{batches}, {p.answered} of {plural(p.hits, 'HIT')} answered"
    people = plural(p.annotators, "named annotator")
    judged = f"{plural(p.counted, 'judgment')} by {people}: {plural(p.scores, 'score')}"
    found = [what, f"{hits}; {judged}, {p.cannot_judge} 'cannot judge'", *_set_aside(status)]
    n = status.state.n[status.scored]
    span = f"Scores per item: {int(n.min())} to {int(n.max())}, mean {n.mean():.2f}"
    each = f" ({p.wanted} annotators per HIT)" if p.wanted > 1 else ""
    still = f"; {p.open} judgments are still pending{each}" if p.open else ""
    found.append(f"{span}; {int((n == 0).sum())} items without scores{still}")
    if p.checks:
        listed = ", ".join(f"{n} of kind {kind}" for kind, n in p.checks.items())
        found.append(f"In addition to the items' scores: {listed}")
    if c.last is None:
        found.append("Convergence: no batch has been judged yet")
    elif np.isnan(c.stability):
        found.append(f"Convergence: nothing to compare yet (batch {c.last} is the first judged)")
    else:
        found.append(
            f"Convergence: batch {c.last} changed scores by {c.shift:.4f} on average; Spearman's"
            f" rho with the previous scores is {c.stability:.4f}"
        )
    if a.method == "trueskill":
        found.append("Scores of trueskill are unbounded; items start at 0.5 with standard deviation 0.289")
    return found


def _rule_lines(status: Status) -> list[str]:
    """How many rules were fixed, and how many of them too late to be fixed before the data."""
    if not status.rules:
        return []
    late = sum(r.after_judgments > 0 for r in status.rules)
    n = len(status.rules)
    said = f"{n} rule{'' if n == 1 else 's'} fixed ('easl rules'; hash {rules_hash(status.rules)})"
    return [said + (f", {late} of them after the first judgments" if late else "")]


def _set_aside(status: Status) -> list[str]:
    p, found = status.progress, []
    if p.set_aside:
        total = sum(p.set_aside.values())
        listed = ", ".join(f"{n} {_WHY.get(why, why)}" for why, n in p.set_aside.items())
        s = "" if total == 1 else "s"
        found.append(f"{total} further judgment{s} set aside and not counted: {listed}")
    if p.both_counted:
        found.append(
            f"{p.both_counted} repeats count in addition to the same annotator's first answer ('easl repeats --on-repeat"
            " first' sets them aside)"
        )
    if p.retracted:
        s = "" if p.retracted == 1 else "s"
        found.append(f"{p.retracted} judgment{s} retracted and not counted ('easl retract --list')")
    return found


#: Why judgments do not count, in words.
_WHY = {
    "repeat": "repeated (the same annotator, the same HIT)",
    "practice": "of practice or qualification",
    "excluded": "of excluded annotators",
    "rejected": "rejected",
}


def _agreement_lines(status: Status) -> list[str]:
    g = status.agreement
    if g is None:
        return []
    mean = f"{g.pairwise:.4f}, mean of {g.n_pairs} pairs"
    pairwise = mean if g.n_pairs else "not available: no two annotators share 3 items"
    alpha = "none" if np.isnan(g.alpha) else f"{g.alpha:.4f}"
    found = [f"Agreement of annotators: Spearman's rho {pairwise}; Krippendorff's alpha (interval) {alpha}"]
    known = [(r, name) for r, name in zip(g.rest.tolist(), status.names) if not np.isnan(r)]
    if known:
        least, name = min(known, key=itemgetter(0))
        most = max(r for r, _ in known)
        found.append(f"With all others: {least:.4f} ({name}) to {most:.4f}, {len(known)} annotators")
    return found


def _order(status: Status) -> list[int]:
    """Items from the highest score to the lowest, equal ones as in the items file; those without a score last."""
    score, n = status.state.score[status.scored], status.state.n[status.scored]
    place = np.argsort(np.where(np.isnan(score) | (n == 0), np.inf, -score), kind="stable")
    return list(status.scored[place].tolist())
