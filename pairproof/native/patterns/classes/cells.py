"""prefmod's latent classes: a mixture over the cells of the table of patterns.

pattnpml.fit takes the numbers of persons y_c with each pattern c as Poisson and lets each *cell* belong to a
class (Aitkin 1999, Biometrics 55, 117-128, for generalised linear models; Formann 1992 for what is meant),

    L = product over c of sum_k pi_k Poisson(y_c; exp(x_c' beta + z_c' theta_k)),

so that all persons with the same answer are in one class together and pi is a share of cells.  A mixture over
persons, :func:`pairproof.native.patterns.classes.fit.fit_classes`, is what the data are about; this is for
whoever must reproduce a number of prefmod's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ....errors import InputError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PoissonCells:
    """Cells of a table as Poisson numbers: the members of a class in prefmod's mixture.

    design float[n_cells, p]: an intercept among its columns.  counts float[n_cells]: persons with each
    pattern, >= 0.
    """

    design: FloatArray
    counts: FloatArray

    def __post_init__(self) -> None:
        if self.design.ndim != 2 or self.counts.shape != self.design.shape[:1]:
            raise InputError(f"a design of shape {self.design.shape} for {len(self.counts)} counts")
        if len(self.counts) and not self.counts.min() >= 0:
            raise InputError(f"a count is {self.counts.min()}; expected numbers >= 0")

    @property
    def n_params(self) -> int:
        """p."""
        return int(self.design.shape[1])

    def at(self, phi: FloatArray) -> PoissonPoint:
        """The cells at phi, float[p]."""
        return PoissonPoint(self, phi)

    def maximum(self) -> FloatArray:
        """float[p]: the estimate of one class, by scoring from the logarithms of the counts."""
        start = np.log(self.counts + 0.5)
        phi = np.linalg.lstsq(self.design, start, rcond=None)[0]
        weights = np.ones(len(self.counts))
        for _ in range(100):
            here = self.at(phi)
            step = np.linalg.solve(here.information(weights), weights @ here.scores)
            phi = phi + step
            if float(np.abs(step).max()) < 1e-12:
                break
        return np.asarray(phi)


@dataclass(frozen=True, eq=False)
class PoissonPoint:
    """Cells at one value of the parameters.

    phi float[p].  log_probabilities float[n_cells].
    """

    cells: PoissonCells
    phi: FloatArray
    log_probabilities: FloatArray = field(init=False)
    _mean: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        eta, y = self.cells.design @ self.phi, self.cells.counts
        with np.errstate(over="ignore"):
            mean = np.exp(eta)
        object.__setattr__(self, "_mean", mean)
        object.__setattr__(self, "log_probabilities", y * eta - mean - gammaln(y + 1.0))

    @property
    def extent(self) -> float:
        """Largest parameter in absolute value."""
        return float(np.abs(self.phi).max())

    @property
    def scores(self) -> FloatArray:
        """float[n_cells, p]."""
        return np.asarray((self.cells.counts - self._mean)[:, None] * self.cells.design)

    def information(self, weights: FloatArray) -> FloatArray:
        """float[p, p], for weights float[n_cells]."""
        return np.asarray((self.cells.design.T * (weights * self._mean)) @ self.cells.design)
