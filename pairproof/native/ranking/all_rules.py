"""The rankings of one table by every rule that shared translation tasks have used, side by side.

    origwmt, bojar, expected-wins, playoffs      scores (:mod:`pairproof.native.ranking.shared_task_rules`)
    lopez, most-probable                         orders that contradict least
                                                 (:mod:`pairproof.native.ranking.feedback_arc`)

Hopkins and May (2013, section 2) list them to ask how one could know which is right; what a ranking leaves
out (how far apart two neighbours are) a fitted model has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...data.comparisons import Comparisons
from ...data.options import whole_number
from ...data.tracks import check_one_track
from ...errors import InputError
from . import shared_task_rules
from .feedback_arc import Order, minimum_feedback_arc_set, most_probable_ranking


@dataclass(frozen=True)
class Ranking:
    """One rule's ranking of a table's systems.

    ranking: best first; empty if the rule gives none.  notes: equal scores, systems without a score, why
    there is no ranking.
    """

    rule: str
    ranking: tuple[str, ...]
    notes: tuple[str, ...] = ()


def all_rankings(table: Comparisons, seed: int = 0) -> dict[str, Ranking]:
    """Every rule's ranking of the systems that are compared.

    Returns dict of rule to Ranking: a rule that refuses the table says why in its notes.
    """
    whole_number("seed", seed)
    check_one_track(table)
    own = table.only_compared()
    rules: Mapping[str, Callable[[], shared_task_rules.Scores | Order]] = {
        "origwmt": lambda: shared_task_rules.orig_wmt(own),
        "bojar": lambda: shared_task_rules.bojar(own),
        "lopez": lambda: minimum_feedback_arc_set(own),
        "most-probable": lambda: most_probable_ranking(own),
        "playoffs": lambda: shared_task_rules.monte_carlo_playoffs(own, seed=seed),
        "expected-wins": lambda: shared_task_rules.expected_wins(own),
    }
    return {name: _ranking(name, rule) for name, rule in rules.items()}


def _ranking(name: str, rule: Callable[[], shared_task_rules.Scores | Order]) -> Ranking:
    try:
        found = rule()
    except InputError as refusal:
        return Ranking(name, (), (f"no ranking: {refusal}",))
    if isinstance(found, Order):
        return Ranking(name, found.ranking, () if found.unique else ("other orders contradict as little",))
    notes = []
    lacking = [item for item, value in zip(found.items, found.values) if np.isnan(value)]
    if lacking:
        notes.append(f"no score: {', '.join(lacking)}")
    values = found.values[~np.isnan(found.values)]
    if len(np.unique(values)) < len(values):
        notes.append("equal scores, in the order of the table")
    return Ranking(name, found.ranking, tuple(notes))
