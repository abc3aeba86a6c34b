"""Names of files made of words of an R script: a fixed alphabet, no name twice, also where case does not count.

Such a word is data: whatever it holds (a slash, "..", a newline, a name that Windows keeps for a device), the file lies
in the folder that it was meant for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

#: Characters of a name; further ones are cut off.
MOST = 60
#: Names that Windows keeps for devices, with any suffix.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10))]
)


def plain(word: str, otherwise: str = "table") -> str:
    """A word as a file's name without its suffix: ASCII letters, digits, "_" and "-".

    otherwise: what to take if nothing is left of it.
    """
    ascii_only = unicodedata.normalize("NFKD", word[: 4 * MOST]).encode("ascii", "ignore").decode("ascii")
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", ascii_only).strip("_-")[:MOST].rstrip("_-")
    if not name:
        return otherwise
    return name + "_" if name.casefold() in _DEVICES else name


class Unique:
    """Names given so far; each new one differs from all of them, also without regard to case.

    taken: names that must not be given.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.casefold() for name in taken}
        self._next: dict[str, int] = {}

    def name(self, wanted: str) -> str:
        """The name, or the first of NAME_2, NAME_3, ... that is free; it is taken from now on."""
        found = wanted
        n = self._next.get(wanted.casefold(), 2)
        while found.casefold() in self._taken:
            found = f"{wanted}_{n}"
            n += 1
        self._next[wanted.casefold()] = n
        self._taken.add(found.casefold())
        return found
