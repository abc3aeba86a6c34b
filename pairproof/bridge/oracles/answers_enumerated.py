"""Every possible answer of a person, listed, and its statistics: the tables that ``patterns_in_r.newton`` takes.

All kinds of answers are comparisons in the end, in prefmod's order (12)(13)(23)(14)(24)(34)...: y = +1 first
preferred, 0 undecided, -1 second, 9 not answered.  The log-probability of a whole answer is, up to a constant,

    sum_j lambda_j X_j(y) + gamma U(y) + sum theta_ab y_a y_b,        lambda of the last item 0,

X_j the comparisons that j won less those it lost, U the number undecided, ab two comparisons that share an item
(Hatzinger & Dittrich 2012, J. Stat. Software 48(10)).  Item parameters may differ between covariate groups:
lambda of group s is sum_q z_sq lambda_q.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from ..packages.answers import Floats, reals
from .patterns_in_r import Enumerated

Answers = NDArray[np.int64]
MISSING = 9
#: Numbers in the largest design that is listed: 0.2 GB.
MOST = 25_000_000


def pairs_of(n_items: int) -> list[tuple[int, int]]:
    """Items of each comparison, from 0, in prefmod's order."""
    return [(i, j) for j in range(1, n_items) for i in range(j)]


# -- spaces: all answers, as comparisons ---------------------------------------------------------------------


def all_comparisons(n_items: int, ties: bool) -> Answers:
    """Every answer to all comparisons, 2^C or 3^C of them."""
    codes = (1, 0, -1) if ties else (1, -1)
    n = len(pairs_of(n_items))
    if len(codes) ** n * n > MOST:
        raise TooLargeError(f"{len(codes)}^{n} answers of {n_items} items are too many to list")
    return np.array(list(itertools.product(codes, repeat=n)), np.int64)


def all_rankings(n_items: int) -> Answers:
    """Every ranking, J! of them."""
    if n_items > 8:
        raise TooLargeError(f"{n_items}! rankings are too many to list; at most 8 items are taken")
    return compared(np.array(list(itertools.permutations(range(1, n_items + 1))), float))


def all_ratings(n_items: int, points: int) -> Answers:
    """Every weak order that ``points`` points can express, once."""
    if points**n_items * n_items**2 > MOST:
        raise TooLargeError(f"{points}^{n_items} ratings are too many to list")
    return np.unique(
        compared(np.array(list(itertools.product(range(points), repeat=n_items)), float)), axis=0
    )


def compared(scores: Any) -> Answers:
    """Ranks or ratings (low is preferred, NaN is missing) as comparisons; missing where either score is."""
    values = reals(scores)
    found = []
    for i, j in pairs_of(values.shape[1]):
        gap = values[:, j] - values[:, i]
        found.append(np.where(np.isnan(gap), MISSING, np.sign(np.nan_to_num(gap))))
    return np.column_stack(found).astype(np.int64)


def compared_top(ranks: Any) -> Answers:
    """Partial rankings as comparisons: an item without a rank (NaN) is below every ranked one."""
    values = reals(ranks)
    absent = np.isnan(values)
    answers = compared(np.where(absent, np.nanmax(values) + 1, values))
    for k, (i, j) in enumerate(pairs_of(values.shape[1])):
        answers[absent[:, i] & absent[:, j], k] = MISSING
    return answers


# -- statistics ----------------------------------------------------------------------------------------------


def item_statistics(answers: Answers, n_items: int) -> Floats:
    """X_j, wins less losses, of all items but the last."""
    found = np.zeros((len(answers), n_items))
    for k, (i, j) in enumerate(pairs_of(n_items)):
        found[:, i] += answers[:, k]
        found[:, j] -= answers[:, k]
    return found[:, :-1]


def dependence(answers: Answers, n_items: int) -> tuple[Floats, list[str]]:
    """Products of the comparisons that share an item, and their names as prefmod prints them (I12.13)."""
    pairs = pairs_of(n_items)
    columns, names = [], []
    for common in range(n_items):
        others = [k for k in range(n_items) if k != common]
        for a, b in itertools.combinations(others, 2):
            first, second = ((min(common, k), max(common, k)) for k in (a, b))
            columns.append(answers[:, pairs.index(first)] * answers[:, pairs.index(second)])
            names.append("I" + ".".join(f"{i + 1}{j + 1}" for i, j in (first, second)))
    return np.column_stack(columns).astype(float), names


# -- models --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Groups:
    """Covariate groups of the answers given, and how their item parameters are made.

    group int[given]: from 0.  rows float[groups, q]: z: a row a group, the first column 1.  names: of the
    columns; the first is not shown.
    """

    group: NDArray[np.int64]
    rows: Floats
    names: tuple[str, ...]


def model(
    space: Answers,
    given: Answers,
    counts: Sequence[float] | Floats,
    *,
    items: Sequence[str],
    ties: bool = False,
    ia: bool = False,
    groups: Groups | None = None,
) -> Enumerated:
    """A model of answers at one time: lambda (a block for each covariate), U, dependence.

    space int[N, C]: of :func:`all_comparisons`, :func:`all_rankings` or :func:`all_ratings`.  given int[n,
    C]: the distinct answers, 9 where not answered.  counts float[n].  ties: one undecided parameter, U.
    """
    lam, common, names = _statistics(space, items, ties, ia)
    return _grouped(lam, list(items[:-1]), common, names, _members(space, given), counts, groups)


def missing_model(
    space: Answers,
    given: Answers,
    counts: Sequence[float] | Floats,
    *,
    items: Sequence[str],
    ties: bool = False,
    ia: bool = False,
    alpha: Literal["common", "item", "comparison"] | None = None,
    beta: Literal["comparison", "difference", "coded"] | None = None,
) -> Enumerated:
    """A model of comparisons and of which are missing (r = 1): the space of answers times 2^C gaps.

    alpha: alpha sum r; sum r_jk (alpha_j + alpha_k); sum r_jk alpha_jk.  beta: sum r_jk y_jk beta_jk; sum
    r_jk y_jk (beta_j - beta_k), the last item 0; and what prefmod computes for items: sum_i beta_i (missing
    comparisons of item i) times the answer to the i-th comparison.
    """
    pairs, n_items = pairs_of(len(items)), len(items)
    gaps = np.array(list(itertools.product((0, 1), repeat=len(pairs))), np.int64)
    if len(space) * len(gaps) * len(pairs) > MOST:
        raise TooLargeError(f"{len(space)} answers times {len(gaps)} sets of gaps are too many to list")
    r = np.tile(gaps, (len(space), 1))
    y = np.repeat(space, len(gaps), axis=0)
    touches = np.array([[float(item in pair) for item in range(n_items)] for pair in pairs])
    sides = np.array([[float(item == i) - float(item == j) for item in range(n_items)] for i, j in pairs])
    numbers = [str(k + 1) for k in range(len(pairs))]
    alphas: dict[str | None, tuple[Any, list[str]]] = {
        None: (np.zeros((len(r), 0)), []),
        "common": (r.sum(axis=1, keepdims=True), [".common"]),
        "item": (r @ touches, numbers[:n_items]),
        "comparison": (r, numbers),
    }
    betas: dict[str | None, tuple[Any, list[str]]] = {
        None: (np.zeros((len(r), 0)), []),
        "comparison": (r * y, numbers),
        "difference": ((r * y) @ sides[:, :-1], numbers[: n_items - 1]),
        "coded": ((r @ touches) * y[:, :n_items], numbers[:n_items]),
    }
    lam, common, names = _statistics(y, items, ties, ia)
    extra = [alphas[alpha][0], betas[beta][0]]
    named = [*(f"mis.alpha{n}" for n in alphas[alpha][1]), *(f"mis.beta{n}" for n in betas[beta][1])]
    known = given != MISSING
    members = [
        np.flatnonzero((r == ~seen).all(axis=1) & (y == row)[:, seen].all(axis=1))
        for row, seen in zip(given, known)
    ]
    return _grouped(
        lam, list(items[:-1]), np.column_stack([*extra, common]), [*named, *names], members, counts, None
    )


def repeated_model(
    space: Answers,
    given: Sequence[Answers],
    counts: Sequence[float] | Floats,
    *,
    items: Sequence[str],
    ties: bool = False,
    iaT: bool = False,
) -> Enumerated:
    """A model of answers at several times: own lambda and U at each, dependence between successive times.

    space int[N, C]: of one time; N^T answers are listed.  given T times int[n, C].  iaT: sum theta_jk y_jk,t
    y_jk,t+1.
    """
    times = len(given)
    if len(space) ** times * times * space.shape[1] > MOST:
        raise TooLargeError(f"{len(space)}^{times} answers are too many to list")
    place = np.array(list(itertools.product(range(len(space)), repeat=times)), np.int64)
    at = [space[place[:, t]] for t in range(times)]
    lam = [item_statistics(y, len(items)) for y in at]
    named = [f"{item}:T{t + 1}" for t in range(times) for item in items[:-1]]
    common, names = [np.zeros((len(place), 0))], []
    if ties:
        common.append(np.column_stack([(y == 0).sum(axis=1) for y in at]))
        names += [f"UT{t + 1}" for t in range(times)]
    for t in range(times - 1) if iaT else ():
        common.append(at[t] * at[t + 1])
        names += [f"Comp{k + 1}:IT{t + 1}{t + 2}" for k in range(space.shape[1])]
    members = _members(np.column_stack(at), np.column_stack(list(given)))
    return _grouped(np.column_stack(lam), named, np.column_stack(common), names, members, counts, None)


def _statistics(
    answers: Answers, items: Sequence[str], ties: bool, ia: bool
) -> tuple[Floats, Floats, list[str]]:
    """Item statistics, which a covariate may change; the others, and their names."""
    columns, names = [np.zeros((len(answers), 0))], []
    if ties:
        columns.append((answers == 0).sum(axis=1, keepdims=True).astype(float))
        names.append("U")
    if ia:
        products, labels = dependence(answers, len(items))
        columns.append(products)
        names += labels
    return item_statistics(answers, len(items)), np.column_stack(columns), names


def _members(space: Answers, given: Answers) -> list[NDArray[np.int64]]:
    """Rows of the space that agree with each answer where it answers."""
    found = [np.flatnonzero((space[:, row != MISSING] == row[row != MISSING]).all(axis=1)) for row in given]
    for k, rows in enumerate(found):
        if not len(rows):
            raise InputError(
                f"answer {k + 1}, {given[k].tolist()}, is none of the {len(space)} possible ones"
            )
    return found


def _grouped(
    lam: Floats,
    items: list[str],
    common: Floats,
    names: list[str],
    members: list[NDArray[np.int64]],
    counts: Sequence[float] | Floats,
    groups: Groups | None,
) -> Enumerated:
    """The design of all groups, one under the other."""
    one = Groups(np.zeros(len(members), np.int64), np.ones((1, 1)), ("",))
    by = one if groups is None else groups
    blocks = [np.column_stack([*(z * lam for z in row), common]) for row in by.rows]
    labels = [f"{item}:{name}" if q else item for q, name in enumerate(by.names) for item in items]
    return Enumerated(np.vstack(blocks), (*labels, *names), members, reals(counts), by.group)
