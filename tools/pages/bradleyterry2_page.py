"""The tables of "BradleyTerry2 -> pairproof": every example of the help pages and every number of the vignette by both,
number by number; and psychotools' examples of paired comparisons.

The data sets are the packages' and stay there: pairproof's numbers are kept in `bradleyterry2_native.json`, from which
the page is made on machines without R.  A test with R runs all of it again; `python -m tools.pages.bradleyterry2_page`
keeps what it gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pairproof.validation.verdicts.digits import digits_of_agreement

from . import bradleyterry2_exact
from .bradleyterry2_cases import CASES
from .bradleyterry2_ours import Numbers, answer
from .bradleyterry2_r import Example, RNumbers, r_numbers
from .bradleyterry2_reasons import NO_COUNTERPART, REASONS
from .bradleyterry2_vignette import VIGNETTE, printed
from .psychotools import PSYCHOTOOLS
from .tables import block, columns, example, keep, kept as read, markdown, sentence, shown

#: Digits against R taken to its fixed point, below which a row must have an explanation.
ENOUGH = 9.0
#: Rows of a table on the page; of longer ones the first are shown, and what the others share is said.
SHOWN = 40
#: Below this a number is 0 but for rounding.
NOTHING = 1e-14
#: R warns of half wins whenever they occur.
HALVES = "non-integer"


@dataclass(frozen=True)
class Row:
    """A quantity: R's number by default and taken further, ours, the digits that ours shares with each."""

    quantity: str
    default: float
    further: float
    own: float | None
    digits_default: float | None
    digits: float | None
    exact: str


#: By what they are examples of.
EXAMPLES: Mapping[str, Sequence[Example]] = {
    "BradleyTerry2's help pages": CASES,
    "BradleyTerry2's vignette": list(VIGNETTE.values()),
    "psychotools' help pages": PSYCHOTOOLS,
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
    """All rows of an example."""
    r, own = numbers(c), kept().get(c.name, {})
    true = _exact().get(c.name, {})
    found = []
    for q, default in r.default.items():
        further = r.tight.get(q, default)
        mine = own.get(q)
        # A coefficient that is 0 but for rounding is measured by its standard error.
        se = r.default.get(f"standard error of {q}", 0.0)
        agreed = [_agreed(mine, r_number, se) for r_number in (default, further)]
        found.append(Row(q, default, further, mine, *agreed, true.get(q, "")))
    return found


def _agreed(own: float | None, r: float, se: float) -> float | None:
    """Digits shared: of the larger of R's number and its standard error, or absolute where the number is 0."""
    if own is None or not (math.isfinite(own) and math.isfinite(r)):
        return None
    if abs(own) < NOTHING:
        return 16.0 if abs(r) < NOTHING else -math.log10(abs(r - own))
    return float(digits_of_agreement(own, r, se))


@lru_cache(maxsize=1)
def _exact() -> Mapping[str, Mapping[str, str]]:
    return bradleyterry2_exact.kept()


def cell(value: float | None) -> str:
    """A number in 12 digits; what is 0 but for rounding as 0, nothing where there is none."""
    if value is None:
        return ""
    if math.isnan(value):
        return "NA"
    return "infinite" if math.isinf(value) else f"{0.0 if abs(value) < 1e-13 else value:.12g}"


def table(c: Example) -> str:
    """The rows of an example as a table, and what is said of those that are left out."""
    rows = rows_of(c)
    first, more = (rows, []) if len(rows) <= SHOWN else (rows[: SHOWN // 2], rows[SHOWN // 2 :])
    texts, again = _texts(c), first if c.again else []
    text = columns(
        ("quantity", [row.quantity for row in first]),
        ("printed", [texts[row.quantity] for row in first if texts]),
        ("R", [cell(row.default) for row in first]),
        ("R, taken further", [cell(row.further) for row in again]),
        ("pairproof", [cell(row.own) for row in first]),
        ("digits", [shown(row.digits_default) for row in first]),
        ("taken further", [shown(row.digits) for row in again]),
        ("25-digit value", [row.exact[:24] for row in first if any(row.exact for row in first)]),
    )
    compared = [row for row in more if row.digits is not None]
    if compared:
        least = min(row.digits for row in compared if row.digits is not None)
        default = min(row.digits_default for row in compared if row.digits_default is not None)
        last = f"{shown(least)} digits"
        last += f" with R taken further, {shown(default)} as it stops" if c.again else ""
        text += f"\n{len(more)} more rows; the {len(compared)} that both have share at least {last}.\n"
    return text


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
    return f"{head}\n{said}{table(c)}"


def unexplained(c: Example) -> list[str]:
    """Quantities in fewer digits than ENOUGH, or without a number of ours, for which nothing is said."""
    apart, alone = (tuple(p for r in of.get(c.name, ()) for p in r.of) for of in (REASONS, NO_COUNTERPART))
    found = []
    for row in rows_of(c):
        if row.digits is None:
            ours_alone = row.own is not None and math.isnan(row.default)
            if not ours_alone and not row.quantity.startswith(apart + alone):
                found.append(row.quantity)
        elif row.digits < ENOUGH and not row.quantity.startswith(apart):
            found.append(row.quantity)
    return found


def _block(of: str) -> Callable[[], str]:
    return lambda: block(section(c) for c in EXAMPLES[of])


def summary() -> str:
    """How many numbers there are, and in how many digits they agree."""
    lines = []
    for label, which in EXAMPLES.items():
        rows = [row for c in which for row in rows_of(c)]
        both = [row for row in rows if row.digits is not None]
        # A test holds that each of the others has a reason.
        plain = [row for row in both if row.digits is not None and row.digits >= ENOUGH]
        least = min(row.digits for row in plain if row.digits is not None)
        default = min(row.digits_default for row in plain if row.digits_default is not None)
        counted = (len(which), len(rows), len(both), len(both) - len(plain))
        lines.append((label, *map(str, counted), shown(least), shown(default)))
    heads = (
        "",
        "examples",
        "R's numbers",
        "compared",
        "differ, with a reason",
        "the others, digits at least",
        "with R as it stops",
    )
    return "\n" + markdown(heads, lines) + "\n"


BLOCKS = {
    "bradleyterry2-summary": summary,
    "bradleyterry2-examples": _block("BradleyTerry2's help pages"),
    "bradleyterry2-vignette": _block("BradleyTerry2's vignette"),
    "psychotools-examples": _block("psychotools' help pages"),
}


if __name__ == "__main__":
    keep(NATIVE, computed())
