"""Every defect of R's prefmod (`known_defects.toml`): what it does, what is right, how its number is reproduced.

B1 to B13 give another number without a word; B14 to B25 follow.  A1 to A18 are prefmod's answers to awkward
input, N1 to N4 how it prints numbers that are right.  A user's `compat` option chooses among them by name:

compat = "prefmod"                         those that prefmod shows on this call
compat = "prefmod:B1-ties-as-losses"       that one
compat = ("prefmod:B4", "prefmod:B24")     these two (the identifier is enough where one defect has it)
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...errors import InputError
from ...files.packaged import packaged_toml

#: What a defect changes: the answers and persons that enter the model, the model that is fitted, numbers that
#: are computed from a fit; or there is no number of prefmod's to reproduce.
ActsOn = Literal["data", "model", "result", "no number"]


@dataclass(frozen=True)
class Evidence:
    """One number as prefmod gives it, and as it is.
    quantity: what the number is, and of which data.  prefmod: as prefmod 0.8-36 gave it (0.8-37 gives the
    same).  `right`: the number without the defect; "" where there is none."""

    quantity: str
    prefmod: str
    right: str = ""


@dataclass(frozen=True)
class Defect:
    """A defect of prefmod 0.8-36 and 0.8-37.
    name: the option: an identifier, and words.  B1 to B25 are the defects found by running prefmod, A1 to A18
    its answers to awkward input, N1 to N4 the ways in which right numbers are printed.  functions: prefmod's
    functions that have it.  `right`: what is right, and what pairproof does.  `how`: how the number is
    reproduced, or why it is not and what to do.  told: whether prefmod's answer to a call shows from the data
    alone that it has the defect, so that ``compat = "prefmod"`` applies it; others are applied by name
    only."""

    name: str
    acts_on: ActsOn
    functions: tuple[str, ...]
    does: str
    right: str
    how: str
    evidence: tuple[Evidence, ...] = ()
    told: bool = False

    @property
    def id(self) -> str:
        """The identifier, such as "B1"."""
        return self.name.partition("-")[0]

    @property
    def option(self) -> str:
        """The value of `compat` that applies this defect alone."""
        return f"prefmod:{self.name}"

    @property
    def reproducible(self) -> bool:
        """Whether pairproof can give prefmod's number."""
        return self.acts_on != "no number"

    @property
    def words(self) -> str:
        """The name without the identifier, in words."""
        return self.name.partition("-")[2].replace("-", " ")

    def __str__(self) -> str:
        changes = f"changes the {self.acts_on}" if self.reproducible else "no number"
        lines = [f"{self.name} ({changes}; {', '.join(self.functions)})", f"prefmod: {self.does}"]
        lines += [f"right: {self.right}", f"{'' if self.reproducible else 'not '}reproduced: {self.how}"]
        for e in self.evidence:
            right = f", right {e.right}" if e.right else ""
            lines.append(f"  {e.quantity}: prefmod {e.prefmod}{right}")
        return "\n".join(lines)


@lru_cache(maxsize=1)
def known_defects() -> dict[str, Defect]:
    """Name -> defect, those of `known_defects.toml` in its order."""
    found = {}
    for row in packaged_toml(__package__, "known_defects.toml")["defect"]:
        evidence = tuple(Evidence(*texts) for texts in row.pop("evidence", ()))
        functions = tuple(row.pop("functions"))
        found[row["name"]] = Defect(**row, functions=functions, evidence=evidence)
    return found


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
            known = ", ".join(
                e.name for e in known_defects().values() if e.reproducible and function in e.functions
            )
            raise InputError(
                f"{d.name} is a defect of {', '.join(d.functions)}, not of {function}, whose defects are: {known or 'none'}"
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
