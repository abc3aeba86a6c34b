"""Differences of systems tested together: against an integral, a simulation, and Holm's bounds."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.native.annotation.scores.systems_model import (
    abilities_of_systems,
    contrasts_together,
    systems_model,
)
from tests.native.annotation.cases import column, scores


@pytest.fixture(scope="module")
def model():
    return systems_model(
        column("item", "system"), column("item", "source"), column("item", "annotator"), scores("item")
    )


def test_all_start_from_the_same_differences_errors_and_p_values(model):
    found = contrasts_together(model)
    for k, c in enumerate(model.contrasts):
        assert found.what[k] == f"{c.first} - {c.second}"
        assert (found.estimate[k], found.se[k], found.df[k]) == pytest.approx(
            (c.estimate, c.se, c.df), rel=1e-12
        )
        assert found.p[k] == pytest.approx(c.p, rel=1e-9)
    holm = contrasts_together(model, adjust="holm").adjusted
    np.testing.assert_allclose(holm, [c.p_holm for c in model.contrasts], rtol=1e-9)


def test_equal_variances_and_covariances_give_the_studentised_range(model):
    """Equicorrelated means of equal variance: max |t| over all pairs is Tukey's range over the root of 2."""
    from scipy.stats import studentized_range

    assert np.ptp(np.diag(model.covariance)) < 1e-9 * model.covariance[0, 0]  # balanced data
    found = contrasts_together(model, df="common")
    exact = [studentized_range.sf(abs(c.t) * np.sqrt(2), 4, model.df) for c in model.contrasts]
    # 1e5 points drawn: an error of 2.5e-4 is expected. Observed 1e-4 at most.
    np.testing.assert_allclose(found.adjusted, exact, atol=1e-3)
    assert found.critical == pytest.approx(studentized_range.isf(0.05, 4, model.df) / np.sqrt(2), abs=5e-3)


def test_own_degrees_of_freedom_are_at_least_as_careful_as_a_common_denominator(model):
    own, common = contrasts_together(model), contrasts_together(model, df="common")
    assert (own.adjusted >= common.adjusted - 1e-3).all() and (own.adjusted >= own.p).all()
    # Turned to normal scores: P(max |Z| >= z) of correlated normals, simulated.
    from scipy.special import ndtri
    from scipy.stats import t

    rng = np.random.default_rng(9)
    d = np.array([[(k == i) - (k == j) for k in range(4)] for i in range(4) for j in range(i + 1, 4)], float)
    z = np.abs(rng.multivariate_normal(np.zeros(4), np.eye(4), 200_000) @ d.T / np.sqrt(2)).max(axis=1)
    for k, c in enumerate(model.contrasts):
        score = -ndtri(t.sf(abs(c.t), model.df))
        # Standard error of 200,000 draws: 1.1e-3 at most; four of them.
        assert own.adjusted[k] == pytest.approx((z >= score).mean(), abs=5e-3)


def test_against_one_system_fewer_are_corrected_for(model):
    one = contrasts_together(model, "against one", "s4")
    every = contrasts_together(model)
    place = {what: k for k, what in enumerate(every.what)}
    assert one.what == ("s1 - s4", "s2 - s4", "s3 - s4")
    assert all(one.adjusted[k] <= every.adjusted[place[what]] + 1e-3 for k, what in enumerate(one.what))
    with pytest.raises(InputError, match="s9"):
        contrasts_together(model, "against one", "s9")


def test_clustered_means_have_their_errors_in_it_too():
    columns = [column("item", name) for name in ("system", "source", "annotator")]
    model = systems_model(*columns, scores("item"), way="ols")
    found = abilities_of_systems(model)
    assert found.covariance_title == "clustered by source and by annotator"
    assert found.se[0, 3] == pytest.approx(model.contrasts[2].se) and found.df[0, 3] == model.df
