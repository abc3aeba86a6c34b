"""Rankings: some systems and their ranks, which stand for every pair of ranked systems.

A smaller rank is better, equal ranks are a tie, -1 or blank is "not ranked"; only the order of the ranks
within a ranking is used.  A row is a ranking (`system1`, `rank1`, `system2`, ..., or WMT's own columns
`system1Id`, `system1rank`, `judgeId`, `srcIndex`), or a row is a system (`system`, `rank`).  Rows of systems
belong to one ranking if they have the same `ranking`; without that column, the same source, judge and track
(of those that are there). There, columns that say something of the ranking become covariates; one that
differs from system to system (its text, a score) says nothing of a pair and is left out with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from ...errors import DataWarning, InputError, ItemError, warn_the_caller
from ...text import listed, quoted, shortened
from ..columns import FloatArray, IntArray
from ..comparisons import Comparisons
from .assemble import Options, assemble, encode, has_tie_category, item_column
from .cells import LARGEST_EXACT, BoolArray, labels, numbers
from .nested import Lists, parts_of
from .sources import Table

NOT_RANKED = -1.0
#: Share of ranks above the number of systems from which on they are of another scale.
_FEW = 0.1
WMT_ROLES = {"judgeId": "judge", "srcIndex": "source"}
#: Columns that tell rankings of rows of systems apart where there is no column `ranking`.
TELLS_APART = ("source", "judge", "track", "srclang", "trglang")


@dataclass(frozen=True, eq=False)
class Placed:
    """Rankings as they stand in a table: n places, each a system that is named in a ranking.  ranking, row,
    item int[n]; rank float[n]; place int[n].
    """

    table: Table
    items: tuple[str, ...]
    ranking: IntArray
    row: IntArray
    item: IntArray
    rank: FloatArray
    place: IntArray
    rank_columns: tuple[str, ...]
    used: tuple[str, ...]
    nothing: str
    cure: str


def is_rankings(names: Iterable[str]) -> bool:
    """Whether these columns are those of rankings, a row a ranking or a row a system."""
    found = set(names)
    return _is_numbered(found) or _is_wmt(found) or _is_a_row_a_system(found)


def _is_wmt(names: Collection[str]) -> bool:
    return {"system1Id", "system1rank", "system2Id", "system2rank"} <= set(names)


def _is_numbered(names: Collection[str]) -> bool:
    return {"system1", "rank1", "system2", "rank2"} <= set(names)


def _is_a_row_a_system(names: Collection[str]) -> bool:
    return {"system", "rank"} <= set(names) and not {"system1", "system1Id"} & set(names)


def placed(table: Table, options: Options) -> Placed:
    """The rankings of a table, before they are cut into pairs."""
    return (_of_systems if _is_a_row_a_system(table.columns) else _of_rows)(table, options)


# -- a row a ranking


def _of_rows(table: Table, options: Options) -> Placed:
    """Places in the order 1 2 ... of the columns."""
    if _is_wmt(table.columns) and not _is_numbered(table.columns):
        table = _from_wmt(table)
    places = _places(table.columns, table.source)
    systems = {f"system{k}": item_column(table, f"system{k}", options, may_be_blank=True) for k in places}
    given = {f"rank{k}": _ranks(table, f"rank{k}") for k in places}
    items, positions = encode(systems, table.source, options)
    for (name, rank), (system, item) in zip(given.items(), zip(systems, positions)):
        bad = ~np.isnan(rank) & (item < 0)
        cure = "name the system, or leave its rank blank"
        table.check(
            bad, system, lambda: f"no system, but {name} is {table.shown(name, bad)}", cure, ItemError
        )
    at = np.stack(positions, axis=1)
    _check_once_in_row(table, list(systems), at, items)
    row, place = np.nonzero(at >= 0)
    ranks = np.stack(list(given.values()), axis=1)[row, place]
    column = tuple(given)
    nothing = "no row ranks two or more systems"
    return Placed(
        table, items, row, row, at[row, place], ranks, place, column, (*systems, *given), nothing, ""
    )


def _from_wmt(table: Table) -> Table:
    """WMT's columns under our names; `system1Number`, ... name the systems a second time and are left out."""
    roles: dict[str, str] = {}
    for name in table.columns:
        if not re.fullmatch(r"system[0-9]+Number", name):
            role = re.sub("^system([0-9]+)Id$", r"system\1", re.sub("^system([0-9]+)rank$", r"rank\1", name))
            roles[name] = WMT_ROLES.get(role, role)
    return _under_roles(table, roles)


def _under_roles(table: Table, roles: Mapping[str, str]) -> Table:
    """These columns under their roles; a column that was given the role by hand comes first."""
    chosen = {name: name if role in table.columns else role for name, role in roles.items()}
    own_names = {**table.own_names, **{role: name for name, role in chosen.items() if role != name}}
    parts = parts_of(table.columns)
    return replace(table, columns={role: parts[name] for name, role in chosen.items()}, own_names=own_names)


def _places(names: Iterable[str], source: str) -> tuple[int, ...]:
    """The numbers 1..K of the system and rank columns."""
    found: Mapping[str, set[int]] = {"system": set(), "rank": set()}
    for name in names:
        match = re.fullmatch(r"(system|rank)([1-9][0-9]{0,11})", name)
        if match:
            found[match[1]].add(int(match[2]))
    last = max(found["system"] | found["rank"], default=0)
    n_absent = 2 * last - len(found["system"]) - len(found["rank"])
    if last < 2 or n_absent:
        # A header may say system10000000: the gaps are counted, and only the first ones looked for.
        missing = (
            f"{kind}{k}" for k in range(1, last + 1) for kind in ("system", "rank") if k not in found[kind]
        )
        shown = ", ".join(islice(missing, 6)) or "system2, rank2"
        more = f" and {shortened(f'{n_absent - 6:,}', 40)} more" if n_absent > 6 else ""
        there = f", and there is a {'system' if last in found['system'] else 'rank'}{last}"
        raise InputError(
            f"{source}: column {shown}{more} {'are' if n_absent > 1 else 'is'} missing; rankings need"
            f" system1, rank1, system2, rank2, ... without a gap{there if n_absent else ''}"
        )
    return tuple(range(1, last + 1))


def _check_once_in_row(table: Table, names: list[str], item: IntArray, items: tuple[str, ...]) -> None:
    """Refuse a system that stands twice in a row; item is int[n_rows, n_places], -1 for none."""
    row, place = np.nonzero(item >= 0)
    again, before = _repeated(row, item[row, place], len(items))
    if len(again):
        twice, column = np.isin(np.arange(table.n_rows), row[again]), names[int(place[again[0]])]
        found = f"{quoted(items[int(item[row, place][again[0]])])} stands in {names[int(place[before[0]])]} as well"
        raise table.refuse(
            twice, column, found, "each system can appear only once in a ranking; correct the row", ItemError
        )


# -- a row a system


def _of_systems(table: Table, options: Options) -> Placed:
    """Places in the order of the rankings, and of their rows."""
    table = _under_roles(table, {name: WMT_ROLES.get(name, name) for name in table.columns})
    item_of = {"system": item_column(table, "system", options)}
    ranks = _ranks(table, "rank")
    items, (item,) = encode(item_of, table.source, options)
    ranking = _ranking(table)
    _check_once_in_ranking(table, ranking, item, items)
    rows = np.argsort(ranking, kind="stable")
    nothing = "no ranking has two or more ranked systems"
    cure = f"rows of one ranking share {_words(table)}, and "
    varied = _of_rankings(table, ranking)
    at = np.zeros(len(rows), np.int64)
    used = ("system", "rank")
    return Placed(
        varied, items, ranking[rows], rows, item[rows], ranks[rows], at, ("rank",), used, nothing, cure
    )


def _keys(table: Table) -> tuple[str, ...]:
    apart = ("ranking",) if "ranking" in table.columns else TELLS_APART
    keys = tuple(name for name in apart if name in table.columns)
    if not {"ranking", "source", "judge"} & set(keys):
        raise InputError(
            f"{table.source}: one row per system and rank, but no column identifies"
            f" the ranking; found {listed(table.columns)}. Name a column 'ranking', or 'source' and 'judge'"
            " (columns={'source': ...})"
        )
    return keys


def _words(table: Table) -> str:
    return " and ".join(repr(table.own_names.get(key, key)) for key in _keys(table))


def _ranking(table: Table) -> IntArray:
    """int[n_rows]: the ranking of each row, numbered by first appearance.

    A blank key is refused: it would join rankings that nobody said were one.
    """
    code = np.zeros(table.n_rows, np.int64)
    for name in _keys(table):
        found = labels(table, name)
        table.check(found.codes < 0, name, "blank", "every row needs a value, to identify its ranking")
        _, code = np.unique(code * (len(found.levels) + 1) + found.codes, return_inverse=True)
    _, first_row, code = np.unique(code, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first_row))[code])


def _check_once_in_ranking(table: Table, ranking: IntArray, item: IntArray, items: tuple[str, ...]) -> None:
    again, before = _repeated(ranking, item, len(items))
    if len(again):
        twice = np.isin(np.arange(table.n_rows), again)
        found = f"{quoted(items[int(item[again[0]])])} stands in row {int(before[0]) + 1} of the same ranking as well"
        cure = (
            f"rows are one ranking if they share {_words(table)}; name a column that separates them as"
            " 'source' or 'judge' (columns={'source': ...}), or a column 'ranking'"
        )
        raise table.refuse(twice, "system", found, cure, ItemError)


def _of_rankings(table: Table, ranking: IntArray) -> Table:
    """Without the columns that differ between the systems of a ranking."""
    _, first_row = np.unique(ranking, return_index=True)

    def differs(name: str) -> BoolArray:
        codes = labels(table, name).codes
        return np.asarray(codes != codes[first_row][ranking])

    lists = [name for name, column in parts_of(table.columns).items() if isinstance(column, Lists)]
    varying = {name: differs(name) for name in table.columns if name not in ("system", "rank", *lists)}
    varying = {name: rows for name, rows in varying.items() if rows.any()}
    for name in ("weight", "order"):
        if name in varying:
            cure = "the value applies to the whole ranking; give each row the same one"
            raise table.refuse(varying[name], name, "a different value in the ranking's first row", cure)
    if varying:
        why = "the value varies within a ranking, so a pair has no single value"
        warn_the_caller(f"{table.source}: {listed(varying)} left out: {why}", DataWarning)
    return table.without(varying)


# -- both


def _repeated(ranking: IntArray, item: IntArray, n_items: int) -> tuple[IntArray, IntArray]:
    """Places whose item stood in the same ranking before, and where it stood first."""
    _, first, where = np.unique(ranking * n_items + item, return_index=True, return_inverse=True)
    before = first[where]
    again = np.flatnonzero(before != np.arange(len(item)))
    return again, before[again]


def _ranks(table: Table, name: str) -> FloatArray:
    """Ranks, nan where not ranked."""
    values, wrong = numbers(table, name)
    bad = wrong | np.isinf(values) | ((values < 0) & (values != NOT_RANKED)) | (values >= LARGEST_EXACT)
    cure = "expected a number >= 0 (and below 2^53), or -1 or blank for not ranked"
    table.check(bad, name, "the rank is {cell}", cure)
    return np.where(values == NOT_RANKED, np.nan, values)


#: Comparisons that rankings may stand for, and numbers and codes of covariates beside them: about 2 GB.  One
#: ranking of 4,472 systems has ten million pairs; all of WMT 2013 has one.
MOST_PAIRS, MOST_CELLS = 10_000_000, 100_000_000


def read_rankings(table: Table, options: Options) -> Comparisons:
    """Every pair of ranked systems of every ranking; refuses none and too many."""
    of = placed(table, options)
    ranked = ~np.isnan(of.rank)
    ranking, row, item = (part[ranked] for part in (of.ranking, of.row, of.item))
    _check_number_of_pairs(of.table, np.bincount(ranking), of.used)
    left, right = _pairs_within(ranking)
    if not len(left):
        raise InputError(
            f"{of.table.source}: {of.nothing}, so there are no comparisons; {of.cure}-1 and blank mean not ranked"
        )
    _warn_of_odd_ranks(of)
    ranks = of.rank[ranked]
    gap = ranks[right] - ranks[left]
    tied = np.zeros(of.table.n_rows, bool)
    tied[row[left[gap == 0]]] = True
    found = assemble(
        *(of.table, options, of.items, item[left], item[right]),
        ((gap > 0).astype(float), (gap == 0).astype(float), (gap < 0).astype(float)),
        tie_category=has_tie_category(of.table, options, tied, of.rank_columns[0]),
        used=of.used,
        row_of=row[left],
    )
    alone_in = int((np.bincount(ranking, minlength=int(of.ranking.max()) + 1) < 2).sum())
    have = "1 ranking has" if alone_in == 1 else f"{alone_in:,} rankings have"
    alone = f"; {have} fewer than two ranked systems, and no comparison" * (alone_in > 0)
    are = "1 rank of {:,} is" if (~ranked).sum() == 1 else f"{(~ranked).sum():,} ranks of {{:,}} are"
    unranked = f"{are.format(len(ranked))} -1 or blank, which means not ranked{alone}"
    told = () if ranked.all() and not alone else (unranked,)
    return found.changed(ranked_together=int(np.bincount(ranking).max()), read_as=(*of.table.told, *told))


def _warn_of_odd_ranks(of: Placed) -> None:
    """Say so where a few ranks are above the number of systems, or are 0 though others are that number."""
    last = np.bincount(of.ranking)[of.ranking]
    above, zero = of.rank > last, (of.rank == 0) & (of.rank == last).any()
    for odd, means in ((above & (above.mean() < _FEW), "the last of all"), (zero, "better than 1")):
        if n := int(odd.sum()):
            k = int(odd.argmax())
            name = of.rank_columns[int(of.place[k])]
            such = f", and {n - 1:,} more such ranks," * (n > 1)
            said = f"rank {of.rank[k]:g} among {last[k]} systems{such} is read as {means}; -1 or a blank means not ranked"
            warn_the_caller(f"{of.table.where(int(of.row[k]), name)}: {said}", DataWarning)


def _check_number_of_pairs(table: Table, sizes: IntArray, used: Collection[str]) -> None:
    """Refuse rankings of sizes int[n_rankings] with more pairs n(n-1)/2 than can be held."""
    n = float(np.sum(sizes.astype(float) * (sizes - 1) / 2))
    columns = sum(name not in used for name in table.columns)
    if n > MOST_PAIRS or n * columns > MOST_CELLS:
        beside = f", each with {columns:,} other columns" if n <= MOST_PAIRS else ""
        fewer = (
            "Read fewer rankings at a time, or give the comparisons as counts (first, second, wins, losses)"
        )
        raise InputError(
            f"{table.source}: the rankings, of up to {int(sizes.max()):,} systems, give"
            f" {n:,.0f} pairs{beside}; at most {MOST_PAIRS:,} pairs and {MOST_CELLS:,} of their cells"
            f" can be read. {'Drop columns that no model uses' if beside else fewer}"
        )


def _pairs_within(group: IntArray) -> tuple[IntArray, IntArray]:
    """Both members of every pair within the runs of equal `group` int[n]: 12 13 ... 23 ..."""
    sizes = np.bincount(group) if len(group) else np.zeros(0, np.int64)
    starts = np.cumsum(sizes) - sizes
    found = [np.zeros((2, 0), np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        place = starts[sizes == size][:, None]
        left, right = np.triu_indices(int(size), 1)
        found.append(np.stack([(place + left).ravel(), (place + right).ravel()]))
    first, second = np.concatenate(found, axis=1)
    order = np.argsort(group[first], kind="stable")
    return first[order], second[order]
