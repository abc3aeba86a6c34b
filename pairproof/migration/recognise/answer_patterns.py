"""Pattern models: a row for each possible answer of a person in each group, as prefmod's patt.design makes
them.

    log m(answer, group) = constant of the group + sum_j x_j lambda_j + ties + dependence

x_j is how often j is preferred in the answer less how often another item is preferred to it (Hatzinger and
Dittrich 2012, Journal of Statistical Software 48(10)).  What the answers are follows from the rows: all J!
orders, all combinations of the pairs' answers, or all weak orders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import factorial

import numpy as np
from scipy.stats import rankdata

from ...data.wide import prefmod_pair_order
from ..translate.recorded_answers import Arrays, Floats, Ints, needed, stays_if
from .decide import Design
from .design_contests import Variable
from .design_terms import SAME_SPACE, Found, Term, assembled, map_of, times_item, within

#: Answers that are gone through at most, and items at least (two have no pattern but their one comparison).
MOST_ANSWERS, FEWEST_ITEMS = 60_000, 3


@dataclass(frozen=True, eq=False)
class Answers:
    """What each row of a design stands for.

    values int[n, k]: ranks or ratings of the items, 1 the best; or answers of the pairs in prefmod's order, 1
    where the first is preferred, -1 where the second, 0 neither.  ties: whether "neither" was a possible
    answer.  points: of the scale of ratings.
    """

    kind: str
    values: Ints
    ties: bool
    points: int = 0


@dataclass(frozen=True, eq=False)
class Pattern:
    """A pattern model that a design is.

    reference: "" with item covariates.  groups int[n].  variables: covariates of the groups, a value each
    row.  ties: "": none could be given.  coefficients: R's.  names: ours; a dependence is "A:B*A:C",
    whichever pair is first.  map float[n_names, n_coefficients].
    """

    items: tuple[str, ...]
    reference: str
    answers: Answers
    groups: Ints
    variables: Mapping[str, Variable]
    products: tuple[Term, ...]
    item_terms: Arrays
    ties: str
    dependence: bool
    coefficients: tuple[str, ...]
    names: tuple[str, ...]
    map: Floats


def recognise_pattern(
    design: Design, undecided: Arrays, dependent: Arrays, groups: Ints, variables: Sequence[Variable]
) -> Pattern:
    """The pattern model that a Poisson design of items, undecided pairs and products of answers is."""
    items = tuple(design.items)
    x, u = (np.column_stack([np.zeros((len(groups), 0)), *of.values()]) for of in (design.items, undecided))
    stays_if(len(items) < FEWEST_ITEMS, f"a pattern model of {len(items)} items")
    of_pairs = np.column_stack(list(dependent.values())) if dependent else None
    incomplete = "its rows are not all possible answers in each group of respondents"
    answers = needed(answers_of(x, u, of_pairs, groups), incomplete)
    indicators = (groups[:, None] == np.arange(int(groups.max()) + 1)).astype(float)
    known = design.x[:, design.known]
    common = np.linalg.matrix_rank(np.column_stack([known, indicators])) > np.linalg.matrix_rank(known)
    stays_if(common, "it has no separate constant for each group of respondents in its data")

    def centred(columns: Floats) -> Floats:
        means = (indicators.T @ columns) / indicators.sum(axis=0)[:, None]
        return np.asarray(columns - indicators @ means)

    theirs = centred(known)
    kept = np.flatnonzero(np.abs(theirs).max(axis=0, initial=0.0) > SAME_SPACE)
    coefficients = tuple(np.array(design.names, dtype=object)[design.known][kept])
    theirs, of_x = theirs[:, kept], centred(x)
    reference = items[-1] if within(theirs, of_x[:, :-1]) else ""
    products = centred(np.column_stack([np.zeros((len(groups), 0)), *dependent.values()]))
    columns = dict(zip(coefficients, theirs.T))
    found, others = _read(design, columns, of_x, centred(u), products, bool(reference))
    stays_if(not reference and not found.terms, "it has no worths of items")
    terms, own = assembled(x, items, reference, 1.0, found, variables)
    ties = "none" if answers.ties else ""
    if "each" in others:
        ties, pairs = ties and "by-pair", prefmod_pair_order(len(items))
        own += [(f"tie:{items[i]}:{items[j]}", u[:, k]) for k, (i, j) in enumerate(pairs)]
    elif "total" in others:
        ties = ties and "davidson"
        own.append(("tie", u.sum(axis=1)))
    if "dependence" in others:
        n, of = _same(theirs, products), len(dependent)
        stays_if(n < of, f"it has {n} of {of} dependences of two answers, a pattern model all or none")
        own += _dependence(items, dependent)
    stays_if(len(own) != len(coefficients), "some of its terms have no equivalent in a pattern model")
    to = map_of(centred(np.column_stack([c for _, c in own])), theirs)
    used = {v.name: v for _, p in terms for v in p.variables}
    # Groups of the data that the model's worths do not differ in are groups of its deviance all the same.
    used.update({v.name: v for v in variables if v.name not in used})
    model = (used, tuple(terms), dict(found.terms), ties, "dependence" in others)
    return Pattern(items, reference, answers, groups, *model, coefficients, tuple(n for n, _ in own), to)


def answers_of(x: Floats, u: Floats, products: Floats | None, groups: Ints) -> Answers | None:
    """What the rows of each group stand for; None if they are not all possible answers."""
    sizes = set(np.bincount(groups).tolist())
    if len(sizes) != 1:
        return None
    size, n_items = int(sizes.pop()), x.shape[1]
    pairs = prefmod_pair_order(n_items)
    orders = np.sort(x, axis=1) == np.arange(-(n_items - 1), n_items, 2)
    if not u.shape[1] and size == factorial(n_items) and orders.all():
        return Answers("ranks", ((n_items - 1 - x) / 2 + 1).astype(np.int64), False)
    if size == (3 if u.shape[1] else 2) ** len(pairs) and size <= MOST_ANSWERS:
        found = _combined(x, u, products, groups)
        return None if found is None else Answers("pairs", found, bool(u.shape[1]))
    if u.shape[1] == len(pairs):
        ranks = rankdata(-x, method="dense", axis=1).astype(np.int64)
        if (np.array([[r[i] == r[j] for i, j in pairs] for r in ranks]) == (u > 0)).all():
            return Answers("ratings", ranks, True, int(ranks.max()))
    return None


def _combined(x: Floats, u: Floats, products: Floats | None, groups: Ints) -> Ints | None:
    """Answers of the pairs that each row stands for, found by what they add up to."""
    pairs = prefmod_pair_order(x.shape[1])
    every = np.array(list(product((1, 0, -1) if u.shape[1] else (1, -1), repeat=len(pairs))), dtype=np.int64)
    sums = every @ [[(k == i) - (k == j) for k in range(x.shape[1])] for i, j in pairs]
    sharing = [(a, b) for b in range(len(pairs)) for a in range(b) if set(pairs[a]) & set(pairs[b])]
    of_products = np.column_stack([every[:, a] * every[:, b] for a, b in sharing])
    seen = np.column_stack([x, u])
    made = np.column_stack([sums, *([every == 0] if u.shape[1] else [])])
    if products is not None and products.shape[1] == of_products.shape[1]:
        # Whichever order the columns have: their sum tells rows apart as far as a model with all of them
        # needs it.
        seen = np.column_stack([seen, np.sort(products, axis=1)])
        made = np.column_stack([made, np.sort(of_products, axis=1)])
    out, of_made = np.zeros((len(x), len(pairs)), dtype=np.int64), np.lexsort(made.T)
    for g in range(int(groups.max()) + 1):
        rows = np.flatnonzero(groups == g)
        rows = rows[np.lexsort(seen[rows].T)]
        if (seen[rows] != made[of_made]).any():
            return None
        out[rows] = every[of_made]
    return out


def _read(
    design: Design, columns: Arrays, x: Floats, u: Floats, products: Floats, free: bool
) -> tuple[Found, set[str]]:
    """What the columns are: of items; and "total" (ties), "each" (ties of a pair) or "dependence".

    free: whether items have abilities of their own.
    """
    found, others, items, total = Found(), set[str](), tuple(design.items), u.sum(axis=1)
    for name, column in columns.items():
        if within(x[:, :-1], column[:, None]):
            if not free:
                values = np.append(np.linalg.lstsq(x[:, :-1], column, rcond=None)[0], 0.0)
                found.terms[name] = design.covariates.get(name, values)
        elif u.shape[1] and np.abs(column - total).max() < SAME_SPACE:
            others.add("total")
        elif u.shape[1] and (np.abs(u - column[:, None]).max(axis=0) < SAME_SPACE).any():
            others.add("each")
        elif _same(column[:, None], products) or not times_item(found, name, items, x, column, SAME_SPACE):
            others.add("dependence")
    return found, others


def _same(theirs: Floats, columns: Floats) -> int:
    """How many of the columns are among theirs."""
    gaps = np.abs(theirs[:, :, None] - columns[:, None, :]).max(axis=0, initial=0.0)
    return int((gaps < SAME_SPACE).any(axis=0).sum())


def _dependence(items: Sequence[str], dependent: Arrays) -> list[tuple[str, Floats]]:
    """prefmod's `I12.13` as `A:B*A:C`."""
    found = {name: re.fullmatch(r"I?(\d)(\d)\.(\d)(\d)", name) for name in dependent}
    named = ((dependent[n], [items[int(k) - 1] for k in m.groups()]) for n, m in found.items() if m)
    return [(f"{a}:{b}*{c}:{d}", column) for column, (a, b, c, d) in named] if all(found.values()) else []
