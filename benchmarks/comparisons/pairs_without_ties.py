"""Bradley-Terry models of 100 and 1,000 items without ties.

The promised ratio is one number for whatever BLAS: with OpenBLAS on both sides R's dense algebra gains more than
ours, so it is that run (93 times) that sets it, less a third for other machines; with the reference BLAS it is 150
to 185 times.
"""

from __future__ import annotations

from ..contenders import (
    bradley_terry,
    bradley_terry_without_se,
    choix_dense,
    evalica_bradley_terry,
    statsmodels_binomial,
)
from ..harness.data import counts_table
from ..harness.job import Job, Target

JOBS = (
    Job(
        "binary-100",
        "100 items, 4,950 pairs, 99,000 comparisons without ties",
        lambda: counts_table(100, 20, False),
        lambda: counts_table(6, 20, False),
        {
            "pairproof BT": bradley_terry,
            "BradleyTerry2 BTm + summary": "r",
            "statsmodels GLM Binomial": statsmodels_binomial,
            "choix ilsr_pairwise_dense": choix_dense,
            "evalica bradley_terry": evalica_bradley_terry,
        },
        Target(times_faster=60.0, than="BradleyTerry2 BTm + summary"),
        memory_of=("pairproof BT", "BradleyTerry2 BTm + summary"),
    ),
    Job(
        "items-1000",
        "1,000 items, 499,500 pairs, 999,000 comparisons without ties",
        lambda: counts_table(1000, 2, False),
        lambda: counts_table(6, 20, False),
        {
            "pairproof BT": bradley_terry,
            "pairproof BT, no standard errors": bradley_terry_without_se,
            "choix ilsr_pairwise_dense": choix_dense,
            "evalica bradley_terry": evalica_bradley_terry,
        },
        memory_of=("pairproof BT",),
        not_run={"BradleyTerry2 BTm + summary": "not run: 4 GB of design matrix"},
    ),
)
