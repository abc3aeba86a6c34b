"""What another tool may show of a batch: the items' text and the columns that annotators see, nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....errors import InputError
from ..files import BATCH_COLUMNS

#: Names of variables that Mechanical Turk and Label Studio both accept.
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Names that belong to the controls and keys of a HIT.
_TAKEN = ("id", "range", "na", "touched", *BATCH_COLUMNS)


@dataclass(frozen=True)
class Sheet:
    """A batch as another tool may show it.

    per_hit: most items of a HIT.  show: the column of the items' text, then those shown beside it.  places:
    of each HIT.  hits: items in the stored order, with the cells of the columns in `show`.
    """

    campaign: str
    per_hit: int
    show: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    hits: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]

    def __post_init__(self) -> None:
        check_variables(self.show)


def check_variables(show: Sequence[str]) -> None:
    """Check that the columns that are shown can be variables of a layout."""
    if not show:
        raise InputError("nothing to show; expected the column of the items' text")
    for name in show:
        if not _VARIABLE.fullmatch(name):
            raise InputError(
                f"column {name!r}: variables of Mechanical Turk and Label Studio consist of letters, digits"
                " and _, and begin with a letter; rename the column in the items file"
            )
        if name in _TAKEN:
            raise InputError(
                f"column {name!r}: the controls and keys of a HIT have this name; rename the column in the"
                " items file"
            )
