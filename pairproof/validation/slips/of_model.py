"""Slips of the model: another treatment of ties, other cells, a penalty left at its default, or a solver that
stopped early.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .registry import Draft, SettingChange, Situation
from .stopping import MM_STEPS


def solver(**fields: Any) -> SettingChange:
    """Change these fields of the solver."""
    return lambda s: replace(s, solver=replace(s.solver, **fields))


def ties(s: Situation) -> Iterator[Draft]:
    if not s.rows.tie_category:
        return
    words = {
        "davidson": "ties follow Davidson's model",
        "rao-kupper": "ties follow Rao and Kupper's model",
        "none": "the tie category is kept and its parameter held at 0",
        "drop": "ties are dropped",
        "half": "a tie counts as half a win for either item",
        "two-games": "a tie counts as two games, a win for either item",
        "third": "a tie counts as a third of a win for either item",
    }
    for treatment, sentence in words.items():
        if treatment != s.setting.solver.ties:
            yield Draft(sentence, change=solver(ties=treatment))


def cells(s: Situation) -> Iterator[Draft]:
    own = s.setting.solver.cells
    words = {
        "model": "the rows of each pair are added up",
        "row": "every row is a cell of its own",
        "judge": "every judge's rows are a cell of their own",
    }
    finer = {
        "row": float(s.rows.times.sum()) > len(np.unique(s.model.cells.cell_of(s.rows))),
        "judge": len(np.unique(s.rows.judge)) > 1 and "judge" not in s.fit.spec.by,
        "model": own != "model",
    }
    for kind, sentence in words.items():
        if kind != own and finer[kind]:
            yield Draft(sentence, change=solver(cells=kind))


def penalty(s: Situation) -> Iterator[Draft]:
    if s.fit.spec.by or s.fit.spec.item_terms:
        return
    yield Draft(
        "a ridge of scikit-learn's default strength (C = 1) is left on", change=solver(penalty="ridge")
    )
    yield Draft(
        "every item has half a win and half a loss against a hypothetical one (PlackettLuce's default)",
        change=solver(penalty="pseudo"),
    )


def _by_glm(s: Situation) -> bool:
    return s.setting.solver.ties != "rao-kupper" and s.steps > 0


def se_of_the_step_before(s: Situation) -> Iterator[Draft]:
    if _by_glm(s) and not s.fit.not_estimable:
        yield Draft(
            "standard errors are those of R's glm, from the weights of its last step but one",
            change=solver(stop="glm"),
        )


def infinite_estimate(s: Situation) -> Iterator[Draft]:
    if _by_glm(s) and s.fit.not_estimable:
        names = ", ".join(s.fit.not_estimable)
        yield Draft(
            f"{names}, infinite or not determined by these data, is printed as it stood where R's glm stops",
            change=solver(stop="glm"),
        )


def stopped_early(s: Situation) -> Iterator[Draft]:
    if _by_glm(s):
        for k in range(1, s.steps):
            yield Draft(
                f"iteratively reweighted least squares stops after {k} step{'s' if k > 1 else ''}",
                change=solver(stop=f"irls:{k}"),
            )
    plain = not (s.fit.spec.by or s.fit.spec.item_terms or s.fit.spec.order_effect)
    if plain and s.model.design(s.setting.solver.ties)[0].model == "binary":
        for k in MM_STEPS:
            yield Draft(
                f"Zermelo's iteration stops after {k} step{'s' if k > 1 else ''}",
                change=solver(stop=f"mm:{k}"),
            )
