"""Models of whole answers in base R by enumeration: an optimum of 9 digits and more beside prefmod's ``nlm``.

The answers that a person could have given, all of them, are the rows of a table.  All kinds are comparisons
in the end, in prefmod's order (12)(13)(23)(14)(24)(34)...: y = +1 first preferred, 0 undecided, -1 second, 9
not answered.  The log-probability of a whole answer is, up to a constant,

    sum_j lambda_j X_j(y) + gamma U(y) + sum theta_ab y_a y_b,        lambda of the last item 0,

X_j the comparisons that j won less those it lost, U the number undecided, ab two comparisons that share an
item (Hatzinger & Dittrich 2012, J. Stat. Software 48(10)); lambda of covariate group s is sum_q z_sq
lambda_q.  In group s, with natural parameters X_s phi (X_s: the columns that the group's covariates leave),

    P(answer) = exp(x phi) / sum over all answers of exp(x phi),
    P(incomplete answer) = sum of P over the answers that it leaves possible (composite link).
    log L   = sum_i n_i (log sum_{y in S_i} exp(x_y phi) - log Z_s)
    score   = sum_i n_i (E[x | S_i] - E[x]),     Hessian = sum_i n_i (Cov[x | S_i] - Cov[x])

Newton's method with halved steps, from zeros, until no component of the score exceeds its rounding.  With
incomplete answers log L need not be concave: where -Hessian is not positive definite, R's ``chol`` fails and
a multiple of the identity is added.  Written from these equations, apart from the native code and without
prefmod.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.packages.asking import Estimates, Floats, ask, asks, program, reals
from pairproof.bridge.process.policy import BackendLike
from pairproof.bridge.values.convert import matrix
from pairproof.errors import InputError, TooLargeError

NEWTON = program(__package__, "patterns/newton")


@dataclass(frozen=True, eq=False)
class NewtonOptimum(Estimates):
    """A maximum as R reaches it by Newton's method: coef, se float[n], vcov float[n, n]."""

    llf: float
    largest_score: float
    iterations: int


@dataclass(frozen=True, eq=False)
class Enumerated:
    """All possible answers of a model and those given: what :func:`newton` takes.  design float[groups *
    answers, parameters]; counts float[given]; group int[given].
    """

    design: Floats = field(repr=False)
    names: tuple[str, ...]
    members: Sequence[NDArray[np.int64]] = field(repr=False)
    counts: Floats = field(repr=False)
    group: NDArray[np.int64] = field(repr=False)


@asks()
def newton(
    model: Enumerated,
    *,
    start: Sequence[float] | None = None,
    gradient: float = 1e-12,
    most: int = 200,
    backend: BackendLike = None,
) -> NewtonOptimum:
    """The maximum of log L in R, by Newton's method from zeros or ``start``.  start float[parameters]."""
    groups = int(model.group.max(initial=0)) + 1
    given = len(model.members)
    if not given or given != len(model.counts) or given != len(model.group) or len(model.design) % groups:
        raise InputError(
            f"{given} answers, {len(model.counts)} counts, {len(model.group)} groups, and a design of "
            f"{len(model.design)} rows for {groups} groups do not fit each other"
        )
    last = np.cumsum([len(m) for m in model.members])
    arguments = {
        "X": matrix(model.design, list(model.names)),
        "groups": groups,
        "members": np.concatenate(model.members) + 1,
        "first": np.concatenate([[0], last[:-1]]) + 1,
        "last": last,
        "n": reals(model.counts),
        "group": model.group + 1,
        "start": reals(np.zeros(len(model.names)) if start is None else start),
        "gradient": float(gradient),
        "most": int(most),
    }
    return NewtonOptimum.read(ask(backend, "Newton in base R", NEWTON, arguments))


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
    """Covariate groups of answers: group int[given], and their rows float[groups, q]."""

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
    """A model of answers at one time: lambda (a block for each covariate), U, dependence.  space int[N, C];
    given int[n, C]; counts float[n].
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
    """A model of comparisons and of which are missing (r = 1): the space of answers times 2^C gaps."""
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
    space int[N, C]; given T times int[n, C].
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
