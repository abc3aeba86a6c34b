"""A table of links, one for each annotator, to hand out or to upload where participants are recruited.

The columns are `annotator, link, code`: an annotator's name, the address of their page, and what they paste to
show that they have finished.  With an address that holds a placeholder of Prolific (`{{%PROLIFIC_PID%}}`), one
link serves all participants, and the page takes its name from the address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ....errors import InputError
from ..files import csv_text

COLUMNS = ("annotator", "link", "code")


@dataclass(frozen=True)
class Link:
    """The link of one annotator.

    Attributes
    ----------
    annotator : str
    page : str
        File or address of the annotator's page.
    code : str
        "" where nothing has to be pasted.
    """

    annotator: str
    page: str
    code: str = ""


def links_csv(links: Sequence[Link], address: str = "") -> str:
    """The table as CSV.

    Parameters
    ----------
    links : sequence of Link
    address : str
        Where the pages are put, for example "https://example.org/pages/"; "" keeps the pages' names.

    Raises
    ------
    InputError
        An annotator stands there twice, or the address is none.
    """
    if address and not address.startswith(("https://", "http://", "file://")):
        raise InputError(f"address {address!r}: expected one that begins with https://")
    seen: set[str] = set()
    for link in links:
        if link.annotator in seen:
            raise InputError(f"annotator {link.annotator!r} has two links; expected one for each annotator")
        seen.add(link.annotator)
    base = address if not address or address.endswith("/") else address + "/"
    rows = [[k.annotator, base + quote(k.page) if base else k.page, k.code] for k in links]
    return csv_text(COLUMNS, rows)
