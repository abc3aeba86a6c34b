"""The agreement table for a terminal; it wraps, and never cuts a number, however narrow the terminal."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence

from ..verdicts.agreement import Agreement
from . import numbers
from .context import DigitsRow, ReportContext, counts_sentence, digits_rows, opening
from .grouping import Group, groups

#: Below this many columns a table of six columns is no table; rows are then written one above the other.
NARROW = 76
_STYLES = {"good": "green", "note": "cyan", "bad": "bold red", "off": "yellow"}


def render_text(
    agreements: Sequence[Agreement],
    context: ReportContext | None = None,
    *,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Agreements as text.

    Parameters
    ----------
    agreements : sequence of Agreement
    context : ReportContext, optional
    width : int, optional
        Columns; default those of the terminal, 100 where there is none.
    color : bool
        With ANSI colours; a sign stands beside every verdict in any case.
    """
    import shutil

    from rich.console import Console

    columns = width or shutil.get_terminal_size((100, 24)).columns
    about = context or ReportContext()
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=columns,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        legacy_windows=False,
    )
    console.print(numbers.clean(about.title), style="bold", markup=False)
    for line in opening(agreements, about):
        console.print(numbers.clean(line), markup=False)
    for group in groups(agreements, about):
        if group.listed:
            _group(console, group, columns)
    _digits(console, digits_rows(agreements), columns)
    console.print()
    console.print(counts_sentence(agreements), style="bold", markup=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _group(console: object, group: Group, columns: int) -> None:
    from rich.console import Console
    from rich.text import Text

    assert isinstance(console, Console)
    console.print()
    console.print(
        Text.assemble(
            (numbers.clean(group.title), "bold"), numbers.clean(f"  {group.where}") if group.where else ""
        )
    )
    statements = [a for a in group.listed if a.about == "statement"]
    table = [a for a in group.listed if a.about != "statement"]
    if table and columns >= NARROW:
        console.print(_table(table))
    else:
        for a in table:
            _stacked(console, a)
    for a in statements:
        _statement(console, a, columns)
    for a in table:
        if a.explanation:
            _wrapped(console, f"  {numbers.SIGNS[a.verdict]} {a.quantity}: {a.explanation}", columns)
    if group.beyond:
        n = len(group.beyond)
        held = (
            "of numbers that only native and R have, all agree"
            if any(a.r is not None for a in group.beyond)
            else ("with 50-digit values, all agree")
        )
        _wrapped(console, f"  and {n} more comparison{'s' if n > 1 else ''} {held}", columns)
    if group.arithmetic:
        _wrapped(console, f"  {group.fit_each_other}", columns)


def _table(rows: Sequence[Agreement]) -> object:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("quantity", overflow="fold")
    for name in ("printed", "native", "R", "digits"):
        table.add_column(name, justify="right", no_wrap=True)  # names and verdicts wrap, a number never does
    table.add_column("verdict", overflow="fold")
    for a in rows:
        table.add_row(
            *(
                Text(numbers.clean(cell))
                for cell in (
                    a.quantity,
                    a.printed or "",
                    numbers.shown(a.native, a.quantity),
                    numbers.shown(a.r, a.quantity),
                    numbers.digits(a.digits),
                )
            ),
            Text(f"{numbers.SIGNS[a.verdict]} {numbers.verdict(a)}", style=_STYLES[numbers.tone(a)]),
        )
    return table


def _stacked(console: object, a: Agreement) -> None:
    from rich.console import Console
    from rich.text import Text

    assert isinstance(console, Console)
    console.print(
        Text(
            f"  {numbers.SIGNS[a.verdict]} {a.quantity}: {numbers.verdict(a)}", style=_STYLES[numbers.tone(a)]
        )
    )
    for name, value in (
        ("printed", a.printed),
        ("native", numbers.shown(a.native, a.quantity)),
        ("R", numbers.shown(a.r, a.quantity)),
        ("digits", numbers.digits(a.digits)),
    ):
        if value not in (None, "-"):
            console.print(Text(f"      {name} {value}"))


def _statement(console: object, a: Agreement, columns: int) -> None:
    from rich.console import Console
    from rich.text import Text

    assert isinstance(console, Console)
    _wrapped(console, f"  \u201c{a.printed}\u201d", columns)
    console.print(Text(f"  {numbers.SIGNS[a.verdict]} {numbers.verdict(a)}", style=_STYLES[numbers.tone(a)]))
    if a.explanation:
        _wrapped(console, f"    {a.explanation}", columns)


def _digits(console: object, rows: Sequence[DigitsRow], columns: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    assert isinstance(console, Console)
    if not rows:
        return
    console.print()
    console.print("Fewest digits of agreement of native with", style="bold")
    if columns < NARROW:
        for r in rows:
            _wrapped(
                console,
                (
                    f"  {r.source} ({r.r_source}), {r.kind}: {numbers.digits(r.least)} of {r.n} numbers,"
                    f" floor {r.floor:g}{'' if r.enough else ', TOO FEW'}"
                ),
                columns,
            )
        return
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name, justify in (
        ("source", "left"),
        ("quantity", "left"),
        ("numbers", "right"),
        ("digits", "right"),
        ("floor", "right"),
        ("fewest at", "left"),
    ):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]  # rich's Literal, given by name
    for r in rows:
        label = r.source if r.r_source == "certified" else f"{r.source} ({r.r_source})"
        table.add_row(
            *(Text(c) for c in (label, r.kind, str(r.n), numbers.digits(r.least), f"{r.floor:g}")),
            Text(r.least_at if r.enough else f"{r.least_at}  TOO FEW", style="" if r.enough else "bold red"),
        )
    console.print(table)


def _wrapped(console: object, text: str, columns: int) -> None:
    from rich.console import Console
    from rich.text import Text

    assert isinstance(console, Console)
    indent = len(text) - len(text.lstrip())
    console.print(
        Text(textwrap.fill(numbers.clean(text), max(columns, 20), subsequent_indent=" " * (indent + 2)))
    )
