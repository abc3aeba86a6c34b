"""Standard errors of models of whole answers that hold where persons of a cluster go together.

    V = sum over clusters g of i_g i_g',      i_g = H^-1 times the sum of the scores of its persons

with H the observed information (Liang and Zeger 1986, Biometrika 73, 13-22; White 1982, Econometrica 50, 1-25,
where every person is a cluster).  CR1 multiplies by G / (G - 1) for G clusters.  Student's t and F have G - 1
degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.options import one_of
from ...data.respondents import Respondents
from ...errors import InputError, NotEstimableError
from ..covariance import Covariance, DenseCovariance, LinearMap, MappedCovariance
from .numbers import AnswerNumbers

if TYPE_CHECKING:
    from ..record import FitRecord

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: Fewer clusters than this are told.
FEW = 30


@dataclass(frozen=True, eq=False)
class AnswerClusters:
    """Cluster-robust inference on a model of whole answers; see :mod:`pairproof.fit.robust.clustering`.

    columns: the column whose values are the clusters; () where every person is one.  covariance: the robust
    one, of all parameters.
    """

    kind: str
    columns: tuple[str, ...]
    n_clusters: tuple[int, ...]
    covariance: Covariance = field(repr=False)
    model_based: Covariance = field(repr=False)

    @property
    def title(self) -> str:
        """ "CR1 by judge (24 clusters)"."""
        of = f"by {self.columns[0]}" if self.columns else "by person"
        return f"{self.kind} {of} ({self.n_clusters[0]:,} clusters)"

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences that a reader of these standard errors has to know."""
        g = self.n_clusters[0]
        if g >= FEW:
            return ()
        return (f"{g} clusters are few: standard errors {self.kind} are then too small on average",)

    def standard_errors(self, functions: FloatArray) -> FloatArray:
        """float[m] of linear functions, float[m, n_params]."""
        variances = np.array([float(f @ self.covariance.product(f)) for f in functions])
        return np.asarray(np.sqrt(np.maximum(variances, 0.0)))

    def degrees_of_freedom(self, functions: FloatArray) -> FloatArray:
        """float[m]: clusters less one."""
        return np.full(len(functions), self.n_clusters[0] - 1.0)

    def alone(self, function: FloatArray) -> str | None:
        """None: no cluster alone determines a parameter of whole answers that has an estimate here."""
        return None

    def joint_test(self, functions: FloatArray, values: FloatArray) -> tuple[float, float, float]:
        """F on len(values) and G - 1 degrees of freedom, the latter, and p, that all functions are 0."""
        from scipy.stats import f as f_distribution

        q, df = len(values), self.n_clusters[0] - 1.0
        matrix = self.covariance.between(functions)
        if np.linalg.matrix_rank(matrix) < q:
            raise NotEstimableError(
                f"{self.n_clusters[0]} clusters do not determine {q} functions of the parameters together"
            )
        statistic = float(values @ np.linalg.solve(matrix, values)) / q
        return statistic, df, float(f_distribution.sf(statistic, q, df))

    def mapped(self, by: LinearMap) -> AnswerClusters:
        """The same for parameters that are a linear map of these."""
        return replace(
            self,
            covariance=MappedCovariance(self.covariance, by),
            model_based=MappedCovariance(self.model_based, by),
        )


def clusters_of(
    fit: FitRecord,
    table: Respondents,
    numbers: AnswerNumbers,
    columns: tuple[str, ...],
    kind: Literal["CR0", "CR1", "CR2"],
    missing: Literal["refuse", "own"],
) -> AnswerClusters:
    """The clustering of :meth:`pairproof.fit.answers.fit.AnswerFit.clustered`."""
    if kind == "CR2":
        raise InputError(
            "kind='CR2' is for models of comparisons; for whole answers there are 'CR1' (the default) and 'CR0'"
        )
    columns = tuple(map(table.role_of, columns))
    one_of("kind", kind, ("CR0", "CR1"))
    one_of("missing", missing, ("refuse", "own"))
    if len(columns) > 1:
        raise InputError(
            f"{len(columns)} columns ({', '.join(columns)}); whole answers are clustered by one column, or by person"
        )
    here = numbers.row >= 0
    influence = numbers.influence[numbers.row[here]]
    weights = table.weights[here]
    if columns:
        _, codes = np.unique(_codes(table, columns[0], missing)[here], return_inverse=True)
        codes = codes.reshape(-1)
        sums = np.zeros((int(codes.max()) + 1, influence.shape[1]))
        np.add.at(sums, codes, weights[:, None] * influence)
        n, robust = len(sums), sums.T @ sums
    else:
        if (weights != np.round(weights)).any():
            raise InputError(
                "weights that are no whole numbers of persons cannot be clusters of one person each"
            )
        n, robust = int(weights.sum()), influence.T @ (weights[:, None] * influence)
    if n < 2:
        raise InputError(f"{n} cluster; two or more are needed for standard errors")
    robust = robust * (n / (n - 1.0) if kind == "CR1" else 1.0)
    return AnswerClusters(kind, columns, (n,), DenseCovariance(robust), fit.covariance)


def _codes(table: Respondents, name: str, missing: str) -> IntArray:
    """int[n_rows]: the cluster of each row."""
    if name not in table.columns:
        raise InputError(
            f"{table.source}: no column {name!r}; it has {', '.join(table.columns) or 'no further columns'}"
        )
    column = table.columns[name]
    if isinstance(column, Factor):
        codes, lacking = column.codes.astype(np.int64), column.codes < 0
    else:
        codes = np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64)
        lacking = np.isnan(column)
    if lacking.any() and missing == "refuse":
        row = int(np.flatnonzero(lacking)[0]) + 1
        raise InputError(
            f"{table.source}, row {row}: no value in column {name!r} ({int(lacking.sum())} such row(s));"
            " missing='own' makes each a cluster of its own"
        )
    own = np.arange(len(codes)) + codes.max() + 1
    return np.where(lacking, own, codes)
