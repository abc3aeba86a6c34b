"""Cluster-robust covariances against values that clubSandwich and sandwich gave on whitened rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import InputError
from pairproof.fit.fit import Fit
from pairproof.fit.robust.clustered_fit import two_way
from tests.places import DATA

#: Cells of these tables carry 12 printed digits.
# The vectors have that many digits, and so have the differences; seen: 4e-12 off.
DIGITS = dict(rtol=2e-11, atol=0.0)


@pytest.fixture(scope="module")
def d24() -> pairproof.Comparisons:
    return pairproof.read(DATA / "inference_d24.csv")


@pytest.fixture(scope="module")
def dras() -> pairproof.Comparisons:
    return pairproof.read(DATA / "dras_table1.csv")


def free(fit: Fit) -> np.ndarray:
    return fit.bse.to_numpy()[~np.asarray(fit.is_reference)]


def degrees(fit: Fit) -> list[float]:
    unit = np.eye(len(fit.beta))
    return list(fit.robust.degrees_of_freedom(unit[~fit.is_reference]))


BY_JUDGE = {
    "CR0": [0.364106526872, 0.287870967018, 0.274026632711, 0.306710466335, 0.220027352417, 0.128589065554, 0.112297332244],
    "CR2": [0.372192083978, 0.294476293111, 0.280131981375, 0.313610384774, 0.224636111175, 0.132183543509, 0.114716035440],
}  # fmt: skip
BY_JUDGE_DF = [
    22.9741001096,
    22.9471826252,
    22.9524372734,
    22.9596914185,
    22.9736361728,
    22.8825773220,
    22.9973948796,
]
BY_SOURCE = [0.348543681356, 0.247706782941, 0.289718949768, 0.276538026128, 0.352744248298, 0.155361682153, 0.112612688051]  # fmt: skip
TWO_WAY = {
    "CR0": [0.410428233894, 0.260132160325, 0.280251829065, 0.298939108238, 0.297681279509, 0.155126896118, 0.0918615692654],
    "CR2": [0.423336186533, 0.270511880089, 0.291180177281, 0.309645310660, 0.309277479931, 0.161133495253, 0.0966643186678],
}  # fmt: skip


@pytest.fixture(scope="module")
def davidson(d24) -> Fit:
    return pairproof.fit_bradley_terry(d24, ties="davidson", order_effect=True, reference="F")


@pytest.mark.parametrize("kind", ["CR0", "CR2"])
def test_one_way_davidson_errors_are_those_of_clubsandwich_on_whitened_rows(davidson, kind):
    np.testing.assert_allclose(free(davidson.clustered("judge", kind=kind)), BY_JUDGE[kind], **DIGITS)


def test_degrees_of_freedom_are_satterthwaites(davidson):
    np.testing.assert_allclose(degrees(davidson.clustered("judge")), BY_JUDGE_DF, **DIGITS)
    np.testing.assert_allclose(free(davidson.clustered("source")), BY_SOURCE, **DIGITS)


@pytest.mark.parametrize("kind", ["CR0", "CR2"])
def test_the_two_way_covariance_is_the_sum_of_three(davidson, kind):
    both = davidson.clustered("judge", "source", kind=kind)
    diagonal = np.sqrt(np.diag(both.cov_params().to_numpy()))
    np.testing.assert_allclose(diagonal, TWO_WAY[kind], **DIGITS)
    one, other = davidson.clustered("judge", kind=kind), davidson.clustered("source", kind=kind)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(free(both), np.max([diagonal, free(one), free(other)], axis=0), rtol=1e-12)


def test_cr1_of_two_ways_counts_only_clusters_with_comparisons(d24):
    """vcovCL(type = "HC0"): judge and source pairs whose answers were all ties are no clusters once ties are dropped."""
    fit = pairproof.fit_bradley_terry(d24, ties="drop", reference="F").clustered(
        "judge", "source", kind="CR1"
    )
    expected = [0.413961238323, 0.293321523729, 0.276608425749, 0.300261303752, 0.305508443682]
    np.testing.assert_allclose(np.sqrt(np.diag(fit.cov_params())), expected, **DIGITS)


def test_rao_kupper_takes_the_observed_information(d24):
    fit = pairproof.fit_bradley_terry(d24, ties="rao-kupper", order_effect=True, reference="F").clustered(
        "judge"
    )
    expected = [0.293452988414, 0.228047238171, 0.229804932589, 0.248655814106, 0.186075107005, 0.102515144717, 0.0431106075200]  # fmt: skip
    np.testing.assert_allclose(free(fit), expected, **DIGITS)
    np.testing.assert_allclose(degrees(fit)[-1], 20.2104223035, **DIGITS)


def test_the_joint_test_is_clubsandwichs_htz(davidson):
    fit = davidson.clustered("judge")
    equal = np.eye(len(fit.beta))[:5]
    statistic, df, p = fit.robust.joint_test(equal, fit.beta[:5])
    np.testing.assert_allclose([statistic, df, p], [1.61440648783, 18.9875916209, 0.204292713204], **DIGITS)


def test_equal_clusters_give_cr1_and_one_df_less_than_clusters(dras):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D")
    expected = [0.922122253983, 0.420278176498, 0.390671427863, 0.151149333925]
    np.testing.assert_allclose(free(fit.clustered("judge")), expected, **DIGITS)
    np.testing.assert_allclose(free(fit.clustered("judge", kind="CR1")), expected, **DIGITS)
    # One number in two ways, which differ by rounding; seen: 4e-16 off.
    np.testing.assert_allclose(degrees(fit.clustered("judge")), [3.0] * 4, rtol=1e-12)


def test_counts_give_what_single_answers_give(dras):
    """clubSandwich on the raw rows does not: .944587 from counts, .944737 from answers."""
    fit = pairproof.fit_bradley_terry(dras, ties="drop", reference="D").clustered("judge")
    np.testing.assert_allclose(free(fit), [0.940562141582, 0.438936789997, 0.403710257710], **DIGITS)
    np.testing.assert_allclose(degrees(fit), [2.99783759400, 2.99851412839, 2.99904716070], **DIGITS)


def test_what_one_judge_alone_determines_has_no_standard_error(dras):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D", by="judge").clustered("judge")
    known = [name for name, se in fit.bse.items() if np.isfinite(se)]
    assert known == ["tie"]
    np.testing.assert_allclose(fit.bse["tie"], 0.237369397270, **DIGITS)
    assert fit.robust.alone(np.eye(len(fit.beta))[fit.names.index("A:judge[3]")]) is not None


def test_the_reference_changes_no_contrast_and_no_degree_of_freedom(d24):
    sums = []
    for reference in ("A", "F", "sum"):
        fit = pairproof.fit_bradley_terry(d24, ties="davidson", reference=reference).clustered(
            "judge", "source"
        )
        c = np.zeros(len(fit.beta))
        c[1], c[2] = 1.0, -1.0
        sums.append((fit.robust.standard_errors(c[None])[0], fit.robust.degrees_of_freedom(c[None])[0]))
    # One number in two ways, which differ by rounding; seen: 3e-16 off.
    np.testing.assert_allclose(sums[1:], [sums[0]] * 2, rtol=1e-10)


def test_lambda_halves_the_errors_and_keeps_the_degrees_of_freedom(d24):
    bt = pairproof.fit_bradley_terry(d24, ties="davidson", reference="F").clustered("judge")
    llbt = pairproof.fit_llbt(d24, ties="davidson", reference="F").clustered("judge")
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(llbt.bse["A"], bt.bse["A"] / 2, rtol=1e-12)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(degrees(llbt), degrees(bt), rtol=1e-10)


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(6)), st.booleans())
def test_clipping_in_units_of_the_information_does_not_depend_on_the_basis(order, flip):
    rng = np.random.default_rng(3)
    bread = rng.normal(size=(6, 6))
    bread = bread @ bread.T
    v = [
        part @ part.T
        for part in (rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), 1.5 * rng.normal(size=(6, 5)))
    ]
    whole, negative = two_way(v, bread)
    change = np.eye(6)[list(order)] * (-1.0 if flip else 1.0)
    change[0] += 0.5 * change[1]
    other, again = two_way([change @ part @ change.T for part in v], change @ bread @ change.T)
    assert negative == again > 0
    # One number in two ways, which differ by rounding; seen: 5e-14 off.
    np.testing.assert_allclose(other, change @ whole @ change.T, atol=1e-10 * np.abs(whole).max())


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (("segment",), {}, "no column 'segment' to cluster by; its columns are judge, source"),
        (("judge", "source", "pair"), {}, "expected one column, or two different ones"),
        ((), {"kind": "CR2"}, "for single votes, use CR1"),
        ((), {"missing": "own"}, "missing='own' without a column; it concerns missing values in the column"),
        ((), {"kind": "HC3"}, "expected one of CR0, CR1, CR2"),
        (("judge", "judge"), {}, "expected one column, or two different ones"),
        (("judge",), {"kind": "HC3"}, "expected one of CR0, CR1, CR2"),
    ],
)
def test_what_cannot_be_clustered_is_refused_with_a_way_out(davidson, columns, options, message):
    with pytest.raises(InputError, match=message):
        davidson.clustered(*columns, **options)
