"""What a fit asks of standard errors by cluster; :mod:`pairproof.fit.robust` has them.

An estimate c'b is then held against Student's t on degrees of freedom of its own, (c'b - v) / se, and q linear
functions together against F.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..covariance import Covariance, LinearMap

FloatArray = NDArray[np.float64]

#: Degrees of freedom below which a p-value by cluster is rough (Tipton 2015, Psychological Methods 20,
#: 375-393).
FEW_DF = 4.0


class Clustering(Protocol):
    """Cluster-robust inference on linear functions of the parameters."""

    @property
    def kind(self) -> str:
        """ "CR0", "CR1" or "CR2"."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns whose values are the clusters, one or two."""

    @property
    def n_clusters(self) -> tuple[int, ...]:
        """Clusters of each column that tell something of the estimates."""

    @property
    def title(self) -> str:
        """ "CR2 by judge (24 clusters)"."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences that a reader of these standard errors has to know."""

    @property
    def model_based(self) -> Covariance:
        """The covariance that supposes independent answers."""

    def standard_errors(self, functions: FloatArray) -> FloatArray:
        """float[m] of linear functions, float[m, n_params]; nan where one cluster alone determines one."""

    def degrees_of_freedom(self, functions: FloatArray) -> FloatArray:
        """float[m]: of each function's t distribution."""

    def alone(self, function: FloatArray) -> str | None:
        """The cluster that alone determines a part of a function ("judge 3"), or None."""

    def joint_test(self, functions: FloatArray, values: FloatArray) -> tuple[float, float, float]:
        """F on len(values) and some degrees of freedom, the latter, and p, that all functions are 0."""

    def mapped(self, by: LinearMap) -> Clustering:
        """The same for parameters that are a linear map of these."""
