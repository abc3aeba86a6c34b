"""Second derivatives of Laplace's approximation, by b and log sigma.

Let j, k be parameters, eta_j the derivative of the linear predictor at the mode, u_j of the mode: -A^-1 Z'W X_j for
b_j, and for log sigma_c the solution of A u_j = 2 u/sigma^2 on the effects of c.  With t = dW/d eta, q = dt/d eta,
A_j = dA/dj = Z' diag(t eta_j) Z - 2 I_c/sigma_c^2, c_r = z_r'A^-1 z_r and y = A^-1 Z'(c t),

    d2 log det A / dj dk = tr(A^-1 A_jk) - tr(A^-1 A_j A^-1 A_k)
    tr(A^-1 A_jk) = sum_r (c q - (Zy) t) eta_j eta_k + 2 (y_c'u_k + y_c'u_j - 2 y_c'u_c)/sigma_c^2 + 4 tr(A^-1)_c/sigma_c^2

the last two where j (and k) is log sigma_c; the other parts of log L have the derivatives -X'W eta_k and (2 u_c'u_k -
2 u_c'u_c) / sigma_c^2.  (Derivatives of log det A as in Magnus and Neudecker
1988, section 8.4.)  Products A^-1 A_j take most of the time: one of K x K matrices for each parameter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .factors import DenseFactor
from .laplace import Mode

FloatArray = NDArray[np.float64]


class Curvature:
    """What the second derivatives at one place are made of.

    dense float[n, p]: columns of the fixed parameters.
    """

    def __init__(self, mode: Mode, dense: FloatArray) -> None:
        self.mode, self.dense = mode, dense
        design, k, p = mode.alone.design, len(mode.theta), dense.shape[1]
        ends = np.cumsum((0, *mode.sizes))
        self.parts = [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]
        pulls = np.zeros((k, p + len(self.parts)))
        for j in range(p):
            pulls[:, j] = -design.transposed(mode.rows.curvature * dense[:, j])
        for c, part in enumerate(self.parts):
            pulls[part, p + c] = 2.0 * mode.theta[part] / mode.sigma[c] ** 2
        #: float[K, p + C]: derivatives of the mode.
        self.moves = mode.factor.solve(pulls)
        #: float[n, p + C]: derivatives of the linear predictor.
        self.slopes = np.column_stack([design.predictor(v) - design.offset for v in self.moves.T])
        self.slopes[:, :p] += dense

    def _without_determinant(self) -> FloatArray:
        """Second derivatives of l - u'D^-1 u / 2."""
        p, mode = self.dense.shape[1], self.mode
        found = np.zeros((self.slopes.shape[1],) * 2)
        found[:p] = -(mode.rows.curvature[:, None] * self.dense).T @ self.slopes
        for c, part in enumerate(self.parts):
            found[p + c] = 2.0 * mode.theta[part] @ self.moves[part] / mode.sigma[c] ** 2
            found[p + c, p + c] -= 2.0 * float(mode.theta[part] @ mode.theta[part]) / mode.sigma[c] ** 2
        return (found + found.T) / 2.0

    def rough(self) -> FloatArray:
        """float[p + C, p + C]: second derivatives without those of W.

        Returns float[p + C, p + C].
        """
        found, p = self._without_determinant(), self.dense.shape[1]
        squares = self.mode.by_component(self.mode.factor.diagonal)
        traces = self.mode.factor.squared_traces(self.parts)
        for c in range(len(self.parts)):
            found[p + c, p + c] -= 2.0 * squares[c]
        scale = self.mode.sigma**2
        found[p:, p:] += 2.0 * traces / np.outer(scale, scale)
        return found

    def exact(self) -> FloatArray:
        """float[p + C, p + C]: second derivatives; of a dense factor only.

        Returns float[p + C, p + C].
        """
        mode, p, factor = self.mode, self.dense.shape[1], self.mode.factor
        assert isinstance(factor, DenseFactor)
        design, spreads = mode.alone.design, factor.spreads
        y = factor.solve(design.transposed(spreads * mode.rows.third))
        along = design.predictor(y) - design.offset
        weight = spreads * mode.rows.fourth - along * mode.rows.third
        second = self.slopes.T @ (weight[:, None] * self.slopes)
        diagonal = mode.by_component(factor.diagonal)
        for c, part in enumerate(self.parts):
            row = 2.0 * y[part] @ self.moves[part] / mode.sigma[c] ** 2
            second[p + c] += row
            second[:, p + c] += row
            own = 4.0 * float(y[part] @ mode.theta[part]) / mode.sigma[c] ** 2
            second[p + c, p + c] += 4.0 * diagonal[c] - own
        whole = np.asarray(second - self._traces(factor))
        return np.asarray(self._without_determinant() - 0.25 * (whole + whole.T))

    def _traces(self, factor: DenseFactor) -> FloatArray:
        """tr(A^-1 A_j A^-1 A_k)."""
        p, mode = self.dense.shape[1], self.mode
        products: list[FloatArray] = []
        found = np.zeros((self.slopes.shape[1],) * 2)
        for j in range(len(found)):
            change = mode.alone.design.gram(mode.rows.third * self.slopes[:, j])
            if j >= p:
                own = np.zeros(len(change))
                own[self.parts[j - p]] = 2.0 / mode.sigma[j - p] ** 2
                change = change - np.diag(own)
            products.append(factor.inverse @ change)
            turned = np.ascontiguousarray(products[j].T)
            for k in range(j + 1):
                found[j, k] = found[k, j] = np.vdot(turned, products[k])
        return found
