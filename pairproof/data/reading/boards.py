"""Votes as boards write them: winners by their names, preferences between 0 and 1, games of arena-hard, bad rows.

A winner stands there as a word (`model_a`, `tie`) or by its model's own name; a column that mixes both, or a model that is
called as a word, is refused.  Of arena-hard's two games the first has the baseline as A and the second has it as B; `A>>B` is
one judgment, as `A>B` is.  A preference p is a win of 1 - p and a loss of p, and one half is a tie.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ...errors import CodingError, InputError
from ...text import listed, quoted
from ..columns import Factor, FloatArray, IntArray
from .assemble import Options, renamed
from .cells import FIRST, MISSING_WORDS, SECOND, BoolArray, Coding, labels, numbers
from .nested import Lists, parts_of
from .sources import Table

#: Kinds of rows that :func:`without_bad` leaves out, in the order in which they are looked for.
KINDS = ("no name", "compared with itself", "no answer", "unknown answer")


def in_words(
    table: Table, pair: tuple[str, str], answer: str, stated: Coding, lenient: bool = False
) -> Factor:
    """The labels of the answers, with the word for its side in place of a winner's own name.
    lenient: whether a winner that is none of the two stays as it is, or is refused."""
    found = labels(table, answer)
    words = {level for level in found.levels if stated.meaning(level) is not None}
    if len(words) == len(found.levels):
        return found
    sides = [labels(table, side) for side in pair]
    names = {*sides[0].levels, *sides[1].levels}
    if not names.intersection(found.levels) - words:
        return found
    both = sorted(names & words) or sorted(w for w in words if stated.meaning(w) in (FIRST, SECOND))
    if both:
        raise CodingError(
            f"{table.source}, column {quoted(table.own_names.get(answer, answer))}: contains names of models"
            f" and {listed(both)}, which {'is one too' if names & words else 'is the word for a side'}; write all winners the same way,"
            " or give coding="
        )
    place = {name: k for k, name in enumerate({*names, *found.levels})}
    first, second, won = (_codes(factor, place) for factor in (*sides, found))
    wins, loses = (won >= 0) & (won == first), (won >= 0) & (won == second)
    of_names = np.array([*(level in names for level in found.levels), False])[found.codes]
    cure = "correct it; the winner must be one of the two models of its row, or a tie"
    other = of_names & ~wins & ~loses & (not lenient)
    table.check(other, answer, "the winner is {cell}, which was not compared there", cure, CodingError)
    word = {meaning: text for text, meaning in reversed(list(stated.answer_of.items()))}
    codes = np.where(wins, 0, np.where(loses, 1, np.where(found.codes < 0, -1, found.codes + 2)))
    return Factor(codes, (word[FIRST], word[SECOND], *found.levels))


def _codes(factor: Factor, place: Mapping[str, int]) -> IntArray:
    return np.array([*(place[level] for level in factor.levels), -1], np.int64)[factor.codes]


def preferences(table: Table, name: str, least: float) -> FloatArray:
    """float[n_rows]: how much the second is preferred, 0 to 1; the column goes from `least` to `least` + 1."""
    values = _preferences(table, name, least)
    expected = f"a number from {least:g} (the first is preferred) to {least + 1:g} (the second)"
    old = "; 0, a draw in old files, is 1.5" if least else ""
    table.check(np.isnan(values), name, f"{name} is {{cell}}", f"expected {expected}{old}", CodingError)
    return values


def _preferences(table: Table, name: str, least: float) -> FloatArray:
    """As :func:`preferences`, nan for what is none."""
    values, wrong = numbers(table, name)
    with np.errstate(invalid="ignore"):
        return np.where(wrong | ~((values >= least) & (values <= least + 1)), np.nan, values - least)


def games_of(table: Table) -> Table:
    """Judgments of arena-hard as votes, two for each row, which keep its other columns."""
    if "baseline" not in table.columns:
        raise InputError(
            f"{table.source}: games of {listed(sorted(set(labels(table, 'model').levels)))} against a baseline that no"
            " column names; add a column 'baseline' with its name, or name the column, columns={'baseline': ...}"
        )
    column = parts_of(table.columns)["games"]
    games = list(column.as_it_is) if isinstance(column, Lists) and column.as_it_is is not None else []
    two = np.array([isinstance(each, (list, np.ndarray)) and len(each) == 2 for each in games], bool)
    if not games or not two.all():
        where = table.where(int(np.argmin(two)), "games") if games else table.source
        raise InputError(f"{where}: expected a list of two games, the second with the sides swapped")
    rows = np.repeat(np.arange(table.n_rows), 2)
    again = np.tile([False, True], table.n_rows)
    scores = [game.get("score") if isinstance(game, dict) else None for each in games for game in each]
    more = table.take(rows)
    model, baseline = (more.columns[name].reset_index(drop=True) for name in ("model", "baseline"))
    columns = {"model_a": baseline.where(~again, model), "model_b": model.where(~again, baseline)}
    columns |= {"winner": pd.Series(scores, dtype=object), "game": pd.Series(np.where(again, 2, 1))}
    return more.without(["games"]).adding(columns)


def without_bad(
    table: Table, pair: tuple[str, str], options: Options, answers: tuple[BoolArray, BoolArray]
) -> tuple[Table, dict[str, BoolArray]]:
    """The table without rows that are no comparison, and where there were such of each kind.
    answers: where there is no answer, and where there is an unknown one."""
    stated = {*(options.names or ()), *(options.rename or {})}
    sides = [labels(table, side) for side in pair]
    nameless = np.zeros(table.n_rows, bool)
    for side in sides:
        missing = [level in MISSING_WORDS and level not in stated for level in side.levels]
        nameless |= np.array([*missing, True])[side.codes]
    own = [renamed(side, options) for side in sides]
    place = {name: k for k, name in enumerate(dict.fromkeys((*own[0].levels, *own[1].levels)))}
    first, second = (_codes(side, place) for side in own)
    kinds = dict(zip(KINDS, (nameless, first == second, *answers)))
    left = np.ones(table.n_rows, bool)
    for kind, rows in kinds.items():
        kinds[kind], left = rows & left, left & ~rows
    if not left.any():
        said = listed([kind for kind, rows in kinds.items() if rows.any()])
        raise InputError(f"{table.source}: none of {table.n_rows:,} rows is a comparison: {said}")
    kinds = {kind: rows for kind, rows in kinds.items() if rows.any()}
    return (table.take(np.flatnonzero(left)) if kinds else table), kinds


def bad_answers(
    table: Table, pair: tuple[str, str], answer: str, stated: Coding, lenient: bool = True
) -> tuple[BoolArray, BoolArray]:
    """(where there is no answer, where there is one without a meaning)."""
    found = in_words(table, pair, answer, stated, lenient)
    known = np.array([*(stated.meaning(level) is not None for level in found.levels), False])[found.codes]
    missing = np.array([*(level in MISSING_WORDS for level in found.levels), True])[found.codes] & ~known
    return missing, ~known & ~missing


def bad_preferences(table: Table, name: str, least: float) -> tuple[BoolArray, BoolArray]:
    """As :func:`bad_answers`, of preferences."""
    values, wrong = numbers(table, name)
    missing = np.isnan(values) & ~wrong
    return missing, np.isnan(_preferences(table, name, least)) & ~missing
