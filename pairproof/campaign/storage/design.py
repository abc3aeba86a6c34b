"""The design of a campaign (what annotators see, who judges what, which judgments count), and its times.

`SubmitTime` in results files is ISO 8601, or the form of Mechanical Turk, `Tue Mar 03 09:01:14 PST 2026`,
whose zone is PST, PDT, UTC or GMT.  A time without a zone is in UTC.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ...data.options import one_of
from ...errors import InputError

Arrange = Literal["any", "same-source"]
OnRepeat = Literal["first", "last", "both"]
#: Of an annotator.
State = Literal["invited", "qualified", "active", "excluded"]
#: Properties of an item that columns of the items file give; annotators never see them.
RESERVED = ("role", "of", "source", "system", "gold")
#: Roles of items; only `item` has a score, is allocated and counts for systems.
ROLES = ("item", "degraded", "gold", "calibration", "attention", "qualification")
#: What a slot of a HIT is for: the role of its item, or a planned repeat.
KINDS = ("item", "repeat", *ROLES[1:])


@dataclass(frozen=True)
class Design:
    """The design of a campaign, fixed when it is made.

    arrange: whether a HIT holds any items or the outputs of one source. judgments: different annotators
    for each HIT. repeats, degraded, gold: shares of all slots, 0 to below 1. qualify: what an annotator
    must reach, such as "spearman>=.5". on_repeat: which answers count if an annotator answers a HIT more
    than once. partial: whether items may be left unanswered. columns: reserved name -> column that gives
    it; "" if that column means something else.
    """

    text: str = "sent"
    show: tuple[str, ...] = ()
    arrange: Arrange = "any"
    judgments: int = 1
    repeats: float = 0.0
    degraded: float = 0.0
    gold: float = 0.0
    qualify: str = ""
    on_repeat: OnRepeat = "first"
    pay_hour: float | None = None
    partial: bool = False
    columns: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of("arrange", self.arrange, get_args(Arrange))
        one_of("on_repeat", self.on_repeat, get_args(OnRepeat))
        if self.judgments < 1:
            raise InputError(f"judgments={self.judgments}; expected at least 1 annotator per HIT")
        for name in ("repeats", "degraded", "gold"):
            if not 0.0 <= vars(self)[name] < 1.0:
                raise InputError(f"{name}={vars(self)[name]}; expected a share of slots, 0 to below 1")
        total = self.repeats + self.degraded + self.gold
        if total >= 1.0:
            raise InputError(
                f"repeats, degraded and gold take {total:g} of all slots; expected less than 1, to"
                " leave slots for items"
            )
        if self.pay_hour is not None and not 0.0 < self.pay_hour < float("inf"):
            raise InputError(f"pay_hour={self.pay_hour}; expected a number above 0")

    @property
    def hidden(self) -> tuple[str, ...]:
        """Columns of the items file that annotators never see."""
        return tuple(dict.fromkeys(c for c in (self.columns.get(name, name) for name in RESERVED) if c))

    def shown(self, more: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The columns that annotators see beside the text, those asked for later included."""
        bad = [name for name in (*self.show, *more) if name == "id" or name in self.hidden]
        if bad:
            raise InputError(
                f"--show {bad[0]}: annotators must not see this column, because it can reveal the"
                f" system or the known score of an item; always hidden: id, {', '.join(self.hidden)}"
            )
        return tuple(dict.fromkeys(name for name in (*self.show, *more) if name != self.text))

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Design:
        return Design(**{**stored, "show": tuple(stored.get("show", ()))})


def now() -> str:
    """The time in UTC, to the second, as ISO 8601."""
    return dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


#: Hours from UTC of the zones that Mechanical Turk writes.
_ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}
_TURK = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{1,2}) (\d{2}:\d{2}:\d{2}) ([A-Z]{1,5}) (\d{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: From Python 3.11 on `fromisoformat` reads what 3.10 does not: this is what both read, after `Z` is +00:00.
_ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?\s*(Z|[+-]\d{2}:?\d{2})?"
)


def seconds_of(text: str, where: str) -> float:
    """A date and time as seconds since 1970 in UTC; nan for a blank."""
    text = text.strip()
    if not text:
        return math.nan
    try:
        found = _iso(text) or _turk(text)
    except ValueError:
        found = None
    if found is None:
        raise InputError(
            f"{where}: {text!r}; expected a time such as 2026-03-03T09:01:14Z or 'Tue Mar 03 09:01:14 PST"
            f" 2026' (zones {', '.join(_ZONES)})"
        )
    return found.timestamp()


def _iso(text: str) -> dt.datetime | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    day, clock, fraction, zone = match.groups()
    zone = "+00:00" if zone in (None, "Z") else zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"
    clock = clock if clock.count(":") == 2 else f"{clock}:00"
    return dt.datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{zone}")


def _turk(text: str) -> dt.datetime | None:
    match = _TURK.fullmatch(text)
    if match is None or match.group(4) not in _ZONES or match.group(1) not in _MONTHS:
        return None
    month, day, clock, zone, year = match.groups()
    at = dt.datetime.fromisoformat(f"{year}-{_MONTHS.index(month) + 1:02d}-{int(day):02d}T{clock}")
    return at.replace(tzinfo=dt.timezone(dt.timedelta(hours=_ZONES[zone])))


def number_of(text: str) -> float:
    """The number that a text is; nan if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def submitted_and_seconds(times: Mapping[str, str], where: str) -> tuple[float, float]:
    """When a HIT was returned, and the seconds spent (said, else since AcceptTime); nan if unknown."""
    submitted = seconds_of(times.get("SubmitTime", ""), f"{where}, column 'SubmitTime'")
    accepted = seconds_of(times.get("AcceptTime", ""), f"{where}, column 'AcceptTime'")
    text = times.get("WorkTimeInSeconds", "").strip()
    if not text:
        return submitted, max(submitted - accepted, 0.0) if submitted >= accepted else math.nan
    spent = number_of(text)
    if not 0.0 <= spent < math.inf:
        raise InputError(f"{where}, column 'WorkTimeInSeconds': {text!r}; expected a number of seconds")
    return submitted, spent


def stored_times(times: Mapping[str, str]) -> tuple[float | None, float | None]:
    """The same of stored times; None if unknown, or not to be read, which only those of schema 1 are."""
    try:
        found = submitted_and_seconds(times, "")
    except InputError:
        return None, None
    submitted, seconds = (None if math.isnan(t) else t for t in found)
    return submitted, seconds
