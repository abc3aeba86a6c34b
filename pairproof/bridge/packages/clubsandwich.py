"""R's clubSandwich on whitened rows: CR0, CR1, CR2, Satterthwaite's degrees of freedom, the HTZ test.

clubSandwich takes the symmetric root of its adjustment in the units of the raw response.  On a raw glm CR2 and its
degrees of freedom therefore depend on how comparisons are cut into rows and on nuisance constants (standard errors
.811 to .948 of the same A in Dras's Table 1); on whitened rows they do not (.94056).  ``raw_glm=True`` asks for the
former, to show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..process.policy import BackendLike
from ..values.convert import matrix
from .asking import Floats, RAnswer, asks, program, reals, sent
from .sandwich import CONDITIONAL, ComparisonRows, columns_of, needed

NEEDS = ("clubSandwich",)
Type = Literal["CR0", "CR1", "CR1S", "CR2"]

#: R: `fit` and `V`, over the parameters of `C` only; two columns of clusters are those in which both agree.
VCOVCR = CONDITIONAL + program(__package__, "r/clubsandwich_vcovcr")


@dataclass(frozen=True, eq=False)
class SmallSample(RAnswer):
    """A cluster-robust covariance and tests on it.

    names: those of :class:`ComparisonRows`.  coef float[k]: log-odds.  vcov float[k, k].  model_vcov float[k,
    k]: the inverse information, which supposes independent answers.  estimate, se, df, p float[m]: of the
    linear functions asked for; Satterthwaite's degrees of freedom, two-sided p of t.  f, f_df, f_p: HTZ test
    of the functions that were to be tested together; NaN where none were.
    """

    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    model_vcov: Floats
    estimate: Floats
    se: Floats
    df: Floats
    p: Floats
    f: float
    f_df: float
    f_p: float
    n_clusters: int


@asks(*NEEDS)
def vcovCR(
    rows: ComparisonRows,
    cluster: Sequence[str],
    type: Type = "CR2",
    functions: Floats | None = None,
    together: Sequence[int] = (),
    *,
    raw_glm: bool = False,
    backend: BackendLike = None,
) -> SmallSample:
    """R's ``clubSandwich::vcovCR``, ``linear_contrast`` (Satterthwaite) and ``Wald_test`` (HTZ).

    Parameters
    ----------
    rows : ComparisonRows
    cluster : sequence of str
        One column of ``rows.clusters``, or two for the clusters in which both labels are equal.
    type : {"CR0", "CR1", "CR1S", "CR2"}
    functions : float[m, k], optional
        Linear functions of the parameters; default: each parameter.
    together : sequence of int
        Which of the functions are tested together, from 0.
    raw_glm : bool
        Ask about the Poisson glm as it is and not about whitened rows.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    SmallSample

    Raises
    ------
    ValueError
        No such column or type.
    RError
        R's own.

    Examples
    --------
    >>> vcovCR(rows, ["judge"]).df  # doctest: +SKIP
    """
    k = len(rows.names)
    asked = reals([[float(i == j) for j in range(k)] for i in range(k)] if functions is None else functions)
    made: dict[str, Any] = {"used": columns_of(rows, cluster), "C": matrix(asked, rows.names)}
    made |= {"together": [int(j) + 1 for j in together]}
    arguments = rows.arguments() | sent(backend, "used type C together raw_glm", **made)
    return SmallSample.ask(backend, "clubSandwich::vcovCR", VCOVCR, arguments, needed(rows, NEEDS))
