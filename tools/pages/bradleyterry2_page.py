"""The tables of "BradleyTerry2 -> pairproof": every example of the help pages and every number of the vignette by both,
number by number; and psychotools' examples of paired comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from pairproof.validation.verdicts.digits import digits_of_agreement

from . import bradleyterry2_exact
from .bradleyterry2_cases import CASES
from .bradleyterry2_native import OURS, Numbers, Ours, kept
from .bradleyterry2_native_more import MORE
from .bradleyterry2_native_vignette import OURS_VIGNETTE
from .bradleyterry2_r import RCase, RNumbers, r_numbers
from .bradleyterry2_reasons import NO_COUNTERPART, REASONS
from .bradleyterry2_vignette import VIGNETTE, printed
from .psychotools_cases import PSYCHOTOOLS
from .psychotools_native import OURS_PSYCHOTOOLS
from .tables import markdown

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


def cases() -> dict[str, tuple[RCase, Ours | None]]:
    """Name -> both sides of every example."""
    own = {**OURS, **MORE, **OURS_PSYCHOTOOLS}
    found = {c.name: (c, own.get(c.name)) for c in (*CASES, *PSYCHOTOOLS)}
    return found | {c.name: (c, OURS_VIGNETTE[section]) for section, c in VIGNETTE.items()}


def numbers(c: RCase) -> RNumbers:
    """R's numbers; those of the vignette under the names of `bradleyterry2_printed.json`."""
    found = r_numbers(c)
    section = next((s for s, v in VIGNETTE.items() if v.name == c.name), None)
    if section is None:
        return found
    names = [q for q, _ in printed()[section]]
    return RNumbers(
        dict(zip(names, found.default.values())),
        dict(zip(names, found.tight.values())),
        found.warnings,
        found.error,
    )


def rows_of(c: RCase) -> list[Row]:
    """All rows of an example."""
    r, own = numbers(c), _own(c.name)
    true = _exact().get(c.name, {})
    found = []
    for q, default in r.default.items():
        further = r.tight.get(q, default)
        mine = own.get(q)
        # A coefficient that is 0 but for rounding is measured by its standard error.
        se = r.default.get(f"standard error of {q}", 0.0)
        found.append(
            Row(
                q,
                default,
                further,
                mine,
                _agreed(mine, default, se),
                _agreed(mine, further, se),
                true.get(q, ""),
            )
        )
    return found


def _agreed(own: float | None, r: float, se: float) -> float | None:
    """Digits shared: of the larger of R's number and its standard error, or absolute where the number is 0."""
    if own is None or not (math.isfinite(own) and math.isfinite(r)):
        return None
    if abs(own) < NOTHING:
        return 16.0 if abs(r) < NOTHING else -math.log10(abs(r - own))
    return float(digits_of_agreement(own, r, se))


@lru_cache(maxsize=1)
def _kept() -> Mapping[str, Numbers]:
    return kept()


@lru_cache(maxsize=1)
def _exact() -> Mapping[str, Mapping[str, str]]:
    return bradleyterry2_exact.kept()


def _own(name: str) -> Numbers:
    return _kept().get(name, {})


def cell(value: float | None) -> str:
    """A number in 12 digits; what is 0 but for rounding as 0, nothing where there is none."""
    if value is None:
        return ""
    if math.isnan(value):
        return "NA"
    return "infinite" if math.isinf(value) else f"{0.0 if abs(value) < 1e-13 else value:.12g}"


def _digits(value: float | None) -> str:
    return "" if value is None else f"{math.floor(value * 10 + 1e-9) / 10:.1f}"


def table(c: RCase) -> str:
    """The rows of an example as a table, and what is said of those that are left out."""
    rows = rows_of(c)
    shown, more = (rows, []) if len(rows) <= SHOWN else (rows[: SHOWN // 2], rows[SHOWN // 2 :])
    exact = any(row.exact for row in shown)
    texts = dict(printed()[of]) if (of := _section(c.name)) else {}
    heads = [
        "quantity",
        *(["printed"] if texts else []),
        "R",
        *(["R, taken further"] if c.again else []),
        "pairproof",
    ]
    heads += ["digits", *(["taken further"] if c.again else []), *(["25-digit value"] if exact else [])]
    cells = []
    for row in shown:
        line = [row.quantity, *([texts[row.quantity]] if texts else []), cell(row.default)]
        line += [*([cell(row.further)] if c.again else []), cell(row.own), _digits(row.digits_default)]
        cells.append(
            line + [*([_digits(row.digits)] if c.again else []), *([row.exact[:24]] if exact else [])]
        )
    text = markdown(heads, cells)
    compared = [row for row in more if row.digits is not None]
    if compared:
        least = min(row.digits for row in compared if row.digits is not None)
        default = min(row.digits_default for row in compared if row.digits_default is not None)
        last = f"{_digits(least)} digits" + (
            f" with R taken further, {_digits(default)} as it stops" if c.again else ""
        )
        text += f"\n{len(more)} more rows; the {len(compared)} that both have share at least {last}.\n"
    return text


def _section(name: str) -> str:
    return next((s for s, v in VIGNETTE.items() if v.name == name), "")


def prints_as(value: float, text: str) -> bool:
    """Whether a number prints as `text`; a half may have been rounded either way."""
    unit = Decimal(1).scaleb(int(Decimal(text).as_tuple().exponent))
    return abs(Decimal(value) - Decimal(text)) <= unit / 2 * Decimal("1.0001")


def misprints(c: RCase) -> list[tuple[str, str, float]]:
    """Numbers of the vignette whose print is that of R as it stops, and not that of the model: name, print, ours.

    What is 0 but for rounding is none of them.
    """
    texts = dict(printed()[of]) if (of := _section(c.name)) else {}
    found = []
    for row in rows_of(c):
        text = texts.get(row.quantity, "0")
        if row.own is None or not math.isfinite(row.own) or abs(row.own) < NOTHING or not texts:
            continue
        if not prints_as(row.own, text):
            found.append((row.quantity, text, row.own))
    return found


def section(c: RCase, ours: Ours | None) -> str:
    """An example: both calls, what to know, and the table."""
    head = (
        f"### {c.page[0].upper()}{c.page[1:]}: `{c.name}`"
        if c.page.startswith("section")
        else f"### {c.page}: `{c.name}`"
    )
    code = f"\n\n```r\n{c.code.strip()}\n```\n"
    code += f"```text\n{ours.code.strip()}\n```\n" if ours else ""
    said = f"{c.note[0].upper()}{c.note[1:]}.\n\n" if c.note else ""
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
    return f"{head}{code}\n{said}{table(c)}"


def unexplained(c: RCase) -> list[str]:
    """Quantities in fewer digits than ENOUGH, or without a number of ours, for which nothing is said."""
    apart = [of for reason in REASONS.get(c.name, ()) for of in reason.of]
    alone = [of for reason in NO_COUNTERPART.get(c.name, ()) for of in reason.of]
    found = []
    for row in rows_of(c):
        if row.digits is None:
            ours_alone = row.own is not None and math.isnan(row.default)
            if not ours_alone and not _starts(row.quantity, [*apart, *alone]):
                found.append(row.quantity)
        elif row.digits < ENOUGH and not _starts(row.quantity, apart):
            found.append(row.quantity)
    return found


def _starts(quantity: str, of: Sequence[str]) -> bool:
    return any(quantity.startswith(prefix) for prefix in of)


def _sections(which: Sequence[RCase]) -> Iterator[str]:
    both = cases()
    for c in which:
        yield section(c, both[c.name][1])


def examples() -> str:
    """BradleyTerry2's help pages."""
    return "\n" + "\n".join(_sections(CASES)) + "\n"


def vignette() -> str:
    """The vignette."""
    return "\n" + "\n".join(_sections(list(VIGNETTE.values()))) + "\n"


def psychotools() -> str:
    """psychotools' help pages."""
    return "\n" + "\n".join(_sections(PSYCHOTOOLS)) + "\n"


def summary() -> str:
    """How many numbers there are, and in how many digits they agree."""
    lines = []
    for label, which in (
        ("BradleyTerry2's help pages", CASES),
        ("BradleyTerry2's vignette", list(VIGNETTE.values())),
        ("psychotools' help pages", PSYCHOTOOLS),
    ):
        rows = [(c, row) for c in which for row in rows_of(c)]
        both = [(c, row) for c, row in rows if row.digits is not None]
        # A test holds that each of the others has a reason.
        plain = [row for _, row in both if row.digits is not None and row.digits >= ENOUGH]
        least = min(row.digits for row in plain if row.digits is not None)
        default = min(row.digits_default for row in plain if row.digits_default is not None)
        lines.append(
            (
                label,
                str(len(which)),
                str(len(rows)),
                str(len(both)),
                str(len(both) - len(plain)),
                _digits(least),
                _digits(default),
            )
        )
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
    "bradleyterry2-examples": examples,
    "bradleyterry2-vignette": vignette,
    "psychotools-examples": psychotools,
}
