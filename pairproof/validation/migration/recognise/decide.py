"""Whether a fitted glm, gnm or polr is a model of paired comparisons, and which: by its design and its
response.

===================  ======================================================================================
binomial             each row a contest, +c for one item and -c for the other
poisson              two or three rows a contest, the second the mirror image of the first, and a constant of
                     its own for each (eliminated, or among the columns)
ordered, 3 answers   each row a contest with a tie between winning and losing: Rao and Kupper's model
===================  ======================================================================================
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .block import ItemBlock, item_block
from .contests import Contests, of_groups, of_rows
from .covariates import Players, Variable, players
from .groups import nuisance_of_glm
from .model import Model, model_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: What the item without a column is called where the data do not say.
UNNAMED = "reference"
NOT_JOINED = "no chain of comparisons joins all its items, and which of them R leaves out is its own choice"
NO_BLOCK = (
    "no columns of its design are items: a column for each of at least two items, the same number for one item of a"
    " row, its negative for the other, 0 elsewhere"
)


@dataclass(frozen=True, eq=False)
class Design:
    """The design of a fitted model.

    x float[n, p]: model matrix.  names: its columns.  known bool[p]: whether the coefficient was estimated
    (False: aliased, NA in R).  factors: factors and text of the data, n values each.  items: columns that the
    data say are items (prefmod's designs), beside those of x; {} if it says nothing.  covariates: item
    covariates that the data say.
    """

    x: FloatArray
    names: tuple[str, ...]
    known: NDArray[np.bool_]
    factors: Mapping[str, Variable] = field(default_factory=dict)
    numbers: Mapping[str, Variable] = field(default_factory=dict)
    items: Mapping[str, FloatArray] = field(default_factory=dict)
    covariates: Mapping[str, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True)
class Not:
    """Why a design is none of a model of ours.

    why: a sentence.  paired: whether it is one of paired comparisons all the same.
    """

    why: str
    paired: bool = False

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True, eq=False)
class Recognised:
    """A design of paired comparisons.

    coefficients: R's that are mapped, in the order of the columns of the map.  block: none where abilities
    come from item covariates alone.  players: columns of the data that say who met whom.  groups int[n] or
    None: of the nuisance constants.
    """

    kind: str
    model: Model
    coefficients: tuple[str, ...]
    block: ItemBlock | None
    players: Players | None
    groups: IntArray | None = None


def recognise_binomial(design: Design, wins: FloatArray, losses: FloatArray) -> Recognised | Not:
    """A design whose rows are contests.

    wins, losses float[n]: successes and failures of each row.
    """
    return _of_rows(design, wins, losses, "bradley-terry", None)


def recognise_ordered(design: Design, counts: FloatArray) -> Recognised | Not:
    """A design whose rows are contests with three ordered answers.

    design: without a constant.  counts float[n, 3]: weights of the lowest answer (the item with the plus sign
    lost), the middle one and the highest.
    """
    return _of_rows(design, counts[:, 2], counts[:, 0], "rao-kupper", counts[:, 1])


def _of_rows(
    design: Design, wins: FloatArray, losses: FloatArray, kind: str, ties: FloatArray | None
) -> Recognised | Not:
    x = design.x
    varies = np.flatnonzero(np.ptp(x, axis=0) > 0) if len(x) else np.array([], dtype=np.int64)
    block = item_block(x[:, varies])
    if block is None:
        return Not(NO_BLOCK)
    at = tuple(int(varies[k]) for k in block.columns)
    block = ItemBlock(at, block.scale, block.signs, block.hidden)
    contests = of_rows(block, x[:, design.known], wins, losses)
    if ties is not None:
        contests = Contests(
            contests.first, contests.second, wins, losses, ties, contests.logit, contests.tie, contests.rows
        )
    kept = tuple(n for n, k in zip(design.names, design.known) if k)
    return _recognised(design, contests, kept, block, kind, block.scale, None)


def recognise_poisson(design: Design, counts: FloatArray, groups: IntArray | None) -> Recognised | Not:
    """A design whose rows are outcomes of contests.

    counts float[n].  groups int[n] or None: levels of the eliminated factor, from 0; None: to be found among
    the columns.
    """
    if groups is None:
        found = nuisance_of_glm(design.x, {n: v.values for n, v in design.factors.items()})
        if isinstance(found, str):
            return Not(found)
        groups = found
    sizes = sorted(set(np.bincount(groups).tolist()))
    if not set(sizes) <= {2, 3}:
        return Not(
            f"groups of the eliminated factor have {', '.join(map(str, sizes))} rows; expected 2, or 3 with a row for"
            " ties: a constant for each pair of items in each group of respondents",
            paired=bool(design.items) or item_block(design.x, mirrored=True) is not None,
        )
    centred = design.x - _means(design.x, groups)
    known = np.flatnonzero(design.known & (np.abs(centred) > 1e-9).any(axis=0))
    block, size = _mirrored_block(design, centred)
    if block is None:
        return Not(NO_BLOCK)
    contests = of_groups(block, design.x[:, known], counts, groups)
    if isinstance(contests, str):
        return Not(contests, paired=bool(design.items))
    kept = tuple(design.names[k] for k in known)
    return _recognised(design, contests, kept, block, "llbt", size, groups)


def _mirrored_block(design: Design, centred: FloatArray) -> tuple[ItemBlock | None, float]:
    """The item block of a Poisson design and the log-odds of one unit of it.

    Columns that the data call items come first; then the design; then the design centred within groups, where
    winners coded 1 and 0 are +1/2 and -1/2 (of three rows: +2/3, -1/3, -1/3, which is no block, nor a model
    of ours).
    """
    if design.items:
        said = np.column_stack(list(design.items.values()))
        signs = np.sign(said).astype(np.int64)
        hidden = bool((np.abs(signs).sum(axis=1) == 1).any())
        if ((signs > 0).sum(axis=1) <= 1).all() and ((signs < 0).sum(axis=1) <= 1).all():
            scale = float(np.abs(said).max(initial=1.0))
            return ItemBlock(tuple(range(said.shape[1])), scale, signs, hidden), 2.0 * scale
    moving = np.flatnonzero((np.abs(centred) > 1e-9).any(axis=0))
    for x in (design.x, centred):
        block = item_block(x[:, moving], mirrored=True)
        if block is not None:
            at = tuple(int(moving[k]) for k in block.columns)
            return ItemBlock(at, block.scale, block.signs, block.hidden), 2.0 * block.scale
    return None, 0.0


def _means(x: FloatArray, groups: IntArray) -> FloatArray:
    sums = np.zeros((int(groups.max()) + 1, x.shape[1]))
    np.add.at(sums, groups, x)
    means: FloatArray = (sums / np.bincount(groups)[:, None])[groups]
    return means


def _recognised(
    design: Design,
    contests: Contests,
    kept: tuple[str, ...],
    block: ItemBlock,
    kind: str,
    size: float,
    groups: IntArray | None,
) -> Recognised | Not:
    if not block.connected:
        return Not(NOT_JOINED, paired=True)
    rows = contests.rows[:, 0]
    texts = {n: [v.values[r] for r in rows] for n, v in design.factors.items()}
    met = players(contests.first, contests.second, block.n_items, texts)
    said = list(design.items) if design.items else [design.names[k] for k in block.columns]
    items = _named(said, block, met)
    reference = _reference(design, block, items, kind)
    variables = _constant_in_contests(
        [*design.factors.values(), *design.numbers.values()], contests, items, met
    )
    model = model_of(
        contests,
        kept,
        items,
        reference,
        2.0 if kind == "llbt" else 1.0,
        size,
        variables,
        design.covariates,
        [*said, UNNAMED][: len(items)],
    )
    if isinstance(model, str):
        return Not(model, paired=True)
    return Recognised(kind, model, kept, None if not model.reference else block, met, groups)


def _named(said: Sequence[str], block: ItemBlock, met: Players | None) -> tuple[str, ...]:
    """Names of the items: those of the players where the columns' names say them (`D[, -1]Ceylon`), else the
    columns'.
    """
    if met is not None and all(label in name for name, label in zip(said, met.labels)):
        return tuple(usable(label) for label in met.labels)
    names = [usable(name) for name in _without_matrix(said)]
    if block.hidden:
        hidden = usable(met.labels[-1]) if met is not None else UNNAMED
        while hidden in names:
            hidden += "_"
        names.append(hidden)
    return tuple(names)


def _without_matrix(names: Sequence[str]) -> Sequence[str]:
    """Names of a matrix's columns without what R puts before them: "tv" for "X[, -4]tv", where they stay apart."""
    start = os.path.commonprefix(list(names))
    cut = max(start.rfind("]"), start.rfind(")")) + 1
    rest = [name[cut:] for name in names]
    return rest if len(names) > 1 and all(rest) and len(set(rest)) == len(rest) else names


def usable(name: str) -> str:
    """A name that cannot be taken for a parameter of another kind."""
    plain = re.sub(r"[:\[\]]", "_", name)
    return f"{plain}_" if plain in ("tie", "order") else plain


def _reference(design: Design, block: ItemBlock, items: Sequence[str], kind: str) -> str:
    """The hidden item; else the one whose coefficient R left out; else our default, first or last."""
    if block.hidden:
        return items[-1]
    if not design.items:
        aliased = [k for k, c in enumerate(block.columns) if not design.known[c]]
        if aliased:
            return items[aliased[-1]]
    else:
        said = list(design.items)
        known = {n for n, k in zip(design.names, design.known) if k}
        absent = [k for k, n in enumerate(said) if n not in known]
        if absent:
            return items[absent[-1]]
    return items[-1] if kind == "llbt" else items[0]


def _constant_in_contests(
    variables: Sequence[Variable], contests: Contests, items: Sequence[str], met: Players | None
) -> list[Variable]:
    """Variables that have one value in a contest, and are no player, by contest."""
    out = []
    used = set(met.columns) if met is not None else set()
    for v in variables:
        if v.name in used or v.name in items:
            continue
        of = [[v.values[r] for r in contests.rows[:, k]] for k in range(contests.rows.shape[1])]
        if all(column == of[0] for column in of[1:]) and not any(x is None or x != x for x in of[0]):
            levels = tuple(level for level in v.levels if level in set(of[0])) if v.levels else ()
            out.append(Variable(v.name, tuple(of[0]), levels))
    return out
