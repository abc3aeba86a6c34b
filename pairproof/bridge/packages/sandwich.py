"""R's sandwich: cluster-robust covariances, one way and two ways, of rows of comparisons with clusters.

A row is what one cluster gave in one design cell: counts of its outcomes, x for the log-odds of the item
named first, z for the tie parameter.  R fits ``glm(y ~ own + cell, poisson)`` (two outcomes, Davidson: log
m(first) = mu_cell + x'b/2, log m(tie) = mu_cell + z'g, log m(second) = mu_cell - x'b/2) or, for Rao and
Kupper's ties, ``MASS::polr`` on every outcome and its mirror image with half weights, then Newton steps.

``CONDITIONAL`` is the R code that turns the fit into whitened rows, an ordinary regression ``lm(response ~ W
- 1)`` whose coefficients, scores and information are those of the comparisons given that they took place:
Poisson rows about their mean within each row of counts (which is what a nuisance constant for each row does),
times the root of their working weights; of Rao and Kupper's likelihood the factors of its observed
information.  clubSandwich's CR2 is exact for such rows; on a raw glm it depends on how comparisons are cut
into rows.

``vcovCL`` takes the scores of the fitted glm itself, so it is a witness of CR0 and CR1 that no whitening
touches::

    type = "HC0", cadjust = FALSE    CR0
    type = "HC0"                     CR1, each way with its own G / (G - 1)

Its other types are none of ours: "HC1" has (N - 1) / (N - k) as well, N the number of rows, and changes when
a table is aggregated; "HC2" is no CR2 for a glm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..process.policy import BackendLike
from ..values.convert import data_frame, matrix
from ..values.nodes import factor
from .asking import EPSILON, MAXIT, REFIT, Floats, RAnswer, asks, check_option, program, reals, sent
from .mass import POLISHED

Model = Literal["poisson", "rao-kupper"]
IntArray = NDArray[np.int64]
#: glm carries a column for each design cell; beyond this many gnm eliminates them.
MOST_NUISANCE = 400

#: R: `own` (outcomes x parameters), `y`, `rows`, `g` (the fit, refitted from its solution), `b`, and `M`, the
#: covariance of b that supposes independent answers.  Everything that is not a parameter is named nuisance.
FIT = REFIT + program(__package__, "r/sandwich_fit")

#: R: polr's estimates with Newton steps to the maximum, on each outcome and its mirror;
#: `one_by_one` has a row for each comparison, because sandwich's scores of a polr leave its weights out.
FIT_RAO_KUPPER = program(__package__, "r/sandwich_polr")
FIT_RAO_KUPPER = FIT_RAO_KUPPER.replace("  # own(MASS::polr) is defined here\n", POLISHED)

#: R: `l`, the regression on whitened rows, and `at`, the row of counts that each belongs to.
CONDITIONAL = FIT + FIT_RAO_KUPPER + program(__package__, "r/sandwich_conditional")


@dataclass(frozen=True, eq=False)
class ComparisonRows:
    """Counts of outcomes by cluster and design cell.

    counts float[n, 2 or 3]: first preferred, (tie,) second preferred.  x float[n, k]: what the parameters of
    the log-odds of the item named first are multiplied with.  z float[n, m]: the same of the tie parameters;
    m = 0 with two outcomes.  cell int[n]: design cell, from 0: rows with the same x and z may share one.
    clusters: cluster of each row, from 0, by the name of the column.  model: "poisson" is Davidson's model,
    or two outcomes.
    """

    counts: Floats
    x: Floats
    z: Floats
    cell: IntArray
    clusters: Mapping[str, IntArray] = field(default_factory=dict)
    model: Model = "poisson"

    def __post_init__(self) -> None:
        check_option("model", self.model, Model)
        n = len(self.counts)
        for name, array in {"x": self.x, "z": self.z, "cell": self.cell, **self.clusters}.items():
            if len(array) != n:
                raise ValueError(f"{name} has {len(array)} rows; counts has {n}")
        if self.counts.shape[1] == 2 and self.z.shape[1]:
            raise ValueError("tie parameters without a tie category")

    @property
    def names(self) -> tuple[str, ...]:
        """R's names of the parameters: b1, b2, ..., then t1, ..."""
        kinds = (("b", self.x), ("t", self.z))
        return tuple(f"{letter}{j + 1}" for letter, table in kinds for j in range(table.shape[1]))

    @property
    def many_cells(self) -> bool:
        """Whether gnm fits the model, because glm would carry too many nuisance constants."""
        return self.model == "poisson" and len(np.unique(self.cell)) > MOST_NUISANCE

    def arguments(self) -> dict[str, Any]:
        """The variables that R's code finds."""
        n_x = self.x.shape[1]
        outcomes = ["first", "tie", "second"] if self.counts.shape[1] == 3 else ["first", "second"]
        cells, cell = np.unique(self.cell, return_inverse=True)
        fixed = {"epsilon": EPSILON, "maxit": MAXIT, "most_nuisance": MOST_NUISANCE}
        return {
            "counts": matrix(reals(self.counts), outcomes),
            "x": matrix(reals(self.x), self.names[:n_x]),
            "z": matrix(reals(self.z), self.names[n_x:]),
            "cell": factor(np.ravel(cell), [f"c{k + 1}" for k in range(len(cells))]),
            "clusters": data_frame({f"g{j + 1}": c + 1 for j, c in enumerate(self.clusters.values())}),
            "model": self.model,
            **fixed,
        }


NEEDS = ("sandwich",)

VCOVCL = CONDITIONAL + program(__package__, "r/sandwich_vcovcl")


@dataclass(frozen=True, eq=False)
class ClusteredCovariance(RAnswer):
    """Estimates with a cluster-robust covariance.

    names: those of :class:`ComparisonRows`.  coef, se float[k]: log-odds; `se` 0 where a two-way covariance
    has a negative variance.  vcov float[k, k].  model_vcov float[k, k]: the inverse information, which
    supposes independent answers.  n_clusters float[ways].
    """

    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    se: Floats
    model_vcov: Floats
    n_clusters: Floats


@asks(*NEEDS)
def vcovCL(
    rows: ComparisonRows,
    cluster: Sequence[str],
    type: str = "HC0",
    cadjust: bool = True,
    fix: bool = False,
    *,
    backend: BackendLike = None,
) -> ClusteredCovariance:
    """R's ``sandwich::vcovCL(fit, cluster, type, cadjust, fix)`` of the model of the rows.

    Parameters
    ----------
    rows : ComparisonRows
    cluster : sequence of str
        One or two of the columns of ``rows.clusters``.
    type : {"HC0", "HC1"}
        As in R.
    cadjust : bool
        G / (G - 1), in two ways each its own.
    fix : bool
        Set negative eigenvalues of a two-way covariance to 0, as R does: they depend on the reference item.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ClusteredCovariance

    Raises
    ------
    ValueError
        No such column.
    RError
        R's own.

    Examples
    --------
    >>> vcovCL(rows, ["judge"], cadjust=False).se  # doctest: +SKIP
    """
    arguments = rows.arguments() | sent(backend, "used type cadjust fix", used=columns_of(rows, cluster))
    return ClusteredCovariance.ask(backend, "sandwich::vcovCL", VCOVCL, arguments, needed(rows, NEEDS))


def columns_of(rows: ComparisonRows, cluster: Sequence[str]) -> list[str]:
    """Names of these clusters in R's data frame; refuses others than the rows have."""
    known = list(rows.clusters)
    unknown = [c for c in cluster if c not in known]
    if unknown or not cluster:
        raise ValueError(f"cluster is {list(cluster)}; the rows have {known}")
    return [f"g{known.index(c) + 1}" for c in cluster]


def needed(rows: ComparisonRows, packages: Sequence[str]) -> tuple[str, ...]:
    """The packages of a call, with that which fits the model."""
    fitting = (("MASS", rows.model == "rao-kupper"), ("gnm", rows.many_cells))
    return (*packages, *(package for package, fits in fitting if fits))
