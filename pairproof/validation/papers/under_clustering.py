"""Tables of a paper's conclusions under clustering, for its report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...fit.tails import p_words
from ...report.blocks import Cell, Column, Table
from ..statements.clustered import Effect, EffectTest

#: Says whether a conclusion holds with clustered answers as it does with independent ones.
SURVIVES, LOST = Cell("survives", "\u2713", "good"), Cell("does not survive", "!", "note")


def survives_cell(survives: bool) -> Cell:
    return SURVIVES if survives else LOST


def _told_cell(effect: Effect, alpha: float) -> Cell:
    told = any(test.significant(alpha) for test in effect.clustered)
    return Cell("told apart" if told else "not told apart")


def statistic(test: EffectTest) -> str:
    """ "0.87 on 3.0 df", "5.05" of a normal, a dash where there is no standard error."""
    if test.alone:
        return "\u2013"
    return f"{test.statistic:.2f}" + ("" if math.isinf(test.df) else f" on {test.df:.1f} df")


def p_text(test: EffectTest) -> str:
    return "\u2013" if test.alone else p_words(test.p, digits=2)


def effects_table(
    effects: Sequence[Effect], ways: Sequence[str], alpha: float, caption: str, open_order: bool = False
) -> Table:
    """A row an effect: the estimate, its test with independent answers and with each way of clustering.

    Parameters
    ----------
    effects : sequence of Effect
        At least one, all clustered in the same ways.
    ways : sequence of str
        How the ways are called in the head of the table ("by judge").
    alpha : float
    caption : str
    open_order : bool
        The paper says that there is no difference: then the last column has whether the two are told apart,
        and not whether their difference survives.
    """
    header = [Column("", "left"), Column("estimate"), Column("se, independent"), Column("z"), Column("p")]
    for way in ways:
        header += [Column(f"se, {way}"), Column(f"t, {way}"), Column(f"p, {way}")]
    rows = []
    for effect in effects:
        cells: list[str | Cell] = [effect.name, f"{effect.independent.estimate:.4f}"]
        for test in (effect.independent, *effect.clustered):
            cells += ["\u2013" if test.alone else f"{test.se:.4f}", statistic(test), p_text(test)]
        last = _told_cell(effect, alpha) if open_order else survives_cell(effect.survives(alpha))
        rows.append((*cells, last))
    return Table((*header, Column("under clustering", "left")), tuple(rows), caption)
