"""The times that results files give: when a HIT was returned, and how long it took.

`SubmitTime` is ISO 8601, or the form of Mechanical Turk, `Tue Mar 03 09:01:14 PST 2026`, whose zone is PST,
PDT, UTC or GMT.  A time without a zone is in UTC.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping

from ...errors import InputError

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


def submitted_and_seconds(times: Mapping[str, str], where: str) -> tuple[float, float]:
    """When a HIT was returned, and the seconds spent on it; nan for what the file does not say.

    The seconds are WorkTimeInSeconds, else the time from AcceptTime to SubmitTime.
    """
    submitted = seconds_of(times.get("SubmitTime", ""), f"{where}, column 'SubmitTime'")
    accepted = seconds_of(times.get("AcceptTime", ""), f"{where}, column 'AcceptTime'")
    text = times.get("WorkTimeInSeconds", "").strip()
    if not text:
        return submitted, max(submitted - accepted, 0.0) if submitted >= accepted else math.nan
    try:
        spent = float(text)
    except ValueError:
        spent = math.nan
    if not 0.0 <= spent < math.inf:
        raise InputError(f"{where}, column 'WorkTimeInSeconds': {text!r}; expected a number of seconds")
    return submitted, spent


def stored_times(times: Mapping[str, str]) -> tuple[float | None, float | None]:
    """The same of times that a campaign has: None where it does not say, or where they cannot be read, which only
    campaigns of the first schema have (a results file with such times is refused).
    """
    try:
        found = submitted_and_seconds(times, "")
    except InputError:
        return None, None
    submitted, seconds = (None if math.isnan(t) else t for t in found)
    return submitted, seconds
