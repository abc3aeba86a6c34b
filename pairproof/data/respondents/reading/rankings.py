"""Rankings as :func:`pairproof.read` takes them, as rankings and not as pairs: `system1`, `rank1`, `system2`, ..., WMT's
own columns, or `system` and `rank` with a row a system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....errors import InputError
from ....text import listed
from ...columns import IntArray
from ...reading.assemble import has_tie_category
from ...reading.items import options_of
from ...reading.rankings import Placed, is_rankings, placed
from ...reading.sources import load, warn_if_cut
from ..checked import has_ties
from ..codes import ABSENT, dense
from ..respondents import Respondents
from .assemble import respondents
from .unranked import SAY, Unranked

#: Rankings times systems that are held, about half a gigabyte with what is made of them.
MOST_CELLS = 20_000_000


def from_rankings(
    source: Any,
    *,
    unranked: str | None = None,
    items: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    rename: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read rankings of systems: the tables that `pairproof.read` cuts into pairs, with each ranking kept whole.

    A row is a ranking (`system1`, `rank1`, `system2`, `rank2`, ..., or WMT's own columns), or a row is a system (`system`,
    `rank`, and `ranking`, or `source` and `judge`, which say what rows are one ranking).  A smaller rank is better, equal
    ranks are a tie; a system that a ranking does not name was not presented.  Every other column is a covariate; `weight`
    is the number of persons with the ranking.

    unranked: what a rank of -1 or a blank one means of a system that the ranking names, to be said if there
    is one.  columns: where columns have other names, for example {"judge": "rater"}.  tie_category: whether
    ranks could be shared; default: if some are.  rename: other names for systems.  levels, item_data,
    encoding: as in :func:`pairproof.data.respondents.from_pairs`.  Returns Respondents: a row a ranking;
    `to_comparisons()` gives the table that `pairproof.read` makes of the same source.
    """
    options = options_of(items, levels, tie_category, item_data, rename, encoding)
    table = load(source, encoding).with_roles(columns)
    warn_if_cut(table)
    if not is_rankings(table.columns):
        raise InputError(
            f"{table.source}: found the columns {listed(table.columns)}; layout='rankings' needs system1, rank1, system2,"
            " rank2, ..., or system and rank with a row a system. A column an item is layout='ranks'"
        )
    of = placed(table, options)
    codes = _codes(of, Unranked.read(unranked))
    # A row that names no system is a person who ranked nothing.
    person = np.arange(of.table.n_rows)
    person[of.row] = of.ranking
    n = int(person.max(initial=-1)) + 1
    if n * len(of.items) > MOST_CELLS:
        raise InputError(
            f"{of.table.source}: {n:,} rankings of {len(of.items):,} systems would be {n * len(of.items):,} places; at most"
            f" {MOST_CELLS:,} are held. Read fewer systems, or fewer rankings at a time"
        )
    ranks = np.full((n, len(of.items)), ABSENT, np.int64)
    ranks[of.ranking, of.item] = codes
    ranks = dense(ranks)
    tied = has_ties(ranks)[person]
    return respondents(
        of.table,
        options,
        of.items,
        "rankings",
        ranks,
        of.used,
        tie_category=has_tie_category(of.table, options, tied, of.rank_columns[0]),
        person=person,
    )


def _codes(of: Placed, meaning: Unranked) -> IntArray:
    """int[n_places]: ranks from 1 in the order of the numbers; what was said where there is none."""
    bare = np.isnan(of.rank)
    found = np.full(len(of.rank), ABSENT, np.int64)
    if bare.any() and meaning.of_blank is None:
        k = int(np.flatnonzero(bare)[0])
        such = f" ({int(bare.sum()):,} such places)" if bare.sum() > 1 else ""
        raise InputError(
            f"{of.table.where(int(of.row[k]), of.rank_columns[of.place[k]])}: {of.items[of.item[k]]!r} is named and has no"
            f" rank{such}; {SAY}, unranked='absent' or 'below'"
        )
    found[bare] = ABSENT if meaning.of_blank is None else meaning.of_blank
    _, place = np.unique(of.rank[~bare], return_inverse=True)
    found[~bare] = place.reshape(-1) + 1
    return found
