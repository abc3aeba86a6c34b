"""Rows of a design as contests, its columns as items, and the covariates that stand in them.

    eta_r = c (b_i - b_j) + ...    one plus and one minus in a row; one sign where the other item is hidden

(the coding of Critchlow and Fligner 1991, Psychometrika 56, 517-533, that glm, gnm and prefmod's designs
share). Contrasts of a factor are told from it: `contr.sum` has two minus signs in the rows of its last level,
`contr.helmert` entries of several sizes, and dummies have one sign.

    logit P(first preferred to second)                = sum_k logit[r, k] b_k
    log P(tie) - (log P(first) + log P(second)) / 2   = sum_k tie[r, k] b_k

In this form a binomial design, a Poisson one with its nuisance constants (Fienberg and Larntz 1976,
Biometrika 63, 245-254) and the local design of gnm's Davidson model are the same thing, and two designs are
the same model if one is a linear map of the other.

A design has `o1:ENG2`, the items' column times an indicator; a Python call has `by="ENG"`, the factor itself.
The values decide: z = column of the design / column of the item, and a variable (numbers, indicators of
levels, products of two of them) fits if all of its columns are among the z.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from ..translate.recorded_answers import Bools, Floats, Ints, StaysInR

#: A column of a design under its name.
Named = tuple[str, Floats]

#: Entries of a design are whole numbers and halves, which R keeps exactly; centring leaves a few roundings.
EXACT = 1e-9
#: Two items are one column of signs, which any covariate of +1 and -1 is as well.
FEWEST_ITEMS = 3
#: Where rows are outcomes, two columns that are each other's negative, in rows that mirror each other, are
#: two items: a covariate has one column.
FEWEST_MIRRORED = 2
#: Sizes of entries that are tried as the items' own.
MOST_SIZES = 6


class Not(StaysInR):
    """Why a design is none of paired comparisons; what is one and has no model of ours stays in R."""


@dataclass(frozen=True, eq=False)
class ItemBlock:
    """Columns of a design that are items.

    columns: positions in the design.  scale: c, the size of their entries: a coefficient times c is log-odds
    where rows are contests.  signs int[n_rows, n_columns]: -1, 0 or 1.  hidden: whether an item has no
    column, so that rows have a single sign where it took part.
    """

    columns: tuple[int, ...]
    scale: float
    signs: Ints
    hidden: bool

    @property
    def n_items(self) -> int:
        """Items, the hidden one included."""
        return len(self.columns) + self.hidden

    @property
    def chains(self) -> list[int]:
        """Items of each part that comparisons join, among those that took part in any."""
        found: list[set[int]] = []
        for pair in {tuple(np.flatnonzero(row).tolist()) for row in self.all_signs}:
            if len(pair) == 2:
                joined = [c for c in found if c & set(pair)]
                found = [c for c in found if not c & set(pair)] + [set(pair).union(*joined)]
        return [len(c) for c in found]

    @property
    def all_signs(self) -> Ints:
        """int[n_rows, n_items]: the signs, with a last column for the hidden item, if there is one."""
        if not self.hidden:
            return self.signs
        return np.column_stack([self.signs, -self.signs.sum(axis=1)])


def item_block(x: Floats, mirrored: bool = False, among: Bools | None = None) -> ItemBlock | None:
    """The item block of a design; `mirrored`: rows of a contest are mirror images, those of ties 0.

    among bool[n_columns]: columns that may be in it; None: all.
    """
    entries = (np.abs(column[np.abs(column) > EXACT]) for column in x.T)
    one_size = [k for k, of in enumerate(entries) if len(of) and np.ptp(of) < EXACT]
    of_one_size = [k for k in one_size if among is None or among[k]]
    sizes = np.array([np.abs(x[:, k]).max() for k in of_one_size])
    for size in _most_frequent(sizes):
        chosen = [k for k, s in zip(of_one_size, sizes) if abs(s - size) < EXACT]
        if mirrored:
            chosen = [k for k in chosen if (x[:, k] > EXACT).any() and (x[:, k] < -EXACT).any()]
        signs = np.sign(_clean(x[:, chosen])).astype(np.int64)
        blocks = []
        for kept in _consistent_sets(signs):
            own, items = signs[:, kept], tuple(chosen[k] for k in kept)
            block = ItemBlock(items, float(size), own, bool((np.abs(own).sum(axis=1) == 1).any()))
            blocks += [block] if _is_block(block, mirrored) else []
        if blocks:
            # Items within groups of respondents are a block as well, of more items in the same rows.
            return min(blocks, key=lambda b: (-int(np.abs(b.signs).any(axis=1).sum()), b.n_items))
    return None


def _most_frequent(sizes: Floats) -> list[float]:
    """Sizes of columns, the most frequent first, of equally frequent ones that which comes first."""
    values, first, times = np.unique(np.round(sizes, 9), return_index=True, return_counts=True)
    order = sorted(range(len(values)), key=lambda k: (-times[k], first[k]))
    return [float(sizes[first[k]]) for k in order[:MOST_SIZES]]


def _consistent_sets(signs: Ints) -> list[list[int]]:
    """Sets of columns with at most one plus and one minus in a row.

    By leaving out, one after the other, the columns that give a row two of a sign; and by taking in, one
    after the other, those that do not: all, those that are 0 somewhere (an order effect is not), and those
    with both signs (dummies have one).
    """
    everywhere = np.abs(signs).all(axis=0)
    both = (signs > 0).any(axis=0) & (signs < 0).any(axis=0)
    some = (np.ones_like(everywhere), ~everywhere, both & ~everywhere)
    sets = [_left_out(signs), *(_taken_in(signs, np.flatnonzero(of).tolist()) for of in some)]
    return [list(found) for found in dict.fromkeys(map(tuple, sets)) if len(found) > 1]


def _taken_in(signs: Ints, columns: list[int]) -> list[int]:
    taken = np.zeros((len(signs), 2), bool)  # rows that have a plus, and a minus
    kept = []
    for k in columns:
        own = np.column_stack([signs[:, k] > 0, signs[:, k] < 0])
        if not (taken & own).any():
            kept.append(k)
            taken |= own
    return kept


def _left_out(signs: Ints) -> list[int]:
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
    size = np.abs(block.signs).sum(axis=1)
    if not (size == 2).any() or (not mirrored and (size == 0).any()):
        return False
    fewest = FEWEST_MIRRORED if mirrored and not block.hidden else FEWEST_ITEMS
    return block.n_items >= fewest and max(block.chains, default=0) >= fewest


@dataclass(frozen=True, eq=False)
class Contests:
    """Contests read off a design.

    `first`, second int[n]: items of the block, the hidden one last.  wins, losses float[n].  ties float[n] or
    None: none: there is no row for a tie.  logit float[n, p]: what one unit of each coefficient adds to the
    log-odds of the first against the second.  tie float[n, p]: what it adds to the log-probability of a tie,
    beside the mean of those of the two.  rows int[n, m]: rows of the design: of the first preferred, the
    second, the tie; a contest's only one if it is binomial.
    """

    first: Ints
    second: Ints
    wins: Floats
    losses: Floats
    ties: Floats | None
    logit: Floats
    tie: Floats
    rows: Ints

    def __len__(self) -> int:
        return len(self.first)

    @property
    def totals(self) -> Floats:
        """float[n]: contests in each row."""
        total = self.wins + self.losses
        return total if self.ties is None else total + self.ties

    def turned(self, turn: Bools) -> Contests:
        """The same contests with first and second exchanged where `turn`."""
        rows = self.rows.copy()
        if rows.shape[1] > 1:
            rows[turn] = rows[turn][:, [1, 0, *range(2, rows.shape[1])]]
        first, second = np.where(turn, (self.second, self.first), (self.first, self.second))
        wins, losses = np.where(turn, (self.losses, self.wins), (self.wins, self.losses))
        logit = np.where(turn[:, None], -self.logit, self.logit)
        return replace(self, first=first, second=second, wins=wins, losses=losses, logit=logit, rows=rows)


def of_rows(block: ItemBlock, x: Floats, wins: Floats, losses: Floats) -> Contests:
    """Contests of a binomial design, a row each; wins, losses float[n]: of the item with the plus sign."""
    first, second = _sides(block.all_signs)
    rows = np.arange(len(x), dtype=np.int64)[:, None]
    return Contests(first, second, wins, losses, None, x, np.zeros_like(x), rows)


def of_groups(block: ItemBlock, x: Floats, counts: Floats, groups: Ints) -> Contests:
    """Contests of a Poisson design, two or three rows of a group each."""
    signs = block.all_signs
    rows = _rows_of_groups(groups, np.abs(signs).sum(axis=1) == 0)
    if (signs[rows[:, 0]] + signs[rows[:, 1]]).any():
        mirrored = "the rows of a group are not mirror images of each other"
        raise Not(f"{mirrored}, so they are not the outcomes of one contest")
    first, second = _sides(signs[rows[:, 0]])
    high, low = x[rows[:, 0]], x[rows[:, 1]]
    of_ties = rows.shape[1] == 3
    ties = counts[rows[:, 2]] if of_ties else None
    tie = x[rows[:, 2]] - (high + low) / 2 if of_ties else np.zeros_like(high)
    wins, losses = counts[rows[:, 0]], counts[rows[:, 1]]
    return Contests(first, second, wins, losses, ties, _clean(high - low), _clean(tie), rows)


def _sides(signs: Ints) -> tuple[Ints, Ints]:
    return np.asarray(signs.argmax(axis=1)), np.asarray(signs.argmin(axis=1))


def _clean(x: Floats) -> Floats:
    return np.where(np.abs(x) < EXACT, 0.0, x)


def _rows_of_groups(groups: Ints, empty: Bools) -> Ints:
    """int[n_groups, 2 or 3]: rows of each group in the order of the design, that of the tie last."""
    sizes = np.bincount(groups)
    if len(set(sizes.tolist())) != 1 or sizes[0] not in (2, 3):
        found, expected = sorted(set(sizes.tolist())), "expected 2 each, or 3 each with a row for ties"
        raise Not(f"groups of the nuisance factor have {', '.join(map(str, found))} rows; {expected}")
    m = int(sizes[0])
    rows = np.argsort(groups, kind="stable").reshape(-1, m).astype(np.int64)
    wrong = empty[rows].sum(axis=1) != m - 2
    if wrong.any():
        tie = " and one for a tie" if m == 3 else ""
        raise Not(f"{int(wrong.sum())} groups of the nuisance factor do not have two rows with items{tie}")
    return np.take_along_axis(rows, np.argsort(empty[rows], axis=1, kind="stable"), axis=1)


#: Variables of which products are tried at most.
MOST_VARIABLES = 12
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Variable:
    """A covariate of contests: numbers, or text with the levels of a factor, the base of contrasts first."""

    name: str
    values: tuple[object, ...]
    levels: tuple[str, ...] = ()

    def columns(self) -> list[tuple[str, Floats]]:
        """Label and values of each column that the model has of it: `ENG[2]`, or the number itself."""
        if not self.levels:
            return [(self.name, np.array(self.values, dtype=float))]
        own = np.array(self.values, dtype=object)
        return [(f"{self.name}[{level}]", (own == level).astype(float)) for level in self.levels[1:]]


@dataclass(frozen=True, eq=False)
class Product:
    """A covariate, or the product of two, with its labels ("ENG[2]:age") and values float[n, n_columns]."""

    variables: tuple[Variable, ...]
    labels: tuple[str, ...]
    values: Floats


def times(columns: Sequence[Named], products: Iterable[Product]) -> list[Named]:
    """Each column times each column of the products, under both names."""
    of = [(label, z) for p in products for label, z in zip(p.labels, p.values.T)]
    return [(f"{name}:{label}", column * z) for label, z in of for name, column in columns]


def product_of(variables: Sequence[Variable]) -> Product:
    """The product of variables, a column for every combination of theirs."""
    columns: list[tuple[tuple[str, ...], Floats]] = [((), np.ones(len(variables[0].values)))]
    for variable in variables:
        columns = [((*said, label), z * own) for said, z in columns for label, own in variable.columns()]
    labels = tuple(":".join(said) for said, _ in columns)
    return Product(tuple(variables), labels, np.column_stack([z for _, z in columns]))


def explained(wanted: Mapping[str, Floats], variables: Sequence[Variable]) -> list[Product]:
    """Products with the wanted columns (nan: not told); what nothing explains is a number of its own."""
    left = dict(wanted)
    found: list[Product] = []
    for product in _products(variables):
        if not left:
            break
        taken = [_first_equal(left, column) for column in product.values.T]
        if len(taken) and None not in taken and len(set(taken)) == len(taken):
            found.append(product)
            left = {name: z for name, z in left.items() if name not in taken and not _is_base(product, z)}
    numbers = (Variable(name, tuple(np.nan_to_num(z).tolist())) for name, z in left.items())
    return [*found, *(product_of([number]) for number in numbers)]


def _products(variables: Sequence[Variable]) -> Iterator[Product]:
    few = [v for v in list(variables)[:MOST_VARIABLES] if len(v.levels) != 1]
    return map(product_of, (*((v,) for v in few), *combinations(few, 2)))


def _first_equal(wanted: Mapping[str, Floats], column: Floats) -> str | None:
    for name, z in wanted.items():
        told = ~np.isnan(z)
        if told.any() and np.abs(z[told] - column[told]).max() < SAME:
            return name
    return None


def _is_base(product: Product, z: Floats) -> bool:
    """Whether z is the indicator of the factor's first level, which the others and the term determine."""
    if len(product.variables) != 1 or not product.variables[0].levels:
        return False
    rest = 1.0 - product.values.sum(axis=1)
    told = ~np.isnan(z)
    return bool(np.abs(z[told] - rest[told]).max() < SAME)


@dataclass(frozen=True, eq=False)
class Players:
    """The two columns of a frame that say who met whom; labels of the items, the hidden one last."""

    columns: tuple[str, str]
    labels: tuple[str, ...]


def players(first: Ints, second: Ints, n_items: int, texts: Mapping[str, Sequence[object]]) -> Players | None:
    """The pair of columns of text that reproduce first and second, one to one; None if there is none."""
    for one, other in permutations(list(texts)[:MOST_VARIABLES], 2):
        met = {*zip(first.tolist(), texts[one]), *zip(second.tolist(), texts[other])}
        labels = dict(met)
        if len(met) == len(labels) == n_items == len(set(labels.values())):
            return Players((one, other), tuple(str(labels[k]) for k in range(n_items)))
    return None
