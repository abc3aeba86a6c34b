"""How numbers and verdicts are written in reports, the same in all of them."""

from __future__ import annotations

from ...fit.tails import SMALLEST
from ...report.blocks import Cell, Tone
from ..claims.quantities import is_probability
from ..verdicts.agreement import Agreement

#: A sign beside the word, so that no report tells a verdict by colour alone; and the tone of a verdict that
#: nobody accepted.
_SHOWN: dict[str, tuple[str, Tone]] = {
    "agrees": ("=", "good"),
    "agrees-truncated": ("=", "good"),
    "agrees-k-of-m": ("=", "good"),
    "explained": ("~", "bad"),
    "ambiguous": ("?", "bad"),
    "differs": ("!", "bad"),
    "differs-conclusion": ("!!", "bad"),
    "not-estimable": ("-", "note"),
    "not-checkable": ("-", "off"),
    "not-run": ("o", "off"),
}
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


def verdict(a: Agreement) -> str:
    """ "explained (accepted)"."""
    return f"{a.verdict} (accepted)" if a.accepted else a.verdict


def tone(a: Agreement) -> Tone:
    """good, note, bad or off; what a person accepted is a note."""
    return "note" if a.accepted else _SHOWN[a.verdict][1]


def verdict_cell(a: Agreement) -> Cell:
    """The verdict with its sign and tone."""
    return Cell(verdict(a), SIGNS[a.verdict], tone(a))


def source(a: Agreement) -> str:
    """ "stats::glm (recorded)"; "" if R was not asked."""
    if a.r_call is None:
        return ""
    return f"{a.r_call} ({a.r_source})" if a.r_source else a.r_call
