"""Quasi-variances (Firth and de Menezes 2004): one number an item, so that var(b_i - b_j) is nearly q_i +
q_j.

They minimise the sum over pairs of (log(q_i + q_j) - log var(b_i - b_j))^2, the criterion of R's qvcalc, here
to full precision by Newton's method.  b is log worth.
"""

from __future__ import annotations

from mpmath import mp, mpf


def contrast_variances(covariance: mp.matrix) -> dict[tuple[int, int], mpf]:
    """var(b_i - b_j) for i < j from the covariance of all items (a row of zeros for the reference)."""
    n = covariance.rows
    return {
        (i, j): covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
        for i in range(n)
        for j in range(i + 1, n)
    }


def _criterion(q: list[mpf], variances: dict[tuple[int, int], mpf]) -> mpf | None:
    if any(q[i] + q[j] <= 0 for i, j in variances):
        return None
    return mp.fsum(mp.log((q[i] + q[j]) / v) ** 2 for (i, j), v in variances.items())


def _derivatives(
    q: list[mpf], variances: dict[tuple[int, int], mpf], exact_hessian: bool
) -> tuple[mp.matrix, mp.matrix]:
    """Half the gradient and half the Hessian; with `exact_hessian` False the positive Gauss-Newton part."""
    n = len(q)
    gradient, hessian = mp.zeros(n, 1), mp.zeros(n, n)
    for (i, j), v in variances.items():
        total = q[i] + q[j]
        residual = mp.log(total / v)
        curvature = ((1 - residual) if exact_hessian else mpf(1)) / total**2
        for a in (i, j):
            gradient[a] += residual / total
            for b in (i, j):
                hessian[a, b] += curvature
    return gradient, hessian


def quasi_variances(covariance: mp.matrix) -> list[mpf] | None:
    """Quasi-variances of J >= 3 items, or None where a contrast has variance 0.

    Raises
    ------
    ArithmeticError
        If the criterion has no minimum within 500 steps.
    """
    variances = contrast_variances(covariance)
    n = covariance.rows
    if n < 3 or any(v <= 0 for v in variances.values()):
        return None
    q = [mp.fsum(v for pair, v in variances.items() if i in pair) / (2 * (n - 1)) for i in range(n)]
    for step in range(500):
        gradient, hessian = _derivatives(q, variances, exact_hessian=step > 30)
        move = mp.lu_solve(hessian, gradient)
        if mp.norm(move, mp.inf) < mpf("1e-75") * max(abs(v) for v in q):
            return q
        now, length = _criterion(q, variances), mpf(1)
        while True:
            trial = [q[k] - length * move[k] for k in range(n)]
            after = _criterion(trial, variances)
            if after is not None and (after <= now or mp.norm(move, mp.inf) < mpf("1e-20")):
                break
            length /= 2
        q = trial
    raise ArithmeticError("the quasi-variances did not settle within 500 steps")
