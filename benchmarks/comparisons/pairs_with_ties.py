"""LLBTs of 100 and 1,000 items with Davidson ties.

The promised ratio is one number for whatever BLAS: with OpenBLAS on both sides it is 100 times, which sets it, less
a quarter for other machines; with the reference BLAS it is 350 to 390 times.
"""

from __future__ import annotations

from ..contenders import evalica_newman, llbt, llbt_without_se
from ..harness.data import counts_table
from ..harness.job import Job, Target, too_wide

JOBS = (
    Job(
        "ties-100",
        "100 items, 4,950 pairs, 99,000 comparisons with Davidson ties",
        lambda: counts_table(100, 20, True),
        lambda: counts_table(6, 20, True),
        {
            "pairproof": llbt,
            "prefmod llbt.fit": "r",
            "gnm + summary": "r",
            "psychotools btmodel": "r",
            "evalica newman": evalica_newman,
        },
        Target(times_faster=75.0, than="prefmod llbt.fit"),
        memory_of=("pairproof", "prefmod llbt.fit"),
        not_run={"statsmodels GLM Poisson": too_wide("4,950", "0.6 GB")},
    ),
    Job(
        "items-1000-ties",
        "1,000 items, 499,500 pairs, 999,000 comparisons with Davidson ties",
        lambda: counts_table(1000, 2, True),
        lambda: counts_table(6, 20, True),
        {
            "pairproof": llbt,
            "pairproof, no standard errors": llbt_without_se,
            "evalica newman": evalica_newman,
        },
        not_run={"prefmod llbt.fit": "not run: 12 GB of design matrix"},
    ),
)
