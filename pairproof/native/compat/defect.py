"""What a defect of prefmod is: data about it, with a name that a user can give as an option."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: What a defect changes: the answers and persons that enter the model, the model that is fitted, numbers that
#: are computed from a fit; or there is no number of prefmod's to reproduce.
ActsOn = Literal["data", "model", "result", "no number"]


@dataclass(frozen=True)
class Evidence:
    """One number as prefmod gives it, and as it is.

    Attributes
    ----------
    quantity : str
        What the number is, and of which data.
    prefmod : str
        As prefmod 0.8-36 gave it (0.8-37 gives the same).
    right : str
        The number without the defect; "" where there is none.

    Examples
    --------
    >>> from pairproof.native.compat.catalogue import defect
    >>> print(defect("B21").evidence[0].right)
    .185
    """

    quantity: str
    prefmod: str
    right: str = ""


@dataclass(frozen=True)
class Defect:
    """A defect of prefmod 0.8-36 and 0.8-37.

    Attributes
    ----------
    name : str
        The option: an identifier, and words.  B1 to B25 are the defects found by running prefmod, A1 to A18 its
        answers to awkward input, N1 to N4 the ways in which right numbers are printed.
    acts_on : {"data", "model", "result", "no number"}
    functions : tuple of str
        prefmod's functions that have it.
    does : str
        What prefmod does.
    right : str
        What is right, and what pairproof does.
    how : str
        How the number is reproduced, or why it is not and what to do.
    evidence : tuple of Evidence
    told : bool
        Whether prefmod's answer to a call shows from the data alone that it has the defect, so that ``compat =
        "prefmod"`` applies it; others are applied by name only.

    Examples
    --------
    >>> from pairproof.native.compat.catalogue import defect
    >>> found = defect("B1")
    >>> found.name, found.acts_on, found.option
    ('B1-ties-as-losses', 'data', 'prefmod:B1-ties-as-losses')
    """

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
        lines = [
            f"{self.name} ({'changes the ' + self.acts_on if self.reproducible else 'no number'};"
            f" {', '.join(self.functions)})",
            f"prefmod: {self.does}",
            f"right: {self.right}",
            f"{'reproduced' if self.reproducible else 'not reproduced'}: {self.how}",
        ]
        lines += [
            f"  {e.quantity}: prefmod {e.prefmod}" + (f", right {e.right}" if e.right else "")
            for e in self.evidence
        ]
        return "\n".join(lines)
