"""LLBTs with ties and subject covariates: a numeric covariate of 400 judges, and judge as a factor.

The promised ratio is one number for whatever BLAS: with OpenBLAS on both sides it is 284 times, which sets it, less
a third for other machines; with the reference BLAS it is 690 times.
"""

from __future__ import annotations

from ..contenders import llbt
from ..harness.data import counts_table
from ..harness.job import Job, Target, too_wide

JOBS = (
    Job(
        "covariate-400x30",
        "30 items, 400 judges with a numeric covariate, 10 comparisons a pair and judge, ties",
        lambda: counts_table(30, 10, True, 400, "numeric"),
        lambda: counts_table(5, 10, True, 6, "numeric"),
        {"pairproof": llbt, "prefmod llbt.fit": "r", "gnm + summary": "r"},
        Target(times_faster=200.0, than="prefmod llbt.fit", memory_share=0.0125),
        memory_of=("pairproof", "prefmod llbt.fit"),
        not_run={"statsmodels GLM Poisson": too_wide("174,000", "727 GB")},
    ),
    Job(
        "factor-40x10",
        "10 items, 40 judges as a factor, 20 comparisons a pair and judge, ties",
        lambda: counts_table(10, 20, True, 40, "factor"),
        lambda: counts_table(4, 20, True, 3, "factor"),
        {
            "pairproof": llbt,
            "prefmod llbtPC.fit, no standard errors": "r",
            "prefmod llbt.fit": "r",
            "gnm + summary": "r",
        },
        memory_of=("pairproof", "prefmod llbtPC.fit, no standard errors"),
        not_run={"statsmodels GLM Poisson": too_wide("1,800", "93 MB")},
    ),
    Job(
        "factor-400x30",
        "30 items, 400 judges as a factor: 11,601 parameters",
        lambda: counts_table(30, 20, True, 400, "factor"),
        lambda: counts_table(4, 20, True, 3, "factor"),
        {"pairproof": llbt},
        memory_of=("pairproof",),
        not_run={"prefmod llbt.fit": "not run: 48 GB of design matrix"},
    ),
)
