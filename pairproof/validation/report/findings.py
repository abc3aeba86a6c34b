"""What a reader must know first: how many printed numbers are reproduced, which are not, by how much.

A misprinted estimate also affects the z printed beside it and a sum: these rows are one finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...text import named
from ..claims.quantities import size_in_words
from ..verdicts.agreement import (
    AGREEING,
    ANOTHER_MODEL,
    COLUMNS_NOT_READ,
    NO_SUCH_ITEM,
    NOT_A_NUMBER,
    OTHER_MODELS,
    Agreement,
)

OTHER_DEFINITION = "agrees-other-definition"
#: Numbers that the first sentence names; all of them stand in the list below it.
MOST_NAMED = 3
#: How the first sentence counts what is neither simply reproduced nor needs attention, of one and of several.
_OTHERWISE = {
    OTHER_DEFINITION: ("one of them by another definition", "{} of them by other definitions"),
    "agrees-truncated": ("one of them truncated, not rounded", "{} of them truncated, not rounded"),
    "immaterial": ("one differs by too little to matter", "{} differ by too little to matter"),
    "not-checkable": ("one cannot be checked", "{} cannot be checked"),
    "not-run": ("one was not computed", "{} were not computed"),
    NO_SUCH_ITEM: (
        "one was not checked, because its row is not an item in the data",
        "{} were not checked, because their rows are not items in the data",
    ),
    "accepted": (
        "one has an explanation that a person accepted",
        "{} have explanations that a person accepted",
    ),
}


def printed_numbers(agreements: Iterable[Agreement]) -> list[Agreement]:
    """The numbers on the page."""
    return [a for a in agreements if a.about == "printed" and a.printed is not None]


def of_page(agreements: Sequence[Agreement]) -> dict[str, list[Agreement]]:
    """What is on the page: "printed number" and "statement", those that there are."""
    stated = [a for a in agreements if a.about == "statement"]
    found = {"printed number": printed_numbers(agreements), "statement": stated}
    return {what: rows for what, rows in found.items() if rows}


def attention(agreements: Sequence[Agreement]) -> list[list[Agreement]]:
    """Rows that need attention, those of one finding together, and after them what follows from it."""
    found: dict[object, list[Agreement]] = {}
    for k, a in enumerate(agreements):
        if not a.passes and (a.verdict != "not-run" or a.code in (NO_SUCH_ITEM, ANOTHER_MODEL, NOT_A_NUMBER)):
            found.setdefault((a.paper, a.claim, a.finding) if a.finding else k, []).append(a)
    for a in agreements:
        if a.passes and a.code == "consequence" and (a.paper, a.claim, a.finding) in found:
            found[a.paper, a.claim, a.finding].append(a)
    return [sorted(rows, key=lambda a: a.about != "printed") for rows in found.values()]


def name_of(a: Agreement, among: Sequence[Agreement]) -> str:
    """Its quantity, with the claim and the paper where there are several; of a statement, its claim."""
    paper = a.paper if len({b.paper for b in among}) > 1 else ""
    if a.about == "statement":
        return f"{paper} {a.claim}".strip()
    claims = {(b.paper, b.claim) for b in among if b.claim != "not checked"}
    claim = a.claim if len(claims) > 1 else ""
    return " ".join(filter(None, (paper, claim, a.quantity.place if a.about == "arithmetic" else a.quantity)))


def as_printed(value: float, text: str) -> str:
    """A computed number with the decimals of the printed one, and more where these would not tell them apart."""
    if not re.search(r"\d", text):  # a mark of significance
        return f"{value:.4g}"
    found, has_power = re.search(r"\.(\d+)", text), "e" in text.lower()
    decimals = len(found[1]) if found else 0
    forms = (f".{max(3, decimals + k + 1)}g" if has_power else f".{decimals + k}f" for k in range(4))
    return next((s for form in forms if (s := f"{value:{form}}").lstrip("-") not in text), f"{value:.10g}")


def told(a: Agreement, among: Sequence[Agreement]) -> str:
    """ "estimate.A: printed -0.948, computed -0.919 (0.4 standard errors)"."""
    if a.about != "printed" or a.printed is None or a.native is None:
        return name_of(a, among)
    if a.verdict == OTHER_DEFINITION:  # the explanation has the number by either definition
        return f"{name_of(a, among)}: printed {a.printed}"
    size = "" if a.size is None else f" ({size_in_words(a.size, a.quantity)})"
    return f"{name_of(a, among)}: printed {a.printed}, computed {as_printed(a.native, a.printed)}{size}"


def listed(texts: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(texts) - MOST_NAMED
    return "; ".join([*texts[:MOST_NAMED], *[f"and {more} more"] * (more > 0)])


def headline(agreements: Sequence[Agreement]) -> Iterator[str]:
    """The sentence that matters, then those on statements and on printed numbers that must fit each other."""
    checks = [a for a in agreements if a.about == "arithmetic" and a.verdict != "not-checkable"]
    for what, rows in of_page(agreements).items():
        if checks and all(a.verdict == "not-checkable" and a.native is None for a in rows):  # without data
            held = sum(a.verdict in AGREEING for a in checks)
            sentence = fit_each_other(held, len(checks))
        else:
            sentence = _sentence(rows, what, agreements)
        left_out = not_looked_at(agreements) if what == "printed number" else []
        yield "; ".join((sentence, *left_out)) + "."
    broken = [a for a, *_ in attention(agreements) if a.about == "arithmetic"]
    if broken:
        yield f"Printed numbers that are inconsistent with each other: {named(name_of(a, agreements) for a in broken)}."


def fit_each_other(held: int, n: int) -> str:
    """ "9 of 10 checks of the printed numbers against each other pass"."""
    checks, verb = ("check", "passes") if n == 1 else ("checks", "pass")
    return f"{held} of {n} {checks} of the printed numbers against each other {verb}"


def not_looked_at(agreements: Iterable[Agreement]) -> list[str]:
    """Which columns of the page were not read, and which items it does not list: without them nothing passes as a
    whole.
    """
    left = (a for a in agreements if a.code in (COLUMNS_NOT_READ, OTHER_MODELS))
    return list(dict.fromkeys(a.explanation.removeprefix(f"{a.code}: ") for a in left))


def _kind(a: Agreement) -> str:
    """The key of `_OTHERWISE` by which a number is counted."""
    return "accepted" if a.accepted else NO_SUCH_ITEM if a.code == NO_SUCH_ITEM else a.verdict


def _sentence(rows: Sequence[Agreement], what: str, among: Sequence[Agreement]) -> str:
    n, fine = len(rows), sum(a.verdict in AGREEING for a in rows)
    unknown = sum(a.code == ANOTHER_MODEL for a in rows)
    if unknown and unknown + fine == n:
        return f"This page could not be checked: {unknown} of its {n} numbers are not reproduced by any model that was tried"
    share = f"{'All ' * (n > 1)}{n}" if fine == n else f"{fine} of {n}"
    one, several = ("is reproduced", "are reproduced") if what == "printed number" else ("holds", "hold")
    parts = [f"{share} {what}{'s' * (n > 1)} {one if 1 in (n, fine) else several}"]
    scaled = [a.code for a in rows if a.verdict in AGREEING and a.code in ("free-scale", "free-factor")]
    if scaled:
        constant = " and a constant" * ("free-scale" in scaled)
        parts[0] += f"{'' if len(scaled) == fine else f', {len(scaled)} of them'} up to a factor{constant}"
    open_ = [a for group in attention(rows) for a in group if not a.passes]
    bad = [told(a, among) for a in open_ if a.verdict != "not-run"]
    if bad:
        verb = (("is", "are") if what == "printed number" else ("does", "do"))[len(bad) > 1]
        parts.append(f"{'one' if len(bad) == 1 else len(bad)} {verb} not: {listed(bad)}")
    for kind, (one, several) in _OTHERWISE.items():
        k = sum(_kind(a) == kind for a in rows)
        how = one if k == 1 else several.format(k)
        if k and kind in AGREEING:
            parts[0] += f", {how}"
        elif k:
            parts.append(how)
    return "; ".join(parts)
