"""What an item without a rank means, which a table of rankings does not say and no reader guesses.

    absent   the item was not presented (R's PlackettLuce reads 0 and NA so)
    below    it was presented, and every item with a rank was preferred to it (prefmod's pattR reads NA so)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from ....errors import InputError
from ....text import quoted
from ...columns import FloatArray, IntArray
from ...reading.cells import MISSING_WORDS, BoolArray, shown
from ...reading.table import Table
from ..codes import ABSENT, BELOW

#: "absent", "below", or {code: one of these}, for example {0: "below", "NA": "absent"}.
UnrankedLike = Union[str, Mapping[Any, str], None]
MEANINGS = {"absent": ABSENT, "below": BELOW}
SAY = "say what that means: 'absent' (not presented) or 'below' (presented, and below all items with a rank)"


@dataclass(frozen=True)
class Unranked:
    """Meanings of cells without a rank.

    of_blank: BELOW or ABSENT for a blank cell or NA; None if it was not said.  of_number: the same for
    numbers that are no ranks.
    """

    of_blank: int | None
    of_number: Mapping[float, int]

    @classmethod
    def read(cls, stated: UnrankedLike) -> Unranked:
        """Check what was stated."""
        if stated is None or isinstance(stated, str):
            return cls(None if stated is None else _meaning(stated), {})
        if not isinstance(stated, Mapping):
            raise InputError(
                f"unranked={quoted(stated)}; expected 'absent', 'below' or a mapping of codes to these"
            )
        of_blank: int | None = None
        of_number: dict[float, int] = {}
        for code, meaning in stated.items():
            if code is None or code != code or str(code).strip() in {"", *MISSING_WORDS}:
                of_blank = _meaning(meaning)
                continue
            try:
                of_number[float(code)] = _meaning(meaning)
            except (TypeError, ValueError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(
                    f"unranked has the code {quoted(code)}; expected a number, or 'NA'"
                ) from error
        return cls(of_blank, of_number)

    def codes(self, table: Table, columns: list[str], values: FloatArray, zero_based: bool) -> IntArray:
        """int[n, J]: ranks from 1 in the order of the numbers, BELOW or ABSENT where there is none.

        columns: where the numbers stand, for messages.  values float[n, J]: nan for a blank cell.
        zero_based: whether 0 is a rank, the best.
        """
        found = np.zeros(values.shape, np.int64)
        rank = np.isfinite(values)
        for number, meaning in self.of_number.items():
            found[values == number] = meaning
            rank &= values != number
        blank = np.isnan(values)
        found[blank] = self.of_blank or 0
        unclear = blank if self.of_blank is None else np.zeros(values.shape, bool)
        for k in np.flatnonzero(unclear.any(axis=0)):
            raise table.refuse(unclear[:, k], columns[k], "no rank", f"{SAY}, unranked='absent' or 'below'")
        zero = rank & (values == 0) & (not zero_based)
        for k in np.flatnonzero(zero.any(axis=0)):
            raise table.refuse(
                zero[:, k],
                columns[k],
                "the rank is 0",
                f"if that is no rank {SAY}, unranked={{0: 'absent'}} (as R's PlackettLuce reads it) or {{0: 'below'}}; if"
                " 0 is the best rank pass zero_based=True",
            )
        negative = rank & (values < 0)
        for k in np.flatnonzero(negative.any(axis=0)):
            raise table.refuse(
                negative[:, k],
                columns[k],
                f"the rank is {shown(table, columns[k], negative[:, k])}",
                "expected 1 for the best item, 2 for the next; if this is no rank state its meaning, for example"
                " unranked={-1: 'absent'}",
            )
        if rank.any():
            _, places = np.unique(values[rank], return_inverse=True)
            found[rank] = places.reshape(-1) + 1
        return found

    def of_unlisted(
        self, table: Table, unlisted: BoolArray, items: tuple[str, ...], column: str, rows: IntArray
    ) -> int:
        """The meaning of an item that a person does not name.

        unlisted bool[n, J]: where persons do not name items.  rows int[n]: the row of the table in which each
        person's ranking begins, for messages.
        """
        if self.of_blank is not None or not unlisted.any():
            return ABSENT if self.of_blank is None else self.of_blank
        persons = np.flatnonzero(unlisted.any(axis=1))
        item = items[int(np.argmax(unlisted[persons[0]]))]
        such = f" ({len(persons)} such rankings)" if len(persons) > 1 else ""
        raise InputError(
            f"{table.where(int(rows[persons[0]]), column)}: the ranking that begins here has no place for"
            f" {quoted(item)}{such}; {SAY}, unranked='absent' or 'below'"
        )


def _meaning(word: Any) -> int:
    if word not in MEANINGS:
        raise InputError(f"unranked has the meaning {quoted(word)}; expected 'absent' or 'below'")
    return MEANINGS[word]
