"""The columns of a design that are items: +c for one item of a row, -c for the other, 0 elsewhere.

    eta_r = c (b_i - b_j) + ...    one plus and one minus in a row; a single sign where the other item is
    hidden

(the coding of Critchlow and Fligner 1991, Psychometrika 56, 517-533, that glm, gnm and prefmod's designs
share). Contrasts of a factor are told from it: `contr.sum` has two minus signs in the rows of its last level,
`contr.helmert` entries of several sizes, and dummies have one sign.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Entries of a design are whole numbers and halves, which R keeps exactly; centring leaves a few roundings.
EXACT = 1e-9
#: Two items are one column of signs, which any covariate of +1 and -1 is as well.
FEWEST_ITEMS = 3
#: Where rows are outcomes, two columns that are each other's negative, in rows that mirror each other, are
#: two items: a covariate has one column.
FEWEST_MIRRORED = 2
#: Sizes of entries that are tried as the items' own.
MOST_SIZES = 6


@dataclass(frozen=True, eq=False)
class ItemBlock:
    """Columns of a design that are items.

    columns: positions in the design.  scale: c, the size of their entries: a coefficient times c is log-odds
    where rows are contests.  signs int[n_rows, n_columns]: -1, 0 or 1.  hidden: whether an item has no
    column, so that rows have a single sign where it took part.
    """

    columns: tuple[int, ...]
    scale: float
    signs: IntArray
    hidden: bool

    @property
    def n_items(self) -> int:
        """Items, the hidden one included."""
        return len(self.columns) + self.hidden

    @property
    def connected(self) -> bool:
        """Whether a chain of comparisons joins all items."""
        return len(self.chains) == 1

    @property
    def chains(self) -> list[int]:
        """Items of each part that comparisons join, among those that took part in any."""
        found: list[set[int]] = []
        for pair in {tuple(np.flatnonzero(row)) for row in self.all_signs}:
            if len(pair) == 2:
                joined = [c for c in found if c & set(pair)]
                found = [c for c in found if not c & set(pair)] + [set(pair).union(*joined)]
        return [len(c) for c in found]

    @property
    def all_signs(self) -> IntArray:
        """int[n_rows, n_items]: the signs, with a last column for the hidden item, if there is one."""
        if not self.hidden:
            return self.signs
        return np.column_stack([self.signs, -self.signs.sum(axis=1)])


def item_block(x: FloatArray, mirrored: bool = False) -> ItemBlock | None:
    """The item block of a design; None if it has none.

    x float[n_rows, n_columns].  mirrored: whether rows are outcomes, those of one contest being mirror
    images: every item then has both signs, and rows of ties are 0.
    """
    of_one_size = [k for k in range(x.shape[1]) if _one_size(x[:, k])]
    if not of_one_size:
        return None
    sizes = np.array([np.abs(x[:, k]).max() for k in of_one_size])
    for size in _most_frequent(sizes):
        chosen = [k for k, s in zip(of_one_size, sizes) if abs(s - size) < EXACT]
        if mirrored:
            chosen = [k for k in chosen if (x[:, k] > EXACT).any() and (x[:, k] < -EXACT).any()]
        signs = np.where(np.abs(x[:, chosen]) < EXACT, 0, np.sign(x[:, chosen])).astype(np.int64)
        blocks = [
            ItemBlock(
                tuple(chosen[k] for k in kept),
                float(size),
                signs[:, kept],
                bool((np.abs(signs[:, kept]).sum(axis=1) == 1).any()),
            )
            for kept in _consistent_sets(signs)
        ]
        blocks = [b for b in blocks if _is_block(b, mirrored)]
        if blocks:
            # Items within groups of respondents are a block as well, of more items in the same rows.
            return min(blocks, key=lambda b: (-int(np.abs(b.signs).any(axis=1).sum()), b.n_items))
    return None


def _one_size(column: FloatArray) -> bool:
    entries = np.abs(column[np.abs(column) > EXACT])
    return bool(len(entries)) and bool(entries.max() - entries.min() < EXACT)


def _most_frequent(sizes: FloatArray) -> list[float]:
    """Sizes of columns, the most frequent first, of equally frequent ones that which comes first."""
    rounded = np.round(sizes, 9)
    values, first, times = np.unique(rounded, return_index=True, return_counts=True)
    order = sorted(range(len(values)), key=lambda k: (-times[k], first[k]))
    return [float(sizes[first[k]]) for k in order[:MOST_SIZES]]


def _consistent_sets(signs: IntArray) -> list[list[int]]:
    """Sets of columns with at most one plus and one minus in a row.

    By leaving out, one after the other, the columns that give a row two of a sign; and by taking in, one
    after the other, those that do not: all, those that are 0 somewhere (an order effect is not), and those
    with both signs (dummies have one).
    """
    everywhere = np.abs(signs).all(axis=0)
    both = (signs > 0).any(axis=0) & (signs < 0).any(axis=0)
    columns = np.arange(signs.shape[1])
    sets = [_left_out(signs)]
    for some in (columns, columns[~everywhere], columns[both & ~everywhere]):
        sets.append(_taken_in(signs, some.tolist()))
    return [list(found) for found in dict.fromkeys(tuple(s) for s in sets) if len(found) > 1]


def _taken_in(signs: IntArray, columns: list[int]) -> list[int]:
    plus, minus = np.zeros(len(signs), bool), np.zeros(len(signs), bool)
    kept = []
    for k in columns:
        high, low = signs[:, k] > 0, signs[:, k] < 0
        if not (plus & high).any() and not (minus & low).any():
            kept.append(k)
            plus, minus = plus | high, minus | low
    return kept


def _left_out(signs: IntArray) -> list[int]:
    """First those go that give a row two of a sign in all their rows (`o1:ENG2` beside `o1`), then the
    fullest (an order effect beside teams), then the last (`o1:ENG1` after `o1`).
    """
    kept = list(range(signs.shape[1]))
    while len(kept) > 1:
        here = signs[:, kept]
        bad = ((here > 0).sum(axis=1) > 1) | ((here < 0).sum(axis=1) > 1)
        if not bad.any():
            return kept
        load = np.abs(here[bad]).sum(axis=0)
        share = load / np.abs(here).sum(axis=0)
        worst = max(range(len(kept)), key=lambda k: (share[k], load[k], k))
        del kept[worst]
    return kept


def _is_block(block: ItemBlock, mirrored: bool) -> bool:
    signs = block.signs
    size = np.abs(signs).sum(axis=1)
    if not (size == 2).any() or (not mirrored and (size == 0).any()):
        return False
    fewest = FEWEST_MIRRORED if mirrored and not block.hidden else FEWEST_ITEMS
    return block.n_items >= fewest and max(block.chains, default=0) >= fewest
