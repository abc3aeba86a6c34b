"""The register of known slips: each is a named transformation that a search can try and a report can name.

A slip has a stage (what it changes), a cost (how far-fetched it is; readings are listed by it), a sentence
that completes "comes out if ...", and a place where it was really seen.  The families of slips stand in
:mod:`.catalogue`; :mod:`.of_data`, :mod:`.of_model`, and :mod:`.of_numbers` (scale, inference and print) draft
their slips.

Nothing here says that an author made a slip, only which numbers would come out if an author had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from ...fit.fit import Fit
from ..claims.printed import Printed
from ..claims.quantities import Quantity, kind_of
from .fits import Model
from .rows import Rows
from .values import Setting

Stage = Literal["data", "model", "scale", "inference", "print"]
STAGES: tuple[Stage, ...] = ("data", "model", "scale", "inference", "print")

RowChange = Callable[[Rows], Rows]
SettingChange = Callable[[Setting], Setting]


@dataclass(frozen=True)
class Situation:
    """A claim and its fit, from which a family of slips decides which of its slips are possible.

    fit: the native fit of the claim as it is made.  kinds: kinds of the printed quantities.  matrix: whether
    the claims file gives the data as a matrix.  steps: steps that R's glm takes on the claim's own table; 0
    if it has no such fit.
    """

    fit: Fit
    model: Model
    setting: Setting
    kinds: frozenset[str]
    numbers: tuple[tuple[Quantity, Printed], ...] = ()
    matrix: bool = False
    steps: int = 0

    @property
    def rows(self) -> Rows:
        return self.model.rows


@dataclass(frozen=True)
class Slip:
    """A slip that can be tried.

    name: the name of its family, which a claims file may list under `accept`.  sentence: completes "comes out
    if ...".  group: two slips of one group exclude each other; "" for none.  order: slips of the data are
    applied in this order, from small to large.  quantity, alternative: for a slip of the print: the quantity
    concerned, and the number without the slip.
    """

    name: str
    stage: Stage
    cost: int
    sentence: str
    group: str = ""
    order: int = 0
    rows: RowChange | None = field(default=None, compare=False)
    change: SettingChange | None = field(default=None, compare=False)
    quantity: str = ""
    alternative: Printed | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.sentence


@dataclass(frozen=True)
class Draft:
    """The part of a slip that distinguishes it from the other slips of its family."""

    sentence: str
    rows: RowChange | None = None
    change: SettingChange | None = None
    quantity: str = ""
    alternative: Printed | None = None
    cost: int = 0


@dataclass(frozen=True)
class Family:
    """A family of slips with one name.

    name, stage, cost, group, order: as in :class:`Slip`.  drafts: those that are possible in a situation.
    `what`: the slip in general, for a list of them.  `seen`: where it was really seen, or that no print of it
    was found.  affects: kinds of printed numbers it can change, with spaces between them; empty for all.
    """

    name: str
    stage: Stage
    cost: int
    drafts: Callable[[Situation], Iterable[Draft]]
    what: str
    seen: str
    group: str = ""
    order: int = 0
    affects: str = ""

    def slips(self, situation: Situation) -> list[Slip]:
        """The slips of this family that are possible here."""
        if self.affects and situation.kinds.isdisjoint(self.affects.split()):
            return []
        return [self.slip(draft) for draft in self.drafts(situation)]

    def slip(self, draft: Draft) -> Slip:
        """The slip of this family that a draft describes."""
        cost = draft.cost or self.cost
        own = (self.name, self.stage, cost, draft.sentence, self.group, self.order)
        return Slip(*own, draft.rows, draft.change, draft.quantity, draft.alternative)


def printed_kinds(names: Iterable[str]) -> frozenset[str]:
    return frozenset(kind_of(n) for n in names)
