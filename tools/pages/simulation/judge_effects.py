"""Judges' preferences as random effects: contrasts of items, beside the plain fit and standard errors by judge.

Judge g sees item i with b_i + u_gi (:mod:`tools.pages.simulation.answers`).  With `random="item:judge"` the parameters are b;
without, they are the population-averaged ones, which are nearer to 0.  Standard errors by judge of the former take the
score of each judge's marginal likelihood.  Each interval is held against the parameter that
its fit estimates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pairproof
from pairproof.errors import ConvergenceError, NotEstimableError
from pairproof.fit.fit import Fit

from .answers import Design, drawn, truth
from .intervals import Z, covered
from .tally import counted, line

FloatArray = NDArray[np.float64]
ABILITIES = (0.6, 0.3, 0.0)


def designs() -> Iterator[Design]:
    """Few judges, and more; three items."""
    for judges in (8, 20):
        name = f"{judges} judges, 3 items, sd 0.6"
        yield Design(name, judges, judge_sd=0.6, model="bradley-terry", abilities=ABILITIES)


def fitted(table: pairproof.Comparisons) -> Fit:
    """With an effect of every judge on every item, by quadrature."""
    fit = pairproof.fit_bradley_terry(table, random="item:judge")
    return fit


def of_table(design: Design, k: int, averaged: FloatArray) -> dict[str, float]:
    """Method -> share of the contrasts whose interval held its parameter; `averaged`: population-averaged ones."""
    table = drawn(design, k)
    b = np.array(design.abilities)
    true = b[:, None] - b[None, :]
    mixed, plain = fitted(table), pairproof.fit_bradley_terry(table)
    out = {
        "random effects": float(covered(mixed, true).mean()),
        "CR1 t of random effects": float(covered(mixed.clustered("judge", kind="CR1"), true).mean()),
        "model z": float(covered(plain, averaged).mean()),
        "CR2 t": float(covered(plain.clustered("judge"), averaged).mean()),
        "CR2 t, of b": float(covered(plain.clustered("judge"), true).mean()),
        "mean sigma": mixed.sigma,
        "sigma 0": float(mixed.sigma == 0.0),
    }
    if np.isfinite(mixed.sigma_se):
        half = Z * mixed.sigma_se / mixed.sigma
        out["log sigma"] = float(abs(np.log(mixed.sigma / design.judge_sd)) <= half)
    return out


def simulated(design: Design, tables: int) -> dict[str, Any]:
    """A line of the record."""
    averaged, errors = truth(design), (NotEstimableError, ConvergenceError)
    tally, left = counted(range(tables), lambda k: of_table(design, k, averaged), *errors)
    return line(design.name, asdict(design), tally, truth=averaged[0].tolist(), left_out=left)
