"""What is made of a fit is the same whether its terms are selective, terms of the comparison, or plain ones.

Two pairs of one model in two forms: an order effect is the comparison term of a column of ones, and all items vary
with a covariate if all but the reference do.
"""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.fit.inference.diagnostics import in_words
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from tests.native.comparisons.counts.test_comparison_terms import changed, judged


def forms() -> list[tuple[Fit, str, Fit, str]]:
    table = judged()
    ones = changed(table, {**table.columns, "one": np.ones(table.n_rows)})
    return [
        (
            fit_bradley_terry(ones, comparison_terms="one", by="topic"),
            "one",
            fit_bradley_terry(table, order_effect=True, by="topic"),
            "order",
        ),
        (
            fit_bradley_terry(table, by="B:topic + C:topic + D:topic"),
            "C:topic[news]",
            fit_bradley_terry(table, by="topic"),
            "C:topic[news]",
        ),
    ]


@pytest.fixture(params=[0, 1], ids=["comparison term", "selective terms"], scope="module")
def form(request: pytest.FixtureRequest) -> tuple[Fit, str, Fit, str]:
    return forms()[request.param]


#: The two solvers leave 1e-15 to 1e-13 of the numbers below.
SAME = 1e-9


def test_standard_errors_by_cluster_are_the_same(form: tuple[Fit, str, Fit, str]) -> None:
    own, name, plain, known = form
    for kind in ("CR0", "CR1", "CR2"):
        a, b = own.clustered("judge", kind=kind), plain.clustered("judge", kind=kind)  # type: ignore[arg-type]  # a kind
        assert a.bse[name] == pytest.approx(b.bse[known], rel=SAME)
        assert a.contrast("A", "B", group="topic=law").se == pytest.approx(
            b.contrast("A", "B", group="topic=law").se, rel=SAME
        )
    np.testing.assert_allclose(a.worth()["se"], b.worth()["se"], rtol=SAME)


def test_profile_limits_and_score_tests_are_the_same(form: tuple[Fit, str, Fit, str]) -> None:
    own, name, plain, known = form
    a, b = own.profile([name]), plain.profile([known])
    # The same number in another way, rounding alone; observed 1e-13.
    np.testing.assert_allclose(a.loc[name].to_numpy(float), b.loc[known].to_numpy(float), rtol=1e-10)
    ours, theirs = pairproof.score_test(own, "judge", [name]), pairproof.score_test(plain, "judge", [known])
    assert ours.statistic == pytest.approx(theirs.statistic, rel=SAME)


def test_bootstrap_replicates_are_the_same(form: tuple[Fit, str, Fit, str]) -> None:
    own, name, plain, known = form
    a, b = (f.bootstrap("judge", replicates=99, seed=3) for f in (own, plain))
    # The same number in another way, rounding alone; observed 9e-16.
    np.testing.assert_allclose(a.to_frame()[name], b.to_frame()[known], rtol=1e-10, atol=1e-12)


def test_worths_quasi_variances_residuals_and_predictions_are_the_same(
    form: tuple[Fit, str, Fit, str]
) -> None:
    own, _, plain, _ = form
    np.testing.assert_allclose(own.worth()["worth"], plain.worth()["worth"], rtol=SAME)
    np.testing.assert_allclose(own.worth()["se"], plain.worth()["se"], rtol=SAME)
    a, b = (f.quasi_variances("topic=news")["quasi_variance"] for f in (own, plain))
    # The same number in another way, rounding alone; observed 1e-15.
    np.testing.assert_allclose(a, b, rtol=1e-10)
    a, b = (f.probabilities("topic=news")["p_first"] for f in (own, plain))
    np.testing.assert_allclose(a, b, rtol=SAME)
    assert own.goodness_of_fit().pearson == pytest.approx(plain.goodness_of_fit().pearson, rel=SAME)
    # The same number in another way, rounding alone; observed 1e-16.
    assert (own.df_resid, own.aic) == (plain.df_resid, pytest.approx(plain.aic, rel=1e-12))


def test_a_number_taken_as_categories_is_clustered_as_the_factor_is() -> None:
    """It was not: the columns of C(number) were missing from the scores, and the errors came out several times too
    large.
    """
    table = judged()
    weeks = table.columns["weeks"]
    assert not isinstance(weeks, Factor)
    codes = (weeks > 2003).astype(np.int64)
    number = changed(table, {**table.columns, "late": 1.0 * codes})
    factor = changed(table, {**table.columns, "late": Factor(codes, ("0", "1"))})
    a = fit_bradley_terry(number, by="C(late)", comparison_terms="C(late)").clustered("judge")
    b = fit_bradley_terry(factor, by="late", comparison_terms="late").clustered("judge")
    assert a.names == b.names
    # The same number in another way, rounding alone; observed 0.
    np.testing.assert_allclose(a.bse, b.bse, rtol=1e-12)


def test_answers_of_a_judge_still_go_together_where_one_item_alone_varies_by_judge() -> None:
    """The ratio of the errors by cluster is told unless every item varies with the judge."""
    table = judged(n=400)
    assert "by judge (12 clusters, CR2)" in in_words(fit_bradley_terry(table, by="A:judge"))
    assert in_words(fit_bradley_terry(table, by="judge")) == ""
