"""Whether a fitted glm, gnm or polr is a model of paired comparisons, and which: by design and response.

===================  ======================================================================================
binomial             each row a contest, +c for one item and -c for the other
poisson              two or three rows a contest, the second the mirror image of the first, and a constant of
                     its own for each (eliminated, or among the columns)
ordered, 3 answers   each row a contest with a tie between winning and losing: Rao and Kupper's model
===================  ======================================================================================

The nuisance factor of a Poisson design is a constant for each pair of items in each group of respondents.
gnm says it (`eliminate`); glm has it among its columns: the factors of the model frame whose combinations
have two or three rows each and whose indicators lie in the column space of the design, whatever their
contrasts.

Davidson's model by gnm and BradleyTerry2's GenDavidson is told from the local design of the fit:

    log m(1 wins) = mu + a_1 + h_1 adv,   log m(2 wins) = mu + a_2 + h_2 adv,
    log m(tie)    = mu + tie.max + log 2 + the mean of the two,   without tie.mode and tie.scale

(Davidson 1970, JASA 65, 317-328; the general form: Turner and Firth, BradleyTerry2).  The derivative of a
row's predictor by an ability is 1 where that player won and 0 where the other did, which tells the rows of a
match apart.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..translate.recorded_answers import Bools, Floats, Ints, StaysInR, free, stays_if
from . import design_contests
from .design_contests import EXACT, Contests, ItemBlock, Not, Players, Variable
from .design_terms import Coefficients, Model, model_of

#: Factors of which subsets are tried, and groups at most: the rank of a design of so many columns takes
#: seconds.
MOST_FACTORS, MOST_GROUPS = 6, 1500


def codes(*factors: Sequence[object] | NDArray[np.generic]) -> Ints:
    """int[n]: the combination of factors that each row has, numbered in the order of their first rows."""
    seen: dict[tuple[object, ...], int] = {}
    return np.array([seen.setdefault(key, len(seen)) for key in zip(*factors)], dtype=np.int64)


def nuisance_of_glm(x: Floats, factors: Mapping[str, Sequence[object]]) -> Ints:
    """int[n_rows]: the groups of rows that a glm has a constant for."""
    if not factors:
        raise Not("a Poisson model without a factor, and therefore without a constant for each pair of items")
    names = list(factors)[:MOST_FACTORS]
    for size in range(len(names), 0, -1):
        for chosen in combinations(names, size):
            groups = codes(*(factors[n] for n in chosen))
            sizes = np.bincount(groups)
            if len(sizes) <= MOST_GROUPS and set(sizes.tolist()) <= {2, 3} and _has_constants(x, groups):
                return groups
    why = "a Poisson model without a constant for each pair of items in each group of respondents"
    raise Not(f"{why}: no combination of {', '.join(names)} has 2 or 3 rows and its own constant")


def _has_constants(x: Floats, groups: Ints) -> bool:
    """Whether the indicators of the groups lie in the column space of the design."""
    n = int(groups.max()) + 1
    first = np.unique(groups, return_index=True)[1]
    constant = ~(np.abs(x - x[first[groups]]) > 1e-9).any(axis=0)
    if constant.any() and np.linalg.matrix_rank(x[first][:, constant]) == n:
        return True
    indicators = (groups[:, None] == np.arange(n)).astype(float)
    return bool(np.linalg.matrix_rank(np.column_stack([x, indicators])) == np.linalg.matrix_rank(x))


#: What the item without a column is called where the data do not say.
UNNAMED = "reference"
NOT_JOINED = "its items are not all connected by comparisons, and R chooses which of them to leave out"
NO_BLOCK = "its design has no columns of items (one column for each of at least two items, with the same number for one item of a row, its negative for the other, and 0 elsewhere)"


@dataclass(frozen=True, eq=False)
class Design:
    """The design of a fitted model.

    x float[n, p]: model matrix.  names: its columns.  known bool[p]: whether the coefficient was estimated
    (False: aliased, NA in R).  factors: factors and text of the data, n values each.  items: columns that the
    data say are items (prefmod's designs), beside those of x; {} if it says nothing.  covariates: item
    covariates that the data say.  hidden: name of the item without a column.
    """

    x: Floats
    names: tuple[str, ...]
    known: Bools
    factors: Mapping[str, Variable] = field(default_factory=dict)
    numbers: Mapping[str, Variable] = field(default_factory=dict)
    items: Mapping[str, Floats] = field(default_factory=dict)
    covariates: Mapping[str, Floats] = field(default_factory=dict)
    hidden: str = UNNAMED


@dataclass(frozen=True, eq=False)
class Recognised:
    """A design of paired comparisons; block: none with item covariates alone."""

    model: Model
    coefficients: tuple[str, ...]
    block: ItemBlock | None
    players: Players | None


def recognise_rows(design: Design, wins: Floats, losses: Floats, ties: Floats | None = None) -> Recognised:
    """A design whose rows are contests; wins, losses, ties float[n]: of the item with the plus sign."""
    x, known = design.x, np.flatnonzero(design.known)
    block = design_contests.item_block(x, among=np.asarray((x != x[:1]).any(axis=0)))
    if block is None:
        raise Not(NO_BLOCK)
    contests = replace(design_contests.of_rows(block, x[:, known], wins, losses), ties=ties)
    return _recognised(design, contests, known, block, 1.0)


def recognise_poisson(design: Design, counts: Floats, groups: Ints | None) -> Recognised:
    """Rows are outcomes of contests; groups int[n]: of the eliminated factor; None: among the columns."""
    if groups is None:
        groups = nuisance_of_glm(design.x, {n: v.values for n, v in design.factors.items()})
    sizes = sorted(set(np.bincount(groups).tolist()))
    if not set(sizes) <= {2, 3}:
        paired = bool(design.items) or design_contests.item_block(design.x, mirrored=True) is not None
        raise (StaysInR if paired else Not)(
            f"groups of the eliminated factor have {', '.join(map(str, sizes))} rows; expected 2, or 3 with a row for"
            " ties: a constant for each pair of items in each group of respondents"
        )
    sums = np.zeros((int(groups.max()) + 1, design.x.shape[1]))
    np.add.at(sums, groups, design.x)
    centred = design.x - (sums / np.bincount(groups)[:, None])[groups]
    known = np.flatnonzero(design.known & (np.abs(centred) > 1e-9).any(axis=0))
    block = _mirrored_block(design, centred)
    if block is None:
        raise Not(NO_BLOCK)
    contests = design_contests.of_groups(block, design.x[:, known], counts, groups)
    return _recognised(design, contests, known, block, 2.0)


def _mirrored_block(design: Design, centred: Floats) -> ItemBlock | None:
    """The item block of a Poisson design.

    Columns that the data call items come first; then the design; then the design centred within groups, where
    winners coded 1 and 0 are +1/2 and -1/2 (of three rows: +2/3, -1/3, -1/3, which is no block, nor a model
    of ours).
    """
    if design.items:
        said = np.column_stack(list(design.items.values()))
        signs = np.sign(said).astype(np.int64)
        hidden = bool((np.abs(signs).sum(axis=1) == 1).any())
        if ((signs > 0).sum(axis=1) <= 1).all() and ((signs < 0).sum(axis=1) <= 1).all():
            return ItemBlock(tuple(range(said.shape[1])), float(np.abs(said).max(initial=1.0)), signs, hidden)
    moving = np.asarray((np.abs(centred) > 1e-9).any(axis=0))
    found = (design_contests.item_block(x, mirrored=True, among=moving) for x in (design.x, centred))
    return next((block for block in found if block is not None), None)


def _recognised(design: Design, contests: Contests, known: Ints, block: ItemBlock, unit: float) -> Recognised:
    """The model; unit: log-odds of one unit of our item parameters, 2 in LLBTs, whose reference is the last item.

    known: positions of the coefficients.
    """
    stays_if(len(block.chains) != 1, NOT_JOINED)
    rows, kept, size = contests.rows[:, 0], tuple(design.names[k] for k in known), unit * block.scale
    texts = {n: [v.values[r] for r in rows] for n, v in design.factors.items()}
    met = design_contests.players(contests.first, contests.second, block.n_items, texts)
    said = list(design.items) if design.items else [design.names[k] for k in block.columns]
    items = _named(said, block, met, design.hidden or UNNAMED)
    reference = _reference(design, block, items, items[-1] if unit == 2.0 else items[0])
    every = [*design.factors.values(), *design.numbers.values()]
    variables = _constant_in_contests(every, contests, items, met)
    labels = [*said, UNNAMED][: len(items)]
    given = Coefficients(contests, kept, items, labels, reference, unit, size, variables, design.covariates)
    model = model_of(given)
    return Recognised(model, kept, block if model.reference else None, met)


def _named(said: Sequence[str], block: ItemBlock, met: Players | None, hidden: str) -> tuple[str, ...]:
    """Names of the items: players' where the columns' names say them (`D[, -1]Ceylon`), or columns'."""
    if met is not None and all(label in name for name, label in zip(said, met.labels)):
        return tuple(usable(label) for label in met.labels)
    names = [usable(name) for name in _without_matrix(said)]
    last = free(usable(met.labels[-1] if met is not None else hidden), names)
    return (*names, last) if block.hidden else tuple(names)


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


def _reference(design: Design, block: ItemBlock, items: Sequence[str], usual: str) -> str:
    """The hidden item; else the one whose coefficient R left out; else our default."""
    known = {n for n, k in zip(design.names, design.known) if k}
    absent = [k for k, n in enumerate(design.items) if n not in known]
    if not design.items:
        absent = [k for k, c in enumerate(block.columns) if not design.known[c]]
    return items[-1] if block.hidden else items[absent[-1]] if absent else usual


def _constant_in_contests(
    variables: Sequence[Variable], contests: Contests, items: Sequence[str], met: Players | None
) -> list[Variable]:
    """Variables that have one value in a contest, and are no player, by contest."""
    out, used = [], {*items, *(() if met is None else met.columns)}
    for v in (v for v in variables if v.name not in used):
        of = [[v.values[r] for r in contests.rows[:, k]] for k in range(contests.rows.shape[1])]
        if all(column == of[0] for column in of[1:]) and not any(x is None or x != x for x in of[0]):
            levels = tuple(level for level in v.levels if level in set(of[0])) if v.levels else ()
            out.append(Variable(v.name, tuple(of[0]), levels))
    return out


#: gnm's names of the terms, which GenDavidson gives them, and ours.
OF_SEVERAL = (
    "its GenDavidson has more than one parameter for the home advantage, a tie term or a player's ability"
)
OURS = {"home.adv": "order", "tie.max": "tie", "tie.mode": "tie-shift", "tie.scale": "tie-scale"}


def recognise_davidson(design: Design, counts: Floats, groups: Ints) -> Recognised:
    """A GenDavidson of single abilities, by the derivatives of its predictors; groups int[n]: matches.

    The player at home is first; the first item is the reference; tie is that of R plus log 2 besides.
    """
    special = [n for n in design.names if n in OURS]
    items = tuple(n for n in design.names if n not in OURS)
    of_three = set(np.bincount(groups).tolist()) == {3}
    stays_if(not of_three, "its matches do not have three rows each, won, tied and lost")
    place = {n: k for k, n in enumerate(design.names)}
    at = [place[n] for n in items]
    # The row of a tie, in which tie.mode and tie.scale move abilities, has the mean of the others instead.
    x, tied = design.x[:, at].copy(), np.abs(design.x[:, place.get("tie.max", at[0])]) > EXACT
    sums = np.zeros((int(groups.max()) + 1, len(at)))
    np.add.at(sums, groups[~tied], x[~tied])
    signs = np.where(tied[:, None], 0.0, 2.0 * x - sums[groups]).round(9)
    of_two = (np.abs(signs).sum(axis=1) == np.where(tied, 0, 2)).all() and set(signs.flat) <= {-1.0, 0.0, 1.0}
    stays_if("tie.max" not in special or not of_two, OF_SEVERAL)
    block = ItemBlock(tuple(at), 0.5, signs.astype(np.int64), False)
    contests, order = design_contests.of_groups(block, design.x, counts, groups), None
    # Where the data name the players, that of the first column comes first.
    named = [v for v in design.factors.values() if v.levels and set(v.levels) == set(items)]
    if len(named) == 2:
        said = [items.index(str(named[0].values[k])) for k in contests.rows[:, 0]]
        contests = contests.turned(contests.second == said)
    if "home.adv" in place:
        home = contests.logit[:, place["home.adv"]]
        whole = set(np.round(home, 9).tolist()) <= {-1.0, 0.0, 1.0}
        stays_if(not whole, "its home-advantage indicators are not 0 and 1")
        contests, order = contests.turned(home < 0), np.abs(home).round()
    else:
        stays_if("tie.mode" in special, "its GenDavidson has tie.mode without a home advantage")
    shown = tuple(usable(n) for n in items)
    same = "two of its players have the same name after reserved characters are replaced"
    stays_if(len(set(shown)) != len(shown), same)
    names = (*shown[1:], *(OURS[n] for n in special))
    to = np.eye(len(design.names))[[place[n] for n in (*items[1:], *special)]]
    to[: len(items) - 1, place[items[0]]] = -1.0
    model = Model(contests, shown, shown[0], order is not None, "davidson", (), {}, {}, names, to, order)
    met = Players((named[0].name, named[1].name), shown) if len(named) == 2 else None
    return Recognised(model, design.names, None, met)
