"""R's glm, gnm and polr on a model matrix give what they give on its formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pairproof.bridge import data_frame, factor_of
from pairproof.bridge.packages import base, by_design, gnm
from pairproof.bridge.packages.asking import columns_matrix
from pairproof.bridge.values.nodes import dump

X = {"a": [1, 1, 0, -1, -1, 0], "b": [-1, 0, 1, 1, 0, -1]}
WINS, GAMES = np.array([7.0, 5, 3, 2, 6, 4]), np.full(6, 10.0)


@pytest.mark.r
def test_glm_on_a_design_is_glm_on_the_formula() -> None:
    data = {**X, "share": WINS / GAMES, "games": GAMES}
    ours = by_design.glm_design(data, "share", "binomial", "logit", "games", backend="live")
    theirs = base.glm(
        "cbind(w, l) ~ 0 + a + b",
        {**X, "w": WINS, "l": GAMES - WINS},
        "binomial",
        refit=False,
        epsilon=1e-8,
        backend="live",
    )
    assert ours.names == ("a", "b")
    # The same steps of the same algorithm on the same numbers: equal but for the rounding of shares
    # (observed 0; another BLAS may round otherwise).
    assert ours.coef == pytest.approx(theirs.coef, rel=1e-12)
    assert ours.vcov == pytest.approx(theirs.vcov, rel=1e-12)
    assert (ours.deviance, ours.df_residual) == pytest.approx(
        (theirs.deviance, theirs.df_residual), rel=1e-12
    )
    assert ours.loglik == pytest.approx(theirs.loglik, rel=1e-12)


@pytest.mark.r
def test_an_aliased_column_is_nan_and_a_quasi_family_has_its_dispersion() -> None:
    data = {**X, "twice": [2 * v for v in X["a"]], "share": WINS / GAMES}
    found = by_design.glm_design(data, "share", "quasibinomial", "probit", GAMES, backend="live")
    assert np.isnan(found.coef[2]) and found.vcov_names == ("a", "b")
    plain = by_design.glm_design(data, "share", "binomial", "probit", GAMES, backend="live")
    factor = found.vcov / plain.vcov
    # One number, the dispersion; the rounding of two covariances.
    assert factor == pytest.approx(np.full((2, 2), factor[0, 0]), rel=1e-10) and factor[
        0, 0
    ] != pytest.approx(1)


@pytest.mark.r("gnm")
def test_gnm_with_numbered_constants_is_gnm_with_a_factor() -> None:
    y, cell = [7.0, 3, 5, 5, 8, 2], [1, 1, 2, 2, 3, 3]
    a, b = [1, -1, 1, -1, 0, 0], [-1, 1, 0, 0, 1, -1]
    ours = by_design.gnm_eliminated({"a": a, "b": b, "y": y, "cell": cell}, "y", "cell", backend="live")
    theirs = gnm.gnm(
        "y ~ a + b",
        data_frame({"a": a, "b": b, "y": y, "cell": factor_of([f"c{k}" for k in cell])}),
        "cell",
        tight=False,
        tolerance=1e-6,
        backend="live",
    )
    # gnm's shortcut at the same tolerance: the same to rounding.
    assert ours.coef == pytest.approx(theirs.coef, rel=1e-9)
    assert ours.df_residual == theirs.df_residual == 1


@pytest.mark.r("MASS")
def test_polr_on_a_design_has_coefficients_and_thresholds() -> None:
    data = {"x": [1, 1, 1, -1, -1, -1, 0, 0, 0], "y": [1, 2, 3, 1, 2, 3, 1, 2, 3]}
    found = by_design.polr_design(
        data, "y", [2, 3, 6, 6, 3, 2, 4, 3, 4], levels=["lost", "tied", "won"], backend="live"
    )
    assert found.names == ("x", "lost|tied", "tied|won")
    # The data are their own mirror image, so the thresholds are symmetric; BFGS stops some 1e-6 short.
    assert found.coef[1] + found.coef[2] == pytest.approx(0, abs=1e-4)
    assert found.coef[0] > 0 and found.vcov.shape == (3, 3)


def test_what_names_no_column_is_refused() -> None:
    with pytest.raises(ValueError, match="no column 'z'"):
        by_design.glm_design(X, "z", "binomial", "logit")
    with pytest.raises(ValueError, match="no column is left for the model matrix"):
        by_design.glm_design({"y": [1, 2]}, "y", "poisson", "log")
    with pytest.raises(ValueError, match="family is 'Gauss'"):
        by_design.glm_design(X, [1.0] * 6, "Gauss", "log")
    with pytest.raises(ValueError, match="whole numbers from 1 to 2"):
        by_design.polr_design({**X, "y": [1, 2, 3, 1, 2, 3]}, "y", levels=["a", "b"])


def test_columns_of_a_frame_and_of_a_mapping_are_one_matrix():
    """A design read from a file is a frame; its `values` are numbers and no function."""
    columns = {"a": [1.0, 0.5], "b": [0, 1]}
    frame, mapping = columns_matrix(pd.DataFrame(columns)), columns_matrix(columns)
    assert dump(frame.node) == dump(mapping.node)
