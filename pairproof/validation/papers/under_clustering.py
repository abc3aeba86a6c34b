"""Tables of a paper's conclusions under clustering, for its report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...fit.tails import p_words
from ...report.blocks import Cell, Column, Table
from ..statements.clustered import Effect, EffectTest

#: In place of a number that there is not.
NONE = "\u2013"
#: Says whether a conclusion holds with clustered answers as it does with independent ones.
SURVIVES, LOST = Cell("survives", "\u2713", "good"), Cell("does not survive", "!", "note")


def survives_cell(survives: bool) -> Cell:
    return SURVIVES if survives else LOST


def statistic(test: EffectTest) -> str:
    """ "0.87 on 3.0 df", "5.05" of a normal, a dash where there is no standard error."""
    if test.alone:
        return NONE
    return f"{test.statistic:.2f}" + ("" if math.isinf(test.df) else f" on {test.df:.1f} df")


def p_text(test: EffectTest) -> str:
    return NONE if test.alone else p_words(test.p, digits=2)


def effects_table(effects: Sequence[Effect], way: str, alpha: float, caption: str) -> Table:
    """A row an effect: the estimate, its test with independent answers and with the one way of clustering.

    effects: each clustered in one way.  way: how that is called in the head of the table ("by judge").
    """
    header = (
        Column("", "left"),
        Column("estimate"),
        *(Column(head) for head in ("se, independent", "z", "p", f"se, {way}", f"t, {way}", f"p, {way}")),
        Column("under clustering", "left"),
    )
    rows: tuple[tuple[str | Cell, ...], ...] = tuple(
        (
            effect.name,
            f"{effect.independent.estimate:.4f}",
            *(cell for test in (effect.independent, *effect.clustered) for cell in _cells(test)),
            survives_cell(effect.survives(alpha)),
        )
        for effect in effects
    )
    return Table(header, rows, caption)


def _cells(test: EffectTest) -> tuple[str, str, str]:
    return NONE if test.alone else f"{test.se:.4f}", statistic(test), p_text(test)


def ways_table(effects: Sequence[Effect], alpha: float, caption: str) -> Table:
    """A row for each test of each effect, independent answers before every way of clustering, and whether
    items are told apart.
    """
    header = (
        Column("", "left"),
        Column("answers", "left"),
        *(Column(head) for head in ("estimate", "se", "z or t", "p", "P(above 0)")),
        Column("told apart", "left"),
    )
    rows = tuple(
        (
            effect.name if test is effect.independent else "",
            test.how,
            f"{test.estimate:.4f}",
            *_cells(test),
            f"{test.p_above:.3f}",
            "yes" if test.significant(alpha) else "no",
        )
        for effect in effects
        for test in (effect.independent, *effect.clustered)
    )
    return Table(header, rows, caption)
