"""Keeps the machine's paths out of what is shown and recorded of a run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .copying import Copied
from .parsing import Places


class Cleaner:
    """Replaces the machine's paths by words, as the bridge's records do: `<wd>`, `<library>`, `<tmp>`, ..."""

    def __init__(self, places: Places, copied: Copied, stage: Path) -> None:
        words = {
            str(copied.target): "<wd>",
            str(copied.source): "<wd>",
            os.path.realpath(copied.source): "<wd>",
            str(stage): "<tmp>",
            os.path.realpath(tempfile.gettempdir()): "<tmp>",
            tempfile.gettempdir(): "<tmp>",
            places.r_home: "<R_HOME>",
            places.home: "<home>",
            **dict.fromkeys(places.libraries, "<library>"),
        }
        # A path of one or no part is no path of this machine alone, and would spoil every text with a slash.
        pairs = [(path, word) for path, word in words.items() if len(path) > 1 and path.strip("/")]
        self._pairs = sorted(pairs, key=lambda pair: -len(pair[0]))

    def clean(self, text: str) -> str:
        """The text without them."""
        for path, word in self._pairs:
            text = text.replace(path, word)
        return text
