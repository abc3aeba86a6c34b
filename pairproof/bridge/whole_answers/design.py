"""Which natural parameter each parameter of a fit enters, from the parameters' names and covariates.

Statistics are those of the comparisons, of ties, of dependence and of what is missing, or of items and of numbers that
tie, in the order in which :mod:`.program` makes their columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.wide import prefmod_pair_order
from ...fit.answers.fit import AnswerFit
from ...fit.predictions import item_covariate
from ...fit.spec import Term

FloatArray = NDArray[np.float64]


def sharing(items: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Two comparisons that share an item, by their name `A:B*A:C`, as prefmod orders them."""
    pairs = prefmod_pair_order(len(items))
    found = {}
    for common in range(len(items)):
        others = [k for k in range(len(items)) if k != common]
        for a, b in combinations(others, 2):
            first, second = (pairs.index((min(common, o), max(common, o))) for o in (a, b))
            found[f"{_pair(items, pairs[first])}*{_pair(items, pairs[second])}"] = (first, second)
    return found


def _pair(items: Sequence[str], pair: tuple[int, int]) -> str:
    return f"{items[pair[0]]}:{items[pair[1]]}"


def statistics(
    fit: AnswerFit, kind: str, ternary: bool, depends: Sequence[str], orders: Sequence[int]
) -> list[str]:
    """Names of the natural parameters in the order of R's columns."""
    items, spec = fit.items, fit.of_answers
    if kind == "choices":
        return [*(f"item {i}" for i in items), *(f"tie{d}" for d in orders)]
    pairs = [_pair(items, p) for p in prefmod_pair_order(len(items))]
    once = [*pairs, *(f"tie:{p}" for p in pairs if ternary), *depends]
    if len(spec.times) > 1:
        own = [f"{name} at {time}" for time in spec.times for name in once]
        steps = zip(spec.times, spec.times[1:])
        return [*own, *(f"{p}:time[{a}]*time[{b}]" for a, b in steps for p in pairs)]
    if spec.alpha or spec.beta:
        of_beta = items if spec.beta == "coded" else pairs
        return [*once, *(f"alpha:{p}" for p in pairs), *(f"beta:{p}" for p in of_beta)]
    return once


def block(
    fit: AnswerFit, kind: str, terms: Sequence[Term], statistics: Sequence[str], values: Mapping[str, Any]
) -> FloatArray:
    """float[q, p]: natural parameters from the fit's in one covariate group."""
    place = {name: k for k, name in enumerate(statistics)}
    block = np.zeros((len(statistics), len(terms)))
    for column, term in enumerate(terms):
        size = _size(term, values)
        for name, share in _shares(fit, kind, term).items():
            block[place[name], column] += size * share
    return block


def _size(term: Term, values: Mapping[str, Any]) -> float:
    """The product of a term's covariates in a group."""
    size = 1.0
    for name, level in term.by:
        if name == "time":
            continue
        value = values[name]
        if level is None:
            size *= float(value)
        elif isinstance(value, str):
            size *= float(value == level)
        else:
            size *= float(value == float(level))
    return size


def _shares(fit: AnswerFit, kind: str, term: Term) -> dict[str, float]:
    """The natural parameters that a term enters, and how often."""
    items, spec = fit.items, fit.of_answers
    pairs = prefmod_pair_order(len(items))
    time = next((f" at {level}" for name, level in term.by if name == "time"), "")
    if term.kind in ("item", "covariate"):
        of_item = (
            np.array([float(i == term.item) for i in items])
            if term.kind == "item"
            else item_covariate(fit, term)
        )
        if kind == "choices":
            return {f"item {i}": float(v) for i, v in zip(items, of_item) if v}
        gaps = {_pair(items, (i, j)): float(of_item[i] - of_item[j]) for i, j in pairs}
        return {name + time: v for name, v in gaps.items() if v}
    if kind == "choices":
        return {term.name: 1.0}
    if term.kind == "tie":
        return {f"tie:{_pair(items, p)}{time}": 1.0 for p in pairs}
    if term.kind == "missing":
        return _missing(term.name, items, str(spec.alpha), str(spec.beta))
    name = term.name if term.kind == "tie-of" or not time else term.name[: term.name.rindex(":time[")]
    return {name + time: 1.0}


def _missing(name: str, items: Sequence[str], alpha: str, beta: str) -> dict[str, float]:
    """The natural parameters of one parameter of what is missing."""
    pairs = prefmod_pair_order(len(items))
    what, _, of = name.partition(":")
    if name == "alpha":
        return {f"alpha:{_pair(items, p)}": 1.0 for p in pairs}
    how = alpha if what == "alpha" else beta
    if how == "comparison":
        return {name: 1.0}
    if how == "coded":
        return {f"beta:{of}": 1.0}
    item = items.index(of)
    signed = -1.0 if how == "difference" else 1.0
    return {
        f"{what}:{_pair(items, (i, j))}": 1.0 if i == item else signed for i, j in pairs if item in (i, j)
    }
