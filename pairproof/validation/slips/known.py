"""What a known slip is: of the data, of the model, or of scale, inference and print.

A slip is a named transformation that a search can try and a report can name.  It has a stage (what it
changes), a cost (how far-fetched it is; readings are sorted by it), a sentence that completes "reproduced if
...", and a place where it was really seen.  The families of slips are in :mod:`.catalogue`.

Of the data: the model is right, but is fitted to a table that was read in the wrong way.  Of the model:
another treatment of ties, other cells, a penalty left at its default, or a solver that stopped early.  Of
numbers: the fit is right, but its numbers are given in another form.

Nothing here says that an author made a slip, only which numbers an author would get who had.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ...fit.fit import Fit
from ...numerics.arrays import FloatArray
from ..claims.printed import Printed
from ..claims.quantities import Quantity
from .values import Setting
from .variants import Model, Rows

Stage = Literal["data", "model", "scale", "inference", "print"]
STAGES: tuple[Stage, ...] = ("data", "model", "scale", "inference", "print")

RowChange = Callable[[Rows], Rows]
SettingChange = Callable[[Setting], Setting]


@dataclass(frozen=True)
class Situation:
    """A claim and its fit, from which a family of slips decides which of its slips are possible."""

    fit: Fit
    model: Model
    setting: Setting
    numbers: tuple[tuple[Quantity, Printed], ...] = ()
    matrix: bool = False
    steps: int = 0

    @property
    def rows(self) -> Rows:
        return self.model.rows

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(q.kind for q, _ in self.numbers)

    @property
    def outcome(self) -> str:
        """The outcomes of the model under the claim's treatment of ties."""
        return self.model.design(self.setting.solver.ties)[0].model

    def prints(self, kinds: str) -> bool:
        """Whether a number of one of these kinds is printed; of none, anything will do."""
        return not kinds or not self.kinds.isdisjoint(kinds.split())


@dataclass(frozen=True)
class Slip:
    """A slip that can be tried.

    sentence: completes "reproduced if ...".  quantity, alternative: for a slip of the print: the quantity
    concerned, and the number without the slip.  name: of its family, which a claims file may list under
    `accept`. group: two slips of one group exclude each other; "" for none.  order: slips of the data are
    applied in this order, from small to large.  What all slips of a family have is filled in by :meth:`Family.slip`.
    """

    sentence: str
    rows: RowChange | None = field(default=None, compare=False)
    change: SettingChange | None = field(default=None, compare=False)
    quantity: str = ""
    alternative: Printed | None = field(default=None, compare=False)
    cost: int = 0
    name: str = ""
    stage: Stage = "data"
    group: str = ""
    order: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.sentence


@dataclass(frozen=True)
class Family:
    """A family of slips with one name."""

    name: str
    stage: Stage
    cost: int
    drafts: Callable[[Situation], Iterable[Slip]]
    what: str
    seen: str
    group: str = ""
    order: int = 0
    affects: str = ""

    def slips(self, situation: Situation) -> list[Slip]:
        """The slips of this family that are possible here."""
        return [self.slip(d) for d in self.drafts(situation)] if situation.prints(self.affects) else []

    def slip(self, draft: Slip) -> Slip:
        """The slip of this family of which a draft says the sentence, the change and perhaps the cost."""
        cost = draft.cost or self.cost
        return replace(draft, name=self.name, stage=self.stage, cost=cost, group=self.group, order=self.order)


def given(sentence: str, cost: int = 0, **fields: Any) -> Slip:
    """A slip that changes these fields of the setting: numbers are given in another form."""
    return Slip(sentence, change=lambda s: replace(s, **fields), cost=cost)


def one_factor(value: FloatArray, unit: FloatArray, own: FloatArray) -> tuple[float, float]:
    """The least and the largest factor that all printed numbers may be of the computed ones; the least is larger
    where no factor will do."""
    ends = np.sort(np.stack([value - unit / 2.0, value + unit / 2.0]) / own, axis=0)
    return float(ends[0].max()), float(ends[1].min())


# -- print ---------------------------------------------------------------------------------------------------


def plain(printed: Printed) -> str:
    """The number without marks, degrees of freedom, and Unicode signs."""
    text = printed.text.partition(" on ")[0].replace("\u2212", "-").replace("\u2013", "-").strip()
    found = re.match(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text)
    return found[0] if found else ""


def transposed(printed: Printed) -> list[str]:
    """Exchange two neighbouring digits of a number, in every way that gives another number of the same form."""
    if printed.is_bound:
        return []
    text = plain(printed)
    mantissa = re.split("[eE]", text)[0]
    digits = [k for k, c in enumerate(mantissa) if c.isdigit()]
    if mantissa.lstrip("+-").startswith("0."):
        digits = digits[1:]  # the zero before the decimal point is not exchanged
    found = []
    for a, b in zip(digits, digits[1:]):
        leads = a == digits[0] and "." not in text[a:b] and mantissa.lstrip("+-")[0] != "0"
        if text[a] != text[b] and not (leads and text[b] == "0"):
            swapped = list(text)
            swapped[a], swapped[b] = text[b], text[a]
            found.append("".join(swapped))
    return found
