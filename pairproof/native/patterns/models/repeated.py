"""Pattern models of answers at several times, as `fit_pattern` asks for them.

The parameters of the items and of ties are those of each time, `A:time[2]`, `tie:time[2]`; a link between times is the
parameter of a comparison at two times that follow each other, `A:B:time[1]*time[2]`.
"""

from __future__ import annotations

import numpy as np

from ....data.respondents import Respondents
from ....data.respondents.codes import ABSENT
from ....errors import InputError
from ....fit.answers.spec import AnswerSpec
from ....fit.spec import Term
from ..repeated.fit import fit_repeated
from .assemble import Fitted, comparison_statistics
from .parameters import dependence, links, names
from .possible import Possible
from .terms import ItemModel, in_time


def repeated(table: Respondents, spec: AnswerSpec, model: ItemModel) -> Fitted:
    """Fit ratings or rankings at several times."""
    if table.kind == "ratings":
        answers, categories, places = table.answers, len(table.scale), min(len(table.scale), len(table.items))
        if spec.answer_ties != "davidson":
            raise InputError(
                f"ties={spec.answer_ties!r}: repeated ratings have one tie parameter at each time (ties='davidson')"
            )
    else:
        absent = (table.answers == ABSENT).any(axis=2) & (table.answers > 0).any(axis=2)
        if absent.any():
            row, time = np.argwhere(absent)[0]
            raise InputError(
                f"{table.source}, row {row + 1}, time {table.times[time]}: items that were not presented; repeated"
                " rankings take complete ones and those with items below all others"
            )
        if spec.answer_ties != "none":
            raise InputError(
                "repeated rankings with ties: rankings at several times are strict in this model"
            )
        answers, categories, places = table.ranks, None, len(table.items)
    ternary, own = table.kind == "ratings", dependence(table, spec)
    once = comparison_statistics(table.items, ternary, [t.name for t in own])
    between = links(table)
    statistics = [f"{name} at {time}" for time in table.times for name in once] + [t.name for t in between]
    more = [
        *([in_time(Term("tie", "tie"), t) for t in table.times] if ternary else []),
        *(in_time(term, t) for t in table.times for term in own),
        *(between if spec.between_times else []),
    ]
    found = fit_repeated(
        answers,
        model.terms,
        "ratings" if table.kind == "ratings" else "rankings",
        categories,
        model.group,
        table.weights,
        spec.dependence,
        spec.between_times,
        names(model, spec, more),
    )
    possible = Possible(
        "weak" if ternary else "strict",
        len(table.items),
        table.n_times,
        ternary,
        places,
        (),
        spec.dependence,
        spec.between_times,
        (),
    )
    return Fitted(table, spec, model, found, more, statistics, possible)
