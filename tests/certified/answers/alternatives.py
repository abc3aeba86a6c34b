"""Patterns and rankings written out one by one, with their statistics.

A pattern model has P(y) proportional to exp( sum_i lambda_i X_i(y) + gamma U(y) + sum_(a,b) theta_ab y_a y_b
) with y_c = +1, 0, -1 for each comparison c, X_i wins minus losses of item i, U the undecided comparisons,
and (a, b) comparisons that share an item.  The patterns are all of {+1, -1}^C or {+1, 0, -1}^C for
comparisons, those of weak orders for ratings, those of the J! orders for rankings.

Plackett and Luce choose at every stage the set S of those that come next, with weight delta_|S| (product of
worths)^(1/|S|) (Turner, van Etten, Firth and Kosmidis 2020, Computational Statistics 35).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from tests.certified.answers.choices import Said, Statistics, sparse

Answer = tuple[int | None, ...]
Pattern = tuple[int, ...]


def pairs(n_items: int) -> list[tuple[int, int]]:
    """(1 2) (1 3) (2 3) (1 4) ...: the second item runs in the outer loop."""
    return [(i, j) for j in range(n_items) for i in range(j)]


def sharing(n_items: int) -> list[tuple[int, int]]:
    """Numbers of two comparisons with an item in common, for each item in turn."""
    found = []
    for common in range(n_items):
        own = [c for c, pair in enumerate(pairs(n_items)) if common in pair]
        found += list(itertools.combinations(own, 2))
    return found


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def comparisons_of(places: Sequence[int]) -> Pattern:
    """The pattern of an order with small places preferred."""
    return tuple(sign(places[j] - places[i]) for i, j in pairs(len(places)))


def all_patterns(n_items: int, ties: bool) -> list[Pattern]:
    return list(itertools.product((1, 0, -1) if ties else (1, -1), repeat=n_items * (n_items - 1) // 2))


def weak_orders(n_items: int, categories: int) -> list[Pattern]:
    """Places of the items in every weak order of at most this number of places."""
    values = itertools.product(range(min(n_items, categories)), repeat=n_items)
    return sorted({tuple(sorted(set(v)).index(x) for x in v) for v in values})


def orders(n_items: int) -> list[Pattern]:
    return list(itertools.permutations(range(n_items)))


def net_wins(pattern: Pattern, n_items: int) -> list[int]:
    """Wins minus losses of each item but the last, whose lambda is 0."""
    found = [0] * n_items
    for y, (i, j) in zip(pattern, pairs(n_items)):
        found[i] += y
        found[j] -= y
    return found[:-1]


def statistics(
    pattern: Pattern, n_items: int, ties: bool, dependence: bool, covariates: Sequence[int] = (1,)
) -> list[int]:
    """X by each covariate value, U, products y_a y_b: in the order of the parameters."""
    own = [x * value for value in covariates for x in net_wins(pattern, n_items)]
    own += [sum(y == 0 for y in pattern)] if ties else []
    return own + ([pattern[a] * pattern[b] for a, b in sharing(n_items)] if dependence else [])


def agreeing_patterns(answer: Answer, patterns: Sequence[Pattern]) -> tuple[int, ...]:
    """Patterns with the answers that were given."""
    return tuple(k for k, y in enumerate(patterns) if all(a is None or a == b for a, b in zip(answer, y)))


def agreeing_places(answer: Answer, places: Sequence[Pattern]) -> tuple[int, ...]:
    """Weak orders that have the rated items in the order of their ratings."""
    rated = [i for i, a in enumerate(answer) if a is not None]
    return tuple(
        k
        for k, p in enumerate(places)
        if all(sign(p[i] - p[j]) == sign((answer[i] or 0) - (answer[j] or 0)) for i in rated for j in rated)
    )


def agreeing_orders(answer: Answer, every: Sequence[Pattern]) -> tuple[int, ...]:
    """Orders with the ranked items in their order and the others below them."""
    last = max(a for a in answer if a is not None) + 1
    ranks = [last if a is None else a for a in answer]
    n = range(len(answer))
    return tuple(
        k for k, p in enumerate(every) if all(p[i] < p[j] for i in n for j in n if ranks[i] < ranks[j])
    )


def chains(
    answers: Iterable[tuple[int, Answer]], n_items: int, categories: int, times: int
) -> tuple[list[Statistics], list[Said]]:
    """Ratings at several times: own lambda, tie and dependence at each, and y_c(t) y_c(t + 1) for each
    comparison.

    The order of the parameters: items of all times, ties, dependence, links.
    """
    every = weak_orders(n_items, categories)
    signs = [comparisons_of(p) for p in every]
    own = [statistics(y, n_items, True, True) for y in signs]
    n = n_items - 1
    sequences = list(itertools.product(range(len(every)), repeat=times))
    alternatives = []
    for sequence in sequences:
        found = [x for k in sequence for x in own[k][:n]] + [own[k][n] for k in sequence]
        found += [x for k in sequence for x in own[k][n + 1 :]]
        found += [a * b for k, l in zip(sequence, sequence[1:]) for a, b in zip(signs[k], signs[l])]
        alternatives.append(sparse(found))
    said: list[Said] = []
    for weight, answer in answers:
        blocks = [answer[t * n_items : (t + 1) * n_items] for t in range(times)]
        allowed = [set(agreeing_places(block, every)) for block in blocks]
        which = tuple(k for k, s in enumerate(sequences) if all(a in ok for a, ok in zip(s, allowed)))
        said.append((weight, 0, which))
    return alternatives, said


def with_gaps(
    answers: Iterable[tuple[int, Answer]], n_items: int, ties: bool, alpha: str, beta: str | None
) -> tuple[list[Statistics], list[Said]]:
    """All answers y with all sets r of missing comparisons: exp(eta(y) + m(y, r)).

    m has alpha times the number of missing comparisons, or alpha_i for each missing comparison of item i; and
    y (beta_j - beta_k) for each missing comparison of j and k.  "coded" is what prefmod computes instead:
    beta_i times the number of missing comparisons of item i times the answer to the i-th comparison.
    """
    patterns, named = all_patterns(n_items, ties), pairs(n_items)
    gaps = list(itertools.product((0, 1), repeat=len(named)))
    alternatives, place = [], {}
    for y in patterns:
        own = statistics(y, n_items, False, False)
        tied = [sum(v == 0 for v in y)] if ties else []
        for r in gaps:
            lost = [sum(m for m, pair in zip(r, named) if i in pair) for i in range(n_items)]
            more = [sum(r)] if alpha == "common" else list(lost)
            if beta == "difference":
                more += net_wins(tuple(m * v for m, v in zip(r, y)), n_items)
            elif beta == "coded":
                more += [n * y[i] for i, n in enumerate(lost)]
            place[y, r] = len(alternatives)
            alternatives.append(sparse([*own, *more, *tied]))
    said: list[Said] = []
    for weight, answer in answers:
        r = tuple(int(a is None) for a in answer)
        said.append((weight, 0, tuple(place[patterns[k], r] for k in agreeing_patterns(answer, patterns))))
    return alternatives, said


def stages(
    answers: Iterable[tuple[int, Answer, tuple[int, ...]]],
    n_items: int,
    tie_orders: Sequence[int],
    below: bool,
) -> tuple[list[list[Statistics]], list[Said]]:
    """Every stage of every ranking as a choice among the sets of those that are left.

    An answer comes with its covariate values, 1 first.  Parameters are log worths of all items but the first,
    for each covariate value, then log delta of each order of ties.
    """
    choices: list[list[Statistics]] = []
    known: dict[Any, tuple[int, list[tuple[int, ...]]]] = {}
    said: list[Said] = []
    for weight, ranks, covariates in answers:
        left = [i for i in range(n_items) if below or ranks[i] is not None]
        for rank in sorted({r for r in ranks if r is not None}):
            if len(left) < 2:
                break
            key = tuple(left), covariates
            if key not in known:
                sets = [s for d in (1, *tie_orders) for s in itertools.combinations(left, d)]
                known[key] = len(choices), sets
                choices.append([_of_set(s, n_items, tie_orders, covariates) for s in sets])
            number, sets = known[key]
            chosen = tuple(i for i in left if ranks[i] == rank)
            said.append((weight, number, (sets.index(chosen),)))
            left = [i for i in left if i not in chosen]
    return choices, said


def _of_set(
    chosen: tuple[int, ...], n_items: int, tie_orders: Sequence[int], covariates: tuple[int, ...]
) -> Statistics:
    share = Fraction(1, len(chosen))
    worths = [
        value * share if i in chosen else Fraction(0) for value in covariates for i in range(1, n_items)
    ]
    return sparse([*worths, *(Fraction(int(len(chosen) == d)) for d in tie_orders)])
