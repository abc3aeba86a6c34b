"""The jobs: which data, who takes part, and what was promised.

A promise is one number for whatever BLAS: with OpenBLAS on both sides R's dense algebra gains more than ours,
so it is that run (93, 100 and 284 times) that sets the ratios, less a quarter to a third for other machines;
with the reference BLAS they are 150 to 185, 350 to 390 and 690.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .data import Data, counts_table, dras_table_1, raw_rows
from .process import Language

R_CONTENDERS = frozenset(
    {
        "prefmod llbt.fit",
        "prefmod llbtPC.fit, no standard errors",
        "gnm + summary",
        "psychotools btmodel",
        "BradleyTerry2 BTm + summary",
        "R table() alone",
    }
)


def language_of(contender: str) -> Language:
    return "r" if contender in R_CONTENDERS else "python"


@dataclass(frozen=True)
class Target:
    """What was promised of the job's first contender.

    Attributes
    ----------
    cpu_ms_below : float or None
    times_faster, than : float or None, str
        Than that peer, in CPU time.
    memory_share : float or None
        Of the memory that peer adds, at most this.
    """

    cpu_ms_below: float | None = None
    times_faster: float | None = None
    than: str = ""
    memory_share: float | None = None


@dataclass(frozen=True)
class Job:
    """Attributes
    ----------
    name, title : str
    data, tiny : function of no argument to Data
        The tiny data warm up fresh processes, and serve the tests.
    contenders : tuple of str
        The first is the one that the others are compared with.
    target : Target
    memory_of : tuple of str
        Contenders whose added memory is measured, in a fresh process each.
    notes : tuple of (contender, why it does not take part)
    """

    name: str
    title: str
    data: Callable[[], Data]
    tiny: Callable[[], Data]
    contenders: tuple[str, ...]
    target: Target = Target()
    memory_of: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()

    def promises_only(self) -> Job | None:
        """The job with nobody but those that a promise is about; None if there is no promise."""
        if self.target == Target():
            return None
        wanted = {self.contenders[0], self.target.than}
        return replace(
            self,
            contenders=tuple(c for c in self.contenders if c in wanted),
            notes=(),
            memory_of=self.memory_of if self.target.memory_share is not None else (),
        )

    def made_tiny(self) -> Job:
        return replace(self, data=self.tiny)


TOO_WIDE = "not run: a column for each of {} nuisance parameters, {} of design matrix"

JOBS: tuple[Job, ...] = (
    Job(
        "dras",
        "Dras (2015), Table 1: 4 items, 960 answers, Davidson ties",
        lambda: dras_table_1(False),
        lambda: dras_table_1(False),
        (
            "pairproof",
            "prefmod llbt.fit",
            "gnm + summary",
            "psychotools btmodel",
            "statsmodels GLM Poisson",
            "evalica newman",
        ),
        Target(cpu_ms_below=1.5),
    ),
    Job(
        "dras-judge",
        "The same with judge as a factor",
        lambda: dras_table_1(True),
        lambda: dras_table_1(True),
        ("pairproof", "prefmod llbt.fit", "prefmod llbtPC.fit, no standard errors", "gnm + summary"),
    ),
    Job(
        "binary-100",
        "100 items, 4,950 pairs, 99,000 comparisons without ties",
        lambda: counts_table(100, 20, False),
        lambda: counts_table(6, 20, False),
        (
            "pairproof BT",
            "BradleyTerry2 BTm + summary",
            "statsmodels GLM Binomial",
            "choix ilsr_pairwise_dense",
            "evalica bradley_terry",
        ),
        Target(times_faster=60.0, than="BradleyTerry2 BTm + summary"),
        memory_of=("pairproof BT", "BradleyTerry2 BTm + summary"),
    ),
    Job(
        "ties-100",
        "100 items, 4,950 pairs, 99,000 comparisons with Davidson ties",
        lambda: counts_table(100, 20, True),
        lambda: counts_table(6, 20, True),
        ("pairproof", "prefmod llbt.fit", "gnm + summary", "psychotools btmodel", "evalica newman"),
        Target(times_faster=75.0, than="prefmod llbt.fit"),
        memory_of=("pairproof", "prefmod llbt.fit"),
        notes=(("statsmodels GLM Poisson", TOO_WIDE.format("4,950", "0.6 GB")),),
    ),
    Job(
        "covariate-400x30",
        "30 items, 400 judges with a numeric covariate, 10 comparisons a pair and judge, ties",
        lambda: counts_table(30, 10, True, 400, "numeric"),
        lambda: counts_table(5, 10, True, 6, "numeric"),
        ("pairproof", "prefmod llbt.fit", "gnm + summary"),
        Target(times_faster=200.0, than="prefmod llbt.fit", memory_share=0.0125),
        memory_of=("pairproof", "prefmod llbt.fit"),
        notes=(("statsmodels GLM Poisson", TOO_WIDE.format("174,000", "727 GB")),),
    ),
    Job(
        "factor-40x10",
        "10 items, 40 judges as a factor, 20 comparisons a pair and judge, ties",
        lambda: counts_table(10, 20, True, 40, "factor"),
        lambda: counts_table(4, 20, True, 3, "factor"),
        ("pairproof", "prefmod llbtPC.fit, no standard errors", "prefmod llbt.fit", "gnm + summary"),
        memory_of=("pairproof", "prefmod llbtPC.fit, no standard errors"),
        notes=(("statsmodels GLM Poisson", TOO_WIDE.format("1,800", "93 MB")),),
    ),
    Job(
        "factor-400x30",
        "30 items, 400 judges as a factor: 11,601 parameters",
        lambda: counts_table(30, 20, True, 400, "factor"),
        lambda: counts_table(4, 20, True, 3, "factor"),
        ("pairproof",),
        memory_of=("pairproof",),
        notes=(("prefmod llbt.fit", "not run: 48 GB of design matrix"),),
    ),
    Job(
        "rows-1e6",
        "A million raw answers on 100 items, ties, from the table to a fit",
        lambda: raw_rows(100, 1_000_000),
        lambda: raw_rows(5, 500),
        (
            "pairproof, rows of strings",
            "pairproof, rows of categories",
            "pairproof, rows of integers",
            "pairproof, CSV file",
            "pandas groupby.size alone",
            "pandas read_csv alone",
            "R table() alone",
        ),
        Target(cpu_ms_below=500.0),
        memory_of=("pairproof, rows of strings",),
    ),
    Job(
        "items-1000",
        "1,000 items, 499,500 pairs, 999,000 comparisons without ties",
        lambda: counts_table(1000, 2, False),
        lambda: counts_table(6, 20, False),
        (
            "pairproof BT",
            "pairproof BT, no standard errors",
            "choix ilsr_pairwise_dense",
            "evalica bradley_terry",
        ),
        memory_of=("pairproof BT",),
        notes=(("BradleyTerry2 BTm + summary", "not run: 4 GB of design matrix"),),
    ),
    Job(
        "items-1000-ties",
        "1,000 items, 499,500 pairs, 999,000 comparisons with Davidson ties",
        lambda: counts_table(1000, 2, True),
        lambda: counts_table(6, 20, True),
        ("pairproof", "pairproof, no standard errors", "evalica newman"),
        notes=(("prefmod llbt.fit", "not run: 12 GB of design matrix"),),
    ),
)
