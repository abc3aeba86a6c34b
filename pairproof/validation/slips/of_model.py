"""Slips of the model: another treatment of ties, other cells, a penalty left at its default, or a solver that
stopped early.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .registry import OF_ITEMS, Draft, SettingChange, Situation, family
from .stopping import MM_STEPS
from .values import Setting

_ESTIMATES = (
    *OF_ITEMS,
    *"worth worth_se odds p_first p_tie p_second deviance llf aic aic_glm bic llf_poisson gof_p lr lr_p".split(),
)


def solver(**fields: Any) -> SettingChange:
    """Change these fields of the solver."""

    def change(s: Setting) -> Setting:
        return replace(s, solver=replace(s.solver, **fields))

    return change


@family(
    "ties",
    "model",
    1,
    what="ties are treated otherwise",
    group="ties",
    seen=(
        "choix counts a tie as a win of both (its issue 17), GABRIEL (73), sirt's wgt.ties; Dras (2015)"
        " against Turner and Firth"
    ),
)
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


@family(
    "cells",
    "model",
    1,
    what="the deviance is taken on other cells: rows added up, or each row by itself",
    group="cells",
    affects=("deviance", "df_resid", "null_deviance", "df_null", "aic_glm", "llf_poisson", "gof_p"),
    seen=(
        "baseball: 15.737 on 15 in Firth (2005), 44.053 on 36 in Turner and Firth (2012), the same estimates"
    ),
)
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


@family(
    "penalty",
    "model",
    2,
    what="a penalty is left at its default",
    group="penalty",
    affects=_ESTIMATES,
    seen=(
        "elote (its issue 172), scikit-learn's LogisticRegression (C = 1) in chat arenas, PlackettLuce's"
        " npseudo = 0.5"
    ),
)
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


@family(
    "se-of-the-step-before",
    "model",
    1,
    what="standard errors from the weights of the last step but one, as R's glm takes them",
    group="stop",
    affects=_ESTIMATES,
    seen="Turner and Firth (2012): six seven-digit standard errors of abilities",
)
def se_of_the_step_before(s: Situation) -> Iterator[Draft]:
    if _by_glm(s) and not s.fit.not_estimable:
        yield Draft(
            "standard errors are those of R's glm, from the weights of its last step but one",
            change=solver(stop="glm"),
        )


@family(
    "infinite-estimate",
    "model",
    1,
    what="an estimate that is infinite is printed as it stood when the program stopped",
    group="stop",
    affects=_ESTIMATES,
    seen="BradleyTerry2's lizards: 36.68 with a standard error of 3.9e7",
)
def infinite_estimate(s: Situation) -> Iterator[Draft]:
    if _by_glm(s) and s.fit.not_estimable:
        names = ", ".join(s.fit.not_estimable)
        yield Draft(
            f"{names}, infinite or not determined by these data, is printed as it stood where R's glm stops",
            change=solver(stop="glm"),
        )


@family(
    "stopped-early",
    "model",
    2,
    what="the solver stopped before its maximum; proved from the likelihood at the printed values",
    group="stop",
    affects=_ESTIMATES,
    seen="worths printed after 7 iterations; prefmod's llbt.fit stops at a relative deviance of 1e-4",
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
