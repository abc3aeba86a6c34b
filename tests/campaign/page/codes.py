"""The code of a page's results, made as the page makes it."""

from __future__ import annotations

import base64
import zlib

from pairproof.campaign.results.readers import BEGIN


def encode(text: str) -> str:
    """The code of a results file's text."""
    raw = text.encode("utf-8")
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = base64.urlsafe_b64encode(packed.compress(raw) + packed.flush()).decode("ascii").rstrip("=")
    return f"{BEGIN}{body}.{zlib.crc32(raw):08x}"
