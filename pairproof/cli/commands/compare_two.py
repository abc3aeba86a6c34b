"""`pairproof compare-two`: two systems sentence by sentence, every judge and all together (Vilar, Leusch and
Ney 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...text import label
from ..options.reading import names, reader_options
from ..options.sections import SectionedCommand, option
from ..state import READ, State, json_text, shared_options

if TYPE_CHECKING:
    from ...native.ranking.two_systems import BinaryResult, TwoSystems

_what = option("Comparison")
HELP = """Compare every two systems of FILE (counts or long layout; - for standard input), by judge and merged.

R = (wins - losses) / sentences; its standard error as the paper has it (vilar) and as the standard error of a mean (mean);
significance two-sided at 5 %; exact sign test; the judges' majority vote beside the sum of their sentences.

\b
pairproof compare-two counts.csv
pairproof compare-two judgments.csv --pair A,B --json
"""
HEADINGS = (
    "first",
    "second",
    "judge",
    "wins",
    "ties",
    "losses",
    "R",
    "se vilar",
    "se mean",
    "z",
    "significant",
    "p sign",
)

#: Pairs without an order that are named; the rest are counted.
MOST_PAIRS = 10


def two_names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, str] | None:
    """The value of --pair."""
    if value is None:
        return None
    found = names(value)
    if len(found) != 2:
        raise click.BadParameter(f"{value!r} names {len(found)} systems; expected two, for example A,B")
    return found[0], found[1]


@click.command("compare-two", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", type=READ)
@_what(
    "--pair",
    metavar="A,B",
    callback=two_names,
    help="Only these two, from A's side (default: every pair compared).",
)
@reader_options
@shared_options
def command(state: State, file: str, pair: tuple[str, str] | None, reading: dict[str, Any]) -> int:
    if any(path.suffix.lower() == ".xml" for path in state.reports):
        raise click.UsageError(
            "a JUnit report (.xml) lists verdicts, and a comparison has none; use .html, .md or .json."
        )
    import pairproof

    from ...native.ranking.two_systems import compare_all_pairs

    table = pairproof.read(file, **reading)
    found = compare_all_pairs(table) if pair is None else (pairproof.compare_two(table, *pair),)
    document = [row for two in found for row in two.to_dicts()]
    for path in state.reports:
        _write(state, path, table.source, found, document)
        state.say(f"report: {path}")
    state.show(_text(found) if not state.json else "", document)
    return 0


def _rows(found: tuple[TwoSystems, ...]) -> list[tuple[str, ...]]:
    return [
        _row(result, "all" if result is two.merged else str(result.judge))
        for two in found
        for result in (*two.by_judge, two.merged)
    ]


def _row(r: BinaryResult, judge: str) -> tuple[str, ...]:
    from ...fit.tails import p_words

    significant = "-" if r.significant is None else "yes" if r.significant else "no"
    return (
        r.first,
        r.second,
        judge,
        str(r.wins),
        str(r.ties),
        str(r.losses),
        f"{r.R:.4f}",
        _number(r.se_vilar, ".6f"),
        _number(r.se_mean, ".6f"),
        _number(r.z, ".3f"),
        significant,
        p_words(r.p_sign, r.log10_p_sign, 3),
    )


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _sentences(found: tuple[TwoSystems, ...]) -> list[str]:
    """What the numbers say: votes, who disagrees, reversals, and the order that follows or why none does."""
    lines = []
    for two in found:
        m, votes = two.merged, two.votes
        if votes is not None:
            against = f"; against the sum: {', '.join(two.against)}" if two.against else ""
            even = f", {votes.ties} even" if votes.ties else ""
            lines.append(
                f"{m.first} and {m.second}: {votes.wins}-{votes.losses} by votes of the judges{even}{against}"
            )
        if m.z is None:
            lines.append(
                f"{m.first} and {m.second}: no z, since "
                + (
                    "one sentence has no standard error"
                    if m.m == 1
                    else "all judgments agree and the standard error is 0"
                )
            )
    lines += [f"REVERSED: {two.reversal}" for two in found if two.reversal]
    if len(found) > 1:
        lines.append(_order(found, "sum of sentences", votes=False))
        if found[0].votes is not None:
            lines.append(_order(found, "majority vote", votes=True))
    return lines


def _order(found: tuple[TwoSystems, ...], words: str, votes: bool) -> str:
    """The ranking, or why there is none."""
    from ...native.ranking.pairwise_order import settled_ranking, shortest_cycle, unsettled_pairs

    order = settled_ranking(found, votes)
    if order is not None:
        return f"Best first, by {words}: {' '.join(order)}"
    circle = shortest_cycle(found, votes)
    if circle:
        return (
            f"NO RANKING by {words}: the pairs form a circle, {' > '.join((*circle, circle[0]))} (> is"
            " better)"
        )
    unsettled = unsettled_pairs(found, votes)
    pairs = ", ".join(
        f"{a} and {b} ({'even' if compared else 'never compared'})"
        for a, b, compared in unsettled[:MOST_PAIRS]
    )
    more = f" and {len(unsettled) - MOST_PAIRS} more" if len(unsettled) > MOST_PAIRS else ""
    return f"NO RANKING by {words}: nothing puts in order {pairs}{more}"


def _text(found: tuple[TwoSystems, ...]) -> str:
    rows = [HEADINGS, *(tuple(map(label, row)) for row in _rows(found))]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEADINGS))]
    lines = [
        "  ".join(
            cell.ljust(w) if k < 3 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, "", *map(label, _sentences(found))]).rstrip()


def _write(
    state: State, path: Path, source: str, found: tuple[TwoSystems, ...], document: list[dict[str, Any]]
) -> None:
    suffix = path.suffix.lower()
    if suffix == ".json":
        content = json_text(document) + "\n"
    elif suffix == ".html":
        content = page("Systems compared two by two", source, HEADINGS, _rows(found), _sentences(found))
    else:
        content = "\n".join(
            [
                "# Systems compared two by two",
                "",
                f"Data: {escaped(source)}",
                "",
                "| " + " | ".join(HEADINGS) + " |",
                "|" + " --- |" * len(HEADINGS),
                *("| " + " | ".join(map(escaped, row)) + " |" for row in _rows(found)),
                "",
                *(f"- {escaped(line)}" for line in _sentences(found)),
                "",
            ]
        )
    state.write(path, content)


def escaped(cell: str) -> str:
    """A name as it is in Markdown."""
    return "".join(f"\\{c}" if c in r"\|`*_[]<>" else c for c in cell)


def page(
    title: str,
    source: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    sentences: Sequence[str],
    more: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = (),
) -> str:
    """One self-contained HTML page: sentences, then a table, then more tables (title, headings, rows); every
    text is escaped.
    """
    from importlib.resources import files

    from jinja2 import Environment, StrictUndefined

    import pairproof

    template = files("pairproof.cli.reports").joinpath("compare_two.html.j2").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    rendered: str = environment.from_string(template).render(
        title=title,
        source=source,
        headings=headings,
        rows=rows,
        sentences=sentences,
        more=more,
        version=pairproof.__version__,
    )
    return rendered
