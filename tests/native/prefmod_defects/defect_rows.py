"""All cases, and their numbers as rows of a table: prefmod's, reproduced, right, to 50 digits where there is one.

The right numbers of the cases to 50 digits: made by `python -m tests.native.prefmod_defects.certify`, with mpmath.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from pairproof.bridge.process.policy import BackendLike
from pairproof.files.packaged import packaged_json
from pairproof.native.prefmod_defects.defect_catalogue import defect
from tests.native.prefmod_defects import llbt_cases as of_llbt, pattern_cases as of_patterns
from tests.native.prefmod_defects.llbt_cases import Case


@lru_cache(maxsize=1)
def certified() -> dict[tuple[str, str], dict[str, str]]:
    """(defect, call) -> quantity -> number."""
    rows = packaged_json(__package__, "prefmod_defects_50_digits.json")
    return {(row["defect"], row["call"]): row["values"] for row in rows}


def cases(name: str = "") -> tuple[Case, ...]:
    """The cases, in the order of the defects."""
    found = [make() for make in (*of_patterns.CASES, *of_llbt.CASES_OF_LLBT, *of_llbt.CASES_OF_WORTHS)]
    wanted = defect(name).name if name else ""
    kept = [c for c in found if not wanted or c.defect == wanted]
    return tuple(sorted(kept, key=lambda c: ("BAN".index(c.of.id[0]), int(c.of.id[1:]), c.defect)))


@dataclass(frozen=True)
class CompatRow:
    """One number of a case."""

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
    """Every number of the cases."""
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
                certified().get((c.defect, c.call), {}).get(quantity, ""),
                c.stop.floor,
                c.stop.why,
            )
            for quantity, theirs, ours, right in found
        ]
    return tuple(rows)
