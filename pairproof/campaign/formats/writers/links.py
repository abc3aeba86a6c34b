"""A table of links to annotators' pages, to hand out or to upload where participants are recruited.

The columns are `annotator, link`: an annotator's name and the address of a page.  Where one page serves all
participants of a study on Prolific, no table is needed: the page takes the annotator's name from PROLIFIC_PID in
its own address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ....errors import InputError
from ....files.guarded import csv_text

COLUMNS = ("annotator", "link")


@dataclass(frozen=True)
class Link:
    """A page of one annotator.

    page: the page's file name.
    """

    annotator: str
    page: str


def links_csv(links: Sequence[Link], address: str) -> str:
    """The table as CSV.

    address: where the pages are put, for example "https://example.org/pages/".
    """
    check_address(address)
    seen: set[str] = set()
    for link in links:
        if link.page in seen:
            raise InputError(f"page {link.page!r} has two links; expected one page for each annotator")
        seen.add(link.page)
    base = address if address.endswith("/") else address + "/"
    return csv_text(COLUMNS, [[link.annotator, base + quote(link.page)] for link in links])


def check_address(address: str) -> None:
    """Refuse an address that no browser opens a page at."""
    if (
        not address.startswith(("https://", "http://", "file:///"))
        or not address.isprintable()
        or " " in address
    ):
        raise InputError(f"address {address!r}: expected one such as https://example.org/pages/")
