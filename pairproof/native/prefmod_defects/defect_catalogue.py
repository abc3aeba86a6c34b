"""Every defect of R's prefmod, by name; and what a user's `compat` option chooses among them.

compat = "prefmod"                         those that prefmod shows on this call
compat = "prefmod:B1-ties-as-losses"       that one
compat = ("prefmod:B4", "prefmod:B24")     these two (the identifier is enough where one defect has it)

Defects B14 to B25 of prefmod.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError
from .known_defects import Defect, known_defects

PREFIX = "prefmod"


def defects(function: str = "", reproducible: bool | None = None) -> tuple[Defect, ...]:
    """The defects of prefmod 0.8-36 and 0.8-37.

    Parameters
    ----------
    function : str
        Only those of this function of prefmod, such as "pattPC.fit".
    reproducible : bool, optional
        Only those whose number pairproof can give (True), or cannot (False).

    Returns
    -------
    tuple of Defect
        Each prints as what prefmod does, what is right, and how it is reproduced.

    Raises
    ------
    InputError
        No defect is known of such a function.

    Examples
    --------
    >>> from pairproof.native.prefmod_defects.defect_catalogue import defects
    >>> [d.name for d in defects("llbt.worth", reproducible=True)]  # doctest: +NORMALIZE_WHITESPACE
    ['B6-names-unread', 'B7-sum-contrasts-read-as-treatment', 'B7-one-column-of-cov-sel',
     'B21-worths-of-groups-of-items']
    """
    known = {f for d in known_defects().values() for f in d.functions}
    if function and function not in known:
        raise InputError(f"no defect is known of {function!r}; there are some of {', '.join(sorted(known))}")
    every = (d for d in known_defects().values() if not function or function in d.functions)
    return tuple(d for d in every if reproducible in (None, d.reproducible))


def defect(name: str) -> Defect:
    """One defect.

    Parameters
    ----------
    name : str
        Such as "B1-ties-as-losses", "prefmod:B1-ties-as-losses" or "B1".

    Returns
    -------
    Defect

    Raises
    ------
    InputError
        There is no such name, or two defects have the identifier.

    Examples
    --------
    >>> from pairproof.native.prefmod_defects.defect_catalogue import defect
    >>> print(defect("B8"))
    B8-names-within-names (no number; llbt.worth)
    prefmod: stops if the name of a covariate is part of another covariate's or of an item's (AGE and AGE2, o and o1).
    right: Names have no influence on worths.
    not reproduced: R stops; worth() gives the table.
    """
    if not isinstance(name, str):
        raise InputError(f"compat={name!r}; expected names such as 'prefmod:B1-ties-as-losses'")
    short = name.removeprefix(f"{PREFIX}:").strip()
    known = known_defects()
    if short in known:
        return known[short]
    same = [d for d in known.values() if d.id == short]
    if len(same) == 1:
        return same[0]
    if same:
        names = " and ".join(d.name for d in same)
        raise InputError(f"{short} is the identifier of {names}; name one of them")
    near = difflib.get_close_matches(short, known, 1, 0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(f"no defect {short!r} of prefmod is known{hint} (defects() lists all {len(known)})")


@dataclass(frozen=True)
class Chosen:
    """The defects that a `compat` option asks for.
    function: prefmod's function that is to be reproduced.  names: defects asked for by name; empty for
    ``compat = "prefmod"``.  everything: whether all are meant that prefmod shows on the call."""

    function: str
    names: tuple[str, ...]
    everything: bool

    def has(self, name: str) -> bool:
        """Whether the defect is to be applied, where it changes anything."""
        if not self.everything:
            return name in self.names
        found = known_defects()[name]
        return name in self.names or (found.told and self.function in found.functions)


def choose(compat: str | Sequence[str], function: str) -> Chosen:
    """The defects that a `compat` option asks for.  function: prefmod's function that is to be reproduced."""
    words = asked_for(compat)
    found = [defect(w) for w in words if w != PREFIX]
    for d in found:
        if not d.reproducible:
            raise InputError(f"{d.name} is not reproducible: {d.how}")
        if function not in d.functions:
            known = ", ".join(e.name for e in defects(function, True)) if _known(function) else "none"
            raise InputError(
                f"{d.name} is a defect of {', '.join(d.functions)}, not of {function}, whose defects are: {known}"
            )
    return Chosen(function, tuple(d.name for d in found), PREFIX in words)


def asked_for(compat: str | Sequence[str]) -> list[str]:
    """The words of a `compat` option.  Returns list of str: empty for "" and for no words."""
    words = [compat] if isinstance(compat, str) else compat
    if not isinstance(words, (list, tuple)) or not all(isinstance(w, str) for w in words):
        raise InputError(
            f"compat={compat!r}; expected 'prefmod', or names such as 'prefmod:B1-ties-as-losses'"
        )
    return [w for w in words if w]


def _known(function: str) -> bool:
    return any(function in d.functions for d in known_defects().values())
