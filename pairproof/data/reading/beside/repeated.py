"""What a table of votes should be looked at for before it is believed: votes that stand there twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...columns import Factor, IntArray, values_of
from ...comparisons import Comparisons

#: Names that files have for the identifier of a vote, and columns that tell votes with one identifier apart.
IDS = ("question_id", "vote_id", "battle_id", "conversation_id", "uid", "id")
#: Names that files have for the time of a vote, and the share of votes with a time of their own from which on
#: it tells votes apart; a file that is pasted twice has half of them.
TIMES = ("tstamp", "timestamp", "time", "created_at", "date")
_OWN_TIME = 0.4
_APART = ("judge", "turn", "game", "judge_model", "annotator")
#: Seconds within which a vote follows another at once; stamps above this many are milliseconds.
_SOON, _MILLISECONDS = 60.0, 1e11


def vote_notes(table: Comparisons) -> tuple[str, ...]:
    """Sentences about repeated votes, with their numbers; () where there are none, or no columns that tell."""
    at_once = [*_at_once(table)]
    named = any(name in table.columns for name in IDS)  # else both would tell of the same votes
    return (*(_repeated(table) if named or not at_once else ()), *at_once)


@dataclass(frozen=True, eq=False)
class Repeated:
    """Votes whose identifier or time, judge, pair and answer are those of an earlier row.

    column: of the identifiers, or of the times.  keys: that, and what tells votes apart.  rows: too many, int[k].  ids: which those are,
    of so many in all.
    """

    column: str
    keys: tuple[str, ...]
    rows: IntArray
    ids: int
    of: int


def repeated_votes(table: Comparisons, time: str = "") -> Repeated | str:
    """The repeated votes, of which there may be none; or why they were not looked for.  time: the column of times."""
    times = (time,) if time else TIMES
    name = next((name for name in (*IDS, *times) if name in table.columns), None)
    if name is None or name in times and "judge" not in table.columns:
        return f"no column {' or '.join(IDS)}, and no judges with the times of their votes"
    keys = (name, *(other for other in _APART if other in table.columns))
    votes = pd.DataFrame({key: values_of(table.columns[key]) for key in keys})
    votes = votes.assign(first=table.first, second=table.second)
    one = ~votes.duplicated([name, "first", "second"])
    if name in times and votes[name].nunique() < _OWN_TIME * table.n_rows:
        return f"no column {' or '.join(IDS)}, and many votes have the same {name}"
    if "judge" not in keys and one.sum() > 1.1 * votes[name].nunique():
        return f"{name} covers several pairs, so it does not identify a vote"
    again = votes.assign(wins=table.wins, losses=table.losses).duplicated() & votes[name].notna()
    ids = votes[name]
    return Repeated(name, keys, np.flatnonzero(again), ids[again].nunique(), ids.nunique())


def _repeated(table: Comparisons) -> Iterator[str]:
    """The sentence about votes that are repeated."""
    found = repeated_votes(table)
    if isinstance(found, Repeated) and found.rows.size:
        yield (
            f"{found.ids:,} of {found.of:,} values of {table.own_names.get(found.column, found.column)} appear more than"
            f" once with the same pair and answer ({found.rows.size:,} rows too many): if they are the same votes, remove"
            " them; standard errors treat them as separate votes"
        )


def _at_once(table: Comparisons) -> Iterator[str]:
    """Votes that a judge gave just before: the same pair and the same answer, more than by chance."""
    judge, given = table.columns.get("judge"), np.stack([table.wins, table.ties, table.losses]) > 0
    if not isinstance(judge, Factor) or table.counted or (given.sum(axis=0) != 1).any():
        return
    turned = table.first > table.second
    answer = np.where(turned, 2 - given.argmax(axis=0), given.argmax(axis=0))
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    vote = (low * len(table.items) + high) * 3 + answer
    when = table.columns.get("tstamp")
    order = np.arange(table.n_rows)
    near, soon = np.ones(table.n_rows - 1, bool), ""
    for name in ("game", "turn"):
        if name in table.columns:
            near &= np.diff(values_of(table.columns[name])) == 0
    if when is not None and not isinstance(when, Factor):
        order = np.lexsort((when, judge.codes))
        near = np.diff(when[order]) <= _SOON * (1000.0 if np.nanmax(when) > _MILLISECONDS else 1.0)
        soon = f" within {_SOON:g} s"
    codes, vote = judge.codes[order], vote[order]
    near &= (codes[1:] == codes[:-1]) & (codes[1:] >= 0)
    same = int((near & (vote[1:] == vote[:-1])).sum())
    share = np.unique(vote, return_counts=True)[1] / len(vote)
    # in a file that is sorted by pairs the votes after the next are as much alike as the next one
    later = [(codes[k:] == codes[:-k], vote[k:] == vote[:-k]) for k in range(2, 7)]
    n_later = sum(int(own.sum()) for own, _ in later)
    alike = sum(int((own & equal).sum()) for own, equal in later) / max(1, n_later)
    chance = float(near.sum() * max((share**2).sum(), alike))
    # five deviations of a Poisson number and five more: a clean board of 1e6 votes gives none
    if same > chance + 5.0 * np.sqrt(chance) + 5.0:
        yield (
            f"{same:,} votes repeat the previous vote of the same judge (same pair, same answer{soon}), while about {chance:,.0f}"
            f" are expected by chance: check whether they were sent twice"
        )
