"""Products of thousands of parameters, of which half or a few numbers are worked out, are the whole ones."""

from __future__ import annotations

import numpy as np

from pairproof.fit.robust.clustered_fit import _variances, symmetric


def test_half_of_a_symmetric_product_is_all_of_it():
    r = np.random.default_rng(1)
    root = r.normal(size=(2300, 40))
    right = root @ root.T
    left = right @ right
    # BLAS adds up in blocks of its own, and others in others: observed 5e-16 of the largest.
    np.testing.assert_allclose(
        symmetric(left, right), left @ right, atol=1e-13 * float(np.abs(left @ right).max())
    )


def test_variances_of_contrasts_of_few_parameters_are_those_of_the_whole_product():
    r = np.random.default_rng(2)
    root = r.normal(size=(300, 300))
    covariance = root @ root.T
    functions = np.zeros((50, 300))
    for row in functions[:-1]:
        row[r.choice(300, r.integers(1, 4), replace=False)] = r.normal(size=1)
    whole = np.einsum("ij,jk,ik->i", functions, covariance, functions, optimize=True)
    # The same products in another order: observed 2e-16.
    np.testing.assert_allclose(_variances(functions, covariance), whole, rtol=1e-13)
    assert (_variances(functions[-1:], covariance) == 0.0).all()
