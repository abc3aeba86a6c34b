"""Profile-likelihood limits: values of constrained refits in R at ten digits and more, closed forms, invariances."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import chdtri

import pairproof
from pairproof.errors import InputError, ItemError
from pairproof.fit.fit import Fit
from pairproof.native.inference.profile_likelihood import profile_intervals
from tests.places import DATA

build = pairproof.Comparisons.build
#: Limits carry 12 printed digits; observed differences are below 6e-12.
DIGITS = dict(rtol=1e-11, atol=0.0)
DROP = float(chdtri(1, 0.05))


@pytest.fixture(scope="module")
def dras() -> pairproof.Comparisons:
    return pairproof.read(DATA / "dras_table1.csv")


@pytest.fixture(scope="module")
def d24() -> pairproof.Comparisons:
    return pairproof.read(DATA / "inference_d24.csv")


def limits(frame):
    return frame[["profile_low", "profile_high"]].to_numpy()


DRAS = {
    "drop": [
        [0.532126060384, 1.16886385563], [-2.68298026535, -1.88560823980], [-3.59607600094, -2.71405521370],
    ],
    "davidson": [
        [0.495456203042, 1.11820425067], [-2.58417656454, -1.83575536912], [-3.53594277892, -2.69256587165],
        [-2.16345738400, -1.52564149134],
    ],
    "rao-kupper": [
        [0.437602488160, 0.997573617128], [-2.22461180609, -1.60242916914], [-3.13120488250, -2.41713657727],
        [0.147554850041, 0.264577642642],
    ],
}  # fmt: skip


@pytest.mark.parametrize("ties", list(DRAS))
def test_limits_of_drass_table_are_those_of_constrained_refits(dras, ties):
    frame = pairproof.fit_bradley_terry(dras, ties=ties, reference="D").profile()
    assert list(frame.columns) == ["estimate", "wald_low", "wald_high", "profile_low", "profile_high"]
    np.testing.assert_allclose(limits(frame), DRAS[ties], **DIGITS)


def test_a_contrast_has_limits_of_its_own(dras):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D")
    frame = fit.profile(contrasts=[("A", "B")])
    assert list(frame.index) == ["A - B"]
    np.testing.assert_allclose(limits(frame), [[2.59704506490, 3.42787444781]], **DIGITS)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(limits(fit.profile([{"A": 1, "B": -1}])), limits(frame), rtol=1e-12)


def test_a_million_to_one_has_the_limits_of_the_likelihood_and_not_of_its_curvature():
    frame = pairproof.fit_bradley_terry(build("AB", [0], [1], [1e6], None, [1]), reference="B").profile()
    np.testing.assert_allclose(frame[["wald_low", "wald_high"]], [[11.8555455934, 15.7754755225]], **DIGITS)
    np.testing.assert_allclose(limits(frame), [[12.3332181640, 16.6791814974]], **DIGITS)


@pytest.mark.parametrize("n", [5, 20, 100])
def test_a_clean_sweep_has_the_lower_limit_of_the_closed_form(n):
    fit = pairproof.fit_bradley_terry(build("AB", [0], [1], [n], None, [0]), reference="B")
    frame = fit.profile()
    assert frame["estimate"].iloc[0] == frame["profile_high"].iloc[0] == np.inf
    assert np.isnan(frame["wald_low"].iloc[0])
    np.testing.assert_allclose(frame["profile_low"].iloc[0], -np.log(np.expm1(DROP / (2 * n))), **DIGITS)
    other = pairproof.fit_bradley_terry(build("AB", [0], [1], [n], None, [0]), reference="A").profile()
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(other["profile_high"].iloc[0], -frame["profile_low"].iloc[0], rtol=1e-12)


def test_an_item_that_is_never_beaten_has_one_sided_limits_and_the_others_two():
    fit = pairproof.fit_bradley_terry(
        build("ABC", [0, 0, 1], [1, 2, 2], [10, 8, 6], None, [0, 0, 4]), reference="C"
    )
    frame = fit.profile(contrasts="all")
    np.testing.assert_allclose(
        limits(frame),
        [[1.97979776786, np.inf], [2.29955637444, np.inf], [-0.847401016239, 1.76919929323]],
        **DIGITS,
    )


def test_a_tie_category_that_nobody_used_bounds_the_tie_parameter_from_above():
    fit = pairproof.fit_bradley_terry(build("AB", [0], [1], [12], [0], [8]), reference="B", ties="davidson")
    np.testing.assert_allclose(limits(fit.profile(["tie"])), [[-np.inf, -1.57896299301]], **DIGITS)


def test_rao_kuppers_tie_parameter_at_its_boundary_has_an_interval_that_begins_there():
    fit = pairproof.fit_bradley_terry(build("AB", [0], [1], [12], [0], [8]), reference="B", ties="rao-kupper")
    frame = fit.profile()
    low, high = limits(frame.loc[["tie"]])[0]
    assert low == 0.0 and frame.loc["tie", "estimate"] == 0.0
    # l = 12 log F(u - g) + 8 log F(-u - g) is maximised over u on a grid.
    u = np.linspace(-1, 2, 300_001)
    best = (-12 * np.logaddexp(0, high - u) - 8 * np.logaddexp(0, high + u)).max()
    # The grid of 1e-5 leaves 2 l short by at most 20 (1e-5)^2 / 4; observed 1e-10.
    assert 2 * (fit.llf - best) == pytest.approx(DROP, abs=1e-8)


def test_items_never_compared_have_the_whole_line():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pairproof.fit_bradley_terry(build("ABCD", [0, 2], [1, 3], [2, 1], None, [1, 2]), reference="B")
    frame = fit.profile(contrasts=[("A", "B"), ("A", "C")])
    assert np.isnan(frame.loc["A - C", "estimate"])
    assert limits(frame).tolist()[1] == [-np.inf, np.inf]
    assert np.isfinite(limits(frame)[0]).all()


def drop_at(fit: Fit, function: np.ndarray, value: float) -> float:
    """2 (l(b^) - max over c'b = v of l) by another route: general-purpose optimisation over row probabilities."""
    from scipy.optimize import minimize

    from pairproof.fit.estimates.likelihood import outcome_probabilities
    from pairproof.fit.robust.scores import as_fitted, designs

    table = as_fitted(fit)
    x, z = designs(fit, table)
    free = np.flatnonzero(~fit.is_reference)
    p = len(fit.beta)
    dense_x = x.dense(np.arange(table.n_rows), p)[:, free]
    dense_z = (
        z.dense(np.arange(table.n_rows), p)[:, free] if z.at.shape[1] else np.zeros((table.n_rows, len(free)))
    )
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    c = function[free]
    basis = np.linalg.svd(c[None, :])[2][1:]
    start = fit.beta[free] + c * (value - c @ fit.beta[free]) / (c @ c)

    def loss(y: np.ndarray) -> float:
        b = start + y @ basis
        g = dense_z @ b
        if fit.outcome_model == "rao-kupper" and (g <= 0).any():
            return 1e9
        prob = outcome_probabilities(dense_x @ b, g, fit.outcome_model)
        return -float((counts * np.log(np.where(counts > 0, prob, 1.0))).sum())

    found = minimize(loss, np.zeros(len(free) - 1), method="BFGS", options=dict(gtol=1e-7))
    return 2.0 * (fit.llf + float(found.fun))


@pytest.mark.parametrize(
    "model",
    [
        dict(ties="davidson", order_effect=True),
        dict(ties="rao-kupper", order_effect=True),
        dict(ties="half"),
        dict(ties="none"),
        dict(ties="davidson", reference="sum"),
    ],
    ids=str,
)
def test_the_likelihood_at_the_limits_has_dropped_by_the_quantile(d24, model):
    fit = pairproof.fit_llbt(d24, **{"reference": "F", **model})
    if model.get("reference") == "sum":
        fit = pairproof.fit_llbt(d24, **{**model, "reference": "F"})
        centred = fit.with_reference("sum")
        frame = centred.profile(["A"], contrasts=[("A", "C")])
        function = np.where([t.kind == "item" for t in fit.terms], -1 / 6, 0.0)
        function[0] += 1.0
    else:
        frame, function = fit.profile(["B"]), np.eye(len(fit.beta))[1]
    for value in limits(frame)[0]:
        # BFGS with a gradient of 1e-7 leaves the square of it; observed 9e-13 and less.
        assert drop_at(fit, function, value) == pytest.approx(DROP, abs=1e-9)


def test_slopes_item_covariates_and_judges_effects_have_limits_where_the_likelihood_has_dropped(dras):
    by_judge = pairproof.fit_llbt(dras, by="judge")
    table = build(
        "ABCD", [0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3], [6, 8, 9, 7, 8, 6], None, [5, 3, 2, 4, 3, 5],
        columns={"age": np.array([20.0, 30, 40, 25, 60, 1998])}, item_data={"size": np.array([1998.0, 2001, 2003, 2007])},
    )  # fmt: skip
    with_slope, with_covariate = pairproof.fit_llbt(table, by="age"), pairproof.fit_bradley_terry(
        table, item_terms=["size"]
    )
    for fit, name in ((by_judge, "A:judge[2]"), (with_slope, "B:age"), (with_covariate, "size")):
        k = fit.names.index(name)
        frame = fit.profile([name])
        low, high = limits(frame)[0]
        assert low < frame["estimate"].iloc[0] < high
        if fit is with_covariate:
            # One parameter: its drop is a sum over rows.
            size = np.array([1998.0, 2001, 2003, 2007])
            gap = size[table.first] - size[table.second]
            for v in (low, high):
                llf = -(
                    table.wins * np.logaddexp(0, -v * gap) + table.losses * np.logaddexp(0, v * gap)
                ).sum()
                assert 2 * (fit.llf - llf) == pytest.approx(DROP, rel=1e-10)
        # Profile and Wald agree where the likelihood is nearly a parabola; observed: 0.05 of a half width.
        half = (frame["wald_high"] - frame["wald_low"]).iloc[0] / 2
        assert abs(high - frame["wald_high"].iloc[0]) < 0.1 * half, (name, k)


def test_limits_follow_scale_and_reference(dras):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D")
    log_odds = limits(fit.profile(["A", "tie"]))
    lam = limits(fit.on_scale("lambda").profile(["A", "tie"]))
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(lam, log_odds * [[0.5], [1.0]], rtol=1e-11)
    turned = limits(fit.with_reference("A").profile(["D"]))[0]
    # One number in two ways, which differ by rounding; seen: 2e-16 off.
    np.testing.assert_allclose(turned, -log_odds[0][::-1], rtol=1e-10)
    pairs = [
        limits(f.profile(contrasts=[("B", "C")]))
        for f in (fit, fit.with_reference("A"), fit.with_reference("sum"))
    ]
    # One number in two ways, which differ by rounding; seen: 8e-15 off.
    np.testing.assert_allclose(pairs[1], pairs[0], rtol=1e-10)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(pairs[2], pairs[0], rtol=1e-10)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=6, max_size=6), st.integers(2, 5))
def test_limits_hold_the_estimate_and_shrink_with_the_weight_of_the_table(counts, factor):
    wins, losses = np.array(counts[:3], float), np.array(counts[3:], float)
    if not (wins + losses).all():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = [
            pairproof.fit_bradley_terry(
                build("ABC", [0, 0, 1], [1, 2, 2], k * wins, None, k * losses), reference="C"
            )
            for k in (1, factor)
        ]
    small, large = (f.profile(contrasts="all") for f in fits)
    for name in small.index:
        a, b = small.loc[name], large.loc[name]
        if np.isnan(a["estimate"]):
            continue
        assert a["profile_low"] <= a["estimate"] <= a["profile_high"]
        assert b["profile_low"] >= a["profile_low"] - 1e-9 and b["profile_high"] <= a["profile_high"] + 1e-9


@settings(max_examples=15, deadline=None)
@given(st.permutations("ABC"), st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_limits_do_not_depend_on_names_of_items_or_on_sides(order, counts):
    first, second, wins, losses = [0, 0, 1], [1, 2, 2], counts[:3], counts[3:]
    plain = pairproof.fit_bradley_terry(build("ABC", first, second, wins, None, losses), reference="C")
    place = [list(order).index(item) for item in "ABC"]
    turned = build(list(order), [place[j] for j in second], [place[i] for i in first], losses, None, wins)
    other = pairproof.fit_bradley_terry(turned, reference="C")
    # One number in two ways, which differ by rounding; seen: 2e-15 off.
    np.testing.assert_allclose(
        limits(other.profile(contrasts=[("A", "B")])),
        limits(plain.profile(contrasts=[("A", "B")])),
        rtol=1e-9,
        atol=1e-10,
    )


def test_the_function_for_conf_int_takes_rows_of_functions(dras):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D")
    low, high = profile_intervals(fit, np.eye(len(fit.beta)))
    assert np.isnan(low[3]) and np.isnan(high[3]), "the reference has no interval"
    np.testing.assert_allclose(np.stack([low, high], axis=1)[[0, 1, 2, 4]], DRAS["davidson"], **DIGITS)
    with pytest.raises(
        InputError, match=r"functions of shape \(1, 2\); expected one row each of 5 parameters"
    ):
        profile_intervals(fit, np.ones((1, 2)))


def test_a_clustered_fit_is_refused_and_the_wild_score_offered(dras):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D").clustered("judge")
    with pytest.raises(
        InputError, match=r"clustered by judge.*pairproof.wild_test\(fit, \"judge\", contrast\)"
    ):
        fit.profile()


def test_what_cannot_be_profiled_is_named(dras):
    fit = pairproof.fit_bradley_terry(dras, ties="davidson", reference="D")
    with pytest.raises(InputError, match="D is held at 0"):
        fit.profile(["D"])
    with pytest.raises(InputError, match="no parameter 'tei'.*did you mean 'tie'"):
        fit.profile(["tei"])
    with pytest.raises(ItemError, match="no item 'X'"):
        fit.profile(contrasts=[("A", "X")])
    with pytest.raises(ItemError, match="with itself"):
        fit.profile(contrasts=[("A", "A")])
    with pytest.raises(InputError, match="level=95"):
        fit.profile(level=95)
    with pytest.raises(InputError, match="contrasts=.every.; expected pairs of items"):
        fit.profile(contrasts="every")
    with pytest.raises(InputError, match="no parameter 'Q'"):
        fit.profile([{"Q": 1.0}])
