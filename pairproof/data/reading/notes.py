"""What a table of votes should be looked at for before it is believed: votes that stand there twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..columns import Factor, values_of
from ..comparisons import Comparisons
from .cells import BoolArray

#: Columns that name a vote, and those that tell votes of one name apart.
_IDS = ("question_id", "vote_id", "id", "uid")
_APART = ("judge", "turn", "game", "judge_model", "annotator")
#: Seconds within which a vote follows another at once; stamps above this many are milliseconds.
_SOON, _MILLISECONDS = 60.0, 1e11


def vote_notes(table: Comparisons) -> tuple[str, ...]:
    """Sentences about repeated votes, with their numbers; () where there are none, or no columns that tell."""
    return (*_repeated(table), *_at_once(table))


def _repeated(table: Comparisons) -> Iterator[str]:
    """Votes of one id, on one pair, by one judge."""
    for name in _IDS:
        if name not in table.columns:
            continue
        keys = [name, *(other for other in _APART if other in table.columns)]
        frame = pd.DataFrame({key: values_of(table.columns[key]) for key in keys})
        frame = frame.assign(first=table.first, second=table.second)[frame[name].notna()]
        again = frame.duplicated()
        if again.any():
            n, rows = frame[name][again].nunique(), int(again.sum())
            yield (
                f"{n:,} of {frame[name].nunique():,} values of {table.own_names.get(name, name)} stand there more than once"
                f" with the same pair ({rows:,} rows too many): if they are the same votes, leave them out; standard errors"
                " take them for new ones"
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
    near = np.logical_and.reduce(
        [np.diff(values_of(table.columns[n])) == 0 for n in ("game", "turn") if n in table.columns]
    ) & np.ones(table.n_rows - 1, bool)
    soon = ""
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
    alike = sum(int((own & equal).sum()) for own, equal in later) / max(
        1, sum(int(own.sum()) for own, _ in later)
    )
    chance = float(near.sum() * max((share**2).sum(), alike))
    # five deviations of a Poisson number and five more: a clean board of 1e6 votes gives none
    if same > chance + 5.0 * np.sqrt(chance) + 5.0:
        yield (
            f"{same:,} votes repeat the vote before of the same judge (same pair, same answer{soon}), where chance makes about"
            f" {chance:,.0f}: look whether they were sent twice"
        )
