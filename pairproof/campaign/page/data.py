"""What a page shows, and nothing beside it.

An annotator who opens the page's source must not learn which system wrote an item, so the page holds the
item's text and the columns that the design shows, and no id of the campaign: a slot is called `h3s1`, the
first of HIT 3.  `update` finds the items again by campaign, batch and HIT.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ...errors import InputError
from .texts import Texts


@dataclass(frozen=True)
class PageSlot:
    """One item to judge.

    shown: the cells of the further columns that the design shows, in the order of `PageData.show`.
    """

    text: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageHit:
    """Items that stand together.

    number: of the HIT in its batch, from 1.  slots: in the HIT's stored order, which is that of the results.
    order: positions of the slots, from 0, as they stand on the page; blank: as stored.
    """

    number: int
    slots: tuple[PageSlot, ...]
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class PageData:
    """A page of HITs for one annotator, or for whoever opens it.

    Scores run from 0 to 100, as in the results file.

    hits: as the annotator meets them.  per_hit: items in a HIT, the number of the result's columns; a HIT may
    have fewer.  show: names of the further columns that are shown.  annotator: the name that the results
    bear; blank: the page asks for it, or takes it from its address (`?name=`, `?PROLIFIC_PID=`).  token: a
    mark of the annotator, which the results bear, and their file's name in place of the annotator's; blank:
    none.  partial: whether an annotator may leave items without an answer.
    """

    campaign: str
    batch: int
    hits: tuple[PageHit, ...]
    per_hit: int
    show: tuple[str, ...] = ()
    annotator: str = ""
    token: str = ""
    texts: Texts = Texts()
    partial: bool = False

    def __post_init__(self) -> None:
        if not self.hits:
            raise InputError("the page would have no HITs; expected at least one")
        count = Counter(hit.number for hit in self.hits)
        twice = sorted(number for number, times in count.items() if times > 1)
        if twice:
            raise InputError(f"HIT {twice[0]} appears {count[twice[0]]} times on the page; expected once")
        for hit in self.hits:
            n = len(hit.slots)
            if not 1 <= n <= self.per_hit:
                raise InputError(f"HIT {hit.number}: {n} items; expected 1 to {self.per_hit}")
            if hit.order and sorted(hit.order) != list(range(n)):
                raise InputError(f"HIT {hit.number}: order {hit.order}; expected each of 0 to {n - 1} once")
            if any(len(slot.shown) != len(self.show) for slot in hit.slots):
                raise InputError(f"HIT {hit.number}: a slot does not have the {len(self.show)} shown columns")

    def ids(self, hit: PageHit) -> tuple[str, ...]:
        """The names of a HIT's slots in the results, which say nothing about the items."""
        return tuple(f"h{hit.number}s{k}" for k in range(1, len(hit.slots) + 1))
