"""Random tables, models on them, and pages printed from them: honest, under a slip, or with a digit changed.

The table k of a seed does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.validation.slips.catalogue import families
from pairproof.validation.slips.known import Slip
from pairproof.validation.slips.search import search
from pairproof.validation.slips.target import Target
from tests.validation.slips.planted import Page, bradley_terry, llbt, printed, target

NAMES = ("Oslo", "Bern", "Rome", "Lima", "Baku", "Dili", "Apia")


def table(
    rng: np.random.Generator, n: int = 5, games: float = 40, ties: bool = True, rows: str = "pairs"
) -> Comparisons:
    """Counts of every pair from Davidson's model.  rows: "pairs", "both" (home and away), "judges" (three)."""
    ability = rng.normal(0, 0.8, n)
    i, j = np.triu_indices(n, 1)
    home, columns = 0.0, {}
    if rows == "both":
        i, j, home = np.concatenate([i, j]), np.concatenate([j, i]), 0.4
    if rows == "judges":
        columns = {"judge": Factor(np.repeat([0, 1, 2], len(i)), ("1", "2", "3"))}
        i, j = np.tile(i, 3), np.tile(j, 3)
    u = ability[i] - ability[j] + home
    p = np.stack([np.exp(u / 2), np.full(len(u), 0.5 if ties else 0.0), np.exp(-u / 2)], axis=1)
    total = rng.poisson(games, len(u)) + 5
    y = np.array([rng.multinomial(m, q) for m, q in zip(total, p / p.sum(axis=1, keepdims=True))], float)
    return Comparisons.build(
        NAMES[:n], i, j, y[:, 0], y[:, 1] if ties else None, y[:, 2], columns=columns, source="drawn"
    )


Case = Callable[[np.random.Generator], Fit]
#: Kinds of claims.
MODELS: dict[str, Case] = {
    "bradley-terry": lambda rng: bradley_terry(table(rng, ties=False), reference="sum"),
    "home and away": lambda rng: bradley_terry(table(rng, ties=False, rows="both")),
    "order effect": lambda rng: bradley_terry(table(rng, ties=False, rows="both"), order_effect=True),
    "llbt with ties": lambda rng: llbt(table(rng)),
    "half wins": lambda rng: bradley_terry(table(rng), ties="half"),
    "three judges": lambda rng: llbt(table(rng, rows="judges")),
}


def names_of(fit: Fit, *kinds: str) -> list[str]:
    """Quantities of these kinds, of every parameter, item or of the fit."""
    free = [n for n, ok in zip(fit.names, fit.free) if ok]
    group = next(iter(fit.groups))
    found = []
    for kind in kinds:
        if kind in ("worth", "worth_se"):
            found += [f"{kind}.{group}.{i}" for i in fit.items]
        elif kind in ("estimate", "se", "z", "p", "low", "high"):
            found += [f"{kind}.{n}" for n in free]
        else:
            found.append(kind)
    return found


def one_digit(rng: np.random.Generator, numbers: Page) -> Page:
    """The page with one digit of one number changed."""
    name = str(rng.choice(list(numbers)))
    text = numbers[name]
    mantissa = text.partition("e")[0]
    places = [k for k, c in enumerate(mantissa) if c.isdigit()]
    places = places[1:] if mantissa.lstrip("-").startswith("0.") else places
    k = int(rng.choice(places))
    return {**numbers, name: f"{text[:k]}{(int(text[k]) + int(rng.integers(1, 10))) % 10}{text[k + 1:]}"}


# -- mutants -------------------------------------------------------------------------------------------------

#: What a page prints beside estimates and standard errors, if a slip shows only there.
SHOWN_IN = {
    "cells": ("deviance", "df_resid", "aic_glm"),
    "worth-scale": ("worth",),
    "one-sided-p": ("p",),
    "t-for-z": ("p",),
    "deviance-is-log-likelihood": ("deviance",),
    "aic-constant": ("aic",),
    "df": ("deviance", "df_resid", "aic_glm"),
    "columns-exchanged": ("z",),
    "common-factor": ("z",),
    "order-effect": ("deviance", "df_resid"),
    "counted-twice": ("deviance", "df_resid"),
    "penalty": ("deviance",),
}
#: Families whose mutants need more than a random table of these models: they are planted by hand only.
BY_HAND_ONLY = {
    "stopped-early",
    "infinite-estimate",
    "se-of-the-step-before",
    "prefmod-rows-dropped",
    "prefmod-margins",
    "prefmod-worths",
}


def page_of(fit: Fit, values: dict[str, float], decimals: int) -> Page:
    """These numbers as a page prints them."""
    return {
        n: f"{v:.0f}" if n.startswith("df") else f"{v:.3g}" if n.startswith("p.") else f"{v:.{decimals}f}"
        for n, v in values.items()
    }


def mutants(name: str, n: int = 20, decimals: int = 3, seed: int = 29) -> Iterator[tuple[Slip, Target]]:
    """n pages of random tables printed under a slip of this family, and the slip."""
    made = 0
    for k in range(40 * n):
        rng = np.random.default_rng([seed, sum(map(ord, name)), k])
        fit = list(MODELS.values())[k % len(MODELS)](rng)
        wanted = names_of(fit, "estimate", "se", *SHOWN_IN.get(name, ()))
        own = target(fit, printed(fit, wanted, decimals))
        slips = families()[name].slips(own.situation())
        # A reference not printed has no numbers under the slip; a page that stays as it is has no slip.
        if not slips:
            continue
        slip = slips[int(rng.integers(len(slips)))]
        setting = slip.change(own.setting) if slip.change else own.setting
        if slip.stage == "print":
            quantity = slip.quantity
            numbers = {q.quantity: q.printed.text for q in own.numbers}
            assert slip.alternative is not None
            numbers[quantity] = slip.alternative.text
        else:
            values = dict(zip(wanted, own.values([(slip,) if slip.rows else ()], setting)[0]))
            numbers = page_of(fit, {q: v for q, v in values.items() if np.isfinite(v)}, decimals)
        page = target(fit, numbers)
        if page.off:
            made += 1
            yield slip, page
        if made == n:
            return


def is_found(slip: Slip, page: Target) -> bool:
    """Whether the search brings the slip out, and no other, but those with the same numbers."""
    (found,) = search([page]).found
    if len(found.explanations) != 1:
        return False
    (e,) = found.explanations
    return (slip.name,) in (e.names, *e.also_names)
