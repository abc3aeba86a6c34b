"""The tables of "BradleyTerry2 -> pairproof": the examples of the help pages as migrate has them, and beside them
those that it does not translate, and every number of the vignette, by both; and psychotools' examples of paired
comparisons.

The data sets are the packages' and stay there: pairproof's numbers of what migrate does not translate are kept in
`bradleyterry2_native.json`, from which the page is made on machines without R.  A test with R runs all of it again;
`python -m tools.pages.bradleyterry2_page` keeps what it gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from . import bradleyterry2_exact
from .bradleyterry2_cases import CASES
from .bradleyterry2_ours import Numbers, answer
from .bradleyterry2_r import Example, RNumbers, r_numbers
from .bradleyterry2_reasons import NO_COUNTERPART, NOTES, REASONS
from .bradleyterry2_vignette import VIGNETTE, printed
from .migrated import HALVES, NOTHING, Row, counted, in_r, listed, of_group, sections, table
from .psychotools import PSYCHOTOOLS
from .tables import block, example, keep, kept as read, markdown, sentence, shown

#: Digits against R taken to its fixed point, below which a row must have an explanation.
ENOUGH = 9.0

#: By what they are examples of.
EXAMPLES: Mapping[str, Sequence[Example]] = {
    "BradleyTerry2's help pages, not by migrate": CASES,
    "BradleyTerry2's vignette": list(VIGNETTE.values()),
    "psychotools' help pages, not by migrate": PSYCHOTOOLS,
}


def cases() -> dict[str, Example]:
    """All examples by name."""
    return {c.name: c for of in EXAMPLES.values() for c in of}


NATIVE = "bradleyterry2_native"


def computed() -> dict[str, Any]:
    """All numbers of pairproof's side, from live data."""
    found = {name: answer(c.ours) for name, c in cases().items()}
    return {name: of.get("numbers", of) for name, of in found.items()}


@lru_cache(maxsize=1)
def kept() -> Mapping[str, Numbers]:
    """The numbers that are kept; none of an example without an answer."""
    found = read(NATIVE)
    return {name: {} if "error" in of else {q: float(v) for q, v in of.items()} for name, of in found.items()}


def numbers(c: Example) -> RNumbers:
    """R's numbers; those of the vignette under the names of `bradleyterry2_printed.json`."""
    found = r_numbers(c)
    if not c.printed:
        return found
    names = [q for q, _ in printed()[c.printed]]
    default, tight = (dict(zip(names, of.values())) for of in (found.default, found.tight))
    return RNumbers(default, tight, found.warnings, found.error)


def rows_of(c: Example) -> list[Row]:
    """All rows of an example; a coefficient that is 0 but for rounding is measured by its standard error."""
    r, own = numbers(c), kept().get(c.name, {})
    return [
        Row.of(q, default, r.tight.get(q, default), own.get(q), r.default.get(f"standard error of {q}", 0.0))
        for q, default in r.default.items()
    ]


def _texts(c: Example) -> dict[str, str]:
    """The numbers of a section of the vignette as they are printed; none of another example."""
    return dict(printed()[c.printed]) if c.printed else {}


def prints_as(value: float, text: str) -> bool:
    """Whether a number prints as `text`; a half may have been rounded either way."""
    unit = Decimal(1).scaleb(int(Decimal(text).as_tuple().exponent))
    return abs(Decimal(value) - Decimal(text)) <= unit / 2 * Decimal("1.0001")


def misprints(c: Example) -> list[tuple[str, str, float]]:
    """Numbers of the vignette whose print is that of R as it stops, and not that of the model: name, print, ours.

    What is 0 but for rounding is none of them.
    """
    texts = _texts(c)
    found = []
    for row in rows_of(c):
        text = texts.get(row.quantity, "0")
        if row.own is None or not math.isfinite(row.own) or abs(row.own) < NOTHING or not texts:
            continue
        if not prints_as(row.own, text):
            found.append((row.quantity, text, row.own))
    return found


def section(c: Example) -> str:
    """An example: both calls, what to know, and the table."""
    exact = bradleyterry2_exact.kept().get(c.name, {})
    page = f"{c.page[0].upper()}{c.page[1:]}" if c.printed else c.page
    head = example(f"{page}: `{c.name}`", c.code, c.ours.code)
    said = sentence(c.note)
    warned = [w for w in numbers(c).warnings if HALVES not in w]
    if warned:
        said += "R warns: " + "; ".join(f"\u201c{w}\u201d" for w in warned) + ".\n\n"
    for reason in (*REASONS.get(c.name, ()), *NO_COUNTERPART.get(c.name, ())):
        said += f"{reason.why}\n\n"
    if wrong := misprints(c):
        listed = "; ".join(
            f"{q} {value:.{len(text.partition('.')[2])}f} for {text}" for q, text, value in wrong
        )
        said += (
            f"In {len(wrong)} of these numbers the last digits that are printed are those of R's stopping rule, and not of the"
            f" model, as R taken further has it: {listed}.\n\n"
        )
    return f"{head}\n{said}{table(rows_of(c), c.again, exact, printed=_texts(c))}"


def unexplained(c: Example) -> list[str]:
    """Quantities in fewer digits than ENOUGH, or without a number of ours, for which nothing is said."""
    apart, alone = (tuple(p for r in of.get(c.name, ()) for p in r.of) for of in (REASONS, NO_COUNTERPART))
    found = []
    for row in rows_of(c):
        if row.digits is None:
            ours_alone = row.own is not None and math.isnan(row.default or 0.0)
            if not ours_alone and not row.quantity.startswith(apart + alone):
                found.append(row.quantity)
        elif row.digits < ENOUGH and not row.quantity.startswith(apart):
            found.append(row.quantity)
    return found


def summary() -> str:
    """How many numbers there are, and in how many digits they agree."""
    lines = []
    for group, pages in (
        ("BradleyTerry2", "BradleyTerry2's help pages"),
        ("psychotools", "psychotools' help pages"),
    ):
        calls = of_group(group)
        rows = [(row, row.quantity in c.why) for c in calls for row in c.rows]
        lines.append(_line(f"{pages}, by migrate", len(calls), rows))
    # A test holds that each that differs has a reason.
    for label, which in EXAMPLES.items():
        rows = [(row, (row.digits or 0) < ENOUGH) for c in which for row in rows_of(c)]
        lines.append(_line(label, len(which), rows))
    heads = ("", "calls", "R's numbers", "compared", "differ, with a reason", "the others, digits at least")
    return "\n" + markdown((*heads, "with R as it stops"), lines) + "\n"


def _line(label: str, size: int, rows: Sequence[tuple[Row, bool]]) -> tuple[str, ...]:
    both = [(row, apart) for row, apart in rows if row.digits is not None]
    plain = [row for row, apart in both if not apart]
    least = min(row.digits for row in plain if row.digits is not None)
    default = min(row.digits_default for row in plain if row.digits_default is not None)
    counted = (size, len(rows), len(both), len(both) - len(plain))
    return (label, *map(str, counted), shown(least), shown(default))


def by_hand(of: str) -> Callable[[], str]:
    """What writes the examples of a group that are written by hand, with every number."""
    return lambda: block(section(c) for c in EXAMPLES[of])


def migrated(group: str) -> Callable[[], str]:
    """What writes the calls of a package that migrate translates, with every number."""
    return lambda: sections(of_group(group), bradleyterry2_exact.of_call, NOTES)


def _listed_by_hand(of: str) -> Callable[[], str]:
    """A line an example."""

    def lines() -> str:
        found = [(c.page, f"`{c.name}`", *counted(rows_of(c), _explained(c))) for c in EXAMPLES[of]]
        heads = ("help pages", "example", "numbers", "explained", "digits", "fewest at")
        return "\n" + markdown(heads, found, right=2) + "\n"

    return lines


def _explained(c: Example) -> set[str]:
    return {row.quantity for row in rows_of(c) if (row.digits or 0) < ENOUGH}


BLOCKS = {
    "bradleyterry2-summary": summary,
    "bradleyterry2-migrated": lambda: listed(of_group("BradleyTerry2")),
    "bradleyterry2-in-r": lambda: in_r("BradleyTerry2"),
    "bradleyterry2-examples": _listed_by_hand("BradleyTerry2's help pages, not by migrate"),
    "bradleyterry2-vignette": by_hand("BradleyTerry2's vignette"),
    "psychotools-migrated": lambda: listed(of_group("psychotools")),
    "psychotools-examples": _listed_by_hand("psychotools' help pages, not by migrate"),
}


if __name__ == "__main__":
    keep(NATIVE, computed())
