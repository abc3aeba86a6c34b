"""Contests of BradleyTerry2's help pages, from a live R, and journals' citations (Stigler 1994)."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from pairproof.bridge.packages.asking import ask
from pairproof.fit.estimates.outcome_laws import DavidsonTies
from pairproof.native.comparisons.rows.contest_design import Contests, Design, contest_design
from pairproof.native.comparisons.rows.links import link
from pairproof.native.comparisons.rows.tied_contests import TiesLikelihood

FloatArray = NDArray[np.float64]

JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
#: Wins of the row over the column: citations received (Turner and Firth 2012, section 2.1).
CITATIONS = np.array([[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]], float)


def log_coefficients(contests: Contests) -> float:
    """Sum of log (n choose wins) over the rows: R's logLik has it beside the log-likelihood of the results."""
    return float(
        (gammaln(contests.totals + 1) - gammaln(contests.wins + 1) - gammaln(contests.losses + 1)).sum()
    )


def deviance(contests: Contests, theta: FloatArray, link_name: str = "logit") -> float:
    """R's: against a probability of its own for every row; row by row, as the difference of two sums loses 3 digits."""
    eta, log_cdf = contests.design.predictor(theta), link(link_name).log_cdf
    total = 0.0
    for y, log_p in ((contests.wins, log_cdf(eta)), (contests.losses, log_cdf(-eta))):
        seen = y > 0
        total += float(y[seen] @ (np.log(y[seen] / contests.totals[seen]) - log_p[seen]))
    return 2.0 * total


def citations(reference: str = "Biometrika") -> Contests:
    """Four journals, six rows."""
    i, j = np.triu_indices(4, 1)
    return Contests(contest_design(i, j, JOURNALS, reference=reference), CITATIONS[i, j], CITATIONS[j, i])


@functools.lru_cache(maxsize=None)
def of_r(expression: str) -> FloatArray:
    """A matrix of numbers that R computes, with BradleyTerry2 and its data there; NA is nan."""
    code = f"""
    suppressMessages(suppressWarnings(library(BradleyTerry2)))
    data(baseball, citations, chameleons, flatlizards, football, springall, sound.fields, package = "BradleyTerry2")
    x <- suppressWarnings(as.matrix({expression}))
    list(values = as.numeric(x), rows = nrow(x))
    """
    answer = ask("live", "BradleyTerry2 data", code, {}, ("BradleyTerry2",)).as_list()
    rows = int(answer.vector("rows").floats()[0])
    return np.asarray(answer.vector("values").floats()).reshape(rows, -1, order="F")


def baseball() -> tuple[FloatArray, list[str]]:
    """Columns home, away (from 0), home wins, away wins; teams by name."""
    table = of_r("sapply(baseball, as.numeric)")
    table = table - [1, 1, 0, 0]
    return table, ["Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"]


def lizards(*covariates: str) -> tuple[FloatArray, FloatArray]:
    """Columns winner, loser (from 0); covariates of the 77 lizards."""
    contests = of_r("sapply(flatlizards$contests, as.numeric)") - 1
    chosen = ", ".join(f'"{name}"' for name in covariates)
    return contests, of_r(f"flatlizards$predictors[c({chosen})]")


def chameleons() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Columns winner, loser (from 0); difference of prev.wins.2; ch.res, prop.main of 35 chameleons."""
    sides = of_r("with(chameleons, cbind(as.numeric(winner$ID), as.numeric(loser$ID))) - 1")
    before = of_r("with(chameleons, winner$prev.wins.2 - loser$prev.wins.2)")
    return sides, before, of_r('chameleons$predictors[c("ch.res", "prop.main")]')


def tied_contests(
    design: Design,
    wins: FloatArray,
    ties: FloatArray,
    losses: FloatArray,
    home: FloatArray | None = None,
    shift: bool = False,
    scale: bool = False,
) -> TiesLikelihood:
    """Contests under Davidson's model, shifted by who is at home or scaled."""
    law = DavidsonTies(shift, scale)
    columns = law.columns(np.zeros(design.n_rows) if home is None else home)
    return TiesLikelihood(law, design, columns, np.stack([wins, ties, losses], axis=1))


def deviance_of(contests: TiesLikelihood, llf: float) -> float:
    """Against probabilities of their own for every row."""
    totals = contests.counts.sum(axis=1, keepdims=True)
    return 2.0 * (float(xlogy(contests.counts, contests.counts / totals).sum()) - llf)
