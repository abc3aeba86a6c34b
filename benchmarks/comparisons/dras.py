"""Dras (2015), Table 1: a small table, on which what a call costs is seen and not what the algebra costs."""

from __future__ import annotations

from ..contenders import evalica_newman, llbt, statsmodels_poisson
from ..harness.data import dras_table_1
from ..harness.job import Job, Target

JOBS = (
    Job(
        "dras",
        "Dras (2015), Table 1: 4 items, 960 answers, Davidson ties",
        lambda: dras_table_1(False),
        lambda: dras_table_1(False),
        {
            "pairproof": llbt,
            "prefmod llbt.fit": "r",
            "gnm + summary": "r",
            "psychotools btmodel": "r",
            "statsmodels GLM Poisson": statsmodels_poisson,
            "evalica newman": evalica_newman,
        },
        Target(cpu_ms_below=1.5),
    ),
    Job(
        "dras-judge",
        "The same with judge as a factor",
        lambda: dras_table_1(True),
        lambda: dras_table_1(True),
        {
            "pairproof": llbt,
            "prefmod llbt.fit": "r",
            "prefmod llbtPC.fit, no standard errors": "r",
            "gnm + summary": "r",
        },
    ),
)
