"""How numbers and verdicts are written in reports, the same in all of them, and which agreements of a claim are
listed one by one and which only counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten

from ...fit.estimates.tails import SMALLEST
from ...report.blocks import Cell, Tone
from ...text import named
from ..claims.quantities import is_probability, kind_of
from ..verdicts.agreement import AGREEING, Agreement
from .context import ReportContext
from .findings import listed, name_of, told

#: A sign beside the word, so that no report tells a verdict by colour alone; and the tone of a verdict that
#: nobody accepted.
_SHOWN: dict[str, tuple[str, Tone]] = {
    **dict.fromkeys(AGREEING, ("=", "good")),
    "immaterial": ("=~", "note"),
    "explained": ("~", "bad"),
    "ambiguous": ("?", "bad"),
    "differs": ("!", "bad"),
    "differs-conclusion": ("!!", "bad"),
    "not-estimable": ("-", "note"),
    "not-checkable": ("-", "off"),
    "not-run": ("o", "off"),
}


def verdict(a: Agreement) -> str:
    """ "explained (accepted)"."""
    return f"{a.verdict} (accepted)" if a.accepted else a.verdict


SIGNS = {verdict: sign for verdict, (sign, _) in _SHOWN.items()}


def number(value: float | None, digits: int = 10) -> str:
    """Ten significant digits, "-" for no value; JSON keeps every digit."""
    return "-" if value is None else f"{value:.{digits}g}"


def shown(value: float | None, quantity: str) -> str:
    """A number of this quantity: a p-value below the smallest double is "< 1e-300", never 0."""
    small = value is not None and is_probability(quantity) and 0.0 <= value < SMALLEST
    return f"< {SMALLEST:g}" if small else number(value)


def digits(value: float | None) -> str:
    """ "14.8", rounded down: a report never shows a digit too many."""
    return "-" if value is None else f"{int(value * 10) / 10:.1f}"


def tone(a: Agreement) -> Tone:
    """good, note, bad or off; what a person accepted is a note."""
    return "note" if a.accepted else _SHOWN[a.verdict][1]


#: What an explanation repeats of its row: the computed number and its distance.
_REPEATED = re.compile(r"^computed [^\s:;]+[:;]? ?|[0-9.e+-]+ (?:se|in z|of its size) off(; |$)")


def said(a: Agreement) -> str:
    """The explanation in one line, for R's messages have several, without the numbers that stand in the row."""
    return _REPEATED.sub("", re.sub(r"\s+", " ", a.explanation))


def line(rows: Sequence[Agreement], among: Sequence[Agreement], most: int | None = None) -> str:
    """One finding: its numbers, the explanation in at most so many characters, and which checks fail because of it."""
    a, follow = rows[0], [name_of(b, (b,)) for b in rows[1:] if b.about == "arithmetic"]
    why = said(a) if most is None else shorten(said(a), most, placeholder=" ...")
    kind = "" if a.verdict in ("differs", "agrees-other-definition") and a.about == "printed" else verdict(a)
    numbers = listed([told(b, among) for b in rows if b is a or b.about != "arithmetic"])
    with_it = f"; inconsistent because of it: {named(follow)}" if follow else ""
    return f"{SIGNS[a.verdict]} {': '.join(filter(None, (numbers, kind, why)))}{with_it}"


def verdict_cell(a: Agreement) -> Cell:
    """The verdict with its sign and tone."""
    return Cell(verdict(a), SIGNS[a.verdict], tone(a))


def source(a: Agreement) -> str:
    """ "stats::glm (recorded)"; "" if R was not asked."""
    if a.r_call is None:
        return ""
    return f"{a.r_call} ({a.r_source})" if a.r_source else a.r_call


@dataclass(frozen=True)
class Group:
    """The agreements of one claim."""

    title: str
    where: str
    listed: tuple[Agreement, ...]
    beyond: tuple[Agreement, ...]
    arithmetic: tuple[Agreement, ...] = ()

    @property
    def fit_each_other(self) -> str:
        """ "and 12 checks of the printed numbers against each other pass (z, p, win_totals)"; "" if none."""
        if not self.arithmetic:
            return ""
        n, kinds = len(self.arithmetic), dict.fromkeys(kind_of(a.quantity.name) for a in self.arithmetic)
        checks, pass_ = (f"{n} checks", "pass") if n > 1 else ("1 check", "passes")
        return f"and {checks} of the printed numbers against each other {pass_} ({', '.join(kinds)})"


def groups(agreements: Sequence[Agreement], context: ReportContext) -> list[Group]:
    """Agreements by claim, in their order; of a fit checked by itself all are listed."""
    nothing_printed = all(a.about == "native-r" for a in agreements)
    several = len({a.paper for a in agreements}) > 1
    found = []
    for paper, claim in dict.fromkeys((a.paper, a.claim) for a in agreements):
        rows = [a for a in agreements if (a.paper, a.claim) == (paper, claim)]
        # What did not run, or cannot be settled, is no agreement and must not be counted as one.
        of_page = [nothing_printed or a.about not in ("native-r", "arithmetic") for a in rows]
        listed = [a for a, own in zip(rows, of_page) if own or a.verdict not in AGREEING or _in_words(a)]
        where = next((a.where for a in rows if a.where), "")
        title = context.titles.get(claim) or claim or "The fit and R"
        title = f"{paper}: {title}" if several and paper else title
        rest = [a for a in rows if a not in listed]
        beyond = tuple(a for a in rest if a.about != "arithmetic")
        arithmetic = tuple(a for a in rest if a.about == "arithmetic")
        found.append(Group(title, where, tuple(listed), beyond, arithmetic))
    return found


def _in_words(a: Agreement) -> bool:
    """Whether it was compared with R, but not in digits: then its explanation must be shown."""
    return a.r is not None and a.digits is None
