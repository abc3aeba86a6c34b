"""psychotree's Topmodel2007 (Strobl, Wickelmaier and Zeileis 2011), from a live R that has psychotree."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.data.respondents.codes import MISSING
from pairproof.native.answers.trees.instability import Covariate
from pairproof.native.answers.trees.partitioning import Preferences
from pairproof.native.comparisons.rows.contest_design import contest_design
from tests.native.answers.trees.persons_made import respondents

ITEMS = ["Barbara", "Anni", "Hana", "Fiona", "Mandy", "Anja"]

CODE = """
suppressMessages(library(psychotree)); data(Topmodel2007, package = "psychotree")
list(values = as.numeric(cbind(as.matrix(Topmodel2007$preference), sapply(Topmodel2007[-1], as.numeric))))
"""


@functools.lru_cache(maxsize=None)
def _table() -> NDArray[np.float64]:
    return np.asarray(
        ask("live", "Topmodel2007", CODE, {}, ("psychotools",)).as_list().vector("values").floats()
    )


def preferences(
    answers: NDArray[np.int64],
    first: Sequence[int],
    second: Sequence[int],
    items: Sequence[str],
    reference: str | None = None,
) -> Preferences:
    """Of persons who answered each comparison once or not: +1 (first item), -1 (second), 0 (tie) or MISSING."""
    y = np.asarray(answers, dtype=np.int64)
    person, pair = np.nonzero(y != MISSING)
    given = y[person, pair]
    wins, ties, losses = ((given == answer).astype(float) for answer in (1, 0, -1))
    chosen = items[-1] if reference is None else reference
    design = contest_design(list(first), list(second), items, reference=chosen)
    weights = np.ones(len(y))
    return Preferences(
        person, pair, wins, ties, losses, weights, design, tuple(items), chosen, bool(ties.any())
    )


def topmodel(reference: str = "Barbara") -> tuple[Preferences, list[Covariate]]:
    """192 persons, 15 comparisons of 6 models; gender, age and three questions."""
    table = _table().reshape(192, 20, order="F")
    pairs = [(i, j) for j in range(6) for i in range(j)]
    answers = preferences(
        table[:, :15].astype(np.int64), [i for i, _ in pairs], [j for _, j in pairs], ITEMS, reference
    )
    covariates = [
        Covariate("gender", "factor", table[:, 15] - 1, ("male", "female")),
        Covariate("age", "numeric", table[:, 16]),
        *(Covariate(f"q{k}", "factor", table[:, 16 + k] - 1, ("yes", "no")) for k in (1, 2, 3)),
    ]
    return answers, covariates


def topmodel_table() -> pairproof.Respondents:
    """The same as a user reads it, with the levels in R's order."""
    table = _table().reshape(192, 20, order="F")
    columns = {"gender": np.array(["male", "female"])[table[:, 15].astype(int) - 1].tolist()}
    columns |= {"age": table[:, 16].tolist()}
    columns |= {
        f"q{k}": np.array(["yes", "no"])[table[:, 16 + k].astype(int) - 1].tolist() for k in (1, 2, 3)
    }
    levels = {"gender": ["male", "female"], **{f"q{k}": ["yes", "no"] for k in (1, 2, 3)}}
    return respondents(table[:, :15].astype(np.int64), ITEMS, columns, levels=levels)
