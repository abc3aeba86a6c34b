"""Standard errors by cluster: beside R's sandwich and statsmodels, and beside the fit alone in a table of a million rows.

All give CR1 in the small job: G / (G - 1) and no other factor, which is vcovCL's HC0; statsmodels' own correction has
(N - 1) / (N - k) as well and is left away for the same factor.  In the large one clustering alone is timed, of a fit that
is ready, beside that fit from its rows: CR2 is promised to cost no more than twice as much, whatever the BLAS (seen: 1.8
times with the reference BLAS on a busy machine, 0.9 times with OpenBLAS; CR1 0.9 and 0.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons

from ..contenders import NOTHING, answer_of, need, table_of, with_standard_errors
from ..harness.data import SEED, Data, counts_table, raw_rows
from ..harness.job import Answer, Job, Prepare, Ready, Target
from .raw_answers import frame_of, read_and_fitted

VCOV_CL = "glm + sandwich vcovCL"


def raw_rows_of_judges(n_items: int, n_rows: int, n_judges: int) -> Data:
    """Answers a row each, of judges at random."""
    data = raw_rows(n_items, n_rows)
    judge = np.random.default_rng(SEED + 1).integers(0, n_judges, n_rows)
    return replace(data, stratum=judge + 1.0, x=np.zeros(n_judges))


def with_judges(data: Data) -> Comparisons:
    """The table with the strata as judges, which are no covariate."""
    judge = Factor(data.stratum.astype(int) - 1, tuple(str(s + 1) for s in range(len(data.x))))
    return replace(table_of(data), columns={"judge": judge})


def fitted_and_clustered(kind: str) -> Prepare:
    """From a `Comparisons` to a fit and its standard errors by judge."""

    def prepare(data: Data) -> Ready:
        table = with_judges(data)

        def run() -> Any:
            return with_standard_errors(pairproof.fit_bradley_terry(table).clustered("judge", kind=kind))

        return Ready(run, answer_of)

    return prepare


def clustered_alone(kind: str) -> Prepare:
    """The standard errors by judge of a fit that is ready."""

    def prepare(data: Data) -> Ready:
        fit = with_standard_errors(pairproof.fit_llbt(with_judges(data)))
        return Ready(lambda: with_standard_errors(fit.clustered("judge", kind=kind)), answer_of)

    return prepare


def rows_of_judges(data: Data) -> Any:
    """The answers as a table with a column of judges, which has to be read before it can be clustered by."""
    return frame_of(data).assign(judge=data.stratum.astype(int))


def degrees_of_freedom(data: Data) -> Ready:
    """Those of the differences of all pairs of items, CR2, of a fit that is clustered."""
    fit = pairproof.fit_llbt(with_judges(data)).clustered("judge")
    first, second = np.triu_indices(data.n_items, 1)
    pairs = np.zeros((len(first), len(fit.beta)))
    pairs[np.arange(len(first)), first], pairs[np.arange(len(first)), second] = 1.0, -1.0
    run: Callable[[], Any] = lambda: fit.robust.degrees_of_freedom(pairs)
    return Ready(run, lambda _: Answer(NOTHING, NOTHING))


def statsmodels_by_cluster(data: Data) -> Ready:
    """GLM of wins and losses, cov_type="cluster"; the reference is the first item."""
    sm = need("statsmodels.api")
    i, j, row = data.first.astype(int) - 1, data.second.astype(int) - 1, np.arange(len(data.first))
    x = np.zeros((len(row), data.n_items))
    x[row, i], x[row, j] = 1.0, -1.0
    y = np.stack([data.wins, data.losses], axis=1)
    by = {"groups": data.stratum.astype(int), "use_correction": False}
    factor = np.sqrt(len(data.x) / (len(data.x) - 1.0))
    return Ready(
        lambda: sm.GLM(y, x[:, 1:], family=sm.families.Binomial()).fit(cov_type="cluster", cov_kwds=by),
        lambda fit: Answer(fit.params, fit.bse * factor),
    )


JOBS = (
    Job(
        "clusters-20",
        "20 items, 200 judges, every pair twice a judge, no ties: a fit and its standard errors by judge",
        lambda: counts_table(20, 2, False, 200),
        lambda: counts_table(5, 2, False, 12),
        {
            "pairproof BT, CR1": fitted_and_clustered("CR1"),
            "pairproof BT, CR2": fitted_and_clustered("CR2"),
            VCOV_CL: "r",
            "statsmodels GLM, clusters": statsmodels_by_cluster,
        },
        Target(times_faster=5.0, than=VCOV_CL),
        memory_of=("pairproof BT, CR1", "pairproof BT, CR2", VCOV_CL),
    ),
    Job(
        "clusters-1e6",
        "A million raw answers of 20,000 judges on 100 items, ties: CR2 of a fit that is ready",
        lambda: raw_rows_of_judges(100, 1_000_000, 20_000),
        lambda: raw_rows_of_judges(5, 500, 20),
        {
            "pairproof, CR2": clustered_alone("CR2"),
            "pairproof, CR1": clustered_alone("CR1"),
            "pairproof, from the rows to the fit": read_and_fitted(rows_of_judges),
            "pairproof, degrees of freedom of 4,950 pairs": degrees_of_freedom,
        },
        Target(times_faster=0.5, than="pairproof, from the rows to the fit"),
        memory_of=("pairproof, CR2", "pairproof, from the rows to the fit"),
    ),
)
