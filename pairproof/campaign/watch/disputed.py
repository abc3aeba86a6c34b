"""The items of a campaign that annotators disagree on most, beyond what their noise would give.

The statistic is that of :mod:`pairproof.native.annotation.quality.disagreement`: a generous or a noisy annotator is no
disagreement about an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import NotEstimableError
from ...native.annotation.quality.disagreement import disagreement
from ..storage.answers import Answers, answers_of
from ..storage.items import Items, items_of
from .own_answers import own_scores
from .reading import Campaign, reading

if TYPE_CHECKING:
    import pandas as pd

#: Items whose single scores are kept.
MOST = 100


@dataclass(frozen=True)
class DisputedItem:
    """One item on which annotators disagree.

    n: scores.  spread, expected: standard deviation of its scores without the annotators' locations, and what
    their noise would give.  p, p_holm: chi-square; alone, and corrected for the number of items.  scores:
    annotator ("" if not named) and score, from the lowest.
    """

    id: str
    n: int
    spread: float
    expected: float
    p: float
    p_holm: float
    scores: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Disputed:
    """The items that annotators disagree on most, the most disputed first.

    rows: at most 100.  n: items with two scores or more.  significant: those with p_holm of .05 or less.
    why: why there are none; "" if there are.
    """

    rows: tuple[DisputedItem, ...]
    n: int
    significant: int
    why: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `easl status --items-disagree`."""
        rows = [{**vars(r), "scores": [list(s) for s in r.scores]} for r in self.rows]
        return {"items": self.n, "significant": self.significant, "why": self.why, "most": rows}

    def to_frame(self) -> pd.DataFrame:
        """A row an item."""
        import pandas as pd

        rows = [{k: v for k, v in vars(r).items() if k != "scores"} for r in self.rows]
        return pd.DataFrame(rows).set_index("id") if rows else pd.DataFrame()


def items_disputed(campaign: Campaign) -> Disputed:
    """The items of a campaign that annotators disagree on most."""
    with reading(campaign) as store:
        return disputed(answers_of(store), items_of(store))


def disputed(answers: Answers, items: Items) -> Disputed:
    """The same from answers and items that were read before."""
    rows = own_scores(answers) & (answers.annotator >= 0)
    if not rows.any():
        return Disputed((), 0, 0, "no scores by named annotators yet")
    what = answers.item[rows]
    try:
        found = disagreement(what, answers.annotator[rows], answers.value[rows])
    except NotEstimableError as error:
        return Disputed((), 0, 0, str(error))
    several = np.flatnonzero(found.n > 1)
    order = several[np.lexsort((-found.spread[several], found.p[several]))][:MOST]
    positions = [int(found.items[k]) for k in order.tolist()]
    given: dict[int, list[tuple[str, float]]] = {position: [] for position in positions}
    among = np.isin(what, np.array(positions, np.int64))
    for item, who, value in zip(
        what[among].tolist(), answers.annotator[rows][among].tolist(), answers.value[rows][among].tolist()
    ):
        given[item].append((answers.names[who], value))
    table = tuple(
        DisputedItem(
            items.ids[position],
            int(found.n[k]),
            float(found.spread[k]),
            float(found.expected[k]),
            float(found.p[k]),
            float(found.p_holm[k]),
            tuple(sorted(given[position], key=lambda s: (s[1], s[0]))),
        )
        for k, position in zip(order.tolist(), positions)
    )
    return Disputed(table, len(several), int((found.p_holm[several] <= 0.05).sum()), "")
