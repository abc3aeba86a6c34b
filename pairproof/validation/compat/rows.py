"""All cases, and their numbers as rows of a table: prefmod's, reproduced, right, to 50 digits where there is one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...bridge.process.policy import BackendLike
from ...native.compat.catalogue import defect
from . import of_llbt, of_patterns, of_worths
from .case import Case
from .certified import CERTIFIED


def cases(name: str = "") -> tuple[Case, ...]:
    """The cases, in the order of the defects.

    name: only those of this defect.
    """
    found = [make() for make in (*of_patterns.CASES, *of_llbt.CASES, *of_worths.CASES)]
    wanted = defect(name).name if name else ""
    kept = [c for c in found if not wanted or c.defect == wanted]
    return tuple(sorted(kept, key=lambda c: ("BAN".index(c.of.id[0]), int(c.of.id[1:]), c.defect)))


@dataclass(frozen=True)
class CompatRow:
    """One number of a case.

    defect: name of the defect.  call, table: prefmod's call; the data in words.  prefmod: R's number; nan
    where prefmod has none.  reproduced: pairproof's with the defect.  `right`: pairproof's without it; nan
    where there is none.  certified: the right number to 50 digits; "" where it was not computed.  floor:
    largest difference of `reproduced` from `prefmod` that prefmod's own stop explains.
    """

    defect: str
    call: str
    table: str
    quantity: str
    prefmod: float
    reproduced: float
    right: float
    certified: str
    floor: float
    why: str

    @property
    def agrees(self) -> bool:
        """Whether the reproduced number is prefmod's, up to where prefmod stopped."""
        if math.isnan(self.prefmod) or math.isnan(self.reproduced):
            return math.isnan(self.prefmod) and math.isnan(self.reproduced)
        return abs(self.prefmod - self.reproduced) <= self.floor


def compat_rows(name: str = "", backend: BackendLike = None) -> tuple[CompatRow, ...]:
    """Every number of the cases.

    name: only of this defect.
    """
    rows = []
    for c in cases(name):
        found = zip(c.quantities, c.prefmod(backend), c.reproduced(), c.right())
        rows += [
            CompatRow(
                c.defect,
                c.call,
                c.table,
                quantity,
                float(theirs),
                float(ours),
                float(right),
                CERTIFIED.get((c.defect, c.call), {}).get(quantity, ""),
                c.floor,
                c.why,
            )
            for quantity, theirs, ours, right in found
        ]
    return tuple(rows)
