"""The page of a batch: one file that an annotator opens in a browser.

It fetches and sends nothing; the annotator saves the results file.  The page holds the items as JSON in which
`<`, `>`, `&` and the line separators are escaped, so that no markup can begin there, and its script shows
them as text only.  A content security policy forbids every connection.
"""

from __future__ import annotations

import json
from importlib import resources

from ..hits.chosen import Batch

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
    # Placeholders are replaced in one pass from the outside in, so none in the data is ever replaced.
    before, after = part("annotate.html").split("/*DATA*/")
    style, script = part("annotate.css"), part("annotate.js")
    return (
        before.replace("/*STYLE*/", style)
        + json.dumps(data, ensure_ascii=False).translate(_ESCAPES)
        + after.replace("/*SCRIPT*/", script)
    )
