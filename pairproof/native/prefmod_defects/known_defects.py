"""Every defect of R's prefmod (`known_defects.toml`): what it does, what is right, how its number is reproduced.

B1 to B13 give another number without a word; B14 to B25 follow.  A1 to A18 are prefmod's answers to awkward
input, N1 to N4 how it prints numbers that are right.  The name of a defect can be given as an option
(`compat`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

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
