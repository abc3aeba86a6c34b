"""The design of a campaign: what annotators see, who judges what, and which judgments count."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from ...data.options import one_of
from ...errors import InputError

Arrange = Literal["any", "same-source"]
OnRepeat = Literal["first", "last", "both"]
#: Of an annotator.
State = Literal["invited", "qualified", "active", "excluded"]
#: Properties of an item that columns of the items file give; annotators never see them.
RESERVED = ("role", "of", "source", "system", "gold")
#: Roles of items; only `item` has a score, is allocated and counts for systems.
ROLES = ("item", "degraded", "gold", "calibration", "attention", "qualification")
#: What a slot of a HIT is for: the role of its item, or a planned repeat.
KINDS = ("item", "repeat", *ROLES[1:])


@dataclass(frozen=True)
class Design:
    """The design of a campaign, fixed when it is made.

    text: column that holds the item's text; `id` if the items have no other.  show: columns that annotators
    see beside the text.  arrange: whether a HIT may hold any items or holds the outputs of one source.
    judgments: different annotators for each HIT.  repeats, degraded, gold: shares of all slots, 0 to below 1,
    for items judged again, for degraded items and for gold items.  qualify: what an annotator must reach in
    the qualification batch, such as "spearman>=.5"; "" for no rule.  on_repeat: which answers count if an
    annotator answers a HIT more than once.  pay_hour: pay of an hour of annotation, for the cost in `status`.
    partial: whether annotators may leave items of a HIT unanswered.  columns: reserved name -> column of the
    items file that gives it; "" if the column of that name means something else.
    """

    text: str = "sent"
    show: tuple[str, ...] = ()
    arrange: Arrange = "any"
    judgments: int = 1
    repeats: float = 0.0
    degraded: float = 0.0
    gold: float = 0.0
    qualify: str = ""
    on_repeat: OnRepeat = "first"
    pay_hour: float | None = None
    partial: bool = False
    columns: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of("arrange", self.arrange, get_args(Arrange))
        one_of("on_repeat", self.on_repeat, get_args(OnRepeat))
        if self.judgments < 1:
            raise InputError(f"judgments={self.judgments}; expected at least 1 annotator a HIT")
        for name in ("repeats", "degraded", "gold"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise InputError(f"{name}={getattr(self, name)}; expected a share of slots, 0 to below 1")
        total = self.repeats + self.degraded + self.gold
        if total >= 1.0:
            raise InputError(
                f"repeats, degraded and gold take {total:g} of all slots; expected less than 1, so that"
                " slots are left for items"
            )
        if self.pay_hour is not None and not 0.0 < self.pay_hour < float("inf"):
            raise InputError(f"pay_hour={self.pay_hour}; expected a number above 0")

    @property
    def hidden(self) -> tuple[str, ...]:
        """Columns of the items file that annotators never see."""
        return tuple(dict.fromkeys(c for c in (self.columns.get(name, name) for name in RESERVED) if c))

    def shown(self, more: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The columns that annotators see beside the text, those asked for later included."""
        bad = [name for name in (*self.show, *more) if name == "id" or name in self.hidden]
        if bad:
            raise InputError(
                f"--show {bad[0]}: annotators must not see this column, because it can tell which system or"
                f" which known score an item has; hidden are id, {', '.join(self.hidden)}"
            )
        return tuple(dict.fromkeys(name for name in (*self.show, *more) if name != self.text))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Design:
        known: dict[str, Any] = {**stored, "show": tuple(stored.get("show", ()))}
        return Design(**known)
