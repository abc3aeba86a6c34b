"""A batch as one page an annotator opens in a browser: nothing is fetched, nothing is sent, the results file
is saved.

The items stand in the page as JSON in which no markup can begin (`<`, `>`, `&` and the line separators are
escaped), and the script shows them as text only.  A content security policy forbids every connection.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .hits import Batch

#: Characters that could end the JSON's own element, or a line of a script.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def page(batch: Batch) -> str:
    """The page's HTML."""
    folder = resources.files(__package__).joinpath("page_files")

    def part(name: str) -> str:
        return folder.joinpath(name).read_text(encoding="utf-8")

    data = {
        "campaign": batch.campaign,
        "batch": batch.number,
        "columns": list(batch.columns),
        "hits": [[{"id": name, "cells": list(cells)} for name, cells in hit] for hit in batch.hits],
    }
    # One pass from the outside in: nothing that stands in the data is looked at again.
    before, after = part("annotate.html").split("/*DATA*/")
    style, script = part("annotate.css"), part("annotate.js")
    return (
        before.replace("/*STYLE*/", style)
        + json.dumps(data, ensure_ascii=False).translate(_ESCAPES)
        + after.replace("/*SCRIPT*/", script)
    )
