"""The time as it is written into a campaign."""

from __future__ import annotations

import datetime as dt


def now() -> str:
    """The time in UTC, to the second, as ISO 8601."""
    return dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
