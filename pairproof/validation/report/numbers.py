"""How numbers and verdicts are written in reports, the same in all of them."""

from __future__ import annotations

import re

from ...fit.tails import SMALLEST
from ...text import safe
from ..claims.quantities import is_probability
from ..verdicts.agreement import Agreement, Verdict

#: What neither XML 1.0 nor a terminal can hold, and the rarer ends of a line.
_NOT_TEXT = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]")

#: A sign beside the word, so that no report tells a verdict by colour alone.
SIGNS: dict[Verdict, str] = {
    "agrees": "=",
    "agrees-truncated": "=",
    "agrees-k-of-m": "=",
    "explained": "~",
    "ambiguous": "?",
    "differs": "!",
    "differs-conclusion": "!!",
    "not-estimable": "-",
    "not-checkable": "-",
    "not-run": "o",
}
#: Tone of a verdict that nobody accepted: good, note, bad, off.
_TONES: dict[Verdict, str] = {
    "agrees": "good",
    "agrees-truncated": "good",
    "agrees-k-of-m": "good",
    "explained": "bad",
    "ambiguous": "bad",
    "differs": "bad",
    "differs-conclusion": "bad",
    "not-estimable": "note",
    "not-checkable": "off",
    "not-run": "off",
}


def clean(text: str) -> str:
    """Text without control characters: each becomes the sign for a character that cannot be shown, those of
    writing direction are spelt out.
    """
    return safe(_NOT_TEXT.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n"))


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


def tone(a: Agreement) -> str:
    """good, note, bad or off; what a person accepted is a note."""
    return "note" if a.accepted else _TONES[a.verdict]


def source(a: Agreement) -> str:
    """ "stats::glm (recorded)"; "" if R was not asked."""
    if a.r_call is None:
        return ""
    return f"{a.r_call} ({a.r_source})" if a.r_source else a.r_call
