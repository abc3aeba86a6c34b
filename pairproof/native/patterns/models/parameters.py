"""The parameters of a pattern model beside those of the items: ties, dependence, links between times."""

from __future__ import annotations

from collections.abc import Sequence

from ....data.respondents import Respondents
from ....data.wide import prefmod_pair_order
from ....fit.answers.spec import AnswerSpec
from ....fit.spec import Term, by_suffix
from ..comparisons.pairs import sharing
from .terms import ItemModel, at_times


def names(model: ItemModel, spec: AnswerSpec, more: Sequence[Term]) -> list[str]:
    """Of the free parameters, in the order of the arrays: those of the items, then others."""
    items, free = at_times(model, spec.times)
    return [*(term.name for term, kept in zip(items, free) if kept), *(term.name for term in more)]


def links(table: Respondents) -> list[Term]:
    """The parameters between times, `A:B:time[1]*time[2]`."""
    pairs = [f"{table.items[i]}:{table.items[j]}" for i, j in prefmod_pair_order(len(table.items))]
    steps = zip(table.times, table.times[1:])
    return [
        Term(f"{pair}:{by_suffix((('time', a),))[1:]}*{by_suffix((('time', b),))[1:]}", "dependence")
        for a, b in steps
        for pair in pairs
    ]


def others(table: Respondents, spec: AnswerSpec) -> list[Term]:
    """Ties and dependence, in the order of the arrays."""
    ties: list[Term] = []
    if spec.answer_ties == "davidson":
        ties = [Term("tie", "tie")]
    elif spec.answer_ties == "by-pair":
        pairs = prefmod_pair_order(len(table.items))
        ties = [Term(f"tie:{table.items[i]}:{table.items[j]}", "tie-of") for i, j in pairs]
    return [*ties, *dependence(table, spec)]


def dependence(table: Respondents, spec: AnswerSpec) -> list[Term]:
    """The parameters of two comparisons that share an item, `A:B*A:C`."""
    if not spec.dependence:
        return []
    pairs = [f"{table.items[i]}:{table.items[j]}" for i, j in prefmod_pair_order(len(table.items))]
    return [Term(f"{pairs[a]}*{pairs[b]}", "dependence") for a, b in sharing(len(table.items))]
