"""What a fit says once its standard errors are by cluster: tables, tests, worths, probabilities, texts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError, NotEstimableError
from pairproof.fit.inference.diagnostics import dependence
from tests.places import DATA

COLUMNS = ["p_first", "p_tie", "p_second"]


@pytest.fixture(scope="module")
def table():
    return pairproof.read(DATA / "inference_d24.csv")


@pytest.fixture(scope="module")
def fit(table):
    return pairproof.fit_bradley_terry(table, ties="davidson", order_effect=True, reference="F")


@pytest.fixture(scope="module")
def by_judge(fit):
    return fit.clustered("judge")


@pytest.fixture(scope="module")
def dras():
    return pairproof.read(DATA / "dras_table1.csv")


def test_a_difference_has_its_own_error_and_degrees_of_freedom(by_judge, fit):
    found = by_judge.contrast("A", "B")
    # The spec's vectors have 12 digits; seen: 4e-12 off.
    assert found.se == pytest.approx(0.326887639867, rel=2e-11)
    assert found.df == pytest.approx(22.9910469708, rel=2e-11)
    assert found.estimate == fit.contrast("A", "B").estimate
    assert str(found).startswith("A - B: 0.1987 (se 0.3269), t on 22.99 df = 0.608, p = 0.5493")
    # 2.06867...: quantile of t on 22.991 df, by R's qt; the limits have 12 digits of it.
    assert (found.high - found.estimate) / found.se == pytest.approx(2.068_697, rel=1e-5)


def test_p_values_and_limits_of_parameters_are_those_of_t(by_judge):
    from scipy.stats import t

    frame = by_judge.to_frame()
    assert list(frame) == ["estimate", "se", "t", "df", "p", "low", "high"]
    free = frame.drop("F")
    # One number in two ways, which differ by rounding; seen: 3e-15 off.
    np.testing.assert_allclose(free["p"], 2 * t.sf(np.abs(free["t"]), free["df"]), rtol=1e-12)
    np.testing.assert_array_equal(by_judge.pvalues.drop("F"), free["p"])
    # One number in two ways, which differ by rounding; seen: 3e-16 off.
    np.testing.assert_allclose(10 ** by_judge.log10_pvalues.drop("F"), free["p"], rtol=1e-12)
    # One number in two ways, which differ by rounding; seen: 2e-16 off.
    np.testing.assert_allclose(
        free["high"], free["estimate"] + t.isf(0.025, free["df"]) * free["se"], rtol=1e-11
    )
    # R's p of AF on 22.974 df (spec, section 3).
    # The printed digits; seen: 1e-12 off.
    assert free.loc["A", "p"] == pytest.approx(0.0276754057875, rel=1e-10)


def test_a_joint_hypothesis_is_an_f_test_by_cluster(by_judge, fit):
    test = by_judge.wald(["A", "B", "C", "D", "E"])
    # The printed digits; seen: 3e-12 off.
    np.testing.assert_allclose(
        [test.statistic, test.df_denom, test.p], [1.61440648783, 18.9875916209, 0.204292713204], rtol=2e-11
    )
    assert str(test) == (
        "Wald F 1.6144 on 5 and 18.99 df, p = 0.2043: A = B = C = D = E = 0 (CR2 by judge (24 clusters))"
    )
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert 10**test.log10_p == pytest.approx(test.p, rel=1e-12)
    assert str(fit.wald(["A", "B"])).startswith("Wald chi-square")


@pytest.mark.parametrize("kind, df", [("CR2", "3"), ("CR1", "3")])
def test_too_many_parts_for_the_clusters_are_refused(dras, kind, df):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D").clustered("judge", kind=kind)
    with pytest.raises(
        NotEstimableError,
        match=f"4 equations at once need more than the {df} degrees of freedom of {kind} by judge",
    ):
        fit.wald(["A", "B", "C", "tie"])
    # One number in two ways, which differ by rounding; seen: 4e-15 off.
    assert fit.wald(["A", "B", "C"]).df_denom == pytest.approx(1.0 if kind == "CR2" else 3.0)


def test_scale_and_reference_change_no_inference(by_judge):
    other = by_judge.on_scale("lambda").with_reference("A")
    a, b = by_judge.contrast("A", "D"), other.contrast("A", "D")
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(
        [b.estimate, b.se, b.z, b.df, b.p], [a.estimate / 2, a.se / 2, a.z, a.df, a.p], rtol=1e-10
    )
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(other.bse["F"] * 2, by_judge.bse["A"], rtol=1e-10)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(
        other.with_reference("F").on_scale("log-odds").cov_params(),
        by_judge.cov_params(),
        rtol=1e-9,
        atol=1e-12,
    )


def test_worths_are_clustered_whatever_the_reference_and_keep_inside_0_and_1(by_judge, fit):
    a, b = by_judge.worth(level=0.95), by_judge.with_reference("sum").worth(level=0.95)
    # One number in two ways, which differ by rounding; seen: 2e-16 off.
    np.testing.assert_allclose(
        a[["worth", "se", "low", "high"]], b[["worth", "se", "low", "high"]], rtol=1e-9
    )
    assert (a["se"] != fit.worth()["se"]).all()
    assert ((a["low"] > 0) & (a["low"] < a["worth"]) & (a["worth"] < a["high"]) & (a["high"] < 1)).all()
    # The derivative by finite differences: worths of slightly moved parameters.
    step, v = 1e-5, by_judge.cov_params().to_numpy()
    place = np.flatnonzero(by_judge.free)

    def worths(k, by):
        return replace(fit, beta=fit.beta + by * np.eye(len(fit.beta))[k]).worth(se=False)["worth"]

    gradient = np.stack([(worths(k, step) - worths(k, -step)) / (2 * step) for k in place], axis=1)
    # Central differences of step 1e-5 are good to about 1e-10; seen: 5e-11.
    np.testing.assert_allclose(a["se"], np.sqrt(np.einsum("ij,jk,ik->i", gradient, v, gradient)), rtol=1e-8)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "drop"])
def test_the_limits_of_probabilities_hold_the_delta_method_on_the_logit_scale(table, ties):
    fit = pairproof.fit_bradley_terry(table, ties=ties, order_effect=True)
    frame = fit.probabilities(order=True, level=0.9)
    step, v = 1e-5, fit.cov_params().to_numpy()
    place = np.flatnonzero(fit.free)

    columns = [c for c in COLUMNS if (c, ties) != ("p_tie", "drop")]

    def logits(k, by):
        p = replace(fit, beta=fit.beta + by * np.eye(len(fit.beta))[k]).probabilities(order=True)[columns]
        return np.log(p / (1.0 - p))

    for column in columns:
        gradient = np.stack(
            [(logits(k, step) - logits(k, -step))[column] / (2 * step) for k in place], axis=1
        )
        se = np.sqrt(np.einsum("ij,jk,ik->i", gradient, v, gradient))
        low, p, high = (
            np.log(frame[c] / (1 - frame[c])) for c in (f"{column}_low", column, f"{column}_high")
        )
        # 1.6448536269514722: normal quantile at .95. Central differences are good to about 1e-9; seen: 4e-10.
        np.testing.assert_allclose(high - p, 1.6448536269514722 * se, rtol=1e-7)
        np.testing.assert_allclose(p - low, 1.6448536269514722 * se, rtol=1e-7)
    assert frame["p_tie_low"].isna().all() == (ties == "drop")


def test_limits_without_errors_or_outside_levels_are_refused(fit):
    with pytest.raises(InputError, match="limits need standard errors"):
        fit.worth(se=False, level=0.95)
    with pytest.raises(InputError, match="between 0 and 1"):
        fit.probabilities(level=95)


def test_texts_say_by_what_they_are_clustered(by_judge):
    text = by_judge.summary()
    assert "Errors       CR2 by judge (24 clusters)" in text
    assert "t and two-sided p against the reference; 95 % Wald intervals by t" in text
    assert max(map(len, text.splitlines())) <= 100
    document = json.loads(json.dumps(by_judge.to_dict()))
    assert document["covariance"] == {"kind": "CR2", "clusters": ["judge"], "n_clusters": [24]}
    assert document["df"]["A"] == by_judge.df["A"] and document["df"]["F"] is None
    assert "CR2 by judge" in by_judge._repr_html_()


def test_the_summary_says_when_answers_of_a_judge_go_together(fit, by_judge):
    found = {d.column: d for d in dependence(fit)}
    ratio = by_judge.contrast("A", "F").se / fit.contrast("A", "F").se
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert found["judge"].most == pytest.approx(ratio, rel=1e-12) and found["judge"].n_clusters == 24
    text = " ".join(fit.summary().split())
    assert (
        "Clusters: standard errors of item differences are by judge (24 clusters, CR2) 0.81 to 1.32 times and by"
        " source (30 clusters, CR2) 0.88 to 1.27 times those of the model, which assumes independent answers;"
        ' fit.clustered("judge", "source") or --cluster judge,source gives them.'
    ) in text
    assert "Clusters:" not in by_judge.summary()
    assert fit.to_dict()["warning_kinds"] == ["clusters"]


def test_a_model_of_judges_is_not_told_to_cluster_by_judge(dras):
    fit = pairproof.fit_llbt(dras, by="judge")
    assert dependence(fit) == ()


def test_likelihood_ratio_and_goodness_of_fit_name_the_test_that_holds(table, by_judge):
    smaller = pairproof.fit_bradley_terry(table, ties="davidson", reference="F").clustered("judge")
    assert (
        "assumes independent answers, an assumption that clustering by judge drops; the table of parameters tests each of them without it, fit.wald"
        in by_judge.compare(smaller).caution
    )
    assert "fit.wald" in by_judge.goodness_of_fit().caution


def test_what_one_judge_alone_determines_has_no_error_by_judge(dras):
    fit = pairproof.fit_llbt(dras, by="judge").clustered("judge")
    assert np.isnan(fit.bse["A"]) and fit.bse["tie"] > 0
    with pytest.raises(
        NotEstimableError, match="fitted from judge .* alone: clustering by judge cannot give it"
    ):
        fit.contrast("A", "B", group=next(iter(fit.groups)))
    assert "alone)" in fit.summary()
    assert "one-cluster" in fit.to_dict()["warning_kinds"]


def test_clustering_again_replaces_the_clusters(by_judge, fit):
    again = by_judge.clustered("source")
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(again.bse, fit.clustered("source").bse, rtol=1e-12)
    # One number in two ways, which differ by rounding; seen: 2e-16 off.
    np.testing.assert_allclose(
        by_judge.with_reference("A").clustered("source").contrast("A", "B").se,
        again.contrast("A", "B").se,
        rtol=1e-9,
    )
