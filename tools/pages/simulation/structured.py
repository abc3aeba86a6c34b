"""Abilities made of covariates, without random effects: how often intervals of the parameters hold the truth.

Fits are `fit_bradley_terry(table, item_terms=["x"], order_effect=True, comparison_terms=["z"])`: a covariate of the
players, the advantage of the one named first, a covariate of the contest.  Wald's and profile intervals are those of
`pairproof.profile`: of maximum likelihood, and of the likelihood penalised by Jeffreys' prior
(`reduce_bias="jeffreys"`, with the logit the same as "mean").  An estimate at infinity has no Wald interval; its profile
interval is open on one side.  An offset of 0 changes nothing but the engine: profiles of the one for models without
options come to no end in about one nearly separated table of a hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

import pairproof
from pairproof.errors import ConvergenceError

from .contests import Contests, drawn
from .tally import counted, line

Z = float(ndtri(0.975))
#: Parameters of the fit, in the words of the page.
PARAMETERS = {"x": "player covariate", "order": "order effect", "z": "contest covariate"}


def designs() -> Iterator[Contests]:
    """A moderately sparse table, and a small one that is nearly separated, with both links."""
    yield Contests("30 players, 90 contests, logit", 30, 90, 0.7, 0.4, 0.5)
    yield Contests("30 players, 90 contests, probit", 30, 90, 0.4, 0.25, 0.3, link="probit")
    yield Contests("8 players, 16 contests, logit", 8, 16, 1.5, 0.8, 1.0)
    yield Contests("8 players, 16 contests, probit", 8, 16, 0.85, 0.45, 0.6, link="probit")


def fitted(
    table: pairproof.Comparisons,
    link: Literal["logit", "probit"],
    reduce_bias: Literal["mean", "median", "jeffreys"] | None = None,
) -> pairproof.Fit:
    """With both covariates and the order effect."""
    return pairproof.fit_bradley_terry(
        table,
        item_terms=["x"],
        order_effect=True,
        comparison_terms=["z"],
        link=link,
        reduce_bias=reduce_bias,
        offset=np.zeros(table.n_rows),
    )


def of_table(design: Contests, k: int) -> dict[str, float]:
    """ "method, parameter" -> whether its interval held the truth."""
    table = drawn(design, design.rng(k)).table
    true = dict(zip(PARAMETERS, (design.covariate, design.order, design.contest)))
    out: dict[str, float] = {}
    ml = fitted(table, design.link)
    out["infinite"] = float(not np.isfinite(ml.params).all())
    for words, fit in (("", ml), ("Jeffreys ", fitted(table, design.link, "jeffreys"))):
        limits = pairproof.profile(fit)
        for name, value in true.items():
            one = limits.loc[name]
            if np.isfinite(one["wald_low"]):
                out[f"{words}Wald, {name}"] = float(one["wald_low"] <= value <= one["wald_high"])
            out[f"{words}profile, {name}"] = float(one["profile_low"] <= value <= one["profile_high"])
    mean = fitted(table, design.link, "mean")
    for name, value in true.items():
        distance = abs(float(mean.params[name]) - value)
        out[f"mean Wald, {name}"] = float(distance <= Z * mean.standard_errors[mean.names.index(name)])
    return out


def simulated(design: Contests, tables: int) -> dict[str, Any]:
    """A line of the record."""
    tally, left = counted(range(tables), lambda k: of_table(design, k), ConvergenceError)
    return line(design.name, asdict(design), tally, left_out=left)
