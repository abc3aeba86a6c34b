"""Python names for the variables of an R script: the script's own where Python can have them.

========================  ===================  ==========================================================
R                         Python               because
========================  ===================  ==========================================================
``m``                     ``m``
``fit.1``, ``fits$a``     ``fit_1``, ``fits_a``  other characters than letters and digits become "_"
``lambda``, ``print``     ``lambda_``, ...     Python's own words
``pairproof``, ``Path``   ``pairproof_``, ...  words of the script that is written
none                      ``fit_12``           after the line
========================  ===================  ==========================================================
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable

#: Names that a script that is written uses itself.
OWN = ("pairproof", "Path", "HERE")
_MOST = 60
_TAKEN = frozenset([*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *OWN])


def identifier(word: str) -> str:
    """A word as a Python name; "" if nothing is left of it."""
    # Python itself takes names that differ in their compatibility form only for one name.
    normal = unicodedata.normalize("NFKC", word[: 4 * _MOST])
    name = "".join(c if c == "_" or ("a" + c).isidentifier() else "_" for c in normal)
    name = re.sub(r"__+", "_", name)[:_MOST].strip("_")
    if not name:
        return ""
    if not name.isidentifier():
        # A digit, or a mark that joins the letter before it, so that both become one.
        name = unicodedata.normalize("NFKC", "x" + name)
    return name + "_" if name in _TAKEN else name


class Names:
    """Python names given so far, each to one thing.

    taken: names that must not be given, beside Python's own and the script's.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*_TAKEN, *taken}
        self._next: dict[str, int] = {}

    def name(self, word: str, otherwise: str) -> str:
        """The word as a name; where it is taken, the first of NAME_2, NAME_3, ... that is free.

        otherwise: for a word of which nothing is left.
        """
        wanted = identifier(word) or identifier(otherwise) or "value"
        found, n = wanted, self._next.get(wanted, 2)
        while found in self._taken:
            found, n = f"{wanted}_{n}", n + 1
        self._next[wanted] = n
        self._taken.add(found)
        return found
